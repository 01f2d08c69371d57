//! Reaches the user's goal step by step, from the welcome to the game.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, Exit, GameSummary, LobbyChange, LobbyLists, OwnGames, Player, PlayerKind, Seek, Terms,
};

use super::exit::exit;
use super::outbox;
use crate::input::{self, Action};
use crate::model::{Choice, Choices, Effect, Goal, How, Model, Page, SetupChoice, Wish};
use crate::request::Request;

use crate::{listing, range, setup_check, text, words};

/// Handles a welcome: the first one, or one after a reconnection.
pub(super) fn welcomed(model: &mut Model, games: Vec<GameSummary>) {
    let ids: Vec<GameId> = games.iter().map(|game| game.id).collect();
    let known = model.lobby.known_games.replace(ids.clone());
    if model.is_account() && matches!(model.goal, Goal::Play(_) | Goal::Next | Goal::Mail) {
        model.deployments.is_loading = true;
        outbox::request(model, Request::Deployments);
    }
    model.lobby.own_games = Some(games);
    if model.ui.replay.is_some() {
        // The client only shows a finished game, and does not follow it.
        return;
    }
    if model.game.is_some() {
        outbox::reopen(model);
        outbox::resend(model);
    } else if let Some(opening) = model.opening {
        model.tell(ClientToServer::OpenGame { game: opening, since: None });
        outbox::resend(model);
    } else if let Some(known) = known {
        resume(model, &known, &ids);
    } else {
        begin(model);
    }
}

/// Starts to pursue the user's goal, after checking that the requested deployment exists.
pub(super) fn begin(model: &mut Model) {
    if let Some(wish) = model.wish().filter(|wish| matches!(wish.setup, Some(SetupChoice::Text(_)))) {
        let is_later = matches!(wish.how, How::Accept(_) | How::Game(_));
        let ruleset = wish.terms().ruleset;
        model.deployments.is_awaited = model.deployments.is_loading;
        if model.deployments.is_awaited {
            return;
        }
        if !is_later && let Err(why) = setup_check::check_for(model, &ruleset) {
            return exit(model, Exit::Usage, words::sentence(&why));
        }
    }
    match model.goal.clone() {
        Goal::Games => {
            outbox::request(model, Request::OwnGames);
            open_lobby(model);
        }
        Goal::Next => outbox::request(model, Request::Next),
        Goal::Mail => {
            wait(model, &text!("mail-welcome"), Vec::new());
            outbox::request(model, Request::OwnGames);
            outbox::request(model, Request::Challenges);
            outbox::resend(model);
        }
        Goal::Watch(Some(id)) => open(model, id),
        Goal::Watch(None) => open_lobby(model),
        Goal::Play(wish) => begin_to_play(model, &wish),
    }
}

fn begin_to_play(model: &mut Model, wish: &Wish) {
    let (terms, side) = (wish.terms(), wish.side);
    match wish.how.clone() {
        How::Any => {
            wait(model, &text!("offer-looking"), Vec::new());
            open_lobby(model);
        }
        How::Pool => enter_pool(model),
        How::Bot(bot) => {
            outbox::send(model, |cmd_id| ClientToServer::PlayBot { cmd_id, bot, terms, side });
        }
        How::Challenge => {
            outbox::send(model, |cmd_id| ClientToServer::Challenge { cmd_id, terms, side });
        }
        How::Accept(challenge) => model.tell(ClientToServer::ShowChallenge { challenge }),
        How::Game(id) => open(model, id),
    }
}

/// Looks for another game in the same way, after the open game is over.
pub(super) fn again(model: &mut Model) {
    if let Some(previous) = model.game.take_if(|game| game.is_over()) {
        let id = previous.summary.id;
        if let Some(running) = &mut model.lobby.own_games {
            running.retain(|game| game.id != id);
        }
        model.tell(ClientToServer::CloseGame { game: id });
        begin(model);
    }
}

