//! Refusals of the lobby.

use flagfall_board::GameId;
use flagfall_bots::Level;
use flagfall_protocol::{Code, PlayerKind, RatingRange, Terms, Time};
use flagfall_rules::{NoSuchRuleset, Ruleset};
use flagfall_store::StoreError;
use thiserror::Error;

use crate::players::PlayerError;
use crate::ratings::{Unrated, why_unrated};
use flagfall_base::admission::TooMany;
use flagfall_base::random::ChanceError;
use flagfall_game::{CreateError, TableError};

/// Why the lobby refused a command.
///
/// Usually nothing has changed. After [`LobbyRefusal::Store`] and [`LobbyRefusal::Stopping`] the
/// command may have been kept: sending it again has one outcome. A refusal to create the game
/// ([`LobbyRefusal::ServerFull`], [`LobbyRefusal::TooManyGames`]) may come after the offer was
/// taken; repeating the command tries to create the same game again.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LobbyRefusal {
    /// No such ruleset.
    #[error(transparent)]
    NoSuchRuleset(NoSuchRuleset),
    /// The time control is out of bounds.
    #[error(
        "base time is {} to {} seconds, the increment {} to {}, the free time of a turn {} to {}; by correspondence a move has {} to {} days",
        Time::BASE_S.start(), Time::BASE_S.end(), Time::INCREMENT_S.start(), Time::INCREMENT_S.end(),
        Time::FREE_S.start(), Time::FREE_S.end(), Time::DAYS.start(), Time::DAYS.end()
    )]
    BadTime,
    /// The game cannot be rated.
    #[error(transparent)]
    NotRated(Unrated),
    /// No seek can have this range of ratings.
    #[error(transparent)]
    BadRange(#[from] BadRange),
    /// The asker's rating is outside the seek's range.
    #[error("this offer is for players rated {range} in such games{}", why_outside(*own, *is_apart))]
    OutsideRange {
        /// The range of the seek.
        range: RatingRange,
        /// The asker's rating, if it can be compared.
        own: Option<u32>,
        /// True for a bot and a person, who are rated apart.
        is_apart: bool,
    },
    /// The asker has left games and must wait.
    #[error(
        "you left {left_games} games lately, or did not deploy in them: you can play for ratings and wait in the pool again in {wait_s} seconds. Casual games and house players are open to you"
    )]
    LeftGames {
        /// Number of games left lately.
        left_games: u32,
        /// Remaining wait in seconds.
        wait_s: u64,
    },
    /// One of the two has blocked the other.
    #[error("you and this player do not play each other: one of you has blocked the other")]
    Blocked,
    /// The asker is not in the pool.
    #[error("you are not waiting in the pool: you left it, or were away for too long")]
    NotInPool,
    /// The asker has been paired.
    #[error("you have been paired: your game is {0}, and it goes before another one")]
    AlreadyPaired(GameId),
    /// The pool changed at the same moment.
    #[error("you are being paired at this very moment: the game is about to start")]
    BeingPaired,
    /// No such house player.
    #[error("there is no such house player; there is {}", Level::ALL.map(Level::name).join(", "))]
    NoSuchBot,
    /// Gone, taken, or never there.
    #[error("this seek is gone: somebody took it, or its seeker left")]
    NoSuchSeek,
    /// Gone, taken, expired, or never there.
    #[error("this challenge is not open: it was taken or withdrawn, it expired, or the code is mistyped")]
    NoSuchChallenge,
    /// The offer is the asker's own.
    #[error("this offer is your own; somebody else must accept it")]
    OwnOffer,
    /// The player has too many open seeks.
    #[error("you have {0} open seeks already: take one back first")]
    TooManySeeks(usize),
    /// The lobby has too many open seeks.
    #[error("the lobby is full: accept somebody's seek, or try again in a moment")]
    LobbyFull,
    /// The player has too many open challenges.
    #[error("you have {0} open challenges already: take one back first")]
    TooManyChallenges(usize),
    /// The player has too many running games.
    #[error("you are playing {0} games already: finish one first")]
    TooManyGames(usize),
    /// A limit of the address, or of games against house players, is reached.
    #[error("{0}")]
    TooMany(TooMany),
    /// The other player has too many running games or invitations.
    #[error("the other player is playing too many games at the moment: try again later")]
    OpponentBusy,
    /// The server has no room for a new game.
    #[error("{0}")]
    ServerFull(CreateError),
    /// The command id belongs to another command.
    #[error("this command id was used for another command")]
    CommandIdReused,
    /// The guest cannot be stored.
    #[error("{0}")]
    Player(PlayerError),
    /// The server is stopping.
    #[error("the server is restarting and makes no new games: connect again in a moment")]
    Stopping,
    /// The store cannot be reached or gave no clear answer.
    #[error("the server cannot reach its store: send the same command again in a moment")]
    Store,
    /// A defect in the server.
    #[error("the server has a defect: {0}")]
    Internal(&'static str),
}

