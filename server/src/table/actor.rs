//! The shell around a table: a task that feeds it time, chance and the store's answers.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{
    CloseCode, Code, CommandId, GameCommand, GameRecord, GameSummary, GameView, Phase, Player, Position,
    RecordScope, SeenOutcome, Viewer,
};
use flagfall_rules::{Command, Entropy};
use flagfall_store::{Append, AppendOutcome, Head, Store, StoreError};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::core::{Asked, Input, Output, Table};
use super::creation::CreateError;

use super::due::{Care, Forecast, NoFlag};
use super::error::TableError;
use super::header::GameHeader;
use super::house::{HousePlayers, Thought};
use super::listing::Absence;
use super::mailbox::{Mailbox, Sender, mailbox};
use super::public_games::progress_of;
use super::record::RecordError;
use super::registry::Tables;
use super::{record, search};
use crate::background::Background;
use crate::chance::random_game_id;
use crate::gateway::{ConnectionId, Outbox};
use crate::metrics::{HOT, TABLES_LEFT};
use crate::players::players_today;

/// How long the table of a game that is over is kept when the last who had it open has gone, in milliseconds.
const LINGER_MS: u64 = 30_000;
/// How long a running game on a live clock is kept when the last who had it open has gone, in
/// milliseconds; less if the operator lets slow games rest sooner. Players whose line dropped are back
/// by then, or count as away.
const LIVE_REST_MS: u64 = 60_000;
/// How long a table is kept that was opened for a look, in milliseconds: often another one follows.
const PASSING_MS: u64 = 5_000;
/// How long until a table to which somebody had a way when it was to leave tries to leave again, in milliseconds.
const LET_GO_AGAIN_MS: u64 = 100;
/// How long until a running game whose table met a defect is opened again when nobody asks for it.
const REOPEN_AFTER: Duration = Duration::from_secs(1);

/// What a connection may want of a table.
pub enum TableInput {
    /// Open the game: the table answers on the outbox with the game, or a refusal.
    Open {
        /// The connection.
        outbox: Outbox,
        /// Who asks.
        player: Player,
        /// What the client has seen already.
        since: Option<Position>,
    },
    /// The connection wants no more news, or is gone.
    Close {
        /// The connection.
        connection: ConnectionId,
        /// Whether the player said so: a line that was lost has not.
        is_on_purpose: bool,
    },
    /// A command of a player: accepted or refused on the outbox.
    Command {
        /// The connection.
        outbox: Outbox,
        /// Who asks.
        player: Player,
        /// The client's id for it.
        cmd_id: CommandId,
        /// The ply it was made at.
        ply: Ply,
        /// The epoch it was made in, if that is known.
        epoch: Option<u64>,
        /// What is asked.
        command: GameCommand,
    },
    /// A player wants another game: accepted or refused on the outbox.
    Rematch {
        /// The connection.
        outbox: Outbox,
        /// Who asks.
        player: Player,
        /// The client's id for it.
        cmd_id: CommandId,
    },
}

impl TableInput {
    /// The client's id for it, where it has one.
    pub(crate) fn into_cmd_id(self) -> Option<CommandId> {
        match self {
            TableInput::Command { cmd_id, .. } | TableInput::Rematch { cmd_id, .. } => Some(cmd_id),
            TableInput::Open { .. } | TableInput::Close { .. } => None,
        }
    }
}

/// The table has left memory: find it again.
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
    /// There is news in [`Shared`].
    Heard,
    Audit,
}

/// How long a table is kept that nobody needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stay {
    /// Not at all: it was opened for its log's sake.
    Short,
    /// A moment: it was opened for a look.
    Passing,
    /// A while: somebody had it open, or acted.
    Long,
}

/// A way to a table. Cheap to clone.
#[derive(Clone)]
pub struct TableHandle {
    /// Boxed: a mailbox keeps room for a few.
    sender: Sender<Box<Message>>,
    pub(super) shared: Arc<Shared>,
}

