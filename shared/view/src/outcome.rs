use flagfall_board::Side;

/// The outcome of a game. The reason is a code rather than the engine's enum, because newer
/// versions may have more reasons. Older versions must still be able to read such an outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(rename = "Outcome"))]
pub struct SeenOutcome {
    /// The winner. Absent after a draw and in an aborted game.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub winner: Option<Side>,
    /// Why the game ended, as a code.
    pub reason: String,
}

/// The result that a player claims in a game that the opponent has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"), schemars(rename = "ClaimedResult"))]
pub enum Claim {
    /// A win.
    Win,
    /// A draw.
    Draw,
}
