//! Compares what the kubelet does with the volumes of the pods of a node.

use super::{Judged, Verdict, differ, snapshot};
use crate::line::{Line, Object};
use crate::mounting::{Mounting, PodAnswer};
use anyhow::{Context as _, Result, ensure};
use pvctl::controllers::KubernetesBehavior;
use pvctl::controllers::kubelet_volumes::{KubeletVolumes, MountBranch, MountEvent, PopulatorBranch, WaitEnd};
use pvctl::model::{Node, Pod};
use pvctl::snapshot::Snapshot;
use pvctl::world::View;
use std::collections::BTreeSet;

impl Judged<'_> {
    /// Compares the answers about all pods of the node.
    pub(super) fn compare_mounting(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(asked) = &self.line.mounting else { return Ok(()) };
        ensure!(asked.invalid.is_empty(), "the world is invalid: {}", asked.invalid);
        let kubelet = kubelet(self.snapshot, self.behavior, asked)?;
        let own = own_pods(self.snapshot, asked);
        let names = own.iter().map(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name)).collect();
        let real = asked.pods.iter().map(|answer| format!("{}/{}", answer.namespace, answer.name)).collect();
        differ("mounting: pods", &object("", ""), &real, &names, verdict);
        let mut in_use = BTreeSet::new();
        for answer in &asked.pods {
            let about = object(&answer.namespace, &answer.name);
            let pod = self.snapshot.find::<Pod>(&answer.namespace, &answer.name);
            let pod = pod.with_context(|| format!("the world has no pod {}", answer.name))?;
            let predicted = kubelet.volumes_of(pod);
            self.ensure_certain(&answer.name, &predicted.doubts)?;
            let ends = kubelet.ends(pod, &predicted);
            let ends = ends.with_context(|| format!("{}: a volume is not modelled", answer.name))?;
            in_use.extend(predicted.in_use.iter().map(ToString::to_string));
            verdict.counts.mounting_pods += 1;
            verdict.counts.mounting_ends += ends.len();
            verdict.counts.mounting_open += usize::from(ends.len() > 1);
            let real = real_text(answer);
            let ends: BTreeSet<String> = ends.iter().map(end_text).collect();
            // Only one of several pods can have a `ReadWriteOncePod` volume, so one run reaches one of several ends.
            let ends = if ends.len() > 1 && ends.contains(&real) { [real.clone()].into() } else { ends };
            differ("mounting: end", &about, &[real].into(), &ends, verdict);
        }
        let real = asked.in_use.iter().cloned().collect();
        differ("mounting: in use", &object("", ""), &real, &in_use, verdict);
        Ok(())
    }
}

/// Returns the leaves that the volumes and the waits of the pods of a line reach: the name of the pod, and the id of
/// the leaf. If the pods compete for a volume, the leaves are those of the end that was recorded.
///
/// # Errors
/// Returns an error if the world of the line is invalid.
pub fn mounting_leaves(line: &Line, behavior: &KubernetesBehavior) -> Result<Vec<(String, &'static str)>> {
    let snapshot = snapshot(line)?;
    let mut leaves = Vec::new();
    let Some(asked) = &line.mounting else { return Ok(leaves) };
    let kubelet = kubelet(&snapshot, behavior, asked)?;
    for answer in &asked.pods {
        let Some(pod) = snapshot.find::<Pod>(&answer.namespace, &answer.name) else { continue };
        let predicted = kubelet.volumes_of(pod);
        let mut add = |id| leaves.push((answer.name.clone(), id));
        for volume in &predicted.volumes {
            let leaf = volume.populated.leaf.map(PopulatorBranch::id);
            leaf.into_iter().chain(volume.mount.map(MountBranch::id)).for_each(&mut add);
        }
        let ends = kubelet.ends(pod, &predicted).unwrap_or_default();
        let reached = ends.iter().find(|end| end_text(end) == real_text(answer));
        if let Some(end) = reached {
            add(end.leaf.id());
            // Whether the mount fails in this way depends on another pod, so no volume has this leaf.
            let is_exclusive = |event: &MountEvent| event.message.contains("is already in use by another pod");
            end.events.iter().any(is_exclusive).then(|| add(MountBranch::MountExclusive.id()));
        }
    }
    Ok(leaves)
}

fn kubelet<'s>(
    snapshot: &'s Snapshot,
    behavior: &'s KubernetesBehavior,
    asked: &Mounting,
) -> Result<KubeletVolumes<'s>> {
    let node = snapshot.find::<Node>("", &asked.node).with_context(|| format!("there is no node {}", asked.node))?;
    Ok(KubeletVolumes::new(View::Snapshot(snapshot), behavior, node))
}

fn own_pods<'s>(snapshot: &'s Snapshot, asked: &Mounting) -> Vec<&'s Pod> {
    snapshot.all::<Pod>().iter().filter(|pod| pod.node_name == asked.node.as_str()).collect()
}

fn object(namespace: &str, name: &str) -> Object {
    Object { kind: "Pod".to_owned(), namespace: namespace.to_owned(), name: name.to_owned() }
}

fn real_text(answer: &PodAnswer) -> String {
    text(&answer.error, &answer.events.iter().map(|event| without_path(event).to_owned()).collect())
}

fn end_text(end: &WaitEnd) -> String {
    let kind = |is_warning| if is_warning { "Warning" } else { "Normal" };
    let event = |event: &MountEvent| format!("{} {} {}", kind(event.is_warning), event.reason, event.message);
    text(&end.error, &end.events.iter().map(event).collect())
}

fn text(error: &str, events: &BTreeSet<String>) -> String {
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    format!("{error} | {}", events.join(" | "))
}

/// Returns an event about a block device without the path at its end. A path depends on the plugin.
pub(super) fn without_path(event: &str) -> &str {
    let is_path = |word: &&str| event.contains(&format!(" {word} \""));
    match ["globalMapPath", "volumeMapPath"].iter().find(|word| is_path(word)) {
        Some(word) => event.split_once(word).map_or(event, |(begin, _)| begin).trim_end(),
        None => event,
    }
}
