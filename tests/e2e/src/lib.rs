//! The harness of the end-to-end tests.
//!
//! It starts `flagfall-server` and `flagfall --plain`, types lines into them and waits, with a
//! limit, for expected lines. It ends every process that it started, even if a test panics.
//!
//! `FLAGFALL_SERVER_BIN` and `FLAGFALL_CLIENT_BIN` can name the programs. If they are not set,
//! the programs are built first.

mod mirror;
mod process;
mod raw;
mod redis;
mod server;
mod tls;

pub use flagfall_tests::{OlderPrograms, client_program, older_programs, server_program};
pub use mirror::{Mirror, Ply};
pub use process::{Ended, Process, TIMEOUT, command};
pub use raw::{Answer, Socket, exchange, get, request};
pub use redis::{Redis, deploy};
pub use server::{Client, Server, Site};
pub use tls::{Authority, Certificate, Proxy, Validity};
