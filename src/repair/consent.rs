//! The review and the confirmation of a plan. Only a reviewed plan can be confirmed, and only a confirmed plan can be
//! carried out.

use super::adversary::{Interleaving, SearchReach, Verdict, judge as face_adversary};
use super::answers::{WaitResult, answers};
use super::guards::machine::MachineSign;
use super::guards::{self, Guard, Holds};
use super::plan::{Expected, GivenUp, Plan, Recheck, Refusal, Undo};
use super::request::{Recipient, Request, Setting};
use super::situation::{Situation, claim_key, node_key, service_key, volume_key};
use super::verbs::in_vain;
use super::write::{Change, Expect, Write};
use crate::controllers::persistent_volume::reclaim;
use crate::model::{AnnotationKey, Kind, ObjectKey, Str, VolumePhase};
use std::collections::BTreeSet;

/// A right that the person needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Right {
    /// The verb, such as `patch`.
    pub verb: &'static str,
    /// The kind of the objects.
    pub kind: Kind,
    /// The namespace. It is empty for kinds without namespaces.
    pub namespace: Str,
    /// The name of the object. It is empty for a list or a create request.
    pub name: Str,
}

/// The answers of the API server to the requests that are made before anything is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// Each right, and whether the person has it. `None` means that the server does not say.
    pub rights: Vec<(Right, Option<bool>)>,
    /// The result of the dry runs: of the first write, and of each request that creates a claim, if it can be tried
    /// now. An error is the reason for the first refusal. `None` means that there was no dry run.
    pub dry_run: Option<Result<(), String>>,
    /// What the person should know about dry runs without a clear result. Each text is a sentence without a full stop.
    pub doubts: Vec<String>,
    /// Whether there was no API server to ask, because the plan is made from files.
    pub nobody_asked: bool,
}

/// Returns the rights that a plan needs to be carried out completely.
pub fn rights(plan: &Plan) -> Vec<Right> {
    let mut rights: Vec<Right> = Vec::new();
    for object in plan.objects() {
        rights.push(Right { verb: "get", kind: object.kind, namespace: object.namespace, name: object.name });
    }
    for step in &plan.steps {
        if let Some(write) = &step.write {
            let verb = write.verb();
            let name = if verb == "create" { Str::default() } else { write.object.name.clone() };
            rights.push(Right { verb, kind: write.object.kind, namespace: write.object.namespace.clone(), name });
        }
        rights.extend(step.recheck.iter().flat_map(looks));
    }
    rights.sort();
    rights.dedup();
    rights
}

/// Returns the rights for the requests that `execute` makes for a recheck.
fn looks(recheck: &Recheck) -> Vec<Right> {
    let get =
        |object: ObjectKey| Right { verb: "get", kind: object.kind, namespace: object.namespace, name: object.name };
    let list = |kind, namespace: &Str| Right { verb: "list", kind, namespace: namespace.clone(), name: Str::default() };
    match recheck {
        Recheck::Unused { namespace, .. } => vec![list(Kind::Pod, namespace), list(Kind::StatefulSet, namespace)],
        Recheck::Unmounted { namespace, .. } => vec![list(Kind::Pod, namespace)],
        Recheck::Detached { .. } => vec![list(Kind::VolumeAttachment, &Str::default())],
        Recheck::Retained { volume } | Recheck::Reserved { volume, .. } => vec![get(volume_key(volume.name()))],
        Recheck::AllRetained { namespace, name } => {
            vec![get(claim_key(namespace, name)), list(Kind::PersistentVolume, &Str::default())]
        }
        Recheck::Lives { namespace, name, volume } => {
            vec![get(claim_key(namespace, name)), get(volume_key(volume.name()))]
        }
        Recheck::NotNeeded { volume, claims, .. } => {
            let namespaces: BTreeSet<&Str> = claims.iter().map(|(namespace, _)| namespace).collect();
            let pods = namespaces.into_iter().map(|namespace| list(Kind::Pod, namespace));
            let claims = list(Kind::PersistentVolumeClaim, &Str::default());
            pods.chain([get(volume_key(volume.name())), claims]).collect()
        }
        Recheck::OneMachine { .. } => vec![list(Kind::CsiNode, &Str::default())],
        Recheck::Unprovisioned { node, .. } => {
            vec![get(node_key(node)), list(Kind::PersistentVolume, &Str::default())]
        }
        Recheck::MachineOff { node, .. } => vec![get(node_key(node))],
        Recheck::AddressFree { .. } => vec![list(Kind::Service, &Str::default())],
        Recheck::SameServer { server } => vec![get(service_key(&server.namespace, &server.name))],
        Recheck::NoClients { .. } => {
            [Kind::PersistentVolume, Kind::Pod, Kind::VolumeAttachment].map(|kind| list(kind, &Str::default())).into()
        }
        Recheck::NotRecycled { volume } => {
            let name = reclaim::recycler_of(volume).into();
            vec![get(ObjectKey { kind: Kind::Pod, namespace: reclaim::RECYCLER_NAMESPACE.into(), name })]
        }
    }
}

