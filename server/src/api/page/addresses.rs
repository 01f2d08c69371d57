//! The addresses of the page.

use flagfall_board::GameId;

/// An address of the page, or a pattern for several addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// The path. A part in braces is a placeholder; see [`is_part`].
    pub(crate) path: &'static str,
    /// The name of the module in `client-web/page/pages` that shows this address.
    pub(super) page: &'static str,
}

/// All addresses of the page. `client-web/page/route.js` parses the same addresses.
pub(crate) const ADDRESSES: &[Address] = &[
    Address { path: "/", page: "home" },
    Address { path: "/play", page: "play" },
    Address { path: "/challenge", page: "challenge" },
    Address { path: "/game/{game}", page: "game" },
    Address { path: "/games", page: "games" },
    Address { path: "/watch", page: "watch" },
    Address { path: "/replay", page: "replay" },
    Address { path: "/replay/{game}", page: "replay" },
    Address { path: "/rules", page: "rules" },
    Address { path: "/rules/{ruleset}", page: "rules" },
    Address { path: "/deployments", page: "deployments" },
    Address { path: "/deployments/{ruleset}", page: "deployment" },
    Address { path: "/deployments/{ruleset}/{deployment}", page: "deployment" },
    Address { path: "/@/{player}", page: "profile" },
    Address { path: "/leaderboard", page: "leaderboard" },
    Address { path: "/leaderboard/{ruleset}/{speed}", page: "leaderboard" },
    Address { path: "/statistics", page: "statistics" },
    Address { path: ACCOUNT, page: "account" },
    Address { path: "/settings", page: "settings" },
    Address { path: "/about", page: "about" },
];

/// The name of the module that is shown for unknown addresses.
pub(super) const UNKNOWN: &str = "unknown";

/// The address of the page for accounts, to which `/.well-known/change-password` redirects.
pub(crate) const ACCOUNT: &str = "/account";

impl Address {
    /// True if a path matches this address.
    fn is_at(&self, path: &str) -> bool {
        let (mut wanted, mut parts) = (self.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), parts.next()) {
                (None, None) => return true,
                (Some(wanted), Some(part)) if is_part(wanted, part) => {}
                _ => return false,
            }
        }
    }
}

/// True if `part`, a part of a path, matches the part `wanted` of an address. A game or player in
/// the path need not exist, because the page itself reports that it is missing.
fn is_part(wanted: &str, part: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    match wanted {
        "{game}" => part.parse::<GameId>().is_ok(),
        "{ruleset}" => {
            !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        }
        "{deployment}" => (1..=30).contains(&part.len()) && part.bytes().all(is_word),
        "{player}" => (2..=20).contains(&part.len()) && part.bytes().all(is_word),
        "{speed}" => !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase()),
        _ => wanted == part && !wanted.starts_with('{'),
    }
}

/// Returns the name of the module that shows a path; `None` if the page has no such address.
pub(super) fn page_at(path: &str) -> Option<&'static str> {
    ADDRESSES.iter().find(|address| address.is_at(path)).map(|address| address.page)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn paths_lead_to_their_pages_and_others_nowhere() {
        for (path, page) in [
            ("/", Some("home")),
            ("/play", Some("play")),
            ("/challenge", Some("challenge")),
            ("/game/d290kyvg7ctb", Some("game")),
            ("/game/{game}", None),
            ("/game/short", None),
            ("/game/", None),
            ("/game", None),
            ("/game/d290kyvg7ctb/", None),
            ("/play/", None),
            ("//", None),
            ("", None),
            ("/games", Some("games")),
            ("/watch", Some("watch")),
            ("/replay", Some("replay")),
            ("/replay/d290kyvg7ctb", Some("replay")),
            ("/replay/short", None),
            ("/rules", Some("rules")),
            ("/rules/shadowflash-1", Some("rules")),
            ("/rules/Classic", None),
            ("/rules/", None),
            ("/rules/{ruleset}", None),
            ("/deployments", Some("deployments")),
            ("/deployments/classic", Some("deployment")),
            ("/deployments/classic/my_own-2", Some("deployment")),
            ("/deployments/classic/", None),
            ("/deployments/classic/a/b", None),
            ("/deployments/classic/0123456789012345678901234567890", None),
            ("/@/ann", Some("profile")),
            ("/@/a", None),
            ("/@/a%20b", None),
            ("/@/012345678901234567890", None),
            ("/@", None),
            ("/leaderboard", Some("leaderboard")),
            ("/leaderboard/classic/blitz", Some("leaderboard")),
            ("/leaderboard/classic", None),
            ("/leaderboard/classic/5", None),
            ("/statistics", Some("statistics")),
            ("/account", Some("account")),
            ("/account/x", None),
            ("/settings", Some("settings")),
            ("/about", Some("about")),
        ] {
            assert_eq!(page_at(path), page, "{path}");
        }
    }

    #[test]
    fn every_page_has_an_address_and_every_address_a_page() {
        let shown: BTreeSet<&str> = ADDRESSES.iter().map(|address| address.page).chain([UNKNOWN]).collect();
        assert_eq!(
            shown,
            flagfall_page::pages().collect::<BTreeSet<_>>(),
            "ADDRESSES and client-web/page/pages"
        );
    }
}
