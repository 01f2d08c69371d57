//! Paired sessions: two games in which an audience was told the same. The bytes sent to this
//! audience in both games are compared.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use flagfall_board::{ChipColor, PerSide, Rank, Side, Square};
use flagfall_rules::secret::to_record;
use flagfall_rules::{
    Command, Entropy, Move, MoveCommand, Phase, Placing, Ruleset, Start, TimeControl, Viewer, decide, view,
};
use flagfall_tests::{Chance, Match, Step, random_setup};

use crate::beside::failed_color;
use crate::disclosed::{Disclosed, Origin};
use crate::doors::{Doors, opened, recorded, refused, scoped, told};

/// A game as it was played: each step and its time.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) ruleset: &'static Ruleset,
    pub(crate) time: TimeControl,
    pub(crate) secret: PerSide<bool>,
    pub(crate) salts: u64,
    pub(crate) steps: Vec<(Step, u64)>,
}

/// The result of a script, as one audience sees it.
pub(crate) struct Session {
    pub(crate) said: Vec<String>,
    pub(crate) bytes: Vec<String>,
    /// The state of the specification at the end.
    pub(crate) disclosed: Disclosed,
}

impl Script {
    /// Plays a random game to its end.
    pub(crate) fn random(ruleset: &'static Ruleset, chance: &mut Chance) -> Script {
        let time = if chance.once_in(2) {
            TimeControl::Unlimited
        } else {
            TimeControl::Fischer { base_ms: 600_000, increment_ms: 1_000 }
        };
        let secret = if chance.once_in(2) { PerSide::new(true, true) } else { PerSide::default() };
        let mut script = Script { ruleset, time, secret, salts: chance.bits(), steps: Vec::new() };
        let mut table = script.table();
        while table.game.phase() != Phase::Over {
            let step = table.random_step(chance);
            let after_ms = chance.below(400) as u64;
            if table.step(&step, after_ms).is_ok() {
                script.steps.push((step, after_ms));
            } else {
                // Leave out refused steps, but keep their time.
                script.steps.push((Step::Wait, after_ms));
            }
        }
        script
    }

    pub(crate) fn table(&self) -> Match {
        Match::new(self.ruleset, self.time, self.secret, Chance::new(self.salts))
    }

    /// Plays the script for one audience. `None` if a step is refused, because such a script is
    /// not a valid game.
    pub(crate) fn live(&self, doors: &impl Doors, viewer: Viewer) -> Option<Session> {
        let mut table = self.table();
        let mut disclosed = Disclosed::new(viewer, table.game.terms());
        let mut bytes = vec![opened(doors, &table.game, viewer, 0, table.now)];
        let mut seq = 0;
        let mut log = Vec::new();
        // The audience's own requests must depend only on information that the audience has.
        let mut asked = Chance::new(11);
        for (step, after_ms) in &self.steps {
            let logged = table.step(step, *after_ms).ok()?;
            log.extend(logged.iter().cloned());
            bytes.extend(doors.command(step, &logged, viewer));
            for logged in &logged {
                disclosed.note(&to_record(&logged.event));
                seq += u64::from(doors.counts(logged, viewer));
                if let Some(event) = doors.event(logged, viewer) {
                    bytes.push(told(&logged.after, seq, event));
                    // Request views more often right after a strike, because they then hide the
                    // most.
                    let is_strike = logged.is_strike();
                    if asked.once_in(if is_strike { 2 } else { 12 }) {
                        bytes.push(opened(doors, &logged.after, viewer, seq, logged.at));
                    }
                    if asked.once_in(40) {
                        probe(doors, &table, viewer, seq, &mut bytes);
                    }
                }
            }
        }
        bytes.push(opened(doors, &table.game, viewer, seq, table.now));
        bytes.extend(scoped(doors, &log, &table.game, viewer));
        bytes.push(recorded(&doors.record(&log, &table.game, viewer)));
        Some(Session { said: disclosed.said.clone(), bytes: commitments_made_opaque(&bytes), disclosed })
    }

    /// Returns the deployment that a side finally plays in the script.
    fn final_deployment(&mut self, side: Side) -> Option<&mut String> {
        self.steps.iter_mut().rev().find_map(|(step, _)| match step {
            Step::Deploy(by, text) if *by == side => Some(text),
            _ => None,
        })
    }

