use std::fmt;
use std::str::FromStr;

use flagfall_board::{ChipColor, GameId, Ply, Rank, Side, Sign, Square};
use flagfall_rules::{Choice, Command, MoveCommand, Placing, Refusal, Ruleset, Setup, TimeControl};
use flagfall_view::{Claim, Move};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use crate::chat::Said;
use crate::rating_range::RatingWish;
use crate::secret::Secret;

/// A message from a client. Unknown fields are refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantNames)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum ClientToServer {
    /// The first message of every connection. It must come within ten seconds.
    Hello {
        /// The protocol version, 1.
        protocol: u32,
        /// The token from an earlier `welcome`. Without one, the client becomes a new guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The name that a new guest would like: 2 to 20 letters, digits, `-` and `_`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The client program and its version, for the operator's log. At most 64 characters are
        /// kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
        /// True for a page in a browser: without a `token`, the client is the player of the
        /// session cookie that the browser sent with the connection. Without a valid one it is
        /// anonymous.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        session: bool,
    },
    /// The answer to a `ping`.
    Pong {
        /// The `id` of the ping.
        id: u64,
    },
    /// Asks for the open seeks and the running public games, and for updates from now on.
    OpenLobby {},
    /// Ends the updates from the lobby.
    CloseLobby {},
    /// Offers a game to anyone. A player can have three open seeks. A seek closes soon after its
    /// player's last connection does.
    Seek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// What to play.
        terms: Terms,
        /// The side that the seeker wants. Without one, it is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// Which ratings may accept. Without one, any player may.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rating: Option<RatingWish>,
    },
    /// Withdraws a seek.
    CancelSeek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The id of the seek.
        seek: String,
    },
    /// Accepts a seek. The game starts.
    AcceptSeek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The id of the seek.
        seek: String,
        /// True to keep the acceptor's deployment and the full record private after the end.
        #[serde(default)]
        secret: bool,
    },
    /// Offers a game to the person who is given the code in the answer. It expires after a day.
    Challenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// What to play.
        terms: Terms,
        /// The side that the challenger wants. Without one, it is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
    },
    /// Withdraws a challenge.
    CancelChallenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The code of the challenge.
        challenge: String,
    },
    /// Asks what a challenge offers, before accepting it. The answer is `challenge`.
    ShowChallenge {
        /// The code of the challenge.
        challenge: String,
    },
    /// Accepts a challenge. The game starts.
    AcceptChallenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The code of the challenge.
        challenge: String,
        /// True to keep the acceptor's deployment and the full record private after the end.
        #[serde(default)]
        secret: bool,
    },
    /// Starts a game against a house player.
    PlayBot {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The level of the house player: `random`, `simple` or `good`.
        bot: String,
        /// What to play.
        terms: Terms,
        /// The side that the client wants. Without one, it is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
    },
    /// Enters the pool: the server pairs players of similar strength who want the same game, and
    /// starts it.
    EnterPool {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// What to play. The server decides the sides.
        terms: Terms,
    },
    /// Leaves the pool.
    LeavePool {
        /// The client's id for this command.
        cmd_id: CommandId,
    },
    /// Offers another game with the sides swapped, after a game has ended. It starts when both
    /// players have offered.
    Rematch {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The game that ended.
        game: GameId,
    },
    /// Opens a game: as a player with a seat in it, or else as a spectator. The answer is `game`.
    /// Events follow.
    OpenGame {
        /// The game.
        game: GameId,
        /// What the client has seen already. The answer then includes the events since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Position>,
    },
    /// Ends the updates from a game.
    CloseGame {
        /// The game.
        game: GameId,
    },
    /// A command in a game in which the client has a seat.
    Command {
        /// The client's id for this command. Repeating an accepted command, over any connection,
        /// returns its outcome again.
        cmd_id: CommandId,
        /// The game.
        game: GameId,
        /// The ply at which the command is made. It is refused as `stale_ply` once the game has
        /// moved on.
        ply: Ply,
        /// The epoch of the view in which the command is made. Send it. In a later epoch the
        /// command is refused as `stale_epoch`, unless it is a deployment or was accepted before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<u64>,
        /// The command itself.
        command: GameCommand,
    },
    /// Says something to the opponent, during a game or after it. No one else reads it, and it is
    /// not stored.
    Say {
        /// The client's id for this message.
        cmd_id: CommandId,
        /// The game.
        game: GameId,
        /// What to say.
        said: Said,
    },
    /// Reports the opponent's behavior in a game to the operators of the server: once for each
    /// game, ten times a day.
    Report {
        /// The client's id for this message.
        cmd_id: CommandId,
        /// The game.
        game: GameId,
        /// What happened, in 1 to 300 characters.
        reason: String,
    },
    /// Asks for the client's own running games.
    MyGames {},
}

