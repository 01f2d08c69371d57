//! `/.well-known`: the addresses for changing passwords and for reporting vulnerabilities.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Redirect, Response};
use flagfall_board::Stamp;
use flagfall_store::{SystemClock, WallClock as _};

use super::error::ApiError;
use crate::api::page::{self, Page};
use crate::app::App;

/// Password managers open this address to change a password.
pub(super) const CHANGE_PASSWORD: &str = "/.well-known/change-password";
/// RFC 9116.
pub(super) const SECURITY: &str = "/.well-known/security.txt";

/// The time for which the contact for vulnerability reports is valid. The standard recommends
/// less than a year.
const CURRENT_FOR: Duration = Duration::from_secs(180 * 24 * 60 * 60);

pub(super) async fn change_password(Extension(page): Extension<Page>) -> Result<Redirect, ApiError> {
    if page.is_served() { Ok(Redirect::temporary(page::ACCOUNT)) } else { Err(ApiError::NoSuchPath) }
}

pub(super) async fn security(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let contact = app.settings.security_contact.as_ref().ok_or(ApiError::NoSuchPath)?;
    let text = security_text(contact, SystemClock.now());
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

fn security_text(contact: &str, now: Stamp) -> String {
    let current_ms = u64::try_from(CURRENT_FOR.as_millis()).unwrap_or_default();
    let expires = now.plus_ms(current_ms).utc();
    let day = expires.split(' ').next().unwrap_or_default();
    format!("Contact: {contact}\nExpires: {day}T00:00:00Z\nPreferred-Languages: en\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_is_current_for_half_a_year() {
        let text = security_text("mailto:ann@example.org", Stamp(951_782_400_000));
        assert_eq!(
            text,
            "Contact: mailto:ann@example.org\nExpires: 2000-08-27T00:00:00Z\nPreferred-Languages: en\n"
        );
    }
}
