//! The formats that games are exchanged in.

use crate::read::SIZE_MAX;

/// A format for games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Our records.
    Json,
    /// Our text for people.
    Text,
    /// The XML of Gravon's archive of games, StraDoS2.
    Strados,
    /// Deployments and moves as typed to a play-by-mail server.
    Pbm,
}

/// The most bytes of a text, except JSON: see [`Format::bytes_max`].
const TEXT_MAX: usize = 4 * 1024 * 1024;

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Json, Format::Text, Format::Strados, Format::Pbm];

    /// The most bytes of a text in this format.
    pub const fn bytes_max(self) -> usize {
        match self {
            Format::Json => SIZE_MAX,
            Format::Text | Format::Strados | Format::Pbm => TEXT_MAX,
        }
    }

    /// The format's name.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Text => "text",
            Format::Strados => "strados",
            Format::Pbm => "pbm",
        }
    }
}
