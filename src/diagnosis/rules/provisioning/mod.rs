//! Claims for which a volume is being made, by what events, quotas and the Lease of the controllers tell.

crate::diagnosis::rules::section! {
    pvc_controller_not_running,
    pvc_quota_blocks,
    pvc_provisioning_failed,
    pvc_inprogress_background,
    pvc_wffc_custom_scheduler,
}

use crate::controllers::ClaimBranch;
use crate::controllers::persistent_volume::plugins::migrated_driver;
use crate::diagnosis::case::{PATIENCE, class_key};
use crate::diagnosis::facts::is_open;
use crate::diagnosis::{Act, Case, Detection};
use crate::model::surroundings::Event;
use crate::model::{Kind, PersistentVolumeClaim, StorageClass};
use crate::text::{human_age, truncate};

/// For so many seconds what an event says of a driver counts: the API server forgets events after an hour, and a
/// driver that goes on trying says so again within minutes.
const FRESH: i64 = 3_600;
/// So much of an event's message is shown.
const SHOWN: usize = 200;
/// So much of the driver's own words is quoted.
const QUOTED: usize = 240;

/// What a driver said last about a claim that it still has to make a volume for.
pub(super) struct DriverRefusal<'a> {
    /// The event.
    event: &'a Event,
    /// The class of the claim.
    class: &'a StorageClass,
    /// How many seconds ago it was seen.
    ago: i64,
    /// Whether the scheduler has to choose a node again before the driver is asked once more.
    waits_for_node: bool,
}

impl DriverRefusal<'_> {
    /// The driver that has to make the volume, by the name that it has today.
    fn driver(&self, case: &Case<'_>) -> String {
        let provisioner = &self.class.provisioner;
        migrated_driver(case.behavior(), provisioner).unwrap_or(provisioner).to_owned()
    }

    /// Whether the driver may still be at work on the volume: the request ran into its time limit, was cut off, or
    /// met an earlier one that is not done. Upstream: `checkError`, external-provisioner.
    fn is_under_way(&self) -> bool {
        let message = &self.event.message;
        ["code = DeadlineExceeded", "code = Aborted", "code = Canceled", "context deadline exceeded"]
            .iter()
            .any(|known| message.contains(known))
    }

    /// The driver's own words, without those that the provisioner and gRPC put before them.
    fn words(&self) -> String {
        let message = self.event.message.as_str();
        let after = |marker: &str| message.split_once(marker).map(|(_, words)| words);
        let of_class =
            || after("failed to provision volume with StorageClass \"").and_then(|rest| rest.split_once("\": "));
        let words = after("desc = ").or_else(|| of_class().map(|(_, words)| words)).unwrap_or(message);
        truncate(words.trim().trim_end_matches('.'), QUOTED).into_owned()
    }

    /// What it says, as evidence.
    fn shown(&self, case: &Case<'_>, found: Detection) -> Detection {
        let object = case.object();
        let said: String = self.event.message.chars().take(SHOWN).collect();
        let seen = self.event.last_seen.map_or_else(String::new, |moment| moment.to_string());
        found
            .follows_from(class_key(&self.class.meta.name), Act::Provision)
            .evidence(&object, "status.phase", "Pending")
            .evidence(&object, "event ProvisioningFailed: message", said)
            .evidence(&object, "event ProvisioningFailed: lastTimestamp", seen)
    }

    /// When it was seen, in words.
    fn age(&self) -> String {
        format!("{} ago", human_age(self.ago))
    }
}

/// What the driver said last, where a claim waits for it, or for a node on which it may try again, and is predicted to
/// go on waiting. An event alone proves nothing: it may be of an earlier claim, or the class may have been repaired
/// since.
pub(super) fn refusal<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<DriverRefusal<'a>> {
    if !is_open(claim) || claim.selector.is_some() {
        return None;
    }
    let class = case.class(claim.class())?;
    let mut events = case.snapshot().events_about(&case.object(), &claim.meta.uid);
    // The newest is the first. What the controller itself says under this reason is about the class alone.
    let told = |event: &&Event| {
        event.reason == "ProvisioningSucceeded"
            || (event.reason == "ProvisioningFailed" && !event.message.contains("storageclass.storage.k8s.io"))
    };
    let Some(event) = events.find(told).filter(|event| event.reason == "ProvisioningFailed") else {
        // Where events may be missing, the driver may have said something.
        let asks_a_driver = || case.claim_branch() == Some(ClaimBranch::UnboundClaimProvisionExternal);
        if has_waited(case, claim) && asks_a_driver() {
            case.knows_all(Kind::Event, &claim.meta.namespace);
        }
        return None;
    };
    // Events are of other clocks, which may be ahead.
    let ago = case.snapshot().now()?.seconds_since(event.last_seen?).max(0);
    if ago > FRESH {
        return None;
    }
    if event.last_seen < class.meta.created || event.last_seen < claim.meta.created {
        return None;
    }
    let waits_for_node = match case.claim_branch()? {
        ClaimBranch::UnboundClaimProvisionExternal => false,
        // Where the driver gave the node back, the scheduler chooses again; that takes it moments.
        ClaimBranch::UnboundClaimWaitForPodScheduled => true,
        _ => return None,
    };
    // Under this name provisioners make the volume; one that is there and is not taken has a reason of its own.
    let is_made = case.volume(&format!("pvc-{}", claim.meta.uid)).is_some();
    if is_made || case.always_ends("Bound")? || (waits_for_node && !has_waited(case, claim)) {
        return None;
    }
    Some(DriverRefusal { event, class, ago, waits_for_node })
}

/// Whether the claim is older than what is normal may take.
fn has_waited(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    case.seconds_since(claim.meta.created).is_some_and(|age| age >= PATIENCE)
}
