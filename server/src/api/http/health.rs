//! Health checks: whether the store saves and returns a record, and whether servers receive each
//! other's notices.

use std::borrow::Cow;

use axum::extract::State;
use flagfall_store::{DiskSpace, StoreMessage, Update, UpdateOutcome, Write};
use metrics::histogram;
use serde::Serialize;
use tokio::time::{Instant, timeout};

use super::answer::Checked;
use super::request::Shared;
use crate::app::App;
use flagfall_base::SERVER;
use flagfall_base::cluster::BusMessage;
use flagfall_base::keys::HEALTH;
use flagfall_base::places::Reach;
use flagfall_base::random::{random_bytes, random_code};
use flagfall_base::telemetry::HEALTH_SECONDS;

/// The problem if only a part of the store is away.
const PART_AWAY: &str = "a part of the store does not answer, and its games stand still";
/// The names of the records with which the store is checked. On a cluster they are in several
/// parts, and the first one whose part answered lately is used.
const PROBES: [&str; 12] = ["probe", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];

/// The answer from `/health`.
#[derive(Serialize, Debug)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
pub(super) struct Health {
    /// `ok`, `failing` or `stopping`.
    status: Cow<'static, str>,
    /// A description of the problem, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Cow<'static, str>>,
    /// The name and version of the server program.
    server: Cow<'static, str>,
    /// The number of seconds since the server started.
    uptime_s: u64,
    /// The number of open connections.
    connections: usize,
    /// The duration of the store check, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    store_ms: Option<u64>,
}

/// The answer from `/ready`.
#[derive(Serialize, Debug)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
pub(super) struct Ready {
    /// `ok` or `stopping`.
    status: Cow<'static, str>,
    /// True if the store answered this server's latest heartbeat.
    store_available: bool,
}

/// Answers 200 if the store is healthy, otherwise 503. Also answers 503 while the server stops. If
/// only a part of the store does not answer, the status is `ok`, and the problem says so.
///
/// Within the time limit, the store must accept a heartbeat and a record, and return the record. If
/// several servers share the store, this server must also receive a notice that it sends to itself.
/// Checks run one at a time, so that frequent checks cause little load.
pub(super) async fn health(State(app): Shared) -> Checked<Health> {
    let (status, problem, store_ms) = if app.is_stopping() {
        ("stopping", None, None)
    } else {
        let began = Instant::now();
        let checked = timeout(app.settings.times.health, async {
            let _turn = app.health_turn.lock().await;
            check(&app).await
        });
        let problem =
            checked.await.unwrap_or(Some("the store did not answer in time, or its notices do not arrive"));
        let elapsed = began.elapsed();
        histogram!(HEALTH_SECONDS).record(elapsed.as_secs_f64());
        let status = if problem.is_none() { "ok" } else { "failing" };
        // A restart of the server would not help, and the games of the other parts go on.
        let is_part_away = !app.store.silent_parts().is_empty();
        let problem = problem.or(is_part_away.then_some(PART_AWAY));
        (status, problem, u64::try_from(elapsed.as_millis()).ok())
    };
    let health = Health {
        status: status.into(),
        problem: problem.map(Cow::Borrowed),
        server: SERVER.into(),
        uptime_s: app.started.elapsed().as_secs(),
        connections: app.connections.len(),
        store_ms,
    };
    Checked { is_ok: status == "ok", answer: health }
}

/// Answers 200 while the server accepts players, and 503 while it stops. The answer does not
/// depend on the store: while the store is unavailable, players can still watch games that are in
/// memory, and the server tells them about the outage.
pub(super) async fn ready(State(app): Shared) -> Checked<Ready> {
    let is_stopping = app.is_stopping();
    let status = if is_stopping { "stopping" } else { "ok" };
    let answer = Ready { status: status.into(), store_available: !app.connections.is_store_away() };
    Checked { is_ok: !is_stopping, answer }
}

/// Describes what is wrong with the store, if anything.
async fn check(app: &App) -> Option<&'static str> {
    let store = &*app.store;
    if store.heartbeat().await.is_err() {
        return Some(match store.disk_space() {
            Some(DiskSpace { is_paused: true, .. }) => "the disk is full: games pause until there is room",
            Some(_) | None => "the store does not accept heartbeats",
        });
    }
    let reach = Reach::of(store);
    let probes = || PROBES.iter().map(|name| HEALTH.key([name]));
    let probe = probes().find(|key| reach.has(key)).or_else(|| probes().next());
    let (Some(Ok(key)), Ok(value)) = (probe, random_bytes::<16>()) else {
        return Some("no random bits");
    };
    let put = Write::Put { key: key.clone(), value: value.to_vec(), expires: None };
    match store.update(Update { conditions: Vec::new(), writes: vec![put] }).await {
        Ok(UpdateOutcome::Ok) => {}
        Ok(UpdateOutcome::Conflict | UpdateOutcome::Unknown) | Err(_) => {
            return Some("the store does not accept records");
        }
    }
    match store.get(key).await {
        // If several servers share the store, another server may have overwritten the value.
        Ok(Some(found)) if found.len() == value.len() => hear(app).await,
        Ok(_) => Some("the store does not return the record that it accepted"),
        Err(_) => Some("the store cannot be read"),
    }
}

/// Checks that this server receives its own notice, which takes the same path as notices about
/// new log entries. Does not write to a log for this check, because logs only grow.
async fn hear(app: &App) -> Option<&'static str> {
    const DEAF: &str = "the store works, but notices between servers do not arrive";
    let mut notices = app.store.notices()?;
    let Ok(probe) = random_code() else { return Some("no random bits") };
    let notice = BusMessage::Probe { probe };
    if app.peers.tell(&notice).await.is_err() {
        return Some("the store does not accept notices between servers");
    }
    loop {
        match notices.recv().await {
            Ok(StoreMessage::Told(told))
                if serde_json::from_slice(&told).is_ok_and(|told: BusMessage| told == notice) =>
            {
                return None;
            }
            Ok(StoreMessage::Told(_)) => {}
            // The server missed some notices. Its own notice may have been one of them.
            Ok(StoreMessage::Missed) | Err(_) => return Some(DEAF),
        }
    }
}
