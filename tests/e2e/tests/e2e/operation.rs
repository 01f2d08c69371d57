//! Tests what an operator sees: health, metrics, logs and help.

use std::collections::BTreeSet;

use flagfall_e2e::{Process, Server, Site, Socket, client_program, command, get, server_program};
use flagfall_tests::Chance;
use serde_json::Value;

use crate::duel::Duel;

#[test]
fn health_and_metrics_tell_of_a_game_that_runs() {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(12));
    duel.play_quietly(3);
    let health = get(server.address, "/health");
    assert_eq!(health.status, 200, "{health:?}");
    let health: Value = serde_json::from_str(&health.body).expect("JSON");
    assert_eq!(health["status"], "ok", "{health}");
    assert!(health["connections"].as_u64() >= Some(2), "{health}");

    let metrics = get(server.metrics, "/metrics");
    assert_eq!(metrics.status, 200);
    for line in metrics.body.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        assert!(name.starts_with("flagfall_") || name.starts_with("process_"), "{line}");
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
    for part in ["connections", "games", "messages", "append", "ping"] {
        assert!(metrics.body.contains(part), "{part} is missing in:\n{}", metrics.body);
    }
    // The metrics are not available to players, and games are not available on the operators'
    // port.
    assert_eq!(get(server.address, "/metrics").status, 404);
    assert_eq!(get(server.metrics, "/api/games").status, 404);
}

