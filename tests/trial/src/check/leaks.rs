//! Finds ranks that the audience must not know, in messages of any type.

use flagfall_second_opinion::{At, BoardEvent, Color, LETTERS, Letters, letter_of, read_move};
use serde_json::Value;

use super::expect::State;
use super::findings::Fault;
use super::game::Checker;
use super::truth::{Taken, color_of};

/// How many of the latest steps a view may describe without listing events: the last ply, and
/// later steps that are not plies.
const STEPS_TOLD: usize = 4;

/// A rank that a message names, or the set of ranks that the message leaves possible.
#[derive(Debug)]
enum Found {
    /// The rank of a piece on a square.
    Piece(At, Color, Letters),
    /// The rank of the piece that made a ply.
    Mover(Color, (At, At), Letters),
    /// The rank of the piece that a ply of this side struck.
    Struck(Color, (At, At)),
    /// The rank of a piece of this side that came from a reserve.
    Placed(Color, At),
    /// The face-down pieces of a side's reserve.
    Reserve(Color),
    /// A side's choice in a strike.
    Chosen(Color),
    /// The audience's own choice, according to the message.
    OwnChoice(Option<char>),
}

impl Checker<'_> {
    /// Finds ranks in a message that the audience must not know at the message's sequence number.
    pub(super) fn check_leaks(&mut self, audience: usize, seq: Option<u64>, text: &str, value: &Value) {
        let index = usize::try_from(seq.unwrap_or(0)).unwrap_or(usize::MAX);
        let Some(state) = self.states[audience].get(index).cloned() else { return };
        let mut leaks = Vec::new();
        let (known, hidden): (Vec<Color>, Vec<Color>) = (0..2).partition(|color| state.knows_all_of(*color));
        // Both sides may have the same deployment. In that case, the text of the deployment is
        // not a secret.
        let shown: Vec<&String> = known.iter().flat_map(|color| self.truth.deployments_of(*color)).collect();
        for color in hidden {
            let secrets = self.truth.deployments_of(color).filter(|setup| !shown.contains(setup));
            let mut secrets = secrets.chain([&self.truth.salts[color]]).filter(|secret| !secret.is_empty());
            if secrets.any(|secret| text.contains(secret.as_str())) {
                leaks.push(format!("a deployment or a salt in {text}"));
            }
        }
        // The events in a view's message or in a record were shown at their own sequence numbers.
        let told = value["events"].as_array().map_or(0, Vec::len);
        let first = state.steps.saturating_sub(told.max(STEPS_TOLD));
        let mut value = value.clone();
        let changes = take_changes(&mut value, audience);
        find_identities(&value, &mut |found| {
            if !self.is_known(audience, &state, first, &found) {
                leaks.push(format!("{found:?} to audience {audience} at {index}: {text}"));
            }
        });
        for (number, change) in changes {
            let Some(then) = self.states[audience].get(number) else {
                leaks
                    .push(format!("a record has a change {number} that audience {audience} was never shown"));
                continue;
            };
            find_identities(&change, &mut |found| {
                let is_open = found.owner().is_some_and(|color| state.knows_all_of(color));
                if !is_open && !self.is_known(audience, then, then.steps.saturating_sub(1), &found) {
                    leaks.push(format!(
                        "{found:?} in change {number} of a record of audience {audience}: {change}"
                    ));
                }
            });
        }
        for leak in leaks {
            self.fault(Fault::Leak, &leak);
        }
    }

    /// True if the audience may know this rank in this state. The message may describe events
    /// from step `first` on.
    fn is_known(&self, audience: usize, state: &State<'_>, first: usize, found: &Found) -> bool {
        let steps = || (first..state.steps).map(|step| (step, &self.truth.steps[step]));
        let is_ply = |taken: &Taken, color: Color, squares: (At, At)| {
            taken.color == color && taken.squares() == Some(squares)
        };
        match *found {
            Found::Piece(at, color, letters) => {
                let piece = state.board().and_then(|board| board.piece(at));
                piece.is_none_or(|piece| {
                    let is_own = piece.color != color || color == audience;
                    is_own || state.knows(piece) || letters.covers(piece.could_be)
                })
            }
            Found::Mover(color, squares, letters) => {
                let is_shown = |(step, taken): (usize, &Taken)| {
                    let after = self.truth.boards[step + 1].piece(squares.1);
                    is_ply(taken, color, squares)
                        && (taken.strike.is_some()
                            || after.is_some_and(|piece| piece.is_revealed || letters.covers(piece.could_be)))
                };
                color == audience || steps().any(is_shown)
            }
            Found::Struck(color, squares) => {
                let is_shown = |(step, taken): (usize, &Taken)| {
                    let Some(strike) = taken.strike.filter(|_| is_ply(taken, color, squares)) else {
                        return false;
                    };
                    // A winner is also named if everybody already knew its rank.
                    let winner_at = if strike.defender.1 == "advances" { squares.0 } else { squares.1 };
                    let winner = self.truth.boards[step + 1].piece(winner_at);
                    strike.is_defender_shown || winner.is_some_and(|piece| piece.is_revealed)
                };
                1 - color == audience || steps().any(is_shown)
            }
            Found::Placed(color, at) => {
                let is_labeled = |taken: &Taken| {
                    matches!(taken.step, BoardEvent::Placed { at: square, is_labeled: true, .. } if square == at)
                        && taken.color == color
                };
                state.knows_all_of(color) || steps().any(|(_, taken)| is_labeled(taken))
            }
            Found::Reserve(color) => state.knows_all_of(color),
            // The end of the game reveals the choices in resolved strikes.
            Found::Chosen(color) => color == audience || state.is_over(),
            Found::OwnChoice(letter) => letter.is_some() && state.own_choice() == letter,
        }
    }
}

