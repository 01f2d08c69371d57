//! The baseline of the store in Redis: the same Redis, used directly.

use std::time::{Duration, Instant};

use flagfall_store::Hash;
use redis::aio::MultiplexedConnection;

use super::round::{BODY_BYTES, GAMES, Round, game, us_since};

const SCRIPT: &str = concat!(
    include_str!("../../../../server/store/src/redis/scripts/prelude.lua"),
    include_str!("../../../../server/store/src/redis/scripts/append.lua")
);

/// The number of appends in one call of the script, as in the store.
const APPENDS_IN_A_CALL: usize = 64;

/// A connection, and the heads of the logs to which it appends.
pub(super) struct BareRedis {
    connection: MultiplexedConnection,
    digest: String,
    /// Numbers and hashes of the logs that the script appends to.
    heads: Vec<(u64, [u8; 32])>,
    /// Numbers of the logs that XADD appends to.
    seqs: Vec<u64>,
}

impl BareRedis {
    pub(super) async fn open(address: &str) -> redis::RedisResult<BareRedis> {
        let client = redis::Client::open(address)?;
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let digest = redis::cmd("SCRIPT").arg("LOAD").arg(SCRIPT).query_async(&mut connection).await?;
        let games = GAMES as usize;
        Ok(BareRedis { connection, digest, heads: vec![(0, Hash::ZERO.0); games], seqs: vec![0; games] })
    }

    /// Sends pipelines of appends, one after the other.
    pub(super) async fn round(
        &mut self,
        batch_size: u32,
        lasting: Duration,
        add: fn(&mut BareRedis, &[u32], &mut redis::Pipeline),
    ) -> redis::RedisResult<Round> {
        let begun = Instant::now();
        let (mut appends, mut next, mut latencies) = (0, 0, Vec::new());
        while begun.elapsed() < lasting {
            let asked = Instant::now();
            let mut pipeline = redis::Pipeline::new();
            let numbers: Vec<u32> = (next..next + batch_size).map(|number| number % GAMES).collect();
            numbers.chunks(APPENDS_IN_A_CALL).for_each(|part| add(self, part, &mut pipeline));
            next += batch_size;
            let _answers: Vec<redis::Value> = pipeline.query_async(&mut self.connection).await?;
            latencies.push(us_since(asked));
            appends += u64::from(batch_size);
        }
        Ok(Round::new(appends, begun, latencies))
    }

    /// True if the appended entries are in Redis. This is checked because a script that refused
    /// all appends would seem fast.
    pub(super) async fn has_kept_all(&mut self) -> redis::RedisResult<bool> {
        let mut pipeline = redis::Pipeline::new();
        for number in 0..GAMES {
            pipeline.cmd("XLEN").arg(log_of(number));
        }
        let kept: Vec<u64> = pipeline.query_async(&mut self.connection).await?;
        Ok(self.heads.iter().map(|(seq, _)| *seq).eq(kept))
    }

    /// Adds a call of the store's script that appends to these logs.
    pub(super) fn add_script(&mut self, numbers: &[u32], pipeline: &mut redis::Pipeline) {
        pipeline.cmd("EVALSHA").arg(&self.digest).arg(3 * numbers.len());
        for number in numbers {
            let key = |name: &str| format!("bare:{{{}}}:{name}", game(*number));
            pipeline.arg(log_of(*number)).arg(key("quarantine")).arg(key("guard"));
        }
        // The arguments as the script documents them: no time, and one entry for each log,
        // without a deadline, first moment, stamps or side records.
        pipeline.arg("").arg(0).arg("").arg("bare:{").arg("}:game").arg(0).arg("");
        for number in numbers {
            let (seq, hash) = &mut self.heads[*number as usize];
            let (id, deadline, first_moment) = (game(*number), u64::MAX.to_le_bytes(), 0_u64.to_le_bytes());
            let ahead = [id.as_str().as_bytes(), &seq.to_le_bytes(), &hash[..], &deadline, &first_moment];
            pipeline.arg([&ahead.concat()[..], &[0, 0], &1_u32.to_le_bytes()].concat());
            // Any bytes can serve as the hash, as long as the next append names them as the
            // previous hash.
            let after = [(*seq % 251) as u8; 32];
            pipeline.arg([&after[..], &[7_u8; BODY_BYTES]].concat());
            (*seq, *hash) = (*seq + 1, after);
        }
    }

    /// Adds commands that keep entries and announce them without any checks.
    pub(super) fn add_plain(&mut self, numbers: &[u32], pipeline: &mut redis::Pipeline) {
        for number in numbers {
            let seq = &mut self.seqs[*number as usize];
            *seq += 1;
            pipeline.cmd("XADD").arg(format!("plain:{number}")).arg(format!("{seq}-0"));
            pipeline.arg("e").arg(vec![7_u8; BODY_BYTES + 40]);
            pipeline.cmd("PUBLISH").arg("plain").arg(format!("{number} {seq}"));
        }
    }
}

fn log_of(number: u32) -> String {
    format!("bare:{{{}}}:log", game(number))
}
