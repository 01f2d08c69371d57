//! Tests of the values that an operator may set, and of the messages about wrong values.

use clap::CommandFactory;
use flagfall_services::settings::PageSettings;

use super::*;

mod file;
mod page;

fn parse(flags: &[&str]) -> Result<Config, String> {
    let args = std::iter::once("flagfall-server").chain(flags.iter().copied());
    Config::try_parse_from(args).map_err(|error| error.to_string())
}

#[test]
fn without_flags_the_settings_are_the_defaults() {
    let mut settings = parse(&[]).unwrap().settings().unwrap();
    settings.limits.connections_max = None;
    assert_eq!(settings, Settings::default());
}

#[test]
fn the_archive_is_a_folder_or_a_bucket() {
    let place = |flags: &[&str]| parse(flags).unwrap().archive_place();
    assert_eq!(place(&["--data", "d"]), ArchivePlace::Folder("d/archive".into()));
    assert_eq!(place(&["--archive", "off"]), ArchivePlace::Off);
    assert_eq!(place(&["--store", "redis://127.0.0.1:1"]), ArchivePlace::Off);
    let bucket = ["--store", "redis://127.0.0.1:1", "--archive", "s3://games/flagfall"];
    assert_eq!(place(&bucket), ArchivePlace::S3("s3://games/flagfall".to_owned()));
}

#[test]
fn a_bad_value_is_answered_with_the_name_of_its_flag() {
    let rows = [
        ("--listen", "7171"),
        ("--listen", "localhost"),
        ("--metrics-listen", "nowhere"),
        ("--store", "cloud"),
        ("--archive", "http://127.0.0.1/games"),
        ("--archive", ""),
        ("--log", "loud=very"),
        ("--log-format", "xml"),
        ("--allow-origin", "play.example.org"),
        ("--allow-origin", "https://play.example.org/page"),
        ("--allow-origin", "*"),
        ("--allow-origin", "https://play.example.org:99999"),
        ("--security-contact", "ann@example.org"),
        ("--security-contact", "mailto:ann@example.org\nPolicy: none"),
        ("--public-url", "play.example.org"),
        ("--public-url", "https://play.example.org/page"),
        ("--public-url", "https://play.example.org?x"),
        ("--public-url", "ftp://play.example.org"),
        ("--deploy-seconds", "0"),
        ("--deploy-seconds", "5m"),
        ("--mail-from", "mail"),
        ("--messages", "-1"),
        ("--max-connections", "0"),
    ];
    for (flag, value) in rows {
        let error = parse(&[&format!("{flag}={value}")]).unwrap_err();
        assert!(error.contains(flag), "{flag} {value}: {error}");
    }
    for flag in ["--listen", "--metrics-listen"] {
        let error = parse(&[&format!("{flag}=localhost:7171")]).unwrap_err();
        assert!(error.contains("as 127.0.0.1:7171"), "{error}");
    }
    let error = parse(&["--deploy-seconds=1"]).unwrap_err();
    assert!(error.contains("wanted: a whole number from 5 to 86400"), "{error}");
    assert!(parse(&["--frobnicate"]).unwrap_err().contains("--frobnicate"));
}

