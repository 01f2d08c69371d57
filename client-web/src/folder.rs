//! The folder `client-web`, read as the files that the server sends.
//!
//! The build script includes this module too, so that what is embedded and what a server with
//! `--page` reads from the disk are the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use crate::imports::{ImportError, imports_of, needed_by};

/// What stands in the page's documents for the folder of the assets, which has another name in
/// each build.
const ASSETS: &str = "/assets/HASH/";

/// Where the texts are: what all clients say, and what the page says.
const WORDS: [&str; 2] = ["../shared/words", "words"];

/// The ending of folders with texts that only some pages need.
const MORE: &str = "-more";

/// The document that all addresses of the page answer.
const INDEX: &str = "index.html";

/// Files that are served from the root: the address of a service worker and of a manifest says
/// what they are for.
pub const ROOT_FILES: [&str; 2] = ["manifest.webmanifest", "sw.js"];

/// Why the page cannot be read from its folder.
#[derive(Debug)]
pub enum PageError {
    /// A file or folder cannot be read.
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The imports of a module are not known.
    Imports {
        /// The module.
        path: String,
        /// Why.
        error: ImportError,
    },
    /// The page's document has no end of its head, where links belong.
    NoHead,
    /// No media type is known for a file.
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

/// The media type of a file, by its ending.
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

/// The folder `client-web` of a checkout.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder at this path. Nothing is read yet.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }

    /// The paths of all assets: the files in `page/` that a browser loads, and the texts of each
    /// language as `words/LANG.ftl`, those of some pages only as `words/LANG-more.ftl`.
    ///
    /// # Errors
    /// [`PageError::Read`].
    pub fn assets(&self) -> Result<BTreeSet<String>, PageError> {
        let mut assets = BTreeSet::new();
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
        for name in names(&self.0.join("words"))? {
            let language = name.strip_suffix(MORE).unwrap_or(&name);
            for texts in [language.to_owned(), format!("{language}{MORE}")] {
                if WORDS.iter().any(|folder| self.0.join(folder).join(&texts).is_dir()) {
                    assets.insert(format!("words/{texts}.ftl"));
                }
            }
        }
        Ok(assets)
    }

    /// The bytes of an asset; `None` if there is no such asset.
    ///
    /// # Errors
    /// [`PageError::Read`].
    pub fn asset(&self, path: &str) -> Result<Option<Vec<u8>>, PageError> {
        if !self.assets()?.contains(path) {
            return Ok(None);
        }
        match path.strip_prefix("words/").and_then(|name| name.strip_suffix(".ftl")) {
            Some(texts) => Ok(Some(self.words(texts)?.into_bytes())),
            None => read(&self.page().join(path)).map(Some),
        }
    }

    /// The document of the page, with links to the modules that one of its pages needs at once:
    /// `page` names a module in `pages/`. `build` is the name of the folder of the assets.
    ///
    /// # Errors
    /// [`PageError::Read`] also if there is no such page; [`PageError::Imports`];
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
        Ok(located(&document, build))
    }

    /// One of [`ROOT_FILES`], if the page has it.
    ///
    /// # Errors
    /// [`PageError::Read`].
    pub fn root_file(&self, name: &str, build: &str) -> Result<Option<String>, PageError> {
        if !ROOT_FILES.contains(&name) || !self.page().join(name).is_file() {
            return Ok(None);
        }
        Ok(Some(located(&self.text(name)?, build)))
    }

    /// The texts of the folders with this name: what all clients say, then what the page says.
    /// Comments, which are for translators, are left out.
    fn words(&self, name: &str) -> Result<String, PageError> {
        let mut texts = String::new();
        for folder in WORDS {
            let folder = self.0.join(folder).join(name);
            if folder.is_dir() {
                for name in names(&folder)? {
                    for line in text(&folder.join(name))?.lines().filter(|line| !line.starts_with('#')) {
                        texts.push_str(line);
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

/// True if a file is no asset, because it has an address of its own.
fn is_document(path: &str) -> bool {
    path == INDEX || ROOT_FILES.contains(&path)
}

/// A document that names the assets of this build.
fn located(document: &str, build: &str) -> String {
    document.replace(ASSETS, &format!("/assets/{build}/"))
}

/// The modules that a document starts.
fn scripts(document: &str) -> Vec<String> {
    let start = format!("src=\"{ASSETS}");
    let sources = document.split(start.as_str()).skip(1);
    sources.filter_map(|source| source.split_once('"')).map(|(path, _)| path.to_owned()).collect()
}

/// The names in a folder, sorted. Hidden files are no part of the page.
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

fn read(path: &Path) -> Result<Vec<u8>, PageError> {
    fs::read(path).map_err(|error| PageError::Read { path: path.to_owned(), error })
}

fn text(path: &Path) -> Result<String, PageError> {
    fs::read_to_string(path).map_err(|error| PageError::Read { path: path.to_owned(), error })
}
