//! Plants faults by changing logs, and records whether the checker found them.

use serde_json::Value;

use crate::check::Fault;
use crate::log::{GameLog, Role, What};

/// A planted fault and whether it was found.
#[derive(Clone, Debug)]
pub struct Planted {
    /// A description of the planted fault.
    pub what: &'static str,
    /// The kind of fault that the checker must find.
    pub fault: Fault,
    /// The number of faults of that kind that the checker found, or `None` if the fault could not
    /// be planted.
    pub found: Option<u64>,
}

impl Planted {
    /// True if the checker found the fault.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.found.is_some_and(|count| count > 0)
    }
}

/// Plants a fault in a log, if this log allows it.
pub(crate) type Plant = fn(&mut GameLog) -> Option<()>;

/// In the second half of a client's log, changes the first received text for which the change
/// works. Only clients with this role are considered.
pub(crate) fn change_text(
    log: &mut GameLog,
    is_role: fn(Role) -> bool,
    change: impl Fn(&str) -> Option<String>,
) -> Option<()> {
    for client in log.clients.iter_mut().filter(|client| is_role(client.role)) {
        let half = client.entries.len() / 2;
        for entry in client.entries.iter_mut().skip(half) {
            if let What::Received(text) = &entry.what
                && let Some(changed) = change(text)
            {
                entry.what = What::Received(changed.into());
                return Some(());
            }
        }
    }
    None
}

/// Changes the first message of this type for which the change works.
pub(crate) fn change_value(
    log: &mut GameLog,
    kind: &'static str,
    change: impl Fn(&mut Value) -> Option<()>,
) -> Option<()> {
    change_text(
        log,
        |_| true,
        |text| {
            let mut value: Value = serde_json::from_str(text).ok()?;
            if value["type"] != kind {
                return None;
            }
            change(&mut value)?;
            Some(value.to_string())
        },
    )
}
