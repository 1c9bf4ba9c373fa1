//! Patches as an API server applies them.

use super::store::{Failure, list, text};
use serde_json::{Map, Value};

/// Applies a merge patch (RFC 7386).
pub(super) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(into) = target else { return };
    for (field, value) in fields {
        if value.is_null() {
            into.remove(field);
        } else {
            merge(into.entry(field.clone()).or_insert(Value::Null), value);
        }
    }
}

/// Applies a JSON patch (RFC 6902) with those operations that repairs use: test, remove, replace and add.
pub(super) fn json_patch(current: &Value, patch: &Value) -> Result<Value, Failure> {
    let refused = || Failure::new(422, "Invalid", "the server rejected our request due to an error in our request");
    let mut object = current.clone();
    for operation in patch.as_array().ok_or_else(|| Failure::new(400, "BadRequest", "the patch is no list"))? {
        let path = text(operation, "/path");
        let (parent, last) = path.rsplit_once('/').ok_or_else(refused)?;
        let last = last.replace("~1", "/").replace("~0", "~");
        let value = operation.get("value").cloned().unwrap_or(Value::Null);
        match operation["op"].as_str().unwrap_or_default() {
            "test" => {
                if object.pointer(&path).unwrap_or(&Value::Null) != &value {
                    return Err(refused());
                }
            }
            "remove" => match object.pointer_mut(parent).ok_or_else(refused)? {
                Value::Array(entries) => {
                    let at: usize = last.parse().map_err(|_| refused())?;
                    if at >= entries.len() {
                        return Err(refused());
                    }
                    entries.remove(at);
                }
                Value::Object(fields) => _ = fields.remove(&last).ok_or_else(refused)?,
                _ => return Err(refused()),
            },
            "replace" => *object.pointer_mut(&path).ok_or_else(refused)? = value,
            "add" => match object.pointer_mut(parent).ok_or_else(refused)? {
                Value::Array(entries) if last == "-" => entries.push(value),
                Value::Array(entries) => {
                    let at: usize = last.parse().map_err(|_| refused())?;
                    if at > entries.len() {
                        return Err(refused());
                    }
                    entries.insert(at, value);
                }
                Value::Object(fields) => _ = fields.insert(last, value),
                _ => return Err(refused()),
            },
            _ => return Err(refused()),
        }
    }
    // In a stored object, an empty list is the same as no list.
    if list(&object, "/metadata/finalizers").is_empty()
        && let Some(metadata) = object["metadata"].as_object_mut()
    {
        metadata.remove("finalizers");
    }
    Ok(object)
}
