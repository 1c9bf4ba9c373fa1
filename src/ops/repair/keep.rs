//! `retain` of a claim: its volume is kept, and which one that is, the cluster says.

use crate::error::Error;
use crate::model::{Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str};
use crate::ops::gather::Gathered;
use crate::ops::named;
use crate::snapshot::Absence;

/// The volume of a claim: the one that it names, or the only one that has its uid.
///
/// # Errors
/// It has none, or nobody can tell which one that is.
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
    // One that could not be seen may have its uid as well.
    if snapshot.coverage().absence(Kind::PersistentVolume, "") != Absence::Certain {
        return Err(Error::unreadable(format!(
            "claim {namespace}/{name} names no volume, and volumes could not all be listed: which is its is unknown"
        ))
        .hint("kubectl pvctl retain pv/NAME keeps the volume of that name"));
    }
    match volumes.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Error::refused(format!("claim {namespace}/{name} has no volume yet: there are no data to keep"))
            .hint(format!("kubectl pvctl explain pvc/{name} -n {namespace} says what it waits for"))),
        several => {
            let ways = several.iter().map(|volume| format!("kubectl pvctl retain pv/{volume} keeps that one"));
            let message = format!("{} volumes have the uid of claim {namespace}/{name}", several.len());
            Err(ways.fold(Error::refused(message), Error::hint))
        }
    }
}

/// The volume that a claim names, unless that is another claim's.
fn its_own(gathered: &Gathered, claim: &PersistentVolumeClaim) -> Result<Str, Error> {
    let (key, wanted) = (claim.key(), &claim.volume_name);
    let volume = gathered.snapshot.volume(named::volume(&gathered.snapshot, wanted).map_err(|error| {
        Error::new(error.kind(), format!("claim {key} names volume {wanted}")).cause(error.message())
    })?);
    match &volume.claim_ref {
        Some(other) if other.namespace != claim.meta.namespace || other.name != claim.meta.name => Err(Error::refused(
            format!("claim {key} names volume {wanted}, which is that of claim {}/{}", other.namespace, other.name),
        )
        .hint(format!("kubectl pvctl retain pv/{wanted} keeps its data all the same"))),
        _ => Ok(wanted.clone()),
    }
}
