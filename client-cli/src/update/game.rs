//! The open game: its events and the player's commands.

use flagfall_board::{GameId, Ply, Side};
use flagfall_protocol::{Abort, ClientToServer, Exit, GameCommand, GameEvent, Phase, ViewChange};
use flagfall_rules::{Lakes, Move, Ruleset, Start};

use super::{outbox, pool, ratings, saving};
use crate::deployments::editor::DeployEditor;
use crate::input::Action;
use crate::model::{Effect, Goal, How, Model, OpenGame, Page, Prompt, SetupChoice};
use crate::{input, plain, targets, text, texts, words};

/// Handles a whole view of a game: the first one, one after a gap, or one on a new connection.
pub(super) fn opened(model: &mut Model, mut game: OpenGame, events: &[GameEvent], abort: Option<&Abort>) {
    let id = game.summary.id;
    let is_wanted =
        model.opening == Some(id) || model.game.as_ref().is_some_and(|game| game.summary.id == id);
    if !is_wanted {
        return;
    }
    model.opening = model.opening.filter(|opening| *opening != id);
    let previous = model.game.take_if(|game| game.summary.id == id);
    let previous_phase = previous.as_ref().map(|game| game.view.phase);
    let is_first = previous.is_none();
    saving::commitments(model, id, game.epoch, &game.view.commitments, game.view.phase);
    // A new epoch means that the server lost moves that it had acknowledged.
    let is_turned_back = previous.as_ref().is_some_and(|previous| previous.epoch != game.epoch);
    if let Some(OpenGame { cursor, editor, is_muted, ratings, premove, .. }) = previous {
        game = OpenGame { cursor, editor, is_muted, ratings, ..game };
        game.premove = premove.filter(|_| !is_turned_back);
    }
    let own = game.own_side();
    let view = &game.view;
    match (view.phase, own, game.ruleset) {
        (Phase::Deploying, Some(side), Some(ruleset)) if game.driving => {
            let new = || DeployEditor::new(side, ruleset, view.lakes, &mut model.random);
            let editor = game.editor.get_or_insert_with(new);
            if let Some(text) = &view.own_deployment {
                if is_first && editor.load(text).is_err() {
                    model.say(text!("deployment-not-understood"));
                }
                editor.handed_in = Some(text.clone());
            }
        }
        (Phase::Deploying | Phase::Playing | Phase::Over, _, _) => game.editor = None,
    }
    model.ui.page = Page::Game;
    if is_turned_back {
        model.ui.prompt = model.ui.prompt.take().filter(|prompt| !prompt.is_about_position());
        model.say(text!("turned-back"));
    }
    for event in events {
        say_event(model, event);
    }
    if is_first {
        introduce(model, &game);
    }
    let is_changed =
        is_first || is_turned_back || !events.is_empty() || previous_phase != Some(game.view.phase);
    if own.is_some() && is_first {
        model.effects.push(Effect::SaveSeat { game: id.to_string() });
    }
    model.game = Some(game);
    if is_first && model.options.face.is_screen() {
        ratings::request(model);
    }
    if is_changed {
        show_board(model, is_first);
        tell_standing(model);
    }
    tell_turn(model, is_changed);
    if is_first {
        deploy_as_wished(model);
    }
    let is_over_now =
        model.game.as_ref().is_some_and(OpenGame::is_over) && previous_phase != Some(Phase::Over);
    if is_over_now {
        saving::verify(model);
        if !model.options.face.is_program() {
            ended(model);
        }
    }
    // If there are new events, the game was aborted while the connection was down, so the user
    // does not know about the abort yet.
    if let Some(abort) = abort.filter(|_| !events.is_empty()) {
        pool::aborted(model, id, abort);
    }
}

fn introduce(model: &mut Model, game: &OpenGame) {
    let summary = &game.summary;
    let terms = words::terms(&summary.terms);
    let text = match game.own_side() {
        Some(side) => {
            let opponent = words::player(&summary.players[side.opponent()]);
            text!("game-as-player", game = summary.id, side, opponent, terms)
        }
        None => {
            let (red, blue) = (words::player(&summary.players.red), words::player(&summary.players.blue));
            let is_seat_wanted = model.wish().is_some_and(|wish| wish.how == How::Game(summary.id))
                || model.goal == Goal::Mail;
            match (game.view.phase, is_seat_wanted) {
                (Phase::Over, _) => text!("game-over-opened", game = summary.id, red, blue, terms),
                (_, true) => text!("game-without-seat", game = summary.id, red, blue, terms),
                (_, false) => text!("game-as-spectator", game = summary.id, red, blue, terms),
            }
        }
    };
    model.say(text);
    if game.ruleset.is_none() {
        model.say(text!("ruleset-unknown", ruleset = &game.view.ruleset));
    }
    let is_drawn = game.ruleset.is_some_and(|ruleset| ruleset.lakes == Lakes::Drawn);
    if is_drawn && game.view.phase == Phase::Deploying && model.options.face.prints() {
        model.say(text!("lakes", squares = words::squares(game.view.lakes)));
    }
    if game.own_side().is_some() && !game.driving {
        model.say(text!("read-only"));
    }
    if let Some(outcome) = &game.view.outcome {
        model.say(words::outcome(outcome));
    }
}

