//! The arguments of the verbs that repair.

use super::value::{self, FormatParser};
use super::{KubernetesArgs, ModelArgs, SourceArgs};
use crate::report::history::HistoryFormat;
use crate::report::plan::PlanFormat;
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// How far a repair goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DryRun {
    /// It is carried out.
    #[default]
    None,
    /// The plan is made, reviewed and shown.
    Client,
    /// The API server tries each write as well, and keeps none.
    Server,
}

/// What every verb shares that writes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Repair")]
pub struct RepairArgs {
    /// Write nothing: `client` shows the plan, `server` has the API server try each write as well
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_value = "none",
        default_missing_value = "client", hide_possible_values = true, value_name = "none|client|server")]
    pub dry_run: DryRun,

    /// Do it without asking; where a name has to be typed, --confirm types it
    #[arg(short, long)]
    pub yes: bool,

    /// The name that the plan asks for where data are given away or deleted
    #[arg(long, value_name = "NAME")]
    pub confirm: Option<String>,

    /// Show what each step changes, field by field
    #[arg(long)]
    pub diff: bool,

    /// Print the plan as data for `apply`, and write nothing
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, conflicts_with = "yes",
        value_parser = FormatParser::<PlanFormat>::new())]
    pub output: PlanFormat,

    /// How long each step may wait for the controllers, for example 30s or 5m
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = value::parse_wait)]
    pub timeout: Duration,

    /// Where the journal is kept.
    #[command(flatten)]
    pub journal: JournalArgs,

    /// Which Kubernetes is modelled.
    #[command(flatten)]
    pub kubernetes: KubernetesArgs,
}

/// Where journals are kept.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Repair")]
pub struct JournalArgs {
    /// The directory of the journals; $XDG_STATE_HOME/kubectl-pvctl or ~/.local/state/kubectl-pvctl if not given
    #[arg(long = "journal", value_name = "DIRECTORY", value_hint = ValueHint::DirPath)]
    pub directory: Option<PathBuf>,
}

impl RepairArgs {
    /// Returns the options of the modelled Kubernetes. Options that leave controllers out or assume an outdated cache
    /// are not taken, because a plan must expect everything that the controllers may do.
    pub fn model(&self) -> ModelArgs {
        ModelArgs { kubernetes: self.kubernetes.clone(), ..ModelArgs::default() }
    }
}

/// `fix`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl fix pvc/data-0 -n db            Go through what is wrong with a claim\n  \
        kubectl pvctl fix -n db                       Or with all claims of a namespace\n  \
        kubectl pvctl fix pvc/data-0 --yes            The safest repair that is safe, without being asked\n  \
        kubectl pvctl fix --all -A --yes --only lost-claimref-uid-cleared\n\n\
        EXIT CODES\n  \
        0    nothing is wrong, or it was repaired\n  \
        1    something is left: only a person can decide it, or its repair was refused\n  \
        4    the world changed, nothing was written\n  \
        5    some of a plan was written\n  \
        6    nobody to ask, nothing was written")]
pub struct FixArgs {
    /// The objects: pvc/NAME or pv/NAME; without one, what is in scope
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// Every object in scope, for use with --yes
    #[arg(long)]
    pub all: bool,

    /// Only what these rules find; `*` stands for any letters
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub only: Vec<String>,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `retain`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl retain pv/data            Whatever becomes of its claim, the data stay\n  \
        kubectl pvctl retain pvc/data-0 -n db   The same for the volume of a claim\n  \
        kubectl pvctl retain pv/data --dry-run  What would be written, and why")]
pub struct RetainArgs {
    /// The volume: pv/NAME or `pv NAME`; pvc/NAME or `pvc NAME` means the volume of that claim
    #[arg(value_name = "pv/NAME|pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// To whom a volume is offered.
#[derive(Clone, Debug, Default, Args)]
pub struct RecipientArgs {
    /// Reserve it for the claim of this name instead of its last one
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with = "to_anyone")]
    pub reserve_for: Option<String>,

    /// Offer it to whoever comes first, with all that is on it; the name of the volume has to be typed
    #[arg(long)]
    pub to_anyone: bool,
}

/// `release`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl release pv/data                        Available again, for its last claim's name\n  \
        kubectl pvctl release pv/data --reserve-for db/data  For another claim\n  \
        kubectl pvctl release pv/data -f dump.json -o yaml   The plan for these files; apply carries it out")]
pub struct ReleaseArgs {
    /// The volume: pv/NAME or `pv NAME`
    #[arg(value_name = "pv/NAME", required = true)]
    pub object: Vec<String>,

    /// To whom.
    #[command(flatten)]
    pub recipient: RecipientArgs,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `unbind`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl unbind pv/data                        A binding that was never finished, rolled back\n  \
        kubectl pvctl unbind pv/data --reserve-for db/data  And kept for another claim")]
pub struct UnbindArgs {
    /// The volume: pv/NAME or `pv NAME`
    #[arg(value_name = "pv/NAME", required = true)]
    pub object: Vec<String>,

