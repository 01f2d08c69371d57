//! Why a game cannot be written or read.

/// Why a record cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExportError {
    /// Not everything about it is known.
    #[error("the record does not open both deployments: {0} tells whole games only, after their end")]
    NotOpened(&'static str),
    /// The format does not support the ruleset.
    #[error("{format} has no games of the ruleset {ruleset}; it has those of {allowed}")]
    Ruleset {
        /// The format.
        format: &'static str,
        /// The record's ruleset.
        ruleset: String,
        /// The rulesets that it supports.
        allowed: String,
    },
    /// The game began with a set-up position.
    #[error("the game began with a position and not with deployments: only json can tell that")]
    Start,
    /// The game never started, which only a record can show.
    #[error("the game never started: only json can tell that")]
    NotStarted,
    /// The format has no word for the end.
    #[error("{format} has no word for the end {reason}")]
    End {
        /// The format.
        format: &'static str,
        /// The reason's code.
        reason: String,
    },
    /// The record is false.
    #[error("the record is false, and is not written anew: {0}; flagfall check says more")]
    False(String),
}

/// Why a text cannot be imported.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImportError {
    /// It is too long.
    #[error("the text is longer than that of any game")]
    TooLong,
    /// A line is malformed.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The text is malformed, at no particular line.
    #[error("{0}")]
    Form(String),
    /// The rules are unknown.
    #[error("{0}")]
    Rules(String),
    /// A side's deployment is invalid.
    #[error("{0}")]
    Deployment(String),
    /// A move is illegal under the assumed ruleset.
    #[error("move {ply}, {squares}, is no legal move in {ruleset}: {why}")]
    IllegalMove {
        /// Its number, from 1.
        ply: usize,
        /// From and to.
        squares: String,
        /// The ruleset.
        ruleset: &'static str,
        /// The engine's refusal.
        why: String,
    },
    /// A statement is false, such as a salt that does not match its commitment.
    #[error("the game is told falsely: {0}")]
    False(String),
    /// Under the assumed ruleset the game ends elsewhere or differently.
    #[error("after move {ply}, in {ruleset}: {why}")]
    End {
        /// How many moves come before it.
        ply: usize,
        /// The ruleset.
        ruleset: &'static str,
        /// What differs.
        why: String,
    },
}
