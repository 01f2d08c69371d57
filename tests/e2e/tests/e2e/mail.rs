//! Tests correspondence games as people play them: with one prompt for many games, and with
//! scripts that run repeatedly.

use flagfall_e2e::{Ended, Process, Server, Site};

const PASSWORD: &str = "correct horse battery";
const SETUP: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";

/// Runs a player's client with these lines as its input.
fn run(server: &Server, site: &Site, who: &str, words: &[&str], lines: &[&str]) -> Ended {
    let mut client = site.client_command(who, words);
    let mut process = Process::start(who, client.args(["--server", &server.address.to_string()]));
    for line in lines {
        process.type_line(line);
    }
    process.end_input();
    process.ended()
}

#[test]
fn a_correspondence_game_with_both_players_offline() {
    let site = Site::new();
    let server = site.serve();
    for who in ["ann", "bob"] {
        run(&server, &site, who, &["signup", who], &[PASSWORD]).expect(0, &["Your recovery code is"]);
    }
    let mail = |who: &str, lines: &[&str]| run(&server, &site, who, &["mail"], lines);
    mail("ann", &["challenge nobody"]).expect(1, &["There is no player with this name"]);
    mail("ann", &["challenge Bob red"]).expect(0, &["You have no running game.", "You have challenged Bob"]);

    let asked = mail("bob", &[]);
    asked.expect(0, &["ann challenges you: Play by mail, 3days"]);
    let code =
        asked.said.split("Type accept ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a code");
    let deploy = format!("deploy {SETUP}");
    mail("bob", &[&format!("accept {code}"), &deploy])
        .expect(0, &["you play Blue", "Your deployment is submitted."]);
    mail("ann", &["next", &deploy]).expect(0, &["you play Red", "The game starts."]);

    mail("bob", &["next"]).expect(0, &["It is not your turn in your one running game."]);
    let games = run(&server, &site, "bob", &["games"], &[]);
    games.expect(0, &["theirs", "2d 23h", "ply 0", "Blue", "ann"]);
    let id = games
        .said
        .lines()
        .find(|line| line.contains("theirs"))
        .and_then(|line| line.split_whitespace().next());
    let open = format!("open {}", id.expect("an id"));
    mail("bob", &[&open, "queue j7j6 if a4a5"]).expect(0, &["Queued moves from ply 1 on: j7j6 if a4a5."]);

    mail("ann", &["next", "move #7 a4a5"]).expect(1, &["Your command was not carried out. "]);
    mail("ann", &["next", "move #0 a4a5"]).expect(0, &["Red moves a4a5."]);
    // The server makes the queued move itself, a moment later: before or after the game is opened
    // here.
    let mut waiting = site.client_command("ann", &["mail"]);
    let mut waiting = Process::start("ann", waiting.args(["--server", &server.address.to_string()]));
    waiting.type_line(&open);
    waiting.type_line("move a5a6");
    waiting.expect("Red moves a5a6.");
    waiting.end_input();
    waiting.ended().expect(0, &["Red moves a5a6."]);

    let (show, history) = (open.replace("open", "show"), open.replace("open", "history"));
    mail("bob", &[&show, &history, "standings", "ratings"]).expect(
        0,
        &[
            "ply 3, Blue to move",
            "hidden and never moved",
            "a4a5",
            "j7j6",
            "No player has enough recent rated games",
            "bob, a player",
        ],
    );
    mail("bob", &[&open, "propose"]).expect(0, &["Blue offers a draw."]);
    mail("ann", &[&open, "reject"]).expect(0, &["declines the draw"]);
    mail("bob", &[&open, "resign yes"]).expect(0, &["Red wins: Blue resigned."]);
    run(&server, &site, "bob", &["games"], &[]).expect(0, &["You have no running game."]);

    let told = |words: &[&str]| run(&server, &site, "bob", words, &[]);
    told(&["history"]).expect(0, &["Games of bob", "Blue", "ann", "pbm, 3days", "lost: resigned"]);
    told(&["history", "ann", "bob"]).expect(0, &["ann against bob:", "########## 100 %", "won: resigned"]);
    told(&["stats"]).expect(0, &["as Blue", "Your deployments in pbm", SETUP, "..........   0 %"]);
    told(&["webhook", "show"]).expect(1, &["You have no webhook"]);
    told(&["webhook", "set", "http://example.org/"])
        .expect(1, &["The address of a webhook must begin with https"]);
    told(&["webhook", "set", "https://example.org/"])
        .expect(0, &["The secret that signs the notices is", "not shown again"]);
    told(&["webhook", "show"])
        .expect(0, &["https://example.org/, which was set on ", "No notice has been sent yet."]);
    told(&["webhook", "remove"]).expect(0, &["No more notices will be sent"]);
    told(&["email", "set", "bob@example.org"]).expect(1, &["This server does not send e-mail"]);
    told(&["feed"]).expect(0, &["/api/feeds/", "JSON Feed"]);
    told(&["feed", "--remove"]).expect(0, &["has been removed"]);
    told(&["account", "export"]).expect(0, &["\"played\"", "\"deployments\"", "\"statistics\"", "resigned"]);
}

