//! The task that runs a table and feeds it messages, the time, randomness and the store's
//! answers.

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{CloseCode, GameCommand, Refusal};
use flagfall_rules::{Command, Phase};
use flagfall_store::{Append, AppendOutcome, Store, StoreError};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tracing::Instrument as _;

use super::error::{CreateError, TableError};
use super::facts::Facts;
use super::handle::{Forecast, Message, TableHandle};
use super::header::GameHeader;
use super::host::Host;
use super::house::{HousePlayers, Thought};
use super::line_writer::write_line_soon;
use super::listing::Absence;
use super::mailbox::{Mailbox, mailbox};
use super::reply::Reply;
use super::search;
use super::table::{Asked, Input, NewCommand, Output, Table, TableInput};
use super::thinking::ThinkingShare;
use flagfall_base::delivery::{Outbox, together};
use flagfall_base::recorder::HOT;
use flagfall_base::request_id::RequestId;
use flagfall_base::telemetry::TABLES_LEFT;

const LINGER_MS: u64 = 30_000;
/// The longest time that a running game on a live clock stays in memory after its last connection
/// closed, in milliseconds. The operator can set a shorter time. After this time, players whose
/// connections dropped have either returned or count as away.
const LIVE_REST_MS: u64 = 60_000;
const PASSING_MS: u64 = 5_000;
/// The delay before a table that could not leave memory tries again, in milliseconds.
const LET_GO_AGAIN_MS: u64 = 100;
/// The delay before a running game is opened again after a defect ended its table.
const REOPEN_AFTER: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stay {
    /// The table leaves memory as soon as it is idle, because it was opened for due work.
    Short,
    /// The table stays in memory briefly, because the game was only looked up.
    Passing,
    /// The table stays in memory longer, because a connection used it.
    Long,
}

/// Counts the tables that are in memory only because of due work: each of them holds a clone of
/// this `Arc`.
pub(super) type Care = Arc<()>;

pub(super) trait Registry: Send + Sync {
    fn find(&self, game: GameId) -> BoxFuture<'_, Result<TableHandle, TableError>>;

    fn create_rematch(
        &self,
        game: GameId,
        header: Arc<GameHeader>,
    ) -> BoxFuture<'static, Result<GameId, CreateError>>;
}

pub(super) struct Actor {
    table: Table,
    host: Arc<Host>,
    registry: Arc<dyn Registry>,
    mailbox: Mailbox<Box<Message>>,
    facts: Arc<Facts>,
    house: HousePlayers,
    /// The outputs of the table that were not carried out yet, oldest first.
    outputs: Vec<Output>,
    /// The outbox of the caller whose message is being handled. It is closed if handling the
    /// message panics.
    asking: Option<Outbox>,
    /// The seats that were last told to other servers. Boxed, because many servers have no others.
    seats_told: Option<Box<PerSide<Option<Stamp>>>>,
    idle_since: Option<Stamp>,
    stay: Stay,
    care: Option<Care>,
    /// The earliest time at which the table may leave memory. It is set when the table could not
    /// leave because a handle was in use.
    stays_until: Stamp,
    /// The callers that wait until the table has stopped.
    #[expect(clippy::box_collection, reason = "a table stops once, and a box takes less room than a list")]
    stopping: Option<Box<Vec<oneshot::Sender<()>>>>,
    /// True if the table closes after the current job.
    is_closing: bool,
}

