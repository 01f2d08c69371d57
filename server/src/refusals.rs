//! Checks that every refusal has a stable code listed in docs/protocol/messages.md, and a message
//! that contains all its arguments.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use flagfall_board::{GameId, Rank, Square};
use flagfall_bots::Level;
use flagfall_protocol::{Code, NotOpened, PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, RatingRange, Refusal};
use flagfall_rules::{Refusal as RuleRefusal, SetupRefusal};
use flagfall_tests::{Needs, all_texts, product_sources};
use flagfall_words::english;

use crate::api::http::ApiError;
use crate::api::ws::UpgradeRefusal;
use flagfall_base::admission::{Limit, Scope, TooMany};
use flagfall_base::random::ChanceError;
use flagfall_base::refusals::store_unclear;
use flagfall_game::{CreateError, RecordError, StaleEpoch, TableError};
use flagfall_services::lobby::{check_rated, check_terms};
use flagfall_services::players::PlayerError;

/// The pages that document the codes.
const PAGES: &str =
    concat!(include_str!("../../docs/protocol/messages.md"), include_str!("../../docs/protocol/http.md"));

/// Codes that the server uses directly, without an error type. Their messages are tested where
/// they are used.
const ELSEWHERE: &[&str] =
    &[Code::HELLO_EXPECTED, Code::PROTOCOL_VERSION, Code::SUPERSEDED, Code::NOT_OVER, Code::NOT_YOUR_GAME];

static TEXTS: LazyLock<BTreeMap<String, Needs>> = LazyLock::new(|| all_texts(flagfall_words::ENGLISH));

fn with(code: &str, reason: &str) -> Refusal {
    Refusal::new(code).because(reason)
}

