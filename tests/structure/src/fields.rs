//! The names of the fields in the product's log lines and spans.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};

use crate::StructureError;
use crate::files::{product, read, sources};
use crate::workspace::Workspace;

/// The macros of `tracing` that write log lines.
const EVENTS: [&str; 5] = ["trace", "debug", "info", "warn", "error"];
/// The macros of `tracing` that open spans. Their first argument is the name of the span.
const SPANS: [&str; 5] = ["trace_span", "debug_span", "info_span", "warn_span", "error_span"];

/// Returns the field names in the product's log lines and spans, each with one place (a file and
/// a line) where it is used.
///
/// # Errors
/// If a source cannot be read.
pub fn log_fields(workspace: &Workspace) -> Result<BTreeMap<String, String>, StructureError> {
    let mut fields = BTreeMap::new();
    for package in product(workspace) {
        for (path, file) in sources(package)? {
            let parse_error = |error: proc_macro2::LexError| StructureError::Parse {
                path: path.clone(),
                line: error.span().start().line,
                message: error.to_string(),
            };
            let mut found = Vec::new();
            find(read(&path)?.parse().map_err(parse_error)?, &mut found);
            for (name, line) in found.into_iter().filter(|(_, line)| !file.is_for_tests(*line)) {
                fields.entry(name).or_insert_with(|| format!("{}:{line}", workspace.shown(&path)));
            }
        }
    }
    Ok(fields)
}

/// Adds the fields of all macro calls of the form `tracing::name!(…)`.
fn find(tokens: TokenStream, fields: &mut Vec<(String, usize)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        find(group.stream(), fields);
        let before: String = tokens[at.saturating_sub(5)..at].iter().map(ToString::to_string).collect();
        let Some(name) = before.strip_prefix("tracing::").and_then(|name| name.strip_suffix('!')) else {
            continue;
        };
        let arguments: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut arguments = arguments.split(|token| is_punct(token, ','));
        if SPANS.contains(&name) {
            arguments.next();
        } else if !EVENTS.contains(&name) {
            continue;
        }
        // The message and its arguments follow the fields.
        let arguments = arguments.take_while(|tokens| !matches!(tokens, [TokenTree::Literal(_), ..]));
        fields.extend(arguments.filter_map(field));
    }
}

/// Returns the name of a field and its line, for example from `%game` or `code = closing.code`.
/// `None` for `parent: span`.
fn field(argument: &[TokenTree]) -> Option<(String, usize)> {
    let name = argument.split(|token| is_punct(token, '=')).next()?;
    let name = name.iter().skip_while(|token| is_punct(token, '%') || is_punct(token, '?'));
    let is_setting = argument.get(1).is_some_and(|token| is_punct(token, ':'));
    let line = argument.first().filter(|_| !is_setting)?.span().start().line;
    Some((name.map(ToString::to_string).collect(), line))
}

fn is_punct(token: &TokenTree, letter: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_log_lines_and_spans() {
        let source = r#"fn main() {
            tracing::info!(%game, after = append.seq, parent: &span, ?said, "{said}, {}", not_this);
            if let Err(error) = done { tracing::warn!(self.count, %error, "no") }
            let span = tracing::debug_span!("http", request = %id);
            metrics::counter!(NAME, "what" => "made");
        }"#;
        let mut found = Vec::new();
        find(source.parse().expect("tokens"), &mut found);
        let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["game", "after", "said", "self.count", "error", "request"]);
        assert_eq!(found[3].1, 3, "the line");
    }
}
