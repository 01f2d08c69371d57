//! The panel beside the board: players, clocks, turn, losses and notes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use flagfall_board::{Numbering, PerSide, Rank, Side, Stamp};
use flagfall_protocol::{Phase, Presence, SeenReserve};
use flagfall_rules::{Ruleset, Start};
use unicode_width::UnicodeWidthStr;

use super::layout::{PANEL_WIDTH, SHORT_HEIGHT};
use super::notes;
use super::theme::Theme;
use crate::deployments::editor::DeployEditor;
use crate::input::Action;
use crate::model::{Link, Model, OpenGame, Prompt};
use crate::{input, status, targets, text, words};

pub(super) fn draw(
    model: &Model,
    game: &OpenGame,
    ruleset: &Ruleset,
    theme: Theme,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let width = usize::from(area.width);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for side in [model.bottom().opponent(), model.bottom()] {
        lines.extend(player(model, game, side, theme, width));
    }
    let bold = theme.colored(Color::Yellow).add_modifier(Modifier::BOLD);
    let told = std::iter::once(headline(model, game)).chain(notices(model, game));
    let told = told.flat_map(|text| words::wrap(&text, width));
    let mut status: Vec<Line<'static>> = told.map(|text| Line::styled(text, bold)).collect();
    if game.view.phase == Phase::Deploying {
        lines.push(Line::raw(""));
        lines.extend(status);
        if let Some(editor) = &game.editor {
            deploying(model, editor, width, &mut lines);
        }
    } else {
        happened(model, game, width, &mut status);
        let layout = Rows::of(ruleset, area);
        put_status(status, &status::square(model, game, game.cursor), &layout, width, &mut lines);
        if !is_narrow(width) {
            losses(model, game, ruleset, theme, layout.is_table, &mut lines);
        }
    }
    let room = usize::from(area.height).saturating_sub(lines.len() + 1);
    let shown = notes::newest_note(model, area.height >= SHORT_HEIGHT);
    let shown =
        shown.map_or(0, |(newer, note)| newer + usize::from(notes::is_fitting(note, frame.area().width)));
    log(model, width, room, shown, &mut lines);
    frame.render_widget(Paragraph::new(lines), area);
}

/// The number of rows of each part of the panel during a game.
///
/// The numbers depend only on the terminal and the ruleset, so that the parts do not move when a
/// strike or a notice takes up more lines.
struct Rows {
    /// Rows between the players and the losses: turn, notices, last event.
    status: usize,
    /// True if each rank has its own line in the losses. Otherwise two ranks share a line.
    is_table: bool,
}

impl Rows {
    const HEADS: usize = 2;

    fn of(ruleset: &Ruleset, area: Rect) -> Rows {
        let is_narrow = is_narrow(usize::from(area.width));
        let height = usize::from(area.height).saturating_sub(if is_narrow { 4 } else { 2 });
        if is_narrow {
            return Rows { status: height, is_table: false };
        }
        let ranks = ruleset.army.iter().count();
        // Games with coins need more rows, because describing a pending strike takes more words
        // than describing a finished one.
        let (least, most) = if ruleset.start == Start::Coins { (9, 12) } else { (5, 8) };
        let is_wide = !ruleset.reserve || usize::from(area.width) >= TABLE_WIDTH;
        let table = Rows::HEADS + ranks;
        let is_table = is_wide && height >= table + least;
        let losses = if is_table { table } else { 1 + ranks.div_ceil(2) };
        Rows { status: height.saturating_sub(losses).min(most), is_table }
    }
}

/// True if the panel is too narrow for the losses and for a player's name and clock in one row.
fn is_narrow(width: usize) -> bool {
    width < usize::from(PANEL_WIDTH)
}

/// Fits the status to its rows: pads it, or cuts it and adds an ellipsis.
///
/// The last rows describe the square under the cursor, if these rows are free.
fn put_status(
    mut status: Vec<Line<'static>>,
    under_cursor: &str,
    layout: &Rows,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let room = layout.status;
    // Insert a blank line above the status, if there is room.
    if status.len() < room {
        status.insert(0, Line::raw(""));
    }
    if status.len() > room {
        status.truncate(room);
        if let Some(last) = status.last_mut() {
            let (text, style) =
                (last.to_string(), last.spans.first().map(|span| span.style).unwrap_or_default());
            let text = words::fit(&text, width.saturating_sub(1));
            *last = Line::styled(format!("{}…", text.trim_end()), style.patch(last.style));
        }
    }
    let free = room - status.len();
    let mut under = words::wrap(under_cursor, width);
    if under.len() > free {
        under = vec![words::shorten(under_cursor, width)];
    }
    if under.len() <= free {
        status.resize(room - under.len(), Line::raw(""));
        status.extend(under.into_iter().map(Line::raw));
    }
    lines.extend(status);
}

