//! The baseline of the embedded store: a bare file with grouped syncs.
//!
//! It does only the work that every durable log needs. Each caller hashes its body into the chain
//! of its game, and waits until a thread has written all waiting bodies with one sync. There are
//! no checks and no stamps, and the file cannot be read back.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::thread::JoinHandle;

use flagfall_board::GameId;
use flagfall_store::{Head, SecretBytes};
use tokio::sync::{mpsc, oneshot};

use crate::error::LoadError;

/// These sizes are the same as in the store's own queue and groups.
const QUEUE_LENGTH: usize = 4096;
const GROUP_MAX: usize = 1024;

struct Request {
    body: SecretBytes,
    head: Head,
    written: oneshot::Sender<()>,
}

/// The file, with the thread that writes it. The thread ends when this value is dropped.
pub(crate) struct BareFile {
    requests: mpsc::Sender<Request>,
    _writer: JoinHandle<std::io::Result<()>>,
}

impl BareFile {
    pub(super) fn create(path: &Path) -> std::io::Result<BareFile> {
        let file = File::create(path)?;
        let (requests, waiting) = mpsc::channel(QUEUE_LENGTH);
        let writer = std::thread::Builder::new().name("bare-file".to_owned());
        Ok(BareFile { requests, _writer: writer.spawn(|| write(file, waiting))? })
    }

    /// Writes one body durably, and returns the head after it.
    pub(super) async fn append(
        &self,
        game: GameId,
        head: Head,
        body: SecretBytes,
    ) -> Result<Head, LoadError> {
        let head = head.then(game, &body);
        let (written, answer) = oneshot::channel();
        let gone = || LoadError::Store("the bare file cannot be written".to_owned());
        self.requests.send(Request { body, head, written }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?;
        Ok(head)
    }
}

fn write(mut file: File, mut requests: mpsc::Receiver<Request>) -> std::io::Result<()> {
    let (mut bytes, mut callers) = (Vec::new(), Vec::new());
    while let Some(first) = requests.blocking_recv() {
        let mut next = Some(first);
        while let Some(Request { body, head, written }) = next {
            bytes.extend_from_slice(&head.hash.0);
            bytes.extend_from_slice(body.expose());
            callers.push(written);
            next = if callers.len() < GROUP_MAX { requests.try_recv().ok() } else { None };
        }
        file.write_all(&bytes)?;
        file.sync_data()?;
        bytes.clear();
        for caller in callers.drain(..) {
            // If the caller has ended, it does not need the answer.
            caller.send(()).ok();
        }
    }
    Ok(())
}
