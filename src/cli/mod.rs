//! The definitions of the command line. The code of the verbs is in `commands`.
//!
//! kubectl does not pass its own flags on to plugins and refuses flags before the plugin's name, so the flags of
//! `kubectl options` are defined here and accepted in any position after `pvctl`.

mod flags;
mod line;
mod object;
mod output;
mod repair;
mod request;
mod value;

pub use flags::{ClusterArgs, KubernetesArgs, ModelArgs, ScopeArgs, Secret, SourceArgs, TableArgs};
pub use line::{HELP, is_flag};
pub use object::{EXPLAINED, one_object, parse_objects};
pub use output::Output;
pub use repair::{
    ApplyArgs, DryRun, FixArgs, HistoryArgs, JournalArgs, MoveArgs, RebindArgs, RecipientArgs, ReclaimArgs,
    RecreateArgs, ReleaseArgs, RenameArgs, RepairArgs, RestoreArgs, RetainArgs, UnbindArgs, UndoArgs, UnfinalizeArgs,
};
pub use request::{SETTING_KEYS, setting_values};
pub use value::{ControllerFlag, FeatureGate, KindScope, SnapshotFormat, UserExtra, parse_reference};

use crate::model::DUMP;
use crate::report::audit::ReportFormat;
use crate::report::explanation::ExplanationFormat;
use crate::report::match_table::MatchFormat;
use crate::report::prediction::PredictionFormat;
use crate::report::rules::RulesFormat;
use crate::report::version::VersionFormat;
use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use value::FormatParser;

/// The name of the executable, by which kubectl finds the plugin.
pub const BINARY: &str = "kubectl-pvctl";

/// The width below which help has a description below its flag, and not beside it. The longest flag takes 50 columns.
const NARROW: usize = 80;

/// The name under which people call the plugin.
pub const PLUGIN: &str = "kubectl pvctl";

/// The whole command line.
#[derive(Clone, Debug, Parser)]
#[command(
    name = BINARY,
    bin_name = PLUGIN,
    version,
    about = "Predict, explain and repair PersistentVolumes and PersistentVolumeClaims",
    long_about = "Predict, explain and repair PersistentVolumes and PersistentVolumeClaims.\n\n\
        Volumes, claims and storage classes are read once, from a cluster or from files, and the logic of \
        kube-controller-manager runs on them in dry run. Only the verbs that repair write anything: each shows its \
        plan, asks once, and keeps a journal by which it can be taken back.",
    after_help = "EXAMPLES\n  \
        kubectl pvctl predict               What becomes of the volumes and claims here\n  \
        kubectl pvctl explain pvc/data-0    Why this claim is as it is, and what to do\n  \
        kubectl pvctl predict -f dump.json  The same for what kubectl get -o json printed\n  \
        kubectl pvctl restore pvc/data-0    A claim that lost its volume gets it back\n\n\
        EXIT CODES\n  \
        0    done\n  \
        1    audit found something, or a change is predicted and --exit-code was given\n  \
        2    wrong usage, or an object that does not exist\n  \
        3    something could not be read, so there is no judgement\n  \
        4    the world changed since the plan was made; nothing was written\n  \
        5    some of a plan was written, and some was not; the journal is named\n  \
        6    refused: a guard, missing rights, or nobody to confirm; nothing was written\n  \
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

    /// The verb; without one a short guide is printed.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The flags that every verb has.
#[derive(Clone, Debug, Default, Args)]
pub struct GlobalArgs {
    /// Which objects are shown.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Which cluster is asked, and as whom.
    #[command(flatten)]
    pub cluster: ClusterArgs,

    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, help_heading = "Display")]
    pub color: ColorWhen,

    /// Say more on stderr; from 6 on every request to the API server, with tokens hidden
    #[arg(short = 'v', long = "v", global = true, value_name = "N", default_value_t = 0, help_heading = "Display")]
    pub verbosity: u8,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless the environment asks otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb).
    #[default]
    Auto,
    /// Always, also into a pipe.
    Always,
    /// Never.
    Never,
}

