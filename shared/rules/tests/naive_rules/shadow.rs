//! A second implementation of Shadowflash (§S), slow and plain, written from RULES.md
//! independently of the engine.
//!
//! It walks every path square by square, and finds what a move proves by trying every rank. Of the
//! engine's state it reads only position texts.

use std::collections::{BTreeMap, BTreeSet};

use crate::naive::{At, name};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Man {
    is_red: bool,
    letter: char,
    has_moved: bool,
    is_shown: bool,
    is_labeled: bool,
    /// The ranks its moves allow, as long as its rank is hidden.
    could_be: Option<BTreeSet<char>>,
}

/// A position of Shadowflash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shadow {
    sets: u8,
    pub(crate) men: BTreeMap<At, Man>,
    lakes: BTreeSet<At>,
    chips: BTreeMap<At, char>,
    /// Red's and Blue's reserve: the count of each letter, labeled or not.
    reserve: [BTreeMap<(char, bool), usize>; 2],
    owed: Option<At>,
    red_to_move: bool,
    is_flag_found: bool,
}

/// What a piece does on a path: a strike, a landing, or a flash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Strike,
    Landing,
    Flash,
}

const MOVABLE: &str = "123456789SP";
const COLORS: &str = "rybg";

fn at(text: &str) -> At {
    let (column, row) = text.split_at(1);
    ((column.as_bytes()[0] - b'a') as i8, row.parse::<i8>().expect("a row") - 1)
}

impl Shadow {
    pub(crate) fn read(text: &str) -> Shadow {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut shadow = Shadow {
            sets: fields[0].trim_start_matches("shadowflash-").parse().expect("a set"),
            men: BTreeMap::new(),
            lakes: BTreeSet::new(),
            chips: BTreeMap::new(),
            reserve: [BTreeMap::new(), BTreeMap::new()],
            owed: (fields[8] != "-").then(|| at(fields[8])),
            red_to_move: fields[1] == "red",
            is_flag_found: false,
        };
        for (from_top, row) in fields[4].split('/').enumerate() {
            shadow.read_row(9 - from_top as i8, row);
        }
        for (side, field) in [fields[5], fields[6]].into_iter().enumerate() {
            for item in field.split(',').filter(|item| *item != "-") {
                let (piece, count) = item.split_once(':').expect("a piece and its number");
                let letter = piece.chars().next().expect("a letter");
                shadow.reserve[side].insert((letter, piece.ends_with('^')), count.parse().expect("a number"));
            }
        }
        for item in fields[7].split(',').filter(|item| *item != "-") {
            let (square, color) = item.split_at(item.len() - 1);
            shadow.chips.insert(at(square), color.chars().next().expect("a color"));
        }
        shadow
    }

