//! What a player's own side may do. It asks the engine about the view that the server sent, as a
//! client would, and uses nothing else.

use std::collections::BTreeMap;

use flagfall_board::{ChipColor, Chips, Direction, PerSide, Rank, Side, Square};
use flagfall_bots::Chance;
use flagfall_protocol::{Audience, GameView, Phase, Reserve};
use flagfall_rules::{
    Choice, Command, LegalCommands, Move, OwedColor, PendingStrike, Phase as EnginePhase, Ruleset,
    SeenReserve, View, Viewer,
};

use crate::chance::once_in;

/// Early in a game, one in this many turns prefers a telling move if there is one. Later a side
/// would run short of pieces.
const TELLING_ONE_IN: usize = 3;
const BEGINNING: u16 = 30;
/// In one of this many choices a coin becomes the Flag if it may, which ends the game.
const FLAG_ONE_IN: usize = 100;

/// Everything the viewer may do on the board now; none if it is not their turn.
#[must_use]
pub(crate) fn lawful(view: &GameView) -> Option<LegalCommands> {
    engine_view(view)?.legal_commands().filter(|commands| !commands.is_empty())
}

/// The view as the engine has it, as far as legal commands need it.
fn engine_view(view: &GameView) -> Option<View> {
    let counts = |of: &BTreeMap<Rank, u8>| Rank::ALL.map(|rank| of.get(&rank).copied().unwrap_or(0));
    let reserve = |Reserve { size, labeled, unlabeled }: &Reserve| SeenReserve {
        size: *size,
        labeled: counts(labeled),
        unlabeled: unlabeled.as_ref().map(counts),
    };
    let chips = |of: &BTreeMap<ChipColor, Vec<Square>>| -> Chips {
        of.iter().flat_map(|(color, squares)| squares.iter().map(|square| (*square, *color))).collect()
    };
    Some(View {
        viewer: match view.audience {
            Audience::Red => Viewer::Player(Side::Red),
            Audience::Blue => Viewer::Player(Side::Blue),
            Audience::Public => Viewer::Public,
        },
        ruleset: Ruleset::find(&view.ruleset)?,
        phase: match view.phase {
            Phase::Deploying => EnginePhase::Deploying,
            Phase::Playing => EnginePhase::Playing,
            Phase::Over => EnginePhase::Over,
        },
        is_paused: view.paused,
        ready: view.ready,
        deploy_deadline: None,
        own_deployment: None,
        lakes: view.lakes.iter().copied().collect(),
        pieces: view.pieces.iter().map(|piece| piece.0).collect(),
        captured: PerSide::default(),
        ply: view.ply,
        turn: view.turn,
        last_move: None,
        last_exchange: None,
        reserve: view.reserve.as_ref().map(|both| PerSide::from_fn(|side| reserve(&both[side]))),
        chips: view.chips.as_ref().map(chips),
        owed_color: view.owed_color.map(|owed| OwedColor { side: owed.side, square: owed.square }),
        pools: view.pools.as_ref().map(|both| PerSide::from_fn(|side| counts(&both[side]))),
        pending_strike: view.pending_strike.map(|strike| PendingStrike {
            side: strike.side,
            from: strike.squares.0.from,
            to: strike.squares.0.to,
            owes: strike.owes,
            own_choice: strike.own_choice,
        }),
        refused_moves: view.refused_moves.iter().map(|squares| squares.0).collect(),
        clock: None,
        draw_offer: view.draw_offer,
        plies_to_limit: None,
        commitments: PerSide::default(),
        opened: PerSide::default(),
        outcome: None,
    })
}

/// Chooses one of these commands at random.
///
/// It rarely chooses the Flag. Early in the game it often prefers a strike. On boards with joints,
/// where Flags would fall before anything has happened, it prefers a move of several squares
/// instead, which proves something about the piece.
#[must_use]
pub(crate) fn choose(view: &GameView, commands: &LegalCommands, chance: &mut Chance) -> Option<Command> {
    if view.ply < BEGINNING && once_in(chance, TELLING_ONE_IN) {
        let shape = &Ruleset::find(&view.ruleset)?.shape;
        let side = view.audience.side()?;
        let is_foe =
            |square: Square| view.pieces.iter().any(|piece| piece.0.square == square && piece.0.side != side);
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

/// Prefers a move to other commands, and placing to removing.
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
