//! The durability of a Redis, according to its own settings and state.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use crate::value::StoreMemory;

/// The settings and state of a Redis that determine its durability.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Durability {
    /// The id of the Redis process, which changes when Redis restarts.
    pub(super) run_id: String,
    /// The version of Redis, such as `7.0.15`.
    pub version: String,
    /// True for a primary. Replicas accept no writes.
    pub is_primary: bool,
    /// True if Redis writes an append-only file.
    pub has_append_only_file: bool,
    /// The policy for syncing that file: `always`, `everysec` or `no`; empty if unknown.
    pub sync: String,
    /// False if Redis is set not to sync the append-only file while it rewrites that file.
    pub syncs_while_rewriting: bool,
    /// True if Redis is a node of a Redis Cluster.
    pub is_in_cluster: bool,
    /// True if the store is spread over a Redis Cluster.
    pub(super) is_cluster_wanted: bool,
    /// The policy for evicting data when the memory is full; `noeviction` means that nothing is
    /// evicted.
    pub eviction: String,
    /// The number of replicas connected to Redis.
    pub replicas: u32,
    /// The number of replicas that an append waits for, as set by the operator.
    pub replicas_wanted: u32,
    /// The memory of Redis. Its limit is `maxmemory`, but at most half of the machine's memory,
    /// because Redis may need as much again while it rewrites its file.
    pub memory: StoreMemory,
}

/// A reason why a Redis is less durable than a game needs.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Weakness {
    /// Redis writes no append-only file, so all data is lost when Redis ends.
    #[error("it keeps no append-only file, so everything is lost when it ends (set appendonly yes)")]
    NoAppendOnlyFile,
    /// Redis does not sync each write before it answers, so the last writes may be lost when
    /// Redis or its machine ends. The field is the sync policy, or empty if the policy is
    /// unknown.
    #[error(
        "appendfsync is {}, so the last acknowledged moves may be lost (set appendfsync always)",
        or_unknown(.0)
    )]
    SyncsLate(String),
    /// Redis syncs nothing while it rewrites its append-only file.
    #[error(
        "no-appendfsync-on-rewrite is yes, so moves acknowledged during a rewrite may be lost (set no-appendfsync-on-rewrite no)"
    )]
    NoSyncWhileRewriting,
    /// The address is that of one Redis, but this Redis is a node of a Redis Cluster, which
    /// redirects requests for many keys to other nodes.
    #[error(
        "it is a node of a Redis Cluster (name nodes of the cluster with redis+cluster://HOST:PORT,HOST:PORT, or a Redis with cluster-enabled no)"
    )]
    InCluster,
    /// Redis may evict games when its memory is full. The field is the eviction policy, or empty
    /// if the policy is unknown.
    #[error(
        "maxmemory-policy is {}, so it may throw out games when its memory is full (set maxmemory-policy noeviction)",
        or_unknown(.0)
    )]
    Evicts(String),
    /// Redis is a replica.
    #[error("it is a replica and takes no writes (name the primary)")]
    Replica,
    /// Fewer replicas are connected than an append must wait for.
    #[error("replicas that follow: {replicas}, but appends are to wait for {wanted}")]
    FewReplicas {
        /// The number of connected replicas.
        replicas: u32,
        /// The number of replicas that an append waits for.
        wanted: u32,
    },
    /// Redis is older than 7.0. The field is its version.
    #[error("it is version {}, and 7.0 is needed", or_unknown(.0))]
    Old(String),
}

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}