/// Prints the board (line-based mode).
pub(super) fn show_board(model: &mut Model, with_legend: bool) {
    let Some((game, ruleset)) = model.game.as_ref().and_then(|game| Some((game, game.ruleset?))) else {
        return;
    };
    let is_for_person = model.options.face.is_lines();
    if !is_for_person || (with_legend && game.view.phase == Phase::Deploying) {
        return;
    }
    let (has_chips, has_coins) = (ruleset.chips, ruleset.start == Start::Coins);
    let text = plain::board(&game.view, ruleset, model.options.numbering, model.bottom());
    model.say(text.trim_end());
    if with_legend {
        model.say(text!("legend"));
        if has_chips {
            model.say(text!("legend-chips"));
        }
        if has_coins {
            model.say(text!("legend-coins"));
        }
    }
}

/// When the player joins a game, says which side still has to decide something, and which offers
/// are open (line-based mode).
fn tell_standing(model: &mut Model) {
    let is_wanted = model.options.face.is_lines();
    let Some(game) = model.game.as_ref().filter(|_| is_wanted) else { return };
    let owed = words::owed(&game.view);
    let offer = game.view.draw_offer.filter(|_| game.view.phase == Phase::Playing);
    let is_asked = offer.is_some() && game.is_offered_draw() && game.is_acting();
    if let Some(side) = offer {
        model.say(text!("event-draw-offered", side));
    }
    if is_asked {
        model.say(text!("answer-draw"));
    }
    model.say_all(owed);
}

/// Says what the player has to do now (line-based mode).
fn tell_turn(model: &mut Model, is_changed: bool) {
    let is_wanted = model.options.face.is_lines() && is_changed;
    let Some(game) = model.game.as_ref().filter(|_| is_wanted) else { return };
    let text = match game.view.phase {
        Phase::Deploying if game.is_acting() && game.view.own_deployment.is_none() => text!("deploy-now"),
        Phase::Playing if game.view.pending_strike.is_some() => {
            let Some(choice) = words::choice(&game.view) else { return };
            choice
        }
        Phase::Playing if game.is_own_turn() && game.is_acting() => {
            let side = game.own_side().unwrap_or(Side::Red);
            match game.remaining_ms(side, model.server_now()) {
                Some(ms) => text!("your-turn-clock", side, left = words::clock(ms)),
                None => text!("your-turn", side),
            }
        }
        Phase::Deploying | Phase::Playing | Phase::Over => return,
    };
    model.say(text);
}

/// Submits the deployment from the command line, once.
pub(super) fn deploy_as_wished(model: &mut Model) {
    let choice = model.wish().and_then(|wish| wish.setup.clone());
    let Some(choice) = choice else { return };
    if model.deployments.is_loading && matches!(choice, SetupChoice::Text(_)) {
        // The text may be the name of a deployment that has not been loaded yet.
        return;
    }
    let choice = match choice {
        SetupChoice::Text(text) => setup_choice(model, &text),
        SetupChoice::Random | SetupChoice::Suggested => choice,
    };
    if model.game.as_ref().is_some_and(|game| game.editor.is_some() && game.view.own_deployment.is_none()) {
        deploy(model, &choice);
    }
}

pub(super) fn deploy(model: &mut Model, choice: &SetupChoice) {
    let Some(editor) = model.game.as_mut().and_then(|game| game.editor.as_mut()) else {
        model.refuse(text!("deploy-not-now"));
        return;
    };
    match choice {
        SetupChoice::Random => editor.randomize(&mut model.random),
        SetupChoice::Suggested => editor.suggest(&mut model.random),
        SetupChoice::Text(text) => {
            if let Err(refusal) = editor.load(text) {
                model.refuse(texts::refusal(&refusal));
                return;
            }
        }
    }
    hand_in(model);
}

pub(super) fn hand_in(model: &mut Model) {
    let Some(editor) = model.game.as_ref().and_then(|game| game.editor.as_ref()) else { return };
    if editor.is_handed_in() {
        model.say(text!("deployed-already"));
        return;
    }
    match editor.checked_text() {
        Ok(setup) => command(model, GameCommand::Deploy { setup }),
        Err(refusal) => model.say(texts::refusal(&refusal)),
    }
}

