//! Checks every refusal: it has a stable code that docs/protocol/messages.md names, and a text with
//! all its arguments.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use flagfall_board::{Rank, Square};
use flagfall_protocol::{Code, NotOpened, RatingRange, Refusal};
use flagfall_rules::{Refusal as RuleRefusal, SetupRefusal};
use flagfall_tests::{Needs, all_texts};
use flagfall_words::english;

use crate::api::http::ApiError;
use crate::api::ws::UpgradeRefusal;
use flagfall_base::admission::{Limit, Scope, TooMany};
use flagfall_base::random::ChanceError;
use flagfall_game::{CreateError, RecordError, StaleEpoch, TableError};
use flagfall_services::blocks::BlockRefusal;
use flagfall_services::deployments::DeploymentError;
use flagfall_services::lobby::{BadRange, LobbyRefusal, check_rated, check_terms};
use flagfall_services::notices::{TargetError, WebhookError};
use flagfall_services::players::{NameError, PasswordError, PlayerError};
use flagfall_services::ratings::Unrated;
use flagfall_services::reports::ReportRefusal;
use flagfall_services::turns::QueueError;

/// The pages that list the codes.
const PAGES: &str =
    concat!(include_str!("../../docs/protocol/messages.md"), include_str!("../../docs/protocol/http.md"));

/// Codes that the parts of the server make where they refuse, without a value of their own. Their
/// texts are made in the tests of these parts.
const ELSEWHERE: &[&str] =
    &[Code::HELLO_EXPECTED, Code::PROTOCOL_VERSION, Code::SUPERSEDED, Code::NOT_OVER, Code::NOT_YOUR_GAME];

static TEXTS: LazyLock<BTreeMap<String, Needs>> = LazyLock::new(|| all_texts(flagfall_words::ENGLISH));

