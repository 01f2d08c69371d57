use flagfall_board::{GameId, PerSide, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, IntoStaticStr, VariantNames};

use crate::chat::Said;
use crate::client_to_server::CommandId;
use crate::code::Code;
use crate::invitation::Invitation;
use crate::lobby::{GameSummary, LobbyChange, Seek};
use crate::player::Player;
use crate::rating::RatingChange;
use crate::rating_range::RatingRange;
use crate::refusal::RefusalArgs;
use crate::ruleset_data::RulesetData;
use crate::secret::Secret;
use crate::terms::Terms;
use flagfall_view::{GameEvent, GameView, ViewChange, Viewer};

/// A message from the server. Clients must ignore unknown fields.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, EnumDiscriminants, VariantNames)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[strum_discriminants(name(ServerMessage), derive(IntoStaticStr), strum(serialize_all = "snake_case"))]
#[strum_discriminants(doc = "The type of a [`ServerToClient`].", allow(missing_docs))]
#[expect(clippy::large_enum_variant, reason = "a message is serialized where it is made; it does not travel")]
pub enum ServerToClient {
    /// The reply to `hello`.
    Welcome {
        /// The protocol version of the server.
        protocol: u32,
        /// The name and version of the server program.
        server: String,
        /// The player whose token the client sent, or the new guest. Absent for an anonymous
        /// client, which sent `session` without a valid session cookie. Such a client can only
        /// watch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Player>,
        /// The token of a new guest. The client should store it and keep it secret, because the
        /// server sends it only once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The server's time, in milliseconds since 1970. The clocks of games follow it.
        server_time: u64,
        /// The number of seconds that a player must be absent before the opponent can claim a
        /// short game. The time is halved if the player left on purpose, and it is longer in
        /// longer games. Correspondence games cannot be claimed. Servers of version 0.1 do not
        /// send this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim_seconds: Option<u64>,
        /// The player's running games.
        games: Vec<GameSummary>,
        /// The hash of the page that this server serves. Sent only to clients that sent
        /// `session`. If a client's page has a different hash, that page is out of date.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<String>,
        /// True if `/api/about` has text from the server's operator.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        about: bool,
        /// True if `open_lobby` may have `changes` and `filter`.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        lobby_changes: bool,
        /// The public address of the server's page, such as `https://play.example.org`. The page
        /// of a challenge is at `/challenge#CODE` below this address, and the page of a game is
        /// at `/game/ID`. Absent if the server has no page or does not know its public address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page_url: Option<String>,
    },
    /// A command was carried out, and its effects are stored.
    Accepted {
        /// The id of the command.
        cmd_id: CommandId,
        /// The outcome.
        outcome: Accepted,
    },
    /// A command or message was refused and changed nothing. However, after the codes
    /// `store_unavailable` and `stopping`, the command may have been carried out, so the client
    /// should repeat it with the same id.
    Refused {
        /// The id of the command, if it could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cmd_id: Option<CommandId>,
        /// The game that the refused message was about, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
        /// The reason for the refusal, as a stable code for programs.
        code: Code,
        /// The values that appear in `message`, such as a limit or a waiting time. With these
        /// values and the code, a client can compose its own message. Servers of version 0.1 do
        /// not send this field.
        #[serde(default, skip_serializing_if = "RefusalArgs::is_empty")]
        args: RefusalArgs,
        /// An explanation for people, with advice on what to do.
        message: String,
        /// The game's current sequence number for this client, if the refused message was about a
        /// game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
        /// The id of the request. Operators can use the id to find the request in the server's
        /// log. Servers of version 0.1 do not send this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The complete lobby. The server sends it again whenever the lobby changes, except to
    /// clients that asked for changes.
    Lobby {
        /// The open seeks, oldest first.
        seeks: Vec<Seek>,
        /// The most recently created public games that are still running.
        games: Vec<GameSummary>,
        /// The number of connected players.
        players_online: u32,
        /// The number of this state of the lobby, for clients that asked for changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
    },
    /// A change to the lobby, for clients that asked for changes. If `number` is not one more than
    /// the number of the client's state, the client should send `open_lobby` again.
    LobbyChanged {
        /// The number of the state after the change.
        number: u64,
        /// The change.
        change: LobbyChange,
        /// The number of connected players.
        players_online: u32,
    },
    /// The terms of a challenge, in reply to `show_challenge`.
    Challenge {
        /// The code of the challenge.
        challenge: String,
        /// The player who made the challenge.
        challenger: Player,
        /// The terms of the game.
        terms: Terms,
        /// The side of the player who accepts the challenge. If absent, the server chooses the
        /// side at random.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        your_side: Option<Side>,
        /// The time at which the challenge expires, in milliseconds since 1970.
        expires: u64,
    },
    /// A game was created in which the client is a player.
    GameStarted {
        /// The game.
        game: GameSummary,
        /// The side that the client plays.
        side: Side,
    },
    /// The player's running games.
    MyGames {
        /// The games, newest first.
        games: Vec<GameSummary>,
    },
    /// A complete game, in reply to `open_game`. It contains only what this client may see.
    Game {
        /// The game.
        game: GameSummary,
        /// The audience that the client belongs to.
        audience: Viewer,
        /// True if this connection may send commands for the player. Only the newest connection
        /// on which a player has opened the game may do so.
        driving: bool,
        /// The epoch of the game's log. It changes when the store has lost events.
        epoch: u64,
        /// The sequence number of the last event that the view includes.
        seq: u64,
        /// The view of the game after the event `seq`.
        view: GameView,
        /// The events after the one that the client sent as `since`, oldest first. Empty if the
        /// client did not send `since`, or if the server has discarded these events.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<GameEvent>,
        /// Each player's presence.
        presence: PerSide<Presence>,
        /// For each player who is gone, true if they closed the game or the connection, and false
        /// if the connection was lost.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        left: PerSide<bool>,
        /// For each player who is gone, the time from which the opponent can claim the game, in
        /// milliseconds since 1970.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        claimable_at: PerSide<Option<u64>>,
        /// The sides that have offered a rematch.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rematch: Vec<Side>,
        /// The cause of the abort, if the game was aborted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abort: Option<Abort>,
    },
    /// An event in a game that the client has opened.
    Event {
        /// The game.
        game: GameId,
        /// The sequence number of the event. It is one more than the number of the previous
        /// event.
        seq: u64,
        /// The event in the game.
        event: GameEvent,
        /// The part of the view's change that cannot be derived from the event itself.
        change: ViewChange,
        /// The cause of the abort, if this event aborted the game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abort: Option<Abort>,
    },
    /// A player's presence in a game has changed.
    Presence {
        /// The game.
        game: GameId,
        /// The player.
        side: Side,
        /// The new presence of the player.
        presence: Presence,
        /// True if the player is gone because they closed the game or the connection.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        left: bool,
    },
    /// A player is gone, and the opponent can claim the game from the given time. If the opponent
    /// loses this right, the server sends the message without a time.
    Claimable {
        /// The game.
        game: GameId,
        /// The side that is gone.
        gone: Side,
        /// The time from which the opponent can claim the game, in milliseconds since 1970.
        /// Absent if they can no longer claim it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
    },
    /// A player has offered a rematch after the end of a game.
    RematchOffered {
        /// The game that has ended.
        game: GameId,
        /// The side that has offered the rematch.
        side: Side,
    },
    /// An offer of a rematch is no longer open: its player has left or is away, or the rematch
    /// could not be created.
    RematchWithdrawn {
        /// The game that has ended.
        game: GameId,
        /// The side that had offered the rematch.
        side: Side,
    },
    /// The same player has opened the game on a newer connection. The connection that receives
    /// this message can only watch from now on.
    Superseded {
        /// The game.
        game: GameId,
    },
    /// A chat message in one of the client's games. Only the two players receive it.
    Said {
        /// The game.
        game: GameId,
        /// The side that wrote the message.
        side: Side,
        /// The chat message.
        said: Said,
    },
    /// One of the client's rated games has changed both players' ratings.
    Rated {
        /// The game and the change in both ratings.
        change: RatingChange,
    },
    /// A game cannot be played on this server, because the game's log is damaged or was written
    /// by a newer version of the server. Other games are not affected.
    GameUnavailable {
        /// The game.
        game: GameId,
        /// The reason, as a stable code for programs: `game_quarantined` or `server_too_old`.
        /// Servers of version 0.1 do not send this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// An explanation for people.
        message: String,
        /// The id of the request that tried to open the game. Absent if the damage was found
        /// later. Servers of version 0.1 do not send this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The server has lost its connection to the store or has restored it. While the store is
    /// unreachable, the server refuses commands, but clients can still watch open games.
    StoreState {
        /// True if the server can reach its store. Until the first such message, clients should
        /// assume that it is true.
        available: bool,
        /// If present, the message is only about the part of the store that has this game. The
        /// game stands still while this part or the whole store is unreachable. Servers of version
        /// 0.1 do not send this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
    },
    /// Another player has addressed a challenge to this player. `/api/me/challenges` lists it
    /// until it is answered.
    Challenged {
        /// The challenge.
        invitation: Invitation,
    },
    /// A challenge that this player made was accepted or declined.
    ChallengeAnswered {
        /// The code of the challenge.
        challenge: String,
        /// The player who answered.
        by: Player,
        /// True if the challenge was accepted. In that case, `game_started` follows.
        accepted: bool,
    },
    /// A challenge that was addressed to this player is no longer open, because it was withdrawn,
    /// or someone else accepted or declined it.
    ChallengeGone {
        /// The code of the challenge.
        challenge: String,
        /// The player who made the challenge.
        challenger: Player,
        /// The reason: `taken` (someone else accepted it), `withdrawn` or `declined` (by someone
        /// else). Clients must also accept unknown reasons. Servers of version 0.1 do not send
        /// this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A check of the connection. The client must answer with a `pong` that has the same id.
    Ping {
        /// The id of the ping.
        id: u64,
        /// The server's time, in milliseconds since 1970. The clocks of games follow it.
        server_time: u64,
        /// The current sequence numbers of the games that the client has opened. A client that
        /// has missed events should open the game again.
        heads: Vec<GameHead>,
        /// The player's state in the pool. Absent if the player is not in the pool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pool: Option<PoolStatus>,
    },
}

/// The cause of an abort. It is empty if a game without a clock ended because nothing happened in
/// it for many days.
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
    /// True if this side caused the abort. If the game came from the pool, a player who did not
    /// cause the abort returns to the front of the pool.
    pub fn is_by(&self, side: Side) -> bool {
        self.called_off_by == Some(side) || self.not_deployed.contains(&side)
    }
}

/// The state of a player who waits in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PoolStatus {
    /// The time at which the player entered the pool, in milliseconds since 1970.
    pub since: u64,
    /// The ratings with which an opponent can currently be paired with this player. The range
    /// assumes that the opponent has just entered the pool and that both ratings are equally
    /// uncertain. It grows while the player waits. Absent if games on these terms have no
    /// ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RatingRange>,
    /// The number of players who wait for a game on the same terms, including this player.
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
        /// The sequence number of the command's last event that this client may see.
        seq: u64,
    },
    /// A game was created in which the sender is a player.
    Started {
        /// The game.
        game: GameId,
        /// The side that the sender plays.
        side: Side,
    },
    /// A seek was opened.
    Seek {
        /// The id of the seek.
        seek: String,
    },
    /// A challenge was opened.
    Challenge {
        /// The code of the challenge. Anyone who has the code can accept the challenge.
        challenge: String,
        /// The time at which the challenge expires, in milliseconds since 1970.
        expires: u64,
    },
    /// The command was carried out, and there is nothing else to report.
    Done {},
}

