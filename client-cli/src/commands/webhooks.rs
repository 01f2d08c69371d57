//! `flagfall webhook` and `flagfall feed`: notifications about the player's turns.

use flagfall::cli::{Common, WebhookCommand};
use flagfall::{text, words};
use flagfall_protocol::{MadeFeed, NewWebhook, WebhookAttempt, WebhookInfo, WebhookSet};
use hyper::Method;

use super::account::{Api, refused};
use super::output::{Done, print};

const PATH: &str = "/api/me/webhook";

pub(crate) fn webhook(command: WebhookCommand, common: Common) -> Done {
    let api = Api::new(common)?;
    match command {
        WebhookCommand::Set { url } => {
            let WebhookSet { url, secret } = api.own(Method::PUT, PATH, &NewWebhook { url })?;
            print(&text!("webhook-set", url, secret = secret.expose()))
        }
        WebhookCommand::Show { json } => api.show_own(PATH, json, shown),
        WebhookCommand::Remove => {
            let () = api.own(Method::DELETE, PATH, &())?;
            print(&text!("webhook-removed"))
        }
        WebhookCommand::Test => {
            let WebhookAttempt { delivered, result, .. } =
                api.own(Method::POST, &format!("{PATH}/test"), &())?;
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
            text!("webhook-last", date = words::date(*at), delivered = *delivered, result)
        }
    });
    if *waiting > 0 {
        lines.push(text!("webhook-waiting", count = *waiting));
    }
    lines.join("\n")
}

pub(crate) fn feed(is_removal: bool, common: Common) -> Done {
    let api = Api::new(common)?;
    if is_removal {
        let () = api.own(Method::DELETE, "/api/me/feed", &())?;
        return print(&text!("feed-removed"));
    }
    let MadeFeed { path } = api.own(Method::POST, "/api/me/feed", &())?;
    print(&text!("feed-made", url = api.address.page(path.expose())))
}
