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

/// A line with an answer, and with the request's id if it had one.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct AnswerLine {
    /// The request's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

/// An answer from the referee.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// Facts about the program, and the rulesets that it can play.
    About(About),
    /// The request was carried out. Contains the new state of the game.
    Done(Done),
    /// Every legal command of a side.
    Legal {
        /// The side.
        side: Side,
        /// The commands, ready to send back. Deployments are left out, because there are too many.
        commands: Vec<GameCommand>,
        /// True if the side may submit a deployment.
        may_deploy: bool,
    },
    /// The view of the game that an audience may see.
    View {
        /// The view, as in the network protocol.
        view: Box<GameView>,
    },
    /// The whole game, including all hidden facts.
    Everything(Box<Everything>),
    /// The game's record.
    Record {
        /// The record, as in the network protocol.
        record: Box<GameRecord>,
    },
    /// The request was refused, and nothing has changed.
    Refused {
        /// The reason for the refusal, as a stable code for programs.
        code: Code,
        /// The reason for the refusal, with advice on what to do, for people.
        message: String,
    },
}

/// Facts about the program, and the rulesets that it can play.
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
    /// The ruleset's name for people.
    pub title: String,
    /// A summary in one sentence.
    pub summary: String,
    /// The number of columns of the board.
    pub columns: u8,
    /// The number of rows of the board.
    pub rows: u8,
    /// The number of rows on which each side deploys.
    pub home_rows: u8,
    /// The number of pieces of each rank that a side has. The keys are the letters of deployment
    /// texts.
    pub army: BTreeMap<String, u8>,
    /// True if some home squares stay empty. In a deployment text, an empty square is written as
    /// `.`.
    pub may_leave_empty: bool,
    /// The rules that a custom game may change. For example, `classic,ties=attacker` is also a
    /// ruleset.
    pub options: Vec<RuleOptionInfo>,
}

impl RulesetFacts {
    /// Returns the facts about this ruleset.
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
    /// The phase of the game: deploying, playing or over.
    pub phase: Phase,
    /// The number of turns taken so far.
    pub ply: Ply,
    /// The side to move, while the game is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// The outcome of the game, after its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// The result of the strike, if the command was a strike. Contains both ranks, even if they
    /// are hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike: Option<SeenStrike>,
    /// The events that the requested audience saw, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<SeenByAudience>>,
}

/// An event as an audience saw it, as in an `event` message of the network protocol.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SeenByAudience {
    /// The event.
    pub event: GameEvent,
    /// The part of the view's change that cannot be derived from the event itself.
    pub change: ViewChange,
}

/// A whole game, including all hidden facts.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Everything {
    /// The game's id.
    pub game: GameId,
    /// The ruleset's id.
    pub ruleset: String,
    /// The phase of the game: deploying, playing or over.
    pub phase: Phase,
    /// The number of turns taken so far.
    pub ply: Ply,
    /// The side to move, while the game is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// The outcome of the game, after its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// The time of the latest event.
    pub at: u64,
    /// The position in one line, for `set_position`. Absent before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Every piece with its rank, ordered by row and then by column.
    pub pieces: Vec<SeenPiece>,
    /// The submitted deployments, with the salts of their commitments.
    pub deployments: PerSide<Option<Opened>>,
    /// The lakes: squares that no piece may enter.
    pub lakes: Vec<Square>,
}
