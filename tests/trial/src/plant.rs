//! Plants faults in copies of real logs. This shows that the checker can find faults, so a result
//! of zero faults means something.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::board_plants::PLANTS as BOARD_PLANTS;
use crate::check::{Fault, Findings, PairLog, check_game};
use crate::log::{Death, Entry, GameLog, Role, What};
use crate::pair_plants::plant_in_pairs;
use crate::planted::{Plant, Planted, change_text, change_value};
use crate::site::History;

/// Each kind of fault, and the function that plants it.
const PLANTS: &[(&str, Fault, Plant)] = &[
    ("an acknowledged move that the log lost", Fault::Missing, lose_move),
    ("an acknowledgement that is followed by a refusal", Fault::Missing, refuse_accepted),
    ("an event shown twice", Fault::Doubled, show_twice),
    ("a ply twice in the log", Fault::Doubled, record_twice),
    ("one command id accepted as two events", Fault::Doubled, accept_twice),
    ("an event that was never shown", Fault::Gap, skip_event),
    ("a hidden rank in an event", Fault::Leak, leak_in_event),
    ("a hidden rank in a view", Fault::Leak, leak_in_view),
    ("a deployment in a refusal", Fault::Leak, leak_in_refusal),
    ("a missing moved mark in a view", Fault::Differs, unmark_piece),
    ("a wrong number of captured pieces", Fault::Differs, miscount_captured),
    ("a wrong ply in a view", Fault::Differs, change_ply),
    ("a wrong turn after an event", Fault::Differs, change_turn),
    ("a clock that ran through an outage", Fault::Clock, run_clock),
    ("a commitment that was opened with another salt", Fault::Commitment, change_salt),
    ("a lawful move refused", Fault::Refusal, refuse_lawful),
    ("a move of an earlier epoch carried out", Fault::Astray, carry_out_astray),
    ("an archived record with a changed stamp", Fault::Differs, change_stamp),
    ("a record without its end", Fault::Unended, cut_end),
    ("an end that only the clients saw", Fault::Missing, cut_end),
];

/// Plants every kind of fault in a copy of one of the logs and runs the checker.
#[must_use]
pub(crate) fn plant_all(games: &[GameLog], pairs: &[PairLog], history: &History) -> Vec<Planted> {
    let mut planted = plant_in_games(games, history);
    planted.push(plant_late_return(games, history));
    planted.extend(plant_in_pairs(pairs));
    planted
}

/// Plants every kind of fault that is possible in the log of a single game.
#[must_use]
pub(crate) fn plant_in_games(games: &[GameLog], history: &History) -> Vec<Planted> {
    PLANTS.iter().chain(BOARD_PLANTS).map(|planted| plant_one(planted, games, history)).collect()
}

