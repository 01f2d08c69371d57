//! The level *simple*. It scores every legal move and the enemy's reply to that move, using only
//! the facts that its side knows. It also moves toward possible gains.

mod attraction;
mod belief;
mod board;
mod danger;
mod exchange;
#[cfg(test)]
pub(crate) mod tests;
mod worth;

use flagfall_board::{Chance, Rank, Side, Square, SquareSet};
use flagfall_rules::{Command, Fate, Move, Ruleset, View, strike_fates};

use self::attraction::{Pulls, attraction};
pub(crate) use self::belief::Enemy;
use self::belief::foes;
use self::board::{Board, Cell, Own, neighbors, steps};
use self::danger::{Worths, danger};
use self::worth::{FLAG, worths};
use crate::memory::{Memory, OwnMove};
use crate::mind::{Best, Mind};

/// The number of turns without a capture after which the player begins to take more risks.
const PATIENCE: f32 = 12.0;
/// The number of further turns without a capture until the player takes the highest risk.
const IMPATIENCE: f32 = 40.0;
/// The weight of losses when the player takes the highest risk.
const BOLDNESS: f32 = 0.3;
/// The maximum attraction of a target. It prevents a distant Flag from outweighing gains nearby.
const PULL_MAX: f32 = 8.0;
/// The cost of repeating a placement (an arrangement of all pieces), for each earlier time that
/// it occurred.
const REPEATED: f32 = 0.5;
/// The cost of reversing the last move.
const RETURNED: f32 = 0.2;
/// The cost of moving the same piece again, for each of its moves in a row beyond the first few.
const TIRED: f32 = 0.03;
/// The value of keeping a rank secret, as a share of the rank's value, while the enemy has its
/// whole army.
const SECRECY: f32 = 0.14;
/// The strength of the enemy's army at which a secret rank has half of its full value.
const SECRECY_HALVED: f32 = 15.0;
/// The random noise that is added to scores. If two moves differ by less than this, either may be
/// chosen.
const WHIM: f32 = 0.04;

/// The mind of the level *simple* in one game.
pub(crate) struct SimpleMind {
    side: Side,
    memory: Memory,
}

impl SimpleMind {
    pub(crate) fn new(side: Side) -> SimpleMind {
        SimpleMind { side, memory: Memory::default() }
    }
}

impl Mind for SimpleMind {
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        self.memory.note(view, self.side);
        let mut turn = Turn::new(view, self.side, &self.memory);
        let command = if view.ruleset.reserve {
            turn.best_command(view, chance)?
        } else {
            let mut best = Best::new(chance, WHIM);
            view.legal_moves()?.iter().for_each(|squares| best.try_out(turn.score(squares), squares));
            best.choice()?.into()
        };
        let own_move = if let Command::Move(asked) = &command { turn.own_move(asked.squares) } else { None };
        match own_move {
            Some(own_move) => self.memory.note_move(own_move),
            None => self.memory.note_other_act(),
        }
        Some(command)
    }

    fn watch(&mut self, view: &View) {
        self.memory.note(view, self.side);
    }
}

