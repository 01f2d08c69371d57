//! The memory that a house player keeps from turn to turn: what strikes have shown about hidden
//! pieces, which placements (arrangements of pieces) have occurred, and how long ago the last
//! capture was.

use flagfall_board::{PerSide, Ply, Rank, RankSet, Side, Square, SquareSet};
use flagfall_rules::{Fate, Identity, Move, View, strike_fates};

/// The maximum number of placements to remember. Without a maximum, the number could become very
/// large in rulesets that do not limit the plies without a capture.
const PLACEMENTS_MAX: usize = 512;

/// One side's memory of one game. It may start in the middle of a game. If views are missing, the
/// memory drops all facts that may have changed.
#[derive(Default)]
pub(crate) struct Memory {
    /// The ply of the latest view.
    ply: Option<Ply>,
    captured: PerSide<u32>,
    /// The number of the side's turns since the last capture. Turns that the memory has not seen
    /// are not counted.
    pub(crate) quiet_turns: u16,
    /// The hash of the placement after each of the side's moves since the last capture.
    placements: Vec<u64>,
    /// The side's last move. `None` if the side's last turn was not a move.
    last: Option<Move>,
    /// The number of consecutive moves that the same piece made before the last move.
    streak: u16,
    /// The side's latest move, if its result is not known yet.
    pending: Option<OwnMove>,
    /// In rulesets with a reserve, the enemy's home squares that have been empty at some time.
    /// The Flag cannot be on these squares, because it never moves (§S1.5).
    vacated: SquareSet,
    /// The hidden enemy pieces about which more is known than the view shows, each with its
    /// possible ranks.
    suspects: Vec<(Square, RankSet)>,
}

/// A move that the side is about to make.
#[derive(Clone, Copy)]
pub(crate) struct OwnMove {
    pub(crate) squares: Move,
    pub(crate) rank: Rank,
    pub(crate) is_strike: bool,
    /// The hash of the placement after the move, if the move captures nothing.
    pub(crate) placement: u64,
}

impl Memory {
    /// Updates the memory from a view of its side.
    pub(crate) fn note(&mut self, view: &View, side: Side) {
        if self.ply == Some(view.ply) {
            return;
        }
        let is_gapless = self.ply.is_some_and(|ply| view.ply > ply && view.ply - ply <= 2);
        if !is_gapless {
            *self = Memory { vacated: self.vacated, ..Memory::default() };
        }
        self.ply = Some(view.ply);
        self.note_vacated(view, side);
        self.note_strike(view, side);
        self.follow(view, side);
        let count = |side: Side| view.captured[side].iter().map(|(_, count)| u32::from(count)).sum();
        let captured = PerSide::from_fn(count);
        if captured != self.captured {
            self.captured = captured;
            self.quiet_turns = 0;
            self.placements.clear();
            self.streak = 0;
        }
    }

    fn note_vacated(&mut self, view: &View, side: Side) {
        if !view.ruleset.reserve {
            return;
        }
        let foes = view.pieces.iter().filter(|piece| piece.side != side).map(|piece| piece.square).collect();
        self.vacated |= view.ruleset.shape.home(side.opponent()).without(foes);
        // A chip on a square shows that a piece has moved there (§S2.3), so the square was empty
        // before.
        self.vacated |= view.chips.map_or(SquareSet::EMPTY, |chips| chips.all());
    }

    /// Learns from a lost strike: if the winning defender stays hidden, its rank is one that
    /// beats the side's attacker (§D1).
    fn note_strike(&mut self, view: &View, side: Side) {
        let Some(OwnMove { squares, rank, is_strike: true, placement: _ }) = self.pending.take() else {
            return;
        };
        let is_own_there = view.pieces.iter().any(|piece| piece.square == squares.to && piece.side == side);
        if is_own_there {
            return;
        }
        // If the defender advanced after the strike, it was on the attacker's former square when
        // the enemy moved, and otherwise on its own square.
        for square in [squares.to, squares.from] {
            let is_hidden = |at: Square| has_hidden_foe(view, side, at);
            let moved = view.last_move.filter(|last| last.side != side);
            let was_there = match moved {
                Some(last) if last.squares.from == square => is_hidden(last.squares.to),
                Some(last) if last.squares.to == square => false,
                Some(_) | None => is_hidden(square),
            };
            if was_there {
                let beats = |defender: &Rank| {
                    let (attacker, defender) = strike_fates(view.ruleset, rank, *defender);
                    attacker == Fate::Leaves && defender != Fate::Leaves
                };
                let winners: RankSet = Rank::ALL.into_iter().filter(beats).collect();
                let known = self.suspected(square).intersection(winners);
                self.suspects.retain(|(at, _)| *at != square);
                self.suspects.push((square, known));
                return;
            }
        }
    }

