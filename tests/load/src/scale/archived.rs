//! The size of an archived game.
//!
//! House players play `classic` with the thinking times of people, in this process.

use std::time::Instant;

use flagfall_archive::{Encoded, decode, encode, encode_checked};
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_game::GameHeader;
use flagfall_protocol::{LagQuota, Player, PlayerKind, RecordSignature, SignatureText, Terms, Time};
use flagfall_rules::rulesets::CLASSIC;
use flagfall_rules::{Event, Game, GameTerms, Phase, Viewer, view};
use flagfall_store::record::{self, CommandStamp, Form};
use flagfall_store::{Head, SecretBytes, StoredEntry};
use flagfall_tests::{Chance, Match, Step};

use crate::error::LoadError;
use crate::figure::{Figure, Target};

const GAMES: u64 = 200;
/// The target for the mean size of a game with its signature, in bytes.
const BYTES_MAX: f64 = 900.0;
/// The median thinking time for a move. [`SPREAD`] is the standard deviation of the logarithm of
/// the times.
const MEDIAN_MS: f64 = 4_000.0;
const SPREAD: f64 = 1.0;

/// The players' connections: without delay, or with a round trip of some tens of milliseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Instant,
    Usual,
}

pub(super) fn measure(note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    println!("{GAMES} games of classic are played by the level simple");
    let sizes = Sizes::of(&play_all(Line::Instant)?)?;
    let figure = Figure::of("an archived game, signature included", sizes.mean, "B");
    note(figure.with_target(Target::AtMost(BYTES_MAX)).with_detail(sizes.detail));
    let sizes = Sizes::of(&play_all(Line::Usual)?)?;
    let figure = Figure::of("the same with lag compensation for each move", sizes.mean, "B");
    note(figure.with_detail(sizes.detail));
    Ok(())
}

pub(super) fn failed(error: impl std::fmt::Display) -> LoadError {
    LoadError::Store(error.to_string())
}

struct Sizes {
    mean: f64,
    detail: String,
}

impl Sizes {
    fn of(games: &[Played]) -> Result<Sizes, LoadError> {
        let mut chance = Chance::new(5);
        let signatures: Vec<_> = games.iter().map(|_| random_signature(&mut chance)).collect();
        let all = || games.iter().zip(&signatures);
        let count = games.len() as f64;
        let per_second = |start: Instant| count / start.elapsed().as_secs_f64();

        let start = Instant::now();
        let encoded = all().map(|(game, signature)| encode(game.id, &game.log, Some(signature)));
        let encoded: Vec<Encoded> = encoded.collect::<Result<_, _>>().map_err(failed)?;
        let encoding = per_second(start);

        let start = Instant::now();
        for encoded in &encoded {
            decode(encoded.expose()).map_err(failed)?;
        }
        let decoding = per_second(start);

        let start = Instant::now();
        for (game, signature) in all() {
            encode_checked(game.id, &game.log, game.head, Some(signature)).map_err(failed)?;
        }
        let checking = per_second(start);

        let longest = encoded.iter().map(Encoded::len).max().unwrap_or_default();
        let entries = games.iter().map(|game| game.log.len()).sum::<usize>() as f64 / count;
        Ok(Sizes {
            mean: encoded.iter().map(Encoded::len).sum::<usize>() as f64 / count,
            detail: format!(
                "{entries:.0} entries, {longest} B at most; a second {encoding:.0} encoded, \
                 {decoding:.0} decoded, {checking:.0} encoded and checked"
            ),
        })
    }
}

/// The log of a game.
pub(super) struct Played {
    pub(super) id: GameId,
    header: GameHeader,
    pub(super) log: Vec<StoredEntry>,
    pub(super) head: Head,
}

impl Played {
    fn push(&mut self, at: Stamp, body: SecretBytes) {
        self.head = self.head.then(self.id, &body);
        self.log.push(StoredEntry { seq: self.head.seq, at, body });
    }

