//! Finds deployments that make a record possible.
//!
//! Every condition in a record is about one piece: it moves, so it is no Bomb; it moved far, so it
//! is a Scout; it was shown; it beat a Captain. So an army that meets all of them is an assignment
//! of ranks to home squares.

use flagfall_board::{Direction, PerSide, Rank, RankSet, Side, Square};
use flagfall_protocol::{GameEvent, GameRecord, SeenMove, SeenStrike, ViewChange};
use flagfall_rules::{Fate, Fill, Identity, Ruleset, strike_fates};

use super::knowledge::Knowledge;

/// The contents that a home square can have had: a rank, or nothing.
const KINDS: usize = Rank::COUNT + 1;
const NOTHING: usize = Rank::COUNT;

/// What a home square can have had, by its place in the deployment's text.
#[derive(Clone, Copy)]
struct Place {
    ranks: RankSet,
    may_be_empty: bool,
}

/// A piece on the board: its side, and its place in the deployment's text.
type Piece = (Side, usize);

struct Traces {
    ruleset: &'static Ruleset,
    is_hidden: PerSide<bool>,
    places: PerSide<Vec<Place>>,
    board: Vec<Option<Piece>>,
}

/// The text of each side's deployment: the known one, or one that fits.
///
/// # Errors
/// The index of the first event that no deployment makes possible together with the events before
/// it.
pub(super) fn fit(
    record: &GameRecord,
    ruleset: &'static Ruleset,
    knowledge: PerSide<Knowledge>,
) -> Result<PerSide<String>, usize> {
    let fit_until = |end: usize| {
        let mut traces = Traces::new(ruleset, knowledge);
        for told in record.events.iter().take(end) {
            let followed = match &told.event {
                GameEvent::Started { .. } => traces.stand(told.change.as_ref()),
                GameEvent::Moved(seen) => traces.follow(seen),
                _ => Some(()),
            };
            if followed.is_none() {
                // Something moved from an empty square. The replay reports that.
                break;
            }
        }
        let mut texts = PerSide::<String>::default();
        for side in Side::BOTH {
            texts[side] = match (knowledge[side], &record.deployments[side]) {
                (Knowledge::Opened, Some(opened)) => opened.setup.clone(),
                (Knowledge::Own, _) => record.own_setup().unwrap_or_default().to_owned(),
                (Knowledge::Shown | Knowledge::Opened, _) => traces.deployment(side)?,
            };
        }
        Some(texts)
    };
    let len = record.events.len();
    if let Some(texts) = fit_until(len) {
        return Ok(texts);
    }
    let ends: Vec<usize> = (0..=len).collect();
    Err(ends.partition_point(|end| fit_until(*end).is_some()).saturating_sub(1))
}

impl Traces {
    fn new(ruleset: &'static Ruleset, knowledge: PerSide<Knowledge>) -> Traces {
        let may_be_empty = ruleset.fill == Fill::AnyHomeSquares;
        let mut board = vec![None; Square::LIMIT];
        for side in Side::BOTH {
            for place in 0..ruleset.shape.home_len() {
                if let Some(square) = ruleset.shape.home_square(side, place) {
                    board[square.index()] = Some((side, place));
                }
            }
        }
        let place = Place { ranks: RankSet::ALL, may_be_empty };
        Traces {
            ruleset,
            is_hidden: PerSide::from_fn(|side| knowledge[side] == Knowledge::Shown),
            places: PerSide::from_fn(|_| vec![place; ruleset.shape.home_len()]),
            board,
        }
    }

    /// Notes the positions of pieces from the change of the start.
    fn stand(&mut self, change: Option<&ViewChange>) -> Option<()> {
        let Some(pieces) = change.and_then(|change| change.pieces.as_ref()) else { return Some(()) };
        for side in Side::BOTH {
            for place in 0..self.places[side].len() {
                let square = self.ruleset.shape.home_square(side, place)?;
                if pieces.iter().any(|piece| piece.square == square && piece.side == side) {
                    self.narrow((side, place), RankSet::ALL);
                } else {
                    self.clear(square);
                }
            }
        }
        Some(())
    }

