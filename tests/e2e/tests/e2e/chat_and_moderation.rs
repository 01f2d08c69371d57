//! Tests chat between opponents, and how operators moderate players.

use std::process::Command;

use flagfall_board::Side;
use flagfall_e2e::{Process, Server, Site};
use flagfall_tests::Chance;

use crate::accounts::run_as;
use crate::duel::Duel;

fn operator(site: &Site, words: &[&str]) -> Command {
    let mut command = site.server_command(0);
    command.arg("operator").args(words);
    command
}

fn operate(site: &Site, words: &[&str], code: i32, wanted: &[&str]) {
    Process::start("operator", &mut operator(site, words)).ended().expect(code, wanted);
}

#[test]
fn opponents_talk_mute_and_report_and_spectators_hear_nothing() {
    let site = Site::new();
    let mut server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "5+3", Chance::seed_or(51));
    let mut eve = duel.spectator(&server, &site, "eve");
    duel.clients[Side::Red].type_line("say 2");
    duel.clients[Side::Red].expect("You: Good luck, have fun!");
    duel.clients[Side::Blue].expect("ann: Good luck, have fun!");
    duel.clients[Side::Blue].type_line("say my Marshal is on a10");
    duel.clients[Side::Red].expect("bob: my Marshal is on a10");
    duel.clients[Side::Blue].type_line("mute");
    duel.clients[Side::Blue].expect("You no longer see your opponent's messages");
    duel.clients[Side::Red].type_line("say are you there?");
    duel.clients[Side::Red].expect("You: are you there?");
    eve.type_line("say hello");
    eve.expect("Only players can talk to each other.");
    duel.clients[Side::Red].type_line("report he tells me where his Marshal is");
    duel.clients[Side::Red].expect("Your report was sent to the operators of the server.");
    duel.clients[Side::Red].type_line("report he tells me where his Marshal is");
    duel.clients[Side::Red].expect("You have already reported this game.");
    duel.clients[Side::Blue].type_line("resign yes");
    duel.expect("Blue resigned");
    eve.expect("Blue resigned");
    for word in ["Good luck", "Marshal is on", "are you there"] {
        assert!(!eve.has_said(word), "{word}: {:?}", eve.lines());
    }
    assert!(!duel.clients[Side::Blue].has_said("are you there"));
    for side in Side::BOTH {
        duel.clients[side].leave();
    }
    drop(eve);
    server.terminate();
    server.ended().expect(0, &[]);
    operate(&site, &["reports"], 0, &["ann", "about bob", "he tells me where his Marshal is"]);
}

#[test]
fn an_operator_closes_an_account_and_opens_it_again() {
    let site = Site::new();
    let mut server = site.serve();
    let password = &["correct horse battery"];
    let ann = |server: &Server, words: &[&str]| run_as("ann", server, &site, words, password);
    ann(&server, &["signup", "Ann"]).expect(0, &["Welcome, Ann"]);
    // The command is refused, because the running server has locked the data folder.
    operate(&site, &["log"], 4, &["stop that one first"]);
    server.terminate();
    server.ended().expect(0, &[]);
    operate(&site, &["close", "ann", "--reason", "insults"], 0, &["ann is closed"]);
    operate(&site, &["close", "ann", "--reason", "insults"], 4, &["already closed"]);
    operate(&site, &["close", "nobody", "--reason", "insults"], 4, &["no player with this name"]);
    let mut server = site.serve();
    ann(&server, &["login", "Ann"]).expect(1, &["have closed this account", "Write to them"]);
    server.terminate();
    server.ended().expect(0, &[]);
    operate(&site, &["reopen", "ann", "--reason", "she is sorry"], 0, &["ann is open again"]);
    operate(&site, &["log"], 0, &["closed Ann", ": insults", "reopened Ann", ": she is sorry"]);
    let server = site.serve();
    ann(&server, &["login", "Ann"]).expect(0, &["You are Ann"]);
}
