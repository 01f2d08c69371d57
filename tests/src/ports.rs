//! Ports for programs that a test starts, stops and starts again.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// The ports to choose from. By default, kernels choose only higher ones for port 0 and for
/// connections.
const PORTS: Range<u16> = 20_000..32_000;

/// A TCP port of 127.0.0.1 that no other test uses while this value lives, whether or not a process
/// listens on it.
#[derive(Debug)]
pub struct OwnPort {
    number: u16,
    /// The UDP port with the same number. All processes see that it is taken, and it becomes free
    /// when this process ends.
    _claim: UdpSocket,
}

impl OwnPort {
    /// Claims a port on which no process listens.
    ///
    /// # Errors
    /// If there is none.
    pub fn claim() -> io::Result<OwnPort> {
        static TRIED: AtomicU32 = AtomicU32::new(0);
        // Test programs that run at the same time begin at different ports.
        let first = std::process::id().wrapping_mul(61);
        for _ in PORTS {
            let at = first.wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed)) % PORTS.len() as u32;
            let number = PORTS.start + at as u16;
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, number));
            let Ok(claim) = UdpSocket::bind(address) else { continue };
            // A listener would be a surer test of the port, but a child process that another thread
            // starts at this moment would keep it open.
            if TcpStream::connect(address)
                .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
            {
                return Ok(OwnPort { number, _claim: claim });
            }
        }
        Err(io::Error::new(io::ErrorKind::AddrInUse, "no port is free"))
    }

    /// The port's number.
    #[must_use]
    pub const fn number(&self) -> u16 {
        self.number
    }

    /// The port's address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.number).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn claimed_ports_differ_and_are_free_again_and_again() {
        let claimed: Vec<OwnPort> = (0..100).map(|_| OwnPort::claim().unwrap()).collect();
        let numbers: BTreeSet<u16> = claimed.iter().map(OwnPort::number).collect();
        assert_eq!(numbers.len(), claimed.len());
        for port in claimed.iter().chain(&claimed) {
            TcpListener::bind(port.address()).unwrap();
        }
    }

    #[test]
    fn a_port_on_which_a_process_listens_is_not_claimed() {
        // The next port is taken by a program that knows nothing of claims.
        let next = OwnPort::claim().unwrap();
        let listener = TcpListener::bind(next.address()).unwrap();
        drop(next);
        for _ in PORTS {
            assert_ne!(OwnPort::claim().unwrap().address(), listener.local_addr().unwrap());
        }
    }
}
