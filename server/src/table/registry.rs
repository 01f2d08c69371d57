//! All tables: found, loaded, left, stopped.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{GameSummary, LagQuota, Phase};
use flagfall_store::{Store, StoreError, StoredEntry, WallClock};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::actor::{Message, Opened, Shared, Stay, TableHandle, channel};
use super::core::Table;
use super::creation::Making;
use super::due::{Care, InCare};
use super::error::TableError;
use super::header::GameHeader;
use super::house;
use super::listing::live_key;
use super::mailbox::Mailbox;
use super::outages::Outages;
use super::public_games::PublicGames;
use super::rest::RunningCount;
use super::search::read_all;
use super::thinking::ThinkingRoom;
use crate::players::players_today;
use flagfall_base::cluster::{GameNews, Peers, Seats};
use flagfall_base::delivery::Connections;
use flagfall_base::jobs::JobWriter;
use flagfall_base::keys::{PLAYED_DUE, PROOF_DUE, RATING_DUE, REMATCH};
use flagfall_base::memory::MemoryGuard;
use flagfall_base::random::random_code;
use flagfall_base::telemetry as names;

/// Index records read at a time.
pub(super) const SCAN_CHUNK: usize = 512;
/// Cold loads of different games that may run at once; those of one game never do.
const LOAD_LANES: usize = 64;

/// What tables need to know.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// How long deployments are taken, in milliseconds.
    pub deploy_ms: u64,
    /// What of the network's delay is given back in new games; none where nothing is.
    pub lag_quota: Option<LagQuota>,
    /// After how long a game can be claimed at the earliest, in milliseconds.
    pub claim_ms: u64,
    /// The most spectators of one game.
    pub spectators_max: usize,
    /// The most running games of one player.
    pub games_per_player_max: usize,
    /// The most running games of all players together.
    pub running_games_max: usize,
    /// How far memory is used.
    pub memory: MemoryGuard,
    /// How long a running game stays in memory when the last who had it open has gone, in milliseconds;
    /// on a live clock a minute at most.
    pub rest_ms: u64,
    /// Whether finished games are signed.
    pub signs: bool,
    /// Writes what follows from events as jobs of this server.
    pub jobs: JobWriter,
    /// Where players are told of new games.
    pub connections: Connections,
}

