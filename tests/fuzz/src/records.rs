use flagfall_protocol::GameRecord;
use flagfall_records::{Format, Reader, Status, check, check_value_with, export};
use serde::Deserialize;

/// Maximum number of records in one input to check.
const RECORDS_MAX: usize = 4;

/// Reads, checks and exports records from any bytes.
///
/// A record that is written and read again must be the same record and get the same verdict.
///
/// # Panics
/// If the record or its verdict differs.
pub fn records(bytes: &[u8]) {
    for value in Reader::new(bytes).take(RECORDS_MAX).filter_map(Result::ok) {
        let verdict = check_value_with(&value, None).status;
        let Ok(record) = GameRecord::deserialize(&value) else {
            assert!(verdict == Status::False, "what cannot be read is not true");
            continue;
        };
        let written = serde_json::to_string(&record).expect("a record has JSON");
        let back: GameRecord = serde_json::from_str(&written).expect("what was written can be read");
        assert!(back == record, "{written}");
        assert!(check(&back).status == check(&record).status, "{written}");
        let _ = record.to_string();
        for format in Format::ALL {
            if let Ok(text) = export(&record, format) {
                assert!(!text.is_empty());
            }
        }
    }
}
