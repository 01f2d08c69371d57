//! From the welcome to the game: reaches the user's goal step by step.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, Exit, GameSummary, OwnGames, Player, PlayerKind, Position, Seek, Terms,
};

use super::exit::exit;
use super::outbox;
use crate::input::{self, Action};
use crate::model::{Choice, Choices, Effect, Goal, How, Model, Page, SetupChoice, Wish};
use crate::request::Request;
use crate::setup_check;
use crate::text;
use crate::texts::key;
use crate::{listing, range, words};

/// Handles a welcome, the first one or after a reconnection.
pub(super) fn welcomed(model: &mut Model, games: Vec<GameSummary>, out: &mut Vec<Effect>) {
    let ids: Vec<GameId> = games.iter().map(|game| game.id).collect();
    let known = model.lobby.known_games.replace(ids.clone());
    if model.is_account() && matches!(model.goal, Goal::Play(_) | Goal::Next | Goal::Mail) {
        model.deployments.is_loading = true;
        outbox::request(model, Request::Deployments, out);
    }
    model.lobby.own_games = Some(games);
    if model.ui.replay.is_some() {
        // A finished game is only read, not followed.
        return;
    }
    if let Some(game) = &mut model.game {
        game.reopening = true;
        let since = Some(Position { epoch: game.epoch, seq: game.seq });
        out.push(Effect::Send(ClientToServer::OpenGame { game: game.summary.id, since }));
        outbox::resend(model, out);
    } else if let Some(opening) = model.opening {
        out.push(Effect::Send(ClientToServer::OpenGame { game: opening, since: None }));
        outbox::resend(model, out);
    } else if let Some(known) = known {
        resume(model, &known, &ids, out);
    } else {
        begin(model, out);
    }
}

/// Starts on the user's goal, once the deployment to hand in is known to exist.
pub(super) fn begin(model: &mut Model, out: &mut Vec<Effect>) {
    if let Some(wish) = model.wish().filter(|wish| matches!(wish.setup, Some(SetupChoice::Text(_)))) {
        let is_later = matches!(wish.how, How::Accept(_) | How::Game(_));
        let ruleset = wish.terms().ruleset;
        model.deployments.is_awaited = model.deployments.is_loading;
        if model.deployments.is_awaited {
            return;
        }
        if !is_later && let Err(why) = setup_check::check_for(model, &ruleset) {
            return exit(model, Exit::Usage, words::sentence(&why), out);
        }
    }
    match model.goal.clone() {
        Goal::Games => {
            outbox::request(model, Request::OwnGames, out);
            out.push(Effect::Send(ClientToServer::OpenLobby {}));
        }
        Goal::Next => outbox::request(model, Request::Next, out),
        Goal::Mail => {
            wait(model, &text!("mail-welcome"), Vec::new());
            outbox::request(model, Request::OwnGames, out);
            outbox::request(model, Request::Challenges, out);
            outbox::resend(model, out);
        }
        Goal::Watch(Some(id)) => open(model, id, out),
        Goal::Watch(None) => out.push(Effect::Send(ClientToServer::OpenLobby {})),
        Goal::Play(wish) => match wish.how.clone() {
            How::Any => {
                wait(model, &text!("offer-looking"), Vec::new());
                out.push(Effect::Send(ClientToServer::OpenLobby {}));
            }
            How::Pool => enter_pool(model, out),
            How::Bot(bot) => {
                let cmd_id = model.random.command_id();
                let message = ClientToServer::PlayBot { cmd_id, bot, terms: wish.terms(), side: wish.side };
                outbox::send(model, message, out);
            }
            How::Challenge => {
                let cmd_id = model.random.command_id();
                let message = ClientToServer::Challenge { cmd_id, terms: wish.terms(), side: wish.side };
                outbox::send(model, message, out);
            }
            How::Accept(challenge) => out.push(Effect::Send(ClientToServer::ShowChallenge { challenge })),
            How::Game(id) => open(model, id, out),
        },
    }
}

