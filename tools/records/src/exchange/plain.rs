//! A bare game, as foreign formats have it.

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_protocol::{
    GameEvent, GameRecord, Imported, Player, PlayerKind, Recorder, SeenOutcome, Terms, Time,
};
use flagfall_rules::{
    Command, EndReason, Entropy, Events, Game, GameTerms, Move, Phase, Refusal, Ruleset, Setup, Start,
    Viewer, decide, decide_verdict, evolve,
};
use flagfall_words::refusal_text;
use sha2::{Digest, Sha256};

use super::error::{ExportError, ImportError};
use super::format::Format;
use crate::finding::Status;

/// A complete game.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Plain {
    pub(super) ruleset: &'static Ruleset,
    /// The lakes, if the ruleset draws them.
    pub(super) lakes: Option<Vec<Square>>,
    pub(super) time: Time,
    pub(super) players: PerSide<String>,
    /// The texts of §P4, without blanks.
    pub(super) deployments: PerSide<String>,
    pub(super) moves: Vec<Move>,
    pub(super) outcome: SeenOutcome,
}

/// True if deployments and moves describe a game of the ruleset completely.
fn is_told_by_moves(ruleset: &Ruleset) -> bool {
    !ruleset.reserve && ruleset.start == Start::Deployments
}

/// Checks that a record is true, has a known ruleset, and has no set-up position.
pub(super) fn check_told(record: &GameRecord) -> Result<&'static Ruleset, ExportError> {
    if record.start.is_some() {
        return Err(ExportError::Start);
    }
    let ruleset = Ruleset::find(&record.terms.ruleset)
        .ok_or_else(|| ExportError::False("there is no such ruleset".to_owned()))?;
    let report = crate::check(record);
    match (report.status, report.findings.first()) {
        (Status::False, Some(finding)) => Err(ExportError::False(finding.detail.clone())),
        _ => Ok(ruleset),
    }
}

impl Plain {
    /// The game of a true and complete record.
    pub(super) fn of(record: &GameRecord, format: Format) -> Result<Plain, ExportError> {
        let ruleset = check_told(record)?;
        if !is_told_by_moves(ruleset) {
            let told = Ruleset::all().iter().filter(|ruleset| is_told_by_moves(ruleset));
            return Err(ExportError::Ruleset {
                format: format.name(),
                ruleset: ruleset.id.to_owned(),
                allowed: told.map(|ruleset| ruleset.id).collect::<Vec<_>>().join(", "),
            });
        }
        let (Some(red), Some(blue), Some(outcome)) =
            (&record.deployments.red, &record.deployments.blue, &record.outcome)
        else {
            return Err(ExportError::NotOpened(format.name()));
        };
        let has_started = record.events.iter().any(|told| matches!(told.event, GameEvent::Started { .. }));
        if !has_started {
            return Err(ExportError::NotStarted);
        }
        let moves = record.events.iter().filter_map(|told| match &told.event {
            GameEvent::Moved(seen) => Some(seen.squares),
            _ => None,
        });
        Ok(Plain {
            ruleset,
            lakes: record.lakes.clone(),
            time: record.terms.time,
            players: PerSide::from_fn(|side| record.players[side].name.clone()),
            deployments: PerSide::new(red.setup.clone(), blue.setup.clone()),
            moves: moves.collect(),
            outcome: outcome.clone(),
        })
    }

    /// Makes the record of the game by replaying it.
    pub(super) fn into_record(self, from: &str) -> Result<GameRecord, ImportError> {
        let (_game, recorder) = self.play()?;
        let player =
            |side| Player { id: String::new(), name: self.players[side].clone(), kind: PlayerKind::Guest };
        let terms = Terms {
            ruleset: self.ruleset.id.to_owned(),
            time: self.time,
            private: false,
            secret: false,
            rated: false,
        };
        let mut record = recorder.record(Viewer::Public, terms, PerSide::from_fn(player));
        record.deploy_ms = None;
        record.imported = Some(Imported { from: from.to_owned() });
        // The engine's commitments were never published.
        record.commitments = PerSide::default();
        for told in &mut record.events {
            if let GameEvent::Started { commitments } = &mut told.event {
                *commitments = PerSide::default();
            }
        }
        Ok(record)
    }

