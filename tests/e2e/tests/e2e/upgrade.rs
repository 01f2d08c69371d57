//! Tests the upgrade of 0.1.0 servers one by one during games, and the return of a store to
//! 0.1.0.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use flagfall_board::Side;
use flagfall_e2e::{Process, Server, Site, TIMEOUT, older_programs};
use flagfall_tests::Chance;
use serde_json::Value;

use crate::duel::Duel;

const GAMES: usize = PLAYERS.len();
/// The players of each game. The servers are upgraded first, then the clients.
const PLAYERS: [[&str; 2]; 3] = [["ann", "bob"], ["cat", "dan"], ["eve", "fox"]];
/// The number of deployments and plies in a game before the last server is stopped.
const BEFORE_THE_LAST: usize = 2 + 4 + 2 * (6 + 4);
/// Parts of the messages to a player whose move was refused by a stopping server: today's, and that
/// of 0.1.
const STOPS: [&str; 2] = ["your game is kept", "nothing is lost"];
/// The capacity of the channel on which plies are counted. A test has fewer plies.
const PLIES_MAX: usize = 1_000;

/// Returns a pair for each entry of an export, except for the first entry of each game. A pair
/// consists of the game and a flag that is true if the entry's body is JSON.
fn bodies(file: &Path) -> Vec<(String, bool)> {
    let text = std::fs::read_to_string(file).expect("an export");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let entries = lines.filter_map(|line| line.get("entry").cloned());
    entries
        .filter(|entry| entry["seq"] != 1)
        .map(|entry| {
            let is_json = entry["body"].as_str().is_some_and(|body| body.starts_with('{'));
            (entry["game"].as_str().expect("an id").to_owned(), is_json)
        })
        .collect()
}

/// Exports the store of a site without running servers, and returns its bodies.
fn exported(site: &Site, name: &str) -> Vec<(String, bool)> {
    let file = site.path().join(name);
    let mut export = site.server_command(0);
    Process::run(export.args(["store", "export"]).arg(&file)).expect(0, &["exported to"]);
    bodies(&file)
}

/// A game whose players begin on different servers and have the addresses of all servers.
fn begin(site: &Site, servers: &[Server], number: usize) -> Duel {
    let [one, two, three] = [0, 1, 2].map(|at| &servers[(at + number) % servers.len()]);
    let [red, blue] = PLAYERS[number];
    let words = ["play", "--rules", "barrage", "--time", "30+0", "--side", "red", "--challenge"];
    let mut red = one.client_with(&[two, three], site, red, &words);
    let told = red.expect(" --accept ");
    let code = told.rsplit("--accept ").next().and_then(|rest| rest.split_whitespace().next());
    let code = code.expect("a code").to_owned();
    let mut blue = two.client_with(&[three, one], site, blue, &["play", "--accept", &code]);
    let id = blue.game();
    assert_eq!(red.game(), id);
    Duel::between(id, "barrage", Chance::seed_or(60 + number as u64), red, blue)
}

/// Plays a ply. A stopping server refuses moves, so the player repeats the move on the next
/// server.
fn play_ply(duel: &mut Duel) {
    let ply = duel.mirror.play_quietly();
    let (side, heard) = (ply.side, &ply.heard);
    let mover = &mut duel.clients[side];
    mover.type_line(&ply.typed);
    let answers = [&heard[side][0], STOPS[0], STOPS[1]];
    while !mover.expect_one_of(&answers).contains(answers[0]) {
        mover.expect("Connected again.");
        mover.type_line(&ply.typed);
    }
    heard[side][1..].iter().for_each(|sentence| drop(mover.expect(sentence)));
    let other = side.opponent();
    heard[other].iter().for_each(|sentence| drop(duel.clients[other].expect(sentence)));
}

/// Plays a ply for each message from `go`, and reports it on `played`.
fn play(number: usize, mut duel: Duel, go: &Receiver<()>, played: &SyncSender<usize>) -> Duel {
    while go.recv().is_ok() {
        play_ply(&mut duel);
        played.send(number).expect("the test counts plies");
    }
    duel
}

/// Waits until this many plies have been played in every game.
fn count(played: &Receiver<usize>, plies: usize, when: &str) {
    let deadline = Instant::now() + 2 * TIMEOUT;
    let mut counts = [0; GAMES];
    while counts.iter().any(|count| *count < plies) {
        match played.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(number) => counts[number] += 1,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                panic!("{when}: a game stands still after {counts:?} plies")
            }
        }
    }
}