    /// Updates the squares of suspects that have moved, and removes suspects that are now known
    /// or captured.
    fn follow(&mut self, view: &View, side: Side) {
        if let Some(last) = view.last_move.filter(|last| last.side != side) {
            self.suspects.retain(|(at, _)| *at != last.squares.to);
            for (at, _) in &mut self.suspects {
                if *at == last.squares.from {
                    *at = last.squares.to;
                }
            }
        }
        self.suspects.retain(|(at, _)| has_hidden_foe(view, side, *at));
    }

    /// Returns the ranks that a hidden enemy piece can have, judging by past strikes and by the
    /// square.
    pub(crate) fn suspected(&self, square: Square) -> RankSet {
        let told =
            self.suspects.iter().find(|(at, _)| *at == square).map_or(RankSet::ALL, |(_, ranks)| *ranks);
        if self.vacated.contains(square) { told.without(RankSet::only(Rank::Flag)) } else { told }
    }

    /// Records that the side is about to move a piece between the board and its reserve.
    pub(crate) fn note_other_act(&mut self) {
        self.quiet_turns = self.quiet_turns.saturating_add(1);
        self.last = None;
        self.streak = 0;
    }

    /// Records a move that the side is about to make.
    pub(crate) fn note_move(&mut self, own_move: OwnMove) {
        let OwnMove { squares, rank: _, is_strike, placement } = own_move;
        self.quiet_turns = self.quiet_turns.saturating_add(1);
        let is_same_piece = self.last.is_some_and(|last| last.to == squares.from);
        self.streak = if is_same_piece { self.streak.saturating_add(1) } else { 0 };
        self.last = Some(squares);
        self.pending = Some(own_move);
        if !is_strike {
            if self.placements.len() == PLACEMENTS_MAX {
                self.placements.remove(0);
            }
            self.placements.push(placement);
        }
    }

    /// Returns the number of times that this placement has occurred since the last capture.
    pub(crate) fn visits(&self, placement: u64) -> usize {
        self.placements.iter().filter(|known| **known == placement).count()
    }

    /// True if a move reverses the side's last move.
    pub(crate) fn is_return(&self, squares: Move) -> bool {
        self.last == Some(Move { from: squares.to, to: squares.from })
    }

    /// Returns the number of moves in a row that the piece on this square has made.
    pub(crate) fn streak_of(&self, square: Square) -> u16 {
        if self.last.is_some_and(|last| last.to == square) { self.streak + 1 } else { 0 }
    }
}

/// True if a hidden enemy piece is on this square.
fn has_hidden_foe(view: &View, side: Side, at: Square) -> bool {
    let mut foes = view.pieces.iter().filter(|piece| piece.side != side);
    foes.any(|piece| piece.square == at && !matches!(piece.identity, Identity::Known(_)))
}

#[cfg(test)]
mod tests {
    use flagfall_board::{GameId, Stamp};
    use flagfall_rules::{
        Command, Entropy, Game, GameTerms, Position, TimeControl, Viewer, decide, evolve, view,
    };

    use super::*;

    /// A game that starts with Red's strike at d4, and a memory of Red's views.
    struct Remembered {
        game: Game,
        memory: Memory,
    }

