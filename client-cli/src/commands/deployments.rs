//! `flagfall deployments`: saved deployments, on the server for accounts and on this machine for
//! guests.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use flagfall::cli::{Common, DeploymentsCommand};
use flagfall::deployments::text::{in_rows, places};
use flagfall::{names, text, texts, words};
use flagfall_protocol::{Refusal, SaveDeployment, SavedDeployment, SavedDeployments, Secret};
use flagfall_rules::Ruleset;
use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::account::{Api, http_failure, refused};
use super::output::{
    Done, file_error, file_or_text, find_ruleset, pretty_json, print, print_json, print_or_write, storage,
    usage,
};

/// The texts of the saved deployments, by ruleset and name.
type All = BTreeMap<String, BTreeMap<String, String>>;

/// The place where the player's deployments are saved.
struct DeploymentStore {
    api: Api,
    /// The account's credential; `None` for a guest.
    token: Option<Secret>,
}

impl DeploymentStore {
    fn new(common: Common) -> Done<DeploymentStore> {
        let api = Api::new(common)?;
        let credential = api.credential();
        let token = credential.token().filter(|_| credential.is_account());
        Ok(DeploymentStore { api, token })
    }

    fn all(&self) -> Done<All> {
        let Some(token) = &self.token else { return Ok(self.api.config.setups()) };
        let SavedDeployments { deployments } = self.api.get("/api/me/deployments", Some(token))?;
        let mut all = All::new();
        for SavedDeployment { ruleset, name, setup } in deployments {
            all.entry(ruleset).or_default().insert(name, setup.expose().to_owned());
        }
        Ok(all)
    }

    /// Saves a deployment. Returns a sentence that says where the deployment was saved.
    fn save(&self, rules: &Ruleset, name: &str, text: &str) -> Done<String> {
        check_name(name)?;
        places(text, rules)
            .map_err(|refusal| usage(text!("deployment-not-saved", why = texts::refusal(&refusal))))?;
        let squeezed: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        match &self.token {
            None => {
                let path = self.api.config.save_setup(rules.id, name, &squeezed).map_err(storage)?;
                let place = path.display().to_string();
                Ok(text!("deployment-saved-here", place, ruleset = rules.id, name))
            }
            Some(token) => {
                let body = SaveDeployment { setup: Secret::new(squeezed) };
                let kept: SavedDeployment = self.send(Method::PUT, rules, name, token, &body)?;
                Ok(text!("deployment-saved-online", ruleset = rules.id, name = kept.name))
            }
        }
    }

    fn remove(&self, rules: &Ruleset, name: &str) -> Done<()> {
        check_name(name)?;
        match &self.token {
            None => self.api.config.delete_setup(rules.id, name).map_err(storage),
            Some(token) => self.send(Method::DELETE, rules, name, token, &()),
        }
    }

    fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        rules: &Ruleset,
        name: &str,
        token: &Secret,
        body: &impl Serialize,
    ) -> Done<T> {
        let path = format!("/api/me/deployments/{}/{name}", rules.id);
        self.api.send(method, &path, Some(token), body).map_err(http_failure)
    }
}

fn check_name(name: &str) -> Done<()> {
    if SavedDeployment::is_name(name) {
        return Ok(());
    }
    Err(usage(texts::refusal(Refusal::new("bad_deployment").because("name"))))
}

pub(crate) fn run(command: DeploymentsCommand, common: Common) -> Done {
    let store = DeploymentStore::new(common)?;
    match command {
        DeploymentsCommand::List { json: true } => print_json(&saved(store.all()?)),
        DeploymentsCommand::List { json: false } => print(&list(&store.all()?)),
        DeploymentsCommand::Show { ruleset, name } => {
            let rules = find_ruleset(&ruleset)?.unchanged();
            let all = store.all()?;
            let text = all.get(rules.id).and_then(|kept| kept.get(&name));
            let names = all.get(rules.id).into_iter().flatten().map(|(name, _)| name.as_str());
            let text = text.ok_or_else(|| {
                refused(match names::closest(&name, names) {
                    Some(meant) => text!("deployment-meant", name = &name, ruleset = rules.id, meant),
                    None => text!("deployment-missing", name = &name, ruleset = rules.id),
                })
            })?;
            print(&in_rows(text, rules).replace(' ', "\n"))
        }
        DeploymentsCommand::Save { ruleset, name, setup } => {
            let rules = find_ruleset(&ruleset)?.unchanged();
            print(&store.save(rules, &name, &file_or_text(&setup)?)?)
        }
        DeploymentsCommand::Remove { ruleset, name } => {
            store.remove(find_ruleset(&ruleset)?.unchanged(), &name)?;
            print(&text!("deployment-removed"))
        }
        DeploymentsCommand::Export { out } => print_or_write(&pretty_json(&store.all()?)?, out.as_deref()),
        DeploymentsCommand::Import { file } => import(&store, &file),
    }
}

fn saved(all: All) -> SavedDeployments {
    let of_ruleset = |(ruleset, kept): (String, BTreeMap<String, String>)| {
        kept.into_iter().map(move |(name, text)| SavedDeployment {
            ruleset: ruleset.clone(),
            name,
            setup: Secret::new(text),
        })
    };
    SavedDeployments { deployments: all.into_iter().flat_map(of_ruleset).collect() }
}

fn list(all: &All) -> String {
    let mut text = String::new();
    for (ruleset, kept) in all {
        let title = words::ruleset_title(ruleset).to_string();
        text.push_str(&format!("{}\n", text!("deployments-of", ruleset = title)));
        for name in kept.keys() {
            text.push_str(&format!("  {ruleset} {name}\n"));
        }
    }
    if text.is_empty() {
        text = text!("no-deployments");
    }
    text
}

/// Imports a file. Checks all deployments before it saves any.
fn import(store: &DeploymentStore, file: &Path) -> Done {
    let is_input = file.as_os_str() == "-";
    let text = if is_input { io::read_to_string(io::stdin()) } else { fs::read_to_string(file) };
    let wrong = |error: serde_json::Error| {
        usage(text!("not-an-export", path = file.display().to_string(), line = error.line()))
    };
    let all: All = serde_json::from_str(&text.map_err(|error| file_error(file, &error))?).map_err(wrong)?;
    let mut checked = Vec::new();
    for (ruleset, kept) in &all {
        let rules = find_ruleset(ruleset)?.unchanged();
        for (name, text) in kept {
            check_name(name)?;
            places(text, rules).map_err(|refusal| {
                refused(text!("import-refused", ruleset, name, why = texts::refusal(&refusal)))
            })?;
            checked.push((rules, name, text));
        }
    }
    for (rules, name, text) in &checked {
        store.save(rules, name, text)?;
    }
    print(&text!("file-read", count = checked.len()))
}
