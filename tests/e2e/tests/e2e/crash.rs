//! Tests servers and clients that are killed in the middle of a game and start again.

use std::time::{SystemTime, UNIX_EPOCH};

use flagfall_board::{PerSide, Side};
use flagfall_e2e::{Server, Site};
use flagfall_tests::Chance;
use serde_json::Value;

use crate::duel::Duel;

const BASE_MS: u64 = 600_000;
/// The accepted difference between an event's stamp and the client's clock when the client reads
/// the event.
const TOLERANCE_MS: u64 = 2_500;

#[test]
fn a_killed_server_comes_back_with_the_game_and_no_clock_ran_meanwhile() {
    play_through_kills(&Site::new());
}

#[test]
fn a_killed_server_on_redis_comes_back_with_the_game_and_no_clock_ran_meanwhile() {
    play_through_kills(&Site::with_redis());
}

pub(crate) fn play_through_kills(site: &Site) {
    let mut server = site.serve();
    let port = server.address.port();
    let mut duel = Duel::begin(&server, site, "barrage", "10+0", Chance::seed_or(3));
    let mut spectator = duel.spectator(&server, site, "cat");
    for _ in 0..3 {
        duel.play_quietly(4);
        server.kill();
        duel.expect("Reconnecting.");
        spectator.expect("Reconnecting.");
        // A move that is typed while the server is down is played once, after the reconnection.
        let ply = duel.mirror.play_quietly();
        let mover = &mut duel.clients[ply.side];
        mover.type_line(&ply.typed);
        mover.expect("The connection is down. Your command will be sent when the connection is back.");
        server = Server::start(&mut site.server_command(port));
        duel.expect("Connected again.");
        for sentence in &ply.sentences {
            duel.expect(sentence);
            spectator.expect(sentence);
        }
    }
    duel.play_quietly(3);

    let record = record(&server, site, &duel.id);
    let plies = events(&record, "moved").len();
    assert_eq!(plies, duel.mirror.plies());
    assert_eq!((events(&record, "paused").len(), events(&record, "resumed").len()), (3, 3));
    assert_clocks(&mut duel, &record);
    let turn = duel.mirror.turn().expect("a running game");
    duel.clients[turn].type_line("resign yes");
    duel.expect("resigned.");
    spectator.expect("resigned.");
}

/// The server and a client are killed while a side must still choose the color of a chip (§S2.4),
/// and both restart. No other act follows the strike.
#[test]
fn a_color_that_is_owed_survives_the_server_and_the_client() {
    let site = Site::new();
    let mut server = site.serve();
    let port = server.address.port();
    let mut duel = Duel::begin(&server, &site, "shadowflash-2", "30+0", Chance::seed_or(3));
    let mut spectator = duel.spectator(&server, &site, "cat");
    let owing = loop {
        let ply = duel.play();
        assert_eq!(ply.end, None, "seed: a game in which a defender wins and moves");
        if let Some(side) = duel.mirror.owes_color() {
            spectator.expect(&ply.sentences[0]);
            break side;
        }
    };
    server.kill();
    duel.expect("Reconnecting.");
    let name = PerSide::new("ann", "bob")[owing];
    duel.clients[owing].kill();
    server = Server::start(&mut site.server_command(port));
    duel.clients[owing] = server.client(&site, name, &["play", "--game", &duel.id]);
    duel.clients[owing].expect("Name the color of your chip on");
    duel.clients[owing.opponent()].expect("Connected again.");
    // Until the color is named, other input is refused.
    duel.clients[owing].type_line("a1a2");
    duel.clients[owing].expect("color");
    let named = duel.play();
    assert!(named.typed.starts_with("color "), "{named:?}");
    spectator.expect(&named.sentences[0]);
    duel.play();
    let record = record(&server, &site, &duel.id);
    assert!(!events(&record, "colored").is_empty());
}

