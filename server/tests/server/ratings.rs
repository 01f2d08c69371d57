//! Tests of rated games: who may play them, and that each game changes both ratings exactly once,
//! even if a server crashes at any moment.

mod listed;
mod mortal;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use self::mortal::Mortal;
use crate::common::store_between::StoreBetween;
use crate::common::{Client, House, settings};
use flagfall_base::jobs::dead_jobs;
use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    Accepted, ClaimedResult, ClientToServer, GameCommand, GameEvent, ServerToClient, Terms, Time,
};
use flagfall_services::operator::{Act, Deed, Operator, OperatorError, acts};
use flagfall_services::ratings::UndoError;
use flagfall_services::settings::Settings;
use flagfall_store::{Key, Store, SystemClock, Update, Write};
use flagfall_store_testing::TestStore;
use serde_json::{Value, json};

const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";

fn terms(rated: bool) -> Terms {
    Terms {
        ruleset: "classic".to_owned(),
        time: Time::Fischer { base_s: 600, increment_s: 5 },
        private: false,
        secret: false,
        rated,
    }
}

async fn account(house: &House, name: &str, bot: bool) -> String {
    let body = json!({ "name": name, "password": "correct horse battery", "bot": bot }).to_string();
    let made = house.ask("POST", "/api/account", "", &body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()["token"].as_str().unwrap().to_owned()
}

struct Duel {
    red: Client,
    blue: Client,
    game: GameId,
}

async fn started(client: &mut Client) -> GameId {
    client
        .find(|message| match message {
            ServerToClient::GameStarted { game, .. } => Some(game.id),
            _ => None,
        })
        .await
}

async fn offer(client: &mut Client, terms: Terms) -> String {
    client
        .tell(&ClientToServer::Seek { cmd_id: new_cmd(), terms, side: Some(Side::Red), rating: None })
        .await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Seek { seek }, .. } => Some(seek),
            _ => None,
        })
        .await
}

