//! TLS files for Redis.

use std::path::{Path, PathBuf};

use clap::Args;
use flagfall_store::RedisAddress;
use flagfall_store::redis::{AddressError, RedisTls};
use thiserror::Error;

/// The TLS files for Redis. They are read once, at start.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
pub struct RedisTlsFiles {
    /// For rediss:// addresses: a PEM file with the certificates of the certificate authorities
    /// that may have issued Redis's certificate. If unset, the server trusts the authorities that
    /// browsers trust.
    #[arg(long, env = "FLAGFALL_REDIS_CA", value_name = "FILE", global = true, help_heading = "Redis")]
    pub redis_ca: Option<PathBuf>,
    /// A PEM file with the server's own certificate, for a Redis that requires client certificates
    /// (tls-auth-clients).
    #[arg(long, env = "FLAGFALL_REDIS_CERT", value_name = "FILE", global = true, help_heading = "Redis")]
    pub redis_cert: Option<PathBuf>,
    /// A PEM file with the private key of --redis-cert.
    #[arg(long, env = "FLAGFALL_REDIS_KEY", value_name = "FILE", global = true, help_heading = "Redis")]
    pub redis_key: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RedisTlsError {
    /// A certificate without its key, or the other way round.
    #[error("--redis-cert and --redis-key go together: set both, or neither")]
    Half,
    #[error(
        "--redis-ca, --redis-cert and --redis-key need TLS, but --store is {0}: use rediss://…, or remove these flags"
    )]
    NoTls(String),
    /// A file cannot be read.
    #[error("{file} cannot be read: {why}")]
    Unreadable { file: PathBuf, why: String },
    #[error("{0}: check the files of --redis-ca, --redis-cert and --redis-key")]
    Address(#[from] AddressError),
}

impl RedisTlsFiles {
    pub fn apply(&self, address: &RedisAddress) -> Result<RedisAddress, RedisTlsError> {
        if *self == RedisTlsFiles::default() {
            return Ok(address.clone());
        }
        let identity = match (&self.redis_cert, &self.redis_key) {
            (Some(certificate), Some(key)) => Some((read(certificate)?, read(key)?)),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return Err(RedisTlsError::Half),
        };
        if !address.is_tls() {
            return Err(RedisTlsError::NoTls(address.to_string()));
        }
        let authorities = self.redis_ca.as_deref().map(read).transpose()?;
        Ok(address.clone().with_tls(RedisTls { authorities, identity })?)
    }
}

fn read(file: &Path) -> Result<Vec<u8>, RedisTlsError> {
    std::fs::read(file)
        .map_err(|error| RedisTlsError::Unreadable { file: file.to_owned(), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsuitable_settings_are_reported_before_redis_is_asked() {
        let tls: RedisAddress = "rediss://:secret@db.example".parse().unwrap();
        let plain: RedisAddress = "redis://:secret@db.example".parse().unwrap();
        let file = |name: &str| Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name));
        let said =
            |files: RedisTlsFiles, address: &RedisAddress| files.apply(address).unwrap_err().to_string();
        let nothing = RedisTlsFiles::default;

        assert!(nothing().apply(&plain).is_ok() && nothing().apply(&tls).is_ok());
        let half = RedisTlsFiles { redis_cert: file("Cargo.toml"), ..nothing() };
        assert!(said(half, &tls).contains("go together"));
        let unread = RedisTlsFiles { redis_ca: file("no-such-file"), ..nothing() };
        assert!(said(unread, &tls).contains("no-such-file cannot be read"));
        let none = RedisTlsFiles { redis_ca: file("Cargo.toml"), ..nothing() };
        assert!(said(none.clone(), &tls).contains("none in PEM form"));
        let said = said(none, &plain);
        assert!(said.contains("rediss://…") && !said.contains("secret"), "{said}");
    }
}
