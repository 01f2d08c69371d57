//! Who says hello: as the store knows him, and while it is away, as he was known a short while ago.

use flagfall_protocol::{Player, Secret};
use metrics::counter;

use super::connections::Registration;
use crate::metrics::RECALLED;
use crate::players::{PlayerError, Token};
use crate::server::App;

/// Finds out who says hello and enters the connection as his; with the token of a new guest, which is in the store then.
///
/// While the store is away nobody waits for it: whoever was here lately comes in and watches on from memory, all others are sent back with one
/// answer. What memory vouches for is looked at again with all other connections when the store is back.
///
/// # Errors
/// [`PlayerError`].
pub(super) async fn admit(
    app: &App,
    registration: &mut Registration,
    token: Option<&Secret>,
    name: Option<&str>,
) -> Result<(Player, Option<Secret>), PlayerError> {
    let connections_max = app.settings.limits.connections_per_player;
    let Some(token) = token else {
        if app.connections.is_store_away() {
            return Err(PlayerError::Store);
        }
        let guest = app.players.register(name).await?;
        let identity = guest.identity();
        registration.identify(&identity.player.id, &identity.token_id, connections_max);
        registration.remember(guest.token.digest(), &identity);
        return Ok((guest.player, Some(guest.token.to_secret())));
    };
    let token: Token = token.expose().parse().map_err(|_| PlayerError::UnknownToken)?;
    if app.connections.is_store_away() {
        return recall(registration, &token, connections_max);
    }
    let identity = match app.players.look_up(&token).await {
        Ok(identity) => identity,
        // It is away, and nobody has noticed yet.
        Err(PlayerError::Store) => return recall(registration, &token, connections_max),
        // Of a token that was taken back this server would have heard: the store was emptied, or will tell in a moment.
        Err(PlayerError::UnknownToken) if app.connections.remembers(&token.digest()) => {
            return Err(PlayerError::Store);
        }
        Err(error) => return Err(error),
    };
    registration.identify(&identity.player.id, &identity.token_id, connections_max);
    registration.remember(token.digest(), &identity);
    // From now on whoever takes the token back finds this connection; who did so before is found here.
    let confirmed = app.players.look_up(&token).await;
    let identity = confirmed.inspect_err(|_| registration.forget(token.digest()))?;
    Ok((identity.player, None))
}

/// Lets somebody in by memory.
fn recall(
    registration: &mut Registration,
    token: &Token,
    connections_max: usize,
) -> Result<(Player, Option<Secret>), PlayerError> {
    let known = registration.identify_by_memory(token.digest(), connections_max);
    let result = if known.is_some() { "known" } else { "unknown" };
    counter!(RECALLED, "result" => result).increment(1);
    known.map(|identity| (identity.player, None)).ok_or(PlayerError::Store)
}
