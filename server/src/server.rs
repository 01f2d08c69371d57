//! The server as a whole: put together, run, stopped.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flagfall_protocol::CloseCode;
use flagfall_store::{Store, StoreError};
use futures_util::FutureExt;
use metrics::{counter, gauge};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::admission::{Admission, AdmissionLimits, ProxyTrust};
use crate::allowance::look_at_all;
use crate::archive::archive_old_games;
use crate::background::Background;
use crate::committed::Committed;
use crate::deployments::Deployments;
use crate::farewell::finish_all;
use crate::gateway::{self, Connections, Doorkeeper, ListenerLimits};
use crate::histories::Histories;
use crate::http;
use crate::lobby::Lobby;
use crate::metrics as names;
use crate::notices::{Notices, Sender};
use crate::peers::{Peers, Sign};
use crate::players::Players;
use crate::proof::{Proofs, SigningKey};
use crate::prune::{Lifetimes, prune_old};
use crate::ratings::Ratings;
use crate::settings::{Settings, Times};
use crate::table::{StartError, TableSettings, Tables};
use crate::trouble::note_refusal;
use crate::turns::Turns;

/// The program and its version, as clients and operators are told.
pub const SERVER: &str = concat!("flagfall-server ", env!("CARGO_PKG_VERSION"));

/// Connections to the metrics listener.
const METRICS_CONNECTIONS_MAX: usize = 16;
/// Requests over HTTP carried out at once that may change something.
const REQUESTS_COMMITTED_MAX: u32 = 256;
/// The time between two sweeps of the store for records that have expired.
const SWEEP: Duration = Duration::from_secs(10 * 60);
/// The time between two looks at the key of guest tokens.
const GUEST_KEY_LOOK: Duration = Duration::from_secs(10);
/// The time between two upkeeps of the histograms.
const UPKEEP: Duration = Duration::from_secs(5);
/// The time between two looks at whose records the store keeps copies of.
const TEND: Duration = Duration::from_secs(60);

/// What everybody in the server shares.
pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) admission: Admission,
    pub(crate) players: Players,
    pub(crate) lobby: Lobby,
    pub(crate) tables: Tables,
    pub(crate) ratings: Ratings,
    pub(crate) turns: Turns,
    pub(crate) notices: Notices,
    pub(crate) histories: Histories,
    pub(crate) proofs: Proofs,
    pub(crate) deployments: Deployments,
    pub(crate) connections: Connections,
    pub(crate) peers: Peers,
    /// For heavy work that a request asks for.
    pub(crate) background: Background,
    pub(crate) started: Instant,
    /// Health checks take turns.
    pub(crate) health_turn: tokio::sync::Mutex<()>,
    /// Requests over HTTP that are carried out even if their connection closes.
    pub(crate) committed: Committed,
    is_stopping: AtomicBool,
}

impl App {
    /// Whether the server has been told to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// The store answers, or does not: everybody is told who does not know.
    fn note_store(&self, is_available: bool) {
        gauge!(names::STORE_AVAILABLE).set(if is_available { 1.0 } else { 0.0 });
        self.connections.note_store(is_available);
    }

    /// Sets the gauges whose values are asked for rather than told.
    pub(crate) fn sample_metrics(&self) {
        let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let (all, identified) = (self.connections.len(), self.connections.identified());
        gauge!(names::CONNECTIONS, "kind" => "identified").set(count(identified));
        gauge!(names::CONNECTIONS, "kind" => "not_yet").set(count(all.saturating_sub(identified)));
        gauge!(names::PLAYERS_ONLINE).set(count(self.connections.players_online()));
        gauge!(names::STORE_WEAKNESSES).set(count(self.store.weaknesses().len()));
        gauge!(names::TABLES).set(count(self.tables.len()));
        let (deploying, playing) = self.tables.count_by_phase();
        gauge!(names::GAMES, "phase" => "deploying").set(count(deploying));
        gauge!(names::GAMES, "phase" => "playing").set(count(playing));
        gauge!(names::GAMES, "phase" => "at_rest").set(count(self.tables.at_rest()));
        gauge!(names::RUNNING_GAMES).set(count(self.tables.running_count()));
        gauge!(names::RUNNING_GAMES_MAX).set(count(self.settings.limits.running_games));
        names::sample_process(self.started.elapsed());
        #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
        if let Some(bytes) = self.tables.memory_limit() {
            gauge!(names::MEMORY_LIMIT_BYTES).set(bytes as f64);
        }
    }
}

