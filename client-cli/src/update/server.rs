//! Handles messages from the server.

use flagfall_board::{GameId, Ply};
use flagfall_protocol::{
    Accepted, ClientToServer, Code, CommandId, Exit, GameCommand, LobbyLists, RefusalArgs, ServerToClient,
};

use super::exit::exit;
use super::{absence, actions, challenges, chat, game, goal, link, outbox, pool, premove, retry, store};
use crate::advice::advised;
use crate::model::{Effect, Goal, How, Link, Model, OpenGame, Page};
use crate::request::Request;
use crate::{setup_check, text, texts, words};

pub(super) fn received(model: &mut Model, message: ServerToClient) {
    retry::heard(model, &message);
    match message {
        // Only a client that asks for a session can get a welcome without a player, and this
        // client never asks for one.
        ServerToClient::Welcome { player: None, .. } => {}
        ServerToClient::Welcome {
            player: Some(player),
            token,
            server_time,
            claim_seconds,
            games,
            lobby_changes,
            page_url,
            ..
        } => {
            link::learn_time(model, server_time, true);
            model.connection.claim_seconds = claim_seconds;
            model.connection.has_lobby_changes = lobby_changes;
            model.connection.page_url = page_url.filter(|url| is_address(url));
            if let Some(token) = token {
                model.login.token = Some(token.clone());
                model.effects.push(Effect::SaveToken { token, name: player.name.clone() });
            }
            model.connection.link = Link::Online;
            model.connection.failures = 0;
            if model.connection.was_online {
                model.say(text!("connected-again"));
            } else if !matches!(model.goal, Goal::Games | Goal::Next) {
                let (server, player) = (&model.options.server, words::player(&player));
                model.say(text!("connected", server, player));
            }
            model.connection.was_online = true;
            model.connection.is_store_away = false;
            model.connection.standing_still.clear();
            model.login.player = Some(player);
            goal::welcomed(model, games);
        }
        ServerToClient::Accepted { cmd_id, outcome } => accepted(model, &cmd_id, outcome),
        ServerToClient::Refused { cmd_id, game, code, args, message, seq, request } => {
            let message = texts::server_refusal(&code, &args, &message, request.as_deref());
            if store::is_kept(model, game, &code) || retry::is_kept(model, cmd_id.as_ref(), &code, &message) {
                return;
            }
            let pending = cmd_id.as_ref().and_then(|cmd_id| take_pending(model, cmd_id));
            if cmd_id.is_some() && pending.is_none() {
                // Ignore a refusal of a command that is not pending. Either the refusal arrived
                // twice, or the client withdrew an offer that did not exist.
                return;
            }
            refused(model, pending.as_ref(), game, &code, &message, seq);
        }
        ServerToClient::Lobby { seeks, games, number, .. } => {
            model.lobby.number = number;
            goal::lobby(model, LobbyLists { seeks, games });
        }
        ServerToClient::LobbyChanged { number, change, .. } => goal::lobby_changed(model, number, change),
        ServerToClient::Challenge { challenge, challenger, terms, your_side, expires } => {
            if let Err(why) = setup_check::check_for(model, &terms.ruleset) {
                return exit(model, Exit::Usage, words::sentence(&why));
            }
            let side = match your_side {
                Some(side) => text!("challenge-your-side", side),
                None => text!("challenge-side-drawn"),
            };
            let mut lines = vec![
                text!("challenged", player = words::player(&challenger), terms = words::terms(&terms)),
                side,
                text!("challenge-stands", left = words::span(expires.saturating_sub(model.server_now()))),
            ];
            if terms.secret {
                lines.push(text!("challenge-secret", player = words::player(&challenger)));
            }
            if model.options.face.prints() {
                model.say_all(lines.iter().cloned());
            }
            if model.options.face.is_unattended() {
                goal::accept_challenge(model, challenge);
            } else {
                if model.options.face.prints() {
                    model.say(text!("challenge-terms-ask"));
                }
                model.ui.page = Page::Terms { challenge, lines };
            }
        }
        ServerToClient::GameStarted { game, side: _ } => goal::started(model, game.id),
        ServerToClient::MyGames { games } => {
            model.lobby.own_games = Some(games);
        }
        ServerToClient::Game {
            game,
            audience,
            driving,
            epoch,
            seq,
            view,
            events,
            presence,
            left,
            claimable_at,
            rematch,
            abort,
        } => {
            let shown = OpenGame::new(game, audience, view);
            let shown = OpenGame { driving, epoch, seq, presence, left, claimable_at, rematch, ..shown };
            game::opened(model, shown, &events, abort.as_ref());
            play_premove(model);
        }
        ServerToClient::Event { game, seq, event, change, abort } => {
            game::event(model, game, seq, &event, &change);
            play_premove(model);
            if let Some(abort) = abort {
                pool::aborted(model, game, &abort);
            }
        }
        ServerToClient::Presence { game, side, presence, left } => {
            absence::presence(model, game, side, presence, left);
        }
        ServerToClient::Claimable { game, gone, at } => absence::claimable(model, game, gone, at),
        ServerToClient::Said { game, side, said } => chat::said(model, game, side, &said),
        ServerToClient::Rated { change } => {
            let open = model.game.as_ref().filter(|open| open.summary.id == change.game);
            let own = open.and_then(|open| open.own_side());
            model.say(words::rating_change(&change, own));
        }
        ServerToClient::RematchOffered { game, side } => game::rematch_offered(model, game, side),
        ServerToClient::RematchWithdrawn { game, side } => game::rematch_withdrawn(model, game, side),
        ServerToClient::Superseded { game } => game::superseded(model, game),
        ServerToClient::GameUnavailable { game, code, message, request } => {
            if let Some(open) = model.game.as_mut().filter(|open| open.summary.id == game) {
                open.unavailable = true;
                let code = code.unwrap_or_else(|| Code::new(Code::GAME_QUARANTINED));
                let why = texts::server_refusal(&code, &RefusalArgs::default(), &message, request.as_deref());
                model.say(text!("game-unavailable", why));
            }
        }
        ServerToClient::Challenged { invitation } => challenges::challenged(model, invitation),
        ServerToClient::ChallengeAnswered { challenge, by, accepted } => {
            challenges::answered(model, &challenge, &by, accepted);
        }
        ServerToClient::ChallengeGone { challenge, challenger, reason } => {
            challenges::gone(model, &challenge, &challenger, reason.as_deref());
        }
        ServerToClient::StoreState { available, game: None } => store::state(model, available),
        ServerToClient::StoreState { available, game: Some(game) } => {
            store::game_state(model, available, game);
        }
        ServerToClient::Ping { id, server_time, heads, pool } => {
            model.connection.is_pinged = true;
            link::learn_time(model, server_time, false);
            model.tell(ClientToServer::Pong { id });
            for head in heads {
                game::check_head(model, head.game, head.seq);
            }
            pool::status(model, pool);
        }
    }
}

