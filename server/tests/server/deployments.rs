//! Tests of the deployments that accounts save.

use crate::common::{Answer, House, settings};
use flagfall_services::deployments::PER_RULESET_MAX;
use serde_json::{Value, json};

const CLASSIC: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";
const BARRAGE: &str = ".9..1..... ..2......9 ..S.....8. ........FB";

async fn account(house: &House, name: &str, bot: bool) -> String {
    let body = json!({ "name": name, "password": "correct horse battery", "bot": bot }).to_string();
    house.ask("POST", "/api/account", "", &body).await.json()["token"].as_str().unwrap().to_owned()
}

async fn save(house: &House, token: &str, place: &str, setup: &str) -> Answer {
    let body = json!({ "setup": setup }).to_string();
    house.ask("PUT", &format!("/api/me/deployments/{place}"), token, &body).await
}

async fn list(house: &House, token: &str) -> Value {
    house.ask("GET", "/api/me/deployments", token, "").await.json()["deployments"].clone()
}

#[tokio::test]
async fn a_deployment_is_kept_replaced_and_removed_and_is_its_owners_alone() {
    let house = House::open(settings()).await;
    let (ann, eve) = (account(&house, "ann", false).await, account(&house, "eve", false).await);
    let kept = save(&house, &ann, "classic/wall", CLASSIC).await;
    let squeezed = CLASSIC.replace(' ', "");
    assert_eq!((kept.status, &kept.json()["setup"]), (200, &json!(squeezed)));
    save(&house, &ann, "barrage/corner", BARRAGE).await;
    let places = |list: &Value| -> Vec<String> {
        let place = |kept: &Value| {
            format!("{}/{}", kept["ruleset"].as_str().unwrap(), kept["name"].as_str().unwrap())
        };
        list.as_array().unwrap().iter().map(place).collect()
    };
    assert_eq!(places(&list(&house, &ann).await), ["barrage/corner", "classic/wall"]);
    assert_eq!(list(&house, &eve).await, json!([]));
    let path = "/api/me/deployments/barrage/corner";
    assert_eq!(house.ask("DELETE", path, &eve, "").await.json()["code"], "no_such_deployment");
    let turned: String = BARRAGE.replace(' ', "").chars().rev().collect();
    save(&house, &ann, "barrage/corner", &turned).await;
    assert_eq!(list(&house, &ann).await[0]["setup"], turned);
    assert_eq!(house.ask("DELETE", path, &ann, "").await.status, 204);
    assert_eq!(places(&list(&house, &ann).await), ["classic/wall"]);
    assert_eq!(house.ask("GET", "/api/me/deployments", "", "").await.status, 401);
    let confirmation = json!({ "password": "correct horse battery" }).to_string();
    assert_eq!(house.ask("DELETE", "/api/account", &ann, &confirmation).await.status, 204);
    let left =
        flagfall_store::Store::scan(&house.store, flagfall_store::Key::new("deployments/").unwrap(), None, 9)
            .await;
    assert!(left.unwrap().is_empty(), "nothing is kept of a deleted account");
}

#[tokio::test]
async fn invalid_deployments_are_refused_and_the_list_is_limited() {
    let house = House::open(settings()).await;
    let ann = account(&house, "ann", false).await;
    let (_, _, guest) = house.guest("bob").await;
    let long = "9".repeat(2_000);
    for (token, place, setup, status, code) in [
        (&ann, "chess/wall", CLASSIC, 404, "no_such_ruleset"),
        (&ann, "classic,ties=attacker/wall", CLASSIC, 404, "no_such_ruleset"),
        (&ann, "classic/random", CLASSIC, 400, "bad_deployment"),
        (&ann, "classic/no%20blanks", CLASSIC, 400, "bad_deployment"),
        (&ann, "classic/wall", "FFF", 400, "bad_deployment"),
        (&ann, "classic/wall", BARRAGE, 400, "bad_deployment"),
        (&ann, "classic/wall", &long, 400, "bad_deployment"),
        (&guest, "classic/wall", CLASSIC, 403, "account_expected"),
    ] {
        let refused = save(&house, token, place, setup).await;
        assert_eq!((refused.status, refused.json()["code"].as_str().unwrap()), (status, code), "{place}");
    }
    for number in 0..PER_RULESET_MAX {
        assert_eq!(save(&house, &ann, &format!("barrage/n{number}"), BARRAGE).await.status, 200);
    }
    assert_eq!(save(&house, &ann, "barrage/more", BARRAGE).await.json()["code"], "too_many");
    assert_eq!(
        save(&house, &ann, "barrage/n7", BARRAGE).await.status,
        200,
        "one of the same name is replaced"
    );
    assert_eq!(
        save(&house, &ann, "classic/wall", CLASSIC).await.status,
        200,
        "other rulesets have room of their own"
    );
    assert_eq!(list(&house, &ann).await.as_array().unwrap().len(), PER_RULESET_MAX + 1);
}
