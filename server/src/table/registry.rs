//! All tables: found, made, recovered, stopped.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_protocol::{
    Code, GameSummary, GameView, LagQuota, Phase, Player, PlayerKind, Secret, ServerToClient, Terms,
};
use flagfall_rules::{EndReason, Entropy, Lakes, Ruleset, Viewer, view};
use flagfall_store::record::{self, LogBody, LogEntry};
use flagfall_store::{Append, AppendOutcome, Head, Key, Store, StoreError, StoredEntry, WallClock, Write};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::sync::{Notify, Semaphore, oneshot};

use super::actor::{Message, Shared, TableHandle, channel};
use super::commit::index_keys;
use super::core::{ReadFailure, Table};
use super::header::GameHeader;
use super::house;
use super::outages::Outages;
use super::replay;
use super::search::read_all;
use crate::chance::{random_bytes, random_code};
use crate::gateway::{Connections, Payload};
use crate::peers::{Peers, Seats};
use crate::players::players_today;
use crate::turns::due_turn;

/// Index records read at a time.
pub(super) const SCAN_CHUNK: usize = 512;
/// Running games recovered at once.
const RECOVER_AT_ONCE: usize = 64;
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
    /// Where players are told of new games.
    pub connections: Connections,
}

/// What a new game is made with.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// The id it gets.
    pub id: GameId,
    /// What is played.
    pub terms: Terms,
    /// Who plays.
    pub players: PerSide<Player>,
    /// Which players keep their deployment private after the end.
    pub secret: PerSide<bool>,
    /// The game this is a rematch of.
    pub previous: Option<GameId>,
}

/// A game that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What was played.
    pub terms: Terms,
    /// Who played, as they were called then.
    pub players: PerSide<Player>,
    /// Who won, if anybody did.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: EndReason,
    /// Turns taken.
    pub plies: u16,
    /// When it ended.
    pub ended: Stamp,
}

/// A game that is over, with what its players may keep of it.
#[derive(Clone, Debug)]
pub struct Archived {
    /// What everybody who may see the game knows.
    pub finished: Finished,
    /// Each side's own deployment (§P4 without blanks), where it had one. Its player's alone.
    pub deployments: PerSide<Option<Secret>>,
}

/// Why there is no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableError {
    /// No game of this id, or a private one of others.
    #[error("there is no game of that id, or it is private")]
    NotFound,
    /// The game's log is damaged.
    #[error("this game's log is damaged; an operator must look at it. Other games go on")]
    Quarantined,
    /// The store does not answer.
    #[error("the store cannot be reached now; try again in a moment")]
    Unavailable,
}

/// Why a game was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CreateError {
    /// The store does not answer; the same id may be tried again.
    #[error("the store cannot be reached now; try again in a moment")]
    Unavailable,
    /// A player has too many running games.
    #[error("a player has {0} running games already: finish one first")]
    TooManyGames(usize),
    /// The server stops.
    #[error("the server is stopping: no new games")]
    Stopping,
    /// The ruleset is unknown.
    #[error("there is no ruleset of that id")]
    NoSuchRuleset,
    /// The operating system gave no random bits for the lakes.
    #[error("the server has no chance to draw lakes with; try again in a moment")]
    NoChance,
}

impl From<ReadFailure> for TableError {
    fn from(failure: ReadFailure) -> TableError {
        match failure {
            ReadFailure::Damaged => TableError::Quarantined,
            ReadFailure::Unavailable => TableError::Unavailable,
        }
    }
}

impl From<&TableError> for Code {
    fn from(error: &TableError) -> Code {
        Code::new(match error {
            TableError::NotFound => Code::NO_SUCH_GAME,
            TableError::Quarantined => Code::GAME_QUARANTINED,
            TableError::Unavailable => Code::STORE_UNAVAILABLE,
        })
    }
}

