//! The registry of all tables: finds, loads, releases and stops them.

use std::cmp::Reverse;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{GameSummary, Phase, Refusal};
use flagfall_store::{Head, ReadError, Store, StoreError, StoredEntry, UpdateOutcome};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{Notify, oneshot};

use super::actor::{Care, Stay, channel};
use super::error::TableError;
use super::handle::{Message, TableHandle};
use super::host::Host;
use super::listing::{self, Listing};
use super::outages::{known_outages, note_outage};
use super::public_list::opening_line;
use super::replay;
use super::reply::{Answer, Reply};
use super::residents::{Follower, Residents};
use super::search::{self, read_all, replay_apart};
use super::settings::TableSettings;
use super::table::{Asked, NewCommand, Table, TableInput};
use super::thinking::ThinkingRoom;
use super::told_work::ToldWork;
use flagfall_base::background::Background;
use flagfall_base::cluster::{Peers, Seats};
use flagfall_base::delivery::Connections;
use flagfall_base::keys::{LIVE, REMATCH, SEAT};
use flagfall_base::names::players_today;
use flagfall_base::random::random_code;
use flagfall_base::telemetry::TABLES_OPENED;

/// The number of locks for loading games that are not in memory. Games with different locks can
/// be loaded at once.
const LOAD_LANES: usize = 64;

