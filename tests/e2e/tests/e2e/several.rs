//! Tests several servers on one Redis. The players and spectators of a game are on different
//! servers, and servers are killed or stopped.

use std::time::Instant;

use flagfall_board::PerSide;
use flagfall_e2e::{Client, Mirror, Ply, Server, Site, Socket, TIMEOUT, get};
use flagfall_tests::Chance;
use serde_json::{Value, json};

use crate::accounts::run_as;

/// A game started with a challenge code. The players and the spectator begin on different
/// servers, and each has the addresses of all servers.
struct Spread {
    mirror: Mirror,
    clients: PerSide<Client>,
    spectator: Client,
}

impl Spread {
    fn begin(site: &Site, servers: [&Server; 3], seed: u64) -> Spread {
        let [one, two, three] = servers;
        let mut red = one.client_with(
            &[two, three],
            site,
            "ann",
            &["play", "--rules", "barrage", "--time", "10+0", "--side", "red", "--challenge"],
        );
        let told = red.expect(" --accept ");
        let code = told.rsplit("--accept ").next().and_then(|rest| rest.split_whitespace().next());
        let code = code.expect("a code").to_owned();
        let mut blue = two.client_with(&[three, one], site, "bob", &["play", "--accept", &code]);
        let id = blue.game();
        assert_eq!(red.game(), id, "the other server tells its player");
        let mut spectator = three.client_with(&[one, two], site, "cat", &["watch", &id]);
        assert_eq!(spectator.game(), id);
        let mirror = Mirror::new("barrage", seed, None);
        let mut clients = PerSide::new(red, blue);
        for side in flagfall_board::Side::BOTH {
            clients[side].type_line(&format!("deploy {}", mirror.setups[side]));
        }
        for side in flagfall_board::Side::BOTH {
            clients[side].expect("The game starts.");
        }
        Spread { mirror, clients, spectator }
    }

    fn play(&mut self, plies: usize) {
        for _ in 0..plies {
            let ply = self.mirror.play_quietly();
            self.clients[ply.side].type_line(&ply.typed);
            self.hear(&ply);
        }
    }

    fn hear(&mut self, ply: &Ply) {
        for side in flagfall_board::Side::BOTH {
            ply.heard[side].iter().for_each(|sentence| drop(self.clients[side].expect(sentence)));
        }
        ply.sentences.iter().for_each(|sentence| drop(self.spectator.expect(sentence)));
    }
}

#[test]
fn a_game_over_three_servers_goes_on_when_one_is_killed_and_when_one_is_stopped() {
    let site = Site::with_redis();
    let mut servers = [site.serve(), site.serve(), site.serve()];
    let mut game = Spread::begin(&site, servers.each_ref(), Chance::seed_or(11));
    game.play(4);
    // Ann's server is killed, so Ann continues on another server.
    servers[0].kill();
    game.clients.red.expect("Reconnecting.");
    game.clients.red.expect("Connected again.");
    game.play(4);
    // Bob's server stops as planned. Another server is left, so the game is not paused.
    servers[1].terminate();
    game.clients.blue.expect("Reconnecting.");
    game.clients.blue.expect("Connected again.");
    game.play(4);
    assert!(!game.spectator.has_said("paused"), "nothing is paused while a server is left");
    let turn = game.mirror.turn().expect("a running game");
    game.clients[turn].type_line("resign yes");
    for client in [&mut game.clients.red, &mut game.clients.blue, &mut game.spectator] {
        client.expect("resigned.");
    }
}

