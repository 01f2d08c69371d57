//! Keeps the deployment commitments that the server showed, and checks them after the game.
//!
//! The server commits to each deployment when a game starts. The client keeps the commitments in
//! memory and in a file. When a game ends, it checks the opened deployments against the kept
//! commitments, not against the commitments that the server shows at the end.

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::Opened;
use flagfall_rules::Commitment;
use serde::{Deserialize, Serialize};

use crate::text;

/// The commitments of a game as this client first saw them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// The epoch of the game when the commitments were shown.
    pub epoch: u64,
    pub commitments: PerSide<Option<Commitment>>,
    /// True if the game was already over when this client first saw it. In this case the
    /// commitments prove less.
    #[serde(default)]
    pub late: bool,
}

impl Shown {
    /// Returns the sides whose commitment in `now` is missing or differs from the first one
    /// shown.
    pub fn changed(&self, now: &PerSide<Option<Commitment>>) -> Vec<Side> {
        let is_changed =
            |side: &Side| self.commitments[*side].is_some() && self.commitments[*side] != now[*side];
        Side::BOTH.into_iter().filter(is_changed).collect()
    }

    /// Adds the commitments that are still missing. True if any were added.
    pub fn complete(&mut self, now: &PerSide<Option<Commitment>>) -> bool {
        let mut is_new = false;
        for side in Side::BOTH {
            if self.commitments[side].is_none() && now[side].is_some() {
                self.commitments[side] = now[side];
                is_new = true;
            }
        }
        is_new
    }
}

/// The result of checking the opened deployments against the commitments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// False if an opened deployment does not match its commitment, or has none.
    pub is_match: bool,
    /// A sentence for the player. It is a warning if `is_match` is false.
    pub words: String,
}

/// Checks opened deployments against the commitments. `None` if no deployment was opened.
pub fn verdict(game: GameId, shown: &Shown, opened: &PerSide<Option<Opened>>) -> Option<Verdict> {
    let (mut matching, mut wrong, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for side in Side::BOTH {
        let Some(opened) = &opened[side] else { continue };
        let real = Commitment::of_text(game, side, &opened.setup, &opened.salt.0);
        match shown.commitments[side] {
            Some(commitment) if commitment.0 == real.0 => matching.push(side),
            Some(_) => wrong.push(side),
            None => unknown.push(side),
        }
    }
    let late = shown.late;
    let words = match (one_or_both(&wrong), unknown.first(), &matching[..]) {
        (Some(side), ..) => text!("commitment-broken", side, late),
        (None, Some(side), _) => text!("commitment-missing", side = *side),
        (None, None, []) => return None,
        (None, None, [side]) => text!("commitment-matches", side = *side, late),
        (None, None, _) => text!("commitments-match", late),
    };
    Some(Verdict { is_match: wrong.is_empty() && unknown.is_empty(), words })
}

/// Returns the warning about changed commitments.
pub fn changed_words(sides: &[Side], is_other_epoch: bool) -> String {
    text!("commitment-changed", side = one_or_both(sides).unwrap_or_default(), epoch = is_other_epoch)
}

/// Returns the name of the only side, or `both` if there are two. `None` if there is no side.
fn one_or_both(sides: &[Side]) -> Option<&'static str> {
    match sides {
        [] => None,
        [side] => Some(side.name()),
        _ => Some("both"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use flagfall_protocol::HexBytes;

    use super::*;

    pub(crate) fn game() -> GameId {
        "0123456789ab".parse().expect("an id")
    }

    pub(crate) fn opened(setup: &str) -> Opened {
        Opened { setup: setup.to_owned(), salt: HexBytes([7; 32]) }
    }

    pub(crate) fn commitment(side: Side, setup: &str) -> Commitment {
        Commitment::of_text(game(), side, setup, &[7; 32])
    }

    fn shown() -> Shown {
        let commitments = PerSide::new(Some(commitment(Side::Red, "FR")), Some(commitment(Side::Blue, "FB")));
        Shown { epoch: 1, commitments, late: false }
    }

    fn words(red: Option<&str>, blue: Option<&str>) -> String {
        let opened = PerSide::new(red.map(opened), blue.map(opened));
        verdict(game(), &shown(), &opened).map_or_else(String::new, |verdict| verdict.words)
    }

    #[test]
    fn deployments_are_held_against_the_commitments_shown_at_the_start() {
        let both = "Both deployments match the commitments shown at the start.";
        assert_eq!(words(Some("FR"), Some("FB")), both);
        let one =
            "Red's deployment matches the commitment shown at the start. The other deployment stays hidden.";
        assert_eq!(words(Some("FR"), None), one);
        assert_eq!(words(None, None), "");
        assert!(
            words(Some("FR"), Some("BF")).starts_with("WARNING: Blue's opened deployment does NOT match")
        );
        assert!(words(Some("RF"), None).starts_with("WARNING: Red's opened deployment does NOT match"));
        assert!(words(Some("RF"), Some("BF")).starts_with("WARNING: Both sides' opened deployments do NOT"));
    }

    #[test]
    fn a_deployment_without_a_commitment_proves_nothing() {
        let shown = Shown { commitments: PerSide::new(None, None), ..shown() };
        let opened = PerSide::new(Some(opened("FR")), None);
        let verdict = verdict(game(), &shown, &opened).expect("a verdict");
        assert!(!verdict.is_match, "{verdict:?}");
    }

    #[test]
    fn a_commitment_that_changes_or_vanishes_is_noticed_and_a_missing_one_is_taken_over() {
        let mut shown = shown();
        let mut now = shown.commitments;
        assert_eq!(shown.changed(&now), []);
        now.blue = Some(Commitment([1; 32]));
        assert_eq!(shown.changed(&now), [Side::Blue]);
        now.red = None;
        assert_eq!(shown.changed(&now), [Side::Red, Side::Blue]);
        shown.commitments.red = None;
        assert!(shown.complete(&PerSide::new(Some(Commitment([2; 32])), None)));
        assert_eq!(shown.commitments.red, Some(Commitment([2; 32])));
    }
}
