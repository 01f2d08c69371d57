//! Tests accounts as people use them at a terminal: sign-up, logout, login, recovery and
//! deletion.

use flagfall_board::Side;
use flagfall_e2e::{Ended, Process, Server, Site};
use flagfall_tests::Chance;

use crate::duel::Duel;

pub(crate) const PASSWORD: &str = "correct horse battery";

/// Runs Ann's client with these lines as its input.
fn run(server: &Server, site: &Site, words: &[&str], lines: &[&str]) -> Ended {
    run_as("ann", server, site, words, lines)
}

pub(crate) fn run_as(who: &str, server: &Server, site: &Site, words: &[&str], lines: &[&str]) -> Ended {
    let mut client = site.client_command(who, words);
    let mut process = Process::start(who, client.args(["--server", &server.address.to_string()]));
    for line in lines {
        process.type_line(line);
    }
    process.end_input();
    process.ended()
}

fn word_after(said: &str, before: &str) -> String {
    let rest = said.split(before).nth(1).unwrap_or_else(|| panic!("no {before:?} in {said}"));
    rest.split_whitespace().next().unwrap_or_else(|| panic!("nothing after {before:?}: {said}")).to_owned()
}

#[test]
fn an_account_from_sign_up_to_its_end() {
    let site = Site::new();
    let mut server = site.serve();
    let ann = |server: &Server, words: &[&str], lines: &[&str]| run(server, &site, words, lines);

    ann(&server, &["whoami"], &[])
        .expect(1, &["This server does not know you yet", "flagfall signup --server"]);
    ann(&server, &["logout"], &[]).expect(1, &["You are not logged in"]);
    ann(&server, &["games"], &[]).expect(0, &["You have no running game."]);
    let was = word_after(&ann(&server, &["whoami"], &[]).said, "Player ");
    ann(&server, &["signup", "Ann"], &["short"]).expect(1, &["A password has 8 to 256 characters"]);
    ann(&server, &["signup", "Ann"], &[]).expect(2, &["standard input has no line"]);
    let made = ann(&server, &["signup", "Ann"], &[PASSWORD]);
    made.expect(
        0,
        &["Welcome, Ann", "The games that you played as a guest stay yours", "Your recovery code is"],
    );
    assert!(!made.said.contains(PASSWORD));
    let code = word_after(&made.said, "Your recovery code is");
    let me = ann(&server, &["whoami"], &[]);
    me.expect(0, &["You are Ann on", "with scope play"]);
    assert_eq!(word_after(&me.said, "Player "), was, "the guest became the account");
    ann(&server, &["signup", "Other"], &[]).expect(1, &["You are logged in as Ann. Log out first"]);

    // After a kill and a restart, all data is still there, because it was on disk.
    server.kill();
    let server = site.serve();
    let config = site.path().join("config").join("ann");
    let moved = format!("127.0.0.1_{}", server.address.port());
    let before =
        std::fs::read_dir(config.join("guests")).expect("a folder").next().expect("a server").expect("it");
    std::fs::rename(before.path(), config.join("guests").join(moved)).expect("the port is another one");
    ann(&server, &["games"], &[]).expect(0, &["You have no running game."]);
    ann(&server, &["whoami"], &[]).expect(0, &["You are Ann on"]);
    ann(&server, &["profile", "aNN"], &[]).expect(0, &["Ann, a player, here since 20"]);
    ann(&server, &["profile", "nobody"], &[]).expect(1, &["There is no player with this name"]);
    ann(&server, &["profile", "no/body"], &[]).expect(1, &["Names consist of letters"]);

    let made = ann(&server, &["tokens", "new", "my laptop"], &[]);
    made.expect(0, &["with scope play", "not shown again"]);
    let (token, id) =
        (made.said.lines().next().expect("a line").to_owned(), word_after(&made.said, "This is token "));
    let listed = ann(&server, &["tokens"], &[]);
    listed.expect(0, &["guest", "(this one)", "my laptop", &id]);
    assert!(!listed.said.contains(&token));
    let elsewhere = |words: &[&str], lines: &[&str]| run_as("laptop", &server, &site, words, lines);
    elsewhere(&["login", "--token"], &["nonsense"]).expect(1, &["The server does not know this token"]);
    elsewhere(&["login", "--token"], &[&token]).expect(0, &["You are Ann on"]);
    ann(&server, &["tokens", "new", "program", "--scope", "bot"], &[]).expect(1, &["are for bot accounts"]);
    ann(&server, &["tokens", "revoke", &id], &[]).expect(0, &["is revoked"]);
    ann(&server, &["tokens", "revoke", &id], &[]).expect(1, &["You have no token with this id"]);

    ann(&server, &["logout"], &[]).expect(0, &["Ann is logged out"]);
    ann(&server, &["login", "Ann"], &["wrong password"]).expect(1, &["Wrong name or password"]);
    ann(&server, &["login", "Nobody"], &[PASSWORD]).expect(1, &["Wrong name or password"]);
    ann(&server, &["login", "Ann", "--label", "desk"], &[PASSWORD]).expect(0, &["You are Ann on"]);
    let export = ann(&server, &["account", "export"], &[]);
    export.expect(0, &["\"has_password\": true", "\"desk\""]);
    assert!(!export.said.contains("argon2"));
    ann(&server, &["account", "password"], &[PASSWORD, "another password"])
        .expect(0, &["Your password has been changed"]);
    ann(&server, &["recover", "Ann"], &["00000-00000", PASSWORD]).expect(1, &["Wrong name or recovery code"]);
    let found = ann(&server, &["recover", "Ann"], &[&code, PASSWORD]);
    found.expect(0, &["You are logged in on", "as Ann.", "Your recovery code is"]);
    ann(&server, &["account", "recovery-code"], &[PASSWORD]).expect(0, &["Your recovery code is"]);
    ann(&server, &["account", "dump"], &[]).expect(0, &["show you under a pseudonym"]);
    ann(&server, &["account", "dump", "none"], &[]).expect(0, &["leave out your games"]);
    ann(&server, &["account", "delete"], &["wrong password"]).expect(1, &["Wrong name or password"]);
    ann(&server, &["account", "delete"], &[PASSWORD]).expect(0, &["The account Ann is deleted."]);
    ann(&server, &["profile", "Ann"], &[]).expect(1, &["There is no player with this name"]);
    ann(&server, &["whoami"], &[]).expect(1, &["This server does not know you yet"]);
}

