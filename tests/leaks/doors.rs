//! The doors through which audiences get information: the real doors, and doors with planted
//! leaks that the checker must find.

use flagfall_board::{Rank, Side, Square, Stamp};
use flagfall_protocol::{
    Code, GameEvent, GameRecord, GameSummary, GameView, Phase, Player, PlayerKind, Presence, RecordScope,
    RecordSignature, Recorder, Refusal, ServerToClient, SignatureText, Terms, Time, ViewChange,
};
use flagfall_rules::{
    Game, Identity, Move, Referee, Refusal as RuleRefusal, SeenPiece, Viewer, see, see_change, view,
};
use flagfall_tests::{Logged, Step};

/// Converts events to the bytes that audiences get.
pub(crate) trait Doors {
    /// Returns the message about an event, or `None` if the audience gets no message about it.
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let event = see(&logged.event, &logged.after, viewer)?;
        Some((event, see_change(&logged.event, &logged.after, viewer, logged.at)))
    }

    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        view(game, viewer, now).seen
    }

    /// True if an event gets a sequence number for an audience.
    fn counts(&self, logged: &Logged, viewer: Viewer) -> bool {
        self.event(logged, viewer).is_some()
    }

    /// Returns the record of the game so far, as this audience may see it.
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let GameSummary { terms, players, .. } = summary(game, game.phase());
        let mut record = recorder(log, game).record(viewer, terms, players);
        record.signature = signature(log, game);
        record
    }

    /// Returns the record of a scope, as this audience may see it now, or `None` if the record is
    /// refused.
    fn record_as(
        &self,
        log: &[Logged],
        game: &Game,
        scope: RecordScope,
        viewer: Viewer,
    ) -> Option<GameRecord> {
        let GameSummary { terms, players, .. } = summary(game, game.phase());
        recorder(log, game).record_as(scope, viewer, terms, players).ok()
    }

    /// Returns what an audience is sent about a command in addition to its events. The real
    /// server sends nothing.
    fn command(&self, _step: &Step, _logged: &[Logged], _viewer: Viewer) -> Option<String> {
        None
    }

    /// Returns the refusal of the audience's own ply.
    fn refusal(&self, _game: &Game, _squares: Move, refusal: RuleRefusal) -> Refusal {
        Refusal::from(&refusal)
    }
}

fn recorder(log: &[Logged], game: &Game) -> Recorder {
    let mut recorder = Recorder::new(log.first().map_or(game, |first| &first.before).clone());
    log.iter().for_each(|logged| recorder.note(&logged.event, logged.at));
    recorder
}

/// Returns the signature in every audience's record of a finished game.
///
/// A signature depends only on the digest, so the digest is used in its place here. The digest
/// also covers commitments, which are random by design, so they are left out.
fn signature(log: &[Logged], game: &Game) -> Option<RecordSignature> {
    let GameSummary { terms, players, .. } = summary(game, game.phase());
    let mut public = recorder(log, game).record(Viewer::Public, terms, players);
    public.commitments = Default::default();
    let mut key = public.digest()?.to_string();
    key.truncate(16);
    Some(RecordSignature { key, value: SignatureText([0; 64]) })
}

/// Leak: the digest covers hidden ranks, so the signature confirms a right guess.
pub(crate) struct SignsRanks;
impl Doors for SignsRanks {
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let mut record = Real.record(log, game, viewer);
        if let Some(signature) = &mut record.signature {
            signature.key = format!("{:?}", truth(game));
        }
        record
    }
}

/// Leak: everybody can get a side's record during the game.
pub(crate) struct LendsRecords;
impl Doors for LendsRecords {
    fn record_as(
        &self,
        log: &[Logged],
        game: &Game,
        scope: RecordScope,
        _viewer: Viewer,
    ) -> Option<GameRecord> {
        Real.record_as(log, game, scope, Viewer::Player(Side::Red))
    }
}

