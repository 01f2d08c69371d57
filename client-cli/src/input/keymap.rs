//! The table of keys.

use flagfall_board::{ChipColor, Direction, Numbering, Rank};
use flagfall_protocol::{ClaimedResult, Phase};

use super::action::Action;
use super::action::Jump::{Back, First, Forward, Last};
use super::conditions::{
    has_commands, has_help_above, has_help_below, has_newer, has_older, is_challenged, is_column,
    is_typing_move, lists_ranks,
};
use super::layout::latin;
use super::screen::{Screen, screen, screen_below};
use crate::model::{Key, Model, OpenGame};
use crate::names::is_plain_letter;
use crate::text;
use crate::texts::words;

const CHIP_LETTERS: &str = "r y b g";
/// Number of entries that a long step skips, for example events of a record.
const LEAP: usize = 10;

/// The screens that show a game in progress rather than a record.
const GAME: &[Screen] = &[Screen::Deploying, Screen::Playing, Screen::Watching];
/// The screens on which news about other games and challenges may arrive.
const ONLINE: &[Screen] =
    &[Screen::Waiting, Screen::List, Screen::Deploying, Screen::Playing, Screen::Watching];
const BOARD: &[Screen] = &[Screen::Deploying, Screen::Playing, Screen::Watching, Screen::Record];
const TEXT: &[Screen] = &[Screen::Typing, Screen::Message, Screen::Name];
const LISTS: &[Screen] = &[Screen::List, Screen::Reserve, Screen::Saved];
const HELPED: &[Screen] = &[
    Screen::Record,
    Screen::Waiting,
    Screen::List,
    Screen::Terms,
    Screen::Deploying,
    Screen::Playing,
    Screen::Watching,
    Screen::Reserve,
    Screen::Saved,
];
/// An empty list of screens, which means that a row applies to all screens.
const ALL: &[Screen] = &[];

enum Trigger {
    /// Any of these keys, all with the same action.
    Keys(&'static [Key], Action),
    /// The arrow keys, which move the cursor of a board.
    Arrows,
    /// The keys that move the cursor of a list. Up and Down move by one entry, and Home and End
    /// go to the ends of the list.
    ListKeys,
    /// The digit or letter of a rank in the player's army.
    Figure(fn(Rank) -> Action),
    ChipLetter,
    /// The letter D, which offers a draw. A move can also start with D, because boards have a
    /// column d.
    Draw,
    /// A letter or digit that can be part of a move.
    MoveLetter,
    NameLetter,
    AnyLetter,
    /// Any other key.
    Other(Action),
    /// Any other key, except those that scroll.
    OtherThanScrolling(Action),
}

struct Binding {
    screens: &'static [Screen],
    trigger: Trigger,
    holds: Condition,
    /// The id of the text in the key bar. Empty if the key bar omits the keys.
    label: &'static str,
    help: &'static str,
}

enum Condition {
    Always,
    If(fn(&Model) -> bool),
    IfGame(fn(&OpenGame) -> bool),
}

/// A description of one or more keys of the current screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyHint {
    /// The names of the keys. The key bar shows the first name, and the help shows all of them.
    pub keys: Vec<String>,
    /// The effect of the keys, for the key bar. Empty if the key bar omits them.
    pub label: String,
    /// The effect of the keys, for the help. Empty if the help omits them.
    pub help: String,
    /// True if the keys work only on this screen.
    pub is_own: bool,
    pub is_help: bool,
}

/// Returns a row without a condition.
const fn row(
    screens: &'static [Screen],
    trigger: Trigger,
    label: &'static str,
    help: &'static str,
) -> Binding {
    Binding { screens, trigger, holds: Condition::Always, label, help }
}

const fn key(letter: &'static [Key], action: Action) -> Trigger {
    Trigger::Keys(letter, action)
}

