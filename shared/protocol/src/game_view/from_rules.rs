//! Converts the engine's views and seen events into those of messages.

use std::collections::BTreeMap;

use flagfall_board::{ChipColor, Chips, PerSide, Rank, Square};
use flagfall_rules as rules;

use super::{
    Clock, GameEvent, GameView, Opened, Outcome, OwedColor, PendingStrike, Phase, Reserve, Running,
    SeenExchange, SeenMove, SeenPlacing, SeenStrike, StrikeFate, ViewChange,
};
use crate::text::{HexBytes, IdentityText, LaidText, MoveText, PieceText};

impl From<rules::Phase> for Phase {
    fn from(phase: rules::Phase) -> Phase {
        match phase {
            rules::Phase::Deploying => Phase::Deploying,
            rules::Phase::Playing => Phase::Playing,
            rules::Phase::Over => Phase::Over,
        }
    }
}

impl From<&rules::Outcome> for Outcome {
    fn from(outcome: &rules::Outcome) -> Outcome {
        Outcome { winner: outcome.winner, reason: outcome.reason.code().to_owned() }
    }
}

impl From<rules::SeenClock> for Clock {
    fn from(clock: rules::SeenClock) -> Clock {
        let rules::SeenClock { at, remaining_ms, free_ms, is_running } = clock;
        Clock { at: at.0, remaining_ms, free_ms, running: Running::of(is_running) }
    }
}

impl From<rules::Fate> for StrikeFate {
    fn from(fate: rules::Fate) -> StrikeFate {
        match fate {
            rules::Fate::Stays => StrikeFate::Stays,
            rules::Fate::Advances => StrikeFate::Advances,
            rules::Fate::Leaves => StrikeFate::Leaves,
        }
    }
}

impl From<&rules::SeenMove> for SeenMove {
    fn from(seen: &rules::SeenMove) -> SeenMove {
        let rules::SeenMove { side, from, to, piece, strike, laid } = *seen;
        SeenMove {
            side,
            squares: MoveText(rules::Move { from, to }),
            piece: IdentityText(piece),
            laid: laid.map(LaidText),
            strike: strike.map(|strike| {
                let rules::SeenStrike { attacker, attacker_fate, defender, defender_fate } = strike;
                SeenStrike {
                    attacker: IdentityText(attacker),
                    attacker_fate: attacker_fate.into(),
                    defender: IdentityText(defender),
                    defender_fate: defender_fate.into(),
                }
            }),
        }
    }
}

impl From<&rules::SeenExchange> for SeenExchange {
    fn from(seen: &rules::SeenExchange) -> SeenExchange {
        match *seen {
            rules::SeenExchange::Removed { side, square } => SeenExchange::Removed { side, square },
            rules::SeenExchange::Placed { side, square, piece, is_labeled, color } => {
                let piece = IdentityText(piece);
                SeenExchange::Placed(SeenPlacing { side, square, piece, labeled: is_labeled, color })
            }
        }
    }
}

impl From<rules::PendingStrike> for PendingStrike {
    fn from(strike: rules::PendingStrike) -> PendingStrike {
        let rules::PendingStrike { side, from, to, owes, own_choice } = strike;
        PendingStrike { side, squares: MoveText(rules::Move { from, to }), owes, own_choice }
    }
}

impl From<rules::OwedColor> for OwedColor {
    fn from(owed: rules::OwedColor) -> OwedColor {
        let rules::OwedColor { side, square } = owed;
        OwedColor { side, square }
    }
}

fn reserves_of(reserves: &PerSide<rules::SeenReserve>) -> PerSide<Reserve> {
    PerSide::from_fn(|side| {
        let rules::SeenReserve { size, labeled, unlabeled } = &reserves[side];
        Reserve { size: *size, labeled: counts_of(labeled), unlabeled: unlabeled.as_ref().map(counts_of) }
    })
}

pub(super) fn chips_of(chips: &Chips) -> BTreeMap<ChipColor, Vec<Square>> {
    let by_color = ChipColor::ALL.into_iter().map(|color| (color, chips.of(color)));
    by_color
        .filter(|(_, squares)| !squares.is_empty())
        .map(|(color, squares)| (color, squares.iter().collect()))
        .collect()
}

fn counts_of(counts: &[u8; Rank::COUNT]) -> BTreeMap<Rank, u8> {
    Rank::ALL.into_iter().zip(*counts).filter(|(_, count)| *count > 0).collect()
}

fn opened_of(opened: &PerSide<Option<rules::OpenedDeployment>>) -> PerSide<Option<Opened>> {
    PerSide::from_fn(|side| {
        opened[side].as_ref().map(|rules::OpenedDeployment { text, salt }| Opened {
            setup: text.clone(),
            salt: HexBytes(*salt),
        })
    })
}

fn commitments_of(commitments: &PerSide<Option<rules::Commitment>>) -> PerSide<Option<HexBytes>> {
    PerSide::from_fn(|side| commitments[side].map(|commitment| HexBytes(commitment.0)))
}

