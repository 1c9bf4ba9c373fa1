//! The diagnosis of an object as data. It has the same form in every document.

use crate::diagnosis::pod::{PodVolume, StageFact};
use crate::diagnosis::{Advice, Diagnosis, Expansion, Growth, Member, Modification, Said, noun};
use crate::model::{ObjectKey, Timestamp};
use crate::text::capitalized;
use serde::Serialize;

/// The diagnosis of an object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DiagnosisOut {
    /// The state: `well`, `waiting` (as expected), `stuck`, `broken`, `atRisk` or `unknown`.
    pub state: &'static str,
    /// The state and its cause in one sentence.
    pub headline: String,
    /// Other facts that a person has to know, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub details: Vec<String>,
    /// The cause. The field is absent if the object is well or waits as expected, or if the cause is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<RootOut>,
    /// The objects between this object and the object of the cause. It is empty if the cause is on the object itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub chain: Vec<LinkOut>,
    /// Who has to act next.
    pub actor: ActorOut,
    /// What a person can do. The verbs of pvctl are first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub remedies: Vec<AdviceOut>,
    /// What happens to the data. The field is absent if the object has no data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<ProspectOut>,
    /// What other components have said about the object and the objects around it: the newest warning of each, and the
    /// messages in their status.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub said: Vec<SaidOut>,
    /// The time since which the problem exists, as RFC 3339. The field is absent if no object states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The volumes of a pod that use claims, with their stages. The list is absent for other objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub volumes: Vec<PodVolumeOut>,
    /// For a claim, or for each claim of a pod: the expansion of its volume, and its change to another
    /// VolumeAttributesClass. The list is absent if neither is requested or going on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub volume_changes: Vec<VolumeChangeOut>,
    /// The pods of a workload, a node, a Service or a VolumeAttachment. The list is absent for other objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub pods: Vec<MemberOut>,
    /// The number of seconds since `since`, for the text.
    #[serde(skip)]
    pub lasted: Option<i64>,
}

/// A volume of a pod that uses a claim.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PodVolumeOut {
    /// The name of the volume in the pod.
    pub volume: String,
    /// The name of the claim.
    pub claim: String,
    /// The name of the PersistentVolume to which the claim is bound. The field is absent if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub pv: String,
    /// All stages in order.
    pub stages: Vec<StageOut>,
}

/// The state of one stage of a volume of a pod, as objects record it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageOut {
    /// `claim`, `bound`, `scheduled`, `attached`, `mounted` or `running`.
    pub stage: &'static str,
    /// `done`, `waiting`, `broken`, `notYet` or `unknown`. It is `unknown` if no object records the state.
    pub state: &'static str,
    /// The object that records the state.
    pub object: NamedOut,
    /// The time since which the stage has this state, as RFC 3339. The field is absent if no object states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What this object says about the stage. The field is absent if there is nothing to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub says: String,
}

/// The expansion of a claim's volume, and its change to another VolumeAttributesClass.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VolumeChangeOut {
    /// The claim.
    pub claim: NamedOut,
    /// The expansion. The field is absent if none is requested or going on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansion: Option<ExpansionOut>,
    /// The change of the class. The field is absent if none is requested or going on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modification: Option<ModificationOut>,
}

/// The expansion of a claim's volume.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExpansionOut {
    /// `requested`, `controllerInProgress`, `controllerFailing`, `controllerInfeasible`, `nodePending`,
    /// `nodeInProgress`, `nodeFailing` or `nodeInfeasible`.
    pub stage: String,
    /// The size to which the volume is being expanded.
    pub target: String,
    /// The size that the claim requests. The field is absent if it is the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// Whether a quota counts the target, because it is larger than the request.
    pub target_is_counted: bool,
}

