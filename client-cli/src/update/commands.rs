//! Lines of the line-based mode, typed by a person or sent by a script.

use flagfall_board::Side;
use flagfall_protocol::{GameCommand, Phase, Presence};

use super::{absence, chat, game, goal, leaving, mail};
use crate::model::{Effect, Goal, Link, Model, Page, Prompt};
use crate::{command_text, plain, status, words};

const HELP: &str = "\
a4a5 or move a4a5: move or strike. Where there are chips, with a color: a4a5 green; where edges join,
  a1a7+ goes over rows or columns counting up, a1a7- counting down.
place scout a4, place labeled scout a4: bring a piece on from the reserve (with a color: place
  scout a4 green). remove a4: take a piece into it. color green: name the color you owe.
reserve: what waits beside the board. Where there are coins, choose captain: say what your struck
  coin is. pool: what both sides' coins can still be.
deploy suggested: hand in a sensible deployment. deploy random: any. deploy NAME: a saved one.
deploy TEXT: hand in your own, a letter a square, the row nearest the enemy first, each row
  from your left: 1-9, S Spy, B Bomb, F Flag, and . for a square left empty where allowed.
board: print the board. status: turn, clocks, presence. captured: what is lost and left.
draw: offer a draw, or accept the other side's. accept, decline: answer its offer.
resign: give up. abort: call the game off before your first move. Both ask first; the next line
  answers with yes. resign yes and abort yes ask nothing, as scripts want it.
claim win, claim draw: end a game that the other side has left for a while.
say WORDS: to your opponent alone; say 1 to say 7 are phrases, say lists them. mute, unmute.
report WORDS: tell the operators of the server what your opponent did in this game.
rematch: after the end, ask for another game with sides swapped.";

const LAST_HELP: &str = "help: this text. quit: leave, after a question while a game runs (quit yes asks nothing). Your seat stays yours.";

/// Handles a line.
pub(super) fn typed(model: &mut Model, line: &str, out: &mut Vec<Effect>) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    if model.options.face.is_unattended() && must_wait(model, line) {
        model.input.held = Some(line.to_owned());
    } else {
        carry_out(model, line, out);
    }
}

/// Handles the end of the input: a person pressed Ctrl-D. A script may still have commands on their
/// way.
pub(super) fn ended(model: &mut Model, out: &mut Vec<Effect>) {
    model.input.is_over = true;
    if !model.options.face.is_unattended() && !matches!(model.goal, Goal::Watch(_)) {
        leaving::leave(model, out);
    }
}

/// Runs after every message: carries out a held line if it is time, and ends a finished script.
pub(super) fn resume(model: &mut Model, out: &mut Vec<Effect>) {
    if out.iter().any(|effect| matches!(effect, Effect::Exit { .. })) {
        return;
    }
    let is_due = model.connection.pending.is_empty()
        && model.connection.requests == 0
        && model.input.held.as_ref().is_some_and(|line| !must_wait(model, line));
    if is_due && let Some(line) = model.input.held.take() {
        carry_out(model, &line, out);
    }
    let is_seated = model.game.as_ref().is_some_and(|game| game.own_side().is_some())
        || (model.is_mail() && model.connection.link == Link::Online && model.opening.is_none());
    let is_done = model.input.is_over
        && model.options.face.is_unattended()
        && model.input.held.is_none()
        && model.connection.pending.is_empty()
        && model.connection.requests == 0
        && is_seated;
    if is_done && !out.iter().any(|effect| matches!(effect, Effect::Exit { .. })) {
        leaving::leave(model, out);
    }
}

/// True if a script's line cannot be carried out yet, but may be later.
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
    // The prompt for many games may never have an open game.
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