/// Leak: after the end, a side's whole record is public, including deployments that it did not
/// play.
pub(crate) struct LendsRecordsAfterTheEnd;
impl Doors for LendsRecordsAfterTheEnd {
    fn record_as(
        &self,
        log: &[Logged],
        game: &Game,
        scope: RecordScope,
        viewer: Viewer,
    ) -> Option<GameRecord> {
        let owner = match scope {
            RecordScope::Red => Viewer::Player(Side::Red),
            RecordScope::Blue => Viewer::Player(Side::Blue),
            RecordScope::Public | RecordScope::All => viewer,
        };
        Real.record_as(log, game, scope, viewer).and_then(|_| Real.record_as(log, game, scope, owner))
    }
}

pub(crate) struct Real;
impl Doors for Real {}

/// Returns every piece with its rank. For a coin, the rank is its side's choice in a pending
/// strike (§Q4).
fn truth(game: &Game) -> Vec<(Square, Side, Option<Rank>)> {
    let chosen = |side: Side| {
        let strike = Real.view(game, Viewer::Player(side), game.latest()).pending_strike?;
        let Move { from, to } = strike.squares;
        Some((if strike.side == side { from } else { to }, strike.own_choice?))
    };
    let mut pieces = Referee.pieces(game.position());
    let waiting = if game.position().has_strike_pending() { &mut pieces[..] } else { &mut [] };
    for (square, side, rank) in waiting {
        let choice = chosen(*side).filter(|(coin, _)| coin == square);
        *rank = rank.or(choice.map(|(_, rank)| rank));
    }
    pieces
}

/// Lets `with` change the pieces of a view, based on their true ranks.
fn patch(view: &mut GameView, game: &Game, mut with: impl FnMut(&mut SeenPiece, Rank)) {
    let truth = truth(game);
    for piece in &mut view.pieces {
        if let Some((_, _, Some(rank))) = truth.iter().find(|(square, ..)| *square == piece.square) {
            with(piece, *rank);
        }
    }
}

/// Leak: one piece shows its rank.
pub(crate) struct ShownFlag;
impl Doors for ShownFlag {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        patch(&mut view, game, |piece, rank| {
            if rank == Rank::Flag {
                piece.identity = Identity::Known(rank);
            }
        });
        view
    }
}

/// Leak: the event of a move without a strike shows the rank of the piece that moved.
pub(crate) struct ShownMover;
impl Doors for ShownMover {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (mut event, change) = Real.event(logged, viewer)?;
        if let GameEvent::Moved(seen) = &mut event
            && let Some((.., Some(rank))) = Referee
                .pieces(logged.after.position())
                .into_iter()
                .find(|(square, ..)| *square == seen.squares.to)
        {
            seen.piece = Identity::Known(rank);
        }
        Some((event, change))
    }
}

/// Leak: pieces are listed in the order of their ranks.
pub(crate) struct OrderedByRank;
impl Doors for OrderedByRank {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        let truth = truth(game);
        view.pieces.sort_by_key(|piece| {
            truth.iter().find(|(square, ..)| *square == piece.square).map(|(.., rank)| *rank)
        });
        view
    }
}

/// Leak: the sequence number counts events that the audience is not shown.
pub(crate) struct CountsPrivate;
impl Doors for CountsPrivate {
    fn counts(&self, _logged: &Logged, _viewer: Viewer) -> bool {
        true
    }
}

/// Leak: an empty message for an event that the audience is not shown.
pub(crate) struct TellsOfNothing;
impl Doors for TellsOfNothing {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        Real.event(logged, viewer).or(Some((GameEvent::Resumed { since: None }, ViewChange::default())))
    }
}

/// Leak: a side with an illegal deployment is not reported as ready.
pub(crate) struct TellsWrongSetups;
impl Doors for TellsWrongSetups {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        for side in Side::BOTH {
            let own = flagfall_rules::view(game, Viewer::Player(side), now).seen.own_deployment;
            let is_army = own.is_none_or(|text| text.matches('F').count() == 1);
            view.ready[side] &= is_army;
        }
        view
    }
}

/// Leak: a move onto a Bomb is refused for a different reason.
pub(crate) struct WarnsOfBombs;
impl Doors for WarnsOfBombs {
    fn refusal(&self, game: &Game, squares: Move, refusal: RuleRefusal) -> Refusal {
        let refusal = Real.refusal(game, squares, refusal);
        let is_bomb =
            truth(game).into_iter().any(|(square, _, rank)| square == squares.to && rank == Some(Rank::Bomb));
        if is_bomb { refusal.because("bomb") } else { refusal }
    }
}

