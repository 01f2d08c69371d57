//! Handles the lines of the line-based mode, typed by a person or sent by a script.

use flagfall_protocol::{GameCommand, Phase};

use super::{absence, actions, chat, game, goal, leaving, mail, questions};
use crate::model::{Effect, Goal, Link, Model, Page, Prompt};
use crate::{command_text, text};

pub(super) fn typed(model: &mut Model, line: &str) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    if model.options.face.is_unattended() && must_wait(model, line) {
        model.input.held = Some(line.to_owned());
    } else {
        carry_out(model, line);
    }
}

/// Handles the end of the input. A person who pressed Ctrl-D leaves. A script does not leave yet,
/// because its commands may still wait for answers.
pub(super) fn ended(model: &mut Model) {
    model.input.is_over = true;
    if !model.options.face.is_unattended() && !matches!(model.goal, Goal::Watch(_)) {
        leaving::leave(model);
    }
}

/// Runs after each message: carries out the held line if it can, and ends a finished script.
pub(super) fn resume(model: &mut Model) {
    let is_ending = |model: &Model| model.effects.iter().any(|effect| matches!(effect, Effect::Exit { .. }));
    if is_ending(model) {
        return;
    }

    let is_due = model.input.held.as_ref().is_some_and(|line| !must_wait(model, line));
    if is_due
        && !model.is_waiting()
        && let Some(line) = model.input.held.take()
    {
        carry_out(model, &line);
    }
    let is_seated = model.game.as_ref().is_some_and(|game| game.own_side().is_some())
        || (model.is_mail() && model.connection.link == Link::Online && model.opening.is_none());
    let is_done = model.input.is_over
        && model.options.face.is_unattended()
        && model.input.held.is_none()
        && !model.is_waiting()
        && is_seated;
    if is_done && !is_ending(model) {
        leaving::leave(model);
    }
}

/// True if a script's line cannot be carried out yet, but may be possible later.
fn must_wait(model: &Model, line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let word = word.as_str();
    if matches!(word, "help" | "quit" | "exit")
        || matches!(model.ui.page, Page::Choosing(_) | Page::Terms { .. })
    {
        return false;
    }
    if model.is_mail() && model.connection.link != Link::Online {
        return true;
    }
    let is_about_challenge = matches!(word, "accept" | "reject") && is_code(line);
    if mail::is_word(word) || is_about_challenge {
        return false;
    }
    // Without an open game, only the prompt for play by mail can carry out a line.
    let Some(game) = &model.game else { return !model.is_mail() || model.opening.is_some() };
    let act = command_text::parse(line);
    let is_move = word == "move" || act.is_some();
    let is_choice = matches!(act, Some(GameCommand::Choose { .. }));
    match game.view.phase {
        Phase::Over => false,
        Phase::Playing if is_move => !game.is_own_turn() || is_choice != game.view.pending_strike.is_some(),
        Phase::Deploying if word != "deploy" => {
            let is_of_play = matches!(word, "draw" | "accept" | "decline" | "resign" | "claim" | "rematch");
            is_move || is_of_play || matches!(word, "propose" | "reject" | "queue")
        }
        Phase::Deploying | Phase::Playing => word == "rematch",
    }
}

