//! Damaged data: the server says what is wrong, or refuses to start; what was acknowledged is never missing in silence.

use std::fs;
use std::path::{Path, PathBuf};

use flagfall_e2e::{Process, Server, Site};
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
fn after_a_crash_a_damaged_data_folder_is_told_and_loses_nothing_in_silence() {
    damaged(false);
}

#[test]
fn after_a_planned_stop_a_damaged_data_folder_is_told_and_loses_nothing_in_silence() {
    damaged(true);
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
    for file in files(&kept) {
        for damage in DAMAGES {
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
fn a_lost_tail_is_accepted_only_when_the_operator_says_so_and_the_players_go_on_from_what_is_there() {
    let site = Site::new();
    let mut server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(31));
    duel.play_quietly(9);
    server.kill();
    duel.expect("Reconnecting.");
    let journal =
        files(&site.data()).into_iter().find(|path| path.extension().is_some_and(|kind| kind == "jnl"));
    let journal = journal.expect("a journal");
    let bytes = fs::read(&journal).expect("a file");
    fs::write(&journal, &bytes[..bytes.len() - 1]).expect("a file");

    let port = server.address.port();
    let refusal = Process::run(&mut site.server_command(port));
    refusal.expect(4, &["the newest are lost", "--accept-lost-tail"]);
    let server = Server::start(site.server_command(port).arg("--accept-lost-tail"));
    duel.expect("The server had to go back to an older state of the game: it goes on from here.");
    let mut told = Vec::new();
    for client in [&mut duel.clients.red, &mut duel.clients.blue] {
        client.type_line("status");
        told.push(client.expect("Ply "));
    }
    assert_eq!(told[0], told[1]);
    assert!(told[0].starts_with("Ply 8: "), "{told:?}");
    duel.clients.red.type_line("resign");
    duel.expect("Blue wins: Red resigned.");
    assert!(!server.has_said("panic"));
}

/// What a server makes of the damage. Fails when it makes nothing of it and something is missing.
fn outcome(site: &Site, port: u16, id: &str, plies: usize) -> String {
    let mut process = Process::start("server", &mut site.server_command(port));
    let line = process.expect_one_of(&["listening on ", "flagfall-server: "]);
    if !line.contains("listening on ") {
        let ended = process.ended();
        ended.expect(4, &["flagfall-server: "]);
        assert!(line.len() > 40, "that is no clear word: {line:?}");
        return format!("refuses to start: {line}");
    }
    drop(process);
    let mut server = Server::start(&mut site.server_command(port));
    // The players and what they may know are asked for by a stranger: a lost credential is no lost game.
    let record = server.run_client(site, "eve", &["record", id]);
    let is_whole = record.code == Some(0)
        && record
            .said
            .lines()
            .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()))
            .count()
            == plies;
    let server_said = server.lines().join("\n");
    assert!(!server_said.contains("panicked"), "{server_said}");
    server.kill();
    if is_whole {
        return "nothing is missing".to_owned();
    }
    assert!(server_said.contains(id), "{id} is not named in:\n{server_said}\n{}", record.said);
    assert!(record.said.contains("damaged"), "{}", record.said);
    "the game is named and kept apart".to_owned()
}

/// Damages a file; not when that would change nothing.
fn harm(path: &Path, damage: Damage) -> bool {
    let mut bytes = fs::read(path).expect("a file");
    let before = bytes.clone();
    let middle = bytes.len() / 2;
    match damage {
        Damage::FlipMiddle => bytes.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x10),
        Damage::FlipEnd => bytes.iter_mut().rev().take(1).for_each(|byte| *byte ^= 1),
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
