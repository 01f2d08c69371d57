use std::ffi::OsString;

use super::read::parse_ruleset;
use super::*;
use crate::alerts::Alert;

#[test]
fn the_command_line_is_consistent() {
    help::command().debug_assert();
}

#[test]
fn commands_are_read_in_any_case_and_values_are_left_alone() {
    let small = |line: &str| {
        let words = with_small_commands(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    };
    for (line, read) in [
        ("flagfall Play --bot", "flagfall play --bot"),
        ("flagfall DEPLOYMENTS Show Barrage Corner", "flagfall deployments show Barrage Corner"),
        ("flagfall --name Play WATCH", "flagfall --name Play watch"),
        ("flagfall --plain Games", "flagfall --plain games"),
        ("flagfall --plain=no Games", "flagfall --plain=no games"),
        ("flagfall login Whoami", "flagfall login Whoami"),
        ("flagfall Dance", "flagfall Dance"),
    ] {
        assert_eq!(small(line), read);
    }
}

#[test]
fn names_and_clocks_are_read_in_any_case_and_checked() {
    for line in [
        "flagfall play --rules Classic --time 3Days --side RED --bot GOOD",
        "flagfall leaderboard --speed Blitz --rules BARRAGE",
        "flagfall convert --to JSON a.xml",
        "flagfall bot --line Random --rules PBM",
    ] {
        assert!(Cli::read(line.split(' ')).is_ok(), "{line}");
    }
    for (line, words) in [
        ("flagfall play --rules Clasic", "Did you mean `classic`?"),
        ("flagfall play --bot goood", "Did you mean `good`?"),
        ("flagfall leaderboard --speed blits", "Did you mean `blitz`?"),
        ("flagfall play --time 15days", "between 1 and 14 days"),
        ("flagfall play --rating 1600-1400", "The lower limit comes first"),
        ("flagfall wtach", "watch"),
    ] {
        let error = Cli::read(line.split(' ')).expect_err(line).to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn common_spellings_are_understood() {
    for line in [
        "flagfall play",
        "flagfall play --bot",
        "flagfall play --bot random --rules barrage --time none --side blue --setup suggested --plain",
        "flagfall play --challenge --private --secret --name ann",
        "flagfall play --accept abc",
        "flagfall watch 0123456789ab --server play.example:80",
        "flagfall record 0123456789ab --step",
        "flagfall setups",
        "flagfall check - games --json",
        "flagfall convert --from strados --to json --rules tournament in.xml out.json",
        "flagfall setups delete barrage corner",
        "flagfall referee",
        "flagfall bot --line random --rules pbm --seed 1 --nodes 5",
        "flagfall bot --exec ./ann --rules pbm",
        "flagfall bot --exec ./ann --rules pbm --bot simple --time none --side red --games 0 --turn-time 5 --name ann",
        "flagfall bot --exec ./ann --challenge --rules barrage",
        "flagfall bot --exec ./ann --accept abc",
        "flagfall bot --exec ./ann --game 0123456789ab",
        "flagfall signup ann --bot --new",
        "flagfall login ann --label laptop",
        "flagfall login --token",
        "flagfall logout --name ann",
        "flagfall whoami",
        "flagfall profile ann",
        "flagfall seek --rules barrage --time 5+3 --rated",
        "flagfall play --rated --time 5+3",
        "flagfall play --rated --rating 1400-1600",
        "flagfall play --rating -1600",
        "flagfall play --rating=+-200 --rules barrage",
        "flagfall leaderboard",
        "flagfall leaderboard --rules barrage --speed blitz --bots",
        "flagfall tokens",
        "flagfall tokens new program --scope bot",
        "flagfall tokens revoke 0123456789ab",
        "flagfall recover ann",
        "flagfall account export --out me.json",
        "flagfall account delete",
    ] {
        assert!(Cli::read(line.split(' ')).is_ok(), "{line}");
    }
}

#[test]
fn a_custom_ruleset_has_one_name_however_it_is_typed() {
    assert_eq!(
        parse_ruleset("classic,quiet=off,ties=attacker").as_deref(),
        Ok("classic,ties=attacker,quiet=off")
    );
    let refusal = parse_ruleset("classic,ties=red").unwrap_err();
    assert!(refusal.contains("can be one of these: both, attacker, defender"), "{refusal}");
}

#[test]
fn meaningless_options_are_refused() {
    for line in [
        "flagfall",
        "flagfall play --bot random --challenge",
        "flagfall play --accept abc --rules classic",
        "flagfall play --rules chess",
        "flagfall play --time ten",
        "flagfall play --side green",
        "flagfall watch 1",
        "flagfall check",
        "flagfall convert --to chess a.json",
        "flagfall record 0123456789ab --json --text",
        "flagfall bot",
        "flagfall bot --rules pbm",
        "flagfall bot --line random --rules pbm --exec ./ann",
        "flagfall bot --line random --rules pbm --games 2",
        "flagfall bot --line random --rules pbm --bot simple",
        "flagfall bot --line random --rules pbm --challenge",
        "flagfall bot --exec ./ann --rules chess",
        "flagfall bot --exec ./ann --rules pbm --seed 3",
        "flagfall bot --exec ./ann --accept abc --rules pbm",
        "flagfall bot --exec ./ann --accept abc --games 2",
        "flagfall bot --exec ./ann --rules pbm --turn-time 0",
        "flagfall play --rules course,ties=attacker",
        "flagfall login",
        "flagfall login ann --token",
        "flagfall tokens new program --scope root",
        "flagfall account",
        "flagfall play --rated --bot random",
        "flagfall play --rating strong",
        "flagfall play --challenge --rating 1400-",
        "flagfall leaderboard --speed quick",
    ] {
        assert!(Cli::read(line.split(' ')).is_err(), "{line}");
    }
}

#[test]
fn the_ways_to_be_called_are_a_list_or_none() {
    let alerts = |words: &[&str]| {
        let words = ["flagfall", "play"].iter().chain(words);
        Cli::read(words).map(|cli| cli.common.alerts)
    };
    assert_eq!(alerts(&[]).ok(), Some(vec![Alert::Bell, Alert::Title]));
    assert_eq!(alerts(&["--alerts", "Desktop,bell"]).ok(), Some(vec![Alert::Desktop, Alert::Bell]));
    assert_eq!(alerts(&["--alerts", "none"]).ok(), Some(vec![Alert::None]));
    assert!(alerts(&["--alerts", "horn"]).is_err());
}
