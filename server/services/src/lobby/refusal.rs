//! Refusals of the lobby.

use std::fmt;

use flagfall_base::refusals;
use flagfall_board::GameId;
use flagfall_bots::Level;
use flagfall_protocol::{Code, PlayerKind, RatingRange, Refusal, Terms, Time};
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
#[error("{}", Refusal::from(self))]
pub enum LobbyRefusal {
    NoSuchRuleset(NoSuchRuleset),
    BadTime,
    NotRated(Unrated),
    BadRange(#[from] BadRange),
    /// The asker's rating is outside the seek's range.
    OutsideRange {
        range: RatingRange,
        /// The asker's rating, if it can be compared.
        own: Option<u32>,
        /// True for a bot and a person, who are rated apart.
        is_apart: bool,
    },
    LeftGames {
        left_games: u32,
        wait_s: u64,
    },
    Blocked,
    NotInPool,
    AlreadyPaired(GameId),
    /// The pool changed at the same moment.
    BeingPaired,
    NoSuchBot,
    /// Gone, taken, or never there.
    NoSuchSeek,
    /// Gone, taken, expired, or never there.
    NoSuchChallenge,
    OwnOffer,
    TooManySeeks(usize),
    LobbyFull,
    TooManyChallenges(usize),
    TooManyGames(usize),
    /// A limit of the address, or of games against house players, is reached.
    TooMany(TooMany),
    /// The other player has too many running games or invitations.
    OpponentBusy,
    ServerFull(CreateError),
    CommandIdReused,
    Player(PlayerError),
    Stopping,
    /// The store cannot be reached or gave no clear answer.
    Store,
    Internal,
}

/// Why no seek can have a range of ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{}", Refusal::from(self))]
pub enum BadRange {
    NoRatings,
    /// The range is around the asker's rating, and guests have none.
    Guest,
    /// An end is missing, out of bounds or on the wrong side.
    Bounds,
}

impl From<&BadRange> for Refusal {
    fn from(error: &BadRange) -> Refusal {
        let coded = Refusal::new(Code::BAD_RATING_RANGE);
        match error {
            BadRange::NoRatings => coded.because("no_ratings"),
            BadRange::Guest => coded.because("guest"),
            BadRange::Bounds => {
                coded.because("bounds").with("min", 0_u8).with("max", RatingRange::POINTS_MAX)
            }
        }
    }
}

impl From<&LobbyRefusal> for Refusal {
    fn from(refusal: &LobbyRefusal) -> Refusal {
        let too_many = |reason| Refusal::new(Code::TOO_MANY).because(reason);
        match refusal {
            LobbyRefusal::NoSuchRuleset(error) => Refusal::from(error),
            LobbyRefusal::BadTime => Refusal::new(Code::BAD_TIME)
                .with("base_min", *Time::BASE_S.start())
                .with("base_max", *Time::BASE_S.end())
                .with("increment_min", *Time::INCREMENT_S.start())
                .with("increment_max", *Time::INCREMENT_S.end())
                .with("free_min", *Time::FREE_S.start())
                .with("free_max", *Time::FREE_S.end())
                .with("days_min", *Time::DAYS.start())
                .with("days_max", *Time::DAYS.end()),
            LobbyRefusal::NotRated(why) => Refusal::from(why),
            LobbyRefusal::BadRange(error) => Refusal::from(error),
            LobbyRefusal::OutsideRange { range, own, is_apart } => {
                let coded = Refusal::new(Code::OUTSIDE_RATING_RANGE);
                let coded = match (range.min, range.max) {
                    (Some(min), Some(max)) => coded.with("range", "both").with("min", min).with("max", max),
                    (None, Some(max)) => coded.with("range", "max").with("max", max),
                    (min, None) => coded.with("range", "min").with("min", min.unwrap_or(0)),
                };
                match own {
                    Some(own) => coded.because("rating").with("rating", *own),
                    None if *is_apart => coded.because("bots_and_people"),
                    None => coded.because("guest"),
                }
            }
            LobbyRefusal::LeftGames { left_games, wait_s } => {
                Refusal::new(Code::LEFT_GAMES).with("count", *left_games).with("seconds", *wait_s)
            }
            LobbyRefusal::Blocked => Refusal::new(Code::BLOCKED).because("offer"),
            LobbyRefusal::NotInPool => Refusal::new(Code::NOT_IN_POOL).because("waiting"),
            LobbyRefusal::AlreadyPaired(game) => {
                Refusal::new(Code::ALREADY_PAIRED).because("game").with("game", game.to_string())
            }
            LobbyRefusal::BeingPaired => Refusal::new(Code::ALREADY_PAIRED).because("now"),
            LobbyRefusal::NoSuchBot => {
                Refusal::new(Code::NO_SUCH_BOT).with("known", Level::ALL.map(Level::name).join(", "))
            }
            LobbyRefusal::NoSuchSeek => Refusal::new(Code::NO_SUCH_SEEK),
            LobbyRefusal::NoSuchChallenge => Refusal::new(Code::NO_SUCH_CHALLENGE),
            LobbyRefusal::OwnOffer => Refusal::new(Code::OWN_OFFER).because("offer"),
            LobbyRefusal::TooManySeeks(count) => too_many("seeks").with("count", *count),
            LobbyRefusal::LobbyFull => too_many("lobby"),
            LobbyRefusal::TooManyChallenges(count) => too_many("challenges").with("count", *count),
            LobbyRefusal::TooManyGames(count) => too_many("games").with("count", *count),
            LobbyRefusal::TooMany(limit) => Refusal::from(limit),
            LobbyRefusal::OpponentBusy => too_many("opponent"),
            LobbyRefusal::ServerFull(error) => Refusal::from(error),
            LobbyRefusal::CommandIdReused => Refusal::new(Code::CMD_ID_REUSED),
            LobbyRefusal::Player(error) => Refusal::from(error),
            LobbyRefusal::Stopping => Refusal::new(Code::STOPPING).because("no_new_games"),
            LobbyRefusal::Store => refusals::store_unclear(),
            LobbyRefusal::Internal => refusals::defect(),
        }
    }
}

impl LobbyRefusal {
    /// A defect of the server, which goes to its log.
    pub(crate) fn internal(error: &dyn fmt::Display) -> LobbyRefusal {
        tracing::error!(%error, "a request to the lobby met a defect");
        LobbyRefusal::Internal
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
    /// The log has it already.
    fn from(_: ChanceError) -> LobbyRefusal {
        LobbyRefusal::Internal
    }
}

/// Checks terms and normalizes them: a custom ruleset gets the same name for any order of its
/// changes.
pub fn check_terms(terms: &Terms) -> Result<Terms, LobbyRefusal> {
    let ruleset = Ruleset::parse(&terms.ruleset).map_err(LobbyRefusal::NoSuchRuleset)?;
    if !terms.time.is_allowed() {
        return Err(LobbyRefusal::BadTime);
    }
    Ok(Terms { ruleset: ruleset.id.to_owned(), ..terms.clone() })
}

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
        let said = refusal.to_string();
        assert!(said.starts_with("no_such_ruleset (known=classic, tournament"), "{said}");
    }

    #[test]
    fn a_custom_ruleset_is_kept_under_one_name() {
        let kept = check_terms(&terms("classic,quiet=off,ties=attacker", Time::Unlimited {})).unwrap();
        assert_eq!(kept.ruleset, "classic,ties=attacker,quiet=off");
        let kept = check_terms(&terms("classic,ties=both", Time::Unlimited {})).unwrap();
        assert_eq!(kept.ruleset, "classic", "what changes nothing is no custom game");
        let refusal = check_terms(&terms("course,ties=attacker", Time::Unlimited {})).unwrap_err();
        let said = refusal.to_string();
        assert!(said.contains("base=course") && said.contains("option=ties reason=fixed"), "{said}");
    }
}
