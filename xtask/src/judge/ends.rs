//! Compares sets of ends, the joint ends, and what the prediction derives from them.

use super::pods::with_scheduler;
use super::{Judged, Verdict, Wider, WiderWorlds, binder, differ, found, target};
use crate::line::{Ends, Object, Schedule, Settle};
use anyhow::{Context as _, Result};
use pvctl::controllers::{ACTORS, CONTROLLERS, Controller, KubernetesBehavior, persistent_volume};
use pvctl::engines;
use pvctl::engines::simulation;
use pvctl::model::{Kind, ObjectId, ObjectKey};
use pvctl::report::prediction::StateOut;
use pvctl::simulate::Budget;
use pvctl::simulate::component::Component;
use pvctl::simulate::{Limit, Outcome, OutcomeSet, Settings, Simulation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The limit of ends that is tried.
const LIMIT: usize = 2;

/// The largest number of joint ends of a component that the program lists in its output.
const JOINT_LISTED: u64 = 8;

impl Judged<'_> {
    /// Compares the ends of every object of the line, and the joint ends of each component.
    pub(super) fn compare_ends(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(real) = &self.line.settle else { return Ok(()) };
        if rejected(real) {
            verdict.counts.refused += real.objects.len();
            return Ok(());
        }
        if with_scheduler(real) {
            return self.compare_ends_with_pods(real, verdict);
        }
        let settings = settling(self.behavior, real)?;
        let simulation = simulation(self.snapshot, settings.clone(), 1);
        let (mut with_faults, mut coarse) = (None, None);
        let mut components: BTreeSet<usize> = BTreeSet::new();
        let crowded_objects = self.crowded(real);
        let coarse_settings = Settings { budget: Budget::NONE, ..settings.clone() };
        self.compare_created(&simulation, Some(&coarse_settings), real, verdict)?;
        for answer in &real.objects {
            let Some(target) = found(self.snapshot, &answer.object) else { continue };
            let prediction = simulation.predict(target);
            if !prediction.assumed.is_empty() || !prediction.unknown.is_empty() {
                let doubts = format!("{:?} {:?}", prediction.assumed, prediction.unknown);
                differ("settle: doubts", &answer.object, &BTreeSet::new(), &[doubts].into(), verdict);
            }
            let set = prediction.outcomes.as_ref().context("the prediction has no ends")?;
            let predicted = ends_of(prediction.listed_outcomes())?;
            let mut real_ends = self.ends_seen(answer);
            let crowded = crowded_objects.contains(&answer.object);
            let others: Vec<Value> = real_ends.iter().filter(|_| crowded).filter_map(failed).collect();
            let others: Vec<Value> = others.into_iter().filter(|end| !real_ends.contains(end)).collect();
            let failing = others.len() as u64;
            real_ends.extend(others);
            let recycled_beside = simulation.beside(target).is_some_and(|beside| beside.others > 0);
            let (by_ends, said) = (crowded.to_string(), recycled_beside.to_string());
            differ("settle: recycled beside others", &answer.object, &[by_ends].into(), &[said].into(), verdict);
            if failing > 0 && set.exact {
                let exact = ["the prediction says that each of the ends is possible".to_owned()].into();
                differ("settle: recycled beside others", &answer.object, &BTreeSet::new(), &exact, verdict);
            }
            let seen: BTreeSet<String> = real_ends.iter().map(ToString::to_string).collect();
            let counts = &mut verdict.counts;
            counts.listed += set.listed.len();
            counts.ends += 1;
            counts.exact += usize::from(set.exact);
            counts.crowded += usize::from(crowded && !set.exact);
            counts.single += usize::from(predicted.len() == 1);
            counts.members += predicted.len();
            counts.seen += seen.len();
            if set.count != set.listed.len() as u64 {
                let listed = [set.listed.len().to_string()].into();
                differ("settle: count", &answer.object, &listed, &[set.count.to_string()].into(), verdict);
            }
            let component = simulation.component_of(target);
            self.compare_decided_by(&prediction, component, (&answer.object, set.count, failing), verdict);
            let unseen = predicted.difference(&seen).map(|end| serde_json::from_str(end));
            let mut ends: Vec<Value> = unseen.collect::<Result<_, _>>()?;
            for schedule in self.line.schedules.iter().filter(|schedule| schedule.objects == [answer.object.clone()]) {
                let open = ends.len();
                ends.retain(|end| [end.clone()] != *schedule.ends);
                // An end that is no longer predicted needs no schedule that leads to it.
                if schedule.reached || ends.len() < open {
                    prove(schedule, verdict);
                }
            }
            if !ends.is_empty() {
                verdict.wider.push(Wider {
                    line: self.line.id.clone(),
                    object: answer.object.clone(),
                    ends,
                    exact: set.exact,
                });
            }
            let inside: BTreeSet<String> = seen.intersection(&predicted).cloned().collect();
            differ("settle", &answer.object, &seen, &inside, verdict);
            // The destruction of data is also a change, and an end that was not seen may be one. Only the predictions
            // contain the destruction of data and unseen ends.
            let changes = real_ends.len() > 1
                || real_ends.iter().any(|end| self.recorded(&answer.object).is_none_or(|item| moved(item, end)));
            let may_change = predicted.len() > 1
                || set.count > 1
                || set.listed.iter().any(|end| StateOut::of_outcome(end).data == Some("destroyed"));
            if changes || !may_change {
                verdict.counts.changes += 1;
                let predicted = prediction.changes().to_string();
                differ("settle: changes", &answer.object, &[changes.to_string()].into(), &[predicted].into(), verdict);
            }
            if components.insert(prediction.component) {
                self.compare_joint(&simulation, prediction.component, (real, &crowded_objects), verdict)?;
                // The limit shortens the listed sets, whichever engine found them.
                let is_crowded = |id: &ObjectId| simulation.beside(*id).is_some_and(|beside| beside.others > 0);
                let alone = !component.objects.iter().any(is_crowded);
                if alone && self.number().is_multiple_of(2) {
                    self.compare_limited(&settings, &simulation, component, real, verdict)?;
                }
            }
            let coarse = coarse.get_or_insert_with(|| engines::simulation(self.snapshot, coarse_settings.clone(), 1));
            compare_coarse(coarse.outcomes(target), &predicted, (&answer.object, &seen), verdict)?;
            let faults = answer.fault_ends.iter().chain(&answer.race_ends);
            let unforeseen: BTreeSet<String> =
                faults.map(ToString::to_string).filter(|end| !predicted.contains(end)).collect();
            if !unforeseen.is_empty() {
                let faulty = Settings { failures: true, ..settings.clone() };
                let simulation = with_faults.get_or_insert_with(|| engines::simulation(self.snapshot, faulty, 1));
                let predicted = ends_of(&simulation.outcomes(target).listed)?;
                let inside: BTreeSet<String> = unforeseen.intersection(&predicted).cloned().collect();
                differ("settle with failures", &answer.object, &unforeseen, &inside, verdict);
            }
        }
        Ok(())
    }

    /// Compares the ends of the claims that do not exist yet and that a controller creates. If no schedule creates such
    /// a claim, it has no answer. With the coarse settings, the engines that do not explore are compared as well.
    pub(super) fn compare_created(
        &self,
        simulation: &Simulation<'_>,
        coarse: Option<&Settings<'_>>,
        real: &Settle,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let coarse = coarse.map(|coarse| engines::simulation(self.snapshot, coarse.clone(), 1));
        let set_of = |simulation: &Simulation<'_>, object: &Object| {
            let mut created = simulation.created();
            created.find(|(_, key, _)| object_of(key) == *object).and_then(|(_, _, set)| set.cloned())
        };
        for (_, key, _) in simulation.created() {
            let object = object_of(key);
            let gone = || Ends {
                object: object.clone(),
                ends: vec![json!({"gone": true})],
                fault_ends: Vec::new(),
                race_ends: Vec::new(),
            };
            let answer = real.objects.iter().find(|answer| answer.object == object).cloned().unwrap_or_else(gone);
            let Some(set) = set_of(simulation, &object) else {
                verdict.counts.unexplored += 1;
                continue;
            };
            let predicted = ends_of(&set.listed)?;
            let seen: BTreeSet<String> = self.ends_seen(&answer).iter().map(ToString::to_string).collect();
            let counts = &mut verdict.counts;
            counts.listed += set.listed.len();
            counts.ends += 1;
            counts.exact += usize::from(set.exact);
            counts.single += usize::from(predicted.len() == 1);
            counts.members += predicted.len();
            counts.seen += seen.len();
            let unseen = predicted.difference(&seen).map(|end| serde_json::from_str(end));
            let mut ends: Vec<Value> = unseen.collect::<Result<_, _>>()?;
            for schedule in self.line.schedules.iter().filter(|schedule| schedule.objects == [object.clone()]) {
                let open = ends.len();
                ends.retain(|end| [end.clone()] != *schedule.ends);
                if schedule.reached || ends.len() < open {
                    prove(schedule, verdict);
                }
            }
            if !ends.is_empty() {
                let (line, object) = (self.line.id.clone(), object.clone());
                verdict.wider.push(Wider { line, object, ends, exact: set.exact });
            }
            differ("settle: created", &object, &seen, &seen.intersection(&predicted).cloned().collect(), verdict);
            if let Some(coarse) = &coarse {
                let bound = set_of(coarse, &object).context("the prediction has no ends")?;
                compare_coarse(&bound, &predicted, (&object, &seen), verdict)?;
            }
        }
        // The real controllers must not create other claims.
        for answer in real.objects.iter().filter(|answer| found(self.snapshot, &answer.object).is_none()) {
            let is_known = simulation.created().any(|(_, key, _)| object_of(key) == answer.object);
            let known = BTreeSet::from([is_known.to_string()]);
            differ("settle: created at all", &answer.object, &["true".to_owned()].into(), &known, verdict);
        }
        Ok(())
    }

    /// Returns the volumes whose recyclings may interfere with each other, according to the recorded ends.
    ///
    /// These are several volumes of one plugin that end in a state in which a recycling continues and no pod delays it.
    /// In the oracle no recycling interferes with another. The live tests, which run the whole controller manager, show
    /// the result of such an interference. A pod delays a recycling if any volume of the pod uses the claim. The delay
    /// ends when the pod has ended, or is being deleted and no longer runs. Upstream: `isVolumeUsed`,
    /// `PodPVCIndexFunc`, `IsPodTerminated`, 1.36.
    fn crowded(&self, real: &Settle) -> Vec<Object> {
        let is_running = |pod: &Value| {
            let statuses = pod["status"]["containerStatuses"].as_array();
            statuses.is_some_and(|all| all.iter().any(|one| one["state"]["running"].is_object()))
        };
        let has_ended = |pod: &Value| {
            matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"))
                || (pod["metadata"]["deletionTimestamp"].is_string() && !is_running(pod))
        };
        let in_use = |named: &Value| {
            self.line.world.items.iter().any(|pod| {
                let volumes = pod["spec"]["volumes"].as_array();
                let own = |volume: &Value| {
                    let names =
                        [&pod["metadata"]["name"], &volume["name"]].map(|name| name.as_str().unwrap_or_default());
                    volume["ephemeral"].is_object() && named["name"] == names.join("-")
                };
                let uses =
                    |volume: &Value| volume["persistentVolumeClaim"]["claimName"] == named["name"] || own(volume);
                pod["kind"] == "Pod"
                    && pod["metadata"]["namespace"] == named["namespace"]
                    && !has_ended(pod)
                    && volumes.is_some_and(|volumes| volumes.iter().any(uses))
            })
        };
        let recycled = |source: &str| -> Vec<Object> {
            let recycled = real.objects.iter().filter(|answer| {
                let Some(item) = self.recorded(&answer.object) else { return false };
                let named = &item["spec"]["claimRef"];
                let goes_on = |end: &Value| {
                    matches!(end["phase"].as_str(), Some("Released" | "Failed")) && end["claimRef"]["uid"].is_string()
                };
                let annotation = |key: &str| item["metadata"]["annotations"][key].as_str().unwrap_or_default();
                // The CSI driver handles this volume. The controller corrects the annotation only if provisioned-by
                // names a plugin.
                let is_migrated = !annotation("pv.kubernetes.io/migrated-to").is_empty()
                    && annotation("pv.kubernetes.io/provisioned-by").is_empty();
                item["spec"]["persistentVolumeReclaimPolicy"] == "Recycle"
                    && !is_migrated
                    && item["spec"][source].is_object()
                    && !in_use(named)
                    && self.ends_seen(answer).iter().any(goes_on)
            });
            recycled.map(|answer| answer.object.clone()).collect()
        };
        ["nfs", "hostPath"].into_iter().map(recycled).filter(|all| all.len() > 1).flatten().collect()
    }

    /// Returns the ends of an object that random schedules reached, and the ends that the real controllers reached by a
    /// given schedule.
    pub(super) fn ends_seen(&self, answer: &Ends) -> Vec<Value> {
        let mut ends = answer.ends.clone();
        // A single schedule cannot show that a state belongs to a cycle.
        for end in ends.iter_mut().filter_map(Value::as_object_mut) {
            end.remove("unsettled");
        }
        for schedule in self.line.schedules.iter().filter(|schedule| schedule.reached) {
            if let ([object], [end]) = (schedule.objects.as_slice(), schedule.ends.as_slice())
                && *object == answer.object
                && !ends.contains(end)
            {
                ends.push(end.clone());
            }
        }
        ends
    }

    /// Compares the ends under a limit. A limit shortens the list and changes nothing else: the first ends stay, all
    /// are counted, and one end of every sort is available.
    fn compare_limited(
        &self,
        settings: &Settings<'_>,
        simulation: &Simulation<'_>,
        component: &Component,
        real: &Settle,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let objects = &component.objects;
        if objects.iter().all(|object| simulation.outcomes(*object).listed.len() <= LIMIT) {
            return Ok(());
        }
        let settings = Settings { outcomes: Limit::AtMost(LIMIT), ..settings.clone() };
        let settled = engines::settle(self.snapshot, &settings, component);
        // Two ends are of one sort if they differ only in the names of volume and claim.
        let sort = |end: &Value| {
            let finalizers = &end["finalizers"];
            json!([end["phase"], end["gone"], end["terminating"], finalizers]).to_string()
        };
        let told = |set: &OutcomeSet| -> Result<BTreeSet<String>> {
            let mut told = ends_of(&set.listed[..LIMIT.min(set.listed.len())])?;
            told.insert(format!("{} in all", set.count));
            Ok(told)
        };
        for (object, set) in objects.iter().copied().zip(settled.sets.iter()).filter(|(_, set)| set.count > 0) {
            let answer = real.objects.iter().find(|answer| target(self.snapshot, &answer.object).ok() == Some(object));
            let answer = answer.context("an object whose ends were not recorded")?;
            let mut cut = told(set)?;
            if set.listed.len() > LIMIT {
                cut.insert(format!("{} listed", set.listed.len()));
            }
            Self::compare_sorts(&answer.object, simulation.outcomes(object), set, verdict)?;
            differ("settle: limited", &answer.object, &told(simulation.outcomes(object))?, &cut, verdict);
            let real: BTreeSet<String> = self.ends_seen(answer).iter().map(sort).collect();
            let every: BTreeSet<String> =
                set.representatives().map(|end| Ok(sort(&end_of(end)?))).collect::<Result<_>>()?;
            differ("settle: sorts", &answer.object, &real, &real.intersection(&every).cloned().collect(), verdict);
            verdict.counts.limited += 1;
        }
        Ok(())
    }

    /// Compares the joint ends of a component. No schedule may lead to a joint end that is not predicted.
    pub(super) fn compare_joint(
        &self,
        simulation: &Simulation<'_>,
        number: usize,
        (real, crowded): (&Settle, &[Object]),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let named = |id: &ObjectId| object_of(&self.snapshot.key(*id));
        let Some(joint) = simulation.joint(number) else {
            // The joint ends have to be listed if their number cannot exceed the limit.
            let members = simulation.targets().filter(|target| simulation.predict(*target).component == number);
            let members: Vec<ObjectId> = members.filter(|target| simulation.outcomes(*target).count > 0).collect();
            let created = simulation.created().filter(|(of, _, _)| *of == number).filter_map(|(_, _, set)| set);
            let sets = members.iter().map(|target| simulation.outcomes(*target)).chain(created);
            let most = sets.fold(1, |most: u64, set| most.saturating_mul(set.count));
            // Several nodes that are the same for every waiting pod are one choice. Then it is not known which nodes of
            // several pods go together.
            let is_placed = |target: &&ObjectId| target.kind == Kind::Pod && simulation.outcomes(**target).count > 1;
            let few_pods = members.iter().filter(is_placed).count() < 2;
            if let (Some(first), true) = (members.first(), few_pods && most <= JOINT_LISTED) {
                differ(
                    "settle: joint",
                    &named(first),
                    &["the joint ends".to_owned()].into(),
                    &BTreeSet::new(),
                    verdict,
                );
            }
            return Ok(());
        };
        if real.joint.is_empty() {
            return Ok(());
        }
        let created = joint.created.iter().map(|(key, _)| object_of(key));
        let objects: Vec<Object> = joint.objects.iter().map(named).chain(created).collect();
        let worlds = joint.states;
        // If no schedule creates a claim, the recording has no answer for it.
        let place_of = |object: &Object| real.objects.iter().position(|answer| answer.object == *object);
        let places: Vec<Option<usize>> = objects.iter().map(place_of).collect();
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for row in &real.joint {
            let state = places.iter().map(|place| {
                let Some(place) = *place else { return Ok(json!({"gone": true})) };
                let end = row.get(place).and_then(|end| real.objects[place].ends.get(*end));
                let mut end = end.cloned().context("a joint end without an end of each object")?;
                end.as_object_mut().map(|fields| fields.remove("unsettled"));
                Ok(end)
            });
            rows.push(state.collect::<Result<_>>()?);
        }
        let schedules: Vec<&Schedule> =
            self.line.schedules.iter().filter(|schedule| schedule.objects == objects).collect();
        rows.extend(schedules.iter().filter(|schedule| schedule.reached).map(|schedule| schedule.ends.clone()));
        for (place, _) in (0..).zip(&objects).filter(|(_, object)| crowded.contains(object)) {
            let others: Vec<Vec<Value>> = rows.iter().filter_map(|row| failed_at(row, place)).collect();
            rows.extend(others);
        }
        let seen: BTreeSet<String> = rows.into_iter().map(|row| Value::Array(row).to_string()).collect();
        let mut predicted = BTreeSet::new();
        for world in worlds {
            let state = world.into_iter().map(end_of);
            predicted.insert(Value::Array(state.collect::<Result<_>>()?).to_string());
        }
        let first = objects.first().cloned();
        verdict.counts.components += 1;
        verdict.counts.worlds += predicted.len();
        verdict.counts.worlds_seen += seen.len();
        let unseen = predicted.difference(&seen).map(|world| serde_json::from_str(world));
        let mut worlds: Vec<Value> = unseen.collect::<Result<_, _>>()?;
        for schedule in schedules {
            let open = worlds.len();
            worlds.retain(|world| *world != Value::Array(schedule.ends.clone()));
            if schedule.reached || worlds.len() < open {
                prove(schedule, verdict);
            }
        }
        if !worlds.is_empty() {
            verdict.wider_worlds.push(WiderWorlds { line: self.line.id.clone(), objects, worlds });
        }
        if let Some(first) = first {
            let inside: BTreeSet<String> = seen.intersection(&predicted).cloned().collect();
            differ("settle: joint", &first, &seen, &inside, verdict);
        }
        Ok(())
    }
}

