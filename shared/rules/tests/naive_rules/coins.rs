//! A second implementation of Quantum (§Q), slow and plain, written from RULES.md independently of
//! the engine.
//!
//! It counts the reserve rule on the board at every act, and looks the two-squares rule up in the
//! whole history. Of the engine's state it reads only position texts.

use std::collections::{BTreeMap, BTreeSet};

use crate::naive::{At, name};

#[derive(Clone, PartialEq, Eq, Debug)]
struct Man {
    id: usize,
    is_red: bool,
    /// `o` while it is a coin.
    letter: char,
    has_moved: bool,
}

/// A position of Quantum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Coins {
    men: BTreeMap<At, Man>,
    lakes: BTreeSet<At>,
    pools: [BTreeMap<char, usize>; 2],
    /// The strike that waits, and the choices of Red and Blue in it.
    pending: Option<(At, At, [Option<char>; 2])>,
    is_red_to_move: bool,
    /// Each ply: side, man, from, to.
    past: Vec<(bool, usize, At, At)>,
    is_flag_taken: bool,
}

fn at(text: &str) -> At {
    let (column, row) = text.split_at(1);
    ((column.as_bytes()[0] - b'a') as i8, row.parse::<i8>().expect("a row") - 1)
}

/// Both squares of `a4a5`.
fn both(text: &str) -> (At, At) {
    let second = text[1..].find(|letter: char| letter.is_ascii_alphabetic()).expect("a second square") + 1;
    (at(&text[..second]), at(&text[second..]))
}

fn is_heavy(letter: char) -> bool {
    letter == 'F' || letter == 'B'
}

