//! The actions of operators: reading reports, closing and reopening accounts, correcting ratings,
//! and erasing games. The update that carries out or begins an action also writes it to the
//! operators' log. This module never changes or deletes entries of that log, and never shows a
//! running game.

use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{RatingChange, ReportState, is_printable};
use flagfall_store::{Store, StoreError, Write};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::erased_games::{self, EraseError};
use crate::players::{ClosureError, find_player, set_closed};
use crate::ratings::{UndoError, rated_games, undo};
use crate::records::{parse, put};
use crate::reports::{Report, decide, reports};
use flagfall_base::jobs::{DeadJob, WaitingJobs, dead_jobs, discard, retry};
use flagfall_base::keys::{OPERATOR_JOBS, OPERATOR_LOG, time15};
use flagfall_base::random::{ChanceError, random_code};
use flagfall_base::scan::Scan;
use flagfall_words::counted;

/// Maximum number of log entries or reports to list. The latest are listed.
const LISTED_MAX: usize = 500;
pub const REASON_LEN_MAX: usize = 300;

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OperatorError {
    #[error(transparent)]
    Closure(#[from] ClosureError),
    #[error(transparent)]
    Undo(#[from] UndoError),
    #[error(transparent)]
    Erase(#[from] EraseError),
    #[error("no such report: `operator reports` lists the reports")]
    NoSuchReport,
    #[error("no such job has failed permanently: `operator jobs` lists the failed jobs as KIND/ID")]
    NoSuchJob,
    #[error(
        "nothing was discarded: the work of a discarded job is never done. To discard the job anyway, add --yes"
    )]
    NotConfirmed,
    /// The reason is empty or too long, or contains characters that cannot be printed.
    #[error("a reason must have 1 to {REASON_LEN_MAX} printable characters")]
    BadReason,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Chance(#[from] ChanceError),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Act {
    /// The time of the action, in milliseconds since 1970.
    pub at: u64,
    pub deed: Deed,
    pub reason: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    Closed { player: String, name: String },
    Reopened { player: String, name: String },
    Undone { change: RatingChange },
    Retried { job: String },
    Discarded { job: String },
    Erased { game: GameId },
    Decided { game: GameId, reporter: String, name: String, state: ReportState },
}

/// Carries out the actions of an operator on a store. All of them have the same reason.
pub struct Operator<'a> {
    store: &'a dyn Store,
    reason: String,
}

impl<'a> Operator<'a> {
    pub fn new(store: &'a dyn Store, reason: &str) -> Result<Operator<'a>, OperatorError> {
        let reason = reason.trim();
        if !is_printable(reason, REASON_LEN_MAX) {
            return Err(OperatorError::BadReason);
        }
        Ok(Operator { store, reason: reason.to_owned() })
    }

    fn note(&self, id: &str, deed: Deed) -> Result<Write, StoreError> {
        let act = Act { at: self.store.now().0, deed, reason: self.reason.clone() };
        // Keys are sorted by time, and contain an id because two actions may have the same time.
        // Some actions have a separate kind of record, because version 0.1 cannot read them.
        let kind = match act.deed {
            Deed::Retried { .. } | Deed::Discarded { .. } | Deed::Erased { .. } | Deed::Decided { .. } => {
                &OPERATOR_JOBS
            }
            Deed::Closed { .. } | Deed::Reopened { .. } | Deed::Undone { .. } => &OPERATOR_LOG,
        };
        let key = kind.key([&format_args!("{}-{id}", time15(Stamp(act.at)))])?;
        put(key, &act, None)
    }

    /// Retries a job that failed permanently.
    pub async fn retry(&self, kind: &str, id: &str) -> Result<(), OperatorError> {
        let note = self.note(&random_code()?, Deed::Retried { job: format!("{kind}/{id}") })?;
        let is_found = retry(self.store, kind, id, &note).await?;
        is_found.then_some(()).ok_or(OperatorError::NoSuchJob)
    }

    /// Deletes a job that failed permanently, so its work is never done. Returns
    /// [`OperatorError::NotConfirmed`] if `is_confirmed` is false.
    pub async fn discard(&self, kind: &str, id: &str, is_confirmed: bool) -> Result<(), OperatorError> {
        if !is_confirmed {
            return Err(OperatorError::NotConfirmed);
        }
        let note = self.note(&random_code()?, Deed::Discarded { job: format!("{kind}/{id}") })?;
        let is_found = discard(self.store, kind, id, &note).await?;
        is_found.then_some(()).ok_or(OperatorError::NoSuchJob)
    }

    pub async fn retry_all(&self) -> Result<usize, OperatorError> {
        let (mut retried, mut failed) = (0, None);
        for DeadJob { kind, id, .. } in dead_jobs(self.store).await? {
            match self.retry(&kind, &id).await {
                Ok(()) => retried += 1,
                // Another operator has already retried or discarded the job.
                Err(OperatorError::NoSuchJob) => {}
                // If one job cannot be retried, retry the others anyway.
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(retried), Err)
    }

    /// Closes an account: refuses its logins and closes its sockets. Then marks the open reports
    /// about the player as acted on. If only this step fails, the account stays closed, and
    /// [`Operator::decide`] can still decide the reports.
    pub async fn close(&self, name: &str) -> Result<(), OperatorError> {
        let id = random_code()?;
        let player = set_closed(self.store, name, true, |player| {
            self.note(&id, Deed::Closed { player: player.id.clone(), name: player.name.clone() })
        })
        .await?;
        for report in reports(self.store).await? {
            if report.reported.id == player.id && report.state == ReportState::Open {
                decide(self.store, &report, ReportState::Acted, None).await?;
            }
        }
        Ok(())
    }

    /// Decides a player's report about a game. Repeating the call with another decision changes
    /// the decision. `reporter` is the name or the id of the player in the list of reports.
    pub async fn decide(
        &self,
        game: GameId,
        reporter: &str,
        state: ReportState,
    ) -> Result<(), OperatorError> {
        let is_by = |report: &Report| {
            report.reporter.name.eq_ignore_ascii_case(reporter) || report.reporter.id == reporter
        };
        let mut all = reports(self.store).await?.into_iter();
        let report = all.find(|report| report.game == game && is_by(report));
        let report = report.ok_or(OperatorError::NoSuchReport)?;
        let (reporter, name) = (report.reporter.id.clone(), report.reporter.name.clone());
        let note = self.note(&random_code()?, Deed::Decided { game, reporter, name, state })?;
        let is_found = decide(self.store, &report, state, Some(&note)).await?;
        is_found.then_some(()).ok_or(OperatorError::NoSuchReport)
    }

    pub async fn reopen(&self, name: &str) -> Result<(), OperatorError> {
        let id = random_code()?;
        set_closed(self.store, name, false, |player| {
            self.note(&id, Deed::Reopened { player: player.id.clone(), name: player.name.clone() })
        })
        .await?;
        Ok(())
    }

    pub async fn undo(&self, game: GameId) -> Result<RatingChange, OperatorError> {
        let id = random_code()?;
        Ok(undo(self.store, game, |change| self.note(&id, Deed::Undone { change: change.clone() })).await?)
    }

    /// Erases a finished game. Returns false if it was erased before. After an error, only a part
    /// of the game may have been erased. A server completes the erasure later, unless another
    /// call does it first.
    pub async fn erase(&self, game: GameId) -> Result<bool, OperatorError> {
        let note = self.note(&random_code()?, Deed::Erased { game })?;
        Ok(erased_games::erase(self.store, game, note).await?)
    }

    /// Undoes the effect of all rated games of a player on ratings, and returns the number of games
    /// whose effect this call has undone. It may be repeated after an interruption, because no
    /// effect is undone twice.
    pub async fn undo_all(&self, name: &str) -> Result<usize, OperatorError> {
        let (player, _) = find_player(self.store, name).await?;
        let mut undone = 0;
        for game in rated_games(self.store, &player.id).await? {
            match self.undo(game).await {
                Ok(_) => undone += 1,
                Err(OperatorError::Undo(UndoError::UndoneBefore | UndoError::NotRated)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(undone)
    }
}

/// Returns the latest actions of operators, oldest first.
pub async fn acts(store: &dyn Store) -> Result<Vec<Act>, StoreError> {
    let mut acts = Vec::new();
    for kind in [&OPERATOR_LOG, &OPERATOR_JOBS] {
        let records = Scan::all(store, kind.all()?).await?;
        for (_, value) in records.iter().skip(records.len().saturating_sub(LISTED_MAX)) {
            acts.push(parse::<Act>(value, "an operator's act")?);
        }
    }
    acts.sort_by_key(|act| act.at);
    let surplus = acts.len().saturating_sub(LISTED_MAX);
    acts.drain(..surplus);
    Ok(acts)
}

pub fn act_line(act: &Act) -> String {
    let Act { at, deed, reason } = act;
    let deed = match deed {
        Deed::Closed { player, name } => format!("closed {name} ({player})"),
        Deed::Reopened { player, name } => format!("reopened {name} ({player})"),
        Deed::Undone { change } => format!("undid the rating change of {}", change_text(change)),
        Deed::Retried { job } => format!("retried the job {job}"),
        Deed::Discarded { job } => format!("discarded the job {job}"),
        Deed::Erased { game } => format!("erased game {game}"),
        Deed::Decided { game, reporter, name, state } => {
            format!("decided the report of {name} ({reporter}) in game {game} as {}", state.name())
        }
    };
    format!("{}  {deed}: {reason}", Stamp(*at).utc())
}

pub fn dead_job_line(dead: &DeadJob) -> String {
    let DeadJob { kind, id, error, attempts, failed } = dead;
    let attempts =
        attempts.map_or(String::new(), |attempts| format!(", {}", counted(attempts, "attempt", "attempts")));
    let failed =
        failed.map_or(String::new(), |(first, last)| format!(", first {}, last {}", first.utc(), last.utc()));
    format!("{kind}/{id}: {error}{attempts}{failed}")
}

pub fn waiting_line(waiting: &WaitingJobs) -> String {
    let WaitingJobs { kind, count, failed } = waiting;
    format!("{kind}: {count} waiting, of which {failed} failed before")
}

pub fn change_text(change: &RatingChange) -> String {
    let points = |side: Side| {
        let points = i64::from(change.after[side].rating) - i64::from(change.before[side].rating);
        format!("{side} {points:+}")
    };
    let RatingChange { game, ruleset, speed, .. } = change;
    format!("game {game} ({ruleset}, {}): {}, {}", speed.name(), points(Side::Red), points(Side::Blue))
}

pub fn report_line(report: &Report) -> String {
    let Report { at, reporter, reported, game, reason, state } = report;
    format!(
        "{}  {}: {} ({}) about {} ({}) in game {game}: {reason}",
        Stamp(*at).utc(),
        state.name(),
        reporter.name,
        reporter.id,
        reported.name,
        reported.id
    )
}

/// Returns the latest reports, oldest first.
pub async fn latest_reports(store: &dyn Store) -> Result<Vec<Report>, StoreError> {
    let all = reports(store).await?;
    let surplus = all.len().saturating_sub(LISTED_MAX);
    Ok(all.into_iter().skip(surplus).collect())
}