/// Returns the end of a volume after its recycling has failed, or `None` if the volume is not Released.
fn failed(end: &Value) -> Option<Value> {
    let mut end = end.clone();
    let phase = end.get_mut("phase").filter(|phase| *phase == "Released")?;
    *phase = "Failed".into();
    Some(end)
}

/// Returns the same ends, except that the recycling of the volume at this position has failed. Returns `None` if the
/// volume is not Released.
fn failed_at(world: &[Value], place: usize) -> Option<Vec<Value>> {
    let mut world = world.to_vec();
    world[place] = failed(&world[place])?;
    Some(world)
}

/// Compares the sets of the engines that do not explore, which are used for larger components. No end may be missing,
/// and the number of listed ends is counted. A set may be marked as exact only if it is exact.
fn compare_coarse(
    set: &OutcomeSet,
    predicted: &BTreeSet<String>,
    (object, seen): (&Object, &BTreeSet<String>),
    verdict: &mut Verdict,
) -> Result<()> {
    let coarse = ends_of(&set.listed)?;
    verdict.counts.coarse += coarse.len();
    verdict.counts.coarse_exact += usize::from(set.exact);
    let part = "settle: without exploring";
    differ(part, object, seen, &seen.intersection(&coarse).cloned().collect(), verdict);
    if set.exact {
        differ("settle: exact without exploring", object, predicted, &coarse, verdict);
    }
    Ok(())
}

