//! Plies as a table remembers them, to tell them again to whoever comes back: eight bytes each, for it does so in every running game, three times.

use flagfall_board::{Rank, Side};
use flagfall_protocol::{Fate, Move, SeenMove, SeenStrike};
use flagfall_rules::Identity;

/// An event that an audience can be told again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// A ply like nearly all.
    Ply(Brief),
    /// Another event, which is kept as it is.
    Apart,
}

/// A ply as an audience saw it, if nothing of it takes more room: a piece that can be one of several ranks does, and so do chips.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Brief {
    side: Side,
    squares: Move,
    piece: Plain,
    strike: Option<BriefStrike>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct BriefStrike {
    attacker: Plain,
    attacker_fate: Fate,
    defender: Plain,
    defender_fate: Fate,
}

/// What is known of a piece, if that is little or all.
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

impl BriefStrike {
    fn new(seen: SeenStrike) -> Option<BriefStrike> {
        let SeenStrike { attacker, attacker_fate, defender, defender_fate } = seen;
        let (attacker, defender) = (Plain::new(attacker)?, Plain::new(defender)?);
        Some(BriefStrike { attacker, attacker_fate, defender, defender_fate })
    }

    fn seen(self) -> SeenStrike {
        let BriefStrike { attacker, attacker_fate, defender, defender_fate } = self;
        SeenStrike { attacker: attacker.seen(), attacker_fate, defender: defender.seen(), defender_fate }
    }
}

impl Brief {
    /// None when it does not fit.
    pub(super) fn new(seen: &SeenMove) -> Option<Brief> {
        let SeenMove { side, squares, piece, strike, laid } = *seen;
        let strike = match strike {
            Some(strike) => Some(BriefStrike::new(strike)?),
            None => None,
        };
        let piece = Plain::new(piece)?;
        laid.is_none().then_some(Brief { side, squares, piece, strike })
    }

    /// The ply as it was.
    pub(super) fn seen(self) -> SeenMove {
        let Brief { side, squares, piece, strike } = self;
        SeenMove { side, squares, piece: piece.seen(), strike: strike.map(BriefStrike::seen), laid: None }
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
    fn a_brief_ply_is_the_ply_that_was_seen() {
        assert_eq!(size_of::<Told>(), 8);
        let identities = [Identity::Known(Rank::Scout), Identity::Hidden, Identity::Coin];
        for (piece, defender) in identities.into_iter().flat_map(|one| identities.map(|other| (one, other))) {
            let strike = SeenStrike {
                attacker: piece,
                attacker_fate: Fate::Leaves,
                defender,
                defender_fate: Fate::Advances,
            };
            for seen in [ply(piece, None), ply(piece, Some(strike))] {
                assert_eq!(Brief::new(&seen).map(Brief::seen), Some(seen));
            }
        }
    }

    #[test]
    fn what_is_not_brief_is_not_cut() {
        let one_of = Identity::OneOf([Rank::Scout, Rank::Miner].into_iter().collect());
        assert!(Brief::new(&ply(one_of, None)).is_none());
        let laid = Some("a7a8=g".parse().unwrap());
        assert!(Brief::new(&SeenMove { laid, ..ply(Identity::Hidden, None) }).is_none());
    }
}
