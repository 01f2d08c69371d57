//! The connections that the writers of several buckets share.
//!
//! All buckets of a master share one connection. So what their writers send at the same moment
//! arrives with one packet, and its answers leave with one. If replicas must confirm, each writer
//! has a connection of its own, because a `WAIT` holds up the whole connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::address::RedisAddress;
use super::layout::Keys;
use super::link::Link;
use super::options::RedisOptions;
use super::request_error::RequestError;

/// How long the answer of a master about its durability also counts for the writers of its other
/// buckets. They connect at the same moment, and a round trip for each would take seconds over a
/// slow line.
const KNOWN_FOR: Duration = Duration::from_secs(1);

/// The shared connections of a store, by the addresses of the masters.
#[derive(Default)]
pub(super) struct Masters(Mutex<HashMap<String, Arc<Place>>>);

struct Place {
    known: tokio::sync::Mutex<Known>,
    /// The number of failed attempts to connect.
    failures: AtomicU64,
}

struct Known {
    /// The connection, or why there is none.
    link: Result<Link, RequestError>,
    /// The time of the master's last answer about its durability.
    answered_at: Instant,
}

impl Default for Place {
    fn default() -> Place {
        let link = Err(RequestError::not_done("Redis was not asked yet"));
        let known = Known { link, answered_at: Instant::now() };
        Place { known: tokio::sync::Mutex::new(known), failures: AtomicU64::new(0) }
    }
}

impl Masters {
    /// Returns a connection for a writer. If connecting fails, the writers that waited for it get
    /// the same error.
    pub(super) async fn link(
        &self,
        address: &RedisAddress,
        options: &RedisOptions,
        keys: &Keys,
    ) -> Result<Link, RequestError> {
        let client = Link::client(address, options).await?;
        if !keys.is_bucket() || options.replicas > 0 {
            return Link::connect(client, address, options, keys).await;
        }
        let master = client.get_connection_info().addr().to_string();
        let place = self.0.lock().entry(master).or_default().clone();
        let failures = place.failures.load(Ordering::SeqCst);
        let Known { link: known, answered_at } = &mut *place.known.lock().await;
        match known {
            Ok(link) if !link.has_failed() => {
                if answered_at.elapsed() < KNOWN_FOR {
                    return Ok(link.clone());
                }
                // This also shows whether the connection still works.
                if let Ok(durability) = link.durability_now().await {
                    link.durability = durability;
                    *answered_at = Instant::now();
                    return Ok(link.clone());
                }
            }
            Err(error) if place.failures.load(Ordering::SeqCst) != failures => return Err(error.clone()),
            _ => {}
        }
        *known = Link::connect(client, address, options, keys).await;
        *answered_at = Instant::now();
        if known.is_err() {
            place.failures.fetch_add(1, Ordering::SeqCst);
        }
        known.clone()
    }
}
