//! Tests of tables as clients see them: by the messages that tables send.

mod actor;
mod choices;
mod claims;
mod commands;
mod conflicts;
mod due;
mod early;
mod epochs;
mod forms;
mod frozen;
pub(super) mod harness;
mod house_players;
mod idle;
mod lag;
mod leaks;
mod leavers;
mod memory;
mod names;
mod public_games;
mod recovery;
mod rest;
mod servers;
mod several;
mod simulation;
mod watching;
