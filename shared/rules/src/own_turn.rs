//! Computes a viewer's legal actions, using only the viewer's view. The results agree with the
//! rules that the engine applies to the complete position.

use flagfall_board::{Rank, RankSet, Side, Square, SquareSet};
use flagfall_view::{Identity, Move, PendingStrike, Phase, SeenPiece, SeenReserve, Viewer};

use crate::moves::{Field, LegalCommands, LegalMoves, Reach, Way};
use crate::seen::View;
use crate::variants::{Coins, Lines, Reserve, flasher};

/// The rule that allows a piece to move to a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carrier {
    /// The plain move: one square, or any distance for a Scout or a Phoenix (§A5, §C2).
    Legs,
    /// The long move of a coin, which becomes a Scout from the pool (§Q3).
    Scout,
    /// The move along a line of chips that have the color of the chip under the piece (§S3.1).
    SupplyLine,
    /// The flash over chips. The chips on its path take the color of the chip under the piece
    /// (§S3.2).
    Flash,
}

/// A square to which a piece may move, or on which it may strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The square.
    pub square: Square,
    /// The rule that allows the move on the default path, which a piece takes if the command
    /// names no path (§S2.7).
    pub by: Carrier,
    /// The squares of the default path, including the target.
    pub path: SquareSet,
}

impl View {
    /// The viewer's legal moves. `None` if it is not the viewer's turn.
    pub fn legal_moves(&self) -> Option<LegalMoves> {
        let (_, own) = self.own_turn()?;
        Some(self.moves(&own))
    }

    /// The commands that the viewer may give on the board. `None` if the game is not waiting for
    /// the viewer.
    pub fn legal_commands(&self) -> Option<LegalCommands> {
        if let Some(strike) = &self.pending_strike {
            return self.choices(strike).map(LegalCommands::of_choices);
        }
        let (side, own) = self.own_turn()?;
        if self.owed_color.is_some() {
            return Some(LegalCommands::of_owed_color());
        }
        let reserve = self.reserve.as_ref().map(|reserves| {
            let SeenReserve { size: _, labeled, unlabeled } = reserves[side];
            Reserve { unlabeled: unlabeled.unwrap_or_default(), labeled }
        });
        let (moves, field) = (self.moves(&own), self.field(&own));
        Some(LegalCommands::new(self.ruleset, side, &field, moves, own.flag, reserve.as_ref()))
    }

    /// True if the last ply ended the game, as far as the viewer can see: a Flag was captured, a
    /// limit is reached, or the viewer cannot act on their turn (§A10, §A12). The end itself is
    /// the next event.
    pub fn is_end_next(&self) -> bool {
        let strike = self.last_move.as_ref().and_then(|seen| seen.strike);
        strike.is_some_and(|strike| strike.defender == Identity::Known(Rank::Flag))
            || self.plies_to_limit == Some(0)
            || self.legal_commands().is_none_or(|commands| commands.is_empty())
    }

    /// The squares to which the viewer's piece on `from` may move, with the rule and the path for
    /// each. Empty if it is not the viewer's turn.
    pub fn targets(&self, from: Square) -> Vec<Target> {
        let piece = self.pieces.iter().find(|piece| piece.square == from);
        let (Some((_, own)), Some(piece)) = (self.own_turn(), piece) else { return Vec::new() };
        let lines = self.chips.as_ref().and_then(|chips| Lines::of(chips, &own.flashers, self.ruleset));
        let carrier = |path: SquareSet| match piece.identity {
            _ if path.len() == 1 => Carrier::Legs,
            Identity::Coin => Carrier::Scout,
            Identity::Known(rank) if !rank.is_runner() => {
                match lines.as_ref().and_then(|lines| lines.carries(from, path, rank)) {
                    Some(true) => Carrier::Flash,
                    Some(false) => Carrier::SupplyLine,
                    None => Carrier::Legs,
                }
            }
            Identity::Known(_) | Identity::OneOf(_) | Identity::Hidden => Carrier::Legs,
        };
        let shape = &self.ruleset.shape;
        let moves = self.moves(&own);
        let mut paths: Vec<_> = moves
            .iter_ways()
            .filter(|(squares, _)| squares.from == from)
            .filter_map(|(squares, direction)| {
                Some((squares.to, shape.distance(from, squares.to, direction)?, direction))
            })
            .collect();
        // For each square, the shorter path comes first. If both paths are equally long, the path
        // toward higher rows or columns comes first.
        paths.sort_unstable_by_key(|(to, distance, direction)| (*to, *distance, direction.sign()));
        paths.dedup_by_key(|(to, _, _)| *to);
        let target = |(square, distance, direction)| {
            let path = Way { direction, distance, is_flash: false }.squares(shape, from);
            Target { square, by: carrier(path), path }
        };
        paths.into_iter().map(target).collect()
    }

