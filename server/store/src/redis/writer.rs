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
use tokio::task::yield_now;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use super::answers::{self, Appended, Beat};
use super::held::HeldEntry;
use super::layout::{SCHEMA, WriteArguments, intent, pending_member, write_arguments};
use super::link::{Fault, Former, Link, Script, parsed};
use super::mending::Intent;
use super::promises::list;
use super::{Demand, Shared};
use crate::clock::{SystemClock, WallClock};
use crate::encoding::stamp_entry;
use crate::store::{
    AppendOutcome, Expect, OUTAGES_KEY, OUTAGES_MAX, Outage, StoreError, Update, UpdateOutcome,
};
use crate::value::{Head, Key};

/// Requests sent in one go, at most.
pub(super) const GROUP_MAX: usize = 1024;
/// Bytes sent in one go, about: Redis serves nobody else meanwhile.
pub(super) const GROUP_BYTES_MAX: usize = 2 * 1024 * 1024;
/// The time between two looks whether Redis is still there.
const PULSE: Duration = Duration::from_secs(1);
/// The least and the most time between two tries to reach it.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// Expired records looked at in one step of a sweep.
pub(super) const SWEEP_STEP: u64 = 500;
/// Games compared, and appends finished, in one go.
const CHUNK: usize = 256;
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
    pub(super) not_before: Option<Stamp>,
    /// The entries as they will lie in Redis. Their stamps are missing, unless `is_stamped`.
    pub(super) entries: Vec<HeldEntry>,
    pub(super) is_stamped: bool,
    /// The latest outage that was known when it was asked for: what was judged before a later one was judged by clocks that ran.
    pub(super) outage: Option<Outage>,
    pub(super) writes: Vec<WriteArguments>,
}

impl Prepared {
    pub(super) fn head(&self) -> Head {
        self.entries.last().map_or(self.expected, |entry| entry.head)
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.value.len()).sum()
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
    /// Puts the packed form of a log in the place of its entries.
    Pack {
        game: GameId,
        head: Head,
        packed: Vec<u8>,
        reply: Reply<bool>,
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
            Request::Append { append, .. } => append.bytes(),
            Request::Update { update, .. } => {
                write_arguments(&update.writes).iter().flatten().map(Vec::len).sum()
            }
            Request::Tell { notice, .. } => notice.len(),
            Request::Pack { packed, .. } => packed.len(),
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
            Request::Pack { reply, .. } => reply.send(Err(unavailable())).is_ok(),
            Request::Quarantine { reply, .. }
            | Request::Release { reply, .. }
            | Request::Tell { reply, .. }
            | Request::Settle { reply } => reply.send(Err(unavailable())).is_ok(),
        };
    }
}

