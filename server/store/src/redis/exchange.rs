//! Sends a group of requests in one pipeline, and handles the answers.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use redis::{Cmd, Pipeline, Value};
use tokio::time::{Instant, sleep};

use super::answers::{self, Appended, Sent};
use super::layout::{intent, pending_member, write_arguments};
use super::link::{Link, Script};
use super::listener;
use super::mending::Intent;
use super::request::{APPENDS_MAX, GROUP_MAX, Prepared, Reply, Request};
use super::request_error::{RequestError, checked, parsed};
use super::shared::OVERWRITTEN;
use super::writer::Writer;
use crate::clock::{SystemClock, WallClock};
use crate::encoding::{head_value, stamp_entry};
use crate::guard::GUARD_MS;
use crate::store::{AppendOutcome, Expect, RetireOutcome, Update};
use crate::value::Key;

/// The maximum number of expired records that one step of a sweep removes.
pub(super) const SWEEP_STEP: u64 = 500;
/// The reason for refusing an append whose clocks were computed before an outage was detected.
const CLOCKS_FIRST: &str = "Redis was out of reach for a while: clocks are set right first";
/// The maximum number of attempts to send a request that Redis has certainly not carried out.
const TRIES_MAX: usize = 3;
/// The time between two attempts while a bucket is moved to another master.
const MOVING_PAUSE: Duration = Duration::from_millis(50);

impl Writer {
    /// True if the clocks for an append were computed before the latest outage was detected. Such
    /// clocks wrongly include the time of the outage. Always false if this process has no
    /// receiver that would be notified of the outage.
    fn is_misjudged(&self, request: &Request) -> bool {
        let Request::Append { append, .. } = request else { return false };
        !append.is_stamped
            && append.outage != self.shared.outage()
            && self.shared.announcements.receiver_count() > 0
    }

    /// Sends the requests of a group and answers them, in up to [`TRIES_MAX`] attempts. For as long
    /// as an answer may take, attempts that fail because a bucket is being moved do not count.
    pub(super) async fn run_group(&mut self, group: Vec<Request>) {
        let until = Instant::now() + self.shared.options.answer_timeout;
        let (mut left, mut tries) = (group, 0);
        while !left.is_empty() {
            if tries == TRIES_MAX {
                return left.into_iter().for_each(|request| request.fail(&self.refusal));
            }
            self.refusal = RequestError::ScriptGone;
            left = self.try_group(left).await;
            if self.refusal == RequestError::Moving && Instant::now() < until {
                sleep(MOVING_PAUSE).await;
            } else {
                tries += 1;
            }
        }
    }

    /// True if a request with this error should be tried again, because it was certainly not
    /// carried out.
    fn is_for_another_try(&mut self, error: &RequestError) -> bool {
        if !matches!(error, RequestError::ScriptGone | RequestError::Moved | RequestError::Moving) {
            return false;
        }
        // If the bucket has moved to another master, the next connection leads to that master.
        self.lose_link(error);
        self.refusal = error.clone();
        true
    }

