//! What a referee answers.

use std::collections::BTreeMap;

use flagfall_board::{GameId, PerSide, Ply, Side, Square};
use flagfall_protocol::{
    Code, GameCommand, GameEvent, GameRecord, GameView, Opened, Phase, RuleOptionInfo, SeenOutcome,
    SeenPiece, SeenStrike, ViewChange,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::request::RequestId;

/// A line of answer: the request's id, if it had one, and what there is to say.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct AnswerLine {
    /// The request's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// What there is to say.
    #[serde(flatten)]
    pub answer: Answer,
}

/// What a referee answers.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// Which program answers, and what it plays.
    About(About),
    /// It was done; this is how the game stands.
    Done(Done),
    /// Every legal command of the side.
    Legal {
        /// Which side.
        side: Side,
        /// The commands, ready to be sent back; deployments, which are too many, left out.
        commands: Vec<GameCommand>,
        /// Whether the side may hand a deployment in.
        may_deploy: bool,
    },
    /// The game as an audience may know it.
    View {
        /// As the network protocol has it.
        view: Box<GameView>,
    },
    /// The game with everything that is hidden.
    Everything(Box<Everything>),
    /// The game's record.
    Record {
        /// As the network protocol has it.
        record: Box<GameRecord>,
    },
    /// Nothing was done.
    Refused {
        /// Why; stable.
        code: Code,
        /// Why and what to do, for a person.
        message: String,
    },
}

/// Which program answers, and what it plays.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct About {
    /// Its name and version.
    pub program: String,
    /// The version of the network protocol whose commands, views and records these are.
    pub protocol: u32,
    /// The rulesets.
    pub rulesets: Vec<RulesetFacts>,
}

/// What a program needs to know of a ruleset to make a deployment.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct RulesetFacts {
    /// Its id.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// Columns of the board.
    pub columns: u8,
    /// Rows of the board.
    pub rows: u8,
    /// Rows on which each side deploys.
    pub home_rows: u8,
    /// How many pieces of each rank a side has, by the letter of deployment texts.
    pub army: BTreeMap<String, u8>,
    /// Whether squares of the home rows stay empty (`.` in the deployment text).
    pub may_leave_empty: bool,
    /// What a custom game may change: `classic,ties=attacker` is a ruleset too.
    pub options: Vec<RuleOptionInfo>,
}

/// How a game stands after something was done.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Done {
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Turns taken.
    pub ply: Ply,
    /// Whose turn it is, while the game is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// What came of the strike, if the command was one: both ranks, whoever may know them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike: Option<SeenStrike>,
    /// What the audience that was asked for saw, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<SeenByAudience>>,
}

/// One event as an audience saw it: what an `event` message of the network protocol carries.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SeenByAudience {
    /// What happened.
    pub event: GameEvent,
    /// What else of the view changed with it.
    pub change: ViewChange,
}

/// A game with everything that is hidden.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Everything {
    /// The game's id.
    pub game: GameId,
    /// The ruleset's id.
    pub ruleset: String,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Turns taken.
    pub ply: Ply,
    /// Whose turn it is, while the game is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// When the latest event was.
    pub at: u64,
    /// The board in a line of text, which `set_position` takes; none before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Every piece with its rank, by rising row and column.
    pub pieces: Vec<SeenPiece>,
    /// The deployments that are in, with the salts of their commitments.
    pub deployments: PerSide<Option<Opened>>,
    /// Squares that nothing enters.
    pub lakes: Vec<Square>,
}
