//! Tests of sessions of the server's own page, which use a cookie, and of anonymous clients.

use crate::common::{Answer, Client, House, http, in_time, settings};
use flagfall_board::Stamp;
use flagfall_protocol::{Accepted, ClientToServer, ServerToClient, Terms, Time, Viewer};
use flagfall_services::settings::{Role, Settings};
use flagfall_store::{SystemClock, WallClock};
use flagfall_store_testing::TestStore;
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const PASSWORD: &str = "correct horse battery";

/// A browser that has a page of this server open.
struct Browser<'a> {
    house: &'a House,
    origin: String,
    cookie: String,
}

impl<'a> Browser<'a> {
    fn new(house: &'a House) -> Browser<'a> {
        Browser { house, origin: format!("http://{}", house.address), cookie: String::new() }
    }

    /// Sends a request as the page does, and keeps the cookie in the answer.
    async fn ask(&mut self, method: &str, path: &str, body: &str) -> Answer {
        let headers = format!("Origin: {}\r\nCookie: {}\r\n", self.origin, self.cookie);
        let answer = ask(self.house, method, path, &headers, body).await;
        if let Some(cookie) = cookie_of(&answer) {
            self.cookie = cookie;
        }
        answer
    }

    async fn begin(&mut self, body: &Value) -> Value {
        let answer = self.ask("POST", "/api/session", &body.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
        let token = self.cookie.split_once('=').map(|(_, token)| token).unwrap();
        assert!(token.len() == 64 && !answer.body.contains(token), "no page sees a token");
        answer.json()
    }

    /// Opens a WebSocket and says hello with the session.
    async fn connect(&self) -> (Client, ServerToClient) {
        let mut request = format!("ws://{}/ws", self.house.address).into_client_request().unwrap();
        request.headers_mut().insert("origin", self.origin.parse().unwrap());
        if !self.cookie.is_empty() {
            request.headers_mut().insert("cookie", self.cookie.parse().unwrap());
        }
        let (socket, response) = in_time("the upgrade", connect_async(request)).await.expect("an upgrade");
        assert_eq!(response.headers().contains_key("set-cookie"), !self.cookie.is_empty(), "it is renewed");
        let mut client = Client { socket };
        client.say(r#"{"type":"hello","protocol":1,"client":"page","session":true}"#).await;
        let welcome = client.next().await;
        (client, welcome)
    }

    /// Returns the id of the player in the server's welcome.
    async fn player(&self) -> Option<String> {
        let (_, welcome) = self.connect().await;
        id_of(&welcome)
    }
}

fn id_of(welcome: &ServerToClient) -> Option<String> {
    match welcome {
        ServerToClient::Welcome { player, token: None, .. } => {
            player.as_ref().map(|player| player.id.clone())
        }
        other => panic!("a welcome without a token was expected, not {other:?}"),
    }
}

async fn ask(house: &House, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        house.address,
        body.len()
    );
    http(house.address, &request).await
}

/// Returns the cookie that an answer sets, as the browser will send it.
fn cookie_of(answer: &Answer) -> Option<String> {
    let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
    line.split(';').next().map(str::to_owned)
}

fn terms(is_private: bool) -> Terms {
    let time = Time::Unlimited {};
    Terms { ruleset: "barrage".to_owned(), time, private: is_private, secret: false, rated: false }
}

fn play_bot(is_private: bool) -> ClientToServer {
    let (cmd_id, bot) = ("b".parse().unwrap(), "random".to_owned());
    ClientToServer::PlayBot { cmd_id, bot, terms: terms(is_private), side: None }
}

async fn accepted(client: &mut Client, message: &ClientToServer) -> Accepted {
    client.tell(message).await;
    let outcome = |message| match message {
        ServerToClient::Accepted { outcome, .. } => Some(outcome),
        ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
        _ => None,
    };
    client.find(outcome).await
}

#[tokio::test]
async fn a_page_becomes_a_guest_and_comes_back_as_the_same() {
    let house = House::open(settings()).await;
    let mut browser = Browser::new(&house);
    assert_eq!(browser.player().await, None);
    let begun = browser.begin(&json!({ "name": "ana" })).await;
    assert_eq!((&begun["player"]["name"], &begun["player"]["kind"]), (&json!("ana"), &json!("guest")));
    let id = begun["player"]["id"].as_str().unwrap().to_owned();
    assert!(browser.cookie.starts_with(&format!("flagfall-{}=", house.address.port())));
    assert_eq!(browser.player().await.as_ref(), Some(&id));
    assert_eq!(browser.begin(&json!({})).await["player"]["id"], id, "another tab was faster");
    let (mut client, _) = browser.connect().await;
    accepted(&mut client, &play_bot(false)).await;
    assert_eq!(browser.ask("GET", "/api/me", "").await.json()["player"]["id"], id);
    assert_eq!(browser.player().await.as_ref(), Some(&id));
    house.close().await;
}

#[tokio::test]
async fn the_cookie_counts_for_requests_of_the_own_page_alone() {
    let mut settings = settings();
    settings.allowed_origins.push("https://friend.example".parse().unwrap());
    let house = House::open(settings).await;
    let mut browser = Browser::new(&house);
    browser.begin(&json!({})).await;
    let cookie = format!("Cookie: {}\r\n", browser.cookie);
    let me = async |headers: &str| {
        let answer = ask(&house, "GET", "/api/me", &format!("{headers}{cookie}"), "").await;
        (answer.status, answer.json()["code"].clone())
    };
    assert_eq!(me("Sec-Fetch-Site: same-origin\r\n").await.0, 200);
    let foreign = "Origin: http://127.0.0.1:1\r\n";
    assert_eq!(me(foreign).await, (403, json!("foreign_origin")));
    for unknown in ["", "Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-site\r\n"] {
        assert_eq!(me(unknown).await, (401, json!("bad_token")), "{unknown}");
    }
    assert_eq!(me("Origin: https://friend.example\r\n").await, (401, json!("bad_token")));
    // Requests that change something and requests for sessions are also refused.
    let headers = format!("{foreign}{cookie}");
    for (method, path) in [
        ("POST", "/api/me/feed"),
        ("PATCH", "/api/me/preferences"),
        ("POST", "/api/session"),
        ("DELETE", "/api/session"),
    ] {
        assert_eq!(ask(&house, method, path, &headers, "{}").await.refusal().0, 403, "{method} {path}");
    }
    for headers in ["", foreign, "Origin: https://friend.example\r\n"] {
        let (status, refusal) = ask(&house, "POST", "/api/session", headers, "{}").await.refusal();
        assert_eq!((status, &refusal["args"]["reason"]), (403, &json!("session")), "{headers}");
    }
    // A page of an allowed origin may connect, but its cookie is ignored.
    let page = Browser { house: &house, origin: "https://friend.example".to_owned(), cookie: String::new() };
    let mut request = format!("ws://{}/ws", house.address).into_client_request().unwrap();
    request.headers_mut().insert("origin", page.origin.parse().unwrap());
    request.headers_mut().insert("cookie", browser.cookie.parse().unwrap());
    let (socket, response) = connect_async(request).await.unwrap();
    assert!(!response.headers().contains_key("set-cookie"));
    let mut client = Client { socket };
    client.say(r#"{"type":"hello","protocol":1,"session":true}"#).await;
    assert_eq!(id_of(&client.next().await), None);
    house.close().await;
}

#[tokio::test]
async fn a_guest_signs_up_logs_out_and_logs_in() {
    let house = House::open(settings()).await;
    let mut browser = Browser::new(&house);
    let guest = browser.begin(&json!({})).await["player"]["id"].clone();
    let signed_up = json!({ "name": "ana", "password": PASSWORD, "sign_up": true });
    let made = browser.begin(&signed_up).await;
    assert_eq!((&made["player"]["id"], &made["player"]["kind"]), (&guest, &json!("account")));
    assert!(made["recovery_code"].as_str().is_some_and(|code| code.len() > 20));
    let (status, refusal) = browser.ask("POST", "/api/session", &signed_up.to_string()).await.refusal();
    assert_eq!((status, &refusal["code"]), (409, &json!("already_account")));

    let (mut client, welcome) = browser.connect().await;
    assert_eq!(json!(id_of(&welcome)), guest);
    let old = browser.cookie.clone();
    let ended = browser.ask("DELETE", "/api/session", "").await;
    assert_eq!(ended.status, 204);
    assert!(ended.head.contains("clear-site-data: \"storage\""), "{}", ended.head);
    assert!(ended.head.contains("max-age=0") && ended.head.contains("cache-control: no-store"));
    assert_eq!(client.close_code().await, 4101);
    browser.cookie = old;
    assert_eq!(browser.player().await, None, "the token is revoked");

    let wrong = json!({ "name": "ana", "password": "wrong horse battery" });
    let (status, refusal) = browser.ask("POST", "/api/session", &wrong.to_string()).await.refusal();
    assert_eq!((status, &refusal["code"]), (403, &json!("wrong_password")));
    let logged_in = browser.begin(&json!({ "name": "Ana", "password": PASSWORD })).await;
    assert_eq!(logged_in["player"]["id"], guest);
    assert_eq!(json!(browser.player().await), guest);
    for body in [
        json!({ "password": PASSWORD }),
        json!({ "sign_up": true, "name": "bo" }),
        json!({ "name": "ana", "recovery_code": "x" }),
        json!({ "name": "ana", "password": PASSWORD, "recovery_code": "x", "sign_up": true }),
        json!({ "x": 1 }),
    ] {
        assert_eq!(browser.ask("POST", "/api/session", &body.to_string()).await.refusal().0, 400, "{body}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_session_by_cookie_makes_a_token_only_with_the_password() {
    let house = House::open(settings()).await;
    let mut browser = Browser::new(&house);
    browser.begin(&json!({})).await;
    let make = |password: &str| match password {
        "" => json!({ "name": "lab" }).to_string(),
        password => json!({ "name": "lab", "password": password }).to_string(),
    };
    let (status, refusal) = browser.ask("POST", "/api/tokens", &make("")).await.refusal();
    assert_eq!((status, &refusal["code"]), (403, &json!("account_expected")), "a guest");
    browser.begin(&json!({ "name": "ana", "password": PASSWORD, "sign_up": true })).await;
    for wrong in ["", "wrong horse battery"] {
        let (status, refusal) = browser.ask("POST", "/api/tokens", &make(wrong)).await.refusal();
        assert_eq!((status, &refusal["code"]), (403, &json!("wrong_password")), "{wrong}");
    }
    let listed = browser.ask("GET", "/api/tokens", "").await.json();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 1, "the session alone");
    let made = browser.ask("POST", "/api/tokens", &make(PASSWORD)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    // With a token, a program can make tokens without a password. But if it sends a password, the
    // password must be right.
    let token = made.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(house.ask("POST", "/api/tokens", &token, &make("")).await.status, 201);
    assert_eq!(house.ask("POST", "/api/tokens", &token, &make("wrong horse battery")).await.status, 403);
    house.close().await;
}

#[tokio::test]
async fn a_recovery_code_begins_a_session_with_a_new_password() {
    let house = House::open(settings()).await;
    let mut first = Browser::new(&house);
    let made = first.begin(&json!({ "name": "ana", "password": PASSWORD, "sign_up": true })).await;
    let code = made["recovery_code"].clone();
    let new = "correct horse battery 2";
    let lost = json!({ "name": "ana", "password": new, "recovery_code": code });

    let mut second = Browser::new(&house);
    let begun = second.begin(&lost).await;
    assert_eq!(begun["player"]["id"], made["player"]["id"]);
    assert!(begun["recovery_code"].as_str().is_some_and(|next| next.len() > 20 && json!(next) != code));
    assert_eq!(begun.get("token"), None);
    assert_eq!(json!(second.player().await), made["player"]["id"]);
    assert_eq!(first.player().await, None, "earlier sessions have ended");
    let (status, refusal) = second.ask("POST", "/api/session", &lost.to_string()).await.refusal();
    assert_eq!((status, &refusal["code"]), (403, &json!("wrong_recovery_code")), "it is used up");
    first.begin(&json!({ "name": "ana", "password": new })).await;
    house.close().await;
}

#[tokio::test]
async fn a_guest_who_logs_out_is_gone() {
    let store = TestStore::announcing(SystemClock);
    let house = House::open_on(store, settings()).await;
    for has_played in [false, true] {
        let mut browser = Browser::new(&house);
        let id = browser.begin(&json!({})).await["player"]["id"].clone();
        let (mut client, _) = browser.connect().await;
        if has_played {
            accepted(&mut client, &play_bot(true)).await;
        }
        let old = browser.cookie.clone();
        assert_eq!(browser.ask("DELETE", "/api/session", "").await.status, 204);
        assert_eq!(client.close_code().await, 4101);
        browser.cookie = old;
        let again = browser.begin(&json!({})).await["player"]["id"].clone();
        // A guest who has not played is not stored, so the token cannot be revoked and stays
        // valid.
        assert_eq!(again == id, !has_played);
    }
    let mut nobody = Browser::new(&house);
    assert_eq!(nobody.ask("DELETE", "/api/session", "").await.status, 204, "with nothing to end");
    house.close().await;
}

#[tokio::test]
async fn an_anonymous_client_looks_on_and_does_nothing_else() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let mut games = Vec::new();
    for is_private in [false, true] {
        let mut message = play_bot(is_private);
        if let ClientToServer::PlayBot { cmd_id, .. } = &mut message {
            *cmd_id = format!("b-{is_private}").parse().unwrap();
        }
        let Accepted::Started { game, .. } = accepted(&mut ana, &message).await else { panic!("no game") };
        games.push(game);
    }
    let challenge =
        ClientToServer::Challenge { cmd_id: "c".parse().unwrap(), terms: terms(true), side: None };
    let Accepted::Challenge { challenge, .. } = accepted(&mut ana, &challenge).await else { panic!("none") };
    let online = house.connections.players_online();

    let browser = Browser::new(&house);
    let (mut client, welcome) = browser.connect().await;
    assert!(
        matches!(&welcome, ServerToClient::Welcome { player: None, token: None, games, .. } if games.is_empty())
    );
    client.tell(&ClientToServer::OPEN_LOBBY).await;
    let lobby = |message| match message {
        ServerToClient::Lobby { games, .. } => Some(games.len()),
        _ => None,
    };
    assert_eq!(client.find(lobby).await, 1);
    client.tell(&ClientToServer::OpenGame { game: games[0], since: None }).await;
    let seen = |message| match message {
        ServerToClient::Game { audience, driving, .. } => Some((audience, driving)),
        _ => None,
    };
    assert_eq!(client.find(seen).await, (Viewer::Public, false));
    client.tell(&ClientToServer::OpenGame { game: games[1], since: None }).await;
    assert_eq!(client.refused().await.0, "no_such_game");
    client.tell(&ClientToServer::ShowChallenge { challenge: challenge.clone() }).await;
    let shown = |message| matches!(message, ServerToClient::Challenge { .. }).then_some(());
    client.find(shown).await;

    let game = games[0];
    let id = || "x".parse().unwrap();
    let resign = flagfall_protocol::GameCommand::Resign {};
    for message in [
        play_bot(false),
        ClientToServer::Seek { cmd_id: id(), terms: terms(false), side: None, rating: None },
        ClientToServer::AcceptChallenge { cmd_id: id(), challenge, secret: false },
        ClientToServer::EnterPool { cmd_id: id(), terms: terms(false) },
        ClientToServer::Command { cmd_id: id(), game, ply: 0, epoch: None, command: resign },
        ClientToServer::Rematch { cmd_id: id(), game },
        ClientToServer::Report { cmd_id: id(), game, reason: "stalls".to_owned() },
        ClientToServer::MyGames {},
    ] {
        client.tell(&message).await;
        let (code, has_id) = client
            .find(|heard| match heard {
                ServerToClient::Refused { code, cmd_id, .. } => Some((code, cmd_id.is_some())),
                _ => None,
            })
            .await;
        assert_eq!(code.as_str(), "sign_in_expected", "{message:?}");
        assert_eq!(has_id, message != ClientToServer::MyGames {}, "{message:?}");
    }
    assert_eq!(house.connections.players_online(), online, "no guest was made");
    client.tell(&ClientToServer::CloseGame { game }).await;
    client.tell(&ClientToServer::CloseLobby {}).await;
    house.connections.note_store(false);
    client
        .find(|heard| matches!(heard, ServerToClient::StoreState { available: false, .. }).then_some(()))
        .await;
    house.close().await;
}

#[tokio::test]
async fn guests_of_pages_have_the_limits_of_their_address() {
    let mut settings = settings();
    settings.admission.guests_per_address = 2;
    settings.admission.watched_per_address = 0;
    let house = House::open(settings).await;
    for _ in 0..2 {
        Browser::new(&house).begin(&json!({})).await;
    }
    let mut third = Browser::new(&house);
    let (status, refusal) = third.ask("POST", "/api/session", "{}").await.refusal();
    assert_eq!((status, &refusal["args"]["reason"]), (429, &json!("guests")));
    let (mut client, welcome) = third.connect().await;
    assert_eq!(id_of(&welcome), None, "to look on is no limit for guests");
    let game = flagfall_board::GameId::from_random([1; 12]);
    client.tell(&ClientToServer::OpenGame { game, since: None }).await;
    assert_eq!(client.refused().await.0, "no_such_game");
    house.close().await;
}

#[tokio::test]
async fn programs_get_no_more_than_before() {
    let house = House::open(settings()).await;
    let mut client = house.connect().await;
    client.say(r#"{"type":"hello","protocol":1,"name":"ana"}"#).await;
    let welcome = serde_json::to_value(client.next().await).unwrap();
    let names: Vec<&str> = welcome.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "claim_seconds",
        "games",
        "lobby_changes",
        "player",
        "protocol",
        "server",
        "server_time",
        "token",
        "type",
    ];
    assert_eq!(names, expected);
    house.close().await;
}

fn behind_tls() -> Settings {
    let mut settings = settings();
    settings.proxies.ranges.push("127.0.0.1".parse().unwrap());
    settings
}

#[tokio::test]
async fn behind_tls_the_cookie_is_secure() {
    let house = House::open(behind_tls()).await;
    let host = house.address;
    let headers = format!("X-Forwarded-Proto: https\r\nOrigin: https://{host}\r\n");
    let answer = ask(&house, "POST", "/api/session", &headers, "{}").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.head.contains("set-cookie: __host-flagfall="), "{}", answer.head);
    assert!(answer.head.contains("; httponly; samesite=strict; secure"), "{}", answer.head);
    let plain = format!("X-Forwarded-Proto: https\r\nOrigin: http://{host}\r\n");
    assert_eq!(ask(&house, "POST", "/api/session", &plain, "{}").await.status, 403);
    house.close().await;
}

#[tokio::test]
async fn the_public_address_is_the_own_origin() {
    let mut settings = settings();
    settings.public_url = Some("https://play.example.org".parse().unwrap());
    let house = House::open(settings).await;
    let answer = ask(&house, "POST", "/api/session", "Origin: https://play.example.org\r\n", "{}").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.head.contains("set-cookie: __host-flagfall="), "{}", answer.head);
    let hsts = "strict-transport-security: max-age=31536000";
    assert!(answer.head.contains(hsts) && house.get("/").await.head.contains(hsts));
    let own = format!("Origin: http://{}\r\n", house.address);
    assert_eq!(ask(&house, "POST", "/api/session", &own, "{}").await.status, 403);
    house.close().await;
    let plain = House::open(behind_tls()).await;
    assert!(!plain.get("/").await.head.contains("strict-transport-security"));
    plain.close().await;
}

#[tokio::test]
async fn a_relay_shows_games_of_other_servers_to_anonymous_clients_alone() {
    let store = TestStore::announcing(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let relay = House::open_on(store, Settings { role: Role::Relay, ..settings() }).await;
    let (mut ana, ..) = house.guest("ana").await;
    let Accepted::Started { game, .. } = accepted(&mut ana, &play_bot(false)).await else {
        panic!("no game")
    };
    let (mut client, _) = Browser::new(&relay).connect().await;
    client.tell(&ClientToServer::OpenGame { game, since: None }).await;
    let seen = |message| match message {
        ServerToClient::Game { audience, .. } => Some(audience),
        _ => None,
    };
    assert_eq!(client.find(seen).await, Viewer::Public);
    let mut player = relay.connect().await;
    player.say(r#"{"type":"hello","protocol":1,"name":"bo"}"#).await;
    assert_eq!(player.refused().await.0, "watch_only");
    // The relay does not continue the games, so the last server to stop pauses them.
    house.close().await;
    let is_paused = |message| serde_json::to_string(&message).unwrap().contains(r#":"paused""#).then_some(());
    client.find(is_paused).await;
    relay.close().await;
}

/// A clock that is an hour ahead of this machine's.
struct Ahead;

impl WallClock for Ahead {
    fn now(&self) -> Stamp {
        SystemClock.now().plus_ms(3_600_000)
    }
}

#[tokio::test]
async fn clients_are_told_the_time_by_which_flags_fall() {
    let house = House::open_on(TestStore::new(Ahead), settings()).await;
    let mut ana = house.connect().await;
    ana.say(r#"{"type":"hello","protocol":1,"name":"ana"}"#).await;
    for _ in 0..2 {
        let told = ana.hear().await;
        let (ServerToClient::Welcome { server_time, .. } | ServerToClient::Ping { server_time, .. }) = told
        else {
            panic!("{told:?}")
        };
        assert!(server_time > SystemClock.now().0 + 1_800_000, "{server_time}");
    }
    house.close().await;
}
