//! The binding of a claim and a volume, seen from both sides: the fields of the claim that name the volume, and the
//! fields of the volume that name the claim.

use crate::diagnosis::misfit::{claim_name, shown};
use crate::diagnosis::unread::hidden;
use crate::model::{AnnotationKey, Kind, ObjectId, PersistentVolume, PersistentVolumeClaim, TypedId};
use crate::snapshot::printed;
use crate::snapshot::{Snapshot, VolumeId};
use serde::Serialize;

/// The largest number of volumes whose fields are shown.
const MOST: usize = 4;

/// The fields of both sides of a binding.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BindingOut {
    /// The fields of the claims.
    pub claim: Vec<FieldOut>,
    /// The fields of the volumes.
    pub volume: Vec<FieldOut>,
}

/// A field of one side, compared with the other side.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldOut {
    /// The object as users type it for kubectl.
    pub object: String,
    /// The path of the field.
    pub field: &'static str,
    /// The value of the field. It is `<unset>` if the field is not set.
    pub value: String,
    /// `ok`: the field agrees with the other side. `mismatch`: it does not agree. `absent`: the field is not set, but
    /// should be set. `info`: the other side has no field to compare. `unknown`: the other side could not be read.
    pub verdict: &'static str,
    /// The value that the field of the object should have. The field is absent unless the verdict is `mismatch` or
    /// `absent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

/// Returns the binding of an object. The result is `None` if neither side names the other, or if the object is neither
/// a claim nor a volume.
pub(super) fn of_object(snapshot: &Snapshot, target: ObjectId) -> Option<BindingOut> {
    let mut binding = BindingOut::default();
    match target.typed() {
        TypedId::PersistentVolumeClaim(id) => {
            let claim = snapshot.claim(id);
            let mut volumes: Vec<VolumeId> = snapshot.volume_id(&claim.volume_name).into_iter().collect();
            for id in snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name) {
                if !volumes.contains(id) {
                    volumes.push(*id);
                }
            }
            if volumes.is_empty() && claim.volume_name.is_empty() {
                return None;
            }
            let object = format!("pvc/{}", claim.meta.name);
            binding.claim_side(&object, claim, volumes.first().map(|id| snapshot.volume(*id)));
            for id in volumes.into_iter().take(MOST) {
                binding.volume_side(snapshot.volume(id), Some(claim));
            }
            let named = snapshot.volume_id(&claim.volume_name);
            if named.is_none() && hidden(snapshot, Kind::PersistentVolume, None, &claim.volume_name).is_some() {
                BindingOut::leave_open(&mut binding.claim, "spec.volumeName");
            }
        }
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            let named = volume.claim_ref.as_ref();
            let own = named.and_then(|named| snapshot.claim_id(&named.namespace, &named.name));
            if named.is_none() && snapshot.claims_naming(&volume.meta.name).is_empty() {
                return None;
            }
            binding.volume_side(volume, own.map(|id| snapshot.claim(id)));
            if let Some(own) = own {
                binding.claim_side(&elsewhere(snapshot.claim(own)), snapshot.claim(own), Some(volume));
            }
            if let Some(named) = named
                && own.is_none()
                && hidden(snapshot, Kind::PersistentVolumeClaim, Some(&named.namespace), &named.name).is_some()
            {
                BindingOut::leave_open(&mut binding.volume, "spec.claimRef");
            }
            for id in snapshot.claims_naming(&volume.meta.name).iter().filter(|id| Some(**id) != own).take(MOST) {
                binding.claim_side(&elsewhere(snapshot.claim(*id)), snapshot.claim(*id), Some(volume));
            }
        }
        _ => return None,
    }
    Some(binding)
}

/// Returns the claim with its namespace. Several claims with the same name, in different namespaces, may name one
/// volume.
pub(super) fn elsewhere(claim: &PersistentVolumeClaim) -> String {
    format!("pvc/{} -n {}", claim.meta.name, claim.meta.namespace)
}

impl BindingOut {
    /// Replaces the verdict `mismatch` with `unknown`. It is called if the object that the field names was not read.
    fn leave_open(side: &mut [FieldOut], path: &str) {
        for field in side.iter_mut().filter(|field| field.field == path && field.verdict == "mismatch") {
            field.verdict = "unknown";
            field.wanted = None;
        }
    }

