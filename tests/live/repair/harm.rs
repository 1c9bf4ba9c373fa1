//! Checks whether a volume was lost. The input is all events of the volume that a watch has seen since a repair began.

use super::actors::{is_deletable, version};
use crate::live::site::text;
use serde_json::{Value, json};

/// A claim that an actor deleted during the repair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deleted {
    /// The resource version of the claim after its deletion was requested.
    pub(crate) version: u64,
    /// Whether the claim was deleted during a write to a volume. Such a write comes after the last read of the claim.
    pub(crate) at_write: bool,
}

/// What must hold for a volume.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judge {
    /// The resource version of the volume when the repair began.
    pub(crate) began: u64,
    /// The claims that may have the volume: namespace and name.
    pub(crate) meant: Vec<(String, String)>,
    /// Whether the repair asks for the deletion of the volume.
    pub(crate) is_deletion: bool,
    pub(crate) deleted: Option<Deleted>,
    /// Whether an actor changed the policy, or replaced the volume, after the last check that could have kept the data.
    pub(crate) is_others: bool,
}

impl Judge {
    /// Returns how the volume was lost, or could have been lost. `history` has the type of each event and the volume.
    ///
    /// As soon as a volume may be deleted, its driver may delete it, no matter what is written afterwards. The repair
    /// is not the cause in these cases:
    ///
    /// - The volume could already be deleted before the repair.
    /// - The repair asks for the deletion.
    /// - An actor changed the policy or replaced the volume (`is_others`).
    /// - An actor deleted the claim of the volume, and the volume never had policy Retain.
    /// - An actor deleted the claim after the repair had set policy Delete again, or during that write.
    pub(crate) fn losses(&self, history: &[(String, Value)]) -> Vec<String> {
        let Some(start) = history.iter().position(|(_, volume)| version(volume) == self.began) else {
            return vec!["the watch has not seen the volume at the start".to_owned()];
        };
        let first = &history[start].1;
        let mut losses = Vec::new();
        let mut was_deletable = is_deletable(first);
        let may_go_anyhow = self.is_deletion || self.is_others;
        let mut may_go = was_deletable || may_go_anyhow;
        let mut was_kept = is_kept(first);
        let mut is_touched = false;
        // The resource version at which the repair last set policy Delete again.
        let mut given_back = None;
        for (event, volume) in &history[start..] {
            let named = &volume["spec"]["claimRef"];
            let claim = (text(named, "/namespace").to_owned(), text(named, "/name").to_owned());
            if !text(named, "/uid").is_empty() && !self.meant.contains(&claim) {
                losses.push(format!("it was given to claim {}/{}", claim.0, claim.1));
            }
            if volume["metadata"]["uid"] != first["metadata"]["uid"] && self.is_others {
                // All later events are about another volume of this name.
                break;
            }
            if volume["spec"]["csi"] != first["spec"]["csi"] {
                losses.push("it got other storage".to_owned());
            }
            if event == "DELETED" {
                if !may_go {
                    losses.push("it was deleted".to_owned());
                }
                continue;
            }
            is_touched |= !was_kept && is_kept(volume);
            if was_kept && !is_kept(volume) && text(volume, "/status/phase") == "Bound" {
                given_back = Some(version(volume));
            }
            was_kept = is_kept(volume);
            let deletable = is_deletable(volume);
            if deletable && !was_deletable {
                let began_touched = is_kept(first) || is_touched;
                may_go = may_go_anyhow || self.is_of_deleter(began_touched, given_back);
                if !may_go {
                    let phase = text(volume, "/status/phase");
                    losses.push(format!("it could have been deleted: {phase} with policy Delete"));
                }
            } else if !deletable {
                may_go = may_go_anyhow;
            }
            was_deletable = deletable;
        }
        losses
    }

