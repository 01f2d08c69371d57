//! Tests the messages that players exchange besides moves, and a game against a house player.

use flagfall_board::Side;
use flagfall_e2e::{Client, Site};
use flagfall_tests::Chance;

use crate::duel::Duel;

#[test]
fn draws_are_offered_declined_and_agreed_and_a_rematch_swaps_the_sides() {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(21));
    duel.play_quietly(2);

    duel.clients[Side::Red].type_line("draw");
    duel.expect("Red offers a draw.");
    duel.clients[Side::Blue].expect("Type “accept” or “decline” to answer the draw offer.");
    duel.clients[Side::Red].type_line("draw");
    duel.clients[Side::Red].expect("Your draw offer is still open. Wait for the other side's answer.");
    duel.clients[Side::Blue].type_line("decline");
    duel.expect("Blue declines the draw.");
    duel.play_quietly(1);

    duel.clients[Side::Blue].type_line("draw");
    duel.expect("Blue offers a draw.");
    duel.clients[Side::Red].type_line("accept");
    duel.expect("A draw: both sides agreed.");

    duel.clients[Side::Red].type_line("rematch");
    duel.clients[Side::Red].expect("You have asked for a rematch");
    duel.clients[Side::Blue].expect("Red asks for a rematch. Type “rematch”");
    duel.clients[Side::Blue].type_line("rematch");
    let ann = duel.clients[Side::Red].expect("you play");
    assert!(ann.contains("you play Blue against bob. Barrage, no clock."), "{ann}");
    let bob = duel.clients[Side::Blue].expect("you play");
    assert!(bob.contains("you play Red against ann. Barrage, no clock."), "{bob}");
    assert!(!ann.contains(&duel.id), "{ann}");

    duel.clients[Side::Red].type_line("abort yes");
    duel.expect("The game was aborted.");
    for side in Side::BOTH {
        duel.clients[side].leave();
    }
}

#[test]
fn a_friend_is_challenged_by_a_code() {
    let site = Site::new();
    let server = site.serve();
    let mut ann =
        server.client(&site, "ann", &["play", "--challenge", "--rules", "barrage", "--time", "5+3"]);
    let line = ann.expect("The code is ");
    let code =
        line.split("The code is ").nth(1).and_then(|rest| rest.split('.').next()).expect("a code").to_owned();
    ann.expect(&format!("flagfall play --server ws://{}/ws --accept {code}", server.address));
    ann.expect("The challenge stays open for 24 hours.");

    server
        .run_client(&site, "eve", &["play", "--accept", "nonsense"])
        .expect(1, &["This challenge is not open"]);
    server.run_client(&site, "eve", &["play", "--accept", "00000000000000000000"]).expect(1, &["not open"]);

    let mut bob = server.client(&site, "bob", &["play", "--accept", &code, "--setup", "suggested"]);
    bob.expect("ann challenges you: Barrage, 5+3.");
    bob.expect("Sides are drawn at random.");
    let id = bob.game();
    assert_eq!(ann.game(), id);
    ann.type_line("deploy random");
    ann.expect("The game starts.");
    bob.expect("The game starts.");
    server
        .run_client(&site, "eve", &["play", "--accept", &code])
        .expect(1, &["Somebody has already accepted this challenge."]);

    bob.type_line("resign yes");
    for client in [&mut ann, &mut bob] {
        client.expect("resigned.");
        client.leave();
    }
}

/// Against a house player, the test reads only the printed board, as a person would.
#[test]
fn a_whole_game_against_the_house_is_played_from_the_printed_board() {
    let site = Site::new();
    let server = site.serve();
    let seed = Chance::seed_or(5);
    println!("seed {seed}");
    let mut chance = Chance::new(seed);
    let words = ["play", "--bot", "random", "--rules", "pbm-small", "--time", "none", "--setup", "suggested"];
    let mut ann = server.client(&site, "ann", &words);
    let line = ann.expect("you play");
    let side = if line.contains("you play Red") { Side::Red } else { Side::Blue };
    let id = line.split([' ', ':']).nth(1).expect("an id").to_owned();
    ann.expect("The game starts.");

    let (mut moves, mut plies) = (Vec::new(), 0);
    loop {
        let line = ann.expect_one_of(&["Your turn", "-squares rule: ", " wins: ", "A draw: "]);
        if line.contains("Your turn") {
            moves = moves_on(&last_board(&ann), side);
            chance.shuffle(&mut moves);
        } else if !line.contains("-squares rule: ") {
            break;
        }
        // A move that looks possible on the board may still be forbidden by a repetition rule. In
        // that case, try another move. If there is no legal move, the game ends.
        let Some(squares) = moves.pop() else { continue };
        ann.type_line(&squares);
        plies += 1;
        assert!(plies < 20_000, "no end");
    }
    ann.expect("Type “rematch” or “quit”.");
    ann.type_line("rematch");
    let again = ann.expect("you play");
    assert!(again.contains(&format!("you play {}", side.opponent())), "{again}");
    ann.type_line("deploy random");
    ann.expect("Your turn");
    ann.type_line("abort yes");
    ann.expect("The game was aborted.");
    ann.leave();
    server.run_client(&site, "cat", &["record", &id]).expect(0, &["Red deployed:", "Blue deployed:"]);
}

/// Returns the last printed board, with its column letters.
fn last_board(client: &Client) -> (Vec<char>, Vec<String>) {
    let lines = client.lines();
    let is_header =
        |line: &&String| line.starts_with("     ") && line.split_whitespace().all(|word| word.len() == 1);
    let is_row = |line: &&String| {
        let number = line.split_whitespace().next().and_then(|word| word.parse::<u8>().ok());
        number.is_some() && !line.contains(|letter: char| letter.is_ascii_lowercase())
    };
    let mut backwards = lines.iter().rev().skip_while(|line| !is_header(line));
    let columns = backwards.next().expect("a board");
    let columns = columns.split_whitespace().flat_map(str::chars).collect();
    (columns, backwards.take_while(is_row).cloned().collect())
}

/// Returns all steps to a neighboring square that is free or has an enemy piece on the printed
/// board.
fn moves_on((columns, rows): &(Vec<char>, Vec<String>), side: Side) -> Vec<String> {
    let mut squares = std::collections::BTreeMap::new();
    for row in rows {
        let number: i32 = row[..3].trim().parse().expect("a row's number");
        for (place, letter) in columns.iter().enumerate() {
            let cell: String = row.chars().skip(3 + place * 5).take(5).collect();
            squares.insert((*letter as i32 - 'a' as i32, number), cell);
        }
    }
    let owner = |cell: &String| match cell {
        cell if cell.contains('\\') => Some(Side::Red),
        cell if cell.contains(']') => Some(Side::Blue),
        _ => None,
    };
    let mut moves = Vec::new();
    for ((column, row), cell) in &squares {
        if owner(cell) != Some(side) || cell.contains(['B', 'F']) {
            continue;
        }
        for (to_column, to_row) in
            [(column + 1, *row), (column - 1, *row), (*column, row + 1), (*column, row - 1)]
        {
            let Some(target) = squares.get(&(to_column, to_row)) else { continue };
            if owner(target) != Some(side) && !target.contains('~') {
                let letter = |column: i32| char::from(b'a' + u8::try_from(column).expect("small"));
                moves.push(format!("{}{row}{}{to_row}", letter(*column), letter(to_column)));
            }
        }
    }
    moves
}
