//! Deliveries to destinations that answer, fail, or never answer. The test moves the clock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use flagfall_store_testing::TestStore;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::time::{Instant, sleep};

use super::sender::{Dial, Line};
use super::*;
use crate::features::ServerFeatures;
use crate::jobs::with_notices;
use crate::settings::{Reach, Settings};
use flagfall_base::delivery::Connections;
use flagfall_base::identity::Principal;
use flagfall_base::jobs::{JobWriter, Jobs};
use flagfall_base::keys::{NOTICES, WEBHOOKS};

const SECOND: Duration = Duration::from_secs(1);

/// The behavior of a destination.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// The destination answers after this delay.
    Answers(Duration),
    /// The destination never answers.
    Silent,
    /// The destination refuses the connection.
    Refuses,
}

/// A network in memory. It records everything that is sent over it.
struct FakeNetwork {
    began: Instant,
    manners: Mutex<BTreeMap<String, Manner>>,
    /// The times at which hosts were dialed.
    dialed: Mutex<Vec<(Duration, String)>>,
    /// The notices that hosts received: the time, the host and the notice's id.
    heard: std::sync::Arc<Mutex<Vec<(Duration, String, String)>>>,
}

impl FakeNetwork {
    fn new(manners: &[(&str, Manner)]) -> Arc<FakeNetwork> {
        let manners = manners.iter().map(|(host, manner)| ((*host).to_owned(), *manner)).collect();
        Arc::new(FakeNetwork {
            began: Instant::now(),
            manners: Mutex::new(manners),
            dialed: Mutex::default(),
            heard: Arc::default(),
        })
    }

    fn set(&self, host: &str, manner: Manner) {
        self.manners.lock().unwrap().insert(host.to_owned(), manner);
    }

    fn dials(&self, host: &str) -> usize {
        self.dialed.lock().unwrap().iter().filter(|(_, dialed)| dialed == host).count()
    }

    /// Returns the notices that a host received, with the times.
    fn heard_by(&self, host: &str) -> Vec<(Duration, String)> {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|(_, by, _)| by == host).map(|(at, _, id)| (*at, id.clone())).collect()
    }
}

impl Dial for FakeNetwork {
    fn dial<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, Result<Box<dyn Line>, String>> {
        let host = target.host.clone();
        self.dialed.lock().unwrap().push((self.began.elapsed(), host.clone()));
        let manner = self.manners.lock().unwrap().get(&host).copied().unwrap_or(Manner::Refuses);
        let (began, heard) = (self.began, self.heard.clone());
        Box::pin(async move {
            let delay = match manner {
                Manner::Answers(delay) => delay,
                Manner::Silent => return std::future::pending().await,
                Manner::Refuses => return Err("refused".to_owned()),
            };
            let (near, mut far) = duplex(16 * 1024);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    let Ok(byte) = far.read_u8().await else { return };
                    head.push(byte);
                }
                let head = String::from_utf8(head).unwrap();
                let field = |name: &str| {
                    let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
                    line.unwrap_or_default().to_owned()
                };
                sleep(delay).await;
                assert!(field("webhook-signature").starts_with("v1,"), "{head}");
                heard.lock().unwrap().push((began.elapsed(), host, field("webhook-id")));
                let _gone = far.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            });
            Ok(Box::new(near) as Box<dyn Line>)
        })
    }
}

struct Scene {
    store: TestStore,
    network: Arc<FakeNetwork>,
}

impl Scene {
    fn new(manners: &[(&str, Manner)]) -> Scene {
        let store = TestStore::new(PausedClock { start: SystemClock.now(), began: Instant::now() });
        Scene { store, network: FakeNetwork::new(manners) }
    }

    /// Starts a server, and returns its notices.
    async fn server(&self) -> Notices {
        let store: Arc<dyn Store> = Arc::new(self.store.clone());
        let jobs = JobWriter::default();
        let features = Arc::new(ServerFeatures { jobs: jobs.clone(), signs: false });
        let settings = Settings::default().for_tables(Connections::new(), features);
        let tables = Tables::start(store.clone(), settings).await.unwrap();
        let sender = Sender::dialing(Reach::Public, self.network.clone());
        let notices = Notices::new(store.clone(), tables.clone(), sender, jobs.clone(), None, None);
        let jobs = Jobs::new(store, jobs);
        let jobs = with_notices(jobs, &notices, SECOND / 2);
        tokio::spawn(async move { jobs.run().await });
        notices
    }

    /// Gives a player a webhook and a number of waiting notices.
    async fn waiting(&self, player: &str, host: &str, notices: usize) {
        let webhook = WebhookRecord {
            url: format!("https://{host}/turns"),
            secret: secret_of([7; 32]),
            created: 0,
            lost: 0,
            last: None,
            tested: 0,
        };
        let mut writes = vec![put(WEBHOOKS.key([&player]).unwrap(), &webhook, None).unwrap()];
        for number in 0..notices {
            let game = GameId::from_random([u8::try_from(number % 32).unwrap(); 12]);
            let id = format!("{player}-{number}");
            let (kind, game) = (NoticeKind::YourTurn, Some(game));
            let notice = Notice { id: id.clone(), kind, game, ruleset: None, ply: Some(1), deadline: None };
            // The form in which version 0.1 writes notices.
            let waiting = serde_json::json!({ "notice": notice, "attempts": 0, "at": self.store.now() });
            writes.push(put(NOTICES.key([&player, &id]).unwrap(), &waiting, None).unwrap());
        }
        for writes in writes.chunks(32) {
            let update = Update { conditions: Vec::new(), writes: writes.to_vec() };
            self.store.update(update).await.unwrap();
        }
    }
}

