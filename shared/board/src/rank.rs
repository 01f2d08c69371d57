use std::fmt;

/// The rank of a piece.
///
/// Never a number in code, because two numberings are in use ([`Numbering`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[repr(u8)]
pub enum Rank {
    /// Wins the game for the side that captures it. It never moves.
    Flag,
    /// Never moves. It beats every attacker except the Miner.
    Bomb,
    /// Beats the highest rank when it strikes.
    Spy,
    /// Moves any distance in a line.
    Scout,
    /// Captures Bombs.
    Miner,
    /// US 7, EU 4.
    Sergeant,
    /// US 6, EU 5.
    Lieutenant,
    /// US 5, EU 6.
    Captain,
    /// US 4, EU 7.
    Major,
    /// US 3, EU 8.
    Colonel,
    /// US 2, EU 9.
    General,
    /// US 1, EU 10.
    Marshal,
    /// Its strikes label pieces instead of capturing them.
    Phoenix,
}

/// The figures shown to people on the pieces. US is the default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Numbering {
    /// 1 Marshal … 9 Scout, S Spy.
    #[default]
    Us,
    /// 10 Marshal … 2 Scout, S Spy.
    Eu,
}

impl Rank {
    /// How many ranks there are.
    pub const COUNT: usize = 13;

    /// Every rank, Flag first, Phoenix last.
    pub const ALL: [Rank; Rank::COUNT] = [
        Rank::Flag,
        Rank::Bomb,
        Rank::Spy,
        Rank::Scout,
        Rank::Miner,
        Rank::Sergeant,
        Rank::Lieutenant,
        Rank::Captain,
        Rank::Major,
        Rank::Colonel,
        Rank::General,
        Rank::Marshal,
        Rank::Phoenix,
    ];

    /// True if pieces of this rank ever move (RULES §A5).
    #[must_use]
    pub const fn is_movable(self) -> bool {
        !matches!(self, Rank::Flag | Rank::Bomb)
    }

    /// True if pieces of this rank move any distance (RULES §C2, §S2.2).
    #[must_use]
    pub const fn is_runner(self) -> bool {
        matches!(self, Rank::Scout | Rank::Phoenix)
    }

    /// The rank's letter in deployment and position texts (RULES §P4), always in US figures.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Rank::Flag => 'F',
            Rank::Bomb => 'B',
            Rank::Spy => 'S',
            Rank::Scout => '9',
            Rank::Miner => '8',
            Rank::Sergeant => '7',
            Rank::Lieutenant => '6',
            Rank::Captain => '5',
            Rank::Major => '4',
            Rank::Colonel => '3',
            Rank::General => '2',
            Rank::Marshal => '1',
            Rank::Phoenix => 'P',
        }
    }

    /// The rank with this letter of §P4, in upper or lower case.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Rank> {
        let letter = letter.to_ascii_uppercase();
        Rank::ALL.into_iter().find(|rank| rank.letter() == letter)
    }

    /// The figure shown to people: at most two characters (`10` is the EU Marshal).
    #[must_use]
    pub const fn figure(self, numbering: Numbering) -> &'static str {
        match (self, numbering) {
            (Rank::Flag, _) => "F",
            (Rank::Bomb, _) => "B",
            (Rank::Spy, _) => "S",
            (Rank::Phoenix, _) => "P",
            (Rank::Scout, Numbering::Us) | (Rank::General, Numbering::Eu) => "9",
            (Rank::Miner, Numbering::Us) | (Rank::Colonel, Numbering::Eu) => "8",
            (Rank::Sergeant, Numbering::Us) | (Rank::Major, Numbering::Eu) => "7",
            (Rank::Lieutenant, Numbering::Us) | (Rank::Captain, Numbering::Eu) => "6",
            (Rank::Captain, Numbering::Us) | (Rank::Lieutenant, Numbering::Eu) => "5",
            (Rank::Major, Numbering::Us) | (Rank::Sergeant, Numbering::Eu) => "4",
            (Rank::Colonel, Numbering::Us) | (Rank::Miner, Numbering::Eu) => "3",
            (Rank::General, Numbering::Us) | (Rank::Scout, Numbering::Eu) => "2",
            (Rank::Marshal, Numbering::Us) => "1",
            (Rank::Marshal, Numbering::Eu) => "10",
        }
    }

    /// The rank's lower-case name, as messages spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rank::Flag => "flag",
            Rank::Bomb => "bomb",
            Rank::Spy => "spy",
            Rank::Scout => "scout",
            Rank::Miner => "miner",
            Rank::Sergeant => "sergeant",
            Rank::Lieutenant => "lieutenant",
            Rank::Captain => "captain",
            Rank::Major => "major",
            Rank::Colonel => "colonel",
            Rank::General => "general",
            Rank::Marshal => "marshal",
            Rank::Phoenix => "phoenix",
        }
    }
}

impl fmt::Display for Rank {
    /// The rank's name with a capital, for sentences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rank::Flag => "Flag",
            Rank::Bomb => "Bomb",
            Rank::Spy => "Spy",
            Rank::Scout => "Scout",
            Rank::Miner => "Miner",
            Rank::Sergeant => "Sergeant",
            Rank::Lieutenant => "Lieutenant",
            Rank::Captain => "Captain",
            Rank::Major => "Major",
            Rank::Colonel => "Colonel",
            Rank::General => "General",
            Rank::Marshal => "Marshal",
            Rank::Phoenix => "Phoenix",
        })
    }
}

/// A set of ranks: what a piece may still be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RankSet(u16);

impl RankSet {
    /// No rank.
    pub const EMPTY: RankSet = RankSet(0);
    /// Every rank.
    pub const ALL: RankSet = RankSet((1 << Rank::COUNT) - 1);

    /// The set of one rank.
    #[must_use]
    pub const fn only(rank: Rank) -> RankSet {
        RankSet(1 << rank as u16)
    }

    /// Whether the rank is in the set.
    #[must_use]
    pub const fn contains(self, rank: Rank) -> bool {
        self.0 & (1 << rank as u16) != 0
    }

    /// The ranks in both sets.
    #[must_use]
    pub const fn intersection(self, other: RankSet) -> RankSet {
        RankSet(self.0 & other.0)
    }

    /// The ranks in either set.
    #[must_use]
    pub const fn union(self, other: RankSet) -> RankSet {
        RankSet(self.0 | other.0)
    }

    /// The ranks of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: RankSet) -> RankSet {
        RankSet(self.0 & !other.0)
    }

    /// The set as bits, the Flag's lowest.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits, if each stands for a rank.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<RankSet> {
        if bits & !RankSet::ALL.0 == 0 { Some(RankSet(bits)) } else { None }
    }

    /// The rank, if the set has exactly one.
    #[must_use]
    pub fn single(self) -> Option<Rank> {
        if self.0.is_power_of_two() { Some(Rank::ALL[self.0.trailing_zeros() as usize]) } else { None }
    }

    /// How many ranks the set has.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no rank.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The ranks of the set, Flag first.
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
