//! The JSON types that several kinds share. They have only the fields that are read. A field with the value `null` is
//! treated as absent. The types of a single kind are in its file below `snapshot/kinds/`.

use crate::model::surroundings::Condition;
use crate::model::{
    self, AccessMode, AccessModes, Amount, AnnotationKey, Annotations, ClaimRef, LabelOperator, LabelRequirement,
    LabelSelector, Str, Timestamp,
};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// Defines the type of a JSON object with some named fields. Other fields are skipped and not kept. Unlike the structs
/// that serde derives, the type does not accept a list in place of the object, and `null` is read as an empty object.
macro_rules! object {
    ($name:ident { $($field:ident: $kind:ty = $key:literal),+ $(,)? }) => {
        #[derive(Default)]
        pub(in crate::snapshot) struct $name {
            $(pub(in crate::snapshot) $field: $kind,)+
        }

        const _: () = {
            use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
            use std::fmt;

            #[expect(non_camel_case_types, reason = "one variant for each field, under its name")]
            enum Key {
                $($field,)+
                __Unread,
            }

            struct KeyVisitor;

            impl Visitor<'_> for KeyVisitor {
                type Value = Key;

                fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str("a field name")
                }

                fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
                    Ok(match key {
                        $($key => Key::$field,)+
                        _ => Key::__Unread,
                    })
                }
            }

            impl<'de> Deserialize<'de> for Key {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_identifier(KeyVisitor)
                }
            }

            struct Fields;

            impl<'de> Visitor<'de> for Fields {
                type Value = $name;

                fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str("an object")
                }

                fn visit_unit<E: Error>(self) -> Result<$name, E> {
                    Ok($name::default())
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                    $(let mut $field: Option<$kind> = None;)+
                    while let Some(found) = map.next_key::<Key>()? {
                        match found {
                            $(Key::$field => {
                                if $field.is_some() {
                                    return Err(Error::custom(concat!("the field `", $key, "` occurs twice")));
                                }
                                $field = Some(map.next_value()?);
                            })+
                            Key::__Unread => {
                                map.next_value::<IgnoredAny>()?;
                            }
                        }
                    }
                    Ok($name { $($field: $field.unwrap_or_default(),)+ })
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_any(Fields)
                }
            }
        };
    };
}
pub(in crate::snapshot) use object;

object!(Meta {
    name: Text = "name",
    namespace: Text = "namespace",
    uid: Text = "uid",
    resource_version: Text = "resourceVersion",
    created: Moment = "creationTimestamp",
    deleted: Moment = "deletionTimestamp",
    deletion_grace_seconds: Option<i64> = "deletionGracePeriodSeconds",
    annotations: AnnotationMap = "annotations",
    labels: LabelMap = "labels",
    finalizers: List<Text> = "finalizers",
    owners: List<Owner> = "ownerReferences",
});
object!(Owner {
    api_version: Text = "apiVersion",
    kind: Text = "kind",
    name: Text = "name",
    uid: Text = "uid",
    controller: Option<bool> = "controller",
});

object!(Reference {
    api_version: Text = "apiVersion",
    kind: Text = "kind",
    namespace: Text = "namespace",
    name: Text = "name",
    uid: Text = "uid",
    resource_version: Text = "resourceVersion",
    field_path: Text = "fieldPath",
});

object!(Requirement { key: Text = "key", operator: Text = "operator", values: List<Text> = "values" });
object!(LabelTerms { labels: LabelMap = "matchLabels", expressions: List<Requirement> = "matchExpressions" });

object!(Requests { storage: Option<Amount> = "storage" });

object!(StatusCondition {
    kind: Text = "type",
    status: Text = "status",
    reason: Text = "reason",
    message: Text = "message",
    since: Moment = "lastTransitionTime",
});

object!(ManagedObject { metadata: ManagedMeta = "metadata" });
object!(ManagedMeta { managed: List<ManagedEntry> = "managedFields" });
object!(ManagedEntry { time: Moment = "time" });

object!(HeaderObject { api_version: Text = "apiVersion", kind: Text = "kind" });
object!(NamedObject { kind: Loose = "kind", metadata: Option<NamedMeta> = "metadata" });
object!(NamedMeta { namespace: Loose = "namespace", name: Loose = "name" });

