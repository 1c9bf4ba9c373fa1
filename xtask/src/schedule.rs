//! Finds schedules for ends that random schedules did not reach. The real controllers then follow these schedules.

use crate::judge::{Verdict, behavior_of, end_of, object_of, settling, snapshot};
use crate::line::{Line, Object, Schedule, Step};
use anyhow::Result;
use pvctl::controllers::KubernetesBehavior;
use pvctl::engines::simulation;
use pvctl::simulate::component::components;
use pvctl::simulate::explore::{self, schedule};
use serde_json::Value;

/// Returns a line with a schedule for each end or joint end that is predicted but was not seen. If a component has too
/// many states, its ends have no schedules.
///
/// # Errors
/// Returns an error if the world of the line is invalid.
pub fn with_schedules(line: &Line, verdict: &Verdict, behavior: &KubernetesBehavior) -> Result<Line> {
    let mut line = line.clone();
    let alone = verdict
        .wider
        .iter()
        .flat_map(|wider| wider.ends.iter().map(|end| (vec![wider.object.clone()], vec![end.clone()])));
    let joint = verdict.wider_worlds.iter().flat_map(|wider| {
        let ends = wider.worlds.iter().filter_map(Value::as_array);
        ends.map(|ends| (wider.objects.clone(), ends.clone()))
    });
    for (objects, ends) in alone.chain(joint) {
        if let Some(steps) = steps_to(&line, behavior, &objects, &ends)? {
            line.schedules.push(Schedule { objects, ends, steps, reached: false });
        }
    }
    Ok(line)
}

fn steps_to(
    line: &Line,
    behavior: &KubernetesBehavior,
    wanted: &[Object],
    ends: &[Value],
) -> Result<Option<Vec<Step>>> {
    let Some(settle) = &line.settle else { return Ok(None) };
    let snapshot = snapshot(line)?;
    let settings = settling(&behavior_of(line, behavior)?, settle)?;
    let simulation = simulation(&snapshot, settings.clone(), 1);
    for component in components(&snapshot, &settings) {
        let objects = &component.objects;
        let with_ends = objects.iter().filter(|id| simulation.outcomes(**id).count > 0).map(|id| snapshot.key(*id));
        let number = objects.first().map_or(0, |first| simulation.predict(*first).component);
        let made = simulation.created().filter(|(of, _, _)| *of == number).map(|(_, key, _)| key.clone());
        let keys: Vec<Object> = with_ends.chain(made).map(|key| object_of(&key)).collect();
        let place = |object| keys.iter().position(|member| member == object);
        let Some(places) = wanted.iter().map(place).collect::<Option<Vec<usize>>>() else { continue };
        let steps = schedule(&snapshot, &settings, objects, |outcomes| {
            let mut each = places.iter().zip(ends);
            each.all(|(place, end)| end_of(&outcomes[*place]).is_ok_and(|predicted| predicted == *end))
        });
        return Ok(steps.map(|steps| steps.into_iter().map(step).collect()));
    }
    Ok(None)
}

fn step(step: explore::Step) -> Step {
    let explore::Step { controller, object, picked, remembered, gives_up } = step;
    let object = Object {
        kind: object.kind.to_string(),
        namespace: object.namespace.to_string(),
        name: object.name.to_string(),
    };
    let remembered = remembered.iter().map(ToString::to_string).collect();
    let volume = picked.unwrap_or_default().to_string();
    Step { controller: controller.name.to_owned(), object, volume, remembered, gives_up }
}
