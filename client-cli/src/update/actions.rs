//! Carries out the actions of keys and clicks on the full screen.

use flagfall_board::{Direction, Numbering, Side, Square};
use flagfall_protocol::GameCommand;
use flagfall_rules::{Carrier, Move};

use super::{absence, challenges, chat, game, goal, leaving, outbox, premove, reserve};
use crate::input::{Action, Jump, Screen};
use crate::model::{Effect, Help, Model, Notes, OpenGame, Page, Prompt, Secret, Uncolored};
use crate::request::Request;
use crate::{command_text, input, targets, text, texts};

/// Maximum length of the name of a saved deployment.
const NAME_MAX: usize = 30;
/// Maximum length of a command after a colon.
const COMMAND_MAX: usize = 40;

/// Carries out the action of a key.
pub(super) fn act(model: &mut Model, action: Action) {
    match action {
        Action::Stop => leaving::leave(model),
        Action::Leave => leaving::confirm(model),
        Action::ShowHistory => model.ui.history = Some(0),
        Action::ShowHelp => {
            model.ui.help = Some(Help { first: 0, last: input::hints(model, true).len() });
        }
        Action::CloseHelp => model.ui.help = None,
        Action::Confirm => confirm(model),
        Action::Cancel => cancel(model),
        Action::DeclineChallenge => challenges::decline(model),
        Action::Claim(result) => {
            model.ui.prompt = None;
            absence::claim(model, result);
        }
        Action::Color(color) => match model.ui.prompt.take() {
            Some(Prompt::Color(ply)) => game::act(model, ply.colored(color)),
            _ => game::act(model, GameCommand::Color { color }),
        },
        Action::Pick => pick(model),
        Action::FindRank(rank) => {
            if let Some(Prompt::Place { kinds, cursor, .. }) = &mut model.ui.prompt {
                *cursor = kinds.iter().position(|(kind, ..)| *kind == rank).unwrap_or(*cursor);
            }
        }
        Action::Type(letter) => type_letter(model, letter),
        Action::Erase => drop(typed(model).and_then(String::pop)),
        Action::Clear => clear(model),
        Action::Submit => submit(model),
        Action::Go(jump) => go_to(model, jump),
        Action::NextGame => outbox::request(model, Request::Next),
        Action::AnswerChallenge => challenges::prompt(model),
        Action::TurnBoard => model.ui.is_turned = !model.ui.is_turned,
        Action::SwitchFigures => {
            model.options.numbering = match model.options.numbering {
                Numbering::Us => Numbering::Eu,
                Numbering::Eu => Numbering::Us,
            }
        }
        Action::Step(direction) => step(model, direction),
        Action::Select => select(model),
        Action::Deselect => deselect(model),
        Action::Place => reserve::prompt_place(model),
        Action::Remove => reserve::prompt_remove(model),
        Action::Choose(rank) => {
            if let Some(game) = &mut model.game {
                // Show the command as typed text, so that the user confirms it with Enter.
                game.typed = format!(":choose {}", rank.name());
            }
        }
        Action::DeclineDraw => game::command(model, GameCommand::DeclineDraw {}),
        Action::Resign => model.ui.prompt = Some(Prompt::Resign),
        Action::Abort => model.ui.prompt = Some(Prompt::Abort),
        Action::AskClaim => model.ui.prompt = Some(Prompt::Claim),
        Action::Rematch => game::rematch(model),
        Action::Talk => model.ui.prompt = Some(Prompt::Say(String::new())),
        Action::Save => model.ui.prompt = Some(Prompt::SaveAs(String::new())),
        Action::Load => show_saved(model),
        Action::HandIn => game::hand_in(model),
        Action::PickUp
        | Action::PutBack
        | Action::TakeOff
        | Action::Put(_)
        | Action::Randomize
        | Action::Suggest => edit(model, action),
    }
}

