//! The requests to the API server before anything is written: they ask for the rights, and whether the server would
//! accept the writes.

use super::api::{Answer, Api, Status};
use super::error::Stopped;
use super::look::{decode, in_the_way};
use crate::model::{AnnotationKey, Kind, ObjectKey, Quantity, Str};
use crate::repair::{Change, Plan, Receipts, Right, Undo, Write, rights};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Asks for the rights, and makes a dry run of each write that can be tried now.
pub(super) async fn receipts(api: Api<'_>, plan: &Plan) -> Result<Receipts, Stopped> {
    let mut receipts = Receipts::default();
    for right in rights(plan) {
        let given = may(api, &right).await?;
        receipts.rights.push((right, given));
    }
    let mut gone: Vec<&ObjectKey> = Vec::new();
    let mut first = true;
    // Whether the plan waits before this step. Then the first write may depend on the condition of that wait.
    let mut awaited = false;
    for step in &plan.steps {
        let Some(write) = &step.write else {
            awaited |= step.wait.is_some();
            continue;
        };
        let creates = write.creates();
        if first || creates {
            let current = api.get(&write.object).await?;
            let seen = decode(&write.object, current.as_ref())?;
            if first && write.is_so_already(seen.as_ref()) {
                receipts.dry_run.get_or_insert(Ok(()));
            } else if let Some(obstacle) = write.obstacle(seen.as_ref()) {
                if first && !awaited {
                    return Err(in_the_way(write, &obstacle));
                }
                if first {
                    receipts.doubts.push(format!(
                        "{} {}: this could not be tried, because the plan has to wait before it ({obstacle})",
                        write.verb(),
                        write.object
                    ));
                }
                // An earlier step has to delete the object that has this name now.
                if gone.contains(&&write.object) {
                    under_another_name(api, write, &gone, &mut receipts).await?;
                }
            } else {
                let emptied: Vec<&Str> = gone.iter().map(|object| &object.namespace).collect();
                match try_again(api, write, current).await? {
                    Err(Objection::Refused(status)) if !first && makes_room(&status, write, &emptied) => {
                        room(api, write, &gone, &status, &mut receipts).await?;
                    }
                    tried => answered(
                        &mut receipts,
                        tried.map_err(|objection| format!("{} {}: {objection}", write.verb(), write.object)),
                    ),
                }
            }
        }
        if !first && !creates {
            later(api, write, &mut receipts).await?;
        }
        if matches!(write.change, Change::Delete) {
            gone.push(&write.object);
        }
        first = false;
    }
    way_back(api, plan, &gone, &mut receipts).await?;
    Ok(receipts)
}

/// Tries a later write on the current object, so that a refusal by admission is known before the first write. The
/// expectations of the step are not checked, because only an earlier step makes them true.
async fn later(api: Api<'_>, write: &Write, receipts: &mut Receipts) -> Result<(), Stopped> {
    let said = |objection: &Objection| format!("{} {}: {objection}", write.verb(), write.object);
    match on_present(api, write).await? {
        None | Some(Ok(())) => {}
        Some(Err(objection)) if objection.is_admission() => answered(receipts, Err(said(&objection))),
        Some(Err(objection)) => receipts.doubts.push(said(&objection)),
    }
    Ok(())
}

/// Tries the writes that would undo the plan, if they can be tried now. If a plan removes something and admission
/// refuses the write that would undo this, the plan is refused. If only a policy could not be restored, this is
/// recorded as a doubt.
async fn way_back(api: Api<'_>, plan: &Plan, gone: &[&ObjectKey], receipts: &mut Receipts) -> Result<(), Stopped> {
    for step in &plan.steps {
        let Undo::Write { write, .. } = &step.undo else { continue };
        let said =
            |objection: &Objection| format!("to undo step {}, {} {}: {objection}", step.id, write.verb(), write.object);
        match &write.change {
            Change::Create { .. } => under_another_name(api, write, gone, receipts).await?,
            Change::SetClaimRef { .. } | Change::SetReclaimPolicy { .. } => match on_present(api, write).await? {
                None | Some(Ok(())) => {}
                Some(Err(objection))
                    if objection.is_admission()
                        && plan.is_destructive()
                        && matches!(write.change, Change::SetClaimRef { .. }) =>
                {
                    answered(receipts, Err(said(&objection)));
                }
                Some(Err(objection)) => receipts.doubts.push(said(&objection)),
            },
            Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. }
            | Change::CreateService { .. }
            | Change::Delete => {}
        }
    }
    Ok(())
}

