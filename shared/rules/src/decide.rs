//! Decides on commands. A pure function takes the state and a command, and returns the events
//! that follow.

mod ending;

use flagfall_board::{ChipColor, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet, Stamp};
use flagfall_view::{Claim, Fate, Laid, Move, Phase};

use crate::command::{Choice, Command, MoveCommand, Placing};
use crate::commitment::Salt;
use crate::entropy::Entropy;
use crate::event::{Deployed, EventKind, Events, Moved, Placed, Strike, UnresolvedStrike};
use crate::game::Game;
use crate::moves::{Field, Way};
use crate::outcome::{EndReason, Outcome};
use crate::position::{Position, Variants};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::strike;
use crate::variants::{Coins, ReserveState, Witnessed};
use ending::{judge, judge_exchange, judge_limits};

pub(crate) use ending::judge_mobility;

/// Decides on a side's command and returns the events that follow.
///
/// `ply` is the ply at which the player issued the command, and `now` is the current time.
///
/// # Errors
/// A [`Refusal`], which only the sender may see.
pub fn decide(
    game: &Game,
    side: Side,
    ply: Ply,
    command: &Command,
    now: Stamp,
    entropy: &Entropy,
) -> Result<Events, Refusal> {
    check_moment(game, ply, now)?;
    if !matches!(command, Command::Deploy(_) | Command::Abort) {
        in_play(game)?;
    }
    match command {
        Command::Deploy(setup) => deploy(game, side, setup, entropy),
        Command::Move(asked) => {
            let played = play(&game.position, side, *asked);
            match played {
                Err(refusal) if game.terms.ruleset.illegal_act_loses && refusal.is_illegal_move() => {
                    Ok(ended(Outcome::won(side.opponent(), EndReason::IllegalAct)))
                }
                Ok(_) | Err(_) => played,
            }
        }
        Command::Remove(square) => remove(&game.position, side, *square),
        Command::Place(placing) => place(&game.position, side, placing),
        Command::Color(color) => lay_owed(&game.position, side, *color),
        Command::Choose(choice) => choose(&game.position, side, *choice),
        Command::OfferDraw => offer_draw(game, side),
        Command::AcceptDraw => {
            standing_offer(game, side)?;
            Ok(ended(Outcome::nobody(EndReason::DrawAgreed)))
        }
        Command::DeclineDraw => {
            standing_offer(game, side)?;
            Ok(only(EventKind::DrawDeclined { side }))
        }
        Command::Resign => Ok(ended(Outcome::won(side.opponent(), EndReason::Resigned))),
        Command::Abort => {
            let own_first_ply = match side {
                Side::Red => 0,
                Side::Blue => 1,
            };
            // A side whose strike is pending has already begun its first ply.
            let has_struck = game.position.has_strike_pending() && game.position.turn() == side;
            if game.ply() > own_first_ply || has_struck {
                return Err(Refusal::TooLateToAbort);
            }
            if broke_rules(game, side) {
                // A side with an illegal deployment must not escape its loss by aborting the game.
                return Err(Refusal::DeploymentFinal);
            }
            Ok(ended(Outcome::nobody(EndReason::Aborted)))
        }
        // This function does not know whether the other side is absent, so it assumes that the
        // other side is present.
        Command::Claim(claim) => claim_from(game, side, *claim, now, None),
    }
}

/// Decides on a side's claim to a game that the other side has left.
///
/// `claimable_from` is the time from which the other side has been absent long enough for a
/// claim. It is `None` while the other side is present.
///
/// # Errors
/// A [`Refusal`], which only the sender may see.
pub fn decide_claim(
    game: &Game,
    side: Side,
    ply: Ply,
    claim: Claim,
    now: Stamp,
    claimable_from: Option<Stamp>,
) -> Result<Events, Refusal> {
    check_moment(game, ply, now)?;
    in_play(game)?;
    claim_from(game, side, claim, now, claimable_from)
}

fn claim_from(
    game: &Game,
    side: Side,
    claim: Claim,
    now: Stamp,
    claimable_from: Option<Stamp>,
) -> Result<Events, Refusal> {
    if !game.terms.time.has_claims() {
        return Err(Refusal::NoClaims);
    }
    let from = claimable_from.ok_or(Refusal::OpponentPresent)?;
    let left_ms = from.ms_since(now);
    if left_ms > 0 {
        return Err(Refusal::ClaimTooEarly { seconds_left: left_ms.div_ceil(1_000) });
    }
    Ok(ended(match claim {
        Claim::Win => Outcome::won(side, EndReason::Abandoned),
        Claim::Draw => Outcome::nobody(EndReason::Abandoned),
    }))
}

