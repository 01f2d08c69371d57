//! Tests of the HTTP interface over the network.

use crate::common::{House, http, settings};
use flagfall_protocol::{
    Accepted, ClientToServer, GameRecord, RecordKind, RecordScope, ServerToClient, Terms, Time,
};
use flagfall_store_testing::WriteFault;

async fn game_of_a_guest(house: &House, is_private: bool) -> (String, String) {
    let (mut ana, _, token) = house.guest("ana").await;
    ana.tell(&ClientToServer::PlayBot {
        cmd_id: "1".parse().unwrap(),
        bot: "random".to_owned(),
        terms: Terms {
            ruleset: "classic".to_owned(),
            time: Time::Unlimited {},
            private: is_private,
            secret: false,
            rated: false,
        },
        side: Some(flagfall_board::Side::Red),
    })
    .await;
    let game = ana
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
            _ => None,
        })
        .await;
    (game.to_string(), token)
}

async fn get_as(house: &House, path: &str, authorization: &str) -> crate::common::Answer {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {authorization}\r\nConnection: close\r\n\r\n",
        house.address
    );
    http(house.address, &request).await
}

#[tokio::test]
async fn health_is_good_while_the_store_reads_and_writes() {
    let house = House::open(settings()).await;
    let healthy = house.get("/health").await;
    assert_eq!((healthy.status, healthy.json()["status"].as_str()), (200, Some("ok")));
    house.store.fail_next(WriteFault::Unavailable);
    let failing = house.get("/health").await;
    assert_eq!((failing.status, failing.json()["status"].as_str()), (503, Some("failing")));
    assert_eq!(house.get("/health").await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn health_names_a_part_of_the_store_that_is_away_and_checks_another_one() {
    let house = House::open(settings()).await;
    house.store.take_away(&["health/probe"]);
    let health = house.get("/health").await;
    assert_eq!((health.status, health.json()["status"].as_str()), (200, Some("ok")), "{}", health.body);
    assert!(health.json()["problem"].as_str().unwrap().contains("stand still"), "{}", health.body);
    house.store.take_away(&[]);
    assert!(house.get("/health").await.json().get("problem").is_none());
    house.close().await;
}

#[tokio::test]
async fn readiness_does_not_depend_on_the_store() {
    let house = House::open(settings()).await;
    for is_available in [true, false, true] {
        // Repeat the request, because the server's own heartbeat may change the state in the
        // meantime.
        loop {
            house.connections.note_store(is_available);
            let ready = house.get("/ready").await;
            assert_eq!((ready.status, ready.json()["status"].as_str()), (200, Some("ok")));
            if ready.json()["store_available"] == is_available {
                break;
            }
        }
    }
    house.close().await;
}

#[tokio::test]
async fn schemas_are_served_and_sent_again_only_when_they_changed() {
    let house = House::open(settings()).await;
    let list = house.get("/api/schema").await.json();
    let mut paths: Vec<&str> =
        list["schemas"].as_array().unwrap().iter().map(|schema| schema["path"].as_str().unwrap()).collect();
    assert_eq!(paths.len(), flagfall_protocol::SCHEMAS.len());
    paths.push("/api/openapi.json");
    for path in paths {
        let answer = house.get(path).await;
        assert!(answer.status == 200 && answer.json().is_object(), "{path}");
        // The head is lowercase, because the test's client converts it.
        let tag = answer.head.lines().find_map(|line| line.strip_prefix("etag: w/")).unwrap().trim();
        let ask = async |tags: &str| {
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: {}\r\nIf-None-Match: {tags}\r\nConnection: close\r\n\r\n",
                house.address
            );
            http(house.address, &request).await
        };
        let unchanged = ask(&format!("\"another\", W/{tag}")).await;
        assert_eq!((unchanged.status, unchanged.body.as_str()), (304, ""), "{path}");
        assert_eq!(ask("\"another\"").await.status, 200, "{path}");
    }
    assert_eq!(house.get("/api/schema/secrets").await.status, 404);
    house.close().await;
}

#[tokio::test]
async fn unknown_paths_and_methods_get_json() {
    let house = House::open(settings()).await;
    for path in
        ["/api", "/api/", "/api/games/000000000000/nothing", "/ws/nothing", "/assets", "/assets/%ff/x"]
    {
        let answer = house.get(path).await;
        assert_eq!((answer.status, answer.json()["code"].as_str()), (404, Some("no_such_path")), "{path}");
    }
    let request = format!(
        "POST /api/games HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}",
        house.address
    );
    let answer = http(house.address, &request).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (405, Some("method_not_allowed")));
    let answer = house.get("/ws").await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (426, Some("upgrade_expected")));
    house.close().await;
}

#[tokio::test]
async fn a_malformed_request_is_a_400_and_a_long_head_is_not_read() {
    let house = House::open(settings()).await;
    assert_eq!(http(house.address, "NONSENSE\r\n\r\n").await.status, 400);
    let long = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "x".repeat(64 * 1024));
    assert_eq!(http(house.address, &long).await.status, 431);
    house.close().await;
}

#[tokio::test]
async fn rulesets_and_the_page_are_there_for_everybody() {
    let house = House::open(settings()).await;
    let rulesets = house.get("/api/rulesets").await.json();
    assert_eq!(rulesets["rulesets"][0]["id"], "classic");
    assert_eq!(rulesets["rulesets"][0]["army"]["B"], 6);
    let all = rulesets["rulesets"].as_array().unwrap().iter().map(|ruleset| &ruleset["id"]);
    let all: Vec<_> = all.cloned().collect();
    let houses = rulesets["house_players"].as_array().unwrap();
    assert_eq!(houses.iter().map(|house| &house["level"]).collect::<Vec<_>>(), ["random", "simple", "good"]);
    assert!(houses.iter().all(|house| house["rulesets"] == serde_json::Value::from(all.clone())));
    let page = house.get("/").await;
    assert_eq!(page.status, 200);
    assert!(page.head.contains("text/html") && page.body.contains("flagfall play"));
    house.close().await;
}

