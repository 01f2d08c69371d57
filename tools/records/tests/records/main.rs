//! Tests the checker with records of random games in every ruleset.
//!
//! The checker must accept true records. It must also find the changes in changed records, unless
//! the changed record is a true record of another game. Without changed records, a checker that
//! accepts everything would pass the tests.

mod changes;
mod document;
mod exchanged;
mod games;
mod good;
mod lag;
mod oracle;
mod partly;
mod signed;
mod tampered;
mod umpired;
