//! The commands that clients sent, and the acts that they request.

use std::collections::BTreeMap;

use flagfall_second_opinion::{Act, At, Board, BoardEvent, chip_of, letter_of, read_move};
use serde_json::Value;

use super::truth::{Fact, StampedFact, Taken};
use crate::log::{ClientLog, What};

/// Returns the target square of a board command, and for a move also its first square. `None` for
/// other commands.
pub(super) fn place_of(command: &Value) -> Option<(Option<At>, At)> {
    let squares = command["move"].as_str().and_then(read_move).map(|(from, to)| (Some(from), to));
    squares.or_else(|| Some((None, At::read(command["square"].as_str()?)?)))
}

/// Returns the act on the board that a command requests.
pub(super) fn act_of(command: &Value) -> Option<Act> {
    let square = || At::read(command["square"].as_str()?);
    let letter = || letter_of(command["rank"].as_str()?);
    let chip = command["color"].as_str().and_then(chip_of);
    Some(match command["kind"].as_str()? {
        "move" => Act::Move {
            squares: read_move(command["move"].as_str()?)?,
            path: command["path"].as_str().and_then(|sign| sign.chars().next()),
            chip,
        },
        "remove" => Act::Remove(square()?),
        "place" => {
            Act::Place { at: square()?, letter: letter()?, is_labeled: command["labeled"] == true, chip }
        }
        "color" => Act::Color(chip?),
        "choose" => Act::Choose(letter()?),
        _ => return None,
    })
}

/// True if a step is the act that this command requests. `after` is the board after the step.
pub(super) fn fits(taken: &Taken, after: &Board, command: &Value) -> bool {
    let place = place_of(command);
    let chip = command["color"].as_str().and_then(chip_of);
    match (&taken.step, command["kind"].as_str().unwrap_or_default()) {
        (BoardEvent::Moved { from, to, .. }, "move") => {
            let lands = taken.strike.is_none_or(|strike| strike.attacker.1 == "advances");
            place == Some((Some(*from), *to))
                && (!lands || chip.is_none_or(|chip| after.chip(*to) == Some(chip)))
        }
        (BoardEvent::Struck { from, to }, "move") => place == Some((Some(*from), *to)),
        (BoardEvent::Removed(at), "remove") => place == Some((None, *at)),
        (BoardEvent::Placed { at, letter, is_labeled, chip: laid }, "place") => {
            place == Some((None, *at))
                && command["rank"].as_str().and_then(letter_of) == Some(*letter)
                && (command["labeled"] == true) == *is_labeled
                && chip == *laid
        }
        (BoardEvent::Colored(_, laid), "color") => chip == Some(*laid),
        _ => false,
    }
}

/// True if a fact is the choice that this command requests.
pub(super) fn is_choice(told: &StampedFact, command: &Value) -> bool {
    let asked = command["rank"].as_str().and_then(letter_of);
    matches!(told.fact, Fact::Chosen(_, letter) if command["kind"] == "choose" && asked == Some(letter))
}

/// The game commands that a client sent, by id: ply and command.
pub(super) fn sent_commands(client: &ClientLog) -> BTreeMap<String, (u64, Value)> {
    let texts = client.entries.iter().filter_map(|entry| match &entry.what {
        What::Sent(text) => Some(text),
        _ => None,
    });
    texts.filter_map(|text| game_command(text)).map(|(id, ply, command)| (id, (ply, command))).collect()
}

/// The id, ply and command of a text, if it is a game command.
pub(super) fn game_command(text: &str) -> Option<(String, u64, Value)> {
    let value: Value = serde_json::from_str(text).ok()?;
    let id = value["cmd_id"].as_str().filter(|_| value["type"] == "command")?;
    Some((id.to_owned(), value["ply"].as_u64()?, value["command"].clone()))
}
