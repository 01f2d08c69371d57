//! The faults and figures that the checker counts.

use std::collections::BTreeMap;

/// Kinds of faults. The count of each must be zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// A command was acknowledged but is not in the log.
    Missing,
    /// An event was shown twice, a ply was counted twice, or a command took effect twice.
    Doubled,
    /// A sequence number was skipped, although the game was not opened again.
    Gap,
    /// A view or an event does not agree with the log.
    Differs,
    /// A rank was shown to an audience that must not know it.
    Leak,
    /// Two sessions that should look the same look different.
    SecretByte,
    /// A clock ran while no server was running.
    Clock,
    /// A commitment does not match the deployment that was revealed.
    Commitment,
    /// A lawful command was refused.
    Refusal,
    /// A command that was based on a lost branch was carried out in the remaining branch.
    Astray,
    /// A game did not end, or its record cannot be read.
    Unended,
    /// A client was not told that the store was unavailable, or that it was available again.
    Untold,
    /// The clients were not told about a loss of acknowledged data, although such a loss was
    /// possible at that moment.
    Unexplained,
    /// A client of a killed server did not reach another server in time, although nothing else
    /// was wrong.
    Stranded,
    /// All games are over, but an operation on several records was never completed in Redis.
    Unfinished,
}

impl Fault {
    /// All kinds of faults.
    pub const ALL: [Fault; 15] = [
        Fault::Missing,
        Fault::Doubled,
        Fault::Gap,
        Fault::Differs,
        Fault::Leak,
        Fault::SecretByte,
        Fault::Clock,
        Fault::Commitment,
        Fault::Refusal,
        Fault::Astray,
        Fault::Unended,
        Fault::Untold,
        Fault::Unexplained,
        Fault::Stranded,
        Fault::Unfinished,
    ];

    /// The name of the fault in the report.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Fault::Missing => "acknowledged commands missing afterwards",
            Fault::Doubled => "events doubled",
            Fault::Gap => "gaps in seq without a re-open",
            Fault::Differs => "views that differ from the log's",
            Fault::Leak => "hidden ranks visible in bytes",
            Fault::SecretByte => "bytes that depend on a secret",
            Fault::Clock => "clocks that ran while the server was down",
            Fault::Commitment => "commitments that do not match",
            Fault::Refusal => "lawful commands refused",
            Fault::Astray => "commands of lost branches carried out",
            Fault::Unended => "games without an end or a readable record",
            Fault::Untold => "connections not told of the store's state in time",
            Fault::Unexplained => "losses without a new epoch",
            Fault::Stranded => "clients of a killed server too late on another",
            Fault::Unfinished => "operations never completed in Redis",
        }
    }
}

/// Maximum number of examples to keep for each kind of fault.
const EXAMPLES_MAX: usize = 5;
const EXAMPLE_LEN_MAX: usize = 1_500;

/// Counts of the comparisons in the ordinary games of a ruleset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Played {
    /// The number of games.
    pub games: u64,
    /// The number of plies in the logs of these games.
    pub plies: u64,
    /// The number of acknowledged commands.
    pub acked: u64,
    /// The number of messages received.
    pub messages: u64,
    /// The number of different views compared.
    pub views: u64,
    /// The number of different events compared.
    pub events: u64,
}

impl Played {
    /// Counts of the comparisons in all games so far.
    pub(super) fn so_far(findings: &Findings) -> Played {
        Played {
            games: 0,
            plies: 0,
            acked: findings.moves_acked + findings.others_acked,
            messages: findings.messages,
            views: findings.views,
            events: findings.events,
        }
    }

    /// Returns the counts since `before`, as the counts of one game with this many plies.
    pub(super) fn since(self, before: &Played, plies: u64) -> Played {
        Played {
            games: 1,
            plies,
            acked: self.acked - before.acked,
            messages: self.messages - before.messages,
            views: self.views - before.views,
            events: self.events - before.events,
        }
    }

    /// Adds the figures of another part of the run.
    pub(super) fn add(&mut self, other: Played) {
        let Played { games, plies, acked, messages, views, events } = other;
        self.games += games;
        self.plies += plies;
        self.acked += acked;
        self.messages += messages;
        self.views += views;
        self.events += events;
    }
}

/// Counts of the comparisons in the pairs of a ruleset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paired {
    /// The number of pairs of sessions.
    pub pairs: u64,
    /// The number of kills that the pairs survived.
    pub kills: u64,
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The number of messages that depend on a secret.
    pub differing: u64,
    /// The number of pairs that were compared only up to an unplanned disturbance.
    pub cut: u64,
}

impl Paired {
    /// Adds the figures of another part of the run.
    pub(super) fn add(&mut self, other: Paired) {
        self.pairs += other.pairs;
        self.kills += other.kills;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.differing += other.differing;
        self.cut += other.cut;
    }
}

