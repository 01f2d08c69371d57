//! A whole game: deployments, position, clocks, offers, result.

use std::fmt;

use flagfall_board::{GameId, PerSide, Ply, Side, SquareSet, Stamp};
use flagfall_view::{Commitment, LagQuota, Phase};

use crate::clock::{Clock, TimeControl};
use crate::commitment::Salt;
use crate::event::{Moved, Placed};
use crate::moves::LegalMoves;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::ruleset::{Ruleset, Start};
use crate::setup::Deployment;

/// The terms of a game. They never change after its creation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameTerms {
    /// The game's id, which its commitments cover.
    pub game: GameId,
    /// The rules it is played by.
    pub ruleset: &'static Ruleset,
    /// The squares that no piece may enter: the ruleset's own lakes, or the lakes that
    /// [`Ruleset::draw_lakes`] drew (§U2).
    ///
    /// They are public from the beginning.
    pub lakes: SquareSet,
    /// The clock.
    pub time: TimeControl,
    /// How long deployments are accepted after the game's creation, in milliseconds.
    pub deploy_ms: u64,
    /// When the game was created.
    pub created: Stamp,
    /// Which players asked that their deployment and the full record stay private after the end.
    pub secret: PerSide<bool>,
}

/// The true state of a game, hidden ranks included.
///
/// What an audience may know of it is in a [`crate::View`].
#[derive(Clone, PartialEq, Eq)]
pub struct Game {
    pub(crate) terms: GameTerms,
    pub(crate) phase: Phase,
    pub(crate) deployments: Deployments,
    pub(crate) deploy_deadline: Stamp,
    pub(crate) commitments: PerSide<Option<Commitment>>,
    pub(crate) position: Position,
    /// The last ply, if it was a move.
    pub(crate) last_ply: Option<Moved>,
    /// The last ply, if it moved a piece between board and reserve.
    pub(crate) last_exchange: Option<Exchange>,
    pub(crate) clock: Option<Clock>,
    /// The clock that hides choices from others. `Some` only in games with coins.
    pub(crate) veil: Option<Box<Veil>>,
    pub(crate) paused_since: Option<Stamp>,
    pub(crate) offers: Offers,
    pub(crate) outcome: Option<Outcome>,
    /// The stamp of the latest event.
    pub(crate) latest: Stamp,
}

/// How others see a side's clock while a strike waits for choices.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Veil {
    /// The clock as if no side had chosen (§Q4). `Some` only while a strike waits for choices.
    pub(crate) clock: Option<Clock>,
}

/// A ply between board and reserve (§S1.5).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// A piece was removed.
    Removed { side: Side, square: flagfall_board::Square },
    /// A piece was placed.
    Placed(Placed),
}

/// The deployments that have been submitted.
type Deployments = PerSide<Option<(Deployment, Salt)>>;

/// Draw offers.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Offers {
    pub(crate) standing: Option<Side>,
    /// The ply of each side's last offer, until the other side makes an offer.
    pub(crate) last: PerSide<Option<Ply>>,
}

impl Game {
    /// Creates a game in which both sides must deploy. A game with coins starts at once (§Q1).
    pub fn new(terms: GameTerms) -> Game {
        if terms.ruleset.start == Start::Coins {
            return Game::from_position(terms, Position::with_coins(terms.ruleset, terms.lakes));
        }
        Game::before_play(terms)
    }

    fn before_play(terms: GameTerms) -> Game {
        Game {
            terms,
            phase: Phase::Deploying,
            deployments: Deployments::default(),
            deploy_deadline: terms.created.plus_ms(terms.deploy_ms),
            commitments: PerSide::default(),
            position: Position::empty(terms.ruleset, terms.lakes),
            last_ply: None,
            last_exchange: None,
            clock: Clock::new(terms.time),
            veil: (terms.ruleset.start == Start::Coins).then(Box::default),
            paused_since: None,
            offers: Offers::default(),
            outcome: None,
            latest: terms.created,
        }
    }

    /// Creates a running game from a position, without deployments. For tests and tools.
    pub fn from_position(terms: GameTerms, position: Position) -> Game {
        let terms = GameTerms { lakes: position.lakes(), ..terms };
        let mut game = Game { phase: Phase::Playing, position, ..Game::before_play(terms) };
        game.start_clocks(terms.created);
        game
    }

    /// Returns the game with lag compensation.
    #[must_use]
    pub fn with_lag_quota(mut self, quota: LagQuota) -> Game {
        if let Some(clock) = &mut self.clock {
            clock.set_lag_quota(quota);
        }
        self
    }

