//! Claims whose volume is being provisioned. These rules use events, quotas and the Lease of kube-controller-manager.

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

/// The maximum age, in seconds, of an event of a driver that a rule uses. The API server deletes events after an hour,
/// and a driver that keeps trying repeats its event within minutes.
const FRESH: i64 = 3_600;
/// The maximum number of characters of an event's message that are shown as evidence.
const SHOWN: usize = 200;
/// The maximum length of the driver's words that the message quotes, in terminal columns.
const QUOTED: usize = 240;

/// The last error event of the driver about a claim for which it still has to provision a volume.
pub(super) struct DriverRefusal<'a> {
    /// The event of the driver.
    event: &'a Event,
    /// The class of the claim.
    class: &'a StorageClass,
    /// The number of seconds since the event was last seen.
    ago: i64,
    /// Whether the scheduler has to select a node again before the driver is asked again.
    waits_for_node: bool,
}

impl DriverRefusal<'_> {
    /// Returns the driver that provisions the volume. For a migrated plugin this is the CSI driver that replaced it.
    fn driver(&self, case: &Case<'_>) -> String {
        let provisioner = &self.class.provisioner;
        migrated_driver(case.behavior(), provisioner).unwrap_or(provisioner).to_owned()
    }

    /// Returns whether the driver may still be working on the volume. This is so if the request timed out, was
    /// cancelled, or was refused because an earlier request has not ended. Upstream: `checkError`,
    /// external-provisioner.
    fn is_under_way(&self) -> bool {
        let message = &self.event.message;
        ["code = DeadlineExceeded", "code = Aborted", "code = Canceled", "context deadline exceeded"]
            .iter()
            .any(|known| message.contains(known))
    }

    /// Returns the driver's own words, without the prefixes of the provisioner and of gRPC.
    fn words(&self) -> String {
        let message = self.event.message.as_str();
        let after = |marker: &str| message.split_once(marker).map(|(_, words)| words);
        let of_class =
            || after("failed to provision volume with StorageClass \"").and_then(|rest| rest.split_once("\": "));
        let words = after("desc = ").or_else(|| of_class().map(|(_, words)| words)).unwrap_or(message);
        truncate(words.trim().trim_end_matches('.'), QUOTED).into_owned()
    }

    /// Adds the event and the phase of the claim as evidence, and states that the finding follows from findings on the
    /// class.
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

    /// Returns in words how long ago the event was last seen.
    fn age(&self) -> String {
        format!("{} ago", human_age(self.ago))
    }
}

/// Returns the driver's last error event if the claim waits for the driver, or for a node with which the driver can try
/// again. The claim must also be predicted to keep waiting. An event alone proves nothing: it may be about an earlier
/// claim, or the class may have been corrected since.
pub(super) fn refusal<'a>(case: &Case<'a>, claim: &PersistentVolumeClaim) -> Option<DriverRefusal<'a>> {
    if !is_open(claim) || claim.selector.is_some() {
        return None;
    }
    let class = case.class(claim.class())?;
    let mut events = case.snapshot().events_about(&case.object(), &claim.meta.uid);
    // The first event is the newest. The controller itself uses the reason ProvisioningFailed only for problems of the
    // class.
    let told = |event: &&Event| {
        event.reason == "ProvisioningSucceeded"
            || (event.reason == "ProvisioningFailed" && !event.message.contains("storageclass.storage.k8s.io"))
    };
    let Some(event) = events.find(told).filter(|event| event.reason == "ProvisioningFailed") else {
        // If events may be missing, the driver may have reported an error.
        let asks_a_driver = || case.claim_branch() == Some(ClaimBranch::UnboundClaimProvisionExternal);
        if has_waited(case, claim) && asks_a_driver() {
            case.knows_all(Kind::Event, &claim.meta.namespace);
        }
        return None;
    };
    // Timestamps of events come from other clocks, which may be ahead.
    let ago = case.snapshot().now()?.seconds_since(event.last_seen?).max(0);
    if ago > FRESH {
        return None;
    }
    if event.last_seen < class.meta.created || event.last_seen < claim.meta.created {
        return None;
    }
    let waits_for_node = match case.claim_branch()? {
        ClaimBranch::UnboundClaimProvisionExternal => false,
        // If the provisioner removed the selected node, the scheduler selects a node again within moments.
        ClaimBranch::UnboundClaimWaitForPodScheduled => true,
        _ => return None,
    };
    // Provisioners give the volume this name. If such a volume exists, the driver has made it, and something else
    // prevents the binding.
    let is_made = case.volume(&format!("pvc-{}", claim.meta.uid)).is_some();
    if is_made || case.always_ends("Bound")? || (waits_for_node && !has_waited(case, claim)) {
        return None;
    }
    Some(DriverRefusal { event, class, ago, waits_for_node })
}

/// Returns whether the claim is at least [`PATIENCE`] seconds old.
fn has_waited(case: &Case<'_>, claim: &PersistentVolumeClaim) -> bool {
    case.seconds_since(claim.meta.created).is_some_and(|age| age >= PATIENCE)
}
