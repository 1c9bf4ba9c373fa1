//! Finding the objects that a person named.

use crate::diagnosis::unread::{hidden, unread};
use crate::diagnosis::{Partners, key};
use crate::error::Error;
use crate::model::{Kind, ObjectArgument, ObjectId, ObjectKey};
use crate::snapshot::{ClaimId, Snapshot, VolumeId};
use crate::text::nearest;
use std::collections::BTreeSet;

/// The maximum number of similar names that are offered for a name that does not exist.
const OFFERED: usize = 3;

/// Returns the volumes and claims that the arguments name, in the order of listings. Returns `None` if there are no
/// arguments.
///
/// # Errors
/// Returns a usage error with similar names, or with the namespaces that have such an object, if an object is not
/// found. Returns an [`Error::unreadable`] if nobody can know whether the object exists.
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

/// Returns the volumes and claims that the arguments name, and the related objects of each: those that refer to it, and
/// those to which it refers. Returns `None` if there are no arguments.
///
/// # Errors
/// Returns the errors of [`chosen`].
pub fn with_ties(
    snapshot: &Snapshot,
    words: &[ObjectArgument],
    namespace: Option<&str>,
) -> Result<Option<BTreeSet<ObjectKey>>, Error> {
    let Some(targets) = chosen(snapshot, words, namespace)? else { return Ok(None) };
    let partners = Partners::new(snapshot);
    let objects = targets.into_iter().flat_map(|target| {
        let object = snapshot.key(target);
        let mut objects = partners.of(&object);
        objects.insert(object);
        objects
    });
    Ok(Some(objects.collect()))
}

/// Returns the volume of that name.
///
/// # Errors
/// Returns the errors of [`object`].
pub fn volume(snapshot: &Snapshot, name: &str) -> Result<VolumeId, Error> {
    object(snapshot, Kind::PersistentVolume, name, None).map(|id| VolumeId::new(id.at))
}

/// Returns the claim of that name in the namespace.
///
/// # Errors
/// Returns the errors of [`object`].
pub fn claim(snapshot: &Snapshot, name: &str, namespace: Option<&str>) -> Result<ClaimId, Error> {
    object(snapshot, Kind::PersistentVolumeClaim, name, namespace).map(|id| ClaimId::new(id.at))
}

/// Returns the object of that kind and name in the namespace. Without a namespace, the name must exist in exactly one
/// namespace.
///
/// # Errors
/// Returns a usage error with similar names, or with the namespaces that have such an object, if the object is not
/// found. Returns an [`Error::unreadable`] if nobody can know whether the object exists.
pub fn object(snapshot: &Snapshot, kind: Kind, name: &str, namespace: Option<&str>) -> Result<ObjectId, Error> {
    let namespace = namespace.filter(|_| kind.namespaced());
    let key = key(kind, namespace.unwrap_or_default(), name);
    if let Some(found) = snapshot.object_id(&key).filter(|_| namespace.is_some() || !kind.namespaced()) {
        return Ok(found);
    }
    let count = u32::try_from(snapshot.count(kind)).unwrap_or(u32::MAX);
    let all = (0..count).map(|at| ObjectId { kind, at });
    let everywhere: Vec<ObjectId> = all.clone().filter(|id| snapshot.meta(*id).name == name).collect();
    let missing = || missing(snapshot, kind, name, namespace);
    match (everywhere.as_slice(), namespace) {
        ([only], None) => Ok(*only),
        ([], _) => {
            let here = all.map(|id| snapshot.meta(id)).filter(|meta| namespace.is_none_or(|ns| meta.namespace == ns));
            Err(offer(missing(), kind.short(), nearest(name, here.map(|meta| meta.name.as_str()), OFFERED)))
        }
        (several, None) => {
            let namespaces: Vec<&str> = several.iter().map(|id| snapshot.meta(*id).namespace.as_str()).collect();
            Err(Error::usage(format!("{kind} {name:?} exists in {} namespaces", several.len()))
                .hint(format!("choose one with -n: {}", namespaces.join(", "))))
        }
        (elsewhere, Some(_)) => Err(elsewhere.iter().take(OFFERED).fold(missing(), |error, id| {
            let namespace = &snapshot.meta(*id).namespace;
            error.hint(format!("there is one in another namespace: {}/{name} -n {namespace}", kind.short()))
        })),
    }
}

/// Checks that all objects of that kind in that namespace were read. Then a list of them is complete.
///
/// # Errors
/// Returns an [`Error::unreadable`] if objects may exist that were not read.
pub fn listed(snapshot: &Snapshot, kind: Kind, namespace: Option<&str>) -> Result<(), Error> {
    match hidden(snapshot, kind, namespace, "") {
        None => Ok(()),
        Some((state, reason)) => {
            let why = unread(kind, namespace.unwrap_or_default(), state);
            let error = Error::unreadable(format!("cannot list the objects of kind {kind}: {why}"));
            Err(reason.into_iter().fold(error, Error::cause))
        }
    }
}

/// Returns the error for an object that was not found. The error says that the object does not exist, or that nobody
/// can know whether it exists.
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
