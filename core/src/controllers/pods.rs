//! The functions by which controllers find the pods that refer to a claim.

use super::SyncContext;
use crate::model::{Held, Id, Kind, Pod};
use crate::world::World;

/// Returns the ids of the pods that refer to the claim of this name. Recorded pods come first, in the order of their
/// names; created pods come last.
fn referring(world: &World<'_>, namespace: &str, claim: &str) -> Vec<Id<Pod>> {
    let recorded = world.snapshot().pod_ids_of(namespace, claim).iter().copied();
    let created = world.created::<Pod>().filter_map(|(id, pod)| {
        let refers = |pod: &Pod| pod.meta.namespace == namespace && pod.claim_names().any(|name| name == claim);
        pod.is_some_and(|pod| refers(pod)).then_some(id)
    });
    recorded.chain(created).collect()
}

impl<'s> SyncContext<'_, 's> {
    /// Returns the pods that refer to the claim of this name, as the informer has them. The order is that of
    /// [`referring`].
    pub fn pods_of(&mut self, namespace: &str, claim: &str) -> Vec<Held<'s, Pod>> {
        self.needs_list(Kind::Pod, namespace);
        referring(self.world(), namespace, claim).into_iter().filter_map(|id| self.informed(id)).collect()
    }

    /// Returns the pods that refer to the claim of this name and that only a live list shows: the informer does not
    /// have them. The order is that of [`referring`].
    pub fn live_only_pods_of(&self, namespace: &str, claim: &str) -> Vec<Held<'s, Pod>> {
        let unseen = referring(self.world(), namespace, claim).into_iter().filter(|id| self.informed(*id).is_none());
        unseen.filter_map(|id| self.world().get(id)).collect()
    }
}
