//! Tests that the check finds exactly the planted problems.
#![expect(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flagfall_structure::allowed::{Counts, compare};
use flagfall_structure::check::Findings;
use flagfall_structure::files::{long_files, product_lines};
use flagfall_structure::workspace::Workspace;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Checks a fixture against a list. Returns true if it passes, and the output.
fn run(name: &str, list: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allowed.txt");
    fs::write(&file, list).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_structure"))
        .arg("--workspace")
        .arg(fixture(name))
        .arg("--allowed")
        .arg(file)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_planted_cycle_fails_the_check_and_is_named() {
    let (is_sound, text) = run("planted", "");
    assert!(!is_sound);
    assert_eq!(
        text,
        "planted: 4 modules in cycles, 0 allowed\n\
         \x20 2 modules import each other: board, pieces\n\
         \x20   upward: pieces -> board (src/pieces.rs:6)\n\
         \x20           board -> pieces (src/board.rs:1)\n\
         \x20 2 modules import each other: pieces::letters, pieces::names\n\
         \x20   upward: pieces::names -> pieces::letters (src/pieces/names.rs:2)\n\
         \x20           pieces::letters -> pieces::names (src/pieces/letters.rs:2)\n"
    );
}

#[test]
fn what_the_list_allows_passes() {
    let (is_sound, text) = run("planted", "# still to mend\nplanted 4 0\n");
    assert!(is_sound, "{text}");
    assert_eq!(text, "planted: modules in cycles: 4, long files: 0 (allowed)\n");
}

#[test]
fn a_crate_above_or_below_its_ceiling_fails() {
    let (is_sound, text) = run("planted", "planted 3 0\n");
    assert!(!is_sound && text.starts_with("planted: 4 modules in cycles, 3 allowed\n"), "{text}");
    let (is_sound, text) = run("planted", "planted 5 0\n");
    assert!(
        !is_sound && text.starts_with("planted: 4 modules in cycles, 5 allowed: lower the list\n"),
        "{text}"
    );
}

#[test]
fn re_exports_tests_and_local_names_make_no_cycle() {
    assert_eq!(run("sound", ""), (true, String::new()));
}

#[test]
fn a_crate_with_nothing_left_leaves_the_list() {
    for list in ["sound 0 0\n", "another 1 0\n"] {
        let (is_sound, text) = run("sound", list);
        assert!(!is_sound && text.contains("take it off the list"), "{text}");
    }
    let long_left = Counts { in_cycles: 0, long_files: 1 };
    assert_eq!(compare("a", long_left, Some(long_left)), Vec::<String>::new());
}

#[test]
fn a_long_file_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("src");
    fs::create_dir(&source).unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"long\"\n[workspace]\n").unwrap();
    let long = |top: &str| format!("{top}\n{}", "// A line.\n".repeat(600));
    for (name, text) in [
        ("lib.rs", long("//! Everything.")),
        ("table.rs", long("//! A table.\n//!\n//! Over 600 lines: one table reads best in one place.")),
        ("silent.rs", long("//! Over 600 lines:")),
        ("short.rs", "// A line.\n".repeat(600)),
    ] {
        fs::write(source.join(name), text).unwrap();
    }
    let workspace = Workspace::read(folder.path()).unwrap();
    let long: Vec<_> =
        long_files(&workspace.packages[0]).unwrap().into_iter().map(|file| file.path).collect();
    assert_eq!(long, ["lib.rs", "silent.rs"].map(|name| workspace.packages[0].folder.join("src").join(name)));
    assert_eq!(
        Findings::of(&workspace.packages[0]).unwrap().counts(),
        Counts { in_cycles: 0, long_files: 2 }
    );
}

#[test]
fn product_lines_are_counted_without_tests_and_blank_lines() {
    // The product lines of the files are: lib.rs 5, board.rs 4 (of 9 lines), pieces.rs 4 (of 11
    // lines), letters.rs 5, names.rs 7.
    let lines = product_lines(&Workspace::read(&fixture("sound")).unwrap()).unwrap();
    assert_eq!(lines.into_iter().collect::<Vec<_>>(), [("sound".to_owned(), 25)]);
}