    /// Sends the requests of a group and answers them. Returns the requests that should be tried
    /// again.
    async fn try_group(&mut self, group: Vec<Request>) -> Vec<Request> {
        let link = match self.ready().await {
            Ok(link) => link.clone(),
            Err(error) => {
                group.into_iter().for_each(|request| request.fail(&error));
                return Vec::new();
            }
        };
        let (misjudged, mut group): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|request| self.is_misjudged(request));
        misjudged.into_iter().for_each(|request| request.fail(&RequestError::not_done(CLOCKS_FIRST)));
        // The callers of one part are answered while Redis handles the next part. If replicas must
        // confirm, there is only one part, because each one would wait for them.
        let part_max = if self.shared.options.replicas > 0 { GROUP_MAX } else { APPENDS_MAX };
        let mut sending = FuturesOrdered::new();
        while !group.is_empty() {
            let rest = group.split_off(part_max.min(group.len()));
            let part = std::mem::replace(&mut group, rest);
            let mut commands = Pipeline::new();
            let sent = self.add_group(&link, &part, &mut commands);
            self.shared.wait(&mut commands);
            let mut link = link.clone();
            sending.push_back(async move { (part, sent, link.send(&commands).await) });
        }
        let mut again = Vec::new();
        while let Some((part, sent, answers)) = sending.next().await {
            again.extend(self.answer_part(part, sent, answers).await);
        }
        again
    }

    /// Answers the requests that were sent together. Returns the requests that should be tried
    /// again.
    async fn answer_part(
        &mut self,
        group: Vec<Request>,
        sent: Vec<Sent>,
        answers: Result<Vec<Value>, RequestError>,
    ) -> Vec<Request> {
        let mut answers = match answers {
            Ok(answers) => answers,
            Err(error) => {
                self.lose_link(&error);
                group.into_iter().for_each(|request| request.fail(&error));
                return Vec::new();
            }
        };
        if let Err(error) = self.shared.are_enough(&mut answers) {
            // The primary has written the group, but may still be lost together with it. Later
            // requests must not build on the group before the replicas have it.
            self.shared.is_in_doubt.store(true, Ordering::SeqCst);
            self.shared.note_failure(&error);
            group.into_iter().for_each(|request| request.fail(&error));
            return Vec::new();
        }
        self.has_answered = true;
        let answers: Vec<Value> = answers::of_each(sent, answers).collect();
        self.answer_group(group.into_iter().zip(answers)).await
    }

    /// Adds a group of requests to a pipeline. Consecutive appends become one call. Returns one
    /// item for each call or other request, in order.
    fn add_group(&self, link: &Link, group: &[Request], commands: &mut Pipeline) -> Vec<Sent> {
        let runs = group.chunk_by(|one, next| one.as_append().is_some() && next.as_append().is_some());
        let parts = runs.flat_map(|run| run.chunks(APPENDS_MAX));
        let add = |part: &[Request]| match part {
            [request] if request.as_append().is_none() => {
                let before = commands.len();
                self.add(link, request, commands);
                Sent { commands: commands.len() - before, appends: None }
            }
            appends => {
                let appends: Vec<&Prepared> = appends.iter().filter_map(Request::as_append).collect();
                self.add_appends(link, &appends, commands)
            }
        };
        parts.map(add).collect()
    }

    fn add(&self, link: &Link, request: &Request, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        match request {
            Request::Append { append, .. } => {
                self.add_appends(link, &[append], commands);
            }
            Request::Update { update, .. } => self.add_update(link, update, commands),
            Request::Heartbeat { .. } => {
                commands.add_command(self.heartbeat(link));
            }
            Request::BumpEpoch { .. } => {
                let mut command = self.shared.call(link, Script::Epoch, &[&keys.meta]);
                commands.add_command(command.arg(self.shared.epoch.load(Ordering::SeqCst)).take());
            }
            Request::Sweep { .. } => {
                let names = [keys.values.as_str(), &keys.names, &keys.expiries];
                let mut command = self.shared.call(link, Script::Sweep, &names);
                commands.add_command(command.arg(SWEEP_STEP).take());
            }
            Request::Quarantine { game, reason, .. } => self.add_quarantine(*game, reason, commands),
            Request::Retire { game, guard, .. } => {
                let mut command =
                    link.call(Script::Retire, &keys.of_log(*game).each_ref().map(String::as_str));
                command.arg(guard.head.seq).arg(&guard.head.hash.0[..]).arg(guard.encode());
                commands.add_command(self.announce_retired(command, *game));
            }
            Request::ForgetApplied { game, .. } => {
                commands.hdel(&keys.applied, game.as_str());
            }
            Request::DeleteLog { game, .. } => {
                // The log is deleted last, because an existing log shows that the deletion is
                // unfinished.
                commands.hdel(&keys.quarantined, game.as_str());
                let command = link.call(Script::Delete, &keys.of_log(*game).each_ref().map(String::as_str));
                commands.add_command(self.announce_retired(command, *game));
            }
            Request::Tell { notice, .. } => {
                commands.publish(&keys.notices, notice.as_slice());
            }
            Request::TellFollowers { topic, notice, .. } => {
                commands.cmd("SPUBLISH").arg(keys.channel(topic)).arg(listener::told(notice));
            }
            Request::Run { script, keys, arguments, .. } => {
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                commands.add_command(self.shared.call(link, *script, &keys).arg(arguments).take());
            }
            Request::Settle { .. } => {
                commands.ping();
            }
        }
    }

    /// Adds the lifetime of a guard, and what announces to other servers that a log is gone.
    fn announce_retired(&self, mut command: Cmd, game: GameId) -> Cmd {
        command.arg(GUARD_MS).arg(&self.shared.keys.retired).arg(game.as_str());
        command
    }

    fn add_quarantine(&self, game: GameId, reason: &str, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        commands.hset(&keys.quarantined, game.as_str(), reason).set(keys.quarantine(game), reason);
    }

    pub(super) fn add_update(&self, link: &Link, update: &Update, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        let names = [keys.values.as_str(), &keys.names, &keys.expiries];
        let mut command = self.shared.call(link, Script::Update, &names);
        command.arg(update.conditions.len());
        for (key, expect) in &update.conditions {
            add_condition(&mut command, key, expect);
        }
        command.arg(write_arguments(&update.writes).concat());
        commands.add_command(command);
    }

    /// Adds at most [`APPENDS_MAX`] appends to a pipeline. The last command that is added is the
    /// call that makes all of them.
    pub(super) fn add_appends(&self, link: &Link, appends: &[&Prepared], commands: &mut Pipeline) -> Sent {
        let (keys, before) = (&self.shared.keys, commands.len());
        let mut with_records = appends.iter().filter(|append| !append.writes.is_empty()).peekable();
        if with_records.peek().is_some() {
            // Appends are listed as pending before they are made. If a server finds an append in
            // this list, it checks whether the append was made.
            let pending = commands.cmd("ZADD").arg(&keys.pending);
            for append in with_records {
                pending.arg(SystemClock.now().0).arg(pending_member(append.game, append.head().seq));
            }
        }
        let of_game = |game| [keys.log(game), keys.quarantine(game), keys.guard(game)];
        let names: Vec<String> = appends.iter().flat_map(|append| of_game(append.game)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut command = self.shared.call(link, Script::Append, &names);
        // A test's clock may jump by hours, so with such a clock the script does not check for a
        // silence.
        let is_by_redis = self.shared.options.clock.is_none();
        command.arg(if is_by_redis { self.shared.silent_at().0.to_string() } else { String::new() });
        command.arg(&keys.topics).arg(keys.of_game()).arg(self.shared.mark);
        command.arg(if self.shared.interest.has_former() { &keys.announcements } else { "" });
        for append in appends {
            command.arg(asked(append));
            if !append.writes.is_empty() {
                command.arg(intent(&append.writes));
            }
            for entry in &append.entries {
                // Redis gives the stamp, unless a lost entry is given back, because that entry
                // already has a stamp.
                let from = if append.is_stamped { 0 } else { 8 };
                command.arg(entry.value.get(from..).unwrap_or_default());
            }
        }
        commands.add_command(command);
        Sent { commands: commands.len() - before, appends: Some(appends.len()) }
    }

    /// Answers the requests of a group. Returns the requests that should be tried again.
    async fn answer_group(&mut self, asked: impl Iterator<Item = (Request, Value)>) -> Vec<Request> {
        let mut again = Vec::new();
        let mut silenced = Vec::new();
        let mut landed = Vec::new();
        for (request, answer) in asked {
            let (append, reply) = match request {
                Request::Append { append, reply } => (append, reply),
                other => {
                    again.extend(self.answer(other, answer));
                    continue;
                }
            };
            let said = answers::appended(answer);
            tracing::debug!(parent: &append.span, answer = ?said, "Redis answered an append");
            let outcome = match said {
                Ok(Appended::Ok(at)) => {
                    landed.push((append, at, reply));
                    continue;
                }
                Ok(Appended::Silence) => {
                    silenced.push(Request::Append { append, reply });
                    continue;
                }
                #[cfg(feature = "planted-faults")]
                Err(RequestError::Moved | RequestError::Moving)
                    if crate::planted::is_planted(crate::planted::REDIRECT_IS_DONE) =>
                {
                    Ok(AppendOutcome::Ok { at: self.shared.now(), head: append.head() })
                }
                Err(error) if self.is_for_another_try(&error) => {
                    again.push(Request::Append { append, reply });
                    continue;
                }
                Ok(Appended::Conflict(head)) => {
                    if self.is_restored(append.game, head).await {
                        again.push(Request::Append { append, reply });
                        continue;
                    }
                    Ok(AppendOutcome::Conflict { head })
                }
                Ok(Appended::Late(at)) => {
                    self.shared.raise_floor(at);
                    Ok(AppendOutcome::Late { at })
                }
                Ok(Appended::Early(at)) => {
                    self.shared.raise_floor(at);
                    Ok(AppendOutcome::Early { at })
                }
                Ok(Appended::Quarantined(reason)) => {
                    self.shared.quarantine(append.game, &reason);
                    Ok(AppendOutcome::Quarantined { reason })
                }
                Ok(Appended::WrongType) => {
                    self.shared.held.lock().forget(append.game);
                    Ok(self.keep_quarantine(append.game, OVERWRITTEN.to_owned()).await)
                }
                Ok(Appended::Damaged(entry)) => {
                    let reason = format!("entry {entry}: the log does not end where it should");
                    Ok(self.keep_quarantine(append.game, reason).await)
                }
                Err(error) => Err(error),
            };
            self.reply(reply, outcome);
        }
        self.land(landed).await;
        if self.shared.is_time_doubtful.swap(false, Ordering::SeqCst) || !silenced.is_empty() {
            match self.look_at_time().await {
                Ok(()) => again.append(&mut silenced),
                Err(error) => silenced.into_iter().for_each(|request| request.fail(&error)),
            }
        }
        if !again.is_empty()
            && let Some(link) = &mut self.link
            && let Err(error) = link.load_scripts().await
        {
            self.lose_link(&error);
        }
        again
    }

    /// Answers a request that is not an append. Returns the request if it should be tried again.
    fn answer(&mut self, request: Request, answer: Value) -> Option<Request> {
        let answer = match checked(answer) {
            Ok(answer) => answer,
            Err(error) if self.is_for_another_try(&error) => return Some(request),
            Err(error) => {
                self.lose_link(&error);
                request.fail(&error);
                return None;
            }
        };
        let shared = self.shared.clone();
        match request {
            Request::Append { reply, .. } => self.reply(reply, Err(answers::strange())),
            Request::Update { reply, .. } => {
                let updated = answers::updated(answer);
                let outcome = updated.inspect(|(_, at)| shared.learn_time(*at)).map(|(outcome, _)| outcome);
                self.reply(reply, outcome);
            }
            Request::Heartbeat { reply } => {
                let at = answers::beat(answer).map(|beat| self.note_beat(beat));
                self.reply(reply, at);
            }
            Request::BumpEpoch { reply } => {
                let epoch = answers::number(answer);
                if let Ok(epoch) = epoch {
                    shared.epoch.fetch_max(epoch, Ordering::SeqCst);
                }
                self.reply(reply, epoch);
            }
            Request::Sweep { reply } => self.reply(reply, parsed(answer)),
            Request::TellFollowers { reply, .. } => self.reply(reply, parsed(answer)),
            Request::Run { reply, .. } => self.reply(reply, Ok(answer)),
            Request::Retire { game, reply, .. } => {
                let outcome = answers::retired(answer);
                if matches!(outcome, Ok(RetireOutcome::Ok)) {
                    shared.held.lock().forget(game);
                }
                self.reply(reply, outcome);
            }
            Request::DeleteLog { game, reply } => {
                shared.held.lock().forget(game);
                shared.quarantined.lock().remove(&game);
                self.reply(reply, Ok(()));
            }
            Request::Quarantine { reply, .. }
            | Request::ForgetApplied { reply, .. }
            | Request::Tell { reply, .. }
            | Request::Settle { reply } => self.reply(reply, Ok(())),
        }
        None
    }

    /// Answers a caller. Drops the connection if an error requires it.
    fn reply<T>(&mut self, reply: Reply<T>, answer: Result<T, RequestError>) {
        if let Err(error) = &answer {
            self.lose_link(error);
        }
        reply.send(answer).ok();
    }

    /// Finishes appends whose entries are in the logs: applies their side records, holds their
    /// entries in memory, and then answers the callers. In a bucket, the callers apply the side
    /// records.
    async fn land(&mut self, landed: Vec<(Prepared, Stamp, Reply<AppendOutcome>)>) {
        let finished = self.finish(&landed).await;
        for (mut append, at, reply) in landed {
            let head = append.head();
            self.shared.raise_floor(at);
            let is_finished = append.writes.is_empty() || finished.is_ok();
            if !append.is_stamped {
                append.entries.iter_mut().for_each(|entry| stamp_entry(&mut entry.value, at));
            }
            if let Some(last) = append.entries.last_mut() {
                last.writes = append.writes;
            }
            self.shared.held.lock().note(append.game, append.expected, append.entries);
            // If the side records could not be applied, the next connection applies them. Until
            // then, the outcome of the append is unknown.
            let outcome = if is_finished { AppendOutcome::Ok { at, head } } else { AppendOutcome::Unknown };
            reply.send(Ok(outcome)).ok();
        }
    }

    async fn finish(
        &mut self,
        landed: &[(Prepared, Stamp, Reply<AppendOutcome>)],
    ) -> Result<(), RequestError> {
        let with_writes = landed.iter().filter(|(append, ..)| !append.writes.is_empty());
        let intents: Vec<Intent<'_>> = with_writes
            .map(|(append, ..)| Intent { game: append.game, seq: append.head().seq, writes: &append.writes })
            .collect();
        if intents.is_empty() || self.shared.keys.is_bucket() {
            return Ok(());
        }
        let mut link = self.link.clone().ok_or_else(|| RequestError::not_done("no connection"))?;
        let finished = self.carry_out(&mut link, &intents).await;
        if let Err(error) = &finished {
            // A new connection applies the side records.
            self.lose_link(&RequestError::InDoubt(error.to_string()));
        }
        finished
    }

    async fn keep_quarantine(&mut self, game: GameId, reason: String) -> AppendOutcome {
        self.shared.quarantine(game, &reason);
        let mut commands = Pipeline::new();
        self.add_quarantine(game, &reason, &mut commands);
        if let Some(link) = &mut self.link
            && let Err(error) = link.send(&commands).await
        {
            // If storing the quarantine fails, the next read finds the damage again.
            self.lose_link(&error);
        }
        AppendOutcome::Quarantined { reason }
    }
}

/// Encodes an append for the script, without its side records and entries.
fn asked(append: &Prepared) -> Vec<u8> {
    // Without these limits, no stamp is too late or too early.
    let Stamp(deadline) = append.deadline.unwrap_or(Stamp(u64::MAX));
    let Stamp(not_before) = append.not_before.unwrap_or(Stamp(0));
    // This cannot overflow, because the store's limits allow only a few entries.
    let count = u32::try_from(append.entries.len()).unwrap_or(u32::MAX);
    [
        append.game.as_str().as_bytes(),
        &head_value(append.expected),
        &deadline.to_le_bytes(),
        &not_before.to_le_bytes(),
        &[append.is_stamped.into(), (!append.writes.is_empty()).into()],
        &count.to_le_bytes(),
    ]
    .concat()
}

fn add_condition(command: &mut Cmd, key: &Key, expect: &Expect) {
    match expect {
        Expect::Absent => command.arg("A").arg(key.as_bytes()).arg(""),
        Expect::Value(value) => command.arg("V").arg(key.as_bytes()).arg(value.as_slice()),
    };
}
