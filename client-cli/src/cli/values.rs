//! Enumerations for the values of options.

use clap::ValueEnum;

use crate::text;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Numbers {
    /// From 1 for the Marshal to 9 for the Scout.
    #[value(help = text!("value-numbers-us"))]
    Us,
    /// From 10 for the Marshal to 2 for the Scout.
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
pub enum ListingName {
    #[value(help = text!("value-listing-name"))]
    Name,
    #[value(help = text!("value-listing-pseudonym"))]
    Pseudonym,
    #[value(help = text!("value-listing-none"))]
    None,
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
