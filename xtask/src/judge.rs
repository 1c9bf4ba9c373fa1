//! Compares what the real controllers did with what is predicted, in the terms of the output contract.

mod cuts;
mod decisions;
mod ends;
mod engines;
mod matches;

pub(crate) use ends::{end_of, settling};
pub use engines::{EngineCounts, hundred_sizes};

use crate::line::{Line, Object};
use anyhow::{Context as _, Result, anyhow, bail};
use pvctl::controllers::{Controller, Rules};
use pvctl::simulate::{Limit, Settings, Target};
use pvctl::snapshot::{Coverage, Item, Parts, Snapshot, decode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

/// Where prediction and reality part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which part of the answer: `decisions`, `cases[2]`, `settle`, `matches`.
    pub part: String,
    /// The object.
    pub object: String,
    /// What only the real controllers do.
    pub only_real: Vec<String>,
    /// What is only predicted.
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

/// What was compared, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Counts {
    /// Sets of decisions.
    pub decisions: usize,
    /// Those that hold decisions for which no run was made.
    pub folded: usize,
    /// Objects left out, because the API server refused to store them as they are.
    pub refused: usize,
    /// Searches for a volume.
    pub matches: usize,
    /// Claims whose candidates were compared with the volume that the real decisions name.
    pub chosen: usize,
    /// Sets of ends.
    pub ends: usize,
    /// Exact ones among them.
    pub exact: usize,
    /// Those with one member.
    pub single: usize,
    /// Their members.
    pub members: usize,
    /// The ends that were seen.
    pub seen: usize,
    /// The ends, alone and joint, that were reached by the schedule that is said to lead there.
    pub proved: usize,
    /// Sets under a limit.
    pub limited: usize,
    /// The members of the sets of the engines that do not explore.
    pub coarse: usize,
    /// Exact sets among those.
    pub coarse_exact: usize,
    /// Objects of which was compared whether they change.
    pub changes: usize,
    /// Components whose joint ends were compared.
    pub components: usize,
    /// Their predicted joint ends.
    pub worlds: usize,
    /// The joint ends that were seen.
    pub worlds_seen: usize,
    /// Answers from worlds with a part cut out.
    pub cuts: usize,
    /// Those that differ from the real answer, all of them with a doubt.
    pub doubted: usize,
    /// Those without any doubt, all of them right.
    pub confident: usize,
}

impl Counts {
    /// Every number with its name.
    pub fn named(&self) -> [(&'static str, usize); 21] {
        let Self { decisions, folded, refused, matches, chosen, ends, exact, single, members, seen, proved, .. } =
            *self;
        let Self {
            changes,
            limited,
            coarse,
            coarse_exact,
            components,
            worlds,
            worlds_seen,
            cuts,
            doubted,
            confident,
            ..
        } = *self;
        [
            ("decisions", decisions),
            ("folded", folded),
            ("refused", refused),
            ("matches", matches),
            ("chosen", chosen),
            ("ends", ends),
            ("exact", exact),
            ("single", single),
            ("members", members),
            ("seen", seen),
            ("proved", proved),
            ("changes", changes),
            ("limited", limited),
            ("coarse", coarse),
            ("coarse exact", coarse_exact),
            ("components", components),
            ("worlds", worlds),
            ("worlds seen", worlds_seen),
            ("cuts", cuts),
            ("doubted", doubted),
            ("confident", confident),
        ]
    }

    /// Whether there was anything to compare.
    pub fn is_empty(&self) -> bool {
        self.decisions + self.matches + self.ends == 0
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.decisions += other.decisions;
        self.folded += other.folded;
        self.refused += other.refused;
        self.matches += other.matches;
        self.chosen += other.chosen;
        self.ends += other.ends;
        self.exact += other.exact;
        self.single += other.single;
        self.members += other.members;
        self.seen += other.seen;
        self.proved += other.proved;
        self.changes += other.changes;
        self.limited += other.limited;
        self.coarse += other.coarse;
        self.coarse_exact += other.coarse_exact;
        self.components += other.components;
        self.worlds += other.worlds;
        self.worlds_seen += other.worlds_seen;
        self.cuts += other.cuts;
        self.doubted += other.doubted;
        self.confident += other.confident;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { decisions, folded, refused, matches, chosen, ends, exact, single, members, seen, proved, .. } = self;
        let Self {
            changes,
            limited,
            coarse,
            coarse_exact,
            components,
            worlds,
            worlds_seen,
            cuts,
            doubted,
            confident,
            ..
        } = self;
        write!(
            out,
            "{decisions} decision sets ({folded} folded), {matches} searches and {chosen} choices, {ends} sets of ends \
             ({exact} exact, {single} single, {members} members of which {seen} were seen and {proved} proved; \
             {changes} changes; {limited} under a limit; {coarse} members without exploring, {coarse_exact} sets exact), \
             {components} components ({worlds} joint ends of which {worlds_seen} were seen), {cuts} answers on partial \
             input ({doubted} different and doubted, {confident} without a doubt); {refused} objects left out"
        )
    }
}

/// An object of which more ends are predicted than any schedule reached, and none is known that would.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Wider {
    /// The world.
    pub line: String,
    /// The object.
    pub object: Object,
    /// The predicted ends that were not seen, in the shape of the line format.
    pub ends: Vec<Value>,
}

