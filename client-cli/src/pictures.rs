//! Pictures that explain a ruleset: a few squares before and after a turn.

use std::fmt::Write;

use flagfall_board::{Numbering, Rank, Side};
use flagfall_rules::{Bombs, Disclosure, Ruleset, Start, Ties};

use crate::{text, words};

const INDENT: &str = "      ";

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
    let head = format!("\n{}\n  {}\n", text!("pictures"), text!("pictures-legend"));
    std::iter::once(head).chain(pictures).collect()
}

/// Two ranks of an army, for pictures of strikes.
struct Strikers {
    weak: Rank,
    strong: Rank,
}

/// Returns the row after the defender has won. If `advances` is true, the defender takes the
/// attacker's square.
fn defended(piece: &str, advances: bool, hidden: bool) -> [&str; 2] {
    match (advances, hidden) {
        (true, true) => ["[?]", "."],
        (true, false) => [piece, "."],
        (false, true) => [".", "[#]"],
        (false, false) => [".", piece],
    }
}

/// Returns the ranks to show in pictures: middle ranks, if the army has them.
fn strikers(ruleset: &Ruleset) -> Strikers {
    if [Rank::Captain, Rank::Colonel].iter().all(|rank| ruleset.army.count(*rank) > 0) {
        Strikers { weak: Rank::Captain, strong: Rank::Colonel }
    } else {
        Strikers { weak: Rank::General, strong: Rank::Marshal }
    }
}

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
        let caption =
            if ruleset.strikes_afar { text!("picture-scout-strikes") } else { text!("picture-scout-goes") };
        let end = if ruleset.strikes_afar { "[#]x" } else { "[#]" };
        picture(&caption, &[["+", &scout, "+", "+", "+", end].map(|cell| format!("{cell:^5}")).concat()])
    }

    fn strikes(&self, ruleset: &Ruleset) -> Vec<String> {
        let Strikers { weak: attacker, strong: defender } = strikers(ruleset);
        let (weak, bomb) = (self.red(attacker), self.blue(Rank::Bomb));
        let (equal, strong) = (self.blue(attacker), self.blue(defender));
        let advances = ruleset.winner_advances;
        let hidden = ruleset.disclosure == Disclosure::SilentDefense;
        let bomb = match ruleset.bombs {
            Bombs::Stay => (text!("picture-bomb-stays", attacker), defended(&bomb, false, hidden)),
            Bombs::LeaveWithAttacker => (text!("picture-bomb-leaves", attacker), [".", "."]),
        };
        let tie = match ruleset.ties {
            Ties::BothLeave => (text!("picture-tie-both", attacker), [".", "."]),
            Ties::AttackerWins => (text!("picture-tie-attacker", attacker), [".", weak.as_str()]),
            Ties::DefenderWins => {
                let caption = text!("picture-tie-defender", attacker, advances, hidden);
                (caption, defended(&equal, advances, hidden))
            }
        };
        let strong_caption = text!("picture-strong", attacker, defender, advances, hidden);
        let strong = (strong_caption, defended(&strong, advances, hidden));
        let draw =
            |(caption, after): (String, [&str; 2])| picture(&caption, &[self.turn(&[&weak, "[#]"], &after)]);
        [strong, bomb, tie].map(draw).to_vec()
    }

    fn two_squares(&self, ruleset: &Ruleset, limit: u8) -> String {
        let caption = text!("picture-two-squares", limit);
        let piece = self.red(strikers(ruleset).weak);
        let there = [piece.as_str(), "."].map(|cell| format!("{cell:^5}")).concat();
        let back = [".", piece.as_str()].map(|cell| format!("{cell:^5}")).concat();
        let ways = (0..=limit).map(|times| if times % 2 == 0 { there.clone() } else { back.clone() });
        picture(&caption, &[ways.collect::<Vec<_>>().join("-> ") + " x"])
    }

    /// Pictures of moving coins, struck coins, and coins that must stay because of the reserve
    /// rule (§Q).
    fn coins(&self) -> Vec<String> {
        let (scout, captain, major) =
            (self.red(Rank::Scout), self.red(Rank::Captain), self.blue(Rank::Major));
        let turn =
            |caption: String, before: &[&str], after: &[&str]| picture(&caption, &[self.turn(before, after)]);
        vec![
            turn(text!("picture-coin-one"), &["/o\\", "."], &[".", "/o\\'"]),
            turn(text!("picture-coin-far"), &["/o\\", ".", "."], &[".", ".", &scout]),
            turn(text!("picture-coin-strike"), &["/o\\'", "[o]"], &[&captain, &major]),
            turn(text!("picture-coin-resolved"), &[&captain, &major], &[".", &major]),
            turn(text!("picture-coin-reserve"), &["/o\\", "/o\\"], &["/o\\", "/o\\"]),
        ]
    }

    fn exchange(&self, ruleset: &Ruleset) -> String {
        let (miner, major) = (self.blue(Rank::Miner), self.blue(Rank::Major));
        let caption = text!("picture-exchange", chips = ruleset.chips);
        let width = words::side_width() + 2;
        let label = |side: Side| words::fit(&(text!("side", side) + ":"), width);
        picture(
            &caption,
            &[
                format!("{}{}", label(Side::Blue), self.turn(&[&miner, "."], &[".", "."])),
                format!("{:width$}{}", "", self.turn(&[".", "."], &[".", &major])),
                format!("{}{}", label(Side::Red), self.turn(&["[?]", "."], &[".", "."])),
                format!("{:width$}{}", "", self.turn(&[".", "."], &[".", "[#]"])),
            ],
        )
    }

    fn label(&self) -> String {
        let scout = self.red(Rank::Scout);
        let found = format!("{}^", self.blue(Rank::Colonel));
        picture(&text!("picture-label"), &[self.turn(&[&scout, "[#]"], &[&found, "."])])
    }

    fn joint(&self) -> String {
        let (red, blue) = (self.red(Rank::Captain), "[#]");
        picture(
            &text!("picture-joint"),
            &[
                format!(" 10 {blue:^5}  .  "),
                format!("    :  {}", text!("picture-joint-between")),
                format!("  1 {red:^5}  .    {}", text!("picture-joint-strike")),
            ],
        )
    }

    fn supply_line(&self) -> String {
        let piece = format!("{}r", self.red(Rank::Captain));
        picture(
            &text!("picture-supply-line"),
            &[[piece.as_str(), "=r", "=r", "=r", ".y", "."].map(|cell| format!("{cell:^6}")).concat()],
        )
    }

    fn flash(&self) -> String {
        let piece = format!("{}r", self.red(Rank::Major));
        let row = |cells: [&str; 6]| cells.map(|cell| format!("{cell:^6}")).concat();
        picture(
            &text!("picture-flash"),
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
    fn pictures_show_the_features_of_each_ruleset() {
        assert!(all("classic").contains(" /5\\  [#]   ->    .   [3]\n"), "{}", all("classic"));
        assert!(all("original").contains(" /5\\  [#]   ->   [3]   .\n"));
        assert!(all("silent-defense").contains(" /5\\  [#]   ->    .   [#]\n"));
        assert!(all("course").contains("both are lost.\n       /5\\  [#]   ->    .    .\n"));
        assert!(all("shadowflash-3").contains("A Major on a red chip flashes"));
        assert!(!all("shadowflash-2").contains("A Major on a red chip flashes"));
        let tie = |id| {
            let text = all(id);
            let (_, tie) = text.split_once("A Captain strikes a Captain: ").expect("a picture of a tie");
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
