//! A consistency check of a position, for tests.

use flagfall_board::{PerSide, Side};

use super::Position;

impl Position {
    /// True if the position is consistent: every piece of both armies is on the board, captured, in
    /// a reserve or in a pool, and the sets of squares agree with the board. The function compares
    /// the position with a copy that it parses from the position's text.
    pub fn is_conserved(&self) -> bool {
        let mut plain = self.clone();
        if let Some(coin_state) = &mut plain.coin_state {
            // A pending strike is left out, because the notation has no form for a strike in
            // which all choices are made.
            coin_state.pending = None;
        }
        let text = plain.text();
        let fields = text.split_once(' ').map_or("", |(_, fields)| fields);
        let Ok(read) = Position::read(self.ruleset, fields) else { return false };
        let counted = |position: &Position| {
            let Position { occupied, walkers, runners, captured, .. } = *position;
            let reserve_state = position.reserve_state.as_ref();
            let reserve_state =
                reserve_state.map(|state| (state.reserve, state.labeled, state.flashers, state.owed));
            let coins = PerSide::from_fn(|side| position.coins(side).copied());
            (occupied, walkers, runners, captured, reserve_state, coins)
        };
        let has_coin_of = |side: Side| {
            let owed = self.pending().filter(|pending| pending.strike.owes[side]);
            owed.zip(self.coins(side)).is_none_or(|(pending, coins)| coins.all.contains(pending.coin(side)))
        };
        let could_be = |square| self.reserve_state().map(|state| state.could_be(square));
        counted(&read) == counted(self)
            && Side::BOTH.into_iter().all(has_coin_of)
            && self.pieces().all(|(square, piece)| {
                could_be(square).zip(piece.rank).is_none_or(|(ranks, rank)| ranks.contains(rank))
            })
    }
}
