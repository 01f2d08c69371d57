//! A pure state machine that decides what a connection may send and when. Time is an argument,
//! and there is no I/O.

use std::time::Duration;

use flagfall_protocol::{
    ClientToServer, CloseCode, Code, CommandId, Malformed, PROTOCOL_VERSION, Refusal, Secret, parse_message,
};
use tokio::time::Instant;

use flagfall_base::rate::TokenBucket;
use flagfall_services::settings::Settings;

/// Maximum length of the hello's `client` in the log, in characters.
const CLIENT_LEN_MAX: usize = 64;

/// Maximum number of malformed messages on one connection. The next one closes the connection.
const MALFORMED_MAX: u32 = 4;

/// Maximum time for which reading pauses because the client writes too fast.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// The code and reason for closing a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closing {
    /// The close code, defined by the protocol ([`CloseCode`]) or by WebSocket itself.
    pub code: u16,
    pub reason: &'static str,
}

impl Closing {
    pub const PROTOCOL: Closing = Closing { code: 1002, reason: "violation of the WebSocket protocol" };
    pub const BINARY: Closing = Closing { code: 1003, reason: "messages are texts" };
    pub const NOT_UTF8: Closing = Closing { code: 1007, reason: "not UTF-8" };
    pub const MALFORMED: Closing = Closing { code: 1008, reason: "too many malformed messages" };
    /// A frame or message that exceeds the limit.
    pub const TOO_LONG: Closing = Closing { code: 1009, reason: "message too long" };
    /// The server cannot admit the client at the moment.
    pub const LATER: Closing = Closing { code: 1013, reason: "try again in a moment" };
}