impl Coins {
    pub(crate) fn read(text: &str) -> Coins {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut men = BTreeMap::new();
        let mut lakes = BTreeSet::new();
        for (from_top, row) in fields[4].split('/').enumerate() {
            let y = 9 - from_top as i8;
            let mut x = 0;
            let mut letters = row.chars().peekable();
            while let Some(first) = letters.next() {
                if first == 'r' || first == 'b' {
                    let letter = letters.next().expect("a letter");
                    let has_moved = letters.next_if_eq(&'\'').is_some();
                    let is_shown = letters.next_if_eq(&'*').is_some();
                    assert_eq!(is_shown, letter != 'o', "what a coin became is public");
                    men.insert((x, y), Man { id: men.len(), is_red: first == 'r', letter, has_moved });
                    x += 1;
                    continue;
                }
                let mut count = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    count.push(digit);
                }
                for _ in 0..count.parse().unwrap_or(1) {
                    if first == '~' {
                        lakes.insert((x, y));
                    }
                    x += 1;
                }
            }
        }
        let pool = |field: &str| -> BTreeMap<char, usize> {
            let items = field.split(',').filter(|item| *item != "-");
            items
                .map(|item| (item.chars().next().expect("a letter"), item[2..].parse().expect("a number")))
                .collect()
        };
        let pending = (fields[7] != "-").then(|| {
            let mut parts = fields[7].split(',');
            let (from, to) = both(parts.next().expect("a strike"));
            let mut chosen = [None, None];
            for part in parts {
                chosen[usize::from(part.starts_with('b'))] = part.chars().nth(1);
            }
            (from, to, chosen)
        });
        Coins {
            men,
            lakes,
            pools: [pool(fields[5]), pool(fields[6])],
            pending,
            is_red_to_move: fields[1] == "red",
            past: Vec::new(),
            is_flag_taken: false,
        }
    }

    /// The same position without its history.
    pub(crate) fn plain(&self) -> Coins {
        let men = self.men.values().map(|man| Man { id: 0, ..man.clone() });
        Coins {
            men: self.men.keys().copied().zip(men).collect(),
            past: Vec::new(),
            pools: self.pools.clone().map(|pool| pool.into_iter().filter(|(_, count)| *count > 0).collect()),
            is_flag_taken: false,
            ..self.clone()
        }
    }

    fn left(&self, is_red: bool, letter: char) -> usize {
        self.pools[usize::from(!is_red)].get(&letter).copied().unwrap_or(0)
    }

    /// Whether at least as many coins are unmoved as Bombs and Flags are left in the pool (§Q6).
    fn keeps_reserve(&self, is_red: bool) -> bool {
        let unmoved =
            self.men.values().filter(|man| man.is_red == is_red && man.letter == 'o' && !man.has_moved);
        unmoved.count() >= self.left(is_red, 'F') + self.left(is_red, 'B')
    }

    fn become_piece(&mut self, square: At, letter: char) {
        let man = self.men.get_mut(&square).expect("a man");
        man.letter = letter;
        *self.pools[usize::from(!man.is_red)].get_mut(&letter).expect("one of these") -= 1;
    }

    /// §C3, from the history.
    fn breaks_two_squares(&self, from: At, to: At) -> bool {
        let id = self.men[&from].id;
        let own = self.past.iter().rev().filter(|past| past.0 == self.men[&from].is_red);
        let chain: Vec<_> = own.take_while(|past| past.1 == id).take(3).collect();
        let borders = |from: At, to: At| -> BTreeSet<(At, At)> {
            let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
            let length = (to.0 - from.0).abs().max((to.1 - from.1).abs());
            let on = |step| (from.0 + dx * step, from.1 + dy * step);
            (0..length).map(|step| (on(step).min(on(step + 1)), on(step).max(on(step + 1)))).collect()
        };
        chain.len() == 3
            && borders(from, to)
                .iter()
                .any(|border| chain.iter().all(|past| borders(past.2, past.3).contains(border)))
    }

    /// Every move of a side if it were its turn, with or without the reserve rule.
    fn moves(&self, is_red: bool, with_reserve_rule: bool) -> Vec<(At, At)> {
        let mut moves = Vec::new();
        for (&from, man) in self.men.iter().filter(|(_, man)| man.is_red == is_red && !is_heavy(man.letter)) {
            for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                for step in 1..10 {
                    let to = (from.0 + dx * step, from.1 + dy * step);
                    let is_on_board = (0..10).contains(&to.0) && (0..10).contains(&to.1);
                    let is_own = self.men.get(&to).is_some_and(|other| other.is_red == is_red);
                    if !is_on_board || self.lakes.contains(&to) || is_own {
                        break;
                    }
                    let may_run = man.letter == '9' || man.letter == 'o' && self.left(is_red, '9') > 0;
                    if step > 1 && !may_run {
                        break;
                    }
                    if !self.breaks_two_squares(from, to)
                        && (!with_reserve_rule || self.set_out(from, to).keeps_reserve(is_red))
                    {
                        moves.push((from, to));
                    }
                    if self.men.contains_key(&to) {
                        break;
                    }
                }
            }
        }
        moves
    }

    /// The board after a man sets out to move or strike: it counts as moved, and a coin that goes
    /// far is a Scout.
    fn set_out(&self, from: At, to: At) -> Coins {
        let mut after = self.clone();
        let man = after.men.get_mut(&from).expect("a man");
        man.has_moved = true;
        let is_far = (to.0 - from.0).abs() + (to.1 - from.1).abs() > 1;
        if man.letter == 'o' && is_far {
            after.become_piece(from, '9');
        }
        after
    }

    /// Whether the reserve rule refuses moves of the side to move.
    pub(crate) fn holds_back(&self) -> bool {
        let red = self.is_red_to_move;
        self.pending.is_none() && self.moves(red, true).len() < self.moves(red, false).len()
    }

    /// The side that acts next.
    fn is_red_acting(&self) -> bool {
        let Some((from, to, chosen)) = self.pending else { return self.is_red_to_move };
        let owes = |square: At| {
            let man = &self.men[&square];
            man.letter == 'o' && chosen[usize::from(!man.is_red)].is_none()
        };
        if owes(from) { self.men[&from].is_red } else { self.men[&to].is_red }
    }

    /// Every act of the side that acts next, as text.
    pub(crate) fn legal(&self) -> BTreeSet<String> {
        let Some((from, to, _)) = self.pending else {
            let moves = self.moves(self.is_red_to_move, true);
            return moves.into_iter().map(|(from, to)| format!("{}{}", name(from), name(to))).collect();
        };
        let is_red = self.is_red_acting();
        let coin = if self.men[&from].is_red == is_red { from } else { to };
        let pool = &self.pools[usize::from(!is_red)];
        let may_be = |letter: &char| {
            let mut after = self.clone();
            after.become_piece(coin, *letter);
            after.keeps_reserve(is_red) && !(is_heavy(*letter) && self.men[&coin].has_moved)
        };
        pool.iter()
            .filter(|(letter, count)| **count > 0 && may_be(letter))
            .map(|(letter, _)| format!("!{letter}"))
            .collect()
    }

    pub(crate) fn play(&mut self, act: &str) {
        if let Some(letter) = act.strip_prefix('!') {
            let is_red = self.is_red_acting();
            let (_, _, chosen) = self.pending.as_mut().expect("a strike");
            chosen[usize::from(!is_red)] = letter.chars().next();
        } else {
            let (from, to) = both(act);
            *self = self.set_out(from, to);
            if !self.men.contains_key(&to) {
                let man = self.men.remove(&from).expect("a man");
                self.past.push((man.is_red, man.id, from, to));
                self.men.insert(to, man);
                self.is_red_to_move = !self.is_red_to_move;
                return;
            }
            self.pending = Some((from, to, [None, None]));
        }
        self.resolve();
    }

    /// Ends the strike if no choice is owed.
    fn resolve(&mut self) {
        let Some((from, to, chosen)) = self.pending else { return };
        let choice = |man: &Man| chosen[usize::from(!man.is_red)];
        if [from, to]
            .iter()
            .any(|square| self.men[square].letter == 'o' && choice(&self.men[square]).is_none())
        {
            return;
        }
        for square in [from, to] {
            let man = self.men[&square].clone();
            if man.letter == 'o' {
                self.become_piece(square, choice(&man).expect("a choice"));
            }
        }
        self.pending = None;
        let attacker = self.men.remove(&from).expect("the attacker");
        let defender = self.men.remove(&to).expect("the defender");
        self.past.push((attacker.is_red, attacker.id, from, to));
        self.is_flag_taken = defender.letter == 'F';
        const ORDER: &str = "S987654321";
        let strength = |letter: char| ORDER.find(letter);
        let wins = match (attacker.letter, defender.letter) {
            (_, 'F') | ('8', 'B') | ('S', '1') => Some(true),
            (_, 'B') => Some(false),
            (a, d) if a == d => None,
            (a, d) => Some(strength(a) > strength(d)),
        };
        if let Some(wins) = wins {
            self.men.insert(to, if wins { attacker } else { defender });
        }
        self.is_red_to_move = !self.is_red_to_move;
    }

    /// The verdict of §A10 for the side to move; none while a strike waits.
    pub(crate) fn verdict(&self) -> Option<&'static str> {
        if self.is_flag_taken {
            return Some("flag_captured");
        }
        let red = self.is_red_to_move;
        if self.pending.is_some() || !self.moves(red, true).is_empty() {
            return None;
        }
        if !self.moves(red, false).is_empty() {
            return Some("forfeited_reserve");
        }
        Some(if self.moves(!red, true).is_empty() { "both_blocked" } else { "no_legal_move" })
    }

    /// Counts the positions after this many acts. A game whose Flag is taken goes no further.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if self.is_flag_taken {
            return 0;
        }
        let legal = self.legal();
        if depth == 1 {
            return legal.len() as u64;
        }
        let after = |act: &String| {
            let mut after = self.clone();
            after.play(act);
            after.perft(depth - 1)
        };
        legal.iter().map(after).sum()
    }
}
