//! Pairs in rulesets with deployments. The sessions differ in the ranks of pieces that are never
//! shown, on the board and from the reserve, and in the colors named for failed strikes.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_board::{Chance, ChipColor, Direction, Rank, Side, Square, SquareSet, Stamp};
use flagfall_protocol::GameCommand;
use flagfall_rules::{
    Command, Disclosure, Entropy, Game, Identity, Move, Phase, Placing, RankCounts, Ruleset, SeenReserve,
    Viewer, view,
};

use super::plan::PairPlan;
use super::twins::{Act, Twins, as_message, impossible_at, legal_commands};
use crate::chance::{between, once_in};
use crate::moves::choose_act;
use crate::plan::SetupFiles;

/// The number of other secrets that are tried for one course.
const TWINS_MAX: usize = 60;

/// The origin of a piece. Only the origin distinguishes unseen pieces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Origin {
    /// The piece's place in the deployment.
    Home(usize),
    /// The piece came from the reserve. The value is the number of its placing.
    Reserve(usize),
}

/// The squares and origins of the hider's unseen pieces.
#[derive(Clone, Debug, Default)]
struct Trail {
    at: BTreeMap<Square, Origin>,
    seen: BTreeSet<Origin>,
    /// Unseen pieces that won without being shown.
    silent: BTreeSet<Origin>,
    placings: usize,
}

impl Trail {
    fn reveal(&mut self, square: Square) {
        self.seen.extend(self.at.remove(&square));
    }

    /// Records a command that was carried out between `before` and `after`.
    fn note(&mut self, before: &Game, after: &Game, hider: Side, side: Side, command: &Command) {
        let ruleset = before.terms().ruleset;
        match command {
            Command::Move(asked) => {
                let Move { from, to } = asked.squares;
                let stands = |game: &Game, side: Side| game.position().occupied(side).contains(to);
                if stands(before, side.opponent()) {
                    let is_silent = side != hider
                        && ruleset.disclosure == Disclosure::SilentDefense
                        && stands(after, hider)
                        && own_rank(before, side, from) != Some(Rank::Scout);
                    if is_silent {
                        self.silent.extend(self.at.get(&to));
                    } else {
                        self.reveal(from);
                        self.reveal(to);
                    }
                } else if side == hider {
                    let is_step =
                        Direction::ALL.into_iter().any(|way| ruleset.shape.neighbor(from, way) == Some(to));
                    if !is_step {
                        self.reveal(from);
                    } else if let Some(origin) = self.at.remove(&from) {
                        self.at.insert(to, origin);
                    }
                }
            }
            // From this moment on, the piece may be any piece of the reserve. Its rank in the
            // deployment stays secret.
            Command::Remove(square) => drop(self.at.remove(square)),
            Command::Place(Placing { square, is_labeled, .. }) if side == hider => {
                let origin = Origin::Reserve(self.placings);
                self.placings += 1;
                if *is_labeled {
                    self.seen.insert(origin);
                } else {
                    self.at.insert(*square, origin);
                }
            }
            _ => {}
        }
    }
}

fn own_rank(game: &Game, side: Side, square: Square) -> Option<Rank> {
    let pieces = view(game, Viewer::Player(side), Stamp(0)).seen.pieces;
    let piece = pieces.into_iter().find(|piece| piece.square == square)?;
    if let Identity::Known(rank) = piece.identity { Some(rank) } else { None }
}

/// The face-down pieces in a side's reserve, as that side knows them.
fn own_reserve(game: &Game, side: Side) -> Option<RankCounts> {
    let reserves = view(game, Viewer::Player(side), Stamp(0)).reserve?;
    let SeenReserve { unlabeled, .. } = reserves[side];
    unlabeled
}

/// A step of a course, and the trail after it.
struct PairStep {
    side: Side,
    command: Command,
    /// True if the step named a color for a strike that failed.
    is_color_unseen: bool,
    trail: Trail,
}

/// A game for which no other secret has been found yet.
struct Course {
    ruleset: &'static Ruleset,
    lakes: SquareSet,
    hider: Side,
    setups: [String; 2],
    steps: Vec<PairStep>,
}

