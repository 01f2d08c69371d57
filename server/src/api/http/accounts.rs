//! `/api` routes for players: sign-up, login, tokens, profiles, export and deletion.

use std::net::IpAddr;

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use flagfall_protocol::{
    AccountExport, BlockList, Code, Confirmation, LoggedIn, Login, MadeToken, Me, NewPassword,
    NewRecoveryCode, NewToken, PlayerKind, Profile, Recover, Recovered, Secret, SignUp, SignedUp, TokenList,
};

use super::answer::Created;
use super::error::Answer;
use super::request::{AnyToken, Asker, Body, From, IsByCookie, MaybeAsker, Owner, Path, Shared};
use crate::app::App;
use flagfall_base::identity::Principal;
use flagfall_base::keys::LEAVING;
use flagfall_base::transact::Transaction;
use flagfall_services::blocks::{blocked_by, set_blocked};
use flagfall_services::dump;
use flagfall_services::left_games::conduct_of;
use flagfall_services::players::PlayerError;
use flagfall_services::preferences::preferences_of;
use flagfall_services::reports::own_reports;

pub(super) async fn sign_up(
    State(app): Shared,
    From(address): From,
    MaybeAsker(guest): MaybeAsker,
    Body(SignUp { name, password, bot }): Body<SignUp>,
) -> Answer<Created<SignedUp>> {
    let kind = if bot { PlayerKind::Bot } else { PlayerKind::Account };
    Ok(Created(make_account(&app, address, guest.as_ref(), &name, &password, kind).await?))
}

/// Turns the guest into an account, or creates a new account if there is no guest.
pub(super) async fn make_account(
    app: &App,
    address: IpAddr,
    guest: Option<&Principal>,
    name: &str,
    password: &Secret,
    kind: PlayerKind,
) -> Answer<SignedUp> {
    let made = app.players.sign_up(address, guest, name, password, kind).await?;
    if guest.is_some() {
        // Close the guest's connections. They then reconnect as the account.
        app.peers.renew(&app.connections, &made.player.id).await;
    }
    Ok(made)
}

pub(super) async fn export(State(app): Shared, Owner(asker): Owner) -> Answer<Json<AccountExport>> {
    let id = &asker.player.id;
    let own = app.players.export(&asker).await?;
    let webhook = match app.notices.info(&asker).await {
        Ok(info) => Some(info),
        Err(refused) if refused.is(Code::NO_SUCH_WEBHOOK) => None,
        Err(error) => return Err(error.into()),
    };
    let mut queues = Vec::new();
    for game in &own.games {
        match app.turns.queued(*game, id).await {
            Ok(queue) if queue.moves.is_empty() => {}
            Ok(queue) => queues.push(queue),
            // If a game cannot be read, leave the moves queued for it out of the export.
            Err(error) => {
                tracing::debug!(%game, %error, "an export leaves out the queue of a game that cannot be read");
            }
        }
    }
    Ok(Json(AccountExport {
        ratings: app.ratings.of_player(id).await?,
        played: app.histories.all_games(asker.player.clone()).await?,
        statistics: app.histories.statistics(id).await?,
        deployments: app.deployments.list(&asker).await?.deployments,
        preferences: preferences_of(&*app.store, id).await?.preferences,
        webhook,
        push: app.notices.push_infos(id).await?,
        email: app.notices.email_info(id).await?,
        has_feed: app.notices.has_feed(id).await?,
        challenges: app.lobby.invitations(&asker.player).await?.challenges,
        blocks: blocked_by(&*app.store, id).await?,
        reports: own_reports(&*app.store, &asker.player).await?,
        queues,
        conduct: conduct_of(&*app.store, id).await?,
        dump: dump::listing(&*app.store, id).await?,
        ..own
    }))
}

pub(super) async fn delete(
    State(app): Shared,
    Owner(asker): Owner,
    Body(Confirmation { password }): Body<Confirmation>,
) -> Answer<NoContent> {
    app.players.delete(&asker, &password, app.jobs.writer()).await?;
    // The account itself has been deleted at this point. If the deletion of the player's other data
    // fails, a stored job remains, and any server can run it later.
    if let Err(error) = app.erasure.erase_now(&asker.player.id).await {
        tracing::debug!(%error, "could not delete all data of an account yet; a job will delete the rest");
        let job = LEAVING.key([&asker.player.id]);
        job.into_iter().for_each(|job| app.jobs.writer().wake_for(LEAVING.name, job));
    }
    Ok(NoContent)
}

