use std::fmt;
use std::str::FromStr;

use flagfall_board::{ChipColor, GameId, Ply, Rank, Side, Sign, Square};
use flagfall_rules::{Choice, Claim, Command, MoveCommand, Placing, Refusal, Ruleset, Setup, TimeControl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chat::Said;
use crate::rating_range::RatingWish;
use crate::secret::Secret;
use crate::text::MoveText;

/// What a client may send. Unknown fields are refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientToServer {
    /// The first message of every connection, within ten seconds.
    Hello {
        /// [`crate::PROTOCOL_VERSION`].
        protocol: u32,
        /// The token of an earlier welcome; without one the client becomes a new guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The name a new guest wants: 2 to 20 letters, digits, `-` and `_`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The program and its version, for the operator's log; at most 64 characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
    },
    /// The answer to a ping.
    Pong {
        /// The ping's number.
        id: u64,
    },
    /// Asks for the open seeks and the public games, and for changes of the seeks from now on.
    OpenLobby {},
    /// No more news from the lobby.
    CloseLobby {},
    /// Offers a game to anybody. A player has a few seeks at most; they go when he leaves.
    Seek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// What is offered.
        terms: Terms,
        /// The side the seeker wants; chance decides without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// Whose ratings it is for; everybody's without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rating: Option<RatingWish>,
    },
    /// Takes a seek back.
    CancelSeek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// Which.
        seek: String,
    },
    /// Accepts somebody's seek: the game starts.
    AcceptSeek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// Which.
        seek: String,
        /// Whether the acceptor's deployment and the full record stay private after the end.
        #[serde(default)]
        secret: bool,
    },
    /// Offers a game to whoever has the code that comes back. It expires after a day.
    Challenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// What is offered.
        terms: Terms,
        /// The side the challenger wants; chance decides without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
    },
    /// Takes a challenge back.
    CancelChallenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// Its code.
        challenge: String,
    },
    /// Asks what a challenge offers, before accepting it.
    ShowChallenge {
        /// Its code.
        challenge: String,
    },
    /// Accepts a challenge: the game starts.
    AcceptChallenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// Its code.
        challenge: String,
        /// Whether the acceptor's deployment and the full record stay private after the end.
        #[serde(default)]
        secret: bool,
    },
    /// Starts a game against a house player.
    PlayBot {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// Its level: `random`.
        bot: String,
        /// What is played.
        terms: Terms,
        /// The side the client wants; chance decides without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
    },
    /// Waits in the pool to be paired with somebody of about the same strength who waits for the same. The game starts by itself.
    EnterPool {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// What is played; pairing decides the sides.
        terms: Terms,
    },
    /// Waits in the pool no longer.
    LeavePool {
        /// The client's id for this command.
        cmd_id: CommandId,
    },
    /// Offers another game with sides swapped after one has ended; starts it when the other side has offered too.
    Rematch {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The game that ended.
        game: GameId,
    },
    /// Opens a game: as a player on one's own seat, or else as a spectator. The answer is `game`, then its events follow.
    OpenGame {
        /// Which.
        game: GameId,
        /// What the client has seen already; the events since come along, for the animation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Position>,
    },
    /// No more news from a game.
    CloseGame {
        /// Which.
        game: GameId,
    },
    /// A command to a game in which the client has a seat.
    Command {
        /// The client's id for this command. Repeating an accepted one, over any connection, returns its outcome again.
        cmd_id: CommandId,
        /// Which game.
        game: GameId,
        /// The ply the command is made at; refused as stale when the game has moved on.
        ply: Ply,
        /// The epoch of the view the command is made in, as `game` told it. In a later epoch it is refused as stale, unless it is a deployment or was
        /// accepted before: its player has seen moves that are lost. Without one nobody can tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<u64>,
        /// What is asked.
        command: GameCommand,
    },
    /// Says something to the opponent in a game, also after its end. Nobody else reads it, and it is kept nowhere.
    Say {
        /// The client's id for this message.
        cmd_id: CommandId,
        /// Which game.
        game: GameId,
        /// What is said.
        said: Said,
    },
    /// Tells the operators of the server what the opponent did in a game: once for each game, ten times a day.
    Report {
        /// The client's id for this message.
        cmd_id: CommandId,
        /// Which game.
        game: GameId,
        /// What happened, in 1 to 300 characters.
        reason: String,
    },
    /// Asks for the client's own running games.
    MyGames {},
}