/// Returns a command id that is used only once in these tests.
fn new_cmd() -> flagfall_protocol::CommandId {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    cmd(&format!("new-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Waits until the server accepts or refuses the resignation at ply 2.
async fn resigned(client: &mut Client) {
    let resignation = cmd("2-other");
    client
        .find(|message| match message {
            ServerToClient::Accepted { cmd_id, .. } => (cmd_id == resignation).then_some(()),
            ServerToClient::Refused { cmd_id, .. } => (cmd_id == Some(resignation.clone())).then_some(()),
            _ => None,
        })
        .await;
}

fn cmd(id: &str) -> flagfall_protocol::CommandId {
    id.parse().unwrap()
}

async fn command(client: &mut Client, game: GameId, ply: u16, command: GameCommand) {
    let cmd_id = cmd(&format!("{ply}-{}", client_word(&command)));
    client.tell(&ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await;
}

fn client_word(command: &GameCommand) -> &'static str {
    match command {
        GameCommand::Deploy { .. } => "deploy",
        GameCommand::Move { .. } => "move",
        _ => "other",
    }
}

impl Duel {
    /// Starts a game and plays two plies.
    async fn begin(house: &House, red: &str, blue: &str) -> Duel {
        let (mut red, mut blue) = (house.again(red).await, house.again(blue).await);
        let seek = offer(&mut red, terms(true)).await;
        blue.tell(&ClientToServer::AcceptSeek { cmd_id: new_cmd(), seek, secret: false }).await;
        let game = started(&mut red).await;
        started(&mut blue).await;
        let mut duel = Duel { red, blue, game };
        for client in [&mut duel.red, &mut duel.blue] {
            client.tell(&ClientToServer::OpenGame { game, since: None }).await;
            command(client, game, 0, GameCommand::Deploy { setup: SETUP.to_owned() }).await;
        }
        let is_started = |event: &GameEvent| matches!(event, GameEvent::Started { .. });
        let is_moved = |event: &GameEvent| matches!(event, GameEvent::Moved { .. });
        event(&mut duel.red, is_started).await;
        command(&mut duel.red, game, 0, move_of("a4a5")).await;
        event(&mut duel.blue, is_moved).await;
        command(&mut duel.blue, game, 1, move_of("j7j6")).await;
        event(&mut duel.blue, is_moved).await;
        duel
    }
}

fn move_of(squares: &str) -> GameCommand {
    serde_json::from_value(json!({ "kind": "move", "move": squares })).unwrap()
}

async fn event(client: &mut Client, is_it: impl Fn(&GameEvent) -> bool) {
    client
        .find(|message| match message {
            ServerToClient::Event { event, .. } if is_it(&event) => Some(()),
            _ => None,
        })
        .await;
}

async fn rating(house: &House, name: &str) -> Value {
    house.get(&format!("/api/players/{name}")).await.json()["ratings"].clone()
}

async fn history(house: &House, name: &str) -> Value {
    house.get(&format!("/api/players/{name}/ratings/classic/rapid")).await.json()["games"].clone()
}

#[tokio::test]
async fn a_rated_game_changes_both_ratings_and_notifies_both() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let Duel { mut red, mut blue, game } = Duel::begin(&house, &ana, &bo).await;
    command(&mut blue, game, 2, GameCommand::Resign {}).await;
    for client in [&mut red, &mut blue] {
        let change = client.find(|message| match message {
            ServerToClient::Rated { change } => Some(change),
            _ => None,
        });
        let change = change.await;
        assert_eq!((change.game, change.before.red.rating, change.before.blue.rating), (game, 1500, 1500));
        assert!(change.after.red.rating > 1600 && change.after.blue.rating < 1400, "{change:?}");
        assert_eq!(house.get(&format!("/api/games/{game}/ratings")).await.json(), json!(change));
        assert_eq!(rating(&house, "ana").await[0]["now"]["rating"], change.after.red.rating);
    }
    let games = history(&house, "bo").await;
    assert_eq!((&games[0]["score"], &games[0]["opponent"]["name"]), (&json!("lost"), &json!("ana")));
    // A player with one game is not on the leaderboard yet.
    let board = house.get("/api/leaderboards/classic/rapid").await.json();
    assert_eq!(board, json!({ "ruleset": "classic", "speed": "rapid", "bots": false, "entries": [] }));
    for (path, status, code) in [
        ("/api/leaderboards/chess/rapid", 404, "no_such_ruleset"),
        ("/api/leaderboards/classic/quick", 404, "no_such_speed"),
        ("/api/leaderboards/classic/rapid?bots=maybe", 400, "bad_query"),
        ("/api/players/nobody/ratings/classic/rapid", 404, "no_such_player"),
        ("/api/games/000000000000/ratings", 404, "not_rated"),
    ] {
        let answer = house.get(path).await;
        assert_eq!((answer.status, answer.json()["code"].as_str()), (status, Some(code)), "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn only_accounts_rate_people_and_bots_apart_and_no_custom_rules() {
    let house = House::open(settings()).await;
    let (ana, robot) = (account(&house, "ana", false).await, account(&house, "robot", true).await);
    let (mut guest, ..) = house.guest("guy").await;
    let (mut ana, mut robot) = (house.again(&ana).await, house.again(&robot).await);
    let refused = async |client: &mut Client, terms: Terms| {
        client.tell(&ClientToServer::Seek { cmd_id: cmd("no"), terms, side: None, rating: None }).await;
        client.refused().await
    };
    assert_eq!(refused(&mut guest, terms(true)).await.0, "not_rated");
    let custom = Terms { ruleset: "classic,ties=attacker".to_owned(), ..terms(true) };
    assert!(refused(&mut ana, custom).await.1.contains("custom rules are not rated"));
    let unlimited = Terms { time: Time::Unlimited {}, ..terms(true) };
    assert!(refused(&mut ana, unlimited).await.1.contains("without a clock"));
    ana.tell(&ClientToServer::PlayBot {
        cmd_id: cmd("bot"),
        bot: "random".to_owned(),
        terms: terms(true),
        side: None,
    })
    .await;
    assert_eq!(ana.refused().await.0, "not_rated");
    let seek = offer(&mut ana, terms(true)).await;
    for client in [&mut guest, &mut robot] {
        client
            .tell(&ClientToServer::AcceptSeek { cmd_id: cmd("accept"), seek: seek.clone(), secret: false })
            .await;
        assert_eq!(client.refused().await.0, "not_rated");
    }
    house.close().await;
}

#[tokio::test]
async fn a_game_that_was_called_off_or_is_not_rated_changes_nothing() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    for (is_rated, last) in [(true, GameCommand::Abort {}), (false, GameCommand::Abort {})] {
        let (mut red, mut blue) = (house.again(&ana).await, house.again(&bo).await);
        red.tell(&ClientToServer::Seek {
            cmd_id: cmd(&format!("s{is_rated}")),
            terms: terms(is_rated),
            side: None,
            rating: None,
        })
        .await;
        let seek = red.find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Seek { seek }, .. } => Some(seek),
            _ => None,
        });
        let seek = seek.await;
        blue.tell(&ClientToServer::AcceptSeek { cmd_id: cmd(&format!("a{is_rated}")), seek, secret: false })
            .await;
        let game = started(&mut red).await;
        command(&mut red, game, 0, last).await;
        red.find(|message| matches!(message, ServerToClient::Accepted { .. }).then_some(())).await;
        house.run_jobs("rating_due").await;
        assert_eq!(house.get(&format!("/api/games/{game}/ratings")).await.status, 404);
    }
    assert_eq!(rating(&house, "ana").await, json!([]));
    house.close().await;
}

