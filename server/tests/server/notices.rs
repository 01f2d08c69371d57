//! Tests of webhooks and feeds: which notices are sent, to whom, and how often.

mod mail;
mod push;

use crate::common::{Answer, Client, House, in_time, settings};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, CommandId, GameCommand, ServerToClient, Terms, Time};
use flagfall_services::notices::LOST_MAX;
use flagfall_services::settings::{Reach, Settings};
use flagfall_store::{Key, Store as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";

/// The server behind a player's webhook. It accepts and answers one request at a time.
struct Hook {
    listener: TcpListener,
    url: String,
}

impl Hook {
    async fn open() -> Hook {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/turns?of=ann", listener.local_addr().unwrap());
        Hook { listener, url }
    }

    /// Answers the next request with this status. Returns the request's head and body.
    async fn take(&self, status: &str) -> (String, Value) {
        in_time("a request to the webhook", async {
            let (mut stream, _) = self.listener.accept().await.unwrap();
            let mut text = String::new();
            let mut bytes = [0; 1024];
            loop {
                let count = stream.read(&mut bytes).await.unwrap();
                text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
                if let Some((head, body)) = text.split_once("\r\n\r\n")
                    && let Ok(body) = serde_json::from_str(body)
                {
                    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    return (head.to_owned(), body);
                }
                assert!(count > 0, "it ended in the middle: {text}");
            }
        })
        .await
    }

    /// True if no request is waiting.
    async fn is_quiet(&self) -> bool {
        let polled = futures_util::FutureExt::now_or_never(self.listener.accept());
        polled.is_none()
    }
}

struct Pair {
    house: House,
    tokens: [String; 2],
    clients: [Client; 2],
    commands: u32,
}

async fn account(house: &House, name: &str) -> String {
    let body = json!({ "name": name, "password": "correct horse battery" }).to_string();
    house.ask("POST", "/api/account", "", &body).await.json()["token"].as_str().unwrap().to_owned()
}

impl Pair {
    async fn new(reach: Reach) -> Pair {
        let mut settings = settings();
        settings.webhooks = reach;
        let house = House::open(settings).await;
        let tokens = [account(&house, "ann").await, account(&house, "bob").await];
        let clients = [house.again(&tokens[0]).await, house.again(&tokens[1]).await];
        Pair { house, tokens, clients, commands: 0 }
    }

    async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.house.ask(method, path, &self.tokens[0], &body).await
    }

    async fn set(&self, url: &str) -> Answer {
        self.ask("PUT", "/api/me/webhook", json!({ "url": url })).await
    }

    async fn accepted(&mut self, who: usize, make: impl FnOnce(CommandId) -> ClientToServer) -> Accepted {
        self.commands += 1;
        let id: CommandId = format!("c{}", self.commands).parse().unwrap();
        self.clients[who].tell(&make(id.clone())).await;
        self.clients[who]
            .find(|message| match message {
                ServerToClient::Accepted { cmd_id, outcome } if cmd_id == id => Some(outcome),
                ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
                _ => None,
            })
            .await
    }

    /// Starts a game with Ann as Red, in which both players still have to deploy.
    async fn begin(&mut self) -> GameId {
        let terms = Terms {
            ruleset: "pbm".to_owned(),
            time: Time::Correspondence { days: 3 },
            private: true,
            secret: true,
            rated: false,
        };
        let offer = |cmd_id| ClientToServer::Challenge { cmd_id, terms, side: Some(Side::Red) };
        let Accepted::Challenge { challenge, .. } = self.accepted(0, offer).await else {
            panic!("a challenge")
        };
        let accept = |cmd_id| ClientToServer::AcceptChallenge { cmd_id, challenge, secret: true };
        let Accepted::Started { game, .. } = self.accepted(1, accept).await else { panic!("a game") };
        game
    }

    async fn act(&mut self, who: usize, game: GameId, ply: u16, command: GameCommand) {
        self.accepted(who, |cmd_id| ClientToServer::Command { cmd_id, game, ply, epoch: None, command })
            .await;
    }

    async fn deploy(&mut self, game: GameId) {
        for who in [0, 1] {
            self.act(who, game, 0, GameCommand::Deploy { setup: SETUP.to_owned() }).await;
        }
    }

    /// Runs all jobs that are due now.
    async fn settle(&self) {
        self.house.run_jobs("turn_due").await;
        self.house.run_jobs("notices").await;
    }

    /// Runs all jobs that are due three hours later.
    async fn settle_later(&self) {
        self.house.later(3 * 3_600_000);
        self.settle().await;
    }

    async fn info(&self) -> Value {
        self.ask("GET", "/api/me/webhook", Value::Null).await.json()
    }
}