/// The table of keys. The first row that matches a key applies. The key bar shows as many rows as
/// fit.
static TABLE: &[Binding] = {
    use Action as A;
    use Key::{Backspace, Char, Delete, Down, End, Enter, Escape, Home, Interrupt, Left};
    use Key::{PageDown, PageUp, Right, Up};
    use Screen as S;
    &[
        // Questions.
        row(&[S::Question], key(&[Char('y'), Char('Y')], A::Confirm), "key-yes", ""),
        row(&[S::Claim], key(&[Char('w'), Char('W')], A::Claim(ClaimedResult::Win)), "key-win", ""),
        row(&[S::Claim], key(&[Char('d'), Char('D')], A::Claim(ClaimedResult::Draw)), "key-draw", ""),
        row(&[S::Challenge], key(&[Char('y'), Char('Y')], A::Confirm), "key-accept", ""),
        row(&[S::Challenge], key(&[Char('n'), Char('N')], A::DeclineChallenge), "key-decline", ""),
        row(&[S::Color], Trigger::ChipLetter, "key-color", ""),
        // Lists.
        row(LISTS, Trigger::ListKeys, "key-choose", "key-help-move-the-cursor"),
        row(&[S::List], key(&[Enter], A::Pick), "key-take-it", "key-help-take-the-entry"),
        row(&[S::Reserve], key(&[Enter, Char(' ')], A::Pick), "key-place-it", "key-help-place-the-piece"),
        row(&[S::Reserve], Trigger::Figure(A::FindRank), "key-choose", "key-help-go-to-that-piece")
            .when(lists_ranks),
        row(&[S::Saved], key(&[Enter], A::Pick), "key-load-it", "key-help-load-the-deployment"),
        row(&[S::Color], key(&[Escape], A::Cancel), "key-back", ""),
        row(&[S::Reserve, S::Saved], key(&[Escape, Char('q')], A::Cancel), "key-back", "key-help-go-back"),
        row(&[S::Terms], key(&[Char('y'), Enter], A::Confirm), "key-accept", "key-help-accept-and-play"),
        row(&[S::Terms], key(&[Char('q'), Char('n'), Escape], A::Leave), "key-leave", "key-help-leave"),
        // Text.
        row(&[S::Typing], Trigger::ChipLetter, "key-color", "").in_game(OpenGame::is_owing_color),
        row(&[S::Typing], Trigger::MoveLetter, "key-type-on", "").in_game(is_typing_move),
        row(&[S::Typing], Trigger::AnyLetter, "key-type-on", "").in_game(|game| game.typed.starts_with(':')),
        row(&[S::Message], Trigger::AnyLetter, "key-type", ""),
        row(&[S::Name], Trigger::NameLetter, "key-type", ""),
        row(&[S::Typing], key(&[Enter], A::Submit), "key-accept-the-draw", "")
            .in_game(|game| game.typed == "d" && game.is_offered_draw()),
        row(&[S::Typing], key(&[Enter], A::Submit), "key-offer-a-draw", "").in_game(|game| game.typed == "d"),
        row(&[S::Typing], key(&[Enter], A::Submit), "key-play-it", "").in_game(|game| game.typed != "d"),
        row(&[S::Message], key(&[Enter], A::Submit), "key-send", ""),
        row(&[S::Name], key(&[Enter], A::Submit), "key-save", ""),
        row(TEXT, key(&[Backspace], A::Erase), "key-erase", ""),
        row(TEXT, key(&[Escape], A::Clear), "key-back", ""),
        // History.
        row(&[S::History], key(&[Up], A::Go(Back(1))), "key-older", "").when(has_older),
        row(&[S::History], key(&[Down], A::Go(Forward(1))), "key-newer", "").when(has_newer),
        row(&[S::History], key(&[PageUp], A::Go(Back(LEAP))), "key-ten", "").when(has_older),
        row(&[S::History], key(&[PageDown], A::Go(Forward(LEAP))), "key-ten", "").when(has_newer),
        row(&[S::History], key(&[Home], A::Go(First)), "key-first", "").when(has_older),
        row(&[S::History], key(&[End], A::Go(Last)), "key-last", "").when(has_newer),
        row(&[S::History], key(&[Escape, Char('H'), Char('q')], A::Cancel), "key-back", ""),
        // A record.
        row(
            &[S::Record],
            key(&[Right, Char(' '), Enter], A::Go(Forward(1))),
            "key-step",
            "key-help-one-step-on",
        ),
        row(&[S::Record], key(&[Left, Backspace], A::Go(Back(1))), "key-back", "key-help-one-step-back"),
        row(&[S::Record], key(&[Down, PageDown], A::Go(Forward(LEAP))), "key-ten", "key-help-ten-steps-on"),
        row(&[S::Record], key(&[Up, PageUp], A::Go(Back(LEAP))), "key-ten-back", "key-help-ten-steps-back"),
        row(&[S::Record], key(&[Home], A::Go(First)), "", "key-help-to-the-start"),
        row(&[S::Record], key(&[End], A::Go(Last)), "", "key-help-to-the-end"),
        // Deploying.
        row(&[S::Deploying], key(&[Enter], A::HandIn), "key-submit", "key-help-submit"),
        row(&[S::Deploying], key(&[Char(' ')], A::PickUp), "key-pick-swap", "key-help-pick-up-then-swap"),
        row(&[S::Deploying], key(&[Char('r')], A::Randomize), "key-random", "key-help-random-deployment"),
        row(&[S::Deploying], key(&[Char('s')], A::Suggest), "key-suggested", "key-help-suggested-one"),
        row(&[S::Deploying], key(&[Char('w')], A::Save), "key-save", "key-help-save-it"),
        row(&[S::Deploying], key(&[Char('l')], A::Load), "key-load", "key-help-load-a-saved-one"),
        row(&[S::Deploying], key(&[Backspace, Delete], A::TakeOff), "", "key-help-take-a-piece-off"),
        row(&[S::Deploying], Trigger::Figure(A::Put), "", "key-help-place-one-in-hand"),
        row(&[S::Deploying], key(&[Escape], A::PutBack), "", "key-help-put-it-back")
            .in_game(|game| game.editor.as_ref().is_some_and(|editor| editor.picked().is_some())),
        // Playing.
        row(&[S::Playing], Trigger::ChipLetter, "key-color", "key-help-the-chip-s-color")
            .in_game(OpenGame::is_owing_color),
        row(&[S::Playing], Trigger::Figure(A::Choose), "key-choose", "key-help-what-the-coin-is")
            .in_game(OpenGame::is_choosing),
        row(&[S::Playing], Trigger::Draw, "key-accept", "key-help-accept-the-draw")
            .in_game(OpenGame::is_offered_draw),
        row(&[S::Playing], key(&[Char('x')], A::DeclineDraw), "key-decline", "key-help-decline-the-draw")
            .in_game(OpenGame::is_offered_draw),
        row(&[S::Playing], key(&[Char('C')], A::AskClaim), "key-claim", "key-help-claim-win-or-draw")
            .in_game(|game| game.claimable_in_ms(0).is_some()),
        row(GAME, Trigger::Arrows, "key-cursor", "key-help-move-the-cursor"),
        row(&[S::Playing], key(&[Enter, Char(' ')], A::Select), "key-select", "key-help-select-then-go"),
        row(&[S::Playing], key(&[Escape], A::Deselect), "", "key-help-select-nothing")
            .in_game(|game| game.selected.is_some() || game.premove.is_some()),
        row(&[S::Playing], Trigger::Draw, "key-draw", "key-help-offer-a-draw")
            .in_game(|game| game.view.draw_offer.is_none()),
        row(&[S::Playing], Trigger::MoveLetter, "key-move", "key-help-type-a-move"),
        row(GAME, key(&[Char('q')], A::Leave), "key-leave", "key-help-leave-the-seat-stays"),
        row(&[S::Playing], key(&[Char('+')], A::Place), "key-place", "key-help-place-from-reserve")
            .in_game(|game| game.view.reserve.is_some()),
        row(&[S::Playing], key(&[Char('-')], A::Remove), "key-take-off", "key-help-take-into-reserve")
            .in_game(|game| game.view.reserve.is_some()),
        row(&[S::Deploying, S::Playing], key(&[Char('A')], A::Abort), "key-abort", "key-help-abort")
            .in_game(OpenGame::is_abortable),
        row(&[S::Playing], key(&[Char('R')], A::Resign), "key-resign", "key-help-resign")
            .in_game(|game| game.view.phase == Phase::Playing),
        row(&[S::Playing], key(&[Char(':')], A::Type(':')), "", "key-help-type-command")
            .in_game(has_commands),
        row(&[S::Watching], key(&[Char('m')], A::Rematch), "key-rematch", "key-help-ask-for-a-rematch")
            .in_game(|game| game.is_over() && game.own_side().is_some()),
        // Several screens.
        row(ONLINE, key(&[Char('J')], A::AnswerChallenge), "key-challenge", "key-help-answer-a-challenge")
            .when(is_challenged),
        row(
            &[S::Waiting, S::List, S::Record],
            key(&[Char('q'), Escape], A::Leave),
            "key-leave",
            "key-help-leave",
        ),
        row(ONLINE, key(&[Char('G')], A::NextGame), "key-next-game", "key-help-your-next-game")
            .when(|model| model.login.player.is_some()),
        row(BOARD, key(&[Char('t')], A::TurnBoard), "key-turn", "key-help-turn-the-board"),
        row(BOARD, key(&[Char('n'), Char('N')], A::SwitchFigures), "key-figures", "key-help-us-or-eu")
            .in_game(|game| !is_column(game, 'n')),
        row(BOARD, key(&[Char('N')], A::SwitchFigures), "key-figures", "key-help-us-or-eu")
            .in_game(|game| is_column(game, 'n')),
        row(GAME, key(&[Char('H')], A::ShowHistory), "key-history", "key-help-history"),
        row(GAME, key(&[Char(';')], A::Talk), "key-talk", "key-help-talk-mute-report")
            .in_game(|game| game.own_side().is_some()),
        row(HELPED, key(&[Char('?')], A::ShowHelp), "key-help", "key-help-show-this"),
        row(ALL, key(&[Interrupt], A::Stop), "", "key-help-leave-at-once"),
        row(&[S::Question], Trigger::Other(A::Cancel), "key-no", ""),
        row(&[S::Claim, S::Challenge], Trigger::Other(A::Cancel), "key-later", ""),
        // The key bar omits these keys, because the title of the help mentions them if the help
        // needs scrolling.
        row(&[S::Help], key(&[Up], A::Go(Back(1))), "", "").when(has_help_above),
        row(&[S::Help], key(&[Down], A::Go(Forward(1))), "", "").when(has_help_below),
        row(&[S::Help], key(&[PageUp], A::Go(Back(LEAP))), "", "").when(has_help_above),
        row(&[S::Help], key(&[PageDown], A::Go(Forward(LEAP))), "", "").when(has_help_below),
        row(&[S::Help], Trigger::OtherThanScrolling(A::CloseHelp), "key-closes-this", ""),
    ]
};