fn play_premove(model: &mut Model) {
    if let Some(squares) = premove::take_due(model) {
        actions::go(model, squares);
    }
}

fn take_pending(model: &mut Model, cmd_id: &CommandId) -> Option<ClientToServer> {
    let at = model.connection.pending.iter().position(|pending| pending.cmd_id == *cmd_id)?;
    Some(model.connection.pending.remove(at).message)
}

fn accepted(model: &mut Model, cmd_id: &CommandId, outcome: Accepted) {
    let Some(message) = take_pending(model, cmd_id) else { return };
    model.input.was_refused = false;
    match (outcome, message) {
        (Accepted::Started { game, side: _ }, _) => goal::started(model, game),
        (Accepted::Seek { seek }, ClientToServer::Seek { terms, .. }) => {
            model.lobby.seek = Some(seek);
            if model.lobby.is_seek_doubtful {
                // The offer may already be gone, so fetch the lobby to check.
                goal::open_lobby(model);
            }
            goal::wait_for_opponent(model, &terms);
        }
        (Accepted::Challenge { challenge, expires }, ClientToServer::Challenge { terms, .. })
            if model.is_mail() || model.game.is_some() =>
        {
            let left = words::span(expires.saturating_sub(model.server_now()));
            match model.challenges.addressed.remove(cmd_id.as_str()) {
                Some(name) => outbox::request(model, Request::Invite { challenge, name }),
                None => {
                    let link = model.connection.challenge_link(&challenge);
                    model.say(text!("challenge-made", terms = words::terms(&terms), code = challenge, left));
                    if let Some(link) = link {
                        model.say(text!("challenge-made-link", link));
                    }
                }
            }
        }
        (Accepted::Challenge { challenge, expires }, ClientToServer::Challenge { terms, .. }) => {
            let server = model.options.server_flag();
            let mut lines = vec![
                text!("challenge-code", code = &challenge),
                String::new(),
                format!("  {}", text!("challenge-accept-command", server, code = &challenge)),
                String::new(),
            ];
            if let Some(link) = model.connection.challenge_link(&challenge) {
                lines.extend([text!("challenge-link"), String::new(), format!("  {link}"), String::new()]);
            }
            let left = words::span(expires.saturating_sub(model.server_now()));
            lines.push(text!("challenge-stands", left));
            goal::wait(model, &text!("waiting-for-friend", terms = words::terms(&terms)), lines);
            model.challenges.own = Some(challenge);
        }
        (_, ClientToServer::CancelChallenge { challenge, .. }) => {
            model.say(text!("challenge-withdrawn", code = challenge));
        }
        (_, ClientToServer::Report { .. }) => model.say(text!("report-sent")),
        (_, ClientToServer::Rematch { game, .. }) => {
            let open = model.game.as_ref().filter(|open| open.summary.id == game);
            // This may be the player's own offer of a rematch. The server reports such an offer
            // before it accepts the command.
            let is_answer =
                open.is_none_or(|open| open.rematch.iter().any(|side| Some(*side) != open.own_side()));
            if !is_answer {
                model.say(text!("rematch-asked"));
            }
        }
        _ => {}
    }
}

