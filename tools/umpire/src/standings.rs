//! Computes standings from the results of games: scores, confidence intervals and places.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use flagfall_board::{PerSide, Side};

use crate::bout::Thinking;
use crate::series::Played;

/// A program's results. A draw counts as half a point.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Standing {
    /// The program's index in the plan.
    pub(crate) program: usize,
    /// The program's place, counted from 1. Tied programs share a place.
    pub(crate) place: usize,
    pub(crate) won: u32,
    pub(crate) drawn: u32,
    pub(crate) lost: u32,
    /// The number of games in which the program had a fault. Such a game is lost, or drawn if
    /// both programs had a fault.
    pub(crate) faults: u32,
    pub(crate) thinking: Thinking,
}

impl Standing {
    pub(crate) const fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// The number of half points.
    pub(crate) const fn half_points(&self) -> u32 {
        2 * self.won + self.drawn
    }

    /// Returns the points per game, from 0 to 1. `None` if there are no games.
    pub(crate) fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| f64::from(self.half_points()) / 2.0 / f64::from(self.games()))
    }

    /// Returns Wilson's 95 % confidence interval for the program's true score.
    ///
    /// The method assumes games without draws. Draws reduce the variance, so with draws the
    /// interval is a little too wide.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        self.score().map(|score| wilson(score, f64::from(self.games())))
    }

    pub(crate) fn mean_thought(&self) -> Option<Duration> {
        (self.thinking.answers > 0).then(|| self.thinking.total / self.thinking.answers)
    }
}

/// Returns Wilson's score interval (1927) with 95 % confidence.
pub(crate) fn wilson(score: f64, games: f64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let z2 = Z * Z;
    let middle = (score + z2 / (2.0 * games)) / (1.0 + z2 / games);
    let half = Z / (1.0 + z2 / games) * (score * (1.0 - score) / games + z2 / (4.0 * games * games)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// Counts the results of each program.
fn count<'p>(programs: usize, played: impl Iterator<Item = &'p Played>) -> Vec<Standing> {
    let mut standings: Vec<Standing> =
        (0..programs).map(|program| Standing { program, ..Standing::default() }).collect();
    for game in played {
        for side in Side::BOTH {
            let standing = &mut standings[game.fixture.sides[side]];
            match game.outcome.winner {
                Some(winner) if winner == side => standing.won += 1,
                Some(_) => standing.lost += 1,
                None => standing.drawn += 1,
            }
            standing.faults += u32::from(game.faults[side].is_some());
            let Thinking { answers, total, longest } = game.thinking[side];
            standing.thinking.answers += answers;
            standing.thinking.total += total;
            standing.thinking.longest = standing.thinking.longest.max(longest);
        }
    }
    standings
}

/// Returns the games in which `is_one` is true for both programs.
fn among(played: &[Played], is_one: impl Fn(usize) -> bool) -> impl Iterator<Item = &Played> {
    played.iter().filter(move |game| Side::BOTH.iter().all(|side| is_one(game.fixture.sides[*side])))
}

/// Returns the standings of all programs, ordered by score. Programs with the same score are
/// ordered by their scores in the games between them.
pub(crate) fn standings(programs: usize, played: &[Played]) -> Vec<Standing> {
    let mut standings = count(programs, played.iter());
    standings.sort_by(|one, other| compare_scores(other, one));
    let mut ordered = Vec::new();
    for tied in standings.chunk_by(|one, other| compare_scores(one, other) == Ordering::Equal) {
        let is_tied = |program| tied.iter().any(|standing| standing.program == program);
        order_tied(tied, &count(programs, among(played, is_tied)), &mut ordered);
    }
    ordered
}

/// Compares two scores without rounding, by multiplying each program's half points by the other
/// program's number of games.
fn compare_scores(one: &Standing, other: &Standing) -> Ordering {
    let crosswise = |a: &Standing, b: &Standing| u64::from(a.half_points()) * u64::from(b.games());
    match (one.games(), other.games()) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Less,
        (_, 0) => Ordering::Greater,
        _ => crosswise(one, other).cmp(&crosswise(other, one)),
    }
}

/// Orders programs with the same score by their scores in the games between them.
fn order_tied(tied: &[Standing], among: &[Standing], ordered: &mut Vec<Standing>) {
    let mut tied = tied.to_vec();
    let compare =
        |one: &Standing, other: &Standing| compare_scores(&among[other.program], &among[one.program]);
    tied.sort_by(compare);
    let before = ordered.len();
    for (index, standing) in tied.iter().enumerate() {
        let is_apart = index == 0 || compare(&tied[index - 1], standing) != Ordering::Equal;
        let place = if is_apart { before + index + 1 } else { ordered[before + index - 1].place };
        ordered.push(Standing { place, ..standing.clone() });
    }
}

/// Returns a program's half points against an opponent, and the number of games between them.
pub(crate) fn head_to_head(played: &[Played], program: usize, opponent: usize) -> (u32, u32) {
    let games = among(played, |one| one == program || one == opponent);
    let standing = &count(program.max(opponent) + 1, games)[program];
    (standing.half_points(), standing.games())
}

