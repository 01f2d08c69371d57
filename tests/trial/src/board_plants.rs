//! Faults planted in copies of game logs with reserves, chips, pools, choices or silent winners.

use serde_json::{Value, json};

use crate::check::Fault;
use crate::log::{Entry, GameLog, Role, What};
use crate::planted::{Plant, change_value};

/// Each kind of fault, and the function that plants it.
pub(crate) const PLANTS: &[(&str, Fault, Plant)] = &[
    ("the opponent's reserve in a view", Fault::Leak, open_reserve),
    ("the rank of a piece from a reserve, in an event", Fault::Leak, name_placed),
    ("a hidden piece narrowed down to two ranks", Fault::Leak, narrow_hidden),
    ("a chip of a wrong color", Fault::Differs, change_chip),
    ("a wrong number of pieces in a pool", Fault::Differs, miscount_pool),
    ("a choice in a strike told to the other side", Fault::Leak, tell_choice),
    ("an act that its command did not ask for", Fault::Doubled, ask_otherwise),
];

/// Faults that can be planted only in some games of the ruleset.
#[cfg(test)]
pub(crate) const RARE_PLANTS: &[(&str, Fault, Plant)] = &[
    ("the rank of a narrowed-down piece", Fault::Leak, name_narrowed),
    ("a silent winner's rank in an event", Fault::Leak, name_silent_winner),
    ("an owed color that is not shown", Fault::Differs, hide_owed_color),
    ("a choice of a wrong rank", Fault::Differs, choose_otherwise),
];

fn open_reserve(log: &mut GameLog) -> Option<()> {
    change_value(log, "game", |value| {
        let is_running = value["view"]["phase"] == "playing";
        let other = if value["audience"] == "red" { "blue" } else { "red" };
        let reserve = &mut value["view"]["reserve"][other];
        if !is_running || !reserve["size"].is_u64() {
            return None;
        }
        reserve["unlabeled"] = json!({"scout": 3});
        Some(())
    })
}

fn name_placed(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let event = &mut value["event"];
        if event["kind"] != "placed" || event["piece"] != "?" {
            return None;
        }
        event["piece"] = json!("9");
        Some(())
    })
}

fn narrow_hidden(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let pieces = value["change"]["pieces"].as_array_mut()?;
        let hidden = pieces.iter_mut().find(|piece| piece.as_str().is_some_and(|text| text.contains('?')))?;
        *hidden = json!(hidden.as_str()?.replacen('?', "[89]", 1));
        Some(())
    })
}

fn change_chip(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let (squares, color) = value["event"]["laid"].as_str()?.split_once('=')?;
        let other = if color == "r" { "y" } else { "r" };
        value["event"]["laid"] = json!(format!("{squares}={other}"));
        Some(())
    })
}

fn miscount_pool(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let count = value["change"]["pools"]["red"]["miner"].as_u64()?;
        value["change"]["pools"]["red"]["miner"] = json!(count + 1);
        Some(())
    })
}

/// Returns the first text that a client received and in which `found` finds something.
fn find<T>(log: &GameLog, role: Role, found: impl Fn(&Value) -> Option<T>) -> Option<(usize, T)> {
    let client = log.clients.iter().find(|client| client.role == role)?;
    client.entries.iter().enumerate().find_map(|(at, entry)| {
        let (What::Received(text) | What::Sent(text)) = &entry.what else { return None };
        Some((at, found(&serde_json::from_str(text).ok()?)?))
    })
}

fn tell_choice(log: &mut GameLog) -> Option<()> {
    let is_chosen = |value: &Value| {
        let is_it = value["type"] == "event" && value["event"]["kind"] == "chosen";
        is_it.then(|| value.to_string())
    };
    let (_, text) = find(log, Role::Red, is_chosen)?;
    let blue = log.clients.iter_mut().find(|client| client.role == Role::Blue)?;
    let at = blue.entries.last()?.at;
    blue.entries.push(Entry { at, what: What::Received(text.into()) });
    Some(())
}

/// Changes a command that was sent, so that the log contains an act that no client commanded.
fn ask_otherwise(log: &mut GameLog) -> Option<()> {
    let is_placing = |value: &Value| (value["command"]["kind"] == "place").then(|| value["cmd_id"].clone());
    let (_, id) = find(log, Role::Red, is_placing)?;
    let red = log.clients.iter_mut().find(|client| client.role == Role::Red)?;
    for entry in &mut red.entries {
        let What::Sent(text) = &entry.what else { continue };
        let mut value: Value = serde_json::from_str(text).ok()?;
        if value["cmd_id"] == id {
            let color = &mut value["command"]["color"];
            *color = json!(if *color == "red" { "green" } else { "red" });
            entry.what = What::Sent(value.to_string().into());
        }
    }
    Some(())
}

#[cfg(test)]
fn name_narrowed(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        if value["event"]["kind"] != "moved" {
            return None;
        }
        for piece in value["change"]["pieces"].as_array_mut()? {
            let text = piece.as_str()?.to_owned();
            if let Some((square, rest)) = text.split_once('[')
                && let Some((ranks, marks)) = rest.split_once(']')
            {
                *piece = json!(format!("{square}{}{marks}", ranks.chars().next()?));
                return Some(());
            }
        }
        None
    })
}

#[cfg(test)]
fn name_silent_winner(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| {
        let defender = value["event"].get_mut("strike")?.get_mut("defender")?;
        (*defender == "?").then(|| *defender = json!("5"))
    })
}

#[cfg(test)]
fn hide_owed_color(log: &mut GameLog) -> Option<()> {
    change_value(log, "event", |value| value["change"].as_object_mut()?.remove("owed_color").map(drop))
}

/// Changes a choice in the records.
#[cfg(test)]
fn choose_otherwise(log: &mut GameLog) -> Option<()> {
    for record in &mut log.records {
        let mut value: Value = serde_json::from_str(record).ok()?;
        let events = value["events"].as_array_mut()?;
        let chosen = events.iter_mut().find(|one| one["event"]["kind"] == "chosen")?;
        let rank = &mut chosen["event"]["rank"];
        *rank = json!(if *rank == "scout" { "miner" } else { "scout" });
        *record = value.to_string();
    }
    Some(())
}
