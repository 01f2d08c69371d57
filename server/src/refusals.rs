//! Checks every refusal: it has a stable code that docs/protocol/messages.md names, and text that
//! helps people.

use std::collections::BTreeMap;

use flagfall_protocol::{Code, NotOpened, RatingRange};
use flagfall_rules::{Refusal, SetupRefusal};

use crate::api::ws::ChatRefusal;
use flagfall_base::admission::{Limit, Scope, TooMany};
use flagfall_base::random::ChanceError;
use flagfall_game::{CreateError, StaleEpoch, TableError};
use flagfall_services::blocks::BlockRefusal;
use flagfall_services::deployments::DeploymentError;
use flagfall_services::lobby::{BadRange, LobbyRefusal, check_rated, check_terms};
use flagfall_services::notices::{TargetError, WebhookError};
use flagfall_services::players::{NameError, PasswordError, PlayerError};
use flagfall_services::ratings::Unrated;
use flagfall_services::reports::ReportRefusal;
use flagfall_services::turns::QueueError;

const DOCUMENT: &str = include_str!("../../docs/protocol/messages.md");

/// Codes whose texts are tested where they are used.
const ELSEWHERE: &[&str] = &[
    Code::MALFORMED,
    Code::HELLO_EXPECTED,
    Code::PROTOCOL_VERSION,
    Code::SUPERSEDED,
    Code::NOT_OVER,
    Code::NO_SUCH_SPEED,
];

/// Codes and texts of the server's own refusals, without the rules of the game.
fn of_the_server() -> Vec<(String, String)> {
    let players = [
        PlayerError::Name(NameError::Character),
        PlayerError::NameTaken,
        PlayerError::AccountNameTaken,
        PlayerError::UnknownToken,
        PlayerError::TooManyGuests,
        PlayerError::Password(PasswordError::Length),
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
    ];
    let reports = [
        ReportRefusal::BadReason,
        ReportRefusal::HousePlayer,
        ReportRefusal::ReportedBefore,
        ReportRefusal::TooMany,
        ReportRefusal::Store,
    ];
    let blocks = [BlockRefusal::Yourself, BlockRefusal::TooMany, BlockRefusal::Conflict, BlockRefusal::Store];
    let chat = [
        ChatRefusal::NotYourGame,
        ChatRefusal::HousePlayer,
        ChatRefusal::BadText,
        ChatRefusal::TooFast,
        ChatRefusal::Blocked,
        ChatRefusal::Store,
    ];
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
    ];
    let tables = [TableError::NotFound, TableError::Quarantined, TableError::Unavailable, TableError::Failed];
    let creations = [
        CreateError::Unavailable,
        CreateError::TooManyGames(20),
        CreateError::NoMemory,
        CreateError::ServerFull(100_000),
        CreateError::Stopping,
    ];
    let pair = |code: &str, words: String| (code.to_owned(), words);
    players
        .iter()
        .map(|error| pair(error.code(), error.to_string()))
        .chain(lobby.iter().map(|refusal| pair(refusal.code(), refusal.to_string())))
        .chain(reports.iter().map(|refusal| pair(refusal.code(), refusal.to_string())))
        .chain(blocks.iter().map(|refusal| pair(refusal.code(), refusal.to_string())))
        .chain(chat.iter().map(|refusal| pair(refusal.code().as_str(), refusal.to_string())))
        .chain(queues.iter().map(|error| pair(error.code(), error.to_string())))
        .chain(deployments.iter().map(|error| pair(error.code(), error.to_string())))
        .chain(webhooks.iter().map(|error| pair(error.code(), error.to_string())))
        .chain(tables.iter().map(|error| pair(Code::from(error).as_str(), error.to_string())))
        .chain(creations.iter().map(|error| pair(Code::from(error).as_str(), error.to_string())))
        .chain([pair(Code::RECORD_NOT_OPENED, NotOpened.to_string())])
        .collect()
}

