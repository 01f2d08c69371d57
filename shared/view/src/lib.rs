//! The facts that an audience may know about a game: views, events and changes. This crate
//! contains no rules of the game.
//!
//! The rules engine creates these values, and it reveals the state of a game in no other form.
//! Messages and records can safely be built from these values, because they contain only facts
//! that their audience may know. The feature `serde` makes them serializable and gives them JSON
//! Schemas. [`GameView::apply`] applies an event and its change to a view, so a game can be
//! replayed from its first view.

mod change;
mod clock;
mod commitment;
mod event;
mod exchange;
mod game_view;
mod identity;
mod laid;
mod moves;
mod outcome;
mod rank_counts;
mod text;
mod viewer;

pub use change::ViewChange;
pub use clock::{LagQuota, Running, SeenClock};
pub use commitment::{Commitment, HexBytes, Opened};
pub use event::GameEvent;
pub use exchange::{OwedColor, SeenExchange, SeenPlacing, SeenReserve};
pub use game_view::{GameView, Phase};
pub use identity::{Identity, SeenPiece};
pub use laid::Laid;
pub use moves::{Fate, Move, PendingStrike, SeenMove, SeenStrike};
pub use outcome::{Claim, SeenOutcome};
pub use rank_counts::RankCounts;
pub use text::TextError;
pub use viewer::Viewer;

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
