//! Sends mails through the operator's relay.

use std::time::Duration;

use flagfall_tls::Trust;
use lettre::Address;
use lettre::message::Mailbox;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;

use crate::mail_relay::{MailRelay, RelaySecurity};

const DIAL_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for handing a mail to the relay, which may check the mail before it accepts it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The result of handing a mail to the relay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Handed {
    Over,
    /// The relay cannot be reached, or accepts no mail from this server. The reason is for the
    /// operator.
    Away(String),
    /// The relay asked the server to try again later. The text contains the relay's status code.
    Later(String),
    /// The recipient's address was permanently rejected.
    Rejected(String),
    /// The relay permanently refused this mail.
    Refused(String),
}

#[derive(Clone)]
pub(super) struct Mailer {
    relay: MailRelay,
    /// The address of this server, without a slash at its end.
    pub(super) server: String,
    /// The name of the relay as a destination of notices.
    pub(super) lane: String,
}

impl Mailer {
    pub(super) fn new(relay: MailRelay) -> Mailer {
        // The space keeps the name different from the host of any webhook.
        let (server, lane) = (relay.public_url.to_string(), format!("relay {}", relay.host));
        Mailer { relay, server, lane }
    }

    pub(super) fn from(&self) -> &Mailbox {
        &self.relay.from
    }

    pub(super) async fn hand(&self, to: &Address, message: &[u8]) -> Handed {
        let handed = timeout(TIMEOUT, async {
            let mut line = match self.dial().await {
                Ok(line) => line,
                Err(error) => return Handed::Away(error),
            };
            let handed = give(&mut line, &self.relay.from.email, to, message).await;
            line.abort().await;
            handed
        });
        handed.await.unwrap_or_else(|_| Handed::Away("it did not answer in time".to_owned()))
    }

    /// Connects to the relay, encrypts the connection, and logs in.
    async fn dial(&self) -> Result<AsyncSmtpConnection, String> {
        let MailRelay { host, port, security, credentials, trust, .. } = &self.relay;
        let client = client_id(&self.server);
        let tls = |wanted: RelaySecurity| {
            (*security == wanted).then(|| parameters(host, trust)).transpose().map_err(reason)
        };
        let at_once = tls(RelaySecurity::Tls)?;
        let address = (host.as_str(), *port);
        let dialed = AsyncSmtpConnection::connect_tokio1(address, Some(DIAL_TIMEOUT), &client, at_once, None);
        let mut line = dialed.await.map_err(reason)?;
        if let Some(later) = tls(RelaySecurity::StartTls)? {
            line.starttls(later, &client).await.map_err(reason)?;
        }
        if let Some((user, password)) = credentials {
            let credentials = Credentials::new(user.clone(), password.expose().to_owned());
            line.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await.map_err(reason)?;
        }
        Ok(line)
    }
}

/// Returns the name with which this server introduces itself to the relay: the host of its public
/// address.
fn client_id(server: &str) -> ClientId {
    let host = server.split_once("://").map_or(server, |(_, host)| host);
    if let Some(six) = host.strip_prefix('[').and_then(|host| host.split(']').next()) {
        return six.parse().map_or_else(|_| ClientId::default(), ClientId::Ipv6);
    }
    let name = host.split(':').next().unwrap_or_default();
    name.parse().map_or_else(|_| ClientId::Domain(name.to_owned()), ClientId::Ipv4)
}

fn parameters(host: &str, trust: &Trust) -> Result<TlsParameters, Error> {
    let mut builder = TlsParameters::builder(host.to_owned());
    for authority in trust.own() {
        builder = builder.add_root_certificate(Certificate::from_der(authority.to_vec())?);
    }
    builder.build_rustls()
}

/// Hands a mail to a relay that has accepted the login.
async fn give(line: &mut AsyncSmtpConnection, from: &Address, to: &Address, message: &[u8]) -> Handed {
    if let Err(error) = line.command(Mail::new(Some(from.clone()), Vec::new())).await {
        // If the relay refuses the sender, it refuses every mail.
        return Handed::Away(reason(error));
    }
    if let Err(error) = line.command(Rcpt::new(to.clone(), Vec::new())).await {
        return refusal(error, Handed::Rejected);
    }
    if let Err(error) = line.command(Data).await {
        return refusal(error, Handed::Refused);
    }
    match line.message(message).await {
        Ok(_) => Handed::Over,
        Err(error) => refusal(error, Handed::Refused),
    }
}

fn refusal(error: Error, for_good: fn(String) -> Handed) -> Handed {
    match (error.is_permanent(), error.is_transient()) {
        (true, _) => for_good(reason(error)),
        (_, true) => Handed::Later(reason(error)),
        _ => Handed::Away(reason(error)),
    }
}

