//! Reports: a player tells the operators about an opponent's behavior in a game. Each player can
//! report each game once, and send only a few reports per day. The operators decide each report,
//! and the player can see what they decided.

use flagfall_base::refusals;
use flagfall_board::{GameId, Stamp};
use flagfall_protocol::{Code, OwnReport, Player, PlayerKind, Refusal, ReportState, is_printable};
use flagfall_store::{Expect, Key, Record, Store, StoreError, Update, UpdateOutcome, Write};
use serde::{Deserialize, Serialize};

use crate::Refused;
use crate::records::{damaged, find, mark, parse, put};
use flagfall_base::keys::{REPORT_OF, REPORTED, REPORTS, REPORTS_BY, descending_time, time15};
use flagfall_base::names::player_shown;
use flagfall_base::scan::Scan;
use flagfall_base::transact::Transaction;

pub const REASON_LEN_MAX: usize = 300;
/// The maximum number of reports of one player per day.
const REPORTS_MAX: usize = 10;
/// The time for which a report counts toward [`REPORTS_MAX`], in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The time for which reports are kept, in milliseconds.
const KEPT_MS: u64 = 180 * DAY_MS;
/// The maximum number of reports that a player can see.
const LISTED_MAX: usize = 50;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The time of the report, in milliseconds since 1970.
    pub at: u64,
    pub reporter: Player,
    pub reported: Player,
    pub game: GameId,
    pub reason: String,
    /// The operators' decision.
    #[serde(default, skip_serializing_if = "is_open")]
    pub state: ReportState,
}

fn is_open(state: &ReportState) -> bool {
    *state == ReportState::Open
}

impl Report {
    /// Returns the last part of the report's key.
    fn place(&self) -> String {
        let Report { at, reporter, game, .. } = self;
        format!("{}-{game}-{}", time15(Stamp(*at)), reporter.id)
    }

    fn key(&self) -> Result<Key, StoreError> {
        REPORTS.key([&self.place()])
    }

    fn write(&self) -> Result<Write, StoreError> {
        put(self.key()?, self, Some(Stamp(self.at).plus_ms(KEPT_MS)))
    }
}

/// Stores a report for the operators. The report is durable when this returns.
pub async fn report(
    store: &dyn Store,
    reporter: &Player,
    reported: &Player,
    game: GameId,
    reason: &str,
) -> Result<(), Refused> {
    let reason = reason.trim();
    if !is_printable(reason, REASON_LEN_MAX) {
        return Err(Refusal::new(Code::BAD_TEXT).because("report").with("max", REASON_LEN_MAX).into());
    }
    if reported.kind == PlayerKind::House {
        return Err(Refusal::new(Code::HOUSE_PLAYER).because("report").into());
    }
    let today = store.scan(REPORTED.under([&reporter.id])?, None, REPORTS_MAX);
    if today.await?.len() >= REPORTS_MAX {
        return Err(Refusal::new(Code::TOO_MANY).because("reports").with("count", REPORTS_MAX).into());
    }
    let at = store.now();
    let report = Report {
        at: at.0,
        reporter: reporter.clone(),
        reported: reported.clone(),
        game,
        reason: reason.to_owned(),
        state: ReportState::Open,
    };
    let once = REPORT_OF.key([&game, &reporter.id])?;
    let counted = REPORTED.key([&reporter.id, &game])?;
    let own = REPORTS_BY.key([&reporter.id, &format_args!("{}-{game}", descending_time(at))])?;
    let expires = Some(at.plus_ms(KEPT_MS));
    let update = Update {
        conditions: vec![(once.clone(), Expect::Absent)],
        writes: vec![
            mark(once.clone(), expires),
            mark(counted, Some(at.plus_ms(DAY_MS))),
            report.write()?,
            Write::Put { key: own, value: report.place().into_bytes(), expires },
        ],
    };
    match store.update(update).await? {
        UpdateOutcome::Ok => Ok(()),
        UpdateOutcome::Conflict => Err(Refusal::new(Code::REPORTED_BEFORE).into()),
        // To find out whether the records were written, read any one of them, because either all
        // or none were written.
        UpdateOutcome::Unknown => match store.get(once).await? {
            Some(_) => Ok(()),
            None => Err(refusals::store_away().into()),
        },
    }
}

/// Returns all stored reports, oldest first.
pub(crate) async fn reports(store: &dyn Store) -> Result<Vec<Report>, StoreError> {
    let read = |(_, value): Record| parse(&value, "a report");
    Scan::all(store, REPORTS.all()?).await?.into_iter().map(read).collect()
}

/// Returns the latest reports of a player, latest first.
pub async fn own_reports(store: &dyn Store, player: &Player) -> Result<Vec<OwnReport>, StoreError> {
    let mut own = Vec::new();
    for (_, place) in store.scan(REPORTS_BY.under([&player.id])?, None, LISTED_MAX).await? {
        let place = String::from_utf8(place).map_err(|_| damaged("the mark of a report cannot be read"))?;
        // The report may have expired in the meantime.
        let Some((report, _)) = find::<Report>(store, REPORTS.key([&place])?, "a report").await? else {
            continue;
        };
        let Report { at, reporter: _, reported, game, reason, state } = report;
        let reported = player_shown(store, &reported.id, reported.kind).await?;
        own.push(OwnReport { game, at, reported, reason, state });
    }
    Ok(own)
}