/// A command in a game.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameCommand {
    /// Hands in a deployment. It can be replaced until both sides are ready.
    Deploy {
        /// The deployment: a character for each home square, the row nearest the enemy first, each
        /// row from the player's own left to right.
        setup: String,
    },
    /// Takes a turn: moves a piece, or strikes.
    Move {
        /// From and to, as in `a4a5`.
        #[serde(rename = "move")]
        squares: Move,
        /// Which of two paths to take where lines join at the board's edges: `+` toward higher rows
        /// or columns, `-` toward lower ones. Without it, the shorter legal path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Sign>,
        /// The color of the chip to lay on the target square. Required in rulesets with chips,
        /// except for a flash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// Takes a turn: moves one of the player's own pieces from the board to the reserve.
    Remove {
        /// The square of the piece.
        square: Square,
    },
    /// Takes a turn: brings a piece from the reserve onto the player's own home rows.
    Place {
        /// The target square.
        square: Square,
        /// The rank of the piece.
        rank: Rank,
        /// True to place a labeled piece.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        labeled: bool,
        /// The color of the chip to lay there. Required in rulesets with chips.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// Names the color of the chip that the player owes.
    Color {
        /// The color.
        color: ChipColor,
    },
    /// Names the rank of the player's own coin in the pending strike. The choice is final.
    Choose {
        /// The rank.
        rank: Rank,
    },
    /// Offers a draw, or accepts the opponent's offer.
    OfferDraw {},
    /// Accepts the opponent's draw offer.
    AcceptDraw {},
    /// Declines the opponent's draw offer.
    DeclineDraw {},
    /// Resigns.
    Resign {},
    /// Aborts the game, before the player's own first turn.
    Abort {},
    /// Claims a game that the opponent has left. It is refused before the time in `claimable`.
    Claim {
        /// What is claimed.
        result: Claim,
    },
}

impl From<MoveCommand> for GameCommand {
    fn from(asked: MoveCommand) -> GameCommand {
        let MoveCommand { squares, path, color } = asked;
        GameCommand::Move { squares, path, color }
    }
}

impl From<Move> for GameCommand {
    fn from(squares: Move) -> GameCommand {
        MoveCommand::from(squares).into()
    }
}

impl GameCommand {
    /// The message for a board command. `None` for a deployment, whose text comes from its owner.
    pub fn from_command(command: &Command) -> Option<GameCommand> {
        Some(match command {
            Command::Deploy(_) => return None,
            Command::Move(asked) => (*asked).into(),
            Command::Remove(square) => GameCommand::Remove { square: *square },
            Command::Place(Placing { square, rank, is_labeled, color }) => {
                GameCommand::Place { square: *square, rank: *rank, labeled: *is_labeled, color: *color }
            }
            Command::Color(color) => GameCommand::Color { color: *color },
            Command::Choose(Choice(rank)) => GameCommand::Choose { rank: *rank },
            Command::OfferDraw => GameCommand::OfferDraw {},
            Command::AcceptDraw => GameCommand::AcceptDraw {},
            Command::DeclineDraw => GameCommand::DeclineDraw {},
            Command::Resign => GameCommand::Resign {},
            Command::Abort => GameCommand::Abort {},
            Command::Claim(claim) => GameCommand::Claim { result: *claim },
        })
    }

    /// The command for the engine. The text of a setup is read for this side and ruleset.
    ///
    /// # Errors
    /// [`Refusal::Setup`] if the setup's text has the wrong length or a character that stands for
    /// no piece.
    pub fn to_command(&self, side: Side, ruleset: &Ruleset) -> Result<Command, Refusal> {
        Ok(match self {
            GameCommand::Deploy { setup } => Command::Deploy(Setup::from_text(setup, side, ruleset)?),
            GameCommand::Move { squares, path, color } => {
                Command::Move(MoveCommand { squares: *squares, path: *path, color: *color })
            }
            GameCommand::Remove { square } => Command::Remove(*square),
            GameCommand::Place { square, rank, labeled, color } => {
                Command::Place(Placing { square: *square, rank: *rank, is_labeled: *labeled, color: *color })
            }
            GameCommand::Color { color } => Command::Color(*color),
            GameCommand::Choose { rank } => Command::Choose(Choice(*rank)),
            GameCommand::OfferDraw {} => Command::OfferDraw,
            GameCommand::AcceptDraw {} => Command::AcceptDraw,
            GameCommand::DeclineDraw {} => Command::DeclineDraw,
            GameCommand::Resign {} => Command::Resign,
            GameCommand::Abort {} => Command::Abort,
            GameCommand::Claim { result } => Command::Claim(*result),
        })
    }
}

impl fmt::Debug for GameCommand {
    /// Names the kind; shows no setup, no rank and no color.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameCommand::Deploy { setup: _ } => f.write_str("Deploy(hidden)"),
            GameCommand::Move { squares, path: _, color: _ } => write!(f, "Move({squares})"),
            GameCommand::Remove { square } => write!(f, "Remove({square})"),
            GameCommand::Place { square, rank: _, labeled: _, color: _ } => write!(f, "Place({square})"),
            GameCommand::Color { color: _ } => f.write_str("Color"),
            GameCommand::Choose { rank: _ } => f.write_str("Choose(hidden)"),
            GameCommand::OfferDraw {} => f.write_str("OfferDraw"),
            GameCommand::AcceptDraw {} => f.write_str("AcceptDraw"),
            GameCommand::DeclineDraw {} => f.write_str("DeclineDraw"),
            GameCommand::Resign {} => f.write_str("Resign"),
            GameCommand::Abort {} => f.write_str("Abort"),
            GameCommand::Claim { result } => write!(f, "Claim({result:?})"),
        }
    }
}