#[tokio::test]
async fn deployments_are_suggested_for_rulesets_that_have_them() {
    let house = House::open(settings()).await;
    let path = "/api/rulesets/barrage/deployments/suggested";
    let drawn = house.get(&format!("{path}?seed=7")).await;
    assert!(drawn.head.contains("cache-control: no-store"));
    let setups = drawn.json()["setups"].as_array().unwrap().clone();
    assert!(setups.len() == 3 && setups.iter().all(|setup| setup.as_str().unwrap().len() == 40));
    assert_eq!(house.get(&format!("{path}?seed=7")).await.json(), drawn.json());
    assert_ne!(house.get(path).await.json(), drawn.json());
    for query in ["seed=-1", "seed=x", "sead=7"] {
        assert_eq!(house.get(&format!("{path}?{query}")).await.refusal().0, 400, "{query}");
    }
    for ruleset in ["quantum", "chess", "classic,ties=attacker"] {
        let answer = house.get(&format!("/api/rulesets/{ruleset}/deployments/suggested")).await;
        let (status, refusal) = answer.refusal();
        assert_eq!((status, &refusal["code"]), (404, &"no_such_ruleset".into()), "{ruleset}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_public_game_shows_each_requester_their_view() {
    let house = House::open(settings()).await;
    let (game, token) = game_of_a_guest(&house, false).await;
    let listed = house.get("/api/games").await.json();
    assert_eq!(listed["games"][0]["id"], game.as_str());
    let path = format!("/api/games/{game}");
    assert_eq!(house.get(&path).await.json()["audience"], "public");
    let own = get_as(&house, &path, &format!("Bearer {token}")).await;
    assert_eq!(own.json()["audience"], "red");
    assert!(own.head.contains("cache-control: no-store"));
    house.close().await;
}

#[tokio::test]
async fn a_private_game_is_visible_to_its_players_only() {
    let house = House::open(settings()).await;
    let (game, token) = game_of_a_guest(&house, true).await;
    assert!(house.get("/api/games").await.json()["games"].as_array().unwrap().is_empty());
    for path in [format!("/api/games/{game}"), format!("/api/games/{game}/record")] {
        let hidden = house.get(&path).await;
        let missing = house.get(&path.replace(&game, "000000000000")).await;
        assert_eq!((hidden.status, hidden.refusal()), (404, missing.refusal()), "{path}");
        assert_eq!(get_as(&house, &path, &format!("bearer {token}")).await.status, 200, "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_wrong_credential_is_an_error_and_not_a_public_request() {
    let house = House::open(settings()).await;
    let (game, token) = game_of_a_guest(&house, false).await;
    for authorization in ["Bearer x", "Bearer", "", &"Bearer 0".repeat(9), &format!("Basic {token}"), &token]
    {
        let answer = get_as(&house, &format!("/api/games/{game}"), authorization).await;
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (401, Some("bad_token")),
            "{authorization}"
        );
    }
    house.close().await;
}

#[tokio::test]
async fn records_come_as_json_and_as_text() {
    let house = House::open(settings()).await;
    let (game, _) = game_of_a_guest(&house, false).await;
    let path = format!("/api/games/{game}/record");
    let record: GameRecord = serde_json::from_value(house.get(&path).await.json()).unwrap();
    assert_eq!(record.game.to_string(), game);
    let text = house.get(&format!("{path}?format=text")).await;
    assert!(text.head.contains("text/plain") && text.body.contains(&game), "{}\n{}", text.head, text.body);
    assert_eq!(house.get(&format!("{path}.txt")).await.body, text.body);
    for query in ["format=pdf", "as=green", "as=all&as=red"] {
        let wrong = house.get(&format!("{path}?{query}")).await;
        assert_eq!((wrong.status, wrong.json()["code"].as_str()), (400, Some("bad_query")), "{query}");
    }
    house.close().await;
}

#[tokio::test]
async fn the_record_of_the_other_side_is_refused_during_a_game() {
    let house = House::open(settings()).await;
    let (game, token) = game_of_a_guest(&house, false).await;
    let path = format!("/api/games/{game}/record");
    let bearer = format!("bearer {token}");
    let own: GameRecord = serde_json::from_value(get_as(&house, &path, &bearer).await.json()).unwrap();
    let own_side = own.audience.side().expect("the guest has a seat");
    assert_eq!(own.kind, Some(RecordKind::Live));
    assert_eq!(flagfall_tests::views(&own).count(), own.events.len() + 1);
    for scope in RecordScope::ALL {
        let path = format!("{path}?as={}", scope.name());
        let is_own = scope.name() == own_side.name();
        for (answer, is_allowed) in
            [(house.get(&path).await, false), (get_as(&house, &path, &bearer).await, is_own)]
        {
            if is_allowed || scope == RecordScope::Public {
                let record: GameRecord = serde_json::from_value(answer.json()).unwrap();
                assert_eq!(serde_json::to_value(record.audience).unwrap(), scope.name());
            } else {
                let code = answer.json()["code"].as_str().map(str::to_owned);
                assert_eq!((answer.status, code.as_deref()), (403, Some("record_not_opened")), "{path}");
            }
        }
    }
    house.close().await;
}
