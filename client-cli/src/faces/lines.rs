//! The line-based interface, for scripts, screen readers and terminals without a full screen.

mod prompt;

use std::io::{self, Write};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::model::{Message, Model};
use crate::shell::{Shell, folded, terminal_columns};

pub use prompt::Prompt;

/// The interval between two checks of the time.
const TICK: Duration = Duration::from_secs(1);

/// Runs the client in line-based mode until it ends. Returns the exit code.
pub async fn run(
    mut shell: Shell,
    model: &mut Model,
    mut lines: mpsc::Receiver<String>,
    mut stop: mpsc::Receiver<()>,
    out: &mut impl Write,
) -> io::Result<u8> {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut message = Message::Started;
    loop {
        let end = shell.step(model, message).await;
        let columns = terminal_columns();
        for note in model.notes.take_unprinted() {
            writeln!(out, "{}", folded(&note, columns))?;
        }
        out.flush()?;
        if let Some(code) = end {
            return Ok(code);
        }
        let is_ready = model.is_ready_for_line();
        message = tokio::select! {
            message = shell.next() => message,
            line = lines.recv(), if is_ready => line.map_or(Message::InputEnded, Message::Line),
            Some(()) = stop.recv() => Message::Stop,
            _ = tick.tick() => Message::Tick,
        };
    }
}