/// Looks for another game in the same way after this one is over.
pub(super) fn again(model: &mut Model, out: &mut Vec<Effect>) {
    if let Some(previous) = model.game.take_if(|game| game.is_over()) {
        let id = previous.summary.id;
        if let Some(running) = &mut model.lobby.own_games {
            running.retain(|game| game.id != id);
        }
        out.push(Effect::Send(ClientToServer::CloseGame { game: id }));
        begin(model, out);
    }
}

/// Goes on without a game after a reconnection.
fn resume(model: &mut Model, known: &[GameId], ids: &[GameId], out: &mut Vec<Effect>) {
    // A game that started during the disconnection.
    if let (Goal::Play(_), Some(id)) = (&model.goal, ids.iter().find(|id| !known.contains(id))) {
        open(model, *id, out);
        return;
    }
    // An offer outlives its connection only briefly. The lobby tells whether it still stands.
    model.lobby.is_seek_doubtful = true;
    outbox::resend(model, out);
    match (&model.goal, &model.ui.page) {
        (Goal::Games | Goal::Next, _) => begin(model, out),
        (Goal::Play(wish), Page::Waiting { .. })
            if matches!(wish.how, How::Accept(_)) && model.connection.pending.is_empty() =>
        {
            begin(model, out);
        }
        (Goal::Mail, _) => {}
        (Goal::Watch(None), _) | (_, Page::Choosing(_)) => {
            out.push(Effect::Send(ClientToServer::OpenLobby {}));
        }
        // A place in the pool outlives its connection for a while. Enter again to keep it.
        (Goal::Play(wish), _) if wish.how == How::Pool && model.connection.pending.is_empty() => {
            enter_pool(model, out);
        }
        (Goal::Play(wish), _) if wish.how == How::Any => out.push(Effect::Send(ClientToServer::OpenLobby {})),
        (Goal::Play(_) | Goal::Watch(Some(_)), _) => {}
    }
}

pub(super) fn open(model: &mut Model, id: GameId, out: &mut Vec<Effect>) {
    let is_open = model.game.as_ref().is_some_and(|game| game.summary.id == id);
    if is_open || model.opening == Some(id) {
        return;
    }
    model.opening = Some(id);
    out.push(Effect::Send(ClientToServer::OpenGame { game: id, since: None }));
}

/// Handles a new game with a seat for this player.
pub(super) fn started(model: &mut Model, id: GameId, out: &mut Vec<Effect>) {
    out.push(Effect::SaveSeat { game: id.to_string() });
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
        out.push(Effect::Send(ClientToServer::CloseLobby {}));
    }
    if let Some(previous) = model.game.take_if(|game| game.summary.id != id) {
        out.push(Effect::Send(ClientToServer::CloseGame { game: previous.summary.id }));
        wait(model, &text!("game-begins-soon"), Vec::new());
    }
    open(model, id, out);
}

/// Handles the contents of the lobby.
pub(super) fn lobby(model: &mut Model, seeks: Vec<Seek>, games: Vec<GameSummary>, out: &mut Vec<Effect>) {
    model.lobby.refused_seeks.retain(|refused| seeks.iter().any(|seek| seek.id == *refused));
    model.lobby.listed = Some((seeks, games));
    match model.goal.clone() {
        Goal::Games => list_games(model, out),
        Goal::Watch(None) if model.game.is_none() && model.opening.is_none() => choose_game(model, out),
        Goal::Play(wish) if wish.how == How::Any && model.game.is_none() && model.opening.is_none() => {
            if is_busy(model) {
                return;
            }
            match &model.ui.page {
                Page::Choosing(_) => choose_offer(model),
                Page::Waiting { .. } if model.lobby.seek.is_some() => {
                    if !take_older_offer(model, out) {
                        renew_offer(model, out);
                    }
                }
                Page::Waiting { .. } | Page::Terms { .. } | Page::Game => pick_offer(model, out),
            }
        }
        Goal::Watch(_) | Goal::Play(_) | Goal::Next | Goal::Mail => {}
    }
}

