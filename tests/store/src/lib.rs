//! Helpers for tests that need a store: [`TestStore`], a store in memory that fails on demand,
//! and [`ManualClock`], a clock that a test sets.

mod manual_clock;
mod test_store;

pub use manual_clock::ManualClock;
pub use test_store::{AppendsHeld, TestStore, WriteFault};
