//! Keys of the full screen.

use flagfall_board::{Direction, Numbering, Rank, Side, Square};
use flagfall_protocol::{Exit, GameCommand, Phase};
use flagfall_rules::Move;

use super::{absence, challenges, chat, errands, game, goal, leaving, reserve};
use crate::errand::Errand;
use crate::model::{Effect, Key, Model, NOTES_MAX, OpenGame, Page, Prompt, Secret, Uncolored};
use crate::targets::Carrier;
use crate::{acts, targets};

/// Longest name of a saved deployment.
const NAME_MAX: usize = 30;
/// Longest command after a colon.
const WORDS_MAX: usize = 40;

pub(super) fn pressed(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    if key == Key::Interrupt {
        return leaving::leave(model, out);
    }
    if model.is_help {
        model.is_help = false;
        return;
    }
    if model.prompt.is_some() {
        return prompt(model, key, out);
    }
    if model.replay.is_some() {
        return stepping(model, key, out);
    }
    match &model.page {
        Page::Waiting { .. } => match key {
            Key::Char('q') | Key::Escape => leaving::leave(model, out),
            Key::Char('?') => model.is_help = true,
            Key::Char('J') => challenges::ask(model),
            Key::Char('G') => errands::ask(model, Errand::Next, out),
            _ => {}
        },
        Page::Choosing(_) => choosing(model, key, out),
        Page::Terms { challenge, .. } => match key {
            Key::Char('y') | Key::Enter => {
                let challenge = challenge.clone();
                goal::accept_challenge(model, challenge, out);
            }
            Key::Char('q' | 'n') | Key::Escape => leaving::leave(model, out),
            _ => {}
        },
        Page::Game => in_game(model, key, out),
    }
}

/// Steps through a record.
fn stepping(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    const LEAP: usize = 10;
    match (key, &mut model.replay) {
        (Key::Char('q') | Key::Escape, _) => out.push(Effect::Exit { code: Exit::Done.code() }),
        (Key::Char('t'), _) => model.is_turned = !model.is_turned,
        (Key::Char('n'), _) => model.options.numbering = other_numbering(model.options.numbering),
        (Key::Char('?'), _) => model.is_help = true,
        (key, Some(replay)) => {
            let (at, last) = (replay.at(), replay.last());
            let next = match key {
                Key::Right | Key::Char(' ') | Key::Enter => at + 1,
                Key::Left | Key::Backspace => at.saturating_sub(1),
                Key::Down | Key::PageDown => at + LEAP,
                Key::Up | Key::PageUp => at.saturating_sub(LEAP),
                Key::Home => 0,
                Key::End => last,
                _ => return,
            };
            replay.go(next);
            let (game, note, notes) = (replay.game(), replay.sentence(), replay.sentences(NOTES_MAX));
            model.game = Some(game);
            if model.options.plain {
                model.say(note);
            } else {
                // Don't show what happens later in the record beside an earlier position.
                model.notes = notes.into();
                model.notes_unsaid = 0;
            }
        }
        (_, None) => {}
    }
}

fn other_numbering(numbering: Numbering) -> Numbering {
    match numbering {
        Numbering::Us => Numbering::Eu,
        Numbering::Eu => Numbering::Us,
    }
}

fn choosing(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Page::Choosing(choices) = &mut model.page else { return };
    let last = choices.entries.len().saturating_sub(1);
    match key {
        Key::Up | Key::Char('k') => choices.cursor = choices.cursor.saturating_sub(1),
        Key::Down | Key::Char('j') => choices.cursor = (choices.cursor + 1).min(last),
        Key::Home => choices.cursor = 0,
        Key::End => choices.cursor = last,
        Key::Enter => {
            if let Some((_, choice)) = choices.entries.get(choices.cursor).cloned() {
                goal::chosen(model, choice, out);
            }
        }
        Key::Char('q') | Key::Escape => leaving::leave(model, out),
        Key::Char('?') => model.is_help = true,
        Key::Char('J') => challenges::ask(model),
        _ => {}
    }
}