/// Returns the errors of the HTTP API, each with arguments that a player may see.
pub(crate) fn errors() -> Vec<ApiError> {
    let too_many = |limit, scope, wait_s| {
        Refusal::from(&TooMany { limit, scope, wait: std::time::Duration::from_secs(wait_s) })
    };
    let terms = |text: &str| serde_json::from_str(text).unwrap();
    let unknown = check_terms(&terms(r#"{"ruleset":"chess","time":{"kind":"unlimited"}}"#)).unwrap_err();
    let change =
        check_terms(&terms(r#"{"ruleset":"course,ties=attacker","time":{"kind":"unlimited"}}"#)).unwrap_err();
    let endless = terms(r#"{"ruleset":"classic","time":{"kind":"correspondence","days":99}}"#);
    let kinds = [flagfall_protocol::PlayerKind::Guest; 2];
    let rated = terms(r#"{"ruleset":"classic","time":{"kind":"unlimited"},"rated":true}"#);
    let outside = with(Code::OUTSIDE_RATING_RANGE, "rating").with("range", "both");
    let outside = outside.with("min", 1_400_u32).with("max", 1_600_u32);
    let too_short = Refusal::from(&SetupRefusal::TooShort { have: 3, want: 40 });
    let bad_setup = Refusal { code: Code::new(Code::BAD_DEPLOYMENT), args: too_short.args };
    let players = [
        with(Code::BAD_NAME, "characters"),
        with(Code::BAD_NAME, "length").with("min", 2_u8).with("max", 20_u8),
        with(Code::BAD_NAME, "taken"),
        Refusal::from(&PlayerError::AccountNameTaken),
        with(Code::TOO_MANY, "new_guests"),
        with(Code::BAD_PASSWORD, "length").with("min", PASSWORD_LEN_MIN).with("max", PASSWORD_LEN_MAX),
        with(Code::BAD_PASSWORD, "has_name"),
        with(Code::BAD_PASSWORD, "common"),
        Refusal::from(&PlayerError::WrongPassword),
        Refusal::from(&PlayerError::WrongRecoveryCode),
        Refusal::from(&PlayerError::Closed),
        Refusal::new(Code::TOO_MANY_ATTEMPTS).with("seconds", 90_u8),
        with(Code::TOO_MANY, "logins"),
        too_many(Limit::Hellos, Scope::Player, 1),
        Refusal::from(&PlayerError::AlreadyAccount),
        with(Code::ACCOUNT_EXPECTED, "other"),
        Refusal::new(Code::SCOPE_MISSING),
        Refusal::new(Code::NO_SUCH_TOKEN),
        with(Code::TOO_MANY, "tokens").with("count", 16_u8),
        with(Code::BAD_TOKEN_TERMS, "name").with("min", 1_u8).with("max", 40_u8),
        with(Code::BAD_TOKEN_TERMS, "bot_scope"),
        Refusal::from(&PlayerError::NoSuchPlayer),
        Refusal::new(Code::GAMES_RUNNING),
        Refusal::from(&PlayerError::Store),
        Refusal::from(&PlayerError::Damaged),
        Refusal::from(&PlayerError::from(ChanceError)),
    ];
    let lobby = [
        unknown.0,
        change.0,
        check_rated(&rated, kinds).unwrap_err().0,
        with(Code::NOT_RATED, "custom_rules"),
        with(Code::NOT_RATED, "house_player"),
        with(Code::NOT_RATED, "bots_and_people"),
        with(Code::NOT_RATED, "guest"),
        with(Code::NOT_RATED, "no_clock"),
        check_terms(&endless).unwrap_err().0,
        Refusal::new(Code::LEFT_GAMES).with("count", 2_u8).with("seconds", 120_u8),
        with(Code::BAD_RATING_RANGE, "no_ratings"),
        with(Code::BAD_RATING_RANGE, "guest"),
        with(Code::BAD_RATING_RANGE, "bounds").with("min", 0_u8).with("max", RatingRange::POINTS_MAX),
        outside.clone().because("bots_and_people"),
        outside.clone().because("guest"),
        outside.with("rating", 1_700_u32),
        with(Code::BLOCKED, "offer"),
        with(Code::NOT_IN_POOL, "waiting"),
        with(Code::ALREADY_PAIRED, "game").with("game", GameId::from_random([1; 12]).to_string()),
        with(Code::ALREADY_PAIRED, "now"),
        Refusal::new(Code::NO_SUCH_BOT).with("known", Level::ALL.map(Level::name).join(", ")),
        with(Code::NO_SUCH_SEEK, "other"),
        with(Code::NO_SUCH_SEEK, "taken"),
        with(Code::NO_SUCH_SEEK, "withdrawn"),
        with(Code::NO_SUCH_CHALLENGE, "other"),
        with(Code::NO_SUCH_CHALLENGE, "taken"),
        with(Code::NO_SUCH_CHALLENGE, "withdrawn"),
        with(Code::NO_SUCH_CHALLENGE, "declined"),
        with(Code::OWN_OFFER, "offer"),
        with(Code::TOO_MANY, "seeks").with("count", 3_u8),
        with(Code::TOO_MANY, "lobby"),
        with(Code::TOO_MANY, "challenges").with("count", 3_u8),
        with(Code::TOO_MANY, "games").with("count", 20_u8),
        too_many(Limit::Guests, Scope::Address, 90),
        with(Code::TOO_MANY, "opponent"),
        Refusal::new(Code::CMD_ID_REUSED),
        Refusal::from(&CreateError::Stopping),
        store_unclear(),
        with(Code::OWN_OFFER, "block"),
        with(Code::TOO_MANY, "blocks").with("count", 100_u8),
    ];
    let others = [
        with(Code::BAD_QUEUE, "game"),
        Refusal::new(Code::OWN_TURN),
        with("stale_ply", "queue").with("current", 4_u8),
        Refusal::from(&StaleEpoch),
        with(Code::BAD_QUEUE, "length").with("max", 20_u8),
        with(Code::ACCOUNT_EXPECTED, "deployments"),
        with(Code::NO_SUCH_RULESET, "saved"),
        with(Code::NO_SUCH_RULESET, "suggested"),
        with(Code::BAD_DEPLOYMENT, "name"),
        bad_setup.because("setup").with("problem", too_short.code.as_str()),
        with(Code::BAD_DEPLOYMENT, "too_long"),
        with(Code::TOO_MANY, "deployments").with("count", 50_u8),
        Refusal::new(Code::NO_SUCH_DEPLOYMENT),
        with(Code::ACCOUNT_EXPECTED, "preferences"),
        Refusal::new(Code::BAD_PREFERENCES)
            .with("count", 32_u32)
            .with("name_max", 32_u32)
            .with("value_max", 64_u32),
        with(Code::ACCOUNT_EXPECTED, "webhooks"),
        with(Code::BAD_WEBHOOK, "form").with("max", 500_u32),
        with(Code::BAD_WEBHOOK, "not_encrypted"),
        with(Code::BAD_WEBHOOK, "private"),
        with(Code::NO_SUCH_WEBHOOK, "webhook"),
        with(Code::NO_SUCH_WEBHOOK, "feed"),
        with(Code::ACCOUNT_EXPECTED, "email"),
        Refusal::new(Code::MAIL_OFF),
        Refusal::new(Code::BAD_EMAIL).with("max", 254_u32),
        Refusal::new(Code::NO_SUCH_EMAIL),
        with(Code::TOO_MANY, "mails_of_account"),
        with(Code::TOO_MANY, "mails_to_address"),
        with(Code::TOO_MANY, "webhook_test"),
        with(Code::TOO_MANY, "webhook_busy"),
    ];
    let requests =
        TooMany { limit: Limit::Requests, scope: Scope::Address, wait: std::time::Duration::from_secs(3) };
    let api = [
        ApiError::NoSuchPath,
        ApiError::MethodNotAllowed,
        ApiError::Unauthorized,
        ApiError::TokenExpected,
        ApiError::BadBody,
        UpgradeRefusal::ForeignOrigin.into(),
        UpgradeRefusal::NotAsked.into(),
        ApiError::BadQuery("record"),
        ApiError::BadQuery("list"),
        ApiError::BadQuery("page"),
        ApiError::BadQuery("games"),
        ApiError::BadQuery("suggested"),
        RecordError::NotOpened(NotOpened).into(),
        ApiError::NoSuchRuleset,
        ApiError::NoSuchSpeed,
        ApiError::NotRated,
        ApiError::BodyTooLarge,
        ApiError::HostExpected,
        ApiError::ForeignPage,
        requests.into(),
        ApiError::TimedOut,
        UpgradeRefusal::NoClient.into(),
    ];
    let tables = [
        TableError::NotFound,
        TableError::Quarantined,
        TableError::TooNew,
        TableError::Unavailable,
        TableError::Failed,
    ];
    let services = players.into_iter().chain(lobby).chain(others);
    let mut all: Vec<ApiError> = services.map(ApiError::Refused).collect();
    all.extend(tables.into_iter().map(ApiError::from));
    all.extend(api);
    all
}

/// Returns the refusals of the server. [`of_the_rules`] returns those of the game rules.
fn of_the_server() -> Vec<Refusal> {
    let creations = [
        CreateError::Unavailable,
        CreateError::TooManyGames(20),
        CreateError::NoMemory,
        CreateError::ServerFull(100_000),
        CreateError::Stopping,
        CreateError::NoSuchRuleset,
        CreateError::NoChance,
    ];
    let reports = [
        with(Code::BAD_TEXT, "report").with("max", 300_u32),
        with(Code::HOUSE_PLAYER, "report"),
        Refusal::new(Code::REPORTED_BEFORE),
        with(Code::TOO_MANY, "reports").with("count", 10_u8),
    ];
    let games = [
        with(Code::TOO_MANY, "rematch"),
        with(Code::TOO_MANY, "spectators"),
        with(Code::TOO_MANY, "commands"),
        with(Code::STOPPING, "pausing"),
    ];
    let mut all: Vec<Refusal> = errors().iter().map(Refusal::from).collect();
    all.extend(reports);
    all.extend(games);
    all.push(Refusal::from(&PlayerError::UnknownToken));
    all.push(Refusal::new(Code::SIGN_IN_EXPECTED));
    all.push(Refusal::new(Code::WATCH_ONLY));
    all.extend(creations.iter().map(Refusal::from));
    all
}

/// Returns the refusals of the game rules that have arguments or reasons, and some that have only
/// a code.
fn of_the_rules() -> Vec<Refusal> {
    let square = Square::from_index(0).expect("a corner");
    let refusals = [
        RuleRefusal::Setup(SetupRefusal::TooShort { have: 3, want: 40 }),
        RuleRefusal::Setup(SetupRefusal::TooLong { have: 41, want: 40 }),
        RuleRefusal::Setup(SetupRefusal::UnknownLetter { letter: 'X' }),
        RuleRefusal::Setup(SetupRefusal::Outside { square }),
        RuleRefusal::Setup(SetupRefusal::Double { square }),
        RuleRefusal::Setup(SetupRefusal::Empty { square }),
        RuleRefusal::Setup(SetupRefusal::WrongCount { rank: Rank::Bomb, have: 5, want: 6 }),
        RuleRefusal::Setup(SetupRefusal::TooMany { rank: Rank::Spy, have: 2, most: 1 }),
        RuleRefusal::Blocked,
        RuleRefusal::NotInPool,
        RuleRefusal::NotDeploying,
        RuleRefusal::DeploymentFinal,
        RuleRefusal::NotPlaying,
        RuleRefusal::GameOver,
        RuleRefusal::Paused,
        RuleRefusal::NotYourTurn,
        RuleRefusal::StalePly { named: 3, current: 4 },
        RuleRefusal::OutOfTime,
        RuleRefusal::NotYourPiece,
        RuleRefusal::TwoSquares,
        RuleRefusal::DrawAlreadyOffered,
        RuleRefusal::DrawOfferedRecently { plies_left: 7 },
        RuleRefusal::NoDrawOffer,
        RuleRefusal::TooLateToAbort,
        RuleRefusal::OpponentPresent,
        RuleRefusal::ClaimTooEarly { seconds_left: 42 },
        RuleRefusal::NoClaims,
    ];
    refusals.iter().map(Refusal::from).collect()
}

#[test]
fn every_refusal_has_a_text_with_all_its_arguments_and_is_documented() {
    for refusal in of_the_server().into_iter().chain(of_the_rules()) {
        assert!(english().try_refusal(&refusal).is_some(), "shared/words has no text for {refusal}");
        let row = format!("`{}`", refusal.code);
        assert!(PAGES.contains(&row), "docs/protocol does not name {row}");
        if let Some(reason) = refusal.reason() {
            let id = flagfall_words::refusal_id(refusal.code.as_str());
            let reasons = &TEXTS[&id].choices.iter().find(|(name, _)| name == "reason").expect(&id).1;
            assert!(reasons.iter().any(|known| known == reason), "the text of {refusal} has no such reason");
        }
    }
}

/// Returns the codes with reasons in a source file, each with its reason.
fn pairs_in(source: &str) -> impl Iterator<Item = (&str, &str)> {
    source.split("Refusal::new(Code::").skip(1).filter_map(|rest| {
        let (code, rest) = rest.split_once(')')?;
        let (reason, _) = rest.trim_start().strip_prefix(".because(\"")?.split_once('"')?;
        Some((code, reason))
    })
}

#[test]
fn every_reason_in_the_sources_is_among_these_refusals() {
    let refusals = of_the_server();
    let is_listed = |code: &str, reason: &str| {
        refusals.iter().any(|known| known.code.as_str() == code && known.reason() == Some(reason))
    };
    let mut missing = Vec::new();
    let mut found = 0;
    for folder in ["base", "game", "services"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("src");
        for (path, source) in product_sources(&folder) {
            for (name, reason) in pairs_in(&source) {
                found += 1;
                // The lowercase name of a constant is its code.
                if !is_listed(&name.to_lowercase(), reason) {
                    missing.push(format!("{}: {name} {reason}", path.display()));
                }
            }
        }
    }
    assert!(found > 20, "the sources have {found} such pairs");
    assert!(missing.is_empty(), "not among the refusals that are tried here: {missing:#?}");
}

#[test]
fn every_code_of_the_protocol_is_refused_with_and_documented() {
    let source = include_str!("../../shared/protocol/src/code.rs");
    let codes: Vec<&str> =
        source.split("&'static str = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(codes.len() > 40, "the source has the codes");
    let texts = texts();
    let missing: Vec<&&str> =
        codes.iter().filter(|code| !texts.contains_key(**code) && !ELSEWHERE.contains(code)).collect();
    assert!(missing.is_empty(), "no refusal here has these codes: {missing:?}");
    for code in codes {
        assert!(PAGES.contains(&format!("`{code}`")), "docs/protocol does not name {code}");
    }
}

fn texts() -> BTreeMap<String, Vec<String>> {
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    for refusal in of_the_server().into_iter().chain(of_the_rules()) {
        texts.entry(refusal.code.to_string()).or_default().push(english().refusal(&refusal));
    }
    texts
}

#[test]
fn every_refusal_reads_as_a_sentence_for_a_person() {
    for (code, text) in texts().iter().flat_map(|(code, texts)| texts.iter().map(move |text| (code, text))) {
        let letters = text.chars().count();
        assert!((10..=330).contains(&letters), "{code}: {letters} letters: {text}");
        assert!(text.split_whitespace().count() >= 3, "{code}: {text}");
        // The server's messages must not name a client's command or flag, because other clients
        // may not have it.
        let names_command = ["flagfall ", "--"].iter().any(|sign| text.contains(sign));
        assert!(!names_command, "{code} names a command of a client: {text}");
        // The text must not contain debug output, or a code where a word belongs.
        for scrap in ["::", "Err(", "Some(", "None", "{", "}", "\n", "error:"] {
            assert!(!text.contains(scrap), "{code} has {scrap:?}: {text}");
        }
        assert!(!code.contains('_') || !text.contains(code), "{code} is no word: {text}");
        assert!(text.ends_with('.'), "{code}: {text}");
    }
}

#[test]
fn the_refusals_people_meet_most_say_what_to_do() {
    let texts = texts();
    for (code, help) in [
        ("wrong_password", "With the recovery code you can set a new password"),
        ("wrong_recovery_code", "Check both"),
        ("name_taken", "Choose another one"),
        ("bad_name", "Choose another one"),
        ("bad_password", "8 to "),
        ("too_many_attempts", "Try again in 90 seconds"),
        ("account_closed", "Write to them"),
        ("bad_token", "mistyped or revoked"),
        ("account_expected", "Sign up first"),
        ("left_games", "After 120 seconds"),
        ("outside_rating_range", "1400 to 1600 in such games. Your rating is 1700. Take another offer"),
        ("not_rated", "Choose a time"),
        ("not_your_turn", "your turn"),
        ("claim_too_early", "in 42 seconds"),
        ("opponent_present", "gone for a while"),
        ("draw_offered_recently", "after 7 more plies"),
        ("too_late_to_abort", "Resign instead"),
        ("stopping", "no new games"),
        ("server_full", "Try again in a few minutes"),
        ("stale_epoch", "Look at the game, then try again"),
        ("store_unavailable", "Try again in a moment"),
    ] {
        let is_said = texts[code].iter().any(|text| text.contains(help));
        assert!(is_said, "{code} does not say {help:?}: {:?}", texts[code]);
    }
}
