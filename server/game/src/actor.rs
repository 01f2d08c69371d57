//! The shell around a table: a task that feeds it time, randomness and the store's answers.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{
    CloseCode, CommandId, GameCommand, GameRecord, GameSummary, GameView, Phase, Player, Position,
    RecordScope, SeenOutcome, Viewer,
};
use flagfall_rules::{Command, Entropy};
use flagfall_store::{Append, AppendOutcome, Head, Store, StoreError};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::creation::CreateError;
use super::table::{Asked, Input, Output, Table};

use super::due::{Care, Forecast, NoFlag};
use super::error::TableError;
use super::header::GameHeader;
use super::house::{HousePlayers, Thought};
use super::listing::Absence;
use super::mailbox::{Mailbox, Sender, mailbox};
use super::public_games::progress_of;
use super::record::RecordError;
use super::registry::Tables;
use super::reply::{Refusal, Reply};
use super::{record, search};
use flagfall_base::background::Background;
use flagfall_base::delivery::{ConnectionId, Outbox};
use flagfall_base::names::players_today;
use flagfall_base::random::random_game_id;
use flagfall_base::recorder::HOT;
use flagfall_base::telemetry::TABLES_LEFT;

/// How long the table of a finished game stays after the last connection closed it, in
/// milliseconds.
const LINGER_MS: u64 = 30_000;
/// How long a running game on a live clock stays after the last connection closed it, in
/// milliseconds; less if the operator lets slow games rest sooner. By then, players whose
/// connection dropped are back or count as away.
const LIVE_REST_MS: u64 = 60_000;
/// How long a table stays that was opened for one look, in milliseconds: often another look
/// follows.
const PASSING_MS: u64 = 5_000;
/// Delay before a table that could not leave memory tries again, in milliseconds.
const LET_GO_AGAIN_MS: u64 = 100;
/// Delay before a running game whose table met a defect is opened again.
const REOPEN_AFTER: Duration = Duration::from_secs(1);

/// What a connection asks of a table.
pub enum TableInput {
    /// Open the game: the table answers on the outbox with the game, or a refusal.
    Open {
        /// The connection.
        outbox: Outbox,
        /// The player.
        player: Player,
        /// What the client has seen already.
        since: Option<Position>,
    },
    /// The connection wants no more events, or is gone.
    Close {
        /// The connection.
        connection: ConnectionId,
        /// True if the player said so. A dropped connection says nothing.
        is_on_purpose: bool,
    },
    /// A player's command.
    Command {
        /// Where the answer goes.
        reply: Reply,
        /// The id of the player.
        player: String,
        /// The client's id for the command.
        cmd_id: CommandId,
        /// The ply at which it was made.
        ply: Ply,
        /// The epoch in which it was made, if known.
        epoch: Option<u64>,
        /// The command.
        command: GameCommand,
    },
    /// A player wants a rematch.
    Rematch {
        /// Where the answer goes.
        reply: Reply,
        /// The player.
        player: Player,
        /// The client's id for the request.
        cmd_id: CommandId,
    },
}

impl TableInput {
    /// The client's id for the input, if it has one.
    pub fn into_cmd_id(self) -> Option<CommandId> {
        match self {
            TableInput::Command { cmd_id, .. } | TableInput::Rematch { cmd_id, .. } => Some(cmd_id),
            TableInput::Open { .. } | TableInput::Close { .. } => None,
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
    /// There is news in [`Shared`].
    Heard,
    Audit,
}

/// How long a table stays that nobody needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stay {
    /// Not at all: it was opened for what is due in its game.
    Short,
    /// Briefly: it was opened for a look.
    Passing,
    /// Longer: a connection used it.
    Long,
}

/// A handle to a table. Cheap to clone.
#[derive(Clone)]
pub struct TableHandle {
    /// Boxed, because a mailbox keeps capacity for a few.
    sender: Sender<Box<Message>>,
    pub(super) shared: Arc<Shared>,
}

/// Public facts about a table that other tasks read without sending it a message.
pub(super) struct Shared {
    id: GameId,
    pub(super) header: Arc<GameHeader>,
    pub(super) created: Stamp,
    epoch: u64,
    store: Arc<dyn Store>,
    progress: Mutex<Progress>,
    /// Number of the replica's last entry.
    head: AtomicU64,
    /// Highest entry number that was announced.
    heard: AtomicU64,
    /// True if players have come to or left other servers.
    has_seat_news: AtomicBool,
    /// The progress that the list of public games shows, as far as this server knows.
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

