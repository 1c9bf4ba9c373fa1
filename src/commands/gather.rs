//! What every verb begins with: read, put in order, and settle which Kubernetes is modelled.

use super::connect;
use super::settings::Modelled;
use crate::cli::{GlobalArgs, KindScope, ModelArgs, SourceArgs};
use crate::controllers::KubeVersion;
use crate::error::Error;
use crate::model::{Kind, Str, Timestamp};
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue, Parts, Snapshot};
use crate::source::{Cluster, FileOptions, Loaded, Needs, Scope, SourceError, files};
use crate::terminal::Terminal;

/// What was read, and how it is to be judged.
#[derive(Debug)]
pub(super) struct Gathered {
    /// The objects.
    pub(super) snapshot: Snapshot,
    /// Version, gates, flags, controllers.
    pub(super) modelled: Modelled,
    /// The namespace that is shown; all of them without one.
    pub(super) namespace: Option<String>,
    /// The namespace in which names are looked up first.
    pub(super) default_namespace: Option<String>,
    /// On how many threads to work.
    pub(super) threads: usize,
    /// What people should know about the reading, a sentence each.
    pub(super) notes: Vec<String>,
    /// When a cluster was read, by the server's clock; none for files.
    pub(super) read_at: Option<Timestamp>,
    from_files: bool,
}

/// What is asked of a source: the flags, and for `explain` the claim or volume of which is asked who uses it and when
/// it was written last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub(super) source: &'a SourceArgs,
    pub(super) model: &'a ModelArgs,
    pub(super) global: &'a GlobalArgs,
    pub(super) object: Option<(Kind, &'a str)>,
    /// Whether pods decide anything in the answer.
    pub(super) pods_decide: bool,
    /// What is looked at beyond what decisions ask for.
    pub(super) evidence: Evidence<'a>,
}

/// What is read beyond what decisions ask for, because findings rest on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence<'a> {
    /// Whether nodes are looked at.
    pub(super) nodes: bool,
    /// Whether the pods of all namespaces that are shown are looked at.
    pub(super) pods: bool,
    /// More namespaces whose pods are looked at.
    pub(super) pods_in: &'a [Str],
    /// Whether the pods are that may erase a volume.
    pub(super) recyclers: bool,
    /// Whether the Lease of kube-controller-manager is.
    pub(super) lease: bool,
    /// The kinds of [`Kind::SURROUNDING`] that are.
    pub(super) surroundings: &'a [Kind],
}

/// Reads from files or from a cluster.
///
/// # Errors
/// What cannot be read, or what a flag lacks.
pub(super) fn gather(question: Question<'_>, terminal: &Terminal) -> Result<Gathered, Error> {
    question.check()?;
    if question.source.filenames.is_empty() {
        let read = async |cluster: Cluster<'_>| gather_on(&cluster, question, terminal).await;
        return connect::with_cluster(question.global, terminal, read);
    }
    gather_files(question, terminal)
}

/// Reads from files.
///
/// # Errors
/// As [`gather`].
pub(super) fn gather_files(question: Question<'_>, terminal: &Terminal) -> Result<Gathered, Error> {
    let mut notes = Vec::new();
    let (parts, stated) = from_paths(question, terminal, &mut notes)?;
    question.put_in_order(parts, stated, None, notes)
}

/// Reads from a cluster that is there already.
///
/// # Errors
/// As [`gather`].
pub(super) async fn gather_on(
    cluster: &Cluster<'_>,
    question: Question<'_>,
    terminal: &Terminal,
) -> Result<Gathered, Error> {
    let Question { source, model, object, .. } = question;
    let asked = Modelled::new(model, None)?.rules;
    let detected =
        if model.kubernetes.kube_version.is_some() { None } else { Some(cluster.server_version().await?.minor) };
    let needs = Needs {
        host_path_provisioning: asked.hostpath_provisioning,
        unused_condition: asked.unused_condition,
        users_of: object.map(|(kind, name)| (kind, cluster.namespace(), name)),
        nodes: question.evidence.nodes,
        surroundings: question.evidence.surroundings,
        pods_of: question
            .evidence
            .pods
            .then(|| if question.global.scope.all_namespaces { None } else { Some(cluster.namespace()) }),
        pods_in: question.evidence.pods_in,
        recyclers: question.evidence.recyclers,
        everything: false,
    };
    let mut parts = cluster.read(needs, &*terminal.progress()).await?;
    if question.evidence.lease {
        parts.objects.leases.extend(cluster.controller_lease().await.map(|(lease, _)| lease));
    }
    let read_at = parts.now;
    parts.now = source.now.or(parts.now);
    let namespace = cluster.namespace().to_owned();
    Ok(Gathered { read_at, ..question.put_in_order(parts, detected, Some(namespace), Vec::new())? })
}

