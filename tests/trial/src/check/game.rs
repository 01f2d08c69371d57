//! One game: its clients' logs against its truth.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::board::{At, Color, read_move};
use super::expect::State;
use super::findings::{Fault, Findings};
use super::lines::check_lines;
use super::truth::{Fact, Truth, color_of};
use crate::log::{ClientLog, Entry, GameLog, Loss, Outage, Role, What};
use crate::site::History;

/// What the server may send.
const TYPES: &[&str] = &[
    "welcome",
    "accepted",
    "refused",
    "lobby",
    "challenge",
    "challenge_answered",
    "game_started",
    "my_games",
    "game",
    "event",
    "presence",
    "store_state",
    "claimable",
    "rematch_offered",
    "superseded",
    "game_unavailable",
    "ping",
];
/// Codes no lawful ply is refused with.
const UNLAWFUL: &[&str] = &[
    "malformed",
    "no_piece",
    "immovable",
    "not_in_line",
    "too_far",
    "lake",
    "own_piece",
    "blocked",
    "two_squares",
    "more_squares",
    "off_board",
    "cmd_id_reused",
    "internal",
    "no_such_game",
    "game_quarantined",
    "out_of_time",
];
/// How much later than a loss something of the lost branch may be received: it was under way.
const LATE_MS: u64 = 1_000;
/// What clocks of two processes of one machine may differ by, in milliseconds.
const CLOCK_SLACK_MS: i64 = 20;

/// Codes that say: not now. Whoever gets one asks again by the same id.
const FOR_NOW: &[&str] = &["store_unavailable", "too_many", "stopping", "superseded", "paused"];

/// What a client's commands were answered with.
#[derive(Default)]
struct Answers {
    /// By id: as what, and when.
    accepted: HashMap<String, (Value, u64)>,
    /// By id: how.
    refused: HashMap<String, Value>,
    /// Acknowledged, when, in which epoch, and in no log.
    lost: Vec<(String, u64, Option<u64>)>,
    /// The epoch the client was told last.
    epoch: Option<u64>,
}

/// A received text, looked at once.
#[derive(Clone)]
struct Parsed {
    kind: String,
    seq: Option<u64>,
    /// How many events came along.
    tail: u64,
    value: Arc<Value>,
}

/// Everything about one game.
struct Checker<'a> {
    truth: &'a Truth,
    findings: &'a mut Findings,
    /// Per audience: each number's event and change, and the state after it (index 0: before all).
    events: [Vec<(Value, Value)>; 3],
    states: [Vec<State<'a>>; 3],
    /// When something was lost that nobody had any more.
    losses: &'a [Loss],
    seen: HashMap<(usize, Arc<str>), Parsed>,
}

