//! Generates `docs/PARITY.md` from the cases, and checks that every leaf is reached or has a reason why it is not.

#![expect(clippy::disallowed_methods, reason = "the table is compared with a file, and written when asked to")]

use super::case::{Case, Reached};
use pvctl::controllers::Branch;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The list of leaves. It was derived from upstream's code before this project's code was written. Its ids and names
/// are compared with the ids and names in the code.
const CHECKLIST: &str = "\
D1 KeyUnparsable · D2 ListerFailed · D3 StaleVersionIgnored · D4 VolumeDeletedClaimEnqueued · D5 VolumeDeletedUnclaimed · \
D6 DeletionAlreadyProcessed · D7 ClaimDeletedVolumeEnqueued · D8 ClaimDeletedUnbound · D9 VersionUnparsable · \
D10 ObjectSynced · \
C1 ClaimMigrationUpdateFailed · C2 UnboundClaimBindingModeUnset · C3 UnboundClaimMatchFailed · \
C4 UnboundClaimVolumeFound · C5 UnboundClaimDefaultClassAssigned · C6 UnboundClaimDefaultClassFailed · \
C7 UnboundClaimWaitForFirstConsumer · C8 UnboundClaimWaitForPodScheduled · C9 UnboundClaimProvisioningDisabled · \
C10 UnboundClaimClassMissing · C11 UnboundClaimInTreeProvisionerUnknown · C12 UnboundClaimProvisionExternal · \
C13 UnboundClaimProvisionInTree · C14 UnboundClaimProvisionRunning · C15 UnboundClaimProvisionBackoff · \
C16 UnboundClaimNoVolumeNoClass · C17 UnboundClaimVolumeNameMissing · C18a UnboundClaimVolumeMismatchDeleting · \
C18b UnboundClaimVolumeMismatchTooSmall · C18c UnboundClaimVolumeMismatchClass · \
C18d UnboundClaimVolumeMismatchAttributesClass · C18e UnboundClaimVolumeMismatchAttributesClassUnsupported · \
C18f UnboundClaimVolumeMismatchMode · C18g UnboundClaimVolumeMismatchAccessMode · C19 UnboundClaimNamedVolumeFree · \
C20 UnboundClaimNamedVolumeReserved · C21 UnboundClaimNamedVolumeTaken · C22 UnboundClaimNamedVolumeTakenByController · \
C23 BoundClaimVolumeNameCleared · C24 BoundClaimVolumeMissing · C25 BoundClaimVolumeUnbound · \
C26 BoundClaimVolumeOurs · C27 BoundClaimMisbound · \
V1 VolumeMigrationUpdateFailed · V2 VolumeUnclaimed · V3 VolumeReserved · V4 VolumeClaimLookupFailed · \
V5 VolumeClaimMissing · V6 VolumeClaimReplaced · V7 VolumeClaimModeMismatch · V8 VolumeAwaitsClaim · \
V9 VolumeDanglingAwaitsClaim · V10 VolumeBound · V11 VolumeSurplusDynamic · V12 VolumeSurplusUnbindController · \
V13 VolumeSurplusUnbindUser · \
M1 CandidateExcluded · M2 CandidateClaimedByOther · M3 CandidateTooSmall · M4 CandidateVolumeMode · \
M5 CandidateAttributesClass · M6 CandidateDeleting · M7 CandidateReserved · M8 CandidateReservedWrongNode · \
M9 CandidateDelayed · M10 CandidatePhase · M11 CandidateSelector · M12 CandidateClass · M13 CandidateNodeAffinity · \
M14 CandidateAccessModes · M15 CandidateNotSmaller · M16 CandidateChosen · \
B0 BindNothingToDo · B1 BindVolumeSaved · B2 BindVolumeStatusSaved · B3 BindClaimSaved · B4 BindClaimStatusSaved · \
B5 BindVolumeWithoutCapacity · B6 BindVolumeSaveFailed · B7 BindVolumeStatusFailed · B8 BindClaimSaveFailed · \
B9 BindClaimStatusFailed · \
U1 UnbindControllerBound · U2 UnbindUserBound · U3 UnbindFailed · \
R1 ReclaimMigrated · R2 ReclaimRetain · R3 ReclaimRecycle · R4 ReclaimDelete · R5 ReclaimUnknownPolicy · \
R6 ReclaimRunning · R7 ReclaimBackoff · \
DO1 DeletePluginMissing · DO2 DeleteMarkFailed · DO3 DeleteExternal · DO4 DeleteVolumeGone · DO5 DeleteNotReleased · \
DO6 DeleteFailed · DO7 DeleteInUse · DO8 DeleteSucceeded · DO9 DeleteObjectRefused · \
RO1 RecycleVolumeGone · RO2 RecycleNotReleased · RO3 RecycleVolumeUsed · RO4 RecyclePluginMissing · RO5 RecycleFailed · \
RO6 RecycleSucceeded · \
PE1 ExternalProvisionerUntranslatable · PE2 ExternalProvisionerSaveFailed · PE3 ExternalProvisionerRequested · \
PE4 ExternalProvisionerAlreadyRequested · \
PI1 InTreeDataSourceUnsupported · PI2 InTreeClaimSaveFailed · PI3 InTreeVolumeReadFailed · PI4 InTreeVolumeExists · \
PI5 InTreeMountOptionsUnsupported · PI6 InTreeProvisionerDisabled · PI7 InTreeSelectedNodeMissing · \
PI8 InTreeProvisionFailed · PI9 InTreeVolumeSaveFailedCleaned · PI10 InTreeVolumeOrphaned · PI11 InTreeProvisioned · \
X1 ClaimGone · X2 ClaimProtectionAdded · X3 ClaimKeptUsedByCachedPod · X4 ClaimKeptUsedByLivePod · \
X5 ClaimLiveListFailed · X6 ClaimProtectionRemoved · X7 ClaimProtectionUnchanged · X8 ClaimUnusedConditionSet · \
X9 VolumeProtectionAdded · X10 VolumeKeptBound · X11 VolumeProtectionRemoved · X12 VolumeProtectionUnchanged · \
E1 PodGone · E2 PodTerminating · E3 PodVolumesHandled · E4 PodVolumeFailed · \
EV1 ClaimNotOwned · EV2 ClaimExists · EV3 ClaimCreated · EV4 ClaimCreateRefused · \
S19 SchedulerBindWaits · S20 SchedulerBindAborted · S21 SchedulerBindsPod · S22 SchedulerFindsNoNode · \
S23 SchedulerSkipsPod · S17 SchedulerPrebindsVolume · S18 SchedulerSelectsNode";

