#![doc = include_str!("../README.md")]
//!
//! ## Where to look
//!
//! | question | answer |
//! |---|---|
//! | What may a side do? | [`Position::legal_commands`], [`View::legal_commands`], [`View::targets`] |
//! | Is this command allowed, and what follows? | [`decide`], [`Refusal`] |
//! | How does a strike end? | [`strike_fates`] |
//! | How does the state change? | [`evolve`] |
//! | What may this audience know? | [`view`], [`see`], [`see_change`] |
//! | Which rules are there? | [`Ruleset`], [`rulesets`], [`RuleOption`] |
//! | How is a position written down? | [`Position::from_text`], [`View::board_text`] |

#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod clock;
mod coded;
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
mod play;
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
mod start;
mod strike;
mod variants;

/// The types of boards and views. They are re-exported so that users of this crate need not
/// depend on the other crates directly.
#[doc(inline)]
pub use {flagfall_board::*, flagfall_view::*};

pub use clock::{Clock, TimeControl};
pub use command::{Choice, Command, MoveCommand, Placing};
pub use commitment::Salt;
pub use custom::{NoSuchRuleset, OptionValue};
pub use decide::{
    decide, decide_claim, decide_deadline, decide_pause, decide_resume, decide_resume_since, decide_verdict,
};
pub use entropy::Entropy;
pub use event::{Event, Events};
pub use evolve::{evolve, evolve_compensated};
pub use fogged::{FoggedGame, Misheard, StrikeOutcome, ToldMove, ToldStrike};
pub use game::{Game, GameTerms};
pub use moves::{LegalCommands, LegalMoves};
pub use notation::PositionTextError;
pub use outcome::{EndReason, Outcome};
pub use own_turn::{Carrier, Target};
pub use position::Position;
pub use redact::{
    clock_seen, is_opened_to, own_event_opened, see, see_change, see_change_opened, see_opened, view,
    view_opened,
};
#[cfg(feature = "referee")]
pub use referee::Referee;
pub use refusal::Refusal;
pub use ruleset::{Army, Bombs, Disclosure, Fill, Lakes, RuleOption, Ruleset, Start, Ties};
pub use seen::View;
pub use setup::{Deployment, Setup, SetupRefusal};
pub use strike::strike_fates;
