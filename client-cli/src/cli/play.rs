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
    /// A deployment to submit at once.
    #[arg(long, value_name = "SETUP")]
    pub setup: Option<String>,
}

/// What to be paired for.
#[derive(Clone, Debug, Args)]
pub struct SeekArgs {
    /// The ruleset.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
    /// The clock.
    #[arg(long, value_parser = parse_time)]
    pub time: Option<Time>,
    /// The game changes both ratings.
    #[arg(long)]
    pub rated: bool,
    /// The deployment and the full record stay private.
    #[arg(long)]
    pub secret: bool,
    /// A deployment to submit at once.
    #[arg(long, value_name = "SETUP")]
    pub setup: Option<String>,
}

/// What to play, and how to find it.
#[derive(Clone, Debug, Args)]
pub struct WishArgs {
    /// The ruleset, with or without changes.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
    /// The clock.
    #[arg(long, value_parser = parse_time)]
    pub time: Option<Time>,
    /// The player's side.
    #[arg(long, value_parser = parse_side, value_name = "red|blue")]
    pub side: Option<Side>,
    /// Only the two players see the game.
    #[arg(long)]
    pub private: bool,
    /// The deployment and the full record stay private.
    #[arg(long)]
    pub secret: bool,
    /// The game changes both ratings.
    #[arg(long, conflicts_with_all = ["bot", "accept", "game"])]
    pub rated: bool,
    /// The ratings of opponents.
    #[arg(
        long, value_name = "RANGE", value_parser = parse_range, allow_hyphen_values = true,
        conflicts_with_all = ["bot", "challenge", "accept", "game"]
    )]
    pub rating: Option<RatingWish>,
    /// The level of the house player to play against.
    #[arg(
        long, value_name = "LEVEL", value_parser = parse_level, num_args = 0..=1, group = "how",
        default_missing_value = Level::default().name()
    )]
    pub bot: Option<String>,
    /// Make a game for a friend.
    #[arg(long, group = "how")]
    pub challenge: bool,
    /// Accept a friend's challenge.
    #[arg(long, value_name = "CODE|LINK", group = "how", conflicts_with_all = ["rules", "time", "side", "private"])]
    pub accept: Option<String>,
    /// Return to a game.
    #[arg(long, value_name = "ID", group = "how", conflicts_with_all = ["rules", "time", "side", "private", "secret"])]
    pub game: Option<GameId>,
}
