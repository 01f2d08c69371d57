//! Manages the connection to the server: hello, loss, reconnection.

use std::path::Path;

use flagfall_protocol::{ClientToServer, CloseCode, Exit, PROTOCOL_VERSION};

use super::exit::exit;
use super::{chat, outbox, retry};
use crate::config::is_account_file;
use crate::model::{Effect, Link, Model};
use crate::text;

const BACKOFF_FIRST_MS: u64 = 100;
const BACKOFF_MAX_MS: u64 = 5_000;
/// The number of failed attempts to assume when the server asks clients to wait. With this number,
/// they reconnect after about a second.
const SLOWLY_FROM: u32 = 5;
/// The duration of silence after which a server that sends pings counts as unreachable.
const SILENCE_MAX_MS: u64 = 20_000;

pub(super) fn connected(model: &mut Model) {
    model.connection.link = Link::Greeting;
    model.connection.heard_at = model.clock.now;
    model.connection.is_pinged = false;
    let is_new = model.login.token.is_none();
    model.tell(ClientToServer::Hello {
        protocol: PROTOCOL_VERSION,
        token: model.login.token.clone(),
        name: model.options.name.clone().filter(|_| is_new),
        client: Some(concat!("flagfall ", env!("CARGO_PKG_VERSION")).to_owned()),
        session: false,
    });
}

pub(super) fn connect_failed(model: &mut Model, why: &str, advice: &str) {
    if !model.connection.was_online && model.connection.retry.is_none() {
        let word = text!("cannot-reach", server = &model.options.server, why, advice);
        return exit(model, Exit::Network, word);
    }
    if model.connection.failures == 0 {
        model.say(text!("no-server-yet", why));
    }
    dial(model, model.connection.failures.saturating_add(1));
}

/// Connects, with a delay that depends on the number of failures. Without failures, connects
/// immediately.
fn dial(model: &mut Model, failures: u32) {
    model.connection.link = Link::Dialing;
    model.connection.failures = failures;
    let delay_ms = if failures == 0 { 0 } else { backoff_ms(model, failures) };
    model.effects.push(Effect::Connect { delay_ms });
}

/// Returns a delay that doubles with each failure, from a tenth of a second up to five seconds.
///
/// Half of the delay is random, so that many clients do not return at the same moment.
fn backoff_ms(model: &mut Model, failures: u32) -> u64 {
    let doubled = BACKOFF_FIRST_MS << failures.saturating_sub(1).min(10);
    outbox::jittered_ms(model, doubled.min(BACKOFF_MAX_MS))
}

pub(super) fn disconnected(model: &mut Model, code: Option<u16>, why: &str) {
    if model.connection.link == Link::Closed {
        return;
    }
    if let Some(game) = &mut model.game {
        game.reopening = false;
    }
    chat::connection_lost(model);
    let is_superseded = model.game.as_ref().is_some_and(|game| game.superseded);
    let verdict = code.filter(|code| !CloseCode::is_to_reconnect(*code));
    let is_unknown = verdict.is_some_and(is_unknown_token);
    if is_unknown && forget_guest(model) {
        return;
    }
    let (exit_code, word) = if is_unknown {
        (Exit::Refused, unknown_token_words(model))
    } else if let Some(code) = verdict {
        (Exit::Refused, text!("connection-closed", why, code))
    } else if is_superseded {
        // Reconnecting would take the seat from the newer connection.
        (Exit::Done, text!("connection-has-no-seat"))
    } else if model.connection.was_online || retry::outlasts(model, code, why) {
        if model.connection.link == Link::Online {
            model.say(text!("connection-lost", why));
        }
        // A connection that ends before the welcome is a failure.
        let failed = u32::from(model.connection.link != Link::Online);
        let least = if code.is_some_and(CloseCode::is_to_wait) { SLOWLY_FROM } else { 0 };
        return dial(model, model.connection.failures.saturating_add(failed).max(least));
    } else {
        (Exit::Network, text!("connection-closed-early", server = &model.options.server, why))
    };
    model.connection.link = Link::Closed;
    exit(model, exit_code, word);
}

fn is_unknown_token(code: u16) -> bool {
    code == CloseCode::BadToken as u16 || code == CloseCode::TokenRevoked as u16
}

/// Replaces a guest that the server does not recognize, and connects as a new guest.
///
/// False if the player cannot be replaced. This is the case for an account, a new guest, or a
/// guest with a seat in the open game.
pub(super) fn forget_guest(model: &mut Model) -> bool {
    let is_account = is_account_file(Path::new(&model.options.credential_file));
    let is_playing = model.game.as_ref().is_some_and(|game| game.own_side().is_some());
    if is_account || is_playing || model.login.token.is_none() {
        return false;
    }
    model.login.token = None;
    model.login.player = None;
    // Drop the state that belongs to the former guest.
    model.lobby.known_games = None;
    model.lobby.own_games = None;
    model.lobby.seek = None;
    model.challenges.own = None;
    model.effects.push(Effect::SetGuestAside);
    model.say(text!("guest-replaced"));
    dial(model, 0);
    true
}

/// Returns advice for a player whose credential the server does not recognize.
pub(super) fn unknown_token_words(model: &Model) -> String {
    let server = model.options.server_flag();
    let game = model.game.as_ref().filter(|game| game.own_side().is_some()).map(|game| game.summary.id);
    if is_account_file(Path::new(&model.options.credential_file)) {
        return text!("login-expired", server);
    }
    match game {
        Some(game) => text!("seat-gone", game),
        None => text!("no-new-guest"),
    }
}

pub(super) fn tick(model: &mut Model) {
    let is_silent = model.clock.now.saturating_sub(model.connection.heard_at) > SILENCE_MAX_MS;
    let is_expected = match model.connection.link {
        Link::Greeting => true,
        Link::Online => model.connection.is_pinged,
        Link::Dialing | Link::Closed => false,
    };
    if is_silent && is_expected {
        model.connection.heard_at = model.clock.now;
        model.effects.push(Effect::Disconnect);
    }
}

/// Updates the estimated difference between the server's clock and this machine's. A message's
/// travel time makes the measured difference smaller, so the largest value is the most accurate.
pub(super) fn learn_time(model: &mut Model, server_time: u64, is_first: bool) {
    let ahead = server_time.cast_signed().saturating_sub(model.clock.now.cast_signed());
    // Start over if either clock has jumped.
    let is_jump = model.clock.server_ahead_ms.abs_diff(ahead) > 5_000;
    if is_first || is_jump || ahead > model.clock.server_ahead_ms {
        model.clock.server_ahead_ms = ahead;
    }
}