/// The sockets a server listens on. The caller binds them, so a test knows their ports.
#[derive(Debug)]
pub struct Listeners {
    /// For players: WebSockets and HTTP.
    pub game: TcpListener,
    /// For operators: `/metrics`. None switches metrics off.
    pub metrics: Option<(TcpListener, PrometheusHandle)>,
}

/// A server that has recovered its games and listens nowhere yet.
pub struct Server {
    app: Arc<App>,
}

impl Server {
    /// Recovers the running games of the store.
    ///
    /// # Errors
    /// [`StartError`] when the store cannot be read. A damaged game is reported and left out.
    pub async fn start(settings: Settings, store: Arc<dyn Store>) -> Result<Server, StartError> {
        Server::start_with_key(settings, store, None).await
    }

    /// The same; finished games are signed with this key.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start_with_key(
        settings: Settings,
        store: Arc<dyn Store>,
        key: Option<SigningKey>,
    ) -> Result<Server, StartError> {
        let connections = Connections::with(&settings);
        let for_tables = TableSettings { signs: key.is_some(), ..settings.for_tables(connections.clone()) };
        let tables = Tables::start(store.clone(), for_tables).await?;
        let proofs = Proofs::new(store.clone(), tables.clone(), key.map(Arc::new));
        proofs.publish_key().await?;
        let players = Players::new(store.clone(), connections.clone(), &settings);
        if let Err(error) = players.look_after_guest_key().await {
            note_refusal(&error, "the key of guest tokens was not read at the start; it will be");
        }
        let peers = tables.peers().clone();
        let ratings = Ratings::new(store.clone(), tables.clone(), connections.clone(), settings.first_move);
        let histories = Histories::new(store.clone(), tables.clone());
        let deployments = Deployments::new(store.clone());
        let sender = Sender::new(settings.webhooks, &settings.webhook_trust);
        let notices = Notices::new(store.clone(), tables.clone(), sender);
        let turns = Turns::new(store.clone(), tables.clone(), notices.clone());
        let lobby = Lobby::new(store.clone(), tables.clone(), connections.clone(), settings.clone());
        let admission = Admission::new(&settings.admission, settings.limits.connections_max);
        Ok(Server {
            app: Arc::new(App {
                settings,
                store,
                admission,
                players,
                lobby,
                tables,
                ratings,
                turns,
                notices,
                histories,
                proofs,
                deployments,
                connections,
                peers,
                background: Background::per_core("requests"),
                started: Instant::now(),
                health_turn: tokio::sync::Mutex::default(),
                committed: Committed::new(REQUESTS_COMMITTED_MAX),
                is_stopping: AtomicBool::new(false),
            }),
        })
    }

    /// What everything in the server shares.
    #[cfg(test)]
    pub(crate) fn app(&self) -> Arc<App> {
        self.app.clone()
    }

    /// The registry of open connections.
    #[must_use]
    pub fn connections(&self) -> &Connections {
        &self.app.connections
    }

    /// The lobby.
    #[must_use]
    pub fn lobby(&self) -> &Lobby {
        &self.app.lobby
    }

    /// The ratings of its store.
    #[must_use]
    pub fn ratings(&self) -> &Ratings {
        &self.app.ratings
    }

    /// The histories of its store.
    #[must_use]
    pub fn histories(&self) -> &Histories {
        &self.app.histories
    }

    /// The signatures of its store.
    #[must_use]
    pub fn proofs(&self) -> &Proofs {
        &self.app.proofs
    }

    /// The notices of its store.
    #[must_use]
    pub fn notices(&self) -> &Notices {
        &self.app.notices
    }

    /// The turns of its slow games.
    #[must_use]
    pub fn turns(&self) -> &Turns {
        &self.app.turns
    }

    /// Serves until `shutdown` is done, then stops: no new games and connections, running games
    /// paused in their logs, every connection closed as [`CloseCode::Shutdown`]. Returns within
    /// [`Times::stop`](crate::settings::Times::stop).
    pub async fn serve(self, listeners: Listeners, shutdown: impl Future<Output = ()>) {
        let app = self.app;
        let mut doors = JoinSet::new();
        let mut tasks = JoinSet::new();
        let limits = ListenerLimits {
            head: app.settings.times.http_head,
            http: app.settings.times.http_request + app.settings.times.http_head,
        };
        let doorkeeper =
            Doorkeeper { admission: app.admission.clone(), proxies: app.settings.proxies.clone() };
        doors.spawn(gateway::serve(listeners.game, http::router(app.clone()), limits, doorkeeper));
        if let Some((listener, handle)) = listeners.metrics {
            let router = http::metrics_router(app.clone(), handle.clone());
            tasks.spawn(gateway::serve(listener, router, limits, for_operators()));
            tasks.spawn(upkeep(handle));
        }
        tasks.spawn(kept_alive("lobby", app.clone(), async |app| app.lobby.run().await));
        tasks.spawn(kept_alive("other servers", app.clone(), async |app| app.tables.follow().await));
        if app.peers.is_shared() {
            tasks.spawn(kept_alive("peers", app.clone(), meet_peers));
            tasks.spawn(kept_alive("news of other servers", app.clone(), async |app| {
                app.peers.listen(&app.tables).await;
            }));
            tasks.spawn(kept_alive("seats", app.clone(), async |app| {
                app.peers.tell_seats(&app.tables, app.settings.times.heartbeat).await;
            }));
        }
        tasks.spawn(kept_alive("pool", app.clone(), async |app| app.lobby.run_pool().await));
        tasks.spawn(kept_alive("planned games", app.clone(), async |app| app.lobby.run_plans().await));
        tasks.spawn(kept_alive("ratings", app.clone(), async |app| app.ratings.run().await));
        tasks.spawn(kept_alive("histories", app.clone(), async |app| app.histories.run().await));
        tasks.spawn(kept_alive("signatures", app.clone(), async |app| app.proofs.run().await));
        tasks.spawn(kept_alive("webhooks", app.clone(), async |app| {
            app.notices.run(app.settings.times.turn_look).await;
        }));
        tasks.spawn(kept_alive("turns", app.clone(), async |app| {
            app.turns.run(app.settings.times.turn_look).await;
        }));
        tasks.spawn(kept_alive("games at rest", app.clone(), async |app| {
            app.tables.look_after_games_at_rest(app.settings.times.rest_look).await;
        }));
        tasks.spawn(kept_alive("archive", app.clone(), async |app| {
            let Times { archive, archive_look, .. } = app.settings.times;
            archive_old_games(app.store.clone(), archive, archive_look).await;
        }));
        tasks.spawn(kept_alive("prune", app.clone(), async |app| {
            let times = &app.settings.times;
            prune_old(app.store.clone(), Lifetimes::of(times), times.prune_look).await;
        }));
        tasks.spawn(kept_alive("guest key", app.clone(), guest_key));
        tasks.spawn(kept_alive("heartbeat", app.clone(), heartbeat));
        tasks.spawn(kept_alive("sweep", app.clone(), sweep));
        tasks.spawn(kept_alive("copies", app.clone(), async |app| app.players.tend_copies(TEND).await));
        if app.store.announcements().is_some() {
            tasks.spawn(kept_alive("revocations", app.clone(), revocations));
        }
        shutdown.await;

        tracing::info!(connections = app.connections.len(), "stopping");
        app.is_stopping.store(true, Ordering::Relaxed);
        app.lobby.stop();
        doors.shutdown().await;
        let stopped = timeout(app.settings.times.stop, async {
            // What was asked for before is finished; tables that stop make no games.
            app.lobby.commands_finished().await;
            app.committed.finished().await;
            app.tables.stop(app.peers.leave().await).await;
            app.connections.close_all(CloseCode::Shutdown);
            app.connections.emptied().await;
            app.peers.say_farewell(&app.tables).await;
        });
        if stopped.await.is_err() {
            tracing::warn!(connections = app.connections.len(), "some connections had to be cut off");
        }
        tasks.shutdown().await;
        tracing::info!("stopped");
    }
}

