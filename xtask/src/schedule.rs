//! Ends that chance did not show: the schedules that are said to lead there, for the real controllers to follow.

use crate::judge::{Wider, end_of, rules_of, settling, snapshot, target};
use crate::line::{Line, Object, Schedule, Step};
use anyhow::Result;
use pvctl::controllers::Rules;
use pvctl::simulate::component::components;
use pvctl::simulate::explore::{self, schedule};
use serde_json::Value;

/// A line with a schedule for each end that is predicted and was not seen. An end that belongs to a component of too
/// many states has none.
///
/// # Errors
/// When the line's world makes no sense.
pub fn with_schedules(line: &Line, wider: &[Wider], rules: &Rules) -> Result<Line> {
    let mut line = line.clone();
    for Wider { object, ends, .. } in wider {
        for end in ends {
            if let Some(steps) = steps_to(&line, rules, object, end)? {
                let (object, end) = (object.clone(), end.clone());
                line.schedules.push(Schedule { object, end, steps, reached: false });
            }
        }
    }
    Ok(line)
}

fn steps_to(line: &Line, rules: &Rules, object: &Object, end: &Value) -> Result<Option<Vec<Step>>> {
    let Some(settle) = &line.settle else { return Ok(None) };
    let snapshot = snapshot(line)?;
    let settings = settling(&rules_of(line, rules)?, settle)?;
    let target = target(&snapshot, object)?;
    for component in components(&snapshot, &settings.rules) {
        let objects = component.objects();
        let Some(place) = objects.iter().position(|member| *member == target) else { continue };
        let steps = schedule(&snapshot, &settings, &objects, |outcomes| {
            end_of(&outcomes[place]).is_ok_and(|predicted| predicted == *end)
        });
        return Ok(steps.map(|steps| steps.into_iter().map(step).collect()));
    }
    Ok(None)
}

fn step(step: explore::Step) -> Step {
    let explore::Step { controller, object, volume } = step;
    let object = Object {
        kind: object.kind.to_string(),
        namespace: object.namespace.to_string(),
        name: object.name.to_string(),
    };
    Step { controller: controller.name().to_owned(), object, volume: volume.unwrap_or_default().to_string() }
}
