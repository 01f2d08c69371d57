//! Pictures that explain a ruleset: a few squares before and after a turn.

use std::fmt::Write;

use flagfall_board::{Numbering, Rank};
use flagfall_rules::{Bombs, Disclosure, Ruleset, Start, Ties};

use crate::words;

/// Indentation of a row.
const INDENT: &str = "      ";

/// The pictures of a ruleset, each with its caption, ready to print.
pub(crate) fn of(ruleset: &Ruleset, numbering: Numbering) -> Vec<String> {
    let draw = Draw { numbering };
    let mut pictures = vec![draw.scouts(ruleset)];
    pictures.extend(draw.strikes(ruleset));
    pictures.extend(ruleset.two_squares_limit.map(|limit| draw.two_squares(ruleset, limit)));
    if ruleset.start == Start::Coins {
        pictures.extend(draw.coins());
    }
    if ruleset.reserve {
        pictures.push(draw.exchange(ruleset));
    }
    if ruleset.labels {
        pictures.push(draw.label());
    }
    if ruleset.shape.has_joints() {
        pictures.push(draw.joint());
    }
    if ruleset.supply_lines {
        pictures.push(draw.supply_line());
    }
    if ruleset.shadowflash {
        pictures.push(draw.flash());
    }
    let head = "\nPictures\n  /5\\ is Red's, [5] is Blue's, [#] is hidden\n".to_owned();
    std::iter::once(head).chain(pictures).collect()
}

/// Two ranks of an army; the second wins.
struct Strikers {
    weak: Rank,
    strong: Rank,
}

/// The ranks to show in pictures: middle ones, if the army has them.
fn strikers(ruleset: &Ruleset) -> Strikers {
    if [Rank::Captain, Rank::Colonel].iter().all(|rank| ruleset.army.count(*rank) > 0) {
        Strikers { weak: Rank::Captain, strong: Rank::Colonel }
    } else {
        Strikers { weak: Rank::General, strong: Rank::Marshal }
    }
}

/// Draws pictures with one kind of figures.
struct Draw {
    numbering: Numbering,
}

impl Draw {
    fn red(&self, rank: Rank) -> String {
        format!("/{}\\", rank.figure(self.numbering))
    }

    fn blue(&self, rank: Rank) -> String {
        format!("[{}]", rank.figure(self.numbering))
    }

    /// Draws a row before the turn, an arrow, and the row after it.
    fn turn(&self, before: &[&str], after: &[&str]) -> String {
        let row = |cells: &[&str]| cells.iter().map(|cell| format!("{cell:^5}")).collect::<String>();
        format!("{}  ->  {}", row(before), row(after))
    }

    fn scouts(&self, ruleset: &Ruleset) -> String {
        let scout = self.red(Rank::Scout);
        let caption = if ruleset.strikes_afar {
            "Where a Scout may go (+) and strike (x), any distance away."
        } else {
            "Where a Scout may go (+): a piece it wants to strike must stand beside it."
        };
        let end = if ruleset.strikes_afar { "[#]x" } else { "[#]" };
        picture(caption, &[["+", &scout, "+", "+", "+", end].map(|cell| format!("{cell:^5}")).concat()])
    }