pub(super) async fn change_password(
    State(app): Shared,
    Owner(asker): Owner,
    Body(NewPassword { password, new_password }): Body<NewPassword>,
) -> Answer<NoContent> {
    app.players.change_password(&asker, &password, &new_password).await?;
    Ok(NoContent)
}

pub(super) async fn renew_recovery_code(
    State(app): Shared,
    Owner(asker): Owner,
    Body(Confirmation { password }): Body<Confirmation>,
) -> Answer<Json<NewRecoveryCode>> {
    let recovery_code = app.players.renew_recovery_code(&asker, &password).await?;
    Ok(Json(NewRecoveryCode { recovery_code }))
}

pub(super) async fn log_in(
    State(app): Shared,
    From(address): From,
    // The device's old token only identifies the device, so a wrong token is not an error.
    AnyToken(device): AnyToken,
    Body(Login { name, password, token_name }): Body<Login>,
) -> Answer<Json<LoggedIn>> {
    let device = device.as_deref();
    Ok(Json(app.players.log_in(address, device, &name, &password, token_name.as_deref()).await?))
}

pub(super) async fn log_out(State(app): Shared, Asker(asker): Asker) -> Answer<NoContent> {
    app.players.revoke_token(&asker, &asker.token_id).await?;
    Ok(NoContent)
}

pub(super) async fn recover(
    State(app): Shared,
    From(address): From,
    Body(Recover { name, recovery_code, password }): Body<Recover>,
) -> Answer<Json<Recovered>> {
    Ok(Json(app.players.recover(address, &name, &recovery_code, &password, None).await?))
}

pub(super) async fn tokens(State(app): Shared, Owner(asker): Owner) -> Answer<Json<TokenList>> {
    Ok(Json(TokenList { tokens: app.players.tokens(&asker).await? }))
}

pub(super) async fn make_token(
    State(app): Shared,
    Owner(asker): Owner,
    IsByCookie(is_by_cookie): IsByCookie,
    Body(NewToken { name, scope, password }): Body<NewToken>,
) -> Answer<Created<MadeToken>> {
    // Guests have no password. `make_token` refuses them with a different reason.
    if is_by_cookie && password.is_none() && asker.player.kind != PlayerKind::Guest {
        return Err(PlayerError::WrongPassword.into());
    }
    Ok(Created(app.players.make_token(&asker, &name, scope, password.as_ref()).await?))
}

pub(super) async fn revoke_token(
    State(app): Shared,
    Owner(asker): Owner,
    Path(id): Path<String>,
) -> Answer<NoContent> {
    app.players.revoke_token(&asker, &id).await?;
    Ok(NoContent)
}

pub(super) async fn me(State(app): Shared, Asker(asker): Asker) -> Answer<Json<Me>> {
    let tokens = app.players.tokens(&asker).await?;
    let token = tokens.into_iter().find(|token| token.current).ok_or(PlayerError::UnknownToken)?;
    let conduct = conduct_of(&*app.store, &asker.player.id).await?;
    Ok(Json(Me { player: asker.player, token, conduct }))
}

pub(super) async fn blocks(State(app): Shared, Asker(asker): Asker) -> Answer<Json<BlockList>> {
    Ok(Json(BlockList { players: blocked_by(&*app.store, &asker.player.id).await? }))
}

pub(super) async fn block(
    State(app): Shared,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Answer<NoContent> {
    block_or_unblock(&app, &asker, &name, true).await
}

pub(super) async fn unblock(
    State(app): Shared,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Answer<NoContent> {
    block_or_unblock(&app, &asker, &name, false).await
}

/// Blocks or unblocks a player. A guest who blocks a player is stored in the same step.
async fn block_or_unblock(app: &App, asker: &Principal, name: &str, is_blocked: bool) -> Answer<NoContent> {
    let other = app.players.addressee(name).await?;
    let mut transaction = Transaction::new(&*app.store, "the list of blocked players");
    loop {
        let standing = app.players.standing(asker).await?;
        if set_blocked(&*app.store, &mut transaction, &standing, &other, is_blocked).await? {
            return Ok(NoContent);
        }
    }
}

pub(super) async fn profile(State(app): Shared, Path(name): Path<String>) -> Answer<Json<Profile>> {
    let profile = app.players.profile(&name).await?;
    let ratings = app.ratings.of_player(&profile.player.id).await?;
    Ok(Json(Profile { ratings, ..profile }))
}
