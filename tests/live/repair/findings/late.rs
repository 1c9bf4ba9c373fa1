//! A volume is Released although its claim exists. The controllers correct this state at their next sync. So the test
//! causes and repairs this state while the controllers are stopped.

use super::actors::{self, made};
use super::{Act, Run};
use crate::live::site::{PV, Place, Site};
use serde_json::json;

pub(super) const RULE: &str = "pv-released-but-claim-alive";

/// A controller with an outdated cache released two volumes and then ended. The driver is unavailable. One volume is
/// repaired before a controller runs again. The controller corrects the other volume.
pub(super) fn run(site: &mut Site) -> (Vec<String>, usize) {
    let names = ["alive", "healed"];
    let journals = names.map(|name| {
        let place = Place::of_class(site, name, actors::DRIVER, "Immediate");
        made(&place, "data", "a");
        place.rest();
        place.keep()
    });
    site.stop_controllers();
    for name in names {
        site.report(PV, "", &format!("{name}-a"), &json!({"phase": "Released"}));
    }
    let [alive, healed] = journals;
    let place = Place::kept(site, names[0], alive);
    let broken: &[&str] = &["@-a: Released, Delete, of @/data", "@/data: Bound, @-a"];
    let finding: &[&str] = &["pv-released-but-claim-alive on pv/@-a"];
    let mut early = Run::new(&place, broken, finding);
    // A policy is in force as soon as it is stored. It needs no controller.
    let kept: &[&str] = &["@-a: Released, Retain, of @/data", "@/data: Bound, @-a"];
    early.act(RULE, Act::does(&["fix", "pv/@-a"], 1, kept, &[]));
    let (mut wrong, repairs) = (early.wrong, early.repairs);
    let alive = place.keep();
    let place = Place::kept(site, names[1], healed);
    wrong.append(&mut Run::new(&place, broken, finding).wrong);
    let healed = place.keep();
    site.start_controllers();
    let place = Place::kept(site, names[0], alive);
    let mut late = Run::new(&place, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]);
    late.act(RULE, Act::back(&["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a"], &[]));
    late.watched(&["a"], &[("@", "data")], &[]);
    wrong.append(&mut late.wrong);
    let place = Place::kept(site, names[1], healed);
    let mut late = Run::new(&place, &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a"], &[]);
    late.watched(&["a"], &[("@", "data")], &[]);
    wrong.append(&mut late.wrong);
    (wrong.into_iter().map(|fault| format!("{RULE}: {fault}")).collect(), repairs + 1)
}
