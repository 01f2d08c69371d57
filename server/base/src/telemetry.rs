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

/// Every metric: name, kind, unit and meaning. This is the one place where they are documented.
pub const METRICS: &[(&str, Kind, Unit, &str)] = &[
    (CONNECTIONS, Kind::Gauge, Unit::Count, "Open WebSocket connections, by kind: identified or not yet"),
    (PLAYERS_ONLINE, Kind::Gauge, Unit::Count, "Players with at least one open connection"),
    (SEEKS_OPEN, Kind::Gauge, Unit::Count, "Open seeks in the lobby"),
    (RESIDENT_BYTES, Kind::Gauge, Unit::Bytes, "Resident memory of the process"),
    (
        MEMORY_LIMIT_BYTES,
        Kind::Gauge,
        Unit::Bytes,
        "Memory the process may use; new games are refused at three quarters of it",
    ),
    (UPTIME_SECONDS, Kind::Gauge, Unit::Seconds, "Time since the server started"),
    (
        ACCEPTED,
        Kind::Counter,
        Unit::Count,
        "Connections taken from the listener, by what became of them: served, limited (its address has too many), full or error",
    ),
    (
        LIMIT_HITS,
        Kind::Counter,
        Unit::Count,
        "Times a limit refused, closed or delayed something, by limit, and whose it is: address, player or server",
    ),
    (
        UPGRADES,
        Kind::Counter,
        Unit::Count,
        "WebSocket upgrades asked for, by result: opened, foreign_origin, refused or failed",
    ),
    (MESSAGES_IN, Kind::Counter, Unit::Count, "Messages from clients, by type"),
    (MESSAGES_OUT, Kind::Counter, Unit::Count, "Messages written to clients, by type"),
    (REFUSALS, Kind::Counter, Unit::Count, "Refusals sent, by code"),
    (CLOSES, Kind::Counter, Unit::Count, "Connections ended, by close code; gone where the client just went"),
    (OUTBOX_QUEUED, Kind::Histogram, Unit::Count, "Messages waiting for a connection, sampled at each ping"),
    (ROUND_TRIP, Kind::Histogram, Unit::Seconds, "Time from a ping to its pong"),
    (GUESTS, Kind::Counter, Unit::Count, "New guests"),
    (GUESTS_STORED, Kind::Counter, Unit::Count, "Guests who were stored, with their first act that lasts"),
    (
        PRUNED,
        Kind::Counter,
        Unit::Count,
        "Guests who never played and finished games of guests that were deleted, by kind (guest, game)",
    ),
    (
        RECALLED,
        Kind::Counter,
        Unit::Count,
        "Hellos while the store was away, by result: known from memory, or unknown and sent back",
    ),
    (ACCOUNTS, Kind::Counter, Unit::Count, "Accounts, by what happened: made or deleted"),
    (RATED_GAMES, Kind::Counter, Unit::Count, "Rated games that ended, by result: rated or not_counted"),
    (POOL_WAITING, Kind::Gauge, Unit::Count, "Players who wait in the pool, as of the last wave"),
    (PAIRING_WAIT_SECONDS, Kind::Histogram, Unit::Seconds, "Time from entering the pool to being paired"),
    (PAIRING_GAP, Kind::Histogram, Unit::Count, "Difference of the ratings of a pair"),
    (
        NOTICES,
        Kind::Counter,
        Unit::Count,
        "Notices to webhooks, by result: delivered, failed, lost or dropped",
    ),
    (
        LOGINS,
        Kind::Counter,
        Unit::Count,
        "Logins and recoveries, by result: good, wrong, closed or too_often",
    ),
    (
        PASSWORD_HASHES,
        Kind::Counter,
        Unit::Count,
        "Password hashes, by result: done, or busy when the queue was full",
    ),
    (PASSWORD_SECONDS, Kind::Histogram, Unit::Seconds, "Time a password hash takes, its wait left out"),
    (
        LOBBY_COMMANDS,
        Kind::Counter,
        Unit::Count,
        "Lobby commands, by command and result: accepted, repeated or refused",
    ),
    (
        LOBBY_COMMAND_SECONDS,
        Kind::Histogram,
        Unit::Seconds,
        "Time a lobby command takes until its answer, the store included",
    ),
    (
        LOBBY_BROADCASTS,
        Kind::Counter,
        Unit::Count,
        "Lobby messages made for watchers, each shared by all of them",
    ),
    (HTTP_REQUESTS, Kind::Counter, Unit::Count, "HTTP requests, by route and status"),
    (HEALTH_SECONDS, Kind::Histogram, Unit::Seconds, "Time the store takes for a health check"),
    (
        STORE_WEAKNESSES,
        Kind::Gauge,
        Unit::Count,
        "Ways in which the store promises less than a game needs: settings of Redis, read again every 15 seconds",
    ),
    (
        STORE_AVAILABLE,
        Kind::Gauge,
        Unit::Count,
        "Whether the store answers: 1, or 0 while clients are told that it does not",
    ),
    (HEARTBEAT_FAILURES, Kind::Counter, Unit::Count, "Heartbeats the store did not take"),
    (
        GAMES,
        Kind::Gauge,
        Unit::Count,
        "Running games: in memory, by phase (deploying or playing), and at_rest, out of memory, as of the last count",
    ),
    (
        RESUMES,
        Kind::Counter,
        Unit::Count,
        "Games opened again by a client, by outcome: events (those since came along), view (too old for that) or epoch",
    ),
    (TABLES, Kind::Gauge, Unit::Count, "Games in memory, running ones and those somebody looks at"),
    (TABLES_OPENED, Kind::Counter, Unit::Count, "Games read from their logs into memory"),
    (TABLES_LEFT, Kind::Counter, Unit::Count, "Games that left memory, by what they were: over or at_rest"),
    (GAMES_MADE, Kind::Counter, Unit::Count, "Games made, by ruleset"),
    (
        GAMES_REFUSED,
        Kind::Counter,
        Unit::Count,
        "New games refused for want of room, by reason: memory or running_games",
    ),
    (RUNNING_GAMES, Kind::Gauge, Unit::Count, "Running games of all servers, as far as this one knows"),
    (RUNNING_GAMES_MAX, Kind::Gauge, Unit::Count, "The most running games; beyond that new ones are refused"),
    (GAMES_ENDED, Kind::Counter, Unit::Count, "Games ended, by reason"),
    (GAMES_ARCHIVED, Kind::Counter, Unit::Count, "Games that were archived, long after their end"),
    (COMMIT_SECONDS, Kind::Histogram, Unit::Seconds, "Time from an append to its answer"),
    (APPEND_CONFLICTS, Kind::Counter, Unit::Count, "Appends another server was ahead of"),
    (TABLE_PANICS, Kind::Counter, Unit::Count, "Tables that ended by a panic; a defect of the server"),
    (HOUSE_SECONDS, Kind::Histogram, Unit::Seconds, "Time a house player took for a command, by level"),
    (HOUSE_WAIT_SECONDS, Kind::Histogram, Unit::Seconds, "Time a house player waited for its turn to think"),
    (
        JOBS,
        Kind::Counter,
        Unit::Count,
        "Attempts at jobs, by kind and result: done, retried (it failed and waits) or dead (a dead letter now)",
    ),
    (JOBS_WAITING, Kind::Gauge, Unit::Count, "Jobs in the store, by kind, as of the last look"),
    (JOBS_OLDEST_SECONDS, Kind::Gauge, Unit::Seconds, "Age of the oldest job, by kind"),
    (DEAD_JOBS, Kind::Gauge, Unit::Count, "Dead letters: jobs that failed for good, by kind"),
    (TASK_PANICS, Kind::Counter, Unit::Count, "Tasks that ended by a panic, by task; a defect of the server"),
];

