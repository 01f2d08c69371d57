//! The beginning of an archived game: the content of the log's first entry, without the players'
//! names.

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_game::GameHeader;
use flagfall_protocol::{LagQuota, Player, PlayerKind, Terms, Time};

use crate::bytes::{Reader, put_bytes, put_varint};
use crate::error::DecodeError;

const UNKNOWN: DecodeError = DecodeError::Damaged("a value at its beginning is unknown");

const PRIVATE: u16 = 1;
const SECRET: u16 = 1 << 1;
const RATED: u16 = 1 << 2;
const SECRET_OF: PerSide<u16> = PerSide { red: 1 << 3, blue: 1 << 4 };
const LAKES: u16 = 1 << 5;
const PREVIOUS: u16 = 1 << 6;
const QUOTA: u16 = 1 << 7;
const LAGS: u16 = 1 << 8;
/// The position of the lower of the two bits that contain each player's kind.
const KIND_OF: PerSide<u32> = PerSide { red: 9, blue: 11 };
const WHOLE_TURNS: u16 = 1 << 13;
/// The bits that are never set.
const RESERVED: u16 = !0 << 14;

/// The kinds of players, in the order of their numbers.
const KINDS: [PlayerKind; 4] = [PlayerKind::Guest, PlayerKind::Account, PlayerKind::Bot, PlayerKind::House];

/// The beginning of an archived game.
pub(crate) struct Front {
    pub(crate) created: Stamp,
    pub(crate) header: GameHeader,
    /// True if each act includes its lag compensation.
    pub(crate) has_lags: bool,
}

/// Returns a player with this id. A person has no name, and a house player is named after its
/// level, which is part of its id.
fn player(id: String, kind: PlayerKind) -> Player {
    let level = id.strip_prefix("house-").filter(|_| kind == PlayerKind::House);
    Player { name: level.unwrap_or_default().to_owned(), id, kind }
}

impl Front {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let Front { created, header, has_lags } = self;
        let GameHeader { terms, players, secret, deploy_ms, lakes, previous, lag_quota, whole_turns } =
            header;
        let Terms { ruleset, time, private, secret: is_secret, rated } = terms;
        let given = [
            (PRIVATE, *private),
            (SECRET, *is_secret),
            (RATED, *rated),
            (SECRET_OF.red, secret.red),
            (SECRET_OF.blue, secret.blue),
            (LAKES, lakes.is_some()),
            (PREVIOUS, previous.is_some()),
            (QUOTA, lag_quota.is_some()),
            (LAGS, *has_lags),
            (WHOLE_TURNS, *whole_turns),
        ];
        let mut flags = given.iter().filter(|(_, is_set)| *is_set).fold(0, |flags, (bit, _)| flags | bit);
        for side in Side::BOTH {
            let kind = KINDS.iter().position(|kind| *kind == players[side].kind).unwrap_or_default();
            flags |= (kind as u16) << KIND_OF[side];
        }
        out.extend_from_slice(&flags.to_le_bytes());
        put_varint(out, created.0);
        put_bytes(out, ruleset.as_bytes());
        let (kind, numbers): (u8, &[u32]) = match time {
            Time::Unlimited {} => (0, &[]),
            Time::Fischer { base_s, increment_s } => (1, &[*base_s, *increment_s]),
            Time::Delay { base_s, free_s } => (2, &[*base_s, *free_s]),
            Time::Correspondence { days } => (3, &[*days]),
        };
        out.push(kind);
        numbers.iter().for_each(|number| put_varint(out, u64::from(*number)));
        put_varint(out, *deploy_ms);
        if let Some(lakes) = lakes {
            let lakes: Vec<u8> = lakes.iter().map(|square| square.index() as u8).collect();
            put_bytes(out, &lakes);
        }
        if let Some(previous) = previous {
            out.extend_from_slice(&previous.bits().to_le_bytes());
        }
        if let Some(LagQuota { per_ply_ms, stock_ms }) = lag_quota {
            put_varint(out, u64::from(*per_ply_ms));
            put_varint(out, u64::from(*stock_ms));
        }
        Side::BOTH.into_iter().for_each(|side| put_player_id(out, &players[side].id));
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Front, DecodeError> {
        let flags = u16::from_le_bytes(reader.array()?);
        if flags & RESERVED != 0 {
            return Err(UNKNOWN);
        }
        let has = |bit| flags & bit != 0;
        let created = Stamp(reader.varint()?);
        let ruleset = reader.text()?.to_owned();
        let time = match reader.byte()? {
            0 => Time::Unlimited {},
            1 => Time::Fischer { base_s: reader.varint()?, increment_s: reader.varint()? },
            2 => Time::Delay { base_s: reader.varint()?, free_s: reader.varint()? },
            3 => Time::Correspondence { days: reader.varint()? },
            _ => return Err(UNKNOWN),
        };
        let terms = Terms { ruleset, time, private: has(PRIVATE), secret: has(SECRET), rated: has(RATED) };
        let deploy_ms = reader.varint()?;
        let square = |number: &u8| Square::from_index((*number).into()).ok_or(UNKNOWN);
        let lakes = if has(LAKES) { Some(reader.bytes()?) } else { None };
        let lakes = lakes.map(|lakes| lakes.iter().map(square).collect::<Result<Vec<_>, _>>()).transpose()?;
        let previous = if has(PREVIOUS) { Some(read_game_id(reader)?) } else { None };
        let lag_quota = if has(QUOTA) {
            Some(LagQuota { per_ply_ms: reader.varint()?, stock_ms: reader.varint()? })
        } else {
            None
        };
        let mut read_player = |side: Side| -> Result<Player, DecodeError> {
            let kind = KINDS[usize::from(flags >> KIND_OF[side] & 3)];
            Ok(player(read_player_id(reader)?, kind))
        };
        let players = PerSide::new(read_player(Side::Red)?, read_player(Side::Blue)?);
        let secret = PerSide::from_fn(|side| has(SECRET_OF[side]));
        let whole_turns = has(WHOLE_TURNS);
        let header =
            GameHeader { terms, players, secret, deploy_ms, lakes, previous, lag_quota, whole_turns };
        Ok(Front { created, header, has_lags: has(LAGS) })
    }
}

pub(crate) fn read_game_id(reader: &mut Reader<'_>) -> Result<GameId, DecodeError> {
    let bits = u64::from_le_bytes(reader.array()?);
    GameId::from_bits(bits).ok_or(DecodeError::Damaged("an id of a game has too many bits"))
}

/// Writes a player's id. Most ids have the form of a game id (60 random bits), which takes up
/// nine bytes.
fn put_player_id(out: &mut Vec<u8>, id: &str) {
    match id.parse::<GameId>() {
        Ok(code) => {
            out.push(0);
            out.extend_from_slice(&code.bits().to_le_bytes());
        }
        Err(_) => {
            put_varint(out, id.len() as u64 + 1);
            out.extend_from_slice(id.as_bytes());
        }
    }
}

fn read_player_id(reader: &mut Reader<'_>) -> Result<String, DecodeError> {
    match reader.varint::<usize>()? {
        0 => Ok(read_game_id(reader)?.to_string()),
        length => {
            let text = std::str::from_utf8(reader.take(length - 1)?);
            text.map(str::to_owned).map_err(|_| DecodeError::Damaged("a text is not UTF-8"))
        }
    }
}
