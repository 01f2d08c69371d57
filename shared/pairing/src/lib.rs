//! Pairs the players of the ranked pool in waves. Each wave is one call of [`pair`].
//!
//! The cost of a pair is the difference between the two ratings, minus a bonus for every wave
//! that either player has missed. A pair is allowed if its cost does not exceed a limit. A wave
//! pairs as many players as possible at the lowest total cost, using a maximum-weight matching.
//! Players without a partner wait for the next wave, in which they may be paired despite larger
//! differences.
//!
//! If both ratings are uncertain, the limit is higher, because such ratings say little about
//! which player is stronger. A higher limit does not change the cost, so the matching still
//! prefers close ratings.
//!
//! The result depends only on the arguments, not on a clock or the network. The simulation
//! (`examples/simulation.rs`) can therefore run the same code as the server.

use std::hash::Hash;

/// The settings of a wave. Ratings and costs are in rating points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The amount subtracted from the cost of a player's pairs for each wave that the player has
    /// missed.
    pub wave_bonus: f64,
    /// The maximum amount subtracted from a pair's cost for one player's missed waves.
    pub wave_bonus_max: f64,
    /// The basic limit for the cost of a pair. Strong players and uncertain ratings raise it.
    pub cost_allowed: f64,
    /// Sets a higher limit for strong players, because there are few of them: the lower rating of a
    /// pair divided by this value, if that exceeds [`Settings::cost_allowed`].
    pub rating_per_cost: f64,
    /// The highest deviation of a rating that counts as certain.
    pub certain_deviation: f64,
    /// The amount added to a pair's limit for each point of deviation above
    /// [`Settings::certain_deviation`]. Only the smaller of the two deviations is used, but it
    /// counts twice, once for each player.
    pub deviation_widening: f64,
    /// The bonus for each game by which the players' [`Waiting::first_surplus`] differ, up to
    /// [`IMBALANCE_MAX`] games. It favors pairs in which one player has moved first more often than
    /// the other.
    pub side_bonus: f64,
}

/// The maximum difference between the players' [`Waiting::first_surplus`] that earns a bonus.
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

/// A player who waits for a rated game in one ruleset at one speed.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting<K> {
    /// The player.
    pub player: K,
    /// The player's current rating.
    pub rating: f64,
    /// The current deviation of the rating. It grows while the player does not play.
    pub deviation: f64,
    /// The number of waves in which the player was not paired.
    pub waves_missed: u32,
    /// The number of the player's rated games in this ruleset in which they moved first, minus
    /// the number in which they moved second.
    pub first_surplus: i32,
    /// The player's last opponent.
    pub last_opponent: Option<K>,
    /// The players whom this player refuses to play. Two players cannot be paired if either of
    /// them refuses.
    pub apart: Vec<K>,
}

/// Two players who will play each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<K> {
    /// The player who moves first, as Red.
    pub first: K,
    /// The other player.
    pub second: K,
}

/// The maximum number of players that are matched together. Larger pools are split into parts by
/// rating, because the running time grows with the cube of the number of players. A player at the
/// border of a part may miss a better partner for one wave.
pub const PART_MAX: usize = 160;

/// Returns the pairs of a wave. The player with the smaller [`Waiting::first_surplus`] moves
/// first. If both are equal, `coin` decides: true means that the player with the lower rating
/// moves first. Two players who have just played each other are paired only if neither can be
/// paired with anyone else in their part of the pool.
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

/// Returns the limit for the cost of a pair with these ratings. It does not include the increase
/// for uncertain ratings.
fn cost_allowed(one: f64, other: f64, settings: &Settings) -> f64 {
    (one.min(other) / settings.rating_per_cost).max(settings.cost_allowed)
}

fn wave_bonus(waves: u32, settings: &Settings) -> f64 {
    (f64::from(waves) * settings.wave_bonus).min(settings.wave_bonus_max)
}

/// Returns the amount by which the limit is raised for a pair whose smaller deviation is
/// `deviation`.
fn widening(deviation: f64, settings: &Settings) -> f64 {
    2.0 * settings.deviation_widening * (deviation - settings.certain_deviation).max(0.0)
}

/// Returns the maximum difference between this player's rating and that of a possible opponent.
/// Assumes that the opponent has just entered the pool and that both ratings are equally
/// uncertain.
pub fn reach<K>(one: &Waiting<K>, settings: &Settings) -> f64 {
    let lowest = cost_allowed(one.rating, one.rating, settings);
    lowest + wave_bonus(one.waves_missed, settings) + widening(one.deviation, settings)
}

/// Returns the merit of a pair: its limit without the increase for uncertain ratings, minus its
/// cost, plus the bonus for sides. Returns `None` if the pair is not allowed, because of its cost
/// or because one player refuses to play the other.
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
    // The bonus for sides never makes a forbidden pair allowed. It only influences the choice
    // among allowed pairs.
    is_allowed.then(|| merit + f64::from(mended) * settings.side_bonus)
}

fn met_last<K: PartialEq + Copy>(one: &Waiting<K>, other: &Waiting<K>) -> bool {
    one.last_opponent == Some(other.player) || other.last_opponent == Some(one.player)
}

/// The factor that converts rating points to weights. Weights are whole numbers.
const WEIGHT_UNIT: f64 = 100.0;
/// The weight of a pair before its merit is added. It exceeds all differences in merit within a
/// part, so that the number of pairs matters more than their merit.
const PAIR_WEIGHT: i64 = 1 << 32;

/// Returns the pairs of a part, as indices into the part.
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