#[test]
fn three_servers_of_0_1_are_upgraded_one_by_one_and_no_game_stands_still() {
    let Some(older) = older_programs() else { return };
    let site = Site::with_redis().with_older(&older, PLAYERS.as_flattened());
    let mut servers: Vec<Server> = (0..3).map(|_| site.serve_older()).collect();
    let (note, played) = sync_channel(PLIES_MAX);
    let mut games = Vec::new();
    for number in 0..GAMES {
        let duel = begin(&site, &servers, number);
        let (go, told) = sync_channel(PLIES_MAX);
        let note = note.clone();
        games.push((go, thread::spawn(move || play(number, duel, &told, &note))));
    }
    let go = |plies: usize| {
        for (game, _) in &games {
            (0..plies).for_each(|_| game.send(()).expect("the game goes on"));
        }
    };
    go(4);
    count(&played, 4, "before the upgrade");
    for server in &mut servers {
        // Play moves while the server stops, while it is down, and after it has restarted.
        go(6);
        server.terminate();
        server.ended().expect(0, &[]);
        let port = server.address.port();
        count(&played, 6, "while a server is away");
        *server = Server::start(&mut site.server_command(port));
        go(4);
        count(&played, 4, "after an upgrade");
    }
    for server in &mut servers {
        server.expect("every server on this store can read this form of log entries");
    }
    go(2);
    count(&played, 2, "in the new form");
    let resigned = |(go, game): (SyncSender<()>, thread::JoinHandle<Duel>)| {
        drop(go);
        let mut duel = game.join().expect("the game went on to its end");
        let turn = duel.mirror.turn().expect("a running game");
        duel.clients[turn].type_line("resign yes");
        duel.expect("resigned.");
        duel.id
    };
    let ids: Vec<String> = games.into_iter().map(resigned).collect();
    for server in &mut servers {
        server.terminate();
        server.ended().expect(0, &[]);
    }
    let bodies = exported(&site, "after");
    for id in ids {
        let forms: Vec<bool> = bodies.iter().filter(|(game, _)| *game == id).map(|(_, json)| *json).collect();
        let in_json = forms.iter().take_while(|is_json| **is_json).count();
        // Until the last server was stopped, one server could read only JSON.
        assert!(in_json >= BEFORE_THE_LAST, "{id}: {forms:?}");
        assert!(in_json < forms.len() && !forms[in_json..].contains(&true), "{id}: {forms:?}");
    }
}

#[test]
fn an_export_in_form_1_goes_back_to_0_1() {
    let older = older_programs();
    let (mut site, mut back) = (Site::new(), Site::new());
    if let Some(older) = &older {
        site = site.with_older(older, &["ann", "bob"]);
        back = back.with_older(older, &[]);
    }
    let mut server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "10+0", Chance::seed_or(55));
    duel.play_quietly(4);
    let port = server.address.port();
    server.terminate();
    server.ended().expect(0, &[]);
    assert!(exported(&site, "as-it-is").iter().any(|(_, is_json)| !is_json));
    let file = site.path().join("form-1");
    let mut export = site.server_command(0);
    Process::run(export.args(["store", "export", "--write-format", "1"]).arg(&file)).expect(0, &["exported"]);
    assert!(bodies(&file).iter().all(|(_, is_json)| *is_json));

    // If the program of 0.1.0 is missing, the current program writes form 1 instead.
    let program = |port| match older {
        Some(_) => back.older_command(port),
        None => {
            let mut command = back.server_command(port);
            command.env("FLAGFALL_WRITE_FORMAT", "1");
            command
        }
    };
    Process::run(program(0).args(["store", "import"]).arg(&file)).expect(0, &["imported: 1 game"]);
    let mut server = Server::start(&mut program(port));
    for side in Side::BOTH {
        duel.clients[side].expect("The server had to go back to an");
    }
    duel.play_quietly(4);
    let turn = duel.mirror.turn().expect("a running game");
    duel.clients[turn].type_line("resign yes");
    duel.expect("resigned.");
    server.terminate();
    server.ended().expect(0, &[]);
    assert!(exported(&back, "back").iter().all(|(_, is_json)| *is_json));
}
