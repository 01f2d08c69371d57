//! A real Redis Cluster of three masters on free loopback ports.

use flagfall_store::redis::buckets::BucketStore;
use flagfall_store::{RedisAddress, RedisOptions};
use redis::Value;

use super::redis::RedisServer;
use super::until;

/// The number of slots of a cluster.
const SLOTS: u64 = 16_384;

pub(crate) struct Cluster(pub(crate) Vec<RedisServer>);

impl Cluster {
    pub(crate) async fn start() -> Cluster {
        let nodes: Vec<RedisServer> = (0..3).map(|_| RedisServer::start_cluster_node()).collect();
        for (number, node) in (0..).zip(&nodes) {
            let range = [number * SLOTS / 3, (number + 1) * SLOTS / 3 - 1].map(|slot| slot.to_string());
            let _: Value = node.ask(&["CLUSTER", "ADDSLOTSRANGE", &range[0], &range[1]]).await;
            let _: Value = node.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]).await;
        }
        for node in &nodes[1..] {
            let bus: Vec<String> = node.ask(&["CONFIG", "GET", "cluster-port"]).await;
            let _: Value =
                nodes[0].ask(&["CLUSTER", "MEET", "127.0.0.1", &node.port().to_string(), &bus[1]]).await;
        }
        let cluster = Cluster(nodes);
        cluster.ready().await;
        cluster
    }

    /// Waits until all nodes agree that all slots are served.
    pub(crate) async fn ready(&self) {
        for node in &self.0 {
            until("the cluster", async || {
                let info: String = node.try_ask(&["CLUSTER", "INFO"]).await.ok()?;
                let slots: Vec<Value> = node.try_ask(&["CLUSTER", "SLOTS"]).await.ok()?;
                let is_ready = info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3");
                (is_ready && slots.len() >= 3).then_some(())
            })
            .await;
        }
    }

    pub(crate) fn address(&self) -> RedisAddress {
        let nodes: Vec<String> = self.0.iter().map(|node| format!("127.0.0.1:{}", node.port())).collect();
        format!("redis+cluster://{}", nodes.join(",")).parse().unwrap()
    }

    pub(crate) async fn open(&self, options: RedisOptions, buckets: usize) -> BucketStore {
        BucketStore::open(&self.address(), options, buckets).await.unwrap()
    }
}
