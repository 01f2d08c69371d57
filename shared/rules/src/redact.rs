//! The redaction of a game: the facts that an audience may see. No other code redacts games.
//!
//! A view is built up from facts that the audience may see. It is never a copy of the state from
//! which secrets are removed. Every match here is exhaustive and without `..`. A new field of an
//! event or a piece is therefore a compile error until a developer decides who may see it.

use flagfall_board::{PerSide, Ply, Rank, RankSet, Side, Square, Stamp};
use flagfall_view::{
    GameEvent, GameView, HexBytes, Identity, Move, Opened, OwedColor, PendingStrike, Phase, RankCounts,
    Running, SeenClock, SeenExchange, SeenMove, SeenOutcome, SeenPiece, SeenPlacing, SeenReserve, SeenStrike,
    ViewChange, Viewer,
};

use crate::event::{Deployed, Event, EventKind, Moved, Placed, Strike, Struck, UnresolvedStrike};
use crate::game::{Exchange, Game};
use crate::outcome::EndReason;
use crate::piece::Piece;
use crate::position::square_after;
use crate::ruleset::Ruleset;
use crate::seen::View;
use crate::variants::{Pending, Reserve};

/// Returns the view of a game: the facts that a viewer may see. The clocks are read at the time
/// `now`.
pub fn view(game: &Game, viewer: Viewer, now: Stamp) -> View {
    view_with(game, viewer, &Known::live(game, viewer), now)
}

/// Like [`view`], but includes all ranks that the viewer may see after the end of the game.
///
/// `game` may be an earlier state. `end` is the same game in its current state.
pub fn view_opened(game: &Game, viewer: Viewer, end: &Game, now: Stamp) -> View {
    view_with(game, viewer, &Known::opened(end, viewer), now)
}

fn view_with(game: &Game, viewer: Viewer, known: &Known, now: Stamp) -> View {
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
        veil: _,
        paused_since,
        offers,
        outcome,
        latest: _,
        latest_shown: _,
    } = game;
    let own_deployment = match viewer {
        Viewer::Player(side) if *phase == Phase::Deploying => {
            deployments[side].as_ref().map(|(deployment, _salt)| deployment.text())
        }
        Viewer::Player(_) | Viewer::Public => None,
    };
    let refused_moves = refused_moves(game, viewer);
    let seen = GameView {
        audience: viewer,
        ruleset: terms.ruleset.id.to_owned(),
        phase: *phase,
        paused: paused_since.is_some(),
        ready: PerSide::from_fn(|side| deployments[side].is_some()),
        deploy_deadline: self::deploy_deadline(game),
        own_deployment,
        lakes: position.lakes(),
        pieces: pieces_seen(game, known),
        captured: position.captured,
        ply: position.ply(),
        turn: game.turn(),
        last_move: last_ply.as_ref().map(|moved| move_seen(game, moved, viewer)),
        last_exchange: last_exchange.as_ref().map(|exchange| exchange_seen(exchange, known)),
        reserve: reserves_seen(game, known),
        chips: position.chips().copied(),
        owed_color: owed_color(game),
        pools: pools_seen(game),
        pending_strike: pending_strike(game, viewer),
        more_squares: more_squares(game, &refused_moves),
        refused_moves,
        clock: clock_seen(game, viewer, now),
        draw_offer: offers.standing,
        plies_to_limit: plies_to_limit(game),
        commitments: *commitments,
        opened: opened_to(game, viewer),
        outcome: outcome.map(SeenOutcome::from),
    };
    View { seen, ruleset: terms.ruleset }
}

/// Returns the part of an event that a viewer may see, or `None` if the whole event is hidden
/// from them.
///
/// `after` is the game after the event.
pub fn see(event: &Event, after: &Game, viewer: Viewer) -> Option<GameEvent> {
    match &event.0 {
        EventKind::Deployed(deployed) => {
            let Deployed { side, deployment, salt: _, is_change } = &**deployed;
            if viewer.is_side(*side) {
                Some(GameEvent::Deployed { setup: deployment.text() })
            } else if *is_change {
                None
            } else {
                Some(GameEvent::Ready { side: *side })
            }
        }
        EventKind::Started { commitments } => Some(GameEvent::Started { commitments: **commitments }),
        EventKind::Moved(moved) => Some(GameEvent::Moved(move_seen(after, moved, viewer))),
        EventKind::Struck(strike) => Some(GameEvent::Struck(strike_seen(strike, None))),
        EventKind::Chosen { side, rank } => {
            viewer.is_side(*side).then_some(GameEvent::Chosen { side: *side, rank: *rank })
        }
        EventKind::Removed { side, square } => Some(GameEvent::Removed { side: *side, square: *square }),
        EventKind::Placed(placed) => {
            Some(GameEvent::Placed(placing_seen(placed, viewer.is_side(placed.side))))
        }
        EventKind::Colored { side, square, color } => {
            Some(GameEvent::Colored { side: *side, square: *square, color: *color })
        }
        EventKind::DrawOffered { side } => Some(GameEvent::DrawOffered { side: *side }),
        EventKind::DrawDeclined { side } => Some(GameEvent::DrawDeclined { side: *side }),
        EventKind::Paused { since } => Some(GameEvent::Paused { since: *since }),
        EventKind::Resumed => Some(GameEvent::Resumed { since: None }),
        EventKind::ResumedSince { since } => Some(GameEvent::Resumed { since: Some(*since) }),
        EventKind::Ended(outcome) => {
            Some(GameEvent::Ended { outcome: (*outcome).into(), opened: opened_to(after, viewer) })
        }
    }
}

