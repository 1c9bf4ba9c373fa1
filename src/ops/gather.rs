//! What every use case begins with: read, put in order, and settle which Kubernetes is modelled.

use super::Reader;
use super::model::{ModelOptions, Modelled};
use super::rules::reads;
use super::scope::Scope;
use crate::controllers::KubeVersion;
use crate::diagnosis::rules;
use crate::error::Error;
use crate::model::{Kind, Str, Timestamp};
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue, Parts, Snapshot};
use crate::source::{FileOptions, Loaded, Needs};

/// What was read, and how it is to be judged.
#[derive(Debug)]
pub struct Gathered {
    /// The objects.
    pub snapshot: Snapshot,
    /// Version, gates, flags, controllers.
    pub modelled: Modelled,
    /// The namespace that is shown; all of them without one.
    pub namespace: Option<String>,
    /// The namespace in which names are looked up first.
    pub default_namespace: Option<String>,
    /// On how many threads to work.
    pub threads: usize,
    /// What people should know about the reading, a sentence each.
    pub notes: Vec<String>,
    /// When a cluster was read, by the server's clock; none for files.
    pub read_at: Option<Timestamp>,
    from_files: bool,
}

/// How objects are read and judged.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Which Kubernetes is modelled.
    pub model: ModelOptions,
    /// Which objects are shown.
    pub scope: Scope,
    /// The time from which ages count, where somebody gives one.
    pub now: Option<Timestamp>,
    /// Whether the first object that cannot be decoded ends everything.
    pub strict: bool,
}

impl ReadOptions {
    /// The question for what decisions ask for, and nothing more.
    pub fn question(&self) -> Question<'_> {
        Question { options: self, object: None, pods_decide: true, evidence: Evidence::default() }
    }
}

/// What is asked of a source.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// How objects are read and judged.
    pub options: &'a ReadOptions,
    /// The claim or volume of which is asked who uses it and when it was written last.
    pub object: Option<(Kind, &'a str)>,
    /// Whether pods decide anything in the answer.
    pub pods_decide: bool,
    /// What is looked at beyond what decisions ask for.
    pub evidence: Evidence<'a>,
}

/// What is read beyond what decisions ask for, because findings rest on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Whether nodes are looked at.
    pub nodes: bool,
    /// Whether the pods of all namespaces that are shown are looked at.
    pub pods: bool,
    /// More namespaces whose pods are looked at.
    pub pods_in: &'a [Str],
    /// Whether the pods that may erase a volume are looked at.
    pub recyclers: bool,
    /// Whether the Lease of kube-controller-manager is looked at.
    pub lease: bool,
    /// The kinds of [`Kind::SURROUNDING`] that are looked at.
    pub surroundings: &'a [Kind],
}

/// Reads from a cluster.
///
/// # Errors
/// What cannot be read, or what a flag lacks.
pub async fn from_cluster(reader: &impl Reader, question: Question<'_>) -> Result<Gathered, Error> {
    let needs = question.needs(reader.namespace())?;
    let detected = if question.options.model.kube_version.is_some() { None } else { Some(reader.minor().await?) };
    let mut parts = reader.read(needs).await?;
    if question.evidence.lease {
        parts.objects.leases.extend(reader.controller_lease().await.map(|(lease, _)| lease));
    }
    let read_at = parts.now;
    parts.now = question.options.now.or(parts.now);
    let namespace = reader.namespace().to_owned();
    Ok(Gathered { read_at, ..question.put_in_order(parts, detected, Some(namespace), Vec::new())? })
}

/// What was read of files.
///
/// # Errors
/// What a flag lacks, or an object that cannot be decoded where all have to be.
pub fn from_files(loaded: Loaded, question: Question<'_>) -> Result<Gathered, Error> {
    let Loaded { parts, report, kubernetes } = loaded;
    // Snapshots hold what some verb may ask for: that this one does not is nothing to speak of.
    let is_strange = |kind: &str| Kind::from_manifest(kind).is_none_or(|known| !known.is_surrounding());
    let strange = report.skipped.iter().filter(|(kind, _)| is_strange(kind));
    let kinds: Vec<String> = strange.map(|(kind, count)| format!("{count} {kind}")).collect();
    let mut notes = Vec::new();
    if !kinds.is_empty() {
        notes.push(format!("note: objects of kinds that decide nothing were passed over: {}", kinds.join(", ")));
    }
    question.put_in_order(parts, kubernetes, None, notes)
}

impl<'a> Question<'a> {
    /// Whether the flags can be used: that is said before anything is read.
    ///
    /// # Errors
    /// A usage error that names the flag.
    pub fn check(self) -> Result<(), Error> {
        Modelled::new(&self.options.model, None).map(drop)
    }

    /// What is read of files.
    #[must_use]
    pub fn of_files(self, files: FileOptions) -> FileOptions {
        // A file is read as a whole: whoever asks for one of them gets all that some rule reads.
        let surroundings = if self.evidence.surroundings.is_empty() { Vec::new() } else { reads(rules::all()) };
        FileOptions { surroundings, last_change_of: self.object.map(|(kind, name)| (kind, name.to_owned())), ..files }
    }

