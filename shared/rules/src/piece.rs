//! A piece with all its secrets, and the compact form in which a position stores it.

use std::num::NonZeroU16;

use flagfall_board::{Rank, Side};

/// A piece with its rank, which may be hidden from other players.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) side: Side,
    /// The rank. `None` for a coin, whose rank is not decided yet (§Q1).
    pub(crate) rank: Option<Rank>,
    pub(crate) is_moved: bool,
    /// True if the piece's rank is public (§A7).
    pub(crate) is_revealed: bool,
    /// A number that distinguishes pieces within a position (§T3). It never leaves the engine,
    /// because it reveals where the piece was deployed. Pieces from a reserve all have the number
    /// 0.
    pub(crate) id: u8,
}

/// A piece packed into two bytes. Positions must be small, because a server keeps one in memory
/// for every running game.
///
/// From the lowest bit up, the bits are: one bit that is always set, eight bits for the id, four
/// bits for the rank, one bit for the side, one that is set if the piece has moved, and one that
/// is set if it is revealed. The rank of a coin is a number above those of all ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept(NonZeroU16);

impl Kept {
    const RANK: u32 = 9;
    const SIDE: u32 = 13;
    const MOVED: u32 = 14;
    const REVEALED: u32 = 15;
    const RANK_MASK: u16 = 0b1111;

    #[inline]
    pub(crate) fn new(piece: Piece) -> Kept {
        let Piece { side, rank, is_moved, is_revealed, id } = piece;
        let rank = rank.map_or(Rank::COUNT as u16, |rank| rank as u16);
        let bits = u16::from(id) << 1
            | rank << Kept::RANK
            | u16::from(side == Side::Blue) << Kept::SIDE
            | u16::from(is_moved) << Kept::MOVED
            | u16::from(is_revealed) << Kept::REVEALED;
        Kept(NonZeroU16::MIN | bits)
    }

    #[inline]
    pub(crate) fn piece(self) -> Piece {
        let bits = self.0.get();
        let is_set = |bit: u32| bits >> bit & 1 == 1;
        Piece {
            side: if is_set(Kept::SIDE) { Side::Blue } else { Side::Red },
            rank: Rank::ALL.get(usize::from(bits >> Kept::RANK & Kept::RANK_MASK)).copied(),
            is_moved: is_set(Kept::MOVED),
            is_revealed: is_set(Kept::REVEALED),
            id: (bits >> 1 & 0xff) as u8,
        }
    }
}

// The four bits for the rank must have room for all ranks and the number of a coin.
const _: () = assert!(Rank::COUNT <= Kept::RANK_MASK as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_kept_as_it_is() {
        assert_eq!(size_of::<Option<Kept>>(), 2);
        let ranks = Rank::ALL.into_iter().map(Some).chain([None]);
        for (rank, side) in ranks.flat_map(|rank| Side::BOTH.map(|side| (rank, side))) {
            for (is_moved, is_revealed) in [(false, false), (false, true), (true, false), (true, true)] {
                for id in [0, 1, 79, u8::MAX] {
                    let piece = Piece { side, rank, is_moved, is_revealed, id };
                    assert!(Kept::new(piece).piece() == piece);
                }
            }
        }
    }
}
