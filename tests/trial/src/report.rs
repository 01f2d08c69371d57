//! The figures in the end.

use std::fmt::{self, Write as _};

use crate::check::{Fault, Findings};
use crate::client::LineCounts;
use crate::log::Outage;
use crate::site::Kills;

/// A run's figures.
#[derive(Debug)]
pub struct Report {
    /// Games that were to be played.
    pub games: usize,
    /// Kills that were asked for.
    pub kills_wanted: usize,
    /// Paired games that were asked for.
    pub pairs_wanted: usize,
    /// What the checker found.
    pub findings: Findings,
    /// What happened on the lines.
    pub lines: LineCounts,
    /// When there was no server while games ran.
    pub outages: Vec<Outage>,
    /// How often what was killed while games ran.
    pub kills: Kills,
    /// How long playing and checking took, in seconds.
    pub seconds: (f64, f64),
}

impl Report {
    /// Why the run counts as failed; none when all is as it must be.
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
        if self.kills.count() < self.kills_wanted {
            failures.push(format!("{} of {} kills", self.kills.count(), self.kills_wanted));
        }
        if self.findings.paired < 2 * self.pairs_wanted as u64 {
            failures.push(format!("{} of {} paired streams", self.findings.paired, 2 * self.pairs_wanted));
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
            plies,
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
            ..
        } = &self.findings;
        let mut row = |words: &str, figure: String| writeln!(f, "  {words:<54} {figure:>12}");
        row("games ended", format!("{} of {}", self.findings.games_ended(), self.games))?;
        for (reason, count) in ended {
            row(&format!("  by {reason}"), count.to_string())?;
        }
        row("plies in the logs", plies.to_string())?;
        row("a server killed and restarted while games ran", self.kills.servers.to_string())?;
        row("all servers at once, likewise", self.kills.all_servers.to_string())?;
        row("Redis, likewise", self.kills.redis.to_string())?;
        row("a server stood still for a while", self.kills.frozen_servers.to_string())?;
        row("Redis, likewise", self.kills.frozen_redis.to_string())?;
        let longest = self.outages.iter().map(|outage| outage.up_at - outage.killed_at).max();
        row("longest time without a server, ms", longest.unwrap_or_default().to_string())?;
        row("lines dropped by clients", self.lines.drops.to_string())?;
        row("lines broken by the server's end", self.lines.breaks.to_string())?;
        row("commands sent again with the same id", self.lines.resends.to_string())?;
        row("messages received", messages.to_string())?;
        row("different views compared with the log", views.to_string())?;
        row("different events compared with the log", events.to_string())?;
        row("clocks compared with the log", clocks.to_string())?;
        row("acknowledged moves", moves_acked.to_string())?;
        row("other acknowledged commands", others_acked.to_string())?;
        row("running clocks compared over an outage", clocks_over_outages.to_string())?;
        row("the most time an outage gave a clock, ms", clock_gift_max.to_string())?;
        row("commitments recomputed", commitments.to_string())?;
        row("paired streams compared", paired.to_string())?;
        row("bytes of paired streams compared", paired_bytes.to_string())?;
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
