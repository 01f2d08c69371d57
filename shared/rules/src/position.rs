//! The board with its pieces: the true state, including hidden ranks.

use std::fmt;

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet};
use flagfall_view::{Fate, Move, RankCounts};

#[cfg(feature = "referee")]
mod conservation;
mod legal;

use crate::event::{Moved, Placed, Struck, UnresolvedStrike};
use crate::moves::{Field, Reach};
use crate::piece::{Kept, Piece};
use crate::repetition::{Noted, Repetition};
use crate::ruleset::Ruleset;
use crate::setup::Deployment;
use crate::variants::{CoinState, Coins, Lines, Pending, Reserve, ReserveState};

/// A position: the pieces on their squares, the side to move, and the history that the repetition
/// rules and limits need.
///
/// Invariant: every piece of both armies is on the board, captured, in a reserve or in a pool,
/// and the square sets agree with `squares`.
///
/// `Debug` shows only the squares that each side occupies. They are public (§A9).
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    ruleset: &'static Ruleset,
    squares: [Option<Kept>; Square::LIMIT],
    /// The squares on which pieces may stand: all squares except lakes.
    open: SquareSet,
    occupied: PerSide<SquareSet>,
    /// The squares of pieces that can move.
    walkers: PerSide<SquareSet>,
    /// The squares of pieces that move any distance.
    runners: PerSide<SquareSet>,
    pub(crate) captured: PerSide<RankCounts>,
    pub(crate) turn: Side,
    pub(crate) ply: Ply,
    pub(crate) quiet_plies: Ply,
    pub(crate) repetition: Repetition,
    /// The state of reserves and chips. `Some` only in rulesets with a reserve.
    pub(crate) reserve_state: Option<Box<ReserveState>>,
    /// The state of coins and pools. `Some` only in rulesets with coins.
    pub(crate) coin_state: Option<Box<CoinState>>,
}

/// The parts of a position that only some rulesets have. Callers look them up once and pass this
/// value on.
#[derive(Clone, Copy)]
pub(crate) struct Variants<'a> {
    pub(crate) reserve_state: Option<&'a ReserveState>,
    pub(crate) coin_state: Option<&'a CoinState>,
}

impl Variants<'_> {
    pub(crate) const NOTHING: Variants<'static> = Variants { reserve_state: None, coin_state: None };

    pub(crate) fn is_nothing(self) -> bool {
        self.reserve_state.is_none() && self.coin_state.is_none()
    }

    /// True if a side must name a color (§S2.4) or choose a rank in a strike (§Q4).
    #[inline]
    pub(crate) fn owes_choice(self) -> bool {
        self.reserve_state.is_some_and(|reserve_state| reserve_state.owed.is_some())
            || self.coin_state.is_some_and(|coin_state| coin_state.pending.is_some())
    }
}

impl Position {
    pub(crate) fn empty(ruleset: &'static Ruleset, lakes: SquareSet) -> Position {
        Position {
            ruleset,
            squares: [None; Square::LIMIT],
            open: ruleset.shape.squares().without(lakes),
            occupied: PerSide::default(),
            walkers: PerSide::default(),
            runners: PerSide::default(),
            captured: PerSide::default(),
            turn: Side::Red,
            ply: 0,
            quiet_plies: 0,
            repetition: Repetition::default(),
            reserve_state: ReserveState::new(ruleset),
            coin_state: CoinState::new(ruleset),
        }
    }

    /// Creates a position with coins on all home squares and Red to move (§Q1).
    pub(crate) fn with_coins(ruleset: &'static Ruleset, lakes: SquareSet) -> Position {
        let mut position = Position::empty(ruleset, lakes);
        for side in Side::BOTH {
            for square in ruleset.shape.home(side).iter() {
                position.add(square, side, None, false, false);
            }
        }
        position.count_coin_moves();
        position
    }