impl Found {
    fn owner(&self) -> Option<Color> {
        match *self {
            Found::Piece(_, color, _) | Found::Placed(color, _) | Found::Reserve(color) => Some(color),
            Found::Mover(..) | Found::Struck(..) | Found::Chosen(_) | Found::OwnChoice(_) => None,
        }
    }
}

/// Removes the changes from a record and returns them. Each change comes with the sequence number
/// of its event, because the change describes the pieces as they were at that moment.
fn take_changes(record: &mut Value, audience: usize) -> Vec<(usize, Value)> {
    if record.get("format").is_none() {
        return Vec::new();
    }
    let first = record.as_object_mut().and_then(|record| record.remove("first_view"));
    let mut changes: Vec<(usize, Value)> = first.map(|view| (0, view)).into_iter().collect();
    let mut number = 0;
    for told in record["events"].as_array_mut().into_iter().flatten() {
        // The end of the game reveals choices of the other side that this audience was not shown
        // before.
        let is_opened = told["event"]["kind"] == "chosen"
            && told["event"]["side"].as_str() != ["red", "blue"].get(audience).copied();
        number += usize::from(!is_opened);
        let change = told.as_object_mut().and_then(|told| told.remove("change"));
        changes.extend(change.map(|change| (number, change)));
    }
    changes
}

/// Parses a rank as messages write it, or the set of ranks that are still possible. `None` if the
/// rank is hidden or does not exist yet.
fn read_identity(text: &str) -> Option<Letters> {
    let is_rank = |letter: &char| LETTERS.contains(letter.to_ascii_uppercase());
    let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let letters = match inside {
        Some(inside) => inside,
        None if text.chars().count() == 1 => text,
        None => return None,
    };
    let is_whole = !letters.is_empty() && letters.chars().all(|letter| is_rank(&letter));
    is_whole.then(|| letters.chars().map(|letter| letter.to_ascii_uppercase()).collect())
}

