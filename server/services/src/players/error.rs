//! The reasons why a request of a player failed.

use flagfall_store::StoreError;
use thiserror::Error;

use crate::Refused;
use flagfall_base::admission::TooMany;
use flagfall_base::random::ChanceError;
use flagfall_base::refusals;
use flagfall_base::store_errors::note_refusal;
use flagfall_protocol::{Code, Refusal};

#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", Refusal::from(self))]
pub enum PlayerError {
    /// The token is malformed, or no player has it.
    UnknownToken,
    NoSuchPlayer,
    /// The name is taken. An account gets exactly the name that was asked for, or none.
    AccountNameTaken,
    AlreadyAccount,
    /// The name or the password is wrong. The answer does not say which.
    WrongPassword,
    /// The name or the recovery code is wrong. The answer does not say which.
    WrongRecoveryCode,
    Closed,
    Store,
    /// The store answers, but the player's data is damaged.
    Damaged,
    Other(Refusal),
}

impl From<&PlayerError> for Refusal {
    fn from(error: &PlayerError) -> Refusal {
        match error {
            PlayerError::UnknownToken => Refusal::new(Code::BAD_TOKEN).because("unknown"),
            PlayerError::NoSuchPlayer => Refusal::new(Code::NO_SUCH_PLAYER),
            PlayerError::AccountNameTaken => Refusal::new(Code::NAME_TAKEN),
            PlayerError::AlreadyAccount => Refusal::new(Code::ALREADY_ACCOUNT),
            PlayerError::WrongPassword => Refusal::new(Code::WRONG_PASSWORD),
            PlayerError::WrongRecoveryCode => Refusal::new(Code::WRONG_RECOVERY_CODE),
            PlayerError::Closed => Refusal::new(Code::ACCOUNT_CLOSED),
            PlayerError::Store => refusals::store_away(),
            PlayerError::Damaged => Refusal::new(Code::STORE_UNAVAILABLE).because("damaged"),
            PlayerError::Other(refusal) => refusal.clone(),
        }
    }
}

impl From<PlayerError> for Refused {
    fn from(error: PlayerError) -> Refused {
        Refused(Refusal::from(&error))
    }
}

impl From<Refusal> for PlayerError {
    fn from(refusal: Refusal) -> PlayerError {
        PlayerError::Other(refusal)
    }
}

impl From<StoreError> for PlayerError {
    fn from(error: StoreError) -> PlayerError {
        note_refusal(&error, "the store refused a request about a player");
        match error {
            StoreError::Damaged { .. } => PlayerError::Damaged,
            StoreError::Unavailable { .. } | StoreError::Limit(_) => PlayerError::Store,
        }
    }
}

impl From<TooMany> for PlayerError {
    fn from(too_many: TooMany) -> PlayerError {
        PlayerError::Other(Refusal::from(&too_many))
    }
}

impl From<ChanceError> for PlayerError {
    fn from(_: ChanceError) -> PlayerError {
        PlayerError::Other(refusals::defect())
    }
}