/// Returns an event with the facts that the viewer may see only after the end of the game.
///
/// There are two such facts: the ranks of pieces that were placed from a reserve, which no
/// deployment shows, and the times of choices in a strike (§Q4). For other events, the function
/// returns `None`. `game` is the game in its current state. Callers must not pass choices in a
/// strike that was never resolved, because these choices stay secret.
pub fn see_opened(event: &Event, game: &Game, viewer: Viewer) -> Option<GameEvent> {
    match &event.0 {
        EventKind::Placed(placed) if knows_ranks_of(game, viewer, placed.side) => {
            Some(GameEvent::Placed(placing_seen(placed, true)))
        }
        EventKind::Chosen { side, rank } if is_open(game) => {
            Some(GameEvent::Chosen { side: *side, rank: *rank })
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

/// True if this viewer may see every rank because the game has ended.
pub fn is_opened_to(game: &Game, viewer: Viewer) -> bool {
    is_open(game) && Side::BOTH.into_iter().all(|side| knows_ranks_of(game, viewer, side))
}

/// Returns a side's event as others may see it after the end of the game.
///
/// The event of the first deployment then shows the final deployment, because it stays secret
/// whether the side changed its deployment. `end` is the game in its current state.
pub fn own_event_opened(event: &Event, side: Side, end: &Game) -> Option<Event> {
    match &event.0 {
        EventKind::Deployed(deployed) if deployed.side == side => {
            let Deployed { side, deployment: _, salt: _, is_change } = **deployed;
            let (deployment, salt) = end.deployments[side].clone().filter(|_| !is_change)?;
            Some(Event(EventKind::Deployed(Box::new(Deployed { side, deployment, salt, is_change }))))
        }
        EventKind::Deployed(_)
        | EventKind::Started { commitments: _ }
        | EventKind::Moved(_)
        | EventKind::Struck(_)
        | EventKind::Chosen { side: _, rank: _ }
        | EventKind::Removed { side: _, square: _ }
        | EventKind::Placed(_)
        | EventKind::Colored { side: _, square: _, color: _ }
        | EventKind::DrawOffered { side: _ }
        | EventKind::DrawDeclined { side: _ }
        | EventKind::Paused { since: _ }
        | EventKind::Resumed
        | EventKind::ResumedSince { since: _ }
        | EventKind::Ended(_) => Some(event.clone()),
    }
}

/// Returns the part of a view's change that the viewer cannot derive from the event itself.
///
/// `after` is the game after the event.
pub fn see_change(event: &Event, after: &Game, viewer: Viewer, now: Stamp) -> ViewChange {
    change_with(event, after, viewer, &Known::live(after, viewer), now)
}

/// Like [`see_change`], but includes all ranks that the viewer may see after the end of the game.
///
/// `end` is the same game in its current state.
pub fn see_change_opened(event: &Event, after: &Game, viewer: Viewer, end: &Game, now: Stamp) -> ViewChange {
    change_with(event, after, viewer, &Known::opened(end, viewer), now)
}

fn change_with(event: &Event, after: &Game, viewer: Viewer, known: &Known, now: Stamp) -> ViewChange {
    let at = |square| Some(piece_seen(after, known, square, after.position.piece(square)?));
    let (pieces, captured, has_stock_changed) = match &event.0 {
        EventKind::Started { commitments: _ } | EventKind::Ended(_) => {
            (Some(pieces_seen(after, known)), None, true)
        }
        EventKind::Moved(Moved { side: _, from, to, proves: _, strike, laid: _ }) => {
            let (low, high) = (*from.min(to), *from.max(to));
            let pieces = [low, high].into_iter().filter_map(at).collect();
            // In rulesets with coins, the pools may have changed, because a coin may have become
            // a piece.
            (
                Some(pieces),
                strike.is_some().then_some(after.position.captured),
                after.position.pool(Side::Red).is_some(),
            )
        }
        EventKind::Struck(UnresolvedStrike { side: _, from, to: _, proves: _, owes: _ }) => {
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
    let refused_moves = refused_moves(after, viewer);
    ViewChange {
        deploy_deadline: deploy_deadline(after),
        turn: after.turn(),
        clock: clock_seen(after, viewer, now),
        plies_to_limit: plies_to_limit(after),
        more_squares: more_squares(after, &refused_moves),
        refused_moves,
        captured,
        pieces,
        reserve: if has_stock_changed { reserves_seen(after, known) } else { None },
        owed_color: owed_color(after),
        pools: if has_stock_changed { pools_seen(after) } else { None },
        pending_strike: pending_strike(after, viewer),
    }
}

/// Returns both clocks at the time `now`. A side's time never falls below zero, and the clocks do
/// not run while the game is paused.
pub fn clock_seen(game: &Game, viewer: Viewer, now: Stamp) -> Option<SeenClock> {
    let clock = game.clock.as_deref()?;
    let veiled = game.veil.as_ref().and_then(|veil| veil.clock.as_ref());
    // While a strike is pending, the real clock of the other side is not shown, because a stopped
    // clock would reveal that the side has chosen (§Q4).
    let clock_of = |side| if viewer.is_side(side) { clock } else { veiled.unwrap_or(clock) };
    // The time shown is never earlier than the start of a running clock. That start is used instead
    // of `game.latest`, which could reveal an event that is hidden from this viewer.
    let since = Side::BOTH.into_iter().filter_map(|side| clock_of(side).running_since()).max();
    let at = since.map_or(now, |since| now.max(since));
    Some(SeenClock {
        at,
        remaining_ms: PerSide::from_fn(|side| clock_of(side).remaining_ms(side, at)),
        free_ms: PerSide::from_fn(|side| clock_of(side).free_ms(side, at)),
        running: Running::of(PerSide::from_fn(|side| clock_of(side).is_running(side))),
    })
}

fn pools_seen(game: &Game) -> Option<PerSide<RankCounts>> {
    Some(PerSide::new(game.position.pool(Side::Red)?, game.position.pool(Side::Blue)?))
}

fn pending_strike(game: &Game, viewer: Viewer) -> Option<PendingStrike> {
    let Pending { strike, chosen } = game.position.pending().filter(|_| game.phase == Phase::Playing)?;
    let own_choice = match viewer {
        Viewer::Player(side) => chosen[side],
        Viewer::Public => None,
    };
    Some(strike_seen(strike, own_choice))
}

fn strike_seen(strike: &UnresolvedStrike, own_choice: Option<Rank>) -> PendingStrike {
    // `proves` is not part of the view, because the view of the piece already shows the proved
    // ranks.
    let UnresolvedStrike { side, from, to, proves: _, owes } = *strike;
    PendingStrike { side, squares: Move { from, to }, owes, own_choice }
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

/// Of a side's refused moves, returns those that the more-squares rule forbids. `None` if no move
/// is refused. The squares of all earlier moves are public, so this tells the side no more than the
/// refusals do.
fn more_squares(game: &Game, refused: &[Move]) -> Option<Vec<Move>> {
    let position = &game.position;
    let is_chase = |squares: &Move| !position.is_back_and_forth(position.turn(), *squares);
    (!refused.is_empty()).then(|| refused.iter().copied().filter(is_chase).collect())
}

fn pieces_seen(game: &Game, known: &Known) -> Vec<SeenPiece> {
    let count: u32 = Side::BOTH.into_iter().map(|side| game.position.occupied(side).len()).sum();
    let mut seen = Vec::with_capacity(count as usize);
    for (square, piece) in game.position.pieces() {
        seen.push(piece_seen(game, known, square, piece));
    }
    seen
}

#[inline]
fn piece_seen(game: &Game, known: &Known, square: Square, piece: Piece) -> SeenPiece {
    let Piece { side, rank, is_moved, is_revealed, id: _ } = piece;
    let is_known = is_revealed || known.ranks[side];
    let identity = match rank {
        None => Identity::Coin,
        Some(rank) if is_known => Identity::Known(rank),
        Some(_) => identity_proved(game, square),
    };
    let is_labeled =
        game.position.reserve_state().is_some_and(|reserve_state| reserve_state.labeled.contains(square));
    SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled }
}

/// Returns what the moves of a piece show about its hidden rank (§S3.4).
fn identity_proved(game: &Game, square: Square) -> Identity {
    let could_be =
        game.position.reserve_state().map_or(RankSet::ALL, |reserve_state| reserve_state.could_be(square));
    if could_be == RankSet::ALL { Identity::Hidden } else { Identity::OneOf(could_be) }
}

fn reserves_seen(game: &Game, known: &Known) -> Option<PerSide<SeenReserve>> {
    let reserve_state = game.position.reserve_state()?;
    Some(PerSide::from_fn(|side| {
        let reserve = reserve_state.reserve[side];
        let Reserve { unlabeled, labeled } = reserve;
        SeenReserve { size: reserve.size(), labeled, unlabeled: known.ranks[side].then_some(unlabeled) }
    }))
}

fn owed_color(game: &Game) -> Option<OwedColor> {
    let square = game.position.owed_color().filter(|_| game.phase == Phase::Playing)?;
    Some(OwedColor { side: game.position.turn(), square })
}

fn exchange_seen(exchange: &Exchange, known: &Known) -> SeenExchange {
    match exchange {
        Exchange::Removed { side, square } => SeenExchange::Removed { side: *side, square: *square },
        Exchange::Placed(placed) => SeenExchange::Placed(placing_seen(placed, known.placings[placed.side])),
    }
}

fn placing_seen(placed: &Placed, is_opened: bool) -> SeenPlacing {
    let Placed { side, square, rank, is_labeled, color } = *placed;
    let piece = if is_labeled || is_opened { Identity::Known(rank) } else { Identity::Hidden };
    SeenPlacing { side, square, piece, labeled: is_labeled, color }
}

/// The sides whose hidden ranks a viewer may see.
struct Known {
    /// For each side, true if the viewer may see the ranks of the side's pieces on the board.
    ranks: PerSide<bool>,
    /// For each side, true if the viewer may see the ranks in the side's past placings. In a live
    /// view, these ranks stay hidden even after the end of the game.
    placings: PerSide<bool>,
}

impl Known {
    fn live(game: &Game, viewer: Viewer) -> Known {
        Known {
            ranks: PerSide::from_fn(|side| knows_ranks_of(game, viewer, side)),
            placings: PerSide::from_fn(|side| viewer.is_side(side)),
        }
    }

    fn opened(end: &Game, viewer: Viewer) -> Known {
        let ranks = PerSide::from_fn(|side| knows_ranks_of(end, viewer, side));
        Known { ranks, placings: ranks }
    }
}

/// True if a viewer may see every rank of a side, because it is the viewer's side or because the
/// game has ended.
fn knows_ranks_of(game: &Game, viewer: Viewer, side: Side) -> bool {
    match viewer {
        Viewer::Player(own) => own == side || is_open(game),
        Viewer::Public => is_open(game) && !game.terms.secret[side],
    }
}

/// True if the game has ended and its hidden ranks have been opened. They stay hidden if the game
/// was aborted.
fn is_open(game: &Game) -> bool {
    game.outcome.is_some_and(|outcome| outcome.reason != EndReason::Aborted)
}

fn opened_to(game: &Game, viewer: Viewer) -> PerSide<Option<Opened>> {
    PerSide::from_fn(|side| {
        if !is_open(game) || !knows_ranks_of(game, viewer, side) {
            return None;
        }
        game.deployments[side]
            .as_ref()
            .map(|(deployment, salt)| Opened { setup: deployment.text(), salt: HexBytes(salt.0) })
    })
}

fn move_seen(game: &Game, moved: &Moved, viewer: Viewer) -> SeenMove {
    let Moved { side, from, to, proves, strike, laid } = *moved;
    let rank_if = |whose: Side, is_shown: bool, rank: Rank| {
        // Use only what was visible when the move happened. The end of the game opens the
        // deployments, but does not change past events.
        if is_shown || viewer.is_side(whose) { Identity::Known(rank) } else { Identity::Hidden }
    };
    let strike = strike.map(|Strike { attacker, defender, labels: _ }| {
        let Struck { rank: attacker_rank, fate: attacker_fate, shown: attacker_shown } = attacker;
        let Struck { rank: defender_rank, fate: defender_fate, shown: defender_shown } = defender;
        // A defender's rank may already be public, even if this strike does not make it public
        // (§A7, §D1).
        let is_defender_known = square_after(defender, to, from)
            .and_then(|square| game.position.piece(square))
            .is_some_and(|piece| piece.side == side.opponent() && piece.is_revealed);
        SeenStrike {
            attacker: rank_if(side, attacker_shown, attacker_rank),
            attacker_fate,
            defender: rank_if(side.opponent(), defender_shown || is_defender_known, defender_rank),
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
    SeenMove { side, squares: Move { from, to }, piece, strike, laid }
}

fn plies_to_limit(game: &Game) -> Option<Ply> {
    if game.phase != Phase::Playing {
        return None;
    }
    let ruleset = game.terms.ruleset;
    let quiet = ruleset.quiet_limit.map(|limit| limit.saturating_sub(game.position.quiet_plies));
    let plies = ruleset.ply_limit.saturating_sub(game.position.ply());
    let left = quiet.map_or(plies, |quiet| quiet.min(plies));
    (left <= Ruleset::LIMIT_NOTICE).then_some(left)
}
