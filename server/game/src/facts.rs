//! Facts about a table that other tasks read without sending it a message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flagfall_board::{GameId, Ply, Side, Stamp};
use flagfall_protocol::{GameSummary, Phase, SeenOutcome};
use flagfall_store::Store;

use super::header::GameHeader;
use super::listing::Absence;
use super::public_list::progress_of;
use super::table::Table;
use parking_lot::Mutex;

/// Facts about a table. The table's task writes them.
pub(super) struct Facts {
    pub(super) id: GameId,
    pub(super) header: Arc<GameHeader>,
    pub(super) created: Stamp,
    pub(super) epoch: u64,
    pub(super) store: Arc<dyn Store>,
    progress: Mutex<Progress>,
    /// Number of the replica's last entry.
    head: AtomicU64,
    /// Highest entry number that was announced.
    heard: AtomicU64,
    /// True if players have come to or left other servers.
    has_seat_news: AtomicBool,
    /// The progress that the list of public games shows, as far as this server knows.
    listed_progress: Mutex<Option<(bool, Ply)>>,
    away: Mutex<Away>,
    /// True if the list of running games has the game, so that it may rest.
    pub(super) is_listed: bool,
    /// True while that list and the game's line are being written.
    pub(super) is_writing: AtomicBool,
}

/// Who is away, and whether the list of running games says so.
struct Away {
    absence: Absence,
    is_listed: bool,
}

#[derive(Clone)]
struct Progress {
    /// True if the log is damaged; such a game does not count as running.
    is_quarantined: bool,
    phase: Phase,
    ply: Ply,
    turn: Option<Side>,
    outcome: Option<SeenOutcome>,
}

impl Facts {
    pub(super) fn new(table: &Table, store: Arc<dyn Store>, listed: Option<Absence>) -> Facts {
        let GameSummary { id, created, phase, ply, turn, outcome, .. } = table.summary();
        Facts {
            id,
            header: table.header().clone(),
            created: Stamp(created),
            epoch: table.epoch,
            store,
            progress: Mutex::new(Progress { is_quarantined: false, phase, ply, turn, outcome }),
            head: AtomicU64::new(table.head.seq),
            heard: AtomicU64::new(0),
            // Notes that arrived while the log was read found no table.
            has_seat_news: AtomicBool::new(true),
            listed_progress: Mutex::new(None),
            away: Mutex::new(Away { absence: listed.unwrap_or_default(), is_listed: true }),
            is_listed: listed.is_some(),
            is_writing: AtomicBool::new(false),
        }
    }

    pub(super) fn absence(&self) -> Absence {
        self.away.lock().absence
    }

    pub(super) fn set_absence(&self, absence: Absence) {
        let mut away = self.away.lock();
        if !absence.is_like(&away.absence) {
            *away = Away { absence, is_listed: false };
        }
    }

    /// Notes what the list of running games says about who is away.
    pub(super) fn note_listed_absence(&self, listed: Absence) {
        let mut away = self.away.lock();
        away.is_listed |= away.absence == listed;
    }

    /// Number of the replica's last entry.
    pub(super) fn head(&self) -> u64 {
        self.head.load(Ordering::Relaxed)
    }

    /// Notes that the log is said to reach at least this entry; true if that is news.
    pub(super) fn hear(&self, seq: u64) -> bool {
        self.head() < seq && self.heard.fetch_max(seq, Ordering::Relaxed) < seq
    }

    /// Takes the highest entry number that was announced; 0 if there is none.
    pub(super) fn take_heard(&self) -> u64 {
        self.heard.swap(0, Ordering::Relaxed)
    }

    /// Notes that players have come to or left other servers.
    pub(super) fn note_seats(&self) {
        self.has_seat_news.store(true, Ordering::Relaxed);
    }

    /// True once if players have come to or left other servers.
    pub(super) fn take_seat_news(&self) -> bool {
        self.has_seat_news.swap(false, Ordering::Relaxed)
    }

    pub(super) fn update(&self, table: &Table) -> bool {
        self.head.store(table.head.seq, Ordering::Relaxed);
        let (phase, ply) = table.progress();
        let mut progress = self.progress.lock();
        let mut has_ended = false;
        if (progress.ply, progress.phase) != (ply, phase) {
            let (turn, outcome) = table.state();
            if phase == Phase::Over && progress.phase != Phase::Over {
                let reason = outcome.as_ref().map(|outcome| outcome.reason.clone()).unwrap_or_default();
                metrics::counter!(flagfall_base::telemetry::GAMES_ENDED, "reason" => reason).increment(1);
                has_ended = true;
            }
            *progress = Progress { is_quarantined: progress.is_quarantined, phase, ply, turn, outcome };
        }
        has_ended | (table.is_quarantined() && !std::mem::replace(&mut progress.is_quarantined, true))
    }

    pub(super) fn phase(&self) -> Phase {
        self.progress.lock().phase
    }

    /// True if the game is still going on.
    pub(super) fn is_running(&self) -> bool {
        let progress = self.progress.lock();
        progress.phase != Phase::Over && !progress.is_quarantined
    }

    pub(super) fn summary(&self) -> GameSummary {
        let Progress { is_quarantined: _, phase, ply, turn, outcome } = self.progress.lock().clone();
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

    /// True if the lists are behind: in the game's progress, or in who is away.
    pub(super) fn has_news_for_lists(&self) -> bool {
        let Progress { is_quarantined, phase, ply, .. } = *self.progress.lock();
        let listed = *self.listed_progress.lock();
        let is_behind = listed.is_none_or(|listed| listed < progress_of(phase, ply));
        let is_news = is_behind && !self.header.terms.private || !self.away.lock().is_listed;
        !is_quarantined && phase != Phase::Over && is_news
    }

    /// Notes that the list of public games shows this progress, or a later one.
    pub(super) fn note_listed_progress(&self, listed: (bool, Ply)) {
        *self.listed_progress.lock() = Some(listed);
    }
}