/// A plan that the review has accepted. The review used everything that can be known before the first write.
#[derive(Clone, Debug)]
pub struct Reviewed {
    plan: Plan,
    guards: Vec<Guard>,
}

/// A plan that a person has confirmed. It can be used once.
#[derive(Debug)]
pub struct Confirmed(Reviewed);

/// A plan that the review has rejected.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The plan. It is kept so that it can be shown.
    pub plan: Plan,
    /// The guards that were judged.
    pub guards: Vec<Guard>,
    /// The reason.
    pub refusal: Refusal,
    /// The order of moves in which the plan does harm, if there is one.
    pub interleaving: Option<Interleaving>,
}

/// Reviews a plan with everything that is known: guards, rights, dry runs, the simulation and the adversary. The result
/// depends only on the arguments.
///
/// # Errors
/// Returns the rejected plan and the reason.
pub fn review(situation: &Situation<'_>, plan: Plan, receipts: &Receipts) -> Result<Reviewed, Box<Rejected>> {
    let mut plan = plan;
    let mut guards = guards::judge(situation, &plan);
    guards.extend(rights_guard(receipts, &plan));
    guards.extend(admission(receipts, &plan));
    let destructive = plan.is_destructive();
    let asked = keeps_to_request(&plan, None);
    let reject = |plan: Plan, guards: Vec<Guard>, refusal: Refusal, interleaving: Option<Interleaving>| {
        Err(Box::new(Rejected { plan, guards, refusal, interleaving }))
    };
    if let Err(what) = asked {
        let refusal = Refusal::new("request", format!("the plan does not match its request: {what}"));
        return reject(plan, guards, refusal, None);
    }
    if let Some(failed) = guards.iter().find(|guard| guard.forbids(destructive)) {
        let refusal = Refusal::new(failed.id, failed.looked_at.clone());
        return reject(plan, guards, refusal, None);
    }
    let answers = answers(situation.snapshot, &situation.settings, &plan);
    if let Some(refusal) = in_vain(&plan, answers.as_deref()) {
        return reject(plan, guards, refusal, None);
    }
    let answers = answers.unwrap_or_default();
    let open = answers.iter().any(|answer| answer.came == WaitResult::Perhaps);
    for (step, answer) in plan.steps.iter_mut().zip(answers) {
        step.expects = answer.states.into_iter().map(|(object, states)| Expected { object, states }).collect();
    }
    guards.push(if open {
        Guard {
            id: "simulation",
            holds: Holds::Warns,
            looked_at: "the answers of the controllers cannot be predicted exactly: the plan stops if they are not as \
                        a step expects"
                .to_owned(),
            unseen: None,
        }
    } else {
        Guard {
            id: "simulation",
            holds: Holds::Yes,
            looked_at: "the controllers answer each step as the step expects".to_owned(),
            unseen: None,
        }
    });
    match face_adversary(situation, &plan, SearchReach::REVIEW) {
        Verdict::Safe { states } => {
            guards.push(Guard {
                id: "adversary",
                holds: Holds::Yes,
                looked_at: format!("the plan adds no loss in any of the {states} states that can be reached"),
                unseen: None,
            });
            Ok(Reviewed { plan, guards })
        }
        Verdict::Harmful(interleaving) => {
            let last = interleaving.moves.last().cloned().unwrap_or_default();
            let refusal = Refusal::new("adversary", format!("the plan could go wrong: {last}"));
            reject(plan, guards, refusal, Some(interleaving))
        }
        Verdict::TooMany => {
            let refusal = Refusal::new("adversary", "too many objects are involved to prove that nothing is lost");
            reject(plan, guards, refusal, None)
        }
    }
}

