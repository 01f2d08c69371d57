//! Laws about records: a record shows everything that its audience was told, but nothing that the
//! requester must not know.

use flagfall_board::{PerSide, Side};
use flagfall_protocol::{GameEvent, GameRecord, Player, PlayerKind, RecordScope, Recorder, Terms, Time};
use flagfall_rules::{
    Identity, Phase, Referee, SeenPiece, Viewer, is_opened_to, see, see_opened, view, view_opened,
};
use flagfall_tests::{Logged, Match, views};

use crate::{Law, hold};

/// The log of a game and its records.
#[derive(Default)]
struct Records {
    log: Vec<Logged>,
}

fn scope_of(viewer: Viewer) -> RecordScope {
    match viewer {
        Viewer::Player(Side::Red) => RecordScope::Red,
        Viewer::Player(Side::Blue) => RecordScope::Blue,
        Viewer::Public => RecordScope::Public,
    }
}

impl Records {
    /// Returns the record of the first `until` events, as the server would send it, or `None` if
    /// the server would refuse.
    fn record(&self, until: usize, scope: Option<RecordScope>, requester: Viewer) -> Option<GameRecord> {
        let mut recorder = Recorder::new(self.log[0].before.clone());
        self.log[..until].iter().for_each(|logged| recorder.note(&logged.event, logged.at));
        let terms = Terms {
            ruleset: self.log[0].before.terms().ruleset.id.to_owned(),
            time: Time::Unlimited {},
            private: false,
            secret: false,
            rated: false,
        };
        let player =
            |name: &str| Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest };
        let players = PerSide::new(player("ann"), player("bob"));
        match scope {
            Some(scope) => recorder.record_as(scope, requester, terms, players).ok(),
            None => Some(recorder.record(requester, terms, players)),
        }
    }

    /// Checks that a live record, replayed with `apply`, gives the live view after every event.
    fn check_live(&self, until: usize) {
        for viewer in Viewer::ALL {
            let record = self.record(until, Some(scope_of(viewer)), viewer).expect("one's own record");
            let first = &self.log[0].before;
            let mut live = vec![view(first, viewer, first.latest()).seen];
            let seen =
                self.log[..until].iter().filter(|logged| see(&logged.event, &logged.after, viewer).is_some());
            live.extend(seen.map(|logged| view(&logged.after, viewer, logged.at).seen));
            assert_eq!(views(&record).count(), record.events.len() + 1, "every event has its change");
            for (index, (replayed, live)) in views(&record).zip(&live).enumerate() {
                assert_eq!(&replayed, live, "{viewer:?} after {index} events");
            }
            assert_eq!(record.events.len() + 1, live.len());
        }
    }

    /// Checks that an opened record shows the referee's position after every event.
    fn check_opened(&self) {
        let Some(end) = self.log.last().map(|logged| &logged.after) else { return };
        let last_ply = self
            .log
            .iter()
            .rposition(|logged| logged.event.ends_time_of().is_some() && !logged.event.is_choice());
        for viewer in Viewer::ALL {
            let record = self.record(self.log.len(), Some(RecordScope::All), viewer);
            assert_eq!(record.is_some(), is_opened_to(end, viewer));
            let Some(record) = record else { continue };
            let told = self.log.iter().enumerate().filter(|(index, logged)| {
                let is_resolved = last_ply.is_some_and(|last| *index < last);
                see(&logged.event, &logged.after, viewer).is_some()
                    || logged.event.is_choice()
                        && is_resolved
                        && see_opened(&logged.event, end, viewer).is_some()
            });
            let told: Vec<&Logged> = told.map(|(_, logged)| logged).collect();
            assert_eq!(record.events.len(), told.len());
            assert_eq!(views(&record).count(), told.len() + 1);
            for (replayed, logged) in views(&record).skip(1).zip(told) {
                let truth = view_opened(&logged.after, viewer, end, logged.at).seen;
                assert_eq!(replayed, truth, "{viewer:?} after {:?}", logged.event);
                let pieces = replayed.pieces.iter().map(|piece| {
                    let SeenPiece { square, side, identity, .. } = *piece;
                    match identity {
                        Identity::Known(rank) => (square, side, Some(rank)),
                        Identity::Coin => (square, side, None),
                        Identity::OneOf(_) | Identity::Hidden => panic!("{square} is hidden"),
                    }
                });
                assert_eq!(pieces.collect::<Vec<_>>(), Referee.pieces(logged.after.position()));
            }
        }
    }

    /// Checks that a requester is refused every record that shows more than they may know at the
    /// moment.
    fn check_refusals(&self, until: usize) {
        let now = &self.log[until - 1].after;
        for requester in Viewer::ALL {
            for viewer in Viewer::ALL {
                let is_own = viewer == requester || viewer == Viewer::Public;
                let record = self.record(until, Some(scope_of(viewer)), requester);
                assert_eq!(
                    record.is_some(),
                    is_own || is_opened_to(now, requester),
                    "{viewer:?} {requester:?}"
                );
                if let (Some(record), Viewer::Player(side), false) = (record, viewer, is_own) {
                    self.check_others(&record, side, until);
                }
            }
            let all = self.record(until, Some(RecordScope::All), requester);
            assert_eq!(all.is_some(), is_opened_to(now, requester));
        }
    }

    /// Checks what others may see of a side's live record: the deployment that the side played,
    /// and everything except the side's secrets.
    fn check_others(&self, record: &GameRecord, side: Side, until: usize) {
        let setups = record.events.iter().filter_map(|told| match &told.event {
            GameEvent::Deployed { setup } => Some(setup),
            _ => None,
        });
        let played = record.deployments[side].as_ref().map(|opened| &opened.setup);
        assert!(setups.clone().all(|setup| Some(setup) == played), "a deployment that was not played");
        assert!(setups.count() <= 1, "a changed deployment is in the record");
        let own = self.record(until, Some(scope_of(Viewer::Player(side))), Viewer::Player(side));
        let own = own.expect("one's own record");
        let started = |record: &GameRecord| {
            let is_start =
                |event: &GameEvent| matches!(event, GameEvent::Started { .. } | GameEvent::Ended { .. });
            let has_coins = self.log[0].before.phase() == Phase::Playing;
            if has_coins { Some(0) } else { record.events.iter().position(|told| is_start(&told.event)) }
        };
        let last =
            |is_it: &dyn Fn(&GameEvent) -> bool| own.events.iter().rposition(|told| is_it(&told.event));
        // A choice in a strike that was never resolved stays the side's secret.
        if last(&|event| matches!(event, GameEvent::Chosen { .. })) <= last(&GameEvent::is_ply) {
            let (started, own_started) = (started(record), started(&own));
            assert!(
                record.events[started.expect("a start")..] == own.events[own_started.expect("a start")..]
            );
        }
    }
}

impl Law for Records {
    fn event(&mut self, logged: &Logged) {
        self.log.push(logged.clone());
    }

    fn end(&mut self, _table: &Match) {
        for until in [1, self.log.len() / 2, self.log.len()] {
            if until > 0 {
                self.check_live(until);
                self.check_refusals(until);
            }
        }
        self.check_opened();
    }
}

#[test]
fn a_record_shows_exactly_what_its_audience_saw() {
    hold("records", 3, Records::default);
}
