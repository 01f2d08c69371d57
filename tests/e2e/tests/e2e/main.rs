//! Tests whole games, crashes and bad input with the real programs.

mod absence;
mod accounts;
mod chat_and_moderation;
mod conversation;
mod crash;
mod damage;
mod deployed;
mod doors;
mod duel;
mod encrypted;
mod example;
mod games;
mod mail;
mod older;
mod operation;
mod operators;
#[cfg(target_os = "linux")]
mod programs;
mod several;
mod typed;
mod upgrade;