pub(super) fn event(model: &mut Model, id: GameId, seq: u64, event: &GameEvent, change: &ViewChange) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    if game.reopening || seq <= game.seq {
        // Ignore the event, because the view already includes it, or because the whole view has
        // been requested.
        return;
    }
    if seq > game.seq + 1 {
        return catch_up(model);
    }
    game.view.apply(event, change);
    game.seq = seq;
    match event {
        GameEvent::Deployed { setup } => {
            if let Some(editor) = &mut game.editor {
                editor.handed_in = Some(setup.clone());
            }
        }
        GameEvent::Started { .. } => {
            game.editor = None;
            model.ui.prompt = None;
        }
        GameEvent::Moved(_) | GameEvent::Removed { .. } | GameEvent::Placed(_) | GameEvent::Struck(_) => {
            game.selected = None;
        }
        GameEvent::Ended { .. } => {
            game.selected = None;
            game.typed.clear();
            game.editor = None;
            model.ui.prompt = None;
        }
        GameEvent::Ready { .. }
        | GameEvent::DrawOffered { .. }
        | GameEvent::DrawDeclined { .. }
        | GameEvent::Paused { .. }
        | GameEvent::Colored { .. }
        | GameEvent::Chosen { .. }
        | GameEvent::Resumed { .. } => {}
    }
    let is_watching = game.own_side().is_none();
    let is_end_next = game.ruleset.is_some_and(|ruleset| targets::is_end_next(&game.view, ruleset));
    let is_own_turn = game.is_own_turn() && !is_end_next;
    let is_board = match event {
        GameEvent::Started { .. } | GameEvent::Ended { .. } => true,
        other if other.is_ply() => is_watching || is_own_turn,
        _ => false,
    };
    let is_turn = is_own_turn && (matches!(event, GameEvent::Started { .. }) || event.is_ply());
    let limit = game.view.plies_to_limit.filter(|_| event.is_ply());
    let owed = words::owed(&game.view).filter(|_| event.is_ply());
    let choice = words::choice(&game.view).filter(|_| {
        matches!(event, GameEvent::Chosen { .. }) || matches!(event, GameEvent::Struck(_)) && is_own_turn
    });
    let is_draw_offered = matches!(event, GameEvent::DrawOffered { .. }) && game.is_offered_draw();
    let epoch = game.epoch;
    say_event(model, event);
    if let GameEvent::Started { commitments } = event {
        saving::commitments(model, id, epoch, commitments, Phase::Playing);
    }
    if matches!(event, GameEvent::Ended { .. }) {
        saving::verify(model);
    }
    if model.options.face.is_program() {
        return;
    }
    if let Some(plies) = limit.filter(|plies| plies % 5 == 0 || *plies <= 3) {
        model.say(text!("quiet-limit", plies));
    }
    model.say_all(owed.into_iter().chain(choice));
    if is_draw_offered {
        let prints = model.options.face.prints();
        model.say(if prints { text!("answer-draw") } else { input::answers_to_draw() });
    }
    if is_board {
        show_board(model, matches!(event, GameEvent::Started { .. }));
    }
    tell_turn(model, is_turn);
    if matches!(event, GameEvent::Ended { .. }) {
        ended(model);
    }
}

fn say_event(model: &mut Model, event: &GameEvent) {
    if !(model.options.face.is_program() && matches!(event, GameEvent::Moved(_))) {
        model.say(words::event(event));
    }
}

fn ended(model: &mut Model) {
    let Some(game) = &model.game else { return };
    let id = game.summary.id;
    if model.options.face.is_screen() {
        return;
    }
    if game.own_side().is_none() && model.goal != Goal::Mail {
        model.effects.push(Effect::Exit { code: Exit::Done.code() });
    } else {
        let server = model.options.server_flag();
        model.say(text!("game-ended", server, game = id));
    }
}

/// Compares the server's sequence number of a game with the client's. If the server's number is
/// higher, the client has missed an event, so it requests the game again.
pub(super) fn check_head(model: &mut Model, id: GameId, seq: u64) {
    let is_behind =
        model.game.as_ref().is_some_and(|game| game.summary.id == id && game.seq < seq && !game.reopening);
    if is_behind {
        catch_up(model);
    }
}

fn catch_up(model: &mut Model) {
    if model.game.as_ref().is_some_and(|game| !game.superseded) {
        outbox::reopen(model);
    }
}

