//! Who says hello: as the store knows him, and while it is away, as he was known a short while ago.

use flagfall_protocol::{Player, Secret};
use metrics::counter;
use tokio::time::Instant;

use crate::players::{NewGuest, PlayerError};
use crate::server::App;
use flagfall_base::admission::Seat;
use flagfall_base::delivery::Registration;
use flagfall_base::identity::Token;
use flagfall_base::telemetry::RECALLED;

/// Finds out who says hello and enters the connection as theirs; with the token of a new guest, who
/// costs the store nothing until they act.
///
/// While the store is away nobody waits for it: whoever was here lately comes in and watches on from memory, all others are sent back with one
/// answer. What memory vouches for is looked at again with all other connections when the store is back.
///
/// # Errors
/// [`PlayerError`].
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
        // It is away, and nobody has noticed yet.
        Err(PlayerError::Store) => return recall(app, seat, registration, &token),
        // Of a token that was taken back this server would have heard: the store was emptied, or will tell in a moment.
        Err(PlayerError::UnknownToken) if app.connections.remembers(&token.digest()) => {
            return Err(PlayerError::Store);
        }
        Err(error) => return Err(error),
    };
    app.admission.admit_player(seat, &identity.player.id, Instant::now())?;
    registration.identify(&identity.player.id, &identity.token_id, connections_max);
    registration.remember(token.digest(), &identity);
    // From now on whoever takes the token back finds this connection; who did so before is found here.
    let confirmed = app.players.look_up(&token).await;
    let identity = confirmed.inspect_err(|_| registration.forget(token.digest()))?;
    Ok((identity.player, None))
}

/// Lets somebody in by memory.
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
