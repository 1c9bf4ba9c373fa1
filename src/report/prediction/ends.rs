//! The ends of an object as the cells of a table.

use crate::simulate::{Outcome, Prediction};
use crate::snapshot::printed;

/// Returns the phases in which the object can end: `Bound`, `Bound|Pending`, `Bound, Terminating`, `Gone`, `<unknown>`.
pub(super) fn phases(prediction: &Prediction<'_>) -> String {
    column(prediction, phase, usize::MAX)
}

/// Returns the names of the objects to which the object can be bound at its ends. If there are more than two names, the
/// result is their number.
pub(super) fn bindings(prediction: &Prediction<'_>) -> String {
    column(prediction, binding, 2)
}

fn column(prediction: &Prediction<'_>, cell: impl Fn(&Outcome) -> String, most: usize) -> String {
    if prediction.has_no_ends() {
        return String::new();
    }
    let Some(set) = &prediction.outcomes else { return "<unknown>".to_owned() };
    let mut cells: Vec<String> = set.representatives().map(cell).collect();
    cells.sort();
    cells.dedup();
    if cells.len() > most {
        // If not all ends are listed, nearly every other end binds the object to something else.
        let all_listed = set.listed.len() as u64 == set.count;
        return format!("one of {}", if all_listed { cells.len() as u64 } else { set.count });
    }
    for cell in &mut cells {
        if cell.is_empty() {
            "<none>".clone_into(cell);
        }
    }
    cells.join("|")
}

/// Returns the phase, with `Terminating` if the object is being deleted. The result is empty if the object has no
/// phase.
fn phase(outcome: &Outcome) -> String {
    match (outcome.phase(), outcome.is_terminating()) {
        (phase, false) => phase.to_owned(),
        ("", true) => "Terminating".to_owned(),
        (phase, true) => format!("{phase}, Terminating"),
    }
}

/// Returns the name of the object to which the outcome binds this object. The result is empty if there is no binding.
fn binding(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Claim { volume_name, .. } => printed(volume_name).to_owned(),
        Outcome::Volume { claim_ref, .. } => {
            claim_ref.as_ref().map_or_else(String::new, |(namespace, name, _)| format!("{namespace}/{name}"))
        }
        Outcome::Pod { place, .. } => place.node().map(|node| printed(node).to_owned()).unwrap_or_default(),
        Outcome::Gone { .. } => String::new(),
    }
}
