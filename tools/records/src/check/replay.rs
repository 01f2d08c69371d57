//! Playing a record's game again.

use std::collections::VecDeque;

use flagfall_board::{ChipColor, PerSide, Side, Sign, Stamp};
use flagfall_protocol::{Audience, GameEvent, GameRecord, Outcome, SeenMove, SeenPlacing};
use flagfall_rules::{
    Choice, Command, EndReason, Entropy, Event, Events, Fill, Game, GameTerms, Identity, MoveCommand, Phase,
    Placing, Position, Refusal, Ruleset, SeenEvent, Setup, TimeControl, Viewer, decide, decide_deadline,
    decide_pause, decide_resume, decide_resume_since, decide_verdict, evolve, evolve_compensated, see, view,
};

use super::compare::{compare, kind_of};
use super::{Knowledge, Wrong, facts, finding_at};
use crate::finding::{Falsehood, Report, Unchecked, UncheckedKind};

/// Where an event can have come from.
enum Cause {
    /// A command, a deadline or a pause: it tells the first of these.
    Events(Events),
    /// The same, of more than one command.
    List(Vec<Event>),
    /// The same, and nobody but a player or an umpire can say why.
    Decision(Events),
    /// What the record does not tell decides whether it is right.
    Hidden(Unchecked),
}

