//! Seats: the games that players have open, on this server and on others.
//!
//! A server that has a game open follows that game. When a player takes or leaves a seat, the
//! player's server tells the followers of the game. When a server begins to follow a game, or may
//! have missed notices, it asks the other followers for all seats. Every server sends a heartbeat
//! to all servers once per second. If a server is silent for too long, the others drop its seats.
//! Servers of earlier versions tell all servers about seats, and repeat all their seats every few
//! seconds. A seat that such a server does not repeat is dropped after a while.
//!
//! These rules apply only while this server receives the heartbeats that it sends itself. A
//! server that does not receive them may be cut off or suspended, and cannot tell who is absent.
//! When it receives them again, it measures all silences from that moment.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// The longest silence before a server's seats are dropped. Also the time in which servers must
/// confirm a seat after they were asked. A server that has not received its own heartbeats for
/// longer than this cannot tell who is absent.
const SILENCE_MAX: Duration = Duration::from_millis(3_500);
/// The time after which a seat on a server of an earlier version is dropped, unless that server
/// lists it again.
const SEAT_LIFE: Duration = Duration::from_secs(16);
/// The maximum number of seats in one notice. A notice of 64 KiB could contain slightly more.
const TOLD_MAX: usize = 800;

/// A seat, and the time at which its driving connection (the one that plays) took it. The time is
/// `None` if the seat is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seating(pub GameId, pub Side, pub Option<Stamp>);

/// A player's newest seat on another server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// The time at which a connection took the seat.
    pub since: Stamp,
    /// True if this seat counts as newer than a seat on this server with the same stamp. Both
    /// servers choose the same seat, because both use the same rule.
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

/// Changed seats. The value is true if the seat's player left on purpose.
type Changes = HashMap<(GameId, Side), bool>;

#[derive(Default)]
struct State {
    own: HashMap<(GameId, Side), Stamp>,
    /// The seats whose changes must be sent to the followers of their games. The value is true if
    /// the player left on purpose.
    news: BTreeMap<GameId, PerSide<Option<bool>>>,
    /// The seats that must be sent to servers of earlier versions.
    listing: Changes,
    followed: HashMap<GameId, Followed>,
    /// The requests that are not answered yet. Each consists of a game, and of the server that
    /// asked for all seats of the game.
    askers: HashSet<(GameId, String)>,
    /// The games whose followers must be asked for all seats.
    asks: HashSet<GameId>,
    asks_again: HashSet<GameId>,
    others: HashMap<GameId, Vec<Other>>,
    servers: HashMap<Arc<str>, Instant>,
}

/// A game that this server follows.
#[derive(Default)]
struct Followed {
    /// The number of servers that have answered. `None` unless a task is waiting for answers.
    answers: Option<watch::Sender<u64>>,
    /// The time at which the other servers were last asked for all seats because notices may have
    /// been missed. `None` once unconfirmed seats were dropped.
    asked: Option<Instant>,
}

/// The notices to send to the followers of games.
#[derive(Default)]
pub struct Outgoing {
    pub news: Vec<(GameId, SeatNews)>,
    /// The requests to answer. Each consists of a game, and of the server that asked for all
    /// seats of the game.
    pub answers: Vec<(GameId, String)>,
    /// The games whose followers are asked for all seats.
    pub asks: Vec<GameId>,
}

struct Other {
    side: Side,
    server: Arc<str>,
    since: Stamp,
    heard: Instant,
    /// True if the server is of an earlier version, which repeats its seats every few seconds.
    is_listed: bool,
    /// True if the player left on purpose. Such an entry is kept until [`Seats::take_left`]
    /// reports it.
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