/// The leaves that no case reaches, each with the reason.
const NOT_REACHED: [(&str, &str); 5] = [
    ("M1", "later: only the scheduler excludes a volume that it has chosen for another claim of the pod"),
    ("M8", "later: only the scheduler asks for a node"),
    ("M13", "later: only the scheduler asks for a node"),
    ("M14", "later: only the scheduler tests access modes here; the controller has tested them in an earlier step"),
    (
        "PE1",
        "impossible by construction: one table has each migrated plugin with its driver, so no plugin is migrated \
         without a driver (upstream has two tables, which agree on all seven plugins)",
    ),
];

/// Returns the functions of Kubernetes 1.36 whose leaves are in this enum.
fn upstream(function: &str) -> &'static str {
    match function {
        "DispatchBranch" => "`syncVolumeByKey`, `syncClaimByKey`",
        "ClaimBranch" => "`syncClaim`",
        "VolumeBranch" => "`syncVolume`",
        "CandidateVerdict" => "`FindMatchingVolume`",
        "BindStep" => "`bind`",
        "UnbindStep" => "`unbindVolume`",
        "ReclaimStep" => "`reclaimVolume`",
        "DeleteStep" => "`deleteVolumeOperation`",
        "RecycleStep" => "`recycleVolumeOperation`",
        "ProvisionStep" => "`provisionClaimOperation`, `provisionClaimOperationExternal`",
        "ClaimProtectionBranch" => "`processPVC`",
        "VolumeProtectionBranch" => "`processPV`",
        "EphemeralPodBranch" => "`syncHandler`",
        "EphemeralVolumeStep" => "`handleVolume`",
        "SchedulerPodBranch" => "`ScheduleOne`, `checkBindings`",
        "SchedulerVolumeStep" => "`bindAPIUpdate`",
        other => panic!("no upstream function is known for {other}"),
    }
}

