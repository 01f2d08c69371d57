//! Notices by e-mail, over a mail server on loopback.

use std::sync::{Arc, Mutex};

use flagfall_services::mail_relay::MailRelay;
use flagfall_tls::Trust;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;

use super::*;

const MINUTE_MS: u64 = 60_000;

/// A mail server that keeps what it accepts.
struct Relay {
    port: u16,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    mails: Vec<Mail>,
    /// The answers for the next recipients. If there are none, recipients are accepted.
    answers: Vec<&'static str>,
    dialed: usize,
}

#[derive(Clone, Debug)]
struct Mail {
    to: String,
    /// The headers and the body, with folded headers and quoted-printable line breaks joined.
    text: String,
}

impl Mail {
    /// Returns the path of the first link that begins with `path`.
    fn link(&self, path: &str) -> String {
        let rest = self.text.split_once(path).unwrap_or_else(|| panic!("no {path} in {}", self.text)).1;
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '/');
        format!("{path}{}", &rest[..end.unwrap()])
    }
}

impl Relay {
    async fn open() -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept = Arc::new(Mutex::new(Kept::default()));
        let of_task = kept.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = of_task.clone();
                kept.lock().unwrap().dialed += 1;
                tokio::spawn(async move { converse(stream, &kept).await });
            }
        });
        Relay { port, kept }
    }

    fn settings(&self) -> Settings {
        let mut settings = settings();
        let source = MailRelay::source(&format!("smtp://127.0.0.1:{}", self.port)).unwrap();
        let from = "Flagfall <mail@example.org>".parse().unwrap();
        let url = "https://play.example.org".parse().unwrap();
        settings.relay = Some(MailRelay::read(&source, Trust::default(), from, url).unwrap());
        settings
    }

    /// Removes and returns the mails that have arrived.
    fn take(&self) -> Vec<Mail> {
        std::mem::take(&mut self.kept.lock().unwrap().mails)
    }

    /// Removes and returns the only mail that has arrived.
    fn only(&self) -> Mail {
        let mut mails = self.take();
        assert_eq!(mails.len(), 1, "{mails:?}");
        mails.remove(0)
    }

    fn answer(&self, answer: &'static str) {
        self.kept.lock().unwrap().answers.push(answer);
    }
}

