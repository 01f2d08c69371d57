//! Replays the ends of games: by a player's decision, by the clock, by an umpire's verdict, or by
//! the rules.

use flagfall_board::{Side, Stamp};
use flagfall_protocol::SeenOutcome;
use flagfall_rules::{
    Command, EndReason, Entropy, Events, GameEvent, Phase, Refusal, Viewer, decide, decide_deadline,
    decide_verdict, evolve, see, view,
};

use super::{Cause, Replay, wrong_winner};
use crate::finding::{Falsehood, Mismatch, Unchecked, UncheckedKind};

impl Replay<'_> {
    pub(super) fn end(&self, outcome: &SeenOutcome, at: Stamp) -> Result<Cause, Mismatch> {
        match (outcome.reason.as_str(), outcome.winner) {
            ("resigned", Some(winner)) => {
                self.expect_legal(winner.opponent(), &Command::Resign, at).map(Cause::Decision)
            }
            ("draw_agreed", None) => {
                self.expect_legal_for_either(&Command::AcceptDraw, at).map(Cause::Decision)
            }
            ("aborted", None) => {
                let by_itself = decide_deadline(&self.game, at);
                if self.game.phase() == Phase::Deploying && !by_itself.is_empty() {
                    return Ok(Cause::Events(by_itself));
                }
                // A player may abort only before their first ply, but an umpire may abort at any
                // time.
                let asked = self.expect_legal_for_either(&Command::Abort, at).map(Cause::Decision);
                asked.or_else(|_| self.verdict(outcome, at))
            }
            ("out_of_time", _) if self.game.deadline().is_some() && self.game.phase() == Phase::Playing => {
                let by_itself = self.fall(outcome, at);
                if by_itself.is_empty() {
                    let left = self.game.deadline().map_or(0, |deadline| deadline.ms_since(at));
                    return Err((Falsehood::TimeLeft, format!("there were {left} ms left")));
                }
                Ok(Cause::Events(by_itself))
            }
            ("out_of_time" | "illegal_act" | "abandoned", _) => self.verdict(outcome, at),
            ("resigned" | "draw_agreed" | "aborted", _) => Err(wrong_winner(outcome)),
            (reason, _) if EndReason::from_code(reason).is_none() => {
                Err((Falsehood::Outcome, format!("{reason:?} is not a reason for an end")))
            }
            _ => self.end_by_rule(outcome),
        }
    }

    /// Returns the events that follow when a side's time has run out. If both sides had to
    /// choose, the winner may have made a hidden choice in time (§Q4).
    fn fall(&self, outcome: &SeenOutcome, at: Stamp) -> Events {
        let by_itself = decide_deadline(&self.game, at);
        let tells = |events: &Events| {
            let first = events.iter().next().and_then(|event| see(event, &self.game, self.viewer));
            matches!(first, Some(GameEvent::Ended { outcome: found, opened: _ }) if found == *outcome)
        };
        let Some(winner) = outcome.winner.filter(|winner| self.game.is_to_act(*winner)) else {
            return by_itself;
        };
        if tells(&by_itself) || !self.game.position().has_strike_pending() {
            return by_itself;
        }
        let mut chosen = self.game.clone();
        let struck = chosen.latest();
        let choices = view(&chosen, Viewer::Player(winner), struck).legal_commands();
        let Some(choice) = choices.and_then(|choices| choices.nth(0)) else { return by_itself };
        if let Ok(events) = decide(&chosen, winner, chosen.ply(), &choice, struck, &Entropy([0; 32])) {
            events.iter().for_each(|event| evolve(&mut chosen, event, struck));
        }
        decide_deadline(&chosen, at)
    }

    /// Checks a verdict that an umpire gave for reasons outside the board. After the start, the
    /// loser must be a side that had to act. Before the start, either side may lose.
    fn verdict(&self, outcome: &SeenOutcome, at: Stamp) -> Result<Cause, Mismatch> {
        if self.game.is_paused() {
            return Err((Falsehood::Unexpected, "the game was paused".to_owned()));
        }
        if self.game.deadline().is_some_and(|deadline| at > deadline) {
            return Err(self.refused(Refusal::OutOfTime, at));
        }
        let (SeenOutcome { winner, reason }, turn) = (outcome, self.game.turn());
        let is_possible = match (turn, winner) {
            (Some(_), Some(winner)) => reason == "abandoned" || self.game.is_to_act(winner.opponent()),
            // Time can run out for both sides at the same time only if both had to choose (§Q4).
            (Some(_), None) if reason == "out_of_time" => {
                Side::BOTH.iter().all(|side| self.game.is_to_act(*side))
            }
            (Some(_), None) => reason == "abandoned" || reason == "aborted",
            // Before the start, any verdict is possible, even if the ruleset makes wrong
            // deployments lose (§U7). The rules judge deployments only once both have been
            // submitted, and an umpire may decide before that.
            (None, _) => true,
        };
        match EndReason::from_code(reason).filter(|_| is_possible) {
            Some(reason) => {
                let outcome = flagfall_rules::Outcome { winner: *winner, reason };
                Ok(Cause::Decision(decide_verdict(&self.game, outcome)))
            }
            None => Err(wrong_winner(outcome)),
        }
    }

    /// Checks an end that the record attributes to the rules, but that the engine did not reach.
    fn end_by_rule(&self, outcome: &SeenOutcome) -> Result<Cause, Mismatch> {
        let turn = self.game.turn();
        let is_possible = match (outcome.reason.as_str(), outcome.winner) {
            ("no_legal_move", Some(winner)) => turn == Some(winner.opponent()),
            ("both_blocked", None) => turn.is_some(),
            // The guessed ranks may have led the engine to a reason that takes precedence over
            // the limit (§A10). This reason may not apply to the real ranks.
            ("quiet_limit" | "ply_limit", None) => {
                view(&self.game, self.viewer, self.game.latest()).plies_to_limit == Some(0)
            }
            _ => false,
        };
        if is_possible && self.has_hidden() {
            let detail = format!("the end ({}): it depends on ranks that are not opened", outcome.reason);
            return Ok(Cause::Hidden(Unchecked { code: UncheckedKind::End, detail }));
        }
        Err((Falsehood::EndedEarly, format!("the game had not ended by {}", outcome.reason)))
    }
}