fn all_cases() -> Vec<(&'static str, Case)> {
    [
        super::dispatch::all(),
        super::claim::all(),
        super::volume::all(),
        super::matching::all(),
        super::binding::all(),
        super::reclaim::all(),
        super::provision::all(),
        super::protection::all(),
        super::ephemeral::all(),
        super::scheduling::all(),
        super::two_bugs::all(),
        super::versions::all(),
    ]
    .concat()
}

/// Returns for each leaf the case that the table shows. It is the first case without a special condition. If every case
/// has a condition, it is the first case.
fn shown() -> BTreeMap<&'static str, (&'static str, Reached)> {
    let mut shown: BTreeMap<&'static str, (&'static str, Reached)> = BTreeMap::new();
    for (test, case) in all_cases() {
        for leaf in case.leaves() {
            let entry = shown.entry(leaf).or_insert((test, case.reached()));
            if entry.1 != Reached::Plain && case.reached() == Reached::Plain {
                *entry = (test, Reached::Plain);
            }
        }
    }
    shown
}

/// Returns the tables of the external provisioner, attacher and resizer, of the shared-volume controller, of the
/// attach/detach controller, and of the kubelet.
fn recorded_tables() -> String {
    use super::super::{attach_detach, attacher, kubelet, provisioner, resizer, shared_volume};
    let of_provisioner = recorded(
        ("The external provisioner", "on the external provisioner", "provisioner"),
        &provisioner::leaves(),
        &provisioner::reached(),
        &provisioner::NOT_RECORDED,
    );
    let of_attacher = recorded(
        ("The external attacher", "on the external attacher", "attacher"),
        &attacher::leaves(),
        &attacher::reached(),
        &attacher::NOT_RECORDED,
    );
    let of_resizer = recorded(
        ("The external resizer", "on the external resizer", "resizer"),
        &resizer::leaves(),
        &resizer::reached(),
        &resizer::NOT_RECORDED,
    );
    let of_shared_volume = recorded(
        ("The shared-volume controller", "on the shared-volume controller", "shared-volume"),
        &shared_volume::leaves(),
        &shared_volume::reached(),
        &shared_volume::NOT_RECORDED,
    );
    let of_attach_detach = recorded(
        ("The attach/detach controller", "on the attach/detach controller", "attach-detach"),
        &attach_detach::leaves(),
        &attach_detach::reached(),
        &[],
    );
    let of_kubelet = recorded(
        ("The volumes of the kubelet", "on the volume manager of the kubelet", "kubelet-volumes"),
        &kubelet::leaves(),
        &kubelet::reached(),
        &[],
    );
    format!("{of_provisioner}\n{of_attacher}\n{of_resizer}\n{of_shared_volume}\n{of_attach_detach}\n{of_kubelet}")
}

/// Returns the table of leaves that recorded worlds reach: ids, names and sentences. `page` has the title of the table,
/// and the subject and the name of the page.
fn recorded(
    page: (&str, &str, &str),
    leaves: &[(&str, &str, &str)],
    reached: &BTreeMap<&str, String>,
    not_recorded: &[(&str, &str)],
) -> String {
    let (title, subject, page) = page;
    let mut rows = String::new();
    for (id, name, about) in leaves {
        let how = match (reached.get(id), not_recorded.iter().find(|(leaf, _)| leaf == id)) {
            (Some(world), None) => format!("`{world}`"),
            (None, Some((_, why))) => (*why).to_owned(),
            (None, None) => panic!("no recording reaches {id} {name}, and no reason is stated"),
            (Some(_), Some(_)) => panic!("a recording reaches {id}, but {id} is listed as not recorded"),
        };
        writeln!(rows, "| {id} | `{name}` | {about} | {how} |").unwrap();
    }
    format!(
        "## {title}\n\
         \n\
         The table lists the leaves of [the page {subject}](controllers/{page}.md). Each row \
         has the first recorded world that reaches the leaf, or says why there is none.\n\
         \n\
         | id | name | what happens | world |\n\
         | --- | --- | --- | --- |\n\
         {rows}"
    )
}

/// Returns the leaves that have cases. The leaves of the other tables are in recordings instead.
fn leaves() -> impl Iterator<Item = Branch> {
    let is_recorded = |leaf: &Branch| {
        matches!(
            leaf,
            Branch::ProvisionBranch(_)
                | Branch::DeletionBranch(_)
                | Branch::AttachBranch(_)
                | Branch::DetachBranch(_)
                | Branch::AttachStep(_)
                | Branch::PopulatorBranch(_)
                | Branch::MountBranch(_)
                | Branch::ExpandBranch(_)
                | Branch::WaitBranch(_)
                | Branch::VolumeStep(_)
        )
    };
    Branch::all().filter(move |leaf| !is_recorded(leaf))
}

