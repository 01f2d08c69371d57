//! Creates the record of one audience by replaying a game from text.
//!
//! The text contains the plies with their results, and the deployments that are open. Hidden
//! ranks are replaced by fitting ones, as when a record is checked. The new record shows nothing
//! that depends on these ranks.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, RecordedEvent, Recorder, SeenMove, SeenOutcome};
use flagfall_rules::{
    Choice, Command, EndReason, Entropy, Events, Game, GameTerms, Phase, Ruleset, Setup, Start, Viewer,
    decide, decide_verdict, evolve,
};
use flagfall_words::refusal_text;

use super::error::ImportError;
use crate::check::{Beginning, beginning, command_of, decide_move, lakes_of};

/// Returns the record of a game, and the game after its last event. `told` contains the contents
/// of the text, with the plies as events.
pub(super) fn play(told: &GameRecord, ruleset: &'static Ruleset) -> Result<(GameRecord, Game), ImportError> {
    let beginning = beginning(told, ruleset)?;
    let game = Game::new(GameTerms {
        game: told.game,
        lakes: lakes_of(told, ruleset),
        secret: PerSide::from_fn(|side| told.deployments[side].is_none()),
        ..GameTerms::untimed(ruleset)
    });
    let has_hidden = Side::BOTH.into_iter().any(|side| {
        let is_own = told.audience.side() == Some(side);
        told.deployments[side].is_none() && !is_own && ruleset.start == Start::Deployments
    });
    let mut playing = Playing { told, ruleset, recorder: Recorder::new(game.clone()), game, has_hidden };
    playing.deploy(&beginning.setups)?;
    let mut plies = 0;
    let end_error = |ply: usize, why: String| ImportError::End { ply, ruleset: ruleset.id, why };
    let is_act = |event: &GameEvent| !matches!(event, GameEvent::Deployed { .. } | GameEvent::Started { .. });
    for (index, recorded) in told.events.iter().enumerate().filter(|(_, recorded)| is_act(&recorded.event)) {
        if playing.game.phase() == Phase::Over {
            return Err(end_error(plies, "the game was over here, and goes on in the text".to_owned()));
        }
        playing.act(index, &recorded.event, &beginning).map_err(|why| ImportError::IllegalMove {
            ply: plies + 1,
            squares: squares_of(&recorded.event),
            ruleset: ruleset.id,
            why,
        })?;
        plies += usize::from(recorded.event.is_ply());
    }
    let untold = match &told.outcome {
        Some(outcome) => playing.finish(outcome).map_err(|why| end_error(plies, why))?,
        None if playing.game.phase() == Phase::Over => {
            return Err(end_error(plies, "the game was over here, and the text tells no end".to_owned()));
        }
        None => None,
    };
    let mut record = playing.recorder.record(told.audience, told.terms.clone(), told.players.clone());
    record.deploy_ms = None;
    record.imported = told.imported.clone();
    record.lakes = told.lakes.clone();
    record.commitments = told.commitments;
    for recorded in &mut record.events {
        if let GameEvent::Started { commitments } = &mut recorded.event {
            *commitments = told.commitments;
        }
    }
    if let Some(outcome) = untold {
        let event = GameEvent::Ended { outcome: outcome.clone(), opened: told.deployments.clone() };
        record.events.push(RecordedEvent::new(Stamp(0), 0, event));
        record.deployments = told.deployments.clone();
        record.outcome = Some(outcome);
    }
    if has_hidden {
        // The text does not say on which squares the hidden pieces were, so leave out the
        // changes, which would show guessed squares.
        record = record.without_changes();
    }
    Ok((record, playing.game))
}

fn squares_of(event: &GameEvent) -> String {
    match event {
        GameEvent::Moved(seen) => seen.squares.to_string(),
        GameEvent::Struck(strike) => strike.squares.to_string(),
        GameEvent::Removed { square, .. } | GameEvent::Colored { square, .. } => square.to_string(),
        GameEvent::Placed(seen) => seen.square.to_string(),
        _ => String::new(),
    }
}

struct Playing<'a> {
    told: &'a GameRecord,
    ruleset: &'static Ruleset,
    game: Game,
    recorder: Recorder,
    /// True if the game is replayed with guessed ranks.
    has_hidden: bool,
}

