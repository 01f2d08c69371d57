//! Sensible random deployments. Pieces are placed one after the other on squares where their rank
//! is useful. The same deployment is hardly ever drawn twice.
//!
//! The Flag is in a back row. Bombs surround the Flag completely, partly, or not at all. If they
//! do not surround the Flag, they are elsewhere as decoys. The Spy is near the two strongest
//! pieces, Miners are in the back rows, and Scouts and expendable pieces are in front.

use flagfall_board::{BoardShape, Chance, Direction, Rank, Side, Square, SquareSet};
use flagfall_rules::{Fill, Ruleset, Setup};

use super::{ahead, random_setup};
use crate::mind::give_way;

/// The maximum number of drafts before giving up. A third to a half of all drafts are accepted.
const DRAFTS_MAX: usize = 200;

/// The minimum number of Bombs that can surround a Flag completely. With this number, the Flag
/// must be in a corner.
const CLOSING_MIN: u8 = 2;

/// Returns a random deployment of the whole army that a careful player could choose. `lakes` are
/// the lakes of this game, which may have been drawn at random (§U2).
pub fn sensible_setup(ruleset: &Ruleset, lakes: SquareSet, side: Side, chance: &mut Chance) -> Setup {
    sensible_pieces(ruleset, lakes, side, chance)
        .map_or_else(|| random_setup(ruleset, side, chance), Setup::new)
}

/// Returns the pieces and squares of a sensible deployment. Returns `None` if no draft was
/// acceptable.
pub(crate) fn sensible_pieces(
    ruleset: &Ruleset,
    lakes: SquareSet,
    side: Side,
    chance: &mut Chance,
) -> Option<Vec<(Square, Rank)>> {
    (0..DRAFTS_MAX).find_map(|_| {
        let mut draft = Draft::new(ruleset, lakes, side);
        (draft.fill(chance).is_some() && draft.is_sound()).then_some(draft.pieces)
    })
}

/// Returns a sensible deployment in which Bombs surround the Flag completely, if there are enough
/// Bombs. In this deployment, only a Miner can reach the Flag.
pub(crate) fn closed_setup(ruleset: &Ruleset, lakes: SquareSet, side: Side, chance: &mut Chance) -> Setup {
    let is_possible = ruleset.army.count(Rank::Bomb) >= CLOSING_MIN;
    let closed = (0..DRAFTS_MAX).filter(|_| is_possible).find_map(|_| {
        give_way();
        let pieces = sensible_pieces(ruleset, lakes, side, chance)?;
        is_closed(ruleset, side, &pieces).then_some(pieces)
    });
    closed.map_or_else(|| sensible_setup(ruleset, lakes, side, chance), Setup::new)
}

/// True if every home square next to the Flag has a Bomb.
fn is_closed(ruleset: &Ruleset, side: Side, pieces: &[(Square, Rank)]) -> bool {
    let places = |rank: Rank| -> SquareSet {
        pieces.iter().filter(|(_, other)| *other == rank).map(|(square, _)| *square).collect()
    };
    let around: SquareSet =
        places(Rank::Flag).iter().flat_map(|square| beside(&ruleset.shape, square)).collect();
    (around & ruleset.shape.home(side)).without(places(Rank::Bomb)).is_empty()
}

fn beside(shape: &BoardShape, square: Square) -> impl Iterator<Item = Square> {
    Direction::ALL.into_iter().filter_map(move |direction| shape.neighbor(square, direction))
}

/// Returns a rank's weight for each of four rows, beginning with the front row. A higher weight
/// means a better place.
const fn liking(rank: Rank) -> [u32; 4] {
    match rank {
        Rank::Flag => [0, 0, 1, 12],
        Rank::Bomb => [2, 3, 4, 3],
        Rank::Spy => [0, 6, 7, 1],
        Rank::Scout | Rank::Phoenix => [7, 4, 3, 3],
        Rank::Miner => [1, 2, 5, 8],
        Rank::Sergeant => [4, 3, 3, 4],
        Rank::Lieutenant => [7, 4, 3, 2],
        Rank::Captain => [6, 5, 3, 2],
        Rank::Major => [6, 5, 4, 2],
        Rank::Colonel => [4, 6, 5, 1],
        Rank::General => [5, 8, 3, 0],
        Rank::Marshal => [6, 8, 3, 0],
    }
}

