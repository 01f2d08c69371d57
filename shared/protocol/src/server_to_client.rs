use flagfall_board::{GameId, PerSide, Side};
use flagfall_rules::{OptionValue, RuleOption, Ruleset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chat::Said;
use crate::client_to_server::{CommandId, Terms};
use crate::code::Code;
use crate::game_view::{GameEvent, GameView, Outcome, Phase, ViewChange};
use crate::invitation::Invitation;
use crate::rating::{RatingChange, RatingPoint};
use crate::rating_range::RatingRange;
use crate::secret::Secret;

/// What the server sends. Clients ignore fields they do not know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a message is serialized where it is made; it does not travel")]
pub enum ServerToClient {
    /// The answer to a hello.
    Welcome {
        /// The server's protocol version.
        protocol: u32,
        /// The server's program and version.
        server: String,
        /// Who the client is.
        player: Player,
        /// A new guest's token: durable, to be kept secret, told this once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The server's time in milliseconds since 1970.
        server_time: u64,
        /// The player's running games.
        games: Vec<GameSummary>,
    },
    /// A command was carried out, and whatever it changed is on disk.
    Accepted {
        /// The command.
        cmd_id: CommandId,
        /// What came of it.
        outcome: Accepted,
    },
    /// A command or a message was refused; nothing changed.
    Refused {
        /// The command, where the message had one that could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cmd_id: Option<CommandId>,
        /// The game, where it was about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
        /// Why; stable.
        code: Code,
        /// Why and what to do, for a person.
        message: String,
        /// The game's current number for this audience, where it was about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
    },
    /// The lobby as a whole; sent again when it changes.
    Lobby {
        /// The open seeks, oldest first.
        seeks: Vec<Seek>,
        /// The latest public games that are running.
        games: Vec<GameSummary>,
        /// Connected players.
        players_online: u32,
    },
    /// What a challenge offers.
    Challenge {
        /// Its code.
        challenge: String,
        /// Who offers.
        challenger: Player,
        /// What.
        terms: Terms,
        /// The side that whoever accepts will have; decided by chance where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        your_side: Option<Side>,
        /// When it expires, in milliseconds since 1970.
        expires: u64,
    },
    /// A game in which the client has a seat has been made.
    GameStarted {
        /// The game.
        game: GameSummary,
        /// The client's side.
        side: Side,
    },
    /// The client's own running games.
    MyGames {
        /// The games, newest first.
        games: Vec<GameSummary>,
    },
    /// A whole game as this client's audience may know it; the answer to `open_game`.
    Game {
        /// The game.
        game: GameSummary,
        /// As whom the client sees it.
        audience: Audience,
        /// Whether the client may act: a player's newest connection may.
        driving: bool,
        /// Changes when the log, or a branch of it, was lost.
        epoch: u64,
        /// Counts what this audience has been shown.
        seq: u64,
        /// The view at `seq`.
        view: GameView,
        /// The events after the position the client named, oldest first; empty when it named none or it is unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<GameEvent>,
        /// Each player's presence.
        presence: PerSide<Presence>,
        /// Which players who are not there left on purpose: they closed the game or the connection. The line of the others was lost.
        #[serde(default, skip_serializing_if = "is_neither")]
        left: PerSide<bool>,
        /// From when on the game can be claimed because this player is gone, in milliseconds since 1970.
        #[serde(default, skip_serializing_if = "is_unclaimable")]
        claimable_at: PerSide<Option<u64>>,
        /// Who has asked for a rematch.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rematch: Vec<Side>,
        /// Why the game was aborted, if it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abort: Option<Abort>,
    },
    /// Something happened in an open game.
    Event {
        /// The game.
        game: GameId,
        /// One more than the number before.
        seq: u64,
        /// What happened.
        event: GameEvent,
        /// What else of the view changed with it.
        change: ViewChange,
        /// Why the game was aborted, if this event aborted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abort: Option<Abort>,
    },
    /// A player came or went.
    Presence {
        /// The game.
        game: GameId,
        /// Which player.
        side: Side,
        /// Now.
        presence: Presence,
        /// True if they are not there because they left on purpose: they closed the game or the connection.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        left: bool,
    },
    /// A player is gone, and from a moment on the other one may claim the game; or he may not any more.
    Claimable {
        /// The game.
        game: GameId,
        /// Who is gone.
        gone: Side,
        /// From when on, in milliseconds since 1970; none when he is back, or nobody waits for him.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
    },
    /// A player offers a rematch of a game that ended.
    RematchOffered {
        /// The game that ended.
        game: GameId,
        /// Who offers.
        side: Side,
    },
    /// A newer connection of the same player took the seat over; this one goes on as read-only.
    Superseded {
        /// The game.
        game: GameId,
    },
    /// A player of one of the client's games has said something: told to both players and to nobody else.
    Said {
        /// The game.
        game: GameId,
        /// Who.
        side: Side,
        /// What.
        said: Said,
    },
    /// A rated game of the client's has changed both ratings.
    Rated {
        /// How.
        change: RatingChange,
    },
    /// A game can no longer be served: its log is damaged. Other games go on.
    GameUnavailable {
        /// The game.
        game: GameId,
        /// For a person.
        message: String,
    },
    /// Whether the server reaches its store. While it does not, nothing can be done and no clock runs for long; what is open is shown on.
    StoreState {
        /// Whether it does. It does until the server says otherwise.
        available: bool,
    },
    /// Somebody has addressed a challenge to the client's player: told at once, and kept until it is answered (`/api/me/challenges`).
    Challenged {
        /// What is offered, and by whom.
        invitation: Invitation,
    },
    /// A challenge of the client's player was accepted or declined.
    ChallengeAnswered {
        /// Its code.
        challenge: String,
        /// By whom.
        by: Player,
        /// Whether it was accepted: then the game follows as `game_started`.
        accepted: bool,
    },
    /// A challenge that was addressed to the client's player is open no more: it was taken back, or somebody else has accepted it.
    ChallengeGone {
        /// Its code.
        challenge: String,
        /// Who had made it.
        challenger: Player,
    },
    /// To be answered with a pong.
    Ping {
        /// Its number.
        id: u64,
        /// The server's time in milliseconds since 1970.
        server_time: u64,
        /// The current numbers of the client's open games: who is behind opens the game again.
        heads: Vec<GameHead>,
        /// How the client's player waits in the pool; none while they do not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pool: Option<PoolStatus>,
    },
}

/// Why a game was aborted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Abort {
    /// The side that called the game off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_off_by: Option<Side>,
    /// The sides that had not deployed in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_deployed: Vec<Side>,
}