/// Checks that the game accepts commands at this ply and at this time.
#[inline(always)]
fn check_moment(game: &Game, ply: Ply, now: Stamp) -> Result<(), Refusal> {
    if game.phase == Phase::Over {
        return Err(Refusal::GameOver);
    }
    if game.is_paused() {
        return Err(Refusal::Paused);
    }
    if ply != game.ply() {
        return Err(Refusal::StalePly { named: ply, current: game.ply() });
    }
    if game.deadline().is_some_and(|deadline| now > deadline) {
        return Err(Refusal::OutOfTime);
    }
    Ok(())
}

/// Returns the event that ends the game, if a deadline has passed. Otherwise, returns no events.
#[must_use]
pub fn decide_deadline(game: &Game, now: Stamp) -> Events {
    if game.flag_fall().is_none_or(|flag_fall| now <= flag_fall) {
        return Events::default();
    }
    match game.phase {
        Phase::Deploying => ended(Outcome::nobody(EndReason::Aborted)),
        Phase::Playing => ended(out_of_time(game)),
        Phase::Over => Events::default(),
    }
}

/// The side that ran out of time first loses. If both sides ran out at the same moment, the game
/// is a draw (§Q4).
fn out_of_time(game: &Game) -> Outcome {
    let deadline_of = |side| game.clock.as_ref().and_then(|clock| clock.deadline_of(side));
    let late = Side::BOTH.into_iter().filter_map(|side| Some((deadline_of(side)?, side)));
    match (deadline_of(Side::Red), deadline_of(Side::Blue)) {
        (Some(red), Some(blue)) if red == blue => Outcome::nobody(EndReason::OutOfTime),
        _ => {
            let loser = late.min().map_or(game.position.turn(), |(_, side)| side);
            Outcome::won(loser.opponent(), EndReason::OutOfTime)
        }
    }
}

/// Stops the clocks as of `since`, the time from which no server could accept moves, but not before
/// the latest event that everyone was shown. The time of a later, hidden event stays hidden.
///
/// Returns no events if the clocks are already stopped or the game is over.
#[must_use]
pub fn decide_pause(game: &Game, since: Stamp) -> Events {
    if game.is_paused() || game.phase == Phase::Over {
        return Events::default();
    }
    only(EventKind::Paused { since: since.max(game.latest_shown) })
}

/// Restarts the clocks. Returns no events if the clocks are already running.
#[must_use]
pub fn decide_resume(game: &Game) -> Events {
    if game.is_paused() { only(EventKind::Resumed) } else { Events::default() }
}

/// Restarts the clocks as of the earlier time `since`.
///
/// Returns no events if the clocks are running, or if they were stopped after `since`.
#[must_use]
pub fn decide_resume_since(game: &Game, since: Stamp) -> Events {
    match game.paused_since {
        Some(paused) if paused <= since => only(EventKind::ResumedSince { since }),
        Some(_) | None => Events::default(),
    }
}

/// Ends a game by an umpire's decision, for a reason that the board does not show.
///
/// The allowed reasons are that a side resigned, ran out of time, left the game or broke the
/// umpire's rules, or that the game was aborted. If the reason applies to both sides, there is no
/// winner. Returns no events if the game is over or the reason is not allowed.
#[must_use]
pub fn decide_verdict(game: &Game, outcome: Outcome) -> Events {
    match outcome.reason {
        _ if game.phase == Phase::Over => Events::default(),
        EndReason::Resigned
        | EndReason::OutOfTime
        | EndReason::Abandoned
        | EndReason::IllegalAct
        | EndReason::Aborted => ended(outcome),
        EndReason::FlagCaptured
        | EndReason::ForfeitedReserve
        | EndReason::NoLegalMove
        | EndReason::BothBlocked
        | EndReason::DrawAgreed
        | EndReason::QuietLimit
        | EndReason::PlyLimit => Events::default(),
    }
}

fn only(kind: EventKind) -> Events {
    Events::new([Some(kind), None, None])
}

fn ended(outcome: Outcome) -> Events {
    only(EventKind::Ended(outcome))
}

fn in_play(game: &Game) -> Result<(), Refusal> {
    match game.phase {
        Phase::Playing => Ok(()),
        Phase::Deploying => Err(Refusal::NotPlaying),
        Phase::Over => Err(Refusal::GameOver),
    }
}

fn standing_offer(game: &Game, side: Side) -> Result<(), Refusal> {
    if game.offers.standing == Some(side.opponent()) { Ok(()) } else { Err(Refusal::NoDrawOffer) }
}