impl Owner {
    fn owner(&self) -> model::Owner {
        model::Owner {
            api_version: self.api_version.0.clone(),
            kind: self.kind.0.clone(),
            name: self.name.0.clone(),
            uid: self.uid.0.clone(),
            controller: self.controller == Some(true),
        }
    }
}

impl List<Owner> {
    /// Returns the owners as values of the model.
    pub(in crate::snapshot) fn owners(&self) -> Box<[model::Owner]> {
        self.0.iter().map(Owner::owner).collect()
    }
}

/// Returns the conditions of a status as values of the model.
pub(in crate::snapshot) fn conditions(conditions: impl Iterator<Item = StatusCondition>) -> Box<[Condition]> {
    let condition = |condition: StatusCondition| Condition {
        kind: condition.kind.0,
        status: condition.status.0,
        reason: condition.reason.0,
        message: condition.message.0,
        since: condition.since.0,
    };
    conditions.map(condition).collect()
}

impl Reference {
    pub(in crate::snapshot) fn into_claim_ref(self) -> ClaimRef {
        ClaimRef {
            api_version: self.api_version.0,
            kind: self.kind.0,
            namespace: self.namespace.0,
            name: self.name.0,
            uid: self.uid.0,
            resource_version: self.resource_version.0,
            field_path: self.field_path.0,
        }
    }
}

impl LabelTerms {
    /// Returns the terms as a value of the model. Unlike [`Self::into_selector`], this function does not consume the
    /// object.
    pub(in crate::snapshot) fn selector(&self) -> LabelSelector {
        let expressions = self.expressions.0.iter().map(|requirement| LabelRequirement {
            key: requirement.key.0.clone(),
            operator: LabelOperator::from_manifest(&requirement.operator.0),
            values: requirement.values.0.iter().map(|value| value.0.clone()).collect(),
        });
        LabelSelector { match_labels: self.labels.0.as_slice().into(), expressions: expressions.collect() }
    }

    pub(in crate::snapshot) fn into_selector(self) -> LabelSelector {
        let expressions = self.expressions.0.into_iter().map(|requirement| LabelRequirement {
            key: requirement.key.0,
            operator: LabelOperator::from_manifest(&requirement.operator.0),
            values: requirement.values.strings(),
        });
        LabelSelector { match_labels: self.labels.0.into(), expressions: expressions.collect() }
    }
}

/// A string.
#[derive(Default)]
pub(in crate::snapshot) struct Text(pub(in crate::snapshot) Str);

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Str::new(text)))
    }

    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text::default())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A string. Any other JSON value becomes an empty string. This type reads the kind, namespace and name of an object
/// that has a wrong value.
#[derive(Default)]
pub(in crate::snapshot) struct Loose(pub(in crate::snapshot) String);

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose(text.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::default())
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

/// An access mode.
pub(in crate::snapshot) struct Mode(AccessMode);

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer).map(|mode| Self(AccessMode::from_manifest(&mode.0)))
    }
}

/// A time. Upstream accepts only RFC 3339 (`metav1.Time`, apimachinery, 1.36).
#[derive(Default)]
pub(in crate::snapshot) struct Moment(pub(in crate::snapshot) Option<Timestamp>);

struct MomentVisitor;

impl Visitor<'_> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a time such as 2026-06-01T10:00:00Z")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Moment, E> {
        match Timestamp::parse(text) {
            Some(moment) => Ok(Moment(Some(moment))),
            None => Err(E::custom("it is not a time such as 2026-06-01T10:00:00Z")),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Moment, E> {
        Ok(Moment::default())
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

/// The visitor for quantities. A quantity may also be a JSON number. Upstream: `Quantity.UnmarshalJSON`, apimachinery,
/// 1.36.
struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Amount;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a quantity such as 10Gi")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
        Amount::parse(text).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

/// Quantities, sorted by resource name.
#[derive(Default)]
pub(in crate::snapshot) struct Quantities(pub(in crate::snapshot) Vec<(Str, Amount)>);

struct QuantitiesVisitor;

impl<'de> Visitor<'de> for QuantitiesVisitor {
    type Value = Quantities;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of quantities")
    }

    fn visit_unit<E: Error>(self) -> Result<Quantities, E> {
        Ok(Quantities::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Quantities, A::Error> {
        let mut pairs: Vec<(Str, Amount)> = Vec::new();
        while let Some(Text(resource)) = map.next_key()? {
            if let Some(quantity) = map.next_value::<Option<Amount>>()? {
                if pairs.is_empty() {
                    pairs.reserve_exact(1);
                }
                pairs.push((resource, quantity));
            }
        }
        sorted(pairs).map(Quantities)
    }
}

impl<'de> Deserialize<'de> for Quantities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantitiesVisitor)
    }
}

