//! Tokens that were recently valid. They identify players while the store is unavailable.
//!
//! A token is remembered while it has an open connection, and for some time after that. The
//! server forgets it at once when it learns that the token was revoked, or that the token's
//! player was closed, deleted or renamed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::identity::{GuestPass, Principal, TokenHash};

/// The tokens that were recently valid. Methods take the time as an argument.
#[derive(Default)]
pub(crate) struct RecentTokens {
    absent_max: usize,
    stay: Duration,
    /// Boxed, because the map has room for more tokens than it holds.
    known: HashMap<TokenHash, Box<Visitor>>,
    of_player: HashMap<String, Vec<TokenHash>>,
    absent: BTreeMap<Departure, TokenHash>,
    numbers: u64,
}

/// The time at which a token's last connection ended, and a number. The number distinguishes
/// tokens with the same time.
type Departure = (Instant, u64);

/// A connection that uses a remembered token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Visit {
    token: TokenHash,
    /// The number of the token's entry. If the token was forgotten and then remembered again, its
    /// new entry has another number.
    since: u64,
}

struct Visitor {
    identity: Principal,
    since: u64,
    connections: usize,
    /// The time at which the token's last connection ended; `None` while the token has
    /// connections.
    left: Option<Departure>,
}

impl RecentTokens {
    pub(crate) fn new(absent_max: usize, stay: Duration) -> RecentTokens {
        RecentTokens { absent_max, stay, ..RecentTokens::default() }
    }

    /// Records a connection whose token the store has confirmed.
    pub(crate) fn enter(&mut self, token: TokenHash, identity: &Principal) -> Option<Visit> {
        if self.stay.is_zero() {
            return None;
        }
        if let Some(visitor) = self.known.get_mut(&token) {
            visitor.identity = identity.clone();
            return self.join(token);
        }
        self.numbers += 1;
        let since = self.numbers;
        let tokens = self.of_player.entry(identity.player.id.clone()).or_default();
        // Reserve space for only one more token, because most players have only one.
        tokens.reserve_exact(1);
        tokens.push(token);
        let visitor = Visitor { identity: identity.clone(), since, connections: 1, left: None };
        self.known.insert(token, Box::new(visitor));
        Some(Visit { token, since })
    }

    /// Records a connection that was identified without the store. Returns `None` if the token is
    /// not remembered.
    pub(crate) fn enter_again(&mut self, now: Instant, token: TokenHash) -> Option<(Visit, Principal)> {
        if !self.knows(now, &token) {
            return None;
        }
        let identity = self.known.get(&token)?.identity.clone();
        Some((self.join(token)?, identity))
    }

    /// True if the token was recently valid.
    pub(crate) fn knows(&self, now: Instant, token: &TokenHash) -> bool {
        self.known.get(token).is_some_and(|visitor| match visitor.left {
            None => true,
            Some((at, _)) => now.saturating_duration_since(at) < self.stay,
        })
    }

    /// Returns the data needed to store a player who was recently connected as a guest.
    pub(crate) fn pass_of(&self, player: &str) -> Option<Arc<GuestPass>> {
        let tokens = self.of_player.get(player)?;
        tokens.iter().find_map(|token| self.known.get(token)?.identity.pass.clone())
    }

    pub(crate) fn leave(&mut self, now: Instant, visit: Visit) {
        let Some(visitor) = self.known.get_mut(&visit.token) else { return };
        if visitor.since != visit.since {
            return;
        }
        visitor.connections = visitor.connections.saturating_sub(1);
        if visitor.connections == 0 {
            self.numbers += 1;
            let departure = (now, self.numbers);
            visitor.left = Some(departure);
            self.absent.insert(departure, visit.token);
        }
        self.clear(now);
    }

