//! Tests of the configuration file, and of the configuration printed as a file.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::form::example;
use super::super::layers::{key, section, settings};
use super::*;

fn load(args: &[&str]) -> Result<Loaded, LoadError> {
    Loaded::from_args(std::iter::once("flagfall-server").chain(args.iter().copied()))
}

fn load_file(text: &str, args: &[&str]) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.toml");
    std::fs::write(&path, text).unwrap();
    let args: Vec<&str> = ["--config", path.to_str().unwrap()].iter().chain(args).copied().collect();
    load(&args).map_err(|error| error.to_string().replace(path.to_str().unwrap(), "FILE"))
}

/// Returns the configuration without the name of its file.
fn content(mut loaded: Loaded) -> (String, Settings) {
    loaded.config.config = None;
    (format!("{:?}", loaded.config), loaded.config.settings().unwrap())
}

/// For each setting, a value that differs from the default.
const OTHER_VALUES: &[(&str, &str)] = &[
    ("listen", "[::1]:8000"),
    ("metrics-listen", "none"),
    ("public-url", "https://play.example.org"),
    ("allow-origin", "https://a.example,https://b.example:8443"),
    ("security-contact", "mailto:ann@example.org"),
    // No page is served, so the server does not look for this folder.
    ("page", "/srv/client-web"),
    ("data", "/srv/a \"quoted\" folder"),
    ("store", "redis://db.example:7000/3"),
    ("signing-key", "/etc/flagfall/key"),
    ("log", "info,flagfall_services::lobby=debug"),
    ("log-format", "json"),
    ("redis-prefix", "other"),
    ("write-format", "1"),
    ("role", "relay"),
    ("memory-limit", "900M"),
    // A relay needs the sender, and the public address above.
    ("smtp", "smtp://127.0.0.1:2525"),
    ("mail-from", "Flagfall <mail@play.example.org>"),
    ("trusted-proxy", "10.0.0.5,10.0.1.0/24"),
    ("trusted-network", "198.51.100.7"),
];

/// The settings whose values are file names. They have their own test, because the files must
/// exist.
const FILES: &[&str] = &["redis-ca", "redis-cert", "redis-key", "webhook-ca", "smtp-ca", "about"];

