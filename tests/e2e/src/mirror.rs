//! A copy of a game, which the engine plays inside the test, so the test knows both deployments.

use flagfall_board::{ChipColor, PerSide, Rank, Side, Sign, SquareSet};
use flagfall_rules::{
    Choice, Command, EndReason, Fate, GameEvent, Identity, Move, MoveCommand, PendingStrike, Phase, Placing,
    Ruleset, SeenMove, SeenOutcome, SeenPlacing, TimeControl, Viewer, see, view,
};
use flagfall_tests::{Chance, Match, Step, random_setup};

/// A ply or another act of a side, with the lines that the clients must show for it.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The side that acts.
    pub side: Side,
    /// The text that the side types, as in `a4a5`.
    pub typed: String,
    /// The sentences that everybody may read. They do not mention a choice while the other side
    /// must still choose (§Q4).
    pub sentences: Vec<String>,
    /// The sentences that each player reads. The owner of a silent winner reads more (§D1), and
    /// only the side that made a choice reads about it.
    pub heard: PerSide<Vec<String>>,
    /// The lines of the record after the end of the game, when reserves and choices are revealed.
    /// A line about a ply begins with the ply's number.
    pub recorded: Vec<String>,
    /// The sentence about the end of the game, if it ends with this ply.
    pub end: Option<String>,
}

/// A copy of a game that is played elsewhere.
pub struct Mirror {
    game: Match,
    chance: Chance,
    /// Both deployments, as they are typed. Empty if the ruleset has none.
    pub setups: PerSide<String>,
}

impl Mirror {
    /// Creates a game with two random deployments, and with these lakes if the ruleset draws
    /// lakes for each game.
    ///
    /// # Panics
    /// If there is no such ruleset.
    #[must_use]
    pub fn new(ruleset: &str, seed: u64, lakes: Option<SquareSet>) -> Mirror {
        let ruleset = Ruleset::find(ruleset).unwrap_or_else(|| panic!("no ruleset {ruleset}"));
        let mut chance = Chance::new(seed);
        let mut game = Match::new(ruleset, TimeControl::Unlimited, PerSide::default(), Chance::new(seed + 1));
        if let Some(lakes) = lakes {
            game = game.with_lakes(lakes);
        }
        let has_deployments = game.game.phase() == Phase::Deploying;
        let setups = PerSide::from_fn(|_| {
            if has_deployments { random_setup(ruleset, &mut chance) } else { String::new() }
        });
        for side in Side::BOTH.into_iter().filter(|_| has_deployments) {
            let step = Step::Deploy(side, setups[side].clone());
            game.step(&step, 1).unwrap_or_else(|refusal| panic!("{refusal}"));
        }
        Mirror { game, chance, setups }
    }

    /// Returns the side to move, or `None` after the end.
    #[must_use]
    pub fn turn(&self) -> Option<Side> {
        self.game.game.turn().filter(|_| self.game.game.phase() == Phase::Playing)
    }

    /// The side that must name the color of a chip first.
    #[must_use]
    pub fn owes_color(&self) -> Option<Side> {
        view(&self.game.game, Viewer::Public, self.game.now).owed_color.map(|owed| owed.side)
    }

    /// The sides that still have to choose the rank of their coin in a strike (§Q4).
    #[must_use]
    pub fn owes_choice(&self) -> Vec<Side> {
        let is_pending = self.game.game.position().has_strike_pending();
        Side::BOTH.into_iter().filter(|side| is_pending && self.game.game.is_to_act(*side)).collect()
    }

