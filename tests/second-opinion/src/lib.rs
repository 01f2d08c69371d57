//! A second implementation of the rules, slow and plain: squares, letters, strikes, paths,
//! reserves, chips, coins and repetition.
//!
//! It was written from the rules alone and depends on no other crate of the workspace, so it does
//! not share the engine's mistakes. The laws compare both implementations in every game. The leak
//! tests ask this crate for the information that a ruleset discloses. The trial's checker uses it
//! to judge the records of games.

mod acts;
mod board;
mod repetition;
mod rules;
mod square;
mod strikes;
mod text;
mod verdict;
mod ways;

pub use acts::Act;
pub use board::{Board, BoardEvent, Laid, Pending, Piece, Reserve};
pub use rules::{
    CHIPS, COIN, Color, Counts, LETTERS, Letters, Rules, Ties, chip_of, is_movable, letter_of, rank_name,
    rules,
};
pub use square::{At, read_move, read_squares};
pub use strikes::Strike;
pub use verdict::Verdict;