/// Why no seek can have a range of ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BadRange {
    /// Games of these terms have no ratings.
    #[error("these games have no ratings to choose by: choose a time, and take the ruleset as it is")]
    NoRatings,
    /// The range is around the asker's rating, and guests have none.
    #[error("guests have no rating to choose around: name both ends, as in 1400-1600, or sign up")]
    Guest,
    /// An end is missing, out of bounds or on the wrong side.
    #[error(
        "a range of ratings has a lower end, an upper end or both, between 0 and 4000 points, the lower one first"
    )]
    Bounds,
}

impl LobbyRefusal {
    /// The code used in messages.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            LobbyRefusal::NoSuchRuleset(error) if error.is_about_changes() => Code::BAD_RULE_CHANGE,
            LobbyRefusal::NoSuchRuleset(_) => Code::NO_SUCH_RULESET,
            LobbyRefusal::BadTime => Code::BAD_TIME,
            LobbyRefusal::NotRated(_) => Code::NOT_RATED,
            LobbyRefusal::BadRange(_) => Code::BAD_RATING_RANGE,
            LobbyRefusal::OutsideRange { .. } => Code::OUTSIDE_RATING_RANGE,
            LobbyRefusal::LeftGames { .. } => Code::LEFT_GAMES,
            LobbyRefusal::Blocked => Code::BLOCKED,
            LobbyRefusal::NotInPool => Code::NOT_IN_POOL,
            LobbyRefusal::AlreadyPaired(_) | LobbyRefusal::BeingPaired => Code::ALREADY_PAIRED,
            LobbyRefusal::NoSuchBot => Code::NO_SUCH_BOT,
            LobbyRefusal::NoSuchSeek => Code::NO_SUCH_SEEK,
            LobbyRefusal::NoSuchChallenge => Code::NO_SUCH_CHALLENGE,
            LobbyRefusal::OwnOffer => Code::OWN_OFFER,
            LobbyRefusal::TooManySeeks(_)
            | LobbyRefusal::LobbyFull
            | LobbyRefusal::TooManyChallenges(_)
            | LobbyRefusal::TooManyGames(_)
            | LobbyRefusal::TooMany(_)
            | LobbyRefusal::OpponentBusy => Code::TOO_MANY,
            LobbyRefusal::ServerFull(_) => Code::SERVER_FULL,
            LobbyRefusal::CommandIdReused => Code::CMD_ID_REUSED,
            LobbyRefusal::Player(error) => error.code(),
            LobbyRefusal::Stopping => Code::STOPPING,
            LobbyRefusal::Store => Code::STORE_UNAVAILABLE,
            LobbyRefusal::Internal(_) => Code::INTERNAL,
        }
    }
}

impl From<TooMany> for LobbyRefusal {
    fn from(too_many: TooMany) -> LobbyRefusal {
        LobbyRefusal::TooMany(too_many)
    }
}

impl From<PlayerError> for LobbyRefusal {
    fn from(error: PlayerError) -> LobbyRefusal {
        match error {
            PlayerError::Store | PlayerError::Damaged => LobbyRefusal::Store,
            other => LobbyRefusal::Player(other),
        }
    }
}

impl From<StoreError> for LobbyRefusal {
    fn from(error: StoreError) -> LobbyRefusal {
        flagfall_base::store_errors::note_refusal(&error, "the store refused a request of the lobby");
        LobbyRefusal::Store
    }
}

impl From<TableError> for LobbyRefusal {
    fn from(error: TableError) -> LobbyRefusal {
        tracing::warn!(%error, "a game could not be found");
        LobbyRefusal::Store
    }
}

