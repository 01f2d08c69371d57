//! The errors of requests to Redis.

use std::error::Error as StdError;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::GameId;
use flagfall_tls::HandshakeFault;
use redis::{FromRedisValue, RedisError, RedisResult, Value};
use thiserror::Error;
use tokio::time::timeout;
use tokio_rustls::rustls;

use crate::store::{ReadError, StoreError};

/// The maximum number of characters of Redis's error text that are passed on.
const SHOWN_MAX: usize = 120;

/// Why a request failed or may have failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum RequestError {
    /// The request was certainly not carried out.
    #[error("{0}")]
    NotDone(String),
    /// The request may have been carried out, or may still be carried out.
    #[error("{0}")]
    InDoubt(String),
    /// Redis does not have the script. Nothing was carried out.
    #[error("Redis has forgotten its scripts")]
    ScriptGone,
    /// The Redis user lacks a permission that the store needs. Nothing was carried out.
    #[error("{}", FORBIDDEN)]
    Forbidden,
    #[error("this Redis is a replica now and takes no writes")]
    Demoted,
    /// The bucket belongs to another master of the cluster. Nothing was carried out.
    #[error("these keys belong to another master of the cluster")]
    Moved,
    /// The bucket is being moved to another master of the cluster. Nothing was carried out.
    #[error("these keys are being moved to another master of the cluster")]
    Moving,
    #[error(
        "Redis was emptied while it ran: games that servers hold are given back, everything else is gone until a backup is restored"
    )]
    Emptied,
    /// A key has a value of another type, because another program has written to it. Other parts
    /// of the request may have been carried out.
    #[error("a key of the store in Redis holds a value of another type")]
    WrongType,
    /// An entry of a log or a side record differs from what was written.
    #[error("{what}")]
    Damaged { seq: u64, what: String },
}

/// The reason that is shown if the Redis user lacks permissions.
const FORBIDDEN: &str = "this user may not do all that the store has to do on Redis: compare its ACL with deploy/redis/users.acl.template, of which keys and \
                         channels are those of the prefix flagfall; ACL LOG, asked by another user, names what was refused";

impl From<RequestError> for StoreError {
    fn from(error: RequestError) -> StoreError {
        match error {
            RequestError::Damaged { seq: _, what } => StoreError::Damaged { what },
            other => StoreError::Unavailable { why: other.to_string() },
        }
    }
}

/// Returns the beginning of an error text, which is the part that is passed on.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN_MAX).collect()
}

impl RequestError {
    pub(super) fn not_done<T: ToString>(why: T) -> RequestError {
        RequestError::NotDone(why.to_string())
    }

    pub(super) fn damaged(seq: u64, what: impl ToString) -> RequestError {
        RequestError::Damaged { seq, what: what.to_string() }
    }

    /// Converts an error that occurred while reading a game's log into a [`ReadError`].
    pub(super) fn of_game(self, game: GameId) -> ReadError {
        match self {
            RequestError::Damaged { seq, what } => ReadError::Damaged { game, seq, what },
            other => ReadError::Unavailable { why: other.to_string() },
        }
    }

    /// True if the request, or part of it, may have been carried out.
    pub(super) fn is_in_doubt(&self) -> bool {
        matches!(self, RequestError::InDoubt(_) | RequestError::WrongType)
    }

    /// Converts an error that answers a request.
    ///
    /// Only the code of Redis's error text is passed on, because the rest may quote the request,
    /// which is secret.
    pub(super) fn of_error(error: &RedisError) -> RequestError {
        if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() {
            return RequestError::InDoubt(if error.is_timeout() {
                "Redis did not answer in time".to_owned()
            } else {
                "the connection to Redis was lost".to_owned()
            });
        }
        if error.kind() == redis::ErrorKind::AuthenticationFailed {
            return RequestError::of_code("WRONGPASS");
        }
        RequestError::of_code(error.code().unwrap_or(error.category()))
    }