/// Returns a reason for the operator. A relay's own words are left out, because they may name the
/// recipient.
fn reason(error: Error) -> String {
    match error.status() {
        Some(status) => format!("it answered with {status}"),
        None if error.is_timeout() => "it did not answer in time".to_owned(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_protocol::Secret;
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
    use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;

    /// Returns a certificate authority to trust, and a TLS acceptor with a certificate from it.
    fn authority() -> (Trust, TlsAcceptor) {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("authority.pem");
        std::fs::write(&file, issuer.pem()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap().der().clone();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();
        (Trust::with_authorities(Some(&file)).unwrap(), TlsAcceptor::from(Arc::new(config)))
    }

    /// Acts as a relay with these extensions, and records the commands. Returns when the client
    /// closes the connection or starts TLS.
    async fn converse<S>(stream: S, is_greeting: bool, extensions: &str, heard: &mut Vec<String>) -> S
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut stream = BufReader::new(stream);
        if is_greeting {
            stream.write_all(b"220 relay\r\n").await.unwrap();
        }
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return stream.into_inner();
            }
            heard.push(line.trim_end().to_owned());
            let answer = match line.split([' ', '\r']).next().unwrap() {
                "EHLO" => format!("250-relay\r\n{extensions}"),
                "STARTTLS" => {
                    stream.write_all(b"220 Go on\r\n").await.unwrap();
                    return stream.into_inner();
                }
                "AUTH" => "235 OK".to_owned(),
                "DATA" => "354 Go on".to_owned(),
                "QUIT" => "221 Bye".to_owned(),
                _ => "250 OK".to_owned(),
            };
            // Do not answer the lines of a mail.
            let is_mail =
                heard.iter().any(|line| line == "DATA") && !["DATA", ".", "QUIT"].contains(&line.trim_end());
            if !is_mail && stream.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
                return stream.into_inner();
            }
        }
    }

    /// Hands a mail to a relay with this kind of encryption. Returns the result, and the commands
    /// that were encrypted.
    async fn handed(
        security: RelaySecurity,
        offers: &str,
        trust: Trust,
        tls: TlsAcceptor,
    ) -> (Handed, Vec<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay = MailRelay {
            host: "localhost".to_owned(),
            port: listener.local_addr().unwrap().port(),
            security,
            credentials: Some(("ann".to_owned(), Secret::new("hunter2"))),
            trust,
            from: "mail@example.org".parse().unwrap(),
            public_url: "https://play.example.org:8443".parse().unwrap(),
        };
        let offers = offers.to_owned();
        let answering = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut plain, mut heard) = (Vec::new(), Vec::new());
            if security == RelaySecurity::StartTls {
                stream = converse(stream, true, &offers, &mut plain).await;
                assert!(
                    plain
                        .iter()
                        .all(|line| ["EHLO play.example.org", "STARTTLS", "QUIT"].contains(&line.as_str())),
                    "{plain:?}"
                );
            }
            if let Ok(stream) = tls.accept(stream).await {
                let is_greeting = security == RelaySecurity::Tls;
                converse(stream, is_greeting, "250 AUTH PLAIN LOGIN", &mut heard).await;
            }
            heard
        });
        let handed =
            Mailer::new(relay).hand(&"ann@example.org".parse().unwrap(), b"Subject: x\r\n\r\ny\r\n").await;
        (handed, answering.await.unwrap())
    }

    #[tokio::test]
    async fn credentials_and_mails_go_only_over_tls_to_a_relay_that_is_trusted() {
        let (trust, tls) = authority();
        for (security, offers) in [(RelaySecurity::Tls, ""), (RelaySecurity::StartTls, "250 STARTTLS")] {
            let (handed, heard) = handed(security, offers, trust.clone(), tls.clone()).await;
            assert_eq!(handed, Handed::Over, "{security:?}");
            for line in [
                "EHLO play.example.org",
                "AUTH PLAIN AGFubgBodW50ZXIy",
                "MAIL FROM:<mail@example.org>",
                "RCPT TO:<ann@example.org>",
                "Subject: x",
            ] {
                assert!(heard.iter().any(|heard| heard == line), "{line} in {heard:?}");
            }
            let (handed, heard) = self::handed(security, offers, Trust::default(), tls.clone()).await;
            assert!(matches!(handed, Handed::Away(_)) && heard.is_empty(), "{handed:?} {heard:?}");
        }
        // An attacker between the servers has removed STARTTLS from the relay's answer.
        let (handed, heard) = handed(RelaySecurity::StartTls, "250 8BITMIME", trust, tls).await;
        assert!(matches!(handed, Handed::Away(_)) && heard.is_empty(), "{handed:?} {heard:?}");
    }
}