/// Leak: a move onto a Spy is refused for a different reason.
pub(crate) struct RefusesSpies;
impl Doors for RefusesSpies {
    fn refusal(&self, game: &Game, squares: Move, refusal: RuleRefusal) -> Refusal {
        let refusal = Real.refusal(game, squares, refusal);
        let is_spy =
            truth(game).into_iter().any(|(square, _, rank)| square == squares.to && rank == Some(Rank::Spy));
        if is_spy { Refusal { code: Code::new("not_your_piece"), ..refusal } } else { refusal }
    }
}

/// Leak: a movable piece that has not moved looks different from one that cannot move.
pub(crate) struct MarksMovable;
impl Doors for MarksMovable {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        patch(&mut view, game, |piece, rank| {
            if !matches!(rank, Rank::Flag | Rank::Bomb) {
                piece.is_moved = true;
            }
        });
        view
    }
}

/// Leak: the length of a message depends on a secret.
pub(crate) struct OneOfLength;
impl Doors for OneOfLength {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        let flag = truth(game).into_iter().find(|(_, _, rank)| *rank == Some(Rank::Flag));
        if let Some((square, ..)) = flag {
            view.ruleset = " ".repeat(square.index() % 7);
        }
        view
    }
}

fn player(name: &str) -> Player {
    Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest }
}

fn summary(game: &Game, phase: Phase) -> GameSummary {
    let terms = game.terms();
    GameSummary {
        id: terms.game,
        terms: Terms {
            ruleset: terms.ruleset.id.to_owned(),
            time: Time::Unlimited {},
            private: false,
            secret: false,
            rated: false,
        },
        players: flagfall_board::PerSide::new(player("ann"), player("bob")),
        created: terms.created.0,
        phase,
        ply: game.ply(),
        turn: game.turn(),
        outcome: game.outcome().map(flagfall_protocol::SeenOutcome::from),
    }
}

/// The message that opens a game.
pub(crate) fn opened(doors: &impl Doors, game: &Game, viewer: Viewer, seq: u64, now: Stamp) -> String {
    let view = doors.view(game, viewer, now);
    to_text(&ServerToClient::Game {
        game: summary(game, view.phase),
        audience: viewer,
        driving: viewer != Viewer::Public,
        epoch: 1,
        seq,
        view,
        events: Vec::new(),
        presence: flagfall_board::PerSide::new(Presence::Present, Presence::Present),
        left: flagfall_board::PerSide::default(),
        claimable_at: flagfall_board::PerSide::default(),
        rematch: Vec::<Side>::new(),
        abort: None,
    })
}

/// Returns the answers to requests for the record of each scope.
pub(crate) fn scoped(doors: &impl Doors, log: &[Logged], game: &Game, viewer: Viewer) -> Vec<String> {
    let answer = |scope: RecordScope| match doors.record_as(log, game, scope, viewer) {
        Some(record) => recorded(&record),
        None => format!("{} is refused", scope.name()),
    };
    RecordScope::ALL.map(answer).into()
}

/// Returns a record as the server would send it.
pub(crate) fn recorded(record: &GameRecord) -> String {
    match serde_json::to_string(record) {
        Ok(text) => text,
        Err(error) => panic!("{error}"),
    }
}

/// The message about an event.
pub(crate) fn told(game: &Game, seq: u64, (event, change): (GameEvent, ViewChange)) -> String {
    to_text(&ServerToClient::Event { game: game.terms().game, seq, event, change, abort: None })
}

/// Returns the message about a refusal. Its text for people depends only on the code and the
/// arguments.
pub(crate) fn refused(game: &Game, seq: u64, refusal: Refusal) -> String {
    let message = refusal.to_string();
    let Refusal { code, args } = refusal;
    to_text(&ServerToClient::Refused {
        cmd_id: None,
        game: Some(game.terms().game),
        code,
        args,
        message,
        seq: Some(seq),
        request: None,
    })
}

fn to_text(message: &ServerToClient) -> String {
    match serde_json::to_string(message) {
        Ok(text) => text,
        Err(error) => panic!("{error}"),
    }
}