/// What there is to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Verb {
    /// Find what is wrong, its root, and what to do
    ///
    /// Looks at every volume, claim and class with all rules, and shows each root with what follows from it. What is
    /// well is not shown: a claim that waits for its first pod is information at most. Exits with 1 when something is
    /// found that is as bad as --fail-on says.
    ///
    /// On a cluster, without -n or -A, it looks at the claims of the context's namespace and the volumes that belong
    /// to them; with -f at everything in the files.
    Audit(AuditArgs),
    /// Explain why an object is as it is, and what to do
    ///
    /// Shows the answer in the first line, then the decision with the fields that made it, the candidates of a claim,
    /// both sides of the binding, who uses it, and what happens next.
    Explain(ExplainArgs),
    /// Go through what is wrong, and repair it
    ///
    /// Shows the findings on an object and on what it is tied to, with the repairs that there are. One is chosen, its
    /// plan is shown, agreed to and carried out; then the objects are looked at again.
    ///
    /// With --yes only safe repairs are made: nothing is at risk, and every step can be taken back or does no harm when
    /// it is repeated. Everything else is listed and left alone.
    Fix(FixArgs),
    /// Predict what will become of volumes and claims
    ///
    /// Shows the phase and the binding that each will have when nothing moves any more, and why.
    ///
    /// On a cluster, without -n or -A, these are the claims of the context's namespace and the volumes that belong to
    /// them; with -f it is everything in the files.
    Predict(PredictArgs),
    /// Show which volumes fit a claim, and why the others do not
    ///
    /// Shows for each volume the first test that it fails and by how much, which volume would be chosen, and which are
    /// tied.
    Match(MatchArgs),
    /// List the rules of audit, or explain one
    ///
    /// Each page says what is seen, why it happens, how to confirm it by hand, how it is repaired and kept from
    /// happening again, and what can go wrong with the data.
    Rules(RulesArgs),
    /// Print what was read, with credentials removed, for use with -f
    ///
    /// It is a plain `v1` List that kubectl and every verb read back. Keep it as evidence, send it with a bug report,
    /// or work on it without the cluster.
    ///
    /// Annotations of the list say how complete the reading was, when it was, and which version of Kubernetes was read.
    /// kubectl ignores them. So a verb gives the same answer about the snapshot as about the cluster or the files that
    /// were read, and you need --now, --assume-complete and --partial only once.
    Snapshot(SnapshotArgs),
    /// Keep the data of a volume, whatever happens to its claim
    ///
    /// Sets the reclaim policy to Retain, which stops deletions that have not begun.
    Retain(RetainArgs),
    /// Offer a Released volume again, to its last claim's name alone unless told otherwise
    ///
    /// The volume becomes Available, with its data, and waits for a claim of that name.
    Release(ReleaseArgs),
    /// Roll back a binding that was never finished
    ///
    /// As the controller's own unbinding does. Where a live claim holds the volume it refuses, and names what helps.
    Unbind(UnbindArgs),
    /// Have the data of a volume deleted by whoever deletes them
    ///
    /// Says who carries out the reclaim policy, and sets that going. It touches no storage itself.
    Reclaim(ReclaimArgs),
    /// Replace a claim that never bound by a right one
    ///
    /// For a wrong class, size, mode or name. Not while a provisioner may be making a volume for it.
    Recreate(RecreateArgs),
    /// Give a claim that is Lost, or was deleted, exactly its volume back
    ///
    /// The volume is kept and reserved first; then a claim is made that names it.
    Restore(RestoreArgs),
    /// Give a claim another volume
    ///
    /// The claim is replaced by one that names the other volume. Its old volume is kept with its data.
    Rebind(RebindArgs),
    /// Give the volume of a claim to a claim in another namespace
    ///
    /// The data stay where they are, and the volume changes hands: kept, released, reserved, and claimed anew.
    Move(MoveArgs),
    /// Give a claim another name
    ///
    /// As `move` in the same namespace: the volume and its data stay, the claim is replaced.
    Rename(RenameArgs),
    /// Take one finalizer from a volume or claim that is stuck in its deletion
    ///
    /// Lists who should have removed it, and asks for the name. The API cannot prove that an owner is gone.
    Unfinalize(UnfinalizeArgs),
    /// Carry out a plan from a file, or go on with a repair that stopped
    ///
    /// The plan is made anew on the world as it is now. Where that gives another one, nothing is written.
    Apply(ApplyArgs),
    /// Take a repair back, newest step first
    ///
    /// From its journal. What cannot be taken back is said before anything is written.
    Undo(UndoArgs),
    /// List the repairs that were made from here, or the steps of one
    ///
    /// From the journals on this machine; no cluster is asked.
    History(HistoryArgs),
    /// Print the versions of pvctl, of the Kubernetes that is modelled, and of the cluster's
    Version(VersionArgs),
    /// Print the completion script of a shell
    ///
    /// The script completes the command `kubectl-pvctl`.
    ///
    /// `kubectl pvctl <TAB>` is completed by kubectl itself: put the two-line script `kubectl_complete-pvctl` from the
    /// completions folder on your PATH. It completes names of objects from the cluster as well.
    Completion(CompletionArgs),
}