/// Returns the rows that apply to a screen in the current state.
fn rows(model: &Model, screen: Screen) -> impl Iterator<Item = &'static Binding> {
    let is_there = move |row: &&Binding| row.screens.is_empty() || row.screens.contains(&screen);
    TABLE.iter().filter(is_there).filter(move |row| match row.holds {
        Condition::Always => true,
        Condition::If(is_so) => is_so(model),
        Condition::IfGame(is_so) => model.game.as_ref().is_some_and(is_so),
    })
}

/// Returns the action of a key in the current state. `None` if the key has no action.
pub fn action(model: &Model, key: Key) -> Option<Action> {
    let key = on_latin_keyboard(model, key);
    rows(model, screen(model)).find_map(|row| row.trigger.action(model, key))
}

/// Returns the key in the same position on a Latin keyboard. While the user types a message or a
/// name, returns the typed key unchanged.
fn on_latin_keyboard(model: &Model, key: Key) -> Key {
    match key {
        Key::Char(letter) if !matches!(screen(model), Screen::Message | Screen::Name) => {
            Key::Char(latin(letter))
        }
        key => key,
    }
}

/// Returns hints for the keys of the current screen, or of the screen behind the help if
/// `of_help` is true.
pub fn hints(model: &Model, of_help: bool) -> Vec<KeyHint> {
    let screen = if of_help { screen_below(model) } else { screen(model) };
    rows(model, screen).map(Binding::hint).collect()
}

