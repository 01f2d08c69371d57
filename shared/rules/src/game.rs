//! The complete state of a game: deployments, position, clocks, draw offers and outcome.

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

/// The terms of a game. They never change after the game's creation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameTerms {
    /// The game's id. The id is part of the text that is hashed for each commitment.
    pub game: GameId,
    /// The rules of the game.
    pub ruleset: &'static Ruleset,
    /// The squares that no piece may enter: the fixed lakes of the ruleset, or the lakes that
    /// [`Ruleset::draw_lakes`] drew for this game (§U2).
    ///
    /// The lakes are public from the beginning.
    pub lakes: SquareSet,
    /// The clock.
    pub time: TimeControl,
    /// The deadline for deployments, in milliseconds after the game's creation.
    pub deploy_ms: u64,
    /// The time at which the game was created.
    pub created: Stamp,
    /// For each side, true if the player wants their deployment and the full record to stay
    /// private after the end.
    pub secret: PerSide<bool>,
}

/// The true state of a game, including hidden ranks.
///
/// A [`crate::View`] contains the part that an audience may see.
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
    /// The last ply, if it moved a piece between the board and a reserve.
    pub(crate) last_exchange: Option<Exchange>,
    /// Boxed, because many games have no clock.
    pub(crate) clock: Option<Box<Clock>>,
    /// The clocks that hide whether a side has chosen in a strike. `Some` only in games with
    /// coins.
    pub(crate) veil: Option<Box<Veil>>,
    pub(crate) paused_since: Option<Stamp>,
    pub(crate) offers: Offers,
    pub(crate) outcome: Option<Outcome>,
    /// The time of the latest event.
    pub(crate) latest: Stamp,
    /// The time of the latest event that every audience was shown.
    pub(crate) latest_shown: Stamp,
}

/// Clocks for a side's opponent and the public. They do not reveal whether the side has chosen.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Veil {
    /// Both clocks as they would be if neither side had chosen yet (§Q4). `Some` only while a
    /// strike is pending.
    pub(crate) clock: Option<Clock>,
}

/// A ply that moves a piece between the board and a reserve (§S1.5).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    Removed { side: Side, square: flagfall_board::Square },
    Placed(Placed),
}

/// The deployments that the sides have submitted so far.
type Deployments = PerSide<Option<(Deployment, Salt)>>;

/// Draw offers.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Offers {
    pub(crate) standing: Option<Side>,
    /// The ply of each side's last offer. Cleared when the other side makes an offer.
    pub(crate) last: PerSide<Option<Ply>>,
}

impl Game {
    /// Creates a game in which both sides must deploy. A game with coins has no deployments and
    /// starts immediately (§Q1).
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
            clock: Clock::new(terms.time).map(Box::new),
            veil: (terms.ruleset.start == Start::Coins).then(Box::default),
            paused_since: None,
            offers: Offers::default(),
            outcome: None,
            latest: terms.created,
            latest_shown: terms.created,
        }
    }

    /// Creates a running game from a position, without deployments. Meant for tests and tools.
    pub fn from_position(terms: GameTerms, position: Position) -> Game {
        let terms = GameTerms { lakes: position.lakes(), ..terms };
        let mut game = Game { phase: Phase::Playing, position, ..Game::before_play(terms) };
        game.start_clocks(terms.created);
        game
    }

    /// Returns the game with lag compensation within these limits.
    #[must_use]
    pub fn with_lag_quota(mut self, quota: LagQuota) -> Game {
        if let Some(clock) = &mut self.clock {
            clock.set_lag_quota(quota);
        }
        self
    }

    /// Returns the game. If `has_whole_turns` is true, each turn begins with its whole time per ply
    /// or free time, even if the side has used some of it to choose in a strike (§Q4).
    #[must_use]
    pub fn with_whole_turns(mut self, has_whole_turns: bool) -> Game {
        if let Some(clock) = self.clock.as_mut().filter(|_| has_whole_turns) {
            clock.set_whole_turns();
        }
        self
    }

    /// True if [`Game::with_whole_turns`] has set this.
    pub fn has_whole_turns(&self) -> bool {
        self.clock.as_deref().is_some_and(Clock::has_whole_turns)
    }

    /// The lag compensation in milliseconds for a side that acts now, limited by the side's
    /// quota.
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

    /// The number of turns taken so far.
    pub fn ply(&self) -> Ply {
        self.position.ply()
    }

    /// The side to move, while the game is played.
    pub fn turn(&self) -> Option<Side> {
        match self.phase {
            Phase::Playing => Some(self.position.turn()),
            Phase::Deploying | Phase::Over => None,
        }
    }

    /// True if a side has submitted a deployment.
    pub fn is_ready(&self, side: Side) -> bool {
        self.deployments[side].is_some()
    }

    /// Each side's commitment to its deployment, after the start.
    pub fn commitments(&self) -> PerSide<Option<Commitment>> {
        self.commitments
    }

    /// The outcome of the game, after its end.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// True if a pause has stopped the clocks.
    pub fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// The time at which the clocks stopped. `None` if they are not stopped.
    pub fn paused_since(&self) -> Option<Stamp> {
        self.paused_since
    }

    /// The time of the latest event, or of the game's creation if there are no events.
    pub fn latest(&self) -> Stamp {
        self.latest
    }

    /// The time of the latest event that every audience was shown, or of the game's creation. A
    /// later event may be hidden: a changed deployment, or the first choice in a strike (§Q4).
    pub fn latest_shown(&self) -> Stamp {
        self.latest_shown
    }

    /// True if the game is waiting for this side: for its ply, the color of a chip, or a choice
    /// in a strike (§Q4).
    pub fn is_to_act(&self, side: Side) -> bool {
        self.phase == Phase::Playing && self.position.is_to_act(side)
    }

    /// Starts the clock of each side whose action the game is waiting for.
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

    /// The latest time for a command: the deadline for deployments, or the earliest deadline of a
    /// running clock.
    ///
    /// A command is late if the store appends it after this time plus the side's lag
    /// compensation.
    pub fn deadline(&self) -> Option<Stamp> {
        self.limit(Clock::deadline)
    }

    /// The time after which a missed deadline takes effect.
    ///
    /// This is the [`Game::deadline`], plus the time that the server waits for a late ply if the
    /// game has lag compensation.
    pub fn flag_fall(&self) -> Option<Stamp> {
        self.limit(Clock::flag_fall)
    }

    /// A time before which no deadline can pass, no matter which plies and pauses follow.
    ///
    /// `None` after the end of the game, and while a game without a clock is being played.
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
            Phase::Playing => self.clock.as_deref().and_then(of_play),
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
