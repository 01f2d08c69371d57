//! Checks that the client's texts for people are in Fluent files, and that these files contain
//! all texts that the client uses.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use flagfall::texts::{FILES, files};
use flagfall_tests::{Needs, all_texts, check_translation, format_all};
use flagfall_words::{ENGLISH, Language, RUSSIAN, Words};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Macros and methods whose texts are for developers only.
const FOR_DEVELOPERS: &[&str] = &["expect", "assert", "assert_eq", "debug_assert", "panic", "unreachable"];

/// Literals that contain a space because a format requires it, for example HTTP headers.
const FORMATS: &[&str] = &["Bearer {}", "r y b g", " (os error", "Protocol violation", "flagfall "];

/// The texts and literals in a source file of the client.
#[derive(Default)]
struct Uses {
    /// The uses of `text!`: the id, and the names of the arguments.
    texts: Vec<(String, BTreeSet<String>)>,
    /// All other literals of product code, with their lines.
    literals: Vec<(usize, String)>,
}

fn sources() -> BTreeMap<String, Uses> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    find(&root, &mut files);
    assert!(files.len() > 80, "the sources are there");
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a file");
        let mut uses = Uses::default();
        read_tokens(text.parse().expect("Rust"), &mut uses);
        (path.strip_prefix(&root).expect("a path").display().to_string(), uses)
    };
    files.iter().map(read).collect()
}

/// Finds the files of product code in a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        match path.extension() {
            _ if name == "tests" || name == "fixtures" => {}
            Some(extension) if extension == "rs" => files.push(path),
            Some(_) => {}
            None => find(&path, files),
        }
    }
}

fn read_tokens(tokens: TokenStream, uses: &mut Uses) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at..] {
            [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(_), ..]
                if hash.as_char() == '#' && bang.as_char() == '!' =>
            {
                at += 3;
                continue;
            }
            [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] if hash.as_char() == '#' => {
                at += 2;
                let text = attribute.stream().to_string().replace(' ', "");
                if text == "cfg(test)" || text == "test" {
                    at += item_len(&tokens[at..]);
                } else if text.starts_with("error(") || text.starts_with("value(") {
                    read_tokens(attribute.stream(), uses);
                }
                continue;
            }
            [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(group), ..]
                if bang.as_char() == '!' && name == "text" =>
            {
                read_text(group, uses);
                at += 3;
                continue;
            }
            [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(_), ..]
                if bang.as_char() == '!' && FOR_DEVELOPERS.iter().any(|other| name == other) =>
            {
                at += 3;
                continue;
            }
            [TokenTree::Ident(name), TokenTree::Group(group), ..]
                if name == "expect" && group.delimiter() == Delimiter::Parenthesis =>
            {
                at += 2;
                continue;
            }
            [TokenTree::Group(group), ..] => read_tokens(group.stream(), uses),
            [TokenTree::Literal(literal), ..] => {
                let text = literal.to_string();
                if text.starts_with('"') {
                    let line = literal.span().start().line;
                    uses.literals.push((line, text[1..text.len() - 1].to_owned()));
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the number of tokens in the item at the start of `tokens`.
fn item_len(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |end| end + 1)
}

/// Reads the arguments of `text!`: `("id", name = value, other)`.
fn read_text(group: &Group, uses: &mut Uses) {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let mut parts = tokens.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','));
    let Some([TokenTree::Literal(id)]) = parts.next() else { return };
    let names = parts.filter_map(|part| Some(part.first()?.to_string())).collect();
    uses.texts.push((id.to_string().trim_matches('"').to_owned(), names));
    read_tokens(group.stream().into_iter().skip(1).collect(), uses);
}

fn english_files() -> Vec<&'static str> {
    [ENGLISH, FILES].concat()
}

fn known_texts() -> BTreeMap<String, Needs> {
    all_texts(&english_files())
}

