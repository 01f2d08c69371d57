//! How a command becomes fact: judged, appended, carried out, in this order.

use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{Code, GameCommand};
use flagfall_rules::{Event, Events, Game, Viewer, decide, decide_claim, decide_deadline};
use flagfall_store::record::{self, CommandStamp, LogBody, LogEntry};
use flagfall_store::{Append, AppendOutcome, Head, Key, SecretBytes, StoreError, StoredEntry, Write};

use super::answers::{CommandKey, Done, fingerprint_of, stamp_of};
use super::core::{Asked, Cause, Early, Flight, Health, Output, Reading, Stop, Table, is_awaited};
use super::epochs::StaleEpoch;
use super::error::ReadFailure;
use super::header::GameHeader;
use super::listing::{self, awake_key, house_key};
use super::public_games;
use super::replay::{self, ReplayError};
use super::reply::{Refusal, Reply};
use crate::archive::ended;
use crate::histories;
use crate::proof;
use crate::prune::guest_ended;
use crate::ratings;
use crate::turns::turn_job;
use flagfall_base::delivery::{Outbox, Payload};
use flagfall_base::keys::{LIVE, SEAT};

/// Delay before something that the store did not take is tried again, in milliseconds.
pub(super) const RETRY_MS: u64 = 1_000;

impl Table {
    /// Judges one command and starts its append.
    pub(super) fn judge(&mut self, now: Stamp, asked: Box<Asked>, outputs: &mut Vec<Output>) {
        let Some(side) = self.header.side_of(&asked.player_id) else { return };
        let key = CommandKey::new(side, asked.cmd_id.as_str());
        let fingerprint = fingerprint_of(&asked);
        let known = self.recent.iter().find(|done| done.key == key);
        if let Some(done) = known.filter(|_| !forgets_commands()) {
            let done = *done;
            return self.answer_done(*asked, fingerprint, &done);
        }
        if !asked.is_new && self.may_know(key) && !forgets_commands() {
            self.flight = Some(Flight::Search);
            return outputs.push(Output::Search { asked });
        }
        let connection = asked.reply.outbox().map(Outbox::connection);
        let is_superseded =
            connection.and_then(|id| self.audiences.find_player(id)).is_some_and(|player| !player.is_driving);
        let round_trip_ms = asked.reply.outbox().map_or(0, Outbox::round_trip_ms);
        let lag_ms = self.game.lag_credit_ms(side, round_trip_ms, now);
        let is_lost = self.is_of_lost_branch(&asked);
        let events = match self.decide(now, side, &asked) {
            Ok(events) if !is_superseded && !is_lost => events,
            // The log may hold entries that this replica lacks, perhaps this very command: what was
            // accepted is never refused.
            _ if !asked.is_current => {
                self.flight = Some(Flight::Confirm { asked });
                return self.read(Reading::Refusal, outputs);
            }
            _ if is_lost => {
                return self.refuse_asked(*asked, Refusal::new(StaleEpoch.code(), StaleEpoch.to_string()));
            }
            Ok(_) => {
                let message = "you play this game from a newer connection; open it again to take it back";
                return self.refuse_asked(*asked, Refusal::new(Code::SUPERSEDED, message));
            }
            Err(refusal) => return self.refuse_asked(*asked, Refusal::from(&refusal)),
        };
        let is_timed = events.iter().next().is_some_and(|event| event.ends_time_of().is_some());
        let lag_ms = if is_timed { lag_ms } else { 0 };
        let stamp = stamp_of(&asked, fingerprint);
        let deadline = self.game.deadline().map(|deadline| deadline.plus_ms(lag_ms.into()));
        match self.append_of(now, events.iter(), lag_ms, Some(&stamp), deadline) {
            Some(append) => {
                if let Some(outbox) = asked.reply.outbox() {
                    let bytes: usize = append.bodies.iter().map(SecretBytes::len).sum();
                    // A house player answers each move with one of about the same size.
                    outbox.note_stored(if self.header.has_house() { 2 * bytes } else { bytes });
                }
                outputs.push(Output::Append(append));
                let done = Done { key, fingerprint, seq: 0 };
                self.flight = Some(Flight::Command { asked, done, side, lag_ms, events: Box::new(events) });
            }
            None => {
                let refusal = Refusal::new(Code::INTERNAL, "the server could not write that down");
                self.refuse_asked(*asked, refusal);
            }
        }
    }

