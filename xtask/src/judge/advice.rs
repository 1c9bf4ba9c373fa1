//! Checks the advice that users get. In a world with the tag `advice`, somebody has followed the advice. The stale copy
//! in the case is the object before somebody followed the advice. If the advice is applied to this copy, the result has
//! to be the object of the world. The real controllers must then reach the end that the advice promises.

use super::decisions::{controller, memory};
use super::{Judged, Verdict, binder, differ, target};
use crate::line::{Case, Object};
use anyhow::{Context as _, Result, bail};
use pvctl::simulate::Settings;
use pvctl::simulate::decide::decide;
use pvctl::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Judged<'_> {
    /// Follows the advice of each case and compares the result with the world. For an object whose advice was followed,
    /// no further advice may be given.
    pub(super) fn compare_advice(&self, verdict: &mut Verdict) -> Result<()> {
        if !self.line.tags.iter().any(|tag| tag == "advice") {
            return Ok(());
        }
        for case in &self.line.cases {
            let [cached] = case.cached.as_slice() else { bail!("advice is given on one copy, not on several") };
            let before = cached.copy.clone().context("the case has no copy from before the advice")?;
            let told = self.told(case)?;
            let said = told.first().cloned().unwrap_or_default();
            let mut after = self.followed(before, &said);
            let world = self.recorded(&cached.object).context("the world does not have the object of the case")?;
            after["metadata"]["resourceVersion"] = world["metadata"]["resourceVersion"].clone();
            differ(
                &format!("after {said:?}"),
                &case.object,
                &BTreeSet::from([world.to_string()]),
                &BTreeSet::from([after.to_string()]),
                verdict,
            );
            self.compare_reached(&case.object, verdict)?;
        }
        let asked = |case: &&Case| self.line.cases.iter().any(|before| before.object == case.object);
        for case in self.line.decisions.iter().filter(asked) {
            let told = self.told(case)?.into_iter().collect();
            differ("advice that nobody needs", &case.object, &BTreeSet::new(), &told, verdict);
        }
        Ok(())
    }

    /// Returns the advice for the user in a case.
    fn told(&self, case: &Case) -> Result<Vec<String>> {
        let target = target(self.snapshot, &case.object)?;
        let settings = Settings {
            controllers: vec![controller(case, target)],
            controller: memory(self.snapshot, case)?,
            ..binder(self.behavior)
        };
        let decisions = decide(&World::new(self.snapshot), &settings, target).listed;
        let waiting = decisions.iter().flat_map(|decision| &decision.record.waiting);
        Ok(waiting.filter(|waiting| waiting.component == "user").map(|waiting| waiting.action.clone()).collect())
    }

    /// Compares the real ends with the end that the advice promises. The object must be bound at every end. A volume
    /// may also have no claimRef, if the advice is to free it.
    fn compare_reached(&self, object: &Object, verdict: &mut Verdict) -> Result<()> {
        let mut answers = self.line.settle.iter().flat_map(|settle| &settle.objects);
        let ends = &answers.find(|answer| answer.object == *object).context("advice without an end")?.ends;
        let reached = |end: &Value| {
            end["phase"] == "Bound" || (object.kind == "PersistentVolume" && end.get("claimRef").is_none())
        };
        let ends: BTreeSet<String> = ends.iter().filter(|end| !reached(end)).map(Value::to_string).collect();
        differ("where the advice leads", object, &ends, &BTreeSet::new(), verdict);
        Ok(())
    }

    /// Returns the object after somebody has followed the advice.
    fn followed(&self, mut object: Value, said: &str) -> Value {
        let between = |start: &str, end: &str| -> Option<String> {
            let rest = said.split_once(start)?.1;
            Some(if end.is_empty() { rest } else { rest.split_once(end)?.0 }.to_owned())
        };
        let volume = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let claim_ref = |object: &mut Value, field: &str, value: &str| {
            object["spec"]["claimRef"][field] = json!(value);
        };
        let remove = |object: &mut Value, place: &str, field: &str| {
            object.pointer_mut(place).and_then(Value::as_object_mut).map(|fields| fields.remove(field));
        };
        let claims = || self.line.world.items.iter().filter(|item| item["kind"] == "PersistentVolumeClaim");
        if said.starts_with(&format!("remove spec.claimRef.uid of {volume} (the uid of an earlier claim")) {
            remove(&mut object, "/spec/claimRef", "uid");
        } else if said.starts_with(&format!("remove spec.claimRef of {volume} (it names no claim that can exist"))
            || said.contains(", or free volume ")
            || said.starts_with("reserve the volume for another claim, or delete it")
            || said.ends_with(", or remove spec.claimRef if any claim may get the data")
        {
            remove(&mut object, "/spec", "claimRef");
        } else if let Some(namespace) =
            between(&format!("set spec.claimRef.namespace of {volume} to "), ", or recreate")
        {
            claim_ref(&mut object, "namespace", &namespace);
        } else if let Some(uid) = between(&format!("set spec.claimRef.uid of {volume} to "), ", the uid of this claim")
        {
            claim_ref(&mut object, "uid", &uid);
        } else if let Some(key) = between(&format!("set spec.claimRef of {volume} to "), " with uid ")
            && let Some(uid) = between(" with uid ", " if claim ")
            && let Some((namespace, name)) = key.split_once('/')
        {
            for (field, value) in [("namespace", namespace), ("name", name), ("uid", &uid)] {
                claim_ref(&mut object, field, value);
            }
        } else if said.starts_with("put the claim's uid into spec.claimRef.uid: ") {
            let named = claims().find(|claim| claim["metadata"]["name"] == object["spec"]["claimRef"]["name"]);
            let uid = named.map(|claim| claim["metadata"]["uid"].clone());
            object["spec"]["claimRef"]["uid"] = uid.unwrap_or_default();
        } else if let Some(values) = between("set spec.claimRef.namespace and spec.claimRef.name to ", "; without it")
            && let Some((namespace, name)) = values.split_once(" and ")
        {
            claim_ref(&mut object, "namespace", namespace);
            claim_ref(&mut object, "name", name);
        } else if let Some(namespace) = between("set spec.claimRef.namespace to ", "; without it") {
            claim_ref(&mut object, "namespace", &namespace);
        } else if let Some(name) = between("set spec.claimRef.name to ", "; without it") {
            claim_ref(&mut object, "name", &name);
        } else if said.starts_with("set spec.volumeName of the claim back to its volume, which must have ") {
            // The advice names the volume only if exactly one volume has the uid of the claim.
            let mut own = self.line.world.items.iter().filter(|item| {
                item["spec"]["claimRef"].is_object() && item["spec"]["claimRef"]["uid"] == object["metadata"]["uid"]
            });
            if own.next().is_none() || own.next().is_some() {
                let after = claims().find(|claim| claim["metadata"]["uid"] == object["metadata"]["uid"]);
                object["spec"]["volumeName"] =
                    after.map(|claim| claim["spec"]["volumeName"].clone()).unwrap_or_default();
            }
        } else if let Some(name) = between("set spec.volumeName of the claim back to ", "") {
            object["spec"]["volumeName"] = json!(name);
        }
        object
    }
}
