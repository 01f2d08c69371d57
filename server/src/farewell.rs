//! Removes what is left of a deleted account: the job `leaving/ID`, which is written with the
//! deletion. The request that deletes the account does it at once; after a crash any server does.

use std::sync::Arc;

use flagfall_protocol::Player;
use flagfall_store::{Store, Write};

use crate::blocks;
use crate::conduct;
use crate::deployments::Deployments;
use crate::histories::Histories;
use crate::lobby::Lobby;
use crate::notices::Notices;
use crate::ratings::Ratings;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::transact::write;

/// Most blocks and marks of a player that are removed in one round.
const RECORDS_MAX: usize = 512;

/// Everything that keeps something about a player.
pub(crate) struct Erasure {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) lobby: Lobby,
    pub(crate) ratings: Ratings,
    pub(crate) histories: Histories,
    pub(crate) deployments: Deployments,
    pub(crate) notices: Notices,
}

impl Erasure {
    /// Removes what is left of a player whose account is deleted. It may be done any number of
    /// times.
    ///
    /// # Errors
    /// [`JobError`].
    pub(crate) async fn settle_job(&self, job: &Claimed) -> Result<(), JobError> {
        let player: Player = job.fields()?;
        self.lobby.forget(&player).await;
        self.ratings.forget(&player).await?;
        self.histories.forget(&player).await?;
        self.deployments.forget(&player.id).await?;
        self.notices.forget(&player.id).await?;
        for prefix in [blocks::blocks_of(&player.id)?, conduct::marks_of(&player.id)?] {
            let found = self.store.scan(prefix, None, RECORDS_MAX).await?;
            for keys in found.chunks(32) {
                let delete = |(key, _): &(_, _)| Write::Delete { key: Clone::clone(key) };
                write(&*self.store, keys.iter().map(delete).collect()).await?;
            }
        }
        self.store.update(job.finish()).await?;
        Ok(())
    }
}
