//! Finds the modules that a module of the page needs: its static imports, the static imports of
//! those modules, and so on.
//!
//! This is not a parser for JavaScript. It reads only the imports at the top of a module. If
//! there are imports below other code, it returns an error, so no import is missed.

use std::fmt;

/// Why the imports of a module cannot be determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImportError {
    /// An import is below other code, on this line.
    NotFirst(usize),
    /// An import is not relative. In a browser without an import map, other imports do not work.
    NotRelative(String),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::NotFirst(line) => {
                write!(f, "line {line} imports something: imports come before all other code")
            }
            ImportError::NotRelative(specifier) => {
                write!(f, "{specifier:?} is imported: imports begin with ./ or ../ and stay in the page")
            }
        }
    }
}

/// Returns the modules that a module imports statically. Paths are relative to the folder of the
/// page.
pub(crate) fn imports_of(path: &str, text: &str) -> Result<Vec<String>, ImportError> {
    let mut imports = Vec::new();
    let mut rest = skip_blank(text);
    while let Some((specifier, after)) = take_import(rest) {
        let resolved = resolve(path, specifier);
        imports.push(resolved.ok_or_else(|| ImportError::NotRelative(specifier.to_owned()))?);
        rest = skip_blank(after);
    }
    let first = text[..text.len() - rest.len()].matches('\n').count() + 1;
    match rest.lines().position(is_import_line) {
        Some(line) => Err(ImportError::NotFirst(first + line)),
        None => Ok(imports),
    }
}

/// Returns the modules in `roots` and all modules that they need, in the order in which a browser
/// discovers them.
///
/// # Errors Returns an error that `imports` returned for one of the modules.
pub(crate) fn needed_by<E>(
    roots: Vec<String>,
    mut imports: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    let mut needed = roots;
    let mut at = 0;
    while let Some(module) = needed.get(at) {
        for import in imports(module)? {
            if !needed.contains(&import) {
                needed.push(import);
            }
        }
        at += 1;
    }
    Ok(needed)
}

fn skip_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        text = if let Some(comment) = text.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, rest)| rest)
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest)
        } else {
            return text;
        };
    }
}

/// Parses an import, or an export from another module, at the start of `text`. Returns the
/// module's specifier and the rest of the text.
fn take_import(text: &str) -> Option<(&str, &str)> {
    let clause = match text.strip_prefix("import") {
        // `import(…)` and `import.meta` are expressions, not imports.
        Some(clause) if clause.starts_with([' ', '\n', '{', '*', '"', '\'']) => clause,
        Some(_) => return None,
        None => exported_from(text)?,
    };
    let start = clause.find(['"', '\''])?;
    let (before, quoted) = clause.split_at(start);
    if before.contains([';', '(']) {
        return None;
    }
    let quote = quoted.chars().next()?;
    let (specifier, rest) = quoted[1..].split_once(quote)?;
    let rest = rest.trim_start();
    Some((specifier, rest.strip_prefix(';').unwrap_or(rest)))
}

/// Returns the text after `from` in `export * from …` and `export { … } from …`.
fn exported_from(text: &str) -> Option<&str> {
    let clause = text.strip_prefix("export")?.trim_start();
    let after = match clause.strip_prefix('{') {
        Some(names) => names.split_once('}')?.1,
        None => clause.strip_prefix('*')?.split_once("from").filter(|(name, _)| !name.contains(';'))?.1,
    };
    let after = after.trim_start();
    Some(after.strip_prefix("from").unwrap_or(after))
        .filter(|after| after.trim_start().starts_with(['"', '\'']))
}

/// True if a line looks like the beginning or the end of an import.
fn is_import_line(line: &str) -> bool {
    take_import(line).is_some()
        || line.starts_with("import {")
        || line.starts_with("} from \"")
        || line.starts_with("} from '")
}

/// Returns the path of an imported module; `None` if the import is not relative or leads out of
/// the page.
fn resolve(from: &str, specifier: &str) -> Option<String> {
    if !specifier.starts_with("./") && !specifier.starts_with("../") {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_imports_are_found_whatever_their_form() {
        let text = "// A page.\n/* of several\n lines */\nimport { a } from \"./a.js\";\n\
                    import {\n  b,\n  c,\n} from '../b.js'\nimport \"./c.js\";\nimport * as d from \"./x/d.js\";\n\
                    export * from \"./e.js\";\nexport { f } from \"./f.js\";\n\
                    /** @typedef {import(\"./types.js\").T} T */\n\
                    export const page = async () => (await import(\"./later.js\")).Page;\n";
        let found = imports_of("pages/home.js", text).unwrap();
        assert_eq!(found, ["pages/a.js", "b.js", "pages/c.js", "pages/x/d.js", "pages/e.js", "pages/f.js"]);
        for text in
            ["", "// Nothing.\n", "const url = import.meta.url;", "export { a };\nconst b = \"./c.js\";"]
        {
            assert_eq!(imports_of("a.js", text), Ok(Vec::new()), "{text}");
        }
    }

    #[test]
    fn an_import_below_other_code_is_refused_with_its_line() {
        for text in [
            "// A.\nconst a = 1;\nimport { b } from \"./b.js\";\n",
            "import \"./a.js\";\nlet a;\nexport * from \"./b.js\";\n",
            "const a = 1;\n\nimport {\n  b,\n} from \"./b.js\";\n",
        ] {
            assert_eq!(imports_of("a.js", text), Err(ImportError::NotFirst(3)), "{text}");
        }
    }

    #[test]
    fn imports_stay_in_the_page() {
        for specifier in ["preact", "/a.js", "https://example.org/a.js", "../../a.js"] {
            let found = imports_of("parts/a.js", &format!("import a from \"{specifier}\";"));
            assert_eq!(found, Err(ImportError::NotRelative(specifier.to_owned())));
        }
    }

    #[test]
    fn needed_modules_are_named_once_even_in_a_circle() {
        let imports = |module: &str| -> Result<Vec<String>, ()> {
            let names: &[&str] = match module {
                "main.js" => &["a.js", "b.js"],
                "a.js" => &["b.js", "c.js"],
                "c.js" => &["a.js"],
                _ => &[],
            };
            Ok(names.iter().map(|name| (*name).to_owned()).collect())
        };
        let needed = needed_by(vec!["main.js".to_owned()], imports).unwrap();
        assert_eq!(needed, ["main.js", "a.js", "b.js", "c.js"]);
    }
}