impl Abort {
    /// True if this side caused the abort. A player of the pool who did not goes back to its front.
    #[must_use]
    pub fn is_by(&self, side: Side) -> bool {
        self.called_off_by == Some(side) || self.not_deployed.contains(&side)
    }
}

/// How a player waits in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PoolStatus {
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// Which ratings they may be paired with now: of opponents who have just come and whose rating is as uncertain. It grows with the
    /// time waited. None where games have no rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RatingRange>,
    /// How many players wait for the same game, this one included.
    pub waiting: u32,
}

/// What came of an accepted command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Accepted {
    /// A game command: the sender's number after it.
    Game {
        /// The game.
        game: GameId,
        /// The number of the last event it caused for this audience.
        seq: u64,
    },
    /// A game was made, and the sender has a seat in it.
    Started {
        /// The game.
        game: GameId,
        /// The sender's side.
        side: Side,
    },
    /// A seek is open.
    Seek {
        /// Its id.
        seek: String,
    },
    /// A challenge is open.
    Challenge {
        /// Its code: whoever has it may accept.
        challenge: String,
        /// When it expires, in milliseconds since 1970.
        expires: u64,
    },
    /// Done; there is nothing more to say.
    Done {},
}

/// Who somebody is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Player {
    /// Never changes.
    pub id: String,
    /// Shown to others.
    pub name: String,
    /// What kind of player.
    pub kind: PlayerKind,
}

