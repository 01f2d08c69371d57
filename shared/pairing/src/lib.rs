//! Quick pairing: the ranked pool is paired in waves, and this says who plays whom in one of them.
//!
//! A pair costs the difference of its ratings, less a bonus for every wave that either has missed; it is allowed up to a limit. Of all
//! ways to make allowed pairs the wave takes one that pairs the most players, and of those the one that costs least: a maximum-weight
//! matching over the whole pool, not the first fit. Players who are left wait for the next wave, which allows them more.
//!
//! Two players whose ratings are both uncertain may be further apart: such ratings say little about who is stronger. A certain rating is
//! never widened by an uncertain one, and a wider limit makes no pair better: the matching still prefers close ratings.
//!
//! Nothing here knows a clock, a network or a game: [`pair`] is a function of who waits, so the simulation (`examples/simulation.rs`) runs what
//! the server runs.

use std::hash::Hash;

/// What a wave goes by. Ratings and costs are in points of rating.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// What a missed wave takes off the cost of every pair with whoever missed it.
    pub wave_bonus: f64,
    /// The most that missed waves take off, for each of a pair.
    pub wave_bonus_max: f64,
    /// The highest cost that is always allowed.
    pub cost_allowed: f64,
    /// Beyond a rating of this many times [`Settings::cost_allowed`], the allowed cost grows with the ratings: strong players are few.
    pub rating_per_cost: f64,
    /// Ratings with a deviation up to this count as certain.
    pub certain_deviation: f64,
    /// How much each point of deviation beyond [`Settings::certain_deviation`] widens the limit of a pair, once for each of both; the
    /// more certain rating of the two counts.
    pub deviation_widening: f64,
    /// What each game of imbalance of sides that a pair would mend takes off its cost, up to [`IMBALANCE_MAX`] games.
    pub side_bonus: f64,
}

/// More games of imbalance than this do not count.
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

/// Somebody who waits for a rated game of one ruleset and speed.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting<K> {
    /// Who.
    pub player: K,
    /// Their rating, aged to now.
    pub rating: f64,
    /// The rating's deviation, aged to now.
    pub deviation: f64,
    /// How many waves went by without a game for them.
    pub waves_missed: u32,
    /// His rated games with the first move, less those without, in this ruleset.
    pub first_surplus: i32,
    /// Whom he played last.
    pub last_opponent: Option<K>,
    /// Whom he does not play at all. It is enough that one of two says so.
    pub apart: Vec<K>,
}

/// Two who play each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<K> {
    /// Who has the first move: Red.
    pub first: K,
    /// Who has not.
    pub second: K,
}

/// The pool is matched in parts of at most so many, neighbors by rating: the work grows with the cube of a part. Whoever stands at the border of a
/// part misses at most that wave's better partner beyond it.
pub const PART_MAX: usize = 160;

/// The pairs of a wave. Where both of a pair have had the first move as often, `coin` says who has it (true: the lower rated one). Nobody is
/// paired with his last opponent while somebody else waits whom either may be paired with.
///
/// The same pool, in whatever order, makes the same pairs.
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

/// The highest cost that two of these ratings may be paired at.
fn cost_allowed(one: f64, other: f64, settings: &Settings) -> f64 {
    (one.min(other) / settings.rating_per_cost).max(settings.cost_allowed)
}

fn wave_bonus(waves: u32, settings: &Settings) -> f64 {
    (f64::from(waves) * settings.wave_bonus).min(settings.wave_bonus_max)
}

/// How much further apart two ratings may be when the more certain of both has this deviation.
fn widening(deviation: f64, settings: &Settings) -> f64 {
    2.0 * settings.deviation_widening * (deviation - settings.certain_deviation).max(0.0)
}

/// How far the rating of an opponent may be from this player's: of one who has just come, and whose rating is as uncertain.
#[must_use]
pub fn reach<K>(one: &Waiting<K>, settings: &Settings) -> f64 {
    let lowest = cost_allowed(one.rating, one.rating, settings);
    lowest + wave_bonus(one.waves_missed, settings) + widening(one.deviation, settings)
}

/// How much below the allowed cost a pair is, its widening aside; none when it is not allowed, be it for its cost or because one of both
/// wants nothing to do with the other.
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
    // The sides decide between pairs that are allowed, not which are.
    is_allowed.then(|| merit + f64::from(mended) * settings.side_bonus)
}

fn met_last<K: PartialEq + Copy>(one: &Waiting<K>, other: &Waiting<K>) -> bool {
    one.last_opponent == Some(other.player) || other.last_opponent == Some(one.player)
}

/// Hundredths of a point: weights are whole numbers.
const WEIGHT_UNIT: f64 = 100.0;
/// What a pair counts for itself: far more than any difference of merits in a part, so that as many as can be are paired.
const PAIR_WEIGHT: i64 = 1 << 32;

/// Places of the part that play each other.
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

/// The first move for whoever had it less often.
fn with_sides<K: Copy>(low: &Waiting<K>, high: &Waiting<K>, coin: &mut impl FnMut() -> bool) -> Pair<K> {
    let low_first = match low.first_surplus.cmp(&high.first_surplus) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => coin(),
    };
    if low_first {
        Pair { first: low.player, second: high.player }
    } else {
        Pair { first: high.player, second: low.player }
    }
}

#[cfg(test)]
mod tests;
