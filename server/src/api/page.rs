//! The page for browsers: its addresses, its files, and the headers that guard it.
//!
//! The answer is the same document for every address of the page. The document loads modules from
//! `/assets/HASH/`. The hash identifies the build, so browsers may keep assets permanently. A
//! server of another build does not have these assets.

mod addresses;
mod headers;
#[cfg(test)]
mod tests;

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flagfall_page::{Asset, Folder, PageError, media_type};
use flagfall_services::settings::PageSettings;
use tokio::task::spawn_blocking;

use self::addresses::{UNKNOWN, page_at};
use super::representation::Representation;

pub(crate) use addresses::{ACCOUNT, ADDRESSES};
#[cfg(test)]
pub(crate) use headers::SECURITY_HEADERS;
pub(crate) use headers::secure;

/// The path of an asset contains the hash of its build, so the asset never changes.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// Lets browsers cache a document, but they must check before each use whether it has changed.
const ASK_AGAIN: &str = "no-cache";
const NEVER: &str = "no-store";

/// The build name in asset paths if the assets are read from the disk.
const UNNAMED_BUILD: &str = "dev";

/// The place that the page is read from.
#[derive(Clone, Debug)]
pub(crate) enum Page {
    /// The page that was built into the program.
    Embedded,
    /// A folder in a checkout. Its files are read on each request.
    Folder(Folder),
    Off,
}

impl Page {
    pub(crate) fn new(settings: &PageSettings) -> Page {
        match &settings.folder {
            _ if settings.is_off => Page::Off,
            Some(folder) => Page::Folder(Folder::new(folder)),
            None => Page::Embedded,
        }
    }

    /// Returns the hash that names the build of the page, unless the page is read from a folder.
    pub(crate) fn hash(settings: &PageSettings) -> Option<&'static str> {
        matches!(Page::new(settings), Page::Embedded).then(flagfall_page::hash)
    }

    /// Answers a request for a path with the page, or returns `None` if there is no page. The
    /// status is 404 if the page does not have this address.
    pub(crate) async fn open(&self, path: &str, request: &HeaderMap) -> Option<Response> {
        let page = page_at(path);
        let shown = page.unwrap_or(UNKNOWN);
        let document = match self {
            Page::Embedded => Ok(Some(embedded(flagfall_page::index(shown)?))),
            Page::Folder(folder) => {
                let read = move |folder: &Folder| folder.index(shown, UNNAMED_BUILD).map(Some);
                from_disk(folder, "index.html", read).await
            }
            Page::Off => return None,
        };
        let mut response = match document {
            // Leave out the tag for an unknown address, so that the answer is never 304.
            Ok(Some(document)) if page.is_none() => {
                Representation { tag: None, ..document }.answer(request, NEVER)
            }
            Ok(Some(document)) => document.answer(request, self.cache(ASK_AGAIN)),
            Ok(None) => return None,
            Err(error) => return Some(failed(&error)),
        };
        if page.is_none() {
            *response.status_mut() = StatusCode::NOT_FOUND;
        }
        Some(response)
    }

    /// Answers `/assets/BUILD/PATH`; `None` if this build has no such asset.
    pub(crate) async fn asset(&self, build: &str, path: &str, request: &HeaderMap) -> Option<Response> {
        let asset = match self {
            Page::Embedded if build == flagfall_page::hash() => {
                Ok(Some(embedded(flagfall_page::asset(path)?)))
            }
            Page::Folder(folder) if build == UNNAMED_BUILD => {
                let wanted = path.to_owned();
                from_disk(folder, path, move |folder| folder.asset(&wanted)).await
            }
            Page::Embedded | Page::Folder(_) | Page::Off => return None,
        };
        match asset {
            Ok(asset) => asset.map(|asset| asset.answer(request, self.cache(FOR_GOOD))),
            Err(error) => Some(failed(&error)),
        }
    }

    /// Answers one of [`flagfall_page::ROOT_FILES`]; `None` if the page does not have it.
    pub(crate) async fn root_file(&self, name: &'static str, request: &HeaderMap) -> Option<Response> {
        let file = match self {
            Page::Embedded => Ok(flagfall_page::root_file(name).map(embedded)),
            Page::Folder(folder) => {
                from_disk(folder, name, move |folder| folder.root_file(name, UNNAMED_BUILD)).await
            }
            Page::Off => return None,
        };
        match file {
            Ok(file) => file.map(|file| file.answer(request, self.cache(ASK_AGAIN))),
            Err(error) => Some(failed(&error)),
        }
    }

    /// Returns the part of asset paths that names the build; `None` if there is no page.
    pub(crate) fn build(&self) -> Option<&'static str> {
        match self {
            Page::Embedded => Some(flagfall_page::hash()),
            Page::Folder(_) => Some(UNNAMED_BUILD),
            Page::Off => None,
        }
    }

    pub(crate) const fn is_served(&self) -> bool {
        !matches!(self, Page::Off)
    }

    /// Returns the cache policy. A file on the disk may change before the next request, so it is
    /// never cached.
    const fn cache(&self, embedded: &'static str) -> &'static str {
        match self {
            Page::Embedded => embedded,
            Page::Folder(_) | Page::Off => NEVER,
        }
    }
}

fn embedded(asset: &'static Asset) -> Representation {
    let Asset { media_type, tag, plain, brotli, gzip } = *asset;
    Representation {
        media_type,
        tag: Some(tag.to_owned()),
        plain: Bytes::from_static(plain),
        gzip: gzip.map(Bytes::from_static),
        brotli: brotli.map(Bytes::from_static),
    }
}

/// Reads a file on a separate thread, so that it does not delay connections. The file has no tag
/// and is not compressed.
async fn from_disk<T: Into<Bytes> + Send + 'static>(
    folder: &Folder,
    path: &str,
    read: impl FnOnce(&Folder) -> Result<Option<T>, PageError> + Send + 'static,
) -> Result<Option<Representation>, PageError> {
    let folder = folder.clone();
    // The task fails only if the server is stopping.
    let Ok(read) = spawn_blocking(move || read(&folder)).await else { return Ok(None) };
    let Some(plain) = read? else { return Ok(None) };
    let media_type = media_type(path)?;
    Ok(Some(Representation { media_type, tag: None, plain: plain.into(), gzip: None, brotli: None }))
}

/// Returns an answer that tells the page's developer why the page cannot be read.
fn failed(error: &PageError) -> Response {
    tracing::warn!(%error, "the page cannot be read from its folder");
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response()
}
