//! `flagfall bot --exec`: an outside program that speaks the umpire's line protocol plays on a
//! server.
//!
//! [`dialogue`] is the umpire's side of the dialogue in one game, generated from the server's
//! views. [`session`] plays games one after another on top of the client's core. Both are pure.
//! [`run`] is the thin shell around them: it combines the client's shell and the umpire's
//! processes.

pub mod dialogue;
pub mod failure;
#[cfg(unix)]
pub mod run;
pub mod session;

#[cfg(test)]
mod tests;
