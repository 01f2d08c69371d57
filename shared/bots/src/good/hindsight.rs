//! Reconstructs the view that the enemy had before its last move, using only our side's views.

use flagfall_board::{Side, Square};
use flagfall_rules::{Fate, Identity, Move, SeenMove, SeenPiece, SeenStrike, View, Viewer};

/// The state at our previous turn, and our move in that turn.
pub(super) struct Before<'a> {
    /// The pieces in the view of our previous turn.
    pub(super) pieces: &'a [SeenPiece],
    /// The move that our side made in its previous turn.
    pub(super) own: Option<Move>,
}

impl Before<'_> {
    /// Returns the view that the enemy had before its last move, but with the ranks of the
    /// enemy's own pieces hidden.
    pub(super) fn rewind(&self, view: &View, me: Side, last: &SeenMove) -> View {
        let enemy = me.opponent();
        let mut before = view.clone();
        before.pieces.retain(|piece| piece.square != last.squares.to && piece.square != last.squares.from);
        let attacker = self.at(last.squares.from, enemy);
        before.pieces.push(SeenPiece {
            square: last.squares.from,
            side: enemy,
            identity: Identity::Hidden,
            is_moved: attacker.is_none_or(|piece| piece.is_moved),
            is_revealed: attacker.is_some_and(|piece| piece.is_revealed),
            is_labeled: false,
        });
        if let Some(strike) = last.strike {
            before.pieces.push(self.defender(last.squares.to, me, &strike));
            take_back(&mut before, enemy, &strike);
        }
        before.pieces.sort_by_key(|piece| piece.square);
        for piece in before.pieces.iter_mut().filter(|piece| piece.side == enemy || !piece.is_revealed) {
            piece.identity = Identity::Hidden;
        }
        before.audience = Viewer::Player(enemy);
        before.turn = Some(enemy);
        before.ply = view.ply.saturating_sub(1);
        before.plies_to_limit = view.plies_to_limit.filter(|_| last.strike.is_none()).map(|left| left + 1);
        before.refused_moves = Vec::new();
        before.more_squares = None;
        before.last_move = self.own.map(|squares| SeenMove {
            side: me,
            squares,
            piece: Identity::Hidden,
            strike: None,
            laid: None,
        });
        before
    }

    /// Returns the enemy piece that was on this square after our move. The piece is returned as it
    /// was in the view of our previous turn, in which it may be on another square.
    fn at(&self, square: Square, enemy: Side) -> Option<&SeenPiece> {
        let find = |at: Square| self.pieces.iter().find(|piece| piece.square == at && piece.side == enemy);
        find(square).or_else(|| {
            // In some rulesets, a defender that wins moves to the square from which its attacker
            // came.
            self.own.filter(|own| own.from == square).and_then(|own| find(own.to))
        })
    }

    fn defender(&self, square: Square, me: Side, strike: &SeenStrike) -> SeenPiece {
        let find = |at: Square| self.pieces.iter().find(|piece| piece.square == at);
        let came = self.own.filter(|own| own.to == square);
        let has_struck = came.is_some_and(|own| find(own.to).is_some());
        let was = find(came.map_or(square, |own| own.from));
        SeenPiece {
            square,
            side: me,
            identity: strike.defender,
            is_moved: came.is_some() || was.is_none_or(|piece| piece.is_moved),
            is_revealed: has_struck || was.is_some_and(|piece| piece.is_revealed),
            is_labeled: false,
        }
    }
}

/// Subtracts the losses of a strike from the counts of captured pieces.
fn take_back(view: &mut View, enemy: Side, strike: &SeenStrike) {
    let fallen = [
        (strike.attacker_fate, enemy, strike.attacker),
        (strike.defender_fate, enemy.opponent(), strike.defender),
    ];
    for (fate, side, identity) in fallen {
        if let (Fate::Leaves, Identity::Known(rank)) = (fate, identity) {
            let count = &mut view.captured[side][rank];
            *count = count.saturating_sub(1);
        }
    }
}
