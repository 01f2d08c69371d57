//! Tests of the WebSocket gateway with a real listener and real sockets. They cover all errors
//! that a client can make.

use std::time::Duration;

use crate::common::{House, TIMEOUT, frame, http, http_from, in_time, settings};
use flagfall_base::delivery::Payload;
use flagfall_protocol::{
    Accepted, ClientToServer, GameCommand, LobbyFilter, PROTOCOL_VERSION, PlayerKind, Presence,
    ServerToClient, Terms, Time,
};
use flagfall_services::settings::Settings;
use flagfall_store::SystemClock;
use flagfall_store_testing::TestStore;
use futures_util::SinkExt as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

const MY_GAMES: &str = r#"{"type":"my_games"}"#;

/// Returns settings with which clients that say nothing are soon turned away.
fn impatient() -> Settings {
    let mut settings = settings();
    settings.times.hello = Duration::from_millis(100);
    settings.times.http_head = Duration::from_millis(100);
    settings
}

/// Returns settings with frequent pings, which clients must answer within this time.
fn with_pings(pong: Duration) -> Settings {
    let mut settings = settings();
    settings.times.ping = Duration::from_millis(20);
    settings.times.pong = pong;
    settings
}

fn terms() -> Terms {
    Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Unlimited {},
        private: false,
        secret: false,
        rated: false,
    }
}

#[tokio::test]
async fn a_guests_token_is_valid_after_a_restart() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let (_client, player, token) = house.guest("ana").await;
    assert_eq!((player.name.as_str(), player.kind), ("ana", PlayerKind::Guest));
    house.close().await;

    let house = House::open_on(store, settings()).await;
    let mut client = house.connect().await;
    client.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
    let (again, told_token, _) = client.welcome().await;
    assert_eq!((again, told_token), (player, None));
    house.close().await;
}

#[tokio::test]
async fn bad_json_is_refused_and_after_a_few_the_connection_ends() {
    let house = House::open(settings()).await;
    let (mut client, ..) = house.guest("ana").await;
    let deep = format!("{}{}", "[".repeat(3_000), "]".repeat(3_000));
    for text in ["", "{", deep.as_str(), r#"{"type":"pong","id":1,"more":2}"#] {
        client.say(text).await;
        assert_eq!(client.refused().await.0, "malformed", "{text:.20}");
    }
    client.say("{").await;
    assert_eq!(client.refused().await.0, "malformed");
    assert_eq!(client.close_code().await, 1008);
    house.close().await;
}

