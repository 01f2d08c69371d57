//! Why a request of a player failed.

use flagfall_store::StoreError;
use thiserror::Error;

use super::attempts::TooOften;
use super::name::NameError;
use super::password::{HashError, PasswordError};
use flagfall_base::admission::TooMany;
use flagfall_base::random::ChanceError;
use flagfall_protocol::Code;

/// Why a player was not admitted or a request of theirs failed. Nothing was written, or at least
/// nothing was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// The name is not allowed.
    #[error("{0}")]
    Name(#[from] NameError),
    /// The name is taken, and so are similar ones.
    #[error("that name is taken, and so are its variations: choose another one")]
    NameTaken,
    /// The name is taken. An account gets exactly the name it asks for.
    #[error("that name is taken or reserved: choose another one")]
    AccountNameTaken,
    /// The token is malformed, or belongs to no player.
    #[error("this token is unknown: it was mistyped or revoked, or its guest has not been here for too long")]
    UnknownToken,
    /// Too many new guests at once.
    #[error("too many new guests at the moment: try again in a minute, or sign in")]
    TooManyGuests,
    /// The chosen password is not allowed.
    #[error("{0}")]
    Password(#[from] PasswordError),
    /// Wrong name or password; the answer does not say which.
    #[error(
        "wrong name or password: check both (capitals in the name do not matter). With the recovery code you can set a new password"
    )]
    WrongPassword,
    /// Wrong name or recovery code; the answer does not say which.
    #[error("there is no account of this name with this recovery code: check both; each code is good once")]
    WrongRecoveryCode,
    /// An operator has closed the account.
    #[error(
        "this account was closed by the operators of this server: nobody gets in with it. Write to them if you think that is a mistake"
    )]
    Closed,
    /// Too many attempts for this name from this network, or from this network in all. Holds the
    /// seconds to wait.
    #[error(
        "too many attempts for this name or from your network: try again in {0} seconds. From a device or network where you were signed in before you can try at once, and the recovery code works everywhere"
    )]
    TooManyAttempts(u64),
    /// The queue of password hashes is full.
    #[error("too many people are logging in at the moment: try again in a few seconds")]
    Busy,
    /// An account cannot sign up.
    #[error("you have an account already, this one: log out first to make another one")]
    AlreadyAccount,
    /// Only accounts can do this, not guests.
    #[error("only an account can do that: sign up first, and your games stay yours")]
    AccountExpected,
    /// The token's scope does not suffice.
    #[error("this token is for playing alone: log in with the password for anything else")]
    ScopeMissing,
    /// The account has no such token.
    #[error("you have no token of this id: list your tokens to see those you have")]
    NoSuchToken,
    /// The account's list of tokens is full.
    #[error("you have {0} tokens already: revoke one first")]
    TooManyTokens(usize),
    /// The name of a token is empty, too long or not printable.
    #[error("a token's name has 1 to 40 characters that can be printed")]
    BadTokenName,
    /// Only bot accounts can have tokens with the bot scope.
    #[error("tokens of scope bot are for bot accounts: sign up as a bot to get one")]
    BotScope,
    /// No player has this name.
    #[error("there is no player of this name")]
    NoSuchPlayer,
    /// The account still has running games.
    #[error("you have running games: finish or resign them first, then delete the account")]
    GamesRunning,
    /// The server, the address or the player has too many connections, guests or hellos.
    #[error("{0}")]
    TooMany(TooMany),
    /// The store cannot answer or write now.
    #[error("the server cannot reach its store: try again in a few seconds")]
    Store,
    /// The store answers, but its data is damaged.
    #[error("what this server keeps of the player cannot be read: its operators find more in its log")]
    Damaged,
    /// Hashing failed: a defect.
    #[error("the server has a defect: a password cannot be hashed")]
    Hash,
    /// The system gives no random bits.
    #[error("the server has a defect: {0}")]
    Chance(#[from] ChanceError),
}

impl PlayerError {
    /// The code used in messages.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            PlayerError::Name(_) | PlayerError::NameTaken => Code::BAD_NAME,
            PlayerError::AccountNameTaken => Code::NAME_TAKEN,
            PlayerError::UnknownToken => Code::BAD_TOKEN,
            PlayerError::TooManyGuests
            | PlayerError::TooManyTokens(_)
            | PlayerError::Busy
            | PlayerError::TooMany(_) => Code::TOO_MANY,
            PlayerError::Password(_) => Code::BAD_PASSWORD,
            PlayerError::WrongPassword => Code::WRONG_PASSWORD,
            PlayerError::WrongRecoveryCode => Code::WRONG_RECOVERY_CODE,
            PlayerError::Closed => Code::ACCOUNT_CLOSED,
            PlayerError::TooManyAttempts(_) => Code::TOO_MANY_ATTEMPTS,
            PlayerError::AlreadyAccount => Code::ALREADY_ACCOUNT,
            PlayerError::AccountExpected => Code::ACCOUNT_EXPECTED,
            PlayerError::ScopeMissing => Code::SCOPE_MISSING,
            PlayerError::NoSuchToken => Code::NO_SUCH_TOKEN,
            PlayerError::BadTokenName | PlayerError::BotScope => Code::BAD_TOKEN_TERMS,
            PlayerError::NoSuchPlayer => Code::NO_SUCH_PLAYER,
            PlayerError::GamesRunning => Code::GAMES_RUNNING,
            PlayerError::Store | PlayerError::Damaged => Code::STORE_UNAVAILABLE,
            PlayerError::Hash | PlayerError::Chance(_) => Code::INTERNAL,
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