/// Adds lines about the last event on the board, and about the reserve if there is one.
fn happened(model: &Model, game: &OpenGame, width: usize, lines: &mut Vec<Line<'static>>) {
    lines.extend(status::happened(&game.view).iter().flat_map(|text| wrapped(text, width)));
    if let Some(reserves) = &game.view.reserve {
        reserve(reserves, model.options.numbering, width, lines);
    }
}

fn wrapped(text: &str, width: usize) -> impl Iterator<Item = Line<'static>> {
    words::wrap(text, width).into_iter().map(Line::raw)
}

fn player(model: &Model, game: &OpenGame, side: Side, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let is_turn = game.view.is_to_act(side);
    let own = if game.own_side() == Some(side) { text!("panel-you") } else { String::new() };
    let is_here = game.presence[side] == Presence::Present;
    let presence = if is_here { String::new() } else { status::presence(game, side) };
    let right = match (game.view.phase, game.remaining_ms(side, model.server_now())) {
        (Phase::Deploying, _) if game.view.ready[side] => text!("panel-ready"),
        (Phase::Deploying, _) => text!("panel-deploying"),
        _ if model.ui.replay.is_some() => String::new(),
        (_, Some(ms)) => match game.free_ms(side, model.server_now()) {
            // Show the free seconds before the clock, because they run out first.
            Some(free) => format!("+{} {}", free.div_ceil(1000), words::clock(ms)),
            None => words::clock(ms),
        },
        (_, None) => String::new(),
    };
    let arrow = if is_turn { ">" } else { " " };
    let label = arrow.to_owned() + &words::fit(&text!("side", side), words::side_width() + 1);
    let beside = if is_narrow(width) { 0 } else { right.width() + 1 };
    let room = width.saturating_sub(label.width() + beside);
    // Cut a long name, but not the information after the name.
    let rating = game.ratings[side].map(words::rating).unwrap_or_default();
    let told: String = [rating, own, presence]
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!(" {part}"))
        .collect();
    let short = words::fit(&words::player(&game.summary.players[side]), room.saturating_sub(told.width()));
    let name = words::fit(&format!("{}{told}", short.trim_end()), room);
    let is_low = game.is_low_on_time(side, model.server_now()) && model.ui.replay.is_none();
    let clock_style = if is_low { theme.colored(Color::LightRed) } else { Style::new() };
    let clock_style = if is_turn || is_low { clock_style.add_modifier(Modifier::BOLD) } else { clock_style };
    let mut who = Line::from(vec![Span::styled(label, theme.side(side)), Span::raw(name)]);
    if is_narrow(width) {
        return vec![who, Line::styled(format!("{right:>width$}"), clock_style)];
    }
    who.extend([Span::raw(" "), Span::styled(right, clock_style)]);
    vec![who]
}

fn headline(model: &Model, game: &OpenGame) -> String {
    let view = &game.view;
    match view.phase {
        Phase::Over => view.outcome.as_ref().map(words::outcome).unwrap_or_default(),
        Phase::Playing if game.is_choosing() => text!("panel-choice", ply = view.ply),
        Phase::Playing if view.pending_strike.is_some() => text!("panel-strike", ply = view.ply),
        Phase::Playing => match view.turn {
            Some(side) if game.own_side() == Some(side) => text!("panel-own-turn", ply = view.ply),
            Some(side) => text!("panel-turn", side, ply = view.ply),
            None => text!("status-ply", ply = view.ply),
        },
        Phase::Deploying => {
            let left = |at: Stamp| words::clock(at.0.saturating_sub(model.server_now()));
            let left = view.deploy_deadline.map_or_else(|| "none".to_owned(), left);
            match &game.editor {
                Some(editor) if editor.is_handed_in() => text!("panel-deployed", left),
                Some(_) => text!("panel-deploy", left),
                None => text!("panel-both-deploy", left),
            }
        }
    }
}

