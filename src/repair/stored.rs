//! Whether the API server has stored what was sent. Mutating admission may change a request on its way.

use super::write::{Change, Expect, PLAN_ANNOTATION, Seen, Write};
use crate::model::{AnnotationKey, Quantity};
use serde_json::Value;

impl Write {
    /// What differs from this write in the object that the API server answered with, in words: the field, what was
    /// sent, what is stored. Nothing where all that the write states is there.
    pub fn differs_stored(&self, stored: &Value) -> Option<String> {
        if let Change::Create { manifest } = &self.change {
            return created_otherwise(manifest, stored);
        }
        if matches!(self.change, Change::Delete) {
            return None;
        }
        let seen = match Seen::decode(self.object.kind, stored) {
            Ok(seen) => seen,
            Err(problem) => return Some(format!("the answer is not understood: {problem}")),
        };
        if let Change::RemoveFinalizer { finalizer } = &self.change {
            let has = seen.meta().has_finalizer(finalizer);
            return has.then(|| format!("metadata.finalizers still has {finalizer}"));
        }
        self.results().iter().find_map(|result| {
            let found = result.differs(&seen)?;
            let (field, sent) = result.shown();
            Some(format!("{field} is {found}, where {sent} was sent"))
        })
    }

    /// What holds of the object once a change of its fields is stored.
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
            Change::RemoveFinalizer { .. } | Change::Create { .. } | Change::Delete => Vec::new(),
        }
    }
}

/// What of a created claim is other than its manifest says. A class is set by admission where none is stated, and the
/// API server writes sizes in its own form.
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
            "spec.volumeName is {}, where {} was sent",
            shown(&found["volumeName"]),
            shown(&sent["volumeName"])
        ));
    }
    let field = ["storageClassName", "accessModes", "volumeMode"]
        .into_iter()
        .find(|field| !sent[field].is_null() && sent[field] != found[field]);
    if let Some(field) = field {
        return Some(format!("spec.{field} is {}, where {} was sent", shown(&found[field]), shown(&sent[field])));
    }
    let size = |spec: &Value| {
        let text = spec["resources"]["requests"]["storage"].as_str()?;
        Quantity::parse(text).ok().map(|quantity| quantity.value())
    };
    let (wanted, got) = (size(sent), size(found));
    (wanted.is_some() && wanted != got).then(|| {
        format!(
            "spec.resources.requests.storage is {}, where {} was sent",
            shown(&found["resources"]["requests"]["storage"]),
            shown(&sent["resources"]["requests"]["storage"])
        )
    })
}
