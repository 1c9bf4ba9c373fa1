//! What a person asks about each breakage. The person asks about the pod or the workload that does not work. If there
//! is none, the person asks about the claim or the volume. The first two lines of `explain` must name the cause.

use super::Standing;

/// The namespace of a breakage, the object about which a person asks, and words of the cause. The answer must contain
/// one alternative of each group of words. `|` separates the alternatives.
const QUESTIONS: &[(&str, &str, &[&str])] = &[
    ("shop", "pod/web", &["class", "does not exist"]),
    ("ml", "pod/trainer", &["node affinity|selector|accelerator"]),
    ("pay", "pod/pay-api", &["attach", "UnauthorizedOperation|not authorized|no permission to attach"]),
    ("logs", "pvc/data-es-2", &["StatefulSet es|sts/es|ordinal|no pod uses|replicas"]),
    ("wiki", "pvc/wiki-data", &["@old", "Released|earlier claim|last claim"]),
    ("db", "pod/postgres", &["old uid|Lost"]),
    ("blog", "pvc/uploads", &["pod blog"]),
    ("forum", "pvc/avatars", &["pod forum"]),
    ("news", "pvc/drafts", &["pod news"]),
    ("erp", "pv/@volume", &["claim erp/books|books"]),
    ("kafka", "sts/kafka", &["quota"]),
    ("cass", "pod/cassandra", &["node-l1"]),
    ("etl", "pod/loader", &["etl-archive-01", "no volume of that name exists"]),
    ("cms", "pod/cms-2", &["cms-1|node-a1"]),
    ("jira", "pod/jira-2", &["node-d2"]),
    ("mail", "pvc/mail", &["resizer|expand"]),
    ("git", "pvc/repos", &["file system"]),
    ("restore", "pod/restorer", &["nightly", "does not exist|not found"]),
    ("gce", "pod/batch", &["pd.csi.storage.gke.io"]),
    ("crm", "pod/crm", &["node affinity|zone|eu-1"]),
    ("bank", "pod/bank-2", &["ReadWriteOncePod", "bank-1"]),
    ("search", "pod/search", &["search-idx", "does not exist"]),
    ("batch", "pod/batch-2", &["limit|more volumes|max volume count"]),
    ("lab", "pod/lab", &["file system"]),
    ("cdn", "pod/cdn", &["efs.csi.aws.com", "node-b2"]),
    ("bi", "pod/spark", &["16384GiB"]),
    ("finance", "pod/viewer", &["AccessModes|access mode"]),
    ("eph", "pod/web", &["web-scratch"]),
    ("old-team", "ns/old-team", &["dump|finalizer"]),
    ("dr", "pvc/snapsrc", &["snapshot"]),
    ("stream", "pod/replayer", &["node"]),
    ("hr", "pod/intranet", &["access mode"]),
    ("legacy", "pv/@volume", &["driver"]),
    ("ci", "pvc/cache", &["pod build"]),
];

/// Returns a fault if the first two lines of `explain` do not name the cause. Returns `None` if they name it, or if
/// there is no question about this breakage.
pub(super) fn fault(standing: &Standing<'_>) -> Option<String> {
    let (_, object, groups) = QUESTIONS.iter().find(|(namespace, ..)| *namespace == standing.breakage.namespace)?;
    let object = standing.named(object);
    let run = standing.run(&["explain", &object, "-n", standing.breakage.namespace], "1000");
    let first: Vec<&str> = run.stdout.lines().take(2).collect();
    let said = first.join("\n");
    let is_said = |group: &&str| group.split('|').any(|words| said.contains(&standing.named(words)));
    let missing: Vec<&str> = groups.iter().copied().filter(|group| !is_said(group)).collect();
    (!missing.is_empty()).then(|| format!("explain {object} does not name {missing:?}:\n{said}\n{}", run.stderr))
}

/// Returns the namespaces without a question. These are the one in which nothing is wrong, and the one with a breakage
/// of a class.
pub(super) fn unasked() -> Vec<&'static str> {
    let has = |namespace: &str| QUESTIONS.iter().any(|(asked, ..)| *asked == namespace);
    super::BREAKAGES.iter().map(|breakage| breakage.namespace).filter(|namespace| !has(namespace)).collect()
}
