//! Checks the deployment given on the command line, before the client offers a game.

use std::collections::BTreeMap;

use flagfall_protocol::{SavedDeployment, Speed};
use flagfall_rules::{Ruleset, Start};

use crate::deployments::text::places;
use crate::model::{Goal, How, Model, SetupChoice, Wish};
use crate::{names, text, texts};

/// The texts of saved deployments, by ruleset and name.
type Saved = BTreeMap<String, BTreeMap<String, String>>;

/// Why a word is not a usable deployment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupProblem {
    #[error("{}", text!("setup-none", ruleset = *.0))]
    NoDeployments(&'static str),
    /// The word may be a name, but no deployment has that name.
    #[error("{0}")]
    Unknown(String),
    /// The word is a deployment text, but not a valid one.
    #[error("{}", text!("setup-bad", ruleset = *.0, why = .1))]
    Bad(&'static str, String),
}

/// Returns the text of a deployment. `word` is the text itself, or the name of a saved
/// deployment.
pub fn resolve(word: &str, ruleset: &'static Ruleset, saved: &Saved) -> Result<String, SetupProblem> {
    let base = ruleset.unchanged();
    if ruleset.start == Start::Coins {
        return Err(SetupProblem::NoDeployments(base.id));
    }
    let bad = |refusal: flagfall_rules::SetupRefusal| SetupProblem::Bad(base.id, texts::refusal(&refusal));
    if let Some(text) = saved.get(base.id).and_then(|by_name| by_name.get(word)) {
        return places(text, ruleset).map(|_| text.clone()).map_err(bad);
    }
    match places(word, ruleset) {
        Ok(_) => Ok(word.to_owned()),
        Err(_) if SavedDeployment::is_name(word) => Err(unknown(word, base.id, saved)),
        Err(refusal) => Err(bad(refusal)),
    }
}

fn unknown(name: &str, ruleset: &str, saved: &Saved) -> SetupProblem {
    let elsewhere = saved.iter().find(|(_, by_name)| by_name.contains_key(name)).map(|(other, _)| other);
    let own = saved.get(ruleset).into_iter().flatten().map(|(name, _)| name.as_str());
    let known = own.chain(["random", "suggested"]);
    SetupProblem::Unknown(match (elsewhere, names::closest(name, known)) {
        (Some(other), _) => text!("setup-elsewhere", name, ruleset, other),
        (None, Some(meant)) => text!("setup-meant", name, ruleset, meant),
        (None, None) => text!("setup-unknown", name, ruleset),
    })
}

/// Checks the requested game and deployment, as far as this is possible without a server.
///
/// If a deployment is requested, sets the ruleset of the request to the one for which the
/// deployment was checked. The error is a message for the user.
pub fn check_wish(model: &mut Model, is_account: bool) -> Result<(), String> {
    let server = model.options.server_flag();
    let Goal::Play(wish) = &mut model.goal else { return Ok(()) };
    check_rated(wish, is_account, &server)?;
    if matches!(wish.how, How::Accept(_) | How::Game(_)) {
        // The ruleset is not known yet, so check the deployment later, when the server has sent
        // the terms.
        return Ok(());
    }
    let terms = wish.terms();
    let Some(ruleset) = Ruleset::find(&terms.ruleset) else { return Ok(()) };
    match &wish.setup {
        None => return Ok(()),
        Some(_) if ruleset.start == Start::Coins => {
            return Err(SetupProblem::NoDeployments(ruleset.id).to_string());
        }
        Some(SetupChoice::Random | SetupChoice::Suggested) => return Ok(()),
        Some(SetupChoice::Text(word)) => match resolve(word, ruleset, &model.deployments.saved) {
            Ok(text) => wish.setup = Some(SetupChoice::Text(text)),
            // The deployment may be saved in the account. The client checks that before it offers
            // a game.
            Err(SetupProblem::Unknown(_)) if is_account => {}
            Err(problem) => return Err(problem.to_string()),
        },
    }
    wish.ruleset = Some(terms.ruleset);
    Ok(())
}

fn check_rated(wish: &Wish, is_account: bool, server: &str) -> Result<(), String> {
    let terms = wish.terms();
    if !wish.rated {
        Ok(())
    } else if !is_account {
        Err(text!("rated-guest", server))
    } else if terms.ruleset.contains(',') {
        Err(text!("rated-custom"))
    } else if Speed::of(terms.time).is_none() {
        Err(text!("rated-no-clock"))
    } else {
        Ok(())
    }
}

/// Checks the requested deployment against the ruleset of a game that is about to start. The
/// error is a message for the user.
pub fn check_for(model: &Model, ruleset: &str) -> Result<(), String> {
    let setup = model.wish().and_then(|wish| wish.setup.as_ref());
    let (Some(setup), Some(ruleset)) = (setup, Ruleset::find(ruleset)) else { return Ok(()) };
    match setup {
        SetupChoice::Text(word) => {
            resolve(word, ruleset, &model.deployments.saved).map(drop).map_err(|problem| problem.to_string())
        }
        SetupChoice::Random | SetupChoice::Suggested if ruleset.start == Start::Coins => {
            Err(SetupProblem::NoDeployments(ruleset.id).to_string())
        }
        SetupChoice::Random | SetupChoice::Suggested => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::Chance;

    use super::*;
    use crate::fixtures::options;
    use crate::random::Random;

    const CORNER: &str = ".9..1..... ..2......9 ..S.....8. ........FB";

    fn checked(wish: Wish, is_account: bool) -> Result<Wish, String> {
        let mut model = Model::new(options(), Goal::Play(wish), Random::Seeded(Chance::new(1)));
        let corner = BTreeMap::from([("corner".to_owned(), CORNER.to_owned())]);
        model.deployments.saved.insert("barrage".to_owned(), corner);
        check_wish(&mut model, is_account)?;
        Ok(model.wish().cloned().unwrap_or_default())
    }

    fn wish(ruleset: Option<&str>, setup: &str) -> Wish {
        let setup = Some(SetupChoice::Text(setup.to_owned()));
        Wish { ruleset: ruleset.map(str::to_owned), setup, ..Wish::default() }
    }

    #[test]
    fn a_deployment_that_is_none_is_refused_before_anything_is_connected() {
        for (ruleset, setup, words) in [
            (Some("barrage"), "TYPO", "No deployment \"TYPO\" is saved for barrage"),
            (Some("barrage"), "cornr", "Did you mean `corner`?"),
            (Some("barrage"), "sugested", "Did you mean `suggested`?"),
            (None, "corner", "add --rules barrage"),
            (Some("barrage"), ".9..1..... ..2......9 ..S.....8. ........FB 9", "41 characters instead of 40"),
            (Some("barrage"), "..........", "10 characters instead of 40"),
            (Some("quantum"), "corner", "played without deployments"),
        ] {
            let refusal = checked(wish(ruleset, setup), false).expect_err(setup);
            assert!(refusal.contains(words), "{setup}: {refusal}");
        }
    }

    #[test]
    fn a_named_deployment_is_resolved_and_ties_the_wish_to_its_ruleset() {
        let found = checked(wish(Some("barrage"), "corner"), false).expect("a deployment");
        assert_eq!(found.setup, Some(SetupChoice::Text(CORNER.to_owned())));
        let text = "9629519469 457S379695 698374B8B9 78B8B58BFB";
        assert_eq!(checked(wish(None, text), false).expect("a text").ruleset.as_deref(), Some("classic"));
        // The deployment may be saved in the account. The client checks that before it offers a
        // game.
        let open = checked(wish(Some("barrage"), "elsewhere"), true).expect("to be looked up");
        assert_eq!(open.setup, Some(SetupChoice::Text("elsewhere".to_owned())));
    }

    #[test]
    fn unratable_terms_are_refused_before_connecting() {
        let rated = Wish { rated: true, ..Wish::default() };
        assert!(checked(rated.clone(), true).is_ok());
        assert!(checked(rated.clone(), false).expect_err("a guest").contains("flagfall signup NAME"));
        let untimed = Wish { time: Some(flagfall_protocol::Time::Unlimited {}), ..rated.clone() };
        assert!(checked(untimed, true).is_err());
        let custom = Wish { ruleset: Some("classic,ties=attacker".to_owned()), ..rated };
        assert!(checked(custom, true).is_err());
    }
}
