//! Compares what the real controllers did with the predictions, in the form in which the program prints predictions as
//! JSON.

mod advice;
mod attacher;
mod attacher_ends;
mod attaching;
mod attachment_ends;
mod causes;
mod counts;
mod cuts;
mod decisions;
mod ends;
mod engines;
mod folds;
mod foretold;
mod gates;
mod leaves;
mod logs;
mod managing;
mod matches;
mod memory;
mod mounting;
mod on_node;
mod pods;
mod provisioning;
mod refusals;
mod resizer;
mod scheduler_cuts;
mod scheduling;
mod searches;
mod shared_volume;

pub use attacher::attacher_leaves;
pub use attaching::attaching_leaves;
pub use counts::{Counts, EngineCounts};
pub use cuts::misnamed;
pub(crate) use ends::{end_of, object_of, settling};
pub use engines::hundred_sizes;
pub use managing::managing_leaves;
pub use mounting::mounting_leaves;
pub use provisioning::{answers, provisioner};
pub use resizer::resizer_leaves;
pub use shared_volume::shared_volume_leaves;

use crate::line::{Line, Object};
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::{KubernetesBehavior, persistent_volume};
use pvctl::model::{Kind, ObjectId, Pod};
use pvctl::simulate::{Limit, Settings};
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::mem;

/// A difference between the predictions and the real controllers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the answer that differs, such as `decisions`, `cases[2]` or `settle: joint`.
    pub part: String,
    /// The object.
    pub object: String,
    /// What only the real controllers do.
    pub only_real: Vec<String>,
    /// What only the prediction contains.
    pub only_predicted: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} of {}", self.part, self.object)?;
        for real in &self.only_real {
            writeln!(out, "  only real:      {real}")?;
        }
        for predicted in &self.only_predicted {
            writeln!(out, "  only predicted: {predicted}")?;
        }
        Ok(())
    }
}

/// An object with predicted ends that neither a random schedule nor a given schedule reached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Wider {
    /// The name of the world.
    pub line: String,
    /// The object.
    pub object: Object,
    /// The predicted ends that were not seen, in the format of the lines.
    pub ends: Vec<Value>,
    /// Whether the prediction says that each of these ends is possible.
    pub exact: bool,
}

impl fmt::Display for Wider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.line, name(&self.object))
    }
}

/// A component with predicted joint ends that no schedule reached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WiderWorlds {
    /// The name of the world.
    pub line: String,
    /// The objects of the component.
    pub objects: Vec<Object>,
    /// The predicted joint ends that were not seen, each in the order of the objects.
    pub worlds: Vec<Value>,
}

impl WiderWorlds {
    fn names(&self) -> String {
        let objects: Vec<String> = self.objects.iter().map(name).collect();
        format!("{} together", objects.join(", "))
    }
}

impl fmt::Display for WiderWorlds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.line, self.names())
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The numbers of compared answers.
    pub counts: Counts,
    /// The numbers of additional questions to the engines.
    pub engines: EngineCounts,
    /// How often each kind of answer was compared. The key is the name of the part without the indexes and names that
    /// differ from line to line.
    pub compared: BTreeMap<String, usize>,
    /// The objects with predicted ends that were not seen.
    pub wider: Vec<Wider>,
    /// The components with predicted joint ends that were not seen.
    pub wider_worlds: Vec<WiderWorlds>,
    /// The differences.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// Adds the verdict of another world.
    pub fn add(&mut self, other: Self) {
        self.counts += other.counts;
        self.engines += other.engines;
        for (sort, times) in other.compared {
            *self.compared.entry(sort).or_default() += times;
        }
        self.wider.extend(other.wider);
        self.wider_worlds.extend(other.wider_worlds);
        self.differences.extend(other.differences);
    }

    /// Adds differences for the predicted ends that no schedule reached, if the prediction says that they are possible.
    /// It also adds differences for the joint ends that no schedule reached. The caller must have given the real
    /// controllers a schedule for each such end.
    pub fn expect_proof(&mut self) {
        let (exact, wider) = mem::take(&mut self.wider).into_iter().partition(|wider| wider.exact);
        self.wider = wider;
        let alone = Vec::into_iter(exact).map(|Wider { object, ends, .. }| (name(&object), ends));
        let joint = mem::take(&mut self.wider_worlds).into_iter().map(|wider| (wider.names(), wider.worlds));
        self.differences.extend(alone.chain(joint).map(|(object, ends)| Difference {
            part: "settle: never reached".to_owned(),
            object,
            only_real: Vec::new(),
            only_predicted: ends.iter().map(ToString::to_string).collect(),
        }));
    }
}

/// Compares the predictions with all answers of the line.
///
/// # Errors
/// Returns an error if the world, the cases or the answers of the line are invalid.
pub fn judge(line: &Line, behavior: &KubernetesBehavior) -> Result<Verdict> {
    let snapshot = snapshot(line)?;
    let judged = Judged { line, snapshot: &snapshot, behavior: &behavior_of(line, behavior)? };
    let mut verdict = Verdict::default();
    judged.compare_decisions(&mut verdict)?;
    judged.compare_ends(&mut verdict)?;
    judged.compare_engines(&mut verdict)?;
    judged.compare_matches(&mut verdict)?;
    judged.compare_searches(&mut verdict)?;
    judged.compare_listed(&mut verdict)?;
    judged.compare_advice(&mut verdict)?;
    judged.compare_features(&mut verdict);
    judged.compare_scheduling(&mut verdict)?;
    judged.compare_provisioning(&mut verdict)?;
    judged.compare_attaching(&mut verdict)?;
    judged.compare_attacher(&mut verdict)?;
    judged.compare_mounting(&mut verdict)?;
    judged.compare_managing(&mut verdict)?;
    judged.compare_resizer(&mut verdict)?;
    judged.compare_share(&mut verdict)?;
    judged.compare_cut(&mut verdict)?;
    Ok(verdict)
}

