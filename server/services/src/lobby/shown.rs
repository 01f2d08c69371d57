//! Chooses the open seeks that watchers see. The space in a message is limited, and one network
//! address must not crowd out the others.

use std::collections::HashMap;

use flagfall_protocol::Seek;

use flagfall_base::admission::Network;

/// The maximum number of seeks that the lobby lists. If all seeks were as long as possible, a
/// message could not contain more.
pub(super) const LISTED_SEEKS_MAX: usize = 80;

/// Returns the seeks to list, oldest first. Takes one seek from each address, then another from
/// each address, and so on, until the list is full. If this server does not know a seeker's
/// address, it treats the seeker as a separate address.
pub(super) fn shown(seeks: &[&Seek], network_of: impl Fn(&str) -> Option<Network>) -> Vec<Seek> {
    let cloned = |seek: &&Seek| Seek::clone(seek);
    if seeks.len() <= LISTED_SEEKS_MAX {
        return seeks.iter().map(cloned).collect();
    }
    let mut of_address: HashMap<(Option<Network>, String), usize> = HashMap::new();
    let mut ranked: Vec<(usize, usize)> = Vec::with_capacity(seeks.len());
    for (at, seek) in seeks.iter().enumerate() {
        let network = network_of(&seek.seeker.id);
        let alone = if network.is_none() { seek.seeker.id.clone() } else { String::new() };
        let before = of_address.entry((network, alone)).or_default();
        ranked.push((*before, at));
        *before += 1;
    }
    ranked.sort_unstable();
    ranked.truncate(LISTED_SEEKS_MAX);
    let mut is_listed = vec![false; seeks.len()];
    for (_, at) in ranked {
        is_listed[at] = true;
    }
    seeks.iter().zip(is_listed).filter(|(_, is_listed)| *is_listed).map(|(seek, _)| cloned(seek)).collect()
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::{Player, PlayerKind, Terms, Time};

    use super::*;

    fn seek(number: usize, seeker: &str) -> Seek {
        Seek {
            id: format!("s{number}"),
            seeker: Player { id: seeker.to_owned(), name: seeker.to_owned(), kind: PlayerKind::Guest },
            terms: Terms {
                ruleset: "classic".to_owned(),
                time: Time::Unlimited {},
                private: false,
                secret: false,
                rated: false,
            },
            side: None,
            rating: None,
            seeker_rating: None,
        }
    }

    /// Gives an address to players named `a…`, and another one to players named `b…`. Other
    /// players have no known address.
    fn network_of(player: &str) -> Option<Network> {
        let last = match player.as_bytes()[0] {
            b'a' => 1,
            b'b' => 2,
            _ => return None,
        };
        Some(Network::of([192, 0, 2, last].into()))
    }

    #[test]
    fn an_address_that_fills_the_lobby_hides_no_other() {
        let mut seeks: Vec<Seek> = (0..500).map(|number| seek(number, &format!("a{number}"))).collect();
        seeks.extend([seek(500, "bo"), seek(501, "cy"), seek(502, "dee"), seek(503, "bea")]);
        let listed = shown(&seeks.iter().collect::<Vec<_>>(), network_of);
        assert_eq!(listed.len(), LISTED_SEEKS_MAX);
        let ids: Vec<&str> = listed.iter().map(|seek| seek.id.as_str()).collect();
        assert_eq!((ids[0], ids[75]), ("s0", "s75"), "oldest first");
        assert_eq!(ids[76..], ["s500", "s501", "s502", "s503"]);
    }

    #[test]
    fn a_lobby_with_room_lists_all() {
        let seeks: Vec<Seek> = (0..LISTED_SEEKS_MAX).map(|number| seek(number, "ana")).collect();
        assert_eq!(shown(&seeks.iter().collect::<Vec<_>>(), network_of), seeks);
    }
}
