//! Measures the processor time that a program has used.

use std::time::Duration;

/// Returns the processor time of a process and its descendants, both running and reaped. `None`
/// if the system does not report it in the way that Linux does.
pub(crate) fn processor_time(pid: i32) -> Option<Duration> {
    of_family(pid, 0)
}

/// Maximum number of generations of descendants to include.
const GENERATIONS_MAX: usize = 8;

fn of_family(pid: i32, generation: usize) -> Option<Duration> {
    // The kernel reports processor time in units of 1/USER_HZ second. USER_HZ is 100 on all
    // supported systems.
    const TICK: Duration = Duration::from_millis(10);
    let folder = std::path::PathBuf::from(format!("/proc/{pid}"));
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name is in parentheses and may contain any character, so search for the last
    // parenthesis. Then read the user time and system time of the process and of its reaped
    // children.
    let fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11).take(4);
    let ticks: u32 = fields.filter_map(|field| field.parse::<u32>().ok()).sum();
    let mut total = TICK * ticks;
    if generation < GENERATIONS_MAX {
        for thread in std::fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
            total += children.filter_map(|pid| of_family(pid, generation + 1)).sum::<Duration>();
        }
    }
    Some(total)
}