#[tokio::test]
async fn frames_over_the_limits_are_closed_with_a_reason() {
    let house = House::open(settings()).await;
    let long = Message::Text("x".repeat(8 * 1024 + 1).into());
    let very_long = Message::Text("x".repeat(4 * 1024 * 1024).into());
    let rows = [
        ("too long", long, 1009),
        ("very long", very_long, 1009),
        ("binary", Message::Binary(vec![1, 2, 3].into()), 1003),
        ("no UTF-8", frame(&[b'"', 0xff, 0xfe], false), 1007),
        ("a reserved bit", frame(b"{}", true), 1002),
    ];
    for (what, message, code) in rows {
        let (mut client, ..) = house.guest("ana").await;
        client.send(message).await;
        assert_eq!(client.close_code().await, code, "{what}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_message_of_the_longest_length_is_read() {
    let house = House::open(settings()).await;
    let (mut client, ..) = house.guest("ana").await;
    client.say(&format!("{MY_GAMES}{}", " ".repeat(8 * 1024 - MY_GAMES.len()))).await;
    assert_eq!(client.next().await, ServerToClient::MyGames { games: Vec::new() });
    house.close().await;
}

#[tokio::test]
async fn a_connection_without_a_valid_hello_is_closed() {
    let house = House::open(impatient()).await;
    assert_eq!(house.connect().await.close_code().await, 4004);
    house.close().await;

    let house = House::open(settings()).await;
    let rows = [
        (MY_GAMES.to_owned(), "hello_expected", 4106),
        (format!(r#"{{"type":"hello","protocol":{}}}"#, PROTOCOL_VERSION + 1), "protocol_version", 4102),
        (format!(r#"{{"type":"hello","protocol":1,"token":"{}"}}"#, "0".repeat(64)), "bad_token", 4100),
        (r#"{"type":"hello","protocol":1,"token":"x"}"#.to_owned(), "bad_token", 4100),
        (r#"{"type":"hello","protocol":1,"name":"two words"}"#.to_owned(), "bad_name", 4104),
    ];
    for (text, code, close) in rows {
        let mut client = house.connect().await;
        client.say(&text).await;
        assert_eq!(client.refused().await.0, code, "{text}");
        assert_eq!(client.close_code().await, close, "{text}");
    }
    house.close().await;
}

#[tokio::test]
async fn pings_that_are_not_answered_end_the_connection_and_answered_ones_do_not() {
    let house = House::open(with_pings(Duration::from_millis(100))).await;
    let (mut silent, ..) = house.guest("ana").await;
    assert_eq!(silent.close_code().await, 4002);
    house.close().await;

    // On a busy machine, a client may be slow to answer.
    let house = House::open(with_pings(TIMEOUT)).await;
    let (mut lively, ..) = house.guest("bo").await;
    for _ in 0..8 {
        let ServerToClient::Ping { id, .. } = lively.hear().await else { panic!("a ping was expected") };
        lively.tell(&ClientToServer::Pong { id }).await;
    }
    house.close().await;
}

#[tokio::test]
async fn a_flooding_connection_is_closed_and_can_reconnect() {
    let mut settings = settings();
    settings.limits.messages_per_window = 20;
    let house = House::open(settings).await;
    let (mut client, _, token) = house.guest("ana").await;
    for _ in 0..30 {
        client.say(MY_GAMES).await;
    }
    assert_eq!(client.refused().await.0, "too_many");
    assert_eq!(client.close_code().await, 4003);
    house.again(&token).await;
    house.close().await;
}

#[tokio::test]
async fn a_slow_reader_is_closed_while_others_go_on() {
    // The grace period lets the client read the reason for the close.
    let mut settings = settings();
    settings.times.close_grace = TIMEOUT;
    let house = House::open(settings).await;
    let (mut slow, slow_player, _) = house.guest("slow").await;
    let (mut quick, ..) = house.guest("quick").await;
    let game = flagfall_board::GameId::from_random([0; 12]);
    let long =
        ServerToClient::GameUnavailable { game, code: None, message: "x".repeat(50_000), request: None };
    let payload = Payload::new(&long);
    for _ in 0..400 {
        house.connections.notify(&slow_player.id, &payload);
    }
    quick.say(MY_GAMES).await;
    assert_eq!(quick.next().await, ServerToClient::MyGames { games: Vec::new() });
    assert_eq!(slow.close_code().await, 4001);
    drop((slow, quick));
    house.close().await;
}

#[tokio::test]
async fn beyond_the_limit_of_connections_a_players_oldest_goes() {
    let mut settings = settings();
    settings.limits.connections_per_player = 2;
    let house = House::open(settings).await;
    let (mut first, _, token) = house.guest("ana").await;
    let mut second = house.again(&token).await;
    let mut third = house.again(&token).await;
    assert_eq!(first.close_code().await, 4105);
    for client in [&mut second, &mut third] {
        client.say(MY_GAMES).await;
        assert_eq!(client.next().await, ServerToClient::MyGames { games: Vec::new() });
    }
    house.close().await;
}

#[tokio::test]
async fn pages_of_foreign_origins_are_turned_away() {
    let mut settings = settings();
    settings.allowed_origins.push("https://play.example.org".parse().unwrap());
    let house = House::open(settings).await;
    for (origin, is_allowed) in [
        ("https://evil.example".to_owned(), false),
        ("null".to_owned(), false),
        ("https://play.example.org".to_owned(), true),
        (format!("http://{}", house.address), true),
    ] {
        let mut request = format!("ws://{}/ws", house.address).into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        match in_time("the upgrade", tokio_tungstenite::connect_async(request)).await {
            Ok(_) => assert!(is_allowed, "{origin}"),
            Err(Error::Http(response)) => {
                assert_eq!((response.status().as_u16(), is_allowed), (403, false), "{origin}");
            }
            Err(other) => panic!("{origin}: {other}"),
        }
    }
    house.close().await;
}

#[tokio::test]
async fn half_a_request_and_no_request_are_not_waited_for() {
    let house = House::open(impatient()).await;
    for sent in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        // The server must close the connection, whether or not it sends an answer.
        in_time("the close", stream.read_to_end(&mut rest)).await.unwrap();
    }
    house.close().await;
}

#[tokio::test]
async fn a_full_server_says_so() {
    let mut settings = settings();
    settings.limits.connections_max = Some(1);
    let house = House::open(settings).await;
    let (mut client, ..) = house.guest("ana").await;
    let request = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    let answer = http_from([127, 0, 0, 2], house.address, request).await;
    assert_eq!(answer.status, 503);
    assert!(answer.head.contains(&format!("content-length: {}", answer.body.len())), "{}", answer.head);
    assert_eq!(answer.json()["code"], "too_many");
    client.say(MY_GAMES).await;
    assert_eq!(client.next().await, ServerToClient::MyGames { games: Vec::new() });
    house.close().await;
}

#[tokio::test]
async fn a_welcome_has_the_time_until_a_claim_and_the_address_of_the_page() {
    let mut settings = settings();
    settings.times.claim = Duration::from_secs(7);
    settings.public_url = Some("https://play.example.org".parse().unwrap());
    let house = House::open(settings).await;
    let mut client = house.connect().await;
    client.say(r#"{"type":"hello","protocol":1,"name":"ana"}"#).await;
    let welcome = client.next().await;
    let ServerToClient::Welcome { claim_seconds, page_url, .. } = welcome else { panic!("{welcome:?}") };
    assert_eq!((claim_seconds, page_url.as_deref()), (Some(7), Some("https://play.example.org")));
    house.close().await;
}

#[tokio::test]
async fn a_stopping_server_asks_clients_to_reconnect() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let mut nobody_yet = house.connect().await;
    let (code, other_code, ()) = tokio::join!(ana.close_code(), nobody_yet.close_code(), house.close());
    assert_eq!((code, other_code), (4000, 4000));
}

#[tokio::test]
async fn the_lobby_sends_changes_of_what_a_filter_selects_and_refuses_unknown_rulesets() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let open = |ruleset: &str| ClientToServer::OpenLobby {
        changes: true,
        filter: LobbyFilter { ruleset: Some(ruleset.to_owned()), ..LobbyFilter::default() },
    };
    bo.tell(&open("hexagonal")).await;
    assert_eq!(bo.refused().await.0, "no_such_ruleset");
    bo.tell(&open("barrage")).await;
    let lobby = |message| match message {
        ServerToClient::Lobby { number, .. } => number,
        _ => None,
    };
    let first = bo.find(lobby).await;
    for (number, ruleset) in ["classic", "barrage"].iter().enumerate() {
        let cmd_id = format!("seek-{number}").parse().unwrap();
        let terms = Terms { ruleset: (*ruleset).to_owned(), ..terms() };
        ana.tell(&ClientToServer::Seek { cmd_id, terms, side: None, rating: None }).await;
    }
    let changed = |message| match message {
        ServerToClient::LobbyChanged { number, change, .. } if !change.added.is_empty() => {
            Some((number, change))
        }
        _ => None,
    };
    let (number, change) = bo.find(changed).await;
    assert!(number > first);
    let added: Vec<&str> =
        change.added.iter().flat_map(|added| &added.terms).map(|terms| &*terms.ruleset).collect();
    assert_eq!(added, ["barrage"]);
    house.close().await;
}

#[tokio::test]
async fn two_guests_find_each_other_in_the_lobby_and_a_repeated_command_changes_nothing() {
    let house = House::open(settings()).await;
    let (mut ana, ana_player, _) = house.guest("ana").await;
    let (mut bo, _, bo_token) = house.guest("bo").await;
    bo.tell(&ClientToServer::OPEN_LOBBY).await;
    let cmd_id = || "00000000-0000-7000-8000-000000000000".parse().unwrap();
    ana.tell(&ClientToServer::Seek { cmd_id: cmd_id(), terms: terms(), side: None, rating: None }).await;
    let seek = bo
        .find(|message| match message {
            ServerToClient::Lobby { seeks, .. } => seeks.into_iter().next(),
            _ => None,
        })
        .await;
    assert_eq!(seek.seeker, ana_player);
    let accept = ClientToServer::AcceptSeek { cmd_id: cmd_id(), seek: seek.id, secret: false };
    bo.tell(&accept).await;
    let accepted = |message| match message {
        ServerToClient::Accepted { outcome: Accepted::Started { game, side }, .. } => Some((game, side)),
        _ => None,
    };
    let first = bo.find(accepted).await;
    let started = ana
        .find(|message| match message {
            ServerToClient::GameStarted { game, side } => Some((game.id, side.opponent())),
            _ => None,
        })
        .await;
    assert_eq!(started, first);

    drop(bo);
    let mut bo = house.again(&bo_token).await;
    bo.tell(&accept).await;
    assert_eq!(bo.find(accepted).await, first);
    bo.say(MY_GAMES).await;
    let games = bo
        .find(|message| match message {
            ServerToClient::MyGames { games } => Some(games),
            _ => None,
        })
        .await;
    assert_eq!(games.len(), 1);
    house.close().await;
}

#[tokio::test]
async fn a_dropped_player_is_shown_as_reconnecting_and_then_as_connected() {
    let house = House::open(settings()).await;
    let (mut ana, _, ana_token) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let cmd_id = || "1".parse().unwrap();
    ana.tell(&ClientToServer::Challenge { cmd_id: cmd_id(), terms: terms(), side: None }).await;
    let challenge = ana
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Challenge { challenge, .. }, .. } => {
                Some(challenge)
            }
            _ => None,
        })
        .await;
    bo.tell(&ClientToServer::AcceptChallenge { cmd_id: cmd_id(), challenge, secret: false }).await;
    let (game, bo_side) = bo
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Started { game, side }, .. } => Some((game, side)),
            _ => None,
        })
        .await;
    let open = ClientToServer::OpenGame { game, since: None };
    let opened = |message| matches!(message, ServerToClient::Game { .. }).then_some(());
    ana.tell(&open).await;
    ana.find(opened).await;
    bo.tell(&open).await;
    bo.find(opened).await;
    let ana_is = |wanted: Presence| {
        move |message| match message {
            ServerToClient::Presence { side, presence, .. } if side != bo_side && presence == wanted => {
                Some(())
            }
            _ => None,
        }
    };
    drop(ana);
    bo.find(ana_is(Presence::Reconnecting)).await;
    let mut ana = house.again(&ana_token).await;
    ana.tell(&open).await;
    bo.find(ana_is(Presence::Present)).await;
    house.close().await;
}

