//! Tests the checker with records of random games of every ruleset. True ones pass. Changed ones
//! are found, or are shown to be true records of other games. A checker that cannot fail proves
//! nothing.

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
