//! Breakages of real clusters. They are all in one cluster at the same time, with real controllers and a real
//! scheduler. The test acts in place of nodes, drivers and kubelets. For each breakage, the first row of an audit of
//! the namespace must be the cause, and `fix` must offer the way out. If a person asks about the object that does not
//! work, `explain` must begin with the cause.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits for controllers, writes what was said into a file, and fails by panicking"
)]

mod actors;
mod bound;
mod cluster;
mod person;
mod unbound;

use super::site::{Site, text};
use crate::support::{Finished, Run};
use cluster::BreakageNamespace;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use unbound::Names;

/// How many breakages are caused at the same time. They spend most of their time waiting.
const ARISING: usize = 12;
/// How many programs run at the same time.
const RUNNING: usize = 4;
/// The environment variable that names the file for the transcript of all answers.
const TRANSCRIPT: &str = "PVCTL_TRANSCRIPT";
/// The additional controllers. They run because people who use volumes notice what these controllers do.
const CONTROLLERS: &str = "persistentvolume-attach-detach-controller,persistentvolume-expander-controller,\
                           ephemeral-volume-controller,statefulset-controller,resourcequota-controller,\
                           namespace-controller";

/// The words with which `fix` offers to keep data.
const KEPT: &str = "retain: the data of volume";

