//! Sending a group of requests in one go, and handling its answers.

use std::sync::atomic::Ordering;

use flagfall_board::{GameId, Stamp};
use redis::{Cmd, Pipeline, Value};

use super::answers::{self, Appended};
use super::fault::{Fault, parsed};
use super::layout::{intent, pending_member, write_arguments};
use super::link::{Link, Script};
use super::mending::Intent;
use super::request::{APPENDS_MAX, Prepared, Reply, Request};
use super::shared::OVERWRITTEN;
use super::writer::Writer;
use crate::clock::{SystemClock, WallClock};
use crate::encoding::stamp_entry;
use crate::store::{AppendOutcome, Expect, Update};
use crate::value::Key;

/// Expired records handled in one step of a sweep.
pub(super) const SWEEP_STEP: u64 = 500;
/// Why an append is refused that was judged before an outage was known.
const CLOCKS_FIRST: &str = "Redis was out of reach for a while: clocks are set right first";
/// How often a request is sent if Redis has surely not carried it out.
const TRIES_MAX: usize = 3;

/// Bytes of the fixed part of an append: all but side records and entries.
const ASKED_LENGTH: usize = 12 + 8 + 32 + 8 + 8 + 1 + 1 + 4;

/// A part of a group that was added to a pipeline.
struct Sent {
    /// The number of its commands.
    commands: usize,
    /// The number of its appends; `None` for another request.
    appends: Option<usize>,
}

/// Redis's answer to a request.
enum Said {
    OfAppend(Result<Appended, Fault>),
    Otherwise(Value),
}

impl Writer {
    /// True for an append that was judged before the latest outage was known, by clocks that ran
    /// meanwhile, if a subscriber of this process is notified of that outage.
    fn is_misjudged(&self, request: &Request) -> bool {
        let Request::Append { append, .. } = request else { return false };
        !append.is_stamped
            && append.outage != self.shared.outage()
            && self.shared.announcements.receiver_count() > 0
    }

    /// Sends a group and answers it, in up to [`TRIES_MAX`] tries.
    pub(super) async fn run_group(&mut self, group: Vec<Request>) {
        let mut left = group;
        for _ in 0..TRIES_MAX {
            if left.is_empty() {
                return;
            }
            left = self.try_group(left).await;
        }
        left.into_iter().for_each(|request| request.fail(&Fault::ScriptGone));
    }

