//! Seeks with rating ranges, and challenges that are addressed to players.

use flagfall_protocol::{Invitation, RatingRange, RatingWish};
use flagfall_store::Update;

use super::*;

fn of_kind(who: &str, kind: PlayerKind) -> Player {
    Player { kind, ..player(who) }
}

fn account(who: &str) -> Player {
    of_kind(who, PlayerKind::Account)
}

fn clocked() -> Terms {
    Terms { time: Time::Fischer { base_s: 300, increment_s: 3 }, ..terms() }
}

fn between(min: u32, max: u32) -> RatingWish {
    RatingWish::Between { min: Some(min), max: Some(max) }
}

impl House {
    async fn handle(&self, who: &Player, id: &str, command: LobbyCommand) -> Result<Accepted, Refused> {
        self.lobby.handle(who, &id.parse().unwrap(), command).await
    }

    async fn seek_of(
        &self,
        who: &Player,
        id: &str,
        terms: Terms,
        rating: RatingWish,
    ) -> Result<Accepted, Refused> {
        let command = LobbyCommand::Seek { terms, side: None, rating: Some(rating) };
        self.handle(who, id, command).await
    }

    async fn take(&self, who: &Player, id: &str, seek: &str) -> Result<Accepted, Refused> {
        self.handle(who, id, LobbyCommand::AcceptSeek { seek: seek.to_owned(), secret: false }).await
    }

    /// Sets a player's rating for `classic` at blitz speed.
    async fn rate(&self, who: &str, value: f64) {
        let record = format!(
            r#"{{"value":{value},"deviation":60.0,"volatility":0.06,"games":40,"surplus":0,"at":{}}}"#,
            self.store.now().0
        );
        let key = Key::new(format!("ratings/{who}/classic/blitz")).unwrap();
        let write = Write::Put { key, value: record.into_bytes(), expires: None };
        self.store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.unwrap();
    }
}

#[tokio::test]
async fn a_seek_for_some_ratings_is_shown_to_all_and_taken_by_those_alone() {
    let (one, other) = two_houses().await;
    one.rate("ana", 1_520.4).await;
    one.rate("bo", 1_610.0).await;
    one.rate("cy", 1_599.6).await;
    let seek = code_of(one.seek_of(&account("ana"), "1", clocked(), between(1_400, 1_600)).await.unwrap());
    meet([&one, &other]).await;
    let shown = other.lobby.inner.seeks.lock().iter().cloned().collect::<Vec<_>>();
    assert_eq!(shown[0].rating, Some(RatingRange { min: Some(1_400), max: Some(1_600) }));
    assert_eq!(shown[0].seeker_rating.map(|own| own.rating), Some(1_520));
    let refused = other.take(&account("bo"), "1", &seek).await.unwrap_err();
    let said = "outside_rating_range (max=1600 min=1400 range=both rating=1610 reason=rating)";
    assert_eq!(refused.to_string(), said);
    // The seek stays open after the refusal, and cy can take it. Ratings count as they are shown,
    // and cy's is rounded to 1600.
    assert!(other.take(&account("cy"), "1", &seek).await.is_ok());
}

#[tokio::test]
async fn a_range_around_the_seekers_rating_becomes_bounds_when_the_seek_is_opened() {
    let house = house().await;
    house.rate("ana", 1_800.0).await;
    let around = RatingWish::Around { below: Some(100), above: None };
    let seek = code_of(house.seek_of(&account("ana"), "1", clocked(), around).await.unwrap());
    let listed = || house.lobby.inner.seeks.lock().iter().cloned().collect::<Vec<_>>();
    assert_eq!(listed()[0].rating, Some(RatingRange { min: Some(1_700), max: None }));
    // A player who has not played counts as having a newcomer's rating.
    let newcomer = house.take(&account("bo"), "1", &seek).await;
    let said = "outside_rating_range (min=1700 range=min rating=1500 reason=rating)";
    assert_eq!(newcomer.unwrap_err().to_string(), said);
    // If the seeker's rating changes, the range stays the same.
    house.rate("ana", 1_500.0).await;
    let refused = house.take(&account("cy"), "1", &seek).await.unwrap_err();
    assert!(refused.is(Code::OUTSIDE_RATING_RANGE), "{refused}");
    house.rate("cy", 1_700.0).await;
    assert!(house.take(&account("cy"), "1", &seek).await.is_ok());
}

