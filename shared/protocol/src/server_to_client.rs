use flagfall_board::{GameId, PerSide, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use crate::chat::Said;
use crate::client_to_server::{CommandId, Terms};
use crate::code::Code;
use crate::invitation::Invitation;
use crate::player::Player;
use crate::rating::{RatingChange, RatingPoint};
use crate::rating_range::RatingRange;
use crate::refusal::RefusalArgs;
use crate::ruleset_data::RulesetData;
use crate::secret::Secret;
use flagfall_view::{GameEvent, GameView, Phase, SeenOutcome, ViewChange, Viewer};

/// A message from the server. Clients ignore fields that they do not know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantNames)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a message is serialized where it is made; it does not travel")]
pub enum ServerToClient {
    /// The answer to `hello`.
    Welcome {
        /// The server's protocol version.
        protocol: u32,
        /// The server's program and version.
        server: String,
        /// The player that the client is. Absent for an anonymous client, which said `session`
        /// and has none: it can only look on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Player>,
        /// The token of a new guest. Store it and keep it secret: the server sends it only once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The server's time, in milliseconds since 1970.
        server_time: u64,
        /// After how many seconds of an opponent's absence a short game can be claimed; half as
        /// many if they left on purpose. Servers of version 0.1 do not send it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim_seconds: Option<u64>,
        /// The player's running games.
        games: Vec<GameSummary>,
        /// The hash of the page that this server serves, for a client that said `session`. A page
        /// with another hash is out of date.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<String>,
    },
    /// A command was carried out. What it changed is on disk.
    Accepted {
        /// The id of the command.
        cmd_id: CommandId,
        /// The outcome.
        outcome: Accepted,
    },
    /// A command or message was refused. It changed nothing, except perhaps with the code
    /// `store_unavailable` or `stopping`: then repeat the command with the same id.
    Refused {
        /// The id of the command, if the message had a readable one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cmd_id: Option<CommandId>,
        /// The game, if the message was about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
        /// Why, as a stable code for programs.
        code: Code,
        /// Numbers and keys that the message mentions, such as a limit or a time to wait. With the
        /// code they are enough to say it in other words. Servers of version 0.1 do not send them.
        #[serde(default, skip_serializing_if = "RefusalArgs::is_empty")]
        args: RefusalArgs,
        /// Why and what to do, for people.
        message: String,
        /// The game's current sequence number for this client, if the message was about a game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
        /// The id of the request. Operators find it in the server's log. Servers of version 0.1 do
        /// not send it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The whole lobby. The server sends it again when it changes.
    Lobby {
        /// The open seeks, oldest first.
        seeks: Vec<Seek>,
        /// The latest running public games.
        games: Vec<GameSummary>,
        /// How many players are connected.
        players_online: u32,
    },
    /// What a challenge offers.
    Challenge {
        /// The code of the challenge.
        challenge: String,
        /// The player who made the challenge.
        challenger: Player,
        /// What to play.
        terms: Terms,
        /// The side of the player who accepts. Without one, it is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        your_side: Option<Side>,
        /// When the challenge expires, in milliseconds since 1970.
        expires: u64,
    },
    /// A game was made in which the client has a seat.
    GameStarted {
        /// The game.
        game: GameSummary,
        /// The side that the client plays.
        side: Side,
    },
    /// The client's own running games.
    MyGames {
        /// The games, newest first.
        games: Vec<GameSummary>,
    },
    /// A whole game, as this client may see it. The answer to `open_game`.
    Game {
        /// The game.
        game: GameSummary,
        /// How the client sees the game.
        audience: Viewer,
        /// True if the client may act. A player's newest connection to the game may.
        driving: bool,
        /// The epoch of the game's log. It changes if the store has lost events.
        epoch: u64,
        /// The sequence number of the last event in this view.
        seq: u64,
        /// The game at `seq`.
        view: GameView,
        /// The events since the position that the client named, oldest first. Empty if it named
        /// none, or the server no longer has them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<GameEvent>,
        /// The presence of each player.
        presence: PerSide<Presence>,
        /// True for a player who is gone because they closed the game or the connection. Otherwise
        /// the connection was lost.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        left: PerSide<bool>,
        /// When the game can be claimed because this player is gone, in milliseconds since 1970.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        claimable_at: PerSide<Option<u64>>,
        /// The sides that have asked for a rematch.
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
        /// The sequence number: one more than the one before.
        seq: u64,
        /// What happened.
        event: GameEvent,
        /// What else changes in the view.
        change: ViewChange,
        /// Why the game was aborted, if this event aborted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abort: Option<Abort>,
    },
    /// A player came or went.
    Presence {
        /// The game.
        game: GameId,
        /// The player.
        side: Side,
        /// The player's presence now.
        presence: Presence,
        /// True if they are gone because they closed the game or the connection.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        left: bool,
    },
    /// A player is gone and the opponent may claim the game from a certain time on, or no longer
    /// may.
    Claimable {
        /// The game.
        game: GameId,
        /// The side that is gone.
        gone: Side,
        /// When a claim is possible, in milliseconds since 1970. Absent if no claim is possible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
    },
    /// A player offers a rematch of a game that has ended.
    RematchOffered {
        /// The game that has ended.
        game: GameId,
        /// The side that offers.
        side: Side,
    },
    /// A newer connection of the same player has taken the seat. This one can only watch.
    Superseded {
        /// The game.
        game: GameId,
    },
    /// A player in one of the client's games said something. Only the two players receive it.
    Said {
        /// The game.
        game: GameId,
        /// The side that spoke.
        side: Side,
        /// What they said.
        said: Said,
    },
    /// One of the client's rated games has changed both ratings.
    Rated {
        /// The change.
        change: RatingChange,
    },
    /// A game can no longer be played because its log is damaged. Other games go on.
    GameUnavailable {
        /// The game.
        game: GameId,
        /// Why, as a stable code for programs: `game_quarantined`. Servers of version 0.1 do not
        /// send it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// An explanation for people.
        message: String,
        /// The id of the request to open the game. Absent if the damage was found later, and from
        /// servers of version 0.1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The server has lost its store or has it back. Without the store, commands are refused. Open
    /// games stay visible.
    StoreState {
        /// True if the server reaches its store. Assume true until told otherwise.
        available: bool,
    },
    /// Another player has addressed a challenge to this player. It stays in `/api/me/challenges`
    /// until it is answered.
    Challenged {
        /// The challenge.
        invitation: Invitation,
    },
    /// The client's own challenge was accepted or declined.
    ChallengeAnswered {
        /// The code of the challenge.
        challenge: String,
        /// The player who answered.
        by: Player,
        /// True if it was accepted. Then `game_started` follows.
        accepted: bool,
    },
    /// A challenge that was addressed to this player is no longer open: it was withdrawn, or
    /// someone else accepted it.
    ChallengeGone {
        /// The code of the challenge.
        challenge: String,
        /// The player who made it.
        challenger: Player,
    },
    /// Asks for a `pong` with the same id.
    Ping {
        /// The id of the ping.
        id: u64,
        /// The server's time, in milliseconds since 1970.
        server_time: u64,
        /// The current sequence numbers of the client's open games. A client that is behind opens
        /// the game again.
        heads: Vec<GameHead>,
        /// The player's state in the pool. Absent if they are not waiting.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pool: Option<PoolStatus>,
    },
}

/// Why a game was aborted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Abort {
    /// The side that aborted the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_off_by: Option<Side>,
    /// The sides that did not deploy in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_deployed: Vec<Side>,
}

impl Abort {
    /// True if this side caused the abort. A player of the pool who did not goes back to its front.
    pub fn is_by(&self, side: Side) -> bool {
        self.called_off_by == Some(side) || self.not_deployed.contains(&side)
    }
}

/// The state of a player who waits in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PoolStatus {
    /// When they entered, in milliseconds since 1970.
    pub since: u64,
    /// The ratings of opponents they can be paired with now, for opponents who have just entered
    /// and whose rating is as uncertain. The range grows with the time waited. Absent if the games
    /// have no rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RatingRange>,
    /// How many players wait for the same game, including this one.
    pub waiting: u32,
}

/// The outcome of an accepted command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Accepted {
    /// A game command was carried out.
    Game {
        /// The game.
        game: GameId,
        /// The sequence number of its last event that this client may see.
        seq: u64,
    },
    /// A game was made in which the sender has a seat.
    Started {
        /// The game.
        game: GameId,
        /// The side that the sender plays.
        side: Side,
    },
    /// A seek is open.
    Seek {
        /// The id of the seek.
        seek: String,
    },
    /// A challenge is open.
    Challenge {
        /// The code of the challenge. Anyone who has it may accept.
        challenge: String,
        /// When the challenge expires, in milliseconds since 1970.
        expires: u64,
    },
    /// Done. There is nothing more to report.
    Done {},
}