#[test]
fn every_text_can_be_shown() {
    let words = Words::with(FILES);
    for (id, text) in format_all(&english_files(), |id, args| words.try_format(id, args)) {
        assert!(!text.contains(['{', '\u{2068}']), "{id}: {text}");
    }
}

#[test]
fn the_russian_texts_are_those_that_there_are_in_english() {
    check_translation(FILES, files(Language::Russian), [ENGLISH, RUSSIAN]);
    let words = Words::in_language(Language::Russian, files);
    let all = [RUSSIAN, files(Language::Russian)].concat();
    for (id, text) in format_all(&all, |id, args| words.try_format(id, args)) {
        assert!(!text.contains(['{', '\u{2068}']), "{id}: {text}");
    }
}

#[test]
fn every_text_that_is_used_exists_and_gets_what_it_needs() {
    let known = known_texts();
    for (file, uses) in sources() {
        for (id, names) in uses.texts {
            let needs = known.get(&id).unwrap_or_else(|| panic!("{file}: there is no text {id}"));
            assert_eq!(names, needs.arguments, "{file}: the arguments of {id}");
        }
    }
}

/// Collects the texts of a command and its options; see the module `cli::help`.
fn collect_help(
    command: &clap::Command,
    path: &str,
    known: &BTreeMap<String, Needs>,
    used: &mut BTreeSet<String>,
) {
    used.extend([format!("help{path}"), format!("help{path}-more")]);
    for arg in command.get_arguments() {
        let arg = arg.get_id().as_str().replace('_', "-");
        let own = format!("arg{path}-{arg}");
        used.insert(if known.contains_key(&own) { own } else { format!("arg-{arg}") });
    }
    for sub in command.get_subcommands() {
        collect_help(sub, &format!("{path}-{}", sub.get_name()), known, used);
    }
}

#[test]
fn every_command_and_argument_has_a_text() {
    let (known, mut used) = (known_texts(), BTreeSet::new());
    collect_help(&flagfall::cli::help::command(), "", &known, &mut used);
    for id in used.iter().filter(|id| !id.ends_with("-more")) {
        assert!(known.contains_key(id), "{id}");
    }
}

#[test]
fn every_text_is_used() {
    let known = known_texts();
    let mut used = BTreeSet::new();
    collect_help(&flagfall::cli::help::command(), "", &known, &mut used);
    for uses in sources().into_values() {
        used.extend(uses.texts.into_iter().map(|(id, _)| id));
        used.extend(uses.literals.into_iter().map(|(_, text)| text));
    }
    // The crate of the shared texts builds these ids at run time, for example from the code of a
    // refusal.
    let named = ["refusal-", "duration-", "ruleset-", "rule-"];
    used.extend(known.keys().filter(|id| named.iter().any(|prefix| id.starts_with(prefix))).cloned());
    let own = |id: &String| known.get(id).map(|needs| needs.texts.clone()).unwrap_or_default();
    loop {
        let more: BTreeSet<String> = used.iter().flat_map(own).filter(|id| !used.contains(id)).collect();
        if more.is_empty() {
            break;
        }
        used.extend(more);
    }
    let unused: Vec<&String> = known.keys().filter(|id| !used.contains(*id)).collect();
    assert!(unused.is_empty(), "nothing shows these texts: {unused:?}");
}

#[test]
fn no_text_for_people_stands_in_the_code() {
    let mut found = Vec::new();
    for (file, uses) in sources() {
        let texts = uses.literals.into_iter().filter(|(_, text)| is_for_people(text));
        found.extend(texts.map(|(line, text)| format!("{file}:{line}: {text}")));
    }
    assert!(found.is_empty(), "put these into Fluent files:\n{found:#?}");
}

/// True for a literal with words: it has a letter and a space outside its placeholders.
fn is_for_people(literal: &str) -> bool {
    let mut depth = 0;
    let mut shown = String::new();
    let mut letters = literal.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth <= 0 => shown.push(letter),
            _ => {}
        }
    }
    shown.trim().contains(' ') && shown.contains(char::is_alphabetic) && !FORMATS.contains(&literal)
}