#[tokio::test]
async fn an_open_game_shows_in_pings_and_refusals_repeat_no_deployment() {
    let mut settings = settings();
    settings.times.ping = Duration::from_millis(50);
    settings.times.pong = TIMEOUT;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    let cmd_id = |id: &str| id.parse().unwrap();
    ana.tell(&ClientToServer::PlayBot {
        cmd_id: cmd_id("1"),
        bot: "random".to_owned(),
        terms: terms(),
        side: None,
    })
    .await;
    let game = ana
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
            _ => None,
        })
        .await;
    ana.tell(&ClientToServer::OpenGame { game, since: None }).await;
    let (side, presence) = ana
        .find(|message| match message {
            ServerToClient::Game { audience, presence, .. } => Some((audience.side(), presence)),
            _ => None,
        })
        .await;
    assert_eq!(presence[side.unwrap()], Presence::Present);
    let setup = "QQMARSHALHEREQQ".to_owned();
    ana.tell(&ClientToServer::Command {
        cmd_id: cmd_id("2"),
        game,
        ply: 0,
        epoch: None,
        command: GameCommand::Deploy { setup: setup.clone() },
    })
    .await;
    let (_, said) = ana.refused().await;
    assert!(!said.contains(&setup), "{said}");
    loop {
        if let ServerToClient::Ping { heads, .. } = ana.hear().await
            && !heads.is_empty()
        {
            assert_eq!(heads[0].game, game);
            break;
        }
    }
    house.close().await;
}

