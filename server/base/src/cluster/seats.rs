//! Seats: the games that players have open, on this server and on others.
//!
//! A server sends changes of its seats immediately, and lists all of them every few seconds.
//! Every notice about seats is also a heartbeat, and a server sends at least one per second. If a
//! server is silent for too long, the others drop its seats. They also drop a seat if its server
//! has not listed it for a while.
//!
//! These rules apply only while this server receives the notices that it sends itself. A server
//! that does not receive them may be cut off or suspended, and cannot tell who is absent. When it
//! receives them again, it measures all silences from that moment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The longest silence before a server's seats are dropped. A server that has not received its
/// own notices for longer than this cannot tell who is absent.
const SILENCE_MAX: Duration = Duration::from_millis(3_500);
/// The time for which a seat is kept after its server last listed it.
const SEAT_LIFE: Duration = Duration::from_secs(16);
/// The maximum number of seats in one notice. A notice of 64 KiB could contain slightly more.
const TOLD_MAX: usize = 800;

/// A seat, and the time at which its driving connection took it. The time is `None` if the seat
/// is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seating(pub GameId, pub Side, pub Option<Stamp>);

/// A player's newest seat on another server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// The time at which the seat's driving connection took it.
    pub since: Stamp,
    /// True if this seat counts as newer than a seat on this server that has the same stamp. Both
    /// servers decide this in the same way.
    pub wins_ties: bool,
}

impl Elsewhere {
    pub fn is_after(self, here: Stamp) -> bool {
        self.since > here || (self.since == here && self.wins_ties)
    }
}

/// The seats of all servers, as far as this server knows them. Cheap to clone; all clones share
/// the same state.
#[derive(Clone)]
pub struct Seats {
    shared: Arc<Shared>,
}

struct Shared {
    server: String,
    state: Mutex<State>,
    sight: Mutex<Option<Sight>>,
    changed: Notify,
}

/// A period in which this server has received its own notices without a long silence.
#[derive(Clone, Copy)]
struct Sight {
    /// The start of the period, by the store's clock.
    since: Stamp,
    began: Instant,
    last_heard: Instant,
}

#[derive(Default)]
struct State {
    own: HashMap<(GameId, Side), Stamp>,
    /// The seats whose changes must still be sent to other servers. The value is true if the
    /// seat's player left on purpose.
    news: HashMap<(GameId, Side), bool>,
    others: HashMap<GameId, Vec<Other>>,
    servers: HashMap<Arc<str>, Instant>,
}

struct Other {
    side: Side,
    server: Arc<str>,
    since: Stamp,
    heard: Instant,
    /// True if the player left on purpose. Such an entry is kept until the table has read it.
    has_left: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SeatNews {
    pub seats: Vec<Seating>,
    /// The empty seats whose players left on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<(GameId, Side)>,
}

impl Seats {
    /// Returns a state without any seats. `server` is the id of this server.
    pub fn new(server: String) -> Seats {
        let (state, sight, changed) = (Mutex::default(), Mutex::default(), Notify::new());
        Seats { shared: Arc::new(Shared { server, state, sight, changed }) }
    }

    pub fn server(&self) -> &str {
        &self.shared.server
    }

    /// Returns the `Notify` that signals that there are seats to send to other servers.
    pub fn changed(&self) -> &Notify {
        &self.shared.changed
    }

    /// Records the time at which a player took a seat on this server. `None` means that the seat
    /// is empty. In that case, `has_left` says whether the player left on purpose.
    pub fn note(&self, game: GameId, side: Side, since: Option<Stamp>, has_left: bool) {
        let mut state = self.shared.state.lock();
        let before = match since {
            Some(since) => state.own.insert((game, side), since),
            None => state.own.remove(&(game, side)),
        };
        if before != since {
            state.news.insert((game, side), since.is_none() && has_left);
            self.shared.changed.notify_one();
        }
    }

    pub fn repeat(&self) {
        let mut state = self.shared.state.lock();
        let State { own, news, .. } = &mut *state;
        news.extend(own.keys().map(|place| (*place, false)));
        self.shared.changed.notify_one();
    }

    /// Takes the next seats to send, as many as fit into one notice. The flag is true if these
    /// are the last ones.
    pub fn take_news(&self) -> (SeatNews, bool) {
        let mut state = self.shared.state.lock();
        let taken: Vec<_> = state.news.iter().map(|(place, left)| (*place, *left)).take(TOLD_MAX).collect();
        for (place, _) in &taken {
            state.news.remove(place);
        }
        let told = |((game, side), _)| Seating(game, side, state.own.get(&(game, side)).copied());
        let left = taken.iter().filter(|(_, left)| *left).map(|(place, _)| *place).collect();
        (SeatNews { seats: taken.into_iter().map(told).collect(), left }, state.news.is_empty())
    }

