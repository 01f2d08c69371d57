use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn waiting(player: u32, rating: f64) -> Waiting<u32> {
    let (waves_missed, first_surplus) = (0, 0);
    let (last_opponent, apart) = (None, Vec::new());
    Waiting { player, rating, deviation: 60.0, waves_missed, first_surplus, last_opponent, apart }
}

fn pairs(pool: &[Waiting<u32>]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = pair(pool, &Settings::default(), || true)
        .into_iter()
        .map(|pair| (pair.first.min(pair.second), pair.first.max(pair.second)))
        .collect();
    pairs.sort_unstable();
    pairs
}

#[test]
fn a_single_player_is_not_paired() {
    assert_eq!(pairs(&[]), []);
    assert_eq!(pairs(&[waiting(1, 1500.0)]), []);
}

#[test]
fn neighbors_by_rating_play_each_other() {
    let pool = [waiting(1, 1500.0), waiting(2, 1560.0), waiting(3, 1510.0), waiting(4, 1550.0)];
    assert_eq!(pairs(&pool), [(1, 3), (2, 4)]);
}

#[test]
fn as_many_as_can_be_are_paired_even_when_the_closest_two_are_not() {
    // Players 2 and 3 have the closest ratings, but if they were paired, players 1 and 4 would
    // have no partner.
    let pool = [waiting(1, 1500.0), waiting(2, 1580.0), waiting(3, 1590.0), waiting(4, 1670.0)];
    assert_eq!(pairs(&pool), [(1, 2), (3, 4)]);
}

#[test]
fn players_far_apart_are_paired_after_waiting() {
    let mut pool = [waiting(1, 1500.0), waiting(2, 1700.0)];
    assert_eq!(pairs(&pool), []);
    // The ratings are 200 points apart, and the limit is 100, so missed waves must lower the cost
    // by 100 points. Each lowers it by 12 points, so the two players must have missed 9 waves in
    // total.
    pool[0].waves_missed = 8;
    assert_eq!(pairs(&pool), []);
    pool[0].waves_missed = 9;
    assert_eq!(pairs(&pool), [(1, 2)]);
    (pool[0].waves_missed, pool[1].waves_missed) = (4, 5);
    assert_eq!(pairs(&pool), [(1, 2)]);
}

#[test]
fn waiting_widens_up_to_a_limit() {
    let mut pool = [waiting(1, 1000.0), waiting(2, 1561.0)];
    pool[0].waves_missed = 1_000_000;
    assert_eq!(pairs(&pool), [], "561 apart, 100 and 460 allowed");
    pool[1].rating = 1560.0;
    assert_eq!(pairs(&pool), [(1, 2)]);
}

fn uncertain(player: u32, rating: f64, deviation: f64) -> Waiting<u32> {
    Waiting { deviation, ..waiting(player, rating) }
}

#[test]
fn two_uncertain_ratings_need_not_wait() {
    // Two newcomers who have just played each other.
    let pool = [uncertain(1, 1230.0, 350.0), uncertain(2, 1770.0, 350.0)];
    assert_eq!(pairs(&pool), [(1, 2)]);
    // The smaller deviation decides whether the limit is raised. Here, it is too small for that, so
    // the limit stays at 100.
    assert_eq!(pairs(&[uncertain(1, 1400.0, 350.0), waiting(2, 1501.0)]), []);
    assert_eq!(pairs(&[uncertain(1, 1400.0, 350.0), waiting(2, 1500.0)]), [(1, 2)]);
    // The limit is 100, plus twice 90, because the smaller deviation exceeds 110 by 90.
    assert_eq!(pairs(&[uncertain(1, 1300.0, 200.0), uncertain(2, 1580.0, 350.0)]), [(1, 2)]);
    assert_eq!(pairs(&[uncertain(1, 1300.0, 200.0), uncertain(2, 1581.0, 350.0)]), []);
}

