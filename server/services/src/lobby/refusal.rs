//! The refusals of the lobby.

use flagfall_base::refusals;
use flagfall_protocol::{Code, PlayerKind, Refusal, Terms, Time};
use flagfall_rules::Ruleset;

use crate::Refused;
use crate::ratings::why_unrated;
use flagfall_game::{CreateError, TableError};

impl From<CreateError> for Refused {
    fn from(error: CreateError) -> Refused {
        match error {
            CreateError::TooManyGames(count) => too_many("games", count),
            other => Refused(Refusal::from(&other)),
        }
    }
}

/// If the refusal says that the store is unreachable, replaces it by one that says that the outcome
/// is unknown. The requester may then safely send the command again.
pub(super) fn unclear(refused: Refused) -> Refused {
    if refused.is(Code::STORE_UNAVAILABLE) { store_unclear() } else { refused }
}

pub(super) fn store_unclear() -> Refused {
    refusals::store_unclear().into()
}

pub(super) fn not_found(error: TableError) -> Refused {
    tracing::warn!(%error, "could not look up a game");
    store_unclear()
}

/// Returns the refusal for a seek that was taken or withdrawn, or never existed.
pub(super) fn no_such_seek() -> Refused {
    Refusal::new(Code::NO_SUCH_SEEK).because("other").into()
}

/// Returns the refusal for a challenge that was taken or withdrawn, has expired, or never
/// existed.
pub(super) fn no_such_challenge() -> Refused {
    Refusal::new(Code::NO_SUCH_CHALLENGE).because("other").into()
}

pub(super) fn own_offer() -> Refused {
    Refusal::new(Code::OWN_OFFER).because("offer").into()
}

pub(super) fn blocked() -> Refused {
    Refusal::new(Code::BLOCKED).because("offer").into()
}

/// Returns the refusal for a command that fails because the other player has too many running
/// games or invitations.
pub(super) fn opponent_busy() -> Refused {
    Refusal::new(Code::TOO_MANY).because("opponent").into()
}

pub(super) fn too_many(reason: &str, count: usize) -> Refused {
    Refusal::new(Code::TOO_MANY).because(reason).with("count", count).into()
}

/// Returns the refusal for a command that fails because the pool changed at the same moment.
pub(super) fn being_paired() -> Refused {
    Refusal::new(Code::ALREADY_PAIRED).because("now").into()
}

/// Checks terms and normalizes them. In normalized terms, the name of a custom ruleset does not
/// depend on the order in which its changes were given.
pub fn check_terms(terms: &Terms) -> Result<Terms, Refused> {
    let ruleset = Ruleset::parse(&terms.ruleset).map_err(|error| Refusal::from(&error))?;
    if terms.time.is_allowed() {
        return Ok(Terms { ruleset: ruleset.id.to_owned(), ..terms.clone() });
    }
    let refusal = Refusal::new(Code::BAD_TIME)
        .with("base_min", *Time::BASE_S.start())
        .with("base_max", *Time::BASE_S.end())
        .with("increment_min", *Time::INCREMENT_S.start())
        .with("increment_max", *Time::INCREMENT_S.end())
        .with("free_min", *Time::FREE_S.start())
        .with("free_max", *Time::FREE_S.end())
        .with("days_min", *Time::DAYS.start())
        .with("days_max", *Time::DAYS.end());
    Err(refusal.into())
}

pub fn check_rated(terms: &Terms, kinds: [PlayerKind; 2]) -> Result<(), Refused> {
    match why_unrated(&terms.ruleset, terms.time, kinds).filter(|_| terms.rated) {
        Some(why) => Err(Refusal::new(Code::NOT_RATED).because(why).into()),
        None => Ok(()),
    }
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
            assert!(refused.unwrap_err().is(Code::BAD_TIME));
        }
        for (base, increment) in [(9, 0), (0, 10), (86_401, 0), (300, 3_601), (u32::MAX, u32::MAX)] {
            assert!(fischer(base, increment).unwrap_err().is(Code::BAD_TIME));
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