    /// Returns the same steps with other secrets.
    ///
    /// Exchanges ranks that the audience cannot tell apart at the end of the session. Adds or
    /// removes changes of deployments that the audience cannot see.
    pub(crate) fn twin(&self, disclosed: &Disclosed, viewer: Viewer, chance: &mut Chance) -> Script {
        let mut twin = self.clone();
        for side in Side::BOTH.into_iter().filter(|side| viewer != Viewer::Player(*side)) {
            let places: Vec<(usize, Square)> = (0..self.ruleset.shape.home_len())
                .filter_map(|place| Some((place, self.ruleset.shape.home_square(side, place)?)))
                .collect();
            let Some(text) = twin.final_deployment(side) else { continue };
            let mut letters: Vec<char> = text.chars().collect();
            let hidden: Vec<(usize, Origin, bool)> = places
                .iter()
                .map(|(place, square)| (*place, Origin::Home(*square)))
                .filter(|(place, origin)| letters[*place] != '.' && !disclosed.is_known(*origin))
                .map(|(place, origin)| (place, origin, disclosed.has_moved(origin)))
                .collect();
            // A piece that was removed must not become the Flag, because the Flag cannot be
            // removed.
            let stayed = |origin: Origin| !disclosed.was_removed(origin);
            for _ in 0..1 + chance.below(30) {
                if hidden.len() < 2 {
                    break;
                }
                let (one, one_origin, one_moved) = hidden[chance.below(hidden.len())];
                let (other, other_origin, other_moved) = hidden[chance.below(hidden.len())];
                let is_movable =
                    |letter: char| !matches!(Rank::from_letter(letter), Some(Rank::Flag | Rank::Bomb));
                if self.ruleset.reserve && chance.once_in(3) {
                    // Exchanges a piece on the board for one in the reserve.
                    let reserve: Vec<char> = self
                        .ruleset
                        .army
                        .iter()
                        .filter(|(rank, count)| {
                            letters.iter().filter(|letter| **letter == rank.letter()).count()
                                < usize::from(*count)
                        })
                        .map(|(rank, _)| rank.letter())
                        .collect();
                    let letter = reserve[chance.below(reserve.len())];
                    if letters[one] != 'F' && (!one_moved || is_movable(letter)) {
                        letters[one] = letter;
                    }
                    continue;
                }
                if (letters[one] == 'F' && !stayed(other_origin))
                    || (letters[other] == 'F' && !stayed(one_origin))
                {
                    continue;
                }
                if (!one_moved || is_movable(letters[other]))
                    && (!other_moved || is_movable(letters[one]))
                    && disclosed.fits(one_origin, letters[other])
                    && disclosed.fits(other_origin, letters[one])
                {
                    letters.swap(one, other);
                }
            }
            *text = letters.into_iter().collect();
            twin.change_redeployments(side, chance);
        }
        if self.ruleset.reserve {
            twin.change_placings(disclosed, viewer, chance);
        }
        if self.ruleset.chips {
            twin.change_failed_colors(viewer, chance);
        }
        twin
    }

    /// Changes the ranks of placed pieces that the audience never learned.
    ///
    /// A rank is changed at random, and always if the twin's reserve does not contain it.
    fn change_placings(&mut self, disclosed: &Disclosed, viewer: Viewer, chance: &mut Chance) {
        let mut table = self.table();
        let mut placings = 0;
        for (step, after_ms) in &mut self.steps {
            if let Step::Ask(side, Command::Place(placing)) = step {
                let origin = Origin::Placing(placings);
                placings += 1;
                let has_moved = disclosed.has_moved(origin);
                if viewer != Viewer::Player(*side) && !disclosed.is_known(origin) {
                    let reserve = view(&table.game, Viewer::Player(*side), table.now).reserve;
                    let held = reserve.and_then(|reserves| reserves[*side].unlabeled).unwrap_or_default();
                    let ranks: Vec<Rank> = Rank::ALL
                        .into_iter()
                        .filter(|rank| held[*rank] > 0 && !(has_moved && *rank == Rank::Bomb))
                        .collect();
                    let is_there = ranks.contains(&placing.rank);
                    if !ranks.is_empty() && (!is_there || chance.once_in(2)) {
                        placing.rank = ranks[chance.below(ranks.len())];
                    }
                }
            }
            if table.step(step, *after_ms).is_err() {
                return;
            }
        }
    }

    /// Changes the colors that were named for failed strikes. No chip was laid, so others are not
    /// told the color (§S3.2).
    fn change_failed_colors(&mut self, viewer: Viewer, chance: &mut Chance) {
        let mut table = self.table();
        for (step, after_ms) in &mut self.steps {
            let Ok(logged) = table.step(step, *after_ms) else { return };
            if failed_color(step, &logged).is_some()
                && let Step::Ask(side, Command::Move(asked)) = step
                && viewer != Viewer::Player(*side)
            {
                asked.color = Some(ChipColor::ALL[chance.below(4)]);
            }
        }
    }

