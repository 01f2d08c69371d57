//! The table of keys.

use flagfall_board::{ChipColor, Direction, Numbering, Rank};
use flagfall_protocol::ClaimedResult;

use super::action::Action;
use super::conditions::*;
use super::screen::{Screen, screen, screen_below};
use crate::model::{Key, Model};

/// How a draw is offered or accepted. `d` alone is a column.
const DRAW: &str = "d Enter";
/// Events of a record that a long step passes.
const LEAP: usize = 10;

/// The screens with a game that is not a record.
const GAME: &[Screen] = &[Screen::Deploying, Screen::Playing, Screen::Watching];
/// The screens beside which other games and challenges may wait.
const ONLINE: &[Screen] =
    &[Screen::Waiting, Screen::List, Screen::Deploying, Screen::Playing, Screen::Watching];
/// The screens with a board.
const BOARD: &[Screen] = &[Screen::Deploying, Screen::Playing, Screen::Watching, Screen::Record];
/// The screens with text that is typed.
const TEXT: &[Screen] = &[Screen::Typing, Screen::Message, Screen::Name];
/// The screens with a list.
const LISTS: &[Screen] = &[Screen::List, Screen::Reserve, Screen::Saved];
/// The screens that have a help.
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
/// Every screen.
const ALL: &[Screen] = &[
    Screen::Help,
    Screen::History,
    Screen::Question,
    Screen::Claim,
    Screen::Challenge,
    Screen::Message,
    Screen::Name,
    Screen::Color,
    Screen::Reserve,
    Screen::Saved,
    Screen::Record,
    Screen::Waiting,
    Screen::List,
    Screen::Terms,
    Screen::Deploying,
    Screen::Typing,
    Screen::Playing,
    Screen::Watching,
];

/// Keys, and the action of each.
enum Trigger {
    /// Each of these keys does the same.
    Keys(&'static [Key], Action),
    /// The arrows move the cursor of a board.
    Arrows,
    /// Up and down move the cursor of a list, home and end go to its ends.
    ListKeys,
    /// The figure of a rank of the army.
    Figure(fn(Rank) -> Action),
    /// The letter of a chip's color.
    ChipLetter,
    /// The letter of the draw, which is a column too.
    Draw,
    /// A letter or digit of a move.
    MoveLetter,
    /// A character of a name.
    NameLetter,
    /// Any character.
    AnyLetter,
    /// Any other key.
    Other(Action),
}

/// A row of the table.
struct Binding {
    screens: &'static [Screen],
    trigger: Trigger,
    is_possible: fn(&Model) -> bool,
    label: &'static str,
    help: &'static str,
}

/// A key of the current screen, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyHint {
    /// The keys' names: the first for the key bar, all for the help.
    pub keys: Vec<String>,
    /// What they do, for the key bar. Empty if it does not show them.
    pub label: &'static str,
    /// What they do, for the help.
    pub help: &'static str,
    /// True if no other screen has them.
    pub is_own: bool,
}

/// A row that always holds.
const fn row(
    screens: &'static [Screen],
    trigger: Trigger,
    label: &'static str,
    help: &'static str,
) -> Binding {
    row_if(screens, trigger, |_| true, label, help)
}

/// A row that holds only in some states.
const fn row_if(
    screens: &'static [Screen],
    trigger: Trigger,
    is_possible: fn(&Model) -> bool,
    label: &'static str,
    help: &'static str,
) -> Binding {
    Binding { screens, trigger, is_possible, label, help }
}

const fn key(letter: &'static [Key], action: Action) -> Trigger {
    Trigger::Keys(letter, action)
}