/// Like [`liking`], for boards on which the enemy can also come from behind, across joints
/// (§S2.6). The Flag may then be in any row except the front row.
const fn liking_of_joints(rank: Rank) -> [u32; 4] {
    match rank {
        Rank::Flag => [0, 3, 4, 4],
        other => liking(other),
    }
}

/// Like [`liking`], for rulesets in which home squares stay empty. In these rulesets, pieces do
/// not block each other, every piece in the back rows could be the Flag, and pieces next to the
/// Flag protect it from Scouts.
const fn liking_of_space(rank: Rank) -> [u32; 4] {
    match rank {
        Rank::Flag => [0, 1, 3, 8],
        Rank::Bomb => [2, 2, 3, 5],
        Rank::Spy => [3, 3, 3, 3],
        Rank::Scout | Rank::Phoenix => [3, 2, 3, 4],
        Rank::Miner => [3, 2, 3, 4],
        Rank::Sergeant | Rank::Lieutenant | Rank::Captain | Rank::Major | Rank::Colonel => [4, 3, 3, 3],
        Rank::General | Rank::Marshal => [4, 2, 2, 3],
    }
}

/// The order in which ranks are placed after the Flag and the Bombs. Ranks with the strictest
/// requirements come first, and the last ranks take the remaining squares.
const ORDER: [Rank; 11] = [
    Rank::Marshal,
    Rank::General,
    Rank::Spy,
    Rank::Miner,
    Rank::Colonel,
    Rank::Scout,
    Rank::Major,
    Rank::Captain,
    Rank::Lieutenant,
    Rank::Phoenix,
    Rank::Sergeant,
];

struct Draft<'a> {
    ruleset: &'a Ruleset,
    lakes: SquareSet,
    side: Side,
    home: SquareSet,
    free: SquareSet,
    pieces: Vec<(Square, Rank)>,
}

