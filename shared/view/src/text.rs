/// A text without the form that its place requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TextError(
    /// The form that the place requires.
    pub &'static str,
);
