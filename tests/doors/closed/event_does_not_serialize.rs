//! Only views are sent.

fn send(event: &flagfall_rules::Event) -> String {
    serde_json::to_string(event).unwrap()
}

fn main() {}
