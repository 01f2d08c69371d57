//! A game that one side follows from reports of moves and strikes. It is meant for programs whose
//! protocol has no views.

use flagfall_board::{Direction, PerSide, Rank, RankSet, Side, Square, SquareSet, Stamp};
use flagfall_view::{Fate, Move, Viewer};

use crate::event::{Event, EventKind, Moved, Strike};
use crate::evolve::evolve;
use crate::game::{Game, GameTerms};
use crate::piece::Piece;
use crate::position::Position;
use crate::redact::view;
use crate::ruleset::{Disclosure, Ruleset, Start};
use crate::seen::View;
use crate::strike;

/// A game that one side, the follower, knows only from reports of moves and strikes.
///
/// The type contains a complete position, so that the engine can keep track of squares, captures,
/// limits and repetitions. Enemy pieces of unknown rank have a placeholder rank there. The
/// follower never sees this rank, because only the view is public.
pub struct FoggedGame {
    game: Game,
    side: Side,
}

/// A move as it is reported to the follower.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ToldMove {
    /// The starting square and the target square.
    pub squares: Move,
    /// The strike, if the piece struck another piece.
    pub strike: Option<ToldStrike>,
}

/// A strike as it is reported to the follower.
///
/// A rank is `None` if the ruleset hides it from the follower (§D1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ToldStrike {
    /// The pieces that left the board.
    pub outcome: StrikeOutcome,
    /// The rank of the piece that moved.
    pub attacker: Option<Rank>,
    /// The rank of the piece that was struck.
    pub defender: Option<Rank>,
}

/// The pieces that left the board in a strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrikeOutcome {
    /// Only the piece that was struck.
    DefenderLeft,
    /// Only the piece that struck.
    AttackerLeft,
    /// Both pieces.
    BothLeft,
}

/// Why a report does not fit the game so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misheard {
    /// Games of this ruleset cannot be followed from reports. Either it has plies other than
    /// moves and strikes, or reports do not show whether a hidden defender that wins moves to the
    /// attacker's square.
    #[error(
        "a game with a reserve, chips, coins or hidden winners that advance cannot be told as moves and their outcomes"
    )]
    Ruleset,
    /// No game of the ruleset has these lakes.
    #[error("the lakes are not where this ruleset has them")]
    Lakes,
    /// A piece stands on a square where no piece can stand at the start.
    #[error("{0}: there can be no piece on this square at the start")]
    Start(Square),
    /// The side to move has no piece on that square.
    #[error("{0}: the side to move has no piece on this square")]
    NoPiece(Square),
    /// No piece can move like this: the squares are not in one line, or a piece that can move
    /// only one square moved farther.
    #[error("{0}: this piece cannot move like that")]
    Way(Move),
    /// The report is a strike on an empty square or on one of the side's own pieces, or it is a
    /// plain move to an occupied square.
    #[error("{0}: the reported strike does not match the pieces on the squares")]
    Strike(Square),
    /// The piece is known to have another rank, or its rank is needed but missing.
    #[error("{0}: the piece does not have the reported rank")]
    Rank(Square),
    /// A strike between those ranks does not end this way in this ruleset.
    #[error("{0}: in this ruleset, a strike of these ranks ends differently")]
    Outcome(Square),
}

impl StrikeOutcome {
    /// The outcome for these fates of the two pieces. `None` if both pieces stay on the board.
    pub const fn of(attacker: Fate, defender: Fate) -> Option<StrikeOutcome> {
        match (attacker, defender) {
            (Fate::Leaves, Fate::Leaves) => Some(StrikeOutcome::BothLeft),
            (Fate::Leaves, Fate::Stays | Fate::Advances) => Some(StrikeOutcome::AttackerLeft),
            (Fate::Stays | Fate::Advances, Fate::Leaves) => Some(StrikeOutcome::DefenderLeft),
            (Fate::Stays | Fate::Advances, Fate::Stays | Fate::Advances) => None,
        }
    }
}

impl FoggedGame {
    /// Returns the view of a side before any deployment, on a board with these lakes and without
    /// a deadline.
    pub fn before(ruleset: &'static Ruleset, lakes: SquareSet, side: Side) -> View {
        let game = Game::new(GameTerms { lakes, ..GameTerms::untimed(ruleset) });
        let mut view = view(&game, Viewer::Player(side), Stamp::default());
        view.deploy_deadline = None;
        view
    }