/// The change of a claim's volume to another VolumeAttributesClass.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModificationOut {
    /// `requested`, `pending`, `inProgress`, `failing`, `infeasible` or `cancelled`.
    pub stage: String,
    /// The class to which the volume is being changed.
    pub target: String,
    /// The class that the claim names. The field is absent if it is the target, and empty if the claim names no class
    /// any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
}

/// A pod that belongs to the explained object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemberOut {
    /// The pod.
    pub object: NamedOut,
    /// The state of the pod, as for any diagnosis.
    pub state: &'static str,
    /// The state and its cause in one sentence.
    pub headline: String,
    /// The object that has the cause. The field is absent if no rule reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<NamedOut>,
    /// The id of the rule that reports the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

/// An object by its kind and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedOut {
    /// The kind.
    pub kind: &'static str,
    /// The namespace, for kinds that have one.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The object in the words of a sentence.
    #[serde(skip)]
    pub words: String,
}

/// The cause of a state.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RootOut {
    /// The object that has the problem.
    pub object: NamedOut,
    /// The id of the rule that reports the problem.
    pub rule: &'static str,
    /// The first field that proves the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// The value of this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// One step from an object towards the object of the cause.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkOut {
    /// The object to which this step leads.
    pub object: NamedOut,
    /// The relation of the previous object to this one: `uses`, `usedBy`, `boundTo`, `scheduledOn`, `attachedBy`,
    /// `ownedBy`, `servedBy`, `inNamespace` or `dependsOn`.
    pub link: &'static str,
    /// What is wrong with this object.
    pub says: String,
}

/// Who has to act next.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActorOut {
    /// `nobody`, `user`, `scheduler`, `driver`, `controller` or `node`.
    pub who: &'static str,
    /// The name of the driver, controller or pod. The field is absent for others.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub name: String,
    /// What this person or component has to do.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub does: String,
}

/// Something that a person can do.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdviceOut {
    /// The verb of pvctl that the command runs, or `kubectl`. The field is absent if there is no command.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub verb: &'static str,
    /// The command as users type it. The field is absent if there is no command.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub command: String,
    /// What the command does. If there is no command, what a person has to do.
    pub does: String,
    /// The assumptions on which the advice rests, for example that there are no other pods. The command is right only
    /// if they are true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub assumes: Vec<String>,
}

/// What happens to the data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProspectOut {
    /// `kept`, `handedToDriver`, `destroyed` or `scrubbed`.
    pub fate: &'static str,
    /// When this happens.
    pub when: &'static str,
}

/// Something that a component has said.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SaidOut {
    /// The object that the message is about.
    pub about: NamedOut,
    /// The component. The field is absent if it is unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub source: String,
    /// The reason of the event, or the field that has the message.
    pub reason: String,
    /// The whole message, on one line.
    pub message: String,
    /// How often the message was sent.
    pub count: u64,
    /// When the message was sent the last time, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Whether a later change has made the message outdated, so that it is not a cause any more.
    pub void: bool,
    /// The number of seconds since the message was sent, for the text.
    #[serde(skip)]
    pub age: Option<i64>,
}

impl NamedOut {
    /// Returns the object with this key.
    pub fn new(object: &ObjectKey) -> Self {
        let ObjectKey { kind, namespace, name } = object;
        Self { kind: kind.as_str(), namespace: namespace.to_string(), name: name.to_string(), words: noun(object) }
    }
}

impl PodVolumeOut {
    fn new(volume: &PodVolume) -> Self {
        let stage = |fact: &StageFact| StageOut {
            stage: fact.stage.as_str(),
            state: fact.reached.as_str(),
            object: NamedOut::new(&fact.object),
            since: fact.since.map(|since| since.to_string()),
            says: fact.says.clone(),
        };
        Self {
            volume: volume.volume.to_string(),
            claim: volume.claim.name.to_string(),
            pv: volume.persistent.to_string(),
            stages: volume.stages.iter().map(stage).collect(),
        }
    }
}

