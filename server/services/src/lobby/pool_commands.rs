//! Entering the pool and leaving it.

use flagfall_protocol::{Accepted, Terms};
use flagfall_store::{Expect, Write};

use super::memory::Kept;
use super::{Asker, Handled, LobbyRefusal, check_rated, check_terms};

/// Attempts to change a player's record in the pool while others change it.
const POOL_ATTEMPTS: usize = 8;

impl Asker<'_> {
    pub(super) async fn enter_pool(&self, terms: &Terms) -> Handled {
        let terms = &check_terms(terms)?;
        check_rated(terms, [self.player.kind; 2])?;
        self.check_conduct().await?;
        self.check_games().await?;
        for _ in 0..POOL_ATTEMPTS {
            let entering = self.inner.pool.entering(self.player, terms).await?;
            let mut draft = self.draft(Accepted::Done {}, None)?.writing(entering.write);
            for (key, expect) in entering.conditions {
                draft = draft.expecting(key, expect);
            }
            // A conflict: at the same moment the record was extended, or the player was paired.
            match self.keep(draft).await? {
                Kept::Conflict => {}
                kept => return self.finish(kept, LobbyRefusal::BeingPaired, Vec::new()).await,
            }
        }
        Err(LobbyRefusal::BeingPaired)
    }

    pub(super) async fn leave_pool(&self) -> Handled {
        for _ in 0..POOL_ATTEMPTS {
            let (key, bytes) = self.inner.pool.leaving(self.player).await?;
            let draft = self.draft(Accepted::Done {}, None)?;
            let draft = draft.expecting(key.clone(), Expect::Value(bytes)).writing(Write::Delete { key });
            match self.keep(draft).await? {
                Kept::Conflict => {}
                kept => {
                    self.inner.connections.set_pool(&self.player.id, None);
                    return self.finish(kept, LobbyRefusal::BeingPaired, Vec::new()).await;
                }
            }
        }
        Err(LobbyRefusal::BeingPaired)
    }
}
