//! The definitions of the command line. The code of each verb is in the module `commands`.
//!
//! kubectl does not pass its own flags on to plugins, and it refuses flags before the plugin's name. So the flags of
//! `kubectl options` are also defined here. They are accepted in any position after `pvctl`.

mod completion;
mod explain;
mod flags;
mod line;
mod object;
mod output;
mod repair;
mod request;
mod value;

pub use completion::{CompletionArgs, Shell};
pub use explain::ExplainArgs;
pub use flags::{ActorArgs, ClusterArgs, KubernetesArgs, ModelArgs, ScopeArgs, Secret, SourceArgs, TableArgs};
pub use line::{HELP, is_flag};
pub use object::{EXPLAINED, one_object, parse_objects};
pub use output::Output;
pub use repair::{
    ApplyArgs, DetachArgs, DryRun, FixArgs, HistoryArgs, JournalArgs, MoveArgs, RebindArgs, RecipientArgs, ReclaimArgs,
    ReconnectArgs, RecreateArgs, ReleaseArgs, RenameArgs, RepairArgs, RescheduleArgs, RestoreArgs, RetainArgs,
    UnbindArgs, UndoArgs, UnfinalizeArgs,
};
pub use request::{SETTING_KEYS, setting_values};
pub use value::{ControllerFlag, FeatureGate, KindScope, SnapshotFormat, UserExtra, parse_reference};

use crate::model::DUMP;
use crate::report::audit::ReportFormat;
use crate::report::match_table::MatchFormat;
use crate::report::prediction::PredictionFormat;
use crate::report::rules::RulesFormat;
use crate::report::shared_volumes::SharedFormat;
use crate::report::version::VersionFormat;
use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use value::FormatParser;

/// The name of the executable, by which kubectl finds the plugin.
pub const BINARY: &str = "kubectl-pvctl";

/// The width below which help shows the description of a flag below the flag instead of beside it. The longest flag
/// takes 50 columns.
const NARROW: usize = 80;

/// The command with which people call the plugin.
pub const PLUGIN: &str = "kubectl pvctl";

/// The whole command line.
#[derive(Clone, Debug, Parser)]
#[command(
    name = BINARY,
    bin_name = PLUGIN,
    version,
    about = "Predict, explain and repair PersistentVolumes and PersistentVolumeClaims",
    long_about = "Predict, explain and repair PersistentVolumes and PersistentVolumeClaims.\n\n\
        pvctl reads volumes, claims and storage classes once, from a cluster or from files. It then runs the logic of \
        kube-controller-manager on them in dry run. Only the verbs that repair write anything. Each of them shows its \
        plan, asks once, and keeps a journal, with which `undo` can undo the repair.",
    after_help = "EXAMPLES\n  \
        kubectl pvctl predict               Predict what happens to the volumes and claims here\n  \
        kubectl pvctl explain pvc/data-0    Explain why this claim has its state, and what to do\n  \
        kubectl pvctl predict -f dump.json  Predict for the output of kubectl get -o json\n  \
        kubectl pvctl restore pvc/data-0    Give a Lost or deleted claim its volume back\n\n\
        EXIT CODES\n  \
        0    done\n  \
        1    a finding (audit, fix), a predicted change (with --exit-code), or a repair that did not end as predicted\n  \
        2    wrong usage, or an object that does not exist\n  \
        3    something could not be read, so the answer is incomplete\n  \
        4    the cluster changed since the plan was made; nothing was written\n  \
        5    only a part of a plan was written; the message names the journal\n  \
        6    refused: by a guard, for missing rights, or because nobody can confirm; nothing was written\n  \
        70   a bug in pvctl\n  \
        130  interrupted",
    disable_help_subcommand = true,
    args_override_self = true,
    max_term_width = 120,
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs",
    next_line_help = false,
)]
pub struct Cli {
    /// The flags that every verb has.
    #[command(flatten)]
    pub global: GlobalArgs,

    /// The verb. Without a verb, a short guide is printed.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The flags that every verb has.
#[derive(Clone, Debug, Default, Args)]
pub struct GlobalArgs {
    /// The flags that select the objects to show.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// The flags that select the cluster and the user.
    #[command(flatten)]
    pub cluster: ClusterArgs,

    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, help_heading = "Display")]
    pub color: ColorWhen,

    /// Print more on stderr; from 6, every request to the API server is printed, with tokens hidden
    #[arg(short = 'v', long = "v", global = true, value_name = "N", default_value_t = 0, help_heading = "Display")]
    pub verbosity: u8,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless the environment variable NO_COLOR, CLICOLOR_FORCE or TERM=dumb requests something else.
    #[default]
    Auto,
    /// Always, even if the output is a pipe.
    Always,
    /// Never.
    Never,
}

