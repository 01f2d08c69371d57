//! Plays one game in this process: choosers get views and return commands.

use flagfall_board::{PerSide, Ply, Side, SquareSet, Stamp};
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, Outcome, Phase, Refusal, Ruleset, Setup, Start, View, Viewer, view,
};

/// Why a game could not be played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum DuelError {
    /// A chooser returned a command that the rules do not allow.
    Refused { side: Side, ply: Ply, refusal: Refusal },
    /// A chooser returned nothing on its turn.
    Silent { side: Side, ply: Ply },
}

/// A game that was played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The outcome of the game.
    pub outcome: Outcome,
    /// Turns taken.
    pub plies: Ply,
}

/// Plays one game without clocks to its end, on a board with these lakes
/// ([`Ruleset::draw_lakes`]). Submits the given deployments. Calls `choose` with the view of the
/// side that must act, for each missing deployment and for every ply. A chooser may return any
/// command except a draw offer, which would get no answer.
///
/// # Errors
/// [`DuelError`] if a chooser returns nothing, or a command that the rules do not allow.
pub fn play(
    ruleset: &'static Ruleset,
    lakes: SquareSet,
    mut setups: PerSide<Option<Setup>>,
    mut choose: impl FnMut(Side, &View) -> Option<Command>,
) -> Result<Played, DuelError> {
    let mut game = Game::new(GameTerms { lakes, ..GameTerms::untimed(ruleset) });
    for side in Side::BOTH.into_iter().filter(|_| ruleset.start == Start::Deployments) {
        let asked = setups[side].take().map(Command::Deploy);
        ask(&mut game, side, |view| asked.or_else(|| choose(side, view)))?;
    }
    while game.phase() == Phase::Playing {
        let side = game.position().actor();
        ask(&mut game, side, |view| choose(side, view))?;
    }
    debug_assert_eq!(game.phase(), Phase::Over);
    match game.outcome() {
        Some(outcome) => Ok(Played { outcome, plies: game.ply() }),
        None => Err(DuelError::Silent { side: Side::Red, ply: game.ply() }),
    }
}

fn ask(game: &mut Game, side: Side, choose: impl FnOnce(&View) -> Option<Command>) -> Result<(), DuelError> {
    let ply = game.ply();
    let seen = view(game, Viewer::Player(side), Stamp(0));
    let command = choose(&seen).ok_or(DuelError::Silent { side, ply })?;
    // The commitments of this game never leave this process, so their salts need not be random.
    let played = game.play(side, &command, Stamp(0), &Entropy([0; 32]));
    played.map(|_| ()).map_err(|refusal| DuelError::Refused { side, ply, refusal })
}
