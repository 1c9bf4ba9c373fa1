//! This rule reports a volume that the kubelet, or the driver on the node, fails to mount.

use super::mount_secret_missing::missing_object;
use super::{affects, named_in, volume_of};
use crate::diagnosis::case::volume_key;
use crate::diagnosis::pod::facts::{attachment, blocked_container, bound, is_starting, is_summary, mount_failure};
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, Pod};
use crate::text::shorten;

pub(super) static RULE: Rule = Rule {
    id: "mount-failed",
    title: "the volume cannot be mounted on the node of the pod",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::VolumeAttachment, Kind::Event],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The pod stays in ContainerCreating although its claim is Bound and its volume is attached. An event \
               `FailedMount` of the kubelet says what fails. The other event, `Unable to attach or mount volumes`, \
               only lists the volumes that are not mounted.",
        why: "The kubelet mounts the volume itself, or lets the driver on the node do so, and tries again with pauses \
              of up to two minutes. The file system may need a check, the program for this kind of file system may be \
              missing on the node, the server may refuse the node or not answer, a mount option may be wrong, or \
              another process may use the device. With an `fsGroup`, the kubelet also changes the owner of every file, \
              which takes a long time on a large volume.",
        confirm: "kubectl describe pod NAME -n NAMESPACE\n\
                  kubectl get pods -A -o wide --field-selector spec.nodeName=NODE\n\
                  kubectl get pv VOLUME -o yaml",
        repair: "Remove the cause that the message names. The kubelet tries again by itself. If the file system has \
                 errors, check it while it is mounted nowhere. If a mount option is wrong, correct it in \
                 `spec.mountOptions` of the volume and in the class. For a large volume with an `fsGroup`, set \
                 `fsGroupChangePolicy: OnRootMismatch`.",
        prevention: "Install the programs for all file systems that pods use, on all nodes. Try mount options with one \
                     volume first. Stop pods before their nodes are stopped.",
        hazard: "A check that repairs a file system can delete damaged files: take a snapshot first. Mounting a device \
                 that another node or process uses destroys its file system.",
        sources: &[
            "MountDevice, SetUp: pkg/volume/util/operationexecutor, Kubernetes 1.36",
            "WaitForAttachAndMount, pkg/kubelet/volumemanager, Kubernetes 1.36",
            "longhorn/longhorn#2644",
            "kubernetes-sigs/nfs-subdir-external-provisioner#120",
        ],
    },
    detect: Detect::Pod(detect),
};

/// What prevents the mount, recognized by well-known words of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// The file system has errors that need a check.
    Damaged,
    /// The node does not have the program that mounts this kind of file system.
    NoHelper,
    /// The server or the storage system refuses the node.
    Refused,
    /// A mount option is wrong.
    Option,
    /// Another process or machine uses the device.
    Busy,
    /// The folder of `subPath` cannot be created or used.
    SubPath,
    /// The path of a `hostPath` is of another type.
    HostPathType,
    /// The kubelet changes the owner of every file.
    Ownership,
    /// A copy of the file system with the same UUID is mounted on the node.
    SameUuid,
    /// The file system cannot be expanded.
    Growth,
    /// The server does not answer.
    Unreachable,
    /// The message has no well-known words.
    Other,
}

impl Obstacle {
    fn of(message: &str) -> Self {
        let message = message.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        // mount prints these words for many causes. For XFS, the usual cause is a second file system with the same
        // UUID.
        let is_general = says(&["wrong fs type, bad option, bad superblock"]);
        let is_xfs_copy = is_general && says(&["-t xfs"]) && !says(&["nouuid"]);
        if says(&["setting volume ownership"]) {
            Self::Ownership
        } else if says(&["subpath"]) {
            Self::SubPath
        } else if says(&["hostpath type check failed"]) {
            Self::HostPathType
        } else if says(&["failed to expand the volume"]) {
            Self::Growth
        } else if says(&["'fsck' found errors", "run fsck manually", "structure needs cleaning", "bad superblock"])
            && !says(&["helper program"])
        {
            Self::Damaged
        } else if says(&["duplicate uuid", "filesystem has duplicate"]) || is_xfs_copy {
            Self::SameUuid
        } else if says(&["unknown filesystem type", "executable file not found", "need a /sbin/mount"])
            || (says(&["helper program"]) && (!is_general || says(&["-t nfs", "-t cifs"])))
        {
            Self::NoHelper
        } else if is_general {
            Self::Other
        } else if says(&[
            "unknown mount option",
            "invalid option",
            "bad option",
            "unknown parameter",
            "invalid mount option",
            "mount error 22",
        ]) {
            Self::Option
        } else if says(&[
            "access denied",
            "permission denied",
            "operation not permitted",
            "mount error(13)",
            "unauthorized",
        ]) {
            Self::Refused
        } else if says(&["still being used", "in use", "already mounted", "busy", "watcher"]) {
            Self::Busy
        } else if says(&["deadline", "timed out", "timeout", "no route to host", "connection refused", "unreachable"]) {
            Self::Unreachable
        } else {
            Self::Other
        }
    }

