//! Creates the game of a session.

use flagfall_board::{GameId, SquareSet};
use flagfall_protocol::{ClientToServer, CommandId, GameCommand, Terms, Time};
use flagfall_rules::Lakes;
use serde_json::Value;

use super::plan::PairPlan;
use super::seat::Seat;
use crate::arena::arrange;
use crate::client::Client;
use crate::error::TrialError;
use crate::http;
use crate::log::What;
use crate::plan::GamePlan;

/// The maximum number of games to create until one of them has the lakes of the course. There are
/// 28 pairs of lakes, so the probability that all of these games have other lakes is 10^-12.
const DRAWS_MAX: usize = 800;

/// Creates the game. If the lakes are drawn, creates games until one has the lakes of the course.
/// Returns the game's id and the code of its challenge.
pub(super) async fn make_game(
    plan: &PairPlan,
    seats: &mut [Seat; 3],
) -> Result<(GameId, Option<String>), TrialError> {
    let [red, blue, _] = seats;
    let is_drawn = plan.ruleset.lakes == Lakes::Drawn;
    for draw in 0..DRAWS_MAX {
        let game = arrange(&game_plan(plan, draw), &mut red.client, &mut blue.client).await?;
        if !is_drawn {
            let challenge = red.client.log.entries.iter().find_map(|entry| match &entry.what {
                What::Received(text) => challenge_in(text),
                What::Connected(_) | What::Dropped | What::Sent(_) => None,
            });
            return Ok((game, challenge));
        }
        if lakes_of(red, game).await? == Some(plan.lakes) {
            // Only the last game that was created is compared.
            for seat in [&mut *red, &mut *blue] {
                seat.client.drop_line();
                seat.client.log.entries.clear();
                seat.client.connect().await?;
            }
            return Ok((game, None));
        }
        call_off(&mut red.client, game, draw).await?;
    }
    Err(TrialError::Defect(format!("{}: no game has these lakes", plan.name)))
}

fn game_plan(plan: &PairPlan, draw: usize) -> GamePlan {
    GamePlan {
        number: plan.number * DRAWS_MAX + draw,
        terms: Terms {
            ruleset: plan.ruleset.id.to_owned(),
            time: Time::Unlimited {},
            private: false,
            secret: true,
            rated: false,
        },
        is_blue_secret: true,
        setups: Default::default(),
        resign: None,
        is_flag_to_fall: false,
        breaks_rules: false,
        think_ms: 0,
        tired_at: u16::MAX,
        seed: plan.seed,
    }
}

async fn lakes_of(seat: &Seat, game: GameId) -> Result<Option<SquareSet>, TrialError> {
    let text = http::get(seat.address()?, game.as_str(), "", seat.client.token.as_deref()).await?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let squares = value["view"]["lakes"].as_array();
    Ok(squares.map(|squares| squares.iter().filter_map(|square| square.as_str()?.parse().ok()).collect()))
}

async fn call_off(red: &mut Client, game: GameId, draw: usize) -> Result<(), TrialError> {
    let cmd_id = command_id(&format!("abort-{draw}"))?;
    let command = GameCommand::Abort {};
    red.ask(&ClientToServer::Command { cmd_id, game, ply: 0, epoch: None, command }).await?;
    Ok(())
}

pub(super) fn command_id(text: &str) -> Result<CommandId, TrialError> {
    text.parse().map_err(|_| TrialError::Defect("a command id".to_owned()))
}

/// The code of the challenge that created the game.
fn challenge_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(r#""challenge":""#)?;
    rest.split('"').next().map(str::to_owned)
}
