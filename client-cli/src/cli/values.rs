//! Values of options that are one of a few names.

use clap::ValueEnum;

use crate::alerts::Alert;
use crate::text;

/// A way to call the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AlertName {
    #[value(help = text!("value-alerts-bell"))]
    Bell,
    #[value(help = text!("value-alerts-title"))]
    Title,
    #[value(help = text!("value-alerts-desktop"))]
    Desktop,
    /// Not at all.
    #[value(help = text!("value-alerts-none"))]
    None,
}

impl AlertName {
    /// The alert; `None` for none.
    pub fn alert(self) -> Option<Alert> {
        match self {
            AlertName::Bell => Some(Alert::Bell),
            AlertName::Title => Some(Alert::Title),
            AlertName::Desktop => Some(Alert::Desktop),
            AlertName::None => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Numbers {
    /// 1 Marshal to 9 Scout.
    #[value(help = text!("value-numbers-us"))]
    Us,
    /// 10 Marshal to 2 Scout.
    #[value(help = text!("value-numbers-eu"))]
    Eu,
}

/// What a token may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ScopeName {
    /// Everything.
    #[value(help = text!("value-scope-play"))]
    Play,
    /// Playing as a bot account.
    #[value(help = text!("value-scope-bot"))]
    Bot,
}

/// The format of an umpire's results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ResultsFormat {
    #[value(help = text!("value-format-text"))]
    Text,
    /// For a page.
    #[value(help = text!("value-format-markdown"))]
    Markdown,
    /// For a spreadsheet.
    #[value(help = text!("value-format-csv"))]
    Csv,
}
