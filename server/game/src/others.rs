//! Reacts to what other servers do with games.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{Phase, PlayerKind, ServerToClient};
use flagfall_store::{Announcement, StoreError};
use futures_util::StreamExt as _;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, Semaphore};

use super::handle::{Message, TableHandle};
use super::listing::NEWS_MS;
use super::registry::Tables;
use flagfall_base::delivery::Payload;
use flagfall_base::keys::NEWS;
use flagfall_base::scan::Scan;

/// The number of new games from other servers that are opened at once.
const ADOPT_AT_ONCE: usize = 16;
/// The number of a log's first entry.
const FIRST: u64 = 1;
/// The number of heads that are compared at once. The limit leaves the store time for other work.
const AUDIT_AT_ONCE: usize = 16;
/// If an audit fails because of the store, it is tried again after this delay.
const AUDIT_AGAIN: Duration = Duration::from_secs(1);

impl Tables {
    /// Follows what other servers append, until the future is dropped. Waits forever if no other
    /// server can append.
    ///
    /// If a server of version 0.1 creates a game, this server opens the game briefly, to notify its
    /// players if they are connected here. Later versions notify the players themselves.
    pub async fn follow(&self) {
        let Some(mut announcements) = self.store().announcements() else {
            return std::future::pending().await;
        };
        let room = Arc::new(Semaphore::new(ADOPT_AT_ONCE));
        // Audits take place beside the announcements, so that moves on other servers are shown
        // meanwhile. What arrives during an audit asks for one more.
        let audit_due = Notify::new();
        // Catch up with appends that were made before this subscription.
        audit_due.notify_one();
        let audits = async {
            loop {
                audit_due.notified().await;
                self.audit_until_done(&room).await;
            }
        };
        let hearing = async {
            loop {
                match announcements.recv().await {
                    Ok(Announcement::Appended { game, seq }) => self.heard(game, seq, &room).await,
                    Ok(Announcement::Everything) | Err(RecvError::Lagged(_)) => audit_due.notify_one(),
                    Err(RecvError::Closed) => return std::future::pending().await,
                }
            }
        };
        tokio::join!(audits, hearing);
    }

    async fn heard(&self, game: GameId, seq: u64, room: &Arc<Semaphore>) {
        if self.residents().hear(game, seq) {
            return;
        }
        // A game at rest needs no update, because its log is read when the game is next opened.
        let is_new = seq == FIRST && !self.residents().is_making(game);
        // Versions after 0.1 notify the players of a new game themselves.
        if is_new && !self.peers().others_tell_starts() {
            self.adopt(game, seq, room).await;
        }
    }

    async fn adopt(&self, game: GameId, seq: u64, room: &Arc<Semaphore>) {
        // The semaphore is never closed.
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let tables = self.clone();
        tokio::spawn(async move {
            match tables.find(game).await {
                Ok(handle) => {
                    handle.hear(seq);
                    tables.tell_players(&handle);
                }
                Err(error) => tracing::debug!(%game, %error, "a game of another server was not opened"),
            }
            drop(place);
        });
    }

    /// Notifies the players of a new game that was created by another server, if they are
    /// connected to this server.
    fn tell_players(&self, handle: &TableHandle) {
        let game = handle.summary();
        // A game without deployments is in progress from the start.
        let is_begun = game.phase == Phase::Over || game.ply > 0;
        let is_new = !is_begun && self.now().0.saturating_sub(game.created) < NEWS_MS;
        for side in Side::BOTH.into_iter().filter(|_| is_new) {
            let player = game.players[side].clone();
            if player.kind != PlayerKind::House {
                let started = ServerToClient::GameStarted { game: game.clone(), side };
                self.connections().notify(&player.id, &Payload::new(&started));
            }
        }
    }

    /// True if one of these players is connected to this server. `players` is a record of a new
    /// game.
    fn is_anyone_here(&self, players: &[u8]) -> bool {
        // If the record cannot be parsed, a later version may have written it.
        let players: PerSide<String> = match serde_json::from_slice(players) {
            Ok(players) => players,
            Err(_) => return true,
        };
        Side::BOTH.into_iter().any(|side| self.connections().is_online(&players[side]))
    }

    async fn audit_until_done(&self, room: &Arc<Semaphore>) {
        while let Err(error) = self.audit(room).await {
            tracing::debug!(%error, "could not check what other servers did; trying again");
            tokio::time::sleep(AUDIT_AGAIN).await;
        }
    }

    /// Checks whether this server missed an announcement of created games, appended entries or
    /// lost entries.
    async fn audit(&self, room: &Arc<Semaphore>) -> Result<(), StoreError> {
        // Players who are connected to this server may not know of their new games yet.
        let mut scan = Scan::new(self.store(), NEWS.all()?).of_reachable();
        while let Some(records) = scan.next().await? {
            for (key, players) in &records {
                let Some(game) = NEWS.game(key) else { continue };
                let is_open = self.residents().handle(game).is_some() || self.residents().is_making(game);
                if !is_open && self.is_anyone_here(players) {
                    self.adopt(game, 0, room).await;
                }
            }
        }
        self.residents().doubt_opening();
        // When a part of the store is back, the store asks for another audit.
        let is_there = |handle: &TableHandle| !self.is_part_away(handle.id());
        let handles = self.residents().running_handles().into_iter().filter(is_there);
        let heads = handles.map(|handle| async move {
            let reached = handle.facts.head();
            let head = self.store().head(handle.id()).await;
            (handle, reached, head)
        });
        let mut heads = futures_util::stream::iter(heads).buffer_unordered(AUDIT_AT_ONCE);
        while let Some((handle, reached, head)) = heads.next().await {
            // If the heads differ, ask the table to compare them itself, because only the table
            // knows which appends are under way.
            let message = match head {
                Ok(head) if head.seq != reached => Message::Audit,
                // The head is the same, but the table may have to update its clocks.
                Ok(_) | Err(_) => Message::Heard,
            };
            let _table_left = handle.send_message(message).await;
        }
        Ok(())
    }
}