/// What others may read of a table without asking it: public facts.
pub(super) struct Shared {
    id: GameId,
    pub(super) header: Arc<GameHeader>,
    pub(super) created: Stamp,
    epoch: u64,
    store: Arc<dyn Store>,
    progress: Mutex<Progress>,
    /// The number of the replica's last entry.
    head: AtomicU64,
    /// The highest number of an entry that was announced.
    heard: AtomicU64,
    /// Whether players have come to or gone from other servers.
    has_seat_news: AtomicBool,
    /// How far the list of public games says that this one is, as far as is known here.
    noted: Mutex<Option<(bool, Ply)>>,
    /// Who is away.
    away: Mutex<Away>,
    /// True if the list of running games has the game, so that it may rest.
    is_listed: bool,
    /// True while that list and the game's line are being written.
    pub(super) is_noting: AtomicBool,
}

/// Who is away, and whether the list of running games says so.
struct Away {
    absence: Absence,
    is_told: bool,
}

impl Shared {
    fn away(&self) -> MutexGuard<'_, Away> {
        self.away.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who is away.
    pub(super) fn absence(&self) -> Absence {
        self.away().absence
    }

    /// These are away now.
    fn set_absence(&self, absence: Absence) {
        let mut away = self.away();
        if !absence.is_like(&away.absence) {
            *away = Away { absence, is_told: false };
        }
    }

    /// The list of running games says who is away.
    pub(super) fn note_absence(&self, listed: Absence) {
        let mut away = self.away();
        away.is_told |= away.absence == listed;
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game in a line, as of its last ply.
    pub(super) fn summary(&self, id: GameId) -> GameSummary {
        let Progress { is_quarantined: _, phase, ply, turn, outcome } = self.progress().clone();
        GameSummary {
            id,
            terms: self.header.terms.clone(),
            players: self.header.players.clone(),
            created: self.created.0,
            phase,
            ply,
            turn,
            outcome,
        }
    }

    /// True if the lists do not say yet how far the game is, or who is away.
    pub(super) fn has_gone_on(&self) -> bool {
        let Progress { is_quarantined, phase, ply, .. } = *self.progress();
        let noted = *self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_behind = noted.is_none_or(|noted| noted < progress_of(phase, ply));
        let is_news = is_behind && !self.header.terms.private || !self.away().is_told;
        !is_quarantined && phase != Phase::Over && is_news
    }

    /// The list of public games says that this one is so far, or further.
    pub(super) fn note_progress(&self, noted: (bool, Ply)) {
        *self.noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(noted);
    }
}

#[derive(Clone)]
struct Progress {
    /// Whether the log is damaged: such a game is not going on.
    is_quarantined: bool,
    phase: Phase,
    ply: Ply,
    turn: Option<Side>,
    outcome: Option<SeenOutcome>,
}

impl TableHandle {
    /// The game.
    #[must_use]
    pub fn id(&self) -> GameId {
        self.shared.id
    }

    /// The epoch in which the table was opened.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.shared.epoch
    }

    /// Where the game's log stood after this entry; none where it has no such entry, perhaps not any more.
    ///
    /// # Errors
    /// [`TableError`]: the log cannot be read.
    pub(crate) async fn head_at(&self, seq: u64) -> Result<Option<Head>, TableError> {
        Ok(search::head_at(&*self.shared.store, self.id(), seq).await?)
    }

    /// Hands the table something; waits while its mailbox is full.
    ///
    /// # Errors
    /// [`TableGone`]: nothing was taken.
    pub async fn send(&self, input: TableInput) -> Result<(), TableGone> {
        self.send_message(Message::Input(input)).await
    }