/// Between the first and the second choice in a strike, the server and the client that chose are
/// killed, and both restart (§Q4).
#[test]
fn a_choice_that_waits_survives_the_server_and_the_client() {
    let site = Site::new();
    let mut server = site.serve();
    let port = server.address.port();
    let mut duel = Duel::begin(&server, &site, "quantum", "30+0", Chance::seed_or(3));
    let mut spectator = duel.spectator(&server, &site, "cat");
    // Red and Blue must both choose, and one of them has already chosen.
    while duel.mirror.owes_choice().len() < 2 {
        let ply = duel.play();
        assert_eq!(ply.end, None, "seed: a game in which a coin strikes a coin");
        ply.sentences.iter().for_each(|sentence| drop(spectator.expect(sentence)));
    }
    let first = duel.play();
    assert!(first.typed.starts_with("choose ") && first.sentences.is_empty(), "{first:?}");
    let (chooser, other) = (first.side, first.side.opponent());
    server.kill();
    duel.expect("Reconnecting.");
    let names = PerSide::new("ann", "bob");
    for side in Side::BOTH {
        duel.clients[side].kill();
    }
    server = Server::start(&mut site.server_command(port));
    for side in Side::BOTH {
        duel.clients[side] = server.client(&site, names[side], &["play", "--game", &duel.id]);
    }
    duel.clients[chooser].expect("You chose ");
    duel.clients[other].expect("Choose a rank for your coin on");
    spectator.expect("Connected again.");
    let second = duel.play();
    assert_eq!((second.side, duel.mirror.owes_choice().len()), (other, 0));
    second.sentences.iter().for_each(|sentence| drop(spectator.expect(sentence)));
    let record = record(&server, &site, &duel.id);
    assert_eq!((events(&record, "paused").len(), events(&record, "resumed").len()), (1, 1));
    duel.clients[chooser].type_line("resign yes");
    duel.expect("resigned.");
    let seen = spectator.lines();
    let end = seen.iter().position(|line| line.contains("resigned.")).unwrap_or(seen.len());
    assert!(
        !seen[..end].iter().any(|line| line.contains(" chooses ") && !line.contains("what its coin is")),
        "{seen:?}"
    );
}

#[test]
fn a_stopped_server_notifies_clients_and_resumes_games() {
    let site = Site::new();
    let mut server = site.serve();
    let port = server.address.port();
    let mut duel = Duel::begin(&server, &site, "barrage", "10+0", Chance::seed_or(4));
    duel.play_quietly(5);
    server.terminate();
    duel.expect("The server is away, so the game is paused and no clock runs.");
    duel.expect("The connection is lost (the server stops). Reconnecting.");
    server.ended().expect(0, &["stopped"]);

    let server = Server::start(&mut site.server_command(port));
    duel.expect("Connected again.");
    duel.expect("The game continues.");
    duel.play_quietly(5);
    let record = record(&server, &site, &duel.id);
    assert_eq!(events(&record, "moved").len(), duel.mirror.plies());
    assert_clocks(&mut duel, &record);
}

#[test]
fn a_killed_client_gets_its_seat_back() {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(8));
    duel.play_quietly(4);
    duel.clients[Side::Red].kill();
    duel.clients[Side::Blue].expect("ann (Red) lost the connection and may be back in a moment.");

    let id = duel.id.clone();
    server
        .run_client(&site, "ann", &["games"])
        .expect(0, &["Your running games", &id, "against", "Red", "bob"]);
    server
        .run_client(&site, "eve", &["games"])
        .expect(0, &["You have no running game.", "Public games", &id]);

    let mut offering = server.client(&site, "ann", &["play", "--rules", "classic"]);
    offering.expect("You have a running game: ");
    let hint = offering.expect("To continue it: flagfall play ");
    assert!(hint.ends_with(&format!("--game {id}")), "{hint}");
    offering.type_line("quit");
    offering.kill();

    duel.clients[Side::Red] = server.client(&site, "ann", &["play", "--game", &id]);
    assert_eq!(duel.clients[Side::Red].game(), id);
    duel.clients[Side::Blue].expect("ann (Red) is here.");
    duel.play_quietly(3);

    // The newest connection gets the seat. The older connection is notified and can only watch.
    let newer = server.client(&site, "ann", &["play", "--game", &id]);
    let mut older = std::mem::replace(&mut duel.clients[Side::Red], newer);
    assert_eq!(duel.clients[Side::Red].game(), id);
    older.expect("Another connection of yours has taken the seat, so this game is read-only here.");
    older.type_line("resign yes");
    older.expect("This connection is read-only");
    duel.play_quietly(3);

    // A third player who opens the game can only watch it.
    let mut stranger = server.client(&site, "eve", &["play", "--game", &id]);
    stranger.expect("you are a spectator");
    stranger.type_line("resign yes");
    stranger.expect("You are only watching this game.");
}

