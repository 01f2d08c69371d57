//! Shows a game's record, as text or step by step on a board.

use flagfall_board::{Ply, Side};
use flagfall_protocol::{GameEvent, GameRecord, GameView, Viewer};
use flagfall_records::with_changes;
use flagfall_rules::Ruleset;

use crate::{deployments, text, words};

/// A record and a position in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    pub(crate) record: GameRecord,
    pub(crate) ruleset: &'static Ruleset,
    /// The number of events that can be shown. The first event without a recorded change, and all
    /// events after it, cannot be shown.
    pub last: usize,
    /// Number of events up to the current position.
    pub at: usize,
    first_view: GameView,
    pub(crate) view: GameView,
}

impl Replay {
    /// Creates a replay at the position before the first ply.
    pub fn new(record: GameRecord) -> Result<Replay, String> {
        let id = record.terms.ruleset.clone();
        let unknown = || text!("replay-unknown-ruleset", ruleset = &id);
        let ruleset = Ruleset::find(&id).ok_or_else(unknown)?;
        let record = if record.first_view.is_some() { record } else { record.without_changes() };
        let record = with_changes(record);
        let first_view = record.first_view.clone().ok_or_else(unknown)?;
        let first_view = GameView { audience: Viewer::Public, ..first_view };
        let last = record.events.iter().take_while(|told| told.change.is_some()).count();
        let mut replay = Replay { record, ruleset, last, at: 0, view: first_view.clone(), first_view };
        let start =
            replay.record.events.iter().position(|told| matches!(told.event, GameEvent::Started { .. }));
        // Games with coins have no `Started` event, so they begin before their first event.
        replay.go(start.map_or(0, |index| index + 1));
        Ok(replay)
    }

    /// Goes to the position after `at` events, or to the last position.
    pub fn go(&mut self, at: usize) {
        let at = at.min(self.last);
        if at < self.at {
            self.view = self.first_view.clone();
            self.at = 0;
        }
        for told in &self.record.events[self.at..at] {
            if let Some(change) = &told.change {
                self.view.apply(&told.event, change);
            }
        }
        self.at = at;
    }

    pub fn sentence(&self) -> String {
        let sentence = match self.at.checked_sub(1).and_then(|index| self.record.events.get(index)) {
            Some(told) => words::event(&told.event),
            None => text!("replay-start"),
        };
        if self.at == self.last && self.last < self.record.events.len() {
            return text!("replay-no-more", event = sentence);
        }
        sentence
    }

    /// Returns at most `max` sentences about the latest events up to this position, in the order
    /// of the events.
    pub fn sentences(&self, max: usize) -> Vec<String> {
        let before = self.at.saturating_sub(1);
        let earlier = &self.record.events[before.saturating_sub(max.saturating_sub(1))..before];
        earlier.iter().map(|told| words::event(&told.event)).chain([self.sentence()]).collect()
    }