    fn claim_side(&mut self, object: &str, claim: &PersistentVolumeClaim, volume: Option<&PersistentVolume>) {
        let named = volume.is_some_and(|volume| volume.meta.name == claim.volume_name);
        let mut push = |field, value: String, verdict, wanted| {
            self.claim.push(FieldOut { object: object.to_owned(), field, value, verdict, wanted });
        };
        // A volume without a claimRef can be bound.
        let open =
            |volume: &PersistentVolume| volume.claim_ref.as_ref().is_none_or(|named| named.claim_key() == claim.key());
        let verdict = match (claim.volume_name.is_empty(), named) {
            (true, _) => "info",
            (false, true) if volume.is_some_and(open) => "ok",
            (false, _) => "mismatch",
        };
        let wanted = match (verdict, volume) {
            ("mismatch", Some(_)) if named => Some("a volume that is free or names this claim".to_owned()),
            ("mismatch", Some(volume)) => Some(volume.meta.name.to_string()),
            ("mismatch", None) => Some("a volume that exists".to_owned()),
            _ => None,
        };
        push("spec.volumeName", shown(&claim.volume_name), verdict, wanted);
        push("metadata.uid", printed(&claim.meta.uid).to_owned(), "info", None);
        push("status.phase", shown(claim.status.phase.as_str()), "info", None);
        for key in [AnnotationKey::BindCompleted, AnnotationKey::BoundByController] {
            let value = claim.meta.annotations.get(key).unwrap_or("<unset>").to_owned();
            push(annotation_path(key), value, "info", None);
        }
    }

    fn volume_side(&mut self, volume: &PersistentVolume, claim: Option<&PersistentVolumeClaim>) {
        let object = format!("pv/{}", volume.meta.name);
        let mut push = |field, value: String, verdict, wanted| {
            self.volume.push(FieldOut { object: object.clone(), field, value, verdict, wanted });
        };
        match &volume.claim_ref {
            None => {
                let wanted = claim.map(|claim| claim.key().to_string());
                push("spec.claimRef", "<unset>".to_owned(), if claim.is_some() { "absent" } else { "info" }, wanted);
            }
            Some(named) => {
                let key = claim.map(PersistentVolumeClaim::key);
                let names_it = key.as_ref().is_some_and(|key| *key == named.claim_key());
                let verdict = if names_it { "ok" } else { "mismatch" };
                let wanted = if names_it {
                    None
                } else {
                    Some(key.map_or_else(|| "a claim that exists".to_owned(), |key| key.to_string()))
                };
                push("spec.claimRef", claim_name(named), verdict, wanted);
                let uid = claim.map(|claim| &claim.meta.uid);
                let (verdict, wanted) = match uid {
                    Some(uid) if *uid == named.uid => ("ok", None),
                    // The volume is reserved for a claim that is not bound yet.
                    Some(_) if named.uid.is_empty() && names_it && claim.is_some_and(is_open) => ("ok", None),
                    Some(uid) => ("mismatch", Some(printed(uid).to_owned())),
                    None => ("info", None),
                };
                push("spec.claimRef.uid", shown(printed(&named.uid)), verdict, wanted);
            }
        }
        push("status.phase", shown(volume.status.phase.as_str()), "info", None);
        for key in [AnnotationKey::BoundByController, AnnotationKey::ProvisionedBy, AnnotationKey::MigratedTo] {
            if let Some(value) = volume.meta.annotations.get(key) {
                push(annotation_path(key), value.to_owned(), "info", None);
            }
        }
    }
}

fn is_open(claim: &PersistentVolumeClaim) -> bool {
    !claim.meta.annotations.has(AnnotationKey::BindCompleted)
}

fn annotation_path(key: AnnotationKey) -> &'static str {
    match key {
        AnnotationKey::BindCompleted => "metadata.annotations[pv.kubernetes.io/bind-completed]",
        AnnotationKey::BoundByController => "metadata.annotations[pv.kubernetes.io/bound-by-controller]",
        AnnotationKey::ProvisionedBy => "metadata.annotations[pv.kubernetes.io/provisioned-by]",
        AnnotationKey::MigratedTo => "metadata.annotations[pv.kubernetes.io/migrated-to]",
        other => other.as_str(),
    }
}
