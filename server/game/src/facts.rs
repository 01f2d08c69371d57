//! Facts about a table. Other tasks read them directly, without a message to the table.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{GameSummary, Phase, SeenOutcome};
use flagfall_store::Store;
use parking_lot::Mutex;

use super::header::GameHeader;
use super::listing::Absence;
use super::public_list::progress_of;
use super::table::Table;

/// Facts about a table. The table's task writes them.
pub(super) struct Facts {
    pub(super) id: GameId,
    pub(super) header: Arc<GameHeader>,
    pub(super) created: Stamp,
    pub(super) epoch: u64,
    pub(super) store: Arc<dyn Store>,
    progress: Mutex<Progress>,
    /// The number of the replica's last entry.
    head: AtomicU64,
    /// The highest entry number that was announced; 0 if none was announced.
    pub(super) heard: AtomicU64,
    /// True if players have connected to other servers, or left them, since the table last
    /// checked.
    pub(super) has_seat_news: AtomicBool,
    /// True for each side whose player has offered a rematch on another server since the table
    /// last checked.
    pub(super) has_rematch_offer: PerSide<AtomicBool>,
    pub(super) lists: Mutex<Lists>,
    /// True if the game is on the list of running games. Only such a game may rest.
    pub(super) is_listed: bool,
    /// True while the list of running games and the list of public games are being updated for
    /// this game.
    pub(super) is_writing: AtomicBool,
}

/// For a game in memory: the state that the lists should show, and the state that they show as far
/// as this server knows.
pub(super) struct Lists {
    pub(super) absence: Absence,
    is_absence_listed: bool,
    /// The progress that the list of public games shows. `None` if this server has not written
    /// it.
    progress: Option<(bool, Ply)>,
}

#[derive(Clone)]
struct Progress {
    /// True if the log is damaged. A game with a damaged log does not count as running.
    is_unreadable: bool,
    phase: Phase,
    ply: Ply,
    turn: Option<Side>,
    outcome: Option<SeenOutcome>,
}

impl Progress {
    fn of(table: &Table) -> Progress {
        Progress {
            is_unreadable: table.is_unreadable(),
            phase: table.game.phase(),
            ply: table.game.ply(),
            turn: table.game.turn(),
            outcome: table.game.outcome().map(SeenOutcome::from),
        }
    }
}

impl Lists {
    pub(super) fn set_absence(&mut self, absence: Absence) {
        if !absence.is_like(&self.absence) {
            (self.absence, self.is_absence_listed) = (absence, false);
        }
    }

    /// Records what the lists show now: the players in `absence` as away, and `progress` or later
    /// progress.
    pub(super) fn note_written(&mut self, absence: Absence, progress: (bool, Ply)) {
        self.is_absence_listed |= self.absence == absence;
        self.progress = Some(progress);
    }
}

impl Facts {
    pub(super) fn new(table: &Table, store: Arc<dyn Store>, listed: Option<Absence>) -> Facts {
        let absence = listed.unwrap_or_default();
        Facts {
            id: table.id(),
            header: table.header.clone(),
            created: table.game.terms().created,
            epoch: table.epoch,
            store,
            progress: Mutex::new(Progress::of(table)),
            head: AtomicU64::new(table.head.seq),
            heard: AtomicU64::new(0),
            // Assume that there is news, because notices that arrived while the log was read did
            // not reach any table.
            has_seat_news: AtomicBool::new(true),
            has_rematch_offer: PerSide::default(),
            lists: Mutex::new(Lists { absence, is_absence_listed: true, progress: None }),
            is_listed: listed.is_some(),
            is_writing: AtomicBool::new(false),
        }
    }

    /// Returns the number of the replica's last entry.
    pub(super) fn head(&self) -> u64 {
        self.head.load(Ordering::Relaxed)
    }

    /// Records an announcement that the log has at least this many entries. Returns true if this
    /// is news: neither the table nor an earlier announcement had reached this number.
    pub(super) fn hear(&self, seq: u64) -> bool {
        self.head() < seq && self.heard.fetch_max(seq, Ordering::Relaxed) < seq
    }

    /// Updates the facts from the table. Returns true if the game has just ended, or if its log
    /// has just been found to be damaged.
    pub(super) fn update(&self, table: &Table) -> bool {
        self.head.store(table.head.seq, Ordering::Relaxed);
        let mut progress = self.progress.lock();
        let now = (table.game.ply(), table.game.phase(), table.is_unreadable());
        if (progress.ply, progress.phase, progress.is_unreadable) == now {
            return false;
        }
        let before = std::mem::replace(&mut *progress, Progress::of(table));
        let has_ended = progress.phase == Phase::Over && before.phase != Phase::Over;
        if has_ended {
            let reason = progress.outcome.as_ref().map(|outcome| outcome.reason.clone()).unwrap_or_default();
            metrics::counter!(flagfall_base::telemetry::GAMES_ENDED, "reason" => reason).increment(1);
        }
        has_ended || (progress.is_unreadable && !before.is_unreadable)
    }

    pub(super) fn phase(&self) -> Phase {
        self.progress.lock().phase
    }

    pub(super) fn is_running(&self) -> bool {
        let progress = self.progress.lock();
        progress.phase != Phase::Over && !progress.is_unreadable
    }

    pub(super) fn summary(&self) -> GameSummary {
        let Progress { is_unreadable: _, phase, ply, turn, outcome } = self.progress.lock().clone();
        GameSummary {
            id: self.id,
            terms: self.header.terms.clone(),
            players: self.header.players.clone(),
            created: self.created.0,
            phase,
            ply,
            turn,
            outcome,
        }
    }

    /// True if the lists do not show the game's latest progress, or show the wrong players as
    /// away.
    pub(super) fn has_news_for_lists(&self) -> bool {
        let Progress { is_unreadable, phase, ply, .. } = *self.progress.lock();
        let lists = self.lists.lock();
        let is_behind = lists.progress.is_none_or(|listed| listed < progress_of(phase, ply));
        let is_news = is_behind && !self.header.terms.private || !lists.is_absence_listed;
        !is_unreadable && phase != Phase::Over && is_news
    }
}
