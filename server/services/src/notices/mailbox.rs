//! The record of the address to which a player gets e-mail, and the jobs of its mails.

use flagfall_base::identity::Token;
use flagfall_board::Stamp;
use flagfall_protocol::{
    Code, EMAIL_LEN_MAX, EmailInfo, EmailState, HexBytes, MailLanguage, Notice, Refusal,
};
use lettre::Address;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::refused::Refused;

/// The time for which a confirmation link is valid, in milliseconds.
pub(super) const LINK_MS: u64 = 24 * 3_600_000;
/// The maximum number of links that are valid at the same time.
const LINKS_MAX: usize = 4;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct EmailRecord {
    pub(super) address: String,
    pub(super) language: MailLanguage,
    pub(super) state: EmailState,
    pub(super) created: u64,
    /// The time of the last request for a confirmation mail.
    pub(super) asked: u64,
    /// The links with which the address can be confirmed.
    #[serde(default)]
    pub(super) links: Vec<ConfirmLink>,
    /// The time of the last mail about turns; 0 if there was none.
    #[serde(default)]
    pub(super) last: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ConfirmLink {
    hash: String,
    until: u64,
}

impl EmailRecord {
    /// Returns the record of an address that is being set. `last` is the time of the last mail
    /// about turns to an earlier address.
    pub(super) fn new(address: String, now: Stamp, last: u64) -> EmailRecord {
        let (language, state) = (MailLanguage::default(), EmailState::Pending);
        EmailRecord { address, language, state, created: now.0, asked: now.0, links: Vec::new(), last }
    }

    pub(super) fn info(self) -> EmailInfo {
        let EmailRecord { address, language, state, created, .. } = self;
        EmailInfo { address, language, state, created }
    }

    pub(super) fn add_link(&mut self, hash: String, now: Stamp) {
        self.links.retain(|link| link.until > now.0);
        while self.links.len() >= LINKS_MAX {
            self.links.remove(0);
        }
        self.links.push(ConfirmLink { hash, until: now.plus_ms(LINK_MS).0 });
    }

    pub(super) fn has_link(&self, token: &str, now: Stamp) -> bool {
        let hash = token.parse::<Token>().map(|token| token.hash());
        hash.is_ok_and(|hash| self.links.iter().any(|link| link.hash == hash && link.until > now.0))
    }
}

/// The player and the address that a link in a mail is for, to be shown on the page that the link
/// opens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkedEmail {
    pub name: String,
    pub address: String,
    pub language: MailLanguage,
}

/// The content of a job that sends a mail.
#[derive(Serialize, Deserialize)]
#[serde(tag = "mail", rename_all = "snake_case")]
pub(super) enum WaitingMail {
    Confirmation {},
    Turn { notice: Notice, announced: u64 },
}

/// Checks an address that a player has given.
pub(super) fn checked(address: &str) -> Result<Address, Refused> {
    let bad = || Refusal::new(Code::BAD_EMAIL).with("max", EMAIL_LEN_MAX);
    let address = address.trim();
    // IP addresses in brackets are refused, because mail servers do not accept them.
    let is_plain = address.len() <= EMAIL_LEN_MAX && address.bytes().all(|byte| byte.is_ascii_graphic());
    let parsed = address.parse().ok().filter(|_| is_plain && !address.contains(['[', '"', '<', '>', ',']));
    Ok(parsed.ok_or_else(bad)?)
}

/// Returns a hash of the mailbox behind an address. Ignores case, and any text after a plus sign,
/// because such addresses usually share a mailbox.
pub(super) fn box_hash(address: &str) -> String {
    let address = address.to_ascii_lowercase();
    let (user, domain) = address.rsplit_once('@').unwrap_or((&address, ""));
    let user = user.split('+').next().unwrap_or_default();
    HexBytes(Sha256::digest(format!("{user}@{domain}")).into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_add_no_headers() {
        for good in ["ann@example.org", " ann.b+flagfall@mail.example.org ", "o'neil@example.org"] {
            assert_eq!(checked(good).unwrap().to_string(), good.trim());
        }
        let long = format!("{}@example.org", "a".repeat(260));
        for bad in [
            "",
            "ann",
            "ann@",
            "@example.org",
            "ann@example.org\r\nBcc: bob@example.org",
            "ann@example.org, bob@example.org",
            "Ann <ann@example.org>",
            "\"a b\"@example.org",
            "ann@[127.0.0.1]",
            "анна@example.org",
            "ann@пример.рф",
            &long,
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_mailbox_has_one_hash() {
        assert_eq!(box_hash("Ann+games@Example.org"), box_hash("ann@example.org"));
        assert_ne!(box_hash("bob@example.org"), box_hash("ann@example.org"));
    }
}
