//! Starts the registry.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use flagfall_board::Stamp;
use flagfall_store::{Store, StoreError, WallClock};

use super::host::Host;
use super::house;
use super::outages::Outages;
use super::registry::Tables;
use super::residents::Residents;
use super::settings::TableSettings;
use flagfall_base::cluster::{Peers, Seats};
use flagfall_base::random::random_code;

/// Why the registry could not be opened. Damaged games are no reason, because no log is read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the running games could not be read from the store: {0}")]
pub struct StartError(#[from] StoreError);

/// The clock by which the store stamps. Flags fall by no other clock.
struct StoreClock(Arc<dyn Store>);

impl WallClock for StoreClock {
    fn now(&self) -> Stamp {
        self.0.now()
    }
}

/// Error text if the server cannot draw its own random name.
const NO_RANDOM_BITS: &str = "the operating system gives no random bits";

impl Tables {
    /// Opens the registry. Running games are opened when a player asks for them or something is due
    /// in them; their clocks stood still since the last heartbeat. [`StartError`] when the store
    /// does not answer, or no random name can be drawn. No log is read, so damaged games do not
    /// matter.
    pub async fn start(store: Arc<dyn Store>, settings: TableSettings) -> Result<Tables, StartError> {
        let clock = StoreClock(store.clone());
        Tables::start_at(store, settings, clock).await
    }

    pub async fn start_at(
        store: Arc<dyn Store>,
        settings: TableSettings,
        clock: impl WallClock,
    ) -> Result<Tables, StartError> {
        let epoch = store.epoch().await?;
        let server = random_code().map_err(|_| StoreError::Unavailable { why: NO_RANDOM_BITS.to_owned() })?;
        let tables = Tables::new(Host {
            seats: store.announcements().map(|_| Seats::new(server.clone())),
            peers: Peers::new(store.clone(), server).with_write_form(settings.write_form),
            store,
            clock: Box::new(clock),
            settings: Arc::new(settings),
            epoch: AtomicU64::new(epoch),
            thinking_room: house::thinking_room(),
            residents: Residents::default(),
        });
        tables.read_public_games(true).await?;
        // Last, because clocks run again from then on: players should not pay for the start.
        Outages::note(tables.store()).await?;
        Ok(tables)
    }
}
