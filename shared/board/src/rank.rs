use std::fmt;

crate::named! {
    /// The rank of a piece.
    ///
    /// The code never uses a number for a rank, because there are two numberings ([`Numbering`]).
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
    #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
    #[repr(u8)]
    pub enum Rank, name {
        /// The piece to protect: a side loses the game when its Flag is captured. A Flag never
        /// moves.
        Flag = "flag",
        /// A rank that never moves. A Bomb beats every attacker except the Miner.
        Bomb = "bomb",
        /// A rank that beats the highest rank, but only as the attacker.
        Spy = "spy",
        /// A rank that moves any distance in a straight line.
        Scout = "scout",
        /// A rank that captures Bombs.
        Miner = "miner",
        /// Number 7 in the US numbering and 4 in the EU numbering.
        Sergeant = "sergeant",
        /// Number 6 in the US numbering and 5 in the EU numbering.
        Lieutenant = "lieutenant",
        /// Number 5 in the US numbering and 6 in the EU numbering.
        Captain = "captain",
        /// Number 4 in the US numbering and 7 in the EU numbering.
        Major = "major",
        /// Number 3 in the US numbering and 8 in the EU numbering.
        Colonel = "colonel",
        /// Number 2 in the US numbering and 9 in the EU numbering.
        General = "general",
        /// Number 1 in the US numbering and 10 in the EU numbering.
        Marshal = "marshal",
        /// A rank whose strikes label enemy pieces instead of capturing them.
        Phoenix = "phoenix",
    }
}

/// One of the two numberings in which ranks are shown to people. The default is the US numbering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Numbering {
    /// The US numbering: from 1 for the Marshal to 9 for the Scout, and S for the Spy.
    #[default]
    Us,
    /// The EU numbering: from 10 for the Marshal to 2 for the Scout, and S for the Spy.
    Eu,
}

impl Rank {
    /// The number of ranks.
    pub const COUNT: usize = Rank::ALL.len();

    /// True if pieces of this rank can move (RULES §A5).
    pub const fn is_movable(self) -> bool {
        !matches!(self, Rank::Flag | Rank::Bomb)
    }

    /// True if pieces of this rank can move any distance (RULES §C2, §S2.2).
    pub const fn is_runner(self) -> bool {
        matches!(self, Rank::Scout | Rank::Phoenix)
    }

    /// The strength of the rank, from 1 for the Spy to 10 for the Marshal. It is 0 for the Flag,
    /// the Bomb and the Phoenix.
    pub const fn strength(self) -> u8 {
        match self {
            Rank::Flag | Rank::Bomb | Rank::Phoenix => 0,
            rank => rank as u8 - Rank::Bomb as u8,
        }
    }

    /// The rank's letter or digit in deployment and position texts (RULES §P4). It never depends
    /// on the numbering: digits are always US numbers.
    pub const fn letter(self) -> char {
        b"FBS987654321P"[self as usize] as char
    }

    /// The rank that this letter or digit stands for (RULES §P4). Letters may be in upper or lower
    /// case.
    pub fn from_letter(letter: char) -> Option<Rank> {
        let letter = letter.to_ascii_uppercase();
        Rank::ALL.into_iter().find(|rank| rank.letter() == letter)
    }

    /// The rank's symbol for people: at most two characters, such as `10` for the EU Marshal.
    pub const fn figure(self, numbering: Numbering) -> &'static str {
        const US: [&str; Rank::COUNT] = ["F", "B", "S", "9", "8", "7", "6", "5", "4", "3", "2", "1", "P"];
        const EU: [&str; Rank::COUNT] = ["F", "B", "S", "2", "3", "4", "5", "6", "7", "8", "9", "10", "P"];
        match numbering {
            Numbering::Us => US[self as usize],
            Numbering::Eu => EU[self as usize],
        }
    }
}

