//! The state of a table.

use std::sync::Arc;

use flagfall_base::cluster::Elsewhere;
use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{Abort, GameSummary, Phase, Player, SeenOutcome};
use flagfall_rules::{Game, Viewer};
use flagfall_store::record::Form;
use flagfall_store::{Head, Outage};

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

/// Whether the replica is good to play on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Health {
    /// It is what the log says.
    Sound,
    /// The log is damaged.
    Quarantined,
    /// The log has another branch than the replica.
    Diverged,
}

/// Whether the server stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopping {
    /// It does not.
    No,
    /// It does; the table is still to stop.
    Asked {
        /// True if the stop pauses the game, because no other server continues it.
        pauses: bool,
    },
    /// It does, and the table has stopped.
    Done,
}

/// The replica of one game and the connections that have it open.
pub(crate) struct Table {
    pub(crate) epoch: u64,
    pub(super) header: Arc<GameHeader>,
    pub(crate) settings: Arc<TableSettings>,
    pub(crate) game: Game,
    pub(crate) head: Head,
    /// The form in which events are written.
    pub(crate) write_form: Form,
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
    pub(super) rematch: Rematch,
    /// Why the game was aborted, if it was.
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

    /// Sets the players' current names.
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

    /// Notes since when this server has heard the others; `None` while it does not.
    pub(crate) fn note_sight(&mut self, since: Option<Stamp>) {
        self.attendance.note_sight(since);
    }

    /// Notes whether the store is out of reach, and since when it is silent, if clocks may have
    /// stood still since.
    pub(crate) fn note_store(&mut self, is_away: bool, silent_since: Option<Stamp>) {
        self.outage.note_contact(is_away, silent_since);
    }

    /// True if the table does not know of this outage yet.
    pub(crate) fn is_new_outage(&self, outage: Outage) -> bool {
        self.outage.is_new(outage)
    }

    /// True if the replica and earlier hints do not reach this entry.
    pub(crate) fn is_news(&self, seq: u64) -> bool {
        self.following.is_news(self.head.seq, seq)
    }

    /// Who is away.
    pub(crate) fn absence(&self) -> Absence {
        self.attendance.absence(&self.header)
    }

    /// Restores who was away when the game went to rest.
    pub(crate) fn set_absence(&mut self, absence: Absence) {
        self.attendance.set_absence(absence);
    }

    /// Players who left on purpose and have not come back.
    pub(crate) fn gone_on_purpose(&self) -> PerSide<bool> {
        self.attendance.gone_on_purpose()
    }

    /// Since when a connection here drives or did, for each player who has one open here.
    pub(crate) fn seats_here(&self) -> PerSide<Option<Stamp>> {
        self.attendance.seats_here(&self.audiences)
    }

    /// Notes the rematch of this game.
    pub(crate) fn set_rematch(&mut self, game: GameId) {
        self.rematch.set_game(game);
    }

    /// True if the game's log is damaged.
    pub(crate) fn is_quarantined(&self) -> bool {
        self.health == Health::Quarantined
    }

    /// True if the server stops.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping != Stopping::No
    }

    /// True if the server stops and the table has done what it does then.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopping == Stopping::Done
    }

    /// True if the game has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.game.outcome().is_some()
    }

    /// True if a side has to deploy or to act.
    pub(super) fn is_awaited(&self, side: Side) -> bool {
        is_awaited(&self.game, side)
    }

    /// True if a house player is to act.
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

    /// What clients are told of the abort.
    pub(super) fn abort(&self) -> Option<Abort> {
        self.aborted.map(Abort::from)
    }

    /// How far the side has been shown the game.
    pub(super) fn seq_of(&self, side: Side) -> u64 {
        self.audiences.shown(Viewer::Player(side)).seq
    }

    /// Phase and ply: how far the game is.
    pub(crate) fn progress(&self) -> (Phase, Ply) {
        (self.game.phase(), self.game.ply())
    }

    /// The side to move, and the outcome if there is one.
    pub(crate) fn state(&self) -> (Option<Side>, Option<SeenOutcome>) {
        (self.game.turn(), self.game.outcome().map(SeenOutcome::from))
    }

    /// The game's summary, which is public.
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