/// The verbs.
#[derive(Clone, Debug, Subcommand)]
pub enum Verb {
    /// Find what is wrong, the root of it, and what to do
    ///
    /// Applies all rules to every volume, claim and class, and to related objects such as pods. Shows each root, and
    /// what follows from it. Objects without a problem are not shown. A claim that waits for its first pod is not a
    /// problem: it is at most information. Exits with 1 if a finding is at least as severe as --fail-on says.
    ///
    /// On a cluster, without -n and -A, audit examines the claims in the namespace of the context, and the volumes that
    /// belong to them. With -f, it examines all objects in the files.
    Audit(AuditArgs),
    /// Explain why an object has its state, and what to do
    ///
    /// Shows the answer in the first line. Then it shows the decision and the fields that led to it, the candidates of
    /// a claim, both sides of the binding, who uses the object, and what happens next.
    Explain(ExplainArgs),
    /// Show what is wrong, and repair it step by step
    ///
    /// Shows the findings on an object and on its related objects, and the available repairs. You choose a repair, see
    /// its plan, and confirm it. The plan is carried out. Then fix examines the objects again.
    ///
    /// With --yes, fix makes only safe repairs: no data are at risk, and each step can be undone or can be repeated
    /// without harm. All other findings are only listed.
    Fix(FixArgs),
    /// Predict what will happen to volumes and claims
    ///
    /// Shows the phase and the binding that each object will have when the controllers have nothing more to do, and
    /// why.
    ///
    /// On a cluster, without -n and -A, predict shows the claims in the namespace of the context, and the volumes that
    /// belong to them. With -f, it shows all objects in the files.
    Predict(PredictArgs),
    /// Show which volumes fit a claim, and why the others do not
    ///
    /// Shows for each volume the first test that fails, and by how much. Also shows which volume would be chosen, and
    /// which volumes are equally good.
    Match(MatchArgs),
    /// List the volumes that a server in the cluster serves to many pods
    ///
    /// For each volume: the storage system, the Service, the servers, and whether the address of clients works.
    Shared(SharedArgs),
    /// List the rules of audit, or explain one
    ///
    /// The page of a rule says what the problem looks like, why it happens, how to confirm it by hand, how to repair
    /// and prevent it, and what can go wrong with the data.
    Rules(RulesArgs),
    /// Print all objects that were read, without credentials, for use with -f
    ///
    /// The output is a plain `v1` List that kubectl and every verb can read. Keep it as evidence, send it with a bug
    /// report, or use it when you have no access to the cluster.
    ///
    /// Annotations of the list say which objects were read, when they were read, and which version of Kubernetes the
    /// cluster had. kubectl ignores these annotations. They let every verb give the same answer about the snapshot as
    /// about the source of the snapshot. So you need --now, --assume-complete and --partial only when you write the
    /// snapshot.
    Snapshot(SnapshotArgs),
    /// Keep the data of a volume, even if its claim is deleted
    ///
    /// Sets the reclaim policy to Retain, which stops deletions that have not begun.
    Retain(RetainArgs),
    /// Offer a Released volume again; by default only to a claim with the name of its last claim
    ///
    /// The volume becomes Available, keeps its data, and waits for a claim of that name.
    Release(ReleaseArgs),
    /// Undo a binding that was never completed
    ///
    /// Does what the controller does when it unbinds a volume. If an existing claim holds the volume, unbind refuses,
    /// and names commands that help.
    Unbind(UnbindArgs),
    /// Have the data of a volume deleted by the component that deletes them
    ///
    /// Says which component carries out the reclaim policy, and with --delete sets the policy to Delete. pvctl itself
    /// deletes no storage.
    Reclaim(ReclaimArgs),
    /// Replace a claim that was never bound with a corrected one
    ///
    /// Use it if the class, size, mode or name of the claim is wrong. It refuses while a provisioner may be creating a
    /// volume for the claim.
    Recreate(RecreateArgs),
    /// Give a claim its volume back after the claim became Lost or was deleted
    ///
    /// First the volume is retained and reserved. Then a claim is created that names the volume.
    Restore(RestoreArgs),
    /// Give a claim another volume
    ///
    /// Replaces the claim with a claim that names the other volume. The old volume is kept with its data.
    Rebind(RebindArgs),
    /// Give the volume of a claim to a claim in another namespace
    ///
    /// The data stay where they are. The volume is retained, released, reserved for the new claim, and then bound to
    /// it.
    Move(MoveArgs),
    /// Give a claim another name
    ///
    /// Works like `move`, but in the same namespace: the volume and its data stay, and the claim is replaced.
    Rename(RenameArgs),
    /// Remove one finalizer from a volume or claim whose deletion is stuck
    ///
    /// Says which component should have removed the finalizer, and asks you to type the name of the object. The API
    /// cannot prove that this component is gone.
    Unfinalize(UnfinalizeArgs),
    /// Give a claim back to the scheduler, if the node that was chosen for it does not exist any more
    ///
    /// Removes the selected node from the claim. The scheduler chooses another node when it next schedules a pod that
    /// uses the claim.
    Reschedule(RescheduleArgs),
    /// Have a volume detached from a node whose machine is off
    ///
    /// Deletes the VolumeAttachment, and the driver then detaches the disk. You have to type the name of the node,
    /// which states that its machine is off, unless the node has the taint node.kubernetes.io/out-of-service.
    Detach(DetachArgs),
    /// Give the clients of a shared volume their server back, at the address that they use
    ///
    /// Creates the Service of the server again, if it was deleted, with the address that the volume records. If the
    /// server has a Service with another address, creates another Service for the same pods.
    Reconnect(ReconnectArgs),
    /// Carry out a plan from a file, or continue a repair that stopped
    ///
    /// The plan is made again for the present state of the cluster. If the new plan differs from the plan in the file,
    /// nothing is written.
    Apply(ApplyArgs),
    /// Undo a repair, newest step first
    ///
    /// Reads the journal of the repair. Before anything is written, undo says what cannot be undone.
    Undo(UndoArgs),
    /// List the repairs that were made from this machine, or the steps of one repair
    ///
    /// Reads the journals on this machine. No cluster is asked.
    History(HistoryArgs),
    /// Print the versions of pvctl, of the modelled Kubernetes, and of the cluster
    Version(VersionArgs),
    /// Print the completion script of a shell
    ///
    /// The script completes the command `kubectl-pvctl`.
    ///
    /// kubectl itself completes `kubectl pvctl <TAB>`, including the names of objects in the cluster. For this, put the
    /// two-line script `kubectl_complete-pvctl` from the folder `completions` on your PATH.
    Completion(CompletionArgs),
}