/// True if the second word of the line is a challenge's code.
fn is_code(line: &str) -> bool {
    let rest = line.split_whitespace().nth(1);
    rest.is_some_and(|rest| rest.len() >= 10 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn carry_out(model: &mut Model, line: &str) {
    model.input.was_refused = false;
    if answered(model, line) {
        return;
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_ascii_lowercase().as_str() {
        "help" | "?" => {
            for help in [text!("lines-help-play"), text!("lines-help-mail"), text!("lines-help-last")] {
                model.say_all(help.lines());
            }
            return;
        }
        "quit" | "exit" if rest.eq_ignore_ascii_case("yes") => return leaving::leave(model),
        "quit" | "exit" => return leaving::confirm(model),
        _ => {}
    }
    match &model.ui.page {
        Page::Choosing(_) if !is_code(line) => return choose(model, line),
        Page::Terms { challenge, .. } => {
            let challenge = challenge.clone();
            match word {
                "accept" | "y" | "yes" => goal::accept_challenge(model, challenge),
                "decline" | "reject" | "n" | "no" => leaving::leave(model),
                _ => model.say(text!("challenge-terms-ask")),
            }
            return;
        }
        Page::Choosing(_) | Page::Waiting { .. } | Page::Game => {}
    }
    let word = word.to_ascii_lowercase();
    if mail::carry_out(model, &word, rest) || questions::answer(model, &word, rest) {
        return;
    }
    match word.as_str() {
        "deploy" => {
            let choice = game::setup_choice(model, rest);
            game::deploy(model, &choice);
        }
        "move" => play(model, rest),
        "board" => game::show_board(model, true),
        "draw" => game::draw(model),
        "accept" => game::command(model, GameCommand::AcceptDraw {}),
        "decline" => game::command(model, GameCommand::DeclineDraw {}),
        "resign" => give_up(model, GameCommand::Resign {}, rest),
        "abort" => give_up(model, GameCommand::Abort {}, rest),
        "claim" => absence::claim_command(model, rest),
        "say" => chat::say_command(model, rest),
        "mute" => chat::mute(model, true),
        "unmute" => chat::mute(model, false),
        "report" => chat::report(model, rest),
        "rematch" => game::rematch(model),
        _ => play(model, line),
    }
}

/// If a question is open, answers it with this line. True if the line needs no other handling. A
/// line that is not an answer cancels the question.
fn answered(model: &mut Model, line: &str) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| line.eq_ignore_ascii_case(word));
    let (is_yes, otherwise) = match &model.ui.prompt {
        Some(Prompt::IllegalMove(squares)) => (is(&["sure"]), text!("move-taken-back", squares = *squares)),
        Some(Prompt::Resign | Prompt::Abort | Prompt::Leave(_)) => (is(&["yes", "y"]), text!("game-goes-on")),
        _ => {
            model.ui.prompt = None;
            return false;
        }
    };
    if is_yes {
        actions::confirm(model);
        return true;
    }
    model.say(otherwise);
    !matches!(model.ui.prompt.take(), Some(Prompt::IllegalMove(_))) && is(&["no", "n"])
}

/// Gives up the game if `rest` is yes. Otherwise asks for confirmation.
fn give_up(model: &mut Model, command: GameCommand, rest: &str) {
    let is_possible = model.game.as_ref().is_some_and(|game| game.is_acting() && !game.is_over());
    if rest.eq_ignore_ascii_case("yes") || !is_possible {
        // If the command is not allowed, this call tells the user why.
        return game::command(model, command);
    }
    model.input.was_refused = true;
    if command == (GameCommand::Resign {}) {
        model.say(text!("resign-ask"));
        model.ui.prompt = Some(Prompt::Resign);
    } else {
        model.say(text!("abort-ask"));
        model.ui.prompt = Some(Prompt::Abort);
    }
}

fn play(model: &mut Model, text: &str) {
    let (text, number) = match mail::move_number(text) {
        Ok(read) => read,
        Err(why) => {
            return model.refuse(why);
        }
    };
    let stands_at = model.game.as_ref().map(|game| game.view.ply);
    match (command_text::parse(&text), number) {
        // The line names a ply that is not the current one, so the server refuses the command as
        // stale.
        (Some(act), Some(ply)) if Some(ply) != stands_at => game::command_at(model, act, ply),
        (Some(act), _) => game::act(model, act),
        (None, _) => {
            model.refuse(text!("line-not-understood", text));
        }
    }
}

fn choose(model: &mut Model, line: &str) {
    let Page::Choosing(choices) = &model.ui.page else { return };
    let chosen = line.parse::<usize>().ok().and_then(|number| choices.entries.get(number.checked_sub(1)?));
    match chosen.map(|(_, choice)| choice.clone()) {
        Some(choice) => goal::chosen(model, choice),
        None => {
            let last = choices.entries.len();
            model.say(text!("choice-usage", last));
        }
    }
}
