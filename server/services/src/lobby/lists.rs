//! This server's list of the open seeks, and the lists that watchers are sent.

use std::time::Duration;

use flagfall_protocol::{GameSummary, LobbyFilter, LobbyLists, Player, Refusal, Seek};
use flagfall_rules::{NoSuchRuleset, Ruleset};
use flagfall_store::{Expect, StoreError};
use futures_util::{StreamExt as _, stream};
use metrics::gauge;
use tokio::time::Instant;

use super::board::{LISTED_GAMES_MAX, LobbyWish, Shown};
use super::seeks::{self, SeekRecord};
use super::shown::shown;
use super::{Inner, Lobby};
use flagfall_base::cluster::OpenedSeek;
use flagfall_base::delivery::Outbox;
use flagfall_base::keys::SEEKS;
use flagfall_base::telemetry as names;
use flagfall_base::transact::delete;

/// The maximum number of seekers about whom this server asks other servers at the same time.
const LOOKS_AT_ONCE: usize = 64;
/// The time for which a seek stays open after the seeker's last connection has closed.
const SEEK_GRACE: Duration = Duration::from_secs(10);

impl Lobby {
    /// Sends the current seeks and games to a connection, and every change from now on. Refused
    /// if the filter names an unknown ruleset, because the number of different filters must be
    /// limited.
    pub fn watch(&self, outbox: &Outbox, wish: &LobbyWish) -> Result<(), Refusal> {
        let is_known = |id: &String| Ruleset::all().iter().any(|ruleset| ruleset.id == *id);
        if !wish.filter.ruleset.as_ref().is_none_or(is_known) {
            return Err(Refusal::from(&NoSuchRuleset::Unknown));
        }
        let version = self.inner.seeks.lock().changes;
        if !self.inner.board.lock().watch(outbox, wish, version) {
            let shown = self.inner.shown(&wish.filter, self.inner.running());
            self.inner.board.lock().watch_shown(outbox, wish, shown);
        }
        self.inner.changed.notify_one();
        Ok(())
    }

    /// Records a seek that another server has opened.
    pub fn hear_opened(&self, opened: OpenedSeek) {
        let OpenedSeek { seek, since, before } = opened;
        let before = before.map_or(Expect::Absent, |id| Expect::Value(id.into()));
        self.inner.seeks.lock().open_after(SeekRecord { seek, since, opened_by: None }, &before);
        self.inner.changed.notify_one();
    }

    /// Records that another server has closed a seek.
    pub fn hear_closed(&self, seek: &str) {
        self.inner.seeks.lock().remove(seek);
        self.inner.changed.notify_one();
    }
}

impl Inner {
    /// Reads the open seeks if this server may have missed a change.
    pub(super) async fn read_seeks(&self) {
        if self.seeks.lock().is_read && !self.peers().is_shared() {
            return;
        }
        let now = Instant::now();
        if !self.seeks.lock().must_ask(now, !self.peers().has_former()) {
            return;
        }
        self.seeks.lock().asked = Some(now);
        let read = async {
            let turn = seeks::turn(&self.store).await?.map(|(_, turn)| turn);
            let is_current = |turn: &Expect| !self.seeks.lock().must_read(Instant::now(), turn);
            if !turn.as_ref().is_some_and(is_current) {
                self.reread_seeks(turn.clone()).await?;
            }
            Ok::<bool, StoreError>(turn.is_some_and(|turn| self.seeks.lock().has_all_at(&turn)))
        };
        let has_all = read.await.unwrap_or_else(|error| {
            tracing::debug!(%error, "could not read the open seeks; showing the last known ones");
            false
        });
        if !has_all {
            self.seeks.lock().asked = None;
        }
    }

    /// Reads the open seeks. `turn` is the state of `seek_turn` before the read, if it is known.
    pub(super) async fn reread_seeks(&self, turn: Option<Expect>) -> Result<Vec<SeekRecord>, StoreError> {
        let (changes, now) = (self.seeks.lock().changes, Instant::now());
        let (mut open, is_whole) = seeks::read_all(&self.store).await?;
        let mut seeks = self.seeks.lock();
        if !is_whole {
            // Keep the known seeks, because they may be in the part of the store that does not
            // answer.
            open.extend(seeks.missed(&open));
        }
        seeks.replace(open.clone(), changes, turn.filter(|_| is_whole).map(|turn| (now, turn)));
        Ok(open)
    }

    /// Closes all seeks of a deleted account.
    pub(super) async fn close_all(&self, seeker: &Player) -> Result<(), StoreError> {
        let (open, is_whole) = seeks::read_all(&self.store).await?;
        if !is_whole {
            return Err(StoreError::Unavailable { why: "some seeks cannot be read".to_owned() });
        }
        for record in open {
            if record.seek.seeker.id == seeker.id {
                delete(&*self.store, vec![SEEKS.key([&record.seek.id])?]).await?;
                self.note_closed(&record.seek.id).await;
            }
        }
        Ok(())
    }

    fn running(&self) -> Vec<GameSummary> {
        self.tables.running(LISTED_GAMES_MAX)
    }

    /// Returns what the lobby shows to watchers with this filter. `games` are the running games.
    fn shown(&self, filter: &LobbyFilter, games: Vec<GameSummary>) -> Shown {
        let online = self.connections.players_online() + self.peers().online();
        let seeks = self.seeks.lock();
        let selected: Vec<&Seek> = seeks.iter().filter(|seek| filter.selects(&seek.terms)).collect();
        let listed = shown(&selected, |player| self.connections.network_of(player));
        Shown {
            lists: LobbyLists { seeks: listed, games },
            online: u32::try_from(online).unwrap_or(u32::MAX),
            version: seeks.changes,
        }
    }

    /// Removes a seek from this server's list, and tells the other servers that it is closed.
    pub(super) async fn note_closed(&self, seek_id: &str) {
        self.seeks.lock().remove(seek_id);
        self.changed.notify_one();
        self.peers().tell_seek_closed(seek_id).await;
    }

    /// Asks other servers about the seekers who are not connected to this server. Only the guardian
    /// of a seeker (the one server that is responsible for them) does this.
    async fn look_for_seekers(&self) {
        let is_other = |player: &str| self.peers().guards(player) && !self.connections.is_online(player);
        let asked = self.seeks.lock().not_seen(Instant::now(), SEEK_GRACE, is_other);
        let looks = asked.into_iter().map(|player| async move {
            if self.peers().is_listed_seeker(&player) || self.peers().is_online(&player).await {
                self.seeks.lock().note_seen(player, Instant::now());
            }
        });
        stream::iter(looks).buffer_unordered(LOOKS_AT_ONCE).collect::<()>().await;
    }

    pub(super) async fn tick(&self) {
        self.read_seeks().await;
        self.look_for_seekers().await;
        let abandoned = self.seeks.lock().abandoned(Instant::now(), SEEK_GRACE, |player| {
            self.connections.is_online(player) || !self.peers().guards(player)
        });
        for record in abandoned {
            match seeks::close(&self.store, &record.seek.id).await {
                Ok(()) => self.note_closed(&record.seek.id).await,
                Err(refusal) => tracing::debug!(%refusal, "could not close an abandoned seek yet"),
            }
        }
        gauge!(names::SEEKS_OPEN).set(u32::try_from(self.seeks.lock().len()).unwrap_or(u32::MAX));
        let filters = self.board.lock().filters_watched();
        if filters.is_empty() {
            return;
        }
        let games = self.running();
        for filter in filters {
            let shown = self.shown(&filter, games.clone());
            self.board.lock().tell(&filter, shown);
        }
    }
}
