//! Tests of the binary's commands that need no server: their output and exit codes.

use std::path::Path;
use std::process::{Command, Output};

fn flagfall(config: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flagfall"))
        .args(arguments)
        .env("FLAGFALL_CONFIG_DIR", config)
        .env("FLAGFALL_LANGUAGE", "en")
        .env_remove("FLAGFALL_SERVER")
        .output()
        .expect("the binary runs")
}

/// Runs the client. Returns the exit code and both outputs.
fn run(config: &Path, arguments: &[&str]) -> (i32, String) {
    let output = flagfall(config, arguments);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("it ended by itself"), text)
}

#[test]
fn help_is_no_trouble_and_every_kind_of_trouble_has_its_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let nobody = "127.0.0.1:1";
    for (arguments, code, word) in [
        (&["--help"][..], 0, "flagfall play --bot "),
        (&["--help"][..], 0, "Exit codes:\n  0    done\n  1    refused"),
        (&["play", "--help"][..], 0, "--challenge"),
        (&["--version"][..], 0, "flagfall 0."),
        (&[][..], 2, "Usage"),
        (&["dance"][..], 2, "unrecognized"),
        (&["wacth"][..], 2, "watch"),
        (&["play", "--rules", "chess"][..], 2, "there is no ruleset `chess`"),
        (&["play", "--rules", "clasic"][..], 2, "Did you mean `classic`?"),
        (&["play", "--time", "soon"][..], 2, "is not a clock"),
        (&["play", "--time", "1+0s"][..], 3, "Cannot reach"),
        (&["play", "--time", "9s"][..], 2, "out of range"),
        (&["play", "--bot", "godo"][..], 2, "Did you mean `good`?"),
        (&["play", "--rating", "1600-1400"][..], 2, "is not a range of ratings"),
        (&["play", "--rated"][..], 2, "Only players with an account can play rated games"),
        (&["seek", "--rated"][..], 2, "Only players with an account can play rated games"),
        (&["play", "--game", "short"][..], 2, "not a game id"),
        (&["games", "--server", "ftp://x"][..], 2, "is not a server address"),
        (&["games", "--ca", "nowhere.pem"][..], 2, "--ca nowhere.pem: "),
        (&["games", "--server", "wss://127.0.0.1:1"][..], 3, "Cannot reach wss://127.0.0.1:1/ws"),
        (&["games", "--server", nobody][..], 3, "Cannot reach"),
        (&["record", "0123456789ab", "--server", nobody][..], 3, "Cannot reach"),
        (&["profile", "ann", "--server", nobody][..], 3, "Cannot reach"),
        (&["check", "nowhere.json"][..], 4, "nowhere.json"),
        (&["rules", "chess"][..], 2, "there is no ruleset"),
        (&["rules", "barrage"][..], 0, "Two-squares rule"),
        (&["RULES", "Barrage"][..], 0, "Two-squares rule"),
        (&["Deployments", "LIST"][..], 0, "You have no saved deployments"),
        (&["rules"][..], 0, "pbm-small"),
        (&["referee", "--help"][..], 0, "docs/protocol/REFEREE.md"),
    ] {
        // No server is running, because an invalid request must be reported before the client
        // connects.
        let (got, text) = run(folder.path(), &[&["--server", nobody], arguments].concat());
        assert_eq!(got, code, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}

#[test]
fn the_language_is_known_before_help_and_errors_and_an_unknown_one_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, code, word) in [
        (&["--language", "ru", "--help"][..], 0, "Коды завершения:"),
        (&["play", "--time", "soon", "--language=RU"][..], 2, "не часы"),
        (&["rules", "barrage", "--language", "ru"][..], 0, "Правило двух полей"),
        (&["rules", "--language", "de"][..], 2, "[possible values: en, ru]"),
        (&["settings", "set", "language", "de"][..], 2, "It can be: en, ru."),
    ] {
        let (got, text) = run(folder.path(), arguments);
        assert_eq!(got, code, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}

#[test]
fn rulesets_are_listed_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = |arguments: &[&str]| {
        let (code, text) = run(folder.path(), arguments);
        assert_eq!(code, 0, "{text}");
        serde_json::from_str::<Vec<serde_json::Value>>(&text).expect("a list")
    };
    let ids = |list: &[serde_json::Value]| -> Vec<String> {
        list.iter().map(|ruleset| ruleset["id"].as_str().expect("an id").to_owned()).collect()
    };
    let all = json(&["rules", "--json"]);
    let known: Vec<&str> = flagfall_rules::Ruleset::all().iter().map(|ruleset| ruleset.id).collect();
    assert_eq!(ids(&all), known);
    let one = json(&["rules", "classic,ties=attacker", "--json"]);
    assert_eq!(ids(&one), ["classic,ties=attacker"]);
    assert_eq!((&one[0]["columns"], &one[0]["army"]["9"]), (&10.into(), &8.into()));
}

