//! The logs of a game's clients: every text that was sent and received, unchanged.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::plan::GamePlan;

/// The role of a client in a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Role {
    /// The player with the red pieces.
    Red,
    /// The player with the blue pieces.
    Blue,
    Spectator(usize),
}

impl Role {
    /// The audience's number: Red 0, Blue 1, public 2.
    #[must_use]
    pub(crate) fn audience(self) -> usize {
        match self {
            Role::Red => 0,
            Role::Blue => 1,
            Role::Spectator(_) => 2,
        }
    }
}

/// An event on a client's connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// A connection to the server with this number opened.
    Connected(usize),
    /// The connection ended. Either the client dropped it or the server closed it.
    Dropped,
    Sent(Arc<str>),
    Received(Arc<str>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The time, in milliseconds since 1970.
    pub at: u64,
    /// The event.
    pub what: What,
}

#[derive(Clone, Debug)]
pub(crate) struct ClientLog {
    /// The client's role.
    pub role: Role,
    /// The entries, in order.
    pub entries: Vec<Entry>,
}

/// Everything about a game that is over.
#[derive(Clone, Debug)]
pub(crate) struct GameLog {
    /// The plan of the game.
    pub plan: GamePlan,
    /// The game's id.
    pub game: String,
    /// Both players and the spectators.
    pub clients: Vec<ClientLog>,
    /// True if only the archive had the game when the records were read.
    pub is_archived: bool,
    /// The server's records after the end, as sent to Red, Blue and the public.
    pub records: [String; 3],
}

impl GameLog {
    /// True if a client was sent the end of the game.
    pub(crate) fn was_end_shown(&self) -> bool {
        let is_end = |text: &str| {
            (text.contains(r#""type":"event""#) && text.contains(r#""kind":"ended""#))
                || (text.contains(r#""type":"game""#) && text.contains(r#""phase":"over""#))
        };
        let mut entries = self.clients.iter().flat_map(|client| &client.entries);
        entries.any(|entry| matches!(&entry.what, What::Received(text) if is_end(text)))
    }
}

/// A period in which no clock ran, because no server ran, no server could reach the store, or
/// Redis's clock jumped.
#[derive(Clone, Debug)]
pub struct Outage {
    /// The time at which the killed processes had ended.
    pub killed_at: u64,
    /// The time at which the next processes were started.
    pub spawned_at: u64,
    /// The time at which these processes began to listen.
    pub up_at: u64,
    /// `killed_at` and `spawned_at` by the clock that stamps use: the latest possible time for
    /// `killed_at`, and the earliest possible time for `spawned_at`.
    pub by_store: (u64, u64),
    /// The games whose clocks stood still. `None` if those of all games did.
    pub games: Option<Arc<BTreeSet<String>>>,
}

impl Outage {
    /// True if the outage concerns this game.
    #[must_use]
    pub fn is_of(&self, game: &str) -> bool {
        self.games.as_ref().is_none_or(|games| games.contains(game))
    }
}

/// A period in which a server could not reach its store.
#[derive(Clone, Debug)]
pub struct Away {
    /// The server's number.
    pub server: usize,
    /// The time at which the period began.
    pub from: u64,
    /// The time at which the period ended.
    pub until: u64,
    /// If a part of the store was reached, the games in the others.
    pub games: Option<Arc<BTreeSet<String>>>,
}

/// A period whose writes were lost, because all processes that had them were killed.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// The time at which the loss began.
    pub from: u64,
    /// The time at which all these processes ran again.
    pub until: u64,
}

/// A period in which something was wrong.
#[derive(Clone, Copy, Debug)]
pub struct Disturbance {
    /// The time at which the disturbance began.
    pub from: u64,
    /// The time at which the disturbance was repaired.
    pub until: u64,
    /// The time that servers may need to recover from the disturbance, in milliseconds.
    pub aftermath_ms: u64,
    /// The server whose connection to Redis was slow. Only set if nothing else was wrong, because
    /// clients of other servers do not notice a slow connection.
    pub slow: Option<usize>,
}

/// A kill or a planned stop of a server while others kept running.
#[derive(Clone, Copy, Debug)]
pub struct Death {
    /// The server's number.
    pub server: usize,
    /// The time of the kill, or at which the server was told to stop.
    pub at: u64,
}

/// Stores each text only once, even if many clients received it.
#[derive(Debug, Default)]
pub(crate) struct TextPool(Mutex<HashSet<Arc<str>>>);

impl TextPool {
    /// Returns the shared copy of a text.
    pub(crate) fn keep(&self, text: &str) -> Arc<str> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = texts.get(text) {
            return kept.clone();
        }
        let kept: Arc<str> = text.into();
        texts.insert(kept.clone());
        kept
    }
}

/// Milliseconds since 1970.
#[must_use]
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
