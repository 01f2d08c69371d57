//! Evaluates the current position: the values of pieces, of strikes at hidden pieces, and of
//! squares near possible gains.

use flagfall_board::Rank;
use flagfall_rules::{Fate, Ruleset};

use super::belief::PerRank;
use super::grid::{CELLS, Cell, STEPS};
use super::piece::Piece;
use super::siege::{Siege, Ways, measure_ways};
use super::strikes::Strikes;

/// The value of capturing a piece that may be the Flag. If the piece is certainly the Flag, its
/// capture counts as a win instead.
pub(super) const FLAG: i32 = 10_000;
/// The value of a piece that no other piece can beat.
const INVINCIBLE: f64 = 4_000.0;
/// The additional value of a piece whose rank the enemy does not know, in percent.
const SECRET_PERCENT: i32 = 20;
const BOMB: f64 = 350.0;
const SPY_ALONE: f64 = 150.0;

/// A piece, as the other side sees it.
pub(super) struct Target {
    pub(super) is_mine: bool,
    pub(super) cell: Cell,
    pub(super) is_hidden: bool,
    /// The probability of each rank from the opposing side's point of view.
    pub(super) chances: PerRank<f64>,
}

pub(super) struct Situation {
    pub(super) ruleset: &'static Ruleset,
    /// The cells on which pieces may stand.
    pub(super) open: Vec<Cell>,
    /// For each cell, true if it is in `open`.
    pub(super) is_open: [bool; CELLS],
    /// All pieces on the board. Our pieces come first.
    pub(super) targets: Vec<Target>,
    /// The number of pieces of each rank on the board, for our side and for the enemy.
    pub(super) counts: [PerRank<u8>; 2],
    /// The weight, in percent, of our losses when strikes are evaluated. It decreases as the game
    /// approaches the limit of plies without a capture.
    pub(super) caution_percent: i32,
    pub(super) own_flag: Option<Cell>,
    pub(super) own_bombs: Vec<Cell>,
    /// The distances to our Flag.
    pub(super) siege: Siege,
}

impl Situation {
    /// Returns how dangerous an enemy piece of this rank is on this cell, depending on the
    /// distance to our Flag.
    fn alarm(&self, rank: Rank, cell: Cell) -> i32 {
        ALARM.get(self.siege.way(rank, cell)).map_or(0, |alarm| i32::from(*alarm))
    }
}

/// The tables for one decision. In their indices, 0 is our side and 1 is the enemy.
pub(super) struct Evaluation {
    pub(super) situation: Situation,
    pub(super) strikes: Strikes,
    worth: [PerRank<[i32; 2]>; 2],
    /// The expected gain of each strike, indexed by the attacker's side, the attacker's rank,
    /// whether the attacker is hidden, and the target.
    gains: Vec<i32>,
    /// The attacker's expected loss in each strike, with the same indices as `gains`.
    risks: Vec<i32>,
    /// The value of each cell for a piece, indexed by the piece's side, the piece's rank, whether
    /// the piece is hidden, and the cell.
    fields: Vec<[i16; CELLS]>,
    /// For each target cell, the number of steps that one of our pieces needs from every other
    /// cell.
    walks: Vec<Ways>,
}

fn row(side: usize, rank: Rank, is_hidden: bool) -> usize {
    (side * Rank::COUNT + rank as usize) * 2 + usize::from(is_hidden)
}

impl Evaluation {
    pub(super) fn new(situation: Situation) -> Evaluation {
        let strikes = Strikes::new(situation.ruleset);
        let mut evaluation = Evaluation {
            worth: worths(&strikes, &situation),
            walks: measure_walks(&situation),
            strikes,
            gains: Vec::new(),
            risks: Vec::new(),
            fields: Vec::new(),
            situation,
        };
        evaluation.weigh_strikes();
        evaluation.fields = evaluation.lay_fields();
        evaluation
    }

    /// Returns the number of steps that one of our pieces needs from one cell to another.
    pub(super) fn walk(&self, from: Cell, to: Cell) -> u8 {
        self.walks[usize::from(to)][usize::from(from)]
    }

