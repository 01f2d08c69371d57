//! What an audience may be told, made anew from the truth.

use serde_json::{Map, Value, json};

use super::board::{At, Board, Color, Piece};
use super::truth::{Fact, SIDES, Told, Truth};

/// How long deployments are taken, in milliseconds.
const DEPLOY_MS: u64 = 300_000;
/// Plies before a limit from which on it is announced.
const LIMIT_NOTICE: u64 = 20;

/// Both clocks.
#[derive(Clone, Debug)]
struct Clocks {
    increment: u64,
    left: [u64; 2],
    running: Option<(Color, u64)>,
}

impl Clocks {
    fn stop(&mut self, at: u64) {
        if let Some((color, since)) = self.running.take() {
            self.left[color] = self.left[color].saturating_sub(at.saturating_sub(since));
        }
    }

    fn json(&self, at: u64) -> Value {
        let mut now = self.clone();
        now.stop(at);
        let mut clock = json!({"at": at, "remaining_ms": {"red": now.left[0], "blue": now.left[1]}});
        if let Some((color, _)) = self.running {
            clock["running"] = json!(SIDES[color]);
        }
        clock
    }
}

/// A game as one audience knows it after some of what it was told.
#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    truth: &'a Truth,
    audience: usize,
    phase: &'static str,
    paused_since: Option<u64>,
    ready: [bool; 2],
    deadline: u64,
    own: Option<String>,
    /// Plies made.
    pub plies: usize,
    clocks: Option<Clocks>,
    offer: Option<Color>,
    outcome: Option<Value>,
    latest: u64,
    /// Why the clocks do not add up at the latest event.
    overdraft: Option<String>,
}

impl<'a> State<'a> {
    /// A game just made.
    #[must_use]
    pub(super) fn new(truth: &'a Truth, audience: usize) -> State<'a> {
        State {
            truth,
            audience,
            phase: "deploying",
            paused_since: None,
            ready: [false; 2],
            deadline: truth.created + DEPLOY_MS,
            own: None,
            plies: 0,
            clocks: truth.time.map(|(base, increment)| Clocks { increment, left: [base; 2], running: None }),
            offer: None,
            outcome: None,
            latest: truth.created,
            overdraft: None,
        }
    }

    /// In what way the clocks do not add up at the latest event: a ply was made after the time for it, or a flag fell before.
    #[must_use]
    pub(super) fn overdraft(&self) -> Option<&str> {
        self.overdraft.as_deref()
    }

    /// Looks at the running clock when an event comes that time decides about.
    fn judge_time(&mut self, told: &Told, at: u64) {
        self.overdraft = None;
        let Some(Clocks { running: Some((color, since)), left, .. }) = &self.clocks else { return };
        let (thought, left) = (at.saturating_sub(since + told.lag), left[*color]);
        self.overdraft = match &told.fact {
            Fact::Moved(..) if thought > left => {
                Some(format!("a ply after {thought} ms, when {left} ms were left"))
            }
            Fact::Ended(_, reason) if reason == "out_of_time" && thought < left => {
                Some(format!("a flag fell after {thought} ms, when {left} ms were left"))
            }
            _ => None,
        };
    }

    /// The board now; none while the sides deploy.
    #[must_use]
    pub(super) fn board(&self) -> Option<&'a Board> {
        if self.phase == "deploying" { None } else { self.truth.boards.get(self.plies) }
    }

    /// Whether the audience knows every rank of a side.
    #[must_use]
    pub(super) fn knows_all_of(&self, color: Color) -> bool {
        let is_over = self.phase == "over";
        self.audience == color || (is_over && (self.audience < 2 || !self.truth.secret[color]))
    }

    /// Whether the audience may see this piece's rank.
    #[must_use]
    pub(super) fn knows(&self, piece: Piece) -> bool {
        piece.is_revealed || self.knows_all_of(piece.color)
    }