    /// Hands the table something if its mailbox has room now.
    ///
    /// # Errors
    /// What it did not take: the mailbox is full, or the table has left memory.
    #[expect(clippy::result_large_err, reason = "it goes on to the next table, or to wait for room")]
    pub(crate) fn try_send(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.try_reserve() else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    /// As [`TableHandle::send`].
    ///
    /// # Errors
    /// What it did not take, for the table has left memory.
    pub(crate) async fn hand(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.reserve().await else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    pub(super) async fn send_message(&self, message: Message) -> Result<(), TableGone> {
        self.sender.reserve().await.ok_or(TableGone)?.send(Box::new(message));
        Ok(())
    }

    /// The log is said to reach at least to this entry.
    pub(super) fn hear(&self, seq: u64) {
        if self.head() >= seq || self.shared.heard.fetch_max(seq, Ordering::Relaxed) >= seq {
            return;
        }
        self.wake_table();
    }

    /// Players have come to or gone from other servers.
    pub(super) fn note_seats(&self) {
        self.shared.has_seat_news.store(true, Ordering::Relaxed);
        self.wake_table();
    }

    pub(super) fn wake_table(&self) {
        // A full mailbox keeps the table awake anyway, and it looks for news at every step.
        if let Some(room) = self.sender.try_reserve() {
            room.send(Box::new(Message::Heard));
        }
    }

    /// The number of the replica's last entry.
    pub(super) fn head(&self) -> u64 {
        self.shared.head.load(Ordering::Relaxed)
    }

    /// The game as somebody may know it now.
    ///
    /// # Errors
    /// [`TableError::NotFound`] for private games of others, and what [`Tables::find`] has.
    pub async fn look(&self, player: Option<&str>) -> Result<(GameSummary, Viewer, GameView), TableError> {
        let (reply, answer) = oneshot::channel();
        let player = player.map(str::to_owned);
        self.send_message(Message::Look { player, reply }).await.map_err(|_| TableError::Unavailable)?;
        answer.await.map_err(|_| TableError::Unavailable)?.ok_or(TableError::NotFound)
    }

    /// What happens in the game by itself.
    pub(super) async fn forecast(&self) -> Result<Forecast, TableError> {
        let (reply, answer) = oneshot::channel();
        self.send_message(Message::Forecast { reply }).await.map_err(|_| TableError::Unavailable)?;
        answer.await.map_err(|_| TableError::Unavailable)
    }

    /// The game's record of a scope; without one, as the requester may know the game now.
    ///
    /// # Errors
    /// [`RecordError`].
    pub(crate) async fn record(
        &self,
        background: &Background,
        player: Option<&str>,
        scope: Option<RecordScope>,
    ) -> Result<GameRecord, RecordError> {
        // From the log, not from the table: however long the reading takes, the game goes on.
        let viewer = self.shared.header.viewer(player).ok_or(TableError::NotFound)?;
        let stored = search::read_all(&*self.shared.store, self.id(), 0).await.map_err(TableError::from)?;
        // A long game takes milliseconds.
        let id = self.id();
        let make = move || match scope {
            Some(scope) => record::record_as(id, &stored, scope, viewer),
            None => record::record(id, &stored, viewer).map_err(RecordError::from),
        };
        let made = background.run(make).await;
        let mut record = made.map_err(|_| TableError::Unavailable)??;
        record.players = players_today(&*self.shared.store, &record.players).await;
        Ok(record)
    }

    /// The game in a line, as of its last ply.
    #[must_use]
    pub fn summary(&self) -> GameSummary {
        self.shared.summary(self.id())
    }

    /// How far the game is.
    pub(super) fn phase(&self) -> Phase {
        self.shared.progress().phase
    }

    /// Whether a player plays the game.
    pub(crate) fn has_seat(&self, player: &str) -> bool {
        self.shared.header.side_of(player).is_some()
    }

    /// Whether the game is still going on.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let progress = self.shared.progress();
        progress.phase != Phase::Over && !progress.is_quarantined
    }
}

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableHandle({})", self.id())
    }
}

pub(super) struct Actor {
    id: GameId,
    table: Table,
    tables: Tables,
    mailbox: Mailbox<Box<Message>>,
    shared: Arc<Shared>,
    house: HousePlayers,
    outputs: VecDeque<Output>,
    /// Who asked for what is being done right now.
    asking: Option<Outbox>,
    /// The seats here of which other servers were told.
    seats_told: PerSide<Option<Stamp>>,
    idle_since: Option<Stamp>,
    stay: Stay,
    /// Counts this table among those opened for their dues.
    care: Option<Care>,
    /// Somebody had a way to the table when it was to leave: it stays at least until then.
    stays_until: Stamp,
    stopping: Vec<oneshot::Sender<()>>,
    /// Whether the table goes when what is being done is done.
    is_parting: bool,
    /// The rematch's id: however often it is tried, it is one game.
    rematch_id: Option<GameId>,
}

