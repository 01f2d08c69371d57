//! Measures commands per second through real pipes. This program starts itself as a referee and
//! plays random games against the clock.
//!
//! `cargo bench -p flagfall-referee` prints, for each ruleset, how many moves per second the
//! referee answers. It measures a client that writes many lines before it reads, and a client
//! that waits for each answer. The moves are chosen before the measurement, so the client uses
//! little of the time. The client and the referee share the machine's cores.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and a broken one stops")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use flagfall_referee::{Session, serve_standard};
use flagfall_rules::Ruleset;
use flagfall_tests::{Chance, random_setup};
use serde_json::{Value, json};

const REFEREE: &str = "--be-a-referee";
/// Minimum number of moves in a measurement.
const MOVES: usize = 100_000;
const ROUNDS: usize = 5;

fn main() {
    if std::env::args().any(|word| word == REFEREE) {
        return serve_standard().unwrap();
    }
    println!("moves a second, median of {ROUNDS} rounds of {MOVES} moves and more");
    println!("{:<16} {:>12} {:>12} {:>12}", "ruleset", "no pipe", "pipelined", "ping-pong");
    for ruleset in Ruleset::all() {
        let script = Script::new(ruleset);
        let rate = |time: fn(&Script) -> Duration| {
            let mut times: Vec<Duration> = (0..ROUNDS).map(|_| time(&script)).collect();
            times.sort_unstable();
            script.lines.len() as f64 / times[ROUNDS / 2].as_secs_f64()
        };
        let (inside, pipelined, waiting) = (rate(inside), rate(pipelined), rate(waiting));
        println!("{:<16} {inside:>12.0} {pipelined:>12.0} {waiting:>12.0}", ruleset.id);
    }
}

/// Lines of random games. The referee accepts all of them.
struct Script {
    lines: Vec<String>,
}

impl Script {
    fn new(ruleset: &Ruleset) -> Script {
        let mut session = Session::new();
        let mut chance = Chance::new(2_026);
        let mut lines = Vec::new();
        while lines.len() < MOVES {
            let mut ask = |request: Value| -> Value {
                let line = request.to_string();
                let answer = serde_json::from_str(&session.answer(&line)).unwrap();
                if request["type"] != "legal" {
                    lines.push(line);
                }
                answer
            };
            let mut stands = ask(json!({ "type": "new_game", "ruleset": ruleset.id, "seed": 1 }));
            for side in ["red", "blue"] {
                // Games with coins need no deployment.
                if stands["phase"] == "playing" {
                    break;
                }
                let command = json!({ "kind": "deploy", "setup": random_setup(ruleset, &mut chance) });
                stands = ask(json!({ "type": "command", "side": side, "command": command }));
            }
            while stands["phase"] == "playing" {
                // While a strike is pending, either side may have to choose.
                for side in ["red", "blue"] {
                    let legal = ask(json!({ "type": "legal", "side": side }));
                    let mut commands = legal["commands"].as_array().cloned().unwrap_or_default();
                    if commands.iter().any(|command| command["kind"] == "move") {
                        commands.retain(|command| command["kind"] == "move");
                    }
                    if !commands.is_empty() {
                        let command = commands.swap_remove(chance.below(commands.len()));
                        stands = ask(json!({ "type": "command", "side": side, "command": command }));
                        break;
                    }
                }
            }
            assert_eq!(stands["phase"], "over", "{stands}");
        }
        Script { lines }
    }
}

fn inside(script: &Script) -> Duration {
    let mut session = Session::new();
    let begun = Instant::now();
    for line in &script.lines {
        assert!(session.answer(line).starts_with(r#"{"type":"done""#));
    }
    begun.elapsed()
}

fn referee() -> Child {
    Command::new(std::env::current_exe().unwrap())
        .arg(REFEREE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Writes all lines on a separate thread, and reads all answers on this thread.
fn pipelined(script: &Script) -> Duration {
    let mut child = referee();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let text = script.lines.join("\n") + "\n";
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(text.as_bytes()).unwrap());
        let answers = BufReader::new(output).lines().map(Result::unwrap);
        assert_eq!(
            answers.filter(|answer| answer.starts_with(r#"{"type":"done""#)).count(),
            script.lines.len()
        );
    });
    let elapsed = begun.elapsed();
    assert!(child.wait().unwrap().success());
    elapsed
}

/// Writes each line only after reading the answer to the previous line.
fn waiting(script: &Script) -> Duration {
    let mut child = referee();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let lines: Vec<String> = script.lines.iter().map(|line| line.clone() + "\n").collect();
    let begun = Instant::now();
    let mut answer = String::new();
    for line in &lines {
        input.write_all(line.as_bytes()).unwrap();
        answer.clear();
        output.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(r#"{"type":"done""#));
    }
    let elapsed = begun.elapsed();
    drop(input);
    assert!(child.wait().unwrap().success());
    elapsed
}
