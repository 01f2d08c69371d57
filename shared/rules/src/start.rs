//! Provides terms and a deployment that can be used to begin a game of each ruleset, for tests
//! and examples.

use flagfall_board::{GameId, PerSide, Rank, Side, Square, Stamp};

use crate::clock::TimeControl;
use crate::entropy::Entropy;
use crate::game::GameTerms;
use crate::position::Position;
use crate::ruleset::{Ruleset, Start};
use crate::setup::{Deployment, Setup};

/// Fixed bytes that take the place of random bytes when lakes are drawn.
const SAMPLE_LAKES: Entropy = Entropy([0; 32]);

impl GameTerms {
    /// Creates terms without a clock and without a deadline for deployments.
    ///
    /// If the ruleset draws lakes at random, these terms always have the same lakes. Use
    /// [`Ruleset::draw_lakes`] to draw random lakes.
    pub fn untimed(ruleset: &'static Ruleset) -> GameTerms {
        GameTerms {
            game: GameId::from_random([0; 12]),
            ruleset,
            lakes: ruleset.draw_lakes(&SAMPLE_LAKES),
            time: TimeControl::Unlimited,
            deploy_ms: u64::MAX,
            created: Stamp::default(),
            secret: PerSide::new(false, false),
        }
    }
}

impl Ruleset {
    /// Returns a fixed legal deployment, for examples, tests and a first try.
    ///
    /// Everyone can know this deployment, so it hides nothing in a real game. Returns `None` if
    /// games of the ruleset begin without deployments (§Q1).
    pub fn sample_setup(&self, side: Side) -> Option<Setup> {
        if self.start == Start::Coins {
            return None;
        }
        let places = 0..self.shape.home_len();
        let home: Vec<Square> = places.filter_map(|place| self.shape.home_square(side, place)).collect();
        // The Bombs and the Flag stand in the back rows, with the Flag in the corner. The other
        // pieces are placed in front of them in rounds. Each round places one piece of every rank
        // that is left, from the highest rank to the lowest.
        let each_of = |rank| std::iter::repeat_n(rank, usize::from(self.army.count(rank)));
        let fixed = [Rank::Flag, Rank::Bomb].into_iter().flat_map(each_of);
        let back: Vec<(Square, Rank)> = home.iter().rev().copied().zip(fixed).collect();
        let most = self.army.iter().map(|(_, count)| count).max().unwrap_or(0);
        let movable = Rank::ALL.into_iter().rev().filter(|rank| rank.is_movable());
        let ranks =
            (0..most).flat_map(|turn| movable.clone().filter(move |rank| turn < self.army.count(*rank)));
        let front = home.iter().copied().take(home.len() - back.len()).zip(ranks);
        Some(Setup::new(front.chain(back.iter().copied()).collect()))
    }
}

impl Position {
    /// Returns a position from which a game of this ruleset may begin, with Red to move.
    ///
    /// Both sides have their sample deployment or, in rulesets with coins, coins on all home
    /// squares (§Q1). If the ruleset draws lakes at random, this position always has the same
    /// lakes.
    ///
    /// ```
    /// use flagfall_rules::{Position, Ruleset};
    ///
    /// for ruleset in Ruleset::all() {
    ///     assert!(!Position::start(ruleset).legal_commands().is_empty());
    /// }
    /// ```
    #[must_use]
    pub fn start(ruleset: &'static Ruleset) -> Position {
        let lakes = ruleset.draw_lakes(&SAMPLE_LAKES);
        if ruleset.start == Start::Coins {
            return Position::with_coins(ruleset, lakes);
        }
        let deployments: PerSide<Option<Deployment>> =
            PerSide::from_fn(|side| ruleset.sample_setup(side)?.deploy(side, ruleset).ok());
        let both = PerSide::from_fn(|side| deployments[side].as_ref());
        Position::deployed(ruleset, lakes, both)
    }
}
