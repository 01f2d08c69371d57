//! A prompt for a person who types lines, with editing and a history. Messages about the game are
//! printed above the prompt.
//!
//! The history is not saved when the program ends. Passwords are never typed here.

use std::io;

use rustyline_async::{Readline, ReadlineError, ReadlineEvent, SharedWriter};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

const PROMPT: &str = "> ";
/// Maximum number of typed lines that wait to be handled. Ctrl-C takes effect after these lines.
const LINES_MAX: usize = 64;

/// A prompt at the terminal. [`Prompt::end`] restores the terminal.
#[derive(Debug)]
pub struct Prompt {
    task: JoinHandle<io::Result<()>>,
    end: oneshot::Sender<()>,
}

impl Prompt {
    /// Starts a prompt. Returns the prompt, the typed lines, and a writer that prints above it.
    pub fn new(stop: mpsc::Sender<()>) -> io::Result<(Prompt, mpsc::Receiver<String>, SharedWriter)> {
        let (editor, out) = Readline::new(PROMPT.to_owned()).map_err(io_error)?;
        let (sender, lines) = mpsc::channel(LINES_MAX);
        let (end, ended) = oneshot::channel();
        Ok((Prompt { task: tokio::spawn(read(editor, sender, stop, ended)), end }, lines, out))
    }

    pub async fn end(self) -> io::Result<()> {
        // Sending fails only if the terminal is gone and the task has therefore ended.
        self.end.send(()).ok();
        self.task.await.map_err(io::Error::other)?
    }
}

async fn read(
    mut editor: Readline,
    lines: mpsc::Sender<String>,
    stop: mpsc::Sender<()>,
    mut ended: oneshot::Receiver<()>,
) -> io::Result<()> {
    let mut lines = Some(lines);
    loop {
        let event = tokio::select! {
            event = editor.readline() => event,
            _ = &mut ended => break,
        };
        match event.map_err(io_error)? {
            ReadlineEvent::Line(line) => {
                editor.add_history_entry(line.clone());
                if let Some(lines) = &lines
                    && lines.send(line).await.is_err()
                {
                    break;
                }
            }
            // Dropping the sender signals the end of the input.
            ReadlineEvent::Eof => drop(lines.take()),
            // Sending fails only if the client is already ending.
            ReadlineEvent::Interrupted => drop(stop.send(()).await),
        }
    }
    editor.flush().map_err(io_error)
}

fn io_error(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::IO(error) => error,
        other => io::Error::other(other),
    }
}