    /// Creates a game at its start, with Red to move. The follower is the side that has the
    /// pieces in `own`.
    ///
    /// `foes` is the set of squares on which the other side's pieces stand.
    ///
    /// # Errors
    /// [`Misheard`] if no game of the ruleset can start like this.
    pub fn begin(
        ruleset: &'static Ruleset,
        side: Side,
        lakes: SquareSet,
        own: &[(Square, Rank)],
        foes: SquareSet,
    ) -> Result<FoggedGame, Misheard> {
        // If a defender wins and stays hidden, the report does not show whether it is a Bomb,
        // which stays, or another piece, which moves to the attacker's square (§D1, §O1).
        let hides_ways = ruleset.winner_advances && ruleset.disclosure == Disclosure::SilentDefense;
        if ruleset.reserve || ruleset.start == Start::Coins || hides_ways {
            return Err(Misheard::Ruleset);
        }
        if !ruleset.allows_lakes(lakes) {
            return Err(Misheard::Lakes);
        }
        let mut position = Position::empty(ruleset, lakes);
        // Every enemy piece gets the Flag as its placeholder rank, because every army has a Flag.
        let foes = foes.iter().map(|square| (square, side.opponent(), Rank::Flag));
        let own = own.iter().map(|(square, rank)| (*square, side, *rank));
        for (square, whose, rank) in own.chain(foes) {
            let is_home = ruleset.shape.home(whose).contains(square);
            if !is_home || !position.add(square, whose, Some(rank), false, false) {
                return Err(Misheard::Start(square));
            }
        }
        Ok(FoggedGame { game: Game::from_position(GameTerms::untimed(ruleset), position), side })
    }

    /// Applies a reported move of the side to move.
    ///
    /// # Errors
    /// [`Misheard`] if the move is impossible. In this case, the game does not change.
    pub fn hear(&mut self, told: &ToldMove) -> Result<(), Misheard> {
        let ToldMove { squares: Move { from, to }, strike } = *told;
        let position = self.game.position();
        let side = position.turn();
        let attacker = position.piece(from).filter(|piece| piece.side == side);
        let attacker = attacker.ok_or(Misheard::NoPiece(from))?;
        let strike = match (position.piece(to), strike) {
            (None, None) => None,
            (Some(defender), Some(strike)) if defender.side != side => {
                Some(self.strike(told.squares, attacker, defender, &strike)?)
            }
            (Some(_), Some(_) | None) | (None, Some(_)) => return Err(Misheard::Strike(to)),
        };
        let way = Misheard::Way(told.squares);
        let (_, distance) = Direction::between(from, to).ok_or(way)?;
        let no_rank = Misheard::Rank(from);
        let mut rank = strike.map(|strike| strike.attacker.rank).or(attacker.rank).ok_or(no_rank)?;
        if distance > 1 && strike.is_none() && self.is_hidden(attacker) {
            // Only a Scout moves more than one square (§C2).
            rank = Rank::Scout;
        }
        if distance > 1 && !rank.is_runner() {
            return Err(way);
        }
        let proves = if distance > 1 { RankSet::only(rank) } else { RankSet::ALL };
        self.game.position.learn(from, rank);
        if let Some(strike) = strike {
            self.game.position.learn(to, strike.defender.rank);
        }
        let moved = EventKind::Moved(Moved { side, from, to, proves, strike, laid: None });
        evolve(&mut self.game, &Event(moved), Stamp::default());
        Ok(())
    }

