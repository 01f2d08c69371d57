//! The formats for the exchange of games with other programs.

use crate::read::SIZE_MAX;

flagfall_board::named! {
    /// A format for games.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Format, name {
        /// Our records.
        Json = "json",
        /// Flagfall's own text format, which people can read.
        Text = "text",
        /// StraDoS2, the XML format of Gravon's game archive.
        Strados = "strados",
        /// Deployments and moves as players type them for a play-by-mail server.
        Pbm = "pbm",
    }
}

/// Maximum size of text in any format except JSON, in bytes.
const TEXT_MAX: usize = 4 * 1024 * 1024;

impl Format {
    /// Returns the maximum size of text in this format, in bytes.
    pub const fn bytes_max(self) -> usize {
        match self {
            Format::Json => SIZE_MAX,
            Format::Text | Format::Strados | Format::Pbm => TEXT_MAX,
        }
    }
}
