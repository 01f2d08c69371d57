use flagfall_game::fuzzing::replay_bodies;
use flagfall_store::archive::check_export;

/// Decodes bytes as a log, or as the export of a store.
///
/// An entry that begins with `{` reaches to the end of its line. A byte before any other entry
/// tells its length.
///
/// An entry that can be decoded must be encoded and decoded as the same in both forms, and has one
/// encoding in form 2. A log that can be replayed can be shown to every audience.
///
/// # Panics
/// If one of these does not hold.
pub fn entries(bytes: &[u8]) {
    let _ = replay_bodies(&bodies(bytes));
    if bytes.starts_with(b"{\"flagfall_store\"") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut input = bytes;
        let _ = runtime.block_on(check_export(&mut input));
    }
}

fn bodies(mut rest: &[u8]) -> Vec<&[u8]> {
    let mut bodies = Vec::new();
    while let [first, after @ ..] = rest {
        let (body, next) = match first {
            b'\n' => (&rest[..0], after),
            b'{' => rest.split_at(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
            length => after.split_at(after.len().min((*length).into())),
        };
        bodies.extend((!body.is_empty()).then_some(body));
        rest = next;
    }
    bodies
}
