//! The metrics of the server: their names, kinds, units and meanings.

use flagfall_protocol::Code;
use metrics::{Unit, counter};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricKind {
    Counter,
    Gauge,
    /// A histogram: durations in seconds, or sizes, counted in buckets.
    Histogram,
}

#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name of the metric's constant in this module.
    pub constant: &'static str,
    pub name: &'static str,
    pub kind: MetricKind,
    pub unit: Unit,
    pub labels: &'static [&'static str],
    pub help: &'static str,
}

macro_rules! declare {
    ($($id:ident = $name:literal, $kind:ident, $unit:ident, [$($label:literal),*], $help:literal;)+) => {
        $(#[doc = $help]
        pub const $id: &str = $name;)+

        pub const METRICS: &[Metric] = &[$(Metric {
            constant: stringify!($id),
            name: $id,
            kind: MetricKind::$kind,
            unit: Unit::$unit,
            labels: &[$($label),*],
            help: $help,
        }),+];
    };
}

declare! {
    CONNECTIONS = "flagfall_connections", Gauge, Count, ["kind"],
        "Open WebSocket connections, by kind: identified, anonymous, or not_yet (no hello so far)";
    PLAYERS_ONLINE = "flagfall_players_online", Gauge, Count, [],
        "Players with at least one open connection";
    SEEKS_OPEN = "flagfall_seeks_open", Gauge, Count, [],
        "Open seeks in the lobby";
    RESIDENT_BYTES = "flagfall_resident_bytes", Gauge, Bytes, [],
        "Resident memory of the process";
    MEMORY_LIMIT_BYTES = "flagfall_memory_limit_bytes", Gauge, Bytes, [],
        "Memory that the process may use; at three quarters of it, new games are refused";
    UPTIME_SECONDS = "flagfall_uptime_seconds", Gauge, Seconds, [],
        "Time since the server started";
    RUNTIME_WORKERS = "flagfall_runtime_workers", Gauge, Count, [],
        "Worker threads of the asynchronous runtime";
    RUNTIME_TASKS = "flagfall_runtime_tasks", Gauge, Count, [],
        "Tasks of the asynchronous runtime that have not ended";
    RUNTIME_QUEUE = "flagfall_runtime_queue", Gauge, Count, [],
        "Tasks that wait in the runtime's shared queue for a worker thread";
    RUNTIME_BUSY_SECONDS = "flagfall_runtime_busy_seconds_total", Counter, Seconds, [],
        "Busy time of the runtime's worker threads, summed over all threads, in whole seconds";
    ACCEPTED = "flagfall_accepted_total", Counter, Count, ["result"],
        "Connections accepted by the listener, by result: served, limited (the address has too many), full or error";
    LIMIT_HITS = "flagfall_limit_hits_total", Counter, Count, ["limit", "of"],
        "Number of times that a limit was reached and something was refused, closed or delayed, by limit and its scope: address, player or server";
    UPGRADES = "flagfall_upgrades_total", Counter, Count, ["result"],
        "WebSocket upgrades requested, by result: opened, foreign_origin, refused or failed";
    MESSAGES_IN = "flagfall_messages_in_total", Counter, Count, ["type"],
        "Messages from clients, by type";
    MESSAGES_OUT = "flagfall_messages_out_total", Counter, Count, ["type"],
        "Messages written to clients, by type";
    REFUSALS = "flagfall_refusals_total", Counter, Count, ["code"],
        "Refusals sent, by code";
    CLOSES = "flagfall_closes_total", Counter, Count, ["code"],
        "Connections ended, by close code; `gone` if the client disappeared";
    OUTBOX_QUEUED = "flagfall_outbox_queued", Histogram, Count, [],
        "Messages waiting for a connection, sampled at each ping";
    ROUND_TRIP = "flagfall_round_trip_seconds", Histogram, Seconds, [],
        "Time from a ping to its pong";
    GUESTS = "flagfall_guests_total", Counter, Count, [],
        "New guests";
    GUESTS_STORED = "flagfall_guests_stored_total", Counter, Count, [],
        "Guests who were stored; a guest is stored with their first lasting action";
    PRUNED = "flagfall_pruned_total", Counter, Count, ["kind"],
        "Deletions of guests who never played and of guests' finished games, by kind: guest or game";
    RECALLED = "flagfall_recalled_total", Counter, Count, ["result"],
        "Hellos while the store was unreachable, by result: known (the token was in memory), or unknown (the client was asked to retry)";
    ACCOUNTS = "flagfall_accounts_total", Counter, Count, ["what"],
        "Accounts made or deleted, by event";
    RATED_GAMES = "flagfall_rated_games_total", Counter, Count, ["result"],
        "Rated games that ended, by result: rated or not_counted";
    POOL_WAITING = "flagfall_pool_waiting", Gauge, Count, [],
        "Players who wait in the pool, as of the last wave";
    PAIRING_WAIT_SECONDS = "flagfall_pairing_wait_seconds", Histogram, Seconds, [],
        "Time from entering the pool to being paired";
    PAIRING_GAP = "flagfall_pairing_gap", Histogram, Count, [],
        "Difference between the ratings of two paired players";
    NOTICES = "flagfall_notices_total", Counter, Count, ["result"],
        "Notices to webhooks and browsers, by result: delivered, failed, lost or dropped";
    MAILS = "flagfall_mails_total", Counter, Count, ["kind", "result"],
        "Mails, by kind (confirmation or turns) and result: sent, failed (to be tried again), rejected (by the recipient's mail server, for good) or lost";
    LOGINS = "flagfall_logins_total", Counter, Count, ["result"],
        "Logins and recoveries, by result: good, wrong, closed or too_often";
    PASSWORD_HASHES = "flagfall_password_hashes_total", Counter, Count, ["result"],
        "Password hashes, by result: done, or busy if the queue was full";
    PASSWORD_SECONDS = "flagfall_password_seconds", Histogram, Seconds, [],
        "Time to compute a password hash, excluding the wait in the queue";
    LOBBY_COMMANDS = "flagfall_lobby_commands_total", Counter, Count, ["command", "result"],
        "Lobby commands, by command and result: accepted, repeated or refused";
    LOBBY_COMMAND_SECONDS = "flagfall_lobby_command_seconds", Histogram, Seconds, [],
        "Time from a lobby command to its answer, including the store";
    LOBBY_BROADCASTS = "flagfall_lobby_broadcasts_total", Counter, Count, [],
        "Lobby messages created; all watchers of the lobby share one message";
    HTTP_REQUESTS = "flagfall_http_requests_total", Counter, Count, ["route", "status"],
        "HTTP requests, by route and status";
    HEALTH_SECONDS = "flagfall_health_seconds", Histogram, Seconds, [],
        "Time that the store takes to answer a health check";
    STORE_WEAKNESSES = "flagfall_store_weaknesses", Gauge, Count, [],
        "Weaknesses in the setup of Redis that may cause the loss of acknowledged moves; checked every 15 seconds";
    STORE_AVAILABLE = "flagfall_store_available", Gauge, Count, [],
        "1 while the store answers; 0 while the server tells clients that the store does not answer";
    STORE_PARTS_AWAY = "flagfall_store_parts_away", Gauge, Count, [],
        "On a cluster, the parts of the store that do not answer while others do; their games stand still";
    REDIS_MEMORY_BYTES = "flagfall_redis_memory_bytes", Gauge, Bytes, [],
        "Memory that Redis uses, read every 15 seconds; on a cluster, that of the fullest master";
    REDIS_MEMORY_LIMIT_BYTES = "flagfall_redis_memory_limit_bytes", Gauge, Bytes, [],
        "The limit of that memory: maxmemory, or half of the machine's memory if that is less";
    DISK_FREE_BYTES = "flagfall_disk_free_bytes", Gauge, Bytes, [],
        "Free bytes of the file system of the data folder, as of the last heartbeat";
    DISK_FULL = "flagfall_disk_full", Gauge, Count, [],
        "1 while games pause because the data folder's file system is full or almost full; otherwise 0";
    HEARTBEAT_FAILURES = "flagfall_heartbeat_failures_total", Counter, Count, [],
        "Heartbeats that the store did not accept";
    GAMES = "flagfall_games", Gauge, Count, ["phase"],
        "Running games, by phase: deploying or playing (in memory), and at_rest (not in memory, as of the last count)";
    RESUMES = "flagfall_resumes_total", Counter, Count, ["outcome"],
        "Games reopened by a client, by outcome: events (the missed events were sent), view (the client's state was too old, so it received the whole view) or epoch (moves were lost, and the game continues from an older state)";
    TABLES = "flagfall_tables", Gauge, Count, [],
        "Games in memory: running games, and finished games that a client has open";
    TABLES_OPENED = "flagfall_tables_opened_total", Counter, Count, [],
        "Games read from their logs into memory";
    TABLES_LEFT = "flagfall_tables_left_total", Counter, Count, ["game"],
        "Games unloaded from memory, by state: over or at_rest";
    GAMES_MADE = "flagfall_games_made_total", Counter, Count, ["ruleset"],
        "Games created, by ruleset";
    GAMES_REFUSED = "flagfall_games_refused_total", Counter, Count, ["reason"],
        "New games refused because there is no room, by reason: memory or running_games";
    RUNNING_GAMES = "flagfall_running_games", Gauge, Count, [],
        "Running games of all servers, as far as this server knows";
    RUNNING_GAMES_MAX = "flagfall_running_games_max", Gauge, Count, [],
        "Maximum number of running games; above it, new games are refused";
    GAMES_ENDED = "flagfall_games_ended_total", Counter, Count, ["reason"],
        "Games ended, by reason";
    GAMES_ARCHIVED = "flagfall_games_archived_total", Counter, Count, [],
        "Games moved from the store to the archive by this server";
    ARCHIVE_WAITING = "flagfall_archive_waiting", Gauge, Count, [],
        "Finished games that should be in the archive by now and are still in the store";
    ARCHIVE_REFUSED = "flagfall_archive_refused_total", Counter, Count, [],
        "Finished games that stay in the store, because the archive cannot keep them unchanged";
    COMMIT_SECONDS = "flagfall_commit_seconds", Histogram, Seconds, [],
        "Time from an append to its answer";
    APPEND_CONFLICTS = "flagfall_append_conflicts_total", Counter, Count, [],
        "Appends refused because another server appended first";
    TABLE_PANICS = "flagfall_table_panics_total", Counter, Count, [],
        "Games in memory that ended by a panic, which is a defect of the server";
    HOUSE_SECONDS = "flagfall_house_seconds", Histogram, Seconds, ["level"],
        "Time that a house player took for a command, by level";
    HOUSE_WAIT_SECONDS = "flagfall_house_wait_seconds", Histogram, Seconds, [],
        "Time that a house player waited before it could start thinking";
    JOBS = "flagfall_jobs_total", Counter, Count, ["kind", "result"],
        "Attempts to run jobs, by kind and result: done, retried (failed and waiting) or dead (became a dead letter)";
    JOBS_WAITING = "flagfall_jobs_waiting", Gauge, Count, ["kind"],
        "Jobs in the store, by kind, as of the last check";
    JOBS_OLDEST_SECONDS = "flagfall_jobs_oldest_seconds", Gauge, Seconds, ["kind"],
        "Age of the oldest job, by kind";
    DEAD_JOBS = "flagfall_dead_jobs", Gauge, Count, ["kind"],
        "Dead letters: jobs that failed permanently, by kind";
    TASK_PANICS = "flagfall_task_panics_total", Counter, Count, ["task"],
        "Tasks ended by a panic, by task; a panic is a defect of the server";
}