/// Returns the reasons for which games ended, each with its number of games, most frequent first.
pub(crate) fn endings(played: &[Played]) -> Vec<(&'static str, u32)> {
    let mut counts: BTreeMap<&'static str, u32> = BTreeMap::new();
    for game in played {
        *counts.entry(game.outcome.reason.code()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Returns how many games each side won, and how many were drawn.
pub(crate) fn by_side(played: &[Played]) -> (PerSide<u32>, u32) {
    let won = |side| played.iter().filter(|game| game.outcome.winner == side).count() as u32;
    (PerSide::new(won(Some(Side::Red)), won(Some(Side::Blue))), won(None))
}

/// Returns the mean length of the games in plies. `None` if there are no games.
pub(crate) fn mean_plies(played: &[Played]) -> Option<f64> {
    let sum: u64 = played.iter().map(|game| u64::from(game.plies)).sum();
    (!played.is_empty()).then(|| sum as f64 / played.len() as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use flagfall_board::GameId;
    use flagfall_rules::{EndReason, Outcome};

    use super::*;
    use crate::line::{GameResult, Quit};
    use crate::series::Fixture;

    /// Returns a game between two programs. `winner` is `None` for a draw.
    pub(crate) fn game(number: usize, red: usize, blue: usize, winner: Option<Side>) -> Played {
        let reason = if winner.is_some() { EndReason::FlagCaptured } else { EndReason::QuietLimit };
        let thinking =
            Thinking { answers: 10, total: Duration::from_millis(120), longest: Duration::from_millis(30) };
        Played {
            fixture: Fixture { number, sides: PerSide::new(red, blue) },
            game: GameId::from_random([number as u8; 12]),
            quit: Quit {
                name: "ann".to_owned(),
                side: Side::Red,
                result: GameResult::Victory,
                turn: 11,
                values: PerSide::new(9, 8),
            },
            outcome: Outcome { winner, reason },
            plies: 20 + number as u16,
            thinking: PerSide::new(thinking, thinking),
            faults: PerSide::default(),
        }
    }

    const RED: Option<Side> = Some(Side::Red);
    const BLUE: Option<Side> = Some(Side::Blue);

    fn places(standings: &[Standing]) -> Vec<(usize, usize)> {
        standings.iter().map(|standing| (standing.program, standing.place)).collect()
    }

    #[test]
    fn draws_count_half() {
        let played = [game(1, 0, 1, RED), game(2, 1, 0, None), game(3, 0, 1, BLUE), game(4, 1, 0, BLUE)];
        let standings = standings(2, &played);
        assert_eq!(places(&standings), [(0, 1), (1, 2)]);
        assert_eq!((standings[0].won, standings[0].drawn, standings[0].lost), (2, 1, 1));
        assert_eq!(standings[0].score(), Some(0.625));
        assert_eq!(standings[1].score(), Some(0.375));
        assert_eq!(standings[0].mean_thought(), Some(Duration::from_millis(12)));
        assert_eq!(head_to_head(&played, 0, 1), (5, 4));
        assert_eq!(by_side(&played), (PerSide::new(1, 2), 1));
        assert_eq!(endings(&played), [("flag_captured", 3), ("quiet_limit", 1)]);
        assert_eq!(mean_plies(&played), Some(22.5));
    }

    #[test]
    fn equal_scores_are_ordered_by_direct_games_or_share_a_place() {
        // Programs 0 and 1 have the same score, and 1 has beaten 0.
        let played = [
            game(1, 0, 1, BLUE),
            game(2, 0, 2, RED),
            game(3, 0, 3, RED),
            game(4, 1, 2, RED),
            game(5, 1, 3, BLUE),
            game(6, 2, 3, BLUE),
            game(7, 2, 3, RED),
        ];
        // Programs 0 to 3 have scored 2 points in 3 games, 2 in 3, 1 in 4, and 2 in 4.
        assert_eq!(places(&standings(5, &played)), [(1, 1), (0, 2), (3, 3), (2, 4), (4, 5)]);
        let drawn = [game(1, 0, 1, None), game(2, 0, 2, RED), game(3, 1, 2, RED)];
        assert_eq!(places(&standings(3, &drawn)), [(0, 1), (1, 1), (2, 3)]);
    }

    #[test]
    fn the_interval_is_wilsons() {
        let near = |found: (f64, f64), low: f64, high: f64| {
            assert!((found.0 - low).abs() < 5e-4 && (found.1 - high).abs() < 5e-4, "{found:?}");
        };
        // The expected values come from published tables.
        near(wilson(0.5, 10.0), 0.2366, 0.7634);
        near(wilson(0.0, 10.0), 0.0, 0.2775);
        near(wilson(1.0, 10.0), 0.7225, 1.0);
        near(wilson(0.6, 100.0), 0.5020, 0.6906);
        assert_eq!(Standing::default().interval(), None);
    }
}