/// Checks a game's logs against its records.
pub(crate) fn check_game(log: &GameLog, history: &History, findings: &mut Findings) {
    let Some(truth) = Truth::read(log, findings) else { return };
    let mut events: [Vec<(Value, Value)>; 3] = Default::default();
    let mut states: [Vec<State<'_>>; 3] = Default::default();
    for audience in 0..3 {
        let mut state = State::new(&truth, audience);
        states[audience].push(state.clone());
        for told in &truth.timelines[audience] {
            events[audience].push(state.take(told));
            states[audience].push(state.clone());
            if let Some(what) = state.overdraft() {
                findings.fault(Fault::Clock, format!("{}: {what}", log.game));
            }
        }
    }
    let losses = &history.losses;
    let mut checker = Checker { truth: &truth, findings, events, states, losses, seen: HashMap::new() };
    checker.check_records(log);
    for client in &log.clients {
        checker.check_client(client);
        checker.check_clocks(client, &history.outages);
        check_lines(&log.game, client, history, checker.findings);
    }
    checker.check_effects(log);
}

impl Checker<'_> {
    fn fault(&mut self, fault: Fault, what: &str) {
        self.findings.fault(fault, format!("{}: {what}", self.truth.game));
    }

    /// The events in each record are those made anew.
    fn check_records(&mut self, log: &GameLog) {
        for audience in 0..3 {
            let Ok(record) = serde_json::from_str::<Value>(&log.records[audience]) else { continue };
            let told = record["events"].as_array().cloned().unwrap_or_default();
            for (index, one) in told.iter().enumerate() {
                self.findings.events += 1;
                let expected = self.events[audience].get(index).map(|(event, _)| event);
                if expected != Some(&one["event"]) {
                    let what =
                        format!("record of audience {audience}, event {index}: {one}, not {expected:?}");
                    self.fault(Fault::Differs, &what);
                }
            }
            let last = u64::try_from(told.len()).unwrap_or_default();
            self.check_leaks(audience, Some(last), &log.records[audience], &record);
        }
    }

    fn check_client(&mut self, client: &ClientLog) {
        let audience = client.role.audience();
        let mut open_at: Option<u64> = None;
        let mut since: Option<u64> = None;
        let mut highest: u64 = 0;
        // When the latest news came, and in which epoch.
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
                            &format!("{:?}: the events since {since:?} are not those", client.role),
                        );
                    }
                    open_at = Some(seq);
                    highest = highest.max(seq);
                }
                _ => {}
            }
        }
        self.check_commands(client);
    }

    /// Whether what was heard of then may be of a branch that was lost, so that nobody had it any more.
    fn is_lost(&self, at: u64) -> bool {
        self.losses.iter().any(|loss| (loss.from..=loss.until + LATE_MS).contains(&at))
    }

    /// Looks at a text that was received then. What only a lost branch can explain is counted, and held against nobody.
    fn look_at(&mut self, audience: usize, text: &Arc<str>, at: u64) -> Option<Parsed> {
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

    /// Whether the log says what an event or a view says.
    fn fits(&self, audience: usize, seq: u64, value: &Value) -> bool {
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
        self.states[audience].get(index).is_some_and(|state| state.view(at) == view)
    }

    /// Looks at a text once for each audience; the same text is the same fault however many received it.
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
        let tail = value["events"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (back, event) in tail.iter().rev().enumerate() {
            let expected = index.checked_sub(back + 1).and_then(|at| self.events[audience].get(at));
            if expected.map(|(expected, _)| expected) != Some(event) {
                self.fault(Fault::Differs, &format!("audience {audience}, events before {seq}: {event}"));
            }
        }
    }

    /// Looks for ranks in a message, whatever message it is, that the audience cannot know at that number.
    fn check_leaks(&mut self, audience: usize, seq: Option<u64>, text: &str, value: &Value) {
        let index = usize::try_from(seq.unwrap_or(0)).unwrap_or(usize::MAX);
        let Some(state) = self.states[audience].get(index).cloned() else { return };
        let mut leaks = Vec::new();
        let (known, hidden): (Vec<Color>, Vec<Color>) = (0..2).partition(|color| state.knows_all_of(*color));
        // Both sides may have chosen the same deployment: then the text is no secret to either.
        let shown: Vec<&String> = known.iter().flat_map(|color| self.truth.deployments_of(*color)).collect();
        for color in hidden {
            let secrets = self.truth.deployments_of(color).filter(|setup| !shown.contains(setup));
            let mut secrets = secrets.chain([&self.truth.salts[color]]);
            if secrets.any(|secret| text.contains(secret.as_str())) {
                leaks.push(format!("a deployment or a salt in {text}"));
            }
        }
        // Events that came along, or make a record, were shown at numbers of their own.
        let told = value["events"].as_array().map_or(0, Vec::len);
        find_identities(value, &mut |found| {
            let is_known = match found {
                Found::Piece(at, color) => state
                    .board()
                    .and_then(|board| board.piece(at))
                    .is_none_or(|piece| piece.color != color || state.knows(piece) || color == audience),
                Found::Mover(color, squares) => {
                    color == audience
                        || (state.plies.saturating_sub(told.max(1))..state.plies).any(|ply| {
                            let after = &self.truth.boards[ply + 1];
                            ply % 2 == color
                                && self.truth.moves[ply] == squares
                                && (self.truth.strikes[ply].is_some()
                                    || after.piece(squares.1).is_some_and(|piece| piece.is_revealed))
                        })
                }
            };
            if !is_known {
                leaks.push(format!("{found:?} to audience {audience} at {index}: {text}"));
            }
        });
        for leak in leaks {
            self.fault(Fault::Leak, &leak);
        }
    }

    /// Every acknowledged command is in the log; none was acknowledged in two ways.
    fn check_commands(&mut self, client: &ClientLog) {
        let color = match client.role {
            Role::Red => 0,
            Role::Blue => 1,
            Role::Spectator(_) => return,
        };
        let sent = sent_commands(client);
        let mut answers = Answers::default();
        for Entry { at, what } in &client.entries {
            let What::Received(text) = what else { continue };
            let Some(parsed) = self.look_at(color, text, *at) else { continue };
            let value = parsed.value;
            if parsed.kind == "game" {
                answers.epoch = value["epoch"].as_u64();
            }
            let Some(id) = value["cmd_id"].as_str() else { continue };
            match parsed.kind.as_str() {
                "accepted" => self.check_accepted(color, id, sent.get(id), (*at, &value), &mut answers),
                "refused" => self.check_refused(id, sent.get(id), (*at, &value), &mut answers),
                _ => {}
            }
        }
        self.check_refused_moves(color, &sent, &answers);
        for (id, at, epoch) in answers.lost {
            let is_told =
                client.entries.iter().filter(|entry| entry.at >= at).any(|entry| match &entry.what {
                    What::Received(text) => self.look_at(color, text, entry.at).is_some_and(|parsed| {
                        parsed.kind == "game" && parsed.value["epoch"].as_u64() != epoch
                    }),
                    _ => false,
                });
            self.findings.lost_acks += 1;
            if !is_told {
                self.fault(
                    Fault::Unexplained,
                    &format!("{id} was acknowledged in epoch {epoch:?}, and is gone"),
                );
            }
        }
    }

    fn check_accepted(
        &mut self,
        color: Color,
        id: &str,
        sent: Option<&(u64, Value)>,
        (at, value): (u64, &Value),
        answers: &mut Answers,
    ) {
        let outcome = value["outcome"].clone();
        if let Some((before, accepted_at)) = answers.accepted.insert(id.to_owned(), (outcome.clone(), at)) {
            if before != outcome && !self.is_lost(accepted_at) {
                self.fault(Fault::Doubled, &format!("{id} was accepted as {before} and as {outcome}"));
            }
            return;
        }
        let Some((ply, command)) = sent else { return };
        if command["kind"] == "move" {
            self.findings.moves_acked += 1;
        } else {
            self.findings.others_acked += 1;
        }
        if self.is_in_log(color, *ply, command, &outcome) {
            return;
        }
        if self.is_lost(at) {
            answers.lost.push((id.to_owned(), at, answers.epoch));
        } else {
            let what = format!("{id}, {command} at ply {ply}, acknowledged as {outcome}");
            self.fault(Fault::Missing, &what);
        }
    }

    fn check_refused(
        &mut self,
        id: &str,
        sent: Option<&(u64, Value)>,
        (at, value): (u64, &Value),
        answers: &mut Answers,
    ) {
        let code = value["code"].as_str().unwrap_or_default();
        let is_own_move = sent.is_some_and(|(_, command)| command["kind"] == "move");
        let is_flag = code == "out_of_time" && self.truth.is_out_of_time();
        if is_own_move && UNLAWFUL.contains(&code) && !is_flag {
            self.fault(Fault::Refusal, &format!("{id}: {value}"));
        }
        if !FOR_NOW.contains(&code) {
            if answers.accepted.get(id).is_some_and(|(_, accepted_at)| !self.is_lost(*accepted_at)) {
                self.fault(Fault::Missing, &format!("{id} was accepted, and then refused: {value}"));
            }
            if !self.is_lost(at) {
                answers.refused.insert(id.to_owned(), value.clone());
            }
        }
    }

    /// What was refused for good has not happened, unless it was asked for once more.
    fn check_refused_moves(
        &mut self,
        color: Color,
        sent: &BTreeMap<String, (u64, Value)>,
        answers: &Answers,
    ) {
        let wish = |id: &String| {
            let (ply, command) = sent.get(id)?;
            Some((usize::try_from(*ply).ok()?, read_move(command["move"].as_str()?)?))
        };
        let granted: HashSet<(usize, (At, At))> = answers.accepted.keys().filter_map(wish).collect();
        for (id, refusal) in &answers.refused {
            let Some((ply, squares)) = wish(id) else { continue };
            let is_made = ply % 2 == color && self.truth.moves.get(ply) == Some(&squares);
            if is_made && !answers.accepted.contains_key(id) && !granted.contains(&(ply, squares)) {
                self.fault(Fault::Refusal, &format!("{id} was refused, and is in the log: {refusal}"));
            }
        }
    }

    fn is_in_log(&self, color: Color, ply: u64, command: &Value, outcome: &Value) -> bool {
        let Some(seq) = outcome["seq"].as_u64().and_then(|seq| usize::try_from(seq).ok()) else {
            return false;
        };
        // What follows from a command by itself has the last of its numbers.
        (seq.saturating_sub(3)..seq).rev().any(|index| {
            let Some(told) = self.truth.timelines[color].get(index) else { return false };
            match (&told.fact, command["kind"].as_str().unwrap_or_default()) {
                (Fact::Moved(from, to), "move") => {
                    let before = &self.states[color][index];
                    let squares = command["move"].as_str().and_then(read_move);
                    before.plies as u64 == ply && squares == Some((*from, *to)) && ply % 2 == color as u64
                }
                (Fact::Deployed(setup), "deploy") => {
                    let text = command["setup"].as_str().unwrap_or_default();
                    text.chars().filter(|letter| !letter.is_whitespace()).eq(setup.chars())
                }
                (Fact::Ended(winner, reason), "resign") => reason == "resigned" && *winner == Some(1 - color),
                (Fact::DrawOffered(by), "offer_draw") | (Fact::DrawDeclined(by), "decline_draw") => {
                    *by == color
                }
                (Fact::Ended(None, reason), "offer_draw" | "accept_draw") => reason == "draw_agreed",
                _ => false,
            }
        })
    }

    /// Whatever a side did was asked for, and no more often than it was asked for.
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
            let moves: HashSet<(u64, Option<(At, At)>)> = commands
                .iter()
                .map(|(ply, command)| (*ply, command["move"].as_str().and_then(read_move)))
                .collect();
            let is_unasked = self
                .truth
                .moves
                .iter()
                .enumerate()
                .any(|(ply, squares)| ply % 2 == color && !moves.contains(&(ply as u64, Some(*squares))));
            if is_too_often || is_unasked {
                self.fault(Fault::Doubled, &format!("{role:?}'s commands took effect more often than sent"));
            }
        }
    }

    /// Between the last clock before an outage and the first view after it, the time without a server does not count.
    fn check_clocks(&mut self, client: &ClientLog, outages: &[Outage]) {
        let audience = client.role.audience();
        let mut before: Option<(u64, Value, u64)> = None;
        for Entry { at: received, what } in &client.entries {
            let What::Received(text) = what else { continue };
            if self.is_lost(*received) {
                // A clock of a branch that was lost is compared with no other one.
                before = None;
                continue;
            }
            let Some(Parsed { kind, seq: Some(seq), value, .. }) = self.look(audience, text) else {
                continue;
            };
            let clock = if kind == "game" { &value["view"]["clock"] } else { &value["change"]["clock"] };
            let plies = usize::try_from(seq).ok().and_then(|seq| self.states[audience].get(seq));
            let Some(plies) = plies.map(|state| state.plies as u64) else { continue };
            let between: Vec<&Outage> = outages
                .iter()
                .filter(|outage| {
                    before.as_ref().is_some_and(|(_, _, then)| *then <= outage.killed_at)
                        && *received >= outage.spawned_at
                })
                .collect();
            if let (Some((ply, old, _)), false, "game") = (&before, between.is_empty(), kind.as_str())
                && *ply == plies
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
                before = Some((plies, clock.clone(), *received));
            }
        }
    }
}

