//! Tests of the per-client limits over the network, with real sockets from several addresses of
//! this machine.

use crate::common::{Answer, Client, House, dial, http, in_time, settings};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, CommandId, GameCommand, ServerToClient, Terms, Time};
use flagfall_services::settings::Settings;
use futures_util::future::join_all;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};

const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";
const HELLO: &str = r#"{"type":"hello","protocol":1}"#;
const OTHER: [u8; 4] = [127, 0, 0, 2];

fn terms() -> Terms {
    Terms {
        ruleset: "classic".to_owned(),
        time: Time::Fischer { base_s: 600, increment_s: 5 },
        private: false,
        secret: false,
        rated: false,
    }
}

fn cmd_id(id: &str) -> CommandId {
    id.parse().unwrap()
}

/// Sends a command that must be accepted. Returns its outcome.
async fn accepted(client: &mut Client, id: &str, message: &ClientToServer) -> Accepted {
    client.tell(message).await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { cmd_id, outcome } if cmd_id.as_str() == id => Some(outcome),
            ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
            _ => None,
        })
        .await
}

async fn open(client: &mut Client, game: GameId) {
    client.tell(&ClientToServer::OpenGame { game, since: None }).await;
    client
        .find(|message| match message {
            ServerToClient::Game { game: opened, .. } if opened.id == game => Some(()),
            ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
            _ => None,
        })
        .await;
}

