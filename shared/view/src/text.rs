/// The error for text that does not have the required form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TextError(
    /// A description of the required form, for the error message.
    pub &'static str,
);
