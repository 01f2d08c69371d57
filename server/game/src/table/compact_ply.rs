//! Plies in eight bytes. They have to be small, because each running game in memory has a table,
//! and each table keeps recent events for three audiences.

use flagfall_board::{Rank, Side};
use flagfall_protocol::{Fate, Move, SeenMove, SeenStrike};
use flagfall_rules::Identity;

/// A ply as an audience saw it. This form has no room for chips, or for a piece that is known to
/// have one of several ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CompactPly {
    side: Side,
    squares: Move,
    piece: Plain,
    strike: Option<CompactStrike>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct CompactStrike {
    attacker: Plain,
    attacker_fate: Fate,
    defender: Plain,
    defender_fate: Fate,
}

/// An audience's knowledge of a piece. `Coin` means that the audience knows only that the piece
/// is a coin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Known(Rank),
    Hidden,
    Coin,
}

impl Plain {
    fn new(identity: Identity) -> Option<Plain> {
        match identity {
            Identity::Known(rank) => Some(Plain::Known(rank)),
            Identity::Hidden => Some(Plain::Hidden),
            Identity::Coin => Some(Plain::Coin),
            Identity::OneOf(_) => None,
        }
    }

    fn seen(self) -> Identity {
        match self {
            Plain::Known(rank) => Identity::Known(rank),
            Plain::Hidden => Identity::Hidden,
            Plain::Coin => Identity::Coin,
        }
    }
}

impl CompactStrike {
    fn new(seen: SeenStrike) -> Option<CompactStrike> {
        let SeenStrike { attacker, attacker_fate, defender, defender_fate } = seen;
        let (attacker, defender) = (Plain::new(attacker)?, Plain::new(defender)?);
        Some(CompactStrike { attacker, attacker_fate, defender, defender_fate })
    }

    fn seen(self) -> SeenStrike {
        let CompactStrike { attacker, attacker_fate, defender, defender_fate } = self;
        SeenStrike { attacker: attacker.seen(), attacker_fate, defender: defender.seen(), defender_fate }
    }
}

impl CompactPly {
    /// Returns the compact form of a ply. `None` if the ply does not fit.
    pub(super) fn new(seen: &SeenMove) -> Option<CompactPly> {
        let SeenMove { side, squares, piece, strike, laid } = *seen;
        let strike = match strike {
            Some(strike) => Some(CompactStrike::new(strike)?),
            None => None,
        };
        let piece = Plain::new(piece)?;
        laid.is_none().then_some(CompactPly { side, squares, piece, strike })
    }

    pub(super) fn seen(self) -> SeenMove {
        let CompactPly { side, squares, piece, strike } = self;
        SeenMove { side, squares, piece: piece.seen(), strike: strike.map(CompactStrike::seen), laid: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(piece: Identity, strike: Option<SeenStrike>) -> SeenMove {
        let squares = "a4a5".parse().unwrap();
        SeenMove { side: Side::Blue, squares, piece, strike, laid: None }
    }

    #[test]
    fn a_compact_ply_is_the_ply_that_was_seen() {
        assert_eq!(size_of::<Option<CompactPly>>(), 8);
        let identities = [Identity::Known(Rank::Scout), Identity::Hidden, Identity::Coin];
        for (piece, defender) in identities.into_iter().flat_map(|one| identities.map(|other| (one, other))) {
            let strike = SeenStrike {
                attacker: piece,
                attacker_fate: Fate::Leaves,
                defender,
                defender_fate: Fate::Advances,
            };
            for seen in [ply(piece, None), ply(piece, Some(strike))] {
                assert_eq!(CompactPly::new(&seen).map(CompactPly::seen), Some(seen));
            }
        }
    }

    #[test]
    fn a_ply_that_does_not_fit_is_kept_whole() {
        let one_of = Identity::OneOf([Rank::Scout, Rank::Miner].into_iter().collect());
        assert!(CompactPly::new(&ply(one_of, None)).is_none());
        let laid = Some("a7a8=g".parse().unwrap());
        assert!(CompactPly::new(&SeenMove { laid, ..ply(Identity::Hidden, None) }).is_none());
    }
}