/// The arguments of `predict`.
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("EXAMPLES\n  \
        kubectl pvctl predict -A                    Every volume and claim of the cluster\n  \
        kubectl pvctl predict -n db --changed       Only what may change in a namespace\n  \
        kubectl pvctl predict -A --stuck            Only what has a problem, and its cause\n  \
        kubectl pvctl predict pvc/data-0 pv/data    These two\n  \
        kubectl pvctl predict -n db --pods          Also the pods that use claims, and their nodes\n  \
        kubectl pvctl predict -f dump.json -o json  For a file, with all decisions, as JSON\n  \
        {DUMP} | kubectl pvctl predict -f -"))]
pub struct PredictArgs {
    /// The objects to predict, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// Show only what may change
    #[arg(long, help_heading = "Output")]
    pub changed: bool,

    /// Show only objects with a problem that a person has to solve, and the cause; reads the same objects as `audit`
    #[arg(long, help_heading = "Output")]
    pub stuck: bool,

    /// Add the diagnosis of `explain` to each object of -o json and yaml; reads the same objects as `audit`
    #[arg(long, help_heading = "Output")]
    pub diagnosis: bool,

    /// Show also the pods that use claims: the node of each, or why it gets none; without --actors, the scheduler takes
    /// part then
    #[arg(long, help_heading = "Output")]
    pub pods: bool,

    /// Show also how the attachments of volumes to nodes end; without --actors, the attachers of the drivers act then
    #[arg(long, help_heading = "Output")]
    pub attachments: bool,

    /// The flag that selects the actors.
    #[command(flatten)]
    pub actors: ActorArgs,

    /// Exit with 1 if a change is predicted
    #[arg(long, help_heading = "Output")]
    pub exit_code: bool,

    /// Show each test of a decision: the field, the two values, the result
    #[arg(long, help_heading = "Output")]
    pub trace: bool,

