//! Tests of accounts over the network: names, passwords, tokens and recovery codes.

use crate::common::{Answer, House, settings};
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, ServerToClient, Terms, Time};
use flagfall_store::Store as _;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

fn sign_up(name: &str) -> String {
    json!({ "name": name, "password": PASSWORD }).to_string()
}

fn log_in(name: &str, password: &str) -> String {
    json!({ "name": name, "password": password }).to_string()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text is wanted: {value}")).to_owned()
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.json()["code"].as_str()), (status, Some(code)), "{}", answer.body);
}

/// Creates an account. Returns its token and recovery code.
async fn account(house: &House, name: &str) -> (String, String) {
    let made = house.ask("POST", "/api/account", "", &sign_up(name)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    (text(&made["token"]), text(&made["recovery_code"]))
}

#[tokio::test]
async fn sign_up_log_in_and_log_out() {
    let house = House::open(settings()).await;
    let (token, _) = account(&house, "Ana").await;
    let me = house.ask("GET", "/api/me", &token, "").await.json();
    assert_eq!((&me["player"]["name"], &me["player"]["kind"]), (&json!("Ana"), &json!("account")));
    let logged_in = house.ask("POST", "/api/login", "", &log_in("aNA", PASSWORD)).await;
    assert_eq!(logged_in.status, 200, "{}", logged_in.body);
    let second = text(&logged_in.json()["token"]);
    assert_ne!(second, token);
    assert_eq!(house.ask("POST", "/api/logout", &second, "").await.status, 204);
    assert_refused(&house.ask("GET", "/api/me", &second, "").await, 401, "bad_token");
    assert_eq!(house.ask("GET", "/api/me", &token, "").await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn signing_up_keeps_a_guests_games_and_token() {
    let house = House::open(settings()).await;
    let (mut ana, before, token) = house.guest("ana").await;
    let game = play_bot(&mut ana).await;
    let made = house.ask("POST", "/api/account", &token, &sign_up("Annabella")).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    assert_eq!((&made["player"]["id"], &made["player"]["kind"]), (&json!(before.id), &json!("account")));
    assert!(made.get("token").is_none());
    let own = house.ask("GET", &format!("/api/games/{game}"), &token, "").await.json();
    assert_eq!(own["audience"], "red");
    // Another account may take the guest's former name, but not the name of the new account.
    account(&house, "ana").await;
    assert_refused(&house.ask("POST", "/api/account", "", &sign_up("annaBELLA")).await, 409, "name_taken");
    assert_refused(
        &house.ask("POST", "/api/account", &token, &sign_up("other")).await,
        409,
        "already_account",
    );
    house.close().await;
}

#[tokio::test]
async fn refused_sign_ups_name_the_reason() {
    let house = House::open(settings()).await;
    for (body, status, code) in [
        (sign_up("a b"), 400, "bad_name"),
        (sign_up("admin"), 409, "name_taken"),
        (json!({ "name": "ana", "password": "short" }).to_string(), 400, "bad_password"),
        (json!({ "name": "annabella", "password": "Annabella1" }).to_string(), 400, "bad_password"),
        (json!({ "name": "ana" }).to_string(), 400, "malformed"),
        (json!({ "name": "ana", "password": PASSWORD, "admin": true }).to_string(), 400, "malformed"),
        ("nonsense".to_owned(), 400, "malformed"),
        (format!("{{\"name\":\"{}\"}}", "x".repeat(9_000)), 413, "body_too_large"),
    ] {
        let refused = house.ask("POST", "/api/account", "", &body).await;
        assert_refused(&refused, status, code);
        assert!(!refused.body.contains("Annabella1") && !refused.body.contains(PASSWORD), "{}", refused.body);
    }
    house.close().await;
}

#[tokio::test]
async fn answers_do_not_reveal_whether_a_name_exists() {
    let house = House::open(settings()).await;
    account(&house, "ana").await;
    let (_socket, guest, _) = house.guest("guy").await;
    let of_login = |name: &str| log_in(name, "wrong password");
    let of_recovery =
        |name: &str| json!({ "name": name, "recovery_code": "0000", "password": PASSWORD }).to_string();
    let known = house.ask("POST", "/api/login", "", &of_login("ana")).await;
    assert_refused(&known, 403, "wrong_password");
    let known_recovery = house.ask("POST", "/api/recover", "", &of_recovery("ana")).await;
    assert_refused(&known_recovery, 403, "wrong_recovery_code");
    for name in ["nobody", &guest.name, "no name", "", "random"] {
        let unknown = house.ask("POST", "/api/login", "", &of_login(name)).await;
        assert_eq!(unknown.refusal(), known.refusal(), "{name}");
        let unknown = house.ask("POST", "/api/recover", "", &of_recovery(name)).await;
        assert_eq!(unknown.refusal(), known_recovery.refusal(), "{name}");
    }
    house.close().await;
}

#[tokio::test]
async fn password_guesses_are_limited_for_known_and_unknown_names() {
    let mut settings = settings();
    settings.limits.attempts_per_name = 3;
    let house = House::open(settings).await;
    account(&house, "ana").await;
    for name in ["ana", "nobody"] {
        for _ in 0..3 {
            assert_refused(
                &house.ask("POST", "/api/login", "", &log_in(name, "wrong one")).await,
                403,
                "wrong_password",
            );
        }
        // After too many wrong passwords, even the right one is refused for a while.
        let limited = house.ask("POST", "/api/login", "", &log_in(name, PASSWORD)).await;
        assert_refused(&limited, 429, "too_many_attempts");
        assert!(limited.head.contains("retry-after: 300"), "{}", limited.head);
        let code = json!({ "name": name, "recovery_code": "0", "password": PASSWORD }).to_string();
        // The limit does not apply to recovery codes, which have too many bits to be guessed.
        assert_refused(&house.ask("POST", "/api/recover", "", &code).await, 403, "wrong_recovery_code");
    }
    house.close().await;
}

#[tokio::test]
async fn all_logins_count_for_the_address_and_only_wrong_ones_for_the_name() {
    let mut settings = settings();
    (settings.limits.attempts_per_name, settings.limits.attempts_per_address) = (2, 8);
    let house = House::open(settings).await;
    account(&house, "ana").await;
    for _ in 0..4 {
        assert_eq!(house.ask("POST", "/api/login", "", &log_in("ana", PASSWORD)).await.status, 200);
    }
    for name in ["bo", "cy", "di"] {
        assert_refused(
            &house.ask("POST", "/api/login", "", &log_in(name, PASSWORD)).await,
            403,
            "wrong_password",
        );
    }
    // The limit also covers right passwords, because hashing them takes as much work as hashing
    // wrong ones.
    assert_refused(
        &house.ask("POST", "/api/login", "", &log_in("ana", PASSWORD)).await,
        429,
        "too_many_attempts",
    );
    assert_refused(&house.ask("POST", "/api/account", "", &sign_up("bo")).await, 429, "too_many_attempts");
    house.close().await;
}

#[tokio::test]
async fn a_lost_password_is_replaced_by_the_recovery_code_once() {
    let house = House::open(settings()).await;
    let (token, code) = account(&house, "ana").await;
    let mut socket = house.again(&token).await;
    let recover = |code: &str| {
        json!({ "name": "ana", "recovery_code": code, "password": "another password" }).to_string()
    };
    let recovered = house.ask("POST", "/api/recover", "", &recover(&code.to_uppercase())).await;
    assert_eq!(recovered.status, 200, "{}", recovered.body);
    let recovered = recovered.json();
    assert_eq!(socket.close_code().await, 4101);
    assert_refused(&house.ask("GET", "/api/me", &token, "").await, 401, "bad_token");
    assert_eq!(house.ask("GET", "/api/me", &text(&recovered["token"]), "").await.status, 200);
    assert_refused(&house.ask("POST", "/api/recover", "", &recover(&code)).await, 403, "wrong_recovery_code");
    assert_refused(
        &house.ask("POST", "/api/login", "", &log_in("ana", PASSWORD)).await,
        403,
        "wrong_password",
    );
    assert_eq!(house.ask("POST", "/api/login", "", &log_in("ana", "another password")).await.status, 200);
    let next = text(&recovered["recovery_code"]);
    assert_eq!(house.ask("POST", "/api/recover", "", &recover(&next)).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn tokens_are_made_listed_and_revoked_with_their_sockets() {
    let house = House::open(settings()).await;
    let (token, _) = account(&house, "ana").await;
    let made = house.ask("POST", "/api/tokens", &token, r#"{"name":"my phone"}"#).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    let (phone, id) = (text(&made["token"]), text(&made["info"]["id"]));
    let listed = house.ask("GET", "/api/tokens", &token, "").await;
    assert!(!listed.body.contains(&token) && !listed.body.contains(&phone), "{}", listed.body);
    let listed = listed.json();
    let names: Vec<_> = listed["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["current"] == true))
        .collect();
    assert_eq!(names, [("login", true), ("my phone", false)]);

    let mut on_phone = house.again(&phone).await;
    let mut at_desk = house.again(&token).await;
    assert_eq!(house.ask("DELETE", &format!("/api/tokens/{id}"), &token, "").await.status, 204);
    assert_eq!(on_phone.close_code().await, 4101);
    at_desk.tell(&ClientToServer::MyGames {}).await;
    at_desk.find(|message| matches!(message, ServerToClient::MyGames { .. }).then_some(())).await;
    let mut again = house.connect().await;
    again.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{phone}"}}"#)).await;
    assert_eq!(again.close_code().await, 4100);
    assert_refused(
        &house.ask("DELETE", &format!("/api/tokens/{id}"), &token, "").await,
        404,
        "no_such_token",
    );
    for (body, code) in [
        (r#"{"name":""}"#.to_owned(), "bad_token_terms"),
        (format!(r#"{{"name":"{}"}}"#, "x".repeat(41)), "bad_token_terms"),
        (r#"{"name":"program","scope":"bot"}"#.to_owned(), "bad_token_terms"),
        (r#"{"name":"program","scope":"root"}"#.to_owned(), "malformed"),
    ] {
        assert_refused(&house.ask("POST", "/api/tokens", &token, &body).await, 400, code);
    }
    house.close().await;
}

#[tokio::test]
async fn a_list_of_tokens_has_an_end_and_a_login_finds_room() {
    let mut settings = settings();
    settings.limits.tokens_per_player = 2;
    let house = House::open(settings).await;
    let (first, _) = account(&house, "ana").await;
    let second = text(&house.ask("POST", "/api/tokens", &first, r#"{"name":"two"}"#).await.json()["token"]);
    assert_refused(&house.ask("POST", "/api/tokens", &first, r#"{"name":"three"}"#).await, 409, "too_many");
    assert_eq!(house.ask("POST", "/api/login", "", &log_in("ana", PASSWORD)).await.status, 200);
    assert_refused(&house.ask("GET", "/api/me", &first, "").await, 401, "bad_token");
    assert_eq!(house.ask("GET", "/api/me", &second, "").await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn a_bots_token_plays_and_does_nothing_else() {
    let house = House::open(settings()).await;
    let body = json!({ "name": "robot", "password": PASSWORD, "bot": true }).to_string();
    let made = house.ask("POST", "/api/account", "", &body).await.json();
    assert_eq!(made["player"]["kind"], "bot");
    let owner = text(&made["token"]);
    let made = house.ask("POST", "/api/tokens", &owner, r#"{"name":"program","scope":"bot"}"#).await.json();
    let program = text(&made["token"]);
    let mut socket = house.again(&program).await;
    play_bot(&mut socket).await;
    assert_eq!(house.ask("GET", "/api/me", &program, "").await.json()["token"]["scope"], "bot");
    for (method, path, body) in [
        ("GET", "/api/tokens", ""),
        ("POST", "/api/tokens", r#"{"name":"more","scope":"bot"}"#),
        ("GET", "/api/me/preferences", ""),
        ("PATCH", "/api/me/preferences", r#"{"preferences":{"theme":"dark"}}"#),
        ("GET", "/api/account", ""),
        ("DELETE", "/api/account", r#"{"password":"x"}"#),
        ("POST", "/api/account/password", r#"{"password":"x","new_password":"y"}"#),
        ("POST", "/api/account/recovery_code", r#"{"password":"x"}"#),
    ] {
        assert_refused(&house.ask(method, path, &program, body).await, 403, "scope_missing");
    }
    assert_eq!(house.get("/api/players/Robot").await.json()["player"]["kind"], "bot");
    house.close().await;
}

#[tokio::test]
async fn a_new_password_ends_all_other_logins() {
    let house = House::open(settings()).await;
    let (token, code) = account(&house, "ana").await;
    let other = text(&house.ask("POST", "/api/login", "", &log_in("ana", PASSWORD)).await.json()["token"]);
    let change = |old: &str| json!({ "password": old, "new_password": "quite another one" }).to_string();
    let wrong = house.ask("POST", "/api/account/password", &token, &change("wrong one")).await;
    assert_refused(&wrong, 403, "wrong_password");
    assert_eq!(house.ask("POST", "/api/account/password", &token, &change(PASSWORD)).await.status, 204);
    assert_refused(&house.ask("GET", "/api/me", &other, "").await, 401, "bad_token");
    assert_eq!(house.ask("GET", "/api/me", &token, "").await.status, 200);
    let renew = json!({ "password": "quite another one" }).to_string();
    let renewed = house.ask("POST", "/api/account/recovery_code", &token, &renew).await.json();
    assert_ne!(text(&renewed["recovery_code"]), code);
    let old = json!({ "name": "ana", "recovery_code": code, "password": PASSWORD }).to_string();
    assert_refused(&house.ask("POST", "/api/recover", "", &old).await, 403, "wrong_recovery_code");
    house.close().await;
}

#[tokio::test]
async fn an_account_is_exported_without_a_secret_and_deleted_without_a_trace_of_its_name() {
    let house = House::open(settings()).await;
    let (token, code) = account(&house, "Annabella").await;
    let mut socket = house.again(&token).await;
    let game = play_bot(&mut socket).await;
    let export = house.ask("GET", "/api/account", &token, "").await;
    for secret in [token.as_str(), &code, "argon2", "hash"] {
        assert!(!export.body.contains(secret), "{secret}: {}", export.body);
    }
    assert_eq!(export.json()["games"], json!([game]));

    let confirm = json!({ "password": PASSWORD }).to_string();
    assert_refused(&house.ask("DELETE", "/api/account", &token, &confirm).await, 409, "games_running");
    socket
        .tell(&ClientToServer::Command {
            cmd_id: "2".parse().unwrap(),
            game: game.parse().unwrap(),
            ply: 0,
            epoch: None,
            command: GameCommand::Abort {},
        })
        .await;
    socket.find(|message| matches!(message, ServerToClient::Accepted { .. }).then_some(())).await;
    let wrong = json!({ "password": "wrong one" }).to_string();
    assert_refused(&house.ask("DELETE", "/api/account", &token, &wrong).await, 403, "wrong_password");
    let offer =
        ClientToServer::Seek { cmd_id: "3".parse().unwrap(), terms: terms(), side: None, rating: None };
    socket.tell(&offer).await;
    socket.find(|message| matches!(message, ServerToClient::Accepted { .. }).then_some(())).await;
    assert_eq!(house.ask("DELETE", "/api/account", &token, &confirm).await.status, 204);
    assert_eq!(socket.close_code().await, 4101);
    let log = house.store.read(game.parse().unwrap(), 0, 100).await.unwrap();
    let has_name = |body: &[u8]| body.windows(9).any(|part| part == b"Annabella");
    assert!(!log.is_empty() && !log.iter().any(|entry| has_name(entry.body.expose())));
    assert_refused(&house.ask("GET", "/api/account", &token, "").await, 401, "bad_token");
    assert_refused(&house.get("/api/players/annabella").await, 404, "no_such_player");
    assert_refused(
        &house.ask("POST", "/api/login", "", &log_in("Annabella", PASSWORD)).await,
        403,
        "wrong_password",
    );

    // Another server on the same store still has the game, but without the name.
    let other = House::open_on(house.store.clone(), settings()).await;
    let record = other.get(&format!("/api/games/{game}/record")).await;
    assert_eq!(record.status, 200);
    assert!(!record.body.contains("Annabella") && record.body.contains("deleted"), "{}", record.body);
    let mut bo = other.guest("bo").await.0;
    bo.tell(&ClientToServer::OPEN_LOBBY).await;
    let seeks = bo.find(|message| match message {
        ServerToClient::Lobby { seeks, .. } => Some(seeks),
        _ => None,
    });
    assert!(seeks.await.is_empty());
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn concurrent_sign_ups_give_a_name_once() {
    let house = House::open(settings()).await;
    let other = House::open_on(house.store.clone(), settings()).await;
    let body = sign_up("ana");
    // Both requests find the name free before either of them takes it.
    let held = house.store.hold_appends().await;
    let release = async {
        house.store.wait_for_held(2).await;
        drop(held);
    };
    let (one, two, ()) = tokio::join!(
        house.ask("POST", "/api/account", "", &body),
        other.ask("POST", "/api/account", "", &body),
        release
    );
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn tokens_made_on_two_servers_at_once_are_all_there() {
    let house = House::open(settings()).await;
    let other = House::open_on(house.store.clone(), settings()).await;
    let (token, _) = account(&house, "ana").await;
    let make = |house: &House, name: &str| {
        let body = json!({ "name": name }).to_string();
        let (address, token) = (house.address, token.clone());
        async move {
            let request = format!(
                "POST /api/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            crate::common::http(address, &request).await.status
        }
    };
    // All four requests read the same record before any of them writes to it.
    let held = house.store.hold_appends().await;
    let release = async {
        house.store.wait_for_held(4).await;
        drop(held);
    };
    let (a, b, c, d, ()) =
        tokio::join!(make(&house, "a"), make(&other, "b"), make(&house, "c"), make(&other, "d"), release);
    assert_eq!((a, b, c, d), (201, 201, 201, 201));
    let listed = house.ask("GET", "/api/tokens", &token, "").await.json();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 5);
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn private_data_requires_the_owners_token() {
    let house = House::open(settings()).await;
    let (_socket, _, guest) = house.guest("guy").await;
    for (method, path) in [
        ("GET", "/api/me"),
        ("GET", "/api/account"),
        ("GET", "/api/tokens"),
        ("DELETE", "/api/tokens/x"),
        ("POST", "/api/logout"),
    ] {
        assert_refused(&house.ask(method, path, "", "").await, 401, "bad_token");
        assert_refused(&house.ask(method, path, &"0".repeat(64), "").await, 401, "bad_token");
    }
    let confirm = json!({ "password": PASSWORD }).to_string();
    assert_refused(&house.ask("POST", "/api/logout", &guest, "").await, 403, "account_expected");
    assert_refused(&house.ask("DELETE", "/api/account", &guest, &confirm).await, 403, "account_expected");
    assert_refused(
        &house.ask("POST", "/api/tokens", &guest, r#"{"name":"x"}"#).await,
        403,
        "account_expected",
    );
    assert_eq!(house.ask("GET", "/api/account", &guest, "").await.json()["has_password"], false);
    let wrong_method = house.ask("PUT", "/api/tokens", &guest, "").await;
    assert_refused(&wrong_method, 405, "method_not_allowed");
    assert!(wrong_method.head.to_lowercase().contains("allow: get,head,post"), "{}", wrong_method.head);
    house.close().await;
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

/// Starts a game against a house player, as Red.
async fn play_bot(client: &mut crate::common::Client) -> String {
    client
        .tell(&ClientToServer::PlayBot {
            cmd_id: "1".parse().unwrap(),
            bot: "random".to_owned(),
            terms: terms(),
            side: Some(flagfall_board::Side::Red),
        })
        .await;
    let game = client.find(|message| match message {
        ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
        _ => None,
    });
    game.await.to_string()
}

#[tokio::test]
async fn a_known_device_can_log_in_despite_guesses_of_others() {
    let house = House::open(settings()).await;
    let (token, _) = account(&house, "ana").await;
    assert_eq!(house.ask("POST", "/api/logout", &token, "").await.status, 204);
    let wrong = json!({ "name": "ana", "password": "guess after guess" }).to_string();
    while house.ask("POST", "/api/login", "", &wrong).await.status == 403 {}
    assert_refused(
        &house.ask("POST", "/api/login", "", &log_in("ana", PASSWORD)).await,
        429,
        "too_many_attempts",
    );
    assert_eq!(house.ask("POST", "/api/login", &token, &log_in("ana", PASSWORD)).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn guesses_of_others_do_not_lock_an_owner_out_of_confirming() {
    let house = House::open(settings()).await;
    let (token, _) = account(&house, "ana").await;
    let wrong = json!({ "name": "ana", "password": "guess after guess" }).to_string();
    while house.ask("POST", "/api/login", "", &wrong).await.status == 403 {}
    assert_refused(&house.ask("POST", "/api/login", "", &wrong).await, 429, "too_many_attempts");
    let right = json!({ "password": PASSWORD }).to_string();
    assert_eq!(house.ask("POST", "/api/account/recovery_code", &token, &right).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn tokens_are_not_made_without_end_and_neither_are_requests() {
    let mut settings = settings();
    settings.admission.requests_per_minute = 40;
    let house = House::open(settings).await;
    let (token, _) = account(&house, "ana").await;
    let body = json!({ "name": "one more", "scope": "play" }).to_string();
    let mut made = 0;
    loop {
        let answer = house.ask("POST", "/api/tokens", &token, &body).await;
        if answer.status != 201 {
            assert_refused(&answer, 429, "too_many_attempts");
            break;
        }
        made += 1;
        let id = answer.json()["info"]["id"].as_str().unwrap().to_owned();
        assert_eq!(house.ask("DELETE", &format!("/api/tokens/{id}"), &token, "").await.status, 204);
    }
    assert_eq!(made, 10);
    while house.get("/api/rulesets").await.status == 200 {}
    assert_refused(&house.get("/api/rulesets").await, 429, "too_many");
    assert_eq!(house.get("/health").await.status, 200, "health checks are always answered");
    house.close().await;
}

#[tokio::test]
async fn open_connections_of_a_new_account_reconnect_as_the_account() {
    let house = House::open(settings()).await;
    let (mut socket, guest, token) = house.guest("ana").await;
    let body = json!({ "name": "Ana", "password": PASSWORD }).to_string();
    assert_eq!(house.ask("POST", "/api/account", &token, &body).await.status, 201);
    assert_eq!(socket.close_code().await, 4005);
    let mut socket = house.connect().await;
    socket.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
    let (player, ..) = socket.welcome().await;
    assert_eq!((player.id, player.kind), (guest.id, flagfall_protocol::PlayerKind::Account));
    house.close().await;
}