    fn decide(&self, now: Stamp, side: Side, asked: &Asked) -> Result<Events, flagfall_rules::Refusal> {
        if let GameCommand::Claim { result } = asked.command {
            let claim_at = self.claim_at(side.opponent());
            return decide_claim(&self.game, side, asked.ply, result.into(), now, claim_at);
        }
        let command = asked.command.to_command(side, self.game.terms().ruleset)?;
        // The store gets the deadline and decides whether the command is in time.
        let in_time = self.game.deadline().unwrap_or(now);
        decide(&self.game, side, asked.ply, &command, now.min(in_time), &asked.entropy)
    }

    pub(super) fn append_by_itself(
        &mut self,
        now: Stamp,
        events: Vec<Event>,
        cause: Cause,
    ) -> Option<Output> {
        if events.is_empty() {
            return None;
        }
        let mut append = self.append_of(now, events.iter(), 0, None, None)?;
        if cause == Cause::Deadline {
            // Only the store's clock decides whether the time is up.
            append.not_before = self.game.flag_fall().map(|flag_fall| flag_fall.plus_ms(1));
        }
        self.flight = Some(Flight::ByItself { events, cause });
        Some(Output::Append(append))
    }

    /// Writes whether a house player is to act after the events. Writes nothing at the end of a
    /// game, which takes it off every list.
    fn house_turn(&self, after: &Game, now: Stamp) -> Vec<Write> {
        if after.phase() == flagfall_rules::Phase::Over {
            return Vec::new();
        }
        let is_awaited = |side: &Side| self.header.is_house(*side) && is_awaited(after, *side);
        let since = Side::BOTH.iter().any(is_awaited).then_some(now);
        listing::house_turn(self.id, &self.header, since)
    }

    /// The job to sign the game, if it is to be signed.
    fn due_proof(&self, now: Stamp) -> Option<Write> {
        self.job(proof::key_of_job(self.id).filter(|_| self.signs)?, now)
    }

    /// The job of this key, as one of this server.
    fn job(&self, key: Key, now: Stamp) -> Option<Write> {
        let value = self.jobs.as_ref().map(|jobs| jobs.job(now)).unwrap_or_default();
        Some(Write::Put { key, value, expires: None })
    }

