//! House players: they see a view and answer a command, nothing else.

use flagfall_board::{Rank, Side, Square};
use flagfall_rules::{Command, Fill, Phase, Ruleset, Setup, View};

/// How a house player plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Any deployment, any legal move.
    Random,
}

impl Level {
    /// Every level.
    pub const ALL: [Level; 1] = [Level::Random];

    /// The level's name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Random => "random",
        }
    }

    /// The level of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// A small generator of chance (xorshift64*, Vigna 2016): good enough to choose moves, never for secrets of others.
#[derive(Clone)]
pub struct Chance(u64);

impl Chance {
    /// The generator of this seed; the same seed gives the same choices.
    #[must_use]
    pub const fn new(seed: u64) -> Chance {
        Chance(if seed == 0 { 0x9e37_79b9_7f4a_7c15 } else { seed })
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is at least one.
    pub fn below(&mut self, bound: usize) -> usize {
        let high = (u128::from(self.next()) * bound as u128) >> 64;
        usize::try_from(high).unwrap_or(0)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// How much a house player may think about one move, counted in something that is the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Positions it may look at for one move, at least one.
    pub nodes: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { nodes: 10_000 }
    }
}

/// One side's house player in one game. It remembers what it saw there; one that begins in the middle of a game, after a
/// restart, plays on with what the view tells.
pub struct HousePlayer {
    level: Level,
    side: Side,
    chance: Chance,
}

impl HousePlayer {
    /// A player of this level; the same seed gives the same choices.
    #[must_use]
    pub fn new(level: Level, side: Side, seed: u64, _effort: Effort) -> HousePlayer {
        HousePlayer { level, side, chance: Chance::new(seed) }
    }

    /// What it does in a view of its own side: a command, or nothing when it has nothing to do. Every view shown to it is remembered,
    /// so it may be shown more views than those of its own turns.
    pub fn choose(&mut self, view: &View) -> Option<Command> {
        match (self.level, view.phase) {
            (Level::Random, Phase::Deploying) => (!view.ready[self.side])
                .then(|| Command::Deploy(random_setup(view.ruleset, self.side, &mut self.chance))),
            (Level::Random, Phase::Playing) => {
                let moves = view.legal_moves()?;
                if moves.is_empty() {
                    None
                } else {
                    moves.nth(self.chance.below(moves.len())).map(Command::Move)
                }
            }
            (Level::Random, Phase::Over) => None,
        }
    }
}

/// The whole army on the home rows in any order, but so that the front can move: at least one movable piece has an open square ahead.
#[must_use]
pub fn random_setup(ruleset: &Ruleset, side: Side, chance: &mut Chance) -> Setup {
    loop {
        let mut squares: Vec<Square> = ruleset.shape.home(side).iter().collect();
        chance.shuffle(&mut squares);
        let ranks =
            ruleset.army.iter().flat_map(|(rank, count)| std::iter::repeat_n(rank, usize::from(count)));
        let pieces: Vec<(Square, Rank)> = squares.into_iter().zip(ranks).collect();
        if ruleset.fill == Fill::AnyHomeSquares || has_way_out(ruleset, side, &pieces) {
            return Setup::new(pieces);
        }
    }
}

fn has_way_out(ruleset: &Ruleset, side: Side, pieces: &[(Square, Rank)]) -> bool {
    pieces.iter().any(|(square, rank)| {
        let ahead = match side {
            Side::Red => flagfall_board::Direction::Up,
            Side::Blue => flagfall_board::Direction::Down,
        };
        !matches!(rank, Rank::Flag | Rank::Bomb)
            && square.neighbor(ahead).is_some_and(|next| {
                !ruleset.shape.home(side).contains(next) && !ruleset.shape.lakes.contains(next)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_setups_are_deployments_of_every_ruleset() {
        for ruleset in Ruleset::all() {
            for seed in 1..200 {
                for side in Side::BOTH {
                    let setup = random_setup(ruleset, side, &mut Chance::new(seed));
                    assert!(setup.deploy(side, ruleset).is_ok(), "{} seed {seed}", ruleset.id);
                }
            }
        }
    }

    #[test]
    fn levels_have_names() {
        for level in Level::ALL {
            assert_eq!(Level::from_name(level.name()), Some(level));
        }
        assert_eq!(Level::from_name("grandmaster"), None);
    }

    #[test]
    fn chance_stays_below_its_bound_and_reaches_all_of_it() {
        let mut chance = Chance::new(7);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[chance.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
