//! Reads the folder `client-web`, and returns the files that the server sends.
//!
//! The build script includes this module too. The embedded page is therefore the same as the page
//! that a server with `--page` reads from the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use crate::imports::{ImportError, imports_of, needed_by};

/// The placeholder for the folder of the assets in the page's documents. Each build has a
/// different name for this folder.
const ASSETS: &str = "/assets/HASH/";

/// The placeholder for the languages in the page's document.
const LANGUAGES: &str = "data-languages=\"LANGUAGES\"";

/// The folders with texts: first the one for all clients, then the one for the page alone. Each
/// contains one folder per language, such as `en`.
const WORDS: [&str; 2] = ["../shared/words", OWN_WORDS];

/// The folder with the texts of the page alone.
const OWN_WORDS: &str = "words";

/// The language whose texts replace those that another language lacks.
const ENGLISH: &str = "en";

/// The file that is left out of the English texts, because the server sends these texts with the
/// rulesets.
const SENT_IN_ENGLISH: &str = "rulesets.ftl";

/// The line that comes before the English replacements for missing texts.
const LACKS: &str = "### en";

/// The suffix of folders with texts that only some of the page's modules need.
const MORE: &str = "-more";

/// The document that is sent for every address of the page.
const INDEX: &str = "index.html";

/// The asset that lists all other assets, one path per line. The service worker caches these
/// assets.
const LIST: &str = "files.txt";

/// The files that are served from the root, because the address of a service worker or of a
/// manifest determines which pages it applies to.
pub const ROOT_FILES: [&str; 2] = ["manifest.webmanifest", "sw.js"];

/// Why the page cannot be read from its folder.
#[derive(Debug)]
pub enum PageError {
    /// A file or folder cannot be read.
    Read {
        /// The path of the file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The imports of a module cannot be determined.
    Imports {
        /// The path of the module.
        path: String,
        /// The reason.
        error: ImportError,
    },
    /// The page's document has no `</head>`, before which the links must be inserted.
    NoHead,
    /// The media type of a file is unknown.
    UnknownType(String),
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageError::Read { path, error } => write!(f, "{}: {error}", path.display()),
            PageError::Imports { path, error } => write!(f, "{path}: {error}"),
            PageError::NoHead => write!(f, "{INDEX} has no </head>"),
            PageError::UnknownType(path) => {
                write!(f, "{path}: no media type is known for its ending: see `media_type`")
            }
        }
    }
}

impl std::error::Error for PageError {}

/// Returns the media type that belongs to a file's extension.
///
/// # Errors
/// [`PageError::UnknownType`]. Browsers refuse modules and styles without the right type.
pub fn media_type(path: &str) -> Result<&'static str, PageError> {
    Ok(match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("ftl" | "txt") => "text/plain; charset=utf-8",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => return Err(PageError::UnknownType(path.to_owned())),
    })
}

