//! `flagfall record`: shows a game's record as text, as JSON, or step by step.

use std::path::Path;

use flagfall::cli::Common;
use flagfall::commitments::{Verdict, changed_words, verdict};
use flagfall::config::ConfigDir;
use flagfall::faces::screen;
use flagfall::model::{Goal, OpenGame, Page, Secret};
use flagfall::net::address::Address;
use flagfall::net::http;
use flagfall::replay::Replay;
use flagfall::{plain, text};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Exit, GameRecord, RECORD_FORMAT, RecordScope};

use super::account;
use super::output::{Done, dialer, network, pretty_json, print, print_or_write, runtime, usage, warn};
use super::play::{model, stop_signals};

pub(crate) fn record(
    game: GameId,
    scope: Option<RecordScope>,
    json: bool,
    out: Option<&Path>,
    step: bool,
    common: Common,
) -> Done {
    let address = Address::parse_all(&common.server).map_err(usage)?.first;
    let config = ConfigDir::new(common.config_dir.clone());
    let seat = game.to_string();
    let credential = config.shared_credential(&address, common.name.as_deref(), Some(&seat));
    let query = scope.map(|scope| format!("?as={}", scope.name())).unwrap_or_default();
    let path = format!("/api/games/{game}/record{query}");
    let dialer = dialer(&common)?;
    let runtime = runtime()?;
    let get = |token: Option<&Secret>| runtime.block_on(http::get(&dialer, &address, &path, token));
    let bytes = match get(credential.token().as_ref()) {
        Err(error) if error.is_unknown_token() && !credential.is_account() => {
            warn(&text!("record-as-public"))?;
            get(None)
        }
        other => other,
    };
    let bytes = bytes.map_err(account::http_failure)?;
    let told: GameRecord = serde_json::from_slice(&bytes)
        .map_err(|error| network(text!("record-not-understood", why = error.to_string())))?;
    if told.format != RECORD_FORMAT {
        return Err(network(text!("record-other-format", format = told.format, own = RECORD_FORMAT)));
    }
    let judged = judge(&config, &address, &told);
    if let Some(judged) = &judged {
        // Use standard error, because the record on standard output may go to a file or another
        // program.
        warn(&judged.words)?;
    }
    let code = show_record(told, json, out, step, &address, &common)?;
    let is_mismatch = judged.is_some_and(|judged| !judged.is_match);
    Ok(if is_mismatch && !step { Exit::Refused.code() } else { code })
}

pub(crate) fn show_record(
    told: GameRecord,
    json: bool,
    out: Option<&Path>,
    step: bool,
    address: &Address,
    common: &Common,
) -> Done {
    if json {
        return print_or_write(&pretty_json(&told)?, out);
    }
    let replay = Replay::new(told).map_err(usage)?;
    match out {
        _ if step => step_through(replay, address, common),
        Some(_) => print_or_write(&replay.text(), out),
        None => print(&replay.text()),
    }
}

/// Checks a record against the commitments that the server showed during the game.
fn judge(config: &ConfigDir, address: &Address, record: &GameRecord) -> Option<Verdict> {
    let all = config.commitments(address);
    let shown = all.get(&record.game).filter(|shown| !shown.late)?;
    let changed = shown.changed(&record.commitments);
    if !changed.is_empty() {
        return Some(Verdict { is_match: false, words: changed_words(&changed, false) });
    }
    verdict(record.game, shown, &record.deployments)
}

fn step_through(mut replay: Replay, address: &Address, common: &Common) -> Done {
    let mut model = model(Goal::Games, address, common);
    if model.options.face.prints() {
        let mut text = String::new();
        loop {
            let game = OpenGame::of_replay(&replay);
            if let Some(ruleset) = game.ruleset {
                let board = plain::board(&game.view, ruleset, model.options.numbering, Side::Red);
                text.push_str(&format!("{}\n{board}\n", replay.sentence()));
            }
            if replay.at == replay.last {
                return print(&text);
            }
            replay.go(replay.at + 1);
        }
    }
    model.ui.page = Page::Game;
    model.game = Some(OpenGame::of_replay(&replay));
    model.say(replay.sentence());
    model.ui.replay = Some(replay);
    let runtime = runtime()?;
    let result = runtime.block_on(async { screen::run(None, &mut model, common, stop_signals()).await });
    runtime.shutdown_background();
    result.map_err(usage)
}
