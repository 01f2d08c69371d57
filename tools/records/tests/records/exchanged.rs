//! Tests that exporting and importing a game does not change it, in every format that supports
//! the game. Also tests that games from other programs are replayed before they are accepted.

use flagfall_protocol::{GameEvent, GameRecord};
use flagfall_records::{ExportError, Format, ImportError, Status, check, export, import};
use flagfall_rules::{Move, Ruleset, Viewer};
use flagfall_tests::Chance;

use crate::games::{End, Manner, of_every_ruleset, play};

fn moves(record: &GameRecord) -> Vec<Move> {
    let squares = |event: &GameEvent| match event {
        GameEvent::Moved(seen) => Some(seen.squares),
        _ => None,
    };
    record.events.iter().filter_map(|told| squares(&told.event)).collect()
}

fn setups(record: &GameRecord) -> Vec<&str> {
    let opened = [&record.deployments.red, &record.deployments.blue];
    opened.into_iter().flatten().map(|opened| opened.setup.as_str()).collect()
}

fn has_ruleset(format: Format, ruleset: &Ruleset) -> bool {
    match format {
        Format::Json | Format::Text => true,
        Format::Strados => ["classic", "tournament", "pbm", "barrage"].contains(&ruleset.id),
        Format::Pbm => ["classic", "tournament", "pbm", "pbm-small"].contains(&ruleset.id),
    }
}

#[test]
fn out_and_in_again_it_is_the_same_game() {
    let mut count = std::collections::BTreeMap::<(&str, String), usize>::new();
    let manner = |game: u64| {
        let plies = if game.is_multiple_of(3) { 5_000 } else { 20 * game as u16 };
        Manner::new(plies, Manner::ENDS[(game % 3) as usize])
    };
    for (seed, played) in of_every_ruleset(60_001, 9, manner) {
        let ruleset = played.game.terms().ruleset;
        let record = played.record(Viewer::Public);
        for format in Format::ALL {
            let text = match export(&record, format) {
                Ok(text) => text,
                Err(error) => {
                    let is_right = match &error {
                        _ if format == Format::Text => false,
                        ExportError::NotOpened(_) => record.deployments.red.is_none(),
                        ExportError::NotStarted => record.commitments.red.is_none(),
                        ExportError::Ruleset { .. } => !has_ruleset(format, ruleset),
                        ExportError::End { reason, .. } => {
                            ["quiet_limit", "ply_limit", "illegal_act"].contains(&reason.as_str())
                        }
                        ExportError::Start | ExportError::False(_) => false,
                    };
                    assert!(is_right, "seed {seed} {format:?}: {error}");
                    continue;
                }
            };
            assert!(has_ruleset(format, ruleset), "seed {seed} {format:?}");
            assert_eq!(Format::guess(&text), Some(format));
            let again = import(&text, format, Some(ruleset)).expect("what was written is read");
            if format == Format::Json {
                assert_eq!(again, record);
                continue;
            }
            if format == Format::Text {
                // The text format has its own test below.
                *count.entry((format.name(), ruleset.id.to_owned())).or_default() += 1;
                continue;
            }
            assert_eq!(setups(&again), setups(&record), "seed {seed} {format:?}");
            assert_eq!(moves(&again), moves(&record), "seed {seed} {format:?}");
            assert_eq!(again.outcome, record.outcome, "seed {seed} {format:?}");
            assert_eq!(again.players.red.name, record.players.red.name);
            let report = check(&again);
            assert_eq!(report.status, Status::Partly, "seed {seed} {format:?}: {report:#?}");
            assert_eq!(report.plies_checked, moves(&record).len());
            assert_eq!(export(&again, format).expect("writable"), text, "written again it is the same text");
            *count.entry((format.name(), ruleset.id.to_owned())).or_default() += 1;
        }
    }
    println!("{count:?}");
    for ruleset in Ruleset::all() {
        for format in [Format::Text, Format::Strados, Format::Pbm] {
            let was_tried = count.contains_key(&(format.name(), ruleset.id.to_owned()));
            assert_eq!(was_tried, has_ruleset(format, ruleset), "{format:?} {}", ruleset.id);
        }
    }
}

