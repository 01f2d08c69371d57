//! The rules for the result of a strike (§A6).

use flagfall_board::Rank;
use flagfall_view::Fate;

use crate::event::{Strike, Struck};
use crate::ruleset::{Bombs, Disclosure, Ruleset, Ties};

/// The winner of a strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Winner {
    Attacker,
    Defender,
    Neither,
}

/// Returns the winner of a strike, given the ranks of the attacker and the defender.
pub(crate) fn winner(ruleset: &Ruleset, attacker: Rank, defender: Rank) -> Winner {
    match (attacker, defender) {
        (_, Rank::Flag) | (Rank::Miner, Rank::Bomb) => Winner::Attacker,
        (_, Rank::Bomb) => match ruleset.bombs {
            Bombs::Stay => Winner::Defender,
            Bombs::LeaveWithAttacker => Winner::Neither,
        },
        (Rank::Spy, highest) if highest == ruleset.spy_beats => Winner::Attacker,
        _ if attacker.strength() > defender.strength() => Winner::Attacker,
        _ if attacker.strength() < defender.strength() => Winner::Defender,
        _ => match ruleset.ties {
            Ties::BothLeave => Winner::Neither,
            Ties::AttackerWins => Winner::Attacker,
            Ties::DefenderWins => Winner::Defender,
        },
    }
}

/// Returns the result of a strike: the places of both pieces after it, and the ranks that become
/// public.
pub(crate) fn resolve(ruleset: &Ruleset, attacker: Rank, defender: Rank) -> Strike {
    let (attacker_fate, defender_fate) = match winner(ruleset, attacker, defender) {
        // A Phoenix only discovers the other piece's rank and returns to its own square, even if
        // it struck the Flag (§S2.2).
        _ if attacker == Rank::Phoenix => (Fate::Stays, Fate::Stays),
        Winner::Attacker => (Fate::Advances, Fate::Leaves),
        Winner::Defender if ruleset.winner_advances && defender.is_movable() => {
            (Fate::Leaves, Fate::Advances)
        }
        Winner::Defender => (Fate::Leaves, Fate::Stays),
        Winner::Neither => (Fate::Leaves, Fate::Leaves),
    };
    let is_defender_shown = match ruleset.disclosure {
        Disclosure::Both => true,
        Disclosure::SilentDefense => attacker == Rank::Scout || defender_fate == Fate::Leaves,
    };
    Strike {
        attacker: Struck { rank: attacker, fate: attacker_fate, shown: true },
        defender: Struck { rank: defender, fate: defender_fate, shown: is_defender_shown },
        labels: ruleset.labels && attacker.is_runner() && defender_fate != Fate::Leaves,
    }
}

/// Returns the places of the attacker and the defender after a strike between two ranks.
///
/// The result depends on the rules alone, so players can use this function to plan ahead.
pub fn strike_fates(ruleset: &Ruleset, attacker: Rank, defender: Rank) -> (Fate, Fate) {
    let strike = resolve(ruleset, attacker, defender);
    (strike.attacker.fate, strike.defender.fate)
}
