//! The reasons why a job failed.

use flagfall_store::StoreError;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JobError {
    /// The store does not answer. This does not count as an attempt. The next check tries the job
    /// again.
    #[error("{0}")]
    Away(String),
    /// The job cannot run at the moment, and nothing was changed. The next check tries it again.
    #[error("the job cannot run at the moment; it will be tried again")]
    NotNow,
    /// The job failed but may succeed later.
    #[error("{0}")]
    Later(String),
    /// The job found damaged data. It is tried only a few more times.
    #[error("{0}")]
    Damaged(String),
    /// The job can never succeed, so it becomes a dead letter immediately.
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

/// This conversion is for requests that do a job's work immediately and wait for the result.
impl From<JobError> for StoreError {
    fn from(error: JobError) -> StoreError {
        match error {
            JobError::Away(why) | JobError::Later(why) => StoreError::Unavailable { why },
            JobError::NotNow => StoreError::Unavailable { why: error.to_string() },
            JobError::Damaged(what) | JobError::Hopeless(what) => StoreError::Damaged { what },
        }
    }
}