    fn strikes(&self, ruleset: &Ruleset) -> Vec<String> {
        let Strikers { weak: weak_rank, strong: strong_rank } = strikers(ruleset);
        let (weak, strong) = (self.red(weak_rank), self.blue(strong_rank));
        let (weaker, stronger) = (weak_rank.to_string(), strong_rank.to_string());
        let mut pictures = Vec::new();
        let after = match (ruleset.winner_advances, ruleset.disclosure) {
            (true, Disclosure::Both) => [strong.as_str(), "."],
            (true, Disclosure::SilentDefense) => ["[?]", "."],
            (false, Disclosure::Both) => [".", strong.as_str()],
            (false, Disclosure::SilentDefense) => [".", "[#]"],
        };
        let outcome = match (ruleset.winner_advances, ruleset.disclosure) {
            (true, Disclosure::Both) => format!(": the {stronger} wins and takes its square."),
            (true, Disclosure::SilentDefense) => {
                ", as Red sees it: whatever won takes its square, and stays hidden.".to_owned()
            }
            (false, Disclosure::Both) => format!(": the {stronger} stays, known to all."),
            (false, Disclosure::SilentDefense) => {
                ", as Red sees it: whatever won stays, and stays hidden.".to_owned()
            }
        };
        let caption = format!("A {weaker} strikes a {stronger}{outcome}");
        pictures.push(picture(&caption, &[self.turn(&[&weak, "[#]"], &after)]));
        let bomb = self.blue(Rank::Bomb);
        let (outcome, after) = match ruleset.bombs {
            Bombs::Stay => ("the Bomb stays", [".", bomb.as_str()]),
            Bombs::LeaveWithAttacker => ("both leave", [".", "."]),
        };
        let hidden = ruleset.disclosure == Disclosure::SilentDefense && ruleset.bombs == Bombs::Stay;
        let after = if hidden { [".", "[#]"] } else { after };
        let caption = format!("A {weaker} strikes a Bomb: {outcome}.");
        pictures.push(picture(&caption, &[self.turn(&[&weak, "[#]"], &after)]));
        let equal = self.blue(weak_rank);
        let (outcome, after) = match (ruleset.ties, ruleset.winner_advances, ruleset.disclosure) {
            (Ties::BothLeave, ..) => ("both leave.", [".", "."]),
            (Ties::AttackerWins, ..) => ("the one that strikes wins.", [".", weak.as_str()]),
            (Ties::DefenderWins, false, Disclosure::Both) => {
                ("the one that was struck wins.", [".", equal.as_str()])
            }
            (Ties::DefenderWins, true, Disclosure::Both) => {
                ("the one that was struck wins and takes the other's square.", [equal.as_str(), "."])
            }
            (Ties::DefenderWins, false, Disclosure::SilentDefense) => {
                ("the one that was struck wins. As Red sees it: whatever won stays hidden.", [".", "[#]"])
            }
            (Ties::DefenderWins, true, Disclosure::SilentDefense) => (
                "the one that was struck wins. As Red sees it: whatever won takes the other's square, and stays hidden.",
                ["[?]", "."],
            ),
        };
        let caption = format!("Of two {weaker}s {outcome}");
        pictures.push(picture(&caption, &[self.turn(&[&weak, "[#]"], &after)]));
        pictures
    }

    fn two_squares(&self, ruleset: &Ruleset, limit: u8) -> String {
        let caption = format!(
            "A piece that went to and fro over one border {limit} times in a row does not cross it the next time."
        );
        let piece = self.red(strikers(ruleset).weak);
        let there = [piece.as_str(), "."].map(|cell| format!("{cell:^5}")).concat();
        let back = [".", piece.as_str()].map(|cell| format!("{cell:^5}")).concat();
        let ways = (0..=limit).map(|times| if times % 2 == 0 { there.clone() } else { back.clone() });
        picture(&caption, &[ways.collect::<Vec<_>>().join("-> ") + " x"])
    }

    /// Coins that move, coins that are struck, and coins that the reserve rule holds (§Q).
    fn coins(&self) -> Vec<String> {
        let (scout, captain, major) =
            (self.red(Rank::Scout), self.red(Rank::Captain), self.blue(Rank::Major));
        let turn = |caption, before: &[&str], after: &[&str]| picture(caption, &[self.turn(before, after)]);
        vec![
            turn(
                "A coin goes one square: it has moved now ('), and is neither Bomb nor Flag.",
                &["/o\\", "."],
                &[".", "/o\\'"],
            ),
            turn(
                "A coin goes several squares: it becomes a Scout of the pool, known to all.",
                &["/o\\", ".", "."],
                &[".", ".", &scout],
            ),
            turn(
                "A coin strikes a coin: both sides choose unseen, then both are known.",
                &["/o\\'", "[o]"],
                &[&captain, &major],
            ),
            turn(
                "The Captain and the Major they chose are resolved as any strike.",
                &[&captain, &major],
                &[".", &major],
            ),
            turn(
                "One Bomb and the Flag are left in the pool: neither of the last two unmoved coins moves.",
                &["/o\\", "/o\\"],
                &["/o\\", "/o\\"],
            ),
        ]
    }

