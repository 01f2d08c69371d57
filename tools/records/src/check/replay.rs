//! Replays a record's game.

mod choices;
mod ends;

use std::collections::VecDeque;

use flagfall_board::{ChipColor, PerSide, Rank, Side, Sign, Stamp};
use flagfall_protocol::{
    Fate, GameRecord, GameView, RecordKind, RecordedEvent, SeenMove, SeenOutcome, SeenPlacing, ViewChange,
};
use flagfall_rules::{
    Choice, Command, Disclosure, EndReason, Entropy, Event, Events, Fill, Game, GameEvent, GameTerms,
    Identity, MoveCommand, Phase, Placing, Refusal, Ruleset, Setup, TimeControl, Viewer, decide,
    decide_pause, decide_resume, decide_resume_since, decide_verdict, evolve, evolve_compensated, see,
    see_change, see_change_opened, view, view_opened,
};
use flagfall_words::refusal_text;

use super::beginning::Beginning;
use super::compare::{compare, compare_changes, kind_of};
use super::facts;
use super::knowledge::Knowledge;
use crate::finding::{Falsehood, Finding, Mismatch, Report, Unchecked, UncheckedKind, wrong};

enum Cause {
    /// A command, a deadline or a pause, with the events that it caused. The first of these is
    /// the event to check.
    Events(Events),
    /// The last choice in a strike, which the record omits. Holds the game after the choice, and
    /// the events that the choice caused.
    Resolved(Box<Resolved>),
    /// A decision by a player or an umpire. It cannot be derived from the game.
    Decision(Events),
    /// A cause that depends on facts that the record does not contain.
    Hidden(Unchecked),
}

/// A game after the hidden choices of a strike, and the events that the last choice caused.
struct Resolved {
    game: Game,
    events: Vec<Event>,
}

pub(super) struct Replay<'a> {
    record: &'a GameRecord,
    knowledge: PerSide<Knowledge>,
    setups: PerSide<String>,
    /// For each event, a fitting rank for the piece that the event placed face down from a
    /// reserve. `None` for all other events.
    placed: Vec<Option<Rank>>,
    viewer: Viewer,
    game: Game,
    /// The start of the game with the ranks that were opened at the end, if the record's changes
    /// show them.
    end: Option<Game>,
    /// The events that must follow in the record, because the same command caused them.
    pending: VecDeque<Event>,
    /// The stamp of the events in `pending`.
    at: Stamp,
    /// The lag compensation for the side that acted, as stated in the record.
    lag_ms: u32,
    /// The index of the event that is being replayed.
    index: usize,
    /// While a strike is pending and one side's choice is known, the time of that choice.
    chosen_at: Option<Stamp>,
    /// True if hidden choices make the remaining time unknown. Later events are then checked
    /// neither against the clocks nor against the lag quota.
    is_time_open: bool,
    is_lag_open: bool,
    /// True if hidden choices make the later values of the clocks unknown.
    is_clock_open: bool,
    is_over: bool,
    is_stopped: bool,
    /// True if the end could not be replayed.
    is_cut: bool,
    report: &'a mut Report,
    /// The events as the public saw them.
    public: Vec<RecordedEvent>,
    /// The change that each replayed event caused.
    changes: Vec<ViewChange>,
}

