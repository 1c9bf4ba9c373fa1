//! Tests of `pvctl_core::model::lease`.

use pvctl_core::model::Timestamp;
use pvctl_core::model::lease::*;

#[test]
fn it_is_fresh_for_its_duration() {
    let lease =
        Lease { holder: "a".into(), renewed: Some(Timestamp(1000)), duration_seconds: Some(15), ..Lease::default() };
    assert_eq!(lease.is_fresh(Timestamp(1015)), Some(true));
    // The holder's clock is ahead: first by 60 seconds, then by 61.
    assert_eq!((lease.is_fresh(Timestamp(940)), lease.is_fresh(Timestamp(939))), (Some(true), Some(false)));
    // The Lease has expired and is not stale yet.
    assert_eq!((lease.is_fresh(Timestamp(1016)), lease.is_stale(Timestamp(1016))), (Some(false), Some(false)));
    assert_eq!((lease.is_fresh(Timestamp(1075)), lease.is_stale(Timestamp(1075))), (Some(false), Some(false)));
    assert_eq!(Lease { renewed: None, ..lease.clone() }.is_fresh(Timestamp(1000)), None);
    assert_eq!(Lease { duration_seconds: None, ..lease }.is_fresh(Timestamp(1000)), None);
}

#[test]
fn it_is_stale_after_its_duration_and_the_margin() {
    let lease =
        Lease { holder: "a".into(), renewed: Some(Timestamp(1000)), duration_seconds: Some(15), ..Lease::default() };
    assert_eq!(lease.is_stale(Timestamp(1075)), Some(false));
    assert_eq!(lease.is_stale(Timestamp(1076)), Some(true));
    assert_eq!(lease.is_stale(Timestamp(900)), Some(false));
    assert_eq!(Lease { renewed: None, ..lease.clone() }.is_stale(Timestamp(9000)), None);
    assert_eq!(Lease { duration_seconds: None, ..lease.clone() }.is_stale(Timestamp(9000)), None);
    assert_eq!(Lease { duration_seconds: Some(i64::MAX), ..lease }.is_stale(Timestamp(9000)), Some(false));
}

/// The expected names are those of Leases on real clusters. For rare cases, the names follow from the rule.
#[test]
fn drivers_leases_are_called_after_them() {
    for (driver, names) in [
        ("disk.csi.azure.com", &["disk-csi-azure-com", "disk.csi.azure.com"][..]),
        ("example.com/nfs", &["example-com-nfs", "example.com-nfs"]),
        ("plain", &["plain"]),
        ("a.b_", &["a-b-X", "a.b_"]),
        ("", &[]),
    ] {
        assert_eq!(names_of_provisioner(driver), names, "{driver}");
    }
    for (finalizer, name) in [
        ("disk-csi-azure-com", "external-attacher-leader-disk-csi-azure-com"),
        ("a-b-X", "external-attacher-leader-a-b-X"),
    ] {
        assert_eq!(names_of_attacher(finalizer), [name]);
    }
    assert_eq!(names_of_attacher(""), [""; 0]);
}
