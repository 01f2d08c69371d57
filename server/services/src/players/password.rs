//! Passwords and recovery codes: which are allowed, and how they are hashed and checked.

use std::fmt;
use std::sync::Arc;

use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use flagfall_protocol::{Code, HexBytes, PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, Refusal, Secret};
use metrics::{counter, histogram};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::PlayerError;
use super::common::{has_name, is_common};
use super::hash_queue::{HashQueue, Share};
use crate::settings::Passwords;
use flagfall_base::background::Background;
use flagfall_base::random::{ChanceError, random_bytes};
use flagfall_base::refusals;
use flagfall_base::telemetry as names;

/// The number of lanes of one password hash.
const LANES: u32 = 1;

/// A password as the person typed it. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Password(String);

impl Password {
    pub(super) fn choose(text: &Secret, name: &str) -> Result<Password, Refusal> {
        let bad = |reason| Refusal::new(Code::BAD_PASSWORD).because(reason);
        let text = text.expose();
        if !(PASSWORD_LEN_MIN..=PASSWORD_LEN_MAX).contains(&text.chars().count()) {
            return Err(bad("length").with("min", PASSWORD_LEN_MIN).with("max", PASSWORD_LEN_MAX));
        }
        if has_name(text, name) {
            return Err(bad("has_name"));
        }
        if is_common(text) {
            return Err(bad("common"));
        }
        Ok(Password(text.to_owned()))
    }

    /// Returns a password to be compared with the stored one. If the text is too long, it is cut
    /// to a length that no account's password has.
    pub(super) fn attempt(text: &Secret) -> Password {
        Password(text.expose().chars().take(PASSWORD_LEN_MAX + 1).collect())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}

/// A code that replaces a lost password: 125 random bits, as five groups of five letters and
/// digits. The server keeps only the SHA-256 of the code. A slower hash is not needed, because
/// 125 bits cannot be guessed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct RecoveryCode(String);

/// The letters and digits of codes. They do not include characters that are easily confused.
const CODE_LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const CODE_LEN: usize = 25;
const CODE_GROUP: usize = 5;

impl RecoveryCode {
    pub(super) fn random() -> Result<RecoveryCode, ChanceError> {
        let bytes: [u8; CODE_LEN] = random_bytes()?;
        Ok(RecoveryCode(bytes.iter().map(|byte| char::from(CODE_LETTERS[usize::from(byte % 32)])).collect()))
    }

    /// Reads a code as a person typed it. Ignores case, spaces and hyphens. Reads `o`, `i` and
    /// `l` as the digits that look like them.
    pub(super) fn typed(text: &Secret) -> RecoveryCode {
        let letters = text.expose().chars().filter(char::is_ascii_alphanumeric).take(2 * CODE_LEN);
        let read = |letter: char| match letter.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        };
        RecoveryCode(letters.map(read).collect())
    }

    /// Returns the text that the owner has to write down. It must be sent to them only once, and
    /// must not be stored or logged.
    pub(super) fn expose(&self) -> String {
        let groups: Vec<&str> =
            (0..self.0.len()).step_by(CODE_GROUP).filter_map(|at| self.0.get(at..at + CODE_GROUP)).collect();
        groups.join("-")
    }

    pub(super) fn hash(&self) -> String {
        HexBytes(Sha256::digest(&self.0).into()).to_string()
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(hidden)")
    }
}

/// Logs that a hash could not be computed, and returns the error.
fn defect() -> PlayerError {
    tracing::error!("a password hash could not be computed");
    PlayerError::Other(refusals::defect())
}

/// Computes slow password hashes. Each takes tens of milliseconds and several megabytes. So only
/// a few are computed at a time, on separate threads.
#[derive(Clone)]
pub(super) struct Hasher {
    argon2: Argon2<'static>,
    queue: HashQueue,
    threads: Background,
    /// The hash that is checked if the account does not exist, so that the check takes the same
    /// time.
    nobodys: Arc<str>,
}

