//! The server as a whole: starting, running and stopping.

use std::collections::BTreeSet;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::CloseCode;
use flagfall_store::{Reached, Store, StoreError};
use futures_util::FutureExt;
use metrics::counter;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep, sleep_until, timeout};

use crate::allowance::look_at_all;
use crate::api::http;
use crate::api::ws::{self, Doorkeeper, KeepAlive, ListenerLimits};
use crate::app::{App, report_panic};
use flagfall_archive::Archive;
use flagfall_base::admission::{Admission, AdmissionLimits, ProxyTrust};
use flagfall_base::cluster::{MemberInfo, News, OpenedSeek};
use flagfall_base::keys::told_key;
use flagfall_base::store_errors::note_refusal;
use flagfall_base::telemetry as names;
use flagfall_game::StartError;
use flagfall_services::Services;
use flagfall_services::archive::Archiver;
use flagfall_services::erased_games::forget_erased;
use flagfall_services::proof::SigningKey;
use flagfall_services::prune::{Lifetimes, prune_old};
use flagfall_services::settings::{Role, Settings, Times};

const METRICS_CONNECTIONS_MAX: usize = 16;
/// How often to remove expired records from the store.
const SWEEP: Duration = Duration::from_secs(10 * 60);
/// How often one of the servers looks for writes that lost servers have left unfinished.
const LEFT_BEHIND_LOOK: Duration = Duration::from_secs(1);
/// How often to check that the store still has the key of guest tokens.
const GUEST_KEY_LOOK: Duration = Duration::from_secs(10);
/// How often to combine records of finished games into lines of histories.
const FOLD: Duration = Duration::from_secs(60);
/// How often to check for due flags and due moves of house players in games that are not in memory.
const REST_LOOK: Duration = Duration::from_secs(1);
/// How often to look for guests and games to delete.
const PRUNE_LOOK: Duration = Duration::from_secs(60);
/// The time that stopping may take before the remaining work is aborted.
const STOP: Duration = Duration::from_secs(8);
/// How often to run the maintenance of the histograms.
const UPKEEP: Duration = Duration::from_secs(5);
/// How often this server drops its in-memory copies of players who have left.
const TEND: Duration = Duration::from_secs(60);

/// The sockets that a server listens on. The caller binds them, so that tests can find out the
/// ports.
#[derive(Debug)]
pub struct Listeners {
    /// For players: WebSockets and HTTP.
    pub game: TcpListener,
    /// For operators: `/metrics`. `None` switches metrics off.
    pub metrics: Option<(TcpListener, PrometheusHandle)>,
}

/// A server that has recovered its games and is not listening yet.
pub struct Server {
    app: Arc<App>,
    archive: Option<(Archive, Arc<dyn Store>)>,
}

impl Server {
    /// Recovers the running games from the store. Reports damaged games and leaves them out.
    /// Finished games are signed with the key, if there is one.
    pub async fn start(
        settings: Settings,
        store: Arc<dyn Store>,
        key: Option<SigningKey>,
    ) -> Result<Server, StartError> {
        Ok(Server { app: Arc::new(App::assemble(settings, store, key).await?), archive: None })
    }

    /// Moves finished games from `inner` to the archive. The server's own store must show the games
    /// of `inner` and of the archive ([`ArchivedStore`](flagfall_archive::ArchivedStore)).
    #[must_use]
    pub fn with_archive(self, archive: Archive, inner: Arc<dyn Store>) -> Server {
        Server { archive: Some((archive, inner)), ..self }
    }

    #[cfg(test)]
    pub(crate) fn app(&self) -> Arc<App> {
        self.app.clone()
    }

    pub fn services(&self) -> &Services {
        &self.app
    }

