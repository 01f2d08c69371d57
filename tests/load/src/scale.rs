//! Measures what must not grow with the number of games, players, watchers and servers.
//!
//! Each figure is a ratio within one run, so a busy machine changes it little.

mod archived;
mod crowd;
mod fleet;
mod kept;
mod lobby;
mod masters;
mod plan;
mod reading;
mod settled;

use self::plan::Part;
pub(crate) use self::plan::Plan;
use crate::error::LoadError;
use crate::figure::Figure;

/// Measures and prints.
///
/// # Errors
/// [`LoadError`] if a client gets an unexpected answer.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let mut figures = Vec::new();
    let mut note = |figure: Figure| {
        figure.print();
        figures.push(figure);
    };
    if plan.has(Part::Lobby) {
        lobby::measure(plan, &mut note).await?;
    }
    if plan.has(Part::Masters) {
        masters::measure(plan, &mut note).await?;
    }
    if plan.has(Part::Settled) {
        settled::measure(plan, &mut note).await?;
    }
    if plan.has(Part::Fleet) {
        fleet::measure(plan, &mut note).await?;
    }
    if plan.has(Part::Crowd) {
        crowd::measure(plan, &mut note).await?;
    }
    if plan.has(Part::Archived) {
        archived::measure(&mut note)?;
    }
    if plan.has(Part::Reading) {
        reading::measure(plan, &mut note).await?;
    }
    if plan.has(Part::Kept) {
        kept::measure(plan, &mut note).await?;
    }
    Ok(figures)
}