#[tokio::test]
async fn pings_continue_while_the_store_hangs() {
    let house = House::open(with_pings(Duration::from_millis(100))).await;
    let held = house.store.hold_appends().await;
    let mut ana = house.connect().await;
    let play = ClientToServer::PlayBot {
        cmd_id: "1".parse().unwrap(),
        bot: "random".to_owned(),
        terms: terms(),
        side: None,
    };
    // Send both messages at once. So the server takes the second one as soon as it has welcomed the
    // client, no matter how busy the machine is.
    let hello = r#"{"type":"hello","protocol":1,"name":"ana"}"#.to_owned();
    for text in [hello, serde_json::to_string(&play).unwrap()] {
        ana.socket.feed(Message::Text(text.into())).await.unwrap();
    }
    ana.socket.flush().await.unwrap();
    assert!(matches!(ana.hear().await, ServerToClient::Welcome { .. }));
    // Wait for eight pings without answering them. Eight pings take longer than the time after
    // which a silent connection counts as dead.
    for _ in 0..8 {
        assert!(matches!(ana.hear().await, ServerToClient::Ping { .. }));
    }
    drop(held);
    ana.find(|message| matches!(message, ServerToClient::Accepted { .. }).then_some(())).await;
    house.close().await;
}

#[tokio::test]
async fn a_connection_has_only_so_many_games_open() {
    let mut settings = settings();
    settings.limits.open_games_per_connection = 1;
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    let mut games = Vec::new();
    for id in ["1", "2"] {
        ana.tell(&ClientToServer::PlayBot {
            cmd_id: id.parse().unwrap(),
            bot: "random".to_owned(),
            terms: terms(),
            side: None,
        })
        .await;
        let game = ana
            .find(|message| match message {
                ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
                _ => None,
            })
            .await;
        games.push(game);
    }
    let opened = |message| matches!(message, ServerToClient::Game { .. }).then_some(());
    ana.tell(&ClientToServer::OpenGame { game: games[0], since: None }).await;
    ana.find(opened).await;
    ana.tell(&ClientToServer::OpenGame { game: games[1], since: None }).await;
    assert_eq!(ana.refused().await.0, "too_many");
    ana.tell(&ClientToServer::CloseGame { game: games[0] }).await;
    ana.tell(&ClientToServer::OpenGame { game: games[1], since: None }).await;
    ana.find(opened).await;
    house.close().await;
}

