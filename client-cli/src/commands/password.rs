//! Asks for secrets: passwords, recovery codes, tokens.

use std::io::{self, BufRead, IsTerminal, Write};

use flagfall::text;
use flagfall_protocol::{Exit, PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, Secret};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal;

use super::output::{CommandError, Done, storage, usage, warn};

const ANSWER_MAX: usize = 1_024;

/// Asks for a secret. On a terminal there is no echo; otherwise reads a line of standard input.
pub(crate) fn read(what: &str) -> Done<Secret> {
    if io::stdin().is_terminal() {
        return typed(what);
    }
    let mut line = String::new();
    let bytes = io::stdin().lock().read_line(&mut line).map_err(storage)?;
    if bytes == 0 {
        return Err(usage(text!("secret-wanted", what)));
    }
    Ok(Secret::new(line.trim_end_matches(['\r', '\n'])))
}

/// Asks for a new password.
///
/// On a terminal, the user types the password twice, without echo. Asks again if the length is
/// wrong or the two inputs differ. The program must not end here, because the shell would receive
/// what the user types next.
pub(crate) fn read_new(what: &str) -> Done<Secret> {
    if !io::stdin().is_terminal() {
        return read(what);
    }
    loop {
        let password = typed(what)?;
        if !has_right_length(&password) {
            warn(&text!("password-length", min = PASSWORD_LEN_MIN, max = PASSWORD_LEN_MAX))?;
        } else if typed(&text!("secret-again"))? == password {
            return Ok(password);
        } else {
            warn(&text!("passwords-differ"))?;
        }
    }
}

fn has_right_length(password: &Secret) -> bool {
    (PASSWORD_LEN_MIN..=PASSWORD_LEN_MAX).contains(&password.expose().chars().count())
}

fn say(text: &str) -> Done<()> {
    let mut out = io::stderr().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(storage)
}

/// A terminal without echo, where Ctrl-C is an ordinary key. Restores the terminal on drop.
struct Silent;

impl Silent {
    fn new() -> io::Result<Silent> {
        terminal::enable_raw_mode().map(|()| Silent)
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to restore.
        drop(terminal::disable_raw_mode());
    }
}

fn typed(what: &str) -> Done<Secret> {
    // Turn echo off before printing the prompt. The terminal then neither echoes a letter that is
    // typed too early nor acts on an early Ctrl-C.
    let silent = Silent::new().map_err(storage)?;
    say(&text!("secret-prompt", what))?;
    let mut answer = String::new();
    let answered = loop {
        match event::read().map_err(storage)? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                if let Some(is_answered) = take(&mut answer, key) {
                    break is_answered;
                }
            }
            _ => {}
        }
    };
    drop(silent);
    say("\n")?;
    if answered {
        Ok(Secret::new(answer))
    } else {
        Err(CommandError { code: Exit::Interrupted, message: text!("secret-interrupted") })
    }
}

/// Handles a key. Returns `Some(true)` if the answer is complete, `Some(false)` if the user
/// cancels, and `None` if more keys are needed.
fn take(answer: &mut String, key: KeyEvent) -> Option<bool> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('c') => return Some(false),
            KeyCode::Char('d') if answer.is_empty() => return Some(false),
            KeyCode::Char('u') => answer.clear(),
            KeyCode::Char('h') => drop(answer.pop()),
            KeyCode::Char('j' | 'm') => return Some(true),
            _ => {}
        }
        return None;
    }
    match key.code {
        KeyCode::Enter => return Some(true),
        KeyCode::Backspace => drop(answer.pop()),
        KeyCode::Char(letter) if answer.len() < ANSWER_MAX => answer.push(letter),
        _ => {}
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[KeyEvent]) -> (String, Option<bool>) {
        let mut answer = String::new();
        let end = keys.iter().find_map(|key| take(&mut answer, *key));
        (answer, end)
    }

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    #[test]
    fn enter_ends_an_answer_and_ctrl_c_gives_it_up() {
        let (a, b, enter) = (key(KeyCode::Char('a')), key(KeyCode::Char('b')), key(KeyCode::Enter));
        let control = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert_eq!(typed(&[a, b, enter]), ("ab".to_owned(), Some(true)));
        assert_eq!(typed(&[a, b, key(KeyCode::Backspace), enter]), ("a".to_owned(), Some(true)));
        assert_eq!(typed(&[a, control('u'), b, enter]), ("b".to_owned(), Some(true)));
        assert_eq!(typed(&[a, control('c'), b]).1, Some(false));
        assert_eq!(typed(&[control('d')]).1, Some(false));
    }
}