fn prompt(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Some(prompt) = model.prompt.take() else { return };
    match prompt {
        Prompt::Resign if matches!(key, Key::Char('y' | 'Y')) => {
            game::command(model, GameCommand::Resign {}, out);
        }
        Prompt::Abort if matches!(key, Key::Char('y' | 'Y')) => {
            game::command(model, GameCommand::Abort {}, out);
        }
        Prompt::Leave(_) if matches!(key, Key::Char('y' | 'Y')) => leaving::leave(model, out),
        Prompt::Claim => absence::answer(model, key, out),
        Prompt::Challenge(_) => challenges::answer(model, key, out),
        Prompt::Say(typed) => chat::typing(model, typed, key, out),
        Prompt::IllegalMove(squares) if matches!(key, Key::Char('y' | 'Y')) => {
            game::send_move(model, squares, out);
        }
        Prompt::Remove(square) if matches!(key, Key::Char('y' | 'Y')) => {
            game::act(model, GameCommand::Remove { square }, out);
        }
        Prompt::Resign | Prompt::Abort | Prompt::Leave(_) | Prompt::IllegalMove(_) | Prompt::Remove(_) => {
            model.say("The game goes on.");
        }
        Prompt::Color(ply) => match reserve::color_of_key(key) {
            Some(color) => game::act(model, ply.colored(color), out),
            None if key == Key::Escape => model.say("Taken back."),
            None => model.prompt = Some(Prompt::Color(ply)),
        },
        Prompt::Place { square, kinds, cursor } => {
            reserve::choosing_piece(model, (square, kinds, cursor), key, out);
        }
        Prompt::SaveAs(mut name) => match key {
            Key::Enter => save_as(model, &name, out),
            Key::Escape => {}
            Key::Backspace => {
                name.pop();
                model.prompt = Some(Prompt::SaveAs(name));
            }
            Key::Char(letter) if is_name_letter(letter) && name.len() < NAME_MAX => {
                name.push(letter);
                model.prompt = Some(Prompt::SaveAs(name));
            }
            _ => model.prompt = Some(Prompt::SaveAs(name)),
        },
        Prompt::Load { entries, mut cursor } => {
            match key {
                Key::Up => cursor = cursor.saturating_sub(1),
                Key::Down => cursor = (cursor + 1).min(entries.len().saturating_sub(1)),
                Key::Enter => {
                    load(model, entries.get(cursor));
                    return;
                }
                Key::Escape | Key::Char('q') => return,
                _ => {}
            }
            model.prompt = Some(Prompt::Load { entries, cursor });
        }
    }
}

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'
}

fn save_as(model: &mut Model, name: &str, out: &mut Vec<Effect>) {
    let Some(editor) = model.game.as_ref().and_then(|game| game.editor.as_ref()) else { return };
    if name.is_empty() {
        model.say("Not saved: a name is wanted.");
        return;
    }
    match editor.checked_text() {
        Ok(text) => {
            let ruleset = editor.ruleset.unchanged().id.to_owned();
            let by_name = model.saved.entry(ruleset.clone()).or_default();
            by_name.insert(name.to_owned(), text.clone());
            if model.is_account() {
                let (name, setup) = (name.to_owned(), Secret::new(text));
                return errands::ask(model, Errand::SaveDeployment { ruleset, name, setup }, out);
            }
            model.say(format!("Saved as {name}."));
            out.push(Effect::SaveSetup { ruleset, name: name.to_owned(), text });
        }
        Err(refusal) => model.say(format!("Not saved: {refusal}.")),
    }
}

fn load(model: &mut Model, entry: Option<&(String, String)>) {
    let editor = model.game.as_mut().and_then(|game| game.editor.as_mut());
    let (Some(editor), Some((name, text))) = (editor, entry) else { return };
    let word = match editor.load(text) {
        Ok(()) => format!("Loaded {name}. Enter hands it in."),
        Err(refusal) => format!("{name} is no deployment: {refusal}."),
    };
    model.say(word);
}

fn in_game(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Some(game) = &model.game else { return };
    let is_typing = !game.typed.is_empty();
    if game.typed.starts_with(':') || key == Key::Char(':') && !is_typing && game.view.phase == Phase::Playing
    {
        return words_typed(model, key, out);
    }
    let (phase, is_deploying) = (game.view.phase, game.editor.is_some());
    match key {
        Key::Char('?') => model.is_help = true,
        Key::Char('t') => {
            model.is_turned = !model.is_turned;
        }
        Key::Char('q') if !is_typing => leaving::ask(model, out),
        Key::Char('N') => model.options.numbering = other_numbering(model.options.numbering),
        // On wide boards, n is a column.
        Key::Char('n') if !is_typing && !is_column(game, 'n') => {
            model.options.numbering = other_numbering(model.options.numbering);
        }
        Key::Char(';') if !is_typing => chat::ask(model),
        Key::Char('J') => challenges::ask(model),
        Key::Char('G') => errands::ask(model, Errand::Next, out),
        Key::Char('A') => ask(model, Prompt::Abort),
        Key::Char('R') if phase == Phase::Playing => ask(model, Prompt::Resign),
        Key::Char('C') if phase == Phase::Playing => absence::ask(model),
        Key::Up | Key::Down | Key::Left | Key::Right => step(model, key),
        _ if is_deploying => deploying(model, key, out),
        Key::Char('m') if phase == Phase::Over => game::rematch(model, out),
        _ if phase == Phase::Playing => playing(model, key, out),
        _ => {}
    }
}

