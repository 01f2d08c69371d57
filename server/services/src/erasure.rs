//! Removes the remaining data of a deleted account. This is the work of the job `leaving/ID`,
//! which is written together with the deletion. The request that deletes the account also does
//! the job immediately. If the server crashes before that, any server does the job.

use std::sync::Arc;

use flagfall_protocol::Player;
use flagfall_store::Store;

use crate::Refused;
use crate::deployments::Deployments;
use crate::dump;
use crate::histories::Histories;
use crate::lobby::Lobby;
use crate::notices::Notices;
use crate::preferences;
use crate::ratings::Ratings;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::{BLOCKS, LEAVING, LEFT, REPORTS_BY};
use flagfall_base::transact::delete_all;

/// The services that keep data about players.
pub struct Erasure {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) lobby: Lobby,
    pub(crate) ratings: Ratings,
    pub(crate) histories: Histories,
    pub(crate) deployments: Deployments,
    pub(crate) notices: Notices,
}

impl Erasure {
    /// Does this player's job immediately, if there is one in the store. If that fails, the job
    /// runner does the job later.
    pub async fn erase_now(&self, player: &str) -> Result<(), JobError> {
        match Claimed::now(&self.store, LEAVING.key([&player])?).await? {
            Some(job) => self.do_job(&job).await,
            None => Ok(()),
        }
    }

    /// Removes the remaining data of a player whose account is deleted. Repeating it does no
    /// harm.
    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let player: Player = job.fields()?;
        let (store, id) = (&*self.store, &player.id);
        // Remove all parts, even if removing one of them fails.
        let later = |refusal: Refused| JobError::Later(refusal.to_string());
        let parts = [
            self.lobby.forget(&player).await.map_err(later),
            self.ratings.forget(&player).await.map_err(JobError::from),
            self.histories.forget(&player).await.map_err(JobError::from),
            self.deployments.forget(id).await.map_err(JobError::from),
            self.notices.forget(id).await.map_err(JobError::from),
            delete_all(store, BLOCKS.under([&id])?).await.map_err(JobError::from),
            delete_all(store, LEFT.under([&id])?).await.map_err(JobError::from),
            // Delete only the player's list of their reports. The reports stay, because operators
            // need them.
            delete_all(store, REPORTS_BY.under([&id])?).await.map_err(JobError::from),
            dump::forget(store, id).await.map_err(JobError::from),
            preferences::forget(store, id).await.map_err(JobError::from),
        ];
        parts.into_iter().collect::<Result<(), JobError>>()?;
        self.store.update(job.finish()).await?;
        Ok(())
    }
}