/// Tries a write on the current object with this uid. Returns None if there is no such object, if there is nothing to
/// try, or if others write to the object at every attempt.
async fn on_present(api: Api<'_>, write: &Write) -> Result<Option<Result<(), Objection>>, Stopped> {
    for _ in 0..TRIALS {
        let current = api.get(&write.object).await?;
        let seen = decode(&write.object, current.as_ref())?;
        if seen.is_none_or(|seen| seen.meta().uid != write.uid) || write.request(current.as_ref(), true).is_none() {
            return Ok(None);
        }
        match try_out(api, write, current.as_ref()).await? {
            Err(Objection::Refused(status)) if status.code == 409 => {}
            tried => return Ok(Some(tried)),
        }
    }
    Ok(None)
}

/// Records the result of a dry run. Only the first refusal is kept.
fn answered(receipts: &mut Receipts, tried: Result<(), String>) {
    receipts.dry_run = Some(match receipts.dry_run.take() {
        Some(Err(earlier)) => Err(earlier),
        Some(Ok(())) | None => tried,
    });
}

/// The maximum number of attempts to try a write. More than one is needed if others write to the same object.
const TRIALS: u32 = 3;

/// The maximum number of names that are tested to find a free name.
const NAMES: u32 = 5;

/// Tries the creation of a claim under another name that is free, because its own name is in use until an earlier step
/// has deleted the old claim. So a refusal by admission is known before anything is deleted.
async fn under_another_name(
    api: Api<'_>,
    write: &Write,
    gone: &[&ObjectKey],
    receipts: &mut Receipts,
) -> Result<(), Stopped> {
    let Some(other) = free_name(api, &write.object).await else {
        receipts.doubts.push(format!(
            "create {}: this could not be tried, because the old claim still has the name, and no other free name was \
             found",
            write.object
        ));
        return Ok(());
    };
    let Change::Create { manifest } = &write.change else { return Ok(()) };
    let mut manifest = manifest.clone();
    manifest["metadata"]["name"] = json!(other.name);
    let renamed = Write { object: other, change: Change::Create { manifest }, ..write.clone() };
    let tried = format!(
        "create {} (tried with the name {}, because the old claim still has the real name)",
        write.object, renamed.object.name
    );
    match try_out(api, &renamed, None).await? {
        Ok(()) => {}
        Err(Objection::Refused(status)) if is_quota(&status) => room(api, write, gone, &status, receipts).await?,
        Err(objection) if objection.is_admission() => {
            answered(receipts, Err(format!("{tried}: {objection}")));
        }
        Err(objection) => receipts.doubts.push(format!("{tried}: {objection}")),
    }
    Ok(())
}

/// Returns a free name that is similar to the name of the object. Returns `None` if no free name could be found.
async fn free_name(api: Api<'_>, object: &ObjectKey) -> Option<ObjectKey> {
    const LONGEST: usize = 253;
    for number in 1..=NAMES {
        let ending = format!("-pvctl-{number}");
        // The shortened name must not end with `.` or `-`.
        let kept: String = object.name.chars().take(LONGEST - ending.len()).collect();
        let name = format!("{}{ending}", kept.trim_end_matches(['.', '-']));
        let other = ObjectKey { name: name.into(), ..object.clone() };
        match api.get(&other).await {
            Ok(None) => return Some(other),
            Ok(Some(_)) => {}
            Err(_) => return None,
        }
    }
    None
}

/// The reason why the API server does not accept a write as it was sent.
#[derive(Debug)]
pub(super) enum Objection {
    /// The API server refuses the write.
    Refused(Status),
    /// The API server would store something else than was sent. The text describes the difference.
    Altered(String),
}

impl Objection {
    /// Returns whether the objection comes from a webhook, a policy or the validation of the API server.
    fn is_admission(&self) -> bool {
        match self {
            Self::Refused(status) => is_admission(status),
            Self::Altered(_) => true,
        }
    }
}

impl std::fmt::Display for Objection {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(status) => status.fmt(out),
            Self::Altered(why) => write!(out, "mutating admission would change it: {why}"),
        }
    }
}

/// Returns whether a refusal comes from a webhook, a policy or the validation of the API server. Missing rights are
/// excluded, because they are asked for separately. Temporary refusals are excluded as well.
fn is_admission(status: &Status) -> bool {
    match status.code {
        400 | 422 => true,
        // The message about a missing right names the user and what the user cannot do. Policies and webhooks use other
        // words.
        403 => !(status.message.contains("User \"") && status.message.contains(" cannot ")),
        _ => false,
    }
}