    /// Puts seats that could not be sent back into the queue.
    pub fn put_back(&self, news: &SeatNews) {
        let mut state = self.shared.state.lock();
        for Seating(game, side, since) in &news.seats {
            let place = (*game, *side);
            state.news.entry(place).or_insert(since.is_none() && news.left.contains(&place));
        }
    }

    /// Handles the seats in a notice from a server. The sender may be this server itself. `at` is
    /// the stamp that the store gave the notice. Returns the games whose seats have changed.
    pub fn hear(&self, now: Instant, at: Stamp, server: &str, told: &SeatNews) -> Vec<GameId> {
        if server == self.shared.server {
            self.hear_own(now, at);
            return Vec::new();
        }
        let mut state = self.shared.state.lock();
        let server: Arc<str> = match state.servers.get_key_value(server) {
            Some((known, _)) => known.clone(),
            None => server.into(),
        };
        state.servers.insert(server.clone(), now);
        let left: HashSet<(GameId, Side)> = told.left.iter().copied().collect();
        let mut is_change =
            |seating: Seating| state.take(now, &server, seating, left.contains(&(seating.0, seating.1)));
        told.seats.iter().filter(|told| is_change(**told)).map(|told| told.0).collect()
    }

    fn hear_own(&self, now: Instant, at: Stamp) {
        let sight = self.sight(now).unwrap_or(Sight { since: at, began: now, last_heard: now });
        *self.shared.sight.lock() = Some(Sight { last_heard: now, ..sight });
    }

    /// Drops the seats of a server that is stopping. Returns the games whose seats have changed.
    pub fn forget(&self, server: &str) -> Vec<GameId> {
        let mut state = self.shared.state.lock();
        state.servers.remove(server);
        state.drop_others(|other| &*other.server == server)
    }

    /// Drops servers that have been silent for too long, and seats that have not been listed for
    /// too long. Returns the games whose seats have changed.
    pub fn expire(&self, now: Instant) -> Vec<GameId> {
        let Some(Sight { began, .. }) = self.sight(now) else { return Vec::new() };
        let mut state = self.shared.state.lock();
        let age = |heard: Instant| now.saturating_duration_since(heard.max(began));
        let mut gone = HashSet::new();
        state.servers.retain(|server, heard| {
            let is_there = age(*heard) <= SILENCE_MAX;
            if !is_there {
                gone.insert(server.clone());
            }
            is_there
        });
        state.drop_others(|other| gone.contains(&other.server) || age(other.heard) > SEAT_LIFE)
    }

    /// Returns the newest seat of each player of a game on other servers.
    pub fn elsewhere(&self, game: GameId) -> PerSide<Option<Elsewhere>> {
        let state = self.shared.state.lock();
        let others = state.others.get(&game).map_or(&[][..], Vec::as_slice);
        PerSide::from_fn(|side| {
            let newest = others
                .iter()
                .filter(|other| other.side == side && !other.has_left)
                .max_by(|one, other| (one.since, &one.server).cmp(&(other.since, &other.server)))?;
            Some(Elsewhere { since: newest.since, wins_ties: *newest.server > *self.shared.server })
        })
    }

    /// Returns which players left a seat on another server on purpose. Also forgets these seats,
    /// so that each departure is reported only once, because the player may come back.
    #[must_use]
    pub fn take_left(&self, game: GameId) -> PerSide<bool> {
        let mut state = self.shared.state.lock();
        let Some(others) = state.others.get_mut(&game) else { return PerSide::default() };
        let left = PerSide::from_fn(|side| others.iter().any(|other| other.side == side && other.has_left));
        others.retain(|other| !other.has_left);
        if others.is_empty() {
            state.others.remove(&game);
        }
        left
    }

    /// Returns the start of the period in which this server can tell who is absent, by the
    /// store's clock. `None` if it cannot tell.
    pub fn sighted_since(&self, now: Instant) -> Option<Stamp> {
        Some(self.sight(now)?.since)
    }

