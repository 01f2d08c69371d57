//! A session, which answers each line of input with one line.

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{GameCommand, PROTOCOL_VERSION, Phase, SeenOutcome, SeenStrike, Terms, Time};
use flagfall_rules::{
    Event, Events, Game, GameEvent, GameTerms, Position, PositionTextError, Referee, Ruleset, Viewer, decide,
    decide_deadline, see, see_change, view,
};

use crate::answer::{About, Answer, AnswerLine, Done, Everything, RulesetFacts, SeenByAudience};
use crate::chance::Chance;
use crate::history::History;
use crate::lines::Line;
use crate::refused::Refused;
use crate::request::{Look, Request, RequestLine};

/// A client's session, with at most one game and its history. It is pure, except that games
/// without a seed use random bytes from the system.
#[derive(Default)]
pub struct Session {
    table: Option<Table>,
}

/// A game and its terms.
struct Table {
    history: History,
    chance: Chance,
    terms: Terms,
}

/// The data that is needed to begin a game, either with deployments or from a position.
struct Beginning {
    time: Time,
    deploy_ms: u64,
    secret: Vec<Side>,
    game: Option<GameId>,
    seed: Option<u64>,
    at: Option<u64>,
}

impl Session {
    /// Creates a session without a game.
    pub fn new() -> Session {
        Session::default()
    }

    /// Returns the answer to a line, as one JSON object without a line ending. Every line gets
    /// exactly one answer.
    #[must_use]
    pub fn answer(&mut self, line: &str) -> String {
        let mut bytes = Vec::new();
        self.answer_into(Line::Whole(line.as_bytes()), &mut bytes);
        // Remove the line ending after the JSON.
        bytes.pop();
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Appends the answer to a line, with a line ending.
    pub(crate) fn answer_into(&mut self, line: Line<'_>, out: &mut Vec<u8>) {
        let parsed = match line {
            Line::Whole(bytes) if bytes.len() <= crate::LINE_BYTES_MAX => RequestLine::parse(bytes),
            Line::Whole(_) | Line::TooLong => Err((None, Refused::LineTooLong)),
        };
        let (id, answer) = match parsed {
            Ok(RequestLine { id, request }) => (id, self.carry_out(request)),
            Err((id, refused)) => (id, Err(refused)),
        };
        let answer = answer.unwrap_or_else(|refused| refusal(&refused));
        let start = out.len();
        let mut line = AnswerLine { id, answer };
        if let Err(error) = serde_json::to_writer(&mut *out, &line) {
            out.truncate(start);
            line.answer = refusal(&Refused::Internal(error.to_string()));
            // This cannot fail, because a refusal contains only text and is written to memory.
            let _infallible = serde_json::to_writer(&mut *out, &line);
        }
        out.push(b'\n');
    }

    fn carry_out(&mut self, request: Request) -> Result<Answer, Refused> {
        match request {
            Request::About {} => Ok(Answer::About(about())),
            Request::NewGame { ruleset, time, deploy_ms, secret, game, seed, at } => {
                let ruleset = Ruleset::parse(&ruleset)?;
                self.begin(ruleset, None, Beginning { time, deploy_ms, secret, game, seed, at })
            }
            Request::SetPosition { position, time, secret, game, seed, at } => {
                let position = Position::from_text(&position).map_err(|error| match error {
                    PositionTextError::Ruleset(error) => Refused::NoSuchRuleset(error),
                    error => Refused::BadPosition(error),
                })?;
                let ruleset = position.ruleset();
                self.begin(ruleset, Some(position), Beginning { time, deploy_ms: 0, secret, game, seed, at })
            }
            Request::Command { side, command, ply, at, audience } => {
                self.table()?.command(side, &command, ply, at, audience)
            }
            Request::Wait { at, audience } => self.table()?.wait(at, audience),
            Request::Legal { side, at } => self.table()?.legal(side, at),
            Request::Show { audience, at } => self.table()?.show(audience, at),
            Request::GoTo { ply } => {
                let table = self.table()?;
                table.history.go_to(ply)?;
                Ok(done(&table.history.game, None, None))
            }
            Request::Record { audience } => {
                let table = self.table()?;
                let record = table.history.record(audience, table.terms.clone());
                Ok(Answer::Record { record: Box::new(record) })
            }
        }
    }

    fn table(&mut self) -> Result<&mut Table, Refused> {
        self.table.as_mut().ok_or(Refused::NoGame)
    }

    fn begin(
        &mut self,
        ruleset: &'static Ruleset,
        position: Option<Position>,
        beginning: Beginning,
    ) -> Result<Answer, Refused> {
        let Beginning { time, deploy_ms, secret, game, seed, at } = beginning;
        let chance = Chance::new(seed)?;
        let rules_terms = GameTerms {
            game: game.unwrap_or_else(|| chance.game_id()),
            ruleset,
            lakes: ruleset.draw_lakes(&chance.lakes()),
            time: time.into(),
            deploy_ms,
            created: Stamp(at.unwrap_or(0)),
            secret: PerSide::from_fn(|side| secret.contains(&side)),
        };
        let history = match position {
            None => History::new(Game::new(rules_terms)),
            Some(position) => History::set_up(Game::from_position(rules_terms, position))?,
        };
        let terms = Terms { secret: !secret.is_empty(), ..Terms::casual(ruleset, time) };
        let answer = done(&history.game, None, None);
        self.table = Some(Table { history, chance, terms });
        Ok(answer)
    }
}

impl Table {
    fn command(
        &mut self,
        side: Side,
        command: &GameCommand,
        ply: Option<Ply>,
        at: Option<u64>,
        audience: Option<Viewer>,
    ) -> Result<Answer, Refused> {
        let now = self.moment(at)?;
        let game = &self.history.game;
        let entropy = self.chance.entropy(self.history.cursor);
        let command = command.to_command(side, game.terms().ruleset)?;
        let events = decide(game, side, ply.unwrap_or(game.ply()), &command, now, &entropy)?;
        self.carry_out(events, now, audience)
    }

