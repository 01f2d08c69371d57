//! The rules by which chips let pieces move farther (§S3): supply lines and flashes. This module
//! also computes what a move proves about a piece's rank.

use flagfall_board::{BoardShape, Chips, Direction, Rank, RankSet, Square, SquareSet};
use flagfall_view::{Laid, Move};

use crate::ruleset::Ruleset;

/// The ranks that can flash, each with its maximum distance (§S3.2).
pub(crate) const FLASHERS: [(Rank, u8); 3] = [(Rank::General, 2), (Rank::Colonel, 3), (Rank::Major, 4)];

impl Ruleset {
    /// Returns the ranks that can flash over chips, each with its maximum distance (§S3.2). Empty
    /// for rulesets without flashes.
    pub fn flashes(&self) -> &'static [(Rank, u8)] {
        if self.shadowflash { &FLASHERS } else { &[] }
    }
}

/// The maximum distance of a flash for this rank. `None` if the rank cannot flash.
fn flash_range(rank: Rank) -> Option<u8> {
    FLASHERS.into_iter().find(|(flasher, _)| *flasher == rank).map(|(_, range)| range)
}

/// The index of a rank in [`FLASHERS`].
pub(crate) fn flasher(rank: Rank) -> Option<usize> {
    FLASHERS.into_iter().position(|(flasher, _)| flasher == rank)
}

/// The chips of a board, and the other facts that determine how far chips let one side's pieces
/// move.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) chips: &'a Chips,
    pub(crate) has_supply_lines: bool,
    /// The squares of the side's pieces that can flash, for each rank in [`FLASHERS`]. `None` in
    /// rulesets without flashes.
    pub(crate) flashers: Option<&'a [SquareSet; 3]>,
}

impl<'a> Lines<'a> {
    /// Creates the value for a side with these flashing pieces. `None` if the ruleset has neither
    /// supply lines nor flashes.
    pub(crate) fn of(chips: &'a Chips, flashers: &'a [SquareSet; 3], ruleset: &Ruleset) -> Option<Lines<'a>> {
        (ruleset.supply_lines || ruleset.shadowflash).then(|| Lines {
            chips,
            has_supply_lines: ruleset.supply_lines,
            flashers: ruleset.shadowflash.then_some(flashers),
        })
    }

    /// The empty squares that pieces can reach along supply lines: lines of chips that have the
    /// color of the chip under the piece (§S3.1).
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

    /// The squares that pieces can reach by a flash (§S3.2). The result includes squares that a
    /// supply line also reaches.
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

    /// True if a piece can move along this path only by a flash. False if a supply line is
    /// enough, and `None` if chips do not allow the move. The path includes the target.
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

/// The public facts about a move without a strike.
pub(crate) struct Witnessed<'a> {
    pub(crate) ruleset: &'static Ruleset,
    /// The squares that had neither a piece nor a lake before the move.
    pub(crate) empty: SquareSet,
    /// The chips before the move.
    pub(crate) chips: &'a Chips,
    pub(crate) squares: Move,
    /// The chips that the move changed.
    pub(crate) laid: Option<Laid>,
}

impl Witnessed<'_> {
    /// The ranks that could have made the move, on any path, with these changes to the chips
    /// (§S3.4). If every movable rank could have made it, the move proves nothing, and the result
    /// is all ranks.
    pub(crate) fn proves(&self) -> RankSet {
        let ranks = Direction::ALL
            .into_iter()
            .filter_map(|direction| self.way(direction))
            .fold(RankSet::EMPTY, |all, way| all.union(self.proves_by(way)));
        if ranks == self.movable() { RankSet::ALL } else { ranks }
    }

    /// The squares of the path in a direction, including the target. `None` if a piece or a lake
    /// is in the way.
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

    /// True if the changed chips fit an ordinary move, which changes at most the chip of the
    /// target square.
    fn fits_landing(&self) -> bool {
        let to = self.squares.to;
        self.laid.map_or(self.chips.color(to).is_some(), |laid| laid.squares() == SquareSet::only(to))
    }

    /// True if the changed chips fit a flash over this path.
    fn fits_flash(&self, way: SquareSet) -> bool {
        let (Some(laid), chips) = (&self.laid, self.chips) else { return false };
        self.ruleset.shadowflash
            && way.len() > 1
            && chips.color(self.squares.from) == Some(laid.color())
            && way.without(chips.all()).is_empty()
            && way.without(chips.of(laid.color())) == laid.squares()
    }
}
