//! The parts of a server that are shared by all its tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flagfall_board::Stamp;
use flagfall_store::Store;

use super::residents::Residents;
use super::settings::TableSettings;
use super::thinking::ThinkingRoom;
use flagfall_base::background::Background;
use flagfall_base::cluster::{Peers, Seats};
use flagfall_base::delivery::Connections;

/// The parts of a server that are shared by all its tables.
pub(super) struct Host {
    pub(super) store: Arc<dyn Store>,
    pub(super) settings: Arc<TableSettings>,
    pub(super) peers: Peers,
    /// The connections of players on all servers; `None` if no other server can append.
    pub(super) seats: Option<Seats>,
    pub(super) epoch: AtomicU64,
    /// True if a part of the store was away when this server started. It may begin an epoch of its
    /// own when it is there.
    pub(super) began_in_part: bool,
    /// Limits how many house players think at once.
    pub(super) thinking_room: ThinkingRoom,
    /// Threads that replay long logs.
    pub(super) background: Background,
    pub(super) residents: Residents,
}

impl Host {
    /// Returns the time of the store's clock. Log entries are stamped by this clock, and flags
    /// fall by this clock alone.
    pub(super) fn now(&self) -> Stamp {
        self.store.now()
    }

    pub(super) fn connections(&self) -> &Connections {
        &self.settings.connections
    }

    /// Returns the epoch of a table that is opened now.
    pub(super) async fn epoch_now(&self) -> u64 {
        if self.began_in_part
            && let Ok(epoch) = self.store.epoch().await
        {
            self.epoch.fetch_max(epoch, Ordering::Relaxed);
        }
        self.epoch.load(Ordering::Relaxed)
    }

    /// Begins a new epoch. This is needed when the store has lost events that clients have already
    /// seen, because the clients' positions are then invalid.
    pub(super) async fn begin_epoch(&self) {
        match self.store.bump_epoch().await {
            Ok(epoch) => {
                self.epoch.fetch_max(epoch, Ordering::Relaxed);
            }
            Err(error) => tracing::warn!(%error, "could not begin a new epoch in the store"),
        }
    }
}
