//! Checks the JSON Schemas of all messages, which are files in the repository, against the code
//! that generates them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use flagfall_protocol::{ClientToServer, GameRecord, ServerToClient};
use flagfall_tests::check_generated;
use schemars::{JsonSchema, schema_for};

fn check<T: JsonSchema>(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    let schema = serde_json::to_string_pretty(&schema_for!(T)).unwrap();
    check_generated(&path, &format!("{schema}\n"), "flagfall-protocol");
}

#[test]
fn the_schema_of_what_clients_send_is_fresh() {
    check::<ClientToServer>("client_to_server.json");
}

#[test]
fn the_schema_of_what_the_server_sends_is_fresh() {
    check::<ServerToClient>("server_to_client.json");
}

#[test]
fn the_schema_of_records_is_fresh() {
    check::<GameRecord>("record.json");
}
