//! The state from which a replay starts: a position or the deployments. Hidden ranks are replaced
//! by ranks that fit the record.

use flagfall_board::{PerSide, Rank};
use flagfall_protocol::GameRecord;
use flagfall_rules::{Position, Ruleset, Start};

use super::fit::{Fitted, NotFitted, fit};
use super::knowledge::{Knowledge, knowledge_of};

/// The start of a replay.
#[derive(Default)]
pub(crate) struct Beginning {
    pub(crate) setups: PerSide<String>,
    /// The starting position, if the game began from a set-up position instead of deployments.
    pub(super) start: Option<Position>,
    /// For each event, the rank of the piece that the event placed face down from a reserve.
    /// `None` for all other events.
    pub(crate) placed: Vec<Option<Rank>>,
}

/// Why a game cannot be replayed.
pub(super) enum Begin {
    /// No deployment is consistent with the events up to this index.
    Impossible(usize),
    /// The starting position is invalid.
    Start(String),
}

/// Returns the state from which to replay a record's game. Known ranks are used as they are, and
/// other pieces get ranks that fit the record.
pub(crate) fn beginning(record: &GameRecord, ruleset: &'static Ruleset) -> Result<Beginning, String> {
    match begin(record, ruleset, knowledge_of(record)) {
        Ok(Some(beginning)) => Ok(beginning),
        Ok(None) => {
            Err("no ranks were found that fit everything the record says about a side's pieces".to_owned())
        }
        Err(Begin::Start(detail)) => Err(detail),
        Err(Begin::Impossible(_)) => Err("no deployment fits what the record says".to_owned()),
    }
}

/// Returns the start of a replay. `None` if the record hides ranks and no fitting ranks were
/// found.
pub(super) fn begin(
    record: &GameRecord,
    ruleset: &'static Ruleset,
    knowledge: PerSide<Knowledge>,
) -> Result<Option<Beginning>, Begin> {
    let Some(text) = &record.start else {
        if ruleset.start == Start::Coins {
            // Games with coins have no deployments, and everyone sees which ranks the coins
            // become (§Q8).
            return Ok(Some(Beginning::default()));
        }
        return match fit(record, ruleset, knowledge) {
            Ok(Fitted { setups, placed }) => Ok(Some(Beginning { setups, start: None, placed })),
            Err(NotFitted::Impossible(index)) => Err(Begin::Impossible(index)),
            Err(NotFitted::Unknown) => Ok(None),
        };
    };
    if text.contains('?') {
        return Ok(None);
    }
    let position = Position::from_text(text).map_err(|error| Begin::Start(error.to_string()))?;
    if position.ruleset() != ruleset {
        return Err(Begin::Start(format!("the position is one of {}", position.ruleset().id)));
    }
    Ok(Some(Beginning { start: Some(position), ..Beginning::default() }))
}
