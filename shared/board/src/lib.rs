//! The basic types of a board game: sides, squares, ranks and board shapes.
//!
//! All other crates use these types. The only rules here are those that depend on the rank alone:
//! whether a piece moves, and how far. All other rules are in `flagfall-rules`.

mod chance;
mod chips;
mod game_id;
mod named;
mod rank;
mod shape;
mod side;
mod square;
mod square_set;
mod stamp;
#[cfg(feature = "serde")]
mod text;

pub use chance::Chance;
pub use chips::{ChipColor, Chips};
pub use game_id::{GameId, GameIdParseError};
pub use rank::{Numbering, Rank, RankSet};
pub use shape::BoardShape;
pub use side::{PerSide, Side};
pub use square::{Column, Direction, Row, Sign, Square, SquareParseError};
pub use square_set::SquareSet;
pub use stamp::Stamp;
#[cfg(feature = "serde")]
pub use text::parse_text;

/// A point in a game: the number of turns taken so far. Ply 0 is the position before the first
/// turn.
pub type Ply = u16;