/// Returns the events on the board, which are the events that the text format keeps.
fn kept(record: &GameRecord) -> Vec<&GameEvent> {
    let is_kept = |event: &&GameEvent| event.is_ply() || matches!(event, GameEvent::Colored { .. });
    record.events.iter().map(|told| &told.event).filter(is_kept).collect()
}

/// Returns the result of a check, without the parts that depend on stamps.
fn said(record: &GameRecord) -> (Vec<&'static str>, Vec<&'static str>, usize) {
    let report = check(record);
    let left = report.unchecked.iter().map(|left| left.code.code());
    let left = left.filter(|code| !["stamps", "deadline"].contains(code)).collect();
    (report.findings.iter().map(|found| found.code.code()).collect(), left, report.plies_checked)
}

fn assert_comes_back(record: &GameRecord, seed: u64) {
    let text = export(record, Format::Text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let again = import(&text, Format::Text, None);
    let again = again.unwrap_or_else(|error| panic!("seed {seed} {:?}: {error}\n{text}", record.audience));
    assert_eq!(export(&again, Format::Text).as_ref(), Ok(&text), "seed {seed}");
    assert_eq!(kept(&again), kept(record), "seed {seed} {:?}", record.audience);
    assert_eq!((again.game, again.audience), (record.game, record.audience));
    assert_eq!((&again.terms.ruleset, again.terms.time), (&record.terms.ruleset, record.terms.time));
    assert_eq!(again.lakes, record.lakes);
    assert_eq!(again.commitments, record.commitments, "seed {seed}");
    assert_eq!(again.deployments, record.deployments, "seed {seed} {:?}", record.audience);
    assert_eq!(again.outcome, record.outcome, "seed {seed}");
    assert_eq!(again.players.blue.name, record.players.blue.name);
    assert_eq!(said(&again), said(record), "seed {seed} {:?}\n{text}", record.audience);
}

#[test]
fn a_text_comes_back_for_every_ruleset_and_audience() {
    let mut count = std::collections::BTreeMap::<(String, &str), usize>::new();
    let ends = [End::Resign, End::Draw, End::OutOfTime, End::Open, End::Abort];
    let manner = |game: u64| Manner {
        secret: flagfall_board::PerSide::new(game % 4 == 2, game % 4 == 3),
        ..Manner::new(
            if game.is_multiple_of(4) { 5_000 } else { 15 * game as u16 },
            ends[(game % 5) as usize],
        )
    };
    for (seed, played) in of_every_ruleset(63_001, 10, manner) {
        let mut chance = Chance::new(seed);
        for viewer in Viewer::ALL {
            let cut = 1 + chance.below(played.log.len());
            let is_whole = played.log.get(cut).is_none_or(|next| next.at != played.log[cut - 1].at);
            for until in [played.log.len(), cut].into_iter().take(if is_whole { 2 } else { 1 }) {
                let record = played.record_until(viewer, until);
                assert_comes_back(&record, seed);
                let end = if record.outcome.is_some() { "over" } else { "running" };
                *count.entry((record.terms.ruleset, end)).or_default() += 1;
            }
        }
    }
    println!("{count:?}");
    for ruleset in Ruleset::all() {
        for end in ["over", "running"] {
            assert!(count.contains_key(&(ruleset.id.to_owned(), end)), "{end} {}", ruleset.id);
        }
    }
}

#[test]
fn a_changed_salt_or_deployment_is_found_at_conversion() {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let record = play(ruleset, Manner::new(20, End::Resign), &mut Chance::new(5)).record(Viewer::Public);
    let text = export(&record, Format::Text).expect("writable");
    let salt = record.deployments.red.as_ref().expect("open").salt.to_string();
    let other = format!("{}{}", if salt.starts_with('0') { '1' } else { '0' }, &salt[1..]);
    let error = import(&text.replace(&salt, &other), Format::Text, None).expect_err("another salt");
    assert!(matches!(error, ImportError::False(_)), "{error}");
    let mut bent = record;
    bent.deployments.red.iter_mut().for_each(|opened| opened.salt = other.parse().expect("a salt"));
    assert!(matches!(export(&bent, Format::Text), Err(ExportError::False(_))));
}

#[test]
fn a_field_named_twice_is_refused_and_a_byte_order_mark_is_not() {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let record = play(ruleset, Manner::new(20, End::Resign), &mut Chance::new(5)).record(Viewer::Public);
    for format in Format::ALL {
        let text = export(&record, format).expect("writable");
        let marked = format!("\u{feff}{text}");
        assert_eq!(Format::guess(&marked), Some(format));
        assert_eq!(
            import(&marked, format, Some(ruleset)),
            import(&text, format, Some(ruleset)),
            "{format:?}"
        );
    }
    let json = export(&record, Format::Json).expect("writable");
    let twice = json.replacen("\"audience\"", "\"game\": \"0123456789ab\", \"audience\"", 1);
    let error = import(&twice, Format::Json, None).expect_err("which game?").to_string();
    assert!(error.contains("named twice"), "{error}");
    let text = export(&record, Format::Text).expect("writable");
    let twice = text.replacen("Time: ", "Time: no clock\nTime: ", 1);
    assert!(matches!(import(&twice, Format::Text, None), Err(ImportError::Line { .. })));
}

#[test]
fn the_same_game_has_the_same_id_wherever_it_comes_from() {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let record = play(ruleset, Manner::new(20, End::Resign), &mut Chance::new(5)).record(Viewer::Public);
    let ids = [Format::Strados, Format::Pbm].map(|format| {
        let text = export(&record, format).expect("writable");
        import(&text, format, Some(ruleset)).expect("readable").game
    });
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], record.game);
}

