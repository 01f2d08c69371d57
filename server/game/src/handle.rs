//! How other tasks reach a table.

use std::fmt;
use std::sync::Arc;

use flagfall_board::{GameId, Ply, Stamp};
use flagfall_protocol::{
    CommandId, GameCommand, GameRecord, GameSummary, GameView, Phase, Player, RecordScope, Viewer,
};
use flagfall_store::Head;
use tokio::sync::oneshot;

use super::error::TableError;
use super::facts::Facts;
use super::mailbox::Sender;
use super::record::RecordError;
use super::reply::Opener;
use super::reply::Reply;
use super::{record, search};
use flagfall_base::background::Background;
use flagfall_base::delivery::ConnectionId;
use flagfall_base::names::players_today;

pub enum TableInput {
    /// Open the game: the table answers on the outbox with the game, or a refusal.
    Open(Opener),
    /// The connection wants no more events, or is gone.
    Close {
        connection: ConnectionId,
        /// True if the player said so. A dropped connection says nothing.
        is_on_purpose: bool,
    },
    Command {
        reply: Reply,
        player: String,
        cmd_id: CommandId,
        ply: Ply,
        epoch: Option<u64>,
        command: GameCommand,
    },
    Rematch {
        reply: Reply,
        player: Player,
        cmd_id: CommandId,
    },
}

impl TableInput {
    pub fn into_cmd_id(self) -> Option<CommandId> {
        match self {
            TableInput::Command { cmd_id, .. } | TableInput::Rematch { cmd_id, .. } => Some(cmd_id),
            TableInput::Open(_) | TableInput::Close { .. } => None,
        }
    }
}

/// The table has left memory; find it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the table has left memory; find it again")]
pub struct TableGone;

pub(super) enum Message {
    Input(TableInput),
    Look {
        player: Option<String>,
        reply: oneshot::Sender<Option<(GameSummary, Viewer, GameView)>>,
    },
    Forecast {
        reply: oneshot::Sender<Forecast>,
    },
    Stop {
        is_last: bool,
        reply: oneshot::Sender<()>,
    },
    /// There is news in [`Facts`].
    Heard,
    Audit,
}

/// What a table expects to happen without a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Forecast {
    pub(super) flag: NoFlag,
    pub(super) awaits_house: bool,
}

/// The earliest time at which a game's flag may fall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoFlag {
    Before(Stamp),
    Ever,
    Over,
}

#[derive(Clone)]
pub struct TableHandle {
    /// Boxed, because a mailbox keeps capacity for a few.
    sender: Sender<Box<Message>>,
    pub(super) facts: Arc<Facts>,
}

impl TableHandle {
    pub(super) fn new(sender: Sender<Box<Message>>, facts: Arc<Facts>) -> TableHandle {
        TableHandle { sender, facts }
    }

    pub fn id(&self) -> GameId {
        self.facts.id
    }

    pub fn epoch(&self) -> u64 {
        self.facts.epoch
    }

    /// The head of the game's log after this entry. `None` if the log has no such entry, perhaps
    /// because it was lost.
    pub async fn head_at(&self, seq: u64) -> Result<Option<Head>, TableError> {
        Ok(search::head_at(&*self.facts.store, self.id(), seq).await?)
    }

    pub async fn send(&self, input: TableInput) -> Result<(), TableGone> {
        self.send_message(Message::Input(input)).await
    }

    /// Sends the table an input if its mailbox has room now; otherwise returns it.
    pub fn try_send(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.try_reserve() else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    /// Like [`TableHandle::send`], but returns an input that was not delivered.
    pub async fn hand(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.reserve().await else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    pub(super) async fn send_message(&self, message: Message) -> Result<(), TableGone> {
        self.sender.reserve().await.ok_or(TableGone)?.send(Box::new(message));
        Ok(())
    }

    /// Notes that the log is said to reach at least this entry.
    pub(super) fn hear(&self, seq: u64) {
        if self.facts.hear(seq) {
            self.wake_table();
        }
    }

    /// Notes that players have come to or left other servers.
    pub(super) fn note_seats(&self) {
        self.facts.note_seats();
        self.wake_table();
    }

    pub(super) fn wake_table(&self) {
        // A full mailbox keeps the table awake anyway, and it looks for news at every step.
        if let Some(room) = self.sender.try_reserve() {
            room.send(Box::new(Message::Heard));
        }
    }

    /// Number of the replica's last entry.
    pub(super) fn head(&self) -> u64 {
        self.facts.head()
    }

    pub async fn look(&self, player: Option<&str>) -> Result<(GameSummary, Viewer, GameView), TableError> {
        let (reply, answer) = oneshot::channel();
        let player = player.map(str::to_owned);
        self.send_message(Message::Look { player, reply }).await.map_err(|_| TableError::Failed)?;
        answer.await.map_err(|_| TableError::Failed)?.ok_or(TableError::NotFound)
    }

    /// What is due in the game without a command.
    pub(super) async fn forecast(&self) -> Result<Forecast, TableError> {
        let (reply, answer) = oneshot::channel();
        self.send_message(Message::Forecast { reply }).await.map_err(|_| TableError::Failed)?;
        answer.await.map_err(|_| TableError::Failed)
    }

    /// The game's record in a scope; without one, what the requester may know now.
    pub async fn record(
        &self,
        background: &Background,
        player: Option<&str>,
        scope: Option<RecordScope>,
    ) -> Result<GameRecord, RecordError> {
        // Read from the log, not from the table, so that a long read does not hold up the game.
        let viewer = self.facts.header.viewer(player).ok_or(TableError::NotFound)?;
        let stored = search::read_all(&*self.facts.store, self.id(), 0).await.map_err(TableError::from)?;
        // A long game takes milliseconds.
        let id = self.id();
        let make = move || match scope {
            Some(scope) => record::record_as(id, &stored, scope, viewer),
            None => record::record(id, &stored, viewer).map_err(RecordError::from),
        };
        let made = background.run(make).await;
        let mut record = made.map_err(|_| TableError::Unavailable)??;
        record.players = players_today(&*self.facts.store, &record.players).await;
        Ok(record)
    }

    pub fn summary(&self) -> GameSummary {
        self.facts.summary()
    }

    pub(super) fn phase(&self) -> Phase {
        self.facts.phase()
    }

    pub fn has_seat(&self, player: &str) -> bool {
        self.facts.header.side_of(player).is_some()
    }

    /// True if the game is still going on.
    pub fn is_running(&self) -> bool {
        self.facts.is_running()
    }
}

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableHandle({})", self.id())
    }
}