    /// Ask the clusters of these kubeconfig contexts, or of `all`; prints a section for each, and a summary
    #[arg(long, value_name = "NAME,…|all", value_delimiter = ',', conflicts_with = "filenames", help_heading = "Source",
        value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub contexts: Vec<String>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<PredictionFormat>::new())]
    pub output: PredictionFormat,

    /// The flags for printing a table.
    #[command(flatten)]
    pub table: TableArgs,

    /// The flags that select files as the source.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that select the Kubernetes to model.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// The arguments of `match`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl match pvc/data-0 -n db      For an existing claim\n  \
        kubectl pvctl match pvc/data-0 --node n1  What the scheduler does on a node\n  \
        kubectl pvctl match --claim claim.yaml    For a claim that does not exist yet\n  \
        kubectl pvctl match --claim claim.yaml -f dump.json")]
pub struct MatchArgs {
    /// The claim, as kubectl names it: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required_unless_present = "claim", conflicts_with = "claim")]
    pub object: Vec<String>,

    /// A file with a claim that does not exist yet; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub claim: Option<PathBuf>,

    /// Search like kube-scheduler for a pod on this node that uses only this claim (plugin `VolumeBinding`; the other
    /// plugins are left out)
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<MatchFormat>::new())]
    pub output: MatchFormat,

    /// The flags for printing a table.
    #[command(flatten)]
    pub table: TableArgs,

    /// The flags that select files as the source.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that select the Kubernetes to model.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// The arguments of `shared`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl shared -A                    All shared volumes\n  \
        kubectl pvctl shared pvc/assets -n web     The path of one volume\n  \
        storageos get volumes -A -o json | kubectl pvctl shared -A --provider-state -")]
pub struct SharedArgs {
    /// Volumes and claims, as kubectl names them
    #[arg(value_name = "TYPE/NAME")]
    pub objects: Vec<String>,

    /// A file with what the storage system itself says about its volumes, as JSON or YAML; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub provider_state: Option<PathBuf>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<SharedFormat>::new())]
    pub output: SharedFormat,

    /// The flags for printing a table.
    #[command(flatten)]
    pub table: TableArgs,

    /// The flags that select files as the source.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that select the Kubernetes to model.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// The arguments of `audit`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl audit -A                              What is wrong in the cluster\n  \
        kubectl pvctl audit -n db --all                     Also findings that follow from others\n  \
        kubectl pvctl audit -f dump.json -o json            A file, with evidence and remedies, as JSON\n  \
        kubectl pvctl audit -A --fail-on warning            Exit with 1 on warnings, too\n  \
        kubectl pvctl audit -A -o table -o sarif=out.sarif  A table, and a file for a code scanner\n  \
        kubectl pvctl audit -A --skip-rules 'pv-recycle-*'  Without these rules\n\n\
        EXIT CODES\n  \
        0    no finding that --fail-on names; also with --exit-zero, whatever is found\n  \
        1    a finding that --fail-on names; by default, an error\n  \
        2    wrong usage\n  \
        3    volumes, claims or classes could not be read, or a rule needs them and was not judged; with \
             --fail-on unknown, also if a rule was not judged for other reasons. Code 3 takes precedence over 1")]
pub struct AuditArgs {
    /// The objects to audit, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// Show every finding, also those that follow from another one
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Exit with 1 on findings of this severity or worse. If only rules are named, exit with 1 only on their findings
    /// (`*` stands for any letters). `unknown` exits with 3 if a rule was not judged, and with 1 on errors
    #[arg(
        long,
        value_name = "SEVERITY|unknown|ID,…",
        value_delimiter = ',',
        default_value = "error",
        help_heading = "Findings"
    )]
    pub fail_on: Vec<String>,

    /// Exit with 0 even if there are findings
    #[arg(long, help_heading = "Findings")]
    pub exit_zero: bool,

    /// Show only findings that are not in this file, the output of an earlier audit with -o json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Findings")]
    pub baseline: Option<PathBuf>,

    /// The file with the suppressions; by default .pvctl.yaml in the working directory, if it exists. An object can
    /// also have a suppression in the annotation pvctl.dev/ignore: RULE=REASON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Findings")]
    pub suppressions: Option<PathBuf>,

    /// Apply only these rules; `*` stands for any letters
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Findings")]
    pub rules: Vec<String>,

    /// Apply all rules except these
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Findings")]
    pub skip_rules: Vec<String>,

    /// Hide findings that are younger than this, such as 90s, 10m, 2h or 7d; findings with an imminent risk to data are
    /// always shown
    #[arg(long, value_name = "DURATION", value_parser = value::parse_duration, help_heading = "Findings")]
    pub min_age: Option<i64>,

    /// How to print the answer; with =FILE, it is written to that file. May be given several times, once without a file
    #[arg(short, long, value_name = "FORMAT[=FILE]", default_value = "table", hide_default_value = true,
        help_heading = "Output", action = ArgAction::Append,
        value_parser = FormatParser::<ReportFormat>::new().or_file())]
    pub output: Vec<Output<ReportFormat>>,

    /// The flags for printing a table.
    #[command(flatten)]
    pub table: TableArgs,

    /// The flags that select files as the source.
    #[command(flatten)]
    pub source: SourceArgs,

    /// The flags that select the Kubernetes to model.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// The arguments of `rules`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl rules                  All rules\n  \
        kubectl pvctl rules lost-pv-missing  One rule: cause, repair, hazard\n  \
        kubectl pvctl rules -o json")]