/// Why and as what a table is opened.
pub(super) struct Opened {
    pub(super) stay: Stay,
    /// Counts it among those opened for their dues.
    pub(super) care: Option<Care>,
    /// Who is away, as the list of running games says, if that has the game.
    pub(super) listed: Option<Absence>,
}

/// A table's task-to-be and the way to it.
pub(super) fn channel(
    id: GameId,
    table: Table,
    tables: &Tables,
    store: Arc<dyn Store>,
    opened: Opened,
) -> (TableHandle, Box<Actor>) {
    let (sender, mailbox) = mailbox();
    let Opened { stay, care, listed } = opened;
    let summary = table.summary();
    let shared = Arc::new(Shared {
        id,
        header: table.header().clone(),
        created: Stamp(summary.created),
        epoch: table.epoch,
        store,
        progress: Mutex::new(Progress {
            is_quarantined: false,
            phase: summary.phase,
            ply: summary.ply,
            turn: summary.turn,
            outcome: summary.outcome,
        }),
        head: AtomicU64::new(table.head.seq),
        heard: AtomicU64::new(0),
        // What was told while the log was read found no table.
        has_seat_news: AtomicBool::new(true),
        noted: Mutex::new(None),
        away: Mutex::new(Away { absence: listed.unwrap_or_default(), is_told: true }),
        is_listed: listed.is_some(),
        is_noting: AtomicBool::new(false),
    });
    let house = HousePlayers::new(table.header(), tables.thinking_room());
    let handle = TableHandle { sender, shared: shared.clone() };
    let actor = Actor {
        id,
        table,
        tables: tables.clone(),
        mailbox,
        shared,
        house,
        outputs: VecDeque::new(),
        asking: None,
        seats_told: PerSide::default(),
        idle_since: None,
        stay,
        care,
        stays_until: Stamp(0),
        stopping: Vec::new(),
        is_parting: false,
        rematch_id: None,
    };
    (handle, Box::new(actor))
}

impl Actor {
    /// Runs the table until nobody needs it. A panic ends this table alone: its connections are told to come back, and find it as the log has it.
    ///
    /// Boxed: a task would set room aside for it twice.
    pub(super) async fn run(mut self: Box<Self>) {
        let ended = AssertUnwindSafe(self.serve()).catch_unwind().await;
        self.tell_seats(PerSide::default());
        self.tables.forget(self.id, &self.shared);
        if ended.is_err() {
            tracing::error!(game = %self.id, "a defect ended this table; it is opened again from its log");
            metrics::counter!(crate::metrics::TABLE_PANICS).increment(1);
        }
        if ended.is_err() || self.is_parting {
            self.table.close_connections(CloseCode::Shutdown);
            if let Some(outbox) = &self.asking {
                outbox.close(CloseCode::Shutdown);
            }
        }
        // Boxed: it takes more room than serving, and comes but once.
        self.part(ended.is_ok()).boxed().await;
    }

    /// What comes after the table: it is closed.
    async fn part(mut self: Box<Self>, is_well: bool) {
        self.mailbox.close();
        // Whoever wrote to the table while it left is served by the next one.
        while let Some(message) = self.mailbox.recv().await {
            if let Ok(handle) = self.tables.find(self.id).await {
                let _gone_again = handle.send_message(*message).await;
            }
        }
        if !is_well && !self.table.is_over() {
            // Its flag is to fall even when nobody comes back.
            drop(self.table);
            tokio::time::sleep(REOPEN_AFTER).await;
            let _handle = self.tables.find(self.id).await;
        }
    }

