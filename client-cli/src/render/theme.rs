//! Styles of the full screen.

use flagfall_board::{ChipColor, Side};
use ratatui::style::{Color, Modifier, Style};

/// Styles that carry the same meaning with and without color.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    pub(super) color: bool,
}

impl Theme {
    pub(super) fn tile(self, side: Side) -> Style {
        let background = match side {
            Side::Red => Color::Red,
            Side::Blue => Color::Blue,
        };
        let style = Style::new().add_modifier(Modifier::BOLD);
        if self.color { style.fg(Color::White).bg(background) } else { style }
    }

    pub(super) fn side(self, side: Side) -> Style {
        let color = match side {
            Side::Red => Color::LightRed,
            Side::Blue => Color::LightBlue,
        };
        self.colored(color).add_modifier(Modifier::BOLD)
    }

    pub(super) fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }

    /// Returns the style of a chip. Without color, the chip's letter has the same meaning.
    pub(super) fn chip(self, chip: ChipColor) -> Style {
        let color = match chip {
            ChipColor::Red => Color::LightRed,
            ChipColor::Yellow => Color::LightYellow,
            ChipColor::Blue => Color::LightBlue,
            ChipColor::Green => Color::LightGreen,
        };
        let style = Style::new().add_modifier(Modifier::BOLD);
        if self.color { style.fg(Color::Black).bg(color) } else { style }
    }

    pub(super) fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
