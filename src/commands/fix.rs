//! `fix`: reports what is wrong, and makes the repairs one by one.

use super::Status;
use super::shared::connect::with_cluster;
use super::shared::live::Live;
use super::shared::person::Person;
use super::shared::repair::options;
use crate::cli::{FixArgs, GlobalArgs, parse_objects};
use crate::error::Error;
use crate::model::Kind;
use crate::ops::fix::{FixOptions, check_rules, fix};
use crate::ops::repair::RepairOptions;
use crate::report::plan::PlanFormat as Format;
use crate::terminal::Terminal;

/// The kinds of objects that a person can name for this verb.
const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// Reports what is wrong, offers repairs and makes them.
///
/// # Errors
/// Returns an error for wrong usage, if something cannot be read, if a repair is refused, or if it stops.
pub(super) fn run(args: &FixArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let FixArgs { objects, all, only, repair } = args;
    let named = parse_objects(objects, &KINDS)?;
    if *all && !objects.is_empty() {
        return Err(Error::usage("--all means every object in scope: it cannot be combined with names of objects"));
    }
    if objects.is_empty() && !all && repair.yes {
        return Err(Error::usage("--yes needs to know what to repair").hint("name objects or use --all --only RULE,…"));
    }
    if *all && repair.yes && only.is_empty() {
        return Err(Error::usage(
            "--all --yes needs --only, which says which findings are repaired without a question",
        )
        .hint("kubectl pvctl rules lists the rules; `kubectl pvctl fix` without --yes asks before each repair"));
    }
    check_rules(only)?;
    if repair.output != Format::Text || repair.confirm.is_some() {
        return Err(Error::usage("fix asks before each repair: -o and --confirm cannot be combined with it")
            .hint("the verb of a single repair prints its plan with -o yaml"));
    }
    if global.scope.selector.is_some() {
        return Err(Error::usage("-l cannot be combined with fix: name the objects"));
    }
    let one = RepairOptions { only_safe: repair.yes, ..options(repair, global)? };
    let options = FixOptions { objects: named, only: only.clone(), repair: one };
    let person = Person::new(repair, global, terminal);
    with_cluster(global, terminal, async |cluster| fix(&options, &Live::new(cluster, terminal), &person).await)
}
