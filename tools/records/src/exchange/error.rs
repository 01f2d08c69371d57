//! The reasons why a game cannot be written or read.

/// Why a record cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum ExportError {
    #[error(
        "the record does not open both deployments, but {0} can contain only complete games after their end"
    )]
    NotOpened(&'static str),
    #[error("{format} does not support the ruleset {ruleset}; it supports {allowed}")]
    Ruleset { format: &'static str, ruleset: String, allowed: String },
    #[error("the game began with a position and not with deployments: only json can contain such games")]
    Start,
    #[error("the game never started: only json can contain such games")]
    NotStarted,
    #[error("{format} cannot express the end {reason}")]
    End { format: &'static str, reason: String },
    #[error("the record is false, so it was not converted: {0}; run flagfall check for details")]
    False(String),
}

/// Why some text cannot be imported.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum ImportError {
    #[error("the text is too long for a game")]
    TooLong,
    #[error("line {line}: {what}")]
    Line { line: usize, what: String },
    #[error("{0}")]
    Form(String),
    #[error("move {ply}, {squares}, is not legal in {ruleset}: {why}")]
    IllegalMove { ply: usize, squares: String, ruleset: &'static str, why: String },
    #[error("the game is not correct: {0}")]
    False(String),
    #[error("after move {ply}, in {ruleset}: {why}")]
    End { ply: usize, ruleset: &'static str, why: String },
}

impl From<String> for ImportError {
    fn from(what: String) -> ImportError {
        ImportError::Form(what)
    }
}

impl From<&str> for ImportError {
    fn from(what: &str) -> ImportError {
        ImportError::Form(what.to_owned())
    }
}
