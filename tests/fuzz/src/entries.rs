use flagfall_game::fuzzing::replay_bodies;
use flagfall_store::archive::check_export;

/// Decodes bytes as a log, one entry per line, or as the export of a store.
///
/// An entry that can be decoded must be encoded and decoded as the same, can be applied, and can be
/// shown to every audience.
///
/// # Panics
/// If one of these does not hold.
pub fn entries(bytes: &[u8]) {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let _ = replay_bodies(&lines);
    if bytes.starts_with(b"{\"flagfall_store\"") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut input = bytes;
        let _ = runtime.block_on(check_export(&mut input));
    }
}