/// Why the running games could not be recovered at all. Single damaged games are no reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the running games could not be read from the store: {0}")]
pub struct StartError(#[from] StoreError);

/// The time by which the store stamps: a flag falls by no other.
struct StoreClock(Arc<dyn Store>);

impl WallClock for StoreClock {
    fn now(&self) -> Stamp {
        self.0.now()
    }
}

/// All tables of this server. Cheap to clone; all clones are one registry.
#[derive(Clone)]
pub struct Tables {
    pub(super) inner: Arc<Inner>,
}

/// Why a server has no name among others.
const NO_CHANCE: &str = "the operating system gives no random bits";

pub(super) struct Inner {
    pub(super) store: Arc<dyn Store>,
    clock: Box<dyn WallClock>,
    /// The other servers.
    peers: Peers,
    /// Who sits where, if other servers may append.
    seats: Option<Seats>,
    pub(super) settings: TableSettings,
    /// Running games that are not in memory, as of the last count.
    pub(super) at_rest: AtomicUsize,
    /// What lists show of games at rest.
    pub(super) public_games: Mutex<PublicGames>,
    /// How many games run, in memory or at rest.
    pub(super) running: RunningCount,
    /// Tables opened because a flag may fall.
    pub(super) flags_in_care: InCare,
    /// Tables opened because a house player is to act.
    pub(super) house_in_care: InCare,
    epoch: AtomicU64,
    index: Mutex<Index>,
    /// One cold load of a game at a time, so that none gets two tables.
    loading: Vec<tokio::sync::Mutex<()>>,
    /// Where house players think.
    thinking_room: ThinkingRoom,
}

#[derive(Default)]
pub(super) struct Index {
    tables: HashMap<GameId, TableHandle>,
    /// Who plays which running game that is in memory. A player stands here as a number made of his id, which another one may share: whose a game is, its header says.
    seats: BTreeSet<(u64, GameId)>,
    /// Games this server is making right now, in the order in which it was asked to.
    pub(super) making: Vec<Making>,
    pub(super) is_stopping: bool,
}

impl Index {
    fn count(&mut self, game: GameId, header: &GameHeader) {
        self.seats.extend(Side::BOTH.map(|side| (number_of(&header.players[side].id), game)));
    }

    /// The running games in memory that a player plays.
    fn games_of(&self, player: &str) -> impl Iterator<Item = GameId> {
        let number = number_of(player);
        let seats = self.seats.range((number, GameId::from_random([0; 12]))..);
        let seats = seats.take_while(move |(other, _)| *other == number);
        // A table that a defect has ended is about to be there again.
        let is_his = |game: &GameId| self.tables.get(game).is_none_or(|handle| handle.has_seat(player));
        seats.map(|(_, game)| *game).filter(is_his)
    }

    /// Whether this is the table of the game.
    fn is_of(&self, game: GameId, shared: &Arc<Shared>) -> bool {
        self.tables.get(&game).is_some_and(|handle| Arc::ptr_eq(&handle.shared, shared))
    }

    fn uncount(&mut self, game: GameId, header: &GameHeader) {
        for side in Side::BOTH {
            self.seats.remove(&(number_of(&header.players[side].id), game));
        }
    }
}

/// A number made of a player's id, always the same in this process.
fn number_of(player: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    player.hash(&mut hasher);
    hasher.finish()
}

impl Tables {
    /// Opens the registry. Running games are opened when somebody asks for them or something is due in
    /// them; their clocks stood still since the last sign of life.
    ///
    /// # Errors
    /// [`StartError`] when the store does not answer. A damaged game is reported and left out.
    pub async fn start(store: Arc<dyn Store>, settings: TableSettings) -> Result<Tables, StartError> {
        let clock = StoreClock(store.clone());
        Tables::start_at(store, settings, clock).await
    }

    /// As [`Tables::start`], by this clock.
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
                settings,
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
        // Last, for clocks run again from then on: players pay for as little of the start as can be.
        Outages::note(tables.store()).await?;
        Ok(tables)
    }

    /// The table of a game, opened from its log when nobody had it open.
    ///
    /// # Errors
    /// [`TableError`].
    pub async fn find(&self, game: GameId) -> Result<TableHandle, TableError> {
        match self.handle(game) {
            Some(handle) => Ok(handle),
            None => self.load(game, Stay::Passing, None).await,
        }
    }

    /// As [`Tables::find`]; a table that is opened leaves as soon as nothing is due, and counts until
    /// then.
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

    /// Who sits where, if there can be other servers.
    #[must_use]
    pub fn seats(&self) -> Option<&Seats> {
        self.inner.seats.as_ref()
    }

    /// A player of the game has come to or gone from another server.
    fn note_seats(&self, game: GameId) {
        if let Some(handle) = self.handle(game) {
            handle.note_seats();
        }
    }

    pub(crate) fn connections(&self) -> &Connections {
        &self.inner.settings.connections
    }

    pub(super) fn is_making(&self, game: GameId) -> bool {
        self.index().making.iter().any(|making| making.game == game)
    }

    pub(super) fn running_handles(&self) -> Vec<TableHandle> {
        self.index().tables.values().filter(|handle| handle.is_running()).cloned().collect()
    }

    /// Has every running table look at the store, which has found an outage.
    pub(crate) fn wake_all(&self) {
        self.running_handles().iter().for_each(TableHandle::wake_table);
    }

    pub(super) fn handle(&self, game: GameId) -> Option<TableHandle> {
        self.index().tables.get(&game).cloned()
    }

    /// Boxed, for a table that leaves may find its successor, which is loaded by this.
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
            // Nobody would write its pause any more.
            return Err(TableError::Unavailable);
        }
        let mut listed = None;
        if !table.is_over() {
            // Read after the log: it tells of the outages for which clocks stand still when it goes on.
            let outages = Outages::known(&*self.inner.store).await.map_err(|_| TableError::Unavailable)?;
            table.recover_from(&outages);
            listed = self.listing(game).await?.map(|listing| listing.absence);
            table.set_absence(listed.unwrap_or_default());
        }
        table.set_claim_wait(self.inner.settings.claim_ms);
        table.signs = self.inner.settings.signs;
        table.jobs = Some(self.inner.settings.jobs.clone());
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

    /// The table of a log. Whatever is wrong with the log, or with how it is replayed, stays with this game.
    pub(super) fn table_of(&self, game: GameId, stored: &[StoredEntry]) -> Result<Table, TableError> {
        let (epoch, spectators_max) =
            (self.inner.epoch.load(Ordering::Relaxed), self.inner.settings.spectators_max);
        let made = std::panic::catch_unwind(|| Table::from_log(game, epoch, spectators_max, stored));
        match made {
            Ok(Ok(table)) => Ok(table),
            Ok(Err(error)) => {
                tracing::error!(%game, %error, "the game's log is sound but cannot be read by this server");
                Err(TableError::Quarantined)
            }
            Err(_) => {
                tracing::error!(%game, "the game's log is sound but replaying it meets a defect of this server");
                Err(TableError::Quarantined)
            }
        }
    }

    /// The store has lost what clients were told: their positions say nothing any more.
    pub(super) async fn begin_epoch(&self) {
        match self.inner.store.bump_epoch().await {
            Ok(epoch) => {
                self.inner.epoch.fetch_max(epoch, Ordering::Relaxed);
            }
            Err(error) => tracing::warn!(%error, "no new epoch could be begun in the store"),
        }
    }

    pub(super) fn thinking_room(&self) -> ThinkingRoom {
        self.inner.thinking_room.clone()
    }

    /// The moment it is.
    pub(crate) fn now(&self) -> Stamp {
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

    /// True if a game is running, be it in memory or not.
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

    /// How many running games are being deployed, and how many played.
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

    /// Whether no table is in memory.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The planned stop: no new games, and if no other server goes on (`is_last`), every running game's pause in the log.
    /// Returns when all are.
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

    /// Writes jobs as those of this server.
    #[must_use]
    pub fn jobs(&self) -> &JobWriter {
        &self.inner.settings.jobs
    }

    /// A game has ended: it is no running game of its players any more.
    pub(super) fn note_end(&self, game: GameId, header: &GameHeader) {
        self.index().uncount(game, header);
        self.inner.running.note_end();
        for kind in [RATING_DUE.name, PLAYED_DUE.name, PROOF_DUE.name] {
            self.jobs().wake(kind);
        }
    }

    /// A table is lost to a defect, or to another branch of its log.
    pub(super) fn forget(&self, game: GameId, shared: &Arc<Shared>) {
        let mut index = self.index();
        if index.is_of(game, shared) {
            index.tables.remove(&game);
        }
    }

    /// A table leaves memory, if nobody is about to write to it; whether it does. Whoever looks for the game from now on finds its log, and whoever found this table
    /// before keeps it.
    pub(super) fn let_go(&self, game: GameId, shared: &Arc<Shared>, mailbox: &Mailbox<Box<Message>>) -> bool {
        let mut index = self.index();
        let own_ways = usize::from(index.is_of(game, shared));
        // Ways are found in the index alone, which is locked.
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
        // Nothing panics while it holds this lock; were it so, the index itself is still whole.
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