pub(super) struct Writer {
    pub(super) shared: Arc<Shared>,
    pub(super) link: Option<Link>,
    former: Option<Former>,
    retry_at: Instant,
    pause: Duration,
    /// Why Redis could not be used when it was last tried.
    trouble: Fault,
    /// Whether a heartbeat of this process was taken: what was before its first one is for whoever opens the store to know.
    has_beaten: bool,
    outages_known_until: Stamp,
    /// What tells the store from one that was in this Redis before.
    made: String,
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
            made: String::new(),
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
                        // Whoever is about to ask gets in: an answered group is ready to go on all at once.
                        yield_now().await;
                        let group = gather(first, &mut requests);
                        self.run_group(group).await;
                        self.return_soon().await;
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
        if self.shared.is_time_doubtful.swap(false, Ordering::SeqCst) && self.look_at_time().await.is_err() {
            return self.return_soon().await;
        }
        let Some(mut link) = self.link.clone() else { return };
        let left_behind = SystemClock.now().0.saturating_sub(LEFT_BEHIND_MS);
        if let Err(fault) = self.finish_pending(&mut link, Some(left_behind)).await {
            self.lose_link(&fault);
            self.return_soon().await;
        }
    }

    /// Connects anew where the connection was lost just now: what Redis has lost is to be given back before others write.
    async fn return_soon(&mut self) {
        if self.link.is_none() {
            // Where it fails, whatever is asked next is told so.
            let _told_otherwise = self.ready().await.is_ok();
        }
    }

    /// A link on which nothing is in doubt.
    async fn ready(&mut self) -> Result<&mut Link, Fault> {
        let shared = self.shared.clone();
        let is_in_doubt = || shared.is_in_doubt.load(Ordering::SeqCst);
        // A link that turns out to be lost is replaced at once.
        if self.link.is_some()
            && is_in_doubt()
            && let Err(fault) = self.confirm().await
            && self.link.is_some()
        {
            return Err(fault);
        }
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
        if is_in_doubt() {
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
        let Begun { last_heartbeat, wait, made } = self.begin(&mut link).await?;
        self.made = made;
        let games = self.shared.held().games();
        for chunk in games.chunks(CHUNK) {
            self.give_back(&mut link, chunk).await?;
        }
        // Others do so too: whoever wrote before them would cut off what they hold.
        sleep(wait).await;
        if self.has_beaten {
            // Before anything is taken: clocks stood still while no server reached Redis.
            let beat = link.ask(&self.heartbeat(&link)).await?;
            self.note_beat(answers::beat(beat)?);
        }
        self.finish_pending(&mut link, None).await?;
        self.shared.note_connected(&link);
        self.link = Some(link);
        self.former = None;
        self.pause = RETRY.0;
        if options.replicas == 0 {
            self.shared.is_in_doubt.store(false, Ordering::SeqCst);
        }
        Ok(last_heartbeat)
    }

    /// Makes the store if there is none, and reads what it says of itself.
    async fn begin(&self, link: &mut Link) -> Result<Begun, Fault> {
        let keys = &self.shared.keys;
        let mut command = link.call(Script::Begin, &[&keys.meta]);
        self.shared.time(&mut command);
        command.arg(SCHEMA).arg(self.shared.epoch.load(Ordering::SeqCst));
        command.arg(&link.run_id).arg(u8::from(self.has_beaten));
        let (schema, epoch, heartbeat, now, run_at, made): (String, String, String, u64, u64, String) =
            link.ask(&command).await?;
        if schema != SCHEMA.to_string() {
            return Err(Fault::NotDone(format!(
                "the store in this Redis has schema {schema}, and this server knows {SCHEMA}: export it with the server that made it and import it into a new --redis-prefix, such as flagfall-{SCHEMA}"
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
        let age = Duration::from_millis(now.saturating_sub(run_at));
        let wait = self.shared.options.give_back.saturating_sub(age);
        Ok(Begun { last_heartbeat: heartbeat, wait, made })
    }

    fn heartbeat(&self, link: &Link) -> Cmd {
        let keys = &self.shared.keys;
        let mut command = link.call(Script::Heartbeat, &[&keys.meta, &keys.values, &keys.names]);
        self.shared.time(&mut command);
        command.arg(self.shared.silence_ms()).arg(&self.made).arg(OUTAGES_KEY).arg(OUTAGES_MAX);
        command
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

    /// Looks at the time after a silence, and for an outage. Where it cannot, whatever waits for that was surely not carried out.
    async fn look_at_time(&mut self) -> Result<(), Fault> {
        let mut link = self.link.clone().ok_or_else(|| Fault::not_done("there is no connection to Redis"))?;
        match link.ask(&self.heartbeat(&link)).await.and_then(answers::beat) {
            Ok(beat) => {
                self.note_beat(beat);
                Ok(())
            }
            Err(fault) => {
                self.lose_link(&fault);
                Err(Fault::NotDone(fault.into_why()))
            }
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
    pub(super) fn lose_link(&mut self, fault: &Fault) {
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
            Request::Pack { game, head, packed, .. } => {
                let names = [keys.log(*game), keys.packed(*game)];
                let mut command = link.call(Script::Pack, &names.each_ref().map(String::as_str));
                command.arg(head.seq).arg(&head.hash.0[..]).arg(packed.as_slice());
                commands.add_command(command);
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

    pub(super) fn add_append(&self, link: &Link, append: &Prepared, commands: &mut Pipeline) {
        let keys = &self.shared.keys;
        if !append.writes.is_empty() {
            // Before the append: whoever finds it listed there looks whether it was made.
            let member = pending_member(append.game, append.head().seq);
            commands.cmd("ZADD").arg(&keys.pending).arg(SystemClock.now().0).arg(member);
        }
        let names = [keys.log(append.game), keys.quarantine(append.game)];
        let names = names.each_ref().map(String::as_str);
        #[cfg(not(feature = "planted-faults"))]
        let mut command = link.call(Script::Append, &names);
        #[cfg(feature = "planted-faults")]
        let mut command = link.call_append(&names);
        command.arg(append.expected.seq).arg(&append.expected.hash.0[..]);
        self.shared.time(&mut command);
        let moment = |at: Option<Stamp>| at.map(|at| at.0.to_string()).unwrap_or_default();
        command.arg(moment(append.deadline)).arg(moment(append.not_before));
        command.arg(&keys.channel).arg(append.game.as_str());
        command.arg(intent(&append.writes)).arg(u8::from(append.is_stamped));
        // By a clock of the tests' own hours pass at once.
        let is_by_redis = self.shared.options.clock.is_none();
        command.arg(if is_by_redis { self.shared.silent_at().0.to_string() } else { String::new() });
        for entry in &append.entries {
            // The stamp is Redis's to give, but where an entry comes back that had one.
            let from = if append.is_stamped { 0 } else { 8 };
            command.arg(entry.value.get(from..).unwrap_or_default());
        }
        commands.add_command(command);
    }

    async fn answer_group(&mut self, asked: Vec<(Request, Value)>) -> Vec<Request> {
        let mut again = Vec::new();
        let mut silenced = Vec::new();
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
                    Ok(Appended::Early { at }) => {
                        self.shared.raise_floor(at);
                        reply.send(Ok(AppendOutcome::Early { at })).ok();
                    }
                    Ok(Appended::Silence) => silenced.push(Request::Append { append, reply }),
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

/// What a store says of itself to whoever connects.
struct Begun {
    last_heartbeat: Option<Stamp>,
    /// How long servers still have to give back what this run of Redis has lost, before anything else is written.
    wait: Duration,
    made: String,
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