    /// Returns the cause as a clause, and what a person has to do first.
    fn words(self, node: &str, volume: &str, message: &str) -> (String, String) {
        match self {
            Self::Damaged => (
                format!("{volume} has file system errors that need fsck, so node {node} cannot mount it"),
                "stop the pods that use the volume, take a snapshot of it, and run fsck on the device by hand".to_owned(),
            ),
            Self::NoHelper => (
                format!(
                    "{volume} cannot be mounted, because node {node} does not have {}",
                    match Protocol::of(message) {
                        Protocol::Nfs => "the NFS client (mount.nfs)",
                        Protocol::Smb => "the SMB client (mount.cifs)",
                        Protocol::Other => "the mount program of its file system",
                    }
                ),
                format!(
                    "install the client of the file system on {node} and all nodes: nfs-common or nfs-utils for NFS, \
                     cifs-utils for SMB, ceph-common for CephFS"
                ),
            ),
            Self::Refused => {
                let (server, check, first) = match Protocol::of(message) {
                    Protocol::Nfs => (
                        "the NFS server",
                        "check its exports",
                        format!("allow node {node} in the exports of the NFS server"),
                    ),
                    Protocol::Smb => (
                        "the SMB server",
                        "check the account key",
                        "compare the user and the password (account key) in the Secret with those of the SMB server"
                            .to_owned(),
                    ),
                    Protocol::Other => (
                        "the server",
                        "check its access rules",
                        format!(
                            "allow node {node} in the access rules of the server, and compare the credentials in the \
                             Secret with those of the server"
                        ),
                    ),
                };
                let what = format!("{volume} cannot be mounted on node {node}, because {server} denies access");
                (format!("{what} ({check})"), first)
            }
            Self::Option => {
                let option = option_in(message).map_or_else(String::new, |option| format!(" ({option})"));
                (
                    format!("{volume} cannot be mounted on node {node}, because a mount option is invalid{option}"),
                    "correct mountOptions in the volume (spec.mountOptions), and in its class for later volumes".to_owned(),
                )
            }
            Self::Busy => (
                format!("{volume} cannot be mounted on node {node}, because its device is still in use (busy)"),
                format!(
                    "find what still uses the device: a watcher of the storage system (rbd status), another machine \
                     where it is mapped, or multipath on node {node}"
                ),
            ),
            Self::SubPath => (
                format!("the kubelet on node {node} cannot prepare the subPath directory in {volume}"),
                "see whether the server lets root create directories (an NFS export needs no_root_squash), or create the \
                 directory of the subPath with the right permissions by hand"
                    .to_owned(),
            ),
            Self::HostPathType => (
                format!("the hostPath of {volume} does not exist on node {node}, or has another type than the pod states"),
                "correct the hostPath: the path does not exist there or is no directory; the kubelet directory differs \
                 between distributions"
                    .to_owned(),
            ),
            Self::Ownership => (
                format!("the kubelet on node {node} still changes the ownership of every file in {volume} (fsGroup)"),
                "set fsGroupChangePolicy: OnRootMismatch in the securityContext of the pod, so that this is done only \
                 once"
                    .to_owned(),
            ),
            Self::SameUuid => (
                format!(
                    "{volume} has the same file system UUID as another volume that is mounted on node {node}"
                ),
                "let the pod run on another node than the original, or mount the XFS copy with the option nouuid"
                    .to_owned(),
            ),
            Self::Growth => (
                format!("the driver cannot expand the file system of {volume} on node {node}"),
                "read the driver's message; if the file system has errors, check it with fsck while nothing uses it, and \
                 let a pod mount it again"
                    .to_owned(),
            ),
            Self::Unreachable => (
                format!(
                    "mounting {volume} on node {node} times out, because the storage server or the driver does not \
                     answer"
                ),
                format!(
                    "see whether the server is reachable from {node}: its address, the port (2049 for NFS), firewall and \
                     security group"
                ),
            ),
            Self::Other => (
                format!("{volume} cannot be mounted on node {node}"),
                format!("read the whole message, and the log of the driver's node plugin on {node}"),
            ),
        }
    }
}

