//! The operator's mail server, through which this server sends its mails: its address, its
//! credentials, and how the connection is encrypted.

use std::convert::Infallible;
use std::net::IpAddr;

use flagfall_base::origin::{Origin, host_and_port};
use flagfall_protocol::Secret;
use flagfall_tls::Trust;

pub use lettre::message::Mailbox;

use crate::secret_or_file::{SecretFileError, SecretOrFile};

/// Why the settings for mail cannot be used. The messages never contain a password.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    #[error(transparent)]
    File(#[from] SecretFileError),
    #[error(
        "must be smtps://USER:PASSWORD@HOST:PORT or smtp://USER:PASSWORD@HOST:PORT, or the name of a file that contains such a line"
    )]
    Form,
    #[error("a user name needs a password: smtps://USER:PASSWORD@HOST")]
    NoPassword,
}

/// How the connection to the relay is encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelaySecurity {
    /// TLS from the first byte (`smtps`).
    Tls,
    /// TLS after the command STARTTLS. Nothing is sent to a relay that does not support the
    /// command.
    StartTls,
    /// No TLS. Only for a relay on this machine.
    Plain,
}

/// The relay, and the sender of all mails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailRelay {
    pub host: String,
    pub port: u16,
    pub security: RelaySecurity,
    /// The user name and the password.
    pub credentials: Option<(String, Secret)>,
    pub trust: Trust,
    pub from: Mailbox,
    /// The public address of this server. Links in mails begin with this address.
    pub public_url: Origin,
}

impl MailRelay {
    /// Parses the setting that contains the relay's address, or names a file with the address. Text
    /// that may contain a password is never taken for a file name, because error messages contain
    /// the file name.
    pub fn source(text: &str) -> Result<SecretOrFile, Infallible> {
        Ok(SecretOrFile::parse(text, |text| text.contains("://") || text.contains('@')))
    }

    /// Reads the relay's address.
    pub fn read(
        source: &SecretOrFile,
        trust: Trust,
        from: Mailbox,
        public_url: Origin,
    ) -> Result<MailRelay, RelayError> {
        let url = source.read()?;
        let (scheme, rest) = url.expose().split_once("://").ok_or(RelayError::Form)?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "smtps" => true,
            "smtp" => false,
            _ => return Err(RelayError::Form),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, authority) = match rest.rsplit_once('@') {
            Some((user, authority)) => (Some(user), authority),
            None => (None, rest),
        };
        let (host, port) = host_and_port(authority).map_err(|_| RelayError::Form)?;
        let host = host.trim_matches(['[', ']']).to_owned();
        let credentials = user.map(credentials).transpose()?;
        let security = match is_tls {
            true => RelaySecurity::Tls,
            false if is_loopback(&host) => RelaySecurity::Plain,
            false => RelaySecurity::StartTls,
        };
        let port = port.unwrap_or(if is_tls { 465 } else { 587 });
        Ok(MailRelay { host, port, security, credentials, trust, from, public_url })
    }
}

/// Returns the relay's address without its password. Returns `None` if the address has no
/// credentials, or if the setting names a file that contains the address.
pub fn without_password(source: &SecretOrFile) -> Option<String> {
    let SecretOrFile::Secret(url) = source else { return None };
    let (before, host) = url.expose().rsplit_once('@')?;
    let (scheme, user) = before.split_once("://").unwrap_or(("smtp", ""));
    Some(format!("{scheme}://{}@{host}", user.split(':').next().unwrap_or_default()))
}

fn credentials(text: &str) -> Result<(String, Secret), RelayError> {
    let (user, password) = text.split_once(':').ok_or(RelayError::NoPassword)?;
    let user = decoded(user).filter(|user| !user.is_empty()).ok_or(RelayError::Form)?;
    let password = decoded(password).filter(|password| !password.is_empty()).ok_or(RelayError::NoPassword)?;
    Ok((user, Secret::new(password)))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Decodes percent-encoded text. `None` if a percent sign is not followed by two hexadecimal
/// digits, or if the result is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<MailRelay, String> {
        let source = MailRelay::source(text).unwrap();
        assert!(!format!("{source:?}").contains("hunter2"));
        let from = "Flagfall <mail@example.org>".parse().unwrap();
        let public_url = "https://play.example.org".parse().unwrap();
        MailRelay::read(&source, Trust::default(), from, public_url).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_says_where_the_relay_is_and_how_to_reach_it() {
        for (text, host, port, security) in [
            ("smtps://ann:hunter2@mail.example.org", "mail.example.org", 465, RelaySecurity::Tls),
            ("smtps://mail.example.org:1465/", "mail.example.org", 1465, RelaySecurity::Tls),
            ("smtp://Mail.example.org", "mail.example.org", 587, RelaySecurity::StartTls),
            ("smtp://10.0.0.5:25", "10.0.0.5", 25, RelaySecurity::StartTls),
            ("smtp://localhost:25", "localhost", 25, RelaySecurity::Plain),
            ("smtp://[::1]:25", "::1", 25, RelaySecurity::Plain),
        ] {
            let relay = read(text).unwrap();
            assert_eq!((relay.host.as_str(), relay.port, relay.security), (host, port, security), "{text}");
        }
        let relay = read("smtps://ann%40example.org:hunter2%2F%3A@mail.example.org").unwrap();
        let (user, password) = relay.credentials.as_ref().unwrap();
        assert_eq!((user.as_str(), password.expose()), ("ann@example.org", "hunter2/:"));
        assert!(!format!("{relay:?}").contains("hunter2"));
    }

    #[test]
    fn wrong_addresses_are_refused_without_their_password() {
        for text in [
            "smtp:/ann:hunter2@mail.example.org",
            "ann:hunter2@mail.example.org",
            "http://ann:hunter2@mail.example.org",
            "smtps://ann:hunter2@",
            "smtps://ann:hunter2@mail.example.org:0",
            "smtps://ann:hunter2@mail.example.org/box",
            "smtps://ann:hunter2%4@mail.example.org",
            "smtps://hunter2@mail.example.org",
            "smtps://ann:hunter2%@mail.example.org",
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("smtps://USER:PASSWORD@HOST") && !error.contains("hunter2"), "{error}");
        }
        assert!(read("/no/such/file").unwrap_err().starts_with("/no/such/file: "));
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let shown = |text: &str| without_password(&MailRelay::source(text).unwrap());
        assert_eq!(
            shown("smtps://ann:hunter2@mail.example.org:465").as_deref(),
            Some("smtps://ann@mail.example.org:465")
        );
        assert_eq!(shown("smtp://127.0.0.1:25"), None);
        assert_eq!(shown("/etc/flagfall/smtp"), None);
    }
}