impl Question<'_> {
    /// Whether the flags can be used: that is said before anything is read.
    ///
    /// # Errors
    /// A usage error that names the flag.
    pub(super) fn check(self) -> Result<(), Error> {
        Modelled::new(self.model, None).map(drop)
    }

    fn put_in_order(
        self,
        parts: Parts,
        detected: Option<u32>,
        context_namespace: Option<String>,
        mut notes: Vec<String>,
    ) -> Result<Gathered, Error> {
        let Question { source, model, global, .. } = self;
        if source.strict
            && let Some(issue) = parts.issues.first()
        {
            return Err(Error::unreadable(issue_sentence(issue)).hint("without --strict the other objects are judged"));
        }
        let from_files = !source.filenames.is_empty();
        let mut modelled = Modelled::new(model, detected)?;
        if from_files && modelled.source == "detected" {
            modelled.source = "stated";
        }
        let snapshot = Snapshot::new(parts);
        let given = global.scope.namespace.clone();
        let default_namespace = given.clone().or(context_namespace);
        let namespace = match (global.scope.all_namespaces, from_files) {
            (true, _) => None,
            (false, true) => given,
            (false, false) => default_namespace.clone(),
        };
        // Pods decide about claims of their own namespace; those that use a volume may be in any.
        let pods_of = match self.object {
            Some((Kind::PersistentVolume, _)) => None,
            _ => namespace.as_deref(),
        };
        let matters = |entry: &CoverageEntry| match entry.kind {
            Kind::Pod => {
                self.pods_decide && entry.namespace.as_deref().zip(pods_of).is_none_or(|(of, shown)| of == shown)
            }
            // A snapshot may lack nodes because few people may list them; they decide host-path provisioning alone.
            Kind::Node => self.evidence.nodes || modelled.rules.hostpath_provisioning,
            // Whoever judges without them says what could not be judged.
            surrounding => !surrounding.is_surrounding(),
        };
        warn_of_lists(&snapshot, matters, &mut notes);
        remark(&snapshot, &modelled, detected, &mut notes);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Gathered { snapshot, modelled, namespace, default_namespace, threads, notes, read_at: None, from_files })
    }
}

/// The flags as the source of files wants them.
pub(super) fn file_options(source: &SourceArgs) -> FileOptions {
    let scope = |scope: &KindScope| Scope { kind: scope.kind, namespace: scope.namespace.clone() };
    FileOptions {
        paths: source.filenames.clone(),
        recursive: source.recursive,
        assume_complete: source.assume_complete.as_ref().map(|scopes| scopes.iter().map(scope).collect()),
        partial: source.partial.iter().map(scope).collect(),
        now: source.now,
        strict: source.strict,
        surroundings: false,
        last_change_of: None,
    }
}

/// An input that could not be read, as the edge says it.
pub(super) fn unreadable(error: &SourceError) -> Error {
    let shown = Error::unreadable(error.message());
    match error.hint() {
        Some(hint) => shown.hint(hint),
        None => shown,
    }
}

/// The objects of files, and the Kubernetes minor of the cluster that a snapshot among them says it is of.
fn from_paths(
    question: Question<'_>,
    terminal: &Terminal,
    notes: &mut Vec<String>,
) -> Result<(Parts, Option<u32>), Error> {
    terminal.progress().step("reading", 0);
    let last_change_of = question.object.map(|(kind, name)| (kind, name.to_owned()));
    let surroundings = !question.evidence.surroundings.is_empty();
    let options = FileOptions { surroundings, last_change_of, ..file_options(question.source) };
    let Loaded { parts, report, kubernetes } = files::read(&options).map_err(|error| unreadable(&error))?;
    // Snapshots hold what some verb may ask for: that this one does not is nothing to speak of.
    let is_strange = |kind: &str| Kind::from_manifest(kind).is_none_or(|known| !known.is_surrounding());
    let strange = report.skipped.iter().filter(|(kind, _)| is_strange(kind));
    let kinds: Vec<String> = strange.map(|(kind, count)| format!("{count} {kind}")).collect();
    if !kinds.is_empty() {
        notes.push(format!("note: objects of kinds that decide nothing were passed over: {}", kinds.join(", ")));
    }
    Ok((parts, kubernetes))
}

/// The most namespaces that a warning names.
const NAMED: usize = 5;

/// Which of the lists that matter lack something: one sentence for all namespaces in which it is the same.
fn warn_of_lists(snapshot: &Snapshot, matters: impl Fn(&CoverageEntry) -> bool, notes: &mut Vec<String>) {
    let mut lacking: Vec<(&CoverageEntry, &str, Vec<&str>)> = Vec::new();
    for entry in snapshot.coverage().entries().iter().filter(|entry| matters(entry)) {
        let wrong = match entry.state {
            CoverageState::Complete | CoverageState::NotNeeded | CoverageState::Assumed => continue,
            CoverageState::Partial => "are not complete",
            CoverageState::Forbidden => "may not be listed",
            CoverageState::NotServed => "are not served by this cluster",
            CoverageState::Failed => "could not be read",
        };
        let namespace = entry.namespace.as_deref();
        let same = lacking.iter_mut().find(|(first, ..)| {
            (first.kind, first.state) == (entry.kind, entry.state)
                && first.namespace.is_some()
                && namespace.is_some()
                && without_namespace(first) == without_namespace(entry)
        });
        match same {
            Some((.., namespaces)) => namespaces.extend(namespace),
            None => lacking.push((entry, wrong, namespace.into_iter().collect())),
        }
    }
    for (entry, wrong, namespaces) in lacking {
        let place = match namespaces.as_slice() {
            [] => String::new(),
            [one] => format!(" of namespace {one}"),
            several if several.len() <= NAMED => format!(" of namespaces {}", several.join(", ")),
            several => {
                format!(" of namespaces {} and {} more", several[..NAMED].join(", "), several.len() - NAMED)
            }
        };
        let reason = entry.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let resource = entry.kind.resource();
        notes.push(format!("warning: {resource}{place} {wrong}{reason}; what rests on them is unknown"));
    }
}

