//! The table of keys.

use flagfall_board::{ChipColor, Direction, Numbering, Rank};
use flagfall_protocol::{ClaimedResult, Phase};
use flagfall_rules::Start;

use super::action::Action;
use crate::model::{Key, Model, OpenGame, Page, Prompt};

/// Most characters of a typed move.
const MOVE_LEN_MAX: usize = 8;
/// How a draw is offered or accepted. `d` alone is a column.
const DRAW: &str = "d Enter";
/// Events of a record that a long step passes.
const LEAP: usize = 10;

/// What the keyboard is for at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Screen {
    /// The help.
    Help,
    /// A question to answer with yes or no.
    Question,
    /// Claim a win or a draw?
    Claim,
    /// Accept a challenge?
    Challenge,
    /// A message to the opponent is typed.
    Message,
    /// The name of a deployment is typed.
    Name,
    /// The color of a chip.
    Color,
    /// A piece of the reserve.
    Reserve,
    /// The saved deployments.
    Saved,
    /// A record that is stepped through.
    Record,
    /// Waiting for something.
    Waiting,
    /// A list of offers or games.
    List,
    /// The terms of a challenge.
    Terms,
    /// The player deploys.
    Deploying,
    /// The player has typed a part of a move or a command.
    Typing,
    /// The player may act.
    Playing,
    /// A game in which this client can do nothing.
    Watching,
}

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
        row(GAME, key(&[Char('q')], A::Leave), "leave", "leave; the seat stays"),
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
        row_if(GAME, key(&[Char(';')], A::Talk), is_player, "talk", "talk, mute, report"),
        row(HELPED, key(&[Char('?')], A::ShowHelp), "help", "show this"),
        row(ALL, key(&[Interrupt], A::Stop), "", "leave at once"),
        row(&[S::Question], Trigger::Other(A::Cancel), "no", ""),
        row(&[S::Claim, S::Challenge], Trigger::Other(A::Cancel), "later", ""),
        row(&[S::Help], Trigger::Other(A::CloseHelp), "closes this", ""),
    ]
};

fn game(model: &Model) -> Option<&OpenGame> {
    model.game.as_ref()
}

fn is_welcome(model: &Model) -> bool {
    model.login.player.is_some()
}

fn is_challenged(model: &Model) -> bool {
    model.challenges.received.as_ref().is_some_and(|invitation| invitation.expires > model.server_now())
}

fn is_player(model: &Model) -> bool {
    game(model).is_some_and(|game| game.own_side().is_some())
}

fn is_over_for_player(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.phase == Phase::Over) && is_player(model)
}

fn has_picked(model: &Model) -> bool {
    let editor = game(model).and_then(|game| game.editor.as_ref());
    editor.is_some_and(|editor| editor.picked().is_some())
}

fn has_selected(model: &Model) -> bool {
    game(model).is_some_and(|game| game.selected.is_some())
}

fn has_reserve(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.reserve.is_some())
}

/// True if some command_text of the ruleset need words.
fn has_commands(model: &Model) -> bool {
    let ruleset = game(model).and_then(|game| game.ruleset);
    ruleset.is_some_and(|ruleset| ruleset.chips || ruleset.reserve || ruleset.start == Start::Coins)
}

/// True if pieces of several ranks can be placed.
fn lists_ranks(model: &Model) -> bool {
    let Some(Prompt::Place { kinds, .. }) = &model.ui.prompt else { return false };
    kinds.windows(2).any(|pair| pair[0].0 != pair[1].0)
}

fn owes_color(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_owing_color)
}

fn is_choosing(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_choosing)
}

fn is_offered_draw(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_offered_draw)
}

fn is_claimable(model: &Model) -> bool {
    game(model).is_some_and(|game| game.claimable_in_ms(model.server_now()).is_some())
}

fn is_resignable(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.phase == Phase::Playing)
}

fn is_abortable(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_abortable)
}

fn is_typing_command(model: &Model) -> bool {
    game(model).is_some_and(|game| game.typed.starts_with(':'))
}

fn is_typing_move(model: &Model) -> bool {
    game(model).is_some_and(|game| !game.typed.starts_with(':') && game.typed.len() < MOVE_LEN_MAX)
}

fn types_draw(model: &Model) -> bool {
    game(model).is_some_and(|game| game.typed == "d")
}

fn types_acceptance(model: &Model) -> bool {
    types_draw(model) && is_offered_draw(model)
}

fn may_offer_draw(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.draw_offer.is_none())
}

/// True if `n` is no column of the board.
fn is_narrow(model: &Model) -> bool {
    !is_column(model, 'n')
}

/// True if a letter is a column of the game's board.
fn is_column(model: &Model, letter: char) -> bool {
    let ruleset = game(model).and_then(|game| game.ruleset);
    let columns = ruleset.map_or(0, |ruleset| ruleset.shape.columns);
    letter.is_ascii_lowercase() && (letter as u8).wrapping_sub(b'a') < columns
}

/// What the keyboard is for now.
#[must_use]
pub fn screen(model: &Model) -> Screen {
    if model.ui.is_help { Screen::Help } else { screen_below(model) }
}

/// The screen under the help.
fn screen_below(model: &Model) -> Screen {
    if let Some(prompt) = &model.ui.prompt {
        return match prompt {
            Prompt::Resign
            | Prompt::Abort
            | Prompt::Leave(_)
            | Prompt::IllegalMove(_)
            | Prompt::Remove(_) => Screen::Question,
            Prompt::Challenge(_) => Screen::Challenge,
            Prompt::Claim => Screen::Claim,
            Prompt::Say(_) => Screen::Message,
            Prompt::Color(_) => Screen::Color,
            Prompt::Place { .. } => Screen::Reserve,
            Prompt::SaveAs(_) => Screen::Name,
            Prompt::Load { .. } => Screen::Saved,
        };
    }
    match (&model.ui.page, &model.game) {
        _ if model.ui.replay.is_some() => Screen::Record,
        (Page::Waiting { .. }, _) | (Page::Game, None) => Screen::Waiting,
        (Page::Choosing(_), _) => Screen::List,
        (Page::Terms { .. }, _) => Screen::Terms,
        (Page::Game, Some(game)) if game.editor.is_some() => Screen::Deploying,
        (Page::Game, Some(game)) if game.view.phase != Phase::Playing || !game.is_acting() => {
            Screen::Watching
        }
        (Page::Game, Some(game)) if game.typed.is_empty() => Screen::Playing,
        (Page::Game, Some(_)) => Screen::Typing,
    }
}

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
