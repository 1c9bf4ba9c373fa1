//! The functions by which controllers add a finalizer to an object and remove it.

use super::SyncContext;
use crate::model::Str;
use std::sync::Arc;

pub(super) fn finish(result: Result<(), crate::world::ApiError>, sync: &mut SyncContext<'_, '_>) {
    if let Err(error) = result {
        sync.fail(error.to_string());
    }
}

pub(super) fn with(finalizers: &[Str], added: &'static str) -> Arc<[Str]> {
    finalizers.iter().cloned().chain([Str::const_new(added)]).collect()
}

pub(super) fn without(finalizers: &[Str], removed: &str) -> Arc<[Str]> {
    finalizers.iter().filter(|finalizer| *finalizer != removed).cloned().collect()
}
