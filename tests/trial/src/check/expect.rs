//! Derives from the true course of a game what each audience may be told.

use flagfall_second_opinion::{
    At, Board, BoardEvent, CHIPS, COIN, Color, Counts, Letters, Pending, Piece, Reserve, rank_name,
};
use serde_json::{Map, Value, json};

use super::clocks::Clocks;
use super::truth::{Fact, SIDES, StampedFact, Taken, Truth};

/// The time for deployments, in milliseconds.
const DEPLOY_MS: u64 = 300_000;
/// A limit is first announced when it is this many plies away.
const LIMIT_NOTICE: u64 = 20;

/// A game as one audience knows it at some point.
#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    truth: &'a Truth,
    audience: usize,
    phase: &'static str,
    paused_since: Option<u64>,
    ready: [bool; 2],
    deadline: u64,
    own: Option<String>,
    /// The number of steps made on the board.
    pub steps: usize,
    /// The number of the audience's events that started or stopped a side's clock.
    pub turns: usize,
    clocks: Option<Clocks>,
    /// The clocks that others see while sides must choose: they run as if no choice had been made
    /// (§Q4).
    veiled: Option<Clocks>,
    /// The choices in the pending strike.
    chosen: [Option<char>; 2],
    offer: Option<Color>,
    outcome: Option<Value>,
    latest: u64,
    /// Why the clocks are wrong at the latest event, if they are.
    overdraft: Option<String>,
}

impl<'a> State<'a> {
    /// A game that was just created.
    #[must_use]
    pub(super) fn new(truth: &'a Truth, audience: usize) -> State<'a> {
        let mut state = State {
            truth,
            audience,
            phase: "deploying",
            paused_since: None,
            ready: [false; 2],
            deadline: truth.created + DEPLOY_MS,
            own: None,
            steps: 0,
            turns: 0,
            clocks: truth.time.map(Clocks::new),
            veiled: None,
            chosen: [None; 2],
            offer: None,
            outcome: None,
            latest: truth.created,
            overdraft: None,
        };
        if truth.rules.coins {
            // Without deployments, Red's clock runs from the start (§Q1).
            state.phase = "playing";
            state.start_clocks(truth.created);
        }
        state
    }

    /// Why the clocks are wrong at the latest event: a side acted after its time was up, or a
    /// flag fell too early.
    #[must_use]
    pub(super) fn overdraft(&self) -> Option<&str> {
        self.overdraft.as_deref()
    }

    /// Checks the running clocks at an event that depends on time.
    fn judge_time(&mut self, told: &StampedFact, at: u64) {
        self.overdraft = None;
        let Some(clocks) = &self.clocks else { return };
        let thought = |color: Color| clocks.thought(color, at.saturating_sub(told.lag));
        self.overdraft = match &told.fact {
            Fact::Board(color, _) | Fact::Chosen(color, _) => thought(*color)
                .filter(|(thought, left)| thought > left)
                .map(|(thought, left)| format!("an act after {thought} ms, when {left} ms were left")),
            Fact::Ended(winner, reason) if reason == "out_of_time" => (0..2)
                .filter(|color| winner.is_none_or(|winner| winner != *color))
                .filter_map(thought)
                .find(|(thought, left)| thought < left)
                .map(|(thought, left)| format!("a flag fell after {thought} ms, when {left} ms were left")),
            _ => None,
        };
    }

    /// The board now. None while the sides deploy.
    #[must_use]
    pub(super) fn board(&self) -> Option<&'a Board> {
        if self.phase == "deploying" { None } else { self.truth.boards.get(self.steps) }
    }

    /// Turns taken.
    #[must_use]
    pub(super) fn ply(&self) -> u64 {
        self.board().map_or(0, |board| board.ply)
    }

    /// True if the game is over.
    #[must_use]
    pub(super) fn is_over(&self) -> bool {
        self.phase == "over"
    }

    /// True if the audience knows every rank of a side.
    #[must_use]
    pub(super) fn knows_all_of(&self, color: Color) -> bool {
        self.audience == color || (self.is_over() && (self.audience < 2 || !self.truth.secret[color]))
    }

