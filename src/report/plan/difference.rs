//! The differences between a plan in a file and the plan that is made now.

use super::document::{ModelStated, PlanDocument, StepOut};
use crate::repair::PLAN_ANNOTATION;
use serde_json::Value;

/// The largest number of differences that are named.
const NAMED: usize = 5;

/// A field that differs between the two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The path of the field, from the top of the document.
    pub field: String,
    /// The value in the file. It is `None` if the file does not have the field.
    pub was: Option<String>,
    /// The value in the plan that is made now. It is `None` if this plan does not have the field.
    pub is: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = |value: &Option<String>| value.clone().unwrap_or_else(|| "<unset>".to_owned());
        write!(out, "{} was {} and is {} now", self.field, of(&self.was), of(&self.is))
    }
}

impl PlanDocument {
    /// Returns the first differences between this plan and the plan of a file, at most `NAMED`.
    ///
    /// The results of the guards are not compared, because the guards are checked again. The predictions (`expects`)
    /// are compared only if this plan was reviewed.
    pub fn differs_from(&self, file: &PlanDocument<ModelStated>, reviewed: bool) -> Vec<Difference> {
        let steps = |steps: &[StepOut]| {
            let steps = steps.iter().cloned().map(|step| {
                let expects = if reviewed { step.expects } else { Vec::new() };
                serde_json::to_value(StepOut { expects, ..step }).unwrap_or_default()
            });
            Value::Array(steps.collect())
        };
        let mut found = Vec::new();
        compare("steps", Some(&steps(&file.steps)), Some(&steps(&self.steps)), &mut found);
        let names = (file.type_name.clone().map(Value::from), self.type_name.clone().map(Value::from));
        compare("typeName", names.0.as_ref(), names.1.as_ref(), &mut found);
        if found.is_empty() && file.world != self.world {
            found.push(Difference {
                field: "world".to_owned(),
                was: Some(file.world.clone()),
                is: Some(self.world.clone()),
            });
        }
        found.truncate(NAMED);
        found
    }
}

/// Finds the fields in which two values differ.
fn compare(field: &str, was: Option<&Value>, is: Option<&Value>, found: &mut Vec<Difference>) {
    match (was, is) {
        (was, is) if was == is => {}
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            for key in was.keys().chain(is.keys().filter(|key| !was.contains_key(*key))) {
                // The id of the plan is a hash, so it always differs if anything else differs.
                if key != PLAN_ANNOTATION {
                    compare(&format!("{field}.{key}"), was.get(key), is.get(key), found);
                }
            }
        }
        (Some(Value::Array(was)), Some(Value::Array(is))) => {
            for at in 0..was.len().max(is.len()) {
                compare(&format!("{field}[{at}]"), was.get(at), is.get(at), found);
            }
        }
        (was, is) => {
            let show = |value: Option<&Value>| value.filter(|value| !value.is_null()).map(ToString::to_string);
            found.push(Difference { field: field.to_owned(), was: show(was), is: show(is) });
        }
    }
}
