//! The writer: the one task that changes Redis.
//!
//! It takes whatever waits, sends it in one go over a connection of its own, waits for the answers and, where the operator wants
//! that, for the replicas, and answers everybody. Meanwhile the next group gathers; there is no timer. When an answer stays out,
//! nobody knows what was done: the connection is given up and fenced off on the next one, and until then reads wait, so that
//! whoever resolves an `Unknown` by reading gets a final answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use redis::{Cmd, Pipeline, Value};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::answers::{self, Appended, Beat};
use super::held::{Compared, HeldEntry};
use super::layout::{SCHEMA, WriteArguments, intent, parse_pending_member, pending_member, write_arguments};
use super::link::{Fault, Former, Link, Script, parsed};
use super::promises::list;
use super::{Demand, Shared};
use crate::clock::{SystemClock, WallClock};
use crate::encoding::stamp_entry;
use crate::store::{AppendOutcome, Expect, Outage, StoreError, Update, UpdateOutcome};
use crate::value::{Head, Key};

/// Requests sent in one go, at most.
const GROUP_MAX: usize = 1024;
/// Bytes sent in one go, about: Redis serves nobody else meanwhile.
const GROUP_BYTES_MAX: usize = 2 * 1024 * 1024;
/// The time between two looks whether Redis is still there.
const PULSE: Duration = Duration::from_secs(1);
/// The least and the most time between two tries to reach it.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// Expired records looked at in one step of a sweep.
pub(super) const SWEEP_STEP: u64 = 500;
/// Games compared, and appends finished, in one go.
const CHUNK: usize = 256;
/// How long an append may be listed as unfinished by another server before it counts as abandoned, in milliseconds.
const ABANDONED_MS: u64 = 60_000;
/// After how long an append that is still listed as unfinished is finished by whoever sees it, in milliseconds: its writer may be gone.
const LEFT_BEHIND_MS: u64 = 5_000;
/// Why an append that was judged before an outage was known is not taken.
const CLOCKS_FIRST: &str = "Redis was out of reach for a while: clocks are set right first";
/// How often a request is sent again after Redis has surely not carried it out.
const TRIES_MAX: usize = 3;

pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// An append whose chain its caller has computed.
pub(super) struct Prepared {
    pub(super) game: GameId,
    pub(super) expected: Head,
    pub(super) deadline: Option<Stamp>,
    /// The entries as they will lie in Redis. Their stamps are missing, unless `is_stamped`.
    pub(super) entries: Vec<HeldEntry>,
    pub(super) is_stamped: bool,
    /// The latest outage that was known when it was asked for: what was judged before a later one was judged by clocks that ran.
    pub(super) outage: Option<Outage>,
    pub(super) writes: Vec<WriteArguments>,
}

impl Prepared {
    fn head(&self) -> Head {
        self.entries.last().map_or(self.expected, |entry| entry.head)
    }
}

/// What the writer is asked to do.
pub(super) enum Request {
    Append {
        append: Prepared,
        reply: Reply<AppendOutcome>,
    },
    Update {
        update: Update,
        reply: Reply<UpdateOutcome>,
    },
    Heartbeat {
        reply: Reply<Stamp>,
    },
    BumpEpoch {
        above: u64,
        reply: Reply<u64>,
    },
    Sweep {
        reply: Reply<(u64, u64)>,
    },
    Quarantine {
        game: GameId,
        reason: String,
        reply: Reply<()>,
    },
    Release {
        game: GameId,
        reply: Reply<()>,
    },
    /// Tells all servers something.
    Tell {
        notice: Vec<u8>,
        reply: Reply<()>,
    },
    /// Resolves what is in doubt.
    Settle {
        reply: Reply<()>,
    },
}

impl Request {
    fn bytes(&self) -> usize {
        match self {
            Request::Append { append, .. } => append.entries.iter().map(|entry| entry.value.len()).sum(),
            Request::Update { update, .. } => {
                write_arguments(&update.writes).iter().flatten().map(Vec::len).sum()
            }
            Request::Tell { notice, .. } => notice.len(),
            _ => 0,
        }
    }

