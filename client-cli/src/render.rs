//! The full screen, drawn from the model alone.

mod board;
mod layout;
mod notes;
mod pages;
mod panel;
mod theme;

use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use flagfall_board::{ChipColor, Square};
use flagfall_rules::Ruleset;
use unicode_width::UnicodeWidthStr;

use crate::model::{Link, Model, OpenGame, Page, Prompt};
use crate::{input, plain, text, words};
use layout::{PageLayout, SHORT_HEIGHT};
use theme::Theme;

pub fn render(model: &Model, frame: &mut Frame<'_>) {
    let theme = Theme { color: model.options.color };
    let area = frame.area();
    let [title, body, message, keys] = match page(model, area) {
        Ok(page) => page,
        Err(needed) => return too_small(model, frame, area, needed),
    };

    frame.render_widget(title_line(model, theme, area.width), title);
    match (&model.ui.page, &model.game) {
        (Page::Game, Some(game)) => game_page(model, game, theme, frame, area, body),
        (Page::Game, None) => {}
        (Page::Waiting { headline, lines }, _) => pages::waiting(headline, lines, model, frame, body),
        (Page::Choosing(choices), _) => pages::choosing(choices, frame, body),
        (Page::Terms { lines, .. }, _) => {
            pages::waiting(&text!("screen-challenge"), lines, model, frame, body);
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
    if let Some(help) = model.ui.help {
        pages::help(model, help.first, frame, body);
    }
    frame.render_widget(message_line(model, theme, area), message);
    frame.render_widget(Paragraph::new(key_bar(model, area.width)).style(theme.bar()), keys);
}

/// Returns the square of the board at a position of the terminal. `area` is the terminal's size.
pub fn square_at(model: &Model, area: Rect, column: u16, row: u16) -> Option<Square> {
    let ruleset = board_of(model)?;
    let (place, line) = PageLayout::new(&ruleset.shape, area).ok()?.place_at(column, row)?;
    plain::grid(ruleset, model.bottom()).get(line)?.get(place).copied()
}

/// Returns the ruleset of the board on the page, if the page shows a board.
fn board_of(model: &Model) -> Option<&'static Ruleset> {
    model.game.as_ref().filter(|_| model.ui.page == Page::Game)?.ruleset
}

/// Returns the parts of the page. The error is the size that the page needs.
fn page(model: &Model, area: Rect) -> Result<[Rect; 4], Size> {
    if let Some(ruleset) = board_of(model) {
        PageLayout::new(&ruleset.shape, area)?;
    }
    layout::page(area)
}

fn too_small(model: &Model, frame: &mut Frame<'_>, area: Rect, needed: Size) {
    let text = match &model.ui.prompt {
        Some(Prompt::Leave(consequences)) => {
            text!("screen-leave", consequences, keys = key_bar(model, area.width))
        }
        _ => {
            let (Rect { width, height, .. }, Size { width: board_width, height: board_height }) =
                (area, needed);
            text!("screen-too-small", width, height, board_width, board_height)
        }
    };
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
}

fn game_page(model: &Model, game: &OpenGame, theme: Theme, frame: &mut Frame<'_>, area: Rect, body: Rect) {
    let Some(ruleset) = game.ruleset else {
        let lines = [text!("screen-unknown-ruleset", ruleset = &game.view.ruleset)];
        pages::waiting(&text!("screen-update"), &lines, model, frame, body);
        return;
    };
    if let Ok(layout) = PageLayout::new(&ruleset.shape, area) {
        board::draw(model, game, ruleset, theme, &layout, frame.buffer_mut());
        panel::draw(model, game, ruleset, theme, frame, layout.panel);
    }
}

fn title_line(model: &Model, theme: Theme, width: u16) -> Paragraph<'static> {
    let what = match &model.game {
        Some(game) if model.ui.page == Page::Game => {
            let terms = words::terms_in_short(&game.summary.terms);
            format!(" {}", text!("title-game", terms, game = game.summary.id))
        }
        Some(_) | None => " Flagfall".to_owned(),
    };
    let replay = model.ui.replay.as_ref();
    let replayed = replay.map(|replay| text!("title-record", at = replay.at, last = replay.last));
    let line = replayed.unwrap_or_else(|| match model.connection.link {
        Link::Online if model.game.as_ref().is_some_and(|game| game.superseded) => text!("title-read-only"),
        Link::Online => model.login.player.as_ref().map_or_else(
            || text!("title-online"),
            |player| text!("title-player", player = words::player(player)),
        ),
        Link::Dialing | Link::Greeting if model.connection.was_online => text!("title-reconnecting"),
        Link::Dialing | Link::Greeting => text!("title-connecting"),
        Link::Closed => text!("title-disconnected"),
    });
    let room = usize::from(width).saturating_sub(line.width() + 2);
    let what = words::fit(&words::shorten(&what, room), room);
    Paragraph::new(format!("{what} {line} ")).style(theme.bar())
}

