//! The full screen: reads keys from the terminal and draws the client's state.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::execute;
use tokio::sync::mpsc;

use crate::alerts::Alerts;
use crate::cli::Common;
use crate::input::screen;
use crate::model::{Effect, Key, Message, Model};
use crate::render::{render, square_at};
use crate::shell::{Shell, now_ms};
use crate::{status, update};

/// Interval for redrawing the clocks.
const TICK: Duration = Duration::from_millis(200);
/// The interval at which the key thread checks whether it should end.
const POLL: Duration = Duration::from_millis(200);

/// How long after a key press the user gets no bell and no notification.
const AT_KEYBOARD: Duration = Duration::from_secs(5);

/// Restores the terminal on drop. After a panic, the hook of `try_init` restores it.
struct Restore {
    title: &'static str,
    uses_mouse: bool,
}

impl Drop for Restore {
    fn drop(&mut self) {
        if self.uses_mouse {
            drop(execute!(io::stdout(), DisableMouseCapture));
        }
        drop(io::stdout().write_all(self.title.as_bytes()));
        ratatui::restore();
    }
}

enum Input {
    Key(Key),
    Click {
        column: u16,
        row: u16,
    },
    /// A turn of the mouse wheel, given as the key that scrolls a list in the same direction.
    Wheel(Key),
    Resized,
}

/// Runs the client on the full screen until it ends. Returns the exit code.
///
/// Without a shell, the client makes no connection, and the screen only shows a record.
pub async fn run(
    mut shell: Option<Shell>,
    model: &mut Model,
    common: &Common,
    mut stop: mpsc::Receiver<()>,
) -> io::Result<u8> {
    let (mut alerts, uses_mouse) = (Alerts::new(common.alerts.clone()), !common.no_mouse);
    let mut terminal = ratatui::try_init()?;
    let _restore = Restore { title: alerts.end(), uses_mouse };
    if uses_mouse {
        execute!(io::stdout(), EnableMouseCapture)?;
    }
    terminal.backend_mut().write_all(alerts.start().as_bytes())?;
    let mut inputs = inputs();
    let mut touched: Option<Instant> = None;
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
        let is_at_keyboard = touched.is_some_and(|touched| touched.elapsed() < AT_KEYBOARD);
        let alert = alerts.tell(status::waiting(model), is_at_keyboard);
        terminal.backend_mut().write_all(alert.as_bytes())?;
        let area = terminal.draw(|frame| render(model, frame))?.area;
        message = tokio::select! {
            message = next(shell.as_mut()) => message,
            input = inputs.recv() => {
                touched = Some(Instant::now());
                match input {
                    Some(Input::Key(key)) => Message::Key(key),
                    Some(Input::Click { column, row }) => {
                        square_at(model, area, column, row).map_or(Message::Tick, Message::Click)
                    }
                    Some(Input::Wheel(key)) if screen(model).has_list() => Message::Key(key),
                    // Redraw only.
                    Some(Input::Wheel(_) | Input::Resized) => Message::Tick,
                    None => Message::Stop,
                }
            }
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

fn inputs() -> mpsc::Receiver<Input> {
    let (sender, inputs) = mpsc::channel(64);
    std::thread::spawn(move || {
        while !sender.is_closed() {
            let read = match event::poll(POLL) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            let input = match read {
                Ok(Event::Key(pressed)) => key(pressed).map(Input::Key),
                Ok(Event::Mouse(event)) => mouse(event),
                Ok(Event::Resize(..)) => Some(Input::Resized),
                Ok(Event::FocusGained | Event::FocusLost | Event::Paste(_)) => None,
                // An error here means that the terminal is gone.
                Err(_) => return,
            };
            if input.is_some_and(|input| sender.blocking_send(input).is_err()) {
                return;
            }
        }
    });
    inputs
}

fn mouse(event: MouseEvent) -> Option<Input> {
    let MouseEvent { kind, column, row, .. } = event;
    match kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Input::Click { column, row }),
        MouseEventKind::ScrollUp => Some(Input::Wheel(Key::Up)),
        MouseEventKind::ScrollDown => Some(Input::Wheel(Key::Down)),
        _ => None,
    }
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