async fn act(client: &mut Client, id: &str, game: GameId, ply: u16, command: GameCommand) {
    let cmd_id = cmd_id(id);
    accepted(client, id, &ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await;
}

fn play_bot(id: &str) -> ClientToServer {
    ClientToServer::PlayBot { cmd_id: cmd_id(id), bot: "random".to_owned(), terms: terms(), side: None }
}

async fn house_game(client: &mut Client, id: &str) -> GameId {
    match accepted(client, id, &play_bot(id)).await {
        Accepted::Started { game, .. } => game,
        other => panic!("{other:?}"),
    }
}

/// Creates an account and says hello with its token.
async fn sign_in(house: &House, number: usize) -> Client {
    let body = json!({ "name": format!("pupil-{number}"), "password": format!("zwölf Boxkämpfer {number}"), "bot": false });
    let made = house.ask("POST", "/api/account", "", &body.to_string()).await;
    assert_eq!(made.status, 201, "{}", made.body);
    house.again(made.json()["token"].as_str().unwrap()).await
}

/// Starts a game. Returns its id.
async fn start(red: &mut Client, blue: &mut Client) -> GameId {
    let challenge = ClientToServer::Challenge { cmd_id: cmd_id("1"), terms: terms(), side: Some(Side::Red) };
    let Accepted::Challenge { challenge, .. } = accepted(red, "1", &challenge).await else { panic!() };
    let accept = ClientToServer::AcceptChallenge { cmd_id: cmd_id("1"), challenge, secret: false };
    let Accepted::Started { game, .. } = accepted(blue, "1", &accept).await else { panic!() };
    game
}

/// Starts a game and plays its first moves. Returns the game's id.
async fn play(red: &mut Client, blue: &mut Client) -> GameId {
    let game = start(red, blue).await;
    for client in [&mut *red, &mut *blue] {
        open(client, game).await;
        act(client, "2", game, 0, GameCommand::Deploy { setup: SETUP.to_owned() }).await;
    }
    let step = |squares: &str| serde_json::from_value(json!({ "kind": "move", "move": squares })).unwrap();
    for (ply, red_step, blue_step) in [(0, "a4a5", "j7j6"), (2, "a5a4", "j6j7")] {
        act(red, &format!("r{ply}"), game, ply, step(red_step)).await;
        act(blue, &format!("b{ply}"), game, ply + 1, step(blue_step)).await;
    }
    game
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_people_behind_one_address_sign_in_play_and_watch() {
    const PEOPLE: usize = 60;
    let house = House::open(settings()).await;
    let mut people = join_all((0..PEOPLE).map(|number| sign_in(&house, number))).await;
    let games = join_all(people.chunks_mut(2).map(|pair| {
        let [red, blue] = pair else { panic!("a pair") };
        play(red, blue)
    }))
    .await;
    // Each person watches two other people's games, and looks at the lobby and at a record.
    let watched = people.iter_mut().enumerate().map(|(number, client)| {
        let (games, house) = (&games, &house);
        async move {
            for step in 1..3 {
                open(client, games[(number / 2 + step) % games.len()]).await;
            }
            client.tell(&ClientToServer::OPEN_LOBBY).await;
            client.find(|message| matches!(message, ServerToClient::Lobby { .. }).then_some(())).await;
            assert_eq!(house.get(&format!("/api/games/{}/record", games[number / 2])).await.status, 200);
        }
    });
    join_all(watched).await;
    // Sixty guests also connect, and each plays a game against a house player.
    let guests = (0..PEOPLE).map(|number| {
        let house = &house;
        async move {
            let (mut client, ..) = house.guest(&format!("guest{number}")).await;
            house_game(&mut client, "1").await;
            client
        }
    });
    drop(join_all(guests).await);
    house.close().await;
}

/// Opens `count` connections that send nothing. Returns those that are still open at the end.
async fn idle(house: &House, from: [u8; 4], count: usize) -> Vec<Client> {
    let mut clients = Vec::new();
    for _ in 0..count {
        clients.push(house.connect_from(from).await);
    }
    clients
}

fn small(connections_max: usize) -> Settings {
    let mut settings = settings();
    settings.limits.connections_max = Some(connections_max);
    settings
}

#[tokio::test]
async fn idle_connections_do_not_block_other_players() {
    let house = House::open(small(20)).await;
    let (known, _, token) = house.guest("ana").await;
    drop(known);
    let _idle = (idle(&house, [127, 0, 0, 3], 12).await, idle(&house, [127, 0, 0, 4], 12).await);
    let mut newcomer = house.connect_from(OTHER).await;
    newcomer.say(HELLO).await;
    newcomer.welcome().await;
    let mut back = house.connect_from([127, 0, 0, 5]).await;
    back.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
    back.welcome().await;
    house.close().await;
}

#[tokio::test]
async fn guests_that_fill_the_server_leave_room_for_known_players() {
    let house = House::open(small(40)).await;
    // Thirty-two connections are reserved for newcomers. One address may use at most half of
    // them.
    let (_ana, _, token) = house.guest("ana").await;
    let mut guests = Vec::new();
    for at in 0..31 {
        let mut guest = house.connect_from([127, 0, 0, if at < 16 { 10 } else { 11 }]).await;
        guest.say(HELLO).await;
        guest.welcome().await;
        guests.push(guest);
    }
    let mut newcomer = house.connect_from(OTHER).await;
    newcomer.say(HELLO).await;
    let (code, words) = newcomer.refused().await;
    assert!(code == "too_many" && words.starts_with("The server is full"), "{words}");
    assert_eq!(newcomer.close_code().await, 4003);
    let mut back = house.connect_from([127, 0, 0, 5]).await;
    back.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
    back.welcome().await;
    house.close().await;
}

#[tokio::test]
async fn too_many_handshakes_of_an_address_are_turned_away_and_others_get_in() {
    let mut settings = settings();
    settings.admission.handshakes_per_address = 30;
    let house = House::open(settings).await;
    let mut answers = Vec::new();
    for _ in 0..40 {
        let mut stream = dial([127, 0, 0, 3], house.address).await.unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await.ok();
        let mut answer = String::new();
        // Ignore a read error, because the server may reset the connection if it rejects too many
        // connections at the same time.
        in_time("an answer", stream.read_to_string(&mut answer)).await.ok();
        answers.push(answer);
    }
    assert!(answers[..10].iter().all(|answer| answer.starts_with("HTTP/1.1 200")));
    let refused = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 429")).count();
    assert!(refused >= 20, "{refused}");
    let told = answers.iter().find(|answer| answer.starts_with("HTTP/1.1 429")).unwrap();
    let (head, body) = told.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("Content-Length: {}", body.len())) && head.contains("Retry-After: "));
    assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["code"], "too_many");
    let mut other = house.connect_from(OTHER).await;
    other.say(HELLO).await;
    other.welcome().await;
    house.close().await;
}

