//! The user's goal: to play, to watch, or to list games.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{LobbyFilter, RatingWish, Seek, Speed, Terms, Time};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    Play(Wish),
    /// Watch this game, or one from the list.
    Watch(Option<GameId>),
    Games,
    /// Continue with the next game in which it is the player's turn.
    Next,
    /// A prompt for the commands of play by mail.
    Mail,
}

/// The game that the user wants. A field that is `None` allows any value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    pub how: How,
    pub ruleset: Option<String>,
    pub time: Option<Time>,
    pub side: Option<Side>,
    /// Only the two players may see the game.
    pub private: bool,
    /// The player's deployment and the full record stay private after the game.
    pub secret: bool,
    /// The game is rated: it changes both ratings.
    pub rated: bool,
    pub rating: Option<RatingWish>,
    pub setup: Option<SetupChoice>,
}

impl Wish {
    /// Returns the terms to offer. The default is classic with 10+5.
    pub fn terms(&self) -> Terms {
        Terms {
            ruleset: self.ruleset.clone().unwrap_or_else(|| "classic".to_owned()),
            time: self.time.unwrap_or(Time::Fischer { base_s: 600, increment_s: 5 }),
            private: self.private,
            secret: self.secret,
            rated: self.rated,
        }
    }

    /// Returns a lobby filter that lets through the player's own offer and all offers that may
    /// meet this wish.
    pub fn filter(&self) -> LobbyFilter {
        LobbyFilter {
            ruleset: self.ruleset.as_ref().and_then(|ruleset| ruleset.split(',').next()).map(str::to_owned),
            speed: self.time.and_then(Speed::of),
            rated: Some(self.rated),
        }
    }

    pub fn is_met_by(&self, seek: &Seek) -> bool {
        self.ruleset.as_ref().is_none_or(|ruleset| *ruleset == seek.terms.ruleset)
            && self.time.is_none_or(|time| time == seek.terms.time)
            && self.side.is_none_or(|side| seek.side == Some(side.opponent()))
            && (!self.private || seek.terms.private)
            && self.rated == seek.terms.rated
    }
}

/// The way to find a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum How {
    /// Accept a matching offer, or create one.
    #[default]
    Any,
    Pool,
    /// Play against a house player of this level.
    Bot(String),
    /// Create an offer that anyone with its code can accept.
    Challenge,
    Accept(String),
    Game(GameId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupChoice {
    Random,
    Suggested,
    /// A deployment in the format of §P4, or the name of a saved one.
    Text(String),
}
