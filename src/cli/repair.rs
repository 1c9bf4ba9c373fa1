//! The arguments of the verbs that repair.

use super::value::{self, FormatParser};
use super::{KubernetesArgs, ModelArgs, SourceArgs};
use crate::report::history::HistoryFormat;
use crate::report::plan::PlanFormat;
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// What a repair does with its plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DryRun {
    /// The plan is carried out.
    #[default]
    None,
    /// The plan is made, reviewed and shown.
    Client,
    /// The plan is also sent to the API server in dry run. The API server checks each write and stores none.
    Server,
}

/// The flags of every verb that writes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Repair")]
pub struct RepairArgs {
    /// Write nothing: `client` shows the plan, `server` also sends each write to the API server in dry run
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_value = "none",
        default_missing_value = "client", hide_possible_values = true, value_name = "none|client|server")]
    pub dry_run: DryRun,

    /// Do not ask; if the plan asks for a name, give it with --confirm
    #[arg(short, long)]
    pub yes: bool,

    /// The name of the object, if the plan asks you to type it
    #[arg(long, value_name = "NAME")]
    pub confirm: Option<String>,

    /// Show what each step changes, field by field
    #[arg(long)]
    pub diff: bool,

    /// Print the plan for `apply`, in this format, and write nothing
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, conflicts_with = "yes",
        value_parser = FormatParser::<PlanFormat>::new())]
    pub output: PlanFormat,

    /// How long each step may wait for the controllers, for example 30s or 5m
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = value::parse_wait)]
    pub timeout: Duration,

    /// The flag for the folder of the journals.
    #[command(flatten)]
    pub journal: JournalArgs,

    /// The flags that select the Kubernetes to model.
    #[command(flatten)]
    pub kubernetes: KubernetesArgs,
}

/// The flag for the folder of the journals.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Repair")]
pub struct JournalArgs {
    /// The directory of the journals; default: $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl
    #[arg(long = "journal", value_name = "DIRECTORY", value_hint = ValueHint::DirPath)]
    pub directory: Option<PathBuf>,
}

impl RepairArgs {
    /// Returns the options of the modelled Kubernetes. The options that leave controllers out or assume an outdated
    /// cache have their defaults, because a plan must expect everything that the controllers may do.
    pub fn model(&self) -> ModelArgs {
        ModelArgs { kubernetes: self.kubernetes.clone(), ..ModelArgs::default() }
    }
}

/// The arguments of `fix`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl fix pvc/data-0 -n db            Show and repair what is wrong with a claim\n  \
        kubectl pvctl fix -n db                       The same for all claims of a namespace\n  \
        kubectl pvctl fix pvc/data-0 --yes            Make safe repairs without being asked\n  \
        kubectl pvctl fix --all -A --yes --only lost-claimref-uid-cleared\n\n\
        EXIT CODES\n  \
        0    nothing is wrong, or it was repaired\n  \
        1    a finding is left: only a person can repair it, or its repair was refused\n  \
        4    the cluster changed, nothing was written\n  \
        5    only a part of a plan was written\n  \
        6    a question was needed and nobody could be asked, nothing was written")]
pub struct FixArgs {
    /// The objects: pvc/NAME or pv/NAME; if none is given, all in scope
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// Every object in scope, for use with --yes
    #[arg(long)]
    pub all: bool,

    /// Only the findings of these rules; `*` stands for any letters
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub only: Vec<String>,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `retain`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl retain pv/data            Keep the data, even if the claim is deleted\n  \
        kubectl pvctl retain pvc/data-0 -n db   The same for the volume of a claim\n  \
        kubectl pvctl retain pv/data --dry-run  Show what would be written, and why")]
pub struct RetainArgs {
    /// The volume: pv/NAME or `pv NAME`; pvc/NAME or `pvc NAME` means the volume of that claim
    #[arg(value_name = "pv/NAME|pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The flags that say to whom a volume is offered.
#[derive(Clone, Debug, Default, Args)]
pub struct RecipientArgs {
    /// Reserve the volume for this claim instead of its last claim
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with = "to_anyone")]
    pub reserve_for: Option<String>,