#[test]
fn uncertain_ratings_that_are_close_are_still_preferred() {
    let pool = [1100.0, 1800.0, 1120.0, 1790.0].map(|rating| uncertain(rating as u32, rating, 400.0));
    assert_eq!(pairs(&pool), [(1100, 1120), (1790, 1800)]);
    // Players whose ratings are certain get the same opponents, whether or not players with
    // uncertain ratings are also waiting.
    let settled = [waiting(1, 1500.0), waiting(2, 1505.0)];
    let both: Vec<_> = settled.iter().chain(&pool).cloned().collect();
    assert!(pairs(&both).contains(&(1, 2)));
}

#[test]
fn the_announced_reach_is_the_one_used() {
    let settings = Settings::default();
    for (rating, deviation, waves) in [(1500.0, 60.0, 0), (1500.0, 350.0, 3), (2400.0, 60.0, 100)] {
        let one = Waiting { waves_missed: waves, ..uncertain(1, rating, deviation) };
        let reach = reach(&one, &settings);
        assert_eq!(pairs(&[one.clone(), uncertain(2, rating + reach, deviation)]), [(1, 2)]);
        assert_eq!(pairs(&[one, uncertain(2, rating + reach + 1.0, deviation)]), []);
    }
}

#[test]
fn strong_players_are_allowed_more() {
    assert_eq!(pairs(&[waiting(1, 2400.0), waiting(2, 2560.0)]), [(1, 2)], "a 15th of 2400 is 160");
    assert_eq!(pairs(&[waiting(1, 2400.0), waiting(2, 2561.0)]), []);
    assert_eq!(pairs(&[waiting(1, 1400.0), waiting(2, 1501.0)]), []);
}

#[test]
fn rematches_are_avoided_while_others_wait() {
    let mut pool = vec![waiting(1, 1500.0), waiting(2, 1500.0), waiting(3, 1590.0), waiting(4, 1590.0)];
    (pool[0].last_opponent, pool[1].last_opponent) = (Some(2), Some(1));
    let found = pairs(&pool);
    assert!(found == [(1, 3), (2, 4)] || found == [(1, 4), (2, 3)], "{found:?}");
    // Player 2 has since played another game, so only player 1 still has player 2 as the last
    // opponent. This is enough to keep them apart.
    pool[1].last_opponent = Some(4);
    assert_eq!(pairs(&pool), [(1, 4), (2, 3)]);
    pool.truncate(2);
    assert_eq!(pairs(&pool), [(1, 2)], "no one else waits");
    pool.push(waiting(3, 2800.0));
    assert_eq!(pairs(&pool), [(1, 2)], "no one else that either may play");
}

#[test]
fn blocked_players_are_paired_with_others_in_the_same_wave() {
    // The closest ratings are those of players 1 and 2, and of players 3 and 4. However, player 1
    // then blocks player 2.
    let mut pool = [waiting(1, 1500.0), waiting(2, 1501.0), waiting(3, 1540.0), waiting(4, 1541.0)];
    assert_eq!(pairs(&pool), [(1, 2), (3, 4)]);
    pool[0].apart = vec![2];
    let found = pairs(&pool);
    assert!(found == [(1, 3), (2, 4)] || found == [(1, 4), (2, 3)], "{found:?}");
    // Here, player 2 has blocked player 1 instead. The two are kept apart even if no other player
    // is waiting.
    (pool[0].apart, pool[1].apart) = (Vec::new(), vec![1]);
    assert_ne!(pairs(&pool)[0], (1, 2));
    assert_eq!(pairs(&pool[..2]), []);
}

#[test]
fn a_blocked_third_player_does_not_prevent_a_rematch() {
    // Players 1 and 2 have just played each other. Player 3 is also waiting, but refuses to play
    // either of them.
    let mut pool = [waiting(1, 1500.0), waiting(2, 1500.0), waiting(3, 1500.0)];
    (pool[0].last_opponent, pool[2].apart) = (Some(2), vec![1, 2]);
    assert_eq!(pairs(&pool), [(1, 2)]);
}