impl From<CloseCode> for Closing {
    fn from(code: CloseCode) -> Closing {
        let reason = match code {
            CloseCode::Shutdown => "the server stops",
            CloseCode::Slow => "messages were not read fast enough",
            CloseCode::NoPong => "pings were not answered",
            CloseCode::TooManyRequests => "too many messages",
            CloseCode::HelloTimeout => "no hello came",
            CloseCode::Renewed => "the guest has become an account",
            CloseCode::BadToken => "unknown token",
            CloseCode::TokenRevoked => "the token was revoked",
            CloseCode::ProtocolVersion => "this server uses another protocol version",
            CloseCode::Banned => "the operators closed the account",
            CloseCode::BadName => "the name is not allowed",
            CloseCode::TooManyConnections => "a newer connection of the same player replaced this one",
            CloseCode::HelloExpected => "the first message must be a hello",
        };
        Closing { code: code as u16, reason }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedMessage {
    /// The id of the command, if the message had a readable one.
    pub cmd_id: Option<CommandId>,
    pub why: Refusal,
}

impl From<Refusal> for RefusedMessage {
    fn from(why: Refusal) -> RefusedMessage {
        RefusedMessage { cmd_id: None, why }
    }
}

#[derive(PartialEq, Debug)]
pub enum Step {
    Wait,
    /// The hello is valid: identify the client, then call [`Session::entered`].
    Enter {
        /// The token of an earlier welcome.
        token: Option<Secret>,
        /// The name for a new guest.
        name: Option<String>,
        /// The name of the client program, in printable characters.
        client: String,
        /// True if the client uses its session cookie. Without a cookie, it is anonymous.
        has_session: bool,
    },
    Carry(ClientToServer),
    Refuse(RefusedMessage),
    /// Close the connection, after sending this refusal if there is one.
    Close(Option<RefusedMessage>, Closing),
    Ping(u64),
    /// The client answered a ping. The value is the time between the ping and the answer.
    RoundTrip(Duration),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Greeting,
    /// The client is being identified.
    Entering,
    Open,
}

/// The state of a connection's dialogue with its client.
#[derive(Debug)]
pub struct Session {
    phase: Phase,
    bucket: TokenBucket,
    malformed_left: u32,
    hello_by: Instant,
    ping_every: Duration,
    dead_after: Duration,
    next_ping: Instant,
    last_heard: Instant,
    pings: u64,
    ping_sent: Option<Instant>,
    /// No message is read before this time.
    paused_until: Option<Instant>,
}

impl Session {
    pub fn new(settings: &Settings, now: Instant) -> Session {
        let (limits, times) = (&settings.limits, &settings.times);
        Session {
            phase: Phase::Greeting,
            bucket: TokenBucket::new(limits.messages_per_window, times.message_window, now),
            malformed_left: MALFORMED_MAX,
            hello_by: now + times.hello,
            ping_every: times.ping,
            dead_after: times.pong,
            next_ping: now + times.ping,
            last_heard: now,
            pings: 0,
            ping_sent: None,
            paused_until: None,
        }
    }

    pub fn on_text(&mut self, now: Instant, credit: u32, text: &str) -> Step {
        self.bucket.put_back(credit);
        if let Some(close) = self.count(now) {
            return close;
        }
        let message = parse_message(text);
        flagfall_base::recorder::HOT.message_in(message.as_ref().ok());
        match (message, self.phase) {
            (Ok(ClientToServer::Hello { protocol, token, name, client, session }), Phase::Greeting) => {
                if protocol != PROTOCOL_VERSION {
                    return wrong_version();
                }
                self.phase = Phase::Entering;
                let client = printable(&client.unwrap_or_default());
                Step::Enter { token, name, client, has_session: session }
            }
            (Ok(_), Phase::Greeting) => {
                let refusal = Refusal::new(Code::HELLO_EXPECTED).because("not_first");
                Step::Close(Some(refusal.into()), CloseCode::HelloExpected.into())
            }
            (Ok(ClientToServer::Hello { .. }), Phase::Entering | Phase::Open) => {
                Step::Refuse(Refusal::new(Code::HELLO_EXPECTED).because("repeated").into())
            }
            (Ok(ClientToServer::Pong { id }), _) => self.on_pong(now, id),
            (Ok(message), _) => Step::Carry(message),
            (Err(malformed), phase) => self.on_malformed(malformed, phase),
        }
    }

    pub fn on_binary(&self) -> Step {
        Step::Close(None, Closing::BINARY)
    }

    /// Handles a ping or pong of the WebSocket protocol itself, or a frame that does not end its
    /// message. It counts as a message and shows that the client is alive.
    pub fn on_part(&mut self, now: Instant) -> Step {
        self.count(now).unwrap_or(Step::Wait)
    }

    /// Pauses reading because the client writes too fast. The pause is at most a minute.
    pub fn pause(&mut self, now: Instant, time: Duration) {
        if !time.is_zero() {
            self.paused_until = Some(now + time.min(PAUSE_MAX));
        }
    }

    /// True while reading is paused.
    pub const fn is_paused(&self) -> bool {
        self.paused_until.is_some()
    }

    pub fn entered(&mut self, now: Instant) {
        self.phase = Phase::Open;
        self.next_ping = now;
        self.last_heard = now;
    }

    /// Handles the end of a pause. The client does not count as silent during the pause.
    pub fn resumed(&mut self, now: Instant) {
        self.last_heard = now;
    }

    /// Returns the time at which to call [`Session::on_time`] next if nothing else happens. While
    /// the server does not read from the client (`is_reading` is false), the client does not
    /// count as silent.
    pub fn deadline(&self, is_reading: bool) -> Option<Instant> {
        let due = self.due(is_reading && !self.is_paused());
        due.into_iter().chain(self.paused_until).min()
    }

    fn due(&self, is_reading: bool) -> Option<Instant> {
        match self.phase {
            Phase::Greeting => Some(self.hello_by),
            Phase::Entering => None,
            Phase::Open if is_reading => Some(self.next_ping.min(self.last_heard + self.dead_after)),
            Phase::Open => Some(self.next_ping),
        }
    }

    pub fn on_time(&mut self, now: Instant, is_reading: bool) -> Step {
        if self.paused_until.is_some_and(|until| now >= until) {
            self.paused_until = None;
            self.resumed(now);
        }
        let is_reading = is_reading && !self.is_paused();
        match self.phase {
            Phase::Greeting if now >= self.hello_by => Step::Close(None, CloseCode::HelloTimeout.into()),
            Phase::Greeting | Phase::Entering => Step::Wait,
            Phase::Open if is_reading && now >= self.last_heard + self.dead_after => {
                Step::Close(None, CloseCode::NoPong.into())
            }
            Phase::Open if now >= self.next_ping => {
                self.pings += 1;
                self.ping_sent = Some(now);
                self.next_ping = now + self.ping_every;
                Step::Ping(self.pings)
            }
            Phase::Open => Step::Wait,
        }
    }

    fn on_pong(&mut self, now: Instant, id: u64) -> Step {
        match self.ping_sent {
            Some(sent) if id == self.pings => {
                self.ping_sent = None;
                // Lag is compensated by two round trips, so measure the second one at once.
                if self.pings == 1 {
                    self.next_ping = now;
                }
                Step::RoundTrip(now.saturating_duration_since(sent))
            }
            _ => Step::Wait,
        }
    }

    fn on_malformed(&mut self, malformed: Malformed, phase: Phase) -> Step {
        if malformed.is_foreign_hello && phase == Phase::Greeting {
            return wrong_version();
        }
        let refused = RefusedMessage { cmd_id: malformed.cmd_id, why: malformed.refusal };
        match self.malformed_left.checked_sub(1) {
            Some(left) => {
                self.malformed_left = left;
                Step::Refuse(refused)
            }
            None => Step::Close(Some(refused), Closing::MALFORMED),
        }
    }

    /// Counts a message of the client toward the rate limit. The message also shows that the
    /// client is alive.
    fn count(&mut self, now: Instant) -> Option<Step> {
        self.last_heard = now;
        if self.bucket.take(now) {
            return None;
        }
        let refusal = Refusal::new(Code::TOO_MANY).because("messages");
        Some(Step::Close(Some(refusal.into()), CloseCode::TooManyRequests.into()))
    }
}

fn wrong_version() -> Step {
    let refusal = Refusal::new(Code::PROTOCOL_VERSION).with("version", PROTOCOL_VERSION);
    Step::Close(Some(refusal.into()), CloseCode::ProtocolVersion.into())
}

/// Returns the printable part of a client program's name, for the log.
fn printable(client: &str) -> String {
    client.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').take(CLIENT_LEN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = r#"{"type":"hello","protocol":1}"#;

    fn begin() -> (Session, Instant) {
        let now = Instant::now();
        (Session::new(&Settings::default(), now), now)
    }

    fn open() -> (Session, Instant) {
        let (mut session, now) = begin();
        assert!(matches!(session.on_text(now, 0, HELLO), Step::Enter { .. }));
        session.entered(now);
        (session, now)
    }

    /// Returns a session whose first ping, at this time, is under way.
    fn pinged() -> (Session, Instant) {
        let (mut session, now) = open();
        assert_eq!(session.on_time(now, true), Step::Ping(1));
        (session, now)
    }

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[track_caller]
    fn assert_closes(step: &Step, refused: Option<&str>, code: u16) {
        let Step::Close(last_words, closing) = step else { panic!("{step:?}") };
        assert_eq!(closing.code, code);
        let said = last_words.as_ref().map(|refused| refused.why.code.as_str());
        assert_eq!(said, refused);
    }

    #[test]
    fn a_hello_brings_one_in() {
        let (mut session, now) = begin();
        let hello = r#"{"type":"hello","protocol":1,"name":"ana","client":"cli\n 1"}"#;
        let (name, client) = (Some("ana".to_owned()), "cli 1".to_owned());
        let expected = Step::Enter { token: None, name, client, has_session: false };
        assert_eq!(session.on_text(now, 0, hello), expected);
        assert_eq!(session.deadline(false), None);
    }

    #[test]
    fn without_a_hello_in_time_the_connection_ends() {
        let (mut session, now) = begin();
        assert_eq!(session.deadline(true), Some(now + s(10.0)));
        assert_eq!(session.on_time(now + s(9.9), true), Step::Wait);
        assert_closes(&session.on_time(now + s(10.0), true), None, 4004);
    }

    #[test]
    fn another_first_message_ends_it() {
        let (mut session, now) = begin();
        assert_closes(&session.on_text(now, 0, r#"{"type":"my_games"}"#), Some("hello_expected"), 4106);
    }

    #[test]
    fn another_protocol_version_ends_it_even_with_fields_of_the_future() {
        for hello in [r#"{"type":"hello","protocol":2}"#, r#"{"type":"hello","protocol":99,"proof":{}}"#] {
            let (mut session, now) = begin();
            assert_closes(&session.on_text(now, 0, hello), Some("protocol_version"), 4102);
        }
    }

    #[test]
    fn a_second_hello_is_refused() {
        let (mut session, now) = open();
        assert!(matches!(session.on_text(now, 0, HELLO), Step::Refuse(_)));
    }

    #[test]
    fn a_few_malformed_messages_are_refused_and_then_the_connection_ends() {
        let (mut session, now) = open();
        for _ in 0..MALFORMED_MAX {
            assert!(matches!(session.on_text(now, 0, "nonsense"), Step::Refuse(_)));
        }
        assert_closes(&session.on_text(now, 0, "nonsense"), Some("malformed"), 1008);
    }

    #[test]
    fn a_hundred_messages_in_twenty_seconds_are_allowed() {
        let (mut session, now) = open();
        for _ in 1..100 {
            assert!(matches!(session.on_text(now, 0, r#"{"type":"my_games"}"#), Step::Carry(_)));
        }
        assert_closes(&session.on_text(now, 0, r#"{"type":"my_games"}"#), Some("too_many"), 4003);
    }

    #[test]
    fn at_a_steady_pace_one_may_talk_for_ever() {
        let (mut session, mut now) = open();
        for _ in 0..1_000 {
            now += s(0.2);
            assert!(matches!(session.on_text(now, 0, r#"{"type":"my_games"}"#), Step::Carry(_)));
        }
    }

    #[test]
    fn legal_moves_do_not_count() {
        let (mut session, now) = open();
        for _ in 0..1_000 {
            assert!(matches!(session.on_text(now, 1, r#"{"type":"my_games"}"#), Step::Carry(_)));
        }
    }

    #[test]
    fn pings_of_the_websocket_protocol_count_too() {
        let (mut session, now) = open();
        let last = (0..200).map(|_| session.on_part(now)).find(|step| *step != Step::Wait).unwrap();
        assert_closes(&last, Some("too_many"), 4003);
    }

    #[test]
    fn two_pings_measure_the_round_trip_at_once_and_then_one_every_five_seconds() {
        let (mut session, now) = open();
        assert_eq!(session.deadline(true), Some(now));
        assert_eq!(session.on_time(now, true), Step::Ping(1));
        assert_eq!(session.deadline(true), Some(now + s(5.0)));
        let pong = session.on_text(now + s(0.25), 0, r#"{"type":"pong","id":1}"#);
        assert_eq!(pong, Step::RoundTrip(s(0.25)));
        assert_eq!(session.deadline(true), Some(now + s(0.25)));
        assert_eq!(session.on_time(now + s(0.25), true), Step::Ping(2));
        let pong = session.on_text(now + s(0.5), 0, r#"{"type":"pong","id":2}"#);
        assert_eq!(pong, Step::RoundTrip(s(0.25)));
        assert_eq!(session.on_text(now + s(0.5), 0, r#"{"type":"pong","id":2}"#), Step::Wait);
        assert_eq!(session.on_text(now + s(0.5), 0, r#"{"type":"pong","id":77}"#), Step::Wait);
        assert_eq!(session.deadline(true), Some(now + s(5.25)));
        assert_eq!(session.on_time(now + s(5.25), true), Step::Ping(3));
    }

    #[test]
    fn a_fast_writer_is_paused_and_not_counted_as_dead() {
        let (mut session, now) = pinged();
        session.pause(now, Duration::ZERO);
        assert!(!session.is_paused());
        session.pause(now, s(12.0));
        assert!(session.is_paused());
        assert_eq!(session.on_time(now + s(5.0), true), Step::Ping(2));
        assert_eq!(session.on_time(now + s(10.0), true), Step::Ping(3));
        assert_eq!(session.deadline(true), Some(now + s(12.0)));
        assert_eq!(session.on_time(now + s(12.0), true), Step::Wait);
        assert!(!session.is_paused());
        assert_eq!(session.on_time(now + s(15.0), true), Step::Ping(4));
        assert_closes(&session.on_time(now + s(22.0), true), None, 4002);
    }

    #[test]
    fn a_link_that_is_silent_for_ten_seconds_is_dead() {
        let (mut session, now) = pinged();
        assert_eq!(session.on_time(now + s(5.0), true), Step::Ping(2));
        assert_closes(&session.on_time(now + s(10.0), true), None, 4002);
    }

    #[test]
    fn an_answered_ping_keeps_a_link_alive_for_ten_more_seconds() {
        let (mut session, now) = pinged();
        session.on_text(now + s(9.0), 0, r#"{"type":"pong","id":1}"#);
        assert_eq!(session.on_time(now + s(10.0), true), Step::Ping(2));
        assert_eq!(session.on_time(now + s(18.9), true), Step::Ping(3));
        assert_closes(&session.on_time(now + s(19.0), true), None, 4002);
    }

    #[test]
    fn silence_counts_only_while_the_connection_is_read() {
        let (mut session, now) = pinged();
        assert_eq!(session.on_time(now + s(5.0), false), Step::Ping(2));
        assert_eq!(session.on_time(now + s(12.0), false), Step::Ping(3));
        session.resumed(now + s(12.0));
        assert_eq!(session.on_time(now + s(13.0), true), Step::Wait);
        assert_closes(&session.on_time(now + s(22.0), true), None, 4002);
    }
}