/// Counts an end that its schedule reached. An end that its schedule does not reach is a difference.
pub(super) fn prove(schedule: &Schedule, verdict: &mut Verdict) {
    if schedule.reached {
        verdict.counts.proved += 1;
        return;
    }
    if let Some(object) = schedule.objects.first() {
        let predicted = [format!("{}, and its schedule does not lead there", json!(schedule.ends))].into();
        differ("schedules", object, &BTreeSet::new(), &predicted, verdict);
    }
}

/// Returns whether the API server refused a write because it would not store the object today. Such a world is left
/// out.
pub(super) fn rejected(real: &Settle) -> bool {
    real.notes.iter().any(|note| note == "api-rejected")
}

/// Returns the object with this key, in the format of the lines.
pub(crate) fn object_of(key: &ObjectKey) -> Object {
    let (namespace, name) = (key.namespace.to_string(), key.name.to_string());
    Object { kind: key.kind.as_str().to_owned(), namespace, name }
}

/// Returns the controllers that took part.
pub(super) fn controllers(real: &Settle) -> Result<Vec<Controller>> {
    if real.controllers.is_empty() {
        return Ok(vec![persistent_volume::CONTROLLER]);
    }
    let known = |name: &String| {
        let mut all = CONTROLLERS.into_iter().chain(ACTORS);
        all.find(|controller| controller.name == name).with_context(|| format!("no controller has the name {name}"))
    };
    real.controllers.iter().map(known).collect()
}