/// Checks that a plan asks for the consent that its request needs, gives up only what the request allows, and gives its
/// volumes only to claims of the request. If the plan is an undo, `origin` is the plan that it undoes. Without
/// `origin`, an undo can be checked only in part.
///
/// # Errors
/// Returns what the plan does that was not requested, in words.
pub fn keeps_to_request(plan: &Plan, origin: Option<&Plan>) -> Result<(), String> {
    let asked = Allowance::of(plan, origin);
    if asked.type_name.is_some() && plan.type_name != asked.type_name {
        return Err(format!("it does not require that the name {} is typed", asked.type_name.unwrap_or_default()));
    }
    for carried in &plan.volumes {
        if let Some(given) = carried.given_up.iter().find(|given| !asked.gives_up(&carried.volume, **given)) {
            return Err(format!("it gives up the {given:?} of volume {}", carried.volume).to_lowercase());
        }
        let Some(claims) = &asked.claims else { continue };
        if let Some((namespace, name)) = carried.for_claims.iter().find(|claim| !claims.contains(claim)) {
            return Err(format!("it gives volume {} to claim {namespace}/{name}", carried.volume));
        }
    }
    Ok(())
}

/// The consequences that a request allows.
#[derive(Default)]
struct Allowance {
    /// The name that has to be typed.
    type_name: Option<Str>,
    /// What may be given up, and for which volume. `None` means any volume.
    gives_up: Vec<(Option<Str>, GivenUp)>,
    /// The claims that may have a volume in the end: namespace and name. `None` means that the plan does not show which
    /// claims these are.
    claims: Option<Vec<(Str, Str)>>,
}

impl Allowance {
    fn gives_up(&self, volume: &Str, given: GivenUp) -> bool {
        self.gives_up.iter().any(|(of, allowed)| *allowed == given && of.as_ref().is_none_or(|of| of == volume))
    }

    fn of(plan: &Plan, origin: Option<&Plan>) -> Self {
        let giving = |volume: &Str, given: GivenUp| Self {
            type_name: Some(volume.clone()),
            gives_up: vec![(Some(volume.clone()), given)],
            claims: Some(Vec::new()),
        };
        let to = |claims: Vec<(Str, Str)>| Self { claims: Some(claims), ..Self::default() };
        let one = |namespace: &Str, name: &Str| to(vec![(namespace.clone(), name.clone())]);
        match &plan.request {
            Request::Release { volume, to: Recipient::Anyone } | Request::Unbind { volume, to: Recipient::Anyone } => {
                giving(volume, GivenUp::Privacy)
            }
            Request::Release { to: Recipient::Claim { namespace, name }, .. }
            | Request::Unbind { to: Recipient::Claim { namespace, name }, .. }
            | Request::Restore { namespace, name, .. }
            | Request::Rebind { namespace, name, .. } => one(namespace, name),
            // The controller has begun to bind the volume and cannot finish. So the volume becomes free again, as it
            // was before.
            Request::Unbind { volume, to: Recipient::LastClaim } if rolls_back(plan, volume) => {
                Self { gives_up: vec![(Some(volume.clone()), GivenUp::Privacy)], ..to(Vec::new()) }
            }
            Request::Release { volume, to: Recipient::LastClaim }
            | Request::Unbind { volume, to: Recipient::LastClaim } => {
                Self { claims: last_claim(plan, volume), ..Self::default() }
            }
            Request::Reclaim { volume, delete: true } => giving(volume, GivenUp::Data),
            Request::Recreate { namespace, name, set, .. } => {
                let named = set.iter().find_map(|setting| match setting {
                    Setting::Name(name) => Some(name),
                    Setting::Class(_)
                    | Setting::Size(_)
                    | Setting::Modes(_)
                    | Setting::VolumeMode(_)
                    | Setting::VolumeName(_)
                    | Setting::NoSelector => None,
                });
                one(namespace, named.unwrap_or(name))
            }
            Request::Move { to_namespace, to_name, .. } => one(to_namespace, to_name),
            Request::Unfinalize { object, .. } if object.kind == Kind::PersistentVolume => {
                giving(&object.name, GivenUp::Object)
            }
            Request::Unfinalize { object, .. } => Self { type_name: Some(object.name.clone()), ..to(Vec::new()) },
            // With policy Retain, the object of a volume that is being deleted may be removed immediately. Its data are
            // kept.
            Request::Retain { volume } => {
                Self { gives_up: vec![(Some(volume.clone()), GivenUp::Object)], ..to(Vec::new()) }
            }
            Request::Reclaim { delete: false, .. } | Request::Reschedule { .. } => to(Vec::new()),
            Request::Detach { machine_off, .. } => {
                Self { type_name: node_to_type(plan, machine_off.as_ref()), ..to(Vec::new()) }
            }
            // The person states which server has the data, so they type its name.
            Request::Reconnect { server, .. } => {
                Self { type_name: server.as_ref().map(|(_, name)| name.clone()), ..to(Vec::new()) }
            }
            Request::Undo { .. } => Self::back(origin),
        }
    }

