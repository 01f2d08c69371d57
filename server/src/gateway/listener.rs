//! Taking connections from a listening socket and speaking HTTP on them, within limits.

use std::io;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
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
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::metrics::ACCEPTED;
use crate::server::report_panic;

/// How long to wait when the system has no file descriptor for a connection.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(200);
/// How long a closed connection may take to read what was written to it.
const LINGER: Duration = Duration::from_secs(1);
/// Connections that may be told at a time that there is no room; further ones are just closed.
const TURNED_AWAY_MAX: usize = 64;
/// Bytes of an HTTP request's head at most.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// What a listener does with connections.
#[derive(Clone, Copy, Debug)]
pub struct ListenerLimits {
    /// Open connections at a time; further ones are told to come back.
    pub connections_max: usize,
    /// How long a client has for the head of its request.
    pub head: Duration,
    /// How long a request and its answer may take together. A WebSocket is not bound by it.
    pub http: Duration,
}

/// Serves the router to whoever connects, until the future is dropped. Connections go on after that.
pub async fn serve(listener: TcpListener, router: Router, limits: ListenerLimits) {
    let room = Arc::new(Semaphore::new(limits.connections_max.clamp(1, Semaphore::MAX_PERMITS)));
    let porch = Arc::new(Semaphore::new(TURNED_AWAY_MAX));
    let mut is_exhausted = false;
    loop {
        let accepted = listener.accept().await;
        if accepted.is_ok() && std::mem::take(&mut is_exhausted) {
            tracing::info!("connections can be taken again");
        }
        match accepted {
            Ok((stream, peer)) => match room.clone().try_acquire_owned() {
                Ok(permit) => {
                    counter!(ACCEPTED, "result" => "served").increment(1);
                    // Fails only on a socket that is dead already.
                    stream.set_nodelay(true).ok();
                    let stream = Lingering { stream: Some(stream), permit: Some(permit) };
                    tokio::spawn(serve_connection(stream, peer.ip(), router.clone(), limits));
                }
                Err(_) => {
                    counter!(ACCEPTED, "result" => "full").increment(1);
                    if let Ok(permit) = porch.clone().try_acquire_owned() {
                        turn_away(&stream);
                        drop(Lingering { stream: Some(stream), permit: Some(permit) });
                    }
                }
            },
            Err(error) => {
                counter!(ACCEPTED, "result" => "error").increment(1);
                if is_of_one_connection(&error) {
                    continue;
                }
                if !is_exhausted {
                    tracing::warn!(%error, "no connection can be taken; trying until one can");
                }
                is_exhausted = true;
                sleep(EXHAUSTED_PAUSE).await;
            }
        }
    }
}

/// Whether an error belongs to a connection that is gone, and says nothing of the next one.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

/// Says in one write, if it fits, that there is no room.
fn turn_away(stream: &TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 70\r\n\r\n{\"code\":\"too_many\",\"message\":\"the server is full: try again in a bit\"}";
    stream.try_write(ANSWER).ok();
}

/// Where a request comes from: the address of the other end of its connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer(pub IpAddr);

async fn serve_connection(stream: Lingering, peer: IpAddr, router: Router, limits: ListenerLimits) {
    let service = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        service.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    match timeout(limits.http, AssertUnwindSafe(connection).catch_unwind()).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => tracing::trace!(%error, "an HTTP connection ended"),
        Ok(Err(_)) => report_panic("http"),
        Err(_) => tracing::trace!("an HTTP connection took too long"),
    }
}

/// A TCP connection that is not cut off when it is dropped: what was written last (a close frame, an error) reaches a client
/// who is still sending. Closing a socket with unread input would reset it, and the client would lose those words.
pub(super) struct Lingering {
    stream: Option<TcpStream>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let (Some(mut stream), permit) = (self.stream.take(), self.permit.take()) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let _permit = permit;
            let drain = async {
                stream.shutdown().await.ok();
                let mut waste = [0; 1024];
                while stream.read(&mut waste).await.is_ok_and(|bytes| bytes > 0) {}
            };
            timeout(LINGER, drain).await.ok();
        });
    }
}

impl Lingering {
    fn with<T>(
        self: Pin<&mut Self>,
        poll: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match &mut self.get_mut().stream {
            Some(stream) => poll(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.with(|stream| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.with(|stream| stream.poll_write_vectored(cx, bytes))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_shutdown(cx))
    }
}