    /// Returns the `Notify` that wakes the sender when there is something to send to other
    /// servers.
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
            let has_left = since.is_none() && has_left;
            state.news.entry(game).or_default()[side] = Some(has_left);
            state.listing.insert((game, side), has_left);
            self.shared.changed.notify_one();
        }
    }

    /// Lists all seats of this server again, for servers of earlier versions.
    pub fn repeat(&self) {
        let mut state = self.shared.state.lock();
        let State { own, listing, .. } = &mut *state;
        listing.extend(own.keys().map(|place| (*place, false)));
        self.shared.changed.notify_one();
    }

    /// Takes the next seats to send to servers of earlier versions, as many as fit into one
    /// notice. The flag is true if no more seats are waiting. If `has_former` is false, there are
    /// no such servers, so all waiting seats are dropped.
    pub fn take_listing(&self, has_former: bool) -> (SeatNews, bool) {
        let mut state = self.shared.state.lock();
        if !has_former {
            state.listing.clear();
            return (SeatNews::default(), true);
        }
        let taken: Vec<_> =
            state.listing.iter().map(|(place, left)| (*place, *left)).take(TOLD_MAX).collect();
        for (place, _) in &taken {
            state.listing.remove(place);
        }
        (state.news_of(taken.into_iter()), state.listing.is_empty())
    }

    /// Takes the notices to send to the followers of games. If `is_beat`, includes requests that
    /// could not be sent before.
    pub fn take_outgoing(&self, is_beat: bool) -> Outgoing {
        let mut state = self.shared.state.lock();
        if is_beat {
            let again = std::mem::take(&mut state.asks_again);
            state.asks.extend(again);
        }
        let news = std::mem::take(&mut state.news).into_iter().map(|(game, changed)| {
            let changed = Side::BOTH.into_iter().filter_map(|side| Some(((game, side), changed[side]?)));
            (game, state.news_of(changed))
        });
        Outgoing {
            news: news.collect(),
            answers: std::mem::take(&mut state.askers).into_iter().collect(),
            asks: std::mem::take(&mut state.asks).into_iter().collect(),
        }
    }

    /// Puts seats that could not be sent back into the queue.
    pub fn put_back(&self, game: GameId, news: &SeatNews) {
        let mut state = self.shared.state.lock();
        let changed = state.news.entry(game).or_default();
        for Seating(_, side, since) in &news.seats {
            changed[*side].get_or_insert(since.is_none() && news.left.contains(&(game, *side)));
        }
    }

    /// Returns all seats of a game on this server.
    pub fn of_game(&self, game: GameId) -> SeatNews {
        let state = self.shared.state.lock();
        let taken = Side::BOTH.into_iter().filter(|side| state.own.contains_key(&(game, *side)));
        state.news_of(taken.map(|side| ((game, side), false)))
    }

    /// Begins to follow a game, so its seats on other servers are recorded.
    pub fn follow(&self, game: GameId) {
        self.shared.state.lock().followed.insert(game, Followed::default());
    }

    /// Stops following a game. Forgets its seats on other servers, because these servers will not
    /// report changes any more. Keeps its seats on servers of earlier versions.
    pub fn unfollow(&self, game: GameId) {
        let mut state = self.shared.state.lock();
        state.followed.remove(&game);
        state.asks.remove(&game);
        state.asks_again.remove(&game);
        if let Some(others) = state.others.get_mut(&game) {
            others.retain(|other| other.is_listed);
            if others.is_empty() {
                state.others.remove(&game);
            }
        }
    }

    /// Begins to count the answers to a request for all seats of a game. Returns the count.
    pub fn expect_answers(&self, game: GameId) -> watch::Receiver<u64> {
        let (sender, receiver) = watch::channel(0);
        if let Some(followed) = self.shared.state.lock().followed.get_mut(&game) {
            followed.answers = Some(sender);
        }
        receiver
    }

    /// Stops counting answers about a game.
    pub fn expect_no_answers(&self, game: GameId) {
        if let Some(followed) = self.shared.state.lock().followed.get_mut(&game) {
            followed.answers = None;
        }
    }

    /// Counts a server's answer about a game, if a task is waiting for answers.
    pub fn note_answer(&self, game: GameId) {
        let state = self.shared.state.lock();
        if let Some(answers) = state.followed.get(&game).and_then(|followed| followed.answers.as_ref()) {
            answers.send_modify(|answers| *answers += 1);
        }
    }

    /// Records that a server has asked for all seats of a game, so that an answer is sent soon.
    pub fn answer(&self, game: GameId, asker: String) {
        self.shared.state.lock().askers.insert((game, asker));
        self.shared.changed.notify_one();
    }

    /// Marks all followed games, so that their followers are soon asked for all seats. Call this
    /// if notices may have been missed.
    pub fn ask_for_all(&self) {
        let mut state = self.shared.state.lock();
        let State { followed, asks, .. } = &mut *state;
        asks.extend(followed.keys());
        self.shared.changed.notify_one();
    }

    /// Marks a game to be asked about again later, because asking has failed.
    pub fn ask_again(&self, game: GameId) {
        let mut state = self.shared.state.lock();
        if state.followed.contains_key(&game) {
            state.asks_again.insert(game);
        }
    }

    /// Records that the followers of a game were asked for all seats. Seats that are not
    /// confirmed soon will be dropped.
    pub fn note_asked(&self, now: Instant, game: GameId) {
        if let Some(followed) = self.shared.state.lock().followed.get_mut(&game) {
            followed.asked = Some(now);
        }
    }

    /// Records seats of a game on another server. Returns true if they have changed.
    pub fn hear_of_game(&self, now: Instant, server: &str, game: GameId, told: &SeatNews) -> bool {
        let mut state = self.shared.state.lock();
        if !state.followed.contains_key(&game) {
            return false;
        }
        let of_game = SeatNews {
            seats: told.seats.iter().filter(|seating| seating.0 == game).copied().collect(),
            left: told.left.clone(),
        };
        !state.hear(now, server, &of_game, false).is_empty()
    }

    /// Handles a heartbeat, which may come from this server itself. Only heartbeats from servers
    /// of earlier versions contain seats. `at` is the stamp that the store gave the notice.
    /// Returns the games whose seats have changed.
    pub fn hear(&self, now: Instant, at: Stamp, server: &str, told: &SeatNews) -> Vec<GameId> {
        if server == self.shared.server {
            self.hear_own(now, at);
            return Vec::new();
        }
        self.shared.state.lock().hear(now, server, told, true)
    }

    fn hear_own(&self, now: Instant, at: Stamp) {
        let sight = self.sight(now).unwrap_or(Sight { since: at, began: now, last_heard: now });
        *self.shared.sight.lock() = Some(Sight { last_heard: now, ..sight });
    }

    /// Drops the seats of a server that is stopping. Returns the games whose seats have changed.
    pub fn forget(&self, server: &str) -> Vec<GameId> {
        let mut state = self.shared.state.lock();
        state.servers.remove(server);
        state.drop_others(|_, other| &*other.server == server)
    }

    /// Drops servers that have been silent for too long, and seats that were not listed or
    /// confirmed in time. Returns the games whose seats have changed.
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
        let asked: HashMap<GameId, Instant> = state
            .followed
            .iter_mut()
            .filter(|(_, followed)| followed.asked.is_some_and(|asked| age(asked) > SILENCE_MAX))
            .filter_map(|(game, followed)| Some((*game, followed.asked.take()?)))
            .collect();
        state.drop_others(|game, other| {
            let is_unconfirmed = || asked.get(&game).is_some_and(|asked| other.heard < *asked);
            let is_over = if other.is_listed { age(other.heard) > SEAT_LIFE } else { is_unconfirmed() };
            is_over || gone.contains(&other.server)
        })
    }

    /// Returns each player's newest seat in a game on other servers.
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

    /// Returns which players left a seat on another server on purpose. Each departure is reported
    /// only once, because the player may come back.
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
    /// store's clock. `None` if this server cannot tell at the moment.
    pub fn sighted_since(&self, now: Instant) -> Option<Stamp> {
        Some(self.sight(now)?.since)
    }

    fn sight(&self, now: Instant) -> Option<Sight> {
        let sight = *self.shared.sight.lock();
        sight.filter(|sight| now.saturating_duration_since(sight.last_heard) <= SILENCE_MAX)
    }
}

