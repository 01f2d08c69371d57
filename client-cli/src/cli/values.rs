//! Enumerations for the values of options.

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

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ScopeName {
    #[value(help = text!("value-scope-play"))]
    Play,
    #[value(help = text!("value-scope-bot"))]
    Bot,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ResultsFormat {
    #[value(help = text!("value-format-text"))]
    Text,
    #[value(help = text!("value-format-markdown"))]
    Markdown,
    #[value(help = text!("value-format-csv"))]
    Csv,
}