    fn change_redeployments(&mut self, side: Side, chance: &mut Chance) {
        let deployments: Vec<usize> = self
            .steps
            .iter()
            .enumerate()
            .filter(|(_, (step, _))| matches!(step, Step::Deploy(by, _) if *by == side))
            .map(|(index, _)| index)
            .collect();
        let (Some(first), Some(last)) = (deployments.first(), deployments.last()) else { return };
        let later_other = self.steps.iter().skip(*last).any(|(step, _)| matches!(step, Step::Deploy(..)));
        if first != last && *last + 1 < self.steps.len() && chance.once_in(2) {
            // Keeps only a side's last deployment, and moves it to the place of the first one.
            let is_last_to_deploy =
                !self.steps.iter().skip(*last + 1).any(|(step, _)| matches!(step, Step::Deploy(..)));
            if !is_last_to_deploy {
                let text = match &self.steps[*last].0 {
                    Step::Deploy(_, text) => text.clone(),
                    _ => return,
                };
                self.steps[*first].0 = Step::Deploy(side, text);
                for index in &deployments[1..] {
                    self.steps[*index].0 = Step::Wait;
                }
            }
        } else if later_other && chance.once_in(2) {
            // Inserts another deployment at the same moment, before the one that is played.
            let (Step::Deploy(_, _), after_ms) = self.steps[*first].clone() else { return };
            let other = random_setup(self.ruleset, chance);
            let stands = self.steps[*first].0.clone();
            if self
                .steps
                .iter()
                .skip(*first + 1)
                .any(|(step, _)| matches!(step, Step::Deploy(by, _) if *by != side))
                && !self
                    .steps
                    .iter()
                    .take(*first)
                    .any(|(step, _)| matches!(step, Step::Deploy(by, _) if *by != side))
            {
                self.steps[*first] = (Step::Deploy(side, other), after_ms);
                self.steps.insert(*first + 1, (stands, 0));
            }
        }
    }
}

/// Tries every move as the audience's player and keeps the answers.
///
/// There are ten thousand moves, so the bytes are kept only as one checksum, and the codes in
/// full.
fn probe(doors: &impl Doors, table: &Match, viewer: Viewer, seq: u64, bytes: &mut Vec<String>) {
    let Viewer::Player(side) = viewer else { return };
    let board = table.game.terms().ruleset.shape.squares();
    let entropy = Entropy([0; 32]);
    let mut answers = Vec::new();
    let mut last = String::new();
    let mut ask = |command: &Command, squares: Option<Move>| {
        match decide(&table.game, side, table.game.ply(), command, table.now, &entropy) {
            // An accepted strike discloses ranks, as the rules require. So it is not a leak if
            // the acceptance of a command, or a loss by an illegal command, depends on ranks.
            Ok(events) => {
                let first = events.iter().next().map(|event| format!("{event:?}"));
                answers.push(("accepted".to_owned(), first.unwrap_or_default()));
            }
            Err(refusal) => {
                let squares = squares.unwrap_or(Move { from: first(), to: first() });
                let refusal = doors.refusal(&table.game, squares, refusal);
                answers.push((refusal.code.as_str().to_owned(), refusal.to_string()));
                last = refused(&table.game, seq, refusal);
            }
        }
    };
    let own = table.game.position().occupied(side);
    for from in board.iter() {
        for to in board.iter() {
            // From a square without one of the player's own pieces, the answer is the same for
            // every target, so try only some targets.
            if own.contains(from) || to.index().is_multiple_of(7) {
                let squares = Move { from, to };
                ask(&Command::Move(squares.into()), Some(squares));
            }
        }
    }
    // Also tries commands for reserves and colors.
    for (number, square) in board.iter().enumerate().filter(|_| table.game.terms().ruleset.reserve) {
        let color = ChipColor::ALL[number % 4];
        ask(&Command::Remove(square), None);
        ask(&Command::Color(color), None);
        if own.contains(square) {
            continue;
        }
        for color in [None, Some(color)] {
            let rank = Rank::ALL[number % Rank::COUNT];
            ask(&Command::Place(Placing { square, rank, is_labeled: number.is_multiple_of(5), color }), None);
            for from in own.iter().filter(|from| (from.index() + number).is_multiple_of(9)) {
                let squares = Move { from, to: square };
                ask(&Command::Move(MoveCommand { squares, path: None, color }), Some(squares));
            }
        }
    }
    for command in
        [Command::OfferDraw, Command::AcceptDraw, Command::DeclineDraw, Command::Resign, Command::Abort]
    {
        ask(&command, None);
    }
    let mut sum = DefaultHasher::new();
    answers.hash(&mut sum);
    bytes.push(last);
    bytes.push(format!("{} answers, {:016x}", answers.len(), sum.finish()));
}

