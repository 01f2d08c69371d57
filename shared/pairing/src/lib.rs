//! Pairs the players of the ranked pool, one wave at a time.
//!
//! The cost of a pair is the difference of the ratings, less a bonus for every wave that either
//! player has missed. A pair is allowed up to a certain cost. A wave pairs as many players as
//! possible at the lowest total cost, by a maximum-weight matching over the whole pool. Players
//! without a partner wait for the next wave, which allows them larger differences.
//!
//! Two players whose ratings are both uncertain may be further apart, because such ratings say
//! little about who is stronger. An uncertain opponent never widens the limit for a certain
//! rating. A wider limit does not make a pair better, so the matching still prefers close
//! ratings.
//!
//! This crate uses no clock, no network and no games. [`pair`] depends only on its arguments, so
//! the simulation (`examples/simulation.rs`) runs the same code as the server.

use std::hash::Hash;

/// The settings of a wave. Ratings and costs are in rating points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How much each missed wave lowers the cost of the player's pairs.
    pub wave_bonus: f64,
    /// The most by which missed waves lower the cost, for each player of a pair.
    pub wave_bonus_max: f64,
    /// The highest cost that is always allowed.
    pub cost_allowed: f64,
    /// The allowed cost is at least the lower rating divided by this value, because there are few
    /// strong players.
    pub rating_per_cost: f64,
    /// Ratings with a deviation up to this value are certain.
    pub certain_deviation: f64,
    /// How much each point of deviation beyond [`Settings::certain_deviation`] widens a pair's
    /// limit, once for each player. The smaller of the two deviations counts for both.
    pub deviation_widening: f64,
    /// How much the cost falls for each game of imbalance between first and second moves that a
    /// pair would correct, up to [`IMBALANCE_MAX`] games.
    pub side_bonus: f64,
}

/// The highest imbalance between first and second moves that counts, in games.
pub const IMBALANCE_MAX: i32 = 4;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            wave_bonus: 12.0,
            wave_bonus_max: 460.0,
            cost_allowed: 100.0,
            rating_per_cost: 15.0,
            certain_deviation: 110.0,
            deviation_widening: 1.0,
            side_bonus: 5.0,
        }
    }
}

/// A player who waits for a rated game of one ruleset and speed.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting<K> {
    /// The player.
    pub player: K,
    /// Their rating, aged to the present.
    pub rating: f64,
    /// The rating's deviation, aged to the present.
    pub deviation: f64,
    /// How many waves have not paired them.
    pub waves_missed: u32,
    /// The number of their rated games with the first move, minus those without, in this ruleset.
    pub first_surplus: i32,
    /// Their last opponent.
    pub last_opponent: Option<K>,
    /// Players whom they refuse to play. A refusal by one of the two is enough.
    pub apart: Vec<K>,
}

/// Two players who play each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<K> {
    /// The player with the first move: Red.
    pub first: K,
    /// The other player.
    pub second: K,
}

/// The most players that are matched together, because the work grows with the cube of their
/// number. Larger pools are split into parts by rating. At the border of a part, a player may
/// miss a better partner for one wave.
pub const PART_MAX: usize = 160;

/// Returns the pairs of a wave. If both players of a pair have had the first move equally often,
/// `coin` decides: true gives it to the lower-rated player. Players meet their last opponent only
/// if neither of them may be paired with anyone else in the pool.
///
/// The order of the pool does not matter.
pub fn pair<K: Copy + Ord + Hash>(
    pool: &[Waiting<K>],
    settings: &Settings,
    mut coin: impl FnMut() -> bool,
) -> Vec<Pair<K>> {
    let mut sorted: Vec<&Waiting<K>> = pool.iter().collect();
    sorted.sort_by(|one, other| one.rating.total_cmp(&other.rating).then(one.player.cmp(&other.player)));
    let parts = sorted.len().div_ceil(PART_MAX).max(1);
    let mut pairs = Vec::with_capacity(sorted.len() / 2);
    for part in sorted.chunks(sorted.len().div_ceil(parts).max(1)) {
        for (low, high) in match_part(part, settings) {
            pairs.push(with_sides(part[low], part[high], &mut coin));
        }
    }
    pairs
}

