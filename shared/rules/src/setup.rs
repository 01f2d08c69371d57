//! Setups, which are not checked, and deployments, which are checked.

use std::fmt;

use flagfall_board::{Rank, Side, Square, SquareSet};

use crate::coded::coded;
use crate::ruleset::{Fill, Ruleset};

/// A placement of pieces that a player requests. It has not been checked.
///
/// `Debug` shows only the number of pieces.
#[derive(Clone, PartialEq, Eq)]
pub struct Setup {
    pieces: Vec<(Square, Rank)>,
}

coded! {
    /// Why a setup is not a valid deployment (§A4). Only the player who sent the setup may see
    /// it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
    #[error("{}", self.code())]
    #[expect(missing_docs, reason = "the names of the fields say what they hold")]
    pub enum SetupRefusal {
        /// The text has fewer characters than there are home squares (§P4).
        TooShort { have: usize, want: usize } = "setup_too_short",
        /// The text has more characters than there are home squares.
        TooLong { have: usize, want: usize } = "setup_too_long",
        /// A character is not the letter of a piece (§P4).
        UnknownLetter { letter: char } = "setup_unknown_letter",
        /// A piece stands outside the home rows.
        Outside { square: Square } = "setup_outside_home",
        /// Two pieces stand on one square.
        Double { square: Square } = "setup_double_square",
        /// A home square is empty, in a ruleset in which the army must fill the home rows.
        Empty { square: Square } = "setup_empty_square",
        /// The number of pieces of a rank differs from the number in the army.
        WrongCount { rank: Rank, have: usize, want: usize } = "setup_wrong_count",
        /// There are more pieces of a rank than the army has, in a ruleset with a reserve
        /// (§S1.4).
        TooMany { rank: Rank, have: usize, most: usize } = "setup_too_many",
    }
}

impl Setup {
    /// Creates a setup from a list of pieces. Their order and number are not checked.
    pub fn new(pieces: Vec<(Square, Rank)>) -> Setup {
        Setup { pieces }
    }

    /// Parses the text of a setup (§P4).
    ///
    /// The text has one character for each home square, beginning with the row nearest the enemy.
    /// Within a row, the characters go from left to right as the player sees it. Whitespace is
    /// ignored.
    ///
    /// # Errors
    /// [`SetupRefusal::TooShort`], [`SetupRefusal::TooLong`] and [`SetupRefusal::UnknownLetter`].
    /// The numbers of pieces are checked later, by [`Setup::deploy`].
    pub fn from_text(text: &str, side: Side, ruleset: &Ruleset) -> Result<Setup, SetupRefusal> {
        let want = ruleset.shape.home_len();
        let letters = || text.chars().filter(|letter| !letter.is_whitespace());
        let mut pieces = Vec::with_capacity(want);
        for (place, letter) in letters().take(want).enumerate() {
            if let Some(square) = ruleset.shape.home_square(side, place)
                && letter != '.'
            {
                let rank = Rank::from_letter(letter).ok_or(SetupRefusal::UnknownLetter { letter })?;
                pieces.push((square, rank));
            }
        }
        match letters().count() {
            have if have < want => Err(SetupRefusal::TooShort { have, want }),
            have if have > want => Err(SetupRefusal::TooLong { have, want }),
            _ => Ok(Setup { pieces }),
        }
    }

    /// Checks the setup against the ruleset (§A4, §B1).
    ///
    /// # Errors
    /// The first error that is found. Squares are checked before the numbers of pieces.
    pub fn deploy(&self, side: Side, ruleset: &Ruleset) -> Result<Deployment, SetupRefusal> {
        let taken = self.taken(side, ruleset)?;
        let mut counts = [0_usize; Rank::COUNT];
        self.pieces.iter().for_each(|(_, rank)| counts[*rank as usize] += 1);
        for rank in Rank::ALL {
            let (have, want) = (counts[rank as usize], usize::from(ruleset.army.count(rank)));
            if ruleset.reserve && have > want {
                return Err(SetupRefusal::TooMany { rank, have, most: want });
            }
            if have != want && !is_optional(ruleset, rank) {
                return Err(SetupRefusal::WrongCount { rank, have, want });
            }
        }
        let free = ruleset.shape.home(side).without(taken);
        if let (Fill::EveryHomeSquare, Some(square)) = (ruleset.fill, free.first()) {
            return Err(SetupRefusal::Empty { square });
        }
        Ok(self.arrange(side, ruleset))
    }