    /// True if the audience may see this piece's rank.
    #[must_use]
    pub(super) fn knows(&self, piece: Piece) -> bool {
        piece.is_revealed || self.knows_all_of(piece.color)
    }

    /// The audience's own choice in the pending strike.
    #[must_use]
    pub(super) fn own_choice(&self) -> Option<char> {
        self.chosen.get(self.audience).copied().flatten()
    }

    /// True if a side's clock should run.
    fn is_to_act(&self, color: Color) -> bool {
        let Some(board) = self.board() else { return false };
        match board.pending {
            Some(pending) => pending.owes[color] && self.chosen[color].is_none(),
            None => board.turn == color,
        }
    }

    fn start_clocks(&mut self, at: u64) {
        let owes = self.board().and_then(|board| board.pending).map_or([false; 2], |pending| pending.owes);
        let acts = [0, 1].map(|color| self.is_to_act(color));
        for color in 0..2 {
            if let Some(clocks) = self.clocks.as_mut().filter(|_| acts[color]) {
                clocks.start(color, at);
            }
            if let Some(veiled) = self.veiled.as_mut().filter(|_| owes[color]) {
                veiled.start(color, at);
            }
        }
    }

    fn stop_clocks(&mut self, at: u64) {
        for clocks in [&mut self.clocks, &mut self.veiled].into_iter().flatten() {
            (0..2).for_each(|color| clocks.stop(color, at));
        }
    }

    fn clock(&self, at: u64) -> Option<Value> {
        let clocks = self.clocks.as_ref()?;
        let of = |color: Color| match &self.veiled {
            Some(veiled) if color != self.audience => veiled,
            _ => clocks,
        };
        Some(Clocks::json([of(0), of(1)], at))
    }

