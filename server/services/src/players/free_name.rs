//! Finds a name for a guest.

use flagfall_store::Store;

use super::error::PlayerError;
use super::guest::number_of;
use super::name::Name;
use flagfall_base::keys::NAMES;
use flagfall_base::random::random_below;

/// How many names are tried for a guest before they must choose another one.
const NAME_ATTEMPTS: usize = 8;

/// Finds a free name like the wanted one: the name itself, then with a number derived from the id,
/// then with random numbers. `allows` can rule out names that the store does not know of.
pub(super) async fn free_name(
    store: &dyn Store,
    id: &str,
    wanted: &str,
    allows: impl Fn(&Name) -> bool,
) -> Result<Name, PlayerError> {
    let wanted = Name::new(wanted)?;
    for attempt in 0..NAME_ATTEMPTS {
        let name = match attempt {
            0 if wanted.is_reserved() => continue,
            0 => wanted.clone(),
            1 => wanted.numbered(number_of(id)),
            _ => wanted.numbered(1_000 + random_below(9_000)?),
        };
        let holder = store.get(NAMES.key([&name.folded()])?).await?;
        if holder.is_none_or(|holder| holder == id.as_bytes()) && allows(&name) {
            return Ok(name);
        }
    }
    Err(PlayerError::NameTaken)
}
