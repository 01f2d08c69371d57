//! What a table receives, and what it wants done.

use crate::reply::Opener;
use flagfall_base::cluster::Elsewhere;
use flagfall_base::delivery::ConnectionId;
use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{CommandId, Player, Refusal};
use flagfall_rules::View;
use flagfall_store::{Append, AppendOutcome, Head, Outage, StoreError, StoredEntry};

use super::command::{Asked, Done};
use crate::error::ReadFailure;
use crate::reply::Reply;

pub(crate) enum Input {
    Open(Opener),
    Close {
        connection: ConnectionId,
        /// True if the player said so. A dropped connection says nothing.
        is_on_purpose: bool,
    },
    Command(Box<Asked>),
    Rematch {
        reply: Reply,
        player: Player,
        cmd_id: CommandId,
    },
    /// The answer to [`Output::MakeRematch`].
    RematchMade(Result<GameId, Refusal>),
    /// The answer to [`Output::Append`].
    Appended(Result<AppendOutcome, StoreError>),
    /// The answer to [`Output::Read`].
    ReadOn(Result<Vec<StoredEntry>, ReadFailure>),
    /// The answer to [`Output::Search`].
    Searched {
        asked: Box<Asked>,
        found: Result<Option<Done>, ReadFailure>,
    },
    /// The log is said to reach at least this entry.
    Heard {
        seq: u64,
    },
    /// Announcements may have been missed: compare the replica with the log.
    Audit,
    /// The answer to [`Output::Look`]: where the log stands, and its entries after the number.
    Looked(Result<(Head, Vec<StoredEntry>), ReadFailure>),
    /// No server could write to the store for a while, although servers were running.
    Outage(Outage),
    /// The players' newest connections on other servers.
    Elsewhere(PerSide<Option<Elsewhere>>),
    /// The time that [`Table::wake_at`](super::Table::wake_at) named has come.
    Tick,
    /// A planned stop of the server.
    Stop {
        /// True if no other server continues the game; then its clocks stand still.
        is_last: bool,
    },
}

/// What a table wants done.
pub(crate) enum Output {
    /// Append this and answer with [`Input::Appended`].
    Append(Append),
    /// Read the entries after this number and answer with [`Input::ReadOn`].
    Read { after: u64 },
    /// Read where the log stands and its entries after this number; answer with [`Input::Looked`].
    Look { after: u64 },
    /// Search the log for the command and answer with [`Input::Searched`].
    Search { asked: Box<Asked> },
    /// A house player is to act.
    HouseTurn { side: Side, view: Box<View> },
    /// Make the rematch and answer with [`Input::RematchMade`].
    MakeRematch,
    /// The table has stopped: its pause is in the log, or could not be written.
    Stopped,
    /// The log has diverged from this replica: the table must close and be opened again in a new
    /// epoch.
    Diverged,
}
