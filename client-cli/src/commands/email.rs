//! `flagfall email`: mails about the player's turns.

use flagfall::cli::{Common, EmailCommand};
use flagfall::text;
use flagfall::texts::language;
use flagfall_protocol::{EmailInfo, EmailSetting, EmailState, MailLanguage, NewEmail};
use flagfall_words::Language;
use hyper::Method;

use super::account::Api;
use super::output::{Done, print};

const PATH: &str = "/api/me/email";

pub(crate) fn email(command: EmailCommand, common: Common) -> Done {
    let api = Api::new(common)?;
    match command {
        EmailCommand::Set { address } => {
            let language = match language() {
                Language::English => MailLanguage::En,
                Language::Russian => MailLanguage::Ru,
            };
            let set: EmailSetting = api.own(Method::PUT, PATH, &NewEmail { address, language })?;
            print(&shown(&set))
        }
        EmailCommand::Show { json } => api.show_own(PATH, json, shown),
        EmailCommand::Again => {
            let () = api.own(Method::POST, &format!("{PATH}/confirmation"), &())?;
            print(&text!("email-again"))
        }
        EmailCommand::Remove => {
            let () = api.own(Method::DELETE, PATH, &())?;
            print(&text!("email-removed"))
        }
    }
}

fn shown(EmailSetting { email }: &EmailSetting) -> String {
    let Some(EmailInfo { address, state, .. }) = email else { return text!("email-none") };
    match state {
        EmailState::Pending => text!("email-pending", address),
        EmailState::Active => text!("email-active", address),
        EmailState::Suspended => text!("email-suspended", address),
    }
}
