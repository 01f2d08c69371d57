//! The server's metrics: names, meanings, and handles for those that are counted often.

use std::sync::{LazyLock, OnceLock};

use flagfall_protocol::{ClientToServer, Code};
use metrics::{Counter, Histogram, Unit, counter, gauge, histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use crate::admission::Limit;
use crate::delivery::PAYLOAD_KINDS;

/// The kind of a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Durations in seconds, or sizes, in buckets.
    Histogram,
}

/// Declares every metric once: its name as a constant, and [`METRICS`] with all of them in this
/// order.
macro_rules! declare {
    ($($id:ident = $name:literal, $kind:ident, $unit:ident, $help:literal;)+) => {
        $(#[doc = $help]
        pub const $id: &str = $name;)+

        /// Every metric: name, kind, unit, meaning.
        pub const METRICS: &[(&str, Kind, Unit, &str)] = &[$(($id, Kind::$kind, Unit::$unit, $help)),+];
    };
}

declare! {
    CONNECTIONS = "flagfall_connections", Gauge, Count,
        "Open WebSocket connections, by kind: identified or not yet";
    PLAYERS_ONLINE = "flagfall_players_online", Gauge, Count,
        "Players with at least one open connection";
    SEEKS_OPEN = "flagfall_seeks_open", Gauge, Count,
        "Open seeks in the lobby";
    RESIDENT_BYTES = "flagfall_resident_bytes", Gauge, Bytes,
        "Resident memory of the process";
    MEMORY_LIMIT_BYTES = "flagfall_memory_limit_bytes", Gauge, Bytes,
        "Memory the process may use; new games are refused at three quarters of it";
    UPTIME_SECONDS = "flagfall_uptime_seconds", Gauge, Seconds,
        "Time since the server started";
    RUNTIME_WORKERS = "flagfall_runtime_workers", Gauge, Count,
        "Worker threads of the asynchronous runtime";
    RUNTIME_TASKS = "flagfall_runtime_tasks", Gauge, Count,
        "Tasks of the asynchronous runtime that have not ended";
    RUNTIME_QUEUE = "flagfall_runtime_queue", Gauge, Count,
        "Tasks that wait in the runtime's shared queue for a worker thread";
    RUNTIME_BUSY_SECONDS = "flagfall_runtime_busy_seconds_total", Counter, Seconds,
        "Time in which worker threads of the runtime were busy, summed over all, in whole seconds";
    ACCEPTED = "flagfall_accepted_total", Counter, Count,
        "Connections taken from the listener, by what became of them: served, limited (its address has too many), full or error";
    LIMIT_HITS = "flagfall_limit_hits_total", Counter, Count,
        "Times a limit refused, closed or delayed something, by limit, and whose it is: address, player or server";
    UPGRADES = "flagfall_upgrades_total", Counter, Count,
        "WebSocket upgrades asked for, by result: opened, foreign_origin, refused or failed";
    MESSAGES_IN = "flagfall_messages_in_total", Counter, Count,
        "Messages from clients, by type";
    MESSAGES_OUT = "flagfall_messages_out_total", Counter, Count,
        "Messages written to clients, by type";
    REFUSALS = "flagfall_refusals_total", Counter, Count,
        "Refusals sent, by code";
    CLOSES = "flagfall_closes_total", Counter, Count,
        "Connections ended, by close code; gone where the client just went";
    OUTBOX_QUEUED = "flagfall_outbox_queued", Histogram, Count,
        "Messages waiting for a connection, sampled at each ping";
    ROUND_TRIP = "flagfall_round_trip_seconds", Histogram, Seconds,
        "Time from a ping to its pong";
    GUESTS = "flagfall_guests_total", Counter, Count,
        "New guests";
    GUESTS_STORED = "flagfall_guests_stored_total", Counter, Count,
        "Guests who were stored, with their first act that lasts";
    PRUNED = "flagfall_pruned_total", Counter, Count,
        "Guests who never played and finished games of guests that were deleted, by kind (guest, game)";
    RECALLED = "flagfall_recalled_total", Counter, Count,
        "Hellos while the store was away, by result: known from memory, or unknown and sent back";
    ACCOUNTS = "flagfall_accounts_total", Counter, Count,
        "Accounts, by what happened: made or deleted";
    RATED_GAMES = "flagfall_rated_games_total", Counter, Count,
        "Rated games that ended, by result: rated or not_counted";
    POOL_WAITING = "flagfall_pool_waiting", Gauge, Count,
        "Players who wait in the pool, as of the last wave";
    PAIRING_WAIT_SECONDS = "flagfall_pairing_wait_seconds", Histogram, Seconds,
        "Time from entering the pool to being paired";
    PAIRING_GAP = "flagfall_pairing_gap", Histogram, Count,
        "Difference of the ratings of a pair";
    NOTICES = "flagfall_notices_total", Counter, Count,
        "Notices to webhooks, by result: delivered, failed, lost or dropped";
    LOGINS = "flagfall_logins_total", Counter, Count,
        "Logins and recoveries, by result: good, wrong, closed or too_often";
    PASSWORD_HASHES = "flagfall_password_hashes_total", Counter, Count,
        "Password hashes, by result: done, or busy when the queue was full";
    PASSWORD_SECONDS = "flagfall_password_seconds", Histogram, Seconds,
        "Time a password hash takes, its wait left out";
    LOBBY_COMMANDS = "flagfall_lobby_commands_total", Counter, Count,
        "Lobby commands, by command and result: accepted, repeated or refused";
    LOBBY_COMMAND_SECONDS = "flagfall_lobby_command_seconds", Histogram, Seconds,
        "Time a lobby command takes until its answer, the store included";
    LOBBY_BROADCASTS = "flagfall_lobby_broadcasts_total", Counter, Count,
        "Lobby messages made for watchers, each shared by all of them";
    HTTP_REQUESTS = "flagfall_http_requests_total", Counter, Count,
        "HTTP requests, by route and status";
    HEALTH_SECONDS = "flagfall_health_seconds", Histogram, Seconds,
        "Time the store takes for a health check";
    STORE_WEAKNESSES = "flagfall_store_weaknesses", Gauge, Count,
        "Ways in which the store promises less than a game needs: settings of Redis, read again every 15 seconds";
    STORE_AVAILABLE = "flagfall_store_available", Gauge, Count,
        "Whether the store answers: 1, or 0 while clients are told that it does not";
    HEARTBEAT_FAILURES = "flagfall_heartbeat_failures_total", Counter, Count,
        "Heartbeats the store did not take";
    GAMES = "flagfall_games", Gauge, Count,
        "Running games: in memory, by phase (deploying or playing), and at_rest, out of memory, as of the last count";
    RESUMES = "flagfall_resumes_total", Counter, Count,
        "Games opened again by a client, by outcome: events (those since came along), view (too old for that) or epoch";
    TABLES = "flagfall_tables", Gauge, Count,
        "Games in memory, running ones and those somebody looks at";
    TABLES_OPENED = "flagfall_tables_opened_total", Counter, Count,
        "Games read from their logs into memory";
    TABLES_LEFT = "flagfall_tables_left_total", Counter, Count,
        "Games that left memory, by what they were: over or at_rest";
    GAMES_MADE = "flagfall_games_made_total", Counter, Count,
        "Games made, by ruleset";
    GAMES_REFUSED = "flagfall_games_refused_total", Counter, Count,
        "New games refused for want of room, by reason: memory or running_games";
    RUNNING_GAMES = "flagfall_running_games", Gauge, Count,
        "Running games of all servers, as far as this one knows";
    RUNNING_GAMES_MAX = "flagfall_running_games_max", Gauge, Count,
        "The most running games; beyond that new ones are refused";
    GAMES_ENDED = "flagfall_games_ended_total", Counter, Count,
        "Games ended, by reason";
    GAMES_ARCHIVED = "flagfall_games_archived_total", Counter, Count,
        "Games that were archived, long after their end";
    COMMIT_SECONDS = "flagfall_commit_seconds", Histogram, Seconds,
        "Time from an append to its answer";
    APPEND_CONFLICTS = "flagfall_append_conflicts_total", Counter, Count,
        "Appends another server was ahead of";
    TABLE_PANICS = "flagfall_table_panics_total", Counter, Count,
        "Tables that ended by a panic; a defect of the server";
    HOUSE_SECONDS = "flagfall_house_seconds", Histogram, Seconds,
        "Time a house player took for a command, by level";
    HOUSE_WAIT_SECONDS = "flagfall_house_wait_seconds", Histogram, Seconds,
        "Time a house player waited for its turn to think";
    JOBS = "flagfall_jobs_total", Counter, Count,
        "Attempts at jobs, by kind and result: done, retried (it failed and waits) or dead (a dead letter now)";
    JOBS_WAITING = "flagfall_jobs_waiting", Gauge, Count,
        "Jobs in the store, by kind, as of the last look";
    JOBS_OLDEST_SECONDS = "flagfall_jobs_oldest_seconds", Gauge, Seconds,
        "Age of the oldest job, by kind";
    DEAD_JOBS = "flagfall_dead_jobs", Gauge, Count,
        "Dead letters: jobs that failed for good, by kind";
    TASK_PANICS = "flagfall_task_panics_total", Counter, Count,
        "Tasks that ended by a panic, by task; a defect of the server";
}