impl Hasher {
    /// Returns a hasher with these settings. If argon2 does not allow the settings, the hasher
    /// uses argon2's defaults.
    pub(super) fn new(settings: &Passwords) -> Hasher {
        let params = Params::new(settings.memory_kib, settings.passes, LANES, None);
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.unwrap_or_default());
        let nobodys = hash_now(&argon2, "nobody has this password", [7; 16]).unwrap_or_default();
        let at_once = settings.at_once.clamp(1, 1_024);
        Hasher {
            argon2,
            queue: HashQueue::new(at_once, settings.waiting.clamp(1, 100_000)),
            threads: Background::new("passwords", at_once),
            nobodys: nobodys.into(),
        }
    }

    /// Hashes a password. The result is text that contains the salt, the parameters and the hash.
    pub(super) async fn hash(&self, share: Share, password: Password) -> Result<String, PlayerError> {
        let argon2 = self.argon2.clone();
        let salt = random_bytes()?;
        self.work(share, move || hash_now(&argon2, &password.0, salt)).await?.ok_or_else(defect)
    }

    /// True if the password matches the stored hash. If there is no stored hash, returns false
    /// after the same time.
    pub(super) async fn is_right(
        &self,
        share: Share,
        password: Password,
        kept: Option<&str>,
    ) -> Result<bool, PlayerError> {
        let (argon2, is_known) = (self.argon2.clone(), kept.is_some());
        let kept = kept.unwrap_or(&self.nobodys).to_owned();
        let verified = self.work(share, move || {
            let kept = PasswordHash::new(&kept).ok()?;
            Some(argon2.verify_password(password.0.as_bytes(), &kept).is_ok())
        });
        Ok(verified.await?.ok_or_else(defect)? && is_known)
    }

    /// True if the stored hash was made with settings other than the current ones.
    pub(super) fn is_outdated(&self, kept: &str) -> bool {
        let params = PasswordHash::new(kept).ok().and_then(|kept| Params::try_from(&kept).ok());
        params.is_none_or(|params| {
            let now = self.argon2.params();
            (params.m_cost(), params.t_cost(), params.p_cost()) != (now.m_cost(), now.t_cost(), now.p_cost())
        })
    }

    async fn work<T: Send + 'static>(
        &self,
        share: Share,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PlayerError> {
        let Ok(turn) = self.queue.turn(share).await else {
            counter!(names::PASSWORD_HASHES, "result" => "busy").increment(1);
            return Err(Refusal::new(Code::TOO_MANY).because("logins").into());
        };
        // The thread holds the turn. So even if the request is canceled, its place becomes free
        // only after the hash has been computed.
        let done = self.threads.run(move || {
            let began = Instant::now();
            let done = work();
            histogram!(names::PASSWORD_SECONDS).record(began.elapsed().as_secs_f64());
            drop(turn);
            done
        });
        counter!(names::PASSWORD_HASHES, "result" => "done").increment(1);
        done.await.map_err(|_| defect())
    }
}

fn hash_now(argon2: &Argon2<'static>, password: &str, salt: [u8; 16]) -> Option<String> {
    let salt = SaltString::encode_b64(&salt).ok()?;
    argon2.hash_password(password.as_bytes(), &salt).ok().map(|hash| hash.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheap() -> Passwords {
        Passwords { memory_kib: 16, passes: 1, at_once: 1, waiting: 1 }
    }

    fn share() -> Share {
        Share::Network(flagfall_base::admission::Network::of([192, 0, 2, 1].into()))
    }

    fn password(text: &str) -> Password {
        Password::choose(&Secret::new(text), "ana").unwrap()
    }

    #[test]
    fn unacceptable_passwords_say_why() {
        for (text, error) in [
            ("short", "length"),
            ("", "length"),
            (&"long".repeat(65), "length"),
            ("aaaaaaaaaaaa", "common"),
            ("password", "common"),
            ("12345678", "common"),
            ("Annabella1234", "has_name"),
            ("annabellaannabella", "has_name"),
        ] {
            let refused = Password::choose(&Secret::new(text), "annabella").unwrap_err();
            assert_eq!(refused.reason(), Some(error), "{text}");
        }
        assert!(Password::choose(&Secret::new("pässwörter"), "annabella").is_ok());
    }

    #[test]
    fn secrets_do_not_show() {
        let code = RecoveryCode::random().unwrap();
        assert_eq!(
            format!("{:?} {code:?}", password("purple hunter dance")),
            "Password(hidden) RecoveryCode(hidden)"
        );
    }

    #[test]
    fn a_recovery_code_is_known_however_it_is_typed() {
        let code = RecoveryCode::random().unwrap();
        let text = code.expose();
        assert_eq!((text.len(), text.matches('-').count()), (29, 4));
        for typed in [
            text.clone(),
            text.to_uppercase(),
            text.replace('-', " "),
            text.replace('0', "O").replace('1', "l"),
        ] {
            assert_eq!(RecoveryCode::typed(&Secret::new(typed)).hash(), code.hash());
        }
        assert_ne!(RecoveryCode::typed(&Secret::new("")).hash(), code.hash());
    }

    #[tokio::test]
    async fn a_password_is_known_again_and_no_other_one_is() {
        let hasher = Hasher::new(&cheap());
        let kept = hasher.hash(share(), password("correct horse")).await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=16,t=1,p=1$") && !kept.contains("horse"), "{kept}");
        assert_eq!(hasher.is_right(share(), password("correct horse"), Some(&kept)).await, Ok(true));
        assert_eq!(hasher.is_right(share(), password("wrong horse!"), Some(&kept)).await, Ok(false));
        assert_eq!(hasher.is_right(share(), password("nobody has this password"), None).await, Ok(false));
        assert_ne!(
            hasher.hash(share(), password("correct horse")).await.unwrap(),
            kept,
            "each hash has its own salt"
        );
        assert!(!hasher.is_outdated(&kept));
        assert!(Hasher::new(&Passwords { passes: 2, ..cheap() }).is_outdated(&kept));
    }

    #[tokio::test]
    async fn a_full_queue_asks_clients_to_retry() {
        let hasher = Hasher::new(&cheap());
        let at_work = hasher.queue.turn(share()).await.unwrap();
        let waiting = tokio::spawn({
            let hasher = hasher.clone();
            async move { hasher.hash(share(), password("correct horse")).await }
        });
        while hasher.queue.taken() < 2 {
            tokio::task::yield_now().await;
        }
        let refused = hasher.hash(share(), password("correct horse")).await.unwrap_err();
        assert_eq!(refused.to_string(), "too_many (reason=logins)");
        drop(at_work);
        assert!(waiting.await.unwrap().is_ok());
    }
}