/// Returns settings with which no background work happens during the test.
fn quiet() -> Settings {
    let mut settings = settings();
    settings.times.heartbeat = Duration::from_secs(3_600);
    settings
}

/// Plays a game on a server whose store stops answering after the resignation, at the call with
/// the number `at`. Returns true if the server finished its work before that call.
async fn finish_under_death(at: usize, dies_after: bool) -> bool {
    let memory = TestStore::new(SystemClock);
    let mortal = Mortal::over(&memory, dies_after);
    let house = House::open_over(mortal.clone(), memory.clone(), quiet()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let Duel { mut red, blue, game } = Duel::begin(&house, &ana, &bo).await;
    mortal.hands.left.store(at, Ordering::SeqCst);
    command(&mut red, game, 2, GameCommand::Resign {}).await;
    // The server answers and then runs the jobs, as far as it can before it dies.
    resigned(&mut red).await;
    let lived =
        house.jobs.run_due("rating_due").await.is_ok() && mortal.hands.left.load(Ordering::SeqCst) > 0;
    drop((red, blue));
    house.abandon();

    // Another server finds the remaining work. The player got no answer, so they resign again.
    let house = House::open_on(memory, quiet()).await;
    let mut red = house.again(&ana).await;
    command(&mut red, game, 2, GameCommand::Resign {}).await;
    red.find(|message| matches!(message, ServerToClient::Accepted { .. }).then_some(())).await;
    for _ in 0..3 {
        house.run_jobs("rating_due").await;
        house.ratings.rate_now(game).await.unwrap();
    }
    for (name, score) in [("ana", "lost"), ("bo", "won")] {
        let (ratings, games) = (rating(&house, name).await, history(&house, name).await);
        assert_eq!(ratings[0]["games"], 1, "died at {at}, {dies_after}: {ratings}");
        assert_eq!(games.as_array().unwrap().len(), 1, "died at {at}, {dies_after}: {games}");
        assert_eq!((&games[0]["score"], &games[0]["before"]["rating"]), (&json!(score), &json!(1500)));
        assert_eq!(games[0]["after"]["rating"], ratings[0]["now"]["rating"]);
    }
    drop(red);
    house.close().await;
    lived
}

#[tokio::test]
async fn a_server_that_dies_at_any_step_of_finishing_a_game_leaves_one_change() {
    const STEPS_MAX: usize = 60;
    for dies_after in [false, true] {
        let mut steps = 0;
        while !finish_under_death(steps + 1, dies_after).await {
            steps += 1;
            assert!(steps < STEPS_MAX, "it never survived to the end");
        }
        println!("{steps} steps, dying {} each", if dies_after { "after" } else { "before" });
        assert!(steps >= 5, "too few steps to mean anything: {steps}");
    }
}

/// Returns a server whose updates can be refused.
async fn stallable(memory: &TestStore) -> (Arc<StoreBetween<Mortal>>, House) {
    let mortal = Mortal::over(memory, false);
    (mortal.clone(), House::open_over(mortal, memory.clone(), quiet()).await)
}

#[tokio::test]
async fn servers_that_rate_the_same_games_at_once_rate_each_once() {
    let memory = TestStore::new(SystemClock);
    let ((stall, house), (other_stall, other)) = (stallable(&memory).await, stallable(&memory).await);
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let mut duels = Vec::new();
    for _ in 0..4 {
        duels.push(Duel::begin(&house, &ana, &bo).await);
    }
    // Stalled updates keep the servers from rating the games as soon as they end.
    let stall =
        |is_stalled| [&stall, &other_stall].map(|it| it.hands.is_stalled.store(is_stalled, Ordering::SeqCst));
    stall(true);
    for Duel { blue, game, .. } in &mut duels {
        command(blue, *game, 2, GameCommand::Resign {}).await;
        resigned(blue).await;
    }
    let games: Vec<_> = duels.iter().map(|duel| duel.game).collect();
    // Both servers read a job and both ratings before either of them writes.
    let held = memory.hold_appends().await;
    stall(false);
    let release = async {
        memory.wait_for_held(2).await;
        drop(held);
    };
    // The first server leases the jobs. On the second server's clock, which is an hour ahead,
    // that lease has expired.
    other.later(3_600_000);
    let ((), (), ()) = tokio::join!(house.run_jobs("rating_due"), other.run_jobs("rating_due"), release);
    other.later(3_600_000);
    other.run_jobs("rating_due").await;
    let games_of = history(&house, "ana").await;
    let rated: Vec<_> = games_of.as_array().unwrap().iter().map(|it| it["game"].as_str().unwrap()).collect();
    assert_eq!(rated.len(), 4, "{games_of}");
    assert!(games.iter().all(|game| rated.contains(&game.as_str())));
    // The list begins with the latest game. The rating before each game must be the rating after
    // the previous game.
    for pair in games_of.as_array().unwrap().windows(2) {
        assert_eq!(pair[0]["before"]["rating"], pair[1]["after"]["rating"]);
    }
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn a_game_that_is_rated_between_reading_and_writing_is_not_forgotten() {
    let memory = TestStore::new(SystemClock);
    let (mortal, house) = stallable(&memory).await;
    let other = House::open_on(memory, quiet()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let mut duels = [Duel::begin(&house, &ana, &bo).await, Duel::begin(&house, &ana, &bo).await];
    mortal.hands.is_stalled.store(true, Ordering::SeqCst);
    for duel in &mut duels {
        command(&mut duel.blue, duel.game, 2, GameCommand::Resign {}).await;
        resigned(&mut duel.blue).await;
    }
    *mortal.hands.interruption.lock().unwrap() = Some((other.ratings.clone(), duels[1].game));
    mortal.hands.is_stalled.store(false, Ordering::SeqCst);
    house.ratings.rate_now(duels[0].game).await.unwrap();
    for name in ["ana", "bo"] {
        assert_eq!(rating(&house, name).await[0]["games"], 2);
        assert_eq!(history(&house, name).await.as_array().unwrap().len(), 2);
    }
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn a_rating_that_meets_damage_becomes_a_dead_letter_that_an_operator_retries() {
    let memory = TestStore::new(SystemClock);
    let (stall, house) = stallable(&memory).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let mut duels = [Duel::begin(&house, &ana, &bo).await, Duel::begin(&house, &ana, &bo).await];
    stall.hands.is_stalled.store(true, Ordering::SeqCst);
    for duel in &mut duels {
        command(&mut duel.blue, duel.game, 2, GameCommand::Resign {}).await;
        resigned(&mut duel.blue).await;
    }
    memory.damage(duels[0].game, 1);
    stall.hands.is_stalled.store(false, Ordering::SeqCst);
    let records = async |prefix: &str| memory.scan(Key::new(prefix).unwrap(), None, 9).await.unwrap().len();
    let mut looks = 0;
    while records("rating_due/").await > 0 {
        looks += 1;
        assert!(looks <= 12, "it is tried forever");
        house.run_jobs("rating_due").await;
        assert_eq!(rating(&house, "ana").await[0]["games"], 1, "the other game is rated");
        house.later(3_600_000);
    }
    let dead = dead_jobs(&house.store).await.unwrap();
    assert_eq!(
        (dead.len(), dead[0].kind.as_str(), dead[0].id.as_str()),
        (1, "rating_due", duels[0].game.as_str())
    );
    let operator = Operator::new(&house.store, "its log was restored").unwrap();
    assert_eq!(operator.retry("rating_due", "nothing").await, Err(OperatorError::NoSuchJob));
    let discarded = operator.discard("rating_due", duels[0].game.as_str(), false).await;
    assert_eq!((discarded, records("dead_jobs/").await), (Err(OperatorError::NotConfirmed), 1));
    assert_eq!(operator.retry_all().await, Ok(1));
    assert_eq!((records("dead_jobs/").await, records("rating_due/").await), (0, 1));
    let acts = acts(&house.store).await.unwrap();
    let job = format!("rating_due/{}", duels[0].game);
    assert!(matches!(&acts[..], [Act { deed: Deed::Retried { job: retried }, .. }] if *retried == job));
    while records("dead_jobs/").await == 0 {
        house.run_jobs("rating_due").await;
        house.later(3_600_000);
    }
    assert_eq!(operator.discard("rating_due", duels[0].game.as_str(), true).await, Ok(()));
    assert_eq!((records("dead_jobs/").await, records("rating_due/").await), (0, 0));
    house.close().await;
}

#[tokio::test]
async fn deleting_an_account_deletes_its_rating_and_name() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let Duel { mut red, blue: _blue, game } = Duel::begin(&house, &ana, &bo).await;
    command(&mut red, game, 2, GameCommand::Resign {}).await;
    red.find(|message| matches!(message, ServerToClient::Rated { .. }).then_some(())).await;
    let confirm = json!({ "password": "correct horse battery" }).to_string();
    assert_eq!(house.ask("DELETE", "/api/account", &ana, &confirm).await.status, 204);
    let games = history(&house, "bo").await;
    assert_eq!(games[0]["opponent"]["name"], "deleted", "{games}");
    let again = account(&house, "ana", false).await;
    assert_eq!(house.ask("GET", "/api/account", &again, "").await.json()["ratings"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn a_rating_change_is_reverted_once_and_histories_show_it() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let mut games = Vec::new();
    for _ in 0..2 {
        let mut duel = Duel::begin(&house, &ana, &bo).await;
        command(&mut duel.red, duel.game, 2, GameCommand::Resign {}).await;
        resigned(&mut duel.red).await;
        house.run_jobs("rating_due").await;
        games.push(duel.game);
    }
    let points = async |name: &str| rating(&house, name).await[0]["now"]["rating"].as_i64().unwrap();
    let before = [points("ana").await, points("bo").await];
    assert!(before[0] < before[1]);
    let change = house.ratings.change(games[0]).await.unwrap().unwrap();
    let gain = |side: Side| i64::from(change.after[side].rating) - i64::from(change.before[side].rating);

    let operator = Operator::new(&house.store, "she let him win").unwrap();
    assert_eq!(operator.undo(games[0]).await.unwrap(), change);
    let after = [points("ana").await, points("bo").await];
    assert_eq!(after, [before[0] - gain(Side::Red), before[1] - gain(Side::Blue)]);
    let again = operator.undo(games[0]).await;
    assert_eq!(again, Err(OperatorError::Undo(UndoError::UndoneBefore)));
    assert_eq!([points("ana").await, points("bo").await], after);
    for name in ["ana", "bo"] {
        let history = house.get(&format!("/api/players/{name}/ratings/classic/rapid")).await.json();
        let undone: Vec<bool> = history["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["undone"].as_bool().unwrap_or_default())
            .collect();
        assert_eq!(undone, [false, true], "the latest first: {history}");
    }

    // `undo_all` reverses the rating changes of the player's games that were not undone yet. The
    // second call finds no such games.
    assert_eq!(operator.undo_all("ana").await.unwrap(), 1);
    assert_eq!(operator.undo_all("ana").await.unwrap(), 0);
    assert_eq!(operator.undo_all("bo").await.unwrap(), 0);
    for name in ["ana", "bo"] {
        // The difference may be 2 points, because ratings and changes are shown in whole points.
        assert!((points(name).await - 1_500).abs() <= 2, "{}", points(name).await);
    }
    assert_eq!(acts(&house.store).await.unwrap().len(), 2);
    // The entry on the leaderboard must match the current rating. Otherwise, the next rated game
    // could not find the entry to move it.
    let mut duel = Duel::begin(&house, &ana, &bo).await;
    command(&mut duel.red, duel.game, 2, GameCommand::Resign {}).await;
    resigned(&mut duel.red).await;
    house.run_jobs("rating_due").await;
    let prefix = Key::new("leaders/players/classic/rapid/").unwrap();
    assert_eq!(house.store.scan(prefix, None, 100).await.unwrap().len(), 2, "one place for each");
    house.close().await;
}

#[tokio::test]
async fn a_rating_job_that_comes_back_changes_nothing() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let mut duel = Duel::begin(&house, &ana, &bo).await;
    command(&mut duel.red, duel.game, 2, GameCommand::Resign {}).await;
    resigned(&mut duel.red).await;
    for is_undone in [false, true] {
        house.run_jobs("rating_due").await;
        if is_undone {
            Operator::new(&house.store, "a test").unwrap().undo(duel.game).await.unwrap();
        }
        let before = [rating(&house, "ana").await, rating(&house, "bo").await];
        let key = Key::new(format!("rating_due/{}", duel.game)).unwrap();
        let job = Write::Put { key: key.clone(), value: Vec::new(), expires: None };
        house.store.update(Update { conditions: Vec::new(), writes: vec![job] }).await.unwrap();
        house.run_jobs("rating_due").await;
        assert_eq!(house.store.get(key).await, Ok(None), "it is done");
        assert_eq!([rating(&house, "ana").await, rating(&house, "bo").await], before);
    }
    house.close().await;
}

#[tokio::test]
async fn a_late_rating_job_does_not_restore_a_deleted_account() {
    let house = House::open(settings()).await;
    let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
    let mut duel = Duel::begin(&house, &ana, &bo).await;
    let id = house.ask("GET", "/api/me", &ana, "").await.json()["player"]["id"].as_str().unwrap().to_owned();
    command(&mut duel.red, duel.game, 2, GameCommand::Resign {}).await;
    resigned(&mut duel.red).await;
    house.run_jobs("rating_due").await;
    let body = json!({ "password": "correct horse battery" }).to_string();
    assert_eq!(house.ask("DELETE", "/api/account", &ana, &body).await.status, 204);
    let kept = async |store: &TestStore| {
        let mut kept = 0;
        for prefix in [format!("ratings/{id}/"), format!("rating_history/{id}/"), format!("leaving/{id}")] {
            kept += store.scan(Key::new(prefix).unwrap(), None, 10).await.unwrap().len();
        }
        kept
    };
    assert_eq!(kept(&house.store).await, 0);
    // After the account was deleted, a server runs the rating job of one of the player's games.
    let put = async |key: String, value: Vec<u8>| {
        let key = Key::new(key).unwrap();
        let writes = vec![Write::Put { key, value, expires: None }];
        house.store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    };
    let rated = Write::Delete { key: Key::new(format!("rated/{}", duel.game)).unwrap() };
    house.store.update(Update { conditions: Vec::new(), writes: vec![rated] }).await.unwrap();
    put(format!("rating_due/{}", duel.game), Vec::new()).await;
    house.run_jobs("rating_due").await;
    assert_eq!(kept(&house.store).await, 0, "the rating of a deleted account is not made again");

    // A server has crashed during a deletion, and the next server must complete it.
    put(format!("ratings/{id}/classic/rapid"), b"{}".to_vec()).await;
    let player = json!({ "id": id, "name": "ana", "kind": "account" });
    put(format!("leaving/{id}"), player.to_string().into_bytes()).await;
    let store = house.store.clone();
    house.close().await;
    let house = House::open_on(store.clone(), settings()).await;
    crate::common::in_time("the rest to go", async {
        while kept(&store).await > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    house.close().await;
}

#[tokio::test]
async fn a_game_that_was_left_and_claimed_is_rated_like_any_other_and_once() {
    for (result, points) in [(ClaimedResult::Win, 1), (ClaimedResult::Draw, 0)] {
        let mut settings = settings();
        settings.times.claim = Duration::ZERO;
        let house = House::open(settings).await;
        let (ana, bo) = (account(&house, "ana", false).await, account(&house, "bo", false).await);
        let Duel { mut red, blue, game } = Duel::begin(&house, &ana, &bo).await;
        drop(blue);
        let gone = async |client: &mut Client| {
            client
                .find(|message| match message {
                    ServerToClient::Claimable { gone: Side::Blue, at: Some(_), .. } => Some(()),
                    _ => None,
                })
                .await;
        };
        gone(&mut red).await;
        command(&mut red, game, 2, GameCommand::Claim { result }).await;
        event(&mut red, |event| matches!(event, GameEvent::Ended { .. })).await;
        house.run_jobs("rating_due").await;
        house.run_jobs("rating_due").await;
        let change = house.ratings.change(game).await.unwrap().unwrap();
        let gain = i64::from(change.after.red.rating) - i64::from(change.before.red.rating);
        assert_eq!(gain.signum(), points, "{change:?}");
        assert_eq!(rating(&house, "ana").await[0]["games"], 1);
        let left = house.ask("GET", "/api/me", &bo, "").await.json()["conduct"]["left_games"].clone();
        assert_eq!(left, 1);
        house.close().await;
    }
}