#[test]
fn two_players_on_one_machine_each_resume_their_own_seat() {
    let site = Site::new();
    let server = site.serve();
    let words = ["play", "--rules", "barrage", "--time", "none", "--setup", "random"];
    let mut first = server.client(&site, "home", &[&words[..], &["--side", "red"]].concat());
    first.expect("Your offer is in the lobby");
    let mut second = server.client(&site, "home", &words);
    let id = second.game();
    second.expect("The game starts.");
    first.expect("The game starts.");
    second.kill();
    first.expect("(Blue) lost the connection");

    let mut again = server.client(&site, "home", &["play", "--game", &id]);
    let line = again.expect(": you play ");
    assert!(line.contains("you play Blue"), "{line}");
    first.expect("(Blue) is here.");
    first.type_line("resign yes");
    first.expect("Blue wins: Red resigned.");
    again.expect("Blue wins: Red resigned.");
}

fn record(server: &Server, site: &Site, id: &str) -> Value {
    let json = server.run_client(site, "ann", &["record", id, "--json"]);
    json.expect(0, &[]);
    serde_json::from_str(&json.said).expect("a record")
}

fn events(record: &Value, kind: &str) -> Vec<Value> {
    let events = record["events"].as_array().expect("events");
    events.iter().filter(|it| it["event"]["kind"] == kind).cloned().collect()
}

/// The clocks of both clients must match the stamps in the record, minus the pauses.
fn assert_clocks(duel: &mut Duel, record: &Value) {
    let mut spent: PerSide<u64> = PerSide::default();
    let (mut turn, mut since) = (Side::Red, None);
    let mut latest = 0;
    for told in record["events"].as_array().expect("events") {
        let at = told["at"].as_u64().expect("a stamp");
        let event = &told["event"];
        match event["kind"].as_str().expect("a kind") {
            // If a game is opened some time after the outage, its clock has run since the outage
            // ended.
            "started" | "resumed" => since = event["since"].as_u64().or(Some(at)),
            "paused" => {
                let stopped = event["since"].as_u64().expect("a stamp");
                assert!(stopped <= at, "{told}");
                spent[turn] += since.take().map_or(0, |since| stopped.saturating_sub(since));
            }
            "moved" => {
                spent[turn] += since.replace(at).map_or(0, |since| at - since);
                turn = turn.opponent();
            }
            _ => {}
        }
        latest = at;
    }
    assert!(latest > 0);
    for side in Side::BOTH {
        let client = &mut duel.clients[side];
        client.type_line("status");
        for told in Side::BOTH {
            let line = client.expect(&format!("{told}: "));
            let shown = clock_ms(&line);
            // The clock of the side to move has run since the latest event.
            let running = if told == turn { now_ms().saturating_sub(latest) } else { 0 };
            let most = BASE_MS - spent[told];
            let wanted = most.saturating_sub(running + TOLERANCE_MS)..=most + TOLERANCE_MS;
            assert!(wanted.contains(&shown), "{line:?}: {shown}, by the record {wanted:?}");
        }
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    u64::try_from(now.as_millis()).expect("a time of this era")
}

/// The clock in a line: `Red: ann, present, 9:58 left.`
fn clock_ms(line: &str) -> u64 {
    let clock = line.strip_suffix(" left.").and_then(|line| line.rsplit(' ').next()).unwrap_or_default();
    let (minutes, seconds) = clock.split_once(':').unwrap_or_else(|| panic!("no clock in {line:?}"));
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("no clock in {line:?}"));
    (number(minutes) * 60 + number(seconds)) * 1_000
}