/// How a volume on a server is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Nfs,
    Smb,
    Other,
}

impl Protocol {
    fn of(message: &str) -> Self {
        let message = message.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        if says(&["~nfs", "-t nfs", "mount.nfs"]) {
            Self::Nfs
        } else if says(&["cifs", "smb", "mount error(13)"]) {
            Self::Smb
        } else if says(&["nfs"]) {
            Self::Nfs
        } else {
            Self::Other
        }
    }
}

/// Returns the mount option that the message names as invalid, or the only option of the command. Options with secrets
/// are left out.
fn option_in(message: &str) -> Option<String> {
    let named = message.split_once("Unknown parameter ").or_else(|| message.split_once("unknown mount option "));
    if let Some((_, rest)) = named {
        let option = rest.split_whitespace().next()?.trim_matches(['\'', '"', '.', ',', ':']);
        return (!option.is_empty()).then(|| option.to_owned());
    }
    let (_, rest) = message.split_once(" -o ")?;
    let options = rest.split([' ', ']']).next()?.split(',').map(|option| option.split('=').next().unwrap_or(option));
    let mut names = options.filter(|name| !name.is_empty() && !name.starts_with('_') && !name.contains("secret"));
    let only = names.next()?;
    names.next().is_none().then(|| only.to_owned())
}

fn detect(case: &Case<'_>, pod: &Pod) -> Option<Detection> {
    let node = pod.node_name.as_str();
    if pod.meta.deleted.is_some() || node.is_empty() {
        return None;
    }
    let (message, last) = if let Some(event) = mount_failure(case.snapshot(), pod) {
        (event.message.as_str(), event.last_seen)
    } else {
        // The volumes are mounted, and the kubelet prepares the folder for the container.
        let (_, _, message) = blocked_container(pod).filter(|(_, _, said)| said.contains("subPath"))?;
        (message, pod.started)
    };
    let is_told =
        crate::diagnosis::rules::attachment::missing_driver(message).is_some() || missing_object(message).is_some();
    if is_summary(message) || is_told {
        return None;
    }
    let since = pod.started.or(pod.meta.created);
    let is_early = case.may_heal(since)?;
    let obstacle = Obstacle::of(message);
    let used = volume_of(case, pod, message);
    let volume = match used {
        Some(used) => used.volume_words(case.snapshot(), pod),
        None => named_in(message).map_or_else(|| "a volume of the pod".to_owned(), |name| format!("volume {name}")),
    };
    let (fact, first) = obstacle.words(node, &volume, message);
    let risk = if matches!(obstacle, Obstacle::Damaged | Obstacle::Busy) { Risk::Possible } else { Risk::None };
    let says = if is_starting(pod) { "The kubelet says" } else { "The container says" };
    let shown = shorten(message, 240);
    let found = Detection::new(format!("{fact}. {says}: \"{}\"", shown.trim_end_matches('.')))
        .early_if(is_early)
        .risk(risk)
        .since(since)
        .evidence(&case.object(), "spec.nodeName", node)
        .evidence(&case.object(), "events[FailedMount].message", shown)
        .moment(&case.object(), "events[FailedMount].lastTimestamp", last)
        .remedy(by_hand(first))
        .remedy(describe(&case.object(), "read the whole message of the kubelet"));
    // Perhaps another machine had the name of this node before, and the volume is attached to that machine. Then the
    // finding on the VolumeAttachment is the cause.
    let persistent = used.and_then(|used| bound(case.snapshot(), &pod.meta.namespace, used.claim));
    // Perhaps the server of a shared volume does not answer. Then the finding on the volume is the cause.
    let found = match persistent {
        Some((_, volume)) => found.follows_from(volume_key(&volume.meta.name), Act::Serve),
        None => found,
    };
    let own = persistent.and_then(|(_, volume)| attachment(case.snapshot(), &volume.meta.name, node));
    let found = match own {
        Some(own) => found.follows_from(key(Kind::VolumeAttachment, "", &own.meta.name), Act::Reach),
        None => found,
    };
    Some(affects(found, pod, used))
}
