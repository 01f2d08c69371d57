//! Games within a single process. The events of a command are applied immediately.

use flagfall_board::{Side, Stamp};

use crate::command::Command;
use crate::decide::{decide, decide_deadline};
use crate::entropy::Entropy;
use crate::event::Events;
use crate::evolve::evolve;
use crate::game::Game;
use crate::refusal::Refusal;

impl Game {
    /// Decides on a command at the current ply, and applies the events that follow.
    ///
    /// This function combines [`decide`] and [`evolve`], for a web page, a bot or a test. A
    /// server must call the two functions separately, because it stores the events in between.
    /// The entropy is used only for a deployment, as the salt of its commitment.
    ///
    /// # Errors
    /// A [`Refusal`], which only the sender may see. In this case, the game does not change.
    ///
    /// ```
    /// use flagfall_rules::{Command, Entropy, Game, GameTerms, Position, Refusal, Side, Stamp};
    /// use flagfall_rules::rulesets::CLASSIC;
    ///
    /// let mut game = Game::from_position(GameTerms::untimed(&CLASSIC), Position::start(&CLASSIC));
    /// let mut play = |side, squares: &str| {
    ///     let command = Command::Move(squares.parse().unwrap());
    ///     game.play(side, &command, Stamp(0), &Entropy([0; 32]))
    /// };
    /// assert_eq!(play(Side::Blue, "a7a6"), Err(Refusal::NotYourTurn));
    /// assert_eq!(play(Side::Red, "c4c5"), Err(Refusal::Lake));
    /// assert!(play(Side::Red, "a4a5").is_ok());
    /// assert!(play(Side::Blue, "a7a6").is_ok());
    /// ```
    pub fn play(
        &mut self,
        side: Side,
        command: &Command,
        now: Stamp,
        entropy: &Entropy,
    ) -> Result<Events, Refusal> {
        let events = decide(self, side, self.ply(), command, now, entropy)?;
        self.carry_out(&events, now);
        Ok(events)
    }

    /// Ends the game if a deadline has passed. Otherwise, returns no events.
    pub fn expire(&mut self, now: Stamp) -> Events {
        let events = decide_deadline(self, now);
        self.carry_out(&events, now);
        events
    }

    fn carry_out(&mut self, events: &Events, now: Stamp) {
        events.iter().for_each(|event| evolve(self, event, now));
    }
}