    /// The append of events. The side that acted gets `lag_ms` of its time back before the first
    /// event.
    fn append_of<'a>(
        &self,
        now: Stamp,
        events: impl Iterator<Item = &'a Event>,
        mut lag_ms: u32,
        stamp: Option<&CommandStamp>,
        deadline: Option<Stamp>,
    ) -> Option<Append> {
        let mut bodies = Vec::with_capacity(2);
        let mut writes = Vec::new();
        let mut after = self.header.has_house().then(|| self.game.clone());
        for event in events {
            if let Some(after) = &mut after {
                flagfall_rules::evolve(after, event, now);
            }
            if let Some(outcome) = event.outcome() {
                writes.extend(end_of_index(self.id, &self.header));
                writes.extend(public_games::closing(self.id, &self.header, self.game.terms().created));
                let rating = ratings::key_of_job(self.id).filter(|_| self.header.terms.rated);
                let jobs = [rating, histories::key_of_job(self.id)].into_iter().flatten();
                writes.extend(jobs.filter_map(|key| self.job(key, now)));
                writes.extend(self.due_proof(now));
                writes.extend(ended(self.id, now));
                writes.extend(guest_ended(self.id, &self.header, now));
                writes.extend(self.marks(now, outcome, stamp));
                writes.extend(self.pool_return(now, event, stamp));
            }
            let entry = LogEntry::<GameHeader> {
                command: stamp.cloned(),
                lag_ms: std::mem::take(&mut lag_ms),
                body: LogBody::Event(event.clone()),
            };
            bodies.push(record::encode(entry).ok()?);
        }
        writes.extend(turn_job(self.id, &self.header).and_then(|key| self.job(key, now)));
        writes.extend(after.into_iter().flat_map(|after| self.house_turn(&after, now)));
        Some(Append { game: self.id, expected: self.head, deadline, not_before: None, bodies, writes })
    }

    pub(super) fn appended(
        &mut self,
        now: Stamp,
        outcome: Result<AppendOutcome, StoreError>,
        outputs: &mut Vec<Output>,
    ) {
        match outcome {
            Ok(AppendOutcome::Ok { at, head }) => self.landed(at, head, outputs),
            Ok(AppendOutcome::Conflict { head }) => self.read(Reading::Conflict(head), outputs),
            Ok(AppendOutcome::Unknown) => self.read(Reading::Unknown, outputs),
            Ok(AppendOutcome::Late { at }) => {
                if let Some(Flight::Command { asked, .. }) = self.flight.take() {
                    self.refuse_asked(*asked, Refusal::from(&flagfall_rules::Refusal::OutOfTime));
                }
                // The store's time has passed the deadline, so its consequences are due now.
                let events: Vec<Event> = decide_deadline(&self.game, at.max(now)).into_iter().collect();
                outputs.extend(self.append_by_itself(at.max(now), events, Cause::Deadline));
            }
            Ok(AppendOutcome::Early { at }) => {
                // The store's clock is behind. The time is up when as much has passed here as is
                // missing there.
                self.flight = None;
                self.early = self.game.flag_fall().map(|flag_fall| {
                    let up_at = flag_fall.plus_ms(1);
                    Box::new(Early { flag_fall, until: now.plus_ms(up_at.ms_since(at)).max(up_at) })
                });
            }
            Ok(AppendOutcome::Quarantined { .. }) => self.quarantine(),
            Err(_) => self.give_up(now, outputs),
        }
    }

    /// What was under way is in the log.
    fn landed(&mut self, at: Stamp, head: Head, outputs: &mut Vec<Output>) {
        self.head = head;
        self.retry_at = None;
        match self.flight.take() {
            Some(Flight::Command { asked, mut done, side, mut lag_ms, events }) => {
                for event in events.iter() {
                    self.carry_out(event, at, std::mem::take(&mut lag_ms), Some(side));
                }
                done.seq = self.seq_of(side);
                self.note_done(done);
                if let Some(outbox) = asked.reply.outbox() {
                    outbox.credit();
                }
                self.accept(*asked, &done);
            }
            Some(Flight::ByItself { events, cause }) => {
                events.iter().for_each(|event| self.carry_out(event, at, 0, None));
                match cause {
                    Cause::Deadline => {}
                    Cause::Recovery => self.told_outage(),
                    Cause::Stop => {
                        self.stop = Stop::Done;
                        outputs.push(Output::Stopped);
                    }
                }
            }
            Some(Flight::Search | Flight::Confirm { .. } | Flight::Follow) | None => {}
        }
    }

    /// The store did not take what was under way, or the outcome is unknown. Don't retry at once.
    fn give_up(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        match self.flight.take() {
            // It was judged by clocks that ran while no server reached the store. Correct them and
            // judge again.
            Some(Flight::Command { asked, .. }) if self.outage_since.is_some() && self.retry_at.is_none() => {
                self.line.push_front(asked);
            }
            Some(Flight::Command { asked, side, .. }) => {
                if matches!(asked.reply, Reply::Nobody) {
                    // A house player does not repeat its command.
                    self.seats[side].asked_at = None;
                    self.retry_at = Some(now.plus_ms(RETRY_MS));
                }
                self.refuse_asked(*asked, Refusal::unavailable());
            }
            Some(Flight::ByItself { cause: Cause::Stop, .. }) => {
                self.stop = Stop::Done;
                outputs.push(Output::Stopped);
            }
            Some(Flight::ByItself { cause: Cause::Deadline | Cause::Recovery, .. }) => {
                self.retry_at = Some(now.plus_ms(RETRY_MS));
            }
            Some(Flight::Confirm { asked }) => self.refuse_asked(*asked, Refusal::unavailable()),
            Some(Flight::Follow) => self.not_followed(now),
            Some(Flight::Search) | None => {}
        }
    }

    pub(super) fn read(&mut self, because: Reading, outputs: &mut Vec<Output>) {
        self.reading = Some(Box::new(because));
        outputs.push(Output::Read { after: self.head.seq });
    }

    /// Handles the entries of the log beyond the replica.
    pub(super) fn read_on(
        &mut self,
        now: Stamp,
        read: Result<Vec<StoredEntry>, ReadFailure>,
        outputs: &mut Vec<Output>,
    ) {
        let because = self.reading.take().map(|reading| *reading);
        let stored = match read {
            Ok(stored) => stored,
            Err(ReadFailure::Damaged) => return self.quarantine(),
            Err(ReadFailure::Unavailable) => return self.give_up(now, outputs),
        };
        let has_branched = match because {
            Some(Reading::Conflict(head)) => !self.leads_to(head, &stored),
            Some(Reading::Look(head)) => head != self.head && !self.leads_to(head, &stored),
            Some(Reading::Unknown | Reading::Refusal | Reading::Hint) | None => false,
        };
        if has_branched {
            return self.diverge(outputs);
        }
        if self.catch_up(&stored).is_err() {
            return self.quarantine();
        }
        match (because, self.flight.take()) {
            // It was written after all, or another server was first. Judging it again finds out
            // which.
            (_, Some(Flight::Command { asked, done, .. })) if self.has_done(done.key) => {
                self.line.push_front(asked);
            }
            (Some(Reading::Conflict(_)), Some(Flight::Command { asked, .. })) => self.line.push_front(asked),
            (Some(Reading::Conflict(_)), Some(Flight::ByItself { .. })) => {}
            (_, Some(Flight::Follow)) => self.followed(now),
            (_, Some(Flight::Confirm { mut asked })) => {
                asked.is_current = stored.is_empty();
                self.line.push_front(asked);
            }
            // Events without a command are decided again at once if the log has gone on; otherwise
            // give up for now.
            (_, Some(Flight::ByItself { .. })) if !stored.is_empty() => {}
            (_, flight) => {
                self.flight = flight;
                self.give_up(now, outputs);
            }
        }
    }

    /// True if the entries after the replica lead to this head, or beyond.
    fn leads_to(&self, head: Head, stored: &[StoredEntry]) -> bool {
        let mut at = self.head;
        for stored in stored {
            at = at.then(self.id, &stored.body);
            if at.seq == head.seq {
                return at == head;
            }
        }
        false
    }

    /// Handles a replica with entries that the log lacks: they were lost after clients had seen
    /// them.
    fn diverge(&mut self, outputs: &mut Vec<Output>) {
        tracing::error!(game = %self.id, "the store lost acknowledged events of this game; the game continues from the store's log");
        if let Some(Flight::Command { asked, .. }) = self.flight.take() {
            self.refuse_asked(*asked, Refusal::unavailable());
        }
        self.health = Health::Diverged;
        outputs.push(Output::Diverged);
    }

    fn has_done(&self, key: CommandKey) -> bool {
        self.recent.iter().any(|done| done.key == key)
    }

    /// Carries out entries that are in the log already, from any server.
    pub(super) fn catch_up(&mut self, stored: &[StoredEntry]) -> Result<(), ReplayError> {
        for stored in stored {
            let entry = replay::entry(stored)?;
            self.head = self.head.then(self.id, &stored.body);
            let asker = entry.command.as_ref().and_then(|stamp| self.header.side_of(&stamp.player));
            self.carry_out(&entry.event, entry.at, entry.lag_ms, asker);
            if let (Some(stamp), Some(side)) = (entry.command, asker) {
                self.note_act(side, entry.at);
                let key = CommandKey::new(side, &stamp.cmd_id);
                self.note_done(Done { key, fingerprint: stamp.fingerprint, seq: self.seq_of(side) });
            }
        }
        Ok(())
    }

    /// Carries out an event that is in the log, and shows it. `asker` is the side whose command
    /// caused it.
    fn carry_out(&mut self, event: &Event, at: Stamp, lag_ms: u32, asker: Option<Side>) {
        self.aborted = self.abort_cause(event, asker).or(self.aborted);
        flagfall_rules::evolve_compensated(&mut self.game, event, at, lag_ms);
        let abort = self.abort();
        self.audiences.publish(self.id, &self.game, event, at, abort.as_ref());
    }

    pub(super) fn seq_of(&self, side: Side) -> u64 {
        self.audiences.shown(Viewer::Player(side)).seq
    }

    pub(super) fn quarantine(&mut self) {
        self.health = Health::Quarantined;
        if let Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) = self.flight.take() {
            self.refuse_quarantined(*asked);
        }
        tracing::error!(game = %self.id, "the game's log is damaged: the game is in quarantine, other games continue");
        let unavailable = Payload::new(&self.unavailable());
        self.audiences.all().for_each(|subscriber| subscriber.outbox.send(unavailable.clone()));
    }
}

/// True if a test planted the fault that repeated commands are not recognized. Only the servers of
/// a test bench can have it.
fn forgets_commands() -> bool {
    #[cfg(feature = "planted-faults")]
    return flagfall_store::planted::PlantedFault::ForgetsCommandIds.is_planted();
    #[cfg(not(feature = "planted-faults"))]
    false
}

/// The index records of a running game.
pub(super) fn index_keys(game: GameId, header: &GameHeader) -> impl Iterator<Item = Key> {
    let seats = Side::BOTH.map(|side| SEAT.key([&header.players[side].id, &game]));
    std::iter::once(LIVE.key([&game])).chain(seats).flatten()
}

fn end_of_index(game: GameId, header: &GameHeader) -> impl Iterator<Item = Write> {
    let keys = index_keys(game, header).chain(awake_key(game));
    keys.chain(house_key(game).filter(|_| header.has_house())).map(|key| Write::Delete { key })
}