fn message_line(model: &Model, theme: Theme, area: Rect) -> Paragraph<'static> {
    let strong = theme.colored(Color::Yellow).add_modifier(Modifier::BOLD);
    let typed = model.game.as_ref().map(|game| game.typed.as_str()).unwrap_or_default();
    let room = usize::from(area.width).saturating_sub(1);
    let line = match &model.ui.prompt {
        Some(Prompt::Color(_)) => colors(&text!("ask-color"), theme, strong),
        Some(Prompt::Say(typed)) if !typed.is_empty() => Line::styled(said(typed, room), strong),
        Some(prompt) => Line::styled(format!(" {}", words::shorten(&question(prompt), room)), strong),
        None if model.game.as_ref().is_some_and(OpenGame::is_owing_color) => {
            colors(&text!("ask-color-won"), theme, strong)
        }
        None if typed == "d" => Line::styled(format!(" {}", text!("typed-d")), strong),
        None if !typed.is_empty() => Line::styled(format!(" > {typed}_"), strong),
        // The note can be cut here, because the panel shows it in full.
        None => match notes::newest_note(model, has_status(model, area)) {
            Some((_, note)) => Line::raw(format!(" {}", words::shorten(note, room))),
            None => Line::default(),
        },
    };
    Paragraph::new(line)
}

/// True if the panel beside or below the board has room for the last event.
fn has_status(model: &Model, area: Rect) -> bool {
    let layout = board_of(model).and_then(|ruleset| PageLayout::new(&ruleset.shape, area).ok());
    layout.is_some_and(|layout| layout.panel.height >= SHORT_HEIGHT)
}

/// Returns the question of a prompt. The key bar shows the answers.
fn question(prompt: &Prompt) -> String {
    match prompt {
        Prompt::Resign => text!("ask-resign"),
        Prompt::Abort => text!("ask-abort"),
        Prompt::Leave(_) => text!("ask-leave"),
        Prompt::Say(_) => text!("ask-say"),
        Prompt::Challenge(words) => words.clone(),
        Prompt::Claim => text!("ask-claim"),
        Prompt::IllegalMove(squares) => text!("ask-illegal", squares = *squares),
        Prompt::Remove(square) => text!("ask-remove", square = *square),
        Prompt::Color(_) => text!("ask-color"),
        Prompt::Place { square, .. } => text!("ask-place", square = *square),
        Prompt::SaveAs(name) => text!("ask-save", name),
        Prompt::Load { .. } => text!("ask-load"),
    }
}

/// Formats the message that the user is typing. If it is longer than the line, shows its end.
fn said(typed: &str, columns: usize) -> String {
    let line = |message: &str| format!(" {}", text!("ask-said", message));
    let mut shown = typed;
    while let Some(first) = shown.chars().next().filter(|_| line(shown).width() > columns) {
        shown = &shown[first.len_utf8()..];
    }
    line(shown)
}

fn colors(question: &str, theme: Theme, strong: Style) -> Line<'static> {
    let mut spans = vec![Span::styled(format!(" {question} "), strong)];
    for chip in ChipColor::ALL {
        spans.push(Span::styled(
            format!(" {} {} ", chip.letter(), text!("color", color = chip)),
            theme.chip(chip),
        ));
        spans.push(Span::raw(" "));
    }
    Line::from(spans)
}

/// Formats the keys of the current screen, as many as fit. The help lists all of them.
fn key_bar(model: &Model, width: u16) -> String {
    let hints = input::hints(model, false);
    let entry = |hint: &input::KeyHint| format!("  {} {}", hint.keys[0], hint.label);
    let is_help = |hint: &&input::KeyHint| hint.is_help;
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