/// What follows from an output of the table.
enum Next {
    /// The output is carried out already.
    Input(Input),
    Job(BoxFuture<'static, Input>),
}

/// Returns the task that runs a table, and a handle for sending messages to the table. `listed`
/// says which players are away according to the list of running games. It is `None` if the game
/// is not on that list.
pub(super) fn channel(
    table: Table,
    host: Arc<Host>,
    registry: Arc<dyn Registry>,
    (stay, care): (Stay, Option<Care>),
    listed: Option<Absence>,
) -> (TableHandle, Box<Actor>) {
    let (sender, mailbox) = mailbox();
    let facts = Arc::new(Facts::new(&table, host.store.clone(), listed));
    let house = HousePlayers::new(&table.header, host.thinking_room.clone());
    let handle = TableHandle { sender, facts: facts.clone() };
    let actor = Actor {
        table,
        host,
        registry,
        mailbox,
        facts,
        house,
        outputs: Vec::new(),
        asking: None,
        seats_told: None,
        idle_since: None,
        stay,
        care,
        stays_until: Stamp(0),
        stopping: None,
        is_closing: false,
    };
    (handle, Box::new(actor))
}

impl Actor {
    /// Runs the table until neither a connection nor due work needs it. A panic ends only this
    /// table. The table's clients get a message to reconnect, and then get the game from its log.
    ///
    /// The future is boxed, because a task would otherwise reserve space for it twice.
    pub(super) async fn run(mut self: Box<Self>) {
        let ended = AssertUnwindSafe(self.serve()).catch_unwind().await;
        self.tell_seats(PerSide::default());
        self.host.residents.forget(&self.facts);
        if ended.is_err() {
            tracing::error!(game = %self.facts.id, "a defect of the server ended this table; the game will be loaded again from its log");
            metrics::counter!(flagfall_base::telemetry::TABLE_PANICS).increment(1);
        }
        if ended.is_err() || self.is_closing {
            self.table.close_connections(CloseCode::Shutdown);
            if let Some(outbox) = &self.asking {
                outbox.close(CloseCode::Shutdown);
            }
        }
        // Boxed, because closing needs more space than serving and happens only once.
        self.close(ended.is_ok()).boxed().await;
    }

    async fn close(mut self: Box<Self>, is_well: bool) {
        self.mailbox.close();
        // Messages that arrived while this table was leaving memory go to the game's next table.
        while let Some(message) = self.mailbox.recv().await {
            if let Ok(handle) = self.registry.find(self.facts.id).await {
                let _gone_again = handle.send_message(*message).await;
            }
        }
        if !is_well && !self.table.is_over() {
            // Reopen the game, because its flag must fall even if no player returns.
            drop(self.table);
            tokio::time::sleep(REOPEN_AFTER).await;
            let _handle = self.registry.find(self.facts.id).await;
        }
    }

    async fn serve(&mut self) {
        let mut job: Option<BoxFuture<'static, Input>> = None;
        let mut timer = pin!(sleep(Duration::MAX));
        self.step(Input::Tick);
        loop {
            while job.is_none() {
                match self.next() {
                    Some(Next::Job(next)) => job = Some(next),
                    Some(Next::Input(input)) => self.step(input),
                    None => break,
                }
            }
            let wake_at = self.wake_at();
            if let Some(at) = wake_at {
                let at = Instant::now() + Duration::from_millis(at.ms_since(self.host.now()));
                // Each move puts off the fall of the flag. A timer that is too early only costs a
                // step, so it is not set again for each move.
                if timer.is_elapsed() || at < timer.deadline() {
                    timer.as_mut().reset(at);
                }
            }
            // Handle messages even while a request to the store is under way, so that new
            // connections can be shown the game.
            tokio::select! {
                biased;
                input = async { if let Some(job) = &mut job { job.await } else { Input::Tick } }, if job.is_some() => {
                    job = None;
                    if self.is_closing {
                        return;
                    }
                    self.step(input);
                }
                Some(thought) = self.house.thought(), if self.house.are_thinking() => {
                    if let Some(command) = self.house_command(thought) {
                        // A house player's command needs no epoch. If moves are lost, the table is
                        // discarded together with everything that its house players were thinking.
                        let asked = Asked::new(Reply::Discard, command, None);
                        self.step(Input::Player(TableInput::Command(asked)));
                    }
                }
                message = self.mailbox.recv() => match message {
                    Some(message) => self.receive(*message),
                    None => return,
                },
                () = timer.as_mut(), if wake_at.is_some() => {
                    if self.is_to_leave() {
                        if self.facts.has_news_for_lists() {
                            write_line_soon(&self.facts);
                        } else if self.host.residents.let_go(&self.facts, &self.mailbox) {
                            let was = if self.table.is_over() { "over" } else { "at_rest" };
                            metrics::counter!(TABLES_LEFT, "game" => was).increment(1);
                            if !self.table.is_over() {
                                tracing::debug!(game = %self.facts.id, "unloaded the game from memory");
                            }
                            return;
                        }
                        // The table could not leave memory, because a message is about to arrive
                        // or a handle is in use.
                        self.stays_until = self.host.now().plus_ms(LET_GO_AGAIN_MS);
                    }
                    self.step(Input::Tick);
                }
            }
        }
    }

