//! What one's own side may do, from what the server sent and nothing else: the engine is asked about the view, as a client would.

use flagfall_board::{Direction, Rank, Square};
use flagfall_bots::Chance;
use flagfall_protocol::GameView;
use flagfall_rules::{Choice, Command, LegalCommands, Move, Ruleset, View};

use crate::chance::once_in;

/// At the beginning of a game something telling is preferred to other moves once in so many turns in which there is any: later a side would be short of
/// pieces.
const TELLING_ONE_IN: usize = 3;
const BEGINNING: u16 = 30;
/// Where it may, a coin is said to be the Flag once in so many choices: it ends the game.
const FLAG_ONE_IN: usize = 100;

/// Everything the viewer may do on the board now; none when it is not for him to act.
#[must_use]
pub(crate) fn lawful(view: &GameView) -> Option<LegalCommands> {
    View::of(view.clone())?.legal_commands().filter(|commands| !commands.is_empty())
}

/// One of these commands by chance: seldom the Flag, and at the beginning often a strike or, where back rows join and Flags would be taken before
/// anything has happened, a move of several squares, which tells what the piece can be.
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

/// A move rather than another command; pieces are placed more often than taken off the board.
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