fn table() -> String {
    let shown = shown();
    let mut counts = BTreeMap::from([("reached", 0), ("only", 0), ("impossible", 0), ("later", 0)]);
    let mut rows = String::new();
    for leaf in leaves() {
        let (how, test) = match (shown.get(leaf.id()), NOT_REACHED.iter().find(|(id, _)| *id == leaf.id())) {
            (Some((test, Reached::Plain)), None) => {
                *counts.entry("reached").or_default() += 1;
                ("reached".to_owned(), format!("`{}`", test.trim_start_matches("main::predict::")))
            }
            (Some((test, Reached::Only(what))), None) => {
                *counts.entry("only").or_default() += 1;
                (format!("only with {what}"), format!("`{}`", test.trim_start_matches("main::predict::")))
            }
            (None, Some((_, why))) => {
                let kind = if why.starts_with("later") { "later" } else { "impossible" };
                *counts.entry(kind).or_default() += 1;
                ((*why).to_owned(), String::new())
            }
            (None, None) => panic!("no case reaches {} {}, and no reason is stated", leaf.id(), leaf.name()),
            (Some(_), Some(_)) => panic!("a case reaches {}, but the leaf is listed as not reached", leaf.id()),
        };
        let (id, name, about, function) = (leaf.id(), leaf.name(), leaf.about(), upstream(leaf.function()));
        writeln!(rows, "| {id} | `{name}` | {function} | {about} | {how} | {test} |").unwrap();
    }
    format!(
        "<!-- Made by the tests from their cases: `UPDATE=1 cargo test --locked generated` writes this file anew. -->\n\
         # Parity with Kubernetes 1.36\n\
         \n\
         The table lists every leaf: every place at which a modelled function of kube-controller-manager, or of the \
         binding by the scheduler, ends. It has the id and the name that `kubectl pvctl` prints, and the test that \
         reaches the leaf. Each test states the expected branch, writes, events, operations and error. A person \
         copied them from [the pages on controllers](controllers/README.md) and from upstream's source.\n\
         \n\
         - *reached*: the test needs only objects that an API server can store, and in some cases a flag of \
         kube-controller-manager. {reached} leaves.\n\
         - *only with …*: the test needs a scripted answer, a stale cache, a running operation, a gate, an older \
         version, or a value that no API server would store. {only} leaves.\n\
         - *impossible by construction*: {impossible}.\n\
         - *later*: only the scheduler reaches these leaves, and no case tests them yet. {later} leaves.\n\
         \n\
         | id | name | upstream | what happens | how it is reached | test |\n\
         | --- | --- | --- | --- | --- | --- |\n\
         {rows}\n\
         {recorded}",
        recorded = recorded_tables(),
        reached = counts["reached"],
        only = counts["only"],
        impossible = counts["impossible"],
        later = counts["later"],
    )
}

#[test]
fn every_leaf_has_the_id_and_name_of_the_checklist() {
    let written: Vec<String> = CHECKLIST.split(" · ").map(str::to_owned).collect();
    let coded: Vec<String> = leaves().map(|leaf| format!("{} {}", leaf.id(), leaf.name())).collect();
    assert_eq!(written, coded);
}

#[test]
fn every_case_is_about_known_leaves_once() {
    let known: BTreeSet<&str> = leaves().map(Branch::id).collect();
    let mut tests = BTreeSet::new();
    for (test, case) in all_cases() {
        assert!(tests.insert(test), "{test} is listed twice");
        for leaf in case.leaves() {
            assert!(known.contains(leaf), "{test} names {leaf}, but no leaf has this id");
        }
    }
    for (id, _) in NOT_REACHED {
        assert!(known.contains(id), "{id} is listed as not reached, but no leaf has this id");
    }
}

#[test]
fn generated_parity_table_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PARITY.md");
    let table = table();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
        std::fs::write(path, &table).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == table,
        "docs/PARITY.md differs from the cases; `UPDATE=1 cargo test --locked generated` writes it again"
    );
}