/// Stores a decision about a report, and writes `note` in the same update. Returns false if the
/// report no longer exists.
pub(crate) async fn decide(
    store: &dyn Store,
    report: &Report,
    state: ReportState,
    note: Option<&Write>,
) -> Result<bool, StoreError> {
    let mut transaction = Transaction::new(store, "the report");
    let mut is_tried = false;
    loop {
        let Some((mut report, bytes)) = find::<Report>(store, report.key()?, "a report").await? else {
            return Ok(false);
        };
        // The store may have made the change in the previous attempt without confirming it, or
        // another operator has made the same decision.
        if is_tried && report.state == state {
            return Ok(true);
        }
        report.state = state;
        let conditions = vec![(report.key()?, Expect::Value(bytes))];
        let writes = [report.write()?].into_iter().chain(note.cloned()).collect();
        if transaction.commit(Update { conditions, writes }).await? {
            return Ok(true);
        }
        is_tried = true;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_store_testing::{ManualClock, TestStore, WriteFault};

    use super::*;

    fn player(id: &str, kind: PlayerKind) -> Player {
        Player { id: id.to_owned(), name: id.to_owned(), kind }
    }

    fn code_of(reported: Result<(), Refused>) -> Result<(), Code> {
        reported.map_err(|Refused(refusal)| refusal.code)
    }

    #[tokio::test]
    async fn a_game_is_reported_once_and_a_few_a_day() {
        let clock = Arc::new(ManualClock::new(Stamp(1_000_000)));
        let store = TestStore::new(clock.clone());
        let (ana, bo) = (player("ana", PlayerKind::Account), player("bo", PlayerKind::Guest));
        let game = |n: u8| GameId::from_random([n; 12]);
        report(&store, &ana, &bo, game(0), " he swore ").await.unwrap();
        assert_eq!(
            code_of(report(&store, &ana, &bo, game(0), "again").await),
            Err(Code::new(Code::REPORTED_BEFORE))
        );
        report(&store, &bo, &ana, game(0), "so did she").await.unwrap();
        for n in 1..10 {
            report(&store, &ana, &bo, game(n), "and again").await.unwrap();
        }
        assert_eq!(
            code_of(report(&store, &ana, &bo, game(10), "more").await),
            Err(Code::new(Code::TOO_MANY))
        );
        clock.advance_ms(DAY_MS);
        report(&store, &ana, &bo, game(10), "more").await.unwrap();
        let kept = reports(&store).await.unwrap();
        assert_eq!(kept.len(), 12);
        assert_eq!((kept[0].reported.id.as_str(), kept[0].reason.as_str()), ("bo", "he swore"));
        clock.advance_ms(KEPT_MS);
        assert_eq!(reports(&store).await.unwrap(), []);
    }

    #[tokio::test]
    async fn players_see_their_own_reports_and_what_was_decided() {
        let clock = Arc::new(ManualClock::new(Stamp(1_000_000)));
        let store = TestStore::new(clock.clone());
        let (ana, bo) = (player("ana", PlayerKind::Account), player("bo", PlayerKind::Guest));
        let game = |n: u8| GameId::from_random([n; 12]);
        for (reporter, reported, n) in [(&ana, &bo, 1), (&bo, &ana, 1), (&ana, &bo, 2), (&ana, &bo, 3)] {
            report(&store, reporter, reported, game(n), &format!("game {n}")).await.unwrap();
            clock.advance_ms(1);
        }
        let all = reports(&store).await.unwrap();
        store.fail_next(WriteFault::UnknownAfterWriting);
        for (at, state) in [(0, ReportState::Acted), (2, ReportState::Nothing)] {
            assert_eq!(decide(&store, &all[at], state, None).await, Ok(true));
        }
        let own = own_reports(&store, &ana).await.unwrap();
        let states: Vec<_> = own.iter().map(|own| (own.reason.as_str(), own.state)).collect();
        let decided =
            [("game 3", ReportState::Open), ("game 2", ReportState::Nothing), ("game 1", ReportState::Acted)];
        assert_eq!(states, decided);
        assert_eq!(own_reports(&store, &bo).await.unwrap().len(), 1);
        // A decision does not prolong the time for which a report is kept.
        clock.advance_ms(KEPT_MS - 2);
        assert_eq!(own_reports(&store, &ana).await.unwrap().len(), 1, "only the last one is left");
        clock.advance_ms(KEPT_MS);
        assert_eq!(own_reports(&store, &ana).await.unwrap(), []);
        assert_eq!(decide(&store, &all[3], ReportState::Acted, None).await, Ok(false));
    }

    #[tokio::test]
    async fn invalid_reports_are_refused() {
        let store = TestStore::default();
        let (ana, house) = (player("ana", PlayerKind::Guest), player("house-good", PlayerKind::House));
        let game = GameId::from_random([1; 12]);
        for reason in ["", "  ", "\u{1b}[2J", &"x".repeat(REASON_LEN_MAX + 1)] {
            assert_eq!(
                code_of(report(&store, &ana, &ana, game, reason).await),
                Err(Code::new(Code::BAD_TEXT))
            );
        }
        assert_eq!(
            code_of(report(&store, &ana, &house, game, "slow").await),
            Err(Code::new(Code::HOUSE_PLAYER))
        );
        assert_eq!(reports(&store).await.unwrap(), []);
    }
}
