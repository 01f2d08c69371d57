//! Infers the ranks of hidden pieces by counting. The sets of possible ranks are exact, and the
//! probabilities are estimates.

use flagfall_board::{Rank, RankSet};

/// A value for every rank.
pub(super) type PerRank<T> = [T; Rank::COUNT];

/// A hidden piece with the ranks that it can have. The weight of a rank is its relative
/// likelihood, ignoring the other pieces.
#[derive(Clone)]
pub(super) struct Suspect {
    pub(super) possible: RankSet,
    pub(super) weight: PerRank<f64>,
}

/// The number of rounds. Each round scales the probabilities of each rank, and then the
/// probabilities of each piece.
const ROUNDS: usize = 14;

/// Returns the probability of each rank for each suspect. Unless the view is inconsistent, the
/// probabilities of a rank add up to the number of remaining pieces of that rank.
pub(super) fn fit(suspects: &[Suspect], left: PerRank<u8>) -> Vec<PerRank<f64>> {
    let row = |Suspect { possible, weight }: &Suspect| {
        Rank::ALL.map(|rank| if possible.contains(rank) { weight[rank as usize].max(1e-6) } else { 0.0 })
    };
    let mut chances: Vec<PerRank<f64>> = suspects.iter().map(row).collect();
    for _ in 0..ROUNDS {
        scale_columns(&mut chances, left);
        chances.iter_mut().for_each(scale_row);
    }
    chances
}

/// Returns an arbitrary rank of a set, which need not be consistent with the other pieces.
pub(super) fn any_of(set: RankSet) -> Rank {
    Rank::ALL
        .into_iter()
        .rev()
        .find(|rank| *rank != Rank::Phoenix && set.contains(*rank))
        .unwrap_or(Rank::Sergeant)
}

fn scale_columns(chances: &mut [PerRank<f64>], left: PerRank<u8>) {
    for rank in Rank::ALL {
        let sum: f64 = chances.iter().map(|row| row[rank as usize]).sum();
        if sum > 0.0 {
            let factor = f64::from(left[rank as usize]) / sum;
            chances.iter_mut().for_each(|row| row[rank as usize] *= factor);
        }
    }
}

fn scale_row(row: &mut PerRank<f64>) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|chance| *chance /= sum);
    } else {
        // No rank is possible, so the view is inconsistent.
        row[Rank::Sergeant as usize] = 1.0;
    }
}

/// Assigns a rank to each suspect, using augmenting paths. No rank is given to more suspects than
/// there are pieces of this rank left. Returns `None` if this is impossible.
pub(super) fn matching(sets: &[RankSet], left: PerRank<u8>) -> Option<Vec<Rank>> {
    let mut given: Vec<Option<Rank>> = vec![None; sets.len()];
    let is_full =
        (0..sets.len()).all(|suspect| give(suspect, sets, left, &mut given, &mut [false; Rank::COUNT]));
    given.into_iter().collect::<Option<_>>().filter(|_| is_full)
}

/// Removes the ranks that a suspect has in no complete assignment. `matching` is one complete
/// assignment. Every other one differs from it only in cycles of suspects, in which each suspect
/// takes the next one's rank.
pub(super) fn narrow(sets: &mut [RankSet], matching: &[Rank]) {
    let mut leads = [[false; Rank::COUNT]; Rank::COUNT];
    for (set, rank) in sets.iter().zip(matching) {
        for other in Rank::ALL {
            leads[*rank as usize][other as usize] |= set.contains(other);
        }
    }
    for through in 0..Rank::COUNT {
        for from in 0..Rank::COUNT {
            for to in 0..Rank::COUNT {
                leads[from][to] |= leads[from][through] && leads[through][to];
            }
        }
    }
    for (set, own) in sets.iter_mut().zip(matching) {
        let is_open =
            |rank: &Rank| *rank == *own || (set.contains(*rank) && leads[*rank as usize][*own as usize]);
        *set = Rank::ALL.into_iter().filter(is_open).collect();
    }
}

fn give(
    suspect: usize,
    sets: &[RankSet],
    left: PerRank<u8>,
    given: &mut [Option<Rank>],
    tried: &mut PerRank<bool>,
) -> bool {
    for rank in Rank::ALL {
        if !sets[suspect].contains(rank) || tried[rank as usize] {
            continue;
        }
        tried[rank as usize] = true;
        let holders: Vec<usize> = (0..given.len()).filter(|other| given[*other] == Some(rank)).collect();
        let is_free = holders.len() < usize::from(left[rank as usize]);
        if is_free || holders.into_iter().any(|holder| give(holder, sets, left, given, tried)) {
            given[suspect] = Some(rank);
            return true;
        }
    }
    false
}
