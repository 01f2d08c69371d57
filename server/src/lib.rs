//! The lobby server of Flagfall.