    /// To whom.
    #[command(flatten)]
    pub recipient: RecipientArgs,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `reclaim`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl reclaim pv/data           Who has to delete its storage, and why it has not happened\n  \
        kubectl pvctl reclaim pv/data --delete  Hand a volume that is kept to deletion")]
pub struct ReclaimArgs {
    /// The volume: pv/NAME or `pv NAME`
    #[arg(value_name = "pv/NAME", required = true)]
    pub object: Vec<String>,

    /// Hand a volume that is kept to deletion: its data will be gone. Its name has to be typed
    #[arg(long)]
    pub delete: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `recreate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl recreate pvc/data -n db --set class=fast\n  \
        kubectl pvctl recreate pvc/data -n db --set size=10Gi --set modes=ReadWriteOnce\n  \
        kubectl pvctl recreate pvc/dta -n db --set name=data")]
pub struct RecreateArgs {
    /// The claim: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// What is other than it was: class (or storageClassName), size, modes (with commas), volumeMode, name, volumeName,
    /// or selector=none. An empty class or volumeName means none. May be given several times
    #[arg(long, value_name = "KEY=VALUE", required = true, action = ArgAction::Append)]
    pub set: Vec<String>,

    /// Say that no provisioner is at work on the claim, because it is stopped
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `restore`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl restore pvc/data-0 -n db                 A claim that is Lost, or deleted, gets its volume back\n  \
        kubectl pvctl restore pvc/data-0 -n db --from pv/data  That very volume")]
pub struct RestoreArgs {
    /// The claim: pvc/NAME or `pvc NAME`; it need not exist any more
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The volume, where several name the claim
    #[arg(long, value_name = "pv/NAME")]
    pub from: Option<String>,

    /// Say that no provisioner is at work on the claim, because it is stopped
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `rebind`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl rebind pvc/data-0 -n db --to pv/copy  The claim gets another volume; its old one is kept")]
pub struct RebindArgs {
    /// The claim: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required = true)]
    pub object: Vec<String>,

    /// The volume that it gets
    #[arg(long, value_name = "pv/NAME")]
    pub to: String,

    /// Say that no provisioner is at work on the claim, because it is stopped
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `move`.
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

    /// The name of the new claim; the same if not given
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Give the volume its reclaim policy back in the end
    #[arg(long)]
    pub restore_policy: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `rename`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl rename pvc/data archive -n db")]
pub struct RenameArgs {
    /// The claim, and its new name: `pvc/NAME NEW` or `pvc NAME NEW`
    #[arg(value_name = "pvc/NAME NEW", required = true)]
    pub object: Vec<String>,

    /// Give the volume its reclaim policy back in the end
    #[arg(long)]
    pub restore_policy: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `unfinalize`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl unfinalize pvc/data example.com/backup -n db\n  \
        kubectl pvctl unfinalize pv/data external-attacher/csi-example-com --protected")]
pub struct UnfinalizeArgs {
    /// The volume or claim, and the finalizer: `TYPE/NAME FINALIZER` or `TYPE NAME FINALIZER`
    #[arg(value_name = "TYPE/NAME FINALIZER", required = true)]
    pub object: Vec<String>,

    /// Say that the owner of a finalizer that protects data or an attachment is gone
    #[arg(long)]
    pub protected: bool,

    /// The files on which the plan is made instead of a cluster.
    #[command(flatten)]
    pub source: SourceArgs,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `apply`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl release pv/data -o yaml > plan.yaml  A plan for review\n  \
        kubectl pvctl apply plan.yaml                      The same, on a world that is still the same\n  \
        kubectl pvctl apply --continue                     Go on where the last repair stopped")]
pub struct ApplyArgs {
    /// The file with the plan; `-` is stdin
    #[arg(value_name = "FILE", required_unless_present = "resume", conflicts_with = "resume",
        value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,

    /// Go on with a repair that stopped: the one with this id, or the newest
    #[arg(long = "continue", value_name = "ID", num_args = 0..=1)]
    pub resume: Option<Option<String>>,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `undo`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl undo            Take the newest repair back\n  \
        kubectl pvctl undo --dry-run  How that would be done")]
pub struct UndoArgs {
    /// The id of the repair, as `history` lists it; the newest if not given
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// Say that no provisioner is at work on the claims that the repair created, because it is stopped
    #[arg(long)]
    pub provisioner_stopped: bool,

    /// What all repairs share.
    #[command(flatten)]
    pub repair: RepairArgs,
}

/// `history`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl history     All repairs that were made from here\n  \
        kubectl pvctl history ID  The steps of one of them")]
pub struct HistoryArgs {
    /// The id of a repair, to show its steps
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<HistoryFormat>::new())]
    pub output: HistoryFormat,

    /// Where the journals are kept.
    #[command(flatten)]
    pub journal: JournalArgs,
}
