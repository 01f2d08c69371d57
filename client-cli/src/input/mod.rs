//! From keys to actions. One table says what each key does on each screen; the core, the key bar
//! and the help all read it.

mod action;
mod keymap;

pub use action::Action;
pub use keymap::{KeyHint, Screen, action, answers_to_draw, hints, key_for, screen};

#[cfg(test)]
mod tests;