    /// Sends a group and answers it. Returns the requests that are worth another try.
    async fn try_group(&mut self, group: Vec<Request>) -> Vec<Request> {
        let mut link = match self.ready().await {
            Ok(link) => link.clone(),
            Err(fault) => {
                group.into_iter().for_each(|request| request.fail(&fault));
                return Vec::new();
            }
        };
        let (misjudged, group): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|request| self.is_misjudged(request));
        misjudged.into_iter().for_each(|request| request.fail(&Fault::not_done(CLOCKS_FIRST)));
        let mut commands = Pipeline::new();
        commands.ignore_errors();
        let sent = self.add_group(&link, &group, &mut commands);
        self.shared.wait(&mut commands);
        let mut answers = match link.send(&commands).await {
            Ok(answers) => answers,
            Err(fault) => {
                self.lose_link(&fault);
                group.into_iter().for_each(|request| request.fail(&fault));
                return Vec::new();
            }
        };
        let confirmed = if self.shared.options.replicas > 0 {
            let confirmed = self.shared.are_enough(answers.last());
            answers.pop();
            confirmed
        } else {
            Ok(())
        };
        let mut answers = answers.into_iter();
        let said = sent.into_iter().flat_map(|Sent { commands, appends }| {
            // The answer to the last command counts.
            let answer = answers.by_ref().take(commands).last().unwrap_or(Value::Nil);
            match appends {
                Some(count) => answers::appended(answer, count).into_iter().map(Said::OfAppend).collect(),
                None => vec![Said::Otherwise(answer)],
            }
        });
        let asked: Vec<(Request, Said)> = group.into_iter().zip(said).collect();
        match confirmed {
            Ok(()) => self.answer_group(asked).await,
            Err(fault) => {
                // The group is written but may be lost with the primary. Nothing may build on it
                // before the replicas have it.
                self.shared.is_in_doubt.store(true, Ordering::SeqCst);
                self.shared.note_failure(&fault);
                asked.into_iter().for_each(|(request, _)| request.fail(&fault));
                Vec::new()
            }
        }
    }

    /// Adds a group to a pipeline, consecutive appends in one call. Returns what was added, in
    /// order.
    fn add_group(&self, link: &Link, group: &[Request], commands: &mut Pipeline) -> Vec<Sent> {
        let mut sent = Vec::new();
        for run in group.chunk_by(|one, next| one.as_append().is_some() && next.as_append().is_some()) {
            for part in run.chunks(APPENDS_MAX) {
                let appends: Vec<&Prepared> = part.iter().filter_map(Request::as_append).collect();
                let before = commands.len();
                if appends.is_empty() {
                    part.iter().for_each(|request| self.add(link, request, commands));
                } else {
                    self.add_appends(link, &appends, commands);
                }
                let appends = (!appends.is_empty()).then_some(appends.len());
                sent.push(Sent { commands: commands.len() - before, appends });
            }
        }
        sent
    }

    /// Adds one request to a pipeline.
    fn add(&self, link: &Link, request: &Request, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        match request {
            Request::Append { append, .. } => self.add_appends(link, &[append], commands),
            Request::Update { update, .. } => self.add_update(link, update, commands),
            Request::Heartbeat { .. } => {
                commands.add_command(self.heartbeat(link));
            }
            Request::BumpEpoch { above, .. } => {
                let mut command = link.call(Script::Epoch, &[&keys.meta]);
                self.shared.time(&mut command);
                command.arg(self.shared.epoch.load(Ordering::SeqCst).max(*above));
                commands.add_command(command);
            }
            Request::Sweep { .. } => {
                let mut command = link.call(Script::Sweep, &[&keys.values, &keys.names, &keys.expiries]);
                self.shared.time(&mut command);
                command.arg(SWEEP_STEP);
                commands.add_command(command);
            }
            Request::Quarantine { game, reason, .. } => {
                commands.cmd("HSET").arg(&keys.quarantined).arg(game.as_str()).arg(reason);
                commands.cmd("SET").arg(keys.quarantine(*game)).arg(reason);
            }
            Request::Release { game, .. } => {
                commands.cmd("HDEL").arg(&keys.quarantined).arg(game.as_str());
                commands.cmd("DEL").arg(keys.quarantine(*game));
            }
            Request::Pack { game, head, packed, .. } => {
                let names = [keys.log(*game), keys.packed(*game)];
                let mut command = link.call(Script::Pack, &names.each_ref().map(String::as_str));
                command.arg(head.seq).arg(&head.hash.0[..]).arg(packed.as_slice());
                commands.add_command(command);
            }
            Request::DeleteLog { game, .. } => {
                // The log goes last: as long as it exists, the deletion is seen to be unfinished.
                commands.cmd("HDEL").arg(&keys.applied).arg(game.as_str());
                commands.cmd("HDEL").arg(&keys.quarantined).arg(game.as_str());
                let of_game = [keys.quarantine(*game), keys.packed(*game), keys.log(*game)];
                commands.cmd("DEL").arg(&of_game[..]);
            }
            Request::Tell { notice, .. } => {
                commands.cmd("PUBLISH").arg(&keys.notices).arg(notice.as_slice());
            }
            Request::Settle { .. } => {
                commands.cmd("PING");
            }
        }
    }

    pub(super) fn add_update(&self, link: &Link, update: &Update, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        let mut command = link.call(Script::Update, &[keys.values.as_str(), &keys.names, &keys.expiries]);
        self.shared.time(&mut command);
        command.arg(update.conditions.len());
        for (key, expect) in &update.conditions {
            add_condition(&mut command, key, expect);
        }
        command.arg(write_arguments(&update.writes).concat());
        commands.add_command(command);
    }

    /// Adds at most [`APPENDS_MAX`] appends to a pipeline. The last of the commands is the one call
    /// that makes them all.
    pub(super) fn add_appends(&self, link: &Link, appends: &[&Prepared], commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        let mut with_records = appends.iter().filter(|append| !append.writes.is_empty()).peekable();
        if with_records.peek().is_some() {
            // Before the appends: a server that finds one listed there checks whether it was made.
            let pending = commands.cmd("ZADD").arg(&keys.pending);
            for append in with_records {
                pending.arg(SystemClock.now().0).arg(pending_member(append.game, append.head().seq));
            }
        }
        let names: Vec<String> =
            appends.iter().flat_map(|append| [keys.log(append.game), keys.quarantine(append.game)]).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        #[cfg(not(feature = "planted-faults"))]
        let mut command = link.call(Script::Append, &names);
        #[cfg(feature = "planted-faults")]
        let mut command = link.call_append(&names);
        self.shared.time(&mut command);
        // A test's own clock may jump by hours.
        let is_by_redis = self.shared.options.clock.is_none();
        command.arg(if is_by_redis { self.shared.silent_at().0.to_string() } else { String::new() });
        command.arg(&keys.announcements).arg(self.shared.mark).arg(&keys.single_announcements);
        for append in appends {
            command.arg(&asked(append)[..]);
            if !append.writes.is_empty() {
                command.arg(intent(&append.writes));
            }
            for entry in &append.entries {
                // Redis gives the stamp, except to an entry that is given back with its own.
                let from = if append.is_stamped { 0 } else { 8 };
                command.arg(entry.value.get(from..).unwrap_or_default());
            }
        }
        commands.add_command(command);
    }

    async fn answer_group(&mut self, asked: Vec<(Request, Said)>) -> Vec<Request> {
        let mut again = Vec::new();
        let mut silenced = Vec::new();
        let mut landed = Vec::new();
        for (request, said) in asked {
            if let (Request::Append { append, .. }, Said::OfAppend(said)) = (&request, &said) {
                tracing::debug!(parent: &append.span, ?said, "Redis answered an append");
            }
            match (request, said) {
                (Request::Append { append, reply }, Said::OfAppend(said)) => match said {
                    Ok(Appended::Ok { at }) => landed.push((append, at, reply)),
                    Ok(Appended::Conflict { head }) => {
                        if self.is_restored(append.game, head).await {
                            again.push(Request::Append { append, reply });
                        } else {
                            reply.send(Ok(AppendOutcome::Conflict { head })).ok();
                        }
                    }
                    Ok(Appended::Late { at }) => {
                        self.shared.raise_floor(at);
                        reply.send(Ok(AppendOutcome::Late { at })).ok();
                    }
                    Ok(Appended::Early { at }) => {
                        self.shared.raise_floor(at);
                        reply.send(Ok(AppendOutcome::Early { at })).ok();
                    }
                    Ok(Appended::Silence) => silenced.push(Request::Append { append, reply }),
                    Ok(Appended::Quarantined { reason }) => {
                        self.shared.quarantine(append.game, &reason);
                        reply.send(Ok(AppendOutcome::Quarantined { reason })).ok();
                    }
                    Ok(Appended::WrongType) => {
                        self.shared.held().forget(append.game);
                        self.keep_quarantine(append.game, OVERWRITTEN).await;
                        let reason = OVERWRITTEN.to_owned();
                        reply.send(Ok(AppendOutcome::Quarantined { reason })).ok();
                    }
                    Ok(Appended::Damaged { entry }) => {
                        let reason = format!("entry {entry}: the log does not end where it should");
                        self.keep_quarantine(append.game, &reason).await;
                        reply.send(Ok(AppendOutcome::Quarantined { reason })).ok();
                    }
                    Err(Fault::ScriptGone) => again.push(Request::Append { append, reply }),
                    Err(fault) => {
                        self.lose_link(&fault);
                        Request::Append { append, reply }.fail(&fault);
                    }
                },
                (other, Said::Otherwise(value)) => again.extend(self.answer(other, value)),
                // Only appends get such an answer, and always do.
                (other, Said::OfAppend(_)) => other.fail(&answers::strange()),
            }
        }
        self.land(landed).await;
        if self.shared.is_time_doubtful.swap(false, Ordering::SeqCst) || !silenced.is_empty() {
            match self.look_at_time().await {
                Ok(()) => again.append(&mut silenced),
                Err(fault) => silenced.into_iter().for_each(|request| request.fail(&fault)),
            }
        }
        if !again.is_empty()
            && let Some(link) = &mut self.link
            && let Err(fault) = link.load_scripts().await
        {
            self.lose_link(&fault);
        }
        again
    }

    /// Answers a request that is not an append. Returns it if it is worth another try.
    fn answer(&mut self, request: Request, value: Value) -> Option<Request> {
        let shared = self.shared.clone();
        let fault = match request {
            Request::Append { .. } => (answers::strange(), request),
            Request::Update { update, reply } => match answers::updated(value) {
                Ok((outcome, at)) => {
                    shared.learn_time(at);
                    reply.send(Ok(outcome)).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Update { update, reply }),
            },
            Request::Heartbeat { reply } => match answers::beat(value) {
                Ok(beat) => {
                    let at = beat.at;
                    self.note_beat(beat);
                    reply.send(Ok(at)).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Heartbeat { reply }),
            },
            Request::BumpEpoch { above, reply } => match answers::number(value) {
                Ok(epoch) => {
                    shared.epoch.fetch_max(epoch, Ordering::SeqCst);
                    reply.send(Ok(epoch)).ok();
                    return None;
                }
                Err(fault) => (fault, Request::BumpEpoch { above, reply }),
            },
            Request::Sweep { reply } => match parsed(value) {
                Ok(swept) => {
                    reply.send(Ok(swept)).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Sweep { reply }),
            },
            Request::Pack { game, head, packed, reply } => match answers::packed(value) {
                Ok(is_packed) => {
                    reply.send(Ok(is_packed)).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Pack { game, head, packed, reply }),
            },
            Request::Quarantine { game, reason, reply } => match parsed::<Value>(value) {
                Ok(_) => {
                    reply.send(Ok(())).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Quarantine { game, reason, reply }),
            },
            Request::Release { game, reply } => match parsed::<Value>(value) {
                Ok(_) => {
                    shared.release(game);
                    reply.send(Ok(())).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Release { game, reply }),
            },
            Request::DeleteLog { game, reply } => match parsed::<Value>(value) {
                Ok(_) => {
                    shared.held().forget(game);
                    shared.release(game);
                    reply.send(Ok(())).ok();
                    return None;
                }
                Err(fault) => (fault, Request::DeleteLog { game, reply }),
            },
            Request::Tell { notice, reply } => match parsed::<Value>(value) {
                Ok(_) => {
                    reply.send(Ok(())).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Tell { notice, reply }),
            },
            Request::Settle { reply } => match parsed::<Value>(value) {
                Ok(_) => {
                    reply.send(Ok(())).ok();
                    return None;
                }
                Err(fault) => (fault, Request::Settle { reply }),
            },
        };
        let (fault, request) = fault;
        if fault == Fault::ScriptGone {
            return Some(request);
        }
        self.lose_link(&fault);
        request.fail(&fault);
        None
    }

    /// Finishes appends that are in the logs: side records are applied and the entries held before
    /// the callers are answered.
    async fn land(&mut self, landed: Vec<(Prepared, Stamp, Reply<AppendOutcome>)>) {
        let finished = self.finish(&landed).await;
        for (mut append, at, reply) in landed {
            let head = append.head();
            self.shared.raise_floor(at);
            let is_finished = append.writes.is_empty() || finished.is_ok();
            if !append.is_stamped {
                append.entries.iter_mut().for_each(|entry| stamp_entry(&mut entry.value, at));
            }
            self.shared.count(append.entries.len());
            if let Some(last) = append.entries.last_mut() {
                last.writes = append.writes;
            }
            self.shared.held().note(append.game, append.expected, append.entries);
            // Otherwise the side records are applied on the next connection. Until then it is
            // unknown whether they are.
            let outcome = if is_finished { AppendOutcome::Ok { at, head } } else { AppendOutcome::Unknown };
            reply.send(Ok(outcome)).ok();
        }
    }

    async fn finish(&mut self, landed: &[(Prepared, Stamp, Reply<AppendOutcome>)]) -> Result<(), Fault> {
        let with_writes = landed.iter().filter(|(append, ..)| !append.writes.is_empty());
        let intents: Vec<Intent<'_>> = with_writes
            .map(|(append, ..)| Intent { game: append.game, seq: append.head().seq, writes: &append.writes })
            .collect();
        if intents.is_empty() {
            return Ok(());
        }
        let Some(mut link) = self.link.clone() else { return Err(Fault::not_done("no connection")) };
        let finished = self.carry_out(&mut link, &intents).await;
        if let Err(fault) = &finished {
            // The next connection applies them.
            self.lose_link(&Fault::InDoubt(fault.clone().into_why()));
        }
        finished
    }

    async fn keep_quarantine(&mut self, game: GameId, reason: &str) {
        self.shared.quarantine(game, reason);
        let Some(link) = &mut self.link else { return };
        let mut commands = Pipeline::new();
        commands.ignore_errors();
        commands.cmd("HSET").arg(&self.shared.keys.quarantined).arg(game.as_str()).arg(reason);
        commands.cmd("SET").arg(self.shared.keys.quarantine(game)).arg(reason);
        if let Err(fault) = link.send(&commands).await {
            // If this fails, the next read finds the damage again.
            self.lose_link(&fault);
        }
    }
}

/// Encodes the fixed part of an append as the script takes it.
fn asked(append: &Prepared) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ASKED_LENGTH);
    bytes.extend_from_slice(append.game.as_str().as_bytes());
    bytes.extend_from_slice(&append.expected.seq.to_le_bytes());
    bytes.extend_from_slice(&append.expected.hash.0);
    // Without a limit: the last and the first possible stamp.
    bytes.extend_from_slice(&append.deadline.map_or(u64::MAX, |at| at.0).to_le_bytes());
    bytes.extend_from_slice(&append.not_before.map_or(0, |at| at.0).to_le_bytes());
    bytes.push(append.is_stamped.into());
    bytes.push((!append.writes.is_empty()).into());
    // The limits of the store allow only a few entries.
    bytes.extend_from_slice(&u32::try_from(append.entries.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes
}

fn add_condition(command: &mut Cmd, key: &Key, expect: &Expect) {
    match expect {
        Expect::Absent => command.arg("A").arg(key.as_bytes()).arg(""),
        Expect::Value(value) => command.arg("V").arg(key.as_bytes()).arg(value.as_slice()),
    };
}