/// Returns the behavior with the flags and gates of a line.
pub(crate) fn behavior_of(line: &Line, behavior: &KubernetesBehavior) -> Result<KubernetesBehavior> {
    let mut behavior = behavior.clone();
    for (flag, value) in &line.flags {
        behavior.set_flag(flag, value).map_err(|error| anyhow!("{error}"))?;
    }
    for (gate, state) in &line.gates {
        behavior.set_gate(gate, *state).map_err(|error| anyhow!("{error}"))?;
    }
    Ok(behavior)
}

/// A line, and the snapshot and the behavior with which it is compared.
struct Judged<'a> {
    line: &'a Line,
    snapshot: &'a Snapshot,
    behavior: &'a KubernetesBehavior,
}

impl Judged<'_> {
    /// Returns a number that depends only on the name of the line. The number selects the lines for checks that are not
    /// made on all lines.
    fn number(&self) -> u64 {
        // This is FNV-1a without its low bits, which are the least random.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.line.id.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 16
    }
}

/// Returns the snapshot of the world of a line. Its coverage says that everything was read.
///
/// # Errors
/// Returns an error if an object cannot be decoded or has an unknown kind.
pub fn snapshot(line: &Line) -> Result<Snapshot> {
    // The script of the shared-volume controller has the objects of the world in another form.
    if line.share.is_some() { snapshot_of(&[]) } else { snapshot_of(&line.world.items) }
}

fn snapshot_of(items: &[Value]) -> Result<Snapshot> {
    Ok(Snapshot::new(parts(items, Coverage::complete())?))
}

/// Returns the snapshot of objects. Its coverage says that everything was read, also of the kinds in [`FURTHER`].
fn whole_snapshot_of(items: &[Value]) -> Result<Snapshot> {
    let mut coverage = Coverage::complete();
    for kind in FURTHER {
        coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
    }
    Ok(Snapshot::new(parts(items, coverage)?))
}

/// The kinds that the scheduler, the external provisioner, the external attacher and the external resizer read, in
/// addition to the kinds that other decisions read.
const FURTHER: [Kind; 8] = [
    Kind::Namespace,
    Kind::VolumeAttachment,
    Kind::CsiDriver,
    Kind::CsiNode,
    Kind::CsiStorageCapacity,
    Kind::VolumeSnapshot,
    Kind::VolumeSnapshotContent,
    Kind::VolumeAttributesClass,
];

fn parts<'v>(items: impl IntoIterator<Item = &'v Value>, coverage: Coverage) -> Result<Parts> {
    let mut parts = Parts { coverage, ..Parts::default() };
    for item in items {
        match decoded(item)? {
            Item::Object(object) if Kind::ALL.contains(&object.kind()) || FURTHER.contains(&object.kind()) => {
                parts.objects.push(object);
            }
            Item::Object(object) => bail!("no decision reads a {}", object.kind()),
            Item::Skipped(kind) => bail!("nobody reads the kind {kind}"),
        }
    }
    Ok(parts)
}

fn decoded(item: &Value) -> Result<Item> {
    decode::decode(item.to_string().as_bytes(), "the world").map_err(|issue| anyhow!("{issue}"))
}

fn found(snapshot: &Snapshot, object: &Object) -> Option<ObjectId> {
    match object.kind.as_str() {
        "PersistentVolume" => snapshot.volume_id(&object.name).map(ObjectId::from),
        "PersistentVolumeClaim" => snapshot.claim_id(&object.namespace, &object.name).map(ObjectId::from),
        "Pod" => snapshot.id::<Pod>(&object.namespace, &object.name).map(ObjectId::from),
        _ => None,
    }
}

pub(crate) fn target(snapshot: &Snapshot, object: &Object) -> Result<ObjectId> {
    found(snapshot, object).with_context(|| format!("the world has no {}", name(object)))
}

fn name(object: &Object) -> String {
    let namespace = if object.namespace.is_empty() { String::new() } else { format!("{}/", object.namespace) };
    format!("{} {namespace}{}", object.kind, object.name)
}

fn binder<'s>(behavior: &KubernetesBehavior) -> Settings<'s> {
    Settings {
        controllers: vec![persistent_volume::CONTROLLER],
        decisions: Limit::All,
        outcomes: Limit::All,
        ..Settings::new(behavior.clone())
    }
}

/// Returns the kind of answer that a part belongs to: `decisions: leaves` for `decisions[2]: leaves`.
fn sort_of(part: &str) -> String {
    let mut sort = String::new();
    let mut inside = false;
    for letter in part.split(" of ").next().unwrap_or_default().chars() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            '"' | '0'..='9' if !inside => break,
            _ if inside => {}
            _ => sort.push(letter),
        }
    }
    sort.trim_end().replace(',', "")
}

fn differ(part: &str, object: &Object, real: &BTreeSet<String>, predicted: &BTreeSet<String>, verdict: &mut Verdict) {
    *verdict.compared.entry(sort_of(part)).or_default() += 1;
    if real != predicted {
        verdict.differences.push(Difference {
            part: part.to_owned(),
            object: name(object),
            only_real: real.difference(predicted).cloned().collect(),
            only_predicted: predicted.difference(real).cloned().collect(),
        });
    }
}