impl Durability {
    /// Parses the answers to `INFO` and `CONFIG GET`. If `CONFIG` is forbidden, the settings are
    /// unknown, and most of them then count as weak.
    pub(super) fn of(info: &str, config: &HashMap<String, String>, replicas_wanted: u32) -> Durability {
        let lines: HashMap<&str, &str> =
            info.lines().filter_map(|line| line.trim().split_once(':')).collect();
        let line = |name: &str| lines.get(name).copied().unwrap_or_default();
        let set = |name: &str| config.get(name).cloned().unwrap_or_default();
        let eviction = match line("maxmemory_policy") {
            "" => set("maxmemory-policy"),
            policy => policy.to_owned(),
        };
        let bytes = |name: &str| line(name).parse().unwrap_or(0_u64);
        let limits = [bytes("maxmemory"), bytes("total_system_memory") / 2];
        let limit_bytes = limits.into_iter().filter(|limit| *limit > 0).min().unwrap_or(0);
        Durability {
            run_id: line("run_id").to_owned(),
            version: line("redis_version").to_owned(),
            is_primary: line("role") == "master",
            has_append_only_file: line("aof_enabled") == "1",
            sync: set("appendfsync"),
            syncs_while_rewriting: set("no-appendfsync-on-rewrite") != "yes",
            is_in_cluster: line("cluster_enabled") == "1",
            is_cluster_wanted: false,
            eviction,
            replicas: line("connected_slaves").parse().unwrap_or(0),
            replicas_wanted,
            memory: StoreMemory { used_bytes: bytes("used_memory"), limit_bytes },
        }
    }

    /// Returns all weaknesses of this Redis. The list is empty if Redis loses no acknowledged
    /// move.
    #[must_use]
    pub fn weaknesses(&self) -> Vec<Weakness> {
        let mut found = Vec::new();
        let major: u32 = self.version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
        if major < 7 {
            found.push(Weakness::Old(self.version.clone()));
        }
        if self.is_in_cluster && !self.is_cluster_wanted {
            found.push(Weakness::InCluster);
        }
        if !self.is_primary {
            found.push(Weakness::Replica);
        }
        if !self.has_append_only_file {
            found.push(Weakness::NoAppendOnlyFile);
        } else if self.sync != "always" {
            found.push(Weakness::SyncsLate(self.sync.clone()));
        } else if !self.syncs_while_rewriting {
            found.push(Weakness::NoSyncWhileRewriting);
        }
        if self.eviction != "noeviction" {
            found.push(Weakness::Evicts(self.eviction.clone()));
        }
        if self.replicas < self.replicas_wanted {
            found.push(Weakness::FewReplicas { replicas: self.replicas, wanted: self.replicas_wanted });
        }
        found
    }

    /// Returns the weaknesses that come from Redis's settings. A lack of replicas is not one of
    /// them, because it is not a setting, and every append checks it.
    pub(super) fn weak_settings(&self) -> Vec<Weakness> {
        let is_setting = |weakness: &Weakness| !matches!(weakness, Weakness::FewReplicas { .. });
        self.weaknesses().into_iter().filter(is_setting).collect()
    }

    /// Returns the weaknesses with which the store cannot work, even if the operator accepts
    /// them.
    pub(super) fn obstacles(&self) -> Vec<Weakness> {
        let is_obstacle = |weakness: &Weakness| {
            matches!(weakness, Weakness::Replica | Weakness::Old(_) | Weakness::InCluster)
        };
        self.weaknesses().into_iter().filter(is_obstacle).collect()
    }
}

/// Describes in one line which failures an acknowledged move survives on this Redis.
impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let survives = match (self.has_append_only_file, self.sync.as_str()) {
            (false, _) => "nothing, not even the end of the Redis process",
            (true, "always") => "a kill of Redis and a power cut",
            (true, "everysec") => {
                "a kill of Redis but for a second or more, a power cut but for some seconds"
            }
            (true, _) => "a kill of Redis perhaps, no power cut",
        };
        write!(f, "Redis {}: an acknowledged move survives {survives}", self.version)?;
        match self.replicas_wanted {
            0 => write!(f, "; a failover may lose the last ones (no replica is waited for)")?,
            1 => write!(f, "; and a failover, being on a replica as well")?,
            wanted => write!(f, "; and a failover, being on {wanted} replicas as well")?,
        }
        if self.eviction != "noeviction" {
            write!(f, "; games may be thrown out when memory is full")?;
        }
        Ok(())
    }
}