impl Course {
    /// Plays a random game. `None` if the game ends too early.
    fn random(
        ruleset: &'static Ruleset,
        lakes: SquareSet,
        setups: &SetupFiles,
        chance: &mut Chance,
    ) -> Option<Course> {
        let hider = if once_in(chance, 2) { Side::Red } else { Side::Blue };
        let compact =
            |text: String| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        let setups = Side::BOTH.map(|side| compact(setups.choose(ruleset, side, chance)));
        let mut twins = Twins::new(ruleset, lakes);
        for side in Side::BOTH {
            twins.order_alike(side, GameCommand::Deploy { setup: setups[side as usize].clone() })?;
        }
        let places = setups[hider as usize].char_indices().filter(|(_, letter)| *letter != '.');
        let at = places
            .filter_map(|(place, _)| Some((ruleset.shape.home_square(hider, place)?, Origin::Home(place))));
        let mut trail = Trail { at: at.collect(), ..Trail::default() };
        let most = if ruleset.army.len() < 20 { 24 } else { 60 };
        let wanted = between(chance, most / 2, most);
        let mut steps = Vec::new();
        while steps.len() < wanted || twins.games[0].position().owed_color().is_some() {
            let before = twins.games[0].clone();
            let side = before.position().actor();
            let command = choose_act(&legal_commands(&before, side)?, chance)?;
            twins.order_alike(side, as_message(&command)?)?;
            let after = &twins.games[0];
            trail.note(&before, after, hider, side, &command);
            let is_color_unseen = side == hider && has_failed(&before, after, side, &command);
            steps.push(PairStep { side, command, is_color_unseen, trail: trail.clone() });
        }
        Some(Course { ruleset, lakes, hider, setups, steps })
    }

    fn is_unseen(&self, origin: Origin) -> bool {
        self.steps.last().is_some_and(|step| !step.trail.seen.contains(&origin))
    }

    fn is_silent(&self, origin: Origin) -> bool {
        self.steps.last().is_some_and(|step| step.trail.silent.contains(&origin))
    }

    /// Exchanges some unseen pieces in the hider's deployment. Returns the deployment and the
    /// places that differ.
    fn other_setup(&self, chance: &mut Chance) -> Option<(String, BTreeSet<Origin>)> {
        let first: Vec<char> = self.setups[self.hider as usize].chars().collect();
        let mut letters = first.clone();
        let is_open = |place: &usize| first[*place] != '.' && self.is_unseen(Origin::Home(*place));
        let places: Vec<usize> = (0..first.len()).filter(is_open).collect();
        let silent: Vec<usize> =
            places.iter().copied().filter(|place| self.is_silent(Origin::Home(*place))).collect();
        for number in 0..between(chance, 1, 2) {
            // Do not exchange silent winners here, because they are a separate kind of secret.
            let from = if number == 0 && !silent.is_empty() { &silent } else { &places };
            let one = *from.get(chance.below(from.len().max(1)))?;
            if self.ruleset.reserve && once_in(chance, 2) && letters[one] != 'F' {
                let waits = |rank: &Rank| {
                    let letter = rank.letter();
                    let standing = letters.iter().filter(|other| **other == letter).count();
                    letter != letters[one] && standing < usize::from(self.ruleset.army.count(*rank))
                };
                let waiting: Vec<Rank> = Rank::ALL.into_iter().filter(waits).collect();
                letters[one] = waiting.get(chance.below(waiting.len().max(1)))?.letter();
            } else {
                letters.swap(one, places[chance.below(places.len())]);
            }
        }
        let differing = (0..first.len()).filter(|place| letters[*place] != first[*place]);
        let differing: BTreeSet<Origin> = differing.map(Origin::Home).collect();
        let has_silent = silent.is_empty() || differing.iter().any(|origin| self.is_silent(*origin));
        (!differing.is_empty() && has_silent).then(|| (letters.into_iter().collect(), differing))
    }

    /// Returns the same course with another secret. `None` if the result is not a valid game, or
    /// if the viewer could see a difference.
    fn twins(&self, setups: &SetupFiles, chance: &mut Chance) -> Option<(Twins, BTreeSet<Origin>)> {
        let (hider, viewer) = (self.hider, self.hider.opponent());
        let (other, mut differing) = self.other_setup(chance)?;
        let mut twins = Twins::new(self.ruleset, self.lakes);
        let deploy = |setup: &String| Some(GameCommand::Deploy { setup: setup.clone() });
        if once_in(chance, 2) {
            // One session gets an additional deployment, which is replaced before anybody else
            // learns of it (§A4).
            let more = setups.choose(self.ruleset, hider, chance);
            twins.order(hider, [None, deploy(&more)])?;
        }
        twins.order(hider, [deploy(&self.setups[hider as usize]), deploy(&other)])?;
        twins.order_alike(viewer, deploy(&self.setups[viewer as usize])?)?;
        let mut placings = 0;
        for (number, step) in self.steps.iter().enumerate() {
            self.interrupt(&mut twins, number, &differing, chance);
            let mut second = step.command.clone();
            if let (Command::Place(placing), true) = (&mut second, step.side == hider) {
                let origin = Origin::Reserve(placings);
                placings += 1;
                if self.is_unseen(origin) {
                    let before = placing.rank;
                    placing.rank = self.other_rank(&twins.games[1], before, chance)?;
                    differing.extend((placing.rank != before).then_some(origin));
                }
            }
            if let (Command::Move(asked), true) = (&mut second, step.is_color_unseen) {
                asked.color = asked.color.and(Some(ChipColor::ALL[chance.below(ChipColor::ALL.len())]));
            }
            twins.order(step.side, [as_message(&step.command), as_message(&second)])?;
        }
        let last = self.steps.len();
        self.probe(&mut twins, last, &differing);
        self.differs_at_the_end(&twins).then_some((twins, differing))
    }

