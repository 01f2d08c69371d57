//! The memory that a running game needs.

use std::sync::Arc;

use flagfall_board::{GameId, PerSide};
use flagfall_protocol::{Player, PlayerKind, Time};
use flagfall_rules::{Game, Position};
use flagfall_store_testing::{ManualClock, TestStore};

use super::harness::{DAYS, Hand, START, TestServer, header, make_game, play_plies, run_tasks};
use crate::actor::Actor;
use crate::facts::Facts;
use crate::handle::TableHandle;
use crate::table::Table;

/// The maximum number of bytes allocated for a game in memory that no connection has open. This
/// includes the game's recent events.
const GAME_BYTES_MAX: i64 = 4_096;
/// The maximum size of an actor, which is a size class of the allocator.
const ACTOR_BYTES_MAX: usize = 1_792;
const PLIES: usize = 100;

/// To measure more games and their resident memory in a process that does nothing else, run
/// `FLAGFALL_TABLES=5000 ... games_at_rest -- --nocapture`.
#[test]
fn a_game_on_a_clock_takes_4_kib_and_games_at_rest_take_nothing() {
    let games: u32 = std::env::var("FLAGFALL_TABLES").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let [on_a_clock, at_rest] = [Time::Fischer { base_s: 86_400, increment_s: 5 }, DAYS].map(|time| {
        let [without, with] = [0, games].map(|games| server_with(games, time));
        [with[0] - without[0], with[1] - without[1]].map(|bytes| bytes / i64::from(games))
    });
    println!(
        "{games} games of {PLIES} plies: {} bytes each on a clock ({} resident), {} at rest ({} resident)",
        on_a_clock[0], on_a_clock[1], at_rest[0], at_rest[1]
    );
    print_parts();
    assert!(size_of::<Actor>() <= ACTOR_BYTES_MAX);
    assert!(on_a_clock[0] <= GAME_BYTES_MAX);
    assert!(at_rest[0] < 64);
}

/// Returns the memory that a server with this number of games needs, without its store, in bytes:
/// requested and resident.
fn server_with(games: u32, time: Time) -> [i64; 2] {
    let (store, clock) = store_with(games, time);
    let measure = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.unwrap();
        let (before, mut server) = (resident_bytes(), None);
        let counted = allocation_counter::measure(|| {
            server = Some(runtime.block_on(open_games(&store, &clock, games, time)));
        });
        [counted.bytes_current, resident_bytes() - before]
    };
    // Measure twice, and return the second result, because the first run also counts memory that
    // the store allocates only once.
    measure();
    measure()
}

/// Returns a server with these games, and handles to their tables. A handle keeps a table in
/// memory, like a connection that has the game open.
async fn open_games(
    store: &TestStore,
    clock: &Arc<ManualClock>,
    games: u32,
    time: Time,
) -> (TestServer, Vec<TableHandle>) {
    let mut handles = Vec::with_capacity(games as usize);
    let server = TestServer::on(store.clone(), clock.clone()).await;
    for number in 0..games {
        if time != DAYS {
            handles.push(server.tables.find(id_of(number)).await.unwrap());
        }
    }
    run_tasks().await;
    server.advance(10_000).await;
    server.advance(10_000).await;
    assert_eq!(server.tables.len(), handles.len());
    (server, handles)
}

/// Returns a store with this number of running games. Each player has only one game.
fn store_with(games: u32, time: Time) -> (TestStore, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::new(clock.clone());
    for number in 0..games {
        let mut header = header("classic");
        header.terms.time = time;
        // Make the games private. Lists keep the newest public games at rest in memory, but no
        // private ones.
        header.terms.private = true;
        header.players = PerSide::from_fn(|side| Player {
            id: format!("{number:0>15}{side:?}"),
            name: format!("{side:?} {number}"),
            kind: PlayerKind::Account,
        });
        let id = id_of(number);
        make_game(&store, id, &header);
        play_plies(&store, &clock, id, PLIES);
    }
    (store, clock)
}

pub(super) fn id_of(number: u32) -> GameId {
    let digit = |at: usize| u8::try_from((number >> (5 * at.min(5))) & 31).unwrap_or(0);
    GameId::from_random(std::array::from_fn(digit))
}

fn print_parts() {
    let task = size_of_output(Actor::run);
    let header = header("classic");
    let (hand, ..) = Hand::playing(&header);
    println!(
        "its task {task}, the actor {} of which the table {} of which the game {} of which the position {}; shared {}, header {}, its recent events {}",
        size_of::<Actor>(),
        size_of::<Table>(),
        size_of::<Game>(),
        size_of::<Position>(),
        size_of::<Facts>(),
        size_of_val(&header),
        hand.table.audiences.recent_bytes(),
    );
}

/// Returns the size in bytes of the future that a function returns.
fn size_of_output<T, F: Future>(_: impl FnOnce(T) -> F) -> usize {
    size_of::<F>()
}

fn resident_bytes() -> i64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * pages.split(' ').nth(1).unwrap().parse::<i64>().unwrap()
}