    /// Takes a fact in and answers with the event and the change that tell it.
    pub(super) fn take(&mut self, told: &Told) -> (Value, Value) {
        let at = told.at.max(self.latest);
        self.latest = at;
        self.judge_time(told, at);
        let mut change = Map::new();
        let event = match &told.fact {
            Fact::Deployed(setup) => {
                self.ready[self.audience.min(1)] = true;
                self.own = Some(setup.clone());
                json!({"kind": "deployed", "setup": setup})
            }
            Fact::Ready(color) => {
                self.ready[*color] = true;
                json!({"kind": "ready", "side": SIDES[*color]})
            }
            Fact::Started => {
                self.phase = "playing";
                self.own = None;
                self.run(0, at);
                change.insert("pieces".to_owned(), self.all_pieces());
                let [red, blue] = &self.truth.commitments;
                json!({"kind": "started", "commitments": {"red": red, "blue": blue}})
            }
            Fact::Moved(from, to) => {
                if let Some(Clocks { running: Some((_, since)), .. }) = &mut self.clocks {
                    *since += told.lag;
                }
                self.take_ply(*from, *to, at, &mut change)
            }
            Fact::DrawOffered(color) => {
                self.offer = Some(*color);
                json!({"kind": "draw_offered", "side": SIDES[*color]})
            }
            Fact::DrawDeclined(color) => {
                self.offer = None;
                json!({"kind": "draw_declined", "side": SIDES[*color]})
            }
            Fact::Paused(since) => {
                self.paused_since = Some(*since);
                if let Some(clocks) = &mut self.clocks {
                    clocks.stop(*since);
                }
                json!({"kind": "paused", "since": since})
            }
            Fact::Resumed(since) => {
                let resumed = since.unwrap_or(at);
                if let Some(since) = self.paused_since.take() {
                    self.deadline += resumed.saturating_sub(since);
                }
                if let (Some(board), "playing") = (self.board(), self.phase) {
                    self.run(board.turn, resumed);
                }
                match since {
                    Some(since) => json!({"kind": "resumed", "since": since}),
                    None => json!({"kind": "resumed"}),
                }
            }
            Fact::Ended(winner, reason) => {
                if let Some(clocks) = &mut self.clocks {
                    clocks.stop(at);
                }
                let mut outcome = json!({"reason": reason});
                if let Some(winner) = winner {
                    outcome["winner"] = json!(SIDES[*winner]);
                }
                let event_outcome = outcome.clone();
                self.outcome = Some(outcome);
                self.paused_since = None;
                self.offer = None;
                self.own = None;
                // Pieces on the board only where there was one.
                self.phase = "over";
                change.insert("pieces".to_owned(), self.all_pieces());
                json!({"kind": "ended", "outcome": event_outcome, "opened": self.opened()})
            }
        };
        self.add_derived(&mut change, at);
        (event, Value::Object(change))
    }

    fn take_ply(&mut self, from: At, to: At, at: u64, change: &mut Map<String, Value>) -> Value {
        let mover = self.plies % 2;
        self.plies += 1;
        let Some(board) = self.board() else { return Value::Null };
        if let Some(clocks) = &mut self.clocks {
            clocks.stop(at);
            clocks.left[mover] += clocks.increment;
            clocks.running = Some((1 - mover, at));
        }
        if self.offer == Some(1 - mover) {
            self.offer = None;
        }
        let on = |square: At| board.piece(square).map(|piece| self.piece_text(square, piece));
        let pieces: Vec<String> = [from.min(to), from.max(to)].into_iter().filter_map(on).collect();
        change.insert("pieces".to_owned(), json!(pieces));
        if self.truth.strikes.get(self.plies - 1).copied().flatten().is_some() {
            change.insert("captured".to_owned(), captured(board));
        }
        let mut event = self.last_move().unwrap_or(Value::Null);
        event["kind"] = json!("moved");
        event
    }

    /// What every change tells anew.
    fn add_derived(&self, into: &mut Map<String, Value>, at: u64) {
        if let Some(clocks) = &self.clocks {
            into.insert("clock".to_owned(), clocks.json(at.max(self.latest)));
        }
        if self.phase == "deploying" {
            into.insert("deploy_deadline".to_owned(), json!(self.deadline));
        }
        let (Some(board), "playing") = (self.board(), self.phase) else { return };
        into.insert("turn".to_owned(), json!(SIDES[board.turn]));
        let left = 200_u64.saturating_sub(board.quiet).min(5000_u64.saturating_sub(board.ply));
        if left <= LIMIT_NOTICE {
            into.insert("plies_to_limit".to_owned(), json!(left));
        }
        if board.turn == self.audience {
            let refused = board.refused(board.turn);
            if !refused.is_empty() {
                let mut texts: Vec<String> =
                    refused.iter().map(|(from, to)| from.text() + &to.text()).collect();
                texts.sort();
                into.insert("refused_moves".to_owned(), json!(texts));
            }
        }
    }

