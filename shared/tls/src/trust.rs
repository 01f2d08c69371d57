//! The trusted certificate authorities.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// The authorities that browsers trust, plus those in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trust {
    own: Vec<CertificateDer<'static>>,
}

/// The error for a file of authorities that cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum AuthorityError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error(
        "{}: it contains no certificate; it must be a PEM file, with lines such as -----BEGIN CERTIFICATE-----",
        .0.display()
    )]
    Empty(PathBuf),
    #[error("{}: a certificate in it is damaged: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
}

impl Trust {
    /// Adds the authorities in a PEM file, if a file is given.
    pub fn with_authorities(file: Option<&Path>) -> Result<Trust, AuthorityError> {
        let Some(path) = file else { return Ok(Trust::default()) };
        let pem = std::fs::read(path)
            .map_err(|source| AuthorityError::Unreadable { path: path.to_owned(), source })?;
        let damaged = |why: String| AuthorityError::Damaged { path: path.to_owned(), why };
        let own = CertificateDer::pem_slice_iter(&pem)
            .collect::<Result<Vec<_>, PemError>>()
            .map_err(|error| damaged(error.to_string()))?;
        if own.is_empty() {
            return Err(AuthorityError::Empty(path.to_owned()));
        }
        let mut roots = RootCertStore::empty();
        for certificate in &own {
            roots.add(certificate.clone()).map_err(|error| damaged(error.to_string()))?;
        }
        Ok(Trust { own })
    }

    /// Returns the authorities from the file, as DER.
    pub fn own(&self) -> impl Iterator<Item = &[u8]> {
        self.own.iter().map(AsRef::as_ref)
    }

    /// Returns a TLS connector that trusts these authorities.
    pub fn connector(&self) -> TlsConnector {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        // No certificate is skipped here, because all of them were parsed when the file was read.
        roots.add_parsable_certificates(self.own.iter().cloned());
        let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions();
        let Ok(versions) = versions else { unreachable!("ring has cipher suites for every version") };
        TlsConnector::from(Arc::new(versions.with_root_certificates(roots).with_no_client_auth()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_refused_with_a_word() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        let refused = |text: &str| {
            std::fs::write(&path, text).expect("written");
            Trust::with_authorities(Some(&path)).expect_err("no authority").to_string()
        };
        for text in ["", "not PEM at all", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            assert!(refused(text).contains("contains no certificate"), "{text:?}");
        }
        for text in [
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n",
        ] {
            assert!(refused(text).contains("damaged"), "{text:?}");
        }
        let missing = folder.path().join("nothing.pem");
        let said = Trust::with_authorities(Some(&missing)).expect_err("no file").to_string();
        assert!(said.contains("nothing.pem"), "{said}");
    }

    #[test]
    fn without_a_file_browsers_authorities_are_trusted() {
        assert_eq!(Trust::with_authorities(None).expect("no file is read"), Trust::default());
        drop(Trust::default().connector());
    }
}
