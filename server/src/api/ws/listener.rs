//! Accepts connections from a listening socket and speaks HTTP on them, within the limits for
//! clients.

use std::future::{Future as _, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use futures_util::FutureExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use metrics::counter;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::keep_alive::{ListenerLimits, Turns};
use crate::app::report_panic;
use flagfall_base::admission::{Admission, ProxyTrust, Scope, Seat, TooMany};
use flagfall_base::telemetry::ACCEPTED;

/// The pause before accepting again if the system has no free file descriptor.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(200);
/// The time that a client has to read the last bytes after the server closes the connection.
const LINGER: Duration = Duration::from_secs(1);
/// Maximum number of rejected connections that can get an answer at the same time. Further ones
/// are reset.
const TURNED_AWAY_MAX: usize = 64;
/// Number of bytes to read and discard at a time from a connection that the server has closed.
/// Together with [`DRAIN_PAUSE`], the pause after each read, this limits the cost of a client
/// that keeps sending.
const DRAIN_BYTES: usize = 4 * 1024;
const DRAIN_PAUSE: Duration = Duration::from_millis(4);
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Decides which connections a listener accepts.
#[derive(Clone, Debug)]
pub struct Doorkeeper {
    pub admission: Admission,
    /// The trusted proxies. A connection from a proxy counts toward the limits of the client that
    /// the proxy names.
    pub proxies: ProxyTrust,
}

impl Doorkeeper {
    fn accept(&self, peer: IpAddr) -> Result<Arc<Seat>, TooMany> {
        let client = self.admission.client(peer);
        if self.proxies.is_proxy(peer) {
            self.admission.accept_proxy(client)
        } else {
            self.admission.accept(client, Instant::now())
        }
    }
}

pub async fn serve(listener: TcpListener, router: Router, limits: ListenerLimits, doorkeeper: Doorkeeper) {
    let porch = Arc::new(Semaphore::new(TURNED_AWAY_MAX));
    // The sender `_open` is dropped when the listener stops, which tells the connections to
    // close.
    let (_open, listening) = watch::channel(());
    let mut is_exhausted = false;
    loop {
        let accepted = listener.accept().await;
        if accepted.is_ok() && std::mem::take(&mut is_exhausted) {
            tracing::info!("accepting connections again");
        }
        match accepted {
            Ok((stream, peer)) => {
                if !take(stream, peer, &router, limits, &doorkeeper, &porch, &listening) {
                    // Give other connections a turn during a flood of rejected ones.
                    tokio::task::yield_now().await;
                }
            }
            Err(error) => {
                counter!(ACCEPTED, "result" => "error").increment(1);
                if is_of_one_connection(&error) {
                    continue;
                }
                if !is_exhausted {
                    tracing::warn!(%error, "cannot accept connections; retrying");
                }
                is_exhausted = true;
                sleep(EXHAUSTED_PAUSE).await;
            }
        }
    }
}

/// Serves a connection, or rejects it without reading from it. True if the connection is served.
fn take(
    stream: TcpStream,
    peer: SocketAddr,
    router: &Router,
    limits: ListenerLimits,
    doorkeeper: &Doorkeeper,
    porch: &Arc<Semaphore>,
    listening: &watch::Receiver<()>,
) -> bool {
    let refused = match doorkeeper.accept(peer.ip()) {
        Ok(seat) => {
            counter!(ACCEPTED, "result" => "served").increment(1);
            // This call fails only on a dead socket.
            stream.set_nodelay(true).ok();
            let stream = Lingering::new(stream, Place::Seat(seat.clone()));
            let keep_alive = limits.keep_alive.filter(|_| !doorkeeper.proxies.is_proxy(peer.ip()));
            let limits = ListenerLimits { keep_alive, ..limits };
            let turns = Turns::new(limits, doorkeeper.admission.clone(), seat.clone());
            let peer = Peer { address: peer.ip(), seat };
            tokio::spawn(serve_connection(stream, peer, router.clone(), turns, listening.clone()));
            return true;
        }
        Err(refused) => refused,
    };
    let result = if refused.scope == Scope::Server { "full" } else { "limited" };
    counter!(ACCEPTED, "result" => result).increment(1);
    match porch.clone().try_acquire_owned() {
        Ok(permit) => {
            turn_away(&stream, &refused);
            drop(Lingering::new(stream, Place::Porch(permit)));
        }
        // Reset the connection, so that the operating system keeps no state for it.
        Err(_) => {
            stream.set_zero_linger().ok();
        }
    }
    false
}

/// True if an error concerns only one connection, so that the next one can still be accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

/// Tries once to write a rejection. The rejection is lost if the socket does not accept it.
fn turn_away(stream: &TcpStream, refused: &TooMany) {
    let status = match refused.scope {
        Scope::Server => "503 Service Unavailable",
        Scope::Address | Scope::Player => "429 Too Many Requests",
    };
    let body = format!("{{\"code\":\"too_many\",\"message\":\"{refused}\"}}");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\nRetry-After: {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        refused.wait_s(),
        body.len()
    );
    stream.try_write(answer.as_bytes()).ok();
}

/// The origin of a request: the remote address of its connection, and the guard that counts the
/// connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The address of the client, or of the proxy in front of it.
    pub address: IpAddr,
    /// A guard that counts the connection toward the limits.
    pub seat: Arc<Seat>,
}