/// One turn: the facts that the player knows, and the scores of moves.
pub(crate) struct Turn<'a> {
    side: Side,
    ruleset: &'static Ruleset,
    memory: &'a Memory,
    foes: Vec<Enemy>,
    board: Board,
    worths: Worths,
    /// The amount of risk that the player takes. It is 0 at first and grows to 1 if no piece is
    /// captured for a long time.
    boldness: f32,
    /// The value of exchanging pieces of equal value, as a share of that value. It is higher for
    /// the side that is ahead.
    trade: f32,
    /// For each rank, the attractions of all squares, computed on first use.
    attractions: [Option<Pulls>; Rank::COUNT],
    /// The value of keeping a rank secret, as a share of the rank's value.
    secrecy: f32,
    placement: u64,
    /// True if the side's ranks are only assumptions. In this case, the hash of a placement does
    /// not depend on the ranks.
    is_supposed: bool,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(view: &View, side: Side, memory: &'a Memory) -> Turn<'a> {
        Turn::believing(view, side, memory, foes(view, side, |square| memory.suspected(square)))
    }

    /// Like [`Turn::new`], but with the given belief about the enemy's pieces.
    pub(crate) fn believing(view: &View, side: Side, memory: &'a Memory, foes: Vec<Enemy>) -> Turn<'a> {
        let board = Board::new(view, side, &foes);
        let worths = Worths { own: worths(view, side), foe: worths(view, side.opponent()) };
        let waited = f32::from(memory.quiet_turns) - PATIENCE;
        let boldness =
            if view.plies_to_limit.is_some() { 1.0 } else { (waited / IMPATIENCE).clamp(0.0, 1.0) };
        let mine: f32 =
            board.own.iter().filter_map(|at| board.own_at(at)).map(|own| force(own.rank, &worths.own)).sum();
        let theirs: f32 =
            foes.iter().flat_map(Enemy::ranks).map(|(rank, chance)| chance * force(rank, &worths.foe)).sum();
        let trade = 0.4 * ((mine - theirs) / (mine + theirs + 1.0)).max(0.0);
        let mut turn = Turn {
            side,
            ruleset: view.ruleset,
            memory,
            foes,
            board,
            worths,
            boldness,
            trade,
            attractions: Default::default(),
            secrecy: SECRECY * theirs / (theirs + SECRECY_HALVED),
            placement: 0,
            is_supposed: false,
        };
        turn.placement = turn.placed();
        turn
    }

    /// Creates a turn of the enemy. The enemy's ranks are only assumptions, and its Flag may be
    /// anywhere.
    pub(crate) fn supposed(view: &View, side: Side, memory: &'a Memory) -> Turn<'a> {
        let mut turn = Turn::new(view, side, memory);
        turn.is_supposed = true;
        turn.board.flag = None;
        turn.placement = turn.placed();
        turn
    }

    /// Returns the hash of the current placement.
    fn placed(&self) -> u64 {
        let all = self.board.own | self.board.foes;
        all.iter().fold(0, |number, square| number ^ self.key(square, square))
    }

    /// Changes the assumed rank of one of the side's own pieces.
    pub(crate) fn suppose(&mut self, square: Square, rank: Rank) {
        if let Some(own) = self.board.own_at(square) {
            self.board.put(square, Cell::Own(Own { rank, ..own }));
        }
    }

    /// Returns the weight of losses, as a factor.
    fn fear(&self) -> f32 {
        1.0 - (1.0 - BOLDNESS) * self.boldness
    }

    /// Returns the score of making no move, for comparison with the scores of moves.
    pub(crate) fn rest(&self) -> f32 {
        -self.fear() * danger(self.ruleset, &self.board, &self.foes, &self.worths)
    }

    /// Returns the score of a move, on a scale on which a Scout is worth about 1.
    pub(crate) fn score(&mut self, squares: Move) -> f32 {
        let Some(own) = self.board.own_at(squares.from) else { return 0.0 };
        let fear = self.fear();
        let tired = TIRED * f32::from(self.memory.streak_of(squares.from).saturating_sub(4).min(20));
        if let Some(foe) = self.board.foe_at(&self.foes, squares.to).copied() {
            let survives = self.chance_of(own, &foe, |(attacker, _)| attacker != Fate::Leaves);
            // If the strike captures nothing, both pieces stay on their squares (§S2.2).
            let after = if strike_fates(self.ruleset, own.rank, Rank::Marshal).0 == Fate::Stays {
                self.board.clone()
            } else {
                self.board.after_arrival(squares, true)
            };
            let arrived = danger(self.ruleset, &after, &self.foes, &self.worths);
            let lost = danger(self.ruleset, &self.board.after_loss(squares.from), &self.foes, &self.worths);
            return self.gain(own, &foe) - fear * (survives * arrived + (1.0 - survives) * lost);
        }
        // A long move normally reveals a Scout. Chips also let other pieces move far, and such a
        // move does not reveal the rank (§S3.3).
        let is_long =
            own.rank.is_runner() && !neighbors(&self.board, squares.from).any(|next| next == squares.to);
        let after = self.board.after_arrival(squares, is_long);
        let shown =
            if is_long && !own.is_revealed { self.secrecy * self.worths.own[own.rank as usize] } else { 0.0 };
        let repeated = REPEATED * self.memory.visits(self.placement_after(squares)) as f32;
        let returned = if self.memory.is_return(squares) { RETURNED } else { 0.0 };
        let left = if own.is_moved { 0.0 } else { 0.02 };
        self.pull(own.rank, squares.to)
            - self.pull(own.rank, squares.from)
            - fear * danger(self.ruleset, &after, &self.foes, &self.worths)
            - shown
            - repeated
            - returned
            - left
            - tired
    }

    /// Returns the probability that `is_such` is true for the fates of the two pieces in a strike:
    /// the attacker's and the defender's.
    fn chance_of(&self, own: Own, foe: &Enemy, is_such: impl Fn((Fate, Fate)) -> bool) -> f32 {
        foe.ranks()
            .filter(|(rank, _)| is_such(strike_fates(self.ruleset, own.rank, *rank)))
            .map(|(_, chance)| chance)
            .sum()
    }

    /// Returns the expected gain of a strike, minus its expected cost.
    fn gain(&self, own: Own, foe: &Enemy) -> f32 {
        let fear = self.fear();
        let mine = self.worths.own[own.rank as usize];
        let mut gain = 0.0;
        for (rank, chance) in foe.ranks() {
            let (attacker, defender) = strike_fates(self.ruleset, own.rank, rank);
            let theirs =
                if rank == Rank::Bomb { self.bomb_worth(foe.square) } else { self.worths.foe[rank as usize] };
            // Striking the Flag wins the game, even for a piece whose other strikes capture
            // nothing (§S2.2).
            let won = if defender == Fate::Leaves || rank == Rank::Flag { theirs } else { 0.0 };
            let paid = if attacker == Fate::Leaves { mine } else { 0.0 };
            let traded = if won > 0.0 && paid > 0.0 { self.trade * theirs } else { 0.0 };
            let learned = if foe.known.is_none() && won == 0.0 {
                (self.secrecy + 0.1 * self.boldness) * theirs
            } else {
                0.0
            };
            let told =
                if paid == 0.0 && !own.is_revealed && rank != Rank::Flag { self.secrecy * mine } else { 0.0 };
            gain += chance * (won + traded + learned - fear * (paid + told));
        }
        if foe.known.is_none() { gain + self.boldness } else { gain }
    }

    /// Returns the value of a Bomb, which is higher if the Flag may be behind it.
    fn bomb_worth(&self, square: Square) -> f32 {
        let behind: f32 = neighbors(&self.board, square)
            .filter_map(|next| self.board.foe_at(&self.foes, next))
            .map(|foe| foe.chances[Rank::Flag as usize])
            .sum();
        self.worths.foe[Rank::Bomb as usize] + 0.4 * FLAG * behind
    }

    /// Returns how strongly a square attracts a rank.
    fn pull(&mut self, rank: Rank, square: Square) -> f32 {
        let place = rank as usize;
        if self.attractions[place].is_none() {
            self.attractions[place] = Some(self.attraction(rank));
        }
        self.attractions[place].as_ref().map_or(0.0, |pulls| pulls[square.index()])
    }

    /// Computes the attractions of all squares for a rank.
    fn attraction(&self, rank: Rank) -> Pulls {
        let own = Own { rank, is_moved: true, is_revealed: false };
        let targets: Vec<(Square, f32)> = self
            .foes
            .iter()
            .map(|foe| (foe.square, (self.gain(own, foe) + self.urgency(own, foe)).min(PULL_MAX)))
            .filter(|(_, gain)| *gain > 0.0)
            .collect();
        let feared: SquareSet = self
            .foes
            .iter()
            .filter(|foe| is_feared(self.ruleset, foe, rank))
            .flat_map(|foe| neighbors(&self.board, foe.square))
            .collect();
        attraction(&self.board, &targets, feared)
    }

    /// Returns the value of attacking an enemy piece that is near the side's Flag.
    fn urgency(&self, own: Own, foe: &Enemy) -> f32 {
        let Some(flag) = self.board.flag else { return 0.0 };
        let steps = steps(&self.board, flag, foe.square);
        if steps > 4 || foe.movable_chance() < 0.5 {
            return 0.0;
        }
        self.chance_of(own, foe, |(_, defender)| defender == Fate::Leaves) * f32::from(5 - steps)
    }

    /// Returns a move as the memory stores it.
    pub(crate) fn own_move(&self, squares: Move) -> Option<OwnMove> {
        let rank = self.board.own_at(squares.from)?.rank;
        let is_strike = self.board.foes.contains(squares.to);
        Some(OwnMove { squares, rank, is_strike, placement: self.placement_after(squares) })
    }

    fn placement_after(&self, squares: Move) -> u64 {
        let Move { from, to } = squares;
        self.placement ^ self.key(from, from) ^ self.key(from, to)
    }

    /// Returns what the piece on `square` would contribute to a placement's hash if it were on the
    /// square `on`. The constants are those of the splitmix64 generator (Steele, Lea, Flood 2014).
    fn key(&self, square: Square, on: Square) -> u64 {
        // Pieces of the same kind are interchangeable. The kind of one of the side's own pieces
        // is its rank, and all enemy pieces have the same kind.
        let kind = match self.board.own_at(square) {
            Some(_) if self.is_supposed => 1,
            Some(own) => own.rank as u64 + 1,
            None => 0,
        };
        let mut z = ((kind << 8) | on.index() as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// True if a piece can move and is known to beat a rank.
fn is_feared(ruleset: &Ruleset, foe: &Enemy, rank: Rank) -> bool {
    foe.known.is_some_and(|known| known.is_movable() && strike_fates(ruleset, known, rank).1 == Fate::Leaves)
}

/// Returns the contribution of a piece of this rank to the strength of an army.
fn force(rank: Rank, worths: &belief::PerRank) -> f32 {
    if rank.is_movable() { worths[rank as usize] } else { 0.0 }
}
