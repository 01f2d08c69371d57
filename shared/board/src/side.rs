use std::fmt;
use std::ops::{Index, IndexMut};

/// One of the two armies. Red moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Side {
    /// The side whose home rows begin with row 1. It moves first.
    Red,
    /// The side whose home rows are at the opposite edge from Red's. It moves second.
    Blue,
}

impl Side {
    /// The two sides, beginning with Red.
    pub const BOTH: [Side; 2] = [Side::Red, Side::Blue];

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Side {
        match self {
            Side::Red => Side::Blue,
            Side::Blue => Side::Red,
        }
    }

    /// The side's lower-case name in text and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Red => "red",
            Side::Blue => "blue",
        }
    }

    /// The side's letter in position and piece texts.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// The side with this name in lower case.
    pub fn from_name(name: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| side.name() == name)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Red => "Red",
            Side::Blue => "Blue",
        })
    }
}

/// A pair of values, one for Red and one for Blue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct PerSide<T> {
    /// Red's value.
    pub red: T,
    /// Blue's value.
    pub blue: T,
}

impl<T> PerSide<T> {
    /// Creates the pair from Red's value and Blue's value.
    pub const fn new(red: T, blue: T) -> Self {
        PerSide { red, blue }
    }

    /// Creates the pair by calling a function for each side.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        PerSide { red: make(Side::Red), blue: make(Side::Blue) }
    }
}

impl<T> Index<Side> for PerSide<T> {
    type Output = T;
    fn index(&self, side: Side) -> &T {
        match side {
            Side::Red => &self.red,
            Side::Blue => &self.blue,
        }
    }
}

impl<T> IndexMut<Side> for PerSide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Red => &mut self.red,
            Side::Blue => &mut self.blue,
        }
    }
}
