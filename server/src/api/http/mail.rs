//! `/mail`: the pages that open from links in mails. They confirm an address, or end the mails to
//! an address, without a session.
//!
//! Opening a link changes nothing, because programs that check mails open links too. Only the
//! form on the page, or the request of a mail program (RFC 8058), changes something. The pages
//! are plain HTML, so they also work in the browsers of mail programs.

use axum::Extension;
use axum::extract::State;
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use flagfall_protocol::MailLanguage;
use flagfall_services::notices::{LinkedEmail, escaped, language_code, mail_words};
use flagfall_words::{Args, args};

use super::error::Answer;
use super::request::{Path, Shared};
use crate::api::page::Page;

pub(super) const CONFIRM: &str = "/mail/confirm/{player}/{token}";
pub(super) const UNSUBSCRIBE: &str = "/mail/unsubscribe/{player}/{signature}";

/// The parts of a link: a player's id and a secret.
type MailLink = Path<(String, String)>;

pub(super) async fn show_confirmation(
    State(app): Shared,
    Extension(page): Extension<Page>,
    Path((player, token)): MailLink,
    headers: HeaderMap,
) -> Answer<Response> {
    let linked = app.notices.confirmation_link(&player, &token).await?;
    Ok(document(&page, &headers, linked, PageText::question("mail-page-confirm"), StatusCode::NOT_FOUND))
}

pub(super) async fn confirm(
    State(app): Shared,
    Extension(page): Extension<Page>,
    Path((player, token)): MailLink,
    headers: HeaderMap,
) -> Answer<Response> {
    let linked = app.notices.confirm_email(&player, &token).await?;
    Ok(document(&page, &headers, linked, PageText::done("mail-page-confirmed"), StatusCode::NOT_FOUND))
}

pub(super) async fn show_unsubscription(
    State(app): Shared,
    Extension(page): Extension<Page>,
    Path((player, signature)): MailLink,
    headers: HeaderMap,
) -> Answer<Response> {
    let linked = app.notices.unsubscribe_link(&player, &signature).await?;
    Ok(document(&page, &headers, linked, PageText::question("mail-page-unsubscribe"), StatusCode::NOT_FOUND))
}

/// Answers with the same status even if the link is no longer valid, because no more mails come
/// in either case.
pub(super) async fn unsubscribe(
    State(app): Shared,
    Extension(page): Extension<Page>,
    Path((player, signature)): MailLink,
    headers: HeaderMap,
) -> Answer<Response> {
    let linked = app.notices.unsubscribe_email(&player, &signature).await?;
    Ok(document(&page, &headers, linked, PageText::done("mail-page-unsubscribed"), StatusCode::OK))
}

/// The texts of a page, identified by the id of its heading. The ids of the other texts are derived
/// from this id.
#[derive(Clone, Copy)]
struct PageText {
    id: &'static str,
    /// True if the page asks for a confirmation with a form.
    is_question: bool,
}

impl PageText {
    const fn question(id: &'static str) -> PageText {
        PageText { id, is_question: true }
    }

    const fn done(id: &'static str) -> PageText {
        PageText { id, is_question: false }
    }
}

/// Returns the page for a link. If the link is not valid, returns a page that says so, with the
/// status `gone`.
fn document(
    page: &Page,
    headers: &HeaderMap,
    linked: Option<LinkedEmail>,
    shown: PageText,
    gone: StatusCode,
) -> Response {
    let (status, language, shown, args) = match &linked {
        Some(LinkedEmail { name, address, language }) => {
            let args = args! { "name" => name.as_str(), "address" => address.as_str() };
            (StatusCode::OK, *language, shown, args)
        }
        None => (gone, preferred(headers), PageText::done("mail-page-gone"), Args::new()),
    };
    let html = html(page, language, shown, &args);
    let media_type = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(CONTENT_TYPE, media_type)], html).into_response()
}

fn html(page: &Page, language: MailLanguage, shown: PageText, args: &Args<'_>) -> String {
    let words = mail_words(language);
    let PageText { id, is_question } = shown;
    let (code, heading) = (language_code(language), escaped(&words.text(id)));
    let text = escaped(&words.format(&format!("{id}-text"), args));
    let action = match is_question {
        true => {
            let label = escaped(&words.text(&format!("{id}-do")));
            format!("<form method=\"post\"><button class=\"button main\">{label}</button></form>")
        }
        false => format!("<p><a href=\"/\">{}</a></p>", escaped(&words.text("mail-page-home"))),
    };
    let style = page.build().map_or_else(String::new, |build| {
        format!(
            "<link rel=\"icon\" href=\"/assets/{build}/icons/flagfall.svg\" type=\"image/svg+xml\">\n\
             <link rel=\"stylesheet\" href=\"/assets/{build}/page.css\">\n"
        )
    });
    format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>{heading} · Flagfall</title>\n{style}</head>\n<body>\n\
         <div class=\"app\"><main><div class=\"page stack\"><section class=\"card stack narrow\">\n\
         <h1>{heading}</h1>\n<p>{text}</p>\n{action}\n</section></div></main></div>\n</body>\n</html>\n"
    )
}

/// Returns the language that a browser prefers.
fn preferred(headers: &HeaderMap) -> MailLanguage {
    let list = headers.get(ACCEPT_LANGUAGE).and_then(|list| list.to_str().ok()).unwrap_or_default();
    let first = list.split([',', ';', '-']).next().unwrap_or_default().trim();
    if first.eq_ignore_ascii_case("ru") { MailLanguage::Ru } else { MailLanguage::En }
}