    /// Returns the value of a piece on its cell. The value is positive for our pieces and
    /// negative for enemy pieces.
    pub(super) fn standing(&self, piece: &Piece) -> i32 {
        let side = usize::from(!piece.is_mine);
        let field = &self.fields[row(side, piece.rank, piece.is_hidden)];
        let worth = self.worth[side][piece.rank as usize][usize::from(piece.is_hidden)];
        let standing = worth + i32::from(field[usize::from(piece.cell)]);
        if piece.is_mine { standing } else { -standing }
    }

    /// Returns the expected gain of a strike at a piece of unknown rank, from the attacker's
    /// point of view.
    pub(super) fn gain(&self, attacker: &Piece, target: u8) -> i32 {
        self.gains[self.strike(attacker, target)]
    }

    /// Returns the bonus that a piece of this rank gets for attacking a target close to our Flag.
    fn urgency(&self, rank: Rank, target: &Target) -> i32 {
        Rank::ALL
            .into_iter()
            .filter(|other| {
                other.is_movable() && self.strikes.result(rank, *other).defender_fate == Fate::Leaves
            })
            .map(|other| {
                let alarm = f64::from(self.situation.alarm(other, target.cell));
                (target.chances[other as usize] * alarm * URGENCY) as i32
            })
            .sum()
    }

    /// Returns the attacker's expected loss in a strike at a piece of unknown rank.
    pub(super) fn risk(&self, attacker: &Piece, target: u8) -> i32 {
        self.risks[self.strike(attacker, target)]
    }

    /// Returns the index of a strike in the tables.
    fn strike(&self, attacker: &Piece, target: u8) -> usize {
        let row = row(usize::from(!attacker.is_mine), attacker.rank, attacker.is_hidden);
        row * self.situation.targets.len() + usize::from(target)
    }

    fn weigh_strikes(&mut self) {
        let situation = &self.situation;
        let mut gains = vec![0; 4 * Rank::COUNT * situation.targets.len()];
        let mut risks = gains.clone();
        for (side, rank, is_hidden) in attackers(situation) {
            // Our caution applies only to our own losses. The enemy's caution is unknown, so its
            // losses count in full.
            let caution = if side == 0 { situation.caution_percent } else { 100 };
            for (index, target) in situation.targets.iter().enumerate() {
                if usize::from(!target.is_mine) != side {
                    let (win, loss) = self.expected(side, rank, is_hidden, target);
                    let at = row(side, rank, is_hidden) * situation.targets.len() + index;
                    gains[at] = win - loss * caution / 100;
                    risks[at] = loss;
                }
            }
        }
        self.gains = gains;
        self.risks = risks;
    }

    fn expected(&self, side: usize, rank: Rank, is_hidden: bool, target: &Target) -> (i32, i32) {
        let own = self.worth[side][rank as usize];
        let theirs = &self.worth[1 - side];
        let (mut wins, mut losses) = (0.0, 0.0);
        for other in Rank::ALL {
            let chance = target.chances[other as usize];
            if chance <= 0.0 {
                continue;
            }
            let result = self.strikes.result(rank, other);
            let worth = theirs[other as usize];
            let loss = match result.attacker_fate {
                Fate::Leaves => own[usize::from(is_hidden)],
                Fate::Stays | Fate::Advances => own[usize::from(is_hidden)] - own[0],
            };
            let win = match (other, result.defender_fate) {
                (Rank::Flag, _) => FLAG,
                (_, Fate::Leaves) => worth[usize::from(target.is_hidden)],
                (_, Fate::Stays | Fate::Advances) if result.is_defender_shown => {
                    worth[usize::from(target.is_hidden)] - worth[0]
                }
                (_, Fate::Stays | Fate::Advances) => 0,
            };
            wins += chance * f64::from(win);
            losses += chance * f64::from(loss);
        }
        (wins as i32, losses as i32)
    }

