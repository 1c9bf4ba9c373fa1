//! A plan as text for people.

use super::document::shown;
use crate::error::Error;
use crate::model::ObjectKey;
use crate::repair::{Change, Guard, Holds, Interleaving, Manifests, Plan, Refusal, Step, Undo, Write};
use crate::report::shared::wrap::wrap;
use crate::snapshot::redact::redact;
use colored::Colorize as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The guard that describes the volume with the data. Its line is printed below the goal.
const IDENTITY: &str = "identity";

/// How a plan is printed as text.
#[derive(Clone, Copy, Debug)]
pub struct PlanStyle<'a> {
    /// The width of the page in terminal columns. The value is `None` if nothing is wrapped.
    pub columns: Option<usize>,
    /// Whether guards that hold are also shown.
    pub all_guards: bool,
    /// The present manifests of the objects. They are given only if the changes of each step are shown.
    pub diff: Option<&'a Manifests>,
}

/// Returns the text of a plan: its goal, the data, the steps, and what the user has to know before agreeing. A plan of
/// one step has no headings, so that its text is short.
pub(super) fn text(plan: &Plan, guards: &[Guard], style: PlanStyle<'_>) -> String {
    let mut page = Page { text: String::new(), columns: style.columns, long: long_name(plan) };
    for line in wrap(&page.shortened(&format!("Goal: {}.", plan.goal)), style.columns, 2).lines() {
        page.raw(&line.bold().to_string());
    }
    for guard in guards.iter().filter(|guard| guard.id == IDENTITY) {
        // Only this line always has the full name of the volume.
        page.raw(&wrap(&format!("Check the data: {}.", guard.looked_at), style.columns, 2));
    }
    let mut world: BTreeMap<String, Value> = BTreeMap::new();
    let mut differences = |page: &mut Page<'_>, step: &Step| {
        if let (Some(manifests), Some(write)) = (style.diff, &step.write) {
            for line in changes(write, manifests, &mut world) {
                page.line(3, &line);
            }
        }
    };
    let only = if let [Step { write: Some(write), .. }] = plan.steps.as_slice() { Some(write) } else { None };
    let is_short = only.is_some();
    match only {
        Some(write) => page.line(0, &format!("Step: {}", without_uid(write))),
        None => page.heading("Steps"),
    }
    for step in &plan.steps {
        if is_short {
            after_only_step(&mut page, step);
        } else {
            page.line(1, &format!("{}. {}", step.id, step.why));
            if let Some(write) = &step.write {
                page.line(2, &without_uid(write));
            }
            after(&mut page, step);
        }
        differences(&mut page, step);
    }
    let shown = |guard: &&Guard| guard.id != IDENTITY && (style.all_guards || guard.holds != Holds::Yes);
    let unseen = |guard: &&Guard| if style.all_guards { None } else { guard.unseen };
    let told: Vec<&Guard> = guards.iter().filter(shown).collect();
    let hidden: Vec<&str> = told.iter().filter_map(unseen).collect();
    if !told.is_empty() || !plan.notes.is_empty() {
        if !is_short {
            page.heading("Before you agree");
        }
        let depth = usize::from(!is_short);
        for guard in told.iter().filter(|guard| unseen(guard).is_none()) {
            let judged = match guard.holds {
                Holds::Yes => "ok",
                Holds::Warns => "warning",
                Holds::No => "no",
                Holds::Unknown => "unknown",
            };
            page.line(depth, &format!("{judged}: {}", guard.looked_at));
        }
        if !hidden.is_empty() {
            page.line(depth, &format!("not checked: {}", hidden.join("; ")));
        }
        if is_short && !plan.notes.is_empty() {
            page.line(depth, &format!("note: {}", plan.notes.join("; ")));
        } else {
            for note in &plan.notes {
                page.line(depth, &format!("note: {note}"));
            }
        }
    }
    page.text
}

/// Writes what happens after the write of a step, and how the step is undone.
fn after(page: &mut Page<'_>, step: &Step) {
    if let Some(wait) = &step.wait {
        page.line(2, &format!("wait until {wait}"));
    }
    let states = step.expects.iter().map(|is| format!("{} is {}", is.object, is.states.join(" or ")));
    let states: Vec<String> = states.collect();
    if !states.is_empty() {
        page.line(2, &format!("then {}", states.join("; ")));
    }
    way_back(page, 2, step, None);
}

