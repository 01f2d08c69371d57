//! The events of a game, including all secrets.

use std::fmt;

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_view::{Commitment, Fate, Laid};

use crate::commitment::Salt;
use crate::outcome::Outcome;
use crate::setup::Deployment;

/// An event of a game. Events are trusted: they are not checked again when they are applied.
///
/// An event may contain hidden ranks, so its contents are private. [`crate::see`] returns the
/// part that an audience may see, and the store saves events with [`crate::secret`]. `Debug`
/// shows only the kind of event.
#[derive(Clone, PartialEq, Eq)]
pub struct Event(pub(crate) EventKind);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A side submitted a deployment (§A4). The other side does not see whether it is changed
    /// later.
    Deployed(Box<Deployed>),
    /// Both sides have deployed. The pieces are on the board, and Red is to move.
    Started { commitments: Box<PerSide<Option<Commitment>>> },
    /// The side to move made a move. If the move was a strike, the strike is resolved.
    Moved(Moved),
    /// The side to move struck, and at least one of the two pieces is a coin. The ply is complete
    /// when each side with a coin in the strike has chosen a rank (§Q4).
    Struck(UnresolvedStrike),
    /// A side chose the rank of its coin in a strike (§Q4). The choice is secret until the last
    /// choice is made. The event `Moved` follows the last choice.
    Chosen { side: Side, rank: Rank },
    /// The side to move removed one of its pieces from the board (§S1.5).
    Removed { side: Side, square: Square },
    /// The side to move placed a piece from its reserve (§S1.5).
    Placed(Placed),
    /// A side named the color of the chip under its piece, which had won as the defender and moved
    /// (§S2.4). This is not a ply.
    Colored { side: Side, square: Square, color: ChipColor },
    /// A side offered a draw.
    DrawOffered { side: Side },
    /// A side declined the other side's offer.
    DrawDeclined { side: Side },
    /// The clocks stopped as of `since`, the time from which no server could accept moves.
    Paused { since: Stamp },
    /// The clocks are running again.
    Resumed,
    /// The clocks started again as of `since`, a time before this event.
    ResumedSince { since: Stamp },
    /// The game ended.
    Ended(Outcome),
}

/// A deployment as it was submitted. Events store it in a box to stay small, because most events
/// are plies.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Deployed {
    pub(crate) side: Side,
    pub(crate) deployment: Deployment,
    pub(crate) salt: Salt,
    pub(crate) is_change: bool,
}

/// A ply with its result. The result is stored so that a later change of the rules does not
/// affect old games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) side: Side,
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// The ranks that the piece can have after this move (§C2), or all ranks if the move proves
    /// nothing. A coin with a single possible rank becomes a piece of that rank (§Q3).
    pub(crate) proves: RankSet,
    pub(crate) strike: Option<Strike>,
    /// The chips whose colors changed. A chip that was laid again in the same color is not
    /// included (§S3.3).
    pub(crate) laid: Option<Laid>,
}

/// A strike in which a side still has to choose the rank of its coin. All its fields are public.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnresolvedStrike {
    pub(crate) side: Side,
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// The ranks that the attacker can have, as in [`Moved`]. A coin that strikes from more than
    /// one square away is a Scout before any choice is made (§Q4).
    pub(crate) proves: RankSet,
    /// For each side, true if it has a coin in the strike.
    pub(crate) owes: PerSide<bool>,
}

/// A placement of a piece from the reserve.
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
    /// True if the defender gets its label in this strike (§S2.1, §S2.2).
    pub(crate) labels: bool,
}

impl Strike {
    /// True if the strike resets the count of quiet plies, because a piece leaves the board or
    /// gets its label (§A12).
    pub(crate) fn is_loud(&self) -> bool {
        self.attacker.fate == Fate::Leaves || self.defender.fate == Fate::Leaves || self.labels
    }
}

/// The result of a strike for one of the two pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Struck {
    /// The piece's rank.
    pub rank: Rank,
    /// The place of the piece after the strike.
    pub fate: Fate,
    /// True if the strike made the rank public (§A7).
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

/// The events that follow from one command. There are at most three, so they are stored without
/// an allocation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Events {
    list: [Option<Event>; 3],
}

impl Event {
    /// True if this event ends the game. The answer is public.
    pub fn is_end(&self) -> bool {
        self.outcome().is_some()
    }

    /// The outcome of the game, if this event ended it. The outcome is public.
    pub fn outcome(&self) -> Option<Outcome> {
        if let EventKind::Ended(outcome) = self.0 { Some(outcome) } else { None }
    }

    /// True if this event is a choice in a strike (§Q4).
    pub fn is_choice(&self) -> bool {
        matches!(self.0, EventKind::Chosen { .. })
    }

    /// True if only the side that acted is shown this event: a changed deployment, or a choice.
    pub(crate) fn is_hidden(&self) -> bool {
        self.is_choice() || matches!(&self.0, EventKind::Deployed(deployed) if deployed.is_change)
    }

    /// The side whose clock this event stops, because the side made a ply, struck, or chose a
    /// rank.
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

    /// The events, in the order in which they happened.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Event> {
        self.list.iter().flatten()
    }

    /// True if there are no events.
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
        // Every ply copies events, so a larger event would slow down all rulesets.
        assert_eq!(size_of::<Event>(), 16);
    }
}