/// See [`METRICS`], like all names here.
pub const CONNECTIONS: &str = "flagfall_connections";
/// Connected players.
pub const PLAYERS_ONLINE: &str = "flagfall_players_online";
/// Open seeks.
pub const SEEKS_OPEN: &str = "flagfall_seeks_open";
/// Resident memory.
pub const RESIDENT_BYTES: &str = "flagfall_resident_bytes";
/// See [`METRICS`].
pub const MEMORY_LIMIT_BYTES: &str = "flagfall_memory_limit_bytes";
/// Uptime.
pub const UPTIME_SECONDS: &str = "flagfall_uptime_seconds";
/// See [`METRICS`].
pub const LIMIT_HITS: &str = "flagfall_limit_hits_total";
/// Connections taken from the listener.
pub const ACCEPTED: &str = "flagfall_accepted_total";
/// WebSocket upgrades.
pub const UPGRADES: &str = "flagfall_upgrades_total";
/// Messages in.
pub const MESSAGES_IN: &str = "flagfall_messages_in_total";
/// Messages out.
pub const MESSAGES_OUT: &str = "flagfall_messages_out_total";
/// Refusals.
pub const REFUSALS: &str = "flagfall_refusals_total";
/// Closed connections.
pub const CLOSES: &str = "flagfall_closes_total";
/// Outbox depth.
pub const OUTBOX_QUEUED: &str = "flagfall_outbox_queued";
/// Round trips.
pub const ROUND_TRIP: &str = "flagfall_round_trip_seconds";
/// New guests.
pub const GUESTS: &str = "flagfall_guests_total";
/// Guests who were stored, with their first lasting action.
pub const GUESTS_STORED: &str = "flagfall_guests_stored_total";
/// What was pruned: guests who never played, and finished games of guests.
pub const PRUNED: &str = "flagfall_pruned_total";
/// See [`METRICS`].
pub const RECALLED: &str = "flagfall_recalled_total";
/// See [`METRICS`].
pub const ACCOUNTS: &str = "flagfall_accounts_total";
/// See [`METRICS`].
pub const NOTICES: &str = "flagfall_notices_total";
/// See [`METRICS`].
pub const LOGINS: &str = "flagfall_logins_total";
/// See [`METRICS`].
pub const RATED_GAMES: &str = "flagfall_rated_games_total";
/// See [`METRICS`].
pub const POOL_WAITING: &str = "flagfall_pool_waiting";
/// See [`METRICS`].
pub const PAIRING_WAIT_SECONDS: &str = "flagfall_pairing_wait_seconds";
/// See [`METRICS`].
pub const PAIRING_GAP: &str = "flagfall_pairing_gap";
/// See [`METRICS`].
pub const PASSWORD_HASHES: &str = "flagfall_password_hashes_total";
/// See [`METRICS`].
pub const PASSWORD_SECONDS: &str = "flagfall_password_seconds";
/// Lobby commands.
pub const LOBBY_COMMANDS: &str = "flagfall_lobby_commands_total";
/// Lobby command latency.
pub const LOBBY_COMMAND_SECONDS: &str = "flagfall_lobby_command_seconds";
/// Lobby broadcasts.
pub const LOBBY_BROADCASTS: &str = "flagfall_lobby_broadcasts_total";
/// HTTP requests.
pub const HTTP_REQUESTS: &str = "flagfall_http_requests_total";
/// Health check latency.
pub const HEALTH_SECONDS: &str = "flagfall_health_seconds";
/// See [`METRICS`].
pub const STORE_AVAILABLE: &str = "flagfall_store_available";
/// See [`METRICS`].
pub const STORE_WEAKNESSES: &str = "flagfall_store_weaknesses";
/// Failed heartbeats.
pub const HEARTBEAT_FAILURES: &str = "flagfall_heartbeat_failures_total";
/// See [`METRICS`].
pub const JOBS: &str = "flagfall_jobs_total";
/// See [`METRICS`].
pub const JOBS_WAITING: &str = "flagfall_jobs_waiting";
/// See [`METRICS`].
pub const JOBS_OLDEST_SECONDS: &str = "flagfall_jobs_oldest_seconds";
/// See [`METRICS`].
pub const DEAD_JOBS: &str = "flagfall_dead_jobs";
/// Panics.
pub const TASK_PANICS: &str = "flagfall_task_panics_total";