/// The results of a replay, apart from its report.
pub(super) struct Replayed {
    /// The events as the public saw them. `None` unless the whole game was replayed.
    pub(super) public: Option<Vec<RecordedEvent>>,
    pub(super) first_view: GameView,
    /// The changes of all events before the first event that is false or could not be replayed.
    pub(super) changes: Vec<ViewChange>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        record: &'a GameRecord,
        ruleset: &'static Ruleset,
        knowledge: PerSide<Knowledge>,
        beginning: Beginning,
        report: &'a mut Report,
    ) -> Replay<'a> {
        let Beginning { setups, start, placed } = beginning;
        let viewer = record.audience;
        // Imported games have no stamps, so replay them without a clock.
        let time = match record.imported {
            Some(_) => TimeControl::Unlimited,
            None => record.terms.time.into(),
        };
        let terms = GameTerms {
            game: record.game,
            ruleset,
            lakes: facts::lakes_of(record, ruleset),
            time,
            deploy_ms: record.deploy_ms.unwrap_or(u64::MAX),
            created: Stamp(record.created),
            // All deployments are opened to the public at the end of the game unless their
            // players kept them secret. A deployment that is not open must therefore be secret.
            secret: PerSide::from_fn(|side| {
                record.deployments[side].is_none() && (record.terms.secret || facts::has_started(record))
            }),
        };
        let game = start
            .map_or_else(|| Game::new(terms), |start| Game::from_position(terms, start))
            .with_lag_quota(record.lag_quota.unwrap_or_default())
            .with_whole_turns(record.whole_turns);
        let end = (facts::kind_of(record) == RecordKind::Opened).then(|| {
            // Any outcome will do here, because all outcomes open the same ranks.
            let mut end = game.clone();
            let outcome = flagfall_rules::Outcome { winner: None, reason: EndReason::Abandoned };
            decide_verdict(&game, outcome).iter().for_each(|event| evolve(&mut end, event, terms.created));
            end
        });
        Replay {
            record,
            knowledge,
            setups,
            placed,
            viewer,
            game,
            end,
            pending: VecDeque::new(),
            at: Stamp(record.created),
            lag_ms: 0,
            index: 0,
            chosen_at: None,
            is_time_open: false,
            is_lag_open: false,
            is_clock_open: false,
            is_over: false,
            is_stopped: false,
            is_cut: false,
            report,
            public: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn first_view(&self) -> GameView {
        let now = self.game.latest();
        match &self.end {
            Some(end) => view_opened(&self.game, self.viewer, end, now),
            None => view(&self.game, self.viewer, now),
        }
        .seen
    }

    /// Replays the game until the end or the first false statement.
    pub(super) fn run(mut self) -> Replayed {
        let record = self.record;
        let first_view = self.first_view();
        if record.kind.is_some() && record.first_view.as_ref() != Some(&first_view) {
            let detail = "the view before the first event is not this game's".to_owned();
            self.report.findings.push(Finding::whole((Falsehood::FirstView, detail)));
        }
        let mut found = None;
        for (index, told) in record.events.iter().enumerate() {
            self.lag_ms = told.lag_ms;
            self.index = index;
            if let Err(wrong) = self.step(&told.event, Stamp(told.at)) {
                found = Some((index, wrong));
                break;
            }
            if self.is_stopped {
                break;
            }
        }
        if found.is_none() && !self.pending.is_empty() {
            let detail = "more came with this event, and the record stops".to_owned();
            found = Some((record.events.len().saturating_sub(1), (Falsehood::Missing, detail)));
        }
        let is_whole = found.is_none() && !self.is_stopped && !self.is_cut;
        self.report.findings.extend(found.map(|(index, wrong)| Finding::at(record, index, wrong)));
        Replayed { public: is_whole.then_some(self.public), first_view, changes: self.changes }
    }

    fn step(&mut self, told: &GameEvent, at: Stamp) -> Result<(), Mismatch> {
        if self.is_over {
            return Err((Falsehood::AfterEnd, format!("the record has {} after the end", kind_of(told))));
        }
        if self.has_hidden() && is_blocked_end(told) {
            // The engine checks whether a side is blocked before it checks the limits (§A10).
            // Whether a side is blocked depends on hidden ranks, which were guessed here.
            self.pending.clear();
        }
        if self.has_hidden() && self.is_for_illegal_deployment(told) {
            let detail = "the end (illegal_act): it depends on deployments that are not opened".to_owned();
            self.report.unchecked.push(Unchecked { code: UncheckedKind::End, detail });
            (self.is_over, self.is_cut) = (true, true);
            self.pending.clear();
            return Ok(());
        }
        let event = match self.pending.pop_front() {
            Some(event) => event,
            None => match self.cause(told, at)? {
                Cause::Hidden(unchecked) => {
                    self.is_over = matches!(told, GameEvent::Ended { .. });
                    self.is_stopped = !self.is_over;
                    self.is_cut = self.is_over;
                    self.report.unchecked.push(unchecked);
                    return Ok(());
                }
                Cause::Events(events) => self.take(events, at, told)?,
                Cause::Resolved(resolved) => {
                    self.game = resolved.game;
                    self.is_lag_open |= self.record.lag_quota.is_some();
                    self.is_clock_open = true;
                    self.take(resolved.events, at, told)?
                }
                Cause::Decision(events) => {
                    self.report.on_trust = true;
                    self.take(events, at, told)?
                }
            },
        };
        self.check_lag(&event, at)?;
        let is_known = self.knows_silent_defender(told);
        let (mut truth, change) = self.carry_out(event, told).ok_or_else(|| unexpected(told))?;
        if is_known {
            forget_known_defender(&mut truth, told);
        }
        compare(&truth, told, self.knowledge)?;
        if at != self.at {
            return wrong(Falsehood::Stamp, "its time differs from the event that it came with");
        }
        if self.record.kind.is_some() {
            let told = self.record.events.get(self.index).and_then(|told| told.change.as_ref());
            compare_changes(&change, told, self.is_clock_open)?;
        }
        self.changes.push(change);
        match told {
            GameEvent::Ended { .. } => self.is_over = true,
            GameEvent::Struck(_) => self.chosen_at = None,
            GameEvent::Chosen { .. } => self.chosen_at = Some(at),
            // The record does not show which sides still had to choose before the pause, so their
            // remaining times are unknown.
            GameEvent::Paused { .. } => self.is_time_open |= self.waits_for_hidden_choice(),
            other => self.report.plies_checked += usize::from(other.is_ply()),
        }
        if self.has_hidden() && self.pending.front().is_some_and(|event| self.is_blocked_end(event)) {
            self.pending.clear();
        }
        Ok(())
    }

    /// True if the record omits the rank of a defender although everyone knows this rank. This
    /// can happen in a ruleset in which a strike does not reveal a defender that wins.
    fn knows_silent_defender(&self, told: &GameEvent) -> bool {
        let GameEvent::Moved(SeenMove { squares, strike: Some(strike), .. }) = told else { return false };
        let is_silent = self.game.terms().ruleset.disclosure == Disclosure::SilentDefense
            && strike.defender == Identity::Hidden
            && strike.attacker != Identity::Known(Rank::Scout)
            && strike.defender_fate != Fate::Leaves;
        is_silent && {
            let seen = view(&self.game, self.viewer, self.game.latest());
            seen.pieces.iter().any(|piece| piece.square == squares.to && piece.is_revealed)
        }
    }

    /// Checks the lag compensation. Only a side whose turn ended gets compensation, up to its
    /// remaining quota.
    fn check_lag(&self, event: &Event, at: Stamp) -> Result<(), Mismatch> {
        // The compensation cannot be checked without a clock, or after hidden choices.
        let has_clock = self.game.terms().time != TimeControl::Unlimited || self.record.lag_quota.is_none();
        let has_clock = has_clock && !self.is_lag_open;
        let side = event.ends_time_of();
        let most_ms = side.map_or(0, |side| self.game.lag_credit_ms(side, self.lag_ms, at));
        if has_clock && self.lag_ms > most_ms {
            let detail =
                format!("{} ms of lag are given back, but at most {most_ms} ms are possible", self.lag_ms);
            return Err((Falsehood::Lag, detail));
        }
        Ok(())
    }

    /// Carries out an event. Returns the event and the change that the record must contain.
    /// Choices that the record omits are carried out first.
    fn carry_out(&mut self, mut event: Event, told: &GameEvent) -> Option<(GameEvent, ViewChange)> {
        loop {
            let lag_ms = std::mem::take(&mut self.lag_ms);
            evolve_compensated(&mut self.game, &event, self.at, lag_ms);
            self.note_public(&event, lag_ms, told);
            let seen = see(&event, &self.game, self.sees_as(told));
            let is_choice =
                self.game.position().has_strike_pending() && !matches!(told, GameEvent::Chosen { .. });
            match (seen, is_choice) {
                (Some(GameEvent::Chosen { .. }) | None, true) => event = self.pending.pop_front()?,
                (seen, _) => return seen.map(|seen| (seen, self.change_of(&event))),
            }
        }
    }

    /// Returns the change in the audience's view that the latest event caused.
    fn change_of(&self, event: &Event) -> ViewChange {
        match &self.end {
            Some(end) => see_change_opened(event, &self.game, self.viewer, end, self.at),
            None => see_change(event, &self.game, self.viewer, self.at),
        }
    }

    /// Stores the event as the public saw it. For a choice, stores what the public sees after the
    /// end of the game.
    fn note_public(&mut self, event: &Event, lag_ms: u32, told: &GameEvent) {
        let seen = see(event, &self.game, Viewer::Public);
        let chosen = matches!(told, GameEvent::Chosen { .. }).then(|| told.clone());
        if let Some(event) = seen.or(chosen) {
            self.public.push(RecordedEvent::new(self.at, lag_ms, event));
        }
    }

    /// Returns the first of these events, which have the same cause. Stores the others, because
    /// they must follow in the record.
    fn take(
        &mut self,
        events: impl IntoIterator<Item = Event>,
        at: Stamp,
        told: &GameEvent,
    ) -> Result<Event, Mismatch> {
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| unexpected(told))?;
        self.pending = events.collect();
        self.at = at;
        Ok(first)
    }

    fn cause(&self, told: &GameEvent, at: Stamp) -> Result<Cause, Mismatch> {
        let seat = self.viewer;
        match told {
            GameEvent::Deployed { setup } => {
                let Viewer::Player(side) = seat else {
                    return wrong(Falsehood::Viewer, "the public never receives a side's deployment");
                };
                self.deploy(side, setup, at)
            }
            GameEvent::Ready { side } if seat.is_side(*side) => wrong(
                Falsehood::Viewer,
                format!("{side} receives its own deployment, not an event that it is ready"),
            ),
            GameEvent::Ready { side } if self.game.is_ready(*side) => {
                Err((Falsehood::Unexpected, format!("{side} was already ready")))
            }
            GameEvent::Ready { side } => self.deploy(*side, &self.setups[*side], at),
            GameEvent::Started { commitments: _ } => {
                wrong(Falsehood::Unexpected, "the game starts only once, when both sides have deployed")
            }
            GameEvent::Moved(seen) if self.game.position().has_strike_pending() => self.resolve(seen, at),
            GameEvent::Moved(seen) => self.play(seen, at),
            GameEvent::Chosen { side, rank: _ } => {
                self.check_own_time(*side, at)?;
                self.obey(told, at)
            }
            GameEvent::Struck(_)
            | GameEvent::Removed { .. }
            | GameEvent::Placed(_)
            | GameEvent::Colored { .. }
            | GameEvent::DrawOffered { .. }
            | GameEvent::DrawDeclined { .. } => self.obey(told, at),
            GameEvent::Paused { since } => {
                let since = *since;
                if since < self.game.latest_shown() || since > at {
                    let detail = "the pause begins before the event ahead of it, or after its own".to_owned();
                    return Err((Falsehood::Stamp, detail));
                }
                Ok(Cause::Events(decide_pause(&self.game, since)))
            }
            GameEvent::Resumed { since: None } => Ok(Cause::Events(decide_resume(&self.game))),
            GameEvent::Resumed { since: Some(since) } => {
                let since = *since;
                if since > at {
                    return wrong(
                        Falsehood::Stamp,
                        "the pause ends later than the event that records its end",
                    );
                }
                Ok(Cause::Events(decide_resume_since(&self.game, since)))
            }
            GameEvent::Ended { outcome, opened: _ } => self.end(outcome, at),
        }
    }

    fn deploy(&self, side: Side, text: &str, at: Stamp) -> Result<Cause, Mismatch> {
        let setup = Setup::from_text(text, side, self.game.terms().ruleset)
            .map_err(|refusal| (Falsehood::Setup, format!("{side}: {}", refusal_text(&refusal))))?;
        self.expect_legal(side, &Command::Deploy(setup), at).map(Cause::Events)
    }

    fn play(&self, seen: &SeenMove, at: Stamp) -> Result<Cause, Mismatch> {
        match self.decide_move(seen, at) {
            Ok(events) if events.iter().next().is_some_and(Event::is_end) => wrong(
                Falsehood::IllegalMove,
                "the move is against the rules, and in this ruleset an illegal act loses the game",
            ),
            Ok(events) => Ok(Cause::Events(events)),
            Err(Refusal::MoreSquares) if self.has_hidden_squares() => Ok(Cause::Hidden(Unchecked {
                code: UncheckedKind::Rest,
                detail: format!(
                    "everything from ply {} on: whether it was a chase depends on pieces that are not told",
                    self.report.plies_checked + 1
                ),
            })),
            Err(refusal) => Err(self.refused(refusal, at)),
        }
    }

    fn decide_move(&self, seen: &SeenMove, at: Stamp) -> Result<Events, Refusal> {
        decide_move(&self.game, seen, self.viewer, at, |command| self.decide(seen.side, command, at))
    }

    /// Carries out the command that caused an event.
    fn obey(&self, told: &GameEvent, at: Stamp) -> Result<Cause, Mismatch> {
        let fitting = self.placed.get(self.index).copied().flatten();
        let Some((side, command)) = command_of(told, fitting) else {
            let detail = format!(
                "everything from ply {} on: what came from the reserve is not told",
                self.report.plies_checked + 1
            );
            return Ok(Cause::Hidden(Unchecked { code: UncheckedKind::Rest, detail }));
        };
        self.expect_legal(side, &command, at).map(Cause::Events)
    }

    /// Returns the viewer from whose point of view an event is shown. This is the player who
    /// acted, if the end of the game opened the event's hidden rank.
    fn sees_as(&self, told: &GameEvent) -> Viewer {
        match told {
            GameEvent::Chosen { side, rank: _ } => Viewer::Player(*side),
            GameEvent::Placed(seen)
                if self.knowledge[seen.side] == Knowledge::Opened && self.end.is_some() =>
            {
                Viewer::Player(seen.side)
            }
            _ => self.viewer,
        }
    }

    fn expect_legal_for_either(&self, command: &Command, at: Stamp) -> Result<Events, Mismatch> {
        let verdicts = Side::BOTH.map(|side| self.decide(side, command, at));
        match verdicts {
            [Ok(events), _] | [_, Ok(events)] => Ok(events),
            [Err(refusal), Err(_)] => Err(self.refused(refusal, at)),
        }
    }

    fn expect_legal(&self, side: Side, command: &Command, at: Stamp) -> Result<Events, Mismatch> {
        self.decide(side, command, at).map_err(|refusal| self.refused(refusal, at))
    }

    /// Asks the engine to decide on a command. For a deployment, the engine uses the salt in the
    /// record as its randomness.
    fn decide(&self, side: Side, command: &Command, at: Stamp) -> Result<Events, Refusal> {
        let salt = self.record.deployments[side].as_ref().map_or([0; 32], |opened| opened.salt.0);
        let judged = at.minus_ms(self.lag_ms.into());
        // A hidden choice may have stopped a side's clock, so do not let the time run past the
        // deadline.
        let is_open = self.is_time_open || self.waits_for_hidden_choice();
        let deadline = self.game.deadline().filter(|_| is_open);
        let judged = deadline.map_or(judged, |deadline| deadline.min(judged));
        decide(&self.game, side, self.game.ply(), command, judged, &Entropy(salt))
    }

    fn refused(&self, refusal: Refusal, at: Stamp) -> Mismatch {
        let code = match refusal {
            Refusal::OutOfTime => {
                let late = self.game.deadline().map_or(0, |deadline| at.ms_since(deadline));
                return (Falsehood::FlagFall, format!("the time for it had run out {late} ms earlier"));
            }
            Refusal::Setup(_) => Falsehood::Setup,
            Refusal::NotYourTurn => Falsehood::IllegalMove,
            _ if refusal.is_illegal_move() => Falsehood::IllegalMove,
            _ => Falsehood::Unexpected,
        };
        (code, format!("{} ({})", refusal_text(&refusal), refusal.code()))
    }

    /// True if the record says that the game ended because of an illegal deployment (§U7), although
    /// the deployments with the ranks that were filled in are legal.
    fn is_for_illegal_deployment(&self, told: &GameEvent) -> bool {
        let is_it = |outcome: &SeenOutcome| outcome.reason == EndReason::IllegalAct.code();
        self.game.terms().ruleset.illegal_act_loses
            && self.game.phase() == Phase::Deploying
            && !self.pending.is_empty()
            && matches!(told, GameEvent::Ended { outcome, opened: _ } if is_it(outcome))
    }

    /// True if the game is replayed with guessed ranks.
    fn has_hidden(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.knowledge[side] == Knowledge::Shown)
    }

    /// True if even the squares of some pieces are guessed.
    pub(super) fn has_hidden_squares(&self) -> bool {
        // The squares are known if the record has changes, because the change of the start event
        // shows all pieces.
        self.has_hidden()
            && self.game.terms().ruleset.fill == Fill::AnyHomeSquares
            && self.record.kind.is_none()
    }

    fn is_blocked_end(&self, event: &Event) -> bool {
        see(event, &self.game, self.viewer).is_some_and(|seen| is_blocked_end(&seen))
    }
}