#[test]
fn every_setting_survives_being_printed_and_read() {
    let command = Config::command();
    let other: BTreeMap<&str, &str> = OTHER_VALUES.iter().copied().collect();
    let mut flags = Vec::new();
    for setting in settings(&command).filter(|setting| !FILES.contains(&key(setting))) {
        let name = key(setting);
        match other.get(name) {
            Some(value) => flags.push(format!("--{name}={value}")),
            None if matches!(setting.get_action(), clap::ArgAction::SetTrue) => {
                flags.push(format!("--{name}"));
            }
            // For all other settings, the default plus or minus one is a valid number.
            None => {
                let default = setting.get_default_values().first().and_then(|value| value.to_str());
                let number: u32 = default.map_or(Ok(77), str::parse).unwrap();
                let next = if name == "ping-seconds" { number - 1 } else { number + 1 };
                flags.push(format!("--{name}={next}"));
            }
        }
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let first = load(&flags).unwrap();
    let printed = first.to_toml();
    for setting in settings(&command).filter(|setting| !FILES.contains(&key(setting))) {
        let start = format!("\n{} = ", key(setting));
        let line = printed.split_once(&start).unwrap_or_else(|| panic!("no {}", key(setting))).1;
        assert!(line.lines().next().unwrap().ends_with("  # flag"), "{}", key(setting));
    }
    let second = load_file(&printed, &[]).unwrap();
    let (first, second) = (content(first), content(second));
    assert_eq!(first, second);
    assert_ne!(first.1, content(load(&[]).unwrap()).1);
}

#[test]
fn files_survive_being_printed_and_read() {
    let flags: Vec<String> = FILES.iter().map(|name| format!("--{name}=/etc/{name}.pem")).collect();
    let first = load(&flags.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    let second = load_file(&first.to_toml(), &[]).unwrap();
    for setting in settings(&Config::command()).filter(|setting| FILES.contains(&key(setting))) {
        let value = |loaded: &Loaded| loaded.matches.get_one::<PathBuf>(setting.get_id().as_str()).cloned();
        assert_eq!(value(&second), Some(PathBuf::from(format!("/etc/{}.pem", key(setting)))));
    }
}

#[test]
fn flags_win_over_the_file_and_the_file_over_defaults() {
    let text = "[games]\ndeploy-seconds = 100\nclaim-seconds = 70\n[accounts]\n";
    let loaded = load_file(text, &["--claim-seconds", "80", "--rest-seconds=90"]).unwrap();
    let config = &loaded.config;
    let times = &config.settings.times;
    let seconds = [times.deployment, times.claim, times.rest].map(|time| time.as_secs());
    assert_eq!(seconds, [100, 80, 90]);
    let printed = loaded.to_toml();
    let line = |key: &str| printed.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap();
    assert!(line("deploy-seconds").ends_with("/server.toml:2"), "{}", line("deploy-seconds"));
    assert_eq!(line("claim-seconds"), "claim-seconds = 80  # flag");
    assert_eq!(line("lag-ms"), "lag-ms = 3000  # default");
}

#[test]
fn a_wrong_line_of_the_file_is_named_with_what_is_allowed() {
    let rows = [
        ("\n[games]\n\ndeploy-seconds = 1\n", "FILE:4: ", "a whole number from 5 to 86400"),
        ("[games]\ndeploy-seconds = \"5m\"", "FILE:2: ", "a whole number from 5 to 86400"),
        ("[games]\ndeploy_seconds = 50", "FILE:2: ", "there is no setting deploy_seconds in [games]"),
        ("[games]\nlisten = \"127.0.0.1:1\"", "FILE:2: ", "there are games-per-player, "),
        ("[game]\ndeploy-seconds = 50", "FILE:1: ", "[listening], [store], [logs]"),
        ("deploy-seconds = 50", "FILE:1: ", "there is no section"),
        ("[games]\ndeploy-seconds = 1.5", "FILE:2: ", "one string, number, true or false"),
        ("[games]\ndeploy-seconds = [50]", "FILE:2: ", "one string, number, true or false"),
        ("[listening]\nallow-origin = [\"a\"]", "FILE:2: ", "wanted: https://HOST"),
        ("[listening]\nlisten = \"localhost:1\"", "FILE:2: ", "such as 127.0.0.1:7171"),
        ("[logs]\nlog-format = \"xml\"", "FILE:2: ", "[possible values: human, json]"),
        ("[limits]\ntrust-proxy = \"yes\"", "FILE:2: ", "true, false"),
        ("[games]\nlag-ms = 1\nlag-ms = 2\n", "FILE:3: not TOML: ", "duplicate key"),
        ("games = 5", "FILE:1: ", "write [games] on a line of its own"),
    ];
    for (text, place, reason) in rows {
        let Err(error) = load_file(text, &[]) else { panic!("accepted: {text}") };
        assert!(error.starts_with(place) && error.contains(reason), "{text}: {error}");
    }
    let Err(error) = load(&["--config", "/no/such/file"]) else { panic!("accepted") };
    assert!(error.to_string().starts_with("--config /no/such/file: "), "{error}");
}

#[test]
fn secrets_are_never_printed() {
    let digits = "0123456789abcdef".repeat(4);
    for store in [
        "redis://:hunter2@db.example",
        "redis://ann:hunter2@db.example:7000/1",
        "unix:///run/redis.sock?pass=hunter2",
        "redis+sentinel://:hunter2@a,b:27000/main",
    ] {
        let relay = "smtps://ann:hunter2@mail.example.org";
        let (from, url) = ("mail@example.org", "https://play.example.org");
        let text = format!(
            "[store]\nstore = \"{store}\"\nsigning-key = \"{digits}\"\n\
             [mail]\nsmtp = \"{relay}\"\nmail-from = \"{from}\"\n[listening]\npublic-url = \"{url}\"\n"
        );
        let flags = ["--store", store, "--signing-key", &digits, "--smtp", relay];
        let flags = [&flags[..], &["--mail-from", from, "--public-url", url]].concat();
        for loaded in [load_file(&text, &[]).unwrap(), load(&flags).unwrap()] {
            for said in [
                loaded.to_toml(),
                format!("{:?}", loaded.config),
                format!("{:?}", loaded.config.settings().unwrap()),
            ] {
                assert!(!said.contains("hunter2") && !said.contains(&digits), "{said}");
            }
            assert!(loaded.to_toml().contains("\n#store = \""), "{}", loaded.to_toml());
            assert!(loaded.to_toml().contains("\n#signing-key = "));
            assert!(loaded.to_toml().contains("\n#smtp = \"smtps://ann@mail.example.org\"  # "));
        }
    }
    for wrong in ["rediss://:hunter2@host/#insecure", "redis://:hunter2@host:port", "hunter2"] {
        let Err(error) = load_file(&format!("[store]\nstore = \"{wrong}\""), &[]) else { panic!("{wrong}") };
        assert!(error.starts_with("FILE:2: ") && !error.contains("hunter2"), "{error}");
        assert!(error.contains("embedded, memory, or a Redis"), "{error}");
    }
}

#[test]
fn each_section_has_one_heading() {
    let command = Config::command();
    let mut sections = BTreeMap::new();
    for setting in settings(&command) {
        let heading = setting.get_help_heading().unwrap_or_else(|| panic!("{}: no heading", key(setting)));
        assert_eq!(*sections.entry(section(setting)).or_insert(heading), heading);
    }
}

#[test]
fn the_example_in_deploy_lists_all_settings_with_their_defaults() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/flagfall-server.toml");
    super::page::assert_generated(&path, &example());
    let all: String = example()
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') && !setting.ends_with('=') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert_eq!(content(load_file(&all, &[]).unwrap()), content(load(&[]).unwrap()));
    assert_eq!(content(load_file(&example(), &[]).unwrap()), content(load(&[]).unwrap()));
}
