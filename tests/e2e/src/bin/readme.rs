//! Runs the first two commands of the README exactly as written there, with the checkout's target
//! folder. The first command starts the server, which must then answer a health check. The second
//! command starts a game against a house player, in which this program makes one move.
//!
//! The environment sets other ports, data and credentials than usual, so a server and games that
//! already exist on this machine are not affected.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use flagfall_e2e::{Process, get};
use tempfile::TempDir;

/// The time that a command may spend on building before it prints anything.
const BUILD: Duration = Duration::from_secs(40 * 60);

/// A deployment, and a move that either side can begin with.
const DEPLOYMENT: &str = "deploy B955916698 2334445566 7777888899 999SBBBBBF";
const FIRST_MOVE: [(&str, &str); 2] = [("Red", "b4b5"), ("Blue", "i7i6")];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout").to_owned();
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let commands = first_commands(&readme);
    let [serve, play] = commands.as_slice() else {
        panic!("the README no longer begins with two commands of cargo run: {commands:?}")
    };
    let folder = tempfile::tempdir().expect("a temporary folder");

    say(&format!("$ {serve}"));
    let mut server = Process::start("server", &mut typed(serve, &root, &folder)).with_patience(BUILD);
    let listening = server.expect("listening on http://");
    let address = listening.rsplit("http://").next().unwrap_or_default().trim().to_owned();
    let health = get(address.parse().expect("an address"), "/health");
    assert_eq!(health.status, 200, "the server does not answer as healthy");
    say(&listening);

    say(&format!("$ {play}"));
    let mut command = typed(play, &root, &folder);
    command.env("FLAGFALL_SERVER", format!("ws://{address}/ws"));
    let mut client = Process::start("client", &mut command).with_patience(BUILD);
    client.expect("Deploy now: ");
    client.type_line(DEPLOYMENT);
    let turn = client.expect_one_of(&["Your turn, Red.", "Your turn, Blue."]);
    let (side, squares) =
        FIRST_MOVE.into_iter().find(|(side, _)| turn.contains(side)).expect("a side has the turn");
    client.type_line(squares);
    say(&client.expect(&format!("{side} moves {squares}")));

    client.kill();
    server.terminate();
    server.ended().expect(0, &[]);
    say("The README's first commands do what they say.");
}

/// The commands in one-line code blocks before the first second-level heading.
fn first_commands(readme: &str) -> Vec<String> {
    let beginning = readme.split("\n## ").next().unwrap_or_default();
    let blocks = beginning.split("```").skip(1).step_by(2).map(str::trim);
    blocks.filter(|block| block.starts_with("cargo run")).map(str::to_owned).collect()
}

/// The command as a person would type it at the root of the checkout.
fn typed(line: &str, root: &PathBuf, folder: &TempDir) -> Command {
    let words = shlex::split(line).expect("a command's words");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(root).env_remove("CARGO_TARGET_DIR");
    for (name, _) in std::env::vars_os() {
        // Cargo's variables for this program must not reach the started program.
        let name_text = name.to_string_lossy();
        if name_text.starts_with("FLAGFALL_") || name_text.starts_with("CARGO_") && name_text != "CARGO_HOME"
        {
            command.env_remove(&name);
        }
    }
    command
        .env("FLAGFALL_LISTEN", "127.0.0.1:0")
        .env("FLAGFALL_METRICS_LISTEN", "127.0.0.1:0")
        .env("FLAGFALL_DATA", folder.path().join("data"))
        .env("FLAGFALL_CONFIG_DIR", folder.path().join("config"));
    command
}

fn say(line: &str) {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}").ok();
}
