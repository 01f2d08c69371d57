//! The level *simple* in games with coins (§Q). It scores each choice of a rank against the ranks
//! that the enemy can have. The score of a strike is the score of its best choice. A move that is
//! not a strike scores better if it leads toward a piece that is worth striking.

mod good;
mod matrix;

use flagfall_board::{Chance, PerSide, Rank, Side, Square};
use flagfall_rules::{
    Choice, Command, Fate, Identity, Move, MoveCommand, PendingStrike, RankCounts, SeenPiece, View,
    strike_fates,
};

pub(crate) use self::good::GoodQuantumMind;
use crate::mind::{Best, Mind};

/// The cost of revealing a rank, as a share of the rank's value.
const SHOWN: f32 = 0.12;
/// The random noise that is added to scores. If two commands differ by less than this, either may
/// be chosen.
const WHIM: f32 = 0.8;
/// The amount of random noise that is added when all ranks are known.
const SURE_WHIM: f32 = 0.1;
/// The additional value of every strike, because the other side may have to choose the Flag as
/// its rank.
const PRESSURE: f32 = 1.5;
/// The additional value of every strike if the game will soon be drawn because of the limit of
/// plies without a capture.
const LAST_PRESSURE: f32 = 12.0;
/// If a side has at most this many unmoved coins to spare, moving one of them costs more.
const SPARE_MIN: usize = 3;

/// The value of a strike at an unmoved coin that can only become the Flag or a Bomb. It is halved
/// for every Bomb in the pool.
const SIEGE: f32 = 30.0;
/// The additional value of a piece if it is the side's last piece that can move. Without such a
/// piece, the side loses under the reserve rule (§Q6).
const LAST_MOVER: f32 = 3.0;

/// The mind of the level *simple* in games with coins.
pub(crate) struct QuantumMind {
    side: Side,
}

impl QuantumMind {
    pub(crate) fn new(side: Side) -> QuantumMind {
        QuantumMind { side }
    }
}

impl Mind for QuantumMind {
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        let turn = Turn { view, side: self.side, stock: Stock::of(view) };
        let is_sure = view.pending_strike.is_some_and(|strike| !strike.owes[self.side.opponent()]);
        let mut best = Best::new(chance, if is_sure { SURE_WHIM } else { WHIM });
        view.legal_commands()?.iter().for_each(|command| best.try_out(turn.score(&command), command));
        best.choice()
    }
}

/// The ranks that a piece can have, with their probabilities.
type Ranks = Vec<(Rank, f32)>;

struct Turn<'a> {
    view: &'a View,
    side: Side,
    stock: Stock,
}

