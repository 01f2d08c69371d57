//! The archive's objects in S3-compatible storage.

mod http;

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use flagfall_tls::Trust;
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, RetryConfig,
};
use thiserror::Error as ThisError;

use self::http::Connector;
use crate::objects::{ArchiveStore, ObjectError, ObjectName, ObjectResult};

/// The maximum number of retries of a request.
const RETRIES_MAX: usize = 5;
/// The time after which a request is not retried.
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);

/// Why storage cannot be used as an archive.
#[derive(Debug, ThisError)]
pub enum RemoteError {
    /// The address does not have the right form.
    #[error("an archive in S3-compatible storage has an address such as s3://BUCKET/PREFIX")]
    Address,
    /// The endpoint would send games and signatures without encryption.
    #[error("AWS_ENDPOINT_URL must begin with https://, except on this machine")]
    Plain,
    /// The settings from the environment cannot be used.
    #[error("the storage cannot be used: {0}")]
    Settings(Error),
}

/// The archive's objects in storage that the `object_store` crate supports. `Debug` shows no
/// settings, because they contain credentials.
#[derive(Clone)]
pub struct ObjectStoreArchive {
    store: Arc<dyn ObjectStore>,
    /// The prefix of all names in the storage.
    prefix: Path,
}

impl fmt::Debug for ObjectStoreArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectStoreArchive({})", self.prefix)
    }
}

impl ObjectStoreArchive {
    /// Returns an archive in this storage. All names begin with `prefix`.
    #[must_use]
    pub fn new(store: Arc<dyn ObjectStore>, prefix: Path) -> ObjectStoreArchive {
        ObjectStoreArchive { store, prefix }
    }

    /// Returns an archive in a bucket of S3-compatible storage. `address` is `s3://BUCKET/PREFIX`
    /// or `s3://BUCKET`.
    ///
    /// Credentials, region and endpoint come from the usual environment variables, such as
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and `AWS_ENDPOINT_URL`. The
    /// storage must support conditional writes (`If-None-Match`).
    ///
    /// # Errors
    /// [`RemoteError`] if the address or the environment cannot be used. Nothing is sent.
    pub fn s3(address: &str, trust: &Trust) -> Result<ObjectStoreArchive, RemoteError> {
        ObjectStoreArchive::s3_with(address, trust, AmazonS3Builder::from_env())
    }

