//! Tests that links between the repository's pages lead to existing files, and to headings that
//! exist in these files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use flagfall_structure::fields::log_fields;
use flagfall_structure::workspace::Workspace;

#[test]
fn every_link_between_pages_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut pages = BTreeMap::new();
    find_pages(&root, &mut pages);
    assert!(pages.len() > 20, "only {} pages in {}", pages.len(), root.display());
    let mut dead = Vec::new();
    for (page, text) in &pages {
        for link in links(text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { page.clone() } else { page.parent().expect("a folder").join(file) };
            let Ok(target) = target.canonicalize() else {
                dead.push(format!("{}: {link}", page.display()));
                continue;
            };
            let is_there =
                pages.get(&target).is_none_or(|text| anchors(text).iter().any(|own| own == anchor));
            if !anchor.is_empty() && !is_there {
                dead.push(format!("{}: {link} (no such headline)", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

/// Files that do not exist in the repository, because programs or operators create them.
const MADE_LATER: [&str; 3] = ["deploy/.env", "deploy/backups", "tests/fuzz/artifacts"];

#[test]
fn every_file_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut pages = BTreeMap::new();
    find_pages(&root, &mut pages);
    let tops = ["server/", "shared/", "client-cli/", "tools/", "tests/", "deploy/", "docs/"];
    let mut missing = Vec::new();
    for (page, text) in pages.iter().filter(|(page, _)| !page.ends_with("CHANGELOG.md")) {
        for named in prose_lines(text).flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let is_path = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
            let is_ours = tops.iter().any(|top| named.starts_with(top)) && named.chars().all(is_path);
            if is_ours && !MADE_LATER.contains(&named) && !root.join(named).exists() {
                missing.push(format!("{}: {named}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "files that are not there:\n{}", missing.join("\n"));
}

#[test]
fn every_name_of_the_glossary_is_in_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut sources = Vec::new();
    find_sources(&root, &mut sources);
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut known = BTreeSet::new();
    for source in &sources {
        let text = fs::read_to_string(source).expect("a source");
        known.extend(text.split(|letter| !is_letter(letter)).map(str::to_owned));
    }
    let glossary = fs::read_to_string(root.join("docs/GLOSSARY.md")).expect("the glossary");
    let names = glossary.split('`').skip(1).step_by(2).filter(|code| !code.contains(['/', ' ', '.', '-']));
    let words: Vec<&str> = names.flat_map(|code| code.split(|letter| !is_letter(letter))).collect();
    let unknown: Vec<&&str> = words.iter().filter(|word| !known.contains(**word)).collect();
    assert!(words.len() > 100 && unknown.is_empty(), "{} words, unknown: {unknown:?}", words.len());
}

#[test]
fn every_field_of_the_log_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let used = log_fields(&Workspace::read(&root).expect("the workspace")).expect("the sources");
    let page = fs::read_to_string(root.join("docs/operating/logs.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let documented: BTreeSet<&str> = rows.collect();
    let missing: Vec<_> = used.iter().filter(|(name, _)| !documented.contains(&***name)).collect();
    let unused: Vec<_> = documented.iter().filter(|name| !used.contains_key(**name)).collect();
    assert!(missing.is_empty() && unused.is_empty(), "missing: {missing:?}, unused: {unused:?}");
}

/// Every `cargo test -p CRATE … FILTER` in the pages must name a test or a module of that crate.
/// Otherwise, the command would run no test and still pass.
#[test]
fn every_test_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let (mut pages, mut manifests) = (BTreeMap::new(), BTreeMap::new());
    find_pages(&root, &mut pages);
    let mut sources = Vec::new();
    find_sources(&root, &mut sources);
    for source in &sources {
        let crate_folder = source.ancestors().find(|folder| folder.join("Cargo.toml").is_file());
        let text = fs::read_to_string(source).expect("a source");
        let folder = crate_folder.expect("a crate").to_owned();
        let stem = source.file_stem().expect("a name").to_string_lossy().into_owned();
        manifests.entry(folder).or_insert_with(String::new).push_str(&format!("mod {stem};\n{text}"));
    }
    let named = |folder: &Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = "));
        name.map(|name| name.trim_matches('"').to_owned())
    };
    let crates: BTreeMap<String, &String> =
        manifests.iter().filter_map(|(folder, text)| Some((named(folder)?, text))).collect();
    let (mut count, mut missing) = (0, Vec::new());
    for (page, text) in &pages {
        for code in text.split('`').filter(|code| code.starts_with("cargo test -p ")) {
            let words: Vec<&str> =
                code.split_whitespace().skip(2).take_while(|word| !matches!(*word, "--" | "&&")).collect();
            let Some(text) = words.get(1).and_then(|name| crates.get(*name)) else { continue };
            // The filter is the word that is neither a flag nor a flag's value.
            let takes_value =
                |word: &str| matches!(word, "-p" | "--test" | "--bin" | "--features" | "--bench");
            let filter = (0..words.len())
                .find(|at| !words[*at].starts_with('-') && (*at == 0 || !takes_value(words[at - 1])));
            let Some(filter) = filter.map(|at| words[at]) else { continue };
            let last = filter.rsplit("::").find(|part| !part.is_empty()).unwrap_or_default();
            count += 1;
            if !text.contains(&format!("fn {last}"))
                && !text.contains(&format!("mod {last}"))
                && !text.contains(last)
            {
                missing.push(format!("{}: {code}", page.display()));
            }
        }
    }
    assert!(count > 50 && missing.is_empty(), "{count} tests named; missing:\n{}", missing.join("\n"));
}

#[test]
fn no_comment_is_wider_than_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut sources = Vec::new();
    find_sources(&root, &mut sources);
    assert!(sources.len() > 500, "only {} sources in {}", sources.len(), root.display());
    let is_wide = |line: &str| {
        let is_comment = ["//", "--"].iter().any(|mark| line.trim_start().starts_with(mark));
        is_comment && !line.contains("//! |") && line.chars().count() > 100
    };
    let mut wide = Vec::new();
    for source in &sources {
        let text = fs::read_to_string(source).expect("a source");
        wide.extend((1..).zip(text.lines()).filter(|(_, line)| is_wide(line)).map(|(number, line)| {
            format!("{}:{number}: {} columns", source.display(), line.chars().count())
        }));
    }
    assert!(wide.is_empty(), "comments that are too wide:\n{}", wide.join("\n"));
}

/// Crates without examples in their documentation, or without unit tests, switch off the programs
/// for them, because each takes long to build. What such a crate gets later would not be run.
#[test]
fn no_manifest_switches_off_what_a_crate_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut sources = Vec::new();
    find_sources(&root, &mut sources);
    let mut not_run = Vec::new();
    for source in &sources {
        let folder = source.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).expect("a crate");
        if !source.starts_with(folder.join("src")) {
            continue;
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let library = manifest.split("\n\n").find(|table| table.starts_with("[lib]")).unwrap_or_default();
        let text = fs::read_to_string(source).expect("a source");
        let documentation = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
        let mut fences =
            documentation.filter_map(|line| line.split_once("```")).map(|(_, kind)| kind).step_by(2);
        let has_example = fences.any(|kind| kind != "text");
        let has_test = text.contains("#[test]") || text.contains("#[tokio::test");
        if library.contains("\ndoctest = false") && has_example
            || library.contains("\ntest = false") && has_test
        {
            not_run.push(source.display().to_string());
        }
    }
    assert!(not_run.is_empty(), "switched off in the manifest of the crate:\n{}", not_run.join("\n"));
}

/// True for folders with files that are built, installed or hidden.
fn is_of_others(name: &str) -> bool {
    ["target", "node_modules"].contains(&name) || name.starts_with('.')
}

fn find_sources(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !is_of_others(&name) {
            find_sources(&path, sources);
        } else if name.ends_with(".rs") || name.ends_with(".lua") {
            sources.push(path);
        }
    }
}

fn find_pages(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !is_of_others(&name) && name != "flagfall-data" {
            find_pages(&path, pages);
        } else if name.ends_with(".md") {
            let text = fs::read_to_string(&path).expect("a page");
            pages.insert(path, text);
        }
    }
}

/// Returns the targets of `[text](target)` outside code, except links to the web.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for prose in prose_lines(text) {
        let prose: String = prose.split('`').step_by(2).collect();
        for after in prose.split("](").skip(1) {
            let target = after.split(')').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                found.push(target.to_owned());
            }
        }
    }
    found
}

fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the anchors of a page's headings, as Markdown hosts generate them.
fn anchors(text: &str) -> Vec<String> {
    let headlines = prose_lines(text).filter(|line| line.starts_with('#'));
    let mut anchors: Vec<String> = Vec::new();
    for headline in headlines {
        let kept = headline.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        let anchor: String =
            kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect();
        let earlier = anchors.iter().filter(|other| **other == anchor).count();
        anchors.push(if earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
    }
    anchors
}

#[test]
fn links_and_anchors_are_read_as_hosts_read_them() {
    let text = "# The life of a `move`\n[a](b.md#c), [d](https://e), `[x](y.md)`\n```\n[f](g.md)\n```\n## Twice\n## Twice\n";
    assert_eq!(links(text), ["b.md#c"]);
    assert_eq!(anchors(text), ["the-life-of-a-move", "twice", "twice-1"]);
}