    /// Returns what an undo may do. It restores the former state: a claim is Lost again, or a volume names a deleted
    /// claim again. The claims to which the repair offered the volume are allowed, too, because one of them may have
    /// taken it.
    fn back(origin: Option<&Plan>) -> Self {
        let lost = (None, GivenUp::Claim);
        let Some(origin) = origin else {
            return Self { gives_up: vec![lost, (None, GivenUp::Privacy)], ..Self::default() };
        };
        let asked = Self::of(origin, None);
        let privacy = asked.gives_up.into_iter().filter(|(_, given)| *given == GivenUp::Privacy);
        let gives_up = std::iter::once(lost).chain(privacy).collect();
        let before = origin.steps.iter().filter_map(|step| match &step.undo {
            Undo::Write { write, .. } => named_by(write),
            Undo::Nothing | Undo::Impossible { .. } => None,
        });
        let claims = asked.claims.map(|claims| {
            let saved = origin.saves.iter().filter(|key| key.kind == Kind::PersistentVolumeClaim);
            let saved = saved.map(|key| (key.namespace.clone(), key.name.clone()));
            claims.into_iter().chain(saved).chain(before).collect()
        });
        Self { type_name: None, gives_up, claims }
    }
}

/// Returns the name of the node that has to be typed before its volume is detached. It is `None` if the request states
/// that the machine of this node is off, if the node has the taint that says so, or if no step is left. But if nobody
/// knows which machine the node is, the name has to be typed.
fn node_to_type(plan: &Plan, machine_off: Option<&Str>) -> Option<Str> {
    let step = plan.steps.first()?;
    let says_so =
        |recheck: &Recheck| matches!(recheck, Recheck::MachineOff { sign: MachineSign::OutOfService { .. }, .. });
    let attaches = step.write.iter().flat_map(|write| &write.expect).find_map(|expect| match expect {
        Expect::Attaches { to, .. } => Some(to.clone()),
        _ => None,
    });
    // A plan that does not say which node it is about is never right, so no name of a node is enough.
    let node = attaches.unwrap_or_default();
    let is_known = step.recheck.iter().any(|recheck| matches!(recheck, Recheck::OneMachine { .. }));
    let is_stated = machine_off == Some(&node) || step.recheck.iter().any(says_so);
    (!is_stated || !is_known).then_some(node)
}

/// Returns the claim to which a write gives a volume. The write creates this claim or writes it into the claimRef.
fn named_by(write: &Write) -> Option<(Str, Str)> {
    match &write.change {
        Change::Create { .. } => Some((write.object.namespace.clone(), write.object.name.clone())),
        Change::SetClaimRef { to: Some(to), .. } => Some((to.namespace.clone(), to.name.clone())),
        Change::SetClaimRef { to: None, .. }
        | Change::SetReclaimPolicy { .. }
        | Change::RemoveFinalizer { .. }
        | Change::NameVolume { .. }
        | Change::SetClass { .. }
        | Change::SetAnnotation { .. }
        | Change::CreateService { .. }
        | Change::Delete => None,
    }
}

/// Returns whether a plan frees a volume that the controller itself has begun to bind, and that has not been Bound
/// since then.
fn rolls_back(plan: &Plan, volume: &Str) -> bool {
    let mark = AnnotationKey::BoundByController.as_str();
    let never_bound = ["", VolumePhase::Available.as_str(), VolumePhase::Pending.as_str()].map(Str::from);
    let expected = |expect: &Expect| match expect {
        Expect::Annotation { key, is: Some(_) } => key == mark,
        _ => false,
    };
    let phases = |expect: &Expect| match expect {
        Expect::VolumePhase { any_of } => any_of.iter().all(|phase| never_bound.contains(phase)),
        _ => false,
    };
    plan.writes().all(|write| {
        write.object == volume_key(volume)
            && matches!(write.change, Change::SetClaimRef { to: None, .. })
            && write.expect.iter().any(expected)
            && write.expect.iter().any(phases)
    })
}

/// Returns the claim that a volume named before the step that changes its claimRef. That step expects this claim.
/// Returns `None` if the plan does not have that step any more.
fn last_claim(plan: &Plan, volume: &Str) -> Option<Vec<(Str, Str)>> {
    let key = volume_key(volume);
    let writes = plan.writes();
    let mut refers = writes
        .filter(|write| write.object == key && matches!(write.change, Change::SetClaimRef { .. }))
        .flat_map(|write| &write.expect)
        .filter_map(|expect| match expect {
            Expect::ClaimRef { is: Some(named) } => Some((named.namespace.clone(), named.name.clone())),
            _ => None,
        })
        .peekable();
    refers.peek().is_some().then(|| refers.collect())
}

