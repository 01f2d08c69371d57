//! Deployments for house players. The server also offers them to people.

mod sensible;

use flagfall_board::{Chance, Direction, Rank, Side, Square};
use flagfall_rules::{Fill, Ruleset, Setup};

pub use sensible::sensible_setup;
pub(crate) use sensible::{closed_setup, sensible_pieces};

/// Returns the whole army on the home rows in random order. In rulesets in which the army fills
/// the home rows, at least one movable piece has an open square in front of it.
pub fn random_setup(ruleset: &Ruleset, side: Side, chance: &mut Chance) -> Setup {
    loop {
        let mut squares: Vec<Square> = ruleset.shape.home(side).iter().collect();
        chance.shuffle(&mut squares);
        let mut ranks: Vec<Rank> = ruleset
            .army
            .iter()
            .flat_map(|(rank, count)| std::iter::repeat_n(rank, usize::from(count)))
            .collect();
        if ruleset.reserve {
            // The Flag stays first in the list, because it must be on the board. The other pieces
            // on the board are drawn at random (§S1.4).
            chance.shuffle(&mut ranks[1..]);
        }
        let pieces: Vec<(Square, Rank)> = squares.into_iter().zip(ranks).collect();
        if ruleset.fill == Fill::AnyHomeSquares || has_way_out(ruleset, side, &pieces) {
            return Setup::new(pieces);
        }
    }
}

fn has_way_out(ruleset: &Ruleset, side: Side, pieces: &[(Square, Rank)]) -> bool {
    pieces.iter().any(|(square, rank)| {
        rank.is_movable()
            && square.neighbor(ahead(side)).is_some_and(|next| {
                !ruleset.shape.home(side).contains(next) && !ruleset.shape.lakes.contains(next)
            })
    })
}

/// The direction toward the enemy.
fn ahead(side: Side) -> Direction {
    match side {
        Side::Red => Direction::Up,
        Side::Blue => Direction::Down,
    }
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
}
