//! The data from which a plan is made.

use crate::error::Error;
use crate::model::ObjectKey;
use crate::ops::Writer;
use crate::ops::gather::Gathered;
use crate::ops::model::ModelOptions;
use crate::repair::{self, Guard, Manifests, Origin, Plan, Proposed, Request, Situation};
use crate::report::plan::PlanDocument;
use crate::snapshot::Snapshot;
use std::collections::BTreeSet;

/// Everything that was read, and the complete manifests of the objects that a plan is about.
#[derive(Debug)]
pub(in crate::ops) struct World<'a> {
    pub(in crate::ops) gathered: Gathered,
    model: &'a ModelOptions,
    pub(super) manifests: Manifests,
    /// The objects whose complete manifests have been requested.
    asked: BTreeSet<ObjectKey>,
}

impl<'a> World<'a> {
    /// Creates a world from what was read. It has no complete manifests yet.
    pub(in crate::ops) fn new(gathered: Gathered, model: &'a ModelOptions) -> Self {
        Self { gathered, model, manifests: Manifests::default(), asked: BTreeSet::new() }
    }

    /// Returns the snapshot of the objects.
    pub(in crate::ops) fn snapshot(&self) -> &Snapshot {
        &self.gathered.snapshot
    }

    /// Returns what planners and guards use.
    ///
    /// # Errors
    /// Returns an error if a flag of the model does not fit what was read.
    pub(in crate::ops) fn situation(&self) -> Result<Situation<'_>, Error> {
        let snapshot = self.snapshot();
        let settings = self.gathered.modelled.settings(snapshot, self.model, false)?;
        Ok(Situation { snapshot, settings, manifests: &self.manifests, providers: &self.gathered.providers })
    }

    /// Makes the plan for a request, after the manifests that it needs were read.
    ///
    /// # Errors
    /// Returns an error if something cannot be read.
    pub(in crate::ops) async fn propose(
        &mut self,
        cluster: &impl Writer,
        request: &Request,
    ) -> Result<Proposed, Error> {
        self.read(cluster, repair::reads(self.snapshot(), request, &self.gathered.providers)).await?;
        Ok(repair::propose(&self.situation()?, request))
    }

    /// Reads complete manifests that have not been read yet.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be read.
    pub(super) async fn read(&mut self, cluster: &impl Writer, keys: Vec<ObjectKey>) -> Result<(), Error> {
        let keys: Vec<ObjectKey> = keys.into_iter().filter(|key| !self.asked.contains(key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let read = cluster.manifests(&keys).await?;
        for key in keys {
            if let Some(manifest) = read.get(&key) {
                self.manifests.add(key.clone(), manifest.clone());
            }
            self.asked.insert(key);
        }
        Ok(())
    }

    /// Returns a plan as a document.
    pub(super) fn document(&self, plan: &Plan, here: &Origin, guards: &[Guard]) -> PlanDocument {
        PlanDocument::new(plan, here, guards, self.gathered.modelled.document())
    }
}