/// A clock that follows the test's paused clock.
struct PausedClock {
    start: Stamp,
    began: Instant,
}

impl WallClock for PausedClock {
    fn now(&self) -> Stamp {
        self.start.plus_ms(u64::try_from(self.began.elapsed().as_millis()).unwrap())
    }
}

fn asker(id: &str) -> Principal {
    let player = flagfall_protocol::Player {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: flagfall_protocol::PlayerKind::Account,
    };
    Principal { player, token_id: "t".to_owned(), scope: flagfall_protocol::Scope::Play, pass: None }
}

const AT_ONCE: Manner = Manner::Answers(Duration::ZERO);

#[tokio::test(start_paused = true)]
async fn silent_addresses_delay_no_other_notices() {
    let dead = ["dead-0.example", "dead-1.example", "dead-2.example", "dead-3.example", "dead-4.example"];
    let scene = Scene::new(&[("well.example", AT_ONCE)]);
    for host in dead {
        scene.network.set(host, Manner::Silent);
        scene.waiting(&format!("player-{host}"), host, 20).await;
    }
    // Notices are read in the order of their players, and zoe is the last.
    scene.waiting("zoe", "well.example", 1).await;
    let _server = scene.server().await;
    sleep(2 * SECOND).await;
    let heard = scene.network.heard_by("well.example");
    assert!(matches!(&heard[..], [(at, id)] if *at < SECOND && id == "zoe-0"), "{heard:?}");
    // Zoe's next turns are delivered while dead addresses are tried and paused.
    for round in 2..40 {
        scene.waiting("zoe", "well.example", 1).await;
        sleep(SECOND).await;
        assert_eq!(scene.network.heard_by("well.example").len(), round, "after {round} s");
    }
    assert!(dead.iter().all(|host| scene.network.dials(host) <= 6), "they are left alone");
}

#[tokio::test(start_paused = true)]
async fn pending_notices_are_sent_when_their_address_recovers() {
    let scene = Scene::new(&[("lame.example", Manner::Refuses)]);
    scene.waiting("ana", "lame.example", 6).await;
    let _server = scene.server().await;
    sleep(30 * SECOND).await;
    assert!((3..=6).contains(&scene.network.dials("lame.example")));
    scene.network.set("lame.example", AT_ONCE);
    sleep(120 * SECOND).await;
    let ids: BTreeSet<String> =
        scene.network.heard_by("lame.example").into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn many_notices_to_a_slow_address_come_once_each_whichever_server_sends_them() {
    let slow = Manner::Answers(Duration::from_millis(9_500));
    let scene = Scene::new(&[("slow.example", slow)]);
    scene.waiting("ana", "slow.example", 60).await;
    let _servers = [scene.server().await, scene.server().await];
    // Each server has two places for the host, so sending 60 notices takes longer than
    // the lease of a notice.
    sleep(200 * SECOND).await;
    let mut ids: Vec<String> = scene.network.heard_by("slow.example").into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids.len(), 60);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 60, "none came twice");
}

#[tokio::test(start_paused = true)]
async fn setting_a_webhook_anew_or_removing_it_gives_no_further_tests() {
    let scene = Scene::new(&[("well.example", AT_ONCE)]);
    let server = scene.server().await;
    let (ana, new) = (asker("ana"), NewWebhook { url: "https://well.example/turns".to_owned() });
    server.set(&ana, &new).await.unwrap();
    assert!(server.test(&ana).await.unwrap().delivered);
    assert_eq!(server.test(&ana).await, Err(too_many("webhook_test")));
    server.set(&ana, &new).await.unwrap();
    assert_eq!(server.test(&ana).await, Err(too_many("webhook_test")));
    server.remove(&ana).await.unwrap();
    server.set(&ana, &new).await.unwrap();
    assert_eq!(server.test(&ana).await, Err(too_many("webhook_test")));
    // The limit also applies on another server.
    assert_eq!(scene.server().await.test(&ana).await, Err(too_many("webhook_test")));
    assert_eq!(scene.network.dials("well.example"), 1);
}

#[tokio::test(start_paused = true)]
async fn tests_take_places_like_everything_else() {
    let scene = Scene::new(&[("dead.example", Manner::Silent)]);
    let server = scene.server().await;
    scene.waiting("ana", "dead.example", 2).await;
    scene.waiting("bo", "dead.example", 0).await;
    sleep(SECOND).await;
    assert_eq!(server.test(&asker("bo")).await, Err(too_many("webhook_busy")));
}
