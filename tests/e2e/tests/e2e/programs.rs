//! Tests outside programs that play on a server: whole games, restarts during a game, and every
//! kind of failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use flagfall_e2e::{Client, Ended, Server, Site, client_program, get};
use flagfall_rules::Ruleset;
use flagfall_tests::write_script;
use flagfall_umpire::line::can_tell;
use serde_json::Value;

/// A site whose programs record their process ids.
struct Stage {
    site: Site,
    server: Server,
}

impl Stage {
    fn new() -> Stage {
        let site = Site::new();
        let server = site.serve();
        Stage { site, server }
    }

    /// Writes a shell script that records its process id.
    fn script(&self, name: &str, lines: &str) -> String {
        let pids = self.site.path().join("pids");
        let path = self.site.path().join(name);
        write_script(&path, &format!("#!/bin/sh\necho $$ >> '{}'\n{lines}\n", pids.display()));
        path.to_str().expect("text").to_owned()
    }

    /// Returns a house player that surrenders with its n-th line, if the game lasts that long.
    fn house(&self, name: &str, rules: &str, seed: u32, lines: u32) -> String {
        self.gated_house(name, rules, seed, lines, "")
    }

    /// Returns a house player that runs `before` before it prints each of its lines, and
    /// surrenders with its n-th line.
    fn gated_house(&self, name: &str, rules: &str, seed: u32, lines: u32, before: &str) -> String {
        let client = client_program();
        let client = client.display();
        let player = format!("'{client}' bot --line random --rules {rules} --seed {seed}");
        let surrender = format!("[ $n = {lines} ] && line=SURRENDER");
        let each = format!("n=$((n + 1)); {surrender}; {before}\necho \"$line\"");
        self.script(name, &format!("{player} | {{ n=0; while read -r line; do {each}; done; }}"))
    }

    /// Lets a program play. The first program offers a game and waits; the second accepts the
    /// offer.
    fn plays(&self, who: &str, program: &str, rules: &str, words: &[&str]) -> Client {
        let mut exec = vec!["bot", "--exec", program, "--rules", rules, "--time", "none"];
        if !words.contains(&"--turn-time") {
            // No program here takes this long, so only the client could cause a late answer.
            exec.extend(["--turn-time", "600"]);
        }
        self.server.client(&self.site, who, &[&exec, words].concat())
    }

    fn waits(&self, who: &str, program: &str, rules: &str, words: &[&str]) -> Client {
        let mut client = self.plays(who, program, rules, words);
        client.expect("Your offer is in the lobby");
        client
    }

    /// Checks that all processes with recorded ids have ended, together with all processes in
    /// their groups.
    fn nothing_is_left(&self) {
        let pids = fs::read_to_string(self.site.path().join("pids")).expect("ids");
        let pids: Vec<&str> = pids.lines().collect();
        assert!(!pids.is_empty());
        for entry in fs::read_dir("/proc").expect("a list of processes").flatten() {
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
            let (start, fields) = stat.rsplit_once(')').expect("a name");
            let fields: Vec<&str> = fields.split_whitespace().collect();
            let own = start.split(' ').next().unwrap_or_default();
            let is_ours = [own, fields[2], fields[3]].iter().any(|id| pids.contains(id));
            assert!(!is_ours || fields[0] == "Z", "still running: {stat}");
        }
    }

    /// A game against a house player that Eve began as Red and left.
    fn game_of_eve(&self, words: &[&str]) -> String {
        let play = ["play", "--bot", "random", "--rules", "barrage", "--side", "red"];
        let mut client = self.server.client(&self.site, "eve", &[&play[..], words].concat());
        let id = client.game();
        if !words.is_empty() {
            client.expect("The game starts.");
        }
        client.kill();
        id
    }

    fn record(&self, id: &str) -> Value {
        let json = self.server.run_client(&self.site, "cat", &["record", id, "--json"]);
        json.expect(0, &[]);
        serde_json::from_str(&json.printed).expect("a record")
    }

    /// Runs a program that fails. The program plays a game of `pbm` as Red against a house
    /// player.
    fn fails(&self, lines: &str, words: &[&str]) -> Ended {
        let red = self.script("culprit", lines);
        let mut client = self.waits("ann", &red, "pbm", &[words, &["--side", "red"]].concat());
        let blue = self.house("honest", "pbm", 1, 1_000_000);
        let mut other = self.plays("bob", &blue, "pbm", &[]);
        let ended = client.ended();
        other.ended().expect(0, &["Games 1: "]);
        self.nothing_is_left();
        ended
    }
}

