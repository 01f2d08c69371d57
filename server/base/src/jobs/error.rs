//! Why a job was not done.

use flagfall_store::StoreError;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JobError {
    /// The store does not answer. No attempt is counted; the next look tries again.
    #[error("{0}")]
    Away(String),
    /// There is no place for it at the moment. Nothing was changed; the next look tries again.
    #[error("there is no place for it now")]
    NotNow,
    /// It failed, and may succeed later.
    #[error("{0}")]
    Later(String),
    /// It met damaged data: it is tried a few times.
    #[error("{0}")]
    Damaged(String),
    /// It can never succeed: it becomes a dead letter at once.
    #[error("{0}")]
    Hopeless(String),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> JobError {
        match error {
            StoreError::Unavailable { .. } => JobError::Away(error.to_string()),
            StoreError::Damaged { what } => JobError::Damaged(what),
            StoreError::Limit(_) => JobError::Hopeless(error.to_string()),
        }
    }
}

/// For work that a request waits for.
impl From<JobError> for StoreError {
    fn from(error: JobError) -> StoreError {
        match error {
            JobError::Away(why) | JobError::Later(why) => StoreError::Unavailable { why },
            JobError::NotNow => StoreError::Unavailable { why: error.to_string() },
            JobError::Damaged(what) | JobError::Hopeless(what) => StoreError::Damaged { what },
        }
    }
}