    pub fn text(&self) -> String {
        let record = &self.record;
        let mut lines = vec![
            text!("replay-game", game = record.game),
            words::terms(&record.terms),
            text!("replay-created", date = words::date(record.created)),
        ];
        for side in Side::BOTH {
            lines.push(text!("replay-player", side, player = words::player(&record.players[side])));
        }
        let lakes = record.lakes.as_ref().map(|lakes| words::squares(lakes.iter().copied().collect()));
        lines.extend(lakes.map(|squares| text!("replay-lakes", squares)));
        lines.extend(record.audience.side().map(|side| text!("replay-audience", side)));
        for side in Side::BOTH {
            if let Some(opened) = &record.deployments[side] {
                let setup = deployments::text::in_rows(&opened.setup, self.ruleset);
                lines.push(text!("replay-deployed", side, setup));
            }
        }
        lines.push(String::new());
        let mut ply: Ply = 0;
        for told in &record.events {
            let event = words::event(&told.event);
            if told.event.is_ply() {
                ply += 1;
                lines.push(format!("{ply:>4}. {event}"));
            } else {
                lines.push(format!("      {event}"));
            }
        }
        words::clean(&(lines.join("\n") + "\n"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use flagfall_board::{PerSide, Rank, Stamp};
    use flagfall_protocol::{Phase, Player, PlayerKind, Recorder, Terms, Time};
    use flagfall_rules::{Command, Entropy, Game, GameTerms, Setup, TimeControl, Viewer, decide, evolve};

    use super::*;

    /// Returns the public record of a short game, before and after its end.
    pub(crate) fn records() -> [GameRecord; 2] {
        let ruleset = Ruleset::find("barrage").expect("a ruleset");
        let mut game = Game::new(GameTerms {
            game: "0123456789ab".parse().expect("an id"),
            ruleset,
            lakes: ruleset.shape.lakes,
            time: TimeControl::Unlimited,
            deploy_ms: 300_000,
            created: Stamp(1_795_270_000_000),
            secret: PerSide::default(),
        });
        let setup = |side| {
            let text = "..9.1...9. .....2S... ...8...... ....FB....";
            Command::Deploy(Setup::from_text(text, side, ruleset).expect("a setup"))
        };
        let squares = |text: &str| Command::Move(text.parse().expect("a move"));
        let commands = [
            (Side::Red, setup(Side::Red)),
            (Side::Blue, setup(Side::Blue)),
            (Side::Red, squares("e4e5")),
            (Side::Blue, squares("f7f6")),
            (Side::Red, squares("e5f5")),
            (Side::Blue, squares("f6f5")),
            (Side::Red, Command::Resign),
        ];
        let mut recorder = Recorder::new(game.clone());
        let mut made = commands.into_iter().map(|(side, command)| {
            let at = game.latest().plus_ms(1_000);
            let events = decide(&game, side, game.ply(), &command, at, &Entropy([7; 32])).expect("legal");
            for event in events {
                evolve(&mut game, &event, at);
                recorder.note(&event, at);
            }
            let terms = Terms {
                ruleset: ruleset.id.to_owned(),
                time: Time::Unlimited {},
                private: false,
                secret: false,
                rated: false,
            };
            let player =
                |name: &str| Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest };
            recorder.record(Viewer::Public, terms, PerSide::new(player("ann"), player("bob")))
        });
        let running = made.nth(5).expect("a record");
        [running, made.next().expect("a record")]
    }

    #[test]
    fn stepping_forth_and_back_shows_the_same() {
        let [running, over] = records();
        // Old records contain no changes, but can be stepped through too.
        for record in [over.clone().without_changes(), over, running] {
            let is_over = record.outcome.is_some();
            let mut replay = Replay::new(record).expect("a known ruleset");
            assert_eq!((replay.at, replay.last), (3, if is_over { 8 } else { 7 }));
            assert_eq!(replay.view.pieces.len(), 16);
            let start = replay.clone();
            replay.go(7);
            assert_eq!(replay.view.pieces.len(), 14);
            assert_eq!(replay.view.captured.red[Rank::Marshal], 1);
            replay.go(99);
            assert_eq!(replay.view.phase, if is_over { Phase::Over } else { Phase::Playing });
            replay.go(3);
            assert_eq!(replay, start);
            assert_eq!(replay.sentences(9).len(), 3);
            assert_eq!(replay.sentences(2).last(), Some(&replay.sentence()));
            assert_eq!(replay.sentences(2).len(), 2);
            replay.go(0);
            assert_eq!(replay.sentences(9), ["This is the position before the first event."]);
        }
    }

    #[test]
    fn an_old_record_that_hides_squares_says_so() {
        let [running, _] = records();
        let replay = Replay::new(running.without_changes()).expect("a known ruleset");
        assert_eq!(replay.last, 0);
        assert!(replay.sentence().ends_with("cannot be shown on a board."), "{}", replay.sentence());
    }

    #[test]
    fn the_text_tells_the_game() {
        let [_, over] = records();
        insta::assert_snapshot!(Replay::new(over).expect("a known ruleset").text());
    }
}