    /// Computes the value of each cell for each kind of piece. Cells near possible gains are
    /// worth more, and the value decreases with distance.
    fn lay_fields(&self) -> Vec<[i16; CELLS]> {
        let situation = &self.situation;
        let mut fields = vec![[0; CELLS]; 4 * Rank::COUNT];
        let kinds: Vec<_> = attackers(situation).collect();
        let mut is_blocked = situation.is_open.map(|is_open| !is_open);
        for target in &situation.targets {
            let stays = target.chances[Rank::Flag as usize] + target.chances[Rank::Bomb as usize];
            // Paths must lead around these pieces: all enemy pieces, and our pieces that never
            // move.
            is_blocked[usize::from(target.cell)] = !target.is_mine || stays > 0.5;
        }
        for (index, target) in situation.targets.iter().enumerate() {
            if target.is_mine {
                continue;
            }
            let ways = measure_ways(target.cell, &is_blocked, &situation.is_open);
            for (_, rank, is_hidden) in kinds.iter().filter(|(side, ..)| *side == 0) {
                let row = row(0, *rank, *is_hidden);
                let gain = self.gains[row * situation.targets.len() + index] + self.urgency(*rank, target);
                if gain <= 0 {
                    continue;
                }
                for cell in &situation.open {
                    let way = usize::from(ways[usize::from(*cell)]);
                    let Some(share) = DECAY.get(way) else { continue };
                    let value = (gain * PULL / 100).min(3_000) * share / 1000;
                    let field: &mut i16 = &mut fields[row][usize::from(*cell)];
                    *field = (*field).max(value as i16);
                }
            }
        }
        prize_walls(situation, &mut fields);
        guard_flag(situation, &mut fields);
        fields
    }
}

/// Increases the value of attacking a Bomb if the Flag may be behind it, because removing the
/// Bomb opens the way to the Flag.
fn prize_walls(situation: &Situation, fields: &mut [[i16; CELLS]]) {
    for target in &situation.targets {
        let is_own_flag = situation.own_flag == Some(target.cell);
        let behind = if target.is_mine {
            f64::from(u8::from(is_own_flag))
        } else {
            target.chances[Rank::Flag as usize]
        };
        let prize = (behind * f64::from(FLAG) * WALL_SHARE).min(WALL_MAX) as i16;
        if prize == 0 {
            continue;
        }
        let side = usize::from(!target.is_mine);
        for step in STEPS {
            let cell = usize::from(target.cell.wrapping_add(step));
            for is_hidden in [false, true] {
                fields[row(side, Rank::Bomb, is_hidden)][cell] += prize;
            }
        }
    }
}

/// Makes the cells near our Flag more valuable for enemy pieces.
fn guard_flag(situation: &Situation, fields: &mut [[i16; CELLS]]) {
    for rank in Rank::ALL.into_iter().filter(|rank| rank.is_movable()) {
        for cell in &situation.open {
            let alarm = situation.alarm(rank, *cell);
            for is_hidden in [false, true] {
                fields[row(1, rank, is_hidden)][usize::from(*cell)] += alarm as i16;
            }
        }
    }
}

/// The value of being next to a target, as a percentage of the gain from striking it.
const PULL: i32 = 25;
/// The value of being near a target, in thousandths of the value of being next to it. The index is
/// the distance in steps.
const DECAY: [i32; 32] = [
    1000, 880, 774, 681, 600, 528, 464, 409, 360, 316, 279, 245, 216, 190, 167, 147, 129, 114, 100, 88, 78,
    68, 60, 53, 47, 41, 36, 32, 28, 25, 22, 19,
];
/// The additional value of a Bomb next to the Flag, as a share of the Flag's value. The maximum
/// is `WALL_MAX`.
const WALL_SHARE: f64 = 0.3;
const WALL_MAX: f64 = 2_500.0;
/// The factor that converts the danger of an enemy piece to the bonus for attacking it.
const URGENCY: f64 = 1.5;
/// The danger of an enemy piece, indexed by the number of steps from the piece to our Flag.
const ALARM: [i16; 14] = [2000, 1400, 1000, 750, 600, 480, 380, 300, 240, 190, 140, 100, 70, 40];