    /// The rules of the game.
    pub fn ruleset(&self) -> &'static Ruleset {
        self.game.terms().ruleset
    }

    /// Returns the view of the follower's side, without commitments and clocks.
    pub fn view(&self) -> View {
        let mut view = view(&self.game, Viewer::Player(self.side), Stamp::default());
        view.ready = PerSide::new(true, true);
        view
    }

    fn is_hidden(&self, piece: Piece) -> bool {
        piece.side != self.side && !piece.is_revealed
    }

    /// Resolves a strike with the engine's rules, using the ranks that the follower knows.
    fn strike(
        &self,
        squares: Move,
        attacker: Piece,
        defender: Piece,
        told: &ToldStrike,
    ) -> Result<Strike, Misheard> {
        let ruleset = self.game.position().ruleset();
        let outcome = |strike: &Strike| StrikeOutcome::of(strike.attacker.fate, strike.defender.fate);
        let attacker = self.rank(squares.from, attacker, told.attacker)?;
        let attacker = attacker.ok_or(Misheard::Rank(squares.from))?;
        let strike = match self.rank(squares.to, defender, told.defender)? {
            Some(defender) => Some(strike::resolve(ruleset, attacker, defender)),
            // Use any rank that stays hidden and leads to this outcome. It does not matter which
            // one, because a hidden winner never moves in these rulesets.
            None => ruleset
                .army
                .iter()
                .map(|(rank, _)| strike::resolve(ruleset, attacker, rank))
                .find(|strike| !strike.defender.shown && outcome(strike) == Some(told.outcome)),
        };
        strike.filter(|strike| outcome(strike) == Some(told.outcome)).ok_or(Misheard::Outcome(squares.to))
    }

    /// Returns the rank of a piece in a strike: the rank that the follower already knows, or else
    /// the reported rank.
    fn rank(&self, square: Square, piece: Piece, told: Option<Rank>) -> Result<Option<Rank>, Misheard> {
        match told {
            told if self.is_hidden(piece) => Ok(told),
            Some(told) if Some(told) != piece.rank => Err(Misheard::Rank(square)),
            Some(_) | None => Ok(piece.rank),
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_view::Identity;

    use super::*;
    use crate::rulesets::{BARRAGE, CLASSIC};

    fn square(text: &str) -> Square {
        text.parse().expect("a square")
    }

    fn followed() -> FoggedGame {
        let own = [("a4", Rank::Miner), ("b4", Rank::Scout), ("a1", Rank::Flag)];
        let own = own.map(|(at, rank)| (square(at), rank));
        let foes = ["a7", "b7", "e7"].into_iter().map(square).collect();
        FoggedGame::begin(&BARRAGE, Side::Red, BARRAGE.shape.lakes, &own, foes).expect("a start")
    }

    fn step(text: &str) -> ToldMove {
        ToldMove { squares: text.parse().expect("a move"), strike: None }
    }

    fn struck(
        text: &str,
        outcome: StrikeOutcome,
        attacker: Option<Rank>,
        defender: Option<Rank>,
    ) -> ToldMove {
        ToldMove { strike: Some(ToldStrike { outcome, attacker, defender }), ..step(text) }
    }

    fn identity(game: &FoggedGame, at: &str) -> Identity {
        let seen = game.view().seen.pieces.into_iter().find(|piece| piece.square == square(at));
        seen.expect("a piece").identity
    }

    #[test]
    fn only_reported_ranks_are_known() {
        use StrikeOutcome::{AttackerLeft, DefenderLeft};
        let mut game = followed();
        assert_eq!(identity(&game, "a7"), Identity::Hidden);
        for told in [
            struck("b4b7", DefenderLeft, Some(Rank::Scout), Some(Rank::Spy)),
            step("e7e5"),
            step("a4a5"),
            step("a7a6"),
            struck("a5a6", AttackerLeft, Some(Rank::Miner), Some(Rank::General)),
        ] {
            game.hear(&told).expect("a move that can be");
        }
        assert_eq!(identity(&game, "e5"), Identity::Known(Rank::Scout));
        assert_eq!(identity(&game, "a6"), Identity::Known(Rank::General));
        let view = game.view();
        assert_eq!(view.captured[Side::Blue][Rank::Spy], 1);
        assert_eq!(view.captured[Side::Red][Rank::Miner], 1);
        assert_eq!((view.ply, view.turn, view.ready), (5, Some(Side::Blue), PerSide::new(true, true)));
    }

    #[test]
    fn an_impossible_event_is_refused_and_changes_nothing() {
        use StrikeOutcome::{AttackerLeft, BothLeft, DefenderLeft};
        let (scout, miner, spy) = (Some(Rank::Scout), Some(Rank::Miner), Some(Rank::Spy));
        let mut game = followed();
        let before = game.view();
        let at = square;
        for (told, error) in [
            (step("c4c5"), Misheard::NoPiece(at("c4"))),
            (step("a7a6"), Misheard::NoPiece(at("a7"))),
            (step("b4b7"), Misheard::Strike(at("b7"))),
            (struck("b4b6", DefenderLeft, scout, spy), Misheard::Strike(at("b6"))),
            (struck("b4a4", DefenderLeft, scout, miner), Misheard::Strike(at("a4"))),
            (struck("b4b7", DefenderLeft, miner, spy), Misheard::Rank(at("b4"))),
            (struck("b4b7", BothLeft, scout, spy), Misheard::Outcome(at("b7"))),
            (struck("b4b7", AttackerLeft, scout, None), Misheard::Outcome(at("b7"))),
            (step("a4a6"), Misheard::Way("a4a6".parse().expect("a move"))),
            (step("b4c5"), Misheard::Way("b4c5".parse().expect("a move"))),
        ] {
            assert_eq!(game.hear(&told), Err(error));
            assert_eq!(game.view(), before);
        }
        let begin = |lakes, own: &[(Square, Rank)], foes| {
            FoggedGame::begin(&CLASSIC, Side::Blue, lakes, own, foes).err()
        };
        let silent_original = Ruleset::parse("original,disclosure=silent").expect("a custom ruleset");
        let advancing =
            FoggedGame::begin(silent_original, Side::Red, CLASSIC.shape.lakes, &[], SquareSet::EMPTY);
        assert_eq!(advancing.err(), Some(Misheard::Ruleset));
        let lakes = CLASSIC.shape.lakes;
        let too_few = lakes.without(SquareSet::only(at("c5")));
        assert_eq!(begin(too_few, &[], SquareSet::EMPTY), Some(Misheard::Lakes));
        let own = [(at("a4"), Rank::Spy)];
        assert_eq!(begin(lakes, &own, SquareSet::EMPTY), Some(Misheard::Start(at("a4"))));
        let foes = SquareSet::only(at("e5"));
        assert_eq!(begin(lakes, &[], foes), Some(Misheard::Start(at("e5"))));
    }
}
