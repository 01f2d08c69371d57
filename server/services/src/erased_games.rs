//! Finished games that an operator erases.
//!
//! The update that logs the operator's action also marks the game as erased and writes a job
//! (`erasing/GAME`). The command then does the job immediately. If the command is interrupted,
//! any server does the job later. The game is deleted from the store and from the archive. The
//! histories of its players keep its result, and say that it was erased. Ratings do not change.

use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::{
    DEAD_JOBS, ENDED, ERASED, ERASED_LATELY, ERASING, GUEST_ENDED, PLAYED_DUE, RATING_DUE, time16,
};
use flagfall_base::scan::Scan;
use flagfall_base::transact::delete;
use flagfall_board::GameId;
use flagfall_game::{Finished, TableError, Tables, finished};
use flagfall_store::{Expect, Key, Store, StoreError, Update, UpdateOutcome, Write};
use thiserror::Error;

use crate::histories;
use crate::prune::records_of_game;
use crate::records::mark;

/// The time for which an erasure is announced, in milliseconds. During this time, all servers
/// drop the game from memory.
const TOLD_MS: u64 = 5 * 60 * 1_000;

/// Why a game cannot be erased.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EraseError {
    #[error("there is no game with this id")]
    NoSuchGame,
    #[error("this game is not over: only finished games can be erased")]
    Running,
    #[error(
        "the ratings or histories of this game are not written yet: try again when a server has done this, a few seconds after the game"
    )]
    Due,
    #[error("this game cannot be read, so its traces cannot be found: {0}")]
    Unreadable(TableError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub(crate) async fn is_erased(store: &dyn Store, game: GameId) -> Result<bool, StoreError> {
    Ok(store.get(ERASED.key([&game])?).await?.is_some())
}

/// Erases a game, and writes `note` when the erasure begins. Returns false if an earlier call had
/// begun the erasure. In that case, completes it if necessary.
pub(crate) async fn erase(store: &dyn Store, game: GameId, note: Write) -> Result<bool, EraseError> {
    let is_new = begin(store, game, note).await?;
    remove(store, game).await?;
    delete(store, vec![ERASING.key([&game])?]).await?;
    Ok(is_new)
}

async fn begin(store: &dyn Store, game: GameId, note: Write) -> Result<bool, EraseError> {
    if is_erased(store, game).await? {
        return Ok(false);
    }
    match finished(store, game).await {
        Ok(Some(_)) => {}
        Ok(None) => return Err(EraseError::Running),
        Err(TableError::NotFound) => return Err(EraseError::NoSuchGame),
        Err(error @ (TableError::Unavailable | TableError::Failed)) => return Err(unavailable(&error).into()),
        Err(error @ (TableError::Quarantined | TableError::TooNew)) => {
            return Err(EraseError::Unreadable(error));
        }
    }
    for kind in [&RATING_DUE, &PLAYED_DUE] {
        if store.get(kind.key([&game])?).await?.is_some() {
            return Err(EraseError::Due);
        }
    }
    let (erased, job) = (ERASED.key([&game])?, ERASING.key([&game])?);
    let told = mark(ERASED_LATELY.key([&game])?, Some(store.now().plus_ms(TOLD_MS)));
    let job = Write::Put { key: job, value: b"{}".to_vec(), expires: None };
    let writes = vec![mark(erased.clone(), None), job, told, note];
    match store.update(Update { conditions: vec![(erased, Expect::Absent)], writes }).await? {
        UpdateOutcome::Ok => Ok(true),
        UpdateOutcome::Conflict => Ok(false),
        UpdateOutcome::Unknown => {
            let why = "it did not confirm the erasure; repeat the command".to_owned();
            Err(StoreError::Unavailable { why }.into())
        }
    }
}

fn unavailable(error: &TableError) -> StoreError {
    StoreError::Unavailable { why: error.to_string() }
}

/// Removes an erased game. The log is deleted last, so that an interrupted removal can be
/// repeated.
async fn remove(store: &dyn Store, game: GameId) -> Result<(), StoreError> {
    let Finished { ended, .. } = match finished(store, game).await {
        Ok(Some(over)) => {
            histories::mark_erased(store, game, &over).await?;
            delete(store, records_of_game(store, game, &over).await?).await?;
            over
        }
        Ok(None) | Err(TableError::NotFound) => return Ok(()),
        Err(error) => return Err(unavailable(&error)),
    };
    let mut keys = vec![ENDED.key([&time16(ended), &game])?, GUEST_ENDED.key([&time16(ended), &game])?];
    for kind in [&RATING_DUE, &PLAYED_DUE] {
        keys.push(DEAD_JOBS.key([&kind.name, &game])?);
    }
    delete(store, keys).await?;
    store.delete_log(game).await
}

/// Does the job of an interrupted erasure.
pub(crate) async fn do_job(store: &dyn Store, job: &Claimed) -> Result<(), JobError> {
    remove(store, job.subject()?).await?;
    store.update(job.finish()).await?;
    Ok(())
}

/// Drops recently erased games from this server's memory. Returns the keys of their records.
pub async fn forget_erased(store: &dyn Store, tables: &Tables) -> Result<Vec<Key>, StoreError> {
    let erased = Scan::all_reachable(store, ERASED_LATELY.all()?).await?.records;
    for game in erased.iter().filter_map(|(key, _)| ERASED_LATELY.game(key)) {
        tables.forget_erased(game);
    }
    Ok(erased.into_iter().map(|(key, _)| key).collect())
}