/// By how much less the running clock was charged than the time with a server; none when nothing ran.
fn gift_ms(old: &Value, new: &Value, outages: &[&Outage]) -> Option<i64> {
    let side = color_of(&old["running"])?;
    let left = |clock: &Value| clock["remaining_ms"][super::truth::SIDES[side]].as_u64();
    let (from, to) = (old["at"].as_u64()?, new["at"].as_u64()?);
    let without_server: u64 = outages
        .iter()
        .map(|outage| outage.spawned_at.min(to).saturating_sub(outage.killed_at.max(from)))
        .sum();
    let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let served = signed(to.saturating_sub(from)) - signed(without_server);
    Some(served - (signed(left(old)?) - signed(left(new)?)))
}

/// The game commands a client sent, by id: the ply named and what was asked.
fn sent_commands(client: &ClientLog) -> BTreeMap<String, (u64, Value)> {
    let mut sent = BTreeMap::new();
    for Entry { what, .. } in &client.entries {
        let What::Sent(text) = what else { continue };
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        if value["type"] == "command"
            && let (Some(id), Some(ply)) = (value["cmd_id"].as_str(), value["ply"].as_u64())
        {
            sent.insert(id.to_owned(), (ply, value["command"].clone()));
        }
    }
    sent
}

fn sort_refused(value: &mut Value) {
    if let Some(Value::Array(refused)) = value.get_mut("refused_moves") {
        refused.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    }
}

