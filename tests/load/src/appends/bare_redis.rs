//! The same Redis, driven by hand.

use std::time::{Duration, Instant};

use flagfall_store::Hash;
use redis::aio::MultiplexedConnection;

use super::{BODY_BYTES, GAMES, Round, game, us_since};

const SCRIPT: &str = concat!(
    include_str!("../../../../server/store/src/redis/scripts/prelude.lua"),
    include_str!("../../../../server/store/src/redis/scripts/append.lua")
);

/// A connection, and where the logs stand that it appends to.
pub(super) struct BareRedis {
    connection: MultiplexedConnection,
    digest: String,
    /// Numbers and hashes of the logs the script appends to.
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

    /// Sends pipelines of so many appends, one after the other.
    pub(super) async fn round(
        &mut self,
        batch_size: u32,
        lasting: Duration,
        add: fn(&mut BareRedis, u32, &mut redis::Pipeline),
    ) -> redis::RedisResult<Round> {
        let begun = Instant::now();
        let (mut appends, mut next, mut latencies) = (0, 0, Vec::new());
        while begun.elapsed() < lasting {
            let asked = Instant::now();
            let mut pipeline = redis::Pipeline::new();
            for _ in 0..batch_size {
                add(self, next % GAMES, &mut pipeline);
                next += 1;
            }
            let _answers: Vec<redis::Value> = pipeline.query_async(&mut self.connection).await?;
            latencies.push(us_since(asked));
            appends += u64::from(batch_size);
        }
        Ok(Round::new(appends, begun, latencies))
    }

    /// Whether what was sent is there: a script that refuses is quicker than one that writes.
    pub(super) async fn has_kept_all(&mut self) -> redis::RedisResult<bool> {
        let (seq, _) = self.heads[0];
        let kept: u64 = redis::cmd("XLEN").arg(log_of(0)).query_async(&mut self.connection).await?;
        Ok(kept == seq)
    }

    /// The call of the store's script.
    pub(super) fn add_script(&mut self, number: u32, pipeline: &mut redis::Pipeline) {
        let id = game(number);
        let (seq, hash) = &mut self.heads[number as usize];
        // Any bytes do for a hash here; it only has to be the one before.
        let after = [(*seq % 251) as u8; 32];
        let value = [&after[..], &[7_u8; BODY_BYTES]].concat();
        pipeline.cmd("EVALSHA").arg(&self.digest).arg(2);
        pipeline.arg(log_of(number)).arg(format!("bare:{{{id}}}:quarantine"));
        // As the script says what they are: no time, deadline or first moment, no side records.
        pipeline.arg(*seq).arg(&hash[..]).arg("").arg(0).arg("").arg("").arg("bare").arg(id.as_str());
        pipeline.arg("").arg(0).arg("").arg(value);
        (*seq, *hash) = (*seq + 1, after);
    }

    /// What keeps an entry and tells of it, and checks nothing.
    pub(super) fn add_plain(&mut self, number: u32, pipeline: &mut redis::Pipeline) {
        let seq = &mut self.seqs[number as usize];
        *seq += 1;
        pipeline.cmd("XADD").arg(format!("plain:{number}")).arg(format!("{seq}-0"));
        pipeline.arg("e").arg(vec![7_u8; BODY_BYTES + 40]);
        pipeline.cmd("PUBLISH").arg("plain").arg(format!("{number} {seq}"));
    }
}

fn log_of(number: u32) -> String {
    format!("bare:{{{}}}:log", game(number))
}
