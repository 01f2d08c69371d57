//! Rulesets, running games and records.

use axum::extract::State;
use axum::response::IntoResponse as _;
use axum::{Extension, Json};
use flagfall_board::GameId;
use flagfall_protocol::{
    GameSummary, GameView, HousePlayerInfo, RecordScope, RulesetInfo, SigningKeys, SuggestedDeployments,
    Viewer,
};
use flagfall_rules::Ruleset;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::answer::RenderedRecord;
use super::error::{Answer, ApiError};
use super::request::{MaybeAsker, Path, Query, QueryFields, Shared};
use crate::app::App;
use flagfall_base::admission::Client;
use flagfall_game::{TableError, TableHandle};
use flagfall_services::players::house_players;
use flagfall_services::suggestions::Suggestion;

const LISTED_GAMES_MAX: usize = 100;
/// The number of finished games in an answer if the request sets no limit.
const FINISHED_GAMES: usize = 10;
/// Maximum number of games that are sorted by rating. If there are more, only the newest are
/// considered.
const ORDERED_GAMES_MAX: usize = 400;
/// The number of extra requests that are charged if the players of each game must be read from the
/// store.
const LOOKUP_REQUESTS: u32 = 4;

#[derive(Serialize)]
#[cfg_attr(test, derive(Deserialize, schemars::JsonSchema))]
pub(super) struct Rulesets {
    rulesets: Vec<RulesetInfo>,
    /// The programs of this server that players can play against.
    house_players: Vec<HousePlayerInfo>,
}

pub(super) async fn rulesets() -> Json<Rulesets> {
    let words = flagfall_words::english();
    let rulesets = Ruleset::all().iter().map(|ruleset| words.ruleset_info(ruleset)).collect();
    Json(Rulesets { rulesets, house_players: house_players() })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SuggestionQuery {
    /// The seed of the random choice. The same seed gives the same deployments.
    seed: Option<u32>,
}

impl QueryFields for SuggestionQuery {
    const REASON: &'static str = "suggested";
}

pub(super) async fn suggested(
    State(app): Shared,
    Path(ruleset): Path<String>,
    Query(SuggestionQuery { seed }): Query<SuggestionQuery>,
) -> Answer<Json<SuggestedDeployments>> {
    let suggestion = Suggestion::new(&ruleset, seed)?;
    Ok(Json(in_background(&app, move || suggestion.draw()).await?))
}

/// Returns the public keys for the signatures of finished games.
pub(super) async fn keys(State(app): Shared) -> Answer<Json<SigningKeys>> {
    Ok(Json(app.proofs.keys().await?))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(Deserialize, schemars::JsonSchema))]
pub(super) struct Games {
    games: Vec<GameSummary>,
    /// True if finished games are missing, because a part of the server's store is away. They are
    /// listed again when it is back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum Order {
    Newest,
    Rating,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum ListedPhase {
    Over,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct GamesQuery {
    /// The phase of the games: `over` lists the games that ended last, latest first. If it is not
    /// given, the running games are listed.
    phase: Option<ListedPhase>,
    /// The order of the games: `newest` lists the newest games first, and `rating` lists the
    /// games with the highest rated players first. The default is `newest`.
    order: Option<Order>,
    /// The maximum number of games. Of running games, 100 is the default and the most; of finished
    /// games, 10 is the default and 50 the most.
    limit: Option<usize>,
}

impl QueryFields for GamesQuery {
    const REASON: &'static str = "games";
}

pub(super) async fn games(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Query(GamesQuery { phase, order, limit }): Query<GamesQuery>,
) -> Answer<Json<Games>> {
    let running_max = limit.map_or(LISTED_GAMES_MAX, |limit| limit.min(LISTED_GAMES_MAX));
    let mut is_whole = true;
    let games = match (phase, order) {
        (Some(ListedPhase::Over), None | Some(Order::Newest)) => {
            app.admission.charge_request(client, LOOKUP_REQUESTS, Instant::now());
            let latest = app.histories.latest(limit.unwrap_or(FINISHED_GAMES)).await?;
            is_whole = latest.1;
            latest.0
        }
        // Refuse this order. Ratings change with every game, so finished games sorted by rating
        // would mean little.
        (Some(ListedPhase::Over), Some(Order::Rating)) => {
            return Err(ApiError::BadQuery(GamesQuery::REASON));
        }
        (None, None | Some(Order::Newest)) => app.tables.running(running_max),
        (None, Some(Order::Rating)) => {
            let games = app.tables.running(ORDERED_GAMES_MAX);
            app.admission.charge_request(client, LOOKUP_REQUESTS, Instant::now());
            let mut games = app.ratings.sort_games(games).await?;
            games.truncate(running_max);
            games
        }
    };
    Ok(Json(Games { games, incomplete: !is_whole }))
}

/// A game as the caller may see it.
#[derive(Serialize)]
#[cfg_attr(test, derive(Deserialize, schemars::JsonSchema))]
pub(super) struct Game {
    game: GameSummary,
    audience: Viewer,
    view: GameView,
}

pub(super) async fn game(
    State(app): Shared,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
    asker: MaybeAsker,
) -> Answer<Json<Game>> {
    let table = find(&app, client, asker.id(), &id).await?;
    let (game, audience, view) = table.look(asker.id()).await?;
    Ok(Json(Game { game, audience, view }))
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum Format {
    Json,
    Text,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RecordQuery {
    /// The format of the record. JSON is the default.
    format: Option<Format>,
    /// The audience whose record to return. If absent, the server chooses an audience whose
    /// record the caller may read.
    #[serde(rename = "as")]
    scope: Option<RecordScope>,
}

impl QueryFields for RecordQuery {
    const REASON: &'static str = "record";
}

pub(super) async fn record(
    State(app): Shared,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
    Query(RecordQuery { format, scope }): Query<RecordQuery>,
    asker: MaybeAsker,
) -> Answer<RenderedRecord> {
    let table = find(&app, client, asker.id(), &id).await?;
    let mut record = table.record(&app.background, asker.id(), scope).await?;
    if let Some(Format::Text) = format {
        let text = in_background(&app, move || record.to_string()).await?;
        return Ok(RenderedRecord(text.into_response()));
    }
    app.proofs.sign(&mut record).await?;
    Ok(RenderedRecord(in_background(&app, move || Json(record).into_response()).await?))
}

pub(super) async fn record_as_text(
    State(app): Shared,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
    asker: MaybeAsker,
) -> Answer<String> {
    let table = find(&app, client, asker.id(), &id).await?;
    let record = table.record(&app.background, asker.id(), None).await?;
    in_background(&app, move || record.to_string()).await
}

/// Renders a large answer in the background, so that it does not delay connections.
async fn in_background<T: Send + 'static>(
    app: &App,
    render: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    app.background.run(render).await.map_err(|_| TableError::Unavailable.into())
}

/// Returns the table of a game. Charges the client for the work, because a long game is read from
/// its log and replayed.
async fn find(app: &App, client: Client, player: Option<&str>, id: &str) -> Result<TableHandle, ApiError> {
    let id: GameId = id.parse().map_err(|_| TableError::NotFound)?;
    let table = app.tables.find_for(player, id).await?;
    let requests = u32::try_from(table.entries() / ENTRIES_PER_REQUEST).unwrap_or(u32::MAX);
    app.admission.charge_request(client, requests, Instant::now());
    Ok(table)
}

/// The number of log entries that are charged like one request.
const ENTRIES_PER_REQUEST: u64 = 50;