/// Buckets of durations: 50 µs to 10 s.
const SECONDS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];
const COUNTS: &[f64] = &[0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
/// Waiting for an opponent takes longer than anything else.
const WAITS_SECONDS: &[f64] = &[1.0, 2.5, 5.0, 7.5, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0];
const RATING_POINTS: &[f64] = &[5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 500.0, 1_000.0];

/// Installs the recorder of the process; a second call returns the same handle. Metrics recorded
/// before the first call are lost.
///
/// Returns `None` if another recorder was installed first.
pub fn install() -> Option<PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let by_name = |name: &str| metrics_exporter_prometheus::Matcher::Full(name.to_owned());
            let recorder = PrometheusBuilder::new()
                .set_buckets(SECONDS)
                .and_then(|builder| builder.set_buckets_for_metric(by_name(OUTBOX_QUEUED), COUNTS))
                .and_then(|builder| {
                    builder.set_buckets_for_metric(by_name(PAIRING_WAIT_SECONDS), WAITS_SECONDS)
                })
                .and_then(|builder| builder.set_buckets_for_metric(by_name(PAIRING_GAP), RATING_POINTS))
                .ok()?
                .build_recorder();
            let handle = recorder.handle();
            metrics::set_global_recorder(recorder).ok()?;
            describe();
            start_at_zero();
            Some(handle)
        })
        .clone()
}