    /// Applies a fact. Returns the fact's event and change, or `None` if the audience is not told
    /// about the fact.
    pub(super) fn take(&mut self, told: &StampedFact) -> Option<(Value, Value)> {
        let at = told.at.max(self.latest);
        self.latest = at;
        self.judge_time(told, at);
        if let (Some(clocks), Fact::Board(color, _) | Fact::Chosen(color, _)) = (&mut self.clocks, &told.fact)
        {
            clocks.give_back(*color, told.lag);
        }
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
                self.start_clocks(at);
                change.insert("pieces".to_owned(), self.all_pieces());
                self.add_stock(&mut change);
                let [red, blue] = &self.truth.commitments;
                json!({"kind": "started", "commitments": {"red": red, "blue": blue}})
            }
            Fact::Board(color, step) => self.take_step(*color, step, at, &mut change),
            Fact::Chosen(color, letter) => {
                self.chosen[*color] = Some(*letter);
                if let Some(clocks) = &mut self.clocks {
                    clocks.stop(*color, at);
                }
                if *color != self.audience {
                    return None;
                }
                self.turns += 1;
                json!({"kind": "chosen", "side": SIDES[*color], "rank": rank_name(*letter)})
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
                self.stop_clocks(*since);
                json!({"kind": "paused", "since": since})
            }
            Fact::Resumed(since) => {
                let resumed = since.unwrap_or(at);
                if let Some(since) = self.paused_since.take() {
                    self.deadline += resumed.saturating_sub(since);
                }
                if self.phase == "playing" {
                    self.start_clocks(resumed);
                }
                match since {
                    Some(since) => json!({"kind": "resumed", "since": since}),
                    None => json!({"kind": "resumed"}),
                }
            }
            Fact::Ended(winner, reason) => {
                self.stop_clocks(at);
                let mut outcome = json!({"reason": reason});
                if let Some(winner) = winner {
                    outcome["winner"] = json!(SIDES[*winner]);
                }
                let event_outcome = outcome.clone();
                self.outcome = Some(outcome);
                self.paused_since = None;
                self.offer = None;
                self.own = None;
                // Shows pieces only if the game had a board.
                self.phase = "over";
                change.insert("pieces".to_owned(), self.all_pieces());
                self.add_stock(&mut change);
                json!({"kind": "ended", "outcome": event_outcome, "opened": self.opened()})
            }
        };
        self.add_derived(&mut change, at);
        Some((event, Value::Object(change)))
    }

    fn take_step(
        &mut self,
        color: Color,
        step: &BoardEvent,
        at: u64,
        change: &mut Map<String, Value>,
    ) -> Value {
        self.steps += 1;
        let (Some(board), Some(taken)) = (self.board(), self.truth.steps.get(self.steps - 1)) else {
            return Value::Null;
        };
        if step.is_ply() {
            self.turns += 1;
            if let Some(clocks) = &mut self.clocks {
                clocks.press(color, at);
            }
            (self.veiled, self.chosen) = (None, [None; 2]);
            if self.offer == Some(1 - color) {
                self.offer = None;
            }
        }
        let mut pieces = |squares: &[At]| {
            let on = |at: &At| Some(self.piece_text(*at, board.piece(*at)?));
            change.insert("pieces".to_owned(), json!(squares.iter().filter_map(on).collect::<Vec<_>>()));
        };
        match step {
            BoardEvent::Moved { from, to, .. } => {
                pieces(&[*from.min(to), *from.max(to)]);
                if taken.strike.is_some() {
                    change.insert("captured".to_owned(), both(&board.captured));
                }
                if board.rules.coins {
                    change.insert("pools".to_owned(), both(&board.pools));
                }
                let mut event = self.last_move().unwrap_or(Value::Null);
                event["kind"] = json!("moved");
                event
            }
            BoardEvent::Struck { from, .. } => {
                pieces(&[*from]);
                self.turns += 1;
                for side in 0..2 {
                    let is_to_act = self.is_to_act(side);
                    match &mut self.clocks {
                        Some(clocks) if is_to_act => clocks.start(side, at),
                        Some(clocks) => clocks.stop(side, at),
                        None => {}
                    }
                }
                self.veiled.clone_from(&self.clocks);
                self.add_stock(change);
                let mut event = self.pending(false).unwrap_or(Value::Null);
                event["kind"] = json!("struck");
                event
            }
            BoardEvent::Removed(square) | BoardEvent::Placed { at: square, .. } => {
                pieces(&[*square]);
                self.add_stock(change);
                self.exchange(taken).unwrap_or(Value::Null)
            }
            BoardEvent::Colored(square, chip) => {
                json!({"kind": "colored", "side": SIDES[color], "square": square.text(), "color": chip_name(*chip)})
            }
        }
    }

    /// Adds reserves and pools, if there are any.
    fn add_stock(&self, into: &mut Map<String, Value>) {
        if self.truth.rules.reserve {
            into.insert("reserve".to_owned(), self.reserves());
        }
        if self.truth.rules.coins {
            into.insert("pools".to_owned(), self.board().map_or(Value::Null, |board| both(&board.pools)));
        }
    }

    fn reserves(&self) -> Value {
        let empty = Reserve::default();
        let of = |color: Color| {
            let reserve = self.board().map_or(&empty, |board| &board.reserves[color]);
            let mut seen = json!({"size": reserve.size()});
            let labeled = named(&reserve.labeled);
            if labeled.as_object().is_some_and(|labeled| !labeled.is_empty()) {
                seen["labeled"] = labeled;
            }
            if self.knows_all_of(color) {
                seen["unlabeled"] = named(&reserve.unlabeled);
            }
            seen
        };
        json!({"red": of(0), "blue": of(1)})
    }

    fn chips(&self) -> Value {
        let mut chips = Map::new();
        let board = self.board();
        for (at, chip) in board
            .into_iter()
            .flat_map(|board| board.squares().filter_map(move |at| Some((at, board.chip(at)?))))
        {
            let squares = chips.entry(chip_name(chip)).or_insert_with(|| json!([]));
            squares.as_array_mut().into_iter().for_each(|squares| squares.push(json!(at.text())));
        }
        Value::Object(chips)
    }

    /// Returns the pending strike, with the audience's own choice if `with_choice` is true.
    fn pending(&self, with_choice: bool) -> Option<Value> {
        let Pending { color, squares: (from, to), owes, .. } = self.board()?.pending?;
        let mut pending = json!({
            "side": SIDES[color],
            "move": from.text() + &to.text(),
            "owes": {"red": owes[0], "blue": owes[1]},
        });
        if let Some(letter) = self.own_choice().filter(|_| with_choice) {
            pending["own_choice"] = json!(rank_name(letter));
        }
        Some(pending)
    }

    /// Adds the parts that every change contains.
    fn add_derived(&self, into: &mut Map<String, Value>, at: u64) {
        if let Some(clock) = self.clock(at) {
            into.insert("clock".to_owned(), clock);
        }
        if self.phase == "deploying" {
            into.insert("deploy_deadline".to_owned(), json!(self.deadline));
        }
        let (Some(board), "playing") = (self.board(), self.phase) else { return };
        into.insert("turn".to_owned(), json!(SIDES[board.turn]));
        let quiet = self.truth.rules.quiet_limit.map_or(u64::MAX, |limit| limit.saturating_sub(board.quiet));
        let left = quiet.min(5000_u64.saturating_sub(board.ply));
        if left <= LIMIT_NOTICE {
            into.insert("plies_to_limit".to_owned(), json!(left));
        }
        if let Some(pending) = self.pending(true) {
            into.insert("pending_strike".to_owned(), pending);
        }
        if let Some(owed) = board.owed {
            let owed = json!({"side": SIDES[board.turn], "square": owed.text()});
            into.insert("owed_color".to_owned(), owed);
        }
        if board.turn == self.audience {
            let refused = board.refused(board.turn);
            if !refused.is_empty() {
                let chases = refused.iter().filter(|squares| !board.is_back_and_forth(board.turn, **squares));
                into.insert("more_squares".to_owned(), sorted_texts(chases));
                into.insert("refused_moves".to_owned(), sorted_texts(refused.iter()));
            }
        }
    }

    /// Returns the whole view, with the clocks at this moment.
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
        let lakes = self.truth.boards.first().into_iter().flat_map(|board| board.lakes.iter());
        view.insert("lakes".to_owned(), json!(lakes.map(|at| at.text()).collect::<Vec<_>>()));
        view.insert("pieces".to_owned(), self.all_pieces());
        let lost = self.board().map_or_else(|| json!({"red": {}, "blue": {}}), |board| both(&board.captured));
        view.insert("captured".to_owned(), lost);
        view.insert("ply".to_owned(), json!(self.ply()));
        let last = self.steps.checked_sub(1).and_then(|_| self.last_ply());
        if let Some(last) = last.and_then(|_| self.last_move()) {
            view.insert("last_move".to_owned(), last);
        }
        if let Some(last) = last.and_then(|(taken, _)| self.exchange(taken)) {
            view.insert("last_exchange".to_owned(), last);
        }
        self.add_stock(&mut view);
        if self.truth.rules.chips {
            view.insert("chips".to_owned(), self.chips());
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

    fn opened(&self) -> Value {
        let of = |color: Color| {
            if self.is_over() && self.knows_all_of(color) && !self.truth.rules.coins {
                json!({"setup": self.truth.setups[color], "salt": self.truth.salts[color]})
            } else {
                Value::Null
            }
        };
        json!({"red": of(0), "blue": of(1)})
    }

    /// Returns what the audience is shown of a rank: its letter if the audience knows it,
    /// otherwise what everybody can deduce.
    fn identity(&self, piece: Piece) -> String {
        if piece.letter == COIN || self.knows(piece) {
            piece.letter.to_string()
        } else {
            proved(piece.could_be)
        }
    }

    fn piece_text(&self, at: At, piece: Piece) -> String {
        let side = if piece.color == 0 { 'r' } else { 'b' };
        let moved = if piece.is_moved { "'" } else { "" };
        let revealed = if piece.is_revealed { "*" } else { "" };
        let labeled = if piece.is_labeled { "^" } else { "" };
        format!("{}{side}{}{moved}{revealed}{labeled}", at.text(), self.identity(piece))
    }

    fn all_pieces(&self) -> Value {
        let pieces = self.board().into_iter().flat_map(Board::pieces);
        json!(pieces.map(|(at, piece)| self.piece_text(at, piece)).collect::<Vec<String>>())
    }

    /// The last ply, and the board after it.
    fn last_ply(&self) -> Option<(&'a Taken, &'a Board)> {
        let taken = self.truth.steps.get(..self.steps)?;
        let index = taken.iter().rposition(|taken| taken.step.is_ply())?;
        Some((&taken[index], self.truth.boards.get(index + 1)?))
    }

    /// If the last ply was a move, returns the move as it was seen when it was made.
    fn last_move(&self) -> Option<Value> {
        let (taken, after) = self.last_ply()?;
        let BoardEvent::Moved { from, to, laid, .. } = &taken.step else { return None };
        let mover = taken.color;
        let mut seen = json!({"side": SIDES[mover], "move": from.text() + &to.text()});
        if let Some((squares, chip)) = laid {
            let squares: String = squares.iter().map(|at| at.text()).collect();
            seen["laid"] = json!(format!("{squares}={chip}"));
        }
        if let Some(strike) = taken.strike {
            // Only a defender that wins can stay hidden, and only if its rank was not known to
            // everybody before.
            let winner_at = match strike.defender.1 {
                "advances" => from,
                _ => to,
            };
            let was_known = after.piece(*winner_at).is_some_and(|piece| piece.is_revealed);
            let is_defender_known = strike.is_defender_shown || was_known || self.audience == 1 - mover;
            seen["piece"] = json!(strike.attacker.0);
            seen["strike"] = json!({
                "attacker": strike.attacker.0,
                "attacker_fate": strike.attacker.1,
                "defender": if is_defender_known { strike.defender.0 } else { '?' },
                "defender_fate": strike.defender.1,
            });
        } else {
            let piece = after.piece(*to)?;
            let is_known = piece.letter == COIN || piece.is_revealed || self.audience == mover;
            seen["piece"] = json!(if is_known { piece.letter.to_string() } else { proved(piece.could_be) });
        }
        Some(seen)
    }

    /// If the last ply was an exchange between board and reserve, returns the exchange as it was
    /// seen when it was made.
    fn exchange(&self, taken: &Taken) -> Option<Value> {
        let side = SIDES[taken.color];
        Some(match taken.step {
            BoardEvent::Removed(at) => json!({"kind": "removed", "side": side, "square": at.text()}),
            BoardEvent::Placed { at, letter, is_labeled, chip } => {
                let is_known = is_labeled || self.audience == taken.color;
                let piece = if is_known { letter } else { '?' };
                let mut placed = json!({"kind": "placed", "side": side, "square": at.text(), "piece": piece});
                if is_labeled {
                    placed["labeled"] = json!(true);
                }
                if let Some(chip) = chip {
                    placed["color"] = json!(chip_name(chip));
                }
                placed
            }
            BoardEvent::Moved { .. } | BoardEvent::Struck { .. } | BoardEvent::Colored(..) => return None,
        })
    }
}

/// Returns the texts of moves, in alphabetical order.
fn sorted_texts<'a>(moves: impl Iterator<Item = &'a (At, At)>) -> Value {
    let mut texts: Vec<String> = moves.map(|(from, to)| from.text() + &to.text()).collect();
    texts.sort();
    json!(texts)
}

/// Returns the facts that a piece's moves prove about it.
fn proved(could_be: Letters) -> String {
    if could_be == Letters::ALL { "?".to_owned() } else { could_be.to_string() }
}

fn chip_name(chip: char) -> &'static str {
    CHIPS.into_iter().find(|(letter, _)| *letter == chip).map_or("none", |(_, name)| name)
}

fn named(counts: &Counts) -> Value {
    let left = counts.iter().filter(|(_, count)| **count > 0);
    Value::Object(left.map(|(letter, count)| (rank_name(*letter).to_owned(), json!(count))).collect())
}

fn both(counts: &[Counts; 2]) -> Value {
    json!({"red": named(&counts[0]), "blue": named(&counts[1])})
}
