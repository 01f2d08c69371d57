//! Tests of the list of running games in the order of ratings.

use serde_json::{Value, json};

use super::{Duel, account, command, offer, started, terms};
use crate::common::{House, settings};
use flagfall_protocol::{ClientToServer, GameCommand, ServerToClient};

async fn listed(house: &House, query: &str) -> Vec<Value> {
    let answer = house.get(&format!("/api/games{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["games"].as_array().unwrap().iter().map(|game| game["id"].clone()).collect()
}

#[tokio::test]
async fn games_of_rated_players_come_first_in_the_order_of_ratings() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let Duel { mut red, mut blue, game } = Duel::begin(&house, &ana, &bo).await;
    command(&mut blue, game, 2, GameCommand::Resign {}).await;
    red.find(|message| matches!(message, ServerToClient::Rated { .. }).then_some(())).await;

    // In the first game both players have a rating, in the second game one of them, and in the
    // third game neither.
    let mut games = Vec::new();
    let (mut cy, ..) = house.guest("cy").await;
    for number in 0..2 {
        let (offerer, taker) = if number == 0 { (&mut red, &mut blue) } else { (&mut red, &mut cy) };
        let seek = offer(offerer, terms(false)).await;
        let cmd_id = format!("take-{number}").parse().unwrap();
        taker.tell(&ClientToServer::AcceptSeek { cmd_id, seek, secret: false }).await;
        games.push(json!(started(taker).await));
    }
    let (mut dee, ..) = house.guest("dee").await;
    let seek = offer(&mut cy, terms(false)).await;
    dee.tell(&ClientToServer::AcceptSeek { cmd_id: "take".parse().unwrap(), seek, secret: false }).await;
    games.push(json!(started(&mut dee).await));

    assert_eq!(listed(&house, "?order=rating").await, games);
    games.reverse();
    for query in ["", "?order=newest"] {
        assert_eq!(listed(&house, query).await, games, "{query}");
    }
    for query in ["?order=oldest", "?sort=rating"] {
        assert_eq!(house.get(&format!("/api/games{query}")).await.refusal().0, 400, "{query}");
    }
    house.close().await;
}
