//! The answers to HTTP requests.

use flagfall_board::Side;
use flagfall_protocol::{Exit, GameRecord, GameSummary, GameView, Invitations, OwnGames, SavedDeployments};
use flagfall_rules::Ruleset;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::exit::exit;
use super::{game, goal, ratings};
use crate::model::{Goal, Model, OpenGame, Page};
use crate::replay::Replay;
use crate::request::Request;
use crate::{listing, plain, text, words};

pub(super) fn answered(model: &mut Model, request: Request, answer: Result<Vec<u8>, String>) {
    model.connection.requests = model.connection.requests.saturating_sub(1);
    let is_of_saved = request == Request::Deployments;
    let taken = answer.and_then(|body| take(model, &request, &body));
    // A rating is optional and the user did not ask for it, so don't report the error.
    let is_optional = matches!(request, Request::SeatRating { .. });
    if let Some(why) = taken.err().filter(|_| !is_optional) {
        let word = words::sentence(&why);
        let is_record_wanted = matches!(request, Request::Record { .. }) && model.game.is_none();
        if is_record_wanted || !is_of_saved && matches!(model.goal, Goal::Games | Goal::Next) {
            return exit(model, Exit::Refused, word);
        }
        model.refuse(if is_of_saved { text!("saved-unavailable", why = word) } else { word });
    }
    if is_of_saved && std::mem::take(&mut model.deployments.is_loading) {
        if std::mem::take(&mut model.deployments.is_awaited) && model.game.is_none() {
            goal::begin(model);
        }
        game::deploy_as_wished(model);
    }
}

fn take(model: &mut Model, request: &Request, body: &[u8]) -> Result<(), String> {
    match request {
        Request::OwnGames => {
            let own: OwnGames = read(body)?;
            if model.goal == Goal::Games {
                model.lobby.urgent_games = Some(own);
                goal::list_games(model);
            } else {
                model.say_all(listing::own_games(&own, &model.options.server_flag()));
            }
        }
        Request::Next => {
            goal::next(model, &read(body)?);
        }
        Request::Show { .. } => show(model, &read(body)?),
        Request::Record { .. } => finished(model, read(body)?)?,
        Request::Moves { .. } => model.say_all(String::from_utf8_lossy(body).lines()),
        Request::Standings { .. } => model.say_all(words::leaderboard(&read(body)?).lines()),
        Request::Ratings { .. } => model.say_all(words::profile(&read(body)?).lines()),
        Request::SeatRating { game, side, .. } => ratings::take(model, *game, *side, &read(body)?),
        Request::Played { .. } => {
            model.say_all(listing::played(&read(body)?, &model.options.server_flag()));
        }
        Request::HeadToHead { .. } => {
            model.say_all(listing::head_to_head(&read(body)?, &model.options.server_flag()));
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
            model.say(listing::queue(&read(body)?));
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

/// A game in the format of `/api/games/ID`.
#[derive(Deserialize)]
struct GamePage {
    game: GameSummary,
    view: GameView,
}

/// Shows the end of a finished game: the board in line-based mode, otherwise the record, which
/// the user can step through.
fn finished(model: &mut Model, record: GameRecord) -> Result<(), String> {
    let mut replay = Replay::new(record)?;
    replay.go(replay.last);
    let game = OpenGame::of_replay(&replay);
    let outcome = game.summary.outcome.as_ref().ok_or_else(|| text!("game-not-now"))?;
    model.say(words::summary(&game.summary));
    if model.options.face.prints() {
        if let Some(ruleset) = game.ruleset {
            say_board(model, &game.view, ruleset, Side::Red);
        }
        let server = model.options.server_flag();
        let word =
            text!("outcome-and-record", outcome = words::outcome(outcome), server, game = game.summary.id);
        exit(model, Exit::Done, word);
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
        return model.say(text!("ruleset-unknown", ruleset = &view.ruleset));
    };
    let own = view.audience.side().filter(|_| model.options.flip);
    say_board(model, view, ruleset, own.unwrap_or(Side::Red));
}

fn say_board(model: &mut Model, view: &GameView, ruleset: &Ruleset, bottom: Side) {
    let board = plain::board(view, ruleset, model.options.numbering, bottom);
    model.say_all(board.trim_end().lines());
    model.say(text!("legend"));
}