    /// Creates the position after both deployments, with Red to move.
    pub(crate) fn deployed(
        ruleset: &'static Ruleset,
        lakes: SquareSet,
        deployments: PerSide<Option<&Deployment>>,
    ) -> Position {
        let mut position = Position::empty(ruleset, lakes);
        for side in Side::BOTH {
            for place in 0..ruleset.shape.home_len() {
                let rank = deployments[side].and_then(|deployment| deployment.rank(place));
                if let (Some(rank), Some(square)) = (rank, ruleset.shape.home_square(side, place)) {
                    position.add(square, side, Some(rank), false, false);
                }
            }
            let missing = position.missing(side);
            if let Some(reserve_state) = &mut position.reserve_state {
                // The pieces that were not deployed start in the reserve (§S1.4).
                reserve_state.reserve[side].unlabeled = missing;
            }
        }
        position
    }

    /// Counts the pieces of a side on the board and in its reserve or pool.
    pub(crate) fn held(&self, side: Side) -> RankCounts {
        let mut held = RankCounts::default();
        let mut add = |(rank, count): (Rank, u8)| held[rank] = held[rank].saturating_add(count);
        let on_board = self.pieces().filter(|(_, piece)| piece.side == side);
        on_board.filter_map(|(_, piece)| piece.rank).for_each(|rank| add((rank, 1)));
        if let Some(reserve_state) = &self.reserve_state {
            let Reserve { unlabeled, labeled } = &reserve_state.reserve[side];
            unlabeled.iter().chain(labeled.iter()).for_each(&mut add);
        }
        if let Some(coins) = self.coins(side) {
            coins.pool.iter().for_each(add);
        }
        held
    }

    /// Counts the pieces of a side's army that are not on the board and not in its reserve or
    /// pool.
    pub(crate) fn missing(&self, side: Side) -> RankCounts {
        let held = self.held(side);
        let army = self.ruleset.army.iter();
        army.map(|(rank, count)| (rank, count.saturating_sub(held[rank]))).collect()
    }

    /// Puts a new piece on a square. Returns false if the square is a lake or occupied.
    pub(crate) fn add(
        &mut self,
        square: Square,
        side: Side,
        rank: Option<Rank>,
        is_moved: bool,
        is_revealed: bool,
    ) -> bool {
        let count = self.occupied[Side::Red].len() + self.occupied[Side::Blue].len();
        let Ok(id) = u8::try_from(count) else { return false };
        if !self.open.contains(square) || self.squares[square.index()].is_some() {
            return false;
        }
        self.put(square, Piece { side, rank, is_moved, is_revealed, id });
        true
    }

    /// Sets the lakes. The caller must ensure that no piece stands on them.
    pub(crate) fn set_lakes(&mut self, lakes: SquareSet) {
        self.open = self.ruleset.shape.squares().without(lakes);
    }

    fn put(&mut self, square: Square, piece: Piece) {
        self.put_on_board(square, piece);
        if let Some(reserve_state) = &mut self.reserve_state {
            reserve_state.put(square, &piece);
        }
    }

    fn take(&mut self, square: Square) -> Option<Piece> {
        let piece = self.take_off_board(square)?;
        if let Some(reserve_state) = &mut self.reserve_state {
            reserve_state.take(square, &piece);
        }
        Some(piece)
    }

    /// The part of [`Position::put`] that updates the board. `apply` calls only this part,
    /// because `apply` itself updates the reserve state in a single step.
    fn put_on_board(&mut self, square: Square, piece: Piece) {
        self.squares[square.index()] = Some(Kept::new(piece));
        self.occupied[piece.side].insert(square);
        match piece.rank {
            Some(rank) => {
                if rank.is_movable() {
                    self.walkers[piece.side].insert(square);
                }
                if rank.is_runner() {
                    self.runners[piece.side].insert(square);
                }
            }
            None => {
                if let Some(coin_state) = &mut self.coin_state {
                    coin_state.put(piece.side, square, piece.is_moved);
                }
            }
        }
        if self.ruleset.more_squares {
            self.repetition.toggle(piece.id, square);
        }
    }

    /// The part of [`Position::take`] that updates the board.
    fn take_off_board(&mut self, square: Square) -> Option<Piece> {
        let piece = self.squares[square.index()].take()?.piece();
        self.occupied[piece.side].remove(square);
        self.walkers[piece.side].remove(square);
        self.runners[piece.side].remove(square);
        if let (None, Some(coin_state)) = (piece.rank, &mut self.coin_state) {
            coin_state.take(piece.side, square);
        }
        if self.ruleset.more_squares {
            self.repetition.toggle(piece.id, square);
        }
        Some(piece)
    }

