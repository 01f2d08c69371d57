//! How much processor time a program has used.

use std::time::Duration;

/// The processor time of a process and its descendants, living or waited for. `None` if the system
/// does not report it as Linux does.
pub(crate) fn processor_time(pid: i32) -> Option<Duration> {
    of_family(pid, 0)
}

/// How deep to look for descendants of a program.
const GENERATIONS_MAX: usize = 8;

fn of_family(pid: i32, generation: usize) -> Option<Duration> {
    // The kernel reports processor time in USER_HZ, which is 100 on every system this is built for.
    const TICK: Duration = Duration::from_millis(10);
    let folder = std::path::PathBuf::from(format!("/proc/{pid}"));
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name in parentheses may contain any character. User and system time follow, of the
    // process itself and of the children it has waited for.
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
