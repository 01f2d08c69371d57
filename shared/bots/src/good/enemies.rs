//! Follows the enemy's pieces through a game. For each piece, this module keeps the square on
//! which the piece was deployed, its possible ranks, and the ranks that the enemy's moves make
//! likely.

use std::cell::OnceCell;

use flagfall_board::{Chance, Ply, Rank, RankSet, Side, Square};
use flagfall_rules::{Move, SeenMove, SeenPiece, View};

use super::army::{Army, Clues};
use super::belief::{PerRank, any_of, matching, narrow};
use super::hindsight::Before;
use super::prior::Prior;
use super::reading::{Reading, Readings, Subject};
use crate::memory::Memory;
use crate::mind::counts_left;

/// An enemy piece, on the board or captured. Its index in the list identifies it for the whole
/// game.
#[derive(Clone)]
struct Enemy {
    /// The square of the piece. `None` if the piece was captured.
    square: Option<Square>,
    /// The square on which the piece was deployed, if known.
    origin: Option<Square>,
    possible: RankSet,
}

/// All enemy pieces, followed from view to view.
#[derive(Default)]
pub(super) struct Enemies {
    list: Vec<Enemy>,
    /// The ply of the last view. `pieces` and `captured` contain the pieces and the enemy's
    /// losses in that view.
    ply: Option<Ply>,
    pieces: Vec<SeenPiece>,
    captured: PerRank<u8>,
    /// The last move of our side, and the ply at which it was made.
    own_move: Option<(Ply, Move)>,
    /// What the enemy remembers of the game, reconstructed from our views.
    memory: Memory,
    readings: Readings,
    /// The probabilities of deployments, computed on first use.
    prior: OnceCell<Prior>,
    army: Army,
}

pub(super) struct Belief {
    squares: Vec<Option<Square>>,
    sets: Vec<RankSet>,
    /// For each piece, the probability of each rank. The probabilities of a piece add up to one.
    pub(super) chances: Vec<PerRank<f64>>,
    /// Armies that the enemy may have, each with a rank for every piece. There is at least one.
    pub(super) armies: Vec<Vec<Rank>>,
}

impl Belief {
    /// Returns the index of the piece on a square.
    pub(super) fn number(&self, square: Square) -> Option<usize> {
        self.squares.iter().position(|at| *at == Some(square))
    }

    /// Returns the rank of a piece, if only one rank is possible.
    pub(super) fn certain(&self, number: usize) -> Option<Rank> {
        self.sets[number].single()
    }
}

impl Enemies {
    /// Updates the list from a view. Showing the same view again changes nothing.
    pub(super) fn see(&mut self, view: &View, me: Side) {
        if self.ply == Some(view.ply) && self.pieces == view.pieces {
            return;
        }
        let last = view.last_move.filter(|last| last.side != me);
        let own = self.own_move_until(view, me);
        let is_next = self.ply.is_some_and(|ply| {
            ply <= view.ply && view.ply - ply == Ply::from(own.is_some()) + Ply::from(last.is_some())
        });
        match self.followed(view, me, own, last).filter(|_| is_next) {
            Some(list) => {
                if let Some(last) = last {
                    self.read(view, me, own, &last, &list);
                }
                self.list = list;
            }
            None => self.begin(view, me),
        }
        self.ply = Some(view.ply);
        self.pieces.clone_from(&view.pieces);
        self.captured = view.captured[me.opponent()].0;
        self.own_move = self.own_move.filter(|(ply, _)| *ply >= view.ply);
    }

    /// Discards everything and starts with the pieces of a view.
    fn begin(&mut self, view: &View, me: Side) {
        *self = Enemies { own_move: self.own_move, ..Enemies::default() };
        for piece in view.pieces.iter().filter(|piece| piece.side != me) {
            let origin = (!piece.is_moved).then_some(piece.square);
            let mut foe = Enemy { square: Some(piece.square), origin, possible: RankSet::ALL };
            foe.narrow(piece);
            self.list.push(foe);
        }
    }

    /// Returns every piece with its new square in the view. Returns `None` if a piece cannot be
    /// followed.
    fn followed(
        &self,
        view: &View,
        me: Side,
        own: Option<Move>,
        last: Option<SeenMove>,
    ) -> Option<Vec<Enemy>> {
        let mut list = self.list.clone();
        list.iter_mut().for_each(|foe| foe.square = None);
        for piece in view.pieces.iter().filter(|piece| piece.side != me) {
            let stood = stood(piece.square, own, last);
            let number = self.list.iter().position(|foe| foe.square == Some(stood))?;
            list[number].square = Some(piece.square);
            list[number].narrow(piece);
        }
        self.name_fallen(view, me, last, &mut list);
        Some(list)
    }

    /// Records the ranks of captured pieces, which are public. The last move contains the rank of
    /// a captured attacker. For any other captured piece, the rank is the one whose number of
    /// captured pieces has increased.
    fn name_fallen(&self, view: &View, me: Side, last: Option<SeenMove>, list: &mut [Enemy]) {
        let mut fallen = view.captured[me.opponent()];
        fallen.0.iter_mut().zip(self.captured).for_each(|(now, before)| *now = now.saturating_sub(before));
        let attacker = last.and_then(|last| Some((Some(last.squares.from), last.strike?.attacker.rank()?)));
        let is_attacker = |foe: &Enemy| attacker.is_some_and(|(from, _)| foe.square == from);
        let mut gone: Vec<usize> = (0..list.len())
            .filter(|number| list[*number].square.is_none() && self.list[*number].square.is_some())
            .collect();
        gone.sort_by_key(|number| !is_attacker(&self.list[*number]));
        for number in gone {
            let by_count = || Rank::ALL.into_iter().find(|rank| fallen[*rank] > 0);
            let shown = attacker.filter(|_| is_attacker(&self.list[number])).map(|(_, rank)| rank);
            if let Some(rank) = shown.or_else(by_count) {
                fallen[rank] = fallen[rank].saturating_sub(1);
                list[number].possible = RankSet::only(rank);
            }
        }
    }

