//! The legal moves and commands in a position, including repetition rules.

use flagfall_board::{Rank, RankSet, Side};
use flagfall_view::Move;

use crate::moves::{Field, LegalCommands, LegalMoves};

use super::{Position, Variants};

impl Position {
    /// The legal moves of the side to move, including repetition rules.
    pub fn legal_moves(&self) -> LegalMoves {
        self.legal_moves_of(self.turn(), |_| ())
    }

    /// True if a repetition rule may currently forbid one of this side's moves.
    pub(crate) fn may_refuse_repetition(&self, side: Side) -> bool {
        let ruleset = self.ruleset();
        self.repetition.tether(ruleset, side).is_some() || self.repetition.is_chasing(ruleset, side)
    }

    /// True if the two-squares rule forbids this move of a side.
    pub(crate) fn is_back_and_forth(&self, side: Side, squares: Move) -> bool {
        self.repetition.tether(self.ruleset(), side).is_some_and(|tether| tether.holds(squares))
    }

    /// Returns the legal moves that a side would have on its turn. Calls `refused` with each move
    /// that a repetition rule forbids.
    pub(crate) fn legal_moves_of(&self, side: Side, refused: impl FnMut(Move)) -> LegalMoves {
        match self.variants() {
            variants if variants.is_nothing() => {
                self.legal_moves_in(self.field_with(side, None), side, refused)
            }
            variants => self.legal_moves_with(variants, side, refused),
        }
    }

    #[cold]
    fn legal_moves_with(&self, variants: Variants<'_>, side: Side, refused: impl FnMut(Move)) -> LegalMoves {
        if variants.owes_choice() {
            // The side must first name a color (§S2.4) or choose a rank (§Q4).
            return LegalMoves::none(self.occupied(side));
        }
        self.legal_moves_in(self.field_with(side, variants.reserve_state), side, refused)
    }

    /// Returns the legal moves of a side. `field` may differ from the position.
    #[inline(always)]
    pub(crate) fn legal_moves_in(
        &self,
        field: Field<'_>,
        side: Side,
        mut refused: impl FnMut(Move),
    ) -> LegalMoves {
        if !self.may_refuse_repetition(side) {
            return field.moves();
        }
        let mut moves = field.moves();
        let ruleset = self.ruleset();
        if let Some(tether) = self.repetition.tether(ruleset, side) {
            moves.hold(tether, field.foes, &mut refused);
        }
        let id_at = |square| self.piece(square).map(|piece| piece.id);
        self.repetition.cut_chases(ruleset, side, &field, &mut moves, id_at, refused);
        moves
    }

    /// The moves that a side would have without the reserve rule (§Q6).
    pub(crate) fn moves_without_reserve_rule(&self, side: Side) -> LegalMoves {
        let field = self.field(side);
        let Some(coins) = self.coins(side) else { return LegalMoves::none(*field.own) };
        let walkers = *field.walkers | coins.all;
        let runners = *field.runners | coins.runners(coins.all);
        self.legal_moves_in(Field { walkers: &walkers, runners: &runners, ..field }, side, |_| ())
    }

    /// The legal commands on the board for the side that [`Position::actor`] returns.
    pub fn legal_commands(&self) -> LegalCommands {
        if let (Some(pending), side) = (self.pending(), self.actor()) {
            let choices = self.coins(side).map(|coins| coins.choices(pending.coin(side)));
            return LegalCommands::of_choices(choices.unwrap_or(RankSet::EMPTY));
        }
        if self.owed_color().is_some() {
            return LegalCommands::of_owed_color();
        }
        let side = self.turn();
        let field = self.field(side);
        let reserve = self.reserve_state().map(|reserve_state| &reserve_state.reserve[side]);
        let flag = self.occupied(side).iter().find(|square| {
            reserve.is_some() && self.piece(*square).is_some_and(|piece| piece.rank == Some(Rank::Flag))
        });
        LegalCommands::new(self.ruleset(), side, &field, self.legal_moves(), flag, reserve)
    }
}