#[test]
fn a_request_is_found_in_the_log_from_the_message_to_redis() {
    let site = Site::with_redis();
    let mut server = Server::start(site.server_command(0).args(["--log-format", "json", "--log", "debug"]));
    let mut player = Socket::connect(server.address);
    let mut message = |text: &str, kind: &str| {
        player.send_text(text);
        loop {
            let answer: Value = serde_json::from_str(&player.message().expect("a message")).expect("JSON");
            if answer["type"] == kind {
                return answer;
            }
        }
    };
    message(r#"{"type":"hello","protocol":1,"client":"a test"}"#, "welcome");
    let bot = r#"{"type":"play_bot","cmd_id":"p","bot":"random","side":"red",
        "terms":{"ruleset":"barrage","time":{"kind":"unlimited"}}}"#;
    let game = message(bot, "accepted")["outcome"]["game"].as_str().expect("a game").to_owned();
    let command = |id: &str, command: &str| {
        format!(r#"{{"type":"command","cmd_id":"{id}","game":"{game}","ply":0,"command":{command}}}"#)
    };
    let refused = message(&command("m", r#"{"kind":"move","move":"a4a5"}"#), "refused");
    let setup = r#"{"kind":"deploy","setup":"9....1..9. .......... .S........ F8B2......"}"#;
    message(&command("d", setup), "accepted");
    let by_http = get(server.address, "/api/games/nonsense");
    drop(player);
    server.terminate();
    server.ended().expect(0, &[]);

    let lines = server.error_lines();
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |request: &Value| {
        let named = |line: &Value| line["request"] == *request || line["span"]["request"] == *request;
        lines.iter().filter(|line| request.is_string() && named(line)).collect::<Vec<_>>()
    };
    let has = |lines: &[&Value], text: &str| lines.iter().any(|line| line["message"] == text);
    let refusal = of(&refused["request"]);
    assert!(has(&refusal, "message") && has(&refusal, "refused"), "{refusal:?}");
    let welcome = lines.iter().find(|line| line["message"] == "welcome").expect("a welcome");
    assert_eq!(refusal[0]["span"]["connection"], welcome["connection"]);
    let is_appended = |line: &&Value| line["message"] == "Redis answered an append";
    let appended: Vec<&Value> = lines.iter().filter(is_appended).collect();
    // Expect the lines about the new game and the deployment. The house player's deployment does
    // not come from a request.
    let followed = appended.iter().filter(|line| has(&of(&line["span"]["request"]), "message"));
    let followed: BTreeSet<String> = followed.map(|line| line["span"]["request"].to_string()).collect();
    assert_eq!(followed.len(), 2, "{appended:?}");
    let body: Value = serde_json::from_str(&by_http.body).expect("JSON");
    assert!(has(&of(&body["request"]), "refused"), "{body}");
}

#[test]
fn json_logs_are_objects_without_secrets() {
    for format in ["json", "human"] {
        let site = Site::new();
        let mut start = site.server_command(0);
        start.args(["--log-format", format, "--log", "trace"]);
        let mut server = Server::start(&mut start);
        let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(13));
        duel.play_quietly(4);
        let turn = duel.mirror.turn().expect("a running game");
        duel.clients[turn].type_line("resign yes");
        duel.expect("resigned.");
        server.terminate();
        server.ended().expect(0, &[]);
        let lines = server.error_lines();
        assert!(lines.len() > 10, "{lines:?}");
        for line in &lines {
            if format == "json" {
                let told: Value =
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                for field in ["timestamp", "level", "message", "target"] {
                    assert!(told.get(field).is_some(), "{field} is missing in {line}");
                }
            } else {
                assert!(!line.contains('\u{1b}'), "colors in a file: {line}");
            }
            for setup in [&duel.mirror.setups.red, &duel.mirror.setups.blue] {
                assert!(!line.contains(setup.as_str()), "a deployment in the log: {line}");
            }
        }
    }
}

#[test]
fn help_names_every_flag_with_its_default() {
    let site = Site::new();
    let server = help(&mut command(&server_program()));
    for (flag, default) in [
        ("--listen", "127.0.0.1:7171"),
        ("--metrics-listen", "127.0.0.1:7172"),
        ("--data", "flagfall-data"),
        ("--store", "embedded"),
        ("--log", "info"),
        ("--log-format", "human"),
        ("--deploy-seconds", "300"),
    ] {
        let told = paragraph(&server, flag);
        assert!(told.contains(&format!("[default: {default}]")), "{told}");
        // A value that may be a password must not be shown.
        let shown = if flag == "--store" { "" } else { "=" };
        let variable = format!("[env: FLAGFALL_{}{shown}]", flag[2..].replace('-', "_").to_uppercase());
        assert!(told.contains(&variable), "{told}");
    }
    assert_explained(&server);

    let common =
        BTreeSet::from([("--server", "[default: ws://127.0.0.1:7171/ws]"), ("--numbers", "[default: us]")]);
    for words in
        [&["play"][..], &["watch"], &["games"], &["record"], &["rules"], &["setups"], &["setups", "save"]]
    {
        let text = help(command(&client_program()).args(words).current_dir(site.path()));
        for (flag, default) in &common {
            let told = paragraph(&text, flag);
            assert!(told.contains(default), "{told}");
        }
        assert_explained(&text);
    }
    let text = help(&mut command(&client_program()));
    for word in ["Examples:", "flagfall play --bot ", "Exit codes:"] {
        assert!(text.contains(word), "{text}");
    }
}

fn help(command: &mut std::process::Command) -> String {
    let ended = Process::run(command.arg("--help"));
    ended.expect(0, &["Usage: ", "--help"]);
    ended.said
}

/// The text of the help about a flag.
fn paragraph(help: &str, flag: &str) -> String {
    let lines: Vec<&str> = help.lines().collect();
    let is_flag = |line: &str| line.trim_start().split([' ', '=']).next() == Some(flag);
    let start =
        lines.iter().position(|line| is_flag(line)).unwrap_or_else(|| panic!("no {flag} in:\n{help}"));
    let is_next = |line: &str| ["--", "-h,", "-V,"].iter().any(|start| line.trim_start().starts_with(start));
    let rest = lines[start + 1..].iter().take_while(|line| !is_next(line));
    rest.fold(lines[start].to_owned(), |text, line| text + "\n" + line)
}

/// Checks that the help of each flag with a value says what happens without the flag, for example
/// by stating the default.
fn assert_explained(help: &str) {
    for line in help.lines().map(str::trim_start).filter(|line| line.starts_with("--") && line.contains('<'))
    {
        let flag = line.split([' ', '=']).next().unwrap_or_default();
        let told = paragraph(help, flag);
        // The help must say more than the names of the flag and its value.
        assert!(told.split_whitespace().count() > 4, "{told}");
    }
}
