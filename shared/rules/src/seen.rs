//! A view together with the rules of its game.

use std::ops::{Deref, DerefMut};

use flagfall_view::GameView;

use crate::ruleset::Ruleset;

/// A view with the rules of its game. Its methods compute what the viewer may do.
///
/// A [`GameView`] names its ruleset only by id, because it is part of messages and records. This
/// type adds the ruleset and dereferences to the [`GameView`]. It serves both for views made by
/// [`view()`](crate::view()) and for views that a client reads from messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The view itself.
    pub seen: GameView,
    /// The rules by which the game is played.
    pub ruleset: &'static Ruleset,
}

impl View {
    /// Adds the ruleset to a view. Returns `None` if no ruleset has the view's id.
    pub fn of(seen: GameView) -> Option<View> {
        let ruleset = Ruleset::find(&seen.ruleset)?;
        Some(View { seen, ruleset })
    }
}

impl Deref for View {
    type Target = GameView;

    fn deref(&self) -> &GameView {
        &self.seen
    }
}

impl DerefMut for View {
    fn deref_mut(&mut self) -> &mut GameView {
        &mut self.seen
    }
}
