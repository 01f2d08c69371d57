use flagfall_board::{PerSide, Side, Stamp};

/// The clocks of both sides at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(rename = "Clock"))]
pub struct SeenClock {
    /// The moment at which the clocks were read, in milliseconds since 1970.
    pub at: Stamp,
    /// The time that each side had left at that moment, in milliseconds.
    pub remaining_ms: PerSide<u64>,
    /// The free time that each side has left in the current turn, in milliseconds. It is used up
    /// before `remaining_ms`. Present only if the time control has a delay.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "crate::is_default"))]
    pub free_ms: PerSide<u64>,
    /// The sides whose clocks are running. Absent if both clocks are stopped.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub running: Option<Running>,
}

impl SeenClock {
    /// True if this side's clock is running.
    pub fn is_running(&self, side: Side) -> bool {
        self.running.is_some_and(|running| running.includes(side))
    }

    /// The time at which the first of the running clocks runs out. `None` if neither clock is
    /// running.
    pub fn deadline(&self) -> Option<Stamp> {
        let of = |side: Side| self.at.plus_ms(self.remaining_ms[side]).plus_ms(self.free_ms[side]);
        Side::BOTH.into_iter().filter(|side| self.is_running(*side)).map(of).min()
    }
}

/// The sides whose clocks are running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Running {
    /// Red's clock.
    Red,
    /// Blue's clock.
    Blue,
    /// Both clocks, because each side has to choose the rank of its coin in a strike.
    Both,
}

impl Running {
    /// Creates the value from the state of each side's clock. `None` if neither clock is running.
    pub fn of(is_running: PerSide<bool>) -> Option<Running> {
        match is_running {
            PerSide { red: true, blue: true } => Some(Running::Both),
            PerSide { red: true, blue: false } => Some(Running::Red),
            PerSide { red: false, blue: true } => Some(Running::Blue),
            PerSide { red: false, blue: false } => None,
        }
    }

    /// True if this side's clock is running.
    pub fn includes(self, side: Side) -> bool {
        match self {
            Running::Red => side == Side::Red,
            Running::Blue => side == Side::Blue,
            Running::Both => true,
        }
    }
}

/// The limits of lag compensation, in milliseconds. The server gives each side time back for the
/// network delay of its connection, until the side's stock of compensation is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LagQuota {
    /// The amount by which each turn of a side refills the side's stock. It is also the longest
    /// time that the server waits for a late move before the side loses on time.
    pub per_ply_ms: u32,
    /// The stock of each side at the start of the game, which is also the maximum.
    pub stock_ms: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_is_when_all_time_of_the_side_to_act_is_used() {
        let clock = |running| SeenClock {
            at: Stamp(1_000),
            remaining_ms: PerSide::new(500, 300),
            free_ms: PerSide::new(0, 50),
            running,
        };
        assert_eq!(clock(None).deadline(), None);
        assert_eq!(clock(Some(Running::Red)).deadline(), Some(Stamp(1_500)));
        assert_eq!(clock(Some(Running::Blue)).deadline(), Some(Stamp(1_350)));
        assert_eq!(clock(Some(Running::Both)).deadline(), Some(Stamp(1_350)));
    }
}
