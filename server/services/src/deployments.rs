//! Deployments that accounts keep, under `deployments/PLAYER/RULESET/NAME`. They are secrets of
//! their owners, because they show opponents what to expect: they are only sent to their owner, and
//! never logged.

use std::sync::Arc;

use flagfall_base::refusals;
use flagfall_board::Side;
use flagfall_protocol::{Code, PlayerKind, Refusal, SavedDeployment, SavedDeployments, Secret};
use flagfall_rules::{Ruleset, Setup};
use flagfall_store::{Store, StoreError, Write};

use flagfall_base::identity::Identity;
use flagfall_base::keys::{DEPLOYMENTS, last_part};
use flagfall_base::transact::{delete, delete_all, write};

pub const PER_RULESET_MAX: usize = 50;
const ALL_MAX: usize = 1_000;
/// Longest text that is parsed, in bytes, including blanks.
const TEXT_MAX: usize = 1_000;

#[derive(Clone)]
pub struct Deployments {
    store: Arc<dyn Store>,
}

/// Why a deployment was not stored or not found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", Refusal::from(self))]
pub enum DeploymentError {
    /// Guests keep deployments on their own machine.
    AccountExpected,
    NoSuchRuleset,
    BadName,
    /// The deployment is not valid. The message names the wrong piece, since only the owner sees
    /// it.
    BadSetup(#[from] flagfall_rules::SetupRefusal),
    TooLong,
    TooMany,
    NotFound,
    Store,
}

impl From<&DeploymentError> for Refusal {
    fn from(error: &DeploymentError) -> Refusal {
        let bad = |reason| Refusal::new(Code::BAD_DEPLOYMENT).because(reason);
        match error {
            DeploymentError::AccountExpected => Refusal::new(Code::ACCOUNT_EXPECTED).because("deployments"),
            DeploymentError::NoSuchRuleset => Refusal::new(Code::NO_SUCH_RULESET).because("saved"),
            DeploymentError::BadName => bad("name"),
            DeploymentError::BadSetup(setup) => {
                let Refusal { code, args } = Refusal::from(setup);
                let refused = Refusal { code: Code::new(Code::BAD_DEPLOYMENT), args };
                refused.because("setup").with("problem", code.as_str())
            }
            DeploymentError::TooLong => bad("too_long"),
            DeploymentError::TooMany => {
                Refusal::new(Code::TOO_MANY).because("deployments").with("count", PER_RULESET_MAX)
            }
            DeploymentError::NotFound => Refusal::new(Code::NO_SUCH_DEPLOYMENT),
            DeploymentError::Store => refusals::store_away(),
        }
    }
}

impl From<StoreError> for DeploymentError {
    fn from(error: StoreError) -> DeploymentError {
        flagfall_base::store_errors::note_refusal(&error, "the store refused a request about deployments");
        DeploymentError::Store
    }
}

impl Deployments {
    pub fn new(store: Arc<dyn Store>) -> Deployments {
        Deployments { store }
    }

    /// The asker's deployments, ordered by ruleset and name.
    pub async fn list(&self, asker: &Identity) -> Result<SavedDeployments, DeploymentError> {
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

    /// Stores a deployment, replacing one of the same name. After an error nothing has changed.
    pub async fn save(
        &self,
        asker: &Identity,
        ruleset: &str,
        name: &str,
        setup: &Secret,
    ) -> Result<SavedDeployment, DeploymentError> {
        if asker.player.kind == PlayerKind::Guest {
            return Err(DeploymentError::AccountExpected);
        }
        let rules = base(ruleset)?;
        if !SavedDeployment::is_name(name) {
            return Err(DeploymentError::BadName);
        }
        let text = setup.expose();
        if text.len() > TEXT_MAX {
            return Err(DeploymentError::TooLong);
        }
        // Stored as Red's; it is turned when loaded for Blue.
        let text = Setup::from_text(text, Side::Red, rules)?.deploy(Side::Red, rules)?.into_text();
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let own = DEPLOYMENTS.under([&asker.player.id, &rules.id])?;
        let kept = self.store.scan(own, None, PER_RULESET_MAX).await?;
        let key = DEPLOYMENTS.key([&asker.player.id, &rules.id, &name])?;
        if kept.len() >= PER_RULESET_MAX && kept.iter().all(|(other, _)| *other != key) {
            return Err(DeploymentError::TooMany);
        }
        let value = text.clone().into_bytes();
        write(&*self.store, vec![Write::Put { key, value, expires: None }]).await?;
        Ok(SavedDeployment { ruleset: rules.id.to_owned(), name: name.to_owned(), setup: Secret::new(text) })
    }

    pub async fn remove(&self, asker: &Identity, ruleset: &str, name: &str) -> Result<(), DeploymentError> {
        if !SavedDeployment::is_name(name) {
            return Err(DeploymentError::NotFound);
        }
        let key = DEPLOYMENTS.key([&asker.player.id, &base(ruleset)?.id, &name])?;
        self.store.get(key.clone()).await?.ok_or(DeploymentError::NotFound)?;
        Ok(delete(&*self.store, vec![key]).await?)
    }

    /// Deletes the deployments of a deleted player. After an error some may remain.
    pub async fn forget(&self, player: &str) -> Result<(), StoreError> {
        delete_all(&*self.store, DEPLOYMENTS.under([&player])?).await
    }
}

/// The ruleset without changes, since changes do not affect the army.
fn base(ruleset: &str) -> Result<&'static Ruleset, DeploymentError> {
    Ruleset::all().iter().copied().find(|known| known.id == ruleset).ok_or(DeploymentError::NoSuchRuleset)
}
