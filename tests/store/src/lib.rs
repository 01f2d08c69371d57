//! Helpers for tests that need a store: [`TestStore`], a store in memory that fails on demand,
//! [`ManualClock`], a clock that a test sets, and [`import`].

mod manual_clock;
mod test_store;

pub use manual_clock::ManualClock;
pub use test_store::{AppendsHeld, TestStore, WriteFault};

use flagfall_store::Transfer;
use flagfall_transfer::{Tally, TransferError, finish_import, import_unfinished};

/// Imports an export into an empty store.
///
/// # Errors
/// [`TransferError`]: the store does not have everything.
pub async fn import(store: &dyn Transfer, export: &[u8]) -> Result<Tally, TransferError> {
    let tally = import_unfinished(store, &mut &*export, |_| {}).await?;
    finish_import(store).await?;
    Ok(tally)
}