async fn converse(stream: TcpStream, kept: &Mutex<Kept>) {
    let mut stream = BufReader::new(stream);
    let mut to = String::new();
    stream.write_all(b"220 relay.example.org ESMTP\r\n").await.unwrap();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let answer = match line.split([' ', ':', '\r']).next().unwrap() {
            "EHLO" => "250-relay.example.org\r\n250 8BITMIME",
            "RCPT" => {
                to = line.trim().to_owned();
                let mut kept = kept.lock().unwrap();
                if kept.answers.is_empty() { "250 OK" } else { kept.answers.remove(0) }
            }
            "DATA" => {
                stream.write_all(b"354 Go on\r\n").await.unwrap();
                let mut text = String::new();
                while !text.ends_with("\r\n.\r\n") {
                    assert!(stream.read_line(&mut text).await.unwrap() > 0, "{text}");
                }
                let text = text.replace("=\r\n", "").replace("=3D", "=");
                // Unfold long headers.
                let text = text.replace("\r\n ", " ").replace(":  ", ": ");
                kept.lock().unwrap().mails.push(Mail { to: to.clone(), text });
                "250 Kept"
            }
            "QUIT" => "221 Bye",
            _ => "250 OK",
        };
        if stream.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

impl Pair {
    /// Opens a server with a relay. Ann and Bob are connected, but have no game open.
    async fn mailed(relay: &Relay) -> Pair {
        let house = House::open(relay.settings()).await;
        let tokens = [account(&house, "ann").await, account(&house, "bob").await];
        let clients = [house.again(&tokens[0]).await, house.again(&tokens[1]).await];
        Pair { house, tokens, clients, commands: 0 }
    }

    async fn set_email(&self, address: &str) -> Answer {
        self.ask("PUT", "/api/me/email", json!({ "address": address, "language": "en" })).await
    }

    async fn state(&self) -> Value {
        self.ask("GET", "/api/me/email", Value::Null).await.json()["email"]["state"].clone()
    }

    async fn settle_mails(&self) {
        self.house.run_jobs("turn_due").await;
        // Run the jobs twice, because the server's own runner may have put a new job back.
        for _ in 0..2 {
            self.house.run_jobs("mails").await;
        }
    }

    async fn settle_mails_later(&self, ms: u64) {
        self.house.later(ms);
        self.settle_mails().await;
    }

    /// Sends a request as a browser or a mail program without a session.
    async fn visit(&self, method: &str, path: &str) -> Answer {
        self.house.ask(method, path, "", "").await
    }

    /// Sets and confirms Ann's address.
    async fn confirm(&self, relay: &Relay) {
        assert_eq!(self.set_email("ann@example.org").await.status, 200);
        self.settle_mails().await;
        let link = relay.only().link("/mail/confirm/");
        assert_eq!(self.visit("POST", &link).await.status, 200);
        assert_eq!(self.state().await, "active");
    }

    /// Makes a move of Ann and a move of Bob, so that it is Ann's turn again.
    async fn go_round(&mut self, game: GameId, ply: u16) {
        let is_out = ply.is_multiple_of(4);
        self.act(0, game, ply, moving(if is_out { "a4a5" } else { "a5a4" })).await;
        self.act(1, game, ply + 1, moving(if is_out { "j7j6" } else { "j6j7" })).await;
    }
}

#[tokio::test]
async fn an_address_gets_nothing_until_its_owner_confirms_it() {
    let relay = Relay::open().await;
    let mut pair = Pair::mailed(&relay).await;
    let set = pair.set_email("ann@example.org").await;
    assert_eq!((set.status, &set.json()["email"]["state"]), (200, &json!("pending")), "{}", set.body);
    pair.begin().await;
    pair.settle_mails().await;
    let mail = relay.only();
    assert_eq!(mail.to, "RCPT TO:<ann@example.org>");
    for part in
        ["Subject: Confirm your address for play.example.org\r\n", "From: Flagfall <mail@example.org>\r\n"]
    {
        assert!(mail.text.contains(part), "{part} in {}", mail.text);
    }
    let link = mail.link("/mail/confirm/");
    let stored = format!("{:?}", pair.house.store.scan(Key::new("email/").unwrap(), None, 9).await.unwrap());
    assert!(!stored.contains(link.rsplit('/').next().unwrap()), "only the hash is stored");
    // Opening the link confirms nothing, because programs that check mails open links too.
    let page = pair.visit("GET", &link).await;
    assert!(page.status == 200 && page.body.contains("<form method=\"post\">"), "{}", page.body);
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    assert_eq!(pair.state().await, "pending");
    let other = format!("{}{}", &link[..link.len() - 64], "0".repeat(64));
    assert_eq!(pair.visit("POST", &other).await.status, 404);
    assert_eq!(pair.visit("POST", &link).await.status, 200);
    assert_eq!(pair.state().await, "active");
    assert_eq!(pair.visit("POST", &link).await.status, 404, "a link works once");
    assert_eq!(
        pair.ask("GET", "/api/account", Value::Null).await.json()["email"]["address"],
        "ann@example.org"
    );
}

#[tokio::test]
async fn confirmations_are_few_and_their_links_expire() {
    let relay = Relay::open().await;
    let pair = Pair::mailed(&relay).await;
    let again = || pair.ask("POST", "/api/me/email/confirmation", Value::Null);
    assert_eq!(again().await.json()["code"], "no_such_email");
    assert_eq!(pair.set_email("ann@example.org\r\nBcc: bob@example.org").await.json()["code"], "bad_email");
    assert_eq!(pair.set_email("ann@example.org").await.status, 200);
    assert_eq!(again().await.status, 204);
    assert_eq!(pair.set_email("ann+other@example.org").await.status, 200);
    let refused = pair.set_email("carl@example.org").await;
    assert_eq!((refused.status, refused.json()["args"]["reason"].clone()), (429, json!("mails_of_account")));
    // Another account cannot have more mails sent to the same mailbox.
    let body = json!({ "address": "ANN@example.org" }).to_string();
    let refused = pair.house.ask("PUT", "/api/me/email", &pair.tokens[1], &body).await;
    assert_eq!((refused.status, refused.json()["args"]["reason"].clone()), (429, json!("mails_to_address")));
    pair.settle_mails().await;
    // Check only the last mail, because the server may have sent mails before the address was
    // changed.
    assert_eq!(relay.take().last().unwrap().to, "RCPT TO:<ann+other@example.org>");
    let (_, _, guest) = pair.house.guest("eve").await;
    let refused = pair.house.ask("PUT", "/api/me/email", &guest, &body).await;
    assert_eq!(refused.json()["code"], "account_expected");
    // A confirmation mail that the relay has not accepted for a day is not sent any more.
    relay.answer("450 Later");
    let token = account(&pair.house, "dora").await;
    let body = json!({ "address": "dora@example.org" }).to_string();
    assert_eq!(pair.house.ask("PUT", "/api/me/email", &token, &body).await.status, 200);
    pair.settle_mails().await;
    assert!(relay.take().is_empty());
    pair.settle_mails_later(25 * 60 * MINUTE_MS).await;
    assert!(relay.take().is_empty());
    assert!(pair.house.store.scan(Key::new("mails/").unwrap(), None, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_player_gets_one_mail_a_turn_and_one_in_ten_minutes() {
    let relay = Relay::open().await;
    let mut pair = Pair::mailed(&relay).await;
    pair.confirm(&relay).await;
    let game = pair.begin().await;
    pair.settle_mails().await;
    let mail = relay.only();
    for part in [
        "Subject: Your turn against bob: Play by mail\r\n",
        "ann, it is your turn:",
        "Play by mail against bob: deploy your army. Time left: ",
        &format!("https://play.example.org/game/{game}"),
        "List-Unsubscribe: <https://play.example.org/mail/unsubscribe/",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
        "Content-Type: text/html; charset=utf-8",
    ] {
        assert!(mail.text.contains(part), "{part} in {}", mail.text);
    }
    for _ in 0..3 {
        pair.settle_mails_later(11 * MINUTE_MS).await;
    }
    assert!(relay.take().is_empty(), "one mail for one turn");
    // Two turns within ten minutes are announced in one mail, and a turn that is already
    // over is not announced.
    pair.deploy(game).await;
    pair.settle_mails().await;
    let first = relay.only();
    assert!(first.text.contains("your move. Time left: 2 days 23 h"), "{}", first.text);
    pair.go_round(game, 0).await;
    let [other, third] = [pair.begin().await, pair.begin().await];
    pair.settle_mails_later(9 * MINUTE_MS).await;
    assert!(relay.take().is_empty());
    pair.act(0, third, 0, GameCommand::Deploy { setup: SETUP.to_owned() }).await;
    pair.settle_mails_later(2 * MINUTE_MS).await;
    let mail = relay.only();
    assert!(mail.text.contains("Subject: Your turn in 2 games\r\n"), "{}", mail.text);
    let names = |game: GameId| mail.text.contains(&format!("/game/{game}"));
    assert_eq!([game, other, third].map(names), [true, true, false]);
    assert!(!mail.text.contains(SETUP) && !mail.text.contains("a4a5"));
    pair.settle_mails_later(60 * MINUTE_MS).await;
    assert!(relay.take().is_empty());
}

#[tokio::test]
async fn a_player_who_sees_the_board_gets_their_mail_only_when_they_leave_it() {
    let relay = Relay::open().await;
    let mut pair = Pair::mailed(&relay).await;
    pair.confirm(&relay).await;
    let game = pair.begin().await;
    let open = ClientToServer::OpenGame { game, since: None };
    pair.clients[0].tell(&open).await;
    pair.clients[0].find(|message| matches!(message, ServerToClient::Game { .. }).then_some(())).await;
    pair.settle_mails().await;
    assert!(relay.take().is_empty());
    pair.settle_mails_later(11 * MINUTE_MS).await;
    assert!(relay.take().is_empty());
    // After an hour, the mail is sent although the game is still open.
    pair.settle_mails_later(60 * MINUTE_MS).await;
    assert!(relay.only().text.contains(&game.to_string()));
}

#[tokio::test]
async fn one_request_without_a_session_ends_the_mails() {
    let relay = Relay::open().await;
    let mut pair = Pair::mailed(&relay).await;
    pair.confirm(&relay).await;
    pair.begin().await;
    pair.settle_mails().await;
    let link = relay.only().link("/mail/unsubscribe/");
    let page = pair.visit("GET", &link).await;
    assert!(page.status == 200 && page.body.contains("ann@example.org"), "{}", page.body);
    assert_eq!(pair.state().await, "active", "opening the link changes nothing");
    let wrong = format!("{}{}", &link[..link.len() - 64], "0".repeat(64));
    assert_eq!(pair.visit("POST", &wrong).await.status, 200, "which tells nothing");
    assert_eq!(pair.state().await, "active");
    // Send the request in the same form as mail programs (RFC 8058).
    let body = "List-Unsubscribe=One-Click";
    let request = format!(
        "POST {link} HTTP/1.1\r\nHost: play.example.org\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(crate::common::http(pair.house.address, &request).await.status, 200);
    assert_eq!(pair.state().await, Value::Null);
    assert_eq!(pair.visit("POST", &link).await.status, 200);
    assert_eq!(pair.visit("GET", &link).await.status, 404);
    pair.begin().await;
    pair.settle_mails_later(60 * MINUTE_MS).await;
    assert!(relay.take().is_empty());
}

#[tokio::test]
async fn a_mail_is_tried_again_until_it_is_refused_for_good() {
    let relay = Relay::open().await;
    let mut pair = Pair::mailed(&relay).await;
    pair.confirm(&relay).await;
    relay.answer("451 Later");
    let game = pair.begin().await;
    pair.settle_mails().await;
    pair.settle_mails().await;
    assert!(relay.take().is_empty(), "not at once");
    pair.settle_mails_later(11 * MINUTE_MS).await;
    assert!(relay.only().text.contains(&game.to_string()));
    relay.answer("550 No such mailbox");
    pair.begin().await;
    pair.settle_mails_later(11 * MINUTE_MS).await;
    assert!(relay.take().is_empty());
    assert_eq!(pair.state().await, "suspended");
    pair.begin().await;
    let before = relay.kept.lock().unwrap().dialed;
    pair.settle_mails_later(60 * MINUTE_MS).await;
    assert_eq!(relay.kept.lock().unwrap().dialed, before, "the relay is not asked again");
    // The owner can confirm the address again.
    assert_eq!(pair.ask("POST", "/api/me/email/confirmation", Value::Null).await.status, 204);
    pair.settle_mails().await;
    assert_eq!(pair.visit("POST", &relay.only().link("/mail/confirm/")).await.status, 200);
    assert_eq!(pair.state().await, "active");
}

#[tokio::test]
async fn a_relay_that_is_away_delays_no_other_job_and_loses_no_mail() {
    let relay = Relay::open().await;
    let mut settings = relay.settings();
    let back = settings.relay.clone();
    let closed = flagfall_tests::OwnPort::claim().unwrap();
    settings.relay.as_mut().unwrap().port = closed.number();
    settings.webhooks = Reach::Private;
    let house = House::open(settings).await;
    let tokens = [account(&house, "ann").await, account(&house, "bob").await];
    let clients = [house.again(&tokens[0]).await, house.again(&tokens[1]).await];
    let mut pair = Pair { house, tokens, clients, commands: 0 };
    assert_eq!(pair.set_email("ann@example.org").await.status, 200);
    let hook = Hook::open().await;
    pair.set(&hook.url).await;
    pair.begin().await;
    pair.settle_mails().await;
    let ((), (_, notice)) = tokio::join!(pair.settle(), hook.take("200 OK"));
    assert_eq!(notice["kind"], "your_turn");
    let store = pair.house.store.clone();
    pair.house.close().await;
    let mut settings = relay.settings();
    settings.relay = back;
    let house = House::open_on(store, settings).await;
    house.later(2 * MINUTE_MS);
    house.run_jobs("mails").await;
    assert_eq!(relay.only().to, "RCPT TO:<ann@example.org>");
}

#[tokio::test]
async fn an_address_goes_with_its_account_and_without_a_relay_there_is_none() {
    let relay = Relay::open().await;
    let mut pair = Pair::mailed(&relay).await;
    pair.confirm(&relay).await;
    assert_eq!(pair.ask("DELETE", "/api/me/email", Value::Null).await.status, 204);
    assert_eq!(pair.ask("DELETE", "/api/me/email", Value::Null).await.json()["code"], "no_such_email");
    pair.confirm(&relay).await;
    let game = pair.begin().await;
    pair.deploy(game).await;
    pair.settle_mails().await;
    relay.take();
    pair.act(1, game, 0, GameCommand::Resign {}).await;
    let deleted = pair.ask("DELETE", "/api/account", json!({ "password": "correct horse battery" })).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    for kind in ["email/", "email_asked_by/", "mails/"] {
        let left = pair.house.store.scan(Key::new(kind).unwrap(), None, 9).await.unwrap();
        assert!(left.is_empty(), "{kind}");
    }
    let off = Pair::new(Reach::Public).await;
    for (method, path) in [
        ("GET", "/api/me/email"),
        ("DELETE", "/api/me/email"),
        ("POST", "/api/me/email/confirmation"),
        ("POST", "/mail/confirm/abc/0"),
        ("GET", "/mail/unsubscribe/abc/0"),
    ] {
        let refused = off.ask(method, path, Value::Null).await;
        assert_eq!((refused.status, refused.json()["code"].clone()), (501, json!("mail_off")), "{path}");
    }
    assert_eq!(off.set_email("ann@example.org").await.json()["code"], "mail_off");
}
