//! The page for browsers, as the server sends it.
//!
//! The build script embeds the files of `client-web/page` and the texts of each language, both
//! plain and compressed, and computes one hash over all of them. Assets are served below
//! `/assets/HASH/`, so a browser can keep them permanently, and imports between them can be
//! relative. The page's document, which refers to the assets, and [`ROOT_FILES`] are served
//! outside this folder.
//!
//! [`Folder`] reads the same files from a checkout, for developers of the page.

mod folder;
mod imports;

pub use folder::{Folder, PageError, ROOT_FILES, media_type};
pub use imports::ImportError;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The media type, with a charset if the file is text.
    pub media_type: &'static str,
    /// The entity tag. It is weak, because the plain and the compressed forms share it.
    pub tag: &'static str,
    /// The uncompressed bytes.
    pub plain: &'static [u8],
    /// The bytes compressed with Brotli; `None` if that would not make the file smaller.
    pub brotli: Option<&'static [u8]>,
    /// The bytes compressed with gzip; `None` if that would not make the file smaller.
    pub gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Returns the hash over all files of the page, which is the name of the folder of the assets.
#[must_use]
pub fn hash() -> &'static str {
    HASH
}

/// Returns the asset with this path below `/assets/HASH/`.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    find(&ASSETS, path)
}

/// Returns the paths of all assets.
pub fn assets() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().map(|(path, _)| *path)
}

/// Returns the document for one of [`pages`], with links that load the imports of that module
/// early.
#[must_use]
pub fn index(page: &str) -> Option<&'static Asset> {
    find(&INDEXES, page)
}

/// Returns the names of the modules in `pages/`. Each module shows one page.
pub fn pages() -> impl Iterator<Item = &'static str> {
    INDEXES.iter().map(|(page, _)| *page)
}

/// Returns one of [`ROOT_FILES`]; `None` if the page does not have that file.
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