impl Turn<'_> {
    fn score(&self, command: &Command) -> f32 {
        match command {
            Command::Choose(Choice(rank)) => self.choice(*rank),
            Command::Move(MoveCommand { squares, path: _, color: _ }) => self.act(*squares),
            _ => 0.0,
        }
    }

    fn foes(&self) -> impl Iterator<Item = &SeenPiece> + Clone {
        self.view.pieces.iter().filter(|piece| piece.side != self.side)
    }

    /// Returns the rank of a known piece, or the ranks that a coin can still take from its side's
    /// pool. A moved coin cannot become a piece that never moves.
    fn ranks(&self, piece: &SeenPiece, is_moved: bool) -> Ranks {
        if let Identity::Known(rank) = piece.identity {
            return vec![(rank, 1.0)];
        }
        let pool = self.stock.pools[piece.side];
        let is_bound = !is_moved && self.stock.is_bound(piece.side);
        let fits = |rank: Rank| may_be(rank, is_moved) && !(is_bound && may_be(rank, true));
        let left = || pool.iter().filter(|(rank, _)| fits(*rank));
        let total: f32 = left().map(|(_, count)| f32::from(count)).sum();
        left().map(|(rank, count)| (rank, f32::from(count) / total.max(1.0))).collect()
    }

    /// Returns the value of choosing this rank for our coin in the strike.
    fn choice(&self, rank: Rank) -> f32 {
        let Some(strike) = self.view.pending_strike else { return 0.0 };
        let PendingStrike { side, squares: Move { from, to }, owes: _, own_choice: _ } = strike;
        let is_attacker = side == self.side;
        let foe = piece_at(self.view, if is_attacker { to } else { from });
        let Some(foe) = foe else { return 0.0 };
        let foe_ranks = self.ranks(foe, foe.is_moved || !is_attacker);
        self.outcome(rank, &foe_ranks, is_attacker)
    }

    /// Returns the expected gain of a rank against the ranks that the enemy can have, minus the
    /// cost of revealing the rank.
    fn outcome(&self, rank: Rank, foe_ranks: &Ranks, is_attacker: bool) -> f32 {
        let mean: f32 =
            foe_ranks.iter().map(|(foe, chance)| chance * self.result(rank, *foe, is_attacker)).sum();
        mean - SHOWN * worth(rank)
    }

    fn result(&self, rank: Rank, foe: Rank, is_attacker: bool) -> f32 {
        let (own_fate, foe_fate) = if is_attacker {
            strike_fates(self.view.ruleset, rank, foe)
        } else {
            let (attacker, defender) = strike_fates(self.view.ruleset, foe, rank);
            (defender, attacker)
        };
        let part =
            |fate: Fate, side, rank| if fate == Fate::Leaves { self.stock.loss(side, rank) } else { 0.0 };
        part(foe_fate, self.side.opponent(), foe) - part(own_fate, self.side, rank)
    }

    fn act(&self, squares: Move) -> f32 {
        let Move { from, to } = squares;
        let Some(own) = piece_at(self.view, from) else { return 0.0 };
        let steps = from.distance(to);
        match piece_at(self.view, to) {
            Some(foe) => self.strike(own, foe, steps) - self.cost_of_setting_out(own),
            None => {
                let shown = if steps > 1 && own.identity == Identity::Coin {
                    SHOWN * worth(Rank::Scout)
                } else {
                    0.0
                };
                self.progress(own, from, to)
                    - self.danger(own, from, to)
                    - self.cost_of_setting_out(own)
                    - shown
            }
        }
    }

    /// Returns the expected gain of a strike. If a known piece strikes a coin, the result is the
    /// average of two cases: the coin takes a random rank, or it takes the best rank for its
    /// side. If our piece is a coin, it takes the best rank for our side.
    fn strike(&self, own: &SeenPiece, foe: &SeenPiece, steps: u8) -> f32 {
        let foe_ranks = self.ranks(foe, foe.is_moved);
        let own_ranks: Ranks = if own.identity == Identity::Coin && steps > 1 {
            vec![(Rank::Scout, 1.0)]
        } else {
            self.ranks(own, true)
        };
        let is_known = steps > 1 || own.identity != Identity::Coin;
        let gains = own_ranks.iter().map(|(rank, _)| {
            let mean = self.outcome(*rank, &foe_ranks, true);
            if !is_known || foe.identity != Identity::Coin {
                return mean;
            }
            let answers = foe_ranks.iter().filter(|(foe, _)| *foe != Rank::Flag);
            let worst = answers.map(|(foe, _)| self.result(*rank, *foe, true)).fold(f32::INFINITY, f32::min);
            if worst.is_finite() { (mean + worst) / 2.0 } else { mean }
        });
        let gain = gains.fold(f32::NEG_INFINITY, f32::max);
        let is_coin = foe.identity == Identity::Coin;
        if is_coin { gain + self.stock.pressure(foe.side, foe.is_moved) } else { gain }
    }

    /// Returns the cost of moving an unmoved coin. Such a move has a cost because the reserve
    /// rule restricts a side that has no more coins to spare.
    fn cost_of_setting_out(&self, own: &SeenPiece) -> f32 {
        if own.is_moved || own.identity != Identity::Coin {
            return 0.0;
        }
        self.stock.cost_of_setting_out(self.side)
    }

    /// Returns by how many steps a move brings the piece closer to an enemy piece that is worth
    /// striking.
    fn progress(&self, own: &SeenPiece, from: Square, to: Square) -> f32 {
        let targets = self.foes().filter(|foe| self.strike(own, foe, 1) > 0.0);
        let near = |at: Square| targets.clone().map(|foe| at.distance(foe.square)).min();
        match (near(from), near(to)) {
            (Some(before), Some(after)) => (f32::from(before) - f32::from(after)).clamp(-2.0, 2.0),
            (_, _) => 0.0,
        }
    }

    /// Returns how much a move increases the danger from known enemies. The danger on a square is
    /// the largest gain that a neighboring enemy could make there.
    fn danger(&self, own: &SeenPiece, from: Square, to: Square) -> f32 {
        let Identity::Known(rank) = own.identity else { return 0.0 };
        let threats = |at: Square| {
            let beside = self.foes().filter(|foe| at.distance(foe.square) == 1);
            beside
                .filter_map(|foe| foe.identity.rank().filter(|foe| foe.is_movable()))
                .map(|foe| -self.result(rank, foe, false))
                .fold(0.0, f32::max)
        };
        threats(to) - 0.9 * threats(from)
    }
}

