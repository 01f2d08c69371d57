//! A change of side records in several buckets, as a state machine without IO.
//!
//! One bucket is the primary bucket. The others are prepared first: if the conditions in a bucket
//! hold, the records there are locked, and the writes are stored for later. Then a script in the
//! primary bucket makes the decision: it checks the conditions of its own bucket, makes the writes
//! of this bucket, and records the decision. From then on, the change is made, even if servers are
//! lost. Finally, the other buckets make their writes and unlock their records. Any server can
//! carry out any step: see [`Name`].

use std::fmt;
use std::str::FromStr;

use flagfall_board::Stamp;

/// The time, in milliseconds, after which any server may abort a transaction without a decision.
pub(super) const LIFETIME_MS: u64 = 2_000;

/// The name of a transaction, which is the value of its locks. A server that finds a lock learns
/// from the name where the decision is recorded, and until when a decision can be made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Name {
    /// The primary bucket.
    pub(super) primary: usize,
    /// The last moment at which a decision can be made, by the clock of the primary bucket.
    pub(super) deadline: Stamp,
    /// Makes the name unique: a number for the server, and a number for the transaction.
    pub(super) id: (u64, u64),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Name { primary, deadline, id: (server, number) } = self;
        write!(f, "{primary} {} {server:x} {number}", deadline.0)
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Name, ()> {
        let parts: Vec<&str> = text.split(' ').collect();
        let &[primary, deadline, server, number] = &parts[..] else { return Err(()) };
        let decimal = |text: &str| text.parse::<u64>().map_err(|_| ());
        Ok(Name {
            primary: primary.parse().map_err(|_| ())?,
            deadline: Stamp(decimal(deadline)?),
            id: (u64::from_str_radix(server, 16).map_err(|_| ())?, decimal(number)?),
        })
    }
}

/// A recorded decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// The change is made. The other buckets still have to make their writes.
    Committed { others: Vec<usize> },
    /// The change is not made, and never will be.
    Aborted,
}

impl Decision {
    /// Parses the decision that the primary bucket has recorded. `None` if there is none yet.
    pub(super) fn parse(text: &str) -> Option<Decision> {
        match text.strip_prefix('c') {
            Some(others) => {
                let others = others.split(',').filter_map(|bucket| bucket.parse().ok()).collect();
                Some(Decision::Committed { others })
            }
            None => (text == "a").then_some(Decision::Aborted),
        }
    }

    pub(super) fn is_committed(&self) -> bool {
        matches!(self, Decision::Committed { .. })
    }
}

/// Returns the numbers of the other buckets as text, to be recorded with the decision.
pub(super) fn others_text(buckets: &[usize]) -> String {
    buckets.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// A request to one bucket.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Call {
    Prepare { bucket: usize },
    Decide { bucket: usize },
    Finish { bucket: usize, is_committed: bool },
    Forget { bucket: usize },
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Answer {
    Ok,
    /// A condition does not hold.
    Conflict,
    /// The deadline has passed, or the transaction was aborted.
    Late,
    /// Another transaction has locked a record.
    Locked(Name),
    /// The request was certainly not carried out.
    NotDone(String),
    /// The request may have been carried out. If it was not, it never will be.
    InDoubt(String),
}

/// The result of a transaction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Outcome {
    Committed,
    Conflict,
    /// Nothing was written, because another transaction has locked a record. The transaction can be
    /// tried again.
    Locked(Name),
    /// Nothing was written, because the transaction took too long. It can be tried again.
    Late,
    /// Nothing was written.
    NotDone(String),
    /// It is unknown whether the change is made. The primary bucket has the decision, if there is
    /// one.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Phase {
    Preparing,
    Deciding,
    Finishing,
    Forgetting,
    Done,
}

/// A transaction, as seen by the server that makes it. The owner of the machine carries out the
/// calls, concurrently and in any order, and passes the answers to the machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Machine {
    primary: usize,
    others: Vec<usize>,
    phase: Phase,
    /// The calls that can be carried out now.
    calls: Vec<Call>,
    /// The number of calls that were taken and have no answer yet.
    awaited: usize,
    /// The buckets that are prepared, or may be.
    prepared: Vec<usize>,
    /// The outcome, or during the preparation, the reason why the transaction will fail.
    outcome: Option<Outcome>,
    /// False if it is not certain that all buckets have finished the transaction.
    is_finished: bool,
}

