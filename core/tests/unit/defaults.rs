//! Tests of the defaults that a snapshot sets.

use pvctl_core::model::{
    Amount, AnnotationKey, ObjectMeta, Objects, PersistentVolumeClaim, StorageClass, Str, VolumeMode,
};
use pvctl_core::snapshot::{Parts, Snapshot};

/// The expected amounts are those that the API server of 1.36.3 stores. Any amount below a thousandth becomes a
/// thousandth.
#[test]
fn amounts_below_a_thousandth_are_rounded_up() {
    let stored = |text: &str| {
        let mut amount = Amount::parse(text).ok()?;
        amount.round_up_to_milli();
        Some(amount.to_string())
    };
    for (written, expected) in
        [("1u", "1m"), ("2n", "1m"), ("1001u", "2m"), ("-1n", "-1m"), ("1m", "1m"), ("0", "0"), ("1.5Gi", "1536Mi")]
    {
        assert_eq!(stored(written).as_deref(), Some(expected), "{written}");
    }
    let claim = PersistentVolumeClaim {
        meta: ObjectMeta { uid: "u".into(), ..ObjectMeta::default() },
        request: Amount::parse("2u").ok(),
        volume_mode: Some(VolumeMode::Filesystem),
        ..PersistentVolumeClaim::default()
    };
    let objects = Objects { claims: vec![claim], ..Objects::default() };
    let snapshot = Snapshot::new(Parts { objects, ..Parts::default() });
    assert_eq!(snapshot.claims()[0].request.as_ref().map(ToString::to_string).as_deref(), Some("1m"));
}

fn class_of(uid: &str, stated: Option<&str>) -> Option<String> {
    let mut class =
        StorageClass { meta: ObjectMeta { name: "std".into(), ..ObjectMeta::default() }, ..StorageClass::default() };
    class.meta.annotations.set(AnnotationKey::IsDefaultClass, "true");
    let claim = PersistentVolumeClaim {
        meta: ObjectMeta { name: "data".into(), uid: uid.into(), ..ObjectMeta::default() },
        class_name: stated.map(Str::from),
        ..PersistentVolumeClaim::default()
    };
    let objects = Objects { claims: vec![claim], classes: vec![class], ..Objects::default() };
    let snapshot = Snapshot::new(Parts { objects, ..Parts::default() });
    snapshot.claims()[0].class_name.as_deref().map(str::to_owned)
}

/// Admission acts only on creation, and only if no class is stated.
#[test]
fn a_claim_that_was_never_stored_gets_the_default_class() {
    assert_eq!(class_of("", None).as_deref(), Some("std"));
    assert_eq!(class_of("", Some("")).as_deref(), Some(""));
    assert_eq!(class_of("", Some("fast")).as_deref(), Some("fast"));
    assert_eq!(class_of("u", None), None);
}
