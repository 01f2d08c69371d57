//! The referee's answers.

use std::collections::BTreeMap;

use flagfall_board::{GameId, PerSide, Ply, Side, Square};
use flagfall_protocol::{
    Code, GameCommand, GameEvent, GameRecord, GameView, Opened, Phase, RuleOptionInfo, SeenOutcome,
    SeenPiece, SeenStrike, ViewChange,
};
use flagfall_rules::{Fill, Ruleset};
use flagfall_words::english;
use schemars::JsonSchema;
use serde::Serialize;

use crate::request::RequestId;

/// A line of answer: the request's id, if it had one, and the answer.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct AnswerLine {
    /// The request's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

/// An answer of the referee.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// The program and what it can play.
    About(About),
    /// The request was carried out. This is the state of the game.
    Done(Done),
    /// Every legal command of a side.
    Legal {
        /// The side.
        side: Side,
        /// The commands, ready to send back. Deployments are left out, because there are too many.
        commands: Vec<GameCommand>,
        /// True if the side may hand in a deployment.
        may_deploy: bool,
    },
    /// The game as an audience may see it.
    View {
        /// The view, as in the network protocol.
        view: Box<GameView>,
    },
    /// The game with everything hidden.
    Everything(Box<Everything>),
    /// The game's record.
    Record {
        /// The record, as in the network protocol.
        record: Box<GameRecord>,
    },
    /// Nothing was done.
    Refused {
        /// Why, as a stable code for programs.
        code: Code,
        /// Why and what to do, for people.
        message: String,
    },
}

/// The program and what it can play.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct About {
    /// The program's name and version.
    pub program: String,
    /// The version of the network protocol that defines commands, views and records.
    pub protocol: u32,
    /// The rulesets.
    pub rulesets: Vec<RulesetFacts>,
}

/// The facts about a ruleset that a program needs for a deployment.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct RulesetFacts {
    /// The ruleset's id.
    pub id: String,
    /// The name for people.
    pub title: String,
    /// A summary in one sentence.
    pub summary: String,
    /// Columns of the board.
    pub columns: u8,
    /// Rows of the board.
    pub rows: u8,
    /// How many rows each side deploys on.
    pub home_rows: u8,
    /// How many pieces of each rank a side has, by the letters of deployments.
    pub army: BTreeMap<String, u8>,
    /// True if home squares stay empty (`.` in the deployment).
    pub may_leave_empty: bool,
    /// What a custom game may change. `classic,ties=attacker` is a ruleset too.
    pub options: Vec<RuleOptionInfo>,
}

impl RulesetFacts {
    /// The facts about this ruleset.
    pub fn of(ruleset: &'static Ruleset) -> RulesetFacts {
        RulesetFacts {
            id: ruleset.id.to_owned(),
            title: english().ruleset_title(ruleset),
            summary: english().ruleset_summary(ruleset),
            columns: ruleset.shape.columns,
            rows: ruleset.shape.rows,
            home_rows: ruleset.shape.home_rows,
            army: ruleset.army.iter().map(|(rank, count)| (rank.letter().to_string(), count)).collect(),
            may_leave_empty: ruleset.fill == Fill::AnyHomeSquares,
            options: english().rule_options(ruleset),
        }
    }
}

/// The state of a game after a request.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Done {
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Turns taken so far.
    pub ply: Ply,
    /// Whose turn it is, while the game is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// How the game ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// The result of the strike, if the command was one, with both ranks, even hidden ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike: Option<SeenStrike>,
    /// What the requested audience saw, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<SeenByAudience>>,
}

/// An event as an audience saw it, as in an `event` message of the network protocol.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SeenByAudience {
    /// What happened.
    pub event: GameEvent,
    /// What else changed in the view.
    pub change: ViewChange,
}

/// A game with everything hidden.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Everything {
    /// The game's id.
    pub game: GameId,
    /// The ruleset's id.
    pub ruleset: String,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Turns taken so far.
    pub ply: Ply,
    /// Whose turn it is, while the game is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// How the game ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// The time of the latest event.
    pub at: u64,
    /// The position in one line, for `set_position`. Absent before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Every piece with its rank, by rising row and column.
    pub pieces: Vec<SeenPiece>,
    /// The deployments handed in, with the salts of their commitments.
    pub deployments: PerSide<Option<Opened>>,
    /// The lake squares, which no piece enters.
    pub lakes: Vec<Square>,
}
