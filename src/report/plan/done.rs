//! The result of a plan that was carried out, as text.

use crate::model::ObjectKey;
use crate::repair::{Manifests, Plan, Request, Seen, Undo};
use crate::report::shared::wrap::wrap;
use crate::text::sanitize;
use std::fmt::Write as _;

/// The number of spaces before the further lines of wrapped text.
const CONTINUED: usize = 4;

/// Returns a text with the states of the objects after the plan, if they could be read, and with the command that
/// undoes the plan. If the plan cannot be undone, or was itself an undo, the text has the command that shows what was
/// done.
pub fn done(plan: &Plan, journal: &str, now: Option<(&[ObjectKey], &Manifests)>, columns: Option<usize>) -> String {
    let mut text = format!("Done: {}.\n", plan.goal);
    if let Some((objects, manifests)) = now {
        for key in objects {
            // Writing to a String cannot fail.
            _ = writeln!(text, "  {key} is {}", state(key, manifests));
        }
    }
    let mut said: Vec<String> = text.lines().map(|line| wrap(line, columns, CONTINUED)).collect();
    // The user copies the command. So it is printed on its own line, which is never wrapped.
    said.push(format!("Journal: {journal}"));
    let impossible = plan.steps.iter().any(|step| matches!(step.undo, Undo::Impossible { .. }));
    if matches!(plan.request, Request::Undo { .. }) || impossible {
        said.push(format!("What was done: kubectl pvctl history {journal}"));
    } else {
        said.push(format!("To undo this repair: kubectl pvctl undo {journal}"));
    }
    let safe: Vec<_> = said.iter().flat_map(|line| line.lines()).map(sanitize).collect();
    safe.join("\n") + "\n"
}

/// Returns the state of an object, in a few words.
fn state(key: &ObjectKey, manifests: &Manifests) -> String {
    let Some(manifest) = manifests.get(key) else { return "gone".to_owned() };
    match Seen::decode(key.kind, manifest) {
        Ok(Seen::Volume(volume)) => {
            let phase = volume.status.phase.as_str();
            match &volume.claim_ref {
                None => phase.to_owned(),
                Some(named) if named.uid.is_empty() => {
                    format!("{phase}, reserved for {}/{}", named.namespace, named.name)
                }
                Some(named) => format!("{phase}, of {}/{}", named.namespace, named.name),
            }
        }
        Ok(Seen::Claim(claim)) if claim.volume_name.is_empty() => claim.status.phase.as_str().to_owned(),
        Ok(Seen::Claim(claim)) => format!("{}, on {}", claim.status.phase.as_str(), claim.volume_name),
        Ok(Seen::Attachment(attachment)) if attachment.meta.deleted.is_some() => {
            format!("being deleted: driver {} has to detach the volume", attachment.attacher)
        }
        Ok(Seen::Attachment(attachment)) => format!("on node {}", attachment.node_name),
        Ok(Seen::Service(service)) => format!("at address {}", service.cluster_ip),
        Err(_) => "not understood".to_owned(),
    }
}