fn ask(model: &mut Model, prompt: Prompt) {
    let Some(game) = &model.game else { return };
    if game.is_acting() && !game::is_over(game) {
        model.prompt = Some(prompt);
    } else {
        model.say("There is nothing to give up here.");
    }
}

/// The direction of an arrow key on the board as shown.
fn direction(key: Key, bottom: Side) -> Option<Direction> {
    let direction = match key {
        Key::Up => Direction::Up,
        Key::Down => Direction::Down,
        Key::Left => Direction::Left,
        Key::Right => Direction::Right,
        _ => return None,
    };
    Some(if bottom == Side::Red { direction } else { direction.opposite() })
}

fn step(model: &mut Model, key: Key) {
    let bottom = model.bottom();
    let (Some(direction), Some(game)) = (direction(key, bottom), &mut model.game) else { return };
    let Some(ruleset) = game.ruleset else { return };
    if let Some(editor) = &mut game.editor {
        editor.step(direction);
    } else if let Some(next) =
        game.cursor.neighbor(direction).filter(|next| ruleset.shape.squares().contains(*next))
    {
        game.cursor = next;
    }
}

fn deploying(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let numbering = model.options.numbering;
    let Some(editor) = model.game.as_mut().and_then(|game| game.editor.as_mut()) else { return };
    match key {
        Key::Char(' ') => editor.pick_or_swap(),
        Key::Escape => editor.drop_picked(),
        Key::Backspace | Key::Delete => editor.take_off(),
        Key::Char('r') => editor.randomize(&mut model.chance),
        Key::Char('s') => editor.suggest(&mut model.chance),
        Key::Char('w') => model.prompt = Some(Prompt::SaveAs(String::new())),
        Key::Char('l') => {
            let entries: Vec<_> = model
                .saved
                .get(editor.ruleset.unchanged().id)
                .map(|saved| saved.iter().map(|(name, text)| (name.clone(), text.clone())).collect())
                .unwrap_or_default();
            if entries.is_empty() {
                model.say("No deployment is saved for this ruleset: w saves this one.");
            } else {
                model.prompt = Some(Prompt::Load { entries, cursor: 0 });
            }
        }
        Key::Enter => game::hand_in(model, out),
        Key::Char(letter) => {
            let placed = rank_of_key(letter, numbering).map(|rank| (rank, editor.place(rank)));
            if let Some((rank, false)) = placed {
                model.say(format!("No {rank} is in hand: Backspace takes a piece off the board."));
            }
        }
        Key::Up
        | Key::Down
        | Key::Left
        | Key::Right
        | Key::Home
        | Key::End
        | Key::PageUp
        | Key::PageDown
        | Key::Interrupt => {}
    }
}

/// The rank that a key stands for. 0 is the Marshal in EU figures, whose 10 is not a single key.
pub(super) fn rank_of_key(letter: char, numbering: Numbering) -> Option<Rank> {
    if letter == '0' && numbering == Numbering::Eu {
        return Some(Rank::Marshal);
    }
    let text = letter.to_ascii_uppercase().to_string();
    Rank::ALL.into_iter().find(|rank| rank.figure(numbering) == text)
}