    /// Answers that it came to nothing, or that nobody knows.
    fn fail(self, fault: &Fault) {
        let unavailable = || StoreError::Unavailable { why: fault.clone().into_why() };
        let is_in_doubt = matches!(fault, Fault::InDoubt(_));
        // A caller that went away needs no answer, here as everywhere below.
        match self {
            Request::Append { reply, .. } if is_in_doubt => reply.send(Ok(AppendOutcome::Unknown)).is_ok(),
            Request::Append { reply, .. } => reply.send(Err(unavailable())).is_ok(),
            Request::Update { reply, .. } if is_in_doubt => reply.send(Ok(UpdateOutcome::Unknown)).is_ok(),
            Request::Update { reply, .. } => reply.send(Err(unavailable())).is_ok(),
            Request::Heartbeat { reply } => reply.send(Err(unavailable())).is_ok(),
            Request::BumpEpoch { reply, .. } => reply.send(Err(unavailable())).is_ok(),
            Request::Sweep { reply } => reply.send(Err(unavailable())).is_ok(),
            Request::Quarantine { reply, .. }
            | Request::Release { reply, .. }
            | Request::Tell { reply, .. }
            | Request::Settle { reply } => reply.send(Err(unavailable())).is_ok(),
        };
    }
}

pub(super) struct Writer {
    shared: Arc<Shared>,
    link: Option<Link>,
    former: Option<Former>,
    retry_at: Instant,
    pause: Duration,
    /// Why Redis could not be used when it was last tried.
    trouble: Fault,
    /// Whether a heartbeat of this process was taken: what was before its first one is for whoever opens the store to know.
    has_beaten: bool,
    outages_known_until: Stamp,
}

impl Writer {
    /// The writer and what was found: epoch and last sign of life.
    pub(super) async fn open(shared: Arc<Shared>) -> Result<(Writer, Option<Stamp>), Fault> {
        let mut writer = Writer {
            shared,
            link: None,
            former: None,
            retry_at: Instant::now(),
            pause: RETRY.0,
            trouble: Fault::not_done("Redis was not asked yet"),
            has_beaten: false,
            outages_known_until: Stamp(0),
        };
        let found = writer.connect().await?;
        let last_heartbeat = writer.last_life(found).await?;
        Ok((writer, last_heartbeat))
    }

