//! Folded predictions as JSON. In a folded prediction one decision represents several that differ only in the chosen
//! volume. The text of this decision is repeated with the names of the other volumes.

use super::decision::{DecisionOut, WriteOut};
use super::document::PredictionOut;
use crate::model::{Kind, ObjectId};
use crate::simulate::Prediction;
use crate::snapshot::Snapshot;
use memchr::memmem::{Finder, find};

/// The start of the field with the decisions of an item. No string value can contain this text, because its quotes
/// would be escaped.
const DECISIONS: &[u8] = b"\"decisions\":[";

/// Appends a prediction as JSON with every decision listed. The text is the same as without folding. Returns false and
/// appends nothing if that is not possible.
///
/// # Errors
/// Returns an error if something cannot be encoded as JSON.
pub fn write_folded(
    out: &mut Vec<u8>,
    snapshot: &Snapshot,
    prediction: &Prediction<'_>,
) -> Result<bool, serde_json::Error> {
    let mut item = PredictionOut::new(snapshot, prediction);
    if prediction.listed_decisions().all(|(decision, _)| decision.alike.is_none()) {
        serde_json::to_writer(out, &item)?;
        return Ok(true);
    }
    let decisions = std::mem::take(&mut item.decisions);
    let start = out.len();
    serde_json::to_writer(&mut *out, &item)?;
    let Some(place) = find(&out[start..], DECISIONS) else {
        out.truncate(start);
        return Ok(false);
    };
    let rest = out.split_off(start + place + DECISIONS.len());
    let mut one = Vec::new();
    for (number, ((decision, others), rendered)) in prediction.listed_decisions().zip(&decisions).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        one.clear();
        serde_json::to_writer(&mut one, rendered)?;
        out.extend_from_slice(&one);
        if let Some(alike) = &decision.alike
            && !write_others(out, snapshot, (alike.chosen, &alike.others[..others]), rendered, &one)?
        {
            out.truncate(start);
            return Ok(false);
        }
    }
    out.extend_from_slice(&rest);
    Ok(true)
}

/// Appends the decision again for each other volume. Returns false if the name cannot be replaced safely.
///
/// The name is not replaced if the text also has it in places that do not name the volume, because something else has
/// the same name. The search looks for the name in quotes. If the name itself had quotes, commas or colons, the search
/// could also find the text between two strings. So such a name is not replaced.
fn write_others(
    out: &mut Vec<u8>,
    snapshot: &Snapshot,
    (chosen, others): (ObjectId, &[ObjectId]),
    decision: &DecisionOut<'_>,
    text: &[u8],
) -> Result<bool, serde_json::Error> {
    let chosen = snapshot.meta(chosen).name.as_str();
    if chosen.is_empty() || !chosen.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)) {
        return Ok(false);
    }
    let known: usize = decision.writes.iter().map(|write| places(write, chosen)).sum();
    let quoted = format!("\"{chosen}\"");
    let found: Vec<usize> = Finder::new(&quoted).find_iter(text).collect();
    if found.len() != known {
        return Ok(false);
    }
    for other in others {
        let name = serde_json::to_vec(snapshot.meta(*other).name.as_str())?;
        out.push(b',');
        let mut from = 0;
        for place in &found {
            out.extend_from_slice(&text[from..*place]);
            out.extend_from_slice(&name);
            from = place + quoted.len();
        }
        out.extend_from_slice(&text[from..]);
    }
    Ok(true)
}

/// Returns the number of places in which a write names the chosen volume. Such places are `spec.volumeName`, and the
/// name of the written object if this object is the volume.
fn places(write: &WriteOut<'_>, chosen: &str) -> usize {
    let written = write.resource == Kind::PersistentVolume.resource() && write.name == chosen;
    let patched = write.patch.as_ref().is_some_and(|patch| patch.text_of("spec", "volumeName") == Some(chosen));
    usize::from(written) + usize::from(patched)
}