    fn sight(&self, now: Instant) -> Option<Sight> {
        let sight = *self.shared.sight.lock();
        sight.filter(|sight| now.saturating_duration_since(sight.last_heard) <= SILENCE_MAX)
    }
}

impl State {
    /// Records a seat on another server. Returns true if it has changed.
    fn take(
        &mut self,
        now: Instant,
        server: &Arc<str>,
        Seating(game, side, since): Seating,
        has_left: bool,
    ) -> bool {
        let others = self.others.entry(game).or_default();
        let known = others.iter().position(|other| other.side == side && other.server == *server);
        let is_change = match (since, known) {
            (Some(since), Some(at)) => {
                let known = &mut others[at];
                known.heard = now;
                let was_left = std::mem::take(&mut known.has_left);
                std::mem::replace(&mut known.since, since) != since || was_left
            }
            (Some(since), None) => {
                others.push(Other { side, server: server.clone(), since, heard: now, has_left: false });
                true
            }
            (None, Some(at)) if has_left => {
                others[at].heard = now;
                !std::mem::replace(&mut others[at].has_left, true)
            }
            (None, Some(at)) => !others.swap_remove(at).has_left,
            (None, None) => false,
        };
        if others.is_empty() {
            self.others.remove(&game);
        }
        is_change
    }

    fn drop_others(&mut self, is_gone: impl Fn(&Other) -> bool) -> Vec<GameId> {
        let mut changed = Vec::new();
        self.others.retain(|game, others| {
            let before = others.len();
            others.retain(|other| !is_gone(other));
            if others.len() < before {
                changed.push(*game);
            }
            !others.is_empty()
        });
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: fn() -> GameId = || GameId::from_random([7; 12]);
    const SECOND: Duration = Duration::from_secs(1);

    fn here(since: u64) -> Seating {
        Seating(GAME(), Side::Red, Some(Stamp(since)))
    }

    fn gone() -> Seating {
        Seating(GAME(), Side::Red, None)
    }

    fn seats_only(seats: &[Seating]) -> SeatNews {
        SeatNews { seats: seats.to_vec(), left: Vec::new() }
    }

    fn sighted(server: &str, now: Instant) -> Seats {
        let seats = Seats::new(server.to_owned());
        assert!(seats.hear(now, Stamp(1), server, &seats_only(&[])).is_empty());
        seats
    }

    #[test]
    fn other_servers_hear_of_changes_and_of_everything_on_request() {
        let seats = Seats::new("a".to_owned());
        seats.note(GAME(), Side::Red, Some(Stamp(5)), false);
        assert_eq!(seats.take_news(), (seats_only(&[here(5)]), true));
        seats.note(GAME(), Side::Red, Some(Stamp(5)), false);
        assert_eq!(seats.take_news(), (seats_only(&[]), true));
        seats.repeat();
        assert_eq!(seats.take_news(), (seats_only(&[here(5)]), true));
        seats.note(GAME(), Side::Red, None, false);
        let (news, _) = seats.take_news();
        assert_eq!(news, seats_only(&[gone()]));
        seats.put_back(&news);
        assert_eq!(seats.take_news(), (seats_only(&[gone()]), true));
        let games: Vec<GameId> = (0..200_u8)
            .map(|number| GameId::from_random(std::array::from_fn(|at| number >> (4 * (at % 2)))))
            .collect();
        for (game, side) in games.iter().flat_map(|game| Side::BOTH.map(|side| (*game, side))) {
            seats.note(game, side, Some(Stamp(1)), false);
        }
        let (all, is_all) = seats.take_news();
        assert!(is_all && all.seats.len() == 400);
        assert!(
            serde_json::to_vec(&all.seats).unwrap().len() * TOLD_MAX / 400 < 60 * 1024,
            "a notice has room for it"
        );
    }

    #[test]
    fn other_servers_are_told_once_that_a_player_left_on_purpose() {
        let now = Instant::now();
        let [a, b] = ["a", "b"].map(|server| sighted(server, now));
        b.note(GAME(), Side::Red, Some(Stamp(7)), false);
        assert_eq!(a.hear(now, Stamp(9), "b", &b.take_news().0), [GAME()]);
        b.note(GAME(), Side::Red, None, true);
        let (news, _) = b.take_news();
        b.put_back(&news);
        let news = b.take_news().0;
        assert_eq!(news.left, [(GAME(), Side::Red)]);
        assert_eq!(a.hear(now, Stamp(9), "b", &news), [GAME()]);
        assert_eq!(a.elsewhere(GAME()), PerSide::default(), "a seat that was left does not count");
        assert_eq!(a.take_left(GAME()), PerSide::new(true, false));
        assert_eq!(a.take_left(GAME()), PerSide::default());
        // If the connection is lost, the player has not left on purpose. The same applies if they
        // come back.
        b.note(GAME(), Side::Red, Some(Stamp(8)), false);
        a.hear(now, Stamp(9), "b", &b.take_news().0);
        b.note(GAME(), Side::Red, None, false);
        assert_eq!(a.hear(now, Stamp(9), "b", &b.take_news().0), [GAME()]);
        assert_eq!(a.take_left(GAME()), PerSide::default());
        // A departure on purpose is forgotten if no table reads it in time.
        b.note(GAME(), Side::Red, Some(Stamp(9)), false);
        a.hear(now, Stamp(9), "b", &b.take_news().0);
        b.note(GAME(), Side::Red, None, true);
        a.hear(now, Stamp(9), "b", &b.take_news().0);
        let later = now + SEAT_LIFE + SECOND;
        for second in 1..=17 {
            a.hear(now + second * SECOND, Stamp(9), "a", &SeatNews::default());
        }
        a.expire(later);
        assert_eq!(a.take_left(GAME()), PerSide::default());
    }

    #[test]
    fn a_server_of_version_0_1_reads_the_seats_and_passes_the_rest_over() {
        #[derive(Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        enum Old {
            Seats { server: String, seats: Vec<Seating> },
        }
        let (server, seats) = ("b".to_owned(), vec![gone()]);
        let left = vec![(GAME(), Side::Red)];
        let news = SeatNews { seats: seats.clone(), left };
        let told = crate::cluster::BusMessage::Seats { server, news };
        let Old::Seats { server, seats: read } =
            serde_json::from_slice(&serde_json::to_vec(&told).unwrap()).unwrap();
        assert_eq!((server.as_str(), read), ("b", seats));
    }

