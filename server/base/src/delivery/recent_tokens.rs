//! Whose tokens were good here a short while ago: what a server goes by while its store, which knows all tokens, is away.
//!
//! Nobody is asked by it who can be looked up. A token is in it from the moment its connection is let in, for as long as that is open, and some time
//! longer; it is out of it at once when this server hears that the token was taken back or its player closed, deleted or renamed.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::identity::{GuestPass, Identity, TokenHash};

/// The tokens that were good here lately. Time is an argument.
#[derive(Default)]
pub(crate) struct RecentTokens {
    /// How many are kept whose connections are all gone.
    absent_max: usize,
    /// How long they are.
    stay: Duration,
    known: HashMap<TokenHash, Visitor>,
    of_player: HashMap<String, Vec<TokenHash>>,
    /// Those without a connection, by when the last one ended: whoever has been away for the longest is forgotten first.
    absent: BTreeMap<Departure, TokenHash>,
    numbers: u64,
}

/// When a visitor's last connection ended; the number tells those of one moment apart.
type Departure = (Instant, u64);

/// A connection's part in what is known of its token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Visit {
    token: TokenHash,
    /// Of a token that was forgotten and came anew, the earlier connections count no more.
    since: u64,
}

struct Visitor {
    identity: Identity,
    since: u64,
    connections: usize,
    /// None while there are connections.
    left: Option<Departure>,
}

impl RecentTokens {
    /// Nobody yet. At most so many are kept whose connections are gone, for so long; for no time at all nobody is kept.
    pub(crate) fn new(absent_max: usize, stay: Duration) -> RecentTokens {
        RecentTokens { absent_max, stay, ..RecentTokens::default() }
    }

    /// A connection that the store has vouched for.
    pub(crate) fn enter(&mut self, token: TokenHash, identity: &Identity) -> Option<Visit> {
        if self.stay.is_zero() {
            return None;
        }
        if let Some(visitor) = self.known.get_mut(&token) {
            visitor.identity = identity.clone();
            return self.join(token);
        }
        self.numbers += 1;
        let since = self.numbers;
        self.of_player.entry(identity.player.id.clone()).or_default().push(token);
        self.known.insert(token, Visitor { identity: identity.clone(), since, connections: 1, left: None });
        Some(Visit { token, since })
    }

    /// A connection nobody but this memory vouches for; none when it does not know the token.
    pub(crate) fn enter_again(&mut self, now: Instant, token: TokenHash) -> Option<(Visit, Identity)> {
        if !self.knows(now, &token) {
            return None;
        }
        let identity = self.known.get(&token)?.identity.clone();
        Some((self.join(token)?, identity))
    }

    /// Whether the token was good a short while ago.
    pub(crate) fn knows(&self, now: Instant, token: &TokenHash) -> bool {
        self.known.get(token).is_some_and(|visitor| match visitor.left {
            None => true,
            Some((at, _)) => now.saturating_duration_since(at) < self.stay,
        })
    }

    /// What it takes to store a player who was here lately as a guest.
    pub(crate) fn pass_of(&self, player: &str) -> Option<GuestPass> {
        let tokens = self.of_player.get(player)?;
        tokens.iter().find_map(|token| self.known.get(token)?.identity.pass().cloned())
    }

    /// A connection has ended.
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

    /// The token is good no more, or nobody can say.
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

    /// Forgets the token of this id.
    pub(crate) fn forget_token(&mut self, player: &str, token_id: &str) {
        for token in self.tokens_of(player) {
            if self.known.get(&token).is_some_and(|visitor| visitor.identity.token_id == token_id) {
                self.forget(token);
            }
        }
    }

    /// Forgets all tokens of a player.
    pub(crate) fn forget_player(&mut self, player: &str) {
        for token in self.tokens_of(player) {
            self.forget(token);
        }
    }

    /// Forgets whoever has no connection.
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

    /// Forgets who has been away for too long, and as many more as are too many.
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

    fn identity(player: &str, token_id: &str) -> Identity {
        let player = Player { id: player.to_owned(), name: player.to_owned(), kind: PlayerKind::Guest };
        Identity { player, token_id: token_id.to_owned(), scope: Scope::Play, pass: None }
    }

    fn token() -> TokenHash {
        Token::random().unwrap().digest()
    }

    /// Nothing is left of what was forgotten.
    #[track_caller]
    fn assert_empty(visitors: &RecentTokens) {
        assert!(visitors.known.is_empty() && visitors.of_player.is_empty() && visitors.absent.is_empty());
    }

    #[test]
    fn who_was_here_is_known_while_connected_and_for_a_while_after() {
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
    fn who_comes_back_stays_and_is_called_as_the_store_calls_him_today() {
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
        // Somebody who stays is never too many.
        for (at, visit) in visits.iter().enumerate().skip(1) {
            visitors.leave(now + Duration::from_secs(at as u64), *visit);
        }
        let known: Vec<bool> = tokens.iter().map(|hash| visitors.knows(now, hash)).collect();
        let expected: Vec<bool> = (0..10).map(|at| at == 0 || at >= 7).collect();
        assert_eq!(known, expected);
        visitors.leave(now + STAY * 2, visits[0]);
        assert_eq!(visitors.known.len(), 1, "whoever has expired is not kept");
    }

    #[test]
    fn what_is_taken_back_is_forgotten_at_once_whoever_is_connected() {
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
        // What its connection does afterwards changes nothing.
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
    fn after_a_long_silence_whoever_is_not_here_is_forgotten() {
        let (mut visitors, now) = (RecentTokens::new(8, STAY), Instant::now());
        let (here, gone) = (token(), token());
        visitors.enter(here, &identity("ana", "t")).unwrap();
        let visit = visitors.enter(gone, &identity("bo", "t")).unwrap();
        visitors.leave(now, visit);
        visitors.forget_absent();
        assert!(visitors.knows(now, &here) && !visitors.knows(now, &gone));
    }

    #[test]
    fn an_operator_may_want_nobody_remembered() {
        let (mut visitors, now, ana) = (RecentTokens::new(8, Duration::ZERO), Instant::now(), token());
        assert_eq!(visitors.enter(ana, &identity("ana", "t")), None);
        assert!(!visitors.knows(now, &ana));
        assert_empty(&visitors);
    }
}
