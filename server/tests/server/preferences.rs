//! Tests of the preferences that accounts keep for their clients.

use flagfall_store::{Key, Store};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::common::{Answer, House, settings};

const PATH: &str = "/api/me/preferences";
const PASSWORD: &str = "correct horse battery";

async fn account(house: &House, name: &str) -> String {
    let body = json!({ "name": name, "password": PASSWORD }).to_string();
    house.ask("POST", "/api/account", "", &body).await.json()["token"].as_str().unwrap().to_owned()
}

async fn change(house: &House, token: &str, changes: Value) -> Answer {
    house.ask("PATCH", PATH, token, &json!({ "preferences": changes }).to_string()).await
}

async fn kept(house: &House, token: &str) -> Value {
    house.ask("GET", PATH, token, "").await.json()["preferences"].clone()
}

#[tokio::test]
async fn preferences_are_kept_changed_by_name_and_gone_with_their_account() {
    let house = House::open(settings()).await;
    let (ann, eve) = (account(&house, "ann").await, account(&house, "eve").await);
    assert_eq!(kept(&house, &ann).await, json!({}));
    change(&house, &ann, json!({ "theme": "dark", "board": "green" })).await;
    let changed = change(&house, &ann, json!({ "board": null, "motion": "none", "sound": null })).await;
    let expected = json!({ "theme": "dark", "motion": "none" });
    assert_eq!((changed.status, &changed.json()["preferences"]), (200, &expected));
    assert_eq!((kept(&house, &ann).await, kept(&house, &eve).await), (expected.clone(), json!({})));
    assert_eq!(house.ask("GET", "/api/account", &ann, "").await.json()["preferences"], expected);
    let confirmation = json!({ "password": PASSWORD }).to_string();
    assert_eq!(house.ask("DELETE", "/api/account", &ann, &confirmation).await.status, 204);
    let left = Store::scan(&house.store, Key::new("preferences/").unwrap(), None, 9).await;
    assert!(left.unwrap().is_empty(), "nothing is kept of a deleted account");
}

#[tokio::test]
async fn devices_that_change_preferences_at_once_lose_nothing() {
    let house = House::open(settings()).await;
    let ann = account(&house, "ann").await;
    let changes = (0..8).map(|device| change(&house, &ann, json!({ format!("device_{device}"): "x" })));
    for answer in join_all(changes).await {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(kept(&house, &ann).await.as_object().unwrap().len(), 8);
}

#[tokio::test]
async fn wrong_preferences_and_guests_are_refused() {
    let house = House::open(settings()).await;
    let ann = account(&house, "ann").await;
    let (_, _, guest) = house.guest("bob").await;
    let before = json!({ "theme": "dark" });
    change(&house, &ann, before.clone()).await;
    let many: serde_json::Map<String, Value> =
        (0..32).map(|number| (format!("n{number}"), json!(""))).collect();
    for (token, changes, status, code) in [
        (&ann, json!({ "Theme": "dark" }), 400, "bad_preferences"),
        (&ann, json!({ "board": "green", "theme": "x".repeat(65) }), 400, "bad_preferences"),
        (&ann, json!(many), 400, "bad_preferences"),
        (&ann, json!({ "theme": 3 }), 400, "malformed"),
        (&guest, json!({ "theme": "dark" }), 403, "account_expected"),
    ] {
        let refused = change(&house, token, changes).await;
        assert_eq!((refused.status, refused.json()["code"].as_str().unwrap()), (status, code));
    }
    assert_eq!(kept(&house, &ann).await, before, "a refusal changes nothing");
    assert_eq!(house.ask("GET", PATH, &guest, "").await.json()["code"], "account_expected");
    assert_eq!(house.ask("GET", PATH, "", "").await.status, 401);
}
