//! The reason why a volume and a claim do not fit.

use super::facts::names;
use crate::controllers::CandidateVerdict;
use crate::model::{AccessMode, AccessModes, ClaimRef, PersistentVolume, PersistentVolumeClaim, Quantity};

/// One field because of which a volume and a claim do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The path of the volume's field.
    pub field: &'static str,
    /// The volume's value. `<unset>` means that there is no value.
    pub has: String,
    /// The value that the claim requests.
    pub wants: String,
    /// The path of the claim's field that makes the request, if there is one.
    pub claim_field: Option<&'static str>,
    /// The difference in words, as short as possible. The words have both values only if the reader needs both.
    pub words: String,
}

/// Describes the verdict of the matching on this volume and this claim. Returns None if the volume fits. Also returns
/// None if the verdict depends on something else: on the node, on another claim of the pod, or on a smaller volume. For
/// `CandidateDelayed`, the values are the two classes, which may be equal.
pub fn misfit(volume: &PersistentVolume, claim: &PersistentVolumeClaim, verdict: CandidateVerdict) -> Option<Misfit> {
    let claim_field = claim_field(verdict);
    let of = |field, has: String, wants: String, words: String| Some(Misfit { field, has, wants, claim_field, words });
    match verdict {
        CandidateVerdict::CandidateClaimedByOther => {
            let named = volume.claim_ref.as_ref()?;
            let same = names(named, claim);
            let words = if same {
                "claimed by an earlier claim of this name".to_owned()
            } else {
                format!("claimed by {}", claim_name(named))
            };
            let uid = |uid: &str| format!(" (uid {})", crate::snapshot::printed(uid));
            let suffix = |id: &str| if same { uid(id) } else { String::new() };
            of(
                "spec.claimRef",
                format!("{}{}", claim_name(named), suffix(&named.uid)),
                format!("{}{}", claim.key(), suffix(&claim.meta.uid)),
                words,
            )
        }
        CandidateVerdict::CandidateTooSmall => {
            let has = volume.storage().map_or_else(|| "<unset>".to_owned(), Quantity::to_string);
            let wants = claim.requested().unwrap_or(Quantity::ZERO).to_string();
            let words = format!("capacity {has} < requested {wants}");
            of("spec.capacity.storage", has, wants, words)
        }
        CandidateVerdict::CandidateVolumeMode => {
            let (has, wants) = (volume.mode().as_str().to_owned(), claim.mode().as_str().to_owned());
            let words = format!("volume mode {has} != {wants}");
            of("spec.volumeMode", has, wants, words)
        }
        CandidateVerdict::CandidateAttributesClass => {
            let (has, wants) = (volume.attributes_class(), claim.attributes_class());
            let words = differing("attributes class", has, wants);
            of("spec.volumeAttributesClassName", shown(has), shown(wants), words)
        }
        CandidateVerdict::CandidateDeleting => {
            let since = volume.meta.deleted.map_or_else(|| "<unset>".to_owned(), |since| since.to_string());
            of("metadata.deletionTimestamp", since, "<unset>".to_owned(), "is being deleted".to_owned())
        }
        CandidateVerdict::CandidatePhase => {
            let has = shown(volume.status.phase.as_str());
            let words = format!("phase {has}, not Available");
            of("status.phase", has, "Available".to_owned(), words)
        }
        CandidateVerdict::CandidateSelector => {
            let selector = claim.selector.as_ref()?;
            let compiled = selector.compile().ok()?;
            let mismatch = compiled.first_mismatch(&volume.meta.labels)?;
            let has = mismatch.found.map_or_else(|| "<unset>".to_owned(), |found| format!("{}={found}", mismatch.key));
            let words = format!("selector {mismatch}");
            let wants = words.split(", but ").next().unwrap_or_default().trim_start_matches("selector ").to_owned();
            of("metadata.labels", has, wants, words)
        }
        CandidateVerdict::CandidateClass => {
            let (has, wants) = (volume.class(), claim.class());
            of("spec.storageClassName", shown(has), shown(wants), differing("class", has, wants))
        }
        CandidateVerdict::CandidateAccessModes => {
            let missing: Vec<&str> = missing_modes(&volume.access_modes, &claim.access_modes);
            let words = format!("lacks {}", missing.join(","));
            of("spec.accessModes", modes(&volume.access_modes), modes(&claim.access_modes), words)
        }
        CandidateVerdict::CandidateDelayed => of(
            "spec.storageClassName",
            shown(volume.class()),
            shown(claim.class()),
            "free, but the scheduler chooses the volume (WaitForFirstConsumer)".to_owned(),
        ),
        CandidateVerdict::CandidateExcluded
        | CandidateVerdict::CandidateReserved
        | CandidateVerdict::CandidateReservedWrongNode
        | CandidateVerdict::CandidateNodeAffinity
        | CandidateVerdict::CandidateNotSmaller
        | CandidateVerdict::CandidateChosen => None,
    }
}

