//! Tests the bot of docs/protocol/play.py, run as a reader of the page would run it. Skipped
//! without Python or its package `websockets`.

use std::path::Path;
use std::process::Command;

use flagfall_e2e::{Process, Server, Site, TIMEOUT};

/// A game with random moves takes about a hundred turns.
const GAME: std::time::Duration = TIMEOUT.saturating_mul(6);

/// Returns the Python interpreter for the bot. If Python or the package is missing, says so and
/// returns `None`.
#[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
fn python() -> Option<String> {
    let python = std::env::var("FLAGFALL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import websockets"]).output();
    match found {
        Ok(output) if output.status.success() => Some(python),
        Ok(_) => {
            eprintln!("skipped: {python} has no package websockets (pip install websockets)");
            None
        }
        Err(error) => {
            eprintln!("skipped: {python} cannot be run: {error}");
            None
        }
    }
}

fn play(python: &str, server: &Server, token: Option<&str>) -> Process {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol/play.py");
    let mut command = Command::new(python);
    command.arg(script).arg(format!("ws://{}/ws", server.address));
    command.env_remove("FLAGFALL_TOKEN").envs(token.map(|token| ("FLAGFALL_TOKEN", token)));
    Process::start("play.py", &mut command).with_patience(GAME)
}

#[test]
fn the_example_plays_on_after_the_server_was_killed() {
    let Some(python) = python() else { return };
    let site = Site::new();
    let mut server = site.serve();
    let mut bot = play(&python, &server, None);
    bot.expect("connected as pybot");
    bot.expect("moved");
    server.kill();
    bot.expect("no connection, trying again");
    let _server = Server::start(&mut site.server_command(server.address.port()));
    bot.expect("connected as pybot");
    bot.expect("moved");
    bot.expect("game over: ");
    bot.ended().expect(0, &[]);
}

#[test]
fn the_example_gives_up_when_its_token_is_refused() {
    let Some(python) = python() else { return };
    let site = Site::new();
    let server = site.serve();
    let mut bot = play(&python, &server, Some("no-token-of-this-server"));
    bot.ended().expect(1, &["refused: bad_token"]);
}