#[test]
fn guesses_at_a_password_come_to_an_end_and_bots_are_marked() {
    let site = Site::new();
    let server = Server::start(site.server_command(0).args(["--attempts-per-name", "2"]));
    let ann = |words: &[&str], lines: &[&str]| run(&server, &site, words, lines);
    ann(&["signup", "Robot", "--bot"], &[PASSWORD]).expect(0, &["Welcome, Robot (bot)"]);
    ann(&["profile", "robot"], &[]).expect(0, &["Robot, a bot"]);
    for guess in ["first guess", "second guess"] {
        ann(&["login", "Robot"], &[guess]).expect(1, &["Wrong name or password"]);
    }
    ann(&["login", "Robot"], &[PASSWORD]).expect(1, &["Too many attempts", "Try again in 450 seconds"]);
}

#[test]
fn a_rated_game_changes_both_ratings_and_the_profile_tells() {
    let site = Site::new();
    let server = site.serve();
    let words = ["--rules", "barrage", "--time", "10+5", "--rated"];
    server
        .run_client(&site, "ann", &[&["play"], &words[..]].concat())
        .expect(2, &["Only players with an account can play rated games"]);
    for who in ["ann", "bob"] {
        // The name belongs to the guest from the refused attempt, or is still free.
        run_as(who, &server, &site, &["signup", who], &[PASSWORD]).expect(0, &["Your recovery code is"]);
    }
    let mut duel = Duel::begin_with(&server, &site, &words, "barrage", Chance::seed_or(33));
    duel.play_quietly(4);
    duel.clients[Side::Blue].type_line("resign yes");
    duel.clients[Side::Red].expect("Your rating: 1500? → 1");
    let told = duel.clients[Side::Blue].expect("Your rating: 1500? → 1");
    assert!(told.contains("(-") && told.contains("Your opponent's: 1500? → 1"), "{told}");
    for side in Side::BOTH {
        duel.clients[side].leave();
    }
    run(&server, &site, &["profile", "bob"], &[]).expect(0, &["barrage", "rapid", "1"]);
    run(&server, &site, &["leaderboard", "--rules", "barrage"], &[]).expect(0, &["No player has enough"]);
    run(&server, &site, &["leaderboard", "--rules", "classic,ties=attacker"], &[])
        .expect(2, &["Custom rules have no ratings"]);
}

#[test]
fn matching_players_are_paired_and_one_who_quits_is_not() {
    let site = Site::new();
    let server = Server::start(site.server_command(0).args(["--pool-wave-seconds", "1"]));
    let words = ["seek", "--rules", "barrage", "--time", "5+3"];
    let mut eve = server.client(&site, "eve", &words);
    eve.expect("Waiting in the pool: Barrage, 5+3");
    eve.type_line("quit");
    eve.ended().expect(0, &[]);
    let mut ann = server.client(&site, "ann", &words);
    ann.expect("Waiting in the pool: Barrage, 5+3");
    let mut bob = server.client(&site, "bob", &words);
    assert_eq!(ann.game(), bob.game());
    for client in [&mut ann, &mut bob] {
        assert!(client.has_said("against ann") || client.has_said("against bob"), "{:?}", client.lines());
    }
    ann.type_line("abort yes");
    for client in [&mut ann, &mut bob] {
        client.expect("The game was aborted.");
        client.leave();
    }
}
