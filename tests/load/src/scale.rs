//! Measures what must not grow with the number of games, players, watchers and servers.
//!
//! Each figure is a ratio within one run, so a busy machine changes it little.

mod crowd;
mod fleet;
mod lobby;
mod masters;
mod plan;
mod settled;

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
    if plan.fleet_only {
        fleet::measure(plan, &mut note).await?;
        return Ok(figures);
    }
    lobby::measure(plan, &mut note).await?;
    masters::measure(plan, &mut note).await?;
    settled::measure(plan, &mut note).await?;
    fleet::measure(plan, &mut note).await?;
    crowd::measure(plan, &mut note).await?;
    Ok(figures)
}
