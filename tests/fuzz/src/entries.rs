use flagfall_server::table::fuzzing::replay_bodies;
use flagfall_store::archive::check_export;

/// Any bytes are a log, a line each entry, or the export of a store. What can be decoded is encoded
/// and decoded as the same, is carried out, and is shown to every audience.
///
/// # Panics
/// When it does not hold.
pub fn entries(bytes: &[u8]) {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let _ = replay_bodies(&lines);
    if bytes.starts_with(b"{\"flagfall_store\"") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut input = bytes;
        let _ = runtime.block_on(check_export(&mut input));
    }
}