/// True if an offer is being made or accepted.
fn is_busy(model: &Model) -> bool {
    model.connection.pending.iter().any(|pending| {
        matches!(pending.message, ClientToServer::Seek { .. } | ClientToServer::AcceptSeek { .. })
    })
}

/// Other players' offers that match the wish, oldest first, regardless of rating ranges.
fn wanted(model: &Model) -> Vec<(usize, &Seek)> {
    let (Some((seeks, _)), Some(wish)) = (&model.lobby.listed, model.wish()) else { return Vec::new() };
    let own = model.login.player.as_ref().map(|player| player.id.as_str());
    let is_wanted = |seek: &Seek| {
        Some(seek.seeker.id.as_str()) != own
            && !model.lobby.refused_seeks.contains(&seek.id)
            && wish.is_met_by(seek)
            && flagfall_rules::Ruleset::find(&seek.terms.ruleset).is_some()
    };
    seeks.iter().enumerate().filter(|(_, seek)| is_wanted(seek)).collect()
}

/// The wanted offers that this player may accept. The flag is true if it is this client's turn to
/// accept: for offers older than its own, and for those whose owner would not accept its own.
fn fitting(model: &Model) -> Vec<(Seek, bool)> {
    let (Some((seeks, _)), Some(wish)) = (&model.lobby.listed, model.wish()) else { return Vec::new() };
    let own_at = seeks.iter().position(|seek| Some(&seek.id) == model.lobby.seek.as_ref());
    let is_ours_to_take =
        |at: usize, seek: &Seek| own_at.is_none_or(|own_at| at < own_at) || !is_mutual(wish, seek);
    wanted(model)
        .into_iter()
        .filter(|(_, seek)| is_in_range(model, wish, seek))
        .map(|(at, seek)| (seek.clone(), is_ours_to_take(at, seek)))
        .collect()
}

