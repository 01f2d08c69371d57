//! Tests players who leave, and opponents who wait for them.

use flagfall_board::Side;
use flagfall_e2e::{Process, Server, Site};
use flagfall_tests::Chance;

use crate::duel::Duel;

/// Starts a server on which a player can claim a game after this many seconds.
fn serve(site: &Site, seconds: u32) -> Server {
    let mut command = site.server_command(0);
    command.env("FLAGFALL_CLAIM_SECONDS", seconds.to_string());
    Server::start(&mut command)
}

#[test]
fn a_game_whose_player_was_killed_is_claimed_and_its_record_is_checked() {
    let site = Site::new();
    let server = serve(&site, 2);
    let mut duel = Duel::begin(&server, &site, "barrage", "5+3", Chance::seed_or(41));
    duel.play_quietly(3);
    let mut watcher = duel.spectator(&server, &site, "eve");
    duel.clients[Side::Blue].type_line("claim win");
    duel.clients[Side::Blue].expect("Your opponent is here");

    duel.clients[Side::Red].kill();
    duel.clients[Side::Blue].expect("(Red) lost the connection");
    duel.clients[Side::Blue].expect("Red is gone. You can claim the game in");
    watcher.expect("Red is gone. Blue can claim the game in");
    duel.clients[Side::Blue].expect("Type “claim win” or “claim draw”");
    duel.clients[Side::Blue].type_line("claim win");
    for client in [&mut duel.clients[Side::Blue], &mut watcher] {
        client.expect("Blue wins: Red abandoned the game.");
    }
    let record = site.path().join("claimed.json");
    let record = record.to_str().unwrap();
    server.run_client(&site, "bob", &["record", &duel.id, "--json", "--out", record]).expect(0, &[]);
    let mut check = site.client_command("bob", &["check", record]);
    Process::start("check", &mut check).ended().expect(0, &["1 good"]);
    // Ann reconnects, but the game is over.
    let mut ann = server.client(&site, "ann", &["play", "--game", &duel.id]);
    ann.expect("Red abandoned the game");
    ann.leave();
    duel.clients[Side::Blue].leave();
}

#[test]
fn returning_in_time_prevents_the_claim() {
    let site = Site::new();
    let server = serve(&site, 3_600);
    let mut duel = Duel::begin(&server, &site, "barrage", "5+3", Chance::seed_or(42));
    duel.clients[Side::Red].kill();
    duel.clients[Side::Blue].expect("You can claim the game in");
    duel.clients[Side::Blue].type_line("claim draw");
    duel.clients[Side::Blue].expect("It is too early to claim the game.");
    let mut ann = server.client(&site, "ann", &["play", "--game", &duel.id]);
    ann.expect("Your turn");
    duel.clients[Side::Blue].expect("(Red) is here.");
    duel.clients[Side::Blue].type_line("claim draw");
    duel.clients[Side::Blue].expect("Your opponent is here");
    duel.clients[Side::Blue].leave();
    ann.expect("You can claim the game in");
    ann.leave();
}

#[test]
fn a_player_is_present_until_disconnected_from_every_server() {
    let site = Site::with_redis();
    let [one, two] = [serve(&site, 2), serve(&site, 2)];
    let mut ann = one.client(
        &site,
        "ann",
        &["play", "--rules", "barrage", "--time", "5+3", "--side", "red", "--challenge"],
    );
    let told = ann.expect(" --accept ");
    let code =
        told.rsplit("--accept ").next().and_then(|rest| rest.split_whitespace().next()).expect("a code");
    let mut bob = two.client(&site, "bob", &["play", "--accept", code, "--setup", "suggested"]);
    bob.game();
    ann.type_line("deploy suggested");
    bob.expect("The game starts.");
    bob.type_line("claim win");
    bob.expect("Your opponent is here");
    ann.kill();
    bob.expect("Red is gone. You can claim the game in");
    bob.expect("Type “claim win” or “claim draw”");
    bob.type_line("claim draw");
    bob.expect("A draw: one side left, and the other claimed a draw.");
    bob.leave();
}
