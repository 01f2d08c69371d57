//! The writer: the one task that changes Redis.
//!
//! It takes all waiting requests, sends them as one pipeline over its own connection, waits for
//! the answers (and for replicas, if so configured), and answers all callers. Requests that
//! arrive in the meantime form the next group; there is no timer.
//!
//! If an answer is missing, the result of the request is unknown. The writer then drops the
//! connection, and the next connection makes sure that the old one can do nothing more. Until
//! then reads wait, so that a caller who resolves an `Unknown` by reading gets a final answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::Stamp;
use redis::{Cmd, Pipeline, Value};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};

use super::answers::{self, Beat};
use super::durability::{Weakness, list};
use super::link::{Former, Link, Script};
use super::options::Demand;
use super::request::{Request, gather};
use super::request_error::{RequestError, of_right_type};
use super::shared::Shared;
use crate::clock::{SystemClock, WallClock};
use crate::outages::OutageList;
use crate::store::{OUTAGES_KEY, OUTAGES_MAX, Outage};

/// How often to check whether Redis is still answering.
const PULSE: Duration = Duration::from_secs(1);
/// The time between two checks for appends that lost servers have left unfinished.
const PENDING_EVERY: Duration = Duration::from_secs(5);
/// The shortest and the longest time between two attempts to connect.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(250));
/// The largest difference between the latest stamps that servers know of the same moment, in
/// milliseconds, with room to spare.
pub(super) const APART_MS: u64 = 10_000;
/// The number of games to compare in one request.
pub(super) const CHUNK: usize = 256;
/// The age, in milliseconds, at which any server may finish an unfinished append, because the
/// server that wrote it may be gone.
const LEFT_BEHIND_MS: u64 = 5_000;

pub(super) struct Writer {
    pub(super) shared: Arc<Shared>,
    pub(super) link: Option<Link>,
    former: Option<Former>,
    retry_at: Instant,
    pause: Duration,
    /// Why the last attempt to use Redis failed.
    last_error: RequestError,
    /// True once Redis has accepted a heartbeat of this process.
    has_beaten: bool,
    /// The time at which the store was opened; `None` before that. Outages that ended before that
    /// time are known.
    opened_at: Option<Stamp>,
    outages_known_until: Stamp,
    /// The latest heartbeat of this process that Redis has accepted.
    last_beat: Stamp,
    /// The time of the latest look for guards.
    pub(super) guards_at: Stamp,
    /// A value that distinguishes this store from an earlier one in the same Redis.
    pub(super) made: String,
    /// The time at which to read Redis's durability settings again.
    durability_at: Instant,
    /// Why requests of the current group are tried again.
    pub(super) refusal: RequestError,
    /// The time at which to look for unfinished appends again.
    pending_at: Instant,
    /// True if Redis has answered a request since the last pulse.
    pub(super) has_answered: bool,
}

impl Writer {
    /// A writer without a connection. `opened_at` is given if the store counts as open, although
    /// Redis is away.
    pub(super) fn new(shared: Arc<Shared>, opened_at: Option<Stamp>) -> Writer {
        Writer {
            shared,
            link: None,
            former: None,
            retry_at: Instant::now(),
            pause: RETRY.0,
            last_error: RequestError::not_done("Redis was not asked yet"),
            has_beaten: false,
            opened_at,
            outages_known_until: Stamp(0),
            last_beat: Stamp(0),
            guards_at: Stamp(0),
            made: String::new(),
            durability_at: Instant::now(),
            refusal: RequestError::ScriptGone,
            pending_at: Instant::now(),
            has_answered: false,
        }
    }

    /// Connects for the first time. Returns the writer, and the last heartbeat in the store. The
    /// heartbeat is `None` if the store is new or another server is still alive.
    pub(super) async fn open(shared: Arc<Shared>) -> Result<(Writer, Option<Stamp>), RequestError> {
        let mut writer = Writer::new(shared, None);
        let found = writer.connect().await?;
        let last_heartbeat = writer.last_life(found).await?;
        writer.opened_at = Some(writer.shared.now());
        Ok((writer, last_heartbeat))
    }

