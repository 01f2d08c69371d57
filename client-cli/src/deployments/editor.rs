//! The deployment editor: the player's home squares and the pieces still in hand.

use flagfall_board::{Direction, Rank, Side, Square, SquareSet};
use flagfall_rules::{Ruleset, SetupRefusal};

use super::text;
use crate::random::Random;

#[derive(Clone, PartialEq, Eq)]
pub struct DeployEditor {
    pub side: Side,
    pub ruleset: &'static Ruleset,
    lakes: SquareSet,
    /// The piece on each home square, in the order of the text in §P4.
    places: Vec<Option<Rank>>,
    cursor: usize,
    picked: Option<usize>,
    /// The last text that the server accepted.
    pub handed_in: Option<String>,
}

impl std::fmt::Debug for DeployEditor {
    /// Shows no pieces, because deployments are hidden information. Logs and panic messages must
    /// not show them either.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeployEditor")
            .field(&format_args!("{}", self.side))
            .field(&format_args!("{}", self.ruleset.id))
            .finish()
    }
}

impl DeployEditor {
    /// Creates an editor that starts with a suggested deployment.
    pub fn new(side: Side, ruleset: &'static Ruleset, lakes: SquareSet, chance: &mut Random) -> DeployEditor {
        let mut editor = DeployEditor {
            side,
            ruleset,
            lakes,
            places: vec![None; ruleset.shape.home_len()],
            cursor: 0,
            picked: None,
            handed_in: None,
        };
        editor.suggest(chance);
        editor
    }

    /// Returns the deployment text (§P4) without spaces.
    pub fn text(&self) -> String {
        self.places.iter().map(|rank| rank.map_or('.', Rank::letter)).collect()
    }

    /// Returns the deployment text. The error is the first rule that the deployment breaks.
    pub fn checked_text(&self) -> Result<String, SetupRefusal> {
        let text = self.text();
        text::places(&text, self.ruleset)?;
        Ok(text)
    }

    /// Loads a deployment. After an error, the editor keeps its contents.
    pub fn load(&mut self, text: &str) -> Result<(), SetupRefusal> {
        self.places = text::places(text, self.ruleset)?;
        self.picked = None;
        Ok(())
    }

    pub fn randomize(&mut self, chance: &mut Random) {
        let text = text::random(self.ruleset, self.side, chance);
        self.put(&text);
    }

    pub fn suggest(&mut self, chance: &mut Random) {
        let text = text::suggested(self.ruleset, self.lakes, self.side, chance);
        self.put(&text);
    }

    fn put(&mut self, text: &str) {
        self.places = text.chars().map(Rank::from_letter).collect();
        self.places.resize(self.ruleset.shape.home_len(), None);
        self.picked = None;
    }

    /// Moves the cursor to the neighboring square if that square is a home square.
    pub fn step(&mut self, direction: Direction) {
        let target = self.cursor().and_then(|square| square.neighbor(direction));
        if let Some(place) = target.and_then(|square| self.place_of(square)) {
            self.cursor = place;
        }
    }

    /// Moves the cursor to a square. False if the square is not a home square.
    pub fn point_at(&mut self, square: Square) -> bool {
        let place = self.place_of(square);
        self.cursor = place.unwrap_or(self.cursor);
        place.is_some()
    }

    /// Picks up the piece under the cursor, or swaps it with the piece that is already picked up.
    pub fn pick_or_swap(&mut self) {
        match self.picked.take() {
            Some(from) => self.places.swap(from, self.cursor),
            None if self.places[self.cursor].is_some() => self.picked = Some(self.cursor),
            None => {}
        }
    }

    pub fn drop_picked(&mut self) {
        self.picked = None;
    }

    /// Moves the piece under the cursor into the hand.
    pub fn take_off(&mut self) {
        self.places[self.cursor] = None;
        self.picked = None;
    }

