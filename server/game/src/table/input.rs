//! The inputs and outputs of a table.

use flagfall_base::cluster::Elsewhere;
use flagfall_base::delivery::{ConnectionId, Outbox};
use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{CommandId, Player, Refusal};
use flagfall_rules::View;
use flagfall_store::{Append, AppendOutcome, Head, Outage, StoreError, StoredEntry};

use super::command::{Asked, Done};
use crate::error::TableError;
use crate::reply::{Opener, Reply};

/// An input from a player.
pub enum TableInput {
    /// Opens the game. The table sends the game or a refusal to the outbox.
    Open(Opener),
    /// The connection wants no more events, or has ended.
    Close {
        connection: ConnectionId,
        /// True if the player announced that they are leaving. False if the connection dropped.
        is_on_purpose: bool,
    },
    Command(Box<Asked>),
    Rematch {
        reply: Reply,
        player: Player,
        cmd_id: CommandId,
    },
}

impl TableInput {
    pub fn into_cmd_id(self) -> Option<CommandId> {
        match self {
            TableInput::Command(asked) => Some(asked.cmd_id),
            TableInput::Rematch { cmd_id, .. } => Some(cmd_id),
            TableInput::Open(_) | TableInput::Close { .. } => None,
        }
    }

    /// Returns the outbox of the connection that waits for an answer.
    pub(crate) fn outbox(&self) -> Option<&Outbox> {
        match self {
            TableInput::Open(opener) => Some(&opener.outbox),
            TableInput::Command(asked) => asked.reply.outbox(),
            TableInput::Rematch { reply, .. } => reply.outbox(),
            TableInput::Close { .. } => None,
        }
    }
}

pub(crate) enum Input {
    Player(TableInput),
    /// A player has offered a rematch on another server.
    RematchOffered {
        side: Side,
    },
    /// The answer to [`Output::MakeRematch`].
    RematchMade(Result<GameId, Refusal>),
    /// The answer to [`Output::Append`].
    Appended(Result<AppendOutcome, StoreError>),
    /// The answer to [`Output::Read`].
    ReadOn(Result<Vec<StoredEntry>, TableError>),
    /// The answer to [`Output::Search`].
    Searched {
        asked: Box<Asked>,
        found: Result<Option<Done>, TableError>,
    },
    /// An announcement says that the log has at least this many entries.
    Heard {
        seq: u64,
    },
    /// Announcements may have been missed, so the table must compare the replica with the log.
    Audit,
    /// The answer to [`Output::Look`]: the log's head, and the entries after the requested
    /// number.
    Looked(Result<(Head, Vec<StoredEntry>), TableError>),
    /// No server could write to the store for a while, although servers were running.
    Outage(Outage),
    /// The players' newest connections to other servers.
    Elsewhere(PerSide<Option<Elsewhere>>),
    /// The time that [`Table::wake_at`](super::Table::wake_at) returned has come.
    Tick,
    /// The server is stopping as planned.
    Stop {
        /// True if no other server continues the game. In that case, the game's clocks are stopped.
        is_last: bool,
    },
}

/// A request of a table to its actor.
pub(crate) enum Output {
    /// Append these events and answer with [`Input::Appended`].
    Append(Append),
    /// Read the entries after this number and answer with [`Input::ReadOn`].
    Read { after: u64 },
    /// Read the log's head and the entries after this number, and answer with [`Input::Looked`].
    Look { after: u64 },
    /// Search the log for the command and answer with [`Input::Searched`].
    Search { asked: Box<Asked> },
    /// A house player has to act.
    HouseTurn { side: Side, view: Box<View> },
    /// Create the rematch and answer with [`Input::RematchMade`].
    MakeRematch,
    /// Tell the other servers that a player has offered a rematch.
    TellRematchOffered { side: Side },
    /// The table has stopped. Its pause is in the log, or could not be written.
    Stopped,
    /// The log has diverged from the replica, so the table must be opened again in a new epoch.
    Diverged,
}
