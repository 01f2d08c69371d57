//! The terminal client of Flagfall.