fn rights_guard(receipts: &Receipts, plan: &Plan) -> Option<Guard> {
    let show = |right: &Right| {
        let object = if right.name.is_empty() { String::new() } else { format!(" {}", right.name) };
        let place = if right.namespace.is_empty() { String::new() } else { format!(" in {}", right.namespace) };
        format!("{} {}{object}{place}", right.verb, right.kind.resource())
    };
    if plan.steps.is_empty() {
        return None;
    }
    if receipts.nobody_asked {
        let looked_at = "no cluster was asked about your rights: `apply` does that".to_owned();
        let unseen = Some("what you may do");
        return Some(Guard { id: "rights", holds: Holds::Warns, looked_at, unseen });
    }
    let unasked: Vec<String> = rights(plan)
        .iter()
        .filter(|right| !receipts.rights.iter().any(|(asked, _)| asked == *right))
        .map(show)
        .collect();
    if !unasked.is_empty() {
        let looked_at = format!("the API server was not asked about your right to: {}", unasked.join("; "));
        return Some(Guard { id: "rights", holds: Holds::No, looked_at, unseen: None });
    }
    let of = |wanted: Option<bool>| -> Vec<String> {
        receipts.rights.iter().filter(|(_, given)| *given == wanted).map(|(right, _)| show(right)).collect()
    };
    let (denied, unknown) = (of(Some(false)), of(None));
    let (holds, said) = if !denied.is_empty() {
        (Holds::No, format!("you may not: {}", denied.join("; ")))
    } else if !unknown.is_empty() {
        (Holds::Unknown, format!("the API server does not say whether you may: {}", unknown.join("; ")))
    } else {
        (Holds::Yes, format!("you have all {} rights that the plan needs", receipts.rights.len()))
    };
    Some(Guard { id: "rights", holds, looked_at: said, unseen: None })
}

fn admission(receipts: &Receipts, plan: &Plan) -> Option<Guard> {
    let writes = plan.steps.iter().any(|step| step.write.is_some());
    let (holds, said) = match &receipts.dry_run {
        None if !writes => return None,
        None if receipts.nobody_asked => {
            (Holds::Warns, "no API server was asked whether it accepts the writes: `apply` does that".to_owned())
        }
        None if receipts.doubts.is_empty() => {
            (Holds::No, "the API server was not asked whether it accepts the first write".to_owned())
        }
        Some(Ok(())) if receipts.doubts.is_empty() => {
            (Holds::Yes, "the API server accepts the first write in a dry run".to_owned())
        }
        None | Some(Ok(())) => (Holds::Warns, receipts.doubts.join("; ")),
        Some(Err(why)) => (Holds::No, format!("the API server refuses a write in a dry run: {why}")),
    };
    let nobody = receipts.nobody_asked && receipts.dry_run.is_none();
    let unseen = nobody.then_some("whether the API server accepts the writes (`apply` checks both)");
    Some(Guard { id: "admission", holds, looked_at: said, unseen })
}

impl Receipts {
    /// Returns the answers of an API server that allows everything, for reviews without an API server.
    pub fn granted(plan: &Plan) -> Self {
        Self {
            rights: rights(plan).into_iter().map(|right| (right, Some(true))).collect(),
            dry_run: Some(Ok(())),
            doubts: Vec::new(),
            nobody_asked: false,
        }
    }

    /// Returns the answers for a plan that is made from files. `apply` asks the API server when it makes the plan
    /// again.
    pub fn of_nobody() -> Self {
        Self { nobody_asked: true, ..Self::default() }
    }
}

impl Reviewed {
    /// Returns the plan, with the simulated answers of the controllers to each step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the guards.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// Confirms the plan. If the plan asks for a name, `typed` is the name that the person has typed.
    ///
    /// # Errors
    /// Returns the plan if the person typed a wrong name or no name.
    pub fn confirm(self, typed: Option<&str>) -> Result<Confirmed, Box<Self>> {
        match &self.plan.type_name {
            Some(name) if typed != Some(name.as_str()) => Err(Box::new(self)),
            _ => Ok(Confirmed(self)),
        }
    }
}

impl Confirmed {
    /// Returns the confirmed plan.
    pub fn plan(&self) -> &Plan {
        &self.0.plan
    }
}