/// Returns the field of the claim that was compared for this verdict.
fn claim_field(verdict: CandidateVerdict) -> Option<&'static str> {
    match verdict {
        CandidateVerdict::CandidateTooSmall => Some("spec.resources.requests.storage"),
        CandidateVerdict::CandidateVolumeMode => Some("spec.volumeMode"),
        CandidateVerdict::CandidateAttributesClass => Some("spec.volumeAttributesClassName"),
        CandidateVerdict::CandidateSelector => Some("spec.selector"),
        CandidateVerdict::CandidateClass | CandidateVerdict::CandidateDelayed => Some("spec.storageClassName"),
        CandidateVerdict::CandidateAccessModes => Some("spec.accessModes"),
        _ => None,
    }
}

/// Returns the requested access modes that the volume does not have, in the short form of `kubectl get`.
pub fn missing_modes<'m>(has: &AccessModes, wants: &'m AccessModes) -> Vec<&'m str> {
    wants.0.iter().filter(|mode| !has.0.contains(mode)).map(short_mode).collect()
}

/// Returns access modes in the short form of `kubectl get` and in their stored order. `<unset>` means that there are no
/// modes.
pub fn modes(modes: &AccessModes) -> String {
    if modes.is_empty() {
        return "<unset>".to_owned();
    }
    modes.0.iter().map(short_mode).collect::<Vec<_>>().join(",")
}

fn short_mode(mode: &AccessMode) -> &str {
    match mode {
        AccessMode::ReadWriteOnce => "RWO",
        AccessMode::ReadOnlyMany => "ROX",
        AccessMode::ReadWriteMany => "RWX",
        AccessMode::ReadWriteOncePod => "RWOP",
        AccessMode::Other(mode) => mode,
    }
}

/// Describes two different values, one of which may be missing: `class "slow" != "fast"`, `no class, wanted "fast"`.
pub fn differing(what: &str, has: &str, wants: &str) -> String {
    match (has.is_empty(), wants.is_empty()) {
        (true, _) => format!("no {what}, wanted \"{wants}\""),
        (false, true) => format!("{what} \"{has}\", wanted none"),
        (false, false) => format!("{what} \"{has}\" != \"{wants}\""),
    }
}

/// Returns a class as a sentence names it: `class "fast"` or `no class`.
pub fn class_words(class: &str) -> String {
    if class.is_empty() { "no class".to_owned() } else { format!("class \"{class}\"") }
}

/// Returns words that state the class of an object: `of class "fast"` or `without a class`.
pub fn of_class(class: &str) -> String {
    if class.is_empty() { "without a class".to_owned() } else { format!("of class \"{class}\"") }
}

/// Returns the value, or `<unset>` if it is empty.
pub fn shown(value: &str) -> String {
    if value.is_empty() { "<unset>".to_owned() } else { value.to_owned() }
}

/// Returns the claim that a `claimRef` names, as `namespace/name`. If a part is missing, the text says so.
pub fn claim_name(named: &ClaimRef) -> String {
    claim_words(&named.namespace, &named.name)
}

/// Returns a claim as `namespace/name`. If a part is missing, the text says so.
pub fn claim_words(namespace: &str, name: &str) -> String {
    match (namespace.is_empty(), name.is_empty()) {
        (true, true) => "a claim without a name".to_owned(),
        (true, false) => format!("{name} (in no namespace)"),
        (false, true) => format!("a claim without a name in {namespace}"),
        (false, false) => format!("{namespace}/{name}"),
    }
}