/// Figures and faults of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    counts: BTreeMap<Fault, u64>,
    examples: BTreeMap<Fault, Vec<String>>,
    /// The number of games that ended, by reason.
    pub ended: BTreeMap<String, u64>,
    /// The number of games whose records came from the archive and were compared.
    pub archived: u64,
    /// The number of plies in the logs.
    pub plies: u64,
    /// Counts of the comparisons in ordinary games, by ruleset.
    pub played: BTreeMap<String, Played>,
    /// The number of messages received.
    pub messages: u64,
    /// The number of whole views compared.
    pub views: u64,
    /// The number of events compared.
    pub events: u64,
    /// The number of moves acknowledged.
    pub moves_acked: u64,
    /// The number of other commands acknowledged.
    pub others_acked: u64,
    /// The number of commitments recomputed.
    pub commitments: u64,
    /// The number of clocks that were compared with the log's.
    pub clocks: u64,
    /// The number of running clocks that were compared before and after an outage.
    pub clocks_over_outages: u64,
    /// The largest amount of time that a clock gained in an outage, in milliseconds.
    pub clock_gift_max: i64,
    /// The number of paired sessions compared.
    pub paired: u64,
    /// The number of bytes compared in paired sessions.
    pub paired_bytes: u64,
    /// Counts of the comparisons in pairs, by ruleset.
    pub by_ruleset: BTreeMap<&'static str, Paired>,
    /// The number of clients that learned of a loss from a new epoch.
    pub rollbacks: u64,
    /// The number of acknowledged commands that were lost together with all processes. Their
    /// clients were told about the loss.
    pub lost_acks: u64,
    /// The number of messages that belong to lost branches.
    pub lost_messages: u64,
    /// The number of commands that were based on lost branches and refused because they do not
    /// match the log.
    pub astray_refusals: u64,
    /// The time in milliseconds from the kill of a server until each of its clients was welcomed
    /// again.
    pub let_in_ms: Vec<u64>,
    /// The time in milliseconds from the kill until each client was shown its game again.
    pub shown_ms: Vec<u64>,
    /// Like `shown_ms`, but only for kills without any other disturbance at the time or shortly
    /// before.
    pub shown_undisturbed_ms: Vec<u64>,
    /// The time in milliseconds from the kill until each client's pending command was
    /// acknowledged.
    pub answered_ms: Vec<u64>,
    /// The time in milliseconds from the loss of the store until each client was told.
    pub told_away_ms: Vec<u64>,
    /// The time in milliseconds from the return of the store until each client was told.
    pub told_back_ms: Vec<u64>,
    /// Like `told_away_ms`, for the part of the store with the client's game.
    pub told_part_away_ms: Vec<u64>,
    /// Like `told_back_ms`, for that part.
    pub told_part_back_ms: Vec<u64>,
}

impl Findings {
    /// Counts a fault.
    pub fn fault(&mut self, fault: Fault, example: impl Into<String>) {
        *self.counts.entry(fault).or_default() += 1;
        let examples = self.examples.entry(fault).or_default();
        if examples.len() < EXAMPLES_MAX {
            let mut example: String = example.into();
            if example.len() > EXAMPLE_LEN_MAX {
                example = example.chars().take(EXAMPLE_LEN_MAX).collect();
            }
            examples.push(example);
        }
    }

    /// Returns the number of faults of this kind.
    #[must_use]
    pub fn count(&self, fault: Fault) -> u64 {
        self.counts.get(&fault).copied().unwrap_or_default()
    }

    /// True if there is no fault.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts.values().all(|count| *count == 0)
    }

    /// The first few faults of each kind.
    pub fn examples(&self) -> impl Iterator<Item = (Fault, &str)> {
        self.examples.iter().flat_map(|(fault, list)| list.iter().map(|example| (*fault, example.as_str())))
    }

    /// Games that ended.
    #[must_use]
    pub fn games_ended(&self) -> u64 {
        self.ended.values().sum()
    }

    /// Adds the figures of another part of the run.
    pub fn add(&mut self, other: Findings) {
        for (fault, count) in other.counts {
            *self.counts.entry(fault).or_default() += count;
        }
        for (fault, examples) in other.examples {
            let mine = self.examples.entry(fault).or_default();
            mine.extend(examples);
            mine.truncate(EXAMPLES_MAX);
        }
        for (reason, count) in other.ended {
            *self.ended.entry(reason).or_default() += count;
        }
        self.archived += other.archived;
        self.plies += other.plies;
        for (ruleset, played) in other.played {
            self.played.entry(ruleset).or_default().add(played);
        }
        self.messages += other.messages;
        self.views += other.views;
        self.events += other.events;
        self.moves_acked += other.moves_acked;
        self.others_acked += other.others_acked;
        self.commitments += other.commitments;
        self.clocks += other.clocks;
        self.clocks_over_outages += other.clocks_over_outages;
        self.clock_gift_max = self.clock_gift_max.max(other.clock_gift_max);
        self.paired += other.paired;
        self.paired_bytes += other.paired_bytes;
        for (ruleset, paired) in other.by_ruleset {
            self.by_ruleset.entry(ruleset).or_default().add(paired);
        }
        self.rollbacks += other.rollbacks;
        self.lost_acks += other.lost_acks;
        self.lost_messages += other.lost_messages;
        self.astray_refusals += other.astray_refusals;
        self.let_in_ms.extend(other.let_in_ms);
        self.shown_ms.extend(other.shown_ms);
        self.shown_undisturbed_ms.extend(other.shown_undisturbed_ms);
        self.answered_ms.extend(other.answered_ms);
        self.told_away_ms.extend(other.told_away_ms);
        self.told_back_ms.extend(other.told_back_ms);
        self.told_part_away_ms.extend(other.told_part_away_ms);
        self.told_part_back_ms.extend(other.told_part_back_ms);
    }
}
