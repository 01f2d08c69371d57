//! The state of a table.

use super::aborts::AbortCause;
use super::audience::Audiences;
use super::claims::Claims;
use super::command::{AcceptedCommands, Done};
use super::follow::Following;
use super::house_turns::{HouseTurns, is_awaited};
use super::outage::OutageState;
use super::presence::Attendance;
use super::rematch::Rematch;
use super::work::Work;
use crate::error::TableError;
use crate::header::GameHeader;
use crate::listing::Absence;
use crate::replay::{self, ReplayError};
use crate::settings::TableSettings;
use flagfall_base::cluster::Elsewhere;
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Abort, GameSummary, Phase, SeenOutcome, Time};
use flagfall_rules::{Game, Viewer};
use flagfall_store::record::Form;
use flagfall_store::{Guard, Head, OutageList, StoredEntry};
use std::sync::Arc;

/// The state of the replica: whether the game can continue from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Health {
    Sound,
    /// The log is damaged, or a newer version wrote it. The game accepts no commands here.
    Unreadable(TableError),
    /// The log has diverged from the replica.
    Diverged,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopping {
    No,
    /// The server is stopping, and the table has not stopped yet.
    Asked {
        /// True if the game must be paused, because no other server continues it.
        pauses: bool,
    },
    Done,
}

/// The replica of one game and the connections that have it open.
pub(crate) struct Table {
    pub(crate) epoch: u64,
    pub(crate) header: Arc<GameHeader>,
    pub(crate) settings: Arc<TableSettings>,
    pub(crate) game: Game,
    pub(crate) head: Head,
    pub(crate) write_form: Form,
    pub(crate) health: Health,
    pub(super) stopping: Stopping,
    pub(crate) audiences: Audiences,
    /// The time at which to check whether slow spectators can be sent the newest view.
    pub(super) behind_look_at: Option<Stamp>,
    pub(crate) attendance: Attendance,
    pub(super) claims: Box<Claims>,
    pub(crate) accepted: AcceptedCommands,
    /// The time of the latest command, or of the game's creation if there is none.
    acted_at: Stamp,
    /// The number of commands that each side has given since the last ply.
    pub(super) since_ply: PerSide<u8>,
    pub(crate) work: Work,
    pub(crate) following: Following,
    pub(crate) outage: OutageState,
    /// Boxed, because most games have no house players.
    pub(super) house_turns: Option<Box<HouseTurns>>,
    pub(crate) rematch: Rematch,
    pub(super) aborted: Option<AbortCause>,
}

impl Table {
    pub(crate) fn from_log(
        id: GameId,
        epoch: u64,
        settings: Arc<TableSettings>,
        stored: &[StoredEntry],
    ) -> Result<Table, ReplayError> {
        let (first, rest) = stored.split_first().ok_or(ReplayError::NoHeader)?;
        let (header, game) = replay::open(id, first)?;
        let mut table = Table {
            epoch,
            acted_at: game.latest(),
            since_ply: PerSide::default(),
            settings,
            game,
            head: Head::START.then(id, &first.body),
            write_form: Form::default(),
            health: Health::Sound,
            stopping: Stopping::No,
            audiences: Audiences::new(id),
            behind_look_at: None,
            attendance: Attendance::new(&header),
            claims: Box::default(),
            accepted: AcceptedCommands::default(),
            work: Work::default(),
            following: Following::default(),
            outage: OutageState::default(),
            house_turns: header.has_house().then(Box::default),
            rematch: Rematch::default(),
            aborted: None,
            header: Arc::new(header),
        };
        table.catch_up(rest)?;
        Ok(table)
    }

    /// Restores from the guard what an archived log lacks: its original head, which cannot be
    /// computed without the ids of commands, and its last commands. Call this right after the
    /// game was opened.
    pub(crate) fn restore_from(&mut self, guard: &Guard) {
        if guard.head.seq == self.head.seq && guard.head != self.head {
            self.head = guard.head;
            self.accepted.recall(Done::decode_all(&guard.commands));
        }
    }

    pub(crate) fn id(&self) -> GameId {
        self.audiences.id
    }

    /// Takes the known outages into account, right after the game was opened. The game's log may
    /// lack some of these outages.
    pub(crate) fn recover_from(&mut self, outages: &OutageList) {
        self.outage = OutageState::after(&self.game, outages);
    }

    /// Marks the log as shared with other servers. `elsewhere` contains the players' connections
    /// to these servers.
    pub(crate) fn share(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        self.following.is_shared = true;
        self.note_elsewhere(elsewhere);
    }

    /// Records the players' newest connections on other servers.
    pub(super) fn note_elsewhere(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        self.attendance.note_elsewhere(elsewhere, &mut self.audiences);
    }

