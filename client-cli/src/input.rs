//! Maps keys to actions. One table says what each key does on each screen. The core, the key bar
//! and the help use this table.

mod action;
mod conditions;
mod keymap;
mod layout;
mod screen;

pub use action::{Action, Jump};
pub use keymap::{KeyHint, action, answers_to_draw, hints, key_for};
pub use layout::latin;
pub use screen::{Screen, screen};

#[cfg(test)]
mod tests;
