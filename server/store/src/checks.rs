//! Checks requests against the limits, before a store writes anything.

use crate::limits::{
    BODIES_MAX, BODY_BYTES_MAX, CONDITIONS_MAX, LimitError, NOTICE_BYTES_MAX, VALUE_BYTES_MAX, WRITES_MAX,
};
use crate::store::{Append, Update, Write};

/// Checks an append against the limits.
///
/// # Errors
/// The first limit it breaks.
pub(crate) fn check_append(append: &Append) -> Result<(), LimitError> {
    match append.bodies.len() {
        0 => return Err(LimitError::NoBodies),
        count if count > BODIES_MAX => return Err(LimitError::TooManyBodies { count }),
        _ => {}
    }
    if let Some(long) = append.bodies.iter().find(|body| body.len() > BODY_BYTES_MAX) {
        return Err(LimitError::BodyLength { bytes: long.len() });
    }
    check_writes(&append.writes)
}

/// Checks an update against the limits.
///
/// # Errors
/// The first limit it breaks.
pub(crate) fn check_update(update: &Update) -> Result<(), LimitError> {
    let count = update.conditions.len();
    if count > CONDITIONS_MAX {
        return Err(LimitError::TooManyConditions { count });
    }
    check_writes(&update.writes)
}

/// Checks a notice to other servers against the limits.
///
/// # Errors
/// [`LimitError::NoticeLength`].
pub(crate) fn check_notice(notice: &[u8]) -> Result<(), LimitError> {
    let bytes = notice.len();
    if bytes > NOTICE_BYTES_MAX { Err(LimitError::NoticeLength { bytes }) } else { Ok(()) }
}

fn check_writes(writes: &[Write]) -> Result<(), LimitError> {
    if writes.len() > WRITES_MAX {
        return Err(LimitError::TooManyWrites { count: writes.len() });
    }
    for write in writes {
        if let Write::Put { value, .. } = write
            && value.len() > VALUE_BYTES_MAX
        {
            return Err(LimitError::ValueLength { bytes: value.len() });
        }
    }
    Ok(())
}