fn offer_draw(game: &Game, side: Side) -> Result<Events, Refusal> {
    /// The number of plies that a side must wait before offering another draw, unless the other
    /// side has made an offer in the meantime.
    const REST: Ply = 20;
    match game.offers.standing {
        Some(offering) if offering == side => return Err(Refusal::DrawAlreadyOffered),
        Some(_) => return Ok(ended(Outcome::nobody(EndReason::DrawAgreed))),
        None => {}
    }
    if let Some(last) = game.offers.last[side] {
        let plies_left = last.saturating_add(REST).saturating_sub(game.ply());
        if plies_left > 0 {
            return Err(Refusal::DrawOfferedRecently { plies_left });
        }
    }
    Ok(only(EventKind::DrawOffered { side }))
}

fn deploy(game: &Game, side: Side, setup: &Setup, entropy: &Entropy) -> Result<Events, Refusal> {
    if game.phase != Phase::Deploying {
        return Err(Refusal::NotDeploying);
    }
    let ruleset = game.terms.ruleset;
    if broke_rules(game, side) {
        return Err(Refusal::DeploymentFinal);
    }
    let deployment = match setup.deploy(side, ruleset) {
        Ok(deployment) => deployment,
        Err(refusal) if ruleset.illegal_act_loses => setup.hand_in(side, ruleset).ok_or(refusal)?,
        Err(refusal) => return Err(refusal.into()),
    };
    let salt = Salt(entropy.0);
    let is_change = game.deployments[side].is_some();
    let mut both = game.deployments.clone();
    both[side] = Some((deployment.clone(), salt.clone()));
    let (mut started, mut end) = (None, None);
    if let PerSide { red: Some((red, _)), blue: Some((blue, _)) } = &both {
        end = judge_deployments(red.is_legal(ruleset), blue.is_legal(ruleset));
        // A game with an illegal deployment does not start. Both deployments are opened
        // immediately, so no commitments are needed.
        if end.is_none() {
            let commitments = PerSide::from_fn(|side| {
                let (deployment, salt) = both[side].as_ref()?;
                Some(salt.commit(game.terms.game, side, deployment))
            });
            started = Some(EventKind::Started { commitments: Box::new(commitments) });
            let deployments = PerSide::new(Some(red), Some(blue));
            end = judge_mobility(&Position::deployed(ruleset, game.terms.lakes, deployments));
        }
    }
    let deployed = EventKind::Deployed(Box::new(Deployed { side, deployment, salt, is_change }));
    Ok(Events::new([Some(deployed), started, end.map(EventKind::Ended)]))
}

/// True if a side has submitted an illegal deployment, in a ruleset in which this loses the game.
/// The side cannot change such a deployment (§U7).
fn broke_rules(game: &Game, side: Side) -> bool {
    let deployment = game.deployments[side].as_ref();
    game.phase == Phase::Deploying
        && deployment.is_some_and(|(deployment, _)| !deployment.is_legal(game.terms.ruleset))
}

/// Returns the outcome if at least one of the two deployments is illegal (§U7).
fn judge_deployments(is_red_legal: bool, is_blue_legal: bool) -> Option<Outcome> {
    match (is_red_legal, is_blue_legal) {
        (true, true) => None,
        (true, false) => Some(Outcome::won(Side::Red, EndReason::IllegalAct)),
        (false, true) => Some(Outcome::won(Side::Blue, EndReason::IllegalAct)),
        (false, false) => Some(Outcome::nobody(EndReason::IllegalAct)),
    }
}

/// Checks that a side may make a ply now.
#[inline]
fn may_act(position: &Position, side: Side, variants: Variants<'_>) -> Result<(), Refusal> {
    if side != position.turn() {
        return Err(Refusal::NotYourTurn);
    }
    if variants.owes_choice() { Err(Refusal::ChoicePending) } else { Ok(()) }
}

/// Decides on a move, given only the position and not the whole game.
pub(crate) fn play(position: &Position, side: Side, asked: MoveCommand) -> Result<Events, Refusal> {
    match position.variants() {
        variants if variants.is_nothing() => play_with(position, side, asked, Variants::NOTHING),
        variants => play_with_variants(position, side, asked, variants),
    }
}

#[cold]
fn play_with_variants(
    position: &Position,
    side: Side,
    asked: MoveCommand,
    variants: Variants<'_>,
) -> Result<Events, Refusal> {
    play_with(position, side, asked, variants)
}

