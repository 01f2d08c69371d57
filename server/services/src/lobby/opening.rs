//! Opening a seek within the limits of its player and of the lobby, also when several servers open
//! seeks at once.

use flagfall_board::Side;
use flagfall_protocol::{Accepted, RatingWish, Seek, Terms};

use super::memory::Kept;
use super::seeks::{self, SeekRecord};
use super::{Asker, Handled, LobbyRefusal, check_rated, check_terms};
use flagfall_base::random::random_code;

/// Attempts to count and open while other servers open seeks. One server opens its seeks one after
/// the other.
const SEEK_ATTEMPTS: usize = 32;

impl Asker<'_> {
    pub(super) async fn seek(&self, terms: &Terms, side: Option<Side>, wish: Option<RatingWish>) -> Handled {
        let terms = &check_terms(terms)?;
        check_rated(terms, [self.player.kind; 2])?;
        let seeker_rating = self.rating_for(terms).await?;
        let rating = self.range(wish, terms, seeker_rating)?;
        self.check_conduct_for(terms).await?;
        self.check_games().await?;
        let _one_at_a_time = self.inner.opening.lock().await;
        for _ in 0..SEEK_ATTEMPTS {
            let turn = seeks::turn(&self.inner.store).await?;
            let limits = &self.inner.settings.limits;
            let open = seeks::read_all(&self.inner.store).await?;
            seeks::check_room(&open, &self.player.id, limits.seeks_per_player, limits.seeks_max)?;
            let id = random_code()?;
            let (seeker, terms) = (self.player.clone(), terms.clone());
            let seek = Seek { id: id.clone(), seeker, terms, side, rating, seeker_rating };
            let record = SeekRecord { seek, since: self.inner.store.now().0 };
            let next = seeks::next_turn(&self.inner.store, &id)?;
            let (key, before) = turn;
            let draft = self.draft(Accepted::Seek { seek: id }, None)?.writing(record.opening()?);
            let kept = self.keep(draft.expecting(key, before).writing(next)).await?;
            if kept == Kept::Conflict {
                // Another server has just opened a seek, so the count is stale.
                continue;
            }
            if let Kept::New(_) = kept {
                self.inner.seeks.lock().open(record);
                self.inner.changed.notify_one();
            }
            return self.finish(kept, LobbyRefusal::Store, Vec::new()).await;
        }
        Err(LobbyRefusal::Store)
    }
}