    /// Converts the setup to a deployment without checking the army, for rulesets in which an
    /// illegal deployment loses (§U7). Returns `None` if a piece stands outside the home rows or
    /// two pieces share a square. The text of a deployment (§P4) cannot represent such a setup.
    pub(crate) fn hand_in(&self, side: Side, ruleset: &Ruleset) -> Option<Deployment> {
        self.taken(side, ruleset).is_ok().then(|| self.arrange(side, ruleset))
    }

    /// Returns the squares of the pieces, or an error if a square is outside the home rows or
    /// used twice.
    fn taken(&self, side: Side, ruleset: &Ruleset) -> Result<SquareSet, SetupRefusal> {
        let home = ruleset.shape.home(side);
        let mut taken = SquareSet::EMPTY;
        for (square, _) in &self.pieces {
            if !home.contains(*square) {
                return Err(SetupRefusal::Outside { square: *square });
            }
            if taken.contains(*square) {
                return Err(SetupRefusal::Double { square: *square });
            }
            taken.insert(*square);
        }
        Ok(taken)
    }

    fn arrange(&self, side: Side, ruleset: &Ruleset) -> Deployment {
        let ranks = (0..ruleset.shape.home_len())
            .map(|place| {
                let square = ruleset.shape.home_square(side, place)?;
                self.pieces.iter().find(|(taken, _)| *taken == square).map(|(_, rank)| *rank)
            })
            .collect();
        Deployment { ranks }
    }
}

/// True if pieces of this rank may start in the reserve. This applies to all ranks except the
/// Flag (§S1.4).
fn is_optional(ruleset: &Ruleset, rank: Rank) -> bool {
    ruleset.reserve && rank != Rank::Flag
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Setup({} pieces)", self.pieces.len())
    }
}

/// An accepted deployment: a rank or an empty square for each place in the deployment's text
/// (§P4).
///
/// The deployment is legal, except in rulesets in which an illegal deployment is accepted but
/// loses (§U7). It contains hidden ranks, and `Debug` does not show them.
#[derive(Clone, PartialEq, Eq)]
pub struct Deployment {
    ranks: Box<[Option<Rank>]>,
}

impl Deployment {
    /// The rank of the piece on the home square at this place. `None` if the square is empty.
    pub(crate) fn rank(&self, place: usize) -> Option<Rank> {
        self.ranks.get(place).copied().flatten()
    }

    /// Returns the deployment's text (§P4) without spaces. Commitments are hashes of this text,
    /// and the log stores it.
    pub(crate) fn text(&self) -> String {
        self.ranks.iter().map(|rank| rank.map_or('.', Rank::letter)).collect()
    }

    /// Returns the deployment's text (§P4) without spaces, for the player who submitted it.
    ///
    /// This function reveals nothing, because its caller already passed the ranks to
    /// [`Setup::deploy`].
    pub fn into_text(self) -> String {
        self.text()
    }

    /// True if the deployment is legal in the ruleset. It can be false only in rulesets in which
    /// an illegal deployment is accepted but loses (§U7).
    pub(crate) fn is_legal(&self, ruleset: &Ruleset) -> bool {
        let is_full = self.ranks.len() == ruleset.shape.home_len() && self.ranks.iter().all(Option::is_some);
        let has_army = Rank::ALL.into_iter().all(|rank| {
            let count = self.ranks.iter().filter(|placed| **placed == Some(rank)).count();
            let most = usize::from(ruleset.army.count(rank));
            count == most || count < most && is_optional(ruleset, rank)
        });
        has_army && (is_full || ruleset.fill == Fill::AnyHomeSquares)
    }

    /// Parses the result of [`Deployment::text`]. The army is not checked, because the log is
    /// trusted.
    pub(crate) fn from_recorded_text(text: &str) -> Option<Deployment> {
        let ranks: Option<Box<[_]>> = text
            .chars()
            .map(|letter| if letter == '.' { Some(None) } else { Rank::from_letter(letter).map(Some) })
            .collect();
        ranks.map(|ranks| Deployment { ranks })
    }
}

impl fmt::Debug for Deployment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deployment(hidden)")
    }
}