impl From<CreateError> for LobbyRefusal {
    fn from(error: CreateError) -> LobbyRefusal {
        match error {
            CreateError::Unavailable => LobbyRefusal::Store,
            CreateError::TooManyGames(count) => LobbyRefusal::TooManyGames(count),
            CreateError::NoMemory | CreateError::ServerFull(_) => LobbyRefusal::ServerFull(error),
            CreateError::Stopping => LobbyRefusal::Stopping,
            CreateError::NoSuchRuleset => LobbyRefusal::NoSuchRuleset(NoSuchRuleset::Unknown),
            CreateError::NoChance => ChanceError.into(),
        }
    }
}

impl From<ChanceError> for LobbyRefusal {
    fn from(_: ChanceError) -> LobbyRefusal {
        LobbyRefusal::Internal("no random bits")
    }
}

/// Explains to the asker why they are outside the range.
fn why_outside(own: Option<u32>, is_apart: bool) -> String {
    match own {
        Some(own) => format!("; your rating is {own}: take another one, or make your own"),
        None if is_apart => {
            "; people and bots are rated apart: take another one, or make your own".to_owned()
        }
        None => "; a guest has none: sign up, or take another one".to_owned(),
    }
}

/// Checks terms and normalizes them: a custom ruleset gets the same name for any order of its
/// changes.
///
/// # Errors
/// [`LobbyRefusal::NoSuchRuleset`], [`LobbyRefusal::BadTime`].
pub fn check_terms(terms: &Terms) -> Result<Terms, LobbyRefusal> {
    let ruleset = Ruleset::parse(&terms.ruleset).map_err(LobbyRefusal::NoSuchRuleset)?;
    if !terms.time.is_allowed() {
        return Err(LobbyRefusal::BadTime);
    }
    Ok(Terms { ruleset: ruleset.id.to_owned(), ..terms.clone() })
}

/// Checks whether these kinds of players may play by these terms, if the terms are rated.
///
/// # Errors
/// [`LobbyRefusal::NotRated`].
pub fn check_rated(terms: &Terms, kinds: [PlayerKind; 2]) -> Result<(), LobbyRefusal> {
    let why = terms.rated.then(|| why_unrated(&terms.ruleset, terms.time, kinds)).flatten();
    why.map_or(Ok(()), |why| Err(LobbyRefusal::NotRated(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(ruleset: &str, time: Time) -> Terms {
        Terms { ruleset: ruleset.to_owned(), time, private: false, secret: false, rated: false }
    }

    #[test]
    fn clocks_have_bounds() {
        let fischer =
            |base_s, increment_s| check_terms(&terms("classic", Time::Fischer { base_s, increment_s }));
        for (base, increment) in [(10, 0), (86_400, 3_600), (300, 5)] {
            assert!(fischer(base, increment).is_ok());
        }
        let delay = |base_s, free_s| check_terms(&terms("classic", Time::Delay { base_s, free_s }));
        let correspondence = |days| check_terms(&terms("classic", Time::Correspondence { days }));
        assert!(delay(10, 1).is_ok() && delay(86_400, 3_600).is_ok());
        assert!(correspondence(1).is_ok() && correspondence(14).is_ok());
        for refused in [delay(9, 5), delay(300, 0), delay(300, 3_601), correspondence(0), correspondence(15)]
        {
            assert_eq!(refused, Err(LobbyRefusal::BadTime));
        }
        for (base, increment) in [(9, 0), (0, 10), (86_401, 0), (300, 3_601), (u32::MAX, u32::MAX)] {
            assert_eq!(fischer(base, increment), Err(LobbyRefusal::BadTime));
        }
    }

    #[test]
    fn an_unknown_ruleset_is_answered_with_those_there_are() {
        let refusal = check_terms(&terms("chess", Time::Unlimited {})).unwrap_err();
        assert_eq!(refusal.code(), Code::NO_SUCH_RULESET);
        assert!(refusal.to_string().contains("classic, tournament"));
    }

    #[test]
    fn a_custom_ruleset_is_kept_under_one_name() {
        let kept = check_terms(&terms("classic,quiet=off,ties=attacker", Time::Unlimited {})).unwrap();
        assert_eq!(kept.ruleset, "classic,ties=attacker,quiet=off");
        let kept = check_terms(&terms("classic,ties=both", Time::Unlimited {})).unwrap();
        assert_eq!(kept.ruleset, "classic", "what changes nothing is no custom game");
        let refusal = check_terms(&terms("course,ties=attacker", Time::Unlimited {})).unwrap_err();
        assert_eq!(refusal.code(), Code::BAD_RULE_CHANGE);
        assert!(refusal.to_string().contains("ties cannot be changed in course"), "{refusal}");
    }
}
