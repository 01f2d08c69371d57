//! The only redaction: what an audience may know of a game.
//!
//! A view is built by naming what is seen, never by blanking a copy, and every match here is exhaustive without `..`: a new
//! field of an event or a piece does not compile until somebody has decided who sees it.

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet, Stamp};

use crate::chips::Lines;
use crate::command::Move;
use crate::commitment::Commitment;
use crate::event::{Clash, Deployed, Event, EventKind, Fate, Laid, Moved, Placed, Strike, Struck};
use crate::game::{Exchange, Game, Outcome, Phase};
use crate::legal_commands::LegalCommands;
use crate::position::Piece;
use crate::ruleset::Ruleset;
use crate::shadow::Reserve;
use crate::superposition::{Coins, Pending, Pool};

/// Who looks. There are three audiences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A player, who knows his own pieces.
    Player(Side),
    /// Everybody else: what both players know.
    Public,
}

impl Viewer {
    /// The three audiences.
    pub const ALL: [Viewer; 3] = [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public];

    /// Whether the viewer knows what this side alone knows.
    #[must_use]
    pub fn is_side(self, side: Side) -> bool {
        self == Viewer::Player(side)
    }
}

/// What a viewer knows of a piece's rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// The rank.
    Known(Rank),
    /// One of these ranks (Shadowflash alone).
    OneOf(RankSet),
    /// It has none yet: nobody knows more, not even its owner (§Q1).
    Coin,
    /// Nothing.
    Hidden,
}

/// A piece on the board as a viewer knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenPiece {
    /// Where it stands.
    pub square: Square,
    /// Whose it is.
    pub side: Side,
    /// What it is.
    pub identity: Identity,
    /// Whether it has moved (§A9).
    pub is_moved: bool,
    /// Whether everybody knows its rank; on one's own pieces: whether the other side does.
    pub is_revealed: bool,
    /// Whether it is face up for the rest of the game (§S2.1).
    pub is_labeled: bool,
}

/// A ply as a viewer saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenMove {
    /// Who moved.
    pub side: Side,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// What the viewer knows of the piece after the ply.
    pub piece: Identity,
    /// What came of the strike, if it was one.
    pub strike: Option<SeenStrike>,
    /// The chips that changed (§S3.3).
    pub laid: Option<Laid>,
}

/// A ply between board and reserve as a viewer saw it (§S1.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeenExchange {
    /// A piece left the board.
    Removed {
        /// Whose.
        side: Side,
        /// From where.
        square: Square,
    },
    /// A piece came onto the board.
    Placed {
        /// Whose.
        side: Side,
        /// Where to.
        square: Square,
        /// What it is, for its owner, and for everybody when it is labeled.
        piece: Identity,
        /// Whether it is labeled.
        is_labeled: bool,
        /// The color of its chip.
        color: Option<ChipColor>,
    },
}

/// A side's reserve as a viewer knows it (§S1.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenReserve {
    /// How many pieces it has.
    pub size: u16,
    /// How many of each rank lie face up (indexed by rank, Flag first).
    pub labeled: [u8; Rank::COUNT],
    /// How many of each rank lie face down, for whoever knows that side's ranks.
    pub unlabeled: Option<[u8; Rank::COUNT]>,
}

/// A chip that a side has yet to name the color of, before anything else (§S2.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwedColor {
    /// Who.
    pub side: Side,
    /// Where its piece has come to stand.
    pub square: Square,
}

/// A strike that waits until whoever owes a choice has said what his coin is (§Q4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingStrike {
    /// Who struck.
    pub side: Side,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// Whose coins are in it. That one of two has chosen already is shown to nobody.
    pub owes: PerSide<bool>,
    /// The viewer's own choice, once it is made.
    pub own_choice: Option<Rank>,
}