/// Recovers, serves, stops: [`Server::start`] and [`Server::serve`] in one.
///
/// # Errors
/// [`StartError`].
pub async fn run(
    settings: Settings,
    listeners: Listeners,
    store: Arc<dyn Store>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    Server::start(settings, store).await?.serve(listeners, shutdown).await;
    Ok(())
}

/// Who may connect to the metrics: a few at a time, with no limit per address.
fn for_operators() -> Doorkeeper {
    let limits = AdmissionLimits { reserved_percent: 0, ..AdmissionLimits::default() };
    let proxies = ProxyTrust { is_everyone: true, ranges: Vec::new() };
    Doorkeeper { admission: Admission::new(&limits, METRICS_CONNECTIONS_MAX), proxies }
}

/// Runs a task of the server's own, again when it panics: nothing a player does must end it.
async fn kept_alive(name: &'static str, app: Arc<App>, task: impl AsyncFn(Arc<App>)) {
    const PAUSE: Duration = Duration::from_secs(1);
    names::start_task(name);
    while AssertUnwindSafe(task(app.clone())).catch_unwind().await.is_err() {
        report_panic(name);
        sleep(PAUSE).await;
    }
}

/// Counts and reports a task that ended by a panic. What it panicked with is not written: it could
/// hold what nobody may see.
pub(crate) fn report_panic(task: &'static str) {
    counter!(names::TASK_PANICS, "task" => task).increment(1);
    tracing::error!(task, "a task panicked: a defect of the server; everything else goes on");
}