    /// The whole view, its clocks counted to a moment.
    #[must_use]
    pub(super) fn view(&self, at: u64) -> Value {
        let mut view = Map::new();
        view.insert("audience".to_owned(), json!(["red", "blue", "public"][self.audience]));
        view.insert("ruleset".to_owned(), json!(self.truth.ruleset));
        view.insert("phase".to_owned(), json!(self.phase));
        if self.paused_since.is_some() {
            view.insert("paused".to_owned(), json!(true));
        }
        view.insert("ready".to_owned(), json!({"red": self.ready[0], "blue": self.ready[1]}));
        if let Some(own) = &self.own {
            view.insert("own_deployment".to_owned(), json!(own));
        }
        view.insert("lakes".to_owned(), json!(self.truth.boards.first().map(Board::lakes)));
        view.insert("pieces".to_owned(), self.all_pieces());
        let lost = self.board().map_or_else(|| json!({"red": {}, "blue": {}}), captured);
        view.insert("captured".to_owned(), lost);
        view.insert("ply".to_owned(), json!(self.plies));
        if let Some(last) = self.last_move() {
            view.insert("last_move".to_owned(), last);
        }
        if let Some(color) = self.offer {
            view.insert("draw_offer".to_owned(), json!(SIDES[color]));
        }
        let is_started = self.phase != "deploying";
        let [red, blue] =
            if is_started { self.truth.commitments.clone() } else { [Value::Null, Value::Null] };
        view.insert("commitments".to_owned(), json!({"red": red, "blue": blue}));
        view.insert("opened".to_owned(), self.opened());
        if let Some(outcome) = &self.outcome {
            view.insert("outcome".to_owned(), outcome.clone());
        }
        self.add_derived(&mut view, at);
        Value::Object(view)
    }

    fn run(&mut self, color: Color, at: u64) {
        if let Some(clocks) = &mut self.clocks {
            clocks.running = Some((color, at));
        }
    }

    fn opened(&self) -> Value {
        let of = |color: Color| {
            if self.phase == "over" && self.knows_all_of(color) {
                json!({"setup": self.truth.setups[color], "salt": self.truth.salts[color]})
            } else {
                Value::Null
            }
        };
        json!({"red": of(0), "blue": of(1)})
    }

    fn piece_text(&self, at: At, piece: Piece) -> String {
        let letter = if self.knows(piece) { piece.letter } else { '?' };
        let side = if piece.color == 0 { 'r' } else { 'b' };
        let moved = if piece.is_moved { "'" } else { "" };
        let revealed = if piece.is_revealed { "*" } else { "" };
        format!("{}{side}{letter}{moved}{revealed}", at.text())
    }

    fn all_pieces(&self) -> Value {
        let pieces = self.board().into_iter().flat_map(Board::pieces);
        json!(pieces.map(|(at, piece)| self.piece_text(at, piece)).collect::<Vec<String>>())
    }

    /// The last ply as it was seen when it was made.
    fn last_move(&self) -> Option<Value> {
        let index = self.plies.checked_sub(1)?;
        let (from, to) = *self.truth.moves.get(index)?;
        let mover = index % 2;
        let mut seen = json!({"side": SIDES[mover], "move": from.text() + &to.text()});
        if let Some(strike) = self.truth.strikes.get(index).copied().flatten() {
            seen["piece"] = json!(strike.attacker.0);
            seen["strike"] = json!({
                "attacker": strike.attacker.0,
                "attacker_fate": strike.attacker.1,
                "defender": strike.defender.0,
                "defender_fate": strike.defender.1,
            });
        } else {
            let piece = self.truth.boards.get(self.plies)?.piece(to)?;
            let is_seen = piece.is_revealed || self.audience == mover;
            seen["piece"] = json!(if is_seen { piece.letter } else { '?' });
        }
        Some(seen)
    }
}

fn captured(board: &Board) -> Value {
    json!({"red": board.captured[0], "blue": board.captured[1]})
}
