//! Who does which kind of job, and how many run at once.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use crate::erasure::Erasure;
use crate::histories::Histories;
use crate::lobby::{Lobby, PLAN_MS};
use crate::notices::Notices;
use crate::proof::Proofs;
use crate::ratings::Ratings;
use crate::settings::Times;
use crate::turns::Turns;
use flagfall_base::jobs::{Claimed, Handler, JobError, JobKind, Jobs};
use flagfall_base::keys::{LEAVING, NOTICES, PLANS, PLAYED_DUE, PROOF_DUE, RATING_DUE, TURN_DUE};

/// The time between two looks at planned games, for which players wait.
const PLAN_LOOK: Duration = Duration::from_secs(2);
/// Notices that are sent, or wait for a place at their destination.
const NOTICES_AT_ONCE: usize = 4_096;
/// As many of one player: more than one player has places for.
const NOTICES_OF_A_PLAYER: usize = 16;

/// The parts of the server that do jobs.
pub(crate) struct Workers {
    pub(crate) ratings: Ratings,
    pub(crate) histories: Histories,
    pub(crate) proofs: Proofs,
    pub(crate) turns: Turns,
    pub(crate) notices: Notices,
    pub(crate) lobby: Lobby,
    pub(crate) erasure: Arc<Erasure>,
}

impl Workers {
    /// The runner with a handler for each kind of job. Games are signed only if there is a key.
    pub(crate) fn handle(self, jobs: Jobs, times: &Times) -> Jobs {
        let Workers { ratings, histories, proofs, turns, notices, lobby, erasure } = self;
        let turn = JobKind { look: times.turn_look, ..JobKind::new(TURN_DUE.name) };
        let leaving = JobKind { has_fields: true, ..JobKind::new(LEAVING.name) };
        let jobs = jobs
            .with(JobKind::new(RATING_DUE.name), by(ratings, rate))
            .with(JobKind::new(PLAYED_DUE.name), by(histories, enter))
            .with(turn, by(turns, follow_turn))
            .with(leaving, by(erasure, erase));
        let jobs = with_plans(with_notices(jobs, notices, times.turn_look), lobby);
        if proofs.has_key() { jobs.with(JobKind::new(PROOF_DUE.name), by(proofs, sign)) } else { jobs }
    }
}

/// The runner with a handler for notices to webhooks.
pub(crate) fn with_notices(jobs: Jobs, notices: Notices, look: Duration) -> Jobs {
    let kind = JobKind {
        look,
        at_once: NOTICES_AT_ONCE,
        per_key: NOTICES_OF_A_PLAYER,
        has_fields: true,
        leases_itself: true,
        ..JobKind::new(NOTICES.name)
    };
    jobs.with(kind, by(notices, deliver))
}

/// The runner with a handler for planned games.
pub(crate) fn with_plans(jobs: Jobs, lobby: Lobby) -> Jobs {
    let kind =
        JobKind { look: PLAN_LOOK, has_fields: true, keep_ms: Some(PLAN_MS), ..JobKind::new(PLANS.name) };
    jobs.with(kind, by(lobby, make_planned))
}

/// A handler that gives each job to this worker.
fn by<W, F>(worker: W, work: fn(W, Claimed) -> F) -> Handler
where
    W: Clone + Send + Sync + 'static,
    F: Future<Output = Result<(), JobError>> + Send + 'static,
{
    Arc::new(move |job| work(worker.clone(), job).boxed())
}

async fn rate(ratings: Ratings, job: Claimed) -> Result<(), JobError> {
    let outcome = ratings.do_job(&job).await?;
    tracing::debug!(game = job.id(), ?outcome, "a rating job is done");
    Ok(())
}

async fn enter(histories: Histories, job: Claimed) -> Result<(), JobError> {
    histories.do_job(&job).await
}

async fn follow_turn(turns: Turns, job: Claimed) -> Result<(), JobError> {
    turns.do_job(&job).await
}

async fn deliver(notices: Notices, job: Claimed) -> Result<(), JobError> {
    notices.do_job(job).await
}

async fn make_planned(lobby: Lobby, job: Claimed) -> Result<(), JobError> {
    lobby.do_job(&job).await
}

async fn erase(erasure: Arc<Erasure>, job: Claimed) -> Result<(), JobError> {
    erasure.do_job(&job).await
}

async fn sign(proofs: Proofs, job: Claimed) -> Result<(), JobError> {
    proofs.do_job(&job).await
}