/// Runs the client in a separate terminal, and leaves its prompt unanswered.
#[cfg(target_os = "linux")]
#[test]
fn a_prompt_gives_the_terminal_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = r#""$FLAGFALL" --server 127.0.0.1:1 watch --plain; echo code=$?; stty -a"#;
    let terminal = Command::new("script")
        .args(["--quiet", "--return", "--command", line, "/dev/null"])
        .env("FLAGFALL", env!("CARGO_BIN_EXE_flagfall"))
        .env("FLAGFALL_CONFIG_DIR", folder.path())
        .env("FLAGFALL_LANGUAGE", "en")
        .env("TERM", "xterm")
        .stdin(std::process::Stdio::piped())
        .output()
        .expect("a terminal");
    let text = String::from_utf8_lossy(&terminal.stdout).into_owned();
    assert!(text.contains("> ") && text.contains("Cannot reach") && text.contains("code=3"), "{text}");
    let settings = text.split_once("code=3").expect("the end of the client").1;
    let is_set = |name: &str| settings.split([' ', ';', '\r', '\n']).any(|setting| setting == name);
    assert!(["echo", "icanon", "isig"].into_iter().all(is_set), "{text}");
}

#[test]
fn completions_and_manual_pages_come_from_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script) = run(folder.path(), &["completions", shell]);
        assert_eq!(code, 0, "{script}");
        assert!(script.contains("leaderboard") && script.contains("no-color"), "{shell}: {script}");
    }
    assert_eq!(run(folder.path(), &["completions", "tcsh"]).0, 2);
    let man = folder.path().join("man/man1");
    assert_eq!(run(folder.path(), &["man", man.to_str().expect("a path")]).0, 0);
    let page = |name: &str| std::fs::read_to_string(man.join(name)).expect("a page");
    assert!(page("flagfall.1").contains("flagfall\\-leaderboard(1)"), "{}", page("flagfall.1"));
    assert!(page("flagfall-tokens-new.1").contains("shown only once"));
}

#[test]
fn settings_are_shown_set_and_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, code, word) in [
        (&["settings"][..], 0, "default"),
        (&["settings", "set", "server", "play.example"][..], 0, "server is set in"),
        (&["settings", "set", "colors", "no"][..], 0, "colors is set in"),
        (&["settings"][..], 0, "play.example"),
        (&["settings", "list", "--json", "--plain"][..], 0, "\"origin\": \"option\""),
        (&["settings", "set", "color", "no"][..], 2, "There is no setting color"),
        (&["settings", "set", "colors", "sometimes"][..], 2, "yes or no"),
        (&["settings", "unset", "server"][..], 0, "Removed server from"),
    ] {
        let (got, text) = run(folder.path(), arguments);
        assert_eq!(got, code, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
    std::fs::write(folder.path().join("settings.toml"), "plain = true\ncolour = 1\n").expect("written");
    let (code, text) = run(folder.path(), &["rules"]);
    assert!(code == 2 && text.contains("line 2: There is no setting colour"), "{text}");
}

/// Runs the client in a separate terminal, which `script` (util-linux) creates.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_at_a_password_restores_the_terminal() {
    use std::io::{Read, Write};
    use std::process::Stdio;

    let folder = tempfile::tempdir().expect("a folder");
    let line = r#""$FLAGFALL" --server 127.0.0.1:1 login ana; echo code=$?; stty -a"#;
    let mut terminal = Command::new("script")
        .args(["--quiet", "--return", "--command", line, "/dev/null"])
        .env("FLAGFALL", env!("CARGO_BIN_EXE_flagfall"))
        .env("FLAGFALL_CONFIG_DIR", folder.path())
        .env("FLAGFALL_LANGUAGE", "en")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs: it is part of util-linux");
    let (mut keys, mut screen) =
        (terminal.stdin.take().expect("piped"), terminal.stdout.take().expect("piped"));
    let (mut text, mut buffer) = (String::new(), [0; 1_024]);
    loop {
        let length = screen.read(&mut buffer).expect("the terminal's output");
        text.push_str(&String::from_utf8_lossy(&buffer[..length]));
        if text.ends_with("Password of ana: ") {
            keys.write_all(b"\x03").expect("a key");
        }
        if length == 0 {
            break;
        }
    }
    assert!(terminal.wait().expect("an end").success(), "{text}");
    assert!(text.contains("Interrupted. Nothing was done.") && text.contains("code=130"), "{text}");
    let settings = text.split_once("code=130").expect("the end of the client").1;
    let is_set = |name: &str| settings.split([' ', ';', '\r', '\n']).any(|setting| setting == name);
    assert!(["echo", "icanon", "isig"].into_iter().all(is_set), "{text}");
}

