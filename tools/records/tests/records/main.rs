//! Records of random games of every ruleset: the true ones pass, and whatever is changed in them is
//! found, or is shown to be the true record of another game. A checker that cannot fail proves
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