/// The terms of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The ruleset's id. A custom game adds its changes: `classic,ties=attacker,quiet=off`.
    pub ruleset: String,
    /// The time control.
    pub time: Time,
    /// True if only the two players may see the game.
    #[serde(default)]
    pub private: bool,
    /// True to keep the offering player's deployment and the full record private after the end.
    #[serde(default)]
    pub secret: bool,
    /// True if the game changes ratings. That takes two accounts or two bots, a clock, and a
    /// ruleset without changes.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub rated: bool,
}

impl Terms {
    /// The terms of an open casual game that keeps nothing secret.
    pub fn casual(ruleset: &Ruleset, time: Time) -> Terms {
        Terms { ruleset: ruleset.id.to_owned(), time, private: false, secret: false, rated: false }
    }
}

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The time control of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Time {
    /// No clock.
    Unlimited {},
    /// Base time, with an increment for each of the player's own turns.
    Fischer {
        /// Base time in seconds, 10 to 86,400.
        base_s: u32,
        /// Increment in seconds, 0 to 3,600.
        increment_s: u32,
    },
    /// Base time, with a delay: the first seconds of every turn are free. Unused free time is lost.
    Delay {
        /// Base time in seconds, 10 to 86,400.
        base_s: u32,
        /// Free seconds in each turn, 1 to 3,600.
        free_s: u32,
    },
    /// Days for each turn, and for the deployment.
    Correspondence {
        /// Days, 1 to 14.
        days: u32,
    },
}

impl From<Time> for TimeControl {
    fn from(time: Time) -> TimeControl {
        match time {
            Time::Unlimited {} => TimeControl::Unlimited,
            Time::Fischer { base_s, increment_s } => TimeControl::Fischer {
                base_ms: u64::from(base_s) * 1000,
                increment_ms: u64::from(increment_s) * 1000,
            },
            Time::Delay { base_s, free_s } => {
                TimeControl::Delay { base_ms: u64::from(base_s) * 1000, free_ms: u64::from(free_s) * 1000 }
            }
            Time::Correspondence { days } => TimeControl::PerPly { ply_ms: u64::from(days) * DAY_MS },
        }
    }
}

impl Time {
    /// The base times that may be played, in seconds.
    pub const BASE_S: std::ops::RangeInclusive<u32> = 10..=86_400;
    /// The increments that may be played, in seconds.
    pub const INCREMENT_S: std::ops::RangeInclusive<u32> = 0..=3_600;
    /// The free times of a turn that may be played, in seconds.
    pub const FREE_S: std::ops::RangeInclusive<u32> = 1..=3_600;
    /// The days for a ply that may be played.
    pub const DAYS: std::ops::RangeInclusive<u32> = 1..=14;

    /// True if it lies within the bounds.
    pub fn is_allowed(&self) -> bool {
        match self {
            Time::Unlimited {} => true,
            Time::Fischer { base_s, increment_s } => {
                Time::BASE_S.contains(base_s) && Time::INCREMENT_S.contains(increment_s)
            }
            Time::Delay { base_s, free_s } => Time::BASE_S.contains(base_s) && Time::FREE_S.contains(free_s),
            Time::Correspondence { days } => Time::DAYS.contains(days),
        }
    }

    /// True if network delay is given back: in games where seconds count.
    pub fn gives_lag_back(&self) -> bool {
        match self {
            Time::Fischer { .. } | Time::Delay { .. } => true,
            Time::Unlimited {} | Time::Correspondence { .. } => false,
        }
    }

    /// Time for the deployment in milliseconds: the given time, or days where a ply has days.
    pub fn deploy_ms(&self, otherwise_ms: u64) -> u64 {
        match self {
            Time::Correspondence { days } => u64::from(*days) * DAY_MS,
            Time::Unlimited {} | Time::Fischer { .. } | Time::Delay { .. } => otherwise_ms,
        }
    }
}

/// How much of a game a client has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The epoch from `game`.
    pub epoch: u64,
    /// The last sequence number that the client has seen.
    pub seq: u64,
}

/// An id that the client makes for a command: 1 to 36 letters, digits, `-` and `_`. A UUID fits.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct CommandId(String);

/// A text that is no command id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a command id has 1 to 36 letters, digits, - and _")]
pub struct CommandIdError;

impl CommandId {
    /// The id's characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CommandId {
    type Err = CommandIdError;

    fn from_str(text: &str) -> Result<CommandId, CommandIdError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if (1..=36).contains(&text.len()) && text.bytes().all(is_allowed) {
            Ok(CommandId(text.to_owned()))
        } else {
            Err(CommandIdError)
        }
    }
}

impl TryFrom<String> for CommandId {
    type Error = CommandIdError;

    fn try_from(text: String) -> Result<CommandId, CommandIdError> {
        text.parse()
    }
}