    fn is_of_deleter(&self, touched: bool, given_back: Option<u64>) -> bool {
        self.deleted.is_some_and(|deleted| {
            !touched || given_back.is_some_and(|back| deleted.version > back || deleted.at_write)
        })
    }
}

fn is_kept(volume: &Value) -> bool {
    text(volume, "/spec/persistentVolumeReclaimPolicy") == "Retain"
}

fn at(version: u64, phase: &str, policy: &str, claim: &str) -> (String, Value) {
    let volume = json!({
        "metadata": {"resourceVersion": version.to_string()},
        "spec": {
            "persistentVolumeReclaimPolicy": policy, "csi": {"volumeHandle": "a"},
            "claimRef": {"namespace": "n", "name": claim, "uid": "u"},
        },
        "status": {"phase": phase},
    });
    ("MODIFIED".to_owned(), volume)
}

fn gone(version: u64, phase: &str, policy: &str, claim: &str) -> (String, Value) {
    ("DELETED".to_owned(), at(version, phase, policy, claim).1)
}

fn judge() -> Judge {
    Judge { began: 1, meant: vec![("n".to_owned(), "data".to_owned())], ..Judge::default() }
}

#[test]
fn a_volume_that_could_be_deleted_for_a_moment_is_lost() {
    let kept =
        [at(1, "Bound", "Delete", "data"), at(2, "Bound", "Retain", "data"), at(3, "Released", "Retain", "data")];
    assert_eq!(judge().losses(&kept), Vec::<String>::new());
    let released = "it could have been deleted: Released with policy Delete";
    let late =
        [at(1, "Bound", "Delete", "data"), at(2, "Released", "Delete", "data"), at(3, "Released", "Retain", "data")];
    assert_eq!(judge().losses(&late), [released]);
    let again =
        [at(1, "Released", "Delete", "data"), at(2, "Released", "Retain", "data"), at(3, "Released", "Delete", "data")];
    assert_eq!(judge().losses(&again), [released]);
    assert_eq!(
        judge().losses(&[at(1, "Bound", "Retain", "data"), gone(2, "Bound", "Retain", "data")]),
        ["it was deleted"]
    );
    let taken = [at(1, "Available", "Retain", "data"), at(2, "Bound", "Retain", "other")];
    assert_eq!(judge().losses(&taken), ["it was given to claim n/other"]);
    assert_eq!(judge().losses(&[]), ["the watch has not seen the volume at the start"]);
}

#[test]
fn a_loss_that_another_actor_causes_is_not_counted() {
    // The volume could already be deleted before the repair.
    let before = [at(1, "Released", "Delete", "data"), gone(2, "Released", "Delete", "data")];
    assert_eq!(judge().losses(&before), Vec::<String>::new());
    let deleting = |version, at_write| Judge { deleted: Some(Deleted { version, at_write }), ..judge() };
    // The claim was deleted before the repair wrote anything.
    let untouched = [at(1, "Bound", "Delete", "data"), at(4, "Released", "Delete", "data")];
    assert_eq!(deleting(3, false).losses(&untouched), Vec::<String>::new());
    assert_eq!(judge().losses(&untouched).len(), 1);
    // The claim was deleted after policy Delete was set again, before that, or during that write.
    let given_back =
        [at(1, "Bound", "Retain", "data"), at(3, "Bound", "Delete", "data"), at(5, "Released", "Delete", "data")];
    assert_eq!(deleting(4, false).losses(&given_back), Vec::<String>::new());
    assert_eq!(deleting(2, false).losses(&given_back).len(), 1);
    assert_eq!(deleting(2, true).losses(&given_back), Vec::<String>::new());
    // The deletion was requested.
    let handed = [
        at(1, "Released", "Retain", "data"),
        at(2, "Released", "Delete", "data"),
        gone(3, "Released", "Delete", "data"),
    ];
    assert_eq!(Judge { is_deletion: true, ..judge() }.losses(&handed), Vec::<String>::new());
    assert_eq!(judge().losses(&handed).len(), 2);
}
