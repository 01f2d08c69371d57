//! Plays one game in this process: choosers get views and return commands.

use flagfall_board::{GameId, PerSide, Ply, Side, SquareSet, Stamp};
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, Outcome, Phase, Refusal, Ruleset, Setup, Start, TimeControl, View,
    Viewer, decide, evolve, view,
};

/// Why a game could not be played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DuelError {
    /// A chooser returned a command that the rules refuse.
    Refused {
        /// The chooser's side.
        side: Side,
        /// The ply.
        ply: Ply,
        /// Why.
        refusal: Refusal,
    },
    /// A chooser returned nothing at its turn.
    Silent {
        /// The chooser's side.
        side: Side,
        /// The ply.
        ply: Ply,
    },
}

/// A game that was played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// How it ended.
    pub outcome: Outcome,
    /// Turns taken.
    pub plies: Ply,
}

/// Plays one game without clocks to its end, on a board with these lakes ([`Ruleset::draw_lakes`]).
/// Hands in the given deployments. For the others, and for every ply, it shows `choose` the view of
/// the side that has to act. A chooser may return any command except a draw offer, which would go
/// unanswered.
///
/// # Errors
/// [`DuelError`] if a chooser returns nothing, or a command that the rules refuse.
pub fn play(
    ruleset: &'static Ruleset,
    lakes: SquareSet,
    mut setups: PerSide<Option<Setup>>,
    mut choose: impl FnMut(Side, &View) -> Option<Command>,
) -> Result<Played, DuelError> {
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset,
        lakes,
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    });
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
    // This game's commitments stay here, so their salts need not be random.
    let events = decide(game, side, ply, &command, Stamp(0), &Entropy([0; 32]))
        .map_err(|refusal| DuelError::Refused { side, ply, refusal })?;
    events.iter().for_each(|event| evolve(game, event, Stamp(0)));
    Ok(())
}