fn describe() {
    for (name, kind, unit, help) in METRICS.iter().copied() {
        match kind {
            Kind::Counter => metrics::describe_counter!(name, unit, help),
            Kind::Gauge => metrics::describe_gauge!(name, unit, help),
            Kind::Histogram => metrics::describe_histogram!(name, unit, help),
        }
    }
}

/// Starts the counters that alerts watch at zero. If a series began with its first event,
/// Prometheus would see no increase, and a defect that happens once would raise no alert.
fn start_at_zero() {
    for name in [APPEND_CONFLICTS, HEARTBEAT_FAILURES, TABLE_PANICS] {
        counter!(name).increment(0);
    }
    for result in ["served", "limited", "full", "error"] {
        counter!(ACCEPTED, "result" => result).increment(0);
    }
    for (limit, scopes) in Limit::ALL {
        for scope in scopes {
            counter!(LIMIT_HITS, "limit" => limit.name(), "of" => scope.name()).increment(0);
        }
    }
    for reason in ["memory", "running_games"] {
        counter!(GAMES_REFUSED, "reason" => reason).increment(0);
    }
    for task in ["connection", "http"] {
        start_task(task);
    }
}

/// Starts the panic counter of a task at zero.
pub fn start_task(task: &'static str) {
    counter!(TASK_PANICS, "task" => task).increment(0);
}

/// Handles that are looked up once, for every message and every append.
pub struct Hot {
    messages_in: [Counter; MESSAGES_IN_KINDS.len()],
    messages_out: [Counter; PAYLOAD_KINDS.len()],
    /// [`OUTBOX_QUEUED`].
    pub outbox_queued: Histogram,
    /// [`ROUND_TRIP`].
    pub round_trip: Histogram,
    /// [`COMMIT_SECONDS`].
    pub commit_seconds: Histogram,
}

/// The handles of this process.
pub static HOT: LazyLock<Hot> = LazyLock::new(|| Hot {
    messages_in: MESSAGES_IN_KINDS.map(|kind| counter!(MESSAGES_IN, "type" => kind)),
    messages_out: PAYLOAD_KINDS.map(|kind| counter!(MESSAGES_OUT, "type" => kind)),
    outbox_queued: histogram!(OUTBOX_QUEUED),
    round_trip: histogram!(ROUND_TRIP),
    commit_seconds: histogram!(COMMIT_SECONDS),
});

const MESSAGES_IN_KINDS: [&str; 22] = [
    "malformed",
    "hello",
    "pong",
    "open_lobby",
    "close_lobby",
    "seek",
    "cancel_seek",
    "accept_seek",
    "challenge",
    "cancel_challenge",
    "show_challenge",
    "accept_challenge",
    "play_bot",
    "rematch",
    "open_game",
    "close_game",
    "command",
    "my_games",
    "enter_pool",
    "leave_pool",
    "say",
    "report",
];