pub(super) struct Replay<'a> {
    record: &'a GameRecord,
    knowledge: PerSide<Knowledge>,
    setups: PerSide<String>,
    viewer: Viewer,
    game: Game,
    /// What must follow, for it came with the event before.
    pending: VecDeque<Event>,
    /// The stamp of that.
    at: Stamp,
    /// What the record says that the side which acted was given back.
    lag_ms: u32,
    is_over: bool,
    is_stopped: bool,
    on_trust: bool,
    plies: usize,
    unchecked: Vec<Unchecked>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        record: &'a GameRecord,
        ruleset: &'static Ruleset,
        knowledge: PerSide<Knowledge>,
        setups: PerSide<String>,
        start: Option<Position>,
    ) -> Replay<'a> {
        let viewer = match record.audience {
            Audience::Red => Viewer::Player(Side::Red),
            Audience::Blue => Viewer::Player(Side::Blue),
            Audience::Public => Viewer::Public,
        };
        // Without stamps there is no clock.
        let time = if record.imported.is_some() || facts::has_hidden_choices(record) {
            TimeControl::Unlimited
        } else {
            TimeControl::from(record.terms.time)
        };
        let terms = GameTerms {
            game: record.game,
            ruleset,
            lakes: facts::lakes_of(record, ruleset),
            time,
            deploy_ms: record.deploy_ms.unwrap_or(u64::MAX),
            created: Stamp(record.created),
            // To the public the end opens what nobody keeps secret: what it did not open was kept.
            secret: PerSide::from_fn(|side| record.deployments[side].is_none()),
        };
        Replay {
            record,
            knowledge,
            setups,
            viewer,
            game: start
                .map_or_else(|| Game::new(terms), |start| Game::from_position(terms, start))
                .with_lag_quota(record.lag_quota.map(Into::into).unwrap_or_default()),
            pending: VecDeque::new(),
            at: Stamp(record.created),
            lag_ms: 0,
            is_over: false,
            is_stopped: false,
            on_trust: false,
            plies: 0,
            unchecked: Vec::new(),
        }
    }

    /// Plays until the end or the first falsehood.
    pub(super) fn run(mut self, report: &mut Report) {
        let record = self.record;
        let mut found = None;
        for (index, told) in record.events.iter().enumerate() {
            self.lag_ms = told.lag_ms;
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
        report.findings.extend(found.map(|(index, wrong)| finding_at(record, index, wrong)));
        report.plies_checked = self.plies;
        report.on_trust = self.on_trust;
        report.unchecked.append(&mut self.unchecked);
    }

    fn step(&mut self, told: &GameEvent, at: Stamp) -> Result<(), Wrong> {
        if self.is_over {
            return Err((Falsehood::AfterEnd, format!("{} is told after the end", kind_of(told))));
        }
        if self.has_hidden() && is_blocked_end(told) {
            // Blocked or not comes before the limits (§A10), and hidden ranks decide it.
            self.pending.clear();
        }
        let event = match self.pending.pop_front() {
            Some(event) => event,
            None => match self.cause(told, at)? {
                Cause::Hidden(unchecked) => {
                    self.is_over = matches!(told, GameEvent::Ended { .. });
                    self.is_stopped = !self.is_over;
                    self.unchecked.push(unchecked);
                    return Ok(());
                }
                Cause::Events(events) => self.take(events, at, told)?,
                Cause::List(events) => self.take(events, at, told)?,
                Cause::Decision(events) => {
                    self.on_trust = true;
                    self.take(events, at, told)?
                }
            },
        };
        self.check_lag(&event, at)?;
        let truth = self.carry_out(event, told).ok_or_else(|| unexpected(told))?;
        compare(&truth, told, self.knowledge)?;
        if at != self.at {
            let detail = "it is stamped apart from the event it came with".to_owned();
            return Err((Falsehood::Stamp, detail));
        }
        match told {
            GameEvent::Ended { .. } => self.is_over = true,
            other => self.plies += usize::from(other.is_ply()),
        }
        if self.has_hidden() && self.pending.front().is_some_and(|event| self.is_blocked_end(event)) {
            self.pending.clear();
        }
        Ok(())
    }

    /// Nobody is given back more of the network's delay than the quota has left, or anything without having ended his turn.
    fn check_lag(&self, event: &Event, at: Stamp) -> Result<(), Wrong> {
        // Without a clock there is nothing to check it against: what is not known of the choices hides it.
        let has_clock = self.game.terms().time != TimeControl::Unlimited || self.record.lag_quota.is_none();
        let side = event.ends_time_of();
        let most_ms = side.map_or(0, |side| self.game.lag_credit_ms(side, self.lag_ms, at));
        if has_clock && self.lag_ms > most_ms {
            let detail = format!("{} ms are given back, and no more than {most_ms} can be", self.lag_ms);
            return Err((Falsehood::Lag, detail));
        }
        Ok(())
    }

    /// Carries an event out, and how the record has to tell it; choices that it does not tell, for it is no end's or not that side's, come before.
    fn carry_out(&mut self, mut event: Event, told: &GameEvent) -> Option<GameEvent> {
        loop {
            let lag_ms = std::mem::take(&mut self.lag_ms);
            evolve_compensated(&mut self.game, &event, self.at, lag_ms);
            let seen = see(&event, &self.game, self.sees_as(told)).map(|seen| GameEvent::from(&seen));
            let is_choice =
                self.game.position().has_strike_pending() && !matches!(told, GameEvent::Chosen { .. });
            match (seen, is_choice) {
                (Some(GameEvent::Chosen { .. }) | None, true) => event = self.pending.pop_front()?,
                (seen, _) => return seen,
            }
        }
    }

    /// The first of the events that a told one came from; the others must follow.
    fn take(
        &mut self,
        events: impl IntoIterator<Item = Event>,
        at: Stamp,
        told: &GameEvent,
    ) -> Result<Event, Wrong> {
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| unexpected(told))?;
        self.pending = events.collect();
        self.at = at;
        Ok(first)
    }

    fn cause(&self, told: &GameEvent, at: Stamp) -> Result<Cause, Wrong> {
        let seat = self.viewer;
        match told {
            GameEvent::Deployed { setup } => {
                let Viewer::Player(side) = seat else {
                    let detail = "the public is not told what a side deploys".to_owned();
                    return Err((Falsehood::Audience, detail));
                };
                self.deploy(side, setup, at)
            }
            GameEvent::Ready { side } if seat.is_side(*side) => {
                let detail = format!("{side} is told its own deployment, not that it is ready");
                Err((Falsehood::Audience, detail))
            }
            GameEvent::Ready { side } if self.game.is_ready(*side) => {
                Err((Falsehood::Unexpected, format!("{side} was ready already")))
            }
            GameEvent::Ready { side } => self.deploy(*side, &self.setups[*side], at),
            GameEvent::Started { commitments: _ } => {
                let detail = "the game starts when both sides have deployed, and not again".to_owned();
                Err((Falsehood::Unexpected, detail))
            }
            GameEvent::Moved(seen) if self.game.position().has_strike_pending() => self.resolve(seen, at),
            GameEvent::Moved(seen) => self.play(seen, at),
            GameEvent::Struck(strike) => {
                self.ask(strike.side, &Command::Move(strike.squares.0.into()), at).map(Cause::Events)
            }
            GameEvent::Chosen { side, rank } => {
                self.ask(*side, &Command::Choose(Choice(*rank)), at).map(Cause::Events)
            }
            GameEvent::Removed { side, square } => {
                self.ask(*side, &Command::Remove(*square), at).map(Cause::Events)
            }
            GameEvent::Placed(seen) => self.place(seen, at),
            GameEvent::Colored { side, square: _, color } => {
                self.ask(*side, &Command::Color(*color), at).map(Cause::Events)
            }
            GameEvent::DrawOffered { side } => self.ask(*side, &Command::OfferDraw, at).map(Cause::Events),
            GameEvent::DrawDeclined { side } => self.ask(*side, &Command::DeclineDraw, at).map(Cause::Events),
            GameEvent::Paused { since } => {
                let since = Stamp(*since);
                if since < self.game.latest() || since > at {
                    let detail = "the pause begins before the event ahead of it, or after its own".to_owned();
                    return Err((Falsehood::Stamp, detail));
                }
                Ok(Cause::Events(decide_pause(&self.game, since)))
            }
            GameEvent::Resumed { since: None } => Ok(Cause::Events(decide_resume(&self.game))),
            GameEvent::Resumed { since: Some(since) } => {
                let since = Stamp(*since);
                if since > at {
                    let detail = "the pause ends after the event that says so".to_owned();
                    return Err((Falsehood::Stamp, detail));
                }
                Ok(Cause::Events(decide_resume_since(&self.game, since)))
            }
            GameEvent::Ended { outcome, opened: _ } => self.end(outcome, at),
        }
    }

    fn deploy(&self, side: Side, text: &str, at: Stamp) -> Result<Cause, Wrong> {
        let setup = Setup::from_text(text, side, self.game.terms().ruleset)
            .map_err(|refusal| (Falsehood::Setup, format!("{side}: {refusal}")))?;
        self.ask(side, &Command::Deploy(setup), at).map(Cause::Events)
    }

    fn play(&self, seen: &SeenMove, at: Stamp) -> Result<Cause, Wrong> {
        match self.decide_move(seen, at) {
            Ok(events) if events.iter().next().is_some_and(Event::is_end) => {
                let detail = "it is against the rules, which here loses the game".to_owned();
                Err((Falsehood::IllegalMove, detail))
            }
            Ok(events) => Ok(Cause::Events(events)),
            Err(Refusal::MoreSquares) if self.has_hidden_squares() => Ok(Cause::Hidden(Unchecked {
                code: UncheckedKind::Rest,
                detail: format!(
                    "everything from ply {} on: whether it was a chase depends on pieces that are not told",
                    self.plies + 1
                ),
            })),
            Err(refusal) => Err(self.refused(refusal, at)),
        }
    }

    /// A strike that waited, by the choices that are not told but by what came of it.
    fn resolve(&self, seen: &SeenMove, at: Stamp) -> Result<Cause, Wrong> {
        let no_strike = || (Falsehood::Strike, "the move was a strike, and none is told".to_owned());
        let strike = seen.strike.as_ref().ok_or_else(no_strike)?;
        let mut after = self.game.clone();
        let mut all = Vec::new();
        for (side, identity) in [(seen.side, strike.attacker.0), (seen.side.opponent(), strike.defender.0)] {
            if !self.game.is_to_act(side) {
                continue;
            }
            if self.viewer.is_side(side) || !facts::has_hidden_choices(self.record) {
                return Err((Falsehood::Missing, format!("what {side} chose came before, and is not told")));
            }
            let Identity::Known(rank) = identity else {
                let detail = format!("what {side} chose is public, and not told");
                return Err((Falsehood::Shown, detail));
            };
            let events =
                decide(&after, side, after.ply(), &Command::Choose(Choice(rank)), at, &Entropy([0; 32]))
                    .map_err(|refusal| self.refused(refusal, at))?;
            events.iter().for_each(|event| evolve(&mut after, event, at));
            all.extend(events);
        }
        Ok(Cause::List(all))
    }

    /// A move whose path and color are not told, but for what they left behind: the first that leaves the chips so.
    fn decide_move(&self, seen: &SeenMove, at: Stamp) -> Result<Events, Refusal> {
        let asked = MoveCommand::from(seen.squares.0);
        if !self.game.terms().ruleset.chips {
            return self.decide(seen.side, &Command::Move(asked), at);
        }
        let paths = [None, Some(Sign::Plus), Some(Sign::Minus)];
        let colors = std::iter::once(None).chain(ChipColor::ALL.map(Some));
        let all = colors.flat_map(|color| paths.map(|path| MoveCommand { path, color, ..asked }));
        let verdicts: Vec<_> = all.map(|asked| self.decide(seen.side, &Command::Move(asked), at)).collect();
        let fits = |events: &Events| {
            let mut after = self.game.clone();
            let first = events.iter().next().and_then(|event| {
                evolve(&mut after, event, at);
                see(event, &after, self.viewer)
            });
            matches!(first, Some(SeenEvent::Moved(first)) if SeenMove::from(&first).laid == seen.laid)
        };
        let fitting = verdicts.iter().position(|verdict| verdict.as_ref().is_ok_and(fits));
        let place = fitting.or_else(|| verdicts.iter().position(Result::is_ok)).unwrap_or_default();
        verdicts.into_iter().nth(place).unwrap_or(Err(Refusal::NoPath))
    }

    fn place(&self, seen: &SeenPlacing, at: Stamp) -> Result<Cause, Wrong> {
        let SeenPlacing { side, square, piece, labeled, color } = *seen;
        let Identity::Known(rank) = piece.0 else {
            return Ok(Cause::Hidden(Unchecked {
                code: UncheckedKind::Rest,
                detail: format!(
                    "everything from ply {} on: what came from the reserve is not told",
                    self.plies + 1
                ),
            }));
        };
        let placing = Placing { square, rank, is_labeled: labeled, color };
        self.ask(side, &Command::Place(placing), at).map(Cause::Events)
    }

    /// As whom an event is told: what came from a reserve is told as its side knows it where the end opened that.
    fn sees_as(&self, told: &GameEvent) -> Viewer {
        match told {
            GameEvent::Chosen { side, rank: _ } => Viewer::Player(*side),
            GameEvent::Placed(seen) if self.knowledge[seen.side] == Knowledge::Opened => {
                Viewer::Player(seen.side)
            }
            _ => self.viewer,
        }
    }

    fn end(&self, outcome: &Outcome, at: Stamp) -> Result<Cause, Wrong> {
        match (outcome.reason.as_str(), outcome.winner) {
            ("resigned", Some(winner)) => {
                self.ask(winner.opponent(), &Command::Resign, at).map(Cause::Decision)
            }
            ("draw_agreed", None) => self.ask_either(&Command::AcceptDraw, at).map(Cause::Decision),
            ("aborted", None) => {
                let by_itself = decide_deadline(&self.game, at);
                if self.game.phase() == Phase::Deploying && !by_itself.is_empty() {
                    return Ok(Cause::Events(by_itself));
                }
                // A player may before his first ply, an umpire whenever it must.
                let asked = self.ask_either(&Command::Abort, at).map(Cause::Decision);
                asked.or_else(|_| self.verdict(outcome, at))
            }
            ("out_of_time", _) if self.game.deadline().is_some() && self.game.phase() == Phase::Playing => {
                let by_itself = self.fall(outcome, at);
                if by_itself.is_empty() {
                    let left = self.game.deadline().map_or(0, |deadline| deadline.ms_since(at));
                    return Err((Falsehood::TimeLeft, format!("there were {left} ms left")));
                }
                Ok(Cause::Events(by_itself))
            }
            ("out_of_time" | "illegal_act" | "abandoned", _) => self.verdict(outcome, at),
            ("resigned" | "draw_agreed" | "aborted", _) => Err(wrong_winner(outcome)),
            (reason, _) if EndReason::from_code(reason).is_none() => {
                Err((Falsehood::Outcome, format!("no game ends with {reason:?}")))
            }
            _ => self.end_by_rule(outcome),
        }
    }

    /// The flag that fell. Where a strike waits and both owed a choice, whoever won may have made his unseen (§Q4).
    fn fall(&self, outcome: &Outcome, at: Stamp) -> Events {
        let by_itself = decide_deadline(&self.game, at);
        let tells = |events: &Events| {
            let first = events.iter().next().and_then(|event| see(event, &self.game, self.viewer));
            matches!(first, Some(SeenEvent::Ended { outcome: found, opened: _ }) if Outcome::from(&found) == *outcome)
        };
        let Some(winner) = outcome.winner.filter(|winner| self.game.is_to_act(*winner)) else {
            return by_itself;
        };
        if tells(&by_itself) || !self.game.position().has_strike_pending() {
            return by_itself;
        }
        let mut chosen = self.game.clone();
        let struck = chosen.latest();
        let choices = view(&chosen, Viewer::Player(winner), struck).legal_commands();
        let Some(choice) = choices.and_then(|choices| choices.nth(0)) else { return by_itself };
        if let Ok(events) = decide(&chosen, winner, chosen.ply(), &choice, struck, &Entropy([0; 32])) {
            events.iter().for_each(|event| evolve(&mut chosen, event, struck));
        }
        decide_deadline(&chosen, at)
    }

    /// An umpire's verdict, from outside the board: on the side that had to act, or on any before the start.
    fn verdict(&self, outcome: &Outcome, at: Stamp) -> Result<Cause, Wrong> {
        if self.game.is_paused() {
            return Err((Falsehood::Unexpected, "the game was paused".to_owned()));
        }
        if self.game.deadline().is_some_and(|deadline| at > deadline) {
            return Err(self.refused(Refusal::OutOfTime, at));
        }
        let (Outcome { winner, reason }, turn) = (outcome, self.game.turn());
        let is_possible = match (turn, winner) {
            (Some(turn), Some(winner)) => reason == "abandoned" || *winner == turn.opponent(),
            (Some(_), None) => reason == "abandoned" || reason == "aborted",
            // Also where wrong deployments lose (§U7): the rules judge them when both are in, and an umpire may have been handed none.
            (None, _) => true,
        };
        match EndReason::from_code(reason).filter(|_| is_possible) {
            Some(reason) => {
                let outcome = flagfall_rules::Outcome { winner: *winner, reason };
                Ok(Cause::Decision(decide_verdict(&self.game, outcome)))
            }
            None => Err(wrong_winner(outcome)),
        }
    }

    /// An end by the rules that the engine did not make with the last event.
    fn end_by_rule(&self, outcome: &Outcome) -> Result<Cause, Wrong> {
        let turn = self.game.turn();
        let is_possible = match (outcome.reason.as_str(), outcome.winner) {
            ("no_legal_move", Some(winner)) => turn == Some(winner.opponent()),
            ("both_blocked", None) => turn.is_some(),
            // What remains is an end that hidden ranks would have made earlier in the order of §A10.
            ("quiet_limit" | "ply_limit", None) => {
                view(&self.game, self.viewer, self.game.latest()).plies_to_limit == Some(0)
            }
            _ => false,
        };
        if is_possible && self.has_hidden() {
            let detail = format!("the end ({}): it depends on ranks that are not opened", outcome.reason);
            return Ok(Cause::Hidden(Unchecked { code: UncheckedKind::End, detail }));
        }
        Err((Falsehood::EndedEarly, format!("the game had not ended by {}", outcome.reason)))
    }

    fn ask_either(&self, command: &Command, at: Stamp) -> Result<Events, Wrong> {
        let verdicts = Side::BOTH.map(|side| self.decide(side, command, at));
        match verdicts {
            [Ok(events), _] | [_, Ok(events)] => Ok(events),
            [Err(refusal), Err(_)] => Err(self.refused(refusal, at)),
        }
    }

    fn ask(&self, side: Side, command: &Command, at: Stamp) -> Result<Events, Wrong> {
        self.decide(side, command, at).map_err(|refusal| self.refused(refusal, at))
    }

    /// The engine's verdict. The salt that was opened is the chance a deployment is made with.
    fn decide(&self, side: Side, command: &Command, at: Stamp) -> Result<Events, Refusal> {
        let salt = self.record.deployments[side].as_ref().map_or([0; 32], |opened| opened.salt.0);
        let judged = at.minus_ms(self.lag_ms.into());
        decide(&self.game, side, self.game.ply(), command, judged, &Entropy(salt))
    }

    fn refused(&self, refusal: Refusal, at: Stamp) -> Wrong {
        let code = match refusal {
            Refusal::OutOfTime => {
                let late = self.game.deadline().map_or(0, |deadline| at.ms_since(deadline));
                return (Falsehood::FlagFall, format!("the time for it had run out {late} ms before"));
            }
            Refusal::Setup(_) => Falsehood::Setup,
            Refusal::NotYourTurn => Falsehood::IllegalMove,
            _ if refusal.is_illegal_move() => Falsehood::IllegalMove,
            _ => Falsehood::Unexpected,
        };
        (code, format!("{refusal} ({})", refusal.code()))
    }

    /// Whether the game is played with ranks that were found to fit.
    fn has_hidden(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.knowledge[side] == Knowledge::Shown)
    }

    /// Whether even the squares of some pieces were found to fit.
    fn has_hidden_squares(&self) -> bool {
        self.has_hidden() && self.game.terms().ruleset.fill == Fill::AnyHomeSquares
    }

    fn is_blocked_end(&self, event: &Event) -> bool {
        see(event, &self.game, self.viewer).is_some_and(|seen| is_blocked_end(&GameEvent::from(&seen)))
    }
}

/// Whether an event ends the game because somebody cannot move.
fn is_blocked_end(event: &GameEvent) -> bool {
    match event {
        GameEvent::Ended { outcome, .. } => {
            matches!(outcome.reason.as_str(), "no_legal_move" | "both_blocked")
        }
        _ => false,
    }
}

fn unexpected(told: &GameEvent) -> Wrong {
    (Falsehood::Unexpected, format!("{} cannot happen here", kind_of(told)))
}

fn wrong_winner(outcome: &Outcome) -> Wrong {
    let winner = outcome.winner.map_or("nobody".to_owned(), |side| side.to_string());
    (Falsehood::Outcome, format!("{} cannot end here with {winner} winning", outcome.reason))
}
