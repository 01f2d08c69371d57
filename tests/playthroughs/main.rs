//! Golden playthroughs: a short game of every ruleset, with the full board beside what each
//! audience knows.
//!
//! If a change affects what audiences see, it appears in the diff of
//! `fixtures/playthroughs/*.txt`, which a person must review. `FLAGFALL_UPDATE=1` rewrites the
//! files.

use std::fmt::Write as _;
use std::path::Path;

use flagfall_board::{Direction, PerSide, Rank, Side, Square};
use flagfall_protocol::{GameEvent, GameView};
use flagfall_rules::{
    Command, Identity, Phase, Referee, Ruleset, SeenPiece, Start, TimeControl, Viewer, see, view,
};
use flagfall_tests::{Chance, Logged, Match, Step};

/// Deployments in which every kind of piece soon meets the enemy.
fn setups(ruleset: &Ruleset) -> [&'static str; 2] {
    match (ruleset.shape.columns, ruleset.army.len()) {
        (8, _) => ["98S7B925 77845388 7BBF499B", "S297B878 4B797359 848FB95B"],
        (_, 8) => {
            ["1.9..S..82 .......... ..9....... F.....B...", "2.S..9..81 .......... ....9..... ...FB....."]
        }
        (16, 115) => [
            "9897469S89439897 182736495B6B7S9S 8B8B7B6B5B4B3B59 9997765544332BF1",
            "9987S69489973869 81726354B9B6S79S B8B8B7B6B5B4B395 77996655443321FB",
        ],
        (16, _) => [
            "9P97469S89439897 182736495B6B7S9S 8B8B7B6B5B4B3B59 9997765544332BF1",
            "9987S69489973P69 81726354B9B6S79S B8B8B7B6B5B4B395 77996655443321FB",
        ],
        _ => ["98949SB591 9782766846 59793B364B 5BB7F85B89", "9BS9818924 5674495B35 B79BB76997 886BF85639"],
    }
}

fn cell(piece: Option<(Side, char, bool, bool)>, is_lake: bool) -> String {
    match piece {
        None if is_lake => "~~~ ".to_owned(),
        None => " .  ".to_owned(),
        Some((side, letter, is_moved, is_revealed)) => {
            let side = if side == Side::Red { 'r' } else { 'b' };
            format!(
                "{side}{letter}{}{}",
                if is_moved { '\'' } else { ' ' },
                if is_revealed { '*' } else { ' ' }
            )
        }
    }
}

