//! Protects the data that a plan keeps while it is carried out. If somebody sets another policy, Retain is set again
//! immediately.

use super::api::{Answer, Api};
use super::error::Stopped;
use super::journal::Journal;
use super::look::decode;
use super::record::Record;
use crate::model::{ReclaimPolicy, VolumePhase};
use crate::repair::{Change, Seen, VolumeIdentity, Write, guards, volume_key};
use serde_json::Value;

/// The maximum number of attempts to set Retain again. More than one is needed if others write to the volume at the
/// same time.
const TRIES: u32 = 5;

/// Checks the volumes whose data the plan keeps after a step. If a volume has a policy other than Retain, Retain is set
/// again and the plan stops. The person has agreed to this.
pub(super) async fn check(api: Api<'_>, journal: &mut Journal, step: u32) -> Result<(), Stopped> {
    let kept: Vec<VolumeIdentity> = journal.entry().plan.kept_after(step).cloned().collect();
    for volume in kept {
        let Some((found, manifest)) = policy_lost(api, &volume).await? else { continue };
        let policy = manifest["spec"]["persistentVolumeReclaimPolicy"].as_str().unwrap_or_default().to_owned();
        let writer = guards::last_writer(&manifest, guards::POLICY);
        journal.add(Record::Kept { object: volume_key(volume.name()), policy: policy.clone() })?;
        let again = set_again(api, &volume, manifest).await;
        let name = volume.name();
        let who = writer.map_or_else(String::new, |writer| format!(" ({writer})"));
        let stop = Stopped::changed(match &again {
            Ok(_) => format!(
                "somebody{who} set policy {policy} on volume {name}, whose data this repair keeps: Retain is set \
                 again, and the repair ends here"
            ),
            Err(_) => format!(
                "somebody{who} set policy {policy} on volume {name}, whose data this repair keeps, and Retain could \
                 not be set again"
            ),
        });
        let again = again.map(|then| then.unwrap_or(found));
        let stop = match again {
            Ok(phase) if matches!(phase, VolumePhase::Released | VolumePhase::Failed) => stop.cause(format!(
                "the volume was {} with policy {policy}: a deletion of its data may have begun",
                phase.as_str()
            )),
            Ok(_) => stop,
            Err(why) => stop.cause(why).hint(format!(
                "kubectl pvctl retain pv/{name} keeps the data, as long as nobody has begun to delete them"
            )),
        };
        return Err(stop.hint("find out who writes that policy, and set Retain there, before you continue the repair"));
    }
    Ok(())
}

/// Returns phase and manifest of a volume that has a policy other than Retain, or None if it has policy Retain.
async fn policy_lost(api: Api<'_>, wanted: &VolumeIdentity) -> Result<Option<(VolumePhase, Value)>, Stopped> {
    let object = volume_key(wanted.name());
    let manifest = api.get(&object).await?;
    match decode(&object, manifest.as_ref())? {
        Some(Seen::Volume(volume)) => match wanted.differs(&volume) {
            Some(why) => Err(Stopped::volume_lost(why)),
            None if volume.reclaim_policy == ReclaimPolicy::Retain => Ok(None),
            None => Ok(manifest.map(|manifest| (volume.status.phase.clone(), manifest))),
        },
        Some(Seen::Claim(_) | Seen::Attachment(_) | Seen::Service(_)) | None => {
            Err(Stopped::volume_lost(format!("volume {wanted} is gone")))
        }
    }
}

/// Sets policy Retain. Returns the phase of the volume at this write. Returns `None` if the volume already has policy
/// Retain, and it is not known that a write of this run has set it. The error says why Retain could not be set.
async fn set_again(api: Api<'_>, wanted: &VolumeIdentity, manifest: Value) -> Result<Option<VolumePhase>, String> {
    let object = volume_key(wanted.name());
    let change = Change::SetReclaimPolicy { to: ReclaimPolicy::Retain.as_str().into() };
    let write = Write { object: object.clone(), uid: wanted.uid().clone(), expect: Vec::new(), change };
    let mut current = manifest;
    let mut why = String::new();
    for _ in 0..TRIES {
        let Some(request) = write.request(Some(&current), false) else { break };
        match api.send(request.method, &request.path, Some(request.content_type), Some(&request.body)).await {
            Answer::Success(found) => match decode(&object, Some(&found)) {
                Ok(Some(Seen::Volume(volume))) if volume.reclaim_policy == ReclaimPolicy::Retain => {
                    return Ok(Some(volume.status.phase.clone()));
                }
                Ok(_) | Err(_) => return Err("the API server stored another policy than Retain".to_owned()),
            },
            Answer::Failure(status) if status.code == 409 => why = status.to_string(),
            Answer::Failure(status) if (400..500).contains(&status.code) => return Err(status.to_string()),
            Answer::Failure(status) => why = status.to_string(),
            Answer::Unsent(said) | Answer::Lost(said) => why = said,
        }
        match policy_lost(api, wanted).await {
            Ok(Some((_, manifest))) => current = manifest,
            // Either a request without an answer was carried out, or somebody else has set Retain again.
            Ok(None) => return Ok(None),
            Err(stop) => return Err(stop.message),
        }
    }
    Err(why)
}