impl Playing<'_> {
    fn deploy(&mut self, setups: &PerSide<String>) -> Result<(), ImportError> {
        if self.ruleset.start == Start::Coins {
            return Ok(());
        }
        let has_started = self.told.has_started();
        for side in Side::BOTH {
            let is_told = self.told.deployments[side].is_some()
                || self.told.audience.side() == Some(side) && self.told.own_setup().is_some();
            if !has_started && !is_told {
                continue;
            }
            let deployment = |refusal: String| format!("{side}'s deployment: {refusal}");
            let setup = Setup::from_text(&setups[side], side, self.ruleset)
                .map_err(|refusal| deployment(refusal_text(&refusal)))?;
            let salt = self.told.deployments[side].as_ref().map_or([0; 32], |opened| opened.salt.0);
            self.apply_with(side, &Command::Deploy(setup), salt).map_err(deployment)?;
        }
        Ok(())
    }

    fn act(&mut self, index: usize, event: &GameEvent, beginning: &Beginning) -> Result<(), String> {
        let ply = self.game.ply();
        match event {
            GameEvent::Moved(seen) => self.play_move(seen)?,
            event => {
                let fitting = beginning.placed.get(index).copied().flatten();
                let (side, command) = command_of(event, fitting).ok_or("its rank is not told")?;
                self.apply(side, &command)?;
            }
        }
        if event.is_ply() && self.game.ply() == ply {
            return Err("it loses the game at once".to_owned());
        }
        Ok(())
    }

    fn play_move(&mut self, seen: &SeenMove) -> Result<(), String> {
        let side = seen.side;
        let decide = |command: &Command| {
            decide(&self.game, side, self.game.ply(), command, Stamp(0), &Entropy([0; 32]))
        };
        let events = decide_move(&self.game, seen, Viewer::Public, Stamp(0), decide)
            .map_err(|refusal| refusal_text(&refusal))?;
        self.carry_out(events);
        let Some(strike) = seen.strike.filter(|_| self.game.position().has_strike_pending()) else {
            return Ok(());
        };
        for (side, identity) in [(side, strike.attacker), (side.opponent(), strike.defender)] {
            if !self.game.position().has_strike_pending() || !self.game.is_to_act(side) {
                continue;
            }
            let rank = identity.rank().ok_or_else(|| format!("{side}'s choice is missing"))?;
            self.apply(side, &Command::Choose(Choice(rank)))?;
        }
        Ok(())
    }

    fn apply(&mut self, side: Side, command: &Command) -> Result<(), String> {
        self.apply_with(side, command, [0; 32])
    }

    fn apply_with(&mut self, side: Side, command: &Command, salt: [u8; 32]) -> Result<(), String> {
        let events = decide(&self.game, side, self.game.ply(), command, Stamp(0), &Entropy(salt));
        let events = events.map_err(|refusal| refusal_text(&refusal))?;
        self.carry_out(events);
        Ok(())
    }

    fn carry_out(&mut self, events: Events) {
        for event in events {
            // Ignore the engine's decision that a side is blocked, because it may depend on
            // guessed ranks. The text states the end.
            let is_blocked = event
                .outcome()
                .is_some_and(|end| matches!(end.reason, EndReason::NoLegalMove | EndReason::BothBlocked));
            if self.has_hidden && is_blocked {
                continue;
            }
            evolve(&mut self.game, &event, Stamp(0));
            self.recorder.note(&event, Stamp(0));
        }
    }

    /// Ends the game with the outcome in the text. If the outcome depends on hidden ranks,
    /// returns it, so that the check of the record can decide whether it is possible.
    fn finish(&mut self, outcome: &SeenOutcome) -> Result<Option<SeenOutcome>, String> {
        let SeenOutcome { winner, reason } = outcome;
        let reason =
            EndReason::from_code(reason).ok_or_else(|| format!("{reason:?} is not a reason for an end"))?;
        let told = flagfall_rules::Outcome { winner: *winner, reason };
        match self.game.outcome() {
            Some(found) if found == told => return Ok(None),
            Some(found) => {
                let (found, told) = (in_words(&SeenOutcome::from(found)), in_words(outcome));
                return Err(format!("by the rules the game ends with {found}, but the text says {told}"));
            }
            None => {}
        }
        if reason == EndReason::DrawAgreed && winner.is_none() {
            let offering = self.game.position().turn().opponent();
            for (side, command) in
                [(offering, Command::OfferDraw), (offering.opponent(), Command::AcceptDraw)]
            {
                self.apply(side, &command)
                    .map_err(|why| format!("{} is not possible: {why}", in_words(outcome)))?;
            }
            return Ok(None);
        }
        let events = decide_verdict(&self.game, told);
        if !events.is_empty() {
            self.carry_out(events);
            return Ok(None);
        }
        if self.has_hidden {
            return Ok(Some(outcome.clone()));
        }
        Err(format!("the text says {}, but by the rules the game does not end here", in_words(outcome)))
    }
}

/// Formats an outcome for the text format.
pub(super) fn in_words(outcome: &SeenOutcome) -> String {
    match outcome.winner {
        Some(side) => format!("{side} wins ({})", outcome.reason),
        None => format!("no side wins ({})", outcome.reason),
    }
}

/// Parses an outcome as [`in_words`] writes it.
pub(super) fn outcome_of(words: &str) -> Option<SeenOutcome> {
    let (who, rest) = words.trim().split_once(" wins (")?;
    let reason = rest.strip_suffix(')')?.to_owned();
    let winner = match who {
        // Version 0.1 wrote "nobody" for a draw.
        "no side" | "nobody" => None,
        who => Some(Side::BOTH.into_iter().find(|side| side.to_string() == who)?),
    };
    Some(SeenOutcome { winner, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_are_written_and_as_0_1_wrote_them() {
        for winner in [None, Some(Side::Red), Some(Side::Blue)] {
            let outcome = SeenOutcome { winner, reason: "draw_agreed".to_owned() };
            assert_eq!(outcome_of(&in_words(&outcome)), Some(outcome));
        }
        let old = outcome_of("nobody wins (draw_agreed)").expect("a result");
        assert_eq!((old.winner, old.reason.as_str()), (None, "draw_agreed"));
        assert_eq!(outcome_of("somebody wins (draw_agreed)"), None);
    }
}
