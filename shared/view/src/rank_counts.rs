use std::ops::{Index, IndexMut};

use flagfall_board::Rank;

/// The number of pieces of each rank.
///
/// Messages and records leave out ranks without pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "ByRank", inline))]
pub struct RankCounts(
    /// The counts, indexed by rank, beginning with the Flag.
    pub [u8; Rank::COUNT],
);

impl RankCounts {
    /// True if all counts are zero.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    /// The total number of pieces.
    pub fn total(&self) -> u16 {
        self.0.iter().map(|count| u16::from(*count)).sum()
    }

    /// The ranks that have pieces, with their counts, beginning with the Flag.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Rank, u8)> + '_ {
        Rank::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

impl Index<Rank> for RankCounts {
    type Output = u8;

    fn index(&self, rank: Rank) -> &u8 {
        &self.0[rank as usize]
    }
}

impl IndexMut<Rank> for RankCounts {
    fn index_mut(&mut self, rank: Rank) -> &mut u8 {
        &mut self.0[rank as usize]
    }
}

impl FromIterator<(Rank, u8)> for RankCounts {
    fn from_iter<I: IntoIterator<Item = (Rank, u8)>>(counts: I) -> RankCounts {
        let mut all = RankCounts::default();
        counts.into_iter().for_each(|(rank, count)| all[rank] = count);
        all
    }
}

#[cfg(feature = "serde")]
type ByRank = std::collections::BTreeMap<Rank, u8>;

#[cfg(feature = "serde")]
impl serde::Serialize for RankCounts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for RankCounts {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RankCounts, D::Error> {
        let counts = ByRank::deserialize(deserializer)?;
        Ok(counts.into_iter().collect())
    }
}