/// Returns the settings of the simulation, with the controllers that took part.
pub(crate) fn settling<'s>(behavior: &KubernetesBehavior, real: &Settle) -> Result<Settings<'s>> {
    Ok(Settings { controllers: controllers(real)?, ..binder(behavior) })
}

/// Returns the ends in the form of the oracle.
pub(super) fn ends_of(outcomes: &[Outcome]) -> Result<BTreeSet<String>> {
    outcomes.iter().map(|outcome| Ok(end_of(outcome)?.to_string())).collect()
}

/// Returns a predicted end in the form of the oracle.
pub(crate) fn end_of(outcome: &Outcome) -> Result<Value> {
    let mut end = serde_json::to_value(StateOut::of_outcome(outcome))?;
    if let Some(fields) = end.as_object_mut() {
        // The controllers cannot report what happens to data. A single schedule cannot show that a state belongs to a
        // cycle.
        fields.retain(|field, _| field != "data" && field != "unsettled");
    }
    // A created object has a uid that only an API server can assign.
    for (place, before, after) in
        [("/volumeName", "pvc-<uid>", "pvc-<created>"), ("/claimRef/uid", "<uid>", "<created>")]
    {
        if let Some(text) = end.pointer_mut(place).filter(|text| **text == before) {
            *text = after.into();
        }
    }
    Ok(end)
}

/// Returns whether an end differs from the recorded state in phase or binding, or because the object is terminating, is
/// gone, or was created again. The API server reads a missing phase as Pending.
fn moved(item: &Value, end: &Value) -> bool {
    let binding = |named: &Value| -> Option<[String; 3]> {
        let text = |field: &str| named[field].as_str().unwrap_or_default().to_owned();
        named.is_object().then(|| ["namespace", "name", "uid"].map(text))
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    end["gone"] == true
        || end["created"] == true
        || text(&end["phase"]) != item["status"]["phase"].as_str().unwrap_or("Pending")
        || text(&end["volumeName"]) != text(&item["spec"]["volumeName"])
        || binding(&end["claimRef"]) != binding(&item["spec"]["claimRef"])
        || (end["terminating"] == true && item["metadata"]["deletionTimestamp"].is_null())
}
