//! A second implementation of the rules, slow and plain, written from RULES.md independently of the
//! engine.
//!
//! It keeps the whole history and looks everything up in it. Of the engine's state it reads only
//! position texts.

use std::collections::{BTreeMap, BTreeSet};

/// Column and row, from 0.
pub(crate) type At = (i8, i8);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Man {
    pub(crate) id: usize,
    pub(crate) is_red: bool,
    pub(crate) letter: char,
    pub(crate) has_moved: bool,
    /// Whether its rank is public.
    pub(crate) is_shown: bool,
}

/// Where each man stands, without its state (§T3).
fn placement(men: &BTreeMap<At, Man>) -> Vec<(At, usize)> {
    men.iter().map(|(at, man)| (*at, man.id)).collect()
}

/// The rules of RULES.md that a game follows, as this implementation names them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// How many moves in a row may cross the same border (§C3).
    pub(crate) two_squares: Option<usize>,
    pub(crate) more_squares: bool,
    /// The rank that a Spy's strike takes (§A6, §P2).
    pub(crate) spy_takes: char,
    /// Who wins between equals (§A6, §D1): the attacker (true), the defender (false) or neither.
    pub(crate) of_equals: Option<bool>,
    /// Whether a Bomb leaves with the attacker it beats (§U3).
    pub(crate) bombs_go: bool,
    /// Whether a Scout either moves or strikes in a turn (§O1).
    pub(crate) scouts_move_or_strike: bool,
    /// Whether a defender that beats anything but a Scout stays hidden (§D1).
    pub(crate) silent_defenders: bool,
    /// Whether a defender that wins moves to the attacker's square (§O1, §U4).
    pub(crate) defenders_go: bool,
}

