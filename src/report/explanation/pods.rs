//! The parts of an explanation about pods: the stages of the volumes of a pod, and the pods of a workload, grouped by
//! their state and cause.

use crate::report::shared::diagnosis::{MemberOut, PodVolumeOut, StageOut};
use crate::report::shared::table::Table;

/// The largest number of pods of a group that are named.
const MOST_NAMED: usize = 5;

/// Returns the table of the volumes of a pod, with a column for each stage.
pub(super) fn stages_table(volumes: &[PodVolumeOut]) -> Table {
    let headers = ["VOLUME", "CLAIM", "EXISTS", "BOUND", "SCHEDULED", "ATTACHED", "MOUNTED", "RUNNING"];
    let mut table = Table::new(headers.into());
    for volume in volumes {
        let mut row = vec![volume.volume.clone(), volume.claim.clone()];
        row.extend(volume.stages.iter().map(|stage| mark(stage).to_owned()));
        table.row(row);
    }
    table
}

/// Returns the mark of a stage. The mark has its meaning without colour.
fn mark(stage: &StageOut) -> &'static str {
    match stage.state {
        "done" => "yes",
        "waiting" => "waits",
        "broken" => "NO",
        "notYet" => "-",
        _ => "?",
    }
}

/// Returns a line for each volume: its first stage that is not reached, and what an object says about this stage. A
/// volume about which no object says anything has no line.
pub(super) fn open_stages(volumes: &[PodVolumeOut]) -> Vec<String> {
    let open = |volume: &PodVolumeOut| {
        let stage = volume.stages.iter().find(|stage| stage.state != "done")?;
        (!stage.says.is_empty()).then(|| format!("{}, {}: {}", volume.volume, stage.stage, stage.says))
    };
    let mut lines: Vec<String> = volumes.iter().filter_map(open).collect();
    lines.dedup();
    lines
}

/// Returns one line for each group of pods that have the same state and the same cause.
pub(super) fn groups(pods: &[MemberOut]) -> Vec<String> {
    let mut groups: Vec<(&MemberOut, Vec<&str>)> = Vec::new();
    for pod in pods {
        let is_same = |first: &MemberOut| {
            first.state == pod.state
                && first.rule == pod.rule
                && first.root == pod.root
                && (first.rule.is_some() || first.state == "well" || first.headline == pod.headline)
        };
        match groups.iter_mut().find(|(first, _)| is_same(first)) {
            Some((_, names)) => names.push(&pod.object.name),
            None => groups.push((pod, vec![&pod.object.name])),
        }
    }
    let line = |(first, names): &(&MemberOut, Vec<&str>)| {
        let named = match names.len() {
            few if few <= MOST_NAMED => names.join(", "),
            many => format!("{} and {} more", names[..MOST_NAMED].join(", "), many - MOST_NAMED),
        };
        let why = match (&first.root, first.rule) {
            (Some(root), Some(rule)) if *root == first.object => format!(" ({rule})"),
            (Some(root), Some(rule)) => format!(" by {} ({rule})", root.words),
            _ => String::new(),
        };
        format!("{} {}{why}: {named}", names.len(), first.state)
    };
    groups.iter().map(line).collect()
}
