//! Tests of `pvctl::report::explanation::driver`.

use pvctl::model::{Lease, ObjectMeta, Timestamp};
use pvctl::report::explanation::{Awaited, DriverOut};
use pvctl::report::shared::wrap::wrap;

const NOW: Timestamp = Timestamp(1_800_000_000);

fn lease(namespace: &str, name: &str, holder: &str, age: i64) -> Lease {
    Lease {
        meta: ObjectMeta { namespace: namespace.into(), name: name.into(), ..ObjectMeta::default() },
        holder: holder.into(),
        renewed: Some(Timestamp(NOW.0 - age)),
        duration_seconds: Some(15),
    }
}

fn provisioner(leases: &[Lease], complete: bool) -> DriverOut {
    DriverOut::new(&Awaited::provisioner("x.example.com"), leases, complete, NOW)
}

const NAME: &str = "x-example-com";

#[test]
fn a_fresh_lease_shows_life() {
    let found = provisioner(&[lease("csi", NAME, "x-0", 3)], true);
    assert_eq!((found.lease, found.reason, found.next()), ("alive", None, None));
    assert_eq!(found.sentence(), "The external-provisioner of x.example.com is alive: x-0 renewed its Lease 3s ago.");
    let entries: Vec<String> =
        found.evidence.iter().map(|entry| format!("{} {} {}", entry.object, entry.field, entry.value)).collect();
    let object = "lease/x-example-com -n csi";
    assert_eq!(
        entries,
        [
            format!("{object} spec.holderIdentity x-0"),
            format!("{object} spec.renewTime {}", Timestamp(NOW.0 - 3)),
            format!("{object} spec.leaseDurationSeconds 15"),
            format!("{object} age 3s"),
        ]
    );
    // The stale Lease of an earlier installation and Leases with other names are ignored. A fresh Lease is enough, even
    // if not all Leases could be read.
    let both = [lease("old", NAME, "x-9", 90_000), lease("csi", NAME, "x-0", 3), lease("csi", "y", "y-0", 1)];
    assert_eq!(provisioner(&both, false), found);
    // If a provisioner is not a CSI driver, the name of its Lease has dots.
    assert_eq!(provisioner(&[lease("csi", "x.example.com", "x-0", 3)], true).lease, "alive");
}

#[test]
fn a_stale_lease_says_since_when() {
    let found = provisioner(&[lease("csi", NAME, "x-0", 7200), lease("old", NAME, "x-9", 90_000)], true);
    assert_eq!((found.lease, found.reason), ("stale", None));
    assert_eq!(
        found.sentence(),
        format!(
            "Probably the external-provisioner of x.example.com does not run: its Lease x-example-com in csi was last \
             renewed at {}, 120m before it was read (x-0 held it).",
            Timestamp(NOW.0 - 7200)
        )
    );
    assert_eq!(
        found.next().map(|next| next.what).as_deref(),
        Some(
            "find out why the external-provisioner of x.example.com does not run: nobody renews its Lease in namespace \
             csi"
        )
    );
    // A component that stops normally releases its Lease.
    assert!(provisioner(&[lease("csi", NAME, "", 7200)], true).sentence().ends_with("(nobody holds it)."));
}

#[test]
fn an_unknown_driver_is_not_called_dead() {
    let unset = Lease { meta: lease("csi", NAME, "", 0).meta, ..Lease::default() };
    let mut endless = lease("csi", NAME, "x-0", 3);
    endless.duration_seconds = None;
    for (leases, complete, reason, why) in [
        (&[][..], true, "none", "there is no Lease with its name, but not every driver has a Lease"),
        (&[], false, "unread", "Leases could not be read in all namespaces"),
        (
            &[lease("csi", "other", "x-0", 3)],
            true,
            "none",
            "there is no Lease with its name, but not every driver has a Lease",
        ),
        (
            &[lease("csi", NAME, "x-0", 16)],
            true,
            "expired",
            "its Lease x-example-com in csi was renewed 16s ago and has just expired",
        ),
        (
            &[lease("csi", NAME, "", 1)],
            true,
            "expired",
            "its Lease x-example-com in csi was released 1s ago, and nobody holds it",
        ),
        (
            &[lease("csi", NAME, "x-0", -61)],
            true,
            "expired",
            &format!(
                "its Lease x-example-com in csi says that it was renewed at {}, which is in the future",
                Timestamp(NOW.0 + 61)
            ),
        ),
        (&[endless], true, "expired", "its Lease x-example-com in csi does not say for how long it is held"),
        (&[unset], true, "expired", "its Lease x-example-com in csi does not say when it was renewed"),
    ] {
        let found = provisioner(leases, complete);
        assert_eq!((found.lease, found.reason, found.next()), ("unknown", Some(reason), None));
        assert_eq!(
            found.sentence(),
            format!("Whether the external-provisioner of x.example.com runs is not known: {why}.")
        );
    }
}

#[test]
fn attachers_are_known_by_their_finalizers() {
    let finalizers = ["kubernetes.io/pv-protection", "external-attacher/x-example-com"];
    let all: Vec<Awaited> = finalizers.into_iter().filter_map(Awaited::attacher).collect();
    let [awaited] = all.as_slice() else { unreachable!("exactly one finalizer must belong to an attacher: {all:?}") };
    assert_eq!(awaited.leases, ["external-attacher-leader-x-example-com"]);
    let leases = [lease("csi", "external-attacher-leader-x-example-com", "x-0", 3)];
    let found = DriverOut::new(awaited, &leases, true, NOW);
    assert_eq!((found.component, found.lease), ("external-attacher", "alive"));
}

#[test]
fn the_text_of_a_lease_is_sanitized() {
    let found = provisioner(&[lease("csi", NAME, "a\u{1b}[2Jb", 3)], true);
    let line = wrap(found.sentence(), None, 0);
    assert!(line.starts_with("The external-provisioner") && !line.contains('\u{1b}'), "{line}");
}
