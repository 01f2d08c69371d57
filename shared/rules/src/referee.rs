//! Access to all hidden state, for tests, analysis and referees.
//!
//! Servers do not enable this feature.

use flagfall_board::{PerSide, Rank, Side, Square, SquareSet};

use crate::decide::{choose, judge_mobility, lay_owed, place, play, remove};
use crate::event::EventKind;
use crate::{
    Command, Deployment, Events, Game, HexBytes, Opened, Phase, Position, Refusal, Setup, SetupRefusal,
};

/// A key to all hidden state. Code with a value of this type can see everything.
#[derive(Debug, Default)]
pub struct Referee;

impl Referee {
    /// The position as a line of text, including hidden ranks.
    pub fn position_text(&self, position: &Position) -> String {
        position.text()
    }

    /// Every piece on the board: its square, its side and its rank. Coins have no rank.
    pub fn pieces(&self, position: &Position) -> Vec<(Square, Side, Option<Rank>)> {
        position.pieces().map(|(square, piece)| (square, piece.side, piece.rank)).collect()
    }

    /// Decides on a command, given only a position. Commands that are not about the board have no
    /// effect.
    pub fn judge_command(&self, position: &Position, command: &Command) -> Result<Events, Refusal> {
        let side = position.actor();
        match command {
            Command::Move(asked) => play(position, side, *asked),
            Command::Remove(square) => remove(position, side, *square),
            Command::Place(placing) => place(position, side, placing),
            Command::Color(color) => lay_owed(position, side, *color),
            Command::Choose(choice) => choose(position, side, *choice),
            Command::Deploy(_)
            | Command::OfferDraw
            | Command::AcceptDraw
            | Command::DeclineDraw
            | Command::Resign
            | Command::Abort
            | Command::Claim(_) => Ok(Events::default()),
        }
    }

    /// Applies events to a position. Events that do not change the board have no effect.
    pub fn apply(&self, position: &mut Position, events: &Events) {
        for event in events.iter() {
            match &event.0 {
                EventKind::Moved(moved) => position.apply(moved),
                EventKind::Struck(strike) => position.await_choices(strike),
                EventKind::Chosen { side, rank } => position.note_choice(*side, *rank),
                EventKind::Removed { side: _, square } => position.remove(*square),
                EventKind::Placed(placed) => position.place(placed),
                EventKind::Colored { side: _, square, color } => position.lay_owed(*square, *color),
                EventKind::Deployed(_)
                | EventKind::Started { commitments: _ }
                | EventKind::DrawOffered { side: _ }
                | EventKind::DrawDeclined { side: _ }
                | EventKind::Paused { since: _ }
                | EventKind::Resumed
                | EventKind::ResumedSince { since: _ }
                | EventKind::Ended(_) => {}
            }
        }
    }

    /// The position after both sides have deployed on a board with these lakes, with Red to move.
    ///
    /// # Errors
    /// The reason why a setup is not a valid deployment. If both setups are invalid, the error is
    /// about the first.
    pub fn deployed(
        &self,
        ruleset: &'static crate::Ruleset,
        lakes: SquareSet,
        red: &Setup,
        blue: &Setup,
    ) -> Result<Position, SetupRefusal> {
        let (red, blue): (Deployment, Deployment) =
            (red.deploy(Side::Red, ruleset)?, blue.deploy(Side::Blue, ruleset)?);
        Ok(Position::deployed(ruleset, lakes, PerSide::new(Some(&red), Some(&blue))))
    }

    /// Ends a game in which the side to move has no move in the starting position (§A10).
    ///
    /// Returns no events if the side can move or the game is not being played.
    pub fn judge(&self, game: &Game) -> Events {
        let verdict = (game.phase() == Phase::Playing).then(|| judge_mobility(game.position())).flatten();
        Events::new([verdict.map(EventKind::Ended), None, None])
    }

    /// The submitted deployments with their salts, whether or not they are secret.
    pub fn deployments(&self, game: &Game) -> PerSide<Option<Opened>> {
        PerSide::from_fn(|side| {
            game.deployments[side]
                .as_ref()
                .map(|(deployment, salt)| Opened { setup: deployment.text(), salt: HexBytes(salt.0) })
        })
    }
}
