//! The last commands of a finished game. They are kept for a while after the game was archived,
//! because an archived game has no ids of commands.
//!
//! A client that does not know the outcome of a command sends the command again. After the end of
//! a game, this can only concern the last few commands.

use flagfall_board::{GameId, Side};
use flagfall_rules::{Viewer, see};
use flagfall_store::StoredEntry;

use super::replay::{self, ReplayError};
use super::table::{CommandKey, Done};

/// The number of commands that are kept for each player.
const KEPT: usize = 8;
/// The length of an encoded command in bytes: its key, its fingerprint, and its sequence number.
const BYTES: usize = 8 + 8 + 4;

/// Returns the last commands of each player, encoded for the guard of the game's log.
///
/// # Errors
/// [`ReplayError`] if this server cannot read the log.
pub fn last_commands(id: GameId, stored: &[StoredEntry]) -> Result<Vec<u8>, ReplayError> {
    let (first, _) = stored.split_first().ok_or(ReplayError::NoHeader)?;
    let (header, _) = replay::open(id, first)?;
    let mut encoded = Vec::new();
    for side in Side::BOTH {
        let (mut seq, mut commands) = (0, Vec::<Done>::new());
        replay::replay(id, stored, |game, entry| {
            seq += u64::from(see(&entry.event, game, Viewer::Player(side)).is_some());
            let Some(stamp) = &entry.command else { return };
            if header.side_of(&stamp.player) == Some(side) {
                let key = CommandKey::new(side, &stamp.cmd_id);
                // If a command has several events, only the last one counts.
                commands.retain(|done| done.key != key);
                commands.push(Done { key, fingerprint: stamp.fingerprint, seq });
            }
        })?;
        for done in commands.iter().rev().take(KEPT).rev() {
            encoded.extend_from_slice(&done.encode());
        }
    }
    Ok(encoded)
}

impl Done {
    fn encode(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.key.number().to_le_bytes());
        bytes[8..16].copy_from_slice(&self.fingerprint.to_le_bytes());
        // This cannot overflow, because a game has at most a few thousand events.
        bytes[16..].copy_from_slice(&u32::try_from(self.seq).unwrap_or(u32::MAX).to_le_bytes());
        bytes
    }

    /// Decodes the commands that [`last_commands`] has encoded.
    pub(super) fn decode_all(bytes: &[u8]) -> impl Iterator<Item = Done> {
        bytes.as_chunks::<BYTES>().0.iter().map(|&[a, b, c, d, e, f, g, h, ref rest @ ..]| {
            let key = CommandKey::of_number(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
            let &[a, b, c, d, e, f, g, h, ref seq @ ..] = rest;
            let fingerprint = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            Done { key, fingerprint, seq: u32::from_le_bytes(*seq).into() }
        })
    }
}