    /// Replays the game to its end.
    pub(super) fn play(&self) -> Result<(Game, Recorder), ImportError> {
        if !is_told_by_moves(self.ruleset) {
            let why = format!("games of {} are more than moves: only json tells them", self.ruleset.id);
            return Err(ImportError::Rules(why));
        }
        let game = Game::new(GameTerms {
            game: self.id(),
            ruleset: self.ruleset,
            lakes: self
                .lakes
                .as_ref()
                .map_or(self.ruleset.shape.lakes, |lakes| lakes.iter().copied().collect()),
            time: flagfall_rules::TimeControl::Unlimited,
            deploy_ms: u64::MAX,
            created: Stamp(0),
            secret: PerSide::new(false, false),
        });
        let mut player = Playing { recorder: Recorder::new(game.clone()), game };
        for side in Side::BOTH {
            let deployment =
                |refusal: String| ImportError::Deployment(format!("{side}'s deployment: {refusal}"));
            let setup = Setup::from_text(&self.deployments[side], side, self.ruleset)
                .map_err(|refusal| deployment(refusal_text(&refusal)))?;
            setup.deploy(side, self.ruleset).map_err(|refusal| deployment(refusal_text(&refusal)))?;
            player
                .ask(side, &Command::Deploy(setup))
                .map_err(|refusal| deployment(refusal_text(&refusal)))?;
        }
        for (index, squares) in self.moves.iter().enumerate() {
            if player.game.phase() == Phase::Over {
                return Err(
                    self.end_error(index, "the game was over here, and goes on in the text".to_owned())
                );
            }
            let turn = player.game.position().turn();
            let illegal = |why: String| ImportError::IllegalMove {
                ply: index + 1,
                squares: squares.to_string(),
                ruleset: self.ruleset.id,
                why,
            };
            let ply = player.game.ply();
            player
                .ask(turn, &Command::Move((*squares).into()))
                .map_err(|refusal| illegal(refusal_text(&refusal)))?;
            if player.game.ply() == ply {
                return Err(illegal("it loses the game at once".to_owned()));
            }
        }
        self.finish(&mut player)?;
        Ok((player.game, player.recorder))
    }

    fn finish(&self, player: &mut Playing) -> Result<(), ImportError> {
        let SeenOutcome { winner, reason } = &self.outcome;
        let count = self.moves.len();
        let reason = EndReason::from_code(reason)
            .ok_or_else(|| self.end_error(count, format!("no game ends with {reason:?}")))?;
        let told = flagfall_rules::Outcome { winner: *winner, reason };
        match player.game.outcome() {
            Some(outcome) if outcome == told => return Ok(()),
            Some(outcome) => {
                let why = format!(
                    "the rules end the game with {}, the text with {}",
                    in_words(&SeenOutcome::from(outcome)),
                    in_words(&self.outcome)
                );
                return Err(self.end_error(count, why));
            }
            None => {}
        }
        let no_end = |why: &str| self.end_error(count, format!("{} {why}", in_words(&self.outcome)));
        if reason == EndReason::DrawAgreed {
            if winner.is_some() {
                return Err(no_end("cannot be"));
            }
            let offering = player.game.position().turn().opponent();
            for (side, command) in
                [(offering, Command::OfferDraw), (offering.opponent(), Command::AcceptDraw)]
            {
                player
                    .ask(side, &command)
                    .map_err(|refusal| no_end(&format!("cannot be: {}", refusal_text(&refusal))))?;
            }
            return Ok(());
        }
        let events = decide_verdict(&player.game, told);
        if events.is_empty() {
            return Err(no_end("is what the text says, and the rules do not end the game here"));
        }
        player.carry_out(events);
        Ok(())
    }

    fn end_error(&self, ply: usize, why: String) -> ImportError {
        ImportError::End { ply, ruleset: self.ruleset.id, why }
    }

    /// An id computed from the game. The same game has the same id, regardless of the source.
    fn id(&self) -> GameId {
        let mut hasher = Sha256::new();
        let SeenOutcome { winner, reason } = &self.outcome;
        let moves: String = self.moves.iter().map(Move::to_string).collect();
        for part in [
            "flagfall-import-1",
            self.ruleset.id,
            &self.deployments.red,
            &self.deployments.blue,
            &moves,
            winner.map_or("", Side::name),
            reason,
        ] {
            hasher.update(part);
            hasher.update(b"\0");
        }
        let hash: [u8; 32] = hasher.finalize().into();
        GameId::from_random(std::array::from_fn(|index| hash[index]))
    }
}

struct Playing {
    game: Game,
    recorder: Recorder,
}

impl Playing {
    fn ask(&mut self, side: Side, command: &Command) -> Result<(), Refusal> {
        let events = decide(&self.game, side, self.game.ply(), command, Stamp(0), &Entropy([0; 32]))?;
        self.carry_out(events);
        Ok(())
    }

    fn carry_out(&mut self, events: Events) {
        for event in events {
            evolve(&mut self.game, &event, Stamp(0));
            self.recorder.note(&event, Stamp(0));
        }
    }
}

/// An outcome as our texts write it.
pub(super) fn in_words(outcome: &SeenOutcome) -> String {
    match outcome.winner {
        Some(side) => format!("{side} wins ({})", outcome.reason),
        None => format!("no side wins ({})", outcome.reason),
    }
}

/// Parses such words.
pub(super) fn outcome_of(words: &str) -> Option<SeenOutcome> {
    let (who, rest) = words.trim().split_once(" wins (")?;
    let reason = rest.strip_suffix(')')?.to_owned();
    let winner = match who {
        // Version 0.1 wrote "nobody".
        "no side" | "nobody" => None,
        who => Some(Side::BOTH.into_iter().find(|side| side.to_string() == who)?),
    };
    Some(SeenOutcome { winner, reason })
}

/// A deployment's letters in upper case, without blanks.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// The most characters of a name in a record.
const NAME_LEN_MAX: usize = 64;

/// A player's name in a form that records allow: printable and not too long.
pub(super) fn named(name: &str) -> String {
    let name: String = name.trim().chars().filter(|letter| !letter.is_control()).take(NAME_LEN_MAX).collect();
    match name.trim() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
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
