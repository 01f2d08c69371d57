//! A TCP proxy that misbehaves on purpose. Its "weather" may delay bytes, hold them back in one
//! or both directions, or break connections.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::error::TrialError;

/// The maximum number of bytes that are read from one end before they are written to the other
/// end.
const CHUNK: usize = 16 * 1024;

/// A direction through the proxy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// From the end that opened the connection.
    Up,
    /// To the end that opened the connection.
    Down,
    Both,
}

/// What the proxy does to its connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weather {
    Clear,
    /// Delays everything by this time, in each direction.
    Slow(Duration),
    /// Breaks all connections and accepts no new ones.
    Cut,
    /// Connections stay open and new ones are accepted. But in this direction, neither bytes nor
    /// a close arrive.
    Held {
        way: Way,
        /// True if the bytes that were held back arrive when the weather changes. Otherwise,
        /// their connections break.
        arrives: bool,
    },
}

impl Weather {
    fn holds(self, way: Way) -> bool {
        matches!(self, Weather::Held { way: held, .. } if held == way || held == Way::Both)
    }
}

#[derive(Clone, Copy, Debug)]
struct Sky {
    weather: Weather,
    /// The number of times that all connections were broken.
    breaks: u64,
}

/// A proxy on its own port. The proxy and its connections end when this value is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    sky: watch::Sender<Sky>,
    upstream: Arc<Mutex<SocketAddr>>,
    accepting: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Proxy {
    /// Starts a proxy to this address, in clear weather.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) async fn start(upstream: SocketAddr) -> Result<Proxy, TrialError> {
        let listener =
            TcpListener::bind(("127.0.0.1", 0)).await.map_err(TrialError::io("opening a proxy"))?;
        let address = listener.local_addr().map_err(TrialError::io("opening a proxy"))?;
        let sky = watch::Sender::new(Sky { weather: Weather::Clear, breaks: 0 });
        let upstream = Arc::new(Mutex::new(upstream));
        let accepting = tokio::spawn(accept(listener, sky.subscribe(), upstream.clone()));
        Ok(Proxy { address, sky, upstream, accepting })
    }

    /// Changes the address that the proxy forwards to.
    pub(crate) fn lead_to(&self, upstream: SocketAddr) {
        *self.upstream.lock().unwrap_or_else(PoisonError::into_inner) = upstream;
    }

    pub(crate) fn set(&self, weather: Weather) {
        self.sky.send_modify(|sky| {
            let breaks_held = matches!(sky.weather, Weather::Held { arrives: false, .. });
            sky.breaks += u64::from(breaks_held || weather == Weather::Cut);
            sky.weather = weather;
        });
    }

    /// Breaks all connections, but accepts new ones.
    pub(crate) fn break_all(&self) {
        self.sky.send_modify(|sky| sky.breaks += 1);
    }
}

async fn accept(listener: TcpListener, sky: watch::Receiver<Sky>, upstream: Arc<Mutex<SocketAddr>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let to = *upstream.lock().unwrap_or_else(PoisonError::into_inner);
        tokio::spawn(connect(stream, to, sky.clone()));
    }
}

/// Carries one connection until one end of it is gone or the weather breaks it.
async fn connect(near: TcpStream, to: SocketAddr, sky: watch::Receiver<Sky>) {
    let (mut breaking, breaks) = (sky.clone(), sky.borrow().breaks);
    if sky.borrow().weather == Weather::Cut {
        return;
    }
    let carried = async {
        let Ok(far) = TcpStream::connect(to).await else { return };
        if near.set_nodelay(true).and_then(|()| far.set_nodelay(true)).is_err() {
            return;
        }
        let (near_in, near_out) = near.into_split();
        let (far_in, far_out) = far.into_split();
        let up = pump(near_in, far_out, sky.clone(), Way::Up);
        let down = pump(far_in, near_out, sky.clone(), Way::Down);
        // If one end is gone, the other is closed, too. An end that has only finished sending may
        // still receive.
        drop(tokio::try_join!(up, down));
    };
    tokio::select! {
        () = carried => {}
        // Drop both sockets together with the bytes in them.
        _ = breaking.wait_for(|sky| sky.breaks > breaks) => {}
    }
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut sky: watch::Receiver<Sky>,
    way: Way,
) -> std::io::Result<()> {
    let mut bytes = vec![0; CHUNK];
    loop {
        let count = from.read(&mut bytes).await?;
        let held = sky.wait_for(|sky| !sky.weather.holds(way)).await;
        let weather = held.map(|sky| sky.weather).unwrap_or(Weather::Clear);
        if let Weather::Slow(delay) = weather {
            sleep(delay).await;
        }
        if count == 0 {
            return to.shutdown().await;
        }
        to.write_all(&bytes[..count]).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A proxy to a server that echoes its input.
    async fn echo() -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.split();
                    tokio::io::copy(&mut from, &mut to).await
                });
            }
        });
        Proxy::start(address).await.unwrap()
    }

    async fn ask(stream: &mut TcpStream, text: &[u8]) -> std::io::Result<Vec<u8>> {
        stream.write_all(text).await?;
        let mut answer = vec![0; text.len()];
        stream.read_exact(&mut answer).await?;
        Ok(answer)
    }

    #[tokio::test]
    async fn clear_weather_carries_both_ways() {
        let proxy = echo().await;
        let mut stream = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(ask(&mut stream, b"one").await.unwrap(), b"one");
        proxy.set(Weather::Slow(Duration::from_millis(1)));
        assert_eq!(ask(&mut stream, b"two").await.unwrap(), b"two");
    }

    #[tokio::test]
    async fn a_cut_breaks_what_is_and_lets_nothing_through() {
        let proxy = echo().await;
        let mut stream = TcpStream::connect(proxy.address).await.unwrap();
        ask(&mut stream, b"one").await.unwrap();
        proxy.set(Weather::Cut);
        assert!(ask(&mut stream, b"two").await.is_err());
        let mut other = TcpStream::connect(proxy.address).await.unwrap();
        assert!(ask(&mut other, b"three").await.is_err());
        proxy.set(Weather::Clear);
        let mut third = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(ask(&mut third, b"four").await.unwrap(), b"four");
        proxy.break_all();
        assert!(ask(&mut third, b"five").await.is_err());
    }

    #[tokio::test]
    async fn held_bytes_arrive_late_or_break_the_connection() {
        for (way, arrives) in [(Way::Up, true), (Way::Down, true), (Way::Both, true), (Way::Up, false)] {
            let proxy = echo().await;
            let mut stream = TcpStream::connect(proxy.address).await.unwrap();
            ask(&mut stream, b"one").await.unwrap();
            proxy.set(Weather::Held { way, arrives });
            stream.write_all(b"two").await.unwrap();
            let mut answer = [0; 3];
            tokio::select! {
                biased;
                _ = stream.read_exact(&mut answer) => panic!("it is held"),
                // This is long enough for bytes that are not held back, because the runtime has
                // no other work.
                () = async { for _ in 0..100 { tokio::task::yield_now().await } } => {}
            }
            proxy.set(Weather::Clear);
            let read = stream.read_exact(&mut answer).await;
            assert_eq!(read.is_ok(), arrives, "{way:?}");
            assert!(!arrives || &answer == b"two");
        }
    }
}
