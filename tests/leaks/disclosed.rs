//! What each audience has been told, by RULES §A4, §A7–§A9, §C2, §O1, §D, §S and PLAY.
//!
//! This is a specification of its own. It was written from those pages, independently of
//! `redact.rs`, and reads the log as the store keeps it.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square};
use flagfall_rules::secret::SecretRecord;
use flagfall_rules::{Disclosure, EndReason, Fate, Identity, Laid, Ruleset, Viewer};

use crate::narrowing::{ChipsAt, could_be};

/// Where a piece came from: all that distinguishes pieces whose rank is hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The square it was deployed on.
    Home(Square),
    /// The reserve: the number of its placing (§S1.7).
    Placing(usize),
}

/// A piece and who knows its rank.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    pub(crate) side: Side,
    pub(crate) rank: Rank,
    pub(crate) origin: Origin,
    pub(crate) has_moved: bool,
    /// True if its rank was shown to everybody in play.
    pub(crate) is_public: bool,
    /// What it beat as a silent winner (§D1): all that the others know about it.
    pub(crate) beat: Vec<Rank>,
    /// True if it stays face up for good (§S2.1).
    pub(crate) is_labeled: bool,
    /// The ranks that its moves allow, if they prove more than that it can move (§S3.4).
    pub(crate) could_be: Option<RankSet>,
}

/// True if a defender of this rank beats an attacker that is no Scout.
///
/// Of equal ranks the attacker wins (§A6, §D1).
pub(crate) fn beats_in_silence(defender: Rank, attacker: Rank) -> bool {
    const ORDER: [Rank; 10] = [
        Rank::Spy,
        Rank::Scout,
        Rank::Miner,
        Rank::Sergeant,
        Rank::Lieutenant,
        Rank::Captain,
        Rank::Major,
        Rank::Colonel,
        Rank::General,
        Rank::Marshal,
    ];
    let place = |rank: Rank| ORDER.iter().position(|other| *other == rank);
    match (attacker, defender) {
        (_, Rank::Flag) => false,
        (_, Rank::Bomb) => attacker != Rank::Miner,
        (Rank::Spy, Rank::Marshal) => false,
        _ => place(defender) > place(attacker),
    }
}

/// The board as a referee knows it, and what one audience was told.
#[derive(Clone, Debug)]
pub(crate) struct Disclosed {
    viewer: Viewer,
    ruleset: &'static Ruleset,
    secret: PerSide<bool>,
    setups: PerSide<Option<String>>,
    pub(crate) board: BTreeMap<Square, Tracked>,
    /// The sides whose deployments the end has opened to this audience.
    opened: PerSide<bool>,
    /// Origins of the pieces that everybody knows or can narrow down, including captured ones.
    pub(crate) known_origins: Vec<Origin>,
    /// Origins of the pieces that left the board for a reserve.
    pub(crate) removed_origins: Vec<Origin>,
    pub(crate) chips: ChipsAt,
    /// The side that owes a color, and the square (§S2.4).
    pub(crate) owed: Option<(Side, Square)>,
    /// Each side's reserve: how many of each rank, by rank and label.
    pub(crate) reserve: PerSide<BTreeMap<(Rank, bool), u16>>,
    placings: usize,
    /// Everything told to the audience, in order.
    pub(crate) said: Vec<String>,
}

impl Disclosed {
    pub(crate) fn new(viewer: Viewer, ruleset: &'static Ruleset, secret: PerSide<bool>) -> Disclosed {
        Disclosed {
            viewer,
            ruleset,
            secret,
            setups: PerSide::default(),
            board: BTreeMap::new(),
            opened: PerSide::default(),
            known_origins: Vec::new(),
            removed_origins: Vec::new(),
            chips: ChipsAt::new(),
            owed: None,
            reserve: PerSide::default(),
            placings: 0,
            said: Vec::new(),
        }
    }

    /// The rank of the piece on a square, if the audience knows it.
    pub(crate) fn knows(&self, square: Square) -> Option<Rank> {
        self.board
            .get(&square)
            .filter(|piece| piece.is_public || self.own(piece.side) || self.opened[piece.side])
            .map(|piece| piece.rank)
    }

    /// The identity of that piece, as the audience is shown it.
    pub(crate) fn identity(&self, square: Square) -> Identity {
        let could_be = self.board.get(&square).and_then(|piece| piece.could_be);
        match self.knows(square) {
            Some(rank) => Identity::Known(rank),
            None => could_be.map_or(Identity::Hidden, Identity::OneOf),
        }
    }

    /// True if the audience knows the ranks in a side's reserve.
    pub(crate) fn knows_reserve(&self, side: Side) -> bool {
        self.own(side) || self.opened[side]
    }

