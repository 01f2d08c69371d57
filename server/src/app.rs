//! What all parts of the server share, and how they are put together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flagfall_store::Store;
use metrics::{counter, gauge};
use tokio::time::Instant;

use crate::deployments::Deployments;
use crate::erasure::Erasure;
use crate::features::ServerFeatures;
use crate::histories::Histories;
use crate::jobs::Workers;
use crate::lobby::Lobby;
use crate::notices::{Notices, Sender};
use crate::players::Players;
use crate::proof::{Proofs, SigningKey};
use crate::ratings::Ratings;
use crate::settings::Settings;
use crate::turns::Turns;
use flagfall_base::admission::Admission;
use flagfall_base::background::Background;
use flagfall_base::cluster::Peers;
use flagfall_base::committed::Committed;
use flagfall_base::delivery::Connections;
use flagfall_base::jobs::{JobWriter, Jobs};
use flagfall_base::store_errors::note_refusal;
use flagfall_base::telemetry as names;
use flagfall_game::{StartError, Tables};

/// Most HTTP requests at a time that may change something.
const REQUESTS_COMMITTED_MAX: u32 = 256;

/// What all parts of the server share.
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
    pub(crate) erasure: Arc<Erasure>,
    pub(crate) jobs: Jobs,
    pub(crate) connections: Connections,
    pub(crate) peers: Peers,
    /// Runs heavy work that a request asks for.
    pub(crate) background: Background,
    pub(crate) started: Instant,
    /// Held by a health check, so that only one runs at a time.
    pub(crate) health_turn: tokio::sync::Mutex<()>,
    /// HTTP requests that are carried out even if their connection closes.
    pub(crate) committed: Committed,
    is_stopping: AtomicBool,
}

impl App {
    /// Puts the parts of a server together, and reads the lists of games from the store.
    ///
    /// # Errors
    /// [`StartError`] if the store cannot be read.
    pub(crate) async fn assemble(
        settings: Settings,
        store: Arc<dyn Store>,
        key: Option<SigningKey>,
    ) -> Result<App, StartError> {
        let connections =
            Connections::remembering(settings.limits.visitors_remembered, settings.times.visitor_memory);
        let jobs = JobWriter::default();
        let features = Arc::new(ServerFeatures { jobs: jobs.clone(), signs: key.is_some() });
        let for_tables = settings.for_tables(connections.clone(), features);
        let tables = Tables::start(store.clone(), for_tables).await?;
        let proofs = Proofs::new(store.clone(), tables.clone(), key.map(Arc::new));
        proofs.publish_key().await?;
        let players = Players::new(store.clone(), connections.clone(), &settings);
        if let Err(error) = players.look_after_guest_key().await {
            note_refusal(&error, "cannot read the key of guest tokens at start; will try again");
        }
        let peers = tables.peers().clone();
        let ratings = Ratings::new(store.clone(), tables.clone(), connections.clone(), settings.first_move);
        let histories = Histories::new(store.clone(), tables.clone());
        let deployments = Deployments::new(store.clone());
        let sender = Sender::new(settings.webhooks, &settings.webhook_trust);
        let notices = Notices::new(store.clone(), tables.clone(), sender, jobs.clone());
        let turns = Turns::new(store.clone(), tables.clone(), notices.clone(), jobs.clone());
        let lobby = Lobby::new(store.clone(), tables.clone(), connections.clone(), settings.clone());
        let erasure = Arc::new(Erasure {
            store: store.clone(),
            lobby: lobby.clone(),
            ratings: ratings.clone(),
            histories: histories.clone(),
            deployments: deployments.clone(),
            notices: notices.clone(),
        });
        let workers = Workers {
            ratings: ratings.clone(),
            histories: histories.clone(),
            proofs: proofs.clone(),
            turns: turns.clone(),
            notices: notices.clone(),
            lobby: lobby.clone(),
            erasure: erasure.clone(),
        };
        let jobs = workers.handle(Jobs::new(store.clone(), jobs), &settings.times);
        let admission = Admission::new(&settings.admission, settings.limits.connections_max);
        Ok(App {
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
            erasure,
            jobs,
            connections,
            peers,
            background: Background::per_core("requests"),
            started: Instant::now(),
            health_turn: tokio::sync::Mutex::default(),
            committed: Committed::new(REQUESTS_COMMITTED_MAX),
            is_stopping: AtomicBool::new(false),
        })
    }

    /// True if the server has been told to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// From now on no game is made and no connection accepted.
    pub(crate) fn note_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.lobby.stop();
    }

    /// Records whether the store answers, in the metrics and to connected clients.
    pub(crate) fn note_store(&self, is_available: bool) {
        gauge!(names::STORE_AVAILABLE).set(if is_available { 1.0 } else { 0.0 });
        self.connections.note_store(is_available);
    }

    /// Sets the gauges that are sampled, not updated as things happen.
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
        flagfall_base::recorder::sample_process(self.started.elapsed());
        #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
        if let Some(bytes) = self.tables.memory_limit() {
            gauge!(names::MEMORY_LIMIT_BYTES).set(bytes as f64);
        }
    }
}

/// Counts and reports a task that panicked. The panic message is not logged: it could hold secrets.
pub(crate) fn report_panic(task: &'static str) {
    counter!(names::TASK_PANICS, "task" => task).increment(1);
    tracing::error!(task, "a task panicked: this is a defect of the server; everything else continues");
}
