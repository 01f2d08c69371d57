//! The events of a game, secrets included.

use std::fmt;

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_view::{Commitment, Fate, Laid};

use crate::commitment::Salt;
use crate::outcome::Outcome;
use crate::setup::Deployment;

/// A fact of a game: decided once and never judged again.
///
/// An event may contain hidden ranks, so its contents are private. [`crate::see`] returns what an
/// audience may know of it, and the store saves events through [`crate::secret`]. `Debug` shows
/// only the kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Event(pub(crate) EventKind);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A side submitted a deployment (§A4). Changes of a deployment stay the side's secret.
    Deployed(Box<Deployed>),
    /// Both sides are ready: the pieces are on the board, and Red is to move.
    Started { commitments: Box<PerSide<Option<Commitment>>> },
    /// The side to move moved or struck.
    Moved(Moved),
    /// The side to move struck, and a coin is involved, so the ply waits for choices (§Q4).
    Struck(UnresolvedStrike),
    /// A side chose the rank of its coin in a strike. The choice is secret until the last choice
    /// is made, after which `Moved` follows (§Q4).
    Chosen { side: Side, rank: Rank },
    /// The side to move removed one of its pieces from the board (§S1.5).
    Removed { side: Side, square: Square },
    /// The side to move placed a piece from its reserve (§S1.5).
    Placed(Placed),
    /// The chip of a defender that won and moved was laid (§S2.4). This is not a ply.
    Colored { side: Side, square: Square, color: ChipColor },
    /// A side offered a draw.
    DrawOffered { side: Side },
    /// A side declined the other's offer.
    DrawDeclined { side: Side },
    /// The clocks stopped at `since`, because no server could accept a move from then on.
    Paused { since: Stamp },
    /// The clocks run again.
    Resumed,
    /// The clocks have run again since this moment, which is earlier than the event.
    ResumedSince { since: Stamp },
    /// The game ended.
    Ended(Outcome),
}

/// A deployment as it was submitted. It is boxed in its event to keep plies small.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Deployed {
    pub(crate) side: Side,
    pub(crate) deployment: Deployment,
    pub(crate) salt: Salt,
    pub(crate) is_change: bool,
}

/// One ply with its result. The result is stored so that a later change of a rule does not affect
/// old games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) side: Side,
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// The ranks that are possible for the piece after this move (§C2), or all ranks if the move
    /// proves nothing. A coin with a single possible rank becomes that piece (§Q3).
    pub(crate) proves: RankSet,
    pub(crate) strike: Option<Strike>,
    /// The chips that changed, without chips that were laid again in the same color (§S3.3).
    pub(crate) laid: Option<Laid>,
}

/// A strike that waits for choices. It is public.
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

/// The result of a strike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strike {
    pub(crate) attacker: Struck,
    pub(crate) defender: Struck,
    /// Whether this strike labels the defender for the first time (§S2.1, §S2.2).
    pub(crate) labels: bool,
}

impl Strike {
    /// Whether the count of quiet plies restarts, because a piece leaves the board or is labeled
    /// for the first time (§A12).
    pub(crate) fn is_loud(&self) -> bool {
        self.attacker.fate == Fate::Leaves || self.defender.fate == Fate::Leaves || self.labels
    }
}

/// One piece's part in a strike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Struck {
    /// The piece's rank.
    pub rank: Rank,
    /// Where the piece is after the strike.
    pub fate: Fate,
    /// Whether the strike made the rank public (§A7).
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

/// The events of one command: at most three, stored inline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Events {
    list: [Option<Event>; 3],
}

impl Event {
    /// Whether this event ends the game. Public.
    pub fn is_end(&self) -> bool {
        self.outcome().is_some()
    }

    /// How the game ended, if this event ended it. Public.
    pub fn outcome(&self) -> Option<Outcome> {
        if let EventKind::Ended(outcome) = self.0 { Some(outcome) } else { None }
    }

    /// Whether this is a choice in a strike (§Q4).
    pub fn is_choice(&self) -> bool {
        matches!(self.0, EventKind::Chosen { .. })
    }

    /// The side whose clock stops with this event, because the side made a ply, struck, or chose.
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

    /// Whether there are no events.
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