    /// Serves until `shutdown` completes, then stops.
    ///
    /// When the server stops, it refuses new games and connections, pauses running games in their
    /// logs if it is the last, and closes all connections with [`CloseCode::Shutdown`]. Mails and
    /// other notices that are on their way are sent to the end. Stopping takes at most 8 s.
    pub async fn serve(self, listeners: Listeners, shutdown: impl Future<Output = ()>) {
        let Server { app, archive } = self;
        let archive_id = archive.as_ref().map(|(archive, _)| archive.id());
        let mut doors = JoinSet::new();
        let mut tasks = JoinSet::new();
        let requests_max = app.settings.limits.requests_per_connection;
        let limits = ListenerLimits {
            head: app.settings.times.http_head,
            http: app.settings.times.http_request + app.settings.times.http_head,
            keep_alive: app.settings.times.http_idle.map(|idle| KeepAlive { idle, requests_max }),
        };
        let doorkeeper =
            Doorkeeper { admission: app.admission.clone(), proxies: app.settings.proxies.clone() };
        doors.spawn(ws::serve(listeners.game, http::router(app.clone()), limits, doorkeeper));
        if let Some((listener, handle)) = listeners.metrics {
            let router = http::metrics_router(app.clone(), handle.clone());
            let limits = ListenerLimits { keep_alive: None, ..limits };
            tasks.spawn(ws::serve(listener, router, limits, for_operators()));
            tasks.spawn(upkeep(handle));
        }
        tasks.spawn(kept_alive("lobby", app.clone(), async |app| app.lobby.run().await));
        tasks.spawn(kept_alive("other servers", app.clone(), async |app| app.tables.follow().await));
        if app.peers.is_shared() {
            tasks.spawn(kept_alive("peers", app.clone(), move |app| meet_peers(app, archive_id)));
            tasks.spawn(kept_alive("news of other servers", app.clone(), async |app| {
                let Some(seats) = app.tables.seats() else { return };
                app.peers.listen(seats, &app.connections, &HeardBy(&app)).await;
            }));
            tasks.spawn(kept_alive("seats", app.clone(), async |app| {
                let Some(seats) = app.tables.seats() else { return };
                app.peers.tell_seats(seats, app.settings.times.heartbeat).await;
            }));
        }
        // A relay does none of the work that the servers on a store share.
        if app.settings.role == Role::Full {
            spawn_shared_work(&app, archive, &mut tasks);
        }
        tasks.spawn(kept_alive("guest key", app.clone(), guest_key));
        tasks.spawn(kept_alive("heartbeat", app.clone(), heartbeat));
        tasks.spawn(kept_alive("copies", app.clone(), async |app| app.players.tend_copies(TEND).await));
        if app.store.announcements().is_some() {
            tasks.spawn(kept_alive("revocations", app.clone(), revocations));
        }
        shutdown.await;

        tracing::info!(connections = app.connections.len(), "stopping");
        app.note_stopping();
        doors.shutdown().await;
        let stopping = async {
            // Finish earlier requests first: once the tables stop, no game can be created.
            app.lobby.commands_finished().await;
            app.committed.finished().await;
            app.tables.stop(app.peers.leave().await).await;
            app.connections.close_all(CloseCode::Shutdown);
            app.connections.emptied().await;
            if let Some(seats) = app.tables.seats() {
                app.peers.say_goodbye(seats).await;
            }
        };
        let stopped = timeout(STOP, async {
            tokio::join!(stopping, app.finish_notices());
        });
        if stopped.await.is_err() {
            tracing::warn!(
                connections = app.connections.len(),
                "stopping took too long, and what was still running was cut off"
            );
        }
        tasks.shutdown().await;
        tracing::info!("stopped");
    }
}

/// Spawns the tasks for the work that the servers on a store share.
fn spawn_shared_work(app: &Arc<App>, archive: Option<(Archive, Arc<dyn Store>)>, tasks: &mut JoinSet<()>) {
    tasks.spawn(kept_alive("pool", app.clone(), async |app| app.lobby.run_pool().await));
    tasks.spawn(kept_alive("jobs", app.clone(), async |app| app.jobs.run().await));
    tasks.spawn(kept_alive("games at rest", app.clone(), async |app| {
        app.tables.look_after_games_at_rest(REST_LOOK).await;
    }));
    tasks.spawn(kept_alive("histories", app.clone(), async |app| app.histories.fold_all(FOLD).await));
    if let Some((archive, inner)) = archive {
        tasks.spawn(kept_alive("archive", app.clone(), move |app| {
            archive_games(app, archive.clone(), inner.clone())
        }));
    }
    tasks.spawn(kept_alive("prune", app.clone(), async |app| {
        prune_old(app.store.clone(), Lifetimes::of(&app.settings.times), PRUNE_LOOK).await;
    }));
    tasks.spawn(kept_alive("sweep", app.clone(), sweep));
    if app.peers.is_shared() {
        tasks.spawn(kept_alive("unfinished writes", app.clone(), finish_left_behind));
    }
}

