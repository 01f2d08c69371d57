//! The events of a game, secrets included.

use std::fmt;

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_view::{Commitment, Fate, Laid};

use crate::commitment::Salt;
use crate::outcome::Outcome;
use crate::setup::Deployment;

/// A fact of a game: decided once and never judged again.
///
/// It may hold hidden ranks, so its contents are private. [`crate::see`] gives an audience what it
/// may know, and the store keeps events through [`crate::secret`]. `Debug` shows only the kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Event(pub(crate) EventKind);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A side submitted a deployment (§A4). That it was changed stays the side's secret.
    Deployed(Box<Deployed>),
    /// Both sides are ready: the pieces are on the board, and Red is to move.
    Started { commitments: Box<PerSide<Option<Commitment>>> },
    /// The side to move moved or struck.
    Moved(Moved),
    /// The side to move struck, and a coin is involved: the ply waits for choices (§Q4).
    Struck(UnresolvedStrike),
    /// A side chose what its coin in a strike is. Secret until the last choice is in; `Moved`
    /// follows then (§Q4).
    Chosen { side: Side, rank: Rank },
    /// The side to move removed one of its pieces from the board (§S1.5).
    Removed { side: Side, square: Square },
    /// The side to move placed a piece from its reserve (§S1.5).
    Placed(Placed),
    /// The chip of a defender that won and moved was laid (§S2.4). Not a ply.
    Colored { side: Side, square: Square, color: ChipColor },
    /// A side offered a draw.
    DrawOffered { side: Side },
    /// A side declined the other's offer.
    DrawDeclined { side: Side },
    /// The clocks stopped at `since`, because no server could accept a move from then on.
    Paused { since: Stamp },
    /// The clocks run again.
    Resumed,
    /// The clocks have run again since this moment; the log learns of it only later.
    ResumedSince { since: Stamp },
    /// The game ended.
    Ended(Outcome),
}

/// A deployment as it was submitted. Boxed in its event, so that plies stay small.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Deployed {
    pub(crate) side: Side,
    pub(crate) deployment: Deployment,
    pub(crate) salt: Salt,
    pub(crate) is_change: bool,
}

/// One ply with its result, so that a later change of a rule changes no old game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) side: Side,
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// The ranks this move allows the piece to have (§C2); all of them if it proves nothing. A
    /// coin that is left with a single rank becomes that piece (§Q3).
    pub(crate) proves: RankSet,
    pub(crate) strike: Option<Strike>,
    /// The chips that changed, without those that were laid again in the same color (§S3.3).
    pub(crate) laid: Option<Laid>,
}

/// A strike that waits for choices. Public.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnresolvedStrike {
    pub(crate) side: Side,
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// As in [`Moved`]: a coin that strikes from afar is a Scout before any choice is made (§Q4).
    pub(crate) proves: RankSet,
    /// Which sides have a coin in the strike.
    pub(crate) owes: PerSide<bool>,
}

/// A piece that came from the reserve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) side: Side,
    pub(crate) square: Square,
    pub(crate) rank: Rank,
    pub(crate) is_labeled: bool,
    pub(crate) color: Option<ChipColor>,
}

/// What came of a strike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strike {
    pub(crate) attacker: Struck,
    pub(crate) defender: Struck,
    /// Whether this strike labels the defender for the first time (§S2.1, §S2.2).
    pub(crate) labels: bool,
}

impl Strike {
    /// Whether the quiet count starts again: a piece leaves the board or is first labeled (§A12).
    pub(crate) fn is_loud(&self) -> bool {
        self.attacker.fate == Fate::Leaves || self.defender.fate == Fate::Leaves || self.labels
    }
}

/// One piece's part in a strike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Struck {
    /// Its rank.
    pub rank: Rank,
    /// Where it is afterwards.
    pub fate: Fate,
    /// Whether the strike made its rank public (§A7).
    pub shown: bool,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            EventKind::Deployed(_) => "Deployed",
            EventKind::Started { .. } => "Started",
            EventKind::Moved(_) => "Moved",
            EventKind::Struck(_) => "Struck",
            EventKind::Chosen { .. } => "Chosen",
            EventKind::Removed { .. } => "Removed",
            EventKind::Placed(_) => "Placed",
            EventKind::Colored { .. } => "Colored",
            EventKind::DrawOffered { .. } => "DrawOffered",
            EventKind::DrawDeclined { .. } => "DrawDeclined",
            EventKind::Paused { .. } => "Paused",
            EventKind::Resumed | EventKind::ResumedSince { .. } => "Resumed",
            EventKind::Ended(_) => "Ended",
        })
    }
}

/// The events of one command: at most three, without an allocation of their own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Events {
    list: [Option<Event>; 3],
}

impl Event {
    /// Whether this event ends the game: public.
    pub fn is_end(&self) -> bool {
        self.outcome().is_some()
    }

    /// How the game ended with this event, if it did: public.
    pub fn outcome(&self) -> Option<Outcome> {
        if let EventKind::Ended(outcome) = self.0 { Some(outcome) } else { None }
    }

    /// Whether this is a choice in a strike (§Q4).
    pub fn is_choice(&self) -> bool {
        matches!(self.0, EventKind::Chosen { .. })
    }

    /// The side whose time this event ends: the one that made a ply, struck or chose.
    pub fn ends_time_of(&self) -> Option<Side> {
        let (EventKind::Moved(Moved { side, .. })
        | EventKind::Struck(UnresolvedStrike { side, .. })
        | EventKind::Chosen { side, .. }
        | EventKind::Removed { side, .. }
        | EventKind::Placed(Placed { side, .. })) = &self.0
        else {
            return None;
        };
        Some(*side)
    }
}

impl Events {
    #[inline]
    pub(crate) fn new(list: [Option<EventKind>; 3]) -> Events {
        let [first, second, third] = list;
        Events { list: [first.map(Event), second.map(Event), third.map(Event)] }
    }

    /// The events in the order in which they happened.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Event> {
        self.list.iter().flatten()
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.list[0].is_none()
    }
}

impl IntoIterator for Events {
    type Item = Event;
    type IntoIter = std::iter::Flatten<std::array::IntoIter<Option<Event>, 3>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_takes_sixteen_bytes() {
        // A larger event would make every ply of every ruleset slower to copy.
        assert_eq!(size_of::<Event>(), 16);
    }
}
