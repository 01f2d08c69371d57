//! Tests compatibility with 0.1.0. A current server can open data of 0.1.0, serve its clients,
//! and share a Redis with its servers.

use flagfall_board::Side;
use flagfall_e2e::{Site, older_programs};
use flagfall_tests::Chance;

use crate::accounts::{PASSWORD, run_as};
use crate::duel::Duel;

#[test]
fn the_client_of_0_1_plays_against_todays() {
    let Some(older) = older_programs() else { return };
    let site = Site::new().with_older(&older, &["ann", "cat"]);
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "10+0", Chance::seed_or(51));
    let mut cat = server.client(&site, "cat", &["watch", &duel.id]);
    cat.expect("You watch.");
    duel.play_quietly(6);
    // A player whose connection was lost can take their seat again.
    duel.clients[Side::Red].kill();
    duel.clients[Side::Blue].expect("(Red) lost the connection");
    duel.clients[Side::Red] = server.client(&site, "ann", &["play", "--game", &duel.id]);
    assert_eq!(duel.clients[Side::Red].game(), duel.id);
    duel.clients[Side::Blue].expect("(Red) is here.");
    duel.play_quietly(4);
    duel.clients[Side::Red].type_line("resign");
    duel.expect("resigned.");
    cat.expect("resigned.");
    let record = site.path().join("0.1.json");
    let record = record.to_str().expect("a path");
    server.run_client(&site, "ann", &["record", &duel.id, "--json", "--out", record]).expect(0, &[]);
    server.run_client(&site, "bob", &["check", record]).expect(0, &["1 good"]);
}

#[test]
fn the_client_of_0_1_has_an_account_and_the_house_as_opponent() {
    let Some(older) = older_programs() else { return };
    let site = Site::new().with_older(&older, &["ann"]);
    let server = site.serve();
    run_as("ann", &server, &site, &["signup", "Ann"], &[PASSWORD]).expect(0, &["Welcome, Ann"]);
    let words = ["play", "--rules", "barrage", "--time", "10+0", "--bot", "simple", "--setup", "suggested"];
    let mut ann = server.client(&site, "ann", &words);
    ann.game();
    ann.expect("The game starts.");
    ann.type_line("resign");
    ann.expect("resigned.");
    ann.leave();
    run_as("ann", &server, &site, &["logout"], &[]).expect(0, &["Ann is logged out"]);
    run_as("ann", &server, &site, &["login", "Ann"], &[PASSWORD]).expect(0, &["You are Ann on"]);
    run_as("ann", &server, &site, &["history"], &[]).expect(0, &["barrage, 10+0", "lost: resigned"]);
}

#[test]
fn games_records_and_accounts_of_0_1_open() {
    let Some(older) = older_programs() else { return };
    for site in [Site::new(), Site::with_redis()] {
        let site = site.with_older(&older, &["ann", "bob"]);
        let mut server = site.serve_older();
        for who in ["ann", "bob"] {
            run_as(who, &server, &site, &["signup", who], &[PASSWORD]).expect(0, &["Welcome"]);
        }
        let mut over = Duel::begin_with(
            &server,
            &site,
            &["--rules", "barrage", "--time", "5+3", "--rated"],
            "barrage",
            Chance::seed_or(52),
        );
        over.play_quietly(4);
        over.clients[Side::Red].type_line("resign");
        over.expect("resigned.");
        over.clients[Side::Red].leave();
        over.clients[Side::Blue].leave();
        let mut duel = Duel::begin(&server, &site, "barrage", "10+0", Chance::seed_or(53));
        duel.play_quietly(4);
        let before = server.run_client(&site, "bob", &["record", &over.id, "--json"]).said;
        server.terminate();
        server.ended().expect(0, &[]);
        let port = server.address.port();
        for side in Side::BOTH {
            duel.clients[side].kill();
        }

        let site = site.with_clients_of_today();
        let server = flagfall_e2e::Server::start(&mut site.server_command(port));
        duel.clients[Side::Red] = server.client(&site, "ann", &["play", "--game", &duel.id]);
        duel.clients[Side::Blue] = server.client(&site, "bob", &["play", "--game", &duel.id]);
        for side in Side::BOTH {
            assert_eq!(duel.clients[side].game(), duel.id);
        }
        duel.play_quietly(4);
        duel.clients[Side::Blue].type_line("resign yes");
        duel.expect("resigned.");
        duel.clients[Side::Red].leave();
        duel.clients[Side::Blue].leave();
        for game in [&over.id, &duel.id] {
            let file = site.path().join("record.json");
            let file = file.to_str().expect("a path");
            server.run_client(&site, "bob", &["record", game, "--json", "--out", file]).expect(0, &[]);
            server.run_client(&site, "bob", &["check", file]).expect(0, &["1 good"]);
        }
        let after = server.run_client(&site, "bob", &["record", &over.id, "--json"]).said;
        let [before, after] = [&before, &after].map(|said| {
            serde_json::from_str::<serde_json::Value>(said).unwrap_or_else(|error| panic!("{error}: {said}"))
        });
        assert_eq!(before["outcome"], after["outcome"]);
        assert_eq!(before["plies"], after["plies"]);
        run_as("ann", &server, &site, &["login", "ann"], &[PASSWORD]).expect(0, &["You are ann on"]);
    }
}

#[test]
fn servers_of_0_1_and_of_today_share_a_redis() {
    let Some(older) = older_programs() else { return };
    let site = Site::with_redis().with_older(&older, &["ann"]);
    let servers = [site.serve_older(), site.serve()];
    let words = ["play", "--rules", "barrage", "--time", "10+0"];
    let [older, todays] = &servers;
    let mut ann = older.client_with(&[todays], &site, "ann", &[&words[..], &["--side", "red"]].concat());
    ann.expect("Your offer is in the lobby");
    let mut bob = todays.client(&site, "bob", &words);
    let id = bob.game();
    assert_eq!(ann.game(), id);
    let mut duel = Duel::between(id, "barrage", Chance::seed_or(54), ann, bob);
    duel.play_quietly(6);
    // Spectators on both servers read the same, and each server notices when connections to the
    // other are lost.
    let mut spectators = servers.each_ref().map(|server| duel.spectator(server, &site, "eve"));
    duel.clients[Side::Red].kill();
    duel.clients[Side::Blue].expect("(Red) lost the connection");
    let again = ["play", "--game", &duel.id];
    duel.clients[Side::Red] = older.client_with(&[todays], &site, "ann", &again);
    assert_eq!(duel.clients[Side::Red].game(), duel.id);
    duel.play_quietly(4);
    duel.clients[Side::Blue].type_line("resign yes");
    duel.expect("resigned.");
    for spectator in &mut spectators {
        spectator.expect("resigned.");
    }
}
