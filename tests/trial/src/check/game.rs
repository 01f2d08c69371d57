//! Compares the logs of a game's clients with the true course of the game.

use std::collections::HashMap;
use std::sync::Arc;

use flagfall_second_opinion::BoardEvent;
use serde_json::Value;

use super::expect::State;
use super::findings::{Fault, Findings, Played};
use super::lines::check_lines;
use super::sent_commands::{fits, is_choice, sent_commands};
use super::truth::{Fact, SIDES, StampedFact, Taken, Truth, color_of};
use crate::log::{ClientLog, Entry, GameLog, Outage, Role, What};
use crate::site::History;

/// Types of messages that the server may send.
const TYPES: &[&str] = &[
    "welcome",
    "accepted",
    "refused",
    "lobby",
    "challenge",
    "challenge_answered",
    "challenge_gone",
    "game_started",
    "my_games",
    "game",
    "event",
    "presence",
    "store_state",
    "claimable",
    "rematch_offered",
    "rematch_withdrawn",
    "superseded",
    "game_unavailable",
    "ping",
];
/// The time after a loss in which messages from the lost branch may still arrive, because they
/// were already on their way.
const LATE_MS: u64 = 1_000;
/// The largest difference between the clocks of two processes on one machine, in milliseconds.
const CLOCK_SLACK_MS: i64 = 20;

/// A received text, parsed once.
#[derive(Clone)]
pub(super) struct Parsed {
    pub(super) kind: String,
    seq: Option<u64>,
    /// The number of events that came with the text.
    tail: u64,
    pub(super) value: Arc<Value>,
}