impl<'a> Draft<'a> {
    fn new(ruleset: &'a Ruleset, lakes: SquareSet, side: Side) -> Draft<'a> {
        let home = ruleset.shape.home(side);
        Draft { ruleset, lakes, side, home, free: home, pieces: Vec::with_capacity(ruleset.army.len()) }
    }

    /// Places the whole army. Returns `None` if this fails.
    fn fill(&mut self, chance: &mut Chance) -> Option<()> {
        let flag = self.draw(chance, |draft, square| {
            // A Flag at the edge of the board is safer, because Scouts can reach it along fewer
            // lines. This matters little if the army fills the home rows.
            let is_at_edge = draft.neighbors(square).len() < 3;
            let factor = if is_at_edge && draft.ruleset.fill == Fill::AnyHomeSquares { 3 } else { 1 };
            if draft.is_exposed(square) { 0 } else { draft.liked(Rank::Flag, square) * factor }
        })?;
        self.put(flag, Rank::Flag);
        self.place_bombs(flag, chance)?;
        for rank in ORDER {
            for _ in 0..self.fielded(rank) {
                let square = self.draw(chance, |draft, square| draft.weight(rank, square, flag))?;
                self.put(square, rank);
            }
        }
        Some(())
    }

    /// Returns the number of pieces of a rank to deploy. If the army is larger than the home
    /// rows, each rank is deployed in proportion, and the last rank of [`ORDER`] takes the
    /// remaining squares. Otherwise, all pieces are deployed.
    fn fielded(&self, rank: Rank) -> usize {
        let (army, home) = (&self.ruleset.army, self.ruleset.shape.home_len());
        let count = usize::from(army.count(rank));
        if !self.ruleset.reserve {
            return count;
        }
        let share = (2 * count * home + army.len()) / (2 * army.len());
        if ORDER.last() == Some(&rank) { self.free.len() as usize } else { share }
    }

    /// Places the Bombs that guard the Flag, then Bombs as decoys, then the remaining Bombs.
    fn place_bombs(&mut self, flag: Square, chance: &mut Chance) -> Option<()> {
        let mut left = self.fielded(Rank::Bomb);
        let mut around: Vec<Square> = self.neighbors(flag).iter().collect();
        chance.shuffle(&mut around);
        let guards = match chance.below(20) {
            0..9 => around.len(),
            9..15 => around.len() - 1,
            _ => chance.below(2),
        };
        left -= self.put_bombs(around.iter().take(guards), left);
        if left >= 2 && chance.below(5) < 3 {
            let decoy = self.draw(chance, |draft, square| {
                if square.distance(flag) > 3 { draft.liked(Rank::Flag, square) } else { 0 }
            });
            let around = decoy.map_or(SquareSet::EMPTY, |decoy| self.neighbors(decoy) & self.free);
            left -= self.put_bombs(around.iter().collect::<Vec<_>>().iter(), left);
        }
        for _ in 0..left {
            // A Bomb on a front square behind a lake is preferred, because no piece could leave
            // through that square anyway.
            let square = self.draw(chance, |draft, square| {
                let is_blocked = draft.depth(square) == 0 && !draft.is_way_out(square);
                draft.liked(Rank::Bomb, square) * if is_blocked { 2 } else { 1 }
            })?;
            self.put(square, Rank::Bomb);
        }
        Some(())
    }

    fn put_bombs<'s>(&mut self, squares: impl Iterator<Item = &'s Square>, at_most: usize) -> usize {
        let squares: Vec<Square> = squares.copied().take(at_most).collect();
        squares.iter().for_each(|square| self.put(*square, Rank::Bomb));
        squares.len()
    }

    fn put(&mut self, square: Square, rank: Rank) {
        self.free.remove(square);
        self.pieces.push((square, rank));
    }

    /// Draws a free square. The probability of each square is proportional to its weight.
    fn draw(&self, chance: &mut Chance, weight: impl Fn(&Self, Square) -> u32) -> Option<Square> {
        let weights: Vec<(Square, u32)> =
            self.free.iter().map(|square| (square, weight(self, square))).collect();
        let total: u32 = weights.iter().map(|(_, weight)| weight).sum();
        if total == 0 {
            // The weights of all free squares are zero, so each of them is equally likely.
            return if weights.is_empty() { None } else { Some(weights[chance.below(weights.len())].0) };
        }
        let mut point = chance.below(total as usize) as u32;
        weights.into_iter().find_map(|(square, weight)| {
            let is_hit = point < weight;
            point = point.wrapping_sub(weight);
            is_hit.then_some(square)
        })
    }

    /// Returns the weight of a square for a movable rank, given the pieces placed so far.
    fn weight(&self, rank: Rank, square: Square, flag: Square) -> u32 {
        let near = |others: &[Rank], reach: u8| {
            self.pieces.iter().any(|(at, other)| others.contains(other) && at.distance(square) <= reach)
        };
        let factor = match rank {
            Rank::Spy if near(&self.strongest_two(), 2) => 6,
            Rank::Spy if near(&self.strongest_two(), 3) => 2,
            // The two strongest pieces start in different halves of the board.
            Rank::General
                if !self.pieces.iter().any(|(at, other)| {
                    *other == Rank::Marshal && self.is_left(*at) == self.is_left(square)
                }) =>
            {
                3
            }
            // A fairly strong piece stays near the Flag.
            Rank::Major | Rank::Captain | Rank::Lieutenant if square.distance(flag) <= 2 => 2,
            _ => 1,
        };
        let cover = match self.ruleset.fill {
            Fill::AnyHomeSquares if square.distance(flag) == 1 => 10,
            Fill::AnyHomeSquares | Fill::EveryHomeSquare => 1,
        };
        self.liked(rank, square) * factor * cover
    }

