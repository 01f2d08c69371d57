//! The writer: the one task that changes Redis.
//!
//! It takes whatever waits, sends it in one go over a connection of its own, waits for the answers and, where the operator wants
//! that, for the replicas, and answers everybody. Meanwhile the next group gathers; there is no timer. When an answer stays out,
//! nobody knows what was done: the connection is given up and fenced off on the next one, and until then reads wait, so that
//! whoever resolves an `Unknown` by reading gets a final answer.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use flagfall_board::Stamp;
use redis::{Cmd, Pipeline};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use super::Demand;
use super::answers::{self, Beat};
use super::layout::SCHEMA;
use super::link::{Fault, Former, Link, Script};
use super::promises::{Weakness, list};
use super::request::{Request, gather};
use super::shared::Shared;
use crate::clock::{SystemClock, WallClock};
use crate::store::{OUTAGES_KEY, OUTAGES_MAX, Outage};

/// The time between two looks whether Redis is still there.
const PULSE: Duration = Duration::from_secs(1);
/// The least and the most time between two tries to reach it.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// Games compared, and appends finished, in one go.
const CHUNK: usize = 256;
/// After how long an append that is still listed as unfinished is finished by whoever sees it, in milliseconds: its writer may be gone.
const LEFT_BEHIND_MS: u64 = 5_000;

