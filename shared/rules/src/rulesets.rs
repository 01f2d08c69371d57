//! The named rulesets. Each is defined by its differences from another ruleset.

mod classic;
mod course;
mod original;
mod pbm;
mod quantum;
mod shadowflash;
mod silent_defense;

pub use classic::{BARRAGE, CLASSIC, TOURNAMENT};
pub use course::COURSE;
pub use original::ORIGINAL;
pub use pbm::{PBM, PBM_SMALL};
pub use quantum::QUANTUM;
pub(crate) use shadowflash::{MIRRORED, PRINTED};
pub use shadowflash::{SHADOWFLASH_1, SHADOWFLASH_2, SHADOWFLASH_3};
pub use silent_defense::SILENT_DEFENSE;

use crate::ruleset::Ruleset;

pub(crate) const COUNT: usize = 12;

/// The named rulesets, in the order in which clients list them. Each has a fixed address in
/// memory, so that references to it stay valid.
pub(crate) static ALL: [&Ruleset; COUNT] = [
    &CLASSIC,
    &TOURNAMENT,
    &BARRAGE,
    &PBM,
    &PBM_SMALL,
    &ORIGINAL,
    &SILENT_DEFENSE,
    &COURSE,
    &SHADOWFLASH_1,
    &SHADOWFLASH_2,
    &SHADOWFLASH_3,
    &QUANTUM,
];

impl Ruleset {
    /// Every named ruleset.
    pub fn all() -> &'static [&'static Ruleset] {
        &ALL
    }
}

#[cfg(test)]
mod tests {
    use super::Ruleset;

    #[test]
    fn rules_that_need_reserve_data_come_with_a_reserve() {
        for ruleset in Ruleset::all() {
            let wants = ruleset.shape.has_joints()
                || ruleset.chips
                || ruleset.labels
                || ruleset.supply_lines
                || ruleset.shadowflash;
            assert!(ruleset.reserve || !wants, "{}", ruleset.id);
        }
    }
}
