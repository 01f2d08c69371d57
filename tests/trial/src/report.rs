//! The report of a run's figures.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use flagfall_rules::Ruleset;

use crate::check::{Fault, Findings, Paired, Played};
use crate::client::LineCounts;
use crate::pairs::ruleset_of;
use crate::plan::ruleset_at;
use crate::site::History;

/// A run's figures.
#[derive(Debug)]
pub struct Report {
    /// The number of games that were planned.
    pub games: usize,
    /// The number of kills that were requested.
    pub kills_wanted: usize,
    /// The number of paired games that were requested.
    pub pairs_wanted: usize,
    /// The checker's findings.
    pub findings: Findings,
    /// The counts of all connections.
    pub lines: LineCounts,
    /// The mishaps that happened during games.
    pub history: Arc<History>,
    /// The time that playing and checking took, in seconds.
    pub seconds: (f64, f64),
}

impl Report {
    /// Why the run counts as failed. Empty if it succeeded.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for fault in Fault::ALL {
            let count = self.findings.count(fault);
            if count > 0 {
                failures.push(format!("{}: {count}", fault.words()));
            }
        }
        let ended = self.findings.games_ended();
        if ended != self.games as u64 {
            failures.push(format!("{ended} of {} games ended", self.games));
        }
        if self.history.kills < self.kills_wanted {
            failures.push(format!("{} of {} kills", self.history.kills, self.kills_wanted));
        }
        if self.findings.paired < 2 * self.pairs_wanted as u64 {
            failures.push(format!("{} of {} paired streams", self.findings.paired, 2 * self.pairs_wanted));
        }
        for number in 0..self.pairs_wanted.min(Ruleset::all().len()) {
            let ruleset = ruleset_of(number).id;
            if self.findings.by_ruleset.get(ruleset).is_none_or(|paired| paired.messages == 0) {
                failures.push(format!("no paired game of {ruleset} was compared"));
            }
        }
        let planned: BTreeSet<&str> = (0..self.games).map(ruleset_at).collect();
        for ruleset in planned {
            if self.findings.played.get(ruleset).is_none_or(|played| played.plies == 0 || played.views == 0) {
                failures.push(format!("no ordinary game of {ruleset} was compared"));
            }
        }
        if self.findings.archived == 0 && self.games > 0 {
            failures.push("no game was archived".to_owned());
        }
        if self.findings.moves_acked == 0 || self.findings.views == 0 {
            failures.push("nothing was compared".to_owned());
        }
        failures
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Findings {
            ended,
            archived,
            plies,
            played,
            messages,
            views,
            events,
            moves_acked,
            others_acked,
            commitments,
            clocks,
            clocks_over_outages,
            clock_gift_max,
            paired,
            paired_bytes,
            by_ruleset,
            rollbacks,
            lost_acks,
            lost_messages,
            astray_refusals,
            ..
        } = &self.findings;
        let mut row = |words: &str, figure: String| writeln!(f, "  {words:<54} {figure:>12}");
        row("games ended", format!("{} of {}", self.findings.games_ended(), self.games))?;
        for (reason, count) in ended {
            row(&format!("  by {reason}"), count.to_string())?;
        }
        row("archived games, whose records were compared", archived.to_string())?;
        row("plies in the logs", plies.to_string())?;
        for (ruleset, Played { games, plies, acked, messages, views, events }) in played {
            row(
                &format!("  {ruleset}: games, plies, acknowledged commands"),
                format!("{games}, {plies}, {acked}"),
            )?;
            row("    messages, views, events", format!("{messages}, {views}, {events}"))?;
        }
        row("kills (kill -9) while games ran", self.history.kills.to_string())?;
        for (words, count) in &self.history.counts {
            row(&format!("  {words}"), count.to_string())?;
        }
        let longest = self.history.outages.iter().map(|outage| outage.up_at - outage.killed_at).max();
        row("longest time without a server or its store, ms", longest.unwrap_or_default().to_string())?;
        if self.history.bytes_lost > 0 {
            row("bytes that Redis lost", self.history.bytes_lost.to_string())?;
        }
        let spans = [
            ("server killed or stopped: its clients welcomed again", &self.findings.let_in_ms),
            ("  shown their game again", &self.findings.shown_ms),
            ("    if nothing else was wrong", &self.findings.shown_undisturbed_ms),
            ("  their pending command acknowledged", &self.findings.answered_ms),
            ("store out of reach: clients told", &self.findings.told_away_ms),
            ("  and told that it was back", &self.findings.told_back_ms),
            ("the part with their game out of reach: clients told", &self.findings.told_part_away_ms),
            ("  and told that it was back", &self.findings.told_part_back_ms),
        ];
        for (words, spans) in spans {
            row(words, String::new())?;
            row("    ms: median, 95 %, maximum (count)", spread(spans))?;
        }
        row("connections dropped by clients", self.lines.drops.to_string())?;
        row("connections broken by the server's end", self.lines.breaks.to_string())?;
        row("commands sent again with the same id", self.lines.resends.to_string())?;
        row("messages received", messages.to_string())?;
        row("different views compared with the log", views.to_string())?;
        row("different events compared with the log", events.to_string())?;
        row("clocks compared with the log", clocks.to_string())?;
        row("acknowledged moves", moves_acked.to_string())?;
        row("other acknowledged commands", others_acked.to_string())?;
        row("running clocks compared over an outage", clocks_over_outages.to_string())?;
        row("largest time given to a clock by an outage, ms", clock_gift_max.to_string())?;
        row("clients told of a loss by a new epoch", rollbacks.to_string())?;
        row("acknowledged commands lost that way", lost_acks.to_string())?;
        row("messages of lost branches, not compared", lost_messages.to_string())?;
        row("their commands, refused by the remaining branch", astray_refusals.to_string())?;
        row("commitments recomputed", commitments.to_string())?;
        row("paired streams compared", paired.to_string())?;
        row("bytes of paired streams compared", paired_bytes.to_string())?;
        for (ruleset, Paired { pairs, kills, messages, bytes, differing, cut }) in by_ruleset {
            let words = format!("  {ruleset}: pairs (cut), kills, messages, bytes, differing");
            row(&words, format!("{pairs} ({cut}), {kills}, {messages}, {bytes}, {differing}"))?;
        }
        for fault in Fault::ALL {
            row(fault.words(), self.findings.count(fault).to_string())?;
        }
        row("seconds of playing", format!("{:.1}", self.seconds.0))?;
        row("seconds of checking", format!("{:.1}", self.seconds.1))?;
        let mut examples = String::new();
        for (fault, example) in self.findings.examples() {
            writeln!(examples, "{}: {example}", fault.words())?;
        }
        if !examples.is_empty() {
            writeln!(f, "the first faults of each kind:")?;
            f.write_str(&examples)?;
        }
        Ok(())
    }
}

/// Returns the median, the 95th percentile and the maximum.
fn spread(spans: &[u64]) -> String {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    let at = |share: usize| sorted.get((sorted.len().saturating_sub(1)) * share / 100).copied().unwrap_or(0);
    format!("{}, {}, {} ({})", at(50), at(95), at(100), sorted.len())
}
