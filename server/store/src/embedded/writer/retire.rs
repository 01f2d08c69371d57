//! Retires and deletes logs.

use flagfall_board::{GameId, Stamp};

use super::{Stage, Writer};
use crate::embedded::change::Change;
use crate::guard::{Guard, guard_expires, guard_key};
use crate::store::{RetireOutcome, StoreError, Write};
use crate::value::Head;

impl Writer {
    /// Returns the guard of a retired log. A damaged guard is reported when it is read.
    pub(super) fn guard(&self, stage: &Stage, game: GameId, now: Stamp) -> Result<Option<Guard>, StoreError> {
        let record = self.record(stage, &guard_key(game)?, now)?;
        Ok(record.and_then(|record| Guard::parse(&record)))
    }

    pub(super) fn stage_retirement(
        &self,
        stage: &mut Stage,
        game: GameId,
        guard: &Guard,
    ) -> Result<RetireOutcome, StoreError> {
        self.check_open()?;
        if self.shared.quarantine_of(game).is_some() {
            return Ok(RetireOutcome::Quarantined);
        }
        let Ok(head) = self.staged_head(stage, game)? else { return Ok(RetireOutcome::Quarantined) };
        let now = self.shared.clock.stamp();
        if head == Head::START {
            let before = self.guard(stage, game, now)?;
            let is_same = before.is_some_and(|before| before.head == guard.head);
            return Ok(if is_same { RetireOutcome::Ok } else { RetireOutcome::Conflict });
        }
        if head != guard.head {
            return Ok(RetireOutcome::Conflict);
        }
        // The guard is written first. If only this part of an unacknowledged group survives a
        // crash, the log is still there, and is retired again.
        let (key, value) = (guard_key(game)?, guard.encode());
        let writes = vec![Write::Put { key, value, expires: guard_expires(now) }];
        stage.note(&writes);
        stage.push(Change::Records { at: now, writes });
        stage.delete_log(game);
        Ok(RetireOutcome::Ok)
    }

    pub(super) fn stage_deletion(&self, stage: &mut Stage, game: GameId) -> Result<(), StoreError> {
        let now = self.shared.clock.stamp();
        let key = guard_key(game)?;
        if self.record(stage, &key, now)?.is_some() {
            let writes = vec![Write::Delete { key }];
            stage.note(&writes);
            stage.push(Change::Records { at: now, writes });
        }
        stage.delete_log(game);
        Ok(())
    }
}