/// A strike as a viewer saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenStrike {
    /// The piece that moved.
    pub attacker: Identity,
    /// Where the attacker is now.
    pub attacker_fate: Fate,
    /// The piece that was struck.
    pub defender: Identity,
    /// Where the defender is now.
    pub defender_fate: Fate,
}

/// Both clocks at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenClock {
    /// The moment.
    pub at: Stamp,
    /// Each side's remaining time in milliseconds.
    pub remaining_ms: PerSide<u64>,
    /// What is left to each side of a turn's free time, before its remaining time is counted, in milliseconds.
    pub free_ms: PerSide<u64>,
    /// Whose time runs: both sides' while both owe a choice (§Q4).
    pub is_running: PerSide<bool>,
}

/// A deployment that was opened at the end, with the salt of its commitment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenedDeployment {
    /// The text of §P4 without blanks.
    pub text: String,
    /// The 32 bytes that went into the commitment.
    pub salt: [u8; 32],
}

/// Everything a viewer knows of a game. Whoever holds one may know what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Who looks.
    pub viewer: Viewer,
    /// By which rules the game is played.
    pub ruleset: &'static Ruleset,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Whether the clocks stand still because the service is down or stopping.
    pub is_paused: bool,
    /// Which sides have a deployment in.
    pub ready: PerSide<bool>,
    /// Until when deployments are taken, while they are.
    pub deploy_deadline: Option<Stamp>,
    /// The viewer's own deployment as handed in (§P4), while deploying.
    pub own_deployment: Option<String>,
    /// Squares that nothing enters.
    pub lakes: SquareSet,
    /// The pieces on the board, by rising square.
    pub pieces: Vec<SeenPiece>,
    /// How many pieces of each rank each side has lost (indexed by rank, Flag first).
    pub captured: PerSide<[u8; Rank::COUNT]>,
    /// Turns taken.
    pub ply: Ply,
    /// Whose turn it is, while the game runs.
    pub turn: Option<Side>,
    /// The last ply, if it was a move.
    pub last_move: Option<SeenMove>,
    /// The last ply, if it went between board and reserve.
    pub last_exchange: Option<SeenExchange>,
    /// Each side's reserve, where there are any.
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chips on the board, where there are any.
    pub chips: Option<Chips>,
    /// The chip whose color the side to move must name first.
    pub owed_color: Option<OwedColor>,
    /// How many pieces of each rank each side's coins can still become (indexed by rank, Flag first), where there are coins (§Q8).
    pub pools: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The strike that waits for choices.
    pub pending_strike: Option<PendingStrike>,
    /// The viewer's own moves that a repetition rule refuses this turn.
    pub refused_moves: Vec<Move>,
    /// Both clocks; none when time is unlimited.
    pub clock: Option<SeenClock>,
    /// Who has a draw offer standing.
    pub draw_offer: Option<Side>,
    /// Plies left until the game is drawn by a limit, once it is announced (§A12).
    pub plies_to_limit: Option<Ply>,
    /// Each side's commitment to its deployment, once the game has started.
    pub commitments: PerSide<Option<Commitment>>,
    /// Deployments that were opened to this viewer at the end.
    pub opened: PerSide<Option<OpenedDeployment>>,
    /// How the game ended.
    pub outcome: Option<Outcome>,
}

/// What else of a view is different after an event: derived facts, absolute, so that whoever holds the view before needs
/// no rules to have the view after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenChange {
    /// Until when deployments are taken, while they are.
    pub deploy_deadline: Option<Stamp>,
    /// Whose turn it is, while the game runs.
    pub turn: Option<Side>,
    /// Both clocks.
    pub clock: Option<SeenClock>,
    /// Plies left until a limit draws the game, once it is announced.
    pub plies_to_limit: Option<Ply>,
    /// The viewer's own moves that a repetition rule refuses this turn.
    pub refused_moves: Vec<Move>,
    /// What was captured in all, with an event that captures.
    pub captured: Option<PerSide<[u8; Rank::COUNT]>>,
    /// With a ply the pieces that now stand on its squares; with the start and the end all pieces; else none.
    pub pieces: Option<Vec<SeenPiece>>,
    /// Both reserves, with what may have changed them or what is known of them.
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chip whose color the side to move must name first.
    pub owed_color: Option<OwedColor>,
    /// Both pools, with what may have changed them.
    pub pools: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The strike that waits for choices.
    pub pending_strike: Option<PendingStrike>,
}

