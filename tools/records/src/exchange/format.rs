//! The formats that games are exchanged in.

use crate::read::SIZE_MAX;

flagfall_board::named! {
    /// A format for games.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Format, name {
        /// Our records.
        Json = "json",
        /// Our text for people.
        Text = "text",
        /// The XML of Gravon's archive of games, StraDoS2.
        Strados = "strados",
        /// Deployments and moves as typed to a play-by-mail server.
        Pbm = "pbm",
    }
}

/// The most bytes of a text, except JSON: see [`Format::bytes_max`].
const TEXT_MAX: usize = 4 * 1024 * 1024;

impl Format {
    /// The most bytes of a text in this format.
    pub const fn bytes_max(self) -> usize {
        match self {
            Format::Json => SIZE_MAX,
            Format::Text | Format::Strados | Format::Pbm => TEXT_MAX,
        }
    }
}
