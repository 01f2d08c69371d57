//! The stored records of finished games.

use super::line::{Line, place};
use flagfall_base::keys::{FIGURES, PLAYED, TALLY, VERSUS};
use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{GameScore, Secret, Tally};
use flagfall_store::{Key, StoreError};
use serde::{Deserialize, Serialize};

/// The maximum number of deployments that are kept per player and ruleset. If there are more, the
/// one that has not been played for the longest time is dropped.
const DEPLOYMENTS_MAX: usize = 64;

/// Two players' results against each other in one ruleset: one tally of all games, and one of the
/// games that are not private.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pair {
    pub(super) all: Tally,
    pub(super) open: Tally,
}

/// A player's statistics in one ruleset. It does not implement `Debug`, because it contains the
/// player's deployments.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Figures {
    #[serde(default)]
    pub(super) by_side: PerSide<Tally>,
    #[serde(default)]
    pub(super) deployments: Vec<KeptDeployment>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptDeployment {
    pub(super) setup: String,
    pub(super) tally: Tally,
    /// The time at which the latest game with this deployment ended.
    pub(super) last: u64,
}

impl Figures {
    pub(super) fn count(&mut self, side: Side, score: GameScore, setup: Option<&Secret>, ended: u64) {
        self.by_side[side].count(score);
        let Some(setup) = setup.map(Secret::expose) else { return };
        let known = self.deployments.iter().position(|kept| kept.setup == setup);
        let at = known.unwrap_or_else(|| {
            if self.deployments.len() >= DEPLOYMENTS_MAX {
                let oldest = self.deployments.iter().enumerate().min_by_key(|(_, kept)| kept.last);
                if let Some(oldest) = oldest.map(|(at, _)| at) {
                    self.deployments.remove(oldest);
                }
            }
            let setup = setup.to_owned();
            self.deployments.push(KeptDeployment { setup, tally: Tally::default(), last: ended });
            self.deployments.len() - 1
        });
        let kept = &mut self.deployments[at];
        kept.tally.count(score);
        kept.last = kept.last.max(ended);
    }

    /// Adds the statistics of other games.
    pub(super) fn merge(&mut self, other: &Figures) {
        for side in Side::BOTH {
            self.by_side[side] = self.by_side[side].plus(other.by_side[side]);
        }
        for kept in &other.deployments {
            match self.deployments.iter_mut().find(|known| known.setup == kept.setup) {
                Some(known) => {
                    known.tally = known.tally.plus(kept.tally);
                    known.last = known.last.max(kept.last);
                }
                None => self.deployments.push(kept.clone()),
            }
        }
        self.deployments.sort_by_key(|kept| std::cmp::Reverse(kept.last));
        self.deployments.truncate(DEPLOYMENTS_MAX);
    }
}

/// A kind of list: all games, or only those that are not private.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shelf {
    All,
    Open,
}

impl Shelf {
    pub(super) const BOTH: [Shelf; 2] = [Shelf::All, Shelf::Open];

    /// Returns the list to show. Players see all their own games. Others see only the games that
    /// are not private.
    pub(super) fn of(is_own: bool) -> Shelf {
        if is_own { Shelf::All } else { Shelf::Open }
    }

    /// True if this kind of list shows the line's game.
    pub(super) fn has(self, line: &Line) -> bool {
        self == Shelf::All || !line.private
    }

    fn name(self) -> &'static str {
        match self {
            Shelf::All => "all",
            Shelf::Open => "open",
        }
    }
}

/// Returns the key prefix for the list of a player's games. In the order of keys, the latest game
/// comes first.
pub(super) fn played_of(player: &str, shelf: Shelf) -> Result<Key, StoreError> {
    PLAYED.under([&player, &shelf.name()])
}

pub(super) fn played_key(player: &str, shelf: Shelf, ended: u64, game: GameId) -> Result<Key, StoreError> {
    PLAYED.key([&player, &shelf.name(), &place(ended, game)])
}

/// Returns the key prefix for the list of a player's games against one opponent. In the order of
/// keys, the latest game comes first.
pub(super) fn versus_of(player: &str, opponent: &str, shelf: Shelf) -> Result<Key, StoreError> {
    VERSUS.under([&player, &opponent, &shelf.name()])
}

pub(super) fn versus_key(
    player: &str,
    opponent: &str,
    shelf: Shelf,
    ended: u64,
    game: GameId,
) -> Result<Key, StoreError> {
    VERSUS.key([&player, &opponent, &shelf.name(), &place(ended, game)])
}

/// Returns the key prefixes of all records that are stored under a player's id.
pub(super) fn all_of(player: &str) -> Result<Vec<Key>, StoreError> {
    let all =
        [PLAYED.under([&player]), VERSUS.under([&player]), TALLY.under([&player]), FIGURES.under([&player])];
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_deployments_the_one_played_longest_ago_goes() {
        let mut figures = Figures::default();
        let setup = |number: usize| Secret::new(format!("setup-{number}"));
        for number in 0..DEPLOYMENTS_MAX {
            figures.count(Side::Red, GameScore::Won, Some(&setup(number)), number as u64);
        }
        figures.count(Side::Blue, GameScore::Lost, Some(&setup(0)), 1_000);
        figures.count(Side::Red, GameScore::Drawn, Some(&setup(999)), 1_001);
        assert_eq!(figures.deployments.len(), DEPLOYMENTS_MAX);
        let kept =
            |number: usize| figures.deployments.iter().find(|kept| kept.setup == setup(number).expose());
        assert!(kept(1).is_none() && kept(2).is_some());
        assert_eq!(
            kept(0).map(|kept| (kept.tally, kept.last)),
            Some((Tally { won: 1, drawn: 0, lost: 1 }, 1_000))
        );
        assert_eq!(figures.by_side.red.games() + figures.by_side.blue.games(), DEPLOYMENTS_MAX as u32 + 2);
        assert!(crate::records::bytes(&figures).unwrap().len() < flagfall_store::limits::VALUE_BYTES_MAX);
    }

    #[test]
    fn the_latest_game_comes_first() {
        let game = GameId::from_random([1; 12]);
        let at = |ended| played_key("ann", Shelf::Open, ended, game).unwrap();
        assert!(at(2_000_000_000_000).as_bytes() < at(1_999_999_999_999).as_bytes());
    }
}
