//! A change of side records in several buckets, as a machine without IO.
//!
//! One bucket is the primary one. The others are prepared first: if the conditions there hold,
//! their records are locked, and their writes are kept. Then the primary bucket decides in one
//! script, which checks its own conditions, makes its own writes, and records the decision. From
//! then on, the change is made, even if servers are lost. At last the other buckets make their
//! writes and unlock their records. Every step can be carried out by any server: see [`Name`].

use std::fmt;
use std::str::FromStr;

use flagfall_board::Stamp;

/// The time after which a transaction without a decision may be aborted by anybody, in
/// milliseconds.
pub(super) const LIFETIME_MS: u64 = 2_000;

/// The name of a transaction, of which locks consist. It tells a server that meets a lock where the
/// decision is, and when it is too late to make one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Name {
    /// The primary bucket.
    pub(super) primary: usize,
    /// The last time, by the clock of the primary bucket, at which a decision can be made.
    pub(super) deadline: Stamp,
    /// Distinguishes transactions: the server, and a number.
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
    /// The change is made. The other buckets make their writes.
    Committed { others: Vec<usize> },
    /// The change is not made, and never will be.
    Aborted,
}

impl Decision {
    /// Parses the text in the primary bucket. `None` if there is no decision yet.
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

/// Returns the other buckets as text, for the record of the decision.
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
    /// The request may have been carried out, but it will not be from now on.
    InDoubt(String),
}

/// What became of a transaction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Outcome {
    Committed,
    Conflict,
    /// Nothing was written, because of another transaction. It can be tried again.
    Locked(Name),
    /// Nothing was written, because it took too long. It can be tried again.
    Late,
    /// Nothing was written.
    NotDone(String),
    /// It may be made or not. The primary bucket has the decision, if there is one.
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

/// A transaction, as seen by the server that makes it. Its owner carries out the calls, in any
/// order and at the same time, and tells the machine the answers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Machine {
    primary: usize,
    others: Vec<usize>,
    phase: Phase,
    /// The calls that can be carried out now.
    calls: Vec<Call>,
    /// The number of calls that were taken and have no answer yet.
    awaited: usize,
    /// The buckets that may be prepared.
    prepared: Vec<usize>,
    /// Why the transaction cannot be made; later the outcome.
    outcome: Option<Outcome>,
    /// True if the writes are made in all buckets so far.
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

    /// Returns the outcome. It is known before the transaction is finished everywhere.
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
                    // The decision is never asked for, so nothing is written.
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

    /// Notes that the transaction cannot be made. A conflict is final, so it counts more than
    /// what may pass.
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
                    // Without an answer from the primary bucket, only that bucket knows how to
                    // finish.
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