    /// Forgets a token, because it is not valid or could not be confirmed.
    pub(crate) fn forget(&mut self, token: TokenHash) {
        let Some(visitor) = self.known.remove(&token) else { return };
        if let Some(departure) = visitor.left {
            self.absent.remove(&departure);
        }
        let player = &visitor.identity.player.id;
        if let Some(tokens) = self.of_player.get_mut(player) {
            tokens.retain(|known| *known != token);
            if tokens.is_empty() {
                self.of_player.remove(player);
            }
        }
    }

    pub(crate) fn forget_token(&mut self, player: &str, token_id: &str) {
        for token in self.tokens_of(player) {
            if self.known.get(&token).is_some_and(|visitor| visitor.identity.token_id == token_id) {
                self.forget(token);
            }
        }
    }

    pub(crate) fn forget_player(&mut self, player: &str) {
        for token in self.tokens_of(player) {
            self.forget(token);
        }
    }

    pub(crate) fn forget_absent(&mut self) {
        for token in self.absent.values().copied().collect::<Vec<_>>() {
            self.forget(token);
        }
    }

    fn tokens_of(&self, player: &str) -> Vec<TokenHash> {
        self.of_player.get(player).cloned().unwrap_or_default()
    }

    fn join(&mut self, token: TokenHash) -> Option<Visit> {
        let visitor = self.known.get_mut(&token)?;
        visitor.connections += 1;
        if let Some(departure) = visitor.left.take() {
            self.absent.remove(&departure);
        }
        Some(Visit { token, since: visitor.since })
    }

