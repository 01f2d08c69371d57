//! Finds ranks that make a record possible, in games with a reserve (§S1.4).
//!
//! A piece is followed from when it comes onto the board until it returns to the reserve, where it
//! mixes with the others. Everything that the record shows of it narrows its rank. Then every piece
//! gets a rank, so that no side ever has more of one than its army: the most constrained piece
//! first, each the rank of which most are left. This finds ranks for real games. If it fails, they
//! are reported as unknown.

use flagfall_board::{PerSide, Rank, RankSet, Side, Square};
use flagfall_protocol::{Fate, GameEvent, GameRecord, RecordKind, SeenMove, ViewChange};
use flagfall_rules::{Identity, Ruleset};

use super::knowledge::Knowledge;

/// Ranks for everything that a record hides.
pub(super) struct Fitted {
    pub(super) setups: PerSide<String>,
    /// The ranks of pieces that came hidden from a reserve, by index of the event.
    pub(super) placed: Vec<Option<Rank>>,
}

/// Why there are none.
pub(super) enum NotFitted {
    /// There can be none, because this event contradicts those before it.
    Impossible(usize),
    /// None were found.
    Unknown,
}

/// A piece while it is on the board, captured, or labeled in the reserve.
struct Life {
    side: Side,
    ranks: RankSet,
    is_labeled: bool,
    origin: Origin,
    /// The indices of the events with which it came and returned to the reserve.
    born: usize,
    gone: usize,
    /// The last event that showed something of it.
    narrowed: usize,
}

#[derive(Clone, Copy)]
enum Origin {
    /// A place in the deployment's text.
    Home(usize),
    /// The index of the event that placed it.
    Reserve(usize),
}

struct Lives<'a> {
    ruleset: &'a Ruleset,
    all: Vec<Life>,
    board: Vec<Option<usize>>,
    /// Labeled pieces in the reserve. They are visible, so each stays the same piece.
    labeled: Vec<usize>,
}

/// Ranks that fit.
pub(super) fn fit(
    record: &GameRecord,
    ruleset: &Ruleset,
    knowledge: PerSide<Knowledge>,
) -> Result<Fitted, NotFitted> {
    let mut lives = Lives::new(ruleset);
    let is_live = record.kind == Some(RecordKind::Live);
    for side in Side::BOTH {
        // A live record hides pieces from a reserve even if the end opened the deployment.
        if let Some(opened) = record.deployments[side].as_ref().filter(|_| is_live) {
            lives.deploy(side, &opened.setup);
        }
    }
    for (index, told) in record.events.iter().enumerate() {
        // Something happened on an empty square. The replay reports that.
        if lives.follow(index, &told.event).is_none() {
            break;
        }
        if matches!(told.event, GameEvent::Ended { .. }) {
            lives.reveal(index, told.change.as_ref());
        }
    }
    let mut fitted = Fitted { setups: PerSide::default(), placed: vec![None; record.events.len()] };
    for side in Side::BOTH {
        match (knowledge[side], &record.deployments[side]) {
            (Knowledge::Opened, Some(opened)) => {
                if is_live {
                    lives.assign(side, &mut fitted)?;
                }
                fitted.setups[side] = opened.setup.clone();
            }
            (Knowledge::Own, _) => fitted.setups[side] = record.own_setup().unwrap_or_default().to_owned(),
            (Knowledge::Shown | Knowledge::Opened, _) => lives.assign(side, &mut fitted)?,
        }
    }
    Ok(fitted)
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
        let is_labeled = false;
        self.all.push(Life { side, ranks, is_labeled, origin, born, gone: usize::MAX, narrowed: born });
    }

    /// Notes an open deployment.
    fn deploy(&mut self, side: Side, setup: &str) {
        for (place, letter) in setup.chars().enumerate() {
            let square = self.ruleset.shape.home_square(side, place);
            let life = square.and_then(|square| self.board[square.index()]);
            if let (Some(life), Some(rank)) = (life, Rank::from_letter(letter)) {
                self.narrow(life, RankSet::only(rank), 0);
            }
        }
    }

    /// Notes the ranks on the board that the end opened.
    fn reveal(&mut self, index: usize, change: Option<&ViewChange>) {
        for piece in change.and_then(|change| change.pieces.as_ref()).into_iter().flatten() {
            if let Some(life) = self.board[piece.square.index()] {
                self.narrow(life, piece.identity.ranks(), index);
            }
        }
    }

    fn narrow(&mut self, life: usize, ranks: RankSet, index: usize) {
        let life = &mut self.all[life];
        let ranks = life.ranks.intersection(ranks);
        if ranks != life.ranks {
            (life.ranks, life.narrowed) = (ranks, index);
        }
    }

    /// Notes what an event shows. `None` if no piece can have done it.
    fn follow(&mut self, index: usize, event: &GameEvent) -> Option<()> {
        match event {
            GameEvent::Moved(seen) => self.follow_move(index, seen),
            GameEvent::Removed { side, square } => {
                let life = self.board[square.index()].take().filter(|life| self.all[*life].side == *side)?;
                self.narrow(life, RankSet::ALL.without(RankSet::only(Rank::Flag)), index);
                if self.all[life].is_labeled {
                    self.labeled.push(life);
                } else {
                    self.all[life].gone = index;
                }
                Some(())
            }
            GameEvent::Placed(seen) if seen.labeled => {
                let is_it = |life: &usize| {
                    let Life { side, ranks, .. } = &self.all[*life];
                    *side == seen.side && ranks.single().map(Identity::Known) == Some(seen.piece)
                };
                let place = self.labeled.iter().position(is_it)?;
                self.board[seen.square.index()] = Some(self.labeled.swap_remove(place));
                Some(())
            }
            GameEvent::Placed(seen) => {
                let ranks = match seen.piece {
                    Identity::Known(rank) => RankSet::only(rank),
                    _ => RankSet::ALL.without(RankSet::only(Rank::Flag)),
                };
                self.put(seen.square, seen.side, ranks, Origin::Reserve(index), index);
                Some(())
            }
            _ => Some(()),
        }
    }

    fn follow_move(&mut self, index: usize, seen: &SeenMove) -> Option<()> {
        let (from, to) = (seen.squares.from, seen.squares.to);
        let mover = self.board[from.index()].take().filter(|life| self.all[*life].side == seen.side)?;
        self.narrow(mover, RankSet::MOVABLE, index);
        self.narrow(mover, seen.piece.ranks(), index);
        let Some(strike) = &seen.strike else {
            self.board[to.index()] = Some(mover);
            return Some(());
        };
        let struck = self.board[to.index()].take()?;
        self.narrow(mover, strike.attacker.ranks(), index);
        self.narrow(struck, strike.defender.ranks(), index);
        let is_runner = strike.attacker.rank().is_some_and(Rank::is_runner);
        if self.ruleset.labels && is_runner && strike.defender_fate != Fate::Leaves {
            self.all[struck].is_labeled = true;
        }
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

    /// Gives each of a side's pieces a rank.
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
                // Fully known pieces come first. If one of them does not fit, there is one too
                // many.
                None if ranks.len() <= 1 => return Err(NotFitted::Impossible(life.narrowed)),
                None => return Err(NotFitted::Unknown),
            }
        }
        fitted.setups[side] = letters.into_iter().collect();
        Ok(())
    }
}

/// How many of each rank are left, at each moment at which a piece came.
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

    /// Takes a piece of one of these ranks for its whole life.
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