pub(super) fn rematch_offered(model: &mut Model, id: GameId, side: Side) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    if !game.rematch.contains(&side) {
        game.rematch.push(side);
    }
    if game.own_side().is_some_and(|own| own != side) {
        model.say(if model.options.face.prints() {
            text!("rematch-type", side)
        } else {
            text!("rematch-press", side, key = input::key_for(Action::Rematch))
        });
    }
}

pub(super) fn rematch_withdrawn(model: &mut Model, id: GameId, side: Side) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    game.rematch.retain(|offerer| *offerer != side);
    if game.own_side().is_some_and(|own| own != side) {
        model.say(text!("rematch-withdrawn", side));
    }
}

pub(super) fn superseded(model: &mut Model, id: GameId) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    if !game.superseded {
        game.superseded = true;
        game.driving = false;
        game.editor = None;
        game.premove = None;
        model.ui.prompt = None;
        model.say(text!("superseded"));
    }
}

/// Sends a command to the game, or says why it cannot be sent.
pub(super) fn command(model: &mut Model, command: GameCommand) {
    let ply = model.game.as_ref().map(|game| game.view.ply).unwrap_or_default();
    command_at(model, command, ply);
}

/// Like [`command`], for the game at a given ply.
pub(super) fn command_at(model: &mut Model, command: GameCommand, ply: Ply) {
    let obstacle = match &mut model.game {
        None => text!("no-game-yet"),
        Some(game) if game.own_side().is_none() => text!("watch-only"),
        Some(game) if !game.is_acting() => text!("read-only"),
        Some(game) if game.is_over() => text!("refusal-game-over"),
        Some(open) => {
            open.selected = None;
            let (game, epoch) = (open.summary.id, Some(open.epoch));
            outbox::send(model, |cmd_id| ClientToServer::Command { cmd_id, game, ply, epoch, command });
            return;
        }
    };
    model.refuse(obstacle);
}

/// Sends a command on the board. Usually the server decides whether it is legal, not the client.
pub(super) fn act(model: &mut Model, act: GameCommand) {
    match (&model.game, &act) {
        (Some(game), act) if is_out_of_turn(game, act) => model.refuse(text!("refusal-not-your-turn")),
        (Some(game), GameCommand::Move { squares, .. }) if is_losing_slip(game, *squares) => {
            model.ui.prompt = Some(Prompt::IllegalMove(*squares));
            if model.options.face.prints() {
                model.refuse(text!("illegal-loses", squares = *squares));
            }
        }
        _ => command(model, act),
    }
}

/// True if it is clearly not the player's turn, so that the server would refuse the command.
/// Always false for the choice of a rank, because the client cannot tell whether it is allowed.
fn is_out_of_turn(game: &OpenGame, act: &GameCommand) -> bool {
    let is_choice = matches!(act, GameCommand::Choose { .. });
    let is_turn = game.view.turn == game.own_side() || game.is_own_turn();
    game.view.phase == Phase::Playing && game.own_side().is_some() && !is_choice && !is_turn
}

/// True if the move would lose the game because it is illegal (§U7). The user must confirm it,
/// because it may be a typing error.
fn is_losing_slip(game: &OpenGame, squares: Move) -> bool {
    game.ruleset.is_some_and(|ruleset| ruleset.illegal_act_loses)
        && game.is_own_turn()
        && game.is_acting()
        && game.reach(squares.from).iter().all(|target| target.square != squares.to)
}

/// Offers a draw, or accepts the opponent's offer.
pub(super) fn draw(model: &mut Model) {
    let is_offered = model.game.as_ref().is_some_and(OpenGame::is_offered_draw);
    let answer = if is_offered { GameCommand::AcceptDraw {} } else { GameCommand::OfferDraw {} };
    command(model, answer);
}

pub(super) fn rematch(model: &mut Model) {
    let over = model.game.as_ref().filter(|game| game.is_over() && game.own_side().is_some());
    let Some(game) = over.map(|game| game.summary.id) else {
        return model.refuse(text!("rematch-not-now"));
    };
    outbox::send(model, |cmd_id| ClientToServer::Rematch { cmd_id, game });
}

/// Returns the deployment that a word stands for: `random`, `suggested`, the name of a saved
/// deployment, or the text of a deployment.
pub(super) fn setup_choice(model: &Model, word: &str) -> SetupChoice {
    let saved = model.game.as_ref().and_then(|game| {
        let ruleset = Ruleset::find(&game.view.ruleset)?.unchanged();
        model.deployments.saved.get(ruleset.id)?.get(word)
    });
    match (word.to_ascii_lowercase().as_str(), saved) {
        ("random", _) => SetupChoice::Random,
        ("suggested" | "", _) => SetupChoice::Suggested,
        (_, Some(text)) => SetupChoice::Text(text.clone()),
        (_, None) => SetupChoice::Text(word.to_owned()),
    }
}
