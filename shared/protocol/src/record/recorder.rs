//! Writes game records that hide the same facts as live play.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_rules as rules;
use flagfall_view::LagQuota;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GameRecord, RECORD_FORMAT, RecordKind, RecordedEvent};
use crate::player::Player;
use crate::terms::Terms;

/// The log of a game, from which its records are created.
pub struct Recorder {
    first: rules::Game,
    lag_quota: Option<LagQuota>,
    log: Vec<Noted>,
}

#[derive(Clone)]
struct Noted {
    event: rules::Event,
    at: Stamp,
    lag_ms: u32,
}

flagfall_board::named! {
    /// The kind of record that a requester asks for.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum RecordScope, name {
        /// The game as Red saw it during play.
        Red = "red",
        /// The game as Blue saw it during play.
        Blue = "blue",
        /// The game as the public saw it during play.
        Public = "public",
        /// The game with all ranks revealed.
        All = "all",
    }
}

/// The error for a requester who is not allowed to see all hidden ranks in the requested record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this record shows hidden ranks that are not open to you")]
pub struct NotOpened;

impl Recorder {
    /// Creates a recorder for a game that has no events yet.
    pub fn new(first: rules::Game) -> Recorder {
        Recorder { first, lag_quota: None, log: Vec::new() }
    }

    /// Sets the lag quota for the record. It must be the quota that the game was played with.
    #[must_use]
    pub fn with_lag_quota(self, lag_quota: Option<LagQuota>) -> Recorder {
        Recorder { lag_quota, ..self }
    }

    /// Adds an event that happened at the time `at`.
    pub fn note(&mut self, event: &rules::Event, at: Stamp) {
        self.note_compensated(event, at, 0);
    }

    /// Adds an event, with the time in milliseconds that the acting side got back as lag
    /// compensation.
    pub fn note_compensated(&mut self, event: &rules::Event, at: Stamp, lag_ms: u32) {
        self.log.push(Noted { event: event.clone(), at, lag_ms });
    }

    /// Returns the record that this viewer may see now. Its kind is `live` until the end of the
    /// game reveals the hidden ranks, and `opened` afterwards.
    pub fn record(&self, viewer: rules::Viewer, terms: Terms, players: PerSide<Player>) -> GameRecord {
        let end = self.end();
        let opens = end.outcome().is_some_and(|outcome| outcome.reason != rules::EndReason::Aborted);
        let kind = if opens { RecordKind::Opened } else { RecordKind::Live };
        self.write(&self.log, &end, viewer, kind, terms, players)
    }

    /// Returns the record of the requested kind, if this requester may see it now. A live record
    /// from the opponent's point of view leaves out replaced deployments, and choices in a strike
    /// that was never resolved.
    pub fn record_as(
        &self,
        scope: RecordScope,
        requester: rules::Viewer,
        terms: Terms,
        players: PerSide<Player>,
    ) -> Result<GameRecord, NotOpened> {
        let end = self.end();
        let (viewer, kind) = match scope {
            RecordScope::Red => (rules::Viewer::Player(Side::Red), RecordKind::Live),
            RecordScope::Blue => (rules::Viewer::Player(Side::Blue), RecordKind::Live),
            RecordScope::Public => (rules::Viewer::Public, RecordKind::Live),
            RecordScope::All => (requester, RecordKind::Opened),
        };
        let is_own = viewer == requester || viewer == rules::Viewer::Public;
        if !(is_own && kind == RecordKind::Live || rules::is_opened_to(&end, requester)) {
            return Err(NotOpened);
        }
        let opened = match viewer {
            rules::Viewer::Player(side) if !is_own => Some(self.opened_log(side, &end)),
            rules::Viewer::Player(_) | rules::Viewer::Public => None,
        };
        let log = opened.as_deref().unwrap_or(&self.log);
        Ok(self.write(log, &end, viewer, kind, terms, players))
    }

    /// Returns the state of the game after the last event.
    fn end(&self) -> rules::Game {
        let mut end = self.first.clone();
        for Noted { event, at, lag_ms } in &self.log {
            rules::evolve_compensated(&mut end, event, *at, *lag_ms);
        }
        end
    }

    /// Returns the log as the other side may see it after the end of the game. It shows only the
    /// last deployment of the given side, and no choices in a strike that was never resolved.
    fn opened_log(&self, side: Side, end: &rules::Game) -> Vec<Noted> {
        let resolved = resolved(&self.log);
        let open = self
            .log
            .iter()
            .enumerate()
            .filter(|(index, noted)| !noted.event.is_choice() || *index < resolved);
        open.filter_map(|(_, noted)| {
            let event = rules::own_event_opened(&noted.event, side, end)?;
            Some(Noted { event, ..*noted })
        })
        .collect()
    }

    fn write(
        &self,
        log: &[Noted],
        end: &rules::Game,
        viewer: rules::Viewer,
        kind: RecordKind,
        terms: Terms,
        players: PerSide<Player>,
    ) -> GameRecord {
        let mut game = self.first.clone();
        let first_view = match kind {
            RecordKind::Live => rules::view(&game, viewer, game.latest()),
            RecordKind::Opened => rules::view_opened(&game, viewer, end, game.latest()),
        };
        let resolved = resolved(log);
        let mut events = Vec::with_capacity(log.len());
        for (index, Noted { event, at, lag_ms }) in log.iter().enumerate() {
            rules::evolve_compensated(&mut game, event, *at, *lag_ms);
            let is_opened = kind == RecordKind::Opened && (!event.is_choice() || index < resolved);
            let opened = if is_opened { rules::see_opened(event, end, viewer) } else { None };
            let Some(seen) = opened.or_else(|| rules::see(event, &game, viewer)) else { continue };
            let change = match kind {
                RecordKind::Live => rules::see_change(event, &game, viewer, *at),
                RecordKind::Opened => rules::see_change_opened(event, &game, viewer, end, *at),
            };
            events.push(RecordedEvent { change: Some(change), ..RecordedEvent::new(*at, *lag_ms, seen) });
        }
        let view = rules::view(end, viewer, end.latest()).seen;
        GameRecord {
            format: RECORD_FORMAT,
            game: end.terms().game,
            terms,
            players,
            created: end.terms().created.0,
            lakes: drawn_lakes(end.terms()),
            deploy_ms: Some(end.terms().deploy_ms),
            lag_quota: self.lag_quota,
            whole_turns: end.has_whole_turns(),
            audience: viewer,
            kind: Some(kind),
            first_view: Some(first_view.seen),
            commitments: view.commitments,
            deployments: view.opened,
            start: None,
            events,
            outcome: view.outcome,
            imported: None,
            signature: None,
        }
    }
}

/// Returns the index of the last ply in the log. Any later choice belongs to a strike that was
/// never resolved (§Q4).
fn resolved(log: &[Noted]) -> usize {
    let is_ply = |noted: &Noted| noted.event.ends_time_of().is_some() && !noted.event.is_choice();
    log.iter().rposition(is_ply).unwrap_or_default()
}

fn drawn_lakes(terms: &rules::GameTerms) -> Option<Vec<flagfall_board::Square>> {
    match terms.ruleset.lakes {
        rules::Lakes::OfTheShape => None,
        rules::Lakes::Drawn => Some(terms.lakes.iter().collect()),
    }
}
