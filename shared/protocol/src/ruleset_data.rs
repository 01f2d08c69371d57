//! Rulesets as data. With this data, a client can draw the board, make a deployment, and compute
//! where pieces may move.

use std::collections::BTreeMap;

use flagfall_board::{Rank, Square};
use flagfall_rules::{Bombs, Disclosure, Fill, Lakes, Ruleset, Start, Ties};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rules of a ruleset, as far as they affect boards, deployments and moves. A client that
/// uses this data need not contain a list of rulesets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetData {
    /// The number of columns of the board.
    pub columns: u8,
    /// The number of rows of the board.
    pub rows: u8,
    /// The number of rows on which each side deploys.
    pub home_rows: u8,
    /// The number of pieces of each rank that a side has. The keys are the letters of deployment
    /// texts.
    pub army: BTreeMap<String, u8>,
    /// True if home squares may stay empty. In a deployment text, they are written as `.`.
    pub may_leave_empty: bool,
    /// The way in which a game begins.
    pub start: StartInfo,
    /// The lakes of the board.
    pub lakes: LakesInfo,
    /// The letters of the columns whose top and bottom squares are neighbors.
    pub joined_columns: Vec<char>,
    /// The numbers of the rows whose first and last squares are neighbors. Rows count from 1.
    pub joined_rows: Vec<u8>,
    /// True if a piece that moves any distance may strike at the end of a long move.
    pub strikes_afar: bool,
    /// True if the server accepts an illegal move or deployment, which then loses the game.
    pub illegal_act_loses: bool,
    /// True if the army is larger than the home rows, so that some pieces start in a reserve.
    pub reserve: bool,
    /// True if a piece stays face up permanently after a Scout or a Phoenix has discovered its
    /// rank.
    pub labels: bool,
    /// True if a piece lays a chip on the square where it lands.
    pub chips: bool,
    /// True if pieces can move along lines of chips of one color.
    pub supply_lines: bool,
    /// The ranks that can flash over chips, each with its maximum distance. Empty if the ruleset
    /// has no flashes.
    pub flashes: BTreeMap<Rank, u8>,
    /// The rank that a Spy beats when the Spy is the attacker.
    pub spy_beats: Rank,
    /// The result of a strike between equal ranks.
    pub ties: TiesInfo,
    /// The sides whose ranks a strike reveals.
    pub disclosure: DisclosureInfo,
    /// The fate of a Bomb that beats its attacker.
    pub bombs: BombsInfo,
    /// True if a defender that wins moves to the attacker's square.
    pub winner_advances: bool,
    /// True if a side that chases a piece without a break must not recreate an earlier position.
    pub more_squares: bool,
    /// True if a game is a draw when neither side can move.
    pub blocked_draws: bool,
    /// The maximum number of consecutive moves in which a piece may cross the same border between
    /// two squares. `null` if there is no limit.
    pub two_squares_limit: Option<u8>,
    /// The number of plies without a capture after which the game is a draw. `null` if there is
    /// no such limit.
    pub quiet_limit: Option<u16>,
    /// The total number of plies after which the game is a draw.
    pub ply_limit: u16,
}

/// The way in which a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartInfo {
    /// Each side deploys its army in secret.
    Deployments,
    /// The game begins immediately, with coins on all home squares.
    Coins,
}

/// The result of a strike between equal ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TiesInfo {
    /// Both pieces leave the board.
    Both,
    /// Only the attacker stays.
    Attacker,
    /// Only the defender stays. Only custom games have this rule.
    Defender,
}

/// The sides whose ranks a strike reveals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisclosureInfo {
    /// A strike reveals both ranks.
    Both,
    /// A strike reveals the attacker's rank. It reveals the defender's rank only if the defender
    /// loses or the attacker is a Scout.
    Silent,
}

/// The fate of a Bomb that beats its attacker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BombsInfo {
    /// The Bomb stays on its square.
    Stay,
    /// The Bomb leaves the board together with its attacker.
    Leave,
}