/// Games in memory.
pub const TABLES: &str = "flagfall_tables";
/// See [`METRICS`].
pub const GAMES: &str = "flagfall_games";
/// See [`METRICS`].
pub const RESUMES: &str = "flagfall_resumes_total";
/// See [`METRICS`].
pub const TABLES_OPENED: &str = "flagfall_tables_opened_total";
/// See [`METRICS`].
pub const TABLES_LEFT: &str = "flagfall_tables_left_total";
/// Games made.
pub const GAMES_MADE: &str = "flagfall_games_made_total";
/// See [`METRICS`].
pub const GAMES_REFUSED: &str = "flagfall_games_refused_total";
/// See [`METRICS`].
pub const RUNNING_GAMES: &str = "flagfall_running_games";
/// See [`METRICS`].
pub const RUNNING_GAMES_MAX: &str = "flagfall_running_games_max";
/// Games ended.
pub const GAMES_ENDED: &str = "flagfall_games_ended_total";
/// See [`METRICS`].
pub const GAMES_ARCHIVED: &str = "flagfall_games_archived_total";
/// Commit latency.
pub const COMMIT_SECONDS: &str = "flagfall_commit_seconds";
/// Lost races.
pub const APPEND_CONFLICTS: &str = "flagfall_append_conflicts_total";
/// Panics of tables.
pub const TABLE_PANICS: &str = "flagfall_table_panics_total";
/// See [`METRICS`].
pub const HOUSE_WAIT_SECONDS: &str = "flagfall_house_wait_seconds";
/// Thinking time.
pub const HOUSE_SECONDS: &str = "flagfall_house_seconds";

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
    #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
    gauge!(RESIDENT_BYTES).set(crate::memory::usage().resident as f64);
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
