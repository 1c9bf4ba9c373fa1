//! Conversion of command-line arguments to the options of use cases and sources.

use crate::cli::{GlobalArgs, KindScope, ModelArgs, SourceArgs};
use crate::error::Error;
use crate::model::{LabelFilter, parse_label_filter};
use crate::ops::gather::ReadOptions;
use crate::ops::model::ModelOptions;
use crate::ops::scope::Scope;
use crate::source::{self, FileOptions};

/// Returns the options for reading and judging objects.
pub(in crate::commands) fn read(model: &ModelArgs, source: &SourceArgs, global: &GlobalArgs) -> ReadOptions {
    let scope = Scope { namespace: global.scope.namespace.clone(), all_namespaces: global.scope.all_namespaces };
    ReadOptions { model: self::model(model), scope, now: source.now, strict: source.strict }
}

/// Returns the options of the modelled Kubernetes.
fn model(args: &ModelArgs) -> ModelOptions {
    let kubernetes = &args.kubernetes;
    ModelOptions {
        kube_version: kubernetes.kube_version,
        feature_gates: kubernetes.feature_gates.iter().map(|gate| (gate.name.clone(), gate.enabled)).collect(),
        controller_flags: kubernetes
            .controller_flags
            .iter()
            .map(|flag| (flag.name.clone(), flag.value.clone()))
            .collect(),
        controllers: args.controllers.clone(),
        unseen: args.unseen.clone(),
        failures: args.failures,
        decisions: args.decisions,
        outcomes: args.outcomes,
        budget: args.budget,
    }
}

/// Returns the labels that an object must have to be shown.
///
/// # Errors
/// A usage error is returned if the selector cannot be parsed.
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
    }
}
