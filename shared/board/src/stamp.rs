/// A moment: milliseconds since 1970-01-01 UTC, as stamped by the store. Time is always an argument here, never asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Stamp(pub u64);

impl Stamp {
    /// Milliseconds from an earlier moment to this one; zero when the other is later.
    #[must_use]
    pub const fn ms_since(self, earlier: Stamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment so many milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Stamp {
        Stamp(self.0.saturating_add(ms))
    }

    /// The moment so many milliseconds earlier.
    #[must_use]
    pub const fn minus_ms(self, ms: u64) -> Stamp {
        Stamp(self.0.saturating_sub(ms))
    }
}
