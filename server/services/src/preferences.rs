//! Preferences that accounts keep for their clients, such as the colors of the page
//! (`preferences/PLAYER`). Only clients know what they mean.

use flagfall_base::identity::Principal;
use flagfall_base::keys::PREFERENCES;
use flagfall_base::transact::delete;
use flagfall_protocol::{
    ChangePreferences, Code, PREFERENCE_NAME_LEN_MAX, PREFERENCE_VALUE_LEN_MAX, PREFERENCES_MAX, Preferences,
    Refusal,
};
use flagfall_store::{Store, StoreError};

use crate::records::{self, find};
use crate::refused::{Refused, check_account};

const WHAT: &str = "the preferences of an account";

/// Returns the requester's preferences. Guests have none.
pub async fn preferences(store: &dyn Store, asker: &Principal) -> Result<Preferences, Refused> {
    check_account(asker, "preferences")?;
    Ok(preferences_of(store, &asker.player.id).await?)
}

/// Returns the preferences of a player.
pub async fn preferences_of(store: &dyn Store, player: &str) -> Result<Preferences, StoreError> {
    let found = find(store, PREFERENCES.key([&player])?, WHAT).await?;
    Ok(found.map(|(preferences, _)| preferences).unwrap_or_default())
}

/// Changes the named preferences of the requester, and returns all of them. If two changes are
/// made at once, both count.
pub async fn change(
    store: &dyn Store,
    asker: &Principal,
    change: &ChangePreferences,
) -> Result<Preferences, Refused> {
    check_account(asker, "preferences")?;
    let key = PREFERENCES.key([&asker.player.id])?;
    let changed = |before: Option<Preferences>| change.apply(&before.unwrap_or_default());
    records::change(store, key, WHAT, changed).await?.ok_or_else(bad)
}

/// Deletes the preferences of a deleted player.
pub(crate) async fn forget(store: &dyn Store, player: &str) -> Result<(), StoreError> {
    delete(store, vec![PREFERENCES.key([&player])?]).await
}

fn bad() -> Refused {
    let refusal = Refusal::new(Code::BAD_PREFERENCES).with("count", PREFERENCES_MAX);
    let refusal = refusal.with("name_max", PREFERENCE_NAME_LEN_MAX);
    refusal.with("value_max", PREFERENCE_VALUE_LEN_MAX).into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_protocol::{Player, PlayerKind, Scope};
    use flagfall_store_testing::{ManualClock, TestStore, WriteFault};

    use super::*;

    #[tokio::test]
    async fn a_change_counts_if_the_store_did_not_say_so() {
        let store = TestStore::new(Arc::new(ManualClock::new(Stamp(1))));
        let player = Player { id: "ann".to_owned(), name: "Ann".to_owned(), kind: PlayerKind::Account };
        let ann = Principal { player, token_id: "t".to_owned(), scope: Scope::Play, pass: None };
        let faults =
            [("theme", WriteFault::UnknownAfterWriting), ("board", WriteFault::UnknownBeforeWriting)];
        for (name, fault) in faults {
            store.fail_next(fault);
            let preferences = BTreeMap::from([(name.to_owned(), Some("x".to_owned()))]);
            let after = change(&store, &ann, &ChangePreferences { preferences }).await.unwrap();
            assert_eq!(after.preferences.get(name), Some(&"x".to_owned()));
        }
        let kept = preferences(&store, &ann).await.unwrap().preferences;
        assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["board", "theme"]);
    }
}
