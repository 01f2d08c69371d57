//! The contents of an event are private.

fn inside(event: &flagfall_rules::Event) {
    let _ = &event.0;
}

fn main() {}