    async fn serve(&mut self) {
        let mut job: Option<BoxFuture<'static, Input>> = None;
        self.step(Input::Tick);
        loop {
            if job.is_none() {
                job = self.next_job();
            }
            let wait = self.wake_at().map(|at| Duration::from_millis(at.ms_since(self.tables.now())));
            // The table stays at hand while the store works: it shows itself to whoever comes.
            tokio::select! {
                biased;
                input = async { if let Some(job) = &mut job { job.await } else { Input::Tick } }, if job.is_some() => {
                    job = None;
                    if self.is_parting {
                        return;
                    }
                    self.step(input);
                }
                Some(thought) = self.house.thought(), if self.house.are_thinking() => {
                    if let Some(asked) = self.house_command(thought) {
                        self.step(Input::Command(Box::new(asked)));
                    }
                }
                message = self.mailbox.recv() => match message {
                    Some(message) => self.receive(*message),
                    None => return,
                },
                () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {
                    if self.is_to_leave() {
                        if self.shared.has_gone_on() {
                            self.tables.note_line_soon(self.id, &self.shared);
                        } else if self.tables.let_go(self.id, &self.shared, &self.mailbox) {
                            let was = if self.table.is_over() { "over" } else { "at_rest" };
                            metrics::counter!(TABLES_LEFT, "game" => was).increment(1);
                            if !self.table.is_over() {
                                tracing::debug!(game = %self.id, "the game rests");
                            }
                            return;
                        }
                        // Somebody is about to write to it, or holds on to it.
                        self.stays_until = self.tables.now().plus_ms(LET_GO_AGAIN_MS);
                    }
                    self.step(Input::Tick);
                }
            }
        }
    }

    fn wake_at(&mut self) -> Option<Stamp> {
        let was_idle = self.idle_since.is_some();
        self.idle_since = self.is_idle().then(|| self.idle_since.unwrap_or_else(|| self.tables.now()));
        if self.idle_since.is_some() && !was_idle {
            // Before the time comes to leave.
            self.shared.set_absence(self.table.absence());
            self.tables.note_line_soon(self.id, &self.shared);
        }
        self.table.wake_at().into_iter().chain(self.leave_at()).min()
    }

    /// Whether nobody needs the table: the game is over, or may rest.
    fn is_idle(&self) -> bool {
        self.table.is_idle()
            || (self.shared.is_listed
                && self.table.may_rest(self.tables.now())
                && !self.house.are_thinking()
                && self.outputs.is_empty())
    }

    /// When the table leaves, if nothing happens until then.
    fn leave_at(&self) -> Option<Stamp> {
        let stay_ms = match self.stay {
            Stay::Short => 0,
            Stay::Passing => PASSING_MS,
            Stay::Long if self.table.is_idle() => LINGER_MS,
            Stay::Long if self.table.header().is_slow() => self.tables.inner.settings.rest_ms,
            Stay::Long => self.tables.inner.settings.rest_ms.min(LIVE_REST_MS),
        };
        self.idle_since.map(|since| since.plus_ms(stay_ms).max(self.stays_until))
    }

    /// True if the time to leave has come. A flag may have come near meanwhile.
    fn is_to_leave(&self) -> bool {
        self.leave_at().is_some_and(|leave_at| self.tables.now() >= leave_at) && self.is_idle()
    }

    fn receive(&mut self, message: Message) {
        match &message {
            Message::Input(_) => {
                self.stay = Stay::Long;
                self.care = None;
            }
            // Whoever looks may look again.
            Message::Look { .. } => self.stay = self.stay.max(Stay::Passing),
            Message::Forecast { .. } | Message::Stop { .. } | Message::Heard | Message::Audit => {}
        }
        match message {
            Message::Input(TableInput::Open { outbox, player, since }) => {
                self.asking = Some(outbox.clone());
                self.step(Input::Open { outbox, player, since });
            }
            Message::Input(TableInput::Close { connection, is_on_purpose }) => {
                self.step(Input::Close { connection, is_on_purpose });
            }
            Message::Input(TableInput::Command { outbox, player, cmd_id, ply, epoch, command }) => {
                self.asking = Some(outbox.clone());
                let asked = Asked {
                    outbox: Some(outbox),
                    player_id: player.id,
                    cmd_id,
                    ply,
                    epoch,
                    entropy: entropy_for(&command),
                    command,
                    is_new: false,
                    is_current: false,
                };
                self.step(Input::Command(Box::new(asked)));
            }
            Message::Input(TableInput::Rematch { outbox, player, cmd_id }) => {
                self.asking = Some(outbox.clone());
                self.step(Input::Rematch { outbox, player, cmd_id });
            }
            Message::Heard => self.step(Input::Tick),
            Message::Audit => self.step(Input::Audit),
            Message::Look { player, reply } => {
                let now = self.tables.now();
                self.look_at_store(now);
                let viewer = self.table.header().viewer(player.as_deref());
                let seen = viewer.map(|viewer| {
                    let (audience, view) = self.table.look(now, viewer);
                    (self.table.summary(), audience, view)
                });
                let _caller_left = reply.send(seen);
            }
            Message::Forecast { reply } => {
                let flag = match self.table.no_flag_before(self.tables.now()) {
                    _ if self.table.is_over() => NoFlag::Over,
                    Some(flag) => NoFlag::Before(flag),
                    None => NoFlag::Ever,
                };
                let awaits_house = !self.table.is_over() && self.table.awaits_house();
                let _caller_left = reply.send(Forecast { flag, awaits_house });
            }
            Message::Stop { is_last, reply } => {
                if self.table.is_stopped {
                    let _caller_left = reply.send(());
                } else {
                    self.stopping.push(reply);
                    self.step(Input::Stop { is_last });
                }
            }
        }
        self.asking = None;
    }

