//! Finding the objects that a person named.

use crate::diagnosis::case::{claim_key, volume_key};
use crate::diagnosis::unread::{hidden, unread};
use crate::error::Error;
use crate::model::{Kind, ObjectArgument, ObjectId, ObjectKey, StorageClass, TypedId};
use crate::snapshot::{ClaimId, Snapshot, VolumeId};
use crate::text::nearest;
use std::collections::BTreeSet;

/// The maximum number of similar names that are offered for a name that does not exist.
const OFFERED: usize = 3;

/// Returns the volumes and claims that the arguments name, in the order of listings. Returns `None` if there are no
/// arguments.
///
/// # Errors
/// A usage error with similar names is returned for a name that does not exist. An unreadable error is returned if
/// nobody can know whether it exists.
pub fn chosen(
    snapshot: &Snapshot,
    words: &[ObjectArgument],
    namespace: Option<&str>,
) -> Result<Option<Vec<ObjectId>>, Error> {
    if words.is_empty() {
        return Ok(None);
    }
    let mut targets = Vec::new();
    for word in words {
        match (&word.name, word.kind) {
            (Some(name), Kind::PersistentVolume) => targets.push(ObjectId::from(volume(snapshot, name)?)),
            (Some(name), _) => targets.push(ObjectId::from(claim(snapshot, name, namespace)?)),
            (None, Kind::PersistentVolume) => {
                targets.extend((0u32..).take(snapshot.volumes().len()).map(|id| ObjectId::from(VolumeId::new(id))));
            }
            (None, _) => targets.extend(
                (0u32..)
                    .map(ClaimId::new)
                    .take(snapshot.claims().len())
                    .filter(|id| namespace.is_none_or(|wanted| snapshot.claim(*id).meta.namespace == wanted))
                    .map(ObjectId::from),
            ),
        }
    }
    targets.sort_unstable();
    targets.dedup();
    Ok(Some(targets))
}

/// Returns the volumes and claims that the arguments name, and the partners of each: the objects that refer to it and
/// the objects to which it refers. Returns `None` if there are no arguments.
///
/// # Errors
/// The errors are those of [`chosen`].
pub fn with_ties(
    snapshot: &Snapshot,
    words: &[ObjectArgument],
    namespace: Option<&str>,
) -> Result<Option<BTreeSet<ObjectKey>>, Error> {
    let Some(targets) = chosen(snapshot, words, namespace)? else { return Ok(None) };
    let objects = targets.into_iter().flat_map(|target| {
        let mut objects = tied(snapshot, target);
        objects.push(snapshot.key(target));
        objects
    });
    Ok(Some(objects.collect()))
}

/// Returns the objects to which a claim or volume is related. For a claim these are the volume that it names and the
/// volumes that name it. For a volume this is the claim that it names.
fn tied(snapshot: &Snapshot, target: ObjectId) -> Vec<ObjectKey> {
    match target.typed() {
        TypedId::PersistentVolume(id) => {
            let named = snapshot.volume(id).claim_ref.as_ref();
            named.map(|named| claim_key(&named.namespace, &named.name)).into_iter().collect()
        }
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter();
            let mut volumes: Vec<ObjectKey> = naming.map(|id| volume_key(&snapshot.volume(*id).meta.name)).collect();
            if snapshot.volume_id(&claim.volume_name).is_some() {
                volumes.push(volume_key(&claim.volume_name));
            }
            volumes
        }
        _ => Vec::new(),
    }
}

/// Returns the volume of that name.
///
/// # Errors
/// A usage error with similar names is returned if it does not exist. An unreadable error is returned if nobody can
/// know whether it exists.
pub fn volume(snapshot: &Snapshot, name: &str) -> Result<VolumeId, Error> {
    snapshot.volume_id(name).ok_or_else(|| {
        let names = snapshot.volumes().iter().map(|volume| volume.meta.name.as_str());
        offer(missing(snapshot, Kind::PersistentVolume, name, None), "pv", nearest(name, names, OFFERED))
    })
}

/// Returns the claim of that name in the namespace. Without a namespace, the name must exist in exactly one namespace.
///
/// # Errors
/// A usage error with similar names, or with the namespaces that have such a claim, is returned if the claim is not
/// found. An unreadable error is returned if nobody can know whether it exists.
pub fn claim(snapshot: &Snapshot, name: &str, namespace: Option<&str>) -> Result<ClaimId, Error> {
    if let Some(found) = namespace.and_then(|namespace| snapshot.claim_id(namespace, name)) {
        return Ok(found);
    }
    let everywhere: Vec<(ClaimId, &str)> = (0u32..)
        .zip(snapshot.claims())
        .filter(|(_, claim)| claim.meta.name == name)
        .map(|(id, claim)| (ClaimId::new(id), claim.meta.namespace.as_str()))
        .collect();
    let missing = || missing(snapshot, Kind::PersistentVolumeClaim, name, namespace);
    match (everywhere.as_slice(), namespace) {
        ([(only, _)], None) => Ok(*only),
        ([], _) => {
            let claims = snapshot.claims().iter().filter(|claim| namespace.is_none_or(|ns| claim.meta.namespace == ns));
            Err(offer(missing(), "pvc", nearest(name, claims.map(|claim| claim.meta.name.as_str()), OFFERED)))
        }
        (several, None) => {
            let namespaces: Vec<&str> = several.iter().map(|(_, namespace)| *namespace).collect();
            Err(Error::usage(format!("PersistentVolumeClaim {name:?} exists in {} namespaces", several.len()))
                .hint(format!("choose one with -n: {}", namespaces.join(", "))))
        }
        (elsewhere, Some(_)) => Err(elsewhere.iter().take(OFFERED).fold(missing(), |error, (_, namespace)| {
            error.hint(format!("there is one in another namespace: pvc/{name} -n {namespace}"))
        })),
    }
}

/// Returns the class of that name.
///
/// # Errors
/// A usage error with similar names is returned if it does not exist. An unreadable error is returned if nobody can
/// know whether it exists.
pub fn class<'s>(snapshot: &'s Snapshot, name: &str) -> Result<&'s StorageClass, Error> {
    snapshot.class(name).ok_or_else(|| {
        let names = snapshot.classes().iter().map(|class| class.meta.name.as_str());
        offer(missing(snapshot, Kind::StorageClass, name, None), "sc", nearest(name, names, OFFERED))
    })
}

/// Returns the error for an object that was not found. It says that the object does not exist, or that nobody can know
/// this.
fn missing(snapshot: &Snapshot, kind: Kind, name: &str, namespace: Option<&str>) -> Error {
    let place = namespace.map_or_else(String::new, |namespace| format!(" in namespace {namespace:?}"));
    let object = kind.as_str();
    match hidden(snapshot, kind, namespace, name) {
        None => Error::usage(format!("{object} {name:?} does not exist{place} in what was read")),
        Some((state, reason)) => {
            let why = unread(kind, namespace.unwrap_or_default(), state);
            let error = Error::unreadable(format!("cannot tell whether {object} {name:?} exists{place}: {why}"));
            reason.into_iter().fold(error, Error::cause)
        }
    }
}

fn offer(error: Error, kind: &str, names: Vec<&str>) -> Error {
    if names.is_empty() {
        return error;
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("{kind}/{name}")).collect();
    error.hint(format!("did you mean {}?", names.join(" or ")))
}
