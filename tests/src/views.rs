use flagfall_protocol::{GameRecord, GameView, RecordedEvent};

/// Returns the view before a record's first event, and then the view after each event. Stops at
/// an event without a change.
pub fn views(record: &GameRecord) -> impl Iterator<Item = GameView> + '_ {
    let mut events = record.events.iter();
    std::iter::successors(record.first_view.clone(), move |view| {
        let RecordedEvent { event, change, .. } = events.next()?;
        let mut next = view.clone();
        next.apply(event, change.as_ref()?);
        Some(next)
    })
}