fn notices(model: &Model, game: &OpenGame) -> Vec<String> {
    let view = &game.view;
    let mut notices = Vec::new();
    if let Some(Prompt::Leave(consequences)) = &model.ui.prompt {
        // The answer to the question depends on these consequences, so they come first.
        notices.push(consequences.clone());
    }
    if model.connection.link != Link::Online && model.ui.replay.is_none() {
        notices.push(text!("panel-offline"));
    }
    if game.superseded || (game.own_side().is_some() && !game.driving) {
        notices.push(text!("panel-read-only"));
    }
    if game.unavailable {
        notices.push(text!("panel-unavailable"));
    }
    if view.paused {
        notices.push(text!("panel-paused"));
    }
    notices.extend(status::claim(model));
    notices.extend(words::owed(view));
    notices.extend(words::choice(view));
    if game.is_choosing() {
        notices.push(text!("panel-choose"));
    }
    match view.draw_offer {
        Some(side) if game.own_side() == Some(side) => notices.push(text!("draw-offered-own")),
        Some(side) if game.own_side().is_some() => {
            notices.push(text!("panel-draw", side, keys = input::answers_to_draw()));
        }
        Some(side) => notices.push(text!("event-draw-offered", side)),
        None => {}
    }
    if let Some(plies) = view.plies_to_limit {
        notices.push(text!("panel-quiet", plies));
    }
    if let Some(own) = game.own_side().filter(|_| view.phase == Phase::Over) {
        let is_asked = game.rematch.contains(&own.opponent());
        let key = input::key_for(Action::Rematch);
        notices.push(if is_asked { text!("panel-rematch-answer", key) } else { text!("panel-rematch", key) });
    }
    notices
}

/// Adds the size of each side's reserve, and its face-up pieces.
fn reserve(
    reserves: &PerSide<SeenReserve>,
    numbering: Numbering,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let (red, blue) = (reserves.red.size, reserves.blue.size);
    lines.push(Line::raw(text!("panel-reserves", red, blue)));
    for side in Side::BOTH {
        let labeled = reserves[side].labeled.iter().rev();
        let labeled: Vec<_> = labeled.map(|(rank, count)| figures(rank, count, numbering)).collect();
        if !labeled.is_empty() {
            let text = text!("panel-labeled", side, pieces = labeled.join(" "));
            lines.extend(wrapped(&text, width));
        }
    }
}

/// Formats the number of pieces of one rank: `9` for one Scout, `3x9` for three.
fn figures(rank: Rank, count: u8, numbering: Numbering) -> String {
    let figure = rank.figure(numbering);
    if count == 1 { figure.to_owned() } else { format!("{count}x{figure}") }
}

/// A rank, the number of pieces lost, and the number remaining.
type Losses = (Rank, u8, u8);

/// Minimum number of columns for the table of losses and reserve.
const TABLE_WIDTH: usize = 32;