/// One breakage.
struct Breakage {
    what: &'static str,
    namespace: &'static str,
    arise: fn(&BreakageNamespace<'_>) -> Names,
    /// What happens in the last minute before the program runs, if anything.
    at_last: Option<fn(&BreakageNamespace<'_>)>,
    /// The objects about which `fix` is asked. `@volume` stands for the name of the volume, which is known only after
    /// the breakage was caused.
    asked: &'static [&'static str],
    end: End,
}

/// What the program must report about a breakage.
enum End {
    /// The program finds nothing.
    Well,
    /// The first row of an audit of the namespace has this object and this rule (`cause`). The answer of `fix` contains
    /// the text `fix`. One of the remedies of the finding contains the text `way`.
    Row { cause: &'static str, fix: &'static str, way: &'static str },
    /// Like `Row`, but the severity is `info`: the row is shown only with `--all`, and nothing is wrong with the
    /// object.
    Info { cause: &'static str, way: &'static str },
    /// The finding is a row of an audit of all namespaces. An audit of the namespace finds nothing wrong.
    Cluster { cause: &'static str, way: &'static str },
}

const fn row(cause: &'static str, fix: &'static str, way: &'static str) -> End {
    End::Row { cause, fix, way }
}

const fn breakage(
    what: &'static str,
    namespace: &'static str,
    arise: fn(&BreakageNamespace<'_>) -> Names,
    asked: &'static [&'static str],
    end: End,
) -> Breakage {
    Breakage { what, namespace, arise, at_last: None, asked, end }
}

/// The breakages, and one namespace in which nothing is wrong. Two breakages have two namespaces each: a pod terminates
/// for a moment or for ever, and a driver refuses claims for two reasons.
static BREAKAGES: [Breakage; 36] = [
    breakage("nothing", "calm", unbound::all_is_well, &["pvc/state"], End::Well),
    breakage(
        "the class is misspelt",
        "shop",
        unbound::class_is_misspelt,
        &["pvc/web-data"],
        row("pvc/web-data pvc-class-not-found", "recreate: claim shop/web-data", "recreate pvc/web-data"),
    ),
    breakage(
        "WaitForFirstConsumer, and no node for the pod",
        "ml",
        unbound::no_node_for_the_pod,
        &["pvc/model"],
        row("pvc/model pvc-wffc-pod-unschedulable", "no node fits pod", "describe pod/trainer"),
    ),
    breakage(
        "attaching is refused",
        "pay",
        bound::attaching_is_refused,
        &["pvc/ledger"],
        row("volumeattachment/@attachment va-attach-error-backend", "has no permission to attach", "permissions"),
    ),
    breakage(
        "claims that a StatefulSet left",
        "logs",
        unbound::set_is_scaled_down,
        &["pvc/data-es-2"],
        End::Info { cause: "sts/es sts-orphan-claims", way: "keep these claims, or check their data before" },
    ),
    breakage(
        "the claim of a kept volume is made anew",
        "wiki",
        unbound::claim_is_made_anew,
        &["pv/@old", "pvc/wiki-data"],
        row("pv/@old pv-released-claim-recreated", "rebind", "rebind pvc/wiki-data"),
    ),
    breakage(
        "Lost after a restore",
        "db",
        unbound::restored_from_a_backup,
        &["pvc/data"],
        row("pvc/data lost-claimref-other-uid", "restore: claim db/data", "restore pvc/data"),
    ),
    breakage(
        "deleted while its pod runs",
        "blog",
        bound::deleted_while_it_runs,
        &["pvc/uploads"],
        row("pvc/uploads pvc-terminating-in-use", KEPT, "pvctl retain"),
    ),
    breakage(
        "deleted while its pod is on a dead node",
        "forum",
        bound::deleted_on_a_dead_node,
        &["pvc/avatars"],
        row("pvc/avatars pvc-terminating-in-use", KEPT, "pvctl retain"),
    ),
    Breakage {
        at_last: Some(bound::deleted_while_it_ends),
        ..breakage(
            "deleted while its pod is leaving",
            "news",
            bound::slow_to_end,
            &["pvc/drafts"],
            row("pvc/drafts pvc-terminating-in-use", KEPT, "pvctl retain"),
        )
    },
    breakage(
        "the volume is deleted under its claim",
        "erp",
        bound::volume_is_deleted,
        &["pv/@volume", "pvc/books"],
        row("pv/@volume pv-terminating-bound", KEPT, "pvctl retain"),
    ),
    breakage(
        "two default classes",
        "two",
        unbound::two_default_classes,
        &["pvc/cache"],
        End::Cluster { cause: "sc/premium sc-two-defaults", way: "kubectl patch sc gp3" },
    ),
    breakage(
        "a quota is used up",
        "kafka",
        unbound::quota_is_used_up,
        &[],
        row("sts/kafka pvc-quota-blocks", "raise the quota or the limit", "raise the quota or the limit"),
    ),
    breakage(
        "the node of a local volume is gone",
        "cass",
        bound::node_of_a_local_disk_is_gone,
        &["pvc/ring", "pv/@volume"],
        row("pod/cassandra pod-node-affinity-conflict", "node", "node"),
    ),
    breakage(
        "the volume that the claim names is missing",
        "etl",
        unbound::named_volume_is_missing,
        &["pvc/archive"],
        row(
            "pvc/archive bind-named-pv-missing",
            "create the PersistentVolume etl-archive-01",
            "create the PersistentVolume etl-archive-01",
        ),
    ),
    breakage(
        "two nodes want one disk",
        "cms",
        bound::two_nodes_want_it,
        &["pvc/media"],
        row("pod/cms-2 multi-attach", "cms-1", "cms-1"),
    ),
    breakage(
        "attached to a dead node",
        "jira",
        bound::node_is_dead,
        &["pvc/issues", "pv/@volume"],
        row("pod/jira-2 multi-attach", "machine of node-d2", "out-of-service"),
    ),
    breakage(
        "resizing without a resizer",
        "mail",
        unbound::nobody_resizes,
        &["pvc/mail"],
        row("pvc/mail resize-no-resizer", "run the resizer of ebs.csi.aws.com", "run the resizer of ebs.csi.aws.com"),
    ),
    breakage(
        "the file system is still to be resized",
        "git",
        unbound::file_system_waits,
        &["pvc/repos"],
        End::Info { cause: "pvc/repos resize-fs-pending", way: "start a pod that uses claim git/repos" },
    ),
    breakage(
        "the snapshot is missing",
        "restore",
        unbound::snapshot_is_missing,
        &["pvc/restored"],
        row("pvc/restored ds-snapshot-missing", "nightly", "nightly"),
    ),
    breakage(
        "the driver of an in-tree class is not installed",
        "gce",
        unbound::driver_is_not_installed,
        &["pvc/disk"],
        row("sc/gce-std sc-provisioner-absent", "install pd.csi.storage.gke.io", "install pd.csi.storage.gke.io"),
    ),
    breakage(
        "the zones of volume and pod differ",
        "crm",
        unbound::zones_do_not_meet,
        &["pvc/contacts"],
        row("pod/crm pod-node-affinity-conflict", "node", "node"),
    ),
    breakage(
        "ReadWriteOncePod, and in use",
        "bank",
        bound::one_pod_at_a_time,
        &["pvc/vault"],
        row("pod/bank-2 rwop-conflict", "bank-1", "bank-1"),
    ),
    breakage(
        "the pod names a claim that is missing",
        "search",
        unbound::claim_was_never_made,
        &[],
        row("pod/search pod-claim-missing", "create the claim search/search-idx", "create the claim search/search-idx"),
    ),
    breakage(
        "the node takes no more disks",
        "batch",
        bound::node_takes_no_more,
        &["pvc/second"],
        row("pod/batch-2 attach-limit", "has room for another volume", "add a node"),
    ),
    breakage(
        "mounting fails by the file system",
        "lab",
        bound::file_system_is_damaged,
        &["pvc/samples"],
        row("pod/lab mount-failed", "fsck", "fsck"),
    ),
    breakage(
        "the driver is missing on the node",
        "cdn",
        bound::node_lacks_the_driver,
        &["pvc/assets"],
        row("pod/cdn csi-driver-not-on-node", "efs.csi.aws.com", "efs.csi.aws.com"),
    ),
    breakage(
        "the claim is too large for the driver",
        "bi",
        unbound::too_large_for_the_driver,
        &["pvc/warehouse"],
        row("pvc/warehouse pvc-provisioning-failed", "maximum is 16384GiB", "recreate"),
    ),
    breakage(
        "the driver has no such access mode",
        "finance",
        unbound::no_such_mode_for_the_driver,
        &["pvc/reports"],
        row("pvc/reports pvc-provisioning-failed", "Only AccessModes[ReadWriteOnce] supported", "recreate"),
    ),
    breakage(
        "an ephemeral volume's name is taken",
        "eph",
        unbound::ephemeral_name_is_taken,
        &["pvc/web-scratch"],
        row("pod/web pod-", "web-scratch", "web-scratch"),
    ),
    breakage(
        "a finalizer keeps claim and namespace",
        "old-team",
        bound::namespace_does_not_go,
        &["pvc/dump"],
        row("pvc/dump pvc-terminating-unknown-finalizer", KEPT, "unfinalize pvc/dump"),
    ),
    breakage(
        "a snapshot keeps the claim",
        "dr",
        bound::snapshot_keeps_it,
        &["pvc/snapsrc"],
        row("pvc/snapsrc pvc-terminating-snapshot-source", KEPT, "pvctl retain"),
    ),
    breakage(
        "the chosen node is gone",
        "stream",
        unbound::chosen_node_is_replaced,
        &["pvc/replay"],
        row(
            "pvc/replay pvc-selected-node-gone",
            "reschedule: claim stream/replay",
            "let the scheduler choose another node",
        ),
    ),
    breakage(
        "the access modes of a volume made by hand",
        "hr",
        unbound::modes_do_not_fit,
        &["pvc/docs"],
        row("pvc/docs bind-access-modes", "with access mode ReadWriteOnce", "with access mode ReadWriteOnce"),
    ),
    breakage(
        "the driver of a released volume is gone",
        "legacy",
        bound::driver_was_removed,
        &["pv/@volume"],
        row("pv/@volume pv-released-delete-no-deleter", KEPT, "pvctl retain"),
    ),
    breakage(
        "a finished pod keeps the claim",
        "ci",
        bound::finished_pod_keeps_it,
        &["pvc/cache"],
        row("pvc/cache pvc-terminating-completed-pod", KEPT, "delete the finished pod build"),
    ),
];

/// A breakage that was caused.
struct Standing<'s> {
    breakage: &'s Breakage,
    site: &'s Site,
    names: Names,
}

impl Standing<'_> {
    /// Replaces the placeholders of a text in the table by the names in this cluster.
    fn named(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (known, name)| text.replace(&format!("@{known}"), name))
    }

    fn run(&self, words: &[&str], columns: &str) -> Finished {
        let config = self.site.plane.kubeconfig().to_string_lossy();
        Run::new(words).env("KUBECONFIG", &config).env("COLUMNS", columns).finish()
    }

    /// Returns what `fix` says about these objects, or about the namespace if there are none. Nothing is confirmed.
    fn fix(&self, objects: &[&str]) -> String {
        let objects: Vec<String> = objects.iter().map(|object| self.named(object)).collect();
        let mut words = vec!["fix", "-n", self.breakage.namespace];
        words.extend(objects.iter().map(String::as_str));
        let run = self.run(&words, "1000");
        flat(&format!("{} {}", run.stdout, run.stderr))
    }

    /// Returns the faults of a table: the first row is not this cause, or the finding does not have this remedy.
    fn found(&self, table: &Finished, cause: &str, way: &str) -> Vec<String> {
        let cause = self.named(cause);
        let first = table.stdout.lines().nth(1).and_then(cells).unwrap_or_default();
        let mut faults = Vec::new();
        if !first.starts_with(&cause) {
            faults.push(format!("the first row is not {cause}:\n{}{}", table.stdout, table.stderr));
        }
        let findings = self.findings();
        let about = |one: &&Value| {
            let (name, id) = (text(one, "/object/name"), text(one, "/id"));
            cause.split_once('/').is_some_and(|(_, rest)| format!("{name} {id}").starts_with(rest))
        };
        let remedies = findings.iter().find(about).map(|one| one["remedies"].to_string()).unwrap_or_default();
        if !remedies.contains(way) {
            faults.push(format!("{cause} does not have {way:?} among its ways out: {remedies}"));
        }
        faults
    }

    /// Returns all findings in the namespace.
    fn findings(&self) -> Vec<Value> {
        let run = self.run(&["audit", "-n", self.breakage.namespace, "-o", "json", "--exit-zero"], "1000");
        let mut report: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr));
        report["findings"].as_array_mut().map(std::mem::take).unwrap()
    }

    /// Returns the faults of all answers. `everywhere` has the rows of an audit of all namespaces.
    fn faults(&self, everywhere: &[String]) -> Vec<String> {
        let namespace = self.breakage.namespace;
        match self.breakage.end {
            End::Well => {
                let said =
                    [self.run(&["audit", "-n", namespace, "--all"], "1000").stdout, self.fix(self.breakage.asked)];
                let is_well = said[0].is_empty() && said[1].contains("fix found no problem");
                (!is_well).then(|| said.concat()).into_iter().collect()
            }
            End::Row { cause, fix, way } => {
                let run = self.run(&["audit", "-n", namespace], "1000");
                let mut faults = self.found(&run, cause, way);
                if !everywhere.iter().any(|row| row.starts_with(&self.named(cause))) {
                    faults.push(format!("{cause} is no row of an audit of all: {everywhere:?}"));
                }
                let said = self.fix(self.breakage.asked);
                if !said.contains(&self.named(fix)) {
                    faults.push(format!("fix does not say {fix:?}: {said}"));
                }
                if [run.stdout, run.stderr].concat().contains("fix has ") {
                    let said = self.fix(&[]);
                    if said.contains("fix has no repair") {
                        faults.push(format!("audit says that fix has a repair, and fix has none: {said}"));
                    }
                }
                faults
            }
            End::Info { cause, way } => {
                let run = self.run(&["audit", "-n", namespace], "1000");
                let mut faults = self.found(&self.run(&["audit", "-n", namespace, "--all"], "1000"), cause, way);
                if run.stdout.lines().nth(1).is_some() {
                    faults.push(format!("something is wrong:\n{}", run.stdout));
                }
                faults
            }
            End::Cluster { cause, way } => {
                let run = self.run(&["audit", "-A", "-o", "wide"], "1000");
                let mut rows = run.stdout.lines().filter(|line| cells(line).is_some_and(|row| row == cause));
                let is_there = rows.any(|line| line.contains(way));
                let own = self.run(&["audit", "-n", namespace], "1000");
                let mut faults = Vec::new();
                if !is_there {
                    faults.push(format!("no row is {cause} with {way:?}:\n{}", run.stdout));
                }
                if own.code != Some(0) {
                    faults.push(format!("something is wrong in {namespace}:\n{}", own.stdout));
                }
                faults
            }
        }
    }

    /// Returns the transcript of a breakage: first the faults, then the whole output of the program.
    fn transcript(&self, faults: &[String]) -> String {
        let mut all = format!("\n# {} ({})\n", self.breakage.what, self.breakage.namespace);
        for fault in faults {
            _ = writeln!(all, "Not as it should be: {}", flat(fault));
        }
        let mut say = |words: &[&str]| {
            let words = [words, &["-n", self.breakage.namespace]].concat();
            let run = self.run(&words, "120");
            let code = run.code.unwrap_or_default();
            _ = write!(all, "\n$ kubectl pvctl {}\n{}{}exit code {code}\n", words.join(" "), run.stdout, run.stderr);
        };
        say(&["audit"]);
        if matches!(self.breakage.end, End::Info { .. }) {
            say(&["audit", "--all"]);
        }
        for object in self.breakage.asked {
            let object = self.named(object);
            say(&["explain", &object]);
            say(&["fix", &object]);
        }
        say(&["fix"]);
        all
    }
}

