//! A world: a board on which every hidden rank is replaced by an assumed rank that fits what was
//! seen. Plies can be made and taken back.

use flagfall_board::Rank;
use flagfall_rules::Fate;

use super::evaluation::Evaluation;
use super::grid::{self, CELLS, Cell, STEPS};
use super::piece::Piece;
use super::siege::Siege;

/// The weight of an open path to the enemy's Flag, as a percentage of the weight of an open path
/// to our Flag.
const PROSPECT: i32 = 50;

/// The content of a cell that has no piece.
const EMPTY: u8 = 254;
const WALL: u8 = 255;

/// A ply: the number of the moving piece, and the target cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) piece: u8,
    pub(super) to: Cell,
}

/// The state before a ply, for taking the ply back.
pub(super) struct Undo {
    attacker: (u8, Piece),
    defender: Option<(u8, Piece)>,
    to: Cell,
    score: i32,
}

/// A board with assumed ranks. In the list of pieces, ours come first.
pub(super) struct World<'a> {
    pub(super) evaluation: &'a Evaluation,
    cells: [u8; CELLS],
    pub(super) pieces: Vec<Piece>,
    mine: usize,
    /// The distances to the enemy's Flag.
    siege: Siege,
    /// The total value of our pieces minus that of the enemy's pieces.
    score: i32,
}

impl<'a> World<'a> {
    /// Creates a world with these pieces. Our pieces must come first, and there may be at most
    /// 250 pieces.
    pub(super) fn new(evaluation: &'a Evaluation, pieces: Vec<Piece>) -> World<'a> {
        let mut cells = [WALL; CELLS];
        evaluation.situation.open.iter().for_each(|cell| cells[usize::from(*cell)] = EMPTY);
        for (index, piece) in pieces.iter().enumerate() {
            cells[usize::from(piece.cell)] = index as u8;
        }
        let mine = pieces.iter().take_while(|piece| piece.is_mine).count();
        let score = pieces.iter().map(|piece| evaluation.standing(piece)).sum();
        let theirs = |rank: Rank| {
            pieces[mine..].iter().filter(move |piece| piece.rank == rank).map(|piece| piece.cell)
        };
        let siege = Siege::new(theirs(Rank::Flag).next(), theirs(Rank::Bomb), &evaluation.situation.is_open);
        World { evaluation, cells, pieces, mine, siege, score }
    }

    /// Returns the value of the position from our side's point of view.
    pub(super) fn assess(&self) -> i32 {
        let (mine, enemies) = self.pieces.split_at(self.mine);
        let is_about = |piece: &&Piece| piece.is_alive && piece.rank.is_movable();
        let mine = mine.iter().filter(is_about);
        let enemies = enemies.iter().filter(is_about);
        let evaluation = self.evaluation;
        let peril = evaluation.situation.siege.threat(
            &evaluation.strikes,
            enemies.clone(),
            mine.clone(),
            |from, to| evaluation.walk(from, to),
        );
        let prospect = self.siege.threat(&evaluation.strikes, mine, enemies, grid::distance);
        self.score - peril + prospect * PROSPECT / 100
    }

    pub(super) fn piece_at(&self, cell: Cell) -> Option<(u8, &Piece)> {
        let index = self.cells[usize::from(cell)];
        self.pieces.get(usize::from(index)).map(|piece| (index, piece))
    }

    /// Lists the plies of a side. With `strikes_alone`, lists only its strikes. Repetition rules
    /// are ignored.
    pub(super) fn steps(&self, is_mine: bool, strikes_alone: bool, steps: &mut Vec<Step>) {
        let (first, end) = if is_mine { (0, self.mine) } else { (self.mine, self.pieces.len()) };
        for (index, piece) in self.pieces[first..end].iter().enumerate() {
            if !piece.is_alive || !piece.rank.is_movable() {
                continue;
            }
            let number = (first + index) as u8;
            for direction in STEPS {
                let mut to = piece.cell.wrapping_add(direction);
                let mut is_near = true;
                while self.cells[usize::from(to)] == EMPTY {
                    if !strikes_alone {
                        steps.push(Step { piece: number, to });
                    }
                    if !piece.rank.is_runner() {
                        break;
                    }
                    is_near = false;
                    to = to.wrapping_add(direction);
                }
                let is_reached =
                    is_near || (piece.rank.is_runner() && self.evaluation.situation.ruleset.strikes_afar);
                if is_reached
                    && let Some(target) = self.pieces.get(usize::from(self.cells[usize::from(to)]))
                    && target.is_mine != is_mine
                {
                    steps.push(Step { piece: number, to });
                }
            }
        }
    }

    pub(super) fn make(&mut self, step: Step) -> Undo {
        let attacker = self.pieces[usize::from(step.piece)];
        let from = attacker.cell;
        let target = self.cells[usize::from(step.to)];
        let mut undo =
            Undo { attacker: (step.piece, attacker), defender: None, to: step.to, score: self.score };
        self.score -= self.evaluation.standing(&attacker);
        self.cells[usize::from(from)] = EMPTY;
        let mut moved = Piece { cell: step.to, ..attacker };
        if target == EMPTY {
            // Only a Scout moves more than one square (§C2).
            moved.is_hidden &= grid::is_adjacent(from, step.to);
            self.put(step.piece, moved);
            return undo;
        }
        let defender = self.pieces[usize::from(target)];
        undo.defender = Some((target, defender));
        let result = self.evaluation.strikes.result(attacker.rank, defender.rank);
        self.score -= self.evaluation.standing(&defender);
        self.cells[usize::from(step.to)] = EMPTY;
        let is_hidden = defender.is_hidden && !result.is_defender_shown;
        self.settle(target, Piece { is_hidden, ..defender }, result.defender_fate, from);
        moved.is_hidden = false;
        self.settle(step.piece, Piece { cell: from, ..moved }, result.attacker_fate, step.to);
        undo
    }

    fn settle(&mut self, number: u8, piece: Piece, fate: Fate, other_cell: Cell) {
        match fate {
            Fate::Stays => self.put(number, piece),
            Fate::Advances => self.put(number, Piece { cell: other_cell, ..piece }),
            Fate::Leaves => self.pieces[usize::from(number)].is_alive = false,
        }
    }

    fn put(&mut self, number: u8, piece: Piece) {
        self.score += self.evaluation.standing(&piece);
        self.cells[usize::from(piece.cell)] = number;
        self.pieces[usize::from(number)] = piece;
    }

    pub(super) fn unmake(&mut self, undo: &Undo) {
        self.cells[usize::from(undo.to)] = EMPTY;
        for (number, piece) in [Some(undo.attacker), undo.defender].into_iter().flatten() {
            self.pieces[usize::from(number)] = piece;
            self.cells[usize::from(piece.cell)] = number;
        }
        self.score = undo.score;
    }
}