    fn add(
        &mut self,
        event: &Event,
        at: Stamp,
        lag_ms: u32,
        by: Side,
        cmd_id: String,
    ) -> Result<(), LoadError> {
        let player = self.header.players[by].id.clone().into();
        let stamp = CommandStamp { player, cmd_id: cmd_id.into(), fingerprint: self.head.seq };
        let body = record::encode(Form::Binary, self.header.seats(), Some(&stamp), lag_ms, event);
        self.push(at, body.map_err(failed)?);
        Ok(())
    }
}

pub(super) fn play_all(line: Line) -> Result<Vec<Played>, LoadError> {
    (0..GAMES).map(|seed| play(seed, line)).collect()
}

fn play(seed: u64, line: Line) -> Result<Played, LoadError> {
    let mut chance = Chance::new(1 + seed);
    let time = Time::Fischer { base_s: 1_800, increment_s: 15 };
    let mut table = Match::new(&CLASSIC, time.into(), PerSide::default(), chance.clone());
    let id = random_id(&mut Chance::new(!seed));
    table.game = Game::new(GameTerms { game: id, ..*table.game.terms() });
    let player = |chance: &mut Chance| Player {
        id: random_id(chance).to_string(),
        name: "somebody".to_owned(),
        kind: PlayerKind::Account,
    };
    let header = GameHeader {
        terms: Terms { rated: true, ..Terms::casual(&CLASSIC, time) },
        players: PerSide::new(player(&mut chance), player(&mut chance)),
        secret: PerSide::default(),
        deploy_ms: table.game.terms().deploy_ms,
        lakes: None,
        previous: None,
        lag_quota: Some(LagQuota { per_ply_ms: 100, stock_ms: 500 }),
        whole_turns: false,
    };
    let mut players = PerSide::from_fn(|side: Side| {
        HousePlayer::new(Level::Simple, side, 2 * seed + side as u64, Effort::default())
    });
    let first = record::encode_header(&header).map_err(failed)?;
    let mut played = Played { id, header, log: Vec::new(), head: Head::START };
    played.push(table.now, first);
    while table.game.phase() != Phase::Over {
        for side in Side::BOTH {
            let seen = view(&table.game, Viewer::Player(side), table.now);
            let Some(command) = players[side].choose(&seen) else { continue };
            let think_ms = lognormal_ms(&mut chance, MEDIAN_MS, SPREAD);
            let logged = table.step(&Step::Ask(side, command), think_ms);
            for (nth, logged) in logged.map_err(|refusal| failed(refusal.code()))?.iter().enumerate() {
                let is_compensated = nth == 0 && logged.event.ends_time_of().is_some();
                let lag_ms = match line {
                    Line::Usual if is_compensated => lognormal_ms(&mut chance, 50.0, 0.4).min(100) as u32,
                    Line::Usual | Line::Instant => 0,
                };
                let cmd_id = format!("0190{:04x}-7e7f-7111-8c3b-f00dfeedbeef", played.head.seq);
                played.add(&logged.event, logged.at, lag_ms, side, cmd_id)?;
            }
        }
    }
    Ok(played)
}

/// Draws a time from a lognormal distribution (Box and Muller 1958).
fn lognormal_ms(chance: &mut Chance, median_ms: f64, spread: f64) -> u64 {
    let mut uniform = || (chance.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let radius = (-2.0 * (1.0 - uniform()).ln()).sqrt();
    let normal = radius * (std::f64::consts::TAU * uniform()).cos();
    (median_ms * (spread * normal).exp()) as u64
}

fn random_id(chance: &mut Chance) -> GameId {
    let bytes = chance.bytes();
    GameId::from_random(std::array::from_fn(|place| bytes[place]))
}

fn random_signature(chance: &mut Chance) -> RecordSignature {
    let halves = [chance.bytes(), chance.bytes()];
    let value = SignatureText(std::array::from_fn(|place| halves[place / 32][place % 32]));
    RecordSignature { key: format!("{:016x}", chance.bits()), value }
}
