use flagfall_board::{GameId, PerSide, Rank, Side, SquareSet, Stamp};
use flagfall_rules::{
    Choice, Command, Entropy, Event, Events, Game, GameTerms, Move, Phase, Refusal, Ruleset, TimeControl,
    Viewer, decide, decide_deadline, decide_pause, decide_resume, evolve, view,
};

use crate::{Chance, random_setup, setup_of, wrong_setup};

/// One step of a match.
#[derive(Clone, Debug)]
pub enum Step {
    /// A side deploys this text of RULES §P4.
    Deploy(Side, String),
    /// A side gives another command.
    Ask(Side, Command),
    /// The clocks are stopped.
    Pause,
    /// The clocks are started again.
    Resume,
    /// Time passes, so a deadline may expire.
    Wait,
}

/// An event, with the game before and after it.
#[derive(Clone)]
pub struct Logged {
    /// The game before.
    pub before: Game,
    /// The event.
    pub event: Event,
    /// The game after.
    pub after: Game,
    /// The time of the event.
    pub at: Stamp,
}

impl Logged {
    /// True if a piece was struck. Everybody sees this.
    #[must_use]
    pub fn is_strike(&self) -> bool {
        let pieces = |game: &Game| Side::BOTH.map(|side| game.position().occupied(side).len());
        self.before.phase() == Phase::Playing
            && (0..2).any(|side| pieces(&self.after)[side] < pieces(&self.before)[side])
    }
}

/// A game with its current time and the source of its salts.
#[derive(Clone)]
pub struct Match {
    /// The game.
    pub game: Game,
    /// The time.
    pub now: Stamp,
    salts: Chance,
}

impl Match {
    /// A match in which both sides have to deploy.
    #[must_use]
    pub fn new(ruleset: &'static Ruleset, time: TimeControl, secret: PerSide<bool>, salts: Chance) -> Match {
        let created = Stamp(1_790_000_000_000);
        let terms = GameTerms {
            game: GameId::from_random([9; 12]),
            ruleset,
            lakes: ruleset.draw_lakes(&Entropy(salts.clone().bytes())),
            time,
            deploy_ms: 300_000,
            created,
            secret,
        };
        Match { game: Game::new(terms), now: created, salts }
    }

    /// The same match before its first event, with other lakes of the ruleset.
    #[must_use]
    pub fn with_lakes(self, lakes: SquareSet) -> Match {
        let terms = GameTerms { lakes, ..*self.game.terms() };
        Match { game: Game::new(terms), ..self }
    }

    /// Takes a step after this many milliseconds and returns its events in order.
    ///
    /// # Errors
    /// Returns the refusal. The game is then unchanged.
    pub fn step(&mut self, step: &Step, after_ms: u64) -> Result<Vec<Logged>, Refusal> {
        self.now = self.now.plus_ms(after_ms);
        let entropy = Entropy(self.salts.bytes());
        let events: Events = match step {
            Step::Deploy(side, text) => {
                let command = Command::Deploy(setup_of(text, *side, self.game.terms().ruleset));
                decide(&self.game, *side, self.game.ply(), &command, self.now, &entropy)?
            }
            Step::Ask(side, command) => {
                decide(&self.game, *side, self.game.ply(), command, self.now, &entropy)?
            }
            Step::Pause => decide_pause(&self.game, self.now),
            Step::Resume => decide_resume(&self.game),
            Step::Wait => decide_deadline(&self.game, self.now),
        };
        let mut logged = Vec::new();
        for event in events {
            let before = self.game.clone();
            evolve(&mut self.game, &event, self.now);
            logged.push(Logged { before, event, after: self.game.clone(), at: self.now });
        }
        Ok(logged)
    }

    /// Returns a random legal board command of a side that must act, usually a move.
    fn random_command(&self, chance: &mut Chance) -> Option<(Side, Command)> {
        let sides: Vec<Side> = Side::BOTH.into_iter().filter(|side| self.game.is_to_act(*side)).collect();
        let side = if sides.len() > 1 { sides[chance.below(sides.len())] } else { *sides.first()? };
        let commands = view(&self.game, Viewer::Player(side), self.now).legal_commands()?;
        let is_move =
            commands.moves_len() > 0 && (commands.moves_len() == commands.len() || !chance.once_in(5));
        let end = if is_move { commands.moves_len() } else { commands.len() };
        let command = commands.nth(chance.below(end.max(1)))?;
        if command == Command::Choose(Choice(Rank::Flag)) && commands.len() > 1 && !chance.once_in(20) {
            // Usually avoid choosing the Flag for a coin, because this ends the game and players
            // rarely do so early.
            return self.random_command(chance);
        }
        Some((side, command))
    }

    /// A random step that is possible now, mostly a legal move.
    #[must_use]
    pub fn random_step(&self, chance: &mut Chance) -> Step {
        let ruleset = self.game.terms().ruleset;
        if self.game.is_paused() {
            return if chance.once_in(2) { Step::Resume } else { Step::Wait };
        }
        let side = if chance.once_in(2) { Side::Red } else { Side::Blue };
        match self.game.phase() {
            Phase::Deploying if chance.once_in(12) => Step::Pause,
            Phase::Deploying if ruleset.illegal_act_loses && chance.once_in(10) => {
                Step::Deploy(side, wrong_setup(ruleset, chance))
            }
            Phase::Deploying => Step::Deploy(side, random_setup(ruleset, chance)),
            Phase::Playing if ruleset.illegal_act_loses && chance.once_in(1500) => {
                let square = |chance: &mut Chance| ruleset.shape.squares().iter().nth(chance.below(100));
                let squares = square(chance).zip(square(chance)).map(|(from, to)| Move { from, to });
                squares.map_or(Step::Wait, |squares| {
                    Step::Ask(self.game.position().turn(), Command::Move(squares.into()))
                })
            }
            Phase::Playing | Phase::Over => match chance.below(400) {
                0 => Step::Pause,
                1 | 2 => Step::Ask(side, Command::OfferDraw),
                3 | 4 => Step::Ask(side, Command::DeclineDraw),
                5 => Step::Wait,
                // Making a choice takes some time.
                _ if self.game.position().has_strike_pending() && chance.once_in(3) => Step::Wait,
                // End some games early. In long games, few pieces stay indistinguishable, because
                // the armies are large.
                6 if ruleset.reserve => Step::Ask(side, Command::Resign),
                _ => match self.random_command(chance) {
                    Some((side, command)) => Step::Ask(side, command),
                    None => Step::Wait,
                },
            },
        }
    }
}
