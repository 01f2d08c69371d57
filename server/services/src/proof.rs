//! Signatures of finished games. A signature proves that a record matches the game as the server
//! stored it.
//!
//! The append that ends a game also writes a job (`proof_due/GAME`). A server that finds the job
//! signs the game's digest. One update writes the signature and removes the job, on the condition
//! that the job still exists. So each game is signed once, and after a crash another server finds
//! the job. Renaming players or archiving the game does not change the digest, so the signature
//! stays valid. The signature also stays valid after the key is replaced, because all public keys
//! stay published.

mod key;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flagfall_archive::{Log, archived_signature};
use flagfall_protocol::{GameRecord, SigningKeyInfo, SigningKeys, signed_message};
use flagfall_rules::Viewer;
use flagfall_store::{Store, StoreError};
use ring::signature::{ED25519, UnparsedPublicKey};

pub use self::key::{DAMAGED_KEY_FILE, KEY_FILE, KeyError, SigningKey};
use crate::records::{damaged, parse, put};
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::{PROOF, PROOF_DUE, SIGNING_KEY};
use flagfall_base::transact::{Transaction, write_if};
use flagfall_game::{Tables, recorder};

const KEYS_MAX: usize = 1_000;

#[derive(Clone)]
pub struct Proofs {
    store: Arc<dyn Store>,
    tables: Tables,
    pub(crate) key: Option<Arc<SigningKey>>,
    is_published: Arc<AtomicBool>,
}

impl Proofs {
    /// Returns access to the signatures in this store. New signatures can be made only if there
    /// is a key.
    pub fn new(store: Arc<dyn Store>, tables: Tables, key: Option<Arc<SigningKey>>) -> Proofs {
        Proofs { store, tables, key, is_published: Arc::default() }
    }

    /// Publishes the public key of this server. Public keys that were published before stay
    /// published.
    pub async fn publish_key(&self) -> Result<(), StoreError> {
        let Some(key) = self.key.as_ref().filter(|_| !self.is_published.load(Ordering::Relaxed)) else {
            return Ok(());
        };
        let info = SigningKeyInfo { id: key.id.clone(), public: key.public, since: self.store.now().0 };
        let at = SIGNING_KEY.key([&key.id])?;
        let publish = put(at.clone(), &info, None)?;
        // If this key's record exists, the key has already been published.
        write_if(&*self.store, at, None, vec![publish]).await?;
        self.is_published.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub async fn keys(&self) -> Result<SigningKeys, StoreError> {
        signing_keys(&*self.store).await
    }

    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let Some(key) = &self.key else { return Err(JobError::NotNow) };
        self.publish_key().await?;
        let game = job.subject()?;
        let record = self.tables.public_record(game).await?;
        let digest = record.digest().ok_or_else(|| damaged("the game is not over"))?;
        let signature = key.sign(digest).ok_or_else(|| damaged("a game cannot be signed"))?;
        let mut transaction = Transaction::new(&*self.store, "the signature of this game");
        loop {
            let mut update = job.finish();
            update.writes.push(put(PROOF.key([&game])?, &signature, None)?);
            if transaction.commit(update).await? || !job.is_held().await? {
                return Ok(());
            }
        }
    }

    /// Adds the signature to the record of a finished game, if the game has one. If the game is
    /// not signed yet but its job exists, does the job first.
    pub async fn sign(&self, record: &mut GameRecord) -> Result<(), StoreError> {
        if record.outcome.is_none() {
            return Ok(());
        }
        let at = PROOF.key([&record.game])?;
        let mut value = self.store.get(at.clone()).await?;
        if value.is_none() && self.key.is_some() {
            // The game may have just ended. In that case, do its job now.
            let due = PROOF_DUE.key([&record.game])?;
            if let Some(job) = Claimed::now(&self.store, due).await? {
                self.do_job(&job).await?;
                value = self.store.get(at).await?;
            }
        }
        record.signature = match value {
            Some(value) => Some(parse(&value, "a signature")?),
            // The signature of an archived game is in the archive.
            None => archived_signature(&*self.store, record.game).await?,
        };
        Ok(())
    }
}

/// Returns all public keys that servers on this store have published.
pub async fn signing_keys(store: &dyn Store) -> Result<SigningKeys, StoreError> {
    let stored = store.scan(SIGNING_KEY.all()?, None, KEYS_MAX).await?;
    let keys = stored.iter().map(|(_, value)| parse(value, "a public key"));
    Ok(SigningKeys { keys: keys.collect::<Result<_, _>>()? })
}

/// Checks the signature of an archived game, if it has one. The text of the error says what is
/// wrong.
pub fn check_signature(keys: &SigningKeys, log: &Log) -> Result<(), String> {
    let Some(signature) = &log.signature else { return Ok(()) };
    let Some(key) = keys.keys.iter().find(|key| key.id == signature.key) else {
        return Err(format!(
            "a game is signed with the key {}, which the store does not have",
            signature.key
        ));
    };
    let digest = recorder(log.game, &log.entries).ok().and_then(|(header, recorder)| {
        recorder.record(Viewer::Public, header.terms, header.players).digest()
    });
    let is_valid = digest.is_some_and(|digest| {
        let key = UnparsedPublicKey::new(&ED25519, key.public.0);
        key.verify(&signed_message(digest), &signature.value.0).is_ok()
    });
    if is_valid { Ok(()) } else { Err("the signature of a game does not match the game".to_owned()) }
}