/// Plants a fault in the first game in which it is possible. If the checker does not find it
/// there, tries the other games.
#[must_use]
pub(crate) fn plant_one(
    (what, fault, plant): &(&'static str, Fault, Plant),
    games: &[GameLog],
    history: &History,
) -> Planted {
    // Some faults are not possible in every game.
    let changed = games.iter().filter_map(|game| {
        let mut copy = game.clone();
        plant(&mut copy).map(|()| copy)
    });
    let mut counts = changed.map(|game| {
        let mut findings = Findings::default();
        check_game(&game, history, &mut findings);
        findings.count(*fault)
    });
    let found = counts.next().map(|first| if first > 0 { first } else { counts.max().unwrap_or(0) });
    Planted { what, fault: *fault, found }
}

/// Changes a log as if a client had reconnected too late after its server was killed, although
/// nothing else was wrong.
fn plant_late_return(games: &[GameLog], history: &History) -> Planted {
    let changed = games.iter().find_map(|game| {
        let mut copy = game.clone();
        return_late(&mut copy, history.elsewhere_max_ms + 1_000).map(|death| (death, copy))
    });
    let found = changed.map(|(death, game)| {
        let history = History { deaths: vec![death], troubles: Vec::new(), ..history.clone() };
        let mut findings = Findings::default();
        check_game(&game, &history, &mut findings);
        findings.count(Fault::Stranded)
    });
    Planted { what: "a client of a killed server that comes back late", fault: Fault::Stranded, found }
}

/// Finds the first client whose connection ended with a game open, and delays all of the client's
/// later entries.
fn return_late(log: &mut GameLog, late_ms: u64) -> Option<Death> {
    let is_game =
        |entry: &Entry| matches!(&entry.what, What::Received(text) if text.contains(r#""type":"game""#));
    for client in &mut log.clients {
        let (mut server, mut was_open_at) = (None, None);
        for at in 0..client.entries.len() {
            let entry = &client.entries[at];
            match entry.what {
                What::Connected(number) => (server, was_open_at) = (Some(number), None),
                What::Dropped => {
                    let death = server.take().map(|server| Death { server, at: entry.at });
                    let is_open = was_open_at.is_some_and(|open_at| open_at < entry.at);
                    let later = &mut client.entries[at + 1..];
                    if let Some(death) = death.filter(|_| is_open && later.iter().any(is_game)) {
                        later.iter_mut().for_each(|entry| entry.at += late_ms);
                        return Some(death);
                    }
                }
                _ if is_game(entry) => was_open_at = Some(entry.at),
                What::Sent(_) | What::Received(_) => {}
            }
        }
    }
    None
}

fn change_records(log: &mut GameLog, change: impl Fn(&mut Vec<Value>) -> Option<()>) -> Option<()> {
    for record in &mut log.records {
        let mut value: Value = serde_json::from_str(record).ok()?;
        change(value["events"].as_array_mut()?)?;
        *record = value.to_string();
    }
    Some(())
}

fn is_kind(event: &Value, kind: &str) -> bool {
    event["event"]["kind"] == kind
}

fn lose_move(log: &mut GameLog) -> Option<()> {
    change_records(log, |events| {
        let last = events.iter().rposition(|event| is_kind(event, "moved"))?;
        events.remove(last);
        Some(())
    })
}

fn record_twice(log: &mut GameLog) -> Option<()> {
    change_records(log, |events| {
        let last = events.iter().rposition(|event| is_kind(event, "moved"))?;
        let again = events[last].clone();
        events.insert(last, again);
        Some(())
    })
}

fn change_stamp(log: &mut GameLog) -> Option<()> {
    if !log.is_archived {
        return None;
    }
    change_records(log, |events| {
        let last = events.iter_mut().rfind(|event| is_kind(event, "moved"))?;
        last["at"] = json!(last["at"].as_u64()? + 1);
        Some(())
    })
}

fn cut_end(log: &mut GameLog) -> Option<()> {
    change_records(log, |events| {
        let end = events.iter().position(|event| is_kind(event, "ended"))?;
        events.truncate(end);
        Some(())
    })
}

fn change_salt(log: &mut GameLog) -> Option<()> {
    let record = &mut log.records[0];
    let mut value: Value = serde_json::from_str(record).ok()?;
    let salt = value["deployments"]["blue"]["salt"].as_str()?.to_owned();
    let other = if salt.starts_with('0') { "1" } else { "0" };
    value["deployments"]["blue"]["salt"] = json!(format!("{other}{}", salt.get(1..)?));
    *record = value.to_string();
    Some(())
}

/// Finds an answer to a game command of Red. Returns its client, its position in the log, and its
/// content.
fn find_answer(log: &GameLog, kind: &str) -> Option<(usize, usize, Value)> {
    log.clients.iter().enumerate().find_map(|(client_at, client)| {
        client.entries.iter().enumerate().find_map(|(at, entry)| {
            let What::Received(text) = &entry.what else { return None };
            let value: Value = serde_json::from_str(text).ok()?;
            let is_it = value["type"] == kind
                && value["outcome"]["kind"] == "game"
                && client.entries.iter().any(|entry| match &entry.what {
                    What::Sent(sent) => {
                        sent.contains(value["cmd_id"].as_str().unwrap_or("?"))
                            && sent.contains(r#""kind":"move""#)
                    }
                    _ => false,
                });
            is_it.then_some((client_at, at, value))
        })
    })
}

fn insert_after(log: &mut GameLog, client: usize, at: usize, text: &Value) {
    let entries = &mut log.clients[client].entries;
    let stamp = entries[at].at;
    entries.insert(at + 1, Entry { at: stamp, what: What::Received(text.to_string().into()) });
}

fn accept_twice(log: &mut GameLog) -> Option<()> {
    let (client, at, mut value) = find_answer(log, "accepted")?;
    value["outcome"]["seq"] = json!(value["outcome"]["seq"].as_u64()? + 2);
    insert_after(log, client, at, &value);
    Some(())
}

fn refuse_accepted(log: &mut GameLog) -> Option<()> {
    let (client, at, value) = find_answer(log, "accepted")?;
    let refused = json!({"type": "refused", "cmd_id": value["cmd_id"], "code": "stale_ply", "message": "no"});
    insert_after(log, client, at, &refused);
    Some(())
}

fn refuse_lawful(log: &mut GameLog) -> Option<()> {
    let (client, at, value) = find_answer(log, "accepted")?;
    let refused = json!({"type": "refused", "cmd_id": value["cmd_id"], "code": "blocked", "message": "no"});
    log.clients[client].entries[at].what = What::Received(refused.to_string().into());
    Some(())
}

/// Changes a move that was sent and accepted on the connection that had shown the game. The move
/// then names the previous epoch, so it should have been refused.
fn carry_out_astray(log: &mut GameLog) -> Option<()> {
    for client in &mut log.clients {
        let (mut epoch, mut moves) = (None, Vec::new());
        for at in 0..client.entries.len() {
            let (What::Sent(text) | What::Received(text)) = &client.entries[at].what else {
                (epoch, moves) = (None, Vec::new());
                continue;
            };
            let value: Value = serde_json::from_str(text).ok()?;
            if value["type"] == "game" {
                epoch = value["epoch"].as_u64();
            } else if value["command"]["kind"] == "move" && epoch.is_some() {
                moves.push((at, value));
            } else if value["type"] == "accepted"
                && let Some((sent_at, mut sent)) = moves.pop()
                && sent["cmd_id"] == value["cmd_id"]
            {
                sent["epoch"] = json!(epoch?.checked_sub(1)?);
                client.entries[sent_at].what = What::Sent(sent.to_string().into());
                return Some(());
            }
        }
    }
    None
}

/// Returns the position of a received event that follows another event on the same connection.
fn find_event(log: &GameLog) -> Option<(usize, usize)> {
    let is_event = |entry: &Entry| match &entry.what {
        What::Received(text) => text.contains(r#""type":"event""#),
        _ => false,
    };
    log.clients.iter().enumerate().find_map(|(client, of)| {
        let at = of.entries.windows(3).position(|three| three.iter().all(is_event))?;
        Some((client, at + 1))
    })
}

fn show_twice(log: &mut GameLog) -> Option<()> {
    let (client, at) = find_event(log)?;
    let again = log.clients[client].entries[at].clone();
    log.clients[client].entries.insert(at, again);
    Some(())
}

fn skip_event(log: &mut GameLog) -> Option<()> {
    let (client, at) = find_event(log)?;
    log.clients[client].entries.remove(at);
    Some(())
}

fn is_spectator(role: Role) -> bool {
    matches!(role, Role::Spectator(_))
}

fn leak_in_event(log: &mut GameLog) -> Option<()> {
    change_text(log, is_spectator, |text| {
        let (before, pieces) = text.split_once(r#""pieces":["#)?;
        let is_running = text.contains(r#""type":"event""#) && !text.contains(r#""kind":"ended""#);
        (is_running && pieces.contains("b?"))
            .then(|| format!(r#"{before}"pieces":[{}"#, pieces.replacen("b?", "b5", 1)))
    })
}

fn leak_in_view(log: &mut GameLog) -> Option<()> {
    change_text(
        log,
        |role| role == Role::Red,
        |text| {
            let is_running = text.contains(r#""type":"game""#) && text.contains(r#""phase":"playing""#);
            (is_running && text.contains("b?")).then(|| text.replacen("b?", "bS", 1))
        },
    )
}

fn leak_in_refusal(log: &mut GameLog) -> Option<()> {
    let record: Value = serde_json::from_str(&log.records[0]).ok()?;
    let setup = record["deployments"]["blue"]["setup"].as_str()?.to_owned();
    let red = log.clients.iter_mut().find(|client| client.role == Role::Red)?;
    let at = red.entries.first()?.at;
    let refused = json!({"type": "refused", "code": "blocked", "message": format!("in the way: {setup}")});
    let text: Arc<str> = refused.to_string().into();
    red.entries.push(Entry { at, what: What::Received(text) });
    Some(())
}

fn unmark_piece(log: &mut GameLog) -> Option<()> {
    change_value(log, "game", |value| {
        let pieces = value["view"]["pieces"].as_array_mut()?;
        let piece = pieces.iter_mut().find(|piece| piece.as_str().is_some_and(|text| text.contains('\'')))?;
        *piece = json!(piece.as_str()?.replace('\'', ""));
        Some(())
    })
}

fn miscount_captured(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let captured = value["change"]["captured"]["red"].as_object_mut()?;
        captured.insert("major".to_owned(), json!(3));
        captured.insert("scout".to_owned(), json!(7));
        Some(())
    })
}

fn change_ply(log: &mut GameLog) -> Option<()> {
    change_value(log, "game", |value| {
        let ply = value["view"]["ply"].as_u64()?;
        value["view"]["ply"] = json!(ply + 1);
        Some(())
    })
}

fn change_turn(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let turn = value["change"]["turn"].as_str()?;
        value["change"]["turn"] = json!(if turn == "red" { "blue" } else { "red" });
        Some(())
    })
}

/// Reduces the clock in every view, by more in each later view. Some of the views follow an
/// outage.
fn run_clock(log: &mut GameLog) -> Option<()> {
    let mut count = 0;
    for entry in log.clients.iter_mut().flat_map(|client| &mut client.entries) {
        let What::Received(text) = &entry.what else { continue };
        let Ok(mut value) = serde_json::from_str::<Value>(text) else { continue };
        let Some(side) = value["view"]["clock"]["running"].as_str().map(str::to_owned) else { continue };
        count += 1;
        let both = ["red", "blue"].into_iter().filter(|one| side == "both" || side == *one);
        for side in both {
            let left = &mut value["view"]["clock"]["remaining_ms"][side];
            *left = json!(left.as_u64()?.saturating_sub(5_000 * count));
        }
        entry.what = What::Received(value.to_string().into());
    }
    (count > 0).then_some(())
}
