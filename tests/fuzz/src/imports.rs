use flagfall_protocol::GameRecord;
use flagfall_records::{Format, Status, check, export, import};
use flagfall_rules::Ruleset;

use crate::text;

/// Imports a game from XML, from our text or from play-by-mail text.
///
/// An imported game must be a true record, and must be the same after it is exported and imported
/// again.
///
/// # Panics
/// If one of these does not hold.
pub fn imports(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let formats = match Format::guess(text) {
        Some(Format::Json) => return,
        Some(format) => vec![format],
        None => Format::ALL.into_iter().filter(|format| *format != Format::Json).collect(),
    };
    for format in formats {
        if let Ok(record) = import(text, format, None) {
            check_import(&record, format);
        }
    }
}

fn check_import(record: &GameRecord, format: Format) {
    let report = check(record);
    assert!(report.status != Status::False, "{:?}", report.findings);
    let ruleset = Ruleset::find(&record.terms.ruleset);
    let Ok(text) = export(record, format) else { return };
    let back = import(&text, format, ruleset);
    assert!(back.as_ref() == Ok(record), "{back:?}\n{text}");
}