impl State {
    fn news_of(&self, changed: impl Iterator<Item = ((GameId, Side), bool)>) -> SeatNews {
        let mut news = SeatNews::default();
        for ((game, side), has_left) in changed {
            let since = self.own.get(&(game, side)).copied();
            news.seats.push(Seating(game, side, since));
            if has_left {
                news.left.push((game, side));
            }
        }
        news
    }

    /// Records seats on another server. Returns the games whose seats have changed.
    fn hear(&mut self, now: Instant, server: &str, told: &SeatNews, is_listed: bool) -> Vec<GameId> {
        let server: Arc<str> = match self.servers.get_key_value(server) {
            Some((known, _)) => known.clone(),
            None => server.into(),
        };
        self.servers.insert(server.clone(), now);
        let left: HashSet<(GameId, Side)> = told.left.iter().copied().collect();
        let mut is_change = |seating: Seating| {
            self.take(now, &server, seating, left.contains(&(seating.0, seating.1)), is_listed)
        };
        told.seats.iter().filter(|told| is_change(**told)).map(|told| told.0).collect()
    }

    /// Records a seat on another server. Returns true if it has changed.
    fn take(
        &mut self,
        now: Instant,
        server: &Arc<str>,
        Seating(game, side, since): Seating,
        has_left: bool,
        is_listed: bool,
    ) -> bool {
        let others = self.others.entry(game).or_default();
        let known = others.iter().position(|other| other.side == side && other.server == *server);
        let is_change = match (since, known) {
            (Some(since), Some(at)) => {
                let known = &mut others[at];
                (known.heard, known.is_listed) = (now, is_listed);
                let was_left = std::mem::take(&mut known.has_left);
                std::mem::replace(&mut known.since, since) != since || was_left
            }
            (Some(since), None) => {
                others.push(Other {
                    side,
                    server: server.clone(),
                    since,
                    heard: now,
                    is_listed,
                    has_left: false,
                });
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

    fn drop_others(&mut self, is_gone: impl Fn(GameId, &Other) -> bool) -> Vec<GameId> {
        let mut changed = Vec::new();
        self.others.retain(|game, others| {
            let before = others.len();
            others.retain(|other| !is_gone(*game, other));
            if others.len() < before {
                changed.push(*game);
            }
            !others.is_empty()
        });
        changed
    }
}

#[cfg(test)]
mod tests;