/// Writes how the step is undone. The name of `object` is left out.
fn way_back(page: &mut Page<'_>, depth: usize, step: &Step, object: Option<&ObjectKey>) {
    match &step.undo {
        Undo::Write { write, .. } => {
            let mut said = without_uid(write);
            if Some(&write.object) == object {
                said = said.replace(&format!(" of {}", write.object), "");
            }
            page.line(depth, &format!("to undo this step: {said}"));
        }
        Undo::Nothing => {}
        Undo::Impossible { why } => page.line(depth, &format!("this step cannot be undone: {why}")),
    }
}

/// Writes the same as [`after`] for the only step of a plan. The object of the step is called "it". If the step states
/// the predicted states of objects, its wait is left out, because the condition of the wait is met before these states.
fn after_only_step(page: &mut Page<'_>, step: &Step) {
    let object = step.write.as_ref().map(|write| &write.object);
    let name = |key: &ObjectKey| if Some(key) == object { "it".to_owned() } else { key.to_string() };
    let states: Vec<String> =
        step.expects.iter().map(|is| format!("{} is {}", name(&is.object), is.states.join(" or "))).collect();
    match (&step.wait, states.as_slice()) {
        (Some(wait), []) => page.line(1, &format!("wait until {wait}")),
        (None, []) => {}
        (_, states) => page.line(1, &format!("then {}", states.join("; "))),
    }
    way_back(page, 1, step, object);
}

/// Returns what a write does, in plain words and without the uid of a claim. A person does not need the uid. `-o yaml`
/// has the uid.
fn without_uid(write: &Write) -> String {
    let said = what(write);
    match &write.change {
        Change::SetClaimRef { to: Some(to), .. } if !to.uid.is_empty() => {
            said.replace(&format!("with uid {}", to.uid), "with its uid")
        }
        _ => said,
    }
}

/// The length of the longest volume name that is written more than once.
const REPEATED: usize = 24;

/// Returns the name of the only volume of the plan, if the name is longer than [`REPEATED`], such as the names that
/// provisioners give. Such a name is written only once. If a plan has several volumes, every line has to name its
/// volume.
fn long_name(plan: &Plan) -> Option<&str> {
    match plan.volumes.as_slice() {
        [carried] if carried.volume.len() > REPEATED => Some(carried.volume.as_str()),
        _ => None,
    }
}

/// Returns what a write does, in plain words.
pub fn what(write: &Write) -> String {
    let object = &write.object;
    match &write.change {
        Change::SetReclaimPolicy { to } => format!("set spec.persistentVolumeReclaimPolicy of {object} to {to}"),
        Change::SetClaimRef { to: None, .. } => format!("remove spec.claimRef from {object}"),
        Change::SetClaimRef { to: Some(to), .. } if to.uid.is_empty() => {
            format!("set spec.claimRef of {object} to {}/{}, without a uid", to.namespace, to.name)
        }
        Change::SetClaimRef { to: Some(to), .. } => {
            format!("set spec.claimRef of {object} to {}/{} with uid {}", to.namespace, to.name, to.uid)
        }
        Change::RemoveFinalizer { finalizer } => format!("remove finalizer {finalizer} from {object}"),
        Change::NameVolume { volume } => format!("set spec.volumeName of {object} to {volume}"),
        Change::SetClass { class } => format!("set spec.storageClassName of {object} to {class}"),
        Change::SetAnnotation { key, value: Some(value) } => format!("set annotation {key} of {object} to {value}"),
        Change::SetAnnotation { key, value: None } => format!("remove annotation {key} from {object}"),
        Change::Create { .. } => format!("create {object}"),
        Change::CreateService { service } => format!("create {object} with address {}", service.address()),
        Change::Delete => format!("delete {object}"),
    }
}