pub(super) struct Writer {
    pub(super) shared: Arc<Shared>,
    pub(super) link: Option<Link>,
    former: Option<Former>,
    retry_at: Instant,
    pause: Duration,
    /// Why Redis could not be used when it was last tried.
    trouble: Fault,
    /// Whether a heartbeat of this process was taken.
    has_beaten: bool,
    /// When the store was opened, once it is: whoever opens it knows of all outages that were over then.
    opened_at: Option<Stamp>,
    outages_known_until: Stamp,
    /// What tells the store from one that was in this Redis before.
    made: String,
    /// When to look next at what Redis promises.
    promises_at: Instant,
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
            opened_at: None,
            outages_known_until: Stamp(0),
            made: String::new(),
            promises_at: Instant::now(),
        };
        let found = writer.connect().await?;
        let last_heartbeat = writer.last_life(found).await?;
        writer.opened_at = Some(writer.shared.now());
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
        self.look_at_promises().await;
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

    /// Notices settings of Redis that were changed while it runs. One that promises too little now is given up, as if it were connected to just now.
    async fn look_at_promises(&mut self) {
        if Instant::now() < self.promises_at {
            return;
        }
        self.promises_at = Instant::now() + self.shared.options.promises_every;
        let Some(mut link) = self.link.clone() else { return };
        let promises = match link.promises_now().await {
            Ok(promises) => promises,
            Err(fault) => {
                // It is asked again; what was promised before counts until then.
                self.lose_link(&fault);
                return self.return_soon().await;
            }
        };
        let before = self.shared.promises.read().unwrap_or_else(PoisonError::into_inner).weak_settings();
        let weaknesses = promises.weak_settings();
        self.shared.note_promises(&promises);
        if weaknesses == before {
            return;
        }
        for weakness in weaknesses.iter().filter(|weakness| !before.contains(weakness)) {
            tracing::error!(redis = %self.shared.address, %weakness, "Redis was set to promise less than before");
        }
        let is_refused = self.shared.options.demand == Demand::Full && !weaknesses.is_empty();
        if is_refused || !promises.obstacles().is_empty() {
            self.give_link_up(&Fault::NotDone(too_weak(&weaknesses)));
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
    pub(super) async fn ready(&mut self) -> Result<&mut Link, Fault> {
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
            return Err(Fault::NotDone(too_weak(&weaknesses)));
        }
        if let Some(former) = &self.former {
            link.fence(former).await?;
        }
        self.look_at_keys(&mut link).await?;
        let Begun { last_heartbeat, wait, made } = self.begin(&mut link).await?;
        let is_made_anew = !self.made.is_empty() && self.made != made;
        self.made = made;
        self.promises_at = Instant::now() + options.promises_every;
        let games = self.shared.held().games();
        for chunk in games.chunks(CHUNK) {
            self.give_back(&mut link, chunk).await?;
        }
        if is_made_anew {
            self.give_back_records(&mut link).await?;
        }
        // Others do so too: whoever wrote before them would cut off what they hold.
        sleep(wait).await;
        if self.opened_at.is_some() {
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
        let quarantined: Vec<(Vec<u8>, Vec<u8>)> =
            match link.ask(redis::cmd("HGETALL").arg(&keys.quarantined)).await {
                Err(Fault::WrongType) => Vec::new(),
                quarantined => quarantined?,
            };
        let parse = |(game, why): (Vec<u8>, Vec<u8>)| {
            let game = std::str::from_utf8(&game).ok()?.parse().ok()?;
            Some((game, String::from_utf8_lossy(&why).into_owned()))
        };
        self.shared.set_quarantined(quarantined.into_iter().filter_map(parse).collect());
        let heartbeat = heartbeat.parse().ok().map(Stamp);
        if self.opened_at.is_none() {
            // Later it is for the heartbeat that follows to say how late it is, and whether clocks stood still.
            self.shared.raise_floor(heartbeat.unwrap_or(Stamp(0)).max(Stamp(now)));
        }
        let age = Duration::from_millis(now.saturating_sub(run_at));
        let wait = self.shared.options.give_back.saturating_sub(age);
        Ok(Begun { last_heartbeat: heartbeat, wait, made })
    }

    pub(super) fn heartbeat(&self, link: &Link) -> Cmd {
        let keys = &self.shared.keys;
        let mut command = link.call(Script::Heartbeat, &[&keys.meta, &keys.values, &keys.names]);
        self.shared.time(&mut command);
        command.arg(self.shared.silence_ms()).arg(&self.made).arg(OUTAGES_KEY).arg(OUTAGES_MAX);
        command
    }

    /// Takes note of a heartbeat, and of an outage that it tells of.
    pub(super) fn note_beat(&mut self, Beat { at, outage }: Beat) {
        let has_beaten = std::mem::replace(&mut self.has_beaten, true);
        // Before the time is known: nobody must see it without knowing that clocks stood still.
        if outage.until > self.outages_known_until {
            self.outages_known_until = outage.until;
            // Of what the first heartbeat tells, whoever opened the store has read what lies before that; the rest is news to him.
            let since = outage.since.max(self.opened_at.unwrap_or(outage.until));
            if has_beaten {
                self.shared.note_outage(outage);
            } else if outage.until.ms_since(since) > self.shared.silence_ms() {
                self.shared.note_outage(Outage { since, until: outage.until });
            }
        }
        self.shared.raise_floor(at);
    }

    /// Looks at the time after a silence, and for an outage. Where it cannot, whatever waits for that was surely not carried out.
    pub(super) async fn look_at_time(&mut self) -> Result<(), Fault> {
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

    /// The heartbeat that was found, unless another follows: then some server lives, and there was no outage. Waits as long as it may take
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
        if fault.ends_link() {
            self.give_link_up(fault);
        }
    }

    /// From now on there is no connection.
    fn give_link_up(&mut self, fault: &Fault) {
        if let Some(link) = self.link.take() {
            self.former = Some(link.former());
            self.shared.is_in_doubt.store(true, Ordering::SeqCst);
            self.shared.note_trouble(fault);
        }
    }
}

fn too_weak(weaknesses: &[Weakness]) -> String {
    format!("this Redis promises less than a game needs: {}", list(weaknesses))
}

/// What a store says of itself to whoever connects.
struct Begun {
    last_heartbeat: Option<Stamp>,
    /// How long servers still have to give back what this run of Redis has lost, before anything else is written.
    wait: Duration,
    made: String,
}