impl fmt::Display for Rank {
    /// Writes the rank's name with a capital letter, for use in sentences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = self.name().split_at(1);
        f.pad(&(first.to_ascii_uppercase() + rest))
    }
}

/// A set of ranks, such as those that a piece may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RankSet(u16);

impl RankSet {
    /// No rank.
    pub const EMPTY: RankSet = RankSet(0);
    /// Every rank.
    pub const ALL: RankSet = RankSet((1 << Rank::COUNT) - 1);

    /// The ranks whose pieces can move.
    pub const MOVABLE: RankSet =
        RankSet::ALL.without(RankSet::only(Rank::Flag)).without(RankSet::only(Rank::Bomb));

    /// The set that contains only this rank.
    pub const fn only(rank: Rank) -> RankSet {
        RankSet(1 << rank as u16)
    }

    /// True if the rank is in the set.
    pub const fn contains(self, rank: Rank) -> bool {
        self.0 & (1 << rank as u16) != 0
    }

    /// The ranks that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: RankSet) -> RankSet {
        RankSet(self.0 & other.0)
    }

    /// The ranks that are in at least one of the two sets.
    #[must_use]
    pub const fn union(self, other: RankSet) -> RankSet {
        RankSet(self.0 | other.0)
    }

    /// The ranks that are in this set but not in the other set.
    #[must_use]
    pub const fn without(self, other: RankSet) -> RankSet {
        RankSet(self.0 & !other.0)
    }

    /// The set as a bit mask. The lowest bit represents the Flag.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Creates the set from a bit mask. Returns `None` if a bit does not represent a rank.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<RankSet> {
        if bits & !RankSet::ALL.0 == 0 { Some(RankSet(bits)) } else { None }
    }

    /// The only rank in the set. `None` if the set is empty or has several ranks.
    pub fn single(self) -> Option<Rank> {
        if self.0.is_power_of_two() { Some(Rank::ALL[self.0.trailing_zeros() as usize]) } else { None }
    }

    /// The number of ranks in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The ranks of the set, beginning with the Flag.
    pub fn iter(self) -> impl Iterator<Item = Rank> {
        Rank::ALL.into_iter().filter(move |rank| self.contains(*rank))
    }
}

impl FromIterator<Rank> for RankSet {
    fn from_iter<I: IntoIterator<Item = Rank>>(ranks: I) -> Self {
        ranks.into_iter().fold(RankSet::EMPTY, |set, rank| set.union(RankSet::only(rank)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_back_in_either_case() {
        for rank in Rank::ALL {
            assert_eq!(Rank::from_letter(rank.letter()), Some(rank));
            assert_eq!(Rank::from_letter(rank.letter().to_ascii_lowercase()), Some(rank));
        }
        assert_eq!(Rank::from_letter('x'), None);
    }

    #[test]
    fn both_numberings_tell_all_ranks_apart() {
        for numbering in [Numbering::Us, Numbering::Eu] {
            let mut figures: Vec<_> = Rank::ALL.iter().map(|rank| rank.figure(numbering)).collect();
            figures.sort_unstable();
            figures.dedup();
            assert_eq!(figures.len(), Rank::COUNT);
        }
    }

    #[test]
    fn the_marshal_is_1_in_us_and_10_in_eu_figures() {
        assert_eq!(Rank::Marshal.figure(Numbering::Us), "1");
        assert_eq!(Rank::Marshal.figure(Numbering::Eu), "10");
        assert_eq!(Rank::Scout.figure(Numbering::Us), "9");
        assert_eq!(Rank::Scout.figure(Numbering::Eu), "2");
    }

    #[test]
    fn rank_sets_know_their_single_rank() {
        assert_eq!(RankSet::only(Rank::Spy).single(), Some(Rank::Spy));
        assert_eq!(RankSet::ALL.single(), None);
        assert_eq!(RankSet::EMPTY.single(), None);
        assert_eq!(RankSet::ALL.iter().count(), Rank::COUNT);
    }
}