    fn exchange(&self, ruleset: &Ruleset) -> String {
        let (miner, major) = (self.blue(Rank::Miner), self.blue(Rank::Major));
        let chip = if ruleset.chips { " (and lays a chip)" } else { "" };
        let caption = format!(
            "Blue takes a Miner off the board, and on another turn brings a Major on{chip}. Red sees that a piece left and that one came."
        );
        picture(
            &caption,
            &[
                format!("Blue: {}", self.turn(&[&miner, "."], &[".", "."])),
                format!("      {}", self.turn(&[".", "."], &[".", &major])),
                format!("Red:  {}", self.turn(&["[?]", "."], &[".", "."])),
                format!("      {}", self.turn(&[".", "."], &[".", "[#]"])),
            ],
        )
    }

    fn label(&self) -> String {
        let scout = self.red(Rank::Scout);
        let found = format!("{}^", self.blue(Rank::Colonel));
        picture(
            "A Scout strikes and loses: what beat it is labeled (^), face up wherever it goes. (A winner takes the loser's square.)",
            &[self.turn(&[&scout, "[#]"], &[&found, "."])],
        )
    }

    fn joint(&self) -> String {
        let (red, blue) = (self.red(Rank::Captain), "[#]");
        picture(
            "Column a joins its ends: the pieces on a10 and a1 are neighbors. So do b c g h i j n o p, and all rows but 5 and 6.",
            &[
                format!(" 10 {blue:^5}  .  "),
                "    :  a2 to a9".to_owned(),
                format!("  1 {red:^5}  .    may strike a10"),
            ],
        )
    }

    fn supply_line(&self) -> String {
        let piece = format!("{}r", self.red(Rank::Captain));
        picture(
            "A Captain on a red chip (r) may go to any square marked =, along chips of that color.",
            &[[piece.as_str(), "=r", "=r", "=r", ".y", "."].map(|cell| format!("{cell:^6}")).concat()],
        )
    }

    fn flash(&self) -> String {
        let piece = format!("{}r", self.red(Rank::Major));
        let row = |cells: [&str; 6]| cells.map(|cell| format!("{cell:^6}")).concat();
        picture(
            "A Major on a red chip flashes four squares over chips of any color: they turn red.",
            &[row([&piece, ".y", ".g", ".b", ".y", "."]), row([".r", ".r", ".r", ".r", &piece, "."])],
        )
    }
}

fn picture(caption: &str, rows: &[String]) -> String {
    let mut text = "\n".to_owned();
    for line in words::wrap(caption, 76) {
        let _ = writeln!(text, "  {line}");
    }
    for row in rows {
        let _ = writeln!(text, "{INDENT}{}", row.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(id: &str) -> String {
        of(Ruleset::find(id).expect("a ruleset"), Numbering::Us).concat()
    }

    #[test]
    fn pictures_show_what_sets_a_ruleset_apart() {
        assert!(all("classic").contains(" /5\\  [#]   ->    .   [3]\n"), "{}", all("classic"));
        assert!(all("original").contains(" /5\\  [#]   ->   [3]   .\n"));
        assert!(all("silent-defense").contains(" /5\\  [#]   ->    .   [#]\n"));
        assert!(all("course").contains("both leave.\n       /5\\  [#]   ->    .    .\n"));
        assert!(all("shadowflash-3").contains("A Major on a red chip flashes"));
        assert!(!all("shadowflash-2").contains("A Major on a red chip flashes"));
        let tie = |id| {
            let text = all(id);
            let (_, tie) = text.split_once("Of two Captains ").expect("a picture of a tie");
            tie.lines().find(|line| line.contains("->")).expect("a row").trim().to_owned()
        };
        for (id, row) in [
            ("classic", "/5\\  [#]   ->    .    ."),
            ("classic,ties=attacker", "/5\\  [#]   ->    .   /5\\"),
            ("classic,ties=defender", "/5\\  [#]   ->    .   [5]"),
            ("original,ties=defender", "/5\\  [#]   ->   [5]   ."),
            ("silent-defense", "/5\\  [#]   ->    .   /5\\"),
            ("silent-defense,ties=both", "/5\\  [#]   ->    .    ."),
            ("silent-defense,ties=defender", "/5\\  [#]   ->    .   [#]"),
            ("original,ties=defender,disclosure=silent", "/5\\  [#]   ->   [?]   ."),
        ] {
            assert_eq!(tie(id), row, "{id}");
        }
        insta::assert_snapshot!("shadowflash_pictures", all("shadowflash-3"));
        insta::assert_snapshot!("quantum_pictures", all("quantum"));
    }
}
