//! `/api/session`: sessions of this server's own page, with a cookie that scripts cannot read.

use axum::Extension;
use axum::extract::State;
use flagfall_protocol::{NewSession, PlayerKind, SessionInfo};
use tokio::time::Instant;

use super::accounts::make_account;
use super::answer::{SessionBegun, SessionEnded};
use super::error::{Answer, ApiError};
use super::request::{Body, From, FromOwnPage, Shared};
use crate::app::App;
use flagfall_base::admission::Client;
use flagfall_base::identity::{Principal, Token};
use flagfall_services::players::{NewGuest, PlayerError};

/// The name under which a session's token appears in the player's list of tokens.
const TOKEN_NAME: &str = "browser";

pub(super) async fn begin(
    State(app): Shared,
    From(address): From,
    Extension(client): Extension<Client>,
    FromOwnPage(page): FromOwnPage,
    Body(NewSession { name, password, recovery_code, sign_up }): Body<NewSession>,
) -> Answer<SessionBegun> {
    let earlier = known(&app, page.token).await?;
    let (token, info) = match (name, password, recovery_code, sign_up) {
        (name, None, None, false) => match earlier {
            // Another tab of this browser may already have started the session.
            Some((token, identity)) => (token, SessionInfo { player: identity.player, recovery_code: None }),
            None => {
                app.admission.take_guest(client, Instant::now())?;
                let NewGuest { identity, token } = app.players.register(name.as_deref()).await?;
                (token, SessionInfo { player: identity.player, recovery_code: None })
            }
        },
        (Some(name), Some(password), None, false) => {
            let device = earlier.map(|(token, _)| token.expose());
            let logged_in =
                app.players.log_in(address, device.as_deref(), &name, &password, Some(TOKEN_NAME)).await?;
            (read(logged_in.token.expose())?, SessionInfo { player: logged_in.player, recovery_code: None })
        }
        (Some(name), Some(password), None, true) => {
            let (token, guest) = earlier.unzip();
            let made = make_account(&app, address, guest.as_ref(), &name, &password, PlayerKind::Account);
            let made = made.await?;
            let token = match made.token {
                Some(token) => read(token.expose())?,
                None => token.ok_or(PlayerError::UnknownToken)?,
            };
            (token, SessionInfo { player: made.player, recovery_code: Some(made.recovery_code) })
        }
        (Some(name), Some(password), Some(code), false) => {
            let recovered = app.players.recover(address, &name, &code, &password, Some(TOKEN_NAME)).await?;
            let recovery_code = Some(recovered.recovery_code);
            (read(recovered.token.expose())?, SessionInfo { player: recovered.player, recovery_code })
        }
        (None, Some(_), _, _) | (_, None, _, true) | (_, None, Some(_), _) | (_, _, Some(_), true) => {
            return Err(ApiError::BadBody);
        }
    };
    Ok(SessionBegun { cookie: page.cookie.set(&token), info })
}

pub(super) async fn end(State(app): Shared, FromOwnPage(page): FromOwnPage) -> Answer<SessionEnded> {
    if let Some((_, identity)) = known(&app, page.token).await? {
        app.players.log_out(&identity).await?;
    }
    Ok(SessionEnded { cookie: page.cookie.clear() })
}

/// Returns the player whose token is in the cookie; `None` if the token is not valid.
async fn known(app: &App, token: Option<Token>) -> Answer<Option<(Token, Principal)>> {
    let Some(token) = token else { return Ok(None) };
    match app.players.look_up(&token).await {
        Ok(identity) => Ok(Some((token, identity))),
        Err(PlayerError::UnknownToken | PlayerError::Closed) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn read(token: &str) -> Result<Token, PlayerError> {
    token.parse().map_err(|_| PlayerError::UnknownToken)
}