    /// The number of plies so far.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.game.game.ply().into()
    }

    /// Plays a random legal move. Every other move is a strike if possible, so that games end.
    ///
    /// # Panics
    /// If the game is over.
    pub fn play(&mut self) -> Ply {
        let wants_strike = !self.chance.once_in(2);
        self.play_as_wished(wants_strike)
    }

    /// Plays a random legal move that is not a strike, if possible, so that the game goes on.
    ///
    /// # Panics
    /// If the game is over.
    pub fn play_quietly(&mut self) -> Ply {
        self.play_as_wished(false)
    }

    fn play_as_wished(&mut self, wants_strike: bool) -> Ply {
        let side = self.turn().expect("a running game");
        let owing = self.owes_choice();
        if !owing.is_empty() {
            let side = owing[self.chance.below(owing.len())];
            let command = self.any_choice(side);
            return self.carry_out(side, &command);
        }
        if self.game.game.terms().ruleset.reserve {
            let command = self.any_act(side, wants_strike);
            return self.carry_out(side, &command);
        }
        let moves = self.game.game.legal_moves().expect("a running game");
        let enemies: Vec<_> = view(&self.game.game, Viewer::Public, self.game.now)
            .pieces
            .iter()
            .filter(|piece| piece.side != side)
            .map(|piece| piece.square)
            .collect();
        let is_strike = |squares: &Move| enemies.contains(&squares.to);
        let mut wished: Vec<_> = moves.iter().filter(|squares| is_strike(squares) == wants_strike).collect();
        if wished.is_empty() {
            wished = moves.iter().collect();
        }
        let squares = wished[self.chance.below(wished.len())];
        self.carry_out(side, &Command::Move(squares.into()))
    }

    /// Returns a random act, for rulesets that have acts other than moves. Draws a few acts and
    /// prefers strikes if `wants_strike` is true, otherwise other acts.
    fn any_act(&mut self, side: Side, wants_strike: bool) -> Command {
        let position = self.game.game.position();
        let (acts, foes) = (position.legal_commands(), position.occupied(side.opponent()));
        let is_strike = |act: &Command| match act {
            Command::Move(asked) => foes.contains(asked.squares.to),
            _ => false,
        };
        let (moves, all) = (acts.moves_len(), acts.len());
        let mut tries: Vec<Command> = Vec::new();
        for _ in 0..8 {
            // There are thousands of ways to place a piece, so try them only sometimes.
            let end = if moves > 0 && !self.chance.once_in(5) { moves } else { all };
            tries.extend(acts.nth(self.chance.below(end)));
        }
        let wished = tries.iter().find(|act| is_strike(act) == wants_strike);
        wished.or(tries.first()).expect("an act of a side that has one").clone()
    }

    /// Returns a random choice for a coin. Chooses the Flag only if no other rank is possible.
    fn any_choice(&mut self, side: Side) -> Command {
        let commands = view(&self.game.game, Viewer::Player(side), self.game.now).legal_commands();
        let mut choices: Vec<Command> = commands.iter().flat_map(|commands| commands.iter()).collect();
        let is_flag = |choice: &Command| *choice == Command::Choose(Choice(Rank::Flag));
        if !choices.iter().all(is_flag) {
            choices.retain(|choice| !is_flag(choice));
        }
        choices.swap_remove(self.chance.below(choices.len()))
    }

    fn carry_out(&mut self, side: Side, command: &Command) -> Ply {
        let logged = self.game.step(&Step::Ask(side, command.clone()), 1).expect("a legal act");
        let tell = |viewer: Viewer| -> Vec<GameEvent> {
            logged.iter().filter_map(|it| see(&it.event, &it.after, viewer)).collect()
        };
        let is_end = |seen: &&GameEvent| matches!(seen, GameEvent::Ended { .. });
        let sentences = |viewer| tell(viewer).iter().filter(|seen| !is_end(seen)).map(told).collect();
        let is_opened = matches!(command, Command::Place(_) | Command::Choose(_));
        let opened = tell(if is_opened { Viewer::Player(side) } else { Viewer::Public });
        let plies = self.game.game.ply();
        let line = |seen: &GameEvent| match seen {
            GameEvent::Moved(_) | GameEvent::Removed { .. } | GameEvent::Placed(_) => {
                format!("{plies:>4}. {}", told(seen))
            }
            _ => format!("      {}", told(seen)),
        };
        Ply {
            side,
            typed: typed(command),
            sentences: sentences(Viewer::Public),
            recorded: opened.iter().filter(|seen| !is_end(seen)).map(line).collect(),
            heard: PerSide::from_fn(|side| sentences(Viewer::Player(side))),
            end: tell(Viewer::Public).iter().find(is_end).map(told),
        }
    }
}

/// Returns an act as a person would type it.
fn typed(command: &Command) -> String {
    let chip =
        |color: &Option<ChipColor>| color.map_or_else(String::new, |color| format!(" {}", color.name()));
    match command {
        Command::Move(MoveCommand { squares, path, color }) => {
            let path = match path {
                Some(Sign::Plus) => "+",
                Some(Sign::Minus) => "-",
                None => "",
            };
            format!("{squares}{path}{}", chip(color))
        }
        Command::Remove(square) => format!("remove {square}"),
        Command::Place(Placing { square, rank, is_labeled, color }) => {
            let label = if *is_labeled { "labeled " } else { "" };
            format!("place {label}{} {square}{}", rank.to_string().to_lowercase(), chip(color))
        }
        Command::Color(color) => format!("color {}", color.name()),
        Command::Choose(Choice(rank)) => format!("choose {}", rank.to_string().to_lowercase()),
        other => panic!("no turn is taken with {other:?}"),
    }
}

