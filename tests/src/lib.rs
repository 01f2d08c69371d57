//! Laws, leaks, golden playthroughs and whole-system checks. No product code.