/// The reason of a reading but for the name of its namespace, which API servers put into theirs.
fn without_namespace(entry: &CoverageEntry) -> Option<String> {
    let namespace = entry.namespace.as_deref().unwrap_or_default();
    entry.reason.as_ref().map(|reason| reason.replace(&format!("\"{namespace}\""), ""))
}

/// What else the reading lacks, and what is modelled, in sentences.
fn remark(snapshot: &Snapshot, modelled: &Modelled, detected: Option<u32>, notes: &mut Vec<String>) {
    for issue in snapshot.issues() {
        notes.push(format!("warning: {}; it is left out, and what rests on it is unknown", issue_sentence(issue)));
    }
    for key in snapshot.duplicates() {
        notes.push(format!("note: {key} was read more than once; the newest version counts"));
    }
    let document = modelled.document();
    if !document.verified {
        notes.push(format!(
            "note: Kubernetes {} with these settings is modelled, and no suite of the real controller's answers \
             judges that",
            document.kubernetes
        ));
    }
    if modelled.failures {
        notes.push(
            "note: outcomes also count refused requests, crashes inside a sync and caches that lag (--failures)".into(),
        );
    }
    // Whoever gives a version knows which one.
    let is_another = |minor: &u32| KubeVersion::modelled(*minor) != Some(modelled.rules.version);
    if let Some(minor) = detected.filter(|minor| modelled.source != "given" && is_another(minor)) {
        let what = if modelled.source == "stated" { "snapshot is of" } else { "server is" };
        notes.push(format!(
            "note: the {what} Kubernetes 1.{minor}; the nearest version that is modelled is {}",
            document.kubernetes
        ));
    }
}

/// One sentence about an object that could not be decoded.
pub(super) fn issue_sentence(issue: &DecodeIssue) -> String {
    let kind = if issue.kind.is_empty() { "an object" } else { &issue.kind };
    let place = if issue.namespace.is_empty() { String::new() } else { format!("{}/", issue.namespace) };
    let name = if issue.name.is_empty() { String::new() } else { format!(" {place}{}", issue.name) };
    let value = if issue.value.is_empty() { String::new() } else { format!(" {}", issue.value) };
    let field = if issue.field.is_empty() { String::new() } else { format!("{}{value}: ", issue.field) };
    format!("{}: {kind}{name} cannot be decoded: {field}{}", issue.origin, issue.reason)
}

/// Whether what is unknown for want of that read makes the exit code say that nothing can be judged. Where pods or
/// nodes alone are hidden, the answer says what is unknown, and the code is that of an answer.
pub(super) fn keeps_from_judging(kind: Kind) -> bool {
    matches!(kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim | Kind::StorageClass)
}

impl Gathered {
    /// The namespace in which a claim without one is looked up: none with files, where a unique name suffices.
    pub(super) fn named_namespace(&self) -> Option<&str> {
        if self.from_files { self.namespace.as_deref() } else { self.default_namespace.as_deref() }
    }

    /// What to say where there is nothing to show.
    pub(super) fn nothing_found(&self, changed_only: bool) -> String {
        let place = self.namespace.as_ref().map_or_else(String::new, |namespace| format!(" in namespace {namespace}"));
        if changed_only {
            format!("No volume or claim{place} will change.")
        } else if place.is_empty() {
            "No volumes and claims found.".to_owned()
        } else {
            format!("No volumes and claims found{place}; -A shows all namespaces.")
        }
    }

    /// Whether there were objects that could not be understood, so that they are missing from the answer.
    pub(super) fn dropped(&self) -> bool {
        !self.snapshot.issues().is_empty()
    }

    /// Whether a listing of these kinds lacks objects of the namespace that is shown, because they could not be read.
    pub(super) fn unlisted(&self, kinds: &[Kind]) -> bool {
        let lost = |state| matches!(state, CoverageState::Forbidden | CoverageState::Failed | CoverageState::NotServed);
        let coverage = self.snapshot.coverage();
        kinds.iter().any(|kind| match &self.namespace {
            Some(namespace) if kind.namespaced() => lost(coverage.state(*kind, namespace)),
            _ => coverage.entries().iter().any(|entry| entry.kind == *kind && lost(entry.state)),
        })
    }
}