/// Why the registry could not be opened. Damaged games cannot be a cause, because opening the
/// registry reads no logs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the running games could not be read from the store: {0}")]
pub struct StartError(#[from] StoreError);

#[derive(Clone)]
pub struct Tables {
    pub(super) host: Arc<Host>,
    pub(super) on_demand: Arc<OnDemand>,
}

pub(super) struct OnDemand {
    /// The locks for loading games that are not in memory. They prevent two loads of the same
    /// game at once, so no game gets two tables.
    loading: Vec<tokio::sync::Mutex<()>>,
    /// Counts the tables that were opened because a flag may fall.
    pub(super) flags_in_care: Care,
    /// Counts the tables that were opened because a house player has to act.
    pub(super) house_in_care: Care,
    /// What other servers have reported to this server: records of due flags, and of house players'
    /// turns.
    pub(super) told_flags: ToldWork,
    pub(super) told_house: ToldWork,
    /// Notified when the list of public games is shown.
    pub(super) public_shown: Notify,
    /// The number of running games that were not in memory when they were last counted.
    pub(super) at_rest: AtomicUsize,
}

impl Tables {
    /// Opens the registry, without opening any games. A running game is opened later, when a
    /// player asks for it or when something is due in it. No logs are read here, so damaged games
    /// cannot make this fail. Returns [`StartError`] if the store does not answer, or if the
    /// operating system provides no random bits.
    pub async fn start(store: Arc<dyn Store>, settings: TableSettings) -> Result<Tables, StartError> {
        let epoch = store.epoch().await?;
        let server = random_code().map_err(|error| StoreError::Unavailable { why: error.to_string() })?;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        settings.connections.follow_players(store.clone());
        let seats = store.announcements().map(|_| Seats::new(server.clone()));
        let began_in_part = !store.silent_parts().is_empty();
        let host = Host {
            residents: Residents::new(Follower { store: store.clone(), seats: seats.clone() }),
            seats,
            peers: Peers::new(store.clone(), server, settings.write_form),
            store,
            settings: Arc::new(settings),
            epoch: AtomicU64::new(epoch),
            began_in_part,
            // Leave one thread free for connections.
            thinking_room: ThinkingRoom::new(threads.saturating_sub(1)),
            background: Background::per_core("replays"),
        };
        let on_demand = OnDemand {
            loading: (0..LOAD_LANES).map(|_| tokio::sync::Mutex::default()).collect(),
            flags_in_care: Care::default(),
            house_in_care: Care::default(),
            told_flags: ToldWork::default(),
            told_house: ToldWork::default(),
            public_shown: Notify::new(),
            at_rest: AtomicUsize::new(0),
        };
        let tables = Tables { host: Arc::new(host), on_demand: Arc::new(on_demand) };
        tables.read_public_games(true).await?;
        // Do this last, because clocks run from this moment on, and players should not lose time
        // to the start of the server.
        if !tables.host.settings.is_relay
            && let Some(since) = tables.store().last_heartbeat().await?
        {
            note_outage(tables.store(), since).await?;
        }
        Ok(tables)
    }

    /// Returns the table of a game. Loads the game from its log if it is not in memory.
    pub async fn find(&self, game: GameId) -> Result<TableHandle, TableError> {
        match self.residents().handle(game) {
            Some(handle) => Ok(handle),
            None => self.load(game, Stay::Passing, None).await,
        }
    }

    /// Like [`Tables::find`], for a player, or for a client without a token. If a game cannot be
    /// read, only its players learn that it exists, because it may be private.
    pub async fn find_for(&self, player: Option<&str>, game: GameId) -> Result<TableHandle, TableError> {
        match self.find(game).await {
            Err(error @ (TableError::NotFound | TableError::Quarantined | TableError::TooNew)) => {
                Err(self.told_to(player, game, error).await)
            }
            found => found,
        }
    }

    /// Removes the table of an erased game from memory. Clients that have the game open keep what
    /// they have received.
    pub fn forget_erased(&self, game: GameId) {
        if let Some(handle) = self.residents().handle(game).filter(|handle| !handle.is_running()) {
            self.residents().forget(&handle.facts);
        }
    }

    /// Returns the error to show to this client for a game that cannot be opened.
    async fn told_to(&self, player: Option<&str>, game: GameId, error: TableError) -> TableError {
        let first = self.store().read(game, 0, 1).await.unwrap_or_default();
        if let Some((header, _)) = first.first().and_then(|first| replay::open(game, first).ok()) {
            return if header.viewer(player).is_some() { error } else { TableError::NotFound };
        }
        // The first entry says who may see a game. Without it, the player may learn of the game
        // only if it is in their list of running games or in their history.
        if !self.is_seated(player, game).await.unwrap_or(false) {
            let has_played = match (player, error) {
                (Some(player), TableError::Quarantined | TableError::TooNew) => {
                    self.host.settings.features.has_played(self.store(), player, game).await
                }
                _ => false,
            };
            return if has_played { error } else { TableError::NotFound };
        }
        let quarantined = self.store().quarantined().await.unwrap_or_default();
        // A game whose whole log is lost looks like a game that never existed, so check whether the
        // game is quarantined.
        let is_lost = quarantined.iter().any(|(damaged, _)| *damaged == game);
        if is_lost { TableError::Quarantined } else { error }
    }

    async fn is_seated(&self, player: Option<&str>, game: GameId) -> Result<bool, StoreError> {
        let Some(player) = player else { return Ok(false) };
        Ok(self.store().get(SEAT.key([&player, &game])?).await?.is_some())
    }

    /// Like [`Tables::find`]. If the table is loaded here, it counts in `in_care`, and leaves
    /// memory when nothing is due.
    pub(super) async fn find_in_care(&self, game: GameId, in_care: &Care) -> Result<TableHandle, TableError> {
        match self.residents().handle(game) {
            Some(handle) => Ok(handle),
            None => self.load(game, Stay::Short, Some(in_care.clone())).await,
        }
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.host.store
    }

    /// True if the part of the store with this game does not answer, while other parts do.
    pub(super) fn is_part_away(&self, game: GameId) -> bool {
        self.store().silent_since_of(game).is_some() && !self.store().silent_parts().is_empty()
    }

    pub(super) fn residents(&self) -> &Residents {
        &self.host.residents
    }

    pub fn peers(&self) -> &Peers {
        &self.host.peers
    }

    /// The connections of players on all servers; `None` if there cannot be other servers.
    pub fn seats(&self) -> Option<&Seats> {
        self.host.seats.as_ref()
    }

    /// Carries out a player's command, and returns the answer. A refused command was not carried
    /// out, unless the refusal says that the store is unavailable or that the table met a defect.
    /// In these two cases the outcome is unknown, and sending the command again with the same id
    /// returns the true answer.
    pub async fn command(&self, game: GameId, command: NewCommand) -> Answer {
        const ATTEMPTS: usize = 3;
        for _ in 0..ATTEMPTS {
            let found = self.find_for(Some(&command.player), game).await;
            let table = found.map_err(|error| Refusal::from(&error))?;
            let (sender, answer) = oneshot::channel();
            let asked = Asked::new(Reply::Caller(sender), command.clone(), None);
            if table.send(TableInput::Command(asked)).await.is_ok() {
                // If a defect ends the table, no answer arrives.
                return answer.await.unwrap_or_else(|_| Err(Refusal::from(&TableError::Failed)));
            }
        }
        Err(Refusal::from(&TableError::Failed))
    }

    pub fn connections(&self) -> &Connections {
        self.host.connections()
    }

    /// Wakes the tables of all running games after the store has found an outage.
    pub fn wake_all(&self) {
        self.residents().running_handles().iter().for_each(TableHandle::wake_table);
    }

    /// Boxed, because this function calls itself: a table that leaves memory may pass messages to
    /// the game's next table, which is loaded here.
    fn load(
        &self,
        game: GameId,
        stay: Stay,
        care: Option<Care>,
    ) -> BoxFuture<'_, Result<TableHandle, TableError>> {
        let load = async move {
            let lane = game.as_str().bytes().fold(0, |sum, byte| sum + usize::from(byte)) % LOAD_LANES;
            let _one_at_a_time = self.on_demand.loading[lane].lock().await;
            if let Some(handle) = self.residents().handle(game) {
                return Ok(handle);
            }
            // Its answers would only come too late, and other games would wait in this lane.
            if self.is_part_away(game) {
                return Err(TableError::Unavailable);
            }
            // Read the log after following the game, so that no entry of another server is missed.
            let (followed, is_certain) = self.residents().follow(game).await;
            let asked = async {
                if let Some(seats) = self.seats() {
                    self.peers().ask_seats(seats, game).await;
                }
            };
            let (stored, ()) = tokio::join!(read_all(self.store(), game, 0), asked);
            let stored = stored?;
            if stored.is_empty() {
                return Err(TableError::NotFound);
            }
            let mut table = self.table_of(game, stored).await?;
            let listing = if table.is_over() { None } else { self.listing(game).await? };
            let mut players = table.header.players.clone();
            if let Some(listing) = &listing {
                listing.fill_in(&mut players);
            }
            let players = players_today(self.store(), &players).await;
            Arc::make_mut(&mut table.header).players = players;
            if table.is_over() {
                if let Some(guard) = self.store().guard(game).await? {
                    table.restore_from(&guard);
                }
                if let Some(rematch) = self.rematch_of(game).await {
                    table.rematch.set_game(rematch);
                }
            } else if self.residents().index.lock().is_stopping {
                // The server has already paused its tables, so the pause of a table that is opened
                // now would not be written.
                return Err(TableError::Unavailable);
            }
            let listed = listing.map(|listing| listing.absence);
            if !table.is_over() {
                // Read the outages after the log. The table needs those that the log lacks, because
                // clocks were stopped during them.
                let outages = known_outages(self.store(), game).await.map_err(|_| TableError::Unavailable)?;
                table.recover_from(&outages);
                table.attendance.set_absence(listed.unwrap_or_default());
            }
            if let Some(seats) = self.seats() {
                table.share(seats.elsewhere(game));
            }
            metrics::counter!(TABLES_OPENED).increment(1);
            let registry = Arc::new(self.clone());
            let (handle, actor) = channel(table, self.host.clone(), registry, (stay, care), listed);
            followed.insert(&handle);
            tokio::spawn(actor.run());
            if !is_certain {
                // The store did not confirm in time that the game is followed, so entries that came
                // after the log was read may have been missed.
                let _table_left = handle.send_message(Message::Audit).await;
            }
            Ok(handle)
        };
        load.boxed()
    }

    /// Returns the listing of a running game; `None` if the game is not listed. If the game's
    /// record contains no listing, first adds the game to all lists.
    pub(super) async fn listing(&self, game: GameId) -> Result<Option<Listing>, TableError> {
        let Some(listed) = self.listed(game).await? else { return Ok(None) };
        match Listing::read(&listed) {
            Some(listing) => Ok(Some(listing)),
            None => self.list(game, listed).await.map_err(|_| TableError::Unavailable),
        }
    }

    /// Adds a running game to all lists, using its log. This is needed if the game's record
    /// contains no due time. Version 0.1 stored none for live clocks, and a rebuilt list contains
    /// none.
    pub(super) async fn list(&self, game: GameId, listed: Vec<u8>) -> Result<Option<Listing>, StoreError> {
        let stored = match read_all(self.store(), game, 0).await {
            Ok(stored) => stored,
            Err(error @ ReadError::Unavailable { .. }) => return Err(error.into()),
            Err(error @ ReadError::Damaged { .. }) => {
                tracing::error!(%game, %error, "a running game cannot be opened; other games continue");
                return Ok(None);
            }
        };
        // If the replay fails, the error was already logged. A game that is over belongs on no
        // list.
        let Ok(mut table) = self.table_of(game, stored).await else { return Ok(None) };
        if table.is_over() {
            return Ok(None);
        }
        let players = players_today(self.store(), &table.header.players).await;
        Arc::make_mut(&mut table.header).players = players;
        let (summary, latest) = (table.summary(), table.game.latest());
        let listing = Listing {
            created: Stamp(summary.created),
            due: table.no_flag_before(latest),
            names: listing::names_of(&table.header),
            absence: listing::Absence::default(),
        };
        let Some(mut update) = listing.clone().replace(game, listed) else { return Ok(None) };
        update.writes.extend(opening_line(&table.header, &summary));
        if table.awaits_house() {
            update.writes.extend(listing::house_turn(game, &table.header, Some(latest)));
        }
        let is_listed = self.store().update(update).await? == UpdateOutcome::Ok;
        Ok(is_listed.then_some(listing))
    }

    async fn table_of(&self, game: GameId, stored: Vec<StoredEntry>) -> Result<Table, TableError> {
        let (epoch, settings) = (self.host.epoch_now().await, self.host.settings.clone());
        let made = replay_apart(&self.host.background, stored, move |stored| {
            std::panic::catch_unwind(AssertUnwindSafe(|| Table::from_log(game, epoch, settings, stored)))
        });
        match made.await? {
            Ok(Ok(table)) => Ok(table),
            Ok(Err(error)) => {
                tracing::error!(%game, %error, "the game's log is sound, but this server cannot read it; a newer version may be able to");
                Err(error.into())
            }
            Err(_) => {
                tracing::error!(%game, "the game's log is sound, but replaying it causes a panic: this is a defect of the server");
                Err(TableError::Quarantined)
            }
        }
    }

    /// Returns the head of a game's log as it was after this entry. `None` if the log does not
    /// contain the entry.
    pub async fn head_at(&self, game: GameId, seq: u64) -> Result<Option<Head>, TableError> {
        search::head_at(&self.host.background, self.store(), game, seq).await
    }

    pub fn now(&self) -> Stamp {
        self.host.now()
    }

    pub(super) async fn rematch_of(&self, game: GameId) -> Option<GameId> {
        let value = self.store().get(REMATCH.key([&game]).ok()?).await.ok()??;
        std::str::from_utf8(&value).ok()?.parse().ok()
    }

    /// Returns the newest public games that are running, in memory or at rest, newest first.
    pub fn running(&self, limit: usize) -> Vec<GameSummary> {
        self.on_demand.public_shown.notify_one();
        let (handles, at_rest) = {
            let index = self.residents().index.lock();
            let handles: Vec<TableHandle> = index.newest_public().take(limit).cloned().collect();
            let is_at_rest = |game: &&GameSummary| !index.tables.contains_key(&game.id);
            let at_rest: Vec<GameSummary> =
                self.residents().public_games.lock().iter().filter(is_at_rest).cloned().collect();
            (handles, at_rest)
        };
        let mut games: Vec<GameSummary> = handles.iter().map(TableHandle::summary).chain(at_rest).collect();
        games.sort_by_key(|game| Reverse((game.created, game.id)));
        games.truncate(limit);
        games
    }

    pub async fn is_running(&self, game: GameId) -> Result<bool, TableError> {
        if let Some(handle) = self.residents().handle(game) {
            return Ok(handle.is_running());
        }
        Ok(self.listed(game).await?.is_some())
    }

    async fn listed(&self, game: GameId) -> Result<Option<Vec<u8>>, TableError> {
        let live = LIVE.key([&game]).map_err(|_| TableError::Unavailable)?;
        self.store().get(live).await.map_err(|_| TableError::Unavailable)
    }

    /// Returns how many running games in memory are in the deployment phase, and how many are past
    /// it.
    pub fn count_by_phase(&self) -> (usize, usize) {
        let index = self.residents().index.lock();
        index.tables.values().fold((0, 0), |(deploying, playing), handle| match handle.facts.phase() {
            Phase::Deploying => (deploying + 1, playing),
            Phase::Playing => (deploying, playing + 1),
            Phase::Over => (deploying, playing),
        })
    }

    pub fn len(&self) -> usize {
        self.residents().index.lock().tables.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stops all tables because the server is stopping as planned. From now on, no games are
    /// created. If no other server continues (`is_last`), writes the pause of every running game,
    /// except on a relay. Returns when all tables have stopped.
    pub async fn stop(&self, is_last: bool) {
        let is_last = is_last && !self.host.settings.is_relay;
        let handles: Vec<TableHandle> = {
            let mut index = self.residents().index.lock();
            index.is_stopping = true;
            index.tables.values().cloned().collect()
        };
        let stops = handles.iter().map(|handle| async move {
            let _table_left = handle.request(|reply| Message::Stop { is_last, reply }).await;
        });
        futures_util::future::join_all(stops).await;
    }
}

/// News from other servers.
impl Tables {
    /// Called after players have opened or closed these games on other servers.
    pub fn seats_changed(&self, games: &[GameId]) {
        let handles = games.iter().filter_map(|game| self.residents().handle(*game));
        handles.for_each(|handle| handle.note_seats());
    }

    /// Called when this server receives notices again after a silence. Absences are then measured
    /// from this moment.
    pub fn sight_regained(&self) {
        self.residents().running_handles().iter().for_each(TableHandle::note_seats);
    }

    /// Called after a player has offered a rematch of this game on another server.
    pub fn rematch_offered(&self, game: GameId, side: Side) {
        if let Some(handle) = self.residents().handle(game) {
            handle.note_rematch_offered(side);
        }
    }
}