/// What kind of player somebody is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// Somebody with a name and a token.
    Guest,
    /// Somebody with a password as well.
    Account,
    /// A program with an account of its own.
    Bot,
    /// A house player.
    House,
}

/// As whom a client sees a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// As the player with the red pieces.
    Red,
    /// As the player with the blue pieces.
    Blue,
    /// As a spectator: what both players know.
    Public,
}

impl From<flagfall_rules::Viewer> for Audience {
    fn from(viewer: flagfall_rules::Viewer) -> Audience {
        match viewer {
            flagfall_rules::Viewer::Player(Side::Red) => Audience::Red,
            flagfall_rules::Viewer::Player(Side::Blue) => Audience::Blue,
            flagfall_rules::Viewer::Public => Audience::Public,
        }
    }
}

impl Audience {
    /// The side of a player's audience.
    #[must_use]
    pub fn side(self) -> Option<Side> {
        match self {
            Audience::Red => Some(Side::Red),
            Audience::Blue => Some(Side::Blue),
            Audience::Public => None,
        }
    }
}

fn is_neither(sides: &PerSide<bool>) -> bool {
    !sides.red && !sides.blue
}

fn is_unclaimable(claimable_at: &PerSide<Option<u64>>) -> bool {
    claimable_at.red.is_none() && claimable_at.blue.is_none()
}

/// Whether a player is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Connected.
    Present,
    /// The line dropped a moment ago.
    Reconnecting,
    /// Gone for half a minute or more, or never came.
    #[default]
    Away,
}

/// A game in a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameSummary {
    /// Its id.
    pub id: GameId,
    /// What is played.
    pub terms: Terms,
    /// Who plays.
    pub players: PerSide<Player>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Turns taken.
    pub ply: u16,
    /// Whose turn it is, while it is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// An open offer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Seek {
    /// Its id.
    pub id: String,
    /// Who offers.
    pub seeker: Player,
    /// What.
    pub terms: Terms,
    /// The side the seeker wants; chance decides without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Whose ratings it is for; everybody's without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// The seeker's own rating for such games when he opened it; none of guests, and where games have no rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeker_rating: Option<RatingPoint>,
}

/// A game and its audience's current number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameHead {
    /// The game.
    pub game: GameId,
    /// The number.
    pub seq: u64,
}

/// A ruleset in a few words, as `/api/rulesets` lists them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetInfo {
    /// Its id.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// What a custom game may change of it.
    pub options: Vec<RuleOptionInfo>,
}

/// A rule that a custom game may change: `classic,ties=attacker` names the ruleset `classic` with the option `ties` set to `attacker`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleOptionInfo {
    /// Its name.
    pub name: String,
    /// What the ruleset has, unchanged; not named when a game is offered.
    pub value: String,
    /// What it may be set to.
    pub values: Vec<RuleValueInfo>,
}

/// A value of an option.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleValueInfo {
    /// Its name.
    pub name: String,
    /// What it means, for people.
    pub meaning: String,
}

impl RulesetInfo {
    /// What there is to tell of a ruleset.
    #[must_use]
    pub fn new(ruleset: &Ruleset) -> RulesetInfo {
        RulesetInfo {
            id: ruleset.id.to_owned(),
            title: ruleset.title.to_owned(),
            summary: ruleset.summary.to_owned(),
            options: RuleOptionInfo::all_of(ruleset),
        }
    }
}

impl RuleOptionInfo {
    /// The options of a ruleset.
    #[must_use]
    pub fn all_of(ruleset: &Ruleset) -> Vec<RuleOptionInfo> {
        let value = |value: &OptionValue| RuleValueInfo {
            name: value.name.to_owned(),
            meaning: value.meaning.to_owned(),
        };
        let info = |option: &RuleOption| RuleOptionInfo {
            name: option.name().to_owned(),
            value: option.value_in(ruleset).map(|value| value.name.to_owned()).unwrap_or_default(),
            values: option.values().iter().map(value).collect(),
        };
        ruleset.changeable.iter().map(info).collect()
    }
}