/// Returns whether a quota refuses the write.
pub(super) fn is_quota(status: &Status) -> bool {
    status.code == 403 && status.message.contains(EXCEEDED)
}

const EXCEEDED: &str = "exceeded quota: ";

/// Records that a quota refuses a claim. If the deletion of the earlier claims makes enough room, this is recorded as a
/// doubt, otherwise as a refusal.
async fn room(
    api: Api<'_>,
    write: &Write,
    gone: &[&ObjectKey],
    status: &Status,
    receipts: &mut Receipts,
) -> Result<(), Stopped> {
    let mut freed: Vec<Value> = Vec::new();
    for key in gone.iter().filter(|key| key.namespace == write.object.namespace) {
        freed.extend(api.get(key).await?);
    }
    let said = format!("create {}: a quota has no room for it while the old claim exists", write.object);
    match lacks(&status.message, &freed) {
        Ok(None) => receipts.doubts.push(format!("{said}; after its deletion there is enough: {status}")),
        Ok(Some(resource)) => {
            answered(
                receipts,
                Err(format!("{said}, and after its deletion there is still not enough of {resource}: {status}")),
            );
        }
        Err(Unclear) => {
            answered(
                receipts,
                Err(format!("{said}, and nobody knows whether there is enough after its deletion: {status}")),
            );
        }
    }
    Ok(())
}

/// The message of a quota has an unknown form.
struct Unclear;

/// Returns the first resource that would still exceed the quota after these claims are deleted. Returns `None` if no
/// resource would exceed it.
///
/// The message is `exceeded quota: NAME, requested: R, used: U, limited: L`. Each of R, U and L is
/// `resource=quantity,…`. Upstream: `CheckRequest` and `prettyPrint`,
/// `apiserver/pkg/admission/plugin/resourcequota/controller.go`, 1.36.
fn lacks(message: &str, freed: &[Value]) -> Result<Option<String>, Unclear> {
    let (_, said) = message.split_once(EXCEEDED).ok_or(Unclear)?;
    let (_, said) = said.split_once(", requested: ").ok_or(Unclear)?;
    let (requested, said) = said.split_once(", used: ").ok_or(Unclear)?;
    let (used, limited) = said.split_once(", limited: ").ok_or(Unclear)?;
    let (requested, used, limited) = (amounts(requested)?, amounts(used)?, amounts(limited)?);
    for (resource, wanted) in &requested {
        let (Some(used), Some(limit)) = (used.get(resource), limited.get(resource)) else { return Err(Unclear) };
        let counted: i128 = freed.iter().map(|claim| counts(claim, resource)).sum();
        if used - counted + wanted > *limit {
            return Ok(Some((*resource).to_owned()));
        }
    }
    if requested.is_empty() { Err(Unclear) } else { Ok(None) }
}

/// Parses `resource=quantity,…`.
fn amounts(text: &str) -> Result<BTreeMap<&str, i128>, Unclear> {
    text.split(',')
        .map(|pair| {
            let (resource, amount) = pair.split_once('=').ok_or(Unclear)?;
            let amount = Quantity::parse(amount).map_err(|_| Unclear)?;
            Ok((resource, i128::from(amount.value())))
        })
        .collect()
}

/// Returns how much of a quota's resource a claim uses. The result is a lower limit, because a volume that was expanded
/// may be larger than the request. Upstream: `pvcEvaluator.Usage`,
/// `pkg/quota/v1/evaluator/core/persistent_volume_claims.go`, 1.36.
fn counts(claim: &Value, resource: &str) -> i128 {
    const OF_CLASS: &str = ".storageclass.storage.k8s.io/";
    let of_all = match resource.split_once(OF_CLASS) {
        // The deprecated annotation takes precedence over the field.
        Some((class, of_all)) => {
            let annotated = claim["metadata"]["annotations"][AnnotationKey::BetaStorageClass.as_str()].as_str();
            if annotated.or_else(|| claim["spec"]["storageClassName"].as_str()) != Some(class) {
                return 0;
            }
            of_all
        }
        None => resource,
    };
    match of_all {
        "persistentvolumeclaims" => 1,
        "count/persistentvolumeclaims" if of_all == resource => 1,
        "requests.storage" => {
            let asked = claim["spec"]["resources"]["requests"]["storage"].as_str().map(Quantity::parse);
            asked.and_then(Result::ok).map_or(0, |asked| i128::from(asked.value()))
        }
        _ => 0,
    }
}