/// Tells the store that a server is alive; after a crash the clocks of all games stand still from
/// the last time on. Whether it takes that, and soon enough, everybody who is connected is told.
async fn heartbeat(app: Arc<App>) {
    let mut ticks = interval(app.settings.times.heartbeat.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_failing = false;
    let mut outage = app.store.outage();
    loop {
        ticks.tick().await;
        let beat = app.store.heartbeat();
        match watch_beat(beat, app.settings.times.store_late, |is_available| app.note_store(is_available))
            .await
        {
            Ok(pace) => {
                if std::mem::take(&mut is_failing) {
                    tracing::info!("the store takes heartbeats again");
                }
                if pace == Pace::Late {
                    ticks.reset_immediately();
                }
                let latest = app.store.outage();
                if latest != outage {
                    outage = latest;
                    // Players see at once that their clocks stood still.
                    app.tables.wake_all();
                }
            }
            Err(error) => {
                counter!(names::HEARTBEAT_FAILURES).increment(1);
                if !is_failing {
                    tracing::error!(%error, "the store takes no heartbeat");
                }
                is_failing = true;
            }
        }
    }
}

/// How soon a heartbeat was taken.
#[derive(PartialEq, Eq, Debug)]
enum Pace {
    InTime,
    Late,
}

/// Waits for a heartbeat and tells what is known of the store: that it is away as soon as the beat
/// is late, and that it is there when one came in time. A beat that came late tells nothing new: a
/// slow store would be there and away in turns.
async fn watch_beat<T>(
    beat: impl Future<Output = Result<T, StoreError>>,
    late: Duration,
    tell: impl Fn(bool),
) -> Result<Pace, StoreError> {
    tokio::pin!(beat);
    let (beaten, pace) = match timeout(late, &mut beat).await {
        Ok(beaten) => (beaten, Pace::InTime),
        Err(_) => {
            tell(false);
            (beat.await, Pace::Late)
        }
    };
    if beaten.is_err() || pace == Pace::InTime {
        tell(beaten.is_ok());
    }
    beaten.map(|_| pace)
}

/// Closes the sockets of tokens that were revoked on other servers of the same store.
async fn revocations(app: Arc<App>) {
    let mut ticks = interval(app.settings.times.revocation_interval.max(Duration::from_millis(10)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut looked_at = None;
    loop {
        ticks.tick().await;
        let now = Instant::now();
        match app.players.look_for_revocations(looked_at).await {
            Ok(()) => looked_at = Some(now),
            Err(error) => note_refusal(&error, "tokens revoked on other servers cannot be looked for"),
        }
        if let Err(error) = app.players.look_for_closed().await {
            note_refusal(&error, "accounts that were closed cannot be looked for");
        }
    }
}

/// Sees to it that all servers on the store have the same key for guest tokens, also after it was
/// emptied.
async fn guest_key(app: Arc<App>) {
    let mut ticks = interval(GUEST_KEY_LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = app.players.look_after_guest_key().await {
            note_refusal(&error, "the key of guest tokens was not looked at");
        }
    }
}

/// Tells other servers on the same store of this one, and learns of them.
async fn meet_peers(app: Arc<App>) {
    let mut ticks = interval(app.settings.times.heartbeat.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // Looked at after the wait: a server that stops has taken its record away meanwhile.
        if app.is_stopping() {
            break;
        }
        let sign = Sign { online: app.connections.players_online(), seekers: app.lobby.seekers_here() };
        if let Err(error) = app.peers.meet(&sign).await {
            tracing::debug!(%error, "other servers were not met");
        }
    }
    // The record is gone; it must not come again.
    std::future::pending::<()>().await;
}

/// Clears the store of records that have expired.
async fn sweep(app: Arc<App>) {
    loop {
        if let Err(error) = finish_all(&app).await {
            note_refusal(&error, "what is left of deleted accounts could not be taken away");
        }
        sleep(SWEEP).await;
        look_at_all(&app).await;
        match app.store.sweep().await {
            Ok(0) => {}
            Ok(records) => tracing::debug!(records, "expired records swept"),
            Err(error) => note_refusal(&error, "expired records could not be swept"),
        }
    }
}

async fn upkeep(handle: PrometheusHandle) {
    loop {
        sleep(UPKEEP).await;
        handle.run_upkeep();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_slow_store_is_told_as_away_once_and_as_there_when_it_is_fast_again() {
        let told = RefCell::new(Vec::new());
        let tell = |is_available| told.borrow_mut().push(is_available);
        let late = Duration::from_millis(1_250);
        let mut paces = Vec::new();
        for ms in [10, 1_600, 1_600, 1_600, 10] {
            let beat = async {
                sleep(Duration::from_millis(ms)).await;
                Ok(())
            };
            paces.push(watch_beat(beat, late, tell).await.unwrap());
        }
        assert_eq!(paces, [Pace::InTime, Pace::Late, Pace::Late, Pace::Late, Pace::InTime]);
        told.borrow_mut().dedup();
        assert_eq!(*told.borrow(), [true, false, true]);
        let why = || StoreError::Unavailable { why: "gone".to_owned() };
        let refused = watch_beat(async { Err::<(), _>(why()) }, late, tell).await;
        assert_eq!(refused, Err(why()));
        assert_eq!(told.borrow().last(), Some(&false), "nobody waits to be told of a refusal");
    }
}
