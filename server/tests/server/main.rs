//! Tests of a whole server on the loopback interface. Most tests run the server in the test
//! process. The tests of stopping and of stores run the server program.
//!
//! All tests are in one binary, because each binary links the whole server.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

mod accounts;
mod archive;
mod archive_away;
mod archive_known;
mod capacity;
mod chat;
mod correspondence;
mod deployments;
mod gateway;
mod guests;
mod histories;
mod http;
mod limits;
mod moving;
mod notices;
mod operator;
mod outage;
mod page;
mod pool;
mod preferences;
mod process;
mod ratings;
mod sessions;
mod storage;
#[path = "../../store/tests/common/mod.rs"]
mod store;
mod upheavals;