/// The numbers of pieces and coins that both sides have left. These numbers are public.
struct Stock {
    pools: PerSide<RankCounts>,
    /// For each side, the number of unmoved coins beyond those that the reserve rule requires
    /// (§Q6).
    spare: PerSide<usize>,
    /// For each side, the number of pieces and coins that can move.
    movers: PerSide<usize>,
    is_late: bool,
}

impl Stock {
    fn of(view: &View) -> Stock {
        let pools = view.pools.unwrap_or_default();
        let count = |side: Side, is_meant: fn(&SeenPiece) -> bool| {
            view.pieces.iter().filter(|piece| piece.side == side && is_meant(piece)).count()
        };
        let spare = PerSide::from_fn(|side| {
            let unmoved = count(side, |piece| piece.identity == Identity::Coin && !piece.is_moved);
            let bound = pools[side][Rank::Flag] + pools[side][Rank::Bomb];
            unmoved.saturating_sub(usize::from(bound))
        });
        let movers = PerSide::from_fn(|side| {
            let moving = count(side, |piece| match piece.identity {
                Identity::Known(rank) => may_be(rank, true),
                Identity::Coin | Identity::OneOf(_) | Identity::Hidden => piece.is_moved,
            });
            moving + spare[side]
        });
        Stock { pools, spare, movers, is_late: view.plies_to_limit.is_some() }
    }

    /// True if a side's unmoved coins can only become Bombs and the Flag.
    fn is_bound(&self, side: Side) -> bool {
        self.spare[side] == 0
    }

    /// Returns how much a side loses with a piece of this rank. Movable pieces are worth more
    /// when the side has fewer of them.
    fn loss(&self, side: Side, rank: Rank) -> f32 {
        let scarcity = LAST_MOVER / self.movers[side].max(1) as f32;
        if may_be(rank, true) { worth(rank) * (1.0 + scarcity) } else { worth(rank) }
    }

    /// Returns the additional value of striking a coin of a side. One of the side's coins must
    /// become the Flag sooner or later.
    fn pressure(&self, side: Side, is_moved: bool) -> f32 {
        let bombs = self.pools[side][Rank::Bomb];
        if self.is_late {
            LAST_PRESSURE
        } else if self.movers[side.opponent()] <= usize::from(bombs) {
            // The striking side could lose all of its movable pieces to Bombs, and would then
            // lose the game under the reserve rule.
            0.0
        } else if !is_moved && self.is_bound(side) {
            PRESSURE.max(SIEGE * 0.5_f32.powi(i32::from(bombs)))
        } else {
            PRESSURE
        }
    }

    /// Returns the cost of moving an unmoved coin, which is higher if the side has few coins to
    /// spare under the reserve rule.
    fn cost_of_setting_out(&self, side: Side) -> f32 {
        if self.spare[side] <= SPARE_MIN { 1.5 } else { 0.3 }
    }
}

fn piece_at(view: &View, square: Square) -> Option<&SeenPiece> {
    view.pieces.iter().find(|piece| piece.square == square)
}

fn may_be(rank: Rank, is_moved: bool) -> bool {
    !is_moved || rank.is_movable()
}

