//! Account commands: `flagfall signup`, `login`, `tokens` and others.

use std::io::{self, IsTerminal};

use flagfall::advice::advised;
use flagfall::cli::{
    AccountCommand, Common, HistoryArgs, LeaderboardArgs, ListingName, LoginArgs, ProfileArgs, ScopeName,
    SignUpArgs, TokensCommand,
};
use flagfall::config::{ConfigDir, Credential};
use flagfall::model::server_flag;
use flagfall::net::address::{Address, Addresses};
use flagfall::net::dial::Dialer;
use flagfall::net::http::{self, HttpError};
use flagfall::net::socket;
use flagfall::{listing, names, text, words};
use flagfall_protocol::{
    BlockList, Code, Conduct, Confirmation, DumpListing, DumpSetting, Exit, HeadToHead, LoggedIn, Login,
    MadeToken, Me, NewPassword, NewRecoveryCode, NewToken, PlayedGames, Player, Profile, RatingHistory,
    Recover, Recovered, Scope, Secret, SignUp, SignedUp, TokenInfo, TokenList,
};
use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::output::{
    CommandError, Done, dialer, network, pretty_json, print, print_json, print_or_write, runtime, show,
    storage, usage, warn,
};
use super::password;

/// Default name of the token that a login creates.
const TOKEN_NAME: &str = "flagfall";

/// The JSON of an empty body.
const NOTHING: &[u8] = b"null";

/// A server and the local configuration that belongs to it.
pub(crate) struct Api {
    pub(crate) dialer: Dialer,
    pub(crate) address: Address,
    pub(crate) config: ConfigDir,
    pub(crate) name: Option<String>,
    /// The command-line flags that select this server, for use in messages.
    pub(crate) server: String,
}

impl Api {
    pub(crate) fn new(common: Common) -> Done<Api> {
        let address = Address::parse_all(&common.server).map_err(usage)?.first;
        let dialer = dialer(&common)?;
        let server = server_flag(&common.server, common.ca.as_deref());
        Ok(Api { dialer, address, config: ConfigDir::new(common.config_dir), name: common.name, server })
    }

    /// Returns the account or guest whose credential the commands use.
    pub(crate) fn credential(&self) -> Credential {
        self.config.shared_credential(&self.address, self.name.as_deref(), None)
    }

    pub(crate) fn token(&self) -> Done<Secret> {
        self.credential().token().ok_or_else(|| refused(text!("no-identity", server = &self.server)))
    }

    /// Sends a request. If `body` is `&()`, the request has no body.
    ///
    /// If the server does not recognize the saved guest, the request is sent once more as a new
    /// guest.
    pub(crate) fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        token: Option<&Secret>,
        body: &impl Serialize,
    ) -> Result<T, HttpError> {
        match self.send_once(method.clone(), path, token, body) {
            Err(error) if error.is_unknown_token() && self.is_guest(token) => {
                let Some(token) = self.new_guest() else { return Err(error) };
                self.send_once(method, path, Some(&token), body)
            }
            other => other,
        }
    }

    /// True if `token` is the credential of the saved guest.
    fn is_guest(&self, token: Option<&Secret>) -> bool {
        let credential = self.credential();
        !credential.is_account() && token.is_some() && credential.token().as_ref() == token
    }

    /// Replaces a guest that the server does not recognize. `None` if no new guest could be
    /// created.
    fn new_guest(&self) -> Option<Secret> {
        let addresses = Addresses { first: self.address.clone(), others: Vec::new() };
        let greeted =
            runtime().ok()?.block_on(socket::new_guest(&self.dialer, &addresses, self.name.clone()));
        let (token, player) = greeted.ok()?;
        let credential = self.credential();
        // Continue even if the credential cannot be saved, because the token is still valid.
        drop(credential.set_aside().and_then(|()| credential.save_token(&token, &player.name)));
        drop(warn(&text!("guest-new", player = words::player(&player))));
        Some(token)
    }

    fn send_once<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        token: Option<&Secret>,
        body: &impl Serialize,
    ) -> Result<T, HttpError> {
        let broken = |why| HttpError::Broken { server: self.address.authority.clone(), why };
        let not_json = |why: serde_json::Error| {
            broken(text!("json-broken", kind = format!("{:?}", why.classify()), line = why.line()))
        };
        let mut body = serde_json::to_vec(body).map_err(not_json)?;
        if body == NOTHING {
            body.clear();
        }
        let runtime = runtime().map_err(|failure| broken(failure.message))?;
        let bytes = runtime.block_on(http::send(&self.dialer, &self.address, method, path, token, body))?;
        serde_json::from_slice(if bytes.is_empty() { NOTHING } else { &bytes }).map_err(not_json)
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str, token: Option<&Secret>) -> Done<T> {
        self.send(Method::GET, path, token, &()).map_err(http_failure)
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        token: Option<&Secret>,
        body: &impl Serialize,
    ) -> Done<T> {
        self.send(Method::POST, path, token, body).map_err(http_failure)
    }

    /// Sends a request that needs the player's credential.
    pub(crate) fn own<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Done<T> {
        self.send(method, path, Some(&self.token()?), body).map_err(http_failure)
    }

    /// Prints data that the server shows only to this player: as JSON, or in words.
    pub(crate) fn show_own<T: DeserializeOwned + Serialize>(
        &self,
        path: &str,
        json: bool,
        words: impl FnOnce(&T) -> String,
    ) -> Done {
        show(json, &self.own(Method::GET, path, &())?, words)
    }

    fn keep(&self, token: &Secret, player: &Player) -> Done<()> {
        self.config.keep_account(&self.address, token, &player.name).map_err(|error| {
            let name = words::clean_line(&player.name);
            storage(text!("login-not-saved", why = error.to_string(), server = &self.server, name))
        })
    }
}