/// The table: the first row that fits a key counts. The key bar shows the first rows that fit.
static TABLE: &[Binding] = {
    use Action as A;
    use Key::{Backspace, Char, Delete, Down, End, Enter, Escape, Home, Interrupt, Left};
    use Key::{PageDown, PageUp, Right, Up};
    use Screen as S;
    &[
        // Questions.
        row(&[S::Question], key(&[Char('y'), Char('Y')], A::Confirm), "yes", ""),
        row(&[S::Claim], key(&[Char('w'), Char('W')], A::Claim(ClaimedResult::Win)), "win", ""),
        row(&[S::Claim], key(&[Char('d'), Char('D')], A::Claim(ClaimedResult::Draw)), "draw", ""),
        row(&[S::Challenge], key(&[Char('y'), Char('Y')], A::Confirm), "accept", ""),
        row(&[S::Challenge], key(&[Char('n'), Char('N')], A::DeclineChallenge), "decline", ""),
        row(&[S::Color], Trigger::ChipLetter, "color", ""),
        // Lists.
        row(LISTS, Trigger::ListKeys, "choose", "move the cursor"),
        row(&[S::List], key(&[Enter], A::Pick), "take it", "take the entry"),
        row(&[S::Reserve], key(&[Enter, Char(' ')], A::Pick), "place it", "place the piece"),
        row_if(&[S::Reserve], Trigger::Figure(A::FindRank), lists_ranks, "choose", "go to that piece"),
        row(&[S::Saved], key(&[Enter], A::Pick), "load it", "load the deployment"),
        row(&[S::Color], key(&[Escape], A::Cancel), "back", ""),
        row(&[S::Reserve, S::Saved], key(&[Escape, Char('q')], A::Cancel), "back", "go back"),
        row(&[S::Terms], key(&[Char('y'), Enter], A::Confirm), "accept", "accept and play"),
        row(&[S::Terms], key(&[Char('q'), Char('n'), Escape], A::Leave), "leave", "leave"),
        // Text.
        row_if(&[S::Typing], Trigger::ChipLetter, owes_color, "color", ""),
        row_if(&[S::Typing], Trigger::MoveLetter, is_typing_move, "type on", ""),
        row_if(&[S::Typing], Trigger::AnyLetter, is_typing_command, "type on", ""),
        row(&[S::Message], Trigger::AnyLetter, "type", ""),
        row(&[S::Name], Trigger::NameLetter, "type", ""),
        row_if(&[S::Typing], key(&[Enter], A::Submit), types_acceptance, "accept the draw", ""),
        row_if(&[S::Typing], key(&[Enter], A::Submit), types_draw, "offer a draw", ""),
        row_if(&[S::Typing], key(&[Enter], A::Submit), |model| !types_draw(model), "play it", ""),
        row(&[S::Message], key(&[Enter], A::Submit), "send", ""),
        row(&[S::Name], key(&[Enter], A::Submit), "save", ""),
        row(TEXT, key(&[Backspace], A::Erase), "erase", ""),
        row(TEXT, key(&[Escape], A::Clear), "back", ""),
        // What has happened.
        row_if(&[S::History], key(&[Up], A::Back(1)), has_older, "older", ""),
        row_if(&[S::History], key(&[Down], A::Forward(1)), has_newer, "newer", ""),
        row_if(&[S::History], key(&[PageUp], A::Back(LEAP)), has_older, "ten", ""),
        row_if(&[S::History], key(&[PageDown], A::Forward(LEAP)), has_newer, "ten", ""),
        row_if(&[S::History], key(&[Home], A::First), has_older, "first", ""),
        row_if(&[S::History], key(&[End], A::Last), has_newer, "last", ""),
        row(&[S::History], key(&[Escape, Char('H'), Char('q')], A::Cancel), "back", ""),
        // A record.
        row(&[S::Record], key(&[Right, Char(' '), Enter], A::Forward(1)), "step", "one step on"),
        row(&[S::Record], key(&[Left, Backspace], A::Back(1)), "back", "one step back"),
        row(&[S::Record], key(&[Down, PageDown], A::Forward(LEAP)), "ten", "ten steps on"),
        row(&[S::Record], key(&[Up, PageUp], A::Back(LEAP)), "ten back", "ten steps back"),
        row(&[S::Record], key(&[Home], A::First), "", "to the start"),
        row(&[S::Record], key(&[End], A::Last), "", "to the end"),
        // Deploying.
        row(&[S::Deploying], key(&[Enter], A::HandIn), "hand in", "hand in, even again"),
        row(&[S::Deploying], key(&[Char(' ')], A::PickUp), "pick/swap", "pick up, then swap"),
        row(&[S::Deploying], key(&[Char('r')], A::Randomize), "random", "random deployment"),
        row(&[S::Deploying], key(&[Char('s')], A::Suggest), "suggested", "suggested one"),
        row(&[S::Deploying], key(&[Char('w')], A::Save), "save", "save it"),
        row(&[S::Deploying], key(&[Char('l')], A::Load), "load", "load a saved one"),
        row(&[S::Deploying], key(&[Backspace, Delete], A::TakeOff), "", "take a piece off"),
        row(&[S::Deploying], Trigger::Figure(A::Put), "", "place one in hand"),
        row_if(&[S::Deploying], key(&[Escape], A::PutBack), has_picked, "", "put it back"),
        // Playing.
        row_if(&[S::Playing], Trigger::ChipLetter, owes_color, "color", "the chip's color"),
        row_if(&[S::Playing], Trigger::Figure(A::Choose), is_choosing, "choose", "what the coin is"),
        row_if(&[S::Playing], Trigger::Draw, is_offered_draw, "accept", "accept the draw"),
        row_if(
            &[S::Playing],
            key(&[Char('x')], A::DeclineDraw),
            is_offered_draw,
            "decline",
            "decline the draw",
        ),
        row_if(&[S::Playing], key(&[Char('C')], A::AskClaim), is_claimable, "claim", "claim win or draw"),
        row(GAME, Trigger::Arrows, "cursor", "move the cursor"),
        row(&[S::Playing], key(&[Enter, Char(' ')], A::Select), "select", "select, then go there"),
        row_if(&[S::Playing], key(&[Escape], A::Deselect), has_selected, "", "select nothing"),
        row_if(&[S::Playing], Trigger::Draw, may_offer_draw, "draw", "offer a draw"),
        row(&[S::Playing], Trigger::MoveLetter, "move", "type a move"),
        row(GAME, key(&[Char('q')], A::Leave), "leave", "leave; the seat stays"),
        row_if(&[S::Playing], key(&[Char('+')], A::Place), has_reserve, "place", "place from reserve"),
        row_if(&[S::Playing], key(&[Char('-')], A::Remove), has_reserve, "take off", "take into reserve"),
        row_if(
            &[S::Deploying, S::Playing],
            key(&[Char('A')], A::Abort),
            is_abortable,
            "abort",
            "call the game off",
        ),
        row_if(&[S::Playing], key(&[Char('R')], A::Resign), is_resignable, "resign", "resign"),
        row_if(&[S::Playing], key(&[Char(':')], A::Type(':')), has_commands, "", "an act in words"),
        row_if(
            &[S::Watching],
            key(&[Char('m')], A::Rematch),
            is_over_for_player,
            "rematch",
            "ask for a rematch",
        ),
        // Everywhere.
        row_if(
            ONLINE,
            key(&[Char('J')], A::AnswerChallenge),
            is_challenged,
            "challenge",
            "answer a challenge",
        ),
        row(&[S::Waiting, S::List, S::Record], key(&[Char('q'), Escape], A::Leave), "leave", "leave"),
        row_if(ONLINE, key(&[Char('G')], A::NextGame), is_welcome, "next game", "your next game"),
        row(BOARD, key(&[Char('t')], A::TurnBoard), "turn", "turn the board"),
        row_if(
            BOARD,
            key(&[Char('n'), Char('N')], A::SwitchFigures),
            is_narrow,
            "figures",
            "US or EU figures",
        ),
        row_if(
            BOARD,
            key(&[Char('N')], A::SwitchFigures),
            |model| !is_narrow(model),
            "figures",
            "US or EU figures",
        ),
        row(GAME, key(&[Char('H')], A::ShowHistory), "history", "all that happened"),
        row_if(GAME, key(&[Char(';')], A::Talk), is_player, "talk", "talk, mute, report"),
        row(HELPED, key(&[Char('?')], A::ShowHelp), "help", "show this"),
        row(ALL, key(&[Interrupt], A::Stop), "", "leave at once"),
        row(&[S::Question], Trigger::Other(A::Cancel), "no", ""),
        row(&[S::Claim, S::Challenge], Trigger::Other(A::Cancel), "later", ""),
        row(&[S::Help], Trigger::Other(A::CloseHelp), "closes this", ""),
    ]
};