/// What a viewer sees of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeenEvent {
    /// The viewer's own deployment was taken.
    Deployed {
        /// The text of §P4 without blanks.
        text: String,
    },
    /// The other side (or, for the public, a side) is ready.
    Ready {
        /// Which.
        side: Side,
    },
    /// Both sides are ready, the game has started.
    Started {
        /// The commitments to both deployments.
        commitments: PerSide<Option<Commitment>>,
    },
    /// A ply.
    Moved(SeenMove),
    /// A strike with a coin in it: whoever owes a choice is to make it.
    Struck(PendingStrike),
    /// The viewer's own choice was taken. Nobody else is told, not even that it was made.
    Chosen {
        /// Who.
        side: Side,
        /// What.
        rank: Rank,
    },
    /// A ply between board and reserve.
    Exchanged(SeenExchange),
    /// A side laid the chip it owed.
    Colored {
        /// Who.
        side: Side,
        /// Where.
        square: Square,
        /// Its color.
        color: ChipColor,
    },
    /// A side offered a draw.
    DrawOffered {
        /// Which.
        side: Side,
    },
    /// A side declined the other's offer.
    DrawDeclined {
        /// Which.
        side: Side,
    },
    /// The clocks stand still since this moment.
    Paused {
        /// The moment.
        since: Stamp,
    },
    /// The clocks run again.
    Resumed {
        /// Since this moment, if not since the event's own.
        since: Option<Stamp>,
    },
    /// The game is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// The deployments that are open to this viewer from now on.
        opened: PerSide<Option<OpenedDeployment>>,
    },
}

/// What a viewer may know of a game at a moment: the clocks are counted to it.
#[must_use]
pub fn view(game: &Game, viewer: Viewer, now: Stamp) -> View {
    let Game {
        terms,
        phase,
        deployments,
        deploy_deadline: _,
        commitments,
        position,
        last_ply,
        last_exchange,
        clock: _,
        veiled_clock: _,
        paused_since,
        offers,
        outcome,
        latest: _,
    } = game;
    let own_deployment = match viewer {
        Viewer::Player(side) if *phase == Phase::Deploying => {
            deployments[side].as_ref().map(|(deployment, _salt)| deployment.text())
        }
        Viewer::Player(_) | Viewer::Public => None,
    };
    View {
        viewer,
        ruleset: terms.ruleset,
        phase: *phase,
        is_paused: paused_since.is_some(),
        ready: PerSide::from_fn(|side| deployments[side].is_some()),
        deploy_deadline: self::deploy_deadline(game),
        own_deployment,
        lakes: position.lakes(),
        pieces: pieces_seen(game, viewer),
        captured: PerSide::from_fn(|side| position.captured(side)),
        ply: position.ply(),
        turn: game.turn(),
        last_move: last_ply.as_ref().map(|moved| move_seen(game, moved, viewer)),
        last_exchange: last_exchange.as_ref().map(|exchange| exchange_seen(exchange, viewer)),
        reserve: reserves_seen(game, viewer),
        chips: position.chips().copied(),
        owed_color: owed_color(game),
        pools: pools_seen(game),
        pending_strike: pending_strike(game, viewer),
        refused_moves: refused_moves(game, viewer),
        clock: clock_seen(game, viewer, now),
        draw_offer: offers.standing,
        plies_to_limit: plies_to_limit(game),
        commitments: *commitments,
        opened: opened_to(game, viewer),
        outcome: *outcome,
    }
}

