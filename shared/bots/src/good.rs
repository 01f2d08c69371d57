//! The level *good*. It infers which ranks each hidden piece can have. Then it draws complete
//! boards that fit, called worlds, and searches each of them.

mod army;
mod belief;
mod enemies;
mod evaluation;
mod grid;
mod hindsight;
mod piece;
mod prior;
mod reading;
mod search;
mod siege;
mod strikes;
#[cfg(test)]
mod tests;
mod world;

use flagfall_board::{Chance, Rank, RankSet, Side};
use flagfall_rules::{Command, Move, Ruleset, SeenPiece, Start, View};

use crate::Effort;
use crate::memory::Memory;
use crate::mind::{Mind, counts_left, give_way};
use crate::simple::Turn;

use army::ARMIES;
use belief::{PerRank, Suspect};
use enemies::{Belief, Enemies};
use evaluation::{Evaluation, Situation, Target};
use grid::cell;
use piece::Piece;
use search::Search;
use siege::Siege;
use world::{Step, World};

/// The number of positions to examine per world. A larger budget therefore means more worlds.
const NODES_A_WORLD: usize = 150;
/// The number of examined positions that one rank exchange counts as.
const NODES_AN_EXCHANGE: u32 = 5;
/// The maximum number of rank exchanges for one decision.
const EXCHANGES_MAX: u32 = 20_000;
/// If the best value falls by more than this amount from one depth to the next, the moves that
/// were dropped earlier are searched again.
const SURPRISE: i32 = 1_500;
/// The maximum depth of the search, in plies.
const DEPTH_MAX: i32 = 12;
/// The factor that converts scores of the level *simple* to the search's scale, so that the two
/// can be added. The search evaluates the consequences of strikes. The scores of *simple* tell
/// where to go and what to avoid.
const SIMPLE_UNIT: f32 = 200.0;

/// Probabilities below this value are ignored.
const SLIGHT: f64 = 0.005;

/// The mind of a *good* player in one game.
pub(crate) struct GoodMind {
    side: Side,
    effort: Effort,
    foes: Enemies,
    memory: Memory,
}

impl GoodMind {
    /// True if this level can play a ruleset. It cannot play with a reserve or coins, because its
    /// worlds do not support them.
    pub(crate) fn plays(ruleset: &Ruleset) -> bool {
        !ruleset.reserve && ruleset.start == Start::Deployments
    }

    pub(crate) fn new(side: Side, effort: Effort) -> GoodMind {
        GoodMind { side, effort, foes: Enemies::default(), memory: Memory::default() }
    }
}

impl Mind for GoodMind {
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        self.watch(view);
        let legal: Vec<Move> = view.legal_moves()?.iter().collect();
        let exchanges = (self.effort.nodes / NODES_AN_EXCHANGE).min(EXCHANGES_MAX) as usize;
        let belief = self.foes.believe(view, self.side, &self.memory, exchanges, chance);
        let mut turn = Turn::believing(view, self.side, &self.memory, in_short(view, self.side, &belief));
        let first_sight: Vec<i32> =
            legal.iter().map(|squares| (SIMPLE_UNIT * turn.score(*squares)) as i32).collect();
        give_way();
        let scene = Scene::new(view, self.side, belief, &self.memory);
        give_way();
        let values = scene.values(&legal, &first_sight, self.effort);
        let (squares, _) = (legal.iter().zip(values))
            .map(|(squares, value)| (*squares, value + chance.below(4) as i32))
            .max_by_key(|(_, value)| *value)?;
        self.foes.note_own_move(view.ply, squares);
        if let Some(chosen) = turn.own_move(squares) {
            self.memory.note_move(chosen);
        }
        Some(squares.into())
    }

    fn watch(&mut self, view: &View) {
        self.foes.see(view, self.side);
        self.memory.note(view, self.side);
    }
}

/// The data for one decision: the pieces, the belief about them, and the evaluation.
struct Scene {
    /// All pieces. Our own pieces come first.
    pieces: Vec<Piece>,
    mine: usize,
    /// The enemy pieces of uncertain rank, each with its index in `pieces` and its index in
    /// `belief`.
    suspects: Vec<(usize, usize)>,
    belief: Belief,
    evaluation: Evaluation,
}