    /// Offer the volume to any claim that fits, with all its data; you have to type the name of the volume
    #[arg(long)]
    pub to_anyone: bool,
}

/// The arguments of `release`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl release pv/data                        Offer it to a claim with its last claim's name\n  \
        kubectl pvctl release pv/data --reserve-for db/data  Offer it to another claim\n  \
        kubectl pvctl release pv/data -f dump.json -o yaml   Print the plan for these files, for apply")]
pub struct ReleaseArgs {
    /// The volume: pv/NAME or `pv NAME`
    #[arg(value_name = "pv/NAME", required = true)]
    pub object: Vec<String>,

    /// The flags that say to whom the volume is offered.
    #[command(flatten)]
    pub recipient: RecipientArgs,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `unbind`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl unbind pv/data                        Undo a binding that was never completed\n  \
        kubectl pvctl unbind pv/data --reserve-for db/data  And reserve the volume for another claim")]
pub struct UnbindArgs {
    /// The volume: pv/NAME or `pv NAME`
    #[arg(value_name = "pv/NAME", required = true)]
    pub object: Vec<String>,

    /// The flags that say to whom the volume is offered.
    #[command(flatten)]
    pub recipient: RecipientArgs,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `reclaim`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl reclaim pv/data           Say which component deletes the storage, and why it has not\n  \
        kubectl pvctl reclaim pv/data --delete  Have a Retained volume and its data deleted")]
pub struct ReclaimArgs {
    /// The volume: pv/NAME or `pv NAME`
    #[arg(value_name = "pv/NAME", required = true)]
    pub object: Vec<String>,