    /// Gives a coin its rank (§Q5). The caller must put the piece back on its square.
    #[cold]
    fn collapse(&mut self, coin: &mut Piece, rank: Rank) {
        coin.rank = Some(rank);
        if let Some(coin_state) = &mut self.coin_state {
            coin_state.collapse(coin.side, rank);
        }
    }

    /// Updates which coins may move, and which may move several squares, after pools or coins
    /// have changed (§Q3, §Q6).
    pub(crate) fn count_coin_moves(&mut self) {
        let Some(coin_state) = &self.coin_state else { return };
        for side in Side::BOTH {
            let coins = &coin_state.coins[side];
            let walkers = coins.walkers();
            self.walkers[side] = self.walkers[side].without(coins.all) | walkers;
            self.runners[side] = self.runners[side].without(coins.all) | coins.runners(walkers);
        }
    }

    /// Sets the rank of the piece on a square, after the follower of a [`crate::FoggedGame`] has
    /// learned it.
    pub(crate) fn learn(&mut self, square: Square, rank: Rank) {
        if let Some(piece) = self.take(square) {
            self.put(square, Piece { rank: Some(rank), ..piece });
        }
    }

    fn capture(&mut self, piece: Piece) {
        if let Some(rank) = piece.rank {
            let count = &mut self.captured[piece.side][rank];
            *count = count.saturating_add(1);
        }
    }

    /// Moves a piece into its side's reserve (§S1.5). The chip under the piece stays on the
    /// board. Unless the piece is labeled, everything that the other side knew about it is
    /// dropped (§S1.7).
    pub(crate) fn remove(&mut self, square: Square) {
        if let Some(Piece { side, rank: Some(rank), .. }) = self.take(square)
            && let Some(reserve_state) = &mut self.reserve_state
        {
            let (is_labeled, _) = reserve_state.take_marks(square);
            let count = reserve_state.reserve[side].count_mut(rank, is_labeled);
            *count = count.saturating_add(1);
        }
        self.end_turn(false);
    }

    /// Places a piece from the reserve. The other side cannot recognize the piece, even if it was
    /// on the board before (§S1.7).
    pub(crate) fn place(&mut self, placed: &Placed) {
        let Placed { side, square, rank, is_labeled, color } = *placed;
        if let Some(reserve_state) = &mut self.reserve_state {
            let count = reserve_state.reserve[side].count_mut(rank, is_labeled);
            *count = count.saturating_sub(1);
            reserve_state.set_marks(square, is_labeled, RankSet::ALL);
            if let Some(color) = color {
                reserve_state.chips.lay(square, color);
            }
        }
        // Only the more-squares rule needs the ids of pieces, and no ruleset has both this rule
        // and a reserve. The id can therefore be 0.
        self.put(square, Piece { side, rank: Some(rank), is_moved: false, is_revealed: is_labeled, id: 0 });
        self.end_turn(false);
    }

    /// Lays the chip whose color a side had to name (§S2.4). This is not a ply.
    pub(crate) fn lay_owed(&mut self, square: Square, color: ChipColor) {
        if let Some(reserve_state) = &mut self.reserve_state {
            reserve_state.chips.lay(square, color);
            reserve_state.owed = None;
        }
    }

    /// Records that a strike is pending until each side with a coin has chosen (§Q4). The ply is
    /// not complete yet. The attacker counts as moved. It becomes a Scout if it strikes from more
    /// than one square away.
    pub(crate) fn await_choices(&mut self, strike: &UnresolvedStrike) {
        let Some(mut attacker) = self.take(strike.from) else { return };
        attacker.is_moved = true;
        if let Some(rank) = strike.proves.single() {
            if attacker.rank.is_none() {
                self.collapse(&mut attacker, rank);
            }
            attacker.is_revealed = true;
        }
        self.put(strike.from, attacker);
        if let Some(coin_state) = &mut self.coin_state {
            coin_state.pending = Some(Pending { strike: *strike, chosen: PerSide::default() });
        }
        self.count_coin_moves();
    }