/// Returns the hint of a key.
#[cfg(test)]
pub(super) fn bound(model: &Model, key: Key) -> Option<KeyHint> {
    let row = rows(model, screen(model)).find(|row| row.trigger.action(model, key).is_some());
    row.map(Binding::hint)
}

impl Binding {
    /// Limits the row to states in which `is_so` is true.
    const fn when(self, is_so: fn(&Model) -> bool) -> Binding {
        Binding { holds: Condition::If(is_so), ..self }
    }

    /// Limits the row to open games for which `is_so` is true.
    const fn in_game(self, is_so: fn(&OpenGame) -> bool) -> Binding {
        Binding { holds: Condition::IfGame(is_so), ..self }
    }

    fn hint(&self) -> KeyHint {
        let text = |id: &str| if id.is_empty() { String::new() } else { words().text(id) };
        KeyHint {
            keys: self.trigger.names(),
            label: text(self.label),
            help: text(self.help),
            is_own: self.screens.len() == 1,
            is_help: matches!(self.trigger, Trigger::Keys(_, Action::ShowHelp)),
        }
    }
}

/// Returns the name of the first key for an action, for texts that mention the key.
pub fn key_for(action: Action) -> String {
    let keys = TABLE.iter().find(|row| matches!(row.trigger, Trigger::Keys(_, does) if does == action));
    keys.and_then(|row| row.trigger.names().into_iter().next()).unwrap_or_default()
}

