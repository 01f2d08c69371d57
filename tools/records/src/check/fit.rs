//! Finds ranks for hidden pieces that are consistent with everything in a record.
//!
//! The search follows each piece from the time when it comes onto the board until it returns to
//! the reserve (§S1.4). In the reserve, it cannot be told apart from other pieces. Each event
//! limits the possible ranks of a piece. For example, a piece that moves is not a Bomb, and a
//! piece that moves far is a Scout. An event may also show the rank of a piece, or show that the
//! piece beats a Captain.
//!
//! Without a reserve, the search assigns ranks to home squares. It finds an assignment whenever
//! one exists. With a reserve, it assigns a rank to every piece, so that a side never has more
//! pieces of a rank on the board than in its army. It starts with the pieces that have the fewest
//! possible ranks. Of its possible ranks, each piece gets the one with the most pieces still
//! available. This succeeds for real games. If it fails, the ranks are reported as unknown.

use flagfall_board::{Direction, PerSide, Rank, RankSet, Side, Square};
use flagfall_protocol::{
    Fate, GameEvent, GameRecord, RecordKind, RecordedEvent, SeenMove, SeenStrike, ViewChange,
};
use flagfall_rules::{Fill, Identity, Ruleset, strike_fates};

use super::knowledge::Knowledge;

/// Fitting ranks for all pieces whose ranks the record hides.
pub(super) struct Fitted {
    /// The text of each side's deployment.
    pub(super) setups: PerSide<String>,
    /// For each event, the rank of the piece that the event placed face down from a reserve.
    /// `None` for all other events.
    pub(super) placed: Vec<Option<Rank>>,
}

/// Why no fitting ranks were found.
pub(super) enum NotFitted {
    /// No ranks can fit, because this event contradicts earlier events.
    Impossible(usize),
    /// The search failed, but fitting ranks may exist.
    Unknown,
}

/// Returns all ranks: the known ones, and fitting ranks for the hidden pieces.
pub(super) fn fit(
    record: &GameRecord,
    ruleset: &Ruleset,
    knowledge: PerSide<Knowledge>,
) -> Result<Fitted, NotFitted> {
    let fit_until = |end: usize| fit_until(record, ruleset, knowledge, end);
    let len = record.events.len();
    match fit_until(len) {
        Err(NotFitted::Impossible(_)) if !ruleset.reserve => {
            let ends: Vec<usize> = (0..=len).collect();
            let possible = ends.partition_point(|end| fit_until(*end).is_ok());
            Err(NotFitted::Impossible(possible.saturating_sub(1)))
        }
        fitted => fitted,
    }
}

/// Like [`fit`], but uses only the first `end` events of the record.
fn fit_until(
    record: &GameRecord,
    ruleset: &Ruleset,
    knowledge: PerSide<Knowledge>,
    end: usize,
) -> Result<Fitted, NotFitted> {
    let mut lives = Lives::new(ruleset);
    // A live record never shows the pieces in a reserve, even if the deployment was opened at the
    // end of the game.
    let is_reserve_hidden = ruleset.reserve && record.kind == Some(RecordKind::Live);
    for side in Side::BOTH {
        if let Some(opened) = record.deployments[side].as_ref().filter(|_| is_reserve_hidden) {
            lives.deploy(side, &opened.setup);
        }
    }
    for (index, told) in record.events.iter().enumerate().take(end) {
        // No piece can have caused this event, so stop. The replay will report the error.
        if lives.follow(index, told).is_none() {
            break;
        }
    }
    let mut fitted = Fitted { setups: PerSide::default(), placed: vec![None; record.events.len()] };
    for side in Side::BOTH {
        match (knowledge[side], &record.deployments[side]) {
            (Knowledge::Opened, Some(opened)) => {
                if is_reserve_hidden {
                    lives.assign(side, &mut fitted)?;
                }
                fitted.setups[side] = opened.setup.clone();
            }
            (Knowledge::Own, _) => fitted.setups[side] = record.own_setup().unwrap_or_default().to_owned(),
            (Knowledge::Shown | Knowledge::Opened, _) if ruleset.reserve => {
                lives.assign(side, &mut fitted)?;
            }
            (Knowledge::Shown | Knowledge::Opened, _) => {
                fitted.setups[side] = lives.deployment(side).ok_or(NotFitted::Impossible(0))?;
            }
        }
    }
    Ok(fitted)
}