#[test]
fn health_takes_the_address_before_and_after_its_name() {
    let asked = |flags: &[&str]| {
        let config = parse(flags).unwrap();
        match config.command {
            Some(Command::Health { listen }) => listen.unwrap_or(config.listen).to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked(&["health"]), LISTEN);
    assert_eq!(asked(&["health", "--listen", "127.0.0.1:8001"]), "127.0.0.1:8001");
    assert_eq!(asked(&["--listen", "127.0.0.1:8002", "health"]), "127.0.0.1:8002");
    assert_eq!(
        asked(&["--listen", "127.0.0.1:8002", "health", "--listen", "127.0.0.1:8001"]),
        "127.0.0.1:8001"
    );
    assert!(parse(&["health", "--listen", "7171"]).unwrap_err().contains("--listen"));
}

#[test]
fn conflicting_settings_are_reported() {
    let wrong = |flags: &[&str]| parse(flags).unwrap().settings().unwrap_err().to_string();
    assert!(
        wrong(&["--ping-seconds", "10"])
            .contains("--pong-seconds (10) must be more than --ping-seconds (10)")
    );
    assert!(wrong(&["--metrics-listen", LISTEN]).contains("--metrics-listen and --listen are the same"));
    assert!(wrong(&["--page", "/no/such/folder"]).contains("--page /no/such/folder has no page/index.html"));
    let from = ["--mail-from", "mail@example.org"];
    let relay = ["--smtp", "smtps://ann:hunter2@mail.example.org"];
    let url = ["--public-url", "https://play.example.org"];
    assert!(wrong(&relay).starts_with("--smtp needs --mail-from ADDRESS"));
    assert!(wrong(&[&relay[..], &from].concat()).starts_with("--smtp needs --public-url URL"));
    let wrong_form = ["--smtp", "ann:hunter2@mail.example.org"];
    let refusal = wrong(&[&wrong_form[..], &from, &url].concat());
    assert!(refusal.starts_with("--smtp must be smtps://") && !refusal.contains("hunter2"), "{refusal}");
    let no_file = wrong(&[&["--smtp", "/no/such/file"][..], &from, &url].concat());
    assert!(no_file.starts_with("--smtp /no/such/file: "), "{no_file}");
    assert!(wrong(&["--data", "/dev/null"]).contains("/dev/null exists but is not a folder"));
}

#[test]
fn the_page_comes_from_the_program_a_folder_or_nowhere() {
    let page = |flags: &[&str]| parse(flags).unwrap().settings().unwrap().page;
    let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/../client-web");
    assert_eq!(page(&[]), PageSettings::default());
    assert_eq!(page(&["--page", checkout]).folder, Some(PathBuf::from(checkout)));
    // The folder need not exist if it is not used.
    assert!(page(&["--no-page", "--page", "/no/such/folder"]).is_off);
}

#[test]
fn metrics_can_be_switched_off_and_origins_come_in_lists() {
    let config =
        parse(&["--metrics-listen", "none", "--allow-origin", "https://a.example,http://b.example:8080"]);
    let config = config.unwrap();
    assert_eq!(config.metrics_listen, MetricsListen::Off);
    let origins = ["https://a.example", "http://b.example:8080"].map(|origin| origin.parse().unwrap());
    assert_eq!(config.settings().unwrap().allowed_origins, origins);
}

#[test]
fn the_public_address_is_an_origin() {
    let url = |text: &str| parse(&["--public-url", text]).unwrap().settings().unwrap().public_url.unwrap();
    assert_eq!(url("https://Play.Example.org/").to_string(), "https://play.example.org");
    assert_eq!(url("http://192.168.0.7:7171").to_string(), "http://192.168.0.7:7171");
}

#[test]
fn the_command_line_is_sound_and_every_flag_is_explained() {
    let command = Config::command();
    command.clone().debug_assert();
    for flag in command.get_arguments() {
        assert!(flag.get_help().is_some(), "{}", flag.get_id());
    }
}

#[test]
fn a_store_that_is_none_is_refused_without_its_password() {
    for text in ["rediss://:hunter2@host/#insecure", "redis://:hunter2@host:port", "hunter2"] {
        let error = Config::try_parse_from(["flagfall-server", "--store", text]).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("--store (FLAGFALL_STORE) must be embedded, memory, or a Redis"),
            "{message}"
        );
        assert!(!message.contains("hunter2") && !format!("{error:?}").contains("hunter2"), "{message}");
    }
}

#[test]
fn a_relay_needs_the_redis_of_other_servers() {
    let error = |store: &str| parse(&["--role=relay", store]).unwrap().settings().unwrap_err();
    for store in ["--store=embedded", "--store=memory"] {
        assert!(matches!(error(store), ConfigError::RelayAlone), "{store}");
    }
}
