//! The handlers of jobs, and the limits on how many jobs run at the same time.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use crate::Services;
use crate::lobby::{Lobby, PLAN_MS};
use crate::notices::Notices;
use flagfall_base::jobs::{Claimed, Handler, JobError, JobKind, Jobs};
use flagfall_base::keys::{MAILS, NOTICES, PLANS, PUSHES};

/// The time between two searches for planned games. It is short, because players wait for these
/// games.
const PLAN_LOOK: Duration = Duration::from_secs(2);
/// The largest number of notices that are being sent, or wait to be sent, at the same time.
const NOTICES_AT_ONCE: usize = 4_096;
/// The largest number of a player's notices that are being sent, or wait to be sent, at the same
/// time. It is larger than the number of parallel deliveries to one host.
const NOTICES_OF_A_PLAYER: usize = 16;

pub(crate) fn with_notices(jobs: Jobs, notices: &Notices, look: Duration) -> Jobs {
    let kind = JobKind {
        look,
        at_once: NOTICES_AT_ONCE,
        per_key: NOTICES_OF_A_PLAYER,
        has_fields: true,
        leases_itself: true,
        ..JobKind::new(NOTICES.name)
    };
    let pushes = JobKind { name: PUSHES.name, ..kind.clone() };
    let mails = JobKind { name: MAILS.name, per_key: 1, ..kind.clone() };
    jobs.with(kind, by(notices, |notices, job| async move { notices.do_job(job).await }))
        .with(pushes, by(notices, |notices, job| async move { notices.do_push(job).await }))
        .with(mails, by(notices, |notices, job| async move { notices.do_mail(job).await }))
}

impl Services {
    /// Begins to send no more webhooks, pushes and mails, because the server is stopping. Returns
    /// when none of them is on its way.
    pub async fn finish_notices(&self) {
        self.notices.close();
        self.jobs.finish(&[NOTICES.name, PUSHES.name, MAILS.name]).await;
    }
}

pub(crate) fn with_plans(jobs: Jobs, lobby: &Lobby) -> Jobs {
    let kind =
        JobKind { look: PLAN_LOOK, has_fields: true, keep_ms: Some(PLAN_MS), ..JobKind::new(PLANS.name) };
    jobs.with(kind, by(lobby, |lobby, job| async move { lobby.do_job(&job).await }))
}

pub(crate) fn by<W, F>(worker: &W, work: fn(W, Claimed) -> F) -> Handler
where
    W: Clone + Send + Sync + 'static,
    F: Future<Output = Result<(), JobError>> + Send + 'static,
{
    let worker = worker.clone();
    Arc::new(move |job| work(worker.clone(), job).boxed())
}
