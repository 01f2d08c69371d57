use crate::{Square, SquareSet};

crate::named! {
    /// The color of a chip on a square.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
    #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
    pub enum ChipColor, name {
        /// Red.
        Red = "red",
        /// Yellow.
        Yellow = "yellow",
        /// Blue.
        Blue = "blue",
        /// Green.
        Green = "green",
    }
}

impl ChipColor {
    /// The color's letter in position and move texts.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// The color with this name or letter. Upper and lower case are both accepted.
    pub fn from_name(text: &str) -> Option<ChipColor> {
        ChipColor::ALL.into_iter().find(|color| {
            text.eq_ignore_ascii_case(color.name())
                || text.len() == 1 && text.starts_with([color.letter(), color.letter().to_ascii_uppercase()])
        })
    }
}

/// The chips on a board, at most one on each square. All chips are public (RULES §S2.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "BySquares", inline))]
pub struct Chips([SquareSet; 4]);

impl Chips {
    /// The squares with a chip of this color.
    pub const fn of(&self, color: ChipColor) -> SquareSet {
        self.0[color as usize]
    }

    /// The squares with a chip.
    pub fn all(&self) -> SquareSet {
        let [red, yellow, blue, green] = self.0;
        red | yellow | blue | green
    }

    /// The color of the chip on a square.
    pub fn color(&self, square: Square) -> Option<ChipColor> {
        ChipColor::ALL.into_iter().find(|color| self.of(*color).contains(square))
    }

    /// Lays a chip and removes any chip that was on the square.
    pub fn lay(&mut self, square: Square, color: ChipColor) {
        self.0.iter_mut().for_each(|squares| squares.remove(square));
        self.0[color as usize].insert(square);
    }

    /// Every square with a chip, and its color.
    pub fn iter(&self) -> impl Iterator<Item = (Square, ChipColor)> + '_ {
        self.all().iter().filter_map(|square| Some((square, self.color(square)?)))
    }
}

impl FromIterator<(Square, ChipColor)> for Chips {
    fn from_iter<I: IntoIterator<Item = (Square, ChipColor)>>(laid: I) -> Chips {
        let mut chips = Chips::default();
        laid.into_iter().for_each(|(square, color)| chips.lay(square, color));
        chips
    }
}

/// The serialized form of the chips: the squares of each color. Colors without chips are left
/// out.
#[cfg(feature = "serde")]
type BySquares = std::collections::BTreeMap<ChipColor, Vec<Square>>;

#[cfg(feature = "serde")]
impl serde::Serialize for Chips {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let colors = ChipColor::ALL.into_iter().map(|color| (color, self.of(color)));
        serializer.collect_map(colors.filter(|(_, squares)| *squares != SquareSet::EMPTY))
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Chips {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Chips, D::Error> {
        let colors = BySquares::deserialize(deserializer)?;
        let laid =
            colors.into_iter().flat_map(|(color, squares)| squares.into_iter().map(move |at| (at, color)));
        Ok(laid.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_replaces_the_one_that_was_there() {
        let square: Square = "e5".parse().expect("a square");
        let mut chips = Chips::default();
        assert_eq!(chips.color(square), None);
        for color in ChipColor::ALL {
            chips.lay(square, color);
            assert_eq!(chips.color(square), Some(color));
            assert_eq!(chips.all().len(), 1);
            assert_eq!(chips.iter().collect::<Chips>(), chips);
        }
    }

    #[test]
    fn names_and_letters_come_back() {
        for color in ChipColor::ALL {
            assert_eq!(ChipColor::from_name(color.name()), Some(color));
            assert_eq!(ChipColor::from_name(&color.letter().to_string()), Some(color));
            assert_eq!(ChipColor::from_name(&color.name().to_uppercase()), Some(color));
        }
        for text in ["", "re", "purple", "rr", "é"] {
            assert_eq!(ChipColor::from_name(text), None, "{text}");
        }
    }
}
