//! Record files: checks them, and converts them to other formats.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flagfall_protocol::{Exit, GameRecord, RECORD_FORMAT};
use flagfall_records::{
    Finding, Format, PublicKeys, Reader, Report, SIZE_MAX, SignatureStatus, Status, check_value_with, export,
    import,
};
use flagfall_rules::Ruleset;
use serde_json::json;

use crate::cli::{CheckArgs, ConvertArgs};
use crate::{text, words};

/// Maximum depth of nested folders in a search.
const DEPTH_MAX: usize = 32;

/// Checks records, and counts the results.
struct Checker<'a, W> {
    args: &'a CheckArgs,
    /// The keys that records must be signed with.
    keys: Option<PublicKeys>,
    good: u64,
    partly: u64,
    wrong: u64,
    unreadable: u64,
    out: &'a mut W,
}

/// Checks records, and writes a line for each result.
///
/// Exit codes: 0 if no record is false, 1 if a record is false, 4 if a record or a key could not
/// be read.
pub fn check(args: &CheckArgs, out: &mut impl Write) -> io::Result<u8> {
    let keys = match keys(&args.key) {
        Ok(keys) => keys,
        Err(why) => {
            writeln!(out, "{}", words::clean(&text!("check-key-error", why)))?;
            out.flush()?;
            return Ok(Exit::Storage.code());
        }
    };
    let mut checker = Checker { args, keys, good: 0, partly: 0, wrong: 0, unreadable: 0, out };
    for path in &args.records {
        checker.check(path, 0)?;
    }
    let Checker { good, partly, wrong, unreadable, out, .. } = checker;
    if !args.json {
        let records = good + partly + wrong;
        let total = match unreadable {
            0 => text!("check-total", records, good, partly, false = wrong),
            _ => text!("check-total-unreadable", records, good, partly, false = wrong, unreadable),
        };
        writeln!(out, "{total}")?;
    }
    out.flush()?;
    let exit = match (wrong, unreadable) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Storage,
        _ => Exit::Refused,
    };
    Ok(exit.code())
}

fn keys(named: &[String]) -> Result<Option<PublicKeys>, String> {
    let mut keys = PublicKeys::default();
    for name in named {
        let is_key = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let text = match is_key {
            true => name.clone(),
            false => read(Path::new(name)).map_err(|error| file_error(name, &error))?,
        };
        keys.add(&text).map_err(|error| file_error(name, &error))?;
    }
    Ok((!named.is_empty()).then_some(keys))
}

impl<W: Write> Checker<'_, W> {
    fn check(&mut self, path: &Path, depth: usize) -> io::Result<()> {
        if path == Path::new("-") {
            return self.check_stream(io::stdin().lock(), &text!("check-standard-input"));
        }
        let name = path.display().to_string();
        if path.is_dir() {
            return match files_in(path) {
                _ if depth >= DEPTH_MAX => self.report_unreadable(name, &text!("check-too-deep")),
                Ok(paths) => paths.iter().try_for_each(|path| self.check(path, depth + 1)),
                Err(error) => self.report_unreadable(name, &error),
            };
        }
        match File::open(path) {
            Ok(file) => self.check_stream(file, &name),
            Err(error) => self.report_unreadable(name, &error),
        }
    }

    fn check_stream(&mut self, stream: impl Read, name: &str) -> io::Result<()> {
        for (number, value) in (1_u64..).zip(Reader::new(BufReader::new(stream))) {
            let name = if number == 1 { name.to_owned() } else { text!("check-record", name, number) };
            match value {
                Ok(value) => self.report(&name, &check_value_with(&value, self.keys.as_ref()))?,
                Err(error) => self.report_unreadable(name, &error)?,
            }
        }
        Ok(())
    }

    fn report(&mut self, name: &str, report: &Report) -> io::Result<()> {
        *match report.status {
            Status::Good => &mut self.good,
            Status::Partly => &mut self.partly,
            Status::False => &mut self.wrong,
        } += 1;
        if self.args.json {
            return writeln!(self.out, "{}", json!({ "record": name, "report": report }));
        }
        writeln!(self.out, "{}", words::clean(&line(name, report)))
    }

    fn report_unreadable(&mut self, name: String, why: &impl ToString) -> io::Result<()> {
        self.unreadable += 1;
        let why = why.to_string();
        if self.args.json {
            return writeln!(self.out, "{}", json!({ "record": name, "trouble": why }));
        }
        writeln!(self.out, "{}", words::clean(&text!("check-unread", name, why)))
    }
}

