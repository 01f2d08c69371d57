//! Tests of `flagfall referee` through real pipes: the session from its documentation, difficult
//! clients, and its example program.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

/// The time that a test waits before it considers a program stuck.
const STUCK: Duration = Duration::from_secs(120);

fn referee() -> Child {
    Command::new(env!("CARGO_BIN_EXE_flagfall"))
        .arg("referee")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn say(input: &str) -> Output {
    let mut child = referee();
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is taken");
    output
}

#[test]
fn the_documents_session_prints_what_the_document_says() {
    let document = std::fs::read_to_string(folder("docs/protocol/REFEREE.md")).expect("the document");
    let between = |begin: &str, end: &str| {
        let (_, rest) = document.split_once(begin).expect("it begins");
        rest.split_once(end).expect("it ends").0
    };
    let output = say(between("flagfall referee <<'END'\n", "END\n"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), between("prints\n\n```json\n", "```\n"));
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_client_that_waits_for_each_answer_is_not_kept_waiting() {
    let mut child = referee();
    let mut stdin = child.stdin.take().expect("a pipe");
    let (sender, answers) = sync_channel(1);
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let reader = std::thread::spawn(move || {
        stdout.lines().map_while(Result::ok).try_for_each(|answer| sender.send(answer))
    });
    for id in 0..100 {
        writeln!(stdin, r#"{{"id":{id},"type":"go_to"}}"#).expect("it reads");
        let answer = answers.recv_timeout(STUCK).expect("an answer before the next line");
        assert!(answer.starts_with(&format!(r#"{{"id":{id},"#)), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    reader.join().expect("no panic").expect("every answer is received");
}

/// No pipe can buffer this much, so the program must keep reading while its answers wait.
#[cfg(unix)]
#[test]
fn a_client_may_write_thousands_of_lines_before_it_reads() {
    const LINES: usize = 20_000;
    let mut child = referee();
    let mut stdin = child.stdin.take().expect("a pipe");
    let (sender, written) = sync_channel(1);
    let writer = std::thread::spawn(move || {
        let done = stdin.write_all("{\"type\":\"go_to\"}\n".repeat(LINES).as_bytes());
        sender.send(()).expect("the receiver waits");
        done
    });
    let in_time = written.recv_timeout(STUCK);
    if in_time.is_err() {
        child.kill().expect("it can be ended");
    }
    let mut answers = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut answers).expect("UTF-8");
    assert!(in_time.is_ok(), "the program waits for a reader while its client waits for it to read");
    assert_eq!(answers.lines().count(), LINES);
    assert!(child.wait().expect("it ends").success());
    writer.join().expect("no panic").expect("all is taken");
}

#[test]
fn a_closed_output_ends_the_client_quietly() {
    let mut child = referee();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    // The program may end before it has read all lines.
    while stdin.write_all(b"{\"type\":\"about\"}\n").is_ok() {}
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn the_example_program_plays_every_ruleset() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("python3 is not here: the example program is not run");
        return;
    }
    let output = Command::new("python3")
        .arg(folder("tools/referee/examples/random_games.py"))
        .args(["--ruleset", "all", "--games", "3", "--program"])
        .arg(format!("'{}'", env!("CARGO_BIN_EXE_flagfall")))
        .output()
        .expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for ruleset in flagfall_rules::Ruleset::all() {
        assert!(text.contains(&format!("{}: 3 games, ", ruleset.id)), "{text}");
    }
}
