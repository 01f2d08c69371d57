use std::fmt;
use std::str::FromStr;

use flagfall_board::{ChipColor, GameId, Ply, Rank, Side, Sign, Square};
use flagfall_rules::{Choice, Command, MoveCommand, Placing, Refusal, Ruleset, Setup};
use flagfall_view::{Claim, Move};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumDiscriminants, IntoStaticStr, VariantNames};

use crate::chat::Said;
use crate::lobby::LobbyFilter;
use crate::rating_range::RatingWish;
use crate::secret::Secret;
use crate::terms::Terms;

/// A message from a client. The server refuses messages with unknown fields.
#[derive(
    Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, EnumDiscriminants, VariantNames,
)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
#[strum_discriminants(name(ClientMessage), derive(IntoStaticStr), strum(serialize_all = "snake_case"))]
#[strum_discriminants(doc = "The type of a [`ClientToServer`].", allow(missing_docs))]
pub enum ClientToServer {
    /// The first message of every connection. The client must send it within ten seconds.
    Hello {
        /// The version of the protocol, which is 1.
        protocol: u32,
        /// The token from an earlier `welcome`. If absent, the server creates a new guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
        /// The requested name for a new guest: 2 to 20 letters, digits, `-` and `_`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The name and version of the client program, for the operator's log. The server keeps
        /// at most 64 characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
        /// True for a page in a browser. If `token` is absent, the browser's session cookie then
        /// identifies the player. If there is no valid cookie either, the client is anonymous.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        session: bool,
    },
    /// The reply to a `ping`.
    Pong {
        /// The `id` of the ping.
        id: u64,
    },
    /// Asks for the open seeks and the running public games. From then on, the server also sends
    /// updates.
    OpenLobby {
        /// True for updates as `lobby_changed`. Otherwise, each update is a `lobby` with the
        /// complete lists. Only servers whose `welcome` has `lobby_changes` accept this field.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        changes: bool,
        /// The seeks to list. If absent, all seeks are listed. Only servers whose `welcome` has
        /// `lobby_changes` accept this field.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        filter: LobbyFilter,
    },
    /// Asks the server to stop sending lobby updates.
    CloseLobby {},
    /// Offers a game to anyone. A player can have three open seeks. A seek closes soon after the
    /// player's last connection closes.
    Seek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The terms of the game.
        terms: Terms,
        /// The side that the seeker wants. If absent, the server chooses it at random.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// The ratings with which a player may accept the seek. If absent, any player may accept
        /// it.
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
    /// Accepts a seek, which starts the game.
    AcceptSeek {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The id of the seek.
        seek: String,
        /// True if the player who accepts wants their deployment and the full record to stay
        /// private after the game.
        #[serde(default)]
        secret: bool,
    },
    /// Offers a game to anyone who has the code that the server returns. The challenge expires
    /// after a day.
    Challenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The terms of the game.
        terms: Terms,
        /// The side that the challenger wants. If absent, the server chooses it at random.
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
    /// Asks for the terms of a challenge before the player accepts it. The server answers with
    /// `challenge`.
    ShowChallenge {
        /// The code of the challenge.
        challenge: String,
    },
    /// Accepts a challenge, which starts the game.
    AcceptChallenge {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The code of the challenge.
        challenge: String,
        /// True if the player who accepts wants their deployment and the full record to stay
        /// private after the game.
        #[serde(default)]
        secret: bool,
    },
    /// Starts a game against a house player.
    PlayBot {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The level of the house player: `random`, `simple` or `good`.
        bot: String,
        /// The terms of the game.
        terms: Terms,
        /// The side that the client wants. If absent, the server chooses it at random.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
    },
    /// Enters the pool. The server pairs players of similar strength who want a game on the same
    /// terms, and starts their game.
    EnterPool {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The terms of the game that the player wants. The server chooses the sides.
        terms: Terms,
    },
    /// Leaves the pool.
    LeavePool {
        /// The client's id for this command.
        cmd_id: CommandId,
    },
    /// Offers a rematch with the sides swapped, after a game has ended. The new game starts when
    /// both players have offered a rematch.
    Rematch {
        /// The client's id for this command.
        cmd_id: CommandId,
        /// The game that ended.
        game: GameId,
    },
    /// Opens a game, as one of its players or as a spectator. The server answers with `game` and
    /// then sends the game's events.
    OpenGame {
        /// The game.
        game: GameId,
        /// The last event of the game that the client has seen. If present, the answer includes
        /// all later events.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<EventPosition>,
    },
    /// Closes a game. The server then stops sending the game's events.
    CloseGame {
        /// The game.
        game: GameId,
    },
    /// A command in a game in which the client is a player.
    Command {
        /// The client's id for this command. If the client repeats an accepted command with the
        /// same id, over any connection, the server returns the first outcome and does nothing
        /// else.
        cmd_id: CommandId,
        /// The game.
        game: GameId,
        /// The ply at which the client issued the command. If the game is at a different ply, the
        /// server refuses the command as `stale_ply`.
        ply: Ply,
        /// The epoch of the view on which the client based the command. Clients should send it.
        /// If the game's epoch is later, the server refuses the command as `stale_epoch`, unless
        /// the command is a deployment or was already accepted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<u64>,
        /// The command itself.
        command: GameCommand,
    },
    /// Sends a chat message to the opponent, during a game or after it. Only the two players
    /// receive the message, and the server does not store it.
    Say {
        /// The client's id for this message.
        cmd_id: CommandId,
        /// The game.
        game: GameId,
        /// The chat message.
        said: Said,
    },
    /// Reports the opponent's behavior in a game to the operators of the server. A player can
    /// report a game only once, and can report at most ten games a day.
    Report {
        /// The client's id for this message.
        cmd_id: CommandId,
        /// The game.
        game: GameId,
        /// A description of the opponent's behavior, in 1 to 300 characters.
        reason: String,
    },
    /// Asks for the player's running games.
    MyGames {},
}