    #[test]
    fn the_newest_seat_counts_and_of_two_of_one_moment_both_servers_name_the_same() {
        let now = Instant::now();
        let [a, b] = ["a", "b"].map(|server| sighted(server, now));
        assert_eq!(a.hear(now, Stamp(9), "b", &seats_only(&[here(7)])), [GAME()]);
        assert_eq!(a.hear(now, Stamp(9), "b", &seats_only(&[here(7)])), [], "no news");
        assert_eq!(b.hear(now, Stamp(9), "a", &seats_only(&[here(7)])), [GAME()]);
        let (at_a, at_b) = (a.elsewhere(GAME()).red.unwrap(), b.elsewhere(GAME()).red.unwrap());
        assert!(at_a.is_after(Stamp(7)) && !at_b.is_after(Stamp(7)));
        assert!(at_b.is_after(Stamp(6)) && !at_a.is_after(Stamp(8)));
        a.hear(now, Stamp(9), "c", &seats_only(&[here(8)]));
        assert_eq!(a.elsewhere(GAME()).red.unwrap().since, Stamp(8));
        assert_eq!(a.hear(now, Stamp(9), "c", &seats_only(&[gone()])), [GAME()]);
        assert_eq!(a.elsewhere(GAME()).red.unwrap().since, Stamp(7));
        assert_eq!(a.forget("b"), [GAME()]);
        assert_eq!(a.elsewhere(GAME()), PerSide::default());
    }

    #[test]
    fn silent_servers_and_unreported_seats_count_as_absent() {
        let mut now = Instant::now();
        let a = sighted("a", now);
        a.hear(now, Stamp(1), "b", &seats_only(&[here(7)]));
        a.hear(now, Stamp(1), "c", &seats_only(&[Seating(GAME(), Side::Blue, Some(Stamp(7)))]));
        for second in 1..=17 {
            now += SECOND;
            a.hear(now, Stamp(1), "a", &seats_only(&[]));
            a.hear(now, Stamp(1), "c", &seats_only(&[]));
            let expected = if second == 4 || second == 17 { vec![GAME()] } else { vec![] };
            assert_eq!(a.expire(now), expected, "{second}");
        }
        assert_eq!(a.elsewhere(GAME()), PerSide::default());
    }

    #[test]
    fn a_server_that_cannot_hear_itself_judges_no_absence() {
        let start = Instant::now();
        let a = Seats::new("a".to_owned());
        assert_eq!(a.sighted_since(start), None, "before it has heard anything");
        a.hear(start, Stamp(100), "a", &seats_only(&[]));
        a.hear(start, Stamp(100), "b", &seats_only(&[here(7)]));
        assert_eq!(a.sighted_since(start + 3 * SECOND), Some(Stamp(100)));
        let later = start + 60 * SECOND;
        assert_eq!(a.sighted_since(later), None);
        assert_eq!(a.expire(later), [], "others may be there");
        a.hear(later, Stamp(60_100), "a", &seats_only(&[]));
        assert_eq!(a.sighted_since(later), Some(Stamp(60_100)), "it counts from now on");
        assert_eq!(a.expire(later + 3 * SECOND), []);
        a.hear(later + 3 * SECOND, Stamp(63_100), "a", &seats_only(&[]));
        assert_eq!(a.expire(later + 4 * SECOND), [GAME()], "b had time to say something");
    }
}
