//! The page for browsers, as the server sends it.
//!
//! The build script embeds the files of `client-web/page` and the texts of each language, each
//! plain and compressed, and makes one hash over everything. Assets are served below
//! `/assets/HASH/`, so a browser can keep them for good, and imports between them stay relative.
//! Documents have addresses of their own: the page itself, which names the assets, and
//! [`ROOT_FILES`].
//!
//! [`Folder`] reads the same files from a checkout, for people who work on the page.

mod folder;
mod imports;

pub use folder::{Folder, PageError, ROOT_FILES, media_type};
pub use imports::ImportError;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its media type, with the charset of a text.
    pub media_type: &'static str,
    /// Its entity tag, a weak one: it is the same for all forms.
    pub tag: &'static str,
    /// Its bytes.
    pub plain: &'static [u8],
    /// Its bytes compressed with Brotli, if that makes it smaller.
    pub brotli: Option<&'static [u8]>,
    /// Its bytes compressed with gzip, if that makes it smaller.
    pub gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The hash over all files of the page: it names the folder of the assets.
#[must_use]
pub fn hash() -> &'static str {
    HASH
}

/// The asset with this path below `/assets/HASH/`.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    find(&ASSETS, path)
}

/// The paths of all assets.
pub fn assets() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().map(|(path, _)| *path)
}

/// The document of the page, with links to the modules that one of its pages needs at once.
/// `page` is one of [`pages`].
#[must_use]
pub fn index(page: &str) -> Option<&'static Asset> {
    find(&INDEXES, page)
}

/// The names of the modules in `pages/`, each of which shows one page.
pub fn pages() -> impl Iterator<Item = &'static str> {
    INDEXES.iter().map(|(page, _)| *page)
}

/// One of [`ROOT_FILES`], if the page has it.
#[must_use]
pub fn root_file(name: &str) -> Option<&'static Asset> {
    find(&ROOT, name)
}

fn find(files: &'static [(&'static str, Asset)], name: &str) -> Option<&'static Asset> {
    files
        .binary_search_by(|(path, _)| (*path).cmp(name))
        .ok()
        .and_then(|at| files.get(at))
        .map(|(_, asset)| asset)
}

#[cfg(test)]
mod tests;