pub fn start_task(task: &'static str) {
    counter!(TASK_PANICS, "task" => task).increment(0);
}

/// Counts a refusal. Call this whenever a `refused` message is made.
pub fn refused(code: &Code) {
    counter!(REFUSALS, "code" => code.as_str().to_owned()).increment(1);
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write;
    use std::path::Path;

    use flagfall_tests::{check_generated, product_sources};

    use super::*;

    /// Returns the arguments of each call of a metrics macro in the source text.
    fn calls(text: &str) -> Vec<String> {
        let mut calls = Vec::new();
        for name in ["counter!(", "gauge!(", "histogram!("] {
            for rest in text.split(name).skip(1) {
                let mut depth = 1;
                let end = rest.find(|letter| {
                    depth += i32::from(letter == '(') - i32::from(letter == ')');
                    depth == 0
                });
                calls.push(rest[..end.unwrap()].to_owned());
            }
        }
        calls
    }

    #[test]
    fn every_metric_is_recorded_with_its_labels_and_no_other_is() {
        let declared: BTreeMap<&str, &Metric> =
            METRICS.iter().map(|metric| (metric.constant, metric)).collect();
        let mut recorded = BTreeSet::new();
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sources = product_sources(&server);
        let calls =
            sources.iter().flat_map(|(path, text)| calls(text).into_iter().map(move |call| (path, call)));
        for (path, call) in calls {
            let (first, labels) = call.split_once(',').unwrap_or((&call, ""));
            let constant = first.trim().rsplit("::").next().unwrap_or_default();
            // The recorder registers the metrics of the table in a loop, so this call contains a
            // variable instead of a constant.
            if constant == "name" && path.ends_with("recorder.rs") {
                continue;
            }
            let metric = declared
                .get(constant)
                .unwrap_or_else(|| panic!("{}: {first} is not declared", path.display()));
            let mut parts: Vec<&str> = labels.split("=>").collect();
            parts.pop();
            let labels: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.trim_end().strip_suffix('"')?.rsplit('"').next())
                .collect();
            assert_eq!(labels, metric.labels, "the labels of {constant}");
            recorded.insert(metric.constant);
        }
        let unused: Vec<_> = declared.keys().filter(|constant| !recorded.contains(**constant)).collect();
        assert!(unused.is_empty(), "nothing records {unused:?}");
    }

    #[test]
    fn the_page_lists_every_metric() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating/metrics.md");
        let mut wanted = "# Metrics\n\n\
            `/metrics` on the operators' listener (`--metrics-listen`) serves these metrics in Prometheus format.\n\
            Generated by `cargo test -p flagfall-base`; do not edit.\n\n\
            | name | kind | unit | labels | meaning |\n|---|---|---|---|---|\n"
            .to_owned();
        for Metric { name, kind, unit, labels, help, .. } in METRICS {
            let kind = format!("{kind:?}").to_lowercase();
            let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
            let (unit, labels) = (unit.as_str(), labels.join(", "));
            writeln!(wanted, "| `{name}` | {kind} | {unit} | {labels} | {help} |").unwrap();
        }
        check_generated(&page, &wanted, "flagfall-base");
    }
}
