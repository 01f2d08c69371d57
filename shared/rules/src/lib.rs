//! The rules engine: pure, without clock, chance, IO or serialization.
//!
//! [`decide`] judges a [`Command`] and answers with [`Events`] or a [`Refusal`]; [`evolve`] carries an [`Event`] out; [`view`] and [`see`] tell an
//! audience what it may know. A [`Game`] and an [`Event`] know hidden ranks and open to nobody else, but for the store
//! ([`secret`]) and for tools that are no server (the `referee` feature).

#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod clock;
mod command;
mod commitment;
mod custom;
mod decide;
mod entropy;
mod event;
mod evolve;
mod fogged;
mod game;
mod lakes;
mod moves;
mod notation;
mod outcome;
mod own_turn;
mod piece;
mod position;
mod redact;
#[cfg(feature = "referee")]
mod referee;
mod refusal;
mod repetition;
mod ruleset;
pub mod rulesets;
pub mod secret;
mod seen;
mod setup;
mod strike;
mod variants;

pub use clock::{Clock, LagQuota, TimeControl};
pub use command::{Choice, Claim, Command, Move, MoveCommand, Placing};
pub use commitment::{Commitment, Salt};
pub use custom::{NoSuchRuleset, OptionValue};
pub use decide::{
    decide, decide_claim, decide_deadline, decide_pause, decide_resume, decide_resume_since, decide_verdict,
};
pub use entropy::Entropy;
pub use event::{Event, Events, Fate, Laid};
pub use evolve::{evolve, evolve_compensated};
pub use fogged::{FoggedGame, Misheard, StrikeOutcome, ToldMove, ToldStrike};
pub use game::{Game, GameTerms, Phase};
pub use moves::{LegalCommands, LegalMoves};
pub use notation::PositionTextError;
pub use outcome::{EndReason, Outcome};
pub use position::Position;
pub use redact::{clock_seen, see, see_change, see_opened, view};
#[cfg(feature = "referee")]
pub use referee::Referee;
pub use refusal::Refusal;
pub use ruleset::{Army, Bombs, Disclosure, Fill, Lakes, RuleOption, Ruleset, Start, Ties};
pub use seen::{
    Identity, OpenedDeployment, OwedColor, PendingStrike, SeenChange, SeenClock, SeenEvent, SeenExchange,
    SeenMove, SeenPiece, SeenReserve, SeenStrike, View, Viewer,
};
pub use setup::{Deployment, Setup, SetupRefusal};
pub use strike::strike_fates;