fn moves(record: &Value) -> Vec<Value> {
    let events = record["events"].as_array().expect("events").iter();
    events.filter(|it| it["event"]["kind"] == "moved").map(|it| it["event"]["move"].clone()).collect()
}

fn kinds(record: &Value, kind: &str) -> usize {
    record["events"].as_array().expect("events").iter().filter(|it| it["event"]["kind"] == kind).count()
}

/// Plays the same game of the two programs under the umpire.
fn umpired(stage: &Stage, rules: &str, red: &str, blue: &str) -> Value {
    let folder = stage.site.path().join("umpired");
    let path = folder.to_str().expect("text");
    let words =
        ["umpire", "--rules", rules, "--red", red, "--blue", blue, "--record", path, "--turn-time", "60"];
    stage.server.run_client(&stage.site, "eve", &words).expect(0, &[]);
    let files = fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path());
    let json: Vec<PathBuf> =
        files.filter(|path| path.extension() == Some(Path::new("json").as_os_str())).collect();
    let text = fs::read_to_string(&json[0]).expect("a record");
    serde_json::from_str(&text).expect("a record")
}

/// Plays a game of two programs. Checks that the game is the same as under the umpire.
fn play(rules: &str) {
    let stage = Stage::new();
    let (red, blue) = (stage.house("red", rules, 1, 90), stage.house("blue", rules, 2, 1_000_000));
    let mut first = stage.waits("ann", &red, rules, &["--side", "red"]);
    let mut second = stage.plays("bob", &blue, rules, &[]);
    let id = first.game();
    assert_eq!(second.game(), id);
    for client in [&mut first, &mut second] {
        client.ended().expect(0, &["The game starts.", "Games 1: "]);
        assert_eq!(client.error_lines(), [] as [&str; 0]);
    }
    stage.nothing_is_left();
    let record = stage.record(&id);
    if Ruleset::find(rules).is_some_and(|ruleset| ruleset.lakes == flagfall_rules::Lakes::OfTheShape) {
        let other = umpired(&stage, rules, &red, &blue);
        assert_eq!(moves(&record), moves(&other));
        assert_eq!(record["deployments"]["red"]["setup"], other["deployments"]["red"]["setup"]);
    }
    assert!(moves(&record).len() > 20, "{record}");
}

#[test]
fn programs_play_every_ruleset_that_the_line_protocol_supports() {
    let mut others = Vec::new();
    for ruleset in Ruleset::all() {
        if can_tell(ruleset) {
            play(ruleset.id);
        } else {
            others.push(ruleset.id);
        }
    }
    let stage = Stage::new();
    let program = stage.house("any", "classic", 1, 1);
    for rules in others {
        let words = ["bot", "--exec", &program, "--rules", rules];
        let ended = stage.server.run_client(&stage.site, "ann", &words);
        ended.expect(
            2,
            &[
                "the line protocol cannot express everything that can happen in",
                rules,
                "choose one of these: classic",
            ],
        );
    }
}

#[test]
fn a_program_waits_for_a_store_that_is_away_and_plays_when_it_is_back() {
    let site = Site::with_redis();
    let server = site.serve();
    let stage = Stage { site, server };
    let redis = stage.site.redis().expect("a Redis");
    redis.freeze();
    let red = stage.house("red", "pbm", 1, 30);
    let mut first = stage.plays("ann", &red, "pbm", &["--side", "red", "--games", "1"]);
    first.expect("The server cannot do this now. The server cannot reach its store");
    redis.thaw();
    first.expect("Your offer is in the lobby");
    let blue = stage.house("blue", "pbm", 2, 1_000_000);
    let mut second = stage.plays("bob", &blue, "pbm", &["--games", "1"]);
    for client in [&mut first, &mut second] {
        client.ended().expect(0, &["The game starts.", "Games 1: "]);
        assert_eq!(client.error_lines(), [] as [&str; 0]);
    }
    stage.nothing_is_left();
}

