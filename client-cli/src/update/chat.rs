//! Chat between the two players, and reports to the operators.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{ClientToServer, Phrase, Said};

use super::outbox;
use crate::model::{Model, Prompt};
use crate::{names, text, words};

/// Maximum length of a message or a report, in characters.
pub(super) const TYPED_MAX: usize = 300;

pub(super) fn said(model: &mut Model, id: GameId, side: Side, said: &Said) {
    let open = model.game.as_ref().filter(|game| game.summary.id == id);
    let is_own = open.is_some_and(|game| game.own_side() == Some(side));
    if model.options.face.is_program() || open.is_some_and(|game| game.is_muted && !is_own) {
        return;
    }
    let message = match said {
        Said::Phrase { phrase } => &text!("phrase", phrase = phrase.name()),
        Said::Text { text } => text,
    };
    // A message is always shown on one line.
    let message: String = message.chars().map(|letter| if letter == '\n' { ' ' } else { letter }).collect();
    model.say(match open {
        _ if is_own => text!("said-own", message),
        Some(game) => text!("said", player = words::player(&game.summary.players[side]), message),
        None => text!("said-elsewhere", side, game = id, message),
    });
}

/// Handles the typed text: a phrase's number, a command after a slash, or a message.
pub(super) fn submit(model: &mut Model, typed: &str) {
    let typed = typed.trim();
    if typed.is_empty() {
        return;
    }
    if typed.starts_with('/') {
        model.input.was_refused = false;
        slash_command(model, typed);
        if model.input.was_refused {
            // Keep the text, so that the user can correct it.
            model.ui.prompt = Some(Prompt::Say(typed.to_owned()));
        }
        return;
    }
    match phrase(typed) {
        Some(phrase) => say(model, Said::Phrase { phrase }),
        None => say(model, Said::Text { text: typed.to_owned() }),
    }
}

/// Refuses an unknown command after a slash, so that the opponent never receives it.
fn no_such_word(model: &mut Model, word: &str) {
    model.refuse(match names::closest(word, ["/mute", "/unmute", "/report"]) {
        Some(meant) => text!("no-slash-command-meant", word, meant),
        None => text!("no-slash-command", word),
    });
}

fn phrase(number: &str) -> Option<Phrase> {
    Phrase::ALL.get(number.parse::<usize>().ok()?.checked_sub(1)?).copied()
}

/// Handles a line that sends a message. A number stands for a phrase.
pub(super) fn say_command(model: &mut Model, rest: &str) {
    match phrase(rest) {
        _ if rest.is_empty() => {
            for (at, phrase) in Phrase::ALL.into_iter().enumerate() {
                let phrase = text!("phrase", phrase = phrase.name());
                model.say(text!("say-phrase", number = at + 1, phrase));
            }
        }
        Some(phrase) => say(model, Said::Phrase { phrase }),
        None if rest.starts_with('/') => slash_command(model, rest),
        None => say(model, Said::Text { text: rest.to_owned() }),
    }
}

/// Handles a command after a slash, in the same way as on the full screen.
fn slash_command(model: &mut Model, text: &str) {
    match text.split_once(char::is_whitespace).unwrap_or((text, "")) {
        ("/mute", _) => mute(model, true),
        ("/unmute", _) => mute(model, false),
        ("/report", reason) => report(model, reason.trim()),
        (word, _) => no_such_word(model, word),
    }
}

fn say(model: &mut Model, said: Said) {
    let Some(game) = seat(model) else { return };
    if !said.is_fit() {
        return model.refuse(text!("message-too-long", max = Said::TEXT_LEN_MAX));
    }
    outbox::send(model, |cmd_id| ClientToServer::Say { cmd_id, game, said });
}

/// Mutes or unmutes the opponent in this game.
pub(super) fn mute(model: &mut Model, is_muted: bool) {
    if seat(model).is_none() {
        return;
    }
    if let Some(game) = &mut model.game {
        game.is_muted = is_muted;
    }
    let server = model.options.server_flag();
    model.say(if is_muted { text!("muted", server) } else { text!("unmuted") });
}

/// Reports the opponent to the operators.
pub(super) fn report(model: &mut Model, reason: &str) {
    let Some(game) = seat(model) else { return };
    if reason.is_empty() {
        return model.refuse(text!("report-usage"));
    }
    outbox::send(model, |cmd_id| ClientToServer::Report { cmd_id, game, reason: reason.to_owned() });
}

/// Drops unanswered messages when the connection is lost. The client does not send them again,
/// because the opponent may already have received them.
pub(super) fn connection_lost(model: &mut Model) {
    let before = model.connection.pending.len();
    model.connection.pending.retain(|pending| !matches!(pending.message, ClientToServer::Say { .. }));
    if model.connection.pending.len() < before {
        model.say(text!("talk-lost"));
    }
}

/// Returns the game in which the player has a seat. If there is none, tells the user.
fn seat(model: &mut Model) -> Option<GameId> {
    let game = model.game.as_ref().filter(|game| game.own_side().is_some()).map(|game| game.summary.id);
    if game.is_none() {
        model.refuse(text!("talk-players-only"));
    }
    game
}
