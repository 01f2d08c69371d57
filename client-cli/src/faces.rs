//! The faces of the client: its interfaces for a person or a program. Each face reads input,
//! passes it to the core, and shows the core's output.

pub mod lines;
pub mod program;
pub mod screen;
