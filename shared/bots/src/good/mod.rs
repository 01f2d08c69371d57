//! The level *good*: it counts what every hidden piece can still be, draws worlds that fit, and looks ahead in each.

mod belief;
mod foes;
mod grid;
mod outlook;
mod search;
mod siege;
#[cfg(test)]
mod tests;
mod world;

use flagfall_board::{Direction, Rank, RankSet, Side};
use flagfall_rules::{Fill, Identity, Move, SeenPiece, View};

use crate::memory::Memory;
use crate::player::Mind;
use crate::simple::Turn;
use crate::{Chance, Effort};

use belief::{Belief, PerRank, Suspect};
use foes::Foes;
use grid::{cell, is_adjacent};
use outlook::{Outlook, Situation, Target};
use search::Search;
use siege::Siege;
use world::{Piece, Step, World};

/// Positions that one more world is worth drawing for.
const NODES_A_WORLD: usize = 150;
/// Worlds drawn for a decision, at most.
const WORLDS: usize = 16;
/// How far the best value may fall from one depth to the next before the moves left out are looked at again.
const SURPRISE: i32 = 1_500;
/// The deepest look, in plies.
const DEPTH_MAX: i32 = 12;
/// What a unit of the level *simple* counts here: the search sees what strikes lead to, *simple* where to go and what to leave alone.
const SIMPLE_UNIT: f32 = 200.0;

/// The mind of a *good* player in one game.
pub(crate) struct GoodMind {
    side: Side,
    effort: Effort,
    foes: Foes,
    memory: Memory,
}

impl GoodMind {
    pub(crate) fn new(side: Side, effort: Effort) -> GoodMind {
        GoodMind { side, effort, foes: Foes::default(), memory: Memory::default() }
    }
}

impl Mind for GoodMind {
    fn choose(&mut self, view: &View, chance: &mut Chance) -> Option<Move> {
        self.watch(view);
        let legal: Vec<Move> = view.legal_moves()?.iter().collect();
        let mut turn = Turn::new(view, self.side, &self.memory);
        let first_sight: Vec<i32> =
            legal.iter().map(|squares| (SIMPLE_UNIT * turn.score(*squares)) as i32).collect();
        let scene = Scene::new(view, self.side, &self.foes, &self.memory);
        let values = scene.values(&legal, &first_sight, self.effort, chance);
        let (squares, _) = (legal.iter().zip(values))
            .map(|(squares, value)| (*squares, value + chance.below(4) as i32))
            .max_by_key(|(_, value)| *value)?;
        self.foes.note_own_move(view.ply, squares);
        if let Some(chosen) = turn.own_move(squares) {
            self.memory.note_move(chosen);
        }
        Some(squares)
    }

    fn watch(&mut self, view: &View) {
        self.foes.see(view, self.side);
        self.memory.note(view, self.side);
    }
}

/// One decision: what is known, believed and worth.
struct Scene {
    /// Own pieces first.
    pieces: Vec<Piece>,
    mine: usize,
    /// For each enemy piece its suspect, if its rank is not certain.
    suspects: Vec<(usize, usize)>,
    belief: Belief,
    outlook: Outlook,
    /// How far losses weigh when strikes are weighed, in hundredths.
    caution_percent: i32,
}

