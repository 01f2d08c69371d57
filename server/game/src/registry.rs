//! The registry of all tables: finds, loads, releases and stops them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagfall_board::{GameId, Ply, Side, Stamp};
use flagfall_protocol::{CommandId, GameCommand, GameSummary, Phase};
use flagfall_store::{Store, StoreError, StoredEntry, WallClock};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::actor::{Message, Opened, Shared, Stay, TableHandle, TableInput, channel};
use super::creation::Making;
use super::due::{Care, InCare};
use super::error::TableError;
use super::header::GameHeader;
use super::house;
use super::listing::live_key;
use super::mailbox::Mailbox;
use super::outages::Outages;
use super::public_games::PublicGames;
use super::reply::{Answer, Refusal, Reply};
use super::rest::RunningCount;
use super::search::read_all;
use super::settings::TableSettings;
use super::table::Table;
use super::thinking::ThinkingRoom;
use flagfall_base::cluster::{GameNews, Peers, Seats};
use flagfall_base::delivery::Connections;
use flagfall_base::keys::REMATCH;
use flagfall_base::names::players_today;
use flagfall_base::random::random_code;
use flagfall_base::telemetry as names;

/// Index records read at a time.
pub(super) const SCAN_CHUNK: usize = 512;
/// Locks for cold loads. Loads of different games may run at once, loads of one game never do.
const LOAD_LANES: usize = 64;

