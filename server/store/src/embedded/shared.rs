//! The state that the writer, the readers and the handle share.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64};

use flagfall_board::{GameId, Stamp};
use parking_lot::{Mutex, RwLock};

use super::access_error::AccessError;
use super::alive::Alive;
use super::files::Point;
use super::folder_lock::FolderLock;
use super::known_damage::KnownDamage;
use super::place::DataFolder;
use super::room::Room;
use crate::clock::StampClock;
use crate::store::StoreError;

pub(super) struct Shared {
    pub(super) clock: StampClock,
    pub(super) epoch: AtomicU64,
    pub(super) last_heartbeat: Option<Stamp>,
    pub(super) quarantined: RwLock<BTreeMap<GameId, String>>,
    /// Why the store refuses all requests, if it has failed.
    pub(super) failed: OnceLock<String>,
    pub(super) alive: Mutex<Alive>,
    /// The number of groups written.
    pub(super) groups: AtomicU64,
    pub(super) place: DataFolder,
    pub(super) room: Room,
    pub(super) folder: PathBuf,
    /// Descriptions of the data that was missing or damaged when the store was opened.
    pub(super) losses: Vec<String>,
    /// The damage in the log, including that in `losses`.
    pub(super) known_damage: KnownDamage,
    /// True if the writer has ended after completing the index.
    pub(super) is_complete: AtomicBool,
    /// The lock on the folder, held while the store uses it.
    pub(super) _lock: FolderLock,
}

impl Shared {
    pub(super) fn check_available(&self) -> Result<(), StoreError> {
        match self.failed.get() {
            Some(why) => Err(StoreError::Unavailable { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Fails the store if its folder or a file in it is missing or was replaced.
    pub(super) fn check_place(&self) -> Result<(), StoreError> {
        self.check_available()?;
        self.place.check().map_err(|why| StoreError::Unavailable { why: self.fail(&why) })
    }

    /// Makes the store refuse all requests from this point on. Returns the reason of the first
    /// failure.
    pub(super) fn fail(&self, why: &str) -> String {
        tracing::error!(reason = why, "the store has failed");
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

    /// Records the point up to which the log is durable. If this fails, the log itself is still
    /// safe.
    pub(super) fn note_end(&self, end: Point) -> io::Result<()> {
        self.alive.lock().note_end(end)
    }

    /// Checks the free space on the disk, and pauses the store if there is too little.
    pub(super) fn look_at_room(&self) -> Result<(), StoreError> {
        self.room.look().map_err(AccessError::from)?;
        if self.room.is_paused() {
            self.clock.pause();
        }
        Ok(())
    }

    /// Pauses the store, because a write found no space. Returns the reason to give to callers.
    pub(super) fn pause(&self, what: &str, why: &dyn Display) -> String {
        self.clock.pause();
        self.room.note_full(what, why)
    }

    /// Handles a failed write outside the log. If the disk is full, the store pauses; otherwise
    /// the store fails. Returns the reason to give to callers.
    pub(super) fn note_failed(&self, what: &str, error: AccessError) -> String {
        match error {
            AccessError::NoRoom { why } => self.pause(what, &why),
            other => self.fail(&format!("{what} ({other}); start the process again")),
        }
    }
}