async fn serve_connection(
    stream: Lingering,
    peer: Peer,
    router: Router,
    turns: Turns,
    listening: watch::Receiver<()>,
) {
    let spoken = speak(stream, peer, router, turns, listening);
    match AssertUnwindSafe(spoken).catch_unwind().await {
        Ok(Some(Ok(()))) => {}
        Ok(Some(Err(error))) => tracing::trace!(%error, "an HTTP connection ended"),
        Ok(None) => tracing::trace!("an HTTP connection was silent or took too long"),
        Err(_) => report_panic("http"),
    }
}

/// Speaks HTTP until one end closes the connection or the connection becomes a WebSocket. Returns
/// `None` if the connection's time is up before that. When the listener stops, the connection
/// closes after the request that it is answering.
async fn speak(
    stream: Lingering,
    peer: Peer,
    router: Router,
    turns: Turns,
    mut listening: watch::Receiver<()>,
) -> Option<hyper::Result<()>> {
    let service = TowerToHyperService::new(router);
    let of_service = turns.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (turns, may_stay_open) = (of_service.clone(), of_service.begin(&request));
        request.extensions_mut().insert(peer.clone());
        let answered = service.call(request);
        async move { answered.await.map(|response| turns.finish(response, may_stay_open)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // This limit is switched off, because `turns` enforces all deadlines, including the one for
        // the next request.
        .header_read_timeout(None)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let mut stopped = pin!(listening.changed().fuse());
    let mut deadline = pin!(sleep_until(turns.deadline()));
    poll_fn(|cx| {
        if stopped.as_mut().poll(cx).is_ready() {
            connection.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
            return Poll::Ready(Some(ended));
        }
        // The deadline changes only while this connection is being polled, so checking it here is
        // enough.
        if deadline.deadline() != turns.deadline() {
            deadline.as_mut().reset(turns.deadline());
        }
        deadline.as_mut().poll(cx).map(|()| None)
    })
    .await
}

/// A TCP connection that drains its input when dropped.
///
/// Closing a socket with unread input resets the connection. A client that is still sending would
/// then lose the last bytes from the server, such as a close frame or an error. A connection that
/// was evicted to make room for another one is closed immediately.
pub(super) struct Lingering {
    reading: Option<OwnedReadHalf>,
    /// `None` once the writing half is taken. Dropping that half ends the connection's output.
    writing: Option<OwnedWriteHalf>,
    place: Option<Place>,
    /// False once the connection is no longer evicted. Then reading does not look at the place,
    /// which is elsewhere in memory.
    may_be_evicted: bool,
}

/// A guard that counts a connection toward a limit while it exists.
enum Place {
    Seat(Arc<Seat>),
    Porch(#[expect(dead_code, reason = "held")] OwnedSemaphorePermit),
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let (Some(mut reading), place) = (self.reading.take(), self.place.take()) else { return };
        if matches!(&place, Some(Place::Seat(seat)) if seat.is_evicted()) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let _place = place;
            let drain = async {
                let mut waste = vec![0; DRAIN_BYTES];
                while reading.read(&mut waste).await.is_ok_and(|bytes| bytes > 0) {
                    sleep(DRAIN_PAUSE).await;
                }
            };
            timeout(LINGER, drain).await.ok();
        });
    }
}

impl Lingering {
    fn new(stream: TcpStream, place: Place) -> Lingering {
        let (reading, writing) = stream.into_split();
        Lingering { reading: Some(reading), writing: Some(writing), place: Some(place), may_be_evicted: true }
    }

    /// Takes the half of the connection for writing. After that, this value can only read.
    pub(super) fn take_writing(&mut self) -> Option<OwnedWriteHalf> {
        self.writing.take()
    }

    /// Returns the guard that counts the connection. `None` for a rejected connection.
    pub(super) fn seat(&self) -> Option<&Arc<Seat>> {
        match &self.place {
            Some(Place::Seat(seat)) => Some(seat),
            Some(Place::Porch(_)) | None => None,
        }
    }

    fn with_writing<T>(
        self: Pin<&mut Self>,
        poll: impl FnOnce(Pin<&mut OwnedWriteHalf>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match &mut self.get_mut().writing {
            Some(writing) => poll(Pin::new(writing)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.may_be_evicted {
            self.may_be_evicted = self.seat().is_some_and(|seat| seat.may_be_evicted());
            if self.seat().is_some_and(|seat| seat.poll_evicted(cx)) {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
        }
        match &mut self.reading {
            Some(reading) => Pin::new(reading).poll_read(cx, buffer),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.with_writing(|writing| writing.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.with_writing(|writing| writing.poll_write_vectored(cx, bytes))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with_writing(|writing| writing.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with_writing(|writing| writing.poll_shutdown(cx))
    }
}
