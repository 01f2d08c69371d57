//! The full screen, drawn from the model alone.

mod board;
mod pages;
mod panel;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use flagfall_board::{ChipColor, Side};
use flagfall_protocol::Phase;
use unicode_width::UnicodeWidthStr;

use crate::model::{Link, Model, OpenGame, Page, Prompt};
use crate::words;

/// Fewest terminal columns for the narrowest board.
const WIDTH_MIN: u16 = 80;
/// Fewest terminal rows for the lowest board.
const HEIGHT_MIN: u16 = 24;
/// Fewest columns of the panel beside the board.
const PANEL_WIDTH_MIN: u16 = 28;
/// Columns that the panel keeps when the board takes more room.
const PANEL_WIDTH: u16 = 32;

/// Styles that carry the same meaning with and without color.
#[derive(Clone, Copy, Debug)]
struct Theme {
    color: bool,
}

impl Theme {
    fn tile(self, side: Side) -> Style {
        let background = match side {
            Side::Red => Color::Red,
            Side::Blue => Color::Blue,
        };
        if self.color {
            Style::new().fg(Color::White).bg(background).add_modifier(Modifier::BOLD)
        } else {
            Style::new().add_modifier(Modifier::BOLD)
        }
    }

    fn side(self, side: Side) -> Style {
        let color = match side {
            Side::Red => Color::LightRed,
            Side::Blue => Color::LightBlue,
        };
        self.colored(color).add_modifier(Modifier::BOLD)
    }

    fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }

    /// The band of a chip. Its letter means the same without color.
    fn chip(self, chip: ChipColor) -> Style {
        let color = match chip {
            ChipColor::Red => Color::LightRed,
            ChipColor::Yellow => Color::LightYellow,
            ChipColor::Blue => Color::LightBlue,
            ChipColor::Green => Color::LightGreen,
        };
        let style = Style::new().add_modifier(Modifier::BOLD);
        if self.color { style.fg(Color::Black).bg(color) } else { style }
    }

    fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}

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
    let help = Rect { y: area.bottom() - 1, height: 1, ..area };
    let message = Rect { y: area.bottom() - 2, height: 1, ..area };
    let body = Rect { y: area.y + 1, height: area.height - 3, ..area };
    frame.render_widget(title_line(model, theme, area.width), title);
    match (&model.page, &model.game) {
        (Page::Game, Some(game)) => game_page(model, game, theme, frame, body),
        (Page::Game, None) => {}
        (Page::Waiting { headline, lines }, _) => pages::waiting(headline, lines, model, frame, body),
        (Page::Choosing(choices), _) => pages::choosing(choices, frame, body),
        (Page::Terms { lines, .. }, _) => {
            pages::waiting("A challenge", lines, model, frame, body);
        }
    }
    match &model.prompt {
        Some(Prompt::Load { entries, cursor }) => pages::saved(entries, *cursor, frame, body),
        Some(Prompt::Place { kinds, cursor, .. }) => {
            pages::reserve(kinds, *cursor, model.options.numbering, frame, body);
        }
        Some(_) | None => {}
    }
    if model.is_help {
        let ruleset = model.game.as_ref().and_then(|game| game.ruleset);
        pages::help(ruleset, frame, body);
    }
    frame.render_widget(message_line(model, theme, area.width), message);
    frame.render_widget(Paragraph::new(help_text(model)).style(theme.bar()), help);
}

/// The terminal size that the page needs. The board decides.
fn needed(model: &Model) -> (u16, u16) {
    let shape = model.game.as_ref().filter(|_| model.page == Page::Game).and_then(|game| game.ruleset);
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
    if let Some(Prompt::Leave(consequences)) = &model.prompt {
        let text = format!("Leave the running game? {consequences} y leaves, any other key stays.");
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
        Some(game) if model.page == Page::Game => {
            format!(" Flagfall  {}  game {}", words::terms_in_short(&game.summary.terms), game.summary.id)
        }
        Some(_) | None => " Flagfall".to_owned(),
    };
    let line = match &model.link {
        _ if model.replay.is_some() => model
            .replay
            .as_ref()
            .map(|replay| format!("record, {} of {}", replay.at(), replay.last()))
            .unwrap_or_default(),
        Link::Online if model.game.as_ref().is_some_and(|game| game.superseded) => "READ-ONLY".to_owned(),
        Link::Online => model
            .player
            .as_ref()
            .map_or_else(|| "online".to_owned(), |player| format!("{}, online", words::player(player))),
        Link::Dialing { .. } | Link::Greeting { .. } if model.was_online => "RECONNECTING".to_owned(),
        Link::Dialing { .. } | Link::Greeting { .. } => "connecting".to_owned(),
        Link::Closed { .. } => "DISCONNECTED".to_owned(),
    };
    let room = usize::from(width).saturating_sub(line.chars().count() + 1);
    let what: String = what.chars().take(room.saturating_sub(1)).collect();
    Paragraph::new(format!("{what:<room$}{line} ")).style(theme.bar())
}

/// True if a note fits into the line below the board.
fn is_fitting(note: &str, width: u16) -> bool {
    note.width() < usize::from(width)
}

/// The newest note for the line below the board, and how many are newer.
///
/// Skips the last move, which the panel shows: against a quick opponent, the player wants to read
/// the result of their own move first.
fn newest_note(model: &Model) -> Option<(usize, &str)> {
    let is_live = model.page == Page::Game && model.replay.is_none();
    let last = model.game.as_ref().filter(|_| is_live).and_then(|game| game.view.last_move.as_ref());
    let last = last.map(words::moved);
    let mut notes = model.notes.iter().rev().map(String::as_str).enumerate();
    let newest = notes.next()?;
    let is_last_move = last.as_deref() == Some(newest.1);
    Some(if is_last_move { notes.next().unwrap_or(newest) } else { newest })
}