/// Decides on a move. `variants` is the state that only some rulesets have. Callers may pass the
/// constant `NOTHING`, which lets the compiler remove the code for that state.
#[inline(always)]
fn play_with(
    position: &Position,
    side: Side,
    asked: MoveCommand,
    variants: Variants<'_>,
) -> Result<Events, Refusal> {
    may_act(position, side, variants)?;
    let ruleset = position.ruleset();
    let MoveCommand { squares, path, color } = asked;
    let Move { from, to } = squares;
    if !ruleset.shape.contains(from) || !ruleset.shape.contains(to) {
        return Err(Refusal::OffBoard);
    }
    let piece = position.piece(from).ok_or(Refusal::NoPiece)?;
    if piece.side != side {
        return Err(Refusal::NotYourPiece);
    }
    let field = position.field_with(side, variants.reserve_state);
    // A coin that moves more than one square becomes a Scout (§Q3).
    let way = field.way(squares, path, piece.rank.unwrap_or(Rank::Scout))?;
    if let (None, Some(coin_state)) = (piece.rank, variants.coin_state) {
        check_coin(&coin_state.coins[side], from, way.distance)?;
    }
    let chips = variants.reserve_state.filter(|_| ruleset.chips);
    check_color(chips.is_some() && !way.is_flash, color)?;
    if position.is_back_and_forth(side, squares) {
        return Err(Refusal::TwoSquares);
    }
    if position.repetition.is_endless_chase(ruleset, side, squares, piece.id, *field.foes) {
        return Err(Refusal::MoreSquares);
    }

    // Only a Scout moves more than one square (§C2).
    let run = (way.distance > 1).then(|| piece.rank.unwrap_or(Rank::Scout));
    let proves = run.map_or(RankSet::ALL, RankSet::only);
    let strike = match position.piece(to) {
        None => None,
        Some(defender) => match (piece.rank.or(run), defender.rank) {
            (Some(attacker), Some(defender)) => Some(strike::resolve(ruleset, attacker, defender)),
            (attacker, defender) => {
                let owes = [(side, attacker), (side.opponent(), defender)];
                let owes = PerSide::from_fn(|side| owes.contains(&(side, None)));
                return Ok(only(EventKind::Struck(UnresolvedStrike { side, from, to, proves, owes })));
            }
        },
    };
    let moved = match chips {
        Some(reserve_state) => moved_with_chips(position, &field, reserve_state, squares, strike, way, color),
        None => Moved { side, from, to, proves, strike, laid: None },
    };
    let end = judge(position, moved, variants).map(EventKind::Ended);
    Ok(Events::new([Some(EventKind::Moved(moved)), end, None]))
}

/// Checks that a coin may move this far (§Q3, §Q6).
#[cold]
fn check_coin(coins: &Coins, from: Square, distance: u8) -> Result<(), Refusal> {
    if coins.unmoved.contains(from) && !coins.may_spare() {
        return Err(Refusal::ReserveRule);
    }
    if distance > 1 && coins.pool[Rank::Scout] == 0 {
        return Err(Refusal::NoScoutLeft);
    }
    Ok(())
}

/// Decides on a side's choice of a rank for its coin. The last choice resolves the strike (§Q4).
pub(crate) fn choose(position: &Position, side: Side, choice: Choice) -> Result<Events, Refusal> {
    let Choice(rank) = choice;
    let pending = position.pending().filter(|pending| pending.strike.owes[side]).ok_or(Refusal::NoChoice)?;
    if !pending.is_owed_by(side) {
        return Err(Refusal::ChoiceFinal);
    }
    let coins = position.coins(side).ok_or(Refusal::NoChoice)?;
    let coin = pending.coin(side);
    if !coins.choices(coin).contains(rank) {
        return Err(if coins.pool[rank] == 0 {
            Refusal::NotInPool
        } else if rank.is_movable() {
            Refusal::ReserveRule
        } else {
            Refusal::Immovable
        });
    }
    let chosen = EventKind::Chosen { side, rank };
    if pending.is_owed_by(side.opponent()) {
        return Ok(only(chosen));
    }
    let UnresolvedStrike { side: striker, from, to, proves, owes: _ } = pending.strike;
    let rank_of = |whose: Side, square| {
        let choice = if whose == side { Some(rank) } else { pending.chosen[whose] };
        position.piece(square).and_then(|piece| piece.rank).or(choice).ok_or(Refusal::NoPiece)
    };
    let (attacker, defender) = (rank_of(striker, from)?, rank_of(striker.opponent(), to)?);
    let strike = Some(strike::resolve(position.ruleset(), attacker, defender));
    let moved = Moved { side: striker, from, to, proves, strike, laid: None };
    let end = judge(position, moved, position.variants()).map(EventKind::Ended);
    Ok(Events::new([Some(chosen), Some(EventKind::Moved(moved)), end]))
}

