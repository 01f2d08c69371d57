//! Removes what is left of a deleted account, right after its deletion, and again after a crash
//! until nothing is left.

use flagfall_protocol::Player;
use flagfall_store::{StoreError, Update, Write};

use crate::blocks;
use crate::conduct;
use crate::players::leaving_key;
use crate::server::App;
use flagfall_base::keys::LEAVING;

/// Most deleted accounts handled in one round.
const LEAVING_MAX: usize = 512;

/// Removes what is left of a player whose account is deleted.
///
/// # Errors
/// [`StoreError`]: [`finish_all`] finds what is left.
pub(crate) async fn finish(app: &App, player: &Player) -> Result<(), StoreError> {
    app.lobby.forget(player).await;
    app.ratings.forget(player).await?;
    app.histories.forget(player).await?;
    app.deployments.forget(&player.id).await?;
    app.notices.forget(&player.id).await?;
    for prefix in [blocks::blocks_of(&player.id)?, conduct::marks_of(&player.id)?] {
        let found = app.store.scan(prefix, None, LEAVING_MAX).await?;
        for keys in found.chunks(32) {
            let writes = keys.iter().map(|(key, _)| Write::Delete { key: key.clone() }).collect();
            app.store.update(Update { conditions: Vec::new(), writes }).await?;
        }
    }
    let writes = vec![Write::Delete { key: leaving_key(&player.id)? }];
    app.store.update(Update { conditions: Vec::new(), writes }).await?;
    Ok(())
}

/// Finishes the deletions that were interrupted by a crash.
///
/// # Errors
/// [`StoreError`]: the rest will be found again.
pub(crate) async fn finish_all(app: &App) -> Result<(), StoreError> {
    for (_, value) in app.store.scan(LEAVING.all()?, None, LEAVING_MAX).await? {
        let Ok(player) = serde_json::from_slice::<Player>(&value) else { continue };
        finish(app, &player).await?;
        tracing::info!(player = %player.id, "what was left of a deleted account was removed");
    }
    Ok(())
}
