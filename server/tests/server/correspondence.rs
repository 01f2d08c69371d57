//! Tests of games that allow days per move: lists of games, challenges by name, queued moves.

use crate::common::{Answer, Client, House, settings};
use flagfall_base::keys::TOLD;
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, ServerToClient, Terms, Time};
use flagfall_rules::View;
use flagfall_store::{Key, Store, Update, Write};
use serde_json::{Value, json};

const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";

async fn account(house: &House, name: &str) -> String {
    let body = json!({ "name": name, "password": "correct horse battery" }).to_string();
    house.ask("POST", "/api/account", "", &body).await.json()["token"].as_str().unwrap().to_owned()
}

fn terms(days: u32) -> Terms {
    Terms {
        ruleset: "pbm".to_owned(),
        time: Time::Correspondence { days },
        private: false,
        secret: false,
        rated: false,
    }
}

struct Pair {
    house: House,
    tokens: [String; 2],
    clients: [Client; 2],
    commands: u32,
}

impl Pair {
    async fn new() -> Pair {
        let house = House::open(settings()).await;
        let tokens = [account(&house, "ann").await, account(&house, "bob").await];
        let clients = [house.again(&tokens[0]).await, house.again(&tokens[1]).await];
        Pair { house, tokens, clients, commands: 0 }
    }

    /// Removes all but the first `entries` entries of this game's log, restarts the server in a
    /// new epoch, and reconnects the players.
    async fn began_anew(self, game: GameId, entries: u64) -> Pair {
        let Pair { house, tokens, clients, commands } = self;
        let store = house.store.clone();
        drop(clients);
        house.close().await;
        store.lose_tail(game, entries);
        store.bump_epoch().await.unwrap();
        let house = House::open_on(store, settings()).await;
        let clients = [house.again(&tokens[0]).await, house.again(&tokens[1]).await];
        Pair { house, tokens, clients, commands }
    }

    async fn accepted(
        &mut self,
        who: usize,
        make: impl FnOnce(flagfall_protocol::CommandId) -> ClientToServer,
    ) -> Accepted {
        self.commands += 1;
        let id: flagfall_protocol::CommandId = format!("c{}", self.commands).parse().unwrap();
        self.clients[who].tell(&make(id.clone())).await;
        self.clients[who]
            .find(|message| match message {
                ServerToClient::Accepted { cmd_id, outcome } if cmd_id == id => Some(outcome),
                ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
                _ => None,
            })
            .await
    }

    /// Creates a challenge from Ann, who wants to play Red.
    async fn challenge(&mut self, terms: Terms) -> String {
        let challenge = |cmd_id| ClientToServer::Challenge { cmd_id, terms, side: Some(Side::Red) };
        match self.accepted(0, challenge).await {
            Accepted::Challenge { challenge, .. } => challenge,
            other => panic!("{other:?}"),
        }
    }

    /// Starts a game in which Ann has the first move.
    async fn begin(&mut self, days: u32) -> GameId {
        self.begin_with(terms(days), SETUP).await
    }

    async fn begin_with(&mut self, terms: Terms, setup: &str) -> GameId {
        let challenge = self.challenge(terms).await;
        let accept = |cmd_id| ClientToServer::AcceptChallenge { cmd_id, challenge, secret: false };
        let Accepted::Started { game, .. } = self.accepted(1, accept).await else {
            panic!("a game was expected")
        };
        for who in [0, 1] {
            self.act(who, game, 0, GameCommand::Deploy { setup: setup.to_owned() }).await;
        }
        game
    }

    async fn act(&mut self, who: usize, game: GameId, ply: u16, command: GameCommand) {
        self.accepted(who, |cmd_id| ClientToServer::Command { cmd_id, game, ply, epoch: None, command })
            .await;
    }

    async fn play(&mut self, who: usize, game: GameId, ply: u16, squares: &str) {
        let command = serde_json::from_value(json!({ "kind": "move", "move": squares })).unwrap();
        self.act(who, game, ply, command).await;
    }

    async fn ask(&self, who: usize, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.house.ask(method, path, &self.tokens[who], &body).await
    }