#[test]
fn a_false_record_is_not_written_anew() {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let mut record = play(ruleset, Manner::new(20, End::Resign), &mut Chance::new(5)).record(Viewer::Public);
    record.commitments.red = None;
    for format in [Format::Text, Format::Strados, Format::Pbm] {
        assert!(matches!(export(&record, format), Err(ExportError::False(_))), "{format:?}");
    }
}

/// The deployments of a small game, in which a Scout of each side moves back and forth.
const FIELD_RED: &str = "MBBBBBBCDD DDDDDDEEEE EFFFFGGGGH HHHIIIJJKL";
const FIELD_BLUE: &str = "XWVVUUUTTT TSSSSRRRRQ QQQQPPPPPP PPONNNNNNY";

fn xml(moves: &[(&str, &str)], result: &str) -> String {
    let field = format!("{FIELD_RED}AA__AA__AAAA__AA__AA{FIELD_BLUE}").replace(' ', "");
    let moves: String = (1..)
        .zip(moves)
        .map(|(id, (from, to))| format!("<move id=\"{id}\" source=\"{from}\" target=\"{to}\"/>\n"))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<stratego>\n <game type = \"classic\">\n\n<field content=\"{field}\"/>\n{moves}\
         <player id =\"1\">A &amp; B</player>\n<player id =\"2\">Player 2</player>\n{result}\n </game>\n</stratego>\n"
    )
}

const RESIGNED: &str = "<result type=\"3\" winner=\"1\"/>";

fn error_of(text: &str, rules: Option<&str>) -> String {
    let rules = rules.and_then(Ruleset::find);
    import(text, Format::Strados, rules).expect_err("not a game").to_string()
}

#[test]
fn a_file_from_elsewhere_is_played_and_believed() {
    let text = xml(&[("K4", "K5"), ("A7", "A6")], RESIGNED);
    let record = import(&text, Format::Strados, None).expect("a legal game");
    assert_eq!(record.terms.ruleset, "classic", "the format's own assumption");
    assert_eq!(record.players.red.name, "A & B");
    assert_eq!(moves(&record).iter().map(Move::to_string).collect::<Vec<_>>(), ["j4j5", "a7a6"]);
    assert_eq!(record.imported.as_ref().map(|imported| imported.from.as_str()), Some("strados"));
    assert_eq!(check(&record).status, Status::Partly);
    let other = xml(&[("J4", "J5"), ("A7", "A6")], RESIGNED);
    assert_eq!(import(&other, Format::Strados, None), Ok(record), "some files write J for K");
}

