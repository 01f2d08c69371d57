//! The services of the server, with the state that the API adds.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flagfall_services::Services;
use flagfall_services::proof::SigningKey;
use flagfall_services::settings::Settings;
use flagfall_store::{DiskSpace, Store, StoreMemory};
use metrics::{counter, gauge};
use tokio::sync::Notify;
use tokio::time::Instant;

use flagfall_base::admission::Admission;
use flagfall_base::background::Background;
use flagfall_base::committed::Committed;
use flagfall_base::telemetry as names;
use flagfall_game::StartError;

/// Maximum number of simultaneous HTTP requests that may change something.
const REQUESTS_COMMITTED_MAX: u32 = 256;

/// The services of the server, with the state that the API adds.
pub(crate) struct App {
    services: Services,
    pub(crate) admission: Admission,
    /// Runs heavy work for requests.
    pub(crate) background: Background,
    pub(crate) started: Instant,
    /// The lock that a health check holds, so that only one check runs at a time.
    pub(crate) health_turn: tokio::sync::Mutex<()>,
    /// HTTP requests that run to their end even if their connection closes.
    pub(crate) committed: Committed,
    /// Signals that another server has found revoked tokens, closed accounts or erased games.
    pub(crate) withdrawn: Notify,
    is_stopping: AtomicBool,
}

impl Deref for App {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}

impl App {
    /// Assembles a server, and reads the lists of games from the store.
    pub(crate) async fn assemble(
        settings: Settings,
        store: Arc<dyn Store>,
        key: Option<SigningKey>,
    ) -> Result<App, StartError> {
        let services = Services::assemble(settings, store, key).await?;
        let settings = &services.settings;
        let admission = Admission::new(&settings.admission, settings.limits.connections_max());
        Ok(App {
            services,
            admission,
            background: Background::per_core("requests"),
            started: Instant::now(),
            health_turn: tokio::sync::Mutex::default(),
            committed: Committed::new(REQUESTS_COMMITTED_MAX),
            withdrawn: Notify::new(),
            is_stopping: AtomicBool::new(false),
        })
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Stops the creation of games and the admission of players.
    pub(crate) fn note_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.lobby.stop();
    }

    /// Reports in the metrics and to connected clients whether the store is available.
    pub(crate) fn note_store(&self, is_available: bool) {
        gauge!(names::STORE_AVAILABLE).set(if is_available { 1.0 } else { 0.0 });
        self.connections.note_store(is_available);
    }

    /// Sets the gauges that are updated only when metrics are read.
    pub(crate) fn sample_metrics(&self) {
        let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let (all, identified) = (self.connections.len(), self.connections.identified());
        let anonymous = self.connections.anonymous();
        gauge!(names::CONNECTIONS, "kind" => "identified").set(count(identified));
        gauge!(names::CONNECTIONS, "kind" => "anonymous").set(count(anonymous));
        gauge!(names::CONNECTIONS, "kind" => "not_yet")
            .set(count(all.saturating_sub(identified + anonymous)));
        gauge!(names::PLAYERS_ONLINE).set(count(self.connections.players_online()));
        gauge!(names::STORE_WEAKNESSES).set(count(self.store.weaknesses().len()));
        gauge!(names::STORE_PARTS_AWAY).set(count(self.store.silent_parts().len()));
        gauge!(names::TABLES).set(count(self.tables.len()));
        let (deploying, playing) = self.tables.count_by_phase();
        gauge!(names::GAMES, "phase" => "deploying").set(count(deploying));
        gauge!(names::GAMES, "phase" => "playing").set(count(playing));
        gauge!(names::GAMES, "phase" => "at_rest").set(count(self.tables.at_rest()));
        gauge!(names::RUNNING_GAMES).set(count(self.tables.running_count()));
        gauge!(names::RUNNING_GAMES_MAX).set(count(self.settings.limits.running_games));
        if let Some(DiskSpace { free_bytes, is_paused }) = self.store.disk_space() {
            #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
            gauge!(names::DISK_FREE_BYTES).set(free_bytes as f64);
            gauge!(names::DISK_FULL).set(f64::from(u8::from(is_paused)));
        }
        if let Some(StoreMemory { used_bytes, limit_bytes }) = self.store.memory() {
            #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
            let (used, limit) = (used_bytes as f64, limit_bytes as f64);
            gauge!(names::REDIS_MEMORY_BYTES).set(used);
            gauge!(names::REDIS_MEMORY_LIMIT_BYTES).set(limit);
        }
        flagfall_base::recorder::sample_process(self.started.elapsed());
        #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
        if let Some(bytes) = self.tables.memory_limit() {
            gauge!(names::MEMORY_LIMIT_BYTES).set(bytes as f64);
        }
    }
}

/// Counts and logs a panic of a task. Does not log the panic message, which could contain
/// secrets.
pub(crate) fn report_panic(task: &'static str) {
    counter!(names::TASK_PANICS, "task" => task).increment(1);
    tracing::error!(task, "a task panicked: this is a defect of the server; everything else continues");
}
