//! Decides which runs of the index are merged, and reads several runs as one.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::part::{Line, Part};
use crate::objects::ArchiveStore;

/// A run stays as it is if it has at least this many times as many games as all smaller runs
/// together. Otherwise it is merged with them.
///
/// So there are only a few runs, most games are in the largest run, and each game is only rarely
/// written again.
const RATIO: u64 = 8;

/// Returns the index of the first run to merge. All runs after it are merged with it. `None` if
/// there is nothing to merge. `games` contains the number of games in each run, in descending
/// order.
pub(super) fn first_to_merge(games: &[u64]) -> Option<usize> {
    let smaller = |nth: usize| games.iter().skip(nth + 1).sum::<u64>();
    let is_small = |nth: usize| smaller(nth) > 0 && games[nth] < RATIO * smaller(nth);
    (0..games.len()).find(|nth| is_small(*nth))
}

/// A run that is read line by line, one part after the other.
struct Source {
    parts: VecDeque<Arc<Part>>,
    lines: VecDeque<Line>,
}

impl Source {
    /// Returns the next line without removing it.
    async fn peek(&mut self, store: &dyn ArchiveStore) -> Result<Option<Line>, ArchiveError> {
        while self.lines.is_empty()
            && let Some(part) = self.parts.pop_front()
        {
            self.lines = part.read_all(store).await?.into();
        }
        Ok(self.lines.front().copied())
    }
}

/// Several runs that are read as one. If several lines have the same id, only the line of the
/// newest segment is returned.
pub(super) struct Merged {
    sources: Vec<Source>,
    last: Option<GameId>,
}

impl Merged {
    pub(super) fn new(runs: &[Vec<Arc<Part>>]) -> Merged {
        let source = |parts: &Vec<Arc<Part>>| Source {
            parts: parts.iter().cloned().collect(),
            lines: VecDeque::new(),
        };
        Merged { sources: runs.iter().map(source).collect(), last: None }
    }

    pub(super) async fn next(&mut self, store: &dyn ArchiveStore) -> Result<Option<Line>, ArchiveError> {
        loop {
            let mut least: Option<(Line, usize)> = None;
            for (nth, source) in self.sources.iter_mut().enumerate() {
                let Some(line) = source.peek(store).await? else { continue };
                let order = |(game, location): Line| (game.bits(), Reverse(location.segment));
                if least.is_none_or(|(least, _)| order(line) < order(least)) {
                    least = Some((line, nth));
                }
            }
            let Some((line, nth)) = least else { return Ok(None) };
            self.sources[nth].lines.pop_front();
            if self.last.replace(line.0) != Some(line.0) {
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_few_runs_and_the_largest_is_rarely_written() {
        assert_eq!(first_to_merge(&[]), None);
        assert_eq!(first_to_merge(&[5]), None);
        assert_eq!(first_to_merge(&[5, 5]), Some(0));
        assert_eq!(first_to_merge(&[80, 10]), None);
        assert_eq!(first_to_merge(&[79, 10]), Some(0));
        assert_eq!(first_to_merge(&[1_000, 10, 5]), Some(1));
        let (mut runs, mut written, mut most) = (Vec::new(), 0, 0);
        for _ in 0..10_000 {
            runs.push(100_u64);
            runs.sort_unstable_by_key(|games| Reverse(*games));
            if let Some(nth) = first_to_merge(&runs) {
                let merged = runs.drain(nth..).sum();
                written += merged;
                runs.push(merged);
            }
            most = most.max(runs.len());
        }
        assert_eq!(runs.iter().sum::<u64>(), 1_000_000);
        assert!(most <= 6, "{most} runs");
        assert!(written <= 40 * 1_000_000, "{written} lines written");
    }
}