    async fn games(&self, who: usize) -> Value {
        self.ask(who, "GET", "/api/me/games", &Value::Null).await.json()
    }

    async fn queue(&self, who: usize, game: GameId, ply: u16, moves: Value) -> Answer {
        let body = json!({ "ply": ply, "moves": moves });
        self.ask(who, "PUT", &format!("/api/games/{game}/queue"), &body).await
    }

    async fn queued(&self, who: usize, game: GameId) -> Value {
        self.ask(who, "GET", &format!("/api/games/{game}/queue"), &Value::Null).await.json()
    }

    async fn ply(&self, game: GameId) -> u64 {
        self.house.run_jobs("turn_due").await;
        self.house.get(&format!("/api/games/{game}")).await.json()["view"]["ply"].as_u64().unwrap()
    }
}

fn moving(squares: &str) -> Value {
    json!({ "command": { "kind": "move", "move": squares } })
}

#[tokio::test]
async fn the_list_of_games_shows_turns_and_deadlines_most_urgent_first() {
    let mut pair = Pair::new().await;
    assert_eq!(pair.games(0).await["games"], json!([]));
    let slow = pair.begin(5).await;
    let fast = pair.begin(1).await;
    let listed = pair.games(0).await;
    let ids: Vec<&str> =
        listed["games"].as_array().unwrap().iter().map(|own| own["game"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [fast.as_str(), slow.as_str()]);
    let own = &listed["games"][0];
    assert_eq!((&own["to_act"], &own["side"]), (&json!(true), &json!("red")));
    let left = own["deadline"].as_u64().unwrap() - listed["server_time"].as_u64().unwrap();
    assert!((23 * 3_600_000..=24 * 3_600_000).contains(&left), "{left}");
    assert_eq!(pair.games(1).await["games"][0]["to_act"], false);
    pair.play(0, fast, 0, "a4a5").await;
    let listed = pair.games(0).await;
    assert_eq!(listed["games"][0]["game"]["id"], slow.as_str());
    assert_eq!(listed["games"][1]["to_act"], false);
    assert_eq!(pair.house.ask("GET", "/api/me/games", "", "").await.status, 401);
}

#[tokio::test]
async fn an_addressed_challenge_can_be_declined() {
    let mut pair = Pair::new().await;
    let code = pair.challenge(terms(3)).await;
    let invite = |name: &str| json!({ "challenge": code, "name": name });
    assert_eq!(pair.ask(0, "POST", "/api/me/challenges", &invite("nobody")).await.status, 404);
    assert_eq!(pair.ask(0, "POST", "/api/me/challenges", &invite("ann")).await.json()["code"], "own_offer");
    // Only the creator of a challenge may address it to another player.
    assert_eq!(
        pair.ask(1, "POST", "/api/me/challenges", &invite("bob")).await.json()["code"],
        "no_such_challenge"
    );
    let made = pair.ask(0, "POST", "/api/me/challenges", &invite("Bob")).await;
    assert_eq!((made.status, &made.json()["your_side"]), (200, &json!("blue")));
    let waiting = pair.ask(1, "GET", "/api/me/challenges", &Value::Null).await.json();
    assert_eq!(waiting["challenges"][0]["challenge"], code.as_str());
    assert_eq!(waiting["challenges"][0]["challenger"]["name"], "ann");
    let path = format!("/api/me/challenges/{code}");
    assert_eq!(pair.ask(0, "DELETE", &path, &Value::Null).await.status, 404);
    assert_eq!(pair.ask(1, "DELETE", &path, &Value::Null).await.status, 204);
    assert_eq!(pair.ask(1, "GET", "/api/me/challenges", &Value::Null).await.json()["challenges"], json!([]));
    let accept =
        ClientToServer::AcceptChallenge { cmd_id: "x".parse().unwrap(), challenge: code, secret: false };
    pair.clients[1].tell(&accept).await;
    assert_eq!(pair.clients[1].refused().await.0, "no_such_challenge");
}

#[tokio::test]
async fn queued_moves_are_played_while_their_player_is_offline() {
    let mut pair = Pair::new().await;
    let game = pair.begin(3).await;
    let moves = json!([moving("j7j6"), moving("j6j5")]);
    let taken = pair.queue(1, game, 0, moves.clone()).await;
    assert_eq!((taken.status, &taken.json()["ply"]), (200, &json!(1)));
    // Only the owner sees a queue of moves. A player who has no seat in the game has no queue.
    assert_eq!(pair.queued(0, game).await["moves"], json!([]));
    let nobody = account(&pair.house, "eve").await;
    let theirs = pair.house.ask("GET", &format!("/api/games/{game}/queue"), &nobody, "").await;
    assert_eq!((theirs.status, theirs.json()["code"].clone()), (409, json!("bad_queue")));
    assert_eq!(pair.ply(game).await, 0, "it is not Bob's turn yet");
    pair.play(0, game, 0, "a4a5").await;
    assert_eq!(pair.ply(game).await, 2, "Bob's first move is made");
    assert_eq!(pair.ply(game).await, 2, "and made once");
    let left = pair.queued(1, game).await;
    assert_eq!((&left["ply"], left["moves"].as_array().unwrap().len()), (&json!(3), 1));
    pair.play(0, game, 2, "a5a4").await;
    assert_eq!(pair.ply(game).await, 4);
    assert_eq!(pair.queued(1, game).await["moves"], json!([]));
    pair.play(0, game, 4, "a4a5").await;
    assert_eq!(pair.ply(game).await, 5, "no queued move is left");
}

#[tokio::test]
async fn a_condition_that_is_not_met_and_a_move_that_cannot_be_made_end_the_queue() {
    let mut pair = Pair::new().await;
    let game = pair.begin(3).await;
    let if_that =
        |squares: &str, after: &str| json!({ "command": { "kind": "move", "move": squares }, "if": after });
    pair.queue(1, game, 0, json!([if_that("j7j6", "a4a5"), moving("j6j5")])).await;
    pair.play(0, game, 0, "b4b5").await;
    assert_eq!(pair.ply(game).await, 1);
    assert_eq!(pair.queued(1, game).await["moves"], json!([]));
    pair.play(1, game, 1, "j7j6").await;
    pair.queue(1, game, 2, json!([if_that("j6j5", "b5b4"), moving("a1a2")])).await;
    pair.play(0, game, 2, "b5b4").await;
    assert_eq!(pair.ply(game).await, 4, "the condition is met");
    pair.play(0, game, 4, "b4b5").await;
    assert_eq!(pair.ply(game).await, 5, "a piece of the other side's cannot be moved");
    assert_eq!(pair.queued(1, game).await["moves"], json!([]));
}

#[tokio::test]
async fn a_queued_move_that_would_lose_by_breaking_a_rule_ends_the_queue() {
    let mut pair = Pair::new().await;
    let suggested = pair.house.get("/api/rulesets/course/deployments/suggested").await.json();
    let setup = suggested["setups"][0].as_str().unwrap().to_owned();
    let game = pair.begin_with(Terms { ruleset: "course".to_owned(), ..terms(3) }, &setup).await;
    let view = pair.ask(0, "GET", &format!("/api/games/{game}"), &Value::Null).await.json()["view"].take();
    let view = View::of(serde_json::from_value(view).unwrap()).unwrap();
    let legal = view.legal_moves().unwrap().nth(0).unwrap().to_string();
    pair.queue(1, game, 0, json!([moving("a1a2")])).await;
    pair.play(0, game, 0, &legal).await;
    assert_eq!(pair.ply(game).await, 1, "Bob's move is not made");
    assert_eq!(pair.queued(1, game).await["moves"], json!([]));
    let game = pair.house.get(&format!("/api/games/{game}")).await.json();
    assert_eq!(game["view"]["phase"], json!("playing"));
}

#[tokio::test]
async fn a_queue_is_refused_on_your_own_turn_on_a_stale_ply_and_in_live_games() {
    let mut pair = Pair::new().await;
    let game = pair.begin(3).await;
    let code = |answer: Answer| answer.json()["code"].as_str().unwrap().to_owned();
    assert_eq!(code(pair.queue(0, game, 0, json!([moving("a4a5")])).await), "own_turn");
    assert_eq!(code(pair.queue(1, game, 7, json!([moving("j7j6")])).await), "stale_ply");
    assert_eq!(code(pair.queue(1, game, 0, json!([])).await), "bad_queue");
    let many: Vec<Value> = (0..21).map(|_| moving("j7j6")).collect();
    assert_eq!(code(pair.queue(1, game, 0, json!(many)).await), "bad_queue");
    let resign = json!([{ "command": { "kind": "resign" } }]);
    assert_eq!(code(pair.queue(1, game, 0, resign).await), "bad_queue");
    pair.queue(1, game, 0, json!([moving("j7j6")])).await;
    let path = format!("/api/games/{game}/queue");
    assert_eq!(pair.ask(1, "DELETE", &path, &Value::Null).await.status, 204);
    pair.play(0, game, 0, "a4a5").await;
    assert_eq!(pair.ply(game).await, 1, "nothing is queued any more");
}

#[tokio::test]
async fn queued_moves_are_dropped_when_the_log_loses_moves() {
    let mut pair = Pair::new().await;
    let (lost, kept) = (pair.begin(3).await, pair.begin(3).await);
    for game in [lost, kept] {
        pair.play(0, game, 0, "a4a5").await;
        pair.play(1, game, 1, "j7j6").await;
        assert_eq!(pair.queue(1, game, 2, json!([moving("j6j5")])).await.status, 200);
    }
    let entries = pair.house.store.head(lost).await.unwrap().seq;
    let mut pair = pair.began_anew(lost, entries - 2).await;
    // The game again has as many moves as before the loss, and Bob's queued move is legal. But
    // Ann never made the move that the queued move was meant to answer, so Bob's queue must be
    // empty.
    pair.play(0, lost, 0, "b4b5").await;
    pair.play(1, lost, 1, "j7j6").await;
    for (game, ply) in [(lost, 3), (kept, 4)] {
        pair.play(0, game, 2, if game == lost { "b5b4" } else { "b4b5" }).await;
        assert_eq!(pair.ply(game).await, ply);
        assert_eq!(pair.queued(1, game).await["moves"], json!([]));
    }
    // A queue that names the earlier epoch is refused, too.
    let body = json!({ "ply": 4, "epoch": 1, "moves": [moving("j5j4")] });
    let path = format!("/api/games/{kept}/queue");
    pair.play(0, kept, 4, "b5b4").await;
    pair.play(1, kept, 5, "j5j6").await;
    let stale = pair.ask(1, "PUT", &path, &body).await;
    assert_eq!((stale.status, stale.json()["code"].clone()), (409, json!("stale_epoch")));
}

#[tokio::test]
async fn the_end_of_a_game_deletes_its_queue_and_the_markers_of_its_notices() {
    let mut pair = Pair::new().await;
    let game = pair.begin(3).await;
    let other = pair.begin(3).await;
    for game in [game, other] {
        pair.queue(1, game, 0, json!([moving("j7j6")])).await;
    }
    let store = pair.house.store.clone();
    let listed = async |kind: &str| {
        let records = store.scan(Key::new(kind).unwrap(), None, 9).await.unwrap();
        let name = |(key, _): &(Key, Vec<u8>)| String::from_utf8(key.as_bytes().to_vec()).unwrap();
        records.iter().map(name).collect::<Vec<_>>()
    };
    let queues = listed("queue/").await;
    let bob = queues[0].rsplit('/').next().unwrap().to_owned();
    let told =
        |game| Write::Put { key: TOLD.key([&bob, &game]).unwrap(), value: b"1".to_vec(), expires: None };
    let writes = vec![told(game), told(other)];
    store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    let resign = |cmd_id| ClientToServer::Command {
        cmd_id,
        game,
        ply: 0,
        epoch: None,
        command: GameCommand::Resign {},
    };
    pair.accepted(0, resign).await;
    pair.house.run_jobs("turn_due").await;
    assert_eq!(listed("queue/").await, [format!("queue/{other}/{bob}")], "the other game goes on");
    assert_eq!(listed("told/").await, [format!("told/{bob}/{other}")]);
}