impl Machine {
    /// Begins a transaction in these buckets. The first one is the primary bucket.
    pub(super) fn new(primary: usize, others: Vec<usize>) -> Machine {
        let calls = others.iter().map(|bucket| Call::Prepare { bucket: *bucket }).collect();
        let mut machine = Machine {
            primary,
            others,
            phase: Phase::Preparing,
            calls,
            awaited: 0,
            prepared: Vec::new(),
            outcome: None,
            is_finished: true,
        };
        machine.go_on();
        machine
    }

    /// Returns the calls to carry out now.
    pub(super) fn take_calls(&mut self) -> Vec<Call> {
        self.awaited += self.calls.len();
        std::mem::take(&mut self.calls)
    }

    /// Returns the outcome, if it is known. Some buckets may not have finished the transaction yet.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref().filter(|_| self.phase > Phase::Deciding)
    }

    pub(super) fn answer(&mut self, call: Call, answer: Answer) {
        self.awaited -= 1;
        match call {
            Call::Prepare { bucket } => {
                if matches!(answer, Answer::Ok | Answer::InDoubt(_)) {
                    self.prepared.push(bucket);
                }
                match answer {
                    Answer::Ok => {}
                    // Nothing will be written, because no decision will be requested.
                    Answer::InDoubt(why) => self.fail(Outcome::NotDone(why)),
                    answer => self.fail(outcome_of(answer)),
                }
            }
            Call::Decide { .. } => match answer {
                Answer::Ok => self.outcome = Some(Outcome::Committed),
                Answer::InDoubt(_) => self.outcome = Some(Outcome::Unknown),
                answer => self.outcome = Some(outcome_of(answer)),
            },
            Call::Finish { .. } => self.is_finished &= answer == Answer::Ok,
            Call::Forget { .. } => {}
        }
        if self.awaited == 0 && self.calls.is_empty() {
            self.go_on();
        }
    }

    /// Records that the transaction cannot be made. A conflict replaces any other reason, because
    /// it is final, while other reasons may pass.
    fn fail(&mut self, outcome: Outcome) {
        if self.outcome.is_none() || outcome == Outcome::Conflict {
            self.outcome = Some(outcome);
        }
    }

    /// Begins the next phase.
    fn go_on(&mut self) {
        while self.calls.is_empty() && self.phase != Phase::Done {
            self.phase = match self.phase {
                Phase::Preparing if self.outcome.is_none() => {
                    self.calls.push(Call::Decide { bucket: self.primary });
                    Phase::Deciding
                }
                Phase::Preparing | Phase::Deciding => {
                    // The primary bucket has not answered, so it is unknown whether the other
                    // buckets must make their writes.
                    let is_unknown = self.outcome == Some(Outcome::Unknown);
                    let is_committed = self.outcome == Some(Outcome::Committed);
                    let finish = |bucket: &usize| Call::Finish { bucket: *bucket, is_committed };
                    if !is_unknown {
                        self.calls.extend(self.prepared.iter().map(finish));
                    }
                    Phase::Finishing
                }
                Phase::Finishing => {
                    let is_committed = self.outcome == Some(Outcome::Committed);
                    if is_committed && self.is_finished && !self.others.is_empty() {
                        self.calls.push(Call::Forget { bucket: self.primary });
                    }
                    Phase::Forgetting
                }
                Phase::Forgetting | Phase::Done => Phase::Done,
            };
        }
    }
}

fn outcome_of(answer: Answer) -> Outcome {
    match answer {
        Answer::Ok => Outcome::Committed,
        Answer::Conflict => Outcome::Conflict,
        Answer::Late => Outcome::Late,
        Answer::Locked(name) => Outcome::Locked(name),
        Answer::NotDone(why) => Outcome::NotDone(why),
        Answer::InDoubt(_) => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests;