/// Checks that the command names a color if and only if the ply lays a chip whose color the side
/// chooses (§S2.3, §S3.2).
#[inline]
fn check_color(is_wanted: bool, color: Option<ChipColor>) -> Result<(), Refusal> {
    match (is_wanted, color) {
        (true, None) => Err(Refusal::ColorWanted),
        (false, Some(_)) => Err(Refusal::ColorRefused),
        (true, Some(_)) | (false, None) => Ok(()),
    }
}

/// Returns a move with all its effects: the chips that change, the new label, and the ranks that
/// the move proves (§S2, §S3).
fn moved_with_chips(
    position: &Position,
    field: &Field<'_>,
    reserve_state: &ReserveState,
    squares: Move,
    mut strike: Option<Strike>,
    way: Way,
    color: Option<ChipColor>,
) -> Moved {
    let Move { from, to } = squares;
    let chips = &reserve_state.chips;
    if let Some(strike) = &mut strike {
        strike.labels &= !reserve_state.labeled.contains(to);
    }
    // A failed strike lays no chip, and the color that the command named stays secret (§S2.3).
    let lands = strike.is_none_or(|strike| strike.attacker.fate == Fate::Advances);
    let laid = match (way.is_flash, color) {
        (true, _) => chips.color(from).and_then(|color| {
            let passed = way.squares(&position.ruleset().shape, from);
            Laid::new(passed.without(chips.of(color)), color)
        }),
        (false, Some(color)) if lands => Laid::new(SquareSet::only(to).without(chips.of(color)), color),
        (false, _) => None,
    };
    let proves = if strike.is_some() {
        RankSet::ALL
    } else {
        let empty = field.open.without(*field.own).without(*field.foes);
        Witnessed { ruleset: position.ruleset(), empty, chips, squares, laid }.proves()
    };
    Moved { side: position.turn(), from, to, proves, strike, laid }
}

/// Decides on the removal of a piece from the board (§S1.5).
pub(crate) fn remove(position: &Position, side: Side, square: Square) -> Result<Events, Refusal> {
    may_act(position, side, position.variants())?;
    let ruleset = position.ruleset();
    if !ruleset.reserve {
        return Err(Refusal::NoReserve);
    }
    if !ruleset.shape.contains(square) {
        return Err(Refusal::OffBoard);
    }
    let piece = position.piece(square).ok_or(Refusal::NoPiece)?;
    if piece.side != side {
        return Err(Refusal::NotYourPiece);
    }
    if piece.rank == Some(Rank::Flag) {
        return Err(Refusal::FlagStays);
    }
    let end = judge_exchange(position, side).map(EventKind::Ended);
    Ok(Events::new([Some(EventKind::Removed { side, square }), end, None]))
}

/// Decides on the placing of a piece from the reserve (§S1.5).
pub(crate) fn place(position: &Position, side: Side, placing: &Placing) -> Result<Events, Refusal> {
    may_act(position, side, position.variants())?;
    let ruleset = position.ruleset();
    let Placing { square, rank, is_labeled, color } = *placing;
    let reserve_state = position.reserve_state().ok_or(Refusal::NoReserve)?;
    if !ruleset.shape.contains(square) {
        return Err(Refusal::OffBoard);
    }
    if !ruleset.shape.home(side).contains(square) {
        return Err(Refusal::NotHome);
    }
    if position.piece(square).is_some() {
        return Err(Refusal::NotEmpty);
    }
    if reserve_state.reserve[side].count(rank, is_labeled) == 0 {
        return Err(Refusal::NotInReserve);
    }
    check_color(ruleset.chips, color)?;
    let placed = Placed { side, square, rank, is_labeled, color };
    let end = judge_exchange(position, side).map(EventKind::Ended);
    Ok(Events::new([Some(EventKind::Placed(placed)), end, None]))
}

/// Decides on the color that a side names for the chip under a piece that has won as the defender
/// and moved (§S2.4).
pub(crate) fn lay_owed(position: &Position, side: Side, color: ChipColor) -> Result<Events, Refusal> {
    if side != position.turn() {
        return Err(Refusal::NotYourTurn);
    }
    let square = position.owed_color().ok_or(Refusal::NoChoice)?;
    // No check for a legal move is needed: the side can at least remove the piece on the chip.
    let end = judge_limits(position, position.quiet_plies, position.ply()).map(EventKind::Ended);
    Ok(Events::new([Some(EventKind::Colored { side, square, color }), end, None]))
}
