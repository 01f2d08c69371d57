//! Rebuilds the list of running games from their logs.

use flagfall_board::GameId;
use flagfall_store::{Expect, Key, ReadError, Store, StoreError, Update, UpdateOutcome, Write};

use super::listing::index_keys;
use super::replay;
use super::search::read_all;
use flagfall_base::keys::LISTS_WHOLE;

/// Adds the running games among `games` to the list of running games, and returns how many were
/// missing there. Use this after the store has lost records. Games with a damaged log are left out;
/// the damage is reported when such a game is opened.
pub async fn relist(store: &dyn Store, games: &[GameId]) -> Result<usize, StoreError> {
    let mut listed = 0;
    // Without this record, the next server that starts completes the other lists, so delete it.
    let writes = vec![Write::Delete { key: LISTS_WHOLE.key([])? }];
    store.update(Update { conditions: Vec::new(), writes }).await?;
    for game in games {
        let stored = match read_all(store, *game, 0).await {
            Ok(stored) => stored,
            Err(ReadError::Damaged { .. }) => continue,
            Err(error @ ReadError::Unavailable { .. }) => return Err(error.into()),
        };
        // Leave out a game that cannot be replayed. The error is reported when the game is opened.
        let Ok((header, state, _)) = replay::replay(*game, &stored, |_, _| {}) else { continue };
        if state.outcome().is_none() {
            let mut is_missing = false;
            for key in index_keys(*game, &header) {
                is_missing |= put_if_absent(store, key).await?;
            }
            listed += usize::from(is_missing);
        }
    }
    Ok(listed)
}

/// Writes an empty record if there is none. Returns true if the record was missing.
async fn put_if_absent(store: &dyn Store, key: Key) -> Result<bool, StoreError> {
    let update = Update {
        conditions: vec![(key.clone(), Expect::Absent)],
        writes: vec![Write::Put { key, value: Vec::new(), expires: None }],
    };
    match store.update(update).await? {
        UpdateOutcome::Ok => Ok(true),
        UpdateOutcome::Conflict => Ok(false),
        UpdateOutcome::Unknown => {
            Err(StoreError::Unavailable { why: "the list of games could not be written".to_owned() })
        }
    }
}