impl VolumeChangeOut {
    fn new(growth: &Growth) -> Self {
        let expansion = |Expansion { stage, sizes }: &Expansion| ExpansionOut {
            stage: camel_case(stage.as_str()),
            target: sizes.target.to_string(),
            requested: sizes.requested.map(|requested| requested.to_string()),
            target_is_counted: sizes.target_is_counted,
        };
        let modification = |Modification { stage, target, requested }: &Modification| ModificationOut {
            stage: camel_case(stage.as_str()),
            target: target.to_string(),
            requested: requested.as_ref().map(ToString::to_string),
        };
        Self {
            claim: NamedOut::new(&growth.claim),
            expansion: growth.expansion.as_ref().map(expansion),
            modification: growth.modification.as_ref().map(modification),
        }
    }
}

/// Returns the words as one word of a document, such as `nodePending` for `node pending`.
fn camel_case(words: &str) -> String {
    let mut words = words.split(' ');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &capitalized(word))
}

impl MemberOut {
    fn new(member: &Member) -> Self {
        Self {
            object: NamedOut::new(&member.object),
            state: member.state.as_str(),
            headline: member.headline.clone(),
            root: member.root.as_ref().map(|(object, _)| NamedOut::new(object)),
            rule: member.root.as_ref().map(|(_, rule)| *rule),
        }
    }
}

impl AdviceOut {
    /// Returns what a person can do, and what was assumed for it.
    pub fn new(way: &Advice) -> Self {
        let assumes = way.assumes.iter().map(|assumed| {
            let place = if assumed.namespace.is_empty() { String::new() } else { format!(" in {}", assumed.namespace) };
            format!("there are no other {}{place}", assumed.kind.resource())
        });
        Self {
            verb: way.remedy.verb,
            command: way.remedy.command.clone(),
            does: way.remedy.does.clone(),
            assumes: assumes.collect(),
        }
    }
}

impl DiagnosisOut {
    /// Returns the diagnosis as data.
    pub fn new(diagnosis: &Diagnosis, now: Option<Timestamp>) -> Self {
        let said = |said: &Said| SaidOut {
            about: NamedOut::new(&said.about),
            source: said.source.clone(),
            reason: said.reason.clone(),
            message: said.message.clone(),
            count: said.count,
            last: said.last.map(|last| last.to_string()),
            void: said.is_void,
            age: now.zip(said.last).map(|(now, last)| now.seconds_since(last)),
        };
        Self {
            said: diagnosis.said.iter().map(said).collect(),
            state: diagnosis.state.as_str(),
            headline: diagnosis.headline.clone(),
            details: diagnosis.details.clone(),
            root: diagnosis.root.as_ref().map(|root| RootOut {
                object: NamedOut::new(&root.object),
                rule: root.rule.id,
                field: root.evidence.as_ref().map(|(field, _)| *field),
                value: root.evidence.as_ref().map(|(_, value)| value.clone()),
            }),
            chain: diagnosis
                .chain
                .iter()
                .map(|link| LinkOut { object: NamedOut::new(&link.object), link: link.link, says: link.says.clone() })
                .collect(),
            actor: ActorOut {
                who: diagnosis.actor.who.as_str(),
                name: diagnosis.actor.name.clone(),
                does: diagnosis.actor.does.clone(),
            },
            remedies: diagnosis.remedies.iter().map(AdviceOut::new).collect(),
            data: diagnosis.data.map(|data| ProspectOut { fate: data.fate.as_str(), when: data.when }),
            since: diagnosis.since.map(|since| since.to_string()),
            volumes: diagnosis.volumes.iter().map(PodVolumeOut::new).collect(),
            volume_changes: diagnosis.growth.iter().map(VolumeChangeOut::new).collect(),
            pods: diagnosis.members.iter().map(MemberOut::new).collect(),
            lasted: now.zip(diagnosis.since).map(|(now, since)| now.seconds_since(since)),
        }
    }
}