fn moving(squares: &str) -> GameCommand {
    serde_json::from_value(json!({ "kind": "move", "move": squares })).unwrap()
}

#[tokio::test]
async fn a_turn_notice_is_sent_once_signed_and_without_secrets() {
    let hook = Hook::open().await;
    let mut pair = Pair::new(Reach::Private).await;
    let set = pair.set(&hook.url).await;
    assert_eq!(set.status, 200, "{}", set.body);
    let secret = set.json()["secret"].as_str().unwrap().to_owned();
    assert!(!pair.info().await.to_string().contains(&secret), "it is shown once");
    let game = pair.begin().await;
    let ((), (head, notice)) = tokio::join!(pair.settle(), hook.take("204 No Content"));
    assert!(head.starts_with("POST /turns?of=ann HTTP/1.1"), "{head}");
    let fields: Vec<&str> = notice.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields, ["deadline", "game", "id", "kind", "ply", "ruleset"]);
    assert_eq!(
        (&notice["game"], &notice["kind"], &notice["ply"]),
        (&json!(game), &json!("your_turn"), &json!(0))
    );
    for field in
        ["flagfall-signature: sha256=", "webhook-id: ", "webhook-timestamp: ", "webhook-signature: v1,"]
    {
        assert!(head.to_lowercase().contains(field), "{field} in {head}");
    }
    assert!(secret.starts_with("whsec_"), "for receivers that know Standard Webhooks");
    // If the jobs run again, the notice is not sent a second time.
    pair.settle().await;
    pair.deploy(game).await;
    let ((), (_, notice)) = tokio::join!(pair.settle(), hook.take("200 OK"));
    assert_eq!(notice["id"], format!("{game}-p0"));
    pair.act(0, game, 0, moving("a4a5")).await;
    pair.settle().await;
    assert!(hook.is_quiet().await, "it is Bob's turn, and he has no webhook");
    pair.act(1, game, 1, moving("j7j6")).await;
    let ((), (_, notice)) = tokio::join!(pair.settle(), hook.take("200 OK"));
    assert_eq!((&notice["ply"], &notice["ruleset"]), (&json!(2), &json!("pbm")));
    pair.settle_later().await;
    assert!(hook.is_quiet().await, "it was delivered");
    assert_eq!(
        (pair.info().await["lost"].clone(), pair.info().await["waiting"].clone()),
        (json!(0), json!(0))
    );
}

#[tokio::test]
async fn a_failed_notice_is_retried_then_dropped_and_shown_to_its_owner() {
    let hook = Hook::open().await;
    let mut pair = Pair::new(Reach::Private).await;
    pair.set(&hook.url).await;
    let game = pair.begin().await;
    let ((), (_, first)) = tokio::join!(pair.settle(), hook.take("500 Oh"));
    assert_eq!(pair.info().await["last"]["result"], "answered with 500");
    pair.settle().await;
    assert!(hook.is_quiet().await, "not at once");
    for _ in 1..6 {
        // The server does not follow a redirect.
        let ((), (_, again)) =
            tokio::join!(pair.settle_later(), hook.take("302 Found\r\nlocation: http://127.0.0.1:1/"));
        assert_eq!(again["id"], first["id"]);
    }
    let info = pair.info().await;
    assert_eq!((&info["lost"], &info["waiting"], &info["active"]), (&json!(1), &json!(0), &json!(true)));
    pair.deploy(game).await;
    for ply in (0..2 * (u16::try_from(LOST_MAX).unwrap() - 1)).step_by(2) {
        for _ in 0..6 {
            tokio::join!(pair.settle_later(), hook.take("404 Not Found"));
        }
        pair.act(0, game, ply, moving(if ply % 4 == 0 { "a4a5" } else { "a5a4" })).await;
        pair.act(1, game, ply + 1, moving(if ply % 4 == 0 { "j7j6" } else { "j6j7" })).await;
    }
    let info = pair.info().await;
    assert_eq!((&info["lost"], &info["active"]), (&json!(LOST_MAX), &json!(false)));
    pair.settle_later().await;
    assert!(hook.is_quiet().await, "it is given up");
    // If a test notice is delivered, the webhook becomes active again.
    let test = pair.ask("POST", "/api/me/webhook/test", Value::Null);
    let (tested, (_, notice)) = tokio::join!(test, hook.take("200 OK"));
    assert_eq!((tested.json()["delivered"].clone(), &notice["kind"]), (json!(true), &json!("test")));
    assert_eq!(pair.info().await["active"], true);
    assert_eq!(pair.ask("POST", "/api/me/webhook/test", Value::Null).await.json()["code"], "too_many");
}

