//! Identifies the player behind a hello: from the store, or from memory while the store is
//! unavailable.

use flagfall_protocol::{Player, Secret};
use metrics::counter;
use tokio::time::Instant;

use crate::app::App;
use flagfall_base::admission::Seat;
use flagfall_base::delivery::Registration;
use flagfall_base::identity::Token;
use flagfall_base::telemetry::RECALLED;
use flagfall_services::players::{NewGuest, PlayerError};

/// Identifies the player and registers the connection as theirs. Returns the token of a new
/// guest, who is not stored until they act.
///
/// While the store is unavailable, players who connected recently are identified from memory, so
/// that they can watch games. All others are refused at once. When the store is back, the server
/// checks the tokens of all connections, including these.
pub(super) async fn admit(
    app: &App,
    seat: &Seat,
    registration: &mut Registration,
    token: Option<&Secret>,
    name: Option<&str>,
) -> Result<(Player, Option<Secret>), PlayerError> {
    let connections_max = app.settings.limits.connections_per_player;
    let Some(token) = token else {
        if app.connections.is_store_away() {
            return Err(PlayerError::Store);
        }
        app.admission.admit_guest(seat, Instant::now())?;
        let NewGuest { identity, token } = app.players.register(name).await?;
        registration.identify(&identity.player.id, &identity.token_id, connections_max);
        registration.remember(token.digest(), &identity);
        return Ok((identity.player, Some(token.to_secret())));
    };
    let token: Token = token.expose().parse().map_err(|_| PlayerError::UnknownToken)?;
    if app.connections.is_store_away() {
        return recall(app, seat, registration, &token);
    }
    let identity = match app.players.look_up(&token).await {
        Ok(identity) => identity,
        // The store is unavailable, but this server has not noticed yet.
        Err(PlayerError::Store) => return recall(app, seat, registration, &token),
        // This server would know if the token had been revoked. So either the store was emptied, or
        // the news of the revocation has not arrived yet.
        Err(PlayerError::UnknownToken) if app.connections.remembers(&token.digest()) => {
            return Err(PlayerError::Store);
        }
        Err(error) => return Err(error),
    };
    app.admission.admit_player(seat, &identity.player.id, Instant::now())?;
    registration.identify(&identity.player.id, &identity.token_id, connections_max);
    registration.remember(token.digest(), &identity);
    // From here on, a revocation of the token finds this connection. The second lookup finds an
    // earlier revocation.
    let confirmed = app.players.look_up(&token).await;
    let identity = confirmed.inspect_err(|_| registration.forget(token.digest()))?;
    Ok((identity.player, None))
}

fn recall(
    app: &App,
    seat: &Seat,
    registration: &mut Registration,
    token: &Token,
) -> Result<(Player, Option<Secret>), PlayerError> {
    let connections_max = app.settings.limits.connections_per_player;
    let known = registration.identify_by_memory(token.digest(), connections_max);
    let result = if known.is_some() { "known" } else { "unknown" };
    counter!(RECALLED, "result" => result).increment(1);
    if let Some(identity) = &known {
        app.admission.admit_player(seat, &identity.player.id, Instant::now())?;
    }
    known.map(|identity| (identity.player, None)).ok_or(PlayerError::Store)
}