    fn read_row(&mut self, y: i8, row: &str) {
        let mut x = 0;
        let mut letters = row.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter == 'r' || letter == 'b' {
                let rank = letters.next().expect("a rank");
                let mut has = |mark| letters.next_if_eq(&mark).is_some();
                let (has_moved, is_shown, is_labeled) = (has('\''), has('*'), has('^'));
                let could_be =
                    has('[').then(|| letters.by_ref().take_while(|letter| *letter != ']').collect());
                let man =
                    Man { is_red: letter == 'r', letter: rank, has_moved, is_shown, is_labeled, could_be };
                self.men.insert((x, y), man);
                x += 1;
            } else {
                let mut digits = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                for _ in 0..digits.parse().unwrap_or(1) {
                    if letter == '~' {
                        self.lakes.insert((x, y));
                    }
                    x += 1;
                }
            }
        }
    }

    /// The next square of a path, also through a joint of set 2 (§S2.6).
    fn next(&self, (x, y): At, (dx, dy): At) -> Option<At> {
        let (to_x, to_y) = (x + dx, y + dy);
        if (0..16).contains(&to_x) && (0..10).contains(&to_y) {
            return Some((to_x, to_y));
        }
        let is_joined =
            if dx == 0 { [0, 1, 2, 6, 7, 8, 9, 13, 14, 15].contains(&x) } else { ![4, 5].contains(&y) };
        (self.sets >= 2 && is_joined).then_some(((to_x + 16) % 16, (to_y + 10) % 10))
    }

    /// Everything that a piece of this letter could do from a square: path, sign and kind.
    ///
    /// The letter need not be the piece's own.
    fn ways(&self, from: At, is_red: bool, letter: char) -> Vec<(Vec<At>, char, Kind)> {
        let mut ways = Vec::new();
        if !MOVABLE.contains(letter) {
            return ways;
        }
        for (step, sign) in [((0, 1), '+'), ((1, 0), '+'), ((0, -1), '-'), ((-1, 0), '-')] {
            let mut way: Vec<At> = Vec::new();
            let mut here = from;
            while let Some(there) =
                self.next(here, step).filter(|there| *there != from && !self.lakes.contains(there))
            {
                if let Some(other) = self.men.get(&there) {
                    if way.is_empty() && other.is_red != is_red {
                        ways.push((vec![there], sign, Kind::Strike));
                    }
                    break;
                }
                way.push(there);
                here = there;
                if let Some(kind) = self.kind(from, &way, letter) {
                    ways.push((way.clone(), sign, kind));
                }
            }
        }
        ways
    }

    fn kind(&self, from: At, way: &[At], letter: char) -> Option<Kind> {
        let own = self.chips.get(&from);
        if way.len() == 1 || letter == '9' || letter == 'P' {
            return Some(Kind::Landing);
        }
        if self.sets < 3 || own.is_none() {
            return None;
        }
        if way.iter().all(|square| self.chips.get(square) == own) {
            return Some(Kind::Landing);
        }
        let range = match letter {
            '2' => 2,
            '3' => 3,
            '4' => 4,
            _ => 0,
        };
        (way.len() <= range && way.iter().all(|square| self.chips.contains_key(square)))
            .then_some(Kind::Flash)
    }

    fn colors(&self) -> Vec<String> {
        if self.sets >= 2 {
            COLORS.chars().map(|color| format!("={color}")).collect()
        } else {
            vec![String::new()]
        }
    }

    /// Every legal command, in command notation.
    pub(crate) fn legal(&self) -> BTreeSet<String> {
        if self.owed.is_some() {
            return self.colors().into_iter().collect();
        }
        let mut all = BTreeSet::new();
        for (from, man) in self.men.iter().filter(|(_, man)| man.is_red == self.red_to_move) {
            if man.letter != 'F' {
                all.insert(format!("-{}", name(*from)));
            }
            for (way, sign, kind) in self.ways(*from, man.is_red, man.letter) {
                let sign = if self.sets >= 2 { sign.to_string() } else { String::new() };
                let colors = if kind == Kind::Flash { vec![String::new()] } else { self.colors() };
                let to = name(*way.last().expect("a way"));
                all.extend(colors.iter().map(|color| format!("{}{to}{sign}{color}", name(*from))));
            }
        }
        let home = if self.red_to_move { 0..4 } else { 6..10 };
        for square in home.flat_map(|y| (0..16).map(move |x| (x, y))).filter(|at| !self.men.contains_key(at))
        {
            let reserve = &self.reserve[usize::from(!self.red_to_move)];
            for ((letter, is_labeled), _) in reserve.iter().filter(|(_, count)| **count > 0) {
                let label = if *is_labeled { "^" } else { "" };
                all.extend(
                    self.colors().iter().map(|color| format!("{letter}{label}@{}{color}", name(square))),
                );
            }
        }
        all
    }

    /// Carries out a legal command.
    pub(crate) fn play(&mut self, command: &str) {
        let (act, color) =
            command.split_once('=').map_or((command, None), |(act, color)| (act, color.chars().next()));
        if act.is_empty() {
            let owed = self.owed.take().expect("a color is owed");
            self.chips.insert(owed, color.expect("a color"));
            return;
        }
        let side = usize::from(!self.red_to_move);
        if let Some(square) = act.strip_prefix('-') {
            let man = self.men.remove(&at(square)).expect("a man");
            *self.reserve[side].entry((man.letter, man.is_labeled)).or_default() += 1;
        } else if let Some((piece, square)) = act.split_once('@') {
            let letter = piece.chars().next().expect("a letter");
            let is_labeled = piece.ends_with('^');
            let held = self.reserve[side].get_mut(&(letter, is_labeled)).expect("in reserve");
            *held -= 1;
            if *held == 0 {
                self.reserve[side].remove(&(letter, is_labeled));
            }
            let is_red = self.red_to_move;
            let man =
                Man { is_red, letter, has_moved: false, is_shown: is_labeled, is_labeled, could_be: None };
            self.men.insert(at(square), man);
            color.and_then(|color| self.chips.insert(at(square), color));
        } else {
            self.go(act, color);
        }
        self.red_to_move = !self.red_to_move;
    }

    fn go(&mut self, act: &str, color: Option<char>) {
        let squares = act.trim_end_matches(['+', '-']);
        let second = squares
            .char_indices()
            .skip(1)
            .find(|(_, letter)| letter.is_ascii_alphabetic())
            .expect("two squares")
            .0;
        let (from, to) = (at(&squares[..second]), at(&squares[second..]));
        let man = self.men[&from].clone();
        let is_way = |(way, sign, _): &(Vec<At>, char, Kind)| {
            way.last() == Some(&to) && (!act.ends_with(['+', '-']) || act.ends_with(*sign))
        };
        let ways = self.ways(from, man.is_red, man.letter);
        let (way, _, kind) = ways.into_iter().find(is_way).expect("a way");
        if kind == Kind::Strike {
            return self.strike(from, to, color);
        }
        let before = self.clone();
        self.chips = before.chips_after(from, &way, kind, color);
        let all: BTreeSet<char> = MOVABLE.chars().filter(|letter| *letter != 'P' || self.sets >= 2).collect();
        let proved: BTreeSet<char> = all
            .iter()
            .copied()
            .filter(|letter| before.could_have(*letter, from, to, man.is_red, &self.chips))
            .collect();
        let mut man = self.men.remove(&from).expect("a man");
        man.has_moved = true;
        if proved != all && !man.is_shown {
            let known = man.could_be.take().unwrap_or(all);
            let left: BTreeSet<char> = known.intersection(&proved).copied().collect();
            man.is_shown = left.len() == 1;
            man.could_be = (!man.is_shown).then_some(left);
        }
        self.men.insert(to, man);
    }

    fn chips_after(&self, from: At, way: &[At], kind: Kind, color: Option<char>) -> BTreeMap<At, char> {
        let mut chips = self.chips.clone();
        match kind {
            Kind::Flash => {
                let own = chips[&from];
                way.iter().for_each(|square| _ = chips.insert(*square, own));
            }
            Kind::Landing | Kind::Strike => {
                let to = *way.last().expect("a way");
                color.and_then(|color| chips.insert(to, color));
            }
        }
        chips
    }

    /// Whether a piece of this letter could have gone there and left these chips (§S3.4).
    fn could_have(&self, letter: char, from: At, to: At, is_red: bool, chips: &BTreeMap<At, char>) -> bool {
        let colors: Vec<Option<char>> =
            if self.sets >= 2 { COLORS.chars().map(Some).collect() } else { vec![None] };
        self.ways(from, is_red, letter).iter().filter(|(way, ..)| way.last() == Some(&to)).any(
            |(way, _, kind)| colors.iter().any(|color| self.chips_after(from, way, *kind, *color) == *chips),
        )
    }

    fn strike(&mut self, from: At, to: At, color: Option<char>) {
        let (mut man, mut foe) =
            (self.men.remove(&from).expect("a man"), self.men.remove(&to).expect("a foe"));
        (man.has_moved, man.is_shown, foe.is_shown) = (true, true, true);
        (man.could_be, foe.could_be) = (None, None);
        self.is_flag_found = foe.letter == 'F';
        if man.letter == 'P' {
            foe.is_labeled = self.sets >= 2;
            self.men.insert(from, man);
            self.men.insert(to, foe);
            return;
        }
        match survivor(man.letter, foe.letter) {
            Some(true) => {
                self.men.insert(to, man);
                color.and_then(|color| self.chips.insert(to, color));
            }
            Some(false) => {
                foe.is_labeled |= self.sets >= 2 && man.letter == '9';
                if foe.letter == 'B' {
                    self.men.insert(to, foe);
                } else {
                    foe.has_moved = true;
                    self.men.insert(from, foe);
                    self.owed = (self.sets >= 2).then_some(from);
                }
            }
            None => {}
        }
    }

    /// How the game ends with the last command, apart from limits.
    pub(crate) fn verdict(&self) -> Option<&'static str> {
        if self.is_flag_found {
            return Some("flag_captured");
        }
        self.legal().is_empty().then_some("no_legal_move")
    }

    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if self.is_flag_found {
            return 0;
        }
        let legal = self.legal();
        if depth == 1 {
            return legal.len() as u64;
        }
        legal
            .iter()
            .map(|command| {
                let mut after = self.clone();
                after.play(command);
                after.perft(depth - 1)
            })
            .sum()
    }
}

/// The winner of a strike (§A6): the attacker (true), the defender (false) or neither.
fn survivor(attacker: char, defender: char) -> Option<bool> {
    let strength = |letter: char| match letter {
        'P' => 0,
        'S' => 1,
        letter => 11 - letter.to_digit(10).expect("a figure"),
    };
    match (attacker, defender) {
        (_, 'F') | ('8', 'B') | ('S', '1') => Some(true),
        (_, 'B') => Some(false),
        _ if strength(attacker) == strength(defender) => None,
        _ => Some(strength(attacker) > strength(defender)),
    }
}
