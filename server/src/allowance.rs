//! Carries out lobby commands, unless they exceed the limits of the address or the player.

use flagfall_board::Side;
use flagfall_protocol::{Accepted, Code, CommandId, Player, PlayerKind};
use tokio::time::Instant;

use crate::app::App;
use flagfall_base::admission::{Client, Held, Holder, Ticket, TooMany};
use flagfall_game::{TableError, TableHandle};
use flagfall_services::Refused;
use flagfall_services::lobby::LobbyCommand;

/// Approximate number of bytes that an accepted lobby command adds to the store.
const LOBBY_COMMAND_BYTES: usize = 1_024;

/// The outcome of a command, with the approximate number of bytes that the command stored.
pub(crate) struct Carried {
    pub(crate) outcome: Result<Accepted, Refused>,
    pub(crate) stored: usize,
}

pub(crate) async fn run_lobby_command(
    app: &App,
    client: Client,
    player: &Player,
    cmd_id: &CommandId,
    command: LobbyCommand,
) -> Carried {
    let ticket = match begin(app, client, player, &command) {
        Ok(ticket) => ticket,
        Err(_) => {
            look_again(app, &Holder::of(client, &player.id)).await;
            match begin(app, client, player, &command) {
                Ok(ticket) => ticket,
                // Accept a repeated command regardless of the limits, because a repeat creates
                // nothing new. It only returns the answer to the original command.
                Err(_) if app.lobby.has_carried_out(player, cmd_id, &command).await => None,
                Err(too_many) => {
                    too_many.count();
                    return Carried { outcome: Err(too_many.into()), stored: 0 };
                }
            }
        }
    };
    let is_house = matches!(command, LobbyCommand::PlayBot { .. });
    let is_pool_place = matches!(command, LobbyCommand::EnterPool { .. });
    let outcome = app.lobby.handle(player, cmd_id, command).await;
    let made = match &outcome {
        Ok(Accepted::Seek { seek }) => Some(Held::Seek(seek.clone())),
        Ok(Accepted::Challenge { challenge, .. }) => Some(Held::Challenge(challenge.clone())),
        Ok(Accepted::Started { game, .. }) => Some(Held::Game { game: *game, is_house }),
        Ok(Accepted::Done {}) if is_pool_place => Some(Held::PoolPlace(player.id.clone())),
        _ => None,
    };
    if let (Some(ticket), Some(made)) = (ticket, made) {
        ticket.keep(&made);
    }
    Carried { stored: if outcome.is_ok() { LOBBY_COMMAND_BYTES } else { 0 }, outcome }
}

/// Returns a ticket for the offer or game that the command creates. `None` if the command creates
/// neither.
fn begin(
    app: &App,
    client: Client,
    player: &Player,
    command: &LobbyCommand,
) -> Result<Option<Ticket>, TooMany> {
    let ticket = match command {
        LobbyCommand::Seek { .. } | LobbyCommand::Challenge { .. } | LobbyCommand::EnterPool { .. } => {
            app.admission.begin_offer(client)?
        }
        LobbyCommand::AcceptSeek { .. } | LobbyCommand::AcceptChallenge { .. } => {
            app.admission.begin_game(client, &player.id, false)?
        }
        LobbyCommand::PlayBot { .. } => app.admission.begin_game(client, &player.id, true)?,
        LobbyCommand::CancelSeek { .. }
        | LobbyCommand::CancelChallenge { .. }
        | LobbyCommand::LeavePool {} => return Ok(None),
    };
    Ok(Some(ticket))
}

/// Counts an open game of a player toward the limits of the player's current address, even if the
/// game was created from a different address.
pub(crate) fn note_open_game(app: &App, client: Client, player: &Player, table: &TableHandle) {
    if table.is_running() {
        let players = table.summary().players;
        let is_house = Side::BOTH.into_iter().any(|side| players[side].kind == PlayerKind::House);
        app.admission.note_game(client, &player.id, table.id(), is_house);
    }
}

async fn look_again(app: &App, holders: &[Holder]) {
    for holder in holders {
        let mut ended = Vec::new();
        for held in app.admission.to_verify(holder, Instant::now()) {
            if !is_open(app, &held).await {
                ended.push(held);
            }
        }
        app.admission.release(holder, &ended);
    }
}

/// Stops counting offers and games that have ended toward the limits.
pub(crate) async fn look_at_all(app: &App) {
    let holders = app.admission.holders();
    look_again(app, &holders).await;
}

/// True if an offer is open or a game is running. Also true if this cannot be determined.
async fn is_open(app: &App, held: &Held) -> bool {
    match held {
        Held::Seek(id) => app.lobby.has_seek(id),
        Held::Challenge(code) => {
            let shown = app.lobby.show_challenge(code).await;
            !shown.is_err_and(|refused| refused.is(Code::NO_SUCH_CHALLENGE))
        }
        Held::PoolPlace(player) => app.lobby.is_waiting(player).await,
        Held::Game { game, .. } => match app.tables.is_running(*game).await {
            Ok(is_running) => is_running,
            Err(TableError::NotFound | TableError::Quarantined) => false,
            Err(TableError::TooNew | TableError::Unavailable | TableError::Failed) => true,
        },
    }
}
