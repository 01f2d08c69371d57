//! Arguments of the commands that play.

use clap::Args;
use flagfall_board::{GameId, Side};
use flagfall_bots::Level;
use flagfall_protocol::{RatingWish, Time};

use super::read::{parse_level, parse_ruleset, parse_side, parse_time};
use crate::range::parse_range;

/// How to play.
#[derive(Clone, Debug, Args)]
pub struct PlayArgs {
    /// What to play.
    #[command(flatten)]
    pub wish: WishArgs,
    /// A deployment to hand in at once: random, suggested, a saved one's name, a file, or its text.
    #[arg(long, value_name = "SETUP")]
    pub setup: Option<String>,
}

/// What to be paired for.
#[derive(Clone, Debug, Args)]
pub struct SeekArgs {
    /// The ruleset; classic without it.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
    /// The clock: minutes and seconds per move (10+5), seconds (90s+2), or none; 10+5 without it.
    #[arg(long, value_parser = parse_time)]
    pub time: Option<Time>,
    /// The game changes both ratings: between accounts, or between bots, with a clock and by a
    /// ruleset as it is.
    #[arg(long)]
    pub rated: bool,
    /// Your deployment and the full record stay private after the end.
    #[arg(long)]
    pub secret: bool,
    /// A deployment to hand in at once: random, suggested, a saved one's name, a file, or its text.
    #[arg(long, value_name = "SETUP")]
    pub setup: Option<String>,
}

/// What to play, and how to find it.
#[derive(Clone, Debug, Args)]
pub struct WishArgs {
    /// The ruleset: see flagfall rules. Offers are made for classic without it. Changes of single
    /// rules stand after it: classic,ties=attacker,quiet=off.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
    /// The clock: minutes and seconds per move (10+5), seconds (90s+2), minutes and free seconds of
    /// each turn (10d5), days per move (3days), or none. Offers are made for 10+5 without it.
    #[arg(long, value_parser = parse_time)]
    pub time: Option<Time>,
    /// Your side; chance decides without it.
    #[arg(long, value_parser = parse_side, value_name = "red|blue")]
    pub side: Option<Side>,
    /// Only the two players see the game.
    #[arg(long)]
    pub private: bool,
    /// Your deployment and the full record stay private after the end.
    #[arg(long)]
    pub secret: bool,
    /// The game changes both ratings: between accounts, or between bots, with a clock and by a
    /// ruleset as it is.
    #[arg(long, conflicts_with_all = ["bot", "accept", "game"])]
    pub rated: bool,
    /// Only against players of these ratings: 1400-1600, 1400- (or more), -1600 (or less), or
    /// around your own: +-200, -100+300. It stands in the lobby with your offer. What counts is the
    /// rating for such games; a guest has none. Without it, against anybody.
    #[arg(
        long, value_name = "RANGE", value_parser = parse_range, allow_hyphen_values = true,
        conflicts_with_all = ["bot", "challenge", "accept", "game"]
    )]
    pub rating: Option<RatingWish>,
    /// The level of the house player to play against.
    #[arg(
        long, value_name = "LEVEL", value_parser = parse_level, num_args = 0..=1, group = "how",
        default_missing_value = Level::default().name(), help = bot_help()
    )]
    pub bot: Option<String>,
    /// Make a game for a friend and print the code to type.
    #[arg(long, group = "how")]
    pub challenge: bool,
    /// Accept a friend's challenge.
    #[arg(long, value_name = "CODE|LINK", group = "how", conflicts_with_all = ["rules", "time", "side", "private"])]
    pub accept: Option<String>,
    /// Go on with a game in which you have a seat.
    #[arg(long, value_name = "ID", group = "how", conflicts_with_all = ["rules", "time", "side", "private", "secret"])]
    pub game: Option<GameId>,
}

fn bot_help() -> String {
    let levels = Level::ALL.map(Level::name).join(", ");
    format!(
        "Against a house player of this level ({levels}); without one the level is {}",
        Level::default().name()
    )
}
