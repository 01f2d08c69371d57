//! The store's interface: converts events to plain data, hidden ranks included, and back.
//!
//! Only the store crate may call these functions (`clippy.toml` files ban them elsewhere). The data
//! goes into the log and nowhere else.

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_view::{Commitment, Laid};

use crate::commitment::Salt;
use crate::event::{Deployed, Event, EventKind, Moved, Placed, Strike, UnresolvedStrike};
use crate::outcome::{EndReason, Outcome};
use crate::setup::Deployment;

pub use crate::event::Struck as StruckRecord;

/// An event as the log stores it. It has no `Debug` and no serialization of its own.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum SecretRecord {
    /// A side deployed: the text of §P4 without blanks, and the salt of its commitment.
    Deployed { side: Side, setup: String, salt: [u8; 32], is_change: bool },
    /// The game started, with these commitments.
    Started { commitments: PerSide<Option<[u8; 32]>> },
    /// A side made a ply. `proves` is the set of ranks that are possible for the piece
    /// afterwards, or all ranks if the ply proves nothing. `strike` has the attacker and the
    /// defender. `labels` is true if the strike labels the defender for the first time (§S2.1).
    /// `laid` has the chips that changed, with their new color (§S2.3).
    Moved {
        side: Side,
        from: Square,
        to: Square,
        proves: RankSet,
        strike: Option<[StruckRecord; 2]>,
        labels: bool,
        laid: Option<Laid>,
    },
    /// A side struck, and the strike waits for choices (§Q4). `proves` is as in a ply.
    Struck { side: Side, from: Square, to: Square, proves: RankSet, owes: PerSide<bool> },
    /// A side chose the rank of its coin in a strike (§Q4).
    Chosen { side: Side, rank: Rank },
    /// A side took a piece off the board (§S1.5).
    Removed { side: Side, square: Square },
    /// A side placed a piece from its reserve (§S1.5).
    Placed { side: Side, square: Square, rank: Rank, is_labeled: bool, color: Option<ChipColor> },
    /// A side laid the chip that was still missing (§S2.4).
    Colored { side: Side, square: Square, color: ChipColor },
    /// A side offered a draw.
    DrawOffered { side: Side },
    /// A side declined a draw.
    DrawDeclined { side: Side },
    /// The clocks stopped at this moment.
    Paused { since: Stamp },
    /// The clocks run again, since this moment if there is one, and otherwise since the stamp of
    /// the event.
    Resumed { since: Option<Stamp> },
    /// The game ended.
    Ended { winner: Option<Side>, reason: EndReason },
}

/// The record is not a valid event, because its deployment has unknown letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the record's deployment has letters that are not pieces")]
pub struct SecretRecordError;

/// Returns the event as plain data, for the log.
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

/// Returns the event of a record from the log.
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