/// `predict`.
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("EXAMPLES\n  \
        kubectl pvctl predict -A                    Every volume and claim of the cluster\n  \
        kubectl pvctl predict -n db --changed       Only what will change in a namespace\n  \
        kubectl pvctl predict -A --stuck            Only what has a problem, and its cause\n  \
        kubectl pvctl predict pvc/data-0 pv/data    These two\n  \
        kubectl pvctl predict -n db --pods          Where the scheduler leads pods and their claims\n  \
        kubectl pvctl predict -f dump.json -o json  A file, with all decisions as data\n  \
        {DUMP} | kubectl pvctl predict -f -"))]
pub struct PredictArgs {
    /// The objects to predict, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// Show only what will change
    #[arg(long, help_heading = "Output")]
    pub changed: bool,

    /// Show only objects with a problem that a person has to look at, and the cause; reads what `audit` reads
    #[arg(long, help_heading = "Output")]
    pub stuck: bool,

    /// Add the diagnosis that `explain` makes to each object of -o json and yaml; reads what `audit` reads
    #[arg(long, help_heading = "Output")]
    pub diagnosis: bool,

    /// Show also the pods that use claims: the node of each, or why it gets none; the scheduler takes part then
    #[arg(long, help_heading = "Output")]
    pub pods: bool,

    /// Who acts besides the controllers: scheduler, `*` for all, or none; reads all pods and nodes
    #[arg(long, value_delimiter = ',', value_name = "LIST", help_heading = "Model")]
    pub actors: Vec<String>,

    /// Exit with 1 when a change is predicted
    #[arg(long, help_heading = "Output")]
    pub exit_code: bool,

    /// Add the tests made on the way: the field, the two values, the result
    #[arg(long, help_heading = "Output")]
    pub trace: bool,

    /// Ask the clusters of these kubeconfig contexts, or of `all`: a section for each, and a summary
    #[arg(long, value_name = "NAME,…|all", value_delimiter = ',', conflicts_with = "filenames", help_heading = "Source",
        value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub contexts: Vec<String>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<PredictionFormat>::new())]
    pub output: PredictionFormat,

    /// How a table is printed.
    #[command(flatten)]
    pub table: TableArgs,

    /// Where objects are read from.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Which Kubernetes is modelled.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `explain`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl explain pod/db-0 -n db    Why does this pod hang\n  \
        kubectl pvctl explain sts/db -n db      Which of its pods hang, and why\n  \
        kubectl pvctl explain pods -l app=web   The same for each pod with this label\n  \
        kubectl pvctl explain pvc/data-0 -n db  Why is this claim still Pending\n  \
        kubectl pvctl explain pv data           Why is this volume Released\n  \
        kubectl pvctl explain sc/standard       What this class does to its claims\n  \
        kubectl pvctl explain pv/data --recheck  Whether the controller acts on it\n  \
        kubectl pvctl explain pvc/data-0 -f dump.json -o json")]
