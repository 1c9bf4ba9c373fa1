//! `retain` of a claim: finding the volume of the claim in the cluster.

use crate::error::Error;
use crate::model::{Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str};
use crate::ops::gather::Gathered;
use crate::ops::named;
use crate::snapshot::Absence;

/// Returns the volume of a claim. It is the volume that the claim names, or the only volume with the uid of the claim
/// in its `claimRef`.
///
/// # Errors
/// Returns an error if the claim has no volume, or if its volume cannot be known.
pub(super) fn volume_of(gathered: &Gathered, key: &ObjectKey) -> Result<Str, Error> {
    let snapshot = &gathered.snapshot;
    let claim = snapshot.claim(named::claim(snapshot, &key.name, Some(&key.namespace))?);
    let (namespace, name) = (&key.namespace, &key.name);
    if !claim.volume_name.is_empty() {
        return its_own(gathered, claim);
    }
    let naming = snapshot.volumes_naming(namespace, name).iter().map(|id| snapshot.volume(*id));
    let by_uid = |volume: &&PersistentVolume| {
        volume.claim_ref.as_ref().is_some_and(|named| !named.uid.is_empty() && named.uid == claim.meta.uid)
    };
    let volumes: Vec<&Str> = naming.filter(by_uid).map(|volume| &volume.meta.name).collect();
    // A volume that could not be read may also have the uid of the claim.
    if snapshot.coverage().absence(Kind::PersistentVolume, "") != Absence::Certain {
        return Err(Error::unreadable(format!(
            "claim {namespace}/{name} names no volume, and not all volumes could be listed: its volume is unknown"
        ))
        .hint("kubectl pvctl retain pv/NAME keeps the volume of that name"));
    }
    match volumes.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Error::refused(format!("claim {namespace}/{name} has no volume yet: there are no data to keep"))
            .hint(format!("kubectl pvctl explain pvc/{name} -n {namespace} says what it waits for"))),
        several => {
            let ways = several.iter().map(|volume| format!("kubectl pvctl retain pv/{volume} retains that volume"));
            let message = format!("{} volumes have the uid of claim {namespace}/{name}", several.len());
            Err(ways.fold(Error::refused(message), Error::hint))
        }
    }
}

/// Returns the volume that a claim names. An error is returned if the volume does not exist, or belongs to another
/// claim.
fn its_own(gathered: &Gathered, claim: &PersistentVolumeClaim) -> Result<Str, Error> {
    let (key, wanted) = (claim.key(), &claim.volume_name);
    let volume = gathered.snapshot.volume(named::volume(&gathered.snapshot, wanted).map_err(|error| {
        Error::new(error.kind(), format!("claim {key} names volume {wanted}")).cause(error.message())
    })?);
    match &volume.claim_ref {
        Some(other) if other.namespace != claim.meta.namespace || other.name != claim.meta.name => Err(Error::refused(
            format!("claim {key} names volume {wanted}, which belongs to claim {}/{}", other.namespace, other.name),
        )
        .hint(format!("kubectl pvctl retain pv/{wanted} keeps the data of this volume"))),
        _ => Ok(wanted.clone()),
    }
}