/// The presence of a player in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// The player is connected and has the game open.
    Present,
    /// The player's connection closed less than half a minute ago.
    Reconnecting,
    /// The player has been gone for half a minute or more, or was never connected.
    #[default]
    Away,
}

/// The id of a game, and the game's current sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameHead {
    /// The game.
    pub game: GameId,
    /// The game's current sequence number for this client.
    pub seq: u64,
}

/// A ruleset, as listed by `/api/rulesets`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetInfo {
    /// The ruleset's id.
    pub id: String,
    /// The ruleset's name for people.
    pub title: String,
    /// A summary of the ruleset in one sentence.
    pub summary: String,
    /// The rules as data.
    #[serde(flatten)]
    pub rules: RulesetData,
    /// The rules that a custom game may change.
    pub options: Vec<RuleOptionInfo>,
}

/// A rule that a custom game may change. For example, `classic,ties=attacker` is the ruleset
/// `classic` with its option `ties` set to `attacker`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleOptionInfo {
    /// The name of the option.
    pub name: String,
    /// The value of the option in the unchanged ruleset. The id of a custom game can leave this
    /// value out.
    pub value: String,
    /// The possible values.
    pub values: Vec<RuleValueInfo>,
}

/// A value of an option.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleValueInfo {
    /// The name of the value.
    pub name: String,
    /// The meaning of the value, for people.
    pub meaning: String,
}