/// The entries of a help text, one line each, to be folded to the terminal's width. Indented lines
/// are joined to the line before.
fn entries(text: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("  "), entries.last_mut()) {
            (Some(more), Some(entry)) => entry.push_str(&format!(" {more}")),
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

/// True if a challenge's code follows the word.
fn is_code(line: &str) -> bool {
    let rest = line.split_whitespace().nth(1);
    rest.is_some_and(|rest| rest.len() >= 10 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn carry_out(model: &mut Model, line: &str, out: &mut Vec<Effect>) {
    model.input.was_refused = false;
    if answered(model, line, out) {
        return;
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_ascii_lowercase().as_str() {
        "help" | "?" => {
            for text in [HELP, mail::HELP, LAST_HELP] {
                entries(text).into_iter().for_each(|entry| model.say(entry));
            }
            return;
        }
        "quit" | "exit" if rest.eq_ignore_ascii_case("yes") => return leaving::leave(model, out),
        "quit" | "exit" => return leaving::confirm(model, out),
        _ => {}
    }
    match &model.ui.page {
        Page::Choosing(_) if !is_code(line) => return choose(model, line, out),
        Page::Terms { challenge, .. } => {
            let challenge = challenge.clone();
            match word {
                "accept" | "y" | "yes" => goal::accept_challenge(model, challenge, out),
                "decline" | "reject" | "n" | "no" => leaving::leave(model, out),
                _ => model.say("Type accept to play, or quit."),
            }
            return;
        }
        Page::Choosing(_) | Page::Waiting { .. } | Page::Game => {}
    }
    let word = word.to_ascii_lowercase();
    if mail::carry_out(model, &word, rest, out) {
        return;
    }
    match word.as_str() {
        "deploy" => {
            let choice = game::setup_choice(model, rest);
            game::deploy(model, &choice, out);
        }
        "move" => play(model, rest, out),
        "board" => game::show_board(model, true),
        "status" => status(model),
        "captured" => captured(model),
        "reserve" => reserve(model),
        "pool" | "pools" => pools(model),
        "draw" => game::draw(model, out),
        "accept" => game::command(model, GameCommand::AcceptDraw {}, out),
        "decline" => game::command(model, GameCommand::DeclineDraw {}, out),
        "resign" => give_up(model, GameCommand::Resign {}, rest, out),
        "abort" => give_up(model, GameCommand::Abort {}, rest, out),
        "claim" => absence::claim_command(model, rest, out),
        "say" => chat::say_command(model, rest, out),
        "mute" => chat::mute(model, true),
        "unmute" => chat::mute(model, false),
        "report" => chat::report(model, rest, out),
        "rematch" => game::rematch(model, out),
        _ => play(model, line, out),
    }
}

/// Treats a line as the answer to the open question, if there is one. True if the line is used up.
fn answered(model: &mut Model, line: &str, out: &mut Vec<Effect>) -> bool {
    let is_yes = line.eq_ignore_ascii_case("yes") || line.eq_ignore_ascii_case("y");
    let is_no = line.eq_ignore_ascii_case("no") || line.eq_ignore_ascii_case("n");
    match model.ui.prompt.take() {
        Some(Prompt::IllegalMove(squares)) if line.eq_ignore_ascii_case("sure") => {
            game::send_move(model, squares, out);
            return true;
        }
        Some(Prompt::IllegalMove(squares)) => model.say(format!("{squares} is taken back.")),
        Some(Prompt::Resign) if is_yes => {
            game::command(model, GameCommand::Resign {}, out);
            return true;
        }
        Some(Prompt::Abort) if is_yes => {
            game::command(model, GameCommand::Abort {}, out);
            return true;
        }
        Some(Prompt::Leave(_)) if is_yes => {
            leaving::leave(model, out);
            return true;
        }
        Some(Prompt::Resign | Prompt::Abort | Prompt::Leave(_)) => {
            model.say("The game goes on.");
            return is_no;
        }
        _ => {}
    }
    false
}

/// Gives up the game after a yes. Otherwise asks for one.
fn give_up(model: &mut Model, command: GameCommand, rest: &str, out: &mut Vec<Effect>) {
    let is_possible = model.game.as_ref().is_some_and(|game| game.is_acting() && !game.is_over());
    if rest.eq_ignore_ascii_case("yes") || !is_possible {
        // The game says why it is not possible.
        return game::command(model, command, out);
    }
    model.input.was_refused = true;
    if command == (GameCommand::Resign {}) {
        model.say("Really resign? Type yes to resign; anything else goes on.");
        model.ui.prompt = Some(Prompt::Resign);
    } else {
        model.say("Really call the game off? Type yes to do so; anything else goes on.");
        model.ui.prompt = Some(Prompt::Abort);
    }
}

fn play(model: &mut Model, text: &str, out: &mut Vec<Effect>) {
    let (text, number) = match mail::move_number(text) {
        Ok(read) => read,
        Err(why) => {
            model.input.was_refused = true;
            return model.say(why);
        }
    };
    let stands_at = model.game.as_ref().map(|game| game.view.ply);
    match (command_text::parse(&text), number) {
        // The act is meant for another ply, so the server will refuse it as stale.
        (Some(act), Some(ply)) if Some(ply) != stands_at => game::command_at(model, act, ply, out),
        (Some(act), _) => game::act(model, act, out),
        (None, _) => {
            model.input.was_refused = true;
            model.say(format!("I do not understand {text:?}. Type a move as in a4a5, or help."));
        }
    }
}

fn choose(model: &mut Model, line: &str, out: &mut Vec<Effect>) {
    let Page::Choosing(choices) = &model.ui.page else { return };
    let chosen = line.parse::<usize>().ok().and_then(|number| choices.entries.get(number.checked_sub(1)?));
    match chosen.map(|(_, choice)| choice.clone()) {
        Some(choice) => goal::chosen(model, choice, out),
        None => {
            let last = choices.entries.len();
            model.say(format!("Type a number from 1 to {last}, or quit."));
        }
    }
}

fn status(model: &mut Model) {
    let Some(game) = &model.game else {
        model.say("There is no game yet.");
        return;
    };
    let view = &game.view;
    let mut lines = vec![match view.phase {
        Phase::Deploying => "Both sides deploy.".to_owned(),
        Phase::Playing => match view.turn {
            Some(side) => format!("Ply {}: it is {side}'s turn.", view.ply),
            None => format!("Ply {}.", view.ply),
        },
        Phase::Over => view.outcome.as_ref().map(words::outcome).unwrap_or_default(),
    }];
    for side in Side::BOTH {
        let name = words::player(&game.summary.players[side]);
        let presence = match game.presence[side] {
            Presence::Reconnecting | Presence::Away if game.left[side] => "left",
            presence => words::presence(presence),
        };
        let clock = match game.remaining_ms(side, model.server_now()) {
            Some(ms) => format!(", {} left", words::clock(ms)),
            None => String::new(),
        };
        let ready = match (view.phase, view.ready[side]) {
            (Phase::Deploying, true) => ", ready",
            (Phase::Deploying, false) => ", not ready",
            (Phase::Playing | Phase::Over, _) => "",
        };
        lines.push(format!("{side}: {name}, {presence}{clock}{ready}."));
    }
    lines.extend(status::claim(model));
    if let Some(side) = view.draw_offer {
        lines.push(format!("{side} offers a draw."));
    }
    if let Some(last) = &view.last_move {
        lines.push(format!("Last: {}", words::moved(last)));
    }
    if let Some(last) = &view.last_exchange {
        lines.push(format!("Last: {}", words::exchanged(last)));
    }
    lines.extend(words::owed(view));
    lines.extend(words::choice(view));
    for line in lines {
        model.say(line);
    }
}

fn reserve(model: &mut Model) {
    let lines = match model.game.as_ref() {
        None => vec!["There is no game yet.".to_owned()],
        Some(game) => match &game.view.reserve {
            None => vec!["There is no reserve in this ruleset.".to_owned()],
            Some(reserves) => {
                Side::BOTH.into_iter().map(|side| words::reserve(side, &reserves[side])).collect()
            }
        },
    };
    for line in lines {
        model.say(line);
    }
}

fn pools(model: &mut Model) {
    let lines = match model.game.as_ref() {
        None => vec!["There is no game yet.".to_owned()],
        Some(game) => match &game.view.pools {
            None => vec!["There are no coins in this ruleset.".to_owned()],
            Some(pools) => Side::BOTH.into_iter().map(|side| words::pool(side, &pools[side])).collect(),
        },
    };
    for line in lines {
        model.say(line);
    }
}

fn captured(model: &mut Model) {
    let Some((game, ruleset)) = model.game.as_ref().and_then(|game| Some((game, game.ruleset?))) else {
        model.say("There is no game yet.");
        return;
    };
    let lines: Vec<String> =
        Side::BOTH.into_iter().flat_map(|side| plain::losses(&game.view, ruleset, side)).collect();
    for line in lines {
        model.say(line);
    }
}