/// The folder `client-web` in a checkout of this repository.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Refers to the folder at this path. Reads nothing yet.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }

    /// Returns the paths of all assets. These are the files in `page/` that a browser loads, the
    /// texts of each language, and `files.txt`, which lists the other assets. `words/LANG.ftl`
    /// contains the texts for all pages, and `words/LANG-more.ftl` those for some pages.
    ///
    /// # Errors
    /// [`PageError::Read`].
    pub fn assets(&self) -> Result<BTreeSet<String>, PageError> {
        let mut assets = BTreeSet::from([LIST.to_owned()]);
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for name in names(&self.page().join(&folder))? {
                let path = format!("{folder}{name}");
                if self.page().join(&path).is_dir() {
                    folders.push(format!("{path}/"));
                } else if !name.ends_with(".d.ts") && !is_document(&path) {
                    assets.insert(path);
                }
            }
        }
        for language in self.languages()? {
            assets.insert(format!("words/{language}.ftl"));
            assets.insert(format!("words/{language}{MORE}.ftl"));
        }
        Ok(assets)
    }

    /// Returns the bytes of an asset; `None` if there is no such asset.
    ///
    /// # Errors
    /// [`PageError::Read`].
    pub fn asset(&self, path: &str) -> Result<Option<Vec<u8>>, PageError> {
        let assets = self.assets()?;
        if !assets.contains(path) {
            return Ok(None);
        }
        if path == LIST {
            let files = assets.iter().filter(|file| *file != LIST).map(|file| format!("{file}\n"));
            return Ok(Some(files.collect::<String>().into_bytes()));
        }
        match path.strip_prefix("words/").and_then(|name| name.strip_suffix(".ftl")) {
            Some(texts) => Ok(Some(self.words(texts)?.into_bytes())),
            None if path.ends_with(".css") => Ok(Some(without_comments(&self.text(path)?).into_bytes())),
            None => read(&self.page().join(path)).map(Some),
        }
    }

    /// Returns the document for the module `page` in `pages/`, with links that load the imports
    /// of that module early. `build` is the name of the assets folder.
    ///
    /// # Errors
    /// [`PageError::Read`], also if there is no such module; [`PageError::Imports`];
    /// [`PageError::NoHead`].
    pub fn index(&self, page: &str, build: &str) -> Result<String, PageError> {
        let text = self.text(INDEX)?;
        let started = scripts(&text);
        let roots = started.iter().cloned().chain([format!("pages/{page}.js")]).collect();
        let needed = needed_by(roots, |path| {
            let imports = imports_of(path, &self.text(path)?);
            imports.map_err(|error| PageError::Imports { path: path.to_owned(), error })
        })?;
        let (head, body) = text.split_once("</head>").ok_or(PageError::NoHead)?;
        let mut document = head.to_owned();
        for module in needed.iter().filter(|module| !started.contains(module)) {
            document.push_str(&format!("<link rel=\"modulepreload\" href=\"{ASSETS}{module}\">\n"));
        }
        document.push_str("</head>");
        document.push_str(body);
        let languages = self.languages()?.into_iter().collect::<Vec<_>>().join(" ");
        let document = document.replace(LANGUAGES, &format!("data-languages=\"{languages}\""));
        Ok(located(&document, build))
    }

    /// Returns the content of one of [`ROOT_FILES`]; `None` if the page does not have that file.
    ///
    /// # Errors
    /// [`PageError::Read`].
    pub fn root_file(&self, name: &str, build: &str) -> Result<Option<String>, PageError> {
        if !ROOT_FILES.contains(&name) || !self.page().join(name).is_file() {
            return Ok(None);
        }
        Ok(Some(located(&self.text(name)?, build)))
    }

    /// Returns the languages that the page has texts in.
    fn languages(&self) -> Result<BTreeSet<String>, PageError> {
        let names = names(&self.0.join(OWN_WORDS))?;
        Ok(names.into_iter().filter(|name| !name.ends_with(MORE)).collect())
    }

    /// Returns the texts with this name. English texts replace the missing ones, and follow after
    /// the line [`LACKS`].
    fn words(&self, name: &str) -> Result<String, PageError> {
        let mut texts = self.own_words(name)?;
        let english = if name.ends_with(MORE) { format!("{ENGLISH}{MORE}") } else { ENGLISH.to_owned() };
        let known: BTreeSet<&str> = texts.lines().filter_map(id).collect();
        let mut lacks = String::new();
        let mut is_known = true;
        for line in self.own_words(&english)?.lines() {
            is_known = id(line).map_or(is_known, |id| known.contains(id));
            if !is_known {
                lacks.push_str(line);
                lacks.push('\n');
            }
        }
        if !lacks.is_empty() {
            texts.push_str(&format!("{LACKS}\n{lacks}"));
        }
        Ok(texts)
    }

    /// Returns the texts in the folders with this name: first those of all clients, then those of
    /// the page alone. Leaves out comments, empty lines and the depth of indentation, which only
    /// help translators.
    fn own_words(&self, name: &str) -> Result<String, PageError> {
        let mut texts = String::new();
        for folder in WORDS {
            let folder = self.0.join(folder).join(name);
            if folder.is_dir() {
                for file in names(&folder)? {
                    if name == ENGLISH && file == SENT_IN_ENGLISH {
                        continue;
                    }
                    for line in text(&folder.join(file))?.lines() {
                        let bare = line.trim_start();
                        if bare.is_empty() || line.starts_with('#') {
                            continue;
                        }
                        if bare.len() < line.len() {
                            texts.push(' ');
                        }
                        texts.push_str(bare);
                        texts.push('\n');
                    }
                }
            }
        }
        Ok(texts)
    }

    fn text(&self, path: &str) -> Result<String, PageError> {
        text(&self.page().join(path))
    }

    fn page(&self) -> PathBuf {
        self.0.join("page")
    }
}

/// True if a file is not an asset, because it is served outside the assets folder.
fn is_document(path: &str) -> bool {
    path == INDEX || ROOT_FILES.contains(&path)
}

/// Returns the id of the text that begins in this line of a Fluent file.
fn id(line: &str) -> Option<&str> {
    let (id, _) = line.split_once('=')?;
    id.starts_with(|first: char| first == '-' || first.is_ascii_alphabetic()).then(|| id.trim_end())
}

/// Replaces the placeholder in a document with the path of this build's assets.
fn located(document: &str, build: &str) -> String {
    document.replace(ASSETS, &format!("/assets/{build}/"))
}

/// Returns the paths of the modules that a document loads as scripts.
fn scripts(document: &str) -> Vec<String> {
    let start = format!("src=\"{ASSETS}");
    let sources = document.split(start.as_str()).skip(1);
    sources.filter_map(|source| source.split_once('"')).map(|(path, _)| path.to_owned()).collect()
}

/// Returns the names in a folder, sorted. Leaves out hidden files, which are not part of the
/// page.
fn names(folder: &Path) -> Result<BTreeSet<String>, PageError> {
    let at = |error| PageError::Read { path: folder.to_owned(), error };
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(at)? {
        let name = entry.map_err(at)?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.insert(name);
        }
    }
    Ok(names)
}

/// Leaves out the comments of a style sheet, which only help those who change it. None of its
/// strings may contain the beginning of a comment.
fn without_comments(css: &str) -> String {
    let (first, rest) = css.split_once("/*").unwrap_or((css, ""));
    let kept = rest.split("/*").filter_map(|part| Some(part.split_once("*/")?.1));
    std::iter::once(first).chain(kept).collect()
}

fn read(path: &Path) -> Result<Vec<u8>, PageError> {
    fs::read(path).map_err(|error| PageError::Read { path: path.to_owned(), error })
}

fn text(path: &Path) -> Result<String, PageError> {
    fs::read_to_string(path).map_err(|error| PageError::Read { path: path.to_owned(), error })
}