/// A command in a game.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameCommand {
    /// Submits a deployment. The player can submit another one until both sides have deployed.
    Deploy {
        /// The deployment: one character for each home square, beginning with the row nearest the
        /// enemy. Within a row, the characters go from left to right as the player sees it.
        setup: String,
    },
    /// Takes a turn: moves a piece, which may strike an enemy piece.
    Move {
        /// The starting square and the target square, as in `a4a5`.
        #[serde(rename = "move")]
        squares: Move,
        /// The choice between two paths, on boards whose opposite edges are joined: `+` leads
        /// toward higher rows or columns, `-` toward lower ones. If absent, the piece takes the
        /// shorter legal path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Sign>,
        /// The color of the chip to lay on the target square. Required in rulesets with chips,
        /// unless the move is a flash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// Takes a turn: moves one of the player's pieces from the board to the reserve.
    Remove {
        /// The square of the piece.
        square: Square,
    },
    /// Takes a turn: moves a piece from the player's reserve to one of the player's home rows.
    Place {
        /// The target square.
        square: Square,
        /// The rank of the piece.
        rank: Rank,
        /// True to place a labeled piece.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        labeled: bool,
        /// The color of the chip to lay on the target square. Required in rulesets with chips.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// Chooses the color of a chip when the rules ask for it.
    Color {
        /// The color.
        color: ChipColor,
    },
    /// Chooses the rank of the player's coin in the pending strike. The choice is final.
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
    /// Aborts the game. Allowed until the player has taken their first turn.
    Abort {},
    /// Claims a result in a game that the opponent has left. Before the time given in the message
    /// `claimable`, the server refuses the claim.
    Claim {
        /// The claimed result.
        result: Claim,
    },
}

impl ClientToServer {
    /// Asks for the whole lobby, without the fields that older servers do not accept.
    pub const OPEN_LOBBY: ClientToServer = ClientToServer::OpenLobby {
        changes: false,
        filter: LobbyFilter { ruleset: None, speed: None, rated: None },
    };
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
    /// Converts an engine command to its message. Returns `None` for a deployment, because its
    /// message would need the setup's text.
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

    /// Converts the message to an engine command. Parses a setup's text for this side and
    /// ruleset.
    ///
    /// # Errors
    /// [`Refusal::Setup`] if the setup's text has the wrong length or an unknown character.
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
    /// Writes the kind of command and its squares. Setups, ranks and colors are left out because
    /// they are secret.
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

/// The last event of a game that a client has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPosition {
    /// The `epoch` of the message `game`.
    pub epoch: u64,
    /// The last sequence number that the client has seen.
    pub seq: u64,
}

/// An id that the client chooses for a command: 1 to 36 letters, digits, `-` and `_`. A UUID is a
/// valid id.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
#[schemars(with = "String")]
pub struct CommandId {
    /// The characters, followed by zeros. They need no allocation, because every move has an id.
    bytes: [u8; CommandId::LEN_MAX],
    length: u8,
}

/// The error for text that is not a valid command id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a command id has 1 to 36 letters, digits, - and _")]
pub struct CommandIdError;

impl CommandId {
    const LEN_MAX: usize = 36;

    /// The id's characters.
    pub fn as_str(&self) -> &str {
        let text = std::str::from_utf8(&self.bytes[..usize::from(self.length)]);
        text.unwrap_or_else(|_| unreachable!("ids are made of ASCII characters"))
    }
}

impl fmt::Debug for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommandId({})", self.as_str())
    }
}

impl Serialize for CommandId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CommandId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CommandId, D::Error> {
        flagfall_board::parse_text(deserializer, |error| error)
    }
}

impl FromStr for CommandId {
    type Err = CommandIdError;

    fn from_str(text: &str) -> Result<CommandId, CommandIdError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let mut bytes = [0; CommandId::LEN_MAX];
        let room = bytes.get_mut(..text.len()).filter(|room| !room.is_empty()).ok_or(CommandIdError)?;
        if !text.bytes().all(is_allowed) {
            return Err(CommandIdError);
        }
        room.copy_from_slice(text.as_bytes());
        Ok(CommandId { bytes, length: u8::try_from(text.len()).map_err(|_| CommandIdError)? })
    }
}
