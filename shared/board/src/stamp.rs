/// A time from the store's clock, in milliseconds since 1970-01-01 UTC.
///
/// This crate never reads a clock. Its functions take the time as an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(transparent), schemars(inline))]
pub struct Stamp(pub u64);

impl Stamp {
    /// The time as text, such as `2026-03-01 17:05 UTC`.
    pub fn utc(self) -> String {
        let minutes = self.0 / 60_000;
        // Count from 0000-03-01, so that a leap day is the last day of its year.
        let days = minutes / 1440 + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60 % 24, minutes % 60)
    }

    /// The number of milliseconds from an earlier time to this one. Zero if the other time is
    /// later.
    pub const fn ms_since(self, earlier: Stamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This time plus `ms` milliseconds. The result saturates.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Stamp {
        Stamp(self.0.saturating_add(ms))
    }

    /// This time minus `ms` milliseconds. The result saturates.
    #[must_use]
    pub const fn minus_ms(self, ms: u64) -> Stamp {
        Stamp(self.0.saturating_sub(ms))
    }
}
