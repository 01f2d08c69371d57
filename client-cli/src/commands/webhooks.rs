//! `flagfall webhook` and `flagfall feed`: notifications about the player's turns.

use flagfall::cli::{Common, WebhookCommand};
use flagfall::words;
use flagfall_protocol::{MadeFeed, NewWebhook, WebhookAttempt, WebhookInfo, WebhookSet};
use hyper::Method;

use super::account::{Api, http_failure, refused};
use super::output::{CommandError, print};

const PATH: &str = "/api/me/webhook";

pub(crate) fn webhook(command: WebhookCommand, common: Common) -> Result<u8, CommandError> {
    let api = Api::new(common)?;
    let own = api.token()?;
    match command {
        WebhookCommand::Set { url } => {
            let body = NewWebhook { url };
            let WebhookSet { url, secret } =
                api.send(Method::PUT, PATH, Some(&own), Some(&body)).map_err(http_failure)?;
            print(&format!(
                "Your turns in games with days per move are told to {url}.\n\nThe secret that signs them is  {}\n\nIt is not told again. flagfall webhook test tries whether it works.\n",
                secret.expose()
            ))
        }
        WebhookCommand::Show => print(&shown(&api.get(PATH, Some(&own))?)),
        WebhookCommand::Remove => {
            api.send::<()>(Method::DELETE, PATH, Some(&own), None::<&()>).map_err(http_failure)?;
            print("Removed: nothing is sent any more.\n")
        }
        WebhookCommand::Test => {
            let path = format!("{PATH}/test");
            let WebhookAttempt { delivered, result, .. } =
                api.send(Method::POST, &path, Some(&own), None::<&()>).map_err(http_failure)?;
            if delivered {
                print(&format!("It works: the test was {result}.\n"))
            } else {
                Err(refused(format!("the test did not arrive: {result}")))
            }
        }
    }
}

fn shown(info: &WebhookInfo) -> String {
    let WebhookInfo { url, created, active, lost, waiting, last } = info;
    let mut text = format!("{url}, set {}.\n", words::date(*created));
    if !active {
        text.push_str(&format!(
            "Given up: {lost} notices in a row could not be delivered. Set it again, or test it, when it works.\n"
        ));
    }
    match last {
        None => text.push_str("Nothing was sent yet.\n"),
        Some(WebhookAttempt { at, delivered, result }) => {
            let what = if *delivered { "delivered" } else { "not delivered" };
            text.push_str(&format!("Last: {}, {what}: {result}.\n", words::date(*at)));
        }
    }
    if *waiting > 0 {
        text.push_str(&format!("Waiting to be sent: {waiting}.\n"));
    }
    text
}

pub(crate) fn feed(is_removal: bool, common: Common) -> Result<u8, CommandError> {
    let api = Api::new(common)?;
    let own = api.token()?;
    if is_removal {
        api.send::<()>(Method::DELETE, "/api/me/feed", Some(&own), None::<&()>).map_err(http_failure)?;
        return print("Removed: the address leads nowhere any more.\n");
    }
    let MadeFeed { path } =
        api.send(Method::POST, "/api/me/feed", Some(&own), None::<&()>).map_err(http_failure)?;
    print(&format!(
        "{}\n\nThat is your feed, in the format JSON Feed. Keep the address secret: whoever has it sees your games. It is not told again;\nflagfall feed makes another one, and this one is void then.\n",
        api.page(path.expose())
    ))
}
