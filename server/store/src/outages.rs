//! The record of outages. A game that is not in memory reads the record when the game is next
//! opened.

use std::ops::Deref;

use flagfall_board::Stamp;
use serde::{Deserialize, Serialize};

/// The key of the record of outages. The record is a JSON list of pairs of stamps, oldest first.
/// A game that is not in memory reads this record when the game is opened.
pub const OUTAGES_KEY: &str = "outages";
/// The maximum number of outages kept in the record.
pub const OUTAGES_MAX: usize = 1_024;

/// A period in which no server could write to the store, although servers were running.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outage {
    /// The last time at which a server was alive before the outage.
    pub since: Stamp,
    /// The first time at which a server was alive after the outage.
    pub until: Stamp,
}

/// An outage as stored in the record. Earlier versions stored only its beginning.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Span(Stamp, Stamp),
    Beginning(Stamp),
}

/// The latest outages, oldest first, at most [`OUTAGES_MAX`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutageList(Vec<Outage>);

impl OutageList {
    /// Parses the record. Returns an empty list if the record is missing or cannot be read.
    #[must_use]
    pub fn parse(record: Option<&[u8]>) -> OutageList {
        let kept: Vec<Kept> =
            record.and_then(|record| serde_json::from_slice(record).ok()).unwrap_or_default();
        let outage = |kept: Kept| match kept {
            Kept::Span(since, until) => Outage { since, until },
            Kept::Beginning(since) => Outage { since, until: since },
        };
        OutageList(kept.into_iter().map(outage).collect())
    }

    /// Adds the latest outage. Removes known outages that began at the same time or later,
    /// because the new outage continues them.
    pub fn add(&mut self, outage: Outage) {
        self.0.retain(|known| known.since < outage.since);
        self.0.push(outage);
        let surplus = self.0.len().saturating_sub(OUTAGES_MAX);
        self.0.drain(..surplus);
    }

    #[must_use]
    pub fn to_record(&self) -> Vec<u8> {
        let kept: Vec<Kept> = self.0.iter().map(|outage| Kept::Span(outage.since, outage.until)).collect();
        serde_json::to_vec(&kept).unwrap_or_default()
    }
}

impl Deref for OutageList {
    type Target = [Outage];

    fn deref(&self) -> &[Outage] {
        &self.0
    }
}

impl FromIterator<Outage> for OutageList {
    fn from_iter<I: IntoIterator<Item = Outage>>(outages: I) -> OutageList {
        OutageList(outages.into_iter().collect())
    }
}