/// Continues without a game after a reconnection.
fn resume(model: &mut Model, known: &[GameId], ids: &[GameId]) {
    // A game started while the connection was down.
    if let (Goal::Play(_), Some(id)) = (&model.goal, ids.iter().find(|id| !known.contains(id))) {
        open(model, *id);
        return;
    }
    // An offer survives a lost connection only briefly. The lobby shows whether it still exists.
    model.lobby.is_seek_doubtful = true;
    outbox::resend(model);
    match (&model.goal, &model.ui.page) {
        (Goal::Games | Goal::Next, _) => begin(model),
        (Goal::Play(wish), Page::Waiting { .. })
            if matches!(wish.how, How::Accept(_)) && model.connection.pending.is_empty() =>
        {
            begin(model);
        }
        (Goal::Mail, _) => {}
        (Goal::Watch(None), _) | (_, Page::Choosing(_)) => {
            open_lobby(model);
        }
        // Enter the pool again immediately, because the server keeps the player's place only for a
        // short time after a lost connection.
        (Goal::Play(wish), _) if wish.how == How::Pool && model.connection.pending.is_empty() => {
            enter_pool(model);
        }
        (Goal::Play(wish), _) if wish.how == How::Any => open_lobby(model),
        (Goal::Play(_) | Goal::Watch(Some(_)), _) => {}
    }
}

pub(super) fn open(model: &mut Model, id: GameId) {
    let is_open = model.game.as_ref().is_some_and(|game| game.summary.id == id);
    if is_open || model.opening == Some(id) {
        return;
    }
    model.opening = Some(id);
    model.tell(ClientToServer::OpenGame { game: id, since: None });
}

/// Handles the start of a game in which this player has a seat.
pub(super) fn started(model: &mut Model, id: GameId) {
    model.effects.push(Effect::SaveSeat { game: id.to_string() });
    if let Some(known) = &mut model.lobby.known_games {
        known.push(id);
    }
    let is_busy = model.game.as_ref().is_some_and(|game| game.summary.id != id && !game.is_over());
    if is_busy && model.goal == Goal::Mail {
        return model.say(text!("game-begun-open", game = id));
    }
    if is_busy || !matches!(model.goal, Goal::Play(_) | Goal::Mail) {
        return model.say(if model.options.face.prints() || model.game.is_none() {
            text!("game-begun-elsewhere", server = model.options.server_flag(), game = id)
        } else {
            text!("game-begun-key", key = input::key_for(Action::NextGame))
        });
    }
    model.lobby.seek = None;
    model.challenges.own = None;
    if model.lobby.listed.take().is_some() {
        model.tell(ClientToServer::CloseLobby {});
    }
    if let Some(previous) = model.game.take_if(|game| game.summary.id != id) {
        model.tell(ClientToServer::CloseGame { game: previous.summary.id });
        wait(model, &text!("game-begins-soon"), Vec::new());
    }
    open(model, id);
}

/// Requests the lobby. If the server can send changes, its answer contains only offers that may
/// meet the wish, and only changes follow.
pub(super) fn open_lobby(model: &mut Model) {
    model.tell(match (model.connection.has_lobby_changes, model.wish()) {
        (false, _) => ClientToServer::OPEN_LOBBY,
        (true, wish) => {
            let filter = wish.map(Wish::filter).unwrap_or_default();
            ClientToServer::OpenLobby { changes: true, filter }
        }
    });
}

/// Applies a change of the lobby. If the client has missed a change, asks for the lobby again.
pub(super) fn lobby_changed(model: &mut Model, number: u64, change: LobbyChange) {
    let Some(mut lists) = model.lobby.listed.take() else { return };
    if model.lobby.number.map(|known| known + 1) != Some(number) {
        model.lobby.listed = Some(lists);
        return open_lobby(model);
    }
    model.lobby.number = Some(number);
    lists.apply(change);
    lobby(model, lists);
}

pub(super) fn lobby(model: &mut Model, lists: LobbyLists) {
    model.lobby.refused_seeks.retain(|refused| lists.seeks.iter().any(|seek| seek.id == *refused));
    model.lobby.listed = Some(lists);
    let is_free = model.game.is_none() && model.opening.is_none();
    match model.goal.clone() {
        Goal::Games => list_games(model),
        Goal::Watch(None) if is_free => choose_game(model),
        Goal::Play(wish) if is_free && wish.how == How::Any && !is_busy(model) => match &model.ui.page {
            Page::Choosing(_) => choose_offer(model),
            Page::Waiting { .. } if model.lobby.seek.is_some() => {
                if !take_older_offer(model) {
                    renew_offer(model);
                }
            }
            Page::Waiting { .. } | Page::Terms { .. } | Page::Game => pick_offer(model),
        },
        Goal::Watch(_) | Goal::Play(_) | Goal::Next | Goal::Mail => {}
    }
}

