//! Tests of operator actions: closing and reopening accounts.

use std::time::Duration;

use crate::common::{Client, House, settings};
use flagfall_base::transact::write;
use flagfall_protocol::{Accepted, ServerToClient};
use flagfall_services::operator::{Deed, Operator, OperatorError, acts};
use flagfall_services::players::ClosureError;
use flagfall_store::{Key, SystemClock, WallClock as _, Write};
use flagfall_store_testing::TestStore;
use serde_json::json;

const PASSWORD: &str = "correct horse battery";

async fn account(house: &House, name: &str) -> String {
    let body = json!({ "name": name, "password": PASSWORD }).to_string();
    let made = house.ask("POST", "/api/account", "", &body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()["token"].as_str().unwrap().to_owned()
}

async fn login(house: &House, name: &str, password: &str) -> (u16, String) {
    let body = json!({ "name": name, "password": password }).to_string();
    let answer = house.ask("POST", "/api/login", "", &body).await;
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

/// Returns a server that checks its store often for operator actions.
async fn shared_house() -> House {
    let mut settings = settings();
    settings.times.revocation_interval = Duration::from_millis(10);
    House::open_on(TestStore::announcing(SystemClock), settings).await
}

#[tokio::test]
async fn a_closed_account_is_locked_out_until_it_is_reopened() {
    let house = shared_house().await;
    let token = account(&house, "Ana").await;
    let mut socket = house.again(&token).await;
    let operator = Operator::new(&house.store, " insults in three games ").unwrap();
    operator.close("ana").await.unwrap();
    assert_eq!(socket.close_code().await, 4103);

    // With a wrong password, the answer does not reveal that the account is closed.
    assert_eq!(login(&house, "ana", "another password").await, (403, "wrong_password".to_owned()));
    assert_eq!(login(&house, "ana", PASSWORD).await, (403, "account_closed".to_owned()));
    let me = house.ask("GET", "/api/me", &token, "").await;
    assert_eq!((me.status, me.json()["code"].as_str().unwrap()), (403, "account_closed"));
    let mut again: Client = house.connect().await;
    again.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
    assert_eq!(again.close_code().await, 4103);
    assert_eq!(operator.close("ana").await, Err(OperatorError::Closure(ClosureError::AlreadyClosed)));

    Operator::new(&house.store, "sorry").unwrap().reopen("ANA").await.unwrap();
    house.again(&token).await;
    assert_eq!(login(&house, "ana", PASSWORD).await.0, 200);
    let done: Vec<(Deed, String)> =
        acts(&house.store).await.unwrap().into_iter().map(|act| (act.deed, act.reason)).collect();
    assert!(
        matches!(&done[0], (Deed::Closed { name, .. }, reason) if name == "Ana" && reason == "insults in three games")
    );
    assert!(matches!(&done[1], (Deed::Reopened { name, .. }, reason) if name == "Ana" && reason == "sorry"));
    assert_eq!(done.len(), 2, "refused actions are not logged");
    house.close().await;
}

#[tokio::test]
async fn impossible_operator_commands_say_why() {
    let store = TestStore::default();
    for reason in ["", "  ", "\u{7}", &"x".repeat(301)] {
        assert_eq!(Operator::new(&store, reason).err(), Some(OperatorError::BadReason), "{reason:?}");
    }
    let operator = Operator::new(&store, "a reason").unwrap();
    for name in ["nobody", "no name", ""] {
        let refused = operator.close(name).await.unwrap_err();
        assert_eq!(refused, OperatorError::Closure(ClosureError::NoSuchPlayer));
    }
    let game = flagfall_board::GameId::from_random([1; 12]);
    assert_eq!(operator.undo(game).await.unwrap_err().to_string(), "this game did not change any rating");
    assert_eq!(acts(&store).await.unwrap(), []);
}

#[tokio::test]
async fn a_closed_account_has_no_place_on_leaderboards_and_no_challenge() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana").await, account(&house, "bo").await);
    for (token, place) in [(&ana, "8000"), (&bo, "8100")] {
        let me = house.ask("GET", "/api/me", token, "").await.json();
        let key = format!("leaders/players/classic/rapid/{place}/{}", me["player"]["id"].as_str().unwrap());
        let at = SystemClock.now().0;
        let rating = json!({
            "value": 1_900.0, "deviation": 50.0, "volatility": 0.06, "games": 30, "surplus": 0, "at": at
        });
        let value = rating.to_string().into_bytes();
        let place = Write::Put { key: Key::new(key).unwrap(), value, expires: None };
        write(&house.store, vec![place]).await.unwrap();
    }
    let mut socket = house.again(&ana).await;
    let offer =
        r#"{"type":"challenge","cmd_id":"1","terms":{"ruleset":"classic","time":{"kind":"unlimited"}}}"#;
    socket.say(offer).await;
    let code = socket
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Challenge { challenge, .. }, .. } => {
                Some(challenge)
            }
            _ => None,
        })
        .await;
    Operator::new(&house.store, "they use an engine").unwrap().close("ana").await.unwrap();

    let board = house.get("/api/leaderboards/classic/rapid").await.json();
    let names: Vec<&str> = board["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["player"]["name"].as_str())
        .collect();
    assert_eq!((names, board["entries"][0]["place"].as_u64()), (vec!["bo"], Some(1)));
    let mut socket = house.again(&bo).await;
    socket.say(&format!(r#"{{"type":"accept_challenge","cmd_id":"1","challenge":"{code}"}}"#)).await;
    assert_eq!(socket.refused().await.0, "no_such_challenge");
    house.close().await;
}