/// Returns the records and folders in a folder, sorted by name. The name of a record ends in
/// .json or .jsonl. Hidden files are skipped.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let path = entry.path();
        let is_record = path.extension().is_some_and(|end| end == "json" || end == "jsonl");
        // Don't follow links to folders, because they may form a cycle.
        if !is_hidden && (is_record || entry.file_type()?.is_dir()) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn line(name: &str, report: &Report) -> String {
    let game = || {
        let signature = match report.signature {
            Some(SignatureStatus::Verified) => "verified",
            Some(SignatureStatus::NotVerified) => "unverified",
            Some(SignatureStatus::NotVerifiable | SignatureStatus::False) | None => "none",
        };
        text!(
            "check-game",
            ruleset = report.ruleset.clone().unwrap_or_else(|| text!("check-unknown-rules")),
            plies = report.plies,
            end = report.reason.as_deref().unwrap_or("open"),
            trust = report.on_trust,
            signature,
        )
    };
    match report.status {
        Status::Good => text!("check-good", name, game = game()),
        Status::Partly => {
            let left: Vec<&str> = report.unchecked.iter().map(|left| left.detail.as_str()).collect();
            text!("check-partly", name, game = game(), unchecked = left.join("; "))
        }
        Status::False => {
            let finding = report.findings.first().map(finding).unwrap_or_default();
            text!("check-false", name, finding, more = report.findings.len().saturating_sub(1))
        }
    }
}

fn finding(finding: &Finding) -> String {
    let Finding { code, event, ply, detail } = finding;
    let code = code.code();
    match (ply, event) {
        (Some(ply), Some(event)) => text!("check-finding-at", ply = *ply, event = *event + 1, code, detail),
        _ => text!("check-finding", code, detail),
    }
}

/// Reads a record from a file in any format that [`convert`] reads. The error explains why the
/// record cannot be read, or why it is not a legal game.
pub fn read_record(path: &Path) -> Result<GameRecord, String> {
    let name = path.display().to_string();
    let text = read(path).map_err(|error| file_error(&name, &error))?;
    let format = Format::guess(&text).ok_or_else(|| text!("record-no-format", path = &name))?;
    let record = import(&text, format, None).map_err(|error| file_error(&name, &error))?;
    if record.format == RECORD_FORMAT {
        Ok(record)
    } else {
        Err(text!("record-file-format", path = name, format = record.format, own = RECORD_FORMAT))
    }
}

/// Converts a game to another format. Writes it to the given file, or returns it as text. The
/// error explains why the game cannot be read, is not legal, or does not fit the other format.
pub fn convert(args: &ConvertArgs) -> Result<String, String> {
    let ConvertArgs { input, output, from, to, rules } = args;
    let name = input.display().to_string();
    let text = read(input).map_err(|error| file_error(&name, &error))?;
    let from =
        from.or_else(|| Format::guess(&text)).ok_or_else(|| text!("record-no-format-named", path = &name))?;
    let to = to.unwrap_or(if from == Format::Json { Format::Text } else { Format::Json });
    let rules = rules.as_deref().and_then(Ruleset::find);
    let record = import(&text, from, rules).map_err(|error| file_error(&name, &error))?;
    let written = export(&record, to).map_err(|error| file_error(&name, &error))?;
    let Some(path) = output else { return Ok(written) };
    let file = File::options().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(written.as_bytes()))
        .map_err(|error| file_error(&path.display().to_string(), &error))?;
    let (from, to, output) = (from.name(), to.name(), path.display().to_string());
    Ok(text!("converted", input = name, from, ruleset = record.terms.ruleset, output, to) + "\n")
}

fn file_error(path: &str, error: &impl ToString) -> String {
    text!("file-error", path, why = error.to_string())
}