    /// Notes what a ply shows. `None` if no piece can have made it.
    fn follow(&mut self, seen: &SeenMove) -> Option<()> {
        let (from, to) = (seen.squares.from, seen.squares.to);
        let (direction, distance) = Direction::between(from, to)?;
        let mover = self.board[from.index()].filter(|(side, _)| *side == seen.side)?;
        self.narrow(mover, if distance == 1 { RankSet::MOVABLE } else { RankSet::only(Rank::Scout) });
        self.narrow(mover, seen.piece.ranks());
        let mut square = from;
        for _ in 1..distance {
            square = square.neighbor(direction)?;
            self.clear(square);
        }
        self.board[from.index()] = None;
        let Some(strike) = &seen.strike else {
            self.clear(to);
            self.board[to.index()] = Some(mover);
            return Some(());
        };
        let struck = self.board[to.index()].take()?;
        self.note_strike(mover, struck, strike);
        for (piece, fate, own, other) in
            [(mover, strike.attacker_fate, from, to), (struck, strike.defender_fate, to, from)]
        {
            match fate {
                Fate::Stays => self.board[own.index()] = Some(piece),
                Fate::Advances => self.board[other.index()] = Some(piece),
                Fate::Leaves => {}
            }
        }
        Some(())
    }

    fn note_strike(&mut self, attacker: Piece, defender: Piece, strike: &SeenStrike) {
        self.narrow(defender, RankSet::ALL);
        self.narrow(attacker, strike.attacker.ranks());
        self.narrow(defender, strike.defender.ranks());
        let told = (strike.attacker_fate, strike.defender_fate);
        match (strike.attacker, strike.defender) {
            (Identity::Known(attacker), Identity::Hidden) => {
                let fits = |rank: &Rank| strike_fates(self.ruleset, attacker, *rank) == told;
                self.narrow(defender, Rank::ALL.into_iter().filter(fits).collect());
            }
            (Identity::Hidden, Identity::Known(defender)) => {
                let fits = |rank: &Rank| strike_fates(self.ruleset, *rank, defender) == told;
                self.narrow(attacker, Rank::ALL.into_iter().filter(fits).collect());
            }
            _ => {}
        }
    }

    /// Narrows a piece, which exists, to these ranks.
    fn narrow(&mut self, (side, place): Piece, ranks: RankSet) {
        if let Some(place) = self.places[side].get_mut(place) {
            place.ranks = place.ranks.intersection(ranks);
            place.may_be_empty = false;
        }
    }

    /// Notes that a square is empty because a piece crosses or enters it. If a piece must be there,
    /// the replay judges the move.
    fn clear(&mut self, square: Square) {
        if let Some((side, place)) = self.board[square.index()]
            && let Some(place) = self.places[side].get_mut(place)
            && place.may_be_empty
        {
            place.ranks = RankSet::EMPTY;
            self.board[square.index()] = None;
        }
    }

    /// A deployment of the side that fits.
    fn deployment(&self, side: Side) -> Option<String> {
        if !self.is_hidden[side] {
            return None;
        }
        let places = &self.places[side];
        let mut capacities = [0; KINDS];
        for (rank, count) in self.ruleset.army.iter() {
            capacities[rank as usize] = usize::from(count);
        }
        capacities[NOTHING] = places.len().saturating_sub(self.ruleset.army.len());
        let mut hands = Hands { places, capacities, taken: Default::default() };
        for place in 0..places.len() {
            if !hands.give(place, &mut [false; KINDS]) {
                return None;
            }
        }
        let mut letters = vec!['.'; places.len()];
        for rank in Rank::ALL {
            hands.taken[rank as usize].iter().for_each(|place| letters[*place] = rank.letter());
        }
        Some(letters.into_iter().collect())
    }
}

/// An assignment of ranks to places, by augmenting paths.
struct Hands<'a> {
    places: &'a [Place],
    capacities: [usize; KINDS],
    taken: [Vec<usize>; KINDS],
}

impl Hands<'_> {
    /// Gives the place a kind, and reassigns other places if needed. `tried` are the kinds that
    /// cannot help.
    fn give(&mut self, place: usize, tried: &mut [bool; KINDS]) -> bool {
        for kind in 0..KINDS {
            if tried[kind] || !self.may_bear(place, kind) {
                continue;
            }
            tried[kind] = true;
            if self.taken[kind].len() < self.capacities[kind] {
                self.taken[kind].push(place);
                return true;
            }
            for index in 0..self.taken[kind].len() {
                let holder = self.taken[kind][index];
                if self.give(holder, tried) {
                    self.taken[kind][index] = place;
                    return true;
                }
            }
        }
        false
    }

    fn may_bear(&self, place: usize, kind: usize) -> bool {
        let Place { ranks, may_be_empty } = self.places[place];
        match Rank::ALL.get(kind) {
            Some(rank) => ranks.contains(*rank),
            None => may_be_empty,
        }
    }
}