/// The rows of a screen that hold now.
fn rows(model: &Model, screen: Screen) -> impl Iterator<Item = &'static Binding> {
    let holds = move |row: &&Binding| row.screens.contains(&screen) && (row.is_possible)(model);
    TABLE.iter().filter(holds)
}

/// What a key does now. `None` for a key that does nothing.
#[must_use]
pub fn action(model: &Model, key: Key) -> Option<Action> {
    rows(model, screen(model)).find_map(|row| row.trigger.action(model, key))
}

/// The keys of the current screen. `of_help` skips the help itself, for which they are listed.
#[must_use]
pub fn hints(model: &Model, of_help: bool) -> Vec<KeyHint> {
    let screen = if of_help { screen_below(model) } else { screen(model) };
    rows(model, screen).map(Binding::hint).collect()
}

/// The row of a key, as it is shown.
#[cfg(test)]
pub(super) fn bound(model: &Model, key: Key) -> Option<KeyHint> {
    let row = rows(model, screen(model)).find(|row| row.trigger.action(model, key).is_some());
    row.map(Binding::hint)
}

impl Binding {
    fn hint(&self) -> KeyHint {
        let is_own = self.screens.len() == 1;
        KeyHint { keys: self.trigger.names(), label: self.label, help: self.help, is_own }
    }
}