/// The lakes of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LakesInfo {
    /// The lakes are on these squares in every game.
    Fixed(Vec<Square>),
    /// The lakes are drawn at random for each game. The views of the game contain them.
    Drawn(DrawnLakes),
}

/// The only value of this type, which stands for randomly drawn lakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawnLakes {
    /// The lakes are drawn at random for each game.
    Drawn,
}

/// A house player, as listed by `/api/rulesets`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HousePlayerInfo {
    /// The level, as in `play_bot`. Weaker levels come first in the list.
    pub level: String,
    /// The ids of the rulesets that the house player can play. It can also play custom games
    /// based on them.
    pub rulesets: Vec<String>,
}

impl From<&Ruleset> for RulesetData {
    fn from(ruleset: &Ruleset) -> RulesetData {
        let shape = &ruleset.shape;
        let lakes = match ruleset.lakes {
            Lakes::OfTheShape => LakesInfo::Fixed(shape.lakes.iter().collect()),
            Lakes::Drawn => LakesInfo::Drawn(DrawnLakes::Drawn),
        };
        let start = match ruleset.start {
            Start::Deployments => StartInfo::Deployments,
            Start::Coins => StartInfo::Coins,
        };
        let ties = match ruleset.ties {
            Ties::BothLeave => TiesInfo::Both,
            Ties::AttackerWins => TiesInfo::Attacker,
            Ties::DefenderWins => TiesInfo::Defender,
        };
        let disclosure = match ruleset.disclosure {
            Disclosure::Both => DisclosureInfo::Both,
            Disclosure::SilentDefense => DisclosureInfo::Silent,
        };
        let bombs = match ruleset.bombs {
            Bombs::Stay => BombsInfo::Stay,
            Bombs::LeaveWithAttacker => BombsInfo::Leave,
        };
        let letters = ('a'..).take(shape.columns.into()).enumerate();
        RulesetData {
            columns: shape.columns,
            rows: shape.rows,
            home_rows: shape.home_rows,
            army: ruleset.army.iter().map(|(rank, count)| (rank.letter().to_string(), count)).collect(),
            may_leave_empty: ruleset.fill == Fill::AnyHomeSquares,
            start,
            lakes,
            joined_columns: letters
                .filter(|(column, _)| shape.joined_columns & (1 << column) != 0)
                .map(|(_, letter)| letter)
                .collect(),
            joined_rows: (0..shape.rows)
                .filter(|row| shape.joined_rows & (1 << row) != 0)
                .map(|row| row + 1)
                .collect(),
            strikes_afar: ruleset.strikes_afar,
            illegal_act_loses: ruleset.illegal_act_loses,
            reserve: ruleset.reserve,
            labels: ruleset.labels,
            chips: ruleset.chips,
            supply_lines: ruleset.supply_lines,
            flashes: ruleset.flashes().iter().copied().collect(),
            spy_beats: ruleset.spy_beats,
            ties,
            disclosure,
            bombs,
            winner_advances: ruleset.winner_advances,
            more_squares: ruleset.more_squares,
            blocked_draws: ruleset.blocked_draws,
            two_squares_limit: ruleset.two_squares_limit,
            quiet_limit: ruleset.quiet_limit,
            ply_limit: ruleset.ply_limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::Direction;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the data of a ruleset, once as a value and once as JSON.
    fn data(ruleset: &Ruleset) -> (RulesetData, Value) {
        let data = RulesetData::from(ruleset);
        let json = serde_json::to_value(&data).expect("JSON");
        assert_eq!(serde_json::from_value::<RulesetData>(json.clone()).expect("it reads back"), data);
        (data, json)
    }

    /// Returns the fields in which a ruleset differs from `classic`.
    fn changes(id: &str) -> Value {
        let [classic, other] = ["classic", id].map(|id| data(Ruleset::find(id).expect("a ruleset")).1);
        let mut changes = other;
        let classic = classic.as_object().expect("fields").clone();
        changes.as_object_mut().expect("fields").retain(|name, value| classic[name] != *value);
        changes
    }

    #[test]
    fn the_data_are_those_of_the_engine() {
        for ruleset in Ruleset::all() {
            let (data, _) = data(ruleset);
            let shape = &ruleset.shape;
            let square = |column: u8, row: u8| Square::new(column, row).expect("a square");
            for column in 0..shape.columns {
                let letter = char::from(b'a' + column);
                let is_joined = shape.neighbor(square(column, shape.rows - 1), Direction::Up).is_some();
                assert_eq!(data.joined_columns.contains(&letter), is_joined, "{} {letter}", ruleset.id);
            }
            for row in 0..shape.rows {
                let is_joined = shape.neighbor(square(shape.columns - 1, row), Direction::Right).is_some();
                assert_eq!(data.joined_rows.contains(&(row + 1)), is_joined, "{} {row}", ruleset.id);
            }
            for rank in Rank::ALL {
                let count = data.army.get(&rank.letter().to_string()).copied().unwrap_or(0);
                assert_eq!(count, ruleset.army.count(rank), "{} {rank}", ruleset.id);
            }
            match &data.lakes {
                LakesInfo::Fixed(lakes) => {
                    assert_eq!(lakes.iter().copied().collect::<flagfall_board::SquareSet>(), shape.lakes);
                }
                LakesInfo::Drawn(_) => assert_eq!(ruleset.lakes, Lakes::Drawn),
            }
            assert_eq!(data.flashes.is_empty(), !ruleset.shadowflash, "{}", ruleset.id);
            let home = usize::from(data.columns) * usize::from(data.home_rows);
            assert_eq!(home, shape.home_len(), "{}", ruleset.id);
        }
    }

    #[test]
    fn rulesets_differ_where_their_rules_do() {
        let (_, classic) = data(&flagfall_rules::rulesets::CLASSIC);
        assert_eq!((&classic["columns"], &classic["home_rows"]), (&json!(10), &json!(4)));
        assert_eq!(classic["lakes"], json!(["c5", "d5", "g5", "h5", "c6", "d6", "g6", "h6"]));
        assert_eq!((&classic["start"], &classic["army"]["9"]), (&json!("deployments"), &json!(8)));
        assert_eq!((&classic["spy_beats"], &classic["two_squares_limit"]), (&json!("marshal"), &json!(3)));
        assert_eq!(changes("tournament"), json!({ "more_squares": true }));
        assert_eq!(
            changes("original"),
            json!({ "strikes_afar": false, "winner_advances": true, "two_squares_limit": null })
        );
        assert_eq!(
            changes("course"),
            json!({
                "lakes": "drawn", "illegal_act_loses": true, "bombs": "leave", "winner_advances": true,
                "two_squares_limit": null,
            })
        );
        assert_eq!(changes("silent-defense"), json!({ "ties": "attacker", "disclosure": "silent" }));
        assert_eq!(changes("pbm-small")["spy_beats"], json!("general"));
        assert_eq!(changes("quantum"), json!({ "start": "coins" }));
        assert_eq!(changes("barrage")["may_leave_empty"], json!(true));
        let flashes = changes("shadowflash-3");
        assert_eq!(flashes["flashes"], json!({ "general": 2, "colonel": 3, "major": 4 }));
        assert_eq!(flashes["joined_columns"].as_array().map(Vec::len), Some(10));
        assert_eq!(flashes["joined_rows"], json!([1, 2, 3, 4, 7, 8, 9, 10]));
        assert_eq!(flashes["army"]["P"], json!(1));
        assert_eq!((&flashes["blocked_draws"], &flashes["quiet_limit"]), (&json!(false), &json!(600)));
    }
}
