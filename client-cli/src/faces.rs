//! The faces of the client: how a person or a program meets the core. Each reads its input, hands
//! it to the core, and shows what the core says.

pub mod lines;
pub mod program;
pub mod screen;