#[test]
fn programs_play_on_through_a_server_restart() {
    let mut stage = Stage::new();
    let port = stage.server.address.port();
    // Red waits at three points until it is released, so the game cannot end before the server is
    // killed.
    let gates = [50, 100, 150].map(|line| stage.site.path().join(format!("gate-{line}")));
    assert!(Command::new("mkfifo").args(&gates).status().expect("mkfifo runs").success());
    let folder = stage.site.path().display();
    let wait = format!("case $n in 50|100|150) read -r go < '{folder}/gate-'$n;; esac");
    let red = stage.gated_house("red", "classic", 1, 200, &wait);
    let blue = stage.house("blue", "classic", 2, 1_000_000);
    let mut first = stage.waits("ann", &red, "classic", &["--side", "red"]);
    let mut second = stage.plays("bob", &blue, "classic", &[]);
    let id = first.game();
    let mut spectator = stage.server.client(&stage.site, "cat", &["watch", &id]);
    spectator.expect("You are a spectator");
    for gate in gates {
        stage.server.kill();
        for client in [&mut first, &mut second, &mut spectator] {
            client.expect("Reconnecting.");
        }
        stage.server = Server::start(&mut stage.site.server_command(port));
        for client in [&mut first, &mut second, &mut spectator] {
            client.expect("Connected again.");
        }
        first.expect("The game continues.");
        // The write blocks until Red waits at this gate, so use a separate thread.
        thread::spawn(move || fs::write(gate, "go\n"));
        spectator.expect_one_of(&["Red moves", "Blue moves"]);
    }
    first.ended().expect(0, &["Games 1: won 0, drawn 0, lost 1."]);
    second.ended().expect(0, &["Games 1: won 1, drawn 0, lost 0."]);
    stage.nothing_is_left();
    let record = stage.record(&id);
    let red = stage.house("red-again", "classic", 1, 200);
    assert_eq!(moves(&record), moves(&umpired(&stage, "classic", &red, &blue)), "none missing, none twice");
    assert_eq!(kinds(&record, "paused"), 3);
}

const DEPLOY: &str = "read opening; printf 'FB8sB479B8\\nBB31555583\\n6724898974\\n967B669999\\n'";
/// Reads START and the rows of the first board.
const READ_BOARD: &str = "for i in 1 2 3 4 5 6 7 8 9 10 11; do read row; done";

#[test]
fn a_program_that_ends_in_the_middle_costs_its_game() {
    let lines =
        format!("{DEPLOY}; {READ_BOARD}; echo 0 3 DOWN; read outcome; echo a word of its own >&2; exit 3");
    let ended = Stage::new().fails(&lines, &[]);
    ended.expect(
        9,
        &[
            "the program failed: it ended or closed its output",
            "a word of its own",
            "Blue wins: Red resigned.",
        ],
    );
}

#[test]
fn a_program_that_answers_too_late_costs_its_game() {
    let lines = format!("{DEPLOY}; {READ_BOARD}; read never; echo 0 3 DOWN");
    let ended = Stage::new().fails(&lines, &["--turn-time", "0.3", "--deploy-time", "60"]);
    ended.expect(8, &["the program failed: no answer within 0.3 s", "aborted"]);
}

#[test]
fn a_programs_invalid_answer_never_reaches_the_server() {
    for (answer, code, words) in [
        ("echo 0 0 DOWN", 6, "the illegal move \"0 0 DOWN\""),
        ("echo 0 9 UP", 6, "the illegal move \"0 9 UP\""),
        ("echo hello", 5, "\"hello\" is neither"),
        ("head -c 2000 /dev/zero; read never", 5, "a line of more than 1024 bytes"),
    ] {
        let stage = Stage::new();
        let ended = stage.fails(&format!("{DEPLOY}; {READ_BOARD}; {answer}"), &[]);
        ended.expect(code, &[words, "aborted"]);
        let metrics = get(stage.server.metrics, "/metrics").body;
        assert!(metrics.contains("flagfall_messages_in_total"), "{metrics}");
        assert!(!metrics.contains("flagfall_refusals_total{"), "the server refused nothing: {}", ended.said);
    }
    let stage = Stage::new();
    let ended = stage.fails("read opening; yes FFFFFFFFFF | head -n 4; read never", &[]);
    ended.expect(7, &["an illegal deployment", "aborted"]);
}