    /// Before anything is judged or shown: clocks may not have run. A store that is not silent any more has told of its outages.
    fn look_at_store(&mut self, now: Stamp) {
        let is_away = self.tables.connections().is_store_away();
        self.table.note_store(is_away, self.shared.store.silent_since());
        if let Some(outage) = self.shared.store.outage()
            && self.table.is_new_outage(outage)
        {
            self.outputs.extend(self.table.step(now, Input::Outage(outage)));
        }
    }

    fn step(&mut self, input: Input) {
        let now = self.tables.now();
        self.look_at_store(now);
        if let Some(seats) = self.tables.seats() {
            self.table.note_sight(seats.sighted_since(tokio::time::Instant::now()));
            if self.shared.has_seat_news.swap(false, Ordering::Relaxed) {
                let elsewhere = seats.elsewhere(self.id);
                self.table.note_left_elsewhere(seats.take_left(self.id));
                self.outputs.extend(self.table.step(now, Input::Elsewhere(elsewhere)));
            }
        }
        let outputs = self.table.step(now, input);
        self.queue(outputs);
        // Taken over for good: what turns out not to be in the log is not heard of a second time.
        let heard = self.shared.heard.swap(0, Ordering::Relaxed);
        if self.table.is_news(heard) {
            self.outputs.extend(self.table.step(now, Input::Heard { seq: heard }));
        }
        self.shared.head.store(self.table.head.seq, Ordering::Relaxed);
        self.tell_seats(self.table.seats_here());
        self.note_progress();
    }

    /// Lines up what the table wants done. An empty line is replaced, and with it goes the room it had: most games want nothing most of the time.
    fn queue(&mut self, outputs: Vec<Output>) {
        if self.outputs.is_empty() {
            self.outputs = outputs.into();
        } else {
            self.outputs.extend(outputs);
        }
    }

    /// Tells other servers who sits here, as far as they do not know.
    fn tell_seats(&mut self, here: PerSide<Option<Stamp>>) {
        let told = std::mem::replace(&mut self.seats_told, here);
        let Some(seats) = self.tables.seats() else { return };
        for side in Side::BOTH.into_iter().filter(|side| told[*side] != here[*side]) {
            seats.note(self.id, side, here[side], self.table.gone_on_purpose()[side]);
        }
    }

    fn note_progress(&self) {
        // The registry is told when this lock is free again: it looks at games while it holds its own.
        if self.has_just_ended() {
            self.tables.note_end(self.id, &self.shared.header);
        }
    }

    /// Notes how far the game is. Whether it has ended for everybody who counts running games, and had not before.
    fn has_just_ended(&self) -> bool {
        let (phase, ply) = self.table.progress();
        let mut progress = self.shared.progress();
        let mut has_ended = false;
        if (progress.ply, progress.phase) != (ply, phase) {
            let (turn, outcome) = self.table.state();
            if phase == Phase::Over && progress.phase != Phase::Over {
                let reason = outcome.as_ref().map(|outcome| outcome.reason.clone()).unwrap_or_default();
                metrics::counter!(crate::metrics::GAMES_ENDED, "reason" => reason).increment(1);
                has_ended = true;
            }
            *progress = Progress { is_quarantined: progress.is_quarantined, phase, ply, turn, outcome };
        }
        has_ended | (self.table.is_quarantined && !std::mem::replace(&mut progress.is_quarantined, true))
    }

