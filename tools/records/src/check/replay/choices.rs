//! Replays strikes with choices that the record of a running game hides (§Q4).
//!
//! When a strike is resolved, the chosen ranks become public, but not the times at which the
//! players chose. One player chose last, at the time when the strike was resolved. The check
//! assumes that the other player chose immediately. A record is therefore reported as false only if
//! it is false for all possible times of the choices.

use flagfall_board::{Rank, Side, Stamp};
use flagfall_protocol::SeenMove;
use flagfall_rules::{Choice, Command, Entropy, Identity, Refusal, Viewer, decide, evolve_compensated, view};

use super::super::facts;
use super::{Cause, Replay, Resolved};
use crate::finding::{Falsehood, Mismatch, wrong};

/// The time at which a side made a hidden choice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chose {
    /// At the time of the event that shows the result.
    Last,
    /// At an earlier, unknown time. The choice is assumed to have used none of the side's clock.
    Earlier,
}

impl Replay<'_> {
    /// Resolves a pending strike. The record does not contain the hidden choices, so they are
    /// taken from the strike's result.
    pub(super) fn resolve(&self, seen: &SeenMove, at: Stamp) -> Result<Cause, Mismatch> {
        let no_strike = || (Falsehood::Strike, "the move was a strike, and none is told".to_owned());
        let strike = seen.strike.as_ref().ok_or_else(no_strike)?;
        let mut owed = Vec::new();
        for (side, identity) in [(seen.side, strike.attacker), (seen.side.opponent(), strike.defender)] {
            if !self.game.is_to_act(side) {
                continue;
            }
            if self.viewer.is_side(side) || !facts::has_hidden_choices(self.record) {
                return Err((Falsehood::Missing, format!("what {side} chose came before, and is not told")));
            }
            let Identity::Known(rank) = identity else {
                return wrong(Falsehood::Shown, format!("what {side} chose is public, and not told"));
            };
            owed.push((side, rank));
        }
        let resolved = match owed[..] {
            [(side, rank)] => {
                // The last choice was made at the time of this event. If the record shows that
                // the viewer chose at that time, the opponent chose earlier.
                let chose = if self.chosen_at == Some(at) { Chose::Earlier } else { Chose::Last };
                self.choose(&[(side, rank, chose)], at)
            }
            [(red, red_rank), (blue, blue_rank)] => {
                let orders = [
                    [(red, red_rank, Chose::Earlier), (blue, blue_rank, Chose::Last)],
                    [(blue, blue_rank, Chose::Earlier), (red, red_rank, Chose::Last)],
                ];
                match orders.map(|order| self.choose(&order, at)) {
                    // Either side may have chosen last, so do not charge either side any time.
                    [Ok(_), Ok(_)] => {
                        self.choose(&[(red, red_rank, Chose::Earlier), (blue, blue_rank, Chose::Earlier)], at)
                    }
                    [Ok(resolved), Err(_)] | [Err(_), Ok(resolved)] => Ok(resolved),
                    [Err(refusal), Err(_)] => Err(refusal),
                }
            }
            _ => Err(Refusal::NoChoice),
        };
        resolved
            .map(|resolved| Cause::Resolved(Box::new(resolved)))
            .map_err(|refusal| self.refused(refusal, at))
    }

    /// Checks that a side's time had not run out when it made a choice that the record shows.
    /// Only needed while the record may hide the opponent's choice.
    pub(super) fn check_own_time(&self, side: Side, at: Stamp) -> Result<(), Mismatch> {
        let judged = at.minus_ms(self.lag_ms.into());
        let clock = view(&self.game, Viewer::Player(side), judged.minus_ms(1)).clock;
        let is_up = clock.is_some_and(|clock| {
            clock.is_running(side) && clock.remaining_ms[side] == 0 && clock.free_ms[side] == 0
        });
        if is_up && self.waits_for_hidden_choice() && !self.is_time_open {
            return Err((Falsehood::FlagFall, format!("{side}'s time for it had run out")));
        }
        Ok(())
    }

    /// Returns the game after these hidden choices, and the events that the last choice caused.
    fn choose(&self, choices: &[(Side, Rank, Chose)], at: Stamp) -> Result<Resolved, Refusal> {
        let mut game = self.game.clone();
        let mut events = Vec::new();
        for (side, rank, chose) in choices {
            let lag_ms = match chose {
                Chose::Last => game.lag_credit_ms(*side, u32::MAX, at),
                Chose::Earlier => u32::MAX,
            };
            let judged = match chose {
                Chose::Last if !self.is_time_open => at.minus_ms(lag_ms.into()),
                Chose::Last | Chose::Earlier => game.deadline().map_or(at, |deadline| deadline.min(at)),
            };
            let command = Command::Choose(Choice(*rank));
            let decided = decide(&game, *side, game.ply(), &command, judged, &Entropy([0; 32]))?;
            let mut decided = decided.into_iter();
            if let Some(chosen) = decided.next() {
                evolve_compensated(&mut game, &chosen, at, lag_ms);
            }
            events.extend(decided);
        }
        Ok(Resolved { game, events })
    }

    /// True if a strike is pending and the record may hide a choice for it.
    pub(super) fn waits_for_hidden_choice(&self) -> bool {
        self.game.position().has_strike_pending() && facts::has_hidden_choices(self.record)
    }
}
