//! What the clients of a game wrote down: every text sent and received, as it was on the wire.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::plan::GamePlan;

/// As whom a client is in a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Role {
    /// The player with the red pieces.
    Red,
    /// The player with the blue pieces.
    Blue,
    /// One of those who watch.
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

/// What happened on a client's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// A socket to the server of this number opened.
    Connected(usize),
    /// The socket is gone, by the client's whim or the server's end.
    Dropped,
    /// The client sent this.
    Sent(Arc<str>),
    /// The client received this.
    Received(Arc<str>),
}

/// A line of a client's log.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What.
    pub what: What,
}

/// Everything one client wrote down.
#[derive(Clone, Debug)]
pub(crate) struct ClientLog {
    /// As whom.
    pub role: Role,
    /// In order.
    pub entries: Vec<Entry>,
}

/// Everything there is about a game when it is over.
#[derive(Clone, Debug)]
pub(crate) struct GameLog {
    /// What was planned.
    pub plan: GamePlan,
    /// The game's id.
    pub game: String,
    /// Both players and the spectators.
    pub clients: Vec<ClientLog>,
    /// The server's records after the end: as Red, Blue and the public are told them.
    pub records: [String; 3],
}

/// A time in which no server ran or none could reach what it stores in, or over which Redis's clock jumped: no clock ran.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    /// When the killed processes were gone.
    pub killed_at: u64,
    /// When the next ones were started.
    pub spawned_at: u64,
    /// When those listened.
    pub up_at: u64,
    /// The first two by the clock that stamps: the first at the latest, the second at the earliest.
    pub by_store: (u64, u64),
}

/// A time in which a server could not reach what it stores in.
#[derive(Clone, Copy, Debug)]
pub struct Away {
    /// Its number.
    pub server: usize,
    /// Since when.
    pub from: u64,
    /// Until when.
    pub until: u64,
}

/// What was written then was lost, and nobody had it any more.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// From when on.
    pub from: u64,
    /// When all was up again that had it.
    pub until: u64,
}

/// A time in which something was wrong.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// Since when.
    pub from: u64,
    /// When it was mended.
    pub until: u64,
    /// How long servers may be putting in order what it left, in milliseconds.
    pub aftermath_ms: u64,
    /// The server whose line to Redis was slow, where it was nothing but that: whoever is elsewhere does not notice.
    pub slow: Option<usize>,
}

/// A server was killed while others went on.
#[derive(Clone, Copy, Debug)]
pub struct Death {
    /// Its number.
    pub server: usize,
    /// When.
    pub at: u64,
}

/// Texts that many clients received are kept once.
#[derive(Debug, Default)]
pub(crate) struct TextPool(Mutex<HashSet<Arc<str>>>);

impl TextPool {
    /// The text, kept once.
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
