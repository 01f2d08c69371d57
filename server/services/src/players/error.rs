//! Why a request of a player failed.

use flagfall_store::StoreError;
use thiserror::Error;

use super::attempts::TooOften;
use super::name::{NameError, TOKEN_NAME_LEN_MAX};
use super::password::{HashError, PasswordError};
use flagfall_base::admission::TooMany;
use flagfall_base::random::ChanceError;
use flagfall_base::refusals;
use flagfall_protocol::{Code, Refusal};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{}", Refusal::from(self))]
pub enum PlayerError {
    Name(#[from] NameError),
    /// The name is taken, and so are similar ones.
    NameTaken,
    /// The name is taken. An account gets exactly the name it asks for.
    AccountNameTaken,
    /// The token is malformed, or belongs to no player.
    UnknownToken,
    TooManyGuests,
    Password(#[from] PasswordError),
    /// Wrong name or password; the answer does not say which.
    WrongPassword,
    /// Wrong name or recovery code; the answer does not say which.
    WrongRecoveryCode,
    Closed,
    /// Too many attempts for this name from this network, or from this network in all. Holds the
    /// seconds to wait.
    TooManyAttempts(u64),
    /// The queue of password hashes is full.
    Busy,
    AlreadyAccount,
    AccountExpected,
    ScopeMissing,
    NoSuchToken,
    TooManyTokens(usize),
    BadTokenName,
    BotScope,
    NoSuchPlayer,
    GamesRunning,
    /// The server, the address or the player has too many connections, guests or hellos.
    TooMany(TooMany),
    Store,
    /// The store answers, but its data is damaged.
    Damaged,
    Hash,
    /// The system gives no random bits.
    Chance(#[from] ChanceError),
}

impl From<&PlayerError> for Refusal {
    fn from(error: &PlayerError) -> Refusal {
        let too_many = |reason| Refusal::new(Code::TOO_MANY).because(reason);
        match error {
            PlayerError::Name(error) => Refusal::from(error),
            PlayerError::NameTaken => Refusal::new(Code::BAD_NAME).because("taken"),
            PlayerError::AccountNameTaken => Refusal::new(Code::NAME_TAKEN),
            PlayerError::UnknownToken => Refusal::new(Code::BAD_TOKEN).because("unknown"),
            PlayerError::TooManyGuests => too_many("new_guests"),
            PlayerError::Password(error) => Refusal::from(error),
            PlayerError::WrongPassword => Refusal::new(Code::WRONG_PASSWORD),
            PlayerError::WrongRecoveryCode => Refusal::new(Code::WRONG_RECOVERY_CODE),
            PlayerError::Closed => Refusal::new(Code::ACCOUNT_CLOSED),
            PlayerError::TooManyAttempts(seconds) => {
                Refusal::new(Code::TOO_MANY_ATTEMPTS).with("seconds", *seconds)
            }
            PlayerError::Busy => too_many("logins"),
            PlayerError::AlreadyAccount => Refusal::new(Code::ALREADY_ACCOUNT),
            PlayerError::AccountExpected => Refusal::new(Code::ACCOUNT_EXPECTED).because("other"),
            PlayerError::ScopeMissing => Refusal::new(Code::SCOPE_MISSING),
            PlayerError::NoSuchToken => Refusal::new(Code::NO_SUCH_TOKEN),
            PlayerError::TooManyTokens(count) => too_many("tokens").with("count", *count),
            PlayerError::BadTokenName => Refusal::new(Code::BAD_TOKEN_TERMS)
                .because("name")
                .with("min", 1_u8)
                .with("max", TOKEN_NAME_LEN_MAX),
            PlayerError::BotScope => Refusal::new(Code::BAD_TOKEN_TERMS).because("bot_scope"),
            PlayerError::NoSuchPlayer => Refusal::new(Code::NO_SUCH_PLAYER),
            PlayerError::GamesRunning => Refusal::new(Code::GAMES_RUNNING),
            PlayerError::TooMany(limit) => Refusal::from(limit),
            PlayerError::Store => refusals::store_away(),
            PlayerError::Damaged => Refusal::new(Code::STORE_UNAVAILABLE).because("damaged"),
            PlayerError::Hash | PlayerError::Chance(_) => refusals::defect(),
        }
    }
}

impl From<StoreError> for PlayerError {
    fn from(error: StoreError) -> PlayerError {
        flagfall_base::store_errors::note_refusal(&error, "the store refused a request about a player");
        match error {
            StoreError::Damaged { .. } => PlayerError::Damaged,
            StoreError::Unavailable { .. } | StoreError::Limit(_) => PlayerError::Store,
        }
    }
}

impl From<TooMany> for PlayerError {
    fn from(too_many: TooMany) -> PlayerError {
        PlayerError::TooMany(too_many)
    }
}

impl From<HashError> for PlayerError {
    fn from(error: HashError) -> PlayerError {
        match error {
            HashError::Busy => PlayerError::Busy,
            HashError::Defect => PlayerError::Hash,
        }
    }
}

impl From<TooOften> for PlayerError {
    fn from(often: TooOften) -> PlayerError {
        PlayerError::TooManyAttempts(often.wait.as_secs().max(1))
    }
}
