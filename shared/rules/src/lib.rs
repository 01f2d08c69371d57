//! The rules engine: pure, without clock, chance, IO or serialization.
//!
//! [`decide`] judges a [`Command`] and answers with [`Events`] or a [`Refusal`]; [`evolve`] carries an [`Event`] out; [`view`] and [`see`] tell an
//! audience what it may know. A [`Game`] and an [`Event`] know hidden ranks and open to nobody else, but for the store
//! ([`secret`]) and for tools that are no server (the `referee` feature).

#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod chips;
mod clock;
mod command;
mod commitment;
mod custom;
mod decide;
mod event;
mod evolve;
mod fogged;
mod game;
mod lakes;
mod legal_commands;
mod movement;
mod notation;
mod own_turn;
mod position;
#[cfg(feature = "referee")]
mod referee;
mod refusal;
mod repetition;
mod ruleset;
pub mod rulesets;
pub mod secret;
mod seen;
mod setup;
mod shadow;
mod strike;
mod superposition;
mod view;

pub use clock::{Clock, LagQuota, TimeControl};
pub use command::{Choice, Claim, Command, Move, MoveCommand, Placing};
pub use commitment::{Commitment, Salt};
pub use custom::{NoSuchRuleset, OptionValue, RuleOption};
pub use decide::{
    Entropy, decide, decide_claim, decide_deadline, decide_pause, decide_resume, decide_resume_since,
    decide_verdict,
};
pub use event::{Event, Events, Fate, Laid};
pub use evolve::{evolve, evolve_compensated};
pub use fogged::{FoggedGame, Misheard, StrikeOutcome, ToldMove, ToldStrike};
pub use game::{EndReason, Game, GameTerms, Outcome, Phase};
pub use lakes::Lakes;
pub use legal_commands::LegalCommands;
pub use movement::LegalMoves;
pub use notation::PositionTextError;
pub use position::Position;
#[cfg(feature = "referee")]
pub use referee::Referee;
pub use refusal::Refusal;
pub use ruleset::{Army, Bombs, Disclosure, Fill, Ruleset, Start, Ties};
pub use seen::{
    Identity, OpenedDeployment, OwedColor, PendingStrike, SeenChange, SeenClock, SeenEvent, SeenExchange,
    SeenMove, SeenPiece, SeenReserve, SeenStrike, View, Viewer,
};
pub use setup::{Deployment, Setup, SetupRefusal};
pub use strike::strike_fates;
pub use view::{
    clock_seen, is_opened_to, own_event_opened, see, see_change, see_change_opened, see_opened, view,
    view_opened,
};