/// Calls `found` with every rank that is named anywhere in a message.
fn find_identities(value: &Value, found: &mut dyn FnMut(Found)) {
    match value {
        Value::String(text) => {
            if let Some((at, color, letters)) = read_piece(text) {
                found(Found::Piece(at, color, letters));
            }
        }
        Value::Array(list) => list.iter().for_each(|one| find_identities(one, found)),
        Value::Object(fields) => {
            let side = fields.get("side").and_then(color_of);
            let squares = fields.get("move").and_then(Value::as_str).and_then(read_move);
            let named = |value: Option<&Value>| value.and_then(Value::as_str).and_then(read_identity);
            let square = fields.get("square").and_then(Value::as_str).and_then(At::read);
            let rank = |name: &str| fields.get(name).and_then(Value::as_str).map(letter_of);
            if let (Some(side), Some(letters)) = (side, named(fields.get("piece"))) {
                match (squares, square) {
                    (Some(squares), _) => found(Found::Mover(side, squares, letters)),
                    (None, Some(at)) => found(Found::Placed(side, at)),
                    (None, None) => {}
                }
            }
            let defender = fields.get("strike").and_then(|strike| strike.get("defender"));
            if let (Some(side), Some(squares), Some(_)) = (side, squares, named(defender)) {
                found(Found::Struck(side, squares));
            }
            if let (Some(side), Some(_)) = (side, rank("rank")) {
                found(Found::Chosen(side));
            }
            if let Some(letter) = rank("own_choice") {
                found(Found::OwnChoice(letter));
            }
            for (color, name) in super::truth::SIDES.into_iter().enumerate() {
                if fields.get(name).is_some_and(|side| side.get("unlabeled").is_some()) {
                    found(Found::Reserve(color));
                }
            }
            // In this field, `b7b6` is a move, although elsewhere it would be Blue's Lieutenant
            // on b7. The text `b7b5=g` describes chips.
            let is_of_moves = |name: &str| ["move", "refused_moves", "more_squares"].contains(&name);
            let others = fields
                .iter()
                .filter(|(name, one)| !(is_of_moves(name) && are_moves(one)) && name.as_str() != "laid");
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

/// Reads a piece such as `j7b?'*^` if its rank is named.
fn read_piece(text: &str) -> Option<(At, Color, Letters)> {
    let split = text.get(1..)?.find(|letter: char| !letter.is_ascii_digit())? + 1;
    let at = At::read(text.get(..split)?)?;
    let rest = text.get(split..)?;
    let color = match rest.chars().next()? {
        'r' => 0,
        'b' => 1,
        _ => return None,
    };
    let identity = rest[1..].trim_end_matches(['\'', '*', '^']);
    // The beginning of a game's or player's id may look like a piece.
    let marks = &rest[1 + identity.len()..];
    let is_marked = ["", "'", "*", "'*", "^", "'^", "*^", "'*^"].contains(&marks);
    read_identity(identity).filter(|_| is_marked).map(|letters| (at, color, letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(value: &Value) -> usize {
        let mut count = 0;
        find_identities(value, &mut |_| count += 1);
        count
    }

    #[test]
    fn ranks_are_found_wherever_they_are() {
        let json = |text: &str| serde_json::from_str(text).expect("JSON");
        let check = |text: &str, expected: usize| assert_eq!(count(&json(text)), expected, "{text}");
        check(
            r#"{"a": [{"b": "j10b5'"}], "c": "a4r?", "d": {"side": "red", "move": "a4a5", "piece": "9"}}"#,
            2,
        );
        check(r#"{"move": "b7b6", "refused_moves": ["b7b6"], "more_squares": ["b7b6"]}"#, 0);
        check(r#"{"move": "b7b6'", "pieces": ["b7b6"], "id": "b7b6abcdefgh"}"#, 2);
        check(r#"["p10r[9P]'", "a1ro", "a1r?^", "a1b5'*^", "a1b55", "a1b5*'"]"#, 2);
        check(r#"{"side": "red", "move": "a4a5", "piece": "o", "laid": "b7b5=g"}"#, 0);
        check(
            r#"{"side": "red", "move": "a4a5", "piece": "9", "strike": {"attacker": "9", "defender": "5"}}"#,
            2,
        );
        check(
            r#"{"side": "red", "move": "a4a5", "piece": "9", "strike": {"attacker": "9", "defender": "?"}}"#,
            1,
        );
        check(r#"{"kind": "placed", "side": "red", "square": "a4", "piece": "9"}"#, 1);
        check(r#"{"kind": "placed", "side": "red", "square": "a4", "piece": "?"}"#, 0);
        check(r#"{"reserve": {"red": {"size": 3, "unlabeled": {"scout": 3}}, "blue": {"size": 3}}}"#, 1);
        check(r#"{"kind": "chosen", "side": "red", "rank": "scout"}"#, 1);
        check(r#"{"pending_strike": {"side": "red", "move": "a4a5", "own_choice": "flag"}}"#, 1);
    }
}
