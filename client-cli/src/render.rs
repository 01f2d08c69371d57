//! The full screen, drawn from the model alone.

mod board;
mod notes;
mod pages;
mod panel;
mod theme;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use flagfall_board::{ChipColor, Square};
use unicode_width::UnicodeWidthStr;

use crate::model::{Link, Model, OpenGame, Page, Prompt};
use crate::{input, plain, words};
use theme::Theme;

/// Fewest terminal columns for the narrowest board.
const WIDTH_MIN: u16 = 80;
/// Fewest terminal rows for the lowest board.
const HEIGHT_MIN: u16 = 24;
/// Fewest columns of the panel beside the board.
const PANEL_WIDTH_MIN: u16 = 28;
/// Columns that the panel keeps when the board takes more room.
const PANEL_WIDTH: u16 = 32;

/// Draws the model.
pub fn render(model: &Model, frame: &mut Frame<'_>) {
    let theme = Theme { color: model.options.color };
    let area = frame.area();
    let (width, height) = needed(model);
    if area.width < width || area.height < height {
        too_small(model, frame, area, width, height);
        return;
    }
    let title = Rect { height: 1, ..area };
    let bar = Rect { y: area.bottom() - 1, height: 1, ..area };
    let message = Rect { y: area.bottom() - 2, height: 1, ..area };
    let body = Rect { y: area.y + 1, height: area.height - 3, ..area };
    frame.render_widget(title_line(model, theme, area.width), title);
    match (&model.ui.page, &model.game) {
        (Page::Game, Some(game)) => game_page(model, game, theme, frame, body),
        (Page::Game, None) => {}
        (Page::Waiting { headline, lines }, _) => pages::waiting(headline, lines, model, frame, body),
        (Page::Choosing(choices), _) => pages::choosing(choices, frame, body),
        (Page::Terms { lines, .. }, _) => {
            pages::waiting("A challenge", lines, model, frame, body);
        }
    }
    match &model.ui.prompt {
        Some(Prompt::Load { entries, cursor }) => pages::saved(entries, *cursor, frame, body),
        Some(Prompt::Place { kinds, cursor, .. }) => {
            pages::reserve(kinds, *cursor, model.options.numbering, frame, body);
        }
        Some(_) | None => {}
    }
    if let Some(newer) = model.ui.history.filter(|_| model.ui.prompt.is_none()) {
        pages::history(model, newer, frame, body);
    }
    if model.ui.is_help {
        pages::help(model, frame, body);
    }
    frame.render_widget(message_line(model, theme, area.width), message);
    frame.render_widget(Paragraph::new(key_bar(model, area.width)).style(theme.bar()), bar);
}

/// The square of the board at this place of a terminal of this size.
#[must_use]
pub fn square_at(model: &Model, area: Rect, column: u16, row: u16) -> Option<Square> {
    let (width, height) = needed(model);
    let is_drawn = model.ui.page == Page::Game && area.width >= width && area.height >= height;
    let ruleset = model.game.as_ref().filter(|_| is_drawn)?.ruleset?;
    let shape = ruleset.shape;
    let layout = board::Layout::new(&shape, area.width, PANEL_WIDTH);
    let (place, line) = layout.place_of(column.checked_sub(area.x)?, row.checked_sub(area.y + 1)?)?;
    plain::grid(ruleset, model.bottom()).get(line)?.get(place).copied()
}

/// The terminal size that the page needs. The board decides.
fn needed(model: &Model) -> (u16, u16) {
    let shape = model.game.as_ref().filter(|_| model.ui.page == Page::Game).and_then(|game| game.ruleset);
    match shape.map(|ruleset| ruleset.shape) {
        Some(shape) => {
            let layout = board::Layout::narrowest(&shape);
            let width = layout.width() + 1 + PANEL_WIDTH_MIN;
            let height = layout.height() + 3;
            (width.max(WIDTH_MIN), height.max(HEIGHT_MIN))
        }
        None => (40, 10),
    }
}

fn too_small(model: &Model, frame: &mut Frame<'_>, area: Rect, width: u16, height: u16) {
    if let Some(Prompt::Leave(consequences)) = &model.ui.prompt {
        let text = format!("Leave the running game? {consequences}{}", key_bar(model, area.width));
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let text = format!(
        "This terminal is {}x{}. The board needs {width}x{height}: make the window larger or the letters smaller. \
         q leaves; flagfall --plain needs no room.",
        area.width, area.height
    );
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
}

fn game_page(model: &Model, game: &OpenGame, theme: Theme, frame: &mut Frame<'_>, body: Rect) {
    let Some(ruleset) = game.ruleset else {
        let lines = [format!("This client does not know the ruleset {}.", game.view.ruleset)];
        pages::waiting("Update flagfall to see this game", &lines, model, frame, body);
        return;
    };
    let layout = board::Layout::new(&ruleset.shape, body.width, PANEL_WIDTH);
    let width = layout.width();
    let height = layout.height().min(body.height);
    let board_area = Rect { width, height, ..body };
    let panel_area = Rect { x: body.x + width + 1, width: body.width - width - 1, ..body };
    board::draw(model, game, ruleset, theme, layout, frame.buffer_mut(), board_area);
    panel::draw(model, game, ruleset, theme, frame, panel_area);
}

fn title_line(model: &Model, theme: Theme, width: u16) -> Paragraph<'static> {
    let what = match &model.game {
        Some(game) if model.ui.page == Page::Game => {
            format!(" Flagfall  {}  game {}", words::terms_in_short(&game.summary.terms), game.summary.id)
        }
        Some(_) | None => " Flagfall".to_owned(),
    };
    let line = match &model.connection.link {
        _ if model.ui.replay.is_some() => model
            .ui
            .replay
            .as_ref()
            .map(|replay| format!("record, {} of {}", replay.at(), replay.last()))
            .unwrap_or_default(),
        Link::Online if model.game.as_ref().is_some_and(|game| game.superseded) => "READ-ONLY".to_owned(),
        Link::Online => model
            .login
            .player
            .as_ref()
            .map_or_else(|| "online".to_owned(), |player| format!("{}, online", words::player(player))),
        Link::Dialing { .. } | Link::Greeting { .. } if model.connection.was_online => {
            "RECONNECTING".to_owned()
        }
        Link::Dialing { .. } | Link::Greeting { .. } => "connecting".to_owned(),
        Link::Closed { .. } => "DISCONNECTED".to_owned(),
    };
    let room = usize::from(width).saturating_sub(line.width() + 1);
    let what = words::fit(&what, room.saturating_sub(1));
    Paragraph::new(format!("{what} {line} ")).style(theme.bar())
}