/// Returns whether a quota refuses the write, and an earlier step deletes a claim in the same namespace, which may make
/// room.
pub(super) fn makes_room(status: &Status, write: &Write, emptied: &[&Str]) -> bool {
    is_quota(status) && emptied.contains(&&write.object.namespace)
}

/// Returns whether the person has a right. Returns `None` if the server does not say.
async fn may(api: Api<'_>, right: &Right) -> Result<Option<bool>, Stopped> {
    const PATH: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let (group, version) = right.kind.api_version().split_once('/').unwrap_or(("", right.kind.api_version()));
    let body = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": { "resourceAttributes": {
            "verb": right.verb,
            "group": group,
            "version": version,
            "resource": right.kind.resource(),
            "namespace": right.namespace,
            "name": right.name,
        } },
    });
    match api.ask("POST", PATH, Some("application/json"), Some(&body)).await {
        Answer::Success(review) => Ok(review["status"]["allowed"].as_bool()),
        Answer::Failure(status) if status.code == 401 => Err(unanswered(&status.to_string())
            .hint("log in again: the token or certificate of this context has probably expired")),
        Answer::Failure(_) => Ok(None),
        Answer::Unsent(why) | Answer::Lost(why) => Err(unanswered(&why)),
    }
}

fn unanswered(why: &str) -> Stopped {
    Stopped::unreadable("the API server could not be asked what you may do").cause(why.to_owned())
}

/// Sends a write to the server in a dry run. This is repeated if somebody writes to the object between the reading and
/// the dry run. During a review, a write by somebody else is no problem as long as the object is as the step expects
/// it.
async fn try_again(api: Api<'_>, write: &Write, current: Option<Value>) -> Result<Result<(), Objection>, Stopped> {
    let mut current = current;
    for _ in 1..TRIALS {
        match try_out(api, write, current.as_ref()).await? {
            Err(Objection::Refused(status)) if status.code == 409 && !write.creates() => {
                current = api.get(&write.object).await?;
                if let Some(obstacle) = write.obstacle(decode(&write.object, current.as_ref())?.as_ref()) {
                    return Err(in_the_way(write, &obstacle));
                }
            }
            tried => return Ok(tried),
        }
    }
    try_out(api, write, current.as_ref()).await
}

/// Sends a write to the server in a dry run. Returns whether the server accepts the write.
pub(super) async fn try_out(
    api: Api<'_>,
    write: &Write,
    current: Option<&Value>,
) -> Result<Result<(), Objection>, Stopped> {
    let Some(request) = write.request(current, true) else {
        return Err(Stopped::changed(format!("{}: what the plan removes does not exist any more", write.object)));
    };
    match api.ask(request.method, &request.path, Some(request.content_type), Some(&request.body)).await {
        Answer::Success(found) => {
            Ok(write.differs_stored(current, &found).map_or(Ok(()), |why| Err(Objection::Altered(why))))
        }
        Answer::Failure(status) if (400..500).contains(&status.code) && !matches!(status.code, 401 | 408 | 429) => {
            Ok(Err(Objection::Refused(status)))
        }
        Answer::Failure(status) => Err(untried(write, &status.to_string())),
        Answer::Unsent(why) | Answer::Lost(why) => Err(untried(write, &why)),
    }
}

fn untried(write: &Write, why: &str) -> Stopped {
    let stop = Stopped::unreadable(format!(
        "the API server could not be asked whether it accepts to {} {}",
        write.verb(),
        write.object
    ));
    stop.cause(why.to_owned())
}

/// Returns the error for a refusal. Its kind says that the cluster has changed, that the write is not permitted, or
/// that the server does not accept the credentials.
pub(super) fn refusal(write: &Write, step: u32, status: &Status) -> Stopped {
    let message = format!("step {step}: the API server refuses to {} {}", write.verb(), write.object);
    let stale = match status.code {
        404 | 409 => true,
        422 => matches!(write.change, Change::RemoveFinalizer { .. }) || status.message.contains("metadata.uid"),
        _ => false,
    };
    let stop = if stale {
        Stopped::changed(message)
    } else if status.code == 401 {
        Stopped::unreadable(message)
    } else {
        Stopped::refused(message)
    };
    let stop = stop.cause(status.to_string());
    if stale && write.object.kind == Kind::PersistentVolumeClaim && matches!(write.change, Change::Create { .. }) {
        return stop.hint(
            "somebody else has created a claim with that name: choose another name, or first delete that claim if it \
             has no data",
        );
    }
    stop
}