/// True if both ratings suit the other player, as far as known.
///
/// The player's own rating is in their own offer. Before there is one, the server judges, and the
/// client does not repeat what was refused.
fn is_in_range(model: &Model, wish: &Wish, seek: &Seek) -> bool {
    let own = model
        .lobby
        .listed
        .as_ref()
        .and_then(|(seeks, _)| seeks.iter().find(|seek| Some(&seek.id) == model.lobby.seek.as_ref()));
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

/// True if the owner of a wanted offer would accept this player's offer too.
///
/// That takes the same terms, and sides that fit or are both open. If two offers differ in a point,
/// one of the owners insists on it.
fn is_mutual(wish: &Wish, seek: &Seek) -> bool {
    let own = wish.terms();
    let is_same =
        (&own.ruleset, own.time, own.private) == (&seek.terms.ruleset, seek.terms.time, seek.terms.private);
    let is_same = is_same && own.rated == seek.terms.rated;
    is_same && wish.side == seek.side.map(Side::opponent)
}

fn pick_offer(model: &mut Model, out: &mut Vec<Effect>) {
    let has_games = model.lobby.own_games.as_ref().is_some_and(|games| !games.is_empty());
    if model.options.face.prints() {
        for game in model.lobby.own_games.clone().unwrap_or_default() {
            model.say(text!("game-running", game = words::summary(&game)));
            let server = model.options.server_flag();
            model.say(text!("game-running-go-on", server, game = game.id));
        }
        match fitting(model).into_iter().next() {
            Some((seek, _)) => accept(model, seek.id.clone(), offer_words(&seek), out),
            None => offer(model, out),
        }
    } else if wanted(model).is_empty() && !has_games {
        offer(model, out);
    } else {
        choose_offer(model);
    }
}

fn choose_offer(model: &mut Model) {
    let games = model.lobby.own_games.clone().unwrap_or_default();
    let mut entries: Vec<(String, Choice)> = games
        .iter()
        .map(|game| (text!("choice-open", game = words::summary(game)), Choice::Open(game.id)))
        .collect();
    for (_, seek) in wanted(model) {
        let (seek, offer) = (seek.id.clone(), offer_words(seek));
        entries.push((text!("choice-take", offer = &offer), Choice::Accept { seek, offer }));
    }
    if let Some(wish) = model.wish() {
        entries.push((text!("choice-offer", terms = words::terms(&wish.terms())), Choice::Offer));
    }
    show_choices(model, &text!("choose-play"), entries);
}

/// Accepts an older matching offer instead of the player's own. True if it did.
///
/// Two people who offer the same at once would otherwise wait for each other. The newer offer gives
/// way, or that of the only one who can accept.
fn take_older_offer(model: &mut Model, out: &mut Vec<Effect>) -> bool {
    let older = fitting(model).into_iter().find(|(_, is_ours_to_take)| *is_ours_to_take);
    match older {
        Some((seek, _)) if is_own_listed(model) => {
            if let Some(own) = model.lobby.seek.take() {
                let cmd_id = model.random.command_id();
                out.push(Effect::Send(ClientToServer::CancelSeek { cmd_id, seek: own }));
            }
            accept(model, seek.id.clone(), offer_words(&seek), out);
            true
        }
        Some(_) | None => false,
    }
}

/// Makes the offer again if it was lost with a connection.
fn renew_offer(model: &mut Model, out: &mut Vec<Effect>) {
    if std::mem::take(&mut model.lobby.is_seek_doubtful) && !is_own_listed(model) {
        model.lobby.seek = None;
        offer(model, out);
    }
}

fn is_own_listed(model: &Model) -> bool {
    let seeks = model.lobby.listed.as_ref().map(|(seeks, _)| seeks.as_slice()).unwrap_or_default();
    seeks.iter().any(|seek| Some(&seek.id) == model.lobby.seek.as_ref())
}

fn offer_words(seek: &Seek) -> String {
    let side = seek.side.map_or_else(|| "any".to_owned(), |side| key(side.opponent()));
    let (seeker, terms) = (words::player(&seek.seeker), words::terms(&seek.terms));
    let rating = seek.seeker_rating.map_or_else(|| "none".to_owned(), words::rating);
    let (range, min, max) = words::rating_range(seek.rating);
    text!("offer", seeker, terms, side, rating, range, min, max)
}

fn enter_pool(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(terms) = model.wish().map(|wish| wish.terms()) else { return };
    wait_in_pool(model);
    let cmd_id = model.random.command_id();
    outbox::send(model, ClientToServer::EnterPool { cmd_id, terms }, out);
}

/// Shows that the player waits in the pool.
pub(super) fn wait_in_pool(model: &mut Model) {
    let Some(wish) = model.wish() else { return };
    let headline = text!("pool-waiting", terms = words::terms(&wish.terms()));
    let lines = vec![text!("pool-explained"), text!("pool-leave")];
    wait(model, &headline, lines);
}

/// Makes the offer that the user wants.
pub(super) fn offer(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(wish) = model.wish().cloned() else { return };
    let terms = wish.terms();
    wait(model, &text!("offer-making", terms = words::terms(&terms)), Vec::new());
    let cmd_id = model.random.command_id();
    outbox::send(model, ClientToServer::Seek { cmd_id, terms, side: wish.side, rating: wish.rating }, out);
}

/// Shows that the offer stands: the server has accepted it.
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

fn accept(model: &mut Model, seek: String, offer: String, out: &mut Vec<Effect>) {
    model.say(text!("offer-accepted", offer));
    wait(model, &text!("game-begins-soon"), Vec::new());
    let cmd_id = model.random.command_id();
    let secret = model.wish().is_some_and(|wish| wish.secret);
    outbox::send(model, ClientToServer::AcceptSeek { cmd_id, seek, secret }, out);
}

/// Accepts the challenge whose terms are shown.
pub(super) fn accept_challenge(model: &mut Model, challenge: String, out: &mut Vec<Effect>) {
    wait(model, &text!("game-begins-soon"), Vec::new());
    let cmd_id = model.random.command_id();
    let secret = model.wish().is_some_and(|wish| wish.secret);
    outbox::send(model, ClientToServer::AcceptChallenge { cmd_id, challenge, secret }, out);
}

/// Carries out the chosen entry of a list.
pub(super) fn chosen(model: &mut Model, choice: Choice, out: &mut Vec<Effect>) {
    match choice {
        Choice::Open(id) => {
            wait(model, &text!("opening-game"), Vec::new());
            open(model, id, out);
        }
        Choice::Accept { seek, offer } => accept(model, seek, offer, out),
        Choice::Offer => offer(model, out),
    }
}

fn choose_game(model: &mut Model, out: &mut Vec<Effect>) {
    let games = model.lobby.listed.as_ref().map(|(_, games)| games.clone()).unwrap_or_default();
    if games.is_empty() {
        if model.options.face.prints() {
            exit(model, Exit::Done, text!("public-games-none"), out);
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
    let cursor = match &model.ui.page {
        // The list may have changed: keep the cursor on its entry, not on its number.
        Page::Choosing(choices) => choices
            .entries
            .get(choices.cursor)
            .and_then(|(_, before)| entries.iter().position(|(_, choice)| choice == before))
            .unwrap_or(0),
        Page::Waiting { .. } | Page::Terms { .. } | Page::Game => 0,
    };
    model.ui.page = Page::Choosing(Choices { title: title.to_owned(), entries, cursor });
}

/// Prints both lists of games once they have arrived.
pub(super) fn list_games(model: &mut Model, out: &mut Vec<Effect>) {
    let (Some(own), Some((_, public))) = (model.lobby.urgent_games.clone(), model.lobby.listed.clone())
    else {
        return;
    };
    let server = model.options.server_flag();
    for line in listing::own_games(&own, &server) {
        model.say(line);
    }
    if public.is_empty() {
        model.say(text!("public-games-none"));
    } else {
        model.say(text!("public-games", server));
        for game in &public {
            model.say(format!("  {}", words::summary(game)));
        }
    }
    out.push(Effect::Exit { code: Exit::Done.code() });
}

/// Goes on with the most urgent game in which it is the player's turn, or says that there is none.
pub(super) fn next(model: &mut Model, own: &OwnGames, out: &mut Vec<Effect>) {
    let open = model.game.as_ref().map(|game| game.summary.id);
    let next = own.games.iter().find(|own| own.to_act && Some(own.game.id) != open);
    match next {
        Some(next) => enter(model, next.game.id, out),
        None => {
            let word = listing::no_next(own, open.is_some(), &model.options.server_flag());
            if model.goal == Goal::Next { exit(model, Exit::Done, word, out) } else { model.say(word) }
        }
    }
}

/// Goes on with one of the player's games, and leaves the open one.
pub(super) fn enter(model: &mut Model, id: GameId, out: &mut Vec<Effect>) {
    if let Some(previous) = model.game.take_if(|game| game.summary.id != id) {
        out.push(Effect::Send(ClientToServer::CloseGame { game: previous.summary.id }));
    }
    if model.goal == Goal::Next {
        model.goal = Goal::Play(Wish { how: How::Game(id), ..Wish::default() });
    }
    wait(model, &text!("opening-game"), Vec::new());
    open(model, id, out);
}

/// Shows a waiting page, or prints its headline in line-based mode.
pub(super) fn wait(model: &mut Model, headline: &str, lines: Vec<String>) {
    if model.options.face.prints() {
        let is_same = matches!(&model.ui.page, Page::Waiting { headline: shown, .. } if shown == headline);
        if !is_same {
            model.say(headline);
            for line in &lines {
                model.say(line.clone());
            }
        }
    }
    model.ui.page = Page::Waiting { headline: headline.to_owned(), lines };
}