fn message_line(model: &Model, theme: Theme, width: u16) -> Paragraph<'static> {
    let strong = theme.colored(Color::Yellow).add_modifier(Modifier::BOLD);
    let typed = model.game.as_ref().map(|game| game.typed.as_str()).unwrap_or_default();
    let room = usize::from(width).saturating_sub(1);
    let line = match &model.ui.prompt {
        Some(Prompt::Color(_)) => colors("The color of the chip?", theme, strong),
        Some(Prompt::Say(typed)) if !typed.is_empty() => Line::styled(said(typed, room), strong),
        Some(prompt) => Line::styled(format!(" {}", words::shorten(&question(prompt), room)), strong),
        None if model.game.as_ref().is_some_and(OpenGame::is_owing_color) => {
            colors("Your piece won: the color of its chip?", theme, strong)
        }
        None if typed == "d" => Line::styled(" > d_   or type on for a move, as in d4d5", strong),
        None if !typed.is_empty() => Line::styled(format!(" > {typed}_"), strong),
        // The panel has the whole text.
        None => match notes::newest_note(model) {
            Some((_, note)) => Line::raw(format!(" {}", words::shorten(note, room))),
            None => Line::default(),
        },
    };
    Paragraph::new(line)
}

/// What a prompt asks. The key bar shows the answers.
fn question(prompt: &Prompt) -> String {
    match prompt {
        Prompt::Resign => "Really resign?".to_owned(),
        Prompt::Abort => "Call the game off?".to_owned(),
        Prompt::Leave(_) => "Leave the running game?".to_owned(),
        Prompt::Say(_) => {
            "Say: _   (1 Hello! 2 Good luck! 3 Well played! 4 Thank you! 7 Good game! /mute /report WHY)"
                .to_owned()
        }
        Prompt::Challenge(words) => words.clone(),
        Prompt::Claim => "Claim the game that your opponent left, as a win or as a draw?".to_owned(),
        Prompt::IllegalMove(squares) => format!("{squares} is illegal and loses the game. Send it?"),
        Prompt::Remove(square) => format!("Take your piece off {square} into the reserve?"),
        Prompt::Color(_) => "The color of the chip?".to_owned(),
        Prompt::Place { square, .. } => format!("Which piece for {square}?"),
        Prompt::SaveAs(name) => format!("Save under which name? {name}_"),
        Prompt::Load { .. } => "Which deployment?".to_owned(),
    }
}

/// The message that is being typed. Shows its end if it is longer than the line.
fn said(typed: &str, columns: usize) -> String {
    let mut shown = typed;
    while shown.width() + " Say: _".len() > columns {
        let mut letters = shown.chars();
        letters.next();
        shown = letters.as_str();
    }
    format!(" Say: {shown}_")
}

/// The colors to choose from.
fn colors(question: &str, theme: Theme, strong: Style) -> Line<'static> {
    let mut spans = vec![Span::styled(format!(" {question} "), strong)];
    for chip in ChipColor::ALL {
        spans.push(Span::styled(format!(" {} {} ", chip.letter(), chip.name()), theme.chip(chip)));
        spans.push(Span::raw(" "));
    }
    Line::from(spans)
}

/// The keys of the current screen, as many as fit. The help has all of them.
fn key_bar(model: &Model, width: u16) -> String {
    let hints = input::hints(model, false);
    let entry = |hint: &input::KeyHint| format!("  {} {}", hint.keys[0], hint.label);
    let is_help = |hint: &&input::KeyHint| hint.label == "help";
    let help = hints.iter().find(is_help).map(entry).unwrap_or_default();
    let mut room = (usize::from(width) + 1).saturating_sub(help.width());
    let mut bar = String::new();
    for hint in hints.iter().filter(|hint| !hint.label.is_empty() && !is_help(hint)) {
        let entry = entry(hint);
        if entry.width() <= room {
            room -= entry.width();
            bar.push_str(&entry);
        }
    }
    bar.push_str(&help);
    bar.split_off(1)
}

#[cfg(test)]
mod tests;
