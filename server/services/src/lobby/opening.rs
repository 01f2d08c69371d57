//! Opens seeks, and lets players enter and leave the pool, while several servers may do the same.
//!
//! A seek may have a rating range. A player may accept the seek if their rating for the seek's
//! ruleset and speed is in this range at the moment they accept. The range also applies to casual
//! seeks. Provisional ratings count like others, and an account that has not played has a rating
//! of 1500. Guests have no rating. People and bots are rated separately, so their ratings cannot
//! be compared.

use std::future::ready;

use super::memory::Kept;
use super::refusal::{being_paired, store_unclear};
use super::seeks::{self, SeekRecord};
use super::{Asker, Handled, check_rated, check_terms};
use crate::Refused;
use crate::ratings::{has_class, point, rating_of};
use crate::records::put;
use flagfall_base::cluster::OpenedSeek;
use flagfall_base::keys::{PLAYERS, SEEKS};
use flagfall_base::places::code_beside;
use flagfall_base::transact::Transaction;
use flagfall_board::Side;
use flagfall_protocol::{
    Accepted, Code, PlayerKind, RatingPoint, RatingRange, RatingWish, Refusal, Seek, Speed, Terms,
};
use flagfall_store::{Expect, Update};

impl Asker<'_> {
    pub(super) async fn seek(&self, terms: &Terms, side: Option<Side>, wish: Option<RatingWish>) -> Handled {
        let terms = &check_terms(terms)?;
        check_rated(terms, [self.player.kind; 2])?;
        let seeker_rating = self.rating_for(terms).await?;
        let rating = self.range(wish, terms, seeker_rating)?;
        self.check_conduct_for(terms).await?;
        self.check_games().await?;
        let one_at_a_time = self.inner.opening.lock().await;
        let mut transaction = Transaction::new(&*self.inner.store, "the open seeks");
        loop {
            let turn = seeks::turn(&self.inner.store).await?;
            self.check_room(turn.as_ref().map(|(_, turn)| turn)).await?;
            let id = self.seek_id()?;
            let (seeker, terms) = (self.player.clone(), terms.clone());
            let seek = Seek { id: id.clone(), seeker, terms, side, rating, seeker_rating };
            let (since, opened_by) = (self.inner.store.now().0, Some(self.cmd_id.clone()));
            let record = SeekRecord { seek, since, opened_by };
            let mut writes = vec![put(SEEKS.key([&id])?, &record, None)?];
            if turn.is_some() {
                writes.push(seeks::next_turn(&self.inner.store, &id)?);
            }
            let update = Update { conditions: turn.clone().into_iter().collect(), writes };
            let kept = self.keep(Accepted::Seek { seek: id }, None, update).await?;
            if kept == Kept::Conflict {
                // Another server has just opened a seek, so count again.
                transaction.count_conflict().map_err(|_| store_unclear())?;
                continue;
            }
            if let Kept::New(_) = kept {
                let SeekRecord { seek, since, .. } = record.clone();
                match &turn {
                    Some((_, before)) => self.inner.seeks.lock().open_after(record, before),
                    None => self.inner.seeks.lock().open(record),
                }
                self.inner.changed.notify_one();
                // Release the lock now, because the next seek need not wait until the other
                // servers know of this one.
                drop(one_at_a_time);
                let before = turn.and_then(|(_, before)| id_in(before));
                self.inner.peers().tell_seek_opened(OpenedSeek { seek, since, before }).await;
            }
            return self.finish(kept, ready(store_unclear()), Vec::new()).await;
        }
    }

    /// Draws the id of a seek of the requester. Its record is in the part of the store with the
    /// requester's own records, which its update also needs.
    fn seek_id(&self) -> Result<String, Refused> {
        let own = PLAYERS.key([&self.player.id])?;
        Ok(code_beside(&*self.inner.store, &own, |id| SEEKS.key([&id]))?)
    }

    /// Refuses another seek if the requester or all players together have too many. Reads the
    /// seeks only if this server's list is incomplete or has no room.
    async fn check_room(&self, turn: Option<&Expect>) -> Result<(), Refused> {
        let (player, limits) = (&self.player.id, &self.inner.settings.limits);
        let (per_player, max) = (limits.seeks_per_player, limits.seeks_max);
        let has_room = {
            let seeks = self.inner.seeks.lock();
            turn.is_some_and(|turn| seeks.has_all_at(turn)) && seeks.has_room(player, per_player, max)
        };
        if has_room {
            return Ok(());
        }
        let open = self.inner.reread_seeks(turn.cloned()).await?;
        seeks::check_room(&open, player, per_player, max)
    }

    /// Returns the requester's rating for games with these terms. `None` for guests and for games
    /// without ratings.
    pub(super) async fn rating_for(&self, terms: &Terms) -> Result<Option<RatingPoint>, Refused> {
        let is_rated = matches!(self.player.kind, PlayerKind::Account | PlayerKind::Bot);
        match class_of(terms).filter(|_| is_rated) {
            Some(speed) => {
                let own = rating_of(&*self.inner.store, &self.player.id, &terms.ruleset, speed).await?;
                Ok(Some(point(own.0)))
            }
            None => Ok(None),
        }
    }

    pub(super) fn range(
        &self,
        wish: Option<RatingWish>,
        terms: &Terms,
        own: Option<RatingPoint>,
    ) -> Result<Option<RatingRange>, Refused> {
        let Some(wish) = wish else { return Ok(None) };
        let bad = |reason| Refusal::new(Code::BAD_RATING_RANGE).because(reason);
        if class_of(terms).is_none() {
            return Err(bad("no_ratings").into());
        }
        // Guests have no rating, so they cannot give a range that is relative to their rating.
        let range = wish.range(own.map(|own| own.rating)).ok_or_else(|| bad("guest"))?;
        // The range is refused if both bounds are missing, if a bound is too large, or if the
        // lower bound is above the upper one.
        let bounds = || bad("bounds").with("min", 0_u8).with("max", RatingRange::POINTS_MAX);
        if range.is_allowed() { Ok(Some(range)) } else { Err(bounds().into()) }
    }

    pub(super) async fn check_range(&self, seek: &Seek) -> Result<(), Refused> {
        let Some(range) = seek.rating else { return Ok(()) };
        let is_bot = |kind: PlayerKind| kind == PlayerKind::Bot;
        let is_apart = is_bot(self.player.kind) != is_bot(seek.seeker.kind);
        let own = self.rating_for(&seek.terms).await?.map(|own| own.rating).filter(|_| !is_apart);
        if own.is_some_and(|own| range.contains(own)) {
            return Ok(());
        }
        let refusal = Refusal::new(Code::OUTSIDE_RATING_RANGE);
        let refusal = match (range.min, range.max) {
            (Some(min), Some(max)) => refusal.with("range", "both").with("min", min).with("max", max),
            (None, Some(max)) => refusal.with("range", "max").with("max", max),
            (min, None) => refusal.with("range", "min").with("min", min.unwrap_or(0)),
        };
        Err(match own {
            Some(own) => refusal.because("rating").with("rating", own).into(),
            None => refusal.because(if is_apart { "bots_and_people" } else { "guest" }).into(),
        })
    }
}

