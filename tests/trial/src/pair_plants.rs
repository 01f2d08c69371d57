//! Faults planted in copies of paired sessions: information for one side is sent to viewers who
//! must not get it.

use serde_json::Value;

use crate::check::{Fault, Findings, PairLog, Stream, check_pair};
use crate::planted::Planted;

type PairPlant = fn(&mut PairLog) -> Option<()>;

/// Each kind of fault, and the function that plants it.
const PLANTS: [(&str, PairPlant); 9] = [
    ("a byte that depends on a secret", change_byte),
    ("an order of messages that depends on a secret", change_order),
    ("a message that depends on a secret", add_message),
    ("two sessions with the same secret", share_secret),
    ("a silent winner's rank in an event", name_silent_winner),
    ("a face-down reserve in a view", open_reserve),
    ("the rank of a piece that came from a reserve", name_placed),
    ("a pending choice in a view", show_choice),
    ("a pending choice as an event", tell_choice),
];

/// Plants every kind of fault in a copy of a pair in which it is possible, and runs the checker.
#[must_use]
pub(crate) fn plant_in_pairs(pairs: &[PairLog]) -> Vec<Planted> {
    let plant_one = |(what, plant): (&'static str, PairPlant)| {
        let changed = pairs.iter().find_map(|pair| {
            let mut copy = pair.clone();
            plant(&mut copy).map(|()| copy)
        });
        let found = changed.map(|pair| {
            let mut findings = Findings::default();
            check_pair(&pair, &mut findings);
            findings.count(Fault::SecretByte)
        });
        Planted { what, fault: Fault::SecretByte, found }
    };
    PLANTS.into_iter().map(plant_one).collect()
}

fn change_byte(pair: &mut PairLog) -> Option<()> {
    let text = pair.sessions[1].first_mut()?.texts.iter_mut().find(|text| text.contains(r#""message":"#))?;
    *text = text.replacen(r#""message":""#, r#""message":"T"#, 1);
    Some(())
}

fn change_order(pair: &mut PairLog) -> Option<()> {
    let texts = &mut pair.sessions[1].last_mut()?.texts;
    let at = texts.windows(2).position(|two| two.iter().all(|text| text.contains(r#""kind":"moved""#)))?;
    texts.swap(at, at + 1);
    Some(())
}

fn add_message(pair: &mut PairLog) -> Option<()> {
    let texts = &mut pair.sessions[1].last_mut()?.texts;
    let again = texts.last()?.clone();
    texts.push(again);
    Some(())
}

fn share_secret(pair: &mut PairLog) -> Option<()> {
    pair.secrets[1] = pair.secrets[0].clone();
    Some(())
}

/// The messages of this type in a stream, with their positions.
fn of_type<'a>(stream: &'a Stream, kind: &'a str) -> impl Iterator<Item = (usize, Value)> + 'a {
    let parsed = stream.texts.iter().enumerate();
    let parsed = parsed.filter_map(|(at, text)| Some((at, serde_json::from_str::<Value>(text).ok()?)));
    parsed.filter(move |(_, value)| value["type"] == kind)
}

fn side(pair: &PairLog) -> &'static str {
    ["red", "blue"][pair.hider]
}

/// Lets `change` copy a value from the hider's stream to the other player's stream, in both
/// sessions. If the value is the same in both sessions, nothing is planted.
fn disclose(pair: &mut PairLog, change: impl Fn(&Stream, &mut Stream) -> Option<Value>) -> Option<()> {
    let mut told = Vec::new();
    for (secret, streams) in pair.secrets.iter().zip(&mut pair.sessions) {
        told.push(change(secret, streams.first_mut()?)?);
    }
    (told.first() != told.last()).then_some(())
}

/// Discloses the value at this place in an event that only the hider received in full.
fn disclose_in_event(
    pair: &mut PairLog,
    is_it: impl Fn(&Value) -> bool,
    place: &str,
    hidden: &str,
) -> Option<()> {
    let events = |stream: &Stream| -> Vec<(usize, Value)> {
        of_type(stream, "event").filter(|(_, value)| is_it(&value["event"])).collect()
    };
    // All viewers are sent the same events of this kind, in the same order.
    let lists = pair.secrets.each_ref().map(&events);
    let viewers = [0, 1].map(|session| events(&pair.sessions[session][0]));
    let count = lists.iter().chain(&viewers).map(Vec::len).min()?;
    let number = (0..count).find(|number| {
        let [one, other] = lists.each_ref().map(|list| list[*number].1.pointer(place));
        let is_hidden = |list: &Vec<(usize, Value)>| {
            list[*number].1.pointer(place).and_then(Value::as_str) == Some(hidden)
        };
        one != other && viewers.iter().all(is_hidden)
    })?;
    for session in [0, 1] {
        let (at, mut value) = viewers[session][number].clone();
        *value.pointer_mut(place)? = lists[session][number].1.pointer(place)?.clone();
        pair.sessions[session][0].texts[at] = value.to_string();
    }
    Some(())
}

fn name_placed(pair: &mut PairLog) -> Option<()> {
    let side = side(pair);
    let is_placed = |event: &Value| event["kind"] == "placed" && event["side"] == side;
    disclose_in_event(pair, is_placed, "/event/piece", "?")
}

fn name_silent_winner(pair: &mut PairLog) -> Option<()> {
    let side = side(pair);
    let is_strike =
        |event: &Value| event["kind"] == "moved" && event["side"] != side && event["strike"].is_object();
    disclose_in_event(pair, is_strike, "/event/strike/defender", "?")
}

fn open_reserve(pair: &mut PairLog) -> Option<()> {
    let side = side(pair);
    disclose(pair, |secret, viewer| {
        let (_, own) =
            of_type(secret, "event").filter(|(_, value)| value["change"]["reserve"].is_object()).last()?;
        let reserve = own["change"]["reserve"][side].clone();
        let (at, mut view) =
            of_type(viewer, "game").filter(|(_, value)| value["view"]["reserve"].is_object()).last()?;
        view["view"]["reserve"][side] = reserve.clone();
        viewer.texts[at] = view.to_string();
        Some(reserve)
    })
}

fn show_choice(pair: &mut PairLog) -> Option<()> {
    disclose(pair, |secret, viewer| {
        let is_waiting = |value: &Value| value["view"]["pending_strike"].is_object();
        let (at, mut view) = of_type(viewer, "game").filter(|(_, value)| is_waiting(value)).last()?;
        let (_, own) = of_type(secret, "game").filter(|(_, value)| is_waiting(value)).last()?;
        let rank = own["view"]["pending_strike"]["own_choice"].clone();
        view["view"]["pending_strike"]["own_choice"] = rank.clone();
        viewer.texts[at] = view.to_string();
        Some(rank)
    })
}

fn tell_choice(pair: &mut PairLog) -> Option<()> {
    disclose(pair, |secret, viewer| {
        let chosen: Vec<String> = of_type(secret, "event")
            .filter(|(_, value)| value["event"]["kind"] == "chosen")
            .map(|(at, _)| secret.texts[at].clone())
            .collect();
        let told = chosen.len();
        viewer.texts.extend(chosen.last().cloned());
        let rank = chosen.last().and_then(|text| serde_json::from_str::<Value>(text).ok());
        Some(serde_json::json!([told, rank.map(|value| value["event"]["rank"].clone())]))
    })
}
