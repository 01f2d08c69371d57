//! A server on its own port, and clients that connect to it.

pub(crate) mod store_between;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flagfall_base::delivery::Connections;
use flagfall_base::jobs::Jobs;
use flagfall_protocol::{ClientToServer, GameSummary, Player, ServerToClient};
use flagfall_server::server::{Listeners, Server};
use flagfall_services::lobby::Lobby;
use flagfall_services::proof::SigningKey;
use flagfall_services::ratings::Ratings;
use flagfall_services::settings::{Passwords, Settings};
use flagfall_store::{Store, SystemClock};
use flagfall_store_testing::TestStore;
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A test that waits longer than this has failed. No step of a test takes this long, not even on a
/// busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the default settings, except that the server waits only briefly for a client to complete
/// the closing handshake, because many test clients do not.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.times.close_grace = Duration::from_millis(100);
    // Effectively switch off the periodic check, because the tests themselves start the work that
    // is due after a turn.
    settings.times.turn_look = Duration::from_secs(3_600);
    settings.passwords = Passwords { memory_kib: 32, passes: 1, ..Passwords::default() };
    settings
}

pub(crate) async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(TIMEOUT, future).await.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: SocketAddr,
    pub(crate) connections: Connections,
    pub(crate) store: TestStore,
    pub(crate) ratings: Ratings,
    pub(crate) lobby: Lobby,
    pub(crate) jobs: Jobs,
    /// How far the clock for jobs is ahead of real time.
    ahead_ms: AtomicU64,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl House {
    pub(crate) async fn open(settings: Settings) -> House {
        House::open_on(TestStore::new(SystemClock), settings).await
    }

    pub(crate) async fn open_on(store: TestStore, settings: Settings) -> House {
        House::open_over(Arc::new(store.clone()), store, settings).await
    }

    /// Opens a server on a store that wraps the memory store `store`.
    pub(crate) async fn open_over(over: Arc<dyn Store>, store: TestStore, settings: Settings) -> House {
        House::open_with_key(over, store, settings, None).await
    }

    /// Opens a server that signs finished games.
    pub(crate) async fn open_with_key(
        over: Arc<dyn Store>,
        store: TestStore,
        settings: Settings,
        key: Option<SigningKey>,
    ) -> House {
        let server = Server::start(settings, over, key).await.unwrap();
        House::serve(server, store).await
    }

    /// Runs a server whose store wraps the memory store `store`.
    pub(crate) async fn serve(server: Server, store: TestStore) -> House {
        let game = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let metrics = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, metrics_address) = (game.local_addr().unwrap(), metrics.local_addr().unwrap());
        let handle = flagfall_base::recorder::install().unwrap();
        let connections = server.services().connections.clone();
        let ratings = server.services().ratings.clone();
        let lobby = server.services().lobby.clone();
        let jobs = server.services().jobs.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(async move {
            let listeners = Listeners { game, metrics: Some((metrics, handle)) };
            server
                .serve(listeners, async {
                    stopped.await.ok();
                })
                .await;
        });
        House {
            address,
            metrics: metrics_address,
            connections,
            store,
            ratings,
            lobby,
            jobs,
            ahead_ms: AtomicU64::new(0),
            stop,
            served,
        }
    }

    pub(crate) async fn close(self) {
        self.stop.send(()).unwrap();
        in_time("the server to stop", self.served).await.unwrap();
    }

    /// Runs the jobs of this kind that are due.
    pub(crate) async fn run_jobs(&self, kind: &str) {
        let ahead_ms = self.ahead_ms.load(Ordering::Relaxed);
        self.jobs.run_due_at(kind, self.store.now().plus_ms(ahead_ms)).await.unwrap();
    }

    /// Moves the clock for jobs ahead by this much.
    pub(crate) fn later(&self, ms: u64) {
        self.ahead_ms.fetch_add(ms, Ordering::Relaxed);
    }

    /// Stops the server without closing connections, as a crash does.
    pub(crate) fn abandon(self) {
        self.served.abort();
    }

    /// Connects from the address `from`, which must be an address of this machine.
    pub(crate) async fn connect_from(&self, from: [u8; 4]) -> Client {
        let stream = dial(from, self.address).await.unwrap();
        let url = format!("ws://{}/ws", self.address);
        let shaken = tokio_tungstenite::client_async(url, MaybeTlsStream::Plain(stream));
        let (socket, _) = in_time("the upgrade", shaken).await.expect("an upgrade");
        Client { socket }
    }

    pub(crate) async fn connect(&self) -> Client {
        let url = format!("ws://{}/ws", self.address);
        let (socket, _) =
            in_time("the upgrade", tokio_tungstenite::connect_async(url)).await.expect("an upgrade");
        Client { socket }
    }

    /// Connects and says hello as a new guest.
    pub(crate) async fn guest(&self, name: &str) -> (Client, Player, String) {
        let mut client = self.connect().await;
        client.say(&format!(r#"{{"type":"hello","protocol":1,"name":"{name}"}}"#)).await;
        let welcome = client.welcome().await;
        (client, welcome.0, welcome.1.expect("a token for a new guest"))
    }

    /// Opens another connection for a player, who says hello with this token.
    pub(crate) async fn again(&self, token: &str) -> Client {
        let mut client = self.connect().await;
        client.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
        client.welcome().await;
        client
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        http(
            self.address,
            &format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address),
        )
        .await
    }
}

