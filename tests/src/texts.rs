//! Reads which arguments the texts of Fluent files use, and formats all texts.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentArgs;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};
use fluent_syntax::parser;

/// What is needed to show a text: other texts, and arguments.
#[derive(Clone, Default, Debug)]
pub struct Needs {
    /// The arguments.
    pub arguments: BTreeSet<String>,
    /// The other texts that the text refers to.
    pub texts: BTreeSet<String>,
    /// The text's attributes.
    pub attributes: BTreeSet<String>,
    /// The arguments that choose between variants, with the keys of the variants.
    pub choices: Vec<(String, Vec<String>)>,
}

/// Returns the texts of a file by their ids, with the other texts and arguments that each of them
/// needs.
///
/// # Panics
/// If the file is not Fluent, or an id appears twice.
fn texts(file: &str) -> BTreeMap<String, Needs> {
    let resource = parser::parse(file).unwrap_or_else(|(_, errors)| panic!("not Fluent: {errors:?}"));
    let mut texts = BTreeMap::new();
    for entry in &resource.body {
        let (id, pattern, attributes) = match entry {
            Entry::Message(message) => {
                (message.id.name.to_owned(), message.value.as_ref(), &message.attributes)
            }
            Entry::Term(term) => (format!("-{}", term.id.name), Some(&term.value), &term.attributes),
            _ => continue,
        };
        let mut needs = Needs::default();
        pattern.into_iter().for_each(|pattern| read_pattern(pattern, &mut needs));
        for attribute in attributes {
            needs.attributes.insert(attribute.id.name.to_owned());
            read_pattern(&attribute.value, &mut needs);
        }
        assert!(texts.insert(id.clone(), needs).is_none(), "{id} appears twice");
    }
    texts
}

/// Returns the texts of several files, each with everything that it needs directly or
/// through other texts.
///
/// # Panics
/// If an id appears twice, or a text refers to a missing text.
pub fn all_texts(files: &[&str]) -> BTreeMap<String, Needs> {
    let mut all = BTreeMap::new();
    for file in files {
        for (id, needs) in texts(file) {
            assert!(all.insert(id.clone(), needs).is_none(), "{id} appears twice");
        }
    }
    all.keys().map(|id| (id.clone(), full_needs(&all, id))).collect()
}

/// Checks that each file of a translation has the same texts as the English file at the same
/// place. The two texts of an id must also have the same arguments and attributes.
///
/// `shared` contains English files and their translations, to which these texts may refer.
///
/// # Panics If a text is missing, superfluous or different, or a variant is for a value that the
/// English text does not have.
pub fn check_translation(english: &[&str], translated: &[&str], shared: [&[&str]; 2]) {
    assert_eq!(english.len(), translated.len(), "the number of files");
    for (english, translated) in english.iter().zip(translated) {
        let ids = |file| texts(file).into_keys().collect::<Vec<_>>();
        assert_eq!(ids(english), ids(translated));
    }
    let [known, others] =
        [[english, shared[0]], [translated, shared[1]]].map(|files| all_texts(&files.concat()));
    for (id, needs) in &known {
        let other = &others[id];
        assert_eq!(needs.arguments, other.arguments, "the arguments of {id}");
        assert_eq!(needs.attributes, other.attributes, "the attributes of {id}");
        let keys = |needs: &Needs, chooser: &str| -> BTreeSet<String> {
            let choices = needs.choices.iter().filter(|(name, _)| name == chooser);
            choices.flat_map(|(_, keys)| keys.clone()).collect()
        };
        // A translation may use additional arguments to choose a variant, for example a side for
        // the grammatical case.
        for (chooser, _) in needs.choices.iter().filter(|(chooser, _)| chooser != "side") {
            let mut more = keys(other, chooser);
            more.retain(|key| !PLURALS.contains(&key.as_str()) && key.parse::<u32>().is_err());
            let english = keys(needs, chooser);
            assert!(more.is_subset(&english), "the variants of {id}: {more:?}, not {english:?}");
        }
    }
}

/// The variant keys that depend on a number.
const PLURALS: [&str; 4] = ["one", "few", "many", "other"];

/// Formats every text, with each variant of each choice, and returns each id with the result.
///
/// # Panics
/// If a text cannot be formatted.
pub fn format_all(
    files: &[&str],
    try_format: impl Fn(&str, &FluentArgs<'_>) -> Option<String>,
) -> Vec<(String, String)> {
    let mut formatted = Vec::new();
    for (id, needs) in all_texts(files).into_iter().filter(|(id, _)| !id.starts_with('-')) {
        let plain = [(String::new(), vec![String::new()])];
        for (chooser, keys) in needs.choices.iter().chain(&plain) {
            for key in keys {
                let mut args = FluentArgs::new();
                for argument in &needs.arguments {
                    match (argument == chooser).then_some(key.as_str()) {
                        None | Some("other") => args.set(argument.clone(), 7),
                        Some("one") => args.set(argument.clone(), 1),
                        Some("few") => args.set(argument.clone(), 2),
                        Some("many") => args.set(argument.clone(), 5),
                        Some(key) => args.set(argument.clone(), key.to_owned()),
                    }
                }
                let text = try_format(&id, &args);
                let text = text.unwrap_or_else(|| panic!("{id} cannot be formatted with {args:?}"));
                formatted.push((id.clone(), text));
            }
        }
    }
    formatted
}

fn full_needs(all: &BTreeMap<String, Needs>, id: &str) -> Needs {
    let mut needs = all.get(id).unwrap_or_else(|| panic!("there is no text {id}")).clone();
    for other in needs.texts.clone() {
        let other = full_needs(all, &other);
        needs.arguments.extend(other.arguments);
        needs.choices.extend(other.choices);
    }
    needs
}

fn read_pattern(pattern: &Pattern<&str>, needs: &mut Needs) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            read_expression(expression, needs);
        }
    }
}

fn read_expression(expression: &Expression<&str>, needs: &mut Needs) {
    match expression {
        Expression::Inline(inline) => read_inline(inline, needs),
        Expression::Select { selector, variants } => {
            read_inline(selector, needs);
            if let InlineExpression::VariableReference { id } = selector {
                let keys = variants.iter().map(|variant| match variant.key {
                    VariantKey::Identifier { name } => name.to_owned(),
                    VariantKey::NumberLiteral { value } => value.to_owned(),
                });
                needs.choices.push((id.name.to_owned(), keys.collect()));
            }
            variants.iter().for_each(|variant| read_pattern(&variant.value, needs));
        }
    }
}

fn read_inline(inline: &InlineExpression<&str>, needs: &mut Needs) {
    match inline {
        InlineExpression::VariableReference { id } => {
            needs.arguments.insert(id.name.to_owned());
        }
        InlineExpression::MessageReference { id, .. } => {
            needs.texts.insert(id.name.to_owned());
        }
        InlineExpression::TermReference { id, .. } => {
            needs.texts.insert(format!("-{}", id.name));
        }
        InlineExpression::Placeable { expression } => read_expression(expression, needs),
        InlineExpression::FunctionReference { .. }
        | InlineExpression::StringLiteral { .. }
        | InlineExpression::NumberLiteral { .. } => {}
    }
}