#[tokio::test]
async fn guests_have_no_rating_and_bots_have_theirs_among_bots() {
    let house = house().await;
    let wide = between(0, 4_000);
    let seek = code_of(house.seek_of(&account("ana"), "1", clocked(), wide).await.unwrap());
    let guest = house.take(&player("gus"), "1", &seek).await.unwrap_err();
    assert!(guest.to_string().contains("reason=guest"), "{guest}");
    let bot = house.take(&of_kind("rob", PlayerKind::Bot), "1", &seek).await.unwrap_err();
    assert!(bot.to_string().contains("reason=bots_and_people"), "{bot}");
    // A guest may give their seek a range, but not relative to their rating, because guests have
    // none.
    let around = RatingWish::Around { below: Some(1), above: Some(1) };
    let refused = house.seek_of(&player("gus"), "2", clocked(), around).await.unwrap_err();
    assert!(refused.is(Code::BAD_RATING_RANGE), "{refused}");
    let seek = code_of(house.seek_of(&player("gus"), "3", clocked(), wide).await.unwrap());
    assert!(house.take(&account("bo"), "1", &seek).await.is_ok());
}

#[tokio::test]
async fn a_range_that_means_nothing_is_refused() {
    let house = house().await;
    let ana = account("ana");
    let custom = Terms { ruleset: "classic,ties=attacker".to_owned(), ..clocked() };
    let empty = RatingWish::Between { min: None, max: None };
    for (id, (terms, rating)) in [
        (terms(), between(1_400, 1_600)),
        (custom, between(1_400, 1_600)),
        (clocked(), between(1_600, 1_400)),
        (clocked(), between(0, 4_001)),
        (clocked(), empty),
    ]
    .into_iter()
    .enumerate()
    {
        let refused = house.seek_of(&ana, &id.to_string(), terms, rating).await.unwrap_err();
        assert!(refused.is(Code::BAD_RATING_RANGE), "{id}: {refused}");
    }
    assert!(house.seeks().is_empty());
}

#[tokio::test]
async fn an_addressed_challenge_is_delivered_and_answered() {
    let house = house().await;
    let (_bo, mut bo) = house.connect("bo");
    let (_ana, mut ana) = house.connect("ana");
    let (eve, _eve_reader) = outbox(ConnectionId::next());
    let mut registration = house.connections.enter(eve.clone(), None);
    registration.identify("eve", "t", 8);
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let invited = house.lobby.invite(&player("ana"), &code, &player("bo")).await.unwrap();
    let ServerToClient::Challenged { invitation } = told(&mut bo).await else { panic!("no challenge") };
    assert_eq!(invitation, invited);
    assert_eq!(invitation.your_side, Some(Side::Blue));
    // Addressing the challenge again sends no second message. The next message is about the game.
    house.lobby.invite(&player("ana"), &code, &player("bo")).await.unwrap();
    house.ask("bo", "1", accept(&code)).await.unwrap();
    let answered =
        ServerToClient::ChallengeAnswered { challenge: code.clone(), by: player("bo"), accepted: true };
    assert_eq!(told(&mut ana).await, answered);
    for reader in [&mut ana, &mut bo] {
        assert!(matches!(told(reader).await, ServerToClient::GameStarted { .. }));
    }
    // Repeating the acceptance sends no second message, and the player's list is empty.
    house.ask("bo", "1", accept(&code)).await.unwrap();
    assert!(house.store.scan(Key::new("invited/").unwrap(), None, 9).await.unwrap().is_empty());
    let code = code_of(house.ask("ana", "2", challenge()).await.unwrap());
    house.lobby.invite(&player("ana"), &code, &player("bo")).await.unwrap();
    house.lobby.decline(&player("bo"), &code).await.unwrap();
    let declined = ServerToClient::ChallengeAnswered { challenge: code, by: player("bo"), accepted: false };
    assert_eq!(told(&mut ana).await, declined);
    assert_eq!(eve.queued(), 0, "nobody else hears of any of it");
}

