//! Opening a seek, and entering and leaving the pool, also when several servers act at once.
//!
//! The asker's rating for the seek's ruleset and speed decides, at the moment they accept, whether
//! or not the seek is rated. Provisional ratings count like others, and an account that has not
//! played has 1500. Guests have no rating. People and bots are rated apart, so their ratings cannot
//! be compared.

use super::BadRange;
use super::memory::Kept;
use super::seeks::{self, SeekRecord};
use super::{Asker, Handled, LobbyRefusal, check_rated, check_terms};
use crate::ratings::has_class;
use flagfall_base::random::random_code;
use flagfall_board::Side;
use flagfall_protocol::PlayerKind;
use flagfall_protocol::RatingPoint;
use flagfall_protocol::RatingRange;
use flagfall_protocol::Speed;
use flagfall_protocol::{Accepted, RatingWish, Seek, Terms};
use flagfall_store::Expect;
use flagfall_store::Write;

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

impl Asker<'_> {
    /// The asker's rating for games of these terms. None for guests and for games without ratings.
    pub(super) async fn rating_for(&self, terms: &Terms) -> Result<Option<RatingPoint>, LobbyRefusal> {
        let is_rated = matches!(self.player.kind, PlayerKind::Account | PlayerKind::Bot);
        match class_of(terms).filter(|_| is_rated) {
            Some(speed) => {
                let ratings = self.inner.pool.ratings();
                Ok(Some(ratings.shown(&self.player.id, &terms.ruleset, speed).await?))
            }
            None => Ok(None),
        }
    }

    pub(super) fn range(
        &self,
        wish: Option<RatingWish>,
        terms: &Terms,
        own: Option<RatingPoint>,
    ) -> Result<Option<RatingRange>, LobbyRefusal> {
        let Some(wish) = wish else { return Ok(None) };
        if class_of(terms).is_none() {
            return Err(BadRange::NoRatings.into());
        }
        let range = wish.range(own.map(|own| own.rating)).ok_or(BadRange::Guest)?;
        if range.is_allowed() { Ok(Some(range)) } else { Err(BadRange::Bounds.into()) }
    }

    pub(super) async fn check_range(&self, seek: &Seek) -> Result<(), LobbyRefusal> {
        let Some(range) = seek.rating else { return Ok(()) };
        let is_bot = |kind: PlayerKind| kind == PlayerKind::Bot;
        let is_apart = is_bot(self.player.kind) != is_bot(seek.seeker.kind);
        let own = self.rating_for(&seek.terms).await?.map(|own| own.rating).filter(|_| !is_apart);
        match own {
            Some(own) if range.contains(own) => Ok(()),
            own => Err(LobbyRefusal::OutsideRange { range, own, is_apart }),
        }
    }
}

fn class_of(terms: &Terms) -> Option<Speed> {
    Speed::of(terms.time).filter(|_| has_class(&terms.ruleset))
}

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
            let draft = self.draft(Accepted::Done {}, None)?.joining(entering);
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