    /// Notes who is away now.
    fn set_absence(&self, absence: Absence) {
        let mut away = self.away();
        if !absence.is_like(&away.absence) {
            *away = Away { absence, is_told: false };
        }
    }

    /// Notes what the list of running games says about who is away.
    pub(super) fn note_absence(&self, listed: Absence) {
        let mut away = self.away();
        away.is_told |= away.absence == listed;
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game's summary as of its last ply.
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

    /// True if the lists are behind: in the game's progress, or in who is away.
    pub(super) fn has_gone_on(&self) -> bool {
        let Progress { is_quarantined, phase, ply, .. } = *self.progress();
        let noted = *self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_behind = noted.is_none_or(|noted| noted < progress_of(phase, ply));
        let is_news = is_behind && !self.header.terms.private || !self.away().is_told;
        !is_quarantined && phase != Phase::Over && is_news
    }

    /// Notes that the list of public games shows this progress, or a later one.
    pub(super) fn note_progress(&self, noted: (bool, Ply)) {
        *self.noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(noted);
    }
}

#[derive(Clone)]
struct Progress {
    /// True if the log is damaged; such a game does not count as running.
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

    /// The head of the game's log after this entry. `None` if the log has no such entry, perhaps
    /// because it was lost.
    ///
    /// # Errors
    /// [`TableError`]: the log cannot be read.
    pub async fn head_at(&self, seq: u64) -> Result<Option<Head>, TableError> {
        Ok(search::head_at(&*self.shared.store, self.id(), seq).await?)
    }

    /// Sends the table an input; waits while its mailbox is full.
    ///
    /// # Errors
    /// [`TableGone`]: the input was not delivered.
    pub async fn send(&self, input: TableInput) -> Result<(), TableGone> {
        self.send_message(Message::Input(input)).await
    }

    /// Sends the table an input if its mailbox has room now.
    ///
    /// # Errors
    /// The input, if the mailbox is full or the table has left memory.
    pub fn try_send(&self, input: TableInput) -> Result<(), TableInput> {
        let Some(room) = self.sender.try_reserve() else { return Err(input) };
        room.send(Box::new(Message::Input(input)));
        Ok(())
    }

    /// Like [`TableHandle::send`], but returns an input that was not delivered.
    ///
    /// # Errors
    /// The input, if the table has left memory.
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
        if self.head() >= seq || self.shared.heard.fetch_max(seq, Ordering::Relaxed) >= seq {
            return;
        }
        self.wake_table();
    }

    /// Notes that players have come to or left other servers.
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

    /// Number of the replica's last entry.
    pub(super) fn head(&self) -> u64 {
        self.shared.head.load(Ordering::Relaxed)
    }

