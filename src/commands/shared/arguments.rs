//! Conversion of command-line arguments to the options of use cases and sources.

use crate::cli::{GlobalArgs, KindScope, ModelArgs, SourceArgs};
use crate::error::Error;
use crate::model::{HeldObject, Kind, LabelFilter, ObjectKey, parse_label_filter};
use crate::ops::gather::ReadOptions;
use crate::ops::model::ModelOptions;
use crate::ops::scope::Scope;
use crate::snapshot::Snapshot;
use crate::source::{self, FileOptions, own_providers};
use std::path::PathBuf;

/// Returns the options for reading and judging objects.
///
/// # Errors
/// Returns an error if a file of `--stale` cannot be read, or if these files hold neither volumes nor claims.
pub(in crate::commands) fn read(
    model: &ModelArgs,
    source: &SourceArgs,
    global: &GlobalArgs,
) -> Result<ReadOptions, Error> {
    let scope = Scope { namespace: global.scope.namespace.clone(), all_namespaces: global.scope.all_namespaces };
    Ok(ReadOptions {
        model: self::model(model)?,
        scope,
        now: source.now,
        strict: source.strict,
        providers: own_providers::providers()?,
    })
}

/// Returns the options of the modelled Kubernetes.
fn model(args: &ModelArgs) -> Result<ModelOptions, Error> {
    let kubernetes = &args.kubernetes;
    Ok(ModelOptions {
        kube_version: kubernetes.kube_version,
        feature_gates: kubernetes.feature_gates.iter().map(|gate| (gate.name.clone(), gate.enabled)).collect(),
        controller_flags: kubernetes
            .controller_flags
            .iter()
            .map(|flag| (flag.name.clone(), flag.value.clone()))
            .collect(),
        controllers: args.controllers.clone(),
        actors: Vec::new(),
        unseen: args.unseen.clone(),
        stale: if args.stale.is_empty() { Vec::new() } else { stale(&args.stale)? },
        running: args.running.clone(),
        backing_off: args.backoff.clone(),
        failures: args.failures,
        decisions: args.decisions,
        outcomes: args.outcomes,
        budget: args.budget,
    })
}

/// Returns older versions of objects, read from files. If an object cannot be decoded, an error is returned: otherwise
/// the object would be missing in the cache, and nobody would notice.
fn stale(paths: &[PathBuf]) -> Result<Vec<(ObjectKey, HeldObject<'static>)>, Error> {
    let options = FileOptions { paths: paths.to_vec(), strict: true, ..FileOptions::default() };
    let snapshot = Snapshot::new(source::files::read(&options)?.parts);
    let volumes = snapshot.volumes().iter().map(|volume| (Kind::PersistentVolume, &volume.meta));
    let claims = snapshot.claims().iter().map(|claim| (Kind::PersistentVolumeClaim, &claim.meta));
    let keys = volumes.chain(claims).map(|(kind, meta)| ObjectKey::of(kind, meta));
    let older = |key: ObjectKey| {
        let object = snapshot.object_id(&key).and_then(|id| snapshot.object(id)).map(|object| object.to_owned());
        object.map(|object| (key, object))
    };
    let all: Vec<(ObjectKey, HeldObject<'static>)> = keys.filter_map(older).collect();
    if all.is_empty() { Err(Error::usage("--stale: the files hold no pv and no pvc")) } else { Ok(all) }
}

/// Returns the labels that an object must have to be shown.
///
/// # Errors
/// Returns a usage error if the selector cannot be parsed.
pub(in crate::commands) fn labels(global: &GlobalArgs) -> Result<Option<LabelFilter>, Error> {
    let parsed = global
        .scope
        .selector
        .as_deref()
        .map(|text| parse_label_filter(text).map_err(|error| Error::usage(format!("--selector: {error}"))));
    parsed.transpose()
}

/// Returns the options for reading files.
pub(in crate::commands) fn files(source: &SourceArgs) -> FileOptions {
    let scope = |scope: &KindScope| source::Scope { kind: scope.kind, namespace: scope.namespace.clone() };
    FileOptions {
        paths: source.filenames.clone(),
        recursive: source.recursive,
        assume_complete: source.assume_complete.as_ref().map(|scopes| scopes.iter().map(scope).collect()),
        partial: source.partial.iter().map(scope).collect(),
        now: source.now,
        strict: source.strict,
        surroundings: Vec::new(),
        last_change_of: None,
        of_systems: Vec::new(),
    }
}
