//! These tests are about recipes in which people remove finalizers.

use super::{terminating, unfinalize_claim, unfinalize_volume};
use crate::repair::plans::{World, attachment, bound, changes, of, pod, volume};
use pvctl::repair::{ApiRequest, volume_key};
use serde_json::json;

/// Recipe 1: a person sets `finalizers: null` on a claim that stays Terminating. If a pod uses the claim, no plan
/// removes its protection.
#[test]
fn r1_no_claim_loses_its_protection_while_a_pod_uses_it() {
    let mut objects = bound();
    objects[1] = terminating(objects[1].clone());
    objects.push(pod("db", "shop-0", "data"));
    let world = World::new(objects);
    let protection = "kubernetes.io/pvc-protection";
    assert_eq!(world.refusal(&unfinalize_claim(protection, false)).by, "protected");
    let refusal = world.refusal(&unfinalize_claim(protection, true));
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        ("unused", "pods use claim db/data: shop-0; stop what runs them first")
    );
}

/// Recipes 1 and 2: a plan removes only one finalizer, by its index in the list, and only from the version that was
/// read.
#[test]
fn r1_r2_only_one_finalizer_is_removed() {
    let mut pv = terminating(volume("pv-1", "Released", of("db", "data", "c-gone")));
    pv["metadata"]["finalizers"] = json!(["example.com/a", "example.com/b"]);
    let world = World::new(vec![pv.clone()]);
    let plan = world.accepted(&unfinalize_volume("example.com/b", false));
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
    let write = plan.steps[0].write.as_ref().unwrap_or_else(|| panic!());
    let Some(ApiRequest { method, content_type, body, .. }) = write.request(Some(&pv), false) else { panic!() };
    assert_eq!((method, content_type), ("PATCH", "application/json-patch+json"));
    assert_eq!(
        body,
        json!([
            { "op": "test", "path": "/metadata/uid", "value": "v-pv-1" },
            { "op": "test", "path": "/metadata/resourceVersion", "value": "10" },
            { "op": "test", "path": "/metadata/finalizers/1", "value": "example.com/b" },
            { "op": "remove", "path": "/metadata/finalizers/1" },
        ])
    );
}

/// Recipes 2 and 11: a person removes the finalizers of an attached volume. While the volume is attached, no plan
/// removes them.
#[test]
fn r2_r11_attachment_finalizers_stay() {
    let mut pv = terminating(volume("pv-1", "Released", of("db", "data", "c-gone")));
    pv["metadata"]["finalizers"] = json!(["external-attacher/disk-csi-example-com"]);
    let world = World::new(vec![pv, attachment("pv-1")]);
    let finalizer = "external-attacher/disk-csi-example-com";
    assert_eq!(world.refusal(&unfinalize_volume(finalizer, false)).by, "protected");
    assert_eq!(world.refusal(&unfinalize_volume(finalizer, true)).by, "detached");
}

/// Recipe 2: the object of a volume is deleted only if its data are kept. Afterwards it is still known where the data
/// are.
#[test]
fn r2_a_volume_without_finalizers_leaves_its_data_and_its_address() {
    let mut pv = terminating(volume("pv-1", "Released", of("db", "data", "c-gone")));
    pv["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    pv["metadata"]["finalizers"] = json!(["external-provisioner.volume.kubernetes.io/finalizer"]);
    let finalizer = "external-provisioner.volume.kubernetes.io/finalizer";
    let plan = World::new(vec![pv]).accepted(&unfinalize_volume(finalizer, false));
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain".to_owned(), format!("pv/pv-1: without {finalizer}")]);
    assert_eq!(plan.saves, [volume_key("pv-1")]);
    let address =
        "the storage is not deleted: csi disk.csi.example.com handle-pv-1; afterwards only the journal names it";
    assert!(plan.notes.iter().any(|note| note == address), "{:?}", plan.notes);
}

/// Recipe 2: if the object of a volume were deleted, its claim would be Lost.
#[test]
fn r2_the_volume_of_a_live_claim_keeps_its_protection() {
    let mut objects = bound();
    objects[0] = terminating(objects[0].clone());
    let world = World::new(objects);
    let protection = "kubernetes.io/pv-protection";
    assert_eq!(world.refusal(&unfinalize_volume(protection, false)).by, "protected");
    let refusal = world.refusal(&unfinalize_volume(protection, true));
    assert_eq!(refusal.by, "held");
    assert!(refusal.message.contains("claim db/data"), "{refusal:?}");
}