    fn say(&mut self, words: String) {
        self.said.push(words);
    }

    fn own(&self, side: Side) -> bool {
        self.viewer == Viewer::Player(side)
    }

    pub(crate) fn note(&mut self, record: &SecretRecord) {
        match record {
            SecretRecord::Deployed { side, setup, .. } => {
                if self.own(*side) {
                    self.say(format!("you deployed {setup}"));
                } else if self.setups[*side].is_none() {
                    self.say(format!("{side} is ready"));
                }
                self.setups[*side] = Some(setup.clone());
            }
            SecretRecord::Started { .. } => {
                self.say("it starts".to_owned());
                for side in Side::BOTH {
                    let setup = self.setups[side].clone().unwrap_or_default();
                    if self.ruleset.reserve {
                        self.reserve[side] = self
                            .ruleset
                            .army
                            .iter()
                            .map(|(rank, count)| {
                                let placed = setup.matches(rank.letter()).count() as u16;
                                ((rank, false), u16::from(count) - placed)
                            })
                            .collect();
                    }
                    for (place, letter) in setup.chars().enumerate() {
                        if let (Some(rank), Some(square)) =
                            (Rank::from_letter(letter), self.ruleset.shape.home_square(side, place))
                        {
                            let piece = Tracked {
                                side,
                                rank,
                                origin: Origin::Home(square),
                                has_moved: false,
                                is_public: false,
                                beat: Vec::new(),
                                is_labeled: false,
                                could_be: None,
                            };
                            self.board.insert(square, piece);
                        }
                    }
                }
            }
            SecretRecord::Moved { side, from, to, strike, laid, proves: _, labels: _ } => {
                self.moved(*side, *from, *to, strike.as_ref(), laid.as_ref());
            }
            // Secrets of coins have their own specification (`choices.rs`).
            SecretRecord::Struck { .. } | SecretRecord::Chosen { .. } => panic!("a ruleset without coins"),
            SecretRecord::Removed { side, square } => self.removed(*side, *square),
            SecretRecord::Placed { side, square, rank, is_labeled, color } => {
                self.placed(*side, *square, *rank, *is_labeled, *color);
            }
            SecretRecord::Colored { side, square, color } => {
                self.chips.insert(*square, *color);
                self.owed = None;
                self.say(format!("{side} lays {color:?} on {square}"));
            }
            SecretRecord::DrawOffered { side } => self.say(format!("{side} offers a draw")),
            SecretRecord::DrawDeclined { side } => self.say(format!("{side} declines")),
            SecretRecord::Paused { since } => self.say(format!("paused since {}", since.0)),
            SecretRecord::Resumed { since } => self.say(format!("resumed since {since:?}")),
            SecretRecord::Ended { winner, reason } => {
                self.say(format!("over: {winner:?} {reason:?}"));
                for side in Side::BOTH {
                    let is_open = match self.viewer {
                        Viewer::Player(_) => true,
                        Viewer::Public => !self.secret[side],
                    };
                    // Games that are called off open nothing.
                    if is_open && *reason != EndReason::Aborted {
                        self.say(format!("{side} had {:?}", self.setups[side]));
                        self.opened[side] = true;
                    }
                }
            }
        }
    }

