//! A game as one side follows it from moves and their outcomes alone, for programs that play by a
//! protocol without views.

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

/// A game of which the follower is told only moves and outcomes.
///
/// An enemy piece whose rank the follower does not know stands in the position with an arbitrary
/// rank. It can only be read through the view, which names no rank that was not shown. So the
/// engine itself keeps squares, marks, captures, limits and the repetition rules.
pub struct FoggedGame {
    game: Game,
    side: Side,
}

/// A move as the follower was told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ToldMove {
    /// The squares it goes from and to.
    pub squares: Move,
    /// What came of the strike, if it was one.
    pub strike: Option<ToldStrike>,
}

/// A strike as the follower was told of it.
///
/// A rank is missing if the ruleset does not disclose it to the follower (§D1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ToldStrike {
    /// Who left the board.
    pub outcome: StrikeOutcome,
    /// The piece that moved.
    pub attacker: Option<Rank>,
    /// The piece that was struck.
    pub defender: Option<Rank>,
}

/// Who left the board in a strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrikeOutcome {
    /// The piece that was struck.
    DefenderLeft,
    /// The piece that moved.
    AttackerLeft,
    /// Both.
    BothLeft,
}

/// Why a told move cannot have happened in the game as followed so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misheard {
    /// Games of this ruleset cannot be followed, because it has other plies than moves and strikes,
    /// or winners that advance unseen.
    #[error(
        "a game with a reserve, chips, coins or hidden winners that advance cannot be told as moves and their outcomes"
    )]
    Ruleset,
    /// No game of the ruleset has these lakes.
    #[error("the lakes are not where this ruleset has them")]
    Lakes,
    /// A piece on a square where none can stand at the start.
    #[error("{0}: no piece can stand there at the start")]
    Start(Square),
    /// The side to move has no piece on that square.
    #[error("{0}: the side to move has no piece there")]
    NoPiece(Square),
    /// The squares are not in one line, or a piece that moves one square moved several.
    #[error("{0}: that piece cannot move so")]
    Way(Move),
    /// A strike on an empty square or one's own piece, or a plain move onto a piece.
    #[error("{0}: the strike that was told does not fit who stands there")]
    Strike(Square),
    /// The piece is known to have another rank, or its rank is needed and missing.
    #[error("{0}: the rank that was told is not that piece's")]
    Rank(Square),
    /// A strike between those ranks does not end this way in this ruleset.
    #[error("{0}: by this ruleset the strike of those ranks ends otherwise")]
    Outcome(Square),
}

impl StrikeOutcome {
    /// The outcome of these fates; none if both pieces stay on the board.
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
    /// What a side sees on a board with these lakes before any deployment, without a deadline.
    pub fn before(ruleset: &'static Ruleset, lakes: SquareSet, side: Side) -> View {
        let game = Game::new(GameTerms { lakes, ..GameTerms::untimed(ruleset) });
        let mut view = view(&game, Viewer::Player(side), Stamp::default());
        view.deploy_deadline = None;
        view
    }

    /// A game at its start, Red to move, as seen by the side that has these pieces.
    ///
    /// `foes` are the squares of the other side.
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
        // Of a hidden defender that wins, the outcome does not tell whether it is a Bomb, which
        // stays, or a piece that advances (§D1, §O1).
        let hides_ways = ruleset.winner_advances && ruleset.disclosure == Disclosure::SilentDefense;
        if ruleset.reserve || ruleset.start == Start::Coins || hides_ways {
            return Err(Misheard::Ruleset);
        }
        if !ruleset.allows_lakes(lakes) {
            return Err(Misheard::Lakes);
        }
        let mut position = Position::empty(ruleset, lakes);
        // Any rank will do. Every army has a Flag.
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

    /// Follows a move of the side to move.
    ///
    /// # Errors
    /// [`Misheard`] if it cannot have happened. The game is unchanged then.
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

    /// The rules the game is played by.
    pub fn ruleset(&self) -> &'static Ruleset {
        self.game.terms().ruleset
    }

    /// What the follower knows: the engine's view for that side, without commitments and clocks,
    /// which the follower is not told.
    pub fn view(&self) -> View {
        let mut view = view(&self.game, Viewer::Player(self.side), Stamp::default());
        view.ready = PerSide::new(true, true);
        view
    }

    /// Whether the piece's rank is hidden from the follower.
    fn is_hidden(&self, piece: Piece) -> bool {
        piece.side != self.side && !piece.is_revealed
    }

    /// The strike as the engine resolves it, as far as the follower can know it.
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
            // Any rank that wins and stays hidden stands in: no winner of these rulesets advances.
            None => ruleset
                .army
                .iter()
                .map(|(rank, _)| strike::resolve(ruleset, attacker, rank))
                .find(|strike| !strike.defender.shown && outcome(strike) == Some(told.outcome)),
        };
        strike.filter(|strike| outcome(strike) == Some(told.outcome)).ok_or(Misheard::Outcome(squares.to))
    }

    /// The rank of a piece in a strike: the one that is known already, or the one that was told.
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