#[test]
fn a_deployment_that_is_none_is_said_before_a_server_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let corner = ".9..1..... ..2......9 ..S.....8. ........FB";
    assert_eq!(run(folder.path(), &["deployments", "save", "barrage", "corner", corner]).0, 0);
    let file = folder.path().join("long.setup");
    std::fs::write(&file, format!("{corner}\n9")).expect("written");
    let file = file.to_str().expect("a path");
    let barrage = ["--server", "127.0.0.1:1", "--rules", "barrage", "--setup"];
    for (setup, code, word) in [
        ("TYPO", 2, "No deployment \"TYPO\" is saved for barrage"),
        ("Corner", 2, "Did you mean `corner`?"),
        (file, 2, "41 characters instead of 40"),
        ("FFF", 2, "No deployment"),
        ("corner", 3, "Cannot reach"),
        (corner, 3, "Cannot reach"),
        ("Random", 3, "Cannot reach"),
    ] {
        for command in [&["play"][..], &["play", "--challenge"], &["play", "--bot"], &["seek"]] {
            let (got, text) = run(folder.path(), &[command, &barrage, &[setup]].concat());
            assert_eq!(got, code, "{command:?} {setup}: {text}");
            assert!(text.contains(word), "{command:?} {setup}: {text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_unwritable_folder_is_reported_and_does_not_stop_a_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("written");
    // The path leads through a file, so the folder cannot be created, not even by root.
    let (code, text) = run(&file.join("config"), &["play", "--plain", "--server", "127.0.0.1:1"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("Your seat cannot be saved on this machine"), "{text}");
    assert!(text.contains("Cannot reach"), "{text}");
}

#[test]
fn deployments_are_saved_shown_listed_and_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let corner = ".9..1..... ..2......9 ..S.....8. ........FB";
    let file = folder.path().join("corner.setup");
    std::fs::write(&file, corner.replace(' ', "\n")).expect("written");
    let file = file.to_str().expect("a path");
    for (arguments, code, word) in [
        (&["setups"][..], 0, "You have no saved deployments"),
        (&["setups", "save", "barrage", "corner", corner][..], 0, "Saved"),
        (&["setups", "save", "barrage", "filed", file][..], 0, "Saved"),
        (&["setups", "save", "barrage", "../up", corner][..], 2, "A name consists"),
        (&["setups", "save", "barrage", "bad", "FFF"][..], 2, "Not saved"),
        (&["setups", "save", "chess", "bad", corner][..], 2, "there is no ruleset"),
        (&["setups", "save", "barrage", "long", &format!("{corner}9")][..], 2, "41 characters instead of 40"),
        (&["setups", "list"][..], 0, "barrage filed"),
        (&["setups", "show", "barrage", "filed"][..], 0, "........FB\n"),
        (&["setups", "delete", "barrage", "corner"][..], 0, "has been deleted"),
        (&["setups", "delete", "barrage", "corner"][..], 4, "corner"),
        (&["setups", "show", "barrage", "corner"][..], 1, "No deployment"),
    ] {
        let (got, text) = run(folder.path(), arguments);
        assert_eq!(got, code, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}
