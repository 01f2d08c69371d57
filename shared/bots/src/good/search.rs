//! Searches one world with alpha-beta and quiescence. The number of positions is limited.

use flagfall_board::Rank;

use super::evaluation::FLAG;
use super::grid::CELLS;
use super::piece::Piece;
use super::world::{Step, World};
use crate::mind::give_way;

/// The value of an immediate win. Each ply until a win lowers this value by [`DELAY`].
const WIN: i32 = 1_000_000;
/// The amount by which each ply until a win lowers the value of the win. It is larger than the
/// random noise in the scores of moves.
const DELAY: i32 = 10;
const INFINITY: i32 = 2_000_000;
/// The maximum number of plies beyond the search depth in which strikes are still followed.
const STRIKES_MAX: i32 = 5;
/// The number of positions after which the thread yields to other threads.
const NODES_A_TURN: u32 = 256;
/// The enemy is not expected to strike a piece of unknown rank if the strike's expected gain is
/// below this value.
const ENEMY_DARE: i32 = -250;

/// The remaining budget and the history table, which all searches of one decision share.
pub(super) struct Search {
    nodes_left: u32,
    /// A score for moving a piece to a target. It grows each time the search finds that this move
    /// is best.
    history: Vec<u32>,
    steps: Vec<Vec<Step>>,
}

/// The error that is returned when the budget is used up.
pub(super) struct Spent;

impl Search {
    pub(super) fn new(nodes: u32, pieces: usize) -> Search {
        Search { nodes_left: nodes, history: vec![0; pieces * CELLS], steps: Vec::new() }
    }

    /// Returns the value of one of our side's plies after a search to a depth of `depth` plies.
    pub(super) fn value(&mut self, world: &mut World<'_>, step: Step, depth: i32) -> Result<i32, Spent> {
        if let Some((_, target)) = world.piece_at(step.to)
            && target.rank == Rank::Flag
        {
            return Ok(if target.is_hidden { world.assess() + FLAG } else { WIN });
        }
        let undo = world.make(step);
        let value = self.look(world, depth - 1, -INFINITY, INFINITY, false, 1).map(|value| -value);
        world.unmake(&undo);
        // This world is only one of many, so a captured Flag in it must not count for more than a
        // win.
        value.map(|value| value.clamp(-WIN, WIN))
    }

    fn look(
        &mut self,
        world: &mut World<'_>,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        is_mine: bool,
        ply: i32,
    ) -> Result<i32, Spent> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(Spent)?;
        if self.nodes_left.is_multiple_of(NODES_A_TURN) {
            give_way();
        }
        let stand = if is_mine { world.assess() } else { -world.assess() };
        let is_quiet = depth <= 0;
        let mut best = -INFINITY;
        if is_quiet {
            if stand >= beta || depth <= -STRIKES_MAX {
                return Ok(stand);
            }
            best = stand;
            alpha = alpha.max(stand);
        }
        let mut steps = self.steps.pop().unwrap_or_default();
        steps.clear();
        world.steps(is_mine, is_quiet, &mut steps);
        let mut order: Vec<(i32, Step)> =
            steps.iter().map(|step| (self.ordering_score(world, *step), *step)).collect();
        self.steps.push(steps);
        if order.is_empty() && !is_quiet {
            return Ok(ply * DELAY - WIN);
        }
        for next in 0..order.len() {
            let most =
                (next..order.len()).max_by_key(|index| (order[*index].0, -(*index as i32))).unwrap_or(next);
            order.swap(next, most);
            let step = order[next].1;
            let Some(value) = self.judge(world, step, stand, depth, (alpha, beta), is_mine, ply)? else {
                continue;
            };
            best = best.max(value);
            if value >= beta {
                if !is_quiet {
                    self.history[usize::from(step.piece) * CELLS + usize::from(step.to)] +=
                        (depth * depth) as u32;
                }
                break;
            }
            alpha = alpha.max(value);
        }
        // The enemy would probably make none of these risky plies, so use the value of the
        // current position.
        Ok(if best == -INFINITY { stand } else { best })
    }

    /// Returns the value of a ply for the side that makes it. Returns `None` if that side would
    /// not make the ply.
    #[expect(clippy::too_many_arguments, reason = "the state of an alpha-beta search")]
    fn judge(
        &mut self,
        world: &mut World<'_>,
        step: Step,
        stand: i32,
        depth: i32,
        (alpha, beta): (i32, i32),
        is_mine: bool,
        ply: i32,
    ) -> Result<Option<i32>, Spent> {
        if let Some((number, target)) = world.piece_at(step.to) {
            if target.is_hidden && is_mine {
                // The search must not use the hidden rank, so the strike counts with its expected
                // gain.
                return Ok(Some(stand + world.evaluation.gain(&self.attacker(world, step), number)));
            }
            if target.rank == Rank::Flag {
                return Ok(Some(if target.is_hidden { WIN / 20 } else { WIN } - ply * DELAY));
            }
            let is_bait = target.rank != Rank::Bomb;
            if target.is_hidden
                && is_bait
                && world.evaluation.gain(&self.attacker(world, step), number) < ENEMY_DARE
            {
                return Ok(None);
            }
        }
        let undo = world.make(step);
        let value = self.look(world, depth - 1, -beta, -alpha, !is_mine, ply + 1);
        world.unmake(&undo);
        value.map(|value| Some(-value))
    }

    fn attacker(&self, world: &World<'_>, step: Step) -> Piece {
        world.pieces[usize::from(step.piece)]
    }

    /// Returns the score of a ply for move ordering. Plies with a higher score are searched
    /// first.
    fn ordering_score(&self, world: &World<'_>, step: Step) -> i32 {
        let attacker = self.attacker(world, step);
        match world.piece_at(step.to) {
            Some((number, target)) if target.is_hidden && attacker.is_mine => {
                1_000_000 + world.evaluation.gain(&attacker, number)
            }
            Some((_, target)) => {
                let result = world.evaluation.strikes.result(attacker.rank, target.rank);
                let loses = result.attacker_fate == flagfall_rules::Fate::Leaves;
                let prize = world.evaluation.standing(target).abs();
                let price = if loses { world.evaluation.standing(&attacker).abs() } else { 0 };
                1_000_000 + if target.rank == Rank::Flag { WIN / 2 } else { prize - price }
            }
            None => {
                let there = Piece { cell: step.to, ..attacker };
                let nearer = world.evaluation.standing(&there) - world.evaluation.standing(&attacker);
                let known = self.history[usize::from(step.piece) * CELLS + usize::from(step.to)].min(50_000);
                known as i32 * 8 + if attacker.is_mine { nearer } else { -nearer }
            }
        }
    }
}
