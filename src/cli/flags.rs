//! The flags that several verbs share.

use super::value::{self, ControllerFlag, FeatureGate, KindScope, UserExtra, parse_reference};
use crate::controllers::KubeVersion;
use crate::error::Error;
use crate::model::{ObjectKey, Timestamp};
use crate::report::shared::table::{TableStyle, TableView};
use crate::simulate::Limit;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueHint};
use std::path::PathBuf;

/// The flags that select the objects to show. What is read does not depend on these flags.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Scope")]
pub struct ScopeArgs {
    /// Show the objects of this namespace, and the volumes that belong to its claims
    #[arg(short, long, global = true, value_name = "NAMESPACE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub namespace: Option<String>,

    /// Show the objects of all namespaces
    #[arg(short = 'A', long, global = true)]
    pub all_namespaces: bool,

    /// Show the objects whose labels match, for example `app=db,tier!=cache`
    #[arg(short = 'l', long, global = true, value_name = "SELECTOR")]
    pub selector: Option<String>,
}

/// The flags that select the cluster and the user. They are kubectl's own flags.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Cluster (as for kubectl)")]
pub struct ClusterArgs {
    /// The kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = ValueHint::FilePath,
        value_parser = path())]
    pub kubeconfig: Option<PathBuf>,

    /// The kubeconfig context to use
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub context: Option<String>,

    /// The kubeconfig cluster to use
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub cluster: Option<String>,

    /// The kubeconfig user to use
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub user: Option<String>,

    /// The address of the API server
    #[arg(short, long, global = true, hide_short_help = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub server: Option<String>,

    /// The bearer token to authenticate with
    #[arg(long, global = true, hide_short_help = true, value_name = "TOKEN")]
    pub token: Option<Secret>,

    /// The user name for basic authentication
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub username: Option<String>,

    /// The password of --username
    #[arg(long, global = true, hide_short_help = true, value_name = "PASSWORD")]
    pub password: Option<Secret>,

    /// The user to act as
    #[arg(long = "as", global = true, hide_short_help = true, value_name = "USER")]
    pub as_user: Option<String>,

    /// A group to act as; may be given several times
    #[arg(long, global = true, hide_short_help = true, value_name = "GROUP", action = ArgAction::Append)]
    pub as_group: Vec<String>,

    /// The uid to act as
    #[arg(long, global = true, hide_short_help = true, value_name = "UID")]
    pub as_uid: Option<String>,

    /// An extra property of the user to act as; may be given several times, also with the same key
    #[arg(long, global = true, hide_short_help = true, value_name = "KEY=VALUE", action = ArgAction::Append,
        value_parser = UserExtra::parse)]
    pub as_user_extra: Vec<UserExtra>,

    /// How long one request may take, for example 30s or 2m; 0 means no limit
    #[arg(long, global = true, hide_short_help = true, value_name = "DURATION")]
    pub request_timeout: Option<String>,

    /// The file with the certificates of the authorities that sign the API server's certificate
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = ValueHint::FilePath,
        value_parser = path())]
    pub certificate_authority: Option<PathBuf>,

    /// The file with the client certificate for TLS
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = ValueHint::FilePath,
        value_parser = path())]
    pub client_certificate: Option<PathBuf>,

    /// The file with the client key for TLS
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = ValueHint::FilePath,
        value_parser = path())]
    pub client_key: Option<PathBuf>,

    /// Do not check the API server's certificate; the connection is then not secure
    #[arg(long, global = true, hide_short_help = true, num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_name = "BOOL", action = ArgAction::Set,
        value_parser = boolean())]
    pub insecure_skip_tls_verify: Option<bool>,

    /// The name to expect in the API server's certificate
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub tls_server_name: Option<String>,

    /// Do not ask the API server for compressed answers
    #[arg(long, global = true, hide_short_help = true, num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_name = "BOOL", action = ArgAction::Set,
        value_parser = boolean())]
    pub disable_compression: Option<bool>,

    /// Accepted because kubectl has it; nothing is cached, every run reads all objects again
    #[arg(long, global = true, hide_short_help = true, value_name = "DIRECTORY", value_hint = ValueHint::DirPath,
        value_parser = path())]
    pub cache_dir: Option<PathBuf>,

    /// Accepted because kubectl has it; every message is written immediately
    #[arg(long, global = true, hide = true, value_name = "DURATION")]
    pub log_flush_frequency: Option<String>,

    /// How many objects to ask for at a time; 0 asks for all at once
    #[arg(long, global = true, hide_short_help = true, value_name = "N")]
    pub chunk_size: Option<u32>,
}

/// Parses a path that may be empty. For kubectl, an empty path means no path. The parser of clap for `PathBuf` would
/// refuse an empty path.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Parses a boolean with the values of Go's `strconv.ParseBool`.
fn boolean() -> impl TypedValueParser<Value = bool> {
    let yes = PossibleValue::new("true").aliases(["1", "t", "T", "TRUE", "True"]);
    let no = PossibleValue::new("false").aliases(["0", "f", "F", "FALSE", "False"]);
    PossibleValuesParser::new([yes.clone(), no]).map(move |word: String| yes.matches(&word, false))
}

/// A value that must not be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Returns the value in clear text, for a request.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}

/// The flags that select files as the source, and flags about reading.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Source")]
pub struct SourceArgs {
    /// Read this file or directory instead of a cluster; `-` is stdin. May be given several times
    #[arg(short = 'f', long = "filename", value_name = "PATH", action = ArgAction::Append, value_hint = ValueHint::AnyPath)]
    pub filenames: Vec<PathBuf>,

