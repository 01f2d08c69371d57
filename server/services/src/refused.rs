//! Why a service refused a request.

use flagfall_base::admission::TooMany;
use flagfall_base::identity::Principal;
use flagfall_base::random::ChanceError;
use flagfall_base::refusals;
use flagfall_base::store_errors::note_refusal;
use flagfall_game::TableError;
use flagfall_protocol::{Code, PlayerKind, Refusal};
use flagfall_store::StoreError;

/// Why a service refused a request, in the form that is sent to the requester. Usually nothing
/// has changed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub Refusal);

impl Refused {
    /// True if the refusal has this code.
    pub fn is(&self, code: &str) -> bool {
        self.0.code.as_str() == code
    }
}

/// Returns a refusal if the requester is a guest. `what` is the feature that only accounts have.
pub(crate) fn check_account(asker: &Principal, what: &str) -> Result<(), Refusal> {
    if asker.player.kind == PlayerKind::Guest {
        return Err(Refusal::new(Code::ACCOUNT_EXPECTED).because(what));
    }
    Ok(())
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused(refusal)
    }
}

impl From<TooMany> for Refused {
    fn from(too_many: TooMany) -> Refused {
        Refused(Refusal::from(&too_many))
    }
}

impl From<TableError> for Refused {
    fn from(error: TableError) -> Refused {
        Refused(Refusal::from(&error))
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        note_refusal(&error, "the store refused a request");
        Refused(refusals::store_away())
    }
}

impl From<ChanceError> for Refused {
    /// The error has been logged already.
    fn from(_: ChanceError) -> Refused {
        Refused(refusals::defect())
    }
}