    /// The game as the player, or the public, may know it now.
    ///
    /// # Errors
    /// [`TableError::NotFound`] for other players' private games; [`TableError::Failed`].
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
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn record(
        &self,
        background: &Background,
        player: Option<&str>,
        scope: Option<RecordScope>,
    ) -> Result<GameRecord, RecordError> {
        // Read from the log, not from the table, so that a long read does not hold up the game.
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

    /// The game's summary as of its last ply.
    #[must_use]
    pub fn summary(&self) -> GameSummary {
        self.shared.summary(self.id())
    }

    /// The game's phase.
    pub(super) fn phase(&self) -> Phase {
        self.shared.progress().phase
    }

    /// True if the player has a seat in the game.
    pub fn has_seat(&self, player: &str) -> bool {
        self.shared.header.side_of(player).is_some()
    }

    /// True if the game is still going on.
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
    /// The outbox of the caller whose message is being handled; closed if handling panics.
    asking: Option<Outbox>,
    /// The seats here, as other servers were told of them.
    seats_told: PerSide<Option<Stamp>>,
    idle_since: Option<Stamp>,
    stay: Stay,
    /// Counts this table among those opened for what is due in their games.
    care: Option<Care>,
    /// When the table could not leave because a handle was in use, it stays at least until then.
    stays_until: Stamp,
    stopping: Vec<oneshot::Sender<()>>,
    /// True if the table closes after the current job.
    is_parting: bool,
    /// The rematch's id. It stays the same when the creation is retried, so there is only one game.
    rematch_id: Option<GameId>,
}

/// Why a table is opened, and what is known about its game.
pub(super) struct Opened {
    pub(super) stay: Stay,
    /// Counts the table among those opened for what is due in their games.
    pub(super) care: Option<Care>,
    /// Who is away according to the list of running games; `None` if the game is not listed.
    pub(super) listed: Option<Absence>,
}

/// A table's actor, not running yet, and a handle to it.
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
        // Notes that arrived while the log was read found no table.
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
    /// Runs the table until nobody needs it. A panic ends this table only: its clients are told to
    /// reconnect, and find the game as the log has it.
    ///
    /// Boxed, because a task would reserve space for it twice.
    pub(super) async fn run(mut self: Box<Self>) {
        let ended = AssertUnwindSafe(self.serve()).catch_unwind().await;
        self.tell_seats(PerSide::default());
        self.tables.forget(self.id, &self.shared);
        if ended.is_err() {
            tracing::error!(game = %self.id, "a defect ended this table; it is opened again from its log");
            metrics::counter!(flagfall_base::telemetry::TABLE_PANICS).increment(1);
        }
        if ended.is_err() || self.is_parting {
            self.table.close_connections(CloseCode::Shutdown);
            if let Some(outbox) = &self.asking {
                outbox.close(CloseCode::Shutdown);
            }
        }
        // Boxed, because it needs more space than serving and runs only once.
        self.part(ended.is_ok()).boxed().await;
    }

    /// Closes the mailbox and cleans up after the table.
    async fn part(mut self: Box<Self>, is_well: bool) {
        self.mailbox.close();
        // Messages sent to the table while it left go to the next table of the game.
        while let Some(message) = self.mailbox.recv().await {
            if let Ok(handle) = self.tables.find(self.id).await {
                let _gone_again = handle.send_message(*message).await;
            }
        }
        if !is_well && !self.table.is_over() {
            // The game's flag must fall even if no player returns.
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
            // The table stays responsive while the store works: new connections are shown the game.
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
                        // A message is about to arrive, or a handle is in use.
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
            // Do this before it is time to leave.
            self.shared.set_absence(self.table.absence());
            self.tables.note_line_soon(self.id, &self.shared);
        }
        self.table.wake_at().into_iter().chain(self.leave_at()).min()
    }

    /// True if nobody needs the table: the game is over, or may rest.
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

    /// True if it is time to leave. Idleness is checked again, because a flag may be near by now.
    fn is_to_leave(&self) -> bool {
        self.leave_at().is_some_and(|leave_at| self.tables.now() >= leave_at) && self.is_idle()
    }

