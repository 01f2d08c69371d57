//! Outside programs against each other, over the line protocol.

pub mod bout;
pub mod fault;
pub mod line;
pub mod lines;
pub mod player;
