//! Repairs the store after servers were lost or Redis was restarted: finishes appends, and gives
//! back lost entries and side records.

use std::sync::atomic::Ordering;

use flagfall_board::{GameId, Stamp};
use redis::{Cmd, Pipeline};

use super::answers::{self, Appended, StreamEntry};
use super::held::HeldEntry;
use super::layout::{WriteArguments, parse_pending_member, pending_member};
use super::link::{Link, Script};
use super::request::{APPENDS_MAX, GROUP_BYTES_MAX, GROUP_MAX, Prepared};
use super::request_error::{RequestError, checked, of_right_type, parsed};
use super::writer::{APART_MS, CHUNK, Writer};
use crate::clock::{SystemClock, WallClock};
use crate::guard::GUARD_MS;
use crate::store::{Expect, Update, Write};
use crate::value::Head;

/// The time, in milliseconds, after which a pending append that has no entry counts as abandoned.
const ABANDONED_MS: u64 = 60_000;
/// The time in milliseconds after which to look for guards again, if nothing is known to be missed.
const LOOK_MS: u64 = 10 * 60 * 1_000;
/// The time in milliseconds after a look for guards for which all later guards still exist.
const GUARDS_SURE_MS: u64 = GUARD_MS - LOOK_MS;

/// The side records that must still be applied for an append.
pub(super) struct Intent<'a> {
    pub(super) game: GameId,
    pub(super) seq: u64,
    pub(super) writes: &'a [WriteArguments],
}

