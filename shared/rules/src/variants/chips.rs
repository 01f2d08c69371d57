//! How chips carry pieces (§S3): supply lines and flashes, and what a move proves by the chips it
//! changed.

use flagfall_board::{BoardShape, Chips, Direction, Rank, RankSet, Square, SquareSet};
use flagfall_view::{Laid, Move};

use crate::ruleset::Ruleset;

/// The ranks that flash, and how far at most (§S3.2).
pub(crate) const FLASHERS: [(Rank, u8); 3] = [(Rank::General, 2), (Rank::Colonel, 3), (Rank::Major, 4)];

impl Ruleset {
    /// The ranks that flash over chips, and how far at most (§S3.2). None without flashes.
    pub fn flashes(&self) -> &'static [(Rank, u8)] {
        if self.shadowflash { &FLASHERS } else { &[] }
    }
}

/// How far pieces of this rank flash; none if they do not.
fn flash_range(rank: Rank) -> Option<u8> {
    FLASHERS.into_iter().find(|(flasher, _)| *flasher == rank).map(|(_, range)| range)
}

/// The index of a rank among [`FLASHERS`].
pub(crate) fn flasher(rank: Rank) -> Option<usize> {
    FLASHERS.into_iter().position(|(flasher, _)| flasher == rank)
}

/// The lines that chips make for one side.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) chips: &'a Chips,
    pub(crate) has_supply_lines: bool,
    /// Own pieces of the ranks of [`FLASHERS`]; none in rulesets without flashes.
    pub(crate) flashers: Option<&'a [SquareSet; 3]>,
}

impl<'a> Lines<'a> {
    /// The lines for a side with these flashing pieces; none if the ruleset has no lines.
    pub(crate) fn of(chips: &'a Chips, flashers: &'a [SquareSet; 3], ruleset: &Ruleset) -> Option<Lines<'a>> {
        (ruleset.supply_lines || ruleset.shadowflash).then(|| Lines {
            chips,
            has_supply_lines: ruleset.supply_lines,
            flashers: ruleset.shadowflash.then_some(flashers),
        })
    }

    /// The empty squares that pieces reach along lines of their own square's color (§S3.1).
    pub(crate) fn supplied(
        &self,
        shape: &BoardShape,
        walkers: SquareSet,
        empty: SquareSet,
        direction: Direction,
    ) -> SquareSet {
        if !self.has_supply_lines {
            return SquareSet::EMPTY;
        }
        flagfall_board::ChipColor::ALL.into_iter().fold(SquareSet::EMPTY, |all, color| {
            let line = self.chips.of(color);
            all | shape.fill(walkers & line, empty & line, direction) & empty
        })
    }

    /// The squares that a flash reaches, including those a supply line reaches (§S3.2).
    pub(crate) fn flashed(&self, shape: &BoardShape, empty: SquareSet, direction: Direction) -> SquareSet {
        let Some(flashers) = self.flashers else { return SquareSet::EMPTY };
        let colored = self.chips.all();
        let through = empty & colored;
        let mut reached = SquareSet::EMPTY;
        for (flashers, (_, range)) in flashers.iter().zip(FLASHERS) {
            let mut front = shape.shift(*flashers & colored, direction) & through;
            for _ in 1..range {
                front = shape.shift(front, direction) & through;
                reached |= front;
            }
        }
        reached
    }

    /// Whether it takes a flash to get over these squares, the last one included; none if chips
    /// do not carry the piece.
    pub(crate) fn carries(&self, from: Square, way: SquareSet, rank: Rank) -> Option<bool> {
        let color = self.chips.color(from)?;
        if self.has_supply_lines && way.without(self.chips.of(color)).is_empty() {
            return Some(false);
        }
        let is_in_range = flash_range(rank).is_some_and(|range| way.len() <= u32::from(range));
        let is_colored = way.without(self.chips.all()).is_empty();
        (self.flashers.is_some() && is_in_range && is_colored).then_some(true)
    }
}

/// What is public about a move without a strike.
pub(crate) struct Witnessed<'a> {
    pub(crate) ruleset: &'static Ruleset,
    /// Squares that held neither piece nor lake before the move.
    pub(crate) empty: SquareSet,
    /// The chips before the move.
    pub(crate) chips: &'a Chips,
    pub(crate) squares: Move,
    /// The chips that changed.
    pub(crate) laid: Option<Laid>,
}

impl Witnessed<'_> {
    /// The ranks for which some rule allows the move, on some path, with those chips (§S3.4). All
    /// ranks if every movable one could have made it, since everybody sees that the piece moves.
    pub(crate) fn proves(&self) -> RankSet {
        let ranks = Direction::ALL
            .into_iter()
            .filter_map(|direction| self.way(direction))
            .fold(RankSet::EMPTY, |all, way| all.union(self.proves_by(way)));
        if ranks == self.movable() { RankSet::ALL } else { ranks }
    }

    /// The squares of the path in a direction, the last one included; none if it is blocked.
    fn way(&self, direction: Direction) -> Option<SquareSet> {
        let mut way = SquareSet::EMPTY;
        let mut square = self.squares.from;
        while square != self.squares.to {
            square =
                self.ruleset.shape.neighbor(square, direction).filter(|next| self.empty.contains(*next))?;
            way.insert(square);
        }
        Some(way)
    }

    fn movable(&self) -> RankSet {
        self.ruleset.army.iter().map(|(rank, _)| rank).filter(|rank| rank.is_movable()).collect()
    }

    fn proves_by(&self, way: SquareSet) -> RankSet {
        let mut ranks = RankSet::EMPTY;
        if self.fits_landing() {
            let is_step = way.len() == 1;
            let is_line = is_step || self.is_supply_line(way);
            let lands = self.movable().iter().filter(|rank| is_line || rank.is_runner()).collect();
            ranks = ranks.union(lands);
        }
        if self.fits_flash(way) {
            let flash = self
                .movable()
                .iter()
                .filter(|rank| flash_range(*rank).is_some_and(|range| way.len() <= u32::from(range)))
                .collect();
            ranks = ranks.union(flash);
        }
        ranks
    }

    fn is_supply_line(&self, way: SquareSet) -> bool {
        let color = self.chips.color(self.squares.from);
        self.ruleset.supply_lines && color.is_some_and(|color| way.without(self.chips.of(color)).is_empty())
    }

    /// Whether a landing explains the chips: nothing changed, except perhaps on the last square.
    fn fits_landing(&self) -> bool {
        let to = self.squares.to;
        self.laid.map_or(self.chips.color(to).is_some(), |laid| laid.squares() == SquareSet::only(to))
    }

    /// Whether a flash over this path explains the chips.
    fn fits_flash(&self, way: SquareSet) -> bool {
        let (Some(laid), chips) = (&self.laid, self.chips) else { return false };
        self.ruleset.shadowflash
            && way.len() > 1
            && chips.color(self.squares.from) == Some(laid.color())
            && way.without(chips.all()).is_empty()
            && way.without(chips.of(laid.color())) == laid.squares()
    }
}
