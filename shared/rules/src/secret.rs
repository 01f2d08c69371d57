//! The interface for the store and the archive. It converts events to plain data, including hidden
//! ranks, and back.
//!
//! Only these two crates may call these functions, and `clippy.toml` files ban them elsewhere. The
//! data must go only into the log or the archive.

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_view::{Commitment, Laid};

use crate::commitment::Salt;
use crate::event::{Deployed, Event, EventKind, Moved, Placed, Strike, UnresolvedStrike};
use crate::outcome::{EndReason, Outcome};
use crate::setup::Deployment;

pub use crate::event::Struck as StruckRecord;

/// An event as the log stores it. The type implements neither `Debug` nor serialization.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum SecretRecord {
    /// A side deployed. The event has the deployment's text (§P4) without spaces, and the salt of
    /// the commitment.
    Deployed { side: Side, setup: String, salt: [u8; 32], is_change: bool },
    /// The game started, with these commitments.
    Started { commitments: PerSide<Option<[u8; 32]>> },
    /// A side made a ply. `proves` is the set of ranks that the piece can have after the ply, or
    /// all ranks if the ply proves nothing. `strike` contains the attacker and the defender.
    /// `labels` is true if the defender gets its label in the strike (§S2.1). `laid` contains the
    /// chips that changed, with their new color (§S2.3).
    Moved {
        side: Side,
        from: Square,
        to: Square,
        proves: RankSet,
        strike: Option<[StruckRecord; 2]>,
        labels: bool,
        laid: Option<Laid>,
    },
    /// A side struck, and at least one side still has to choose a rank (§Q4). `proves` has the
    /// same meaning as in `Moved`.
    Struck { side: Side, from: Square, to: Square, proves: RankSet, owes: PerSide<bool> },
    /// A side chose the rank of its coin in a strike (§Q4).
    Chosen { side: Side, rank: Rank },
    /// A side removed a piece from the board (§S1.5).
    Removed { side: Side, square: Square },
    /// A side placed a piece from its reserve (§S1.5).
    Placed { side: Side, square: Square, rank: Rank, is_labeled: bool, color: Option<ChipColor> },
    /// A side named the color of a chip, and the chip was laid (§S2.4).
    Colored { side: Side, square: Square, color: ChipColor },
    /// A side offered a draw.
    DrawOffered { side: Side },
    /// A side declined a draw offer.
    DrawDeclined { side: Side },
    /// The clocks stopped at the time `since`.
    Paused { since: Stamp },
    /// The clocks started again: at the time `since` if it is present, and otherwise at the time
    /// of the event.
    Resumed { since: Option<Stamp> },
    /// The game ended.
    Ended { winner: Option<Side>, reason: EndReason },
}

/// The error for a record whose deployment contains unknown letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the record's deployment has letters that are not pieces")]
pub struct SecretRecordError;

/// Converts an event to plain data for the log.
pub fn to_record(event: &Event) -> SecretRecord {
    match event.0.clone() {
        EventKind::Deployed(deployed) => {
            let Deployed { side, deployment, salt, is_change } = *deployed;
            SecretRecord::Deployed { side, setup: deployment.text(), salt: salt.0, is_change }
        }
        EventKind::Started { commitments } => SecretRecord::Started {
            commitments: PerSide::from_fn(|side| commitments[side].map(|commitment| commitment.0)),
        },
        EventKind::Moved(Moved { side, from, to, proves, strike, laid }) => SecretRecord::Moved {
            side,
            from,
            to,
            proves,
            labels: strike.is_some_and(|strike| strike.labels),
            laid,
            strike: strike.map(|Strike { attacker, defender, labels: _ }| [attacker, defender]),
        },
        EventKind::Struck(UnresolvedStrike { side, from, to, proves, owes }) => {
            SecretRecord::Struck { side, from, to, proves, owes }
        }
        EventKind::Chosen { side, rank } => SecretRecord::Chosen { side, rank },
        EventKind::Removed { side, square } => SecretRecord::Removed { side, square },
        EventKind::Placed(Placed { side, square, rank, is_labeled, color }) => {
            SecretRecord::Placed { side, square, rank, is_labeled, color }
        }
        EventKind::Colored { side, square, color } => SecretRecord::Colored { side, square, color },
        EventKind::DrawOffered { side } => SecretRecord::DrawOffered { side },
        EventKind::DrawDeclined { side } => SecretRecord::DrawDeclined { side },
        EventKind::Paused { since } => SecretRecord::Paused { since },
        EventKind::Resumed => SecretRecord::Resumed { since: None },
        EventKind::ResumedSince { since } => SecretRecord::Resumed { since: Some(since) },
        EventKind::Ended(Outcome { winner, reason }) => SecretRecord::Ended { winner, reason },
    }
}

/// Converts a record from the log to its event.
///
/// # Errors
/// [`SecretRecordError`] if the deployment cannot be read.
pub fn from_record(record: SecretRecord) -> Result<Event, SecretRecordError> {
    Ok(Event(match record {
        SecretRecord::Deployed { side, setup, salt, is_change } => EventKind::Deployed(Box::new(Deployed {
            side,
            deployment: Deployment::from_recorded_text(&setup).ok_or(SecretRecordError)?,
            salt: Salt(salt),
            is_change,
        })),
        SecretRecord::Started { commitments } => EventKind::Started {
            commitments: Box::new(PerSide::from_fn(|side| commitments[side].map(Commitment))),
        },
        SecretRecord::Moved { side, from, to, proves, strike, labels, laid } => EventKind::Moved(Moved {
            side,
            from,
            to,
            proves,
            strike: strike.map(|[attacker, defender]| Strike { attacker, defender, labels }),
            laid,
        }),
        SecretRecord::Struck { side, from, to, proves, owes } => {
            EventKind::Struck(UnresolvedStrike { side, from, to, proves, owes })
        }
        SecretRecord::Chosen { side, rank } => EventKind::Chosen { side, rank },
        SecretRecord::Removed { side, square } => EventKind::Removed { side, square },
        SecretRecord::Placed { side, square, rank, is_labeled, color } => {
            EventKind::Placed(Placed { side, square, rank, is_labeled, color })
        }
        SecretRecord::Colored { side, square, color } => EventKind::Colored { side, square, color },
        SecretRecord::DrawOffered { side } => EventKind::DrawOffered { side },
        SecretRecord::DrawDeclined { side } => EventKind::DrawDeclined { side },
        SecretRecord::Paused { since } => EventKind::Paused { since },
        SecretRecord::Resumed { since: None } => EventKind::Resumed,
        SecretRecord::Resumed { since: Some(since) } => EventKind::ResumedSince { since },
        SecretRecord::Ended { winner, reason } => EventKind::Ended(Outcome { winner, reason }),
    }))
}
