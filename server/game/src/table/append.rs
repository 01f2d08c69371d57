//! Builds appends of events, with the records that belong to them.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_rules::{EndReason, Event, Game, Outcome, Phase, evolve};
use flagfall_store::record::{self, CommandStamp};
use flagfall_store::{Append, Write};

use super::aborts::AbortCause;
use super::house_turns::is_awaited;
use super::input::Output;
use super::state::Table;
use super::work::{Cause, Flight};
use crate::features::{GameEnd, Milestone, RATED_PLIES_MIN};
use crate::{listing, public_list};

impl Table {
    /// Returns an append of these events. `lag_ms` is the lag compensation that the acting side
    /// gets for the first event.
    pub(super) fn append_of<'a>(
        &self,
        now: Stamp,
        events: impl Iterator<Item = &'a Event>,
        mut lag_ms: u32,
        stamp: Option<&CommandStamp<'_>>,
        deadline: Option<Stamp>,
    ) -> Option<Append> {
        let features = &self.settings.features;
        let mut bodies = Vec::with_capacity(2);
        let mut writes = Vec::new();
        let mut after = self.header.has_house().then(|| self.game.clone());
        for event in events {
            if let Some(after) = &mut after {
                evolve(after, event, now);
            }
            if let Some(outcome) = event.outcome() {
                writes.extend(listing::closing(self.id(), &self.header));
                writes.extend(public_list::closing(self.id(), &self.header, self.game.terms().created));
                let asker = stamp.and_then(|stamp| self.header.side_of(&stamp.player));
                let end = GameEnd {
                    left: self.leavers(now, outcome, asker),
                    spoiled_by: self.spoilers(event, outcome, asker),
                };
                writes.extend(features.writes(self.id(), &self.header, Milestone::Ended(end), now));
            }
            let lag_ms = std::mem::take(&mut lag_ms);
            bodies.push(record::encode(self.write_form, self.header.seats(), stamp, lag_ms, event).ok()?);
        }
        writes.extend(features.writes(self.id(), &self.header, Milestone::Acted, now));
        writes.extend(after.into_iter().flat_map(|after| self.house_turn(&after, now)));
        Some(Append { game: self.id(), expected: self.head, deadline, not_before: None, bodies, writes })
    }

    /// Starts an append of events that no command caused. Returns `None` if there are no events.
    pub(super) fn append_by_itself(
        &mut self,
        now: Stamp,
        events: Vec<Event>,
        cause: Cause,
    ) -> Option<Output> {
        if events.is_empty() {
            return None;
        }
        let mut append = self.append_of(now, events.iter(), 0, None, None)?;
        if cause == Cause::Deadline {
            // The local clock may be wrong, so the store must check with its own clock that the
            // time is up.
            append.not_before = self.ends_after().map(|ends_after| ends_after.plus_ms(1));
        }
        self.work.flight = Some(Flight::ByItself { events, cause });
        Some(Output::Append(append))
    }

    /// Returns the writes that update the list of games in which a house player has to act.
    /// Depending on the position after the events, they add the game to the list or remove it.
    /// Returns no writes if the game ends.
    fn house_turn(&self, after: &Game, now: Stamp) -> Vec<Write> {
        if after.phase() == Phase::Over {
            return Vec::new();
        }
        let is_awaited = |side: &Side| self.header.is_house(*side) && is_awaited(after, *side);
        let since = Side::BOTH.iter().any(is_awaited).then_some(now);
        listing::house_turn(self.id(), &self.header, since)
    }

    /// Returns the side that gives up a rated game, by resigning or by losing on time, before it
    /// has enough plies to be rated.
    fn quitter(&self, outcome: Outcome) -> Option<Side> {
        let is_short = self.header.terms.rated && self.game.ply() < RATED_PLIES_MIN;
        let gives_up = matches!(outcome.reason, EndReason::Resigned | EndReason::OutOfTime);
        outcome.winner.filter(|_| is_short && gives_up).map(Side::opponent)
    }

    /// Returns the sides that ended the game before it counted. `None` if it ends in another way.
    fn spoilers(&self, event: &Event, outcome: Outcome, asker: Option<Side>) -> Option<PerSide<bool>> {
        let aborted_by = AbortCause::of(event, &self.game, asker).map(AbortCause::sides);
        let quit_by = || self.quitter(outcome).map(|quitter| PerSide::from_fn(|side| side == quitter));
        aborted_by.or_else(quit_by).filter(|by| by.red || by.blue)
    }

    /// Returns the sides whose players have left the game, if it ends with this outcome. `asker`
    /// is the side whose command ended the game, if a command did. A player who leaves a game
    /// against a house player does not count, because no person has to wait. Games with days per
    /// move do not count either, because players need not be present.
    fn leavers(&self, now: Stamp, outcome: Outcome, asker: Option<Side>) -> PerSide<bool> {
        let quitter = self.quitter(outcome);
        let has_left = |side: Side| match (outcome.reason, asker) {
            _ if quitter == Some(side) => true,
            (EndReason::Abandoned, Some(claimant)) => side != claimant,
            // A player who is present and runs out of time has lost but has not left.
            (EndReason::OutOfTime, _) => {
                outcome.winner == Some(side.opponent()) && self.attendance.is_away(side, now)
            }
            // The time to deploy has run out.
            (EndReason::Aborted, None) => self.game.phase() == Phase::Deploying && !self.game.is_ready(side),
            (EndReason::Aborted, Some(asker)) => self.header.terms.rated && side == asker,
            _ => false,
        };
        let counts = !self.header.has_house() && self.claim_wait_ms().is_some();
        PerSide::from_fn(|side| counts && has_left(side))
    }
}
