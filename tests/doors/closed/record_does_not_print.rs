//! What the store keeps does not print.

fn log(record: &flagfall_rules::secret::SecretRecord) {
    println!("{record:?}");
}

fn main() {}
