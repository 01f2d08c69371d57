//! The archive of finished games: segments, an index, and manifests that name them.
//!
//! Objects never change. A *manifest* names all objects that belong to the archive, and the
//! manifest with the highest number counts. A writer first writes its objects, and then publishes
//! the next manifest on the condition that no object with that name exists. A writer that was too
//! late reads the newest manifest and tries again. So several servers can write at the same time
//! without a lock, and a crash leaves only objects that no manifest names.
//!
//! Each object has a number that only one writer uses, because writers reserve numbers in a
//! manifest. docs/internals/archive.md describes the objects.

mod add;
mod agreement;
mod cache;
mod check;
mod error;
mod list;
mod location;
mod manifest;
mod manifests;
mod merge;
mod names;
mod newest;
mod part;
pub(crate) mod records;
mod remove;
mod report;
mod reserved;
mod sweep;
mod tables;
mod tidy;
mod view;
mod walk;
mod writer;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use flagfall_board::GameId;
use parking_lot::{Mutex, RwLock};

pub use self::check::{Check, Examine};
pub use self::error::ArchiveError;
pub use self::location::{Location, LocationError};
pub use self::report::{Damage, Report};
pub use self::tidy::Tidied;
pub use self::walk::Page;

use self::cache::{Cache, cache};
use self::reserved::Reserved;
use self::view::View;
use crate::frame::decode;
use crate::game::Log;
use crate::known::KnownArchive;
use crate::objects::{ArchiveStore, ObjectError};
use crate::segment::{SegmentError, read_frame};

/// The memory and time that an [`Archive`] may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The maximum number of bytes of decoded games that are kept in memory.
    pub cache_bytes: usize,
    /// The maximum number of games in a run of the index that is kept in memory completely.
    pub resident_games: u32,
    /// The maximum number of segments that a manifest lists. If there are more, they are moved to
    /// a table.
    pub listed_segments: u32,
    /// The mean pause before the second attempt of a writer that was too late. Later pauses are
    /// longer. All pauses are random.
    pub pause: Duration,
    /// A description, for people, of where the archive is.
    pub place: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cache_bytes: 64 * 1024 * 1024,
            resident_games: 65_536,
            listed_segments: 512,
            pause: Duration::from_millis(50),
            place: String::new(),
        }
    }
}

/// The state of a game in the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// The game is at this place.
    At(Location),
    /// The game was removed. It can never be added again.
    Removed {
        /// The reason, in the operator's words.
        reason: String,
    },
}

/// The archive of finished games. Cheap to clone; all clones are the same archive.
#[derive(Clone)]
pub struct Archive {
    inner: Arc<Inner>,
}

struct Inner {
    objects: Arc<dyn ArchiveStore>,
    settings: Settings,
    view: RwLock<Arc<View>>,
    /// Locked while the first manifest is read.
    opening: tokio::sync::Mutex<()>,
    /// True if the store is known not to overwrite objects.
    is_probed: AtomicBool,
    /// The reserved numbers. Locked during writes, so that this process does not compete with
    /// itself.
    writer: tokio::sync::Mutex<Reserved>,
    cache: Mutex<Cache>,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Archive(manifest {})", self.view().number)
    }
}

impl Archive {
    /// Opens an archive. Creates it if the store has no manifest.
    ///
    /// If the newest manifest is damaged, an older manifest is used, and the archive can be read
    /// but not written.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read or written, if it overwrites objects, or if no
    /// manifest can be read.
    pub async fn open(objects: Arc<dyn ArchiveStore>, settings: Settings) -> Result<Archive, ArchiveError> {
        manifests::probe(&*objects).await?;
        let view = manifests::open(&*objects, settings.resident_games).await?;
        let archive = Archive::with_view(objects, settings, view, true);
        archive.load(&archive.view()).await?;
        Ok(archive)
    }

    /// Opens an archive for reading only. Returns `None` if the store has no manifest.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, or if no manifest can be read.
    pub async fn open_to_read(
        objects: Arc<dyn ArchiveStore>,
        settings: Settings,
    ) -> Result<Option<Archive>, ArchiveError> {
        let Some(view) = manifests::find(&*objects, settings.resident_games).await? else { return Ok(None) };
        let archive = Archive::with_view(objects, settings, view, false);
        archive.load(&archive.view()).await?;
        Ok(Some(archive))
    }

    /// Returns the archive with this id, without reading anything. The archive is read when it is
    /// first needed, or by [`Archive::refresh`]. It is never created: as long as the store cannot
    /// be read or has another archive, or none, reads and writes fail with an error that is no
    /// damage.
    #[must_use]
    pub fn unread(objects: Arc<dyn ArchiveStore>, settings: Settings, id: u64) -> Archive {
        Archive::with_view(objects, settings, View::unread(id), false)
    }

    fn with_view(objects: Arc<dyn ArchiveStore>, settings: Settings, view: View, is_probed: bool) -> Archive {
        let inner = Inner {
            cache: Mutex::new(cache(settings.cache_bytes)),
            view: RwLock::new(Arc::new(view)),
            opening: Default::default(),
            is_probed: is_probed.into(),
            writer: Default::default(),
            objects,
            settings,
        };
        Archive { inner: Arc::new(inner) }
    }

    fn objects(&self) -> &dyn ArchiveStore {
        &*self.inner.objects
    }

    fn view(&self) -> Arc<View> {
        self.inner.view.read().clone()
    }

    /// Returns the view of a manifest that was read earlier. Reads the first one if necessary.
    async fn opened(&self) -> Result<Arc<View>, ArchiveError> {
        let view = self.view();
        if view.is_unread() { self.newest().await } else { Ok(view) }
    }

