//! Compares the JSON Schema of requests and answers with the checked-in file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use flagfall_referee::{AnswerLine, RequestLine};
use flagfall_tests::check_generated;
use schemars::{JsonSchema, schema_for};

fn check<T: JsonSchema>(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    let schema = serde_json::to_string_pretty(&schema_for!(T)).unwrap();
    check_generated(&path, &format!("{schema}\n"), "flagfall-referee");
}

#[test]
fn the_schema_of_requests_is_fresh() {
    check::<RequestLine>("request.json");
}

#[test]
fn the_schema_of_answers_is_fresh() {
    check::<AnswerLine>("answer.json");
}