/// Returns the id of the seek that was opened last, according to `seek_turn`.
fn id_in(turn: Expect) -> Option<String> {
    match turn {
        Expect::Absent => None,
        Expect::Value(id) => String::from_utf8(id).ok(),
    }
}

fn class_of(terms: &Terms) -> Option<Speed> {
    Speed::of(terms.time).filter(|_| has_class(&terms.ruleset))
}

impl Asker<'_> {
    pub(super) async fn enter_pool(&self, terms: &Terms) -> Handled {
        let terms = &check_terms(terms)?;
        check_rated(terms, [self.player.kind; 2])?;
        self.check_conduct().await?;
        self.check_games().await?;
        self.change_pool(Some(terms)).await
    }

    pub(super) async fn leave_pool(&self) -> Handled {
        let handled = self.change_pool(None).await;
        if handled.is_ok() {
            self.inner.connections.set_pool(&self.player.id, None);
        }
        handled
    }

    /// If `terms` is given, enters the pool with these terms. Otherwise, leaves the pool.
    async fn change_pool(&self, terms: Option<&Terms>) -> Handled {
        let mut transaction = Transaction::new(&*self.inner.store, "the player's place in the pool");
        loop {
            let change = match terms {
                Some(terms) => self.inner.pool.entering(self.player, terms).await?,
                None => self.inner.pool.leaving(self.player).await?,
            };
            // On a conflict, the record was extended or the player was paired at the same moment.
            match self.keep(Accepted::Done {}, None, change).await? {
                Kept::Conflict => transaction.count_conflict().map_err(|_| being_paired())?,
                kept => return self.finish(kept, ready(being_paired()), Vec::new()).await,
            }
        }
    }
}