    fn strongest_two(&self) -> [Rank; 2] {
        let mut owned = Rank::ALL
            .into_iter()
            .rev()
            .filter(|rank| *rank != Rank::Phoenix && self.ruleset.army.count(*rank) > 0);
        let strongest = owned.next().unwrap_or(Rank::Marshal);
        [strongest, owned.next().unwrap_or(strongest)]
    }

    /// Returns the weight that [`liking`] and its variants give a rank in the row of a square.
    /// Their four rows are scaled to the number of home rows.
    fn liked(&self, rank: Rank, square: Square) -> u32 {
        let likings = match self.ruleset.fill {
            Fill::EveryHomeSquare if self.ruleset.shape.has_joints() => liking_of_joints(rank),
            Fill::EveryHomeSquare => liking(rank),
            Fill::AnyHomeSquares => liking_of_space(rank),
        };
        let last = u32::from(self.ruleset.shape.home_rows.max(2)) - 1;
        let place = u32::from(self.depth(square)) * 3;
        let (low, rest) = ((place / last) as usize, place % last);
        let high = (low + 1).min(3);
        likings[low] * (last - rest) + likings[high] * rest
    }

    /// Returns the number of home rows in front of a square. If a joint in the column lets the
    /// enemy come from behind, also counts the home rows behind the square and returns the
    /// smaller number. The result is 0 in a row that the enemy reaches first.
    fn depth(&self, square: Square) -> u8 {
        let shape = &self.ruleset.shape;
        let last = shape.home_rows - 1;
        let ahead = match self.side {
            Side::Red => last.saturating_sub(square.row()),
            Side::Blue => square.row().saturating_sub(shape.rows - shape.home_rows),
        };
        let is_joined = shape.joined_columns & (1 << square.column()) != 0;
        if is_joined { ahead.min(last.saturating_sub(ahead)) } else { ahead }
    }

    fn is_left(&self, square: Square) -> bool {
        square.column() < self.ruleset.shape.columns / 2
    }

    /// Returns the home squares next to a square.
    fn neighbors(&self, square: Square) -> SquareSet {
        beside(&self.ruleset.shape, square).filter(|next| self.home.contains(*next)).collect()
    }

    /// True if the enemy can move next to a square. This is possible in the front row, and for
    /// squares to which a joint leads (§S2.6).
    fn is_exposed(&self, square: Square) -> bool {
        beside(&self.ruleset.shape, square).any(|next| self.is_abroad(next))
    }

    fn is_abroad(&self, square: Square) -> bool {
        !self.home.contains(square) && !self.lakes.contains(square)
    }

    /// True if the square ahead is outside the home rows and not a lake.
    fn is_way_out(&self, square: Square) -> bool {
        let next = self.ruleset.shape.neighbor(square, ahead(self.side));
        next.is_some_and(|next| self.is_abroad(next))
    }

    fn is_sound(&self) -> bool {
        match self.ruleset.fill {
            Fill::EveryHomeSquare => self.is_mobile(),
            Fill::AnyHomeSquares => self.is_mobile() && self.is_sheltered(),
        }
    }

    /// True if a piece in the front row can move, and no movable piece is permanently enclosed by
    /// Bombs, lakes and the Flag.
    fn is_mobile(&self) -> bool {
        let fixed: SquareSet =
            self.pieces.iter().filter(|(_, rank)| !rank.is_movable()).map(|(square, _)| *square).collect();
        let ways_out: SquareSet = self.home.iter().filter(|square| self.is_way_out(*square)).collect();
        let mut reached = ways_out.without(fixed);
        if reached.len() * 2 < ways_out.len() {
            return false;
        }
        loop {
            let wider =
                reached.iter().fold(reached, |all, square| all | self.neighbors(square)).without(fixed);
            if wider == reached {
                break;
            }
            reached = wider;
        }
        self.pieces.iter().all(|(square, rank)| !rank.is_movable() || reached.contains(*square))
    }