#[tokio::test]
async fn games_that_are_not_there_and_challenges_that_are_none_are_refused() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let game = flagfall_board::GameId::from_random([7; 12]);
    let cmd_id = || "1".parse().unwrap();
    let rows = [
        (ClientToServer::OpenGame { game, since: None }, "no_such_game"),
        (ClientToServer::Rematch { cmd_id: cmd_id(), game }, "no_such_game"),
        (
            ClientToServer::Command {
                cmd_id: cmd_id(),
                game,
                ply: 0,
                epoch: None,
                command: GameCommand::Resign {},
            },
            "no_such_game",
        ),
        (ClientToServer::ShowChallenge { challenge: "nothing".to_owned() }, "no_such_challenge"),
        (
            ClientToServer::AcceptSeek { cmd_id: cmd_id(), seek: "nothing".to_owned(), secret: false },
            "no_such_seek",
        ),
    ];
    for (message, code) in rows {
        ana.tell(&message).await;
        assert_eq!(ana.refused().await.0, code, "{message:?}");
    }
    // It is not an error to close a game or lobby that is not open.
    ana.tell(&ClientToServer::CloseGame { game }).await;
    ana.tell(&ClientToServer::CloseLobby {}).await;
    ana.say(MY_GAMES).await;
    assert_eq!(ana.next().await, ServerToClient::MyGames { games: Vec::new() });
    house.close().await;
}

#[tokio::test]
async fn metrics_are_served_apart_and_the_game_listener_has_none() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    ana.say("nonsense").await;
    ana.refused().await;
    assert_eq!(house.get("/metrics").await.status, 404);
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", house.metrics);
    let answer = http(house.metrics, &request).await;
    assert_eq!(answer.status, 200);
    for line in [
        "# TYPE flagfall_connections gauge",
        "flagfall_connections{kind=\"identified\"}",
        "flagfall_messages_in_total{type=\"hello\"}",
        "flagfall_messages_out_total{type=\"welcome\"}",
        "flagfall_refusals_total{code=\"malformed\"}",
    ] {
        assert!(answer.body.contains(line), "{line} is missing in\n{}", answer.body);
    }
    house.close().await;
}