    /// What the table wants done next, as far as it takes time; the rest is done at once.
    fn next_job(&mut self) -> Option<BoxFuture<'static, Input>> {
        while let Some(output) = self.outputs.pop_front() {
            let (id, store) = (self.id, self.shared.store.clone());
            return Some(match output {
                Output::Append(append) => {
                    async move { Input::Appended(append_to(&*store, append).await) }.boxed()
                }
                Output::Read { after } => {
                    async move { Input::ReadOn(search::read_all(&*store, id, after).await) }.boxed()
                }
                Output::Look { after } => {
                    async move { Input::Looked(search::look(&*store, id, after).await) }.boxed()
                }
                Output::Search { asked } => async move {
                    let found = search::find_command(&*store, id, &asked).await;
                    Input::Searched { asked, found }
                }
                .boxed(),
                Output::MakeRematch => self.make_rematch(),
                Output::HouseTurn { side, view } => {
                    let opponent = &self.shared.header.players[side.opponent()].id;
                    self.house.think(side, view, self.tables.connections().network_of(opponent));
                    continue;
                }
                Output::Stopped => {
                    for reply in self.stopping.drain(..) {
                        let _caller_left = reply.send(());
                    }
                    continue;
                }
                Output::Diverged => {
                    self.is_parting = true;
                    let tables = self.tables.clone();
                    async move {
                        tables.begin_epoch().await;
                        Input::Tick
                    }
                    .boxed()
                }
            });
        }
        None
    }

    fn make_rematch(&mut self) -> BoxFuture<'static, Input> {
        if self.rematch_id.is_none() {
            self.rematch_id = random_game_id().ok();
        }
        let (game, rematch) = (self.id, self.rematch_id);
        let (tables, header) = (self.tables.clone(), self.shared.header.clone());
        async move {
            let made = match rematch {
                Some(rematch) => tables.rematch(game, &header, rematch).await,
                None => Err(CreateError::Unavailable),
            };
            Input::RematchMade(
                made.map(|summary| summary.id).map_err(|error| (Code::from(&error), error.to_string())),
            )
        }
        .boxed()
    }

    fn house_command(&self, (side, view, command): Thought) -> Option<Asked> {
        let player_id = self.table.header().players[side].id.clone();
        let command = match command? {
            Command::Deploy(setup) => {
                GameCommand::Deploy { setup: setup.deploy(side, view.ruleset).ok()?.into_text() }
            }
            other => GameCommand::from_command(&other)?,
        };
        let phase = match view.phase {
            flagfall_rules::Phase::Deploying => "deploy",
            // Beside its ply, and at the same number of plies (§S2.4, §Q4).
            _ if view.owed_color.is_some() => "color",
            _ if view.pending_strike.is_some() => "choice",
            flagfall_rules::Phase::Playing | flagfall_rules::Phase::Over => "ply",
        };
        let cmd_id = format!("{phase}-{}-{side:?}", view.ply).parse().ok()?;
        let entropy = entropy_for(&command);
        Some(Asked {
            outbox: None,
            player_id,
            cmd_id,
            ply: view.ply,
            // What it thinks about goes with the table when moves are lost.
            epoch: None,
            command,
            entropy,
            is_new: false,
            is_current: false,
        })
    }
}

/// Chance for the commands that need it.
fn entropy_for(command: &GameCommand) -> Entropy {
    let mut bytes = [0; 32];
    if matches!(command, GameCommand::Deploy { .. }) && getrandom::fill(&mut bytes).is_err() {
        // A commitment with a guessable salt would betray the deployment: better no table than that.
        panic!("the system gives no entropy");
    }
    Entropy(bytes)
}

async fn append_to(store: &dyn Store, append: Append) -> Result<AppendOutcome, StoreError> {
    let game = append.game;
    let started = std::time::Instant::now();
    let outcome = store.append(append).await;
    HOT.commit_seconds.record(started.elapsed());
    match &outcome {
        Ok(AppendOutcome::Conflict { .. }) => {
            metrics::counter!(crate::metrics::APPEND_CONFLICTS).increment(1);
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%game, %error, "the store did not take an append"),
    }
    outcome
}
