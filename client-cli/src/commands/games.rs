//! `flagfall games --json`: the games and seeks that the player can join or watch.

use flagfall::cli::Common;
use flagfall::net::address::Addresses;
use flagfall::net::socket;
use flagfall_protocol::{GameSummary, OwnGames, Seek};
use serde::Serialize;

use super::account::Api;
use super::output::{Done, network, print_json, runtime};

/// The player's games, the open seeks and the public games.
#[derive(Serialize)]
struct Games {
    /// The player's running games. Absent if the player has no guest or account on this server
    /// yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<OwnGames>,
    seeks: Vec<Seek>,
    public: Vec<GameSummary>,
}

pub(crate) fn print_games(common: Common) -> Done {
    let api = Api::new(common)?;
    let token = api.credential().token();
    let own = token.map(|token| api.get("/api/me/games", Some(&token))).transpose()?;
    let addresses = Addresses { first: api.address.clone(), others: Vec::new() };
    let lobby = socket::lobby(&api.dialer, &addresses, api.credential().token(), api.name.clone());
    let (seeks, public) = runtime()?.block_on(lobby).map_err(network)?;
    print_json(&Games { own, seeks, public })
}
