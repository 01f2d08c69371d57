//! The trial's own Redis, or its own Redis Cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use futures_util::future::try_join_all;
use redis::Value;
use tokio::time::{Instant, sleep};

use crate::error::TrialError;
use crate::log::now_ms;
use crate::redis::{Marks, Redis};
use crate::server::stand_still;
use crate::skew::{Preload, Skew};

/// The number of masters of the cluster, each of which has a replica.
pub(crate) const MASTERS: usize = 3;
/// The number of slots of a cluster.
const SLOTS: usize = 16_384;
/// The longest time for a change of the cluster.
const CHANGE_MAX: Duration = Duration::from_secs(60);
/// The time between two looks at the state of the cluster.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// One Redis, or the nodes of a cluster. A part is the Redis, or a master with its replica.
#[derive(Debug)]
pub(crate) struct Database {
    nodes: Vec<Redis>,
    /// For each part, the node that is its master.
    masters: Vec<usize>,
    /// The wall clock of the one Redis, if it can jump.
    pub(crate) skew: Option<Skew>,
}

/// The moments between which a part was away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absence {
    /// The first moment at which the part was certainly not there.
    pub gone: u64,
    /// The last moment at which the part was not there.
    pub earliest: u64,
    /// The moment by which all of it was there.
    pub latest: u64,
}

impl Database {
    /// Starts one Redis without data.
    ///
    /// # Errors
    /// [`TrialError`] if it does not start.
    pub(crate) async fn start_one(folder: &Path, library: Option<&Preload>) -> Result<Database, TrialError> {
        let skew = library.map(|library| Skew::new(library, folder.join("redis-clock"))).transpose()?;
        let redis = Redis::start(folder.join("redis"), skew.as_ref()).await?;
        Ok(Database { nodes: vec![redis], masters: vec![0], skew })
    }

