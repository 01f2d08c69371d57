//! `flagfall webhook` and `flagfall feed`: notifications about the player's turns.

use flagfall::cli::{Common, WebhookCommand};
use flagfall::{text, words};
use flagfall_protocol::{MadeFeed, NewWebhook, WebhookAttempt, WebhookInfo, WebhookSet};
use hyper::Method;

use super::account::{Api, http_failure, refused};
use super::output::{CommandError, print, print_json};

const PATH: &str = "/api/me/webhook";

pub(crate) fn webhook(command: WebhookCommand, common: Common) -> Result<u8, CommandError> {
    let api = Api::new(common)?;
    let own = api.token()?;
    match command {
        WebhookCommand::Set { url } => {
            let body = NewWebhook { url };
            let WebhookSet { url, secret } =
                api.send(Method::PUT, PATH, Some(&own), Some(&body)).map_err(http_failure)?;
            print(&text!("webhook-set", url, secret = secret.expose()))
        }
        WebhookCommand::Show { json } => {
            let info: WebhookInfo = api.get(PATH, Some(&own))?;
            if json { print_json(&info) } else { print(&shown(&info)) }
        }
        WebhookCommand::Remove => {
            api.send::<()>(Method::DELETE, PATH, Some(&own), None::<&()>).map_err(http_failure)?;
            print(&text!("webhook-removed"))
        }
        WebhookCommand::Test => {
            let path = format!("{PATH}/test");
            let WebhookAttempt { delivered, result, .. } =
                api.send(Method::POST, &path, Some(&own), None::<&()>).map_err(http_failure)?;
            if delivered {
                print(&text!("webhook-tested", result))
            } else {
                Err(refused(text!("webhook-test-failed", result)))
            }
        }
    }
}

fn shown(info: &WebhookInfo) -> String {
    let WebhookInfo { url, created, active, lost, waiting, last } = info;
    let mut lines = vec![text!("webhook-address", url, made = words::date(*created))];
    if !active {
        lines.push(text!("webhook-off", count = *lost));
    }
    lines.push(match last {
        None => text!("webhook-unused"),
        Some(WebhookAttempt { at, delivered, result }) => {
            text!("webhook-last", at = words::date(*at), delivered = *delivered, result)
        }
    });
    if *waiting > 0 {
        lines.push(text!("webhook-waiting", count = *waiting));
    }
    lines.join("\n")
}

pub(crate) fn feed(is_removal: bool, common: Common) -> Result<u8, CommandError> {
    let api = Api::new(common)?;
    let own = api.token()?;
    if is_removal {
        api.send::<()>(Method::DELETE, "/api/me/feed", Some(&own), None::<&()>).map_err(http_failure)?;
        return print(&text!("feed-removed"));
    }
    let MadeFeed { path } =
        api.send(Method::POST, "/api/me/feed", Some(&own), None::<&()>).map_err(http_failure)?;
    print(&text!("feed-made", url = api.page(path.expose())))
}
