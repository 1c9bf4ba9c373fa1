//! The diagnosis of one object, and of the other objects that can have the cause of its problem. Although no further
//! objects are examined, the object gets the same root as in the diagnosis of all objects.

use super::attaching::Attachments;
use super::case::{claim_key, class_key, key_of_claim};
use super::partners::Partners;
use super::rules::RELEASED_RETAIN;
use super::shared_volumes::Providers;
use super::{AuditSettings, Finding, Findings, Rule, Subject, Survey, apply_rules, graph, key, members, rules};
use crate::model::surroundings::StatefulSet;
use crate::model::{Kind, ObjectId, ObjectKey, PersistentVolume, TypedId};
use crate::simulate::Simulation;
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Applies the rules to one object that somebody named, and to each object that is related to it. The named
/// object has the same findings as in [`super::diagnose_named`], and the worst of them has the same root.
pub fn diagnose_with_neighbours(
    simulation: &Simulation<'_>,
    object: &ObjectKey,
    applied: &[&'static Rule],
    attachments: Arc<Attachments<'_>>,
    providers: &Providers,
) -> Findings {
    let snapshot = simulation.snapshot();
    let survey = Survey::with(simulation, false, attachments, providers);
    let partners = Partners::new(snapshot);
    let settings = AuditSettings { rules: applied, suppressions: &[], scope: &|_| true, providers };
    let mut known = members::keys_of(snapshot, object);
    known.insert(object.clone());
    // A person who names an object also wants to know about the objects on which it depends.
    let is_named = |_: &ObjectKey| true;
    let mut findings = Findings::default();
    let mut open: Vec<ObjectKey> = known.iter().cloned().collect();
    let mut by_place: BTreeMap<(usize, u32), Vec<Finding>> = BTreeMap::new();
    while let Some(next) = open.pop() {
        let Some((place, subject)) = Subject::find(snapshot, &next) else { continue };
        let mut some = Findings::default();
        apply_rules(simulation, &survey, subject, settings, &is_named, &mut some);
        let related = some.listed.iter().flat_map(Finding::related).cloned();
        let related: Vec<ObjectKey> = related.chain(neighbours(snapshot, &partners, &next, &some.listed)).collect();
        open.extend(related.into_iter().filter(|key| known.insert(key.clone())));
        by_place.insert(place, some.listed);
        for (rule, missing) in some.unjudged {
            findings.unjudged.entry(rule).or_default().extend(missing);
        }
    }
    // The order of the objects is the same as in the diagnosis of all objects.
    findings.listed = by_place.into_values().flatten().collect();
    rules::drop_general_findings(&mut findings.listed);
    graph::follow(&mut findings.listed);
    findings
}

/// Returns the objects whose findings can change the role of a finding on this object: the objects that belong to it,
/// its class, node and namespace, and the pods and StatefulSets that use its claim. If the object is a Released volume
/// that keeps its data, the claims that wait for a volume of its class are added, because their remedies may use the
/// volume.
fn neighbours(
    snapshot: &Snapshot,
    partners: &Partners<'_>,
    object: &ObjectKey,
    findings: &[Finding],
) -> BTreeSet<ObjectKey> {
    let mut found = partners.of(object);
    match snapshot.object_id(object).map(ObjectId::typed) {
        Some(TypedId::PersistentVolume(id)) => {
            let volume = snapshot.volume(id);
            if let Some(named) = &volume.claim_ref {
                found.insert(key(Kind::Namespace, "", &named.namespace));
                found.extend(users(snapshot, &named.namespace, &named.name));
            }
            if findings.iter().any(|finding| finding.rule.id == RELEASED_RETAIN.id) {
                found.extend(claims_that_wait(snapshot, volume));
            }
        }
        Some(TypedId::PersistentVolumeClaim(id)) => {
            let claim = snapshot.claim(id);
            found.insert(class_key(claim.class()));
            found.insert(key(Kind::Namespace, "", &claim.meta.namespace));
            found.extend(users(snapshot, &claim.meta.namespace, &claim.meta.name));
        }
        Some(TypedId::Pod(id)) => {
            let pod = snapshot.get(id);
            found.extend(pod.claim_names().map(|claim| claim_key(&pod.meta.namespace, claim)));
            found.insert(key(Kind::Node, "", &pod.node_name));
            found.insert(key(Kind::Namespace, "", &pod.meta.namespace));
        }
        Some(TypedId::VolumeAttachment(id)) => {
            found.insert(key(Kind::Node, "", &snapshot.get(id).node_name));
        }
        _ => {}
    }
    found
}

/// Returns the pods that use the claim with this namespace and name, and all StatefulSets of the namespace.
fn users<'s>(snapshot: &'s Snapshot, namespace: &'s str, claim: &str) -> impl Iterator<Item = ObjectKey> + use<'s> {
    let pods = snapshot.pods_of(namespace, claim).map(|pod| key(Kind::Pod, &pod.meta.namespace, &pod.meta.name));
    let sets = snapshot.all::<StatefulSet>().iter().filter(move |set| set.meta.namespace == namespace);
    pods.chain(sets.map(|set| key(Kind::StatefulSet, &set.meta.namespace, &set.meta.name)))
}

/// Returns the claims without a volume that have the class of this volume.
fn claims_that_wait<'s>(
    snapshot: &'s Snapshot,
    volume: &'s PersistentVolume,
) -> impl Iterator<Item = ObjectKey> + use<'s> {
    let claims = snapshot.claims().iter();
    let waiting = claims.filter(|claim| claim.volume_name.is_empty() && claim.class() == volume.class());
    waiting.map(|claim| key_of_claim(&claim.meta))
}