impl Rules {
    fn of(id: &str) -> Rules {
        Rules {
            two_squares: matches!(id, "classic" | "tournament" | "barrage" | "silent-defense").then_some(3),
            more_squares: matches!(id, "tournament" | "barrage"),
            spy_takes: if id == "pbm-small" { '2' } else { '1' },
            of_equals: (id == "silent-defense").then_some(true),
            bombs_go: id == "course",
            scouts_move_or_strike: id == "original",
            silent_defenders: id == "silent-defense",
            defenders_go: matches!(id, "original" | "course"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Past {
    is_red: bool,
    id: usize,
    from: At,
    to: At,
    is_strike: bool,
    /// Whether the moved piece ended next to an enemy.
    threatens: bool,
}

/// A game that continues from a position.
#[derive(Clone)]
pub(crate) struct Naive {
    pub(crate) men: BTreeMap<At, Man>,
    lakes: BTreeSet<At>,
    size: At,
    pub(crate) red_to_move: bool,
    pub(crate) rules: Rules,
    past: Vec<Past>,
    /// The men before each past ply.
    placements: Vec<BTreeMap<At, Man>>,
    pub(crate) is_flag_taken: bool,
}

pub(crate) fn name((column, row): At) -> String {
    format!("{}{}", (b'a' + column as u8) as char, row + 1)
}

impl Naive {
    /// Reads a position text with runs of squares.
    pub(crate) fn read(text: &str) -> Naive {
        let fields: Vec<&str> = text.split(' ').collect();
        let rows: Vec<&str> = fields[4].split('/').collect();
        let mut men = BTreeMap::new();
        let mut lakes = BTreeSet::new();
        let mut columns = 0;
        for (from_top, row) in rows.iter().enumerate() {
            let y = (rows.len() - 1 - from_top) as i8;
            let mut x = 0;
            let mut letters = row.chars().peekable();
            while let Some(letter) = letters.next() {
                if letter == 'r' || letter == 'b' {
                    let rank = letters.next().expect("a rank");
                    let mut has = |mark| letters.next_if_eq(&mark).is_some();
                    let (has_moved, is_shown) = (has('\''), has('*'));
                    let man = Man { id: men.len(), is_red: letter == 'r', letter: rank, has_moved, is_shown };
                    men.insert((x, y), man);
                    x += 1;
                } else {
                    let mut digits = String::new();
                    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                        digits.push(digit);
                    }
                    for _ in 0..digits.parse().unwrap_or(1) {
                        if letter == '~' {
                            lakes.insert((x, y));
                        }
                        x += 1;
                    }
                }
            }
            columns = x;
        }
        Naive {
            men,
            lakes,
            size: (columns, rows.len() as i8),
            red_to_move: fields[1] == "red",
            rules: Rules::of(fields[0]),
            past: Vec::new(),
            placements: Vec::new(),
            is_flag_taken: false,
        }
    }

    /// The same board under other rules.
    pub(crate) fn under(self, rules: Rules) -> Naive {
        Naive { rules, ..self }
    }

    fn around(at: At) -> [At; 4] {
        [(at.0, at.1 + 1), (at.0 + 1, at.1), (at.0, at.1 - 1), (at.0 - 1, at.1)]
    }

    fn is_next_to_enemy(men: &BTreeMap<At, Man>, at: At, is_red: bool) -> bool {
        Naive::around(at).iter().any(|near| men.get(near).is_some_and(|man| man.is_red != is_red))
    }

    /// Every move that pieces can make, before repetition rules.
    fn pseudo(&self) -> Vec<(At, At)> {
        let mut moves = Vec::new();
        for (&from, man) in &self.men {
            if man.is_red != self.red_to_move || man.letter == 'F' || man.letter == 'B' {
                continue;
            }
            for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let mut to = from;
                loop {
                    to = (to.0 + dx, to.1 + dy);
                    let is_on_board = to.0 >= 0 && to.1 >= 0 && to.0 < self.size.0 && to.1 < self.size.1;
                    if !is_on_board || self.lakes.contains(&to) {
                        break;
                    }
                    match self.men.get(&to) {
                        Some(other) if other.is_red == man.is_red => break,
                        Some(_) => {
                            let is_step = to == (from.0 + dx, from.1 + dy);
                            if is_step || !self.rules.scouts_move_or_strike {
                                moves.push((from, to));
                            }
                            break;
                        }
                        None => moves.push((from, to)),
                    }
                    if man.letter != '9' {
                        break;
                    }
                }
            }
        }
        moves
    }

    /// The borders a move crosses, each named by its two squares.
    fn borders(from: At, to: At) -> BTreeSet<(At, At)> {
        let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let mut borders = BTreeSet::new();
        let mut at = from;
        while at != to {
            let next = (at.0 + dx, at.1 + dy);
            borders.insert((at.min(next), at.max(next)));
            at = next;
        }
        borders
    }

    /// §C3, from the history: the last plies of the side, as long as one piece made them.
    fn breaks_two_squares(&self, from: At, to: At) -> bool {
        let id = self.men[&from].id;
        let own: Vec<&Past> = self.past.iter().filter(|past| past.is_red == self.red_to_move).collect();
        let Some(limit) = self.rules.two_squares else { return false };
        let chain: Vec<&&Past> = own.iter().rev().take_while(|past| past.id == id).take(limit).collect();
        chain.len() == limit
            && Naive::borders(from, to)
                .iter()
                .any(|border| chain.iter().all(|past| Naive::borders(past.from, past.to).contains(border)))
    }

    /// §T1, from the history: the side's counter now.
    pub(crate) fn chase(&self, red: bool) -> usize {
        let mut chase = BTreeMap::from([(true, 0), (false, 0)]);
        let mut last: BTreeMap<bool, At> = BTreeMap::new();
        for past in &self.past {
            let other = !past.is_red;
            let flees = last.get(&other).is_some_and(|to| Naive::around(*to).contains(&past.from));
            chase.insert(other, if flees { chase[&other] + 1 } else { 0 });
            if past.is_strike {
                chase = BTreeMap::from([(true, 0), (false, 0)]);
            }
            chase.insert(past.is_red, if past.threatens { chase[&past.is_red] + 1 } else { 0 });
            last.insert(past.is_red, past.to);
        }
        chase[&red]
    }

    /// Whether §T2 refuses a move. With `by_rank`, placements are compared by ranks, as §T3
    /// forbids.
    pub(crate) fn breaks_more_squares(&self, from: At, to: At, by_rank: bool) -> bool {
        let red = self.red_to_move;
        let chase = self.chase(red);
        if chase < 2 || self.men.contains_key(&to) {
            return false;
        }
        let mut after = self.men.clone();
        let man = after.remove(&from).expect("a man");
        after.insert(to, man);
        let last = self.past.iter().rev().find(|past| past.is_red == red);
        let is_reversal = last.is_some_and(|past| past.from == to && past.to == from);
        if is_reversal || !Naive::is_next_to_enemy(&after, to, red) {
            return false;
        }
        (1..chase).any(|k| {
            // `placements[n]` is the one before ply n, so the one k plies before now is the k-th
            // from the end.
            let Some(index) = self.placements.len().checked_sub(k) else { return false };
            let before = &self.placements[index];
            if by_rank {
                let plain = |men: &BTreeMap<At, Man>| -> Vec<(At, bool, char)> {
                    men.iter().map(|(at, man)| (*at, man.is_red, man.letter)).collect()
                };
                plain(before) == plain(&after)
            } else {
                placement(before) == placement(&after)
            }
        })
    }

    /// Every legal move, sorted, as text.
    pub(crate) fn legal(&self) -> BTreeSet<String> {
        self.pseudo()
            .into_iter()
            .filter(|(from, to)| !self.breaks_two_squares(*from, *to))
            .filter(|(from, to)| !(self.rules.more_squares && self.breaks_more_squares(*from, *to, false)))
            .map(|(from, to)| format!("{}{}", name(from), name(to)))
            .collect()
    }

    /// Moves that are legal, but would be refused if placements were compared by ranks (§T3).
    pub(crate) fn saved_by_t3(&self) -> usize {
        if !self.rules.more_squares {
            return 0;
        }
        let is_saved = |(from, to): &(At, At)| {
            self.breaks_more_squares(*from, *to, true) && !self.breaks_more_squares(*from, *to, false)
        };
        self.pseudo().iter().filter(|squares| is_saved(squares)).count()
    }

    /// How many moves the more-squares rule refuses now.
    pub(crate) fn refused_by_t2(&self) -> usize {
        if !self.rules.more_squares {
            return 0;
        }
        self.pseudo().iter().filter(|(from, to)| self.breaks_more_squares(*from, *to, false)).count()
    }

    /// The winner of a strike (§A6): the attacker (true), the defender (false) or neither.
    fn survivor(&self, attacker: char, defender: char) -> Option<bool> {
        const ORDER: &str = "S987654321";
        if defender == 'F' {
            return Some(true);
        }
        if defender == 'B' {
            return if attacker == '8' { Some(true) } else { (!self.rules.bombs_go).then_some(false) };
        }
        if attacker == 'S' && defender == self.rules.spy_takes {
            return Some(true);
        }
        match ORDER.find(attacker).cmp(&ORDER.find(defender)) {
            std::cmp::Ordering::Greater => Some(true),
            std::cmp::Ordering::Less => Some(false),
            std::cmp::Ordering::Equal => self.rules.of_equals,
        }
    }

    pub(crate) fn play(&mut self, from: At, to: At) {
        self.placements.push(self.men.clone());
        let mut man = self.men.remove(&from).expect("a man");
        man.has_moved = true;
        man.is_shown |= from.0.abs_diff(to.0) + from.1.abs_diff(to.1) > 1;
        let struck = self.men.remove(&to);
        match struck {
            None => drop(self.men.insert(to, man)),
            Some(mut other) => {
                self.is_flag_taken |= other.letter == 'F';
                man.is_shown = true;
                match self.survivor(man.letter, other.letter) {
                    Some(true) => drop(self.men.insert(to, man)),
                    Some(false) => {
                        let goes = self.rules.defenders_go && other.letter != 'B';
                        other.has_moved |= goes;
                        other.is_shown |= !self.rules.silent_defenders || man.letter == '9';
                        self.men.insert(if goes { from } else { to }, other);
                    }
                    None => {}
                }
            }
        }
        self.past.push(Past {
            is_red: man.is_red,
            id: man.id,
            from,
            to,
            is_strike: struck.is_some(),
            threatens: Naive::is_next_to_enemy(&self.men, to, man.is_red),
        });
        self.red_to_move = !self.red_to_move;
    }

    /// The verdict of §A10 for the side to move.
    pub(crate) fn verdict(&self) -> Option<&'static str> {
        if self.is_flag_taken {
            return Some("flag_captured");
        }
        let other = Naive { red_to_move: !self.red_to_move, ..self.clone() };
        match (self.legal().is_empty(), other.legal().is_empty()) {
            (false, _) => None,
            (true, false) => Some("no_legal_move"),
            (true, true) => Some("both_blocked"),
        }
    }

    /// Counts the positions after this many plies. A game whose Flag is taken goes no further.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.is_flag_taken {
            return 0;
        }
        let legal = self.legal();
        if depth == 1 {
            return legal.len() as u64;
        }
        self.pseudo()
            .into_iter()
            .filter(|(from, to)| legal.contains(&format!("{}{}", name(*from), name(*to))))
            .map(|(from, to)| {
                let mut after = self.clone();
                after.play(from, to);
                after.perft(depth - 1)
            })
            .sum()
    }

    /// Whether a man of the side to move stands next to where the other side has just moved.
    pub(crate) fn is_chased(&self, from: At) -> bool {
        self.past.last().is_some_and(|past| Naive::around(past.to).contains(&from))
    }

    pub(crate) fn threatens_from(&self, to: At) -> bool {
        Naive::is_next_to_enemy(&self.men, to, self.red_to_move)
    }
}
