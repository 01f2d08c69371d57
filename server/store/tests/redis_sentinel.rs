//! Tests of a store behind a real Sentinel: the primary is killed, a replica is promoted, and no
//! acknowledged entry is lost.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use common::redis::RedisServer;
use common::{append, append_soon, game, scratch, texts, until};
use flagfall_store::{Head, RedisAddress, RedisOptions, RedisStore};
use flagfall_tests::OwnPort;

/// A Sentinel that monitors one primary under the name `main`.
struct Sentinel {
    child: Child,
    port: OwnPort,
    _folder: tempfile::TempDir,
}

impl Sentinel {
    fn start(primary: &RedisServer) -> Sentinel {
        let port = OwnPort::claim().unwrap();
        let folder = scratch();
        let file = folder.path().join("sentinel.conf");
        let settings = format!(
            "port {}\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 {} 1\n\
             sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 2000\n",
            port.number(),
            primary.port()
        );
        std::fs::write(&file, settings).unwrap();
        let mut child = Command::new("redis-server")
            .arg(&file)
            .args(["--sentinel", "--dir"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("+monitor master main")), "a Sentinel starts");
        std::thread::spawn(move || lines.for_each(drop));
        Sentinel { child, port, _folder: folder }
    }

    /// Waits until the Sentinel has found a replica that could be promoted.
    async fn knows_replica(&self) {
        let client = redis::Client::open(("127.0.0.1", self.port.number())).unwrap();
        let connection = client.get_multiplexed_async_connection().await.unwrap();
        let mut command = redis::cmd("SENTINEL");
        command.arg("replicas").arg("main");
        until("a replica", async || {
            let known: Vec<std::collections::HashMap<String, String>> =
                command.query_async(&mut connection.clone()).await.unwrap();
            known.iter().any(|replica| replica["master-link-status"] == "ok").then_some(())
        })
        .await;
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        // Ignore errors, because this code also runs after a test has failed, and the test's
        // failure matters more.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[tokio::test]
async fn acknowledged_appends_survive_the_death_of_the_primary() {
    let mut primary = RedisServer::start();
    let replica = primary.start_replica();
    let sentinel = Sentinel::start(&primary);
    sentinel.knows_replica().await;
    let address: RedisAddress = format!("redis+sentinel://{}/main", sentinel.port.address()).parse().unwrap();
    // An append is acknowledged only when it is also on the replica.
    let options = || RedisOptions { replicas: 1, ..RedisOptions::default() };
    let store = RedisStore::open(address.clone(), options()).await.unwrap();
    let mut heads = vec![Head::START; 20];
    for (number, head) in (0..).zip(&mut heads) {
        // The replica may still be copying the data of the primary.
        *head = append_soon(&store, append(game(number), *head, &["before"])).await;
    }
    primary.kill();
    // There is no replica to wait for, so no append is acknowledged until a new replica is
    // started.
    until("the new primary", async || {
        let role: Vec<redis::Value> = replica.try_ask(&["ROLE"]).await.ok()?;
        (role.first() == Some(&redis::Value::BulkString(b"master".to_vec()))).then_some(())
    })
    .await;
    let _follower = replica.start_replica();
    for (number, head) in (0..).zip(&heads) {
        append_soon(&store, append(game(number), *head, &["after"])).await;
    }
    let fresh = RedisStore::open(address, options()).await.unwrap();
    for number in 0..20 {
        assert_eq!(texts(&fresh, game(number)).await, ["before", "after"], "{number}");
    }
}