/// Everything known about one game.
pub(super) struct Checker<'a> {
    pub(super) truth: &'a Truth,
    pub(super) findings: &'a mut Findings,
    /// Three lists for each audience: the fact with each sequence number, the event and change
    /// that show this fact, and the state after the fact. The states begin with the state before
    /// all events.
    pub(super) told: [Vec<&'a StampedFact>; 3],
    events: [Vec<(Value, Value)>; 3],
    pub(super) states: [Vec<State<'a>>; 3],
    history: &'a History,
    /// The time of what is checked now; 0 for records.
    pub(super) now: u64,
    seen: HashMap<(usize, Arc<str>), Parsed>,
}

/// Checks the logs of a game against its records.
pub(crate) fn check_game(log: &GameLog, history: &History, findings: &mut Findings) {
    let Some(truth) = Truth::read(log, findings) else { return };
    let before = Played::so_far(findings);
    let mut told: [Vec<&StampedFact>; 3] = Default::default();
    let mut events: [Vec<(Value, Value)>; 3] = Default::default();
    let mut states: [Vec<State<'_>>; 3] = Default::default();
    for audience in 0..3 {
        let mut state = State::new(&truth, audience);
        states[audience].push(state.clone());
        for one in &truth.timelines[audience] {
            if let Some(expected) = state.take(one) {
                told[audience].push(one);
                events[audience].push(expected);
                states[audience].push(state.clone());
            }
            if let Some(what) = state.overdraft() {
                findings.fault(Fault::Clock, format!("{}: {what}", log.game));
            }
        }
    }
    let outages: Vec<&Outage> = history.outages.iter().filter(|outage| outage.is_of(&log.game)).collect();
    let seen = HashMap::new();
    let mut checker = Checker { truth: &truth, findings, told, events, states, history, now: 0, seen };
    checker.check_records(log);
    for client in &log.clients {
        checker.check_client(client);
        checker.check_clocks(client, &outages);
        check_lines(&log.game, client, history, checker.findings);
    }
    checker.now = 0;
    checker.check_effects(log);
    findings.archived += u64::from(log.is_archived);
    let plies = truth.boards.last().map_or(0, |board| board.ply);
    let played = Played::so_far(findings).since(&before, plies);
    findings.played.entry(truth.ruleset.clone()).or_default().add(played);
}

impl Checker<'_> {
    pub(super) fn fault(&mut self, fault: Fault, what: &str) {
        let game = &self.truth.game;
        if self.now == 0 {
            return self.findings.fault(fault, format!("{game}: {what}"));
        }
        self.findings.fault(fault, format!("{game}, {}: {what}", self.history.trouble_at(self.now)));
    }

    /// Checks that the events in each record equal the events derived from the truth.
    fn check_records(&mut self, log: &GameLog) {
        for audience in 0..3 {
            let Ok(record) = serde_json::from_str::<Value>(&log.records[audience]) else { continue };
            let told = record["events"].as_array().cloned().unwrap_or_default();
            let mut seq = 0;
            for one in told {
                self.findings.events += 1;
                if one["event"]["kind"] == "chosen" && color_of(&one["event"]["side"]) != Some(audience) {
                    // The end of the game revealed this choice. Compare it with the choice that
                    // its own side was told.
                    continue;
                }
                let mut expected = self.events[audience].get(seq).map(|(event, _)| event.clone());
                seq += 1;
                self.open_placed(audience, seq, expected.as_mut());
                if expected.as_ref() != Some(&one["event"]) {
                    let what = format!("record of audience {audience}, event {seq}: {one}, not {expected:?}");
                    self.fault(Fault::Differs, &what);
                }
            }
            let last = u64::try_from(self.events[audience].len()).unwrap_or_default();
            self.check_leaks(audience, Some(last), &log.records[audience], &record);
        }
    }

    /// Adds the rank of a piece from a reserve to an event, if the end of the game has revealed
    /// it.
    fn open_placed(&self, audience: usize, seq: usize, event: Option<&mut Value>) {
        let (Some(event), Some(state), Some(end)) =
            (event, self.states[audience].get(seq), self.states[audience].last())
        else {
            return;
        };
        let step = state.steps.checked_sub(1).and_then(|last| self.truth.steps.get(last));
        if let Some(Taken { color, step: BoardEvent::Placed { letter, .. }, .. }) = step
            && event["kind"] == "placed"
            && end.knows_all_of(*color)
        {
            event["piece"] = serde_json::json!(letter);
        }
    }

    fn check_client(&mut self, client: &ClientLog) {
        let audience = client.role.audience();
        let mut open_at: Option<u64> = None;
        let mut since: Option<u64> = None;
        let mut highest: u64 = 0;
        // The time and the epoch of the latest message.
        let (mut latest_at, mut epoch) = (0, None);
        for Entry { at, what } in &client.entries {
            let text = match what {
                What::Connected(_) | What::Dropped => {
                    open_at = None;
                    continue;
                }
                What::Sent(text) => {
                    if text.contains("\"open_game\"") {
                        let sent: Value = serde_json::from_str(text).unwrap_or_default();
                        since = sent["since"]["seq"].as_u64();
                    }
                    continue;
                }
                What::Received(text) => text,
            };
            self.findings.messages += 1;
            let Some(parsed) = self.look_at(audience, text, *at) else { continue };
            match (parsed.kind.as_str(), parsed.seq) {
                ("event", Some(seq)) => {
                    match open_at {
                        None => self.fault(Fault::Differs, "an event of a game that was not open"),
                        Some(last) if seq <= last => {
                            self.fault(
                                Fault::Doubled,
                                &format!("{:?} was shown {seq} after {last}", client.role),
                            );
                        }
                        Some(last) if seq > last + 1 => {
                            self.fault(
                                Fault::Gap,
                                &format!("{:?} was shown {seq} after {last}", client.role),
                            );
                        }
                        Some(_) => {}
                    }
                    open_at = Some(open_at.map_or(seq, |last| last.max(seq)));
                    highest = highest.max(seq);
                    latest_at = *at;
                }
                ("game", Some(seq)) => {
                    let told = parsed.value["epoch"].as_u64();
                    let is_new_epoch = epoch.is_some_and(|epoch| epoch != told);
                    if seq < highest {
                        let what = format!("{:?} has been shown {highest}, and now only {seq}", client.role);
                        match (self.is_lost(latest_at), is_new_epoch) {
                            (false, _) => self.fault(Fault::Missing, &what),
                            (true, false) => self.fault(Fault::Unexplained, &what),
                            (true, true) => self.findings.rollbacks += 1,
                        }
                        highest = seq;
                    }
                    (latest_at, epoch) = (*at, Some(told));
                    if parsed.tail > 0 && since != Some(seq - parsed.tail.min(seq)) {
                        self.fault(
                            Fault::Differs,
                            &format!("{:?}: the events since {since:?} are wrong", client.role),
                        );
                    }
                    open_at = Some(seq);
                    highest = highest.max(seq);
                }
                _ => {}
            }
        }
        self.check_commands(client);
        self.check_epochs(client);
    }

    /// True if a loss happened between two moments. In a loss, all servers and Redis are killed,
    /// so commands that were on their way could not be carried out.
    pub(super) fn is_lost_between(&self, from: u64, until: u64) -> bool {
        self.history.losses.iter().any(|loss| from < loss.from && loss.until < until)
    }

    /// True if a message received at this moment may belong to a lost branch.
    pub(super) fn is_lost(&self, at: u64) -> bool {
        self.history.losses.iter().any(|loss| (loss.from..=loss.until + LATE_MS).contains(&at))
    }

    /// Parses a text that was received at this moment. A text that only a lost branch can explain
    /// is counted, but is not a fault.
    pub(super) fn look_at(&mut self, audience: usize, text: &Arc<str>, at: u64) -> Option<Parsed> {
        self.now = at;
        if self.is_lost(at)
            && let Ok(value) = serde_json::from_str::<Value>(text)
            && let Some(seq) = value["seq"].as_u64()
            && !self.fits(audience, seq, &value)
        {
            self.findings.lost_messages += 1;
            let kind = value["type"].as_str().unwrap_or_default().to_owned();
            let tail = value["events"].as_array().map_or(0, |events| events.len() as u64);
            return Some(Parsed { kind, seq: Some(seq), tail, value: Arc::new(value) });
        }
        self.look(audience, text)
    }

    /// True if an event or a view agrees with the log.
    pub(super) fn fits(&self, audience: usize, seq: u64, value: &Value) -> bool {
        let index = usize::try_from(seq).unwrap_or(usize::MAX);
        if value["type"] == "event" {
            let mut change = value["change"].clone();
            sort_refused(&mut change);
            let expected = index.checked_sub(1).and_then(|index| self.events[audience].get(index));
            return expected == Some(&(value["event"].clone(), change));
        }
        let mut view = value["view"].clone();
        sort_refused(&mut view);
        let at = view["clock"]["at"].as_u64().unwrap_or_default();
        // Without a clock, different events in two branches may lead to the same view.
        differing(&self.events[audience], index, value).is_empty()
            && self.states[audience].get(index).is_some_and(|state| state.view(at) == view)
    }

    /// Parses a text once for each audience. A wrong text counts as only one fault, even if many
    /// clients received it.
    fn look(&mut self, audience: usize, text: &Arc<str>) -> Option<Parsed> {
        let key = (audience, text.clone());
        if let Some(parsed) = self.seen.get(&key) {
            return Some(parsed.clone());
        }
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            self.fault(Fault::Differs, &format!("not JSON: {text}"));
            return None;
        };
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        if !TYPES.contains(&kind.as_str()) {
            self.fault(Fault::Differs, &format!("an unknown message: {text}"));
        }
        let is_of_game = kind == "game" || kind == "event";
        let seq = if is_of_game { value["seq"].as_u64() } else { None };
        match (kind.as_str(), seq) {
            ("event", Some(seq)) => self.check_event(audience, seq, &value),
            ("game", Some(seq)) => self.check_view(audience, seq, &value),
            _ => {}
        }
        self.check_leaks(audience, seq, text, &value);
        let tail = value["events"].as_array().map_or(0, |events| events.len() as u64);
        let parsed = Parsed { kind, seq, tail, value: Arc::new(value) };
        self.seen.insert(key, parsed.clone());
        Some(parsed)
    }

    fn check_event(&mut self, audience: usize, seq: u64, value: &Value) {
        self.findings.events += 1;
        let index = usize::try_from(seq).unwrap_or_default().wrapping_sub(1);
        let mut change = value["change"].clone();
        sort_refused(&mut change);
        self.findings.clocks += u64::from(change.get("clock").is_some());
        let expected = self.events[audience].get(index);
        if expected != Some(&(value["event"].clone(), change)) {
            let what = format!("audience {audience}, event {seq}: {value}, not {expected:?}");
            self.fault(Fault::Differs, &what);
        }
    }

    fn check_view(&mut self, audience: usize, seq: u64, value: &Value) {
        self.findings.views += 1;
        let mut view = value["view"].clone();
        sort_refused(&mut view);
        let at = view["clock"]["at"].as_u64();
        self.findings.clocks += u64::from(at.is_some());
        let index = usize::try_from(seq).unwrap_or(usize::MAX);
        let expected = self.states[audience].get(index).map(|state| state.view(at.unwrap_or_default()));
        if expected.as_ref() != Some(&view) {
            let what = format!("audience {audience}, view at {seq}: {view}, not {expected:?}");
            self.fault(Fault::Differs, &what);
        }
        let summary = &value["game"];
        let is_told_twice_alike = ["ply", "phase", "turn", "outcome"]
            .into_iter()
            .all(|field| summary.get(field) == view.get(field));
        if !is_told_twice_alike || value["audience"] != view["audience"] {
            self.fault(Fault::Differs, &format!("summary and view disagree at {seq}: {value}"));
        }
        let wrong = differing(&self.events[audience], index, value);
        let wrong: Vec<String> = wrong
            .into_iter()
            .map(|(told, expected)| {
                format!("audience {audience}, events before {seq}: {told}, not {expected:?}")
            })
            .collect();
        wrong.iter().for_each(|what| self.fault(Fault::Differs, what));
    }

    /// Checks that every act of a side was commanded, and that it happened only as often as it
    /// was commanded.
    fn check_effects(&mut self, log: &GameLog) {
        for (color, role) in [Role::Red, Role::Blue].into_iter().enumerate() {
            let commands: Vec<(u64, Value)> = log
                .clients
                .iter()
                .filter(|client| client.role == role)
                .flat_map(|client| sent_commands(client).into_values())
                .collect();
            let asked = |kind: &str| commands.iter().filter(|(_, command)| command["kind"] == kind).count();
            let facts = |is: &dyn Fn(&Fact) -> bool| {
                self.truth.timelines[color].iter().filter(|told| is(&told.fact)).count()
            };
            let is_too_often = facts(&|fact| matches!(fact, Fact::Deployed(_))) > asked("deploy")
                || facts(&|fact| *fact == Fact::DrawOffered(color)) > asked("offer_draw")
                || facts(&|fact| *fact == Fact::DrawDeclined(color)) > asked("decline_draw");
            let mut own = self.truth.steps.iter().enumerate().filter(|(_, taken)| taken.color == color);
            // The ply that resolves a strike was commanded when the strike began. The ply also
            // reports the choices.
            let is_asked_for = |(step, taken): (usize, &Taken)| {
                let after = &self.truth.boards[step + 1];
                commands.iter().any(|(ply, command)| *ply == taken.ply && fits(taken, after, command))
            };
            let is_unasked = !own.all(is_asked_for);
            let mut chosen = self.told[color].iter().zip(&self.states[color]).filter_map(|(told, before)| {
                matches!(told.fact, Fact::Chosen(..)).then_some((told, before.ply()))
            });
            let is_unchosen = !chosen.all(|(told, at)| {
                commands.iter().any(|(ply, command)| *ply == at && is_choice(told, command))
            });
            if is_too_often || is_unasked || is_unchosen {
                self.fault(Fault::Doubled, &format!("{role:?}'s commands took effect more often than sent"));
            }
        }
    }

    /// Checks that clocks do not run while no server runs, by comparing the last clock before an
    /// outage with the first view after it.
    fn check_clocks(&mut self, client: &ClientLog, outages: &[&Outage]) {
        let audience = client.role.audience();
        let mut before: Option<(usize, Value, u64)> = None;
        for Entry { at: received, what } in &client.entries {
            let What::Received(text) = what else { continue };
            self.now = *received;
            if self.is_lost(*received) {
                // Do not compare a clock of a lost branch with other clocks.
                before = None;
                continue;
            }
            let Some(Parsed { kind, seq: Some(seq), value, .. }) = self.look(audience, text) else {
                continue;
            };
            let clock = if kind == "game" { &value["view"]["clock"] } else { &value["change"]["clock"] };
            let state = usize::try_from(seq).ok().and_then(|seq| self.states[audience].get(seq));
            let Some(turns) = state.map(|state| state.turns) else { continue };
            let between: Vec<&Outage> = outages
                .iter()
                .copied()
                .filter(|outage| {
                    before.as_ref().is_some_and(|(_, _, then)| *then <= outage.killed_at)
                        && *received >= outage.spawned_at
                })
                .collect();
            if let (Some((then, old, _)), false, "game") = (&before, between.is_empty(), kind.as_str())
                && *then == turns
                && let Some(gift) = gift_ms(old, clock, &between)
            {
                self.findings.clocks_over_outages += 1;
                self.findings.clock_gift_max = self.findings.clock_gift_max.max(gift);
                if gift < -CLOCK_SLACK_MS {
                    let what = format!("{old} before {between:?}, {clock} after: {} ms too much", -gift);
                    self.fault(Fault::Clock, &what);
                }
            }
            if !clock.is_null() {
                before = Some((turns, clock.clone(), *received));
            }
        }
    }
}

