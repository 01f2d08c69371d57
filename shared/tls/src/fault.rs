//! The reasons why a TLS handshake failed.

use std::io;

use tokio_rustls::rustls::{CertificateError, Error, InvalidMessage};

/// Why a TLS connection could not be made. `Display` continues a sentence that begins with the
/// peer's name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each fault is")]
pub enum HandshakeFault {
    #[error("its certificate was issued by an authority that is not trusted here")]
    UntrustedIssuer,
    #[error("its certificate is not for this name{}", but_for(named))]
    WrongName { named: Vec<String> },
    #[error("its certificate has expired")]
    Expired { at_ms: Option<u64> },
    #[error("its certificate is not valid yet")]
    NotYetValid,
    #[error("its certificate is not accepted: {0}")]
    Unacceptable(String),
    #[error("it does not speak TLS")]
    NoTls,
    #[error("it closed the connection during the TLS handshake")]
    HungUp,
    #[error("the TLS handshake failed: {0}")]
    Other(String),
}

fn but_for(named: &[String]) -> String {
    if named.is_empty() { String::new() } else { format!(" but for {}", named.join(", ")) }
}

impl From<&io::Error> for HandshakeFault {
    fn from(error: &io::Error) -> HandshakeFault {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
        match inner {
            Some(Error::InvalidCertificate(error)) => of_certificate(error),
            Some(Error::InvalidMessage(
                InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
            )) => HandshakeFault::NoTls,
            Some(error) => HandshakeFault::Other(error.to_string()),
            None => match error.kind() {
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe => HandshakeFault::HungUp,
                _ => HandshakeFault::Other(error.to_string()),
            },
        }
    }
}

fn of_certificate(error: &CertificateError) -> HandshakeFault {
    match error {
        // A bad signature can also mean an untrusted issuer: a trusted certificate can have the
        // issuer's name but a different key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => HandshakeFault::UntrustedIssuer,
        CertificateError::NotValidForName => HandshakeFault::WrongName { named: Vec::new() },
        CertificateError::NotValidForNameContext { expected: _, presented } => {
            HandshakeFault::WrongName { named: presented.iter().map(|name| bare(name).to_owned()).collect() }
        }
        CertificateError::Expired => HandshakeFault::Expired { at_ms: None },
        CertificateError::ExpiredContext { time: _, not_after } => {
            HandshakeFault::Expired { at_ms: Some(not_after.as_secs().saturating_mul(1_000)) }
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            HandshakeFault::NotYetValid
        }
        other => HandshakeFault::Unacceptable(other.to_string()),
    }
}

/// Returns the bare name from text such as `DnsName("example.org")` or `IpAddress(192.0.2.1)`.
fn bare(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
    inner.trim_matches('"')
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::pki_types::{ServerName, UnixTime};

    use super::*;

    fn fault(error: CertificateError) -> HandshakeFault {
        HandshakeFault::from(&io::Error::other(Error::InvalidCertificate(error)))
    }

    #[test]
    fn certificate_names_are_shown_without_their_wrapping() {
        let expected = ServerName::try_from("a.example").expect("a name");
        let presented = vec![r#"DnsName("b.example")"#.to_owned(), "IpAddress(192.0.2.1)".to_owned()];
        let fault = fault(CertificateError::NotValidForNameContext { expected, presented });
        assert_eq!(fault.to_string(), "its certificate is not for this name but for b.example, 192.0.2.1");
    }

    #[test]
    fn an_expired_certificate_tells_when() {
        let at = |seconds| UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        let fault = fault(CertificateError::ExpiredContext { time: at(20), not_after: at(10) });
        assert_eq!(fault, HandshakeFault::Expired { at_ms: Some(10_000) });
    }

    #[test]
    fn every_fault_has_words_of_its_own() {
        let faults = [
            HandshakeFault::UntrustedIssuer,
            HandshakeFault::WrongName { named: Vec::new() },
            HandshakeFault::Expired { at_ms: None },
            HandshakeFault::NotYetValid,
            HandshakeFault::Unacceptable("x".to_owned()),
            HandshakeFault::NoTls,
            HandshakeFault::HungUp,
            HandshakeFault::Other("x".to_owned()),
        ];
        let words: std::collections::BTreeSet<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), faults.len());
        let eof = io::Error::from(io::ErrorKind::UnexpectedEof);
        assert_eq!(HandshakeFault::from(&eof), HandshakeFault::HungUp);
    }
}