/// Returns a text that explains how to answer a draw offer.
pub fn answers_to_draw() -> String {
    text!("draw-answers", accept = text!("key-name-draw"), decline = key_for(Action::DeclineDraw))
}

impl Trigger {
    fn action(&self, model: &Model, key: Key) -> Option<Action> {
        let numbering = model.options.numbering;
        match (self, key) {
            (Trigger::Keys(keys, action), key) => keys.contains(&key).then_some(*action),
            (Trigger::Arrows, Key::Up) => Some(Action::Step(Direction::Up)),
            (Trigger::Arrows, Key::Down) => Some(Action::Step(Direction::Down)),
            (Trigger::Arrows, Key::Left) => Some(Action::Step(Direction::Left)),
            (Trigger::Arrows, Key::Right) => Some(Action::Step(Direction::Right)),
            (Trigger::ListKeys, Key::Up | Key::Char('k')) => Some(Action::Go(Back(1))),
            (Trigger::ListKeys, Key::Down | Key::Char('j')) => Some(Action::Go(Forward(1))),
            (Trigger::ListKeys, Key::Home) => Some(Action::Go(First)),
            (Trigger::ListKeys, Key::End) => Some(Action::Go(Last)),
            (Trigger::Figure(action), Key::Char(letter)) => {
                let army = model.game.as_ref()?.ruleset?.army;
                rank_of(letter, numbering).filter(|rank| army.count(*rank) > 0).map(action)
            }
            (Trigger::ChipLetter, Key::Char(letter)) => {
                ChipColor::ALL.into_iter().find(|color| color.letter() == letter).map(Action::Color)
            }
            (Trigger::Draw, Key::Char('d')) => Some(Action::Type('d')),
            (Trigger::MoveLetter, Key::Char(letter)) => {
                let game = model.game.as_ref()?;
                let is_digit = letter.is_ascii_digit() && !game.typed.is_empty();
                (is_digit || is_column(game, letter)).then_some(Action::Type(letter))
            }
            (Trigger::NameLetter, Key::Char(letter)) => {
                is_plain_letter(letter).then_some(Action::Type(letter))
            }
            (Trigger::AnyLetter, Key::Char(letter)) => Some(Action::Type(letter)),
            (Trigger::OtherThanScrolling(_), Key::Up | Key::Down | Key::PageUp | Key::PageDown) => None,
            (Trigger::Other(action) | Trigger::OtherThanScrolling(action), _) => Some(*action),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Trigger::Keys(keys, _) => keys.iter().map(|key| name(*key)).collect(),
            Trigger::Arrows => vec![text!("key-name-arrows")],
            Trigger::ListKeys => {
                let [home, end] = [name(Key::Home), name(Key::End)];
                vec![text!("key-name-arrows"), "j".to_owned(), "k".to_owned(), home, end]
            }
            Trigger::Figure(_) => vec![text!("key-name-figure")],
            Trigger::ChipLetter => vec![CHIP_LETTERS.to_owned()],
            Trigger::Draw => vec![text!("key-name-draw")],
            Trigger::MoveLetter => vec!["a4a5".to_owned()],
            Trigger::NameLetter | Trigger::AnyLetter => vec![text!("key-name-letters")],
            Trigger::Other(_) | Trigger::OtherThanScrolling(_) => vec![text!("key-name-other")],
        }
    }
}

fn name(key: Key) -> String {
    match key {
        Key::Char(' ') => text!("key-name-space"),
        Key::Char(letter) => letter.to_string(),
        Key::Enter => text!("key-name-enter"),
        Key::Escape => text!("key-name-escape"),
        Key::Backspace => text!("key-name-backspace"),
        Key::Delete => text!("key-name-delete"),
        Key::Up => text!("key-name-up"),
        Key::Down => text!("key-name-down"),
        Key::Left => text!("key-name-left"),
        Key::Right => text!("key-name-right"),
        Key::Home => text!("key-name-home"),
        Key::End => text!("key-name-end"),
        Key::PageUp => text!("key-name-page-up"),
        Key::PageDown => text!("key-name-page-down"),
        Key::Interrupt => text!("key-name-interrupt"),
    }
}

/// Returns the rank for a typed character. With EU numbering, 0 is the Marshal, because 10 would
/// take two keys.
fn rank_of(letter: char, numbering: Numbering) -> Option<Rank> {
    if letter == '0' && numbering == Numbering::Eu {
        return Some(Rank::Marshal);
    }
    let text = letter.to_ascii_uppercase().to_string();
    Rank::ALL.into_iter().find(|rank| rank.figure(numbering) == text)
}
