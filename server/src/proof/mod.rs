//! Signatures of finished games: proof that a record is what the server kept.
//!
//! The append that ends a game also writes a job (`proof_due/GAME`). A server that finds the job
//! signs the game's digest and writes the signature and removes the job in one update, on the
//! condition that the job is still there. So each game is signed once; after a crash another server
//! finds the job. The digest never changes, so a signature outlives new names, archives and the key
//! itself, whose public half stays published.

mod key;

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::GameId;
use flagfall_protocol::{GameRecord, RecordSignature, SigningKeyInfo, SigningKeys};
use flagfall_store::{Expect, Key, Store, StoreError, Update, Write};
use tokio::time::timeout;

pub use self::key::{KEY_FILE, KeyError, KeySource, SigningKey};
use crate::table::{TableError, Tables};
use flagfall_base::keys::{PROOF, PROOF_DUE, SIGNING_KEY};
use flagfall_base::scan::Scan;

/// Jobs read at a time.
const DUES_CHUNK: usize = 256;
/// Time between two looks for jobs of servers that are gone.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Most public keys that are listed.
const KEYS_MAX: usize = 1_000;

/// The signatures in a store. Cheap to clone.
#[derive(Clone)]
pub struct Proofs {
    store: Arc<dyn Store>,
    tables: Tables,
    key: Option<Arc<SigningKey>>,
}

/// The key of a finished game's job, which is written with its end.
pub(crate) fn due_key(game: GameId) -> Option<Key> {
    PROOF_DUE.key([&game]).ok()
}

fn signature_key(game: GameId) -> Result<Key, StoreError> {
    PROOF.key([&game])
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned() }
}

impl Proofs {
    /// The signatures in this store. New ones are made only if there is a key.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, tables: Tables, key: Option<Arc<SigningKey>>) -> Proofs {
        Proofs { store, tables, key }
    }

    /// Publishes this server's public key. Those of earlier keys stay published.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn publish_key(&self) -> Result<(), StoreError> {
        let Some(key) = &self.key else { return Ok(()) };
        let info =
            SigningKeyInfo { id: key.id().to_owned(), public: key.public(), since: self.store.now().0 };
        let at = SIGNING_KEY.key([&key.id()])?;
        let value = serde_json::to_vec(&info).map_err(|_| damaged("a public key cannot be written"))?;
        let conditions = vec![(at.clone(), Expect::Absent)];
        let writes = vec![Write::Put { key: at, value, expires: None }];
        // A conflict means that it is published already.
        self.store.update(Update { conditions, writes }).await.map(|_| ())
    }

    /// All published public keys.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn keys(&self) -> Result<SigningKeys, StoreError> {
        let stored = self.store.scan(SIGNING_KEY.all()?, None, KEYS_MAX).await?;
        let read = |(_, value): &(Key, Vec<u8>)| serde_json::from_slice::<SigningKeyInfo>(value);
        let keys = stored.iter().map(read).collect::<Result<Vec<_>, _>>();
        Ok(SigningKeys { keys: keys.map_err(|_| damaged("a public key cannot be read"))? })
    }

    /// Carries out jobs until the future is dropped: at once when a game of this server ends, and
    /// every few seconds.
    pub async fn run(&self) {
        if self.key.is_none() {
            return std::future::pending().await;
        }
        loop {
            if let Err(error) = self.settle_all().await {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "cannot look for games to sign; will try again",
                );
            }
            // Look in either case, notified or not.
            let _is_told = timeout(LOOK_EVERY, self.tables.provable().notified()).await;
        }
    }

    /// Carries out all jobs.
    ///
    /// # Errors
    /// [`StoreError`]: the rest will be found again.
    pub async fn settle_all(&self) -> Result<(), StoreError> {
        let prefix = PROOF_DUE.all()?;
        let mut scan = Scan::new(self.store.as_ref(), prefix.clone(), DUES_CHUNK);
        while let Some(due) = scan.next().await? {
            for (key, _) in &due {
                let Some(game) = PROOF_DUE.game(key) else { continue };
                if let Err(error) = self.settle(game).await {
                    tracing::warn!(%game, %error, "a game could not be signed; will try again");
                }
            }
        }
        Ok(())
    }

    /// Signs a game if its job is there.
    async fn settle(&self, game: GameId) -> Result<(), StoreError> {
        let Some(key) = &self.key else { return Ok(()) };
        let due = due_key(game).ok_or_else(|| damaged("impossible key"))?;
        let Some(value) = self.store.get(due.clone()).await? else { return Ok(()) };
        let record = match self.tables.public_record(game).await {
            Ok(record) => record,
            Err(error @ TableError::Unavailable) => {
                return Err(StoreError::Unavailable { why: error.to_string() });
            }
            Err(TableError::NotFound | TableError::Quarantined) => {
                return Err(damaged("the log of a game that is over cannot be read"));
            }
        };
        let not_over = || StoreError::Unavailable { why: "the game is not over".to_owned() };
        let digest = record.digest().ok_or_else(not_over)?;
        let signature = key.sign(digest).ok_or_else(|| damaged("a game cannot be signed"))?;
        let signature =
            serde_json::to_vec(&signature).map_err(|_| damaged("a signature cannot be written"))?;
        let writes = vec![
            Write::Put { key: signature_key(game)?, value: signature, expires: None },
            Write::Delete { key: due.clone() },
        ];
        // Conflict: another server has signed it. Unknown: the next look finds out.
        self.store.update(Update { conditions: vec![(due, Expect::Value(value))], writes }).await.map(|_| ())
    }

    /// Adds the signature to the record of a finished game, if there is one or its job is there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn sign(&self, record: &mut GameRecord) -> Result<(), StoreError> {
        if record.outcome.is_none() {
            return Ok(());
        }
        let at = signature_key(record.game)?;
        let mut value = self.store.get(at.clone()).await?;
        if value.is_none() && self.key.is_some() {
            // The game may have ended a moment ago.
            self.settle(record.game).await?;
            value = self.store.get(at).await?;
        }
        let read = |value: Vec<u8>| serde_json::from_slice::<RecordSignature>(&value);
        record.signature = value.map(read).transpose().map_err(|_| damaged("a signature cannot be read"))?;
        Ok(())
    }
}
