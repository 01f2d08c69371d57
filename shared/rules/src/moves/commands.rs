//! Everything that a side may do on the board: moves with paths and colors, removals, placings,
//! naming a color, and choosing a rank in a strike.

use flagfall_board::{ChipColor, Rank, RankSet, Side, Square, SquareSet};

use crate::command::{Choice, Command, MoveCommand, Placing};
use crate::ruleset::Ruleset;
use crate::variants::Reserve;

use super::{Field, LegalMoves};

/// A side's legal commands on the board, in an order that reveals nothing about enemy ranks.
///
/// **The order must never change**: archived games store moves as indexes into this list
/// (docs/internals/archive.md). Tests in `server/archive/tests` check the order for every
/// ruleset.
///
/// `Debug` shows only the number of commands.
#[derive(Clone, PartialEq, Eq)]
pub struct LegalCommands {
    has_joints: bool,
    /// The number of colors that the side can choose for the chip under a moved piece, or 1 in
    /// rulesets without chips.
    colors: usize,
    /// The moves that need a color for a chip. In rulesets without chips, all moves.
    landings: LegalMoves,
    /// The moves that need no color, because they are flashes (§S3.2).
    flashes: LegalMoves,
    removable: SquareSet,
    /// The home squares on which pieces can be placed.
    free: SquareSet,
    /// The ranks in the reserve: first those of unlabeled pieces, then those of labeled pieces.
    kinds: [RankSet; 2],
    owes_color: bool,
    /// The ranks that the side can choose for its coin in a strike. If there are any, the side
    /// has no other legal commands.
    choices: RankSet,
}

impl LegalCommands {
    fn none() -> LegalCommands {
        LegalCommands {
            has_joints: false,
            colors: 1,
            landings: LegalMoves::none(SquareSet::EMPTY),
            flashes: LegalMoves::none(SquareSet::EMPTY),
            removable: SquareSet::EMPTY,
            free: SquareSet::EMPTY,
            kinds: [RankSet::EMPTY; 2],
            owes_color: false,
            choices: RankSet::EMPTY,
        }
    }

    /// Creates the commands of a side that has these moves. `reserve` is the side's reserve, if
    /// the ruleset has one.
    pub(crate) fn new(
        ruleset: &Ruleset,
        side: Side,
        field: &Field<'_>,
        moves: LegalMoves,
        flag: Option<Square>,
        reserve: Option<&Reserve>,
    ) -> LegalCommands {
        let flashes = field.flashes();
        let mut commands = LegalCommands {
            has_joints: ruleset.shape.has_joints(),
            colors: if ruleset.chips { ChipColor::ALL.len() } else { 1 },
            landings: moves.without(&flashes),
            flashes,
            ..LegalCommands::none()
        };
        if let Some(reserve) = reserve {
            commands.removable = *field.own;
            flag.into_iter().for_each(|flag| commands.removable.remove(flag));
            commands.free = (ruleset.shape.home(side) & *field.open).without(*field.own).without(*field.foes);
            commands.kinds = [reserve.unlabeled, reserve.labeled]
                .map(|counts| counts.iter().map(|(rank, _)| rank).collect());
        }
        commands
    }

    /// Creates the commands of a side that must name a color (§S2.4).
    pub(crate) fn of_owed_color() -> LegalCommands {
        LegalCommands { colors: ChipColor::ALL.len(), owes_color: true, ..LegalCommands::none() }
    }

    /// Creates the commands of a side that must choose the rank of its coin in a strike (§Q4).
    pub(crate) fn of_choices(choices: RankSet) -> LegalCommands {
        LegalCommands { choices, ..LegalCommands::none() }
    }

    fn landings_len(&self) -> usize {
        self.landings.len() * self.colors
    }

    /// The number of commands that are moves. They come before all other commands.
    pub fn moves_len(&self) -> usize {
        self.landings_len() + self.flashes.len()
    }

    /// The number of commands.
    pub fn len(&self) -> usize {
        if self.owes_color {
            return self.colors;
        }
        if !self.choices.is_empty() {
            return self.choices.len() as usize;
        }
        let placings = self.kinds_len() * self.free.len() as usize * self.colors;
        self.moves_len() + self.removable.len() as usize + placings
    }

    /// True if there are no commands.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The command at index `n` in the order of [`LegalCommands::iter`].
    pub fn nth(&self, n: usize) -> Option<Command> {
        if self.owes_color {
            return ChipColor::ALL.get(n).copied().map(Command::Color);
        }
        if !self.choices.is_empty() {
            return self.choices.iter().nth(n).map(|rank| Command::Choose(Choice(rank)));
        }
        if n < self.landings_len() {
            return self.nth_move(&self.landings, n / self.colors, self.color(n));
        }
        let n = n - self.landings_len();
        if n < self.flashes.len() {
            return self.nth_move(&self.flashes, n, None);
        }
        let n = n - self.flashes.len();
        if n < self.removable.len() as usize {
            return self.removable.iter().nth(n).map(Command::Remove);
        }
        let n = n - self.removable.len() as usize;
        let color = self.color(n);
        let n = n / self.colors;
        let (rank, is_labeled) = self.nth_kind(n.checked_rem(self.kinds_len())?)?;
        let square = self.free.iter().nth(n / self.kinds_len())?;
        Some(Command::Place(Placing { square, rank, is_labeled, color }))
    }

    fn kinds_len(&self) -> usize {
        self.kinds.iter().map(|ranks| ranks.len() as usize).sum()
    }

    fn nth_kind(&self, n: usize) -> Option<(Rank, bool)> {
        let [unlabeled, labeled] = self.kinds;
        let kinds = unlabeled.iter().map(|rank| (rank, false));
        kinds.chain(labeled.iter().map(|rank| (rank, true))).nth(n)
    }

    fn color(&self, n: usize) -> Option<ChipColor> {
        if self.colors == 1 { None } else { ChipColor::ALL.get(n % self.colors).copied() }
    }

    fn nth_move(&self, moves: &LegalMoves, n: usize, color: Option<ChipColor>) -> Option<Command> {
        let (squares, direction) = moves.nth_way(n)?;
        let path = self.has_joints.then(|| direction.sign());
        Some(Command::Move(MoveCommand { squares, path, color }))
    }

    /// All commands, in order.
    pub fn iter(&self) -> impl Iterator<Item = Command> + '_ {
        (0..self.len()).filter_map(|n| self.nth(n))
    }
}

impl std::fmt::Debug for LegalCommands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LegalCommands({})", self.len())
    }
}
