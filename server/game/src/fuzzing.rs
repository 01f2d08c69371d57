//! Replays any bytes as the log of a game, for the fuzz target `entries`.

use flagfall_board::{GameId, Side, Stamp};
use flagfall_rules::{Game, Viewer, see, see_change, see_opened, view};
use flagfall_store::record::{self, LogBody, LogEntry};
use flagfall_store::{SecretBytes, StoredEntry};

use super::header::GameHeader;
use super::replay::{ReplayedEntry, replay};

/// Replays the bodies of a log and shows every step to every audience. Returns the number of
/// events, or `None` if the bodies are not the log of a game.
///
/// # Panics
/// If an entry that was decoded does not survive being encoded, or a view has no JSON.
pub fn replay_bodies(bodies: &[&[u8]]) -> Option<usize> {
    let stored: Vec<StoredEntry> = (1..)
        .zip(bodies)
        .map(|(seq, body)| StoredEntry {
            seq,
            at: Stamp(1_764_000_000_000 + 700 * seq),
            body: SecretBytes::new(body.to_vec()),
        })
        .collect();
    let mut events = 0;
    let (_, game, _) = replay(GameId::from_random([7; 12]), &stored, |game, entry| {
        events += 1;
        check_encoding(entry);
        show(game, entry);
    })
    .ok()?;
    for viewer in viewers() {
        check_json(&view(&game, viewer, game.latest()).seen);
    }
    Some(events)
}

fn viewers() -> [Viewer; 3] {
    [Viewer::Public, Viewer::Player(Side::Red), Viewer::Player(Side::Blue)]
}

fn check_encoding(entry: &ReplayedEntry) {
    let ReplayedEntry { command, lag_ms, event, at: _ } = entry;
    let body = LogBody::Event(event.clone());
    let written = record::encode::<GameHeader>(LogEntry { command: command.clone(), lag_ms: *lag_ms, body })
        .map(|bytes| record::decode::<GameHeader>(&bytes));
    let Ok(Ok(LogEntry { command: read_command, lag_ms: read_lag_ms, body: LogBody::Event(read) })) = written
    else {
        panic!("an entry was decoded and cannot be encoded and decoded again");
    };
    assert!(
        read == *event && read_command == *command && read_lag_ms == *lag_ms,
        "an entry changes when it is encoded and decoded"
    );
}

fn show(game: &Game, entry: &ReplayedEntry) {
    for viewer in viewers() {
        let seen = [see(&entry.event, game, viewer), see_opened(&entry.event, game, viewer)];
        for seen in seen.iter().flatten() {
            check_json(seen);
        }
        check_json(&see_change(&entry.event, game, viewer, entry.at));
    }
}

fn check_json(told: &impl serde::Serialize) {
    assert!(serde_json::to_vec(told).is_ok(), "what is shown has no JSON");
}
