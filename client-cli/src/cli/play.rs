//! Arguments of the commands that start or find games.

use clap::Args;
use flagfall_board::{GameId, Side};
use flagfall_bots::Level;
use flagfall_protocol::{RatingWish, Time};

use super::read::{parse_level, parse_ruleset, parse_side, parse_time};
use crate::range::parse_range;

#[derive(Clone, Debug, Args)]
pub struct PlayArgs {
    #[command(flatten)]
    pub wish: WishArgs,
    #[arg(long, value_name = "SETUP")]
    pub setup: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct SeekArgs {
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
    #[arg(long, value_parser = parse_time)]
    pub time: Option<Time>,
    #[arg(long)]
    pub rated: bool,
    #[arg(long)]
    pub secret: bool,
    #[arg(long, value_name = "SETUP")]
    pub setup: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct WishArgs {
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
    #[arg(long, value_parser = parse_time)]
    pub time: Option<Time>,
    #[arg(long, value_parser = parse_side, value_name = "red|blue")]
    pub side: Option<Side>,
    #[arg(long)]
    pub private: bool,
    #[arg(long)]
    pub secret: bool,
    #[arg(long, conflicts_with_all = ["bot", "accept", "game"])]
    pub rated: bool,
    #[arg(
        long, value_name = "RANGE", value_parser = parse_range, allow_hyphen_values = true,
        conflicts_with_all = ["bot", "challenge", "accept", "game"]
    )]
    pub rating: Option<RatingWish>,
    #[arg(
        long, value_name = "LEVEL", value_parser = parse_level, num_args = 0..=1, group = "how",
        default_missing_value = Level::default().name()
    )]
    pub bot: Option<String>,
    #[arg(long, group = "how")]
    pub challenge: bool,
    #[arg(long, value_name = "CODE|LINK", group = "how", conflicts_with_all = ["rules", "time", "side", "private"])]
    pub accept: Option<String>,
    #[arg(long, value_name = "ID", group = "how", conflicts_with_all = ["rules", "time", "side", "private", "secret"])]
    pub game: Option<GameId>,
}