/// The facts known about a piece during one stay on the board. Captured pieces are included, and
/// so are labeled pieces in the reserve. If home squares may stay empty, it is not certain that
/// the piece exists.
struct Life {
    side: Side,
    ranks: RankSet,
    may_be_empty: bool,
    is_labeled: bool,
    origin: Origin,
    /// The indices of the events that brought the piece onto the board and back into the reserve.
    born: usize,
    gone: usize,
    /// The index of the last event that limited the possible ranks of the piece.
    narrowed: usize,
}

#[derive(Clone, Copy)]
enum Origin {
    /// The position of the piece's letter in the deployment text.
    Home(usize),
    /// The index of the event that placed the piece.
    Reserve(usize),
}

struct Lives<'a> {
    ruleset: &'a Ruleset,
    all: Vec<Life>,
    board: Vec<Option<usize>>,
    /// The labeled pieces in the reserve. Their identity is kept, because all players see them.
    labeled: Vec<usize>,
}

impl Lives<'_> {
    fn new(ruleset: &Ruleset) -> Lives<'_> {
        let mut lives =
            Lives { ruleset, all: Vec::new(), board: vec![None; Square::LIMIT], labeled: Vec::new() };
        for side in Side::BOTH {
            for place in 0..ruleset.shape.home_len() {
                if let Some(square) = ruleset.shape.home_square(side, place) {
                    lives.put(square, side, RankSet::ALL, Origin::Home(place), 0);
                }
            }
        }
        lives
    }

    fn put(&mut self, square: Square, side: Side, ranks: RankSet, origin: Origin, born: usize) {
        self.board[square.index()] = Some(self.all.len());
        let is_home = matches!(origin, Origin::Home(_));
        let may_be_empty = is_home && self.ruleset.fill == Fill::AnyHomeSquares;
        let (is_labeled, gone) = (false, usize::MAX);
        self.all.push(Life { side, ranks, may_be_empty, is_labeled, origin, born, gone, narrowed: born });
    }

    /// Limits each piece of a side to its rank in the side's opened deployment.
    fn deploy(&mut self, side: Side, setup: &str) {
        for (place, letter) in setup.chars().enumerate() {
            let square = self.ruleset.shape.home_square(side, place);
            let life = square.and_then(|square| self.board[square.index()]);
            if let (Some(life), Some(rank)) = (life, Rank::from_letter(letter)) {
                self.narrow(life, RankSet::only(rank), 0);
            }
        }
    }

    /// Removes the pieces from home squares that are empty at the start. The change of the start
    /// event shows the square of every piece.
    fn stand(&mut self, index: usize, change: Option<&ViewChange>) {
        let Some(pieces) = change.and_then(|change| change.pieces.as_ref()) else { return };
        for square in (0..Square::LIMIT).filter_map(Square::from_index) {
            let Some(life) = self.board[square.index()] else { continue };
            let side = self.all[life].side;
            if pieces.iter().any(|piece| piece.square == square && piece.side == side) {
                self.narrow(life, RankSet::ALL, index);
            } else {
                self.clear(square);
            }
        }
    }

    /// Limits the pieces on the board to the ranks that were opened at the end of the game.
    fn reveal(&mut self, index: usize, change: Option<&ViewChange>) {
        for piece in change.and_then(|change| change.pieces.as_ref()).into_iter().flatten() {
            if let Some(life) = self.board[piece.square.index()] {
                self.narrow(life, piece.identity.ranks(), index);
            }
        }
    }

    /// Limits a piece to these ranks. The event also proves that the piece exists.
    fn narrow(&mut self, life: usize, ranks: RankSet, index: usize) {
        let life = &mut self.all[life];
        life.may_be_empty = false;
        let ranks = life.ranks.intersection(ranks);
        if ranks != life.ranks {
            (life.ranks, life.narrowed) = (ranks, index);
        }
    }

    /// Notes that a square is empty, because a move crosses or reaches it. If there is certainly
    /// a piece on the square, the replay later reports the move as false.
    fn clear(&mut self, square: Square) {
        let place = &mut self.board[square.index()];
        if let Some(life) = place.filter(|life| self.all[*life].may_be_empty) {
            self.all[life].ranks = RankSet::EMPTY;
            *place = None;
        }
    }

    /// Applies the facts that an event shows. Returns `None` if no piece can have caused the
    /// event.
    fn follow(&mut self, index: usize, told: &RecordedEvent) -> Option<()> {
        match &told.event {
            GameEvent::Moved(seen) => return self.follow_move(index, seen),
            GameEvent::Started { .. } => self.stand(index, told.change.as_ref()),
            _ if !self.ruleset.reserve => {}
            GameEvent::Ended { .. } => self.reveal(index, told.change.as_ref()),
            GameEvent::Removed { side, square } => {
                let life = self.board[square.index()].take().filter(|life| self.all[*life].side == *side)?;
                self.narrow(life, RankSet::ALL.without(RankSet::only(Rank::Flag)), index);
                if self.all[life].is_labeled {
                    self.labeled.push(life);
                } else {
                    self.all[life].gone = index;
                }
            }
            GameEvent::Placed(seen) if seen.labeled => {
                let is_it = |life: &usize| {
                    let Life { side, ranks, .. } = &self.all[*life];
                    *side == seen.side && ranks.single().map(Identity::Known) == Some(seen.piece)
                };
                let place = self.labeled.iter().position(is_it)?;
                self.board[seen.square.index()] = Some(self.labeled.swap_remove(place));
            }
            GameEvent::Placed(seen) => {
                let ranks = match seen.piece {
                    Identity::Known(rank) => RankSet::only(rank),
                    _ => RankSet::ALL.without(RankSet::only(Rank::Flag)),
                };
                self.put(seen.square, seen.side, ranks, Origin::Reserve(index), index);
            }
            _ => {}
        }
        Some(())
    }

    fn follow_move(&mut self, index: usize, seen: &SeenMove) -> Option<()> {
        let (from, to) = (seen.squares.from, seen.squares.to);
        let mover = self.board[from.index()].filter(|life| self.all[*life].side == seen.side)?;
        if !self.ruleset.reserve {
            self.cross(index, mover, seen)?;
        }
        self.narrow(mover, RankSet::MOVABLE, index);
        self.narrow(mover, seen.piece.ranks(), index);
        self.board[from.index()] = None;
        let Some(strike) = &seen.strike else {
            self.clear(to);
            self.board[to.index()] = Some(mover);
            return Some(());
        };
        let struck = self.board[to.index()].take()?;
        self.note_strike(index, mover, struck, strike);
        for (life, fate, own, other) in
            [(mover, strike.attacker_fate, from, to), (struck, strike.defender_fate, to, from)]
        {
            match fate {
                Fate::Stays => self.board[own.index()] = Some(life),
                Fate::Advances => self.board[other.index()] = Some(life),
                Fate::Leaves => {}
            }
        }
        Some(())
    }

    /// Limits a piece that moves more than one square to Scouts, and treats the crossed squares
    /// as empty. With a reserve, chips also let other ranks move far (§S3.3).
    fn cross(&mut self, index: usize, mover: usize, seen: &SeenMove) -> Option<()> {
        let (direction, distance) = Direction::between(seen.squares.from, seen.squares.to)?;
        if distance > 1 {
            self.narrow(mover, RankSet::only(Rank::Scout), index);
        }
        let mut square = seen.squares.from;
        for _ in 1..distance {
            square = square.neighbor(direction)?;
            self.clear(square);
        }
        Some(())
    }

    fn note_strike(&mut self, index: usize, mover: usize, struck: usize, strike: &SeenStrike) {
        self.narrow(mover, strike.attacker.ranks(), index);
        self.narrow(struck, strike.defender.ranks(), index);
        let ruleset = self.ruleset;
        let told = (strike.attacker_fate, strike.defender_fate);
        match (strike.attacker, strike.defender) {
            (Identity::Known(attacker), Identity::Hidden) => {
                let fits = |rank: &Rank| strike_fates(ruleset, attacker, *rank) == told;
                self.narrow(struck, Rank::ALL.into_iter().filter(fits).collect(), index);
            }
            (Identity::Hidden, Identity::Known(defender)) => {
                let fits = |rank: &Rank| strike_fates(ruleset, *rank, defender) == told;
                self.narrow(mover, Rank::ALL.into_iter().filter(fits).collect(), index);
            }
            _ => {}
        }
        let is_runner = strike.attacker.rank().is_some_and(Rank::is_runner);
        if ruleset.labels && is_runner && strike.defender_fate != Fate::Leaves {
            self.all[struck].is_labeled = true;
        }
    }

    /// Returns a fitting deployment of the side, in a game without a reserve.
    fn deployment(&self, side: Side) -> Option<String> {
        let places: Vec<&Life> = self.all.iter().filter(|life| life.side == side).collect();
        let mut capacities = [0; KINDS];
        for (rank, count) in self.ruleset.army.iter() {
            capacities[rank as usize] = usize::from(count);
        }
        capacities[NOTHING] = places.len().saturating_sub(self.ruleset.army.len());
        let mut letters = vec!['.'; places.len()];
        let mut hands = Hands { places, capacities, taken: Default::default() };
        if !(0..letters.len()).all(|place| hands.give(place, &mut [false; KINDS])) {
            return None;
        }
        for rank in Rank::ALL {
            hands.taken[rank as usize].iter().for_each(|place| letters[*place] = rank.letter());
        }
        Some(letters.into_iter().collect())
    }

    /// Assigns a rank to each of a side's pieces, in a game with a reserve.
    fn assign(&self, side: Side, fitted: &mut Fitted) -> Result<(), NotFitted> {
        let mut lives: Vec<&Life> = self.all.iter().filter(|life| life.side == side).collect();
        if let Some(life) = lives.iter().find(|life| life.ranks.is_empty()) {
            return Err(NotFitted::Impossible(life.narrowed));
        }
        let flag = lives
            .iter()
            .position(|life| life.ranks.single() == Some(Rank::Flag))
            .or_else(|| lives.iter().rposition(|life| life.ranks.contains(Rank::Flag)));
        let last = lives.iter().map(|life| life.narrowed).max().unwrap_or_default();
        let flag = flag.ok_or(NotFitted::Impossible(last))?;
        let flag = lives.swap_remove(flag);
        let mut stock = Stock::new(self.ruleset, &lives);
        let mut letters = vec!['.'; self.ruleset.shape.home_len()];
        let mut bear = |life: &Life, rank: Rank| match life.origin {
            Origin::Home(place) => letters[place] = rank.letter(),
            Origin::Reserve(index) => fitted.placed[index] = Some(rank),
        };
        bear(flag, Rank::Flag);
        lives.sort_by_key(|life| (life.ranks.len(), life.narrowed));
        for life in lives {
            let ranks = life.ranks.without(RankSet::only(Rank::Flag));
            match stock.take(ranks, life) {
                Some(rank) => bear(life, rank),
                // Pieces with only one possible rank come first. If one of them gets no rank, the
                // record contains too many pieces of that rank.
                None if ranks.len() <= 1 => return Err(NotFitted::Impossible(life.narrowed)),
                None => return Err(NotFitted::Unknown),
            }
        }
        fitted.setups[side] = letters.into_iter().collect();
        Ok(())
    }
}