    /// What is read of a cluster with that namespace, beside what decisions ask for.
    fn needs(self, namespace: &'a str) -> Result<Needs<'a>, Error> {
        let modelled = Modelled::new(&self.options.model, None)?;
        let behavior = &modelled.behavior;
        // Claims that a controller makes for pods are in the way of others: what shall be there is read.
        let pods = self.evidence.pods || self.pods_decide && modelled.syncs(Kind::Pod);
        let shown = if self.options.scope.all_namespaces { None } else { Some(namespace) };
        Ok(Needs {
            host_path_provisioning: behavior.hostpath_provisioning,
            unused_condition: behavior.unused_condition,
            users_of: self.object.map(|(kind, name)| (kind, namespace, name)),
            nodes: self.evidence.nodes,
            surroundings: self.evidence.surroundings,
            pods_of: pods.then_some(shown),
            pods_in: self.evidence.pods_in,
            recyclers: self.evidence.recyclers,
            everything: false,
        })
    }

    fn put_in_order(
        self,
        parts: Parts,
        detected: Option<u32>,
        context_namespace: Option<String>,
        mut notes: Vec<String>,
    ) -> Result<Gathered, Error> {
        if self.options.strict
            && let Some(issue) = parts.issues.first()
        {
            return Err(Error::unreadable(issue_sentence(issue)).hint("without --strict the other objects are judged"));
        }
        // A cluster has a namespace of its own.
        let from_files = context_namespace.is_none();
        let mut modelled = Modelled::new(&self.options.model, detected)?;
        if from_files && modelled.source == "detected" {
            modelled.source = "stated";
        }
        let snapshot = Snapshot::new(parts);
        let given = self.options.scope.namespace.clone();
        let default_namespace = given.clone().or(context_namespace);
        let namespace = match (self.options.scope.all_namespaces, from_files) {
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
            Kind::Node => self.evidence.nodes || modelled.behavior.hostpath_provisioning,
            // Whoever judges without them says what could not be judged.
            surrounding => !surrounding.is_surrounding(),
        };
        warn_of_lists(&snapshot, matters, &mut notes);
        remark(&snapshot, &modelled, detected, &mut notes);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Gathered { snapshot, modelled, namespace, default_namespace, threads, notes, read_at: None, from_files })
    }
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
    let is_another = |minor: &u32| KubeVersion::modelled(*minor) != Some(modelled.behavior.version);
    if let Some(minor) = detected.filter(|minor| modelled.source != "given" && is_another(minor)) {
        let what = if modelled.source == "stated" { "snapshot is of" } else { "server is" };
        notes.push(format!(
            "note: the {what} Kubernetes 1.{minor}; the nearest version that is modelled is {}",
            document.kubernetes
        ));
    }
}

/// One sentence about an object that could not be decoded.
pub fn issue_sentence(issue: &DecodeIssue) -> String {
    let kind = if issue.kind.is_empty() { "an object" } else { &issue.kind };
    let place = if issue.namespace.is_empty() { String::new() } else { format!("{}/", issue.namespace) };
    let name = if issue.name.is_empty() { String::new() } else { format!(" {place}{}", issue.name) };
    let value = if issue.value.is_empty() { String::new() } else { format!(" {}", issue.value) };
    let field = if issue.field.is_empty() { String::new() } else { format!("{}{value}: ", issue.field) };
    format!("{}: {kind}{name} cannot be decoded: {field}{}", issue.origin, issue.reason)
}

/// The kinds without which nothing can be judged.
pub const JUDGED: [Kind; 3] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::StorageClass];

/// Whether what is unknown for want of that read makes the exit code say that nothing can be judged. Where pods or
/// nodes alone are hidden, the answer says what is unknown, and the code is that of an answer.
pub fn keeps_from_judging(kind: Kind) -> bool {
    JUDGED.contains(&kind)
}

impl Gathered {
    /// The namespace in which a claim without one is looked up: none with files, where a unique name suffices.
    pub fn named_namespace(&self) -> Option<&str> {
        if self.from_files { self.namespace.as_deref() } else { self.default_namespace.as_deref() }
    }

    /// What to say where there is nothing to show.
    pub fn nothing_found(&self, changed_only: bool) -> String {
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
    pub fn dropped(&self) -> bool {
        !self.snapshot.issues().is_empty()
    }

    /// Whether a listing of these kinds lacks objects of the namespace that is shown, because they could not be read.
    pub fn unlisted(&self, kinds: &[Kind]) -> bool {
        let lost = |state| matches!(state, CoverageState::Forbidden | CoverageState::Failed | CoverageState::NotServed);
        let coverage = self.snapshot.coverage();
        kinds.iter().any(|kind| match &self.namespace {
            Some(namespace) if kind.namespaced() => lost(coverage.state(*kind, namespace)),
            _ => coverage.entries().iter().any(|entry| entry.kind == *kind && lost(entry.state)),
        })
    }
}
