//! Deployments that accounts have saved, under `deployments/PLAYER/RULESET/NAME`. They are
//! secret, because an opponent could learn from them how the owner usually deploys. They are sent
//! only to their owner and never logged.

use std::sync::Arc;

use flagfall_board::Side;
use flagfall_protocol::{Code, Refusal, SavedDeployment, SavedDeployments, Secret};
use flagfall_rules::{Ruleset, Setup, SetupRefusal};
use flagfall_store::{Store, StoreError, Write};

use crate::refused::{Refused, check_account};
use flagfall_base::identity::Principal;
use flagfall_base::keys::{DEPLOYMENTS, last_part};
use flagfall_base::transact::{delete, delete_all, write};

pub const PER_RULESET_MAX: usize = 50;
const ALL_MAX: usize = 1_000;
/// The maximum length of a text that is parsed, in bytes, including spaces.
const TEXT_MAX: usize = 1_000;

#[derive(Clone)]
pub struct Deployments {
    store: Arc<dyn Store>,
}

impl Deployments {
    pub fn new(store: Arc<dyn Store>) -> Deployments {
        Deployments { store }
    }

    /// Returns the requester's deployments, ordered by ruleset and name.
    pub async fn list(&self, asker: &Principal) -> Result<SavedDeployments, Refused> {
        let prefix = DEPLOYMENTS.under([&asker.player.id])?;
        let mut deployments = Vec::new();
        for (key, value) in self.store.scan(prefix.clone(), None, ALL_MAX).await? {
            let (Some(place), Ok(setup)) = (last_part(&key, &prefix), String::from_utf8(value)) else {
                continue;
            };
            let Some((ruleset, name)) = place.split_once('/') else { continue };
            let (ruleset, name) = (ruleset.to_owned(), name.to_owned());
            deployments.push(SavedDeployment { ruleset, name, setup: Secret::new(setup) });
        }
        Ok(SavedDeployments { deployments })
    }

    /// Stores a deployment. It replaces an earlier deployment with the same name. After an error,
    /// nothing has changed.
    pub async fn save(
        &self,
        asker: &Principal,
        ruleset: &str,
        name: &str,
        setup: &Secret,
    ) -> Result<SavedDeployment, Refused> {
        check_account(asker, "deployments")?;
        let rules = base(ruleset)?;
        if !SavedDeployment::is_name(name) {
            return Err(bad("name"));
        }
        let text = setup.expose();
        if text.len() > TEXT_MAX {
            return Err(bad("too_long"));
        }
        // Store the deployment from Red's side. It is turned around when it is loaded for Blue.
        let deployed =
            Setup::from_text(text, Side::Red, rules).and_then(|setup| setup.deploy(Side::Red, rules));
        let text = deployed.map_err(|error| bad_setup(&error))?.into_text();
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let own = DEPLOYMENTS.under([&asker.player.id, &rules.id])?;
        let kept = self.store.scan(own, None, PER_RULESET_MAX).await?;
        let key = DEPLOYMENTS.key([&asker.player.id, &rules.id, &name])?;
        if kept.len() >= PER_RULESET_MAX && kept.iter().all(|(other, _)| *other != key) {
            return Err(Refusal::new(Code::TOO_MANY)
                .because("deployments")
                .with("count", PER_RULESET_MAX)
                .into());
        }
        let value = text.clone().into_bytes();
        write(&*self.store, vec![Write::Put { key, value, expires: None }]).await?;
        Ok(SavedDeployment { ruleset: rules.id.to_owned(), name: name.to_owned(), setup: Secret::new(text) })
    }

    pub async fn remove(&self, asker: &Principal, ruleset: &str, name: &str) -> Result<(), Refused> {
        if !SavedDeployment::is_name(name) {
            return Err(not_found());
        }
        let key = DEPLOYMENTS.key([&asker.player.id, &base(ruleset)?.id, &name])?;
        self.store.get(key.clone()).await?.ok_or_else(not_found)?;
        Ok(delete(&*self.store, vec![key]).await?)
    }

    /// Deletes the deployments of a deleted player. After an error, some may still exist.
    pub async fn forget(&self, player: &str) -> Result<(), StoreError> {
        delete_all(&*self.store, DEPLOYMENTS.under([&player])?).await
    }
}

/// Returns the ruleset with this id. Refuses custom rulesets: their changes do not affect the army,
/// so deployments are saved for the base.
fn base(ruleset: &str) -> Result<&'static Ruleset, Refused> {
    let found = Ruleset::all().iter().copied().find(|known| known.id == ruleset);
    found.ok_or_else(|| Refusal::new(Code::NO_SUCH_RULESET).because("saved").into())
}

fn bad(reason: &str) -> Refused {
    Refusal::new(Code::BAD_DEPLOYMENT).because(reason).into()
}

/// Returns the refusal of a deployment that is not valid. The refusal is allowed to name the
/// wrong piece, because only the owner of the deployment sees it.
fn bad_setup(error: &SetupRefusal) -> Refused {
    let Refusal { code, args } = Refusal::from(error);
    let refused = Refusal { code: Code::new(Code::BAD_DEPLOYMENT), args };
    refused.because("setup").with("problem", code.as_str()).into()
}

fn not_found() -> Refused {
    Refusal::new(Code::NO_SUCH_DEPLOYMENT).into()
}
