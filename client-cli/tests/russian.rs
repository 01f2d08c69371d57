//! Checks that Russian texts fit where they are shown. All tests in this file use the Russian
//! texts, because a process can choose its language only once.

use flagfall::cli::help;
use flagfall::explain;
use flagfall::texts::choose_language;
use flagfall_board::Numbering;
use flagfall_rules::Ruleset;
use flagfall_words::Language;

#[test]
fn the_help_and_the_rulesets_fit_a_terminal() {
    choose_language(Language::Russian);
    let mut text = help::command().term_width(80).render_help().to_string() + &explain::list();
    for ruleset in Ruleset::all() {
        text += &explain::ruleset(ruleset, Numbering::Us);
    }
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    assert!(text.contains("Примеры:") && !text.contains("Exit codes"), "{text}");
}