/// Says hello as a new guest, through a proxy whose header names this client. Returns the code of
/// the refusal, if there is one.
async fn guest_through(house: &House, from: [u8; 4], forwarded: &str) -> Option<String> {
    let mut request = format!("ws://{}/ws", house.address).into_client_request().unwrap();
    request.headers_mut().insert("x-forwarded-for", forwarded.parse().unwrap());
    let stream = dial(from, house.address).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.unwrap();
    socket.send(Message::text(HELLO)).await.unwrap();
    loop {
        match in_time("an answer", socket.next()).await.unwrap().unwrap() {
            Message::Text(text) => match serde_json::from_str(text.as_str()).unwrap() {
                ServerToClient::Welcome { .. } => return None,
                ServerToClient::Refused { code, .. } => return Some(code.as_str().to_owned()),
                _ => {}
            },
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn limits_count_the_client_that_a_trusted_proxy_names_and_believe_no_other() {
    let mut settings = settings();
    settings.proxies.ranges.push("127.0.0.9".parse().unwrap());
    settings.proxies.ranges.push("10.0.0.0/8".parse().unwrap());
    settings.admission.guests_per_address = 1;
    let house = House::open(settings).await;
    let proxy = [127, 0, 0, 9];
    assert_eq!(guest_through(&house, proxy, "192.0.2.1").await, None);
    assert_eq!(guest_through(&house, proxy, "192.0.2.2, 10.0.0.1").await, None);
    // Only the last entry that the proxy added counts, because the client may have made up the
    // earlier ones.
    assert_eq!(guest_through(&house, proxy, "198.51.100.1, 192.0.2.1").await.as_deref(), Some("too_many"));
    // A header from an address that is not a trusted proxy is ignored.
    assert_eq!(guest_through(&house, OTHER, "192.0.2.3").await, None);
    assert_eq!(guest_through(&house, OTHER, "192.0.2.4").await.as_deref(), Some("too_many"));
    assert_eq!(guest_through(&house, proxy, "192.0.2.4").await, None);
    house.close().await;
}

#[tokio::test]
async fn a_trusted_network_has_no_limits_of_its_own() {
    let mut settings = settings();
    settings.admission.guests_per_address = 1;
    settings.admission.trusted_networks.push("127.0.0.0/31".parse().unwrap());
    let house = House::open(settings).await;
    for name in ["ana", "bo", "cy"] {
        house.guest(name).await;
    }
    let mut other = house.connect_from(OTHER).await;
    other.say(HELLO).await;
    other.welcome().await;
    let mut again = house.connect_from(OTHER).await;
    again.say(HELLO).await;
    assert_eq!(again.refused().await.0, "too_many");
    house.close().await;
}

#[tokio::test]
async fn a_flood_of_fragments_closes_the_connection() {
    let house = House::open(settings()).await;
    let (mut client, ..) = house.guest("ana").await;
    let fragment = |code| Message::Frame(Frame::message(Vec::new(), OpCode::Data(code), false));
    client.send(fragment(Data::Text)).await;
    for _ in 0..300 {
        client.send(fragment(Data::Continue)).await;
    }
    assert_eq!(client.refused().await.0, "too_many");
    assert_eq!(client.close_code().await, 4003);
    let (mut client, ..) = house.guest("bo").await;
    for _ in 0..300 {
        client.send(Message::Ping(Vec::new().into())).await;
    }
    assert_eq!(client.close_code().await, 4003);
    house.close().await;
}

#[tokio::test]
async fn a_message_in_a_few_fragments_is_read() {
    let house = House::open(settings()).await;
    let (mut client, ..) = house.guest("ana").await;
    let part = |text: &str, code, is_final| {
        Message::Frame(Frame::message(text.as_bytes().to_vec(), OpCode::Data(code), is_final))
    };
    client.send(part(r#"{"type":"#, Data::Text, false)).await;
    client.send(part(r#""my_"#, Data::Continue, false)).await;
    client.send(part(r#"games"}"#, Data::Continue, true)).await;
    assert_eq!(client.next().await, ServerToClient::MyGames { games: Vec::new() });
    house.close().await;
}

#[tokio::test]
async fn close_code_1014_of_a_gateway_is_answered_with_the_same() {
    let house = House::open(settings()).await;
    for code in [1014, 1001] {
        let (mut client, ..) = house.guest("ana").await;
        let frame = CloseFrame { code: CloseCode::from(code), reason: "bad gateway".into() };
        client.send(Message::Close(Some(frame))).await;
        assert_eq!(client.close_code().await, code);
    }
    house.close().await;
}

async fn metrics(house: &House) -> String {
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", house.metrics);
    http(house.metrics, &request).await.body
}

/// Returns the sum over all series of a metric.
fn count(metrics: &str, series: &str) -> u64 {
    let lines = metrics.lines().filter(|line| line.starts_with(series));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

#[tokio::test]
async fn fast_writers_are_read_more_slowly_and_not_refused() {
    const HITS: &str = r#"flagfall_limit_hits_total{limit="stored",of="player"}"#;
    let mut settings = settings();
    settings.admission.stored_kib_per_player = 60;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    for round in 0..31 {
        let (make, cancel) = (format!("m{round}"), format!("c{round}"));
        let challenge = ClientToServer::Challenge { cmd_id: cmd_id(&make), terms: terms(), side: None };
        let Accepted::Challenge { challenge, .. } = accepted(&mut ana, &make, &challenge).await else {
            panic!()
        };
        let withdrawal = ClientToServer::CancelChallenge { cmd_id: cmd_id(&cancel), challenge };
        accepted(&mut ana, &cancel, &withdrawal).await;
    }
    // When the server answers the next message, it has already charged the bytes of the earlier
    // messages.
    ana.say(r#"{"type":"my_games"}"#).await;
    ana.find(|message| matches!(message, ServerToClient::MyGames { .. }).then_some(())).await;
    assert!(count(&metrics(&house).await, HITS) > 0);
    house.close().await;
}

#[tokio::test]
async fn games_against_the_house_are_limited_and_an_end_makes_room() {
    let mut settings = settings();
    settings.admission.house_games_per_player = 1;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    let game = house_game(&mut ana, "1").await;
    ana.tell(&play_bot("2")).await;
    let (code, words) = ana.refused().await;
    assert!(code == "too_many" && words.contains("against house players"), "{words}");
    // A repeated command gets the same answer as the first time, even at the limit.
    assert_eq!(house_game(&mut ana, "1").await, game);
    act(&mut ana, "3", game, 0, GameCommand::Abort {}).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    assert_ne!(house_game(&mut ana, "4").await, game);
    house.close().await;
}

#[tokio::test]
async fn reading_a_long_log_counts_as_several_requests() {
    let mut settings = settings();
    settings.admission.requests_per_minute = 10;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let game = start(&mut ana, &mut bo).await;
    for number in 0..50 {
        act(&mut ana, &format!("d{number}"), game, 0, GameCommand::Deploy { setup: SETUP.to_owned() }).await;
    }
    let mut answered = 0;
    while house.get(&format!("/api/games/{game}")).await.status == 200 {
        answered += 1;
    }
    assert_eq!(answered, 5, "each read counts twice");
    house.close().await;
}

#[tokio::test]
async fn open_offers_are_limited_per_address() {
    let mut settings = settings();
    settings.admission.offers_per_address = 2;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let seek =
        |id: &str| ClientToServer::Seek { cmd_id: cmd_id(id), terms: terms(), side: None, rating: None };
    let Accepted::Seek { seek: first } = accepted(&mut ana, "1", &seek("1")).await else { panic!() };
    let pool = ClientToServer::EnterPool { cmd_id: cmd_id("1"), terms: terms() };
    accepted(&mut bo, "1", &pool).await;
    bo.tell(&seek("2")).await;
    let (code, words) = bo.refused().await;
    assert!(code == "too_many" && words.contains("offers from your address"), "{words}");
    // The limit for offers applies per address. Another address can still make offers, and open
    // offers are not affected.
    let mut cy = house.connect_from(OTHER).await;
    cy.say(HELLO).await;
    cy.welcome().await;
    accepted(&mut cy, "1", &seek("1")).await;
    let cancel = ClientToServer::CancelSeek { cmd_id: cmd_id("2"), seek: first };
    accepted(&mut ana, "2", &cancel).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    accepted(&mut bo, "3", &seek("3")).await;
    house.close().await;
}

#[tokio::test]
async fn watched_games_are_limited_and_own_games_are_not() {
    let mut settings = settings();
    settings.admission.watched_per_player = 1;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    let games = [house_game(&mut ana, "1").await, house_game(&mut ana, "2").await];
    for game in games {
        open(&mut ana, game).await;
    }
    let (mut bo, ..) = house.guest("bo").await;
    open(&mut bo, games[0]).await;
    open(&mut bo, games[0]).await;
    bo.tell(&ClientToServer::OpenGame { game: games[1], since: None }).await;
    assert_eq!(bo.refused().await.0, "too_many");
    bo.tell(&ClientToServer::CloseGame { game: games[0] }).await;
    open(&mut bo, games[1]).await;
    house.close().await;
}

async fn raw(house: &House, head: &str, body: &str) -> Answer {
    http(house.address, &format!("{head}\r\nConnection: close\r\n\r\n{body}")).await
}

#[tokio::test]
async fn a_request_names_its_host_once() {
    let house = House::open(settings()).await;
    for (head, status) in [
        ("GET /api/rulesets HTTP/1.1", 400),
        ("GET /ws HTTP/1.1\r\nUpgrade: websocket", 400),
        ("GET /api/rulesets HTTP/1.1\r\nHost: a\r\nHost: b", 400),
        ("GET /api/rulesets HTTP/1.1\r\nHost: a", 200),
        ("GET /api/rulesets HTTP/1.0", 200),
    ] {
        let answer = raw(&house, head, "").await;
        assert_eq!(answer.status, status, "{head}");
        if status == 400 {
            assert_eq!(answer.json()["code"], "host_expected");
        }
    }
    house.close().await;
}

#[tokio::test]
async fn a_body_that_is_too_long_is_413_and_one_that_is_wrong_400() {
    let house = House::open(settings()).await;
    for (length, status, code) in [(8 * 1024 + 1, 413, "body_too_large"), (100_000, 413, "body_too_large")] {
        let body = format!(r#"{{"name":"{}"}}"#, "x".repeat(length));
        let answer = house.ask("POST", "/api/login", "", &body).await;
        assert_eq!((answer.status, answer.json()["code"].as_str()), (status, Some(code)), "{length}");
    }
    let answer = house.ask("POST", "/api/login", "", r#"{"name":7}"#).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some("malformed")));
    house.close().await;
}

#[tokio::test]
async fn pages_of_allowed_origins_use_the_api_and_others_do_not() {
    let mut settings = settings();
    settings.allowed_origins.push("https://play.example.org".parse().unwrap());
    let house = House::open(settings).await;
    let preflight = |origin: &str, path: &str| {
        format!(
            "OPTIONS {path} HTTP/1.1\r\nHost: x\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: PUT\r\n\
             Access-Control-Request-Headers: authorization"
        )
    };
    let allowed = raw(&house, &preflight("https://play.example.org", "/api/me"), "").await;
    assert_eq!(allowed.status, 204);
    for header in [
        "access-control-allow-origin: https://play.example.org",
        "access-control-allow-methods: get, post, put, patch, delete",
        "access-control-allow-headers: authorization, content-type",
        "vary: origin",
    ] {
        assert!(allowed.head.contains(header), "{header} in {}", allowed.head);
    }
    assert!(!allowed.head.contains("credentials"), "{}", allowed.head);
    let read =
        raw(&house, "GET /api/rulesets HTTP/1.1\r\nHost: x\r\nOrigin: https://play.example.org", "").await;
    assert_eq!(read.status, 200);
    assert!(read.head.contains("access-control-allow-origin: https://play.example.org"), "{}", read.head);
    // The page can also read a refusal.
    let refused =
        raw(&house, "GET /api/me HTTP/1.1\r\nHost: x\r\nOrigin: https://play.example.org", "").await;
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("access-control-allow-origin: https://play.example.org"));
    for (origin, path) in [("https://evil.example", "/api/me"), ("https://play.example.org", "/health")] {
        let answer = raw(&house, &preflight(origin, path), "").await;
        assert_eq!(answer.status, 405, "{origin} {path}");
        assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
    }
    house.close().await;
}