/// The errors of the HTTP API, each with arguments that a player may meet.
pub(crate) fn errors() -> Vec<ApiError> {
    let players = [
        PlayerError::Name(NameError::Character),
        PlayerError::Name(NameError::Length),
        PlayerError::NameTaken,
        PlayerError::AccountNameTaken,
        PlayerError::UnknownToken,
        PlayerError::TooManyGuests,
        PlayerError::Password(PasswordError::Length),
        PlayerError::Password(PasswordError::HasName),
        PlayerError::Password(PasswordError::TooCommon),
        PlayerError::WrongPassword,
        PlayerError::WrongRecoveryCode,
        PlayerError::Closed,
        PlayerError::TooManyAttempts(90),
        PlayerError::Busy,
        PlayerError::TooMany(TooMany {
            limit: Limit::Hellos,
            scope: Scope::Player,
            wait: std::time::Duration::from_secs(1),
        }),
        PlayerError::AlreadyAccount,
        PlayerError::AccountExpected,
        PlayerError::ScopeMissing,
        PlayerError::NoSuchToken,
        PlayerError::TooManyTokens(16),
        PlayerError::BadTokenName,
        PlayerError::BotScope,
        PlayerError::NoSuchPlayer,
        PlayerError::GamesRunning,
        PlayerError::Store,
        PlayerError::Damaged,
        PlayerError::Chance(ChanceError),
    ];
    let too_many =
        TooMany { limit: Limit::Guests, scope: Scope::Address, wait: std::time::Duration::from_secs(90) };
    let terms = |text: &str| serde_json::from_str(text).unwrap();
    let unknown = check_terms(&terms(r#"{"ruleset":"chess","time":{"kind":"unlimited"}}"#)).unwrap_err();
    let change =
        check_terms(&terms(r#"{"ruleset":"course,ties=attacker","time":{"kind":"unlimited"}}"#)).unwrap_err();
    let kinds = [flagfall_protocol::PlayerKind::Guest; 2];
    let rated = terms(r#"{"ruleset":"classic","time":{"kind":"unlimited"},"rated":true}"#);
    let range = RatingRange { min: Some(1_400), max: Some(1_600) };
    let lobby = [
        unknown,
        change,
        check_rated(&rated, kinds).unwrap_err(),
        LobbyRefusal::NotRated(Unrated::CustomRules),
        LobbyRefusal::NotRated(Unrated::HousePlayer),
        LobbyRefusal::NotRated(Unrated::BotsAndPeople),
        LobbyRefusal::NotRated(Unrated::Guest),
        LobbyRefusal::NotRated(Unrated::NoClock),
        LobbyRefusal::BadTime,
        LobbyRefusal::LeftGames { left_games: 2, wait_s: 120 },
        LobbyRefusal::BadRange(BadRange::NoRatings),
        LobbyRefusal::BadRange(BadRange::Guest),
        LobbyRefusal::BadRange(BadRange::Bounds),
        LobbyRefusal::OutsideRange { range, own: None, is_apart: true },
        LobbyRefusal::OutsideRange { range, own: None, is_apart: false },
        LobbyRefusal::OutsideRange { range, own: Some(1_700), is_apart: false },
        LobbyRefusal::Blocked,
        LobbyRefusal::NotInPool,
        LobbyRefusal::AlreadyPaired(flagfall_board::GameId::from_random([1; 12])),
        LobbyRefusal::BeingPaired,
        LobbyRefusal::NoSuchBot,
        LobbyRefusal::NoSuchSeek,
        LobbyRefusal::NoSuchChallenge,
        LobbyRefusal::OwnOffer,
        LobbyRefusal::TooManySeeks(3),
        LobbyRefusal::LobbyFull,
        LobbyRefusal::TooManyChallenges(3),
        LobbyRefusal::TooManyGames(20),
        LobbyRefusal::TooMany(too_many),
        LobbyRefusal::OpponentBusy,
        LobbyRefusal::CommandIdReused,
        LobbyRefusal::Stopping,
        LobbyRefusal::Store,
        LobbyRefusal::Internal,
    ];
    let blocks = [BlockRefusal::Yourself, BlockRefusal::TooMany, BlockRefusal::Conflict, BlockRefusal::Store];
    let queues = [
        QueueError::NotQueued,
        QueueError::OwnTurn,
        QueueError::Stale(4),
        QueueError::StaleEpoch(StaleEpoch),
        QueueError::BadQueue,
        QueueError::Store,
    ];
    let deployments = [
        DeploymentError::AccountExpected,
        DeploymentError::NoSuchRuleset,
        DeploymentError::BadName,
        DeploymentError::BadSetup(SetupRefusal::TooShort { have: 3, want: 40 }),
        DeploymentError::TooLong,
        DeploymentError::TooMany,
        DeploymentError::NotFound,
        DeploymentError::Store,
    ];
    let webhooks = [
        WebhookError::AccountExpected,
        WebhookError::Target(TargetError::Malformed),
        WebhookError::Target(TargetError::NotEncrypted),
        WebhookError::Target(TargetError::Private),
        WebhookError::NotFound,
        WebhookError::NoSuchFeed,
        WebhookError::TooOften,
        WebhookError::Busy,
        WebhookError::Store,
        WebhookError::Chance,
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
        RecordError::NotOpened(NotOpened).into(),
        ApiError::NoSuchRuleset,
        ApiError::NoSuchSpeed,
        ApiError::NotRated,
        ApiError::BodyTooLarge,
        ApiError::HostExpected,
        requests.into(),
        ApiError::TimedOut,
        UpgradeRefusal::NoClient.into(),
    ];
    let tables = [TableError::NotFound, TableError::Quarantined, TableError::Unavailable, TableError::Failed];
    let mut all: Vec<ApiError> = players.into_iter().map(ApiError::from).collect();
    all.extend(lobby.into_iter().map(ApiError::from));
    all.extend(blocks.into_iter().map(ApiError::from));
    all.extend(queues.into_iter().map(ApiError::from));
    all.extend(deployments.into_iter().map(ApiError::from));
    all.extend(webhooks.into_iter().map(ApiError::from));
    all.extend(tables.into_iter().map(ApiError::from));
    all.extend(api);
    all
}

/// The server's own refusals, without those of the rules.
fn of_the_server() -> Vec<Refusal> {
    let reports = [
        ReportRefusal::BadReason,
        ReportRefusal::HousePlayer,
        ReportRefusal::ReportedBefore,
        ReportRefusal::TooMany,
        ReportRefusal::Store,
    ];
    let creations = [
        CreateError::Unavailable,
        CreateError::TooManyGames(20),
        CreateError::NoMemory,
        CreateError::ServerFull(100_000),
        CreateError::Stopping,
        CreateError::NoSuchRuleset,
        CreateError::NoChance,
    ];
    let mut all: Vec<Refusal> = errors().iter().map(Refusal::from).collect();
    all.push(Refusal::from(&PlayerError::UnknownToken));
    all.extend(reports.iter().map(Refusal::from));
    all.extend(creations.iter().map(Refusal::from));
    all
}

/// The rules' refusals that have arguments or reasons, and some that are their code alone.
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
        // Advice that names a command or flag belongs to the client that has it.
        let names_command = ["flagfall ", "--"].iter().any(|sign| text.contains(sign));
        assert!(!names_command, "{code} names a command of a client: {text}");
        // Debug output, or a code in place of a word.
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
        ("left_games", "in 120 seconds"),
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