#[test]
fn the_player_with_fewer_first_moves_moves_first() {
    let settings = Settings::default();
    let mut pool = [waiting(1, 1500.0), waiting(2, 1510.0)];
    assert_eq!(pair(&pool, &settings, || true), [Pair { first: 1, second: 2 }]);
    assert_eq!(pair(&pool, &settings, || false), [Pair { first: 2, second: 1 }]);
    pool[0].first_surplus = 1;
    assert_eq!(pair(&pool, &settings, || true), [Pair { first: 2, second: 1 }]);
    pool[1].first_surplus = 3;
    assert_eq!(pair(&pool, &settings, || false), [Pair { first: 1, second: 2 }]);
}

#[test]
fn sides_decide_between_pairs_that_are_as_good() {
    let mut pool = [waiting(1, 1500.0), waiting(2, 1500.0), waiting(3, 1500.0), waiting(4, 1500.0)];
    (pool[0].first_surplus, pool[1].first_surplus) = (2, 2);
    (pool[2].first_surplus, pool[3].first_surplus) = (-2, -2);
    let found = pairs(&pool);
    assert!(found == [(1, 3), (2, 4)] || found == [(1, 4), (2, 3)], "{found:?}");
}

/// Generates a pool of players with ordinary ratings, waiting times and histories.
fn pool() -> impl Strategy<Value = Vec<Waiting<u32>>> {
    let apart = proptest::collection::vec(0..40_u32, 0..4);
    let rating = (600.0..2600.0_f64, 45.0..500.0_f64);
    let one = (rating, 0..60_u32, -5..6_i32, proptest::option::of(0..40_u32), apart);
    proptest::collection::vec(one, 0..40).prop_map(|all| {
        (0..)
            .zip(all)
            .map(|(player, ((rating, deviation), waves_missed, first_surplus, last, apart))| Waiting {
                player,
                rating,
                deviation,
                waves_missed,
                first_surplus,
                last_opponent: last.filter(|last| *last != player),
                apart,
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn every_wave_keeps_the_pairing_rules(pool in pool()) {
        let settings = Settings::default();
        let found = pair(&pool, &settings, || true);
        let by_player = |player: u32| pool.iter().find(|waiting| waiting.player == player).expect("a player");
        let mut seen = HashSet::new();
        for Pair { first, second } in &found {
            prop_assert!(seen.insert(*first) && seen.insert(*second), "a player twice");
            let (one, other) = (by_player(*first), by_player(*second));
            prop_assert!(merit(one, other, &settings).is_some(), "not allowed");
            prop_assert!(!one.apart.contains(second) && !other.apart.contains(first), "apart");
        }
        // No two of the remaining players could have been paired, unless they have just played
        // each other.
        let left: Vec<&Waiting<u32>> = pool.iter().filter(|waiting| !seen.contains(&waiting.player)).collect();
        for (place, one) in left.iter().enumerate() {
            for other in &left[place + 1..] {
                prop_assert!(merit(one, other, &settings).is_none() || met_last(one, other));
            }
        }
    }

    #[test]
    fn the_order_of_the_pool_does_not_matter(pool in pool(), seed in any::<u64>()) {
        let mut other = pool.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut other);
        prop_assert_eq!(pair(&pool, &Settings::default(), || true), pair(&other, &Settings::default(), || true));
    }
}

#[test]
fn a_large_pool_is_paired_in_parts() {
    let mut chance = fastrand::Rng::with_seed(7);
    let pool: Vec<Waiting<u32>> =
        (0..1_001).map(|player| waiting(player, 1500.0 + 300.0 * (chance.f64() - 0.5))).collect();
    let found = pairs(&pool);
    assert!(found.len() >= 1_001 / 2 - 7, "{}", found.len());
}