/// What a viewer sees of an event; nothing when it is not for him. `after` is the game after it.
#[must_use]
pub fn see(event: &Event, after: &Game, viewer: Viewer) -> Option<SeenEvent> {
    match &event.0 {
        EventKind::Deployed(deployed) => {
            let Deployed { side, deployment, salt: _, is_change } = &**deployed;
            if viewer.is_side(*side) {
                Some(SeenEvent::Deployed { text: deployment.text() })
            } else if *is_change {
                None
            } else {
                Some(SeenEvent::Ready { side: *side })
            }
        }
        EventKind::Started { commitments } => Some(SeenEvent::Started { commitments: **commitments }),
        EventKind::Moved(moved) => Some(SeenEvent::Moved(move_seen(after, moved, viewer))),
        EventKind::Struck(clash) => Some(SeenEvent::Struck(strike_seen(clash, None))),
        EventKind::Chosen { side, rank } => {
            viewer.is_side(*side).then_some(SeenEvent::Chosen { side: *side, rank: *rank })
        }
        EventKind::Removed { side, square } => {
            Some(SeenEvent::Exchanged(SeenExchange::Removed { side: *side, square: *square }))
        }
        EventKind::Placed(placed) => Some(SeenEvent::Exchanged(placing_seen(placed, viewer))),
        EventKind::Colored { side, square, color } => {
            Some(SeenEvent::Colored { side: *side, square: *square, color: *color })
        }
        EventKind::DrawOffered { side } => Some(SeenEvent::DrawOffered { side: *side }),
        EventKind::DrawDeclined { side } => Some(SeenEvent::DrawDeclined { side: *side }),
        EventKind::Paused { since } => Some(SeenEvent::Paused { since: *since }),
        EventKind::Resumed => Some(SeenEvent::Resumed { since: None }),
        EventKind::ResumedSince { since } => Some(SeenEvent::Resumed { since: Some(*since) }),
        EventKind::Ended(outcome) => {
            Some(SeenEvent::Ended { outcome: *outcome, opened: opened_to(after, viewer) })
        }
    }
}

/// What the end of a game has opened of an event that hid something when it happened: the ranks of pieces from a reserve, which no deployment tells, and
/// when a choice was made in a strike (§Q4). A choice of a strike that was never resolved stays unseen: whoever keeps the events does not ask for it.
/// None when it has opened nothing of it. `game` is the game as it stands.
#[must_use]
pub fn see_opened(event: &Event, game: &Game, viewer: Viewer) -> Option<SeenEvent> {
    match &event.0 {
        EventKind::Placed(placed) if knows_ranks_of(game, viewer, placed.side) => {
            Some(SeenEvent::Exchanged(placing_seen(placed, Viewer::Player(placed.side))))
        }
        EventKind::Chosen { side, rank } if is_open(game) => {
            Some(SeenEvent::Chosen { side: *side, rank: *rank })
        }
        EventKind::Placed(_)
        | EventKind::Deployed(_)
        | EventKind::Started { commitments: _ }
        | EventKind::Moved(_)
        | EventKind::Struck(_)
        | EventKind::Chosen { side: _, rank: _ }
        | EventKind::Removed { side: _, square: _ }
        | EventKind::Colored { side: _, square: _, color: _ }
        | EventKind::DrawOffered { side: _ }
        | EventKind::DrawDeclined { side: _ }
        | EventKind::Paused { since: _ }
        | EventKind::Resumed
        | EventKind::ResumedSince { since: _ }
        | EventKind::Ended(_) => None,
    }
}

