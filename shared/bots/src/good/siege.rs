//! The race for a Flag. Runners are pieces on their way to the Flag, and guards are pieces that
//! may stop them in time.

use std::collections::VecDeque;

use flagfall_board::Rank;
use flagfall_rules::Fate;

use super::grid::{CELLS, Cell, STEPS};
use super::piece::Piece;
use super::strikes::Strikes;

/// The value of a piece that cannot be stopped, indexed by its distance to the enemy's Flag in
/// steps.
const UNSTOPPED: [i32; 8] = [9000, 9000, 7000, 5500, 4000, 2500, 1200, 500];

/// The number of steps from every cell to a target. [`u8::MAX`] means that there is no path.
pub(super) type Ways = [u8; CELLS];

/// The distances from all cells to one Flag.
pub(super) struct Siege {
    /// Two tables of distances: one for pieces that Bombs stop, and one for Miners, which can
    /// pass Bombs.
    ways: [Ways; 2],
}

impl Siege {
    /// Computes the distances to a Flag that is protected by these Bombs. If there is no Flag,
    /// there are no paths.
    pub(super) fn new(
        flag: Option<Cell>,
        bombs: impl Iterator<Item = Cell>,
        is_open: &[bool; CELLS],
    ) -> Siege {
        let Some(flag) = flag else { return Siege { ways: [[u8::MAX; CELLS]; 2] } };
        let mut is_blocked = [false; CELLS];
        let miners = measure_ways(flag, &is_blocked, is_open);
        bombs.for_each(|bomb| is_blocked[usize::from(bomb)] = true);
        Siege { ways: [measure_ways(flag, &is_blocked, is_open), miners] }
    }

    /// Returns the number of steps from a cell to the Flag for a piece of this rank.
    pub(super) fn way(&self, rank: Rank, cell: Cell) -> usize {
        usize::from(self.ways[usize::from(rank == Rank::Miner)][usize::from(cell)])
    }

    /// Returns the value of the most dangerous runner that no guard can stop. `walk` is a
    /// function that returns a guard's number of steps to a cell.
    pub(super) fn threat<'p>(
        &self,
        strikes: &Strikes,
        runners: impl Iterator<Item = &'p Piece>,
        guards: impl Iterator<Item = &'p Piece> + Clone,
        walk: impl Fn(Cell, Cell) -> u8,
    ) -> i32 {
        let mut most = 0;
        for runner in runners {
            let threat = UNSTOPPED.get(self.way(runner.rank, runner.cell)).copied().unwrap_or(0);
            if threat > most && !self.is_stopped(strikes, runner, guards.clone(), &walk) {
                most = threat;
            }
        }
        most
    }

    /// True if a guard that beats the runner can reach a cell on the runner's path before the
    /// runner, or at the same time.
    fn is_stopped<'p>(
        &self,
        strikes: &Strikes,
        runner: &Piece,
        guards: impl Iterator<Item = &'p Piece> + Clone,
        walk: &impl Fn(Cell, Cell) -> u8,
    ) -> bool {
        let mut at = runner.cell;
        for steps in 1.. {
            let here = self.way(runner.rank, at);
            let nearer = STEPS.into_iter().map(|step| at.wrapping_add(step));
            let Some(next) = nearer.into_iter().find(|next| self.way(runner.rank, *next) < here) else {
                break;
            };
            if self.way(runner.rank, next) == 0 {
                break;
            }
            at = next;
            let is_stopped = guards.clone().any(|guard| {
                walk(guard.cell, at) <= steps
                    && strikes.result(guard.rank, runner.rank).defender_fate == Fate::Leaves
            });
            if is_stopped {
                return true;
            }
        }
        false
    }
}

/// Returns the number of steps from every cell to a target, around blocked cells.
pub(super) fn measure_ways(target: Cell, is_blocked: &[bool; CELLS], is_open: &[bool; CELLS]) -> Ways {
    let mut ways = [u8::MAX; CELLS];
    ways[usize::from(target)] = 0;
    let mut queue = VecDeque::from([target]);
    while let Some(cell) = queue.pop_front() {
        let way = ways[usize::from(cell)];
        for step in STEPS {
            let next = cell.wrapping_add(step);
            let reached = &mut ways[usize::from(next)];
            if *reached == u8::MAX && is_open[usize::from(next)] {
                *reached = way + 1;
                if !is_blocked[usize::from(next)] {
                    queue.push_back(next);
                }
            }
        }
    }
    ways
}
