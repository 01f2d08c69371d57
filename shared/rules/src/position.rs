//! The board with its pieces: the true state, hidden ranks included.

use std::fmt;

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet};

use crate::command::Move;
use crate::event::{Fate, Moved, Placed, Struck};
use crate::movement::Field;
use crate::repetition::{Noted, Repetition};
use crate::ruleset::Ruleset;
use crate::setup::Deployment;
use crate::shadow::{Reserve, Shadow};

/// A piece, as the server knows it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) side: Side,
    pub(crate) rank: Rank,
    pub(crate) is_moved: bool,
    /// Whether its rank is public knowledge (§A7).
    pub(crate) is_revealed: bool,
    /// Tells pieces apart within a position (§T3). Never leaves the engine: it would be in deployment order. Pieces that come from a reserve have
    /// none of their own.
    pub(crate) id: u8,
}

/// Where every piece stands, who is to move, and what the repetition rules and the limits need to know.
///
/// Invariant: every piece of both armies is on the board, among the captured or in reserve, and the square sets agree with the squares. `Debug` shows
/// which squares are occupied by whom, as everybody may see (§A9).
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    ruleset: &'static Ruleset,
    squares: [Option<Piece>; Square::LIMIT],
    /// Squares that pieces may stand on: all but lakes.
    open: SquareSet,
    occupied: PerSide<SquareSet>,
    /// Pieces that may move at all.
    walkers: PerSide<SquareSet>,
    /// Pieces that move any distance.
    runners: PerSide<SquareSet>,
    captured: PerSide<[u8; Rank::COUNT]>,
    turn: Side,
    ply: Ply,
    quiet_plies: Ply,
    repetition: Repetition,
    /// What only rulesets with a reserve have.
    shadow: Option<Box<Shadow>>,
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
            shadow: Shadow::new(ruleset),
        }
    }

    /// Both armies as deployed, Red to move.
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
                    position.add(square, side, rank, false, false);
                }
            }
            position.reserve_missing(side);
        }
        position
    }

    /// Takes what an army has and the board lacks into the reserve, where there is one (§S1.4).
    fn reserve_missing(&mut self, side: Side) {
        let missing = self.missing(side);
        if let Some(shadow) = &mut self.shadow {
            shadow.reserve[side].unlabeled = missing;
        }
    }

    /// What an army has and neither board nor reserve.
    fn missing(&self, side: Side) -> [u8; Rank::COUNT] {
        let mut missing = Rank::ALL.map(|rank| self.ruleset.army.count(rank));
        let on_board = self.pieces().filter(|(_, piece)| piece.side == side).map(|(_, piece)| piece.rank);
        on_board.for_each(|rank| {
            let count = &mut missing[rank as usize];
            *count = count.saturating_sub(1);
        });
        if let Some(shadow) = &self.shadow {
            let Reserve { unlabeled, labeled } = shadow.reserve[side];
            for ((missing, unlabeled), labeled) in missing.iter_mut().zip(unlabeled).zip(labeled) {
                *missing = missing.saturating_sub(unlabeled).saturating_sub(labeled);
            }
        }
        missing
    }

    /// Puts a new piece on an empty open square; false when there is no room for it.
    pub(crate) fn add(
        &mut self,
        square: Square,
        side: Side,
        rank: Rank,
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

    /// Puts the lakes where no piece stands.
    pub(crate) fn set_lakes(&mut self, lakes: SquareSet) {
        self.open = self.ruleset.shape.squares().without(lakes);
    }

    pub(crate) fn set_turn(&mut self, turn: Side, ply: Ply, quiet_plies: Ply) {
        self.turn = turn;
        self.ply = ply;
        self.quiet_plies = quiet_plies;
    }

    /// Takes what an army has and the board lacks for captured: how a position that was written down came about.
    pub(crate) fn count_missing_as_captured(&mut self) {
        self.captured = PerSide::from_fn(|side| self.missing(side));
    }

    fn put(&mut self, square: Square, piece: Piece) {
        self.put_on_board(square, piece);
        if let Some(shadow) = &mut self.shadow {
            shadow.put(square, &piece);
        }
    }

    fn take(&mut self, square: Square) -> Option<Piece> {
        let piece = self.take_off_board(square)?;
        if let Some(shadow) = &mut self.shadow {
            shadow.take(square, &piece);
        }
        Some(piece)
    }

    /// The board's part of [`Position::put`]: what `apply` does to the rest it does at once.
    fn put_on_board(&mut self, square: Square, piece: Piece) {
        self.squares[square.index()] = Some(piece);
        self.occupied[piece.side].insert(square);
        if is_movable(piece.rank) {
            self.walkers[piece.side].insert(square);
        }
        if is_runner(piece.rank) {
            self.runners[piece.side].insert(square);
        }
        if self.ruleset.more_squares {
            self.repetition.toggle(piece.id, square);
        }
    }

    /// The board's part of [`Position::take`].
    fn take_off_board(&mut self, square: Square) -> Option<Piece> {
        let piece = self.squares[square.index()].take()?;
        self.occupied[piece.side].remove(square);
        self.walkers[piece.side].remove(square);
        self.runners[piece.side].remove(square);
        if self.ruleset.more_squares {
            self.repetition.toggle(piece.id, square);
        }
        Some(piece)
    }

    /// Gives the piece on a square another rank: what a follower of the game learns of it.
    pub(crate) fn learn(&mut self, square: Square, rank: Rank) {
        if let Some(piece) = self.take(square) {
            self.put(square, Piece { rank, ..piece });
        }
    }

    fn capture(&mut self, piece: Piece) {
        let count = &mut self.captured[piece.side][piece.rank as usize];
        *count = count.saturating_add(1);
    }

    /// Takes a piece into its side's reserve (§S1.5); its chip stays. What was known of it is lost, unless it is labeled (§S1.7).
    pub(crate) fn remove(&mut self, square: Square) {
        if let Some(piece) = self.take(square)
            && let Some(shadow) = &mut self.shadow
        {
            let (is_labeled, _) = shadow.take_marks(square);
            let count = shadow.reserve[piece.side].count_mut(piece.rank, is_labeled);
            *count = count.saturating_add(1);
        }
        self.end_turn(false);
    }

    /// Brings a piece of the reserve onto the board: a new one to everybody else (§S1.7).
    pub(crate) fn place(&mut self, placed: &Placed) {
        let Placed { side, square, rank, is_labeled, color } = *placed;
        if let Some(shadow) = &mut self.shadow {
            let count = shadow.reserve[side].count_mut(rank, is_labeled);
            *count = count.saturating_sub(1);
            shadow.set_marks(square, is_labeled, RankSet::ALL);
            if let Some(color) = color {
                shadow.lay(square, color);
            }
        }
        // No more-squares rule stands where there is a reserve: ids tell nothing apart there.
        self.put(square, Piece { side, rank, is_moved: false, is_revealed: is_labeled, id: 0 });
        self.end_turn(false);
    }

    /// Lays the chip that was owed (§S2.4). No ply.
    pub(crate) fn lay_owed(&mut self, square: Square, color: ChipColor) {
        if let Some(shadow) = &mut self.shadow {
            shadow.lay(square, color);
            shadow.owed = None;
        }
    }

    fn end_turn(&mut self, is_loud: bool) {
        self.quiet_plies = if is_loud { 0 } else { self.quiet_plies.saturating_add(1) };
        self.ply = self.ply.saturating_add(1);
        self.turn = self.turn.opponent();
    }

    /// Carries a move out. Total: whatever the fact says is done, so far as there is a piece to do it.
    pub(crate) fn apply(&mut self, moved: &Moved) {
        let Moved { side, from, to, proves, strike, laid: _ } = *moved;
        let foes_before = self.occupied[side.opponent()];
        let Some(mut attacker) = self.take_off_board(from) else { return };
        let mut left = None;
        attacker.is_moved = true;
        attacker.is_revealed |= match &self.shadow {
            Some(shadow) => shadow.is_proved(from, proves),
            None => proves.single().is_some(),
        };
        let mut attacker_at = Some(to);
        let mut defender_at = None;
        if let Some(strike) = strike {
            let defender = self.take_off_board(to);
            left = defender;
            attacker.is_revealed |= strike.attacker.shown;
            attacker_at = square_after(strike.attacker, from, to);
            if let Some(mut defender) = defender {
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
        if let Some(shadow) = &mut self.shadow {
            shadow.apply(
                self.ruleset,
                moved,
                (attacker, attacker_at),
                left.map(|piece| (piece, defender_at)),
            );
        }
        self.end_turn(strike.is_some_and(|strike| strike.is_loud()));
    }

    /// What one side's pieces can do, were it its turn: the squares alone.
    #[inline]
    pub(crate) fn field(&self, side: Side) -> Field<'_> {
        self.field_with(side, self.shadow())
    }

    /// The same for who has looked up what only positions with a reserve have.
    #[inline]
    pub(crate) fn field_with<'a>(&'a self, side: Side, shadow: Option<&'a Shadow>) -> Field<'a> {
        Field {
            own: &self.occupied[side],
            foes: &self.occupied[side.opponent()],
            walkers: &self.walkers[side],
            runners: &self.runners[side],
            open: &self.open,
            strikes_afar: self.ruleset.strikes_afar,
            beyond: shadow.and_then(|shadow| shadow.beyond(side, self.ruleset)),
        }
    }

    /// What only positions with a reserve have.
    pub(crate) fn shadow(&self) -> Option<&Shadow> {
        self.shadow.as_deref()
    }

    pub(crate) fn shadow_mut(&mut self) -> Option<&mut Shadow> {
        self.shadow.as_deref_mut()
    }

    /// Where a piece of the side to move stands whose chip's color it must first name (§S2.4): public.
    #[must_use]
    pub fn owed_color(&self) -> Option<Square> {
        self.shadow.as_ref().and_then(|shadow| shadow.owed)
    }

    /// The chips on the board, in rulesets with chips: public (§S2.5).
    #[must_use]
    pub fn chips(&self) -> Option<&Chips> {
        self.shadow.as_ref().filter(|_| self.ruleset.chips).map(|shadow| &shadow.chips)
    }

    pub(crate) fn piece(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let both = self.occupied[Side::Red] | self.occupied[Side::Blue];
        both.iter().filter_map(|square| Some((square, self.piece(square)?)))
    }

    pub(crate) fn repetition(&self) -> &Repetition {
        &self.repetition
    }

    pub(crate) fn quiet_plies(&self) -> Ply {
        self.quiet_plies
    }

    /// By which rules the position is played.
    #[must_use]
    pub fn ruleset(&self) -> &'static Ruleset {
        self.ruleset
    }

    /// Whose turn it is.
    #[must_use]
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// Turns taken.
    #[must_use]
    pub fn ply(&self) -> Ply {
        self.ply
    }

    /// The squares a side occupies: public (§A9).
    #[must_use]
    pub fn occupied(&self, side: Side) -> SquareSet {
        self.occupied[side]
    }

    /// Squares that nothing enters.
    #[must_use]
    pub fn lakes(&self) -> SquareSet {
        self.ruleset.shape.squares().without(self.open)
    }

    /// How many pieces of each rank a side has lost (indexed by rank, Flag first): public (§A8).
    #[must_use]
    pub fn captured(&self, side: Side) -> [u8; Rank::COUNT] {
        self.captured[side]
    }

    /// Whether every piece of both armies is on the board, captured or in reserve, and the square sets agree with the squares.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        let mut counts = self.captured;
        let mut rebuilt = Position::empty(self.ruleset, self.lakes());
        for (index, piece) in self.squares.iter().enumerate() {
            if let (Some(piece), Some(square)) = (piece, Square::from_index(index)) {
                counts[piece.side][piece.rank as usize] += 1;
                rebuilt.put(square, *piece);
            }
        }
        let is_whole = Side::BOTH.into_iter().all(|side| {
            let reserve = self.shadow.as_ref().map(|shadow| shadow.reserve[side]).unwrap_or_default();
            Rank::ALL.into_iter().all(|rank| {
                let off_board = reserve.count(rank, false) + reserve.count(rank, true);
                counts[side][rank as usize] + off_board == self.ruleset.army.count(rank)
            })
        });
        let is_shadow_true = match (&self.shadow, &rebuilt.shadow) {
            (Some(shadow), Some(rebuilt)) => {
                let both = self.occupied[Side::Red] | self.occupied[Side::Blue];
                Side::BOTH.into_iter().all(|side| shadow.flashers(side) == rebuilt.flashers(side))
                    && shadow.labeled.without(both).is_empty()
                    && self.pieces().all(|(square, piece)| shadow.could_be(square).contains(piece.rank))
                    && shadow.owed.is_none_or(|square| self.occupied[self.turn].contains(square))
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_whole
            && is_shadow_true
            && rebuilt.occupied == self.occupied
            && rebuilt.walkers == self.walkers
            && rebuilt.runners == self.runners
            && (self.occupied[Side::Red] & self.occupied[Side::Blue]).is_empty()
    }
}

/// Where a piece of a strike is afterwards: on its own square, on the other's, or nowhere.
fn square_after(struck: Struck, own: Square, other: Square) -> Option<Square> {
    match struck.fate {
        Fate::Stays => Some(own),
        Fate::Advances => Some(other),
        Fate::Leaves => None,
    }
}

/// Whether pieces of this rank ever move (§A5).
pub(crate) const fn is_movable(rank: Rank) -> bool {
    !matches!(rank, Rank::Flag | Rank::Bomb)
}

/// Whether pieces of this rank move any distance (§C2, §S2.2).
pub(crate) const fn is_runner(rank: Rank) -> bool {
    matches!(rank, Rank::Scout | Rank::Phoenix)
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