/// Answers yes to the open question, or accepts the terms of a challenge.
pub(super) fn confirm(model: &mut Model) {
    match model.ui.prompt.take() {
        Some(Prompt::Resign) => game::command(model, GameCommand::Resign {}),
        Some(Prompt::Abort) => game::command(model, GameCommand::Abort {}),
        Some(Prompt::Leave(_)) => leaving::leave(model),
        Some(Prompt::IllegalMove(squares)) => game::command(model, GameCommand::from(squares)),
        Some(Prompt::Remove(square)) => game::act(model, GameCommand::Remove { square }),
        Some(Prompt::Challenge(_)) => challenges::accept_latest(model),
        Some(prompt) => model.ui.prompt = Some(prompt),
        None => {
            if let Page::Terms { challenge, .. } = &model.ui.page {
                let challenge = challenge.clone();
                goal::accept_challenge(model, challenge);
            }
        }
    }
}

fn cancel(model: &mut Model) {
    if model.ui.history.take().is_some() {
        return;
    }
    match model.ui.prompt.take() {
        Some(Prompt::Challenge(_)) => {
            model.say(text!("challenge-waits", key = input::key_for(Action::AnswerChallenge)));
        }
        Some(Prompt::Color(_)) => model.say(text!("taken-back")),
        Some(Prompt::Place { .. } | Prompt::Load { .. }) | None => {}
        Some(_) => model.say(text!("game-goes-on")),
    }
}

/// Moves to another line or entry of the open help, history, record or list.
fn go_to(model: &mut Model, jump: Jump) {
    if let Some(help) = &mut model.ui.help {
        help.first = jump.from(help.first, help.last);
    } else if let Some(newer) = &mut model.ui.history {
        let last = model.notes.len().saturating_sub(1);
        *newer = last - jump.from(last - *newer, last);
    } else if let Some(replay) = &mut model.ui.replay {
        replay.go(jump.from(replay.at, replay.last));
        model.game = Some(OpenGame::of_replay(replay));
        if model.options.face.prints() {
            let note = replay.sentence();
            model.say(note);
        } else {
            // Don't show notes about later events beside an earlier position.
            model.notes.replace(replay.sentences(Notes::MAX));
        }
    } else {
        let (cursor, count) = match (&mut model.ui.prompt, &mut model.ui.page) {
            (Some(Prompt::Place { kinds, cursor, .. }), _) => (cursor, kinds.len()),
            (Some(Prompt::Load { entries, cursor }), _) => (cursor, entries.len()),
            (None, Page::Choosing(choices)) => (&mut choices.cursor, choices.entries.len()),
            _ => return,
        };
        *cursor = jump.from(*cursor, count.saturating_sub(1));
    }
}

/// Picks the entry under the cursor of the open list.
fn pick(model: &mut Model) {
    match (model.ui.prompt.take(), &model.ui.page) {
        (Some(Prompt::Place { square, kinds, cursor }), _) => {
            if let Some((rank, labeled, _)) = kinds.get(cursor).copied() {
                reserve::play_or_prompt_color(model, Uncolored::Place { square, rank, labeled });
            }
        }
        (Some(Prompt::Load { entries, cursor }), _) => load(model, entries.get(cursor)),
        (None, Page::Choosing(choices)) => {
            if let Some((_, choice)) = choices.entries.get(choices.cursor).cloned() {
                goal::chosen(model, choice);
            }
        }
        (prompt, _) => model.ui.prompt = prompt,
    }
}

fn typed(model: &mut Model) -> Option<&mut String> {
    match &mut model.ui.prompt {
        Some(Prompt::Say(typed) | Prompt::SaveAs(typed)) => Some(typed),
        Some(_) => None,
        None => model.game.as_mut().map(|game| &mut game.typed),
    }
}

fn type_letter(model: &mut Model, letter: char) {
    let max = match &model.ui.prompt {
        Some(Prompt::Say(_)) => chat::TYPED_MAX,
        Some(Prompt::SaveAs(_)) => NAME_MAX,
        _ => COMMAND_MAX,
    };
    if let Some(typed) = typed(model).filter(|typed| typed.chars().count() < max) {
        typed.push(letter);
    }
}

