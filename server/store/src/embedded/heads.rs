//! The writer's memory of where logs stand: bounded, the longest unused forgotten first.

use std::collections::HashMap;

use flagfall_board::GameId;

use crate::value::Head;

/// Heads of at most `limit` games, in two generations: a head that is used moves to the young one; when that is
/// full it becomes the old one, and what was in the old one is forgotten.
pub(super) struct HeadCache {
    young: HashMap<GameId, Head>,
    old: HashMap<GameId, Head>,
    generation_max: usize,
}

impl HeadCache {
    pub(super) fn new(limit: usize) -> HeadCache {
        HeadCache { young: HashMap::new(), old: HashMap::new(), generation_max: (limit / 2).max(1) }
    }

    pub(super) fn get(&mut self, game: GameId) -> Option<Head> {
        if let Some(head) = self.young.get(&game) {
            return Some(*head);
        }
        let head = self.old.get(&game).copied()?;
        self.put(game, head);
        Some(head)
    }

    pub(super) fn put(&mut self, game: GameId, head: Head) {
        if self.young.len() >= self.generation_max && !self.young.contains_key(&game) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(game, head);
    }

    pub(super) fn forget(&mut self, game: GameId) {
        self.young.remove(&game);
        self.old.remove(&game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Hash;

    fn game(number: u8) -> GameId {
        GameId::from_random([number; 12])
    }

    fn head(seq: u64) -> Head {
        Head { seq, hash: Hash::ZERO }
    }

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut heads = HeadCache::new(4);
        heads.put(game(0), head(1));
        for number in 1..30 {
            heads.put(game(number), head(1));
            assert_eq!(heads.get(game(0)), Some(head(1)));
            assert!(heads.young.len() + heads.old.len() <= 4);
        }
        assert_eq!(heads.get(game(1)), None);
    }

    #[test]
    fn the_newest_head_counts_and_forgetting_is_complete() {
        let mut heads = HeadCache::new(2);
        heads.put(game(1), head(1));
        heads.put(game(2), head(1));
        heads.put(game(1), head(2));
        assert_eq!(heads.get(game(1)), Some(head(2)));
        heads.forget(game(1));
        assert_eq!(heads.get(game(1)), None);
    }
}
