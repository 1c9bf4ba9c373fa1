//! Prepares the repairs: plans each one, reviews it, and carries it out once without faults.

use super::state::States;
use super::{
    Cut, NOW, OPTIONS, Prepared, Silent, aftermath, confirmed, describe, folder, looked_at, manifests_of, run, way_back,
};
use crate::support::api::{
    Actor, ApiServer, Controllers, Loss, Protected, Random, Store, losses, lost, scenarios, settings, text,
};
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::execute::{self, Journal, Stopped};
use pvctl::model::{Kind, ObjectKey};
use pvctl::parallel::in_parallel;
use pvctl::repair::{Done, GivenUp, Plan, Proposed, Reviewed, Situation, propose, reads};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Returns all volumes. Each has the list of what the plan may give up about it.
pub(super) fn protected(store: &Store, plan: &Plan) -> Vec<(Protected, Vec<GivenUp>)> {
    store
        .all(Kind::PersistentVolume, "")
        .map(|(key, volume)| {
            let carried = plan.volumes.iter().find(|carried| carried.volume == key.name);
            let mut names: Vec<(String, String)> = carried
                .into_iter()
                .flat_map(|carried| &carried.for_claims)
                .map(|(namespace, name)| (namespace.to_string(), name.to_string()))
                .collect();
            names.push((text(volume, "/spec/claimRef/namespace"), text(volume, "/spec/claimRef/name")));
            let uids = vec![text(volume, "/spec/claimRef/uid")];
            let given_up = carried.map(|carried| carried.given_up.clone()).unwrap_or_default();
            (Protected { volume: key.name.to_string(), uids, names }, given_up)
        })
        .collect()
}

/// Returns the plan that is proposed for a request, or the reason why there is no plan.
pub(super) fn planned(store: &Store, request: &pvctl::repair::Request) -> Result<Plan, String> {
    let snapshot = store.snapshot();
    let manifests = manifests_of(store, &reads(&snapshot, request, Providers::built_in()));
    let situation = Situation {
        snapshot: &snapshot,
        settings: settings(),
        manifests: &manifests,
        providers: Providers::built_in(),
    };
    match propose(&situation, request) {
        Proposed::Plan(plan) => Ok(*plan),
        Proposed::Nothing(why) => Err(format!("nothing: {why}")),
        Proposed::Refused(refusal) => Err(format!("{}: {}", refusal.by, refusal.message)),
    }
}

/// Runs a plan without faults. The person may interrupt it at a step. Returns the cluster, the id of the journal, and
/// the steps that the journal records as done. The last value is the number of requests, or the reason why the run
/// stopped.
pub(super) fn undisturbed(
    store: &Store,
    reviewed: &Reviewed,
    ends_at_step: Option<u32>,
) -> (Cut, String, Vec<Done>, Result<usize, Stopped>) {
    let folder = folder();
    let api = ApiServer::new(store.clone(), Controllers::Run, 7);
    let plan = reviewed.plan().clone();
    let (id, done, result) = run(async {
        let client = api.client();
        let keys: Vec<ObjectKey> = plan.objects();
        execute::manifests(&client, &keys).await.unwrap();
        execute::receipts(&client, &plan).await.unwrap();
        let mut journal = Journal::create(folder.path(), &plan, "stage", NOW).unwrap();
        let confirmed = confirmed(reviewed.clone());
        let result = execute::execute(&client, confirmed, &mut journal, &OPTIONS, &Silent::new(ends_at_step)).await;
        (journal.id().to_owned(), journal.entry().done(), result)
    });
    let requests = api.requests().len();
    let cut = api.with(|store, random| {
        let then = store.clone();
        store.settle(random);
        Cut { then, settled: store.clone() }
    });
    (cut, id, done, result.map(|_| requests))
}

/// Prepares a repair, and its undo.
fn prepare(name: &str, base: Store, plan: Plan, notes: &mut Vec<String>) -> Vec<Prepared> {
    let (reviewed, receipts) = match looked_at(&base, plan) {
        Ok(looked) => looked,
        Err(why) => {
            notes.push(format!("{name} is refused: {why}"));
            return Vec::new();
        }
    };
    let plan = reviewed.plan().clone();
    let (after, id, done, result) = undisturbed(&base, &reviewed, None);
    let requests = match result {
        Ok(requests) => requests,
        Err(stop) => {
            notes.push(format!("{name} does not go through undisturbed: {}", describe(&stop)));
            return Vec::new();
        }
    };
    let after = after.settled;
    let mut states = States::new(&base, &after);
    for step in plan.steps.iter().map(|step| Some(step.id)).chain([None]) {
        let (cut, id, done, _) = undisturbed(&base, &reviewed, step);
        let settled = cut.settled.clone();
        states.add(cut);
        let Ok(back) = way_back(&settled, &id, &plan, &done) else { continue };
        let Ok((back, _)) = looked_at(&settled, back) else { continue };
        for step in back.plan().steps.iter().map(|step| Some(step.id)).chain([None]) {
            states.add(undisturbed(&settled, &back, step).0);
        }
    }
    let protected: Vec<Protected> =
        protected(&base, &plan).into_iter().map(|(protected_volume, _)| protected_volume).collect();
    let mut excused: BTreeMap<Actor, BTreeSet<Loss>> = BTreeMap::new();
    for actor in Actor::all() {
        for seed in 0..6 {
            let (mut store, mut random) = (base.clone(), Random::new(seed));
            actor.act(&mut store, &base, &mut random);
            aftermath(&mut store, &mut random);
            excused.entry(actor).or_default().extend(losses(&store, &protected).into_iter().chain(lost(&store)));
        }
    }
    let back = way_back(&after, &id, &plan, &done);
    let prepared =
        Prepared { name: name.to_owned(), base, reviewed, receipts, protected, requests, states, excused, plan };
    let mut all = vec![prepared];
    if !name.starts_with("undo-") {
        match back {
            Ok(back) => all.extend(prepare(&format!("undo-{name}"), after, back, notes)),
            Err(why) => notes.push(format!("undo-{name} is refused: {why}")),
        }
    }
    all
}

/// Returns all prepared repairs, and a note for each repair that is refused or stops before its end. The repairs are
/// prepared once for all tests.
pub(super) fn prepared() -> &'static (Vec<Prepared>, Vec<String>) {
    static PREPARED: LazyLock<(Vec<Prepared>, Vec<String>)> = LazyLock::new(prepare_all);
    &PREPARED
}

fn prepare_all() -> (Vec<Prepared>, Vec<String>) {
    let scenarios = scenarios::all();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let prepared = in_parallel(threads, scenarios.len(), |number| {
        let scenario = &scenarios[number];
        let mut notes = Vec::new();
        let mut base = scenario.store.clone();
        base.settle(&mut Random::new(1));
        let all = match planned(&base, &scenario.request) {
            Ok(plan) => prepare(scenario.name, base, plan, &mut notes),
            Err(why) => {
                notes.push(format!("{} is refused: {why}", scenario.name));
                Vec::new()
            }
        };
        (all, notes)
    });
    let (all, notes): (Vec<_>, Vec<_>) = prepared.into_iter().unzip();
    (all.into_iter().flatten().collect(), notes.into_iter().flatten().collect())
}
