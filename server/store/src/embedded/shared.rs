//! What the writer, the readers and the handle have in common.

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
    /// Groups, each with one sync.
    pub commits: u64,
    /// Appends that were answered `Ok`.
    pub appends: u64,
    /// Entries in them.
    pub entries: u64,
}

/// What the writer, the readers and the handle have in common.
pub(super) struct Shared {
    pub(super) clock: StampClock,
    pub(super) epoch: AtomicU64,
    pub(super) last_heartbeat: Option<Stamp>,
    pub(super) quarantined: RwLock<BTreeMap<GameId, String>>,
    /// Why the store refuses everything, once it does.
    pub(super) failed: OnceLock<String>,
    pub(super) alive: Mutex<Alive>,
    pub(super) stats: Mutex<EmbeddedStats>,
    pub(super) place: DataFolder,
    pub(super) room: Room,
    pub(super) folder: PathBuf,
    /// What was found missing or damaged at the start.
    pub(super) losses: Vec<String>,
    /// True if the index was closed with everything in it.
    pub(super) is_complete: AtomicBool,
    /// Held locked as long as the folder is in use.
    pub(super) _lock: FolderLock,
}

impl Shared {
    pub(super) fn check_available(&self) -> Result<(), StoreError> {
        match self.failed.get() {
            Some(why) => Err(StoreError::Unavailable { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Fails the store if its folder is not there any more.
    pub(super) fn check_place(&self) -> Result<(), StoreError> {
        self.check_available()?;
        self.place.check().map_err(|why| StoreError::Unavailable { why: self.fail(&why) })
    }

    /// From now on the store refuses everything. Returns the reason given first.
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

    /// Notes how far the log is durable. The log itself is safe without the note.
    pub(super) fn note_end(&self, end: Point) -> io::Result<()> {
        self.alive.lock().note_end(end)
    }

    /// Looks how much room the disk has, and pauses if that is too little.
    pub(super) fn look_at_room(&self) -> Result<(), StoreError> {
        self.room.look().map_err(Trouble::from)?;
        if self.room.is_paused() {
            self.clock.pause();
        }
        Ok(())
    }

    /// Pauses, because this could not be written for want of room. Returns the reason.
    pub(super) fn pause(&self, what: &str, why: &dyn Display) -> String {
        self.clock.pause();
        self.room.note_full(what, why)
    }

    /// Notes what a failed write means, the log aside: without room the store pauses, and otherwise
    /// it fails. Returns the reason.
    pub(super) fn note_failed(&self, what: &str, trouble: Trouble) -> String {
        match trouble {
            Trouble::NoRoom { why } => self.pause(what, &why),
            other => self.fail(&format!("{what} ({other}); start the process again")),
        }
    }
}