    fn receive(&mut self, message: Message) {
        match &message {
            Message::Input(_) => {
                self.stay = Stay::Long;
                self.care = None;
            }
            // Another look may follow.
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
            Message::Input(TableInput::Command { reply, player, cmd_id, ply, epoch, command }) => {
                self.asking = reply.outbox().cloned();
                let asked = Asked {
                    reply,
                    player_id: player,
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
            Message::Input(TableInput::Rematch { reply, player, cmd_id }) => {
                self.asking = reply.outbox().cloned();
                self.step(Input::Rematch { reply, player, cmd_id });
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
                if self.table.is_stopped() {
                    let _caller_left = reply.send(());
                } else {
                    self.stopping.push(reply);
                    self.step(Input::Stop { is_last });
                }
            }
        }
        self.asking = None;
    }

    /// Takes in what the store reports about outages, before anything is judged or shown: clocks
    /// may have stood still. Silence is read first, because a store that has ended its silence
    /// already reports the outage.
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
        // Consume the hint once; a wrong hint must not be replayed.
        let heard = self.shared.heard.swap(0, Ordering::Relaxed);
        if self.table.is_news(heard) {
            self.outputs.extend(self.table.step(now, Input::Heard { seq: heard }));
        }
        self.shared.head.store(self.table.head.seq, Ordering::Relaxed);
        self.tell_seats(self.table.seats_here());
        self.note_progress();
    }

    /// Queues what the table wants done. An empty queue is replaced to free its capacity: most
    /// games want nothing most of the time.
    fn queue(&mut self, outputs: Vec<Output>) {
        if self.outputs.is_empty() {
            self.outputs = outputs.into();
        } else {
            self.outputs.extend(outputs);
        }
    }

    /// Tells other servers which seats are taken here, if that has changed.
    fn tell_seats(&mut self, here: PerSide<Option<Stamp>>) {
        let told = std::mem::replace(&mut self.seats_told, here);
        let Some(seats) = self.tables.seats() else { return };
        for side in Side::BOTH.into_iter().filter(|side| told[*side] != here[*side]) {
            seats.note(self.id, side, here[side], self.table.gone_on_purpose()[side]);
        }
    }

    fn note_progress(&self) {
        // Tell the registry after this lock is released: the registry looks at games while it holds
        // its own lock.
        if self.has_just_ended() {
            self.tables.note_end(self.id, &self.shared.header);
        }
    }

    /// Notes the game's progress. True if the game has just ended for those who count running
    /// games.
    fn has_just_ended(&self) -> bool {
        let (phase, ply) = self.table.progress();
        let mut progress = self.shared.progress();
        let mut has_ended = false;
        if (progress.ply, progress.phase) != (ply, phase) {
            let (turn, outcome) = self.table.state();
            if phase == Phase::Over && progress.phase != Phase::Over {
                let reason = outcome.as_ref().map(|outcome| outcome.reason.clone()).unwrap_or_default();
                metrics::counter!(flagfall_base::telemetry::GAMES_ENDED, "reason" => reason).increment(1);
                has_ended = true;
            }
            *progress = Progress { is_quarantined: progress.is_quarantined, phase, ply, turn, outcome };
        }
        has_ended | (self.table.is_quarantined() && !std::mem::replace(&mut progress.is_quarantined, true))
    }

    /// Starts what the table wants done next. Returns a future for work that takes time; the rest
    /// is done at once.
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
            Input::RematchMade(made.map(|summary| summary.id).map_err(|error| Refusal::from(&error)))
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
            // Made in addition to the ply and at the same ply number (§S2.4, §Q4).
            _ if view.owed_color.is_some() => "color",
            _ if view.pending_strike.is_some() => "choice",
            flagfall_rules::Phase::Playing | flagfall_rules::Phase::Over => "ply",
        };
        let cmd_id = format!("{phase}-{}-{side:?}", view.ply).parse().ok()?;
        let entropy = entropy_for(&command);
        Some(Asked {
            reply: Reply::Nobody,
            player_id,
            cmd_id,
            ply: view.ply,
            // Its thoughts are discarded with the table when moves are lost.
            epoch: None,
            command,
            entropy,
            is_new: false,
            is_current: false,
        })
    }
}

/// Random bytes for the commands that need them.
fn entropy_for(command: &GameCommand) -> Entropy {
    let mut bytes = [0; 32];
    if matches!(command, GameCommand::Deploy { .. }) && getrandom::fill(&mut bytes).is_err() {
        // A commitment with a guessable salt would reveal the deployment. Rather end the table.
        panic!("the operating system provides no random bytes");
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
            metrics::counter!(flagfall_base::telemetry::APPEND_CONFLICTS).increment(1);
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%game, %error, "the store did not take an append"),
    }
    outcome
}