#[test]
fn a_signal_resigns_the_game_and_ends_all_processes() {
    let stage = Stage::new();
    let slow = stage.script(
        "slow",
        &format!("trap '' TERM; {DEPLOY}; {READ_BOARD}; echo 0 3 DOWN; read outcome; cat > /dev/null"),
    );
    let mut client =
        stage.waits("ann", &slow, "pbm", &["--side", "red", "--turn-time", "600", "--games", "0"]);
    let mut other = stage.server.client(
        &stage.site,
        "bob",
        &["play", "--rules", "pbm", "--time", "none", "--setup", "suggested"],
    );
    other.expect("Red moves a4a5.");
    client.terminate();
    client.ended().expect(130, &["Blue wins: Red resigned."]);
    other.expect("Blue wins: Red resigned.");
    stage.nothing_is_left();

    // While the program waits for an opponent, ending the client only withdraws the offer, so it
    // is not a failure.
    let mut client = stage.waits("ann", &slow, "pbm", &["--games", "0"]);
    client.terminate();
    client.ended().expect(0, &[]);
}

#[test]
fn a_server_that_does_not_know_the_guest_any_longer_ends_the_program() {
    let mut stage = Stage::new();
    let port = stage.server.address.port();
    // Blue's Flag is in the last row, where Red's first move cannot reach it.
    let deploy = "read opening; printf '967B669999\\n6724898974\\nBB31555583\\nFB8sB479B8\\n'";
    let slow = stage.script("slow", &format!("{deploy}; cat > /dev/null"));
    let words = ["bot", "--exec", &slow, "--rules", "pbm", "--bot", "random", "--side", "blue"];
    let mut client = stage.server.client(&stage.site, "ann", &words);
    client.expect("The game starts.");
    stage.server.kill();
    client.expect("Reconnecting.");
    let other = Site::new();
    let _other = Server::start(&mut other.server_command(port));
    client.ended().expect(1, &["your seat in game"]);
    stage.nothing_is_left();
}

#[test]
fn a_program_takes_a_challenge_and_plays_the_house() {
    let stage = Stage::new();
    let (red, blue) = (stage.house("red", "barrage", 3, 20), stage.house("blue", "barrage", 4, 1_000_000));
    let mut first = stage.plays("ann", &red, "barrage", &["--challenge", "--side", "red"]);
    let line = first.expect("--accept ");
    let code = line.rsplit(' ').next().expect("a code").to_owned();
    let mut second = stage.server.client(&stage.site, "bob", &["bot", "--exec", &blue, "--accept", &code]);
    first.ended().expect(0, &["lost 1."]);
    second.ended().expect(0, &["won 1,"]);
    let two = stage.plays("ann", &red, "barrage", &["--bot", "simple", "--games", "2"]).ended();
    two.expect(0, &["Games 2: "]);
    stage.nothing_is_left();
}

#[test]
fn an_impossible_run_is_refused_before_a_game_is_requested() {
    let stage = Stage::new();
    let run = |words: &[&str]| stage.server.run_client(&stage.site, "ann", &[&["bot"], words].concat());
    run(&["--exec", "/nowhere/at/all", "--rules", "pbm"]).expect(2, &["there is no program"]);
    let text = stage.site.path().join("notes.txt");
    fs::write(&text, "no program").expect("written");
    let text = text.to_str().expect("text");
    run(&["--exec", text, "--rules", "pbm"]).expect(2, &["not executable", "chmod +x"]);
    let script = stage.script("fine", "cat > /dev/null");
    run(&["--exec", &script]).expect(2, &["--rules"]);
    run(&["--exec", &script, "--accept", "nonsense"]).expect(1, &["This challenge is not open"]);
    let id = stage.game_of_eve(&["--setup", "random"]);
    run(&["--exec", &script, "--game", &id]).expect(1, &["you have no seat in this game"]);
}

#[test]
fn a_program_takes_a_seat_only_while_it_can_deploy() {
    let stage = Stage::new();
    let program = stage.house("red", "barrage", 3, 20);
    let run = |id: &str| {
        stage.server.run_client(
            &stage.site,
            "eve",
            &["bot", "--exec", &program, "--game", id, "--turn-time", "600"],
        )
    };
    let fresh = stage.game_of_eve(&[]);
    run(&fresh).expect(0, &["The game starts.", "Games 1: "]);
    stage.nothing_is_left();
    let begun = stage.game_of_eve(&["--setup", "random"]);
    run(&begun).expect(1, &["the game has begun, but a program can only join before it deploys"]);
}