/// Returns the sentence about an event that clients must print.
fn told(event: &GameEvent) -> String {
    match event {
        GameEvent::Moved(seen) => {
            let chips = seen.laid.map_or_else(String::new, |laid| {
                let squares: Vec<String> = laid.squares().iter().map(|square| square.to_string()).collect();
                format!(" New {} chips: {}.", laid.color().name(), squares.join(" "))
            });
            format!("{}{chips}", told_move(seen))
        }
        GameEvent::Removed { side, square } => {
            format!("{side} takes its piece on {square} off the board.")
        }
        GameEvent::Placed(SeenPlacing { side, square, piece, labeled, color }) => {
            let label = if *labeled { "labeled " } else { "" };
            let what = match piece {
                Identity::Known(rank) => rank.to_string(),
                _ => "piece".to_owned(),
            };
            let chip = color.map_or_else(String::new, |color| format!(", with a {} chip", color.name()));
            format!("{side} places a {label}{what} on {square}{chip}.")
        }
        GameEvent::Colored { side, square, color } => {
            format!("{side} lays a {} chip on {square}.", color.name())
        }
        GameEvent::Struck(strike) => told_strike(strike),
        GameEvent::Chosen { side, rank } => format!("{side} chooses {rank} for its coin."),
        GameEvent::Ended { outcome, .. } => told_end(outcome),
        other => panic!("no move makes {other:?}"),
    }
}

fn told_move(seen: &SeenMove) -> String {
    let SeenMove { side, squares: Move { from, to }, strike, .. } = seen;
    let Some(strike) = strike else {
        let Identity::OneOf(ranks) = seen.piece else { return format!("{side} moves {from}{to}.") };
        let ranks: Vec<String> = ranks.iter().map(|rank| rank.to_string()).collect();
        return format!("{side} moves {from}{to}, so the piece is a {}.", ranks.join(" or "));
    };
    let rank = |identity| match identity {
        Identity::Known(rank) => rank.to_string(),
        Identity::Hidden => "hidden piece".to_owned(),
        other @ (Identity::OneOf(_) | Identity::Coin) => panic!("a strike shows {other:?}"),
    };
    let other = side.opponent();
    let (ours, theirs) = (rank(strike.attacker), rank(strike.defender));
    let result = match (strike.attacker_fate, strike.defender_fate) {
        (Fate::Leaves, Fate::Leaves) => ", and both are lost".to_owned(),
        (Fate::Leaves, Fate::Stays) => " and is lost".to_owned(),
        (Fate::Leaves, Fate::Advances) => format!(" and is lost; {other}'s {theirs} goes to {from}"),
        (_, Fate::Leaves) => return format!("{side}'s {ours} captures {other}'s {theirs} on {to}."),
        (_, _) => ", and both stay".to_owned(),
    };
    format!("{side}'s {ours} strikes {other}'s {theirs} on {to}{result}.")
}

fn told_strike(strike: &PendingStrike) -> String {
    let PendingStrike { side, squares, owes, own_choice: _ } = strike;
    let owing: Vec<String> =
        [*side, side.opponent()].iter().filter(|side| owes[**side]).map(|side| side.to_string()).collect();
    let choosing = match &owing[..] {
        [one] if *one == side.to_string() => " and must choose what its coin is".to_owned(),
        [one] => format!(". {one} must choose what its coin is"),
        _ => ". Both sides must choose what their coins are".to_owned(),
    };
    format!("{side} strikes {squares}{choosing}.")
}

fn told_end(outcome: &SeenOutcome) -> String {
    let reason = EndReason::from_code(&outcome.reason).expect("a known reason");
    match (outcome.winner, reason) {
        (Some(side), EndReason::FlagCaptured) => {
            format!("{side} wins: {}'s Flag was captured.", side.opponent())
        }
        (Some(side), EndReason::NoLegalMove) => {
            format!("{side} wins: {} has no legal move.", side.opponent())
        }
        (Some(side), EndReason::ForfeitedReserve) => {
            format!("{side} wins: {} has no move that the reserve rule allows.", side.opponent())
        }
        (None, EndReason::BothBlocked) => "A draw: neither side can move.".to_owned(),
        (None, EndReason::QuietLimit) => "A draw: too many moves without a capture.".to_owned(),
        (None, EndReason::PlyLimit) => "A draw: the game reached its maximum length.".to_owned(),
        other => panic!("no move ends a game like this: {other:?}"),
    }
}
