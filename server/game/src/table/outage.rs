//! Outages: times in which the clocks of a game are stopped.

use flagfall_board::Stamp;
use flagfall_rules::{Event, Game, Phase, decide_pause, decide_resume, decide_resume_since, evolve};
use flagfall_store::{Outage, OutageList};

use crate::outages::missing;

/// An outage that the log does not record yet. The game continues only after it is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Unrecorded {
    #[default]
    None,
    /// Clocks have been stopped since this time, until the log records the outage.
    Since(Stamp),
    /// Clocks were stopped during this outage, but are running again.
    Over(Outage),
}

#[derive(Default)]
pub(crate) struct OutageState {
    unrecorded: Unrecorded,
    /// The outages of the store that the log may lack, oldest first. The last is the latest outage
    /// that this table has handled, even if the log has it.
    seen: Vec<Outage>,
    pub(super) is_store_away: bool,
    /// True if connections were last told that the part of the store with this game does not
    /// answer, while other parts do.
    pub(super) is_part_away: bool,
    /// The time of the store's last answer, if the store has been silent since then. `None` if
    /// clocks have certainly been running.
    silent_since: Option<Stamp>,
}

impl OutageState {
    /// Returns the outage state of a game that was just opened. The game's log may lack outages or
    /// the end of a pause. Clocks were stopped during these times, and have run since.
    pub(super) fn after(game: &Game, outages: &OutageList) -> OutageState {
        let missing = if game.outcome().is_none() {
            missing(outages, game.latest(), game.latest_shown(), game.paused_since())
        } else {
            None
        };
        let until = outages.iter().map(|outage| outage.until);
        OutageState {
            unrecorded: missing.map_or(Unrecorded::None, Unrecorded::Over),
            seen: until.max().map(|until| Outage { since: until, until }).into_iter().collect(),
            ..OutageState::default()
        }
    }

    /// Returns the start of the outage that the log does not record yet.
    pub(super) fn unrecorded_since(&self) -> Option<Stamp> {
        match self.unrecorded {
            Unrecorded::None => None,
            Unrecorded::Since(since) | Unrecorded::Over(Outage { since, .. }) => Some(since),
        }
    }

