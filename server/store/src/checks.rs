//! Checks requests against the limits, before a store writes anything.

use crate::limits::{
    BODIES_MAX, BODY_BYTES_MAX, CONDITIONS_MAX, LimitError, NOTICE_BYTES_MAX, VALUE_BYTES_MAX, WRITES_MAX,
};
use crate::store::{Append, Update, Write};
use crate::value::SecretBytes;

/// Returns `error` if `found` is greater than `most`.
fn limit(found: usize, most: usize, error: LimitError) -> Result<(), LimitError> {
    if found > most { Err(error) } else { Ok(()) }
}

pub(crate) fn check_append(append: &Append) -> Result<(), LimitError> {
    let count = append.bodies.len();
    if count == 0 {
        return Err(LimitError::NoBodies);
    }
    limit(count, BODIES_MAX, LimitError::TooManyBodies { count })?;
    for bytes in append.bodies.iter().map(SecretBytes::len) {
        limit(bytes, BODY_BYTES_MAX, LimitError::BodyLength { bytes })?;
    }
    check_writes(&append.writes)
}

pub(crate) fn check_update(update: &Update) -> Result<(), LimitError> {
    let count = update.conditions.len();
    limit(count, CONDITIONS_MAX, LimitError::TooManyConditions { count })?;
    check_writes(&update.writes)
}

pub(crate) fn check_notice(notice: &[u8]) -> Result<(), LimitError> {
    let bytes = notice.len();
    limit(bytes, NOTICE_BYTES_MAX, LimitError::NoticeLength { bytes })
}

fn check_writes(writes: &[Write]) -> Result<(), LimitError> {
    let count = writes.len();
    limit(count, WRITES_MAX, LimitError::TooManyWrites { count })?;
    for bytes in writes.iter().map(Write::value_bytes) {
        limit(bytes, VALUE_BYTES_MAX, LimitError::ValueLength { bytes })?;
    }
    Ok(())
}
