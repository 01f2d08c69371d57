//! Finds a player's legal commands. Like a client, it only uses the engine and the view that the
//! server sent.

use flagfall_board::{Chance, Direction, Rank, Square};
use flagfall_protocol::GameView;
use flagfall_rules::{Choice, Command, LegalCommands, Move, Ruleset, View};

use crate::chance::once_in;

/// Early in a game, players make a move that reveals something, if there is one, in one of this
/// many turns. Later in the game, this could cost a side too many pieces.
const TELLING_ONE_IN: usize = 3;
const BEGINNING: u16 = 30;
/// A coin that may become the Flag does so in one of this many cases. This ends the game.
const FLAG_ONE_IN: usize = 100;

/// Returns all legal commands of the viewer on the board. None if it is not their turn.
#[must_use]
pub(crate) fn lawful(view: &GameView) -> Option<LegalCommands> {
    View::of(view.clone())?.legal_commands().filter(|commands| !commands.is_empty())
}

/// Chooses one of these commands at random. A coin seldom becomes the Flag. At the beginning,
/// strikes are preferred. But on boards with joined back rows, strikes would soon capture a Flag,
/// so moves over several squares are preferred there. Such a move narrows down the rank of the
/// piece.
#[must_use]
pub(crate) fn choose(view: &GameView, commands: &LegalCommands, chance: &mut Chance) -> Option<Command> {
    if view.ply < BEGINNING && once_in(chance, TELLING_ONE_IN) {
        let shape = &Ruleset::find(&view.ruleset)?.shape;
        let side = view.audience.side()?;
        let is_foe =
            |square: Square| view.pieces.iter().any(|piece| piece.square == square && piece.side != side);
        let is_step = |squares: Move| {
            Direction::ALL.into_iter().any(|way| shape.neighbor(squares.from, way) == Some(squares.to))
        };
        let is_telling = |command: &Command| {
            let Command::Move(asked) = command else { return false };
            if shape.has_joints() { !is_step(asked.squares) } else { is_foe(asked.squares.to) }
        };
        let moves = (0..commands.moves_len()).filter_map(|n| commands.nth(n));
        let telling: Vec<Command> = moves.filter(is_telling).collect();
        if !telling.is_empty() {
            let one = chance.below(telling.len());
            return telling.into_iter().nth(one);
        }
    }
    let act = choose_act(commands, chance)?;
    if act == Command::Choose(Choice(Rank::Flag)) && commands.len() > 1 && !once_in(chance, FLAG_ONE_IN) {
        return commands.iter().filter(|other| *other != act).nth(chance.below(commands.len() - 1));
    }
    Some(act)
}

/// Prefer a move to other commands, and placing a piece to removing one.
#[must_use]
pub(crate) fn choose_act(commands: &LegalCommands, chance: &mut Chance) -> Option<Command> {
    let moves = commands.moves_len();
    if moves == commands.len() || (moves > 0 && !once_in(chance, 2)) {
        return commands.nth(chance.below(moves.max(1)));
    }
    let is_placing = |n: usize| matches!(commands.nth(n), Some(Command::Place(_)));
    let Some(first) = (moves..commands.len()).find(|n| is_placing(*n)) else {
        return commands.nth(moves + chance.below(commands.len() - moves));
    };
    if first > moves && once_in(chance, 4) {
        return commands.nth(moves + chance.below(first - moves));
    }
    commands.nth(first + chance.below(commands.len() - first))
}
