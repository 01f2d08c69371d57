//! A specification of what each audience has been told, by RULES §A4, §A7–§A9, §C2, §O1, §D, §S
//! and PLAY.
//!
//! It is independent of `redact.rs`. It reads the log as stored, and asks the second opinion
//! which information a ruleset discloses on the board.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use flagfall_board::{PerSide, Rank, RankSet, Side, Square};
use flagfall_rules::secret::SecretRecord;
use flagfall_rules::{EndReason, GameTerms, Identity, Viewer};
use flagfall_second_opinion::{Board, BoardEvent, LETTERS, Letters, Piece, rules};

use crate::engine_events::{at, board_event};

/// The origin of a piece. Only the origin distinguishes pieces with hidden ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Origin {
    /// The square on which the piece was deployed.
    Home(Square),
    /// The piece came from the reserve. The value is the number of its placing (§S1.7).
    Placing(usize),
}

/// The board with all ranks, and what one audience was told.
#[derive(Clone, Debug)]
pub(crate) struct Disclosed {
    viewer: Viewer,
    terms: GameTerms,
    setups: PerSide<Option<String>>,
    /// The board. None while the sides deploy.
    pub(crate) board: Option<Board>,
    /// For each side, true if the end has revealed its deployment to this audience.
    opened: PerSide<bool>,
    /// The id of the piece with each origin.
    ids: BTreeMap<Origin, u16>,
    placings: usize,
    /// Pieces whose rank everybody knows or can narrow down, including captured pieces.
    known: BTreeSet<u16>,
    /// Pieces that left the board for a reserve.
    removed: BTreeSet<u16>,
    /// The ranks that each silent winner beat (§D1). The others know nothing else about the
    /// winner.
    beat: BTreeMap<u16, Vec<char>>,
    /// Everything told to the audience, in order.
    pub(crate) said: Vec<String>,
}

fn ranks(letters: Letters) -> RankSet {
    LETTERS.chars().filter(|letter| letters.contains(*letter)).filter_map(Rank::from_letter).collect()
}

impl Disclosed {
    pub(crate) fn new(viewer: Viewer, terms: &GameTerms) -> Disclosed {
        Disclosed {
            viewer,
            terms: *terms,
            setups: PerSide::default(),
            board: None,
            opened: PerSide::default(),
            ids: BTreeMap::new(),
            placings: 0,
            known: BTreeSet::new(),
            removed: BTreeSet::new(),
            beat: BTreeMap::new(),
            said: Vec::new(),
        }
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.board.iter().flat_map(Board::pieces).map(|(_, piece)| piece)
    }

    pub(crate) fn piece(&self, square: Square) -> Piece {
        let piece = self.board.as_ref().and_then(|board| board.piece(at(square)));
        piece.unwrap_or_else(|| panic!("{square}: nothing stands there"))
    }

    fn piece_of(&self, origin: Origin) -> Option<Piece> {
        let id = self.ids.get(&origin)?;
        self.pieces().find(|piece| piece.id == *id)
    }

    /// True if everybody knows the rank of the piece with this origin, or can narrow it down.
    pub(crate) fn is_known(&self, origin: Origin) -> bool {
        self.ids.get(&origin).is_some_and(|id| self.known.contains(id))
    }

    /// True if the piece with this origin left the board for a reserve.
    pub(crate) fn was_removed(&self, origin: Origin) -> bool {
        self.ids.get(&origin).is_some_and(|id| self.removed.contains(id))
    }

    /// True if the piece with this origin is on the board and has moved.
    pub(crate) fn has_moved(&self, origin: Origin) -> bool {
        self.piece_of(origin).is_some_and(|piece| piece.is_moved)
    }

    /// True if a rank fits everything that others know about the piece with this origin. The rank
    /// must beat all ranks that the piece beat silently (§D1).
    pub(crate) fn fits(&self, origin: Origin, letter: char) -> bool {
        let beaten = self.piece_of(origin).and_then(|piece| self.beat.get(&piece.id));
        let beats = |beaten: &char| {
            let rules = self.board.as_ref().map(|board| &board.rules);
            rules.is_none_or(|rules| rules.strike(*beaten, letter).defender.1 != "leaves")
        };
        beaten.into_iter().flatten().all(beats)
    }

    /// True if the audience knows the rank of a piece on the board.
    pub(crate) fn knows(&self, piece: Piece) -> bool {
        piece.is_revealed || self.knows_reserve(Side::BOTH[piece.color])
    }

