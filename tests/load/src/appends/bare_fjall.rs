//! The embedded store's database, driven directly.

use std::path::Path;
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::round::{BODY_BYTES, GAMES, Round, game, us_since};

/// Writes the rows of an append: an entry, a head, and the number of the commit.
pub(super) struct BareFjall {
    db: Database,
    meta: Keyspace,
    logs: Keyspace,
    heads: Keyspace,
    seqs: Vec<u64>,
    commit: u64,
}

impl BareFjall {
    pub(super) fn open(folder: &Path) -> fjall::Result<BareFjall> {
        let db = Database::builder(folder).open()?;
        let keyspace = |name| db.keyspace(name, KeyspaceCreateOptions::default);
        let (meta, logs, heads) = (keyspace("meta")?, keyspace("logs")?, keyspace("heads")?);
        Ok(BareFjall { db, meta, logs, heads, seqs: vec![0; GAMES as usize], commit: 0 })
    }

    pub(super) fn round(&mut self, batch_size: u32, lasting: Duration) -> fjall::Result<Round> {
        let begun = Instant::now();
        let (mut appends, mut next, mut latencies) = (0, 0, Vec::new());
        while begun.elapsed() < lasting {
            let asked = Instant::now();
            let mut batch = self.db.batch().durability(Some(PersistMode::SyncData));
            for _ in 0..batch_size {
                let number = next % GAMES;
                next += 1;
                let seq = &mut self.seqs[number as usize];
                *seq += 1;
                let game = game(number);
                let key = [game.as_str().as_bytes(), &seq.to_be_bytes()].concat();
                batch.insert(&self.logs, key, vec![7; BODY_BYTES + 40]);
                batch.insert(&self.heads, game.as_str(), [7; 40]);
            }
            self.commit += 1;
            batch.insert(&self.meta, "commit", [self.commit.to_le_bytes(); 2].concat());
            batch.commit()?;
            latencies.push(us_since(asked));
            appends += u64::from(batch_size);
        }
        Ok(Round::new(appends, begun, latencies))
    }
}
