//! The state that the writer, the readers and the handle share.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64};

use flagfall_board::{GameId, Stamp};
use parking_lot::{Mutex, RwLock};

use super::alive::Alive;
use super::files::Point;
use super::folder_lock::FolderLock;
use super::place::DataFolder;
use super::room::Room;
use super::trouble::Trouble;
use crate::clock::StampClock;
use crate::store::StoreError;

/// What the store has done since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EmbeddedStats {
    /// Groups written, each with one sync.
    pub commits: u64,
    /// Appends that were answered `Ok`.
    pub appends: u64,
    /// Entries in those appends.
    pub entries: u64,
}

/// The state that the writer, the readers and the handle share.
pub(super) struct Shared {
    pub(super) clock: StampClock,
    pub(super) epoch: AtomicU64,
    pub(super) last_heartbeat: Option<Stamp>,
    pub(super) quarantined: RwLock<BTreeMap<GameId, String>>,
    /// Why the store refuses everything, if it has failed.
    pub(super) failed: OnceLock<String>,
    pub(super) alive: Mutex<Alive>,
    pub(super) stats: Mutex<EmbeddedStats>,
    pub(super) place: DataFolder,
    pub(super) room: Room,
    pub(super) folder: PathBuf,
    /// What was missing or damaged when the store was opened, as text.
    pub(super) losses: Vec<String>,
    /// True if the index was complete when it was closed.
    pub(super) is_complete: AtomicBool,
    /// Locks the folder while the store uses it.
    pub(super) _lock: FolderLock,
}

impl Shared {
    pub(super) fn check_available(&self) -> Result<(), StoreError> {
        match self.failed.get() {
            Some(why) => Err(StoreError::Unavailable { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Fails the store if its folder no longer exists.
    pub(super) fn check_place(&self) -> Result<(), StoreError> {
        self.check_available()?;
        self.place.check().map_err(|why| StoreError::Unavailable { why: self.fail(&why) })
    }

    /// Makes the store refuse everything from this point on. Returns the first reason given.
    pub(super) fn fail(&self, why: &str) -> String {
        tracing::error!(why, "the store has failed");
        self.failed.get_or_init(|| why.to_owned()).clone()
    }

    pub(super) fn quarantine_of(&self, game: GameId) -> Option<String> {
        self.quarantined.read().get(&game).cloned()
    }

    pub(super) fn quarantine(&self, game: GameId, reason: &str) {
        tracing::error!(%game, reason, "the log of a game is damaged: it is in quarantine");
        self.quarantined.write().insert(game, reason.to_owned());
    }

    pub(super) fn release(&self, game: GameId) {
        self.quarantined.write().remove(&game);
    }

    /// Notes up to which point the log is durable. The log itself is safe without the note.
    pub(super) fn note_end(&self, end: Point) -> io::Result<()> {
        self.alive.lock().note_end(end)
    }

    /// Checks the free space on the disk, and pauses the store if there is too little.
    pub(super) fn look_at_room(&self) -> Result<(), StoreError> {
        self.room.look().map_err(Trouble::from)?;
        if self.room.is_paused() {
            self.clock.pause();
        }
        Ok(())
    }

    /// Pauses the store, because a write found no space. Returns the reason.
    pub(super) fn pause(&self, what: &str, why: &dyn Display) -> String {
        self.clock.pause();
        self.room.note_full(what, why)
    }

    /// Handles a failed write outside the log. If the disk is full, the store pauses, otherwise
    /// it fails. Returns the reason.
    pub(super) fn note_failed(&self, what: &str, trouble: Trouble) -> String {
        match trouble {
            Trouble::NoRoom { why } => self.pause(what, &why),
            other => self.fail(&format!("{what} ({other}); start the process again")),
        }
    }
}