    /// Runs until all senders of requests are dropped.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut pulse = self.shared.ticks(PULSE);
        let mut answered = 0;
        loop {
            tokio::select! {
                biased;
                // The pulse comes first, because a busy writer would otherwise never handle it.
                _ = pulse.tick() => self.beat().await,
                request = requests.recv() => match request {
                    Some(first) => {
                        // Lets other callers send first. When a group is answered, many of its
                        // callers immediately send again, and these requests should share the
                        // next group. The runtime may return early, so it is asked twice.
                        for _ in 0..2 {
                            yield_now().await;
                            if requests.len() + 1 >= answered {
                                break;
                            }
                        }
                        let group = gather(first, &mut requests);
                        answered = group.len();
                        self.run_group(group).await;
                        self.return_soon().await;
                    }
                    None => return,
                },
                // Another server that waits for what this process holds does not wait for long.
                () = sleep_until(self.retry_at), if self.link.is_none() => self.return_soon().await,
            }
        }
    }

    /// Detects that Redis is gone or back, even if there are no requests. Also determines the
    /// time if it is in doubt, and finishes appends that lost servers have left unfinished.
    async fn beat(&mut self) {
        if self.ready().await.is_err() {
            return;
        }
        self.look_at_durability().await;
        if self.shared.is_time_doubtful.swap(false, Ordering::SeqCst) && self.look_at_time().await.is_err() {
            return self.return_soon().await;
        }
        let Some(mut link) = self.link.clone() else { return };
        let are_missed = self.shared.are_guards_missed.swap(false, Ordering::SeqCst);
        if (are_missed || self.is_look_due(self.shared.now()))
            && let Err(error) = self.look_for_guards().await
        {
            self.shared.are_guards_missed.store(true, Ordering::SeqCst);
            self.lose_link(&error);
            return self.return_soon().await;
        }
        // If Redis has just answered, no check is needed to see that it is there.
        let has_answered = std::mem::take(&mut self.has_answered);
        if has_answered && Instant::now() < self.pending_at {
            return;
        }
        self.pending_at = Instant::now() + PENDING_EVERY;
        let left_behind = SystemClock.now().0.saturating_sub(LEFT_BEHIND_MS);
        if let Err(error) = self.finish_pending(&mut link, Some(left_behind)).await {
            self.lose_link(&error);
            self.return_soon().await;
        }
    }

    /// Detects changes to Redis's settings while it runs. Drops the connection if Redis is not
    /// durable enough, because the store would not connect to such a Redis.
    async fn look_at_durability(&mut self) {
        if Instant::now() < self.durability_at {
            return;
        }
        self.durability_at = Instant::now() + self.shared.options.durability_every;
        let Some(mut link) = self.link.clone() else { return };
        let durability = match link.durability_now().await {
            Ok(durability) => durability,
            Err(error) => {
                // The next connection reads the settings again. Until then, the previous ones are
                // used.
                self.lose_link(&error);
                return self.return_soon().await;
            }
        };
        let before = self.shared.durability.lock().replace(durability.clone());
        let (before, weaknesses) = (before.unwrap_or_default().weak_settings(), durability.weak_settings());
        if weaknesses == before {
            return;
        }
        for weakness in weaknesses.iter().filter(|weakness| !before.contains(weakness)) {
            tracing::error!(redis = %self.shared.address, %weakness, "Redis was set to promise less than before");
        }
        let is_refused = self.shared.options.demand == Demand::Full && !weaknesses.is_empty();
        if is_refused || !durability.obstacles().is_empty() {
            self.give_link_up(&RequestError::NotDone(too_weak(&weaknesses)));
            self.return_soon().await;
        }
    }

    /// Reconnects immediately if the connection was lost, to restore what Redis lost before other
    /// servers write.
    async fn return_soon(&mut self) {
        if self.link.is_none() {
            // Ignore an error here, because the next request will report it.
            let _told_otherwise = self.ready().await.is_ok();
        }
    }

    /// Returns a connection, after finding out the outcome of all earlier writes.
    pub(super) async fn ready(&mut self) -> Result<&mut Link, RequestError> {
        let shared = self.shared.clone();
        let is_in_doubt = || shared.is_in_doubt.load(Ordering::SeqCst);
        // If this check loses the connection, a new one is made below.
        if self.link.is_some()
            && is_in_doubt()
            && let Err(error) = self.confirm().await
            && self.link.is_some()
        {
            return Err(error);
        }
        if self.link.is_none() {
            if Instant::now() < self.retry_at {
                return Err(self.last_error.clone());
            }
            if let Err(error) = self.connect().await {
                self.link = None;
                self.retry_at = Instant::now() + self.pause;
                self.pause = (self.pause * 2).min(RETRY.1);
                // `NotDone`, because none of the waiting requests was sent.
                self.last_error = RequestError::not_done(error);
                self.shared.note_failure(&self.last_error);
                return Err(self.last_error.clone());
            }
        }
        if is_in_doubt() {
            self.confirm().await?;
        }
        self.link.as_mut().ok_or_else(|| RequestError::not_done("there is no connection to Redis"))
    }

    /// Connects, and repairs what may have gone wrong in the meantime: makes sure that requests
    /// over the previous connection cannot run, gives back what Redis has lost, and finishes
    /// unfinished appends.
    async fn connect(&mut self) -> Result<Option<Stamp>, RequestError> {
        let shared = self.shared.clone();
        let options = &shared.options;
        let mut link = shared.masters.link(&shared.address, &shared.options, &shared.keys).await?;
        *shared.durability.lock() = Some(link.durability.clone());
        let weaknesses = link.durability.weaknesses();
        if options.demand == Demand::Full && !weaknesses.is_empty() {
            return Err(RequestError::NotDone(too_weak(&weaknesses)));
        }
        if let Some(former) = &self.former {
            link.fence(former).await?;
        }
        self.look_at_keys(&mut link).await?;
        let Begun { last_heartbeat, now, wait, made } = self.begin(&mut link).await?;
        let is_made_anew = !self.made.is_empty() && self.made != made;
        self.durability_at = Instant::now() + options.durability_every;
        let set_back = match last_heartbeat {
            _ if is_made_anew => Some(Stamp(0)),
            Some(at) if at > self.last_beat.plus_ms(APART_MS) => self.set_back(&mut link).await?,
            at => at.or(Some(Stamp(0))),
        };
        let is_whole = self.may_miss_guards(now) && set_back.is_none();
        self.forget_retired(&mut link, now, set_back).await?;
        for chunk in self.shared.held_games().chunks(CHUNK) {
            self.give_back(&mut link, chunk).await?;
        }
        if self.opened_at.is_some() && !self.shared.is_of_known_run(&link) && !is_whole {
            self.give_back_foreign(&mut link).await?;
        }
        if is_made_anew {
            self.give_back_records(&mut link).await?;
        }
        // If this came earlier, another attempt would not know that Redis was emptied.
        self.made = made;
        // During `wait`, other servers also give their entries back, and an earlier write would
        // prevent that.
        sleep(wait).await;
        if self.opened_at.is_some() {
            // The heartbeat comes before any request is accepted, because game clocks stood still
            // while no server reached Redis.
            let beat = link.query(&self.heartbeat(&link)).await?;
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

    /// Creates the store if there is none, and reads its metadata.
    async fn begin(&self, link: &mut Link) -> Result<Begun, RequestError> {
        let keys = &self.shared.keys;
        let mut command = self.shared.call(link, Script::Begin, &[&keys.meta]);
        command.arg(&keys.schema).arg(self.shared.epoch.load(Ordering::SeqCst));
        command.arg(&link.durability.run_id).arg(u8::from(self.has_beaten));
        let (schema, epoch, heartbeat, now, run_at, made): (String, String, String, u64, u64, String) =
            link.query(&command).await?;
        if schema != keys.schema {
            let known = &keys.schema;
            let number = known.split(' ').next().unwrap_or_default();
            return Err(RequestError::NotDone(format!(
                "the store in this Redis has schema {schema}, and this server knows {known}: export it with the server that made it and import it into a new --redis-prefix, such as flagfall-{number}"
            )));
        }
        let epoch: u64 =
            epoch.parse().map_err(|_| RequestError::not_done("the store in this Redis has no epoch"))?;
        self.shared.epoch.fetch_max(epoch, Ordering::SeqCst);
        let found = of_right_type(link.query(&Cmd::hgetall(&keys.quarantined)).await)?;
        let quarantined: Vec<(Vec<u8>, Vec<u8>)> = found.unwrap_or_default();
        let parse = |(game, why): (Vec<u8>, Vec<u8>)| {
            let game = std::str::from_utf8(&game).ok()?.parse().ok()?;
            Some((game, String::from_utf8_lossy(&why).into_owned()))
        };
        *self.shared.quarantined.lock() = quarantined.into_iter().filter_map(parse).collect();
        if keys.is_bucket() && self.made.is_empty() {
            let found: Option<Vec<u8>> = link.query(&Cmd::hget(&keys.meta, OUTAGES_KEY)).await?;
            let mut known = self.shared.outages.lock();
            OutageList::parse(found.as_deref()).iter().for_each(|outage| known.add(*outage));
        }
        let heartbeat = heartbeat.parse().ok().map(Stamp);
        if self.opened_at.is_none() {
            // Only the first connection takes over the time from the store. Later, a heartbeat
            // detects whether there was an outage.
            self.shared.raise_floor(heartbeat.unwrap_or(Stamp(0)).max(Stamp(now)));
        }
        let age = Duration::from_millis(now.saturating_sub(run_at));
        let wait = self.shared.options.give_back.saturating_sub(age);
        Ok(Begun { last_heartbeat: heartbeat, now: Stamp(now), wait, made })
    }

    pub(super) fn heartbeat(&self, link: &Link) -> Cmd {
        let keys = &self.shared.keys;
        let names = [keys.meta.as_str(), &keys.values, &keys.names];
        let names = if keys.is_bucket() { &names[..1] } else { &names[..] };
        let mut command = self.shared.call(link, Script::Heartbeat, names);
        command.arg(self.shared.silence_ms()).arg(&self.made).arg(OUTAGES_KEY).arg(OUTAGES_MAX);
        command.arg(u8::from(!self.shared.options.is_onlooker)).arg(self.outages_known_until.0).take()
    }

    /// Processes the answer to a heartbeat, and the outages that it may report. Returns the time
    /// of the heartbeat.
    pub(super) fn note_beat(&mut self, Beat { at, mut outages }: Beat) -> Stamp {
        let has_beaten = std::mem::replace(&mut self.has_beaten, true);
        self.last_beat = at;
        // Outages are recorded before the time, so that no task sees the new time without them.
        // The answer to the first heartbeat has all outages that the list already has.
        outages.retain(|outage| outage.until > self.outages_known_until);
        {
            let mut known = self.shared.outages.lock();
            outages.iter().for_each(|outage| known.add(*outage));
        }
        for outage in outages {
            self.outages_known_until = outage.until;
            // All outages before the store was opened are already known. So of the outages that
            // the first heartbeat reports, only the part after the opening is new.
            let since = outage.since.max(self.opened_at.unwrap_or(outage.until));
            if has_beaten {
                self.shared.note_outage(outage);
            } else if outage.until.ms_since(since) > self.shared.silence_ms() {
                self.shared.note_outage(Outage { since, until: outage.until });
            }
        }
        self.shared.raise_floor(at);
        at
    }

    /// Sends a heartbeat after a silence, to determine the time and whether there was an outage.
    /// If this fails, the requests that waited for the heartbeat have not been carried out.
    pub(super) async fn look_at_time(&mut self) -> Result<(), RequestError> {
        let mut link =
            self.link.clone().ok_or_else(|| RequestError::not_done("there is no connection to Redis"))?;
        let beat = link.query(&self.heartbeat(&link)).await.and_then(answers::beat);
        self.note_own_beat(beat)
    }

    fn note_own_beat(&mut self, beat: Result<Beat, RequestError>) -> Result<(), RequestError> {
        match beat {
            Ok(beat) => {
                self.note_beat(beat);
                Ok(())
            }
            Err(error) => {
                self.lose_link(&error);
                Err(RequestError::not_done(error))
            }
        }
    }

    /// Returns the time to which Redis may have been set back since this process's latest
    /// heartbeat, although other servers have sent heartbeats meanwhile. `None` if it was not. In
    /// an outage, Redis knows of no server. So if this process was alive in it, or shortly before
    /// it, Redis may have lost what followed the beginning of the outage.
    async fn set_back(&self, link: &mut Link) -> Result<Option<Stamp>, RequestError> {
        let keys = &self.shared.keys;
        // In a record, the list follows the expiry.
        let (key, from) = if keys.is_bucket() { (&keys.meta, 0) } else { (&keys.values, 8) };
        let found: Option<Vec<u8>> = link.query(&Cmd::hget(key, OUTAGES_KEY)).await?;
        let outages = OutageList::parse(found.as_deref().and_then(|found| found.get(from..)));
        let alive = self.last_beat.plus_ms(APART_MS);
        let lost = outages.iter().find(|outage| outage.since <= alive && self.last_beat < outage.until);
        Ok(lost.map(|outage| outage.since))
    }

    /// Waits until a live server must have sent a heartbeat that is newer than `found`. If there
    /// is one, returns `None`, because a server is alive and there was no outage. Otherwise
    /// returns `found`.
    async fn last_life(&mut self, found: Option<Stamp>) -> Result<Option<Stamp>, RequestError> {
        let Some(found) = found else { return Ok(None) };
        let pulse = self.shared.options.pulse;
        let age = Duration::from_millis(self.shared.now().ms_since(found));
        let until = Instant::now() + pulse.saturating_sub(age);
        while Instant::now() < until {
            sleep_until(until.min(Instant::now() + pulse / 10)).await;
            let look = Cmd::hget(&self.shared.keys.meta, "heartbeat");
            let link = self.ready().await?;
            if link.query::<Option<u64>>(&look).await?.is_some_and(|at| at > found.0) {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Sends a heartbeat and waits until the replicas have received all earlier writes.
    async fn confirm(&mut self) -> Result<(), RequestError> {
        let Some(mut link) = self.link.clone() else { return Ok(()) };
        let mut commands = Pipeline::new();
        commands.add_command(self.heartbeat(&link));
        self.shared.wait(&mut commands);
        let beat = link.send(&commands).await.and_then(|mut answers| {
            self.shared.are_enough(&mut answers)?;
            answers::beat(answers.pop().unwrap_or(Value::Nil))
        });
        self.note_own_beat(beat)?;
        self.shared.is_in_doubt.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Drops the connection if the error requires it.
    pub(super) fn lose_link(&mut self, error: &RequestError) {
        if error.ends_link() {
            self.give_link_up(error);
        }
    }

    /// Drops the connection.
    fn give_link_up(&mut self, error: &RequestError) {
        if let Some(link) = self.link.take() {
            self.former = Some(link.former());
            self.shared.is_in_doubt.store(true, Ordering::SeqCst);
            self.shared.note_failure(error);
        }
    }
}

fn too_weak(weaknesses: &[Weakness]) -> String {
    format!("this Redis promises less than a game needs: {}", list(weaknesses))
}

/// The metadata of a store, read when connecting.
struct Begun {
    last_heartbeat: Option<Stamp>,
    /// The current time.
    now: Stamp,
    /// The remaining time in which servers may restore what this run of Redis has lost. No
    /// server writes anything else in that time.
    wait: Duration,
    made: String,
}