/// Reads a file, but at most one byte more than the limit, so that the caller can tell that the
/// file is too long.
fn read(path: &Path) -> io::Result<String> {
    let limit = SIZE_MAX as u64 + 1;
    let mut text = String::new();
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_string(&mut text)?;
    } else {
        File::open(path)?.take(limit).read_to_string(&mut text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::RecordSource;

    const RECORD: &str = r#"{"format":1,"game":"0123456789ab","terms":{"ruleset":"classic","time":{"kind":"unlimited"}},
        "players":{"red":{"id":"1","name":"ann","kind":"guest"},"blue":{"id":"2","name":"bob","kind":"guest"}},
        "created":5,"deploy_ms":300000,"audience":"public","commitments":{"red":null,"blue":null},
        "deployments":{"red":null,"blue":null},"events":[{"at":6,"event":{"kind":"ready","side":"red"}}]}"#;

    fn run(paths: Vec<PathBuf>, json: bool) -> (u8, String) {
        let mut out = Vec::new();
        let code = check(&CheckArgs { records: paths, json, key: Vec::new() }, &mut out).expect("written");
        (code, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn every_record_has_its_line_and_the_exit_code_tells_the_worst() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let good = put("a.json", RECORD);
        assert_eq!(run(vec![good.clone()], false).0, 0);
        let missing = folder.path().join("none.json");
        assert_eq!(run(vec![good.clone(), missing.clone()], false).0, 4);
        let wrong = put("b.jsonl", &format!("{RECORD}\n{}", RECORD.replace("\"at\":6", "\"at\":4")));
        put("c.json", "[]");
        put("notes.txt", "no record");
        put(".hidden.json", "{");
        let (code, text) = run(vec![folder.path().to_owned()], false);
        assert_eq!(code, 1);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(lines[0].starts_with("partly"), "{text}");
        assert!(lines[2].starts_with("FALSE") && lines[2].contains("ply 0 (event 1): stamp: "), "{text}");
        assert!(lines[3].contains("this is JSON, but not the record"), "{text}");
        assert_eq!(lines[4], "3 records: 0 good, 2 partly checked, 1 false; 1 could not be read");
        let (_, text) = run(vec![wrong, missing], true);
        let values: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(values[1]["report"]["findings"][0]["code"], "stamp");
        assert!(values[2]["trouble"].is_string());
    }

    #[test]
    fn a_key_is_a_file_or_digits_and_a_record_without_a_signature_is_not_good_with_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.json"), RECORD).expect("written");
        fs::write(path("key"), format!("\u{feff}{}\n", "ab".repeat(32))).expect("written");
        fs::write(path("other"), "no key").expect("written");
        let check_with = |key: String| {
            let args = CheckArgs { records: vec![path("a.json")], json: false, key: vec![key] };
            let mut out = Vec::new();
            let code = check(&args, &mut out).expect("written");
            (code, String::from_utf8(out).expect("text"))
        };
        for key in ["ab".repeat(32), path("key").display().to_string()] {
            let (code, text) = check_with(key);
            assert!(code == 0 && text.contains("the signature: there is none"), "{text}");
        }
        let (code, text) = check_with(path("other").display().to_string());
        assert!(code == 4 && text.contains("contains no public keys"), "{text}");
        assert_eq!(check_with(path("none").display().to_string()).0, 4);
    }

    #[test]
    fn a_record_to_show_is_a_game_or_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        fs::write(&path, RECORD).expect("written");
        let text = path.to_str().expect("text");
        assert_eq!(RecordSource::parse(text), Ok(RecordSource::File(path.clone())));
        assert_eq!(RecordSource::parse("-"), Ok(RecordSource::File(PathBuf::from("-"))));
        let game = "0123456789ab";
        assert_eq!(RecordSource::parse(game), Ok(RecordSource::Game(game.parse().expect("an id"))));
        assert!(RecordSource::parse("none.json").is_err());
        assert_eq!(read_record(&path).expect("a record").terms.ruleset, "classic");
        fs::write(&path, RECORD.replace("\"format\":1", "\"format\":9")).expect("written");
        let error = read_record(&path).expect_err("another format");
        assert!(error.contains("has format 9"), "{error}");
        fs::write(&path, "hello").expect("written");
        assert!(read_record(&path).is_err());
    }

    #[test]
    fn control_characters_of_a_record_are_not_printed() {
        let text = RECORD.replace("\"classic\"", "\"\\u001b[2Jx\"");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        fs::write(&path, text).expect("written");
        assert!(!run(vec![path], false).1.contains('\u{1b}'));
    }
}