fn message_line(model: &Model, theme: Theme, width: u16) -> Paragraph<'static> {
    let strong = theme.colored(Color::Yellow).add_modifier(Modifier::BOLD);
    let typed = model.game.as_ref().map(|game| game.typed.as_str()).unwrap_or_default();
    let line = match &model.prompt {
        Some(Prompt::Resign) => Line::styled(" Really resign? y resigns, any other key goes on.", strong),
        Some(Prompt::Abort) => {
            Line::styled(" Call the game off? y calls it off, any other key goes on.", strong)
        }
        Some(Prompt::Leave(_)) => {
            Line::styled(" Leave the running game? y leaves, any other key stays.", strong)
        }
        Some(Prompt::Say(typed)) if typed.is_empty() => Line::styled(
            " Say: _   (1 Hello! 2 Good luck! 3 Well played! 4 Thank you! 7 Good game! /mute /report WHY)",
            strong,
        ),
        Some(Prompt::Say(typed)) => Line::styled(said(typed, width), strong),
        Some(Prompt::Challenge(words)) => {
            let question = " y accepts, n declines, any other key: later";
            Line::styled(shortened(words, question, width), strong)
        }
        Some(Prompt::Claim) => {
            Line::styled(" Claim the game? w a win, d a draw, any other key waits on.", strong)
        }
        Some(Prompt::IllegalMove(squares)) => Line::styled(
            format!(" {squares} is illegal and loses the game. y sends it, any other key takes it back."),
            strong,
        ),
        Some(Prompt::Remove(square)) => Line::styled(
            format!(" Take your piece off {square} into the reserve? y does, any other key leaves it."),
            strong,
        ),
        Some(Prompt::Color(_)) => colors("The color of the chip?", " Esc: back", theme, strong),
        Some(Prompt::Place { square, .. }) => Line::styled(
            format!(" Which piece for {square}? Up, down or its figure choose, Enter places, Esc: back"),
            strong,
        ),
        Some(Prompt::SaveAs(name)) => {
            Line::styled(format!(" Save under which name? {name}_   (Enter saves, Esc does not)"), strong)
        }
        Some(Prompt::Load { .. }) => Line::styled(" Up and down choose, Enter loads, Esc does not.", strong),
        None if model.game.as_ref().is_some_and(OpenGame::is_owing_color) => {
            colors("Your piece won: the color of its chip?", "", theme, strong)
        }
        None if typed == "d" => {
            Line::styled(" > d_   Enter offers (or accepts) a draw; for a move type on, as in d4d5", strong)
        }
        None if !typed.is_empty() => {
            Line::styled(format!(" > {typed}_   (Enter plays it, Esc forgets it)"), strong)
        }
        None => Line::from(Span::raw(match newest_note(model) {
            Some((_, note)) if is_fitting(note, width) => format!(" {note}"),
            // The panel has the whole text.
            Some((_, note)) => {
                format!(" {}…", note.chars().take(usize::from(width).saturating_sub(2)).collect::<String>())
            }
            None => String::new(),
        })),
    };
    Paragraph::new(line)
}

/// A text with a question after it. Shortens a text that is too long for the line.
fn shortened(words: &str, question: &str, width: u16) -> String {
    let room = usize::from(width).saturating_sub(question.chars().count() + 2);
    if words.chars().count() <= room {
        return format!(" {words}{question}");
    }
    let words: String = words.chars().take(room.saturating_sub(1)).collect();
    format!(" {words}…{question}")
}

/// The message that is being typed. Shows its end if it is longer than the line.
fn said(typed: &str, width: u16) -> String {
    let room = usize::from(width).saturating_sub(8);
    let surplus = typed.chars().count().saturating_sub(room);
    format!(" Say: {}_", typed.chars().skip(surplus).collect::<String>())
}

/// The colors to choose from.
fn colors(question: &str, way_back: &'static str, theme: Theme, strong: Style) -> Line<'static> {
    let mut spans = vec![Span::styled(format!(" {question} "), strong)];
    for chip in ChipColor::ALL {
        spans.push(Span::styled(format!(" {} {} ", chip.letter(), chip.name()), theme.chip(chip)));
        spans.push(Span::raw(" "));
    }
    spans.push(Span::styled(way_back, strong));
    Line::from(spans)
}

fn help_text(model: &Model) -> String {
    let Some(game) = model.game.as_ref().filter(|_| model.page == Page::Game) else {
        return match &model.page {
            Page::Choosing(_) => " up/down choose  Enter takes  q leave  ? help".to_owned(),
            Page::Terms { .. } => " y accept  q leave".to_owned(),
            Page::Waiting { .. } | Page::Game => " q leave  ? help".to_owned(),
        };
    };
    if model.replay.is_some() {
        return " right/left step  down/up ten  Home End  t turn  n numbers  q leave  ? help".to_owned();
    }
    let text = match game.view.phase {
        Phase::Deploying if game.editor.is_some() => {
            " space pick/swap  r random  s suggested  w save  l load  Enter hand in  ? help"
        }
        Phase::Playing if game.is_acting() && game.view.reserve.is_some() => {
            " arrows+Enter or a4a5  + place  - take off  d draw  R resign  q leave  ? help"
        }
        Phase::Playing if game.is_acting() => {
            " arrows+Enter or type a4a5  d draw  R resign  A abort  t turn  q leave  ? help"
        }
        Phase::Over if game.own_side().is_some() => {
            " m rematch  G next game  t turn  n numbers  q leave  ? help"
        }
        Phase::Deploying | Phase::Playing | Phase::Over => " t turn the board  n numbers  q leave  ? help",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests;
