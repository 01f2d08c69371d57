//! A store of objects in memory. Tests can add failures and delays.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use flagfall_archive::{ArchiveStore, ObjectError, ObjectName, ObjectResult};
use flagfall_tests::Chance;
use parking_lot::Mutex;

/// The ways in which a write can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// Nothing is written.
    Before,
    /// The object is written, but the answer is lost.
    After,
    /// The object is written, and the write is repeated, so the answer is that the object exists.
    Repeated,
}

/// The operation before which the gate runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    Manifest,
    Deletion,
}

type Gate = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A store of objects in memory. Siblings share the objects, but each has separate failures.
#[derive(Default)]
pub(crate) struct Memory {
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    /// The number of reads of objects.
    pub(crate) reads: AtomicUsize,
    /// The number of lists of objects.
    pub(crate) lists: AtomicUsize,
    /// The number of writes and deletions.
    pub(crate) writes: AtomicUsize,
    /// The number of the write that fails, and how it fails.
    fails: Mutex<Option<(usize, Failure)>>,
    /// True if writes overwrite existing objects, as in storage that ignores the condition.
    overwrites: AtomicBool,
    /// The source of random delays before each operation.
    delays: Mutex<Option<Chance>>,
    /// A future that runs once, before the next manifest is written or the next object is
    /// deleted.
    gate: Mutex<Option<(Before, Gate)>>,
}

impl Memory {
    pub(crate) fn new() -> Arc<Memory> {
        Arc::default()
    }

    /// Returns another store with the same objects, but with separate failures.
    pub(crate) fn sibling(&self) -> Arc<Memory> {
        Arc::new(Memory { objects: self.objects.clone(), ..Memory::default() })
    }

    pub(crate) fn fail(&self, fails: Option<(usize, Failure)>) {
        *self.fails.lock() = fails.map(|(nth, how)| (nth + self.writes.load(Ordering::Relaxed), how));
    }

    pub(crate) fn overwrite(&self) {
        self.overwrites.store(true, Ordering::Relaxed);
    }

    pub(crate) fn delay(&self, chance: Chance) {
        *self.delays.lock() = Some(chance);
    }

    pub(crate) fn gate(&self, before: Before, gate: impl Future<Output = ()> + Send + 'static) {
        *self.gate.lock() = Some((before, Box::pin(gate)));
    }

    async fn pass(&self, before: Before) {
        let gate = self.gate.lock().take_if(|(other, _)| *other == before);
        if let Some((_, gate)) = gate {
            gate.await;
        }
    }

    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let objects = self.objects.lock();
        objects.keys().filter(|name| name.starts_with(folder)).cloned().collect()
    }

    pub(crate) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.objects.lock().get_mut(name).expect("the object exists"));
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        self.objects.lock().get(name).cloned().expect("the object exists")
    }

    pub(crate) fn drop_object(&self, name: &str) {
        self.objects.lock().remove(name).expect("the object exists");
    }

    async fn wait(&self) {
        let turns = self.delays.lock().as_mut().map_or(0, |chance| chance.below(4));
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    }

    /// Counts a write. Returns how the write fails, if it does.
    fn write(&self) -> Option<Failure> {
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        let mut fails = self.fails.lock();
        fails.take_if(|(nth, _)| *nth == number).map(|(_, how)| how)
    }
}

fn failed(name: &ObjectName) -> ObjectError {
    ObjectError::Unavailable { name: name.clone(), error: io::Error::other("as the test wants it") }
}

impl ArchiveStore for Memory {
    fn put_if_absent(&self, name: &ObjectName, bytes: Vec<u8>) -> ObjectResult<'_, bool> {
        let name = name.clone();
        Box::pin(async move {
            if name.as_str().starts_with("manifest/") {
                self.pass(Before::Manifest).await;
            }
            self.wait().await;
            let failure = self.write();
            if failure == Some(Failure::Before) {
                return Err(failed(&name));
            }
            let overwrites = self.overwrites.load(Ordering::Relaxed);
            let is_new = overwrites || !self.objects.lock().contains_key(name.as_str());
            if is_new {
                self.objects.lock().insert(name.to_string(), bytes);
            }
            match failure {
                Some(Failure::After) => Err(failed(&name)),
                Some(Failure::Repeated) => Ok(false),
                Some(Failure::Before) | None => Ok(is_new),
            }
        })
    }

    fn get(&self, name: &ObjectName, range: Range<u64>) -> ObjectResult<'_, Vec<u8>> {
        let name = name.clone();
        Box::pin(async move {
            self.wait().await;
            self.reads.fetch_add(1, Ordering::Relaxed);
            let objects = self.objects.lock();
            let bytes = objects.get(name.as_str()).ok_or_else(|| ObjectError::Absent(name.clone()))?;
            let range = range.start as usize..usize::try_from(range.end).unwrap_or(usize::MAX);
            bytes.get(range).map(<[u8]>::to_vec).ok_or(ObjectError::Range(name))
        })
    }

    fn length(&self, name: &ObjectName) -> ObjectResult<'_, Option<u64>> {
        let name = name.clone();
        Box::pin(async move {
            self.wait().await;
            Ok(self.objects.lock().get(name.as_str()).map(|bytes| bytes.len() as u64))
        })
    }

    fn list(&self, folder: &ObjectName) -> ObjectResult<'_, Vec<ObjectName>> {
        let folder = format!("{folder}/");
        Box::pin(async move {
            self.wait().await;
            self.lists.fetch_add(1, Ordering::Relaxed);
            Ok(self.names(&folder).iter().filter_map(|name| name.parse().ok()).collect())
        })
    }

    fn delete(&self, name: &ObjectName) -> ObjectResult<'_, ()> {
        let name = name.clone();
        Box::pin(async move {
            if !name.as_str().starts_with("probe/") {
                self.pass(Before::Deletion).await;
            }
            self.wait().await;
            let failure = self.write();
            if failure == Some(Failure::Before) {
                return Err(failed(&name));
            }
            self.objects.lock().remove(name.as_str());
            if failure == Some(Failure::After) { Err(failed(&name)) } else { Ok(()) }
        })
    }
}
