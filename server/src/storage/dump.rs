//! Writes a monthly dump of public games to a folder.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flagfall_archive::{Archive, ArchiveError, KnownArchive, Settings};
use flagfall_protocol::{HexBytes, RecordSignature};
use flagfall_services::dump::{Dump, DumpError, Month};
use flagfall_store::Store;
use flagfall_words::counted;
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::archive::{ArchiveFailure, check_known, objects_to_read};
use super::open::{OpenFailure, StoreFailure, open_for_transfer};
use super::report::{Progress, say};
use crate::config::Config;

/// The number of games that are read from the archive at the same time.
const READS: usize = 32;
const COMPRESSION: i32 = 9;

/// The description of a dump, which is written to a file next to the dump.
#[derive(Serialize)]
struct Description {
    format: u32,
    month: String,
    file: String,
    /// The number of lines.
    games: u64,
    /// The length and the SHA-256 of the file.
    bytes: u64,
    sha256: HexBytes,
    /// The length and the SHA-256 of the uncompressed lines.
    lines_bytes: u64,
    lines_sha256: HexBytes,
    /// The server's signature. It covers the month, the number of games and the SHA-256 of the
    /// file.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<RecordSignature>,
}

/// A writer that counts and hashes the bytes that pass through it.
struct Summed<W> {
    inner: W,
    sum: Sha256,
    bytes: u64,
}

impl<W> Summed<W> {
    fn new(inner: W) -> Summed<W> {
        Summed { inner, sum: Sha256::new(), bytes: 0 }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes the dump of a month to a folder, which is created if it does not exist.
pub(super) async fn dump(config: &Config, month: &Month, folder: &Path) -> Result<(), StoreFailure> {
    let opened = |error: ArchiveError| OpenFailure::from(ArchiveFailure::from(error));
    let objects = objects_to_read(&config.archive_place()).map_err(OpenFailure::from)?;
    let objects = objects.ok_or(StoreFailure::NoArchive)?;
    let settings = Settings { cache_bytes: 0, ..Settings::default() };
    let archive = Archive::open_to_read(objects, settings).await.map_err(opened)?;
    let archive = archive.ok_or(StoreFailure::NoArchive)?;
    let store = open_for_transfer(config).await?;
    let known = KnownArchive::of(&*store).await?;
    check_known(config, known.as_ref(), Some(archive.id())).map_err(OpenFailure::from)?;
    let name = format!("flagfall-{}", month.as_str());
    let (file, unfinished) = (folder.join(format!("{name}.jsonl.zst")), folder.join(format!("{name}.part")));
    let failed = |file: &Path| {
        let file = file.to_owned();
        move |error| StoreFailure::File { file: file.clone(), error }
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    if file.exists() {
        return Err(failed(&file)(io::ErrorKind::AlreadyExists.into()));
    }
    let mut made = write_lines(&*store, &archive, month, &unfinished).await?;
    made.file = format!("{name}.jsonl.zst");
    let text = format!("{} {} {}", made.month, made.games, made.sha256);
    let key = config.signing_key().map_err(StoreFailure::Key)?;
    made.signature = key.and_then(|key| key.sign_dump(&text));
    let beside = |ending: &str| folder.join(format!("{name}.{ending}"));
    let description = serde_json::to_string_pretty(&made).map_err(io::Error::from);
    let write = |path: PathBuf, text: &str| fs::write(&path, text).map_err(failed(&path));
    write(beside("json"), &(description.map_err(failed(&beside("json")))? + "\n"))?;
    write(beside("sha256"), &format!("{}  {}\n", made.sha256, made.file))?;
    // Rename the file last, so that a file with the final name is complete.
    fs::rename(&unfinished, &file).map_err(failed(&file))?;
    say(&format!("wrote {} to {}", counted(made.games, "game", "games"), file.display()));
    Ok(())
}

async fn write_lines(
    store: &dyn Store,
    archive: &Archive,
    month: &Month,
    path: &Path,
) -> Result<Description, StoreFailure> {
    let failed = |error| StoreFailure::File { file: path.to_owned(), error };
    let mut progress = Progress::begin();
    let mut dump = Dump::new(store, archive, month.clone()).await?;
    let read = |read| progress.tell(format_args!("read so far: {}", counted(read, "game", "games")));
    let games = dump.games(read).await?;
    let out = Summed::new(BufWriter::new(File::create(path).map_err(failed)?));
    let mut lines = Summed::new(zstd::Encoder::new(out, COMPRESSION).map_err(failed)?);
    let mut written = 0;
    let mut logs = stream::iter(&games).map(|game| archive.read(*game)).buffered(READS);
    while let Some(log) = logs.next().await {
        // A game may have been erased in the meantime.
        let Some(log) = log.map_err(DumpError::from)? else { continue };
        if let Some(mut line) = dump.line(&log).await? {
            line.push(b'\n');
            lines.write_all(&line).map_err(failed)?;
            written += 1;
            progress.tell(format_args!("written so far: {}", counted(written, "game", "games")));
        }
    }
    let Summed { inner, sum: lines_sum, bytes: lines_bytes } = lines;
    let Summed { inner: file, sum, bytes } = inner.finish().map_err(failed)?;
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    let [sha256, lines_sha256] = [sum, lines_sum].map(|sum| HexBytes(sum.finalize().into()));
    let (month, file, signature) = (month.as_str().to_owned(), String::new(), None);
    Ok(Description {
        format: 1,
        month,
        file,
        games: written,
        bytes,
        sha256,
        lines_bytes,
        lines_sha256,
        signature,
    })
}
