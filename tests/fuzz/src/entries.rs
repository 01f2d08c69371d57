use flagfall_transfer::check_export;
use flagfall_board::{GameId, Side, Stamp};
use flagfall_game::GameHeader;
use flagfall_game::replay::{ReplayedEntry, open, replay};
use flagfall_rules::{Game, Viewer, see, see_change, see_opened, view};
use flagfall_store::record::{self, Form, LogEntry};
use flagfall_store::{SecretBytes, StoredEntry};

const VIEWERS: [Viewer; 3] = [Viewer::Public, Viewer::Player(Side::Red), Viewer::Player(Side::Blue)];

/// Decodes bytes as a log, or as the export of a store.
///
/// An entry that begins with `{` ends at the end of its line. Before any other entry, a byte
/// gives its length.
///
/// An entry that can be decoded must stay the same when it is encoded and decoded in either form.
/// In form 2, it must have only one encoding. A log that can be replayed must be displayable to
/// every audience.
///
/// # Panics
/// If one of these does not hold.
pub fn entries(bytes: &[u8]) {
    replay_bodies(&bodies(bytes));
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

/// Replays the bodies of a log and shows every step to every audience.
fn replay_bodies(bodies: &[&[u8]]) {
    let stored: Vec<StoredEntry> = (1..)
        .zip(bodies)
        .map(|(seq, body)| StoredEntry {
            seq,
            at: Stamp(1_764_000_000_000 + 700 * seq),
            body: SecretBytes::new(body.to_vec()),
        })
        .collect();
    let id = GameId::from_random([7; 12]);
    let Some(Ok((header, _))) = stored.first().map(|first| open(id, first)) else { return };
    stored.iter().skip(1).for_each(|stored| check_encoding(&header, &stored.body));
    if let Ok((_, game, _)) = replay(id, &stored, show) {
        for viewer in VIEWERS {
            check_json(&view(&game, viewer, game.latest()).seen);
        }
    }
}

/// Checks that a body that can be decoded has the same meaning in both forms, and one encoding in
/// form 2.
fn check_encoding(header: &GameHeader, body: &SecretBytes) {
    let Ok(LogEntry { command, lag_ms, event }) = record::decode(body, header.seats()) else { return };
    // Form 2 cannot express a command id that is too short or too long.
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
    for viewer in VIEWERS {
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
