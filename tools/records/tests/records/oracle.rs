//! Decides whether a record is exactly what the recorder writes for some game.
//!
//! The oracle does not use the checker. For each event, it tries every command that could have
//! caused it, and keeps the command that causes the same events. At the end, it compares the
//! whole record.

use flagfall_board::{ChipColor, Side, Sign, Square, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, RecordedEvent, Recorder, SeenPlacing};
use flagfall_rules::{
    Choice, Command, Entropy, Event, Events, Game, GameTerms, Identity, Move, MoveCommand, Phase, Placing,
    Ruleset, Setup, Start, TimeControl, Viewer, decide, decide_deadline, decide_pause, decide_resume, evolve,
    see,
};

/// True if the record is exactly what the recorder writes for some game. Both deployments must be
/// open in the record.
pub(crate) fn is_a_true_record(record: &GameRecord) -> bool {
    let Some(ruleset) = Ruleset::find(&record.terms.ruleset) else { return false };
    let is_open = ruleset.start == Start::Coins
        || record.deployments.red.is_some() && record.deployments.blue.is_some();
    if !is_open {
        return false;
    }
    let viewer = record.audience;
    let mut game = Game::new(GameTerms {
        game: record.game,
        ruleset,
        lakes: record.lakes.as_ref().map_or(ruleset.shape.lakes, |lakes| lakes.iter().copied().collect()),
        time: TimeControl::from(record.terms.time),
        deploy_ms: record.deploy_ms.unwrap_or(u64::MAX),
        created: Stamp(record.created),
        secret: Default::default(),
    })
    .with_lag_quota(record.lag_quota.unwrap_or_default())
    .with_whole_turns(record.whole_turns);
    let mut recorder = Recorder::new(game.clone()).with_lag_quota(record.lag_quota);
    let mut index = 0;
    while let Some(told) = record.events.get(index) {
        let at = Stamp(told.at);
        if at < game.latest() {
            return false;
        }
        let tries = causes(record, &game, ruleset, &told.event, at);
        let Some(events) = tries.into_iter().find(|events| is_told(events, &game, viewer, record, index))
        else {
            return false;
        };
        for event in events {
            evolve(&mut game, &event, at);
            if see(&event, &game, told_to(record.events.get(index), viewer)).is_some() {
                index += 1;
            }
            recorder.note(&event, at);
        }
    }
    let mut told = recorder.record(viewer, record.terms.clone(), record.players.clone());
    // Ignore two differences: old records do not name the side that resigned, and a signature
    // does not make a record true or false.
    if let (Some(truth), Some(RecordedEvent { by: None, .. })) =
        (told.events.last_mut(), record.events.last())
    {
        truth.by = None;
    }
    told.signature = record.signature.clone();
    if record.kind.is_none() {
        told = told.without_changes();
    }
    told == *record
}

/// Returns the viewer from whose point of view an event is shown. This is the player who chose a
/// rank or placed a piece, because the end of the game opens those ranks.
fn told_to(told: Option<&RecordedEvent>, viewer: Viewer) -> Viewer {
    match told.map(|told| &told.event) {
        Some(GameEvent::Placed(seen)) => Viewer::Player(seen.side),
        Some(GameEvent::Chosen { side, .. }) => Viewer::Player(*side),
        _ => viewer,
    }
}

/// True if the record contains these events from `index` on, all with the same stamp.
fn is_told(events: &Events, game: &Game, viewer: Viewer, record: &GameRecord, index: usize) -> bool {
    let at = record.events[index].at;
    let mut game = game.clone();
    let first = index;
    let mut index = index;
    let mut tell = |event: &Event| {
        evolve(&mut game, event, Stamp(at));
        let told = record.events.get(index);
        let Some(seen) = see(event, &game, told_to(told, viewer)) else { return true };
        index += 1;
        told.is_some_and(|told| told.at == at && told.event == seen)
    };
    // The cause must have at least one event in the record.
    events.iter().all(&mut tell) && index > first
}

fn causes(
    record: &GameRecord,
    game: &Game,
    ruleset: &'static Ruleset,
    told: &GameEvent,
    at: Stamp,
) -> Vec<Events> {
    let mut commands = Vec::new();
    let mut events = Vec::new();
    match told {
        GameEvent::Deployed { .. } | GameEvent::Ready { .. } => {
            let mut texts: Vec<(Side, &str)> = Side::BOTH
                .into_iter()
                .filter_map(|side| Some((side, record.deployments[side].as_ref()?.setup.as_str())))
                .collect();
            if let (GameEvent::Deployed { setup }, Some(side)) = (told, record.audience.side()) {
                texts = vec![(side, setup)];
            }
            for (side, text) in texts {
                if let Ok(setup) = Setup::from_text(text, side, ruleset) {
                    commands.push((side, Command::Deploy(setup)));
                }
            }
        }
        GameEvent::Moved(seen) => {
            let colors = std::iter::once(None).chain(ChipColor::ALL.map(Some));
            for color in colors.filter(|color| color.is_none() || ruleset.chips) {
                for path in [None, Some(Sign::Plus), Some(Sign::Minus)] {
                    let squares = seen.squares;
                    commands.push((seen.side, Command::Move(MoveCommand { squares, path, color })));
                }
            }
        }
        GameEvent::Struck(strike) => {
            commands.push((strike.side, Command::Move(strike.squares.into())));
        }
        GameEvent::Chosen { side, rank } => commands.push((*side, Command::Choose(Choice(*rank)))),
        GameEvent::Removed { side, square } => commands.push((*side, Command::Remove(*square))),
        GameEvent::Placed(seen) => {
            let SeenPlacing { side, square, piece, labeled: is_labeled, color } = *seen;
            let Identity::Known(rank) = piece else { return events };
            commands.push((side, Command::Place(Placing { square, rank, is_labeled, color })));
        }
        GameEvent::Colored { side, color, .. } => commands.push((*side, Command::Color(*color))),
        GameEvent::Paused { since } if *since <= at => events.push(decide_pause(game, *since)),
        _ => {
            if let GameEvent::Ended { outcome, .. } = told
                && game.phase() == Phase::Playing
                && ruleset.illegal_act_loses
                && outcome.reason == "illegal_act"
            {
                // Records do not show illegal moves, so any illegal move can be used.
                let nowhere = Square::new(0, 0).map(|square| Move { from: square, to: square });
                commands
                    .extend(nowhere.map(|squares| (game.position().turn(), Command::Move(squares.into()))));
            }
            events.extend([decide_resume(game), decide_deadline(game, at)]);
            for command in [
                Command::OfferDraw,
                Command::AcceptDraw,
                Command::DeclineDraw,
                Command::Resign,
                Command::Abort,
            ] {
                commands.extend(Side::BOTH.map(|side| (side, command.clone())));
            }
        }
    }
    for (side, command) in commands {
        let salt = record.deployments[side].as_ref().map_or([0; 32], |opened| opened.salt.0);
        events.extend(decide(game, side, game.ply(), &command, at, &Entropy(salt)));
    }
    events
}