impl Hot {
    /// Counts a message from a client; `None` for a malformed one.
    pub fn message_in(&self, message: Option<&ClientToServer>) {
        let kind = message.map_or(0, |message| match message {
            ClientToServer::Hello { .. } => 1,
            ClientToServer::Pong { .. } => 2,
            ClientToServer::OpenLobby {} => 3,
            ClientToServer::CloseLobby {} => 4,
            ClientToServer::Seek { .. } => 5,
            ClientToServer::CancelSeek { .. } => 6,
            ClientToServer::AcceptSeek { .. } => 7,
            ClientToServer::Challenge { .. } => 8,
            ClientToServer::CancelChallenge { .. } => 9,
            ClientToServer::ShowChallenge { .. } => 10,
            ClientToServer::AcceptChallenge { .. } => 11,
            ClientToServer::PlayBot { .. } => 12,
            ClientToServer::Rematch { .. } => 13,
            ClientToServer::OpenGame { .. } => 14,
            ClientToServer::CloseGame { .. } => 15,
            ClientToServer::Command { .. } => 16,
            ClientToServer::MyGames {} => 17,
            ClientToServer::EnterPool { .. } => 18,
            ClientToServer::LeavePool { .. } => 19,
            ClientToServer::Say { .. } => 20,
            ClientToServer::Report { .. } => 21,
        });
        self.messages_in[kind].increment(1);
    }

    /// Counts a message written to a client, by its index in [`PAYLOAD_KINDS`].
    pub fn message_out(&self, kind: usize) {
        self.messages_out[kind].increment(1);
    }
}

/// Counts a refusal. Call it whenever a `refused` message is made.
pub fn refused(code: &Code) {
    counter!(REFUSALS, "code" => code.as_str().to_owned()).increment(1);
}

/// Sets the gauges of the process itself.
pub fn sample_process(uptime: std::time::Duration) {
    gauge!(UPTIME_SECONDS).set(uptime.as_secs_f64());
    sample_runtime();
    #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
    gauge!(RESIDENT_BYTES).set(crate::memory::usage().resident as f64);
}

/// Sets the metrics of the asynchronous runtime that this is called on.
fn sample_runtime() {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let runtime = runtime.metrics();
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    gauge!(RUNTIME_WORKERS).set(count(runtime.num_workers()));
    gauge!(RUNTIME_TASKS).set(count(runtime.num_alive_tasks()));
    gauge!(RUNTIME_QUEUE).set(count(runtime.global_queue_depth()));
    let busy: std::time::Duration =
        (0..runtime.num_workers()).map(|worker| runtime.worker_total_busy_duration(worker)).sum();
    counter!(RUNTIME_BUSY_SECONDS).absolute(busy.as_secs());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_described_once_and_named_by_the_house() {
        let mut names: Vec<_> = METRICS.iter().map(|(name, ..)| *name).collect();
        assert!(names.iter().all(|name| name.starts_with("flagfall_")));
        for (name, kind, ..) in METRICS {
            assert_eq!(*kind == Kind::Counter, name.ends_with("_total"), "{name}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len());
    }

    #[tokio::test]
    async fn the_runtime_is_sampled() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _task = tokio::spawn(std::future::pending::<()>());
        metrics::with_local_recorder(&recorder, || sample_process(std::time::Duration::from_secs(3)));
        let text = recorder.handle().render();
        for line in ["flagfall_uptime_seconds 3", "flagfall_runtime_workers 1", "flagfall_runtime_tasks 1"] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn what_an_alert_counts_stands_at_zero_from_the_start() {
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, start_at_zero);
        let text = recorder.handle().render();
        let alerts = include_str!("../../../deploy/prometheus/alerts.yml");
        let is_between = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
        let counters: Vec<&str> = alerts
            .split(is_between)
            .filter(|word| word.starts_with("flagfall_") && word.ends_with("_total"))
            .collect();
        assert!(counters.len() >= 5, "{counters:?}");
        for name in counters {
            let is_zero = |line: &str| line.starts_with(name) && line.ends_with(" 0");
            assert!(text.lines().any(is_zero), "{name} in\n{text}");
        }
    }

    #[test]
    fn the_ratings_of_pairs_and_their_waiting_are_told_apart() {
        let handle = install().unwrap();
        metrics::histogram!(PAIRING_GAP).record(120.0);
        metrics::histogram!(PAIRING_WAIT_SECONDS).record(45.0);
        handle.run_upkeep();
        let text = handle.render();
        for bucket in ["gap_bucket{le=\"150\"}", "wait_seconds_bucket{le=\"60\"}"] {
            assert!(text.contains(&format!("flagfall_pairing_{bucket}")), "{bucket} in\n{text}");
        }
    }

    #[test]
    fn a_refusal_shows_in_the_rendered_text() {
        let handle = install().unwrap();
        refused(&Code::new(Code::BAD_NAME));
        let text = handle.render();
        assert!(text.contains("# HELP flagfall_refusals_total Refusals sent, by code"), "{text}");
        assert!(text.contains("flagfall_refusals_total{code=\"bad_name\"}"), "{text}");
    }
}