    /// Lag compensation in ms for a side that acts now, capped by the side's quota.
    ///
    /// `round_trip_ms` is the measured round trip of the side's connection.
    pub fn lag_credit_ms(&self, side: Side, round_trip_ms: u32, now: Stamp) -> u32 {
        self.clock.as_ref().map_or(0, |clock| clock.lag_credit_ms(side, round_trip_ms, now))
    }

    /// The terms of the game.
    pub fn terms(&self) -> &GameTerms {
        &self.terms
    }

    /// The phase of the game.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Turns taken.
    pub fn ply(&self) -> Ply {
        self.position.ply()
    }

    /// The side to move, while the game is being played.
    pub fn turn(&self) -> Option<Side> {
        match self.phase {
            Phase::Playing => Some(self.position.turn()),
            Phase::Deploying | Phase::Over => None,
        }
    }

    /// Whether a side has submitted a deployment.
    pub fn is_ready(&self, side: Side) -> bool {
        self.deployments[side].is_some()
    }

    /// How the game ended.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Whether the clocks are stopped by a pause.
    pub fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// The moment since which the clocks are stopped, if they are.
    pub fn paused_since(&self) -> Option<Stamp> {
        self.paused_since
    }

    /// The stamp of the latest event, or of the game's creation.
    pub fn latest(&self) -> Stamp {
        self.latest
    }

    /// Whether the game waits for a side: for its ply, the color of a chip, or a choice in a
    /// strike (§Q4).
    pub fn is_to_act(&self, side: Side) -> bool {
        self.phase == Phase::Playing && self.position.is_to_act(side)
    }

    /// Starts the clock of each side for which the game waits.
    pub(crate) fn start_clocks(&mut self, at: Stamp) {
        if let Some(clock) = &mut self.clock {
            Side::BOTH
                .into_iter()
                .filter(|side| self.position.is_to_act(*side))
                .for_each(|side| clock.start(side, at));
        }
        if let Some(Veil { clock: Some(clock) }) = self.veil.as_deref_mut() {
            let owes = self.position.pending().map(|pending| pending.strike.owes).unwrap_or_default();
            Side::BOTH.into_iter().filter(|side| owes[*side]).for_each(|side| clock.start(side, at));
        }
    }

    pub(crate) fn stop_clocks(&mut self, at: Stamp) {
        if let Some(clock) = &mut self.clock {
            clock.stop(at);
        }
        if let Some(Veil { clock: Some(clock) }) = self.veil.as_deref_mut() {
            clock.stop(at);
        }
    }

    /// The last moment for a command: the deployment deadline, or the earliest deadline of a
    /// running clock.
    ///
    /// A command is late if the store appends it after this moment plus the side's lag
    /// compensation.
    pub fn deadline(&self) -> Option<Stamp> {
        self.limit(Clock::deadline)
    }

    /// The moment after which a missed deadline takes effect.
    ///
    /// This is the [`Game::deadline`]. With lag compensation, it also includes the wait for a ply
    /// that may still arrive.
    pub fn flag_fall(&self) -> Option<Stamp> {
        self.limit(Clock::flag_fall)
    }

    /// A moment before which no deadline can pass, no matter what is played or paused until then.
    ///
    /// `None` after the end of the game, and during play without a clock.
    pub fn no_flag_before(&self, now: Stamp) -> Option<Stamp> {
        let of_play = self.clock.as_ref().map(|clock| clock.no_deadline_before(now));
        match self.phase {
            Phase::Deploying => of_play.into_iter().chain([self.deploy_deadline]).min(),
            Phase::Playing => of_play,
            Phase::Over => None,
        }
    }

    fn limit(&self, of_play: impl FnOnce(&Clock) -> Option<Stamp>) -> Option<Stamp> {
        if self.is_paused() {
            return None;
        }
        match self.phase {
            Phase::Deploying => Some(self.deploy_deadline),
            Phase::Playing => self.clock.as_ref().and_then(of_play),
            Phase::Over => None,
        }
    }

    /// The legal moves of the side to move. `None` unless the game is being played.
    #[inline]
    pub fn legal_moves(&self) -> Option<LegalMoves> {
        match self.phase {
            Phase::Playing => Some(self.position.legal_moves()),
            Phase::Deploying | Phase::Over => None,
        }
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("terms", &self.terms)
            .field("phase", &self.phase)
            .field("position", &self.position)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
