//! Tables of two servers on one store with announcements. Games are created, played and ended on
//! one of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_base::cluster::{MemberInfo, News, OpenedSeek, Peers};
use flagfall_base::delivery::{Connections, Registration};
use flagfall_base::keys::told_key;
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, GameCommand, Phase, Presence, ServerToClient, Time};
use flagfall_store::{Announcement, Store as _, Topic};
use flagfall_store_testing::{ManualClock, TestStore};
use futures_util::FutureExt as _;
use tokio::task::JoinHandle;

use super::harness::{
    Client, START, TestServer, close, command, deploy, header, keys, make_game, new_game, open, rematch,
    run_tasks,
};
use crate::rest::Round;
use crate::{NewGame, TableError, TableHandle, Tables};

struct Server {
    tables: Tables,
    connections: Connections,
    tasks: [JoinHandle<()>; 2],
}

/// Passes news to the tables. Drops news about seeks, because these tests have no lobby.
struct HeardBy<'a>(&'a Tables);

impl News for HeardBy<'_> {
    fn seats_changed(&self, games: &[GameId]) {
        self.0.seats_changed(games);
    }

    fn sight_regained(&self) {
        self.0.sight_regained();
    }

    fn rematch_offered(&self, game: GameId, side: Side) {
        self.0.rematch_offered(game, side);
    }

    fn seek_opened(&self, _opened: OpenedSeek) {}

    fn seek_closed(&self, _seek: &str) {}

    fn work_due(&self, keys: &[String]) {
        keys.iter().filter_map(|key| told_key(key)).for_each(|key| assert!(self.0.hear_due(&key)));
    }

    fn withdrawn(&self) {}
}

async fn listen(peers: Peers, tables: Tables) {
    let Some(seats) = tables.seats() else { return };
    peers.listen(seats, tables.connections(), &HeardBy(&tables)).await;
}

async fn tell(peers: Peers, tables: Tables) {
    let Some(seats) = tables.seats() else { return };
    peers.tell_seats(seats, Duration::from_secs(1)).await;
}

impl Server {
    async fn start(store: &TestStore, clock: &Arc<ManualClock>) -> Server {
        let TestServer { tables, connections, .. } = TestServer::on(store.clone(), clock.clone()).await;
        let following = tables.clone();
        tokio::spawn(async move { following.follow().await });
        let peers = tables.peers().clone();
        let tasks =
            [tokio::spawn(listen(peers.clone(), tables.clone())), tokio::spawn(tell(peers, tables.clone()))];
        run_tasks().await;
        Server { tables, connections, tasks }
    }

    /// Simulates a crash: from now on, the server sends and hears nothing.
    fn kill(&self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }

    fn connect(&self, client: &Client) -> Registration {
        let mut registration = self.connections.enter(client.outbox.clone(), None);
        registration.identify(&client.player.id, "token", 8);
        registration
    }

    fn game(&self, id: GameId) -> TableHandle {
        self.tables.residents().handle(id).expect("it has a table here")
    }
}

async fn pair() -> (TestStore, Server, Server) {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let (one, other) = (Server::start(&store, &clock).await, Server::start(&store, &clock).await);
    (store, one, other)
}

/// Lets servers meet until they know that none of them is of an older version.
async fn meet(servers: &[&Server]) {
    let info = MemberInfo::of_this_version();
    for _ in 0..20 {
        for server in servers {
            server.tables.peers().meet(&info).await.unwrap();
        }
    }
    assert!(servers.iter().all(|server| !server.tables.peers().has_former()));
}

/// Returns two servers that have met, and a game of ana and bo.
async fn following_pair() -> (TestStore, Server, Server, GameId) {
    let (store, one, other) = pair().await;
    meet(&[&one, &other]).await;
    let id = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap().id;
    run_tasks().await;
    (store, one, other, id)
}