fn first() -> Square {
    match Square::from_index(0) {
        Some(square) => square,
        None => panic!("every board has a first square"),
    }
}

/// Replaces salted commitments, which are random by design. Each text of 64 hexadecimal digits is
/// replaced by a number, in the order of first appearance.
fn commitments_made_opaque(bytes: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    bytes
        .iter()
        .map(|text| {
            text.split('"')
                .map(|word| {
                    if word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                        let known = seen.iter().position(|other| other == word);
                        let index = known.unwrap_or_else(|| {
                            seen.push(word.to_owned());
                            seen.len() - 1
                        });
                        format!("#{index}")
                    } else {
                        word.to_owned()
                    }
                })
                .collect::<Vec<_>>()
                .join("\"")
        })
        .collect()
}

#[derive(Default, Debug)]
pub(crate) struct Findings {
    /// The number of pairs of games that tell the audience the same but have different hidden
    /// ranks.
    pub(crate) pairs: usize,
    /// The number of pairs of games that differ in how many events the audience is not told
    /// about. These events are deployments or choices.
    pub(crate) more_or_fewer: usize,
    pub(crate) bytes: usize,
    /// The first bytes that differ.
    pub(crate) leak: Option<(String, String)>,
}

impl Findings {
    /// Counts a pair and compares its bytes.
    pub(crate) fn note(&mut self, one: &[String], other: &[String], is_more_or_fewer: bool) {
        self.pairs += 1;
        self.more_or_fewer += usize::from(is_more_or_fewer);
        self.bytes += one.iter().map(String::len).sum::<usize>();
        if self.leak.is_none() && one != other {
            let different = one.iter().zip(other).find(|(one, other)| one != other);
            let lengths = || (one.len().to_string(), other.len().to_string());
            self.leak = Some(different.map_or_else(lengths, |(one, other)| (one.clone(), other.clone())));
        }
    }
}

/// Searches games of one ruleset for bytes that depend on a secret, and stops at the first leak.
pub(crate) fn look(doors: &impl Doors, ruleset: &'static Ruleset, seed: u64, games: u64) -> Findings {
    match ruleset.start {
        Start::Deployments => look_at_ranks(doors, ruleset, seed, games),
        Start::Coins => crate::choices::look(doors, ruleset, seed, games),
    }
}

/// Returns the random game of a seed, and the random generator in its state after the game.
///
/// The search for every planted leak uses the same games, so each game is played only once.
fn game_of(ruleset: &'static Ruleset, seed: u64) -> (Script, Chance) {
    type Cell = Arc<OnceLock<(Script, Chance)>>;
    static GAMES: Mutex<BTreeMap<(&str, u64), Cell>> = Mutex::new(BTreeMap::new());
    let cell = {
        let mut games = GAMES.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(games.entry((ruleset.id, seed)).or_default())
    };
    let play = || {
        let mut chance = Chance::new(seed);
        (Script::random(ruleset, &mut chance), chance)
    };
    cell.get_or_init(play).clone()
}

fn look_at_ranks(doors: &impl Doors, ruleset: &'static Ruleset, seed: u64, games: u64) -> Findings {
    let mut findings = Findings::default();
    for game in 0..games {
        if findings.leak.is_some() {
            break;
        }
        let (script, mut chance) = game_of(ruleset, seed + game);
        for viewer in Viewer::ALL {
            // Sessions have different lengths. Short sessions hide more, and long sessions have
            // more events.
            for part in [8, 3, 1] {
                let mut script = script.clone();
                let length = script.steps.len();
                script.steps.truncate((length / part).max(6).min(length));
                if part == 1 && !(viewer == Viewer::Public && script.secret.red && script.secret.blue) {
                    // At the end, those who may see this game also see the deployments.
                    script.steps.pop();
                }
                let Some(one) = script.live(doors, viewer) else { panic!("a script can be played again") };
                for _ in 0..3 {
                    if findings.leak.is_some() {
                        break;
                    }
                    let twin = script.twin(&one.disclosed, viewer, &mut chance);
                    let Some(other) = twin.live(doors, viewer) else { continue };
                    let is_other = deployments(&script) != deployments(&twin);
                    if one.said != other.said || !is_other {
                        continue;
                    }
                    let is_more = deployments(&script).len() != deployments(&twin).len();
                    findings.note(&one.bytes, &other.bytes, is_more);
                }
            }
        }
    }
    findings
}

fn deployments(script: &Script) -> Vec<String> {
    script
        .steps
        .iter()
        .filter_map(|(step, _)| match step {
            Step::Deploy(side, text) => Some(format!("{side} {text}")),
            _ => None,
        })
        .collect()
}
