//! A view together with the ruleset of its game.

use std::ops::{Deref, DerefMut};

use flagfall_view::GameView;

use crate::ruleset::Ruleset;

/// A view with the ruleset of its game. Its methods compute what the viewer may do.
///
/// A [`GameView`] contains only the id of its ruleset, because views are part of messages and
/// records. This type adds the ruleset itself and dereferences to the [`GameView`]. Views from
/// [`view()`](crate::view()) have this type, and clients create values of this type from the
/// views in messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The view, which has only the ruleset's id.
    pub seen: GameView,
    /// The rules of the game.
    pub ruleset: &'static Ruleset,
}

impl View {
    /// Adds the ruleset to a view. Returns `None` if no ruleset has the view's ruleset id.
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