/// What else of a viewer's view changed with an event he sees; `after` is the game after it.
#[must_use]
pub fn see_change(event: &Event, after: &Game, viewer: Viewer, now: Stamp) -> SeenChange {
    let at = |square| Some(piece_seen(after, viewer, square, after.position.piece(square)?));
    let (pieces, captured, has_stock_changed) = match &event.0 {
        EventKind::Started { commitments: _ } | EventKind::Ended(_) => {
            (Some(pieces_seen(after, viewer)), None, true)
        }
        EventKind::Moved(Moved { side: _, from, to, proves: _, strike, laid: _ }) => {
            let (low, high) = (*from.min(to), *from.max(to));
            let pieces = [low, high].into_iter().filter_map(at).collect();
            let captured = PerSide::from_fn(|side| after.position.captured(side));
            // A coin may have become a piece.
            (Some(pieces), strike.is_some().then_some(captured), after.position.pool(Side::Red).is_some())
        }
        EventKind::Struck(Clash { side: _, from, to: _, proves: _, owes: _ }) => {
            (Some(at(*from).into_iter().collect()), None, true)
        }
        EventKind::Chosen { side: _, rank: _ } => (None, None, false),
        EventKind::Removed { side: _, square }
        | EventKind::Placed(Placed { side: _, square, rank: _, is_labeled: _, color: _ }) => {
            (Some(at(*square).into_iter().collect()), None, true)
        }
        EventKind::Colored { side: _, square: _, color: _ }
        | EventKind::Deployed(_)
        | EventKind::DrawOffered { side: _ }
        | EventKind::DrawDeclined { side: _ }
        | EventKind::Paused { since: _ }
        | EventKind::Resumed
        | EventKind::ResumedSince { since: _ } => (None, None, false),
    };
    SeenChange {
        deploy_deadline: deploy_deadline(after),
        turn: after.turn(),
        clock: clock_seen(after, viewer, now),
        plies_to_limit: plies_to_limit(after),
        refused_moves: refused_moves(after, viewer),
        captured,
        pieces,
        reserve: if has_stock_changed { reserves_seen(after, viewer) } else { None },
        owed_color: owed_color(after),
        pools: if has_stock_changed { pools_seen(after) } else { None },
        pending_strike: pending_strike(after, viewer),
    }
}

/// Both clocks at a moment. They stop at zero and at whatever the log says stopped them.
#[must_use]
pub fn clock_seen(game: &Game, viewer: Viewer, now: Stamp) -> Option<SeenClock> {
    let clock = game.clock.as_ref()?;
    // While a strike waits, that a side's clock stands still would tell that it has chosen (§Q4).
    let clock_of =
        |side| if viewer.is_side(side) { clock } else { game.veiled_clock.as_ref().unwrap_or(clock) };
    // Not behind the stamp a running clock counts from; other stamps may be of events this viewer did not see.
    let since = Side::BOTH.into_iter().filter_map(|side| clock_of(side).running_since()).max();
    let at = since.map_or(now, |since| now.max(since));
    Some(SeenClock {
        at,
        remaining_ms: PerSide::from_fn(|side| clock_of(side).remaining_ms(side, at)),
        free_ms: PerSide::from_fn(|side| clock_of(side).free_ms(side, at)),
        is_running: PerSide::from_fn(|side| clock_of(side).is_running(side)),
    })
}

fn pools_seen(game: &Game) -> Option<PerSide<[u8; Rank::COUNT]>> {
    let (red, blue) = (game.position.pool(Side::Red)?, game.position.pool(Side::Blue)?);
    Some(PerSide::new(red, blue))
}

fn pending_strike(game: &Game, viewer: Viewer) -> Option<PendingStrike> {
    let Pending { clash, chosen } = game.position.pending().filter(|_| game.phase == Phase::Playing)?;
    let own_choice = match viewer {
        Viewer::Player(side) => chosen[side],
        Viewer::Public => None,
    };
    Some(strike_seen(clash, own_choice))
}

fn strike_seen(clash: &Clash, own_choice: Option<Rank>) -> PendingStrike {
    // What it proves is seen of the piece.
    let Clash { side, from, to, proves: _, owes } = *clash;
    PendingStrike { side, from, to, owes, own_choice }
}