    /// Records which players left on purpose, according to other servers.
    pub(crate) fn note_left_elsewhere(&mut self, left: PerSide<bool>) {
        for side in Side::BOTH.into_iter().filter(|side| left[*side]) {
            self.attendance.note_leaving(side, true);
        }
    }

    pub(crate) fn absence(&self) -> Absence {
        self.attendance.absence(&self.header)
    }

    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self.health, Health::Unreadable(_))
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping != Stopping::No
    }

    /// True if the server is stopping and the table has stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopping == Stopping::Done
    }

    pub(crate) fn is_over(&self) -> bool {
        self.game.outcome().is_some()
    }

    pub(crate) fn awaits_house(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.header.is_house(side) && is_awaited(&self.game, side))
    }

    /// Returns a time before which no deadline passes, and the game does not end because nothing
    /// happens in it. `None` if the game is over.
    pub(crate) fn no_flag_before(&self, now: Stamp) -> Option<Stamp> {
        self.game.no_flag_before(now.max(self.game.latest())).or_else(|| self.idle_until())
    }

    /// Returns the time after which a game without a clock ends if nothing happens in it. Pauses
    /// do not count as events. Otherwise, a server that restarts often would keep such games
    /// forever.
    pub(super) fn idle_until(&self) -> Option<Stamp> {
        let is_played = self.game.phase() == Phase::Playing && self.header.terms.time == Time::Unlimited {};
        let TableSettings { idle_ms, idle_house_ms, .. } = *self.settings;
        let ms = if self.header.has_house() { idle_house_ms } else { idle_ms };
        is_played.then(|| self.acted_at.plus_ms(ms))
    }

    /// Returns the time after which the game ends by itself: its flag falls, or nothing has
    /// happened in it for too long.
    pub(super) fn ends_after(&self) -> Option<Stamp> {
        self.game.flag_fall().or_else(|| self.idle_until().filter(|_| !self.game.is_paused()))
    }

    /// Records a command that was carried out. `is_ply` is true if it made a ply or started the
    /// game.
    pub(super) fn note_command(&mut self, side: Side, at: Stamp, is_ply: bool) {
        self.acted_at = at;
        if is_ply {
            self.since_ply = PerSide::default();
        } else {
            self.since_ply[side] = self.since_ply[side].saturating_add(1);
        }
    }

    /// Returns the time that a player has to wait before a claim. `None` if players need not be
    /// present.
    pub(super) fn claim_wait_ms(&self) -> Option<u64> {
        self.game.terms().time.claim_wait_ms(self.settings.claim_ms)
    }

    pub(crate) fn claim_at(&self, gone: Side) -> Option<Stamp> {
        self.claims.claim_at(gone, self.claim_wait_ms(), &self.attendance)
    }

    pub(super) fn shown_at(&self, now: Stamp) -> Stamp {
        self.outage.shown_at(&self.game, self.header.is_slow(), now)
    }

    pub(super) fn abort(&self) -> Option<Abort> {
        self.aborted.map(Abort::from)
    }

    pub(super) fn seq_of(&self, side: Side) -> u64 {
        self.audiences.shown(Viewer::Player(side)).seq
    }

    pub(crate) fn summary(&self) -> GameSummary {
        GameSummary {
            id: self.id(),
            terms: self.header.terms.clone(),
            players: self.header.players.clone(),
            created: self.game.terms().created.0,
            phase: self.game.phase(),
            ply: self.game.ply(),
            turn: self.game.turn(),
            outcome: self.game.outcome().map(SeenOutcome::from),
        }
    }
}

/// A game at rest is opened this long before its flag can fall, in milliseconds.
pub(crate) const NEAR_MS: u64 = 5_000;

impl Table {
    /// True if the table can leave memory: the game is over or unreadable, and no connection has
    /// it open.
    pub(crate) fn is_idle(&self) -> bool {
        let is_done = self.is_over() || self.is_unreadable();
        let is_quiet = self.work.is_empty() && !self.rematch.is_pending() && self.following.is_quiet();
        is_done && is_quiet && self.audiences.is_empty()
    }

    /// True if a running game may rest: no connection has it open, no task is under way, no flag is
    /// about to fall, and no house player has to act.
    pub(crate) fn may_rest(&self, now: Stamp) -> bool {
        !self.is_over()
            && !self.is_unreadable()
            && self.is_at_peace()
            && self.no_flag_before(now).is_none_or(|flag| flag > now.plus_ms(2 * NEAR_MS))
            && !self.awaits_house()
    }

    /// True if no connection has the game open, no task is under way, and the log lacks no
    /// outage.
    fn is_at_peace(&self) -> bool {
        self.work.is_empty()
            && self.audiences.is_empty()
            && self.following.is_caught_up(self.head.seq)
            && !self.work.is_retrying()
            && !self.outage.is_unrecorded()
            && !(self.game.is_paused() || self.is_stopping() || self.health == Health::Diverged)
    }
}
