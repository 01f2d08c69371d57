//! Side records that were moved to the archive: the full volumes of players' histories.
//!
//! Each record is a separate object. The object's name follows from the record's key, so no
//! manifest needs to name it. A record never changes.

use flagfall_store::segment::Seal;
use flagfall_store::{ARCHIVED_RECORDS, Key};

use super::error::{ArchiveError, damaged};
use super::report::Report;
use super::{Archive, names};
use crate::objects::{ObjectError, ObjectName};

/// The folder of the records.
const RECORDS: &str = "records";
const TAG: u8 = 2;
/// The number in the checksums of these objects, which have no numbers themselves.
const NUMBER: u32 = 0;

/// True if records with this key can be in an archive.
pub(crate) fn is_archivable(key: &Key) -> bool {
    key.as_bytes().starts_with(ARCHIVED_RECORDS.as_bytes()) && object(key).is_some()
}

/// Returns the name of the object with this record. `None` if the key cannot be part of a name.
fn object(key: &Key) -> Option<ObjectName> {
    format!("{RECORDS}/{}", std::str::from_utf8(key.as_bytes()).ok()?).parse().ok()
}

fn key_of(object: &ObjectName) -> Option<Key> {
    Key::new(object.as_str().strip_prefix(RECORDS)?.strip_prefix('/')?).ok()
}

fn pack(seal: Seal, key: &Key, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(key.as_bytes().len()).unwrap_or(u16::MAX);
    names::sealed(seal, TAG, &[&length.to_le_bytes()[..], key.as_bytes(), value].concat())
}

fn unpack(bytes: &[u8], archive: u64, key: &Key) -> Option<Vec<u8>> {
    let (found, payload) = names::unsealed(bytes, NUMBER, TAG)?;
    let (length, rest) = payload.split_first_chunk()?;
    let (named, value) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    (found == archive && named == key.as_bytes()).then(|| value.to_vec())
}

impl Archive {
    /// Adds a record, and verifies it by reading it. Returns false if records with this key
    /// cannot be in an archive.
    ///
    /// # Errors
    /// [`ArchiveError`] if the archive cannot be written, or contains a different value for this
    /// key.
    pub async fn add_record(&self, key: &Key, value: &[u8]) -> Result<bool, ArchiveError> {
        let Some(name) = object(key).filter(|_| is_archivable(key)) else { return Ok(false) };
        let seal = Seal { store: self.opened().await?.archive, number: NUMBER };
        self.probe().await?;
        self.objects().put_if_absent(&name, pack(seal, key, value)).await?;
        match self.record(key).await? {
            Some(found) if found == value => Ok(true),
            Some(_) => Err(ArchiveError::Taken(name)),
            None => Err(ArchiveError::ReadBack(name)),
        }
    }

    /// Returns the value of a record. `None` if the record is not in the archive.
    ///
    /// # Errors
    /// [`ArchiveError`] if the archive cannot be read, or the record is damaged.
    pub async fn record(&self, key: &Key) -> Result<Option<Vec<u8>>, ArchiveError> {
        let Some(name) = object(key).filter(|_| is_archivable(key)) else { return Ok(None) };
        self.opened().await?;
        let Some(length) = self.objects().length(&name).await? else { return Ok(None) };
        match self.objects().get(&name, 0..length).await {
            Ok(bytes) => {
                let value = unpack(&bytes, self.id(), key);
                value.map(Some).ok_or_else(|| damaged(&name, "its checksum is wrong"))
            }
            Err(ObjectError::Absent(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a record. Deleting a missing record is not an error.
    ///
    /// # Errors
    /// [`ArchiveError`]: the record may still exist.
    pub async fn delete_record(&self, key: &Key) -> Result<(), ArchiveError> {
        match object(key).filter(|_| is_archivable(key)) {
            Some(name) => Ok(self.objects().delete(&name).await?),
            None => Ok(()),
        }
    }

    /// Returns the keys of all records that begin with a prefix, sorted.
    ///
    /// # Errors
    /// [`ArchiveError`] if the archive cannot be read.
    pub async fn records(&self, prefix: &Key) -> Result<Vec<Key>, ArchiveError> {
        self.opened().await?;
        let of_all = Key::new(ARCHIVED_RECORDS).ok();
        let prefix = if of_all.as_ref().is_some_and(|all| prefix.as_bytes().starts_with(all.as_bytes())) {
            prefix.clone()
        } else {
            match of_all {
                Some(all) if all.as_bytes().starts_with(prefix.as_bytes()) => all,
                Some(_) | None => return Ok(Vec::new()),
            }
        };
        let text = String::from_utf8_lossy(prefix.as_bytes()).into_owned();
        let folder = text.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Ok(folder) = format!("{RECORDS}/{folder}").parse::<ObjectName>() else { return Ok(Vec::new()) };
        let mut keys: Vec<Key> = self.objects().list(&folder).await?.iter().filter_map(key_of).collect();
        keys.retain(|key| key.as_bytes().starts_with(prefix.as_bytes()));
        keys.sort_unstable();
        Ok(keys)
    }

    /// Reads all records, and adds the damaged ones to the report.
    pub(super) async fn check_records(&self, report: &mut Report) -> Result<(), ArchiveError> {
        let Ok(all) = Key::new(ARCHIVED_RECORDS) else { return Ok(()) };
        for key in self.records(&all).await? {
            report.records += 1;
            match self.record(&key).await {
                Err(error) if error.is_damage() => report.add(&error, Vec::new()),
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
        Ok(())
    }
}