/// Returns the events in a view's message that differ from the log, each with the log's event.
fn differing<'a>(
    log: &'a [(Value, Value)],
    seq: usize,
    message: &'a Value,
) -> Vec<(&'a Value, Option<&'a Value>)> {
    let tail = message["events"].as_array().map(Vec::as_slice).unwrap_or_default();
    let beside = tail.iter().rev().enumerate().map(|(back, told)| {
        let expected = seq.checked_sub(back + 1).and_then(|at| log.get(at));
        (told, expected.map(|(event, _)| event))
    });
    beside.filter(|(told, expected)| *expected != Some(*told)).collect()
}

/// Returns the time during which a server ran, minus the time that a running clock was charged.
/// If both clocks run, returns the smaller difference. `None` if no clock runs.
fn gift_ms(old: &Value, new: &Value, outages: &[&Outage]) -> Option<i64> {
    let is_running = |side: &&str| old["running"] == **side || old["running"] == "both";
    let left = |clock: &Value, side: &str| clock["remaining_ms"][side].as_u64();
    let (from, to) = (old["at"].as_u64()?, new["at"].as_u64()?);
    let without_server: u64 = outages
        .iter()
        // A jump takes no time. A clock whose stamp is before the end of the jump comes from a
        // server that has not noticed the jump yet, so its time continues as before.
        .filter(|outage| outage.killed_at < outage.spawned_at || outage.by_store.1 <= to)
        // Measure the outage in stamps, because Redis's clock may differ from the machine's by
        // minutes.
        .map(|outage| outage.by_store.1.min(to).saturating_sub(outage.by_store.0.max(from)))
        .sum();
    let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let served = signed(to.saturating_sub(from)) - signed(without_server);
    let gifts = SIDES
        .into_iter()
        .filter(is_running)
        .map(|side| Some(served - (signed(left(old, side)?) - signed(left(new, side)?))));
    gifts.flatten().min()
}

