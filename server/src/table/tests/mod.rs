//! Tables as everybody meets them: by what they send.

mod commands;
mod conflicts;
mod harness;
mod recovery;
mod simulation;
mod watching;
