//! The way back of a plan that created a Service.

use super::{Done, for_good};
use crate::model::Kind;
use crate::repair::plan::{Plan, Proposed, Recheck, Refusal};
use crate::repair::situation::{Known, Situation};
use crate::repair::verbs::build::Builder;
use crate::repair::write::{Change, Write};

/// Adds the deletion of a Service that the repair created. It is refused as long as clients use the address.
pub(super) fn remove(
    situation: &Situation<'_>,
    back: &mut Builder,
    plan: &Plan,
    write: &Write,
    done: &Done,
) -> Result<(), Proposed> {
    let (namespace, name) = (&write.object.namespace, &write.object.name);
    let Some(Change::CreateService { service }) = done.step.write.as_ref().map(|write| &write.change) else {
        return Ok(());
    };
    let Some(uid) = done.after.as_ref().and_then(|after| after["metadata"]["uid"].as_str()) else { return Ok(()) };
    let found = match situation.service(namespace, name) {
        // The Service is already deleted.
        Known::Absent => return Ok(()),
        Known::There(found) if found.meta.uid != uid => {
            let message = format!("Service {namespace}/{name} is not the Service that the repair created");
            return Err(Refusal::new("changed", message).into());
        }
        Known::There(found) => found,
        Known::Unknown => {
            let message = format!("whether Service {namespace}/{name} exists could not be read");
            return Err(Refusal::new("unknown", message).into());
        }
    };
    back.save_service(found);
    let volumes = plan.saves.iter().filter(|key| key.kind == Kind::PersistentVolume);
    let volumes = volumes.map(|key| key.name.clone()).collect();
    back.step(
        format!("delete Service {namespace}/{name}, which the repair created"),
        Some(Write { uid: uid.into(), ..write.clone() }),
        vec![Recheck::NoClients { address: service.address(), volumes }],
        None,
        for_good(),
    );
    Ok(())
}
