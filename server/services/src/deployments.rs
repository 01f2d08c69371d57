//! Deployments that accounts keep, under `deployments/PLAYER/RULESET/NAME`. They are secrets of
//! their owners, because they show opponents what to expect: they are only sent to their owner, and
//! never logged.

use std::sync::Arc;

use flagfall_board::Side;
use flagfall_protocol::{Code, PlayerKind, SavedDeployment, SavedDeployments, Secret};
use flagfall_rules::{Ruleset, Setup};
use flagfall_store::{Store, StoreError, Update, UpdateOutcome, Write};

use flagfall_base::identity::Identity;
use flagfall_base::keys::DEPLOYMENTS;
use flagfall_base::transact::delete_all;

/// Most deployments of one ruleset that a player may keep.
pub const PER_RULESET_MAX: usize = 50;
/// Most deployments that a player may keep.
const ALL_MAX: usize = 1_000;
/// Longest text that is parsed, in bytes, including blanks.
const TEXT_MAX: usize = 1_000;

/// The deployments in a store. Cheap to clone.
#[derive(Clone)]
pub struct Deployments {
    store: Arc<dyn Store>,
}

/// Why a deployment was not stored or not found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeploymentError {
    /// Guests keep deployments on their own machine.
    #[error("only accounts can keep deployments on the server: sign up first")]
    AccountExpected,
    /// There is no such ruleset.
    #[error(
        "there is no such ruleset; GET /api/rulesets lists them. Deployments of custom games are kept under their base"
    )]
    NoSuchRuleset,
    /// The name is not allowed.
    #[error("a name has 1 to 30 letters, digits, - and _, and is not random or suggested")]
    BadName,
    /// The deployment is not valid. The message names the wrong piece, since only the owner sees
    /// it.
    #[error("not saved: {0}")]
    BadSetup(#[from] flagfall_rules::SetupRefusal),
    /// The text is too long.
    #[error("not saved: the text is longer than any deployment")]
    TooLong,
    /// The list is full.
    #[error("you keep {PER_RULESET_MAX} deployments of this ruleset already: remove one first")]
    TooMany,
    /// There is no deployment of this name.
    #[error("no deployment of this name is kept for this ruleset")]
    NotFound,
    /// The store does not answer.
    #[error("the store cannot be reached now; try again in a moment")]
    Store,
}

impl DeploymentError {
    /// The code of messages.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            DeploymentError::AccountExpected => Code::ACCOUNT_EXPECTED,
            DeploymentError::NoSuchRuleset => Code::NO_SUCH_RULESET,
            DeploymentError::BadName | DeploymentError::BadSetup(_) | DeploymentError::TooLong => {
                Code::BAD_DEPLOYMENT
            }
            DeploymentError::TooMany => Code::TOO_MANY,
            DeploymentError::NotFound => Code::NO_SUCH_DEPLOYMENT,
            DeploymentError::Store => Code::STORE_UNAVAILABLE,
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
    /// The deployments in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Deployments {
        Deployments { store }
    }

    /// The asker's deployments, ordered by ruleset and name.
    ///
    /// # Errors
    /// [`DeploymentError::Store`].
    pub async fn list(&self, asker: &Identity) -> Result<SavedDeployments, DeploymentError> {
        let prefix = DEPLOYMENTS.under([&asker.player.id])?;
        let mut deployments = Vec::new();
        for (key, value) in self.store.scan(prefix.clone(), None, ALL_MAX).await? {
            let place = key.as_bytes().strip_prefix(prefix.as_bytes()).map(std::str::from_utf8);
            let (Some(Ok(place)), Ok(setup)) = (place, String::from_utf8(value)) else { continue };
            let Some((ruleset, name)) = place.split_once('/') else { continue };
            let (ruleset, name) = (ruleset.to_owned(), name.to_owned());
            deployments.push(SavedDeployment { ruleset, name, setup: Secret::new(setup) });
        }
        Ok(SavedDeployments { deployments })
    }

    /// Stores a deployment, replacing one of the same name.
    ///
    /// # Errors
    /// [`DeploymentError`]; nothing has changed.
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
        self.write(Write::Put { key, value: text.clone().into_bytes(), expires: None }).await?;
        Ok(SavedDeployment { ruleset: rules.id.to_owned(), name: name.to_owned(), setup: Secret::new(text) })
    }

    /// Deletes a deployment.
    ///
    /// # Errors
    /// [`DeploymentError::NotFound`], [`DeploymentError::Store`].
    pub async fn remove(&self, asker: &Identity, ruleset: &str, name: &str) -> Result<(), DeploymentError> {
        if !SavedDeployment::is_name(name) {
            return Err(DeploymentError::NotFound);
        }
        let key = DEPLOYMENTS.key([&asker.player.id, &base(ruleset)?.id, &name])?;
        self.store.get(key.clone()).await?.ok_or(DeploymentError::NotFound)?;
        self.write(Write::Delete { key }).await
    }

    /// Deletes the deployments of a deleted player.
    ///
    /// # Errors
    /// [`StoreError`]: some may remain.
    pub async fn forget(&self, player: &str) -> Result<(), StoreError> {
        delete_all(&*self.store, DEPLOYMENTS.under([&player])?).await
    }

    async fn write(&self, write: Write) -> Result<(), DeploymentError> {
        match self.store.update(Update { conditions: Vec::new(), writes: vec![write] }).await? {
            UpdateOutcome::Ok | UpdateOutcome::Conflict => Ok(()),
            UpdateOutcome::Unknown => Err(DeploymentError::Store),
        }
    }
}

/// The ruleset without changes, since changes do not affect the army.
fn base(ruleset: &str) -> Result<&'static Ruleset, DeploymentError> {
    Ruleset::all().iter().copied().find(|known| known.id == ruleset).ok_or(DeploymentError::NoSuchRuleset)
}
