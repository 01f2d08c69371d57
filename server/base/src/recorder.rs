//! The metrics recorder of the process, and handles for frequently used metrics.

use std::sync::{LazyLock, OnceLock};

use flagfall_protocol::{ClientMessage, ClientToServer, ServerMessage, ServerToClient};
use metrics::{Counter, Histogram, counter, gauge, histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use strum::VariantNames as _;

use crate::admission::Limit;
use crate::telemetry::*;

/// The bounds of the buckets for durations: 50 µs to 10 s.
const SECONDS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];
const COUNTS: &[f64] = &[0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
/// The bounds of the buckets for the time that a player waits for an opponent, which is longer
/// than all other measured durations.
const WAITS_SECONDS: &[f64] = &[1.0, 2.5, 5.0, 7.5, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0];
const RATING_POINTS: &[f64] = &[5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 500.0, 1_000.0];

/// Installs the recorder of the process. Returns the same handle if called again. Metrics
/// recorded before the first call are lost.
///
/// Returns `None` if another recorder has already been installed.
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
    for Metric { name, kind, unit, help, .. } in METRICS.iter().copied() {
        match kind {
            MetricKind::Counter => metrics::describe_counter!(name, unit, help),
            MetricKind::Gauge => metrics::describe_gauge!(name, unit, help),
            MetricKind::Histogram => metrics::describe_histogram!(name, unit, help),
        }
    }
}

/// Sets the counters that alerts watch to zero. Otherwise, a counter would appear only with its
/// first event, and Prometheus would see no increase. So a defect that happens only once would
/// raise no alert.
fn start_at_zero() {
    for name in [APPEND_CONFLICTS, ARCHIVE_REFUSED, HEARTBEAT_FAILURES, TABLE_PANICS] {
        counter!(name).increment(0);
    }
    for result in ["served", "limited", "full", "error"] {
        counter!(ACCEPTED, "result" => result).increment(0);
    }
    for (limit, scopes) in Limit::ALL {
        for scope in scopes {
            counter!(LIMIT_HITS, "limit" => limit.into_str(), "of" => scope.into_str()).increment(0);
        }
    }
    for reason in ["memory", "running_games"] {
        counter!(GAMES_REFUSED, "reason" => reason).increment(0);
    }
    for task in ["connection", "http"] {
        start_task(task);
    }
}

/// The metrics label for client messages that do not follow the protocol.
const MALFORMED: &str = "malformed";

/// The handles of frequently used metrics. They are looked up only once, because every message or
/// append uses them.
pub struct Hot {
    /// A counter for each [`ClientMessage`], and one for malformed messages.
    messages_in: Vec<Counter>,
    /// A counter for each [`ServerMessage`].
    messages_out: Vec<Counter>,
    pub outbox_queued: Histogram,
    pub round_trip: Histogram,
    pub commit_seconds: Histogram,
}

pub static HOT: LazyLock<Hot> = LazyLock::new(|| Hot {
    messages_in: (ClientToServer::VARIANTS.iter().chain(&[MALFORMED]))
        .map(|kind| counter!(MESSAGES_IN, "type" => *kind))
        .collect(),
    messages_out: ServerToClient::VARIANTS
        .iter()
        .map(|kind| counter!(MESSAGES_OUT, "type" => *kind))
        .collect(),
    outbox_queued: histogram!(OUTBOX_QUEUED),
    round_trip: histogram!(ROUND_TRIP),
    commit_seconds: histogram!(COMMIT_SECONDS),
});

impl Hot {
    /// Counts a message of a client, or a malformed one.
    pub fn message_in(&self, message: Option<&ClientToServer>) {
        let number =
            message.map_or(ClientToServer::VARIANTS.len(), |known| ClientMessage::from(known) as usize);
        self.messages_in[number].increment(1);
    }

    /// Counts a message of this type that was written to a client.
    pub fn message_out(&self, kind: ServerMessage) {
        self.messages_out[kind as usize].increment(1);
    }
}

pub fn sample_process(uptime: std::time::Duration) {
    gauge!(UPTIME_SECONDS).set(uptime.as_secs_f64());
    sample_runtime();
    #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
    gauge!(RESIDENT_BYTES).set(crate::memory::usage().resident as f64);
}

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
    use flagfall_protocol::Code;

    use super::*;

    #[test]
    fn every_metric_is_described_once_and_named_by_the_house() {
        let mut names: Vec<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert!(names.iter().all(|name| name.starts_with("flagfall_")));
        for Metric { name, kind, .. } in METRICS {
            assert_eq!(*kind == MetricKind::Counter, name.ends_with("_total"), "{name}");
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
    fn counters_of_alerts_start_at_zero() {
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
    fn metrics_keep_rating_gaps_and_waits_apart() {
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