    fn wake_at(&mut self) -> Option<Stamp> {
        let was_idle = self.idle_since.is_some();
        self.idle_since = self.is_idle().then(|| self.idle_since.unwrap_or_else(|| self.host.now()));
        if self.idle_since.is_some() && !was_idle {
            // Write the lists early. Otherwise the table would have to wait for the write when it
            // leaves memory.
            self.facts.lists.lock().set_absence(self.table.absence());
            write_line_soon(&self.facts);
        }
        self.table.wake_at().into_iter().chain(self.leave_at()).min()
    }

    /// True if the table is not needed: the game is over, or may rest.
    fn is_idle(&self) -> bool {
        self.table.is_idle()
            || (self.facts.is_listed
                && self.table.may_rest(self.host.now())
                && !self.house.are_thinking()
                && self.outputs.is_empty())
    }

    /// Returns the time at which the table leaves memory if nothing happens until then.
    fn leave_at(&self) -> Option<Stamp> {
        let stay_ms = match self.stay {
            Stay::Short => 0,
            Stay::Passing => PASSING_MS,
            Stay::Long if self.table.is_idle() => LINGER_MS,
            Stay::Long if self.table.header.is_slow() => self.host.settings.rest_ms,
            Stay::Long => self.host.settings.rest_ms.min(LIVE_REST_MS),
        };
        self.idle_since.map(|since| since.plus_ms(stay_ms).max(self.stays_until))
    }

    /// True if it is time to leave. Checks again whether the table is idle, because a flag may be
    /// about to fall by now.
    fn is_to_leave(&self) -> bool {
        self.leave_at().is_some_and(|leave_at| self.host.now() >= leave_at) && self.is_idle()
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Input(input) => {
                (self.stay, self.care) = (Stay::Long, None);
                self.asking = input.outbox().cloned();
                self.step(Input::Player(input));
            }
            Message::Heard => self.step(Input::Tick),
            Message::Audit => self.step(Input::Audit),
            Message::Look { player, reply } => {
                // Stay in memory for a while, because the same player may soon look again.
                self.stay = self.stay.max(Stay::Passing);
                let now = self.host.now();
                self.look_at_store(now);
                let viewer = self.table.header.viewer(player.as_deref());
                let seen = viewer.map(|viewer| (self.table.summary(), viewer, self.table.look(now, viewer)));
                let _caller_left = reply.send(seen);
            }
            Message::Presence { reply } => {
                let _caller_left = reply.send(self.table.presence());
            }
            Message::Forecast { reply } => {
                let forecast = (!self.table.is_over()).then(|| Forecast {
                    flag: self.table.no_flag_before(self.host.now()),
                    awaits_house: self.table.awaits_house(),
                });
                let _caller_left = reply.send(forecast);
            }
            Message::Stop { is_last, reply } => {
                if self.table.is_stopped() {
                    let _caller_left = reply.send(());
                } else {
                    self.stopping.get_or_insert_default().push(reply);
                    self.step(Input::Stop { is_last });
                }
            }
        }
        self.asking = None;
    }

