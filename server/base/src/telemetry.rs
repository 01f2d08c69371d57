//! Every metric: its name, kind, unit and meaning.

use flagfall_protocol::Code;
use metrics::{Unit, counter};

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

/// Starts the panic counter of a task at zero.
pub fn start_task(task: &'static str) {
    counter!(TASK_PANICS, "task" => task).increment(0);
}

/// Counts a refusal. Call it whenever a `refused` message is made.
pub fn refused(code: &Code) {
    counter!(REFUSALS, "code" => code.as_str().to_owned()).increment(1);
}
