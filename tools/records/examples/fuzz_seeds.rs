//! Writes the first inputs for the fuzz targets of `tests/fuzz`: short games of every ruleset.
//!
//! `cargo run -p flagfall-records --example fuzz_seeds -- DIR` makes `DIR/records`,
//! `DIR/imports`, `DIR/notations` and `DIR/entries`. Every run makes the same seeds.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use flagfall_board::{PerSide, Side};
use flagfall_protocol::{Player, PlayerKind, Recorder, Terms, Time};
use flagfall_records::{Format, export};
use flagfall_rules::{Command, Game, Phase, Referee, Ruleset, TimeControl, Viewer};
use flagfall_store::record::{CommandStamp, Form, encode, encode_header};
use flagfall_tests::{Chance, Logged, Match, Step, random_setup, rulesets};
use serde_json::json;

/// The number of plies in a game. Games are short, because the fuzzer mutates short inputs more
/// often.
const PLIES: u16 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("a folder to write to is wanted")?);
    for target in ["records", "imports", "notations", "entries"] {
        fs::create_dir_all(folder.join(target))?;
    }
    for (number, ruleset) in (1..).zip(rulesets()) {
        let mut chance = Chance::new(number);
        let name = format!("{number:02}");
        let log = play(ruleset, &mut chance);
        write_records(&folder, &name, ruleset, &log)?;
        write_notations(&folder, &name, ruleset, &log, &mut chance)?;
        write_entries(&folder, &name, ruleset, &log)?;
    }
    Ok(())
}

fn play(ruleset: &'static Ruleset, chance: &mut Chance) -> Vec<Logged> {
    let time = TimeControl::from(Time::Unlimited {});
    let mut table = Match::new(ruleset, time, PerSide::default(), Chance::new(chance.bits()));
    let mut log = Vec::new();
    while table.game.phase() != Phase::Over {
        let step = match table.game.phase() {
            Phase::Playing if table.game.ply() >= PLIES => Step::Ask(Side::Red, Command::Resign),
            _ => table.random_step(chance),
        };
        log.extend(table.step(&step, 900).unwrap_or_default());
        if table.game.is_paused() {
            log.extend(table.step(&Step::Resume, 900).unwrap_or_default());
        }
    }
    log
}

fn terms(ruleset: &Ruleset) -> Terms {
    Terms {
        ruleset: ruleset.id.to_owned(),
        time: Time::Unlimited {},
        private: false,
        secret: false,
        rated: false,
    }
}

fn players() -> PerSide<Player> {
    let player =
        |id: &str, name: &str| Player { id: id.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest };
    PerSide::new(player("p1", "ana"), player("p2", "bo"))
}

fn write_records(
    folder: &Path,
    name: &str,
    ruleset: &'static Ruleset,
    log: &[Logged],
) -> Result<(), Box<dyn Error>> {
    for viewer in [Viewer::Public, Viewer::Player(Side::Red)] {
        let Some(first) = log.first() else { return Ok(()) };
        let mut recorder = Recorder::new(first.before.clone());
        log.iter().for_each(|Logged { event, at, .. }| recorder.note(event, *at));
        let record = recorder.record(viewer, terms(ruleset), players());
        let audience = if viewer == Viewer::Public { "public" } else { "red" };
        fs::write(folder.join("records").join(format!("{name}-{audience}")), serde_json::to_vec(&record)?)?;
        for format in [Format::Text, Format::Strados, Format::Pbm] {
            if viewer == Viewer::Public
                && let Ok(text) = export(&record, format)
            {
                fs::write(folder.join("imports").join(format!("{name}-{}", format.name())), text)?;
            }
        }
    }
    Ok(())
}

fn write_notations(
    folder: &Path,
    name: &str,
    ruleset: &'static Ruleset,
    log: &[Logged],
    chance: &mut Chance,
) -> Result<(), Box<dyn Error>> {
    let folder = folder.join("notations");
    let playing: Vec<&Game> =
        log.iter().map(|logged| &logged.after).filter(|game| game.phase() == Phase::Playing).collect();
    for (number, game) in (0..).zip(playing.iter().step_by(3)) {
        let text = Referee.position_text(game.position());
        fs::write(folder.join(format!("{name}-position-{number}")), text)?;
    }
    fs::write(folder.join(format!("{name}-ruleset")), ruleset.id)?;
    fs::write(folder.join(format!("{name}-setup")), random_setup(ruleset, chance))?;
    let words = ["a4a5", "a1a7-=g", "9^@a4=g", "j10", "0fxm529wdncz", "[9P]", "a7a8=g", "a4r9'*^"];
    for (number, word) in (0..).zip(words) {
        fs::write(folder.join(format!("word-{number}")), word)?;
    }
    Ok(())
}

fn write_entries(
    folder: &Path,
    name: &str,
    ruleset: &'static Ruleset,
    log: &[Logged],
) -> Result<(), Box<dyn Error>> {
    let Some(first) = log.first() else { return Ok(()) };
    let mut header = json!({
        "terms": terms(ruleset),
        "players": players(),
        "secret": { "red": false, "blue": false },
        "deploy_ms": 300_000,
        "lag_quota": { "per_ply_ms": 100, "stock_ms": 1_000 },
    });
    let lakes = first.before.terms().lakes;
    if lakes != ruleset.shape.lakes {
        header["lakes"] = lakes.iter().map(|square| square.to_string()).collect();
    }
    let header = encode_header(&header)?.into_exposed();
    for form in [Form::Json, Form::Binary] {
        let mut seed = [&header[..], b"\n"].concat();
        for (number, Logged { event, .. }) in (0..).zip(log) {
            let cmd_id = if number % 2 == 0 { "4f5c3a52-6f0e-4c1b-9d43-1d2f0a7b8c9e" } else { "m-1" };
            let stamp = CommandStamp { player: "p1".into(), cmd_id: cmd_id.into(), fingerprint: number };
            let command = (number % 3 > 0).then_some(&stamp);
            let body = encode(form, PerSide::new("p1", "p2"), command, 0, event)?.into_exposed();
            match form {
                Form::Json => seed.extend([&body[..], b"\n"].concat()),
                Form::Binary => seed.extend([&[u8::try_from(body.len())?], &body[..]].concat()),
            }
        }
        fs::write(folder.join("entries").join(format!("{name}-{}", form.number())), seed)?;
    }
    let export = [
        r#"{"flagfall_store":1,"epoch":1764000000000,"alive":1764000000000}"#,
        r#"{"entry":{"game":"0fxm529wdncz","seq":1,"at":1764000000000,"body":"{}"}}"#,
        r#"{"entry":{"game":"0fxm529wdncz","seq":2,"at":1764000000001,"body":{"hex":"00ff"}}}"#,
        r#"{"quarantine":{"game":"0fxm529wdncz","reason":"entry 7"}}"#,
        r#"{"record":{"key":"live/0fxm529wdncz","value":"","expires":1764000300000}}"#,
        r#"{"end":{"games":1,"entries":2,"records":1,"sha256":""}}"#,
    ];
    fs::write(folder.join("entries").join("export"), export.join("\n"))?;
    Ok(())
}