impl fmt::Display for Wider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.line, name(&self.object))
    }
}

/// A component of which more joint ends are predicted than any schedule reached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WiderWorlds {
    /// The world.
    pub line: String,
    /// The objects of the component.
    pub objects: Vec<Object>,
    /// The predicted joint ends that were not seen, each in the order of the objects.
    pub worlds: Vec<Value>,
}

impl fmt::Display for WiderWorlds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects: Vec<String> = self.objects.iter().map(name).collect();
        write!(out, "{} {} together", self.line, objects.join(", "))
    }
}

/// What was compared, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// In numbers.
    pub counts: Counts,
    /// What the engines were asked beside that, in numbers.
    pub engines: EngineCounts,
    /// Objects whose set has members that were not seen.
    pub wider: Vec<Wider>,
    /// Components whose joint ends have members that were not seen.
    pub wider_worlds: Vec<WiderWorlds>,
    /// Where the two sides part.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// Adds another world's verdict.
    pub fn add(&mut self, other: Self) {
        self.counts += other.counts;
        self.engines += other.engines;
        self.wider.extend(other.wider);
        self.wider_worlds.extend(other.wider_worlds);
        self.differences.extend(other.differences);
    }
}

/// Compares everything that the line has an answer to.
///
/// # Errors
/// When the line's world, cases or answers make no sense.
pub fn judge(line: &Line, rules: &Rules) -> Result<Verdict> {
    let snapshot = snapshot(line)?;
    let judged = Judged { line, snapshot: &snapshot, rules: &rules_of(line, rules)? };
    let mut verdict = Verdict::default();
    judged.compare_decisions(&mut verdict)?;
    judged.compare_ends(&mut verdict)?;
    judged.compare_engines(&mut verdict)?;
    judged.compare_matches(&mut verdict)?;
    judged.compare_cut(&mut verdict)?;
    Ok(verdict)
}

/// The rules with the flags of a line.
pub(crate) fn rules_of(line: &Line, rules: &Rules) -> Result<Rules> {
    let mut rules = rules.clone();
    for (flag, value) in &line.flags {
        rules.set_flag(flag, value).map_err(|error| anyhow!("{error}"))?;
    }
    for (gate, state) in &line.gates {
        rules.set_gate(gate, *state).map_err(|error| anyhow!("{error}"))?;
    }
    Ok(rules)
}

/// A line with what its answers are compared with.
struct Judged<'a> {
    line: &'a Line,
    snapshot: &'a Snapshot,
    rules: &'a Rules,
}

/// The world of a line, of which nothing is missing.
///
/// # Errors
/// When an object cannot be decoded or is of a kind that nobody reads.
pub fn snapshot(line: &Line) -> Result<Snapshot> {
    snapshot_of(&line.world.items)
}

fn snapshot_of(items: &[Value]) -> Result<Snapshot> {
    Ok(Snapshot::new(parts(items, Coverage::complete())?))
}

fn parts<'v>(items: impl IntoIterator<Item = &'v Value>, coverage: Coverage) -> Result<Parts> {
    let mut parts = Parts { coverage, ..Parts::default() };
    for item in items {
        match decoded(item)? {
            Item::Volume(volume) => parts.volumes.push(*volume),
            Item::Claim(claim) => parts.claims.push(*claim),
            Item::Class(class) => parts.classes.push(*class),
            Item::Pod(pod) => parts.pods.push(*pod),
            Item::Node(node) => parts.nodes.push(*node),
            Item::Lease(_) => bail!("nobody in the worlds reads a Lease"),
            Item::Skipped(kind) => bail!("nobody reads the kind {kind}"),
        }
    }
    Ok(parts)
}

fn decoded(item: &Value) -> Result<Item> {
    decode::decode(&serde_json::to_vec(item)?, "the world").map_err(|issue| anyhow!("{issue}"))
}

fn found(snapshot: &Snapshot, object: &Object) -> Option<Target> {
    match object.kind.as_str() {
        "PersistentVolume" => snapshot.volume_id(&object.name).map(Target::Volume),
        "PersistentVolumeClaim" => snapshot.claim_id(&object.namespace, &object.name).map(Target::Claim),
        _ => None,
    }
}

pub(crate) fn target(snapshot: &Snapshot, object: &Object) -> Result<Target> {
    found(snapshot, object).with_context(|| format!("the world has no {}", name(object)))
}

fn name(object: &Object) -> String {
    let namespace = if object.namespace.is_empty() { String::new() } else { format!("{}/", object.namespace) };
    format!("{} {namespace}{}", object.kind, object.name)
}

fn binder<'s>(rules: &Rules) -> Settings<'s> {
    Settings {
        controllers: vec![Controller::PersistentVolumeBinder],
        decisions: Limit::All,
        outcomes: Limit::All,
        ..Settings::new(rules.clone())
    }
}

fn differ(part: &str, object: &Object, real: &BTreeSet<String>, predicted: &BTreeSet<String>, verdict: &mut Verdict) {
    if real != predicted {
        verdict.differences.push(Difference {
            part: part.to_owned(),
            object: name(object),
            only_real: real.difference(predicted).cloned().collect(),
            only_predicted: predicted.difference(real).cloned().collect(),
        });
    }
}
