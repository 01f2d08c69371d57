//! The handle through which other tasks reach a table.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{GameRecord, GameSummary, GameView, Presence, RecordScope, Viewer};
use tokio::sync::oneshot;

use super::error::TableError;
use super::facts::Facts;
use super::mailbox::Sender;
use super::record::RecordError;
use super::table::TableInput;
use super::{record, search};
use flagfall_base::background::Background;
use flagfall_base::names::players_today;

pub(super) enum Message {
    Input(TableInput),
    Look {
        player: Option<String>,
        reply: oneshot::Sender<Option<(GameSummary, Viewer, GameView)>>,
    },
    /// Asks which players have the game open.
    Presence {
        reply: oneshot::Sender<PerSide<Presence>>,
    },
    /// Asks for the table's [`Forecast`]. The reply is `None` if the game is over.
    Forecast {
        reply: oneshot::Sender<Option<Forecast>>,
    },
    Stop {
        is_last: bool,
        reply: oneshot::Sender<()>,
    },
    /// Tells the table that there is news in [`Facts`].
    Heard,
    Audit,
}

/// What a table expects to happen without a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Forecast {
    /// The time before which the game does not end by itself.
    pub(super) flag: Option<Stamp>,
    pub(super) awaits_house: bool,
}

#[derive(Clone)]
pub struct TableHandle {
    /// Messages are boxed to keep them small, because a mailbox keeps capacity for a few
    /// messages.
    pub(super) sender: Sender<Box<Message>>,
    pub(super) facts: Arc<Facts>,
}

impl TableHandle {
    pub fn id(&self) -> GameId {
        self.facts.id
    }

    pub fn epoch(&self) -> u64 {
        self.facts.epoch
    }

    /// Sends an input to the table. Returns the input if the table has left memory. The caller
    /// must then find the game again.
    pub async fn send(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.reserve().await else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    /// Sends an input to the table if its mailbox has room, otherwise returns the input.
    pub fn try_send(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.try_reserve() else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    pub(super) async fn send_message(&self, message: Message) -> Result<(), TableError> {
        self.sender.reserve().await.ok_or(TableError::Failed)?.send(Box::new(message));
        Ok(())
    }

    /// Sends the table a message and waits for the reply.
    pub(super) async fn request<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, TableError> {
        let (reply, answer) = oneshot::channel();
        self.send_message(message(reply)).await?;
        answer.await.map_err(|_| TableError::Failed)
    }

    /// Records an announcement that the log has at least this many entries.
    pub(super) fn hear(&self, seq: u64) {
        if self.facts.hear(seq) {
            self.wake_table();
        }
    }

    /// Records that players have connected to other servers, or left them.
    pub(super) fn note_seats(&self) {
        self.facts.has_seat_news.store(true, Ordering::Relaxed);
        self.wake_table();
    }

    /// Records that a player has offered a rematch on another server.
    pub(super) fn note_rematch_offered(&self, side: Side) {
        self.facts.has_rematch_offer[side].store(true, Ordering::Relaxed);
        self.wake_table();
    }

    pub(super) fn wake_table(&self) {
        // If the mailbox is full, no message is needed, because a busy table checks for news at
        // every step.
        if let Some(room) = self.sender.try_reserve() {
            room.send(Box::new(Message::Heard));
        }
    }

    pub async fn look(&self, player: Option<&str>) -> Result<(GameSummary, Viewer, GameView), TableError> {
        let player = player.map(str::to_owned);
        self.request(|reply| Message::Look { player, reply }).await?.ok_or(TableError::NotFound)
    }

    /// Returns which players have the game open, on this server or another one.
    pub async fn presence(&self) -> Result<PerSide<Presence>, TableError> {
        self.request(|reply| Message::Presence { reply }).await
    }

    pub(super) async fn forecast(&self) -> Result<Option<Forecast>, TableError> {
        self.request(|reply| Message::Forecast { reply }).await
    }

    /// Returns the game's record in the given scope. Without a scope, the record contains
    /// everything that the requester is allowed to know now.
    pub async fn record(
        &self,
        background: &Background,
        player: Option<&str>,
        scope: Option<RecordScope>,
    ) -> Result<GameRecord, RecordError> {
        // Read the log directly instead of asking the table, so that a long read does not delay
        // the game.
        let viewer = self.facts.header.viewer(player).ok_or(TableError::NotFound)?;
        let stored = search::read_all(&*self.facts.store, self.id(), 0).await.map_err(TableError::from)?;
        if stored.is_empty() {
            // The game was erased after this table was opened.
            return Err(TableError::NotFound.into());
        }
        // Replaying a long game takes milliseconds, so do it in the background.
        let id = self.id();
        let make = move || match scope {
            Some(scope) => record::record_as(id, &stored, scope, viewer),
            None => record::record(id, &stored, viewer).map_err(RecordError::from),
        };
        let made = background.run(make).await;
        let mut record = made.map_err(|_| TableError::Unavailable)??;
        record.players = players_today(&*self.facts.store, &self.facts.header.players).await;
        Ok(record)
    }

    /// Returns the number of entries in the game's log, as far as this server knows.
    pub fn entries(&self) -> u64 {
        self.facts.head()
    }

    pub fn summary(&self) -> GameSummary {
        self.facts.summary()
    }

    pub fn has_seat(&self, player: &str) -> bool {
        self.side_of(player).is_some()
    }

    /// Returns the side that a player plays.
    pub fn side_of(&self, player: &str) -> Option<Side> {
        self.facts.header.side_of(player)
    }

    pub fn is_running(&self) -> bool {
        self.facts.is_running()
    }
}

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableHandle({})", self.id())
    }
}
