//! Tests of histories: who may read about finished games, how lists are divided into pages, and
//! whether each game is counted exactly once.

use std::sync::Arc;

use crate::common::{Client, House, settings};
use crate::store::redis::RedisServer;
use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    Accepted, ClientToServer, CommandId, GameCommand, GameRecord, HexBytes, RecordKind, ServerToClient,
    SigningKeys, Terms, Time, signed_message,
};
use flagfall_services::proof::SigningKey;
use flagfall_store::{
    EmbeddedOptions, EmbeddedStore, Key, RedisOptions, Store, SystemClock, Transfer, Update, Write,
};
use flagfall_store_testing::{TestStore, import};
use flagfall_transfer::export;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};

const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";

async fn account(house: &House, name: &str) -> String {
    let body = json!({ "name": name, "password": "correct horse battery" }).to_string();
    house.ask("POST", "/api/account", "", &body).await.json()["token"].as_str().unwrap().to_owned()
}

/// The properties of a game to play.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kind {
    pub(crate) private: bool,
    pub(crate) rated: bool,
    pub(crate) is_called_off: bool,
}

pub(crate) struct Table {
    pub(crate) house: House,
    pub(crate) ann: Client,
    pub(crate) bob: Client,
    pub(crate) tokens: [String; 2],
    pub(crate) commands: u32,
}

impl Table {
    async fn new() -> Table {
        Table::at(House::open(settings()).await).await
    }

    pub(crate) async fn at(house: House) -> Table {
        let tokens = [account(&house, "ann").await, account(&house, "bob").await];
        let (ann, bob) = (house.again(&tokens[0]).await, house.again(&tokens[1]).await);
        Table { house, ann, bob, tokens, commands: 0 }
    }

    fn next_id(&mut self) -> CommandId {
        self.commands += 1;
        format!("c{}", self.commands).parse().unwrap()
    }

    /// Plays a game of two plies in which Bob (Blue) resigns, and runs the jobs that record the
    /// game in the histories.
    pub(crate) async fn play(&mut self, kind: Kind) -> GameId {
        let Kind { private, rated, is_called_off } = kind;
        let time = Time::Fischer { base_s: 600, increment_s: 5 };
        let terms = Terms { ruleset: "classic".to_owned(), time, private, secret: true, rated };
        let cmd_id = self.next_id();
        let challenge =
            ask(&mut self.ann, ClientToServer::Challenge { cmd_id, terms, side: Some(Side::Red) }).await;
        let Accepted::Challenge { challenge, .. } = challenge else { panic!("{challenge:?}") };
        let cmd_id = self.next_id();
        let started =
            ask(&mut self.bob, ClientToServer::AcceptChallenge { cmd_id, challenge, secret: true }).await;
        let Accepted::Started { game, .. } = started else { panic!("{started:?}") };
        let moving =
            |squares: &str| serde_json::from_value(json!({ "kind": "move", "move": squares })).unwrap();
        let deploy = || GameCommand::Deploy { setup: SETUP.to_owned() };
        if is_called_off {
            self.act(false, game, 0, GameCommand::Abort {}).await;
        } else {
            self.act(true, game, 0, deploy()).await;
            self.act(false, game, 0, deploy()).await;
            self.act(true, game, 0, moving("a4a5")).await;
            self.act(false, game, 1, moving("j7j6")).await;
            self.act(false, game, 2, GameCommand::Resign {}).await;
        }
        self.house.run_jobs("played_due").await;
        self.house.run_jobs("rating_due").await;
        game
    }