    /// The ranks that the viewer may choose for their coin in a strike, beginning with the Flag.
    /// Empty if the viewer has no choice to make (§Q4).
    pub fn own_choices(&self) -> Vec<Rank> {
        let strike = self.pending_strike.as_ref();
        strike.and_then(|strike| self.choices(strike)).into_iter().flat_map(RankSet::iter).collect()
    }

    /// The ranks that the viewer may choose for their coin in this strike. `None` if the viewer
    /// has no choice to make (§Q4).
    fn choices(&self, strike: &PendingStrike) -> Option<RankSet> {
        let Viewer::Player(side) = self.audience else { return None };
        let PendingStrike { side: striker, squares: Move { from, to }, owes, own_choice } = *strike;
        let is_owed = owes[side] && own_choice.is_none() && self.phase == Phase::Playing;
        is_owed.then(|| self.own_coins(side).choices(if side == striker { from } else { to }))
    }

    fn own_coins(&self, side: Side) -> Coins {
        let is_own = |piece: &&SeenPiece| piece.side == side && piece.identity == Identity::Coin;
        let coins = || self.pieces.iter().filter(is_own);
        Coins {
            all: coins().map(|piece| piece.square).collect(),
            unmoved: coins().filter(|piece| !piece.is_moved).map(|piece| piece.square).collect(),
            pool: self.pools.map(|pools| pools[side]).unwrap_or_default(),
        }
    }

    /// The viewer's side and the board from the viewer's point of view. `None` if it is not the
    /// viewer's turn.
    fn own_turn(&self) -> Option<(Side, OwnTurn)> {
        let Viewer::Player(side) = self.audience else { return None };
        if self.turn != Some(side) {
            return None;
        }
        let open = self.ruleset.shape.squares().without(self.lakes);
        let mut turn = OwnTurn { open, ..OwnTurn::default() };
        for piece in &self.pieces {
            if piece.side == side {
                turn.note(piece.square, piece.identity);
            } else {
                turn.foes.insert(piece.square);
            }
        }
        if self.pools.is_some() {
            let coins = self.own_coins(side);
            let walkers = coins.walkers();
            turn.walkers |= walkers;
            turn.runners |= coins.runners(walkers);
        }
        Some((side, turn))
    }

    fn field<'a>(&'a self, turn: &'a OwnTurn) -> Field<'a> {
        Field {
            own: &turn.own,
            foes: &turn.foes,
            walkers: &turn.walkers,
            runners: &turn.runners,
            open: &turn.open,
            strikes_afar: self.ruleset.strikes_afar,
            reach: Reach::of(
                self.ruleset,
                self.chips.as_ref().and_then(|chips| Lines::of(chips, &turn.flashers, self.ruleset)),
            ),
        }
    }

    fn moves(&self, turn: &OwnTurn) -> LegalMoves {
        if self.owed_color.is_some() || self.pending_strike.is_some() {
            return LegalMoves::none(turn.own);
        }
        let mut moves = self.field(turn).moves();
        self.refused_moves.iter().for_each(|squares| moves.remove(*squares));
        moves
    }
}

/// The board from the point of view of the viewer whose turn it is.
#[derive(Default)]
struct OwnTurn {
    own: SquareSet,
    foes: SquareSet,
    walkers: SquareSet,
    runners: SquareSet,
    flashers: [SquareSet; 3],
    flag: Option<Square>,
    open: SquareSet,
}

impl OwnTurn {
    fn note(&mut self, square: Square, identity: Identity) {
        self.own.insert(square);
        let Identity::Known(rank) = identity else { return };
        if rank.is_movable() {
            self.walkers.insert(square);
        }
        if rank.is_runner() {
            self.runners.insert(square);
        }
        if let Some(index) = flasher(rank) {
            self.flashers[index].insert(square);
        }
        if rank == Rank::Flag {
            self.flag = Some(square);
        }
    }
}