#[tokio::test]
async fn the_end_of_a_challenge_is_announced_once() {
    let house = house().await;
    let (_bo, mut bo) = house.connect("bo");
    let (_cy, mut cy) = house.connect("cy");
    let gone = |code: &str, reason: &str| ServerToClient::ChallengeGone {
        challenge: code.to_owned(),
        challenger: player("ana"),
        reason: Some(reason.to_owned()),
    };
    let invite = async |id: &str| {
        let code = code_of(house.ask("ana", id, challenge()).await.unwrap());
        for name in ["bo", "cy"] {
            house.lobby.invite(&player("ana"), &code, &player(name)).await.unwrap();
        }
        code
    };
    // First case: the challenge is withdrawn, twice.
    let code = invite("1").await;
    for reader in [&mut bo, &mut cy] {
        assert!(matches!(told(reader).await, ServerToClient::Challenged { .. }));
    }
    for _ in 0..2 {
        house.ask("ana", "2", LobbyCommand::CancelChallenge { challenge: code.clone() }).await.unwrap();
    }
    let next = invite("3").await;
    for reader in [&mut bo, &mut cy] {
        assert_eq!(told(reader).await, gone(&code, "withdrawn"));
        assert!(
            matches!(told(reader).await, ServerToClient::Challenged { .. }),
            "the next one, and nothing between"
        );
    }
    // Next case: one addressee declines the challenge, and so needs no message about it.
    house.lobby.decline(&player("bo"), &next).await.unwrap();
    assert_eq!(told(&mut cy).await, gone(&next, "declined"));
    // Next case: one addressee accepts the challenge.
    let code = invite("4").await;
    assert!(matches!(told(&mut cy).await, ServerToClient::Challenged { .. }));
    house.ask("bo", "1", accept(&code)).await.unwrap();
    assert_eq!(told(&mut cy).await, gone(&code, "taken"));
    assert!(matches!(told(&mut bo).await, ServerToClient::Challenged { .. }));
    assert!(matches!(told(&mut bo).await, ServerToClient::GameStarted { .. }));
    // Next case: the challenger deletes their account.
    let code = invite("5").await;
    assert!(matches!(told(&mut cy).await, ServerToClient::Challenged { .. }));
    house.lobby.forget(&player("ana")).await.unwrap();
    assert_eq!(told(&mut cy).await, gone(&code, "withdrawn"));
    for left in ["invited/", "addressed/", "challenges/"] {
        let left = house.store.scan(Key::new(left).unwrap(), None, 9).await.unwrap();
        assert!(left.is_empty(), "{left:?}");
    }
    // A challenge that is closed cannot be addressed to anyone.
    let late = house.lobby.invite(&player("ana"), &code, &player("bo")).await;
    assert_eq!(late, Err::<Invitation, _>(no_such_challenge()));
}

#[tokio::test]
async fn challenges_of_blocked_players_are_not_delivered() {
    let house = house().await;
    let (_bo, mut bo) = house.connect("bo");
    let key = Key::new("blocks/bo/ana").unwrap();
    let write = Write::Put { key: key.clone(), value: Vec::new(), expires: None };
    house.store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.unwrap();
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let refused = house.lobby.invite(&player("ana"), &code, &player("bo")).await;
    assert_eq!(refused, Err::<Invitation, _>(blocked()));
    assert!(house.lobby.invitations(&player("bo")).await.unwrap().challenges.is_empty());
    // Bo got no message about the first challenge: the next message is about another one.
    let code = code_of(house.ask("cy", "1", challenge()).await.unwrap());
    house.lobby.invite(&player("cy"), &code, &player("bo")).await.unwrap();
    let ServerToClient::Challenged { invitation } = told(&mut bo).await else { panic!("no challenge") };
    assert_eq!(invitation.challenger, player("cy"));
}

#[tokio::test]
async fn a_challenge_is_announced_to_other_servers() {
    let (one, other) = two_houses().await;
    let mut notices = other.store.notices().unwrap();
    let code = code_of(one.ask("ana", "1", challenge()).await.unwrap());
    one.lobby.invite(&player("ana"), &code, &player("bo")).await.unwrap();
    other.lobby.decline(&player("bo"), &code).await.unwrap();
    let mut heard = async || loop {
        if let flagfall_store::StoreMessage::Told(bytes) = notices.recv().await.unwrap()
            && let Ok(flagfall_base::cluster::BusMessage::Message { players, message, .. }) =
                serde_json::from_slice(&bytes)
        {
            return (players, *message);
        }
    };
    let (players, message) = heard().await;
    assert_eq!(players, ["bo"]);
    assert!(matches!(message, ServerToClient::Challenged { .. }));
    let (players, message) = heard().await;
    assert_eq!(players, ["ana"]);
    assert!(matches!(message, ServerToClient::ChallengeAnswered { accepted: false, .. }));
    let code = code_of(one.ask("ana", "2", challenge()).await.unwrap());
    one.lobby.invite(&player("ana"), &code, &player("bo")).await.unwrap();
    heard().await;
    other.ask("ana", "3", LobbyCommand::CancelChallenge { challenge: code.clone() }).await.unwrap();
    let (players, message) = heard().await;
    assert_eq!(players, ["bo"]);
    let reason = Some("withdrawn".to_owned());
    assert_eq!(message, ServerToClient::ChallengeGone { challenge: code, challenger: player("ana"), reason });
}
