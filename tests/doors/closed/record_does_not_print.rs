//! A stored record cannot be printed.

fn log(record: &flagfall_rules::secret::SecretRecord) {
    println!("{record:?}");
}

fn main() {}
