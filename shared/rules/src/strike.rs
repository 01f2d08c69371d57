//! What comes of a strike (§A6).

use flagfall_board::Rank;

use crate::event::{Fate, Strike, Struck};
use crate::ruleset::{Bombs, Disclosure, Ruleset, Ties};

/// Who wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Winner {
    Attacker,
    Defender,
    Neither,
}

/// Attacker against defender.
pub(crate) fn winner(ruleset: &Ruleset, attacker: Rank, defender: Rank) -> Winner {
    match (attacker, defender) {
        (_, Rank::Flag) => Winner::Attacker,
        (Rank::Miner, Rank::Bomb) => Winner::Attacker,
        (_, Rank::Bomb) => match ruleset.bombs {
            Bombs::Stay => Winner::Defender,
            Bombs::LeaveWithAttacker => Winner::Neither,
        },
        (Rank::Spy, highest) if highest == ruleset.spy_beats => Winner::Attacker,
        _ if strength(attacker) > strength(defender) => Winner::Attacker,
        _ if strength(attacker) < strength(defender) => Winner::Defender,
        _ => match ruleset.ties {
            Ties::BothLeave => Winner::Neither,
            Ties::AttackerWins => Winner::Attacker,
            Ties::DefenderWins => Winner::Defender,
        },
    }
}

/// The strike's facts: who leaves, who goes where, whose rank becomes public.
pub(crate) fn resolve(ruleset: &Ruleset, attacker: Rank, defender: Rank) -> Strike {
    let (attacker_fate, defender_fate) = match winner(ruleset, attacker, defender) {
        // It finds out what the other is, be it the Flag, and returns (§S2.2).
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

/// What becomes of attacker and defender when the one rank strikes the other: public knowledge, for whoever plans ahead.
#[must_use]
pub fn strike_fates(ruleset: &Ruleset, attacker: Rank, defender: Rank) -> (Fate, Fate) {
    let strike = resolve(ruleset, attacker, defender);
    (strike.attacker.fate, strike.defender.fate)
}

/// The order of strength among ranks that move; what does not move has none.
const fn strength(rank: Rank) -> u8 {
    match rank {
        Rank::Flag | Rank::Bomb | Rank::Phoenix => 0,
        Rank::Spy => 1,
        Rank::Scout => 2,
        Rank::Miner => 3,
        Rank::Sergeant => 4,
        Rank::Lieutenant => 5,
        Rank::Captain => 6,
        Rank::Major => 7,
        Rank::Colonel => 8,
        Rank::General => 9,
        Rank::Marshal => 10,
    }
}