    /// Converts an error that occurred while connecting. The text of the error can be passed on,
    /// because nothing secret is sent before Redis's certificate has been verified.
    pub(super) fn of_connecting(error: &RedisError) -> RequestError {
        let shared =
            error.source().and_then(|source| source.downcast_ref::<Arc<dyn StdError + Send + Sync>>());
        let io = shared.and_then(|source| source.downcast_ref::<std::io::Error>());
        let tls = io.and_then(std::io::Error::get_ref).and_then(|inner| inner.downcast_ref());
        match (tls, io) {
            (Some(rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired)), _) => {
                RequestError::not_done(
                    "it asks who connects: name a certificate with --redis-cert and --redis-key",
                )
            }
            (Some(_), Some(io)) => match HandshakeFault::from(io) {
                error @ HandshakeFault::UntrustedIssuer => {
                    RequestError::NotDone(format!("{error}: name who has issued it with --redis-ca"))
                }
                error @ HandshakeFault::NoTls => RequestError::NotDone(format!("{error}: say redis://")),
                error => RequestError::not_done(error),
            },
            _ => match io.map(std::io::Error::kind) {
                Some(ErrorKind::ConnectionRefused) => RequestError::not_done("nothing listens there"),
                Some(ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof) => {
                    RequestError::not_done("it ended the connection at once; if it speaks TLS, say rediss://")
                }
                // Pass on the operating system's text. It may say, for example, that the host
                // name is unknown or the network is unreachable.
                Some(_) if !error.is_timeout() => {
                    RequestError::NotDone(shown(&io.map(ToString::to_string).unwrap_or_default()))
                }
                _ => RequestError::of_error(error),
            },
        }
    }

    /// Converts an error text that a script returned. Only the code in the text is used.
    pub(super) fn of_words(error: &str) -> RequestError {
        RequestError::of_code(error.trim_start_matches('-').split(' ').next().unwrap_or_default())
    }

    fn of_code(code: &str) -> RequestError {
        let not_done = RequestError::not_done::<&str>;
        match code {
            "NOSCRIPT" => RequestError::ScriptGone,
            "WRONGTYPE" => RequestError::WrongType,
            "OOM" => not_done("Redis's memory is full: give it more (maxmemory), then archive games sooner"),
            "READONLY" => RequestError::Demoted,
            "MISCONF" => {
                not_done("Redis takes no writes because it cannot save: look at its log and its disk")
            }
            "NOREPLICAS" => not_done("Redis takes no writes because too few replicas follow it"),
            "LOADING" => not_done("Redis is still loading its data"),
            "BUSY" => not_done("Redis is busy with a script"),
            "NOAUTH" | "WRONGPASS" => not_done("Redis wants another user or password"),
            "NOPERM" => RequestError::Forbidden,
            "MOVED" => RequestError::Moved,
            // During the move, the new master never has all keys of a script, because some of them
            // never exist. So it is useless to send the script there.
            "ASK" | "TRYAGAIN" => RequestError::Moving,
            "CROSSSLOT" => not_done("a request used keys of several slots, which is a defect of this server"),
            "CLUSTERDOWN" => not_done("the Redis Cluster does not serve these keys: a master is missing"),
            "MASTERDOWN" => not_done("this Redis is a replica that has lost its primary"),
            // Before Redis 7.2, a script also fails with this code if its user lacks a
            // permission.
            "ERR" => {
                RequestError::InDoubt(format!("Redis gave an error without a name; perhaps {FORBIDDEN}"))
            }
            code => RequestError::InDoubt(format!("Redis gave an unknown error ({})", shown(code))),
        }
    }

    /// True if the connection must be dropped.
    pub(super) fn ends_link(&self) -> bool {
        match self {
            // The connection must be replaced. After a failover, the new connection leads to the
            // new primary, which the Sentinels name. After Redis has lost data, the writer gives
            // the data back when it reconnects.
            RequestError::InDoubt(_)
            | RequestError::Demoted
            | RequestError::Moved
            | RequestError::Emptied => true,
            // A new connection would not help, because it would lead to the same Redis. For
            // example, if only replicas are missing, this Redis is still the primary.
            RequestError::NotDone(_)
            | RequestError::Moving
            | RequestError::Forbidden
            | RequestError::ScriptGone
            | RequestError::WrongType
            | RequestError::Damaged { .. } => false,
        }
    }
}

