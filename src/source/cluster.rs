//! A live cluster as a source. Volumes, claims and classes are read first, and then only the objects that decisions
//! need.
//!
//! This module never writes to the cluster. What cannot be read is recorded in [`Coverage`](crate::snapshot::Coverage).
//! An error is returned only if there is no connection, if the credentials are not accepted, or if neither volumes nor
//! claims nor classes can be read.

use super::archive::ArchivedObject;
use super::body::SMALL_ANSWER;
use super::cluster_error::{ApiStatus, ClusterError, ClusterErrorKind};
use super::connect::{self, ConnectOptions, Environment, default_chunk_size};
use super::http::{Api, Failure, JSON, Observer, RequestLog, Retry};
use super::list::{self, ListFailure, Listed, Unusable};
use super::second_round::{Needs, needs_all_pods, pod_namespaces, second_round, state_resources};
use crate::model::{Kind, ObjectKey, Str, Timestamp};
use crate::progress::Progress;
use crate::snapshot::decode::{self, decode_as};
use crate::snapshot::{CoverageEntry, CoverageState, DecodeIssue, Item, Parts};
use serde::Deserialize;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Notify;

/// The maximum number of requests that are under way at the same time.
pub(super) const AT_ONCE: usize = 8;
/// The time limit for all requests of shell completion.
const COMPLETION_TIME: Duration = Duration::from_secs(1);
/// The maximum number of names that shell completion offers.
const COMPLETION_NAMES: u32 = 500;
/// Completion needs only the metadata. Servers and proxies that do not support this form send whole objects.
const NAMES_ONLY: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// The answer of `/version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVersion {
    /// The major version: 1.
    pub major: u32,
    /// The minor version, without the `+` that some providers add.
    pub minor: u32,
    /// The whole version, such as `v1.36.3-gke.100`.
    pub git_version: String,
}

/// One cluster, with the credentials of one user.
pub struct Cluster<'a> {
    pub(super) api: Api<'a>,
    namespace: String,
    chunk_size: Option<u32>,
}

/// The objects that one run has read so far.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) parts: Parts,
    pub(super) archive: Vec<ArchivedObject>,
    pub(super) keep_archive: bool,
    /// The kind and name of the object whose time of last change is needed.
    pub(super) asked: Option<(Kind, String)>,
}

/// The decoded content of one page of a list.
struct Page {
    items: Vec<Item>,
    issues: Vec<DecodeIssue>,
    archive: Vec<ArchivedObject>,
    changed: Vec<(ObjectKey, Timestamp)>,
}

impl<'a> Cluster<'a> {
    /// Finds the cluster that flags, environment and kubeconfig select. This function sends no request. It runs a
    /// credential plugin once, and the plugin may ask the user to log in.
    ///
    /// # Errors
    ///
    /// Returns an error if no cluster is configured, the kubeconfig or a flag is wrong, or there are no credentials.
    pub async fn connect(options: &ConnectOptions, environment: &Environment) -> Result<Self, ClusterError> {
        let (own, surroundings) = (options.clone(), environment.clone());
        let connection = tokio::task::spawn_blocking(move || connect::connect(&own, &surroundings))
            .await
            .map_err(|error| ClusterError::new(ClusterErrorKind::Credentials, error.to_string()))??;
        Ok(Self {
            api: Api {
                client: connection.client,
                server: connection.server,
                proxy: connection.proxy,
                timeout: options.request_timeout,
                retry: Retry::default(),
                observer: None,
            },
            namespace: connection.namespace,
            chunk_size: options.chunk_size,
        })
    }