fn deploy_deadline(game: &Game) -> Option<Stamp> {
    (game.phase == Phase::Deploying).then_some(game.deploy_deadline)
}

fn refused_moves(game: &Game, viewer: Viewer) -> Vec<Move> {
    let mut refused = Vec::new();
    let turn = game.position.turn();
    if game.phase == Phase::Playing && viewer.is_side(turn) && game.position.may_refuse_repetition(turn) {
        game.position.legal_moves_of(turn, |squares| refused.push(squares));
    }
    refused
}

fn pieces_seen(game: &Game, viewer: Viewer) -> Vec<SeenPiece> {
    game.position.pieces().map(|(square, piece)| piece_seen(game, viewer, square, piece)).collect()
}

fn piece_seen(game: &Game, viewer: Viewer, square: Square, piece: Piece) -> SeenPiece {
    let Piece { side, rank, is_moved, is_revealed, id: _ } = piece;
    let is_known = is_revealed || knows_ranks_of(game, viewer, side);
    let identity = match rank {
        None => Identity::Coin,
        Some(rank) if is_known => Identity::Known(rank),
        Some(_) => identity_proved(game, square),
    };
    let is_labeled = game.position.shadow().is_some_and(|shadow| shadow.labeled.contains(square));
    SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled }
}

/// What the moves of the piece on a square tell of it (§S3.4).
fn identity_proved(game: &Game, square: Square) -> Identity {
    let could_be = game.position.shadow().map_or(RankSet::ALL, |shadow| shadow.could_be(square));
    if could_be == RankSet::ALL { Identity::Hidden } else { Identity::OneOf(could_be) }
}

fn reserves_seen(game: &Game, viewer: Viewer) -> Option<PerSide<SeenReserve>> {
    let shadow = game.position.shadow()?;
    Some(PerSide::from_fn(|side| {
        let reserve = &shadow.reserve[side];
        let Reserve { unlabeled, labeled } = *reserve;
        let is_known = knows_ranks_of(game, viewer, side);
        SeenReserve { size: reserve.size(), labeled, unlabeled: is_known.then_some(unlabeled) }
    }))
}

fn owed_color(game: &Game) -> Option<OwedColor> {
    let square = game.position.owed_color().filter(|_| game.phase == Phase::Playing)?;
    Some(OwedColor { side: game.position.turn(), square })
}

fn exchange_seen(exchange: &Exchange, viewer: Viewer) -> SeenExchange {
    match exchange {
        Exchange::Removed { side, square } => SeenExchange::Removed { side: *side, square: *square },
        Exchange::Placed(placed) => placing_seen(placed, viewer),
    }
}

fn placing_seen(placed: &Placed, viewer: Viewer) -> SeenExchange {
    let Placed { side, square, rank, is_labeled, color } = *placed;
    let is_known = is_labeled || viewer.is_side(side);
    let piece = if is_known { Identity::Known(rank) } else { Identity::Hidden };
    SeenExchange::Placed { side, square, piece, is_labeled, color }
}

/// Whether a viewer knows every rank of a side: his own always, and whatever the end of the game opened to him.
fn knows_ranks_of(game: &Game, viewer: Viewer, side: Side) -> bool {
    if viewer.is_side(side) {
        return true;
    }
    match viewer {
        Viewer::Player(_) => is_open(game),
        Viewer::Public => is_open(game) && !game.terms.secret[side],
    }
}

/// Whether the game has ended and its end opens what was hidden: games that were called off open nothing.
fn is_open(game: &Game) -> bool {
    match game.outcome {
        None => false,
        Some(Outcome { winner: _, reason }) => reason != crate::game::EndReason::Aborted,
    }
}

