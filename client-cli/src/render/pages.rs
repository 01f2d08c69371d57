//! Pages without a board, and windows on top of pages.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, List, ListItem, ListState, Paragraph, Wrap};

use flagfall_board::{Numbering, Rank};
use flagfall_rules::Start;
use unicode_width::UnicodeWidthStr;

use super::notes;
use crate::model::{Choices, Model, Page};
use crate::{input, status, text, words};

pub(super) fn waiting(headline: &str, lines: &[String], model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let mut text = vec![Line::raw(""), Line::raw(format!(" {headline}")).bold(), Line::raw("")];
    text.extend(lines.iter().map(|line| Line::raw(format!(" {line}"))));
    text.push(Line::raw(""));
    if let Some(pool) = status::pool_wait(model) {
        text.extend([Line::raw(format!(" {pool}")).bold(), Line::raw("")]);
    }
    // The newest note gets its own line below the page, if it fits.
    let room = usize::from(area.height).saturating_sub(text.len());
    let is_below = model.notes.last().is_some_and(|note| notes::is_fitting(note, area.width));
    let notes = model.notes.len().saturating_sub(usize::from(is_below));
    let shown = model.notes.iter().take(notes).skip(notes.saturating_sub(room));
    text.extend(shown.map(|note| Line::raw(format!(" {note}")).dim()));
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }), area);
}

pub(super) fn choosing(choices: &Choices, frame: &mut Frame<'_>, area: Rect) {
    let title = Rect { y: area.y + 1, height: 1, ..area };
    frame.render_widget(Paragraph::new(Line::raw(format!(" {}", choices.title)).bold()), title);
    let list_area = Rect { y: area.y + 3, height: area.height.saturating_sub(3), ..area };
    list(choices.entries.iter().map(|(entry, _)| entry.as_str()), choices.cursor, frame, list_area);
}

fn list<'a>(entries: impl Iterator<Item = &'a str>, cursor: usize, frame: &mut Frame<'_>, area: Rect) {
    // The cursor takes up two columns.
    let width = usize::from(area.width.saturating_sub(2));
    let items = entries.map(|entry| ListItem::new(words::wrap(entry, width).join("\n")));
    let widget = List::new(items).highlight_symbol("> ").highlight_style(Style::new().reversed());
    let mut state = ListState::default().with_selected(Some(cursor));
    frame.render_stateful_widget(widget, area, &mut state);
}

/// Draws a window in the middle of the area. Returns the area inside it.
fn window(frame: &mut Frame<'_>, area: Rect, title: &str, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let rect =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    let block = Block::bordered().title(format!(" {title} "));
    let inner = block.inner(rect);
    frame.render_widget(Clear, rect);
    frame.render_widget(block, rect);
    inner
}

fn list_window(
    title: &str,
    width: u16,
    entries: &[String],
    cursor: usize,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let inner = window(frame, area, title, width, (entries.len() as u16).saturating_add(2));
    list(entries.iter().map(String::as_str), cursor, frame, inner);
}

pub(super) fn saved(entries: &[(String, String)], cursor: usize, frame: &mut Frame<'_>, area: Rect) {
    let names: Vec<String> = entries.iter().map(|(name, _)| name.clone()).collect();
    list_window(&text!("saved-title"), 40, &names, cursor, frame, area);
}

pub(super) fn reserve(
    kinds: &[(Rank, bool, u8)],
    cursor: usize,
    numbering: Numbering,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let entry = |(rank, is_labeled, count): &(Rank, bool, u8)| {
        let labeled = if *is_labeled { text!("reserve-labeled") } else { String::new() };
        let (figure, name) = (rank.figure(numbering), text!("rank", rank = *rank));
        format!("{figure:>2}  {name:<10} x{count} {labeled}").trim_end().to_owned()
    };
    let entries: Vec<String> = kinds.iter().map(entry).collect();
    list_window(&text!("window-reserve"), 34, &entries, cursor, frame, area);
}

/// Draws the help: the marks on the board, and all keys of the current screen. If the help does
/// not fit, the first visible line is `first`.
pub(super) fn help(model: &Model, first: usize, frame: &mut Frame<'_>, area: Rect) {
    let ruleset = model.game.as_ref().filter(|_| model.ui.page == Page::Game).and_then(|game| game.ruleset);
    let marks = ruleset.map_or_else(String::new, |ruleset| match ruleset {
        ruleset if ruleset.reserve => text!("marks-reserve"),
        ruleset if ruleset.start == Start::Coins => text!("marks-coins"),
        _ => text!("marks"),
    });
    let entries = keys(model);
    let mut text: Vec<Line<'_>> = Vec::new();
    if usize::from(area.width) < HELP_WIDTH + 2 {
        // Put the keys first, because there may not be room for the marks.
        text.extend(entries.into_iter().map(Line::raw));
        text.push(Line::raw(""));
        let width = usize::from(area.width).saturating_sub(3);
        let marks = marks.lines().flat_map(|mark| words::wrap(mark.trim_start(), width));
        text.extend(marks.map(|mark| Line::raw(format!(" {mark}"))));
    } else {
        text.extend(marks.lines().map(|mark| Line::raw(format!(" {mark}"))));
        if !text.is_empty() {
            text.push(Line::raw(""));
        }
        let room = usize::from(area.height).saturating_sub(text.len() + 2);
        if entries.len() <= room {
            text.extend(entries.into_iter().map(Line::raw));
        } else {
            let half = entries.len().div_ceil(2);
            for (at, left) in entries.iter().take(half).enumerate() {
                let right = entries.get(half + at).map(String::as_str).unwrap_or_default();
                text.push(Line::raw(words::fit(left, HELP_WIDTH / 2) + right));
            }
        }
    }
    let height = text.len() as u16 + 2;
    let title = if height > area.height {
        text.drain(..first.min(text.len()));
        text!("window-help-scrolls")
    } else {
        text!("window-help")
    };
    let inner = window(frame, area, &title, HELP_WIDTH as u16 + 2, height);
    frame.render_widget(Paragraph::new(text), inner);
}

/// Draws the history of notes without the newest `newer` ones.
pub(super) fn history(model: &Model, newer: usize, frame: &mut Frame<'_>, area: Rect) {
    let inner = window(frame, area, &text!("window-history"), HELP_WIDTH as u16 + 2, area.height);
    let rows = usize::from(inner.height);
    let width = usize::from(inner.width).saturating_sub(1);
    let newest_first = model.notes.iter().rev().skip(newer);
    let newest_first = newest_first.flat_map(|note| words::wrap(note, width).into_iter().rev());
    let mut lines: Vec<_> = newest_first.take(rows).map(|text| Line::raw(format!(" {text}"))).collect();
    lines.reverse();
    frame.render_widget(Paragraph::new(lines), inner);
}

const HELP_WIDTH: usize = 72;

/// Returns an entry for each key of the current screen.
fn keys(model: &Model) -> Vec<String> {
    let hints = input::hints(model, true);
    let names: Vec<String> = hints.iter().map(|hint| hint.keys.join(" ")).collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or_default();
    names
        .iter()
        .zip(&hints)
        .map(|(name, hint)| format!(" {} {}", words::fit(name, width), hint.help))
        .collect()
}
