//! Planned games. The update that takes an offer also writes the plan of its game (`plans/GAME`).
//! The first append to the game removes the plan.
//!
//! If a server dies between the update and the append, the plan remains, and any server creates
//! the game. If the server that received the command finds that it cannot create the game, it
//! takes the command back and opens the offer again.

use std::sync::atomic::Ordering;

use flagfall_board::GameId;
use flagfall_store::{Key, StoreError, Write};

use super::memory::{PlanRecord, key as outcome_key};
use super::{Asker, Inner, Lobby};
use crate::Refused;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::PLANS;
use flagfall_base::transact::write_if;
use flagfall_game::{CreateError, NewGame};

impl Lobby {
    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let PlanRecord { plan, .. } = job.fields()?;
        let game = plan.id;
        if self.inner.is_stopping.load(Ordering::Relaxed) {
            return Err(JobError::NotNow);
        }
        match self.inner.make(plan).await {
            Ok(()) => tracing::info!(%game, "created a game that another server had planned but not created"),
            Err(error @ (CreateError::Unavailable | CreateError::Stopping)) => {
                return Err(JobError::Away(error.to_string()));
            }
            // Keep the plan, because another server may have room for the game, or support its
            // ruleset.
            Err(CreateError::NoMemory | CreateError::ServerFull(_) | CreateError::NoSuchRuleset) => {
                return Err(JobError::NotNow);
            }
            // One of the players has too many games, so drop the plan. Retrying would not help,
            // because the other player would not wait until there is room.
            Err(error @ CreateError::TooManyGames(_)) => {
                tracing::debug!(%game, %error, "a planned game is dropped");
            }
            Err(error @ CreateError::NoChance) => return Err(JobError::Later(error.to_string())),
        }
        // Delete the plan even if the game existed already, because the game's first append may
        // not have deleted it.
        self.inner.store.update(job.finish()).await?;
        Ok(())
    }
}

impl Inner {
    pub(super) async fn make(&self, plan: NewGame) -> Result<(), CreateError> {
        let game = self.tables.create(plan).await?;
        self.tables.tell_start(&game).await;
        self.changed.notify_one();
        Ok(())
    }

    /// Takes back a command whose game cannot be created: deletes the plan and the outcome, and
    /// opens the offer again with the writes in `offer`. If that fails, or if another server is
    /// already handling the plan, the plan stays and its job creates the game.
    async fn take_back(&self, game: GameId, outcome: Key, offer: Vec<Write>) -> Result<(), StoreError> {
        let plan = PLANS.key([&game])?;
        let Some(value) = self.store.get(plan.clone()).await? else { return Ok(()) };
        let mut writes = vec![Write::Delete { key: plan.clone() }, Write::Delete { key: outcome }];
        writes.extend(offer);
        write_if(&*self.store, plan, Some(value), writes).await?;
        Ok(())
    }
}

impl Asker<'_> {
    /// Creates the game of a command. If the game cannot be created, takes the command back and
    /// opens the offer again with the writes in `offer`.
    pub(super) async fn make_or_take_back(&self, plan: NewGame, offer: Vec<Write>) -> Result<(), Refused> {
        let game = plan.id;
        let Err(refused) = self.inner.make(plan).await else { return Ok(()) };
        // If the store is unreachable or this server is stopping, do not take the command back.
        // Either the game exists, or another server creates it.
        if !matches!(refused, CreateError::Unavailable | CreateError::Stopping) {
            let outcome = outcome_key(self.player, self.cmd_id)?;
            if let Err(error) = self.inner.take_back(game, outcome, offer).await {
                tracing::debug!(%game, %error, "could not undo a command; its plan remains");
            }
        }
        Err(refused.into())
    }
}
