//! Planned games: the update that takes an offer also writes the plan of its game (`plans/GAME`),
//! and the game's first append removes it.
//!
//! If a server dies between the two, the plan remains and any server creates the game. So no offer
//! is used up without a game.

use std::sync::atomic::Ordering;

use flagfall_board::Side;
use flagfall_protocol::{Phase, PlayerKind, ServerToClient};
use flagfall_store::{Store, Update, Write};
use serde::{Deserialize, Serialize};

use super::memory::GamePlan;
use super::refusal::LobbyRefusal;
use super::{Inner, Lobby};
use flagfall_base::delivery::Payload;
use flagfall_base::jobs::{Claimed, JobError, not_before};
use flagfall_base::keys::PLANS;
use flagfall_game::CreateError;

/// Age in milliseconds after which a plan counts as abandoned: creating a game takes milliseconds.
const LEFT_AFTER_MS: u64 = 3_000;
/// How long a plan is kept that no server could carry out, in milliseconds: as long as the outcome
/// of its command.
pub(crate) const PLAN_MS: u64 = 24 * 3_600_000;

/// A planned game, as the store keeps it, besides the state of the job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct PlanRecord {
    plan: GamePlan,
}

/// The write that plans a game.
pub(super) fn planning(store: &dyn Store, plan: &GamePlan) -> Result<Write, LobbyRefusal> {
    let since = store.now();
    let key = PLANS.key([&plan.id])?;
    let fields = serde_json::to_vec(&PlanRecord { plan: plan.clone() })
        .map_err(|_| LobbyRefusal::Internal("unwritable plan"))?;
    // The command that plans the game also creates it. The job is for the case that it does not.
    let value = not_before(&fields, since, since.plus_ms(LEFT_AFTER_MS));
    Ok(Write::Put { key, value, expires: Some(since.plus_ms(PLAN_MS)) })
}

impl Lobby {
    /// Does the job of creating the game of an abandoned plan.
    ///
    /// # Errors
    /// [`JobError`].
    pub(crate) async fn settle_job(&self, job: &Claimed) -> Result<(), JobError> {
        let PlanRecord { plan, .. } = job.fields()?;
        let game = plan.id;
        if self.inner.is_stopping.load(Ordering::Relaxed) {
            return Err(JobError::NotNow);
        }
        match self.inner.make(plan).await {
            Ok(()) => {}
            Err(error @ (LobbyRefusal::Store | LobbyRefusal::Stopping)) => {
                return Err(JobError::Away(error.to_string()));
            }
            // `make` deletes a plan that can never be carried out.
            Err(refusal) if !job.is_held().await? => {
                tracing::debug!(%game, %refusal, "could not create a planned game");
                return Ok(());
            }
            Err(refusal) => return Err(JobError::Later(refusal.to_string())),
        }
        tracing::info!(%game, "created a planned game that another server had left");
        // If the game existed already, its first append may have left the plan behind.
        self.inner.store.update(job.finish()).await?;
        Ok(())
    }
}

impl Inner {
    /// Creates the game and informs its players who are connected here; other servers inform theirs
    /// when they open it.
    pub(super) async fn make(&self, plan: GamePlan) -> Result<(), LobbyRefusal> {
        let game = match self.tables.create(plan.clone().into()).await {
            Ok(game) => game,
            Err(
                error @ (CreateError::TooManyGames(_)
                | CreateError::NoMemory
                | CreateError::ServerFull(_)
                | CreateError::NoSuchRuleset),
            ) => {
                self.drop_plan(&plan).await?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        for side in Side::BOTH.into_iter().filter(|_| game.phase != Phase::Over) {
            let player = &game.players[side];
            if player.kind != PlayerKind::House {
                let message = ServerToClient::GameStarted { game: game.clone(), side };
                self.connections.notify(&player.id, &Payload::new(&message));
            }
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Deletes the plan of a game that cannot be created.
    async fn drop_plan(&self, plan: &GamePlan) -> Result<(), LobbyRefusal> {
        let key = PLANS.key([&plan.id])?;
        self.store.update(Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] }).await?;
        Ok(())
    }
}