    /// Records a side's choice of a rank (§Q4). The event after the last choice carries out the
    /// strike.
    pub(crate) fn note_choice(&mut self, side: Side, rank: Rank) {
        if let Some(CoinState { pending: Some(pending), coins: _ }) = self.coin_state.as_deref_mut() {
            pending.chosen[side] = Some(rank);
        }
    }

    fn end_turn(&mut self, is_loud: bool) {
        self.quiet_plies = if is_loud { 0 } else { self.quiet_plies.saturating_add(1) };
        self.ply = self.ply.saturating_add(1);
        self.turn = self.turn.opponent();
    }

    /// Carries out a move. Does nothing if no piece is on the starting square.
    pub(crate) fn apply(&mut self, moved: &Moved) {
        let Moved { side, from, to, proves, strike, laid: _ } = *moved;
        let foes_before = self.occupied[side.opponent()];
        let Some(mut attacker) = self.take_off_board(from) else { return };
        let mut left = None;
        attacker.is_moved = true;
        attacker.is_revealed |= match &self.reserve_state {
            Some(reserve_state) => reserve_state.is_proved(from, proves),
            None => proves.single().is_some(),
        };
        if attacker.rank.is_none()
            && let Some(rank) = strike.map(|strike| strike.attacker.rank).or(proves.single())
        {
            self.collapse(&mut attacker, rank);
        }
        let mut attacker_at = Some(to);
        let mut defender_at = None;
        if let Some(strike) = strike {
            let defender = self.take_off_board(to);
            left = defender;
            attacker.is_revealed |= strike.attacker.shown;
            attacker_at = square_after(strike.attacker, from, to);
            if let Some(mut defender) = defender {
                if defender.rank.is_none() {
                    self.collapse(&mut defender, strike.defender.rank);
                }
                defender.is_revealed |= strike.defender.shown;
                defender_at = square_after(strike.defender, to, from);
                match defender_at {
                    Some(square) => {
                        defender.is_moved |= square != to;
                        self.put_on_board(square, defender);
                    }
                    None => self.capture(defender),
                }
            }
            if attacker_at.is_none() {
                self.capture(attacker);
            }
        }
        if let Some(square) = attacker_at {
            self.put_on_board(square, attacker);
        }
        let is_strike = strike.is_some();
        let foes = if is_strike { self.occupied[side.opponent()] } else { foes_before };
        let ply = Noted { side, squares: Move { from, to }, attacker_at, defender_at, is_strike };
        self.repetition.note(self.ruleset, &ply, foes);
        if let Some(reserve_state) = &mut self.reserve_state {
            reserve_state.apply(
                self.ruleset,
                moved,
                (attacker, attacker_at),
                left.map(|piece| (piece, defender_at)),
            );
        }
        if let Some(coin_state) = &mut self.coin_state {
            coin_state.pending = None;
            self.count_coin_moves();
        }
        self.end_turn(strike.is_some_and(|strike| strike.is_loud()));
    }

