//! The store's door: events as plain data, hidden ranks included, and back.
//!
//! Only the store crate may call these functions (its neighbors' `clippy.toml` bans them). What comes out
//! is written to the log and nowhere else.

use flagfall_board::{PerSide, Rank, RankSet, Side, Square, Stamp};

use crate::commitment::{Commitment, Salt};
use crate::event::{Deployed, Event, EventKind, Fate, Moved, Strike, Struck};
use crate::game::{EndReason, Outcome};
use crate::setup::Deployment;

/// An event as the log keeps it. It has no `Debug` and no serialization of its own.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretRecord {
    /// A side deployed: the text of §P4 without blanks, and the salt of its commitment.
    Deployed {
        /// Who.
        side: Side,
        /// What.
        setup: String,
        /// The salt.
        salt: [u8; 32],
        /// Whether the side had deployed before.
        is_change: bool,
    },
    /// The game started, with these commitments.
    Started {
        /// Each side's commitment.
        commitments: PerSide<Option<[u8; 32]>>,
    },
    /// A ply.
    Moved {
        /// Who.
        side: Side,
        /// From where.
        from: Square,
        /// To where.
        to: Square,
        /// The ranks the move allows the piece to have; empty when it proves nothing.
        proves: Vec<Rank>,
        /// Attacker and defender of a strike.
        strike: Option<[StruckRecord; 2]>,
    },
    /// A side offered a draw.
    DrawOffered {
        /// Who.
        side: Side,
    },
    /// A side declined a draw.
    DrawDeclined {
        /// Who.
        side: Side,
    },
    /// The clocks stand still since then.
    Paused {
        /// The moment.
        since: Stamp,
    },
    /// The clocks run again.
    Resumed,
    /// The game ended.
    Ended {
        /// Who won.
        winner: Option<Side>,
        /// Why.
        reason: EndReason,
    },
}

/// One piece's part in a strike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StruckRecord {
    /// Its rank.
    pub rank: Rank,
    /// Where it is afterwards.
    pub fate: Fate,
    /// Whether the strike made its rank public.
    pub shown: bool,
}

/// A record that no event can be made of: a deployment's text with letters that stand for no piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the record's deployment has letters that stand for no piece")]
pub struct SecretRecordError;

/// The event as plain data, for the log.
#[must_use]
pub fn to_record(event: &Event) -> SecretRecord {
    match &event.0 {
        EventKind::Deployed(deployed) => {
            let Deployed { side, deployment, salt, is_change } = &**deployed;
            SecretRecord::Deployed {
                side: *side,
                setup: deployment.text(),
                salt: salt.0,
                is_change: *is_change,
            }
        }
        EventKind::Started { commitments } => SecretRecord::Started {
            commitments: PerSide::from_fn(|side| commitments[side].map(|commitment| commitment.0)),
        },
        EventKind::Moved(Moved { side, from, to, proves, strike }) => SecretRecord::Moved {
            side: *side,
            from: *from,
            to: *to,
            proves: if *proves == RankSet::ALL { Vec::new() } else { proves.iter().collect() },
            strike: strike.map(|Strike { attacker, defender }| {
                [attacker, defender].map(|Struck { rank, fate, shown }| StruckRecord { rank, fate, shown })
            }),
        },
        EventKind::DrawOffered { side } => SecretRecord::DrawOffered { side: *side },
        EventKind::DrawDeclined { side } => SecretRecord::DrawDeclined { side: *side },
        EventKind::Paused { since } => SecretRecord::Paused { since: *since },
        EventKind::Resumed => SecretRecord::Resumed,
        EventKind::Ended(Outcome { winner, reason }) => {
            SecretRecord::Ended { winner: *winner, reason: *reason }
        }
    }
}

/// The event of a record that came from the log.
///
/// # Errors
/// [`SecretRecordError`] when the record's deployment cannot be read.
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
        SecretRecord::Moved { side, from, to, proves, strike } => EventKind::Moved(Moved {
            side,
            from,
            to,
            proves: if proves.is_empty() { RankSet::ALL } else { proves.into_iter().collect() },
            strike: strike.map(|[attacker, defender]| {
                let part = |StruckRecord { rank, fate, shown }| Struck { rank, fate, shown };
                Strike { attacker: part(attacker), defender: part(defender) }
            }),
        }),
        SecretRecord::DrawOffered { side } => EventKind::DrawOffered { side },
        SecretRecord::DrawDeclined { side } => EventKind::DrawDeclined { side },
        SecretRecord::Paused { since } => EventKind::Paused { since },
        SecretRecord::Resumed => EventKind::Resumed,
        SecretRecord::Ended { winner, reason } => EventKind::Ended(Outcome { winner, reason }),
    }))
}