    /// Returns the same cluster with an observer, which is called after each request.
    #[must_use]
    pub fn observed<'b>(self, observer: Observer<'b>) -> Cluster<'b>
    where
        'a: 'b,
    {
        Cluster { api: Api { observer: Some(observer), ..self.api }, ..self }
    }

    /// Returns the same cluster, with another number of retries and other pauses.
    #[must_use]
    pub fn retrying(mut self, retry: Retry) -> Self {
        self.api.retry = retry;
        self
    }

    /// Returns the namespace of `-n` or of the context, otherwise `default`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the address of the server, without a password.
    pub fn server(&self) -> &str {
        &self.api.server
    }

    /// Returns the time limit of one request. The result is `None` if the user gave no limit. Zero means that there is
    /// no limit.
    pub fn timeout(&self) -> Option<Duration> {
        self.api.timeout
    }

    /// Calls the observer for a request that was not made by this type. `path` is the address without the server.
    pub fn tell(&self, method: &'static str, path: &str, status: Option<u16>, milliseconds: u128) {
        if let Some(observer) = self.api.observer {
            observer(&RequestLog { method, url: format!("{}{path}", self.api.server), status, milliseconds });
        }
    }

    /// Returns the client of kube, for code that writes to the cluster.
    pub fn client(&self) -> &kube::Client {
        &self.api.client
    }

    /// Reads all objects that decisions need. Volumes, claims and classes of the whole cluster are read first. Pods and
    /// nodes are read only if a decision needs them. If the user may not list claims in the whole cluster, only the
    /// claims in [`Self::namespace`] are read.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no connection, the credentials are not accepted, or neither volumes nor claims nor
    /// classes can be read.
    pub async fn read(&self, needs: Needs<'_>, progress: &dyn Progress) -> Result<Parts, ClusterError> {
        Ok(self.gather(needs, false, progress).await?.parts)
    }

    /// Reads the same objects as [`Self::read`], and also returns each object as redacted JSON, in no particular order.
    /// The coverage in the parts says whether all objects were read.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Self::read`].
    pub async fn read_raw(
        &self,
        needs: Needs<'_>,
        progress: &dyn Progress,
    ) -> Result<(Vec<ArchivedObject>, Parts), ClusterError> {
        let gathered = self.gather(needs, true, progress).await?;
        Ok((gathered.archive, gathered.parts))
    }

    /// Asks the server for its version.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no connection, or if the answer does not come from a Kubernetes API server.
    pub async fn server_version(&self) -> Result<ServerVersion, ClusterError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Info {
            major: String,
            minor: String,
            git_version: String,
        }
        let what = "the server's version";
        let reply = self.api.get("/version", JSON, SMALL_ANSWER).await.map_err(|failure| self.error(what, failure))?;
        let info: Info = serde_json::from_slice(&reply.body)
            .map_err(|error| ClusterError::not_kubernetes(&self.api.server, what, &error.to_string()))?;
        let digits = |text: &str| -> Option<u32> {
            text.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|digits| digits.parse().ok())
        };
        match (digits(&info.major), digits(&info.minor)) {
            (Some(major), Some(minor)) => Ok(ServerVersion { major, minor, git_version: info.git_version }),
            _ => Err(ClusterError::not_kubernetes(&self.api.server, what, "major and minor are not numbers")),
        }
    }

    /// Returns the names of objects of the kind for shell completion, in the given namespace or in [`Self::namespace`].
    /// At most 500 names are returned, and the time limit is one second. If anything fails, no names are returned.
    pub async fn names(&self, kind: Kind, namespace: Option<&str>) -> Vec<String> {
        self.names_at(&list::path(kind, Some(namespace.unwrap_or(&self.namespace)))).await
    }

    /// Returns the names of namespaces for shell completion, with the same limits as [`Self::names`].
    pub async fn namespaces(&self) -> Vec<String> {
        self.names_at("/api/v1/namespaces").await
    }

    async fn names_at(&self, path: &str) -> Vec<String> {
        let mut impatient = self.api.clone();
        impatient.retry.tries = 1;
        let path = format!("{path}?limit={COMPLETION_NAMES}");
        match tokio::time::timeout(COMPLETION_TIME, impatient.get(&path, NAMES_ONLY, SMALL_ANSWER)).await {
            Ok(Ok(reply)) => names_in(&reply.body),
            Ok(Err(_)) | Err(_) => Vec::new(),
        }
    }

    async fn gather(
        &self,
        needs: Needs<'_>,
        keep_archive: bool,
        progress: &dyn Progress,
    ) -> Result<Gathered, ClusterError> {
        let asked = needs.users_of.map(|(kind, _, name)| (kind, name.to_owned()));
        let mut gathered = Gathered { keep_archive, asked, ..Gathered::default() };
        let failures = self.first(&mut gathered, progress).await?;
        let claims_hidden = gathered.parts.coverage.state(Kind::PersistentVolumeClaim, "") == CoverageState::Forbidden;
        if claims_hidden {
            let own = [(Kind::PersistentVolumeClaim, Some(Str::from(self.namespace.as_str())))];
            self.lists(&own, &mut gathered, progress).await?;
        }
        if gathered.parts.coverage.state(Kind::PersistentVolume, "") == CoverageState::Forbidden {
            self.named_volumes(needs, &mut gathered, progress).await?;
        }
        let readable = |entry: &CoverageEntry| entry.state == CoverageState::Complete;
        if !gathered.parts.coverage.entries().iter().any(readable) {
            // One error is enough. The error of the volumes comes first, because it is the most useful one for the
            // user.
            if let Some(failure) = failures.into_iter().next() {
                return Err(failure);
            }
        }
        self.confirm(&mut gathered, progress).await?;
        self.second(needs, &mut gathered, progress).await?;
        gathered.parts.coverage.doubt(&gathered.parts.issues);
        gathered.parts.now.get_or_insert_with(local_time);
        gathered.parts.now_is_stated = true;
        if keep_archive && let Some((json, _)) = self.raw_controller_lease().await {
            gathered.archive.extend(ArchivedObject::new(Kind::Lease, &json));
        }
        Ok(gathered)
    }

    /// Reads the lists that every command needs. They are read concurrently, but the claims are requested only after
    /// the first page of the volumes was read. So the list of claims is the later one. Only with this order the program
    /// can recognise that both lists show a volume and a claim at the same moment; see [`partners`].
    ///
    /// [`partners`]: super::partners
    async fn first(&self, gathered: &mut Gathered, progress: &dyn Progress) -> Result<Vec<ClusterError>, ClusterError> {
        let begun = Arc::new(Notify::new());
        let hopeless = AtomicBool::new(false);
        let volumes = async {
            let read = self.list(Kind::PersistentVolume, None, gathered, progress, Some(&begun)).await;
            hopeless.store(matches!(read, Err(ListFailure::Fatal(_))), Ordering::Relaxed);
            begun.notify_one();
            Some(read)
        };
        let claims = async {
            begun.notified().await;
            // After a fatal failure of the volumes the claims are not requested, because they would fail in the same
            // way.
            if hopeless.load(Ordering::Relaxed) {
                return None;
            }
            Some(self.list(Kind::PersistentVolumeClaim, None, gathered, progress, None).await)
        };
        let classes = async { Some(self.list(Kind::StorageClass, None, gathered, progress, None).await) };
        let (volumes, claims, classes) = tokio::join!(volumes, claims, classes);
        let mut failures = Vec::new();
        for (kind, result) in
            [(Kind::PersistentVolume, volumes), (Kind::PersistentVolumeClaim, claims), (Kind::StorageClass, classes)]
        {
            if let Some(result) = result {
                failures.extend(self.take_in(gathered, kind, None, result)?);
            }
        }
        Ok(failures)
    }

    /// Reads lists at the same time and adds their objects. A list that cannot be read is recorded in the coverage, and
    /// its error is returned.
    pub(super) async fn lists(
        &self,
        lists: &[(Kind, Option<Str>)],
        gathered: &mut Gathered,
        progress: &dyn Progress,
    ) -> Result<Vec<ClusterError>, ClusterError> {
        let mut failures = Vec::new();
        for some in lists.chunks(AT_ONCE) {
            let reading =
                some.iter().map(|(kind, namespace)| self.list(*kind, namespace.as_deref(), gathered, progress, None));
            for ((kind, namespace), result) in some.iter().zip(all(reading.collect()).await) {
                failures.extend(self.take_in(gathered, *kind, namespace.clone(), result)?);
            }
        }
        Ok(failures)
    }

    /// Reads a list. `begun` is notified after the first page.
    async fn list(
        &self,
        kind: Kind,
        namespace: Option<&str>,
        gathered: &Gathered,
        progress: &dyn Progress,
        begun: Option<&Arc<Notify>>,
    ) -> Result<Listed<Page>, ListFailure> {
        let origin = list::describe(kind, namespace);
        let (keep_archive, asked, begun) = (gathered.keep_archive, gathered.asked.clone(), begun.cloned());
        let page = move |bytes: &[u8]| {
            if let Some(begun) = &begun {
                begun.notify_one();
            }
            decode_page(kind, bytes, &origin, keep_archive, asked.as_ref())
        };
        let chunk_size = self.chunk_size.unwrap_or_else(|| default_chunk_size(kind));
        list::read(&self.api, kind, namespace, chunk_size, progress, Arc::new(page)).await
    }

    fn take_in(
        &self,
        gathered: &mut Gathered,
        kind: Kind,
        namespace: Option<Str>,
        result: Result<Listed<Page>, ListFailure>,
    ) -> Result<Option<ClusterError>, ClusterError> {
        let what = list::describe(kind, namespace.as_deref());
        let mut entry = CoverageEntry::new(kind, namespace, CoverageState::Complete);
        let failure = match result {
            Ok(listed) => {
                entry.resource_version = listed.resource_version;
                entry.reason = listed.remark;
                gathered.parts.now = gathered.parts.now.max(listed.date);
                for page in listed.pages {
                    page.items.into_iter().for_each(|item| push(&mut gathered.parts, item));
                    gathered.parts.issues.extend(page.issues);
                    gathered.archive.extend(page.archive);
                    gathered.parts.changed.extend(page.changed);
                }
                None
            }
            Err(ListFailure::Fatal(error)) => return Err(error),
            Err(ListFailure::Forbidden(message)) => {
                entry.state = CoverageState::Forbidden;
                entry.reason = Some(message.clone());
                let status = ApiStatus { code: 403, message, from_kubernetes: true };
                Some(ClusterError::from_status(&self.api.server, &what, &status))
            }
            Err(ListFailure::NotServed(message)) => {
                entry.state = CoverageState::NotServed;
                entry.reason = Some(message.clone());
                Some(
                    ClusterError::new(
                        ClusterErrorKind::NotKubernetes,
                        format!("{} does not serve {what}: {message}", self.api.server),
                    )
                    .with_hint("check the server's address and the path in it"),
                )
            }
            Err(ListFailure::Failed(error)) => {
                entry.state = CoverageState::Failed;
                // A list that is refused because of its size is refused again at each retry. So the reason says what
                // the user can do.
                let way_out = error.hint().filter(|_| error.kind() == ClusterErrorKind::TooLarge);
                entry.reason = Some(way_out.map_or_else(|| error.to_string(), |way_out| format!("{error}; {way_out}")));
                Some(error)
            }
        };
        gathered.parts.coverage.set(entry);
        Ok(failure)
    }

    async fn second(
        &self,
        needs: Needs<'_>,
        gathered: &mut Gathered,
        progress: &dyn Progress,
    ) -> Result<(), ClusterError> {
        let lists = second_round(&gathered.parts, needs);
        for kind in [Kind::Pod, Kind::Node] {
            gathered.parts.coverage.set(CoverageEntry::new(kind, None, CoverageState::NotNeeded));
        }
        self.lists(&lists, gathered, progress).await?;
        if gathered.parts.coverage.state(Kind::Pod, "") == CoverageState::Forbidden {
            // The user may not list pods in the whole cluster, but may be allowed to list pods in single namespaces.
            let single: Vec<_> = pod_namespaces(&gathered.parts, needs)
                .into_iter()
                .map(|namespace| (Kind::Pod, Some(namespace)))
                .collect();
            self.lists(&single, gathered, progress).await?;
        }
        // A user who may not list a kind in all namespaces may be allowed to list it in the selected namespace.
        let hidden = needs
            .surroundings
            .iter()
            .filter(|kind| kind.namespaced() && gathered.parts.coverage.state(**kind, "") == CoverageState::Forbidden);
        let own: Vec<_> = hidden.map(|kind| (*kind, Some(Str::from(self.namespace.as_str())))).collect();
        self.lists(&own, gathered, progress).await?;
        if needs_all_pods(&gathered.parts, needs) {
            self.all_pods(gathered, progress).await?;
        }
        for resource in state_resources(&gathered.parts, needs) {
            let objects = self.of_system(resource).await;
            if gathered.keep_archive {
                let kept = objects.iter().filter_map(|object| needs.providers().kept(object));
                gathered.archive.extend(kept.map(|object| ArchivedObject::of_system(&object)));
            }
            gathered.parts.of_systems.extend(objects);
        }
        Ok(())
    }

    /// Reads the pods of all namespaces, and replaces the pods that were read before. If the user may not list them,
    /// the earlier pods are kept.
    async fn all_pods(&self, gathered: &mut Gathered, progress: &dyn Progress) -> Result<(), ClusterError> {
        let read = std::mem::take(&mut gathered.parts.objects.pods);
        self.lists(&[(Kind::Pod, None)], gathered, progress).await?;
        let coverage = &mut gathered.parts.coverage;
        match coverage.entry(Kind::Pod, None).filter(|entry| entry.state == CoverageState::Complete).cloned() {
            Some(all) => {
                coverage.forget(Kind::Pod, |_| true);
                coverage.set(all);
            }
            None => gathered.parts.objects.pods = read,
        }
        Ok(())
    }

    pub(super) fn error(&self, what: &str, failure: Failure) -> ClusterError {
        match failure {
            Failure::Status(status) => ClusterError::from_status(&self.api.server, what, &status),
            Failure::Transport(error) => error,
            Failure::TooLarge(size) => ClusterError::too_large(&self.api.server, what, size),
        }
    }
}