pub struct ExplainArgs {
    /// The objects, as kubectl names them: pod/NAME, pvc/NAME, sts/NAME, `pods NAME NAME`, or a type alone for all in
    /// scope
    #[arg(value_name = "OBJECT", required = true)]
    pub object: Vec<String>,

    /// Where the object differs from what is predicted, read it again after two resync periods (about 30 s): whether
    /// the controller acts. Not with -f
    #[arg(long)]
    pub recheck: bool,

    /// Add the tests made on the way: the field, the two values, the result
    #[arg(long, help_heading = "Output")]
    pub trace: bool,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<ExplanationFormat>::new())]
    pub output: ExplanationFormat,

    /// Where objects are read from.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Which Kubernetes is modelled.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `match`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl match pvc/data-0 -n db      For a claim that exists\n  \
        kubectl pvctl match pvc/data-0 --node n1  What the scheduler does on a node\n  \
        kubectl pvctl match --claim claim.yaml    For a claim that is only planned\n  \
        kubectl pvctl match --claim claim.yaml -f dump.json")]
pub struct MatchArgs {
    /// The claim, as kubectl names it: pvc/NAME or `pvc NAME`
    #[arg(value_name = "pvc/NAME", required_unless_present = "claim", conflicts_with = "claim")]
    pub object: Vec<String>,

    /// A file with the claim that is planned; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub claim: Option<PathBuf>,

    /// Search as kube-scheduler does for a pod on this node that uses only this claim (plugin `VolumeBinding`; other
    /// plugins are not asked)
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "table", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<MatchFormat>::new())]
    pub output: MatchFormat,

    /// How a table is printed.
    #[command(flatten)]
    pub table: TableArgs,

    /// Where objects are read from.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Which Kubernetes is modelled.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `audit`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl audit -A                              What is wrong in the cluster\n  \
        kubectl pvctl audit -n db --all                     Also what follows from it\n  \
        kubectl pvctl audit -f dump.json -o json            A file, with evidence and ways out as data\n  \
        kubectl pvctl audit -A --fail-on warning            Exit with 1 on warnings, too\n  \
        kubectl pvctl audit -A -o table -o sarif=out.sarif  A table, and a file for a code scanner\n  \
        kubectl pvctl audit -A --skip-rules 'pv-recycle-*'  Without these rules\n\n\
        EXIT CODES\n  \
        0    nothing that --fail-on names; also with --exit-zero, whatever is found\n  \
        1    something that --fail-on names: errors, unless told otherwise\n  \
        2    wrong usage\n  \
        3    volumes, claims or classes could not be read, or a rule could not be judged without them (with \
             --fail-on unknown: without whatever it needs); goes before 1")]
