//! Tests of TLS with a real Redis: which certificates are trusted, and which errors untrusted
//! ones cause.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::path::{Path, PathBuf};

use common::redis::RedisServer;
use common::{TIMEOUT, append, append_ok, game, scratch, texts};
use flagfall_store::redis::RedisTls;
use flagfall_store::{Head, RedisAddress, RedisOptions, RedisStore, Store as _};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair};
use tokio::time::timeout;

/// A certificate authority for a test. Its folder contains the certificates that it has signed.
struct Authority {
    folder: tempfile::TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let mut params = named(CertificateParams::default(), name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = scratch();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Authority { folder, issuer }
    }

    /// Creates a certificate for this name and a key for it, as files.
    fn sign(&self, name: &str) -> (PathBuf, PathBuf) {
        let key = KeyPair::generate().unwrap();
        let params = named(CertificateParams::new([name.to_owned()]).unwrap(), name);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let files = ["pem", "key"].map(|end| self.folder.path().join(format!("{name}.{end}")));
        std::fs::write(&files[0], certificate.pem()).unwrap();
        std::fs::write(&files[1], key.serialize_pem()).unwrap();
        let [certificate, key] = files;
        (certificate, key)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Starts a Redis whose certificate is for this name. `asks` is Redis's setting for client
    /// certificates.
    fn start(&self, name: &str, asks: &str) -> RedisServer {
        let (certificate, key) = self.sign(name);
        let ca = self.file();
        let [certificate, key, ca] = [&certificate, &key, &ca].map(|file| file.to_str().unwrap());
        RedisServer::start_tls(&[
            "--tls-cert-file",
            certificate,
            "--tls-key-file",
            key,
            "--tls-ca-cert-file",
            ca,
            "--tls-auth-clients",
            asks,
        ])
    }
}

fn named(mut params: CertificateParams, name: &str) -> CertificateParams {
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn read(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap()
}

async fn refused(scheme: &str, redis: &RedisServer, tls: RedisTls) -> String {
    open(scheme, redis, tls).await.err().expect("opening must fail")
}

async fn open(scheme: &str, redis: &RedisServer, tls: RedisTls) -> Result<RedisStore, String> {
    let text = format!("{scheme}://127.0.0.1:{}", redis.port());
    let address = text.parse::<RedisAddress>().unwrap().with_tls(tls).unwrap();
    RedisStore::open(address, RedisOptions::default()).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn games_are_kept_in_a_redis_whose_authority_is_named() {
    let authority = Authority::new("club");
    let redis = authority.start("127.0.0.1", "no");
    let tls = || RedisTls { authorities: Some(read(&authority.file())), identity: None };
    let one = open("rediss", &redis, tls()).await.unwrap();
    let other = open("rediss", &redis, tls()).await.unwrap();
    let mut told = other.announcements().unwrap();
    append_ok(&one, append(game(1), Head::START, &["a", "b"])).await;
    assert_eq!(texts(&other, game(1)).await, ["a", "b"]);
    // Announcements must also work over TLS.
    timeout(TIMEOUT, told.recv()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_redis_that_wants_a_client_certificate_gets_it() {
    let authority = Authority::new("club");
    let redis = authority.start("127.0.0.1", "yes");
    let authorities = || Some(read(&authority.file()));
    let said = refused("rediss", &redis, RedisTls { authorities: authorities(), identity: None }).await;
    assert!(said.contains("--redis-cert"), "{said}");
    let (certificate, key) = authority.sign("server");
    let identity = Some((read(&certificate), read(&key)));
    let store = open("rediss", &redis, RedisTls { authorities: authorities(), identity }).await.unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
}

#[tokio::test]
async fn a_redis_that_is_not_believed_is_told_why_and_gets_nothing() {
    let (authority, stranger) = (Authority::new("club"), Authority::new("stranger"));
    let redis = authority.start("127.0.0.1", "no");
    let tls = |authority: &Authority| RedisTls { authorities: Some(read(&authority.file())), identity: None };
    for unknown in [RedisTls::default(), tls(&stranger)] {
        let said = refused("rediss", &redis, unknown).await;
        assert!(said.contains("name who has issued it with --redis-ca"), "{said}");
    }
    let elsewhere = authority.start("db.example", "no");
    let said = refused("rediss", &elsewhere, tls(&authority)).await;
    assert!(said.contains("its certificate is not for this name"), "{said}");
    let said = refused("redis", &redis, RedisTls::default()).await;
    assert!(said.contains("rediss://"), "{said}");
    let plain = RedisServer::start();
    let said = refused("rediss", &plain, tls(&authority)).await;
    assert!(said.contains("does it speak TLS on that port?"), "{said}");
}