/// Why the registry could not be opened. Damaged games are no reason, because no log is read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the running games could not be read from the store: {0}")]
pub struct StartError(#[from] StoreError);

/// The clock by which the store stamps. Flags fall by no other clock.
struct StoreClock(Arc<dyn Store>);

impl WallClock for StoreClock {
    fn now(&self) -> Stamp {
        self.0.now()
    }
}

/// A command that a caller in this process gives for a player. It has no `Debug`, because it can be
/// a planned move, which is its player's secret.
#[derive(Clone)]
pub struct NewCommand {
    /// The id of the player.
    pub player: String,
    /// The id of the command; a repeated one gets the answer of the first.
    pub cmd_id: CommandId,
    /// The ply at which it is made.
    pub ply: Ply,
    /// The command.
    pub command: GameCommand,
}

/// All tables of this server. Cheap to clone; all clones are one registry.
#[derive(Clone)]
pub struct Tables {
    pub(super) inner: Arc<Inner>,
}

/// Error text if the server cannot draw its own random name.
const NO_CHANCE: &str = "the operating system gives no random bits";

pub(super) struct Inner {
    pub(super) store: Arc<dyn Store>,
    clock: Box<dyn WallClock>,
    /// The other servers.
    peers: Peers,
    /// Players' connections on all servers; `None` if no other server may append.
    seats: Option<Seats>,
    pub(super) settings: Arc<TableSettings>,
    /// Running games that are not in memory, as of the last count.
    pub(super) at_rest: AtomicUsize,
    /// What lists show of games at rest.
    pub(super) public_games: Mutex<PublicGames>,
    /// Number of running games, in memory or at rest.
    pub(super) running: RunningCount,
    /// Tables opened because a flag may fall.
    pub(super) flags_in_care: InCare,
    /// Tables opened because a house player is to act.
    pub(super) house_in_care: InCare,
    epoch: AtomicU64,
    index: Mutex<Index>,
    /// Allows one cold load of a game at a time, so that no game gets two tables.
    loading: Vec<tokio::sync::Mutex<()>>,
    /// Limits how many house players think at once.
    thinking_room: ThinkingRoom,
}

#[derive(Default)]
pub(super) struct Index {
    tables: HashMap<GameId, TableHandle>,
    /// Running games in memory by player. A player is stored as a hash of their id, which another
    /// player may share; the game's header decides.
    seats: BTreeSet<(u64, GameId)>,
    /// Games this server is creating right now, in the order of the requests.
    pub(super) making: Vec<Making>,
    pub(super) is_stopping: bool,
}

impl Index {
    fn count(&mut self, game: GameId, header: &GameHeader) {
        self.seats.extend(Side::BOTH.map(|side| (number_of(&header.players[side].id), game)));
    }

    /// The running games in memory of a player.
    fn games_of(&self, player: &str) -> impl Iterator<Item = GameId> {
        let number = number_of(player);
        let seats = self.seats.range((number, GameId::from_random([0; 12]))..);
        let seats = seats.take_while(move |(other, _)| *other == number);
        // A table that a defect has ended is about to return.
        let is_his = |game: &GameId| self.tables.get(game).is_none_or(|handle| handle.has_seat(player));
        seats.map(|(_, game)| *game).filter(is_his)
    }

    /// True if this is the game's table.
    fn is_of(&self, game: GameId, shared: &Arc<Shared>) -> bool {
        self.tables.get(&game).is_some_and(|handle| Arc::ptr_eq(&handle.shared, shared))
    }

    fn uncount(&mut self, game: GameId, header: &GameHeader) {
        for side in Side::BOTH {
            self.seats.remove(&(number_of(&header.players[side].id), game));
        }
    }
}

/// A hash of a player's id, constant within this process.
fn number_of(player: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    player.hash(&mut hasher);
    hasher.finish()
}

impl Tables {
    /// Opens the registry. Running games are opened when a player asks for them or something is due
    /// in them; their clocks stood still since the last heartbeat.
    ///
    /// # Errors
    /// [`StartError`] when the store does not answer, or no random name can be drawn. No log is
    /// read, so damaged games do not matter.
    pub async fn start(store: Arc<dyn Store>, settings: TableSettings) -> Result<Tables, StartError> {
        let clock = StoreClock(store.clone());
        Tables::start_at(store, settings, clock).await
    }

    /// Like [`Tables::start`], with this clock.
    ///
    /// # Errors
    /// As [`Tables::start`].
    pub async fn start_at(
        store: Arc<dyn Store>,
        settings: TableSettings,
        clock: impl WallClock,
    ) -> Result<Tables, StartError> {
        let epoch = store.epoch().await?;
        let server = random_code().map_err(|_| StoreError::Unavailable { why: NO_CHANCE.to_owned() })?;
        let tables = Tables {
            inner: Arc::new(Inner {
                seats: store.announcements().map(|_| Seats::new(server.clone())),
                peers: Peers::new(store.clone(), server),
                store,
                clock: Box::new(clock),
                settings: Arc::new(settings),
                at_rest: AtomicUsize::new(0),
                public_games: Mutex::default(),
                running: RunningCount::default(),
                flags_in_care: InCare::default(),
                house_in_care: InCare::default(),
                epoch: AtomicU64::new(epoch),
                index: Mutex::default(),
                loading: (0..LOAD_LANES).map(|_| tokio::sync::Mutex::default()).collect(),
                thinking_room: house::thinking_room(),
            }),
        };
        tables.read_public_games(true).await?;
        // Last, because clocks run again from then on: players should not pay for the start.
        Outages::note(tables.store()).await?;
        Ok(tables)
    }

    /// The table of a game, loaded from its log if it is not in memory.
    ///
    /// # Errors
    /// [`TableError`].
    pub async fn find(&self, game: GameId) -> Result<TableHandle, TableError> {
        match self.handle(game) {
            Some(handle) => Ok(handle),
            None => self.load(game, Stay::Passing, None).await,
        }
    }

    /// Like [`Tables::find`], but a table loaded here leaves as soon as nothing is due. Until then
    /// it counts as in care.
    pub(super) async fn find_in_care(
        &self,
        game: GameId,
        in_care: &InCare,
    ) -> Result<TableHandle, TableError> {
        match self.handle(game) {
            Some(handle) => Ok(handle),
            None => self.load(game, Stay::Short, Some(in_care.enter())).await,
        }
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.inner.store
    }

    /// The other servers.
    #[must_use]
    pub fn peers(&self) -> &Peers {
        &self.inner.peers
    }

    /// Players' connections on all servers, if there can be other servers.
    #[must_use]
    pub fn seats(&self) -> Option<&Seats> {
        self.inner.seats.as_ref()
    }

    /// Notes that a player of the game has come to or left another server.
    fn note_seats(&self, game: GameId) {
        if let Some(handle) = self.handle(game) {
            handle.note_seats();
        }
    }

    /// Carries out a player's command, and returns the answer.
    ///
    /// # Errors
    /// [`Refusal`]: the command is not carried out. If the store is unavailable or the table met a
    /// defect, that is not certain: the same command with the same id gets the true answer.
    pub async fn command(&self, game: GameId, command: NewCommand) -> Answer {
        const ATTEMPTS: usize = 3;
        for _ in 0..ATTEMPTS {
            let table = self.find(game).await.map_err(|error| Refusal::from(&error))?;
            let NewCommand { player, cmd_id, ply, command } = command.clone();
            let (sender, answer) = oneshot::channel();
            let reply = Reply::Caller(sender);
            if table
                .send(TableInput::Command { reply, player, cmd_id, ply, epoch: None, command })
                .await
                .is_ok()
            {
                // A table that a defect ends answers nobody.
                return answer.await.unwrap_or_else(|_| Err(Refusal::from(&TableError::Failed)));
            }
        }
        Err(Refusal::from(&TableError::Failed))
    }

    /// Where players are notified.
    pub fn connections(&self) -> &Connections {
        &self.inner.settings.connections
    }

    pub(super) fn is_making(&self, game: GameId) -> bool {
        self.index().making.iter().any(|making| making.game == game)
    }

    pub(super) fn running_handles(&self) -> Vec<TableHandle> {
        self.index().tables.values().filter(|handle| handle.is_running()).cloned().collect()
    }

    /// Wakes every running table after the store has found an outage.
    pub fn wake_all(&self) {
        self.running_handles().iter().for_each(TableHandle::wake_table);
    }

    pub(super) fn handle(&self, game: GameId) -> Option<TableHandle> {
        self.index().tables.get(&game).cloned()
    }

    /// Boxed, because a table that leaves may find its successor, which is loaded here.
    fn load(
        &self,
        game: GameId,
        stay: Stay,
        care: Option<Care>,
    ) -> BoxFuture<'_, Result<TableHandle, TableError>> {
        self.load_now(game, stay, care).boxed()
    }

    async fn load_now(
        &self,
        game: GameId,
        stay: Stay,
        care: Option<Care>,
    ) -> Result<TableHandle, TableError> {
        let lane = game.as_str().bytes().fold(0, |sum, byte| sum + usize::from(byte)) % LOAD_LANES;
        let _one_at_a_time = self.inner.loading[lane].lock().await;
        if let Some(handle) = self.handle(game) {
            return Ok(handle);
        }
        let stored = read_all(&*self.inner.store, game, 0).await?;
        if stored.is_empty() {
            return Err(TableError::NotFound);
        }
        let mut table = self.table_of(game, &stored)?;
        let players = players_today(&*self.inner.store, &table.header.players).await;
        Arc::make_mut(&mut table.header).players = players;
        if table.is_over() {
            if let Some(rematch) = self.rematch_of(game).await {
                table.set_rematch(rematch);
            }
        } else if self.index().is_stopping {
            // The pause of a table opened now would not be written.
            return Err(TableError::Unavailable);
        }
        let mut listed = None;
        if !table.is_over() {
            // Read after the log: these are the outages it may lack, in which its clocks stood
            // still.
            let outages = Outages::known(&*self.inner.store).await.map_err(|_| TableError::Unavailable)?;
            table.recover_from(&outages);
            listed = self.listing(game).await?.map(|listing| listing.absence);
            table.set_absence(listed.unwrap_or_default());
        }
        if let Some(seats) = self.seats() {
            table.share(seats.elsewhere(game));
        }
        metrics::counter!(names::TABLES_OPENED).increment(1);
        let (handle, actor) =
            channel(game, table, self, self.inner.store.clone(), Opened { stay, care, listed });
        let mut index = self.index();
        index.tables.insert(game, handle.clone());
        if handle.is_running() {
            index.count(game, &handle.shared.header);
        }
        drop(index);
        tokio::spawn(actor.run());
        Ok(handle)
    }

    /// Builds a game's table from its log. An error or a panic in the replay affects this game
    /// only.
    pub(super) fn table_of(&self, game: GameId, stored: &[StoredEntry]) -> Result<Table, TableError> {
        let (epoch, settings) = (self.inner.epoch.load(Ordering::Relaxed), self.inner.settings.clone());
        let made =
            std::panic::catch_unwind(AssertUnwindSafe(|| Table::from_log(game, epoch, settings, stored)));
        match made {
            Ok(Ok(table)) => Ok(table),
            Ok(Err(error)) => {
                tracing::error!(%game, %error, "the game's log is sound, but this server cannot read it");
                Err(TableError::Quarantined)
            }
            Err(_) => {
                tracing::error!(%game, "the game's log is sound, but replaying it hits a defect of this server");
                Err(TableError::Quarantined)
            }
        }
    }

    /// Begins a new epoch: the store has lost what clients were told, so their positions are void.
    pub(super) async fn begin_epoch(&self) {
        match self.inner.store.bump_epoch().await {
            Ok(epoch) => {
                self.inner.epoch.fetch_max(epoch, Ordering::Relaxed);
            }
            Err(error) => tracing::warn!(%error, "could not begin a new epoch in the store"),
        }
    }

    pub(super) fn thinking_room(&self) -> ThinkingRoom {
        self.inner.thinking_room.clone()
    }

    /// The current time by the tables' clock.
    pub fn now(&self) -> Stamp {
        self.inner.clock.now()
    }

    async fn rematch_of(&self, game: GameId) -> Option<GameId> {
        let value = self.inner.store.get(REMATCH.key([&game]).ok()?).await.ok()??;
        std::str::from_utf8(&value).ok()?.parse().ok()
    }

    /// The newest public games that are running, in memory or at rest, newest first.
    #[must_use]
    pub fn running(&self, limit: usize) -> Vec<GameSummary> {
        let (mut handles, at_rest) = {
            let index = self.index();
            let is_shown = |handle: &&TableHandle| !handle.shared.header.terms.private && handle.is_running();
            let handles: Vec<TableHandle> = index.tables.values().filter(is_shown).cloned().collect();
            let is_at_rest = |game: &&GameSummary| !index.tables.contains_key(&game.id);
            let at_rest: Vec<GameSummary> = self.public_games().iter().filter(is_at_rest).cloned().collect();
            (handles, at_rest)
        };
        let newest_first = |handle: &TableHandle| Reverse((handle.shared.created, handle.id()));
        if limit < handles.len() {
            handles.select_nth_unstable_by_key(limit, newest_first);
            handles.truncate(limit);
        }
        let mut games: Vec<GameSummary> = handles.iter().map(TableHandle::summary).chain(at_rest).collect();
        games.sort_by_key(|game| Reverse((game.created, game.id)));
        games.truncate(limit);
        games
    }

    /// True if a game is running, whether in memory or at rest.
    ///
    /// # Errors
    /// [`TableError::Unavailable`].
    pub async fn is_running(&self, game: GameId) -> Result<bool, TableError> {
        if let Some(handle) = self.handle(game) {
            return Ok(handle.is_running());
        }
        let Some(live) = live_key(game) else { return Ok(false) };
        let listed = self.inner.store.get(live).await.map_err(|_| TableError::Unavailable)?;
        Ok(listed.is_some())
    }

    /// Numbers of running games in memory: how many are deploying, how many are being played.
    #[must_use]
    pub fn count_by_phase(&self) -> (usize, usize) {
        let index = self.index();
        index.tables.values().fold((0, 0), |(deploying, playing), handle| match handle.phase() {
            Phase::Deploying => (deploying + 1, playing),
            Phase::Playing => (deploying, playing + 1),
            Phase::Over => (deploying, playing),
        })
    }

    /// How many tables are in memory.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index().tables.len()
    }

    /// True if no table is in memory.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The planned stop: creates no more games. If no other server continues (`is_last`), writes
    /// the pause of every running game. Returns when all tables have stopped.
    pub async fn stop(&self, is_last: bool) {
        let handles: Vec<TableHandle> = {
            let mut index = self.index();
            index.is_stopping = true;
            index.tables.values().cloned().collect()
        };
        let stops = handles.iter().map(|handle| async move {
            let (reply, stopped) = oneshot::channel();
            if handle.send_message(Message::Stop { is_last, reply }).await.is_ok() {
                let _table_left = stopped.await;
            }
        });
        futures_util::future::join_all(stops).await;
    }

    /// Notes that a game has ended: it no longer counts as running.
    pub(super) fn note_end(&self, game: GameId, header: &GameHeader) {
        self.index().uncount(game, header);
        self.inner.running.note_end();
        self.inner.settings.features.note_end(game);
    }

    /// Removes a table that has ended, if it is still registered.
    pub(super) fn forget(&self, game: GameId, shared: &Arc<Shared>) {
        let mut index = self.index();
        if index.is_of(game, shared) {
            index.tables.remove(&game);
        }
    }

    /// Removes a table from memory if nothing is about to be sent to it; true if it was removed. A
    /// later search for the game reads its log.
    pub(super) fn let_go(&self, game: GameId, shared: &Arc<Shared>, mailbox: &Mailbox<Box<Message>>) -> bool {
        let mut index = self.index();
        let own_ways = usize::from(index.is_of(game, shared));
        // New handles come from the index only, which is locked.
        if mailbox.ways() > own_ways || !mailbox.is_empty() {
            return false;
        }
        if own_ways > 0 {
            index.tables.remove(&game);
            index.uncount(game, &shared.header);
            let summary = shared.summary(game);
            if summary.outcome.is_none() && !summary.terms.private {
                self.public_games().note_rest(summary);
            }
        }
        true
    }

    /// The running games in memory of one player.
    pub(super) fn in_memory_of(&self, player: &str) -> BTreeSet<GameId> {
        self.index().games_of(player).collect()
    }

    pub(super) fn index(&self) -> MutexGuard<'_, Index> {
        // Nothing panics while it holds this lock; even then the index would be intact.
        self.inner.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameNews for Tables {
    fn seats_changed(&self, games: &[GameId]) {
        games.iter().for_each(|game| self.note_seats(*game));
    }

    fn sight_regained(&self) {
        self.running_handles().iter().for_each(TableHandle::note_seats);
    }
}
