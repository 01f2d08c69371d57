//! The answers to HTTP requests.

use flagfall_protocol::{
    Exit, GameRecord, GameSummary, GameView, HeadToHead, Invitations, Leaderboard, MoveQueue, OwnGames,
    PlayedGames, Profile, SavedDeployments,
};
use flagfall_rules::Ruleset;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::exit::exit;
use super::{game, goal, ratings};
use crate::model::{Effect, Goal, Model, OpenGame, Page};
use crate::replay::Replay;
use crate::request::Request;
use crate::text;
use crate::{listing, plain, words};

/// Handles the answer to an HTTP request, or its failure.
pub(super) fn answered(
    model: &mut Model,
    request: Request,
    answer: Result<Vec<u8>, String>,
    out: &mut Vec<Effect>,
) {
    model.connection.requests = model.connection.requests.saturating_sub(1);
    let is_of_saved = request == Request::Deployments;
    let taken = answer.and_then(|body| take(model, &request, &body, out));
    // Nobody has asked for a rating: without it, the name stands alone.
    let is_optional = matches!(request, Request::SeatRating { .. });
    if let Err(why) = taken.or_else(|why| if is_optional { Ok(()) } else { Err(why) }) {
        let word = words::sentence(&why);
        if matches!(request, Request::Record { .. }) && model.game.is_none() {
            return exit(model, Exit::Refused, word, out);
        }
        if !is_of_saved && matches!(model.goal, Goal::Games | Goal::Next) {
            return exit(model, Exit::Refused, word, out);
        }
        model.input.was_refused = true;
        model.say(if is_of_saved { text!("saved-unavailable", why = word) } else { word });
    }
    if is_of_saved && std::mem::take(&mut model.deployments.is_loading) {
        if std::mem::take(&mut model.deployments.is_awaited) && model.game.is_none() {
            goal::begin(model, out);
        }
        game::deploy_as_wished(model, out);
    }
}

fn take(model: &mut Model, request: &Request, body: &[u8], out: &mut Vec<Effect>) -> Result<(), String> {
    match request {
        Request::OwnGames => {
            let own: OwnGames = read(body)?;
            if model.goal == Goal::Games {
                model.lobby.urgent_games = Some(own);
                goal::list_games(model, out);
            } else {
                say_all(model, listing::own_games(&own, &model.options.server_flag()));
            }
        }
        Request::Next => {
            let own: OwnGames = read(body)?;
            goal::next(model, &own, out);
        }
        Request::Show { .. } => show(model, &read(body)?),
        Request::Record { .. } => finished(model, read(body)?, out)?,
        Request::Moves { .. } => say_text(model, &String::from_utf8_lossy(body)),
        Request::Standings { .. } => say_text(model, &words::leaderboard(&read::<Leaderboard>(body)?)),
        Request::Ratings { .. } => say_text(model, &words::profile(&read::<Profile>(body)?)),
        Request::SeatRating { game, side, .. } => ratings::take(model, *game, *side, &read(body)?),
        Request::Played { .. } => {
            say_all(model, listing::played(&read::<PlayedGames>(body)?, &model.options.server_flag()));
        }
        Request::HeadToHead { .. } => {
            say_all(model, listing::head_to_head(&read::<HeadToHead>(body)?, &model.options.server_flag()));
        }
        Request::Deployments => {
            for kept in read::<SavedDeployments>(body)?.deployments {
                let by_name = model.deployments.saved.entry(kept.ruleset).or_default();
                by_name.insert(kept.name, kept.setup.expose().to_owned());
            }
        }
        Request::SaveDeployment { name, .. } => model.say(text!("deployment-saved", name)),
        Request::Challenges => challenges(model, &read(body)?),
        Request::Invite { challenge, name } => {
            model.say(text!("challenge-sent", name, code = challenge));
        }
        Request::Decline { challenge } => model.say(text!("challenge-rejected", code = challenge)),
        Request::Queue { .. } | Request::SetQueue { .. } => {
            let word = listing::queue(&read::<MoveQueue>(body)?);
            model.say(word);
        }
        Request::ClearQueue { .. } => model.say(text!("queue-cleared")),
    }
    Ok(())
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|_| text!("answer-not-understood"))
}

fn challenges(model: &mut Model, waiting: &Invitations) {
    if waiting.challenges.is_empty() {
        model.say(text!("challenges-none"));
    }
    for invitation in &waiting.challenges {
        let code = &invitation.challenge;
        model.say(super::challenges::words(invitation));
        model.say(text!("challenged-type", code));
    }
}

fn say_all(model: &mut Model, lines: Vec<String>) {
    lines.into_iter().for_each(|line| model.say(line));
}

pub(super) fn say_text(model: &mut Model, text: &str) {
    for line in text.lines() {
        model.say(line);
    }
}

/// A game as `/api/games/ID` returns it.
#[derive(Deserialize)]
struct GamePage {
    game: GameSummary,
    view: GameView,
}

/// Shows the end of a finished game: the board in line-based mode, the record to step through on
/// the screen.
fn finished(model: &mut Model, record: GameRecord, out: &mut Vec<Effect>) -> Result<(), String> {
    let mut replay = Replay::new(record).map_err(|error| error.to_string())?;
    replay.go(replay.last());
    let game = OpenGame::of_replay(&replay);
    let Some(outcome) = &game.summary.outcome else {
        return Err(text!("game-not-now"));
    };
    model.say(words::summary(&game.summary));
    if model.options.face.prints() {
        if let Some(ruleset) = game.ruleset {
            let text = plain::board(&game.view, ruleset, model.options.numbering, flagfall_board::Side::Red);
            say_text(model, text.trim_end());
            model.say(plain::legend());
        }
        let server = model.options.server_flag();
        let word =
            text!("outcome-and-record", outcome = words::outcome(outcome), server, game = game.summary.id);
        exit(model, Exit::Done, word, out);
    } else {
        model.say(words::outcome(outcome));
        model.ui.page = Page::Game;
        model.game = Some(game);
        model.ui.replay = Some(replay);
    }
    Ok(())
}

fn show(model: &mut Model, shown: &GamePage) {
    let GamePage { game, view } = shown;
    model.say(words::summary(game));
    let Some(ruleset) = Ruleset::find(&view.ruleset) else {
        model.say(text!("ruleset-unknown", ruleset = &view.ruleset));
        return;
    };
    let bottom = match view.audience.side() {
        Some(side) if model.options.flip => side,
        _ => flagfall_board::Side::Red,
    };
    say_text(model, plain::board(view, ruleset, model.options.numbering, bottom).trim_end());
    model.say(plain::legend());
}
