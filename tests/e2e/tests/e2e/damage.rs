//! Tests damaged data. The server must start, report the damage, and continue all undamaged
//! games. If acknowledged data is missing, the server must report it.

use std::fs;
use std::path::{Path, PathBuf};

use flagfall_board::GameId;
use flagfall_e2e::{Process, Server, Site, get};
use flagfall_tests::Chance;

use crate::duel::Duel;

#[derive(Clone, Copy, Debug)]
enum Damage {
    FlipMiddle,
    FlipEnd,
    Half,
    Empty,
    Gone,
    Zeros,
}

const DAMAGES: [Damage; 6] =
    [Damage::FlipMiddle, Damage::FlipEnd, Damage::Half, Damage::Empty, Damage::Gone, Damage::Zeros];

#[test]
fn damage_after_a_crash_is_reported() {
    damaged(false);
}

#[test]
fn damage_after_a_planned_stop_is_reported() {
    damaged(true);
}

/// The kinds of damage to do to a file. The files get the kinds in turn, beginning with a random
/// kind, so that each kind occurs. With `FLAGFALL_DAMAGES=all`, every file gets every kind. The
/// store's own tests damage every file in every way, without a server.
fn kinds_for(number: usize) -> Vec<Damage> {
    if std::env::var_os("FLAGFALL_DAMAGES").is_some_and(|kinds| kinds == "all") {
        return DAMAGES.to_vec();
    }
    let first = Chance::seed_or(0) as usize % DAMAGES.len();
    vec![DAMAGES[(first + number) % DAMAGES.len()]]
}

#[expect(clippy::print_stdout, reason = "a test that fails shows what came of the damage before")]
fn damaged(is_planned: bool) {
    let site = Site::new();
    let mut server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(30));
    duel.play_quietly(9);
    let plies = duel.mirror.plies();
    if is_planned {
        server.terminate();
        server.ended().expect(0, &[]);
    } else {
        server.kill();
    }
    let port = server.address.port();
    let id = duel.id.clone();
    drop(duel);
    let kept = site.path().join("kept");
    copy(&site.data(), &kept);
    let mut outcomes = Vec::new();
    for (number, file) in files(&kept).into_iter().enumerate() {
        for damage in kinds_for(number + usize::from(is_planned) * DAMAGES.len() / 2) {
            fs::remove_dir_all(site.data()).expect("the data of before");
            copy(&kept, &site.data());
            let path = site.data().join(file.strip_prefix(&kept).expect("a file within"));
            if !harm(&path, damage) {
                continue;
            }
            let outcome = outcome(&site, port, &id, plies);
            outcomes.push(format!(
                "{} {damage:?}: {outcome}",
                file.strip_prefix(&kept).expect("within").display()
            ));
        }
    }
    println!("{}", outcomes.join("\n"));
}

#[test]
fn a_lost_tail_needs_the_operators_consent_and_games_resume_from_the_rest() {
    let site = Site::new();
    let mut server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(31));
    duel.play_quietly(9);
    server.kill();
    duel.expect("Reconnecting.");
    // The last move is cut off, and the notes that name its game are deleted.
    let move_at = appends(&site, &duel.id).last().copied().expect("a move");
    let log = fs::read(segment(&site)).expect("a file");
    fs::write(segment(&site), &log[..move_at]).expect("a file");
    let is_note = |path: &PathBuf| path.to_string_lossy().contains("/notes-");
    files(&site.data())
        .iter()
        .filter(|path| is_note(path))
        .for_each(|path| fs::remove_file(path).expect("a file"));

    let port = server.address.port();
    let refusal = Process::run(&mut site.server_command(port));
    refusal.expect(4, &["has lost acknowledged changes", "--accept-lost-tail"]);
    let server = Server::start(site.server_command(port).arg("--accept-lost-tail"));
    assert!(server.has_said("The store is damaged: "), "{:?}", server.lines());
    duel.expect("The server had to go back to an earlier state of the game. The game goes on from there.");
    let mut told = Vec::new();
    for client in [&mut duel.clients.red, &mut duel.clients.blue] {
        client.type_line("status");
        told.push(client.expect("Ply "));
    }
    assert_eq!(told[0], told[1]);
    assert!(told[0].starts_with("Ply 8: "), "{told:?}");
    duel.clients.red.type_line("resign yes");
    duel.expect("Blue wins: Red resigned.");
    assert!(!server.has_said("panic"));
}