pub struct AuditArgs {
    /// The objects to look at, as kubectl names them: pvc/NAME, `pvc NAME NAME`, pv; all in scope if none is given
    #[arg(value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// Show every finding, also those that follow from another one
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Exit with 1 when something is found that is at least as bad, or by one of these rules alone (`*` stands for any
    /// letters); `unknown` exits with 3 when a rule could not be judged, and with 1 on errors
    #[arg(
        long,
        value_name = "SEVERITY|unknown|ID,…",
        value_delimiter = ',',
        default_value = "error",
        help_heading = "Findings"
    )]
    pub fail_on: Vec<String>,

    /// Exit with 0 whatever is found
    #[arg(long, help_heading = "Findings")]
    pub exit_zero: bool,

    /// Show only what the report in this file does not have: what an earlier run printed with -o json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Findings")]
    pub baseline: Option<PathBuf>,

    /// The file with what is known and kept back; .pvctl.yaml in the working directory, if there is one. Objects say it
    /// of themselves by the annotation pvctl.dev/ignore: RULE=REASON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Findings")]
    pub suppressions: Option<PathBuf>,

    /// Look with these rules alone; `*` stands for any letters
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Findings")]
    pub rules: Vec<String>,

    /// Look with all rules but these
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Findings")]
    pub skip_rules: Vec<String>,

    /// Leave out problems that are younger than this, such as 90s, 10m, 2h or 7d; data at imminent risk are always
    /// shown
    #[arg(long, value_name = "DURATION", value_parser = value::parse_duration, help_heading = "Findings")]
    pub min_age: Option<i64>,

    /// How to print the answer; with =FILE into that file instead. May be given several times, once without a file
    #[arg(short, long, value_name = "FORMAT[=FILE]", default_value = "table", hide_default_value = true,
        help_heading = "Output", action = ArgAction::Append,
        value_parser = FormatParser::<ReportFormat>::new().or_file())]
    pub output: Vec<Output<ReportFormat>>,

    /// How a table is printed.
    #[command(flatten)]
    pub table: TableArgs,

    /// Where objects are read from.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Which Kubernetes is modelled.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `rules`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl rules                  All rules\n  \
        kubectl pvctl rules lost-pv-missing  One of them: cause, repair, hazard\n  \
        kubectl pvctl rules -o json")]
pub struct RulesArgs {
    /// The rule to explain; without one all are listed
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// How to print the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_default_value = true, help_heading = "Output",
        value_parser = FormatParser::<RulesFormat>::new())]
    pub output: RulesFormat,
}

/// `snapshot`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl snapshot -A > snapshot.json  Everything that decisions read\n  \
        kubectl pvctl explain pvc/data-0 -n db -f snapshot.json")]
pub struct SnapshotArgs {
    /// How to print it
    #[arg(short, long, value_name = "FORMAT", default_value = "json", help_heading = "Output",
        value_parser = FormatParser::<SnapshotFormat>::new())]
    pub output: SnapshotFormat,

    /// Where objects are read from.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `version`.
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

/// `completion`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl completion bash > ~/.local/share/bash-completion/completions/kubectl-pvctl\n  \
        kubectl pvctl completion zsh > \"${fpath[1]}/_kubectl-pvctl\"\n  \
        kubectl pvctl completion fish > ~/.config/fish/completions/kubectl-pvctl.fish")]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The shells for which there are completion scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    PowerShell,
    /// Elvish.
    Elvish,
    /// Nushell.
    Nushell,
}

/// Returns the definitions as clap's own type, for parsing, completions and man pages.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(with_exit_codes)
}

/// Adds a line with the exit codes of the verb to its help, if the definition does not list them.
fn with_exit_codes(verb: clap::Command) -> clap::Command {
    const LISTED: &str = "EXIT CODES";
    let codes = match verb.get_name() {
        "predict" => "0 done, 1 a change (with --exit-code), 2 wrong usage, 3 not read",
        "explain" | "match" | "snapshot" | "version" => "0 done, 2 wrong usage, 3 not read",
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
/// Returns the message of clap: a usage error, or the help that was requested.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    parse_for(arguments, None)
}

/// Parses a whole command line, for help in that number of columns. In a narrow terminal the description of a flag is
/// below the flag.
///
/// # Errors
///
/// The errors are those of [`parse`].
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

/// Returns the name of the program in usage lines. It is `kubectl pvctl` if kubectl would find the executable as a
/// plugin, otherwise the name of the executable (see the naming guide of krew).
pub fn shown_name(program: Option<&OsStr>) -> String {
    let stem = program.and_then(|path| Path::new(path).file_stem()).and_then(OsStr::to_str).unwrap_or(BINARY);
    match stem.strip_prefix("kubectl-") {
        Some(plugin) => format!("kubectl {}", plugin.replace('_', "-")),
        None => stem.to_owned(),
    }
}
