//! Reading the record of an archived game from a server, compared with a ranged read of the same
//! bytes from the storage.

#[path = "../../../../server/archive/tests/archive/s3_server.rs"]
#[allow(dead_code, reason = "the measurement does not need everything that the storage can do")]
mod s3_server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flagfall_archive::{Archive, Location, Settings, encode_checked};
use flagfall_board::GameId;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use self::s3_server::Storage;
use super::archived::{Line, failed, play_all};
use super::plan::Plan;
use crate::duel::median;
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;
use crate::stand::server_arguments;

/// The time that the storage takes to answer. Storage of providers takes at least this long.
const DELAY: Duration = Duration::from_millis(10);
const PLACE: &str = "s3://games/scale";

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let folder = tempfile::tempdir()?;
    let (storage, redis) = (Storage::start().await, Measured::start_redis(folder.path()).await?);
    let games = archive(&storage).await?;
    println!("{} archived games are read, each once", games.len());
    let server = start_server(plan, &storage, &redis, folder.path()).await?;
    let reader = Reader { storage, server };
    let (quick, slow) = games.split_at(games.len() / 2);
    let quick = reader.read(quick, Duration::ZERO).await?;
    let slow = reader.read(slow, DELAY).await?;
    let name = format!("an archived record, to a ranged read of a storage that takes {DELAY:?}");
    let [ms, bare_ms, quick_ms, quick_bare_ms] =
        [slow.record, slow.bare, quick.record, quick.bare].map(|seconds| seconds * 1e3);
    let detail =
        format!("{ms:.2} ms, {bare_ms:.2} ms; {quick_ms:.2} ms, {quick_bare_ms:.2} ms if it answers at once");
    note(Figure::ratio(name, ms / bare_ms).with_target(Target::AtMost(2.0)).with_detail(detail));
    let reads = (quick.reads + slow.reads) as f64 / games.len() as f64;
    // Each game is read for the first time, so no record comes from memory.
    if quick.reads + slow.reads < games.len() {
        return Err(failed("some records were not read from the storage"));
    }
    note(Figure::of("ranged reads for an archived record", reads, "").with_target(Target::AtMost(2.0)));
    Ok(())
}

/// Puts games into a new archive. Returns their places.
async fn archive(storage: &Storage) -> Result<Vec<(GameId, Location)>, LoadError> {
    let objects = Arc::new(storage.archive(PLACE));
    let archive = Archive::open(objects, Settings::default()).await.map_err(failed)?;
    let encoded = play_all(Line::Usual)?.into_iter().map(|game| {
        let encoded = encode_checked(game.id, &game.log, game.head, None).map_err(failed)?;
        Ok((game.id, encoded))
    });
    archive.add(encoded.collect::<Result<_, LoadError>>()?).await.map_err(failed)
}

/// Starts a server with this archive. It begins on an empty Redis, so it finds the games by the
/// archive's index.
async fn start_server(
    plan: &Plan,
    storage: &Storage,
    redis: &Measured,
    folder: &Path,
) -> Result<Measured, LoadError> {
    let variables = [
        "AWS_ACCESS_KEY_ID=key".to_owned(),
        "AWS_SECRET_ACCESS_KEY=secret".to_owned(),
        "AWS_REGION=us-east-1".to_owned(),
        format!("AWS_ENDPOINT_URL=http://{}", storage.address),
        plan.bench.server.display().to_string(),
    ];
    let data = folder.join("data").display().to_string();
    let arguments = server_arguments(&redis.address, &data, "none", &["--archive", PLACE]);
    let arguments: Vec<String> = variables.into_iter().chain(arguments).collect();
    Measured::start(Path::new("env"), &arguments, Some(plan.bench.workers)).await
}

struct Reader {
    storage: Storage,
    server: Measured,
}

/// Medians of seconds, and how many ranged reads all records took.
struct Read {
    record: f64,
    bare: f64,
    reads: usize,
}

impl Reader {
    /// Reads each game twice: its bytes from the storage, and its record from the server.
    async fn read(&self, games: &[(GameId, Location)], delay: Duration) -> Result<Read, LoadError> {
        let object = {
            let mut state = self.storage.state.lock();
            state.delay = delay;
            let found = state.objects.keys().find(|name| name.contains("/segments/"));
            found.cloned().ok_or(LoadError::Silent)?
        };
        let mut storage = Connection::open(&self.storage.address.to_string()).await?;
        let mut server = Connection::open(&self.server.address).await?;
        let (mut bare, mut record, mut reads) = (Vec::new(), Vec::new(), 0);
        for (game, place) in games {
            let (first, last) = (place.at, place.at + place.length - 1);
            let header =
                format!("Authorization: AWS4-HMAC-SHA256 Credential=key/\r\nRange: bytes={first}-{last}\r\n");
            bare.push(storage.get(&format!("/games/{object}"), &header).await?);
            let before = self.storage.state.lock().reads;
            record.push(server.get(&format!("/api/games/{game}/record"), "").await?);
            reads += self.storage.state.lock().reads - before;
        }
        let [bare, record] = [bare, record].map(|seconds| median(seconds.into_iter()).unwrap_or_default());
        Ok(Read { record, bare, reads })
    }
}

/// A connection for several requests.
struct Connection(BufReader<TcpStream>);

impl Connection {
    async fn open(address: &str) -> Result<Connection, LoadError> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection(BufReader::new(stream)))
    }

    /// Sends a GET request. Returns the seconds until its answer was read.
    async fn get(&mut self, path: &str, headers: &str) -> Result<f64, LoadError> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        let begun = Instant::now();
        self.0.write_all(request.as_bytes()).await?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.0.read_line(&mut head).await? == 0 {
                return Err(LoadError::Silent);
            }
        }
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.ok_or_else(|| LoadError::Answer(head.clone()))?];
        self.0.read_exact(&mut body).await?;
        let seconds = begun.elapsed().as_secs_f64();
        match head.starts_with("http/1.1 20") {
            true => Ok(seconds),
            false => Err(LoadError::Answer(format!("{path}: {head}"))),
        }
    }
}