    /// True if the reserves differ, so that messages about them differ. Also true if there is no
    /// reserve.
    fn differs_at_the_end(&self, twins: &Twins) -> bool {
        let [one, other] = twins.games.each_ref().map(|game| own_reserve(game, self.hider));
        !self.ruleset.reserve || one != other
    }

    fn other_rank(&self, game: &Game, before: Rank, chance: &mut Chance) -> Option<Rank> {
        let held = own_reserve(game, self.hider)?;
        let is_held = |rank: &Rank| held[*rank] > 0 && *rank != Rank::Bomb;
        let ranks: Vec<Rank> = Rank::ALL.into_iter().filter(is_held).collect();
        let others: Vec<Rank> = ranks.iter().copied().filter(|rank| *rank != before).collect();
        let from = if others.is_empty() { &ranks } else { &others };
        from.get(chance.below(from.len().max(1))).copied()
    }

    /// Adds acts between two steps of the course: the viewer sends impossible commands, loses its
    /// connection, offers a draw, or reads the game.
    fn interrupt(&self, twins: &mut Twins, number: usize, differing: &BTreeSet<Origin>, chance: &mut Chance) {
        let viewer = self.hider.opponent();
        if once_in(chance, 8) {
            self.probe(twins, number, differing);
        }
        if once_in(chance, 12) {
            twins.acts.push(Act::Drop(viewer));
        }
        if once_in(chance, 25) {
            let mut offered = twins.clone();
            let is_done = offered.order_alike(viewer, GameCommand::OfferDraw {}).is_some()
                && offered.order_alike(self.hider, GameCommand::DeclineDraw {}).is_some();
            if is_done {
                *twins = offered;
            }
        }
        let part = self.steps.len() / 4;
        match number {
            _ if number == 2 * part => twins.acts.push(Act::Fetch),
            _ if number == part || number == 3 * part => twins.acts.push(Act::Outage),
            _ => {}
        }
    }

    /// The viewer sends commands that must be refused. If possible, the commands concern a piece
    /// of the other side that differs between the sessions.
    fn probe(&self, twins: &mut Twins, number: usize, differing: &BTreeSet<Origin>) {
        let viewer = self.hider.opponent();
        let before = number.checked_sub(1).and_then(|before| self.steps.get(before));
        let differs = |step: &PairStep| {
            let found = step.trail.at.iter().find(|(_, origin)| differing.contains(origin));
            found.map(|(square, _)| *square)
        };
        let any = || twins.games[0].position().occupied(self.hider).first();
        let Some(square) = before.and_then(differs).or_else(any) else { return };
        impossible_at(square).into_iter().for_each(|command| twins.probe(viewer, 0, command));
        twins.probe(viewer, 1, GameCommand::OfferDraw {});
        twins.probe(viewer, 0, GameCommand::Deploy { setup: self.setups[viewer as usize].clone() });
    }
}

/// True if a strike did not win, so that no chip was laid (§S3.2).
fn has_failed(before: &Game, after: &Game, side: Side, command: &Command) -> bool {
    let Command::Move(asked) = command else { return false };
    let stands = |game: &Game, side: Side| game.position().occupied(side).contains(asked.squares.to);
    before.phase() == Phase::Playing && stands(before, side.opponent()) && !stands(after, side)
}

/// Plans a course with two secrets. `None` if none of the random attempts succeeds.
pub(super) fn plan(
    (number, seed): (usize, u64),
    ruleset: &'static Ruleset,
    setups: &SetupFiles,
    chance: &mut Chance,
) -> Option<PairPlan> {
    let lakes = ruleset.draw_lakes(&Entropy(chance.bytes()));
    let course = Course::random(ruleset, lakes, setups, chance)?;
    let hider = course.hider;
    let is_silent = |origin: &Origin| course.is_silent(*origin);
    // If there are silent winners, one of them must be among the differences.
    let has_silent = course.steps.last().is_some_and(|step| !step.trail.silent.is_empty());
    if ruleset.disclosure == Disclosure::SilentDefense && !has_silent {
        return None;
    }
    let found = (0..TWINS_MAX).find_map(|_| course.twins(setups, chance));
    let (mut twins, differing) = found?;
    if has_silent && !differing.iter().any(is_silent) {
        return None;
    }
    twins.end(hider, GameCommand::Resign {})?;
    twins.acts.push(Act::Fetch);
    Some(PairPlan {
        number,
        ruleset,
        lakes,
        hider,
        is_end_open: true,
        acts: twins.acts,
        name: format!("pair {number} ({}): {} of {hider}'s pieces differ", ruleset.id, differing.len()),
        seed,
    })
}
