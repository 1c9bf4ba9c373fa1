//! The first part of every use case: it reads the objects, indexes them, and determines which Kubernetes is modelled.

use super::Reader;
use super::actors::{READ_BY_SCHEDULER, needs_scheduler};
use super::model::{ModelOptions, Modelled};
use super::rules::{all_reads, is_read};
use super::scope::Scope;
use crate::controllers::KubeVersion;
use crate::diagnosis::Rule;
use crate::diagnosis::shared_volumes::Providers;
use crate::error::Error;
use crate::model::{Kind, ObjectArgument, Str, Timestamp};
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue, Parts, Snapshot};
use crate::source::{FileOptions, Loaded, Needs};

/// The objects that were read, and how they are judged.
#[derive(Debug)]
pub struct Gathered {
    /// The objects that were read.
    pub snapshot: Snapshot,
    /// The modelled version, feature gates, flags and controllers.
    pub modelled: Modelled,
    /// The namespace that is shown. `None` means all namespaces.
    pub namespace: Option<String>,
    /// The namespace in which names are looked up first.
    pub default_namespace: Option<String>,
    /// The number of threads to use.
    pub threads: usize,
    /// Notes for people about the reading, one sentence each.
    pub notes: Vec<String>,
    /// The time at which a cluster was read, by the server's clock. It is `None` for files.
    pub read_at: Option<Timestamp>,
    /// The systems that serve shared volumes, and what they say about their volumes.
    pub providers: Providers,
    from_files: bool,
    /// Whether the scheduler was added although nobody named it; see [`Question::may_schedule`]. The verb leaves it out
    /// again if some ends could not be found with it.
    pub scheduled_by_default: bool,
}

/// The options for reading and judging objects.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The options of the modelled Kubernetes.
    pub model: ModelOptions,
    /// The scope of the objects that are shown.
    pub scope: Scope,
    /// The current time for computing ages, if a person stated it.
    pub now: Option<Timestamp>,
    /// Whether the run ends at the first object that cannot be decoded.
    pub strict: bool,
    /// The systems that serve shared volumes, and what they say about their volumes.
    pub providers: Providers,
}

impl ReadOptions {
    /// Returns the question for the objects that decisions need, and no others.
    pub fn question(&self) -> Question<'_> {
        Question { options: self, object: None, pods_decide: true, may_schedule: false, evidence: Evidence::default() }
    }
}

/// The question to a source: which objects have to be read.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The options for reading and judging objects.
    pub options: &'a ReadOptions,
    /// The object about which more is read: the pods that use it or belong to it, and the time of its last change.
    pub object: Option<(Kind, &'a str)>,
    /// Whether pods influence the answer.
    pub pods_decide: bool,
    /// Whether the scheduler may take part although nobody named it. It takes part if all these conditions are met: The
    /// objects come from files. The files have everything that the scheduler reads, and a pod that waits for it. No
    /// actors and no controllers were named. With the scheduler, the ends can still be found.
    pub may_schedule: bool,
    /// The objects that are read in addition to what decisions need.
    pub evidence: Evidence<'a>,
}

/// The objects that are read in addition to what decisions need, because findings rest on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Whether all pods are read if a requested object needs them: a pod that waits for the scheduler, a node, or an
    /// attachment.
    pub scheduling: bool,
    /// The requested objects, if several were requested.
    pub several: &'a [ObjectArgument],
    /// Whether nodes are read.
    pub nodes: bool,
    /// Whether the pods of all shown namespaces are read.
    pub pods: bool,
    /// Whether the pods of all namespaces are read.
    pub all_pods: bool,
    /// Further namespaces whose pods are read.
    pub pods_in: &'a [Str],
    /// Whether recycler pods, which erase volumes, are read.
    pub recyclers: bool,
    /// Whether the Lease of kube-controller-manager is read.
    pub lease: bool,
    /// The kinds of [`Kind::SURROUNDING`] that are read.
    pub surroundings: &'a [Kind],
}

