//! Checks the rating system against Glickman's worked example, against a published crate, and
//! against properties that every rating must have.

use flagfall_rating::{
    DEVIATION_MAX, DEVIATION_MIN, Entrant, GameResult, PERIODS_PER_DAY, Rating, Score, rate, rate_period,
};
use proptest::prelude::*;
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

fn rating(value: f64, deviation: f64) -> Rating {
    Rating { value, deviation, volatility: 0.06 }
}

fn close(have: f64, want: f64, within: f64) {
    assert!((have - want).abs() < within, "{have} is not {want}");
}

/// The example in Glickman's paper "Example of the Glicko-2 system": one player and three games.
#[test]
fn glickmans_example() {
    let games = [(1400.0, 30.0, Score::Win), (1550.0, 100.0, Score::Loss), (1700.0, 300.0, Score::Loss)];
    let results = games.map(|(value, deviation, score)| GameResult {
        opponent: rating(value, deviation),
        score,
        advantage: 0.0,
    });
    let after = rate_period(rating(1500.0, 200.0), &results, 1.0, 0.5);
    close(after.value, 1464.06, 0.01);
    close(after.deviation, 151.52, 0.01);
    close(after.volatility, 0.05999, 0.00001);
}

#[test]
fn a_newcomer_is_provisional_and_not_on_the_leaderboard() {
    assert!(Rating::START.is_provisional() && !Rating::START.is_for_leaderboard());
    assert!(!rating(1500.0, 109.9).is_provisional() && rating(1500.0, 110.0).is_provisional());
    assert!(rating(1500.0, 75.0).is_for_leaderboard() && !rating(1500.0, 75.1).is_for_leaderboard());
}

#[test]
fn a_year_away_makes_a_rating_less_certain_and_no_less_high() {
    let known = Rating { volatility: 0.09, ..rating(1800.0, 60.0) };
    let back = known.aged(365.0);
    assert!(back.deviation > 140.0 && back.deviation < DEVIATION_MAX);
    assert_eq!((back.value, back.volatility), (known.value, known.volatility));
    assert_eq!(known.aged(-3.0), known);
}

#[test]
fn a_win_with_the_first_move_is_worth_less() {
    let entrant = Entrant { rating: rating(1500.0, 80.0), idle_days: 0.0 };
    let (plain, _) = rate(entrant, entrant, Score::Win, 0.0);
    let (favored, other) = rate(entrant, entrant, Score::Win, 50.0);
    assert!(favored.value < plain.value && favored.value > 1500.0);
    assert!(other.value < 1500.0);
}

fn some_rating() -> impl Strategy<Value = Rating> {
    (600.0..3000.0, DEVIATION_MIN..DEVIATION_MAX, 0.03..0.1_f64)
        .prop_map(|(value, deviation, volatility)| Rating { value, deviation, volatility })
}

fn some_score() -> impl Strategy<Value = Score> {
    prop_oneof![Just(Score::Win), Just(Score::Draw), Just(Score::Loss)]
}

fn theirs(rating: Rating) -> Glicko2Rating {
    Glicko2Rating { rating: rating.value, deviation: rating.deviation, volatility: rating.volatility }
}

proptest! {
    #[test]
    fn whole_periods_agree_with_a_published_crate(
        player in some_rating(),
        games in prop::collection::vec((some_rating(), some_score()), 1..12),
        tau in 0.3..1.2,
    ) {
        // The published crate allows no deviation above 350, so the test starts below that value.
        prop_assume!(player.deviation <= 300.0);
        let results: Vec<GameResult> =
            games.iter().map(|(opponent, score)| GameResult { opponent: *opponent, score: *score, advantage: 0.0 }).collect();
        let oracle: Vec<(Glicko2Rating, Outcomes)> = games
            .iter()
            .map(|(opponent, score)| {
                let outcome = match score {
                    Score::Win => Outcomes::WIN,
                    Score::Draw => Outcomes::DRAW,
                    Score::Loss => Outcomes::LOSS,
                };
                (theirs(*opponent), outcome)
            })
            .collect();
        let config = Glicko2Config { tau, convergence_tolerance: 1e-9 };
        let want = glicko2_rating_period(&theirs(player), &oracle, &config);
        let have = rate_period(player, &results, 1.0, tau);
        close(have.value, want.rating, 0.01);
        close(have.deviation, want.deviation, 0.01);
        close(have.volatility, want.volatility, 0.000_01);
    }

    #[test]
    fn winning_never_costs_and_losing_never_gives(
        first in some_rating(), second in some_rating(), idle in 0.0..400.0_f64, score in some_score(),
    ) {
        let (a, b) = rate(
            Entrant { rating: first, idle_days: idle },
            Entrant { rating: second, idle_days: 0.0 },
            score,
            0.0,
        );
        match score {
            Score::Win => prop_assert!(a.value >= first.value && b.value <= second.value),
            Score::Loss => prop_assert!(a.value <= first.value && b.value >= second.value),
            Score::Draw => {}
        }
        for rating in [a, b] {
            prop_assert!(rating.value.is_finite() && rating.volatility > 0.0);
            prop_assert!((DEVIATION_MIN..=DEVIATION_MAX).contains(&rating.deviation));
        }
    }

    #[test]
    fn a_game_is_the_same_from_both_sides(first in some_rating(), second in some_rating(), score in some_score()) {
        let entrant = |rating| Entrant { rating, idle_days: 1.0 };
        let (a, b) = rate(entrant(first), entrant(second), score, 30.0);
        let (b_again, a_again) = rate(entrant(second), entrant(first), score.mirrored(), -30.0);
        prop_assert_eq!((a, b), (a_again, b_again));
    }

    #[test]
    fn time_passes_the_same_in_parts(player in some_rating(), first in 0.0..200.0_f64, second in 0.0..200.0_f64) {
        let at_once = player.aged(first + second);
        let in_parts = player.aged(first).aged(second);
        close(at_once.deviation, in_parts.deviation, 1e-6);
    }
}

#[test]
fn a_period_is_about_five_days() {
    close(1.0 / PERIODS_PER_DAY, 4.665, 0.001);
}
