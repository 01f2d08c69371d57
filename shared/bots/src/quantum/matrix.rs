//! Solves zero-sum games in which both sides choose at the same time. The method is regret
//! matching (Hart and Mas-Colell 2000).

/// The number of rounds, after which the value is accurate to a few percent of the stakes.
const ROUNDS: usize = 200;

/// The mixed strategies of both sides, and the value of the game.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    /// The probability of each row. The player who chooses the row receives the payoffs in the
    /// matrix.
    pub(crate) rows: Vec<f32>,
    /// The probability of each column.
    pub(crate) columns: Vec<f32>,
    /// The average payoff for the row player.
    pub(crate) value: f32,
}

/// Solves a matrix of payoffs for the row player. All rows must have the same length. If one
/// player has only one choice, the other player chooses the best reply.
pub(crate) fn solve(payoffs: &[Vec<f32>]) -> Mixed {
    let (height, width) = (payoffs.len(), payoffs.first().map_or(0, Vec::len));
    if height == 0 || width == 0 {
        return Mixed { rows: vec![1.0; height], columns: vec![1.0; width], value: 0.0 };
    }
    if height == 1 || width == 1 {
        return solve_pure(payoffs, height, width);
    }
    let (mut own, mut foe) = (Learner::new(height), Learner::new(width));
    for round in 1..=ROUNDS {
        // In each round, the row player learns first. The column player then replies to the row
        // player's new strategy.
        let columns = parts(&foe.regrets);
        let wins = |row: &Vec<f32>| row.iter().zip(&columns).map(|(win, part)| win * part).sum::<f32>();
        let by_row: Vec<f32> = payoffs.iter().map(wins).collect();
        own.learn(&by_row, round);
        let rows = parts(&own.regrets);
        let loses =
            |column: usize| -payoffs.iter().zip(&rows).map(|(row, part)| row[column] * part).sum::<f32>();
        let by_column: Vec<f32> = (0..width).map(loses).collect();
        foe.learn(&by_column, round);
    }
    let (rows, columns) = (parts(&own.sums), parts(&foe.sums));
    let value = payoffs
        .iter()
        .zip(&rows)
        .map(|(row, part)| part * row.iter().zip(&columns).map(|(win, part)| win * part).sum::<f32>())
        .sum();
    Mixed { rows, columns, value }
}

fn solve_pure(payoffs: &[Vec<f32>], height: usize, width: usize) -> Mixed {
    let wins: Vec<f32> = if height == 1 {
        payoffs[0].iter().map(|win| -win).collect()
    } else {
        payoffs.iter().map(|row| row[0]).collect()
    };
    let best = (0..wins.len()).fold(0, |best, at| if wins[at] > wins[best] { at } else { best });
    let pure = |length: usize| (0..length).map(|at| f32::from(u8::from(at == best))).collect();
    match height {
        1 => Mixed { rows: vec![1.0], columns: pure(width), value: -wins[best] },
        _ => Mixed { rows: pure(height), columns: vec![1.0], value: wins[best] },
    }
}

/// One player. `regrets` contains, for each choice, how much better that choice would have been.
/// `sums` is the weighted sum of the player's strategies so far, in which later rounds count
/// more.
struct Learner {
    regrets: Vec<f32>,
    sums: Vec<f32>,
}

impl Learner {
    fn new(length: usize) -> Learner {
        Learner { regrets: vec![0.0; length], sums: vec![0.0; length] }
    }

    fn learn(&mut self, wins: &[f32], round: usize) {
        let mix = parts(&self.regrets);
        let mean: f32 = mix.iter().zip(wins).map(|(part, win)| part * win).sum();
        for (at, regret) in self.regrets.iter_mut().enumerate() {
            *regret = (*regret + wins[at] - mean).max(0.0);
            self.sums[at] += mix[at] * round as f32;
        }
    }
}

/// Normalizes weights so that they add up to one. If all weights are zero, returns equal shares.
fn parts(weights: &[f32]) -> Vec<f32> {
    let total: f32 = weights.iter().sum();
    if total > 0.0 {
        weights.iter().map(|weight| weight / total).collect()
    } else {
        vec![1.0 / weights.len() as f32; weights.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f32, wanted: f32) {
        assert!((found - wanted).abs() < 0.05, "{found}, not {wanted}");
    }

    #[test]
    fn matching_pennies_are_chosen_by_halves_and_stones_by_thirds() {
        let pennies = solve(&[vec![1.0, -1.0], vec![-1.0, 1.0]]);
        assert_near(pennies.value, 0.0);
        assert_near(pennies.rows[0], 0.5);
        let stones = solve(&[vec![0.0, -1.0, 1.0], vec![1.0, 0.0, -1.0], vec![-1.0, 1.0, 0.0]]);
        stones.rows.iter().chain(&stones.columns).for_each(|part| assert_near(*part, 1.0 / 3.0));
    }

    #[test]
    fn dominated_strategies_are_never_chosen() {
        let solved = solve(&[vec![3.0, 1.0], vec![0.0, -2.0]]);
        assert_near(solved.value, 1.0);
        assert_near(solved.rows[0], 1.0);
        assert_near(solved.columns[1], 1.0);
    }

    #[test]
    fn a_game_of_unlike_stakes_has_its_known_value() {
        // In equilibrium, both players choose with the probabilities 3/7 and 4/7.
        let solved = solve(&[vec![2.0, -1.0], vec![-1.0, 1.25]]);
        assert_near(solved.value, 1.5 / 5.25);
        assert_near(solved.rows[0], 2.25 / 5.25);
    }

    #[test]
    fn a_single_opposing_strategy_gets_the_best_response() {
        assert_near(solve(&[vec![1.0, -2.0, 4.0]]).value, -2.0);
        assert_near(solve(&[vec![1.0], vec![7.0], vec![4.0]]).value, 7.0);
        assert_near(solve(&[]).value, 0.0);
    }
}