impl Scene {
    fn new(view: &View, me: Side, belief: Belief, memory: &Memory) -> Scene {
        let mut seen: Vec<&SeenPiece> = view.pieces.iter().take(250).collect();
        seen.sort_by_key(|piece| piece.side != me);
        let mine = seen.iter().take_while(|piece| piece.side == me).count();
        let counts = [me, me.opponent()].map(|side| counts_left(view, side));
        let theirs = public_belief(view, me, &seen[..mine], counts[0]);
        let mut scene_pieces = Vec::with_capacity(seen.len());
        let mut targets = Vec::with_capacity(seen.len());
        let mut pairs = Vec::new();
        let mut next_own = 0;
        for (index, piece) in seen.iter().enumerate() {
            let is_mine = index < mine;
            let mut chances = [0.0; Rank::COUNT];
            let mut rank = piece.identity.rank();
            let mut is_hidden = if is_mine { !piece.is_revealed } else { rank.is_none() };
            if is_mine && is_hidden {
                chances = theirs[next_own];
                next_own += 1;
            } else if is_hidden {
                let number = belief.number(piece.square).unwrap_or(0);
                chances = belief.chances[number];
                rank = belief.certain(number);
                is_hidden = rank.is_none();
                pairs.push((index, number));
            } else if let Some(rank) = rank {
                chances[rank as usize] = 1.0;
            }
            targets.push(Target { is_mine, cell: cell(piece.square), is_hidden, chances });
            let rank = rank.unwrap_or(Rank::Sergeant);
            scene_pieces.push(Piece { is_mine, rank, cell: cell(piece.square), is_hidden, is_alive: true });
        }
        let own = |rank: Rank| {
            scene_pieces[..mine].iter().filter(move |piece| piece.rank == rank).map(|piece| piece.cell)
        };
        let caution_percent = caution(view, memory.quiet_turns.saturating_mul(2));
        let open: Vec<grid::Cell> =
            view.ruleset.shape.squares().without(view.lakes).iter().map(cell).collect();
        let (own_flag, own_bombs) = (own(Rank::Flag).next(), own(Rank::Bomb).collect());
        let is_open = grid::marked(&open);
        let evaluation = Evaluation::new(Situation {
            ruleset: view.ruleset,
            siege: Siege::new(own_flag, own(Rank::Bomb), &is_open),
            is_open,
            open,
            targets,
            counts,
            caution_percent,
            own_flag,
            own_bombs,
        });
        Scene { pieces: scene_pieces, mine, suspects: pairs, belief, evaluation }
    }

    /// Returns the mean value of each move over all worlds. The search goes as deep as the effort
    /// allows.
    fn values(&self, legal: &[Move], first_sight: &[i32], effort: Effort) -> Vec<i32> {
        let steps: Vec<Step> = legal.iter().filter_map(|squares| self.step(*squares)).collect();
        if steps.len() != legal.len() || steps.len() < 2 {
            return vec![0; legal.len()];
        }
        let is_certain = self.suspects.iter().all(|(_, suspect)| self.belief.certain(*suspect).is_some());
        let count = if is_certain { 1 } else { (effort.nodes as usize / NODES_A_WORLD).clamp(1, ARMIES) };
        let mut worlds: Vec<World<'_>> = (0..count).map(|number| self.world(number)).collect();
        let mut search = Search::new(effort.nodes.max(1), self.pieces.len());
        let mut values: Vec<i32> = first_sight.to_vec();
        let mut candidates: Vec<usize> = (0..steps.len()).collect();
        let mut best = i32::MIN;
        let mut depth = 1;
        while depth <= DEPTH_MAX {
            let used = worlds.len().min(worlds_at(depth));
            let Some(means) =
                self.look(&steps, first_sight, &candidates, &mut worlds[..used], &mut search, depth)
            else {
                break;
            };
            let highest = means.iter().copied().max().unwrap_or(0);
            if candidates.len() < steps.len() && highest < best - SURPRISE {
                // The value of the best move has fallen, so one of the dropped moves may be
                // better.
                candidates = (0..steps.len()).collect();
                best = i32::MIN;
                continue;
            }
            best = highest;
            let floor = means.iter().copied().min().unwrap_or(0);
            // Give the moves that were dropped a lower value than all moves that are still
            // searched.
            values.iter_mut().for_each(|value| *value = (*value).min(floor - 1));
            candidates.iter().zip(means).for_each(|(candidate, mean)| values[*candidate] = mean);
            candidates.sort_by_key(|candidate| -values[*candidate]);
            candidates.truncate(kept_at(depth));
            depth += 1;
        }
        values
    }