#[test]
fn an_accounts_deployments_are_kept_by_the_server_and_a_guests_on_the_machine() {
    let site = Site::new();
    let server = site.serve();
    run(&server, &site, "ann", &["signup", "ann"], &[PASSWORD]).expect(0, &["Your recovery code is"]);
    let corner = ".9..1..... ..2......9 ..S.....8. ........FB";
    let file = site.path().join("mine.json").display().to_string();
    let ann = |words: &[&str]| run(&server, &site, "ann", &[&["deployments"], words].concat(), &[]);
    ann(&[]).expect(0, &["You have no saved deployments."]);
    ann(&["save", "barrage", "corner", corner])
        .expect(0, &["Saved in your account as corner", "--setup corner"]);
    ann(&["save", "barrage", "corner", "FFF"]).expect(2, &["Not saved"]);
    ann(&["list"]).expect(0, &["Barrage:", "barrage corner"]);
    ann(&["show", "barrage", "corner"]).expect(0, &["........FB"]);
    ann(&["export", &file]).expect(0, &["Written to"]);
    ann(&["remove", "barrage", "corner"]).expect(0, &["has been deleted."]);
    ann(&["remove", "barrage", "corner"]).expect(1, &["You have no deployment with this name"]);
    run(&server, &site, "bob", &["deployments", "import", &file], &[])
        .expect(0, &["1 deployment was saved."]);
    assert!(site.path().join("config/bob/setups/barrage/corner.txt").is_file());
    ann(&["list"]).expect(0, &["You have no saved deployments."]);
    ann(&["import", &file]).expect(0, &["1 deployment was saved."]);
    let words = ["play", "--bot", "random", "--rules", "barrage", "--time", "none", "--setup", "corner"];
    let played = run(&server, &site, "ann", &words, &["abort yes"]);
    played.expect(0, &["Your deployment is submitted.", "The game was aborted."]);
}

#[test]
fn the_next_game_is_opened_or_reported_missing() {
    let site = Site::new();
    let server = site.serve();
    run(&server, &site, "ann", &["next"], &[]).expect(0, &["You have no running game."]);
    let words = ["play", "--bot", "random", "--side", "red", "--time", "none", "--rules", "pbm"];
    run(&server, &site, "ann", &words, &["deploy suggested"]).expect(0, &["To go on: flagfall play"]);
    let next = run(&server, &site, "ann", &["next"], &["status", "abort yes"]);
    next.expect(0, &["you play Red", "Ply 0: it is Red's turn.", "The game was aborted."]);
}

fn a_game_rests_whenever_nobody_is_there(site: &Site) {
    let start = |port| {
        let mut command = site.server_command(port);
        Server::start(command.env("FLAGFALL_REST_SECONDS", "1").env("FLAGFALL_LOG", "flagfall_game=debug"))
    };
    let mut server = start(0);
    for who in ["ann", "bob"] {
        run(&server, site, who, &["signup", who], &[PASSWORD]).expect(0, &["Your recovery code is"]);
    }
    run(&server, site, "ann", &["mail"], &["challenge bob red"]).expect(0, &["You have challenged bob"]);
    let asked = run(&server, site, "bob", &["mail"], &[]);
    let code =
        asked.said.split("Type accept ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a code");
    let deploy = format!("deploy {SETUP}");
    run(&server, site, "bob", &["mail"], &[&format!("accept {code}"), &deploy])
        .expect(0, &["Your deployment is submitted."]);
    server.expect("unloaded the game from memory");
    run(&server, site, "ann", &["mail"], &["next", &deploy]).expect(0, &["The game starts."]);
    server.expect("unloaded the game from memory");
    run(&server, site, "ann", &["mail"], &["next", "move #0 a4a5"]).expect(0, &["Red moves a4a5."]);
    server.expect("unloaded the game from memory");
    server.kill();
    // A job notifies Blue that it is their turn. If the crash came before the job was done, the
    // job may load the game at this point.
    server = start(server.address.port());
    run(&server, site, "bob", &["games"], &[]).expect(0, &["ply 1", "Blue", "ann"]);
    run(&server, site, "bob", &["mail"], &["next", "move #1 j7j6"]).expect(0, &["Blue moves j7j6."]);
    server.expect("unloaded the game from memory");
    run(&server, site, "ann", &["mail"], &["next", "resign yes"]).expect(0, &["Blue wins: Red resigned."]);
}

#[test]
fn a_game_by_mail_rests_between_its_moves_and_over_a_crash() {
    a_game_rests_whenever_nobody_is_there(&Site::new());
}

#[test]
fn a_game_by_mail_rests_on_redis_as_well() {
    a_game_rests_whenever_nobody_is_there(&Site::with_redis());
}