impl From<&CreateError> for Code {
    fn from(error: &CreateError) -> Code {
        Code::new(match error {
            CreateError::Unavailable | CreateError::NoChance => Code::STORE_UNAVAILABLE,
            CreateError::TooManyGames(_) => Code::TOO_MANY,
            CreateError::Stopping => Code::STOPPING,
            CreateError::NoSuchRuleset => Code::NO_SUCH_RULESET,
        })
    }
}

/// A ruleset's name among the metrics: custom games have their base's, for there are thousands of them.
fn ruleset_label(id: &str) -> String {
    id.split(',').next().unwrap_or_default().to_owned()
}

/// The lakes of a new game of this ruleset, where they are not its own. Whoever makes the game first draws: a repetition finds the log.
fn drawn_lakes(ruleset: &str) -> Result<Option<Vec<Square>>, CreateError> {
    let ruleset = Ruleset::find(ruleset).ok_or(CreateError::NoSuchRuleset)?;
    let lakes = match ruleset.lakes {
        Lakes::OfTheShape => return Ok(None),
        Lakes::Drawn => ruleset.draw_lakes(&Entropy(random_bytes().map_err(|_| CreateError::NoChance)?)),
    };
    Ok(Some(lakes.iter().collect()))
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
    inner: Arc<Inner>,
}

/// Why a server has no name among others.
const NO_CHANCE: &str = "the operating system gives no random bits";

struct Inner {
    store: Arc<dyn Store>,
    clock: Box<dyn WallClock>,
    /// The other servers.
    peers: Peers,
    /// Who sits where, if other servers may append.
    seats: Option<Seats>,
    settings: TableSettings,
    epoch: AtomicU64,
    /// When there was no server, before this one.
    outages: Outages,
    index: Mutex<Index>,
    /// One cold load of a game at a time, so that none gets two tables.
    loading: Vec<tokio::sync::Mutex<()>>,
    /// Where house players think.
    thinking_room: Arc<Semaphore>,
    ended: Notify,
    archived: Notify,
}

#[derive(Default)]
struct Index {
    tables: HashMap<GameId, TableHandle>,
    /// The running games of each player.
    of_player: HashMap<String, BTreeSet<GameId>>,
    /// Games this server is making right now.
    making: BTreeSet<GameId>,
    is_stopping: bool,
}

impl Index {
    fn count(&mut self, game: GameId, header: &GameHeader) {
        for player in Side::BOTH.map(|side| &header.players[side]) {
            self.of_player.entry(player.id.clone()).or_default().insert(game);
        }
    }

    fn uncount(&mut self, game: GameId, header: &GameHeader) {
        for player in Side::BOTH.map(|side| &header.players[side]) {
            if let Some(games) = self.of_player.get_mut(&player.id) {
                games.remove(&game);
                if games.is_empty() {
                    self.of_player.remove(&player.id);
                }
            }
        }
    }
}