    fn clear(&mut self, now: Instant) {
        while let Some((&(left, _), &token)) = self.absent.first_key_value() {
            let is_expired = now.saturating_duration_since(left) >= self.stay;
            if !is_expired && self.absent.len() <= self.absent_max {
                return;
            }
            self.forget(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::{Player, PlayerKind, Scope};

    use super::*;
    use crate::identity::Token;

    const STAY: Duration = Duration::from_secs(900);

    fn identity(player: &str, token_id: &str) -> Principal {
        let player = Player { id: player.to_owned(), name: player.to_owned(), kind: PlayerKind::Guest };
        Principal { player, token_id: token_id.to_owned(), scope: Scope::Play, pass: None }
    }

    fn token() -> TokenHash {
        Token::random().unwrap().digest()
    }

    /// Checks that no data about tokens remains in memory.
    #[track_caller]
    fn assert_empty(visitors: &RecentTokens) {
        assert!(visitors.known.is_empty() && visitors.of_player.is_empty() && visitors.absent.is_empty());
    }

    #[test]
    fn players_are_remembered_while_connected_and_for_a_while_after() {
        let (mut visitors, now, ana) = (RecentTokens::new(8, STAY), Instant::now(), token());
        assert!(!visitors.knows(now, &ana));
        let first = visitors.enter(ana, &identity("ana", "t")).unwrap();
        let hours_later = now + Duration::from_secs(9 * 3_600);
        let (second, known) = visitors.enter_again(hours_later, ana).unwrap();
        assert_eq!(known, identity("ana", "t"), "as long as a connection is open");
        visitors.leave(hours_later, first);
        assert!(visitors.knows(hours_later + STAY, &ana), "one is left");
        visitors.leave(hours_later, second);
        assert!(visitors.knows(hours_later + STAY - Duration::from_millis(1), &ana));
        assert!(!visitors.knows(hours_later + STAY, &ana));
        assert_eq!(visitors.enter_again(hours_later + STAY, ana), None);
    }

    #[test]
    fn returning_players_stay_under_their_current_name() {
        let (mut visitors, now, ana) = (RecentTokens::new(8, STAY), Instant::now(), token());
        let visit = visitors.enter(ana, &identity("ana", "t")).unwrap();
        visitors.leave(now, visit);
        let mut renamed = identity("ana", "t");
        renamed.player.name = "Anastasia".to_owned();
        let visit = visitors.enter(ana, &renamed).unwrap();
        let (again, known) = visitors.enter_again(now + STAY * 2, ana).unwrap();
        assert_eq!(known.player.name, "Anastasia");
        visitors.leave(now + STAY * 2, visit);
        visitors.leave(now + STAY * 2, again);
        assert_eq!((visitors.absent.len(), visitors.of_player["ana"].len()), (1, 1));
    }

    #[test]
    fn there_is_room_for_so_many_who_left_and_those_gone_longest_go_first() {
        let (mut visitors, now) = (RecentTokens::new(3, STAY), Instant::now());
        let tokens: Vec<TokenHash> = (0..10).map(|_| token()).collect();
        let visits: Vec<Visit> =
            tokens.iter().map(|hash| visitors.enter(*hash, &identity("ana", "t")).unwrap()).collect();
        // A token with an open connection does not count toward the limit on absent tokens.
        for (at, visit) in visits.iter().enumerate().skip(1) {
            visitors.leave(now + Duration::from_secs(at as u64), *visit);
        }
        let known: Vec<bool> = tokens.iter().map(|hash| visitors.knows(now, hash)).collect();
        let expected: Vec<bool> = (0..10).map(|at| at == 0 || at >= 7).collect();
        assert_eq!(known, expected);
        visitors.leave(now + STAY * 2, visits[0]);
        assert_eq!(visitors.known.len(), 1, "an expired token is not kept");
    }

    #[test]
    fn revoked_tokens_are_forgotten_even_while_connected() {
        let (mut visitors, now) = (RecentTokens::new(8, STAY), Instant::now());
        let (phone, desk, other) = (token(), token(), token());
        let phone_visit = visitors.enter(phone, &identity("ana", "phone")).unwrap();
        let desk_visit = visitors.enter(desk, &identity("ana", "desk")).unwrap();
        visitors.leave(now, desk_visit);
        visitors.enter(other, &identity("bo", "phone")).unwrap();
        visitors.forget_token("ana", "phone");
        visitors.forget_token("nobody", "phone");
        assert_eq!(visitors.enter_again(now, phone), None);
        assert!(visitors.knows(now, &desk) && visitors.knows(now, &other));
        // When the connection of the forgotten token ends, the token is not remembered again.
        visitors.leave(now, phone_visit);
        assert!(!visitors.knows(now, &phone));
        visitors.forget_player("ana");
        assert!(!visitors.knows(now, &desk) && visitors.knows(now, &other));
        visitors.forget(other);
        assert_empty(&visitors);
    }

    #[test]
    fn the_connections_of_before_do_not_count_for_a_token_that_came_anew() {
        let (mut visitors, now, ana) = (RecentTokens::new(8, STAY), Instant::now(), token());
        let before = visitors.enter(ana, &identity("ana", "t")).unwrap();
        visitors.forget(ana);
        let anew = visitors.enter(ana, &identity("ana", "t")).unwrap();
        visitors.leave(now, before);
        assert!(visitors.knows(now + STAY * 2, &ana), "its connection is open");
        visitors.leave(now, anew);
        assert!(!visitors.knows(now + STAY * 2, &ana));
    }

    #[test]
    fn absent_players_are_forgotten_after_a_long_silence() {
        let (mut visitors, now) = (RecentTokens::new(8, STAY), Instant::now());
        let (here, gone) = (token(), token());
        visitors.enter(here, &identity("ana", "t")).unwrap();
        let visit = visitors.enter(gone, &identity("bo", "t")).unwrap();
        visitors.leave(now, visit);
        visitors.forget_absent();
        assert!(visitors.knows(now, &here) && !visitors.knows(now, &gone));
    }

    #[test]
    fn memory_of_tokens_can_be_switched_off() {
        let (mut visitors, now, ana) = (RecentTokens::new(8, Duration::ZERO), Instant::now(), token());
        assert_eq!(visitors.enter(ana, &identity("ana", "t")), None);
        assert!(!visitors.knows(now, &ana));
        assert_empty(&visitors);
    }
}