async fn send(table: &TableHandle, client: &Client, id: &str, side: Side) {
    command(table, client, id, deploy("classic", side, 1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_player_is_notified_once_of_a_game_created_on_another_server() {
    let (_store, one, other) = pair().await;
    let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    let _connected = (one.connect(&ana), other.connect(&bo));
    let id = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap().id;
    run_tasks().await;
    let told = bo.only();
    assert!(matches!(&told, ServerToClient::GameStarted { game, side: Side::Blue } if game.id == id));
    assert!(ana.texts().is_empty(), "the server that creates a game notifies its own players");
    assert_eq!(other.game(id).summary().phase, Phase::Deploying);
    assert_eq!(other.tables.games_of("ana").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn servers_that_tell_of_new_games_do_not_open_each_others() {
    let (_store, one, other) = pair().await;
    for server in [&one, &other, &one] {
        server.tables.peers().meet(&MemberInfo::of_this_version()).await.unwrap();
    }
    let (ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    let _connected = (one.connect(&ana), other.connect(&bo));
    let game = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap();
    run_tasks().await;
    assert!(other.tables.residents().handle(game.id).is_none());
    one.tables.tell_start(&game).await;
    run_tasks().await;
    let told = bo.only();
    assert!(matches!(&told, ServerToClient::GameStarted { game: of, side: Side::Blue } if of.id == game.id));
    assert!(other.tables.residents().handle(game.id).is_none());
}

#[tokio::test(start_paused = true)]
async fn moves_of_a_game_concern_only_servers_that_have_it_open() {
    let (store, one, other, id) = following_pair().await;
    let before = store.reads();
    send(&one.game(id), &Client::new("ana"), "red", Side::Red).await;
    send(&one.game(id), &Client::new("bo"), "blue", Side::Blue).await;
    run_tasks().await;
    assert_eq!(one.game(id).summary().phase, Phase::Playing);
    assert!(other.tables.residents().handle(id).is_none());
    assert_eq!((store.reads(), store.count_followers(&Topic::Game(id))), (before, 1));
    other.tables.find(id).await.unwrap();
    assert_eq!(store.count_followers(&Topic::Game(id)), 2);
    assert_eq!(other.tables.find(GameId::from_random([9; 12])).await.err(), Some(TableError::NotFound));
    assert_eq!(store.count_followers(&Topic::Game(GameId::from_random([9; 12]))), 0);
}

#[tokio::test(start_paused = true)]
async fn a_due_flag_that_one_server_finds_is_opened_by_its_guardian() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let (one, other) = (Server::start(&store, &clock).await, Server::start(&store, &clock).await);
    for server in [&one, &other, &one] {
        server.tables.peers().meet(&MemberInfo::of_this_version()).await.unwrap();
    }
    let is_guarded = |id: &GameId| other.tables.peers().guards(id.as_str());
    let id = (0_u8..32).map(|number| GameId::from_random([number; 12])).find(is_guarded).unwrap();
    let tables = other.tables.clone();
    tokio::spawn(async move { tables.look_after_flags(Duration::from_secs(3_600)).await });
    run_tasks().await;
    // A game whose flag falls soon.
    let mut header = header("classic");
    header.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    header.deploy_ms = 4_000;
    make_game(&store, id, &header);
    let mut round = Round::default();
    while !one.tables.go_round(&mut round).await.unwrap() {}
    run_tasks().await;
    let is_open = |server: &Server| server.tables.residents().handle(id).is_some();
    assert!(!is_open(&one) && !is_open(&other), "the guardian does not look for an hour");
    one.tables.open_due().await.unwrap();
    run_tasks().await;
    assert!(!is_open(&one) && is_open(&other));
}

/// Lets two servers, each of which believes that it is the guardian, end a game. Returns the number
/// of entries in its log, and whether it is still running on a server.
async fn end_by_two_guardians(store: &TestStore, clock: &Arc<ManualClock>) -> (usize, bool) {
    let servers = [Server::start(store, clock).await, Server::start(store, clock).await];
    let id = GameId::from_random([1; 12]);
    let mut header = header("classic");
    header.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    header.deploy_ms = 4_000;
    make_game(store, id, &header);
    for Server { tables, .. } in &servers {
        // The servers have not met, so each one guards all games.
        assert!(tables.peers().guards(id.as_str()));
        let mut round = Round::default();
        while !tables.go_round(&mut round).await.unwrap() {}
        tables.open_due().await.unwrap();
        run_tasks().await;
    }
    let handle = |server: &Server| server.tables.residents().handle(id);
    let is_running = |server: &Server| handle(server).is_some_and(|table| table.is_running());
    assert!(servers.iter().all(is_running));
    clock.advance_ms(4_001);
    tokio::time::advance(Duration::from_millis(4_001)).await;
    run_tasks().await;
    (store.read(id, 0, 9).await.unwrap().len(), servers.iter().any(is_running))
}

#[tokio::test(start_paused = true)]
async fn two_servers_that_both_believe_to_be_guardian_end_a_game_once() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let ended = end_by_two_guardians(&store, &clock).await;
    assert_eq!(ended, (2, false), "the beginning and the end");
}

#[tokio::test(start_paused = true)]
async fn a_second_end_by_another_guardian_is_found() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    store.stop_checking_heads();
    let (entries, _) = end_by_two_guardians(&store, &clock).await;
    assert_eq!(entries, 3, "the append decides who was first");
}

#[tokio::test(start_paused = true)]
async fn what_is_announced_while_a_game_is_opened_is_kept_for_its_table() {
    let (_store, one, other, id) = following_pair().await;
    let residents = other.tables.residents();
    let (followed, _) = residents.follow(id).await;
    send(&one.game(id), &Client::new("ana"), "red", Side::Red).await;
    run_tasks().await;
    assert_eq!(residents.index.lock().opening.get(&id), Some(&one.game(id).facts.head()));
    drop(followed);
    assert!(residents.index.lock().opening.is_empty());
}

#[tokio::test(start_paused = true)]
async fn players_on_two_servers_play_one_game() {
    let (_store, one, other, id) = following_pair().await;
    let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    open(&one.game(id), &ana).await;
    open(&other.tables.find(id).await.unwrap(), &bo).await;
    run_tasks().await;
    ana.texts();
    bo.texts();
    send(&one.game(id), &ana, "red", Side::Red).await;
    send(&other.game(id), &bo, "blue", Side::Blue).await;
    run_tasks().await;
    ana.accepted();
    bo.accepted();
    assert_eq!(one.game(id).summary().phase, Phase::Playing);
    assert_eq!(other.game(id).summary().phase, Phase::Playing);
}

/// A table without connections reads the entries of other servers with a delay. Until then, it
/// still counts the game as running.
#[tokio::test(start_paused = true)]
async fn a_game_that_ended_elsewhere_is_no_running_game_of_its_players() {
    let (_store, one, other) = pair().await;
    let id = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap().id;
    let kept = one.tables.create(new_game(2, ["ana", "bo"])).await.unwrap().id;
    run_tasks().await;
    assert_eq!(other.tables.games_of("ana").await.len(), 2);
    command(&one.game(id), &Client::new("ana"), "abort", GameCommand::Abort {}).await;
    run_tasks().await;
    assert!(!one.game(id).is_running() && other.game(id).is_running(), "no connection has it open there");
    for server in [&one, &other] {
        let listed: Vec<GameId> =
            server.tables.games_of("ana").await.into_iter().map(|game| game.id).collect();
        assert_eq!(listed, [kept]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_audit_finds_unannounced_entries() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let one = Server::start(&store, &clock).await;
    let id = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap().id;
    // A server that starts later reads the earlier entries.
    let other = Server::start(&store, &clock).await;
    let watcher = Client::new("cy");
    open(&other.tables.find(id).await.unwrap(), &watcher).await;
    run_tasks().await;
    let ana = Client::new("ana");
    send(&one.game(id), &ana, "red", Side::Red).await;
    run_tasks().await;
    store.announce(Announcement::Everything);
    run_tasks().await;
    assert_eq!(one.game(id).facts.head(), other.game(id).facts.head());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_one_server_paused_goes_on_at_the_other() {
    let (store, one, other) = pair().await;
    let id = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap().id;
    run_tasks().await;
    let mut bo = Client::new("bo");
    open(&other.game(id), &bo).await;
    run_tasks().await;
    bo.texts();
    one.tables.stop(false).await;
    run_tasks().await;
    assert!(bo.texts().is_empty(), "one of two servers stops: nothing is paused");
    let third = Server::start(&store, &Arc::new(ManualClock::new(START))).await;
    third.tables.find(id).await.unwrap();
    third.tables.stop(true).await;
    run_tasks().await;
    let told = bo.texts().join(" ");
    assert!(told.contains("paused") && told.contains("resumed"), "{told}");
}

fn follow(server: &TestServer) {
    let tables = server.tables.clone();
    tokio::spawn(async move { tables.follow().await });
}

/// The part of the store with one game gives no answers. Another game goes on.
#[tokio::test(start_paused = true)]
async fn a_game_whose_part_of_the_store_is_away_delays_no_other_game() {
    let (one, two) = TestServer::pair().await;
    let store = one.store.clone();
    let third = TestServer::on(store.clone(), one.clock.clone()).await;
    let late = TestServer::on(store.clone(), one.clock.clone()).await;
    let [away, other] = [one.game(1).await.id(), one.game(2).await.id()];
    for server in [&two, &third] {
        server.tables.find(away).await.unwrap();
        server.tables.find(other).await.unwrap();
    }
    for server in [&two, &third, &late] {
        *server.faults.away.lock().unwrap() = Some(away);
    }
    let (watched, watcher) = (two.tables.find(other).await.unwrap(), Client::new("cy"));
    open(&watched, &watcher).await;
    follow(&two);
    run_tasks().await;
    send(&one.tables.find(other).await.unwrap(), &Client::new("ana"), "red", Side::Red).await;
    run_tasks().await;
    let head = store.head(other).await.unwrap().seq;
    assert_eq!(watched.facts.head(), head, "moves are heard of while an audit waits for the away game");
    for server in [&third, &late] {
        server.faults.is_silence_known.store(true, Ordering::SeqCst);
    }
    follow(&third);
    run_tasks().await;
    store.lose_tail(other, head - 1);
    store.announce(Announcement::Everything);
    run_tasks().await;
    assert!(third.tables.residents().handle(other).is_none(), "a second audit was made");
    let found = late.tables.find(away).now_or_never().unwrap();
    assert_eq!(found.err(), Some(TableError::Unavailable), "nothing waits for the answer");
    assert!(late.tables.find(other).await.is_ok());
}

/// A log loses its last entry after that entry was announced. The server looks for the entry only
/// once.
#[tokio::test(start_paused = true)]
async fn an_announced_entry_that_does_not_exist_is_looked_for_once() {
    let (store, one, _other) = pair().await;
    let id = one.tables.create(new_game(1, ["ana", "bo"])).await.unwrap().id;
    let watcher = Client::new("cy");
    open(&one.game(id), &watcher).await;
    run_tasks().await;
    let before = store.reads();
    let seq = one.game(id).facts.head() + 1_000;
    store.announce(Announcement::Appended { game: id, seq });
    run_tasks().await;
    let after = store.reads();
    assert!(after > before, "with a connection, the hint is followed at once");
    run_tasks().await;
    run_tasks().await;
    assert_eq!(store.reads(), after, "and then no more");
}

/// Returns the presences that were sent to a client, and whether its connection was superseded.
fn told(client: &mut Client) -> (Vec<Presence>, bool) {
    let messages = client.read();
    let is_superseded = messages.iter().any(|message| matches!(message, ServerToClient::Superseded { .. }));
    let presence = |message| match message {
        ServerToClient::Presence { presence, .. } => Some(presence),
        _ => None,
    };
    (messages.into_iter().filter_map(presence).collect(), is_superseded)
}

#[tokio::test(start_paused = true)]
async fn opponents_and_spectators_see_players_on_another_server() {
    let (_store, one, other, id) = following_pair().await;
    let (mut ana, mut bo, mut cy) = (Client::new("ana"), Client::new("bo"), Client::new("cy"));
    open(&other.tables.find(id).await.unwrap(), &bo).await;
    open(&other.game(id), &cy).await;
    run_tasks().await;
    bo.texts();
    cy.texts();
    open(&one.game(id), &ana).await;
    run_tasks().await;
    assert_eq!(told(&mut bo), (vec![Presence::Present], false));
    assert_eq!(told(&mut cy), (vec![Presence::Present], false));
    let third = Client::new("ana");
    open(&other.game(id), &third).await;
    run_tasks().await;
    assert_eq!(told(&mut ana), (vec![], true), "the newest connection drives");
    close(&one.game(id), &ana, false).await;
    assert_eq!(told(&mut bo), (vec![], false), "ana is there still");
    close(&other.game(id), &third, false).await;
    assert_eq!(told(&mut bo), (vec![Presence::Reconnecting], false));
}

#[tokio::test(start_paused = true)]
async fn the_players_of_a_dead_server_are_soon_reconnecting() {
    let (_store, one, other, id) = following_pair().await;
    let (ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    open(&one.game(id), &ana).await;
    open(&other.tables.find(id).await.unwrap(), &bo).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    bo.texts();
    one.kill();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(told(&mut bo).0, []);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(told(&mut bo).0, [Presence::Reconnecting]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_opens_a_game_knows_the_seats_of_others_at_once() {
    let (store, one, _other, id) = following_pair().await;
    let ana = Client::new("ana");
    open(&one.game(id), &ana).await;
    run_tasks().await;
    let third = Server::start(&store, &Arc::new(ManualClock::new(START))).await;
    let mut bo = Client::new("bo");
    open(&third.tables.find(id).await.unwrap(), &bo).await;
    run_tasks().await;
    let ServerToClient::Game { presence, .. } = bo.only() else { panic!() };
    assert_eq!(presence.red, Presence::Present);
}

/// Returns two servers, and the game of ana and bo, which ana has open on the first server and has
/// called off.
async fn aborted_pair() -> (TestStore, Server, Server, GameId, Client) {
    let (store, one, other, id) = following_pair().await;
    let mut ana = Client::new("ana");
    open(&one.game(id), &ana).await;
    command(&one.game(id), &ana, "end", GameCommand::Abort {}).await;
    run_tasks().await;
    ana.texts();
    (store, one, other, id, ana)
}

/// Returns the games that have begun, as a client was told.
fn begun(client: &mut Client) -> Vec<GameId> {
    let begun = |message| match message {
        ServerToClient::GameStarted { game, .. } => Some(game.id),
        _ => None,
    };
    client.read().into_iter().filter_map(begun).collect()
}

#[tokio::test(start_paused = true)]
async fn a_rematch_begins_once_although_its_players_are_on_different_servers() {
    for at_once in [false, true] {
        let (store, one, other, id, mut ana) = aborted_pair().await;
        let mut bo = Client::new("bo");
        let _connected = (one.connect(&ana), other.connect(&bo));
        open(&other.tables.find(id).await.unwrap(), &bo).await;
        run_tasks().await;
        bo.texts();
        rematch(&one.game(id), &ana, "again").await;
        if !at_once {
            run_tasks().await;
            assert!(matches!(bo.only(), ServerToClient::RematchOffered { side: Side::Red, .. }));
        }
        rematch(&other.game(id), &bo, "yes").await;
        run_tasks().await;
        let (of_ana, of_bo) = (begun(&mut ana), begun(&mut bo));
        assert!(!of_ana.is_empty() && of_ana == of_bo, "{of_ana:?} {of_bo:?}");
        assert_eq!(keys(&store, "live/").await, [format!("live/{}", of_ana[0])], "at once: {at_once}");
        // The server that did not create the rematch knows it too.
        let mut back = Client::new("ana");
        rematch(&one.game(id), &back, "again").await;
        let answer = back.next().await;
        let ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(game, of_ana[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn servers_that_create_a_rematch_at_the_same_time_create_the_same_game() {
    let (_store, one, other, id, _ana) = aborted_pair().await;
    let rematch = |number| NewGame { previous: Some(id), ..new_game(number, ["bo", "ana"]) };
    let first = one.tables.create(rematch(2)).await.unwrap().id;
    assert_eq!(other.tables.create(rematch(3)).await.unwrap().id, first);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_opens_a_game_later_is_told_of_the_offer_of_a_rematch() {
    let (_store, one, other, id, ana) = aborted_pair().await;
    rematch(&one.game(id), &ana, "again").await;
    run_tasks().await;
    let mut bo = Client::new("bo");
    open(&other.tables.find(id).await.unwrap(), &bo).await;
    run_tasks().await;
    let told = bo.read();
    assert!(told.iter().any(|told| matches!(told, ServerToClient::RematchOffered { side: Side::Red, .. })));
    close(&one.game(id), &ana, true).await;
    let told = bo.read();
    assert!(told.iter().any(|told| matches!(told, ServerToClient::RematchWithdrawn { side: Side::Red, .. })));
}