impl House {
    /// Sends a request with a token and a JSON body. The token and the body may be empty.
    pub(crate) async fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> Answer {
        let credential =
            if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{credential}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        http(self.address, &request).await
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the status and the body of an error, without the id of its request.
    pub(crate) fn refusal(&self) -> (u16, serde_json::Value) {
        let mut body = self.json();
        let request = body.as_object_mut().and_then(|body| body.remove("request"));
        assert!(request.is_some_and(|request| request.is_string()), "{}", self.body);
        (self.status, body)
    }
}

/// Connects from the address `from`, which must be an address of this machine.
pub(crate) async fn dial(from: [u8; 4], to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = tokio::net::TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

pub(crate) async fn http(address: SocketAddr, request: &str) -> Answer {
    http_from([127, 0, 0, 1], address, request).await
}

/// Like [`http`], but connects from the address `from`.
pub(crate) async fn http_from(from: [u8; 4], address: SocketAddr, request: &str) -> Answer {
    let exchange = async {
        let mut stream = dial(from, address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = in_time("an answer", exchange).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    pub(crate) async fn say(&mut self, text: &str) {
        self.send(Message::Text(text.into())).await;
    }

    pub(crate) async fn tell(&mut self, message: &ClientToServer) {
        self.say(&serde_json::to_string(message).unwrap()).await;
    }

    /// Sends a message. Ignores an error, because the server's last messages can be read even
    /// after it has closed the connection.
    pub(crate) async fn send(&mut self, message: Message) {
        in_time("a message to be sent", self.socket.send(message)).await.ok();
    }

    /// Returns the next message, which may be a ping.
    pub(crate) async fn hear(&mut self) -> ServerToClient {
        match in_time("a message", self.socket.next()).await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(text.as_str()).unwrap(),
            other => panic!("a message was expected, not {other:?}"),
        }
    }

    /// Returns the next message that is not a ping. Answers pings.
    pub(crate) async fn next(&mut self) -> ServerToClient {
        loop {
            match self.hear().await {
                ServerToClient::Ping { id, .. } => self.tell(&ClientToServer::Pong { id }).await,
                other => return other,
            }
        }
    }

    /// Reads messages until `pick` returns a value for one of them. Returns that value.
    pub(crate) async fn find<T>(&mut self, mut pick: impl FnMut(ServerToClient) -> Option<T>) -> T {
        in_time("a certain message", async {
            loop {
                if let Some(found) = pick(self.next().await) {
                    return found;
                }
            }
        })
        .await
    }

    pub(crate) async fn welcome(&mut self) -> (Player, Option<String>, Vec<GameSummary>) {
        match self.next().await {
            ServerToClient::Welcome { player: Some(player), token, games, .. } => {
                (player, token.map(|token| token.expose().to_owned()), games)
            }
            other => panic!("a welcome was expected, not {other:?}"),
        }
    }

    pub(crate) async fn refused(&mut self) -> (String, String) {
        self.find(|message| match message {
            ServerToClient::Refused { code, message, .. } => Some((code.as_str().to_owned(), message)),
            _ => None,
        })
        .await
    }

    /// Returns the code with which the server closes the connection. Skips all messages before
    /// the close.
    pub(crate) async fn close_code(&mut self) -> u16 {
        loop {
            match in_time("the close", self.socket.next()).await {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(Message::Close(None)) | Err(_)) | None => panic!("closed without a code"),
                Some(Ok(_)) => {}
            }
        }
    }
}

/// Returns a masked WebSocket frame with these bytes. All frames from clients must be masked.
pub(crate) fn frame(bytes: &[u8], is_reserved_bit_set: bool) -> Message {
    use tungstenite::protocol::frame::Frame;
    use tungstenite::protocol::frame::coding::{Data, OpCode};
    let mut frame = Frame::message(bytes.to_vec(), OpCode::Data(Data::Text), true);
    frame.header_mut().rsv1 = is_reserved_bit_set;
    Message::Frame(frame)
}