/// Whether a player is at the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Connected, with the game open.
    Present,
    /// The connection closed a moment ago.
    Reconnecting,
    /// Gone for half a minute or more, or never came.
    #[default]
    Away,
}

/// A game in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameSummary {
    /// The game's id.
    pub id: GameId,
    /// The terms.
    pub terms: Terms,
    /// The players.
    pub players: PerSide<Player>,
    /// When the game was made, in milliseconds since 1970.
    pub created: u64,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Turns taken so far.
    pub ply: u16,
    /// Whose turn it is, while the game is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// How the game ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
}

/// An open seek.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Seek {
    /// The id of the seek.
    pub id: String,
    /// The player who made it.
    pub seeker: Player,
    /// What to play.
    pub terms: Terms,
    /// The side that the seeker wants. Without one, it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Which ratings may accept. Without one, any player may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// The seeker's own rating for such games when they opened the seek. Absent for guests and for
    /// games without ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeker_rating: Option<RatingPoint>,
}

/// A game and its current sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameHead {
    /// The game.
    pub game: GameId,
    /// The sequence number for this client.
    pub seq: u64,
}

/// A ruleset, as `/api/rulesets` lists it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetInfo {
    /// The ruleset's id.
    pub id: String,
    /// The name for people.
    pub title: String,
    /// A summary in one sentence.
    pub summary: String,
    /// Its rules as data.
    #[serde(flatten)]
    pub rules: RulesetData,
    /// What a custom game may change.
    pub options: Vec<RuleOptionInfo>,
}

/// A rule that a custom game may change: in `classic,ties=attacker`, the ruleset is `classic` and
/// its option `ties` is set to `attacker`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleOptionInfo {
    /// The name of the option.
    pub name: String,
    /// The value in the unchanged ruleset. Leave it out when you offer a game.
    pub value: String,
    /// The possible values.
    pub values: Vec<RuleValueInfo>,
}

/// A value of an option.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleValueInfo {
    /// The name of the value.
    pub name: String,
    /// The meaning, for people.
    pub meaning: String,
}
