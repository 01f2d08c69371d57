//! Tests the checker with records of random games of every ruleset. True records pass. Changed
//! records are found to be false, or are shown to be true records of other games. Changed records
//! are needed because a checker that accepts everything would pass otherwise.

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
