//! Access to all hidden state, for tools that are not servers: tests, analysis, referees.
//!
//! Servers do not enable this feature.

use flagfall_board::{PerSide, Rank, Side, Square, SquareSet};

use crate::decide::{choose, judge_mobility, lay_owed, place, play, remove};
use crate::event::EventKind;
use crate::{
    Command, Deployment, Events, Game, HexBytes, Opened, Phase, Position, Refusal, Setup, SetupRefusal,
};

/// A key to hidden state: code that holds a referee can see everything.
#[derive(Debug, Default)]
pub struct Referee;

impl Referee {
    /// The position as a line of text, hidden ranks included.
    pub fn position_text(&self, position: &Position) -> String {
        position.text()
    }

    /// Every piece on the board: square, side and rank; coins have no rank.
    pub fn pieces(&self, position: &Position) -> Vec<(Square, Side, Option<Rank>)> {
        position.pieces().map(|(square, piece)| (square, piece.side, piece.rank)).collect()
    }

    /// Judges a board command on a position, without a game. Other commands have no effect.
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

    /// Applies the plies among these events to a position.
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

    /// The position after two setups on a board with these lakes, Red to move.
    ///
    /// # Errors
    /// The reason why the first invalid setup is not a deployment.
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

    /// Ends a game whose starting position leaves the side to move without a move (§A10).
    ///
    /// Returns no events if the side can move or the game is not being played.
    pub fn judge(&self, game: &Game) -> Events {
        let verdict = (game.phase() == Phase::Playing).then(|| judge_mobility(game.position())).flatten();
        Events::new([verdict.map(EventKind::Ended), None, None])
    }

    /// The submitted deployments with their salts, regardless of who may know them.
    pub fn deployments(&self, game: &Game) -> PerSide<Option<Opened>> {
        PerSide::from_fn(|side| {
            game.deployments[side]
                .as_ref()
                .map(|(deployment, salt)| Opened { setup: deployment.text(), salt: HexBytes(salt.0) })
        })
    }
}