/// Returns a connection of a new guest.
fn guest(server: &Server, name: &str) -> Socket {
    let mut socket = Socket::connect(server.address);
    socket.send_text(&format!(r#"{{"type":"hello","protocol":1,"name":"{name}"}}"#));
    socket
}

/// Sends a command. Returns its outcome.
fn outcome(socket: &mut Socket, cmd_id: &str, command: Value) -> Value {
    let mut command = command;
    command["cmd_id"] = cmd_id.into();
    socket.send_text(&command.to_string());
    loop {
        let message: Value = serde_json::from_str(&socket.message().expect("an answer")).expect("JSON");
        assert_ne!(message["type"], "refused", "{message}");
        if message["type"] == "accepted" && message["cmd_id"] == cmd_id {
            return message["outcome"].clone();
        }
    }
}

/// Begins a game with ten seconds for each side, which both players leave at once. Returns its id.
fn left_game(server: &Server, number: usize) -> String {
    let mirror = Mirror::new("barrage", number as u64, None);
    let [mut red, mut blue] = ["gus", "hal"].map(|name| guest(server, &format!("{name}{number}")));
    let time = json!({"kind": "fischer", "base_s": BASE_MS / 1_000, "increment_s": 0});
    let terms = json!({"ruleset": "barrage", "time": time, "private": false, "secret": false});
    let offer = json!({"type": "challenge", "terms": terms, "side": "red"});
    let challenge = outcome(&mut red, "offer", offer)["challenge"].clone();
    let accept = json!({"type": "accept_challenge", "challenge": challenge, "secret": false});
    let game = outcome(&mut blue, "accept", accept)["game"].clone();
    for (socket, setup) in [(&mut red, &mirror.setups.red), (&mut blue, &mirror.setups.blue)] {
        let deploy = json!({"kind": "deploy", "setup": setup});
        outcome(socket, "deploy", json!({"type": "command", "game": game, "ply": 0, "command": deploy}));
    }
    game.as_str().expect("an id").to_owned()
}

/// The time of each side in the games whose players leave.
const BASE_MS: u64 = 10_000;

#[test]
fn games_go_on_and_flags_fall_once_when_half_of_the_servers_are_killed() {
    let site = Site::with_redis();
    let serve = || {
        // All clients of this test share an address.
        Server::start(site.server_command(0).args(["--trusted-network", "127.0.0.0/8"]))
    };
    let mut servers = [serve(), serve(), serve(), serve()];
    let left: Vec<String> = (0..8).map(|number| left_game(&servers[number % 4], number)).collect();
    let [one, two, three, _] = servers.each_ref();
    let mut game = Spread::begin(&site, [one, two, three], Chance::seed_or(13));
    game.play(2);
    servers[0].kill();
    servers[1].kill();
    for client in [&mut game.clients.red, &mut game.clients.blue] {
        client.expect("Reconnecting.");
        client.expect("Connected again.");
    }
    game.play(4);
    assert!(!game.spectator.has_said("paused"), "nothing is paused while a server is left");
    // This list does not open the games, so only a guardian lets their flags fall.
    let address = servers[2].address;
    let waiting_since = Instant::now();
    let are_over = || {
        let over = get(address, "/api/games?phase=over&limit=50").body;
        left.iter().all(|id| over.contains(id.as_str()))
    };
    while !are_over() {
        assert!(waiting_since.elapsed() < 2 * TIMEOUT, "all flags fall");
    }
    for id in &left {
        let record = get(address, &format!("/api/games/{id}/record")).body;
        let record: Value = serde_json::from_str(&record).expect("JSON");
        let events = record["events"].as_array().expect("events");
        let is_end = |event: &&Value| event["event"]["kind"] == "ended";
        assert_eq!(events.iter().filter(is_end).count(), 1, "{record}");
        let [.., start, end] = &events[..] else { panic!("{record}") };
        assert_eq!(end["event"]["outcome"]["reason"], "out_of_time", "{record}");
        let ran_ms = end["at"].as_u64().zip(start["at"].as_u64()).map(|(end, start)| end - start);
        // Only print how late the flag fell, because this machine may be busy.
        println!("the flag fell after {ran_ms:?} ms");
        assert!(ran_ms.is_some_and(|ran_ms| ran_ms >= BASE_MS), "{record}");
    }
    let turn = game.mirror.turn().expect("a running game");
    game.clients[turn].type_line("resign yes");
    for client in [&mut game.clients.red, &mut game.clients.blue, &mut game.spectator] {
        client.expect("resigned.");
    }
}

#[test]
fn a_stalled_redis_is_announced_once_and_pending_commands_complete() {
    let site = Site::with_redis();
    let servers = [site.serve(), site.serve(), site.serve()];
    let mut game = Spread::begin(&site, servers.each_ref(), Chance::seed_or(12));
    game.play(2);
    let redis = site.redis().expect("a Redis");
    redis.freeze();
    let frozen = Instant::now();
    for client in [&mut game.clients.red, &mut game.clients.blue, &mut game.spectator] {
        client.expect("cannot reach its store");
    }
    // Only print the time. The limit of 2.5 s is not checked, because this machine may be busy.
    println!("all three were told after {} ms", frozen.elapsed().as_millis());
    let ply = game.mirror.play_quietly();
    game.clients[ply.side].type_line(&ply.typed);
    redis.thaw();
    // The move may arrive before the message that the store is available again.
    let heard = [&ply.heard.red[0], &ply.heard.blue[0], &ply.sentences[0]];
    for (client, heard) in
        [&mut game.clients.red, &mut game.clients.blue, &mut game.spectator].into_iter().zip(heard)
    {
        let back = "can reach its store again";
        let is_back = client.expect_one_of(&[back, heard]).contains(back);
        client.expect(if is_back { heard } else { back });
    }
    game.play(2);
    for client in [&game.clients.red, &game.clients.blue, &game.spectator] {
        for word in ["not carried out", "It is not your turn", "same command again", "Reconnecting"] {
            assert!(!client.has_said(word), "one state, no errors, but {word:?}");
        }
    }
}

#[test]
fn known_players_reconnect_while_redis_stalls_and_unknown_ones_wait() {
    let site = Site::with_redis();
    let server = site.serve();
    let hello = |rest: &str| {
        let mut socket = Socket::connect(server.address);
        socket.send_text(&format!(r#"{{"type":"hello","protocol":1,{rest}}}"#));
        socket
    };
    let mut ann = hello(r#""name":"ann""#);
    let welcome: Value = serde_json::from_str(&ann.message().expect("a welcome")).expect("JSON");
    let again = format!(r#""token":"{}""#, welcome["token"].as_str().expect("a token"));
    let redis = site.redis().expect("a Redis");
    redis.freeze();
    let away = |text: &String| text.contains(r#""type":"store_state""#) && text.contains(":false");
    while !away(&ann.message().expect("the connection stays open")) {}
    drop(ann);
    let mut ann = hello(&again);
    assert!(ann.message().expect("a welcome").contains(r#""name":"ann""#));
    assert!(away(&ann.message().expect("the one state")));
    let (told, code) = hello(r#""name":"bob""#).drain();
    assert_eq!((told.len(), code), (1, 1013), "{told:?}");
    assert!(told[0].contains("store_unavailable"), "{told:?}");
    redis.thaw();
    while !ann.message().expect("the connection stays open").contains(r#""available":true"#) {}
    // On a busy machine, the server may consider the store unavailable once more, so retry.
    let thawed = Instant::now();
    while !hello(r#""name":"bob""#).message().expect("an answer").contains(r#""name":"bob""#) {
        assert!(thawed.elapsed() < TIMEOUT, "strangers are let in again");
    }
}

#[test]
fn an_open_offer_is_accepted_on_another_server() {
    let site = Site::with_redis();
    let servers = [site.serve(), site.serve()];
    let play = ["play", "--rules", "barrage", "--time", "10+0"];
    let mut offering = servers[0].client(&site, "ann", &play);
    offering.expect("Waiting");
    let mut accepting = servers[1].client(&site, "bob", &play);
    assert_eq!(accepting.game(), offering.game());
}

#[test]
fn a_challenge_and_its_answer_reach_other_servers_at_once() {
    let site = Site::with_redis();
    let (one, two) = (site.serve(), site.serve());
    // Bob waits in the lobby with an open offer.
    let mut bob = two.client(&site, "bob", &["play", "--rules", "pbm"]);
    bob.expect("Your offer is in the lobby");
    let mut ann = one.client(&site, "ann", &["mail"]);
    ann.expect("Type “help” for the commands of play by mail.");
    let mut challenge = |words: &str| {
        ann.type_line(&format!("challenge bob {words}"));
        ann.expect("You have challenged bob");
        bob.expect("ann challenges you");
        let told = bob.expect("Type accept ");
        told.split("Type accept ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a code").to_owned()
    };
    let declined = challenge("barrage 5+3 red");
    let accepted = challenge("barrage 5+3 blue");
    assert_ne!(declined, accepted);
    bob.type_line(&format!("reject {declined}"));
    ann.expect("bob declines your challenge.");
    bob.type_line(&format!("accept {accepted}"));
    ann.expect("bob accepts your challenge. The game begins.");
    assert_eq!(bob.game(), ann.game());
    // Bob's offer was withdrawn, so Eve finds no offer to accept.
    let mut eve = one.client(&site, "eve", &["play", "--rules", "pbm"]);
    eve.expect("Your offer is in the lobby");
}

#[test]
fn an_offer_for_some_ratings_holds_on_other_servers() {
    let site = Site::with_redis();
    let (one, two) = (site.serve(), site.serve());
    for (who, server) in [("ann", &one), ("bob", &two), ("cat", &one)] {
        run_as(who, server, &site, &["signup", who], &["correct horse battery"])
            .expect(0, &["recovery code"]);
    }
    let words = ["play", "--rules", "barrage", "--time", "5+3"];
    let mut ann = one.client(&site, "ann", &[&words[..], &["--rating", "1600-"]].concat());
    ann.expect("Your offer is in the lobby");
    let mut cat = one.client(&site, "cat", &words);
    cat.expect("This offer is for players rated 1600 or higher in such games. Your rating is 1500");
    cat.expect("Your offer is in the lobby");
    cat.type_line("quit");
    cat.ended().expect(0, &[]);
    // If Ann's offer appears first, Bob's client may try to accept it. The server refuses,
    // because Bob's rating is too low.
    let mut bob = two.client(&site, "bob", &words);
    bob.expect("Your offer is in the lobby");
    // Eve is a guest, so her client does not try to accept Ann's offer.
    let mut eve = two.client(&site, "eve", &words);
    eve.expect("You take bob's offer");
    assert_eq!(bob.game(), eve.game());
    one.run_client(&site, "ann", &["play", "--rating", "1600-1400"])
        .expect(2, &["The lower limit comes first"]);
    one.run_client(&site, "gus", &["play", "--rating", "+-100"]).expect(1, &["Guests have no rating"]);
}
