//! The results of all possible strikes under a ruleset, as a table.

use flagfall_board::Rank;
use flagfall_rules::{Disclosure, Fate, Ruleset, strike_fates};

/// The result of a strike: an entry of the table.
#[derive(Clone, Copy)]
pub(super) struct StrikeResult {
    pub(super) attacker_fate: Fate,
    pub(super) defender_fate: Fate,
    pub(super) is_defender_shown: bool,
}

/// The result of a strike for every pair of ranks.
pub(super) struct Strikes(Vec<StrikeResult>);

impl Strikes {
    pub(super) fn new(ruleset: &Ruleset) -> Strikes {
        let mut table = Vec::with_capacity(Rank::COUNT * Rank::COUNT);
        for attacker in Rank::ALL {
            for defender in Rank::ALL {
                let (attacker_fate, defender_fate) = strike_fates(ruleset, attacker, defender);
                let is_defender_shown = match ruleset.disclosure {
                    Disclosure::Both => true,
                    Disclosure::SilentDefense => attacker == Rank::Scout || defender_fate == Fate::Leaves,
                };
                table.push(StrikeResult { attacker_fate, defender_fate, is_defender_shown });
            }
        }
        Strikes(table)
    }

    pub(super) fn result(&self, attacker: Rank, defender: Rank) -> StrikeResult {
        self.0[attacker as usize * Rank::COUNT + defender as usize]
    }
}
