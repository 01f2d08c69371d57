//! The addresses of the page.

use flagfall_board::GameId;

/// An address of the page, or a group of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// Its path. `{game}` stands for the id of a game.
    pub(crate) path: &'static str,
    /// The module in `client-web/page/pages` that shows it.
    pub(super) page: &'static str,
}

/// Every address of the page, as `client-web/page/route.js` reads them.
pub(crate) const ADDRESSES: &[Address] = &[
    Address { path: "/", page: "home" },
    Address { path: "/play", page: "play" },
    Address { path: "/challenge", page: "challenge" },
    Address { path: "/game/{game}", page: "game" },
];

/// The module that shows addresses that do not exist.
pub(super) const UNKNOWN: &str = "unknown";

/// Where accounts are managed: where `/.well-known/change-password` leads.
pub(crate) const ACCOUNT: &str = "/account";

impl Address {
    /// True if a path is this address, or one of this group.
    fn is_at(&self, path: &str) -> bool {
        let (mut wanted, mut parts) = (self.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), parts.next()) {
                (None, None) => return true,
                (Some("{game}"), Some(id)) if id.parse::<GameId>().is_ok() => {}
                (Some(wanted), Some(part)) if wanted == part && !wanted.starts_with('{') => {}
                _ => return false,
            }
        }
    }
}

/// The module that shows a path, if the page has this address.
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
            ("/account", None),
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
