//! One public course with two secrets: both games and their acts, side by side.

use flagfall_board::{GameId, PerSide, Ply, Side, Square, SquareSet, Stamp};
use flagfall_protocol::GameCommand;
use flagfall_rules::{
    Command, Entropy, Events, Game, GameTerms, LegalCommands, Phase, Refusal, Ruleset, TimeControl, Viewer,
    decide, evolve, see, view,
};

/// A command of one side in each session. The two commands differ only in the secret.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The side.
    pub side: Side,
    /// The ply.
    pub ply: Ply,
    /// The command in each session. `None` if only the other session has one.
    pub commands: [Option<GameCommand>; 2],
    /// For each session, the number of events about the command that are sent to Red, Blue and
    /// the public. Zero if the command will be refused.
    pub told: [[u64; 3]; 2],
    /// True if both sessions refuse the command.
    pub is_refused: bool,
}

/// Something that happens in both sessions.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Order(Order),
    /// A side loses its connection and reconnects.
    Drop(Side),
    /// The viewer and the public read the game over HTTP.
    Fetch,
    /// Servers are killed, and their clients reconnect.
    Outage,
}

/// Both games, as far as they have been planned.
#[derive(Clone)]
pub(super) struct Twins {
    /// The games.
    pub games: [Game; 2],
    /// The acts so far.
    pub acts: Vec<Act>,
}

impl Twins {
    pub(super) fn new(ruleset: &'static Ruleset, lakes: SquareSet) -> Twins {
        let game = Game::new(GameTerms {
            game: GameId::from_random([1; 12]),
            ruleset,
            lakes,
            time: TimeControl::Unlimited,
            deploy_ms: u64::from(u32::MAX),
            created: Stamp(0),
            secret: PerSide::new(true, true),
        });
        Twins { games: [game.clone(), game], acts: Vec::new() }
    }

    /// Adds a command to both sessions or to one of them.
    ///
    /// Returns `None` and changes nothing if a session that gets the command refuses it, if the
    /// command ends the game, or if the games would look different afterwards.
    pub(super) fn order(&mut self, side: Side, commands: [Option<GameCommand>; 2]) -> Option<()> {
        let (next, order) = self.after(side, commands)?;
        if !next.games.iter().all(|game| game.outcome().is_none()) {
            return None;
        }
        *self = next;
        self.acts.push(Act::Order(order));
        Some(())
    }

    pub(super) fn order_alike(&mut self, side: Side, command: GameCommand) -> Option<()> {
        self.order(side, [Some(command.clone()), Some(command)])
    }

    pub(super) fn end(&mut self, side: Side, command: GameCommand) -> Option<()> {
        let (next, order) = self.after(side, [Some(command.clone()), Some(command)])?;
        if !next.games.iter().all(|game| game.outcome().is_some()) {
            return None;
        }
        *self = next;
        self.acts.push(Act::Order(order));
        Some(())
    }

    /// Adds a command that both sessions refuse, at this ply or a later one. Skips the command if
    /// a session would accept it.
    pub(super) fn probe(&mut self, side: Side, later: Ply, command: GameCommand) {
        let ply = self.games[0].ply() + later;
        if self.games.iter().all(|game| judge(game, side, ply, &command).is_err()) {
            let commands = [Some(command.clone()), Some(command)];
            let order = Order { side, ply, commands, told: [[0; 3]; 2], is_refused: true };
            self.acts.push(Act::Order(order));
        }
    }

    fn after(&self, side: Side, commands: [Option<GameCommand>; 2]) -> Option<(Twins, Order)> {
        let mut next = self.clone();
        let ply = self.games[0].ply();
        let mut told = [[0; 3]; 2];
        for ((game, command), told) in next.games.iter_mut().zip(&commands).zip(&mut told) {
            let Some(command) = command else { continue };
            for event in judge(game, side, ply, command).ok()? {
                evolve(game, &event, Stamp(0));
                for (told, viewer) in told.iter_mut().zip(Viewer::ALL) {
                    *told += u64::from(see(&event, game, viewer).is_some());
                }
            }
        }
        next.are_alike().then_some((next, Order { side, ply, commands, told, is_refused: false }))
    }

    /// True if the games look the same to a viewer who sees no ranks.
    fn are_alike(&self) -> bool {
        let [one, other] = &self.games;
        let stands = |game: &Game, side: Side| game.position().occupied(side);
        let public = |game: &Game| (game.phase(), game.ply(), game.turn());
        let is_played = one.phase() == Phase::Playing && other.phase() == Phase::Playing;
        public(one) == public(other)
            && (!is_played || Side::BOTH.into_iter().all(|side| stands(one, side) == stands(other, side)))
    }
}

fn judge(game: &Game, side: Side, ply: Ply, command: &GameCommand) -> Result<Events, Refusal> {
    let command = command.to_command(side, game.terms().ruleset)?;
    decide(game, side, ply, &command, Stamp(0), &Entropy([7; 32]))
}

/// Returns the legal commands in a side's own view.
pub(super) fn legal_commands(game: &Game, side: Side) -> Option<LegalCommands> {
    view(game, Viewer::Player(side), Stamp(0)).legal_commands()
}

/// Converts a command on the board to the command in a message.
pub(super) fn as_message(command: &Command) -> Option<GameCommand> {
    GameCommand::from_command(command)
}

/// Returns commands about a square of the opponent that are illegal in every ruleset. Some
/// rulesets do not even have these kinds of commands.
pub(super) fn impossible_at(square: Square) -> Vec<GameCommand> {
    use flagfall_board::{ChipColor, Direction, Rank};
    use flagfall_rules::Move;
    let beside = Direction::ALL.into_iter().filter_map(|direction| square.neighbor(direction)).take(2);
    let moves = beside.map(|to| GameCommand::from(Move { from: square, to }));
    let others = [
        GameCommand::Remove { square },
        GameCommand::Place { square, rank: Rank::Scout, labeled: false, color: Some(ChipColor::Red) },
        GameCommand::Color { color: ChipColor::Green },
        GameCommand::Choose { rank: Rank::Flag },
        GameCommand::AcceptDraw {},
    ];
    moves.chain(others).collect()
}
