//! Converts log entries to another form, for the export of a store.

use std::collections::HashSet;
use std::sync::Arc;

use flagfall_board::GameId;
use flagfall_store::record::{self, Form, LogEntry};
use flagfall_store::{SecretBytes, StoredEntry};
use parking_lot::Mutex;

use super::header::GameHeader;
use super::replay::ReplayError;

pub struct InForm {
    form: Form,
    /// The game whose entries are being written, and its header.
    header: Option<(GameId, GameHeader)>,
    changed: Arc<Mutex<HashSet<GameId>>>,
}

impl InForm {
    #[must_use]
    pub fn new(form: Form) -> InForm {
        InForm { form, header: None, changed: Arc::default() }
    }

    /// Returns the games whose header was changed so far, because the other form does not know
    /// their rule of clocks. The signatures of their results no longer match.
    #[must_use]
    pub fn changed(&self) -> Arc<Mutex<HashSet<GameId>>> {
        self.changed.clone()
    }

    /// Returns the body of an entry in the other form. Pass the entries of each game in order.
    ///
    /// # Errors
    /// The reason why the entry cannot be converted. It does not quote the entry.
    pub fn rewrite(&mut self, game: GameId, entry: &StoredEntry) -> Result<SecretBytes, String> {
        self.body(game, entry).map_err(|error| error.to_string())
    }

    fn body(&mut self, game: GameId, entry: &StoredEntry) -> Result<SecretBytes, ReplayError> {
        let wrong = |error| ReplayError::Entry { seq: entry.seq, error };
        match &self.header {
            Some((of, header)) if *of == game => {
                if Form::of(&entry.body) == Some(self.form) {
                    return Ok(entry.body.clone());
                }
                let LogEntry { command, lag_ms, event } =
                    record::decode(&entry.body, header.seats()).map_err(wrong)?;
                record::encode(self.form, header.seats(), command.as_ref(), lag_ms, &event).map_err(wrong)
            }
            // The header is JSON in every form. But a version that reads only form 1 does not know
            // about whole turns.
            Some(_) | None => {
                let mut header: GameHeader = record::decode_header(&entry.body).map_err(wrong)?;
                let is_known = !header.whole_turns || self.form > Form::Json;
                let body = if is_known {
                    entry.body.clone()
                } else {
                    header.whole_turns = false;
                    self.changed.lock().insert(game);
                    record::encode_header(&header).map_err(wrong)?
                };
                self.header = Some((game, header));
                Ok(body)
            }
        }
    }
}