/// Returns the command that caused an event, and its side.
///
/// `fitting` is the rank of a piece that was placed face down from a reserve. Returns `None` if
/// that rank is needed but missing, or if no such command causes the event.
pub(crate) fn command_of(event: &GameEvent, fitting: Option<Rank>) -> Option<(Side, Command)> {
    Some(match event {
        GameEvent::Struck(strike) => (strike.side, Command::Move(strike.squares.into())),
        GameEvent::Chosen { side, rank } => (*side, Command::Choose(Choice(*rank))),
        GameEvent::Removed { side, square } => (*side, Command::Remove(*square)),
        GameEvent::Placed(seen) => {
            let SeenPlacing { side, square, piece, labeled, color } = *seen;
            let rank = piece.rank().or(fitting)?;
            (side, Command::Place(Placing { square, rank, is_labeled: labeled, color }))
        }
        GameEvent::Colored { side, square: _, color } => (*side, Command::Color(*color)),
        GameEvent::DrawOffered { side } => (*side, Command::OfferDraw),
        GameEvent::DrawDeclined { side } => (*side, Command::DeclineDraw),
        _ => return None,
    })
}

/// Decides on a move if the record may omit its path and the color of its chip. Uses the first
/// path and color that result in the chips that the record shows.
pub(crate) fn decide_move(
    game: &Game,
    seen: &SeenMove,
    viewer: Viewer,
    at: Stamp,
    decide: impl Fn(&Command) -> Result<Events, Refusal>,
) -> Result<Events, Refusal> {
    let asked = MoveCommand::from(seen.squares);
    if !game.terms().ruleset.chips {
        return decide(&Command::Move(asked));
    }
    let paths = [None, Some(Sign::Plus), Some(Sign::Minus)];
    let colors = std::iter::once(None).chain(ChipColor::ALL.map(Some));
    let all = colors.flat_map(|color| paths.map(|path| MoveCommand { path, color, ..asked }));
    let verdicts: Vec<_> = all.map(|asked| decide(&Command::Move(asked))).collect();
    let fits = |events: &Events| {
        let mut after = game.clone();
        let first = events.iter().next().and_then(|event| {
            evolve(&mut after, event, at);
            see(event, &after, viewer)
        });
        matches!(first, Some(GameEvent::Moved(first)) if first.laid == seen.laid)
    };
    let fitting = verdicts.iter().position(|verdict| verdict.as_ref().is_ok_and(fits));
    let place = fitting.or_else(|| verdicts.iter().position(Result::is_ok)).unwrap_or_default();
    verdicts.into_iter().nth(place).unwrap_or(Err(Refusal::NoPath))
}

/// Ignores the rank of a defender that won without being revealed. Servers of version 0.1 omitted
/// the rank even if everyone knew it (§A7), and their records count as true.
fn forget_known_defender(truth: &mut GameEvent, told: &GameEvent) {
    if let (GameEvent::Moved(truth), GameEvent::Moved(told)) = (truth, told)
        && let (Some(truth), Some(told)) = (&mut truth.strike, &told.strike)
    {
        truth.defender = told.defender;
    }
}

/// True if an event ends the game because a side cannot move.
fn is_blocked_end(event: &GameEvent) -> bool {
    match event {
        GameEvent::Ended { outcome, .. } => {
            matches!(outcome.reason.as_str(), "no_legal_move" | "both_blocked")
        }
        _ => false,
    }
}

fn unexpected(told: &GameEvent) -> Mismatch {
    (Falsehood::Unexpected, format!("{} cannot happen here", kind_of(told)))
}

fn wrong_winner(outcome: &SeenOutcome) -> Mismatch {
    let winner = outcome.winner.map_or("nobody".to_owned(), |side| side.to_string());
    (Falsehood::Outcome, format!("{} cannot end here with {winner} winning", outcome.reason))
}