    impl Remembered {
        fn new(ruleset: &str, rows_below: &str) -> Remembered {
            let above = "bF.9/.10/.10/.10/.2~2.2~2.2/.2~2.2~2.2";
            let text = format!("{ruleset} red 60 0 {above}/{rows_below}");
            let position = Position::from_text(&text).expect("a position");
            let game = Game::from_position(
                GameTerms {
                    game: GameId::from_random([0; 12]),
                    ruleset: position.ruleset(),
                    lakes: position.lakes(),
                    time: TimeControl::Unlimited,
                    deploy_ms: 0,
                    created: Stamp(0),
                    secret: PerSide::default(),
                },
                position,
            );
            Remembered { game, memory: Memory::default() }
        }

        fn ply(&mut self, text: &str) {
            let squares: Move = text.parse().expect("a move");
            let side = self.game.turn().expect("the game runs");
            if side == Side::Red {
                let view = self.view();
                self.memory.note(&view, Side::Red);
                let piece = view.pieces.iter().find(|piece| piece.square == squares.from);
                let Some(Identity::Known(rank)) = piece.map(|piece| piece.identity) else { panic!("{text}") };
                let is_strike = view.pieces.iter().any(|piece| piece.square == squares.to);
                self.memory.note_move(OwnMove { squares, rank, is_strike, placement: 7 });
            }
            let command = Command::Move(squares.into());
            let events = decide(&self.game, side, self.game.ply(), &command, Stamp(0), &Entropy([0; 32]));
            let events = events.unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
            events.iter().for_each(|event| evolve(&mut self.game, event, Stamp(0)));
        }

        fn view(&self) -> View {
            view(&self.game, Viewer::Player(Side::Red), Stamp(0))
        }

        fn suspected(&mut self, square: &str) -> RankSet {
            let view = self.view();
            self.memory.note(&view, Side::Red);
            self.memory.suspected(square.parse().expect("a square"))
        }
    }

    const STRIKE: &str = ".3b2'.6/.3r5'.6/.10/rF.8r9'";

    #[test]
    fn a_hidden_winner_is_stronger_than_what_it_beat_wherever_it_goes() {
        let mut game = Remembered::new("silent-defense", STRIKE);
        game.ply("d3d4");
        game.ply("d4e4");
        let suspected = game.suspected("e4");
        assert!(!suspected.contains(Rank::Captain) && !suspected.contains(Rank::Scout));
        assert!(suspected.contains(Rank::Major) && suspected.contains(Rank::General));
        assert!(suspected.contains(Rank::Bomb), "that it moved is told by the view");
        game.ply("j1j2");
        game.ply("e4e5");
        assert_eq!(game.suspected("e5"), suspected);
        assert_eq!(game.suspected("e4"), RankSet::ALL);
    }

    #[test]
    fn a_strike_that_shows_both_ranks_leaves_no_suspicion() {
        let mut game = Remembered::new("classic", STRIKE);
        game.ply("d3d4");
        game.ply("d4e4");
        assert_eq!(game.suspected("e4"), RankSet::ALL);
    }

    #[test]
    fn placements_and_quiet_turns_are_counted_since_the_last_capture() {
        let mut game = Remembered::new("classic", STRIKE);
        game.ply("j1j2");
        game.ply("d4e4");
        game.ply("j2j1");
        game.ply("e4d4");
        assert_eq!((game.memory.visits(7), game.memory.quiet_turns), (2, 2));
        assert!(game.memory.is_return("j1j2".parse().expect("a move")));
        assert_eq!(game.memory.streak_of("j1".parse().expect("a square")), 2);
        game.ply("d3d4");
        game.ply("d4e4");
        assert_eq!(game.suspected("e4"), RankSet::ALL);
        assert_eq!((game.memory.visits(7), game.memory.quiet_turns), (0, 0));
    }

    #[test]
    fn a_gap_makes_it_forget() {
        let mut game = Remembered::new("silent-defense", STRIKE);
        game.ply("d3d4");
        game.ply("d4e4");
        assert_ne!(game.suspected("e4"), RankSet::ALL);
        let mut later = game.view();
        later.ply += 10;
        game.memory.note(&later, Side::Red);
        assert_eq!(game.memory.suspected("e4".parse().expect("a square")), RankSet::ALL);
    }
}