fn clear(model: &mut Model) {
    if model.ui.prompt.take().is_none()
        && let Some(game) = &mut model.game
    {
        game.typed.clear();
    }
}

fn submit(model: &mut Model) {
    match model.ui.prompt.take() {
        Some(Prompt::Say(typed)) => return chat::submit(model, &typed),
        Some(Prompt::SaveAs(name)) => return save_as(model, &name),
        prompt => model.ui.prompt = prompt,
    }
    let Some(game) = &mut model.game else { return };
    let text = std::mem::take(&mut game.typed);
    if let Some(text) = text.strip_prefix(':') {
        return match command_text::parse(text) {
            Some(act) => game::act(model, act),
            None => model.say(text!("command-not-understood", text)),
        };
    }
    match text.parse::<Move>() {
        Ok(squares) => go(model, squares),
        // A single d offers a draw, although moves can also start with d.
        Err(_) if text == "d" => game::draw(model),
        Err(_) => model.say(text!("not-a-move", text)),
    }
}

fn save_as(model: &mut Model, name: &str) {
    let Some(editor) = model.game.as_ref().and_then(|game| game.editor.as_ref()) else { return };
    if name.is_empty() {
        model.say(text!("save-name-wanted"));
        return;
    }
    match editor.checked_text() {
        Ok(text) => {
            let ruleset = editor.ruleset.unchanged().id.to_owned();
            let by_name = model.deployments.saved.entry(ruleset.clone()).or_default();
            by_name.insert(name.to_owned(), text.clone());
            if model.is_account() {
                let (name, setup) = (name.to_owned(), Secret::new(text));
                return outbox::request(model, Request::SaveDeployment { ruleset, name, setup });
            }
            model.say(text!("deployment-saved", name));
            model.effects.push(Effect::SaveSetup { ruleset, name: name.to_owned(), text });
        }
        Err(refusal) => model.say(text!("deployment-not-saved", why = texts::refusal(&refusal))),
    }
}

fn show_saved(model: &mut Model) {
    let Some(editor) = model.game.as_ref().and_then(|game| game.editor.as_ref()) else { return };
    let saved = model.deployments.saved.get(editor.ruleset.unchanged().id).into_iter().flatten();
    let entries: Vec<_> = saved.map(|(name, text)| (name.clone(), text.clone())).collect();
    if entries.is_empty() {
        let key = input::key_for(Action::Save);
        model.say(text!("no-deployment-saved", key));
    } else {
        model.ui.prompt = Some(Prompt::Load { entries, cursor: 0 });
    }
}

fn load(model: &mut Model, entry: Option<&(String, String)>) {
    let editor = model.game.as_mut().and_then(|game| game.editor.as_mut());
    let (Some(editor), Some((name, text))) = (editor, entry) else { return };
    let word = match editor.load(text) {
        Ok(()) => text!("deployment-loaded", name, key = input::key_for(Action::HandIn)),
        Err(refusal) => text!("deployment-not-loaded", name, why = texts::refusal(&refusal)),
    };
    model.say(word);
}

/// Changes the deployment in the editor.
fn edit(model: &mut Model, action: Action) {
    let Some(editor) = model.game.as_mut().and_then(|game| game.editor.as_mut()) else { return };
    match action {
        Action::PickUp => editor.pick_or_swap(),
        Action::PutBack => editor.drop_picked(),
        Action::TakeOff => editor.take_off(),
        Action::Randomize => editor.randomize(&mut model.random),
        Action::Suggest => editor.suggest(&mut model.random),
        Action::Put(rank) if !editor.place(rank) => {
            let key = input::key_for(Action::TakeOff);
            model.say(text!("none-in-hand", rank, key));
        }
        _ => {}
    }
}