fn is_busy(model: &Model) -> bool {
    model.connection.pending.iter().any(|pending| {
        matches!(pending.message, ClientToServer::Seek { .. } | ClientToServer::AcceptSeek { .. })
    })
}

/// Returns other players' offers that match the wish, oldest first, with their positions in the
/// lobby. Ignores rating ranges.
fn wanted(model: &Model) -> Vec<(usize, &Seek)> {
    let (Some(LobbyLists { seeks, .. }), Some(wish)) = (&model.lobby.listed, model.wish()) else {
        return Vec::new();
    };
    let own = model.login.player.as_ref().map(|player| player.id.as_str());
    let is_wanted = |seek: &Seek| {
        Some(seek.seeker.id.as_str()) != own
            && !model.lobby.refused_seeks.contains(&seek.id)
            && wish.is_met_by(seek)
            && flagfall_rules::Ruleset::find(&seek.terms.ruleset).is_some()
    };
    seeks.iter().enumerate().filter(|(_, seek)| is_wanted(seek)).collect()
}

/// Returns the wanted offers that this player may accept, each with a flag.
///
/// The flag is true if this client must accept the offer instead of waiting for the other client
/// to accept the player's own offer. This is the case if the other offer is older, if its owner
/// would not accept the player's offer, or if the player has no offer.
fn fitting(model: &Model) -> Vec<(Seek, bool)> {
    let (Some(LobbyLists { seeks, .. }), Some(wish)) = (&model.lobby.listed, model.wish()) else {
        return Vec::new();
    };
    let own_at = seeks.iter().position(|seek| Some(&seek.id) == model.lobby.seek.as_ref());
    let is_ours_to_take =
        |at: usize, seek: &Seek| own_at.is_none_or(|own_at| at < own_at) || !is_mutual(wish, seek);
    wanted(model)
        .into_iter()
        .filter(|(_, seek)| is_in_range(model, wish, seek))
        .map(|(at, seek)| (seek.clone(), is_ours_to_take(at, seek)))
        .collect()
}

/// True if each player's rating is in the range of the other player's offer.
///
/// The lobby shows the player's own rating only beside their own offer. If the player has no
/// offer, their rating counts as in range. The server then checks it, and the client does not
/// repeat a refused attempt.
fn is_in_range(model: &Model, wish: &Wish, seek: &Seek) -> bool {
    let own = own_listed(model);
    let own_rating = own.and_then(|own| own.seeker_rating).map(|own| own.rating);
    let is_bot = |player: Option<&Player>| player.is_some_and(|player| player.kind == PlayerKind::Bot);
    let is_apart = is_bot(model.login.player.as_ref()) != is_bot(Some(&seek.seeker));
    let suits_them = seek.rating.is_none_or(|range| {
        !is_apart && model.has_rating() && own_rating.is_none_or(|own| range.contains(own))
    });
    let suits_us = wish.rating.is_none_or(|rating| {
        let range = own.and_then(|own| own.rating).or_else(|| rating.range(own_rating));
        let theirs = seek.seeker_rating.filter(|_| !is_apart);
        range.zip(theirs).is_some_and(|(range, theirs)| range.contains(theirs.rating))
    });
    suits_them && suits_us
}

/// True if the owner of a wanted offer would also accept this player's offer.
///
/// Both offers must have the same terms. They must also ask for opposite sides, or neither may
/// ask for a side. Otherwise, one player would not get what they asked for.
fn is_mutual(wish: &Wish, seek: &Seek) -> bool {
    let own = Terms { secret: seek.terms.secret, ..wish.terms() };
    own == seek.terms && wish.side == seek.side.map(Side::opponent)
}

fn pick_offer(model: &mut Model) {
    let has_games = model.lobby.own_games.as_ref().is_some_and(|games| !games.is_empty());
    if model.options.face.prints() {
        for game in model.lobby.own_games.clone().unwrap_or_default() {
            model.say(text!("game-running", game = words::summary(&game)));
            let server = model.options.server_flag();
            model.say(text!("game-running-go-on", server, game = game.id));
        }
        match fitting(model).into_iter().next() {
            Some((seek, _)) => accept(model, seek.id.clone(), offer_words(&seek)),
            None => offer(model),
        }
    } else if wanted(model).is_empty() && !has_games {
        offer(model);
    } else {
        choose_offer(model);
    }
}