    /// Starts a cluster without data. Its clocks never jump, because its nodes judge each other by
    /// the wall clock.
    ///
    /// # Errors
    /// [`TrialError`] if it does not start.
    pub(crate) async fn start_cluster(folder: &Path) -> Result<Database, TrialError> {
        let starting = (0..2 * MASTERS).map(|node| Redis::start_node(folder.join(format!("redis-{node}"))));
        let nodes = try_join_all(starting).await?;
        for (number, node) in nodes.iter().take(MASTERS).enumerate() {
            let range =
                [number * SLOTS / MASTERS, (number + 1) * SLOTS / MASTERS - 1].map(|slot| slot.to_string());
            let _: Value = node.ask(&["CLUSTER", "ADDSLOTSRANGE", &range[0], &range[1]]).await?;
            let _: Value = node.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]).await?;
        }
        // They would also hear of each other from one of them, but that takes seconds.
        for (number, node) in nodes.iter().enumerate() {
            let bus: Vec<String> = node.ask(&["CONFIG", "GET", "cluster-port"]).await?;
            let port = node.address().port().to_string();
            for earlier in &nodes[..number] {
                let _: Value = earlier.ask(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus[1]]).await?;
            }
        }
        let database = Database { nodes, masters: (0..MASTERS).collect(), skew: None };
        let all = format!("cluster_known_nodes:{}\r", 2 * MASTERS);
        for node in &database.nodes {
            until("the nodes know each other", async || Ok(info(node).await?.contains(&all))).await?;
        }
        for part in 0..MASTERS {
            // A node knows the ids of others only after it has shaken hands with them.
            until("a replica knows its master", async || database.follow(part).await.map(|()| true)).await?;
        }
        database.ready(None).await?;
        Ok(database)
    }

    /// Makes the other node of a part a replica of the part's master.
    async fn follow(&self, part: usize) -> Result<(), TrialError> {
        let id: String = self.master(part).ask(&["CLUSTER", "MYID"]).await?;
        let replica = &self.nodes[self.other(part)];
        // Its data is synced only when it becomes the master.
        let _: Value = replica.ask(&["CONFIG", "SET", "appendfsync", "no"]).await?;
        let _: Value = replica.ask(&["CLUSTER", "REPLICATE", &id]).await?;
        Ok(())
    }

    fn is_cluster(&self) -> bool {
        self.nodes.len() > 1
    }

    fn master(&self, part: usize) -> &Redis {
        &self.nodes[self.masters[part]]
    }

    /// Returns the number of the node of a part that is not its master.
    fn other(&self, part: usize) -> usize {
        (self.masters[part] + MASTERS) % self.nodes.len()
    }

    /// Returns the numbers of the masters of this part, or of all parts.
    fn of(&self, part: Option<usize>) -> Vec<usize> {
        let parts = (0..self.masters.len()).filter(|at| part.is_none_or(|part| part == *at));
        parts.map(|part| self.masters[part]).collect()
    }

    /// Returns the address of each node.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(Redis::address).collect()
    }

    /// True if a node belongs to this part, or no part is named.
    pub(crate) fn is_of(&self, node: usize, part: Option<usize>) -> bool {
        part.is_none_or(|part| node % MASTERS == part)
    }

    /// Returns what servers are started with. The addresses are those of a server's proxies. In a
    /// cluster, they take the place of the nodes' own ones by `library`, because servers learn the
    /// addresses from the nodes.
    pub(crate) fn store(
        &self,
        lines: &[SocketAddr],
        library: Option<&Preload>,
    ) -> (String, Vec<(String, String)>) {
        if !self.is_cluster() {
            return (format!("redis://{}", lines[0]), Vec::new());
        }
        let nodes: Vec<String> = self.addresses().iter().map(SocketAddr::to_string).collect();
        let pairs = self.nodes.iter().zip(lines).map(|(node, line)| (node.address().port(), line.port()));
        let environment = library.map(|library| library.lead(pairs)).unwrap_or_default();
        (format!("redis+cluster://{}", nodes[..MASTERS].join(",")), environment)
    }

    /// Kills masters with `kill -9`.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) async fn kill(&mut self, part: Option<usize>) -> Result<(), TrialError> {
        let killed = self.of(part);
        let nodes = self.nodes.iter_mut().enumerate().filter(|(number, _)| killed.contains(number));
        try_join_all(nodes.map(|(_, node)| node.kill())).await.map(drop)
    }

    /// Starts masters again with the data on disk.
    ///
    /// # Errors
    /// [`TrialError`] if one does not start.
    pub(crate) async fn restart(&mut self, part: Option<usize>) -> Result<Absence, TrialError> {
        let killed = self.of(part);
        let nodes = self.nodes.iter_mut().enumerate().filter(|(number, _)| killed.contains(number));
        try_join_all(nodes.map(|(_, node)| node.restart())).await?;
        self.ready(part).await
    }

    /// Waits until the masters serve all slots. A node that was started again does so after two
    /// seconds.
    async fn ready(&self, part: Option<usize>) -> Result<Absence, TrialError> {
        let mut back = Absence { gone: now_ms(), earliest: now_ms(), latest: now_ms() };
        if !self.is_cluster() {
            return Ok(back);
        }
        let all = format!("cluster_slots_ok:{SLOTS}\r");
        let is_ready = |info: &str| info.contains("cluster_state:ok") && info.contains(&all);
        let mut earliest = Vec::new();
        for node in self.of(part) {
            let mut last = now_ms();
            until("a master serves its slots", async || {
                let at = now_ms();
                let is_served = info(&self.nodes[node]).await?.contains("cluster_state:ok");
                if !is_served {
                    last = at;
                }
                Ok(is_served)
            })
            .await?;
            earliest.push(last);
        }
        back.earliest = earliest.into_iter().min().unwrap_or(back.earliest);
        // The others may still believe that a master is away.
        for node in self.of(None) {
            until("the cluster is whole", async || Ok(is_ready(&info(&self.nodes[node]).await?))).await?;
        }
        back.latest = now_ms();
        Ok(back)
    }

    /// Asks the masters something, and returns the time of the last answer.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn answered(&self, part: Option<usize>) -> Result<u64, TrialError> {
        for node in self.of(part) {
            let _: Value = self.nodes[node].ask(&["PING"]).await?;
        }
        Ok(now_ms())
    }

    /// Suspends masters for a while (SIGSTOP).
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) async fn freeze(&self, part: Option<usize>, span: Duration) -> Result<Absence, TrialError> {
        let frozen = self.of(part);
        try_join_all(frozen.into_iter().map(|node| stand_still(&self.nodes[node].child, span))).await?;
        let earliest = now_ms();
        let gone = earliest.saturating_sub(span.as_millis() as u64);
        Ok(Absence { gone, earliest, ..self.ready(part).await? })
    }

    /// The current lengths of the append-only files.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) fn marks(&self, part: Option<usize>) -> Result<BTreeMap<usize, Marks>, TrialError> {
        self.of(part).into_iter().map(|node| Ok((node, self.nodes[node].marks()?))).collect()
    }

    /// Removes what was written after `marks` from the files. Returns the number of bytes removed.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) fn forget_since(&self, marks: &BTreeMap<usize, Marks>) -> Result<u64, TrialError> {
        marks.iter().map(|(node, marks)| self.nodes[*node].forget_since(marks)).sum()
    }

    /// Returns the games whose logs are at a master.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn games(&self, part: usize) -> Result<BTreeSet<String>, TrialError> {
        let keys: Vec<String> = self.master(part).ask(&["KEYS", "*:log"]).await?;
        let game = |key: &String| Some(key.strip_suffix(":log")?.rsplit(':').next()?.to_owned());
        Ok(keys.iter().filter_map(game).collect())
    }

    /// Returns the games whose logs are in Redis.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn all_games(&self) -> Result<BTreeSet<String>, TrialError> {
        let parts = try_join_all((0..self.masters.len()).map(|part| self.games(part))).await?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Kills the master of a part with `kill -9`, and makes its replica the master. When the killed
    /// one is started again, it follows the new one.
    ///
    /// # Errors
    /// [`TrialError`] if the replica does not take over.
    pub(crate) async fn promote(&mut self, part: usize, down: Duration) -> Result<Absence, TrialError> {
        let (old, new) = (self.masters[part], self.other(part));
        let replica = &self.nodes[new];
        until("the replica follows", async || {
            let info: String = replica.ask(&["INFO", "replication"]).await?;
            Ok(info.contains("master_link_status:up"))
        })
        .await?;
        let _: Value = replica.ask(&["CONFIG", "SET", "appendfsync", "always"]).await?;
        self.nodes[old].kill().await?;
        let gone = now_ms();
        sleep(down).await;
        let earliest = now_ms();
        let _: Value = self.nodes[new].ask(&["CLUSTER", "FAILOVER", "TAKEOVER"]).await?;
        self.masters[part] = new;
        let back = self.ready(Some(part)).await?;
        let old = &mut self.nodes[old];
        old.restart().await?;
        until("the killed master follows", async || {
            let info: String = old.ask(&["INFO", "replication"]).await?;
            Ok(info.contains("role:slave"))
        })
        .await?;
        let _: Value = old.ask(&["CONFIG", "SET", "appendfsync", "no"]).await?;
        Ok(Absence { gone, earliest, ..back })
    }

    /// Moves half of a master's slots that have keys to another master, as an operator's tool does.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn move_slots(&self, from: usize, to: usize) -> Result<(), TrialError> {
        let (source, target) = (self.master(from), self.master(to));
        let ids: [String; 2] =
            [source.ask(&["CLUSTER", "MYID"]).await?, target.ask(&["CLUSTER", "MYID"]).await?];
        let keys: Vec<String> = source.ask(&["KEYS", "*"]).await?;
        // One key of each hash tag is enough.
        let tag = |key: &String| Some((key.split_once('{')?.1.split_once('}')?.0.to_owned(), key.clone()));
        let keys: BTreeMap<String, String> = keys.iter().filter_map(tag).collect();
        for key in keys.values().step_by(2) {
            let slot: u64 = source.ask(&["CLUSTER", "KEYSLOT", key]).await?;
            let slot = slot.to_string();
            let set = ["CLUSTER", "SETSLOT", &slot];
            let _: Value = target.ask(&[&set[..], &["IMPORTING", &ids[0]]].concat()).await?;
            let _: Value = source.ask(&[&set[..], &["MIGRATING", &ids[1]]].concat()).await?;
            loop {
                let keys: Vec<String> = source.ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "100"]).await?;
                if keys.is_empty() {
                    break;
                }
                let port = target.address().port().to_string();
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                let migrate = ["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
                let _: Value = source.ask(&[&migrate[..], &keys].concat()).await?;
            }
            let owner = ["NODE", &ids[1]];
            let _: Value = target.ask(&[&set[..], &owner].concat()).await?;
            let _: Value = source.ask(&[&set[..], &owner].concat()).await?;
        }
        Ok(())
    }

    /// Returns what operations of the servers have left unfinished: locked records, side records
    /// that are still to be written, and seats of these games, which are all over.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn unfinished(&self, games: &BTreeSet<&str>) -> Result<Vec<String>, TrialError> {
        let mut found = Vec::new();
        for node in self.of(None).into_iter().map(|node| &self.nodes[node]) {
            let keys: Vec<String> = node.ask(&["KEYS", "*"]).await?;
            for key in keys {
                let kind = key.rsplit(':').next().unwrap_or_default();
                if ["pending", "locks", "prepared"].contains(&kind) {
                    let members: Vec<String> = match kind {
                        "locks" => node.ask(&["HKEYS", &key]).await?,
                        _ => node.ask(&["ZRANGE", &key, "0", "-1"]).await?,
                    };
                    // Without members, the key was deleted a moment ago.
                    if !members.is_empty() {
                        found.push(format!("the key {key} is left, with {}", members.join(", ")));
                    }
                } else if kind == "values" {
                    let names: Vec<Vec<u8>> = node.ask(&["HKEYS", &key]).await?;
                    let names = names.iter().map(|name| String::from_utf8_lossy(name).into_owned());
                    let is_left = |name: &String| {
                        let game = name.rsplit('/').next().unwrap_or_default();
                        name.starts_with("seat/") && games.contains(game)
                    };
                    found.extend(
                        names.filter(is_left).map(|name| format!("{name} is left, and the game is over")),
                    );
                }
            }
        }
        Ok(found)
    }

    /// Ends all processes.
    pub(crate) async fn stop(&mut self) {
        for node in &mut self.nodes {
            // It may have ended already.
            drop(node.kill().await);
        }
    }
}

async fn info(node: &Redis) -> Result<String, TrialError> {
    node.ask(&["CLUSTER", "INFO"]).await
}

/// Asks again and again until the answer is yes. An error counts as no, because nodes close
/// connections when their roles change.
async fn until(
    what: &str,
    mut is_true: impl AsyncFnMut() -> Result<bool, TrialError>,
) -> Result<(), TrialError> {
    let deadline = Instant::now() + CHANGE_MAX;
    loop {
        let asked = is_true().await;
        if matches!(asked, Ok(true)) {
            return Ok(());
        }
        if Instant::now() > deadline {
            let why = asked.err().map_or_else(|| "not in time".to_owned(), |error| error.to_string());
            return Err(TrialError::Redis { what: what.to_owned(), why });
        }
        sleep(LOOK_EVERY).await;
    }
}