/// The name of the first key for an action, for texts that mention it.
#[must_use]
pub fn key_for(action: Action) -> String {
    let keys = TABLE.iter().find(|row| matches!(row.trigger, Trigger::Keys(_, does) if does == action));
    keys.and_then(|row| row.trigger.names().into_iter().next()).unwrap_or_default()
}

/// How to answer a draw offer.
#[must_use]
pub fn answers_to_draw() -> String {
    format!("{DRAW} accepts it, {} declines it.", key_for(Action::DeclineDraw))
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
            (Trigger::ListKeys, Key::Up | Key::Char('k')) => Some(Action::Previous),
            (Trigger::ListKeys, Key::Down | Key::Char('j')) => Some(Action::Next),
            (Trigger::ListKeys, Key::Home) => Some(Action::First),
            (Trigger::ListKeys, Key::End) => Some(Action::Last),
            (Trigger::Figure(action), Key::Char(letter)) => {
                let army = game(model)?.ruleset?.army;
                rank_of(letter, numbering).filter(|rank| army.count(*rank) > 0).map(action)
            }
            (Trigger::ChipLetter, Key::Char(letter)) => {
                ChipColor::ALL.into_iter().find(|color| color.letter() == letter).map(Action::Color)
            }
            (Trigger::Draw, Key::Char('d')) => Some(Action::Type('d')),
            (Trigger::MoveLetter, Key::Char(letter)) => {
                let is_begun = game(model).is_some_and(|game| !game.typed.is_empty());
                let is_fit = is_column(model, letter) || is_begun && letter.is_ascii_digit();
                is_fit.then_some(Action::Type(letter))
            }
            (Trigger::NameLetter, Key::Char(letter)) => {
                let is_fit = letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
                is_fit.then_some(Action::Type(letter))
            }
            (Trigger::AnyLetter, Key::Char(letter)) => Some(Action::Type(letter)),
            (Trigger::Other(action), _) => Some(*action),
            _ => None,
        }
    }

    /// The names of the keys.
    fn names(&self) -> Vec<String> {
        let names: &[&str] = match self {
            Trigger::Keys(keys, _) => return keys.iter().map(|key| name(*key)).collect(),
            Trigger::Arrows => &["arrows"],
            Trigger::ListKeys => &["arrows", "j", "k", "Home", "End"],
            Trigger::Figure(_) => &["figure"],
            Trigger::ChipLetter => &["r y b g"],
            Trigger::Draw => &[DRAW],
            Trigger::MoveLetter => &["a4a5"],
            Trigger::NameLetter | Trigger::AnyLetter => &["letters"],
            Trigger::Other(_) => &["any other key"],
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// The name of a key.
fn name(key: Key) -> String {
    match key {
        Key::Char(' ') => "space",
        Key::Char(letter) => return letter.to_string(),
        Key::Enter => "Enter",
        Key::Escape => "Esc",
        Key::Backspace => "Bksp",
        Key::Delete => "Del",
        Key::Up => "up",
        Key::Down => "down",
        Key::Left => "left",
        Key::Right => "right",
        Key::Home => "Home",
        Key::End => "End",
        Key::PageUp => "PgUp",
        Key::PageDown => "PgDn",
        Key::Interrupt => "Ctrl-C",
    }
    .to_owned()
}

/// The rank that a character stands for. 0 is the Marshal in EU figures, whose 10 is not one key.
fn rank_of(letter: char, numbering: Numbering) -> Option<Rank> {
    if letter == '0' && numbering == Numbering::Eu {
        return Some(Rank::Marshal);
    }
    let text = letter.to_ascii_uppercase().to_string();
    Rank::ALL.into_iter().find(|rank| rank.figure(numbering) == text)
}
