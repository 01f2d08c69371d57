//! A check of a position against itself, for tests.

use flagfall_board::{Rank, Side, Square};

use crate::piece::Kept;

use super::Position;

impl Position {
    /// True if every piece of both armies is on the board, captured, in reserve or in a pool, and
    /// the square sets agree with the squares.
    pub fn is_conserved(&self) -> bool {
        let mut counts = self.captured;
        let mut rebuilt = Position::empty(self.ruleset, self.lakes());
        for (index, kept) in self.squares.iter().enumerate() {
            if let (Some(piece), Some(square)) = (kept.map(Kept::piece), Square::from_index(index)) {
                if let Some(rank) = piece.rank {
                    counts[piece.side][rank as usize] += 1;
                }
                rebuilt.put(square, piece);
            }
        }
        let is_whole = Side::BOTH.into_iter().all(|side| {
            let reserve = self
                .reserve_state
                .as_ref()
                .map(|reserve_state| reserve_state.reserve[side])
                .unwrap_or_default();
            Rank::ALL.into_iter().all(|rank| {
                let pooled = self.coins(side).map_or(0, |coins| coins.pool.count(rank));
                let off_board = reserve.count(rank, false) + reserve.count(rank, true) + pooled;
                counts[side][rank as usize] + off_board == self.ruleset.army.count(rank)
            })
        });
        let is_reserve_state_true = match (&self.reserve_state, &rebuilt.reserve_state) {
            (Some(reserve_state), Some(rebuilt)) => {
                let both = self.occupied[Side::Red] | self.occupied[Side::Blue];
                Side::BOTH.into_iter().all(|side| reserve_state.flashers(side) == rebuilt.flashers(side))
                    && reserve_state.labeled.without(both).is_empty()
                    && self.pieces().all(|(square, piece)| {
                        piece.rank.is_some_and(|rank| reserve_state.could_be(square).contains(rank))
                    })
                    && reserve_state.owed.is_none_or(|square| self.occupied[self.turn].contains(square))
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let are_coins_true = match (self.coin_state.as_deref(), rebuilt.coin_state.as_deref_mut()) {
            (Some(coin_state), Some(rebuilt)) => Side::BOTH.into_iter().all(|side| {
                let coins = &coin_state.coins[side];
                rebuilt.coins[side].pool = coins.pool;
                rebuilt.coins[side] == *coins
                    && coins.all.len() == coins.pool.size()
                    && coins.keeps_reserve()
                    && coin_state.pending.is_none_or(|pending| {
                        !pending.strike.owes[side] || coins.all.contains(pending.coin(side))
                    })
            }),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        rebuilt.count_coin_moves();
        is_whole
            && is_reserve_state_true
            && are_coins_true
            && rebuilt.occupied == self.occupied
            && rebuilt.walkers == self.walkers
            && rebuilt.runners == self.runners
            && (self.occupied[Side::Red] & self.occupied[Side::Blue]).is_empty()
    }
}
