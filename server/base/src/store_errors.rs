//! Logs requests that the store refused.

use flagfall_store::StoreError;

/// Logs that the store refused a request. During an outage of the store, logs only at debug
/// level, because the heartbeat already logs each outage once with its reason. Many more lines
/// would hide that reason.
pub fn note_refusal(error: &StoreError, what: &'static str) {
    if matches!(error, StoreError::Unavailable { .. }) {
        tracing::debug!(%error, "{what}");
    } else {
        tracing::warn!(%error, "{what}");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the log lines that appear at the default log level.
    pub(crate) fn logged(work: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let logs = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(logs, work);
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn an_unavailable_store_is_not_logged_repeatedly_and_damage_is_logged() {
        let text = logged(|| {
            note_refusal(&StoreError::Unavailable { why: "gone".to_owned() }, "a request");
            note_refusal(&StoreError::Damaged { what: "torn".to_owned() }, "another one");
        });
        assert!(!text.contains("gone") && text.contains("WARN") && text.contains("another one"), "{text}");
        assert!(text.contains("torn"), "{text}");
    }
}