#[test]
fn a_file_that_is_no_legal_game_is_refused_with_the_move() {
    let refused = [
        (xml(&[("K4", "K5"), ("A7", "A5")], RESIGNED), "move 2, a7a5, is not legal in classic"),
        (
            xml(&[("K4", "K5"), ("A6", "A5")], RESIGNED),
            "move 2, a6a5, is not legal in classic: There is no piece",
        ),
        (xml(&[("L4", "K5")], RESIGNED), "line 6: \"L4\" is not a square"),
        (xml(&[("A4", "A11")], RESIGNED), "is not a square"),
        (xml(&[], "<result type=\"1\" winner=\"1\"/>"), "by the rules the game does not end here"),
        (xml(&[], "<result type=\"10\" winner=\"3\"/>"), "results of the type 10 are not supported"),
        (xml(&[], "<result type=\"3\" winner=\"4\"/>"), "the winner must be 1, 2 or 3"),
        (xml(&[], "<result type=\"3\" winner=\"3\"/>"), "resigned cannot end here with nobody winning"),
        (xml(&[], ""), "there must be exactly one result"),
        (xml(&[], RESIGNED).replace("classic", "duell"), "no ruleset matches games of the type \"duell\""),
        (
            xml(&[], RESIGNED).replace("content=\"MB", "content=\"BB"),
            "Red's deployment: Flag: 0 placed, but the army has 1. Place exactly that many.",
        ),
        (
            xml(&[], RESIGNED).replace("content=\"MB", "content=\"NB"),
            "Blue's piece on a1 is outside its home rows",
        ),
        (xml(&[], RESIGNED).replace("AA__AA__AAAA", "A_A_AA__AAAA"), "'_' cannot stand on b5"),
        (xml(&[], RESIGNED).replace("AA__AA__AAAA", "AA__AA__AAA"), "the board has 99 squares"),
        (xml(&[], RESIGNED).replace("field", "feld"), "the file has no board"),
        (xml(&[], RESIGNED).replace("</game>", "</game><game/>"), "the file has 2 games"),
        ("<stratego>".to_owned(), "this is not the XML of a game"),
    ];
    for (text, word) in refused {
        let error = error_of(&text, None);
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
    assert!(error_of(&xml(&[], RESIGNED), Some("pbm-small")).contains("is not a game of pbm-small"));
}

#[test]
fn repetition_is_judged_by_the_rules_that_are_assumed() {
    let pair = [("A4", "A5"), ("A7", "A6"), ("A5", "A4"), ("A6", "A7")];
    let text = xml(&[pair, pair, pair].concat(), RESIGNED);
    let error = error_of(&text, None);
    assert!(error.starts_with("move 7, a5a4") || error.starts_with("move 7, a4a5"), "{error}");
    assert!(error.contains("Two-squares rule"), "{error}");
    let record = import(&text, Format::Strados, Ruleset::find("pbm")).expect("legal by mail");
    assert_eq!(check(&record).status, Status::Partly);
}

#[test]
fn entities_and_endless_files_are_refused() {
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>";
    let text =
        xml(&[], RESIGNED).replace("<stratego>", &format!("{bomb}<stratego>")).replace("Player 2", "&c;");
    assert!(error_of(&text, None).contains("not the XML of a game"));
    let outside = "<!DOCTYPE a [<!ENTITY c SYSTEM \"file:///etc/hostname\">]>";
    let text =
        xml(&[], RESIGNED).replace("<stratego>", &format!("{outside}<stratego>")).replace("Player 2", "&c;");
    assert!(error_of(&text, None).contains("not the XML of a game"));
    let many = xml(&[("A4", "A5"); 60_000], RESIGNED);
    assert!(error_of(&many, None).contains("not the XML of a game"));
    for format in Format::ALL {
        assert_eq!(import(&"<".repeat(format.bytes_max() + 1), format, None), Err(ImportError::TooLong));
    }
    let deep = "<a>".repeat(40_000);
    assert!(error_of(&deep, None).contains("not the XML of a game"));
}

#[test]
fn a_text_with_a_false_strike_is_refused() {
    let ruleset = Ruleset::find("pbm-small").expect("a ruleset");
    let record = play(ruleset, Manner::new(60, End::Resign), &mut Chance::new(8)).record(Viewer::Public);
    let text = export(&record, Format::Text).expect("writable");
    assert!(text.contains("the attacker leaves"), "{text}");
    let changed = text.replacen("the attacker leaves", "the defender leaves", 1);
    let error = import(&changed, Format::Text, None).expect_err("not what comes of it").to_string();
    assert!(error.contains("the text says"), "{error}");
    let changed =
        text.replacen("Result: Red", "Result: Green", 1).replacen("Result: Blue", "Result: Green", 1);
    assert!(import(&changed, Format::Text, None).is_err());
}

#[test]
fn names_that_no_record_can_have_are_cleaned() {
    let played =
        play(Ruleset::find("pbm").expect("a ruleset"), Manner::new(6, End::Resign), &mut Chance::new(5));
    let record = played.record(Viewer::Public);
    let long = "n".repeat(63) + " and more";
    for format in [Format::Text, Format::Pbm, Format::Strados] {
        // Skip the names with control characters for StraDoS2, because XML cannot contain control
        // characters.
        let names = [("b\u{1}o\u{0}", "bo"), ("\u{7}", "unknown"), (long.as_str(), &long[..63])];
        for (name, cleaned) in names.into_iter().skip(if format == Format::Strados { 2 } else { 0 }) {
            let mut named = record.clone();
            named.players.blue.name = "PLACE".to_owned();
            let text = export(&named, format).expect("a text");
            let read = import(&text.replace("PLACE", name), format, None).expect("a game");
            assert_eq!(read.players.blue.name, cleaned, "{format:?}");
            assert_ne!(check(&read).status, Status::False, "{format:?}");
        }
    }
}

#[test]
fn moves_by_mail_are_read_as_people_write_them() {
    let ruleset = Ruleset::find("pbm-small").expect("a ruleset");
    let record = play(ruleset, Manner::new(12, End::Resign), &mut Chance::new(8)).record(Viewer::Public);
    let text = export(&record, Format::Pbm).expect("writable");
    let plain = text.replace('-', "").replace("pbmsmall", "pbm-small");
    let read = |text: &str| import(text, Format::Pbm, None).map(|record| moves(&record));
    assert_eq!(read(&plain), read(&text));
    assert_eq!(
        read(&text.split("\nBoard:").next().unwrap().to_lowercase().replace("moves:", "Moves:")),
        Err(ImportError::Line { line: 1, what: "expected Game, Red, Blue or Result".to_owned() })
    );
    assert!(read(&text.replace("Result:", "Outcome:")).is_err());
}

/// Blue's deployment is illegal and loses the game (§U7), so the game never started. Fuzzing
/// found this case.
#[test]
fn a_game_that_was_over_before_it_began_must_say_so() {
    let text = "Flagfall record 1\nGame: 999999999999\nRules: course\nTime: no clock\n\
        Lakes: b5 c5 g5 h5 b6 c6 g6 h6\nRed: ana\nBlue: bo\nResult: Red wins (illegal_act)\n\
        Blue deployed: BS981B595758484839FF627694869B35B799B6B7\n\
        Blue salt: 0fd819bd6d0b928fa52f870107dddfbe6ea0d48345d7a60703d81d8e7a168e67\n";
    let error = import(text, Format::Text, None).unwrap_err().to_string();
    assert!(error.contains("Started: no"), "{error}");
    let record = import(&format!("{text}Started: no\n"), Format::Text, None).unwrap();
    let back = import(&export(&record, Format::Text).unwrap(), Format::Text, None);
    assert_eq!(back, Ok(record));
}