/// A rank that is named in a message.
#[derive(Debug)]
enum Found {
    /// As a piece on a square.
    Piece(At, Color),
    /// As the piece that made a ply.
    Mover(Color, (At, At)),
}

/// Calls back with every rank named anywhere in a message.
fn find_identities(value: &Value, found: &mut dyn FnMut(Found)) {
    match value {
        Value::String(text) => {
            if let Some((at, color)) = read_piece(text) {
                found(Found::Piece(at, color));
            }
        }
        Value::Array(list) => list.iter().for_each(|one| find_identities(one, found)),
        Value::Object(fields) => {
            let squares = fields.get("move").and_then(Value::as_str).and_then(read_move);
            let is_named = fields.get("piece").and_then(Value::as_str).is_some_and(|piece| piece != "?");
            if let (Some(squares), true, Some(color)) =
                (squares, is_named, fields.get("side").and_then(color_of))
            {
                found(Found::Mover(color, squares));
            }
            // `b7b6` is a move there, and would be Blue's Lieutenant on b7 anywhere else.
            let is_of_moves = |name: &str| name == "move" || name == "refused_moves";
            let others = fields.iter().filter(|(name, one)| !(is_of_moves(name) && are_moves(one)));
            others.for_each(|(_, one)| find_identities(one, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn are_moves(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(are_moves),
        other => other.as_str().is_some_and(|text| read_move(text).is_some()),
    }
}

/// Reads `j7b?'*` where a rank is named.
fn read_piece(text: &str) -> Option<(At, Color)> {
    let split = text.get(1..)?.find(|letter: char| !letter.is_ascii_digit())? + 1;
    let at = At::read(text.get(..split)?)?;
    let mut rest = text.get(split..)?.chars();
    let color = match rest.next()? {
        'r' => 0,
        'b' => 1,
        _ => return None,
    };
    let is_rank = rest.next().is_some_and(|letter| "FBS987654321P".contains(letter.to_ascii_uppercase()));
    // Ids of games and players may begin like pieces.
    (is_rank && ["", "'", "*", "'*"].contains(&rest.as_str())).then_some((at, color))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_found_wherever_they_are() {
        let value = serde_json::json!({"a": [{"b": "j10b5'"}], "c": "a4r?", "d": {"side": "red", "move": "a4a5", "piece": "9"}});
        let mut count = 0;
        find_identities(&value, &mut |_| count += 1);
        assert_eq!(count, 2);
        find_identities(&serde_json::json!({"move": "b7b6", "refused_moves": ["b7b6"]}), &mut |_| count += 1);
        assert_eq!(count, 2);
        find_identities(
            &serde_json::json!({"move": "b7b6'", "pieces": ["b7b6"], "id": "b7b6abcdefgh"}),
            &mut |_| count += 1,
        );
        assert_eq!(count, 4);
    }
}