/// The highest cost at which these ratings may be paired, without bonuses and widening.
fn cost_allowed(one: f64, other: f64, settings: &Settings) -> f64 {
    (one.min(other) / settings.rating_per_cost).max(settings.cost_allowed)
}

fn wave_bonus(waves: u32, settings: &Settings) -> f64 {
    (f64::from(waves) * settings.wave_bonus).min(settings.wave_bonus_max)
}

/// How much further apart two ratings may be if this is the smaller deviation of the two.
fn widening(deviation: f64, settings: &Settings) -> f64 {
    2.0 * settings.deviation_widening * (deviation - settings.certain_deviation).max(0.0)
}

/// How far an opponent's rating may be from this player's rating, if the opponent has just
/// entered and is equally uncertain.
pub fn reach<K>(one: &Waiting<K>, settings: &Settings) -> f64 {
    let lowest = cost_allowed(one.rating, one.rating, settings);
    lowest + wave_bonus(one.waves_missed, settings) + widening(one.deviation, settings)
}

/// How much cheaper a pair is than its limit, without widening. `None` if the pair is not
/// allowed, because of its cost or because one player refuses to play the other.
fn merit<K: PartialEq>(one: &Waiting<K>, other: &Waiting<K>, settings: &Settings) -> Option<f64> {
    if one.apart.contains(&other.player) || other.apart.contains(&one.player) {
        return None;
    }
    let mended = (one.first_surplus - other.first_surplus).abs().min(IMBALANCE_MAX);
    let cost = (one.rating - other.rating).abs()
        - wave_bonus(one.waves_missed, settings)
        - wave_bonus(other.waves_missed, settings);
    let merit = cost_allowed(one.rating, other.rating, settings) - cost;
    let is_allowed = merit + widening(one.deviation.min(other.deviation), settings) >= 0.0;
    // The bonus for sides does not make a pair allowed. It only affects the choice between
    // allowed pairs.
    is_allowed.then(|| merit + f64::from(mended) * settings.side_bonus)
}

fn met_last<K: PartialEq + Copy>(one: &Waiting<K>, other: &Waiting<K>) -> bool {
    one.last_opponent == Some(other.player) || other.last_opponent == Some(one.player)
}

/// The number of weight units in a point, because weights are whole numbers.
const WEIGHT_UNIT: f64 = 100.0;
/// The basic weight of every pair. It is far more than all differences of merit in a part, so
/// that as many players as possible are paired.
const PAIR_WEIGHT: i64 = 1 << 32;

/// The pairs of a part, as indices.
fn match_part<K: Copy + Ord>(part: &[&Waiting<K>], settings: &Settings) -> Vec<(usize, usize)> {
    let size = part.len();
    let mut merits = vec![None; size * size];
    for low in 0..size {
        for high in low + 1..size {
            merits[low * size + high] = merit(part[low], part[high], settings);
        }
    }
    let partners = |place: usize| {
        let merits = &merits;
        (0..size).filter(move |other| {
            let (low, high) = (place.min(*other), place.max(*other));
            low != high && merits[low * size + high].is_some()
        })
    };
    let mut weights = vec![0_i64; size * size];
    for low in 0..size {
        for high in low + 1..size {
            let Some(merit) = merits[low * size + high] else { continue };
            let has_others = || partners(low).count() > 1 || partners(high).count() > 1;
            if !(met_last(part[low], part[high]) && has_others()) {
                weights[low * size + high] = PAIR_WEIGHT + (merit * WEIGHT_UNIT) as i64;
            }
        }
    }
    let mates = integer_blossom::max_weight_matching(&weights, size);
    let pairs = mates.into_iter().enumerate();
    pairs.filter_map(|(place, mate)| mate.filter(|mate| place < *mate).map(|mate| (place, mate))).collect()
}

/// Gives the first move to the player who has had it less often.
fn with_sides<K: Copy>(low: &Waiting<K>, high: &Waiting<K>, coin: &mut impl FnMut() -> bool) -> Pair<K> {
    let low_first = match low.first_surplus.cmp(&high.first_surplus) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => coin(),
    };
    let (first, second) = if low_first { (low, high) } else { (high, low) };
    Pair { first: first.player, second: second.player }
}

#[cfg(test)]
mod tests;