/// What a player may ask of a game.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameCommand {
    /// Hands a deployment in, or another one while the other side is not ready.
    Deploy {
        /// The text of §P4: the row nearest the enemy first, each row from the player's own left to right.
        setup: String,
    },
    /// A ply.
    Move {
        /// From and to, as in `a4a5`.
        #[serde(rename = "move")]
        squares: MoveText,
        /// Which of two paths along a joined line: `+` over rows or columns counting up, `-` counting down; the shorter legal one without it (§S2.7).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Sign>,
        /// The color of the chip to lay where the piece lands, in rulesets with chips; not with a flash (§S2.3, §S3.2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// A ply: takes one of one's own pieces off the board into the reserve (§S1.5).
    Remove {
        /// Where it stands.
        square: Square,
    },
    /// A ply: brings a piece of the reserve onto one's own home rows (§S1.5).
    Place {
        /// Where to.
        square: Square,
        /// What.
        rank: Rank,
        /// Whether a labeled one (§S2.1).
        #[serde(default, skip_serializing_if = "is_false")]
        labeled: bool,
        /// The color of the chip to lay there, in rulesets with chips.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// Names the color of the chip one owes (§S2.4).
    Color {
        /// Which.
        color: ChipColor,
    },
    /// Names the piece of the pool that one's struck coin is (§Q4). Once taken it is final.
    Choose {
        /// Which.
        rank: Rank,
    },
    /// Offers a draw, or accepts the other side's offer.
    OfferDraw {},
    /// Accepts the other side's offer.
    AcceptDraw {},
    /// Declines the other side's offer.
    DeclineDraw {},
    /// Gives up.
    Resign {},
    /// Calls the game off, before one's own first ply.
    Abort {},
    /// Claims a game that the other side has left: from the moment on that its presence names, refused before.
    Claim {
        /// As what.
        result: ClaimedResult,
    },
}

/// What is claimed of a game that the other side has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimedResult {
    /// A win.
    Win,
    /// A draw.
    Draw,
}

impl From<ClaimedResult> for Claim {
    fn from(result: ClaimedResult) -> Claim {
        match result {
            ClaimedResult::Win => Claim::Win,
            ClaimedResult::Draw => Claim::Draw,
        }
    }
}

impl From<Claim> for ClaimedResult {
    fn from(claim: Claim) -> ClaimedResult {
        match claim {
            Claim::Win => ClaimedResult::Win,
            Claim::Draw => ClaimedResult::Draw,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

impl From<MoveCommand> for GameCommand {
    fn from(asked: MoveCommand) -> GameCommand {
        let MoveCommand { squares, path, color } = asked;
        GameCommand::Move { squares: MoveText(squares), path, color }
    }
}

impl From<MoveText> for GameCommand {
    fn from(squares: MoveText) -> GameCommand {
        MoveCommand::from(squares.0).into()
    }
}

impl GameCommand {
    /// A command of the board as a message; none for a deployment, whose text is its owner's to give.
    #[must_use]
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
            Command::Claim(claim) => GameCommand::Claim { result: (*claim).into() },
        })
    }

    /// The command as the engine judges it: a setup's text is read as this side's, by this ruleset.
    ///
    /// # Errors
    /// [`Refusal::Setup`] when the text of a setup has too few characters, too many, or one that stands for no piece.
    pub fn to_command(&self, side: Side, ruleset: &Ruleset) -> Result<Command, Refusal> {
        Ok(match self {
            GameCommand::Deploy { setup } => Command::Deploy(Setup::from_text(setup, side, ruleset)?),
            GameCommand::Move { squares, path, color } => {
                Command::Move(MoveCommand { squares: squares.0, path: *path, color: *color })
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
            GameCommand::Claim { result } => Command::Claim((*result).into()),
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

/// What a game is played by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The ruleset's id; a custom game's with its changes: `classic,ties=attacker,quiet=off`.
    pub ruleset: String,
    /// The clock.
    pub time: Time,
    /// Whether only the two players see the game.
    #[serde(default)]
    pub private: bool,
    /// Whether the offering player's deployment and the full record stay private after the end.
    #[serde(default)]
    pub secret: bool,
    /// Whether the game changes the ratings of its players: between accounts or between bots, with a clock, by a ruleset as it is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rated: bool,
}

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A game's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Time {
    /// No clock.
    Unlimited {},
    /// Base time and increment per own ply.
    Fischer {
        /// Base time in seconds, 10 to 86,400.
        base_s: u32,
        /// Increment in seconds, 0 to 3,600.
        increment_s: u32,
    },
    /// Base time, and the first seconds of every own turn free; what is not used of them is lost.
    Delay {
        /// Base time in seconds, 10 to 86,400.
        base_s: u32,
        /// Free seconds of a turn, 1 to 3,600.
        free_s: u32,
    },
    /// So many days for every own ply, and for the deployment.
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

    /// Whether it lies within the bounds.
    #[must_use]
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

    /// Whether what the network takes of the time is given back: where seconds count.
    #[must_use]
    pub fn gives_lag_back(&self) -> bool {
        match self {
            Time::Fischer { .. } | Time::Delay { .. } => true,
            Time::Unlimited {} | Time::Correspondence { .. } => false,
        }
    }

    /// Time for the deployment in milliseconds, where everybody else has this long: days where a ply has days.
    #[must_use]
    pub fn deploy_ms(&self, otherwise_ms: u64) -> u64 {
        match self {
            Time::Correspondence { days } => u64::from(*days) * DAY_MS,
            Time::Unlimited {} | Time::Fischer { .. } | Time::Delay { .. } => otherwise_ms,
        }
    }
}

/// What a client has seen of a game: `seq` counts what its audience was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The epoch the server told with the game.
    pub epoch: u64,
    /// The last number seen.
    pub seq: u64,
}

/// A client-made id of a command: 1 to 36 letters, digits, `-` and `_`; a UUID fits.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CommandId(String);

/// A text that is no command id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a command id has 1 to 36 letters, digits, - and _")]
pub struct CommandIdError;

impl CommandId {
    /// The id's characters.
    #[must_use]
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

impl From<CommandId> for String {
    fn from(id: CommandId) -> String {
        id.0
    }
}
