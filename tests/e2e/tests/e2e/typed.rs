//! Tests wrong input in a running game. Each line gets an explanation, and the game goes on.

use flagfall_e2e::Site;

/// Red's army, row by row from the front.
const RED: &str = "B955916698 2334445566 7777888899 999SBBBBBF";

/// Inputs, each with the expected answer.
const DEPLOYMENTS: &[(&str, &str)] = &[
    ("deploy", "The deployment has 0 characters"),
    ("deploy 123", "The deployment has 3 characters instead of 40"),
    ("deploy 1955916698 2334445566 7777888899 999SBBBBBF", "Bomb: 5 placed, but the army has 6"),
    ("deploy .955916698 2334445566 7777888899 999SBBBBBF", "but the army has"),
    ("deploy X955916698 2334445566 7777888899 999SBBBBBF", "“X” is not the letter of a piece"),
    ("deploy näher", "“n” is not the letter of a piece"),
];

const MOVES: &[(&str, &str)] = &[
    ("hello there", "“hello there” is not understood. Type a move, such as a4a5, or type “help”."),
    ("a4", "“a4” is not understood."),
    ("a0a1", "is not understood"),
    ("a4a5", "Flags and Bombs never move."),
    ("d4d5", "No piece can enter a lake."),
    ("f4f6", "Only a Scout can move more than one square."),
    ("f4e5", "Pieces only move along a row or a column, never diagonally."),
    ("b3b4", "One of your own pieces is on that square."),
    ("e5e6", "There is no piece on that square."),
    ("e7e6", "That piece is not yours."),
    ("e4e8", "Another piece or a lake blocks the path of this piece."),
    ("b4b9", "Another piece or a lake blocks the path of this piece."),
    ("f4f4", "Pieces only move along a row or a column, never diagonally."),
    ("k4k5", "There is no such square on this board."),
    ("accept", "There is no draw offer to answer."),
    ("deploy random", "You cannot deploy now."),
];

#[test]
fn wrong_deployments_and_illegal_moves_are_answered_in_words() {
    let site = Site::new();
    let server = site.serve();
    let words = ["play", "--bot", "random", "--side", "red", "--time", "none"];
    let mut ann = server.client(&site, "ann", &words);
    ann.expect("Deploy now: ");
    for (typed, answer) in DEPLOYMENTS.iter().skip(1) {
        ann.type_line(typed);
        ann.expect(answer);
    }
    ann.type_line("board");
    ann.type_line(&format!("deploy {RED}"));
    ann.expect("Your deployment is submitted.");
    ann.expect("Your turn, Red.");
    for (typed, answer) in MOVES {
        ann.type_line(typed);
        ann.expect(answer);
    }
    // Moves from a script wait until it is the player's turn, in every notation.
    for typed in ["b4-b5", "b5 b4", "move b4b5"] {
        ann.type_line(typed);
    }
    ann.expect("Red moves b4b5.");
    ann.expect("Your turn, Red.");
    ann.type_line("status");
    ann.expect("Ply ");
    ann.type_line("captured");
    ann.expect("Red has ");
    ann.type_line("help");
    ann.expect("a4a5 or move a4a5");
    ann.type_line("resign yes");
    ann.expect("Blue wins: Red resigned.");
    ann.expect("Type “rematch” or “quit”.");
    ann.type_line("resign yes");
    ann.expect("The game is over.");
    ann.type_line("a4a5");
    ann.expect("The game is over.");
    // The exit code tells a script that its last command was refused.
    ann.end_input();
    ann.ended().expect(1, &[]);
}
