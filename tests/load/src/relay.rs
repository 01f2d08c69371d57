//! The baseline: an axum server that forwards moves to two players without any game logic.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt as _;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc;

/// The number of messages that may wait for a player.
const QUEUE_MAX: usize = 64;

type Seats = Arc<Mutex<HashMap<(u32, u8), mpsc::Sender<Utf8Bytes>>>>;
type Watchers = Arc<Mutex<HashMap<u32, Vec<mpsc::Sender<Utf8Bytes>>>>>;

#[derive(Clone)]
struct Relay {
    seats: Seats,
    watchers: Watchers,
    /// The texts that are sent to the two sides for a move. The two texts differ, and are as long
    /// as the real server's texts.
    updates: [Utf8Bytes; 2],
    acknowledgement: Utf8Bytes,
}

/// Serves until the process ends, and prints its address.
///
/// # Errors
/// If no port is free.
pub(crate) async fn serve(update_bytes: usize, acknowledgement_bytes: usize) -> std::io::Result<()> {
    let text = |fill: &str, bytes: usize| Utf8Bytes::from(fill.repeat(bytes));
    let relay = Relay {
        seats: Seats::default(),
        watchers: Watchers::default(),
        updates: [text("r", update_bytes), text("b", update_bytes)],
        acknowledgement: text("a", acknowledgement_bytes),
    };
    let router = axum::Router::new()
        .route("/ws/{game}/{side}", get(upgrade))
        .route("/watch/{game}", get(upgrade_watcher))
        .with_state(relay);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    #[expect(clippy::print_stdout, reason = "the parent reads the address here")]
    {
        println!("listening on http://{}", listener.local_addr()?);
    }
    // Send small messages at once, as the real server does. Otherwise, an acknowledgement would
    // wait until the client has acknowledged the previous update.
    let listener = listener.tap_io(|stream| {
        let _is_slower_then = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

async fn upgrade(
    upgrade: WebSocketUpgrade,
    Path(seat): Path<(u32, u8)>,
    State(relay): State<Relay>,
) -> Response {
    sized(upgrade).on_upgrade(move |socket| forward(socket, seat, relay))
}

async fn upgrade_watcher(
    upgrade: WebSocketUpgrade,
    Path(game): Path<u32>,
    State(relay): State<Relay>,
) -> Response {
    sized(upgrade).on_upgrade(move |socket| show(socket, game, relay))
}

/// Sets the same buffer sizes as the real server.
fn sized(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade.read_buffer_size(4096).write_buffer_size(0).max_write_buffer_size(64 * 1024)
}

async fn show(socket: WebSocket, game: u32, relay: Relay) {
    let (sender, mut queue) = mpsc::channel(QUEUE_MAX);
    relay.watchers.lock().unwrap_or_else(PoisonError::into_inner).entry(game).or_default().push(sender);
    let (mut sink, mut stream) = socket.split();
    loop {
        tokio::select! {
            message = stream.next() => {
                if !matches!(message, Some(Ok(_))) {
                    return;
                }
            }
            Some(update) = queue.recv() => {
                if sink.send(Message::Text(update)).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn forward(socket: WebSocket, (game, side): (u32, u8), relay: Relay) {
    let (sender, mut queue) = mpsc::channel(QUEUE_MAX);
    relay.seats.lock().unwrap_or_else(PoisonError::into_inner).insert((game, side), sender);
    let (mut sink, mut stream) = socket.split();
    loop {
        tokio::select! {
            message = stream.next() => {
                let Some(Ok(Message::Text(_))) = message else { return };
                for seat in 0..2 {
                    let to = relay.seats.lock().unwrap_or_else(PoisonError::into_inner).get(&(game, seat)).cloned();
                    if let Some(to) = to {
                        let _player_left = to.send(relay.updates[usize::from(seat)].clone()).await;
                    }
                }
                for watcher in relay.watchers.lock().unwrap_or_else(PoisonError::into_inner).get(&game).into_iter().flatten() {
                    let _too_slow_or_gone = watcher.try_send(relay.updates[0].clone());
                }
                if sink.send(Message::Text(relay.acknowledgement.clone())).await.is_err() {
                    return;
                }
            }
            Some(update) = queue.recv() => {
                if sink.send(Message::Text(update)).await.is_err() {
                    return;
                }
            }
        }
    }
}
