//! Reports: a player tells the operators about an opponent's behavior in a game. Each player can
//! report each game once, and send only a few reports per day.

use flagfall_base::refusals;
use flagfall_board::GameId;
use flagfall_protocol::{Code, Player, PlayerKind, Refusal, is_printable};
use flagfall_store::{Expect, Record, Store, StoreError, Update, UpdateOutcome};
use serde::{Deserialize, Serialize};

use crate::Refused;
use crate::records::{mark, parse, put};
use flagfall_base::keys::{REPORT_OF, REPORTED, REPORTS, time15};
use flagfall_base::scan::Scan;

pub const REASON_LEN_MAX: usize = 300;
/// The maximum number of reports of one player per day.
const REPORTS_MAX: usize = 10;
/// The time for which a report counts toward [`REPORTS_MAX`], in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The time for which reports are kept, in milliseconds.
const KEPT_MS: u64 = 180 * DAY_MS;
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The time of the report, in milliseconds since 1970.
    pub at: u64,
    pub reporter: Player,
    pub reported: Player,
    pub game: GameId,
    pub reason: String,
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
    };
    let once = REPORT_OF.key([&game, &reporter.id])?;
    let counted = REPORTED.key([&reporter.id, &game])?;
    let kept = REPORTS.key([&format_args!("{}-{game}-{}", time15(at), reporter.id)])?;
    let expires = Some(at.plus_ms(KEPT_MS));
    let update = Update {
        conditions: vec![(once.clone(), Expect::Absent)],
        writes: vec![
            mark(once.clone(), expires),
            mark(counted, Some(at.plus_ms(DAY_MS))),
            put(kept, &report, expires)?,
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store_testing::{ManualClock, TestStore};

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
