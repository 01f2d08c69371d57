//! The state of a table.

use super::aborts::AbortCause;
use super::audience::Audiences;
use super::claims::Claims;
use super::command::AcceptedCommands;
use super::follow::Following;
use super::house_turns::{HouseTurns, is_awaited};
use super::outage::OutageState;
use super::presence::Attendance;
use super::rematch::Rematch;
use super::work::Work;
use crate::header::GameHeader;
use crate::listing::Absence;
use crate::outages::Outages;
use crate::settings::TableSettings;
use flagfall_base::cluster::Elsewhere;
use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{Abort, GameSummary, Phase, Player, SeenOutcome};
use flagfall_rules::{Game, Viewer};
use flagfall_store::Head;
use std::sync::Arc;

/// Whether the replica is good to play on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Health {
    Sound,
    Quarantined,
    /// The log has another branch than the replica.
    Diverged,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopping {
    No,
    /// It does; the table is still to stop.
    Asked {
        /// True if the stop pauses the game, because no other server continues it.
        pauses: bool,
    },
    Done,
}

/// The replica of one game and the connections that have it open.
pub(crate) struct Table {
    pub(crate) epoch: u64,
    pub(super) header: Arc<GameHeader>,
    pub(crate) settings: Arc<TableSettings>,
    pub(crate) game: Game,
    pub(crate) head: Head,
    pub(crate) health: Health,
    pub(super) stopping: Stopping,
    pub(crate) audiences: Audiences,
    /// When to look whether spectators who were too slow can get the newest view.
    pub(super) behind_look_at: Option<Stamp>,
    pub(crate) attendance: Attendance,
    pub(super) claims: Box<Claims>,
    pub(crate) accepted: AcceptedCommands,
    pub(crate) work: Work,
    pub(super) following: Following,
    pub(crate) outage: OutageState,
    pub(super) house_turns: HouseTurns,
    pub(crate) rematch: Rematch,
    pub(super) aborted: Option<AbortCause>,
}

impl Table {
    /// A table before the first event.
    pub(super) fn new(
        id: GameId,
        epoch: u64,
        settings: Arc<TableSettings>,
        header: GameHeader,
        game: Game,
        head: Head,
    ) -> Table {
        Table {
            epoch,
            settings,
            game,
            head,
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
            house_turns: HouseTurns::default(),
            rematch: Rematch::default(),
            aborted: None,
            header: Arc::new(header),
        }
    }

    pub(super) fn id(&self) -> GameId {
        self.audiences.id()
    }

    pub(crate) fn header(&self) -> &Arc<GameHeader> {
        &self.header
    }

    pub(crate) fn set_players(&mut self, players: PerSide<Player>) {
        Arc::make_mut(&mut self.header).players = players;
    }

    /// Takes in the outages right after the game was opened; its log may lack some of them.
    pub(crate) fn recover_from(&mut self, outages: &Outages) {
        self.outage = OutageState::after(&self.game, outages);
    }

    /// Marks the log as shared with other servers, where the players have these connections.
    pub(crate) fn share(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        self.following.is_shared = true;
        self.note_elsewhere(elsewhere);
    }

    /// Notes where the players' newest connections on other servers are.
    pub(super) fn note_elsewhere(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        self.attendance.note_elsewhere(elsewhere, &mut self.audiences);
    }

    /// Notes who left on purpose, as other servers report.
    pub(crate) fn note_left_elsewhere(&mut self, left: PerSide<bool>) {
        for side in Side::BOTH.into_iter().filter(|side| left[*side]) {
            self.attendance.note_leaving(side, true);
        }
    }

    /// True if the replica and earlier hints do not reach this entry.
    pub(crate) fn is_news(&self, seq: u64) -> bool {
        self.following.is_news(self.head.seq, seq)
    }

    pub(crate) fn absence(&self) -> Absence {
        self.attendance.absence(&self.header)
    }

    /// Since when a connection here drives or did, for each player who has one open here.
    pub(crate) fn seats_here(&self) -> PerSide<Option<Stamp>> {
        self.attendance.seats_here(&self.audiences)
    }

    /// True if the game's log is damaged.
    pub(crate) fn is_quarantined(&self) -> bool {
        self.health == Health::Quarantined
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping != Stopping::No
    }

    /// True if the server stops and the table has done what it does then.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopping == Stopping::Done
    }

    pub(crate) fn is_over(&self) -> bool {
        self.game.outcome().is_some()
    }

    pub(super) fn is_awaited(&self, side: Side) -> bool {
        is_awaited(&self.game, side)
    }

    pub(crate) fn awaits_house(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.header.is_house(side) && self.is_awaited(side))
    }

    /// A moment before which no deadline passes; `None` where time is unlimited.
    pub(crate) fn no_flag_before(&self, now: Stamp) -> Option<Stamp> {
        self.game.no_flag_before(now.max(self.game.latest()))
    }

    /// How long a player waits for one who has left, before they may claim the game; `None` where
    /// players need not be present.
    pub(super) fn claim_wait_ms(&self) -> Option<u64> {
        self.game.terms().time.claim_wait_ms(self.settings.claim_ms)
    }

    /// When the game can be claimed because side `gone` is gone.
    pub(crate) fn claim_at(&self, gone: Side) -> Option<Stamp> {
        self.claims.claim_at(gone, self.claim_wait_ms(), &self.attendance)
    }

    /// The moment for which clocks are shown.
    pub(super) fn shown_at(&self, now: Stamp) -> Stamp {
        self.outage.shown_at(&self.game, self.header.is_slow(), now)
    }

    pub(super) fn abort(&self) -> Option<Abort> {
        self.aborted.map(Abort::from)
    }

    pub(super) fn seq_of(&self, side: Side) -> u64 {
        self.audiences.shown(Viewer::Player(side)).seq
    }

    pub(crate) fn progress(&self) -> (Phase, Ply) {
        (self.game.phase(), self.game.ply())
    }

    pub(crate) fn state(&self) -> (Option<Side>, Option<SeenOutcome>) {
        (self.game.turn(), self.game.outcome().map(SeenOutcome::from))
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

/// A game is opened this long before its flag may fall, in milliseconds.
pub(crate) const NEAR_MS: u64 = 5_000;

impl Table {
    /// True if the table can go: the game is over or quarantined, and no connection has it open.
    pub(crate) fn is_idle(&self) -> bool {
        let is_done = self.is_over() || self.is_quarantined();
        let is_quiet = self.work.is_empty() && !self.rematch.is_pending() && self.following.is_quiet();
        is_done && is_quiet && self.audiences.is_empty()
    }

    /// True if a running game may leave memory: no connection has it open, nothing is under way, no
    /// flag is near, and no house player is to act.
    pub(crate) fn may_rest(&self, now: Stamp) -> bool {
        !self.is_over()
            && !self.is_quarantined()
            && self.is_at_peace()
            && self.no_flag_before(now).is_none_or(|flag| flag > now.plus_ms(2 * NEAR_MS))
            && !self.awaits_house()
    }

    /// True if no connection has the game open, nothing is under way, and the log needs nothing.
    fn is_at_peace(&self) -> bool {
        self.work.is_empty()
            && self.audiences.is_empty()
            && self.following.is_caught_up(self.head.seq)
            && !self.work.is_retrying()
            && !self.outage.is_unrecorded()
            && !(self.game.is_paused() || self.is_stopping() || self.health == Health::Diverged)
    }
}