#[test]
fn a_damaged_game_is_reported_and_others_continue() {
    let site = Site::new();
    let mut server = site.serve();
    let port = server.address.port();
    let mut duels: Vec<Duel> = (0..3)
        .map(|seed| Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(40 + seed)))
        .collect();
    duels.iter_mut().for_each(|duel| duel.play_quietly(4));
    server.kill();
    for duel in &mut duels {
        duel.expect("Reconnecting.");
    }
    // The second game's next-to-last move.
    let entry = appends(&site, &duels[1].id);
    let entry = entry[entry.len() - 2];
    let mut log = fs::read(segment(&site)).expect("a file");
    log[entry..entry + 20].fill(0xee);
    fs::write(segment(&site), log).expect("a file");

    let server = Server::start(&mut site.server_command(port));
    let told = duels[1].id.clone();
    for duel in [0, 2] {
        // A move from before the damage is refused, because the damage starts a new epoch.
        duels[duel].expect("The game goes on from there.");
        duels[duel].play_quietly(3);
        let id = duels[duel].id.clone();
        assert_eq!(plies_in(&server.run_client(&site, "eve", &["record", &id]).said), 7);
    }
    duels[1]
        .expect("The log of this game is damaged, so the game waits until an operator has looked at it. Other games continue.");
    let record = get(server.address, &format!("/api/games/{told}/record"));
    assert_eq!(record.status, 410, "{record:?}");
    assert!(record.body.contains("game_quarantined"), "{record:?}");
    let said = server.lines().join("\n");
    assert!(said.contains("The store is damaged: ") && said.contains("game in quarantine: "), "{said}");
    assert!(said.contains(&told), "{said}");
}

fn segment(site: &Site) -> PathBuf {
    site.data().join("log/00000001.seg")
}

/// Returns the places of a game's appends in the log. Each append begins with the eight bytes of
/// the game's id.
fn appends(site: &Site, id: &str) -> Vec<usize> {
    let wanted = id.parse::<GameId>().expect("an id").bits().to_le_bytes();
    let bytes = fs::read(segment(site)).expect("a file");
    (0..bytes.len()).filter(|at| bytes[*at..].starts_with(&wanted)).collect()
}

/// Returns how a server handles the damage. Fails if data is missing without a report.
fn outcome(site: &Site, port: u16, id: &str, plies: usize) -> String {
    let mut process = Process::start("server", &mut site.server_command(port));
    // A single damaged file must not prevent a start.
    process.expect("listening on ");
    drop(process);
    let mut server = Server::start(&mut site.server_command(port));
    // Request the record as a stranger, because the players' credentials may be damaged even if
    // the game is not.
    let record = server.run_client(site, "eve", &["record", id]);
    let is_whole = record.code == Some(0) && plies_in(&record.said) == plies;
    let server_said = server.lines().join("\n");
    assert!(!server_said.contains("panicked"), "{server_said}");
    server.kill();
    if is_whole {
        return "nothing is missing".to_owned();
    }
    assert!(server_said.contains(id), "{id} is not named in:\n{server_said}\n{}", record.said);
    // Without its first entry, the game's log does not say who may see the game. So strangers get
    // the message that the game may be private.
    let is_private = server_said.contains("entry 1: ") && record.said.contains("or it is private");
    assert!(is_private || record.said.contains("damaged"), "{}\n{server_said}", record.said);
    "the game is named and kept apart".to_owned()
}

/// Returns the number of plies in a text record. Each ply has a line that begins with its number.
fn plies_in(record: &str) -> usize {
    record.lines().filter(|line| line.trim_start().starts_with(|it: char| it.is_ascii_digit())).count()
}

/// Damages a file. Returns false if the damage would not change the file.
fn harm(path: &Path, damage: Damage) -> bool {
    let mut bytes = fs::read(path).expect("a file");
    let before = bytes.clone();
    // Zeros at the end are space for later writes.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let middle = end / 2;
    match damage {
        Damage::FlipMiddle => bytes.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x10),
        Damage::FlipEnd => bytes[..end].iter_mut().rev().take(1).for_each(|byte| *byte ^= 1),
        Damage::Half => bytes.truncate(middle),
        Damage::Empty => bytes.clear(),
        Damage::Zeros => bytes.iter_mut().skip(middle).take(64).for_each(|byte| *byte = 0),
        Damage::Gone => {
            fs::remove_file(path).expect("a file");
            return true;
        }
    }
    fs::write(path, &bytes).expect("a file");
    bytes != before
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).expect("a file within"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::copy(&file, &target).expect("a copy");
    }
}