    pub(crate) fn is_unrecorded(&self) -> bool {
        self.unrecorded != Unrecorded::None
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.unrecorded, Unrecorded::Over(_))
    }

    /// Notes that the log has the outage. Outages that ended after the log's last entry are still
    /// to be recorded: they may have begun before it was known that the log has an earlier one.
    pub(super) fn note_recorded(&mut self, game: &Game, is_slow: bool) {
        self.unrecorded = Unrecorded::None;
        for outage in std::mem::take(&mut self.seen) {
            if outage.since < outage.until {
                self.note_outage(game, is_slow, outage);
            } else {
                self.seen = vec![outage];
            }
        }
    }

    /// Continues the game after an outage that began at `since`, or after a pause in the log.
    /// Clocks were stopped during the outage or pause. If the log has an entry after `since`, the
    /// server that wrote the entry has already handled the outage.
    pub(crate) fn recover(&mut self, game: &Game, since: Stamp) {
        let latest = game.latest_shown();
        if game.phase() != Phase::Over && (latest <= since || game.is_paused()) {
            let since = since.max(latest);
            self.unrecorded = match self.unrecorded {
                Unrecorded::Over(Outage { until, .. }) => Unrecorded::Over(Outage { since, until }),
                Unrecorded::None | Unrecorded::Since(_) => Unrecorded::Since(since),
            };
        }
    }

    /// Returns the events that record the outage. Empty if the log already contains them.
    pub(super) fn decide_recovery(&self, game: &Game) -> Vec<Event> {
        let Some(since) = self.unrecorded_since() else { return Vec::new() };
        let mut events: Vec<Event> = if game.latest_shown() <= since {
            decide_pause(game, since).into_iter().collect()
        } else {
            Vec::new()
        };
        let mut paused = game.clone();
        events.iter().for_each(|event| evolve(&mut paused, event, since));
        events.extend(match self.unrecorded {
            Unrecorded::Over(Outage { until, .. }) => decide_resume_since(&paused, until),
            Unrecorded::None | Unrecorded::Since(_) => decide_resume(&paused),
        });
        events
    }

    /// Records an outage in which clocks were stopped, unless the log has a later entry. If the
    /// game has a slow clock (`is_slow`), its clock has been running since the end of the outage,
    /// even if this table learns of the outage late.
    pub(super) fn note_outage(&mut self, game: &Game, is_slow: bool, outage: Outage) {
        if !self.is_unrecorded() {
            self.seen.clear();
        }
        self.seen.push(outage);
        let latest = game.latest();
        match &mut self.unrecorded {
            // The log lacks this outage and also an earlier one, so add their lengths.
            Unrecorded::Over(earlier) => {
                earlier.until = earlier.until.plus_ms(outage.until.ms_since(outage.since));
            }
            Unrecorded::None if latest <= outage.since || latest < outage.until => {
                self.recover(game, outage.since.max(game.latest_shown()));
                if let Unrecorded::Since(since) = self.unrecorded
                    && is_slow
                {
                    self.unrecorded = Unrecorded::Over(Outage { since, until: outage.until });
                }
            }
            Unrecorded::None | Unrecorded::Since(_) => {}
        }
    }

    /// Handles an entry that was written after the last heartbeat but is read only now. Moves the
    /// start of the outage to the time of this entry, because clocks were stopped only from then
    /// on. The entry itself does not record the outage.
    pub(super) fn put_off(&mut self, game: &Game) {
        let latest = game.latest_shown();
        let mut seen = self.seen.iter().filter(|seen| latest < seen.until && seen.since < seen.until);
        let Some(seen) = seen.next().filter(|_| !game.is_paused()) else { return };
        match &mut self.unrecorded {
            Unrecorded::Since(since) if *since < latest => *since = seen.since.max(latest),
            Unrecorded::Over(outage) if outage.until == seen.until && outage.since < latest => {
                outage.since = seen.since.max(latest);
            }
            Unrecorded::None | Unrecorded::Since(_) | Unrecorded::Over(_) => {}
        }
    }

    /// Resumes a game that another server paused because it believed that no other server was
    /// running.
    pub(super) fn note_pause(&mut self, game: &Game) {
        if game.is_paused() && !self.is_unrecorded() {
            self.unrecorded = Unrecorded::Since(game.latest());
        }
    }

    /// Returns the end of the latest outage that this table has handled.
    pub(crate) fn known_until(&self) -> Stamp {
        self.seen.last().map_or(Stamp(0), |seen| seen.until)
    }

    /// Records whether the store is unreachable. If clocks may be stopped because the store is
    /// silent, `silent_since` is the start of the silence.
    pub(crate) fn note_contact(&mut self, is_away: bool, silent_since: Option<Stamp>) {
        (self.is_store_away, self.silent_since) = (is_away, silent_since);
    }

    /// True if the log cannot be reached.
    pub(super) fn is_log_away(&self) -> bool {
        self.is_store_away || self.is_part_away
    }

    pub(super) fn is_store_reached(&self) -> bool {
        !self.is_store_away && self.silent_since.is_none()
    }

    /// Returns the time as of which the clocks are shown to clients. If the log does not record an
    /// outage yet, this is the start of the outage, because clocks have not run since then. If the
    /// store is silent, an outage is assumed.
    pub(super) fn shown_at(&self, game: &Game, is_slow: bool, now: Stamp) -> Stamp {
        let at = match self.unrecorded {
            // Only for slow clocks, subtract the outage's length from the current time. A client
            // lets a live clock run on from the returned time, so it would count the outage as
            // thinking time. For live clocks this is not needed, because the log records the outage
            // right after the game is opened.
            Unrecorded::Over(outage) if is_slow => now.minus_ms(outage.until.ms_since(outage.since)),
            Unrecorded::Since(since) | Unrecorded::Over(Outage { since, .. }) => since.min(now),
            Unrecorded::None => self.silent_since.map_or(now, |since| since.min(now)),
        };
        at.max(game.latest_shown())
    }
}