fn decode_page(
    kind: Kind,
    bytes: &[u8],
    origin: &str,
    keep_archive: bool,
    asked: Option<&(Kind, String)>,
) -> Result<(Page, usize), Unusable> {
    let objects = list::items(bytes)?;
    let mut page =
        Page { items: Vec::with_capacity(objects.len()), issues: Vec::new(), archive: Vec::new(), changed: Vec::new() };
    for object in &objects {
        let json = object.get().as_bytes();
        let decoded = decode_as(kind, json, origin);
        // Skipped objects are not archived, because an event about another object may contain anything.
        let is_kept = keep_archive && !matches!(decoded, Ok(Item::Skipped(_)));
        match decoded {
            Ok(item) => {
                page.changed.extend(asked.and_then(|asked| decode::change_of(&item, json, asked)));
                page.items.push(item);
            }
            Err(issue) => page.issues.push(issue),
        }
        if is_kept {
            page.archive.extend(ArchivedObject::new(kind, json));
        }
    }
    Ok((page, objects.len()))
}

pub(super) fn push(parts: &mut Parts, item: Item) {
    if let Item::Object(object) = item {
        parts.objects.push(object);
    }
}

fn names_in(list: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Names {
        #[serde(default)]
        items: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        name: String,
    }
    serde_json::from_slice::<Names>(list)
        .map(|names| names.items.into_iter().map(|item| item.metadata.name).collect())
        .unwrap_or_default()
}

/// Returns the time of this machine. It is used if a server does not state the time, and for files on this machine.
#[expect(clippy::disallowed_methods, reason = "the source supplies the snapshot's time")]
pub fn local_time() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_second())
}

/// Runs futures concurrently on this task. The results are in the order of the futures.
pub(super) async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut slots: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (future, output) in slots.iter_mut().filter(|(_, output)| output.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(value) => *output = Some(value),
                Poll::Pending => pending = true,
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    slots.into_iter().filter_map(|(_, output)| output).collect()
}
