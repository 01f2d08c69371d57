//! Tests operator actions on players while servers run, using the Redis of `deploy/` with its
//! access rights.

use flagfall_board::Side;
use flagfall_e2e::{Ended, Process, Site};
use flagfall_tests::Chance;

use crate::accounts::run_as;
use crate::duel::Duel;

const PASSWORD: &str = "correct horse battery";
const RATED: [&str; 5] = ["--rules", "barrage", "--time", "10+5", "--rated"];

fn operate(site: &Site, words: &[&str]) -> Ended {
    let mut command = site.server_command(0);
    Process::start("operator", command.arg("operator").args(words)).ended()
}

/// Plays a rated game that Blue resigns. Returns when the game is rated.
fn rated_game(server: &flagfall_e2e::Server, site: &Site, seed: u64) -> String {
    let mut duel = Duel::begin_with(server, site, &RATED, "barrage", Chance::seed_or(seed));
    duel.play_quietly(4);
    duel.clients[Side::Red].type_line("report they insult me");
    duel.clients[Side::Red].expect("Your report was sent to the operators of the server.");
    duel.clients[Side::Blue].type_line("resign yes");
    for side in Side::BOTH {
        duel.clients[side].expect("Your rating: ");
    }
    let game = duel.id.clone();
    for side in Side::BOTH {
        duel.clients[side].leave();
    }
    game
}

#[test]
fn every_act_of_an_operator_works_while_the_server_runs_and_is_written_down() {
    let site = Site::with_deployed_redis();
    let server = site.serve();
    for who in ["ann", "bob"] {
        run_as(who, &server, &site, &["signup", who], &[PASSWORD]).expect(0, &["Your recovery code is"]);
    }
    operate(&site, &["reports"]).expect(0, &["there are no reports"]);
    operate(&site, &["log"]).expect(0, &["the log of operators is empty"]);
    let first = rated_game(&server, &site, 71);
    rated_game(&server, &site, 72);
    operate(&site, &["reports"]).expect(0, &["open: ann", "about", "they insult me", &first]);
    operate(&site, &["decide", &first, "--reporter", "bob", "nothing", "--reason", "x"])
        .expect(4, &["no such report"]);
    operate(&site, &["decide", &first, "--reporter", "ann", "nothing", "--reason", "it was a joke"])
        .expect(0, &["decided"]);

    operate(&site, &["undo", &first, "--reason", "he lost on purpose"])
        .expect(0, &["undone: ", &first, "Red +", "Blue -"]);
    operate(&site, &["undo", &first, "--reason", "again"]).expect(4, &["was already undone"]);
    operate(&site, &["undo", "0123456789ab", "--reason", "no game"]).expect(4, &["rating"]);
    operate(&site, &["undo-all", "bob", "--reason", "he lost on purpose"])
        .expect(0, &["the effect of 1 game of bob"]);
    operate(&site, &["undo-all", "nobody", "--reason", "x"]).expect(4, &["no player with this name"]);
    let profile = run_as("ann", &server, &site, &["profile", "bob"], &[]);
    profile.expect(0, &["1500"]);

    let mut bob = server.client(&site, "bob", &["play", "--rules", "barrage"]);
    bob.expect("Your offer is in the lobby");
    operate(&site, &["close", "bob", "--reason", "insults"]).expect(0, &["bob is closed"]);
    bob.ended().expect(1, &["closed"]);
    operate(&site, &["reports"]).expect(0, &["nothing: ann", "acted: ann"]);
    run_as("bob", &server, &site, &["login", "bob"], &[PASSWORD]).expect(1, &["have closed this account"]);
    operate(&site, &["reopen", "bob", "--reason", "he is sorry"]).expect(0, &["bob is open again"]);
    run_as("bob", &server, &site, &["login", "bob"], &[PASSWORD]).expect(0, &["You are bob"]);

    operate(&site, &["close", "ann", "--reason", ""]).expect(4, &["a reason must have"]);
    let log = operate(&site, &["log"]);
    log.expect(
        0,
        &[
            "undid the rating change of",
            &first,
            ": he lost on purpose",
            "decided the report of ann",
            ": it was a joke",
            "closed bob",
            ": insults",
            "reopened bob",
        ],
    );
    assert_eq!(
        log.said.lines().filter(|line| line.contains("undid the rating change of")).count(),
        2,
        "{}",
        log.said
    );
}