    /// Have a Retained volume deleted: its data will be gone. You have to type its name
    #[arg(long)]
    pub delete: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `recreate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl recreate pvc/data -n db --set class=fast\n  \
        kubectl pvctl recreate pvc/data -n db --set size=10Gi --set modes=ReadWriteOnce\n  \
        kubectl pvctl recreate pvc/dta -n db --set name=data")]
pub struct RecreateArgs {
    /// The claim: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// What changes: class (or storageClassName), size, modes (with commas), volumeMode, name, volumeName, or
    /// selector=none. An empty class or volumeName means none. May be given several times
    #[arg(long, value_name = "KEY=VALUE", required = true, action = ArgAction::Append)]
    pub set: Vec<String>,

    /// State that the provisioner of the claim is stopped, so it cannot be creating a volume now
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `restore`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl restore pvc/data-0 -n db                 Give a Lost or deleted claim its volume back\n  \
        kubectl pvctl restore pvc/data-0 -n db --from pv/data  Give it exactly this volume")]
pub struct RestoreArgs {
    /// The claim: pvc/NAME or `pvc NAME`; the claim may be deleted already
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The volume; needed if several volumes name the claim
    #[arg(long, value_name = "pv/NAME")]
    pub from: Option<String>,

    /// State that the provisioner of the claim is stopped, so it cannot be creating a volume now
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `rebind`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl rebind pvc/data-0 -n db --to pv/copy  Give the claim another volume, and keep its old one")]
pub struct RebindArgs {
    /// The claim: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The volume that the claim gets
    #[arg(long, value_name = "pv/NAME")]
    pub to: String,

    /// State that the provisioner of the claim is stopped, so it cannot be creating a volume now
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `move`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl move pvc/data -n old --to-namespace new\n  \
        kubectl pvctl move pvc/data -n old --to-namespace new --name archive --restore-policy")]
pub struct MoveArgs {
    /// The claim: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The namespace of the new claim
    #[arg(long, value_name = "NAMESPACE")]
    pub to_namespace: String,

    /// The name of the new claim; by default, the name of the old one
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Give the volume its old reclaim policy back at the end
    #[arg(long)]
    pub restore_policy: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `rename`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl rename pvc/data archive -n db")]
pub struct RenameArgs {
    /// The claim, and its new name: `pvc/NAME NEW` or `pvc NAME NEW`
    #[arg(value_name = "pvc/NAME NEW", required = true)]
    pub object: Vec<String>,

    /// Give the volume its old reclaim policy back at the end
    #[arg(long)]
    pub restore_policy: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `unfinalize`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl unfinalize pvc/data example.com/backup -n db\n  \
        kubectl pvctl unfinalize pv/data external-attacher/csi-example-com --protected")]
pub struct UnfinalizeArgs {
    /// The volume or claim, and the finalizer: `TYPE/NAME FINALIZER` or `TYPE NAME FINALIZER`
    #[arg(value_name = "TYPE/NAME FINALIZER", required = true)]
    pub object: Vec<String>,

    /// State that the owner of the finalizer is gone; needed if the finalizer protects data or an attachment
    #[arg(long)]
    pub protected: bool,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `reschedule`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl reschedule pvc/data-0 -n db            Let the scheduler choose another node for a claim\n  \
        kubectl pvctl reschedule pvc/data-0 -n db --dry-run  Show what would be written, and why")]
pub struct RescheduleArgs {
    /// The claim: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `detach`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl detach va/csi-5f1c                            Detach a volume from a node that is gone\n  \
        kubectl pvctl detach va/csi-5f1c --machine-off node-7 --yes  The same without a question")]
pub struct DetachArgs {
    /// The VolumeAttachment: va/NAME or `va NAME`
    #[arg(value_name = "va/NAME", required = true)]
    pub object: Vec<String>,

    /// State that the machine of this node is off; without it, you have to type the name of the node
    #[arg(long, value_name = "NODE")]
    pub machine_off: Option<String>,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `reconnect`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl reconnect pvc/shared -n web                    Create the deleted Service of a volume again\n  \
        kubectl pvctl reconnect pvc/shared -n web --address 10.96.4.7  The same, with the address that clients use\n  \
        kubectl pvctl reconnect pv/data --service nfs/nfs-server     Lead the recorded address to this Service's pods")]
pub struct ReconnectArgs {
    /// The volume: pv/NAME or `pv NAME`; pvc/NAME or `pvc NAME` means the volume of that claim
    #[arg(value_name = "pv/NAME|pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The address that the clients use, if the volume does not record it
    #[arg(long, value_name = "IP")]
    pub address: Option<String>,

    /// The Service that the server has now, if nothing shows it; you have to type its name
    #[arg(long, value_name = "NAMESPACE/NAME")]
    pub service: Option<String>,

    /// The files for which the plan is made, if not for a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `apply`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl release pv/data -o yaml > plan.yaml  Write a plan for review\n  \
        kubectl pvctl apply plan.yaml                      Carry it out, if the cluster has not changed\n  \
        kubectl pvctl apply --continue                     Continue the newest repair that stopped")]
pub struct ApplyArgs {
    /// The file with the plan; `-` is stdin
    #[arg(value_name = "FILE", required_unless_present = "resume", conflicts_with = "resume",
        value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,

    /// Continue a repair that stopped: the repair with this id, or the newest one
    #[arg(long = "continue", value_name = "ID", num_args = 0..=1)]
    pub resume: Option<Option<String>>,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `undo`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl undo            Undo the newest repair\n  \
        kubectl pvctl undo --dry-run  Show how the repair would be undone")]
pub struct UndoArgs {
    /// The id of the repair, as `history` lists it; by default, the newest repair
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// State that the provisioner of the claims that the repair created is stopped, so it cannot be creating a volume
    /// now
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The flags that all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// The arguments of `history`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl history     All repairs that were made from this machine\n  \
        kubectl pvctl history ID  The steps of one repair")]
pub struct HistoryArgs {
    /// The id of the repair whose steps are shown
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<HistoryFormat>::new())]
    pub output: HistoryFormat,

    /// The flag for the folder of the journals.
    #[command(flatten)]
    pub journal: JournalArgs,
}