/// Labels, sorted by key.
#[derive(Default)]
pub(in crate::snapshot) struct LabelMap(pub(in crate::snapshot) Vec<(Str, Str)>);

struct LabelsVisitor;

impl<'de> Visitor<'de> for LabelsVisitor {
    type Value = LabelMap;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of strings")
    }

    fn visit_unit<E: Error>(self) -> Result<LabelMap, E> {
        Ok(LabelMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LabelMap, A::Error> {
        let mut pairs: Vec<(Str, Str)> = Vec::new();
        while let Some((Text(key), Text(value))) = map.next_entry()? {
            pairs.push((key, value));
        }
        sorted(pairs).map(LabelMap)
    }
}

impl<'de> Deserialize<'de> for LabelMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LabelsVisitor)
    }
}

/// The keys of an object whose values are not read, sorted and without duplicates.
#[derive(Default)]
pub(in crate::snapshot) struct Keys(pub(in crate::snapshot) Box<[Str]>);

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_unit<E: Error>(self) -> Result<Keys, E> {
        Ok(Keys::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((Text(key), IgnoredAny)) = map.next_entry()? {
            keys.insert(key);
        }
        Ok(Keys(keys.into_iter().collect()))
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

fn sorted<T, E: Error>(mut pairs: Vec<(Str, T)>) -> Result<Vec<(Str, T)>, E> {
    pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(E::custom(format_args!("the key `{}` occurs twice", pair[0].0))),
        None => Ok(pairs),
    }
}

/// Annotations. The known keys are kept with their values, and all other keys are counted.
#[derive(Default)]
pub(in crate::snapshot) struct AnnotationMap(pub(in crate::snapshot) Annotations);

/// A key of the annotations. The value is `None` if the key is not one of [`AnnotationKey::ALL`].
struct KnownAnnotation(Option<AnnotationKey>);

struct KnownAnnotationVisitor;

impl Visitor<'_> for KnownAnnotationVisitor {
    type Value = KnownAnnotation;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an annotation's key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<KnownAnnotation, E> {
        Ok(KnownAnnotation(AnnotationKey::from_manifest(key)))
    }
}

impl<'de> Deserialize<'de> for KnownAnnotation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(KnownAnnotationVisitor)
    }
}

struct AnnotationsVisitor;

impl<'de> Visitor<'de> for AnnotationsVisitor {
    type Value = AnnotationMap;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of strings")
    }

    fn visit_unit<E: Error>(self) -> Result<AnnotationMap, E> {
        Ok(AnnotationMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnnotationMap, A::Error> {
        let mut known: Vec<(AnnotationKey, Str)> = Vec::new();
        let mut others = 0_u32;
        while let Some(KnownAnnotation(key)) = map.next_key()? {
            if let Some(key) = key {
                if known.iter().any(|(present, _)| *present == key) {
                    return Err(Error::custom(format_args!("the key `{}` occurs twice", key.as_str())));
                }
                known.push((key, map.next_value::<Text>()?.0));
            } else {
                map.next_value::<IgnoredAny>()?;
                others = others.saturating_add(1);
            }
        }
        Ok(AnnotationMap(Annotations::new(known, others)))
    }
}

impl<'de> Deserialize<'de> for AnnotationMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnnotationsVisitor)
    }
}

/// A list.
pub(in crate::snapshot) struct List<T>(pub(in crate::snapshot) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl List<Text> {
    pub(in crate::snapshot) fn strings<L: FromIterator<Str>>(self) -> L {
        self.0.into_iter().map(|text| text.0).collect()
    }
}

impl List<Mode> {
    pub(in crate::snapshot) fn modes(self) -> AccessModes {
        AccessModes(self.0.into_iter().map(|mode| mode.0).collect())
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<List<T>, E> {
        Ok(List::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            if elements.is_empty() {
                // Most lists have one element, so capacity for one element avoids a larger allocation.
                elements.reserve_exact(1);
            }
            elements.push(element);
        }
        Ok(List(elements))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}