fn opened_to(game: &Game, viewer: Viewer) -> PerSide<Option<OpenedDeployment>> {
    PerSide::from_fn(|side| {
        if !is_open(game) || !knows_ranks_of(game, viewer, side) {
            return None;
        }
        game.deployments[side]
            .as_ref()
            .map(|(deployment, salt)| OpenedDeployment { text: deployment.text(), salt: salt.0 })
    })
}

fn move_seen(game: &Game, moved: &Moved, viewer: Viewer) -> SeenMove {
    let Moved { side, from, to, proves, strike, laid } = *moved;
    let rank_if = |whose: Side, is_shown: bool, rank: Rank| {
        // As seen when it happened: what the end opens is told by the deployments, not by telling the past anew.
        if is_shown || viewer.is_side(whose) { Identity::Known(rank) } else { Identity::Hidden }
    };
    let strike = strike.map(|Strike { attacker, defender, labels: _ }| {
        let Struck { rank: attacker_rank, fate: attacker_fate, shown: attacker_shown } = attacker;
        let Struck { rank: defender_rank, fate: defender_fate, shown: defender_shown } = defender;
        SeenStrike {
            attacker: rank_if(side, attacker_shown, attacker_rank),
            attacker_fate,
            defender: rank_if(side.opponent(), defender_shown, defender_rank),
            defender_fate,
        }
    });
    let piece = match strike {
        Some(SeenStrike { attacker, attacker_fate: _, defender: _, defender_fate: _ }) => attacker,
        None => match game.position.piece(to) {
            Some(Piece { side: whose, rank, is_moved: _, is_revealed, id: _ }) if whose == side => {
                let is_shown = is_revealed || proves.single().is_some();
                match rank.map_or(Identity::Coin, |rank| rank_if(side, is_shown, rank)) {
                    Identity::Hidden => identity_proved(game, to),
                    known @ (Identity::Known(_) | Identity::OneOf(_) | Identity::Coin) => known,
                }
            }
            Some(_) | None => Identity::Hidden,
        },
    };
    SeenMove { side, from, to, piece, strike, laid }
}

fn plies_to_limit(game: &Game) -> Option<Ply> {
    if game.phase != Phase::Playing {
        return None;
    }
    let ruleset = game.terms.ruleset;
    let quiet = ruleset.quiet_limit.map(|limit| limit.saturating_sub(game.position.quiet_plies()));
    let plies = ruleset.ply_limit.saturating_sub(game.position.ply());
    let left = quiet.map_or(plies, |quiet| quiet.min(plies));
    (left <= Ruleset::LIMIT_NOTICE).then_some(left)
}

impl View {
    /// The viewer's own legal moves, when it is his turn: the same that the engine allows.
    #[must_use]
    pub fn legal_moves(&self) -> Option<crate::movement::LegalMoves> {
        let own = self.own_turn()?;
        Some(self.moves(&own))
    }

    /// Everything the viewer may do on the board, when it is his turn: the same that the engine allows.
    #[must_use]
    pub fn legal_commands(&self) -> Option<LegalCommands> {
        if let Some(strike) = &self.pending_strike {
            return self.choices(strike).map(LegalCommands::of_choices);
        }
        let own = self.own_turn()?;
        if self.owed_color.is_some() {
            return Some(LegalCommands::of_owed_color());
        }
        let reserve = self.reserve.as_ref().map(|reserves| {
            let SeenReserve { size: _, labeled, unlabeled } = reserves[own.side];
            Reserve { unlabeled: unlabeled.unwrap_or_default(), labeled }
        });
        let (moves, field) = (self.moves(&own), self.field(&own));
        Some(LegalCommands::new(self.ruleset, own.side, &field, moves, own.flag, reserve.as_ref()))
    }

    /// What the viewer's coin in a strike may become, when he has yet to choose (§Q4).
    fn choices(&self, strike: &PendingStrike) -> Option<RankSet> {
        let Viewer::Player(side) = self.viewer else { return None };
        let PendingStrike { side: striker, from, to, owes, own_choice } = *strike;
        let is_owed = owes[side] && own_choice.is_none() && self.phase == Phase::Playing;
        is_owed.then(|| self.own_coins(side).choices(if side == striker { from } else { to }))
    }

