//! What a move proves by RULES §C2 and §S3.4, tested rank by rank: a specification of its own,
//! independent of the engine.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_board::{ChipColor, Direction, Rank, RankSet, Square};
use flagfall_rules::Ruleset;

/// Chips by square.
pub(crate) type ChipsAt = BTreeMap<Square, ChipColor>;

/// The ranks that could have made this move and left the chips as they are now.
///
/// `full` are the squares that no piece crosses.
pub(crate) fn could_be(
    ruleset: &Ruleset,
    full: &BTreeSet<Square>,
    from: Square,
    to: Square,
    before: &ChipsAt,
    after: &ChipsAt,
) -> RankSet {
    let movable =
        ruleset.army.iter().map(|(rank, _)| rank).filter(|rank| !matches!(rank, Rank::Flag | Rank::Bomb));
    movable
        .filter(|rank| {
            Direction::ALL.into_iter().filter_map(|way| path(ruleset, full, from, to, way)).any(|path| {
                let lands = (path.len() == 1 || matches!(rank, Rank::Scout | Rank::Phoenix))
                    || ruleset.supply_lines && path.iter().all(|at| same_color(before, from, *at));
                let range = match rank {
                    Rank::General => 2,
                    Rank::Colonel => 3,
                    Rank::Major => 4,
                    _ => 0,
                };
                let flashes = ruleset.shadowflash
                    && (2..=range).contains(&path.len())
                    && before.contains_key(&from)
                    && path.iter().all(|at| before.contains_key(at))
                    && !path.iter().all(|at| same_color(before, from, *at));
                lands && landings(ruleset, before, to).any(|chips| chips == *after)
                    || flashes && flashed(before, from, &path) == *after
            })
        })
        .collect()
}

fn same_color(chips: &ChipsAt, one: Square, other: Square) -> bool {
    chips.contains_key(&one) && chips.get(&one) == chips.get(&other)
}

/// Every way the chips can lie after a piece landed.
fn landings<'a>(
    ruleset: &Ruleset,
    before: &'a ChipsAt,
    to: Square,
) -> impl Iterator<Item = ChipsAt> + use<'a> {
    let colors: Vec<Option<ChipColor>> =
        if ruleset.chips { ChipColor::ALL.map(Some).to_vec() } else { vec![None] };
    colors.into_iter().map(move |color| {
        let mut chips = before.clone();
        color.and_then(|color| chips.insert(to, color));
        chips
    })
}

fn flashed(before: &ChipsAt, from: Square, path: &[Square]) -> ChipsAt {
    let mut chips = before.clone();
    let color = before[&from];
    chips.extend(path.iter().map(|at| (*at, color)));
    chips
}

/// The squares of a way including the last one, if the way is free.
fn path(
    ruleset: &Ruleset,
    full: &BTreeSet<Square>,
    from: Square,
    to: Square,
    way: Direction,
) -> Option<Vec<Square>> {
    let mut path = Vec::new();
    let mut at = from;
    while at != to {
        at = ruleset.shape.neighbor(at, way).filter(|next| !full.contains(next))?;
        path.push(at);
    }
    Some(path)
}
