//! What is said when a plan has ended.

use super::Status;
use crate::error::{Error, ErrorKind};
use crate::execute::{self, Journal, Outcome};
use crate::model::ObjectKey;
use crate::repair::{Manifests, Plan, Request, Seen, Undo};
use crate::terminal::Terminal;
use crate::text::sanitize;
use std::fmt::Write as _;

/// What is so now, and how it is taken back.
pub(super) async fn finished(
    terminal: &Terminal,
    client: &kube::Client,
    plan: &Plan,
    journal: &Journal,
) -> Result<Status, Error> {
    let objects = plan.objects();
    // It is done: that the result cannot be read is no failure of it.
    let manifests = execute::manifests(client, &objects).await;
    let mut text = format!("Done: {}.\n", plan.goal);
    match manifests {
        Ok(manifests) => {
            for key in &objects {
                // Writing to a String cannot fail.
                _ = writeln!(text, "  {key} is {}", state(key, &manifests));
            }
        }
        Err(failure) => terminal.message(&format!("warning: what is so now could not be read: {failure}")),
    }
    _ = writeln!(text, "Journal: {}", journal.id());
    let impossible = plan.steps.iter().any(|step| matches!(step.undo, Undo::Impossible { .. }));
    if matches!(plan.request, Request::Undo { .. }) || impossible {
        _ = writeln!(text, "What was done: kubectl pvctl history {}", journal.id());
    } else {
        _ = writeln!(text, "To take it back: kubectl pvctl undo {}", journal.id());
    }
    let safe: Vec<_> = text.lines().map(sanitize).collect();
    let mut output = terminal.output();
    output.print(&(safe.join("\n") + "\n"))?;
    output.finish()?;
    Ok(Status::Done)
}

/// How an object stands, in few words.
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
        Err(_) => "not understood".to_owned(),
    }
}

/// What to say of a plan that stopped.
pub(super) fn stopped(error: Error, journal: &Journal) -> Error {
    match error.kind() {
        ErrorKind::Partial => {
            let error = error.cause(format!("the journal is {}", journal.path().display()));
            let hints = [("apply --continue", "goes on from there"), ("undo", "takes back what was done")];
            hints.into_iter().fold(error, |error, (verb, does)| {
                let told = error.hints().iter().any(|hint| hint.contains(verb));
                if told { error } else { error.hint(format!("kubectl pvctl {verb} {} {does}", journal.id())) }
            })
        }
        ErrorKind::Usage
        | ErrorKind::Unreadable
        | ErrorKind::Changed
        | ErrorKind::Refused
        | ErrorKind::Bug
        | ErrorKind::Interrupted
        | ErrorKind::OutputClosed => error,
    }
}

/// What a rehearsal came to.
pub(super) fn rehearsed(terminal: &Terminal, outcome: &Outcome) {
    let steps = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let tried = if outcome.done.is_empty() {
        "the API server was asked to try no step".to_owned()
    } else {
        format!("the API server accepts steps {} in a dry run", steps(&outcome.done))
    };
    let untried = if outcome.untried.is_empty() {
        String::new()
    } else {
        format!("; steps {} depend on earlier ones and could not be tried", steps(&outcome.untried))
    };
    terminal.message(&format!("note: {tried}{untried}; nothing was written (--dry-run=server)"));
}
