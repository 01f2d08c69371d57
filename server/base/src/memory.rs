//! Refuses new games before the process runs out of memory. Running games continue.

use parking_lot::Mutex;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The shortest time between two measurements of memory.
const FRESH: Duration = Duration::from_millis(100);
/// The share of the memory limit above which new games are refused. The remaining memory is for
/// running games, connections, and memory that the allocator returns late.
const GAMES_SHARE: f64 = 0.75;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryLimit {
    /// The memory limit of the control group or the memory of the machine, whichever is lower.
    #[default]
    OfTheSystem,
    Bytes(u64),
    Off,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not an amount of memory: write auto, none, or a number followed by K, M or G, such as 900M")]
pub struct NotAnAmount;

impl FromStr for MemoryLimit {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<MemoryLimit, NotAnAmount> {
        match text {
            "auto" => return Ok(MemoryLimit::OfTheSystem),
            "none" => return Ok(MemoryLimit::Off),
            _ => {}
        }
        let (number, shift) = match text.as_bytes().last() {
            Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
            Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
            Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        let number: u64 = number.parse().map_err(|_| NotAnAmount)?;
        let bytes = number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or(NotAnAmount)?;
        Ok(MemoryLimit::Bytes(bytes))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub resident: u64,
    address_space: u64,
}

/// Measures the memory that the process uses. Cheap to clone; all clones share the latest
/// measurement.
#[derive(Clone)]
pub struct MemoryGuard(Arc<Guard>);

struct Guard {
    resident_max: Option<u64>,
    address_space_max: Option<u64>,
    look: fn() -> Usage,
    latest: Mutex<Option<(Instant, Usage)>>,
}

impl MemoryGuard {
    pub fn new(limit: MemoryLimit) -> MemoryGuard {
        let (resident_max, address_space_max) = match limit {
            MemoryLimit::OfTheSystem => (system_limit(), address_space_limit()),
            MemoryLimit::Bytes(bytes) => (Some(bytes), address_space_limit()),
            MemoryLimit::Off => (None, None),
        };
        MemoryGuard::with(resident_max, address_space_max, usage)
    }

    fn with(resident_max: Option<u64>, address_space_max: Option<u64>, look: fn() -> Usage) -> MemoryGuard {
        MemoryGuard(Arc::new(Guard { resident_max, address_space_max, look, latest: Mutex::new(None) }))
    }

    pub fn has_room_for_games(&self) -> bool {
        self.share() < GAMES_SHARE
    }

    pub fn limit(&self) -> Option<u64> {
        self.0.resident_max
    }

    /// Returns the share of the memory limit that is used. Resident memory and address space have
    /// separate limits, so this is the larger of two shares.
    #[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
    fn share(&self) -> f64 {
        if self.0.resident_max.is_none() && self.0.address_space_max.is_none() {
            return 0.0;
        }
        let usage = self.usage();
        let of = |used: u64, max: Option<u64>| max.map_or(0.0, |max| used as f64 / max.max(1) as f64);
        of(usage.resident, self.0.resident_max).max(of(usage.address_space, self.0.address_space_max))
    }

    fn usage(&self) -> Usage {
        let mut latest = self.0.latest.lock();
        match *latest {
            Some((at, usage)) if at.elapsed() < FRESH => usage,
            _ => {
                let usage = (self.0.look)();
                *latest = Some((Instant::now(), usage));
                usage
            }
        }
    }
}

/// Returns the memory that the process uses. Zero if the operating system does not report it.
pub fn usage() -> Usage {
    usage_in(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
}

fn usage_in(status: &str) -> Usage {
    let bytes = |name| bytes_in(status, name).unwrap_or(0);
    Usage { resident: bytes("VmRSS:"), address_space: bytes("VmSize:") }
}

/// Finds an amount of memory by its name in a list from the operating system. The list gives
/// amounts in KiB.
fn bytes_in(list: &str, name: &str) -> Option<u64> {
    let rest = list.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1_024)
}

/// Returns the lowest memory limit among those of the process's control groups and the memory of
/// the machine.
fn system_limit() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let of_groups = group_files(&groups).into_iter().filter_map(|file| {
        // Without a limit, this is `max` or a number near 2⁶³.
        read(Path::new(&file))?.trim().parse::<u64>().ok()
    });
    let meminfo = read(Path::new("/proc/meminfo")).unwrap_or_default();
    of_groups.chain(bytes_in(&meminfo, "MemTotal:")).min()
}

/// Returns the files that contain the memory limits of a process's control group and of all
/// groups above it.
fn group_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // In a container, this may be a path on the host. In that case, the root is the
        // container's group.
        let ancestors = Path::new(path).ancestors();
        files.extend(ancestors.map(|group| {
            let group = group.to_string_lossy();
            format!("{root}{}/{name}", group.trim_end_matches('/'))
        }));
    }
    files
}

fn address_space_limit() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    address_space_limit_in(&limits)
}

fn address_space_limit_in(limits: &str) -> Option<u64> {
    let rest = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_refused_before_memory_runs_out() {
        let guard = |look| MemoryGuard::with(Some(1_000), None, look);
        assert!(guard(|| Usage { resident: 749, address_space: 9_999 }).has_room_for_games());
        assert!(!guard(|| Usage { resident: 750, address_space: 9_999 }).has_room_for_games());
        let by_space: fn() -> Usage = || Usage { resident: 1, address_space: 80 };
        assert!(!MemoryGuard::with(Some(1_000), Some(100), by_space).has_room_for_games());
        assert!(MemoryGuard::with(None, None, by_space).has_room_for_games());
    }

    #[test]
    fn amounts_are_read_and_others_refused() {
        assert_eq!("900M".parse(), Ok(MemoryLimit::Bytes(900 << 20)));
        assert_eq!("2g".parse(), Ok(MemoryLimit::Bytes(2 << 30)));
        assert_eq!("4096".parse(), Ok(MemoryLimit::Bytes(4_096)));
        assert_eq!("auto".parse(), Ok(MemoryLimit::OfTheSystem));
        assert_eq!("none".parse(), Ok(MemoryLimit::Off));
        for text in ["", "M", "0", "-1", "1.5G", "12T", "99999999999G", "é"] {
            assert_eq!(text.parse::<MemoryLimit>(), Err(NotAnAmount), "{text}");
        }
    }

    #[test]
    fn memory_figures_of_the_system_are_parsed() {
        let status = "VmSize:\t 2048 kB\nVmRSS:\t   12 kB\n";
        assert_eq!(usage_in(status), Usage { resident: 12 << 10, address_space: 2 << 20 });
        let limits = "Max address space         409600000            unlimited            bytes\n";
        assert_eq!(address_space_limit_in(limits), Some(409_600_000));
        assert_eq!(address_space_limit_in("Max address space  unlimited  unlimited  bytes\n"), None);
        let files = group_files("0::/a/b\n");
        assert_eq!(
            files,
            ["/sys/fs/cgroup/a/b/memory.max", "/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/memory.max"]
        );
        let files = group_files("4:memory,cpu:/x\n3:pids:/x\n");
        assert_eq!(files[0], "/sys/fs/cgroup/memory/x/memory.limit_in_bytes");
        assert_eq!(files.len(), 2);
        if cfg!(target_os = "linux") {
            assert!(usage().resident > 0 && system_limit().is_some());
        }
    }
}