    /// Tells the table about outages of the store. Call this before anything is judged or shown,
    /// because clocks may have been stopped. First checks whether the store is silent, and then
    /// whether it reports an outage. In the opposite order, a silence that ends between the two
    /// checks would be missed.
    fn look_at_store(&mut self, now: Stamp) {
        let is_away = self.host.connections().is_store_away();
        let (store, id) = (&self.facts.store, self.facts.id);
        let silent_since = store.silent_since_of(id);
        self.table.outage.note_contact(is_away, silent_since);
        if silent_since.is_none() {
            self.table.note_part(false);
        } else if !is_away && !store.silent_parts().is_empty() {
            self.table.note_part(true);
        }
        for outage in store.outages_of(id, self.table.outage.known_until()) {
            self.outputs.extend(self.table.step(now, Input::Outage(outage)));
        }
    }

    fn step(&mut self, input: Input) {
        together(|| self.take_step(input));
    }

    fn take_step(&mut self, input: Input) {
        let now = self.host.now();
        self.table.write_form = self.host.peers.write_form();
        self.look_at_store(now);
        if let Some(seats) = &self.host.seats {
            self.table.attendance.sighted_since = seats.sighted_since(Instant::now());
            if self.facts.has_seat_news.swap(false, Ordering::Relaxed) {
                let elsewhere = seats.elsewhere(self.facts.id);
                self.table.note_left_elsewhere(seats.take_left(self.facts.id));
                self.outputs.extend(self.table.step(now, Input::Elsewhere(elsewhere)));
            }
        }
        let outputs = self.table.step(now, input);
        // Replace an empty queue instead of extending it, to free capacity that most games rarely
        // need.
        if self.outputs.is_empty() {
            self.outputs = outputs;
        } else {
            self.outputs.extend(outputs);
        }
        // Reset `heard`, so that a wrong hint is not handled twice.
        let seq = self.facts.heard.swap(0, Ordering::Relaxed);
        if self.table.following.is_news(self.table.head.seq, seq) {
            self.outputs.extend(self.table.step(now, Input::Heard { seq }));
        }
        // An offer may arrive before the entry that ends the game. It then waits for this entry.
        for side in Side::BOTH {
            let has_offer = &self.facts.has_rematch_offer[side];
            if self.table.is_over() && has_offer.swap(false, Ordering::Relaxed) {
                self.outputs.extend(self.table.step(now, Input::RematchOffered { side }));
            }
        }
        self.tell_seats(self.table.attendance.seats_here(&self.table.audiences));
        if self.facts.update(&self.table) {
            self.host.residents.note_end(&self.facts);
            self.host.settings.features.note_end(self.facts.id);
        }
    }

    /// Tells other servers which players have the game open on this server, if that has changed.
    fn tell_seats(&mut self, here: PerSide<Option<Stamp>>) {
        let Some(seats) = &self.host.seats else { return };
        let told = std::mem::replace(&mut **self.seats_told.get_or_insert_default(), here);
        for side in Side::BOTH.into_iter().filter(|side| told[*side] != here[*side]) {
            seats.note(self.facts.id, side, here[side], self.table.attendance.gone_on_purpose()[side]);
        }
    }