fn choose_offer(model: &mut Model) {
    let games = model.lobby.own_games.clone().unwrap_or_default();
    let open = |game: &GameSummary| text!("choice-open", game = words::summary(game));
    let mut entries: Vec<_> = games.iter().map(|game| (open(game), Choice::Open(game.id))).collect();
    for (_, seek) in wanted(model) {
        let (seek, offer) = (seek.id.clone(), offer_words(seek));
        entries.push((text!("choice-take", offer = &offer), Choice::Accept { seek, offer }));
    }
    if let Some(wish) = model.wish() {
        entries.push((text!("choice-offer", terms = words::terms(&wish.terms())), Choice::Offer));
    }
    show_choices(model, &text!("choose-play"), entries);
}

/// Accepts an older matching offer instead of the player's own. True if there is such an offer.
///
/// Without this, two people who make the same offer at the same time would wait for each other.
/// The owner of the newer offer accepts the older one, unless only the other owner can accept.
fn take_older_offer(model: &mut Model) -> bool {
    let older = fitting(model).into_iter().find(|(_, is_ours_to_take)| *is_ours_to_take);
    let Some((seek, _)) = older.filter(|_| own_listed(model).is_some()) else { return false };
    outbox::cancel_seek(model);
    accept(model, seek.id.clone(), offer_words(&seek));
    true
}

/// Makes the offer again if it was lost with the connection.
fn renew_offer(model: &mut Model) {
    if std::mem::take(&mut model.lobby.is_seek_doubtful) && own_listed(model).is_none() {
        model.lobby.seek = None;
        offer(model);
    }
}

/// Returns the player's own offer as listed in the lobby.
fn own_listed(model: &Model) -> Option<&Seek> {
    let listed = model.lobby.listed.as_ref()?;
    listed.seeks.iter().find(|seek| Some(&seek.id) == model.lobby.seek.as_ref())
}

fn offer_words(seek: &Seek) -> String {
    let side = seek.side.map_or("any", |side| side.opponent().name());
    let (seeker, terms) = (words::player(&seek.seeker), words::terms(&seek.terms));
    let rating = seek.seeker_rating.map_or_else(|| "none".to_owned(), words::rating);
    let (range, min, max) = words::rating_range(seek.rating);
    text!("offer", seeker, terms, side, rating, range, min, max)
}

fn enter_pool(model: &mut Model) {
    let Some(terms) = model.wish().map(|wish| wish.terms()) else { return };
    wait_in_pool(model);
    outbox::send(model, |cmd_id| ClientToServer::EnterPool { cmd_id, terms });
}

pub(super) fn wait_in_pool(model: &mut Model) {
    let Some(wish) = model.wish() else { return };
    let headline = text!("pool-waiting", terms = words::terms(&wish.terms()));
    let lines = vec![text!("pool-explained"), text!("pool-leave")];
    wait(model, &headline, lines);
}

pub(super) fn offer(model: &mut Model) {
    let Some(wish) = model.wish().cloned() else { return };
    let terms = wish.terms();
    wait(model, &text!("offer-making", terms = words::terms(&terms)), Vec::new());
    outbox::send(model, |cmd_id| ClientToServer::Seek {
        cmd_id,
        terms,
        side: wish.side,
        rating: wish.rating,
    });
}

/// Shows that the server has accepted the offer and the player waits for an opponent.
pub(super) fn wait_for_opponent(model: &mut Model, terms: &Terms) {
    let server = model.options.server_flag();
    let mut lines = vec![text!("offer-listed")];
    lines.extend(model.wish().and_then(|wish| wish.rating).map(range::only));
    if !model.options.face.is_program() {
        lines.push(text!("offer-house", server = &server));
        lines.push(text!("offer-friend", server));
    }
    wait(model, &text!("offer-waiting", terms = words::terms(terms)), lines);
}

fn accept(model: &mut Model, seek: String, offer: String) {
    model.say(text!("offer-accepted", offer));
    wait(model, &text!("game-begins-soon"), Vec::new());
    let secret = model.wish().is_some_and(|wish| wish.secret);
    outbox::send(model, |cmd_id| ClientToServer::AcceptSeek { cmd_id, seek, secret });
}

