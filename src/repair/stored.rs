//! Checks whether the API server has stored what was sent. Mutating admission may change a request.

use super::write::{Change, Expect, PLAN_ANNOTATION, Reference, Seen, Write};
use crate::model::{AnnotationKey, Quantity};
use serde_json::Value;

impl Write {
    /// Returns the difference between this write and the API server's answer, in words: the field, the stored value,
    /// and the sent value. Returns `None` if the answer has everything that the write states, and the other fields that
    /// decide about the data are unchanged. Nobody else can have changed these fields in between, because the request
    /// named the version of the object.
    pub fn differs_stored(&self, before: Option<&Value>, stored: &Value) -> Option<String> {
        if let Change::Create { manifest } = &self.change {
            return created_otherwise(manifest, stored);
        }
        if let Change::CreateService { service } = &self.change {
            let plan = stored["metadata"]["annotations"][PLAN_ANNOTATION].as_str();
            return match Seen::decode(self.object.kind, stored) {
                Ok(Seen::Service(found)) => service.differs(&found, plan),
                Ok(Seen::Volume(_) | Seen::Claim(_) | Seen::Attachment(_)) => Some("it is no Service".to_owned()),
                Err(problem) => Some(format!("the answer is not understood: {problem}")),
            };
        }
        if matches!(self.change, Change::Delete) {
            return None;
        }
        let seen = match Seen::decode(self.object.kind, stored) {
            Ok(seen) => seen,
            Err(problem) => return Some(format!("the answer is not understood: {problem}")),
        };
        if let Change::RemoveFinalizer { finalizer } = &self.change
            && seen.meta().has_finalizer(finalizer)
        {
            return Some(format!("metadata.finalizers still has {finalizer}"));
        }
        // If this write removes the object, nothing is stored.
        if seen.meta().deleted.is_some() && seen.meta().finalizers.is_empty() {
            return None;
        }
        let stated = self.results().into_iter().map(|result| (result, "was sent"));
        let kept = before.map(|before| self.leaves(before)).unwrap_or_default();
        stated.chain(kept.into_iter().map(|kept| (kept, "was there before"))).find_map(|(result, whence)| {
            let found = result.differs(&seen)?;
            let (field, wanted) = result.shown();
            Some(format!("{field} is {found}, but {wanted} {whence}"))
        })
    }

    /// Returns those fields that decide about the data and that this write does not change, with their values before
    /// the write.
    fn leaves(&self, before: &Value) -> Vec<Expect> {
        match Seen::decode(self.object.kind, before) {
            Ok(Seen::Volume(volume)) => {
                let policy = Expect::ReclaimPolicy { is: volume.reclaim_policy.as_str().into() };
                let named = Expect::ClaimRef { is: volume.claim_ref.as_ref().map(Reference::from_stored) };
                match &self.change {
                    Change::SetReclaimPolicy { .. } => vec![named],
                    Change::SetClaimRef { .. } => vec![policy],
                    _ => vec![policy, named],
                }
            }
            Ok(Seen::Claim(claim)) if !matches!(self.change, Change::NameVolume { .. }) => {
                vec![Expect::VolumeName { is: claim.volume_name.clone() }]
            }
            Ok(Seen::Claim(_) | Seen::Attachment(_) | Seen::Service(_)) | Err(_) => Vec::new(),
        }
    }

    /// Returns the conditions that the object meets once a change of its fields is stored.
    fn results(&self) -> Vec<Expect> {
        match &self.change {
            Change::SetReclaimPolicy { to } => vec![Expect::ReclaimPolicy { is: to.clone() }],
            Change::SetClaimRef { to, bound_by_controller } => {
                let mark = AnnotationKey::BoundByController.as_str().into();
                let is = bound_by_controller.then(|| "yes".into());
                vec![Expect::ClaimRef { is: to.clone() }, Expect::Annotation { key: mark, is }]
            }
            Change::NameVolume { volume } => vec![Expect::VolumeName { is: volume.clone() }],
            Change::SetClass { class } => vec![Expect::Class { is: Some(class.clone()) }],
            Change::SetAnnotation { key, value } => vec![Expect::Annotation { key: key.clone(), is: value.clone() }],
            Change::RemoveFinalizer { .. } | Change::Create { .. } | Change::CreateService { .. } | Change::Delete => {
                Vec::new()
            }
        }
    }
}

/// Returns the difference between a created claim and its manifest. It is not a difference if admission sets a field
/// that the manifest does not state, such as the class, or if the same size is written in another form.
fn created_otherwise(manifest: &Value, stored: &Value) -> Option<String> {
    let shown = |value: &Value| if value.is_null() { "<unset>".to_owned() } else { value.to_string() };
    let plan = manifest["metadata"]["annotations"][PLAN_ANNOTATION].clone();
    if stored["metadata"]["annotations"][PLAN_ANNOTATION] != plan {
        return Some(format!("annotation {PLAN_ANNOTATION} is not {}, which was sent", shown(&plan)));
    }
    let (sent, found) = (&manifest["spec"], &stored["spec"]);
    let named = |spec: &Value| spec["volumeName"].as_str().unwrap_or_default().to_owned();
    if named(sent) != named(found) {
        return Some(format!(
            "spec.volumeName is {}, but {} was sent",
            shown(&found["volumeName"]),
            shown(&sent["volumeName"])
        ));
    }
    let field = ["storageClassName", "accessModes", "volumeMode"]
        .into_iter()
        .find(|field| !sent[field].is_null() && sent[field] != found[field]);
    if let Some(field) = field {
        return Some(format!("spec.{field} is {}, but {} was sent", shown(&found[field]), shown(&sent[field])));
    }
    let size = |spec: &Value| {
        let text = spec["resources"]["requests"]["storage"].as_str()?;
        Quantity::parse(text).ok().map(|quantity| quantity.value())
    };
    let (wanted, got) = (size(sent), size(found));
    (wanted.is_some() && wanted != got).then(|| {
        format!(
            "spec.resources.requests.storage is {}, but {} was sent",
            shown(&found["resources"]["requests"]["storage"]),
            shown(&sent["resources"]["requests"]["storage"])
        )
    })
}
