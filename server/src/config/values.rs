//! The types of setting values, and the messages about wrong values.

use std::ffi::OsStr;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use flagfall_store::RedisAddress;
use tracing_subscriber::filter::{ParseError, Targets};

/// The address for metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsListen {
    Off,
    At(SocketAddr),
}

impl FromStr for MetricsListen {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricsListen, String> {
        if text == "none" {
            return Ok(MetricsListen::Off);
        }
        socket_address(text).map(MetricsListen::At).map_err(|error| format!("{error}; or write none"))
    }
}

pub(super) fn socket_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "wanted: an IP address of this machine and a port, such as 127.0.0.1:7171, 0.0.0.0:7171 or [::1]:7171; \
         host names are not accepted, because a name may have several addresses"
            .to_owned()
    })
}

#[derive(Clone, Debug)]
pub enum StoreKind {
    Embedded,
    Memory,
    Redis(RedisAddress),
}

impl FromStr for StoreKind {
    type Err = String;

    fn from_str(text: &str) -> Result<StoreKind, String> {
        match text {
            "embedded" => Ok(StoreKind::Embedded),
            "memory" => Ok(StoreKind::Memory),
            // The error does not repeat the value, which may contain a password.
            text => text
                .parse()
                .map(StoreKind::Redis)
                .map_err(|error| format!("embedded, memory, or a Redis; {error}")),
        }
    }
}

/// Parses `--store`. Error messages do not repeat an invalid value, because it may contain a
/// password and messages may be logged.
#[derive(Clone)]
pub(super) struct StoreParser;

impl TypedValueParser for StoreParser {
    type Value = StoreKind;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<StoreKind, clap::Error> {
        value.to_string_lossy().parse().map_err(|why: String| {
            let message = format!("--store (FLAGFALL_STORE) must be {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

/// The place of the archive of finished games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArchivePlace {
    Off,
    Folder(PathBuf),
    /// S3-compatible storage: `s3://BUCKET/PREFIX`.
    S3(String),
}

impl fmt::Display for ArchivePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchivePlace::Off => f.write_str("off"),
            ArchivePlace::Folder(folder) => folder.display().fmt(f),
            ArchivePlace::S3(place) => f.write_str(place),
        }
    }
}

impl FromStr for ArchivePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<ArchivePlace, String> {
        match text {
            "off" => Ok(ArchivePlace::Off),
            text if text.starts_with("s3://") => Ok(ArchivePlace::S3(text.to_owned())),
            text if text.is_empty() || text.contains("://") => {
                Err("name a folder or a bucket (s3://BUCKET/PREFIX), or write off".to_owned())
            }
            folder => Ok(ArchivePlace::Folder(folder.into())),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// For a person.
    Human,
    /// One JSON object per line.
    Json,
}

/// A level for everything, and levels for modules.
#[derive(Clone, PartialEq, Debug)]
pub struct LogFilter(pub Targets);

impl FromStr for LogFilter {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<LogFilter, ParseError> {
        text.parse().map(LogFilter)
    }
}