    /// Carries out the next output of the table.
    fn next(&mut self) -> Option<Next> {
        while !self.outputs.is_empty() {
            let output = self.outputs.remove(0);
            let (id, store) = (self.facts.id, self.facts.store.clone());
            let job = match output {
                Output::Append(append) => {
                    let request = self.table.work.request();
                    let started = std::time::Instant::now();
                    match store.append_at_once(append) {
                        ControlFlow::Break(outcome) => {
                            note_append(id, request, started.elapsed(), &outcome);
                            return Some(Next::Input(Input::Appended(outcome)));
                        }
                        ControlFlow::Continue(append) => {
                            async move { Input::Appended(append_to(&*store, append, request).await) }.boxed()
                        }
                    }
                }
                Output::Read { after } => async move {
                    let read = search::read_all(&*store, id, after).await;
                    Input::ReadOn(read.map_err(TableError::from))
                }
                .boxed(),
                Output::Look { after } => {
                    async move { Input::Looked(search::look(&*store, id, after).await) }.boxed()
                }
                Output::Search { asked } => {
                    let background = self.host.background.clone();
                    async move {
                        let found = search::find_command(&background, &*store, id, &asked).await;
                        Input::Searched { asked, found }
                    }
                    .boxed()
                }
                Output::MakeRematch => {
                    let made = self.registry.create_rematch(id, self.facts.header.clone());
                    made.map(|made| Input::RematchMade(made.map_err(|error| Refusal::from(&error)))).boxed()
                }
                Output::TellRematchOffered { side } => {
                    let host = self.host.clone();
                    async move {
                        host.peers.tell_rematch_offered(id, side).await;
                        Input::Tick
                    }
                    .boxed()
                }
                Output::HouseTurn { side, view } => {
                    let opponent = &self.facts.header.players[side.opponent()].id;
                    let network = self.host.connections().network_of(opponent);
                    let share = ThinkingShare { network, player: opponent.as_str().into() };
                    self.house.think(side, view, share);
                    continue;
                }
                Output::Stopped => {
                    for reply in self.stopping.take().into_iter().flat_map(|stopping| *stopping) {
                        let _caller_left = reply.send(());
                    }
                    continue;
                }
                Output::Diverged => {
                    self.is_closing = true;
                    let host = self.host.clone();
                    async move {
                        host.begin_epoch().await;
                        Input::Tick
                    }
                    .boxed()
                }
            };
            return Some(Next::Job(job));
        }
        None
    }

    fn house_command(&self, (side, view, command): Thought) -> Option<NewCommand> {
        let player = self.table.header.players[side].id.clone();
        let command = match command? {
            Command::Deploy(setup) => {
                GameCommand::Deploy { setup: setup.deploy(side, view.ruleset).ok()?.into_text() }
            }
            other => GameCommand::from_command(&other)?,
        };
        let phase = match view.phase {
            Phase::Deploying => "deploy",
            // A choice of color follows the ply but has the same ply number (§S2.4, §Q4), so it
            // needs a different command id.
            _ if view.owed_color.is_some() => "color",
            _ if view.pending_strike.is_some() => "choice",
            Phase::Playing | Phase::Over => "ply",
        };
        let cmd_id = format!("{phase}-{}-{side:?}", view.ply).parse().ok()?;
        Some(NewCommand { player, cmd_id, ply: view.ply, command })
    }
}

/// Appends events. `request` is the request that caused the events, if there is one. The store's
/// log lines about the append name this request.
async fn append_to(
    store: &dyn Store,
    append: Append,
    request: Option<RequestId>,
) -> Result<AppendOutcome, StoreError> {
    let game = append.game;
    let field = request.map(tracing::field::display);
    let span = tracing::debug_span!("append", %game, after = append.expected.seq, request = field);
    let started = std::time::Instant::now();
    let outcome = store.append(append).instrument(span).await;
    note_append(game, request, started.elapsed(), &outcome);
    outcome
}

/// Records the outcome of an append, and how long it took.
fn note_append(
    game: GameId,
    request: Option<RequestId>,
    took: Duration,
    outcome: &Result<AppendOutcome, StoreError>,
) {
    HOT.commit_seconds.record(took);
    match outcome {
        Ok(AppendOutcome::Conflict { .. }) => {
            metrics::counter!(flagfall_base::telemetry::APPEND_CONFLICTS).increment(1);
        }
        Ok(_) => {}
        Err(error) => {
            let request = request.map(tracing::field::display);
            tracing::warn!(%game, request, %error, "the store did not accept an append");
        }
    }
}
