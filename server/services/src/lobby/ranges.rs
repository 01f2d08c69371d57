//! Rating ranges of seeks.
//!
//! The asker's rating for the seek's ruleset and speed decides, at the moment they accept, whether
//! or not the seek is rated. Provisional ratings count like others, and an account that has not
//! played has 1500. Guests have no rating. People and bots are rated apart, so their ratings cannot
//! be compared.

use flagfall_protocol::{PlayerKind, RatingPoint, RatingRange, RatingWish, Seek, Speed, Terms};

use super::{Asker, BadRange, LobbyRefusal};
use crate::ratings::has_class;

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

    /// The range of a seek that the asker opens with this rating.
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

    /// Checks that the asker's rating is in the seek's range.
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

/// The speed at which games of these terms have ratings, whether or not they are rated. None if
/// such games have no ratings.
fn class_of(terms: &Terms) -> Option<Speed> {
    Speed::of(terms.time).filter(|_| has_class(&terms.ruleset))
}
