//! Tests of every paragraph of RULES §A, §C, §T, §P, §O, §D, §S, §Q, §U and §B, with board
//! pictures.
//!
//! The name of a test is a sentence that begins with the paragraph.

#![expect(clippy::print_stdout, reason = "tests say what they skipped and how much they looked at")]

mod army;
mod board;
mod classic;
mod course;
mod deadlocks;
mod deployments;
mod limits;
mod matches;
mod original;
mod pbm;
mod quantum;
mod recorded_chases;
mod refusals;
mod shadowflash;
mod shadowflash_3;
mod silent_defense;
mod starts;
mod strikes;
mod table;
mod tournament;
mod two_squares;