pub(crate) fn refused(word: impl Into<String>) -> CommandError {
    CommandError { code: Exit::Refused, message: word.into() }
}

pub(crate) fn http_failure(error: HttpError) -> CommandError {
    let word = error.to_string();
    match error {
        HttpError::Refused { .. } if error.is_unknown_token() => refused(text!("login-unknown")),
        HttpError::Refused { code, .. } => refused(advised(&code, word, None)),
        _ => network(word),
    }
}

fn recovery_code_text(code: &Secret) -> String {
    text!("recovery-code", code = code.expose())
}

pub(crate) fn sign_up(args: SignUpArgs, common: Common) -> Done {
    let api = Api::new(common)?;
    let credential = api.credential();
    if credential.is_account() {
        return Err(refused(text!("already-logged-in", name = credential.name(), server = &api.server)));
    }
    let guest = credential.token().filter(|_| !args.new);
    let password = password::read_new(&text!("secret-first-password"))?;
    let body = SignUp { name: args.account, password, bot: args.bot };
    let ask = |token: Option<&Secret>| api.send_once(Method::POST, "/api/account", token, &body);
    let (made, was_guest): (SignedUp, bool) = match ask(guest.as_ref()) {
        Ok(made) => (made, guest.is_some()),
        // The server does not recognize the guest, so no games can be transferred to the new
        // account.
        Err(error) if guest.is_some() && error.is_unknown_token() => {
            (ask(None).map_err(http_failure)?, false)
        }
        Err(error) => return Err(http_failure(error)),
    };
    let welcome = text!("signed-up", player = words::player(&made.player), guest = was_guest);
    let kept = match made.token.as_ref().or(guest.as_ref()) {
        Some(token) => api.keep(token, &made.player),
        None => return Err(network(text!("no-token-sent", server = &api.server))),
    };
    // The code is shown only once, so print it before anything else can fail.
    print(&format!("{welcome}\n\n{}", recovery_code_text(&made.recovery_code)))?;
    kept?;
    if was_guest {
        credential.forget().map_err(storage)?;
    }
    Ok(Exit::Done.code())
}

pub(crate) fn log_in(args: LoginArgs, common: Common) -> Done {
    let api = Api::new(common)?;
    let (player, token) = match args.account {
        Some(name) => {
            let password = password::read(&text!("secret-password-of", name = &name))?;
            let token_name = Some(args.label.unwrap_or_else(|| TOKEN_NAME.to_owned()));
            // Send the old token, so that the server recognizes this device. The device is then
            // not locked out if other people have guessed wrong passwords.
            let device = api.config.account_credential(&api.address, &name).and_then(|it| it.token());
            let LoggedIn { player, token } =
                api.post("/api/login", device.as_ref(), &Login { name, password, token_name })?;
            (player, token)
        }
        None => {
            let token = password::read(&text!("secret-token"))?;
            let asked = api.send_once(Method::GET, "/api/me", Some(&token), &());
            let Me { player, .. } = asked.map_err(|error| match error.is_unknown_token() {
                true => refused(text!("token-unknown")),
                false => http_failure(error),
            })?;
            (player, token)
        }
    };
    let before = api.config.account_credential(&api.address, &player.name).and_then(|it| it.token());
    api.keep(&token, &player)?;
    if let Some(before) = before.filter(|before| *before != token) {
        // Revoke the token that was replaced. An error is harmless, because the server may
        // already have removed the token.
        drop(api.post::<()>("/api/logout", Some(&before), &()));
    }
    print(&text!("logged-in", player = words::player(&player), server = api.address.to_string()))
}