impl<'a> Evidence<'a> {
    /// Returns what these rules read. `surroundings` are the surrounding kinds that they read.
    pub fn of_rules(applied: &[&'static Rule], surroundings: &'a [Kind]) -> Self {
        Self {
            nodes: true,
            pods: is_read(applied, Kind::Pod),
            recyclers: is_read(applied, Kind::Pod),
            lease: is_read(applied, Kind::Lease),
            surroundings,
            ..Self::default()
        }
    }
}

/// Reads the objects from a cluster.
///
/// # Errors
/// Returns an error if something cannot be read or a flag cannot be used.
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

/// Indexes the objects that were read from files.
///
/// # Errors
/// Returns an error if a flag cannot be used. With `--strict`, an error is also returned if an object cannot be
/// decoded.
pub fn from_files(loaded: Loaded, question: Question<'_>) -> Result<Gathered, Error> {
    let Loaded { parts, report, kubernetes } = loaded;
    // A snapshot has objects for all verbs, so objects that this verb does not use are not mentioned.
    let is_strange = |kind: &str| Kind::from_manifest(kind).is_none_or(|known| !known.is_surrounding());
    let strange = report.skipped.iter().filter(|(kind, _)| is_strange(kind));
    let kinds: Vec<String> = strange.map(|(kind, count)| format!("{count} {kind}")).collect();
    let mut notes = Vec::new();
    if !kinds.is_empty() {
        notes.push(format!("note: objects that pvctl does not use were ignored: {}", kinds.join(", ")));
    }
    question.put_in_order(parts, kubernetes, None, notes)
}

impl<'a> Question<'a> {
    /// Checks the flags, so that errors are reported before anything is read.
    ///
    /// # Errors
    /// Returns a usage error that names the flag.
    pub fn check(self) -> Result<(), Error> {
        Modelled::new(&self.options.model, None).map(drop)
    }

    /// Returns the options for reading files.
    #[must_use]
    pub fn of_files(self, files: FileOptions) -> FileOptions {
        // A file is read as a whole. If one surrounding kind is needed, all surrounding kinds that a rule reads are
        // decoded.
        let mut surroundings = if self.evidence.surroundings.is_empty() { vec![Kind::Namespace] } else { all_reads() };
        let more = self.evidence.surroundings.iter().filter(|kind| !surroundings.contains(kind));
        surroundings.extend(more.copied().collect::<Vec<_>>());
        if self.schedules_by_default() {
            let more = READ_BY_SCHEDULER.iter().filter(|kind| kind.is_surrounding() && !surroundings.contains(kind));
            surroundings.extend(more.copied().collect::<Vec<_>>());
        }
        let of_systems = self.options.providers.state_resources().map(|resource| resource.kind.clone()).collect();
        let last_change_of = self.object.map(|(kind, name)| (kind, name.to_owned()));
        FileOptions { surroundings, last_change_of, of_systems, ..files }
    }

    /// Returns whether the scheduler may take part although nobody named it, as far as the options decide this.
    fn schedules_by_default(self) -> bool {
        let model = &self.options.model;
        self.may_schedule && model.actors.is_empty() && model.controllers.is_empty()
    }