fn playing(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Some(game) = &mut model.game else { return };
    if let Some(color) = reserve::color_of_key(key).filter(|_| game.is_owing_color()) {
        return game::act(model, GameCommand::Color { color }, out);
    }
    if let (Key::Char(letter), true) = (key, game.typed.is_empty() && game.is_choosing())
        && let Some(rank) = rank_of_key(letter, model.options.numbering)
    {
        // Typed out, so that Enter confirms it.
        game.typed = format!(":choose {}", rank.name());
        return;
    }
    match key {
        Key::Char('+') if game.typed.is_empty() => reserve::ask_place(model),
        Key::Char('-') if game.typed.is_empty() => reserve::ask_remove(model),
        Key::Char(' ') if game.typed.is_empty() => point(model, out),
        Key::Enter if game.typed.is_empty() => point(model, out),
        Key::Enter => typed(model, out),
        Key::Escape if game.typed.is_empty() => game.selected = None,
        Key::Escape => game.typed.clear(),
        Key::Backspace => {
            game.typed.pop();
        }
        Key::Char('x') => game::command(model, GameCommand::DeclineDraw {}, out),
        Key::Char(letter) if is_column(game, letter) && game.typed.len() < 8 => game.typed.push(letter),
        Key::Char(digit) if digit.is_ascii_digit() && !game.typed.is_empty() && game.typed.len() < 8 => {
            game.typed.push(digit);
        }
        _ => {}
    }
}

/// True if a letter is a column of the game's board.
fn is_column(game: &OpenGame, letter: char) -> bool {
    let columns = game.ruleset.map_or(16, |ruleset| ruleset.shape.columns);
    letter.is_ascii_lowercase() && (letter as u8).wrapping_sub(b'a') < columns
}

/// Handles a key after a colon: letters are typed, and Enter runs the command as in line-based
/// mode.
fn words_typed(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Some(game) = &mut model.game else { return };
    match key {
        Key::Char(letter) if game.typed.len() < WORDS_MAX => game.typed.push(letter),
        Key::Backspace => drop(game.typed.pop()),
        Key::Escape => game.typed.clear(),
        Key::Enter => {
            let text = std::mem::take(&mut game.typed);
            let text = text.trim_start_matches(':');
            match acts::act(text) {
                Some(act) => game::act(model, act, out),
                None => model.say(format!(
                    "I do not understand {text:?}: type a4a5 green, place 9 a4 red, remove a4 or color blue."
                )),
            }
        }
        _ => {}
    }
}

/// Plays the typed move. A lone `d` offers a draw and needs Enter, because d is a column too.
fn typed(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(game) = &mut model.game else { return };
    let text = std::mem::take(&mut game.typed);
    match text.parse::<Move>() {
        Ok(squares) => go(model, squares, out),
        Err(_) if text == "d" => game::draw(model, out),
        Err(_) => model.say(format!("{text} is no move: type two squares, as in a4a5, then Enter.")),
    }
}

/// Plays a move, or asks for its chip's color if it lays one. A flash lays none.
fn go(model: &mut Model, squares: Move, out: &mut Vec<Effect>) {
    let by = model.game.as_ref().and_then(|game| {
        let reach = targets::reach(&game.view, game.ruleset?, squares.from);
        reach.into_iter().find(|target| target.square == squares.to).map(|target| target.by)
    });
    match by {
        Some(Carrier::Legs | Carrier::SupplyLine) => {
            reserve::ask_color(model, Uncolored::Move(squares), out);
        }
        // The server refuses what no rule allows, with its reason.
        Some(Carrier::Flash | Carrier::Scout) | None => game::play(model, squares, out),
    }
}

/// Enter or space on a square: selects, deselects, or goes there.
fn point(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(game) = &mut model.game else { return };
    let (Some(ruleset), Some(side)) = (game.ruleset, game.own_side()) else { return };
    let cursor: Square = game.cursor;
    if !game.is_own_turn() {
        model.say("It is not your turn.");
        return;
    }
    let is_own = targets::piece_at(&game.view, cursor).is_some_and(|piece| piece.side == side);
    match game.selected {
        Some(from) if from == cursor => game.selected = None,
        None | Some(_) if is_own => {
            if targets::targets(&game.view, ruleset, cursor).is_empty() {
                game.selected = None;
                model.say(format!("The piece on {cursor} cannot move now."));
            } else {
                game.selected = Some(cursor);
            }
        }
        Some(from) => {
            let squares = Move { from, to: cursor };
            let is_refused = game.view.refused_moves.contains(&squares);
            if targets::targets(&game.view, ruleset, from).contains(cursor) {
                go(model, squares, out);
            } else if is_refused {
                model.say("A repetition rule forbids that move this turn.");
            } else {
                model.say(format!("The piece on {from} cannot go to {cursor}."));
            }
        }
        None => model.say("Select one of your own pieces first."),
    }
}
