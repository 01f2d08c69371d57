//! Players who return to the pool because their game was aborted, and the pool status of waiting
//! players.

use flagfall_protocol::{GameCommand, Phase, PoolStatus, RatingRange};

use super::*;
use crate::left_games::mark;
use crate::lobby::pool::PoolRecord;
use flagfall_base::transact::write;
use flagfall_game::{Asked, NewCommand, TableInput};

pub(super) fn clocked() -> Terms {
    Terms { time: Time::Fischer { base_s: 600, increment_s: 0 }, ..terms() }
}

pub(super) fn enter() -> LobbyCommand {
    LobbyCommand::EnterPool { terms: clocked() }
}

impl House {
    pub(super) async fn waits(&self, who: &str) -> Option<PoolRecord> {
        let bytes = self.store.get(Key::new(format!("pool/{who}")).unwrap()).await.unwrap()?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    async fn count(&self, prefix: &str) -> usize {
        self.store.scan(Key::new(prefix).unwrap(), None, 9).await.unwrap().len()
    }

    /// Waits until ana and bo are paired. Returns the time at which bo began to wait, and the
    /// game.
    async fn paired(&self) -> (u64, GameId) {
        for who in ["ana", "bo"] {
            self.ask(who, "enter", enter()).await.unwrap();
        }
        let since = self.waits("bo").await.unwrap().since;
        self.lobby.hold_wave().await.unwrap();
        (since, self.games_of("ana").await[0])
    }

    async fn abort(&self, who: &str, game: GameId) {
        let table = self.lobby.inner.tables.find(game).await.unwrap();
        let (outbox, mut reader) = outbox(ConnectionId::next());
        let (player, cmd_id, command) = (player(who), "abort".parse().unwrap(), GameCommand::Abort {});
        let reply = flagfall_game::Reply::Connection {
            outbox,
            request: flagfall_base::request_id::RequestId::next(),
        };
        let command = NewCommand { player: player.id, cmd_id, ply: 0, command };
        let input = TableInput::Command(Asked::new(reply, command, None));
        assert!(table.send(input).await.is_ok());
        let told = told(&mut reader).await;
        assert!(matches!(told, ServerToClient::Accepted { .. }), "{told:?}");
        assert_eq!(table.summary().phase, Phase::Over);
    }
}

#[tokio::test]
async fn whose_opponent_calls_a_paired_game_off_waits_again_as_long_as_before() {
    let house = house().await;
    let (_ana, _bo) = (house.connect("ana"), house.connect("bo"));
    let (since, game) = house.paired().await;
    house.abort("ana", game).await;
    for _ in 0..2 {
        house.lobby.hold_wave().await.unwrap();
    }
    assert_eq!(house.waits("ana").await, None);
    let waits = house.waits("bo").await.unwrap();
    assert_eq!((waits.since, waits.terms), (since, clocked()));
    assert_eq!((house.count("pool_returns/").await, house.count("pooled/").await), (0, 0));
    // If the player then leaves the pool, they are not put back.
    house.ask("bo", "leave", LobbyCommand::LeavePool {}).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    assert_eq!(house.waits("bo").await, None);
}

#[tokio::test]
async fn exactly_one_server_returns_a_player_to_the_pool() {
    let first = house().await;
    let (_ana, _bo) = (first.connect("ana"), first.connect("bo"));
    let (since, game) = first.paired().await;
    first.abort("ana", game).await;
    // Bo's server is gone. Two other servers run waves, but bo is not connected to them.
    let others = [house_on(first.store.clone()).await, house_on(first.store.clone()).await];
    for other in &others {
        other.lobby.hold_wave().await.unwrap();
    }
    assert_eq!((first.waits("bo").await, first.count("pool_returns/").await), (None, 1));
    // Bo connects to both servers at the same time.
    let _lines = others.each_ref().map(|other| other.connect("bo"));
    let (one, two) = tokio::join!(others[0].lobby.hold_wave(), others[1].lobby.hold_wave());
    one.unwrap();
    two.unwrap();
    assert_eq!(first.waits("bo").await.unwrap().since, since);
    assert_eq!(first.count("pool_returns/").await, 0);
}

#[tokio::test]
async fn a_newer_wish_replaces_the_return_to_the_pool() {
    let house = house().await;
    let (_ana, _bo) = (house.connect("ana"), house.connect("bo"));
    let (since, game) = house.paired().await;
    house.abort("ana", game).await;
    let other = Terms { ruleset: "barrage".to_owned(), ..clocked() };
    house.ask("bo", "other", LobbyCommand::EnterPool { terms: other.clone() }).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let waits = house.waits("bo").await.unwrap();
    assert!(waits.terms == other && waits.since >= since);
    assert_eq!(house.count("pool_returns/").await, 0);
}

#[tokio::test]
async fn a_player_paired_again_is_not_returned_to_the_pool() {
    let first = house().await;
    let _lines = (first.connect("ana"), first.connect("bo"));
    let (_, game) = first.paired().await;
    first.abort("ana", game).await;
    // Bo and cy enter the pool on another server, to which neither of them is connected.
    // They are paired.
    let other = house_on(first.store.clone()).await;
    for (who, id) in [("bo", "again"), ("cy", "enter")] {
        other.ask(who, id, enter()).await.unwrap();
    }
    other.lobby.hold_wave().await.unwrap();
    assert_eq!(other.games_of("bo").await.len(), 1);
    first.lobby.hold_wave().await.unwrap();
    assert_eq!(first.waits("bo").await, None);
}

#[tokio::test]
async fn a_player_in_another_live_game_is_not_returned_to_the_pool() {
    let house = house().await;
    let _lines = (house.connect("ana"), house.connect("bo"));
    let (_, game) = house.paired().await;
    house.abort("ana", game).await;
    let bot = LobbyCommand::PlayBot { bot: "random".to_owned(), terms: clocked(), side: None };
    house.ask("bo", "bot", bot).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    assert_eq!((house.waits("bo").await, house.count("pool_returns/").await), (None, 0));
}

#[tokio::test]
async fn a_game_on_a_live_clock_ends_the_wait_in_the_pool() {
    for (terms, is_live) in [(terms(), false), (clocked(), true)] {
        let house = house().await;
        for who in ["ana", "bo"] {
            house.ask(who, "enter", enter()).await.unwrap();
        }
        let seek = LobbyCommand::Seek { terms, side: None, rating: None };
        let seek = code_of(house.ask("ana", "seek", seek).await.unwrap());
        let accept = LobbyCommand::AcceptSeek { seek, secret: false };
        house.ask("bo", "accept", accept).await.unwrap();
        house.lobby.hold_wave().await.unwrap();
        assert_eq!(house.games_of("ana").await.len(), if is_live { 1 } else { 2 });
        assert_eq!((house.waits("ana").await, house.waits("bo").await), (None, None));
    }
}

#[tokio::test]
async fn only_games_of_the_pool_return_players_to_it() {
    let house = house().await;
    let (_ana, _bo) = (house.connect("ana"), house.connect("bo"));
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let (game, _) = game_of(house.ask("bo", "1", accept(&code)).await.unwrap());
    house.abort("ana", game).await;
    house.lobby.hold_wave().await.unwrap();
    assert_eq!((house.count("pool/").await, house.count("pool_returns/").await), (0, 0));
}

#[tokio::test]
async fn waiting_players_get_their_pool_status() {
    let house = house().await;
    let ana = Player { id: "ana".to_owned(), name: "ana".to_owned(), kind: PlayerKind::Account };
    let (_line, reader) = house.connect("ana");
    assert_eq!(reader.pool(), None);
    let id = "enter".parse().unwrap();
    house.lobby.handle(&ana, &id, enter()).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let since = house.waits("ana").await.unwrap().since;
    // A newcomer is rated 1500 ± 500. The range extends in each direction by 100 points, plus
    // twice the 390 points by which a newcomer's deviation exceeds that of an established player.
    let range = RatingRange { min: Some(620), max: Some(2_380) };
    assert_eq!(reader.pool(), Some(PoolStatus { since, range: Some(range), waiting: 1 }));
    // A guest who waits for the same terms is paired with ana. Neither has blocked the other, and
    // they have not just met.
    let (_bo, guest) = house.connect("bo");
    house.ask("bo", "enter", enter()).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    assert_eq!((reader.pool(), guest.pool()), (None, None));
    assert_eq!(house.games_of("ana").await.len(), 1);
}

#[tokio::test]
async fn players_who_left_the_pool_get_no_status() {
    let house = house().await;
    let (_line, reader) = house.connect("ana");
    house.ask("ana", "enter", enter()).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let status = reader.pool().unwrap();
    assert_eq!((status.range, status.waiting), (None, 1), "guests have no rating");
    house.ask("ana", "leave", LobbyCommand::LeavePool {}).await.unwrap();
    assert_eq!(reader.pool(), None);
}

#[tokio::test]
async fn only_a_game_on_a_live_clock_or_not_yet_begun_keeps_its_players_out_of_the_pool() {
    let days = Time::Correspondence { days: 3 };
    // In `quantum`, nothing is deployed, so the game begins at once.
    for (ruleset, time, is_free) in
        [("quantum", days, true), ("quantum", clocked().time, false), ("classic", days, false)]
    {
        let house = house().await;
        let _lines = [house.connect("ana"), house.connect("bo")];
        let terms = Terms { ruleset: ruleset.to_owned(), time, ..terms() };
        let enter = || LobbyCommand::EnterPool { terms: terms.clone() };
        for who in ["ana", "bo"] {
            house.ask(who, "enter", enter()).await.unwrap();
        }
        house.lobby.hold_wave().await.unwrap();
        assert_eq!(house.games_of("ana").await.len(), 1);
        let refused = house.ask("ana", "again", enter()).await.err();
        assert_eq!(refused.map(|refused| refused.is(Code::ALREADY_PAIRED)), (!is_free).then_some(true));
    }
}

#[tokio::test]
async fn a_player_who_must_wait_has_no_rated_rematch() {
    let house = house().await;
    let game = |n: u8| GameId::from_random([n; 12]);
    let marks = [8, 9].map(|n| mark("ana", game(n), house.store.now()).unwrap());
    write(&house.store, marks.into()).await.unwrap();
    for (n, rated) in [(1, false), (2, true)] {
        let players = PerSide::new(player("ana"), player("bo"));
        let (terms, secret) = (Terms { rated, ..clocked() }, PerSide::default());
        let new = NewGame { id: game(n), terms, players, secret, previous: None };
        house.lobby.inner.tables.create(new).await.unwrap();
        house.abort("bo", game(n)).await;
        let check = async |who: &str| house.lobby.check_rematch(&player(who), game(n)).await.err();
        let refused = check("ana").await;
        assert_eq!(refused.map(|refused| refused.is(Code::LEFT_GAMES)), rated.then_some(true));
        assert_eq!(check("bo").await, None);
    }
}