    /// Also read the subdirectories of the directories
    #[arg(short = 'R', long, requires = "filenames")]
    pub recursive: bool,

    /// The files hold all objects of these kinds; without a value: all volumes, claims, classes, pods and nodes
    #[arg(long, requires = "filenames", num_args = 0.., require_equals = true, value_delimiter = ',',
        value_name = "KIND[/NS],…", value_parser = KindScope::parse)]
    pub assume_complete: Option<Vec<KindScope>>,

    /// The files do not hold all objects of these kinds; whatever depends on a missing object is then unknown
    #[arg(long, requires = "filenames", value_delimiter = ',', value_name = "KIND[/NS],…", value_parser = KindScope::parse)]
    pub partial: Vec<KindScope>,

    /// The present time, from which ages are computed, in RFC 3339; the default for files is the newest time in them
    #[arg(long, value_name = "TIME", value_parser = value::parse_time)]
    pub now: Option<Timestamp>,

    /// Stop at the first object that cannot be decoded, instead of continuing without it
    #[arg(long)]
    pub strict: bool,
}

/// The flags that select the version and settings of Kubernetes to model.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub struct KubernetesArgs {
    /// The Kubernetes minor version to model.
    #[arg(
        long,
        value_name = "1.N",
        hide_possible_values = true,
        value_parser = value::KubeVersionParser,
        help = value::kube_version_help()
    )]
    pub kube_version: Option<KubeVersion>,

    /// Feature gates that differ from the defaults of the version
    #[arg(long, value_delimiter = ',', value_name = "NAME=BOOL,…", value_parser = FeatureGate::parse)]
    pub feature_gates: Vec<FeatureGate>,

    /// A flag of kube-controller-manager, for example enable-dynamic-provisioning=false. May be given several times
    #[arg(long = "controller-flag", value_name = "FLAG=VALUE", action = ArgAction::Append, value_parser = ControllerFlag::parse)]
    pub controller_flags: Vec<ControllerFlag>,
}

/// The flag that selects the actors.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub struct ActorArgs {
    /// Who acts besides the controllers: scheduler, drivers, recycler, attacher (with predict --attachments), `*` for
    /// all, or none. If somebody acts, all pods and nodes are read. Without this flag, the scheduler acts only if files
    /// have a waiting pod and everything that the scheduler reads
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub actors: Vec<String>,
}

/// The flags that select the Kubernetes to model, and what is assumed about its state.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The version and settings of Kubernetes.
    #[command(flatten)]
    pub kubernetes: KubernetesArgs,

    /// The controllers that run, in the syntax of kube-controller-manager: `*`, NAME, -NAME
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_name = "LIST")]
    pub controllers: Vec<String>,

    /// An object that the controller does not have in its cache yet, for example pvc/db/data-0. May be given several
    /// times
    #[arg(long, value_name = "TYPE/[NS/]NAME", action = ArgAction::Append, value_parser = parse_reference)]
    pub unseen: Vec<ObjectKey>,

    /// A file with older versions of volumes and claims. The controller still has these versions in its cache. If the
    /// object does not exist any more, the controller has not handled its deletion yet. May be given several times
    #[arg(long, value_name = "PATH", action = ArgAction::Append, value_hint = ValueHint::AnyPath)]
    pub stale: Vec<PathBuf>,

    /// An operation of the controller that is still running, for example delete-pv-1. May be given several times
    #[arg(long, value_name = "OPERATION", action = ArgAction::Append)]
    pub running: Vec<String>,

    /// An operation of the controller that failed and is in backoff before the next try, for example
    /// provision-db/data-0. May be given several times
    #[arg(long, value_name = "OPERATION", action = ArgAction::Append)]
    pub backoff: Vec<String>,

    /// Also predict what happens if requests fail, the controller crashes inside a sync, or its caches lag
    #[arg(long)]
    pub failures: bool,

    /// How many decisions to list for each object; the rest of the answer does not depend on this number
    #[arg(long, value_name = "N|all", default_value_t, value_parser = value::parse_limit)]
    pub decisions: Limit,

    /// How many outcomes to list for each object; the rest of the answer does not depend on this number
    #[arg(long, value_name = "N|all", default_value_t, value_parser = value::parse_limit)]
    pub outcomes: Limit,

    /// How many states to explore for each component; for a larger component, the answer gives only bounds
    #[arg(long, hide = true, value_name = "STATES")]
    pub budget: Option<usize>,
}

/// The flags for printing a table.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct TableArgs {
    /// Do not print the line with the names of the columns
    #[arg(long)]
    pub no_headers: bool,

    /// Sort by this column, for example NAME or AGE
    #[arg(long, value_name = "COLUMN")]
    pub sort_by: Option<String>,
}

impl TableArgs {
    /// Checks that the table has the column of `--sort-by`.
    ///
    /// # Errors
    /// Returns a usage error if the table has no such column.
    pub fn check(&self, columns: &[&'static str]) -> Result<(), Error> {
        match &self.sort_by {
            Some(wanted) if !columns.iter().any(|column| column.eq_ignore_ascii_case(wanted)) => {
                Err(Error::usage(format!("--sort-by: there is no column {wanted:?}"))
                    .hint(format!("the columns are {}", columns.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// Returns the settings for a table in a terminal with `width` columns: the sort order and the layout.
    pub fn view(&self, width: Option<usize>) -> TableView<'_> {
        let style = TableStyle { width, headers: !self.no_headers };
        TableView { sort_by: self.sort_by.as_deref(), style }
    }
}
