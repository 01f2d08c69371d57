//! The full screen: reads keys from the terminal and draws the core's model.

use std::io;
use std::time::Duration;

use flagfall::model::{Effect, Key, Message, Model};
use flagfall::render::render;
use flagfall::shell::{Shell, now_ms};
use flagfall::update;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::sync::mpsc;

/// Interval for redrawing the clocks.
const TICK: Duration = Duration::from_millis(200);
/// How often the key thread checks whether it should end.
const POLL: Duration = Duration::from_millis(200);

/// Restores the terminal on drop. After a panic, the hook of `try_init` does it.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Runs the core on the full screen until it ends. Returns the exit code.
///
/// Without a shell there is no connection: a record is shown.
pub(crate) async fn run(
    mut shell: Option<Shell>,
    model: &mut Model,
    mut stop: mpsc::Receiver<()>,
) -> io::Result<u8> {
    let mut terminal = ratatui::try_init()?;
    let _restore = Restore;
    let mut keys = keys();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut message = if shell.is_some() { Message::Started } else { Message::Tick };
    loop {
        let end = match &mut shell {
            Some(shell) => shell.step(model, message).await,
            None => alone(model, message),
        };
        if let Some(code) = end {
            return Ok(code);
        }
        terminal.draw(|frame| render(model, frame))?;
        message = tokio::select! {
            message = next(shell.as_mut()) => message,
            key = keys.recv() => match key {
                Some(Some(key)) => Message::Key(key),
                // The window was resized, so only redraw.
                Some(None) => Message::Tick,
                None => Message::Stop,
            },
            Some(()) = stop.recv() => Message::Stop,
            _ = tick.tick() => Message::Tick,
        };
    }
}

async fn next(shell: Option<&mut Shell>) -> Message {
    match shell {
        Some(shell) => shell.next().await,
        None => std::future::pending().await,
    }
}

/// Updates the model without a connection.
fn alone(model: &mut Model, message: Message) -> Option<u8> {
    model.clock.now = now_ms();
    update(model, message).into_iter().find_map(|effect| match effect {
        Effect::Exit { code } => Some(code),
        _ => None,
    })
}

/// Reads keys on a separate thread. `None` means that the window was resized.
fn keys() -> mpsc::Receiver<Option<Key>> {
    let (sender, keys) = mpsc::channel(64);
    std::thread::spawn(move || {
        while !sender.is_closed() {
            let read = match event::poll(POLL) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            let sent = match read {
                Ok(Event::Key(pressed)) => match key(pressed) {
                    Some(key) => sender.blocking_send(Some(key)),
                    None => continue,
                },
                Ok(Event::Resize(..)) => sender.blocking_send(None),
                Ok(Event::FocusGained | Event::FocusLost | Event::Mouse(_) | Event::Paste(_)) => continue,
                // The terminal is gone.
                Err(_) => return,
            };
            if sent.is_err() {
                return;
            }
        }
    });
    keys
}

fn key(pressed: KeyEvent) -> Option<Key> {
    if pressed.kind == KeyEventKind::Release {
        return None;
    }
    if pressed.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(pressed.code, KeyCode::Char('c')).then_some(Key::Interrupt);
    }
    Some(match pressed.code {
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    })
}
