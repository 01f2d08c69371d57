//! The only redaction: what an audience may know of a game.
//!
//! A view is built by naming what is seen, never by blanking a copy, and every match here is exhaustive without `..`: a new
//! field of an event or a piece does not compile until somebody has decided who sees it.

use flagfall_board::{PerSide, Ply, Rank, RankSet, Side, Square, SquareSet, Stamp};

use crate::command::Move;
use crate::commitment::Commitment;
use crate::event::{Deployed, Event, EventKind, Fate, Moved, Strike, Struck};
use crate::game::{Game, Outcome, Phase};
use crate::position::Piece;
use crate::ruleset::Ruleset;

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
    /// The side whose time runs.
    pub running: Option<Side>,
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
    /// The last ply.
    pub last_move: Option<SeenMove>,
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
    /// With a ply the pieces that now stand on its two squares; with the start and the end all pieces; else none.
    pub pieces: Option<Vec<SeenPiece>>,
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
    Resumed,
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
        clock: _,
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
        refused_moves: refused_moves(game, viewer),
        clock: clock_seen(game, now),
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
        EventKind::DrawOffered { side } => Some(SeenEvent::DrawOffered { side: *side }),
        EventKind::DrawDeclined { side } => Some(SeenEvent::DrawDeclined { side: *side }),
        EventKind::Paused { since } => Some(SeenEvent::Paused { since: *since }),
        EventKind::Resumed => Some(SeenEvent::Resumed),
        EventKind::Ended(outcome) => {
            Some(SeenEvent::Ended { outcome: *outcome, opened: opened_to(after, viewer) })
        }
    }
}

/// What else of a viewer's view changed with an event he sees; `after` is the game after it.
#[must_use]
pub fn see_change(event: &Event, after: &Game, viewer: Viewer, now: Stamp) -> SeenChange {
    let (pieces, captured) = match &event.0 {
        EventKind::Started { commitments: _ } | EventKind::Ended(_) => {
            (Some(pieces_seen(after, viewer)), None)
        }
        EventKind::Moved(Moved { side: _, from, to, proves: _, strike }) => {
            let (low, high) = (*from.min(to), *from.max(to));
            let at = |square| Some(piece_seen(after, viewer, square, after.position.piece(square)?));
            let pieces = [low, high].into_iter().filter_map(at).collect();
            let captured = PerSide::from_fn(|side| after.position.captured(side));
            (Some(pieces), strike.is_some().then_some(captured))
        }
        EventKind::Deployed(_)
        | EventKind::DrawOffered { side: _ }
        | EventKind::DrawDeclined { side: _ }
        | EventKind::Paused { since: _ }
        | EventKind::Resumed => (None, None),
    };
    SeenChange {
        deploy_deadline: deploy_deadline(after),
        turn: after.turn(),
        clock: clock_seen(after, now),
        plies_to_limit: plies_to_limit(after),
        refused_moves: refused_moves(after, viewer),
        captured,
        pieces,
    }
}

/// Both clocks at a moment. They stop at zero and at whatever the log says stopped them.
#[must_use]
pub fn clock_seen(game: &Game, now: Stamp) -> Option<SeenClock> {
    let clock = game.clock.as_ref()?;
    // Not behind the stamp the running clock counts from; other stamps may be of events this viewer did not see.
    let at = clock.running_since().map_or(now, |since| now.max(since));
    Some(SeenClock {
        at,
        remaining_ms: PerSide::from_fn(|side| clock.remaining_ms(side, at)),
        running: clock.running(),
    })
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
    let identity = if is_known { Identity::Known(rank) } else { Identity::Hidden };
    SeenPiece { square, side, identity, is_moved, is_revealed }
}

/// Whether a viewer knows every rank of a side: his own always, and whatever the end of the game opened to him.
fn knows_ranks_of(game: &Game, viewer: Viewer, side: Side) -> bool {
    if viewer.is_side(side) {
        return true;
    }
    let is_open = match game.outcome {
        None => false,
        // Games that were called off open nothing.
        Some(Outcome { winner: _, reason }) => reason != crate::game::EndReason::Aborted,
    };
    match viewer {
        Viewer::Player(_) => is_open,
        Viewer::Public => is_open && !game.terms.secret[side],
    }
}

fn opened_to(game: &Game, viewer: Viewer) -> PerSide<Option<OpenedDeployment>> {
    PerSide::from_fn(|side| {
        let is_over = match game.outcome {
            None => false,
            Some(Outcome { winner: _, reason }) => reason != crate::game::EndReason::Aborted,
        };
        if !is_over || !knows_ranks_of(game, viewer, side) {
            return None;
        }
        game.deployments[side]
            .as_ref()
            .map(|(deployment, salt)| OpenedDeployment { text: deployment.text(), salt: salt.0 })
    })
}

fn move_seen(game: &Game, moved: &Moved, viewer: Viewer) -> SeenMove {
    let Moved { side, from, to, proves, strike } = *moved;
    let rank_if = |whose: Side, is_shown: bool, rank: Rank| {
        // As seen when it happened: what the end opens is told by the deployments, not by telling the past anew.
        if is_shown || viewer.is_side(whose) { Identity::Known(rank) } else { Identity::Hidden }
    };
    let strike = strike.map(|Strike { attacker, defender }| {
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
            Some(piece) if piece.side == side => {
                rank_if(side, piece.is_revealed || proves.single().is_some(), piece.rank)
            }
            Some(_) | None => Identity::Hidden,
        },
    };
    SeenMove { side, from, to, piece, strike }
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
        let Viewer::Player(side) = self.viewer else { return None };
        if self.turn != Some(side) {
            return None;
        }
        let mut own = SquareSet::EMPTY;
        let mut foes = SquareSet::EMPTY;
        let mut walkers = SquareSet::EMPTY;
        let mut runners = SquareSet::EMPTY;
        for piece in &self.pieces {
            if piece.side != side {
                foes.insert(piece.square);
                continue;
            }
            own.insert(piece.square);
            if let Identity::Known(rank) = piece.identity {
                if crate::position::is_movable(rank) {
                    walkers.insert(piece.square);
                }
                if crate::position::is_runner(rank) {
                    runners.insert(piece.square);
                }
            }
        }
        let field = crate::movement::Field {
            own: &own,
            foes: &foes,
            walkers: &walkers,
            runners: &runners,
            open: &self.ruleset.shape.squares().without(self.lakes),
            strikes_afar: self.ruleset.strikes_afar,
        };
        let mut moves = field.moves();
        self.refused_moves.iter().for_each(|squares| moves.remove(*squares));
        Some(moves)
    }
}
