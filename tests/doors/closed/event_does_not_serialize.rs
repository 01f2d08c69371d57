//! Only views are sent to clients, so an event cannot be serialized.

fn send(event: &flagfall_rules::Event) -> String {
    serde_json::to_string(event).unwrap()
}

fn main() {}