/// Codes and texts of the rules' refusals that a player on the server can get.
fn of_the_rules() -> Vec<(String, String)> {
    let refusals = [
        Refusal::Setup(SetupRefusal::TooShort { have: 3, want: 40 }),
        Refusal::NotDeploying,
        Refusal::DeploymentFinal,
        Refusal::NotPlaying,
        Refusal::GameOver,
        Refusal::Paused,
        Refusal::NotYourTurn,
        Refusal::StalePly { named: 3, current: 4 },
        Refusal::OutOfTime,
        Refusal::NotYourPiece,
        Refusal::TwoSquares,
        Refusal::DrawAlreadyOffered,
        Refusal::DrawOfferedRecently { plies_left: 7 },
        Refusal::NoDrawOffer,
        Refusal::TooLateToAbort,
        Refusal::OpponentPresent,
        Refusal::ClaimTooEarly { seconds_left: 42 },
        Refusal::NoClaims,
    ];
    refusals.iter().map(|refusal| (refusal.code().to_owned(), refusal.to_string())).collect()
}

#[test]
fn every_code_of_the_protocol_has_words_and_is_documented() {
    let source = include_str!("../../shared/protocol/src/code.rs");
    let codes: Vec<&str> =
        source.split("&'static str = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(codes.len() > 40, "the source has the codes");
    let said: BTreeMap<String, String> = of_the_server().into_iter().chain(of_the_rules()).collect();
    let missing: Vec<&&str> =
        codes.iter().filter(|code| !said.contains_key(**code) && !ELSEWHERE.contains(code)).collect();
    assert!(missing.is_empty(), "no refusal here has these codes: {missing:?}");
    for code in codes.iter().copied().chain(said.keys().map(String::as_str)) {
        assert!(DOCUMENT.contains(&format!("`{code}`")), "docs/protocol/messages.md does not name {code}");
    }
}

#[test]
fn every_refusal_reads_as_a_sentence_for_a_person() {
    for (code, words) in of_the_server().into_iter().chain(of_the_rules()) {
        let letters = words.chars().count();
        assert!((10..=330).contains(&letters), "{code}: {letters} letters: {words}");
        assert!(words.split_whitespace().count() >= 3, "{code}: {words}");
        // Advice that names a command or flag belongs to the client that has it.
        let names_command = ["flagfall ", "--"].iter().any(|sign| words.contains(sign));
        assert!(!names_command, "{code} names a command of a client: {words}");
        // Debug output, or a code in place of a word.
        for scrap in ["::", "Err(", "Some(", "None", "{", "}", "\n", "error:"] {
            assert!(!words.contains(scrap), "{code} has {scrap:?}: {words}");
        }
        assert!(!code.contains('_') || !words.contains(&code), "{code} is no word: {words}");
        let last = words.chars().last();
        assert!(last.is_some_and(|last| last.is_alphanumeric() || ")`".contains(last)), "{code}: {words}");
    }
}

#[test]
fn the_refusals_people_meet_most_say_what_to_do() {
    let said: BTreeMap<String, String> = of_the_server().into_iter().chain(of_the_rules()).collect();
    for (code, help) in [
        ("wrong_password", "With the recovery code you can set a new password"),
        ("wrong_recovery_code", "check both"),
        ("name_taken", "choose another one"),
        ("bad_name", "choose another one"),
        ("bad_password", "8"),
        ("too_many_attempts", "try again in 90 seconds"),
        ("account_closed", "Write to them"),
        ("bad_token", "mistyped or revoked"),
        ("account_expected", "sign up first"),
        ("left_games", "in 120 seconds"),
        ("outside_rating_range", "1400 to 1600 in such games; your rating is 1700: take another one"),
        ("not_rated", "choose a time"),
        ("not_your_turn", "your turn"),
        ("claim_too_early", "in 42 seconds"),
        ("opponent_present", "gone for a while"),
        ("draw_offered_recently", "after 7 more plies"),
        ("too_late_to_abort", "resign instead"),
        ("stopping", "no new games"),
        ("server_full", "Try again in a few minutes"),
        ("stale_epoch", "look at the game, then ask again"),
        ("store_unavailable", "try again in a moment"),
    ] {
        assert!(said[code].contains(help), "{code} does not say {help:?}: {}", said[code]);
    }
}