/// Adds each side's losses, as a table or, in a narrow panel, with two ranks per line.
///
/// Without a reserve, also shows the pieces that each side still has, or the ranks that its coins
/// can still become. With a reserve, also shows the pieces in the player's own reserve.
fn losses(
    model: &Model,
    game: &OpenGame,
    ruleset: &Ruleset,
    theme: Theme,
    is_table: bool,
    lines: &mut Vec<Line<'static>>,
) {
    let number = |count: u8| if count == 0 { "-".to_owned() } else { count.to_string() };
    let [red, blue] = Side::BOTH.map(|side| targets::losses(&game.view, ruleset, side));
    let reserves = game.view.reserve.as_ref();
    let own = reserves.zip(game.own_side()).map(|(reserves, side)| &reserves[side]);
    let held = |rank: Rank| {
        let Some(own) = own else { return String::new() };
        number(own.unlabeled.unwrap_or_default()[rank].saturating_add(own.labeled[rank]))
    };
    let row = |((rank, red_lost, red_left), (_, blue_lost, blue_left)): (Losses, Losses)| {
        let (figure, name, held) = (rank.figure(model.options.numbering), text!("rank", rank), held(rank));
        let [red_lost, red_left, blue_lost, blue_left] =
            [red_lost, red_left, blue_lost, blue_left].map(number);
        match (reserves, is_table) {
            (None, false) => format!(" {figure:>2}  {red_lost}/{red_left}  {blue_lost}/{blue_left}   "),
            (None, true) => {
                format!(" {figure:>2} {name:<10} {red_lost:>4} {red_left:>4}  {blue_lost:>4} {blue_left:>4}")
            }
            (Some(_), false) => format!("{figure:>2} {held:>3}{red_lost:>4}{blue_lost:>4} "),
            (Some(_), true) => format!(" {figure:>2} {name:<10} {held:>5}   {red_lost:>4} {blue_lost:>4}"),
        }
    };
    let rows: Vec<String> = red.into_iter().zip(blue).map(row).collect();
    let has_pools = game.view.pools.is_some();
    let lost = text!("panel-lost");
    let held = if own.is_some() { text!("panel-held") } else { String::new() };
    let (head, width, between) = match (reserves, is_table) {
        (None, false) if has_pools => (format!(" {} ", text!("panel-lost-pool")), 0, ", "),
        (None, false) => (format!(" {} ", text!("panel-lost-left")), 0, ", "),
        (None, true) => (" ".repeat(14), 10, " "),
        (Some(_), false) => (format!("{held:>7} {lost} "), 0, " "),
        (Some(_), true) => (format!("{held:>20}  "), 5, ""),
    };
    let side = |side| {
        let name = match (reserves, is_table) {
            (Some(_), true) => format!("{:>width$}", text!("panel-side", side)),
            _ => format!("{:^width$}", text!("side", side)),
        };
        Span::styled(name, theme.side(side))
    };
    let sides = Line::from(vec![Span::raw(head), side(Side::Red), Span::raw(between), side(Side::Blue)]);
    match (reserves, is_table) {
        (Some(_), true) => {
            lines.extend([Line::raw(format!("{:>TABLE_WIDTH$}", text!("panel-lost-by"))), sides]);
        }
        (None, true) => {
            let left = if has_pools { text!("panel-pool-head") } else { text!("panel-left-head") };
            lines.extend([sides, Line::raw(format!("{:14} {lost:>4} {left:>4}  {lost:>4} {left:>4}", ""))]);
        }
        (_, false) => lines.push(sides),
    }
    if is_table {
        lines.extend(rows.into_iter().map(Line::raw));
    } else {
        let (first, second) = rows.split_at(rows.len().div_ceil(2));
        let second = second.iter().map(String::as_str).chain(std::iter::repeat(""));
        lines.extend(first.iter().zip(second).map(|(first, second)| Line::raw(format!("{first}{second}"))));
    }
}

fn deploying(model: &Model, editor: &DeployEditor, width: usize, lines: &mut Vec<Line<'static>>) {
    lines.push(Line::raw(""));
    for hint in input::hints(model, true).iter().filter(|hint| hint.is_own && !is_narrow(width)) {
        lines.push(Line::raw(format!(" {:<7} {}", hint.keys[0], hint.help)));
    }
    lines.push(Line::raw(""));
    let under = editor.cursor().map(|square| match editor.rank_at(square) {
        Some(rank) => text!("panel-square", square, rank = words::rank(rank, model.options.numbering)),
        None => text!("square-empty", square),
    });
    lines.extend(under.iter().flat_map(|text| wrapped(text, width)));
    let held: Vec<(Rank, usize)> = editor.in_hand().collect();
    if editor.ruleset.reserve {
        let size: usize = held.iter().map(|(_, count)| count).sum();
        lines.push(Line::raw(text!("panel-own-reserve", count = size)));
        for row in held.chunks(3) {
            let cell = |(rank, count): &(Rank, usize)| {
                format!("{:>3} x{count:<4}", rank.figure(model.options.numbering))
            };
            lines.push(Line::raw(row.iter().map(cell).collect::<String>()));
        }
    } else if !held.is_empty() {
        let named = |(rank, count): &(Rank, usize)| {
            text!("panel-count", count = *count, rank = words::rank(*rank, model.options.numbering))
        };
        let text = text!("panel-in-hand", pieces = held.iter().map(named).collect::<Vec<_>>().join(", "));
        lines.extend(wrapped(&text, width));
    }
}

/// Adds the newest notes, except for those that the line below the board shows in full.
fn log(model: &Model, width: usize, room: usize, skipped: usize, lines: &mut Vec<Line<'static>>) {
    let mut log: Vec<String> = Vec::new();
    for note in model.notes.iter().rev().skip(skipped) {
        let mut wrapped = words::wrap(note, width);
        if log.len() + wrapped.len() > room {
            break;
        }
        wrapped.reverse();
        log.extend(wrapped);
    }
    if !log.is_empty() {
        lines.push(Line::raw(""));
        lines.extend(log.into_iter().rev().map(|text| Line::from(text.dim())));
    }
}
