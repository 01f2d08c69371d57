//! Tests of deployments that are named on the command line and must be loaded from the server.

use super::*;
use crate::model::SetupChoice;
use crate::request::Request;

const CORNER: &str = ".9..1..... ..2......9 ..S.....8. ........FB";

/// Returns the model of an online account that wants to play with this deployment, and the
/// effects of its welcome.
fn account(how: How, setup: &str) -> (Model, Vec<Effect>) {
    let setup = Some(SetupChoice::Text(setup.to_owned()));
    let wish = Wish { how, ruleset: Some("barrage".to_owned()), setup, ..Wish::default() };
    let mut model = Model::new(options(), Goal::Play(wish), Random::Seeded(Chance::new(1)));
    update(&mut model, Message::Started);
    update(&mut model, Message::Connected);
    let welcome = format!(
        r#"{{"type":"welcome","protocol":1,"server":"test","player":{{"id":"p1","name":"ann","kind":"account"}},"server_time":{START},"games":[]}}"#
    );
    let effects = received(&mut model, &welcome);
    (model, effects)
}

fn saved(model: &mut Model, answer: Result<&str, &str>) -> Vec<Effect> {
    let answer = answer.map(|body| body.as_bytes().to_vec()).map_err(str::to_owned);
    update(model, Message::Answered { request: Request::Deployments, answer })
}

fn kept(name: &str) -> String {
    format!(r#"{{"deployments":[{{"ruleset":"barrage","name":"{name}","setup":"{CORNER}"}}]}}"#)
}

#[test]
fn nothing_is_offered_before_the_named_deployment_is_found_with_the_account() {
    for how in [How::Any, How::Pool, How::Challenge, How::Bot("simple".to_owned())] {
        let (mut model, effects) = account(how.clone(), "corner");
        assert_eq!(effects, [Effect::Request(Request::Deployments)], "{how:?}");
        let effects = saved(&mut model, Ok(&kept("corner")));
        assert_eq!(sent(&effects).len(), 1, "{how:?}: {effects:?}");
        let (mut model, _) = account(how.clone(), "cornr");
        let effects = saved(&mut model, Ok(&kept("corner")));
        assert_eq!((exit_code(&effects), sent(&effects).len()), (Some(2), 0), "{how:?}: {effects:?}");
        assert!(model.last_words[0].contains("Did you mean `corner`?"), "{:?}", model.last_words);
        let (mut model, _) = account(how, "corner");
        let effects = saved(&mut model, Err("the server is busy"));
        assert_eq!((exit_code(&effects), sent(&effects).len()), (Some(2), 0), "{effects:?}");
    }
}

#[test]
fn a_challenge_is_not_accepted_with_a_deployment_of_other_rules() {
    let shown = format!(
        r#"{{"type":"challenge","challenge":"k7m2q9","challenger":{{"id":"p2","name":"bob","kind":"guest"}},"terms":{{"ruleset":"classic","time":{{"kind":"unlimited"}}}},"expires":{}}}"#,
        START + 1_000
    );
    let (mut model, _) = account(How::Accept("k7m2q9".to_owned()), CORNER);
    model.options.face = crate::model::Face::Script;
    let effects = saved(&mut model, Ok(&kept("other")));
    assert!(matches!(sent(&effects)[..], [ClientToServer::ShowChallenge { .. }]), "{effects:?}");
    let effects = received(&mut model, &shown);
    assert_eq!((exit_code(&effects), sent(&effects).len()), (Some(2), 0), "{effects:?}");
    let (mut model, _) = account(How::Accept("k7m2q9".to_owned()), "corner");
    model.options.face = crate::model::Face::Script;
    saved(&mut model, Ok(&kept("corner")));
    let barrage = shown.replace("classic", "barrage");
    let effects = received(&mut model, &barrage);
    assert!(matches!(sent(&effects)[..], [ClientToServer::AcceptChallenge { .. }]), "{effects:?}");
}
