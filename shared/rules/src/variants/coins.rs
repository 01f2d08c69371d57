//! Coins, and the pools from which they take their ranks (§Q).

use flagfall_board::{PerSide, Rank, RankSet, Side, Square, SquareSet};
use flagfall_view::RankCounts;

use crate::event::UnresolvedStrike;
use crate::ruleset::{Ruleset, Start};

/// The squares of a side's coins, and the pieces that the coins can still become.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Coins {
    pub(crate) all: SquareSet,
    pub(crate) unmoved: SquareSet,
    /// The pieces of the side that no coin has become yet. They are public (§Q8).
    pub(crate) pool: RankCounts,
}

impl Coins {
    /// The number of Bombs and Flags in the pool. At least this many coins must stay unmoved
    /// (§Q6).
    fn reserved(&self) -> u32 {
        u32::from(self.pool[Rank::Bomb]) + u32::from(self.pool[Rank::Flag])
    }

    /// True if the reserve rule allows an unmoved coin to move, or to become a piece that can
    /// move (§Q6).
    pub(crate) fn may_spare(&self) -> bool {
        self.unmoved.len() > self.reserved()
    }

    /// All unmoved coins, if losing one of them would keep all others from moving. Otherwise, the
    /// empty set.
    pub(crate) fn bound_soon(&self) -> SquareSet {
        if self.unmoved.len() > self.reserved() + 1 { SquareSet::EMPTY } else { self.unmoved }
    }

    /// True if the position obeys the reserve rule.
    pub(crate) fn keeps_reserve(&self) -> bool {
        self.unmoved.len() >= self.reserved()
    }

    /// The coins that may move one square.
    pub(crate) fn walkers(&self) -> SquareSet {
        if self.may_spare() { self.all } else { self.all.without(self.unmoved) }
    }

    /// The coins that may move several squares: all of `walkers` if the pool has a Scout, and
    /// otherwise none (§Q3).
    pub(crate) fn runners(&self, walkers: SquareSet) -> SquareSet {
        if self.pool[Rank::Scout] > 0 { walkers } else { SquareSet::EMPTY }
    }

    /// The ranks that the coin on a square may take in a strike (§Q4, §Q6). The result is never
    /// empty, because the pool has as many pieces as the side has coins.
    pub(crate) fn choices(&self, square: Square) -> RankSet {
        let is_unmoved = self.unmoved.contains(square);
        let may_move = !is_unmoved || self.may_spare();
        let is_allowed = |rank: &Rank| if rank.is_movable() { may_move } else { is_unmoved };
        self.pool.iter().map(|(rank, _)| rank).filter(is_allowed).collect()
    }
}

/// A strike in which a side still has to choose a rank (§Q4).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) strike: UnresolvedStrike,
    /// The ranks chosen so far. They are secret until the last choice is made.
    pub(crate) chosen: PerSide<Option<Rank>>,
}

impl Pending {
    /// True if this side has a coin in the strike and has not chosen its rank yet.
    pub(crate) fn is_owed_by(&self, side: Side) -> bool {
        self.strike.owes[side] && self.chosen[side].is_none()
    }

    /// The square of this side's coin in the strike.
    pub(crate) fn coin(&self, side: Side) -> Square {
        if side == self.strike.side { self.strike.from } else { self.strike.to }
    }
}

/// The coins of both sides, and the pending strike, if there is one.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CoinState {
    pub(crate) coins: PerSide<Coins>,
    pub(crate) pending: Option<Pending>,
}

impl CoinState {
    pub(crate) fn new(ruleset: &Ruleset) -> Option<Box<CoinState>> {
        (ruleset.start == Start::Coins).then(|| {
            let coins = Coins { pool: ruleset.army.iter().collect(), ..Coins::default() };
            Box::new(CoinState { coins: PerSide::new(coins, coins), pending: None })
        })
    }

    /// Records that a coin moved to a square.
    #[cold]
    pub(crate) fn put(&mut self, side: Side, square: Square, is_moved: bool) {
        self.coins[side].all.insert(square);
        if !is_moved {
            self.coins[side].unmoved.insert(square);
        }
    }

    /// Records that a coin left a square.
    #[cold]
    pub(crate) fn take(&mut self, side: Side, square: Square) {
        self.coins[side].all.remove(square);
        self.coins[side].unmoved.remove(square);
    }

    /// Records that a coin became a piece (§Q5).
    pub(crate) fn collapse(&mut self, side: Side, rank: Rank) {
        let count = &mut self.coins[side].pool[rank];
        *count = count.saturating_sub(1);
    }
}