    /// Returns the mean value of each candidate over the worlds at a depth. Returns `None` if the
    /// budget runs out before half of the worlds have been searched.
    fn look(
        &self,
        steps: &[Step],
        first_sight: &[i32],
        candidates: &[usize],
        worlds: &mut [World<'_>],
        search: &mut Search,
        depth: i32,
    ) -> Option<Vec<i32>> {
        let mut sums = vec![0_i64; candidates.len()];
        let mut looked = 0;
        let wanted = worlds.len();
        for world in worlds {
            let found: Result<Vec<i32>, search::Spent> =
                candidates.iter().map(|candidate| search.value(world, steps[*candidate], depth)).collect();
            let Ok(found) = found else { break };
            sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += i64::from(value));
            looked += 1;
        }
        if looked == 0 || looked * 2 < wanted {
            return None;
        }
        let mean = |sum: i64| (sum / looked as i64) as i32;
        Some(
            candidates
                .iter()
                .zip(sums)
                .map(|(candidate, sum)| mean(sum) + first_sight[*candidate] + self.daring(steps[*candidate]))
                .collect(),
        )
    }

    /// Returns the bonus for a strike at a hidden piece. The bonus grows as the player becomes
    /// less cautious.
    fn daring(&self, step: Step) -> i32 {
        let attacker = &self.pieces[usize::from(step.piece)];
        let target = self.pieces.iter().position(|piece| piece.cell == step.to);
        match target.filter(|target| self.pieces[*target].is_hidden) {
            Some(target) => {
                self.evaluation.risk(attacker, target as u8)
                    * (100 - self.evaluation.situation.caution_percent)
                    / 100
            }
            None => 0,
        }
    }

    fn step(&self, squares: Move) -> Option<Step> {
        let from = cell(squares.from);
        let piece = self.pieces[..self.mine].iter().position(|piece| piece.cell == from)?;
        Some(Step { piece: piece as u8, to: cell(squares.to) })
    }

    /// Returns the world that assumes one of the drawn armies.
    fn world(&self, number: usize) -> World<'_> {
        let ranks = &self.belief.armies[number % self.belief.armies.len()];
        let mut pieces = self.pieces.clone();
        for (index, suspect) in &self.suspects {
            pieces[*index].rank = ranks[*suspect];
        }
        World::new(&self.evaluation, pieces)
    }
}

/// Converts the belief to the form that the level *simple* uses. Small probabilities are left
/// out.
fn in_short(view: &View, me: Side, belief: &Belief) -> Vec<crate::simple::Enemy> {
    let foes = view.pieces.iter().filter(|piece| piece.side != me).filter_map(|piece| {
        let number = belief.number(piece.square)?;
        let known = piece.identity.rank().or(belief.certain(number));
        let chances = match known {
            Some(rank) => Rank::ALL.map(|other| f32::from(u8::from(other == rank))),
            None => belief.chances[number].map(|chance| if chance > SLIGHT { chance as f32 } else { 0.0 }),
        };
        Some(crate::simple::Enemy { square: piece.square, is_moved: piece.is_moved, known, chances })
    });
    foes.collect()
}

/// Returns the number of worlds to search at a depth: the deeper, the fewer.
const fn worlds_at(depth: i32) -> usize {
    match depth {
        ..=2 => ARMIES,
        3 | 4 => 8,
        _ => 4,
    }
}

/// Returns the number of moves to keep for searches beyond this depth.
const fn kept_at(depth: i32) -> usize {
    match depth {
        ..=1 => 24,
        2 => 12,
        3 => 8,
        _ => 5,
    }
}

/// The weight of losses at the start of a game, in percent.
const CAUTION: i32 = 100;

/// Returns the weight of losses, in percent. It decreases as the game approaches the limit of
/// plies without a capture.
fn caution(view: &View, quiet_plies: u16) -> i32 {
    let Some(limit) = view.ruleset.quiet_limit else { return 100 };
    let limit = i32::from(limit.max(1));
    let quiet = match view.plies_to_limit {
        Some(left) => limit - i32::from(left),
        None => i32::from(quiet_plies).min(limit),
    };
    let share = quiet * 100 / limit;
    (CAUTION - share * CAUTION / 80).max(10)
}

/// Returns the probability of each rank for each of our hidden pieces, in order, from the enemy's
/// point of view. The enemy can infer these probabilities from the pieces' squares and from the
/// number of remaining pieces of each rank.
fn public_belief(view: &View, me: Side, own: &[&SeenPiece], mut counts: PerRank<u8>) -> Vec<PerRank<f64>> {
    let mut suspects = Vec::new();
    for piece in own {
        if piece.is_revealed {
            if let Some(rank) = piece.identity.rank() {
                counts[rank as usize] = counts[rank as usize].saturating_sub(1);
            }
            continue;
        }
        let origin = (!piece.is_moved).then_some(piece.square);
        let possible = if piece.is_moved { RankSet::MOVABLE } else { RankSet::ALL };
        suspects.push(Suspect { possible, weight: prior::habit(view.ruleset, me, origin) });
    }
    belief::fit(&suspects, counts)
}