impl Tables {
    /// Opens the registry and every running game of the store; their clocks stood still since the last sign of life.
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
        let outages = Outages::note(&*store).await?;
        let server = random_code().map_err(|_| StoreError::Unavailable { why: NO_CHANCE.to_owned() })?;
        let tables = Tables {
            inner: Arc::new(Inner {
                seats: store.announcements().map(|_| Seats::new(server.clone())),
                peers: Peers::new(store.clone(), server),
                store,
                clock: Box::new(clock),
                settings,
                epoch: AtomicU64::new(epoch),
                outages,
                index: Mutex::default(),
                loading: (0..LOAD_LANES).map(|_| tokio::sync::Mutex::default()).collect(),
                thinking_room: house::thinking_room(),
                ended: Notify::new(),
                archived: Notify::new(),
            }),
        };
        tables.recover().await?;
        Ok(tables)
    }

    async fn recover(&self) -> Result<(), StoreError> {
        let prefix = Key::new("live/").map_err(StoreError::from)?;
        let mut after = None;
        let (mut recovered, mut damaged) = (0_usize, 0_usize);
        let mut told = std::time::Instant::now();
        loop {
            let records = self.inner.store.scan(prefix.clone(), after.clone(), SCAN_CHUNK).await?;
            let Some((last, _)) = records.last() else { break };
            after = Some(last.clone());
            let loads = records.iter().filter_map(|(key, _)| game_of(key)).map(|game| {
                let tables = self.clone();
                // A task of its own: it may use another core, and a defect in one game's replay ends nothing else.
                tokio::spawn(async move { (game, tables.find(game).await) })
            });
            let mut loads = futures_util::stream::iter(loads).buffer_unordered(RECOVER_AT_ONCE);
            while let Some(loaded) = loads.next().await {
                match loaded {
                    Ok((_, Ok(_))) => recovered += 1,
                    Ok((game, Err(error))) => {
                        damaged += 1;
                        tracing::error!(%game, %error, "a running game cannot go on; all others do");
                    }
                    Err(_) => damaged += 1,
                }
                if told.elapsed().as_secs() >= 1 {
                    told = std::time::Instant::now();
                    tracing::info!(recovered, "recovering running games");
                }
            }
        }
        if recovered + damaged > 0 {
            tracing::info!(recovered, damaged, "running games go on; no clock ran while the server was down");
        }
        Ok(())
    }

    /// Makes a game and its table. It is durable when this returns; repeating it with the same id changes nothing.
    ///
    /// # Errors
    /// [`CreateError`]; nobody has a game then.
    pub async fn create(&self, new: NewGame) -> Result<GameSummary, CreateError> {
        let header = GameHeader {
            lakes: drawn_lakes(&new.terms.ruleset)?,
            deploy_ms: new.terms.time.deploy_ms(self.inner.settings.deploy_ms),
            lag_quota: self.inner.settings.lag_quota.filter(|_| new.terms.time.gives_lag_back()),
            terms: new.terms,
            players: new.players,
            secret: new.secret,
            previous: new.previous,
        };
        let id = new.id;
        if let Some(handle) = self.handle(id) {
            return Ok(handle.summary());
        }
        header.game_terms(id, Stamp(0)).ok_or(CreateError::NoSuchRuleset)?;
        self.take_room(id, &header)?;
        let made = self.create_now(id, &header).await;
        self.index().making.remove(&id);
        if made.is_err() {
            self.give_room_back(id, &header);
        }
        made
    }

    async fn create_now(&self, id: GameId, header: &GameHeader) -> Result<GameSummary, CreateError> {
        let entry = LogEntry { command: None, lag_ms: 0, body: LogBody::Opened(header.clone()) };
        let body = record::encode(entry).map_err(|_| CreateError::Unavailable)?;
        let mut writes: Vec<Write> =
            index_keys(id, header).map(|key| Write::Put { key, value: Vec::new(), expires: None }).collect();
        if let Some(key) = header.previous.and_then(|previous| Key::new(format!("rematch/{previous}")).ok()) {
            writes.push(Write::Put { key, value: id.as_str().into(), expires: None });
        }
        writes.extend(due_turn(id, header, 1));
        let append = Append { game: id, expected: Head::START, deadline: None, bodies: vec![body], writes };
        match self.inner.store.append(append).await {
            // A conflict means that the log is there: the id was chosen for this game, and this is a repetition.
            Ok(AppendOutcome::Ok { .. } | AppendOutcome::Conflict { .. }) => {}
            Ok(AppendOutcome::Unknown) => {
                let head = self.inner.store.head(id).await.map_err(|_| CreateError::Unavailable)?;
                if head == Head::START {
                    return Err(CreateError::Unavailable);
                }
            }
            Ok(_) | Err(_) => return Err(CreateError::Unavailable),
        }
        metrics::counter!("flagfall_games_made_total", "ruleset" => ruleset_label(&header.terms.ruleset))
            .increment(1);
        let handle = self.find(id).await.map_err(|_| CreateError::Unavailable)?;
        Ok(handle.summary())
    }

    /// Counts the game to its players, if they have room for it.
    fn take_room(&self, id: GameId, header: &GameHeader) -> Result<(), CreateError> {
        let mut index = self.index();
        if index.is_stopping {
            return Err(CreateError::Stopping);
        }
        let max = self.inner.settings.games_per_player_max;
        let is_full = Side::BOTH.map(|side| &header.players[side]).into_iter().any(|player| {
            let games = index.of_player.get(&player.id);
            player.kind != PlayerKind::House
                && games.is_some_and(|games| games.len() >= max && !games.contains(&id))
        });
        if is_full {
            return Err(CreateError::TooManyGames(max));
        }
        index.count(id, header);
        index.making.insert(id);
        Ok(())
    }

    fn give_room_back(&self, id: GameId, header: &GameHeader) {
        let mut index = self.index();
        if !index.tables.contains_key(&id) {
            index.uncount(id, header);
        }
    }

    /// Makes the rematch of a game that ended under this id, sides swapped, and tells both players.
    pub(super) async fn rematch(
        &self,
        game: GameId,
        header: &GameHeader,
        id: GameId,
    ) -> Result<GameSummary, CreateError> {
        let swap = |side: Side| header.players[side.opponent()].clone();
        let summary = self
            .create(NewGame {
                id,
                terms: header.terms.clone(),
                players: PerSide::from_fn(swap),
                secret: PerSide::from_fn(|side: Side| header.secret[side.opponent()]),
                previous: Some(game),
            })
            .await?;
        for side in Side::BOTH {
            let started = ServerToClient::GameStarted { game: summary.clone(), side };
            self.inner.settings.connections.notify(&summary.players[side].id, &Payload::new(&started));
        }
        Ok(summary)
    }

    /// The table of a game, opened from its log when nobody had it open.
    ///
    /// # Errors
    /// [`TableError`].
    pub async fn find(&self, game: GameId) -> Result<TableHandle, TableError> {
        match self.handle(game) {
            Some(handle) => Ok(handle),
            None => self.load(game).await,
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
    pub(crate) fn note_seats(&self, game: GameId) {
        if let Some(handle) = self.handle(game) {
            handle.note_seats();
        }
    }

    /// What is known of players on other servers counts from now on.
    pub(crate) fn note_all_seats(&self) {
        self.running_handles().iter().for_each(TableHandle::note_seats);
    }

    pub(crate) fn connections(&self) -> &Connections {
        &self.inner.settings.connections
    }

    pub(super) fn is_making(&self, game: GameId) -> bool {
        self.index().making.contains(&game)
    }

    pub(super) fn running_handles(&self) -> Vec<TableHandle> {
        self.index().tables.values().filter(|handle| handle.is_running()).cloned().collect()
    }

    pub(super) fn handle(&self, game: GameId) -> Option<TableHandle> {
        self.index().tables.get(&game).cloned()
    }

    /// Boxed, for a table that leaves may find its successor, which is loaded by this.
    fn load(&self, game: GameId) -> BoxFuture<'_, Result<TableHandle, TableError>> {
        self.load_now(game).boxed()
    }

    async fn load_now(&self, game: GameId) -> Result<TableHandle, TableError> {
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
        table.recover(self.inner.outages.since(table.game.latest()));
        table.set_claim_wait(self.inner.settings.claim_ms);
        if let Some(seats) = self.seats() {
            table.share(seats.elsewhere(game));
        }
        let (handle, actor) = channel(game, table, self, self.inner.store.clone());
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
    fn table_of(&self, game: GameId, stored: &[StoredEntry]) -> Result<Table, TableError> {
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

    pub(super) fn thinking_room(&self) -> Arc<Semaphore> {
        self.inner.thinking_room.clone()
    }

    /// The moment it is.
    pub(crate) fn now(&self) -> Stamp {
        self.inner.clock.now()
    }

    async fn rematch_of(&self, game: GameId) -> Option<GameId> {
        let value = self.inner.store.get(Key::new(format!("rematch/{game}")).ok()?).await.ok()??;
        std::str::from_utf8(&value).ok()?.parse().ok()
    }

    /// The public games that are running, newest first.
    #[must_use]
    pub fn running(&self, limit: usize) -> Vec<GameSummary> {
        let mut handles: Vec<TableHandle> = {
            let index = self.index();
            let is_shown = |handle: &&TableHandle| !handle.shared.header.terms.private && handle.is_running();
            index.tables.values().filter(is_shown).cloned().collect()
        };
        let newest_first = |handle: &TableHandle| Reverse((handle.shared.created, handle.id()));
        if limit < handles.len() {
            handles.select_nth_unstable_by_key(limit, newest_first);
            handles.truncate(limit);
        }
        handles.sort_by_key(newest_first);
        handles.iter().map(TableHandle::summary).collect()
    }

    /// A player's running games, newest first.
    pub async fn games_of(&self, player: &str) -> Vec<GameSummary> {
        let handles: Vec<TableHandle> = {
            let index = self.index();
            let games = index.of_player.get(player).into_iter().flatten();
            games.filter_map(|game| index.tables.get(game)).cloned().collect()
        };
        let mut summaries: Vec<GameSummary> = handles.iter().map(TableHandle::summary).collect();
        summaries.sort_by_key(|summary| Reverse((summary.created, summary.id)));
        summaries
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

    /// Notified whenever a game of this server's has ended, for whoever writes histories.
    #[must_use]
    pub fn archived(&self) -> &Notify {
        &self.inner.archived
    }

    /// A game as its log tells it, once it is over.
    ///
    /// # Errors
    /// [`TableError`].
    pub async fn finished(&self, game: GameId) -> Result<Option<Finished>, TableError> {
        finished(&*self.inner.store, game).await
    }

    /// The same, with what its players may keep of it.
    ///
    /// # Errors
    /// [`TableError`].
    pub async fn archive(&self, game: GameId) -> Result<Option<Archived>, TableError> {
        archive(&*self.inner.store, game).await
    }

    /// Notified whenever a game of this server's has ended.
    #[must_use]
    pub fn ended(&self) -> &Notify {
        &self.inner.ended
    }

    /// A game has ended: it is no running game of its players any more.
    pub(super) fn note_end(&self, game: GameId, header: &GameHeader) {
        self.index().uncount(game, header);
        self.inner.ended.notify_one();
        self.inner.archived.notify_one();
    }

    /// A table leaves memory.
    pub(super) fn forget(&self, game: GameId, shared: &Arc<Shared>) {
        let mut index = self.index();
        if index.tables.get(&game).is_some_and(|handle| Arc::ptr_eq(&handle.shared, shared)) {
            index.tables.remove(&game);
        }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // Nothing panics while it holds this lock; were it so, the index itself is still whole.
        self.inner.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A game as its log tells it, once it is over.
///
/// # Errors
/// [`TableError`].
pub async fn finished(store: &dyn Store, game: GameId) -> Result<Option<Finished>, TableError> {
    Ok(archive(store, game).await?.map(|archived| archived.finished))
}

async fn archive(store: &dyn Store, game: GameId) -> Result<Option<Archived>, TableError> {
    let stored = read_all(store, game, 0).await?;
    if stored.is_empty() {
        return Err(TableError::NotFound);
    }
    let (header, game, _) = replay::replay(game, &stored, |_, _| {}).map_err(|_| TableError::Quarantined)?;
    let Some(outcome) = game.outcome() else { return Ok(None) };
    let finished = Finished {
        terms: header.terms,
        players: header.players,
        winner: outcome.winner,
        reason: outcome.reason,
        plies: game.ply(),
        ended: game.latest(),
    };
    // Through the one door: each side's own view opens its own deployment.
    let own = |side: Side| {
        let seen = GameView::from(&view(&game, Viewer::Player(side), game.latest()));
        seen.opened[side].clone().map(|opened| Secret::new(opened.setup))
    };
    Ok(Some(Archived { finished, deployments: PerSide::from_fn(own) }))
}

pub(super) fn game_of(key: &Key) -> Option<GameId> {
    std::str::from_utf8(key.as_bytes()).ok()?.strip_prefix("live/")?.parse().ok()
}
