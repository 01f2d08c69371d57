//! Tests that the engine and the second opinion agree in every game: on each position, its legal
//! commands, and the end.

use std::collections::BTreeSet;
use std::sync::Arc;

use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{EndReason, Game, Phase, Referee, Start};
use flagfall_second_opinion::{Board, rules};
use flagfall_tests::{Chance, Logged, Match, Step};

use crate::engine_events::{at, board_event};
use crate::moves::name;
use crate::{Law, hold};

/// With reserves, there are thousands of commands, so compare them only in one of this many
/// steps.
const EVERY_WITH_RESERVES: usize = 16;

#[derive(Default)]
struct Opinion {
    setups: [String; 2],
    board: Option<Board>,
    steps: usize,
}

impl Opinion {
    fn start(&mut self, game: &Game) {
        let rules = rules(game.terms().ruleset.id).expect("the second opinion knows every ruleset");
        let lakes = game.terms().lakes.iter().map(at).collect();
        let board = Board::start(Arc::new(rules), lakes, [&self.setups[0], &self.setups[1]]);
        self.board = Some(board.expect("deployments that the engine accepted"));
    }
}

impl Law for Opinion {
    fn before(&mut self, table: &Match, _step: &Step, _chance: &mut Chance) {
        let game = &table.game;
        if game.phase() != Phase::Playing {
            return;
        }
        if self.board.is_none() && game.terms().ruleset.start == Start::Coins {
            self.start(game);
        }
        let board = self.board.as_ref().expect("a game that started");
        assert_eq!(board.verdict(), None, "{}", Referee.position_text(game.position()));
        self.steps += 1;
        if game.terms().ruleset.reserve && !self.steps.is_multiple_of(EVERY_WITH_RESERVES) {
            return;
        }
        let legal: BTreeSet<String> =
            game.position().legal_commands().iter().map(|command| name(&command)).collect();
        assert_eq!(legal, board.legal(), "{}", Referee.position_text(game.position()));
    }

    fn event(&mut self, logged: &Logged) {
        let record = to_record(&logged.event);
        match &record {
            SecretRecord::Deployed { side, setup, .. } => self.setups[*side as usize].clone_from(setup),
            SecretRecord::Started { .. } => self.start(&logged.after),
            _ => {}
        }
        let Some(board) = &mut self.board else { return };
        match &record {
            SecretRecord::Chosen { side, rank } => {
                assert!(board.may_choose(*side as usize, rank.letter()), "{side} {rank}");
                let pending = board.pending.as_mut().expect("a strike");
                pending.chosen[*side as usize] = Some(rank.letter());
            }
            SecretRecord::Ended { winner, reason } => {
                let verdict = board.verdict().map(|verdict| (verdict.reason, verdict.winner));
                let is_by_the_board = !matches!(
                    reason,
                    EndReason::Resigned
                        | EndReason::DrawAgreed
                        | EndReason::OutOfTime
                        | EndReason::Abandoned
                        | EndReason::IllegalAct
                        | EndReason::Aborted
                );
                let expected = (reason.code(), winner.map(|winner| winner as usize));
                assert_eq!(verdict, is_by_the_board.then_some(expected));
                return;
            }
            _ => {}
        }
        let text = || Referee.position_text(logged.after.position());
        if let Some(event) = board_event(&record)
            && let Err(why) = board.take(&event)
        {
            panic!("{why}: {event:?} leads to {}", text());
        }
        let found = Board::read(&text()).expect("a position");
        assert!(board.is_same_position(&found), "{:?} leads to {}, not to {board:?}", logged.event, text());
    }
}

#[test]
fn the_second_opinion_agrees_with_every_game() {
    hold("the second opinion", 6, Opinion::default);
}
