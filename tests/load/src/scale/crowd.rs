//! Many spectators of one game.

use super::fleet::Fleet;
use super::plan::Plan;
use crate::audience::{Audiences, deliver};
use crate::duel::{ACKNOWLEDGEMENT_BYTES, UPDATE_BYTES, pair_of_relay, pair_of_server};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::size::percentile_99;
use crate::stand::{Rival, Stand};

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let (relays, servers) = (crowd_ms(plan, Rival::Relay).await?, crowd_ms(plan, Rival::Redis).await?);
    let name = format!("99 % to the last of {} spectators, to bare relays", plan.spectators);
    let figure = Figure::ratio(name, servers / relays).with_target(Target::AtMost(1.5));
    note(figure.with_detail(format!("{servers:.0} ms, {relays:.0} ms")));
    Ok(())
}

/// Returns the time in milliseconds until a ply reaches the last of many spectators of one game.
/// The spectators are spread over several servers of one Redis. On bare relays, each relay has
/// its own pair of players.
async fn crowd_ms(plan: &Plan, rival: Rival) -> Result<f64, LoadError> {
    println!("{} spectators of one game on {} × {}", plan.spectators, plan.crowd_servers, rival.name());
    let (mut relays, mut fleet, mut addresses) = (Vec::new(), None, Vec::new());
    if rival == Rival::Relay {
        for _ in 0..plan.crowd_servers {
            let relay = Stand::start(rival, &plan.bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await?;
            addresses.push(relay.server.address.clone());
            relays.push(relay);
        }
    } else {
        let servers = fleet.insert(Fleet::start(&plan.bench, plan.crowd_servers).await?);
        addresses.extend(servers.servers.iter().map(|server| server.address.clone()));
    }
    let mut pairs = Vec::new();
    for address in &addresses {
        match rival {
            Rival::Relay => pairs.push(pair_of_relay(address, 0).await?),
            _ if pairs.is_empty() => pairs.push(pair_of_server(address, 0, false).await?),
            _ => {}
        }
    }
    let [first, ..] = &pairs[..] else { return Err(LoadError::Silent) };
    let mut audiences = Audiences::start(first.game, plan.spectators, plan.crowd_plies, &addresses).await?;
    let latencies = deliver(pairs, plan.crowd_plies, async || audiences.see().await).await?;
    drop((relays, fleet));
    Ok(percentile_99(&latencies))
}
