//! Plays `classic` games with realistic thinking times. Prints the mean size of an archived game,
//! and the speed of encoding and decoding.
//!
//! `cargo run --release -p flagfall-archive --example archive_sizes`

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

#[path = "../tests/archive/played.rs"]
#[expect(dead_code, reason = "random games are for the tests")]
mod played;

use std::error::Error;
use std::time::Instant;

use flagfall_archive::{Encoded, decode, encode, encode_checked};
use flagfall_board::{GameId, PerSide, Side};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_game::GameHeader;
use flagfall_protocol::{LagQuota, Player, PlayerKind, RecordSignature, SignatureText, Terms, Time};
use flagfall_rules::rulesets::CLASSIC;
use flagfall_rules::{Phase, Viewer, view};
use flagfall_store::record::Form;
use flagfall_tests::{Chance, Match, Step};

use self::played::Played;

const GAMES: u64 = 200;
/// The target for the mean size of a game with its signature, in bytes.
const TARGET: usize = 730 + 72;
/// The maximum mean size of a game, in bytes.
const MOST: usize = 900;

/// The median thinking time for a move. [`SPREAD`] is the standard deviation of the logarithm of
/// the times.
const MEDIAN_MS: f64 = 4_000.0;
const SPREAD: f64 = 1.0;

/// The players' connections: without delay, or with a round trip of some tens of milliseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Instant,
    Usual,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{GAMES} games of classic, played by the level simple");
    for (line, name) in
        [(Line::Instant, "without lag compensation"), (Line::Usual, "with lag compensation for each move")]
    {
        let games: Vec<Played> = (0..GAMES).map(|seed| play(seed, line)).collect::<Result<_, _>>()?;
        measure(name, &games)?;
    }
    Ok(())
}

fn measure(name: &str, games: &[Played]) -> Result<(), Box<dyn Error>> {
    let mut chance = Chance::new(5);
    let signatures: Vec<RecordSignature> = games.iter().map(|_| random_signature(&mut chance)).collect();
    let all = || games.iter().zip(&signatures);
    let count = games.len();
    let plies: usize = games.iter().map(|game| game.log.len()).sum();
    let stored: usize = games.iter().flat_map(|game| &game.log).map(|stored| stored.body.len()).sum();

    let start = Instant::now();
    let encoded = all().map(|(game, signature)| encode(game.id, &game.log, Some(signature)));
    let encoded: Vec<Encoded> = encoded.collect::<Result<_, _>>()?;
    let encoding = start.elapsed().as_secs_f64();

    let start = Instant::now();
    for encoded in &encoded {
        decode(encoded.expose())?;
    }
    let decoding = start.elapsed().as_secs_f64();

    let start = Instant::now();
    for (game, signature) in all() {
        encode_checked(game.id, &game.log, game.head, Some(signature))?;
    }
    let checking = start.elapsed().as_secs_f64();

    let mean = encoded.iter().map(Encoded::len).sum::<usize>() / count;
    let longest = encoded.iter().map(Encoded::len).max().unwrap_or_default();
    println!("{name}: {} entries a game", plies / count);
    println!("  {mean} bytes a game on average, {longest} at most; target {TARGET}, limit {MOST}");
    println!("  {} bytes the entries of the log in form 2, with the commands", stored / count);
    let rate = |seconds: f64| count as f64 / seconds;
    println!(
        "  games a second: {:.0} encoded, {:.0} decoded, {:.0} encoded and checked",
        rate(encoding),
        rate(decoding),
        rate(checking)
    );
    Ok(())
}

fn play(seed: u64, line: Line) -> Result<Played, Box<dyn Error>> {
    let mut chance = Chance::new(1 + seed);
    let time = Time::Fischer { base_s: 1_800, increment_s: 15 };
    let mut table = Match::new(&CLASSIC, time.into(), PerSide::default(), chance.clone());
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
    let mut played = Played::new(table.game.terms().game, header, table.now);
    while table.game.phase() != Phase::Over {
        for side in Side::BOTH {
            let seen = view(&table.game, Viewer::Player(side), table.now);
            let Some(command) = players[side].choose(&seen) else { continue };
            let think_ms = lognormal_ms(&mut chance, MEDIAN_MS, SPREAD);
            let logged = table.step(&Step::Ask(side, command), think_ms);
            for (nth, logged) in logged.map_err(|refusal| refusal.code())?.iter().enumerate() {
                let is_compensated = nth == 0 && logged.event.ends_time_of().is_some();
                let lag_ms = match line {
                    Line::Usual if is_compensated => lognormal_ms(&mut chance, 50.0, 0.4).min(100) as u32,
                    Line::Usual | Line::Instant => 0,
                };
                played.add(&logged.event, logged.at, lag_ms, Form::Binary, Some(side));
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