    async fn act(&mut self, is_ann: bool, game: GameId, ply: u16, command: GameCommand) {
        let cmd_id = self.next_id();
        let client = if is_ann { &mut self.ann } else { &mut self.bob };
        ask(client, ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await;
    }

    async fn get(&self, token: &str, path: &str) -> Value {
        let answer = self.house.ask("GET", path, token, "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }
}

pub(crate) async fn ask(client: &mut Client, message: ClientToServer) -> Accepted {
    client.tell(&message).await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { outcome, .. } => Some(outcome),
            ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
            _ => None,
        })
        .await
}

fn ids(list: &Value) -> Vec<String> {
    list["games"].as_array().unwrap().iter().map(|game| game["game"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_history_has_the_latest_game_first_and_private_ones_for_the_players_alone() {
    let mut table = Table::new().await;
    let open = table.play(Kind::default()).await;
    let private = table.play(Kind { private: true, rated: true, ..Kind::default() }).await;
    table.play(Kind { is_called_off: true, ..Kind::default() }).await;
    let (open, private) = (open.to_string(), private.to_string());
    let [ann, bob] = table.tokens.clone();
    let eve = account(&table.house, "eve").await;

    let own = table.get(&ann, "/api/players/Ann/games").await;
    assert_eq!(ids(&own), [private.clone(), open.clone()]);
    let first = &own["games"][1];
    assert_eq!(
        (&first["score"], &first["side"], &first["reason"]),
        (&json!("won"), &json!("red"), &json!("resigned"))
    );
    assert_eq!((&first["opponent"]["name"], &first["plies"]), (&json!("bob"), &json!(2)));
    for other in ["", &eve, &bob] {
        assert_eq!(ids(&table.get(other, "/api/players/ann/games").await), [open.as_str()]);
    }
    for (token, count) in [("", 1), (&eve, 1), (&ann, 2), (&bob, 2)] {
        let both = table.get(token, "/api/players/bob/against/ann").await;
        assert_eq!(ids(&both).len(), count);
        assert_eq!(
            both["tallies"],
            json!([{ "ruleset": "classic", "tally": { "won": 0, "drawn": 0, "lost": count } }])
        );
    }
    // A private rated game appears only in the rating histories of its own players, and only if
    // these players request them.
    let path = "/api/players/ann/ratings/classic/rapid";
    assert_eq!(ids(&table.get(&ann, path).await), [private.as_str()]);
    assert!(ids(&table.get(&eve, path).await).is_empty());
    let change = format!("/api/games/{private}/ratings");
    assert_eq!(table.house.ask("GET", &change, &bob, "").await.status, 200);
    for other in ["", &eve] {
        assert_eq!(table.house.ask("GET", &change, other, "").await.status, 404);
    }
}

#[tokio::test]
async fn a_long_history_comes_in_pages() {
    let mut table = Table::new().await;
    let mut played = Vec::new();
    for _ in 0..5 {
        played.push(table.play(Kind::default()).await.to_string());
    }
    played.reverse();
    for path in ["/api/players/ann/games", "/api/players/ann/against/bob"] {
        let mut read = Vec::new();
        let mut after = String::new();
        loop {
            let page = table.get("", &format!("{path}?limit=2{after}")).await;
            read.extend(ids(&page));
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(read, played, "{path}");
        let refused = table.house.get(&format!("{path}?limit=many")).await;
        assert_eq!((refused.status, refused.json()["code"].clone()), (400, json!("bad_query")));
        // If `after` does not name a place in the list, it is ignored.
        assert_eq!(ids(&table.get("", &format!("{path}?after=../all")).await), played);
    }
}

#[tokio::test]
async fn the_public_games_that_ended_last_are_listed_and_private_ones_never() {
    let mut table = Table::new().await;
    let first = table.play(Kind::default()).await.to_string();
    table.play(Kind { private: true, ..Kind::default() }).await;
    table.play(Kind { is_called_off: true, ..Kind::default() }).await;
    let last = table.play(Kind { rated: true, ..Kind::default() }).await.to_string();
    let listed = |answer: &Value| -> Vec<String> {
        let games = answer["games"].as_array().unwrap().iter();
        games.map(|game| game["id"].as_str().unwrap().to_owned()).collect()
    };
    for token in ["", &table.tokens[0].clone()] {
        let over = table.get(token, "/api/games?phase=over").await;
        assert_eq!(listed(&over), [last.clone(), first.clone()]);
        assert_eq!(over["games"][0]["outcome"], json!({ "winner": "red", "reason": "resigned" }));
        assert_eq!((&over["games"][0]["phase"], &over["games"][0]["ply"]), (&json!("over"), &json!(2)));
    }
    assert_eq!(listed(&table.get("", "/api/games?phase=over&limit=1").await), [last]);
    assert!(listed(&table.get("", "/api/games").await).is_empty(), "no game runs");
    for wrong in ["phase=over&order=rating", "phase=playing", "limit=x"] {
        assert_eq!(table.house.get(&format!("/api/games?{wrong}")).await.status, 400, "{wrong}");
    }
    let confirmation = json!({ "password": "correct horse battery" }).to_string();
    let deleted = table.house.ask("DELETE", "/api/account", &table.tokens[0], &confirmation).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    let over = table.get("", "/api/games?phase=over").await;
    assert_eq!(over["games"][0]["players"]["red"]["name"], "deleted");
}

#[tokio::test]
async fn own_figures_tell_sides_and_deployments_to_their_owner_alone_and_count_a_game_once() {
    let mut table = Table::new().await;
    table.play(Kind::default()).await;
    table.play(Kind::default()).await;
    table.house.run_jobs("played_due").await;
    let own = table.get(&table.tokens[1], "/api/me/statistics").await;
    let lost = json!({ "won": 0, "drawn": 0, "lost": 2 });
    let figures = &own["rulesets"][0];
    assert_eq!((&figures["ruleset"], &figures["by_side"]["blue"]), (&json!("classic"), &lost));
    assert_eq!(figures["by_side"]["red"], json!({ "won": 0, "drawn": 0, "lost": 0 }));
    assert_eq!(figures["by_deployment"], json!([{ "setup": SETUP, "tally": lost }]));
    assert_eq!(table.house.ask("GET", "/api/me/statistics", "", "").await.status, 401);
    // Public lists contain no deployments.
    let open = table.house.get("/api/players/bob/games").await.body;
    assert!(!open.contains(SETUP));
}

#[tokio::test]
async fn opponents_keep_their_games_against_a_deleted_account_without_its_name() {
    let mut table = Table::new().await;
    table.play(Kind::default()).await;
    let confirmation = json!({ "password": "correct horse battery" }).to_string();
    let deleted = table.house.ask("DELETE", "/api/account", &table.tokens[0], &confirmation).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    assert_eq!(table.house.get("/api/players/ann/games").await.status, 404);
    let left = table.get("", "/api/players/bob/games").await;
    assert_eq!(left["games"][0]["opponent"]["name"], "deleted");
}

#[tokio::test]
async fn a_late_history_job_skips_a_deleted_account() {
    let mut table = Table::new().await;
    let game = table.play(Kind::default()).await;
    let confirmation = json!({ "password": "correct horse battery" }).to_string();
    let deleted = table.house.ask("DELETE", "/api/account", &table.tokens[0], &confirmation).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    let store = table.house.store.clone();
    let records = async |prefix: &str| {
        let prefix = Key::new(prefix.to_owned()).unwrap();
        store.scan(prefix, None, 100).await.unwrap().len()
    };
    assert_eq!((records("leaving/").await, records("history/").await), (0, 1), "Bob's history");
    let (key, value) = (Key::new(format!("played_due/{game}")).unwrap(), Vec::new());
    let late = Update { conditions: Vec::new(), writes: vec![Write::Put { key, value, expires: None }] };
    store.update(late).await.unwrap();
    table.house.run_jobs("played_due").await;
    assert_eq!((records("played_due/").await, records("history/").await), (0, 1));
    assert_eq!(ids(&table.get("", "/api/players/bob/games").await), [game.as_str()], "it is listed once");
}

async fn record_of(house: &House, game: GameId, token: Option<&str>) -> GameRecord {
    let path = format!("/api/games/{game}/record");
    let answer = match token {
        Some(token) => house.ask("GET", &path, token, "").await,
        None => house.get(&path).await,
    };
    serde_json::from_value(answer.json()).unwrap()
}

async fn keys_of(house: &House) -> Vec<HexBytes> {
    let keys: SigningKeys = serde_json::from_value(house.get("/api/keys").await.json()).unwrap();
    keys.keys.into_iter().map(|key| key.public).collect()
}

/// Returns the id of the key that signed a game's public record; `None` if no key matches.
fn signer(record: &GameRecord, keys: &[HexBytes]) -> Option<String> {
    let signature = record.signature.as_ref()?;
    let message = signed_message(record.digest()?);
    let is_its = |key: &&HexBytes| {
        UnparsedPublicKey::new(&ED25519, key.0).verify(&message, &signature.value.0).is_ok()
    };
    keys.iter().find(is_its).map(flagfall_protocol::key_id).filter(|id| *id == signature.key)
}

#[tokio::test]
async fn a_finished_game_is_signed_once_and_stays_signed_with_new_names_and_new_keys() {
    let store = TestStore::new(SystemClock);
    let seeds = [[5; 32], [6; 32]];
    let [first, second] = seeds.map(|seed| SigningKey::from_seed(&seed).unwrap());
    let ids = [first.id.clone(), second.id.clone()];
    let at = |key| {
        let store = store.clone();
        async move { House::open_with_key(Arc::new(store.clone()), store, settings(), Some(key)).await }
    };
    let mut table = Table::at(at(first).await).await;
    let games = [
        table.play(Kind::default()).await,
        table.play(Kind { is_called_off: true, ..Kind::default() }).await,
    ];
    let house = table.house;
    let keys = keys_of(&house).await;
    for game in games {
        let record = record_of(&house, game, None).await;
        assert_eq!(signer(&record, &keys).as_ref(), Some(&ids[0]));
        let path = format!("/api/games/{game}/record?as=public");
        let live: GameRecord = serde_json::from_value(house.get(&path).await.json()).unwrap();
        assert_eq!((live.kind, signer(&live, &keys).as_ref()), (Some(RecordKind::Live), Some(&ids[0])));
        for token in &table.tokens {
            assert_eq!(record_of(&house, game, Some(token)).await.signature, record.signature);
        }
    }
    let (text, password) = ("/api/account", r#"{"password":"correct horse battery"}"#);
    assert_eq!(house.ask("DELETE", text, &table.tokens[0], password).await.status, 204);
    let record = record_of(&house, games[0], None).await;
    assert_ne!(record.players.red.name, "ann");
    assert_eq!(signer(&record, &keys).as_ref(), Some(&ids[0]), "names are not part of what is signed");
    house.close().await;

    // Puts the store into the state that a crash would leave after the second game had ended but
    // before it was signed.
    let key = |name: String| Key::new(name).unwrap();
    let writes = vec![
        Write::Delete { key: key(format!("proof/{}", games[1])) },
        Write::Put { key: key(format!("proof_due/{}", games[1])), value: Vec::new(), expires: None },
    ];
    store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    let house = at(second).await;
    let keys = keys_of(&house).await;
    assert_eq!(keys.len(), 2, "the earlier key stays published");
    assert_eq!(signer(&record_of(&house, games[0], None).await, &keys).as_ref(), Some(&ids[0]));
    assert_eq!(signer(&record_of(&house, games[1], None).await, &keys).as_ref(), Some(&ids[1]));
    assert!(store.scan(key("proof_due/".to_owned()), None, 10).await.unwrap().is_empty());
    house.close().await;
}

/// Returns all data of a store: bodies of entries, keys and values of records.
async fn texts_of(store: &dyn Transfer) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for game in store.games().await.unwrap() {
        let entries = store.read(game, 0, 1_000).await.unwrap();
        texts.extend(entries.iter().map(|entry| entry.body.expose().to_vec()));
    }
    for (key, value, _) in store.records(None, 10_000).await.unwrap() {
        texts.extend([key.as_bytes().to_vec(), value]);
    }
    texts
}

#[tokio::test]
async fn a_signed_game_stays_signed_in_another_store() {
    let redis = RedisServer::start();
    let store = Arc::new(redis.open(RedisOptions::default()).await);
    let seed = [5; 32];
    let key = SigningKey::from_seed(&seed).unwrap();
    let memory = TestStore::new(SystemClock);
    let mut table = Table::at(House::open_with_key(store.clone(), memory, settings(), Some(key)).await).await;
    let game = table.play(Kind::default()).await;
    let signed = record_of(&table.house, game, None).await;
    let keys = keys_of(&table.house).await;
    assert!(signer(&signed, &keys).is_some());

    table.house.close().await;

    let mut exported = Vec::new();
    export(&*store, &mut exported, None, None, |_| {}).await.unwrap();
    let mut texts = texts_of(&*store).await;
    assert!(texts.len() > 10);
    texts.push(exported.clone());
    for secret in [&seed[..], HexBytes(seed).to_string().as_bytes()] {
        let holds = |text: &&Vec<u8>| text.windows(secret.len()).any(|part| part == secret);
        assert!(!texts.iter().any(|text| holds(&text)));
    }

    let folder = tempfile::tempdir().unwrap();
    let other =
        Arc::new(EmbeddedStore::open(folder.path(), SystemClock, &EmbeddedOptions::default()).unwrap());
    import(&*other, &exported).await.unwrap();
    // A server without the key does not sign new games, but existing signatures and published
    // keys remain.
    let house = House::open_over(other, TestStore::new(SystemClock), settings()).await;
    assert_eq!(keys_of(&house).await, keys);
    let moved = record_of(&house, game, None).await;
    assert_eq!(moved.signature, signed.signature);
    assert!(signer(&moved, &keys).is_some());
    house.close().await;
}

#[tokio::test]
async fn without_a_key_games_are_left_unsigned() {
    let mut table = Table::new().await;
    let game = table.play(Kind::default()).await;
    assert_eq!(record_of(&table.house, game, None).await.signature, None);
    assert_eq!(keys_of(&table.house).await, []);
    assert!(table.house.store.scan(Key::new("proof_due/").unwrap(), None, 10).await.unwrap().is_empty());
    table.house.close().await;
}