/// Waits at most `limit` for an answer or a connection. Converts an error with `error_of`.
pub(super) async fn within<T>(
    limit: Duration,
    work: impl Future<Output = RedisResult<T>>,
    error_of: impl Fn(&RedisError) -> RequestError,
) -> Result<T, RequestError> {
    match timeout(limit, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error_of(&error)),
        Err(_) => Err(RequestError::InDoubt("Redis did not answer in time".to_owned())),
    }
}

/// Returns the answer to one command of a pipeline. If Redis has answered with an error, returns
/// this error.
pub(super) fn checked(value: Value) -> Result<Value, RequestError> {
    match value {
        Value::ServerError(error) => Err(RequestError::of_code(error.code())),
        value => Ok(value),
    }
}

/// Converts the answer to one command of a pipeline to a type.
pub(super) fn parsed<T: FromRedisValue>(value: Value) -> Result<T, RequestError> {
    T::from_redis_value(checked(value)?)
        .map_err(|_| RequestError::InDoubt("Redis gave an unexpected answer".to_owned()))
}

/// Returns `None` if the key has a type other than the one that the store writes. Otherwise
/// returns the answer.
pub(super) fn of_right_type<T>(answer: Result<T, RequestError>) -> Result<Option<T>, RequestError> {
    match answer {
        Err(RequestError::WrongType) => Ok(None),
        answer => answer.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_tell_what_was_not_done_from_what_may_have_been() {
        for code in ["OOM", "MISCONF", "LOADING", "NOAUTH", "BUSY", "NOREPLICAS", "CROSSSLOT"] {
            assert!(matches!(RequestError::of_code(code), RequestError::NotDone(_)), "{code}");
        }
        assert_eq!(RequestError::of_code("NOSCRIPT"), RequestError::ScriptGone);
        assert_eq!(RequestError::of_code("MOVED"), RequestError::Moved);
        assert_eq!(RequestError::of_code("ASK"), RequestError::Moving);
        assert!(!RequestError::Moved.is_in_doubt() && !RequestError::Moving.is_in_doubt());
        assert!(matches!(RequestError::of_code("ERR"), RequestError::InDoubt(_)));
        assert!(RequestError::of_code("READONLY").ends_link() && !RequestError::of_code("OOM").ends_link());
    }

    #[test]
    fn connection_and_permission_faults_say_what_to_look_at() {
        let of = |error: std::io::Error| RequestError::of_connecting(&error.into()).to_string();
        let unknown =
            std::io::Error::other("failed to lookup address information: Name or service not known");
        assert!(of(unknown).contains("lookup address information: Name or service"));
        assert!(of(ErrorKind::ConnectionRefused.into()).contains("nothing listens there"));
        assert!(of(ErrorKind::TimedOut.into()).contains("did not answer in time"));
        for code in ["NOPERM", "ERR"] {
            let why = RequestError::of_code(code).to_string();
            assert!(why.contains("ACL LOG") && why.contains("users.acl.template"), "{why}");
        }
    }

    #[test]
    fn only_a_failover_or_doubt_needs_a_new_connection() {
        for (code, ends) in [
            ("READONLY", true),
            ("MOVED", true),
            ("NOREPLICAS", false),
            ("OOM", false),
            ("NOSCRIPT", false),
            ("WHAT", true),
        ] {
            assert_eq!(RequestError::of_code(code).ends_link(), ends, "{code}");
        }
    }
}
