//! Queries `/health` of a running server, for containers and service managers that have no other
//! HTTP client.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use thiserror::Error;

/// Time limit for connecting, and for each read and write.
const TIMEOUT: Duration = Duration::from_secs(4);
const ANSWER_LEN_MAX: u64 = 16 * 1024;

#[derive(Debug, Error)]
pub enum ProbeError {
    #[error("no server answers on {address}: {error}")]
    Silent { address: SocketAddr, error: io::Error },
    /// The server answered that it is not healthy.
    #[error("the server on {address} is not healthy: {answer}")]
    Failing { address: SocketAddr, answer: String },
}

pub fn probe(listen: SocketAddr) -> Result<String, ProbeError> {
    let address = reachable(listen);
    let text = get_health(address).map_err(|error| ProbeError::Silent { address, error })?;
    let (head, answer) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let is_well = head.split(' ').nth(1) == Some("200");
    let answer = answer.trim().to_owned();
    if is_well { Ok(answer) } else { Err(ProbeError::Failing { address, answer }) }
}

fn get_health(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    // Send the whole request in one write, because a server that answers after the first line might
    // close the connection before the rest has been sent.
    let request = format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.take(ANSWER_LEN_MAX).read_to_string(&mut text)?;
    Ok(text)
}

/// Returns the address at which a server that listens on all addresses can be reached from its
/// own machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let here = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(here, listen.port())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn answered(answer: &'static str) -> Result<String, ProbeError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            let mut lines = BufReader::new(&stream);
            while !asked.ends_with("\r\n\r\n") {
                assert!(lines.read_line(&mut asked).unwrap() > 0, "{asked}");
            }
            stream.write_all(answer.as_bytes()).unwrap();
            asked
        });
        let probed = probe(address);
        assert!(server.join().unwrap().starts_with("GET /health HTTP/1.1\r\n"));
        probed
    }

    #[test]
    fn the_health_check_tells_good_servers_from_bad_ones() {
        let well = answered("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        assert_eq!(well.unwrap(), "{}");
        let failing =
            answered("HTTP/1.1 503 Service Unavailable\r\n\r\n{\"status\":\"stopping\"}\n").unwrap_err();
        assert!(failing.to_string().ends_with("{\"status\":\"stopping\"}"), "{failing}");
        assert!(matches!(answered("nonsense"), Err(ProbeError::Failing { .. })));
    }

    #[test]
    fn an_unreachable_server_is_reported() {
        let port = flagfall_tests::OwnPort::claim().unwrap();
        let free = port.address();
        let error = probe(free).unwrap_err();
        assert!(error.to_string().starts_with(&format!("no server answers on {free}")), "{error}");
    }

    #[test]
    fn a_server_that_listens_everywhere_is_asked_here() {
        let asked = |listen: &str| reachable(listen.parse().unwrap()).to_string();
        assert_eq!(asked("0.0.0.0:7171"), "127.0.0.1:7171");
        assert_eq!(asked("[::]:7171"), "[::1]:7171");
        assert_eq!(asked("10.0.0.7:1"), "10.0.0.7:1");
    }
}
