//! Suggested deployments to start from. They are drawn at random like those of house players, so
//! two of them are rarely alike.

use flagfall_board::{Chance, Side};
use flagfall_bots::sensible_setup;
use flagfall_protocol::{Code, Refusal, Secret, SuggestedDeployments};
use flagfall_rules::{Ruleset, Start};

use crate::refused::Refused;
use flagfall_base::random::random_bytes;

/// The number of deployments suggested at a time.
const COUNT: usize = 3;

/// A factor from SplitMix64. It spreads seeds over all numbers, because people choose small ones.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A request for deployments of a ruleset that has deployments. It has no `Debug`, because the
/// seed reveals the deployments.
#[derive(Clone, Copy)]
pub struct Suggestion {
    ruleset: &'static Ruleset,
    seed: u64,
}

impl Suggestion {
    /// Creates a request. The same seed always gives the same deployments. Without a seed, the
    /// deployments are random.
    pub fn new(ruleset: &str, seed: Option<u32>) -> Result<Suggestion, Refused> {
        let known = Ruleset::all().iter().copied().find(|known| known.id == ruleset);
        let has_deployments = |ruleset: &&Ruleset| ruleset.start == Start::Deployments;
        let ruleset = known
            .filter(has_deployments)
            .ok_or_else(|| Refusal::new(Code::NO_SUCH_RULESET).because("suggested"))?;
        let seed = match seed {
            Some(seed) => (u64::from(seed) + 1).wrapping_mul(SPREAD),
            None => u64::from_le_bytes(random_bytes()?),
        };
        Ok(Suggestion { ruleset, seed })
    }

    /// Draws the deployments, as texts from their player's point of view. Takes milliseconds.
    ///
    /// Some rulesets draw the lakes at the start of the game, so these deployments do not take
    /// drawn lakes into account.
    pub fn draw(self) -> SuggestedDeployments {
        let Suggestion { ruleset, seed } = self;
        let mut chance = Chance::new(seed);
        let mut draw = || {
            let setup = sensible_setup(ruleset, ruleset.shape.lakes, Side::Red, &mut chance);
            // A deployment that was drawn for a ruleset is always valid for it.
            setup.deploy(Side::Red, ruleset).map_or_else(|_| String::new(), |deployed| deployed.into_text())
        };
        let setups = (0..COUNT).map(|_| draw()).filter(|text| !text.is_empty());
        let setups = setups.map(|text| text.chars().filter(|letter| !letter.is_whitespace()).collect());
        let setups = setups.map(|text: String| Secret::new(text)).collect();
        SuggestedDeployments { ruleset: ruleset.id.to_owned(), setups }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_rules::Setup;

    use super::*;

    fn drawn(ruleset: &str, seed: Option<u32>) -> Vec<String> {
        let suggested = Suggestion::new(ruleset, seed).unwrap().draw();
        assert_eq!(suggested.ruleset, ruleset);
        suggested.setups.iter().map(|setup| setup.expose().to_owned()).collect()
    }

    #[test]
    fn three_different_deployments_of_every_ruleset_that_has_any() {
        for ruleset in Ruleset::all().iter().filter(|ruleset| ruleset.start == Start::Deployments) {
            let mut texts = drawn(ruleset.id, Some(7));
            for text in &texts {
                for side in Side::BOTH {
                    let setup = Setup::from_text(text, side, ruleset).unwrap();
                    assert!(setup.deploy(side, ruleset).is_ok(), "{} {text}", ruleset.id);
                }
            }
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), COUNT, "{}", ruleset.id);
        }
    }

    #[test]
    fn a_seed_gives_the_same_again_and_chance_does_not() {
        assert_eq!(drawn("classic", Some(1)), drawn("classic", Some(1)));
        assert_ne!(drawn("classic", Some(1)), drawn("classic", Some(2)));
        assert_ne!(drawn("classic", None), drawn("classic", None));
        assert!(!format!("{:?}", Suggestion::new("classic", Some(1)).unwrap().draw()).contains("BB"));
    }

    #[test]
    fn rulesets_without_deployments_and_unknown_ones_are_refused() {
        for ruleset in ["quantum", "chess", "classic,ties=attacker", ""] {
            let refused = Suggestion::new(ruleset, None).err();
            assert!(refused.is_some_and(|refused| refused.is(Code::NO_SUCH_RULESET)), "{ruleset}");
        }
    }
}