    fn wait(&mut self, at: u64, audience: Option<Viewer>) -> Result<Answer, Refused> {
        let now = self.moment(Some(at))?;
        let events = decide_deadline(&self.history.game, now);
        if events.is_empty() {
            return Ok(done(&self.history.game, None, audience.map(|_| Vec::new())));
        }
        self.carry_out(events, now, audience)
    }

    fn carry_out(&mut self, events: Events, now: Stamp, audience: Option<Viewer>) -> Result<Answer, Refused> {
        let mut seen = audience.map(|_| Vec::new());
        let mut strike = None;
        self.history.push(events, now, |event, game| {
            strike = strike.or(strike_of(event, game));
            if let (Some(viewer), Some(seen)) = (audience, &mut seen) {
                seen.extend(see(event, game, viewer).map(|seen| SeenByAudience {
                    event: seen,
                    change: see_change(event, game, viewer, now),
                }));
            }
        })?;
        Ok(done(&self.history.game, strike, seen))
    }

    fn legal(&self, side: Side, at: Option<u64>) -> Result<Answer, Refused> {
        let now = self.moment(at)?;
        let game = &self.history.game;
        let in_time = game.deadline().is_none_or(|deadline| now <= deadline);
        let mut commands = Vec::new();
        if in_time && game.is_to_act(side) {
            let legal = view(game, Viewer::Player(side), now).legal_commands();
            let legal = legal.iter().flat_map(|legal| legal.iter());
            commands.extend(legal.filter_map(|command| GameCommand::from_command(&command)));
        }
        commands.extend(WORDS.into_iter().filter(|command| {
            let entropy = self.chance.entropy(self.history.cursor);
            let command = command.to_command(side, game.terms().ruleset);
            command.and_then(|command| decide(game, side, game.ply(), &command, now, &entropy)).is_ok()
        }));
        let may_deploy = game.phase() == Phase::Deploying && in_time;
        Ok(Answer::Legal { side, commands, may_deploy })
    }

    fn show(&self, look: Look, at: Option<u64>) -> Result<Answer, Refused> {
        let now = self.moment(at)?;
        let game = &self.history.game;
        let viewer = match look {
            Look::Red => Viewer::Player(Side::Red),
            Look::Blue => Viewer::Player(Side::Blue),
            Look::Public => Viewer::Public,
            Look::Everything => return Ok(Answer::Everything(Box::new(everything(game)))),
        };
        Ok(Answer::View { view: Box::new(view(game, viewer, now).seen) })
    }

    /// Returns the time that a request names, or the time of the latest event if the request
    /// names none.
    fn moment(&self, at: Option<u64>) -> Result<Stamp, Refused> {
        let latest = self.history.game.latest();
        let now = at.map_or(latest, Stamp);
        if now < latest { Err(Refused::TimeWentBack { latest }) } else { Ok(now) }
    }
}

/// The commands without arguments.
const WORDS: [GameCommand; 5] = [
    GameCommand::OfferDraw {},
    GameCommand::AcceptDraw {},
    GameCommand::DeclineDraw {},
    GameCommand::Resign {},
    GameCommand::Abort {},
];

fn refusal(refused: &Refused) -> Answer {
    Answer::Refused { code: refused.code(), message: refused.to_string() }
}

fn done(game: &Game, strike: Option<SeenStrike>, seen: Option<Vec<SeenByAudience>>) -> Answer {
    Answer::Done(Done {
        phase: game.phase(),
        ply: game.ply(),
        turn: game.turn(),
        outcome: game.outcome().map(SeenOutcome::from),
        strike,
        seen,
    })
}

/// Returns the result of a strike. Takes each piece's rank from its owner's view, so both ranks
/// are known.
fn strike_of(event: &Event, game: &Game) -> Option<SeenStrike> {
    let seen_by = |side| match see(event, game, Viewer::Player(side)) {
        Some(GameEvent::Moved(seen)) => Some(seen),
        _ => None,
    };
    let red = seen_by(Side::Red)?;
    let strike = red.strike?;
    let blue = seen_by(Side::Blue)?.strike?;
    let (own, other) = if red.side == Side::Red { (strike, blue) } else { (blue, strike) };
    Some(SeenStrike { defender: other.defender, ..own })
}

fn everything(game: &Game) -> Everything {
    let mut pieces = Vec::new();
    for side in Side::BOTH {
        let own = view(game, Viewer::Player(side), game.latest()).seen.pieces;
        pieces.extend(own.into_iter().filter(|piece| piece.side == side));
    }
    pieces.sort_by_key(|piece| piece.square);
    let has_started = game.phase() != Phase::Deploying && !pieces.is_empty();
    Everything {
        game: game.terms().game,
        ruleset: game.terms().ruleset.id.to_owned(),
        phase: game.phase(),
        ply: game.ply(),
        turn: game.turn(),
        outcome: game.outcome().map(SeenOutcome::from),
        at: game.latest().0,
        position: has_started.then(|| Referee.position_text(game.position())),
        pieces,
        deployments: Referee.deployments(game),
        lakes: game.position().lakes().iter().collect(),
    }
}

fn about() -> About {
    About {
        program: concat!("flagfall ", env!("CARGO_PKG_VERSION")).to_owned(),
        protocol: PROTOCOL_VERSION,
        rulesets: Ruleset::all().iter().map(|ruleset| RulesetFacts::of(ruleset)).collect(),
    }
}
