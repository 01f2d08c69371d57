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
        /// The player that the client has logged in as.
        player: Player,
        /// The token of a new guest. Store it and keep it secret: the server sends it only once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The server's time, in milliseconds since 1970.
        server_time: u64,
        /// The number of seconds of absence after which the opponent can claim a short game. It
        /// is halved if the player left on purpose. Longer games have a longer wait, and
        /// correspondence games cannot be claimed. Servers of version 0.1 do not send this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim_seconds: Option<u64>,
        /// The player's running games.
        games: Vec<GameSummary>,
    },
    /// A command was carried out, and its effects are stored.
    Accepted {
        /// The id of the command.
        cmd_id: CommandId,
        /// The outcome.
        outcome: Accepted,
    },
    /// A command or message was refused and changed nothing. Two codes are exceptions: after
    /// `store_unavailable` or `stopping`, the command may have been carried out. Repeat it with
    /// the same id.
    Refused {
        /// The id of the command, if the message had a readable one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cmd_id: Option<CommandId>,
        /// The game, if the message was about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
        /// The reason, as a stable code for programs.
        code: Code,
        /// The values that the message mentions, such as a limit or a time to wait. A client can
        /// write its own text from them and the code. Servers of version 0.1 do not send them.
        #[serde(default, skip_serializing_if = "RefusalArgs::is_empty")]
        args: RefusalArgs,
        /// An explanation for people, with advice on what to do.
        message: String,
        /// The game's current sequence number for this client, if the message was about a game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
        /// The id of the request, which operators can find in the server's log. Servers of
        /// version 0.1 do not send it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The whole lobby. The server sends it again whenever the lobby changes.
    Lobby {
        /// The open seeks, oldest first.
        seeks: Vec<Seek>,
        /// The latest running public games.
        games: Vec<GameSummary>,
        /// How many players are connected.
        players_online: u32,
    },
    /// The terms of a challenge. The answer to `show_challenge`.
    Challenge {
        /// The code of the challenge.
        challenge: String,
        /// The player who made the challenge.
        challenger: Player,
        /// What to play.
        terms: Terms,
        /// The side of the player who accepts. If absent, the server chooses it at random.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        your_side: Option<Side>,
        /// When the challenge expires, in milliseconds since 1970.
        expires: u64,
    },
    /// A game was created, and the client is one of its players.
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
        /// The audience that the client belongs to.
        audience: Viewer,
        /// True if this connection may act for its player. Only the player's newest connection to
        /// the game may act.
        driving: bool,
        /// The epoch of the game's log. It changes if the store has lost events.
        epoch: u64,
        /// The sequence number of the last event in this view.
        seq: u64,
        /// The game at `seq`.
        view: GameView,
        /// The events since the position that the client named, oldest first. Empty if the client
        /// named no position or if the server has discarded those events.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<GameEvent>,
        /// The presence of each player.
        presence: PerSide<Presence>,
        /// True for a player who is gone because they closed the game or the connection. Otherwise
        /// the connection was lost.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        left: PerSide<bool>,
        /// When the opponent can claim the game because this player is gone, in milliseconds
        /// since 1970.
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
        /// The sequence number. It is one more than that of the previous event.
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
    /// A player is gone, and the opponent may claim the game from a certain time on. Also sent,
    /// without that time, when the opponent loses this right.
    Claimable {
        /// The game.
        game: GameId,
        /// The side that is gone.
        gone: Side,
        /// From when a claim is possible, in milliseconds since 1970. Absent if no claim is
        /// possible.
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
    /// A newer connection of the same player has taken over the game. This connection can only
    /// watch.
    Superseded {
        /// The game.
        game: GameId,
    },
    /// A chat message from a player in one of the client's games. Only the two players receive
    /// it.
    Said {
        /// The game.
        game: GameId,
        /// The side that spoke.
        side: Side,
        /// What they said.
        said: Said,
    },
    /// One of the client's rated games has changed both players' ratings.
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
        /// True if the server can reach its store. Assume true until the first such message.
        available: bool,
    },
    /// Another player has addressed a challenge to this player. The challenge stays in
    /// `/api/me/challenges` until it is answered.
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
        /// True if the challenge was accepted. In that case, `game_started` follows.
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
    /// True if this side caused the abort. A player who did not cause the abort of a pool game
    /// returns to the front of the pool.
    pub fn is_by(&self, side: Side) -> bool {
        self.called_off_by == Some(side) || self.not_deployed.contains(&side)
    }
}

/// The state of a player who waits in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PoolStatus {
    /// When they entered, in milliseconds since 1970.
    pub since: u64,
    /// The ratings of opponents that this player can be paired with now. The range applies to
    /// opponents who have just entered and whose rating is equally uncertain. It grows while the
    /// player waits. Absent if games on these terms have no ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RatingRange>,
    /// How many players wait for a game on the same terms, including this player.
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
    /// A game was created, and the sender is one of its players.
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
    /// The command was carried out, and there is nothing else to report.
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
    /// Gone for half a minute or more, or never connected.
    #[default]
    Away,
}

/// A summary of a game.
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
    /// The side that the seeker wants. If absent, the server chooses it at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The ratings of players who may accept. If absent, any player may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// The seeker's own rating for such games at the time they opened the seek. Absent for guests
    /// and for games without ratings.
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
