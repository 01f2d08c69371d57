//! The binary's commands that need no server: what they print and how they end.

use std::path::Path;
use std::process::{Command, Output};

fn flagfall(config: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flagfall"))
        .args(arguments)
        .env("FLAGFALL_CONFIG_DIR", config)
        .env_remove("FLAGFALL_SERVER")
        .output()
        .expect("the binary runs")
}

/// The exit code and both outputs.
fn run(config: &Path, arguments: &[&str]) -> (i32, String) {
    let output = flagfall(config, arguments);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("it ended by itself"), text)
}

#[test]
fn help_is_no_trouble_and_bad_usage_is_of_kind_1_with_a_word() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, code, word) in [
        (&["--help"][..], 0, "flagfall play --bot "),
        (&["play", "--help"][..], 0, "--challenge"),
        (&["--version"][..], 0, "flagfall 0."),
        (&[][..], 1, "Usage"),
        (&["dance"][..], 1, "unrecognized"),
        (&["play", "--rules", "chess"][..], 1, "there is no such ruleset"),
        (&["play", "--time", "soon"][..], 1, "is no clock"),
        (&["play", "--game", "short"][..], 1, "not a game id"),
        (&["games", "--server", "ftp://x"][..], 1, "is no server address"),
        (&["games", "--server", "wss://127.0.0.1:1"][..], 1, "Cannot reach wss://127.0.0.1:1/ws"),
        (&["games", "--ca", "nowhere.pem"][..], 1, "--ca nowhere.pem: "),
        (&["games", "--server", "127.0.0.1:1"][..], 1, "Cannot reach"),
        (&["record", "0123456789ab", "--server", "127.0.0.1:1"][..], 1, "cannot reach"),
        (&["rules", "chess"][..], 1, "there is no ruleset"),
        (&["rules", "barrage"][..], 0, "Two squares"),
        (&["rules"][..], 0, "pbm-small"),
        (&["referee", "--help"][..], 0, "REFEREE.md"),
    ] {
        let (got, text) = run(folder.path(), arguments);
        assert_eq!(got, code, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}

#[test]
fn deployments_are_saved_shown_listed_and_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let corner = ".9..1..... ..2......9 ..S.....8. ........FB";
    let file = folder.path().join("corner.setup");
    std::fs::write(&file, corner.replace(' ', "\n")).expect("written");
    let file = file.to_str().expect("a path");
    for (arguments, code, word) in [
        (&["setups"][..], 0, "No deployment is saved"),
        (&["setups", "save", "barrage", "corner", corner][..], 0, "Saved"),
        (&["setups", "save", "barrage", "filed", file][..], 0, "Saved"),
        (&["setups", "save", "barrage", "../up", corner][..], 1, "a name has"),
        (&["setups", "save", "barrage", "bad", "FFF"][..], 1, "not saved"),
        (&["setups", "save", "chess", "bad", corner][..], 1, "there is no ruleset"),
        (&["setups", "list"][..], 0, "barrage filed"),
        (&["setups", "show", "barrage", "filed"][..], 0, "........FB\n"),
        (&["setups", "delete", "barrage", "corner"][..], 0, "Deleted"),
        (&["setups", "delete", "barrage", "corner"][..], 1, "corner"),
        (&["setups", "show", "barrage", "corner"][..], 1, "no deployment"),
    ] {
        let (got, text) = run(folder.path(), arguments);
        assert_eq!(got, code, "{arguments:?}: {text}");
        assert!(text.contains(word), "{arguments:?}: {text}");
    }
}