/// Computes the number of steps that our pieces need from every cell to every other cell. Paths
/// cannot pass through our Bombs or our Flag.
fn measure_walks(situation: &Situation) -> Vec<Ways> {
    let mut is_blocked = [false; CELLS];
    let stays = situation.own_bombs.iter().chain(&situation.own_flag);
    stays.for_each(|cell| is_blocked[usize::from(*cell)] = true);
    let mut walks = vec![[u8::MAX; CELLS]; CELLS];
    for cell in &situation.open {
        walks[usize::from(*cell)] = measure_ways(*cell, &is_blocked, &situation.is_open);
    }
    walks
}

/// Returns every kind of piece that can strike: its side, its rank, and whether it is hidden.
fn attackers(situation: &Situation) -> impl Iterator<Item = (usize, Rank, bool)> {
    [0, 1].into_iter().flat_map(move |side| {
        Rank::ALL
            .into_iter()
            .filter(move |rank| rank.is_movable() && situation.counts[side][*rank as usize] > 0)
            .flat_map(move |rank| [(side, rank, false), (side, rank, true)])
    })
}

/// Returns the value of each rank for a known piece and for a hidden piece. A rank is worth more
/// if fewer enemy pieces can beat it.
fn worths(strikes: &Strikes, situation: &Situation) -> [PerRank<[i32; 2]>; 2] {
    let mut base = [0, 1].map(|side: usize| {
        let (own, theirs) = (&situation.counts[side], &situation.counts[1 - side]);
        Rank::ALL.map(|rank| base_worth(strikes, situation.ruleset, rank, own, theirs))
    });
    let total = |side: usize| -> f64 {
        Rank::ALL
            .into_iter()
            .map(|rank| base[side][rank as usize] * f64::from(situation.counts[side][rank as usize]))
            .sum::<f64>()
            .max(1.0)
    };
    // Exchanging equal pieces helps the side that is ahead, so the enemy's pieces count for more
    // if our side is ahead.
    let factor = (total(0) / total(1)).clamp(0.85, 1.3);
    base[1].iter_mut().for_each(|worth| *worth *= factor);
    base.map(|side| {
        side.map(|worth| {
            let known = worth as i32;
            [known, known + known * SECRET_PERCENT / 100]
        })
    })
}

fn base_worth(
    strikes: &Strikes,
    ruleset: &Ruleset,
    rank: Rank,
    own: &PerRank<u8>,
    theirs: &PerRank<u8>,
) -> f64 {
    let by_threats = |rank: Rank| {
        let movable = || Rank::ALL.into_iter().filter(|rank| rank.is_movable());
        let left: u8 = movable().map(|other| theirs[other as usize]).sum();
        let threats: u8 = movable()
            .filter(|other| {
                // The Spy does not count as a threat, because it beats a strong piece only as the
                // attacker.
                let result = strikes.result(*other, rank);
                *other != Rank::Spy && result.defender_fate == Fate::Leaves
            })
            .map(|other| theirs[other as usize])
            .sum();
        let steepness = 25.0 / (7.0 + f64::from(left));
        INVINCIBLE / (1.0 + steepness * f64::from(threats))
    };
    match rank {
        Rank::Flag => 0.0,
        Rank::Bomb => BOMB,
        Rank::Scout | Rank::Phoenix => by_threats(Rank::Scout) * 0.7,
        Rank::Spy if theirs[ruleset.spy_beats as usize] > 0 => INVINCIBLE * 0.25,
        Rank::Spy => SPY_ALONE,
        Rank::Miner if theirs[Rank::Bomb as usize] > 0 => {
            let scarcity = match own[Rank::Miner as usize] {
                0 | 1 => 500.0,
                2 => 300.0,
                _ => 120.0,
            };
            by_threats(rank) + scarcity
        }
        Rank::Miner
        | Rank::Sergeant
        | Rank::Lieutenant
        | Rank::Captain
        | Rank::Major
        | Rank::Colonel
        | Rank::General
        | Rank::Marshal => by_threats(rank),
    }
}
