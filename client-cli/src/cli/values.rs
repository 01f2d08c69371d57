//! Values of options that are one of a few names.

use clap::ValueEnum;

use crate::text;

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
