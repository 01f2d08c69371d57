//! A game with a clock, for tests that send commands.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::{
    Command, EndReason, Entropy, Game, GameTerms, Outcome, Phase, Refusal, Ruleset, Setup, TimeControl,
    Viewer, clock_seen, decide, evolve, view,
};

use crate::board::lakes;
use crate::deployments::setup_text;

pub(crate) const FISCHER: TimeControl = TimeControl::Fischer { base_ms: 60_000, increment_ms: 2_000 };
pub(crate) const START: Stamp = Stamp(1_000_000);

/// A game and the current time.
pub(crate) struct Table {
    pub(crate) game: Game,
    pub(crate) now: Stamp,
}

impl Table {
    pub(crate) fn new(ruleset: &'static Ruleset, time: TimeControl) -> Table {
        let terms = GameTerms {
            game: GameId::from_random([3; 12]),
            ruleset,
            lakes: lakes(ruleset),
            time,
            deploy_ms: 300_000,
            created: START,
            secret: PerSide::default(),
        };
        Table { game: Game::new(terms), now: START }
    }

    /// Creates a game in which both sides have deployed.
    pub(crate) fn started(ruleset: &'static Ruleset, time: TimeControl) -> Table {
        let mut table = Table::new(ruleset, time);
        for side in Side::BOTH {
            table.ask(side, &deploy(setup_text(ruleset), side, ruleset)).expect("a deployment");
        }
        assert_eq!(table.game.phase(), Phase::Playing);
        table
    }

    pub(crate) fn later(&mut self, ms: u64) -> &mut Table {
        self.now = self.now.plus_ms(ms);
        self
    }

    pub(crate) fn ask(&mut self, side: Side, command: &Command) -> Result<Option<Outcome>, Refusal> {
        let events =
            decide(&self.game, side, self.game.ply(), command, self.now, &Entropy([side as u8 + 1; 32]))?;
        for event in events.iter() {
            evolve(&mut self.game, event, self.now);
        }
        Ok(self.game.outcome())
    }

    #[track_caller]
    pub(crate) fn does(&mut self, side: Side, command: &Command) -> &mut Table {
        match self.ask(side, command) {
            Ok(_) => self,
            Err(refusal) => panic!("{command:?} was refused: {}", refusal.code()),
        }
    }

    #[track_caller]
    pub(crate) fn refuses(&mut self, side: Side, command: &Command, code: &str) -> &mut Table {
        match self.ask(side, command) {
            Ok(_) => panic!("{command:?} was not refused; expected {code}"),
            Err(refusal) => assert_eq!(refusal.code(), code),
        }
        self
    }

    #[track_caller]
    pub(crate) fn moves(&mut self, squares: &str) -> &mut Table {
        let side = self.game.turn().expect("a running game");
        self.does(side, &step(squares))
    }

    /// Plays this many plies with Scouts that move back and forth in front of the armies. Under
    /// the rules of `pbm`, no repetition rule forbids this.
    #[track_caller]
    pub(crate) fn plies(&mut self, count: usize) -> &mut Table {
        for _ in 0..count {
            let side = self.game.turn().expect("a running game");
            let squares = view(&self.game, Viewer::Player(side), self.now)
                .legal_moves()
                .expect("moves")
                .iter()
                .find(|squares| !self.game.position().occupied(side.opponent()).contains(squares.to))
                .expect("a quiet move");
            self.does(side, &Command::Move(squares.into()));
        }
        self
    }

    pub(crate) fn remaining(&self) -> (u64, u64) {
        let seen = clock_seen(&self.game, Viewer::Public, self.now).expect("a clock");
        (seen.remaining_ms.red, seen.remaining_ms.blue)
    }

    pub(crate) fn ended(&self) -> (Option<Side>, EndReason) {
        let outcome = self.game.outcome().expect("an end");
        (outcome.winner, outcome.reason)
    }
}

pub(crate) fn deploy(text: &str, side: Side, ruleset: &Ruleset) -> Command {
    Command::Deploy(Setup::from_text(text, side, ruleset).expect("a setup"))
}

pub(crate) fn step(squares: &str) -> Command {
    Command::Move(squares.parse().expect("a move"))
}
