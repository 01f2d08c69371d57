//! Replays any bytes as the log of a game, for the fuzz target `entries`.

use flagfall_board::{GameId, Side, Stamp};
use flagfall_rules::{Game, Viewer, see, see_change, see_opened, view};
use flagfall_store::record::{self, Form, LogEntry};
use flagfall_store::{SecretBytes, StoredEntry};

use super::header::GameHeader;
use super::replay::{ReplayedEntry, open, replay};

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
    let id = GameId::from_random([7; 12]);
    let (header, _) = open(id, stored.first()?).ok()?;
    stored.iter().skip(1).for_each(|stored| check_encoding(&header, &stored.body));
    let mut events = 0;
    let (_, game, _) = replay(id, &stored, |game, entry| {
        events += 1;
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

/// Checks that a body that can be decoded has the same meaning in both forms, and one encoding in
/// form 2.
fn check_encoding(header: &GameHeader, body: &SecretBytes) {
    let Ok(LogEntry { command, lag_ms, event }) = record::decode(body, header.seats()) else { return };
    // Form 2 has no room for an id that no command has.
    let has_id = command.as_ref().is_none_or(|stamp| (1..=36).contains(&stamp.cmd_id.len()));
    for form in [Some(Form::Json), has_id.then_some(Form::Binary)].into_iter().flatten() {
        let Ok(written) = record::encode(form, header.seats(), command.as_ref(), lag_ms, &event) else {
            panic!("an entry was decoded and cannot be encoded");
        };
        let is_same_form = form == Form::Binary && body.expose().first() == Some(&form.number());
        assert!(!is_same_form || written == *body, "an entry has two encodings");
        let Ok(read) = record::decode(&written, header.seats()) else {
            panic!("an entry was encoded and cannot be decoded");
        };
        assert!(
            read.event == event && read.command == command && read.lag_ms == lag_ms,
            "an entry changes when it is encoded and decoded"
        );
    }
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
