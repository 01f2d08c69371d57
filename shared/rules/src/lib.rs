//! The rules engine: pure, no clock, no chance, no IO.