    /// Reads the summaries of the index. Ignores damage, because it is reported when the damaged
    /// part is read.
    async fn load(&self, view: &View) -> Result<(), ArchiveError> {
        for part in view.parts() {
            match part.load(self.objects()).await {
                Err(error) if !error.is_damage() => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Checks if another server has published a newer manifest, and reads it. Returns true if
    /// there is one. Other methods do this themselves if necessary. But a server should also call
    /// this every few seconds, to learn which games other servers have removed.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, or the newest manifest is damaged.
    pub async fn refresh(&self) -> Result<bool, ArchiveError> {
        let before = self.view().number;
        Ok(self.newest().await?.number != before)
    }

    /// Returns the id of the archive, a random number. Servers compare it to find out if they use
    /// the same archive.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.view().archive
    }

    /// Returns what a store remembers of this archive.
    #[must_use]
    pub fn as_remembered(&self) -> KnownArchive {
        KnownArchive { id: self.id(), place: self.inner.settings.place.clone() }
    }

    /// Returns the number of the newest manifest that this process has read.
    #[must_use]
    pub fn manifest(&self) -> u32 {
        self.view().number
    }

    /// Returns the number of games in the index, including recently removed ones.
    #[must_use]
    pub fn games_len(&self) -> u64 {
        self.view().manifest.runs.iter().map(manifest::Run::games).sum()
    }

    /// Returns the state of a game in the archive. `None` if the game was never added.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, or the game may be in a damaged part of the
    /// index.
    pub async fn find(&self, game: GameId) -> Result<Option<Found>, ArchiveError> {
        let view = self.view();
        match self.find_in(&view, game).await {
            Ok(Some(found)) => Ok(Some(found)),
            // Another server may have added the game, or merged the missing parts.
            before => {
                let newest = self.newest().await?;
                if newest.number == view.number { before } else { self.find_in(&newest, game).await }
            }
        }
    }

    /// Looks for a game without reading anything from the store. Searches the removed games, and
    /// the runs of the index that are in memory completely. Recently added games are in such
    /// runs. Does not find changes that other servers have made since the last
    /// [`refresh`](Archive::refresh).
    #[must_use]
    pub fn find_in_memory(&self, game: GameId) -> Option<Found> {
        let view = self.view();
        if let Some(reason) = view.removed(game) {
            return Some(Found::Removed { reason: reason.to_owned() });
        }
        view.parts().find_map(|part| part.find_in_memory(game)).map(Found::At)
    }

    async fn find_in(&self, view: &View, game: GameId) -> Result<Option<Found>, ArchiveError> {
        if let Some(reason) = view.removed(game) {
            return Ok(Some(Found::Removed { reason: reason.to_owned() }));
        }
        let (places, fault) = view.places(self.objects(), &[game]).await?;
        match (places.get(&game), fault.or_else(|| view.damaged_removals())) {
            (Some(location), _) => Ok(Some(Found::At(*location))),
            (None, Some(fault)) => Err(fault),
            (None, None) => Ok(None),
        }
    }

    /// Returns the log of a game. `None` if the game is not in the archive or was removed.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, or the game is damaged.
    pub async fn read(&self, game: GameId) -> Result<Option<Arc<Log>>, ArchiveError> {
        if let Some(log) = self.cached(game)? {
            return Ok(Some(log));
        }
        match self.find(game).await? {
            Some(Found::At(location)) => match self.read_at(game, &location).await {
                Err(ArchiveError::Removed(_)) => Ok(None),
                read => read.map(Some),
            },
            Some(Found::Removed { .. }) | None => Ok(None),
        }
    }

    /// Returns a log from the cache, unless the game was removed.
    fn cached(&self, game: GameId) -> Result<Option<Arc<Log>>, ArchiveError> {
        if self.view().removed(game).is_some() {
            self.inner.cache.lock().remove(&game);
            return Ok(None);
        }
        Ok(self.inner.cache.lock().get(&game).cloned())
    }

    /// Returns the log of a game at a known place, which takes one ranged read.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, the game is damaged or was removed, or it is
    /// not at this place.
    pub async fn read_at(&self, game: GameId, location: &Location) -> Result<Arc<Log>, ArchiveError> {
        let view = self.opened().await?;
        match self.read_in(&view, game, location).await {
            Err(error) if error.is_damage() => {
                // The segment may have been written again, so look for a newer manifest.
                let newest = self.newest().await?;
                if newest.number == view.number {
                    return Err(error);
                }
                self.read_in(&newest, game, location).await
            }
            read => read,
        }
    }

    async fn read_in(
        &self,
        view: &View,
        game: GameId,
        location: &Location,
    ) -> Result<Arc<Log>, ArchiveError> {
        if view.removed(game).is_some() {
            return Err(ArchiveError::Removed(game));
        }
        if let Some(log) = self.inner.cache.lock().get(&game) {
            return Ok(log.clone());
        }
        let object = view.segment(location.segment);
        let seal = view.seal(location.segment);
        let read = read_frame(self.objects(), &object, seal, game, location.at, location.length);
        let bytes = match read.await {
            Ok(bytes) => bytes,
            Err(SegmentError::Object(ObjectError::Range(_)) | SegmentError::Game { .. }) => {
                return Err(ArchiveError::Game { game, object });
            }
            Err(SegmentError::Object(error)) => return Err(error.into()),
            Err(SegmentError::Damaged { what }) => return Err(error::damaged(&object, what)),
        };
        let log = decode(bytes.expose()).map_err(|error| ArchiveError::Decode { game, error })?;
        if log.game != game {
            return Err(ArchiveError::Game { game, object });
        }
        let log = Arc::new(log);
        self.inner.cache.lock().insert(game, log.clone());
        Ok(log)
    }
}
