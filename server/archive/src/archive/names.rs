//! The names of the archive's objects, and objects that consist of one checksummed frame.

use flagfall_store::segment::{FrameWriter, HEADER_BYTES, Seal, parse_or_repair};

use crate::objects::ObjectName;

/// The folder of the manifests.
pub(crate) const MANIFESTS: &str = "manifest";
/// The number of segments in each folder.
const FOLDER_SEGMENTS: u32 = 1_000;

fn name(text: &str) -> ObjectName {
    match text.parse() {
        Ok(name) => name,
        Err(_) => unreachable!("names of objects are made of letters and digits"),
    }
}

pub(crate) fn folder(text: &str) -> ObjectName {
    name(text)
}

pub(crate) fn manifest(number: u32) -> ObjectName {
    name(&format!("{MANIFESTS}/{number:010}"))
}

/// Returns the number of a manifest. `None` if the object is not a manifest.
pub(crate) fn manifest_number(name: &ObjectName) -> Option<u32> {
    let number = name.as_str().strip_prefix(MANIFESTS)?.strip_prefix('/')?.parse().ok()?;
    (manifest(number) == *name).then_some(number)
}

pub(crate) fn segments(group: u32) -> ObjectName {
    name(&format!("segments/{group:07}"))
}

/// Returns how many folders there are for segments whose numbers are below `next`.
pub(crate) fn groups(next: u32) -> u32 {
    next.div_ceil(FOLDER_SEGMENTS)
}

/// Returns the name of the object that contains a segment. If the segment was written again,
/// `object` differs from `number`.
pub(crate) fn segment(number: u32, object: u32) -> ObjectName {
    let (group, nth) = (number / FOLDER_SEGMENTS, number % FOLDER_SEGMENTS);
    if object == number {
        name(&format!("segments/{group:07}/{nth:03}"))
    } else {
        name(&format!("segments/{group:07}/{nth:03}-{object}"))
    }
}

pub(crate) fn index(number: u32) -> ObjectName {
    name(&format!("index/{number:010}"))
}

pub(crate) fn table(number: u32) -> ObjectName {
    name(&format!("tables/{number:010}"))
}

pub(crate) fn removal(number: u32) -> ObjectName {
    name(&format!("deleted/{number:010}"))
}

/// Returns the name of an object that is written as a test and then deleted.
pub(crate) fn probe(number: u64) -> ObjectName {
    name(&format!("probe/{number}"))
}

/// Returns the bytes of an object that consists of one frame.
pub(crate) fn sealed(seal: Seal, tag: u8, payload: &[u8]) -> Vec<u8> {
    let mut frames = FrameWriter::new(seal, HEADER_BYTES as u64, Vec::new());
    frames.push(tag, |out| out.extend_from_slice(payload));
    [&seal.header()[..], frames.bytes()].concat()
}

/// Parses an object that consists of one frame. Returns the archive's id and the payload; `None`
/// if the object is damaged, or has a different number or tag.
pub(crate) fn unsealed(bytes: &[u8], number: u32, tag: u8) -> Option<(u64, Vec<u8>)> {
    let seal = Seal::of_header(bytes).filter(|seal| seal.number == number)?;
    let frame = parse_or_repair(bytes.get(HEADER_BYTES..)?, seal, HEADER_BYTES as u64)?;
    let is_whole = frame.tag == tag && HEADER_BYTES + frame.length as usize == bytes.len();
    is_whole.then(|| (seal.store, frame.payload.into_owned()))
}