/// True if this is the address of a page, and safe to print.
fn is_address(url: &str) -> bool {
    let is_page = url.starts_with("https://") || url.starts_with("http://");
    is_page && url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// True if the open game has moved on since this ply.
fn is_past(model: &Model, id: GameId, ply: Ply) -> bool {
    model.game.as_ref().is_some_and(|open| open.summary.id == id && open.view.ply > ply)
}

fn refused(
    model: &mut Model,
    pending: Option<&ClientToServer>,
    game_id: Option<GameId>,
    code: &Code,
    message: &str,
    seq: Option<u64>,
) {
    let kind = model.login.player.as_ref().map(|player| player.kind);
    let message = advised(code.as_str(), words::sentence(message), kind);
    if code.as_str() == Code::BAD_TOKEN && model.connection.link != Link::Online {
        // This refusal answers a hello. The server closes the connection next.
        if !link::forget_guest(model) {
            let word = link::unknown_token_words(model);
            exit(model, Exit::Refused, word);
        }
        return;
    }
    match pending {
        // Look for another offer, because another player was faster, the offer was withdrawn, or
        // the player's rating is out of range.
        Some(ClientToServer::AcceptSeek { seek, .. })
            if [Code::NO_SUCH_SEEK, Code::OUTSIDE_RATING_RANGE].contains(&code.as_str()) =>
        {
            model.lobby.refused_seeks.insert(seek.clone());
            let is_gone = code.as_str() == Code::NO_SUCH_SEEK;
            model.say(if is_gone { text!("offer-gone", why = message) } else { message });
            goal::wait(model, &text!("offer-looking"), Vec::new());
            goal::open_lobby(model);
            return;
        }
        // Repeat the command at the current ply, because a player who gives up wants to do so
        // regardless of the opponent's latest move.
        Some(ClientToServer::Command {
            command: command @ (GameCommand::Resign {} | GameCommand::Abort {}),
            ply,
            game: id,
            ..
        }) if code.as_str() == "stale_ply" && is_past(model, *id, *ply) => {
            game::command(model, command.clone());
        }
        // Do not repeat the command, even if it is a resignation, because the position that the
        // player gave up is gone.
        Some(ClientToServer::Command { command, .. }) if code.as_str() == Code::STALE_EPOCH => {
            model.refuse(text!("not-done-lost", not_done = words::not_done(command)));
        }
        Some(ClientToServer::Command { .. }) if code.as_str() == "stale_ply" => {
            model.refuse(text!("did-not-happen", message));
        }
        Some(sent)
            if matches!(sent, ClientToServer::Command { .. }) || model.game.is_some() || model.is_mail() =>
        {
            model.refuse(message);
        }
        Some(_) => return exit(model, Exit::Refused, message),
        None if model.is_mail() && model.opening.take().is_some() => model.refuse(message),
        None if code.as_str() == Code::NO_SUCH_GAME && model.game.is_none() && model.opening.is_some() => {
            // The server may have closed the game because it is over, so request its record.
            if let Some(game) = model.opening.take() {
                outbox::request(model, Request::Record { game });
            }
            return;
        }
        None if model.game.is_none() => {
            // This refusal answers a hello, a question about a challenge, or a request to open a
            // game.
            let is_asking = model.opening.is_some()
                || matches!(model.wish(), Some(wish) if matches!(wish.how, How::Accept(_)))
                || model.connection.link != Link::Online;
            if is_asking {
                return exit(model, Exit::Refused, message);
            }
            model.say(message);
        }
        None => model.say(message),
    }
    if let Some(id) = game_id {
        if matches!(code.as_str(), Code::SUPERSEDED | Code::NOT_YOUR_GAME) {
            game::superseded(model, id);
        }
        if let Some(seq) = seq {
            game::check_head(model, id, seq);
        }
    }
    if let Some(open) = &mut model.game {
        open.reopening = false;
    }
}
