//! What each audience has been told, by RULES §A4, §A7–§A9, §C2, §O1, §D and PLAY: a specification of its own, written from those pages and apart
//! from `view.rs`. It reads the log as the store keeps it.

use std::collections::BTreeMap;

use flagfall_board::{PerSide, Rank, Side, Square};
use flagfall_rules::secret::SecretRecord;
use flagfall_rules::{Disclosure, EndReason, Fate, Ruleset, Viewer};

/// A piece and who knows it.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    pub(crate) side: Side,
    pub(crate) rank: Rank,
    /// Where it was deployed.
    pub(crate) origin: Square,
    pub(crate) has_moved: bool,
    /// Whether everybody has been shown its rank in play.
    pub(crate) is_public: bool,
    /// Whom it beat in hiding (§D1): all that the others know of it.
    pub(crate) beat: Vec<Rank>,
}

/// Whether a defender of this rank wins against an attacker that is no Scout, where of equals the attacker wins (§A6, §D1).
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

/// The board as a referee keeps it, and what he said aloud to one audience.
#[derive(Clone, Debug)]
pub(crate) struct Disclosed {
    viewer: Viewer,
    ruleset: &'static Ruleset,
    secret: PerSide<bool>,
    setups: PerSide<Option<String>>,
    pub(crate) board: BTreeMap<Square, Tracked>,
    /// Which sides' deployments the end has opened to this audience.
    opened: PerSide<bool>,
    /// The squares on which pieces stood at first that everybody has come to know, captured ones among them.
    pub(crate) known_origins: Vec<Square>,
    /// Everything said to the audience, in order.
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
            said: Vec::new(),
        }
    }

    /// What the audience knows of the piece on a square.
    pub(crate) fn knows(&self, square: Square) -> Option<Rank> {
        self.board
            .get(&square)
            .filter(|piece| piece.is_public || self.own(piece.side) || self.opened[piece.side])
            .map(|piece| piece.rank)
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
                    for (place, letter) in setup.chars().enumerate() {
                        if let (Some(rank), Some(square)) =
                            (Rank::from_letter(letter), self.ruleset.shape.home_square(side, place))
                        {
                            let piece = Tracked {
                                side,
                                rank,
                                origin: square,
                                has_moved: false,
                                is_public: false,
                                beat: Vec::new(),
                            };
                            self.board.insert(square, piece);
                        }
                    }
                }
            }
            SecretRecord::Moved { side, from, to, strike, .. } => {
                self.moved(*side, *from, *to, strike.as_ref());
            }
            SecretRecord::DrawOffered { side } => self.say(format!("{side} offers a draw")),
            SecretRecord::DrawDeclined { side } => self.say(format!("{side} declines")),
            SecretRecord::Paused { since } => self.say(format!("paused since {}", since.0)),
            SecretRecord::Resumed => self.say("resumed".to_owned()),
            SecretRecord::Ended { winner, reason } => {
                self.say(format!("over: {winner:?} {reason:?}"));
                for side in Side::BOTH {
                    let is_open = match self.viewer {
                        Viewer::Player(_) => true,
                        Viewer::Public => !self.secret[side],
                    };
                    // Games that were called off open nothing.
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
    ) {
        let Some(mut piece) = self.board.remove(&from) else { panic!("{from}: nothing stands there") };
        assert_eq!(piece.side, side);
        piece.has_moved = true;
        let distance = from.column().abs_diff(to.column()) + from.row().abs_diff(to.row());
        let mut words = format!("{side} {from}{to}");
        if distance > 1 {
            words += &format!(", a {}", piece.rank);
            piece.is_public = true;
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
        // Every strike shows both (§A7), but a silent winner is shown to a Scout alone (§D1).
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
        self.say(words);
        match defender.fate {
            Fate::Stays => drop(self.board.insert(to, struck)),
            Fate::Advances => {
                // Everybody sees it go to where the attacker came from.
                struck.has_moved = true;
                self.board.insert(from, struck);
            }
            Fate::Leaves => {}
        }
        match attacker.fate {
            Fate::Advances => drop(self.board.insert(to, piece)),
            Fate::Stays => panic!("no attacker stays in these rulesets"),
            Fate::Leaves => {}
        }
    }
}