    fn moved(
        &mut self,
        side: Side,
        from: Square,
        to: Square,
        strike: Option<&[flagfall_rules::secret::StruckRecord; 2]>,
        laid: Option<&Laid>,
    ) {
        let lakes = self.ruleset.shape.lakes.iter();
        let full: BTreeSet<Square> = self.board.keys().copied().chain(lakes).collect();
        let chips_before = self.chips.clone();
        if let Some(laid) = laid {
            self.chips.extend(laid.squares().iter().map(|square| (square, laid.color())));
        }
        let Some(mut piece) = self.board.remove(&from) else { panic!("{from}: nothing stands there") };
        assert_eq!(piece.side, side);
        piece.has_moved = true;
        let distance = from.column().abs_diff(to.column()) + from.row().abs_diff(to.row());
        let mut words = format!("{side} {from}{to}");
        words += &laid.map_or_else(String::new, |laid| format!(", {laid:?}"));
        if self.ruleset.reserve && strike.is_none() {
            self.narrow(&mut piece, &full, (from, to), &chips_before);
        } else if distance > 1 && !self.ruleset.reserve {
            piece.is_public = true;
        }
        if piece.is_public {
            words += &format!(", a {}", piece.rank);
            self.known_origins.push(piece.origin);
        } else if let Some(could_be) = piece.could_be {
            words += &format!(", one of {could_be:?}");
            self.known_origins.push(piece.origin);
        }
        if self.own(side) {
            words += &format!(", your {}", piece.rank);
        }
        let Some([attacker, defender]) = strike else {
            self.board.insert(to, piece);
            self.say(words);
            return;
        };
        let Some(mut struck) = self.board.remove(&to) else { panic!("{to}: nothing to strike") };
        assert_eq!((piece.rank, struck.rank), (attacker.rank, defender.rank));
        piece.is_public = true;
        self.known_origins.push(piece.origin);
        // Every strike shows both pieces (§A7), but only a Scout sees a silent winner (§D1).
        let is_silent = self.ruleset.disclosure == Disclosure::SilentDefense
            && piece.rank != Rank::Scout
            && defender.fate != Fate::Leaves;
        if is_silent {
            struck.beat.push(piece.rank);
        } else {
            struck.is_public = true;
            self.known_origins.push(struck.origin);
        }
        let is_told = struck.is_public || self.own(struck.side);
        let name = if is_told { struck.rank.to_string() } else { "something".to_owned() };
        words += &format!(": {} strikes {name}: {:?}, {:?}", piece.rank, attacker.fate, defender.fate);
        if self.ruleset.labels
            && matches!(piece.rank, Rank::Scout | Rank::Phoenix)
            && defender.fate != Fate::Leaves
        {
            // Any piece that kills a Scout, and any piece that a Phoenix finds (§S2.1, §S2.2).
            struck.is_labeled = true;
        }
        if self.ruleset.chips && defender.fate == Fate::Advances {
            self.owed = Some((side.opponent(), from));
        }
        self.say(words);
        match defender.fate {
            Fate::Stays => drop(self.board.insert(to, struck)),
            Fate::Advances => {
                // Everybody sees it go to the attacker's square.
                struck.has_moved = true;
                self.board.insert(from, struck);
            }
            Fate::Leaves => {}
        }
        match attacker.fate {
            Fate::Advances => drop(self.board.insert(to, piece)),
            Fate::Stays => {
                assert_eq!(piece.rank, Rank::Phoenix, "no other attacker stays");
                drop(self.board.insert(from, piece));
            }
            Fate::Leaves => {}
        }
    }

    /// What a move without a strike proves (§C2, §S3.4).
    fn narrow(
        &self,
        piece: &mut Tracked,
        full: &BTreeSet<Square>,
        (from, to): (Square, Square),
        before: &ChipsAt,
    ) {
        let found = could_be(self.ruleset, full, from, to, before, &self.chips);
        assert!(found.contains(piece.rank), "{from}{to}: a {} cannot have done that", piece.rank);
        let movable =
            self.ruleset.army.iter().filter(|(rank, _)| !matches!(rank, Rank::Flag | Rank::Bomb)).count();
        if found.len() as usize == movable {
            return;
        }
        let could_be = piece.could_be.unwrap_or(RankSet::ALL).intersection(found);
        piece.is_public |= could_be.len() == 1;
        piece.could_be = Some(could_be);
    }

    /// Everybody sees the square; knowledge of the piece is lost, except a label (§S1.7).
    fn removed(&mut self, side: Side, square: Square) {
        let Some(piece) = self.board.remove(&square) else { panic!("{square}: nothing to remove") };
        assert_eq!(piece.side, side);
        *self.reserve[side].entry((piece.rank, piece.is_labeled)).or_default() += 1;
        self.removed_origins.push(piece.origin);
        let words = if self.own(side) { format!(", your {}", piece.rank) } else { String::new() };
        self.say(format!("{side} takes {square} off the board{words}"));
    }

    /// Everybody sees the square; the rank is shown only if the piece is labeled (§S1.7).
    fn placed(&mut self, side: Side, square: Square, rank: Rank, is_labeled: bool, color: Option<ChipColor>) {
        let held = self.reserve[side].entry((rank, is_labeled)).or_default();
        *held = held.checked_sub(1).expect("it was in reserve");
        color.and_then(|color| self.chips.insert(square, color));
        let origin = Origin::Placing(self.placings);
        self.placings += 1;
        if is_labeled {
            self.known_origins.push(origin);
        }
        let piece = Tracked {
            side,
            rank,
            origin,
            has_moved: false,
            is_public: is_labeled,
            beat: Vec::new(),
            is_labeled,
            could_be: None,
        };
        let name = if is_labeled || self.own(side) { format!("a {rank}") } else { "something".to_owned() };
        self.board.insert(square, piece);
        self.say(format!("{side} brings {name} on at {square}, {color:?}, labeled: {is_labeled}"));
    }
}