    /// Puts a piece from the hand on the square under the cursor. A piece that was on this square
    /// goes to the hand. True if the hand had a piece of this rank.
    pub fn place(&mut self, rank: Rank) -> bool {
        let is_in_hand = self.in_hand().any(|(in_hand, _)| in_hand == rank);
        if is_in_hand {
            self.places[self.cursor] = Some(rank);
            self.picked = None;
        }
        is_in_hand
    }

    /// Returns the ranks in hand, each with its count.
    pub fn in_hand(&self) -> impl Iterator<Item = (Rank, usize)> + '_ {
        self.ruleset.army.iter().filter_map(|(rank, count)| {
            let placed = self.places.iter().filter(|place| **place == Some(rank)).count();
            let left = usize::from(count).saturating_sub(placed);
            (left > 0).then_some((rank, left))
        })
    }

    pub fn rank_at(&self, square: Square) -> Option<Rank> {
        self.place_of(square).and_then(|place| self.places[place])
    }

    pub fn cursor(&self) -> Option<Square> {
        self.ruleset.shape.home_square(self.side, self.cursor)
    }

    pub fn picked(&self) -> Option<Square> {
        self.ruleset.shape.home_square(self.side, self.picked?)
    }

    /// True if the deployment on the board is the one that the server accepted.
    pub fn is_handed_in(&self) -> bool {
        self.handed_in.as_deref() == Some(self.text().as_str())
    }

    fn place_of(&self, square: Square) -> Option<usize> {
        let shape = &self.ruleset.shape;
        (0..shape.home_len()).find(|place| shape.home_square(self.side, *place) == Some(square))
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::Chance;

    use super::*;

    fn editor(id: &str) -> DeployEditor {
        let ruleset = Ruleset::find(id).expect("a ruleset");
        DeployEditor::new(Side::Red, ruleset, ruleset.shape.lakes, &mut Random::Seeded(Chance::new(1)))
    }

    #[test]
    fn picking_up_and_swapping_keeps_the_army() {
        let mut editor = editor("classic");
        let before = editor.text();
        editor.pick_or_swap();
        editor.step(Direction::Down);
        editor.step(Direction::Right);
        editor.pick_or_swap();
        let after = editor.text();
        assert_eq!(before.chars().next(), after.chars().nth(11));
        assert_eq!(before.chars().nth(11), after.chars().next());
        assert!(editor.checked_text().is_ok());
        assert_eq!(editor.picked(), None);
    }

    #[test]
    fn the_cursor_stays_on_the_home_rows() {
        let mut editor = editor("classic");
        assert_eq!(editor.cursor().map(|square| square.to_string()).as_deref(), Some("a4"));
        editor.step(Direction::Up);
        editor.step(Direction::Left);
        assert_eq!(editor.cursor().map(|square| square.to_string()).as_deref(), Some("a4"));
        for _ in 0..20 {
            editor.step(Direction::Down);
        }
        assert_eq!(editor.cursor().map(|square| square.to_string()).as_deref(), Some("a1"));
    }

    #[test]
    fn a_piece_taken_off_is_in_hand_and_can_be_placed_on_any_home_square() {
        let mut editor = editor("barrage");
        assert_eq!(editor.in_hand().count(), 0);
        let place = editor.text().find('F').expect("a Flag");
        editor.cursor = place;
        editor.take_off();
        assert_eq!(editor.in_hand().collect::<Vec<_>>(), [(Rank::Flag, 1)]);
        assert!(editor.checked_text().is_err());
        editor.cursor = editor.text().rfind('.').expect("an empty square");
        assert!(!editor.place(Rank::Marshal), "the Marshal is on the board already");
        assert!(editor.place(Rank::Flag));
        assert!(editor.checked_text().is_ok());
    }

    #[test]
    fn a_bad_text_changes_nothing_and_debug_shows_no_piece() {
        let mut editor = editor("classic");
        let before = editor.text();
        assert!(editor.load("FFF").is_err());
        assert_eq!(editor.text(), before);
        assert_eq!(format!("{editor:?}"), "DeployEditor(Red, classic)");
    }
}
