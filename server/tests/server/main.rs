//! A whole server on loopback: most tests run it in this process, and those of stops and stores run
//! the program.
//!
//! One binary, because each would link the whole server again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

mod accounts;
mod capacity;
mod chat;
mod correspondence;
mod deployments;
mod gateway;
mod guests;
mod histories;
mod http;
mod limits;
mod notices;
mod operator;
mod outage;
mod pool;
mod process;
mod ratings;
mod sessions;
mod storage;
#[path = "../../store/tests/common/mod.rs"]
mod store;
mod upheavals;
