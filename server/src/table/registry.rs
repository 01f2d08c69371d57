//! All tables: found, made, recovered, stopped.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Code, GameSummary, Player, PlayerKind, ServerToClient, Terms};
use flagfall_store::record::{self, LogBody, LogEntry};
use flagfall_store::{Append, AppendOutcome, Head, Key, ReadError, Store, StoreError, StoredEntry, Write};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::actor::{Message, Shared, TableHandle, channel, player_ids};
use super::commit::index_keys;
use super::core::Table;
use super::header::GameHeader;
use crate::chance::random_game_id;
use crate::gateway::{Connections, Payload};

/// Entries read at a time.
const READ_CHUNK: usize = 512;
/// Running games recovered at once.
const RECOVER_AT_ONCE: usize = 64;

/// What tables need to know.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// How long deployments are taken, in milliseconds.
    pub deploy_ms: u64,
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
            CreateError::Unavailable => Code::STORE_UNAVAILABLE,
            CreateError::TooManyGames(_) => Code::TOO_MANY,
            CreateError::Stopping => Code::STOPPING,
            CreateError::NoSuchRuleset => Code::NO_SUCH_RULESET,
        })
    }
}

/// Why the running games could not be recovered at all. Single damaged games are no reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the running games could not be read from the store: {0}")]
pub struct StartError(#[from] StoreError);

/// All tables of this server. Cheap to clone; all clones are one registry.
#[derive(Clone)]
pub struct Tables {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    settings: TableSettings,
    epoch: u64,
    index: Mutex<Index>,
    /// One cold load at a time, so that no game gets two tables.
    loading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Index {
    tables: HashMap<GameId, TableHandle>,
    /// The running games of each player.
    of_player: HashMap<String, BTreeSet<GameId>>,
    is_stopping: bool,
}

impl Tables {
    /// Opens the registry and every running game of the store; their clocks stood still since the last sign of life.
    ///
    /// # Errors
    /// [`StartError`] when the store does not answer. A damaged game is reported and left out.
    pub async fn start(store: Arc<dyn Store>, settings: TableSettings) -> Result<Tables, StartError> {
        let epoch = store.epoch().await?;
        let since = store.last_heartbeat().await?;
        let tables = Tables {
            inner: Arc::new(Inner {
                store,
                settings,
                epoch,
                index: Mutex::default(),
                loading: tokio::sync::Mutex::default(),
            }),
        };
        tables.recover(since).await?;
        Ok(tables)
    }

    async fn recover(&self, since: Option<Stamp>) -> Result<(), StoreError> {
        let prefix = Key::new("live/").map_err(StoreError::from)?;
        let mut after = None;
        let (mut recovered, mut damaged) = (0_usize, 0_usize);
        let started = std::time::Instant::now();
        loop {
            let records = self.inner.store.scan(prefix.clone(), after.clone(), READ_CHUNK).await?;
            let Some((last, _)) = records.last() else { break };
            after = Some(last.clone());
            let games: Vec<GameId> = records.iter().filter_map(|(key, _)| game_of(key)).collect();
            for group in games.chunks(RECOVER_AT_ONCE) {
                let loads = group.iter().map(|game| self.load(*game, Some(since.unwrap_or_default())));
                for (game, loaded) in group.iter().zip(futures_util::future::join_all(loads).await) {
                    match loaded {
                        Ok(_) => recovered += 1,
                        Err(error) => {
                            damaged += 1;
                            tracing::error!(%game, %error, "a running game cannot go on; all others do");
                        }
                    }
                }
            }
            if started.elapsed().as_secs() >= 1 {
                tracing::info!(recovered, "recovering running games");
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
            terms: new.terms,
            players: new.players,
            secret: new.secret,
            deploy_ms: self.inner.settings.deploy_ms,
            previous: new.previous,
        };
        self.check_room(&header)?;
        let id = new.id;
        header.game_terms(id, Stamp(0)).ok_or(CreateError::NoSuchRuleset)?;
        let entry = LogEntry { command: None, body: LogBody::Opened(header.clone()) };
        let body = record::encode(entry).map_err(|_| CreateError::Unavailable)?;
        let mut writes: Vec<Write> =
            index_keys(id, &header).map(|key| Write::Put { key, value: Vec::new(), expires: None }).collect();
        if let Some(key) = header.previous.and_then(|previous| Key::new(format!("rematch/{previous}")).ok()) {
            writes.push(Write::Put { key, value: id.as_str().into(), expires: None });
        }
        let append =
            Append { game: id, expected: Head::START, deadline: None, bodies: vec![body.clone()], writes };
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
        metrics::counter!("flagfall_games_made_total", "ruleset" => header.terms.ruleset.clone())
            .increment(1);
        let handle = self.load(id, None).await.map_err(|_| CreateError::Unavailable)?;
        Ok(handle.summary())
    }

    fn check_room(&self, header: &GameHeader) -> Result<(), CreateError> {
        let index = self.index();
        if index.is_stopping {
            return Err(CreateError::Stopping);
        }
        let max = self.inner.settings.games_per_player_max;
        let is_full = Side::BOTH.into_iter().any(|side| {
            let player = &header.players[side];
            player.kind != PlayerKind::House
                && index.of_player.get(&player.id).is_some_and(|games| games.len() >= max)
        });
        if is_full { Err(CreateError::TooManyGames(max)) } else { Ok(()) }
    }

    /// Makes the rematch of a game that ended, sides swapped, and tells both players.
    pub(super) async fn rematch(
        &self,
        game: GameId,
        header: &GameHeader,
    ) -> Result<GameSummary, CreateError> {
        let id = random_game_id().map_err(|_| CreateError::Unavailable)?;
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
        if let Some(handle) = self.index().tables.get(&game) {
            return Ok(handle.clone());
        }
        self.load(game, None).await
    }

    /// Boxed, for a table that leaves may find its successor, which is loaded by this.
    fn load(
        &self,
        game: GameId,
        recover_since: Option<Stamp>,
    ) -> BoxFuture<'_, Result<TableHandle, TableError>> {
        self.load_now(game, recover_since).boxed()
    }

    async fn load_now(&self, game: GameId, recover_since: Option<Stamp>) -> Result<TableHandle, TableError> {
        let _one_at_a_time =
            if recover_since.is_none() { Some(self.inner.loading.lock().await) } else { None };
        if let Some(handle) = self.index().tables.get(&game) {
            return Ok(handle.clone());
        }
        let stored = self.read_all(game, 0).await.map_err(|error| match error {
            ReadError::Damaged { .. } => {
                tracing::error!(%error, "the game is in quarantine, others go on");
                TableError::Quarantined
            }
            ReadError::Unavailable { .. } => TableError::Unavailable,
        })?;
        if stored.is_empty() {
            return Err(TableError::NotFound);
        }
        let spectators_max = self.inner.settings.spectators_max;
        let mut table =
            Table::from_log(game, self.inner.epoch, spectators_max, &stored).map_err(|error| {
                tracing::error!(%game, %error, "the game's log is sound but cannot be read by this server");
                TableError::Quarantined
            })?;
        if let Some(rematch) = self.rematch_of(game).await {
            table.set_rematch(rematch);
        }
        let (handle, actor) = channel(game, table, self, self.inner.store.clone());
        let mut index = self.index();
        index.tables.insert(game, handle.clone());
        if handle.is_running() {
            for side in Side::BOTH {
                let player = player_ids(&handle.shared.header)[side].to_owned();
                index.of_player.entry(player).or_default().insert(game);
            }
        }
        drop(index);
        tokio::spawn(actor.run(recover_since));
        Ok(handle)
    }

    async fn rematch_of(&self, game: GameId) -> Option<GameId> {
        let value = self.inner.store.get(Key::new(format!("rematch/{game}")).ok()?).await.ok()??;
        std::str::from_utf8(&value).ok()?.parse().ok()
    }

    /// The entries of a log after a number, all of them.
    pub(super) async fn read_all(&self, game: GameId, after: u64) -> Result<Vec<StoredEntry>, ReadError> {
        let mut all = Vec::new();
        let mut after = after;
        loop {
            let chunk = self.inner.store.read(game, after, READ_CHUNK).await?;
            let Some(last) = chunk.last() else { return Ok(all) };
            after = last.seq;
            all.extend(chunk);
        }
    }

    /// The public games that are running, newest first.
    #[must_use]
    pub fn running(&self, limit: usize) -> Vec<GameSummary> {
        let handles: Vec<TableHandle> = {
            let index = self.index();
            let is_shown = |handle: &&TableHandle| !handle.shared.header.terms.private && handle.is_running();
            index.tables.values().filter(is_shown).cloned().collect()
        };
        let mut summaries: Vec<GameSummary> = handles.iter().map(TableHandle::summary).collect();
        summaries.sort_by_key(|summary| Reverse((summary.created, summary.id)));
        summaries.truncate(limit);
        summaries
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

    /// The planned stop: no new games, every running game's pause in the log. Returns when all are.
    pub async fn stop(&self) {
        let handles: Vec<TableHandle> = {
            let mut index = self.index();
            index.is_stopping = true;
            index.tables.values().cloned().collect()
        };
        let stops = handles.iter().map(|handle| async move {
            let (reply, stopped) = oneshot::channel();
            if handle.send_message(Message::Stop { reply }).await.is_ok() {
                let _table_left = stopped.await;
            }
        });
        futures_util::future::join_all(stops).await;
    }

    /// A game has ended: it is no running game of its players any more.
    pub(super) fn note_end(&self, game: GameId, header: &GameHeader) {
        let mut index = self.index();
        for side in Side::BOTH {
            let player = &header.players[side].id;
            if let Some(games) = index.of_player.get_mut(player) {
                games.remove(&game);
                if games.is_empty() {
                    index.of_player.remove(player);
                }
            }
        }
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

fn game_of(key: &Key) -> Option<GameId> {
    std::str::from_utf8(key.as_bytes()).ok()?.strip_prefix("live/")?.parse().ok()
}