    fn own_coins(&self, side: Side) -> Coins {
        let is_own = |piece: &&SeenPiece| piece.side == side && piece.identity == Identity::Coin;
        let coins = || self.pieces.iter().filter(is_own);
        Coins {
            all: coins().map(|piece| piece.square).collect(),
            unmoved: coins().filter(|piece| !piece.is_moved).map(|piece| piece.square).collect(),
            pool: self.pools.map(|pools| Pool(pools[side])).unwrap_or_default(),
        }
    }

    /// Whether a side owes an act of the board, as far as this viewer can know: the choice it has not made in a strike (§Q4), else its turn.
    #[must_use]
    pub fn is_to_act(&self, side: Side) -> bool {
        match &self.pending_strike {
            Some(strike) => {
                let has_chosen = self.viewer.is_side(side) && strike.own_choice.is_some();
                strike.owes[side] && !has_chosen
            }
            None => self.turn == Some(side),
        }
    }

    fn own_turn(&self) -> Option<OwnTurn> {
        let Viewer::Player(side) = self.viewer else { return None };
        if self.turn != Some(side) {
            return None;
        }
        let mut turn = OwnTurn {
            side,
            own: SquareSet::EMPTY,
            foes: SquareSet::EMPTY,
            walkers: SquareSet::EMPTY,
            runners: SquareSet::EMPTY,
            flashers: [SquareSet::EMPTY; 3],
            flag: None,
            open: self.ruleset.shape.squares().without(self.lakes),
        };
        for piece in &self.pieces {
            if piece.side == side {
                turn.note(piece.square, piece.identity);
            } else {
                turn.foes.insert(piece.square);
            }
        }
        if self.pools.is_some() {
            let coins = self.own_coins(side);
            let walkers = coins.walkers();
            turn.walkers |= walkers;
            turn.runners |= coins.runners(walkers);
        }
        Some(turn)
    }

    fn field<'a>(&'a self, turn: &'a OwnTurn) -> crate::movement::Field<'a> {
        crate::movement::Field {
            own: &turn.own,
            foes: &turn.foes,
            walkers: &turn.walkers,
            runners: &turn.runners,
            open: &turn.open,
            strikes_afar: self.ruleset.strikes_afar,
            beyond: crate::movement::Beyond::of(
                self.ruleset,
                self.chips.as_ref().and_then(|chips| Lines::of(chips, &turn.flashers, self.ruleset)),
            ),
        }
    }

    fn moves(&self, turn: &OwnTurn) -> crate::movement::LegalMoves {
        if self.owed_color.is_some() || self.pending_strike.is_some() {
            return crate::movement::LegalMoves::none(turn.own);
        }
        let mut moves = self.field(turn).moves();
        self.refused_moves.iter().for_each(|squares| moves.remove(*squares));
        moves
    }
}

/// Where everything stands for the viewer whose turn it is.
struct OwnTurn {
    side: Side,
    own: SquareSet,
    foes: SquareSet,
    walkers: SquareSet,
    runners: SquareSet,
    flashers: [SquareSet; 3],
    flag: Option<Square>,
    open: SquareSet,
}

impl OwnTurn {
    fn note(&mut self, square: Square, identity: Identity) {
        self.own.insert(square);
        let Identity::Known(rank) = identity else { return };
        if crate::position::is_movable(rank) {
            self.walkers.insert(square);
        }
        if crate::position::is_runner(rank) {
            self.runners.insert(square);
        }
        if let Some(flasher) = crate::chips::flasher(rank) {
            self.flashers[flasher].insert(square);
        }
        if rank == Rank::Flag {
            self.flag = Some(square);
        }
    }
}