    /// Returns what is read from a cluster in addition to what decisions need. `namespace` is the namespace of the
    /// flags or of the context.
    fn needs(self, namespace: &'a str) -> Result<Needs<'a>, Error> {
        let modelled = Modelled::new(&self.options.model, None)?;
        let behavior = &modelled.behavior;
        // A controller may create claims for pods, and these claims can compete with other claims. So the pods are
        // read.
        let pods = self.evidence.pods || self.pods_decide && modelled.syncs(Kind::Pod);
        // The scheduler judges nodes by all pods.
        let all_pods = self.options.scope.all_namespaces || modelled.schedules() || self.evidence.all_pods;
        let shown = if all_pods { None } else { Some(namespace) };
        Ok(Needs {
            host_path_provisioning: behavior.hostpath_provisioning,
            unused_condition: behavior.unused_condition,
            users_of: self.object.map(|(kind, name)| (kind, namespace, name)),
            scheduling: self.evidence.scheduling,
            several: self.evidence.several,
            nodes: self.evidence.nodes || modelled.has_actors(),
            // Nothing is created for a pod whose namespace is being deleted.
            namespaces: pods,
            surroundings: self.evidence.surroundings,
            pods_of: pods.then_some(shown),
            pods_in: self.evidence.pods_in,
            recyclers: self.evidence.recyclers,
            everything: false,
            providers: Some(&self.options.providers),
        })
    }

    fn put_in_order(
        self,
        mut parts: Parts,
        detected: Option<u32>,
        context_namespace: Option<String>,
        mut notes: Vec<String>,
    ) -> Result<Gathered, Error> {
        // Only a cluster has a namespace of the context.
        let from_files = context_namespace.is_none();
        let mut modelled = Modelled::new(&self.options.model, detected)?;
        if from_files && modelled.source == "detected" {
            modelled.source = "stated";
        }
        let by_default = from_files && self.schedules_by_default();
        let scheduled_by_default = by_default && needs_scheduler(&parts);
        if scheduled_by_default {
            modelled.add_scheduler();
        } else if by_default {
            // The answer does not depend on what only the scheduler reads.
            let only = |kind: &&Kind| kind.is_surrounding() && !self.evidence.surroundings.contains(kind);
            for kind in READ_BY_SCHEDULER.iter().filter(only) {
                parts.coverage.forget(*kind, |_| true);
                parts.issues.retain(|issue| issue.kind != kind.as_str());
            }
        }
        if self.options.strict
            && let Some(issue) = parts.issues.first()
        {
            return Err(
                Error::unreadable(issue_sentence(issue)).hint("without --strict, the other objects are still used")
            );
        }
        parts.deleted = self.options.model.stale.iter().map(|(_, older)| older.to_object()).collect();
        let providers = self.options.providers.with_objects(&parts.of_systems);
        let snapshot = Snapshot::new(parts);
        let given = self.options.scope.namespace.clone();
        let default_namespace = given.clone().or(context_namespace);
        let namespace = match (self.options.scope.all_namespaces, from_files) {
            (true, _) => None,
            (false, true) => given,
            (false, false) => default_namespace.clone(),
        };
        // Pods influence claims of their own namespace. Pods that use a volume may be in any namespace.
        let pods_of = match self.object {
            Some((Kind::PersistentVolume, _)) => None,
            _ => namespace.as_deref(),
        };
        let matters = |entry: &CoverageEntry| match entry.kind {
            Kind::Pod => {
                self.pods_decide && entry.namespace.as_deref().zip(pods_of).is_none_or(|(of, shown)| of == shown)
            }
            // Snapshots may have no nodes, because few people may list them. Nodes influence only host-path
            // provisioning.
            Kind::Node => self.evidence.nodes || modelled.behavior.hostpath_provisioning,
            // A rule that needs surrounding kinds reports by itself that it could not be evaluated.
            surrounding => !surrounding.is_surrounding(),
        };
        warn_of_lists(&snapshot, matters, &mut notes);
        remark(&snapshot, &modelled, detected, &mut notes);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Gathered {
            snapshot,
            modelled,
            namespace,
            default_namespace,
            threads,
            notes,
            read_at: None,
            providers,
            from_files,
            scheduled_by_default,
        })
    }
}

/// The maximum number of namespaces that a warning names.
const NAMED: usize = 5;

/// Adds a warning for each relevant list that is incomplete. Namespaces with the same problem share one sentence.
fn warn_of_lists(snapshot: &Snapshot, matters: impl Fn(&CoverageEntry) -> bool, notes: &mut Vec<String>) {
    let mut lacking: Vec<(&CoverageEntry, &str, Vec<&str>)> = Vec::new();
    for entry in snapshot.coverage().entries().iter().filter(|entry| matters(entry) && !entry.is_normal_gap()) {
        let wrong = match entry.state {
            CoverageState::Complete | CoverageState::NotNeeded | CoverageState::Assumed => continue,
            CoverageState::Partial => "are not complete",
            CoverageState::Forbidden => "cannot be listed",
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
        notes.push(format!("warning: {resource}{place} {wrong}{reason}; everything that depends on them is unknown"));
    }
}

/// Returns the reason of the coverage state, if there is one, without the name of the namespace. API servers write this
/// name into the reason.
fn without_namespace(entry: &CoverageEntry) -> Option<String> {
    let namespace = entry.namespace.as_deref().unwrap_or_default();
    entry.reason.as_ref().map(|reason| reason.replace(&format!("\"{namespace}\""), ""))
}

/// Adds notes about other problems of the reading, and about what is modelled.
fn remark(snapshot: &Snapshot, modelled: &Modelled, detected: Option<u32>, notes: &mut Vec<String>) {
    for issue in snapshot.issues() {
        notes.push(format!(
            "warning: {}; it is left out, and everything that depends on it is unknown",
            issue_sentence(issue)
        ));
    }
    for key in snapshot.duplicates() {
        notes.push(format!("note: {key} was read more than once; the newest version is used"));
    }
    let document = modelled.document();
    if !document.verified {
        notes.push(format!(
            "note: no answers of the real controllers were recorded for Kubernetes {} with these settings, so this \
             model is not verified",
            document.kubernetes
        ));
    }
    if modelled.failures {
        notes.push(
            "note: the outcomes include those with failed requests, crashes inside a sync, and outdated caches \
             (--failures)"
                .into(),
        );
    }
    // A person who gives a version does not need the note.
    let is_another = |minor: &u32| KubeVersion::modelled(*minor) != Some(modelled.behavior.version);
    if let Some(minor) = detected.filter(|minor| modelled.source != "given" && is_another(minor)) {
        let what = if modelled.source == "stated" { "snapshot" } else { "server" };
        notes.push(format!(
            "note: the {what} has Kubernetes 1.{minor}; the nearest modelled version is {}",
            document.kubernetes
        ));
    }
}

/// Returns one sentence about an object that could not be decoded.
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

/// Returns whether the exit code changes if that kind could not be read. If only pods or nodes were not read, the
/// answer says what is unknown, and the exit code does not change.
pub fn keeps_from_judging(kind: Kind) -> bool {
    JUDGED.contains(&kind)
}

impl Gathered {
    /// Returns the namespace in which a claim without a namespace is looked up. For files it is `None` if no namespace
    /// was given, because a unique name is enough.
    pub fn named_namespace(&self) -> Option<&str> {
        if self.from_files { self.namespace.as_deref() } else { self.default_namespace.as_deref() }
    }

    /// Adds hints to an error about something unknown, if the objects are from files. The hints say how to provide the
    /// missing objects.
    #[must_use]
    pub fn with_what_makes_known(&self, error: Error) -> Error {
        if self.from_files {
            error
                .hint("kubectl pvctl snapshot -A reads all objects that a plan needs")
                .hint("--assume-complete=KIND,… says that the files hold all objects of these kinds")
        } else {
            error
        }
    }

    /// Returns the text for an answer without objects. If `changed_only` is true, only objects that may change would
    /// have been shown.
    pub fn nothing_found(&self, changed_only: bool) -> String {
        let place = self.namespace.as_ref().map_or_else(String::new, |namespace| format!(" in namespace {namespace}"));
        if changed_only {
            format!("No change of a volume or claim{place} is predicted.")
        } else if place.is_empty() {
            "No volumes and claims found.".to_owned()
        } else {
            format!("No volumes and claims found{place}; -A shows all namespaces.")
        }
    }

    /// Returns the text for an answer in which no object has a problem.
    pub fn nothing_stuck(&self) -> String {
        let place = self.namespace.as_ref().map_or_else(String::new, |namespace| format!(" in namespace {namespace}"));
        format!("No volume or claim{place} has a problem that a person has to solve.")
    }

    /// Returns whether objects could not be decoded and so are missing from the answer.
    pub fn dropped(&self) -> bool {
        !self.snapshot.issues().is_empty()
    }

    /// Returns whether the list of one of these kinds could not be read. For a kind with namespaces, only the lists of
    /// the shown namespaces are considered.
    pub fn unlisted(&self, kinds: &[Kind]) -> bool {
        let lost = |state| matches!(state, CoverageState::Forbidden | CoverageState::Failed | CoverageState::NotServed);
        let coverage = self.snapshot.coverage();
        kinds.iter().any(|kind| match &self.namespace {
            Some(namespace) if kind.namespaced() => lost(coverage.state(*kind, namespace)),
            _ => coverage.entries().iter().any(|entry| entry.kind == *kind && lost(entry.state)),
        })
    }
}