/// Returns the value of a rank to its side. A Scout has the value 1.
fn worth(rank: Rank) -> f32 {
    match rank {
        Rank::Flag => 200.0,
        Rank::Bomb => 2.0,
        Rank::Scout | Rank::Phoenix => 1.0,
        Rank::Sergeant => 1.3,
        Rank::Spy => 1.5,
        Rank::Lieutenant => 2.0,
        Rank::Miner | Rank::Captain => 2.5,
        Rank::Major => 4.0,
        Rank::Colonel => 6.0,
        Rank::General => 9.0,
        Rank::Marshal => 12.0,
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::{GameId, PerSide, Stamp};
    use flagfall_rules::rulesets::QUANTUM;
    use flagfall_rules::{Game, GameTerms, Position, TimeControl, Viewer, view};

    use super::*;

    /// Returns the commands that the levels *simple* and *good* choose in a position.
    fn chosen(text: &str, seed: u64) -> [Command; 2] {
        let position = Position::from_text(text).unwrap();
        let side = position.actor();
        let terms = GameTerms {
            game: GameId::from_random([0; 12]),
            ruleset: &QUANTUM,
            lakes: QUANTUM.shape.lakes,
            time: TimeControl::Unlimited,
            deploy_ms: 0,
            created: Stamp(0),
            secret: PerSide::default(),
        };
        let view = view(&Game::from_position(terms, position), Viewer::Player(side), Stamp(0));
        [
            QuantumMind::new(side).act(&view, &mut Chance::new(seed)).unwrap(),
            GoodQuantumMind::new(side).act(&view, &mut Chance::new(seed)).unwrap(),
        ]
    }

    const BLUE_STRUCK: &str = "quantum red 10 3 bobobobo.6/.10/.10/bo.9/ATTACKER'*.~2.2~2.2/.2~2.2~2.2/.10/.10/.10/ro.9 F:1 POOL a6a7";

    #[test]
    fn a_struck_coin_beats_the_attacker_as_cheaply_as_it_can_and_never_is_the_flag_by_choice() {
        for (attacker, pool, rank) in [
            ("r5", "F:1,B:1,9:1,4:1,1:1", Rank::Bomb),
            ("r8", "F:1,B:1,9:1,6:1,1:1", Rank::Lieutenant),
            ("r1", "F:1,B:1,9:1,4:1,2:1", Rank::Bomb),
            ("r1", "F:1,9:2,4:1,2:1", Rank::Scout),
        ] {
            let text = BLUE_STRUCK.replace("ATTACKER", attacker).replace("POOL", pool);
            for seed in 0..20 {
                assert_eq!(
                    chosen(&text, seed),
                    [Command::Choose(Choice(rank)), Command::Choose(Choice(rank))],
                    "{attacker} {pool}, seed {seed}"
                );
            }
        }
    }

    #[test]
    fn a_known_piece_that_the_pool_can_beat_is_struck() {
        let text = "quantum red 10 3 bo.9/.10/.10/.10/b2'*.~2.2~2.2/ro'.~2.2~2.2/.10/.10/.10/roro.8 F:1,9:1,1:1 F:1 -";
        for seed in 0..20 {
            let strike = Command::Move("a5a6".parse().unwrap());
            assert_eq!(chosen(text, seed), [strike.clone(), strike], "seed {seed}");
        }
    }

    #[test]
    fn good_beats_simple() {
        let mut won = 0;
        for seed in 0..4 {
            let good = if seed % 2 == 0 { Side::Red } else { Side::Blue };
            let effort = crate::Effort::default();
            let mut players = PerSide::from_fn(|side| {
                let level = if side == good { crate::Level::Good } else { crate::Level::Simple };
                crate::HousePlayer::new(level, side, seed, effort)
            });
            let lakes = QUANTUM.shape.lakes;
            let played = flagfall_tests::duel::play(&QUANTUM, lakes, PerSide::default(), |side, view| {
                players[side].choose(view)
            });
            won += usize::from(played.unwrap().outcome.winner == Some(good));
        }
        assert!(won >= 3, "{won} of 4");
    }
}
