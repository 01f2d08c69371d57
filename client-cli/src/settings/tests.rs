use std::ffi::OsString;

use super::*;

const FILE_TEXT: &str = "\
# My club.
server = \"https://club.example\" # ask Ann

alerts = [\"desktop\"]
colors = false
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(text: &str) -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(FILE), text).expect("written");
        Folder(folder)
    }

    fn read(&self, options: &[&str]) -> Result<(Cli, Settings), SettingsError> {
        let folder = self.0.path().to_str().expect("text");
        let line = [&["flagfall", "next", "--config-dir", folder][..], options].concat();
        read_command_line(line.into_iter().map(OsString::from))
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.path().join(FILE)).expect("a file")
    }
}

fn shown<'a>(settings: &'a Settings, key: &str) -> (&'a str, Origin) {
    let shown = settings.shown.iter().find(|shown| shown.key == key).expect("a setting");
    (shown.value.as_deref().unwrap_or_default(), shown.origin)
}

#[test]
fn an_option_comes_before_the_file_and_the_file_before_the_default() {
    let folder = Folder::with(FILE_TEXT);
    let (cli, settings) = folder.read(&["--alerts", "bell"]).expect("settings");
    assert_eq!(cli.common.server, "https://club.example");
    assert!(cli.common.no_color && !cli.common.plain);
    assert_eq!(shown(&settings, "server"), ("https://club.example", Origin::File));
    assert_eq!(shown(&settings, "colors"), ("no", Origin::File));
    assert_eq!(shown(&settings, "alerts"), ("bell", Origin::Option));
    assert_eq!(shown(&settings, "numbers"), ("us", Origin::Default));
    let (cli, settings) = folder.read(&["--no-color=no", "--plain"]).expect("settings");
    assert!(!cli.common.no_color && cli.common.plain);
    assert_eq!(shown(&settings, "colors"), ("yes", Origin::Option));
    assert_eq!(shown(&settings, "alerts"), ("desktop", Origin::File));
}

#[test]
fn a_wrong_file_is_refused_with_the_line() {
    for (text, line, word) in [
        ("plain = true\ncolour = true\n", 2, "colour"),
        ("\n\nplain = \"true\"\n", 3, "true or false"),
        ("numbers = \"roman\"\n", 1, "us, eu"),
        ("alerts = [\"bell\", \"horn\"]\n", 1, "bell, title, desktop, desktop-777, none"),
        ("alerts = []\n", 1, "list"),
        ("plain = true\nserver =\n", 2, "TOML"),
        ("[server]\nhost = \"x\"\n", 1, "server"),
    ] {
        let error = Folder::with(text).read(&[]).expect_err(text).to_string();
        assert!(error.contains(&format!("line {line}")) && error.contains(word), "{text}: {error}");
    }
}

#[test]
fn changing_a_setting_keeps_comments_and_other_settings() {
    let folder = Folder::with(FILE_TEXT);
    let (_, settings) = folder.read(&[]).expect("settings");
    settings.set("server", "play.example").expect("written");
    settings.set("mouse", "off").expect("written");
    settings.set("alerts", "bell, title").expect("written");
    settings.unset("colors").expect("written");
    assert_eq!(
        folder.text(),
        "# My club.\nserver = \"play.example\" # ask Ann\n\nalerts = [\"bell\", \"title\"]\nmouse = false\n"
    );
    let left: Vec<_> = fs::read_dir(folder.0.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing half-written stays: {left:?}");
    for (key, value) in [("colour", "yes"), ("mouse", "maybe"), ("alerts", "horn"), ("numbers", "roman")] {
        assert!(settings.set(key, value).is_err(), "{key} = {value}");
    }
    assert!(folder.text().contains("mouse = false"), "a refused change writes nothing");
}

#[test]
fn a_relative_path_starts_at_the_folder_of_the_file() {
    let folder = Folder::with("ca = \"club.pem\"\n");
    let (cli, _) = folder.read(&[]).expect("settings");
    assert_eq!(cli.common.ca, Some(folder.0.path().join("club.pem")));
}

#[test]
fn every_setting_is_the_default_of_an_option() {
    let command = crate::cli::help::command();
    for setting in &SETTINGS {
        let arg = command.get_arguments().find(|arg| arg.get_id() == setting.option);
        assert!(arg.is_some_and(|arg| arg.is_global_set()), "{}", setting.key);
    }
    let kept = ["config_dir", "help", "version"];
    for arg in command.get_arguments().filter(|arg| !kept.contains(&arg.get_id().as_str())) {
        assert!(SETTINGS.iter().any(|setting| arg.get_id() == setting.option), "{}", arg.get_id());
    }
}

#[test]
fn the_page_of_the_client_names_every_setting() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/client.md");
    let page = fs::read_to_string(page).expect("the page");
    for setting in &SETTINGS {
        let row = format!("| `{}` | ", setting.key);
        let option = format!("| `--{}` |", setting.option.replace('_', "-"));
        assert!(page.lines().any(|line| line.starts_with(&row) && line.ends_with(&option)), "{row}");
    }
}