pub(crate) fn log_out(common: Common) -> Done {
    let api = Api::new(common)?;
    let credential = api.credential();
    let token = credential.token().filter(|_| credential.is_account());
    let token = token.ok_or_else(|| refused(text!("not-logged-in")))?;
    match api.send::<()>(Method::POST, "/api/logout", Some(&token), &()) {
        Err(error) if !error.is_unknown_token() => return Err(http_failure(error)),
        _ => {}
    }
    let name = credential.name();
    credential.forget().map_err(storage)?;
    print(&text!("logged-out", name, server = api.address.to_string()))
}

pub(crate) fn who_am_i(json: bool, common: Common) -> Done {
    let api = Api::new(common)?;
    api.show_own("/api/me", json, |Me { player, token, conduct }| {
        let me = text!(
            "who-am-i",
            player = words::player(player),
            server = api.address.to_string(),
            id = player.id.to_string(),
            token = &token.name,
            scope = token.scope.name(),
            made = words::date(token.created),
        );
        format!("{me}\n{}", words::conduct(*conduct))
    })
}

pub(crate) fn profile(args: &ProfileArgs, common: Common) -> Done {
    let api = Api::new(common)?;
    let name = path_part(&args.player)?;
    let profile: Profile = api.get(&format!("/api/players/{name}"), None)?;
    if args.json {
        return print_json(&profile);
    }
    let most = profile.ratings.iter().max_by_key(|info| info.games);
    let charted = match (&args.rules, args.speed) {
        (Some(rules), Some(speed)) => Some((rules.clone(), speed)),
        _ => most.map(|info| (info.ruleset.clone(), info.speed)),
    };
    let mut text = words::profile(&profile);
    if let Some(conduct) = own_conduct(&api, &profile)? {
        text.push_str(&format!("\n{}", words::conduct(conduct)));
    }
    if let Some((rules, speed)) = charted {
        let path = format!("/api/players/{name}/ratings/{rules}/{}", speed.name());
        let history: RatingHistory = api.get(&path, api.credential().token().as_ref())?;
        let chart = listing::rating_chart(&history);
        if !chart.is_empty() {
            text.push_str(&format!("\n{}\n", chart.join("\n")));
        }
    }
    print(&text)
}

/// Returns the consequences that the player faces for leaving games. `None` for the profile of
/// another player, because the server does not show their consequences.
fn own_conduct(api: &Api, profile: &Profile) -> Done<Option<Conduct>> {
    let credential = api.credential();
    let is_own = credential.is_account() && credential.name().eq_ignore_ascii_case(&profile.player.name);
    let Some(token) = credential.token().filter(|_| is_own) else { return Ok(None) };
    match api.send::<Me>(Method::GET, "/api/me", Some(&token), &()) {
        Ok(me) => Ok(Some(me.conduct).filter(|_| me.player.id == profile.player.id)),
        // The profile is public, so show it without the part that requires a login.
        Err(error) if error.is_unknown_token() => Ok(None),
        Err(error) => Err(http_failure(error)),
    }
}

pub(crate) fn history(args: HistoryArgs, common: Common) -> Done {
    let HistoryArgs { player, opponent, after, json } = args;
    let api = Api::new(common)?;
    let token = api.credential().token();
    let player = match player {
        Some(player) => player,
        None => api.own::<Me>(Method::GET, "/api/me", &())?.player.name,
    };
    let after = after.map(|after| path_part(&after).map(|after| format!("?after={after}"))).transpose()?;
    let (player, after) = (path_part(&player)?, after.unwrap_or_default());
    match opponent {
        None => {
            let path = format!("/api/players/{player}/games{after}");
            let games: PlayedGames = api.get(&path, token.as_ref())?;
            show(json, &games, |games| listing::played(games, &api.server).join("\n"))
        }
        Some(opponent) => {
            let path = format!("/api/players/{player}/against/{}{after}", path_part(&opponent)?);
            let games: HeadToHead = api.get(&path, token.as_ref())?;
            show(json, &games, |games| listing::head_to_head(games, &api.server).join("\n"))
        }
    }
}

pub(crate) fn statistics(json: bool, common: Common) -> Done {
    Api::new(common)?.show_own("/api/me/statistics", json, |all| listing::statistics(all).join("\n"))
}

pub(crate) fn block(name: &str, is_blocked: bool, common: Common) -> Done {
    let api = Api::new(common)?;
    let method = if is_blocked { Method::PUT } else { Method::DELETE };
    let () = api.own(method, &format!("/api/blocks/{}", path_part(name)?), &())?;
    print(&if is_blocked { text!("player-blocked", name) } else { text!("unblocked", name) })
}

pub(crate) fn blocks(json: bool, common: Common) -> Done {
    Api::new(common)?.show_own("/api/blocks", json, |BlockList { players }| match players.is_empty() {
        true => text!("no-blocks"),
        false => players.iter().map(|player| words::player(player) + "\n").collect(),
    })
}