impl Scene {
    fn new(view: &View, me: Side, foes: &Foes, memory: &Memory) -> Scene {
        let mut seen: Vec<&SeenPiece> = view.pieces.iter().take(250).collect();
        seen.sort_by_key(|piece| piece.side != me);
        let mine = seen.iter().take_while(|piece| piece.side == me).count();
        let hidden: Vec<&SeenPiece> =
            seen[mine..].iter().copied().filter(|piece| known(piece).is_none()).collect();
        let mut suspects: Vec<Suspect> =
            hidden.iter().map(|piece| foes.suspect(view.ruleset, piece)).collect();
        for (suspect, piece) in suspects.iter_mut().zip(&hidden) {
            suspect.weight[Rank::Flag as usize] *= company(view, piece);
            suspect.possible = suspect.possible.intersection(memory.suspected(piece.square));
        }
        let counts = [me, me.opponent()].map(|side| counts_left(view, side));
        let belief = Belief::new(&suspects, unseen(&seen[mine..], counts[1]));
        let theirs = public_belief(view, me, &seen[..mine], counts[0]);
        let mut scene_pieces = Vec::with_capacity(seen.len());
        let mut targets = Vec::with_capacity(seen.len());
        let mut pairs = Vec::new();
        let (mut next_hidden, mut next_own) = (0, 0);
        for (index, piece) in seen.iter().enumerate() {
            let is_mine = index < mine;
            let mut chances = [0.0; Rank::COUNT];
            let mut rank = known(piece);
            let mut is_hidden = if is_mine { !piece.is_revealed } else { rank.is_none() };
            if is_mine && is_hidden {
                chances = theirs.chances()[next_own];
                next_own += 1;
            } else if is_hidden {
                chances = belief.chances()[next_hidden];
                rank = belief.certain(next_hidden);
                is_hidden = rank.is_none();
                pairs.push((index, next_hidden));
                next_hidden += 1;
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
        let caution_percent = caution(view, memory.quiet_turns().saturating_mul(2));
        let open: Vec<grid::Cell> =
            view.ruleset.shape.squares().without(view.lakes).iter().map(cell).collect();
        let (own_flag, own_bombs) = (own(Rank::Flag).next(), own(Rank::Bomb).collect());
        let is_open = grid::marked(&open);
        let outlook = Outlook::new(Situation {
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
        Scene { pieces: scene_pieces, mine, suspects: pairs, belief, outlook, caution_percent }
    }

    /// The mean value of each move over the worlds, looked at as deep as the effort allows.
    fn values(&self, legal: &[Move], first_sight: &[i32], effort: Effort, chance: &mut Chance) -> Vec<i32> {
        let steps: Vec<Step> = legal.iter().filter_map(|squares| self.step(*squares)).collect();
        if steps.len() != legal.len() || steps.len() < 2 {
            return vec![0; legal.len()];
        }
        let is_certain = self.suspects.iter().all(|(_, suspect)| self.belief.certain(*suspect).is_some());
        let count = if is_certain { 1 } else { (effort.nodes as usize / NODES_A_WORLD).clamp(1, WORLDS) };
        let mut worlds: Vec<World<'_>> = (0..count).map(|_| self.draw(chance)).collect();
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
                // What was thought best is not: what was left out may be.
                candidates = (0..steps.len()).collect();
                best = i32::MIN;
                continue;
            }
            best = highest;
            let floor = means.iter().copied().min().unwrap_or(0);
            // Those no longer looked at stay behind those that are.
            values.iter_mut().for_each(|value| *value = (*value).min(floor - 1));
            candidates.iter().zip(means).for_each(|(candidate, mean)| values[*candidate] = mean);
            candidates.sort_by_key(|candidate| -values[*candidate]);
            candidates.truncate(kept_at(depth));
            depth += 1;
        }
        values
    }

    /// The candidates' mean values over the worlds at a depth; none when the budget ends before half of the worlds.
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

    /// What caution takes off a strike at a hidden piece, or impatience adds.
    fn daring(&self, step: Step) -> i32 {
        let attacker = &self.pieces[usize::from(step.piece)];
        let target = self.pieces.iter().position(|piece| piece.cell == step.to);
        match target.filter(|target| self.pieces[*target].is_hidden) {
            Some(target) => self.outlook.risk(attacker, target as u8) * (100 - self.caution_percent) / 100,
            None => 0,
        }
    }

    fn step(&self, squares: Move) -> Option<Step> {
        let from = cell(squares.from);
        let piece = self.pieces[..self.mine].iter().position(|piece| piece.cell == from)?;
        Some(Step { piece: piece as u8, to: cell(squares.to) })
    }

    fn draw(&self, chance: &mut Chance) -> World<'_> {
        let place = |suspect: usize| self.pieces[self.suspects[suspect].0].cell;
        let ranks = self.belief.draw(chance, |one, other| is_adjacent(place(one), place(other)));
        let mut pieces = self.pieces.clone();
        for (index, suspect) in &self.suspects {
            pieces[*index].rank = ranks[*suspect];
        }
        World::new(&self.outlook, pieces)
    }
}

/// How much likelier than elsewhere the Flag is among such neighbors: people like to put Bombs beside it.
fn company(view: &View, piece: &SeenPiece) -> f64 {
    let is_full = view.ruleset.fill == Fill::EveryHomeSquare;
    let home = view.ruleset.shape.home(piece.side).without(view.lakes);
    Direction::ALL
        .into_iter()
        .filter_map(|direction| piece.square.neighbor(direction))
        .filter(|square| home.contains(*square))
        .map(|square| {
            match view.pieces.iter().find(|other| other.square == square && other.side == piece.side) {
                Some(other) if known(other) == Some(Rank::Bomb) => 3.0,
                Some(other) if known(other).is_none() && !other.is_moved => {
                    if is_full {
                        1.0
                    } else {
                        2.0
                    }
                }
                Some(_) | None => {
                    if is_full {
                        0.5
                    } else {
                        0.85
                    }
                }
            }
        })
        .product()
}

/// Worlds looked at so deep: the deeper, the fewer.
const fn worlds_at(depth: i32) -> usize {
    match depth {
        ..=2 => WORLDS,
        3 | 4 => 8,
        _ => 4,
    }
}

/// Moves looked at deeper than this.
const fn kept_at(depth: i32) -> usize {
    match depth {
        ..=1 => 24,
        2 => 12,
        3 => 8,
        _ => 5,
    }
}

/// How far losses weigh at first, in hundredths.
const CAUTION: i32 = 100;

/// How far losses weigh, in hundredths: less as a quiet game runs out.
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

fn known(piece: &SeenPiece) -> Option<Rank> {
    match piece.identity {
        Identity::Known(rank) => Some(rank),
        Identity::OneOf(_) | Identity::Hidden => None,
    }
}

/// A side's pieces on the board by rank, as everybody can count them.
fn counts_left(view: &View, side: Side) -> PerRank<u8> {
    Rank::ALL.map(|rank| view.ruleset.army.count(rank).saturating_sub(view.captured[side][rank as usize]))
}

/// What is left of the counts when the ranks that are seen are taken off.
fn unseen(seen: &[&SeenPiece], mut counts: PerRank<u8>) -> PerRank<u8> {
    for rank in seen.iter().filter_map(|piece| known(piece)) {
        counts[rank as usize] = counts[rank as usize].saturating_sub(1);
    }
    counts
}

/// What the enemy can make of our hidden pieces by their squares and counting alone, a row for each in their order.
fn public_belief(view: &View, me: Side, own: &[&SeenPiece], mut counts: PerRank<u8>) -> Belief {
    let mut suspects = Vec::new();
    for piece in own {
        if piece.is_revealed {
            if let Some(rank) = known(piece) {
                counts[rank as usize] = counts[rank as usize].saturating_sub(1);
            }
            continue;
        }
        let origin = (!piece.is_moved).then_some(piece.square);
        let immovable = RankSet::only(Rank::Flag).union(RankSet::only(Rank::Bomb));
        let possible = if piece.is_moved { RankSet::ALL.without(immovable) } else { RankSet::ALL };
        suspects.push(Suspect { possible, weight: foes::prior(view.ruleset, me, origin) });
    }
    Belief::new(&suspects, counts)
}