/// Returns the object and the rule of a row, or `None` if the row has too few cells.
fn cells(line: &str) -> Option<String> {
    let cells: Vec<&str> = line.split("   ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    Some(format!("{} {}", cells.get(1)?, cells.get(4)?))
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Calls `act` with each element, for at most `abreast` elements at the same time. Returns the answers in the order of
/// the elements.
fn each<'a, T: Sync, R: Send>(all: &'a [T], abreast: usize, act: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..abreast {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::SeqCst);
                    let Some(one) = all.get(place) else { return };
                    let answer = act(one);
                    done.lock().unwrap().push((place, answer));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, answer)| answer).collect()
}

/// Causes all breakages, moves their timestamps to the past, and returns the breakages. A breakage that could not be
/// caused is `None`.
fn arisen(site: &Site) -> Vec<Option<Standing<'_>>> {
    let begin = Instant::now();
    let home = |breakage: &Breakage| BreakageNamespace { site, name: breakage.namespace };
    let standing = each(&BREAKAGES, ARISING, |breakage| {
        let home = home(breakage);
        let name = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": home.name}});
        site.put(&name);
        let names = catch_unwind(AssertUnwindSafe(|| (breakage.arise)(&home))).ok()?;
        Some(Standing { breakage, site, names })
    });
    eprintln!("all breakages were caused after {} s", begin.elapsed().as_secs());
    cluster::time_passes(site);
    cluster::drivers_live(site);
    for breakage in &BREAKAGES {
        if let Some(act) = breakage.at_last {
            act(&home(breakage));
        }
    }
    eprintln!("the timestamps were moved to the past after {} s", begin.elapsed().as_secs());
    standing
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_first_row_is_the_cause_and_fix_has_the_way_out() {
    assert_eq!(person::unasked(), ["calm", "two"]);
    let begin = Instant::now();
    let mut site = Site::start_with(CONTROLLERS);
    site.plane.start_scheduler();
    cluster::create_cluster(&site);
    let over = AtomicBool::new(false);
    let (mut wrong, mut transcripts) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| actors::act(&site, &over));
        let standing = catch_unwind(AssertUnwindSafe(|| arisen(&site)));
        over.store(true, Ordering::SeqCst);
        let Ok(standing) = standing else {
            wrong.push("the breakages could not be caused".to_owned());
            return;
        };
        for (breakage, standing) in BREAKAGES.iter().zip(&standing) {
            if standing.is_none() {
                wrong.push(format!("{}: the breakage could not be caused", breakage.namespace));
            }
        }
        let standing: Vec<Standing<'_>> = standing.into_iter().flatten().collect();
        let everywhere: Vec<String> = site.plane.pvctl(&["audit", "-A"]).stdout.lines().filter_map(cells).collect();
        let judged: Vec<(&Standing<'_>, Vec<String>)> = each(&standing, RUNNING, |one| {
            (one, one.faults(&everywhere).into_iter().chain(person::fault(one)).collect())
        });
        eprintln!("{} breakages were checked after {} s", judged.len(), begin.elapsed().as_secs());
        if std::env::var_os(TRANSCRIPT).is_some() {
            transcripts = each(&judged, RUNNING, |(one, faults)| one.transcript(faults));
        }
        for (one, faults) in judged {
            let namespace = one.breakage.namespace;
            wrong.extend(faults.into_iter().map(|fault| format!("{namespace}: {fault}")));
        }
    });
    if let Some(path) = std::env::var_os(TRANSCRIPT) {
        std::fs::write(path, transcripts.concat()).unwrap();
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n\n"));
}
