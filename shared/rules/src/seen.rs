//! A view together with the rules of its game.

use std::ops::{Deref, DerefMut};

use flagfall_view::GameView;

use crate::ruleset::Ruleset;

/// A view with the rules of its game. Tells what its viewer may do.
///
/// A [`GameView`] names its ruleset only by id, because it is what messages and records hold. This
/// type adds the ruleset and otherwise stands for the view: it dereferences to it. Both the views
/// that [`view()`](crate::view()) makes and the views that a client reads from messages are asked
/// the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// What the viewer knows.
    pub seen: GameView,
    /// The rules the game is played by.
    pub ruleset: &'static Ruleset,
}

impl View {
    /// The view with its ruleset; none if no ruleset has that id.
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
