//! The arguments of `explain`.

use super::value::FormatParser;
use super::{ActorArgs, ModelArgs, SourceArgs};
use crate::report::explanation::ExplanationFormat;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// The arguments of `explain`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl explain pod/db-0 -n db    Why this pod does not start\n  \
        kubectl pvctl explain sts/db -n db      Which of its pods do not start, and why\n  \
        kubectl pvctl explain pods -l app=web   The same for each pod with this label\n  \
        kubectl pvctl explain pvc/data-0 -n db  Why this claim is still Pending\n  \
        kubectl pvctl explain pv data           Why this volume is Released\n  \
        kubectl pvctl explain sc/standard       What this class does to its claims\n  \
        kubectl pvctl explain pv/data --recheck  Whether the controller acts on this volume\n  \
        kubectl pvctl explain pvc/data-0 -f dump.json -o json\n  \
        kubectl pvctl explain --log kcm.log     What each line of this log of kube-controller-manager or a kubelet means")]
pub struct ExplainArgs {
    /// The objects, as kubectl names them: pod/NAME, pvc/NAME, sts/NAME, `pods NAME NAME`; a type alone means all
    /// objects in scope
    #[arg(value_name = "OBJECT", required_unless_present = "log")]
    pub object: Vec<String>,

    /// Read this piece of a log of kube-controller-manager or of a kubelet, or stdin with `-`, and say which controller
    /// wrote each line, in which function, and at which leaf. With OBJECT or -n, show only the syncs that concern these
    /// objects. No cluster is read
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["filenames", "recheck", "trace"])]
    pub log: Option<PathBuf>,

    /// If the object differs from its prediction, read it again after two resync periods (about 30 s), to see whether
    /// the controller acts. Cannot be combined with -f
    #[arg(long)]
    pub recheck: bool,

    /// The flag that selects the actors.
    #[command(flatten)]
    pub actors: ActorArgs,

    /// Show each test of a decision: the field, the two values, the result; and what the controller logs at `-v=5`
    #[arg(long, help_heading = "Output")]
    pub trace: bool,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<ExplanationFormat>::new())]
    pub output: ExplanationFormat,

    /// The flags that select files as the source.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that select the Kubernetes to model.
    #[command(flatten)]
    pub model: ModelArgs,
}