/// Returns the true board and the three views, side by side.
fn boards(table: &Match) -> String {
    let shape = &table.game.terms().ruleset.shape;
    let truth = Referee.pieces(table.game.position());
    let views = Viewer::ALL.map(|viewer| view(&table.game, viewer, table.now));
    let width = usize::from(shape.columns) * 4;
    let mut text =
        format!("     {:width$}   {:width$}   {:width$}   public\n", "truth", "red knows", "blue knows");
    for row in (0..shape.rows).rev() {
        let mut line = format!("{:>3}  ", row + 1);
        for board in 0..4 {
            for column in 0..shape.columns {
                let square = Square::new(column, row).expect("a square");
                let seen = |index: usize| -> Option<SeenPiece> {
                    views[index].pieces.iter().find(|piece| piece.square == square).copied()
                };
                let piece = if board == 0 {
                    let rank = truth
                        .iter()
                        .find(|(at, ..)| *at == square)
                        .map(|(.., rank)| rank.map_or('o', Rank::letter));
                    // It is public whether the piece has moved.
                    seen(2).and_then(|piece| Some((piece.side, rank?, piece.is_moved, piece.is_revealed)))
                } else {
                    seen(board - 1).map(|piece| {
                        let letter = match piece.identity {
                            Identity::Known(rank) => rank.letter(),
                            Identity::OneOf(_) => '!',
                            Identity::Coin => 'o',
                            Identity::Hidden => '?',
                        };
                        (piece.side, letter, piece.is_moved, piece.is_revealed)
                    })
                };
                line += &cell(piece, table.game.position().lakes().contains(square));
            }
            line += "   ";
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn told(logged: &Logged) -> String {
    let mut text = String::new();
    for (viewer, name) in Viewer::ALL.into_iter().zip(["red", "blue", "public"]) {
        let words = see(&logged.event, &logged.after, viewer)
            .map_or_else(|| "nothing".to_owned(), |event| serde_json::to_string(&event).expect("JSON"));
        let _infallible = writeln!(text, "  {name:<7}{words}");
    }
    text
}

/// Returns the reserves and chips: their true content, and what everybody knows.
fn shadow(table: &Match) -> String {
    if table.game.terms().ruleset.start == Start::Coins {
        return coins(table);
    }
    if !table.game.terms().ruleset.reserve {
        return String::new();
    }
    let text = Referee.position_text(table.game.position());
    let truth: Vec<&str> = text.split(' ').skip(5).collect();
    let mut text =
        format!("truth: red {}; blue {}; chips {}; owed {}\n", truth[0], truth[1], truth[2], truth[3]);
    for (viewer, name) in Viewer::ALL.into_iter().zip(["red", "blue", "public"]) {
        let reserve = view(&table.game, viewer, table.now).seen.reserve;
        let _infallible = writeln!(text, "{name} knows: {}", serde_json::to_string(&reserve).expect("JSON"));
    }
    text
}

/// Returns the pools and the pending strike: their true content, and what everybody knows.
fn coins(table: &Match) -> String {
    let text = Referee.position_text(table.game.position());
    let truth: Vec<&str> = text.split(' ').skip(5).collect();
    let mut text = format!("truth: red {}; blue {}; strike {}\n", truth[0], truth[1], truth[2]);
    for (viewer, name) in Viewer::ALL.into_iter().zip(["red", "blue", "public"]) {
        let GameView { pools, pending_strike, clock, .. } = view(&table.game, viewer, table.now).seen;
        let known = serde_json::to_string(&(pending_strike, clock)).expect("JSON");
        let is_true = pools == view(&table.game, Viewer::Public, table.now).seen.pools;
        let _infallible = writeln!(text, "{name} knows: {known}, the same pools: {is_true}");
    }
    text
}

/// Chooses a command other than a move: an owed color, or sometimes a removal or a placing.
fn other(table: &Match, chance: &mut Chance) -> Option<Command> {
    let commands = table.game.position().legal_commands();
    let others = commands.len() - commands.moves_len();
    let is_choice =
        table.game.position().owed_color().is_some() || table.game.position().has_strike_pending();
    let is_time = is_choice || matches!(table.game.ply() % 7, 3 | 5);
    if others == 0 || !is_time {
        return None;
    }
    commands.nth(commands.moves_len() + chance.below(others))
}

/// Chooses a lively move: a strike if possible, otherwise a move forward, otherwise any move.
fn lively(table: &Match, chance: &mut Chance) -> Command {
    if let Some(command) = other(table, chance) {
        return command;
    }
    let side = table.game.position().turn();
    let foes = table.game.position().occupied(side.opponent());
    let forward = if side == Side::Red { Direction::Up } else { Direction::Down };
    let moves: Vec<_> = table.game.legal_moves().expect("the game is running").iter().collect();
    let strikes: Vec<_> = moves.iter().filter(|squares| foes.contains(squares.to)).copied().collect();
    let ahead: Vec<_> = moves
        .iter()
        .filter(|squares| Direction::between(squares.from, squares.to).is_some_and(|(way, _)| way == forward))
        .copied()
        .collect();
    let choice = [strikes, ahead, moves].into_iter().find(|list| !list.is_empty()).expect("a move");
    let squares = choice[chance.below(choice.len())];
    // Chooses any path and color for the move. A flash has no color.
    let commands = table.game.position().legal_commands();
    let fitting: Vec<Command> = (0..commands.moves_len())
        .filter_map(|n| commands.nth(n))
        .filter(|command| matches!(command, Command::Move(asked) if asked.squares == squares))
        .collect();
    let place = if fitting.len() > 1 { chance.below(fitting.len()) } else { 0 };
    fitting[place].clone()
}

fn playthrough(ruleset: &'static Ruleset) -> String {
    let mut chance = Chance::new(3);
    let secret = PerSide::new(false, ruleset.id == "pbm");
    let has_coins = ruleset.start == Start::Coins;
    let time = if has_coins {
        TimeControl::Fischer { base_ms: 600_000, increment_ms: 0 }
    } else {
        TimeControl::Unlimited
    };
    let mut table = Match::new(ruleset, time, secret, Chance::new(1));
    let mut text = format!(
        "A game of {}: the truth, and what red, blue and the public know. ' has moved, * known to all, ? hidden.\n\n",
        ruleset.id
    );
    let [red, blue] = setups(ruleset);
    let mut steps = vec![
        Step::Deploy(Side::Red, blue.to_owned()),
        Step::Deploy(Side::Red, red.to_owned()),
        Step::Deploy(Side::Blue, blue.to_owned()),
    ];
    steps.reverse();
    if has_coins {
        steps.clear();
    }
    let mut plies = 0;
    while table.game.phase() != Phase::Over {
        let step = steps.pop().unwrap_or_else(|| {
            plies += 1;
            match plies {
                30 => Step::Ask(Side::Red, Command::OfferDraw),
                31 => Step::Ask(Side::Blue, Command::DeclineDraw),
                32 if !has_coins => Step::Ask(Side::Blue, Command::Resign),
                40.. if table.game.position().has_strike_pending() && table.game.is_to_act(Side::Blue) => {
                    Step::Ask(Side::Blue, Command::Resign)
                }
                _ => Step::Ask(table.game.position().actor(), lively(&table, &mut chance)),
            }
        });
        let logged = match table.step(&step, 1000) {
            Ok(logged) => logged,
            Err(refusal) => panic!("{}: {step:?} was refused: {refusal}", ruleset.id),
        };
        let mut is_worth_a_look = false;
        for logged in &logged {
            let _infallible = writeln!(text, "ply {}: {:?}", logged.after.ply(), logged.event);
            text += &told(logged);
            is_worth_a_look |= logged.after.phase() != logged.before.phase()
                || logged.after.position().owed_color().is_some()
                || logged.after.position().has_strike_pending()
                || matches!(
                    see(&logged.event, &logged.after, Viewer::Public),
                    Some(GameEvent::Removed { .. } | GameEvent::Placed(_))
                )
                || matches!(
                    see(&logged.event, &logged.after, Viewer::Public),
                    Some(GameEvent::Moved(seen))
                        if seen.strike.is_some()
                            || Direction::between(seen.squares.from, seen.squares.to).is_some_and(|(_, distance)| distance > 1)
                );
        }
        if is_worth_a_look {
            let _infallible = write!(text, "\n{}{}\n", boards(&table), shadow(&table));
        }
    }
    let lost = |side: Side| -> String {
        let captured = table.game.position().captured(side);
        captured
            .iter()
            .map(|(rank, count)| format!("{} {count}", rank.letter()))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let _infallible = writeln!(text, "red lost {}; blue lost {}", lost(Side::Red), lost(Side::Blue));
    text
}

#[test]
fn playthroughs_show_what_they_showed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/playthroughs");
    let mut stale = Vec::new();
    for ruleset in Ruleset::all() {
        let path = folder.join(format!("{}.txt", ruleset.id));
        let wanted = playthrough(ruleset);
        if std::fs::read_to_string(&path).unwrap_or_default() == wanted {
            continue;
        }
        if std::env::var_os("FLAGFALL_UPDATE").is_some() {
            std::fs::write(&path, wanted).expect("the playthrough can be written");
        } else {
            stale.push(ruleset.id);
        }
    }
    assert!(
        stale.is_empty(),
        "what is shown has changed in {stale:?}: run FLAGFALL_UPDATE=1 cargo test -p flagfall-tests --test playthroughs and \
         read the difference"
    );
}