pub(crate) fn leaderboard(args: &LeaderboardArgs, common: Common) -> Done {
    let LeaderboardArgs { rules, speed, bots, json } = args;
    if rules.contains(',') {
        return Err(usage(text!("leaderboard-custom")));
    }
    let path = format!("/api/leaderboards/{rules}/{}?bots={bots}", speed.name());
    show(*json, &Api::new(common)?.get(&path, None)?, words::leaderboard)
}

/// Checks that a name is safe as part of a URL path. Refuses invalid names.
fn path_part(name: &str) -> Done<&str> {
    if names::is_plain(name) { Ok(name) } else { Err(refused(text!("bad-name"))) }
}

pub(crate) fn tokens(command: TokensCommand, common: Common) -> Done {
    let api = Api::new(common)?;
    match command {
        TokensCommand::List { json } => {
            api.show_own("/api/tokens", json, |list: &TokenList| token_table(&list.tokens))
        }
        TokensCommand::New { label, scope } => {
            let scope = match scope {
                ScopeName::Play => Scope::Play,
                ScopeName::Bot => Scope::Bot,
            };
            let body = NewToken { name: label, scope, password: None };
            let MadeToken { info, token } = api.own(Method::POST, "/api/tokens", &body)?;
            let (id, scope) = (info.id, info.scope.name());
            print(&text!("token-made", token = token.expose(), id, scope))
        }
        TokensCommand::Revoke { id } => {
            api.token()?;
            let () = api.own(Method::DELETE, &format!("/api/tokens/{}", path_part(&id)?), &())?;
            print(&text!("token-revoked"))
        }
    }
}

fn token_table(tokens: &[TokenInfo]) -> String {
    let row = |token: &TokenInfo| {
        let name = text!("token-name", name = &token.name, own = token.current);
        [token.id.to_string(), token.scope.name().to_owned(), words::date(token.created), name]
    };
    listing::table(
        ["token-column-id", "token-column-scope", "token-column-made", "token-column-name"],
        tokens.iter().map(row),
    )
    .join("\n")
}

pub(crate) fn recover(name: String, common: Common) -> Done {
    let api = Api::new(common)?;
    let recovery_code = password::read(&text!("recovery-code-label"))?;
    let password = password::read_new(&text!("password-new"))?;
    let Recovered { player, token, recovery_code } =
        api.post("/api/recover", None, &Recover { name, recovery_code, password })?;
    // The code is shown only once, so print it before anything else can fail.
    let welcome = text!("recovered", player = words::player(&player), server = api.address.to_string());
    print(&format!("{welcome}\n\n{}", recovery_code_text(&recovery_code)))?;
    api.keep(&token, &player).map(|()| Exit::Done.code())
}

pub(crate) fn account(command: AccountCommand, common: Common) -> Done {
    let api = Api::new(common)?;
    let own = api.token()?;
    match command {
        AccountCommand::Export { out } => {
            let export: serde_json::Value = api.get("/api/account", Some(&own))?;
            print_or_write(&pretty_json(&export)?, out.as_deref())
        }
        AccountCommand::Password => {
            let password = password::read(&text!("password-old"))?;
            let new_password = password::read_new(&text!("password-new"))?;
            let () =
                api.post("/api/account/password", Some(&own), &NewPassword { password, new_password })?;
            print(&text!("password-changed"))
        }
        AccountCommand::RecoveryCode => {
            let body = Confirmation { password: password::read(&text!("password"))? };
            let NewRecoveryCode { recovery_code } =
                api.post("/api/account/recovery_code", Some(&own), &body)?;
            print(&recovery_code_text(&recovery_code))
        }
        AccountCommand::Dump { listing } => {
            if let Some(listing) = listing {
                let dump = match listing {
                    ListingName::Name => DumpListing::Name,
                    ListingName::Pseudonym => DumpListing::Pseudonym,
                    ListingName::None => DumpListing::None,
                };
                let () = api.own(Method::PUT, "/api/me/dump", &DumpSetting { dump })?;
            }
            let DumpSetting { dump } = api.get("/api/me/dump", Some(&own))?;
            print(&text!("dump-listing", listing = dump.name()))
        }
        AccountCommand::Delete => {
            let name = api.credential().name();
            if io::stdin().is_terminal() {
                warn(&text!("delete-warning", name = &name))?;
            }
            let body = Confirmation { password: password::read(&text!("password"))? };
            api.send::<()>(Method::DELETE, "/api/account", Some(&own), &body).map_err(|error| {
                let is_busy = error.is_refused_as(Code::GAMES_RUNNING);
                let CommandError { code, message } = http_failure(error);
                let message = if is_busy { text!("delete-games-running", message) } else { message };
                CommandError { code, message }
            })?;
            api.credential().forget().map_err(storage)?;
            print(&text!("account-deleted", name))
        }
    }
}