    /// Adds to `readings` what the enemy's last move suggests about ranks, using everything that is
    /// known after the move.
    fn read(&mut self, view: &View, me: Side, own: Option<Move>, last: &SeenMove, now: &[Enemy]) {
        let enemy = me.opponent();
        let mut before = Before { pieces: &self.pieces, own }.rewind(view, me, last);
        self.memory.note(&before, enemy);
        let supposed = &self.army.ranks;
        if supposed.len() != now.len() {
            return;
        }
        let subject = |(foe, (was, rank)): (&Enemy, (&Enemy, &Rank))| {
            let square = match foe.square {
                Some(square) if square == last.squares.to => Some(last.squares.from),
                None if last.strike.is_some() && was.square == Some(last.squares.from) => {
                    Some(last.squares.from)
                }
                square => square,
            };
            let possible = foe.possible;
            Subject { square, possible, rank: possible.single().unwrap_or(*rank) }
        };
        let subjects: Vec<Subject> = now.iter().zip(self.list.iter().zip(supposed)).map(subject).collect();
        let made = last.squares;
        if let Some((reading, made)) = Reading::new(&mut before, enemy, &self.memory, &subjects, made) {
            self.readings.push(reading);
            self.memory.note_move(made);
        }
    }

    /// Records a move that our side is about to make.
    pub(super) fn note_own_move(&mut self, ply: Ply, squares: Move) {
        self.own_move = Some((ply, squares));
    }

    /// Returns the square on which the piece that is now on this square was deployed, if known.
    #[cfg(test)]
    pub(super) fn origin(&self, square: Square) -> Option<Square> {
        self.list.iter().find(|foe| foe.square == Some(square))?.origin
    }

    /// Returns the move that our side made between the previous view and this one.
    fn own_move_until(&self, view: &View, me: Side) -> Option<Move> {
        if let Some(last) = view.last_move.filter(|last| last.side == me) {
            return self.ply.filter(|ply| *ply < view.ply).map(|_| last.squares);
        }
        let (ply, squares) = self.own_move?;
        (self.ply == Some(ply) && view.ply == ply + 2).then_some(squares)
    }

    /// Returns the belief for the latest view. `memory` contains what strikes have shown about
    /// hidden pieces. `exchanges` is the number of rank exchanges to make when armies are drawn.
    pub(super) fn believe(
        &mut self,
        view: &View,
        me: Side,
        memory: &Memory,
        exchanges: usize,
        chance: &mut Chance,
    ) -> Belief {
        for foe in &mut self.list {
            let told = foe.square.map_or(RankSet::ALL, |square| memory.suspected(square));
            foe.possible = foe.possible.intersection(told);
        }
        let left = self.counts(view, me.opponent());
        let mut sets: Vec<RankSet> = self.list.iter().map(|foe| foe.possible).collect();
        let matching = matching(&sets, left);
        let is_whole = left.iter().map(|count| usize::from(*count)).sum::<usize>() == sets.len();
        if let Some(matching) = matching.as_ref().filter(|_| is_whole) {
            narrow(&mut sets, matching);
        }
        if !(is_whole && self.army.repair(&sets)) {
            let any = || sets.iter().map(|set| any_of(*set)).collect();
            self.army.begin(matching.unwrap_or_else(any));
        }
        let origins: Vec<Option<Square>> = self.list.iter().map(|foe| foe.origin).collect();
        let prior = || self.prior.get_or_init(|| Prior::new(view.ruleset, view.lakes, me.opponent()));
        let clues = Clues { sets: &sets, origins: &origins, prior: &prior };
        let (armies, chances) = self.army.draw(&clues, &mut self.readings, exchanges, chance);
        Belief { squares: self.list.iter().map(|foe| foe.square).collect(), sets, chances, armies }
    }

    /// Returns the number of pieces of each rank in the list.
    fn counts(&self, view: &View, enemy: Side) -> PerRank<u8> {
        let mut counts = counts_left(view, enemy);
        for foe in self.list.iter().filter(|foe| foe.square.is_none()) {
            if let Some(rank) = foe.possible.single() {
                counts[rank as usize] = counts[rank as usize].saturating_add(1);
            }
        }
        counts
    }
}

/// Returns the square of a piece in the previous view.
fn stood(square: Square, own: Option<Move>, last: Option<SeenMove>) -> Square {
    let came_from = match last {
        Some(last) if last.squares.to == square => last.squares.from,
        Some(_) | None => square,
    };
    match own {
        // In some rulesets, a defender that wins moves to the square from which its attacker
        // came.
        Some(squares) if squares.from == came_from => squares.to,
        Some(_) | None => came_from,
    }
}

impl Enemy {
    fn narrow(&mut self, piece: &SeenPiece) {
        let seen = piece.identity.ranks();
        self.possible = self.possible.intersection(seen);
        if piece.is_moved {
            self.possible = self.possible.intersection(RankSet::MOVABLE);
        }
        if self.possible.is_empty() {
            self.possible = seen;
        }
    }
}
