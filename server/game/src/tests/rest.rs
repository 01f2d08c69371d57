//! Games that leave memory while they are running, and come back unchanged.

use std::sync::Arc;

use flagfall_board::{Chance, GameId, PerSide, Side, Stamp};
use flagfall_protocol::{GameCommand, Phase, ServerToClient, Time};
use flagfall_rules::{Ruleset, Viewer};
use flagfall_store::{Announcement, Key, Store as _, Update, Write};
use flagfall_store_testing::{ManualClock, TestStore};

use super::harness::{
    CLAIM_MS, Client, DAYS, Hand, REST_MS, START, TestServer, close, command, deploy, deploy_both, header,
    keys, make_game, new_game, now, open, player, run_tasks,
};
use crate::CreateError;
use crate::header::GameHeader;
use crate::rest::Round;
use crate::table::{Input, Table};
use crate::{replay, search};

/// The time that a game stays in memory after it was only looked up.
const PASSING_MS: u64 = 5_000;
pub(super) const DAY_MS: u64 = 24 * 60 * 60_000;

#[tokio::test(start_paused = true)]
async fn a_game_without_connections_leaves_memory_and_comes_back_as_it_was() {
    let server = TestServer::new().await;
    for (number, time) in [(1, Time::Unlimited {}), (2, DAYS)] {
        let id = server.playing(number, time).await;
        let table = server.tables.find(id).await.unwrap();
        let ana = Client::new("ana");
        open(&table, &ana).await;
        server.advance(10 * REST_MS).await;
        assert_eq!(server.tables.len(), 1, "a client has it open");
        let before = table.look(Some("ana")).await.unwrap();
        close(&table, &ana, true).await;
        drop(table);
        server.advance(REST_MS - 1).await;
        assert_eq!(server.tables.len(), 1);
        server.advance(1).await;
        assert_eq!(server.tables.len(), 0);
        let table = server.tables.find(id).await.unwrap();
        let mut after = table.look(Some("ana")).await.unwrap();
        after.2.clock.clone_from(&before.2.clock);
        assert_eq!(before, after, "but for the time that has run");
        command(&table, &Client::new("ana"), "end", GameCommand::Resign {}).await;
        run_tasks().await;
        assert!(!table.is_running());
        drop(table);
        server.advance(10 * REST_MS).await;
        assert_eq!(server.tables.len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_on_a_live_clock_rests_a_minute_after_the_last_connection_closed() {
    let server = TestServer::new().await;
    let id = server.playing(1, Time::Fischer { base_s: 600, increment_s: 0 }).await;
    server.advance(59_999).await;
    assert_eq!(server.tables.len(), 1);
    server.advance(1).await;
    assert_eq!((server.tables.len(), keys(&server.store, "flags/").await.len()), (0, 1));
    assert_eq!(server.tables.running(10).len(), 1, "lists show it");
    let (.., view) = server.tables.find(id).await.unwrap().look(None).await.unwrap();
    assert_eq!(view.clock.unwrap().remaining_ms.red, 540_000);
}

#[tokio::test(start_paused = true)]
async fn a_message_sent_while_a_game_goes_to_rest_is_served() {
    let server = TestServer::new().await;
    let id = server.playing(1, DAYS).await;
    let table = server.tables.find(id).await.unwrap();
    // It is time for the table to leave memory, but a handle to the table still exists.
    // Nothing has been sent through this handle yet.
    server.advance(2 * REST_MS).await;
    assert_eq!(server.tables.len(), 1);
    let mut ana = Client::new("ana");
    open(&table, &ana).await;
    drop(table);
    assert!(matches!(ana.next().await, ServerToClient::Game { .. }));
    server.advance(2 * REST_MS).await;
    assert_eq!(server.tables.len(), 1, "ana has it open");
    let table = server.tables.find(id).await.unwrap();
    assert!(table.look(Some("ana")).await.is_ok(), "it is the same table");
    close(&table, &ana, true).await;
    drop(table);
    server.advance(2 * REST_MS).await;
    assert_eq!(server.tables.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_flag_of_a_game_at_rest_falls_at_its_time() {
    let server = TestServer::new().await;
    let id = server.playing(1, DAYS).await;
    let started = server.clock_now();
    server.advance(REST_MS).await;
    assert_eq!((server.tables.len(), keys(&server.store, "flags/").await.len()), (0, 1));
    // The game is checked at the time at which the deployment would have timed out, although
    // nothing is due.
    let entries = server.store.head(id).await.unwrap().seq;
    server.advance(DAY_MS).await;
    server.tables.open_due().await.unwrap();
    assert_eq!(server.tables.len(), 0);
    let at = started.plus_ms(2 * DAY_MS);
    server.advance(at.ms_since(server.clock_now()) - 4_000).await;
    server.tables.open_due().await.unwrap();
    assert_eq!(server.tables.len(), 1, "in memory when its flag is near");
    server.advance(4_000).await;
    assert_eq!(server.store.head(id).await.unwrap().seq, entries, "the last moment is in time");
    server.advance(1).await;
    let summary = server.tables.find(id).await.unwrap().summary();
    assert_eq!(summary.outcome.unwrap().reason, "out_of_time");
    assert_eq!(server.store.head(id).await.unwrap().seq, entries + 1);
    run_tasks().await;
    server.tables.open_due().await.unwrap();
    assert!(keys(&server.store, "flags/").await.is_empty() && keys(&server.store, "live/").await.is_empty());
    server.advance(REST_MS).await;
    assert_eq!(server.tables.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn any_live_server_lets_the_flag_fall_once() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let one = TestServer::on(store.clone(), clock.clone()).await;
    let id = one.playing(1, DAYS).await;
    // The second server starts while the game rests, and the third one after the first
    // has gone.
    let two = TestServer::on(store.clone(), clock.clone()).await;
    one.advance(REST_MS).await;
    assert_eq!((one.tables.len(), two.tables.len()), (0, 0));
    drop(one);
    let three = TestServer::on(store.clone(), clock.clone()).await;
    let entries = store.head(id).await.unwrap().seq;
    for _ in 0..50 {
        two.advance(DAY_MS / 24).await;
        for server in [&two, &three] {
            server.tables.open_due().await.unwrap();
        }
        run_tasks().await;
        assert!(two.tables.len() <= 1 && three.tables.len() <= 1);
        assert!(keys(&store, "flags/").await.len() <= 1);
    }
    let log = store.read(id, entries, 100).await.unwrap();
    assert_eq!(log.len(), 1, "one flag");
    assert_eq!(two.tables.find(id).await.unwrap().summary().phase, Phase::Over);
    assert!(keys(&store, "flags/").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_game_at_rest_has_lost_no_time_when_there_was_no_server() {
    let server = TestServer::new().await;
    let id = server.playing(1, DAYS).await;
    server.advance(REST_MS).await;
    let before = server.tables.find(id).await.unwrap().look(None).await.unwrap().2.clock.unwrap();
    server.advance(REST_MS).await;
    assert_eq!(server.tables.len(), 0);
    let clock = server.clock.clone();
    server.store.heartbeat().await.unwrap();
    clock.advance_ms(10 * DAY_MS);
    server.store.reopen();
    let server = TestServer::on(server.store, clock).await;
    server.advance(1_000).await;
    assert_eq!(server.tables.len(), 0, "it recorded the outage, and is at rest again");
    server.advance(5 * REST_MS).await;
    server.tables.open_due().await.unwrap();
    let (summary, _, view) = server.tables.find(id).await.unwrap().look(None).await.unwrap();
    let ran_ms = before.remaining_ms.red - view.clock.unwrap().remaining_ms.red;
    assert!(summary.outcome.is_none() && !view.paused);
    assert_eq!(ran_ms, REST_MS + 1_000 + 5 * REST_MS);
}

#[tokio::test(start_paused = true)]
async fn a_game_stays_at_rest_over_outages_and_records_them_when_opened() {
    let server = TestServer::new().await;
    let id = server.playing(1, DAYS).await;
    server.advance(REST_MS).await;
    let entries = server.store.head(id).await.unwrap().seq;
    let tables = server.tables.clone();
    let upkeep = tokio::spawn(async move {
        tables.look_after_games_at_rest(std::time::Duration::from_secs(5)).await;
    });
    server.advance(5_000).await;
    assert_eq!((server.tables.len(), server.tables.at_rest()), (0, 1));
    let reads = server.store.reads();
    for _ in 0..3 {
        server.outage(DAY_MS / 4).await;
        server.advance(5_000).await;
        assert_eq!((server.tables.len(), server.store.reads()), (0, reads), "it stays at rest");
    }
    assert_eq!(server.store.head(id).await.unwrap().seq, entries);
    let left_ms = 2 * DAY_MS - REST_MS - 4 * 5_000;
    let remaining = async |tables: &crate::Tables| {
        let (.., view) = tables.find(id).await.unwrap().look(None).await.unwrap();
        view.clock.unwrap().remaining_ms.red
    };
    assert_eq!(remaining(&server.tables).await, left_ms, "shown before the log records the outage");
    run_tasks().await;
    assert_eq!(server.store.head(id).await.unwrap().seq, entries + 2, "paused and resumed");
    assert_eq!(remaining(&server.tables).await, left_ms);
    server.advance(PASSING_MS).await;
    server.advance(PASSING_MS).await;
    assert_eq!(server.tables.len(), 0);
    // At the old due time, the game is checked, and its due time is moved to a later moment.
    server.advance(DAY_MS).await;
    server.advance(5_000).await;
    assert_eq!(remaining(&server.tables).await, left_ms - 2 * PASSING_MS - DAY_MS - 5_000);
    assert_eq!(server.store.head(id).await.unwrap().seq, entries + 2, "recorded once");
    upkeep.abort();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_opens_no_game_at_rest() {
    let mut server = TestServer::new().await;
    for number in 1..=3 {
        let live = Time::Fischer { base_s: 3_600, increment_s: 0 };
        server.playing(number, [live, DAYS, Time::Unlimited {}][usize::from(number) - 1]).await;
    }
    server.advance(REST_MS).await;
    for _ in 0..3 {
        let reads = server.store.reads();
        server.clock.advance_ms(DAY_MS / 10);
        server = server.restart().await;
        run_tasks().await;
        assert_eq!((server.tables.len(), server.store.reads()), (0, reads));
        assert_eq!(server.tables.running(10).len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_of_version_0_1_gets_its_lists_whole_without_opening_a_game() {
    let server = TestServer::new().await;
    server.playing(1, DAYS).await;
    let live = server.playing(2, Time::Fischer { base_s: 600, increment_s: 0 }).await;
    let mut new = new_game(3, ["ana", "house-random"]);
    new.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    let header = GameHeader { terms: new.terms, players: new.players, ..header("classic") };
    make_game(&server.store, new.id, &header);
    server.advance(REST_MS / 10).await;
    // For a live clock, version 0.1 only recorded that the game is running.
    for key in [keys(&server.store, "flags/").await, keys(&server.store, "public/").await].concat() {
        let writes = vec![Write::Delete { key: Key::new(key.as_bytes()).unwrap() }];
        server.store.update(Update { conditions: vec![], writes }).await.unwrap();
    }
    for game in keys(&server.store, "live/").await {
        let key = Key::new(game.as_bytes()).unwrap();
        let writes = vec![Write::Put { key, value: Vec::new(), expires: None }];
        server.store.update(Update { conditions: vec![], writes }).await.unwrap();
    }
    let server = server.restart().await;
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!((server.tables.len(), server.tables.at_rest(), server.tables.running_count()), (0, 3, 3));
    assert_eq!(keys(&server.store, "flags/").await.len(), 3);
    assert_eq!(keys(&server.store, "public/").await.len(), 3);
    assert_eq!(keys(&server.store, "house/").await, [format!("house/{}", new.id)]);
    // Another round finds nothing to repair.
    let reads = server.store.reads();
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(server.store.reads(), reads);
    server.advance(541_000).await;
    server.tables.open_due().await.unwrap();
    run_tasks().await;
    assert_eq!(server.tables.find(live).await.unwrap().summary().phase, Phase::Over);
}

#[test]
fn a_game_is_listed_while_its_house_player_is_to_act() {
    let mut terms = header("classic");
    terms.terms.time = Time::Unlimited {};
    terms.players.blue = player("house-random");
    let mut hand = Hand::new(&terms);
    let (ana, simple) = (Client::new("ana"), Client::new("house-random"));
    let is_on = |hand: &Hand, list| {
        now(hand.store.get(Key::new(format!("{list}/{}", hand.id)).unwrap())).unwrap().is_some()
    };
    let is_listed = |hand: &Hand| {
        assert_eq!(is_on(hand, "house"), is_on(hand, "awake"), "for servers of version 0.1");
        is_on(hand, "house")
    };
    hand.command(&ana, 0, deploy("classic", Side::Red, 3));
    assert!(is_listed(&hand), "it has to deploy");
    hand.command(&simple, 0, deploy("classic", Side::Blue, 3));
    assert!(!is_listed(&hand), "Red is to move");
    let mut chance = Chance::new(1);
    for ply in 0..20 {
        let command = hand.any_move(&mut chance).unwrap();
        hand.command(if ply % 2 == 0 { &ana } else { &simple }, ply, command);
        assert_eq!(is_listed(&hand), ply % 2 == 0, "after ply {ply}");
    }
    hand.command(&ana, 20, GameCommand::OfferDraw {});
    assert!(!is_listed(&hand));
    let command = hand.any_move(&mut chance).unwrap();
    hand.command(&ana, 20, command);
    assert!(is_listed(&hand));
    hand.command(&ana, 21, GameCommand::Resign {});
    assert!(hand.table.is_over() && !is_listed(&hand));
}

#[tokio::test(start_paused = true)]
async fn the_server_that_starts_next_moves_the_house_player_of_one_that_died() {
    let clock = Arc::new(ManualClock::new(START));
    let mut terms = header("classic");
    terms.terms.time = Time::Unlimited {};
    terms.players.blue = player("house-random");
    let mut hand = Hand::new(&terms);
    let ana = Client::new("ana");
    hand.command(&ana, 0, deploy("classic", Side::Red, 3));
    let (store, id) = (hand.store.clone(), hand.id);
    drop(hand);
    let writes = vec![Write::Put { key: Key::new("lists_whole").unwrap(), value: Vec::new(), expires: None }];
    store.update(Update { conditions: vec![], writes }).await.unwrap();
    assert_eq!(keys(&store, "house/").await.len(), 1);
    let server = TestServer::on(store, clock).await;
    // No client has the game open, so the server has to find it in the list.
    server.tables.open_house_turns(&mut None).await.unwrap();
    while server.tables.residents().handle(id).is_some_and(|table| table.summary().phase == Phase::Deploying)
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.tables.running(10)[0].phase, Phase::Playing);
}

/// Plays one game on several servers, with days per ply or on a live clock. During the game, there
/// are restarts, crashes, outages and rests of any length. The flag must fall once, exactly when
/// the side has used all its time.
#[tokio::test(start_paused = true)]
async fn a_flag_falls_once_and_at_its_time_in_spite_of_outages() {
    let worlds = std::env::var("FLAGFALL_WORLDS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let live = Time::Fischer { base_s: 2 * 86_400, increment_s: 0 };
    for (seed, time) in (1..=worlds).flat_map(|seed| [(seed, DAYS), (seed, live)]) {
        println!("seed {seed}, {time:?}");
        let mut chance = Chance::new(seed);
        let clock = Arc::new(ManualClock::new(START));
        let store = TestStore::announcing(clock.clone());
        let mut servers = vec![TestServer::on(store.clone(), clock.clone()).await];
        let id = servers[0].playing(1, time).await;
        let began = servers[0].clock_now();
        let entries = store.head(id).await.unwrap().seq;
        let mut still_ms = 0;
        let flag = |still_ms| began.plus_ms(2 * DAY_MS + still_ms);
        // The game is checked in every iteration, because a running server checks at least every
        // five seconds.
        while servers[0].tables.find(id).await.unwrap().is_running() {
            let left_ms = flag(still_ms).ms_since(servers[0].clock_now());
            let at = chance.below(servers.len());
            match chance.below(10) {
                0 => {
                    // All servers are cut off. They notice this before the store accepts another
                    // write.
                    let ms = 1 + chance.below(30 * 3_600_000) as u64;
                    servers[0].outage(ms).await;
                    still_ms += ms;
                    let outage = *servers[0].faults.outage.lock().unwrap();
                    for server in &servers {
                        *server.faults.outage.lock().unwrap() = outage;
                        // Start the audit that follows an outage.
                        server.tables.sight_regained();
                    }
                    run_tasks().await;
                }
                1 => {
                    // All servers crash, and one comes back.
                    let ms = chance.below(30 * 3_600_000) as u64;
                    store.heartbeat().await.unwrap();
                    servers.drain(..).for_each(TestServer::die);
                    clock.advance_ms(ms);
                    store.reopen();
                    still_ms += ms;
                    servers.push(TestServer::on(store.clone(), clock.clone()).await);
                }
                2 if servers.len() < 3 => {
                    // Another server starts. The other servers have been running until now.
                    store.heartbeat().await.unwrap();
                    store.reopen();
                    servers.push(TestServer::on(store.clone(), clock.clone()).await);
                }
                3 if servers.len() > 1 => servers.remove(at).die(),
                4 => drop(servers[at].tables.find(id).await.unwrap().look(None).await.unwrap()),
                _ => {
                    let ms = (1 + chance.below(5 * 3_600_000) as u64).min(left_ms.max(5_000));
                    servers[at].advance(ms).await;
                }
            }
            for server in &servers {
                server.tables.open_due().await.unwrap();
            }
            run_tasks().await;
            let is_due = servers[0].clock_now() > flag(still_ms);
            let log = store.read(id, entries, 100).await.unwrap();
            let has_ended = replay_of(&store, id).await.outcome().is_some();
            assert_eq!(has_ended, is_due, "{} entries", log.len());
        }
        let ends = replay_of(&store, id).await;
        assert_eq!(ends.outcome().unwrap().reason, flagfall_rules::EndReason::OutOfTime);
        run_tasks().await;
        let head = store.head(id).await.unwrap();
        for server in &servers {
            server.tables.open_due().await.unwrap();
            server.advance(REST_MS).await;
            assert_eq!(server.tables.find(id).await.unwrap().summary().phase, Phase::Over);
        }
        assert_eq!(store.head(id).await.unwrap(), head, "once");
        for list in ["flags/", "live/", "awake/", "house/", "public/"] {
            assert!(keys(&store, list).await.is_empty(), "{list}");
        }
    }
}

/// Returns the game as its log records it.
async fn replay_of(store: &TestStore, id: GameId) -> flagfall_rules::Game {
    let stored = search::read_all(store, id, 0).await.unwrap();
    replay::replay(id, &stored, |_, _| {}).unwrap().1
}

#[tokio::test(start_paused = true)]
async fn leaving_on_purpose_is_remembered_while_a_game_rests() {
    let mut one = TestServer::new().await;
    for (number, is_on_purpose, private) in [(1, true, false), (2, false, false), (3, true, true)] {
        let mut new = new_game(number, ["ana", "bo"]);
        (new.terms.time, new.terms.private) = (Time::Unlimited {}, private);
        let table = one.create(new).await;
        let id = table.id();
        deploy_both(&table).await;
        let ana = Client::new("ana");
        open(&table, &ana).await;
        run_tasks().await;
        close(&table, &ana, is_on_purpose).await;
        drop(table);
        one.advance(REST_MS).await;
        one.advance(REST_MS).await;
        assert_eq!(one.tables.len(), 0);
        // The opponent has to wait the full time. The same is true after another rest, on the next
        // server.
        for _ in 0..3 {
            let server = &one;
            let mut bo = Client::new("bo");
            let table = server.tables.find(id).await.unwrap();
            open(&table, &bo).await;
            run_tasks().await;
            let least_ms = CLAIM_MS * 5;
            let wait_ms = if is_on_purpose { least_ms / 2 } else { least_ms };
            let told = bo.read().into_iter().find_map(|message| match message {
                ServerToClient::Claimable { gone: Side::Red, at: Some(at), .. } => Some(at),
                ServerToClient::Game { claimable_at, .. } => claimable_at.red,
                _ => None,
            });
            assert_eq!(told, Some(server.clock_now().plus_ms(wait_ms).0), "{number}");
            close(&table, &bo, true).await;
            drop(table);
            server.advance(REST_MS).await;
            server.advance(REST_MS).await;
            assert_eq!(server.tables.len(), 0);
            one = one.restart().await;
        }
        // Ana comes back, and then the connection drops. The server has forgotten that ana
        // left on purpose before.
        let table = one.tables.find(id).await.unwrap();
        let ana = Client::new("ana");
        open(&table, &ana).await;
        run_tasks().await;
        close(&table, &ana, false).await;
        drop(table);
        one.advance(REST_MS).await;
        one.advance(REST_MS).await;
        let listed = one.tables.listing(id).await.unwrap().unwrap();
        assert_eq!(listed.absence.gone, PerSide::new(false, true), "bo is gone for good");
    }
}

#[tokio::test(start_paused = true)]
async fn games_at_rest_count_for_their_players() {
    let server = TestServer::new().await;
    for number in 1..=3 {
        server.playing(number, DAYS).await;
    }
    server.advance(REST_MS).await;
    assert_eq!(server.tables.len(), 0);
    assert_eq!(server.tables.count_games_of("ana").await, Ok(3));
    let refused = server.tables.create(new_game(4, ["cy", "ana"])).await;
    assert_eq!(refused, Err(CreateError::TooManyGames(3)));
    assert_eq!(server.tables.games_of("ana").await.len(), 3);
    assert!(server.tables.games_of("cy").await.is_empty());
    // Two games are created at once, but there is room for only one.
    let table = server.tables.find(GameId::from_random([1; 12])).await.unwrap();
    command(&table, &Client::new("bo"), "end", GameCommand::Resign {}).await;
    run_tasks().await;
    let (one, other) = (new_game(5, ["ana", "cy"]), new_game(6, ["di", "ana"]));
    let made = tokio::join!(server.tables.create(one), server.tables.create(other));
    assert!(made.0.is_ok());
    assert_eq!(made.1, Err(CreateError::TooManyGames(3)));
}

#[tokio::test(start_paused = true)]
async fn moves_on_other_servers_do_not_wake_a_game_that_rests_here() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let (one, two) = (TestServer::on(store.clone(), clock.clone()).await, TestServer::on(store, clock).await);
    let following = two.tables.clone();
    tokio::spawn(async move { following.follow().await });
    run_tasks().await;
    let id = one.playing(1, DAYS).await;
    // The other server waits for answers about who has the game open, but no server answers.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(
        two.tables.residents().handle(id).is_some(),
        "players who are connected here are notified of a new game"
    );
    one.advance(REST_MS).await;
    assert_eq!(two.tables.len(), 0);
    let table = one.tables.find(id).await.unwrap();
    let head = one.store.head(id).await.unwrap().seq;
    let draw = GameCommand::OfferDraw {};
    command(&table, &Client::new("ana"), "draw", draw).await;
    run_tasks().await;
    assert!(one.store.head(id).await.unwrap().seq > head);
    one.store.announce(Announcement::Everything);
    run_tasks().await;
    assert_eq!(two.tables.len(), 0);
    let seen = two.tables.find(id).await.unwrap().look(Some("bo")).await.unwrap();
    assert_eq!(seen.2, table.look(Some("bo")).await.unwrap().2);
}

#[tokio::test(start_paused = true)]
async fn a_house_player_has_moved_before_its_game_rests() {
    let server = TestServer::new().await;
    let mut new = new_game(1, ["ana", "house-random"]);
    new.terms.time = DAYS;
    let id = server.tables.create(new).await.unwrap().id;
    let mut ana = Client::new("ana");
    let table = server.tables.find(id).await.unwrap();
    command(&table, &ana, "deploy", deploy("classic", Side::Red, 3)).await;
    assert!(matches!(ana.next().await, ServerToClient::Accepted { .. }));
    drop(table);
    // Wait, because the house player deploys on another thread.
    while server.tables.find(id).await.unwrap().summary().phase != Phase::Playing {
        tokio::task::yield_now().await;
    }
    server.advance(REST_MS).await;
    assert_eq!(server.tables.len(), 0);
}

/// A table that is unloaded and opened again at every ply is equal to one that stays in memory.
#[test]
fn at_every_ply_of_every_ruleset_a_game_that_rests_is_what_it_was() {
    for ruleset in Ruleset::all() {
        let mut terms = header(ruleset.id);
        terms.terms.time = DAYS;
        let (mut hand, mut ana, mut bo) = Hand::playing(&terms);
        let mut chance = Chance::new(11);
        for ply in 0..60 {
            hand.play(&mut ana, &mut bo, 1, &mut chance);
            let before = (Viewer::ALL.map(|viewer| (hand.seq(viewer), hand.view(viewer))), hand.table.head);
            let kept = |table: &Table| {
                Viewer::ALL.map(|viewer| table.audiences.shown(viewer).events_after(0, &table.game))
            };
            let positions = kept(&hand.table);
            hand.close(&ana);
            hand.close(&bo);
            let is_running = hand.table.game.turn().is_some();
            assert_eq!(hand.table.may_rest(hand.now()), is_running, "{} {ply}", ruleset.id);
            hand.reload();
            let after = (Viewer::ALL.map(|viewer| (hand.seq(viewer), hand.view(viewer))), hand.table.head);
            assert_eq!(before, after, "{} {ply}", ruleset.id);
            assert_eq!(positions, kept(&hand.table));
            (ana, bo) = (Client::new("ana"), Client::new("bo"));
            hand.open(&ana, None);
            hand.open(&bo, None);
            ana.texts();
            bo.texts();
        }
    }
}

#[test]
fn no_flag_falls_before_the_moment_until_which_a_game_may_rest() {
    for time in [DAYS, Time::Fischer { base_s: 60, increment_s: 1 }, Time::Delay { base_s: 60, free_s: 3 }] {
        for ruleset in Ruleset::all() {
            let mut terms = header(ruleset.id);
            terms.terms.time = time;
            let (mut hand, mut ana, mut bo) = Hand::playing(&terms);
            let mut chance = Chance::new(13);
            let mut bounds: Vec<Stamp> = Vec::new();
            for _ in 0..40 {
                bounds.extend(hand.table.no_flag_before(hand.now()));
                hand.advance([10, 900, 2_500][chance.below(3)]);
                hand.step(Input::Tick);
                if hand.table.is_over() {
                    break;
                }
                hand.play(&mut ana, &mut bo, 1, &mut chance);
            }
            let flag = hand.table.game.deadline().into_iter().chain([hand.now()]).max().unwrap();
            assert!(bounds.iter().all(|bound| *bound <= flag), "{}", ruleset.id);
        }
    }
}