/// Returns the limits for the metrics listener: a few connections at a time, without a
/// per-address limit.
fn for_operators() -> Doorkeeper {
    let limits = AdmissionLimits { reserved_percent: 0, ..AdmissionLimits::default() };
    let proxies = ProxyTrust { is_everyone: true, ranges: Vec::new() };
    Doorkeeper { admission: Admission::new(&limits, METRICS_CONNECTIONS_MAX), proxies }
}

/// Runs a background task and restarts it when it panics, so that no player's action can end it.
async fn kept_alive(name: &'static str, app: Arc<App>, task: impl AsyncFn(Arc<App>)) {
    const PAUSE: Duration = Duration::from_secs(1);
    names::start_task(name);
    while AssertUnwindSafe(task(app.clone())).catch_unwind().await.is_err() {
        report_panic(name);
        sleep(PAUSE).await;
    }
}

fn ticking(every: Duration) -> Interval {
    let mut ticks = interval(every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Sends heartbeats to the store, so that after a crash, clocks count as stopped since the last
/// heartbeat. Also tells connected clients whether the store accepts heartbeats in time.
async fn heartbeat(app: Arc<App>) {
    let every = app.settings.times.heartbeat;
    let mut next = Instant::now();
    let mut is_failing = false;
    // Parts of the store that are away from the start are told of, too.
    let mut known = (app.store.outage(), Vec::new());
    loop {
        sleep_until(next).await;
        next = app.peers.next_beat(every);
        let beat = app.store.heartbeat();
        match watch_beat(beat, app.settings.times.store_late, |is_available| app.note_store(is_available))
            .await
        {
            Ok(pace) => {
                if std::mem::take(&mut is_failing) {
                    tracing::info!("the store accepts heartbeats again");
                }
                if pace == Pace::Late {
                    next = Instant::now();
                }
                let latest = (app.store.outage(), app.store.silent_parts());
                if latest.1 != known.1 {
                    tell_silent_parts(&latest.1);
                }
                if latest != known {
                    known = latest;
                    // Wake the tables, so that players see immediately that their clocks were
                    // stopped during an outage, or that a part of the store has stopped answering.
                    app.tables.wake_all();
                }
            }
            Err(error) => {
                counter!(names::HEARTBEAT_FAILURES).increment(1);
                if !is_failing {
                    tracing::error!(%error, "the store does not accept heartbeats");
                }
                is_failing = true;
            }
        }
    }
}

fn tell_silent_parts(buckets: &[usize]) {
    if buckets.is_empty() {
        tracing::info!("all parts of the store answer again");
    } else {
        tracing::error!(?buckets, "some parts of the store do not answer, and their games stand still");
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Pace {
    InTime,
    Late,
}

/// Waits for a heartbeat and reports the state of the store.
///
/// The store is reported unavailable as soon as the heartbeat is late, and available when a
/// heartbeat completes in time. A late heartbeat does not make the store available. Otherwise, a
/// slow store would alternate between the two states.
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

/// Finds tokens, accounts and games that were revoked, closed or erased on other servers or by an
/// operator, and shuts them out here. The servers take turns to look. A server that finds something
/// makes all others look, too.
async fn revocations(app: Arc<App>) {
    let every = app.settings.times.revocation_interval.max(Duration::from_millis(10));
    let (mut is_first, mut looked_at, mut known) = (true, None, BTreeSet::new());
    loop {
        // The first round starts immediately. It looks at all records, and forgets all players who
        // are not connected.
        let is_told = !std::mem::take(&mut is_first)
            && tokio::select! {
                () = app.peers.my_turn(every) => false,
                () = app.withdrawn.notified() => true,
            };
        let now = Instant::now();
        let mut found = BTreeSet::new();
        match app.players.look_for_revocations(looked_at).await {
            Ok(Reached { records, is_whole }) => {
                looked_at = if is_whole { Some(now) } else { looked_at };
                found.extend(records.into_iter().map(|(key, _)| key));
            }
            Err(error) => note_refusal(&error, "cannot check for tokens revoked on other servers"),
        }
        match app.players.look_for_closed().await {
            Ok(closed) => found.extend(closed),
            Err(error) => note_refusal(&error, "cannot check for closed accounts"),
        }
        match forget_erased(&*app.store, &app.tables).await {
            Ok(erased) => found.extend(erased),
            Err(error) => note_refusal(&error, "cannot check for erased games"),
        }
        if !is_told && !found.is_subset(&known) {
            app.peers.tell_withdrawn().await;
        }
        known = found;
    }
}

/// Passes news from other servers to the games and the lobby.
struct HeardBy<'a>(&'a App);

impl News for HeardBy<'_> {
    fn seats_changed(&self, games: &[GameId]) {
        self.0.tables.seats_changed(games);
    }

    fn sight_regained(&self) {
        self.0.tables.sight_regained();
    }

    fn rematch_offered(&self, game: GameId, side: Side) {
        self.0.tables.rematch_offered(game, side);
    }

    fn seek_opened(&self, opened: OpenedSeek) {
        self.0.lobby.hear_opened(opened);
    }

    fn seek_closed(&self, seek: &str) {
        self.0.lobby.hear_closed(seek);
    }

    fn work_due(&self, keys: &[String]) {
        for key in keys.iter().filter_map(|key| told_key(key)) {
            if !self.0.tables.hear_due(&key) && !self.0.jobs.writer().wake_for_key(&key) {
                tracing::debug!(?key, "another server told of due work of an unknown kind");
            }
        }
    }

    fn withdrawn(&self) {
        self.0.withdrawn.notify_one();
    }
}

async fn guest_key(app: Arc<App>) {
    let mut ticks = ticking(GUEST_KEY_LOOK);
    loop {
        ticks.tick().await;
        if let Err(error) = app.players.look_after_guest_key().await {
            note_refusal(&error, "the key of guest tokens could not be checked");
        }
    }
}

/// Announces this server to the other servers on the same store, and reads their announcements.
async fn meet_peers(app: Arc<App>, archive: Option<u64>) {
    let mut next = Instant::now();
    loop {
        sleep_until(next).await;
        next = app.peers.next_beat(app.settings.times.heartbeat);
        // Check this after the tick, because a stopping server may have removed its record in the
        // meantime.
        if app.is_stopping() {
            break;
        }
        let info = MemberInfo {
            online: app.connections.players_online(),
            seekers: if app.peers.has_former() { app.lobby.seekers_here() } else { BTreeSet::new() },
            archive,
            is_relay: app.settings.role == Role::Relay,
            ..MemberInfo::of_this_version()
        };
        if let Err(error) = app.peers.meet(&info).await {
            tracing::debug!(%error, "could not exchange records with other servers");
        }
    }
    // This server's record has been removed from the store. Wait forever, so that the record is not
    // written again.
    std::future::pending::<()>().await;
}

async fn archive_games(app: Arc<App>, archive: Archive, inner: Arc<dyn Store>) {
    let Times { archive_after, archive_look, .. } = app.settings.times;
    Archiver::new(inner, archive, archive_after).run(&app.peers, archive_look).await;
}

/// Finishes writes that lost servers have left unfinished. The servers take turns, and the current
/// time selects the part of the store to look at. Together, they look at each part every five
/// seconds.
async fn finish_left_behind(app: Arc<App>) {
    loop {
        app.peers.my_turn(LEFT_BEHIND_LOOK).await;
        app.store.finish_left_behind(app.store.now().0 / 1_000).await;
    }
}

/// Stops counting offers and games that have ended, and removes expired records from the store.
async fn sweep(app: Arc<App>) {
    loop {
        sleep(SWEEP).await;
        look_at_all(&app).await;
        match app.store.sweep().await {
            Ok(0) => {}
            Ok(records) => tracing::debug!(records, "expired records were removed"),
            Err(error) => note_refusal(&error, "expired records could not be removed"),
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
    async fn a_slow_store_is_announced_away_once_and_back_when_fast() {
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
        assert_eq!(told.borrow().last(), Some(&false), "a refusal is reported at once");
    }
}