#[tokio::test]
async fn a_notice_whose_turn_is_over_is_not_sent() {
    let hook = Hook::open().await;
    let mut pair = Pair::new(Reach::Private).await;
    pair.set(&hook.url).await;
    let game = pair.begin().await;
    tokio::join!(pair.settle(), hook.take("500 Oh"));
    pair.act(0, game, 0, GameCommand::Deploy { setup: SETUP.to_owned() }).await;
    pair.settle_later().await;
    assert!(hook.is_quiet().await);
    assert_eq!(pair.info().await["waiting"], 0);
}

#[tokio::test]
async fn webhooks_lead_to_public_addresses_over_tls_and_belong_to_accounts() {
    let pair = Pair::new(Reach::Public).await;
    for url in [
        "http://example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/",
        "nonsense",
    ] {
        let refused = pair.set(url).await;
        assert_eq!((refused.status, refused.json()["code"].as_str()), (400, Some("bad_webhook")), "{url}");
    }
    assert_eq!(pair.ask("GET", "/api/me/webhook", Value::Null).await.json()["code"], "no_such_webhook");
    assert_eq!(pair.set("https://localhost:9/").await.status, 200, "names are resolved later");
    let tested = pair.ask("POST", "/api/me/webhook/test", Value::Null).await.json();
    assert_eq!(tested["delivered"], false);
    assert!(tested["result"].as_str().unwrap().contains("cannot be reached from here"), "{tested}");
    assert_eq!(pair.ask("DELETE", "/api/me/webhook", Value::Null).await.status, 204);
    assert_eq!(pair.ask("DELETE", "/api/me/webhook", Value::Null).await.status, 404);
    let (_, _, guest) = pair.house.guest("eve").await;
    let body = json!({ "url": "https://example.org/" }).to_string();
    assert_eq!(
        pair.house.ask("PUT", "/api/me/webhook", &guest, &body).await.json()["code"],
        "account_expected"
    );
}

#[tokio::test]
async fn a_feed_lists_turns_and_ended_games_to_holders_of_its_address() {
    let mut pair = Pair::new(Reach::Public).await;
    let game = pair.begin().await;
    let path =
        pair.ask("POST", "/api/me/feed", Value::Null).await.json()["path"].as_str().unwrap().to_owned();
    let feed = pair.house.get(&path).await;
    assert!(feed.head.contains("application/feed+json"), "{}", feed.head);
    let feed = feed.json();
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(feed["items"][0]["title"], "Your turn against bob: pbm");
    pair.deploy(game).await;
    pair.act(0, game, 0, GameCommand::Resign {}).await;
    pair.house.run_jobs("played_due").await;
    let feed = pair.house.get(&path).await.json();
    assert_eq!(feed["items"][0]["title"], "Game lost against bob: pbm");
    assert_eq!(feed["items"].as_array().unwrap().len(), 1);
    // The old address of a feed stops working when a new one is created. When the feed is removed,
    // the new address stops working, too.
    let next =
        pair.ask("POST", "/api/me/feed", Value::Null).await.json()["path"].as_str().unwrap().to_owned();
    assert_eq!(pair.house.get(&path).await.status, 404);
    assert_eq!(pair.house.get(&next).await.status, 200);
    assert_eq!(pair.ask("GET", "/api/me/feed", Value::Null).await.json(), json!({"exists": true}));
    assert_eq!(pair.ask("DELETE", "/api/me/feed", Value::Null).await.status, 204);
    assert_eq!(pair.house.get(&next).await.status, 404);
    assert_eq!(pair.ask("GET", "/api/me/feed", Value::Null).await.json(), json!({"exists": false}));
}