    /// Works until nobody can ask any more.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut pulse = interval(PULSE);
        pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                // First, or a writer that is never idle would never come to it.
                _ = pulse.tick() => self.beat().await,
                request = requests.recv() => match request {
                    Some(first) => {
                        let group = gather(first, &mut requests);
                        self.run_group(group).await;
                    }
                    None => return,
                },
            }
        }
    }

    /// Notices a Redis that is gone, or back, when nobody asks anything; looks at the time if there is doubt about it, and finishes what servers that
    /// were lost have left half done.
    async fn beat(&mut self) {
        if self.ready().await.is_err() {
            return;
        }
        if self.shared.is_time_doubtful.swap(false, Ordering::SeqCst) {
            self.look_at_time().await;
        }
        let Some(mut link) = self.link.clone() else { return };
        let left_behind = SystemClock.now().0.saturating_sub(LEFT_BEHIND_MS);
        if let Err(fault) = self.finish_pending(&mut link, Some(left_behind)).await {
            self.lose_link(&fault);
        }
    }

    /// A link on which nothing is in doubt.
    async fn ready(&mut self) -> Result<&mut Link, Fault> {
        if self.link.is_none() {
            if Instant::now() < self.retry_at {
                return Err(self.trouble.clone());
            }
            if let Err(fault) = self.connect().await {
                self.link = None;
                self.retry_at = Instant::now() + self.pause;
                self.pause = (self.pause * 2).min(RETRY.1);
                // Nothing of what waits was sent.
                self.trouble = Fault::NotDone(fault.into_why());
                self.shared.note_trouble(&self.trouble);
                return Err(self.trouble.clone());
            }
        }
        if self.shared.is_in_doubt.load(Ordering::SeqCst) {
            self.confirm().await?;
        }
        self.link.as_mut().ok_or_else(|| Fault::not_done("there is no connection to Redis"))
    }

    /// Connects, and puts in order what the time without a connection may have left: nothing sent before happens any more, what
    /// Redis has lost is given back, and half-done appends are finished.
    async fn connect(&mut self) -> Result<Option<Stamp>, Fault> {
        let shared = self.shared.clone();
        let options = &shared.options;
        let mut link = Link::open(&self.shared.address, self.shared.patience(), options.replicas).await?;
        self.shared.note_promises(&link.promises);
        let weaknesses = link.promises.weaknesses();
        if options.demand == Demand::Full && !weaknesses.is_empty() {
            return Err(Fault::NotDone(format!(
                "this Redis promises less than a game needs: {}",
                list(&weaknesses)
            )));
        }
        if let Some(former) = &self.former {
            link.fence(former).await?;
        }
        let last_heartbeat = self.begin(&mut link).await?;
        if self.has_beaten {
            // Before anything is taken: clocks stood still while no server reached Redis.
            let beat = link.ask(&self.heartbeat(&link)).await?;
            self.note_beat(answers::beat(beat)?);
        }
        let games = self.shared.held().games();
        for chunk in games.chunks(CHUNK) {
            self.give_back(&mut link, chunk).await?;
        }
        self.finish_pending(&mut link, None).await?;
        self.link = Some(link);
        self.former = None;
        self.pause = RETRY.0;
        if options.replicas == 0 {
            self.shared.is_in_doubt.store(false, Ordering::SeqCst);
        }
        self.shared.note_connected();
        Ok(last_heartbeat)
    }

    /// Makes the store if there is none, and reads what it says of itself.
    async fn begin(&self, link: &mut Link) -> Result<Option<Stamp>, Fault> {
        let keys = &self.shared.keys;
        let mut command = link.call(Script::Begin, &[&keys.meta]);
        self.shared.time(&mut command);
        command.arg(SCHEMA).arg(self.shared.epoch.load(Ordering::SeqCst));
        let (schema, epoch, heartbeat, now): (String, String, String, u64) = link.ask(&command).await?;
        if schema != SCHEMA.to_string() {
            return Err(Fault::NotDone(format!(
                "the store in this Redis has schema {schema}, and this server knows {SCHEMA}: export it with the server that made it and import it into a new --redis-prefix"
            )));
        }
        let epoch: u64 =
            epoch.parse().map_err(|_| Fault::not_done("the store in this Redis has no epoch"))?;
        self.shared.epoch.fetch_max(epoch, Ordering::SeqCst);
        let quarantined: Vec<(String, String)> =
            link.ask(redis::cmd("HGETALL").arg(&keys.quarantined)).await?;
        self.shared.set_quarantined(
            quarantined.into_iter().filter_map(|(game, why)| Some((game.parse().ok()?, why))).collect(),
        );
        let heartbeat = heartbeat.parse().ok().map(Stamp);
        if !self.has_beaten {
            // Later it is for the heartbeat that follows to say how late it is, and whether clocks stood still.
            self.shared.raise_floor(heartbeat.unwrap_or(Stamp(0)).max(Stamp(now)));
        }
        Ok(heartbeat)
    }

    fn heartbeat(&self, link: &Link) -> Cmd {
        let mut command = link.call(Script::Heartbeat, &[&self.shared.keys.meta]);
        self.shared.time(&mut command);
        command.arg(self.silence_ms());
        command
    }

    fn silence_ms(&self) -> u64 {
        u64::try_from(self.shared.options.silence.as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes note of a heartbeat, and of an outage that it tells of.
    fn note_beat(&mut self, Beat { at, outage }: Beat) {
        let has_beaten = std::mem::replace(&mut self.has_beaten, true);
        // Before the time is known: nobody must see it without knowing that clocks stood still.
        if outage.until > self.outages_known_until {
            self.outages_known_until = outage.until;
            if has_beaten {
                self.shared.note_outage(outage);
            }
        }
        self.shared.raise_floor(at);
    }

    /// Looks at the time after a silence, and for an outage.
    async fn look_at_time(&mut self) {
        let Some(mut link) = self.link.clone() else { return };
        let beat = link.ask(&self.heartbeat(&link)).await.and_then(answers::beat);
        match beat {
            Ok(beat) => self.note_beat(beat),
            Err(fault) => self.lose_link(&fault),
        }
    }

    /// Whether the request was judged by clocks that ran while no server reached Redis, by somebody who is to be told of that.
    fn is_misjudged(&self, request: &Request) -> bool {
        let Request::Append { append, .. } = request else { return false };
        !append.is_stamped
            && append.outage != self.shared.outage()
            && self.shared.announcements.receiver_count() > 0
    }

    /// The last sign of life, if no server shows another one now. Whoever died a moment ago is told from whoever lives by waiting
    /// for the next heartbeat.
    async fn last_life(&mut self, found: Option<Stamp>) -> Result<Option<Stamp>, Fault> {
        let Some(found) = found else { return Ok(None) };
        let pulse = self.shared.options.pulse;
        let age = Duration::from_millis(self.shared.now().ms_since(found));
        let until = Instant::now() + pulse.saturating_sub(age);
        while Instant::now() < until {
            sleep_until(until.min(Instant::now() + pulse / 10)).await;
            let mut look = redis::cmd("HGET");
            look.arg(&self.shared.keys.meta).arg("heartbeat");
            let link = self.ready().await?;
            if link.ask::<Option<u64>>(&look).await?.is_some_and(|at| at > found.0) {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Waits until the replicas have all that was written.
    async fn confirm(&mut self) -> Result<(), Fault> {
        let Some(mut link) = self.link.clone() else { return Ok(()) };
        let mut commands = Pipeline::new();
        commands.ignore_errors();
        commands.add_command(self.heartbeat(&link));
        self.shared.wait(&mut commands);
        let answers = link.send(&commands).await.and_then(|mut answers| {
            self.shared.are_enough(answers.last())?;
            answers::beat(answers.swap_remove(0))
        });
        match answers {
            Ok(beat) => {
                self.note_beat(beat);
                self.shared.is_in_doubt.store(false, Ordering::SeqCst);
                Ok(())
            }
            Err(fault) => {
                self.lose_link(&fault);
                Err(Fault::NotDone(fault.into_why()))
            }
        }
    }

    /// From now on there is no connection, if the fault says so.
    fn lose_link(&mut self, fault: &Fault) {
        if !fault.ends_link() {
            return;
        }
        if let Some(link) = self.link.take() {
            self.former = Some(link.former());
            self.shared.is_in_doubt.store(true, Ordering::SeqCst);
            self.shared.note_trouble(fault);
        }
    }

    async fn run_group(&mut self, group: Vec<Request>) {
        let mut left = group;
        for _ in 0..TRIES_MAX {
            if left.is_empty() {
                return;
            }
            left = self.try_group(left).await;
        }
        left.into_iter().for_each(|request| request.fail(&Fault::ScriptGone));
    }

    /// Sends a group and answers it; what is worth another try comes back.
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
        let counts: Vec<usize> =
            group.iter().map(|request| self.add(&link, request, &mut commands)).collect();
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
        let asked: Vec<(Request, Value)> = group
            .into_iter()
            .zip(counts)
            // The last command of a request is the one that counts.
            .map(|(request, count)| (request, answers.by_ref().take(count).last().unwrap_or(Value::Nil)))
            .collect();
        match confirmed {
            Ok(()) => self.answer_group(asked).await,
            Err(fault) => {
                // It is written, but may be lost with the primary: nobody may build on it before the replicas have it.
                self.shared.is_in_doubt.store(true, Ordering::SeqCst);
                self.shared.note_trouble(&fault);
                asked.into_iter().for_each(|(request, _)| request.fail(&fault));
                Vec::new()
            }
        }
    }

    /// Adds what a request takes to a pipeline; how many commands those are.
    fn add(&self, link: &Link, request: &Request, commands: &mut Pipeline) -> usize {
        let keys = &self.shared.keys;
        let before = commands.len();
        match request {
            Request::Append { append, .. } => self.add_append(link, append, commands),
            Request::Update { update, .. } => {
                let names = [keys.values.as_str(), &keys.names, &keys.expiries];
                let mut command = link.call(Script::Update, &names);
                self.shared.time(&mut command);
                command.arg(update.conditions.len());
                for (key, expect) in &update.conditions {
                    add_condition(&mut command, key, expect);
                }
                command.arg(write_arguments(&update.writes).concat());
                commands.add_command(command);
            }
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
            Request::Tell { notice, .. } => {
                commands.cmd("PUBLISH").arg(&keys.notices).arg(notice.as_slice());
            }
            Request::Settle { .. } => {
                commands.cmd("PING");
            }
        }
        commands.len() - before
    }

    fn add_append(&self, link: &Link, append: &Prepared, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        if !append.writes.is_empty() {
            // Before the append: whoever finds it listed there looks whether it was made.
            let member = pending_member(append.game, append.head().seq);
            commands.cmd("ZADD").arg(&keys.pending).arg(SystemClock.now().0).arg(member);
        }
        let names = [keys.log(append.game), keys.quarantine(append.game)];
        let mut command = link.call(Script::Append, &names.each_ref().map(String::as_str));
        command.arg(append.expected.seq).arg(&append.expected.hash.0[..]);
        self.shared.time(&mut command);
        command.arg(append.deadline.map(|deadline| deadline.0.to_string()).unwrap_or_default());
        command.arg(&keys.channel).arg(append.game.as_str());
        command.arg(intent(&append.writes)).arg(u8::from(append.is_stamped));
        // By a clock of the tests' own hours pass at once.
        let is_by_redis = self.shared.options.clock.is_none();
        command.arg(if is_by_redis { self.silence_ms().to_string() } else { String::new() });
        for entry in &append.entries {
            // The stamp is Redis's to give, but where an entry comes back that had one.
            let from = if append.is_stamped { 0 } else { 8 };
            command.arg(entry.value.get(from..).unwrap_or_default());
        }
        commands.add_command(command);
    }

    async fn answer_group(&mut self, asked: Vec<(Request, Value)>) -> Vec<Request> {
        let mut again = Vec::new();
        let mut was_silent = false;
        let mut landed = Vec::new();
        for (request, value) in asked {
            match request {
                Request::Append { append, reply } => match answers::appended(value) {
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
                    Ok(Appended::Silence) => {
                        was_silent = true;
                        again.push(Request::Append { append, reply });
                    }
                    Ok(Appended::Quarantined { reason }) => {
                        self.shared.quarantine(append.game, &reason);
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
                other => again.extend(self.answer(other, value)),
            }
        }
        self.land(landed).await;
        if self.shared.is_time_doubtful.swap(false, Ordering::SeqCst) || was_silent {
            self.look_at_time().await;
        }
        if !again.is_empty()
            && let Some(link) = &mut self.link
            && let Err(fault) = link.load_scripts().await
        {
            self.lose_link(&fault);
        }
        again
    }

    /// Answers whatever is no append.
    fn answer(&mut self, request: Request, value: Value) -> Option<Request> {
        let shared = self.shared.clone();
        let fault = match request {
            Request::Append { .. } => return Some(request),
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

    /// What is in the logs now: its side records are carried out, and it is held, before anybody hears of it.
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
            // Its side records will be carried out with the next connection; until then nobody can tell that they have been.
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
            // The next connection looks after them.
            self.lose_link(&Fault::InDoubt(fault.clone().into_why()));
        }
        finished
    }

    /// Carries the side records of appends out and strikes them from the list.
    async fn carry_out(&self, link: &mut Link, intents: &[Intent<'_>]) -> Result<(), Fault> {
        let keys = &self.shared.keys;
        for attempt in 0..2 {
            let mut commands = Pipeline::new();
            commands.ignore_errors();
            for intent in intents {
                let names = [keys.values.as_str(), &keys.names, &keys.expiries, &keys.applied, &keys.pending];
                let mut apply = link.call(Script::Apply, &names);
                apply.arg(intent.game.as_str()).arg(intent.seq).arg(pending_member(intent.game, intent.seq));
                apply.arg(intent.writes.concat());
                commands.add_command(apply);
            }
            let answers: Result<Vec<Value>, Fault> =
                link.send(&commands).await?.into_iter().map(parsed).collect();
            match answers {
                Err(Fault::ScriptGone) if attempt == 0 => link.load_scripts().await?,
                answers => return answers.map(drop),
            }
        }
        Ok(())
    }

    /// Finishes appends whose writer was lost before their side records were carried out: all, or those listed up to a moment.
    async fn finish_pending(&self, link: &mut Link, until: Option<u64>) -> Result<(), Fault> {
        let keys = &self.shared.keys;
        let until = until.map_or_else(|| "+inf".to_owned(), |until| until.to_string());
        let mut look = redis::cmd("ZRANGEBYSCORE");
        look.arg(&keys.pending).arg("-inf").arg(until).arg("WITHSCORES");
        let pending: Vec<(Vec<u8>, f64)> = link.ask(&look).await?;
        let parse = |(member, since): (Vec<u8>, f64)| Some((parse_pending_member(&member)?, since as u64));
        let mut pending: Vec<((GameId, u64), u64)> = pending.into_iter().filter_map(parse).collect();
        // Those of a game in their order: of what is carried out late, the latest counts.
        pending.sort_unstable();
        for ((game, seq), since) in pending {
            let id = format!("{seq}-0");
            let found: Value = link.ask(redis::cmd("XRANGE").arg(keys.log(game)).arg(&id).arg(&id)).await?;
            let found = answers::stream(found)?.and_then(|entries| entries.into_iter().next());
            let is_abandoned = SystemClock.now().0.saturating_sub(since) > ABANDONED_MS;
            match found {
                Some(entry) => {
                    self.carry_out(link, &[Intent { game, seq, writes: &entry.writes }]).await?;
                }
                // Its append was not made; or is being made right now.
                None if is_abandoned => {
                    let member = pending_member(game, seq);
                    link.ask::<u64>(redis::cmd("ZREM").arg(&keys.pending).arg(member)).await?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Gives the log of a game back what it has lost; whether that was something.
    async fn is_restored(&mut self, game: GameId, head: Head) -> bool {
        let missing = match self.shared.held().compare(game, head) {
            Compared::Short(missing) => missing,
            Compared::Whole | Compared::Other => return false,
        };
        let Some(mut link) = self.link.clone() else { return false };
        match self.restore(&mut link, game, head, missing).await {
            Ok(is_done) => is_done,
            Err(fault) => {
                self.lose_link(&fault);
                false
            }
        }
    }

    /// Looks whether the logs of games have all that is held of them, and gives back what they have lost; likewise their side records.
    async fn give_back(&self, link: &mut Link, games: &[GameId]) -> Result<(), Fault> {
        let keys = &self.shared.keys;
        let held: Vec<(GameId, Head)> = {
            let held = self.shared.held();
            games.iter().filter_map(|game| Some((*game, held.head(*game)?))).collect()
        };
        let mut commands = Pipeline::new();
        commands.ignore_errors();
        for (game, head) in &held {
            let (log, id) = (keys.log(*game), format!("{}-0", head.seq));
            commands.cmd("XRANGE").arg(&log).arg(&id).arg(&id);
            commands.cmd("XREVRANGE").arg(&log).arg("+").arg("-").arg("COUNT").arg(1);
            commands.cmd("HGET").arg(&keys.applied).arg(game.as_str());
        }
        let mut answers = link.send(&commands).await?.into_iter();
        for (game, head) in held {
            let (Some(same), Some(last), Some(applied)) = (answers.next(), answers.next(), answers.next())
            else {
                break;
            };
            if answers::head(parsed(same)?) != Some(head) {
                let Some(last) = answers::head(parsed(last)?) else { continue };
                let compared = self.shared.held().compare(game, last);
                match compared {
                    Compared::Short(missing) => drop(self.restore(link, game, last, missing).await?),
                    Compared::Whole | Compared::Other => {
                        self.shared.held().forget(game);
                        continue;
                    }
                }
            }
            let applied: Option<u64> = parsed(applied)?;
            let lost = self.shared.held().writes_after(game, applied.unwrap_or(0));
            for (seq, writes) in &lost {
                self.carry_out(link, &[Intent { game, seq: *seq, writes }]).await?;
            }
        }
        Ok(())
    }

    async fn restore(
        &self,
        link: &mut Link,
        game: GameId,
        head: Head,
        missing: Vec<HeldEntry>,
    ) -> Result<bool, Fault> {
        let count = missing.len();
        let mut at = head;
        // One append an entry: each has side records of its own, and another server may be doing the same.
        for entry in missing {
            let (expected, writes) = (at, entry.writes.clone());
            at = entry.head;
            let append = Prepared {
                game,
                expected,
                deadline: None,
                entries: vec![entry],
                is_stamped: true,
                outage: None,
                writes,
            };
            let mut commands = Pipeline::new();
            self.add_append(link, &append, commands.ignore_errors());
            let answer = link.send(&commands).await?.pop().unwrap_or(Value::Nil);
            match answers::appended(answer)? {
                Appended::Ok { .. } if append.writes.is_empty() => {}
                Appended::Ok { .. } => {
                    let intent = Intent { game, seq: at.seq, writes: &append.writes };
                    self.carry_out(link, &[intent]).await?;
                }
                // Another server was first: with the same, or the next look tells.
                Appended::Conflict { head } if head.seq >= at.seq => {}
                _ => return Ok(false),
            }
        }
        self.shared.note_restored(game, count);
        Ok(true)
    }

    async fn keep_quarantine(&mut self, game: GameId, reason: &str) {
        self.shared.quarantine(game, reason);
        let Some(link) = &mut self.link else { return };
        let mut commands = Pipeline::new();
        commands.ignore_errors();
        commands.cmd("HSET").arg(&self.shared.keys.quarantined).arg(game.as_str()).arg(reason);
        commands.cmd("SET").arg(self.shared.keys.quarantine(game)).arg(reason);
        if let Err(fault) = link.send(&commands).await {
            // Not kept: the next look finds the damage again.
            self.lose_link(&fault);
        }
    }
}

/// Side records to be carried out for an append.
struct Intent<'a> {
    game: GameId,
    seq: u64,
    writes: &'a [WriteArguments],
}

fn gather(first: Request, requests: &mut mpsc::Receiver<Request>) -> Vec<Request> {
    let mut bytes = 0;
    let mut group = Vec::new();
    let mut next = Some(first);
    while let Some(request) = next {
        bytes += request.bytes();
        group.push(request);
        let has_room = group.len() < GROUP_MAX && bytes < GROUP_BYTES_MAX;
        next = if has_room { requests.try_recv().ok() } else { None };
    }
    group
}

fn add_condition(command: &mut Cmd, key: &Key, expect: &Expect) {
    match expect {
        Expect::Absent => command.arg("A").arg(key.as_bytes()).arg(""),
        Expect::Value(value) => command.arg("V").arg(key.as_bytes()).arg(value.as_slice()),
    };
}