/// Returns the fields that a write changes, one on each line: `-` before a removed value, `+` before an added value.
/// `world` has the objects after the earlier steps.
fn changes(write: &Write, manifests: &Manifests, world: &mut BTreeMap<String, Value>) -> Vec<String> {
    let name = write.object.to_string();
    let before = world
        .get(&name)
        .cloned()
        .or_else(|| manifests.get(&write.object).map(|manifest| redact(write.object.kind, manifest.clone())))
        .unwrap_or_default();
    let after = match &write.change {
        Change::Create { .. } | Change::CreateService { .. } => {
            shown(write.object.kind, &write.manifest().unwrap_or_default())
        }
        // For a deleted object, only the name and the uid are listed, and not its fields.
        Change::Delete => {
            world.insert(name.clone(), Value::Null);
            return vec![format!("- {name}, uid {}", write.uid)];
        }
        Change::RemoveFinalizer { finalizer } => {
            let mut after = before.clone();
            if let Some(list) = after.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut) {
                list.retain(|present| present.as_str() != Some(finalizer.as_str()));
            }
            after
        }
        Change::SetReclaimPolicy { .. }
        | Change::SetClaimRef { .. }
        | Change::NameVolume { .. }
        | Change::SetClass { .. }
        | Change::SetAnnotation { .. } => {
            let mut after = before.clone();
            merge(&mut after, write.patch().unwrap_or_default());
            after
        }
    };
    let (old, new) = (fields(&before), fields(&after));
    let mut lines = Vec::new();
    for (field, value) in &old {
        if new.get(field) != Some(value) {
            lines.push((field.clone(), false, value.clone()));
        }
    }
    for (field, value) in &new {
        if old.get(field) != Some(value) {
            lines.push((field.clone(), true, value.clone()));
        }
    }
    lines.sort();
    world.insert(name, after);
    let shown = lines.into_iter().map(|(field, comes, value)| {
        let sign = if comes { '+' } else { '-' };
        format!("{sign} {field}: {value}")
    });
    shown.collect()
}

/// Applies a merge patch (RFC 7386).
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(fields) = target.as_object_mut() else { return };
    for (key, value) in patch {
        if value.is_null() {
            fields.remove(&key);
        } else {
            merge(fields.entry(key).or_insert(Value::Null), value);
        }
    }
}

/// Returns the values of an object, by the paths of their fields.
pub fn fields(object: &Value) -> BTreeMap<String, String> {
    fn walk(path: String, value: &Value, into: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    let step = match (path.is_empty(), plain) {
                        (true, _) => key.clone(),
                        (false, true) => format!("{path}.{key}"),
                        (false, false) => format!("{path}[{key}]"),
                    };
                    walk(step, value, into);
                }
            }
            Value::Null => {}
            Value::String(text) => _ = into.insert(path, text.clone()),
            other => _ = into.insert(path, other.to_string()),
        }
    }
    let mut found = BTreeMap::new();
    walk(String::new(), object, &mut found);
    found
}

/// Converts a refusal to an error. The error states the reason and lists, in order, the moves that would lead to a
/// loss.
pub fn refused(refusal: &Refusal, interleaving: Option<&Interleaving>) -> Error {
    let message = refusal.message.as_str();
    let error = match refusal.by {
        "usage" | "missing" => Error::usage(message),
        "unknown" => Error::unreadable(message),
        _ => Error::refused(message),
    };
    let moves = interleaving.map_or(&[][..], |interleaving| interleaving.moves.as_slice());
    let error = moves
        .iter()
        .zip(1..)
        .fold(error, |error, (one, number): (&String, u32)| error.cause(format!("{number}. {one}")));
    refusal.hints.iter().fold(error, |error, hint| error.hint(hint.clone()))
}

struct Page<'a> {
    text: String,
    columns: Option<usize>,
    /// The name that is written only once.
    long: Option<&'a str>,
}

impl Page<'_> {
    /// Returns the text with "the volume" in place of the long name of the volume. A text with a command is not
    /// changed, because people copy the command.
    fn shortened(&self, text: &str) -> String {
        match self.long {
            Some(name) if !text.contains("kubectl ") => {
                let said = text.replace(&format!(", volume {name}"), ", with the volume");
                let said = said.replace(&format!("volume {name}"), "the volume");
                said.replace(&format!("pv/{name}"), "the volume").replace("the the ", "the ")
            }
            _ => text.to_owned(),
        }
    }

    fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn line(&mut self, depth: usize, text: &str) {
        let shown = wrap(&format!("{}{}", "  ".repeat(depth), self.shortened(text)), self.columns, depth * 2 + 2);
        self.raw(&shown);
    }

    fn heading(&mut self, title: &str) {
        self.raw("");
        self.raw(&title.bold().to_string());
    }
}