/// Moves the cursor in a direction on the screen.
fn step(model: &mut Model, direction: Direction) {
    let direction = if model.bottom() == Side::Red { direction } else { direction.opposite() };
    let Some(game) = &mut model.game else { return };
    let Some(ruleset) = game.ruleset else { return };
    if let Some(editor) = &mut game.editor {
        editor.step(direction);
    } else if let Some(next) =
        game.cursor.neighbor(direction).filter(|next| ruleset.shape.squares().contains(*next))
    {
        game.cursor = next;
    }
}

/// Plays a move, or first asks for the color if the move lays a chip. A flash needs no color.
/// During the opponent's turn, plans the move instead.
pub(super) fn go(model: &mut Model, squares: Move) {
    if premove::plan(model, squares) {
        return;
    }
    let reach = model.game.as_ref().map(|game| game.reach(squares.from)).unwrap_or_default();
    match reach.into_iter().find(|target| target.square == squares.to).map(|target| target.by) {
        Some(Carrier::Legs | Carrier::SupplyLine) => {
            reserve::play_or_prompt_color(model, Uncolored::Move(squares));
        }
        // If no rule allows the move, the server refuses it and gives the reason.
        Some(Carrier::Flash | Carrier::Scout) | None => game::act(model, GameCommand::from(squares)),
    }
}

/// Handles a click: moves the cursor to the square. Then selects the piece, or moves the selected
/// piece there, if possible.
pub(super) fn click(model: &mut Model, square: Square) {
    let screen = input::screen(model);
    if !matches!(screen, Screen::Deploying | Screen::Playing | Screen::Watching | Screen::Record) {
        return;
    }
    let Some(game) = &mut model.game else { return };
    if let Some(editor) = &mut game.editor {
        if editor.point_at(square) {
            edit(model, Action::PickUp);
        }
        return;
    }
    game.cursor = square;
    let side = targets::piece_at(&game.view, square).map(|piece| piece.side);
    let is_meant = game.selected.is_some() || side.is_some() && side == game.own_side();
    let may_move = game.is_own_turn() || game.may_plan();
    if screen == Screen::Playing && may_move && is_meant {
        select(model);
    }
}

/// Deselects the piece, or cancels the planned move if no piece is selected.
fn deselect(model: &mut Model) {
    let Some(game) = &mut model.game else { return };
    if game.selected.take().is_none()
        && let Some(premove) = game.premove.take()
    {
        model.say(text!("move-taken-back", squares = premove.squares));
    }
}

/// Selects or deselects the piece under the cursor, or moves the selected piece to the cursor.
fn select(model: &mut Model) {
    let Some(game) = &mut model.game else { return };
    let Some(side) = game.own_side() else { return };
    let cursor = game.cursor;
    if !game.is_own_turn() && !game.may_plan() {
        model.say(text!("refusal-not-your-turn"));
        return;
    }
    let is_own = targets::piece_at(&game.view, cursor).is_some_and(|piece| piece.side == side);
    match game.selected {
        Some(from) if from == cursor => game.selected = None,
        None | Some(_) if is_own => {
            if game.reach(cursor).is_empty() {
                game.selected = None;
                model.say(text!("piece-cannot-move", square = cursor));
            } else {
                game.selected = Some(cursor);
            }
        }
        Some(from) => {
            let squares = Move { from, to: cursor };
            let is_refused = game.view.refused_moves.contains(&squares);
            if game.reach(from).iter().any(|target| target.square == cursor) {
                go(model, squares);
            } else if is_refused {
                let is_chase = game.view.more_squares.as_ref().map(|chases| chases.contains(&squares));
                model.say(match is_chase {
                    Some(true) => text!("refusal-more-squares"),
                    Some(false) => text!("refusal-two-squares"),
                    // An older server does not say which of the two repetition rules forbids the
                    // move.
                    None => text!("repetition-forbids"),
                });
            } else {
                model.say(text!("piece-cannot-go", from, to = cursor));
            }
        }
        None => model.say(text!("select-own-first")),
    }
}