pub struct RulesArgs {
    /// The rule to explain; without an id, all rules are listed
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<RulesFormat>::new())]
    pub output: RulesFormat,
}

/// The arguments of `snapshot`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl snapshot -A > snapshot.json  All objects that decisions depend on\n  \
        kubectl pvctl explain pvc/data-0 -n db -f snapshot.json")]
pub struct SnapshotArgs {
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "json", help_heading = "Output",
        value_parser = FormatParser::<SnapshotFormat>::new())]
    pub output: SnapshotFormat,

    /// The flags that select files as the source.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// The arguments of `version`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl version\n  \
        kubectl pvctl version --client -o json")]
pub struct VersionArgs {
    /// Do not ask the cluster for its version
    #[arg(long)]
    pub client: bool,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<VersionFormat>::new())]
    pub output: VersionFormat,
}

/// Returns the definitions as clap's own type, for parsing, completions and man pages.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(with_exit_codes)
}

/// Adds a line with the exit codes to the help of a verb, if its definition does not list them.
fn with_exit_codes(verb: clap::Command) -> clap::Command {
    const LISTED: &str = "EXIT CODES";
    let codes = match verb.get_name() {
        "predict" => "0 done, 1 a change (with --exit-code), 2 wrong usage, 3 not read",
        "explain" | "match" | "shared" | "snapshot" | "version" => "0 done, 2 wrong usage, 3 not read",
        "rules" | "history" | "completion" => "0 done, 2 wrong usage",
        _ => "0 done, 1 not as predicted, 2 wrong usage, 3 not read, 4 changed, 5 partly done, 6 refused",
    };
    let said = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    if said.contains(LISTED) {
        return verb;
    }
    let all = "kubectl pvctl --help explains them";
    let begin = if said.is_empty() { String::new() } else { format!("{said}\n\n") };
    verb.after_help(format!("{begin}{LISTED}\n  {codes}\n  {all}"))
}

/// Parses a whole command line. The first argument is the name of the program.
///
/// # Errors
///
/// Returns the message of clap: a usage error, or the help or version that was requested.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    parse_for(arguments, None)
}

/// Parses a whole command line. Help is wrapped for that number of columns. In a narrow terminal the description of a
/// flag is below the flag.
///
/// # Errors
///
/// Returns the same errors as [`parse`].
pub fn parse_for(arguments: Vec<OsString>, columns: Option<usize>) -> Result<Cli, clap::Error> {
    let shown = shown_name(arguments.first().map(OsString::as_os_str));
    let is_narrow = columns.is_some_and(|columns| columns < NARROW);
    let mut command = command().bin_name(&shown).next_line_help(is_narrow);
    if is_narrow {
        command = command.mut_subcommands(|verb| verb.next_line_help(true));
    }
    let line = line::arranged(arguments);
    let parsed = command.try_get_matches_from_mut(&line);
    let mut matches = parsed.map_err(|error| line::with_what_to_type(error, &command, &line, &shown))?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Returns the name of the program in usage lines. If kubectl would find the executable as a plugin, the result is the
/// command that runs the plugin, usually `kubectl pvctl`. Otherwise it is the name of the executable (see the naming
/// guide of krew).
pub fn shown_name(program: Option<&OsStr>) -> String {
    let stem = program.and_then(|path| Path::new(path).file_stem()).and_then(OsStr::to_str).unwrap_or(BINARY);
    match stem.strip_prefix("kubectl-") {
        Some(plugin) => format!("kubectl {}", plugin.replace('_', "-")),
        None => stem.to_owned(),
    }
}
