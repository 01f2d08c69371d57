//! Tests of the archive in S3-compatible storage.

use std::sync::Arc;

use flagfall_archive::{Archive, ArchiveStore as _, ObjectError, ObjectStoreArchive, RemoteError};
use flagfall_tls::Trust;
use object_store::aws::AmazonS3Builder;

use super::s3_server::Storage;
use super::stores::name;
use super::whole::{assert_readable, games, settings};

#[tokio::test]
async fn games_are_kept_in_s3() {
    let storage = Storage::start().await;
    let objects = Arc::new(storage.archive("s3://games/flagfall"));
    let archive = Archive::open(objects.clone(), settings()).await.expect("an archive");
    archive.add(games(0..3)).await.expect("added");
    // The storage is busy for a moment. Later, the answer to a write is lost.
    (storage.state.lock().busy, storage.state.lock().lost_answers) = (2, 0);
    archive.add(games(3..5)).await.expect("added");
    storage.state.lock().lost_answers = 1;
    while archive.add(games(5..7)).await.is_err() {}
    let archive = Archive::open(objects, settings()).await.expect("an archive");
    for number in 0..7 {
        assert_readable(&archive, number).await;
    }
    assert!(storage.connections() <= 4, "{} connections", storage.connections());
    assert!(storage.state.lock().objects.keys().all(|key| key.starts_with("flagfall/")));
}

#[tokio::test]
async fn storage_that_refuses_is_not_an_empty_archive() {
    let storage = Storage::start().await;
    let settings = AmazonS3Builder::new()
        .with_endpoint(format!("http://{}", storage.address))
        .with_access_key_id("other")
        .with_secret_access_key("secret");
    let archive = ObjectStoreArchive::s3_with("s3://games", &Trust::default(), settings).expect("settings");
    let manifest = name("manifest/1");
    assert!(archive.list(&name("manifest")).await.is_err());
    assert!(archive.length(&manifest).await.is_err());
    assert!(archive.get(&manifest, 0..9).await.is_err());
    assert!(archive.put_if_absent(&manifest, b"first".to_vec()).await.is_err());
    assert!(archive.delete(&manifest).await.is_err());
}

#[tokio::test]
async fn without_the_bucket_nothing_is_damaged() {
    let storage = Storage::start().await;
    let listed = storage.archive("s3://other").list(&name("manifest")).await;
    assert!(matches!(listed, Err(ObjectError::Unavailable { .. })), "{listed:?}");
}

#[test]
fn an_address_in_storage_is_checked() {
    let address = |address: &str, endpoint: &str| {
        let settings = AmazonS3Builder::new().with_endpoint(endpoint);
        ObjectStoreArchive::s3_with(address, &Trust::default(), settings).map(drop)
    };
    for good in ["s3://games", "s3://games/", "s3://games/a/b"] {
        assert!(address(good, "https://storage.example.com").is_ok(), "{good}");
    }
    for bad in ["", "s3:games", "s3://", "s3:///prefix", "http://games", "s3://games/a//b"] {
        let refused = address(bad, "https://storage.example.com");
        assert!(matches!(refused, Err(RemoteError::Address)), "{bad}");
    }
    let refused = address("s3://games", "http://storage.example.com");
    assert!(matches!(refused, Err(RemoteError::Plain)));
}