pub(super) fn accept_challenge(model: &mut Model, challenge: String) {
    wait(model, &text!("game-begins-soon"), Vec::new());
    let secret = model.wish().is_some_and(|wish| wish.secret);
    outbox::send(model, |cmd_id| ClientToServer::AcceptChallenge { cmd_id, challenge, secret });
}

pub(super) fn chosen(model: &mut Model, choice: Choice) {
    match choice {
        Choice::Open(id) => {
            wait(model, &text!("opening-game"), Vec::new());
            open(model, id);
        }
        Choice::Accept { seek, offer } => accept(model, seek, offer),
        Choice::Offer => offer(model),
    }
}

fn choose_game(model: &mut Model) {
    let games = model.lobby.listed.as_ref().map(|listed| listed.games.clone()).unwrap_or_default();
    if games.is_empty() {
        if model.options.face.prints() {
            exit(model, Exit::Done, text!("public-games-none"));
        } else {
            let lines = vec![text!("public-games-wait")];
            wait(model, &text!("public-games-none"), lines);
        }
        return;
    }
    let entries: Vec<_> = games.iter().map(|game| (words::summary(game), Choice::Open(game.id))).collect();
    let is_new = !matches!(model.ui.page, Page::Choosing(_));
    if model.options.face.prints() && is_new {
        for (number, (entry, _)) in entries.iter().enumerate() {
            model.say(text!("choice", number = number + 1, entry));
        }
        model.say(text!("choose-number"));
    }
    show_choices(model, &text!("choose-game"), entries);
}

fn show_choices(model: &mut Model, title: &str, entries: Vec<(String, Choice)>) {
    // The list may have changed, so keep the cursor on the same entry, not on the same number.
    let before = match &model.ui.page {
        Page::Choosing(choices) => choices.entries.get(choices.cursor),
        _ => None,
    };
    let cursor = before.and_then(|(_, before)| entries.iter().position(|(_, choice)| choice == before));
    model.ui.page = Page::Choosing(Choices { title: title.to_owned(), entries, cursor: cursor.unwrap_or(0) });
}

/// Prints both lists of games once both have arrived.
pub(super) fn list_games(model: &mut Model) {
    let lists = model.lobby.urgent_games.clone().zip(model.lobby.listed.clone());
    let Some((own, LobbyLists { games: public, .. })) = lists else { return };
    let server = model.options.server_flag();
    model.say_all(listing::own_games(&own, &server));
    if public.is_empty() {
        model.say(text!("public-games-none"));
    } else {
        model.say(text!("public-games", server));
        model.say_all(public.iter().map(|game| format!("  {}", words::summary(game))));
    }
    model.effects.push(Effect::Exit { code: Exit::Done.code() });
}

/// Continues with the most urgent game in which it is the player's turn, or says that there is
/// none.
pub(super) fn next(model: &mut Model, own: &OwnGames) {
    let open = model.game.as_ref().map(|game| game.summary.id);
    if let Some(next) = own.games.iter().find(|own| own.to_act && Some(own.game.id) != open) {
        return enter(model, next.game.id);
    }
    let word = listing::no_next(own, open.is_some(), &model.options.server_flag());
    if model.goal == Goal::Next { exit(model, Exit::Done, word) } else { model.say(word) }
}

/// Opens one of the player's games, and closes the game that was open.
pub(super) fn enter(model: &mut Model, id: GameId) {
    if let Some(previous) = model.game.take_if(|game| game.summary.id != id) {
        model.tell(ClientToServer::CloseGame { game: previous.summary.id });
    }
    if model.goal == Goal::Next {
        model.goal = Goal::Play(Wish { how: How::Game(id), ..Wish::default() });
    }
    wait(model, &text!("opening-game"), Vec::new());
    open(model, id);
}

/// Shows a waiting page. In line-based mode, prints its headline.
pub(super) fn wait(model: &mut Model, headline: &str, lines: Vec<String>) {
    if model.options.face.prints() {
        let is_same = matches!(&model.ui.page, Page::Waiting { headline: shown, .. } if shown == headline);
        if !is_same {
            model.say(headline);
            model.say_all(lines.iter().cloned());
        }
    }
    model.ui.page = Page::Waiting { headline: headline.to_owned(), lines };
}