    /// The identity of the piece on a square, as it is shown to the audience.
    pub(crate) fn identity(&self, square: Square) -> Identity {
        let piece = self.piece(square);
        match Rank::from_letter(piece.letter).filter(|_| self.knows(piece)) {
            Some(rank) => Identity::Known(rank),
            None if piece.could_be == Letters::ALL => Identity::Hidden,
            None => Identity::OneOf(ranks(piece.could_be)),
        }
    }

    /// True if the audience knows every rank of a side, including those in its reserve.
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
            SecretRecord::Started { .. } => self.started(),
            SecretRecord::Moved { side, from, to, .. } => self.moved(*side, *from, *to, record),
            // Coins have their own specification in `choices.rs`.
            SecretRecord::Struck { .. } | SecretRecord::Chosen { .. } => panic!("a ruleset without coins"),
            SecretRecord::Removed { side, square } => {
                // Everybody sees the square. Everything that was known about the piece is lost,
                // unless the piece is labeled (§S1.7).
                let piece = self.piece(*square);
                self.removed.insert(piece.id);
                let words = if self.own(*side) { format!(", your {}", piece.letter) } else { String::new() };
                self.say(format!("{side} takes {square} off the board{words}"));
                self.take(record);
            }
            SecretRecord::Placed { side, square, rank, is_labeled, color } => {
                // Everybody sees the square. The rank is shown only if the piece is labeled
                // (§S1.7).
                self.take(record);
                let id = self.piece(*square).id;
                self.ids.insert(Origin::Placing(self.placings), id);
                self.placings += 1;
                if *is_labeled {
                    self.known.insert(id);
                }
                let is_told = *is_labeled || self.own(*side);
                let name = if is_told { format!("a {rank}") } else { "something".to_owned() };
                self.say(format!("{side} brings {name} on at {square}, {color:?}, labeled: {is_labeled}"));
            }
            SecretRecord::Colored { side, square, color } => {
                self.take(record);
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
                        Viewer::Public => !self.terms.secret[side],
                    };
                    // The end of an aborted game reveals no deployment.
                    if is_open && *reason != EndReason::Aborted {
                        self.say(format!("{side} had {:?}", self.setups[side]));
                        self.opened[side] = true;
                    }
                }
            }
        }
    }

    fn started(&mut self) {
        self.say("it starts".to_owned());
        let rules = rules(self.terms.ruleset.id).expect("the second opinion knows every ruleset");
        let setups = Side::BOTH.map(|side| self.setups[side].as_deref().unwrap_or_default());
        let lakes = self.terms.lakes.iter().map(at).collect();
        let board = Board::start(Arc::new(rules), lakes, setups).expect("accepted deployments");
        for square in Side::BOTH.into_iter().flat_map(|side| self.terms.ruleset.shape.home(side).iter()) {
            let piece = board.piece(at(square));
            self.ids.extend(piece.map(|piece| (Origin::Home(square), piece.id)));
        }
        self.board = Some(board);
    }

    fn take(&mut self, record: &SecretRecord) -> Option<flagfall_second_opinion::Strike> {
        let event = board_event(record).expect("an event on the board");
        let board = self.board.as_mut().expect("a game that started");
        board.take(&event).unwrap_or_else(|why| panic!("{event:?}: {why}"))
    }

    fn moved(&mut self, side: Side, from: Square, to: Square, record: &SecretRecord) {
        let mover = self.piece(from);
        let target = self.board.as_ref().and_then(|board| board.piece(at(to)));
        let strike = self.take(record);
        let mut words = format!("{side} {from}{to}");
        if let Some(BoardEvent::Moved { laid: Some(laid), .. }) = board_event(record) {
            words += &format!(", {laid:?}");
        }
        if self.own(side) {
            words += &format!(", your {}", mover.letter);
        }
        let Some((strike, defender)) = strike.zip(target) else {
            let mover = self.piece(to);
            if mover.is_revealed {
                words += &format!(", a {}", mover.letter);
                self.known.insert(mover.id);
            } else if mover.could_be != Letters::ALL {
                words += &format!(", one of {}", mover.could_be);
                self.known.insert(mover.id);
            }
            return self.say(words);
        };
        // Every strike shows both pieces (§A7), but only a Scout sees a silent winner (§D1).
        self.known.insert(mover.id);
        if strike.is_defender_shown {
            self.known.insert(defender.id);
        } else {
            self.beat.entry(defender.id).or_default().push(mover.letter);
        }
        let is_told = strike.is_defender_shown || defender.is_revealed || self.own(side.opponent());
        let name = if is_told { defender.letter.to_string() } else { "something".to_owned() };
        let (attacker, fates) = (mover.letter, [strike.attacker.1, strike.defender.1]);
        self.say(format!("{words}: {attacker} strikes {name}: {fates:?}"));
    }
}