fn captured_of(captured: &PerSide<[u8; Rank::COUNT]>) -> PerSide<BTreeMap<Rank, u8>> {
    PerSide::from_fn(|side| counts_of(&captured[side]))
}

impl From<&rules::SeenChange> for ViewChange {
    fn from(change: &rules::SeenChange) -> ViewChange {
        let rules::SeenChange {
            deploy_deadline,
            turn,
            clock,
            plies_to_limit,
            refused_moves,
            captured,
            pieces,
            reserve,
            owed_color,
            pools,
            pending_strike,
        } = change;
        ViewChange {
            clock: clock.map(Clock::from),
            deploy_deadline: deploy_deadline.map(|stamp| stamp.0),
            turn: *turn,
            plies_to_limit: *plies_to_limit,
            refused_moves: refused_moves.iter().copied().map(MoveText).collect(),
            captured: captured.as_ref().map(captured_of),
            pieces: pieces.as_ref().map(|pieces| pieces.iter().copied().map(PieceText).collect()),
            reserve: reserve.as_ref().map(reserves_of),
            owed_color: owed_color.map(OwedColor::from),
            pools: pools.as_ref().map(captured_of),
            pending_strike: pending_strike.map(PendingStrike::from),
        }
    }
}

impl From<&rules::SeenEvent> for GameEvent {
    fn from(event: &rules::SeenEvent) -> GameEvent {
        match event {
            rules::SeenEvent::Deployed { text } => GameEvent::Deployed { setup: text.clone() },
            rules::SeenEvent::Ready { side } => GameEvent::Ready { side: *side },
            rules::SeenEvent::Started { commitments } => {
                GameEvent::Started { commitments: commitments_of(commitments) }
            }
            rules::SeenEvent::Moved(seen) => GameEvent::Moved(seen.into()),
            rules::SeenEvent::Struck(strike) => GameEvent::Struck((*strike).into()),
            rules::SeenEvent::Chosen { side, rank } => GameEvent::Chosen { side: *side, rank: *rank },
            rules::SeenEvent::Exchanged(seen) => match SeenExchange::from(seen) {
                SeenExchange::Removed { side, square } => GameEvent::Removed { side, square },
                SeenExchange::Placed(seen) => GameEvent::Placed(seen),
            },
            rules::SeenEvent::Colored { side, square, color } => {
                GameEvent::Colored { side: *side, square: *square, color: *color }
            }
            rules::SeenEvent::DrawOffered { side } => GameEvent::DrawOffered { side: *side },
            rules::SeenEvent::DrawDeclined { side } => GameEvent::DrawDeclined { side: *side },
            rules::SeenEvent::Paused { since } => GameEvent::Paused { since: since.0 },
            rules::SeenEvent::Resumed { since } => GameEvent::Resumed { since: since.map(|since| since.0) },
            rules::SeenEvent::Ended { outcome, opened } => {
                GameEvent::Ended { outcome: outcome.into(), opened: opened_of(opened) }
            }
        }
    }
}

impl From<&rules::View> for GameView {
    fn from(view: &rules::View) -> GameView {
        let rules::View {
            viewer,
            ruleset,
            phase,
            is_paused,
            ready,
            deploy_deadline,
            own_deployment,
            lakes,
            pieces,
            captured,
            ply,
            turn,
            last_move,
            last_exchange,
            reserve,
            chips,
            owed_color,
            pools,
            pending_strike,
            refused_moves,
            clock,
            draw_offer,
            plies_to_limit,
            commitments,
            opened,
            outcome,
        } = view;
        GameView {
            audience: (*viewer).into(),
            ruleset: ruleset.id.to_owned(),
            phase: (*phase).into(),
            paused: *is_paused,
            ready: *ready,
            deploy_deadline: deploy_deadline.map(|stamp| stamp.0),
            own_deployment: own_deployment.clone(),
            lakes: lakes.iter().collect(),
            pieces: pieces.iter().copied().map(PieceText).collect(),
            captured: captured_of(captured),
            ply: *ply,
            turn: *turn,
            last_move: last_move.as_ref().map(SeenMove::from),
            last_exchange: last_exchange.as_ref().map(SeenExchange::from),
            reserve: reserve.as_ref().map(reserves_of),
            chips: chips.as_ref().map(chips_of),
            owed_color: owed_color.map(OwedColor::from),
            pools: pools.as_ref().map(captured_of),
            pending_strike: pending_strike.map(PendingStrike::from),
            refused_moves: refused_moves.iter().copied().map(MoveText).collect(),
            clock: clock.map(Clock::from),
            draw_offer: *draw_offer,
            plies_to_limit: *plies_to_limit,
            commitments: commitments_of(commitments),
            opened: opened_of(opened),
            outcome: outcome.as_ref().map(Outcome::from),
        }
    }
}