    /// Returns the sets of squares that determine the moves that a side would have on its turn.
    #[inline]
    pub(crate) fn field(&self, side: Side) -> Field<'_> {
        self.field_with(side, self.reserve_state())
    }

    /// Like [`Position::field`], for callers that already have the reserve state.
    #[inline]
    pub(crate) fn field_with<'a>(&'a self, side: Side, reserve_state: Option<&'a ReserveState>) -> Field<'a> {
        Field {
            own: &self.occupied[side],
            foes: &self.occupied[side.opponent()],
            walkers: &self.walkers[side],
            runners: &self.runners[side],
            open: &self.open,
            strikes_afar: self.ruleset.strikes_afar,
            reach: reserve_state.and_then(|reserve_state| self.reach(side, reserve_state)),
        }
    }

    /// Returns the joints and lines of chips that extend the moves of a side's pieces.
    #[cold]
    fn reach<'a>(&'a self, side: Side, reserve_state: &'a ReserveState) -> Option<Reach<'a>> {
        let lines = Lines::of(&reserve_state.chips, &reserve_state.flashers[side], self.ruleset);
        Reach::of(self.ruleset, lines)
    }

    #[inline]
    pub(crate) fn variants(&self) -> Variants<'_> {
        Variants { reserve_state: self.reserve_state.as_deref(), coin_state: self.coin_state.as_deref() }
    }

    /// The state of reserves and chips, which only rulesets with a reserve have.
    pub(crate) fn reserve_state(&self) -> Option<&ReserveState> {
        self.reserve_state.as_deref()
    }

    /// The square of the chip whose color the side to move must name before its ply (§S2.4). It
    /// is public.
    pub fn owed_color(&self) -> Option<Square> {
        self.reserve_state.as_ref().and_then(|reserve_state| reserve_state.owed)
    }

    /// A side's coins, in rulesets with coins.
    pub(crate) fn coins(&self, side: Side) -> Option<&Coins> {
        self.coin_state.as_ref().map(|coin_state| &coin_state.coins[side])
    }

    /// The strike in which a side still has to choose (§Q4), if there is one.
    pub(crate) fn pending(&self) -> Option<&Pending> {
        self.coin_state.as_ref().and_then(|coin_state| coin_state.pending.as_ref())
    }

    /// True if the game is waiting for this side: for its choice in a strike (§Q4), or for its
    /// ply.
    ///
    /// If both sides have a coin in a strike, the result is secret, because it reveals whether a
    /// side has already chosen.
    pub fn is_to_act(&self, side: Side) -> bool {
        self.pending().map_or(self.turn == side, |pending| pending.is_owed_by(side))
    }

    /// The side that acts next, for callers that let the two sides act one after the other.
    ///
    /// Normally, this is the side to move. While a strike is pending, it is first the side that
    /// struck, and then the other side. Use this function only in tools and tests, because it
    /// reveals whether a side has already chosen.
    pub fn actor(&self) -> Side {
        if self.is_to_act(self.turn) { self.turn } else { self.turn.opponent() }
    }

    /// True if a side still has to choose in a strike. The answer is public.
    pub fn has_strike_pending(&self) -> bool {
        self.pending().is_some()
    }

    /// The pieces that a side's coins can still become, in rulesets with coins. They are public
    /// (§Q8).
    pub fn pool(&self, side: Side) -> Option<RankCounts> {
        self.coins(side).map(|coins| coins.pool)
    }

    /// The chips on the board, in rulesets with chips. They are public (§S2.5).
    pub fn chips(&self) -> Option<&Chips> {
        self.reserve_state.as_ref().filter(|_| self.ruleset.chips).map(|reserve_state| &reserve_state.chips)
    }

    pub(crate) fn piece(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()].map(Kept::piece)
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let both = self.occupied[Side::Red] | self.occupied[Side::Blue];
        both.iter().filter_map(|square| Some((square, self.piece(square)?)))
    }

    /// The rules that apply to the position.
    pub fn ruleset(&self) -> &'static Ruleset {
        self.ruleset
    }

    /// The side to move.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// The number of turns taken so far.
    pub fn ply(&self) -> Ply {
        self.ply
    }

    /// The squares that a side occupies. They are public (§A9).
    pub fn occupied(&self, side: Side) -> SquareSet {
        self.occupied[side]
    }

    /// The squares that no piece may enter.
    pub fn lakes(&self) -> SquareSet {
        self.ruleset.shape.squares().without(self.open)
    }

    /// The number of pieces of each rank that a side has lost. It is public (§A8).
    pub fn captured(&self, side: Side) -> RankCounts {
        self.captured[side]
    }
}

/// Returns the square of a piece after a strike: the piece's former square or the other piece's
/// square. Returns `None` if the piece left the board.
pub(crate) fn square_after(struck: Struck, own: Square, other: Square) -> Option<Square> {
    match struck.fate {
        Fate::Stays => Some(own),
        Fate::Advances => Some(other),
        Fate::Leaves => None,
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Position")
            .field("ruleset", &self.ruleset.id)
            .field("ply", &self.ply)
            .field("turn", &self.turn)
            .field("red", &self.occupied[Side::Red].iter().collect::<Vec<_>>())
            .field("blue", &self.occupied[Side::Blue].iter().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
