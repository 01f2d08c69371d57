//! Finds sessions with reserves and chips that look the same to the other viewers (§S1.7, §S3.3).
//!
//! The test compares everything that is visible on the table: squares, chips, strikes and labels.
//! Other viewers can learn only from these (§S3.4). So if two sessions agree in them, these viewers
//! must get the same messages.

use flagfall_board::{Chance, Rank, Side};
use flagfall_protocol::{GameCommand, GameEvent, Phase};
use flagfall_rules::Viewer;

use super::Script;
use crate::record;

/// Returns everything that all viewers saw while a script was played. `None` if one of its commands
/// was refused.
fn seen_by_all(script: &Script) -> Option<Vec<String>> {
    let script = Script { earlier: Default::default(), ..script.clone() };
    let (mut hand, players) = script.hand();
    script.deploy(&mut hand, &players);
    if hand.table.game.phase() == Phase::Deploying {
        return None;
    }
    for (side, act) in script.commands.iter().flatten() {
        let seq = hand.table.head.seq;
        hand.command(&players[*side as usize], hand.table.game.ply(), act.clone());
        if hand.table.head.seq == seq {
            return None;
        }
    }
    let record = record::record(hand.id, &hand.log(), Viewer::Public).unwrap();
    let events = record.events.into_iter().map(|recorded| recorded.event);
    Some(events.filter_map(|event| on_the_table(&event)).collect())
}

/// Returns the visible change that an event makes. Omits the piece of a move without a strike,
/// because the test checks whether this piece stays secret.
fn on_the_table(event: &GameEvent) -> Option<String> {
    match event {
        GameEvent::Moved(seen) => Some(format!("{} {:?} {:?}", seen.squares, seen.laid, seen.strike)),
        GameEvent::Removed { side, square } => Some(format!("{side} removes {square}")),
        GameEvent::Placed(seen) => {
            let label = seen.labeled.then_some(seen.piece);
            Some(format!("{} places {label:?} at {} {:?}", seen.side, seen.square, seen.color))
        }
        GameEvent::Colored { side, square, color } => Some(format!("{side} {square} {color:?}")),
        GameEvent::Struck(_) | GameEvent::Chosen { .. } => panic!("no coins beside a reserve"),
        GameEvent::Deployed { .. }
        | GameEvent::Ready { .. }
        | GameEvent::Started { .. }
        | GameEvent::DrawOffered { .. }
        | GameEvent::DrawDeclined { .. }
        | GameEvent::Paused { .. }
        | GameEvent::Resumed { .. } => None,
        GameEvent::Ended { outcome, .. } => Some(format!("{outcome:?}")),
    }
}

/// Returns scripts in which this side has different ranks, on the board and in the reserve. To
/// the other viewers, these scripts look the same as this script.
pub(super) fn twins(script: &Script, side: Side, seed: u64, count: usize) -> Vec<Script> {
    let mut chance = Chance::new(seed);
    let seen = seen_by_all(script);
    assert!(seen.is_some(), "a script can be played again");
    let mut twins = Vec::new();
    for _ in 0..400 {
        let mut letters = script.letters(side);
        let (one, other) = (chance.below(letters.len()), chance.below(letters.len()));
        let ranks: Vec<Rank> =
            script.ruleset.army.iter().map(|(rank, _)| rank).filter(|rank| *rank != Rank::Flag).collect();
        match chance.below(3) {
            0 => letters.swap(one, other),
            1 if !matches!(letters[one], '.' | 'F') => {
                letters[one] = ranks[chance.below(ranks.len())].letter();
            }
            _ => {}
        }
        let mut twin = script.with_letters(side, &letters);
        for (by, act) in twin.commands.iter_mut().flatten() {
            if let GameCommand::Place { rank, labeled: false, .. } = act
                && *by == side
                && chance.below(3) == 0
            {
                *rank = ranks[chance.below(ranks.len())];
            }
        }
        twin.earlier = super::other_deployments(script.ruleset, side, seed, &mut chance);
        let is_other = twin.setups != script.setups || twin.commands != script.commands;
        if is_other && seen_by_all(&twin) == seen {
            twins.push(twin);
        }
        if twins.len() == count {
            break;
        }
    }
    twins
}