    /// True if other pieces protect the Flag and the Spy from Scouts, which would beat both. This
    /// matters in rulesets in which home squares may stay empty (§B1).
    fn is_sheltered(&self) -> bool {
        self.pieces.iter().filter(|(_, rank)| matches!(rank, Rank::Flag | Rank::Spy)).all(|(square, _)| {
            let mut at = *square;
            while let Some(next) = at.neighbor(ahead(self.side)) {
                if !self.ruleset.shape.contains(next) {
                    return false;
                }
                if self.lakes.contains(next) || self.pieces.iter().any(|(taken, _)| *taken == next) {
                    return true;
                }
                at = next;
            }
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use flagfall_rules::Entropy;

    use super::*;
    use crate::good::GoodMind;

    fn text(ruleset: &Ruleset, side: Side, seed: u64) -> String {
        let setup = sensible_setup(ruleset, ruleset.shape.lakes, side, &mut Chance::new(seed));
        setup.deploy(side, ruleset).expect("a deployment").into_text()
    }

    fn each(mut check: impl FnMut(&Ruleset, Side, &str)) {
        for ruleset in Ruleset::all() {
            for side in Side::BOTH {
                (1..=200).for_each(|seed| check(ruleset, side, &text(ruleset, side, seed)));
            }
        }
    }

    #[test]
    fn sensible_setups_are_legal_in_every_ruleset_and_varied() {
        for ruleset in Ruleset::all() {
            let all: BTreeSet<String> = (1..=200).map(|seed| text(ruleset, Side::Blue, seed)).collect();
            assert!(all.len() > 190, "{}: {}", ruleset.id, all.len());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_deployment() {
        for ruleset in Ruleset::all() {
            assert_eq!(text(ruleset, Side::Red, 9), text(ruleset, Side::Red, 9), "{}", ruleset.id);
        }
    }

    #[test]
    fn the_flag_stands_at_the_back_and_mostly_in_the_last_row() {
        let (mut back, mut all) = (0, 0);
        each(|ruleset, _, text| {
            if ruleset.shape.has_joints() {
                return;
            }
            let columns = usize::from(ruleset.shape.columns);
            let flag = text.find('F').expect("a Flag");
            // The Flag must be in the two back rows. In rulesets in which home squares stay empty,
            // it may also be in the third row from the back.
            let rows = if ruleset.fill == Fill::EveryHomeSquare { 2 } else { 3 };
            assert!(flag >= text.len() - rows * columns, "{}: {text}", ruleset.id);
            back += usize::from(flag >= text.len() - columns);
            all += 1;
        });
        assert!(back * 10 > all * 8, "{back} of {all}");
    }

    #[test]
    fn on_joined_boards_the_flag_stands_away_from_entry_squares() {
        for ruleset in Ruleset::all().iter().filter(|ruleset| ruleset.shape.has_joints()) {
            let mut flags = BTreeSet::new();
            for seed in 1..=200 {
                let text = text(ruleset, Side::Red, seed);
                let flag = ruleset.shape.home_square(Side::Red, text.find('F').expect("a Flag"));
                let flag = flag.expect("a home square");
                let next = Direction::ALL.iter().filter_map(|way| ruleset.shape.neighbor(flag, *way));
                let home = ruleset.shape.home(Side::Red);
                assert!(next.into_iter().all(|next| home.contains(next)), "{}: {flag}", ruleset.id);
                flags.insert(flag);
            }
            // The Flag can be on 6 squares of the back row and on many squares of the next rows.
            // In 200 deployments, it must be on more than 25 different squares.
            assert!(flags.len() > 25, "{}: {flags:?}", ruleset.id);
        }
    }

    #[test]
    fn there_are_closed_half_open_and_open_flags() {
        let classic = Ruleset::find("classic").expect("a ruleset");
        let mut seen = BTreeSet::new();
        for seed in 1..=200 {
            let text = text(classic, Side::Red, seed);
            let flag = text.find('F').expect("a Flag");
            let letters = text.as_bytes();
            let (row, column) = (flag / 10, flag % 10);
            let around = [
                (row > 0).then(|| flag - 10),
                (row < 3).then_some(flag + 10),
                (column > 0).then(|| flag - 1),
                (column < 9).then_some(flag + 1),
            ];
            let around: Vec<usize> = around.into_iter().flatten().collect();
            let bombs = around.iter().filter(|place| letters[**place] == b'B').count();
            seen.insert((bombs == around.len(), bombs == 0));
        }
        assert_eq!(seen.len(), 3, "closed, open, and between");
    }

    #[test]
    fn a_spared_flag_has_no_open_column_before_it() {
        let barrage = Ruleset::find("barrage").expect("a ruleset");
        for seed in 1..=200 {
            let text = text(barrage, Side::Red, seed);
            let flag = text.find('F').expect("a Flag");
            let is_covered = (0..flag / 10).any(|row| text.as_bytes()[row * 10 + flag % 10] != b'.');
            assert!(is_covered || [2, 3, 6, 7].contains(&(flag % 10)), "{text}");
        }
    }

    #[test]
    fn the_front_can_move_wherever_chance_puts_the_lakes() {
        let classic = Ruleset::find("classic").expect("a ruleset");
        for column in 0..9 {
            let lakes: SquareSet = [(column, 4), (column + 1, 4), (column, 5), (column + 1, 5)]
                .into_iter()
                .filter_map(|(column, row)| Square::new(column, row))
                .collect();
            for side in Side::BOTH {
                for seed in 1..20 {
                    let setup = sensible_setup(classic, lakes, side, &mut Chance::new(seed));
                    let text = setup.deploy(side, classic).expect("a deployment").into_text();
                    let movers = (0..10).filter(|place| {
                        let square = classic.shape.home_square(side, *place).expect("a home square");
                        let ahead = square.neighbor(ahead(side)).expect("a square ahead");
                        !lakes.contains(ahead) && !matches!(text.as_bytes()[*place], b'B' | b'F')
                    });
                    assert!(movers.count() >= 4, "lakes from column {column}, {side}: {text}");
                }
            }
        }
    }

    #[test]
    fn closed_setups_are_deployments_with_the_flag_closed_in_where_bombs_suffice() {
        for ruleset in Ruleset::all().iter().filter(|ruleset| GoodMind::plays(ruleset)) {
            for side in Side::BOTH {
                let mut chance = Chance::new(7);
                for draft in 0..20 {
                    let lakes = ruleset.draw_lakes(&Entropy(chance.bytes()));
                    let place = format!("{} {side:?} draft {draft}", ruleset.id);
                    let setup = closed_setup(ruleset, lakes, side, &mut chance);
                    let deployed = setup.deploy(side, ruleset).unwrap_or_else(|e| panic!("{place}: {e}"));
                    let text = deployed.into_text();
                    let piece = |(place, letter)| {
                        ruleset.shape.home_square(side, place).zip(Rank::from_letter(letter))
                    };
                    let pieces: Vec<(Square, Rank)> = text.chars().enumerate().filter_map(piece).collect();
                    let suffice = ruleset.army.count(Rank::Bomb) > CLOSING_MIN;
                    assert!(!suffice || is_closed(ruleset, side, &pieces), "{place}: {text}");
                }
            }
        }
    }

    #[test]
    fn a_flag_is_closed_in_when_no_side_of_it_is_open() {
        let ruleset = Ruleset::find("classic").expect("a ruleset");
        let at = |text: &str| text.parse::<Square>().expect("a square");
        let closed = [(at("a1"), Rank::Flag), (at("a2"), Rank::Bomb), (at("b1"), Rank::Bomb)];
        assert!(is_closed(ruleset, Side::Red, &closed));
        assert!(!is_closed(ruleset, Side::Red, &closed[..2]));
    }
}