impl Writer {
    /// Applies the side records of appends, and removes those appends from the list of pending
    /// appends. In a bucket, applies only the records of this bucket, and makes sure that the
    /// appends are in the list. [`BucketStore`](super::buckets::BucketStore) applies the records of
    /// the other buckets.
    pub(super) async fn carry_out(
        &self,
        link: &mut Link,
        intents: &[Intent<'_>],
    ) -> Result<(), RequestError> {
        let keys = &self.shared.keys;
        if keys.is_bucket() && !intents.is_empty() {
            let mut list = redis::cmd("ZADD");
            list.arg(&keys.pending);
            for intent in intents {
                list.arg(SystemClock.now().0).arg(pending_member(intent.game, intent.seq));
            }
            link.query::<u64>(&list).await?;
            self.shared.has_pending.store(true, Ordering::SeqCst);
        }
        let looks_for_earlier = !keys.is_bucket();
        let earlier = self.apply(link, intents, looks_for_earlier).await?;
        for (intent, earlier) in intents.iter().zip(earlier).filter(|(_, earlier)| !earlier.is_empty()) {
            for seq in earlier {
                for entry in self.logged(link, intent.game, seq).await?.unwrap_or_default() {
                    self.apply(link, &[Intent { game: intent.game, seq, writes: &entry.writes }], false)
                        .await?;
                }
            }
            // If an earlier append is listed now, another server has listed it again after it was
            // finished. That does no harm.
            self.apply(link, std::slice::from_ref(intent), false).await?;
        }
        Ok(())
    }

    /// Applies side records of appends. In a bucket, does not change the list of pending appends,
    /// and leaves out the records of other buckets. If `looks_for_earlier`, returns for each append
    /// the earlier ones that may be unfinished. If an append has any, none of its records were
    /// applied.
    async fn apply(
        &self,
        link: &mut Link,
        intents: &[Intent<'_>],
        looks_for_earlier: bool,
    ) -> Result<Vec<Vec<u64>>, RequestError> {
        let keys = &self.shared.keys;
        for attempt in 0..2 {
            let mut commands = Pipeline::new();
            for intent in intents {
                let names = [keys.values.as_str(), &keys.names, &keys.expiries, &keys.applied, &keys.pending];
                let mut apply = link.call(Script::Apply, &names);
                let member = pending_member(intent.game, intent.seq);
                let member = if keys.is_bucket() { "" } else { member.as_str() };
                apply.arg(intent.game.as_str()).arg(intent.seq).arg(member);
                apply.arg(u8::from(looks_for_earlier));
                for write in intent.writes.iter().filter(|write| keys.has_record(&write[1])) {
                    apply.arg(write.as_slice());
                }
                commands.add_command(apply);
            }
            let answers: Result<Vec<_>, _> =
                link.send(&commands).await?.into_iter().map(answers::applied).collect();
            match answers {
                Err(RequestError::ScriptGone) if attempt == 0 => link.load_scripts().await?,
                answers => return answers,
            }
        }
        Err(RequestError::ScriptGone)
    }

    /// Reads an entry of a log. Returns `None` if the log's key holds a value of another type, and
    /// an empty list if there is no such entry.
    async fn logged(
        &self,
        link: &mut Link,
        game: GameId,
        seq: u64,
    ) -> Result<Option<Vec<StreamEntry>>, RequestError> {
        let id = format!("{seq}-0");
        let found = link.query(redis::cmd("XRANGE").arg(self.shared.keys.log(game)).arg(&id).arg(&id)).await;
        let Some(found) = of_right_type(found)? else {
            self.shared.quarantine_overwritten(game);
            return Ok(None);
        };
        Ok(Some(answers::stream(found)?.unwrap_or_default()))
    }

    /// Finishes appends whose server was lost before it applied their side records. With `until`,
    /// only finishes appends that were listed before that time. Does nothing in a bucket, whose
    /// appends [`BucketStore`](super::buckets::BucketStore) finishes.
    pub(super) async fn finish_pending(
        &self,
        link: &mut Link,
        until: Option<u64>,
    ) -> Result<(), RequestError> {
        let keys = &self.shared.keys;
        if keys.is_bucket() {
            return Ok(());
        }
        let until = until.map_or_else(|| "+inf".to_owned(), |until| until.to_string());
        let mut look = redis::cmd("ZRANGEBYSCORE");
        look.arg(&keys.pending).arg("-inf").arg(until).arg("WITHSCORES");
        // If the key has another type, that was already logged when the connection was made.
        let pending: Vec<(Vec<u8>, f64)> = of_right_type(link.query(&look).await)?.unwrap_or_default();
        let parse = |(member, since): (Vec<u8>, f64)| Some((parse_pending_member(&member)?, since as u64));
        let mut pending: Vec<((GameId, u64), u64)> = pending.into_iter().filter_map(parse).collect();
        // Sorted by entry, because the latest write to a record must win.
        pending.sort_unstable();
        for ((game, seq), since) in pending {
            let Some(found) = self.logged(link, game, seq).await? else {
                // The append stays in the list. Its side records are applied after an operator
                // has restored the log.
                continue;
            };
            let is_abandoned = SystemClock.now().0.saturating_sub(since) > ABANDONED_MS;
            match found.first() {
                Some(entry) => {
                    self.carry_out(link, &[Intent { game, seq, writes: &entry.writes }]).await?;
                }
                // The append was not made, or is being made at this moment.
                None if is_abandoned => {
                    let member = pending_member(game, seq);
                    link.query::<u64>(redis::cmd("ZREM").arg(&keys.pending).arg(member)).await?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Gives back the lost entries of a game's log. Returns true if that succeeded.
    pub(super) async fn is_restored(&mut self, game: GameId, head: Head) -> bool {
        // If nothing is left of the log, it may have been retired long ago.
        if head == Head::START
            && self.is_look_due(self.shared.now())
            && let Err(error) = self.look_for_guards().await
        {
            self.lose_link(&error);
            return false;
        }
        let Some(entries) = self.shared.held.lock().missing(game, head) else { return false };
        let Some(mut link) = self.link.clone() else { return false };
        match self.restore(&mut link, &[Missing { game, head, entries }]).await {
            Ok(restored) => restored == 1,
            Err(error) => {
                self.lose_link(&error);
                false
            }
        }
    }

    /// True if some guards may have expired since the latest look for guards.
    pub(super) fn may_miss_guards(&self, now: Stamp) -> bool {
        now.ms_since(self.guards_at) > GUARDS_SURE_MS
    }

    pub(super) fn is_look_due(&self, now: Stamp) -> bool {
        now.ms_since(self.guards_at) > LOOK_MS
    }

    /// Forgets the held logs that were retired. As long as the connection lasts, Redis loses
    /// nothing, unless it is emptied.
    pub(super) async fn look_for_guards(&mut self) -> Result<(), RequestError> {
        let Some(mut link) = self.link.clone() else { return Ok(()) };
        let made: Option<String> = link.query(&Cmd::hget(&self.shared.keys.meta, "made")).await?;
        if made.unwrap_or_default() != self.made {
            // The next heartbeat finds this out, and the next connection looks for guards.
            return Ok(());
        }
        self.forget_retired(&mut link, self.shared.now(), None).await
    }

    /// Forgets the held logs that were retired or deleted. Such a log is not lost, and must not be
    /// given back.
    ///
    /// It has left a guard. If its guard may have expired, a log of which Redis has nothing counts
    /// as lost only if it began after the time to which Redis was set back (`set_back`).
    pub(super) async fn forget_retired(
        &mut self,
        link: &mut Link,
        now: Stamp,
        set_back: Option<Stamp>,
    ) -> Result<(), RequestError> {
        let keys = &self.shared.keys;
        let may_miss_guards = self.may_miss_guards(now);
        for chunk in self.shared.held_games().chunks(CHUNK) {
            let mut commands = Pipeline::new();
            for game in chunk {
                commands.cmd("EXISTS").arg(keys.guard(*game)).cmd("EXISTS").arg(keys.log(*game));
            }
            let mut answers = link.send(&commands).await?.into_iter().map(parsed::<u64>);
            for (game, (guard, log)) in
                chunk.iter().zip(std::iter::from_fn(|| answers.next().zip(answers.next())))
            {
                let (has_guard, has_log) = (guard? > 0, log? > 0);
                let mut held = self.shared.held.lock();
                let began = held.began(*game).map(|began| began.plus_ms(APART_MS));
                let is_lost = set_back.zip(began).is_some_and(|(set_back, began)| began >= set_back);
                if has_guard || !has_log && may_miss_guards && !is_lost {
                    held.forget(*game);
                }
            }
        }
        self.guards_at = now;
        Ok(())
    }

    /// Compares logs with the entries held in memory. Gives back the entries that Redis has lost,
    /// and their side records.
    pub(super) async fn give_back(&self, link: &mut Link, games: &[GameId]) -> Result<(), RequestError> {
        let keys = &self.shared.keys;
        let held: Vec<(GameId, Head)> = {
            let held = self.shared.held.lock();
            games.iter().filter_map(|game| Some((*game, held.head(*game)?))).collect()
        };
        let mut commands = Pipeline::new();
        for (game, head) in &held {
            let (log, id) = (keys.log(*game), format!("{}-0", head.seq));
            commands.cmd("XRANGE").arg(&log).arg(&id).arg(&id);
            commands.cmd("XREVRANGE").arg(&log).arg("+").arg("-").arg("COUNT").arg(1);
            commands.cmd("HGET").arg(&keys.applied).arg(game.as_str());
        }
        let mut answers = link.send(&commands).await?.into_iter();
        let (mut missing, mut records) = (Vec::new(), Vec::new());
        for (game, head) in held {
            let (Some(same), Some(last), Some(applied)) = (answers.next(), answers.next(), answers.next())
            else {
                break;
            };
            let mut known = head.seq;
            let Some(same) = of_right_type(checked(same))? else {
                self.shared.quarantine_overwritten(game);
                continue;
            };
            if answers::head(same) != Some(head) {
                let Some(last) = answers::head(checked(last)?) else { continue };
                let mut held = self.shared.held.lock();
                let Some(entries) = held.missing(game, last) else {
                    held.forget(game);
                    continue;
                };
                missing.push(Missing { game, head: last, entries });
                known = last.seq;
            }
            let applied: Option<u64> = of_right_type(parsed(applied))?.flatten();
            let lost = self.shared.held.lock().writes_after(game, applied.unwrap_or(0));
            // The side records of lost entries are applied together with those entries.
            let lost = lost.into_iter().filter(|(seq, _)| *seq <= known);
            records.extend(lost.map(|(seq, writes)| (game, seq, writes)));
        }
        self.restore(link, &missing).await?;
        let intents: Vec<Intent<'_>> =
            records.iter().map(|(game, seq, writes)| Intent { game: *game, seq: *seq, writes }).collect();
        for group in groups(&intents, |intent| bytes_of(intent.writes)) {
            self.carry_out(link, group).await?;
        }
        Ok(())
    }

    /// Gives back the side records in this bucket that belong to appends to games in other buckets.
    /// Ignores locks, because a transaction that holds a lock has seen the bucket without these
    /// records.
    pub(super) async fn give_back_foreign(&self, link: &mut Link) -> Result<(), RequestError> {
        let keys = &self.shared.keys;
        let mut games = self.shared.held.lock().games();
        games.retain(|game| !keys.has_game(*game));
        for chunk in games.chunks(CHUNK) {
            let mut look = redis::cmd("HMGET");
            look.arg(&keys.applied);
            for game in chunk {
                look.arg(game.as_str());
            }
            let applied: Vec<Option<u64>> = link.query(&look).await?;
            let mut lost = Vec::new();
            for (game, applied) in chunk.iter().zip(applied) {
                let writes = self.shared.held.lock().writes_after(*game, applied.unwrap_or(0));
                for (seq, mut writes) in writes {
                    writes.retain(|write| keys.has_record(&write[1]));
                    if !writes.is_empty() {
                        lost.push((*game, seq, writes));
                    }
                }
            }
            let intents: Vec<Intent<'_>> =
                lost.iter().map(|(game, seq, writes)| Intent { game: *game, seq: *seq, writes }).collect();
            for group in groups(&intents, |intent| bytes_of(intent.writes)) {
                self.apply(link, group, false).await?;
            }
        }
        Ok(())
    }

    /// Gives back the side records of which this server keeps copies, except those that exist in
    /// Redis.
    pub(super) async fn give_back_records(&self, link: &mut Link) -> Result<(), RequestError> {
        let kept = self.shared.kept.lock().all();
        if kept.is_empty() {
            return Ok(());
        }
        for group in groups(&kept, Write::value_bytes) {
            let mut commands = Pipeline::new();
            for write in group {
                let absent = Update {
                    conditions: vec![(write.key().clone(), Expect::Absent)],
                    writes: vec![write.clone()],
                };
                self.add_update(link, &absent, &mut commands);
            }
            for answer in link.send(&commands).await? {
                answers::updated(answer)?;
            }
        }
        tracing::warn!(records = kept.len(), "Redis was emptied: records of players were given back");
        Ok(())
    }

    /// Checks that the shared keys have the right types. If the store can work without a key, a
    /// wrong type is only logged.
    ///
    /// # Errors
    /// [`RequestError::NotDone`] names a key that the store cannot work without.
    pub(super) async fn look_at_keys(&self, link: &mut Link) -> Result<(), RequestError> {
        let keys = &self.shared.keys;
        let hashes =
            [(&keys.meta, true), (&keys.values, true), (&keys.applied, false), (&keys.quarantined, false)];
        let sets = [(&keys.names, true), (&keys.expiries, false), (&keys.pending, false)];
        let mut questions = Pipeline::new();
        for (key, _) in &hashes {
            questions.cmd("HGET").arg(*key).arg("");
        }
        for (key, _) in &sets {
            questions.cmd("ZRANGE").arg(*key).arg(0).arg(0);
        }
        let answers = link.send(&questions).await?;
        for ((key, is_vital), answer) in hashes.into_iter().chain(sets).zip(answers) {
            match checked(answer) {
                Err(RequestError::WrongType) if is_vital => {
                    return Err(RequestError::NotDone(format!(
                        "the key {key} in Redis holds a value of another type: rename it away and restore a backup"
                    )));
                }
                Err(RequestError::WrongType) => tracing::error!(
                    key,
                    "a key of the store in Redis holds a value of another type: it is left out until it is renamed away"
                ),
                answer => drop(answer?),
            }
        }
        Ok(())
    }

    /// Gives lost entries back, many in one request. Each entry is a separate append, because
    /// each has its own side records and another server may be giving the same entries back. If
    /// an entry is refused, all later entries of that log are refused too. Returns the number of
    /// logs that are complete again.
    async fn restore(&self, link: &mut Link, logs: &[Missing]) -> Result<usize, RequestError> {
        let appends: Vec<(usize, Prepared)> = logs
            .iter()
            .enumerate()
            .flat_map(|(at, log)| log.appends().map(move |append| (at, append)))
            .collect();
        let mut refused = vec![false; logs.len()];
        for group in groups(&appends, |(_, append)| append.bytes() + bytes_of(&append.writes)) {
            let mut commands = Pipeline::new();
            let send = |part: &[(usize, Prepared)]| {
                let appends: Vec<&Prepared> = part.iter().map(|(_, append)| append).collect();
                self.add_appends(link, &appends, &mut commands)
            };
            let sent = group.chunks(APPENDS_MAX).map(send).collect();
            let answers = link.send(&commands).await?;
            let mut intents = Vec::new();
            for ((log, append), answer) in group.iter().zip(answers::of_each(sent, answers)) {
                let (game, seq) = (append.game, append.head().seq);
                match answers::appended(answer)? {
                    Appended::Ok(_) if append.writes.is_empty() => {}
                    Appended::Ok(_) => intents.push(Intent { game, seq, writes: &append.writes }),
                    Appended::WrongType => {
                        self.shared.quarantine_overwritten(game);
                        refused[*log] = true;
                    }
                    // Another server has appended an entry first. If it is a different entry, the
                    // next comparison detects that.
                    Appended::Conflict(head) if head.seq >= seq => {}
                    _ => refused[*log] = true,
                }
            }
            if !intents.is_empty() {
                self.carry_out(link, &intents).await?;
            }
        }
        let restored = logs.iter().zip(refused).filter(|(_, is_refused)| !is_refused);
        Ok(restored.map(|(log, _)| self.shared.note_restored(log.game, log.entries.len())).count())
    }
}

/// Entries at the end of a log that Redis has lost.
struct Missing {
    game: GameId,
    /// The head of the log in Redis.
    head: Head,
    /// The held entries after that head.
    entries: Vec<HeldEntry>,
}

impl Missing {
    fn appends(&self) -> impl Iterator<Item = Prepared> + '_ {
        let mut at = self.head;
        self.entries.iter().map(move |entry| {
            let expected = std::mem::replace(&mut at, entry.head);
            Prepared::stamped(self.game, expected, vec![entry.clone()], entry.writes.clone())
        })
    }
}

fn bytes_of(writes: &[WriteArguments]) -> usize {
    writes.iter().flatten().map(Vec::len).sum()
}

/// Splits `all` into groups that are small enough for one request. Each group has at least one
/// item.
fn groups<T>(all: &[T], bytes: impl Fn(&T) -> usize) -> impl Iterator<Item = &[T]> {
    let mut left = all;
    std::iter::from_fn(move || {
        let mut sum = 0;
        let room = left.iter().take(GROUP_MAX).take_while(|one| {
            let has_room = sum < GROUP_BYTES_MAX;
            sum += bytes(one);
            has_room
        });
        let (group, rest) = left.split_at(room.count());
        left = rest;
        (!group.is_empty()).then_some(group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_bounded_and_leave_nothing_out() {
        let sizes: Vec<usize> =
            (0..3 * GROUP_MAX).map(|at| if at == 7 { 3 * GROUP_BYTES_MAX } else { at }).collect();
        let found: Vec<&[usize]> = groups(&sizes, |size| *size).collect();
        assert_eq!(found.concat(), sizes);
        for group in found {
            let but_last: usize = group[..group.len() - 1].iter().sum();
            assert!(group.len() <= GROUP_MAX && but_last < GROUP_BYTES_MAX, "{} of them", group.len());
        }
        assert_eq!(groups(&[] as &[usize], |size| *size).count(), 0);
    }
}
