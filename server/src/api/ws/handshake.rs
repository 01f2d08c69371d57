//! Identifies the player behind a hello: from the store, or from memory while the store is
//! unavailable.

use flagfall_protocol::{Code, Player, Refusal, Secret};
use metrics::counter;
use tokio::time::Instant;

use crate::app::App;
use flagfall_base::admission::Seat;
use flagfall_base::delivery::Registration;
use flagfall_base::identity::Token;
use flagfall_base::telemetry::RECALLED;
use flagfall_services::players::{NewGuest, PlayerError};
use flagfall_services::settings::Role;

/// How a client introduces itself.
pub(super) enum Introduction {
    /// The player with this token.
    Token(Secret),
    /// A new guest, with the requested name.
    NewGuest(Option<String>),
    /// The player with the token in the session cookie. Without a cookie, the client is anonymous.
    Session(Option<Token>),
}

/// The client that was admitted.
pub(super) struct Admitted {
    /// `None` for an anonymous client.
    pub(super) player: Option<Player>,
    /// The token of a new guest, who is stored when they first act.
    pub(super) new_token: Option<Secret>,
}

impl From<Player> for Admitted {
    fn from(player: Player) -> Admitted {
        Admitted { player: Some(player), new_token: None }
    }
}

/// Identifies the player and registers the connection as theirs.
///
/// While the store is unavailable, players who connected recently are identified from memory, so
/// that they can watch games. All others are refused immediately. When the store is back, the
/// server checks the tokens of all connections, including these.
///
/// A relay admits only anonymous clients.
pub(super) async fn admit(
    app: &App,
    seat: &Seat,
    registration: &mut Registration,
    introduction: Introduction,
) -> Result<Admitted, PlayerError> {
    if app.settings.role == Role::Relay && !matches!(introduction, Introduction::Session(None)) {
        return Err(PlayerError::Other(Refusal::new(Code::WATCH_ONLY)));
    }
    match introduction {
        Introduction::NewGuest(name) => admit_guest(app, seat, registration, name.as_deref()).await,
        Introduction::Token(token) => {
            let token: Token = token.expose().parse().map_err(|_| PlayerError::UnknownToken)?;
            admit_player(app, seat, registration, &token).await
        }
        Introduction::Session(None) => admit_anonymous(app, seat, registration),
        Introduction::Session(Some(token)) => match admit_player(app, seat, registration, &token).await {
            // The session has ended. The page recognizes this because the welcome names no
            // player.
            Err(PlayerError::UnknownToken) if !registration.is_identified() => {
                admit_anonymous(app, seat, registration)
            }
            admitted => admitted,
        },
    }
}

/// Admits a client as anonymous. This does not need the store.
fn admit_anonymous(app: &App, seat: &Seat, registration: &mut Registration) -> Result<Admitted, PlayerError> {
    app.admission.admit_anonymous(seat)?;
    registration.enter_anonymously();
    Ok(Admitted { player: None, new_token: None })
}

async fn admit_guest(
    app: &App,
    seat: &Seat,
    registration: &mut Registration,
    name: Option<&str>,
) -> Result<Admitted, PlayerError> {
    if app.connections.is_store_away() {
        return Err(PlayerError::Store);
    }
    app.admission.admit_guest(seat, Instant::now())?;
    let NewGuest { identity, token } = app.players.register(name).await?;
    let connections_max = app.settings.limits.connections_per_player;
    registration.identify(&identity.player.id, &identity.token_id, connections_max);
    registration.remember(token.digest(), &identity);
    Ok(Admitted { player: Some(identity.player), new_token: Some(token.to_secret()) })
}

async fn admit_player(
    app: &App,
    seat: &Seat,
    registration: &mut Registration,
    token: &Token,
) -> Result<Admitted, PlayerError> {
    let connections_max = app.settings.limits.connections_per_player;
    if app.connections.is_store_away() {
        return recall(app, seat, registration, token);
    }
    let identity = match app.players.look_up(token).await {
        Ok(identity) => identity,
        // The store is unavailable, but this server has not noticed yet.
        Err(PlayerError::Store) => return recall(app, seat, registration, token),
        // If the token had been revoked, this server would have forgotten it. So either the store
        // was emptied, or the notice of the revocation has not arrived yet.
        Err(PlayerError::UnknownToken) if app.connections.remembers(&token.digest()) => {
            return Err(PlayerError::Store);
        }
        Err(error) => return Err(error),
    };
    app.admission.admit_player(seat, &identity.player.id, Instant::now())?;
    registration.identify(&identity.player.id, &identity.token_id, connections_max);
    registration.remember(token.digest(), &identity);
    // From this point on, a revocation of the token closes this connection. The second lookup
    // detects an earlier revocation.
    let confirmed = app.players.look_up(token).await;
    let identity = confirmed.inspect_err(|_| registration.forget(token.digest()))?;
    Ok(identity.player.into())
}

fn recall(
    app: &App,
    seat: &Seat,
    registration: &mut Registration,
    token: &Token,
) -> Result<Admitted, PlayerError> {
    let connections_max = app.settings.limits.connections_per_player;
    let known = registration.identify_by_memory(token.digest(), connections_max);
    let result = if known.is_some() { "known" } else { "unknown" };
    counter!(RECALLED, "result" => result).increment(1);
    if let Some(identity) = &known {
        app.admission.admit_player(seat, &identity.player.id, Instant::now())?;
    }
    known.map(|identity| identity.player.into()).ok_or(PlayerError::Store)
}
