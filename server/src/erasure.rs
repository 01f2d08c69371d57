//! Removes what is left of a deleted account: the job `leaving/ID`, which is written with the
//! deletion. The request that deletes the account does it at once; after a crash any server does.

use std::sync::Arc;

use flagfall_protocol::Player;
use flagfall_store::Store;

use crate::blocks;
use crate::conduct;
use crate::deployments::Deployments;
use crate::histories::Histories;
use crate::lobby::{Lobby, LobbyRefusal};
use crate::notices::Notices;
use crate::ratings::Ratings;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::LEAVING;
use flagfall_base::transact::delete_all;

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
    /// Does this player's job at once, if there is one. If it fails, the runner does it.
    ///
    /// # Errors
    /// [`JobError`].
    pub(crate) async fn erase_now(&self, player: &str) -> Result<(), JobError> {
        match Claimed::now(&self.store, LEAVING.key([&player])?).await? {
            Some(job) => self.do_job(&job).await,
            None => Ok(()),
        }
    }

    /// Removes what is left of a player whose account is deleted. It may be done any number of
    /// times.
    ///
    /// # Errors
    /// [`JobError`].
    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let player: Player = job.fields()?;
        let (store, id) = (&*self.store, &player.id);
        // What fails in one part keeps no other part from being removed.
        let later = |refusal: LobbyRefusal| JobError::Later(refusal.to_string());
        let parts = [
            self.lobby.forget(&player).await.map_err(later),
            self.ratings.forget(&player).await.map_err(JobError::from),
            self.histories.forget(&player).await.map_err(JobError::from),
            self.deployments.forget(id).await.map_err(JobError::from),
            self.notices.forget(id).await.map_err(JobError::from),
            delete_all(store, blocks::blocks_of(id)?).await.map_err(JobError::from),
            delete_all(store, conduct::marks_of(id)?).await.map_err(JobError::from),
        ];
        parts.into_iter().collect::<Result<(), JobError>>()?;
        self.store.update(job.finish()).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::Stamp;
    use flagfall_protocol::PlayerKind;
    use flagfall_store::memory::Fault;
    use flagfall_store::{Key, ManualClock, MemoryStore, Write};

    use super::*;
    use crate::server::Server;
    use crate::settings::Settings;
    use flagfall_base::transact::write;

    #[tokio::test]
    async fn everything_goes_or_the_job_stays() {
        let store = MemoryStore::new(Arc::new(ManualClock::new(Stamp(1_000))));
        let app = Server::start(Settings::default(), Arc::new(store.clone())).await.unwrap().app();
        let player = Player { id: "ann".to_owned(), name: "Ann".to_owned(), kind: PlayerKind::Account };
        let key = |text: &str| Key::new(text.to_owned()).unwrap();
        let put =
            |text: &str, value: &[u8]| Write::Put { key: key(text), value: value.into(), expires: None };
        let theirs = [
            "deployments/ann/classic/one",
            "rating_history/ann/classic/blitz/1",
            "played/ann/all/1",
            "notices/ann/1",
            "dead_jobs/notices/ann/2",
            "challenges_of/ann/abcdefghij",
            "pool/ann",
        ];
        let blocks: Vec<String> = (0..600).map(|number| format!("blocks/ann/{number}")).collect();
        let all: Vec<&str> = theirs.into_iter().chain(blocks.iter().map(String::as_str)).collect();
        for keys in all.chunks(32) {
            write(&store, keys.iter().map(|text| put(text, b"")).collect()).await.unwrap();
        }
        let leaving = put("leaving/ann", &serde_json::to_vec(&player).unwrap());
        write(&store, vec![leaving, put("blocks/bob/ann", b"")]).await.unwrap();
        // Nobody knows whether the first deletion was made.
        store.fail_next(Fault::UnknownBeforeWriting);
        assert!(app.erasure.erase_now("ann").await.is_err());
        assert_eq!(left_of(&store, &all).await, ["pool/ann"], "other parts go on");
        assert!(store.get(key("leaving/ann")).await.unwrap().is_some());
        app.erasure.erase_now("ann").await.unwrap();
        assert_eq!(left_of(&store, &all).await, Vec::<&str>::new());
        assert!(store.get(key("leaving/ann")).await.unwrap().is_none());
        assert!(store.get(key("blocks/bob/ann")).await.unwrap().is_some());
    }

    async fn left_of<'key>(store: &MemoryStore, keys: &[&'key str]) -> Vec<&'key str> {
        let mut left = Vec::new();
        for text in keys {
            if store.get(Key::new((*text).to_owned()).unwrap()).await.unwrap().is_some() {
                left.push(*text);
            }
        }
        left
    }
}