    /// Like [`ObjectStoreArchive::s3`], but uses these settings instead of the environment.
    ///
    /// # Errors
    /// [`RemoteError`] if the address or the settings cannot be used. Nothing is sent.
    pub fn s3_with(
        address: &str,
        trust: &Trust,
        settings: AmazonS3Builder,
    ) -> Result<ObjectStoreArchive, RemoteError> {
        let path = address.strip_prefix("s3://").ok_or(RemoteError::Address)?;
        let (bucket, prefix) = path.split_once('/').unwrap_or((path, ""));
        if bucket.is_empty() {
            return Err(RemoteError::Address);
        }
        let prefix = Path::parse(prefix).map_err(|_| RemoteError::Address)?;
        for key in [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint] {
            let endpoint = settings.get_config_value(&key);
            if endpoint.is_some_and(|endpoint| !http::is_allowed_endpoint(&endpoint)) {
                return Err(RemoteError::Plain);
            }
        }
        let backoff = BackoffConfig { max_backoff: Duration::from_secs(5), ..BackoffConfig::default() };
        let store = settings
            .with_bucket_name(bucket)
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            // Some storage cannot delete several objects in one request.
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig { backoff, max_retries: RETRIES_MAX, retry_timeout: RETRY_TIMEOUT })
            .with_http_connector(Connector::new(trust))
            .build()
            .map_err(RemoteError::Settings)?;
        Ok(ObjectStoreArchive::new(Arc::new(store), prefix))
    }

    fn path(&self, name: &ObjectName) -> Path {
        let parts = self.prefix.parts().map(|part| part.as_ref().to_owned());
        parts.chain(name.as_str().split('/').map(str::to_owned)).collect()
    }

    /// Returns the name of the object at this path. `None` if the path does not belong to the
    /// archive.
    fn name(&self, path: &Path) -> Option<ObjectName> {
        let parts: Vec<_> = path.prefix_match(&self.prefix)?.collect();
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        parts.join("/").parse().ok()
    }

    async fn put(&self, name: &ObjectName, bytes: Vec<u8>) -> Result<bool, Error> {
        let options = PutOptions::from(PutMode::Create);
        match self.store.put_opts(&self.path(name), bytes.into(), options).await {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn read(&self, name: &ObjectName, range: Range<u64>) -> Result<Option<Vec<u8>>, Error> {
        let path = self.path(name);
        if range.is_empty() {
            // Storage does not support reads of empty ranges.
            let meta = self.store.head(&path).await?;
            return Ok((range.start <= meta.size).then(Vec::new));
        }
        // If the object ends before the range does, storage returns only the existing bytes. So a
        // wrong length does not allocate much memory.
        let options = GetOptions::default().with_range(Some(range.clone()));
        let bytes = match self.store.get_opts(&path, options).await {
            Ok(found) => found.bytes().await?,
            Err(error @ (Error::NotFound { .. } | Error::PermissionDenied { .. })) => return Err(error),
            // Storage also reports an error if the range begins after the end of the object, so
            // compare the range with the object's length.
            Err(error) => {
                let size = self.store.head(&path).await?.size;
                return if size < range.end { Ok(None) } else { Err(error) };
            }
        };
        Ok((bytes.len() as u64 == range.end - range.start).then(|| bytes.to_vec()))
    }
}

fn fault(name: &ObjectName, error: Error) -> ObjectError {
    match error {
        Error::NotFound { .. } => ObjectError::Absent(name.clone()),
        error => ObjectError::Unavailable { name: name.clone(), error: io::Error::other(error) },
    }
}

impl ArchiveStore for ObjectStoreArchive {
    fn put_if_absent(&self, name: &ObjectName, bytes: Vec<u8>) -> ObjectResult<'_, bool> {
        let name = name.clone();
        Box::pin(async move { self.put(&name, bytes).await.map_err(|error| fault(&name, error)) })
    }

    fn get(&self, name: &ObjectName, range: Range<u64>) -> ObjectResult<'_, Vec<u8>> {
        let name = name.clone();
        Box::pin(async move {
            let read = self.read(&name, range).await.map_err(|error| fault(&name, error))?;
            read.ok_or(ObjectError::Range(name))
        })
    }

    fn length(&self, name: &ObjectName) -> ObjectResult<'_, Option<u64>> {
        let name = name.clone();
        Box::pin(async move {
            match self.store.head(&self.path(&name)).await {
                Ok(meta) => Ok(Some(meta.size)),
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(fault(&name, error)),
            }
        })
    }

    fn list(&self, folder: &ObjectName) -> ObjectResult<'_, Vec<ObjectName>> {
        let folder = folder.clone();
        Box::pin(async move {
            let listed = self.store.list(Some(&self.path(&folder)));
            let names = listed.try_filter_map(|meta| async move { Ok(self.name(&meta.location)) });
            // A missing folder is listed as empty, so an error means that the bucket is missing or
            // cannot be reached.
            let away =
                |error| ObjectError::Unavailable { name: folder.clone(), error: io::Error::other(error) };
            let mut names: Vec<_> = names.try_collect().await.map_err(away)?;
            names.sort_unstable();
            Ok(names)
        })
    }

    fn delete(&self, name: &ObjectName) -> ObjectResult<'_, ()> {
        let name = name.clone();
        Box::pin(async move {
            match self.store.delete(&self.path(&name)).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(fault(&name, error)),
            }
        })
    }
}
