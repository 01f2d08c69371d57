//! Updates the lists with the progress of a game in memory, and with the players who are away
//! from it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use flagfall_protocol::GameSummary;
use flagfall_store::{Expect, StoreError, Update, UpdateOutcome, Write};

use super::facts::Facts;
use super::listing::Listing;
use super::public_list::{line_key, progress_of};
use flagfall_base::keys::LIVE;

/// A guard: until it is dropped, the game's line counts as being written.
struct Writing(Arc<Facts>);

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.is_writing.store(false, Ordering::Relaxed);
    }
}

/// Updates the lists for a game in the background, if they are out of date.
pub(super) fn write_line_soon(facts: &Arc<Facts>) {
    if !facts.has_news_for_lists() || facts.is_writing.swap(true, Ordering::Relaxed) {
        return;
    }
    let writing = Writing(facts.clone());
    tokio::spawn(async move {
        if let Err(error) = write_line(&writing.0).await {
            let game = writing.0.id;
            tracing::debug!(%game, %error, "could not update the list of public games; the game stays in memory until then");
        }
    });
}

/// Writes which players are away from a game, and its progress, unless the lists already show
/// this. Writes nothing if the game is not on the list of running games.
pub(super) async fn write_line(facts: &Facts) -> Result<(), StoreError> {
    let (game, store) = (facts.id, &*facts.store);
    let live = LIVE.key([&game])?;
    let (summary, absence) = (facts.summary(), facts.lists.lock().absence);
    let progress = progress_of(summary.phase, summary.ply);
    let mut update = Update::default();
    if let Some(listed) = store.get(live.clone()).await? {
        update.conditions.push((live, Expect::Value(listed.clone())));
        let listing = Listing::read(&listed).filter(|listing| !listing.absence.is_like(&absence));
        let replaced = listing.and_then(|listing| (Listing { absence, ..listing }).replace(game, listed));
        update.writes.extend(replaced.into_iter().flat_map(|replaced| replaced.writes));
        if let Some(key) = line_key(game, &facts.header, facts.created) {
            let before = store.get(key.clone()).await?;
            let known = before.as_deref().and_then(|line| serde_json::from_slice::<GameSummary>(line).ok());
            if known.is_none_or(|known| progress_of(known.phase, known.ply) < progress) {
                let value = serde_json::to_vec(&summary).unwrap_or_default();
                update.conditions.push((key.clone(), before.map_or(Expect::Absent, Expect::Value)));
                update.writes.push(Write::Put { key, value, expires: None });
            }
        }
    }
    // A conflict means that another server has written the line, that the game's due time has
    // changed, or that the game is over. The caller tries again later.
    if update.writes.is_empty() || store.update(update).await? == UpdateOutcome::Ok {
        facts.lists.lock().note_written(absence, progress);
    }
    Ok(())
}
