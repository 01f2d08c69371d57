//! Embeds the page: its files, their compressed forms, and one hash over all files.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use crate::folder::{Folder, ROOT_FILES, media_type};

#[path = "src/folder.rs"]
#[expect(unreachable_pub, reason = "the library exports it")]
mod folder;
#[path = "src/imports.rs"]
#[expect(unreachable_pub, reason = "the library exports it")]
mod imports;

/// The highest compression level. Compressing all files takes only a second, because the
/// workspace's profiles optimize the compressor.
const BROTLI_QUALITY: i32 = 11;
/// The binary logarithm of the size of the compression window. The window of 4 MiB is larger than
/// any file.
const BROTLI_WINDOW: i32 = 22;
/// The number of bytes of the hash that are used in a name.
const HASH_BYTES: usize = 8;

fn main() -> ExitCode {
    match embed() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "the page cannot be embedded: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

fn embed() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("no CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut said = io::stdout();
    for watched in ["build.rs", "src", "page", "words", "../shared/words"] {
        writeln!(said, "cargo::rerun-if-changed={}", root.join(watched).display())?;
    }
    let folder = Folder::new(&root);
    let mut assets = BTreeMap::new();
    for path in folder.assets()? {
        let bytes = folder.asset(&path)?.unwrap_or_default();
        assets.insert(path, bytes);
    }
    let mut pages = Vec::new();
    for path in assets.keys() {
        let page = path.strip_prefix("pages/").and_then(|name| name.strip_suffix(".js"));
        pages.extend(page.filter(|name| !name.contains('/')).map(str::to_owned));
    }
    let hash = hash_of_all(&folder, &assets, &pages)?;
    let mut documents = BTreeMap::new();
    for page in pages {
        let document = folder.index(&page, &hash)?;
        documents.insert(page, document.into_bytes());
    }
    let mut root_files = BTreeMap::new();
    for name in ROOT_FILES {
        root_files.extend(folder.root_file(name, &hash)?.map(|text| (name.to_owned(), text.into_bytes())));
    }
    let mut source = format!("const HASH: &str = {hash:?};\n");
    write_files(&mut source, "ASSETS", &assets, &out)?;
    write_files(&mut source, "INDEXES", &documents, &out)?;
    write_files(&mut source, "ROOT", &root_files, &out)?;
    fs::write(out.join("page.rs"), source)?;
    Ok(())
}

/// Returns the hash over everything that is sent: assets and documents.
fn hash_of_all(
    folder: &Folder,
    assets: &BTreeMap<String, Vec<u8>>,
    pages: &[String],
) -> Result<String, Box<dyn Error>> {
    let mut hash = Sha256::new();
    let mut add = |name: &str, bytes: &[u8]| {
        for part in [name.as_bytes(), bytes] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    };
    for (path, bytes) in assets {
        add(path, bytes);
    }
    for page in pages {
        add(page, folder.index(page, "")?.as_bytes());
    }
    for name in ROOT_FILES {
        add(name, folder.root_file(name, "")?.unwrap_or_default().as_bytes());
    }
    Ok(hex(&hash.finalize()))
}

/// Returns the first bytes of a hash as text.
fn hex(hash: &[u8]) -> String {
    hash.iter().take(HASH_BYTES).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").ok();
        text
    })
}

/// Writes files and their compressed forms, and adds a table of them to `source`, sorted by name.
fn write_files(
    source: &mut String,
    table: &str,
    files: &BTreeMap<String, Vec<u8>>,
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    writeln!(source, "static {table}: [(&str, Asset); {}] = [", files.len())?;
    for (number, (name, bytes)) in files.iter().enumerate() {
        // A document has the name of its page, without an extension.
        let media_type = media_type(if table == "INDEXES" { "index.html" } else { name })?;
        let written = |ending: &str, bytes: &[u8]| -> io::Result<String> {
            let path = out.join(format!("{}-{number}.{ending}", table.to_lowercase()));
            fs::write(&path, bytes)?;
            Ok(format!("include_bytes!({:?})", path.display().to_string()))
        };
        let compressed = |ending: &str, packed: Vec<u8>| -> io::Result<String> {
            if packed.len() < bytes.len() {
                Ok(format!("Some({})", written(ending, &packed)?))
            } else {
                Ok("None".to_owned())
            }
        };
        writeln!(
            source,
            "({name:?}, Asset {{ media_type: {media_type:?}, tag: \"W/\\\"{}\\\"\", plain: {}, brotli: {}, gzip: {} }}),",
            hex(&Sha256::digest(bytes)),
            written("plain", bytes)?,
            compressed("br", brotli(bytes)?)?,
            compressed("gz", gzip(bytes)?)?,
        )?;
    }
    source.push_str("];\n");
    Ok(())
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let params = BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut io::Cursor::new(bytes), &mut packed, &params)?;
    Ok(packed)
}

/// The header contains neither a time nor a name, so that the same files always produce the same
/// bytes.
fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
}