/// The number of available pieces of each rank, for each time at which a piece came onto the
/// board.
struct Stock {
    moments: Vec<usize>,
    left: Vec<[u8; Rank::COUNT]>,
}

impl Stock {
    fn new(ruleset: &Ruleset, lives: &[&Life]) -> Stock {
        let mut moments: Vec<usize> = lives.iter().map(|life| life.born).collect();
        moments.sort_unstable();
        moments.dedup();
        let left = vec![Rank::ALL.map(|rank| ruleset.army.count(rank)); moments.len()];
        Stock { moments, left }
    }

    /// Reserves one of these ranks for a piece, for its whole stay on the board.
    fn take(&mut self, ranks: RankSet, life: &Life) -> Option<Rank> {
        let first = self.moments.partition_point(|moment| *moment < life.born);
        let end = self.moments.partition_point(|moment| *moment < life.gone);
        let lived = self.left.get_mut(first..end)?;
        let least = |rank: &Rank| lived.iter().map(|left| left[*rank as usize]).min().unwrap_or_default();
        let rank = ranks.iter().max_by_key(least).filter(|rank| least(rank) > 0)?;
        lived.iter_mut().for_each(|left| left[rank as usize] -= 1);
        Some(rank)
    }
}

/// The number of possible contents of a home square: each rank, or no piece.
const KINDS: usize = Rank::COUNT + 1;
const NOTHING: usize = Rank::COUNT;

/// An assignment of ranks to home squares, computed with augmenting paths.
struct Hands<'a> {
    places: Vec<&'a Life>,
    capacities: [usize; KINDS],
    taken: [Vec<usize>; KINDS],
}

impl Hands<'_> {
    /// Assigns contents to a home square, and reassigns other squares if needed. Returns false if
    /// this is impossible. `tried` marks the contents that this search has already tried.
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
        let life = self.places[place];
        Rank::ALL.get(kind).map_or(life.may_be_empty, |rank| life.ranks.contains(*rank))
    }
}