fn sort_refused(value: &mut Value) {
    for name in ["refused_moves", "more_squares"] {
        if let Some(Value::Array(refused)) = value.get_mut(name) {
            refused.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(at: u64, red_ms: u64) -> Value {
        serde_json::json!({"at": at, "remaining_ms": {"red": red_ms, "blue": 1}, "running": "red"})
    }

    fn outage(killed_at: u64, spawned_at: u64, by_store: (u64, u64)) -> Outage {
        Outage { killed_at, spawned_at, up_at: spawned_at, by_store, games: None }
    }

    #[test]
    fn an_outage_is_measured_by_the_clock_that_gives_the_stamps() {
        // Redis's clock was set back by 2.2 s, and servers continued the old time. Servers ran
        // for 1.0 s before the outage and for 1.3 s after it.
        let set_back = outage(678_357, 683_158, (678_357, 680_940));
        assert_eq!(gift_ms(&clock(677_334, 924_863), &clock(682_217, 923_605), &[&set_back]), Some(1_042));
        // Redis's clock is ten minutes ahead. Servers ran for 1 s before the outage and for 1 s
        // after it, but the game's clock ran all the time.
        let ahead = outage(100_000, 105_000, (700_000, 705_000));
        assert_eq!(gift_ms(&clock(699_000, 60_000), &clock(706_000, 53_000), &[&ahead]), Some(-5_000));
        assert_eq!(gift_ms(&clock(699_000, 60_000), &clock(706_000, 58_000), &[&ahead]), Some(0));
    }

    #[test]
    fn a_clock_that_is_shown_before_its_server_hears_of_a_jump_has_run() {
        let jump = outage(573_117, 573_117, (570_899, 971_714));
        assert_eq!(gift_ms(&clock(569_710, 60_000), &clock(570_949, 58_761), &[&jump]), Some(0));
        assert_eq!(gift_ms(&clock(569_710, 60_000), &clock(971_800, 58_700), &[&jump]), Some(-25));
        assert_eq!(gift_ms(&clock(569_710, 60_000), &clock(971_800, 0), &[&jump]), Some(-58_725));
    }

    #[test]
    fn events_that_came_along_are_compared_with_those_before_the_number() {
        let event = |since: u64| serde_json::json!({"kind": "resumed", "since": since});
        let log: Vec<(Value, Value)> = (1..=3).map(|at| (event(at), Value::Null)).collect();
        let check = |seq: usize, tail: &[u64], wrong: usize| {
            let told: Vec<Value> = tail.iter().map(|at| event(*at)).collect();
            let message = serde_json::json!({"events": told});
            assert_eq!(differing(&log, seq, &message).len(), wrong, "{tail:?} before {seq}");
        };
        check(3, &[], 0);
        check(3, &[2, 3], 0);
        check(2, &[1, 2], 0);
        check(3, &[2, 4], 1);
        check(2, &[2, 3], 2);
        // In the first case, the view has more events than the log. In the second case, the view
        // has events beyond the end of the log.
        check(1, &[0, 1], 1);
        check(5, &[4, 5], 2);
    }
}