/// Joins the descriptions of weaknesses, for the end of a sentence.
pub(super) fn list(weaknesses: &[Weakness]) -> String {
    weaknesses.iter().map(Weakness::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durability(role: &str, aof: &str, fsync: Option<&str>, policy: &str, wanted: u32) -> Durability {
        let info = format!(
            "# Server\r\nredis_version:7.0.15\r\nrole:{role}\r\naof_enabled:{aof}\r\nmaxmemory_policy:{policy}\r\nconnected_slaves:1\r\n"
        );
        let config = fsync.map(|fsync| ("appendfsync".to_owned(), fsync.to_owned())).into_iter().collect();
        Durability::of(&info, &config, wanted)
    }

    #[test]
    fn memory_ends_at_its_limit_or_where_a_rewrite_could_use_up_the_machine() {
        let limit = |max: u64, machine: u64| {
            let info = format!("used_memory:5\r\nmaxmemory:{max}\r\ntotal_system_memory:{machine}\r\n");
            let memory = Durability::of(&info, &HashMap::new(), 0).memory;
            assert_eq!(memory.used_bytes, 5);
            memory.limit_bytes
        };
        assert_eq!([limit(30, 100), limit(60, 100), limit(0, 100), limit(0, 0)], [30, 50, 50, 0]);
    }

    #[test]
    fn only_the_full_promise_has_no_weakness() {
        assert_eq!(durability("master", "1", Some("always"), "noeviction", 1).weaknesses(), []);
        let rows = [
            (durability("slave", "1", Some("always"), "noeviction", 0), Weakness::Replica),
            (durability("master", "0", Some("always"), "noeviction", 0), Weakness::NoAppendOnlyFile),
            (
                durability("master", "1", Some("everysec"), "noeviction", 0),
                Weakness::SyncsLate("everysec".into()),
            ),
            (durability("master", "1", None, "noeviction", 0), Weakness::SyncsLate(String::new())),
            (
                durability("master", "1", Some("always"), "allkeys-lru", 0),
                Weakness::Evicts("allkeys-lru".into()),
            ),
            (
                durability("master", "1", Some("always"), "noeviction", 2),
                Weakness::FewReplicas { replicas: 1, wanted: 2 },
            ),
        ];
        for (durability, weakness) in rows {
            assert_eq!(durability.weaknesses(), [weakness]);
        }
    }

    #[test]
    fn a_node_of_a_cluster_is_an_obstacle_and_no_sync_while_rewriting_a_weakness() {
        let info = "redis_version:7.0.15\r\nrole:master\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n";
        let mut config: HashMap<String, String> =
            [("appendfsync".to_owned(), "always".to_owned())].into_iter().collect();
        let cluster = Durability::of(&format!("{info}cluster_enabled:1\r\n"), &config, 0);
        assert_eq!(cluster.obstacles(), [Weakness::InCluster]);
        assert_eq!(Durability::of(&format!("{info}cluster_enabled:0\r\n"), &config, 0).weaknesses(), []);
        config.insert("no-appendfsync-on-rewrite".to_owned(), "yes".to_owned());
        assert_eq!(Durability::of(info, &config, 0).weaknesses(), [Weakness::NoSyncWhileRewriting]);
    }

    #[test]
    fn unreported_settings_count_as_weaknesses() {
        let weaknesses = Durability::of("", &HashMap::new(), 0).weaknesses();
        assert_eq!(weaknesses.len(), 4, "{weaknesses:?}");
        assert_eq!(Durability::of("", &HashMap::new(), 0).obstacles().len(), 2);
    }

    #[test]
    fn the_promise_is_said_in_words() {
        let said = durability("master", "1", Some("always"), "noeviction", 1).to_string();
        assert!(said.contains("a power cut; and a failover"), "{said}");
        assert!(durability("master", "0", None, "x", 0).to_string().contains("nothing"));
    }
}
