//! A plain way to play rulesets with a reserve: strike what can be beaten or is not known, else go on towards such a piece, else bring one on.

use flagfall_board::{Rank, Side, Square};
use flagfall_rules::{Command, Fate, Identity, MoveCommand, View, strike_fates};

use crate::Chance;

/// Commands that are looked at beyond the moves: removing and placing are many, and alike.
const OTHERS_MAX: usize = 8;

/// A legal command; none only when there is none.
pub(crate) fn choose(view: &View, side: Side, chance: &mut Chance) -> Option<Command> {
    let commands = view.legal_commands().filter(|commands| !commands.is_empty())?;
    let moves = commands.moves_len();
    let others = (0..OTHERS_MAX).filter(|_| commands.len() > moves).map(|_| chance.below(commands.len()));
    let numbers: Vec<usize> = (0..moves).chain(others).collect();
    let mut best: Option<(usize, Command)> = None;
    for number in numbers {
        let Some(command) = commands.nth(number) else { continue };
        let score = worth(view, side, &command) + chance.below(10);
        if best.as_ref().is_none_or(|(high, _)| score > *high) {
            best = Some((score, command));
        }
    }
    best.map(|(_, command)| command)
}

/// How much a command is wanted.
fn worth(view: &View, side: Side, command: &Command) -> usize {
    match command {
        Command::Move(MoveCommand { squares, path: _, color: _ }) => {
            let own = identity(view, squares.from);
            match foe(view, side, squares.to) {
                Some(foe) => worth_of_strike(view, own, foe),
                None => 10 + progress(view, side, own, squares.from, squares.to),
            }
        }
        // Seldom: games go on.
        Command::Place(_) => 4,
        Command::Remove(_) => 1,
        Command::Color(_)
        | Command::Deploy(_)
        | Command::OfferDraw
        | Command::AcceptDraw
        | Command::DeclineDraw
        | Command::Resign
        | Command::Abort => 0,
    }
}

fn identity(view: &View, square: Square) -> Option<Identity> {
    view.pieces.iter().find(|piece| piece.square == square).map(|piece| piece.identity)
}

fn foe(view: &View, side: Side, square: Square) -> Option<Identity> {
    view.pieces.iter().find(|piece| piece.square == square && piece.side != side).map(|piece| piece.identity)
}

fn worth_of_strike(view: &View, own: Option<Identity>, foe: Identity) -> usize {
    match (own, foe) {
        (_, Identity::Known(Rank::Flag)) => 100,
        (Some(Identity::Known(own)), Identity::Known(foe)) => match strike_fates(view.ruleset, own, foe) {
            (Fate::Leaves, Fate::Stays | Fate::Advances) => 0,
            (Fate::Leaves, Fate::Leaves) => 12,
            (Fate::Stays | Fate::Advances, _) => 30,
        },
        (_, Identity::OneOf(_) | Identity::Hidden)
        | (Some(Identity::OneOf(_) | Identity::Hidden) | None, _) => 18,
    }
}

/// How much nearer a move comes to an enemy piece that the own one need not fear, at most as much as tells.
fn progress(view: &View, side: Side, own: Option<Identity>, from: Square, to: Square) -> usize {
    let targets =
        view.pieces.iter().filter(|piece| piece.side != side).filter(|piece| match (own, piece.identity) {
            (Some(Identity::Known(own)), Identity::Known(foe)) => {
                strike_fates(view.ruleset, own, foe).0 != Fate::Leaves
            }
            (_, _) => true,
        });
    let steps = |one: Square, other: Square| {
        usize::from(one.column().abs_diff(other.column()) + one.row().abs_diff(other.row()))
    };
    let near = |at: Square| targets.clone().map(|foe| steps(at, foe.square)).min();
    match (near(from), near(to)) {
        (Some(before), Some(after)) => before.saturating_sub(after).min(4) * 2,
        (_, _) => 0,
    }
}
